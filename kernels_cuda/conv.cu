/* Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter: products of matrices (gemm.cuh) whose elements
 * are read where they lie in images and filters. half and bfloat16 are summed in float. */
#include "conv.h"
#include "gemm.cuh"
#include "window.cuh"

struct conv_factor {
  const conv_params& p;
  __device__ __forceinline__ void move_to(int64_t) {} /* one product */
};

/* ---- Factors. */

/* [pixel of the output][tap]: the image as the windows see it. */
template <typename T, typename A>
struct image_by_windows : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return p.in.c_step == 1; }
  __device__ __forceinline__ A at(int64_t row, int64_t k) const {
    const int64_t i = offset_of_tap(p.in, p.window, pixel(row, p.out), tap(k, p.window, p.in.c));
    return i < 0 ? A(0) : (A)load<T>(p.image, i);
  }
};
/* [tap][pixel of the output]: the same, transposed. */
template <typename T, typename A>
struct windows_by_image : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return p.in.c_step != 1; }
  __device__ __forceinline__ A at(int64_t row, int64_t k) const {
    const int64_t i = offset_of_tap(p.in, p.window, pixel(k, p.out), tap(row, p.window, p.in.c));
    return i < 0 ? A(0) : (A)load<T>(p.image, i);
  }
};
/* [pixel of the input][tap]: the output where the window has this tap on this pixel. */
template <typename T, typename A>
struct output_by_taps : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return p.out.c_step == 1; }
  __device__ __forceinline__ A at(int64_t row, int64_t k) const {
    const window_shape& s = p.window;
    const pixel at(row, p.in);
    const tap t(k, s, p.out.c);
    const int64_t h = window_of_pixel(at.h, t.h, s.pad_h, s.dilation_h, s.stride_h, p.out.h);
    const int64_t w = window_of_pixel(at.w, t.w, s.pad_w, s.dilation_w, s.stride_w, p.out.w);
    if (h < 0 || w < 0) return A(0);
    return (A)load<T>(p.output, image_offset(p.out, at.n, h, w, t.c));
  }
};
/* [channel of the output][pixel of the output] */
template <typename T, typename A>
struct output_by_pixels : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return p.out.c_step != 1; }
  __device__ __forceinline__ A at(int64_t col, int64_t k) const {
    const pixel at(k, p.out);
    return (A)load<T>(p.output, image_offset(p.out, at.n, at.h, at.w, col));
  }
};
/* [channel of the output][tap with a channel of the input] */
template <typename T, typename A>
struct filter_by_outputs : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return false; }
  __device__ __forceinline__ A at(int64_t col, int64_t k) const {
    return (A)load<T>(p.filter, k * p.out.c + col);
  }
};
/* [channel of the input][tap with a channel of the output] */
template <typename T, typename A>
struct filter_by_inputs : conv_factor {
  __device__ __forceinline__ bool along_depth() const { return true; }
  __device__ __forceinline__ A at(int64_t col, int64_t k) const {
    const int64_t place = k / p.out.c, out = k % p.out.c;
    return (A)load<T>(p.filter, (place * p.in.c + col) * p.out.c + out);
  }
};

/* ---- Results. */

/* [pixel][channel] of an image. */
template <typename T, typename A>
struct image_result {
  void* to;
  const window_image& image;
  __device__ __forceinline__ void put(const gemm_place&, int64_t row, int64_t col, A sum) const {
    const pixel at(row, image);
    store<T>(to, image_offset(image, at.n, at.h, at.w, col), (typename wide<T>::type)sum);
  }
};
template <typename T, typename A>
struct filter_result {
  const conv_params& p;
  __device__ __forceinline__ void put(const gemm_place& at, int64_t row, int64_t col, A sum) const {
    const int64_t i = row * p.size.n + col;
    if (p.size.chunks > 1)
      ((A*)p.partial)[at.chunk * p.size.m * p.size.n + i] = sum;
    else
      store<T>(p.filter, i, (typename wide<T>::type)sum);
  }
};

/* ---- Kernels. */

#define FORWARD_KERNEL(T, A)                                                   \
  TFC_KERNEL_BOUNDS(Conv2D_##T, conv_params, p, GEMM_THREADS) {                \
    gemm<A>(p.size, image_by_windows<T, A>{{p}}, filter_by_outputs<T, A>{{p}}, \
            image_result<T, A>{p.output, p.out});                              \
  }
#define INPUT_KERNEL(T, A)                                                   \
  TFC_KERNEL_BOUNDS(Conv2DBackpropInput_##T, conv_params, p, GEMM_THREADS) { \
    gemm<A>(p.size, output_by_taps<T, A>{{p}}, filter_by_inputs<T, A>{{p}},  \
            image_result<T, A>{p.image, p.in});                              \
  }
#define FILTER_KERNEL(T, A)                                                   \
  TFC_KERNEL_BOUNDS(Conv2DBackpropFilter_##T, conv_params, p, GEMM_THREADS) { \
    gemm<A>(p.size, windows_by_image<T, A>{{p}}, output_by_pixels<T, A>{{p}}, \
            filter_result<T, A>{p});                                          \
  }
#define CONV_KERNELS(OP, T)        \
  FORWARD_KERNEL(T, wide<T>::type) \
  INPUT_KERNEL(T, wide<T>::type)   \
  FILTER_KERNEL(T, wide<T>::type)
TFC_FLOATS(CONV_KERNELS, Conv2D)
FORWARD_KERNEL(int32, int64_t)
INPUT_KERNEL(int32, int64_t)
