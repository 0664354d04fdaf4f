/* Products as dot products along k, for results with few rows or columns; included after
 * gemm_pack.h. The lanes are then full for any m and n, and a long operand that is contiguous along
 * k is read once, in order, without packing.
 */

/* sums[i] = sum of the lanes of acc[i], for LANES vectors at once: the rounds of a transposition
 * with additions. The order of additions in a sum does not depend on its place. */
#define SUM_ROUND(half)                                                                      \
  _Pragma("GCC unroll 8") for (int i = 0; i < half; i++) {                                   \
    acc[i] = INTERLEAVE_LOW(acc[i], acc[i + half]) + INTERLEAVE_HIGH(acc[i], acc[i + half]); \
  }
INLINE void N(sum_lanes)(T* sums, V* acc) {
#if LANES >= 16
  SUM_ROUND(8)
#endif
#if LANES >= 8
  SUM_ROUND(4)
#endif
#if LANES >= 4
  SUM_ROUND(2)
#endif
  SUM_ROUND(1)
  OF(store)(sums, acc[0]);
}

/* Keeps a vector in a register: a load repeated in each FMA costs more than the FMAs. */
#if TFC_LEVEL_NUM == 2
#define IN_REGISTER(v) __asm__("" : "+v"(v))
#elif defined(__x86_64__)
#define IN_REGISTER(v) __asm__("" : "+x"(v))
#else
#define IN_REGISTER(v) ((void)0)
#endif

/* sums[r * cols + c] = dot product of line a[r] and line b[c]. */
INLINE void N(dot)(T* sums, const T* const* a, const T* const* b, const int rows, const int cols,
                   int64_t k) {
  V acc[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; i++) acc[i] = (V){0};
  int64_t p = 0;
  for (; p + LANES <= k; p += LANES) {
    V x[4];
#pragma GCC unroll 4
    for (int r = 0; r < rows; r++) x[r] = OF(load)(a[r] + p);
#pragma GCC unroll 8
    for (int c = 0; c < cols; c++) {
      V y = OF(load)(b[c] + p);
      IN_REGISTER(y);
#pragma GCC unroll 4
      for (int r = 0; r < rows; r++) acc[r * cols + c] += x[r] * y;
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < 16; i += LANES) N(sum_lanes)(sums + i, acc + i);
  for (; p < k; p++) {
    for (int r = 0; r < rows; r++) {
      for (int c = 0; c < cols; c++) sums[r * cols + c] += a[r][p] * b[c][p];
    }
  }
}

typedef void (*N(dot_fn))(T*, const T* const*, const T* const*, int64_t);
#define DOT(rows, cols)                                                                           \
  static void N(dot_##rows##x##cols)(T * sums, const T* const* a, const T* const* b, int64_t k) { \
    N(dot)(sums, a, b, rows, cols, k);                                                            \
  }
/* At most 16 sums, in as many registers as there are beside the operands. */
#if TFC_LEVEL_NUM == 2
DOT(1, 8)
DOT(2, 8)
DOT(3, 5)
DOT(4, 4)
#define DOT_KERNELS                                             \
  {1, 8, N(dot_1x8)}, {2, 8, N(dot_2x8)}, {3, 5, N(dot_3x5)}, { \
    4, 4, N(dot_4x4)                                            \
  }
#else
DOT(1, 8)
DOT(2, 5)
DOT(3, 4)
#define DOT_KERNELS                         \
  {1, 8, N(dot_1x8)}, {2, 5, N(dot_2x5)}, { \
    3, 4, N(dot_3x4)                        \
  }
#endif

static const struct {
  int rows, cols;
  N(dot_fn) fn;
} N(dots)[] = {DOT_KERNELS};

/* The kernel that wastes the least work beyond the last line; the larger one on a tie. */
static int N(choose_dot)(int64_t m, int64_t n) {
  int best = 0;
  int64_t least = INT64_MAX;
  for (size_t i = 0; i < sizeof N(dots) / sizeof N(dots)[0]; i++) {
    const int64_t rows = N(dots)[i].rows, cols = N(dots)[i].cols;
    const int64_t tiles = ((m + rows - 1) / rows) * ((n + cols - 1) / cols);
    const int64_t cost = tiles * (2 * rows * cols + rows + cols); /* FMAs and loads */
    if (cost <= least) {
      best = (int)i;
      least = cost;
    }
  }
  return best;
}

/* Accumulation, bias and activation of m x n sums that belong at c, from column j0 on. */
static void N(finish)(const gemm_args* g, T* sums, int stride, int64_t m, int64_t n, int64_t j0,
                      const T* c) {
  for (int64_t i = 0; i < m; i++) {
    for (int64_t j = 0; j < n; j++) {
      T x = sums[i * stride + j];
      if (g->flags & GEMM_ACCUMULATE) x += c[i * g->c_rs + j * g->c_cs];
      if (g->bias) x += ((const T*)g->bias)[j0 + j];
      if ((g->flags & (GEMM_RELU | GEMM_RELU6)) && x < 0) x = 0;
      if ((g->flags & GEMM_RELU6) && x > 6) x = 6;
      sums[i * stride + j] = x;
    }
  }
}

/* g with a_cs == 1 and b_rs == 1. The longer of m and n is the outer loop, so that it is read once.
 */
static void N(dot_product)(const gemm_args* g) {
  const int kind = N(choose_dot)(g->m, g->n);
  const int rows = N(dots)[kind].rows, cols = N(dots)[kind].cols;
  const int64_t m_tiles = (g->m + rows - 1) / rows, n_tiles = (g->n + cols - 1) / cols;
  const bool rows_outer = g->m >= g->n;
  const T *a[4], *b[8];
  T sums[16] __attribute__((aligned(64)));
  for (int64_t o = 0; o < (rows_outer ? m_tiles : n_tiles); o++) {
    for (int64_t in = 0; in < (rows_outer ? n_tiles : m_tiles); in++) {
      const int64_t i0 = (rows_outer ? o : in) * rows, j0 = (rows_outer ? in : o) * cols;
      const int64_t m = g->m - i0 < rows ? g->m - i0 : rows;
      const int64_t n = g->n - j0 < cols ? g->n - j0 : cols;
      /* Lines after the last one repeat it. */
      for (int r = 0; r < rows; r++) {
        a[r] = (const T*)g->a + (i0 + (r < m ? r : m - 1)) * g->a_rs;
      }
      for (int c = 0; c < cols; c++) {
        b[c] = (const T*)g->b + (j0 + (c < n ? c : n - 1)) * g->b_cs;
      }
      N(dots)[kind].fn(sums, a, b, g->k);
      T* c = (T*)g->c + i0 * g->c_rs + j0 * g->c_cs;
      if (g->flags || g->bias) {
        N(finish)(g, sums, cols, m, n, j0, c);
      }
      for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) c[i * g->c_rs + j * g->c_cs] = sums[i * cols + j];
      }
    }
  }
}
