/* Element operations of AssignAdd, AssignSub and all scatter ops: dst[i] = dst[i] op src[i]. */
#include <math.h>

#include "kernels_c/common/common.h"
#include "kernels_c/state/state.h"

/* One function for an operation and a C type. The loops with step 0 and 1 are separate so that both
 * vectorize. */
#define ROW(NAME, TYPE, EXPRESSION)                                       \
  static void NAME(void* dst, const void* src, int64_t n, int64_t step) { \
    TYPE* restrict a = dst;                                               \
    const TYPE* restrict s = src;                                         \
    if (step) {                                                           \
      for (int64_t i = 0; i < n; i++) {                                   \
        const TYPE x = a[i], y = s[i];                                    \
        (void)x;                                                          \
        a[i] = (TYPE)(EXPRESSION);                                        \
      }                                                                   \
    } else if (n > 0) {                                                   \
      const TYPE y = s[0];                                                \
      for (int64_t i = 0; i < n; i++) {                                   \
        const TYPE x = a[i];                                              \
        (void)x;                                                          \
        a[i] = (TYPE)(EXPRESSION);                                        \
      }                                                                   \
    }                                                                     \
  }

/* Half types compute in float and round once. */
#define HALF_ROW(NAME, TYPE, TO_FLOAT, FROM_FLOAT, EXPRESSION)            \
  static void NAME(void* dst, const void* src, int64_t n, int64_t step) { \
    TYPE* restrict a = dst;                                               \
    const TYPE* restrict s = src;                                         \
    for (int64_t i = 0; i < n; i++) {                                     \
      const float x = TO_FLOAT(a[i]), y = TO_FLOAT(s[i * step]);          \
      a[i] = FROM_FLOAT(EXPRESSION);                                      \
    }                                                                     \
  }

/* Sums, differences and products wrap: they are computed in unsigned types of at least 32 bits. */
#define INTEGER_ROWS(BITS)                                                                     \
  ROW(copy_##BITS, uint##BITS##_t, y)                                                          \
  ROW(add_uint##BITS, uint##BITS##_t, 0u + x + y)                                              \
  ROW(sub_uint##BITS, uint##BITS##_t, 0u + x - y)                                              \
  ROW(mul_uint##BITS, uint##BITS##_t, 1u * x * y)                                              \
  ROW(div_uint##BITS, uint##BITS##_t, x / y)                                                   \
  ROW(div_int##BITS, int##BITS##_t, y == -1 ? (int##BITS##_t)(0u - (uint##BITS##_t)x) : x / y) \
  ROW(min_uint##BITS, uint##BITS##_t, y < x ? y : x)                                           \
  ROW(max_uint##BITS, uint##BITS##_t, x < y ? y : x)                                           \
  ROW(min_int##BITS, int##BITS##_t, y < x ? y : x)                                             \
  ROW(max_int##BITS, int##BITS##_t, x < y ? y : x)

INTEGER_ROWS(8)
INTEGER_ROWS(16)
INTEGER_ROWS(32)
INTEGER_ROWS(64)

#define REAL_ROWS(NAME, TYPE)          \
  ROW(add_##NAME, TYPE, x + y)         \
  ROW(sub_##NAME, TYPE, x - y)         \
  ROW(mul_##NAME, TYPE, x* y)          \
  ROW(div_##NAME, TYPE, x / y)         \
  ROW(min_##NAME, TYPE, y < x ? y : x) \
  ROW(max_##NAME, TYPE, x < y ? y : x)

REAL_ROWS(float, float)
REAL_ROWS(double, double)

#define HALF_ROWS(NAME, TYPE, TO_FLOAT, FROM_FLOAT)               \
  HALF_ROW(add_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, x + y)         \
  HALF_ROW(sub_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, x - y)         \
  HALF_ROW(mul_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, x* y)          \
  HALF_ROW(div_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, x / y)         \
  HALF_ROW(min_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, y < x ? y : x) \
  HALF_ROW(max_##NAME, TYPE, TO_FLOAT, FROM_FLOAT, x < y ? y : x)

HALF_ROWS(half, tfc_half, tfc_half_to_float, tfc_float_to_half)
HALF_ROWS(bfloat16, tfc_bfloat16, tfc_bfloat16_to_float, tfc_float_to_bfloat16)

typedef struct {
  double re, im;
} complex128;

ROW(copy_complex128, complex128, y)
ROW(add_complex64, _Complex float, x + y)
ROW(sub_complex64, _Complex float, x - y)
ROW(mul_complex64, _Complex float, x* y)
ROW(div_complex64, _Complex float, x / y)
ROW(add_complex128, _Complex double, x + y)
ROW(sub_complex128, _Complex double, x - y)
ROW(mul_complex128, _Complex double, x* y)
ROW(div_complex128, _Complex double, x / y)

static scatter_row_fn copy_row(int32_t dtype) {
  switch (dtype == TFC_STRING ? 0 : tfc_dtype_size(dtype)) {
    case 1: return copy_8;
    case 2: return copy_16;
    case 4: return copy_32;
    case 8: return copy_64;
    case 16: return copy_complex128;
    default: return NULL;
  }
}

scatter_row_fn tfc_scatter_row(scatter_op op, int32_t dtype) {
#define CASE(DTYPE, SUFFIX, DIV, ORDER)                                                           \
  case DTYPE: {                                                                                   \
    static const scatter_row_fn row[SCATTER_OPS] = {                                              \
        [SCATTER_ADD] = add_##SUFFIX, [SCATTER_SUB] = sub_##SUFFIX, [SCATTER_MUL] = mul_##SUFFIX, \
        [SCATTER_DIV] = div_##DIV,    [SCATTER_MIN] = min_##ORDER,  [SCATTER_MAX] = max_##ORDER}; \
    return row[op];                                                                               \
  }
#define COMPLEX_CASE(DTYPE, SUFFIX)                                                \
  case DTYPE: {                                                                    \
    static const scatter_row_fn row[SCATTER_OPS] = {[SCATTER_ADD] = add_##SUFFIX,  \
                                                    [SCATTER_SUB] = sub_##SUFFIX,  \
                                                    [SCATTER_MUL] = mul_##SUFFIX,  \
                                                    [SCATTER_DIV] = div_##SUFFIX}; \
    return row[op];                                                                \
  }
  if (op == SCATTER_UPDATE) return copy_row(dtype);
  switch (dtype) {
    CASE(TFC_FLOAT, float, float, float)
    CASE(TFC_DOUBLE, double, double, double)
    CASE(TFC_HALF, half, half, half)
    CASE(TFC_BFLOAT16, bfloat16, bfloat16, bfloat16)
    CASE(TFC_INT8, uint8, int8, int8)
    CASE(TFC_INT16, uint16, int16, int16)
    CASE(TFC_INT32, uint32, int32, int32)
    CASE(TFC_INT64, uint64, int64, int64)
    CASE(TFC_UINT8, uint8, uint8, uint8)
    CASE(TFC_UINT16, uint16, uint16, uint16)
    CASE(TFC_UINT32, uint32, uint32, uint32)
    CASE(TFC_UINT64, uint64, uint64, uint64)
    COMPLEX_CASE(TFC_COMPLEX64, complex64)
    COMPLEX_CASE(TFC_COMPLEX128, complex128)
    default: return NULL;
  }
#undef CASE
#undef COMPLEX_CASE
}

bool tfc_has_integer_zero(const tfc_tensor* t) {
#define CASE(SIZE, TYPE)                               \
  case SIZE:                                           \
    for (int64_t i = 0; i < t->n; i++) {               \
      if (((const TYPE*)t->data)[i] == 0) return true; \
    }                                                  \
    return false;
  switch (t->dtype) {
    case TFC_INT8:
    case TFC_INT16:
    case TFC_INT32:
    case TFC_INT64:
    case TFC_UINT8:
    case TFC_UINT16:
    case TFC_UINT32:
    case TFC_UINT64: break;
    default: return false;
  }
  switch (tfc_dtype_size(t->dtype)) {
    CASE(1, uint8_t)
    CASE(2, uint16_t)
    CASE(4, uint32_t)
    CASE(8, uint64_t)
    default: return false;
  }
#undef CASE
}
