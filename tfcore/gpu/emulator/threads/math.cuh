// CUDA's integer and mathematical functions. Those of C are in math.h; "fast" ones are as exact as
// any other here.
#ifndef TFCORE_HOST_MATH_CUH
#define TFCORE_HOST_MATH_CUH

#include <math.h>
#include <stdint.h>
#include <string.h>

namespace tfc {
template <class To, class From>
inline To bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To result;
  __builtin_memcpy(&result, &value, sizeof result);
  return result;
}
}  // namespace tfc

// ---- bits

static inline int __clz(int x) {
  return x ? __builtin_clz((unsigned)x) : 32;
}
static inline int __clzll(long long x) {
  return x ? __builtin_clzll((unsigned long long)x) : 64;
}
static inline int __popc(unsigned x) {
  return __builtin_popcount(x);
}
static inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
static inline int __ffs(int x) {
  return __builtin_ffs(x);
}
static inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
static inline unsigned __brev(unsigned x) {
  x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
  x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
  x = (x >> 4 & 0x0F0F0F0Fu) | (x & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(x);
}
static inline unsigned long long __brevll(unsigned long long x) {
  return (unsigned long long)__brev((unsigned)x) << 32 | __brev((unsigned)(x >> 32));
}
static inline int __mulhi(int a, int b) {
  return (int)((int64_t)a * b >> 32);
}
static inline unsigned __umulhi(unsigned a, unsigned b) {
  return (unsigned)((uint64_t)a * b >> 32);
}
static inline long long __mul64hi(long long a, long long b) {
  return (long long)((__int128)a * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((uint64_t)high << 32 | low) << (shift & 31)) >> 32);
}
static inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((uint64_t)high << 32 | low) >> (shift & 31));
}

static inline int __float_as_int(float x) {
  return tfc::bits<int>(x);
}
static inline unsigned __float_as_uint(float x) {
  return tfc::bits<unsigned>(x);
}
static inline float __int_as_float(int x) {
  return tfc::bits<float>(x);
}
static inline float __uint_as_float(unsigned x) {
  return tfc::bits<float>(x);
}
static inline long long __double_as_longlong(double x) {
  return tfc::bits<long long>(x);
}
static inline double __longlong_as_double(long long x) {
  return tfc::bits<double>(x);
}
static inline int __double2hiint(double x) {
  return (int)(tfc::bits<uint64_t>(x) >> 32);
}
static inline int __double2loint(double x) {
  return (int)tfc::bits<uint64_t>(x);
}
static inline double __hiloint2double(int high, int low) {
  return tfc::bits<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}

// ---- conversions. On a card they saturate, and NaN becomes 0 (the lowest value for 64 bits); in C
// they are undefined.

namespace tfc {
template <class Int, class Float>
inline Int saturate(Float x) {
  constexpr Int low =
      sizeof(Int) == 4 ? ((Int)-1 < 0 ? (Int)INT32_MIN : 0) : ((Int)-1 < 0 ? (Int)INT64_MIN : 0);
  constexpr Int high = (Int)~low;
  if (x != x) return sizeof(Int) == 4 ? 0 : (Int)((Int)1 << (sizeof(Int) * 8 - 1));
  if (x <= (Float)low) return low;
  if (x >= (Float)high) return high;
  return (Int)x;
}
}  // namespace tfc

#define TFC_ROUNDED(from, short, to, name)           \
  static inline to __##short##2##name##_rn(from x) { \
    return tfc::saturate<to>(rint(x));               \
  }                                                  \
  static inline to __##short##2##name##_rz(from x) { \
    return tfc::saturate<to>(trunc(x));              \
  }                                                  \
  static inline to __##short##2##name##_ru(from x) { \
    return tfc::saturate<to>(ceil(x));               \
  }                                                  \
  static inline to __##short##2##name##_rd(from x) { \
    return tfc::saturate<to>(floor(x));              \
  }
TFC_ROUNDED(float, float, int, int)
TFC_ROUNDED(float, float, unsigned, uint)
TFC_ROUNDED(float, float, long long, ll)
TFC_ROUNDED(float, float, unsigned long long, ull)
TFC_ROUNDED(double, double, int, int)
TFC_ROUNDED(double, double, unsigned, uint)
TFC_ROUNDED(double, double, long long, ll)
TFC_ROUNDED(double, double, unsigned long long, ull)
#undef TFC_ROUNDED
static inline float __int2float_rn(int x) {
  return (float)x;
}
static inline float __uint2float_rn(unsigned x) {
  return (float)x;
}
static inline float __ll2float_rn(long long x) {
  return (float)x;
}
static inline float __ull2float_rn(unsigned long long x) {
  return (float)x;
}
static inline float __double2float_rn(double x) {
  return (float)x;
}
static inline double __int2double_rn(int x) {
  return x;
}
static inline double __ll2double_rn(long long x) {
  return (double)x;
}

// ---- minima and maxima, as nvcc overloads them: a NaN loses

#define TFC_MIN_MAX(type)                  \
  static inline type min(type a, type b) { \
    return b < a ? b : a;                  \
  }                                        \
  static inline type max(type a, type b) { \
    return a < b ? b : a;                  \
  }
TFC_MIN_MAX(int)
TFC_MIN_MAX(unsigned)
TFC_MIN_MAX(long)
TFC_MIN_MAX(unsigned long)
TFC_MIN_MAX(long long)
TFC_MIN_MAX(unsigned long long)
#undef TFC_MIN_MAX
static inline float min(float a, float b) {
  return fminf(a, b);
}
static inline float max(float a, float b) {
  return fmaxf(a, b);
}
static inline double min(double a, double b) {
  return fmin(a, b);
}
static inline double max(double a, double b) {
  return fmax(a, b);
}

// ---- arithmetic with a stated rounding: no contraction to a fused operation

static inline float __fadd_rn(float a, float b) {
  return a + b;
}
static inline float __fsub_rn(float a, float b) {
  return a - b;
}
static inline float __fmul_rn(float a, float b) {
  return a * b;
}
static inline float __fdiv_rn(float a, float b) {
  return a / b;
}
static inline float __frcp_rn(float x) {
  return 1 / x;
}
static inline float __fsqrt_rn(float x) {
  return sqrtf(x);
}
static inline float __fmaf_rn(float a, float b, float c) {
  return fmaf(a, b, c);
}
static inline double __dadd_rn(double a, double b) {
  return a + b;
}
static inline double __dsub_rn(double a, double b) {
  return a - b;
}
static inline double __dmul_rn(double a, double b) {
  return a * b;
}
static inline double __ddiv_rn(double a, double b) {
  return a / b;
}
static inline double __drcp_rn(double x) {
  return 1 / x;
}
static inline double __dsqrt_rn(double x) {
  return sqrt(x);
}
static inline double __fma_rn(double a, double b, double c) {
  return fma(a, b, c);
}

// ---- functions that C has not

static inline float rsqrtf(float x) {
  return (float)(1 / sqrt((double)x));
}
static inline double rsqrt(double x) {
  return 1 / sqrt(x);
}
static inline float rsqrt(float x) {
  return rsqrtf(x);
}
static inline float rcbrtf(float x) {
  return 1 / cbrtf(x);
}
static inline double rcbrt(double x) {
  return 1 / cbrt(x);
}
static inline float normcdff(float x) {
  return 0.5f * erfcf(-x * 0.70710678f);
}
static inline double normcdf(double x) {
  return 0.5 * erfc(-x * 0.70710678118654752);
}
static inline double sinpi(double x) {
  return sin(3.14159265358979323846 * remainder(x, 2));
}
static inline double cospi(double x) {
  return cos(3.14159265358979323846 * remainder(x, 2));
}
static inline float sinpif(float x) {
  return (float)sinpi(x);
}
static inline float cospif(float x) {
  return (float)cospi(x);
}
static inline void sincos(float x, float* s, float* c) {
  sincosf(x, s, c);
}
static inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
static inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}

// Inverse error function: Giles' approximation, and two steps of Newton's method.
static inline double erfinv(double x) {
  if (!(x > -1 && x < 1)) return x == 1 ? HUGE_VAL : x == -1 ? -HUGE_VAL : NAN;
  double w = -log((1 - x) * (1 + x)), y;
  if (w < 5) {
    w -= 2.5;
    y = 2.81022636e-08;
    y = 3.43273939e-07 + y * w;
    y = -3.5233877e-06 + y * w;
    y = -4.39150654e-06 + y * w;
    y = 0.00021858087 + y * w;
    y = -0.00125372503 + y * w;
    y = -0.00417768164 + y * w;
    y = 0.246640727 + y * w;
    y = 1.50140941 + y * w;
  } else {
    w = sqrt(w) - 3;
    y = -0.000200214257;
    y = 0.000100950558 + y * w;
    y = 0.00134934322 + y * w;
    y = -0.00367342844 + y * w;
    y = 0.00573950773 + y * w;
    y = -0.0076224613 + y * w;
    y = 0.00943887047 + y * w;
    y = 1.00167406 + y * w;
    y = 2.83297682 + y * w;
  }
  y *= x;
  for (int i = 0; i < 2; i++) {
    const double error =
        fabs(x) < 0.5 ? erf(y) - x : copysign(1 - fabs(x), x) - copysign(erfc(fabs(y)), x);
    y -= error * 0.88622692545275801 * exp(y * y);
  }
  return y;
}
static inline float erfinvf(float x) {
  return (float)erfinv((double)x);
}
static inline double erfcinv(double x) {
  return erfinv(1 - x);
}
static inline float erfcinvf(float x) {
  return (float)erfinv(1 - (double)x);
}
static inline double normcdfinv(double p) {
  return 1.4142135623730951 * erfinv(2 * p - 1);
}
static inline float normcdfinvf(float p) {
  return (float)normcdfinv((double)p);
}

// The C library has functions of its own under these names.
#define __expf(x) expf(x)
#define __exp10f(x) exp10f(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __log10f(x) log10f(x)
#define __powf(x, y) powf(x, y)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __tanf(x) tanf(x)
#define __sincosf(x, s, c) sincosf(x, s, c)
static inline float __fdividef(float a, float b) {
  return a / b;
}
static inline float __saturatef(float x) {
  return fminf(fmaxf(x, 0), 1);
}

// ---- loads and stores that choose a cache

template <class T>
static inline T __ldg(const T* p) {
  return *p;
}
template <class T>
static inline T __ldcg(const T* p) {
  return *p;
}
template <class T>
static inline T __ldcs(const T* p) {
  return *p;
}
template <class T>
static inline void __stcg(T* p, T value) {
  *p = value;
}
template <class T>
static inline void __stcs(T* p, T value) {
  *p = value;
}

#endif
