/* Positions in images. */
#ifndef TFCORE_CUDA_WINDOW_CUH
#define TFCORE_CUDA_WINDOW_CUH

#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/common/window.h"

/* A pixel of a batch of images, from its number in the order n, h, w. */
struct pixel {
  int64_t n, h, w;

  __device__ __forceinline__ pixel(int64_t i, const window_image& image) {
    w = i % image.w;
    i /= image.w;
    h = i % image.h;
    n = i / image.h;
  }
};
/* A tap of a window and a channel, from its number in the order h, w, c: the order of a filter. */
struct tap {
  int64_t h, w, c;

  __device__ __forceinline__ tap(int64_t i, const window_shape& window, int64_t channels) {
    c = i % channels;
    i /= channels;
    w = i % window.size_w;
    h = i / window.size_w;
  }
};

__device__ __forceinline__ int64_t image_offset(const window_image& image, int64_t n, int64_t h,
                                                int64_t w, int64_t c) {
  return n * image.n_step + h * image.h_step + w * image.w_step + c * image.c_step;
}

#endif /* TFCORE_CUDA_WINDOW_CUH */
