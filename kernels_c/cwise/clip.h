/* The shapes of ClipByValue. */
#ifndef TFCORE_CLIP_H
#define TFCORE_CLIP_H

#include "kernels_c/common/common.h"

static inline int tfc_clip_check(tfc_context* ctx) {
  const tfc_tensor *t = ctx->inputs[0], *low = ctx->inputs[1], *high = ctx->inputs[2];
  if ((low->rank != 0 && !tfc_same_shape(t, low)) || (high->rank != 0 && !tfc_same_shape(t, high)))
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "clip_value_min and clip_value_max must be either of the same shape as input, or a "
        "scalar. input shape: %s clip_value_min shape: %s clip_value_max shape: %s",
        tfc_shape_text(t).text, tfc_shape_text(low).text, tfc_shape_text(high).text);
  return TFC_OK;
}

#endif /* TFCORE_CLIP_H */
