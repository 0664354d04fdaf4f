/* Checks of the inputs of resizes. */
#include "kernels_c/image/resize.h"

TFC_ONE_LEVEL;

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

static int check_attrs(tfc_context* ctx, const resize_attrs* a) {
  if (a->half_pixel_centers && a->align_corners)
    REFUSE("If half_pixel_centers is True, align_corners must be False.");
  return TFC_OK;
}

static int check_limits(tfc_context* ctx, const char* what, const int64_t* dims) {
  if (dims[1] >= INT32_MAX || dims[2] >= INT32_MAX)
    REFUSE("%s sizes must be between 0 and max int32, got %s", what, tfc_dims_text(4, dims).text);
  return TFC_OK;
}

static int read_size(tfc_context* ctx, int64_t size[2]) {
  const tfc_tensor* t = ctx->inputs[1];
  if (t->rank != 1) REFUSE("shape_t must be 1-dimensional%s", tfc_shape_text(t).text);
  if (t->n != 2) REFUSE("shape_t must have two elements%s", tfc_shape_text(t).text);
  tfc_read_indices(t, size);
  if (size[0] <= 0 || size[1] <= 0)
    REFUSE("output dimensions must be positive, got %lld and %lld", (long long)size[0],
           (long long)size[1]);
  return TFC_OK;
}

int resize_check(tfc_context* ctx, const resize_attrs* a, resize_sizes* s) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t size[2];
  TFC_TRY(check_attrs(ctx, a));
  if (x->rank != 4) REFUSE("input must be 4-dimensional%s", tfc_shape_text(x).text);
  if (x->dims[3] == 0) REFUSE("image must have at least one channel");
  if (x->dims[1] == 0 || x->dims[2] == 0) REFUSE("input image must be of non-zero size");
  TFC_TRY(check_limits(ctx, "input", x->dims));
  TFC_TRY(read_size(ctx, size));
  *s = (resize_sizes){x->dims[0], x->dims[1], x->dims[2], x->dims[3], size[0], size[1]};
  return TFC_OK;
}

int resize_check_grad(tfc_context* ctx, const resize_attrs* a, resize_sizes* s) {
  const tfc_tensor *g = ctx->inputs[0], *x = ctx->inputs[1];
  TFC_TRY(check_attrs(ctx, a));
  if (g->rank != 4) REFUSE("input_grad must be 4-dimensional%s", tfc_shape_text(g).text);
  if (g->dims[1] == 0 || g->dims[2] == 0) REFUSE("resized dimensions must be positive");
  if (x->rank != 4) REFUSE("original_image must be 4-dimensional%s", tfc_shape_text(x).text);
  if (x->dims[1] == 0 || x->dims[2] == 0) REFUSE("original dimensions must be positive");
  TFC_TRY(check_limits(ctx, "original", x->dims));
  TFC_TRY(check_limits(ctx, "resized", g->dims));
  /* As in TensorFlow, only the sides of the original are looked at. */
  *s = (resize_sizes){g->dims[0], x->dims[1], x->dims[2], g->dims[3], g->dims[1], g->dims[2]};
  return TFC_OK;
}

int resize_check_nearest_grad(tfc_context* ctx, const resize_attrs* a, resize_sizes* s) {
  const tfc_tensor* g = ctx->inputs[0];
  int64_t size[2];
  TFC_TRY(check_attrs(ctx, a));
  if (g->rank != 4) REFUSE("input must be 4-dimensional%s", tfc_shape_text(g).text);
  if (g->dims[1] == 0 || g->dims[2] == 0) REFUSE("input image must be of non-zero size");
  TFC_TRY(check_limits(ctx, "input", g->dims));
  TFC_TRY(read_size(ctx, size));
  *s = (resize_sizes){g->dims[0], size[0], size[1], g->dims[3], g->dims[1], g->dims[2]};
  return TFC_OK;
}
