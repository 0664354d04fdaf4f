/* ArgMax and ArgMin along one dimension: the first position of the extreme. A NaN is chosen only if
 * all elements are NaN (then the position is 0), as in TensorFlow. */
#include "kernels_c/reduce/arg.h"

#include "kernels_c/common/kernel_table.h"

typedef struct arg_plan {
  const void* x;
  void* out;
  int64_t n, inner;   /* the dimension; elements behind it */
  bool largest, wide; /* wide: the output is int64 */
  int32_t dtype;
} arg_plan;

enum { COLUMNS = 256, ROWS = 1 << 30 }; /* of a strip; most rows that are counted in 32 bits */
enum { BLOCK = 512, LANES = 32 };

static void put(const arg_plan* p, int64_t i, int64_t value) {
  if (p->wide)
    ((int64_t*)p->out)[i] = value;
  else
    ((int32_t*)p->out)[i] = (int32_t)value;
}

/* One line: the first index of the extreme, after leading NaNs. The extreme of a block is found in
 * lanes, which the compiler makes vectors of; only if it is better than all before, its place. */
#define LINE(NAME, T, V, VALUE, COMPARE)                                                     \
  static int64_t NAME##_line(const T* x, int64_t n) {                                        \
    int64_t at = 0;                                                                          \
    while (at < n && VALUE(x[at]) != VALUE(x[at])) at++; /* leading NaN */                   \
    if (at == n) return 0;                                                                   \
    V best = VALUE(x[at]);                                                                   \
    int64_t i = at + 1;                                                                      \
    for (; i + BLOCK <= n; i += BLOCK) {                                                     \
      V most[LANES], extreme = best;                                                         \
      for (int j = 0; j < LANES; j++) most[j] = best;                                        \
      for (const T* y = x + i; y < x + i + BLOCK; y += LANES)                                \
        for (int j = 0; j < LANES; j++) {                                                    \
          const V v = VALUE(y[j]);                                                           \
          most[j] = v COMPARE most[j] ? v : most[j];                                         \
        }                                                                                    \
      for (int j = 0; j < LANES; j++) extreme = most[j] COMPARE extreme ? most[j] : extreme; \
      if (!(extreme COMPARE best)) continue;                                                 \
      best = extreme;                                                                        \
      /* fed memory may change meanwhile */                                                  \
      for (at = i; at < i + BLOCK - 1 && VALUE(x[at]) != best;) at++;                        \
    }                                                                                        \
    for (; i < n; i++)                                                                       \
      if (VALUE(x[i]) COMPARE best) best = VALUE(x[at = i]);                                 \
    return at;                                                                               \
  }

/* Columns: the best value so far and its row, for a strip of neighbours. */
#define STRIP(NAME, T, V, VALUE, COMPARE)                                               \
  static void NAME##_strip(const arg_plan* p, const T* x, int64_t out, int64_t width) { \
    V best[COLUMNS];                                                                    \
    int32_t row[COLUMNS]; /* -1: none of these rows is better */                        \
    for (int64_t j = 0; j < width; j++) best[j] = VALUE(x[j]), put(p, out + j, 0);      \
    for (int64_t first = 0; first < p->n; first += ROWS) {                              \
      const int32_t rows = (int32_t)TFC_MIN(p->n - first, ROWS);                        \
      for (int64_t j = 0; j < width; j++) row[j] = -1;                                  \
      for (int32_t i = 0; i < rows; i++) {                                              \
        const T* y = x + (first + i) * p->inner;                                        \
        for (int64_t j = 0; j < width; j++) {                                           \
          const V v = VALUE(y[j]);                                                      \
          const bool take = (v COMPARE best[j]) | ((best[j] != best[j]) & (v == v));    \
          best[j] = take ? v : best[j];                                                 \
          row[j] = take ? i : row[j];                                                   \
        }                                                                               \
      }                                                                                 \
      for (int64_t j = 0; j < width; j++)                                               \
        if (row[j] >= 0) put(p, out + j, first + row[j]);                               \
    }                                                                                   \
  }

#define SAME(x) (x)
#define BOTH(NAME, T, V, VALUE)     \
  LINE(NAME##_max, T, V, VALUE, >)  \
  LINE(NAME##_min, T, V, VALUE, <)  \
  STRIP(NAME##_max, T, V, VALUE, >) \
  STRIP(NAME##_min, T, V, VALUE, <)

BOTH(float, float, float, SAME)
BOTH(double, double, double, SAME)
BOTH(half, tfc_half, float, tfc_half_to_float)
BOTH(bfloat16, tfc_bfloat16, float, tfc_bfloat16_to_float)
BOTH(int8, int8_t, int8_t, SAME)
BOTH(uint8, uint8_t, uint8_t, SAME)
BOTH(int16, int16_t, int16_t, SAME)
BOTH(uint16, uint16_t, uint16_t, SAME)
BOTH(int32, int32_t, int32_t, SAME)
BOTH(uint32, uint32_t, uint32_t, SAME)
BOTH(int64, int64_t, int64_t, SAME)
BOTH(uint64, uint64_t, uint64_t, SAME)

#define RUN(NAME, T)                                                                       \
  {                                                                                        \
    const T* x = p->x;                                                                     \
    for (int64_t t = begin; t < end; t++) {                                                \
      if (p->inner == 1) {                                                                 \
        const T* line = x + t * p->n;                                                      \
        put(p, t, p->largest ? NAME##_max_line(line, p->n) : NAME##_min_line(line, p->n)); \
        continue;                                                                          \
      }                                                                                    \
      const int64_t outer = t / strips, first = t % strips * COLUMNS;                      \
      const int64_t width = TFC_MIN(p->inner - first, COLUMNS);                            \
      const T* from = x + outer * p->n * p->inner + first;                                 \
      if (p->largest)                                                                      \
        NAME##_max_strip(p, from, outer * p->inner + first, width);                        \
      else                                                                                 \
        NAME##_min_strip(p, from, outer * p->inner + first, width);                        \
    }                                                                                      \
  }                                                                                        \
  break

static void arg_tasks(void* arg, int64_t begin, int64_t end) {
  const arg_plan* p = arg;
  const int64_t strips = (p->inner + COLUMNS - 1) / COLUMNS;
  switch (p->dtype) {
    case TFC_FLOAT: RUN(float, float);
    case TFC_DOUBLE: RUN(double, double);
    case TFC_HALF: RUN(half, tfc_half);
    case TFC_BFLOAT16: RUN(bfloat16, tfc_bfloat16);
    case TFC_INT8: RUN(int8, int8_t);
    case TFC_BOOL:
    case TFC_UINT8: RUN(uint8, uint8_t);
    case TFC_INT16: RUN(int16, int16_t);
    case TFC_UINT16: RUN(uint16, uint16_t);
    case TFC_INT32: RUN(int32, int32_t);
    case TFC_UINT32: RUN(uint32, uint32_t);
    case TFC_INT64: RUN(int64, int64_t);
    case TFC_UINT64: RUN(uint64, uint64_t);
    default: break;
  }
}

static int arg_extreme(tfc_context* ctx, bool largest) {
  const tfc_tensor* x = ctx->inputs[0];
  int axis = 0;
  TFC_TRY(tfc_arg_output(ctx, &axis));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  arg_plan p = {.x = x->data,
                .out = ctx->outputs[0].data,
                .n = x->dims[axis],
                .inner = tfc_product(x->rank - axis - 1, x->dims + axis + 1),
                .largest = largest,
                .wide = ctx->outputs[0].dtype == TFC_INT64,
                .dtype = x->dtype};
  const int64_t outer = tfc_product(axis, x->dims);
  const int64_t tasks = p.inner == 1 ? outer : outer * ((p.inner + COLUMNS - 1) / COLUMNS);
  const double elements = (double)x->n / (double)tasks;
  tfc_parallel_for(ctx, tasks, 5 + elements * (p.inner == 1 ? 0.6 : 0.3), arg_tasks, &p);
  return TFC_OK;
}

static int arg_max(tfc_context* ctx) {
  return arg_extreme(ctx, true);
}
static int arg_min(tfc_context* ctx) {
  return arg_extreme(ctx, false);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ArgMax", "", arg_max, .host_args = "dimension"),
    TFC_ROW("ArgMin", "", arg_min, .host_args = "dimension"),
};
TFC_REGISTER_KERNELS(kernels);
