/* Trigonometric and hyperbolic functions, powers and their like for real types. Most are one call
 * of the C library for each element. */
#include <math.h>

#include "cwise.h"
#include "simd_math.h"

/* ---- Functions of one number. */

#define FUNCTION(OP, CALL_F, CALL_D, NS)                                                          \
  TFC_UNARY_PLAIN(OP##_float, float, float, CALL_F(x))                                            \
  TFC_UNARY_PLAIN(OP##_double, double, double, CALL_D(x))                                         \
  static const tfc_unary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                          NS};                                                    \
  TFC_UNARY_KERNEL(OP, table_##OP)

#define FOR_FUNCTIONS(X)                                                        \
  X(Tan, tanf, tan, 10)                                                         \
  X(Asin, asinf, asin, 8)                                                       \
  X(Acos, acosf, acos, 8)                                                       \
  X(Atan, atanf, atan, 8)                                                       \
  X(Sinh, sinhf, sinh, 10) X(Cosh, coshf, cosh, 10) X(Asinh, asinhf, asinh, 15) \
      X(Acosh, acoshf, acosh, 15) X(Atanh, atanhf, atanh, 15) X(Erfc, erfcf, erfc, 15)

/* sin and cos of floats. Blocks with an element too large for the vectors' range reduction (or no
 * number) are left to the C library. */
#define BLOCKS_OF_FLOATS(NAME, CALL, QUARTER)                                  \
  static inline void NAME##_block(const float* xs, float* ys) {                \
    vd x = vd_load_floats(xs);                                                 \
    if (vl_any(~(vd_abs(x) <= 0x1p20)))                                        \
      for (int k = 0; k < VD_N; k++) ys[k] = CALL(xs[k]);                      \
    else                                                                       \
      vd_store_floats(ys, vd_sin_as_float(x, QUARTER));                        \
  }                                                                            \
  static void NAME(const void* from, void* to, int64_t n, const void* state) { \
    const float* xs = from;                                                    \
    float* ys = to;                                                            \
    int64_t i = 0;                                                             \
    (void)state;                                                               \
    for (; i + VD_N <= n; i += VD_N) NAME##_block(xs + i, ys + i);             \
    if (i < n) {                                                               \
      float part[VD_N] = {0};                                                  \
      memcpy(part, xs + i, (size_t)(n - i) * sizeof(float));                   \
      NAME##_block(part, part);                                                \
      memcpy(ys + i, part, (size_t)(n - i) * sizeof(float));                   \
    }                                                                          \
  }
BLOCKS_OF_FLOATS(Sin_float, sinf, 0)
BLOCKS_OF_FLOATS(Cos_float, cosf, 1)
TFC_UNARY_PLAIN(Sin_double, double, double, sin(x))
TFC_UNARY_PLAIN(Cos_double, double, double, cos(x))
static const tfc_unary_op table_Sin = {{[TFC_FLOAT] = Sin_float, [TFC_DOUBLE] = Sin_double}, 3};
static const tfc_unary_op table_Cos = {{[TFC_FLOAT] = Cos_float, [TFC_DOUBLE] = Cos_double}, 3};
TFC_UNARY_KERNEL(Sin, table_Sin)
TFC_UNARY_KERNEL(Cos, table_Cos)

FOR_FUNCTIONS(FUNCTION)

TFC_UNARY_VECTOR(Erf_float, float, vf, vf_erf(x)) /* common in activation functions */
TFC_UNARY_PLAIN(Erf_double, double, double, erf(x))
static const tfc_unary_op table_Erf = {{[TFC_FLOAT] = Erf_float, [TFC_DOUBLE] = Erf_double}, 2};
TFC_UNARY_KERNEL(Erf, table_Erf)

/* ---- Functions of two. */

#define FUNCTION_OF_TWO(OP, CALL_F, CALL_D, NS)                                                    \
  TFC_BINARY_PLAIN(OP##_float, float, float, CALL_F(x, y))                                         \
  TFC_BINARY_PLAIN(OP##_double, double, double, CALL_D(x, y))                                      \
  static const tfc_binary_op table_##OP = {{[TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double}, \
                                           NS};                                                    \
  TFC_BINARY_KERNEL(OP, table_##OP)

static inline float xlogy_float(float x, float y) {
  return x == 0 ? 0 : x * logf(y);
}
static inline double xlogy_double(double x, double y) {
  return x == 0 ? 0 : x * log(y);
}
static inline float xlog1py_float(float x, float y) {
  return x == 0 ? 0 : x * log1pf(y);
}
static inline double xlog1py_double(double x, double y) {
  return x == 0 ? 0 : x * log1p(y);
}

/* atan2(first, second) in the order of the op's inputs y, x */
FUNCTION_OF_TWO(Atan2, atan2f, atan2, 15)
FUNCTION_OF_TWO(Xlogy, xlogy_float, xlogy_double, 8)
FUNCTION_OF_TWO(Xlog1py, xlog1py_float, xlog1py_double, 10)
FUNCTION_OF_TWO(NextAfter, nextafterf, nextafter, 5)

/* ---- Pow. Small constant powers, by far the most common, are products. */

#define POW_LOOPS(T, CALL)                                                               \
  TFC_BINARY_PLAIN(pow_any_##T, T, T, CALL(x, y))                                        \
  static unsigned pow_##T(const void* xv, const void* yv, void* zv, int64_t n, int mode, \
                          const void* state) {                                           \
    const T* x = xv;                                                                     \
    T *z = zv, y = *(const T*)yv;                                                        \
    if (mode != TFC_SCALAR_Y || (y != 1 && y != 2 && y != 3 && y != -1))                 \
      return pow_any_##T(xv, yv, zv, n, mode, state);                                    \
    if (y == 1)                                                                          \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] = x[i];                  \
    else if (y == 2)                                                                     \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] = x[i] * x[i];           \
    else if (y == 3)                                                                     \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] = x[i] * x[i] * x[i];    \
    else                                                                                 \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] = 1 / x[i];              \
    return 0;                                                                            \
  }
POW_LOOPS(float, powf)
POW_LOOPS(double, pow)

/* Wraps like multiplication; a negative exponent fails the step. */
static inline uint64_t integer_power(uint64_t base, int64_t exponent, unsigned* failed) {
  uint64_t result = 1;
  if (exponent < 0) *failed |= TFC_NEGATIVE_POWER;
  for (; exponent > 0; exponent >>= 1, base *= base)
    if (exponent & 1) result *= base;
  return result;
}
#define POW_INTEGER(T) \
  TFC_BINARY_PLAIN(pow_##T, T##_t, T##_t, integer_power((uint64_t)x, (int64_t)y, &failed))
POW_INTEGER(int8)
POW_INTEGER(int16)
POW_INTEGER(int32)
POW_INTEGER(int64)
static const tfc_binary_op table_Pow = {{[TFC_FLOAT] = pow_float,
                                         [TFC_DOUBLE] = pow_double,
                                         [TFC_INT8] = pow_int8,
                                         [TFC_INT16] = pow_int16,
                                         [TFC_INT32] = pow_int32,
                                         [TFC_INT64] = pow_int64},
                                        10};
TFC_BINARY_KERNEL(Pow, table_Pow)

#define ENTRY(OP, CALL_F, CALL_D, NS) TFC_CWISE_ENTRY(OP, "T=" TFC_TYPES_FLOATS),
static const tfc_kernel_def cwise_trig[] = {
    FOR_FUNCTIONS(ENTRY) TFC_CWISE_ENTRY(Sin, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(Cos, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(Erf, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(Atan2, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(Xlogy, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(Xlog1py, "T=" TFC_TYPES_FLOATS),
    TFC_CWISE_ENTRY(NextAfter, "T=float|double"),
    TFC_CWISE_ENTRY(Pow, "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED),
};
TFC_REGISTER_KERNELS(cwise_trig);
