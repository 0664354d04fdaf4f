/* Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual, ApproximateEqual, LogicalAnd, LogicalOr.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

TFC_ALL_DEVICES;

#define FLOAT_LOOPS(OP, EXPRESSION)                  \
  TFC_BINARY(OP##_float, float, uint8_t, EXPRESSION) \
  TFC_BINARY(OP##_double, double, uint8_t, EXPRESSION)
#define INTEGER_LOOPS(OP, EXPRESSION)                          \
  TFC_BINARY(OP##_int32, int32_t, uint8_t, EXPRESSION)         \
  TFC_BINARY(OP##_int64, int64_t, uint8_t, EXPRESSION)         \
  TFC_BINARY_PLAIN(OP##_int8, int8_t, uint8_t, EXPRESSION)     \
  TFC_BINARY(OP##_uint8, uint8_t, uint8_t, EXPRESSION)         \
  TFC_BINARY_PLAIN(OP##_int16, int16_t, uint8_t, EXPRESSION)   \
  TFC_BINARY_PLAIN(OP##_uint16, uint16_t, uint8_t, EXPRESSION) \
  TFC_BINARY_PLAIN(OP##_uint32, uint32_t, uint8_t, EXPRESSION) \
  TFC_BINARY_PLAIN(OP##_uint64, uint64_t, uint8_t, EXPRESSION)
#define REAL_ENTRIES(OP)                                                          \
  [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double, [TFC_INT8] = OP##_int8,   \
  [TFC_UINT8] = OP##_uint8, [TFC_INT16] = OP##_int16, [TFC_UINT16] = OP##_uint16, \
  [TFC_INT32] = OP##_int32, [TFC_UINT32] = OP##_uint32, [TFC_INT64] = OP##_int64, \
  [TFC_UINT64] = OP##_uint64

/* ---- Order. */

#define ORDER(OP, COMPARE)       \
  FLOAT_LOOPS(OP, x COMPARE y)   \
  INTEGER_LOOPS(OP, x COMPARE y) \
  static const tfc_binary_op OP = {{REAL_ENTRIES(OP)}, 0.2}
ORDER(less, <);
ORDER(less_equal, <=);
ORDER(greater, >);
ORDER(greater_equal, >=);

/* ---- Equality. Integers by size, since their sign does not matter. */

static inline bool same_string(tfc_string a, tfc_string b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}
#define EQUALITY(OP, COMPARE, NOT)                                          \
  FLOAT_LOOPS(OP, x COMPARE y)                                              \
  TFC_BINARY(OP##_1, uint8_t, uint8_t, x COMPARE y)                         \
  TFC_BINARY_PLAIN(OP##_2, uint16_t, uint8_t, x COMPARE y)                  \
  TFC_BINARY(OP##_4, uint32_t, uint8_t, x COMPARE y)                        \
  TFC_BINARY(OP##_8, uint64_t, uint8_t, x COMPARE y)                        \
  TFC_BINARY_PLAIN(OP##_complex64, float _Complex, uint8_t, x COMPARE y)    \
  TFC_BINARY_PLAIN(OP##_complex128, double _Complex, uint8_t, x COMPARE y)  \
  TFC_BINARY_PLAIN(OP##_string, tfc_string, uint8_t, NOT same_string(x, y)) \
  static const tfc_binary_op OP = {{[TFC_FLOAT] = OP##_float,               \
                                    [TFC_DOUBLE] = OP##_double,             \
                                    [TFC_BOOL] = OP##_1,                    \
                                    [TFC_INT8] = OP##_1,                    \
                                    [TFC_UINT8] = OP##_1,                   \
                                    [TFC_INT16] = OP##_2,                   \
                                    [TFC_UINT16] = OP##_2,                  \
                                    [TFC_INT32] = OP##_4,                   \
                                    [TFC_UINT32] = OP##_4,                  \
                                    [TFC_INT64] = OP##_8,                   \
                                    [TFC_UINT64] = OP##_8,                  \
                                    [TFC_COMPLEX64] = OP##_complex64,       \
                                    [TFC_COMPLEX128] = OP##_complex128,     \
                                    [TFC_STRING] = OP##_string},            \
                                   0.2}
EQUALITY(equal, ==, );
EQUALITY(not_equal, !=, !);

/* The state of Equal and NotEqual: &lenient if shapes that do not broadcast are just unequal. */
static const bool lenient = true;
static int create_equality(tfc_construction* c, void** state) {
  bool strict = true;
  TFC_TRY(c->api->attr_bool(c, "incompatible_shape_error", &strict));
  *state = strict ? NULL : (void*)&lenient;
  return TFC_OK;
}
static int equality(tfc_context* ctx, const tfc_binary_op* op, bool if_incompatible) {
  tfc_broadcast b;
  if (ctx->state && !tfc_broadcast_shapes(ctx->inputs[0], ctx->inputs[1], &b)) {
    TFC_TRY(tfc_output_scalar(ctx, 0));
    *(bool*)ctx->outputs[0].data = if_incompatible;
    return TFC_OK;
  }
  return tfc_binary(ctx, op);
}
static int compute_Equal(tfc_context* ctx) {
  return equality(ctx, &equal, false);
}
static int compute_NotEqual(tfc_context* ctx) {
  return equality(ctx, &not_equal, true);
}

/* ---- |x - y| <= tolerance; the shapes must be equal. */

/* The difference in the type itself, as in TensorFlow, but without overflow. */
#define DISTANCE(X, Y) ((X) > (Y) ? (X) - (Y) : (Y) - (X))
#define TOLERANCE (*(const double*)state)
TFC_BINARY(approximate_float, float, uint8_t, fabsf(x - y) <= (float)TOLERANCE)
TFC_BINARY(approximate_double, double, uint8_t, fabs(x - y) <= (double)(float)TOLERANCE)
TFC_BINARY_PLAIN(approximate_int8, int8_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_uint8, uint8_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_int16, int16_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_uint16, uint16_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_int32, int32_t, uint8_t, fabs((double)x - (double)y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_uint32, uint32_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_uint64, uint64_t, uint8_t, (double)DISTANCE(x, y) <= TOLERANCE)
TFC_BINARY_PLAIN(approximate_int64, int64_t, uint8_t,
                 (double)(x > y ? (uint64_t)x - (uint64_t)y : (uint64_t)y - (uint64_t)x) <=
                     TOLERANCE)
TFC_BINARY_PLAIN(approximate_complex64, float _Complex, uint8_t,
                 hypotf(__real__(x - y), __imag__(x - y)) <= (float)TOLERANCE)
TFC_BINARY_PLAIN(approximate_complex128, double _Complex, uint8_t,
                 hypot(__real__(x - y), __imag__(x - y)) <= (double)(float)TOLERANCE)
static const tfc_binary_op approximate = {
    {REAL_ENTRIES(approximate), [TFC_COMPLEX64] = approximate_complex64,
     [TFC_COMPLEX128] = approximate_complex128},
    0.3};

static int create_tolerance(tfc_construction* c, void** state) {
  double* tolerance = malloc(sizeof *tolerance);
  if (!tolerance) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = tolerance;
  *tolerance = 1e-5;
  return c->api->attr_float(c, "tolerance", tolerance);
}
static int compute_ApproximateEqual(tfc_context* ctx) {
  TFC_TRY(tfc_approximate_check(ctx));
  return tfc_binary(ctx, &approximate);
}

/* ---- Logic. Bytes of a bool tensor may hold any value other than 0 for true. */

TFC_BINARY(logical_and_bool, uint8_t, uint8_t, (x != 0) & (y != 0))
TFC_BINARY(logical_or_bool, uint8_t, uint8_t, (x | y) != 0)
static const tfc_binary_op logical_and = {{[TFC_BOOL] = logical_and_bool}, 0.1};
static const tfc_binary_op logical_or = {{[TFC_BOOL] = logical_or_bool}, 0.1};

TFC_BINARY_KERNEL(Less, less)
TFC_BINARY_KERNEL(LessEqual, less_equal)
TFC_BINARY_KERNEL(Greater, greater)
TFC_BINARY_KERNEL(GreaterEqual, greater_equal)
TFC_BINARY_KERNEL(LogicalAnd, logical_and)
TFC_BINARY_KERNEL(LogicalOr, logical_or)

static const tfc_kernel_def kernels[] = {
#if TFC_FOR_GPU
    TFC_ROW("Equal", "T=int32", compute_Equal, .create = create_equality, .host_args = "x,y,z"),
    TFC_ROW("NotEqual", "T=int32", compute_NotEqual, .create = create_equality,
            .host_args = "x,y,z"),
    TFC_ROW("Less", "T=int32", compute_Less, .host_args = "x,y,z"),
    TFC_ROW("LessEqual", "T=int32", compute_LessEqual, .host_args = "x,y,z"),
    TFC_ROW("Greater", "T=int32", compute_Greater, .host_args = "x,y,z"),
    TFC_ROW("GreaterEqual", "T=int32", compute_GreaterEqual, .host_args = "x,y,z"),
#else
    TFC_ROW("Equal", "T=" TFC_TYPES_VALUES, compute_Equal, .create = create_equality),
    TFC_ROW("NotEqual", "T=" TFC_TYPES_VALUES, compute_NotEqual, .create = create_equality),
    TFC_ROW("Less", "T=" TFC_TYPES_REALS, compute_Less),
    TFC_ROW("LessEqual", "T=" TFC_TYPES_REALS, compute_LessEqual),
    TFC_ROW("Greater", "T=" TFC_TYPES_REALS, compute_Greater),
    TFC_ROW("GreaterEqual", "T=" TFC_TYPES_REALS, compute_GreaterEqual),
    TFC_ROW("ApproximateEqual", "T=" TFC_TYPES_NUMBERS, compute_ApproximateEqual,
            TFC_STATE(create_tolerance)),
    TFC_ROW("LogicalAnd", "", compute_LogicalAnd),
    TFC_ROW("LogicalOr", "", compute_LogicalOr),
#endif
};
TFC_REGISTER_KERNELS(kernels);
