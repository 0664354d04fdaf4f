/* The row loops of ctc_loss.c for one element type, a template. */

/* y becomes e^(x - m), m the greatest of x. Returns the sum. */
static inline T N(ctc_exp)(const T* x, T* y, int64_t n, T* m) {
  V most = OF(set1)(-(T)INFINITY), sums = OF(set1)(0);
  int64_t j = 0;
  for (; j + LANES <= n; j += LANES) most = OF(max)(most, OF(load)(x + j));
  *m = OF(max_across)(most);
  for (int64_t k = j; k < n; k++) *m = TFC_MAX(*m, x[k]);
  for (j = 0; j + LANES <= n; j += LANES) {
    V e = OF(exp)(OF(load)(x + j) - *m);
    sums += e;
    OF(store)(y + j, e);
  }
  if (j == n) return OF(sum)(sums);
  const int rest = (int)(n - j);
  V e = OF(exp)(OF(load_n)(x + j, rest) - *m);
  OF(store_n)(y + j, e, rest);
  T sum = OF(sum)(sums);
  for (; j < n; j++) sum += y[j];
  return sum;
}

/* y becomes softmax(x). Returns what to subtract from x for its logarithm. */
static double N(ctc_softmax)(const T* x, T* y, int64_t n) {
  T m, sum = N(ctc_exp)(x, y, n, &m);
  const T scale = 1 / sum;
  for (int64_t j = 0; j < n; j++) y[j] *= scale;
  return (double)m + log((double)sum);
}

/* Logarithms of the probabilities of labels. */
static void N(ctc_gather)(const T* x, double norm, const int32_t* labels, int64_t n, double* to) {
  for (int64_t i = 0; i < n; i++) {
    double log_probability = (double)x[labels[i]] - norm;
    to[i] = log_probability < NO_PATH ? NO_PATH : log_probability;
  }
}

/* Subtracts the probability that a path is at each label. */
static void N(ctc_subtract)(T* y, const int32_t* labels, int64_t begin, int64_t end,
                            const double* from) {
  for (int64_t i = begin; i < end; i++) y[labels[i]] -= (T)from[i];
}

#undef T
