/* Dilation2D and its gradients: in each window of an image the greatest sum of a pixel and the
 * filter. half and bfloat16 are computed in float; each sum is rounded, so that the same one is
 * greatest. */
#include <float.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/common/template.h"
#include "kernels_c/common/window.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct dilation_job {
  window_dim h, w;
  int64_t batch, channels;
  int32_t narrow;    /* the type that sums are rounded to, 0: none */
  bool of_filter;    /* gradients: of the filter, not of the images */
  const void *x, *f; /* images, filter */
  const void* grad;  /* of the output */
  void* y;           /* result */
  int64_t* offsets;  /* gradients: of the pixels of a filter from the first one of a window */
} dilation_job;

enum { BLOCK = 64 }; /* channels */

#define T float
#define SUM_T float
#define LOWEST -FLT_MAX
#include "kernels_c/pooling/dilation_type.h"

#define T double
#define SUM_T double
#define LOWEST -DBL_MAX
#include "kernels_c/pooling/dilation_type.h"

#define T int8_t
#define SUM_T uint8_t
#define LOWEST INT8_MIN
#include "kernels_c/pooling/dilation_type.h"

#define T uint8_t
#define SUM_T uint8_t
#define LOWEST 0
#include "kernels_c/pooling/dilation_type.h"

#define T int16_t
#define SUM_T uint16_t
#define LOWEST INT16_MIN
#include "kernels_c/pooling/dilation_type.h"

#define T uint16_t
#define SUM_T uint16_t
#define LOWEST 0
#include "kernels_c/pooling/dilation_type.h"

#define T int32_t
#define SUM_T uint32_t
#define LOWEST INT32_MIN
#include "kernels_c/pooling/dilation_type.h"

#define T uint32_t
#define SUM_T uint32_t
#define LOWEST 0
#include "kernels_c/pooling/dilation_type.h"

#define T int64_t
#define SUM_T uint64_t
#define LOWEST INT64_MIN
#include "kernels_c/pooling/dilation_type.h"

#define T uint64_t
#define SUM_T uint64_t
#define LOWEST 0
#include "kernels_c/pooling/dilation_type.h"

typedef struct dilation_loops {
  tfc_range_fn rows, grad;
} dilation_loops;

static dilation_loops loops_of(int32_t dtype) {
#define LOOPS(DTYPE, CTYPE, NAME) \
  case DTYPE: return (dilation_loops){dilation_rows_##NAME, dilation_grad_##NAME};
  switch (dtype) {
    TFC_FOR_REALS(LOOPS)
    default: return (dilation_loops){dilation_rows_float, dilation_grad_float};
  }
#undef LOOPS
}

/* ---- Attributes and sizes. */

static int read_steps(tfc_construction* c, const char* name, const char* all, const char* one,
                      int64_t* to) {
  int n;
  TFC_TRY(c->api->attr_ints(c, name, 4, to, &n));
  if (n != 4)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "%s field must specify 4 dimensions, but has %d",
                         all, n);
  if (to[0] != 1 || to[3] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED, "%s is only supported across spatial dimensions.",
                         one);
  for (int i = 1; i < 3; i++)
    if (to[i] <= 0 || to[i] > INT32_MAX)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "%s must be > 0, but got %lld", one,
                           (long long)to[i]);
  return TFC_OK;
}

static int fill_window(tfc_construction* c, void* state) {
  window_attrs* a = state;
  const char* padding;
  size_t size;
  TFC_TRY(read_steps(c, "strides", "Sliding window stride", "Stride", a->strides));
  TFC_TRY(read_steps(c, "rates", "Input stride (atrous rate)", "Rate", a->dilations));
  TFC_TRY(c->api->attr_string(c, "padding", &padding, &size));
  a->padding = size == 4 && !memcmp(padding, "SAME", 4) ? WINDOW_SAME : WINDOW_VALID;
  return TFC_OK;
}

static int create_window(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(window_attrs), fill_window, state);
}

static int fit(tfc_context* ctx, dilation_job* j) {
  const window_attrs* a = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *f = ctx->inputs[1];
  if (x->rank != 4) REFUSE("input must be 4-dimensional%s", tfc_shape_text(x).text);
  if (f->rank != 3) REFUSE("filter must be 3-dimensional: %s", tfc_shape_text(f).text);
  if (x->dims[3] != f->dims[2])
    REFUSE("input and filter must have the same depth: %lld vs %lld", (long long)x->dims[3],
           (long long)f->dims[2]);
  if (f->dims[0] > INT32_MAX || f->dims[1] > INT32_MAX || f->dims[0] * f->dims[1] > INT32_MAX)
    REFUSE("filter is too large: %s", tfc_shape_text(f).text);
  j->batch = x->dims[0], j->channels = x->dims[3];
  j->h = (window_dim){x->dims[1], 0, f->dims[0], a->strides[1], a->dilations[1], 0};
  j->w = (window_dim){x->dims[2], 0, f->dims[1], a->strides[2], a->dilations[2], 0};
  TFC_TRY(window_dim_fit(ctx, a, 1, &j->h));
  return window_dim_fit(ctx, a, 2, &j->w);
}

/* A tensor in the type of the loops. */
static int load(tfc_context* ctx, const tfc_tensor* t, const void** data) {
  *data = t->data;
  if (!tfc_is_16bit_float(t->dtype)) return TFC_OK;
  float* wide = tfc_scratch(ctx, (size_t)t->n * sizeof *wide);
  if (!wide) return TFC_RESOURCE_EXHAUSTED;
  tfc_widen(t->dtype, t->data, wide, t->n);
  *data = wide;
  return TFC_OK;
}

static double window_cost(const dilation_job* j) {
  return (double)j->h.filter * (double)j->w.filter + 4;
}

static int prepare(tfc_context* ctx, dilation_job* j) {
  const tfc_tensor* out = &ctx->outputs[0];
  const bool narrow = tfc_is_16bit_float(out->dtype);
  j->narrow = narrow ? out->dtype : 0;
  TFC_TRY(load(ctx, ctx->inputs[0], &j->x));
  TFC_TRY(load(ctx, ctx->inputs[1], &j->f));
  j->y = narrow ? tfc_scratch(ctx, (size_t)out->n * sizeof(float)) : out->data;
  return j->y ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static void finish(tfc_context* ctx, const dilation_job* j) {
  tfc_tensor* out = &ctx->outputs[0];
  if (j->narrow) tfc_narrow(j->narrow, j->y, out->data, out->n);
}

static int dilation(tfc_context* ctx) {
  dilation_job j = {0};
  TFC_TRY(fit(ctx, &j));
  const int64_t dims[4] = {j.batch, j.h.out, j.w.out, j.channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  if (!ctx->outputs[0].n) return TFC_OK;
  TFC_TRY(prepare(ctx, &j));
  const double cost = window_cost(&j) * (double)j.w.out * (double)j.channels * (j.narrow ? 4 : 0.5);
  tfc_parallel_for(ctx, j.batch * j.h.out, cost, loops_of(ctx->outputs[0].dtype).rows, &j);
  finish(ctx, &j);
  return TFC_OK;
}

/* Of the filter's own pixels, or of those of the image that they are added to. */
static int find_offsets(tfc_context* ctx, dilation_job* j) {
  const int64_t n = j->h.filter * j->w.filter;
  j->offsets = tfc_scratch(ctx, (size_t)(n + 1) * sizeof *j->offsets);
  if (!j->offsets) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = i / j->w.filter * j->h.dilation, column = i % j->w.filter * j->w.dilation;
    /* Those that are too far away for a pixel are never used. */
    j->offsets[i] = j->of_filter ? i : row < j->h.in + j->h.pad ? row * j->w.in + column : 0;
  }
  return TFC_OK;
}

static int dilation_grad(tfc_context* ctx, bool of_filter) {
  dilation_job j = {.of_filter = of_filter};
  const tfc_tensor* grad = ctx->inputs[2];
  TFC_TRY(fit(ctx, &j));
  if (grad->rank != 4) REFUSE("out_backprop must be 4-dimensional%s", tfc_shape_text(grad).text);
  const int64_t dims[4] = {j.batch, j.h.out, j.w.out, j.channels};
  if (memcmp(grad->dims, dims, sizeof dims))
    REFUSE("out_backprop has incompatible size. Got %s, expected %s", tfc_shape_text(grad).text,
           tfc_dims_text(4, dims).text);
  TFC_TRY(tfc_output_like(ctx, 0, ctx->inputs[of_filter]));
  const tfc_tensor* out = &ctx->outputs[0];
  if (!out->n) return TFC_OK;
  TFC_TRY(prepare(ctx, &j));
  TFC_TRY(load(ctx, grad, &j.grad));
  TFC_TRY(find_offsets(ctx, &j));
  memset(j.y, 0, (size_t)out->n * (j.narrow ? sizeof(float) : tfc_dtype_size(out->dtype)));
  const int64_t blocks = (j.channels + BLOCK - 1) / BLOCK;
  double cost = window_cost(&j) * (double)(j.h.out * j.w.out) * BLOCK * (j.narrow ? 4 : 1);
  if (of_filter) cost *= (double)j.batch;
  tfc_parallel_for(ctx, of_filter ? blocks : blocks * j.batch, cost, loops_of(out->dtype).grad, &j);
  finish(ctx, &j);
  return TFC_OK;
}

static int dilation_input_grad(tfc_context* ctx) {
  return dilation_grad(ctx, false);
}
static int dilation_filter_grad(tfc_context* ctx) {
  return dilation_grad(ctx, true);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Dilation2D", "T=" TFC_TYPES_REALS, dilation, TFC_STATE(create_window)),
    TFC_ROW("Dilation2DBackpropInput", "T=" TFC_TYPES_REALS, dilation_input_grad,
            TFC_STATE(create_window)),
    TFC_ROW("Dilation2DBackpropFilter", "T=" TFC_TYPES_REALS, dilation_filter_grad,
            TFC_STATE(create_window)),
};
TFC_REGISTER_KERNELS(kernels);
