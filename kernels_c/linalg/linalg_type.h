/* Factorisations and solvers of one matrix for one element type, a template. It wants REAL (the
 * real type of T), EPSILON (its precision), CONJ(x), SIZE(x) (a cheap magnitude), MAGNITUDE(x), and
 * GEMM (the product of blocks) if the engine has the type. Matrices are row-major and inner loops
 * run along rows, so that they become vector code.
 */

#include "kernels_c/linalg/householder.h"

/* out = conjugate transpose of the n x n matrix a. */
static void N(adjoint)(const T* a, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) out[j * n + i] = CONJ(a[i * n + j]);
}

/* Replaces the lower triangle of the n x n matrix l by its Cholesky factor. column: n elements. */
static bool N(cholesky_block)(T* l, T* column, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    const REAL pivot = (REAL)l[k * n + k]; /* of a complex number: the real part */
    if (!(pivot > 0)) return false;
    const REAL root = (REAL)sqrt((double)pivot);
    l[k * n + k] = root;
    for (int64_t i = k + 1; i < n; i++) {
      l[i * n + k] /= root;
      column[i] = CONJ(l[i * n + k]);
    }
    for (int64_t i = k + 1; i < n; i++)
      N(subtract)(l + i * n + k + 1, column + k + 1, l[i * n + k], i - k);
  }
  return true;
}

/* Columns begin..end-1 of lu become factors with partial pivoting: the largest element of a column
 * moves to the diagonal, with its whole row. */
static void N(factorize_panel)(T* lu, int64_t* rows, int64_t n, int64_t begin, int64_t end,
                               bool* odd) {
  for (int64_t k = begin; k < end; k++) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; i++)
      if (SIZE(lu[i * n + k]) > SIZE(lu[best * n + k])) best = i;
    if (best != k) {
      for (int64_t j = 0; j < n; j++) {
        const T t = lu[k * n + j];
        lu[k * n + j] = lu[best * n + j];
        lu[best * n + j] = t;
      }
      const int64_t row = rows[k];
      rows[k] = rows[best];
      rows[best] = row;
      *odd = !*odd;
    }
    const bool zero = lu[k * n + k] == 0; /* then all below are 0, or NaN, which spreads */
    for (int64_t i = k + 1; i < n; i++) {
      if (!zero) lu[i * n + k] /= lu[k * n + k];
      N(subtract)(lu + i * n + k + 1, lu + k * n + k + 1, lu[i * n + k], end - k - 1);
    }
  }
}

/* Whether no pivot is 0. A NaN counts only as the first, as in TensorFlow. */
static bool N(is_regular)(const T* lu, int64_t n) {
  REAL least = SIZE(lu[0]);
  for (int64_t i = 1; i < n; i++)
    if (SIZE(lu[i * n + i]) < least) least = SIZE(lu[i * n + i]);
  return least > 0;
}

/* x = -x for rows of `width` elements that are n apart. */
static void N(negate)(T* x, int64_t rows, int64_t width, int64_t n) {
  for (int64_t i = 0; i < rows; i++)
    for (int64_t j = 0; j < width; j++) x[i * n + j] = -x[i * n + j];
}

/* lu = its factors with partial pivoting, rows[i] = the row that moved to place i; odd: whether the
 * permutation is odd. By panels of columns, whose product is taken from the rest. */
static void N(factorize)(const linalg_step* step, T* lu, int64_t* rows, int64_t n, bool* odd) {
  *odd = false;
  for (int64_t i = 0; i < n; i++) rows[i] = i;
  for (int64_t k = 0; k < n && !tfc_cancelled(step->ctx); k += BLOCK_WIDTH) {
    const int64_t end = TFC_MIN(k + BLOCK_WIDTH, n), rest = n - end;
    N(factorize_panel)(lu, rows, n, k, end, odd);
    if (!rest) break;
    for (int64_t i = k + 1; i < end; i++)
      for (int64_t j = k; j < i; j++)
        N(subtract)(lu + i * n + end, lu + j * n + end, lu[i * n + j], rest);
    T* below = lu + end * n + k;
    N(negate)(below, rest, end - k, n); /* products can be added only */
    N(product)(step->threads, lu + end * (n + 1), n, rest, rest, end - k, below, n, 1, false,
               lu + k * n + end, n, true);
    N(negate)(below, rest, end - k, n);
  }
}

/* x = inverse of a triangular matrix times x, which has m columns. By blocks of rows: the product
 * with all rows that are known is taken from the next ones. */
static bool N(solve_triangular)(const linalg_step* step, const T* a, T* x, int64_t n, int64_t m,
                                bool lower, bool unit) {
  for (int64_t known = 0; known < n && !tfc_cancelled(step->ctx); known += BLOCK_WIDTH) {
    const int64_t width = TFC_MIN(BLOCK_WIDTH, n - known),
                  begin = lower ? known : n - known - width;
    if (known) {
      const int64_t from = lower ? 0 : begin + width;
      N(negate)(x + begin * m, width, m, m); /* products can be added only */
      N(product)(step->threads, x + begin * m, m, width, m, known, a + begin * n + from, n, 1,
                 false, x + from * m, m, true);
      N(negate)(x + begin * m, width, m, m);
    }
    for (int64_t r = 0; r < width; r++) {
      const int64_t i = lower ? begin + r : begin + width - 1 - r;
      const int64_t first = lower ? begin : i + 1, last = lower ? i : begin + width;
      for (int64_t k = first; k < last; k++) N(subtract)(x + i * m, x + k * m, a[i * n + k], m);
      if (unit) continue;
      if (a[i * n + i] == 0) return false;
      for (int64_t j = 0; j < m; j++) x[i * m + j] /= a[i * n + i];
    }
  }
  return true;
}

/* out = L, lower triangular with L L* = a; reads only the lower triangle of a. By blocks of
 * columns: the factor of the block on the diagonal gives the rows below it, whose product is taken
 * from the rest. scratch: cholesky_scratch(n) elements. */
static bool N(cholesky)(const linalg_step* step, const T* a, T* out, T* scratch, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) out[i * n + j] = j <= i ? a[i * n + j] : 0;
  for (int64_t k = 0; k < n && !tfc_cancelled(step->ctx); k += BLOCK_WIDTH) {
    const int64_t width = TFC_MIN(BLOCK_WIDTH, n - k), rest = n - k - width;
    T *corner = out + k * (n + 1), *below = corner + width * n;
    T *block = scratch, *column = block + width * width, *turned = column + width;
    for (int64_t i = 0; i < width; i++)
      memcpy(block + i * width, corner + i * n, (size_t)width * sizeof(T));
    if (!N(cholesky_block)(block, column, width)) return false;
    for (int64_t i = 0; i < width; i++)
      memcpy(corner + i * n, block + i * width, (size_t)(i + 1) * sizeof(T));
    /* The rows below, as columns: block * turned = their adjoint. */
    for (int64_t i = 0; i < rest; i++)
      for (int64_t j = 0; j < width; j++) turned[j * rest + i] = CONJ(below[i * n + j]);
    N(solve_triangular)(step, block, turned, width, rest, true, false);
    for (int64_t i = 0; i < rest; i++)
      for (int64_t j = 0; j < width; j++) {
        below[i * n + j] = CONJ(turned[j * rest + i]);
        turned[j * rest + i] = -turned[j * rest + i];
      }
    for (int64_t i = 0; i < rest; i += BLOCK_ROWS) {
      const int64_t rows = TFC_MIN(BLOCK_ROWS, rest - i);
      N(product)(step->threads, below + i * n + width, n, rows, i + rows, width, below + i * n, n,
                 1, false, turned, rest, true);
    }
  }
  for (int64_t i = 0; i < n; i++) /* the products reach above the diagonal */
    memset(out + i * n + i + 1, 0, (size_t)(n - i - 1) * sizeof(T));
  return true;
}

static void N(cholesky_matrices)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t size = p->n * p->n;
  for (int64_t k = begin; k < end; k++) {
    T* scratch = (T*)p->scratch + k * cholesky_scratch(p->n);
    if (!N(cholesky)(&p->step, (const T*)p->a + k * size, (T*)p->out + k * size, scratch, p->n))
      linalg_fail(p);
  }
}

/* The LU factors of matrix k of the job, in its scratch memory. */
static T* N(lu_factors)(const linalg_job* p, int64_t k, bool* odd) {
  const int64_t n = p->n;
  T* lu = (T*)p->scratch + k * n * n;
  memcpy(lu, (const T*)p->a + k * n * n, (size_t)(n * n) * sizeof(T));
  N(factorize)(&p->step, lu, p->rows + k * n, n, odd);
  return lu;
}

static void N(determinants)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n;
  for (int64_t k = begin; k < end; k++) {
    bool odd;
    const T* lu = N(lu_factors)(p, k, &odd);
    T product = odd ? -1 : 1;
    for (int64_t i = 0; i < n; i++) product *= lu[i * n + i];
    ((T*)p->out)[k] = product;
  }
}

/* The logarithm of the magnitude, and what remains: the sign. */
static void N(log_determinants)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n;
  for (int64_t k = begin; k < end; k++) {
    bool odd;
    const T* lu = N(lu_factors)(p, k, &odd);
    T sign = odd ? -1 : 1;
    REAL log_size = 0;
    for (int64_t i = 0; i < n; i++) {
      const double size = MAGNITUDE(lu[i * n + i]); /* may be too large for float */
      sign *= size == 0 ? 0 : (T)(lu[i * n + i] / size);
      log_size += (REAL)log(size);
    }
    ((T*)p->out)[k] = sign;
    ((T*)p->logs)[k] = log_size;
  }
}

static void N(solve_matrices)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n, m = p->m;
  for (int64_t k = begin; k < end; k++) {
    const T *a = (const T*)p->a + k * n * n, *b = p->b ? (const T*)p->b + k * n * m : NULL;
    T *lu = (T*)p->scratch + k * n * n, *x = (T*)p->out + k * n * m;
    int64_t* rows = p->rows + k * n;
    bool odd;
    if (p->adjoint)
      N(adjoint)(a, lu, n);
    else
      memcpy(lu, a, (size_t)(n * n) * sizeof(T));
    N(factorize)(&p->step, lu, rows, n, &odd);
    if (!N(is_regular)(lu, n)) linalg_fail(p);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++) x[i * m + j] = b ? b[rows[i] * m + j] : rows[i] == j;
    N(solve_triangular)(&p->step, lu, x, n, m, true, true);
    N(solve_triangular)(&p->step, lu, x, n, m, false, false);
  }
}

static void N(solve_triangles)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n, m = p->m;
  for (int64_t k = begin; k < end; k++) {
    const T* a = (const T*)p->a + k * n * n;
    T* x = (T*)p->out + k * n * m;
    if (p->adjoint) {
      T* turned = (T*)p->scratch + k * n * n;
      N(adjoint)(a, turned, n);
      a = turned;
    }
    memcpy(x, (const T*)p->b + k * n * m, (size_t)(n * m) * sizeof(T));
    if (!N(solve_triangular)(&p->step, a, x, n, m, p->lower != p->adjoint, false)) linalg_fail(p);
  }
}

/* Gradient of Cholesky: with M the lower triangle of L* G, its diagonal halved, and S = L^-* M
 * L^-1, (S + S*) / 2. */
static void N(cholesky_gradients)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n;
  for (int64_t k = begin; k < end; k++) {
    const T *l = (const T*)p->a + k * n * n, *g = (const T*)p->b + k * n * n;
    T *turned = (T*)p->scratch + 2 * k * n * n, *m = turned + n * n, *out = (T*)p->out + k * n * n;
    N(adjoint)(l, turned, n);
    memset(m, 0, (size_t)(n * n) * sizeof(T));
    for (int64_t i = 0; i < n; i++) {
      for (int64_t r = i; r < n; r++) N(subtract)(m + i * n, g + r * n, -turned[i * n + r], i + 1);
      m[i * n + i] /= 2;
    }
    bool regular = N(solve_triangular)(&p->step, turned, m, n, n, false, false);
    N(adjoint)(m, out, n);
    regular &= N(solve_triangular)(&p->step, turned, out, n, n, false, false);
    if (!regular) linalg_fail(p);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j <= i; j++) {
        const T mean = (out[i * n + j] + CONJ(out[j * n + i])) / 2;
        out[i * n + j] = mean;
        out[j * n + i] = CONJ(mean);
      }
  }
}

/* ---- LU */

static void N(factorize_matrices)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n;
  for (int64_t k = begin; k < end; k++) {
    T* lu = (T*)p->out + k * n * n;
    bool odd;
    memcpy(lu, (const T*)p->a + k * n * n, (size_t)(n * n) * sizeof(T));
    N(factorize)(&p->step, lu, p->rows + k * n, n, &odd);
    if (!N(is_regular)(lu, n)) linalg_fail(p);
  }
}

/* ---- Least squares */

/* x = (l l*)^-1 x; other: as large as l. */
static void N(solve_factorized)(const linalg_step* step, const T* l, T* other, T* x, int64_t n,
                                int64_t m) {
  N(solve_triangular)(step, l, x, n, m, true, false);
  N(adjoint)(l, other, n);
  N(solve_triangular)(step, other, x, n, m, false, false);
}

/* By the normal equations: x = (a* a + l2)^-1 a* b, or a* (a a* + l2)^-1 b. */
static bool N(solve_normal_equations)(const ls_job* p, const T* a, const T* b, T* x, T* scratch) {
  const int64_t m = p->m, n = p->n, k = p->k, least = m < n ? m : n;
  T *gram = scratch, *l = gram + least * least, *space = l + least * least,
    *turned = space + cholesky_scratch(least);
  T* y = turned + (m < n ? m * n : 0);
  if (m >= n) {
    N(product)(NULL, gram, n, n, n, m, a, 1, n, true, a, n, false);
  } else {
    for (int64_t i = 0; i < m; i++)
      for (int64_t j = 0; j < n; j++) turned[j * m + i] = CONJ(a[i * n + j]);
    N(product)(NULL, gram, m, m, m, n, a, n, 1, false, turned, m, false);
  }
  for (int64_t i = 0; i < least; i++) gram[i * (least + 1)] += (REAL)p->l2;
  if (!N(cholesky)(&p->step, gram, l, space, least)) {
    bool nan = false; /* of NaN, NaN */
    for (int64_t i = 0; i < least; i++) nan |= isnan((REAL)gram[i * (least + 1)]);
    for (int64_t i = 0; nan && i < n * k; i++) x[i] = NAN;
    return nan;
  }
  if (m >= n) {
    N(product)(NULL, x, k, n, k, m, a, 1, n, true, b, k, false);
    N(solve_factorized)(&p->step, l, gram, x, n, k);
  } else {
    memcpy(y, b, (size_t)(m * k) * sizeof(T));
    N(solve_factorized)(&p->step, l, gram, y, m, k);
    N(product)(NULL, x, k, n, k, m, a, 1, n, true, y, k, false);
  }
  return true;
}

/* The shortest x among those that come closest to a x = b, by a complete orthogonal decomposition:
 * a p = q (r 0; 0 0) z*, where diagonal elements of r that are rounding errors count as 0. */
static void N(solve_deficient)(const ls_job* p, const T* given, const T* b, T* out, T* scratch,
                               int64_t* columns) {
  const int64_t m = p->m, n = p->n, k = p->k, least = m < n ? m : n, most = m > n ? m : n;
  T *a = scratch, *tau = a + m * n, *z = tau + least, *z_tau = z + n * least, *x = z_tau + least;
  T* w = x + most * k;
  memcpy(a, given, (size_t)(m * n) * sizeof(T));
  N(householder)(a, m, n, tau, columns, w);
  REAL largest = 0;
  int64_t rank = 0;
  for (int64_t i = 0; i < least; i++)
    if (SIZE(a[i * (n + 1)]) > largest) largest = SIZE(a[i * (n + 1)]);
  while (rank < least && SIZE(a[rank * (n + 1)]) > (REAL)least * EPSILON * largest) rank++;
  memset(x, 0, (size_t)(most * k) * sizeof(T));
  memcpy(x, b, (size_t)(m * k) * sizeof(T));
  for (int64_t i = 0; i < least; i++)
    N(reflect)(x + i * k, m - i, k, k, a + i * (n + 1), n, CONJ(tau[i]), w);
  if (rank == n) {
    N(solve_triangular)(&p->step, a, x, n, k, false, false);
  } else {
    memset(x + rank * k, 0, (size_t)((most - rank) * k) * sizeof(T));
    for (int64_t j = 0; j < n; j++) /* z r2 = r* */
      for (int64_t i = 0; i < rank; i++) z[j * rank + i] = j < i ? 0 : CONJ(a[i * n + j]);
    N(householder)(z, n, rank, z_tau, NULL, w);
    for (int64_t i = 0; i < rank; i++) { /* x = r2^-* x */
      for (int64_t j = 0; j < i; j++) N(subtract)(x + i * k, x + j * k, CONJ(z[j * rank + i]), k);
      for (int64_t j = 0; j < k; j++) x[i * k + j] /= CONJ(z[i * (rank + 1)]);
    }
    for (int64_t i = rank - 1; i >= 0; i--)
      N(reflect)(x + i * k, n - i, k, k, z + i * (rank + 1), rank, z_tau[i], w);
  }
  for (int64_t i = 0; i < n; i++) memcpy(out + columns[i] * k, x + i * k, (size_t)k * sizeof(T));
}

static void N(least_squares)(void* arg, int64_t begin, int64_t end) {
  ls_job* p = arg;
  for (int64_t i = begin; i < end; i++) {
    const T *a = (const T*)p->a + i * p->m * p->n, *b = (const T*)p->b + i * p->m * p->k;
    T *x = (T*)p->out + i * p->n * p->k, *scratch = (T*)p->scratch + i * p->per_matrix;
    if (!p->fast)
      N(solve_deficient)(p, a, b, x, scratch, p->columns + i * p->n);
    else if (!N(solve_normal_equations)(p, a, b, x, scratch))
      __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
  }
}

#undef T
#undef REAL
#undef CONJ
#undef SIZE
#undef MAGNITUDE
#undef EPSILON
#undef GEMM
