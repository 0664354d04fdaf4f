/* See scale.h. */
#include <float.h>
#include <math.h>

#include "kernels_c/image/scale.h"

TFC_ONE_LEVEL; /* rounding: fused additions would change which pixels are near enough */

/* ---- Filters. */

static float lanczos(float x, float radius) {
  const float pi = 3.14159265359f;
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  return radius * sinf(pi * x) * sinf(pi * x / radius) / (pi * pi * x * x);
}
static float gaussian(float x, float radius) {
  const double deviation = radius / 3;
  return x >= radius ? 0 : (float)exp(-x * x / (2 * deviation * deviation));
}
static float box(float x, float radius) {
  return x < radius / 2 ? 1 : x == radius / 2 ? 0.5f : 0;
}
static float triangle(float x, float radius) {
  return x < radius ? radius - x : 0;
}
static float keys_cubic(float x, float radius) {
  if (x >= radius) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return (1.5f * x - 2.5f) * x * x + 1;
}
static float mitchell_cubic(float x, float radius) {
  if (x >= radius) return 0;
  if (x >= 1) return ((-7.0f / 18 * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  return (7.0f / 6 * x - 2) * x * x + 8.0f / 9;
}

const scale_filter* scale_find_filter(const char* name, size_t size) {
  static const struct {
    const char* name;
    scale_filter filter;
  } filters[] = {
      {"lanczos1", {1, lanczos}},
      {"lanczos3", {3, lanczos}},
      {"lanczos5", {5, lanczos}},
      {"gaussian", {1.5f, gaussian}},
      {"box", {1, box}},
      {"triangle", {1, triangle}},
      {"keyscubic", {2, keys_cubic}},
      {"mitchellcubic", {2, mitchell_cubic}},
  };
  for (size_t i = 0; i < sizeof filters / sizeof *filters; i++)
    if (strlen(filters[i].name) == size && !memcmp(filters[i].name, name, size))
      return &filters[i].filter;
  return NULL;
}

/* ---- Axes. */

typedef struct scale_map {
  const scale_filter* filter;
  float step, begin, width; /* a pixel and the first one in the input; of the filter */
} scale_map;

static int64_t clamp(float x, int64_t last) {
  return x > 0 ? x < (float)last ? (int64_t)x : last : 0;
}

static void place(const scale_map* m, int64_t i, scale_axis* axis) {
  const float at = ((float)i + 0.5f) * m->step + m->begin, reach = m->filter->radius * m->width;
  axis->first[i] = axis->counts[i] = 0;
  if (!(at >= 0 && at <= (float)axis->in)) return; /* nothing of the input */
  const int64_t first = clamp(ceilf(at - reach - 0.5f), axis->in - 1);
  const int64_t last = clamp(floorf(at + reach - 0.5f), axis->in - 1);
  const int64_t count = TFC_MAX(0, TFC_MIN(last - first + 1, axis->taps));
  float *weights = axis->weights + i * axis->taps, sum = 0;
  const float shrink = 1.0f / m->width;
  for (int64_t k = 0; k < count; k++) {
    const float distance = (float)(first + k) + 0.5f - at;
    sum += weights[k] = m->filter->weight(fabsf(distance * shrink), m->filter->radius);
  }
  axis->first[i] = (int32_t)first;
  if (!(fabsf(sum) >= 1000 * FLT_MIN)) return;
  const float share = 1.0f / sum;
  for (int64_t k = 0; k < count; k++) weights[k] *= share;
  axis->counts[i] = (int32_t)count;
}

int scale_make_axis(tfc_context* ctx, const scale_filter* filter, bool antialias, int64_t in,
                    int64_t out, float scale, float translation, scale_axis* axis) {
  scale_map m = {.filter = filter, .step = (float)(1.0 / (double)scale)};
  m.begin = -m.step * translation;
  m.width = antialias && m.step > 1 ? m.step : 1; /* wider, so that no pixel is left out */
  const double taps = 2 * ceil((double)(filter->radius * m.width)) + 1;
  *axis = (scale_axis){.in = in, .out = out, .taps = taps < (double)in ? (int64_t)taps : in};
  if (out > INT64_MAX / 8 / axis->taps)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "too many weights: %lld of %lld pixels",
                     (long long)axis->taps, (long long)out);
  axis->first = tfc_scratch(ctx, (size_t)(out + 1) * sizeof *axis->first);
  axis->counts = tfc_scratch(ctx, (size_t)(out + 1) * sizeof *axis->counts);
  axis->weights = tfc_scratch(ctx, (size_t)(out * axis->taps + 1) * sizeof *axis->weights);
  if (!axis->first || !axis->counts || !axis->weights) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < out; i++) place(&m, i, axis);
  return TFC_OK;
}
