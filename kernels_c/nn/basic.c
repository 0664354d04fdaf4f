/* L2Loss, InTopK, InTopKV2, CheckNumerics. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"

/* ---- L2Loss: sum(t^2) / 2, in fixed chunks whose sums are added in order. */

enum { CHUNK = 8192 };

typedef struct l2_run {
  const tfc_tensor* t;
  double* partial;
} l2_run;

#define SQUARES(NAME, T, V)                                            \
  static double NAME(const T* x, int64_t n) {                          \
    const int lanes = (int)(sizeof(V) / sizeof(T));                    \
    V sums[4] = {V##_set1(0), V##_set1(0), V##_set1(0), V##_set1(0)};  \
    int64_t i = 0;                                                     \
    for (; i + 4 * lanes <= n; i += 4 * lanes)                         \
      for (int k = 0; k < 4; k++) {                                    \
        V v = V##_load(x + i + k * lanes);                             \
        sums[k] += v * v;                                              \
      }                                                                \
    for (; i < n; i += lanes) {                                        \
      V v = V##_load_n(x + i, (int)TFC_MIN(lanes, n - i));             \
      sums[0] += v * v;                                                \
    }                                                                  \
    return (double)V##_sum((sums[0] + sums[1]) + (sums[2] + sums[3])); \
  }
SQUARES(squares_float, float, vf)
SQUARES(squares_double, double, vd)

static double squares_16bit(int32_t dtype, const uint16_t* x, int64_t n) {
  float wide[512];
  double sum = 0;
  for (int64_t i = 0; i < n; i += 512) {
    int64_t part = TFC_MIN(512, n - i);
    tfc_widen(dtype, x + i, wide, part);
    sum += squares_float(wide, part);
  }
  return sum;
}

static void l2_range(void* arg, int64_t begin, int64_t end) {
  const l2_run* r = arg;
  for (int64_t c = begin; c < end; c++) {
    int64_t first = c * CHUNK, n = TFC_MIN(CHUNK, r->t->n - first);
    switch (r->t->dtype) {
      case TFC_FLOAT: r->partial[c] = squares_float((const float*)r->t->data + first, n); break;
      case TFC_DOUBLE: r->partial[c] = squares_double((const double*)r->t->data + first, n); break;
      default: r->partial[c] = squares_16bit(r->t->dtype, (const uint16_t*)r->t->data + first, n);
    }
  }
}

static int compute_L2Loss(tfc_context* ctx) {
  const tfc_tensor* t = ctx->inputs[0];
  TFC_TRY(tfc_output_scalar(ctx, 0));
  int64_t chunks = (t->n + CHUNK - 1) / CHUNK;
  double one, sum = 0;
  l2_run r = {t, &one};
  if (chunks > 1 && !(r.partial = tfc_scratch(ctx, (size_t)chunks * sizeof(double))))
    return TFC_RESOURCE_EXHAUSTED;
  if (chunks > 2)
    tfc_parallel_for(ctx, chunks, CHUNK * 0.15, l2_range, &r);
  else
    l2_range(&r, 0, chunks);
  for (int64_t c = 0; c < chunks; c++) sum += r.partial[c];
  sum /= 2;
  void* to = ctx->outputs[0].data;
  switch (t->dtype) {
    case TFC_FLOAT: *(float*)to = (float)sum; break;
    case TFC_DOUBLE: *(double*)to = sum; break;
    case TFC_HALF: *(tfc_half*)to = tfc_double_to_half(sum); break;
    default: *(tfc_bfloat16*)to = tfc_double_to_bfloat16(sum);
  }
  return TFC_OK;
}

/* ---- InTopK: whether the target's prediction is among the k largest. Ties count for the target; a
 * row with a relevant NaN or infinity, or a target that is not a class, is never in. */

static bool in_top_k(const float* row, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes || !isfinite(row[target])) return false;
  int64_t larger = 0;
  for (int64_t c = 0; c < classes; c++) {
    if (!isfinite(row[c])) return false;
    larger += row[c] > row[target];
  }
  return larger < k;
}

static int run_in_top_k(tfc_context* ctx, int64_t k) {
  const tfc_tensor *predictions = ctx->inputs[0], *targets = ctx->inputs[1];
  if (predictions->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "predictions must be 2-dimensional");
  if (targets->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "targets must be 1-dimensional");
  if (predictions->dims[0] != targets->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "First dimension of predictions %lld must match length of targets %lld",
                     (long long)predictions->dims[0], (long long)targets->dims[0]);
  TFC_TRY(tfc_output(ctx, 0, 1, targets->dims));
  bool* to = ctx->outputs[0].data;
  for (int64_t i = 0; i < targets->n; i++)
    to[i] = in_top_k((const float*)predictions->data + i * predictions->dims[1],
                     predictions->dims[1], tfc_index_at(targets, i), k);
  return TFC_OK;
}

static int create_InTopK(tfc_construction* c, void** state) {
  int64_t* k = malloc(sizeof *k);
  if (!k) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = k;
  return c->api->attr_int(c, "k", k);
}
static int compute_InTopK(tfc_context* ctx) {
  return run_in_top_k(ctx, *(int64_t*)ctx->state);
}
static int compute_InTopKV2(tfc_context* ctx) {
  const tfc_tensor* k = ctx->inputs[2];
  if (k->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "k must be 0-D, got shape %s",
                     tfc_shape_text(k).text);
  return run_in_top_k(ctx, tfc_index_at(k, 0));
}

/* ---- CheckNumerics: the tensor itself, or an error if it holds a NaN or an infinity. */

enum { HAS_NAN = 1, HAS_INF = 2 };

typedef struct check_run {
  const tfc_tensor* t;
  unsigned found; /* atomic */
} check_run;

/* Counts by magnitude bits: above `infinity` is NaN. */
#define CHECK(T, INFINITY_BITS)                                  \
  {                                                              \
    const T* bits = (const T*)r->t->data;                        \
    T inf = (T)(INFINITY_BITS), mask = (T)((T) - 1 >> 1);        \
    T any_nan = 0, any_inf = 0;                                  \
    for (int64_t i = begin; i < end; i++) {                      \
      T magnitude = bits[i] & mask;                              \
      any_nan |= magnitude > inf;                                \
      any_inf |= magnitude == inf;                               \
    }                                                            \
    found = (any_nan ? HAS_NAN : 0u) | (any_inf ? HAS_INF : 0u); \
  }
static void check_range(void* arg, int64_t begin, int64_t end) {
  check_run* r = arg;
  unsigned found = 0;
  switch (r->t->dtype) {
    case TFC_FLOAT: CHECK(uint32_t, 0x7f800000u) break;
    case TFC_DOUBLE: CHECK(uint64_t, 0x7ff0000000000000ull) break;
    case TFC_HALF: CHECK(uint16_t, 0x7c00) break;
    case TFC_BFLOAT16: CHECK(uint16_t, 0x7f80) break;
    default: break;
  }
  if (found) __atomic_or_fetch(&r->found, found, __ATOMIC_RELAXED);
}

static int create_CheckNumerics(tfc_construction* c, void** state) {
  const char* message;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "message", &message, &size));
  char* copy = malloc(size + 1);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  memcpy(copy, message, size);
  copy[size] = 0;
  *state = copy;
  return TFC_OK;
}
static int compute_CheckNumerics(tfc_context* ctx) {
  check_run r = {ctx->inputs[0], 0};
  if (r.t->n < 16384)
    check_range(&r, 0, r.t->n);
  else
    tfc_parallel_for(ctx, r.t->n, 0.15, check_range, &r);
  if (r.found)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s : Tensor had %s values", (char*)ctx->state,
                     r.found == HAS_NAN   ? "NaN"
                     : r.found == HAS_INF ? "Inf"
                                          : "Inf and NaN");
  return tfc_output_input(ctx, 0, 0);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("L2Loss", "T=" TFC_TYPES_FLOATS, compute_L2Loss),
    TFC_ROW("InTopK", "T=" TFC_TYPES_INDICES, compute_InTopK, TFC_STATE(create_InTopK)),
    TFC_ROW("InTopKV2", "T=" TFC_TYPES_INDICES, compute_InTopKV2),
    TFC_ROW("CheckNumerics", "T=" TFC_TYPES_FLOATS, compute_CheckNumerics,
            TFC_STATE(create_CheckNumerics)),
};
TFC_REGISTER_KERNELS(kernels);
