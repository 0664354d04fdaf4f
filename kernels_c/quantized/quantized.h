/* Quantized numbers: integers that stand for evenly spaced real numbers from a minimum to a
 * maximum. The lowest integer of the type is the minimum, the highest one the maximum.
 *
 * The arithmetic is TensorFlow's, step by step: what is a float there is a float here, and products
 * and sums do not become FMAs, so that integers are equal and not only close.
 */
#ifndef TFCORE_QUANTIZED_H
#define TFCORE_QUANTIZED_H

#include <float.h>
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

#pragma GCC optimize("fp-contract=off")

#define QUANTIZED_TYPES "qint8|quint8|qint16|quint16|qint32"

/* `switch` over the quantized types, with T as the type of the integers. */
#define QUANTIZED_CASE(NUMBER, TYPE, ...) \
  case NUMBER: {                          \
    typedef TYPE T;                       \
    __VA_ARGS__;                          \
    break;                                \
  }
#define QUANTIZED_SWITCH(DTYPE, ...)                          \
  switch (DTYPE) {                                            \
    QUANTIZED_CASE(TFC_QINT8, int8_t, __VA_ARGS__)            \
    QUANTIZED_CASE(TFC_QUINT8, uint8_t, __VA_ARGS__)          \
    QUANTIZED_CASE(TFC_QINT16, int16_t, __VA_ARGS__)          \
    QUANTIZED_CASE(TFC_QUINT16, uint16_t, __VA_ARGS__)        \
    default: QUANTIZED_CASE(TFC_QINT32, int32_t, __VA_ARGS__) \
  }

typedef struct quantized_limits {
  int64_t lowest, highest;
} quantized_limits;

static inline quantized_limits quantized_limits_of(int32_t dtype) {
  const int bits = 8 * (int)tfc_dtype_size(dtype);
  const bool is_signed = dtype == TFC_QINT8 || dtype == TFC_QINT16 || dtype == TFC_QINT32;
  const int64_t steps = (int64_t)1 << bits, lowest = is_signed ? -steps / 2 : 0;
  return (quantized_limits){lowest, lowest + steps - 1};
}

typedef struct quantized_range {
  float min, max;
} quantized_range;

/* ---- One number, in double */

/* The integer for a number; outside of the type's limits for numbers outside of the range. */
static inline int64_t quantized_unclamped(float x, quantized_range r, quantized_limits t) {
  if (r.min == r.max) return t.lowest;
  const double steps = (double)(t.highest - t.lowest + 1);
  const double range = (double)(r.max - r.min) * (steps / (steps - 1.0));
  const double scale = steps / range;
  const double rounded = round((double)x * scale) - round((double)r.min * scale);
  /* A range that makes no sense (NaN, infinite) gives no integer that does. */
  if (!(fabs(rounded) < 0x1p62)) return rounded < 0 ? -((int64_t)1 << 62) : (int64_t)1 << 62;
  return (int64_t)rounded + t.lowest;
}

static inline int32_t quantized_of(float x, quantized_range r, quantized_limits t) {
  const int64_t q = quantized_unclamped(x, r, t);
  return (int32_t)(q < t.lowest ? t.lowest : q > t.highest ? t.highest : q);
}

static inline float quantized_value(int64_t q, quantized_range r, quantized_limits t) {
  if (r.min == r.max) return r.min;
  const double steps = (double)(t.highest - t.lowest + 1);
  const double range = (double)(r.max - r.min) * (steps / (steps - 1.0));
  const double scale = range / steps;
  const float min = roundf(r.min / (float)scale) * (float)scale;
  return (float)((double)min + ((double)q - (double)t.lowest) * scale);
}

/* ---- Many numbers, in float */

typedef struct quantized_reader {
  float scale, first; /* a number is first + q * scale */
} quantized_reader;

static inline quantized_reader quantized_reader_of(quantized_range r, quantized_limits t) {
  const double steps = (double)(t.highest - t.lowest);
  const float scale = (float)((double)(r.max - r.min) / steps);
  const float min = r.max == r.min ? r.min : roundf(r.min / scale) * scale;
  return (quantized_reader){scale, min - (float)t.lowest * scale};
}

typedef struct quantized_writer {
  float scale, offset, low, high; /* an integer is round(x * scale) - offset, clamped */
} quantized_writer;

static inline quantized_writer quantized_writer_of(quantized_range r, quantized_limits t) {
  const double steps = (double)(t.highest - t.lowest);
  const float scale = r.max == r.min ? 0.0f : (float)(steps / (double)(r.max - r.min));
  const float low = (float)t.lowest, high = (float)t.highest;
  /* float has no 2^31 - 1; the bounds must convert to int32. */
  return (quantized_writer){scale, roundf(r.min * scale) - low, low < -0x1p31f ? -0x1p31f : low,
                            high > 2147483520.0f ? 2147483520.0f : high};
}

static inline int32_t quantized_write(float x, const quantized_writer* w) {
  float q = roundf(x * w->scale) - w->offset;
  q = q > w->low ? q : w->low; /* NaN becomes the lowest one */
  return (int32_t)(q < w->high ? q : w->high);
}

/* The sum of two numbers needs this range; of the products of two integers, this one. */
static inline quantized_range quantized_sum_range(quantized_range a, quantized_range b) {
  const float most = fmaxf(fmaxf(a.max, -a.min), fmaxf(b.max, -b.min)) * (float)(1 << 17);
  return (quantized_range){-most, most};
}
static inline quantized_range quantized_product_range(quantized_range a, quantized_limits ta,
                                                      quantized_range b, quantized_limits tb) {
  const float level = ((a.max - a.min) / (float)(ta.highest - ta.lowest)) *
                      ((b.max - b.min) / (float)(tb.highest - tb.lowest));
  return (quantized_range){level * (float)INT32_MIN, level * (float)INT32_MAX};
}

/* ---- Arguments */

/* Reads the ranges in the inputs `first` and after it, pairs of one element: `n` of them. */
static inline int quantized_ranges(tfc_context* ctx, int first, int n, quantized_range* ranges) {
  memset(ranges, 0, (size_t)n * sizeof *ranges);
  for (int i = 0; i < 2 * n; i++) {
    const tfc_tensor* t = ctx->inputs[first + i];
    if (t->n != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "the ends of a quantized range must be scalars, but input %d has shape %s",
                       first + i, tfc_shape_text(t).text);
    const float end = *(const float*)t->data;
    if (i % 2)
      ranges[i / 2].max = end;
    else
      ranges[i / 2].min = end;
  }
  return TFC_OK;
}

/* Makes outputs `first` and `first` + 1: the ends of a range. */
static inline int quantized_put_range(tfc_context* ctx, int first, quantized_range r) {
  TFC_TRY(tfc_output_scalar(ctx, first));
  TFC_TRY(tfc_output_scalar(ctx, first + 1));
  *(float*)ctx->outputs[first].data = r.min;
  *(float*)ctx->outputs[first + 1].data = r.max;
  return TFC_OK;
}

#endif /* TFCORE_QUANTIZED_H */
