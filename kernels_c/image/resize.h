/* Resizing: which pixels an output pixel is made of, along one axis. Rows and columns are
 * independent, so an image is resized along each axis in turn. */
#ifndef TFCORE_IMAGE_RESIZE_H
#define TFCORE_IMAGE_RESIZE_H

#include "kernels_c/common/common.h"

typedef enum { RESIZE_BILINEAR, RESIZE_BICUBIC, RESIZE_AREA } resize_method;

typedef struct resize_attrs {
  resize_method method;
  bool align_corners, half_pixel_centers;
} resize_attrs;

/* Output pixel i is the sum of weight[k] * input[index[k]] for `count[i]` entries from k = i *
 * taps on. Indices do not decrease, neither in a pixel nor from one to the next. */
typedef struct resize_axis {
  int64_t in, out, taps;
  int32_t *index, *count;
  float* weight;
} resize_axis;

typedef struct resize_sizes {
  int64_t batch, height, width, channels; /* of the original */
  int64_t out_height, out_width;
} resize_sizes;

/* TensorFlow's arithmetic, in float. */
float resize_scale(int64_t in, int64_t out, bool align_corners);
int resize_make_axis(tfc_context* ctx, const resize_attrs* a, int64_t in, int64_t out,
                     resize_axis* axis);
/* The pixel of the original that is nearest to pixel i. */
int64_t resize_nearest(const resize_attrs* a, float scale, int64_t i, int64_t in);

/* Check inputs, and read the sizes. */
int resize_check(tfc_context* ctx, const resize_attrs* a, resize_sizes* s);
int resize_check_grad(tfc_context* ctx, const resize_attrs* a, resize_sizes* s);
int resize_check_nearest_grad(tfc_context* ctx, const resize_attrs* a, resize_sizes* s);

/* Elements of any type as float. */
void resize_to_float(int32_t dtype, const void* from, int64_t first, float* to, int64_t n);

#endif /* TFCORE_IMAGE_RESIZE_H */
