/* Functions of one number: arithmetic, rounding, exponentials, trigonometry, predicates, for real
 * and complex types; and the gradients of some, by their result. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/cwise/complex.h"
#include "kernels_c/cwise/names.h"

#define FLOAT_LOOPS(OP, EXPRESSION_F, EXPRESSION_D) \
  TFC_UNARY(OP##_float, float, float, EXPRESSION_F) \
  TFC_UNARY(OP##_double, double, double, EXPRESSION_D)
#define VECTOR_LOOPS(OP, FUNCTION)                          \
  TFC_UNARY_VECTOR(OP##_float, float, vf, vf_##FUNCTION(x)) \
  TFC_UNARY_VECTOR(OP##_double, double, vd, vd_##FUNCTION(x))
#define VECTOR_OP(OP, FUNCTION, NS) \
  VECTOR_LOOPS(OP, FUNCTION) TFC_UNARY_OP(OP, NS, TFC_FLOAT_ENTRIES(OP))
#define SIGNED_ENTRIES(OP)                                                    \
  [TFC_INT8] = OP##_int8, [TFC_INT16] = OP##_int16, [TFC_INT32] = OP##_int32, \
  [TFC_INT64] = OP##_int64

/* ---- Arithmetic. */

FLOAT_LOOPS(abs, fabsf(x), fabs(x))
TFC_UNARY_PLAIN(abs_int8, int8_t, int8_t, x < 0 ? -x : x)
TFC_UNARY_PLAIN(abs_int16, int16_t, int16_t, x < 0 ? -x : x)
TFC_UNARY(abs_int32, int32_t, int32_t, x < 0 ? 0 - (uint32_t)x : (uint32_t)x)
TFC_UNARY(abs_int64, int64_t, int64_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
static const tfc_unary_op abs_op = {{TFC_FLOAT_ENTRIES(abs), SIGNED_ENTRIES(abs)}, 0.2};

FLOAT_LOOPS(neg, -x, -x)
TFC_UNARY_PLAIN(neg_int8, uint8_t, uint8_t, 0u - x)
TFC_UNARY_PLAIN(neg_int16, uint16_t, uint16_t, 0u - x)
TFC_UNARY(neg_int32, uint32_t, uint32_t, 0 - x)
TFC_UNARY(neg_int64, uint64_t, uint64_t, 0 - x)
TFC_UNARY_PLAIN(neg_complex64, float _Complex, float _Complex, -x)
TFC_UNARY_PLAIN(neg_complex128, double _Complex, double _Complex, -x)
static const tfc_unary_op neg = {
    {TFC_FLOAT_ENTRIES(neg), SIGNED_ENTRIES(neg), [TFC_COMPLEX64] = neg_complex64,
     [TFC_COMPLEX128] = neg_complex128},
    0.2};

FLOAT_LOOPS(square, x* x, x* x)
TFC_UNARY_PLAIN(square_int8, uint8_t, uint8_t, x* x)
TFC_UNARY_PLAIN(square_int16, uint16_t, uint16_t, (uint32_t)x* x)
TFC_UNARY(square_int32, uint32_t, uint32_t, x* x)
TFC_UNARY(square_int64, uint64_t, uint64_t, x* x)
TFC_UNARY_PLAIN(square_complex64, float _Complex, float _Complex, x* x)
TFC_UNARY_PLAIN(square_complex128, double _Complex, double _Complex, x* x)
static const tfc_unary_op square = {
    {TFC_FLOAT_ENTRIES(square), SIGNED_ENTRIES(square), [TFC_UINT8] = square_int8,
     [TFC_UINT16] = square_int16, [TFC_UINT32] = square_int32, [TFC_UINT64] = square_int64,
     [TFC_COMPLEX64] = square_complex64, [TFC_COMPLEX128] = square_complex128},
    0.2};

FLOAT_LOOPS(reciprocal, 1 / x, 1 / x)
TFC_UNARY_PLAIN(reciprocal_complex64, float _Complex, float _Complex, 1 / x)
TFC_UNARY_PLAIN(reciprocal_complex128, double _Complex, double _Complex, 1 / x)
static const tfc_unary_op reciprocal = {
    {TFC_FLOAT_ENTRIES(reciprocal), [TFC_COMPLEX64] = reciprocal_complex64,
     [TFC_COMPLEX128] = reciprocal_complex128},
    0.3};

#define SIGN(X) (((X) > 0) - ((X) < 0))
/* NaN stays NaN, and a zero keeps its sign. */
FLOAT_LOOPS(sign, x > 0 ? 1.0f : x < 0 ? -1.0f : x, x > 0 ? 1.0 : x < 0 ? -1.0 : x)
TFC_UNARY_PLAIN(sign_int8, int8_t, int8_t, SIGN(x))
TFC_UNARY_PLAIN(sign_int16, int16_t, int16_t, SIGN(x))
TFC_UNARY(sign_int32, int32_t, int32_t, SIGN(x))
TFC_UNARY(sign_int64, int64_t, int64_t, SIGN(x))

/* ---- Rounding. */

FLOAT_LOOPS(floor, floorf(x), floor(x))
FLOAT_LOOPS(ceil, ceilf(x), ceil(x))
VECTOR_LOOPS(round, round)
/* Rounding an integer: a copy. */
static void copy_1(const void* x, void* y, int64_t n, const void* state) {
  (void)state;
  if (x != y) memcpy(y, x, (size_t)n);
}
static void copy_2(const void* x, void* y, int64_t n, const void* state) {
  copy_1(x, y, 2 * n, state);
}
static void copy_4(const void* x, void* y, int64_t n, const void* state) {
  copy_1(x, y, 4 * n, state);
}
static void copy_8(const void* x, void* y, int64_t n, const void* state) {
  copy_1(x, y, 8 * n, state);
}
static const tfc_unary_op sign = {{TFC_FLOAT_ENTRIES(sign), SIGNED_ENTRIES(sign)}, 0.2};
static const tfc_unary_op floor_op = {{TFC_FLOAT_ENTRIES(floor)}, 0.2};
static const tfc_unary_op ceil_op = {{TFC_FLOAT_ENTRIES(ceil)}, 0.2};
static const tfc_unary_op round_op = {
    {TFC_FLOAT_ENTRIES(round), [TFC_INT8] = copy_1, [TFC_INT16] = copy_2, [TFC_INT32] = copy_4,
     [TFC_INT64] = copy_8},
    0.2};

/* ---- Roots, exponentials, logarithms. */

VECTOR_OP(Sqrt, sqrt, 0.5)
#if defined(__AVX512DQ__)
/* An estimate of 14 bits and two steps of Newton's method: off by 1 ulp at most, and faster than a
 * root and a division. For zeros, infinities, NaN and negative x the estimate is right. */
static inline vf rsqrt_vector(vf x) {
  const __m512 v = (__m512)x;
  const vf estimate = (vf)_mm512_rsqrt14_ps(v);
  const __mmask16 special = _mm512_fpclass_ps_mask(v, 0x01 | 0x02 | 0x04 | 0x08 | 0x40 | 0x80);
  vf y = estimate;
  for (int i = 0; i < 2; i++) y += y * 0.5f * (1.0f - x * y * y);
  return (vf)_mm512_mask_mov_ps((__m512)y, special, (__m512)estimate);
}
TFC_UNARY_VECTOR(Rsqrt_float, float, vf, rsqrt_vector(x))
#else
TFC_UNARY(Rsqrt_float, float, float, 1 / sqrtf(x))
#endif
TFC_UNARY(Rsqrt_double, double, double, 1 / sqrt(x))
TFC_UNARY_OP(Rsqrt, 0.8, TFC_FLOAT_ENTRIES(Rsqrt))
VECTOR_OP(Exp, exp, 0.6)
VECTOR_OP(Expm1, expm1, 0.8)
VECTOR_OP(Log, log, 0.8)
VECTOR_OP(Log1p, log1p, 1.2)
VECTOR_OP(Tanh, tanh, 1)
VECTOR_OP(Sigmoid, sigmoid, 0.8)

/* ---- Predicates. By bits, which no compiler option can simplify away. */

static inline uint32_t float_magnitude(float x) {
  return tfc_bits_from_float(x) & 0x7fffffffu;
}
static inline uint64_t double_magnitude(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits & 0x7fffffffffffffffull;
}
#define PREDICATE_LOOPS(OP, COMPARE)                                                         \
  TFC_UNARY(OP##_float, float, uint8_t, float_magnitude(x) COMPARE 0x7f800000u)              \
  TFC_UNARY(OP##_double, double, uint8_t, double_magnitude(x) COMPARE 0x7ff0000000000000ull) \
  static const tfc_unary_op OP = {{TFC_FLOAT_ENTRIES(OP)}, 0.2}
PREDICATE_LOOPS(is_nan, >);
PREDICATE_LOOPS(is_inf, ==);
PREDICATE_LOOPS(is_finite, <);

TFC_UNARY(logical_not_bool, uint8_t, uint8_t, !x)
static const tfc_unary_op logical_not = {{[TFC_BOOL] = logical_not_bool}, 0.1};

/* ---- Trigonometric and hyperbolic functions. Most are one call of the C library for each element.
 */

#define FUNCTION(OP, CALL_F, CALL_D, NS)                  \
  TFC_UNARY_PLAIN(OP##_float, float, float, CALL_F(x))    \
  TFC_UNARY_PLAIN(OP##_double, double, double, CALL_D(x)) \
  TFC_UNARY_OP(OP, NS, TFC_FLOAT_ENTRIES(OP))

FUNCTION(Tan, tanf, tan, 10)
FUNCTION(Asin, asinf, asin, 8)
FUNCTION(Acos, acosf, acos, 8)
FUNCTION(Atan, atanf, atan, 8)
FUNCTION(Sinh, sinhf, sinh, 10)
FUNCTION(Cosh, coshf, cosh, 10)
FUNCTION(Asinh, asinhf, asinh, 15)
FUNCTION(Acosh, acoshf, acosh, 15)
FUNCTION(Atanh, atanhf, atanh, 15)

/* sin and cos of floats. Blocks with an element too large for the vectors' range reduction (or NaN)
 * are left to the C library. */
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
TFC_UNARY_OP(Sin, 3, TFC_FLOAT_ENTRIES(Sin))
TFC_UNARY_OP(Cos, 3, TFC_FLOAT_ENTRIES(Cos))

/* ---- Functions of complex numbers: those that C lacks, or has inaccurately near 0. */

static inline c128 c_rsqrt(c128 z) {
  return 1 / csqrt(z);
}
static inline c128 c_expm1(c128 z) {
  double a = creal(z), b = cimag(z), s = sin(b / 2);
  return CMPLX(expm1(a) * cos(b) - 2 * s * s, exp(a) * sin(b));
}
static inline c128 c_sigmoid(c128 z) {
  if (creal(z) >= 0) return 1 / (1 + cexp(-z));
  c128 e = cexp(z);
  return e / (1 + e);
}
static inline c128 c_sign(c128 z) {
  double size = cabs(z);
  return size == 0 ? 0 : z / size;
}

TFC_COMPLEX_UNARY(Sqrt, csqrt, 15)
TFC_COMPLEX_UNARY(Rsqrt, c_rsqrt, 20)
TFC_COMPLEX_UNARY(Exp, cexp, 25)
TFC_COMPLEX_UNARY(Expm1, c_expm1, 50)
TFC_COMPLEX_UNARY(Log, clog, 40)
TFC_COMPLEX_UNARY(Log1p, c_log1p, 40)
TFC_COMPLEX_UNARY(Sin, csin, 40)
TFC_COMPLEX_UNARY(Cos, ccos, 40)
TFC_COMPLEX_UNARY(Tan, ctan, 60)
TFC_COMPLEX_UNARY(Asin, casin, 60)
TFC_COMPLEX_UNARY(Acos, cacos, 60)
TFC_COMPLEX_UNARY(Atan, catan, 60)
TFC_COMPLEX_UNARY(Sinh, csinh, 40)
TFC_COMPLEX_UNARY(Cosh, ccosh, 40)
TFC_COMPLEX_UNARY(Tanh, ctanh, 60)
TFC_COMPLEX_UNARY(Asinh, casinh, 60)
TFC_COMPLEX_UNARY(Acosh, cacosh, 60)
TFC_COMPLEX_UNARY(Atanh, catanh, 60)
TFC_COMPLEX_UNARY(Sigmoid, c_sigmoid, 40)
TFC_COMPLEX_UNARY(Sign, c_sign, 15)

/* ---- Gradients by the result. x: y, y: dy in TensorFlow's names; complex ones take the
 * conjugate of x where TensorFlow's do (for sigmoid and tanh the graph has a Conj). A dy of 0 gives
 * 0 where x would otherwise make it NaN. */

#define GRAD_BY_RESULT(OP, CONJUGATE, EXPRESSION)                                            \
  TFC_BINARY(OP##_float, float, float, EXPRESSION)                                           \
  TFC_BINARY(OP##_double, double, double, EXPRESSION)                                        \
  static inline c64 OP##_one_complex64(c64 x, c64 y) {                                       \
    x = CONJUGATE x;                                                                         \
    return EXPRESSION;                                                                       \
  }                                                                                          \
  static inline c128 OP##_one_complex128(c128 x, c128 y) {                                   \
    x = CONJUGATE x;                                                                         \
    return EXPRESSION;                                                                       \
  }                                                                                          \
  TFC_BINARY_PLAIN(OP##_complex64, c64, c64, OP##_one_complex64(x, y))                       \
  TFC_BINARY_PLAIN(OP##_complex128, c128, c128, OP##_one_complex128(x, y))                   \
  static const tfc_binary_op OP = {{TFC_FLOAT_ENTRIES(OP), [TFC_COMPLEX64] = OP##_complex64, \
                                    [TFC_COMPLEX128] = OP##_complex128},                     \
                                   0.3}
GRAD_BY_RESULT(sigmoid_grad, , y * x * (1 - x));
GRAD_BY_RESULT(tanh_grad, , y * (1 - x * x));
GRAD_BY_RESULT(sqrt_grad, ~, y == 0 ? 0 : y * 0.5f / x);
GRAD_BY_RESULT(rsqrt_grad, ~, y == 0 ? 0 : y * -0.5f * (x * x) * x);
GRAD_BY_RESULT(reciprocal_grad, ~, y == 0 ? 0 : -y * (x * x));

TFC_UNARY_KERNEL(Abs, abs_op)
TFC_UNARY_KERNEL(Neg, neg)
TFC_UNARY_KERNEL(Square, square)
TFC_UNARY_KERNEL(Reciprocal, reciprocal)
TFC_UNARY_KERNEL(Sign, sign)
TFC_UNARY_KERNEL(Floor, floor_op)
TFC_UNARY_KERNEL(Ceil, ceil_op)
TFC_UNARY_KERNEL(Round, round_op)
TFC_UNARY_KERNEL(IsNan, is_nan)
TFC_UNARY_KERNEL(IsInf, is_inf)
TFC_UNARY_KERNEL(IsFinite, is_finite)
TFC_UNARY_KERNEL(LogicalNot, logical_not)
TFC_SAME_SHAPE_KERNEL(SigmoidGrad, sigmoid_grad)
TFC_SAME_SHAPE_KERNEL(TanhGrad, tanh_grad)
TFC_SAME_SHAPE_KERNEL(SqrtGrad, sqrt_grad)
TFC_SAME_SHAPE_KERNEL(RsqrtGrad, rsqrt_grad)
TFC_SAME_SHAPE_KERNEL(ReciprocalGrad, reciprocal_grad)

const tfc_unary_op* tfc_fusible_unary(const char* op) {
  static const struct {
    const char* name;
    const tfc_unary_op* op;
  } table[] = {
      {"Abs", &abs_op},      {"Neg", &neg},
      {"Square", &square},   {"Reciprocal", &reciprocal},
      {"Sqrt", &table_Sqrt}, {"Rsqrt", &table_Rsqrt},
      {"Exp", &table_Exp},   {"Log", &table_Log},
      {"Tanh", &table_Tanh}, {"Sigmoid", &table_Sigmoid},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strcmp(op, table[i].name)) return table[i].op;
  return NULL;
}

#define ROWS(OP)                                     \
  TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS, compute_##OP), \
      TFC_ROW(#OP, "T=" TFC_TYPES_COMPLEX, compute_complex_##OP),

static const tfc_kernel_def kernels[] = {
    TFC_ANALYTIC_FUNCTIONS(ROWS) /* and: */
    TFC_ROW("Abs", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, compute_Abs),
    TFC_ROW("Neg", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|" TFC_TYPES_COMPLEX, compute_Neg),
    TFC_ROW("Square", "T=" TFC_TYPES_NUMBERS, compute_Square),
    TFC_ROW("Inv", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_Reciprocal),
    TFC_ROW("Reciprocal", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_Reciprocal),
    TFC_ROW("Sign", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, compute_Sign),
    TFC_ROW("Floor", "T=" TFC_TYPES_FLOATS, compute_Floor),
    TFC_ROW("Ceil", "T=" TFC_TYPES_FLOATS, compute_Ceil),
    TFC_ROW("Round", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, compute_Round),
    TFC_ROW("Rint", "T=" TFC_TYPES_FLOATS, compute_Round),
    TFC_ROW("IsNan", "T=" TFC_TYPES_FLOATS, compute_IsNan),
    TFC_ROW("IsInf", "T=" TFC_TYPES_FLOATS, compute_IsInf),
    TFC_ROW("IsFinite", "T=" TFC_TYPES_FLOATS, compute_IsFinite),
    TFC_ROW("LogicalNot", "", compute_LogicalNot),
    TFC_ROW("Sign", "T=" TFC_TYPES_COMPLEX, compute_complex_Sign),
    TFC_ROW("SigmoidGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_SigmoidGrad),
    TFC_ROW("TanhGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_TanhGrad),
    TFC_ROW("SqrtGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_SqrtGrad),
    TFC_ROW("RsqrtGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_RsqrtGrad),
    TFC_ROW("ReciprocalGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_ReciprocalGrad),
    TFC_ROW("InvGrad", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_ReciprocalGrad),
};
TFC_REGISTER_KERNELS(kernels);
