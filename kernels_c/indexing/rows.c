/* See rows.h. */
#include "kernels_c/indexing/rows.h"

#define BIGGER(a, b) ((a) != (a) ? (a) : (a) > (b) ? (a) : (b))
#define SMALLER(a, b) ((a) != (a) ? (a) : (a) < (b) ? (a) : (b))
#define ADD(a, b) ((a) + (b))
#define SUB(a, b) ((a) - (b))
#define MUL(a, b) ((a) * (b))
#define SAME(x) (x)

#define ROW(NAME, T, A, OP, LOAD, STORE)                    \
  static void NAME(void* acc_, const void* x_, int64_t n) { \
    T* restrict acc = acc_;                                 \
    const T* restrict x = x_;                               \
    for (int64_t i = 0; i < n; i++) {                       \
      const A a = LOAD(acc[i]), b = LOAD(x[i]);             \
      acc[i] = STORE((A)OP(a, b));                          \
    }                                                       \
  }
#define ARITHMETIC(NAME, T, A, LOAD, STORE) \
  ROW(add_##NAME, T, A, ADD, LOAD, STORE)   \
  ROW(sub_##NAME, T, A, SUB, LOAD, STORE)   \
  ROW(mul_##NAME, T, A, MUL, LOAD, STORE)
#define EXTREMES(NAME, T, A, LOAD, STORE)    \
  ROW(max_##NAME, T, A, BIGGER, LOAD, STORE) \
  ROW(min_##NAME, T, A, SMALLER, LOAD, STORE)

/* Sums, differences and products of signed integers are those of unsigned ones, without undefined
 * overflow (16 bits multiply in 32). */
ARITHMETIC(float, float, float, SAME, SAME)
ARITHMETIC(double, double, double, SAME, SAME)
ARITHMETIC(uint8, uint8_t, uint32_t, SAME, SAME)
ARITHMETIC(uint16, uint16_t, uint32_t, SAME, SAME)
ARITHMETIC(uint32, uint32_t, uint32_t, SAME, SAME)
ARITHMETIC(uint64, uint64_t, uint64_t, SAME, SAME)
ARITHMETIC(complex64, float _Complex, float _Complex, SAME, SAME)
ARITHMETIC(complex128, double _Complex, double _Complex, SAME, SAME)
ARITHMETIC(half, tfc_half, float, tfc_half_to_float, tfc_float_to_half)
ARITHMETIC(bfloat16, tfc_bfloat16, float, tfc_bfloat16_to_float, tfc_float_to_bfloat16)
EXTREMES(float, float, float, SAME, SAME)
EXTREMES(double, double, double, SAME, SAME)
EXTREMES(int8, int8_t, int8_t, SAME, SAME)
EXTREMES(uint8, uint8_t, uint8_t, SAME, SAME)
EXTREMES(int16, int16_t, int16_t, SAME, SAME)
EXTREMES(uint16, uint16_t, uint16_t, SAME, SAME)
EXTREMES(int32, int32_t, int32_t, SAME, SAME)
EXTREMES(uint32, uint32_t, uint32_t, SAME, SAME)
EXTREMES(int64, int64_t, int64_t, SAME, SAME)
EXTREMES(uint64, uint64_t, uint64_t, SAME, SAME)
EXTREMES(half, tfc_half, float, tfc_half_to_float, tfc_float_to_half)
EXTREMES(bfloat16, tfc_bfloat16, float, tfc_bfloat16_to_float, tfc_float_to_bfloat16)

static void or_bool(void* acc_, const void* x_, int64_t n) {
  uint8_t* acc = acc_;
  const uint8_t* x = x_;
  for (int64_t i = 0; i < n; i++) acc[i] |= x[i];
}

#define ARITHMETIC_OPS(NAME) \
  [TFC_ROW_ADD] = add_##NAME, [TFC_ROW_SUB] = sub_##NAME, [TFC_ROW_MUL] = mul_##NAME
#define EXTREME_OPS(NAME) [TFC_ROW_MAX] = max_##NAME, [TFC_ROW_MIN] = min_##NAME

tfc_row_fn tfc_find_row_op(tfc_row_kind kind, int32_t dtype) {
  static const tfc_row_fn table[][TFC_ROW_MIN + 1] = {
      [TFC_FLOAT] = {ARITHMETIC_OPS(float), EXTREME_OPS(float)},
      [TFC_DOUBLE] = {ARITHMETIC_OPS(double), EXTREME_OPS(double)},
      [TFC_HALF] = {ARITHMETIC_OPS(half), EXTREME_OPS(half)},
      [TFC_BFLOAT16] = {ARITHMETIC_OPS(bfloat16), EXTREME_OPS(bfloat16)},
      [TFC_INT8] = {ARITHMETIC_OPS(uint8), EXTREME_OPS(int8)},
      [TFC_UINT8] = {ARITHMETIC_OPS(uint8), EXTREME_OPS(uint8)},
      [TFC_INT16] = {ARITHMETIC_OPS(uint16), EXTREME_OPS(int16)},
      [TFC_UINT16] = {ARITHMETIC_OPS(uint16), EXTREME_OPS(uint16)},
      [TFC_INT32] = {ARITHMETIC_OPS(uint32), EXTREME_OPS(int32)},
      [TFC_UINT32] = {ARITHMETIC_OPS(uint32), EXTREME_OPS(uint32)},
      [TFC_INT64] = {ARITHMETIC_OPS(uint64), EXTREME_OPS(int64)},
      [TFC_UINT64] = {ARITHMETIC_OPS(uint64), EXTREME_OPS(uint64)},
      [TFC_COMPLEX64] = {ARITHMETIC_OPS(complex64)},
      [TFC_COMPLEX128] = {ARITHMETIC_OPS(complex128)},
      [TFC_BOOL] = {[TFC_ROW_ADD] = or_bool},
  };
  if (dtype < 0 || dtype >= (int32_t)(sizeof table / sizeof table[0])) return NULL;
  return table[dtype][kind];
}
