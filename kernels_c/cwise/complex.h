/* Complex numbers, for the element-wise kernels that compute with them.
 *
 * Each function is written once, for complex128; complex64 is computed there and rounded. */
#ifndef TFCORE_CWISE_COMPLEX_H
#define TFCORE_CWISE_COMPLEX_H

#include <complex.h>
#include <math.h>
#undef I

#include "kernels_c/cwise/cwise.h"

typedef float _Complex c64;
typedef double _Complex c128;

/* log(1 + z), accurate near 0. */
static inline c128 c_log1p(c128 z) {
  double a = creal(z), b = cimag(z);
  if (fabs(a) > 0.5 || fabs(b) > 0.5) return clog(1 + z);
  return CMPLX(0.5 * log1p(a * (2 + a) + b * b), atan2(b, 1 + a));
}

/* Loops, table and compute function of the complex kernels of an op. */
#define TFC_COMPLEX_UNARY(OP, CALL, NS)                                            \
  TFC_UNARY_PLAIN(complex64_##OP, c64, c64, CALL(x))                               \
  TFC_UNARY_PLAIN(complex128_##OP, c128, c128, CALL(x))                            \
  static const tfc_unary_op complex_##OP = {                                       \
      {[TFC_COMPLEX64] = complex64_##OP, [TFC_COMPLEX128] = complex128_##OP}, NS}; \
  static int compute_complex_##OP(tfc_context* ctx) {                              \
    return tfc_unary(ctx, &complex_##OP);                                          \
  }
#define TFC_COMPLEX_BINARY(OP, CALL, NS)                                           \
  TFC_BINARY_PLAIN(complex64_##OP, c64, c64, CALL(x, y))                           \
  TFC_BINARY_PLAIN(complex128_##OP, c128, c128, CALL(x, y))                        \
  static const tfc_binary_op complex_##OP = {                                      \
      {[TFC_COMPLEX64] = complex64_##OP, [TFC_COMPLEX128] = complex128_##OP}, NS}; \
  static int compute_complex_##OP(tfc_context* ctx) {                              \
    return tfc_binary(ctx, &complex_##OP);                                         \
  }

#endif
