/* The loops of dilation for one element type, a template. It wants
 *   SUM_T   the type that sums wrap in: the unsigned type of an integer
 *   LOWEST  the least value
 *
 * Maxima keep the first of equal values; comparisons with NaN are false, as in TensorFlow. */

#define SUM TFC_VECTOR_OF(SUM_T)

static inline T N(dilation_sum)(const dilation_job* j, T x, T f) {
  const T sum = (T)((SUM_T)x + (SUM_T)f);
  if (!j->narrow) return sum;
  return (T)tfc_widen_one(j->narrow, tfc_narrow_one(j->narrow, (float)sum));
}

/* y: the greatest sums of the window at row h and column w. */
static void N(dilation_window)(const dilation_job* j, const T* x, int64_t h, int64_t w, T* y) {
  const int64_t channels = j->channels;
  const T* f = j->f;
  for (int64_t c = 0; c < channels; c++) y[c] = LOWEST;
  for (int64_t i = 0; i < j->h.filter; i++, h += j->h.dilation) {
    if (h < 0 || h >= j->h.in) continue;
    for (int64_t k = 0; k < j->w.filter; k++) {
      const int64_t column = w + k * j->w.dilation;
      if (column < 0 || column >= j->w.in) continue;
      const T *from = x + (h * j->w.in + column) * channels,
              *add = f + (i * j->w.filter + k) * channels;
      int64_t c = 0;
      for (; !j->narrow && c + LANES <= channels; c += LANES) {
        V sum = (V)((SUM)OF(load)(from + c) + (SUM)OF(load)(add + c));
        OF(store)(y + c, OF(max)(sum, OF(load)(y + c)));
      }
      for (; c < channels; c++) {
        const T sum = N(dilation_sum)(j, from[c], add[c]);
        if (sum > y[c]) y[c] = sum;
      }
    }
  }
}

/* Item: a row of windows. */
static void N(dilation_rows)(void* arg, int64_t begin, int64_t end) {
  const dilation_job* j = arg;
  for (int64_t i = begin; i < end; i++) {
    const T* x = (const T*)j->x + i / j->h.out * j->h.in * j->w.in * j->channels;
    T* y = (T*)j->y + i * j->w.out * j->channels;
    for (int64_t q = 0; q < j->w.out; q++)
      N(dilation_window)(j, x, i % j->h.out * j->h.stride - j->h.pad, q * j->w.stride - j->w.pad,
                         y + q * j->channels);
  }
}

/* Keeps the sums that are greater, and that they are of this pixel of the filter. */
static void N(dilation_compare)(const T* restrict x, const T* restrict f, int64_t n, int32_t pixel,
                                T* restrict best, int32_t* restrict at) {
  for (int64_t c = 0; c < n; c++) {
    const T sum = (T)((SUM_T)x[c] + (SUM_T)f[c]);
    const bool greater = sum > best[c];
    at[c] = greater ? pixel : at[c];
    best[c] = greater ? sum : best[c];
  }
}
static void N(dilation_compare_narrow)(const dilation_job* j, const T* x, const T* f, int64_t n,
                                       int32_t pixel, T* best, int32_t* at) {
  for (int64_t c = 0; c < n; c++) {
    const T sum = N(dilation_sum)(j, x[c], f[c]);
    if (sum > best[c]) best[c] = sum, at[c] = pixel;
  }
}

/* Where the greatest sums are: at[c] is the pixel of the filter, -1: there is none. */
static void N(dilation_find)(const dilation_job* j, const T* x, int64_t h, int64_t w, int64_t c0,
                             int64_t n, T* best, int32_t* at) {
  for (int64_t c = 0; c < n; c++) best[c] = LOWEST, at[c] = -1;
  for (int64_t i = 0; i < j->h.filter; i++, h += j->h.dilation) {
    if (h < 0 || h >= j->h.in) continue;
    for (int64_t k = 0; k < j->w.filter; k++) {
      const int64_t column = w + k * j->w.dilation, pixel = i * j->w.filter + k;
      if (column < 0 || column >= j->w.in) continue;
      const T *from = x + (h * j->w.in + column) * j->channels + c0,
              *add = (const T*)j->f + pixel * j->channels + c0;
      if (!j->narrow)
        N(dilation_compare)(from, add, n, (int32_t)pixel, best, at);
      else
        N(dilation_compare_narrow)(j, from, add, n, (int32_t)pixel, best, at);
    }
  }
}

/* Adds the gradients of a window to the pixels, of the image or of the filter, that it took. */
static void N(dilation_give)(const dilation_job* j, const T* grad, T* y, int64_t h, int64_t w,
                             int64_t c0, int64_t n, const int32_t* at) {
  /* As in TensorFlow, the first pixel gets it if nothing was greater than the least value. */
  const int64_t row = TFC_MIN(TFC_MAX(h, 0), j->h.in - 1);
  const int64_t column = TFC_MIN(TFC_MAX(w, 0), j->w.in - 1);
  const int64_t first = j->of_filter ? 0 : row * j->w.in + column;
  const int64_t window = j->of_filter ? 0 : h * j->w.in + w;
  for (int64_t c = 0; c < n; c++) {
    const int64_t pixel = at[c] < 0 ? first : window + j->offsets[at[c]];
    T* to = y + pixel * j->channels + c0 + c;
    *to = (T)((SUM_T)*to + (SUM_T)grad[c0 + c]);
  }
}

/* Item: BLOCK channels, of one image for the gradient of images. */
static void N(dilation_grad)(void* arg, int64_t begin, int64_t end) {
  const dilation_job* j = arg;
  const int64_t blocks = (j->channels + BLOCK - 1) / BLOCK, size = j->h.in * j->w.in * j->channels;
  T best[BLOCK];
  int32_t at[BLOCK];
  for (int64_t i = begin; i < end; i++) {
    const int64_t c0 = i % blocks * BLOCK, n = TFC_MIN(BLOCK, j->channels - c0);
    const int64_t first = i / blocks, last = j->of_filter ? j->batch : first + 1;
    for (int64_t image = first; image < last; image++)
      for (int64_t r = 0; r < j->h.out; r++)
        for (int64_t q = 0; q < j->w.out; q++) {
          const int64_t h = r * j->h.stride - j->h.pad, w = q * j->w.stride - j->w.pad;
          const int64_t window = ((image * j->h.out + r) * j->w.out + q) * j->channels;
          N(dilation_find)(j, (const T*)j->x + image * size, h, w, c0, n, best, at);
          N(dilation_give)(j, (const T*)j->grad + window,
                           (T*)j->y + (j->of_filter ? 0 : image * size), h, w, c0, n, at);
        }
  }
}

#undef SUM
#undef SUM_T
#undef LOWEST
#undef T
