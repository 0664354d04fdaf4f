/* Attributes and sizes of windowed operations. */
#include "kernels_c/common/window_attrs.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int read_ints(tfc_construction* c, const char* name, int max, int64_t* values, int expect) {
  int n = 0;
  TFC_TRY(c->api->attr_ints(c, name, max, values, &n));
  if (n != expect && !(n == 0 && expect == 8))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Sliding window %s field must specify %d dimensions", name, expect);
  for (int i = 0; i < n; i++)
    if (values[i] > INT32_MAX) /* so that products of two fit into int64 */
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Sliding window %s is too large: %lld", name,
                           (long long)values[i]);
  return TFC_OK;
}

static bool text_is(const char* data, size_t size, const char* text) {
  return size == strlen(text) && memcmp(data, text, size) == 0;
}

int window_attrs_read(tfc_construction* c, window_attrs* a, bool deep, unsigned has) {
  *a = (window_attrs){.dilations = {1, 1, 1, 1, 1},
                      .strides = {1, 1, 1, 1, 1},
                      .ksize = {1, 1, 1, 1, 1},
                      .deep = deep};
  int rank = window_rank(a);
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "padding", &text, &size));
  a->padding = text_is(text, size, "SAME")       ? WINDOW_SAME
               : text_is(text, size, "EXPLICIT") ? WINDOW_EXPLICIT
                                                 : WINDOW_VALID;
  if (!(has & WINDOW_NO_FORMAT)) {
    TFC_TRY(c->api->attr_string(c, "data_format", &text, &size));
    a->nchw = text_is(text, size, deep ? "NCDHW" : "NCHW");
    if (!a->nchw && !text_is(text, size, deep ? "NDHWC" : "NHWC"))
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid data format");
  }
  TFC_TRY(read_ints(c, "strides", rank, a->strides, rank));
  if (has & WINDOW_HAS_DILATIONS) TFC_TRY(read_ints(c, "dilations", rank, a->dilations, rank));
  if (has & WINDOW_HAS_KSIZE) TFC_TRY(read_ints(c, "ksize", rank, a->ksize, rank));
  if (has & WINDOW_HAS_EXPLICIT && a->padding == WINDOW_EXPLICIT)
    TFC_TRY(read_ints(c, "explicit_paddings", 8, a->pads, 8));
  return TFC_OK;
}

int window_dim_fit(tfc_context* ctx, const window_attrs* a, int axis, window_dim* d) {
  if (d->filter > INT32_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "filter is too large: %lld", (long long)d->filter);
  int64_t span = (d->filter - 1) * d->dilation + 1, total = 0;
  if (a->padding == WINDOW_SAME) {
    d->out = (d->in + d->stride - 1) / d->stride;
    total = TFC_MAX((d->out - 1) * d->stride + span - d->in, 0);
    d->pad = total / 2;
    return TFC_OK;
  }
  d->pad = a->pads[2 * axis];
  total = d->pad + a->pads[2 * axis + 1];
  int64_t room = d->in + total - span;
  d->out = room < 0 ? (room + d->stride) / d->stride - ((room + d->stride) % d->stride < 0)
                    : room / d->stride + 1;
  if (d->out < 0 || (room < 0 && d->out > 0))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Computed output size would be negative: %lld [input_size: %lld, "
                     "effective_filter_size: %lld, stride: %lld]",
                     (long long)d->out, (long long)d->in, (long long)span, (long long)d->stride);
  return TFC_OK;
}
