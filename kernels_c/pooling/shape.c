/* Attributes, checks and sizes of pools; see pooling/shape.h. */
#include "kernels_c/pooling/shape.h"

#include <stdlib.h>

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int keep(tfc_construction* c, const pool_state* s, void** state) {
  pool_state* copy = malloc(sizeof *copy);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *copy = *s;
  *state = copy;
  return TFC_OK;
}

static int check_window(void* at, int (*error)(void*, int, const char*), const window_attrs* a) {
  for (int i = 0; i < 4; i++) {
    if (a->ksize[i] <= 0)
      return error(at, TFC_INVALID_ARGUMENT, "Sliding window ksize must be positive.");
    if (a->strides[i] <= 0)
      return error(at, TFC_INVALID_ARGUMENT, "Sliding window strides must be positive.");
  }
  if (a->ksize[0] != 1 || a->strides[0] != 1)
    return error(at, TFC_UNIMPLEMENTED, "Pooling is not yet supported on the batch dimension.");
  return TFC_OK;
}

static int error_at_create(void* at, int code, const char* text) {
  tfc_construction* c = at;
  return c->api->error(c, code, "%s", text);
}
static int error_at_run(void* at, int code, const char* text) {
  tfc_context* ctx = at;
  return tfc_error(ctx, code, "%s", text);
}

static int create(tfc_construction* c, void** state, bool explicit_pads) {
  pool_state s = {0};
  TFC_TRY(window_attrs_read(c, &s.window, false,
                            WINDOW_HAS_KSIZE | (explicit_pads ? WINDOW_HAS_EXPLICIT : 0)));
  TFC_TRY(check_window(c, error_at_create, &s.window));
  return keep(c, &s, state);
}

int pool_create_max(tfc_construction* c, void** state) {
  return create(c, state, true);
}
int pool_create_plain(tfc_construction* c, void** state) {
  return create(c, state, false);
}

/* MaxPoolV2 and its gradients: ksize and strides are inputs. */
int pool_create_v2(tfc_construction* c, void** state) {
  pool_state s = {.window = {.dilations = {1, 1, 1, 1}}};
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "padding", &text, &size));
  s.window.padding = size == 4 && memcmp(text, "SAME", 4) == 0 ? WINDOW_SAME : WINDOW_VALID;
  TFC_TRY(c->api->attr_string(c, "data_format", &text, &size));
  s.window.nchw = size == 4 && memcmp(text, "NCHW", 4) == 0;
  return keep(c, &s, state);
}

/* The argmax operations have no data_format. */
int pool_create_arg(tfc_construction* c, void** state) {
  pool_state s = {.window = {.dilations = {1, 1, 1, 1}}};
  window_attrs* a = &s.window;
  const char* text;
  size_t size;
  int n = 0;
  TFC_TRY(c->api->attr_string(c, "padding", &text, &size));
  a->padding = size == 4 && memcmp(text, "SAME", 4) == 0 ? WINDOW_SAME : WINDOW_VALID;
  TFC_TRY(c->api->attr_bool(c, "include_batch_in_index", &s.batch_in_index));
  TFC_TRY(c->api->attr_ints(c, "ksize", 4, a->ksize, &n));
  if (n == 4) TFC_TRY(c->api->attr_ints(c, "strides", 4, a->strides, &n));
  if (n != 4)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Sliding window field must specify 4 dimensions");
  TFC_TRY(check_window(c, error_at_create, a));
  return keep(c, &s, state);
}

/* The window of this run: that of the state, or of inputs `first` (ksize) and `first` + 1. */
int pool_read_window(tfc_context* ctx, int first, window_attrs* a) {
  *a = ((const pool_state*)ctx->state)->window;
  if (first >= ctx->n_inputs) return TFC_OK;
  for (int i = 0; i < 2; i++) {
    const tfc_tensor* t = ctx->inputs[first + i];
    if (t->rank != 1 || t->n != 4)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a vector of 4 elements, got shape %s",
                       i ? "strides" : "ksize", tfc_shape_text(t).text);
    tfc_read_indices(t, i ? a->strides : a->ksize);
  }
  return check_window(ctx, error_at_run, a);
}

int pool_fit(tfc_context* ctx, const window_attrs* a, const int64_t* dims, pool_sizes* s) {
  int h = window_row_axis(a), w = window_column_axis(a);
  s->in = image_dims_of(dims, a->nchw);
  s->h = (window_dim){.in = s->in.h, .filter = a->ksize[h], .stride = a->strides[h], .dilation = 1};
  s->w = (window_dim){.in = s->in.w, .filter = a->ksize[w], .stride = a->strides[w], .dilation = 1};
  TFC_TRY(window_dim_fit(ctx, a, h, &s->h));
  TFC_TRY(window_dim_fit(ctx, a, w, &s->w));
  s->out = (image_dims){s->in.n, s->h.out, s->w.out, s->in.c};
  return TFC_OK;
}

int pool_check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  if (t->rank == 4) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 4-dimensional", what);
}

int pool_no_depth(tfc_context* ctx, const window_attrs* a, const char* what) {
  int c = window_channel_axis(a);
  if (a->ksize[c] == 1 && a->strides[c] == 1) return TFC_OK;
  return tfc_error(ctx, TFC_UNIMPLEMENTED, "%s is not yet supported on the depth dimension.", what);
}

int pool_check_shape(tfc_context* ctx, const tfc_tensor* t, const char* what, image_dims expect,
                     bool nchw) {
  int64_t dims[4];
  image_dims_store(expect, nchw, dims);
  if (t->rank == 4 && memcmp(t->dims, dims, sizeof dims) == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected %s shape to be %s, but got %s", what,
                   tfc_dims_text(4, dims).text, tfc_shape_text(t).text);
}

int pool_output_images(tfc_context* ctx, int i, image_dims d, bool nchw) {
  int64_t dims[4];
  image_dims_store(d, nchw, dims);
  return tfc_output(ctx, i, 4, dims);
}

int pool_fit_depth(tfc_context* ctx, const window_attrs* a, pool_sizes* s) {
  const int64_t depth = a->ksize[3];
  const tfc_tensor* x = ctx->inputs[0];
  if (a->nchw || a->ksize[1] != 1 || a->ksize[2] != 1)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "MaxPooling supports exactly one of pooling across depth or pooling across "
                     "width/height.");
  if (depth != a->strides[3])
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Depthwise max pooling requires the depth window to equal the depth stride.");
  if (x->dims[3] % depth)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Depthwise max pooling requires the depth window to evenly divide the input "
                     "depth.");
  const int64_t dims[4] = {x->dims[0], x->dims[1] * x->dims[2], x->dims[3], 1};
  const window_attrs row = {
      .ksize = {1, 1, depth, 1}, .strides = {1, 1, depth, 1}, .dilations = {1, 1, 1, 1}};
  TFC_TRY(pool_fit(ctx, &row, dims, s));
  return tfc_output(ctx, 0, 4,
                    (int64_t[4]){x->dims[0], x->dims[1], x->dims[2], x->dims[3] / depth});
}

int pool_fit_max_grad(tfc_context* ctx, window_attrs* a, pool_sizes* s) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1], *g = ctx->inputs[2];
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_check_rank(ctx, y, "tensor_out"));
  TFC_TRY(pool_check_rank(ctx, g, "out_backprop"));
  TFC_TRY(pool_read_window(ctx, 3, a));
  TFC_TRY(pool_no_depth(ctx, a, "MaxPoolingGrad"));
  TFC_TRY(pool_fit(ctx, a, x->dims, s));
  TFC_TRY(pool_check_shape(ctx, y, "orig_output", s->out, a->nchw));
  return pool_check_shape(ctx, g, "grad", s->out, a->nchw);
}

int pool_read_input_shape(tfc_context* ctx, const char* what, int rank, int64_t* dims) {
  const tfc_tensor* shape = ctx->inputs[0];
  if (shape->rank != 1 || shape->n != rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s must be 1-dimensional and %d elements, got shape %s", what, rank,
                     tfc_shape_text(shape).text);
  tfc_read_indices(shape, dims);
  if (tfc_count(rank, dims) >= 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "orig_input_shape has negative or too large dimensions: %s",
                   tfc_dims_text(rank, dims).text);
}

int pool_fit_avg_grad(tfc_context* ctx, pool_sizes* s) {
  const tfc_tensor* g = ctx->inputs[1];
  const window_attrs* a = &((const pool_state*)ctx->state)->window;
  int64_t dims[4];
  TFC_TRY(pool_read_input_shape(ctx, "out_backprop", 4, dims));
  TFC_TRY(pool_check_rank(ctx, g, "out_backprop"));
  TFC_TRY(pool_no_depth(ctx, a, "AvgPoolingGrad"));
  TFC_TRY(pool_fit(ctx, a, dims, s));
  return pool_check_shape(ctx, g, "grad", s->out, a->nchw);
}
