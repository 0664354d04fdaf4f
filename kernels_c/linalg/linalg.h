/* Checks of matrices, and which function of a template serves a type. */
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

/* The function for an element type. */
#define PICK(DTYPE, NAME)                        \
  ((DTYPE) == TFC_FLOAT       ? NAME##_float     \
   : (DTYPE) == TFC_DOUBLE    ? NAME##_double    \
   : (DTYPE) == TFC_COMPLEX64 ? NAME##_complex64 \
                              : NAME##_complex128)

#endif /* TFCORE_LINALG_H */
