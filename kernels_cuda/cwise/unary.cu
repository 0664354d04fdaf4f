/* Functions of one number: arithmetic, rounding, exponentials, trigonometry, predicates; and the
 * gradients of some, by their result. */
#include "kernels_c/cwise/names.h"
#include "kernels_cuda/cwise/cwise.cuh"

/* ---- Arithmetic. Integers wrap. */

#define ARITHMETIC_FUNCTION(OP, EXPRESSION)                                         \
  struct OP {                                                                       \
    template <typename T>                                                           \
    static __device__ __forceinline__ T apply(T value, const cwise_unary_params&) { \
      const typename wrapping<T>::type x = value;                                   \
      return (T)(EXPRESSION);                                                       \
    }                                                                               \
  };

ARITHMETIC_FUNCTION(Neg, -x)
ARITHMETIC_FUNCTION(Square, x* x)
TFC_UNARY_FUNCTION(Reciprocal, 1 / x)
/* NaN stays NaN, and a zero keeps its sign. */
TFC_UNARY_FUNCTION(Sign, x > 0 ? T(1) : x < 0 ? T(-1) : x)

struct Abs {
  static __device__ __forceinline__ float apply(float x, const cwise_unary_params&) {
    return fabsf(x);
  }
  static __device__ __forceinline__ double apply(double x, const cwise_unary_params&) {
    return fabs(x);
  }
  template <typename T>
  static __device__ __forceinline__ T apply(T x, const cwise_unary_params& p) {
    return x < 0 ? Neg::apply(x, p) : x;
  }
};

TFC_REALS(TFC_UNARY_KERNEL, Square)
TFC_FLOATS(TFC_UNARY_KERNEL, Abs)
TFC_SIGNED(TFC_UNARY_KERNEL, Abs)
TFC_FLOATS(TFC_UNARY_KERNEL, Neg)
TFC_SIGNED(TFC_UNARY_KERNEL, Neg)
TFC_FLOATS(TFC_UNARY_KERNEL, Sign)
TFC_SIGNED(TFC_UNARY_KERNEL, Sign)
TFC_FLOATS(TFC_UNARY_KERNEL, Reciprocal)

/* ---- Rounding: half to even. Rounding an integer is a copy, which needs no kernel. */

TFC_UNARY_FUNCTION(Floor, m_floor(x))
TFC_UNARY_FUNCTION(Ceil, m_ceil(x))
TFC_UNARY_FUNCTION(Round, m_rint(x))
TFC_FLOATS(TFC_UNARY_KERNEL, Floor)
TFC_FLOATS(TFC_UNARY_KERNEL, Ceil)
TFC_FLOATS(TFC_UNARY_KERNEL, Round)

/* ---- Roots, exponentials, logarithms, error functions. */

TFC_UNARY_FUNCTION(Sqrt, m_sqrt(x))
TFC_UNARY_FUNCTION(Rsqrt, 1 / m_sqrt(x))
TFC_UNARY_FUNCTION(Exp, m_exp(x))
TFC_UNARY_FUNCTION(Expm1, m_expm1(x))
TFC_UNARY_FUNCTION(Log, m_log(x))
TFC_UNARY_FUNCTION(Log1p, m_log1p(x))
TFC_UNARY_FUNCTION(Tanh, m_tanh(x))
TFC_UNARY_FUNCTION(Sigmoid, sigmoid(x))
TFC_UNARY_FUNCTION(Erf, m_erf(x))
TFC_UNARY_FUNCTION(Erfc, m_erfc(x))
TFC_UNARY_FUNCTION(Lgamma, m_lgamma(x))
TFC_FLOATS(TFC_UNARY_KERNEL, Erf)
TFC_FLOATS(TFC_UNARY_KERNEL, Erfc)
TFC_FLOATS(TFC_UNARY_KERNEL, Lgamma)

/* ---- Trigonometric and hyperbolic functions. */

TFC_UNARY_FUNCTION(Sin, m_sin(x))
TFC_UNARY_FUNCTION(Cos, m_cos(x))
TFC_UNARY_FUNCTION(Tan, m_tan(x))
TFC_UNARY_FUNCTION(Asin, m_asin(x))
TFC_UNARY_FUNCTION(Acos, m_acos(x))
TFC_UNARY_FUNCTION(Atan, m_atan(x))
TFC_UNARY_FUNCTION(Sinh, m_sinh(x))
TFC_UNARY_FUNCTION(Cosh, m_cosh(x))
TFC_UNARY_FUNCTION(Asinh, m_asinh(x))
TFC_UNARY_FUNCTION(Acosh, m_acosh(x))
TFC_UNARY_FUNCTION(Atanh, m_atanh(x))

#define FLOAT_KERNELS(OP) TFC_FLOATS(TFC_UNARY_KERNEL, OP)
TFC_ANALYTIC_FUNCTIONS(FLOAT_KERNELS)

/* ---- Predicates. */

TFC_UNARY_FUNCTION(IsNan, x != x)
TFC_UNARY_FUNCTION(IsInf, m_fabs(x) == T(INFINITY))
TFC_UNARY_FUNCTION(IsFinite, m_fabs(x) < T(INFINITY))
TFC_UNARY_FUNCTION(LogicalNot, x == 0)
TFC_FLOATS(TFC_PREDICATE_KERNEL, IsNan)
TFC_FLOATS(TFC_PREDICATE_KERNEL, IsInf)
TFC_FLOATS(TFC_PREDICATE_KERNEL, IsFinite)
TFC_KERNEL(LogicalNot_bool, cwise_unary_params, p) {
  unary_loop<LogicalNot, boolean, boolean>(p);
}

/* ---- Gradients by the result. x: y, y: dy in TensorFlow's names. A dy of 0 gives 0 where x would
 * otherwise make it NaN. */

TFC_BINARY_FUNCTION(SigmoidGrad, y * x * (1 - x))
TFC_BINARY_FUNCTION(TanhGrad, y * (1 - x * x))
TFC_BINARY_FUNCTION(SqrtGrad, y == 0 ? T(0) : y * T(0.5) / x)
TFC_BINARY_FUNCTION(RsqrtGrad, y == 0 ? T(0) : y * T(-0.5) * (x * x) * x)
TFC_BINARY_FUNCTION(ReciprocalGrad, y == 0 ? T(0) : -y * (x * x))
TFC_FLOATS(TFC_BINARY_KERNEL, SigmoidGrad)
TFC_FLOATS(TFC_BINARY_KERNEL, TanhGrad)
TFC_FLOATS(TFC_BINARY_KERNEL, SqrtGrad)
TFC_FLOATS(TFC_BINARY_KERNEL, RsqrtGrad)
TFC_FLOATS(TFC_BINARY_KERNEL, ReciprocalGrad)
