/* Operations on bits: BitwiseAnd, BitwiseOr, BitwiseXor, LeftShift, RightShift, Invert,
 * PopulationCount. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

#define BY_SIZE(OP, EXPRESSION)                             \
  TFC_BINARY(OP##_1, uint8_t, uint8_t, EXPRESSION)          \
  TFC_BINARY_PLAIN(OP##_2, uint16_t, uint16_t, EXPRESSION)  \
  TFC_BINARY(OP##_4, uint32_t, uint32_t, EXPRESSION)        \
  TFC_BINARY(OP##_8, uint64_t, uint64_t, EXPRESSION)        \
  static const tfc_binary_op OP = {{[TFC_INT8] = OP##_1,    \
                                    [TFC_UINT8] = OP##_1,   \
                                    [TFC_INT16] = OP##_2,   \
                                    [TFC_UINT16] = OP##_2,  \
                                    [TFC_INT32] = OP##_4,   \
                                    [TFC_UINT32] = OP##_4,  \
                                    [TFC_INT64] = OP##_8,   \
                                    [TFC_UINT64] = OP##_8}, \
                                   0.2}
BY_SIZE(bitwise_and, x& y);
BY_SIZE(bitwise_or, x | y);
BY_SIZE(bitwise_xor, x ^ y);

/* A shift distance outside [0, bits) counts as the nearest one inside, as in TensorFlow. */
#define SHIFTS(SUFFIX, T, BITS)                                                    \
  static inline int distance_##SUFFIX(T y) {                                       \
    return y < 0 ? 0 : y > BITS - 1 ? BITS - 1 : (int)y;                           \
  }                                                                                \
  TFC_BINARY_PLAIN(left_shift_##SUFFIX, T, T, (uint64_t)x << distance_##SUFFIX(y)) \
  TFC_BINARY_PLAIN(right_shift_##SUFFIX, T, T, x >> distance_##SUFFIX(y))
SHIFTS(int8, int8_t, 8)
SHIFTS(int16, int16_t, 16)
SHIFTS(int32, int32_t, 32)
SHIFTS(int64, int64_t, 64)
#define UNSIGNED_SHIFTS(SUFFIX, T, BITS)                                           \
  static inline int distance_##SUFFIX(T y) {                                       \
    return y > BITS - 1 ? BITS - 1 : (int)y;                                       \
  }                                                                                \
  TFC_BINARY_PLAIN(left_shift_##SUFFIX, T, T, (uint64_t)x << distance_##SUFFIX(y)) \
  TFC_BINARY_PLAIN(right_shift_##SUFFIX, T, T, x >> distance_##SUFFIX(y))
UNSIGNED_SHIFTS(uint8, uint8_t, 8)
UNSIGNED_SHIFTS(uint16, uint16_t, 16)
UNSIGNED_SHIFTS(uint32, uint32_t, 32)
UNSIGNED_SHIFTS(uint64, uint64_t, 64)
#define SHIFT_TABLE(OP)                                          \
  static const tfc_binary_op OP = {{[TFC_INT8] = OP##_int8,      \
                                    [TFC_UINT8] = OP##_uint8,    \
                                    [TFC_INT16] = OP##_int16,    \
                                    [TFC_UINT16] = OP##_uint16,  \
                                    [TFC_INT32] = OP##_int32,    \
                                    [TFC_UINT32] = OP##_uint32,  \
                                    [TFC_INT64] = OP##_int64,    \
                                    [TFC_UINT64] = OP##_uint64}, \
                                   0.5}
SHIFT_TABLE(left_shift);
SHIFT_TABLE(right_shift);

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

TFC_BINARY_KERNEL(BitwiseAnd, bitwise_and)
TFC_BINARY_KERNEL(BitwiseOr, bitwise_or)
TFC_BINARY_KERNEL(BitwiseXor, bitwise_xor)
TFC_BINARY_KERNEL(LeftShift, left_shift)
TFC_BINARY_KERNEL(RightShift, right_shift)
TFC_UNARY_KERNEL(Invert, invert)
TFC_UNARY_KERNEL(PopulationCount, population_count)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BitwiseAnd", "T=" TFC_TYPES_INTEGERS, compute_BitwiseAnd),
    TFC_ROW("BitwiseOr", "T=" TFC_TYPES_INTEGERS, compute_BitwiseOr),
    TFC_ROW("BitwiseXor", "T=" TFC_TYPES_INTEGERS, compute_BitwiseXor),
    TFC_ROW("LeftShift", "T=" TFC_TYPES_INTEGERS, compute_LeftShift),
    TFC_ROW("RightShift", "T=" TFC_TYPES_INTEGERS, compute_RightShift),
    TFC_ROW("Invert", "T=" TFC_TYPES_INTEGERS, compute_Invert),
    TFC_ROW("PopulationCount", "T=" TFC_TYPES_INTEGERS, compute_PopulationCount),
};
TFC_REGISTER_KERNELS(kernels);
