/* Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, ApproximateEqual, LogicalAnd, LogicalOr.
 */
#include "kernels_cuda/cwise/cwise.cuh"

TFC_BINARY_FUNCTION(Less, x < y)
TFC_BINARY_FUNCTION(LessEqual, x <= y)
TFC_BINARY_FUNCTION(Greater, x > y)
TFC_BINARY_FUNCTION(GreaterEqual, x >= y)
TFC_REALS(TFC_COMPARE_KERNEL, Less)
TFC_REALS(TFC_COMPARE_KERNEL, LessEqual)
TFC_REALS(TFC_COMPARE_KERNEL, Greater)
TFC_REALS(TFC_COMPARE_KERNEL, GreaterEqual)

TFC_BINARY_FUNCTION(Equal, x == y)
TFC_BINARY_FUNCTION(NotEqual, x != y)
TFC_REALS(TFC_COMPARE_KERNEL, Equal)
TFC_REALS(TFC_COMPARE_KERNEL, NotEqual)

/* ---- |x - y| <= tolerance; the shapes are equal. The difference of integers without overflow. */

struct ApproximateEqual {
  static __device__ __forceinline__ bool apply(float x, float y, const cwise_binary_params& p) {
    return fabsf(x - y) <= (float)p.argument;
  }
  static __device__ __forceinline__ bool apply(double x, double y, const cwise_binary_params& p) {
    return fabs(x - y) <= (double)(float)p.argument; /* an attribute has the precision of float */
  }
  template <typename T>
  static __device__ __forceinline__ bool apply(T x, T y, const cwise_binary_params& p) {
    return (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) <= p.argument;
  }
};
TFC_REALS(TFC_COMPARE_KERNEL, ApproximateEqual)

/* ---- Bools: any byte but 0 is true, except for Equal, which compares bytes as on the CPU. */

TFC_BINARY_FUNCTION(LogicalAnd, x != 0 && y != 0)
TFC_BINARY_FUNCTION(LogicalOr, (x | y) != 0)
#define BOOL_KERNEL(OP)                           \
  TFC_KERNEL(OP##_bool, cwise_binary_params, p) { \
    binary_loop<OP, boolean, boolean>(p);         \
  }
BOOL_KERNEL(Equal)
BOOL_KERNEL(NotEqual)
BOOL_KERNEL(LogicalAnd)
BOOL_KERNEL(LogicalOr)
