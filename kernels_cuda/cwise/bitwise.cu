/* BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift, RightShift, Invert, PopulationCount. */
#include "kernels_cuda/cwise/cwise.cuh"

TFC_BINARY_FUNCTION(BitwiseAnd, x& y)
TFC_BINARY_FUNCTION(BitwiseOr, x | y)
TFC_BINARY_FUNCTION(BitwiseXor, x ^ y)
TFC_INTEGERS(TFC_BINARY_KERNEL, BitwiseAnd)
TFC_INTEGERS(TFC_BINARY_KERNEL, BitwiseOr)
TFC_INTEGERS(TFC_BINARY_KERNEL, BitwiseXor)

/* A shift distance outside [0, bits) counts as the nearest one inside, as in TensorFlow. */
template <typename T>
__device__ __forceinline__ int distance(T y) {
  const T last = T(8 * sizeof(T) - 1);
  return y < T(0) ? 0 : y > last ? (int)last : (int)y;
}
TFC_BINARY_FUNCTION(LeftShift, (T)((uint64_t)x << distance(y)))
TFC_BINARY_FUNCTION(RightShift, (T)(x >> distance(y)))
TFC_INTEGERS(TFC_BINARY_KERNEL, LeftShift)
TFC_INTEGERS(TFC_BINARY_KERNEL, RightShift)

TFC_UNARY_FUNCTION(Invert, (T)~x)
TFC_INTEGERS(TFC_UNARY_KERNEL, Invert)

/* Bits of the type only: a negative int8 is not widened to 64 bits with its sign. */
#define COUNT_KERNEL(OP, T)                                                                \
  TFC_KERNEL(OP##_##T, cwise_unary_params, p) {                                            \
    TFC_FOR_ELEMENTS(i, p.n)((uint8_t*)p.y)[i] = (uint8_t)__popcll(((const u##T*)p.x)[i]); \
  }
#define UNSIGNED_COUNT_KERNEL(OP, T)                                                    \
  TFC_KERNEL(OP##_##T, cwise_unary_params, p) {                                         \
    TFC_FOR_ELEMENTS(i, p.n)((uint8_t*)p.y)[i] = (uint8_t)__popcll(((const T*)p.x)[i]); \
  }
TFC_SIGNED(COUNT_KERNEL, PopulationCount)
TFC_UNSIGNED(UNSIGNED_COUNT_KERNEL, PopulationCount)
