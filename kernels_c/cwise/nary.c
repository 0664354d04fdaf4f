/* AddN, AccumulateNV2, Cross. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"
#include "kernels_c/state/handles.h"

/* ---- AddN: in blocks that stay in L1, so that each input is read once and the sum written once.
 */

enum { BLOCK = 2048 };

typedef struct add_run {
  tfc_context* ctx;
  void* to;
  int32_t dtype;
} add_run;

#define ADD_INTO(T)                                                                      \
  {                                                                                      \
    T* to = (T*)r->to + i;                                                               \
    const T* x = (const T*)r->ctx->inputs[0]->data + i;                                  \
    if (to != x) memcpy(to, x, (size_t)n * sizeof(T));                                   \
    for (int k = 1; k < r->ctx->n_inputs; k++) {                                         \
      const T* more = (const T*)r->ctx->inputs[k]->data + i;                             \
      _Pragma("GCC ivdep") for (int64_t j = 0; j < n; j++) to[j] = (T)(to[j] + more[j]); \
    }                                                                                    \
  }
static void add_block(const add_run* r, int64_t i, int64_t n) {
  switch (r->dtype) {
    case TFC_FLOAT: ADD_INTO(float) break;
    case TFC_DOUBLE: ADD_INTO(double) break;
    case TFC_COMPLEX64: ADD_INTO(float _Complex) break;
    case TFC_COMPLEX128: ADD_INTO(double _Complex) break;
    case TFC_HALF:
    case TFC_BFLOAT16: {
      float sum[BLOCK], more[BLOCK];
      tfc_widen(r->dtype, (const uint16_t*)r->ctx->inputs[0]->data + i, sum, n);
      for (int k = 1; k < r->ctx->n_inputs; k++) {
        tfc_widen(r->dtype, (const uint16_t*)r->ctx->inputs[k]->data + i, more, n);
        for (int64_t j = 0; j < n; j++) sum[j] += more[j];
      }
      tfc_narrow(r->dtype, sum, (uint16_t*)r->to + i, n);
      break;
    }
    default: /* integers wrap: unsigned types of their size */
      switch (tfc_dtype_size(r->dtype)) {
        case 1: ADD_INTO(uint8_t) break;
        case 2: ADD_INTO(uint16_t) break;
        case 4: ADD_INTO(uint32_t) break;
        default: ADD_INTO(uint64_t)
      }
  }
}
static void add_range(void* arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i += BLOCK) add_block(arg, i, TFC_MIN(BLOCK, end - i));
}

static int compute_AddN(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_same_shape(ctx));
  if (ctx->n_inputs == 1) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_sum_output(ctx));
  add_run r = {ctx, ctx->outputs[0].data, x->dtype};
  double ns = 0.15 * ctx->n_inputs;
  if ((double)x->n * ns < 10000)
    add_range(&r, 0, x->n);
  else
    tfc_parallel_for(ctx, x->n, ns, add_range, &r);
  return TFC_OK;
}

/* ---- Cross product of vectors along the last dimension, of size 3. */

#define CROSS_LOOP(T, U)                                  \
  {                                                       \
    const T *a = r->a, *b = r->b;                         \
    T* c = r->to;                                         \
    for (int64_t i = 3 * begin; i < 3 * end; i += 3) {    \
      U a0 = (U)a[i], a1 = (U)a[i + 1], a2 = (U)a[i + 2]; \
      U b0 = (U)b[i], b1 = (U)b[i + 1], b2 = (U)b[i + 2]; \
      c[i] = (T)(a1 * b2 - a2 * b1);                      \
      c[i + 1] = (T)(a2 * b0 - a0 * b2);                  \
      c[i + 2] = (T)(a0 * b1 - a1 * b0);                  \
    }                                                     \
  }
typedef struct cross_run {
  const void *a, *b;
  void* to;
  int32_t dtype;
} cross_run;
static void cross_range(void* arg, int64_t begin, int64_t end) {
  const cross_run* r = arg;
  switch (r->dtype) {
    case TFC_FLOAT: CROSS_LOOP(float, float) break;
    case TFC_DOUBLE: CROSS_LOOP(double, double) break;
    default:
      switch (tfc_dtype_size(r->dtype)) {
        case 1: CROSS_LOOP(uint8_t, uint32_t) break;
        case 2: CROSS_LOOP(uint16_t, uint32_t) break;
        case 4: CROSS_LOOP(uint32_t, uint32_t) break;
        default: CROSS_LOOP(uint64_t, uint64_t)
      }
  }
}
static int compute_Cross(tfc_context* ctx) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  if (!tfc_same_shape(a, b))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Both inputs must be of same shape: %s vs. %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  if (a->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must be at least 1D: %s",
                     tfc_shape_text(a).text);
  if (a->dims[a->rank - 1] != 3)
    return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                     "Cross-products are only defined for 3-element vectors.");
  TFC_TRY(tfc_output_like(ctx, 0, a));
  cross_run r = {a->data, b->data, ctx->outputs[0].data, a->dtype};
  if (!tfc_is_16bit_float(a->dtype)) {
    if (a->n < 10000)
      cross_range(&r, 0, a->n / 3);
    else
      tfc_parallel_for(ctx, a->n / 3, 3, cross_range, &r);
    return TFC_OK;
  }
  float* wide = tfc_scratch(ctx, (size_t)a->n * 3 * sizeof(float));
  if (!wide) return TFC_RESOURCE_EXHAUSTED;
  tfc_widen(a->dtype, a->data, wide, a->n);
  tfc_widen(a->dtype, b->data, wide + a->n, a->n);
  cross_run w = {wide, wide + a->n, wide + 2 * a->n, TFC_FLOAT};
  cross_range(&w, 0, a->n / 3);
  tfc_narrow(a->dtype, w.to, ctx->outputs[0].data, a->n);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AddN", "T=" TFC_TYPES_NUMBERS, compute_AddN),
    TFC_ROW("AddN", "T=variant", tfc_handles_sum),
    TFC_ROW("AccumulateNV2", "T=" TFC_TYPES_NUMBERS, compute_AddN),
    TFC_ROW("Cross", "T=" TFC_TYPES_REALS, compute_Cross),
};
TFC_REGISTER_KERNELS(kernels);
