/* DepthwiseConv2dNative and its gradients: vectors along the channels. */
#include <stdlib.h>

#include "kernels_c/common/areas.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_types.h"
#include "kernels_c/common/template.h"
#include "kernels_c/common/window.h"

typedef struct {
  int64_t images, channels; /* channels of the output */
  window_dim h, w;
  const void *x, *filter, *grad; /* x with its channels repeated */
  void *out, *sums;
  int64_t chunks;
  tfc_areas areas; /* of taps pairs */
} depthwise_job;

/* Offsets of two vectors of channels that are multiplied. */
typedef struct {
  int64_t a, b;
} depthwise_pair;

/* Which taps lie repeated in memory: those of so many pairs, which have one order. */
typedef struct {
  int64_t count, first; /* the offset of the first tap */
} depthwise_taps;

typedef struct {
  const void* from;
  void* to;
  int64_t multiplier;
} repeat_job;

/* Output columns [begin, end) whose input column at a tap lies in the image; `in` is the first. */
typedef struct {
  int64_t begin, end, in;
} depthwise_span;

static depthwise_span valid_columns(const window_dim* w, int64_t tap) {
  int64_t off = tap * w->dilation - w->pad;
  int64_t begin = off < 0 ? (-off + w->stride - 1) / w->stride : 0;
  int64_t end = off >= w->in ? 0 : (w->in - 1 - off) / w->stride + 1;
  return (depthwise_span){begin, TFC_MIN(end, w->out), begin * w->stride + off};
}

/* (input pixel, tap) pairs of an output pixel. */
static int64_t forward_pairs(const depthwise_job* j, int64_t r, int64_t q, depthwise_pair* pairs) {
  int64_t count = 0;
  for (int64_t i = 0; i < j->h.filter; i++) {
    int64_t y = r * j->h.stride + i * j->h.dilation - j->h.pad;
    if (y < 0 || y >= j->h.in) continue;
    for (int64_t k = 0; k < j->w.filter; k++) {
      int64_t x = q * j->w.stride + k * j->w.dilation - j->w.pad;
      if (x >= 0 && x < j->w.in)
        pairs[count++] =
            (depthwise_pair){(y * j->w.in + x) * j->channels, (i * j->w.filter + k) * j->channels};
    }
  }
  return count;
}

/* (output pixel, tap) pairs of an input pixel. */
static int64_t backward_pairs(const depthwise_job* j, int64_t r, int64_t q, depthwise_pair* pairs) {
  int64_t count = 0;
  for (int64_t i = 0; i < j->h.filter; i++) {
    int64_t y = r + j->h.pad - i * j->h.dilation;
    if (y < 0 || y % j->h.stride || y / j->h.stride >= j->h.out) continue;
    for (int64_t k = 0; k < j->w.filter; k++) {
      int64_t x = q + j->w.pad - k * j->w.dilation;
      if (x >= 0 && x % j->w.stride == 0 && x / j->w.stride < j->w.out)
        pairs[count++] =
            (depthwise_pair){(y / j->h.stride * j->w.out + x / j->w.stride) * j->channels,
                             (i * j->w.filter + k) * j->channels};
    }
  }
  return count;
}

/* More channels are vectors themselves. */
enum { FEW = 2 * VF_N };

/* Columns [begin, end) of which all taps of a row lie in the image, if it is worth to compute them
 * together: not if the channels alone fill vectors. `before`: how far the first tap of a column is
 * before it; `in`: columns of the image, `out`: of the result. Else begin is -1. */
static depthwise_span inner_columns(const depthwise_job* j, int64_t before, int64_t in, int64_t out,
                                    int64_t lanes) {
  const int64_t reach = (j->w.filter - 1) * j->w.dilation;
  depthwise_span s = {.begin = TFC_MAX(0, before), .end = TFC_MIN(out, in + before - reach)};
  bool few = j->channels % lanes && j->channels < FEW;
  if (j->w.stride == 1 && few && (s.end - s.begin) * j->channels >= lanes) return s;
  return (depthwise_span){.begin = -1};
}

#define T float
#include "kernels_c/conv/depthwise_type.h"

#define T double
#include "kernels_c/conv/depthwise_type.h"

/* ---- Checks. */

static int create(tfc_construction* c, void** state) {
  window_attrs a;
  TFC_TRY(window_attrs_read(c, &a, false, WINDOW_HAS_DILATIONS | WINDOW_HAS_EXPLICIT));
  int ch = window_channel_axis(&a);
  if (a.strides[0] != 1 || a.strides[ch] != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Current implementation does not yet support strides in the batch and "
                         "depth dimensions.");
  if (a.dilations[0] != 1 || a.dilations[ch] != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Current implementation does not yet support dilations in the batch and "
                         "depth dimensions.");
  for (int i = 0; i < 4; i++)
    if (a.strides[i] <= 0 || a.dilations[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "%s should be larger than 0.",
                           a.strides[i] <= 0 ? "Sliding window strides" : "Dilated rates");
  window_attrs* copy = malloc(sizeof *copy);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *copy = a;
  *state = copy;
  return TFC_OK;
}

typedef struct {
  depthwise_job job;
  image_dims in, wide, out, filter; /* wide: the input with repeated channels */
  int64_t multiplier;
  bool nchw, is_double;
} depthwise_run;

static int check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  if (t->rank == 4) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 4-dimensional: %s", what,
                   tfc_shape_text(t).text);
}

static int fit(tfc_context* ctx, const int64_t* input, const int64_t* filter, int32_t dtype,
               depthwise_run* run) {
  const window_attrs* a = ctx->state;
  *run = (depthwise_run){.nchw = a->nchw, .is_double = dtype == TFC_DOUBLE};
  run->in = image_dims_of(input, a->nchw);
  if (run->in.c != filter[2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input and filter must have the same depth: %lld vs %lld",
                     (long long)run->in.c, (long long)filter[2]);
  if (tfc_count(4, filter) == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "filter must not have zero elements (i.e. all dimensions must be non-zero)");
  int h = window_row_axis(a), w = window_column_axis(a);
  depthwise_job* j = &run->job;
  j->h = (window_dim){
      .in = run->in.h, .filter = filter[0], .stride = a->strides[h], .dilation = a->dilations[h]};
  j->w = (window_dim){
      .in = run->in.w, .filter = filter[1], .stride = a->strides[w], .dilation = a->dilations[w]};
  TFC_TRY(window_dim_fit(ctx, a, h, &j->h));
  TFC_TRY(window_dim_fit(ctx, a, w, &j->w));
  run->multiplier = filter[3];
  j->images = run->in.n;
  j->channels = run->in.c * filter[3];
  run->wide = (image_dims){run->in.n, run->in.h, run->in.w, j->channels};
  run->out = (image_dims){run->in.n, j->h.out, j->w.out, j->channels};
  run->filter = (image_dims){filter[0], filter[1], filter[2], filter[3]};
  return TFC_OK;
}

static int check_grad(tfc_context* ctx, const tfc_tensor* grad, const depthwise_run* run) {
  int64_t dims[4];
  image_dims_store(run->out, run->nchw, dims);
  if (grad->rank == 4 && memcmp(grad->dims, dims, sizeof dims) == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "out_backprop must have shape %s, got %s",
                   tfc_dims_text(4, dims).text, tfc_shape_text(grad).text);
}

static int read_sizes(tfc_context* ctx, int input, const char* name, int64_t dims[4]) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 1 || t->n != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a vector of 4 elements, got shape %s",
                     name, tfc_shape_text(t).text);
  tfc_read_indices(t, dims);
  if (tfc_count(4, dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has negative or too large dimensions: %s", name,
                     tfc_dims_text(4, dims).text);
  return TFC_OK;
}

static int output_images(tfc_context* ctx, image_dims d, bool nchw) {
  int64_t dims[4];
  image_dims_store(d, nchw, dims);
  return tfc_output(ctx, 0, 4, dims);
}

/* ---- Kernels. */

static size_t element(const depthwise_run* run) {
  return run->is_double ? 8 : 4;
}

/* The input with each channel repeated `multiplier` times. */
static const void* load_wide(tfc_context* ctx, const tfc_tensor* t, const depthwise_run* run) {
  const void* x = image_load(ctx, t, run->in, run->nchw, true);
  if (run->multiplier == 1 || !x) return x;
  void* wide = tfc_scratch(ctx, (size_t)image_size(run->wide) * element(run) + 1);
  if (!wide) return NULL;
  repeat_job job = {x, wide, run->multiplier};
  tfc_parallel_for(ctx, image_size(run->in), (double)run->multiplier,
                   run->is_double ? repeat_range_double : repeat_range_float, &job);
  return wide;
}

static double row_cost(const depthwise_job* j, int64_t cols) {
  return (double)(cols * (j->h.filter * j->w.filter) * (j->channels + 16)) * 0.1 + 20;
}

/* With the taps of inner columns behind the pairs. */
static int make_pairs(tfc_context* ctx, depthwise_job* j) {
  size_t taps = (size_t)(j->h.filter * j->w.filter);
  size_t repeated = j->channels < FEW ? (size_t)(j->channels + VF_N) * sizeof(double) : 0;
  return tfc_areas_make(ctx, &j->areas, taps * (sizeof(depthwise_pair) + repeated));
}

static int depthwise(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *f = ctx->inputs[1];
  depthwise_run run;
  TFC_TRY(check_rank(ctx, x, "input"));
  TFC_TRY(check_rank(ctx, f, "filter"));
  TFC_TRY(fit(ctx, x->dims, f->dims, x->dtype, &run));
  TFC_TRY(output_images(ctx, run.out, run.nchw));
  if (image_size(run.out) == 0) return TFC_OK;
  depthwise_job* j = &run.job;
  j->x = load_wide(ctx, x, &run);
  j->filter = image_load(ctx, f, run.filter, false, true);
  j->out = image_begin(ctx, &ctx->outputs[0], run.out, run.nchw, true);
  if (!j->x || !j->filter || !j->out || make_pairs(ctx, j)) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, j->images * j->h.out, row_cost(j, j->w.out),
                   run.is_double ? forward_range_double : forward_range_float, j);
  return image_store(ctx, &ctx->outputs[0], run.out, run.nchw, true, j->out);
}

static int depthwise_backprop_input(tfc_context* ctx) {
  const tfc_tensor *f = ctx->inputs[1], *grad = ctx->inputs[2];
  int64_t input[4];
  depthwise_run run;
  TFC_TRY(read_sizes(ctx, 0, "input_sizes", input));
  TFC_TRY(check_rank(ctx, f, "filter"));
  TFC_TRY(fit(ctx, input, f->dims, f->dtype, &run));
  TFC_TRY(check_grad(ctx, grad, &run));
  TFC_TRY(output_images(ctx, run.in, run.nchw));
  if (image_size(run.in) == 0) return TFC_OK;
  depthwise_job* j = &run.job;
  j->grad = image_load(ctx, grad, run.out, run.nchw, true);
  j->filter = image_load(ctx, f, run.filter, false, true);
  void* out = image_begin(ctx, &ctx->outputs[0], run.in, run.nchw, true);
  j->out =
      run.multiplier == 1 ? out : tfc_scratch(ctx, (size_t)image_size(run.wide) * element(&run));
  if (!j->grad || !j->filter || !out || !j->out || make_pairs(ctx, j))
    return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, j->images * j->h.in, row_cost(j, j->w.in),
                   run.is_double ? backward_range_double : backward_range_float, j);
  if (run.multiplier != 1) {
    repeat_job job = {j->out, out, run.multiplier};
    tfc_parallel_for(ctx, image_size(run.in), (double)run.multiplier,
                     run.is_double ? unrepeat_range_double : unrepeat_range_float, &job);
  }
  return image_store(ctx, &ctx->outputs[0], run.in, run.nchw, true, out);
}

static int depthwise_backprop_filter(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *grad = ctx->inputs[2];
  int64_t filter[4];
  depthwise_run run;
  TFC_TRY(check_rank(ctx, x, "input"));
  TFC_TRY(read_sizes(ctx, 1, "filter_sizes", filter));
  TFC_TRY(fit(ctx, x->dims, filter, x->dtype, &run));
  TFC_TRY(check_grad(ctx, grad, &run));
  TFC_TRY(tfc_output(ctx, 0, 4, filter));
  depthwise_job* j = &run.job;
  int64_t rows = j->images * j->h.out, size = image_size(run.filter);
  j->chunks = TFC_MAX(1, TFC_MIN(rows, 16)); /* not by threads, so that sums don't depend on them */
  j->x = load_wide(ctx, x, &run);
  j->grad = image_load(ctx, grad, run.out, run.nchw, true);
  j->out = image_begin(ctx, &ctx->outputs[0], run.filter, false, true);
  j->sums = tfc_scratch(ctx, (size_t)(j->chunks * size) * element(&run));
  if (!j->x || !j->grad || !j->out || !j->sums) return TFC_RESOURCE_EXHAUSTED;
  double cost = row_cost(j, j->w.out) * (double)rows / (double)j->chunks;
  tfc_parallel_for(ctx, j->chunks, cost, run.is_double ? filter_range_double : filter_range_float,
                   j);
  if (run.is_double)
    filter_combine_double(j);
  else
    filter_combine_float(j);
  return image_store(ctx, &ctx->outputs[0], run.filter, false, true, j->out);
}

static void destroy(void* state) {
  free(state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DepthwiseConv2dNative", "T=" TFC_TYPES_FLOATS, depthwise, .create = create,
            .destroy = destroy),
    TFC_ROW("DepthwiseConv2dNativeBackpropInput", "T=" TFC_TYPES_FLOATS, depthwise_backprop_input,
            .create = create, .destroy = destroy),
    TFC_ROW("DepthwiseConv2dNativeBackpropFilter", "T=" TFC_TYPES_FLOATS, depthwise_backprop_filter,
            .create = create, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
