/* Element types and loops, shared by all families. */
#ifndef TFCORE_CUDA_ELEMENT_CUH
#define TFCORE_CUDA_ELEMENT_CUH

#include "kernels_cuda/common/kernel.cuh"
#include "kernels_cuda/common/launch.h"

/* ---- Types by TensorFlow's names, which end the names of kernels. */

typedef int8_t int8;
typedef uint8_t uint8;
typedef int16_t int16;
typedef uint16_t uint16;
typedef int32_t int32;
typedef uint32_t uint32;
typedef int64_t int64;
typedef uint64_t uint64;
typedef __half half;
typedef __nv_bfloat16 bfloat16;
typedef uint8_t boolean; /* a byte; any value but 0 is true */

/* For kernels that only move elements: unsigned types by size. */
typedef uint8_t bytes1;
typedef uint16_t bytes2;
typedef uint32_t bytes4;
typedef uint64_t bytes8;
struct alignas(16) bytes16 {
  uint64_t part[2];
};

/* M(OP, type) for each type. With TFC_FEW_TYPES, for one type of each kind: tests that compile a
 * family for one kernel, or only to see whether a compiler takes it, need no more. */
#ifdef TFC_FEW_TYPES
#define TFC_WIDE_FLOATS(M, OP) M(OP, float)
#define TFC_FLOATS(M, OP) TFC_WIDE_FLOATS(M, OP) M(OP, half)
#define TFC_SUMMED_IN_FLOAT(M, OP) TFC_FLOATS(M, OP)
#define TFC_SIGNED(M, OP) M(OP, int32)
#define TFC_UNSIGNED(M, OP) M(OP, uint8)
#else
#define TFC_WIDE_FLOATS(M, OP) M(OP, float) M(OP, double)
#define TFC_FLOATS(M, OP) TFC_WIDE_FLOATS(M, OP) M(OP, half) M(OP, bfloat16)
#define TFC_SUMMED_IN_FLOAT(M, OP) M(OP, float) M(OP, half) M(OP, bfloat16)
#define TFC_SIGNED(M, OP) M(OP, int8) M(OP, int16) M(OP, int32) M(OP, int64)
#define TFC_UNSIGNED(M, OP) M(OP, uint8) M(OP, uint16) M(OP, uint32) M(OP, uint64)
#endif
#define TFC_INTEGERS(M, OP) TFC_SIGNED(M, OP) TFC_UNSIGNED(M, OP)
#define TFC_REALS(M, OP) TFC_FLOATS(M, OP) TFC_INTEGERS(M, OP)
#define TFC_SIZES(M, OP) M(OP, bytes1) M(OP, bytes2) M(OP, bytes4) M(OP, bytes8) M(OP, bytes16)

/* ---- half and bfloat16 are computed in float; all other types in themselves. */

template <typename T>
struct wide {
  typedef T type;
};
template <>
struct wide<half> {
  typedef float type;
};
template <>
struct wide<bfloat16> {
  typedef float type;
};

template <typename T>
__device__ __forceinline__ T widen(T x) {
  return x;
}
__device__ __forceinline__ float widen(half x) {
  return __half2float(x);
}
__device__ __forceinline__ float widen(bfloat16 x) {
  return __bfloat162float(x);
}

template <typename T>
__device__ __forceinline__ void narrow(T x, T* to) {
  *to = x;
}
__device__ __forceinline__ void narrow(float x, half* to) {
  *to = __float2half(x);
}
__device__ __forceinline__ void narrow(float x, bfloat16* to) {
  *to = __float2bfloat16(x);
}

/* The type is named at the call, since parameter structs have void pointers. */
template <typename T>
__device__ __forceinline__ typename wide<T>::type load(const void* from, int64_t i) {
  return widen(((const T*)from)[i]);
}
template <typename T>
__device__ __forceinline__ void store(void* to, int64_t i, typename wide<T>::type x) {
  narrow(x, (T*)to + i);
}

/* ---- Groups of N neighbours, which one access reads or writes: N makes it 16 bytes, the widest
 * there is, for types of 4 bytes and more, and spares others registers. */

template <typename T, int N>
struct alignas(sizeof(T) * N) group {
  T of[N];
};
template <typename T>
struct group_size {
  enum { N = sizeof(T) >= 4 ? 16 / sizeof(T) : 4 };
};
template <typename A, typename B>
struct common_group_size {
  enum { N = group_size<A>::N < group_size<B>::N ? group_size<A>::N : group_size<B>::N };
};

/* Whether groups may be accessed at this address. */
template <typename T, int N>
__device__ __forceinline__ bool takes_groups(const void* at) {
  return ((uintptr_t)at & (sizeof(group<T, N>) - 1)) == 0;
}

/* Integers wrap in an unsigned type of at least 32 bits, since smaller ones would become int. */
template <typename T>
struct wrapping {
  typedef typename wide<T>::type type;
};
template <>
struct wrapping<int8_t> {
  typedef uint32_t type;
};
template <>
struct wrapping<uint8_t> {
  typedef uint32_t type;
};
template <>
struct wrapping<int16_t> {
  typedef uint32_t type;
};
template <>
struct wrapping<uint16_t> {
  typedef uint32_t type;
};
template <>
struct wrapping<int32_t> {
  typedef uint32_t type;
};
template <>
struct wrapping<int64_t> {
  typedef uint64_t type;
};

/* ---- Loops. */

/* Each thread takes every (threads of the grid)-th element: neighbours in a warp have neighbours in
 * memory. */
#define TFC_FOR_ELEMENTS(I, N) for (int64_t I = tfc_first(); I < (N); I += tfc_step())

/* a / b for a >= 0 and b > 0. Numbers of 32 bits are divided much faster. */
__device__ __forceinline__ int64_t quotient_of(int64_t a, int64_t b) {
  return ((uint64_t)a | (uint64_t)b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}

/* ---- Reports. */

__device__ inline void report_failure(tfc_report* report, uint32_t failure) {
  atomicOr(&report->failed, failure);
}
/* The k-th number of the index at this position is wrong, or part of an index with a wrong one. */
__device__ inline void report_index(tfc_report* report, int k, int64_t position, int64_t value) {
  atomicOr(&report->failed, (uint32_t)TFC_BAD_INDEX);
  uint64_t high = tfc_report_word(position, (uint32_t)((uint64_t)value >> 32));
  uint64_t low = tfc_report_word(position, (uint32_t)value);
  atomicMax((unsigned long long*)&report->index[k][0], (unsigned long long)high);
  atomicMax((unsigned long long*)&report->index[k][1], (unsigned long long)low);
}

/* ---- Functions of float and double under one name. CUDA and the C library of the host overload
 * them differently. */

#define TFC_MATH(NAME)                                   \
  __device__ __forceinline__ float m_##NAME(float x) {   \
    return NAME##f(x);                                   \
  }                                                      \
  __device__ __forceinline__ double m_##NAME(double x) { \
    return NAME(x);                                      \
  }
TFC_MATH(fabs)
TFC_MATH(floor)
TFC_MATH(ceil)
TFC_MATH(trunc)
TFC_MATH(rint)
TFC_MATH(sqrt)
TFC_MATH(exp)
TFC_MATH(expm1)
TFC_MATH(log)
TFC_MATH(log1p)
TFC_MATH(tanh)
TFC_MATH(sin)
TFC_MATH(cos)
TFC_MATH(tan)
TFC_MATH(asin)
TFC_MATH(acos)
TFC_MATH(atan)
TFC_MATH(sinh)
TFC_MATH(cosh)
TFC_MATH(asinh)
TFC_MATH(acosh)
TFC_MATH(atanh)
TFC_MATH(erf)
TFC_MATH(erfc)
TFC_MATH(lgamma)

#define TFC_MATH_OF_TWO(NAME)                                      \
  __device__ __forceinline__ float m_##NAME(float x, float y) {    \
    return NAME##f(x, y);                                          \
  }                                                                \
  __device__ __forceinline__ double m_##NAME(double x, double y) { \
    return NAME(x, y);                                             \
  }
TFC_MATH_OF_TWO(fmod)
TFC_MATH_OF_TWO(pow)
TFC_MATH_OF_TWO(atan2)

/* Neither branch overflows. */
template <typename T>
__device__ __forceinline__ T sigmoid(T x) {
  T e = m_exp(-m_fabs(x));
  return x >= 0 ? 1 / (1 + e) : e / (1 + e);
}

#endif /* TFCORE_CUDA_ELEMENT_CUH */
