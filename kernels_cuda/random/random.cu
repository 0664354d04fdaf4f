/* RandomUniform, RandomUniformInt, RandomStandardNormal, TruncatedNormal and their stateless forms.
 *
 * The words are those of kernels_c/random/philox.h, and so are uniform numbers and integers, to the
 * bit. Normal numbers use the same formulas, but CUDA's logarithm, and may differ in the last bits.
 */
#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/random/random.h"

struct words {
  uint32_t w[4];
};

/* Block number `block` of the stream: Philox4x32-10. */
__device__ __forceinline__ words philox(const random_params& p, uint64_t block) {
  uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32);
  uint32_t c2 = (uint32_t)p.high, c3 = (uint32_t)(p.high >> 32);
  uint32_t k0 = (uint32_t)p.key, k1 = (uint32_t)(p.key >> 32);
#pragma unroll
  for (int i = 0; i < 10; i++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
    const uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
    c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
    c1 = (uint32_t)p1;
    c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
    c3 = (uint32_t)p0;
  }
  return words{{c0, c1, c2, c3}};
}

/* ---- Distributions: make<T>(words, numbers): the numbers of a block, in the computing type. */

/* Numbers in [0, 1): the low bits of a word become the fraction of a number in [1, 2). */
__device__ __forceinline__ float unit_float(uint32_t word) {
  return __uint_as_float((word & 0x7fffffu) | 0x3f800000u) - 1.0f;
}
/* The first word gives the upper 20 bits of 52. */
__device__ __forceinline__ double unit_double(uint32_t first, uint32_t second) {
  const uint64_t bits = (uint64_t)(first & 0xfffffu) << 32 | second | 0x3ff0000000000000ull;
  return __longlong_as_double((long long)bits) - 1.0;
}

/* As many random bits as the type's fraction has. */
template <typename T>
struct uniform {
  static __device__ __forceinline__ float number(uint32_t word) { return unit_float(word); }
};
template <>
struct uniform<half> {
  static __device__ __forceinline__ float number(uint32_t word) {
    return (float)(word & 0x3ff) * (1.0f / 1024);
  }
};
template <>
struct uniform<bfloat16> {
  static __device__ __forceinline__ float number(uint32_t word) {
    return (float)(word & 0x7f) * (1.0f / 128);
  }
};

struct RandomUniform {
  template <typename T>
  static __device__ __forceinline__ void make(const words& w, float* numbers) {
#pragma unroll
    for (int i = 0; i < 4; i++) numbers[i] = uniform<T>::number(w.w[i]);
  }
  template <typename T>
  static __device__ __forceinline__ void make(const words& w, double* numbers) {
    numbers[0] = unit_double(w.w[0], w.w[1]);
    numbers[1] = unit_double(w.w[2], w.w[3]);
  }
};

/* sin and cos of an angle from those of its distance to the nearest quarter turn. */
template <typename W>
__device__ __forceinline__ void by_quadrant(int quarter, W s, W c, W* sine, W* cosine) {
  const W first = quarter & 1 ? c : s, second = quarter & 1 ? s : c;
  *sine = quarter & 2 ? -first : first;
  *cosine = (quarter + 1) & 2 ? -second : second;
}
/* sin and cos of an angle in [0, 2 pi], by the Taylor series around the nearest quarter turn. */
__device__ __forceinline__ void sine_and_cosine(float angle, float* sine, float* cosine) {
  const float quarter = rintf(angle * 0.636619772f);
  const float r = (angle - quarter * 0x1.92p0f) - quarter * 4.83826794897e-4f, z = r * r;
  float s = z * (1.0f / 362880) - 1.0f / 5040;
  s = s * z + 1.0f / 120;
  s = s * z - 1.0f / 6;
  s = s * z * r + r;
  float c = 1.0f / 40320 - z * (1.0f / 3628800);
  c = c * z - 1.0f / 720;
  c = c * z + 1.0f / 24;
  c = c * (z * z) - z * 0.5f + 1.0f;
  by_quadrant((int)quarter, s, c, sine, cosine);
}
__device__ __forceinline__ void sine_and_cosine(double angle, double* sine, double* cosine) {
  const double quarter = rint(angle * 0.63661977236758134);
  const double r = (angle - quarter * 0x1.921fb54000000p0) - quarter * 0x1.10b4611a62633p-30,
               z = r * r;
  double s = z * (-1.0 / 1307674368000) + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  s = s * z * r + r;
  double c = z * (1.0 / 20922789888000) - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  c = c * (z * z) - z * 0.5 + 1.0;
  by_quadrant((int)quarter, s, c, sine, cosine);
}
/* Box and Muller: from u and v, sqrt(-2 log u) times sin and cos of the angle 2 pi v. */
template <typename W>
__device__ __forceinline__ void box_muller(W u, W angle, W* numbers) {
  W sine, cosine;
  const W radius = m_sqrt(m_log(u > W(1e-7) ? u : W(1e-7)) * W(-2));
  sine_and_cosine(angle, &sine, &cosine);
  numbers[0] = sine * radius;
  numbers[1] = cosine * radius;
}

struct RandomStandardNormal {
  template <typename T>
  static __device__ __forceinline__ void make(const words& w, float* numbers) {
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
      const float v = unit_float(w.w[i + 1]);
      /* 2 pi in two parts: TensorFlow rounds the angle from a product in double. */
      box_muller(unit_float(w.w[i]), v * 6.2831855f - v * 1.74845553e-7f, numbers + i);
    }
  }
  template <typename T>
  static __device__ __forceinline__ void make(const words& w, double* numbers) {
    box_muller(unit_double(w.w[0], w.w[1]), unit_double(w.w[2], w.w[3]) * 6.28318530717958648,
               numbers);
  }
};

/* ---- Kernels. */

/* Stores the numbers of block b. */
template <typename T>
__device__ __forceinline__ void store_block(const random_params& p, int64_t b,
                                            const typename wide<T>::type* numbers) {
#pragma unroll
  for (int i = 0; i < 16 / (int)sizeof(typename wide<T>::type); i++)
    if (b * p.per_block + i < p.n) store<T>(p.y, b * p.per_block + i, numbers[i]);
}

template <typename Distribution, typename T>
__device__ __forceinline__ void random_blocks(const random_params& p) {
  TFC_FOR_ELEMENTS(b, (p.n + p.per_block - 1) / p.per_block) {
    typename wide<T>::type numbers[4];
    Distribution::template make<T>(philox(p, p.block + (uint64_t)b), numbers);
    store_block<T>(p, b, numbers);
  }
}

/* Keeps numbers within two standard deviations, in order. Each block has 64 blocks for each
 * of its numbers; those after the first replace what is lost. */
template <typename T>
__device__ __forceinline__ void truncated_blocks(const random_params& p) {
  typedef typename wide<T>::type W;
  const int count = (int)(16 / sizeof(W));
  TFC_FOR_ELEMENTS(b, (p.n + p.per_block - 1) / p.per_block) {
    W numbers[4];
    uint64_t block = p.block + (uint64_t)b * 64 * (uint64_t)count;
    for (int kept = 0; kept < count; block++) {
      W more[4];
      RandomStandardNormal::make<T>(philox(p, block), more);
#pragma unroll
      for (int i = 0; i < count; i++)
        if (kept < count && m_fabs(more[i]) < 2) {
#pragma unroll
          for (int k = 0; k < count; k++) /* an index known to the compiler stays in registers */
            if (k == kept) numbers[k] = more[i];
          kept++;
        }
    }
    store_block<T>(p, b, numbers);
  }
}

#define RANDOM_KERNEL(OP, T)               \
  TFC_KERNEL(OP##_##T, random_params, p) { \
    random_blocks<OP, T>(p);               \
  }
#define TRUNCATED_KERNEL(OP, T)            \
  TFC_KERNEL(OP##_##T, random_params, p) { \
    truncated_blocks<T>(p);                \
  }
TFC_FLOATS(RANDOM_KERNEL, RandomUniform)
TFC_FLOATS(RANDOM_KERNEL, RandomStandardNormal)
TFC_FLOATS(TRUNCATED_KERNEL, TruncatedNormal)

TFC_KERNEL(RandomUniformInt_int32, random_params, p) {
  TFC_FOR_ELEMENTS(b, (p.n + 3) / 4) {
    const words w = philox(p, p.block + (uint64_t)b);
#pragma unroll
    for (int i = 0; i < 4; i++)
      if (b * 4 + i < p.n)
        ((uint32_t*)p.y)[b * 4 + i] = (uint32_t)p.low + w.w[i] % (uint32_t)p.range;
  }
}
TFC_KERNEL(RandomUniformInt_int64, random_params, p) {
  TFC_FOR_ELEMENTS(b, (p.n + 1) / 2) {
    const words w = philox(p, p.block + (uint64_t)b);
#pragma unroll
    for (int i = 0; i < 2; i++) {
      const uint64_t bits = w.w[2 * i] | (uint64_t)w.w[2 * i + 1] << 32;
      if (b * 2 + i < p.n) ((uint64_t*)p.y)[b * 2 + i] = (uint64_t)p.low + bits % p.range;
    }
  }
}
