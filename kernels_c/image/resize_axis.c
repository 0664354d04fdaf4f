/* The arithmetic of positions. It is compiled for the lowest level only: a fused multiplication and
 * addition would round differently, and another pixel might be the nearest. */
#include <float.h>
#include <math.h>

#include "kernels_c/image/resize.h"

TFC_ONE_LEVEL;

enum { TABLE = 1024 }; /* the cubic kernel is known at so many points between two pixels */

float resize_scale(int64_t in, int64_t out, bool align_corners) {
  return align_corners && out > 1 ? (float)(in - 1) / (float)(out - 1) : (float)in / (float)out;
}

static float position(const resize_attrs* a, float scale, int64_t i) {
  if (a->half_pixel_centers) return ((float)i + 0.5f) * scale - 0.5f;
  return (float)i * scale;
}

static int64_t clamp(int64_t i, int64_t in) {
  return TFC_MAX(0, TFC_MIN(i, in - 1));
}

int64_t resize_nearest(const resize_attrs* a, float scale, int64_t i, int64_t in) {
  float at = ((float)i + (a->half_pixel_centers ? 0.5f : 0)) * scale;
  return clamp((int64_t)(a->align_corners ? roundf(at) : floorf(at)), in);
}

static void bilinear(const resize_attrs* a, float scale, resize_axis* x, int64_t i) {
  float at = position(a, scale, i), below = floorf(at);
  x->index[2 * i] = (int32_t)clamp((int64_t)below, x->in);
  x->index[2 * i + 1] = (int32_t)clamp((int64_t)ceilf(at), x->in);
  x->weight[2 * i + 1] = at - below;
  x->weight[2 * i] = 1 - x->weight[2 * i + 1];
  x->count[i] = 2;
}

/* Keys's kernel with parameter c, at a distance of up to 1, and from 1 to 2. */
static float cubic_near(double c, int64_t offset) {
  float x = (float)offset / TABLE;
  return (float)(((c + 2) * x - (c + 3)) * x * x + 1);
}
static float cubic_far(double c, int64_t offset) {
  float x = (float)offset / TABLE + 1.0f;
  return (float)(((c * x - 5 * c) * x + 8 * c) * x - 4 * c);
}

static void bicubic(const resize_attrs* a, float scale, resize_axis* x, int64_t i) {
  double c = a->half_pixel_centers ? -0.5 : -0.75;
  float at = position(a, scale, i), below = floorf(at);
  int64_t first = (int64_t)below - 1, offset = lrintf((at - below) * TABLE);
  float* w = x->weight + 4 * i;
  w[0] = cubic_far(c, offset);
  w[1] = cubic_near(c, offset);
  w[2] = cubic_near(c, TABLE - offset);
  w[3] = cubic_far(c, TABLE - offset);
  float sum = 0;
  for (int k = 0; k < 4; k++) {
    x->index[4 * i + k] = (int32_t)clamp(first + k, x->in);
    if (a->half_pixel_centers && x->index[4 * i + k] != first + k) w[k] = 0; /* outside */
    sum += w[k];
  }
  if (a->half_pixel_centers && fabsf(sum) >= 1000 * FLT_MIN)
    for (int k = 0; k < 4; k++) w[k] *= 1 / sum;
  x->count[i] = 4;
}

/* The weight of a pixel is the part of it that the output pixel covers. One pixel whose corners are
 * aligned with several ones (scale 0) is each of them. */
static void area(float scale, resize_axis* x, int64_t i) {
  float begin = (float)i * scale, end = (float)(i + 1) * scale;
  int64_t first = (int64_t)floorf(begin), last = (int64_t)ceilf(end);
  x->count[i] = (int32_t)TFC_MAX(1, TFC_MIN(last - first, x->taps));
  for (int64_t k = 0; k < x->count[i]; k++) {
    float at = (float)(first + k), weight;
    if (at < begin)
      weight = at + 1 > end ? scale : at + 1 - begin;
    else
      weight = at + 1 > end ? end - at : 1;
    x->index[i * x->taps + k] = (int32_t)clamp(first + k, x->in);
    x->weight[i * x->taps + k] = scale > 0 ? weight / scale : 1;
  }
}

int resize_make_axis(tfc_context* ctx, const resize_attrs* a, int64_t in, int64_t out,
                     resize_axis* x) {
  float scale = resize_scale(in, out, a->align_corners);
  *x = (resize_axis){.in = in, .out = out, .taps = a->method == RESIZE_BILINEAR ? 2 : 4};
  if (a->method == RESIZE_AREA) x->taps = (int64_t)ceilf(scale) + 2;
  x->index = tfc_scratch(ctx, (size_t)(out * x->taps) * sizeof *x->index);
  x->weight = tfc_scratch(ctx, (size_t)(out * x->taps) * sizeof *x->weight);
  x->count = tfc_scratch(ctx, (size_t)out * sizeof *x->count);
  if (!x->index || !x->weight || !x->count) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < out; i++) {
    if (a->method == RESIZE_BILINEAR)
      bilinear(a, scale, x, i);
    else if (a->method == RESIZE_BICUBIC)
      bicubic(a, scale, x, i);
    else
      area(scale, x, i);
  }
  return TFC_OK;
}
