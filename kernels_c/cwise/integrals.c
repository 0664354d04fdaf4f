/* Functions that are integrals: Dawsn, Expint, FresnelCos, FresnelSin, Spence. All are computed in
 * double, or in long double where terms cancel. Formulas are named by their numbers in the Digital
 * Library of Mathematical Functions (DLMF). */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

TFC_ONE_LEVEL;

static const long double PI = 3.14159265358979323846264338327950288L;
static const long double EULER = 0.57721566490153286060651209008240243L;

/* Dawson's integral: a series for small x, for others a sum of samples whose error is e^-39 (G. B.
 * Rybicki, "Dawson's integral and the sampling theorem", Comput. Phys. 3, 1989). */
static double dawson(double x) {
  const double size = fabs(x), step = 0.25;
  double sum = 0;
  if (isnan(x)) return x;
  if (size < 1) {
    double term = x;
    for (int k = 1; k < 60 && fabs(term) > fabs(sum) * DBL_EPSILON / 4; k++) {
      sum += term;
      term *= -2 * x * x / (2 * k + 1);
    }
    return sum;
  }
  if (size > 1e8) return 0.5 / x;
  const double nearest = 2 * rint(size / (2 * step)); /* even */
  const double rest = size - nearest * step;
  for (int k = -27; k <= 27; k += 2) {
    const double distance = rest - k * step;
    sum += exp(-distance * distance) / (nearest + k);
  }
  return copysign(sum / sqrt((double)PI), x);
}

/* The integral of e^t / t from -infinity to x: DLMF 6.6.2, and 6.12.2 for large x. */
static double exponential_integral(double x) {
  if (isnan(x) || x < 0 || isinf(x)) return NAN; /* as in TensorFlow */
  if (x == 0) return -INFINITY;
  long double term = 1, sum = 0;
  if (x < 45) {
    for (int k = 1; k < 500; k++) {
      term *= x / (long double)k;
      sum += term / k;
      if (term < sum * LDBL_EPSILON) break;
    }
    return (double)(EULER + logl(x) + sum);
  }
  sum = 1;
  for (int k = 1; k < x && fabsl(term) > LDBL_EPSILON; k++) sum += term *= k / (long double)x;
  return (double)(expl(x) / x * sum);
}

/* C(x) + i S(x): the power series (DLMF 7.6.4, 7.6.6), and for others the continued fraction of the
 * complementary error function (7.9.1) by Lentz's method. */
static double complex fresnel(double x) {
  const double size = fabs(x);
  if (isnan(x)) return CMPLX(x, x);
  if (size > 1e17) return CMPLX(copysign(0.5, x), copysign(0.5, x)); /* the rest is below 1e-17 */
  const long double turn = PI / 2 * size * size;
  long double c = 0, s = 0, term = size;
  if (size < 2.5) {
    for (int k = 0; k < 200; k++) { /* the powers of i turn / k! */
      const long double part = term / (2 * k + 1);
      *(k % 2 ? &s : &c) += k % 4 < 2 ? part : -part;
      term *= turn / (k + 1);
      if (k > turn && term < LDBL_EPSILON * size) break;
    }
    return CMPLX(copysign((double)c, x), copysign((double)s, x));
  }
  double complex b = CMPLX(1, (double)(-2 * turn)), f = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 200; k++) {
    const double a = -2.0 * k * (2 * k - 1);
    b += 4;
    d = 1 / (a * d + b);
    f = b + a / f;
    const double complex change = f * d;
    h *= change;
    if (cabs(change - 1) < DBL_EPSILON / 2) break;
  }
  const double angle = (double)(PI / 2 * fmodl((long double)size * size, 4));
  const double complex rest = CMPLX(cos(angle), sin(angle)) * h * CMPLX(size, -size);
  const double complex result = CMPLX(0.5, 0.5) * (1 - rest);
  return x < 0 ? -result : result;
}
static double fresnel_cos(double x) {
  return creal(fresnel(x));
}
static double fresnel_sin(double x) {
  return cimag(fresnel(x));
}

/* The dilogarithm of 1 - x: DLMF 25.12.1, with 25.12.4 and 25.12.6 for other x. */
static double spence(double x) {
  if (isnan(x) || x < 0 || isinf(x)) return NAN;
  const double sixth = (double)(PI * PI / 6);
  if (x == 0) return sixth;
  if (x > 1.5) return -0.5 * log(x) * log(x) - spence(1 / x);
  if (x < 0.5) return sixth - log(x) * log1p(-x) - spence(1 - x);
  const double z = 1 - x;
  double power = 1, sum = 0;
  for (int k = 1; k < 80 && fabs(power) > DBL_EPSILON / 4 * fabs(sum); k++) {
    power *= z;
    sum += power / ((double)k * k);
  }
  return sum;
}

#define FUNCTION(OP, CALL, NS)                                                                    \
  TFC_UNARY_PLAIN(OP##_float, float, float, (float)CALL(x))                                       \
  TFC_UNARY_PLAIN(OP##_double, double, double, CALL(x))                                           \
  static const tfc_unary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                          NS};                                                    \
  TFC_UNARY_KERNEL(OP, table_##OP)
FUNCTION(Dawsn, dawson, 300)
FUNCTION(Expint, exponential_integral, 200)
FUNCTION(FresnelCos, fresnel_cos, 300)
FUNCTION(FresnelSin, fresnel_sin, 300)
FUNCTION(Spence, spence, 100)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Dawsn", "T=" TFC_TYPES_FLOATS, compute_Dawsn),
    TFC_ROW("Expint", "T=" TFC_TYPES_FLOATS, compute_Expint),
    TFC_ROW("FresnelCos", "T=" TFC_TYPES_FLOATS, compute_FresnelCos),
    TFC_ROW("FresnelSin", "T=" TFC_TYPES_FLOATS, compute_FresnelSin),
    TFC_ROW("Spence", "T=" TFC_TYPES_FLOATS, compute_Spence),
};
TFC_REGISTER_KERNELS(kernels);
