// The types of 16 bits of cuda_fp16.h and cuda_bf16.h: what kernels use of them.
//
// Arithmetic is done in float and rounded once more, which gives the correctly rounded result for
// sums, products, quotients and roots: float has more than twice as many bits.
#ifndef TFCORE_HOST_HALF_CUH
#define TFCORE_HOST_HALF_CUH

#include <math.h>
#include <stdint.h>

#include "vectors.cuh"

namespace tfc {

#ifdef __F16C__
// The compiler's own names: <immintrin.h> takes longer to read than all else that a family
// includes.
typedef float four_floats __attribute__((vector_size(16)));
typedef short eight_halves __attribute__((vector_size(16)));
#endif

inline uint32_t float_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

inline float bits_float(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
}

inline uint64_t double_bits(double x) {
  uint64_t bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Rounds a double to a format with `exponent` and `mantissa` bits, to nearest, ties to even. A
// float becomes a double first, which is exact.
template <int exponent, int mantissa>
inline uint16_t round_to(double x) {
  constexpr int bias = (1 << (exponent - 1)) - 1;
  constexpr uint16_t infinity = (uint16_t)(((1 << exponent) - 1) << mantissa);
  const uint64_t bits = double_bits(x);
  const uint16_t sign = (uint16_t)(bits >> 63 << 15);
  const int power = (int)(bits >> 52 & 0x7FF) - 1023;
  if (power == 1024) return bits << 12 ? (uint16_t)0x7FFF : (uint16_t)(sign | infinity);
  if (power < -bias - mantissa) return sign;  // less than half of the smallest
  const uint64_t full = (bits & 0xFFFFFFFFFFFFFULL) | 1ULL << 52;
  const int drop = 52 - mantissa + (power < 1 - bias ? 1 - bias - power : 0);
  uint64_t kept = full >> drop;
  const uint64_t rest = full & ((1ULL << drop) - 1), middle = 1ULL << (drop - 1);
  if (rest > middle || (rest == middle && kept & 1)) kept++;
  // The leading one of a normal number adds 1 to the exponent field; rounding up may carry into it,
  // too.
  const uint64_t field = power < 1 - bias ? 0 : (uint64_t)(power + bias - 1);
  const uint64_t result = (field << mantissa) + kept;
  return (uint16_t)(sign | (result > infinity ? infinity : result));
}

// From float, which most values are, there are shorter ways.
inline uint16_t half_bits(float x) {
#ifdef __F16C__
  return x != x ? 0x7FFF : (uint16_t)__builtin_ia32_vcvtps2ph(four_floats{x}, 0)[0];
#else
  return round_to<5, 10>(x);
#endif
}
inline uint16_t half_bits(double x) {
  return round_to<5, 10>(x);
}

inline uint16_t bfloat_bits(float x) {
  const uint32_t bits = float_bits(x);
  return x != x ? 0x7FFF : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}
inline uint16_t bfloat_bits(double x) {
  return round_to<8, 7>(x);
}

inline float half_value(uint16_t h) {
#ifdef __F16C__
  return __builtin_ia32_vcvtph2ps(eight_halves{(short)h})[0];
#else
  const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 1023;
  if (exponent == 31) return bits_float(sign | 0x7F800000u | mantissa << 13);
  if (exponent != 0) return bits_float(sign | (exponent + 112) << 23 | mantissa << 13);
  const float small = (float)mantissa * 5.9604644775390625e-8f;  // 2^-24
  return bits_float(sign | float_bits(small));
#endif
}

inline float bfloat_value(uint16_t h) {
  return bits_float((uint32_t)h << 16);
}

}  // namespace tfc

namespace tfc {

// A double between two representable ones is replaced by the one with an odd last bit, so that
// rounding it once more rounds the integer correctly.
template <class Int>
inline double odd_double(Int x) {
  const bool negative = x < 0;
  uint64_t size = negative ? 0 - (uint64_t)x : (uint64_t)x;
  if (size >> 53) size = (size & ~(uint64_t)0xFFF) | ((size & 0xFFF) != 0) << 12;
  return negative ? -(double)size : (double)size;
}

}  // namespace tfc

#define TFC_HALF_TYPE(type, bits_of, value_of)                                         \
  struct type {                                                                        \
    uint16_t tfc_bits;                                                                 \
    type() = default;                                                                  \
    type(float x) : tfc_bits(tfc::bits_of(x)) {}                                       \
    type(double x) : tfc_bits(tfc::bits_of(x)) {}                                      \
    type(int x) : type((double)x) {}                                                   \
    type(unsigned x) : type((double)x) {}                                              \
    type(short x) : type((double)x) {}                                                 \
    type(unsigned short x) : type((double)x) {}                                        \
    type(long x) : type(tfc::odd_double(x)) {}                                         \
    type(unsigned long x) : type(tfc::odd_double(x)) {}                                \
    type(long long x) : type(tfc::odd_double(x)) {}                                    \
    type(unsigned long long x) : type(tfc::odd_double(x)) {}                           \
    operator float() const { return tfc::value_of(tfc_bits); }                         \
    type& operator+=(type other) { return *this = type((float)*this + (float)other); } \
    type& operator-=(type other) { return *this = type((float)*this - (float)other); } \
    type& operator*=(type other) { return *this = type((float)*this * (float)other); } \
    type& operator/=(type other) { return *this = type((float)*this / (float)other); } \
  };                                                                                   \
  static inline type operator+(type a, type b) {                                       \
    return type((float)a + (float)b);                                                  \
  }                                                                                    \
  static inline type operator-(type a, type b) {                                       \
    return type((float)a - (float)b);                                                  \
  }                                                                                    \
  static inline type operator*(type a, type b) {                                       \
    return type((float)a * (float)b);                                                  \
  }                                                                                    \
  static inline type operator/(type a, type b) {                                       \
    return type((float)a / (float)b);                                                  \
  }                                                                                    \
  static inline type operator+(type a) {                                               \
    return a;                                                                          \
  }                                                                                    \
  static inline bool operator==(type a, type b) {                                      \
    return (float)a == (float)b;                                                       \
  }                                                                                    \
  static inline bool operator!=(type a, type b) {                                      \
    return (float)a != (float)b;                                                       \
  }                                                                                    \
  static inline bool operator<(type a, type b) {                                       \
    return (float)a < (float)b;                                                        \
  }                                                                                    \
  static inline bool operator<=(type a, type b) {                                      \
    return (float)a <= (float)b;                                                       \
  }                                                                                    \
  static inline bool operator>(type a, type b) {                                       \
    return (float)a > (float)b;                                                        \
  }                                                                                    \
  static inline bool operator>=(type a, type b) {                                      \
    return (float)a >= (float)b;                                                       \
  }                                                                                    \
  static inline type __hadd(type a, type b) {                                          \
    return a + b;                                                                      \
  }                                                                                    \
  static inline type __hsub(type a, type b) {                                          \
    return a - b;                                                                      \
  }                                                                                    \
  static inline type __hmul(type a, type b) {                                          \
    return a * b;                                                                      \
  }                                                                                    \
  static inline type __hdiv(type a, type b) {                                          \
    return a / b;                                                                      \
  }                                                                                    \
  static inline type __hfma(type a, type b, type c) {                                  \
    return type(fma((float)a, (double)(float)b, (float)c));                            \
  }                                                                                    \
  static inline bool __heq(type a, type b) {                                           \
    return a == b;                                                                     \
  }                                                                                    \
  static inline bool __hne(type a, type b) {                                           \
    return a != b;                                                                     \
  }                                                                                    \
  static inline bool __hlt(type a, type b) {                                           \
    return a < b;                                                                      \
  }                                                                                    \
  static inline bool __hle(type a, type b) {                                           \
    return a <= b;                                                                     \
  }                                                                                    \
  static inline bool __hgt(type a, type b) {                                           \
    return a > b;                                                                      \
  }                                                                                    \
  static inline bool __hge(type a, type b) {                                           \
    return a >= b;                                                                     \
  }                                                                                    \
  static inline bool __hisnan(type a) {                                                \
    return isnan((float)a);                                                            \
  }                                                                                    \
  static inline type __hmin(type a, type b) {                                          \
    return type(fminf(a, b));                                                          \
  }                                                                                    \
  static inline type __hmax(type a, type b) {                                          \
    return type(fmaxf(a, b));                                                          \
  }                                                                                    \
  static inline type tfc_with_bits(uint16_t bits, type x) {                            \
    x.tfc_bits = bits;                                                                 \
    return x;                                                                          \
  }                                                                                    \
  static inline type operator-(type a) {                                               \
    return tfc_with_bits(a.tfc_bits ^ 0x8000, a);                                      \
  }                                                                                    \
  static inline type __hneg(type a) {                                                  \
    return -a;                                                                         \
  }                                                                                    \
  static inline type __habs(type a) {                                                  \
    return tfc_with_bits(a.tfc_bits & 0x7FFF, a);                                      \
  }                                                                                    \
  static inline type hexp(type a) {                                                    \
    return type(expf(a));                                                              \
  }                                                                                    \
  static inline type hlog(type a) {                                                    \
    return type(logf(a));                                                              \
  }                                                                                    \
  static inline type hsqrt(type a) {                                                   \
    return type(sqrt((double)(float)a));                                               \
  }                                                                                    \
  static inline type hrsqrt(type a) {                                                  \
    return type(1 / sqrt((double)(float)a));                                           \
  }                                                                                    \
  static inline type hrcp(type a) {                                                    \
    return type(1 / (float)a);                                                         \
  }                                                                                    \
  static inline type hfloor(type a) {                                                  \
    return type(floorf(a));                                                            \
  }                                                                                    \
  static inline type hceil(type a) {                                                   \
    return type(ceilf(a));                                                             \
  }                                                                                    \
  static inline type hrint(type a) {                                                   \
    return type(rintf(a));                                                             \
  }                                                                                    \
  static inline type htrunc(type a) {                                                  \
    return type(truncf(a));                                                            \
  }

TFC_HALF_TYPE(__half, half_bits, half_value)
TFC_HALF_TYPE(__nv_bfloat16, bfloat_bits, bfloat_value)
#undef TFC_HALF_TYPE
typedef __half half;
typedef __nv_bfloat16 nv_bfloat16;

static inline __half __float2half(float x) {
  return __half(x);
}
static inline __half __float2half_rn(float x) {
  return __half(x);
}
static inline __half __double2half(double x) {
  return __half(x);
}
static inline float __half2float(__half x) {
  return x;
}
static inline unsigned short __half_as_ushort(__half x) {
  return x.tfc_bits;
}
static inline short __half_as_short(__half x) {
  return (short)x.tfc_bits;
}
static inline __half __ushort_as_half(unsigned short bits) {
  return tfc_with_bits(bits, __half());
}
static inline __half __short_as_half(short bits) {
  return tfc_with_bits((uint16_t)bits, __half());
}
static inline __half __int2half_rn(int x) {
  return __half(x);
}
static inline __half __ll2half_rn(long long x) {
  return __half(x);
}

static inline __nv_bfloat16 __float2bfloat16(float x) {
  return __nv_bfloat16(x);
}
static inline __nv_bfloat16 __float2bfloat16_rn(float x) {
  return __nv_bfloat16(x);
}
static inline __nv_bfloat16 __double2bfloat16(double x) {
  return __nv_bfloat16(x);
}
static inline float __bfloat162float(__nv_bfloat16 x) {
  return x;
}
static inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  return x.tfc_bits;
}
static inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  return tfc_with_bits(bits, __nv_bfloat16());
}

// ---- pairs

#define TFC_HALF_PAIR(pair, type, name, from_floats)       \
  struct alignas(4) pair {                                 \
    type x, y;                                             \
  };                                                       \
  static inline type __low2##name(pair a) {                \
    return a.x;                                            \
  }                                                        \
  static inline type __high2##name(pair a) {               \
    return a.y;                                            \
  }                                                        \
  static inline float __low2float(pair a) {                \
    return a.x;                                            \
  }                                                        \
  static inline float __high2float(pair a) {               \
    return a.y;                                            \
  }                                                        \
  static inline pair from_floats(float2 a) {               \
    return {type(a.x), type(a.y)};                         \
  }                                                        \
  static inline pair __halves2##name##2(type x, type y) {  \
    return {x, y};                                         \
  }                                                        \
  static inline pair __hadd2(pair a, pair b) {             \
    return {a.x + b.x, a.y + b.y};                         \
  }                                                        \
  static inline pair __hsub2(pair a, pair b) {             \
    return {a.x - b.x, a.y - b.y};                         \
  }                                                        \
  static inline pair __hmul2(pair a, pair b) {             \
    return {a.x * b.x, a.y * b.y};                         \
  }                                                        \
  static inline pair __hfma2(pair a, pair b, pair c) {     \
    return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; \
  }                                                        \
  static inline pair __hmax2(pair a, pair b) {             \
    return {__hmax(a.x, b.x), __hmax(a.y, b.y)};           \
  }                                                        \
  static inline pair __hmin2(pair a, pair b) {             \
    return {__hmin(a.x, b.x), __hmin(a.y, b.y)};           \
  }                                                        \
  static inline pair operator+(pair a, pair b) {           \
    return __hadd2(a, b);                                  \
  }                                                        \
  static inline pair operator-(pair a, pair b) {           \
    return __hsub2(a, b);                                  \
  }                                                        \
  static inline pair operator*(pair a, pair b) {           \
    return __hmul2(a, b);                                  \
  }
TFC_HALF_PAIR(__half2, __half, half, __float22half2_rn)
TFC_HALF_PAIR(__nv_bfloat162, __nv_bfloat16, bfloat16, __float22bfloat162_rn)
#undef TFC_HALF_PAIR
typedef __half2 half2;
typedef __nv_bfloat162 nv_bfloat162;

static inline float2 __half22float2(__half2 a) {
  return {(float)a.x, (float)a.y};
}
static inline float2 __bfloat1622float2(__nv_bfloat162 a) {
  return {(float)a.x, (float)a.y};
}
static inline __half2 __half2half2(__half a) {
  return {a, a};
}
static inline __half2 __float2half2_rn(float a) {
  return {__half(a), __half(a)};
}
static inline __half2 __floats2half2_rn(float x, float y) {
  return {__half(x), __half(y)};
}
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) {
  return {a, a};
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return {__nv_bfloat16(x), __nv_bfloat16(y)};
}

#endif
