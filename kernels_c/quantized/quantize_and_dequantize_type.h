/* The loops of QuantizeAndDequantize for one element type, a template. It wants
 *   ROUND   rounds to the nearest integer, ties to even
 *   FLOOR   rounds down
 *   LARGEST the largest number
 *
 * Each operation is rounded by itself, in the order of TensorFlow's, so that numbers are the same.
 */

typedef struct N(round_trip_scale) {
  T min, max, scale, inverse;
} N(round_trip_scale);

/* The largest scale with which the range fits into the integers, and 0 remains 0. */
static N(round_trip_scale) N(round_trip_scale_of)(const round_trip* r, T min, T max) {
  const int bits = r->bits - r->is_signed;
  const int64_t highest = (int64_t)(((uint64_t)1 << bits) - 1);
  const int64_t lowest = r->is_signed ? -highest - 1 + r->narrow : 0;
  const T low = (T)lowest, high = (T)highest;
  const T from_min = low * min > 0 ? low / min : LARGEST;
  const T from_max = high * max > 0 ? high / max : LARGEST;
  N(round_trip_scale) s = {min, max, from_max, max / high};
  if (from_min < from_max) {
    s.scale = from_min;
    s.inverse = min / low;
    s.max = high * s.inverse;
  } else {
    s.min = low * s.inverse;
  }
  return s;
}

static void N(round_trip_run)(const round_trip* r, const N(round_trip_scale) * s, const T* x, T* y,
                              int64_t n) {
  for (int64_t i = 0; i < n; i++) {
    T value = x[i];
    if (r->range_given) {
      value = s->max < value ? s->max : value;
      value = value < s->min ? s->min : value;
    }
    value *= s->scale;
    value = r->half_up ? FLOOR(value + (T)0.5) : ROUND(value);
    y[i] = value * s->inverse;
  }
}

/* The extremes of a slice; with a NaN, they are NaN. */
static void N(round_trip_range)(const round_trip* r, const T* x, int64_t slice, T* min, T* max) {
  *min = *max = x[slice * r->inner];
  for (int64_t o = 0; o < r->outer; o++) {
    const T* at = x + (o * r->slices + slice) * r->inner;
    for (int64_t i = 0; i < r->inner; i++) {
      *min = at[i] < *min || at[i] != at[i] ? at[i] : *min;
      *max = at[i] > *max || at[i] != at[i] ? at[i] : *max;
    }
  }
}

/* Item: a slice, which has a range of its own. */
static void N(round_trip_slices)(void* arg, int64_t begin, int64_t end) {
  const round_trip* r = arg;
  for (int64_t k = begin; k < end; k++) {
    T min, max;
    if (r->range_given) {
      min = ((const T*)r->min)[k];
      max = ((const T*)r->max)[k];
    } else {
      N(round_trip_range)(r, r->x, k, &min, &max);
    }
    const N(round_trip_scale) s = N(round_trip_scale_of)(r, min, max);
    for (int64_t o = 0; o < r->outer; o++) {
      const int64_t at = (o * r->slices + k) * r->inner;
      N(round_trip_run)(r, &s, (const T*)r->x + at, (T*)r->y + at, r->inner);
    }
  }
}

/* The gradient: that of the identity within the range, 0 elsewhere. Item: a slice. */
static void N(round_trip_grad)(void* arg, int64_t begin, int64_t end) {
  const round_trip* r = arg;
  const T *x = r->x, *grad = r->grad;
  for (int64_t k = begin; k < end; k++)
    for (int64_t o = 0; o < r->outer; o++) {
      const int64_t first = (o * r->slices + k) * r->inner;
      const T min = ((const T*)r->min)[k], max = ((const T*)r->max)[k];
      for (int64_t i = first; i < first + r->inner; i++)
        ((T*)r->y)[i] = x[i] >= min && x[i] <= max ? grad[i] : 0;
    }
}

#undef T
#undef ROUND
#undef FLOOR
#undef LARGEST
