/* Parameters of windowed operations, from their sizes on the host. */
#ifndef TFCORE_CUDA_WINDOW_LAUNCH_H
#define TFCORE_CUDA_WINDOW_LAUNCH_H

#include "kernels_c/common/window_attrs.h"
#include "kernels_cuda/common/window.h"

static inline window_image tfc_window_image(int64_t h, int64_t w, int64_t c, bool nchw) {
  window_image image = {.h = h, .w = w, .c = c, .n_step = h * w * c};
  image.h_step = nchw ? w : w * c;
  image.w_step = nchw ? 1 : c;
  image.c_step = nchw ? h * w : 1;
  return image;
}

static inline window_shape tfc_window_shape(const window_dim* h, const window_dim* w) {
  return (window_shape){.size_h = h->filter,
                        .size_w = w->filter,
                        .stride_h = h->stride,
                        .stride_w = w->stride,
                        .dilation_h = h->dilation,
                        .dilation_w = w->dilation,
                        .pad_h = h->pad,
                        .pad_w = w->pad};
}

#endif /* TFCORE_CUDA_WINDOW_LAUNCH_H */
