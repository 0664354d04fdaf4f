/* Checks of matrices. */
#ifndef TFCORE_LINALG_H
#define TFCORE_LINALG_H

#include "kernels_c/common/common.h"

static inline int tfc_want_square(tfc_context* ctx, const tfc_tensor* x) {
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got shape %s",
                     tfc_shape_text(x).text);
  if (x->dims[x->rank - 1] != x->dims[x->rank - 2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input matrices must be squares, got %lld != %lld",
                     (long long)x->dims[x->rank - 2], (long long)x->dims[x->rank - 1]);
  return TFC_OK;
}

#endif /* TFCORE_LINALG_H */
