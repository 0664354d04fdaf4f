/* The micro-kernels of one element type; included after gemm_vector.h.
 *
 * A tile of `rows` x `vectors` vectors of C stays in registers while k runs. Per step it loads
 * `vectors` vectors of B, broadcasts `rows` elements of A and does rows * vectors FMAs: for 14x2
 * that is 28 accumulators of 32 registers, 16 loads for 14 cycles of FMA. Rows are addressed from
 * one pointer for three rows, so that any row stride works without a register for each row.
 */

enum { ROW_POINTERS = (GEMM_ROWS + 2) / 3 };

/* Keeps the compiler from deriving one pointer from another, which would cost registers. */
#define OPAQUE(pointer) __asm__("" : "+r"(pointer))

/* The last vector of a row may have fewer columns. With mask registers that costs nothing; without
 * them, B is read whole (the caller pads it) and a partial row of C goes through store_tile. */
#if GEMM_MASKED_COLUMNS
#define LOAD_LAST(p, n) OF(load_n)(p, n)
#define STORE_LAST(p, x, n) OF(store_n)(p, x, n)
#else
#define LOAD_LAST(p, n) OF(load)(p)
#define STORE_LAST(p, x, n) OF(store)(p, x)
#endif

/* c[i * c_rs + j * c_cs] = tile[i * stride + j], for columns that are apart. */
static __attribute__((noinline)) void N(store_columns)(T *c, int64_t c_rs, int64_t c_cs,
                                                       const T *tile, int64_t stride, int rows,
                                                       int64_t cols) {
  for (int64_t j = 0; j < cols; j += LANES) {
    const int64_t n = cols - j < LANES ? cols - j : LANES;
    for (int i0 = 0; i0 < rows; i0 += LANES) {
      const int m = rows - i0 < LANES ? rows - i0 : LANES;
      T *to = c + i0 * c_rs + j * c_cs;
      const T *from = tile + i0 * stride + j;
      if (c_rs != 1) {
        for (int64_t lane = 0; lane < n; lane++) {
          for (int i = 0; i < m; i++) to[i * c_rs + lane * c_cs] = from[i * stride + lane];
        }
        continue;
      }
      V v[LANES];
#pragma GCC unroll 16
      for (int i = 0; i < LANES; i++) v[i] = i < m ? OF(load)(from + i * stride) : (V){0};
      N(transpose)(v);
      for (int64_t lane = 0; lane < n; lane++) N(store_first)(to + lane * c_cs, v[lane], m);
    }
  }
}

/* Stores a tile that is not simply written or added: with bias or activation, or with columns that
 * don't exist or are not contiguous. `tile` holds `rows` rows of `stride` sums, a multiple of
 * LANES.
 * Costs a few cycles per vector, so it is one loop for all sizes rather than unrolled code for
 * each.
 */
static __attribute__((noinline)) void N(store_tile)(const gemm_tile *t, T *tile, int rows,
                                                    int64_t stride) {
  const int64_t cols = t->cols, c_rs = t->c_rs, c_cs = t->c_cs;
  const unsigned flags = t->flags;
  T *const c = t->c;
  for (int64_t j = 0; j < cols; j += LANES) {
    const int64_t n = cols - j < LANES ? cols - j : LANES;
    const V bias = t->bias ? N(load_first)((const T *)t->bias + j, n) : (V){0};
    for (int i = 0; i < rows; i++) {
      T *to = c + i * c_rs + j * c_cs;
      V x = OF(load)(tile + i * stride + j);
      if (flags & GEMM_ACCUMULATE) {
        if (c_cs == 1) {
          x += N(load_first)(to, n);
        } else {
          for (int64_t lane = 0; lane < n; lane++) x[lane] += to[lane * c_cs];
        }
      }
      if (t->bias) x += bias;
      if (flags & (GEMM_RELU | GEMM_RELU6)) x = N(relu)(x);
      if (flags & GEMM_RELU6) x = N(at_most_6)(x);
      if (c_cs == 1) {
        N(store_first)(to, x, n);
      } else {
        OF(store)(tile + i * stride + j, x);
      }
    }
  }
  if (c_cs != 1) N(store_columns)(c, c_rs, c_cs, tile, stride, rows, cols);
}

INLINE void N(tile)(const gemm_tile *t, const int rows, const int vectors) {
  V acc[GEMM_ROWS][GEMM_WIDE_VECTORS];
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors; v++) acc[i][v] = (V){0};
  }
  for (int i = 0; i < rows && t->k >= 64; i++) {
    const T *line = (const T *)t->c + i * t->c_rs;
    __builtin_prefetch(line, 0, 3);
    if (vectors > 1) __builtin_prefetch(line + LANES, 0, 3);
  }
  const int64_t rs = t->a_rs, cs = t->a_cs, b_rs = t->b_rs, pf_rs = t->prefetch_rs;
  T *pack = t->pack_b;
  const int last = (int)t->cols - (vectors - 1) * LANES;
  (void)last;
  for (int64_t block = 0; block < t->blocks; block++) {
    const T *b = (const T *)t->b + (t->b_offsets ? t->b_offsets[block] : 0);
    const T *prefetch = t->prefetch;
    const T *a[ROW_POINTERS];
#pragma GCC unroll 8
    for (int i = 0; i < (rows + 2) / 3; i++) {
      a[i] = (const T *)t->a + (t->a_offsets ? t->a_offsets[block] : 0) + 3 * i * rs;
      OPAQUE(a[i]);
    }
#define STEP(...)                                                                                  \
  {                                                                                                \
    V bv[GEMM_WIDE_VECTORS];                                                                       \
    _Pragma("GCC unroll 8") for (int v = 0; v < vectors - 1; v++) bv[v] = OF(load)(b + v * LANES); \
    bv[vectors - 1] = LOAD_LAST(b + (vectors - 1) * LANES, last);                                  \
    __VA_ARGS__;                                                                                   \
    _Pragma("GCC unroll 16") for (int i = 0; i < rows; i++) {                                      \
      const V x = OF(set1)(a[i / 3][(i % 3) * rs]);                                                \
      _Pragma("GCC unroll 8") for (int v = 0; v < vectors; v++) acc[i][v] += x * bv[v];            \
    }                                                                                              \
    _Pragma("GCC unroll 8") for (int i = 0; i < (rows + 2) / 3; i++) {                             \
      a[i] += cs;                                                                                  \
      OPAQUE(a[i]);                                                                                \
    }                                                                                              \
    b += b_rs;                                                                                     \
  }
    if (pack) {
      for (int64_t p = 0; p < t->k; p++) {
        STEP(_Pragma("GCC unroll 8") for (int v = 0; v < vectors;
                                          v++) { OF(store)(pack + v * LANES, bv[v]); });
        pack += vectors * LANES;
      }
    } else if (prefetch) {
      for (int64_t p = 0; p < t->k; p++) {
        STEP(__builtin_prefetch(prefetch, 0, 2); __builtin_prefetch(prefetch + 64 / T_BYTES, 0, 2));
        prefetch += pf_rs;
      }
    } else {
      for (int64_t p = 0; p < t->k; p++) STEP();
    }
#undef STEP
  }
  const int64_t c_rs = t->c_rs;
  T *c = t->c;
  if (t->bias || (t->flags & ~GEMM_ACCUMULATE) || t->c_cs != 1 ||
      (!GEMM_MASKED_COLUMNS && t->cols != vectors * LANES)) {
    T sums[GEMM_ROWS * GEMM_WIDE_VECTORS * LANES] __attribute__((aligned(64)));
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors; v++) OF(store)(sums + (i * vectors + v) * LANES, acc[i][v]);
    }
    N(store_tile)(t, sums, rows, vectors * LANES);
    return;
  }
  if (t->flags & GEMM_ACCUMULATE) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; i++) {
#pragma GCC unroll 8
      for (int v = 0; v < vectors - 1; v++) acc[i][v] += OF(load)(c + i * c_rs + v * LANES);
      acc[i][vectors - 1] += LOAD_LAST(c + i * c_rs + (vectors - 1) * LANES, last);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
#pragma GCC unroll 8
    for (int v = 0; v < vectors - 1; v++) OF(store)(c + i * c_rs + v * LANES, acc[i][v]);
    STORE_LAST(c + i * c_rs + (vectors - 1) * LANES, acc[i][vectors - 1], last);
  }
}

#define TILE(rows, vectors)                                    \
  static void N(tile_##rows##x##vectors)(const gemm_tile *t) { \
    N(tile)(t, rows, vectors);                                 \
  }
#define TALL(rows) TILE(rows, 1) TILE(rows, 2)
#define TALL_ENTRY(rows) [rows - 1] = {N(tile_##rows##x1), N(tile_##rows##x2)}
#if TFC_LEVEL_NUM == 2
#define WIDE(rows) TALL(rows) TILE(rows, 6)
#define WIDE_ENTRY(rows) \
  [rows - 1] = {N(tile_##rows##x1), N(tile_##rows##x2), [5] = N(tile_##rows##x6)}
#else
#define WIDE(rows) TALL(rows) TILE(rows, 3)
#define WIDE_ENTRY(rows) [rows - 1] = {N(tile_##rows##x1), N(tile_##rows##x2), N(tile_##rows##x3)}
#endif

// clang-format off
WIDE(1) WIDE(2) WIDE(3) WIDE(4) TALL(5) TALL(6)
#if TFC_LEVEL_NUM == 2
TALL(7) TALL(8) TALL(9) TALL(10) TALL(11) TALL(12) TALL(13) TALL(14)
#endif

static const gemm_tile_fn N(tiles)[GEMM_ROWS][GEMM_WIDE_VECTORS] = {
    WIDE_ENTRY(1), WIDE_ENTRY(2), WIDE_ENTRY(3), WIDE_ENTRY(4), TALL_ENTRY(5), TALL_ENTRY(6),
#if TFC_LEVEL_NUM == 2
    TALL_ENTRY(7), TALL_ENTRY(8), TALL_ENTRY(9), TALL_ENTRY(10), TALL_ENTRY(11), TALL_ENTRY(12),
    TALL_ENTRY(13), TALL_ENTRY(14),
#endif
};
// clang-format on

gemm_tile_fn N(gemm_tile)(int rows, int vectors) {
  return N(tiles)[rows - 1][vectors - 1];
}
