/* MaxPool, AvgPool and their gradients.
 *
 * A gradient is collected for each element of x from the windows that cover it, in their order, so
 * that nothing is added atomically. Maxima keep the first of equal values; comparisons with NaN are
 * false, as in TensorFlow. Averages are of the pixels that exist. */
#include <float.h>

#include "kernels_cuda/common/window.cuh"
#include "kernels_cuda/pooling/pooling.h"

/* The pixels of one dimension that a window covers: [begin, end). */
struct span {
  int64_t begin, end;

  __device__ __forceinline__ span(int64_t window, int64_t stride, int64_t pad, int64_t size,
                                  int64_t pixels) {
    begin = window * stride - pad;
    end = begin + size < pixels ? begin + size : pixels;
    if (begin < 0) begin = 0;
  }
};
/* The windows of one dimension that cover a pixel: [begin, end). */
struct windows_over {
  int64_t begin, end;

  __device__ __forceinline__ windows_over(int64_t i, int64_t stride, int64_t pad, int64_t size,
                                          int64_t windows) {
    const int64_t least = i + pad - size + 1;
    begin = least > 0 ? (least + stride - 1) / stride : 0;
    end = (i + pad) / stride + 1 < windows ? (i + pad) / stride + 1 : windows;
  }
};

/* An element by its number, in the order of memory if channels are last. */
struct element {
  int64_t n, h, w, c;

  __device__ __forceinline__ element(int64_t i, const window_image& image) {
    c = i % image.c;
    const pixel at(i / image.c, image);
    n = at.n, h = at.h, w = at.w;
  }
};
__device__ __forceinline__ int64_t elements_of(const window_image& image, int64_t batch) {
  return batch * image.h * image.w * image.c;
}
__device__ __forceinline__ span rows_of(const pooling_params& p, int64_t h) {
  return span(h, p.window.stride_h, p.window.pad_h, p.window.size_h, p.in.h);
}
__device__ __forceinline__ span cols_of(const pooling_params& p, int64_t w) {
  return span(w, p.window.stride_w, p.window.pad_w, p.window.size_w, p.in.w);
}

/* ---- Pools. */

template <typename T>
struct least {
  static __device__ __forceinline__ T value() {
    return T(-1) < T(0) ? (T)((uint64_t)1 << (8 * sizeof(T) - 1)) : T(0);
  }
};
template <>
struct least<float> {
  static __device__ __forceinline__ float value() { return -FLT_MAX; }
};
template <>
struct least<double> {
  static __device__ __forceinline__ double value() { return -DBL_MAX; }
};

template <typename T>
__device__ __forceinline__ void max_pool(const pooling_params& p) {
  typedef typename wide<T>::type W;
  TFC_FOR_ELEMENTS(i, elements_of(p.out, p.batch)) {
    const element at(i, p.out);
    const span rows = rows_of(p, at.h), cols = cols_of(p, at.w);
    W most = least<W>::value();
    for (int64_t h = rows.begin; h < rows.end; h++)
      for (int64_t w = cols.begin; w < cols.end; w++) {
        const W x = load<T>(p.x, image_offset(p.in, at.n, h, w, at.c));
        most = x > most ? x : most;
      }
    store<T>(p.y, image_offset(p.out, at.n, at.h, at.w, at.c), most);
  }
}
template <typename T>
__device__ __forceinline__ void avg_pool(const pooling_params& p) {
  typedef typename wide<T>::type W;
  TFC_FOR_ELEMENTS(i, elements_of(p.out, p.batch)) {
    const element at(i, p.out);
    const span rows = rows_of(p, at.h), cols = cols_of(p, at.w);
    W sum = 0;
    for (int64_t h = rows.begin; h < rows.end; h++)
      for (int64_t w = cols.begin; w < cols.end; w++)
        sum += load<T>(p.x, image_offset(p.in, at.n, h, w, at.c));
    const int64_t pixels = (rows.end - rows.begin) * (cols.end - cols.begin);
    store<T>(p.y, image_offset(p.out, at.n, at.h, at.w, at.c), sum / (W)pixels);
  }
}

/* ---- Gradients. */

/* Whether pixel (h, w) is the first maximum of its channel in a window. */
template <typename T>
__device__ __forceinline__ bool is_first_maximum(const pooling_params& p, const element& at,
                                                 const span& rows, const span& cols) {
  typedef typename wide<T>::type W;
  int64_t best = image_offset(p.in, at.n, rows.begin, cols.begin, at.c);
  W most = load<T>(p.x, best);
  for (int64_t h = rows.begin; h < rows.end; h++)
    for (int64_t w = cols.begin; w < cols.end; w++) {
      const int64_t i = image_offset(p.in, at.n, h, w, at.c);
      const W x = load<T>(p.x, i);
      if (x > most) most = x, best = i;
    }
  return best == image_offset(p.in, at.n, at.h, at.w, at.c);
}

struct MaxPoolGrad {
  template <typename T>
  static __device__ __forceinline__ typename wide<T>::type share(const pooling_params& p,
                                                                 const element& at,
                                                                 const span& rows, const span& cols,
                                                                 int64_t dy) {
    return is_first_maximum<T>(p, at, rows, cols) ? load<T>(p.dy, dy) : 0;
  }
};
struct AvgPoolGrad {
  template <typename T>
  static __device__ __forceinline__ typename wide<T>::type share(const pooling_params& p,
                                                                 const element&, const span& rows,
                                                                 const span& cols, int64_t dy) {
    const int64_t pixels = (rows.end - rows.begin) * (cols.end - cols.begin);
    return load<T>(p.dy, dy) / (typename wide<T>::type)pixels;
  }
};

/* Op::share: what an element of x gets of a window's dy. */
template <typename Op, typename T>
__device__ __forceinline__ void pool_gradient(const pooling_params& p) {
  typedef typename wide<T>::type W;
  const window_shape& s = p.window;
  TFC_FOR_ELEMENTS(i, elements_of(p.in, p.batch)) {
    const element at(i, p.in);
    const windows_over over_h(at.h, s.stride_h, s.pad_h, s.size_h, p.out.h);
    const windows_over over_w(at.w, s.stride_w, s.pad_w, s.size_w, p.out.w);
    W sum = 0;
    for (int64_t h = over_h.begin; h < over_h.end; h++)
      for (int64_t w = over_w.begin; w < over_w.end; w++) {
        const int64_t dy = image_offset(p.out, at.n, h, w, at.c);
        sum += Op::template share<T>(p, at, rows_of(p, h), cols_of(p, w), dy);
      }
    store<T>(p.dx, image_offset(p.in, at.n, at.h, at.w, at.c), sum);
  }
}

#define MAX_POOL_KERNEL(OP, T)                 \
  TFC_KERNEL(MaxPool_##T, pooling_params, p) { \
    max_pool<T>(p);                            \
  }
#define AVG_POOL_KERNEL(OP, T)                 \
  TFC_KERNEL(AvgPool_##T, pooling_params, p) { \
    avg_pool<T>(p);                            \
  }
#define GRADIENT_KERNEL(OP, T)              \
  TFC_KERNEL(OP##_##T, pooling_params, p) { \
    pool_gradient<OP, T>(p);                \
  }
TFC_REALS(MAX_POOL_KERNEL, )
TFC_FLOATS(AVG_POOL_KERNEL, )
TFC_REALS(GRADIENT_KERNEL, MaxPoolGrad)
TFC_FLOATS(GRADIENT_KERNEL, AvgPoolGrad)
