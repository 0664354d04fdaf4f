/* Arithmetic on two operands: sums, products, quotients, remainders, extremes, powers. */
#include "kernels_cuda/cwise/cwise.cuh"

/* ---- Sums and products. Integers wrap. */

#define ARITHMETIC_FUNCTION(OP, EXPRESSION)                                                  \
  struct OP {                                                                                \
    template <typename T>                                                                    \
    static __device__ __forceinline__ T apply(T left, T right, const cwise_binary_params&) { \
      const typename wrapping<T>::type x = left, y = right;                                  \
      return (T)(EXPRESSION);                                                                \
    }                                                                                        \
  };
ARITHMETIC_FUNCTION(Add, x + y)
ARITHMETIC_FUNCTION(Sub, x - y)
ARITHMETIC_FUNCTION(Mul, x* y)
ARITHMETIC_FUNCTION(SquaredDifference, (x - y) * (x - y))
TFC_BINARY_FUNCTION(MulNoNan, y == 0 ? T(0) : x * y)
TFC_REALS(TFC_BINARY_KERNEL, Add)
TFC_REALS(TFC_BINARY_KERNEL, Sub)
TFC_REALS(TFC_BINARY_KERNEL, Mul)
TFC_FLOATS(TFC_BINARY_KERNEL, SquaredDifference)
TFC_BINARY_KERNEL(SquaredDifference, int32)
TFC_BINARY_KERNEL(SquaredDifference, int64)
TFC_FLOATS(TFC_BINARY_KERNEL, MulNoNan)

/* ---- Extremes: a NaN in either operand is the result; of equal ones (0 and -0) the first. */

TFC_BINARY_FUNCTION(Maximum, x >= y || x != x ? x : y)
TFC_BINARY_FUNCTION(Minimum, x <= y || x != x ? x : y)
TFC_REALS(TFC_BINARY_KERNEL, Maximum)
TFC_REALS(TFC_BINARY_KERNEL, Minimum)

/* ---- Quotients and remainders of floating-point numbers. FloorMod has the sign of the divisor. */

TFC_BINARY_FUNCTION(Div, x / y)
TFC_BINARY_FUNCTION(DivNoNan, y == 0 ? T(0) : x / y)
TFC_BINARY_FUNCTION(Xdivy, x == 0 ? T(0) : x / y)
TFC_BINARY_FUNCTION(TruncateDiv, m_trunc(x / y))
TFC_BINARY_FUNCTION(FloorDiv, m_floor(x / y))
TFC_BINARY_FUNCTION(TruncateMod, m_fmod(x, y))
struct FloorMod {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params&) {
    T r = m_fmod(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
  }
};
TFC_FLOATS(TFC_BINARY_KERNEL, Div)
TFC_FLOATS(TFC_BINARY_KERNEL, DivNoNan)
TFC_FLOATS(TFC_BINARY_KERNEL, Xdivy)
TFC_FLOATS(TFC_BINARY_KERNEL, TruncateDiv)
TFC_FLOATS(TFC_BINARY_KERNEL, FloorDiv)
TFC_FLOATS(TFC_BINARY_KERNEL, TruncateMod)
TFC_FLOATS(TFC_BINARY_KERNEL, FloorMod)

/* ---- The same for integers. A division by zero is reported and gives 0; the most negative number
 * divided by -1 wraps. */

template <typename T>
__device__ __forceinline__ bool is_zero(T y, const cwise_binary_params& p) {
  if (y == 0) report_failure(p.report, TFC_DIVIDED_BY_ZERO);
  return y == 0;
}
template <typename T>
__device__ __forceinline__ bool is_minus_one(T y) {
  return T(-1) < T(0) && y == T(-1);
}
struct IntegerTruncateDiv {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params& p) {
    if (is_zero(y, p)) return 0;
    return is_minus_one(y) ? (T)(0 - (typename wrapping<T>::type)x) : (T)(x / y);
  }
};
struct IntegerFloorDiv {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params& p) {
    T quotient = IntegerTruncateDiv::apply(x, y, p);
    if (y == 0 || is_minus_one(y)) return quotient;
    return (T)(quotient - (x % y != 0 && (x < T(0)) != (y < T(0))));
  }
};
struct IntegerTruncateMod {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params& p) {
    return is_zero(y, p) || is_minus_one(y) ? T(0) : (T)(x % y);
  }
};
struct IntegerFloorMod {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params& p) {
    T r = IntegerTruncateMod::apply(x, y, p);
    return (T)(r != 0 && (r < T(0)) != (y < T(0)) ? r + y : r);
  }
};
#define INTEGER_KERNEL(OP, T)                    \
  TFC_KERNEL(OP##_##T, cwise_binary_params, p) { \
    binary_loop<Integer##OP, T, T>(p);           \
  }
TFC_INTEGERS(INTEGER_KERNEL, TruncateDiv)
TFC_INTEGERS(INTEGER_KERNEL, FloorDiv)
TFC_INTEGERS(INTEGER_KERNEL, TruncateMod)
TFC_INTEGERS(INTEGER_KERNEL, FloorMod)

/* ---- Atan2, products with logarithms (0 times anything is 0), powers. */

TFC_BINARY_FUNCTION(Atan2, m_atan2(x, y)) /* the op's inputs are y, x */
TFC_BINARY_FUNCTION(Xlogy, x == 0 ? T(0) : x * m_log(y))
TFC_BINARY_FUNCTION(Xlog1py, x == 0 ? T(0) : x * m_log1p(y))
TFC_BINARY_FUNCTION(Pow, m_pow(x, y))
TFC_FLOATS(TFC_BINARY_KERNEL, Atan2)
TFC_FLOATS(TFC_BINARY_KERNEL, Xlogy)
TFC_FLOATS(TFC_BINARY_KERNEL, Xlog1py)
TFC_FLOATS(TFC_BINARY_KERNEL, Pow)

/* Wraps like multiplication; a negative exponent is reported. */
struct IntegerPow {
  template <typename T>
  static __device__ __forceinline__ T apply(T x, T y, const cwise_binary_params& p) {
    uint64_t result = 1, base = (uint64_t)x;
    if (y < 0) report_failure(p.report, TFC_NEGATIVE_EXPONENT);
    for (; y > 0; y >>= 1, base *= base)
      if (y & 1) result *= base;
    return (T)result;
  }
};
TFC_SIGNED(INTEGER_KERNEL, Pow)
