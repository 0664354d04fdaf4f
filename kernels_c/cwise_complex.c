/* Functions of complex numbers, and Complex, Real, Imag, Angle, Conj, ComplexAbs.
 *
 * Each function is written once, for complex128; complex64 is computed there and rounded. */
#include <complex.h>
#include <math.h>
#undef I

#include "cwise.h"

typedef float _Complex c64;
typedef double _Complex c128;

static inline c128 make(double re, double im) {
  return CMPLX(re, im);
}

/* ---- The functions that C has not, or has inaccurately near 0. */

static inline c128 c_rsqrt(c128 z) {
  return 1 / csqrt(z);
}
static inline c128 c_expm1(c128 z) {
  double a = creal(z), b = cimag(z), s = sin(b / 2);
  return make(expm1(a) * cos(b) - 2 * s * s, exp(a) * sin(b));
}
static inline c128 c_log1p(c128 z) {
  double a = creal(z), b = cimag(z);
  if (fabs(a) > 0.5 || fabs(b) > 0.5) return clog(1 + z);
  return make(0.5 * log1p(a * (2 + a) + b * b), atan2(b, 1 + a));
}
static inline c128 c_sigmoid(c128 z) {
  if (creal(z) >= 0) return 1 / (1 + cexp(-z));
  c128 e = cexp(z);
  return e / (1 + e);
}
static inline c128 c_sign(c128 z) {
  double size = cabs(z);
  return size == 0 ? 0 : z / size;
}
/* x * f with 0 times anything being 0 */
static inline c128 c_xlogy(c128 x, c128 y) {
  return x == 0 ? 0 : x * clog(y);
}
static inline c128 c_xlog1py(c128 x, c128 y) {
  return x == 0 ? 0 : x * c_log1p(y);
}
static inline c128 c_pow(c128 x, c128 y) {
  if (y == 0) return 1;
  if (x == 0) return creal(y) > 0 ? 0 : cpow(x, y);
  return cpow(x, y);
}

#define FUNCTION(OP, CALL, NS)                   \
  TFC_UNARY_PLAIN(OP##_64, c64, c64, CALL(x))    \
  TFC_UNARY_PLAIN(OP##_128, c128, c128, CALL(x)) \
  static const tfc_unary_op OP = {{[TFC_COMPLEX64] = OP##_64, [TFC_COMPLEX128] = OP##_128}, NS};
#define FUNCTION_OF_TWO(OP, CALL, NS)                \
  TFC_BINARY_PLAIN(OP##_64, c64, c64, CALL(x, y))    \
  TFC_BINARY_PLAIN(OP##_128, c128, c128, CALL(x, y)) \
  static const tfc_binary_op OP = {{[TFC_COMPLEX64] = OP##_64, [TFC_COMPLEX128] = OP##_128}, NS};

#define FOR_FUNCTIONS(X)                                                                         \
  X(Sqrt, csqrt, 15)                                                                             \
  X(Rsqrt, c_rsqrt, 20)                                                                          \
  X(Exp, cexp, 25) X(Expm1, c_expm1, 50) X(Log, clog, 40) X(Log1p, c_log1p, 40) X(Sin, csin, 40) \
      X(Cos, ccos, 40) X(Tan, ctan, 60) X(Asin, casin, 60) X(Acos, cacos, 60) X(Atan, catan, 60) \
          X(Sinh, csinh, 40) X(Cosh, ccosh, 40) X(Tanh, ctanh, 60) X(Asinh, casinh, 60)          \
              X(Acosh, cacosh, 60) X(Atanh, catanh, 60) X(Sigmoid, c_sigmoid, 40)                \
                  X(Sign, c_sign, 15)
#define DEFINE(OP, CALL, NS) FUNCTION(table_##OP, CALL, NS) TFC_UNARY_KERNEL(OP, table_##OP)
FOR_FUNCTIONS(DEFINE)

FUNCTION_OF_TWO(table_Pow, c_pow, 80)
FUNCTION_OF_TWO(table_Xlogy, c_xlogy, 50)
FUNCTION_OF_TWO(table_Xlog1py, c_xlog1py, 50)
TFC_BINARY_KERNEL(Pow, table_Pow)
TFC_BINARY_KERNEL(Xlogy, table_Xlogy)
TFC_BINARY_KERNEL(Xlog1py, table_Xlog1py)

/* ---- Parts. */

TFC_UNARY_PLAIN(conj_64, c64, c64, ~x)
TFC_UNARY_PLAIN(conj_128, c128, c128, ~x)
static const tfc_unary_op table_Conj = {{[TFC_COMPLEX64] = conj_64, [TFC_COMPLEX128] = conj_128},
                                        1};

#define PART(OP, EXPRESSION_64, EXPRESSION_128, NS)                  \
  TFC_UNARY_PLAIN(OP##_64, c64, float, EXPRESSION_64)                \
  TFC_UNARY_PLAIN(OP##_128, c128, double, EXPRESSION_128)            \
  static const tfc_unary_op table_##OP = {                           \
      {[TFC_COMPLEX64] = OP##_64, [TFC_COMPLEX128] = OP##_128}, NS}; \
  TFC_UNARY_KERNEL(OP, table_##OP)
PART(Real, __real__(x), __real__(x), 0.5)
PART(Imag, __imag__(x), __imag__(x), 0.5)
PART(Angle, cargf(x), carg(x), 20)
PART(ComplexAbs, cabsf(x), cabs(x), 8)
TFC_UNARY_KERNEL(Conj, table_Conj)

/* Built by member: re + im * i would spoil infinities and NaN. */
TFC_BINARY_PLAIN(complex_float, float, c64, CMPLXF(x, y))
TFC_BINARY_PLAIN(complex_double, double, c128, CMPLX(x, y))
static const tfc_binary_op table_Complex = {
    {[TFC_FLOAT] = complex_float, [TFC_DOUBLE] = complex_double}, 1};
TFC_BINARY_KERNEL(Complex, table_Complex)

#define ENTRY(OP, CALL, NS) TFC_CWISE_ENTRY(OP, "T=" TFC_TYPES_COMPLEX),
static const tfc_kernel_def cwise_complex[] = {
    FOR_FUNCTIONS(ENTRY) TFC_CWISE_ENTRY(Pow, "T=" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Xlogy, "T=" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Xlog1py, "T=" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Conj, "T=" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Real, "T=complex64;Tout=float"),
    TFC_CWISE_ENTRY(Real, "T=complex128;Tout=double"),
    TFC_CWISE_ENTRY(Imag, "T=complex64;Tout=float"),
    TFC_CWISE_ENTRY(Imag, "T=complex128;Tout=double"),
    TFC_CWISE_ENTRY(Angle, "T=complex64;Tout=float"),
    TFC_CWISE_ENTRY(Angle, "T=complex128;Tout=double"),
    TFC_CWISE_ENTRY(ComplexAbs, "T=complex64;Tout=float"),
    TFC_CWISE_ENTRY(ComplexAbs, "T=complex128;Tout=double"),
    TFC_CWISE_ENTRY(Complex, "T=float;Tout=complex64"),
    TFC_CWISE_ENTRY(Complex, "T=double;Tout=complex128"),
};
TFC_REGISTER_KERNELS(cwise_complex);
