/* The row loops of softmax.c for one element type, a template.
 *
 * Rows of up to SHORT vectors are loaded once, with the last vector filled up by -infinity (neutral
 * for the maximum, and its exponential is 0), and stay in registers or on the stack. Longer ones
 * take three passes over memory that stays in cache. */

static inline V N(load_end)(const T* x, int n) {
  return OF(select)(OF(iota)() < n, OF(load_n)(x, n), OF(set1)(-(T)INFINITY));
}
static inline V N(load_at)(const T* x, int64_t j, int64_t cols) {
  int64_t left = cols - j;
  return left >= LANES ? OF(load)(x + j) : N(load_end)(x + j, (int)left);
}
static inline V N(load_labels_at)(const T* x, int64_t j, int64_t cols) {
  int64_t left = cols - j;
  return left >= LANES ? OF(load)(x + j) : OF(load_n)(x + j, (int)left);
}
static inline void N(store_at)(T* y, int64_t j, int64_t cols, V v) {
  int64_t left = cols - j;
  if (left >= LANES)
    OF(store)(y + j, v);
  else
    OF(store_n)(y + j, v, (int)left);
}

static inline T N(row_max)(const T* x, int64_t cols) {
  V m = OF(set1)(-(T)INFINITY);
  for (int64_t j = 0; j < cols; j += LANES) m = OF(max)(m, N(load_at)(x, j, cols));
  return OF(max_across)(m);
}
/* Sum of e^(x - m), stored to e unless that is NULL. */
static inline T N(row_exp)(const T* x, T m, T* e, int64_t cols) {
  V sum = OF(set1)(0);
  for (int64_t j = 0; j < cols; j += LANES) {
    V v = OF(exp)(N(load_at)(x, j, cols) - m);
    sum += v;
    if (e) N(store_at)(e, j, cols, v);
  }
  return OF(sum)(sum);
}
/* A short row: v becomes e^(x - m). Returns the sum. */
static inline T N(short_exp)(const T* x, int64_t cols, V v[SHORT], T* m) {
  V most = OF(set1)(-(T)INFINITY), sum = OF(set1)(0);
  int64_t j = 0;
  for (int k = 0; j < cols; j += LANES, k++) {
    v[k] = N(load_at)(x, j, cols);
    most = OF(max)(most, v[k]);
  }
  *m = OF(max_across)(most);
  j = 0;
  for (int k = 0; j < cols; j += LANES, k++) {
    v[k] = OF(exp)(v[k] - *m);
    sum += v[k];
  }
  return OF(sum)(sum);
}

static void N(softmax_rows)(void* arg, int64_t begin, int64_t end) {
  const rows* r = arg;
  int64_t cols = r->cols;
  for (int64_t i = begin; i < end; i++) {
    const T* x = (const T*)r->x + i * cols;
    T *y = (T*)r->y + i * cols, m;
    if (cols <= SHORT * LANES) {
      V e[SHORT];
      T scale = 1 / N(short_exp)(x, cols, e, &m);
      int64_t j = 0;
      for (int k = 0; j < cols; j += LANES, k++) N(store_at)(y, j, cols, e[k] * scale);
    } else {
      T scale = 1 / N(row_exp)(x, N(row_max)(x, cols), y, cols);
      _Pragma("GCC ivdep") for (int64_t j = 0; j < cols; j++) y[j] *= scale;
    }
  }
}

/* Logarithms of ROW_BLOCK sums, in place. */
static inline void N(logs)(T* sums) {
  for (int k = 0; k < ROW_BLOCK; k += LANES) OF(store)(sums + k, OF(log)(OF(load)(sums + k)));
}

static void N(log_softmax_rows)(void* arg, int64_t begin, int64_t end) {
  const rows* r = arg;
  int64_t cols = r->cols;
  T sums[ROW_BLOCK] = {0}, maxima[ROW_BLOCK];
  for (int64_t first = begin; first < end; first += ROW_BLOCK) {
    int n = (int)TFC_MIN(ROW_BLOCK, end - first);
    for (int k = 0; k < n; k++) {
      const T* x = (const T*)r->x + (first + k) * cols;
      maxima[k] = N(row_max)(x, cols);
      sums[k] = N(row_exp)(x, maxima[k], NULL, cols);
    }
    N(logs)(sums);
    for (int k = 0; k < n; k++) {
      const T* x = (const T*)r->x + (first + k) * cols;
      T* y = (T*)r->y + (first + k) * cols;
      for (int64_t j = 0; j < cols; j += LANES)
        N(store_at)(y, j, cols, (N(load_at)(x, j, cols) - maxima[k]) - sums[k]);
    }
  }
}

/* One row: backprop y = softmax - labels. Returns the sum of exponentials; *mass is the sum of the
 * labels and *rest that of label * (max - x): loss = log(sum) * mass + rest. A label of 0
 * contributes nothing, even if x is infinite. y may be x, not labels. */
static inline T N(cross_entropy_row)(const T* x, const T* labels, T* y, int64_t cols, T* mass,
                                     T* rest) {
  const V zero = OF(set1)(0);
  V masses = zero, rests = zero, e[SHORT];
  T m, sum = 0;
  bool is_short = cols <= SHORT * LANES;
  if (is_short)
    sum = N(short_exp)(x, cols, e, &m);
  else
    m = N(row_max)(x, cols);
  for (int64_t j = 0; j < cols; j += LANES) {
    V label = N(load_labels_at)(labels, j, cols);
    masses += label;
    rests += OF(select)(label == zero, zero, label * (m - N(load_at)(x, j, cols)));
  }
  *mass = OF(sum)(masses);
  *rest = OF(sum)(rests);
  if (!is_short) {
    sum = N(row_exp)(x, m, y, cols);
    T scale = 1 / sum;
    _Pragma("GCC ivdep") for (int64_t j = 0; j < cols; j++) y[j] = y[j] * scale - labels[j];
    return sum;
  }
  T scale = 1 / sum;
  int64_t j = 0;
  for (int k = 0; j < cols; j += LANES, k++)
    N(store_at)(y, j, cols, e[k] * scale - N(load_labels_at)(labels, j, cols));
  return sum;
}

static void N(cross_entropy_rows)(void* arg, int64_t begin, int64_t end) {
  const rows* r = arg;
  int64_t cols = r->cols;
  T sums[ROW_BLOCK] = {0}, masses[ROW_BLOCK], rests[ROW_BLOCK];
  for (int64_t first = begin; first < end; first += ROW_BLOCK) {
    int n = (int)TFC_MIN(ROW_BLOCK, end - first);
    for (int k = 0; k < n; k++) {
      int64_t at = (first + k) * cols;
      sums[k] = N(cross_entropy_row)((const T*)r->x + at, (const T*)r->labels + at, (T*)r->y + at,
                                     cols, &masses[k], &rests[k]);
    }
    N(logs)(sums);
    for (int k = 0; k < n; k++) ((T*)r->loss)[first + k] = sums[k] * masses[k] + rests[k];
  }
}

/* Like cross_entropy_row for one class number; *rest is max - x[label]. */
static inline T N(sparse_row)(const T* x, int64_t label, T* y, int64_t cols, T* rest) {
  V e[SHORT];
  T m, sum = 0;
  if (cols > SHORT * LANES) {
    m = N(row_max)(x, cols);
    *rest = m - x[label]; /* before y, which may be x, is written */
    sum = N(row_exp)(x, m, y, cols);
    T scale = 1 / sum;
    _Pragma("GCC ivdep") for (int64_t j = 0; j < cols; j++) y[j] *= scale;
    y[label] -= 1;
    return sum;
  }
  sum = N(short_exp)(x, cols, e, &m);
  *rest = m - x[label];
  T scale = 1 / sum;
  int64_t j = 0;
  for (int k = 0; j < cols; j += LANES, k++) {
    /* Finds the label's lane by comparison: writing y[label] after a vector store would stall. */
    V one = OF(select)(OF(iota)() == (int)(label - j), OF(set1)(1), OF(set1)(0));
    N(store_at)(y, j, cols, e[k] * scale - one);
  }
  return sum;
}

static void N(sparse_rows)(void* arg, int64_t begin, int64_t end) {
  const rows* r = arg;
  int64_t cols = r->cols;
  T sums[ROW_BLOCK] = {0}, rests[ROW_BLOCK];
  for (int64_t first = begin; first < end; first += ROW_BLOCK) {
    int n = (int)TFC_MIN(ROW_BLOCK, end - first);
    for (int k = 0; k < n; k++)
      sums[k] = N(sparse_row)((const T*)r->x + (first + k) * cols, r->indices[first + k],
                              (T*)r->y + (first + k) * cols, cols, &rests[k]);
    N(logs)(sums);
    for (int k = 0; k < n; k++) ((T*)r->loss)[first + k] = sums[k] + rests[k];
  }
}

#undef T
