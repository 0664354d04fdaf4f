/* Unary ops of arithmetic, rounding, exponentials and their gradients' helpers, for real types.
 * Trigonometric and special functions are in cwise_trig.c and cwise_special.c, complex ones in
 * cwise_complex.c. */
#include <math.h>

#include "cwise.h"
#include "simd_math.h"

#define FLOAT_LOOPS(OP, EXPRESSION_F, EXPRESSION_D) \
  TFC_UNARY(OP##_float, float, float, EXPRESSION_F) \
  TFC_UNARY(OP##_double, double, double, EXPRESSION_D)
#define VECTOR_LOOPS(OP)                              \
  TFC_UNARY_VECTOR(OP##_float, float, vf, vf_##OP(x)) \
  TFC_UNARY_VECTOR(OP##_double, double, vd, vd_##OP(x))
#define FLOAT_ENTRIES(OP) [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double
#define SIGNED_ENTRIES(OP)                                                    \
  [TFC_INT8] = OP##_int8, [TFC_INT16] = OP##_int16, [TFC_INT32] = OP##_int32, \
  [TFC_INT64] = OP##_int64

/* ---- Arithmetic. */

FLOAT_LOOPS(abs, fabsf(x), fabs(x))
TFC_UNARY_PLAIN(abs_int8, int8_t, int8_t, x < 0 ? -x : x)
TFC_UNARY_PLAIN(abs_int16, int16_t, int16_t, x < 0 ? -x : x)
TFC_UNARY(abs_int32, int32_t, int32_t, x < 0 ? 0 - (uint32_t)x : (uint32_t)x)
TFC_UNARY(abs_int64, int64_t, int64_t, x < 0 ? 0 - (uint64_t)x : (uint64_t)x)
static const tfc_unary_op abs_op = {{FLOAT_ENTRIES(abs), SIGNED_ENTRIES(abs)}, 0.2};

FLOAT_LOOPS(neg, -x, -x)
TFC_UNARY_PLAIN(neg_int8, uint8_t, uint8_t, 0u - x)
TFC_UNARY_PLAIN(neg_int16, uint16_t, uint16_t, 0u - x)
TFC_UNARY(neg_int32, uint32_t, uint32_t, 0 - x)
TFC_UNARY(neg_int64, uint64_t, uint64_t, 0 - x)
TFC_UNARY_PLAIN(neg_complex64, float _Complex, float _Complex, -x)
TFC_UNARY_PLAIN(neg_complex128, double _Complex, double _Complex, -x)
static const tfc_unary_op neg = {
    {FLOAT_ENTRIES(neg), SIGNED_ENTRIES(neg), [TFC_COMPLEX64] = neg_complex64,
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
    {FLOAT_ENTRIES(square), SIGNED_ENTRIES(square), [TFC_UINT8] = square_int8,
     [TFC_UINT16] = square_int16, [TFC_UINT32] = square_int32, [TFC_UINT64] = square_int64,
     [TFC_COMPLEX64] = square_complex64, [TFC_COMPLEX128] = square_complex128},
    0.2};

FLOAT_LOOPS(reciprocal, 1 / x, 1 / x)
TFC_UNARY_PLAIN(reciprocal_complex64, float _Complex, float _Complex, 1 / x)
TFC_UNARY_PLAIN(reciprocal_complex128, double _Complex, double _Complex, 1 / x)
static const tfc_unary_op reciprocal = {
    {FLOAT_ENTRIES(reciprocal), [TFC_COMPLEX64] = reciprocal_complex64,
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
VECTOR_LOOPS(round)
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
static const tfc_unary_op sign = {{FLOAT_ENTRIES(sign), SIGNED_ENTRIES(sign)}, 0.2};
static const tfc_unary_op floor_op = {{FLOAT_ENTRIES(floor)}, 0.2};
static const tfc_unary_op ceil_op = {{FLOAT_ENTRIES(ceil)}, 0.2};
static const tfc_unary_op round_op = {
    {FLOAT_ENTRIES(round), [TFC_INT8] = copy_1, [TFC_INT16] = copy_2, [TFC_INT32] = copy_4,
     [TFC_INT64] = copy_8},
    0.2};

/* ---- Roots, exponentials, logarithms. */

VECTOR_LOOPS(sqrt)
FLOAT_LOOPS(rsqrt, 1 / sqrtf(x), 1 / sqrt(x))
VECTOR_LOOPS(exp)
VECTOR_LOOPS(expm1)
VECTOR_LOOPS(log)
VECTOR_LOOPS(log1p)
VECTOR_LOOPS(tanh)
VECTOR_LOOPS(sigmoid)
static const tfc_unary_op sqrt_op = {{FLOAT_ENTRIES(sqrt)}, 0.5};
static const tfc_unary_op rsqrt = {{FLOAT_ENTRIES(rsqrt)}, 0.8};
static const tfc_unary_op exp_op = {{FLOAT_ENTRIES(exp)}, 0.6};
static const tfc_unary_op expm1_op = {{FLOAT_ENTRIES(expm1)}, 0.8};
static const tfc_unary_op log_op = {{FLOAT_ENTRIES(log)}, 0.8};
static const tfc_unary_op log1p_op = {{FLOAT_ENTRIES(log1p)}, 1.2};
static const tfc_unary_op tanh_op = {{FLOAT_ENTRIES(tanh)}, 1};
static const tfc_unary_op sigmoid = {{FLOAT_ENTRIES(sigmoid)}, 0.8};

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
  static const tfc_unary_op OP = {{FLOAT_ENTRIES(OP)}, 0.2}
PREDICATE_LOOPS(is_nan, >);
PREDICATE_LOOPS(is_inf, ==);
PREDICATE_LOOPS(is_finite, <);

/* ---- Bits and booleans. */

TFC_UNARY(logical_not_bool, uint8_t, uint8_t, !x)
static const tfc_unary_op logical_not = {{[TFC_BOOL] = logical_not_bool}, 0.1};

TFC_UNARY(invert_1, uint8_t, uint8_t, ~x)
TFC_UNARY_PLAIN(invert_2, uint16_t, uint16_t, ~x)
TFC_UNARY(invert_4, uint32_t, uint32_t, ~x)
TFC_UNARY(invert_8, uint64_t, uint64_t, ~x)
static const tfc_unary_op invert = {{[TFC_INT8] = invert_1,
                                     [TFC_UINT8] = invert_1,
                                     [TFC_INT16] = invert_2,
                                     [TFC_UINT16] = invert_2,
                                     [TFC_INT32] = invert_4,
                                     [TFC_UINT32] = invert_4,
                                     [TFC_INT64] = invert_8,
                                     [TFC_UINT64] = invert_8},
                                    0.2};

TFC_UNARY_PLAIN(population_count_1, uint8_t, uint8_t, __builtin_popcount(x))
TFC_UNARY_PLAIN(population_count_2, uint16_t, uint8_t, __builtin_popcount(x))
TFC_UNARY_PLAIN(population_count_4, uint32_t, uint8_t, __builtin_popcount(x))
TFC_UNARY_PLAIN(population_count_8, uint64_t, uint8_t, __builtin_popcountll(x))
static const tfc_unary_op population_count = {{[TFC_INT8] = population_count_1,
                                               [TFC_UINT8] = population_count_1,
                                               [TFC_INT16] = population_count_2,
                                               [TFC_UINT16] = population_count_2,
                                               [TFC_INT32] = population_count_4,
                                               [TFC_UINT32] = population_count_4,
                                               [TFC_INT64] = population_count_8,
                                               [TFC_UINT64] = population_count_8},
                                              1};

TFC_UNARY_KERNEL(Abs, abs_op)
TFC_UNARY_KERNEL(Neg, neg)
TFC_UNARY_KERNEL(Square, square)
TFC_UNARY_KERNEL(Reciprocal, reciprocal)
TFC_UNARY_KERNEL(Sign, sign)
TFC_UNARY_KERNEL(Floor, floor_op)
TFC_UNARY_KERNEL(Ceil, ceil_op)
TFC_UNARY_KERNEL(Round, round_op)
TFC_UNARY_KERNEL(Sqrt, sqrt_op)
TFC_UNARY_KERNEL(Rsqrt, rsqrt)
TFC_UNARY_KERNEL(Exp, exp_op)
TFC_UNARY_KERNEL(Expm1, expm1_op)
TFC_UNARY_KERNEL(Log, log_op)
TFC_UNARY_KERNEL(Log1p, log1p_op)
TFC_UNARY_KERNEL(Tanh, tanh_op)
TFC_UNARY_KERNEL(Sigmoid, sigmoid)
TFC_UNARY_KERNEL(IsNan, is_nan)
TFC_UNARY_KERNEL(IsInf, is_inf)
TFC_UNARY_KERNEL(IsFinite, is_finite)
TFC_UNARY_KERNEL(LogicalNot, logical_not)
TFC_UNARY_KERNEL(Invert, invert)
TFC_UNARY_KERNEL(PopulationCount, population_count)

#define T_FLOATS "T=" TFC_TYPES_FLOATS
static const tfc_kernel_def cwise_unary[] = {
    TFC_CWISE_ENTRY(Abs, T_FLOATS "|" TFC_TYPES_SIGNED),
    TFC_CWISE_ENTRY(Neg, T_FLOATS "|" TFC_TYPES_SIGNED "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Square, "T=" TFC_TYPES_NUMBERS),
    {.op = "Inv",
     .device = "CPU",
     .types = T_FLOATS "|" TFC_TYPES_COMPLEX,
     .compute = compute_Reciprocal},
    TFC_CWISE_ENTRY(Reciprocal, T_FLOATS "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Sign, T_FLOATS "|" TFC_TYPES_SIGNED),
    TFC_CWISE_ENTRY(Floor, T_FLOATS),
    TFC_CWISE_ENTRY(Ceil, T_FLOATS),
    TFC_CWISE_ENTRY(Round, T_FLOATS "|" TFC_TYPES_SIGNED),
    {.op = "Rint", .device = "CPU", .types = T_FLOATS, .compute = compute_Round},
    TFC_CWISE_ENTRY(Sqrt, T_FLOATS),
    TFC_CWISE_ENTRY(Rsqrt, T_FLOATS),
    TFC_CWISE_ENTRY(Exp, T_FLOATS),
    TFC_CWISE_ENTRY(Expm1, T_FLOATS),
    TFC_CWISE_ENTRY(Log, T_FLOATS),
    TFC_CWISE_ENTRY(Log1p, T_FLOATS),
    TFC_CWISE_ENTRY(Tanh, T_FLOATS),
    TFC_CWISE_ENTRY(Sigmoid, T_FLOATS),
    TFC_CWISE_ENTRY(IsNan, T_FLOATS),
    TFC_CWISE_ENTRY(IsInf, T_FLOATS),
    TFC_CWISE_ENTRY(IsFinite, T_FLOATS),
    TFC_CWISE_ENTRY(LogicalNot, ""),
    TFC_CWISE_ENTRY(Invert, "T=" TFC_TYPES_INTEGERS),
    TFC_CWISE_ENTRY(PopulationCount, "T=" TFC_TYPES_INTEGERS),
};
TFC_REGISTER_KERNELS(cwise_unary);
