/* Shapes of Select and SelectV2. */
#ifndef TFCORE_CWISE_SELECT_H
#define TFCORE_CWISE_SELECT_H

#include "kernels_c/common/common.h"

/* Select: *elements: there is a condition for each element; else one, or one for each row. */
static inline int tfc_select_check(tfc_context* ctx, bool* elements) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1], *e = ctx->inputs[2];
  if (!tfc_same_shape(t, e))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "'then' and 'else' must have the same size.  but received: %s vs. %s",
                     tfc_shape_text(t).text, tfc_shape_text(e).text);
  *elements = tfc_same_shape(c, t);
  if (c->rank == 0) return TFC_OK;
  if (!*elements && c->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "'cond' must be a scalar, a vector or of the same shape as 'then': %s vs. %s",
                     tfc_shape_text(c).text, tfc_shape_text(t).text);
  if (!*elements && (t->rank < 1 || t->dims[0] != c->n))
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Number of batches of 'then' must match size of 'cond', but saw: %lld vs. %lld",
        (long long)(t->rank < 1 ? 1 : t->dims[0]), (long long)c->n);
  return TFC_OK;
}

/* Broadcasts `dims` with the sizes of t, seen with `rank` dimensions; false: incompatible. */
static inline bool tfc_select_widen(const tfc_tensor* t, int rank, int64_t* dims) {
  for (int i = rank - t->rank, k = 0; i < rank; i++, k++) {
    if (dims[i] == 1)
      dims[i] = t->dims[k];
    else if (t->dims[k] != 1 && t->dims[k] != dims[i])
      return false;
  }
  return true;
}
/* SelectV2: the shape to which all three inputs broadcast. */
static inline int tfc_select_broadcast(tfc_context* ctx, int* rank, int64_t* dims) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1], *e = ctx->inputs[2];
  *rank = TFC_MAX(c->rank, TFC_MAX(t->rank, e->rank));
  for (int i = 0; i < *rank; i++) dims[i] = 1;
  if (!tfc_select_widen(c, *rank, dims) || !tfc_select_widen(t, *rank, dims) ||
      !tfc_select_widen(e, *rank, dims) || tfc_count(*rank, dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "condition %s, then %s, and else %s must be broadcastable",
                     tfc_shape_text(c).text, tfc_shape_text(t).text, tfc_shape_text(e).text);
  return TFC_OK;
}
/* Strides of a tensor seen with `rank` dimensions: 0 where it is broadcast. */
static inline void tfc_select_strides(const tfc_tensor* t, int rank, int64_t* strides) {
  int64_t step = 1;
  for (int i = 0; i < rank; i++) strides[i] = 0;
  for (int k = t->rank - 1; k >= 0; k--) {
    strides[rank - t->rank + k] = t->dims[k] == 1 ? 0 : step;
    step *= t->dims[k];
  }
}

#endif /* TFCORE_CWISE_SELECT_H */
