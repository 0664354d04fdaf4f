/* RGBToHSV, HSVToRGB, AdjustHue, AdjustSaturation, AdjustContrast, AdjustContrastv2. */
#include <math.h>

#include "kernels_c/common/common.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/image/resize.h"

enum { BLOCK = 128 }; /* pixels */

#define T float
#include "kernels_c/image/color_type.h"

#define T double
#include "kernels_c/image/color_type.h"

/* ---- Functions of a pixel. */

typedef void (*float_fn)(float* x, float* y, float* z, float amount);
typedef void (*double_fn)(double* x, double* y, double* z);

typedef struct color_run {
  const void* from;
  void* to;
  int64_t n; /* pixels */
  int32_t dtype;
  float amount;
  float_fn fn;
  double_fn wide_fn; /* for double */
} color_run;

static void double_block(const color_run* r, int64_t first, int64_t n) {
  double x[BLOCK], y[BLOCK], z[BLOCK];
  split_double((const double*)r->from + 3 * first, x, y, z, n);
  r->wide_fn(x, y, z);
  join_double(x, y, z, (double*)r->to + 3 * first, n);
}

static void float_block(const color_run* r, int64_t first, int64_t n) {
  float x[BLOCK], y[BLOCK], z[BLOCK], pixels[3 * BLOCK];
  bool narrow = r->dtype != TFC_FLOAT;
  const float* from = (const float*)r->from + 3 * first;
  if (narrow) {
    tfc_widen(r->dtype, (const uint16_t*)r->from + 3 * first, pixels, 3 * n);
    from = pixels;
  }
  split_float(from, x, y, z, n);
  r->fn(x, y, z, r->amount);
  join_float(x, y, z, narrow ? pixels : (float*)r->to + 3 * first, n);
  if (narrow) tfc_narrow(r->dtype, pixels, (uint16_t*)r->to + 3 * first, 3 * n);
}

static void color_range(void* arg, int64_t begin, int64_t end) {
  const color_run* r = arg;
  for (int64_t block = begin; block < end; block++) {
    int64_t first = block * BLOCK, n = TFC_MIN(BLOCK, r->n - first);
    if (r->dtype == TFC_DOUBLE)
      double_block(r, first, n);
    else
      float_block(r, first, n);
  }
}

static int run(tfc_context* ctx, color_run* r) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0};
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  r->from = x->data;
  r->to = ctx->outputs[0].data;
  r->n = x->n / 3;
  r->dtype = x->dtype;
  tfc_parallel_for(ctx, (r->n + BLOCK - 1) / BLOCK, 1.5 * BLOCK, color_range, r);
  return TFC_OK;
}

/* ---- RGBToHSV, HSVToRGB. */

static int check_colors(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be at least 1D%s",
                     tfc_shape_text(x).text);
  if (x->dims[x->rank - 1] != 3)
    return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                     "input must have 3 channels but input only has %lld channels.",
                     (long long)x->dims[x->rank - 1]);
  return TFC_OK;
}

static void to_hsv(float* x, float* y, float* z, float amount) {
  (void)amount;
  rgb_to_hsv_float(x, y, z);
}
static void to_rgb(float* x, float* y, float* z, float amount) {
  (void)amount;
  hsv_to_rgb_float(x, y, z);
}

static int compute_RGBToHSV(tfc_context* ctx) {
  TFC_TRY(check_colors(ctx));
  return run(ctx, &(color_run){.fn = to_hsv, .wide_fn = rgb_to_hsv_double});
}
static int compute_HSVToRGB(tfc_context* ctx) {
  TFC_TRY(check_colors(ctx));
  return run(ctx, &(color_run){.fn = to_rgb, .wide_fn = hsv_to_rgb_double});
}

/* ---- AdjustHue, AdjustSaturation. */

/* The channel that leads at hue `at` (modulo 6). */
static inline float turned(float h, float at, float v, float range) {
  float k = h + at;
  k = k >= 6 ? k - 6 : k;
  float rest = smaller_float(k, 4 - k);
  return v - range * share_float(rest);
}

static void adjust_hue(float* x, float* y, float* z, float delta) {
  for (int i = 0; i < BLOCK; i++) {
    float r = x[i], g = y[i], b = z[i];
    float v = larger_float(larger_float(r, g), b);
    float range = v - smaller_float(smaller_float(r, g), b);
    float h = hue_float(r, g, b, v, range) + delta; /* 0 <= delta < 6 */
    h = h >= 6 ? h - 6 : h;
    x[i] = turned(h, 5, v, range);
    y[i] = turned(h, 3, v, range);
    z[i] = turned(h, 1, v, range);
  }
}

/* The distance of each channel to the largest one changes as the saturation does. */
static void adjust_saturation(float* x, float* y, float* z, float scale) {
  for (int i = 0; i < BLOCK; i++) {
    float r = x[i], g = y[i], b = z[i];
    float v = larger_float(larger_float(r, g), b);
    float range = v - smaller_float(smaller_float(r, g), b);
    float s = v > 0 ? range / v : 0, part = v * share_float(s * scale) / range;
    part = range > 0 ? part : 0;
    x[i] = v - (v - r) * part;
    y[i] = v - (v - g) * part;
    z[i] = v - (v - b) * part;
  }
}

static int check_adjusted(tfc_context* ctx, const char* name) {
  const tfc_tensor *x = ctx->inputs[0], *amount = ctx->inputs[1];
  if (x->rank < 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be at least 3-D, got shape%s",
                     tfc_shape_text(x).text);
  if (amount->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be scalar: %s", name,
                     tfc_shape_text(amount).text);
  return TFC_OK;
}

static int check_adjusted_colors(tfc_context* ctx, const char* name) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(check_adjusted(ctx, name));
  if (x->dims[x->rank - 1] != 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input must have 3 channels but instead has %lld channels.",
                     (long long)x->dims[x->rank - 1]);
  return TFC_OK;
}

static int compute_AdjustHue(tfc_context* ctx) {
  TFC_TRY(check_adjusted_colors(ctx, "delta"));
  float turns = *(const float*)ctx->inputs[1]->data, delta = 6 * (turns - floorf(turns));
  return run(ctx, &(color_run){.fn = adjust_hue, .amount = delta < 6 ? delta : 0});
}
static int compute_AdjustSaturation(tfc_context* ctx) {
  TFC_TRY(check_adjusted_colors(ctx, "scale"));
  return run(ctx,
             &(color_run){.fn = adjust_saturation, .amount = *(const float*)ctx->inputs[1]->data});
}

/* ---- AdjustContrastv2: the distance of each channel to its mean over the image. */

enum {
  PART = 4096, /* pixels that are summed in float; parts are summed in double */
  PERIOD = 48  /* elements: whole pixels of one and of three channels, and whole vectors */
};

typedef struct contrast_run {
  const float* from;
  float *to, *sums, *means; /* sums: [image, part, channel]; means: [image, channel] */
  float factor;
  int64_t pixels, channels, parts; /* of an image */
} contrast_run;

static void sum_pixels(const float* x, int64_t n, int64_t c, float* sum) {
  float lanes[PERIOD] = {0};
  int64_t i = 0;
  for (int64_t k = 0; k < c; k++) sum[k] = 0;
  if (PERIOD % c == 0)
    for (; i + PERIOD <= n * c; i += PERIOD)
      for (int k = 0; k < PERIOD; k++) lanes[k] += x[i + k];
  for (int64_t k = 0; k < PERIOD && i; k++) sum[k % c] += lanes[k];
  for (; i < n * c; i += c)
    for (int64_t k = 0; k < c; k++) sum[k] += x[i + k];
}

static void stretch_pixels(const float* x, float* to, int64_t n, int64_t c, const float* mean,
                           float factor) {
  float lanes[PERIOD];
  int64_t i = 0;
  if (PERIOD % c == 0) {
    for (int k = 0; k < PERIOD; k++) lanes[k] = mean[k % c];
    for (; i + PERIOD <= n * c; i += PERIOD)
      for (int k = 0; k < PERIOD; k++) to[i + k] = (x[i + k] - lanes[k]) * factor + lanes[k];
  }
  for (; i < n * c; i += c)
    for (int64_t k = 0; k < c; k++) to[i + k] = (x[i + k] - mean[k]) * factor + mean[k];
}

static void sum_range(void* arg, int64_t begin, int64_t end) {
  const contrast_run* r = arg;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / r->parts, first = i % r->parts * PART;
    sum_pixels(r->from + (image * r->pixels + first) * r->channels,
               TFC_MIN(PART, r->pixels - first), r->channels, r->sums + i * r->channels);
  }
}

static void stretch_range(void* arg, int64_t begin, int64_t end) {
  const contrast_run* r = arg;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / r->parts, first = i % r->parts * PART;
    int64_t at = (image * r->pixels + first) * r->channels;
    stretch_pixels(r->from + at, r->to + at, TFC_MIN(PART, r->pixels - first), r->channels,
                   r->means + image * r->channels, r->factor);
  }
}

static void find_means(const contrast_run* r, int64_t images) {
  int64_t c = r->channels;
  for (int64_t i = 0; i < images * c; i++) {
    double sum = 0;
    for (int64_t part = 0; part < r->parts; part++)
      sum += r->sums[(i / c * r->parts + part) * c + i % c];
    r->means[i] = (float)(sum / (double)r->pixels);
  }
}

static int stretch(tfc_context* ctx, contrast_run* r, int64_t n) {
  int64_t images = n / (r->pixels * r->channels);
  r->parts = (r->pixels + PART - 1) / PART;
  r->sums = tfc_scratch(ctx, (size_t)(images * r->parts * r->channels) * sizeof(float));
  r->means = tfc_scratch(ctx, (size_t)(images * r->channels) * sizeof(float));
  if (!r->sums || !r->means) return TFC_RESOURCE_EXHAUSTED;
  double cost = 0.1 * (double)(TFC_MIN(PART, r->pixels) * r->channels);
  tfc_parallel_for(ctx, images * r->parts, cost, sum_range, r);
  find_means(r, images);
  tfc_parallel_for(ctx, images * r->parts, cost, stretch_range, r);
  return TFC_OK;
}

/* Of half: computed as float. */
static int stretch_half(tfc_context* ctx, contrast_run* r) {
  const tfc_tensor* x = ctx->inputs[0];
  float* wide = tfc_scratch(ctx, (size_t)x->n * sizeof(float));
  if (!wide) return TFC_RESOURCE_EXHAUSTED;
  tfc_widen(x->dtype, x->data, wide, x->n);
  r->from = r->to = wide;
  TFC_TRY(stretch(ctx, r, x->n));
  tfc_narrow(x->dtype, wide, ctx->outputs[0].data, x->n);
  return TFC_OK;
}

static int compute_AdjustContrastv2(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0};
  TFC_TRY(check_adjusted(ctx, "contrast_factor"));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  if (x->n == 0) return TFC_OK;
  const int64_t* last = x->dims + x->rank - 3;
  contrast_run r = {.from = x->data,
                    .to = ctx->outputs[0].data,
                    .factor = *(const float*)ctx->inputs[1]->data,
                    .pixels = last[0] * last[1],
                    .channels = last[2]};
  return x->dtype == TFC_FLOAT ? stretch(ctx, &r, x->n) : stretch_half(ctx, &r);
}

/* ---- AdjustContrast: of any type, as float, between a smallest and a largest value. */

static int check_limited(tfc_context* ctx) {
  static const char* const names[] = {"contrast_factor", "min_value", "max_value"};
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be at least 3-D, got shape%s",
                     tfc_shape_text(x).text);
  for (int i = 0; i < 3; i++)
    if (ctx->inputs[i + 1]->rank != 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be scalar: %s", names[i],
                       tfc_shape_text(ctx->inputs[i + 1]).text);
  return TFC_OK;
}

static float number_of(const tfc_tensor* scalar) {
  return *(const float*)scalar->data;
}

static int compute_AdjustContrast(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(check_limited(ctx));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  const int64_t* last = x->dims + x->rank - 3;
  float* y = ctx->outputs[0].data;
  contrast_run r = {.from = y,
                    .to = y,
                    .factor = number_of(ctx->inputs[1]),
                    .pixels = last[0] * last[1],
                    .channels = last[2]};
  resize_to_float(x->dtype, x->data, 0, y, x->n);
  TFC_TRY(stretch(ctx, &r, x->n));
  const float low = number_of(ctx->inputs[2]), high = number_of(ctx->inputs[3]);
  for (int64_t i = 0; i < x->n; i++) { /* NaN stays, and the smallest value counts most */
    y[i] = high < y[i] ? high : y[i];
    y[i] = y[i] < low ? low : y[i];
  }
  return TFC_OK;
}

#define TYPES_LIMITED "uint8|int8|int16|int32|" TFC_TYPES_WIDE_FLOATS
static const tfc_kernel_def kernels[] = {
    TFC_ROW("AdjustContrast", "T=" TYPES_LIMITED, compute_AdjustContrast),
    TFC_ROW("RGBToHSV", "T=" TFC_TYPES_FLOATS, compute_RGBToHSV),
    TFC_ROW("HSVToRGB", "T=" TFC_TYPES_FLOATS, compute_HSVToRGB),
    TFC_ROW("AdjustHue", "T=half|float", compute_AdjustHue),
    TFC_ROW("AdjustSaturation", "T=half|float", compute_AdjustSaturation),
    TFC_ROW("AdjustContrastv2", "T=half|float", compute_AdjustContrastv2),
};
TFC_REGISTER_KERNELS(kernels);
