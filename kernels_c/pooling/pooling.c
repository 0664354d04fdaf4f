/* MaxPool, AvgPool, MaxPoolWithArgmax and their gradients, including the second one of MaxPool. */
#include "kernels_c/pooling/pooling.h"

#include <float.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/common/template.h"
#include "kernels_c/pooling/shape.h"

/* ---- Loops for each type. 16-bit floats are computed as float. */

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

#define T int8_t
#define SUM_T uint8_t
#define LOWEST INT8_MIN
#include "kernels_c/pooling/pooling_type.h"

#define T uint8_t
#define SUM_T uint8_t
#define LOWEST 0
#include "kernels_c/pooling/pooling_type.h"

#define T int16_t
#define SUM_T uint16_t
#define LOWEST INT16_MIN
#include "kernels_c/pooling/pooling_type.h"

#define T uint16_t
#define SUM_T uint16_t
#define LOWEST 0
#include "kernels_c/pooling/pooling_type.h"

#define T int32_t
#define SUM_T uint32_t
#define LOWEST INT32_MIN
#include "kernels_c/pooling/pooling_type.h"

#define T uint32_t
#define SUM_T uint32_t
#define LOWEST 0
#include "kernels_c/pooling/pooling_type.h"

#define T int64_t
#define SUM_T uint64_t
#define LOWEST INT64_MIN
#include "kernels_c/pooling/pooling_type.h"

#define T uint64_t
#define SUM_T uint64_t
#define LOWEST 0
#include "kernels_c/pooling/pooling_type.h"

static const pool_loops* loops_of(int32_t dtype) {
  switch (dtype) {
    case TFC_DOUBLE: return &pool_loops_double;
    case TFC_INT8: return &pool_loops_int8;
    case TFC_UINT8: return &pool_loops_uint8;
    case TFC_INT16: return &pool_loops_int16;
    case TFC_UINT16: return &pool_loops_uint16;
    case TFC_INT32: return &pool_loops_int32;
    case TFC_UINT32: return &pool_loops_uint32;
    case TFC_INT64: return &pool_loops_int64;
    case TFC_UINT64: return &pool_loops_uint64;
    default: return &pool_loops_float;
  }
}

/* ---- Sizes. */

static void set_sizes(pool_job* j, const pool_sizes* s) {
  j->in = s->in;
  j->out = s->out;
  j->d = (window_dim){.in = 1, .out = 1, .filter = 1, .stride = 1, .dilation = 1};
  j->h = s->h;
  j->w = s->w;
}
static int fit(tfc_context* ctx, const window_attrs* a, const int64_t* dims, pool_job* j) {
  pool_sizes s;
  TFC_TRY(pool_fit(ctx, a, dims, &s));
  set_sizes(j, &s);
  return TFC_OK;
}

/* ---- Max. */

/* Maxima of groups of channels: the depth is the width of a pool over one-channel images. */
static int max_depth(tfc_context* ctx, const window_attrs* a) {
  const tfc_tensor* x = ctx->inputs[0];
  pool_sizes sizes;
  pool_job j = {0};
  TFC_TRY(pool_fit_depth(ctx, a, &sizes));
  set_sizes(&j, &sizes);
  j.x = image_load(ctx, x, j.in, false, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.out, false, true);
  if (!j.x || !j.y) return TFC_RESOURCE_EXHAUSTED;
  pool_run_rows(ctx, &j, loops_of(x->dtype)->max, pool_working_size(x->dtype));
  return image_store(ctx, &ctx->outputs[0], j.out, false, true, j.y);
}

static int pool_forward(tfc_context* ctx, bool average) {
  const tfc_tensor* x = ctx->inputs[0];
  window_attrs a;
  pool_job j = {0};
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_read_window(ctx, 1, &a));
  if (average)
    TFC_TRY(pool_no_depth(ctx, &a, "Pooling"));
  else if (a.ksize[window_channel_axis(&a)] > 1)
    return max_depth(ctx, &a);
  TFC_TRY(fit(ctx, &a, x->dims, &j));
  TFC_TRY(pool_output_images(ctx, 0, j.out, a.nchw));
  j.x = image_load(ctx, x, j.in, a.nchw, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.out, a.nchw, true);
  if (!j.x || !j.y) return TFC_RESOURCE_EXHAUSTED;
  const pool_loops* loops = loops_of(x->dtype);
  pool_run_rows(ctx, &j, average ? loops->avg : loops->max, pool_working_size(x->dtype));
  return image_store(ctx, &ctx->outputs[0], j.out, a.nchw, true, j.y);
}

static int max_pool(tfc_context* ctx) {
  return pool_forward(ctx, false);
}

static int max_pool_backward(tfc_context* ctx, bool relu) {
  const tfc_tensor *x = ctx->inputs[0], *g = ctx->inputs[2];
  window_attrs a;
  pool_job j = {.relu = relu};
  pool_sizes sizes;
  TFC_TRY(pool_fit_max_grad(ctx, &a, &sizes));
  set_sizes(&j, &sizes);
  size_t size = pool_working_size(x->dtype);
  /* Without overlap a window's vectors are written once, after all of it was read, so the result
   * may overwrite the input. Single channels are written only at the maximum. */
  bool vectors = j.in.c % (TFC_VECTOR_BYTES / (int64_t)size) == 0 && j.h.filter * j.w.filter < 127;
  j.add = !(pool_tiles(&j.h) && pool_tiles(&j.w) && vectors);
  if (j.add)
    TFC_TRY(tfc_output(ctx, 0, 4, x->dims));
  else
    TFC_TRY(tfc_output_forward(ctx, 0, 4, x->dims, 1, (int[]){0}));
  j.x = image_load(ctx, x, j.in, a.nchw, true);
  j.grad = image_load(ctx, g, j.out, a.nchw, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.in, a.nchw, true);
  if (!j.x || !j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  if (j.add) pool_zero(ctx, j.y, image_size(j.in) * (int64_t)size);
  pool_run_channels(ctx, &j, loops_of(x->dtype)->max_grad, size);
  return image_store(ctx, &ctx->outputs[0], j.in, a.nchw, true, j.y);
}

static int max_pool_grad(tfc_context* ctx) {
  return max_pool_backward(ctx, false);
}

static int max_pool_grad_relu(tfc_context* ctx) {
  return max_pool_backward(ctx, true);
}

static int max_pool_grad_grad(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1], *g = ctx->inputs[2];
  window_attrs a;
  pool_job j = {0};
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_check_rank(ctx, y, "tensor_out"));
  TFC_TRY(pool_read_window(ctx, 3, &a));
  TFC_TRY(pool_no_depth(ctx, &a, "MaxPoolingGradGrad"));
  TFC_TRY(fit(ctx, &a, x->dims, &j));
  TFC_TRY(pool_check_shape(ctx, y, "orig_output", j.out, a.nchw));
  TFC_TRY(pool_check_shape(ctx, g, "grad", j.in, a.nchw));
  TFC_TRY(pool_output_images(ctx, 0, j.out, a.nchw));
  j.x = image_load(ctx, x, j.in, a.nchw, true);
  j.grad = image_load(ctx, g, j.in, a.nchw, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.out, a.nchw, true);
  if (!j.x || !j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  pool_run_rows(ctx, &j, loops_of(x->dtype)->max_grad_grad, pool_working_size(x->dtype));
  return image_store(ctx, &ctx->outputs[0], j.out, a.nchw, true, j.y);
}

/* ---- Max with indices. */

static int max_pool_with_argmax(tfc_context* ctx) {
  const pool_state* state = ctx->state;
  const window_attrs* a = &state->window;
  const tfc_tensor* x = ctx->inputs[0];
  pool_job j = {.batch_in_index = state->batch_in_index};
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_no_depth(ctx, a, "MaxPoolWithArgmax"));
  TFC_TRY(fit(ctx, a, x->dims, &j));
  TFC_TRY(pool_output_images(ctx, 0, j.out, false));
  TFC_TRY(pool_output_images(ctx, 1, j.out, false));
  tfc_tensor* arg = &ctx->outputs[1];
  if (arg->dtype == TFC_INT32 && (j.batch_in_index ? x->n : j.in.h * j.in.w * j.in.c) > INT32_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Indices into images of shape %s do not fit Targmax int32; use int64",
                     tfc_shape_text(x).text);
  j.arg = arg->dtype == TFC_INT64 ? arg->data : tfc_scratch(ctx, (size_t)(8 * arg->n + 8));
  j.x = image_load(ctx, x, j.in, false, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.out, false, true);
  if (!j.x || !j.y || (!j.arg && arg->n)) return TFC_RESOURCE_EXHAUSTED;
  pool_run_rows(ctx, &j, loops_of(x->dtype)->max_arg, pool_working_size(x->dtype));
  if (arg->dtype == TFC_INT32)
    for (int64_t i = 0; i < arg->n; i++) ((int32_t*)arg->data)[i] = (int32_t)((int64_t*)j.arg)[i];
  return image_store(ctx, &ctx->outputs[0], j.out, false, true, j.y);
}

/* Loads indices as int64 and checks that they are in range. */
static int load_argmax(tfc_context* ctx, const tfc_tensor* t, int64_t limit, void** arg) {
  int64_t* to = tfc_scratch(ctx, (size_t)(8 * t->n + 8));
  if (!to) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < t->n; i++) {
    to[i] = tfc_index_at(t, i);
    if (to[i] < 0 || to[i] >= limit)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid output_index: %lld, output size: %lld",
                       (long long)to[i], (long long)limit);
  }
  *arg = to;
  return TFC_OK;
}

static int max_pool_grad_with_argmax(tfc_context* ctx) {
  const pool_state* state = ctx->state;
  const window_attrs* a = &state->window;
  const tfc_tensor *x = ctx->inputs[0], *g = ctx->inputs[1], *arg = ctx->inputs[2];
  pool_job j = {.batch_in_index = state->batch_in_index};
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_no_depth(ctx, a, "MaxPoolGradWithArgmax"));
  TFC_TRY(fit(ctx, a, x->dims, &j));
  TFC_TRY(pool_check_shape(ctx, g, "grad", j.out, false));
  TFC_TRY(pool_check_shape(ctx, arg, "argmax", j.out, false));
  TFC_TRY(pool_output_images(ctx, 0, j.in, false));
  int64_t image = j.in.h * j.in.w * j.in.c;
  TFC_TRY(load_argmax(ctx, arg, j.batch_in_index ? image * j.in.n : image, &j.arg));
  j.grad = image_load(ctx, g, j.out, false, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.in, false, true);
  if (!j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  size_t size = pool_working_size(x->dtype);
  pool_zero(ctx, j.y, image_size(j.in) * (int64_t)size);
  /* In order, because an index may point anywhere. */
  for (int64_t i = 0; i < j.in.n; i++)
    loops_of(x->dtype)->max_arg_grad(&j, i, 0, j.out.h, 0, j.in.c);
  return image_store(ctx, &ctx->outputs[0], j.in, false, true, j.y);
}

/* The second gradient of MaxPoolWithArgmax: grad at the indices. */
static int max_pool_grad_grad_with_argmax(tfc_context* ctx) {
  const pool_state* state = ctx->state;
  const window_attrs* a = &state->window;
  const tfc_tensor *x = ctx->inputs[0], *g = ctx->inputs[1], *arg = ctx->inputs[2];
  pool_job j = {0};
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_no_depth(ctx, a, "MaxPoolGradGradWithArgmax"));
  TFC_TRY(fit(ctx, a, x->dims, &j));
  TFC_TRY(pool_check_shape(ctx, g, "grad", j.in, false));
  TFC_TRY(pool_check_shape(ctx, arg, "argmax", j.out, false));
  TFC_TRY(pool_output_images(ctx, 0, j.out, false));
  int64_t image = j.in.h * j.in.w * j.in.c, n = j.out.h * j.out.w * j.out.c;
  TFC_TRY(load_argmax(ctx, arg, state->batch_in_index ? image * j.in.n : image, &j.arg));
  size_t size = tfc_dtype_size(x->dtype);
  for (int64_t i = 0; i < arg->n; i++) {
    int64_t at = ((int64_t*)j.arg)[i] + (state->batch_in_index ? 0 : i / n * image);
    memcpy((char*)ctx->outputs[0].data + (size_t)i * size, (const char*)g->data + (size_t)at * size,
           size);
  }
  return TFC_OK;
}

/* ---- Average. */

static int avg_pool(tfc_context* ctx) {
  return pool_forward(ctx, true);
}

static int avg_pool_grad(tfc_context* ctx) {
  const tfc_tensor* g = ctx->inputs[1];
  const window_attrs* a = &((const pool_state*)ctx->state)->window;
  pool_sizes sizes;
  pool_job j = {0};
  TFC_TRY(pool_fit_avg_grad(ctx, &sizes));
  set_sizes(&j, &sizes);
  TFC_TRY(pool_output_images(ctx, 0, j.in, a->nchw));
  j.grad = image_load(ctx, g, j.out, a->nchw, true);
  j.y = image_begin(ctx, &ctx->outputs[0], j.in, a->nchw, true);
  if (!j.grad || !j.y) return TFC_RESOURCE_EXHAUSTED;
  size_t size = pool_working_size(g->dtype);
  j.add = !(pool_tiles(&j.h) && pool_tiles(&j.w));
  if (j.add) pool_zero(ctx, j.y, image_size(j.in) * (int64_t)size);
  pool_run_channels(ctx, &j, loops_of(g->dtype)->avg_grad, size);
  return image_store(ctx, &ctx->outputs[0], j.in, a->nchw, true, j.y);
}

static void destroy(void* state) {
  free(state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MaxPool", "T=" TFC_TYPES_REALS, max_pool, .create = pool_create_max,
            .destroy = destroy),
    TFC_ROW("MaxPoolV2", "T=" TFC_TYPES_REALS, max_pool, .create = pool_create_v2,
            .destroy = destroy),
    TFC_ROW("MaxPoolGrad", "T=" TFC_TYPES_REALS, max_pool_grad, .create = pool_create_max,
            .destroy = destroy),
    TFC_ROW("_MaxPoolGradRelu", "T=" TFC_TYPES_FLOATS, max_pool_grad_relu,
            .create = pool_create_max, .destroy = destroy),
    TFC_ROW("MaxPoolGradV2", "T=" TFC_TYPES_REALS, max_pool_grad, .create = pool_create_v2,
            .destroy = destroy),
    TFC_ROW("MaxPoolGradGrad", "T=" TFC_TYPES_REALS, max_pool_grad_grad,
            .create = pool_create_plain, .destroy = destroy),
    TFC_ROW("MaxPoolGradGradV2", "T=" TFC_TYPES_REALS, max_pool_grad_grad, .create = pool_create_v2,
            .destroy = destroy),
    TFC_ROW("MaxPoolWithArgmax", "T=" TFC_TYPES_REALS, max_pool_with_argmax,
            .create = pool_create_arg, .destroy = destroy),
    TFC_ROW("MaxPoolGradWithArgmax", "T=" TFC_TYPES_REALS, max_pool_grad_with_argmax,
            .create = pool_create_arg, .destroy = destroy),
    TFC_ROW("MaxPoolGradGradWithArgmax", "T=" TFC_TYPES_REALS, max_pool_grad_grad_with_argmax,
            .create = pool_create_arg, .destroy = destroy),
    TFC_ROW("AvgPool", "T=" TFC_TYPES_FLOATS, avg_pool, .create = pool_create_plain,
            .destroy = destroy),
    TFC_ROW("AvgPoolGrad", "T=" TFC_TYPES_FLOATS, avg_pool_grad, .create = pool_create_plain,
            .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
