/* Bessel functions that are not scaled, and those of the second kind. All are computed in double,
 * or in long double where terms cancel. Formulas are named by their numbers in the Digital Library
 * of Mathematical Functions (DLMF). */
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

TFC_ONE_LEVEL;

static const long double PI = 3.14159265358979323846264338327950288L;
static const long double EULER = 0.57721566490153286060651209008240243L;

/* ---- I0, I1: the power series (DLMF 10.25.2), and for large x the asymptotic one (10.40.1). */

static double bessel_i(double x, int order) {
  const long double z = fabsl((long double)x);
  long double term, sum;
  if (isnan(x) || isinf(x)) return NAN; /* as in TensorFlow */
  if (z <= 30) {
    term = sum = order ? z / 2 : 1;
    for (int k = 1; k < 200 && term > sum * LDBL_EPSILON; k++) {
      term *= z * z / 4 / (k * (long double)(k + order));
      sum += term;
    }
  } else {
    const long double mu = 4.0L * order;
    term = sum = 1;
    for (int k = 1; k < 40 && fabsl(term) > DBL_EPSILON / 8; k++) {
      term *= -(mu - (2.0L * k - 1) * (2.0L * k - 1)) / (k * 8 * z);
      sum += term;
    }
    sum *= expl(z) / sqrtl(2 * PI * z);
  }
  return order ? copysign((double)sum, x) : (double)sum;
}

/* ---- K0, K1, scaled by e^x. */

/* DLMF 10.31.1 and 10.31.2, for small x. */
static long double bessel_k_series(long double x, int order) {
  const long double square = x * x / 4, logarithm = logl(x / 2);
  long double digammas = order ? 1 - 2 * EULER : -EULER, term = order ? x / 2 : 1, i = 0, sum = 0;
  for (int k = 0; k < 60 && fabsl(term) > LDBL_EPSILON * fabsl(i); k++) {
    i += term;
    sum += term * digammas;
    term *= square / ((k + 1) * (long double)(k + 1 + order));
    digammas += order ? 1.0L / (k + 1) + 1.0L / (k + 2) : 1.0L / (k + 1);
  }
  return order ? 1 / x + logarithm * i - sum / 2 : sum - logarithm * i;
}

/* The integral of e^(-x (cosh t - 1)) cosh(n t) (DLMF 10.32.9), by the trapezoidal rule, which
 * converges exponentially; its step is short against the width of the integrand. */
static long double bessel_k_integral(double x, int order) {
  const double step = fmin(0.125, 0.6 / sqrt(x));
  double sum = 0.5;
  for (int k = 1; k < 10000; k++) {
    const double t = k * step, half = sinh(t / 2), term = exp(-2 * x * half * half);
    sum += order ? term * cosh(t) : term;
    if (term * cosh(t) < sum * DBL_EPSILON / 16) break;
  }
  return (long double)sum * step;
}

static double bessel_k_scaled(double x, int order) {
  if (isnan(x)) return x;
  if (x <= 0) return INFINITY; /* as in TensorFlow, below 0, too */
  if (isinf(x)) return 0;
  return (double)(x <= 2 ? expl(x) * bessel_k_series(x, order) : bessel_k_integral(x, order));
}

static double bessel_k(double x, int order) {
  if (isnan(x)) return x;
  if (x <= 0) return INFINITY;
  if (x <= 2) return (double)bessel_k_series(x, order);
  return isinf(x) ? 0 : (double)(expl(-(long double)x) * bessel_k_integral(x, order));
}

/* ---- J and Y: those of the C library, with TensorFlow's values outside of their domains. */

static double bessel_j0(double x) {
  return isinf(x) ? NAN : j0(x);
}
static double bessel_j1(double x) {
  return isinf(x) ? NAN : j1(x);
}
static double bessel_y0(double x) {
  return isnan(x) || x == INFINITY ? NAN : x <= 0 ? -INFINITY : y0(x);
}
static double bessel_y1(double x) {
  return isnan(x) || x == INFINITY ? NAN : x <= 0 ? -INFINITY : y1(x);
}

#define FUNCTION(OP, CALL, NS)                                                                    \
  TFC_UNARY_PLAIN(OP##_float, float, float, (float)CALL)                                          \
  TFC_UNARY_PLAIN(OP##_double, double, double, CALL)                                              \
  static const tfc_unary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                          NS};                                                    \
  TFC_UNARY_KERNEL(OP, table_##OP)
FUNCTION(BesselI0, bessel_i(x, 0), 100)
FUNCTION(BesselI1, bessel_i(x, 1), 100)
FUNCTION(BesselK0, bessel_k(x, 0), 800)
FUNCTION(BesselK1, bessel_k(x, 1), 800)
FUNCTION(BesselK0e, bessel_k_scaled(x, 0), 800)
FUNCTION(BesselK1e, bessel_k_scaled(x, 1), 800)
FUNCTION(BesselJ0, bessel_j0(x), 60)
FUNCTION(BesselJ1, bessel_j1(x), 60)
FUNCTION(BesselY0, bessel_y0(x), 80)
FUNCTION(BesselY1, bessel_y1(x), 80)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BesselI0", "T=" TFC_TYPES_FLOATS, compute_BesselI0),
    TFC_ROW("BesselI1", "T=" TFC_TYPES_FLOATS, compute_BesselI1),
    TFC_ROW("BesselK0", "T=" TFC_TYPES_FLOATS, compute_BesselK0),
    TFC_ROW("BesselK1", "T=" TFC_TYPES_FLOATS, compute_BesselK1),
    TFC_ROW("BesselK0e", "T=" TFC_TYPES_FLOATS, compute_BesselK0e),
    TFC_ROW("BesselK1e", "T=" TFC_TYPES_FLOATS, compute_BesselK1e),
    TFC_ROW("BesselJ0", "T=" TFC_TYPES_FLOATS, compute_BesselJ0),
    TFC_ROW("BesselJ1", "T=" TFC_TYPES_FLOATS, compute_BesselJ1),
    TFC_ROW("BesselY0", "T=" TFC_TYPES_FLOATS, compute_BesselY0),
    TFC_ROW("BesselY1", "T=" TFC_TYPES_FLOATS, compute_BesselY1),
};
TFC_REGISTER_KERNELS(kernels);
