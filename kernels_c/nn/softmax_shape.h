/* The shapes of softmax and of the cross entropies. */
#ifndef TFCORE_SOFTMAX_SHAPE_H
#define TFCORE_SOFTMAX_SHAPE_H

#include "kernels_c/common/common.h"

static inline int tfc_softmax_output(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0};
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "logits must have >= 1 dimension, got %s",
                     tfc_shape_text(x).text);
  return tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first);
}

/* ---- Cross entropies: outputs loss [batch] and backprop [batch, classes] */

/* The matrix [batch, classes] to which logits and labels broadcast. */
static inline int tfc_cross_entropy_shape(tfc_context* ctx, int64_t dims[2]) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  bool fits = true;
  if (x->rank > 2 || labels->rank > 2 || (x->rank < 2 && labels->rank < 2))
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional: "
        "logits_size=%s labels_size=%s",
        tfc_shape_text(x).text, tfc_shape_text(labels).text);
  for (int d = 0; d < 2; d++) {
    int64_t a = d < 2 - x->rank ? 1 : x->dims[d - 2 + x->rank];
    int64_t b = d < 2 - labels->rank ? 1 : labels->dims[d - 2 + labels->rank];
    if (a != b && a != 1 && b != 1) fits = false;
    dims[d] = a == 1 ? b : a;
  }
  if (fits) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "logits and labels must be broadcastable: logits_size=%s labels_size=%s",
                   tfc_shape_text(x).text, tfc_shape_text(labels).text);
}

/* The steps from row to row and from column to column of a tensor that broadcasts to it. */
static inline void tfc_cross_entropy_steps(const tfc_tensor* t, int64_t* row, int64_t* col) {
  const int64_t cols = t->rank > 0 ? t->dims[t->rank - 1] : 1;
  *row = t->n > cols ? cols : 0;
  *col = cols > 1;
}

static inline int tfc_sparse_cross_entropy_check(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  if (x->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "logits must be 2-D, but got shape %s",
                     tfc_shape_text(x).text);
  if (labels->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "labels must be 1-D, but got shape %s",
                     tfc_shape_text(labels).text);
  if (x->dims[0] != labels->dims[0])
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "logits and labels must have the same first dimension, got logits shape %s and "
        "labels shape %s",
        tfc_shape_text(x).text, tfc_shape_text(labels).text);
  if (x->dims[1] == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Must have at least one class, but got logits shape %s",
                     tfc_shape_text(x).text);
  return TFC_OK;
}

static inline int tfc_cross_entropy_outputs(tfc_context* ctx, const int64_t dims[2]) {
  static const int first[] = {0};
  TFC_TRY(tfc_output(ctx, 0, 1, dims));
  return tfc_output_forward(ctx, 1, 2, dims, 1, first);
}

#endif /* TFCORE_SOFTMAX_SHAPE_H */
