/* Cast between all real types and bool.
 *
 * Real to integer truncates; values out of range become what the CPU's kernels make of them: the
 * most negative int32 (int64 for the 64-bit types), cut to the target's size. */
#include "kernels_cuda/cwise/cwise.cuh"

__device__ __forceinline__ int32_t to_int32(double x) {
  return x > -0x1p31 - 1 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}
__device__ __forceinline__ int64_t to_int64(double x) {
  return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}
__device__ __forceinline__ uint32_t to_uint32(double x) {
  return x >= 0x1p31 && x < 0x1p32 ? (uint32_t)(int64_t)x : (uint32_t)to_int32(x);
}
__device__ __forceinline__ uint64_t to_uint64(double x) {
  return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)x : (uint64_t)to_int64(x);
}

/* ---- cast_to<Y>::from(x): x is float, double or an integer. */

template <typename Y>
struct cast_to {
  static __device__ __forceinline__ Y from(float x) { return (Y)to_int32(x); }
  static __device__ __forceinline__ Y from(double x) { return (Y)to_int32(x); }
  template <typename X>
  static __device__ __forceinline__ Y from(X x) {
    return (Y)x;
  }
};
#define WIDE_INTEGER(T, CONVERT)                                              \
  template <>                                                                 \
  struct cast_to<T> {                                                         \
    static __device__ __forceinline__ T from(float x) { return CONVERT(x); }  \
    static __device__ __forceinline__ T from(double x) { return CONVERT(x); } \
    template <typename X>                                                     \
    static __device__ __forceinline__ T from(X x) {                           \
      return (T)x;                                                            \
    }                                                                         \
  };
WIDE_INTEGER(uint32_t, to_uint32)
WIDE_INTEGER(int64_t, to_int64)
WIDE_INTEGER(uint64_t, to_uint64)
#define PLAIN_TARGET(T, EXPRESSION)                 \
  template <>                                       \
  struct cast_to<T> {                               \
    template <typename X>                           \
    static __device__ __forceinline__ T from(X x) { \
      return EXPRESSION;                            \
    }                                               \
  };
PLAIN_TARGET(float, (float)x)
PLAIN_TARGET(double, (double)x)
struct truth {}; /* stands for bool, which has the bytes of uint8 */
template <>
struct cast_to<truth> {
  template <typename X>
  static __device__ __forceinline__ uint8_t from(X x) {
    return x != 0;
  }
};
/* From double in one rounding; integers become float first, as on the CPU. */
#define HALF_TARGET(T, FROM_FLOAT, FROM_DOUBLE)                                   \
  template <>                                                                     \
  struct cast_to<T> {                                                             \
    static __device__ __forceinline__ T from(double x) { return FROM_DOUBLE(x); } \
    template <typename X>                                                         \
    static __device__ __forceinline__ T from(X x) {                               \
      return FROM_FLOAT((float)x);                                                \
    }                                                                             \
  };
HALF_TARGET(half, __float2half, __double2half)
HALF_TARGET(bfloat16, __float2bfloat16, __double2bfloat16)

/* ---- The lowest bits of a mantissa can be cut off first; NaN stays NaN. */

template <typename T>
__device__ __forceinline__ T without_low_bits(T x, int64_t) {
  return x;
}
__device__ __forceinline__ float without_low_bits(float x, int64_t bits) {
  return x != x ? x : __uint_as_float(__float_as_uint(x) & (~0u << bits));
}
__device__ __forceinline__ double without_low_bits(double x, int64_t bits) {
  return x != x ? x : __longlong_as_double(__double_as_longlong(x) & (long long)(~0ull << bits));
}

template <typename X, typename Y, typename Stored>
__device__ __forceinline__ void cast_elements(const cwise_cast_params& p) {
  TFC_FOR_ELEMENTS(i, p.n) {
    typename wide<X>::type x = load<X>(p.x, i);
    if (p.zeroed_bits) x = without_low_bits(x, p.zeroed_bits);
    ((Stored*)p.y)[i] = cast_to<Y>::from(x);
  }
}

/* Kernels Cast_from_to. bool reads as uint8. */
#define CAST_KERNEL(X, Y)                            \
  TFC_KERNEL(Cast_##X##_##Y, cwise_cast_params, p) { \
    cast_elements<X, Y, Y>(p);                       \
  }
/* Written out, since the macros that list types cannot be nested. */
#define CAST_KERNELS(OP, X)                           \
  CAST_KERNEL(X, float)                               \
  CAST_KERNEL(X, double)                              \
  CAST_KERNEL(X, half)                                \
  CAST_KERNEL(X, bfloat16)                            \
  CAST_KERNEL(X, int8)                                \
  CAST_KERNEL(X, uint8)                               \
  CAST_KERNEL(X, int16)                               \
  CAST_KERNEL(X, uint16)                              \
  CAST_KERNEL(X, int32)                               \
  CAST_KERNEL(X, uint32)                              \
  CAST_KERNEL(X, int64)                               \
  CAST_KERNEL(X, uint64)                              \
  TFC_KERNEL(Cast_##X##_bool, cwise_cast_params, p) { \
    cast_elements<X, truth, uint8_t>(p);              \
  }
TFC_REALS(CAST_KERNELS, Cast)
