/* Loops of element-wise kernels.
 *
 * A function is a struct with a static `apply`. TFC_UNARY_FUNCTION and TFC_BINARY_FUNCTION make it
 * from an expression of x (and y), whose type T is the computing type, and of p, the parameters. */
#ifndef TFCORE_CUDA_CWISE_CUH
#define TFCORE_CUDA_CWISE_CUH

#include "cwise.h"
#include "element.cuh"

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

/* X: the type of x; Y: the type of y. */
template <typename Op, typename X, typename Y>
__device__ __forceinline__ void unary_loop(const cwise_unary_params& p) {
  TFC_FOR_ELEMENTS(i, p.n)
  store<Y>(p.y, i, (typename wide<Y>::type)Op::apply(load<X>(p.x, i), p));
}

/* The offsets of an element of z in two operands. I: an integer type that holds n; 32 bits make the
 * divisions cheap. */
template <typename I, typename Params>
__device__ __forceinline__ void operand_offsets(const Params& p, int64_t i, int64_t* x,
                                                int64_t* y) {
  I rest = (I)i;
  *x = *y = 0;
  for (int d = (int)p.rank - 1; d > 0; d--) {
    I size = (I)p.dims[d], quotient = rest / size, index = rest - quotient * size;
    *x += index * p.x_stride[d];
    *y += index * p.y_stride[d];
    rest = quotient;
  }
  *x += rest * p.x_stride[0];
  *y += rest * p.y_stride[0];
}

/* X: the type of x and y; Z: the type of z. */
template <typename Op, typename X, typename Z, typename I>
__device__ __forceinline__ void binary_elements(const cwise_binary_params& p) {
  TFC_FOR_ELEMENTS(i, p.n) {
    int64_t x, y;
    operand_offsets<I>(p, i, &x, &y);
    typename wide<X>::type a = load<X>(p.x, x), b = load<X>(p.y, y);
    store<Z>(p.z, i, (typename wide<Z>::type)Op::apply(a, b, p));
  }
}
template <typename Op, typename X, typename Z>
__device__ __forceinline__ void binary_loop(const cwise_binary_params& p) {
  if (p.n <= INT32_MAX)
    binary_elements<Op, X, Z, uint32_t>(p);
  else
    binary_elements<Op, X, Z, int64_t>(p);
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
