/* ScaleAndTranslate: which pixels an output pixel is made of, along one axis. */
#ifndef TFCORE_IMAGE_SCALE_H
#define TFCORE_IMAGE_SCALE_H

#include "kernels_c/common/common.h"

typedef struct scale_filter {
  float radius;
  float (*weight)(float distance, float radius); /* distance >= 0 */
} scale_filter;

/* Output pixel i is the sum of weights[i * taps + k] * input[first[i] + k] for k < counts[i]. */
typedef struct scale_axis {
  int64_t in, out, taps;
  int32_t *first, *counts;
  float* weights;
} scale_axis;

/* The filter of that name, or NULL. */
const scale_filter* scale_find_filter(const char* name, size_t size);
/* TensorFlow's arithmetic, in float; in > 0, scale > 0. */
int scale_make_axis(tfc_context* ctx, const scale_filter* filter, bool antialias, int64_t in,
                    int64_t out, float scale, float translation, scale_axis* axis);

#endif /* TFCORE_IMAGE_SCALE_H */
