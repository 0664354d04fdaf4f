/* Arithmetic on two operands: sums, products, quotients, remainders, extremes, powers. */
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/complex.h"
#if !TFC_FOR_GPU
#include "kernels_c/common/simd_math.h"
#endif

TFC_ALL_DEVICES;

/* Integer arithmetic is done in unsigned types, whose overflow wraps; int and int64 are the common
 * ones and get vector loops. */
#define INTEGER_LOOPS(OP, EXPRESSION)                                                       \
  TFC_BINARY(OP##_int32, uint32_t, uint32_t, EXPRESSION)                                    \
  TFC_BINARY(OP##_int64, uint64_t, uint64_t, EXPRESSION)                                    \
  TFC_BINARY(OP##_int8, uint8_t, uint8_t, EXPRESSION)                                       \
  static unsigned OP##_int16(const void* xv, const void* yv, void* zv, int64_t n, int mode, \
                             const void* state) {                                           \
    const uint16_t *xs = xv, *ys = yv;                                                      \
    uint16_t* zs = zv;                                                                      \
    int64_t x_step = mode != TFC_SCALAR_X, y_step = mode != TFC_SCALAR_Y;                   \
    (void)state;                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                       \
      TFC_NO_VECTORS;                                                                       \
      uint32_t x = xs[i * x_step], y = ys[i * y_step]; /* no overflow of int */             \
      zs[i] = (uint16_t)(EXPRESSION);                                                       \
    }                                                                                       \
    return 0;                                                                               \
  }
#define FLOAT_LOOPS(OP, EXPRESSION)                \
  TFC_BINARY(OP##_float, float, float, EXPRESSION) \
  TFC_BINARY(OP##_double, double, double, EXPRESSION)
#define COMPLEX_LOOPS(OP, EXPRESSION)                                          \
  TFC_BINARY_PLAIN(OP##_complex64, float _Complex, float _Complex, EXPRESSION) \
  TFC_BINARY_PLAIN(OP##_complex128, double _Complex, double _Complex, EXPRESSION)

/* Two's complement: the same loop serves signed and unsigned. */
#define INTEGER_ENTRIES(OP)                                                       \
  [TFC_INT8] = OP##_int8, [TFC_UINT8] = OP##_int8, [TFC_INT16] = OP##_int16,      \
  [TFC_UINT16] = OP##_int16, [TFC_INT32] = OP##_int32, [TFC_UINT32] = OP##_int32, \
  [TFC_INT64] = OP##_int64, [TFC_UINT64] = OP##_int64
#define COMPLEX_ENTRIES(OP) [TFC_COMPLEX64] = OP##_complex64, [TFC_COMPLEX128] = OP##_complex128
#define ALL_LOOPS(OP, EXPRESSION)   \
  FLOAT_LOOPS(OP, EXPRESSION)       \
  INTEGER_LOOPS(OP, EXPRESSION)     \
  COMPLEX_LOOPS(OP, EXPRESSION)     \
  static const tfc_binary_op OP = { \
      {TFC_FLOAT_ENTRIES(OP), INTEGER_ENTRIES(OP), COMPLEX_ENTRIES(OP)}, 0.2}

ALL_LOOPS(add, x + y);
ALL_LOOPS(sub, x - y);
ALL_LOOPS(mul, x* y);

FLOAT_LOOPS(squared_difference, (x - y) * (x - y))
INTEGER_LOOPS(squared_difference, (x - y) * (x - y))
/* conj(x - y) (x - y), as in TensorFlow */
#define ABS_SQUARE(Z) (__real__(Z) * __real__(Z) + __imag__(Z) * __imag__(Z))
COMPLEX_LOOPS(squared_difference, ABS_SQUARE(x - y))
static const tfc_binary_op squared_difference = {
    {TFC_FLOAT_ENTRIES(squared_difference), INTEGER_ENTRIES(squared_difference),
     COMPLEX_ENTRIES(squared_difference)},
    0.2};

FLOAT_LOOPS(mul_no_nan, y == 0 ? 0 : x * y)
COMPLEX_LOOPS(mul_no_nan, y == 0 ? 0 : x * y)
static const tfc_binary_op mul_no_nan = {
    {TFC_FLOAT_ENTRIES(mul_no_nan), COMPLEX_ENTRIES(mul_no_nan)}, 0.2};

/* A NaN in either operand is the result; of equal ones (0 and -0) the first. */
#define ORDER_LOOPS(OP, COMPARE)                                                          \
  FLOAT_LOOPS(OP, ((x COMPARE y) | (x != x)) ? x : y)                                     \
  TFC_BINARY(OP##_int32, int32_t, int32_t, x COMPARE y ? x : y)                           \
  TFC_BINARY(OP##_int64, int64_t, int64_t, x COMPARE y ? x : y)                           \
  TFC_BINARY_PLAIN(OP##_int8, int8_t, int8_t, x COMPARE y ? x : y)                        \
  TFC_BINARY_PLAIN(OP##_uint8, uint8_t, uint8_t, x COMPARE y ? x : y)                     \
  TFC_BINARY_PLAIN(OP##_int16, int16_t, int16_t, x COMPARE y ? x : y)                     \
  TFC_BINARY_PLAIN(OP##_uint16, uint16_t, uint16_t, x COMPARE y ? x : y)                  \
  TFC_BINARY_PLAIN(OP##_uint32, uint32_t, uint32_t, x COMPARE y ? x : y)                  \
  TFC_BINARY_PLAIN(OP##_uint64, uint64_t, uint64_t, x COMPARE y ? x : y)                  \
  static const tfc_binary_op OP = {                                                       \
      {TFC_FLOAT_ENTRIES(OP), [TFC_INT8] = OP##_int8, [TFC_UINT8] = OP##_uint8,           \
       [TFC_INT16] = OP##_int16, [TFC_UINT16] = OP##_uint16, [TFC_INT32] = OP##_int32,    \
       [TFC_UINT32] = OP##_uint32, [TFC_INT64] = OP##_int64, [TFC_UINT64] = OP##_uint64}, \
      0.2}
ORDER_LOOPS(maximum, >=);
ORDER_LOOPS(minimum, <=);

/* ---- Quotients and remainders. An integer divided by zero fails the step; the most negative
 * number divided by -1 wraps. */

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

#define SIGNED_ENTRIES(OP)                                                    \
  [TFC_INT8] = OP##_int8, [TFC_INT16] = OP##_int16, [TFC_INT32] = OP##_int32, \
  [TFC_INT64] = OP##_int64
#define UNSIGNED_ENTRIES(OP)                                                        \
  [TFC_UINT8] = OP##_uint8, [TFC_UINT16] = OP##_uint16, [TFC_UINT32] = OP##_uint32, \
  [TFC_UINT64] = OP##_uint64

static const tfc_binary_op divide = {{TFC_FLOAT_ENTRIES(div), COMPLEX_ENTRIES(div),
                                      SIGNED_ENTRIES(truncate_div), UNSIGNED_ENTRIES(truncate_div)},
                                     0.4};
static const tfc_binary_op truncate_div = {
    {TFC_FLOAT_ENTRIES(truncate_div), SIGNED_ENTRIES(truncate_div), UNSIGNED_ENTRIES(truncate_div)},
    1};
static const tfc_binary_op floor_div = {
    {TFC_FLOAT_ENTRIES(floor_div), SIGNED_ENTRIES(floor_div), UNSIGNED_ENTRIES(truncate_div)}, 1};
static const tfc_binary_op truncate_mod = {
    {TFC_FLOAT_ENTRIES(truncate_mod), SIGNED_ENTRIES(truncate_mod), UNSIGNED_ENTRIES(truncate_mod)},
    4};
static const tfc_binary_op floor_mod = {
    {TFC_FLOAT_ENTRIES(floor_mod), SIGNED_ENTRIES(floor_mod), UNSIGNED_ENTRIES(truncate_mod)}, 4};
static const tfc_binary_op div_no_nan = {
    {TFC_FLOAT_ENTRIES(div_no_nan), COMPLEX_ENTRIES(div_no_nan)}, 0.4};
static const tfc_binary_op xdivy = {{TFC_FLOAT_ENTRIES(xdivy), COMPLEX_ENTRIES(xdivy)}, 0.4};

/* ---- Atan2, and products with logarithms: 0 times anything is 0. */

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

/* ---- Pow. Small constant powers, by far the most common, are products. */

#if TFC_FOR_GPU /* of integers only */
TFC_BINARY_PLAIN(pow_any_float, float, float, powf(x, y))
#else
/* Of at most a block of floats: exp(y log x) in double, off by 0.51 ulp at most, and powf where x
 * is not positive or one of the two not finite. An element's result does not depend on its
 * neighbours. */
enum { POW_BLOCK = 64 };

/* A block of an operand, filled up with ones. */
static void pow_operand(const float* x, int64_t step, int64_t n, float* block) {
  if (step)
    memcpy(block, x, (size_t)n * sizeof(float));
  else
    for (int64_t j = 0; j < n; j++) block[j] = *x;
  for (int64_t j = n; j < POW_BLOCK; j++) block[j] = 1;
}

/* A float is a normal double, so that the cases of vd_log need not be told apart. */
static inline vd pow_ordinary(vd x, vd y) {
  vd k, f = vd_log_split(x, &k);
  return vd_exp(y * vd_log_join(f, k, vd_set1(0)));
}

static void pow_block(const float* x, int64_t x_step, const float* y, int64_t y_step, float* z,
                      int64_t n) {
  float a[POW_BLOCK], b[POW_BLOCK];
  double power[POW_BLOCK], exponent[POW_BLOCK];
  int32_t fast[POW_BLOCK], all_fast = 1; /* pairs that need no powf */
  pow_operand(x, x_step, n, a);
  pow_operand(y, y_step, n, b);
  for (int j = 0; j < POW_BLOCK; j++) {
    fast[j] = (a[j] > 0) & (a[j] <= FLT_MAX) & (fabsf(b[j]) <= FLT_MAX);
    all_fast &= fast[j];
    power[j] = a[j];
    exponent[j] = b[j];
  }
  for (int j = 0; j < POW_BLOCK; j += VD_N)
    vd_store(power + j, pow_ordinary(vd_load(power + j), vd_load(exponent + j)));
  if (all_fast) {
    for (int64_t j = 0; j < n; j++) z[j] = (float)power[j];
    return;
  }
  for (int64_t j = 0; j < n; j++) z[j] = fast[j] ? (float)power[j] : powf(a[j], b[j]);
}

static unsigned pow_any_float(const void* xv, const void* yv, void* zv, int64_t n, int mode,
                              const void* state) {
  const float *x = xv, *y = yv;
  const int64_t x_step = mode != TFC_SCALAR_X, y_step = mode != TFC_SCALAR_Y;
  (void)state;
  for (int64_t i = 0; i < n; i += POW_BLOCK)
    pow_block(x + i * x_step, x_step, y + i * y_step, y_step, (float*)zv + i,
              TFC_MIN(POW_BLOCK, n - i));
  return 0;
}
#endif
TFC_BINARY_PLAIN(pow_any_double, double, double, pow(x, y))

#define POW_LOOPS(T)                                                                     \
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
POW_LOOPS(float)
POW_LOOPS(double)

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

/* ---- The same for complex numbers. */

static inline c128 c_xlogy(c128 x, c128 y) {
  return x == 0 ? 0 : x * clog(y);
}
static inline c128 c_xlog1py(c128 x, c128 y) {
  return x == 0 ? 0 : x * c_log1p(y);
}
static inline c128 c_pow(c128 x, c128 y) {
  if (y == 0) return 1;
  if (x == 0) return creal(y) > 0 ? 0 : cpow(x, y);
  return cpow(x, y);
}
TFC_COMPLEX_BINARY(Pow, c_pow, 80)
TFC_COMPLEX_BINARY(Xlogy, c_xlogy, 50)
TFC_COMPLEX_BINARY(Xlog1py, c_xlog1py, 50)

/* ---- Add of strings: joins them. */

static int join(tfc_context* ctx, tfc_tensor* out, int64_t i, tfc_string a, tfc_string b) {
  char* both = tfc_scratch(ctx, a.size + b.size + 1);
  if (!both) return TFC_RESOURCE_EXHAUSTED;
  if (a.size) memcpy(both, a.data, a.size);
  if (b.size) memcpy(both + a.size, b.data, b.size);
  return tfc_string_set(ctx, out, i, both, a.size + b.size);
}

static int compute_add_strings(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  tfc_broadcast b;
  if (!tfc_broadcast_shapes(x, y, &b)) return tfc_incompatible_shapes(ctx, x, y);
  TFC_TRY(tfc_output(ctx, 0, b.out_rank, b.out_dims));
  int64_t index[TFC_MAX_RANK] = {0}, x_at = 0, y_at = 0;
  for (int64_t i = 0; i < b.n; i++) {
    TFC_TRY(join(ctx, &ctx->outputs[0], i, ((const tfc_string*)x->data)[x_at],
                 ((const tfc_string*)y->data)[y_at]));
    for (int d = b.rank - 1; d >= 0; d--) {
      x_at += b.x_stride[d];
      y_at += b.y_stride[d];
      if (++index[d] < b.dims[d]) break;
      index[d] = 0;
      x_at -= b.x_stride[d] * b.dims[d];
      y_at -= b.y_stride[d] * b.dims[d];
    }
  }
  return TFC_OK;
}

TFC_BINARY_KERNEL(Add, add)
TFC_BINARY_KERNEL(Sub, sub)
TFC_BINARY_KERNEL(Mul, mul)
TFC_BINARY_KERNEL(MulNoNan, mul_no_nan)
TFC_BINARY_KERNEL(SquaredDifference, squared_difference)
TFC_BINARY_KERNEL(Maximum, maximum)
TFC_BINARY_KERNEL(Minimum, minimum)
TFC_BINARY_KERNEL(Div, divide)
TFC_BINARY_KERNEL(RealDiv, divide)
TFC_BINARY_KERNEL(DivNoNan, div_no_nan)
TFC_BINARY_KERNEL(Xdivy, xdivy)
TFC_BINARY_KERNEL(TruncateDiv, truncate_div)
TFC_BINARY_KERNEL(FloorDiv, floor_div)
TFC_BINARY_KERNEL(Mod, truncate_mod)
TFC_BINARY_KERNEL(TruncateMod, truncate_mod)
TFC_BINARY_KERNEL(FloorMod, floor_mod)

#if !TFC_FOR_GPU
const tfc_binary_op* tfc_fusible_binary(const char* op) {
  static const struct {
    const char* name;
    const tfc_binary_op* op;
  } table[] = {
      {"Add", &add},         {"AddV2", &add},
      {"Sub", &sub},         {"Mul", &mul},
      {"RealDiv", &divide},  {"Maximum", &maximum},
      {"Minimum", &minimum}, {"SquaredDifference", &squared_difference},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    if (!strcmp(op, table[i].name)) return table[i].op;
  return NULL;
}
#endif

static const tfc_kernel_def kernels[] = {
#if TFC_FOR_GPU
    TFC_ROW("Add", "T=int32", compute_Add, .host_args = "x,y,z"),
    TFC_ROW("AddV2", "T=int32", compute_Add, .host_args = "x,y,z"),
    TFC_ROW("Sub", "T=int32", compute_Sub, .host_args = "x,y,z"),
    TFC_ROW("Mul", "T=int32", compute_Mul, .host_args = "x,y,z"),
    TFC_ROW("SquaredDifference", "T=int32", compute_SquaredDifference, .host_args = "x,y,z"),
    TFC_ROW("Maximum", "T=int32", compute_Maximum, .host_args = "x,y,z"),
    TFC_ROW("Minimum", "T=int32", compute_Minimum, .host_args = "x,y,z"),
    TFC_ROW("Div", "T=int32", compute_Div, .host_args = "x,y,z"),
    TFC_ROW("TruncateDiv", "T=int32", compute_TruncateDiv, .host_args = "x,y,z"),
    TFC_ROW("FloorDiv", "T=int32", compute_FloorDiv, .host_args = "x,y,z"),
    TFC_ROW("Mod", "T=int32", compute_Mod, .host_args = "x,y,z"),
    TFC_ROW("TruncateMod", "T=int32", compute_TruncateMod, .host_args = "x,y,z"),
    TFC_ROW("FloorMod", "T=int32", compute_FloorMod, .host_args = "x,y,z"),
    TFC_ROW("Pow", "T=int32", compute_Pow, .host_args = "x,y,z"),
#else
    TFC_ROW("Add", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|uint8|" TFC_TYPES_COMPLEX,
            compute_Add),
    TFC_ROW("Add", "T=string", compute_add_strings),
    TFC_ROW("AddV2", "T=" TFC_TYPES_NUMBERS, compute_Add),
    TFC_ROW("Sub", "T=" TFC_TYPES_NUMBERS, compute_Sub),
    TFC_ROW("Mul", "T=" TFC_TYPES_NUMBERS, compute_Mul),
    TFC_ROW("MulNoNan", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_MulNoNan),
    TFC_ROW("SquaredDifference", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES "|" TFC_TYPES_COMPLEX,
            compute_SquaredDifference),
    TFC_ROW("Maximum", "T=" TFC_TYPES_REALS, compute_Maximum),
    TFC_ROW("Minimum", "T=" TFC_TYPES_REALS, compute_Minimum),
    TFC_ROW("Div", "T=" TFC_TYPES_NUMBERS, compute_Div),
    TFC_ROW("RealDiv", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_RealDiv),
    TFC_ROW("DivNoNan", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_DivNoNan),
    TFC_ROW("Xdivy", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX, compute_Xdivy),
    TFC_ROW("TruncateDiv", "T=" TFC_TYPES_REALS, compute_TruncateDiv),
    TFC_ROW("FloorDiv", "T=" TFC_TYPES_REALS, compute_FloorDiv),
    TFC_ROW("Mod", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES, compute_Mod),
    TFC_ROW("TruncateMod", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES, compute_TruncateMod),
    TFC_ROW("FloorMod", "T=" TFC_TYPES_REALS, compute_FloorMod),
    TFC_ROW("Atan2", "T=" TFC_TYPES_FLOATS, compute_Atan2),
    TFC_ROW("Xlogy", "T=" TFC_TYPES_FLOATS, compute_Xlogy),
    TFC_ROW("Xlogy", "T=" TFC_TYPES_COMPLEX, compute_complex_Xlogy),
    TFC_ROW("Xlog1py", "T=" TFC_TYPES_FLOATS, compute_Xlog1py),
    TFC_ROW("Xlog1py", "T=" TFC_TYPES_COMPLEX, compute_complex_Xlog1py),
    TFC_ROW("Pow", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, compute_Pow),
    TFC_ROW("Pow", "T=" TFC_TYPES_COMPLEX, compute_complex_Pow),
#endif
};
TFC_REGISTER_KERNELS(kernels);
