/* Products and Householder reflectors, a part of the templates of this folder that use its macros:
 * T, REAL, CONJ, SIZE, and GEMM if the engine has the type. Included again for each type. */

/* y[0..n) -= c * x[0..n) */
static void N(subtract)(T* restrict y, const T* restrict x, T c, int64_t n) {
  for (int64_t i = 0; i < n; i++) y[i] -= c * x[i];
}

/* c, m x n with rows `c_row` apart, = or += op(a) b, where element (i, p) of op(a) is a[i * a_row +
 * p * a_column], or its conjugate. On the threads of ctx, or on this one if it is NULL. */
static void N(product)(tfc_context* ctx, T* c, int64_t c_row, int64_t m, int64_t n, int64_t k,
                       const T* a, int64_t a_row, int64_t a_column, bool conjugated, const T* b,
                       int64_t b_row, bool add) {
#ifdef GEMM
  const gemm_args g = {.m = m,
                       .n = n,
                       .k = k,
                       .a = a,
                       .a_rs = a_row,
                       .a_cs = a_column,
                       .b = b,
                       .b_rs = b_row,
                       .b_cs = 1,
                       .c = c,
                       .c_rs = c_row,
                       .c_cs = 1,
                       .flags = add ? GEMM_ACCUMULATE : 0};
  GEMM(ctx, &g);
  (void)conjugated;
#else
  (void)ctx;
  for (int64_t i = 0; i < m && !add; i++) memset(c + i * c_row, 0, (size_t)n * sizeof(T));
  for (int64_t p = 0; p < k; p++)
    for (int64_t i = 0; i < m; i++) {
      const T x = a[i * a_row + p * a_column];
      N(subtract)(c + i * c_row, b + p * b_row, -(conjugated ? CONJ(x) : x), n);
    }
#endif
}

/* The length of n elements at a distance, without overflow. */
static REAL N(length)(const T* x, int64_t n, int64_t stride) {
  REAL most = 0, sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const REAL size = SIZE(x[i * stride]);
    most = size > most || isnan(size) ? size : most;
  }
  if (!(most > 0) || isinf(most)) return most;
  for (int64_t i = 0; i < n; i++) {
    const T y = x[i * stride] / most;
    sum += (REAL)(y * CONJ(y));
  }
  return most * (REAL)sqrt((double)sum);
}

/* The reflector h = 1 - tau v v* with h* x = x[0] e_0, where v[0] = 1: makes x that x[0] and the
 * rest of v. Returns tau. */
static T N(reflector)(T* x, int64_t n, int64_t stride) {
  const T alpha = x[0];
  const REAL rest = N(length)(x + stride, n - 1, stride);
  if (rest == 0 && alpha == (REAL)alpha) return 0;
  const REAL length = N(length)(x, n, stride), beta = (REAL)alpha > 0 ? -length : length;
  for (int64_t i = 1; i < n; i++) x[i * stride] /= alpha - beta;
  x[0] = beta;
  return (beta - alpha) / beta;
}

/* c = (1 - tau v v*) c for the m x n matrix c; v[0] counts as 1. w: n elements. */
static void N(reflect)(T* c, int64_t m, int64_t n, int64_t row, const T* v, int64_t stride, T tau,
                       T* w) {
  if (tau == 0) return;
  for (int64_t j = 0; j < n; j++) w[j] = c[j];
  for (int64_t i = 1; i < m; i++) N(subtract)(w, c + i * row, -CONJ(v[i * stride]), n);
  for (int64_t i = 0; i < m; i++) N(subtract)(c + i * row, w, i ? tau * v[i * stride] : tau, n);
}

/* a = q r: the reflectors of q below the diagonal and in tau, r on and above it. Unless `columns`
 * is NULL, columns are pivoted: each step takes the longest one that is left, and column i of q r
 * is column columns[i] of a. */
static void N(householder)(T* a, int64_t m, int64_t n, T* tau, int64_t* columns, T* w) {
  for (int64_t j = 0; columns && j < n; j++) columns[j] = j;
  for (int64_t k = 0; k < m && k < n; k++) {
    int64_t best = k;
    REAL most = 0;
    for (int64_t j = k; columns && j < n; j++) {
      const REAL length = N(length)(a + k * n + j, m - k, n);
      if (length > most) {
        most = length;
        best = j;
      }
    }
    for (int64_t i = 0; best != k && i < m; i++) {
      const T t = a[i * n + k];
      a[i * n + k] = a[i * n + best];
      a[i * n + best] = t;
    }
    if (best != k) {
      const int64_t t = columns[k];
      columns[k] = columns[best];
      columns[best] = t;
    }
    tau[k] = N(reflector)(a + k * n + k, m - k, n);
    N(reflect)(a + k * n + k + 1, m - k, n - k - 1, n, a + k * n + k, n, CONJ(tau[k]), w);
  }
}
