/* Conv2D, Conv2DBackpropInput, Conv2DBackpropFilter: products of matrices (gemm.cuh) whose elements
 * are read where they lie in images and filters. half and bfloat16 are summed in float.
 *
 * An element's place is found by divisions once, and by additions from then on. */
#include "kernels_cuda/common/window.cuh"
#include "kernels_cuda/conv/conv.h"
#include "kernels_cuda/linalg/gemm.cuh"

template <bool FOUR>
struct integer_of {
  typedef int64_t type;
};
template <>
struct integer_of<true> {
  typedef int32_t type;
};

/* FOUR: channels lie together and are read four at a time, and all sizes have 30 bits, so that
 * positions in an image have 32. */
template <typename ELEMENT, bool FOUR>
struct conv_factor {
  static constexpr bool VECTORS = FOUR;
  typedef ELEMENT element;
  typedef typename integer_of<FOUR>::type position;
  const conv_params& p;
  __device__ __forceinline__ void move_to(int64_t) {} /* one product */
};

/* ---- Factors. */

/* [pixel][tap]: an image as the windows see it. Forward: the input at the pixels of the output.
 * BACK: the output at the pixels of the input, where a window has this tap on this pixel. */
template <typename T, bool FOUR, bool BACK>
struct image_by_windows : conv_factor<T, FOUR> {
  typedef conv_factor<T, FOUR> base;
  typedef typename base::position position;
  using base::p;
  struct place {
    position h, w, c; /* in the image; w and h before they are divided by the strides */
    position tap_w;
    int64_t offset; /* of the image (strided), or of the element */
  };
  __device__ __forceinline__ const window_image& image() const { return BACK ? p.out : p.in; }
  __device__ __forceinline__ gemm_order order() const {
    return FOUR || image().c_step == 1 ? GEMM_DEPTHS : GEMM_DEPTHS_FAST;
  }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const {
    const window_image& from = image();
    const window_shape& s = p.window;
    const pixel at(row, BACK ? p.in : p.out);
    const tap t(k, s, from.c);
    const int64_t h = (BACK ? at.h + s.pad_h : at.h * s.stride_h - s.pad_h) + t.h * step_h();
    const int64_t w = (BACK ? at.w + s.pad_w : at.w * s.stride_w - s.pad_w) + t.w * step_w();
    const int64_t offset = at.n * from.n_step + t.c * from.c_step;
    return {(position)h, (position)w, (position)t.c, (position)t.w,
            strided() ? offset : offset + h * from.h_step + w * from.w_step};
  }
  __device__ __forceinline__ void advance(place& at, int n) const {
    const window_image& from = image();
    at.c += n;
    at.offset += n * from.c_step;
    while (at.c >= from.c) { /* the next tap */
      at.c -= (position)from.c;
      at.offset -= from.c * from.c_step;
      move(at, 0, step_w());
      if (++at.tap_w == p.window.size_w) {
        at.tap_w = 0;
        move(at, step_h(), -p.window.size_w * step_w());
      }
    }
  }
  __device__ __forceinline__ T one(const place& at) const {
    const int64_t i = offset_of(at);
    return i < 0 ? T() : ((const T*)from())[i];
  }
  __device__ __forceinline__ four<T> four_at(const place& at) const {
    const int64_t i = offset_of(at);
    return i < 0 ? four<T>() : load_four<T>(from(), i);
  }

 private:
  __device__ __forceinline__ const void* from() const { return BACK ? p.output : p.image; }
  /* From tap to tap, on the image. */
  __device__ __forceinline__ int64_t step_h() const {
    return BACK ? -p.window.dilation_h : p.window.dilation_h;
  }
  __device__ __forceinline__ int64_t step_w() const {
    return BACK ? -p.window.dilation_w : p.window.dilation_w;
  }
  /* Pixels of the input lie between the windows. */
  __device__ __forceinline__ bool strided() const {
    return BACK && (p.window.stride_h != 1 || p.window.stride_w != 1);
  }
  __device__ __forceinline__ void move(place& at, int64_t h, int64_t w) const {
    at.h += (position)h;
    at.w += (position)w;
    if (!strided()) at.offset += h * image().h_step + w * image().w_step;
  }
  /* -1: outside. */
  __device__ __forceinline__ int64_t offset_of(const place& at) const {
    const window_image& from = image();
    if (!strided()) {
      const bool inside =
          at.h >= 0 && at.h < (position)from.h && at.w >= 0 && at.w < (position)from.w;
      return inside ? at.offset : -1;
    }
    const position stride_h = (position)p.window.stride_h, stride_w = (position)p.window.stride_w;
    if (at.h < 0 || at.w < 0 || at.h % stride_h || at.w % stride_w) return -1;
    const position h = at.h / stride_h, w = at.w / stride_w;
    return h < from.h && w < from.w ? at.offset + h * from.h_step + w * from.w_step : -1;
  }
};

/* Goes over the pixels of the output; h and w are times the strides. */
template <typename position>
struct pixel_walk {
  position h, w;

  __device__ __forceinline__ pixel_walk(const pixel& at, int64_t stride_h, int64_t stride_w)
      : h((position)(at.h * stride_h)), w((position)(at.w * stride_w)) {}
  /* Goes on by n; returns how far that is in the image that has these steps. */
  __device__ __forceinline__ int64_t advance(int n, const window_image& pixels,
                                             const window_image& image, int64_t stride_h,
                                             int64_t stride_w) {
    const int64_t row = pixels.w * stride_w, rows = pixels.h * stride_h;
    int64_t way = n * stride_w * image.w_step;
    w += (position)(n * stride_w);
    while (w >= row) {
      w -= (position)row;
      h += (position)stride_h;
      way += stride_h * image.h_step - row * image.w_step;
      if (h == rows) {
        h = 0;
        way += image.n_step - rows * image.h_step;
      }
    }
    return way;
  }
};

/* [tap][pixel of the output]: the input as the windows see it, transposed. */
template <typename T, bool FOUR>
struct windows_by_image : conv_factor<T, FOUR> {
  typedef conv_factor<T, FOUR> base;
  typedef typename base::position position;
  using base::p;
  struct place {
    pixel_walk<position> pixel;
    position h, w; /* of the tap */
    int64_t offset;
  };
  __device__ __forceinline__ gemm_order order() const {
    return FOUR ? GEMM_ROWS : p.in.c_step == 1 ? GEMM_DEPTHS_FAST : GEMM_DEPTHS;
  }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const {
    const window_shape& s = p.window;
    const tap t(row, s, p.in.c);
    const int64_t h = t.h * s.dilation_h - s.pad_h, w = t.w * s.dilation_w - s.pad_w;
    const pixel at(k, p.out);
    const int64_t offset =
        image_offset(p.in, at.n, at.h * s.stride_h + h, at.w * s.stride_w + w, t.c);
    return {{at, s.stride_h, s.stride_w}, (position)h, (position)w, offset};
  }
  __device__ __forceinline__ void advance(place& at, int n) const {
    at.offset += at.pixel.advance(n, p.out, p.in, p.window.stride_h, p.window.stride_w);
  }
  __device__ __forceinline__ bool inside(const place& at) const {
    const position h = at.h + at.pixel.h, w = at.w + at.pixel.w;
    return h >= 0 && h < (position)p.in.h && w >= 0 && w < (position)p.in.w;
  }
  __device__ __forceinline__ T one(const place& at) const {
    return inside(at) ? ((const T*)p.image)[at.offset] : T();
  }
  __device__ __forceinline__ four<T> four_at(const place& at) const {
    return inside(at) ? load_four<T>(p.image, at.offset) : four<T>();
  }
};
/* [channel of the output][pixel of the output] */
template <typename T, bool FOUR>
struct output_by_pixels : conv_factor<T, FOUR> {
  typedef conv_factor<T, FOUR> base;
  using base::p;
  struct place {
    pixel_walk<typename base::position> pixel;
    int64_t offset;
  };
  __device__ __forceinline__ gemm_order order() const {
    return FOUR ? GEMM_ROWS : p.out.c_step == 1 ? GEMM_DEPTHS_FAST : GEMM_DEPTHS;
  }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const {
    const pixel at(k, p.out);
    return {{at, 1, 1}, image_offset(p.out, at.n, at.h, at.w, row)};
  }
  __device__ __forceinline__ void advance(place& at, int n) const {
    at.offset += at.pixel.advance(n, p.out, p.out, 1, 1);
  }
  __device__ __forceinline__ T one(const place& at) const {
    return ((const T*)p.output)[at.offset];
  }
  __device__ __forceinline__ four<T> four_at(const place& at) const {
    return load_four<T>(p.output, at.offset);
  }
};
/* [channel of the output][tap with a channel of the input] */
template <typename T, bool FOUR>
struct filter_by_outputs : conv_factor<T, FOUR> {
  using conv_factor<T, FOUR>::p;
  typedef int64_t place; /* an offset */
  __device__ __forceinline__ gemm_order order() const {
    return FOUR ? GEMM_ROWS : GEMM_DEPTHS_FAST;
  }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const { return k * p.out.c + row; }
  __device__ __forceinline__ void advance(place& at, int n) const { at += n * p.out.c; }
  __device__ __forceinline__ T one(place at) const { return ((const T*)p.filter)[at]; }
  __device__ __forceinline__ four<T> four_at(place at) const { return load_four<T>(p.filter, at); }
};
/* [channel of the input][tap with a channel of the output] */
template <typename T, bool FOUR>
struct filter_by_inputs : conv_factor<T, FOUR> {
  typedef conv_factor<T, FOUR> base;
  typedef typename base::position position;
  using base::p;
  struct place {
    position c;
    int64_t offset;
  };
  __device__ __forceinline__ gemm_order order() const { return GEMM_DEPTHS; }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const {
    const int64_t tap = k / p.out.c, c = k % p.out.c;
    return {(position)c, (tap * p.in.c + row) * p.out.c + c};
  }
  __device__ __forceinline__ void advance(place& at, int n) const {
    at.c += n;
    at.offset += n;
    while (at.c >= p.out.c) {
      at.c -= (position)p.out.c;
      at.offset += (p.in.c - 1) * p.out.c;
    }
  }
  __device__ __forceinline__ T one(const place& at) const {
    return ((const T*)p.filter)[at.offset];
  }
  __device__ __forceinline__ four<T> four_at(const place& at) const {
    return load_four<T>(p.filter, at.offset);
  }
};

/* ---- Results: [pixel][channel] of an image, taps by channels of a filter. */

template <typename T, typename A, bool FOUR>
struct conv_result {
  static constexpr bool VECTORS = FOUR;
  const conv_params& p;
  void* to;
  const window_image*
      image; /* whose pixels the rows are; NULL: the result has a row after another */

  __device__ __forceinline__ int64_t place(int64_t row, int64_t col) const {
    if (FOUR || !image) return row * p.size.n + col;
    const pixel at(row, *image);
    return image_offset(*image, at.n, at.h, at.w, col);
  }
  __device__ __forceinline__ int64_t partial(int64_t chunk, int64_t row, int64_t col) const {
    return (chunk * p.size.m + row) * p.size.n + col;
  }
  __device__ __forceinline__ void four(int64_t chunk, int64_t, int64_t row, int64_t col,
                                       const A (&sums)[4]) const {
    if (p.size.chunks > 1)
      store_four<A>(p.partial, partial(chunk, row, col), sums);
    else
      store_four<T>(to, place(row, col), sums);
  }
  __device__ __forceinline__ void one(int64_t chunk, int64_t, int64_t row, int64_t col,
                                      A sum) const {
    if (p.size.chunks > 1)
      ((A*)p.partial)[partial(chunk, row, col)] = sum;
    else
      store<T>(to, place(row, col), (typename wide<T>::type)sum);
  }
};

/* ---- Kernels. */

template <typename T, typename A, bool FOUR, int SIDE>
__device__ __forceinline__ void forward(const conv_params& p, gemm_shared<A, SIDE>& shared) {
  gemm<A>(p.size, image_by_windows<T, FOUR, false>{{p}}, filter_by_outputs<T, FOUR>{{p}},
          conv_result<T, A, FOUR>{p, p.output, &p.out}, shared);
}
template <typename T, typename A, bool FOUR, int SIDE>
__device__ __forceinline__ void to_input(const conv_params& p, gemm_shared<A, SIDE>& shared) {
  gemm<A>(p.size, image_by_windows<T, FOUR, true>{{p}}, filter_by_inputs<T, FOUR>{{p}},
          conv_result<T, A, FOUR>{p, p.image, &p.in}, shared);
}
template <typename T, typename A, bool FOUR, int SIDE>
__device__ __forceinline__ void to_filter(const conv_params& p, gemm_shared<A, SIDE>& shared) {
  gemm<A>(p.size, windows_by_image<T, FOUR>{{p}}, output_by_pixels<T, FOUR>{{p}},
          conv_result<T, A, FOUR>{p, p.filter, nullptr}, shared);
}

#define CONV_KERNEL(NAME, FUNCTION, T, A)              \
  TFC_KERNEL_BOUNDS(NAME##_##T, conv_params, p, 128) { \
    __shared__ gemm_shared<A, 64> shared;              \
    if (p.size.vectors)                                \
      FUNCTION<T, A, true>(p, shared);                 \
    else                                               \
      FUNCTION<T, A, false>(p, shared);                \
  }
// On an H200, blocks of more registers are faster than two of fewer, but for gradients to filters.
#define LARGE_KERNEL(NAME, FUNCTION, T, BLOCKS)                     \
  TFC_KERNEL_BLOCKS(NAME##Large_##T, conv_params, p, 256, BLOCKS) { \
    __shared__ gemm_shared<float, 128> shared;                      \
    FUNCTION<T, float, true>(p, shared);                            \
  }
#define CONV_KERNELS(OP, T)                                    \
  CONV_KERNEL(Conv2D, forward, T, wide<T>::type)               \
  CONV_KERNEL(Conv2DBackpropInput, to_input, T, wide<T>::type) \
  CONV_KERNEL(Conv2DBackpropFilter, to_filter, T, wide<T>::type)
TFC_FLOATS(CONV_KERNELS, Conv2D)
CONV_KERNEL(Conv2D, forward, int32, int64_t)
CONV_KERNEL(Conv2DBackpropInput, to_input, int32, int64_t)
#define LARGE_KERNELS(OP, T)                        \
  LARGE_KERNEL(Conv2D, forward, T, 1)               \
  LARGE_KERNEL(Conv2DBackpropInput, to_input, T, 1) \
  LARGE_KERNEL(Conv2DBackpropFilter, to_filter, T, sizeof(T) == 4 ? 2 : 1)
TFC_SUMMED_IN_FLOAT(LARGE_KERNELS, Conv2D)
