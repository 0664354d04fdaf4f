/* Vectors of one element type, for the other parts of gemm_f32.c and gemm_f64.c, which define
 *   T, T_BYTES   the element type and its size
 *   FN(x)        x with the suffix of the type
 *   INDEX_T      a signed integer of that size
 * and, at the level that has mask registers, FN(load_masked) and FN(store_masked).
 */
#include <string.h>

#include "kernels_c/common/simd_types.h"

#define LANES (TFC_VECTOR_BYTES / T_BYTES)
#define VEC FN(vec)
#define VEC_U TFC_UNALIGNED(VEC)
#define INLINE static inline __attribute__((always_inline))

TFC_VECTOR_TYPE(VEC, T);
TFC_VECTOR_TYPE(FN(index), INDEX_T);

INLINE VEC FN(broadcast)(T x) {
  return x - (VEC){0};
}

/* The first n elements at p (the rest is 0), and storing them. */
#if GEMM_MASKED_COLUMNS
INLINE VEC FN(load_first)(const T* p, int64_t n) {
  return (VEC)FN(load_masked)(p, (uint16_t)((1u << n) - 1));
}
INLINE void FN(store_first)(T* p, VEC x, int64_t n) {
  FN(store_masked)(p, x, (uint16_t)((1u << n) - 1));
}
#else
INLINE VEC FN(load_first)(const T* p, int64_t n) {
  if (n == LANES) return *(const VEC_U*)p;
  VEC x = {0};
  for (int64_t i = 0; i < n; i++) x[i] = p[i];
  return x;
}
INLINE void FN(store_first)(T* p, VEC x, int64_t n) {
  if (n == LANES) {
    *(VEC_U*)p = x;
  } else {
    for (int64_t i = 0; i < n; i++) p[i] = x[i];
  }
}
#endif

/* x < 0 ? 0 : x and x > 6 ? 6 : x; NaN passes, since no comparison with it is true. */
INLINE VEC FN(relu)(VEC x) {
  return (VEC)((FN(index))x & ~(FN(index))(x < (VEC){0}));
}
INLINE VEC FN(at_most_6)(VEC x) {
  const VEC six = FN(broadcast)(6);
  const FN(index) above = (FN(index))(x > six);
  return (VEC)(((FN(index))x & ~above) | ((FN(index))six & above));
}

#if LANES == 16
#define LOW_HALVES {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23}
#define HIGH_HALVES {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}
#elif LANES == 8
#define LOW_HALVES {0, 8, 1, 9, 2, 10, 3, 11}
#define HIGH_HALVES {4, 12, 5, 13, 6, 14, 7, 15}
#elif LANES == 4
#define LOW_HALVES {0, 4, 1, 5}
#define HIGH_HALVES {2, 6, 3, 7}
#else
#define LOW_HALVES {0, 2}
#define HIGH_HALVES {1, 3}
#endif
#define INTERLEAVE_LOW(x, y) __builtin_shuffle(x, y, (FN(index))LOW_HALVES)
#define INTERLEAVE_HIGH(x, y) __builtin_shuffle(x, y, (FN(index))HIGH_HALVES)

/* Transposes LANES vectors: log2(LANES) rounds of interleaving vector i with vector i + LANES / 2.
 * Written out, because GCC keeps the arrays in registers only where all indices are constants
 * early. */
#define TRANSPOSE_ROUND(to, from)                                  \
  _Pragma("GCC unroll 8") for (int i = 0; i < LANES / 2; i++) {    \
    to[2 * i] = INTERLEAVE_LOW(from[i], from[i + LANES / 2]);      \
    to[2 * i + 1] = INTERLEAVE_HIGH(from[i], from[i + LANES / 2]); \
  }
INLINE void FN(transpose)(VEC* v) {
  VEC w[LANES];
#if LANES >= 4
  TRANSPOSE_ROUND(w, v)
  TRANSPOSE_ROUND(v, w)
#endif
#if LANES == 16
  TRANSPOSE_ROUND(w, v)
  TRANSPOSE_ROUND(v, w)
#elif LANES == 2 || LANES == 8
  TRANSPOSE_ROUND(w, v)
  _Pragma("GCC unroll 8") for (int i = 0; i < LANES; i++) v[i] = w[i];
#endif
}
