/* Loops of the depthwise convolutions for one element type, a template. Channels are those of the
 * output: the input was repeated `multiplier` times, so that pixels, gradients and filter taps are
 * all vectors of one length.
 */

/* out = sum over pairs of a * b, for n channels. */
static void N(gather_pairs)(const depthwise_pair* pairs, int64_t count, const T* a, const T* b,
                            T* out, int64_t n) {
  int64_t c = 0;
  for (; c + 2 * LANES <= n; c += 2 * LANES) {
    V s0 = {0}, s1 = {0};
    for (int64_t i = 0; i < count; i++) {
      const T *p = a + pairs[i].a + c, *q = b + pairs[i].b + c;
      s0 += OF(load)(p) * OF(load)(q);
      s1 += OF(load)(p + LANES) * OF(load)(q + LANES);
    }
    OF(store)(out + c, s0);
    OF(store)(out + c + LANES, s1);
  }
  for (; c + LANES <= n; c += LANES) {
    V s = {0};
    for (int64_t i = 0; i < count; i++)
      s += OF(load)(a + pairs[i].a + c) * OF(load)(b + pairs[i].b + c);
    OF(store)(out + c, s);
  }
  for (; c < n; c++) {
    T s = 0;
    for (int64_t i = 0; i < count; i++) s += a[pairs[i].a + c] * b[pairs[i].b + c];
    out[c] = s;
  }
}

/* The same for columns whose pairs lie side by side, as one long row: `a` and `out` are those of
 * the first column, and `taps` has LANES + n values of each pair's tap, which repeat. */
static inline void N(gather_block)(const depthwise_pair* pairs, int64_t count, const T* a,
                                   const T* taps, T* out, int64_t at, int64_t n, int vectors) {
  V s[8] = {0};
  const T* tap[8];
  for (int v = 0; v < vectors; v++) tap[v] = taps + (at + v * LANES) % n;
  for (int64_t i = 0; i < count; i++)
    for (int v = 0; v < vectors; v++)
      s[v] += OF(load)(a + pairs[i].a + at + v * LANES) * OF(load)(tap[v] + i * (LANES + n));
  for (int v = 0; v < vectors; v++) OF(store)(out + at + v * LANES, s[v]);
}

/* The last block may overlap the one before. */
static void N(gather_columns)(const depthwise_pair* pairs, int64_t count, const T* a, const T* taps,
                              T* out, int64_t length, int64_t n) {
  enum { WIDE = 8 * LANES };
  if (length >= WIDE) {
    for (int64_t at = 0; at < length; at += WIDE)
      N(gather_block)(pairs, count, a, taps, out, TFC_MIN(at, length - WIDE), n, 8);
  } else {
    for (int64_t at = 0; at < length; at += LANES)
      N(gather_block)(pairs, count, a, taps, out, TFC_MIN(at, length - LANES), n, 1);
  }
}

static void N(repeat_taps)(const depthwise_pair* pairs, int64_t count, const T* filter, T* taps,
                           int64_t n) {
  for (int64_t i = 0; i < count; i++, taps += LANES + n) {
    memcpy(taps, filter + pairs[i].b, (size_t)n * sizeof(T));
    for (int64_t k = 0; k < LANES; k++) taps[n + k] = taps[k];
  }
}

/* sum += over count pixels of a * b, for n channels. */
static void N(add_pixels)(const T* a, int64_t a_step, const T* b, int64_t b_step, int64_t count,
                          T* sum, int64_t n) {
  int64_t c = 0;
  for (; c + LANES <= n; c += LANES) {
    V s0 = {0}, s1 = {0};
    int64_t i = 0;
    for (; i + 2 <= count; i += 2) {
      s0 += OF(load)(a + i * a_step + c) * OF(load)(b + i * b_step + c);
      s1 += OF(load)(a + (i + 1) * a_step + c) * OF(load)(b + (i + 1) * b_step + c);
    }
    if (i < count) s0 += OF(load)(a + i * a_step + c) * OF(load)(b + i * b_step + c);
    OF(store)(sum + c, OF(load)(sum + c) + (s0 + s1));
  }
  for (; c < n; c++) {
    T s = 0;
    for (int64_t i = 0; i < count; i++) s += a[i * a_step + c] * b[i * b_step + c];
    sum[c] += s;
  }
}

/* `columns` columns from the one of the pairs on. The memory of the pairs is followed by that of
 * their taps, which stay there for the next row. */
static void N(gather_inner)(const depthwise_job* j, const depthwise_pair* pairs, int64_t count,
                            const T* a, T* out, int64_t columns, depthwise_taps* at) {
  const int64_t n = j->channels, first = count ? pairs[0].b : 0;
  T* taps = (T*)(pairs + j->h.filter * j->w.filter);
  if (at->count != count || at->first != first) N(repeat_taps)(pairs, count, j->filter, taps, n);
  *at = (depthwise_taps){count, first};
  N(gather_columns)(pairs, count, a, taps, out, columns * n, n);
}

/* Items are (image, output row). */
static void N(forward_range)(void* arg, int64_t begin, int64_t end) {
  depthwise_job* j = arg;
  int64_t n = j->channels;
  depthwise_pair* pairs = tfc_areas_take(&j->areas);
  const depthwise_span inner = inner_columns(j, j->w.pad, j->w.in, j->w.out, LANES);
  depthwise_taps taps = {0};
  for (int64_t item = begin; item < end; item++) {
    const T* x = (const T*)j->x + item / j->h.out * j->h.in * j->w.in * n;
    T* out = (T*)j->out + item * j->w.out * n;
    for (int64_t q = 0; q < j->w.out; q++) {
      int64_t count = forward_pairs(j, item % j->h.out, q, pairs);
      if (q == inner.begin) {
        N(gather_inner)(j, pairs, count, x, out + q * n, inner.end - q, &taps);
        q = inner.end - 1;
      } else {
        N(gather_pairs)(pairs, count, x, j->filter, out + q * n, n);
      }
    }
  }
  tfc_areas_give(&j->areas, pairs);
}

/* Items are (image, input row). */
static void N(backward_range)(void* arg, int64_t begin, int64_t end) {
  depthwise_job* j = arg;
  int64_t n = j->channels;
  depthwise_pair* pairs = tfc_areas_take(&j->areas);
  const int64_t reach = (j->w.filter - 1) * j->w.dilation;
  const depthwise_span inner = inner_columns(j, reach - j->w.pad, j->w.out, j->w.in, LANES);
  depthwise_taps taps = {0};
  for (int64_t item = begin; item < end; item++) {
    const T* grad = (const T*)j->grad + item / j->h.in * j->h.out * j->w.out * n;
    T* out = (T*)j->out + item * j->w.in * n;
    for (int64_t q = 0; q < j->w.in; q++) {
      int64_t count = backward_pairs(j, item % j->h.in, q, pairs);
      if (q == inner.begin) {
        N(gather_inner)(j, pairs, count, grad, out + q * n, inner.end - q, &taps);
        q = inner.end - 1;
      } else {
        N(gather_pairs)(pairs, count, grad, j->filter, out + q * n, n);
      }
    }
  }
  tfc_areas_give(&j->areas, pairs);
}

/* Items are chunks of (image, output row). */
static void N(filter_range)(void* arg, int64_t begin, int64_t end) {
  const depthwise_job* j = arg;
  int64_t n = j->channels, taps = j->h.filter * j->w.filter, rows = j->images * j->h.out;
  for (int64_t chunk = begin; chunk < end; chunk++) {
    T* sums = (T*)j->sums + chunk * taps * n;
    memset(sums, 0, (size_t)(taps * n) * sizeof(T));
    for (int64_t r = rows * chunk / j->chunks; r < rows * (chunk + 1) / j->chunks; r++)
      for (int64_t tap = 0; tap < taps; tap++) {
        int64_t at = r % j->h.out * j->h.stride + tap / j->w.filter * j->h.dilation - j->h.pad;
        depthwise_span s = valid_columns(&j->w, tap % j->w.filter);
        if (at < 0 || at >= j->h.in || s.end <= s.begin) continue;
        const T* x = (const T*)j->x + ((r / j->h.out * j->h.in + at) * j->w.in + s.in) * n;
        const T* g = (const T*)j->grad + (r * j->w.out + s.begin) * n;
        N(add_pixels)(x, j->w.stride * n, g, n, s.end - s.begin, sums + tap * n, n);
      }
  }
}

static void N(filter_combine)(const depthwise_job* j) {
  int64_t size = j->h.filter * j->w.filter * j->channels;
  T* out = j->out;
  const T* sums = j->sums;
  for (int64_t i = 0; i < size; i++) {
    T s = sums[i];
    for (int64_t chunk = 1; chunk < j->chunks; chunk++) s += sums[chunk * size + i];
    out[i] = s;
  }
}

/* Repeats each value `multiplier` times, and sums as many: items are on the smaller side. */
static void N(repeat_range)(void* arg, int64_t begin, int64_t end) {
  const repeat_job* j = arg;
  T* to = (T*)j->to + begin * j->multiplier;
  for (int64_t i = begin; i < end; i++)
    for (int64_t m = 0; m < j->multiplier; m++) *to++ = ((const T*)j->from)[i];
}
static void N(unrepeat_range)(void* arg, int64_t begin, int64_t end) {
  const repeat_job* j = arg;
  const T* from = (const T*)j->from + begin * j->multiplier;
  for (int64_t i = begin; i < end; i++) {
    T s = 0;
    for (int64_t m = 0; m < j->multiplier; m++) s += *from++;
    ((T*)j->to)[i] = s;
  }
}

#undef T
