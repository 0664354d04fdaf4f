/* ImageSummary: the first images of a batch as PNG files.
 *
 *   Image{int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded_image_string = 4}
 */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/summary/png.h"
#include "kernels_c/summary/summary.h"

TFC_ONE_LEVEL;

enum { IMAGE_HEIGHT = 1, IMAGE_WIDTH = 2, IMAGE_COLORSPACE = 3, IMAGE_ENCODED = 4 };

typedef struct image_state {
  int64_t most;
  tfc_tensor bad_color;
} image_state;

static int create_image(tfc_construction* c, void** state) {
  image_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  int code = c->api->attr_int(c, "max_images", &s->most);
  if (!code) code = c->api->attr_tensor(c, "bad_color", &s->bad_color);
  if (!code && s->bad_color.dtype != TFC_UINT8)
    code = c->api->error(c, TFC_INVALID_ARGUMENT, "bad_color must be uint8, got %s",
                         tfc_dtype_name(s->bad_color.dtype));
  if (!code && s->bad_color.rank != 1)
    code = c->api->error(c, TFC_INVALID_ARGUMENT, "bad_color must be a vector, got shape %s",
                         tfc_shape_text(&s->bad_color).text);
  if (code)
    free(s);
  else
    *state = s;
  return code;
}

static float load(const tfc_tensor* t, int64_t i) {
  switch (t->dtype) {
    case TFC_FLOAT: return ((const float*)t->data)[i];
    case TFC_HALF: return tfc_half_to_float(((const tfc_half*)t->data)[i]);
    default: return (float)((const double*)t->data)[i];
  }
}

/* From element `first` on. */
static bool is_finite(const tfc_tensor* t, int64_t first, int channels) {
  bool finite = true;
  for (int c = 0; c < channels; c++)
    finite &= t->dtype == TFC_DOUBLE ? isfinite(((const double*)t->data)[first + c]) != 0
                                     : isfinite(load(t, first + c)) != 0;
  return finite;
}

/* To the range of bytes: values become value * scale + offset. */
typedef struct scaling {
  float scale, offset;
} scaling;

/* Positive images begin at 0; others have 0 in the middle. */
static scaling find_scaling(tfc_context* ctx, const tfc_tensor* t, int64_t first, int64_t pixels,
                            int channels) {
  static const float least = 1e-6f;
  float low = INFINITY, high = -INFINITY;
  for (int64_t pixel = 0; pixel < pixels; pixel++) {
    const int64_t i = first + pixel * channels;
    if (pixel % SUMMARY_PIECE == 0 && tfc_cancelled(ctx)) break;
    if (!is_finite(t, i, channels)) continue;
    for (int c = 0; c < channels; c++) {
      const float x = load(t, i + c);
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
  }
  if (low < 0) {
    const float largest = fmaxf(fabsf(low), fabsf(high));
    return (scaling){largest < least ? 0 : 127 / largest, 128};
  }
  return (scaling){high < least ? 0 : 255 / high, 0};
}

static float round_half(float x) {
  return tfc_half_to_float(tfc_float_to_half(x));
}

/* In the arithmetic of the image's type. */
static uint8_t scaled(const tfc_tensor* t, int64_t i, scaling s) {
  double x;
  switch (t->dtype) {
    case TFC_FLOAT: x = load(t, i) * s.scale + s.offset; break;
    case TFC_HALF:
      x = round_half(round_half(load(t, i) * round_half(s.scale)) + round_half(s.offset));
      break;
    default: x = ((const double*)t->data)[i] * (double)s.scale + (double)s.offset;
  }
  return x >= 255 ? 255 : x > 0 ? (uint8_t)x : 0; /* a fed image may have changed */
}

static void to_bytes(tfc_context* ctx, const tfc_tensor* t, int64_t first, int64_t pixels,
                     int channels, const uint8_t* bad_color, uint8_t* to) {
  const scaling s = find_scaling(ctx, t, first, pixels, channels);
  for (int64_t pixel = 0; pixel < pixels; pixel++, to += channels) {
    const int64_t i = first + pixel * channels;
    if (pixel % SUMMARY_PIECE == 0 && tfc_cancelled(ctx)) return;
    if (is_finite(t, i, channels))
      for (int c = 0; c < channels; c++) to[c] = scaled(t, i + c, s);
    else
      memcpy(to, bad_color, (size_t)channels);
  }
}

static int check_image(tfc_context* ctx) {
  const tfc_tensor *tag = ctx->inputs[0], *images = ctx->inputs[1];
  const image_state* s = ctx->state;
  if (tag->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tags must be a scalar, not of shape %s",
                     tfc_shape_text(tag).text);
  const int64_t* dims = images->dims;
  if (images->rank != 4 || (dims[3] != 1 && dims[3] != 3 && dims[3] != 4))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tensor must be 4-D with last dim 1, 3, or 4, not %s",
                     tfc_shape_text(images).text);
  for (int i = 0; i < 3; i++)
    if (dims[i] > INT32_MAX)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tensor too large for summary %s",
                       tfc_shape_text(images).text);
  if (dims[1] == 0 || dims[2] == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input tensor must have non-zero dims. Found: [%lld, %lld, %lld, %lld].",
                     (long long)dims[0], (long long)dims[1], (long long)dims[2],
                     (long long)dims[3]);
  if (images->dtype != TFC_UINT8 && s->bad_color.n < dims[3])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "expected depth <= bad_color.size, got depth = %lld, bad_color.size = %lld",
                     (long long)dims[3], (long long)s->bad_color.n);
  return TFC_OK;
}

/* False: it is too large. */
static bool add_image(tfc_context* ctx, text_buffer* value, const uint8_t* pixels,
                      const int64_t* dims) {
  text_buffer image = {0}, file = {0};
  wire_add_int(&image, IMAGE_HEIGHT, dims[1]);
  wire_add_int(&image, IMAGE_WIDTH, dims[2]);
  wire_add_int(&image, IMAGE_COLORSPACE, dims[3]);
  const bool fits = summary_add_png(ctx, &file, pixels, dims[1], dims[2], (int)dims[3]);
  summary_add_message(&image, IMAGE_ENCODED, &file);
  summary_add_message(value, VALUE_IMAGE, &image);
  return fits;
}

static int image_summary(tfc_context* ctx) {
  TFC_TRY(check_image(ctx));
  const image_state* s = ctx->state;
  const tfc_tensor* images = ctx->inputs[1];
  const int64_t pixels = images->dims[1] * images->dims[2], bytes = pixels * images->dims[3];
  const bool scales = images->dtype != TFC_UINT8;
  uint8_t* scratch = scales && images->n ? tfc_scratch(ctx, (size_t)bytes) : NULL;
  if (scales && images->n && !scratch) return TFC_RESOURCE_EXHAUSTED;
  text_buffer summary = {0};
  bool fits = true;
  for (int64_t i = 0; i < TFC_MIN(s->most, images->dims[0]) && fits && !summary.failed; i++) {
    if (tfc_cancelled(ctx)) break;
    text_buffer value = {0};
    summary_add_numbered_tag(&value, summary_strings(ctx->inputs[0]), "/image", s->most, i);
    if (scales)
      to_bytes(ctx, images, i * bytes, pixels, (int)images->dims[3], s->bad_color.data, scratch);
    const uint8_t* from = scales ? scratch : (const uint8_t*)images->data + i * bytes;
    fits = add_image(ctx, &value, from, images->dims);
    summary_add_message(&summary, SUMMARY_VALUE, &value);
    fits &= summary.size <= INT32_MAX;
  }
  if (fits && !tfc_cancelled(ctx)) return summary_finish(ctx, &summary);
  text_free(&summary);
  if (tfc_cancelled(ctx)) return TFC_CANCELLED;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Tensor too large for summary %s: as PNG files, its images have more than 2 GB",
                   tfc_shape_text(images).text);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ImageSummary", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16 "|uint8", image_summary,
            TFC_STATE(create_image)),
};
TFC_REGISTER_KERNELS(kernels);
