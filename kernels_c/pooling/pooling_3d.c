/* MaxPool3D, AvgPool3D and their gradients, including the second one of MaxPool3D. */
#include <float.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/common/template.h"
#include "kernels_c/pooling/pooling.h"
#include "kernels_c/pooling/shape.h"

/* ---- Loops for each type. 16-bit floats are computed as float. */

#define POOL_DEEP

#define T float
#define SUM_T float
#define LOWEST (-FLT_MAX)
#define FLOATING
#include "kernels_c/pooling/pooling_type.h"

#define T double
#define SUM_T double
#define LOWEST (-DBL_MAX)
#define FLOATING
#include "kernels_c/pooling/pooling_type.h"

static const pool_loops* loops_of(int32_t dtype) {
  return dtype == TFC_DOUBLE ? &pool_loops_double : &pool_loops_float;
}

/* ---- Attributes and sizes. */

static int create(tfc_construction* c, void** state) {
  window_attrs a;
  TFC_TRY(window_attrs_read(c, &a, true, WINDOW_HAS_KSIZE));
  for (int i = 0; i < 5; i++) {
    if (a.ksize[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Sliding window ksize must be positive.");
    if (a.strides[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Sliding window strides must be positive.");
  }
  if (a.ksize[0] != 1 || a.strides[0] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Pooling is not yet supported on the batch dimension.");
  int ch = window_channel_axis(&a);
  if (a.ksize[ch] != 1 || a.strides[ch] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Pooling is not yet supported on the depth dimension.");
  window_attrs* copy = malloc(sizeof *copy);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *copy = a;
  *state = copy;
  return TFC_OK;
}

static int fit_dim(tfc_context* ctx, int axis, const int64_t* dims, window_dim* d) {
  const window_attrs* a = ctx->state;
  *d = (window_dim){
      .in = dims[axis], .filter = a->ksize[axis], .stride = a->strides[axis], .dilation = 1};
  return window_dim_fit(ctx, a, axis, d);
}

/* A job for volumes of shape `dims`. */
static int fit(tfc_context* ctx, const int64_t* dims, pool_job* j) {
  const window_attrs* a = ctx->state;
  *j = (pool_job){0};
  TFC_TRY(fit_dim(ctx, window_plane_axis(a), dims, &j->d));
  TFC_TRY(fit_dim(ctx, window_row_axis(a), dims, &j->h));
  TFC_TRY(fit_dim(ctx, window_column_axis(a), dims, &j->w));
  int64_t c = dims[window_channel_axis(a)];
  j->in = (image_dims){dims[0], j->h.in, j->w.in, c};
  j->out = (image_dims){dims[0], j->h.out, j->w.out, c};
  return TFC_OK;
}

static void output_dims(tfc_context* ctx, const pool_job* j, int64_t dims[5]) {
  const window_attrs* a = ctx->state;
  dims[0] = j->in.n;
  dims[window_plane_axis(a)] = j->d.out;
  dims[window_row_axis(a)] = j->h.out;
  dims[window_column_axis(a)] = j->w.out;
  dims[window_channel_axis(a)] = j->in.c;
}

static int check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  if (t->rank == 5) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 5-dimensional", what);
}

static int check_shape(tfc_context* ctx, const tfc_tensor* t, const char* what,
                       const int64_t dims[5]) {
  if (t->rank == 5 && memcmp(t->dims, dims, 5 * sizeof *dims) == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected %s shape to be %s, but got %s", what,
                   tfc_dims_text(5, dims).text, tfc_shape_text(t).text);
}

/* ---- Layouts: the planes of a volume follow each other like the rows of a high image. */

static image_dims inside(const pool_job* j) {
  return (image_dims){j->in.n, j->d.in * j->in.h, j->in.w, j->in.c};
}
static image_dims outside(const pool_job* j) {
  return (image_dims){j->out.n, j->d.out * j->out.h, j->out.w, j->out.c};
}

static const void* load(tfc_context* ctx, const tfc_tensor* t, image_dims d) {
  return image_load(ctx, t, d, ((const window_attrs*)ctx->state)->nchw, true);
}
static void* begin(tfc_context* ctx, image_dims d) {
  return image_begin(ctx, &ctx->outputs[0], d, ((const window_attrs*)ctx->state)->nchw, true);
}
static int store(tfc_context* ctx, image_dims d, void* work) {
  return image_store(ctx, &ctx->outputs[0], d, ((const window_attrs*)ctx->state)->nchw, true, work);
}

/* ---- Kernels. */

static int forward(tfc_context* ctx, bool average) {
  const tfc_tensor* x = ctx->inputs[0];
  pool_job j;
  int64_t out[5];
  TFC_TRY(check_rank(ctx, x, "tensor_in"));
  TFC_TRY(fit(ctx, x->dims, &j));
  output_dims(ctx, &j, out);
  TFC_TRY(tfc_output(ctx, 0, 5, out));
  j.x = load(ctx, x, inside(&j));
  j.y = begin(ctx, outside(&j));
  if (!j.x || !j.y) return TFC_RESOURCE_EXHAUSTED;
  const pool_loops* loops = loops_of(x->dtype);
  pool_run_rows(ctx, &j, average ? loops->avg : loops->max, pool_working_size(x->dtype));
  return store(ctx, outside(&j), j.y);
}

static int max_pool(tfc_context* ctx) {
  return forward(ctx, false);
}
static int avg_pool(tfc_context* ctx) {
  return forward(ctx, true);
}

/* Runs a gradient whose windows add to its result, or write it if they do not overlap. */
static int run_backward(tfc_context* ctx, pool_job* j, int32_t dtype, pool_fn fn) {
  size_t size = pool_working_size(dtype);
  j->add = !(pool_tiles(&j->d) && pool_tiles(&j->h) && pool_tiles(&j->w));
  if (j->add) pool_zero(ctx, j->y, image_size(inside(j)) * (int64_t)size);
  pool_run_channels(ctx, j, fn, size);
  return store(ctx, inside(j), j->y);
}

static int max_pool_grad(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1], *g = ctx->inputs[2];
  pool_job j;
  int64_t out[5];
  TFC_TRY(check_rank(ctx, x, "tensor_in"));
  TFC_TRY(check_rank(ctx, y, "tensor_out"));
  TFC_TRY(check_rank(ctx, g, "out_backprop"));
  TFC_TRY(fit(ctx, x->dims, &j));
  output_dims(ctx, &j, out);
  TFC_TRY(check_shape(ctx, y, "orig_output", out));
  TFC_TRY(check_shape(ctx, g, "grad", out));
  TFC_TRY(tfc_output(ctx, 0, 5, x->dims));
  j.x = load(ctx, x, inside(&j));
  j.max = load(ctx, y, outside(&j));
  j.grad = load(ctx, g, outside(&j));
  j.y = begin(ctx, inside(&j));
  if (!j.x || !j.max || !j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  return run_backward(ctx, &j, x->dtype, loops_of(x->dtype)->max_grad);
}

static int max_pool_grad_grad(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1], *g = ctx->inputs[2];
  pool_job j;
  int64_t out[5];
  TFC_TRY(check_rank(ctx, x, "tensor_in"));
  TFC_TRY(check_rank(ctx, y, "tensor_out"));
  TFC_TRY(fit(ctx, x->dims, &j));
  output_dims(ctx, &j, out);
  TFC_TRY(check_shape(ctx, y, "orig_output", out));
  TFC_TRY(check_shape(ctx, g, "grad", x->dims));
  TFC_TRY(tfc_output(ctx, 0, 5, out));
  j.x = load(ctx, x, inside(&j));
  j.grad = load(ctx, g, inside(&j));
  j.y = begin(ctx, outside(&j));
  if (!j.x || !j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  pool_run_rows(ctx, &j, loops_of(x->dtype)->max_grad_grad, pool_working_size(x->dtype));
  return store(ctx, outside(&j), j.y);
}

static int avg_pool_grad(tfc_context* ctx) {
  const tfc_tensor* g = ctx->inputs[1];
  pool_job j;
  int64_t in[5], out[5];
  TFC_TRY(pool_read_input_shape(ctx, "orig_input", 5, in));
  TFC_TRY(check_rank(ctx, g, "out_backprop"));
  TFC_TRY(fit(ctx, in, &j));
  output_dims(ctx, &j, out);
  TFC_TRY(check_shape(ctx, g, "grad", out));
  TFC_TRY(tfc_output(ctx, 0, 5, in));
  j.grad = load(ctx, g, outside(&j));
  j.y = begin(ctx, inside(&j));
  if (!j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  return run_backward(ctx, &j, g->dtype, loops_of(g->dtype)->avg_grad);
}

static void destroy(void* state) {
  free(state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MaxPool3D", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE, max_pool, .create = create,
            .destroy = destroy),
    TFC_ROW("MaxPool3DGrad", "T=float;TInput=float", max_pool_grad, .create = create,
            .destroy = destroy),
    TFC_ROW("MaxPool3DGrad", "T=half;TInput=half", max_pool_grad, .create = create,
            .destroy = destroy),
    TFC_ROW("MaxPool3DGrad", "T=bfloat16;TInput=bfloat16", max_pool_grad, .create = create,
            .destroy = destroy),
    TFC_ROW("MaxPool3DGradGrad", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE, max_pool_grad_grad,
            .create = create, .destroy = destroy),
    TFC_ROW("AvgPool3D", "T=" TFC_TYPES_FLOATS, avg_pool, .create = create, .destroy = destroy),
    TFC_ROW("AvgPool3DGrad", "T=" TFC_TYPES_FLOATS, avg_pool_grad, .create = create,
            .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
