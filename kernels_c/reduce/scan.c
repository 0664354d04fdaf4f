/* Cumulative sums and products along one dimension. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

typedef struct scan_state {
  bool exclusive, reverse;
} scan_state;

typedef struct scan_plan {
  const void* x;
  void* y;
  int64_t n, inner; /* the dimension; elements behind it */
  bool exclusive, reverse, product;
  int32_t dtype;
} scan_plan;

enum { STRIP = 64, LINES = 4 };

/* A strip of columns: the running values of all of them advance row by row. If the scanned
 * dimension is the innermost, LINES lines advance together, which hides the latency of the
 * additions. EACH: TFC_NO_VECTORS for rare types. */
#define SCAN(NAME, T, A, LOAD, STORE, EACH)                                                     \
  static void NAME(const scan_plan* p, int64_t first, int64_t width) {                          \
    const T* x = (const T*)p->x + first;                                                        \
    T* y = (T*)p->y + first;                                                                    \
    const int64_t step = p->reverse ? -p->inner : p->inner;                                     \
    A running[STRIP];                                                                           \
    for (int64_t j = 0; j < width; j++) running[j] = (A)(p->product ? 1 : 0);                   \
    if (p->reverse) x -= (p->n - 1) * step, y -= (p->n - 1) * step;                             \
    for (int64_t i = 0; i < p->n; i++, x += step, y += step)                                    \
      for (int64_t j = 0; j < width; j++) {                                                     \
        EACH;                                                                                   \
        const A v = LOAD(x[j]);                                                                 \
        const A next = (A)(p->product ? running[j] * v : running[j] + v);                       \
        y[j] = STORE(p->exclusive ? running[j] : next);                                         \
        running[j] = next;                                                                      \
      }                                                                                         \
  }                                                                                             \
  static inline __attribute__((always_inline)) void NAME##_run(                                 \
      const T* x, T* y, int64_t n, int64_t lines, bool product, bool exclusive, bool reverse) { \
    A running[LINES];                                                                           \
    for (int k = 0; k < LINES; k++) running[k] = (A)(product ? 1 : 0);                          \
    for (int64_t i = 0; i < n; i++) {                                                           \
      const int64_t at = reverse ? n - 1 - i : i;                                               \
      for (int k = 0; k < lines; k++) {                                                         \
        EACH;                                                                                   \
        const A v = LOAD(x[k * n + at]);                                                        \
        const A next = (A)(product ? running[k] * v : running[k] + v);                          \
        y[k * n + at] = STORE(exclusive ? running[k] : next);                                   \
        running[k] = next;                                                                      \
      }                                                                                         \
    }                                                                                           \
  }                                                                                             \
  static void NAME##_lines(const scan_plan* p, int64_t begin, int64_t end) {                    \
    for (int64_t r = begin; r < end; r += LINES) {                                              \
      const T* x = (const T*)p->x + r * p->n;                                                   \
      T* y = (T*)p->y + r * p->n;                                                               \
      const int64_t lines = TFC_MIN(LINES, end - r);                                            \
      if (lines < LINES)                                                                        \
        NAME##_run(x, y, p->n, lines, p->product, p->exclusive, p->reverse);                    \
      else if (p->exclusive || p->reverse)                                                      \
        NAME##_run(x, y, p->n, LINES, p->product, p->exclusive, p->reverse);                    \
      else if (p->product)                                                                      \
        NAME##_run(x, y, p->n, LINES, true, false, false);                                      \
      else                                                                                      \
        NAME##_run(x, y, p->n, LINES, false, false, false);                                     \
    }                                                                                           \
  }
#define SAME(v) (v)
SCAN(scan_float, float, float, SAME, SAME, )
SCAN(scan_double, double, double, SAME, SAME, )
SCAN(scan_uint8, uint8_t, uint32_t, SAME, (uint8_t), TFC_NO_VECTORS)
SCAN(scan_uint16, uint16_t, uint32_t, SAME, (uint16_t), TFC_NO_VECTORS)
SCAN(scan_uint32, uint32_t, uint32_t, SAME, SAME, )
SCAN(scan_uint64, uint64_t, uint64_t, SAME, SAME, )
SCAN(scan_complex64, float _Complex, float _Complex, SAME, SAME, TFC_NO_VECTORS)
SCAN(scan_complex128, double _Complex, double _Complex, SAME, SAME, TFC_NO_VECTORS)
SCAN(scan_half, tfc_half, float, tfc_half_to_float, tfc_float_to_half, )
SCAN(scan_bfloat16, tfc_bfloat16, float, tfc_bfloat16_to_float, tfc_float_to_bfloat16, )

static void scan_line_tasks(void* arg, int64_t begin, int64_t end) {
  const scan_plan* p = arg;
  switch (p->dtype) {
    case TFC_FLOAT: scan_float_lines(p, begin, end); break;
    case TFC_DOUBLE: scan_double_lines(p, begin, end); break;
    case TFC_HALF: scan_half_lines(p, begin, end); break;
    case TFC_BFLOAT16: scan_bfloat16_lines(p, begin, end); break;
    case TFC_COMPLEX64: scan_complex64_lines(p, begin, end); break;
    case TFC_COMPLEX128: scan_complex128_lines(p, begin, end); break;
    case TFC_INT8: scan_uint8_lines(p, begin, end); break;
    case TFC_UINT8: scan_uint8_lines(p, begin, end); break;
    case TFC_INT16: scan_uint16_lines(p, begin, end); break;
    case TFC_UINT16: scan_uint16_lines(p, begin, end); break;
    case TFC_INT32: scan_uint32_lines(p, begin, end); break;
    case TFC_UINT32: scan_uint32_lines(p, begin, end); break;
    default: scan_uint64_lines(p, begin, end); break;
  }
}

static void scan_tasks(void* arg, int64_t begin, int64_t end) {
  const scan_plan* p = arg;
  const int64_t strips = (p->inner + STRIP - 1) / STRIP;
  for (int64_t t = begin; t < end; t++) {
    const int64_t column = t % strips * STRIP, first = t / strips * p->n * p->inner + column;
    const int64_t width = TFC_MIN(STRIP, p->inner - column);
    switch (p->dtype) {
      case TFC_FLOAT: scan_float(p, first, width); break;
      case TFC_DOUBLE: scan_double(p, first, width); break;
      case TFC_HALF: scan_half(p, first, width); break;
      case TFC_BFLOAT16: scan_bfloat16(p, first, width); break;
      case TFC_COMPLEX64: scan_complex64(p, first, width); break;
      case TFC_COMPLEX128: scan_complex128(p, first, width); break;
      case TFC_INT8: scan_uint8(p, first, width); break;
      case TFC_UINT8: scan_uint8(p, first, width); break;
      case TFC_INT16: scan_uint16(p, first, width); break;
      case TFC_UINT16: scan_uint16(p, first, width); break;
      case TFC_INT32: scan_uint32(p, first, width); break;
      case TFC_UINT32: scan_uint32(p, first, width); break;
      default: scan_uint64(p, first, width); break;
    }
  }
}

static int scan_create(tfc_construction* c, void** state) {
  scan_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rc = c->api->attr_bool(c, "exclusive", &s->exclusive);
  if (rc == TFC_OK) rc = c->api->attr_bool(c, "reverse", &s->reverse);
  if (rc != TFC_OK) {
    free(s);
    return rc;
  }
  *state = s;
  return TFC_OK;
}

static int scan(tfc_context* ctx, bool product) {
  const scan_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_scalar(ctx, 1, "ScanOp: axis must be a scalar, not"));
  const int64_t given = tfc_int_scalar(ctx->inputs[1]);
  if (given < -x->rank || given >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "ScanOp: Expected scan axis in the range [%d, %d), but got %lld", -x->rank,
                     x->rank, (long long)given);
  const int axis = (int)(given < 0 ? given + x->rank : given), candidate = 0;
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  scan_plan p = {.x = x->data,
                 .y = ctx->outputs[0].data,
                 .n = x->dims[axis],
                 .inner = tfc_product(x->rank - axis - 1, x->dims + axis + 1),
                 .exclusive = s->exclusive,
                 .reverse = s->reverse,
                 .product = product,
                 .dtype = x->dtype};
  const int64_t tasks = tfc_product(axis, x->dims) * ((p.inner + STRIP - 1) / STRIP);
  tfc_parallel_for(ctx, tasks, 5 + 1.0 * (double)(x->n / tasks),
                   p.inner == 1 ? scan_line_tasks : scan_tasks, &p);
  return TFC_OK;
}

static int cumsum(tfc_context* ctx) {
  return scan(ctx, false);
}
static int cumprod(tfc_context* ctx) {
  return scan(ctx, true);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Cumsum", "T=" TFC_TYPES_NUMBERS, cumsum, TFC_STATE(scan_create), .host_args = "axis"),
    TFC_ROW("Cumprod", "T=" TFC_TYPES_NUMBERS, cumprod, TFC_STATE(scan_create),
            .host_args = "axis"),
};
TFC_REGISTER_KERNELS(kernels);
