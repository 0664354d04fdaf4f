/* The shapes of BiasAdd and BiasAddGrad. */
#ifndef TFCORE_BIAS_H
#define TFCORE_BIAS_H

#include "kernels_c/cwise/shape.h"

/* Whether the attribute data_format puts channels first. */
static inline int tfc_bias_format(tfc_construction* c, bool* channels_first) {
  const char* format;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "data_format", &format, &size));
  if (size < 2) return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid data format");
  *channels_first = format[1] == 'C';
  return TFC_OK;
}

/* The first input seen as [outer, channels, inner]. */
static inline int tfc_bias_view(tfc_context* ctx, bool channels_first, int64_t view[3]) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor must be at least 2D: %s",
                     tfc_shape_text(x).text);
  const int channel = channels_first ? 1 : x->rank - 1;
  view[0] = tfc_count(channel, x->dims);
  view[1] = x->dims[channel];
  view[2] = tfc_count(x->rank - channel - 1, x->dims + channel + 1);
  return TFC_OK;
}

/* BiasAdd is an addition that broadcasts along the channels. */
static inline int tfc_bias_broadcast(tfc_context* ctx, bool channels_first, tfc_broadcast* b) {
  const tfc_tensor *x = ctx->inputs[0], *bias = ctx->inputs[1];
  int64_t view[3] = {0};
  TFC_TRY(tfc_bias_view(ctx, channels_first, view));
  if (bias->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Biases must be 1D: %s", tfc_shape_text(bias).text);
  if (bias->n != view[1])
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Must provide as many biases as the %s dimension of the input tensor: %s vs. %s",
        channels_first ? "channel" : "last", tfc_shape_text(bias).text, tfc_shape_text(x).text);
  *b = (tfc_broadcast){.n = x->n};
  tfc_broadcast_add_dim(b, view[0], view[1] * view[2], 0);
  tfc_broadcast_add_dim(b, view[1], view[2], 1);
  tfc_broadcast_add_dim(b, view[2], 1, 0);
  return TFC_OK;
}

#endif /* TFCORE_BIAS_H */
