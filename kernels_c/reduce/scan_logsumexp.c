/* CumulativeLogsumexp: logarithms of cumulative sums of exponentials. half and bfloat16 are
 * computed in float. */
#include <float.h>
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

typedef struct scan_attrs {
  bool exclusive, reverse;
} scan_attrs;

typedef struct scan_job {
  const void* x;
  void* y;
  int64_t n, inner; /* the dimension; elements behind it */
  scan_attrs attrs;
} scan_job;

/* log(e^a + e^b) */
#define ADD(T, EXP, LOG1P)                                                      \
  static T add_##T(T a, T b) {                                                  \
    const T more = a > b || isnan(a) ? a : b, less = a > b || isnan(a) ? b : a; \
    return isinf(more) || isnan(more) ? more : more + LOG1P(EXP(less - more));  \
  }
ADD(float, expf, log1pf)
ADD(double, exp, log1p)

#define SCAN(T)                                                         \
  static void scan_##T(void* arg, int64_t begin, int64_t end) {         \
    const scan_job* p = arg;                                            \
    for (int64_t line = begin; line < end; line++) {                    \
      int64_t at = line / p->inner * p->inner * p->n + line % p->inner; \
      const int64_t step = p->attrs.reverse ? -p->inner : p->inner;     \
      if (p->attrs.reverse) at += (p->n - 1) * p->inner;                \
      T sum = -(T)INFINITY;                                             \
      for (int64_t i = 0; i < p->n; i++, at += step) {                  \
        const T next = add_##T(sum, ((const T*)p->x)[at]);              \
        ((T*)p->y)[at] = p->attrs.exclusive ? sum : next;               \
        sum = next;                                                     \
      }                                                                 \
    }                                                                   \
  }
SCAN(float)
SCAN(double)

static int scan(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_scalar(ctx, 1, "ScanOp: axis must be a scalar, not"));
  const int64_t given = tfc_int_scalar(ctx->inputs[1]);
  if (given < -x->rank || given >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "ScanOp: Expected scan axis in the range [%d, %d), but got %lld", -x->rank,
                     x->rank, (long long)given);
  const int axis = (int)(given < 0 ? given + x->rank : given);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  scan_job p = {.x = x->data, .y = ctx->outputs[0].data, .n = x->dims[axis]};
  p.inner = tfc_product(x->rank - axis - 1, x->dims + axis + 1);
  p.attrs = *(const scan_attrs*)ctx->state;
  const bool small = tfc_is_16bit_float(x->dtype);
  if (small) {
    float* wide = tfc_scratch_items(ctx, x->n, sizeof *wide);
    if (!wide) return TFC_RESOURCE_EXHAUSTED;
    tfc_widen(x->dtype, x->data, wide, x->n);
    p.x = p.y = wide;
  }
  tfc_parallel_for(ctx, x->n / p.n, 15 * (double)p.n,
                   x->dtype == TFC_DOUBLE ? scan_double : scan_float, &p);
  if (small) tfc_narrow(x->dtype, p.y, ctx->outputs[0].data, x->n);
  return TFC_OK;
}

static int fill_state(tfc_construction* c, void* state) {
  scan_attrs* attrs = state;
  TFC_TRY(c->api->attr_bool(c, "exclusive", &attrs->exclusive));
  return c->api->attr_bool(c, "reverse", &attrs->reverse);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(scan_attrs), fill_state, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("CumulativeLogsumexp", "T=" TFC_TYPES_FLOATS, scan, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
