/* Attributes, checks and sizes of convolutions; see conv/shape.h. */
#include "kernels_c/conv/shape.h"

#include <stdlib.h>

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* ---- Attributes. */

int conv_attrs_check(tfc_construction* c, const window_attrs* a) {
  int ch = window_channel_axis(a);
  if (a->strides[0] != 1 || a->strides[ch] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Current implementation does not yet support strides in the batch and "
                         "depth dimensions.");
  if (a->dilations[0] != 1 || a->dilations[ch] != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Current implementation does not yet support %s in the batch and "
                         "depth dimensions.",
                         a->deep ? "dilations rates" : "dilations");
  for (int i = 0; i < window_rank(a); i++) {
    if (a->strides[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Sliding window strides should be larger than 0.");
    if (a->dilations[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Dilated rates should be larger than 0.");
  }
  for (int i = 0; i < 10; i++)
    if (a->pads[i] < 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "All elements of explicit_paddings must be nonnegative");
  return TFC_OK;
}

int conv_attrs_read(tfc_construction* c, bool deep, unsigned lacks, window_attrs* a) {
  unsigned has = WINDOW_HAS_DILATIONS | (deep ? 0 : WINDOW_HAS_EXPLICIT) | lacks;
  TFC_TRY(window_attrs_read(c, a, deep, has));
  return conv_attrs_check(c, a);
}

int conv_keep_state(tfc_construction* c, const void* s, size_t size, void** state) {
  *state = malloc(size);
  if (!*state) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(*state, s, size);
  return TFC_OK;
}

void conv_destroy(void* state) {
  free(state);
}

/* ---- Sizes. */

const window_attrs* conv_attrs(tfc_context* ctx) {
  return &((const conv_state*)ctx->state)->window;
}

static const char* op_name(const window_attrs* a, bool of_filter) {
  if (a->deep) return of_filter ? "Conv3DBackpropFilterV2" : "Conv3DBackpropInputV2";
  return of_filter ? "Conv2DBackpropFilter" : "Conv2DBackpropInput";
}

static int check_depth(tfc_context* ctx, const window_attrs* a, int64_t input, int64_t filter) {
  if (input == filter) return TFC_OK;
  if (a->deep)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input and filter must have the same depth: %lld vs %lld", (long long)input,
                     (long long)filter);
  if (input % filter)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input depth must be evenly divisible by filter depth: %lld vs %lld",
                     (long long)input, (long long)filter);
  return tfc_error(ctx, TFC_UNIMPLEMENTED,
                   "Generic conv implementation does not support grouped convolutions for now.");
}

static int fit_dim(tfc_context* ctx, const window_attrs* a, int axis, const int64_t* input,
                   int64_t filter, window_dim* d) {
  *d = (window_dim){.in = input[axis],
                    .filter = filter,
                    .stride = a->strides[axis],
                    .dilation = a->dilations[axis]};
  return window_dim_fit(ctx, a, axis, d);
}

/* Everything follows from the shapes of input and filter. */
int conv_fit(tfc_context* ctx, const window_attrs* a, const int64_t* input, const int64_t* filter,
             conv_sizes* s) {
  int deep = a->deep;
  if (tfc_count(window_rank(a), filter) == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "filter must not have zero elements (i.e. all dimensions must be non-zero)");
  *s = (conv_sizes){.n = input[0],
                    .c = input[window_channel_axis(a)],
                    .oc = filter[3 + deep],
                    .d = {.in = 1, .out = 1, .filter = 1, .stride = 1, .dilation = 1}};
  TFC_TRY(check_depth(ctx, a, s->c, filter[2 + deep]));
  if (deep) TFC_TRY(fit_dim(ctx, a, window_plane_axis(a), input, filter[0], &s->d));
  TFC_TRY(fit_dim(ctx, a, window_row_axis(a), input, filter[deep], &s->h));
  return fit_dim(ctx, a, window_column_axis(a), input, filter[1 + deep], &s->w);
}

int conv_check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  int rank = window_rank(conv_attrs(ctx));
  if (t->rank == rank) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be %d-dimensional: %s", what, rank,
                   tfc_shape_text(t).text);
}

/* A gradient's `input_sizes` or `filter_sizes`. */
int conv_read_sizes(tfc_context* ctx, int input, const char* what, int64_t dims[5]) {
  const tfc_tensor* t = ctx->inputs[input];
  const window_attrs* a = conv_attrs(ctx);
  int rank = window_rank(a);
  if (((const conv_state*)ctx->state)->by_example) {
    TFC_TRY(conv_check_rank(ctx, t, what));
    memcpy(dims, t->dims, (size_t)rank * sizeof *dims);
    return TFC_OK;
  }
  if (t->rank != 1 || t->n != rank)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "%s: %s_sizes input must be 1-dim with %d elements, not %lld-dim with shape %s",
        op_name(a, input), what, rank, (long long)t->rank, tfc_shape_text(t).text);
  tfc_read_indices(t, dims);
  if (tfc_count(rank, dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s_sizes has negative or too large dimensions: %s",
                     what, tfc_dims_text(rank, dims).text);
  return TFC_OK;
}

/* The sizes of height and width are enough for images. */
int conv_read_input_sizes(tfc_context* ctx, const tfc_tensor* filter, const tfc_tensor* grad,
                          int64_t dims[5]) {
  const window_attrs* a = conv_attrs(ctx);
  const tfc_tensor* t = ctx->inputs[0];
  if (a->deep || t->n != 2) return conv_read_sizes(ctx, 0, "input", dims);
  dims[0] = grad->dims[0];
  dims[window_row_axis(a)] = tfc_index_at(t, 0);
  dims[window_column_axis(a)] = tfc_index_at(t, 1);
  dims[window_channel_axis(a)] = filter->dims[2];
  if (tfc_count(4, dims) >= 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input_sizes has negative or too large dimensions");
}

static int check_grad_dim(tfc_context* ctx, bool of_filter, const tfc_tensor* grad, int axis,
                          const window_dim* d) {
  int64_t actual = grad->dims[axis];
  if (actual == d->out) return TFC_OK;
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT,
      "%s: Size of out_backprop doesn't match computed: actual = %lld, computed = %lld "
      "spatial_dim: %d input: %lld filter: %lld output: %lld stride: %lld dilation: "
      "%lld",
      op_name(conv_attrs(ctx), of_filter), (long long)actual, (long long)d->out, axis,
      (long long)d->in, (long long)d->filter, (long long)actual, (long long)d->stride,
      (long long)d->dilation);
}

/* Sizes of a gradient operation; `grad` is out_backprop. */
int conv_fit_grad(tfc_context* ctx, bool of_filter, const int64_t* input, const int64_t* filter,
                  const tfc_tensor* grad, conv_sizes* s) {
  const window_attrs* a = conv_attrs(ctx);
  TFC_TRY(conv_check_rank(ctx, grad, "out_backprop"));
  TFC_TRY(conv_fit(ctx, a, input, filter, s));
  if (grad->dims[0] != s->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: input and out_backprop must have the same batch size. Input batch: %lld, "
                     "outbackprop batch: %lld, batch_dim: 0",
                     op_name(a, of_filter), (long long)s->n, (long long)grad->dims[0]);
  if (grad->dims[window_channel_axis(a)] != s->oc)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: filter and out_backprop must have the same out_depth",
                     op_name(a, of_filter));
  if (a->deep) TFC_TRY(check_grad_dim(ctx, of_filter, grad, window_plane_axis(a), &s->d));
  TFC_TRY(check_grad_dim(ctx, of_filter, grad, window_row_axis(a), &s->h));
  return check_grad_dim(ctx, of_filter, grad, window_column_axis(a), &s->w);
}

int conv_output(tfc_context* ctx, const conv_sizes* s) {
  const window_attrs* a = conv_attrs(ctx);
  int64_t dims[5];
  dims[0] = s->n;
  dims[window_plane_axis(a)] = s->d.out;
  dims[window_row_axis(a)] = s->h.out;
  dims[window_column_axis(a)] = s->w.out;
  dims[window_channel_axis(a)] = s->oc;
  return tfc_output(ctx, 0, window_rank(a), dims);
}
