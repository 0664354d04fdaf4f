/* Attributes, sizes and layouts of windowed operations. */
#include "window.h"

#include <stdlib.h>

#include "array_copy.h"

TFC_ONE_LEVEL;

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
  TFC_TRY(c->api->attr_string(c, "data_format", &text, &size));
  a->nchw = text_is(text, size, deep ? "NCDHW" : "NCHW");
  if (!a->nchw && !text_is(text, size, deep ? "NDHWC" : "NHWC"))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid data format");
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

/* ---- Layouts. */

typedef struct {
  const char* from;
  char* to;
  int64_t rows, cols; /* of one image */
  size_t size;
} transpose_job;

static void transpose_range(void* arg, int64_t begin, int64_t end) {
  const transpose_job* j = arg;
  size_t image = (size_t)(j->rows * j->cols) * j->size;
  for (int64_t i = begin; i < end; i++)
    tfc_transpose_2d(j->from + (size_t)i * image, j->cols, j->to + (size_t)i * image, j->rows,
                     j->rows, j->cols, j->size, false);
}

static void transpose_images(tfc_context* ctx, const void* from, void* to, int64_t images,
                             int64_t rows, int64_t cols, size_t size) {
  transpose_job job = {from, to, rows, cols, size};
  tfc_parallel_for(ctx, images, (double)(rows * cols) * (double)size * 0.15, transpose_range, &job);
}

typedef struct {
  const char* from;
  char* to;
  int32_t dtype;
  bool widen;
} convert_job;

static void convert_range(void* arg, int64_t begin, int64_t end) {
  const convert_job* j = arg;
  if (j->widen)
    tfc_widen(j->dtype, j->from + 2 * begin, (float*)j->to + begin, end - begin);
  else
    tfc_narrow(j->dtype, (const float*)j->from + begin, j->to + 2 * begin, end - begin);
}

static void convert(tfc_context* ctx, int32_t dtype, const void* from, void* to, int64_t n,
                    bool widen) {
  convert_job job = {from, to, dtype, widen};
  tfc_parallel_for(ctx, n, 0.3, convert_range, &job);
}

static size_t working_size(const tfc_tensor* t, bool widen) {
  return widen && tfc_is_16bit_float(t->dtype) ? 4 : tfc_dtype_size(t->dtype);
}

const void* image_load(tfc_context* ctx, const tfc_tensor* t, image_dims d, bool nchw, bool widen) {
  size_t size = working_size(t, widen);
  int64_t n = image_size(d);
  const void* data = t->data;
  if (n == 0) return "";
  if (widen && tfc_is_16bit_float(t->dtype)) {
    void* wide = tfc_scratch(ctx, (size_t)n * size);
    if (!wide) return NULL;
    convert(ctx, t->dtype, data, wide, n, true);
    data = wide;
  }
  if (!nchw || d.c == 1 || d.h * d.w == 1) return data;
  void* turned = tfc_scratch(ctx, (size_t)n * size);
  if (turned) transpose_images(ctx, data, turned, d.n, d.c, d.h * d.w, size);
  return turned;
}

static bool in_place(const tfc_tensor* out, image_dims d, bool nchw, bool widen) {
  return !(widen && tfc_is_16bit_float(out->dtype)) && (!nchw || d.c == 1 || d.h * d.w == 1);
}

void* image_begin(tfc_context* ctx, const tfc_tensor* out, image_dims d, bool nchw, bool widen) {
  if (image_size(d) == 0) return (void*)"";
  if (in_place(out, d, nchw, widen)) return out->data;
  return tfc_scratch(ctx, (size_t)image_size(d) * working_size(out, widen));
}

int image_store(tfc_context* ctx, tfc_tensor* out, image_dims d, bool nchw, bool widen,
                void* work) {
  int64_t n = image_size(d);
  if (n == 0 || in_place(out, d, nchw, widen)) return TFC_OK;
  size_t size = working_size(out, widen);
  bool narrow = widen && tfc_is_16bit_float(out->dtype);
  if (nchw && d.c != 1 && d.h * d.w != 1) {
    void* turned = narrow ? tfc_scratch(ctx, (size_t)n * size) : out->data;
    if (!turned) return TFC_RESOURCE_EXHAUSTED;
    transpose_images(ctx, work, turned, d.n, d.h * d.w, d.c, size);
    work = turned;
  }
  if (narrow) convert(ctx, out->dtype, work, out->data, n, false);
  return TFC_OK;
}
