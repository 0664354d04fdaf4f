/* Add, AddV2, Sub, Mul, MulNoNan, SquaredDifference, Maximum, Minimum. */
#include "cwise.h"

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
#define FLOAT_ENTRIES(OP) [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double
#define COMPLEX_ENTRIES(OP) [TFC_COMPLEX64] = OP##_complex64, [TFC_COMPLEX128] = OP##_complex128
#define ALL_LOOPS(OP, EXPRESSION)                                                                 \
  FLOAT_LOOPS(OP, EXPRESSION)                                                                     \
  INTEGER_LOOPS(OP, EXPRESSION)                                                                   \
  COMPLEX_LOOPS(OP, EXPRESSION)                                                                   \
  static const tfc_binary_op OP = {{FLOAT_ENTRIES(OP), INTEGER_ENTRIES(OP), COMPLEX_ENTRIES(OP)}, \
                                   0.2}

ALL_LOOPS(add, x + y);
ALL_LOOPS(sub, x - y);
ALL_LOOPS(mul, x* y);

FLOAT_LOOPS(squared_difference, (x - y) * (x - y))
INTEGER_LOOPS(squared_difference, (x - y) * (x - y))
/* conj(x - y) (x - y), as TensorFlow has it */
#define ABS_SQUARE(Z) (__real__(Z) * __real__(Z) + __imag__(Z) * __imag__(Z))
COMPLEX_LOOPS(squared_difference, ABS_SQUARE(x - y))
static const tfc_binary_op squared_difference = {
    {FLOAT_ENTRIES(squared_difference), INTEGER_ENTRIES(squared_difference),
     COMPLEX_ENTRIES(squared_difference)},
    0.2};

FLOAT_LOOPS(mul_no_nan, y == 0 ? 0 : x * y)
COMPLEX_LOOPS(mul_no_nan, y == 0 ? 0 : x * y)
static const tfc_binary_op mul_no_nan = {{FLOAT_ENTRIES(mul_no_nan), COMPLEX_ENTRIES(mul_no_nan)},
                                         0.2};

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
      {FLOAT_ENTRIES(OP), [TFC_INT8] = OP##_int8, [TFC_UINT8] = OP##_uint8,               \
       [TFC_INT16] = OP##_int16, [TFC_UINT16] = OP##_uint16, [TFC_INT32] = OP##_int32,    \
       [TFC_UINT32] = OP##_uint32, [TFC_INT64] = OP##_int64, [TFC_UINT64] = OP##_uint64}, \
      0.2}
ORDER_LOOPS(maximum, >=);
ORDER_LOOPS(minimum, <=);

TFC_BINARY_KERNEL(Add, add)
TFC_BINARY_KERNEL(Sub, sub)
TFC_BINARY_KERNEL(Mul, mul)
TFC_BINARY_KERNEL(MulNoNan, mul_no_nan)
TFC_BINARY_KERNEL(SquaredDifference, squared_difference)
TFC_BINARY_KERNEL(Maximum, maximum)
TFC_BINARY_KERNEL(Minimum, minimum)

static const tfc_kernel_def cwise_arith[] = {
    TFC_CWISE_ENTRY(Add, "T=" TFC_TYPES_FLOATS "|uint8|" TFC_TYPES_SIGNED "|" TFC_TYPES_COMPLEX),
    {.op = "AddV2", .device = "CPU", .types = "T=" TFC_TYPES_NUMBERS, .compute = compute_Add},
    TFC_CWISE_ENTRY(Sub, "T=" TFC_TYPES_NUMBERS),
    TFC_CWISE_ENTRY(Mul, "T=" TFC_TYPES_NUMBERS),
    TFC_CWISE_ENTRY(MulNoNan, "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(SquaredDifference, "T=" TFC_TYPES_FLOATS "|int32|int64|" TFC_TYPES_COMPLEX),
    TFC_CWISE_ENTRY(Maximum, "T=" TFC_TYPES_REALS),
    TFC_CWISE_ENTRY(Minimum, "T=" TFC_TYPES_REALS),
};
TFC_REGISTER_KERNELS(cwise_arith);
