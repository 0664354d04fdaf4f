/* Vectors of the element type, beyond those of simd.h, for the other parts of gemm_type.h. */

#define INLINE static inline __attribute__((always_inline))

enum { T_BYTES = sizeof(T) };

/* The first n elements at p (the rest is 0), and storing them. */
INLINE V N(load_first)(const T* p, int64_t n) {
  return !GEMM_MASKED_COLUMNS && n == LANES ? OF(load)(p) : OF(load_n)(p, (int)n);
}
INLINE void N(store_first)(T* p, V x, int64_t n) {
  if (!GEMM_MASKED_COLUMNS && n == LANES)
    OF(store)(p, x);
  else
    OF(store_n)(p, x, (int)n);
}

/* x < 0 ? 0 : x and x > 6 ? 6 : x; NaN passes, since no comparison with it is true. */
INLINE V N(relu)(V x) {
  return (V)((M)x & ~(M)(x < (V){0}));
}
INLINE V N(at_most_6)(V x) {
  return OF(select)(x > 6, OF(set1)(6), x);
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
#define INTERLEAVE_LOW(x, y) __builtin_shuffle(x, y, (M)LOW_HALVES)
#define INTERLEAVE_HIGH(x, y) __builtin_shuffle(x, y, (M)HIGH_HALVES)

/* Transposes LANES vectors: log2(LANES) rounds of interleaving vector i with vector i + LANES / 2.
 * Written out, because GCC keeps the arrays in registers only where all indices are constants
 * early. */
#define TRANSPOSE_ROUND(to, from)                                  \
  _Pragma("GCC unroll 8") for (int i = 0; i < LANES / 2; i++) {    \
    to[2 * i] = INTERLEAVE_LOW(from[i], from[i + LANES / 2]);      \
    to[2 * i + 1] = INTERLEAVE_HIGH(from[i], from[i + LANES / 2]); \
  }
INLINE void N(transpose)(V* v) {
  V w[LANES];
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
