/* See segment_shapes.h. */
#include "kernels_c/reduce/segment_shapes.h"

#include <float.h>
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/convert.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

int tfc_segment_output(tfc_context* ctx, int64_t segments, int lead) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t dims[TFC_MAX_RANK + 1] = {segments};
  const int rank = x->rank - lead + 1;
  for (int i = lead; i < x->rank; i++) dims[i - lead + 1] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Segments with a result of %d dimensions", rank);
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  return tfc_output(ctx, 0, rank, dims);
}

/* The lowest or highest finite value of a type. */
static void extreme_value(uint64_t* bits, int32_t dtype, int64_t size, bool low) {
  const uint64_t top = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
  switch (dtype) {
    case TFC_FLOAT: tfc_from_double(bits, dtype, low ? -(double)FLT_MAX : (double)FLT_MAX); break;
    case TFC_DOUBLE: tfc_from_double(bits, dtype, low ? -DBL_MAX : DBL_MAX); break;
    case TFC_HALF: bits[0] = low ? 0xFBFF : 0x7BFF; break;
    case TFC_BFLOAT16: bits[0] = low ? 0xFF7F : 0x7F7F; break;
    case TFC_INT8:
    case TFC_INT16:
    case TFC_INT32:
    case TFC_INT64: bits[0] = low ? (top >> 1) + 1 : top >> 1; break;
    default: bits[0] = low ? 0 : top; break;
  }
}

void tfc_segment_empty(int32_t dtype, double empty, uint64_t bits[2]) {
  bits[0] = bits[1] = 0;
  if (isinf(empty))
    extreme_value(bits, dtype, (int64_t)tfc_dtype_size(dtype), empty < 0);
  else
    tfc_from_double(bits, dtype, empty);
}

int tfc_unsorted_check(tfc_context* ctx, int64_t* segments) {
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  TFC_TRY(tfc_want_scalar(ctx, 2, "num_segments should be a scalar, not shape"));
  *segments = tfc_int_scalar(ctx->inputs[2]);
  bool ok = ids->rank <= x->rank;
  for (int i = 0; ok && i < ids->rank; i++) ok = ids->dims[i] == x->dims[i];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "data.shape = %s does not start with segment_ids.shape = %s",
                     tfc_shape_text(x).text, tfc_shape_text(ids).text);
  if (*segments < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input num_segments == %lld must not be negative.",
                     (long long)*segments);
  return TFC_OK;
}

void tfc_segment_text(const tfc_index_shapes* ids, const char* name, int64_t i, int64_t id,
                      int64_t segments, char* text, size_t size) {
  snprintf(text, size, "%s%s = %lld is out of range [0, %lld)", name, tfc_place_text(ids, i).text,
           (long long)id, (long long)segments);
}
