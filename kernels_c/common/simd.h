/* The SIMD layer: vectors as wide as the instruction-set level, by GCC vector extensions.
 *
 * The types, with loads and stores, are in simd_types.h. + - * / & | ^ << >> and comparisons are
 * plain C operators; a comparison gives a mask of 0 and -1 lanes. a * b + c becomes an FMA where
 * the level has one (-ffp-contract=fast). Functions <type>_<what>: vf_load, vd_select, ...
 * Functions of mathematics are in simd_math.h.
 *
 * The same source serves every level and every processor; intrinsics are only shortcuts inside
 * #ifdef.
 */
#ifndef TFCORE_SIMD_H
#define TFCORE_SIMD_H

#if !defined(TFC_LEVEL_NUM)
#error "vectors are as wide as the level: a file that says TFC_ONE_LEVEL can't use them"
#endif

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "kernels_c/common/simd_types.h"

/* ---- Loads and stores of the first n lanes only (0 <= n <= lanes; the others of a load are 0, of
 * a store untouched). */

#if defined(__AVX512F__)
static inline vf vf_load_n(const float* p, int n) {
  return (vf)_mm512_maskz_loadu_ps((__mmask16)((1u << n) - 1), p);
}
static inline void vf_store_n(float* p, vf v, int n) {
  _mm512_mask_storeu_ps(p, (__mmask16)((1u << n) - 1), (__m512)v);
}
static inline vi vi_load_n(const int32_t* p, int n) {
  return (vi)_mm512_maskz_loadu_epi32((__mmask16)((1u << n) - 1), p);
}
static inline void vi_store_n(int32_t* p, vi v, int n) {
  _mm512_mask_storeu_epi32(p, (__mmask16)((1u << n) - 1), (__m512i)v);
}
static inline vd vd_load_n(const double* p, int n) {
  return (vd)_mm512_maskz_loadu_pd((__mmask8)((1u << n) - 1), p);
}
static inline void vd_store_n(double* p, vd v, int n) {
  _mm512_mask_storeu_pd(p, (__mmask8)((1u << n) - 1), (__m512d)v);
}
#else
#define TFC_VECTOR_PARTIAL(NAME, ELEMENT)                        \
  static inline NAME NAME##_load_n(const ELEMENT* p, int n) {    \
    NAME v = {0};                                                \
    for (int i = 0; i < n; i++) v[i] = p[i];                     \
    return v;                                                    \
  }                                                              \
  static inline void NAME##_store_n(ELEMENT* p, NAME v, int n) { \
    for (int i = 0; i < n; i++) p[i] = v[i];                     \
  }
#if defined(__AVX2__)
static inline __m256i tfc_first_lanes_32(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
static inline __m256i tfc_first_lanes_64(int n) {
  return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
}
static inline vf vf_load_n(const float* p, int n) {
  return (vf)_mm256_maskload_ps(p, tfc_first_lanes_32(n));
}
static inline void vf_store_n(float* p, vf v, int n) {
  _mm256_maskstore_ps(p, tfc_first_lanes_32(n), (__m256)v);
}
static inline vi vi_load_n(const int32_t* p, int n) {
  return (vi)_mm256_maskload_epi32(p, tfc_first_lanes_32(n));
}
static inline void vi_store_n(int32_t* p, vi v, int n) {
  _mm256_maskstore_epi32(p, tfc_first_lanes_32(n), (__m256i)v);
}
static inline vd vd_load_n(const double* p, int n) {
  return (vd)_mm256_maskload_pd(p, tfc_first_lanes_64(n));
}
static inline void vd_store_n(double* p, vd v, int n) {
  _mm256_maskstore_pd(p, tfc_first_lanes_64(n), (__m256d)v);
}
#elif defined(__x86_64__)
/* By register moves: building a vector in memory would stall the load that follows. The memory may
 * hold integers, and two floats need not be aligned as a double. */
typedef float tfc_any_float __attribute__((may_alias));
static inline __m128 tfc_load_1(const float* p) {
  return _mm_set_ss(*(const tfc_any_float*)p);
}
static inline __m128 tfc_load_2(const float* p) {
  return _mm_castsi128_ps(_mm_loadl_epi64((const void*)p));
}
static inline vf vf_load_n(const float* p, int n) {
  switch (n) {
    case 0: return (vf)_mm_setzero_ps();
    case 1: return (vf)tfc_load_1(p);
    case 2: return (vf)tfc_load_2(p);
    case 3: return (vf)_mm_movelh_ps(tfc_load_2(p), tfc_load_1(p + 2));
    default: return vf_load(p);
  }
}
static inline void vf_store_n(float* p, vf v, int n) {
  __m128 x = (__m128)v;
  switch (n) {
    case 0: break;
    case 1: *(tfc_any_float*)p = _mm_cvtss_f32(x); break;
    case 2: _mm_storel_pi((__m64*)(void*)p, x); break;
    case 3:
      _mm_storel_pi((__m64*)(void*)p, x);
      *(tfc_any_float*)(p + 2) = _mm_cvtss_f32(_mm_movehl_ps(x, x));
      break;
    default: vf_store(p, v);
  }
}
static inline vi vi_load_n(const int32_t* p, int n) {
  return (vi)vf_load_n((const float*)(const void*)p, n);
}
static inline void vi_store_n(int32_t* p, vi v, int n) {
  vf_store_n((float*)(void*)p, (vf)v, n);
}
static inline vd vd_load_n(const double* p, int n) {
  return n == 0 ? vd_set1(0) : n == 1 ? (vd)_mm_load_sd(p) : vd_load(p);
}
static inline void vd_store_n(double* p, vd v, int n) {
  if (n == 1)
    _mm_store_sd(p, (__m128d)v);
  else if (n > 1)
    vd_store(p, v);
}
#else
TFC_VECTOR_PARTIAL(vf, float)
TFC_VECTOR_PARTIAL(vd, double)
TFC_VECTOR_PARTIAL(vi, int32_t)
#endif
#undef TFC_VECTOR_PARTIAL
#endif

/* ---- Choice by mask, minimum and maximum, absolute value. */

#if defined(__AVX512F__)
#define TFC_BLEND(M, A, B) _mm512_ternarylogic_epi32((__m512i)(M), (__m512i)(A), (__m512i)(B), 0xca)
#define TFC_X86(NAME) _mm512_##NAME
#elif defined(__AVX2__)
#define TFC_BLEND(M, A, B) _mm256_blendv_epi8((__m256i)(B), (__m256i)(A), (__m256i)(M))
#define TFC_X86(NAME) _mm256_##NAME
#else
#define TFC_BLEND(M, A, B) (((vu)(M) & (vu)(A)) | (~(vu)(M) & (vu)(B)))
#if defined(__x86_64__)
#define TFC_X86(NAME) _mm_##NAME
#endif
#endif

/* mask ? a : b, lane by lane. */
static inline vf vf_select(vi mask, vf a, vf b) {
  return (vf)TFC_BLEND(mask, a, b);
}
static inline vd vd_select(vl mask, vd a, vd b) {
  return (vd)TFC_BLEND(mask, a, b);
}
static inline vi vi_select(vi mask, vi a, vi b) {
  return (vi)TFC_BLEND(mask, a, b);
}
static inline vl vl_select(vl mask, vl a, vl b) {
  return (vl)TFC_BLEND(mask, a, b);
}

/* a < b ? a : b and a > b ? a : b: if either is NaN the result is b. So vf_max(limit, x) keeps a
 * NaN of x, vf_max(x, limit) replaces it. */
#if defined(TFC_X86)
#if TFC_VECTOR_BYTES == 64
typedef __m512 tfc_x86_ps;
typedef __m512d tfc_x86_pd;
#elif TFC_VECTOR_BYTES == 32
typedef __m256 tfc_x86_ps;
typedef __m256d tfc_x86_pd;
#else
typedef __m128 tfc_x86_ps;
typedef __m128d tfc_x86_pd;
#endif
static inline vf vf_min(vf a, vf b) {
  return (vf)TFC_X86(min_ps)((tfc_x86_ps)a, (tfc_x86_ps)b);
}
static inline vf vf_max(vf a, vf b) {
  return (vf)TFC_X86(max_ps)((tfc_x86_ps)a, (tfc_x86_ps)b);
}
static inline vd vd_min(vd a, vd b) {
  return (vd)TFC_X86(min_pd)((tfc_x86_pd)a, (tfc_x86_pd)b);
}
static inline vd vd_max(vd a, vd b) {
  return (vd)TFC_X86(max_pd)((tfc_x86_pd)a, (tfc_x86_pd)b);
}
static inline vf vf_sqrt(vf x) {
  return (vf)TFC_X86(sqrt_ps)((tfc_x86_ps)x);
}
static inline vd vd_sqrt(vd x) {
  return (vd)TFC_X86(sqrt_pd)((tfc_x86_pd)x);
}
#else
static inline vf vf_min(vf a, vf b) {
  return vf_select(a < b, a, b);
}
static inline vf vf_max(vf a, vf b) {
  return vf_select(a > b, a, b);
}
static inline vd vd_min(vd a, vd b) {
  return vd_select(a < b, a, b);
}
static inline vd vd_max(vd a, vd b) {
  return vd_select(a > b, a, b);
}
static inline vf vf_sqrt(vf x) {
  for (int i = 0; i < VF_N; i++) x[i] = sqrtf(x[i]);
  return x;
}
static inline vd vd_sqrt(vd x) {
  for (int i = 0; i < VD_N; i++) x[i] = sqrt(x[i]);
  return x;
}
#endif

/* The larger one of integers: compilers know what these operators mean. */
#define TFC_VECTOR_MAX(NAME, MASK)                       \
  static inline NAME NAME##_max(NAME a, NAME b) {        \
    const MASK more = a > b;                             \
    return (NAME)(((MASK)a & more) | ((MASK)b & ~more)); \
  }
TFC_VECTOR_MAX(vb, vb)
TFC_VECTOR_MAX(vub, vb)
TFC_VECTOR_MAX(vs, vs)
TFC_VECTOR_MAX(vus, vs)
TFC_VECTOR_MAX(vi, vi)
TFC_VECTOR_MAX(vu, vi)
TFC_VECTOR_MAX(vl, vl)
TFC_VECTOR_MAX(vul, vl)
#undef TFC_VECTOR_MAX

static inline vf vf_abs(vf x) {
  return (vf)((vu)x & 0x7fffffffu);
}
static inline vd vd_abs(vd x) {
  return (vd)((vul)x & 0x7fffffffffffffffull);
}
/* |magnitude| with the sign of `sign`. */
static inline vf vf_copysign(vf magnitude, vf sign) {
  return (vf)(((vu)magnitude & 0x7fffffffu) | ((vu)sign & 0x80000000u));
}
static inline vd vd_copysign(vd magnitude, vd sign) {
  return (vd)(((vul)magnitude & 0x7fffffffffffffffull) | ((vul)sign & 0x8000000000000000ull));
}
/* Maximum and minimum that give NaN if either operand is NaN, as NumPy does. */
static inline vf vf_max_nan(vf a, vf b) {
  return vf_select(a != a, a, vf_max(a, b));
}
static inline vd vd_max_nan(vd a, vd b) {
  return vd_select(a != a, a, vd_max(a, b));
}
static inline vf vf_min_nan(vf a, vf b) {
  return vf_select(a != a, a, vf_min(a, b));
}
static inline vd vd_min_nan(vd a, vd b) {
  return vd_select(a != a, a, vd_min(a, b));
}

/* To the nearest integer, ties to even; any x. */
static inline vf vf_round(vf x) {
  const vf big = vf_set1(0x1p23f);
  vf r = vf_copysign((vf_abs(x) + big) - big, x);
  return vf_select(vf_abs(x) < big, r, x);
}
static inline vd vd_round(vd x) {
  const vd big = vd_set1(0x1p52);
  vd r = vd_copysign((vd_abs(x) + big) - big, x);
  return vd_select(vd_abs(x) < big, r, x);
}

/* ---- Across lanes, always in the same (pairwise) order. */

#define TFC_VECTOR_ACROSS(NAME, ELEMENT, LANES)                                      \
  static inline ELEMENT NAME##_sum(NAME v) {                                         \
    ELEMENT t[LANES];                                                                \
    NAME##_store(t, v);                                                              \
    for (int half = LANES / 2; half > 0; half /= 2)                                  \
      for (int i = 0; i < half; i++) t[i] += t[i + half];                            \
    return t[0];                                                                     \
  }                                                                                  \
  static inline ELEMENT NAME##_max_across(NAME v) {                                  \
    ELEMENT t[LANES];                                                                \
    NAME##_store(t, v);                                                              \
    for (int half = LANES / 2; half > 0; half /= 2)                                  \
      for (int i = 0; i < half; i++) t[i] = t[i] > t[i + half] ? t[i] : t[i + half]; \
    return t[0];                                                                     \
  }                                                                                  \
  static inline ELEMENT NAME##_min_across(NAME v) {                                  \
    ELEMENT t[LANES];                                                                \
    NAME##_store(t, v);                                                              \
    for (int half = LANES / 2; half > 0; half /= 2)                                  \
      for (int i = 0; i < half; i++) t[i] = t[i] < t[i + half] ? t[i] : t[i + half]; \
    return t[0];                                                                     \
  }
#if defined(__AVX512F__)
/* Written out: GCC keeps the arrays of the general form in memory. */
static inline float vf_sum(vf v) {
  return _mm512_reduce_add_ps((__m512)v);
}
static inline float vf_max_across(vf v) {
  return _mm512_reduce_max_ps((__m512)v);
}
static inline float vf_min_across(vf v) {
  return _mm512_reduce_min_ps((__m512)v);
}
static inline double vd_sum(vd v) {
  return _mm512_reduce_add_pd((__m512d)v);
}
static inline double vd_max_across(vd v) {
  return _mm512_reduce_max_pd((__m512d)v);
}
static inline double vd_min_across(vd v) {
  return _mm512_reduce_min_pd((__m512d)v);
}
#else
TFC_VECTOR_ACROSS(vf, float, VF_N)
TFC_VECTOR_ACROSS(vd, double, VD_N)
#endif
TFC_VECTOR_ACROSS(vi, int32_t, VF_N)
TFC_VECTOR_ACROSS(vl, int64_t, VD_N)
#undef TFC_VECTOR_ACROSS

/* 0, 1, 2, ... */
static inline vi vi_iota(void) {
  vi v;
  for (int i = 0; i < VF_N; i++) v[i] = i;
  return v;
}
static inline vl vl_iota(void) {
  vl v;
  for (int i = 0; i < VD_N; i++) v[i] = i;
  return v;
}

/* Any lane of a mask set? */
static inline int vi_any(vi mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask((__m512i)mask) != 0;
#elif defined(__AVX2__)
  return _mm256_movemask_epi8((__m256i)mask) != 0;
#elif defined(__x86_64__)
  return _mm_movemask_epi8((__m128i)mask) != 0;
#else
  int32_t any = 0;
  for (int i = 0; i < VF_N; i++) any |= mask[i];
  return any != 0;
#endif
}
static inline int vl_any(vl mask) {
  return vi_any((vi)mask);
}

/* 2^n for integral n in [-252, 254] x half each: the product of two factors, so that results below
 * the normal range and above the largest number come out right. */
static inline vf vf_scale(vf x, vf n) {
#if defined(__AVX512F__)
  return (vf)_mm512_scalef_ps((__m512)x, (__m512)n);
#else
  const vf magic = vf_set1(0x1.8p23f); /* adding it puts an integer into the low bits */
  vf half_bits = n * 0.5f + magic, half = half_bits - magic;
  vf rest_bits = (n - half) + magic;
  const vu one = {0};
  vu a = ((vu)half_bits << 23) + 0x3f800000u + one, b = ((vu)rest_bits << 23) + 0x3f800000u + one;
  return x * (vf)a * (vf)b;
#endif
}
static inline vd vd_scale(vd x, vd n) {
#if defined(__AVX512F__)
  return (vd)_mm512_scalef_pd((__m512d)x, (__m512d)n);
#else
  const vd magic = vd_set1(0x1.8p52);
  vd half_bits = n * 0.5 + magic, half = half_bits - magic;
  vd rest_bits = (n - half) + magic;
  vul a = ((vul)half_bits << 52) + 0x3ff0000000000000ull;
  vul b = ((vul)rest_bits << 52) + 0x3ff0000000000000ull;
  return x * (vd)a * (vd)b;
#endif
}

#endif /* TFCORE_SIMD_H */
