/* Systems of equations with tridiagonal matrices for one element type, a template. It wants REAL
 * (the real type of T), EPSILON, SMALLEST (its least normal number), and MAGNITUDE(x).
 *
 * Of the diagonals above, on and below the main one, each of n elements, the last element of the
 * first and the first of the last are not used. */

/* y[0..m) -= factor * x */
static void N(subtract)(T* y, T factor, const T* x, int64_t m) {
  for (int64_t j = 0; j < m; j++) y[j] -= factor * x[j];
}

/* x = u^-1 x where u has its rows, of three elements from the diagonal on, in u. */
static void N(solve_back)(const T* u, T* x, int64_t n, int64_t m) {
  for (int64_t i = n - 1; i >= 0; i--) {
    if (i + 1 < n) N(subtract)(x + i * m, u[3 * i + 1], x + (i + 1) * m, m);
    if (i + 2 < n) N(subtract)(x + i * m, u[3 * i + 2], x + (i + 2) * m, m);
    for (int64_t j = 0; j < m; j++) x[i * m + j] /= u[3 * i];
  }
}

/* Without pivots. */
static bool N(eliminate)(const T* d, T* u, T* x, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n; i++) {
    u[3 * i] = d[n + i];
    u[3 * i + 1] = d[i];
    u[3 * i + 2] = 0;
    if (i > 0) {
      const T factor = d[2 * n + i] / u[3 * i - 3];
      u[3 * i] -= factor * u[3 * i - 2];
      N(subtract)(x + i * m, factor, x + (i - 1) * m, m);
    }
    if (u[3 * i] == 0) return false;
  }
  return true;
}

/* With pivots: of two rows the one with the larger first element; `scaled`: relative to its row.
 * False if a pivot is zero. */
static bool N(eliminate_pivoting)(const T* d, T* u, T* x, int64_t n, int64_t m, bool scaled) {
  bool regular = true;
  u[0] = d[n];
  u[1] = n > 1 ? d[0] : 0;
  u[2] = 0;
  REAL size = MAGNITUDE(u[0]) + MAGNITUDE(u[1]);
  for (int64_t i = 0; i + 1 < n; i++) {
    T *row = u + 3 * i, *next = row + 3, *xi = x + i * m, *xn = xi + m;
    const T low = d[2 * n + i + 1], main = d[n + i + 1], high = i + 2 < n ? d[i + 1] : 0;
    const REAL next_size = MAGNITUDE(low) + MAGNITUDE(main) + MAGNITUDE(high);
    const REAL here = scaled && row[0] != 0 ? MAGNITUDE(row[0]) / size : MAGNITUDE(row[0]);
    const REAL below = scaled && low != 0 ? MAGNITUDE(low) / next_size : MAGNITUDE(low);
    if (!(here < below)) {
      const T factor = low == 0 ? 0 : low / row[0];
      regular &= row[0] != 0;
      next[0] = main - factor * row[1];
      next[1] = high;
      N(subtract)(xn, factor, xi, m);
      size = next_size;
    } else {
      const T factor = row[0] / low;
      next[0] = row[1] - factor * main;
      next[1] = -factor * high;
      row[0] = low;
      row[1] = main;
      row[2] = high;
      for (int64_t j = 0; j < m; j++) {
        const T t = xi[j];
        xi[j] = xn[j];
        xn[j] = t - factor * xn[j];
      }
    }
    next[2] = 0;
  }
  return regular && u[3 * n - 3] != 0;
}

/* Moves a pivot away from zero, or scales it with its row of x, so that x / pivot does not
 * overflow. Source: LAPACK's routine xLAGTS. */
static T N(move_pivot)(T pivot, REAL step, T* x, int64_t m) {
  const REAL largest = 1 / SMALLEST;
  REAL most = 0;
  for (int64_t j = 0; j < m; j++) most = MAGNITUDE(x[j]) > most ? MAGNITUDE(x[j]) : most;
  step = step > SMALLEST ? step : SMALLEST;
  if ((REAL)pivot < 0) step = -step;
  for (;;) {
    const REAL size = MAGNITUDE(pivot);
    if (!(size < 1)) return pivot;
    if (size < SMALLEST && size != 0 && !(most * SMALLEST > size)) {
      for (int64_t j = 0; j < m; j++) x[j] *= largest;
      return pivot * largest;
    }
    if (size >= SMALLEST && !(most > size * largest)) return pivot;
    pivot += step;
    step *= 2;
  }
}

/* x = u^-1 x, with pivots moved by rounding errors where they are too small. */
static void N(solve_back_moving)(const T* u, T* x, int64_t n, int64_t m) {
  REAL most = 0;
  for (int64_t i = 0; i < 3 * n; i++) {
    const bool used = i % 3 == 0 || i / 3 + i % 3 < n;
    if (used && MAGNITUDE(u[i]) > most) most = MAGNITUDE(u[i]);
  }
  for (int64_t i = n - 1; i >= 0; i--) {
    if (i + 1 < n) N(subtract)(x + i * m, u[3 * i + 1], x + (i + 1) * m, m);
    if (i + 2 < n) N(subtract)(x + i * m, u[3 * i + 2], x + (i + 2) * m, m);
    const T factor = 1 / N(move_pivot)(u[3 * i], EPSILON * most, x + i * m, m);
    for (int64_t j = 0; j < m; j++) x[i * m + j] *= factor;
  }
}

static void N(solve_tridiagonal)(void* arg, int64_t begin, int64_t end) {
  const tridiagonal_job* p = arg;
  const int64_t n = p->n, m = p->m;
  for (int64_t k = begin; k < end; k++) {
    const T* d = (const T*)p->diagonals[0] + k * 3 * n;
    T *u = (T*)p->scratch + k * 3 * n, *x = (T*)p->out + k * n * m;
    memcpy(x, (const T*)p->rhs + k * n * m, (size_t)(n * m) * sizeof(T));
    const bool regular = p->attrs.pivoting ? N(eliminate_pivoting)(d, u, x, n, m, p->attrs.perturbs)
                                           : N(eliminate)(d, u, x, n, m);
    if (p->attrs.perturbs)
      N(solve_back_moving)(u, x, n, m);
    else if (regular)
      N(solve_back)(u, x, n, m);
    else
      for (int64_t i = 0; i < n * m; i++) x[i] = NAN;
  }
}

static void N(multiply_tridiagonal)(void* arg, int64_t begin, int64_t end) {
  const tridiagonal_job* p = arg;
  const int64_t n = p->n, m = p->m;
  for (int64_t k = begin; k < end; k++) {
    const T *above = (const T*)p->diagonals[0] + k * n, *main = (const T*)p->diagonals[1] + k * n;
    const T *below = (const T*)p->diagonals[2] + k * n, *rhs = (const T*)p->rhs + k * n * m;
    T* out = (T*)p->out + k * n * m;
    for (int64_t i = 0; i < n; i++) {
      T* row = out + i * m;
      for (int64_t j = 0; j < m; j++) row[j] = main[i] * rhs[i * m + j];
      if (i > 0) N(subtract)(row, -below[i], rhs + (i - 1) * m, m);
      if (i + 1 < n) N(subtract)(row, -above[i], rhs + (i + 1) * m, m);
    }
  }
}

#undef T
#undef REAL
#undef EPSILON
#undef SMALLEST
#undef MAGNITUDE
