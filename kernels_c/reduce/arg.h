/* The shapes of ArgMax and ArgMin. */
#ifndef TFCORE_REDUCE_ARG_H
#define TFCORE_REDUCE_ARG_H

#include "kernels_c/array/array.h"

/* Reads the dimension and makes the output. */
static inline int tfc_arg_output(tfc_context* ctx, int* at) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_scalar(ctx, 1, "dim must be a scalar, but received tensor of shape:"));
  const int64_t given = tfc_int_scalar(ctx->inputs[1]);
  if (given < -x->rank || given >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected dimension in the range [%d, %d), but got %lld", -x->rank, x->rank,
                     (long long)given);
  const int axis = *at = (int)(given < 0 ? given + x->rank : given);
  if (x->dims[axis] == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Reduction axis %d is empty in shape %s", axis,
                     tfc_shape_text(x).text);
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0, k = 0; i < x->rank; i++)
    if (i != axis) dims[k++] = x->dims[i];
  TFC_TRY(tfc_output(ctx, 0, x->rank - 1, dims));
  if (ctx->outputs[0].n && x->dims[axis] > INT32_MAX && ctx->outputs[0].dtype == TFC_INT32)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Positions along dimension %d of size %lld do not fit output_type int32; use int64", axis,
        (long long)x->dims[axis]);
  return TFC_OK;
}

#endif /* TFCORE_REDUCE_ARG_H */
