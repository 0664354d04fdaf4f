/* Factorisations and solvers of one matrix for one element type, a template. It wants REAL (the
 * real type of T), CONJ(x) and SIZE(x) (a magnitude). Matrices are row-major and inner loops run
 * along rows, so that they become vector code.
 */

/* y[0..n) -= c * x[0..n) */
static void N(subtract)(T* restrict y, const T* restrict x, T c, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] -= c * x[i];
}

/* out = conjugate transpose of the n x n matrix a. */
static void N(adjoint)(const T* a, T* out, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) out[j * n + i] = CONJ(a[i * n + j]);
}

/* out = L, lower triangular with L L* = a; reads only the lower triangle of a. column: n
 * elements. */
static bool N(cholesky)(const T* a, T* out, T* column, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) out[i * n + j] = j <= i ? a[i * n + j] : 0;
  for (int64_t k = 0; k < n; k++) {
    const REAL pivot = (REAL)out[k * n + k]; /* of a complex number: the real part */
    if (!(pivot > 0)) return false;
    const REAL root = (REAL)sqrt((double)pivot);
    out[k * n + k] = root;
    for (int64_t i = k + 1; i < n; i++) {
      out[i * n + k] /= root;
      column[i] = CONJ(out[i * n + k]);
    }
    for (int64_t i = k + 1; i < n; i++)
      N(subtract)(out + i * n + k + 1, column + k + 1, out[i * n + k], i - k);
  }
  return true;
}

/* lu = its factors with partial pivoting, rows[i] = the row that moved to place i. False if a pivot
 * is zero; odd: whether the permutation is odd. */
static bool N(factorize)(T* lu, int64_t* rows, int64_t n, bool* odd) {
  bool regular = true;
  *odd = false;
  for (int64_t i = 0; i < n; i++) rows[i] = i;
  for (int64_t k = 0; k < n; k++) {
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
    if (lu[k * n + k] == 0) {
      regular = false;
      continue;
    }
    for (int64_t i = k + 1; i < n; i++) {
      lu[i * n + k] /= lu[k * n + k];
      N(subtract)(lu + i * n + k + 1, lu + k * n + k + 1, lu[i * n + k], n - k - 1);
    }
  }
  return regular;
}

/* x = inverse of a triangular matrix times x, which has m columns. */
static bool N(solve_triangular)(const T* a, T* x, int64_t n, int64_t m, bool lower, bool unit) {
  for (int64_t step = 0; step < n; step++) {
    const int64_t i = lower ? step : n - 1 - step;
    const int64_t first = lower ? 0 : i + 1, last = lower ? i : n;
    for (int64_t k = first; k < last; k++) N(subtract)(x + i * m, x + k * m, a[i * n + k], m);
    if (unit) continue;
    if (a[i * n + i] == 0) return false;
    for (int64_t j = 0; j < m; j++) x[i * m + j] /= a[i * n + i];
  }
  return true;
}

static void N(cholesky_matrices)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t size = p->n * p->n;
  for (int64_t k = begin; k < end; k++) {
    T* column = (T*)p->scratch + k * p->n;
    if (!N(cholesky)((const T*)p->a + k * size, (T*)p->out + k * size, column, p->n))
      linalg_fail(p);
  }
}

static void N(determinants)(void* arg, int64_t begin, int64_t end) {
  linalg_job* p = arg;
  const int64_t n = p->n;
  for (int64_t k = begin; k < end; k++) {
    T* lu = (T*)p->scratch + k * n * n;
    bool odd;
    memcpy(lu, (const T*)p->a + k * n * n, (size_t)(n * n) * sizeof(T));
    N(factorize)(lu, p->rows + k * n, n, &odd);
    T product = odd ? -1 : 1;
    for (int64_t i = 0; i < n; i++) product *= lu[i * n + i];
    ((T*)p->out)[k] = product;
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
    if (!N(factorize)(lu, rows, n, &odd)) linalg_fail(p);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < m; j++) x[i * m + j] = b ? b[rows[i] * m + j] : rows[i] == j;
    N(solve_triangular)(lu, x, n, m, true, true);
    N(solve_triangular)(lu, x, n, m, false, false);
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
    if (!N(solve_triangular)(a, x, n, m, p->lower != p->adjoint, false)) linalg_fail(p);
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
    bool regular = N(solve_triangular)(turned, m, n, n, false, false);
    N(adjoint)(m, out, n);
    regular &= N(solve_triangular)(turned, out, n, n, false, false);
    if (!regular) linalg_fail(p);
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j <= i; j++) {
        const T mean = (out[i * n + j] + CONJ(out[j * n + i])) / 2;
        out[i * n + j] = mean;
        out[j * n + i] = CONJ(mean);
      }
  }
}

#undef T
#undef REAL
#undef CONJ
#undef SIZE
