/* Philox4x32-10, the counter-based generator behind all random ops, and distributions of its words.
 *
 * Block number `c` of a stream is a function of (key, c) alone: four 32-bit words. A kernel takes
 * as many blocks as its op is defined to take, so that its values are those of TensorFlow's CPU
 * kernels for the same seeds, whatever the number of threads. Salmon et al., "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011.
 */
#ifndef TFCORE_RANDOM_PHILOX_H
#define TFCORE_RANDOM_PHILOX_H

#include "kernels_c/common/common.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/random/stream.h"

enum { PHILOX_CHUNK = 256 }; /* blocks made at once */

/* A chunk of words, with room for whole vectors after them. */
typedef struct philox_words {
  uint32_t word[PHILOX_WORDS * PHILOX_CHUNK + 4 * VF_N];
} philox_words;

/* One block as a vector lane pair [c0 c1 c2 c3], each a 32-bit part of two 64-bit lanes. A round is
 *   c0 * M0 = (hi0, lo0), c2 * M1 = (hi1, lo1)  ->  [hi1 ^ c1 ^ k0, lo1, hi0 ^ c3 ^ k1, lo0]
 * so in vector terms: multiply the even words, reverse the four words of the products, and
 * exclusive-or with the odd words and the key, both moved to even places. */
#if VF_N == 16
#define PHILOX_LANES(A, B, C, D)                              \
  {A,     B,     C,     D,     A + 4,  B + 4,  C + 4,  D + 4, \
   A + 8, B + 8, C + 8, D + 8, A + 12, B + 12, C + 12, D + 12}
#elif VF_N == 8
#define PHILOX_LANES(A, B, C, D) {A, B, C, D, A + 4, B + 4, C + 4, D + 4}
#else
#define PHILOX_LANES(A, B, C, D) {A, B, C, D}
#endif

static inline vul philox_multiply(vul x, vul y) {
#if VF_N == 16 && defined(__AVX512F__)
  return (vul)_mm512_mul_epu32((__m512i)x, (__m512i)y);
#elif VF_N == 8 && defined(__AVX2__)
  return (vul)_mm256_mul_epu32((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
  return (vul)_mm_mul_epu32((__m128i)x, (__m128i)y);
#else
  return (x & 0xffffffffu) * y;
#endif
}

static inline vul philox_round(vul c, vul multiplier, vul key) {
  const vi reverse = PHILOX_LANES(3, 2, 1, 0);
  vul product = philox_multiply(c, multiplier);
  return (vul)__builtin_shuffle((vu)product, reverse) ^ (c >> 32) ^ key;
}

/* Lanes 0, 2, ... from one vector, lanes 1, 3, ... from another. */
static inline vul philox_alternate(vul even, vul odd) {
  return (vul)vl_select(-(vl_iota() & 1), (vl)odd, (vl)even);
}

/* Words of `n` blocks: number first, first + stride, ... of a stream. n <= PHILOX_CHUNK. Writes
 * whole vectors: `words` has room for 4 vectors more. */
static inline void philox_fill(const philox* p, uint64_t first, uint64_t stride, int n,
                               uint32_t* words) {
  enum { PER_VECTOR = VF_N / 4, AT_ONCE = 4 };
  const vul zero = {0}, multiplier = philox_alternate(zero + 0xD2511F53u, zero + 0xCD9E8D57u);
  const vul number = (vul)vl_iota() >> 1; /* of a lane pair within its vector */
  const vul step = philox_alternate(zero + stride * (AT_ONCE * PER_VECTOR), zero);
  vul blocks = philox_alternate(zero + first + number * stride, zero + p->high);
  vul spacing = philox_alternate(zero + stride * PER_VECTOR, zero);
  for (int done = 0; done < n; done += AT_ONCE * PER_VECTOR, words += AT_ONCE * VF_N) {
    uint32_t key0 = (uint32_t)p->key, key1 = (uint32_t)(p->key >> 32);
    vul c[AT_ONCE] = {blocks, blocks + spacing, blocks + spacing * 2, blocks + spacing * 3};
    for (int r = 0; r < 10; r++, key0 += 0x9E3779B9u, key1 += 0xBB67AE85u) {
      vul key = philox_alternate(zero + key0, zero + key1);
      for (int v = 0; v < AT_ONCE; v++) c[v] = philox_round(c[v], multiplier, key);
    }
    for (int v = 0; v < AT_ONCE; v++) vu_store(words + v * VF_N, (vu)c[v]);
    blocks += step;
  }
}

/* ---- Uniform numbers in [0, 1): the low bits of a word become the fraction of a number in [1, 2).
 */

static inline vf philox_uniform(vu words) {
  return (vf)((words & 0x7fffffu) | 0x3f800000u) - 1.0f;
}
/* The first word of a pair gives the upper 20 bits of 52. */
static inline vd philox_uniform_double(vul pairs) {
  vul swapped = (pairs >> 32) | (pairs << 32);
  return (vd)((swapped & 0xfffffffffffffull) | 0x3ff0000000000000ull) - 1.0;
}

/* ---- Normal numbers, by Box and Muller: from u and v, sqrt(-2 log u) times sin and cos of 2 pi v.
 */

/* sin and cos of an angle in [0, 2 pi], by the Taylor series around the nearest quarter turn; its
 * error is below half a unit in the last place. */
static inline void philox_sincos(vf angle, vf* sine, vf* cosine) {
  const vf magic = vf_set1(0x1.8p23f);
  vf shifted = angle * 0.636619772f + magic, quarter = shifted - magic;
  vf r = (angle - quarter * 0x1.92p0f) - quarter * 4.83826794897e-4f, z = r * r;
  vf s = z * (1.0f / 362880) - 1.0f / 5040;
  s = s * z + 1.0f / 120;
  s = s * z - 1.0f / 6;
  s = s * z * r + r;
  vf c = 1.0f / 40320 - z * (1.0f / 3628800);
  c = c * z - 1.0f / 720;
  c = c * z + 1.0f / 24;
  c = c * (z * z) - z * 0.5f + 1.0f;
  vi turn = (vi)shifted; /* its low bits are those of the quarter */
  vi odd = -(turn & 1);
  *sine = (vf)((vi)vf_select(odd, c, s) ^ ((turn & 2) << 30));
  *cosine = (vf)((vi)vf_select(odd, s, c) ^ (((turn + 1) & 2) << 30));
}
static inline void philox_sincos_double(vd angle, vd* sine, vd* cosine) {
  const vd magic = vd_set1(0x1.8p52);
  vd shifted = angle * 0.63661977236758134 + magic, quarter = shifted - magic;
  vd r = (angle - quarter * 0x1.921fb54000000p0) - quarter * 0x1.10b4611a62633p-30, z = r * r;
  vd s = z * (-1.0 / 1307674368000) + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = s * z * r + r;
  vd c = z * (1.0 / 20922789888000) - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * (z * z) - z * 0.5 + 1.0;
  vl turn = (vl)shifted;
  vl odd = -(turn & 1);
  *sine = (vd)((vl)vd_select(odd, c, s) ^ ((turn & 2) << 62));
  *cosine = (vd)((vl)vd_select(odd, s, c) ^ (((turn + 1) & 2) << 62));
}

/* n floats from n words (n a multiple of 4); reads and writes whole pairs of vectors. Words 2i and
 * 2i+1 give numbers 2i (the sine) and 2i+1 (the cosine). */
static inline void philox_normals(const uint32_t* words, float* to, int n) {
  const vi even = PHILOX_LANES(0, 2, VF_N + 0, VF_N + 2);
  const vi odd = PHILOX_LANES(1, 3, VF_N + 1, VF_N + 3);
  const vi low = PHILOX_LANES(0, VF_N + 0, 1, VF_N + 1);
  const vi high = PHILOX_LANES(2, VF_N + 2, 3, VF_N + 3);
  for (int i = 0; i < n; i += 2 * VF_N) {
    vf a = philox_uniform(vu_load(words + i)), b = philox_uniform(vu_load(words + i + VF_N));
    vf u = vf_max(__builtin_shuffle(a, b, even), vf_set1(1e-7f));
    /* 2 pi in two parts: TensorFlow rounds the angle from a product in double. */
    vf v = __builtin_shuffle(a, b, odd), angle = v * 6.2831855f - v * 1.74845553e-7f;
    vf sine, cosine, radius = vf_sqrt(vf_log(u) * -2.0f);
    philox_sincos(angle, &sine, &cosine);
    sine *= radius;
    cosine *= radius;
    vf_store(to + i, __builtin_shuffle(sine, cosine, low));
    vf_store(to + i + VF_N, __builtin_shuffle(sine, cosine, high));
  }
}

#if VD_N == 8
#define PHILOX_PAIRS(A, B) {A, B, A + 2, B + 2, A + 4, B + 4, A + 6, B + 6}
#elif VD_N == 4
#define PHILOX_PAIRS(A, B) {A, B, A + 2, B + 2}
#else
#define PHILOX_PAIRS(A, B) {A, B}
#endif

/* n doubles from 2n words (n even); reads and writes whole pairs of vectors. */
static inline void philox_normal_doubles(const uint32_t* words, double* to, int n) {
  const vl even = PHILOX_PAIRS(0, VD_N), odd = PHILOX_PAIRS(1, VD_N + 1);
  for (int i = 0; i < n; i += 2 * VD_N) {
    vd a = philox_uniform_double((vul)vu_load(words + 2 * i));
    vd b = philox_uniform_double((vul)vu_load(words + 2 * i + VF_N));
    vd u = vd_max(__builtin_shuffle(a, b, even), vd_set1(1e-7));
    vd sine, cosine, radius = vd_sqrt(vd_log(u) * -2.0);
    philox_sincos_double(__builtin_shuffle(a, b, odd) * 6.28318530717958648, &sine, &cosine);
    sine *= radius;
    cosine *= radius;
    vd_store(to + i, __builtin_shuffle(sine, cosine, even));
    vd_store(to + i + VD_N, __builtin_shuffle(sine, cosine, odd));
  }
}

/* ---- One number at a time, for algorithms that reject. */

typedef struct philox_reader {
  philox stream;
  int left; /* words not yet taken */
  uint32_t word[PHILOX_WORDS + 4 * VF_N];
} philox_reader;

static inline void philox_read_from(philox_reader* r, const philox* p, uint64_t skip) {
  r->stream = *p;
  r->stream.block += skip;
  r->left = 0;
}

/* The next block, by plain arithmetic: cheaper than vectors for one. */
static inline void philox_next_block(philox_reader* r) {
  philox_block(&r->stream, r->word);
  r->stream.block++;
  r->left = PHILOX_WORDS;
}
static inline uint32_t philox_next(philox_reader* r) {
  if (r->left == 0) philox_next_block(r);
  return r->word[PHILOX_WORDS - r->left--];
}
static inline double philox_double_of(uint32_t first, uint32_t second) {
  uint64_t bits = ((uint64_t)(first & 0xfffffu) << 32) | second | 0x3ff0000000000000ull;
  double x;
  memcpy(&x, &bits, 8);
  return x - 1.0;
}
static inline double philox_next_double(philox_reader* r) {
  uint32_t first = philox_next(r);
  return philox_double_of(first, philox_next(r));
}

#endif /* TFCORE_RANDOM_PHILOX_H */
