/* What the attribute Truncate of Cast means; the shape of Bitcast. */
#ifndef TFCORE_CAST_H
#define TFCORE_CAST_H

#include "kernels_c/common/common.h"

static inline int tfc_mantissa_bits(int32_t dtype) {
  switch (dtype) {
    case TFC_HALF: return 10;
    case TFC_BFLOAT16: return 7;
    case TFC_FLOAT:
    case TFC_COMPLEX64: return 23;
    case TFC_DOUBLE:
    case TFC_COMPLEX128: return 52;
    default: return 0;
  }
}

/* The lowest bits of the mantissa that are cut off first; half and bfloat16 are read as float. */
static inline int tfc_cast_zeroed_bits(int32_t from, int32_t to) {
  const int had = tfc_mantissa_bits(tfc_is_16bit_float(from) ? TFC_FLOAT : from);
  const int left = tfc_mantissa_bits(to);
  return left && left < had ? had - left : 0;
}

/* Makes the output of Bitcast: the same bytes with another type; sizes may differ by a last
 * dimension. */
static inline int tfc_bitcast_output(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t from = (int64_t)tfc_dtype_size(x->dtype);
  int64_t to = (int64_t)tfc_dtype_size(ctx->outputs[0].dtype);
  int rank = x->rank;
  int64_t dims[TFC_MAX_RANK + 1];
  memcpy(dims, x->dims, sizeof(int64_t) * (size_t)rank);
  if (from > to) {
    dims[rank++] = from / to;
    if (rank > TFC_MAX_RANK)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Bitcast result would have more than %d dimensions", TFC_MAX_RANK);
  } else if (from < to) {
    if (rank == 0 || dims[rank - 1] != to / from)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Cannot bitcast from %s to %s: shape %s",
                       tfc_dtype_name(x->dtype), tfc_dtype_name(ctx->outputs[0].dtype),
                       tfc_shape_text(x).text);
    rank--;
  }
  return tfc_output(ctx, 0, rank, dims);
}

#endif /* TFCORE_CAST_H */
