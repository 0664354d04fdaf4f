/* Complex, Real, Imag, Angle, Conj, ComplexAbs. */
#include "kernels_c/cwise/complex.h"

#include <float.h>

#include "kernels_c/common/kernel_table.h"

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

/* The squares of floats are far from the limits of double. */
static inline float abs_64(float re, float im) {
  const bool infinite = (fabsf(re) > FLT_MAX) | (fabsf(im) > FLT_MAX);
  const double a = re, b = im;
  return infinite ? INFINITY : (float)sqrt(a * a + b * b);
}

static void ComplexAbs_64(const void* from, void* to, int64_t n, const void* state) {
  const float* x = from;
  float* y = to;
  (void)state;
  for (int64_t i = 0; i < n; i++) y[i] = abs_64(x[2 * i], x[2 * i + 1]);
}
TFC_UNARY_PLAIN(ComplexAbs_128, c128, double, cabs(x))
static const tfc_unary_op table_ComplexAbs = {
    {[TFC_COMPLEX64] = ComplexAbs_64, [TFC_COMPLEX128] = ComplexAbs_128}, 2};
TFC_UNARY_KERNEL(ComplexAbs, table_ComplexAbs)
TFC_UNARY_KERNEL(Conj, table_Conj)

/* Built by member: re + im * i would spoil infinities and NaN. */
TFC_BINARY_PLAIN(complex_float, float, c64, CMPLXF(x, y))
TFC_BINARY_PLAIN(complex_double, double, c128, CMPLX(x, y))
static const tfc_binary_op table_Complex = {
    {[TFC_FLOAT] = complex_float, [TFC_DOUBLE] = complex_double}, 1};
TFC_BINARY_KERNEL(Complex, table_Complex)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Conj", "T=" TFC_TYPES_COMPLEX, compute_Conj),
    TFC_ROW("Real", "T=complex64;Tout=float", compute_Real),
    TFC_ROW("Real", "T=complex128;Tout=double", compute_Real),
    TFC_ROW("Imag", "T=complex64;Tout=float", compute_Imag),
    TFC_ROW("Imag", "T=complex128;Tout=double", compute_Imag),
    TFC_ROW("Angle", "T=complex64;Tout=float", compute_Angle),
    TFC_ROW("Angle", "T=complex128;Tout=double", compute_Angle),
    TFC_ROW("ComplexAbs", "T=complex64;Tout=float", compute_ComplexAbs),
    TFC_ROW("ComplexAbs", "T=complex128;Tout=double", compute_ComplexAbs),
    TFC_ROW("Complex", "T=float;Tout=complex64", compute_Complex),
    TFC_ROW("Complex", "T=double;Tout=complex128", compute_Complex),
};
TFC_REGISTER_KERNELS(kernels);
