/* Images and windows over them, which conv and pooling have in common. */
#ifndef TFCORE_CUDA_WINDOW_H
#define TFCORE_CUDA_WINDOW_H

#include "kernels_cuda/common/launch.h"

/* The places of a batch of images; steps in elements give the layout, NHWC or NCHW. */
typedef struct window_image {
  int64_t h, w, c;
  int64_t n_step, h_step, w_step, c_step;
} window_image;

/* Window (i, j) of the smaller image covers the pixels (i stride - pad + k dilation, ...) of the
 * larger one, k from 0 to size - 1, as far as they exist. */
typedef struct window_shape {
  int64_t size_h, size_w;
  int64_t stride_h, stride_w;
  int64_t dilation_h, dilation_w;
  int64_t pad_h, pad_w; /* before the first row and column */
} window_shape;

#endif /* TFCORE_CUDA_WINDOW_H */
