/* Div, RealDiv, DivNoNan, TruncateDiv, FloorDiv, Mod, TruncateMod, FloorMod, Xdivy.
 *
 * Integers: a zero divisor fails the step; the most negative number divided by -1 wraps. */
#include <math.h>

#include "cwise.h"

/* NAME(x, y, failed) for one integer type. U: an unsigned type at least as wide, for wrapping. */
#define SIGNED_DIVISION(SUFFIX, T, U)                                     \
  static inline T truncate_div_one_##SUFFIX(T x, T y, unsigned* failed) { \
    if (y == 0) return *failed |= TFC_DIVISION_BY_ZERO, 0;                \
    return y == -1 ? (T)(0 - (U)x) : (T)(x / y);                          \
  }                                                                       \
  static inline T floor_div_one_##SUFFIX(T x, T y, unsigned* failed) {    \
    if (y == 0) return *failed |= TFC_DIVISION_BY_ZERO, 0;                \
    if (y == -1) return (T)(0 - (U)x);                                    \
    T q = x / y;                                                          \
    return (T)(q - (x % y != 0 && (x < 0) != (y < 0)));                   \
  }                                                                       \
  static inline T truncate_mod_one_##SUFFIX(T x, T y, unsigned* failed) { \
    if (y == 0) return *failed |= TFC_DIVISION_BY_ZERO, 0;                \
    return y == -1 ? 0 : (T)(x % y);                                      \
  }                                                                       \
  static inline T floor_mod_one_##SUFFIX(T x, T y, unsigned* failed) {    \
    T r = truncate_mod_one_##SUFFIX(x, y, failed);                        \
    return (T)(r != 0 && (r < 0) != (y < 0) ? r + y : r);                 \
  }
#define UNSIGNED_DIVISION(SUFFIX, T)                                      \
  static inline T truncate_div_one_##SUFFIX(T x, T y, unsigned* failed) { \
    if (y == 0) return *failed |= TFC_DIVISION_BY_ZERO, 0;                \
    return x / y;                                                         \
  }                                                                       \
  static inline T truncate_mod_one_##SUFFIX(T x, T y, unsigned* failed) { \
    if (y == 0) return *failed |= TFC_DIVISION_BY_ZERO, 0;                \
    return x % y;                                                         \
  }
SIGNED_DIVISION(int8, int8_t, uint32_t)
SIGNED_DIVISION(int16, int16_t, uint32_t)
SIGNED_DIVISION(int32, int32_t, uint32_t)
SIGNED_DIVISION(int64, int64_t, uint64_t)
UNSIGNED_DIVISION(uint8, uint8_t)
UNSIGNED_DIVISION(uint16, uint16_t)
UNSIGNED_DIVISION(uint32, uint32_t)
UNSIGNED_DIVISION(uint64, uint64_t)

#define INTEGER_LOOP(OP, SUFFIX) \
  TFC_BINARY_PLAIN(OP##_##SUFFIX, SUFFIX##_t, SUFFIX##_t, OP##_one_##SUFFIX(x, y, &failed))
#define SIGNED_LOOPS(OP) \
  INTEGER_LOOP(OP, int8) INTEGER_LOOP(OP, int16) INTEGER_LOOP(OP, int32) INTEGER_LOOP(OP, int64)
#define UNSIGNED_LOOPS(OP) \
  INTEGER_LOOP(OP, uint8) INTEGER_LOOP(OP, uint16) INTEGER_LOOP(OP, uint32) INTEGER_LOOP(OP, uint64)
SIGNED_LOOPS(truncate_div)
SIGNED_LOOPS(floor_div)
SIGNED_LOOPS(truncate_mod)
SIGNED_LOOPS(floor_mod)
UNSIGNED_LOOPS(truncate_div)
UNSIGNED_LOOPS(truncate_mod)

/* Result has the sign of the divisor. */
static inline float floor_mod_one_float(float x, float y) {
  float r = fmodf(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}
static inline double floor_mod_one_double(double x, double y) {
  double r = fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

TFC_BINARY(div_float, float, float, x / y)
TFC_BINARY(div_double, double, double, x / y)
TFC_BINARY_PLAIN(div_complex64, float _Complex, float _Complex, x / y)
TFC_BINARY_PLAIN(div_complex128, double _Complex, double _Complex, x / y)
TFC_BINARY(div_no_nan_float, float, float, y == 0 ? 0 : x / y)
TFC_BINARY(div_no_nan_double, double, double, y == 0 ? 0 : x / y)
TFC_BINARY_PLAIN(div_no_nan_complex64, float _Complex, float _Complex, y == 0 ? 0 : x / y)
TFC_BINARY_PLAIN(div_no_nan_complex128, double _Complex, double _Complex, y == 0 ? 0 : x / y)
TFC_BINARY(xdivy_float, float, float, x == 0 ? 0 : x / y)
TFC_BINARY(xdivy_double, double, double, x == 0 ? 0 : x / y)
TFC_BINARY_PLAIN(xdivy_complex64, float _Complex, float _Complex, x == 0 ? 0 : x / y)
TFC_BINARY_PLAIN(xdivy_complex128, double _Complex, double _Complex, x == 0 ? 0 : x / y)
TFC_BINARY(truncate_div_float, float, float, truncf(x / y))
TFC_BINARY(truncate_div_double, double, double, trunc(x / y))
TFC_BINARY(floor_div_float, float, float, floorf(x / y))
TFC_BINARY(floor_div_double, double, double, floor(x / y))
TFC_BINARY_PLAIN(truncate_mod_float, float, float, fmodf(x, y))
TFC_BINARY_PLAIN(truncate_mod_double, double, double, fmod(x, y))
TFC_BINARY_PLAIN(floor_mod_float, float, float, floor_mod_one_float(x, y))
TFC_BINARY_PLAIN(floor_mod_double, double, double, floor_mod_one_double(x, y))

#define FLOAT_ENTRIES(OP) [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double
#define COMPLEX_ENTRIES(OP) [TFC_COMPLEX64] = OP##_complex64, [TFC_COMPLEX128] = OP##_complex128
#define SIGNED_ENTRIES(OP)                                                    \
  [TFC_INT8] = OP##_int8, [TFC_INT16] = OP##_int16, [TFC_INT32] = OP##_int32, \
  [TFC_INT64] = OP##_int64
#define UNSIGNED_ENTRIES(OP)                                                        \
  [TFC_UINT8] = OP##_uint8, [TFC_UINT16] = OP##_uint16, [TFC_UINT32] = OP##_uint32, \
  [TFC_UINT64] = OP##_uint64

static const tfc_binary_op divide = {{FLOAT_ENTRIES(div), COMPLEX_ENTRIES(div),
                                      SIGNED_ENTRIES(truncate_div), UNSIGNED_ENTRIES(truncate_div)},
                                     0.4};
static const tfc_binary_op truncate_div = {
    {FLOAT_ENTRIES(truncate_div), SIGNED_ENTRIES(truncate_div), UNSIGNED_ENTRIES(truncate_div)}, 1};
static const tfc_binary_op floor_div = {
    {FLOAT_ENTRIES(floor_div), SIGNED_ENTRIES(floor_div), UNSIGNED_ENTRIES(truncate_div)}, 1};
static const tfc_binary_op truncate_mod = {
    {FLOAT_ENTRIES(truncate_mod), SIGNED_ENTRIES(truncate_mod), UNSIGNED_ENTRIES(truncate_mod)}, 4};
static const tfc_binary_op floor_mod = {
    {FLOAT_ENTRIES(floor_mod), SIGNED_ENTRIES(floor_mod), UNSIGNED_ENTRIES(truncate_mod)}, 4};
static const tfc_binary_op div_no_nan = {{FLOAT_ENTRIES(div_no_nan), COMPLEX_ENTRIES(div_no_nan)},
                                         0.4};
static const tfc_binary_op xdivy = {{FLOAT_ENTRIES(xdivy), COMPLEX_ENTRIES(xdivy)}, 0.4};

TFC_BINARY_KERNEL(Div, divide)
TFC_BINARY_KERNEL(RealDiv, divide)
TFC_BINARY_KERNEL(DivNoNan, div_no_nan)
TFC_BINARY_KERNEL(Xdivy, xdivy)
TFC_BINARY_KERNEL(TruncateDiv, truncate_div)
TFC_BINARY_KERNEL(FloorDiv, floor_div)
TFC_BINARY_KERNEL(Mod, truncate_mod)
TFC_BINARY_KERNEL(TruncateMod, truncate_mod)
TFC_BINARY_KERNEL(FloorMod, floor_mod)

static const tfc_kernel_def cwise_divide[] = {
    TFC_CWISE_ENTRY(Div, "T=" TFC_TYPES_NUMBERS),
    TFC_CWISE_ENTRY(RealDiv, "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(DivNoNan, "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Xdivy, "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(TruncateDiv, "T=" TFC_TYPES_REALS),
    TFC_CWISE_ENTRY(FloorDiv, "T=" TFC_TYPES_REALS),
    TFC_CWISE_ENTRY(Mod, "T=" TFC_TYPES_FLOATS "|int32|int64"),
    TFC_CWISE_ENTRY(TruncateMod, "T=" TFC_TYPES_FLOATS "|int32|int64"),
    TFC_CWISE_ENTRY(FloorMod, "T=" TFC_TYPES_REALS),
};
TFC_REGISTER_KERNELS(cwise_divide);
