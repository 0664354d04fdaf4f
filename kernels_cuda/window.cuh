/* Positions in images. */
#ifndef TFCORE_CUDA_WINDOW_CUH
#define TFCORE_CUDA_WINDOW_CUH

#include "element.cuh"
#include "window.h"

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

/* The offset in the larger image of a tap of the window at a pixel of the smaller one; -1 in the
 * padding. */
__device__ __forceinline__ int64_t offset_of_tap(const window_image& image, const window_shape& s,
                                                 const pixel& at, const tap& t) {
  const int64_t h = at.h * s.stride_h - s.pad_h + t.h * s.dilation_h;
  const int64_t w = at.w * s.stride_w - s.pad_w + t.w * s.dilation_w;
  if (h < 0 || h >= image.h || w < 0 || w >= image.w) return -1;
  return image_offset(image, at.n, h, w, t.c);
}
/* The reverse: the place in one dimension of the window whose tap k is at pixel i of the larger
 * image; -1 if there is none. */
__device__ __forceinline__ int64_t window_of_pixel(int64_t i, int64_t k, int64_t pad,
                                                   int64_t dilation, int64_t stride,
                                                   int64_t windows) {
  const int64_t from = i + pad - k * dilation;
  if (from < 0 || from % stride) return -1;
  return from / stride < windows ? from / stride : -1;
}

#endif /* TFCORE_CUDA_WINDOW_CUH */
