/* Loops of element-wise kernels.
 *
 * A function is a struct with a static `apply`. TFC_UNARY_FUNCTION and TFC_BINARY_FUNCTION make it
 * from an expression of x (and y), whose type T is the computing type, and of p, the parameters. */
#ifndef TFCORE_CUDA_CWISE_CUH
#define TFCORE_CUDA_CWISE_CUH

#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/cwise/cwise.h"

#define TFC_UNARY_FUNCTION(OP, EXPRESSION)                                                         \
  struct OP {                                                                                      \
    template <typename T>                                                                          \
    static __device__ __forceinline__ T apply(T x, [[maybe_unused]] const cwise_unary_params& p) { \
      return EXPRESSION;                                                                           \
    }                                                                                              \
  };
#define TFC_BINARY_FUNCTION(OP, EXPRESSION)                                                    \
  struct OP {                                                                                  \
    template <typename T>                                                                      \
    static __device__ __forceinline__ T apply(T x, T y,                                        \
                                              [[maybe_unused]] const cwise_binary_params& p) { \
      return EXPRESSION;                                                                       \
    }                                                                                          \
  };

/* X: the type of x; Y: the type of y. In groups where both addresses allow it; the elements after
 * the last group are taken one by one. */
template <typename Op, typename X, typename Y>
__device__ __forceinline__ void unary_loop(const cwise_unary_params& p) {
  enum { N = common_group_size<X, Y>::N };
  typedef typename wide<Y>::type W;
  const int64_t groups = takes_groups<X, N>(p.x) && takes_groups<Y, N>(p.y) ? p.n / N : 0;
  TFC_FOR_ELEMENTS(g, groups) {
    const group<X, N> x = ((const group<X, N>*)p.x)[g];
    group<Y, N> y;
#pragma unroll
    for (int k = 0; k < N; k++) narrow((W)Op::apply(widen(x.of[k]), p), &y.of[k]);
    ((group<Y, N>*)p.y)[g] = y;
  }
  for (int64_t i = groups * N + tfc_first(); i < p.n; i += tfc_step())
    store<Y>(p.y, i, (W)Op::apply(load<X>(p.x, i), p));
}

/* The offsets of an element of z in two operands. I: an integer type that holds i; 32 bits make the
 * divisions cheap. */
template <typename I>
__device__ __forceinline__ void divided_offsets(const cwise_binary_params& p, int64_t i, int64_t* x,
                                                int64_t* y) {
  I rest = (I)i;
  *x = *y = 0;
#pragma unroll 1
  for (int d = (int)p.rank - 1; d > 0; d--) {
    I size = (I)p.dims[d], quotient = rest / size, index = rest - quotient * size;
    *x += index * p.x_stride[d];
    *y += index * p.y_stride[d];
    rest = quotient;
  }
  *x += rest * p.x_stride[0];
  *y += rest * p.y_stride[0];
}
__device__ __forceinline__ void operand_offsets(const cwise_binary_params& p, int64_t i, int64_t* x,
                                                int64_t* y) {
  if (p.rank == 1) {
    *x = i * p.x_stride[0];
    *y = i * p.y_stride[0];
    return;
  }
  if (p.n <= INT32_MAX)
    divided_offsets<uint32_t>(p, i, x, y);
  else
    divided_offsets<int64_t>(p, i, x, y);
}

/* An operand, for groups of neighbours in z. */
template <typename X, int N>
struct group_operand {
  const X* from;
  int64_t step; /* between the neighbours */
  bool at_once; /* each of its groups is one, too */

  __device__ __forceinline__ group_operand(const void* x, const int64_t* stride, int64_t rank) {
    from = (const X*)x;
    step = stride[rank - 1];
    at_once = step == 1 && takes_groups<X, N>(x);
#pragma unroll 1
    for (int d = 0; d < rank - 1; d++) at_once = at_once && stride[d] % N == 0;
  }
  __device__ __forceinline__ group<X, N> at(int64_t offset) const {
    if (at_once) return *(const group<X, N>*)(from + offset);
    group<X, N> found;
#pragma unroll
    for (int k = 0; k < N; k++) found.of[k] = from[offset + k * step];
    return found;
  }
};

/* X: the type of x and y; Z: the type of z. In groups that don't reach beyond the last dimension.
 */
template <typename Op, typename X, typename Z>
__device__ __forceinline__ void binary_loop(const cwise_binary_params& p) {
  enum { N = common_group_size<X, Z>::N };
  typedef typename wide<Z>::type W;
  const bool fit = p.rank == 1 || p.dims[p.rank - 1] % N == 0;
  const int64_t groups = p.n >= N && fit && takes_groups<Z, N>(p.z) ? p.n / N : 0;
  int64_t x, y;
  if (groups) {
    const group_operand<X, N> x_groups(p.x, p.x_stride, p.rank), y_groups(p.y, p.y_stride, p.rank);
    TFC_FOR_ELEMENTS(g, groups) {
      operand_offsets(p, g * N, &x, &y);
      const group<X, N> a = x_groups.at(x), b = y_groups.at(y);
      group<Z, N> z;
#pragma unroll
      for (int k = 0; k < N; k++) narrow((W)Op::apply(widen(a.of[k]), widen(b.of[k]), p), &z.of[k]);
      ((group<Z, N>*)p.z)[g] = z;
    }
  }
  for (int64_t i = groups * N + tfc_first(); i < p.n; i += tfc_step()) {
    operand_offsets(p, i, &x, &y);
    store<Z>(p.z, i, (W)Op::apply(load<X>(p.x, x), load<X>(p.y, y), p));
  }
}

/* Kernels OP_type whose result has the operands' type. */
#define TFC_UNARY_KERNEL(OP, T)                 \
  TFC_KERNEL(OP##_##T, cwise_unary_params, p) { \
    unary_loop<OP, T, T>(p);                    \
  }
#define TFC_BINARY_KERNEL(OP, T)                 \
  TFC_KERNEL(OP##_##T, cwise_binary_params, p) { \
    binary_loop<OP, T, T>(p);                    \
  }
/* Kernels OP_type whose result is bool. */
#define TFC_PREDICATE_KERNEL(OP, T)             \
  TFC_KERNEL(OP##_##T, cwise_unary_params, p) { \
    unary_loop<OP, T, boolean>(p);              \
  }
#define TFC_COMPARE_KERNEL(OP, T)                \
  TFC_KERNEL(OP##_##T, cwise_binary_params, p) { \
    binary_loop<OP, T, boolean>(p);              \
  }

#endif /* TFCORE_CUDA_CWISE_CUH */
