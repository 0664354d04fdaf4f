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

/* Items are (image, output row). */
static void N(forward_range)(void* arg, int64_t begin, int64_t end) {
  depthwise_job* j = arg;
  int64_t n = j->channels;
  depthwise_pair* pairs = tfc_areas_take(&j->areas);
  for (int64_t item = begin; item < end; item++) {
    const T* x = (const T*)j->x + item / j->h.out * j->h.in * j->w.in * n;
    T* out = (T*)j->out + item * j->w.out * n;
    for (int64_t q = 0; q < j->w.out; q++) {
      int64_t count = forward_pairs(j, item % j->h.out, q, pairs);
      N(gather_pairs)(pairs, count, x, j->filter, out + q * n, n);
    }
  }
  tfc_areas_give(&j->areas, pairs);
}

/* Items are (image, input row). */
static void N(backward_range)(void* arg, int64_t begin, int64_t end) {
  depthwise_job* j = arg;
  int64_t n = j->channels;
  depthwise_pair* pairs = tfc_areas_take(&j->areas);
  for (int64_t item = begin; item < end; item++) {
    const T* grad = (const T*)j->grad + item / j->h.in * j->h.out * j->w.out * n;
    T* out = (T*)j->out + item * j->w.in * n;
    for (int64_t q = 0; q < j->w.in; q++) {
      int64_t count = backward_pairs(j, item % j->h.in, q, pairs);
      N(gather_pairs)(pairs, count, grad, j->filter, out + q * n, n);
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
