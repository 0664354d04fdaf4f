/* Broadcasting and outputs of element-wise operations; see cwise/shape.h. */
#include "kernels_c/cwise/shape.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

void tfc_broadcast_add_dim(tfc_broadcast* b, int64_t dim, int64_t x_stride, int64_t y_stride) {
  if (dim == 1 && b->rank > 0) return;
  int last = b->rank - 1;
  if (b->rank > 0 && b->dims[last] == 1) { /* a leading 1 as placeholder */
    b->rank--;
    last--;
  }
  if (b->rank > 0 && b->x_stride[last] == x_stride * dim && b->y_stride[last] == y_stride * dim) {
    b->dims[last] *= dim;
    b->x_stride[last] = x_stride;
    b->y_stride[last] = y_stride;
    return;
  }
  b->dims[b->rank] = dim;
  b->x_stride[b->rank] = x_stride;
  b->y_stride[b->rank] = y_stride;
  b->rank++;
}

bool tfc_broadcast_shapes(const tfc_tensor* x, const tfc_tensor* y, tfc_broadcast* b) {
  int rank = TFC_MAX(x->rank, y->rank);
  int64_t xs[TFC_MAX_RANK], ys[TFC_MAX_RANK], x_step = 1, y_step = 1;
  b->out_rank = rank;
  b->n = 1;
  for (int i = rank - 1; i >= 0; i--) {
    int xi = i - (rank - x->rank), yi = i - (rank - y->rank);
    int64_t xd = xi < 0 ? 1 : x->dims[xi], yd = yi < 0 ? 1 : y->dims[yi];
    if (xd != yd && xd != 1 && yd != 1) return false;
    b->out_dims[i] = xd == 1 ? yd : xd;
    if (!tfc_multiply(b->n, b->out_dims[i], &b->n)) return false;
    xs[i] = xd == 1 ? 0 : x_step;
    ys[i] = yd == 1 ? 0 : y_step;
    x_step *= xd;
    y_step *= yd;
  }
  b->rank = 0;
  for (int i = 0; i < rank; i++) tfc_broadcast_add_dim(b, b->out_dims[i], xs[i], ys[i]);
  if (b->rank == 0) tfc_broadcast_add_dim(b, 1, 1, 1);
  return true;
}

int tfc_incompatible_shapes(tfc_context* ctx, const tfc_tensor* x, const tfc_tensor* y) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
                   tfc_shape_text(x).text, tfc_shape_text(y).text);
}

int tfc_want_same_shape(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  for (int k = 1; k < ctx->n_inputs; k++)
    if (!tfc_same_shape(x, ctx->inputs[k]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Inputs must have the same size and shape.  Input 0: %s != input %d: %s",
                       tfc_shape_text(x).text, k, tfc_shape_text(ctx->inputs[k]).text);
  return TFC_OK;
}

int tfc_approximate_check(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (tfc_same_shape(x, y)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "x and y must be of the same shape. x shape: %s. y shape: %s",
                   tfc_shape_text(x).text, tfc_shape_text(y).text);
}

int tfc_sum_output(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0}; /* only it is read before the sum is written */
  bool again = false; /* is it given once more? Then it must outlive the first addition. */
  for (int k = 1; k < ctx->n_inputs; k++) again |= ctx->inputs[k]->data == x->data;
  return tfc_output_forward(ctx, 0, x->rank, x->dims, again ? 0 : 1, first);
}
