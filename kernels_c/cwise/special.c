/* Special functions: Lgamma, Digamma, Erfinv, Ndtri, BesselI0e, BesselI1e, Zeta, Polygamma, Igamma,
 * Igammac, IgammaGradA, RandomGammaGrad, Betainc.
 *
 * All are computed in double (some steps in long double, where powers would amplify errors) and
 * rounded to the tensor's type. Formulas are named by their numbers in the Digital Library of
 * Mathematical Functions (DLMF). */
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/cwise/cwise.h"

static const double PI = 3.14159265358979323846;

/* ---- Gamma function and relatives. */

static double lgamma_one(double x) {
  int sign; /* lgamma itself writes a global */
  return x == -INFINITY ? INFINITY : lgamma_r(x, &sign);
}

/* Of positive numbers by the asymptotic series DLMF 5.11.1, which is exact enough for floats above
 * 8; DLMF 5.5.1 moves smaller ones there. */
static vd lgamma_positive(vd x) {
  const vl small = x < 8.0;
  const vd product =
      x * (x + 1.0) * (x + 2.0) * (x + 3.0) * (x + 4.0) * (x + 5.0) * (x + 6.0) * (x + 7.0);
  const vd z = vd_select(small, x + 8.0, x), r = 1.0 / (z * z);
  const vd series =
      1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r * (1.0 / 1188))));
  const vd y = (z - 0.5) * vd_log(z) - z + 0.91893853320467274178 + series / z;
  return y - vd_log(vd_select(small, product, vd_set1(1.0)));
}

/* An element's result does not depend on its neighbours: near the zeros, where the logarithms
 * cancel, and of numbers that are not positive, it is that of one at a time. */
enum { LGAMMA_BLOCK = 64 };
static void Lgamma_float(const void* from, void* to, int64_t n, const void* state) {
  const float* x = from;
  float* y = to;
  (void)state;
  for (int64_t i = 0; i < n; i += LGAMMA_BLOCK) {
    const int64_t count = TFC_MIN(LGAMMA_BLOCK, n - i);
    double block[LGAMMA_BLOCK];
    for (int64_t j = 0; j < LGAMMA_BLOCK; j++) block[j] = j < count ? (double)x[i + j] : 1.0;
    for (int j = 0; j < LGAMMA_BLOCK; j += VD_N)
      vd_store(block + j, lgamma_positive(vd_load(block + j)));
    for (int64_t j = i; j < i + count; j++) {
      const bool is_far =
          x[j] > 0 && x[j] <= FLT_MAX && fabsf(x[j] - 1) > 0.001f && fabsf(x[j] - 2) > 0.001f;
      y[j] = (float)(is_far ? block[j - i] : lgamma_one((double)x[j]));
    }
  }
}

/* log(x) - digamma(x) for x >= 10: the asymptotic series DLMF 5.11.2 is exact there. */
static double log_less_digamma(double x) {
  double r = 1 / (x * x);
  double series =
      r * (1.0 / 12 - r * (1.0 / 120 -
                           r * (1.0 / 252 -
                                r * (1.0 / 240 - r * (1.0 / 132 - r * (691.0 / 32760 - r / 12))))));
  return 0.5 / x + series;
}
/* DLMF 5.5.2 moves x above 10; 5.5.4 reflects negative x. */
static double digamma(double x) {
  double result = 0;
  if (x == INFINITY) return x;
  if (x <= 0) {
    if (x == floor(x)) return NAN;
    double fraction = x - floor(x); /* tan has period pi: an accurate argument near the poles */
    if (fraction > 0.5) fraction -= 1;
    result = fraction == 0.5 ? 0 : -PI / tan(PI * fraction);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  return result + log(x) - log_less_digamma(x);
}

/* Hurwitz zeta, sum of (k + q)^-x: nine terms and Euler-Maclaurin for the rest (DLMF 25.11.28). */
static double zeta(double x, double q) {
  static const double bernoulli_over_factorial[] = {
      /* B(2k) / (2k)! */
      1.0 / 12,
      -1.0 / 720,
      1.0 / 30240,
      -1.0 / 1209600,
      1.0 / 47900160,
      -691.0 / 1307674368000.0,
      1.0 / 74724249600.0,
      -3617.0 / 10670622842880000.0,
      43867.0 / 5109094217170944000.0,
      -174611.0 / 802857662698291200000.0,
  };
  if (x == 1) return INFINITY;
  if (isnan(x) || isnan(q) || x < 1) return NAN;
  if (q <= 0) {
    if (q == floor(q)) return fmod(x, 2) == 0 ? INFINITY : NAN; /* a pole, of one sign or of both */
    if (x != floor(x)) return NAN;                              /* a power of a negative number */
  }
  double sum = 0, a = q;
  for (int k = 0; k < 9 || a <= 9; k++, a += 1) {
    double term = pow(a, -x);
    sum += term;
    if (a > 0 && term < sum * DBL_EPSILON / 4) return sum;
  }
  double power = pow(a, -x);
  sum += power * a / (x - 1) + 0.5 * power;
  double factor = x, scaled = power / a; /* x (x+1) ... a^-(x + 2k - 1) */
  for (int k = 0; k < 10; k++) {
    double term = factor * scaled * bernoulli_over_factorial[k];
    sum += term;
    if (fabs(term) < fabs(sum) * DBL_EPSILON / 4) break;
    factor *= (x + 2 * k + 1) * (x + 2 * k + 2);
    scaled /= a * a;
  }
  return sum;
}

/* The n-th derivative of digamma: (-1)^(n+1) n! zeta(n + 1, x), DLMF 5.15.1 and 25.11.12. */
static double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != floor(n)) return NAN;
  double sign = fmod(n, 2) == 0 ? -1 : 1;
  return sign * exp(lgamma_one(n + 1)) * zeta(n + 1, x);
}

/* ---- Inverse error function and normal quantile: an estimate, then steps of Halley's method. */

static double normal_quantile_lower(double p) { /* 0 < p <= 0.5 */
  double t = sqrt(-2 * log(p));
  double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))); /* within 4.5e-4 */
  for (int k = 0; k < 3; k++) {
    double density = exp(-0.5 * x * x) / sqrt(2 * PI);
    if (density == 0) break;
    double step = (0.5 * erfc(-x / sqrt(2.0)) - p) / density;
    x -= step / (1 + 0.5 * x * step);
  }
  return x;
}
static double erfinv(double y) {
  if (isnan(y) || fabs(y) > 1) return NAN;
  if (fabs(y) == 1) return copysign(INFINITY, y);
  if (fabs(y) > 0.5) return copysign(-normal_quantile_lower(0.5 * (1 - fabs(y))) / sqrt(2.0), y);
  double x = 0.5 * sqrt(PI) * y * (1 + PI / 12 * y * y);
  for (int k = 0; k < 4; k++) {
    double step = (erf(x) - y) * 0.5 * sqrt(PI) * exp(x * x);
    x -= step / (1 + x * step);
  }
  return y == 0 ? y : x;
}
static double ndtri(double p) {
  if (isnan(p) || p < 0 || p > 1) return NAN;
  if (p == 0 || p == 1) return p == 0 ? -INFINITY : INFINITY;
  if (p > 0.25 && p < 0.75) return sqrt(2.0) * erfinv(2 * p - 1);
  return p < 0.5 ? normal_quantile_lower(p) : -normal_quantile_lower(1 - p);
}

/* ---- Modified Bessel functions, scaled by e^-|x|: the power series (DLMF 10.25.2) below 30, the
 * asymptotic series (10.40.1) above. */

static double bessel_scaled(double x, int order) {
  long double z = fabs(x), term, sum; /* each term rounds all before it once more */
  if (isnan(x)) return x;
  if (z <= 30) {
    term = sum = order ? z / 2 : 1;
    for (int k = 1; k < 200 && term > sum * DBL_EPSILON / 8; k++) {
      term *= z * z / 4 / (k * (long double)(k + order));
      sum += term;
    }
    sum *= expl(-z);
  } else {
    double mu = 4.0 * order * order;
    term = sum = 1;
    for (int k = 1; k < 40 && fabsl(term) > DBL_EPSILON / 8; k++) {
      term *= -(mu - (2.0 * k - 1) * (2.0 * k - 1)) / (k * 8 * z);
      sum += term;
    }
    sum /= sqrtl(2 * PI * z);
  }
  return order ? copysign((double)sum, x) : (double)sum;
}
static double bessel_i0e(double x) {
  return bessel_scaled(x, 0);
}
static double bessel_i1e(double x) {
  return bessel_scaled(x, 1);
}

/* ---- Incomplete gamma functions. */

/* x^a e^-x / gamma(a + 1), by the deviation from the maximum at x = a where a is large. */
static long double gamma_factor(long double a, long double x) {
  if (a < 20) return expl(a * logl(x) - x - lgammal(a + 1));
  long double u = (x - a) / a; /* log(x/a) - (x - a)/a without cancellation where u is small */
  long double phi = fabsl(u) < 0.5L ? log1pl(u) - u : logl(x / a) - u;
  long double stirling = 1 / (12 * a) - 1 / (360 * a * a * a) + 1 / (1260 * powl(a, 5)) -
                         1 / (1680 * powl(a, 7)) + 1 / (1188 * powl(a, 9));
  return expl(a * phi - stirling) / sqrtl(2 * 3.14159265358979323846264338327950288L * a);
}
/* DLMF 8.11.4: the lower function, regularised. */
static long double igamma_series(long double a, long double x) {
  long double term = 1, sum = 1;
  for (int k = 1; k < 100000 && term > sum * 1e-20L; k++) {
    term *= x / (a + k);
    sum += term;
  }
  return sum * gamma_factor(a, x);
}
/* DLMF 8.9.2 by Lentz's method: the upper function, regularised. */
static long double igamma_fraction(long double a, long double x) {
  const long double tiny = 1e-4000L;
  long double b = x + 1 - a, c = 1 / tiny, d = 1 / (b == 0 ? tiny : b), h = d;
  for (int k = 1; k < 100000; k++) {
    long double an = -k * (k - a);
    b += 2;
    d = an * d + b;
    if (fabsl(d) < tiny) d = tiny;
    c = b + an / c;
    if (fabsl(c) < tiny) c = tiny;
    d = 1 / d;
    h *= d * c;
    if (fabsl(d * c - 1) < 1e-19L) break;
  }
  return h * a * gamma_factor(a, x);
}
static long double igamma_any(long double a, long double x, bool upper) {
  if (x == 0) return upper;
  if (x < a + 1 || x < 1) {
    long double lower = igamma_series(a, x);
    return upper ? 1 - lower : lower;
  }
  long double rest = igamma_fraction(a, x);
  return upper ? rest : 1 - rest;
}
static double igamma_checked(double a, double x, bool upper) {
  if (x == 0 && !upper) return 0;
  if (!(x >= 0) || !(a > 0)) return NAN;
  if (x == 0) return 1;
  if (isinf(a)) return isinf(x) ? NAN : upper;
  if (isinf(x)) return !upper;
  return (double)igamma_any(a, x, upper);
}
static double igamma(double a, double x) {
  return igamma_checked(a, x, false);
}
static double igammac(double a, double x) {
  return igamma_checked(a, x, true);
}

/* ---- Derivatives by a of the lower function P(a, x) and of the quantile x of a given P.
 *
 * With the density p = dP/dx, dx/da = -(dP/da) / p. Both integrals have one sign, so that nothing
 * cancels, and where v is the distance from log x they are
 *   dx/da = x int_0^inf exp(-E(v)) (v + c) dv,
 *   log x >= digamma(a): c = log x - digamma(a), E(v) = (x - a) v + x (e^v - 1 - v),
 *   log x <  digamma(a): c = digamma(a) - log x, E(v) = (a - x) v + x (e^-v - 1 + v). */

/* digamma(a) - log(x), also where they are nearly equal. */
static double digamma_less_log(double a, double x) {
  double sum = 0;
  for (; a < 10; a += 1) sum -= 1 / a;
  double r = (x - a) / a, log_ratio = log1p(r);
  if (!(fabs(r) < 0.5)) log_ratio = x / a > DBL_MIN ? log(x / a) : log(x) - log(a);
  return sum - log_ratio - log_less_digamma(a);
}

/* (a / x) dx/da for x < 1: the sum of x^n / ((a + 1) ... (a + n)) (digamma(a + n + 1) - log x), the
 * derivative of DLMF 8.11.4. */
static double quantile_slope_series(double a, double x) {
  double factor = digamma_less_log(a + 1, x), term = 1, sum = factor;
  for (int n = 1; n < 30; n++) {
    term *= x / (a + n);
    factor += 1 / (a + n);
    sum += term * factor;
  }
  return sum;
}

/* e^w - 1 - w */
static vd exp_less_tangent(vd w) {
  return vd_select(vd_abs(w) < 0.34, vd_exp_tail(w) * (w * w), vd_expm1(w) - w);
}

/* The v > 0 where E is about 40: larger ones don't contribute. E is convex. */
static double slope_range(double d, double x, double sign) {
  double v = 40 / (d / 2 + hypot(d / 2, sqrt(20.0) * sqrt(x))); /* of the parabola */
  for (int k = 0; k < 4 && v > 0.1; k++) {
    double slope = sign * expm1(sign * v);
    v -= (d * v + x * (expm1(sign * v) - sign * v) - 40) / (d + x * slope);
  }
  return v;
}

enum { SLOPE_NODES = 40 };
/* Gauss and Legendre's quadrature of [0, 1]. With 40 nodes the error is below rounding for x >= 1.
 */
static const double slope_nodes[SLOPE_NODES] = {
    0.0008811451447203998, 0.004636880650271497, 0.011370025008112869, 0.021041590393104173,
    0.03359359586066173,   0.04895059651556285,  0.06702024839387025,  0.08769388458334416,
    0.1108471742867403,    0.13634087240503645,  0.16402165769291022,  0.19372305516600988,
    0.2252664374524359,    0.25846209915691065,  0.2931103978141975,   0.32900295458712076,
    0.36592390749637316,   0.40365120964931445,  0.4419579646623724,   0.48061379124697456,
    0.5193862087530254,    0.5580420353376276,   0.5963487903506856,   0.6340760925036268,
    0.6709970454128792,    0.7068896021858025,   0.7415379008430893,   0.7747335625475641,
    0.8062769448339902,    0.8359783423070898,   0.8636591275949635,   0.8891528257132597,
    0.9123061154166558,    0.9329797516061298,   0.9510494034844371,   0.9664064041393383,
    0.9789584096068958,    0.9886299749918871,   0.9953631193497285,   0.9991188548552796,
};
static const double slope_weights[SLOPE_NODES] = {
    0.0022606385492665955, 0.005249142265576406, 0.008210529190953945, 0.01112292459708348,
    0.0139685034900117,    0.016730097641273922, 0.019391083987236008, 0.021935454092836634,
    0.024347903817536116,  0.02661392349196841,  0.028719884549695776, 0.03065312124646447,
    0.03240200672830052,   0.03395602290761695,  0.03530582369564339,  0.03644329119790203,
    0.03736158452898413,   0.03805518095031312,  0.038519909082123986, 0.0387529739892124,
    0.0387529739892124,    0.038519909082123986, 0.03805518095031312,  0.03736158452898413,
    0.03644329119790203,   0.03530582369564339,  0.03395602290761695,  0.03240200672830052,
    0.03065312124646447,   0.028719884549695776, 0.02661392349196841,  0.024347903817536116,
    0.021935454092836634,  0.019391083987236008, 0.016730097641273922, 0.0139685034900117,
    0.01112292459708348,   0.008210529190953945, 0.005249142265576406, 0.0022606385492665955,
};

/* (1 / x) dx/da for x >= 1. */
static double quantile_slope_integral(double a, double x) {
  const double below = digamma_less_log(a, x), sign = below > 0 ? -1 : 1;
  const double d = sign * (x - a), end = slope_range(d, x, sign);
  vd sum = vd_set1(0);
  for (int i = 0; i < SLOPE_NODES; i += VD_N) {
    vd v = vd_load(slope_nodes + i) * end;
    vd decay = vd_exp(-(v * d + exp_less_tangent(v * sign) * x));
    sum += vd_load(slope_weights + i) * decay * (v + fabs(below));
  }
  return vd_sum(sum) * end;
}

static double random_gamma_grad(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return NAN;
  if (isinf(a)) return isinf(x) ? NAN : 0;
  if (isinf(x)) return x;
  return x < 1 ? x / a * quantile_slope_series(a, x) : x * quantile_slope_integral(a, x);
}
static double igamma_grad_a(double a, double x) {
  if (x == 0) return 0;
  if (!(x > 0) || !(a > 0)) return NAN;
  if (isinf(x) || isinf(a)) return 0;
  double slope = x < 1 ? quantile_slope_series(a, x) : a * quantile_slope_integral(a, x);
  return (double)(-slope * gamma_factor(a, x));
}

/* ---- Incomplete beta function, regularised: DLMF 8.17.22 by Lentz's method. */

static long double betainc_fraction(long double a, long double b, long double x) {
  const long double tiny = 1e-4000L;
  long double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (fabsl(d) < tiny ? tiny : d);
  long double h = d;
  for (int k = 1; k < 100000; k++) {
    for (int odd = 0; odd < 2; odd++) {
      long double t = odd ? -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1))
                          : k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
      d = 1 + t * d;
      d = 1 / (fabsl(d) < tiny ? tiny : d);
      c = 1 + t / c;
      if (fabsl(c) < tiny) c = tiny;
      h *= d * c;
    }
    if (fabsl(d * c - 1) < 1e-19L) break;
  }
  return h;
}
static double betainc(double a, double b, double x) {
  if (!(a > 0) || !(b > 0) || !(x >= 0 && x <= 1)) return NAN;
  if (x == 0 || x == 1) return x;
  long double front = expl(a * logl(x) + b * log1pl(-(long double)x) + lgammal((long double)a + b) -
                           lgammal(a) - lgammal(b));
  if (x < (a + 1) / (a + b + 2)) return (double)(front * betainc_fraction(a, b, x) / a);
  return (double)(1 - front * betainc_fraction(b, a, 1 - (long double)x) / b);
}

/* ---- Tables. */

#define FUNCTION(OP, CALL, NS)                                                                    \
  TFC_UNARY_PLAIN(OP##_float, float, float, CALL(x))                                              \
  TFC_UNARY_PLAIN(OP##_double, double, double, CALL(x))                                           \
  static const tfc_unary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                          NS};                                                    \
  TFC_UNARY_KERNEL(OP, table_##OP)
TFC_UNARY_PLAIN(Lgamma_double, double, double, lgamma_one(x))
static const tfc_unary_op table_Lgamma = {{TFC_FLOAT_ENTRIES(Lgamma)}, 6};
TFC_UNARY_KERNEL(Lgamma, table_Lgamma)
FUNCTION(Digamma, digamma, 40)
FUNCTION(Erfinv, erfinv, 200)
FUNCTION(Ndtri, ndtri, 200)
FUNCTION(BesselI0e, bessel_i0e, 60)
FUNCTION(BesselI1e, bessel_i1e, 60)

TFC_UNARY_PLAIN(Erfc_float, float, float, erfcf(x))
TFC_UNARY_PLAIN(Erfc_double, double, double, erfc(x))
static const tfc_unary_op table_Erfc = {{[TFC_FLOAT] = Erfc_float, [TFC_DOUBLE] = Erfc_double}, 15};
TFC_UNARY_KERNEL(Erfc, table_Erfc)

TFC_UNARY_VECTOR(Erf_float, float, vf, vf_erf(x)) /* common in activation functions */
TFC_UNARY_PLAIN(Erf_double, double, double, erf(x))
static const tfc_unary_op table_Erf = {{[TFC_FLOAT] = Erf_float, [TFC_DOUBLE] = Erf_double}, 2};
TFC_UNARY_KERNEL(Erf, table_Erf)

#define FUNCTION_OF_TWO(OP, CALL, NS)                                                              \
  TFC_BINARY_PLAIN(OP##_float, float, float, CALL(x, y))                                           \
  TFC_BINARY_PLAIN(OP##_double, double, double, CALL(x, y))                                        \
  static const tfc_binary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                           NS};                                                    \
  TFC_BINARY_KERNEL(OP, table_##OP)
FUNCTION_OF_TWO(Zeta, zeta, 300)
FUNCTION_OF_TWO(Polygamma, polygamma, 400)
FUNCTION_OF_TWO(Igamma, igamma, 800)
FUNCTION_OF_TWO(Igammac, igammac, 800)
FUNCTION_OF_TWO(IgammaGradA, igamma_grad_a, 500)
FUNCTION_OF_TWO(RandomGammaGrad, random_gamma_grad, 300)

TFC_BINARY_PLAIN(NextAfter_float, float, float, nextafterf(x, y))
TFC_BINARY_PLAIN(NextAfter_double, double, double, nextafter(x, y))
static const tfc_binary_op table_NextAfter = {
    {[TFC_FLOAT] = NextAfter_float, [TFC_DOUBLE] = NextAfter_double}, 5};
TFC_BINARY_KERNEL(NextAfter, table_NextAfter)

/* Three inputs of one shape, or scalars. */
typedef struct betainc_run {
  const tfc_tensor* in[3];
  void* to;
  bool is_double;
} betainc_run;
static double element(const tfc_tensor* t, int64_t i, bool is_double) {
  if (t->rank == 0) i = 0;
  return is_double ? ((const double*)t->data)[i] : (double)((const float*)t->data)[i];
}
static void betainc_range(void* arg, int64_t begin, int64_t end) {
  const betainc_run* r = arg;
  for (int64_t i = begin; i < end; i++) {
    double y = betainc(element(r->in[0], i, r->is_double), element(r->in[1], i, r->is_double),
                       element(r->in[2], i, r->is_double));
    if (r->is_double)
      ((double*)r->to)[i] = y;
    else
      ((float*)r->to)[i] = (float)y;
  }
}
static int compute_Betainc(tfc_context* ctx) {
  const tfc_tensor* shape = ctx->inputs[0];
  static const char* const names = "abx";
  int chosen = 0;
  for (int k = 1; k < 3 && shape->rank == 0; k++)
    if (ctx->inputs[k]->rank != 0) shape = ctx->inputs[chosen = k];
  for (int k = 0; k < 3; k++)
    if (ctx->inputs[k]->rank != 0 && !tfc_same_shape(shape, ctx->inputs[k]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shapes of %c and %c are inconsistent: %s vs. %s",
                       names[chosen], names[k], tfc_shape_text(shape).text,
                       tfc_shape_text(ctx->inputs[k]).text);
  TFC_TRY(tfc_output_like(ctx, 0, shape));
  betainc_run r = {{ctx->inputs[0], ctx->inputs[1], ctx->inputs[2]},
                   ctx->outputs[0].data,
                   shape->dtype == TFC_DOUBLE};
  tfc_parallel_for(ctx, shape->n, 800, betainc_range, &r);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Lgamma", "T=" TFC_TYPES_FLOATS, compute_Lgamma),
    TFC_ROW("Digamma", "T=" TFC_TYPES_FLOATS, compute_Digamma),
    TFC_ROW("Erf", "T=" TFC_TYPES_FLOATS, compute_Erf),
    TFC_ROW("Erfc", "T=" TFC_TYPES_FLOATS, compute_Erfc),
    TFC_ROW("Erfinv", "T=" TFC_TYPES_FLOATS, compute_Erfinv),
    TFC_ROW("Ndtri", "T=" TFC_TYPES_FLOATS, compute_Ndtri),
    TFC_ROW("BesselI0e", "T=" TFC_TYPES_FLOATS, compute_BesselI0e),
    TFC_ROW("BesselI1e", "T=" TFC_TYPES_FLOATS, compute_BesselI1e),
    TFC_ROW("Zeta", "T=" TFC_TYPES_WIDE_FLOATS, compute_Zeta),
    TFC_ROW("Polygamma", "T=" TFC_TYPES_WIDE_FLOATS, compute_Polygamma),
    TFC_ROW("Igamma", "T=" TFC_TYPES_WIDE_FLOATS, compute_Igamma),
    TFC_ROW("Igammac", "T=" TFC_TYPES_WIDE_FLOATS, compute_Igammac),
    TFC_ROW("IgammaGradA", "T=" TFC_TYPES_WIDE_FLOATS, compute_IgammaGradA),
    TFC_ROW("RandomGammaGrad", "T=" TFC_TYPES_WIDE_FLOATS, compute_RandomGammaGrad),
    TFC_ROW("NextAfter", "T=" TFC_TYPES_WIDE_FLOATS, compute_NextAfter),
    TFC_ROW("Betainc", "T=" TFC_TYPES_WIDE_FLOATS, compute_Betainc),
};
TFC_REGISTER_KERNELS(kernels);
