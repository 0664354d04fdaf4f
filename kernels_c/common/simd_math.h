/* Vectorised functions: exp, expm1, log, log1p, tanh, sigmoid, softplus for vf and vd; erf for vf.
 *
 * Errors measured over the whole range are at most 2.5 units in the last place; NaN, infinities,
 * signed zeros and subnormals are those of C's libm. The polynomials were fitted in 60-digit
 * arithmetic at Chebyshev nodes; each comment gives the interval.
 */
#ifndef TFCORE_SIMD_MATH_H
#define TFCORE_SIMD_MATH_H

#include "kernels_c/common/simd.h"

/* x = n ln 2 + r, |r| <= ln 2 / 2; returns r. ln 2 is in two parts; the first has so few bits that
 * n times it is exact. */
static inline vf vf_exp_reduce(vf x, vf* n) {
  const vf magic = vf_set1(0x1.8p23f);
  vf t = x * 1.44269504f + magic;
  *n = t - magic;
  return (x - *n * 0.693359375f) + *n * 2.12194440e-4f;
}
static inline vd vd_exp_reduce(vd x, vd* n) {
  const vd magic = vd_set1(0x1.8p52);
  vd t = x * 1.4426950408889634 + magic;
  *n = t - magic;
  return (x - *n * 0x1.62e42fee00000p-1) - *n * 0x1.a39ef35793c76p-33;
}

/* (e^r - 1 - r) / r^2 on |r| <= 0.347 */
static inline vf vf_exp_tail(vf r) {
  vf q = r * 1.3926250e-3f + 8.3632329e-3f;
  q = q * r + 4.1666552e-2f;
  q = q * r + 0.16666576f;
  return q * r + 0.5f;
}
static inline vd vd_exp_tail(vd r) {
  vd r2 = r * r; /* even and odd powers apart: two shorter chains */
  vd even = r2 * 2.7620201591031547e-07 + 2.4801521057868204e-05;
  vd odd = r2 * 2.5100472505694996e-08 + 2.7557268276905696e-06;
  even = even * r2 + 0.0013888888917367081;
  odd = odd * r2 + 0.00019841269863171557;
  even = even * r2 + 0.041666666666623824;
  odd = odd * r2 + 0.008333333333330039;
  even = even * r2 + 0.5;
  odd = odd * r2 + 0.16666666666666669;
  return odd * r + even;
}

static inline vf vf_exp(vf x) {
  /* Beyond these the result is 0 or infinity. Limits come first, which keeps NaN. */
  vf y = vf_max(vf_set1(-105.0f), vf_min(vf_set1(89.0f), x)), n;
  vf r = vf_exp_reduce(y, &n);
  vf p = vf_exp_tail(r) * (r * r) + r + 1.0f;
#if !defined(__AVX512F__)
  p = vf_select(x < -104.0f, vf_set1(0.0f), p); /* an underflow would cost a hundred cycles */
#endif
  return vf_scale(p, n);
}
static inline vd vd_exp(vd x) {
  vd y = vd_max(vd_set1(-746.0), vd_min(vd_set1(710.0), x)), n;
  vd r = vd_exp_reduce(y, &n);
  vd p = vd_exp_tail(r) * (r * r) + r + 1.0;
#if !defined(__AVX512F__)
  p = vd_select(x < -745.2, vd_set1(0.0), p);
#endif
  return vd_scale(p, n);
}

/* 2^n (e^r - 1) + (2^n - 1), in halves so that 2^n itself need not be representable. */
static inline vf vf_expm1(vf x) {
  vf y = vf_max(vf_set1(-30.0f), vf_min(vf_set1(89.0f), x)), n;
  vf r = vf_exp_reduce(y, &n);
  vf p = vf_exp_tail(r) * (r * r) + r;
  const vf magic = vf_set1(0x1.8p23f);
  vf half_scale = (vf)(((vu)(n - 1.0f + magic) << 23) + 0x3f800000u);
  vf result = (p * half_scale + (half_scale - 0.5f)) * 2.0f;
  return vf_select(vf_abs(x) < 1e-30f, x, result); /* keeps -0 and subnormals */
}
static inline vd vd_expm1(vd x) {
  vd y = vd_max(vd_set1(-50.0), vd_min(vd_set1(710.0), x)), n;
  vd r = vd_exp_reduce(y, &n);
  vd p = vd_exp_tail(r) * (r * r) + r;
  const vd magic = vd_set1(0x1.8p52);
  vd half_scale = (vd)(((vul)(n - 1.0 + magic) << 52) + 0x3ff0000000000000ull);
  vd result = (p * half_scale + (half_scale - 0.5)) * 2.0;
  return vd_select(vd_abs(x) < 1e-290, x, result);
}

/* x = 2^k (1 + f), 1 + f in [sqrt(1/2), sqrt(2)), for normal positive x. */
static inline vf vf_log_split(vf x, vf* k) {
  vu bits = (vu)x;
  vi exponent = (vi)(bits - 0x3f3504f3u) >> 23;
  *k = __builtin_convertvector(exponent, vf);
  return (vf)(bits - ((vu)exponent << 23)) - 1.0f;
}
static inline vd vd_log_split(vd x, vd* k) {
  vul bits = (vul)x;
  vul exponent =
      (bits + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull)) >> 52; /* biased: positive */
  *k = (vd)(exponent | 0x4330000000000000ull) - (0x1p52 + 1023.0);
  return (vd)(bits - ((exponent - 1023) << 52)) - 1.0;
}

/* k ln 2 + log(1 + f) + correction. With s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + R),
 * R = s^2 times a polynomial in s^2 on [0, 0.0295]. */
static inline vf vf_log_join(vf f, vf k, vf correction) {
  vf s = f / (f + 2.0f), z = s * s, half_square = f * f * 0.5f;
  vf R = z * 0.23332763f + 0.28550735f;
  R = R * z + 0.40000123f;
  R = (R * z + 0.66666669f) * z;
  return s * (half_square + R) + (k * -2.12194440e-4f + correction) - half_square + f +
         k * 0.693359375f;
}
static inline vd vd_log_join(vd f, vd k, vd correction) {
  vd s = f / (f + 2.0), z = s * s, half_square = f * f * 0.5, z2 = z * z;
  vd even = z2 * 0.1461916613493348 + 0.18182895750119354;
  vd odd = z2 * 0.15331501611140969 + 0.22222211043776854;
  even = even * z2 + 0.2857142862653362;
  odd = odd * z2 + 0.3999999999989827;
  even = even * z2 + 0.666666666666667;
  vd R = (odd * z + even) * z;
  return s * (half_square + R) + (k * 0x1.a39ef35793c76p-33 + correction) - half_square + f +
         k * 0x1.62e42fee00000p-1;
}

static inline vf vf_log(vf x) {
  vi small = x < 0x1p-126f;
  vf k, f = vf_log_split(vf_select(small, x * 0x1p25f, x), &k);
  k -= vf_select(small, vf_set1(25.0f), vf_set1(0.0f));
  vf y = vf_log_join(f, k, vf_set1(0.0f));
  y = vf_select(x < INFINITY, y, x);
  y = vf_select(x < 0.0f, vf_set1(NAN), y);
  return vf_select(x == 0.0f, vf_set1(-INFINITY), y);
}
static inline vd vd_log(vd x) {
  vl small = x < 0x1p-1022;
  vd k, f = vd_log_split(vd_select(small, x * 0x1p54, x), &k);
  k -= vd_select(small, vd_set1(54.0), vd_set1(0.0));
  vd y = vd_log_join(f, k, vd_set1(0.0));
  y = vd_select(x < (double)INFINITY, y, x);
  y = vd_select(x < 0.0, vd_set1((double)NAN), y);
  return vd_select(x == 0.0, vd_set1(-(double)INFINITY), y);
}

/* log(u) with u = 1 + x rounded, plus the rounding error divided by u. */
static inline vf vf_log1p(vf x) {
  vf u = 1.0f + x;
  vf lost = vf_select(u > 2.0f, 1.0f - (u - x), x - (u - 1.0f));
  vf k, f = vf_log_split(u, &k);
  vf y = vf_log_join(f, k, lost / u);
  y = vf_select(x < INFINITY, y, x);
  y = vf_select(vf_abs(x) < 1e-10f, x, y); /* keeps -0 and subnormals */
  y = vf_select(x < -1.0f, vf_set1(NAN), y);
  return vf_select(x == -1.0f, vf_set1(-INFINITY), y);
}
static inline vd vd_log1p(vd x) {
  vd u = 1.0 + x;
  vd lost = vd_select(u > 2.0, 1.0 - (u - x), x - (u - 1.0));
  vd k, f = vd_log_split(u, &k);
  vd y = vd_log_join(f, k, lost / u);
  y = vd_select(x < (double)INFINITY, y, x);
  y = vd_select(vd_abs(x) < 1e-20, x, y);
  y = vd_select(x < -1.0, vd_set1((double)NAN), y);
  return vd_select(x == -1.0, vd_set1(-(double)INFINITY), y);
}

/* t / (t + 2) with t = e^(2|x|) - 1. */
static inline vf vf_tanh(vf x) {
  vf t = vf_expm1(vf_min(vf_set1(20.0f), vf_abs(x) * 2.0f));
  return vf_copysign(t / (t + 2.0f), x);
}
static inline vd vd_tanh(vd x) {
  vd t = vd_expm1(vd_min(vd_set1(45.0), vd_abs(x) * 2.0));
  return vd_copysign(t / (t + 2.0), x);
}

/* 1 / (1 + e^-x); the exponential is always of -|x|, so small results keep their digits. */
static inline vf vf_sigmoid(vf x) {
  vf e = vf_exp(-vf_abs(x));
  return vf_select(x < 0.0f, e, vf_set1(1.0f)) / (e + 1.0f);
}
static inline vd vd_sigmoid(vd x) {
  vd e = vd_exp(-vd_abs(x));
  return vd_select(x < 0.0, e, vd_set1(1.0)) / (e + 1.0);
}

/* log(1 + e^x) = max(x, 0) + log1p(e^-|x|) */
static inline vf vf_softplus(vf x) {
  /* The exponential is in [0, 1]: log1p(e) = e + e q(e), q in pairs of terms for short chains. */
  vf e = vf_exp(-vf_abs(x)), e2 = e * e, e4 = e2 * e2;
  vf low = (e * -0.49999914f - 3.9860173e-9f) + (e * -0.24957347f + 0.33330277f) * e2;
  vf high = (e * -0.15353277f + 0.19692455f) + (e * -0.057759143f + 0.10684537f) * e2;
  vf q = low + e4 * (high + e4 * (e * -0.0033387309f + 0.02027777f));
  return vf_max(vf_set1(0.0f), x) + (e * q + e);
}
static inline vd vd_softplus(vd x) {
  return vd_max(vd_set1(0.0), x) + vd_log1p(vd_exp(-vd_abs(x)));
}

/* Below 1: x + x p(x^2); above: 1 - e^-g(x) with g = -log(erfc) fitted on [0.95, 4.1], beyond which
 * the result rounds to 1. */
static inline vf vf_erf(vf x) {
  vf a = vf_min(vf_set1(4.1f), vf_abs(x)), z = x * x;
  vf p = z * 7.8891193e-5f - 8.0208411e-4f;
  p = p * z + 5.1895352e-3f;
  p = p * z - 2.6854444e-2f;
  p = p * z + 0.112836003f;
  p = p * z - 0.37612626f;
  p = p * z + 0.128379166f;
  vf g = a * -1.6955078e-4f + 2.7967026e-3f;
  g = g * a - 2.1288933e-2f;
  g = g * a + 0.10206966f;
  g = g * a + 0.63921756f;
  g = g * a + 1.1265129f;
  g = g * a + 4.6716101e-4f;
  return vf_select(a < 1.0f, p * x + x, vf_copysign(1.0f - vf_exp(-g), x));
}

/* ---- Functions of floats by way of doubles: half a vector of floats at a time. */

TFC_VECTOR_TYPE_OF(vf_half, float, TFC_VECTOR_BYTES / 2); /* as many lanes as vd */

static inline vd vd_load_floats(const float* p) {
  vf_half v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, vd);
}
static inline void vd_store_floats(float* p, vd x) {
  vf_half v = __builtin_convertvector(x, vf_half);
  memcpy(p, &v, sizeof v);
}

/* sin(x + quarter pi / 2) for |x| <= 2^20, to the accuracy of a float. x = q pi/2 + r with pi/2 in
 * two parts (the first times q is exact); then a polynomial of sine or of cosine by the parity
 * of q. */
static inline vd vd_sin_as_float(vd x, uint64_t quarter) {
  const vd magic = vd_set1(0x1.8p52);
  vd t = x * 0.6366197723675814 + magic, q = t - magic;
  vul n = (vul)t + quarter;
  vd r = (x - q * 0x1.921fb54400000p+0) - q * 0x1.0b4611a626331p-34, z = r * r;
  vd s = z * 2.7243364494e-6 - 1.9840034155577774e-4;
  s = s * z + 8.33333176977808e-3;
  s = ((s * z - 0.16666666663493446) * z + 1.0) * r; /* keeps -0 */
  vd c = z * 2.44566e-5 - 1.3887531563e-3;
  c = c * z + 4.166664949547498e-2;
  c = (c * z - 0.49999999965154940) * z + 1.0;
  const vul zero = {0};
  vl odd = (vl)(zero - (n & 1));
  return (vd)((vul)vd_select(odd, c, s) ^ ((n & 2) << 62));
}

#endif /* TFCORE_SIMD_MATH_H */
