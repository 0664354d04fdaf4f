/* The gradient of the image of CropAndResize, with sums of one type: a template. */

/* To four different pixels. */
static inline void N(add_to_corners)(T* restrict a, T* restrict b, T* restrict c, T* restrict d,
                                     const T* shares, const float* grad, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    const T g = grad[k];
    a[k] += shares[0] * g;
    b[k] += shares[1] * g;
    c[k] += shares[2] * g;
    d[k] += shares[3] * g;
  }
}

static inline void N(spread_pixel)(const crop_run* r, T* sums, crop_place y, crop_place x,
                                   const float* grad, int64_t n) {
  const int32_t rows[] = {y.below, y.above}, columns[] = {x.below, x.above};
  const T down = y.share, right = x.share;
  const T shares[] = {(1 - down) * (1 - right), (1 - down) * right, down * (1 - right),
                      down * right};
  T* to[4];
  for (int i = 0; i < 4; i++) to[i] = sums + (rows[i / 2] * r->width + columns[i % 2]) * n;
  if (rows[0] != rows[1] && columns[0] != columns[1]) {
    if (n == CHANNELS) /* a constant, for the compiler */
      N(add_to_corners)(to[0], to[1], to[2], to[3], shares, grad, CHANNELS);
    else
      N(add_to_corners)(to[0], to[1], to[2], to[3], shares, grad, n);
    return;
  }
  for (int i = 0; i < (r->state->nearest ? 1 : 4); i++)
    for (int64_t k = 0; k < n; k++) to[i][k] += shares[i] * grad[k];
}

/* `n` channels, from `first` on. */
static void N(spread_box)(const crop_run* r, int64_t box, crop_columns* c, T* sums, int64_t first,
                          int64_t n) {
  const float* grad = r->grads + box * r->rows * r->columns * r->depth + first;
  place_columns(r, box, c);
  for (int64_t i = 0; i < r->rows; i++) {
    crop_place y = row_at(r, box, i);
    for (int64_t j = 0; j < r->columns; j++, grad += r->depth) {
      crop_place x = c->places[j];
      for (int64_t k = 0; k < n; k += 64 / (int64_t)sizeof *grad)
        __builtin_prefetch(grad + AHEAD * r->depth + k);
      if (y.inside && x.inside) N(spread_pixel)(r, sums, y, x, grad, n);
    }
  }
}

static void N(store_sums)(const crop_run* r, const T* sums, int64_t at, int64_t n) {
  for (int64_t i = 0; i < r->height * r->width; i++, sums += n, at += r->depth)
    for (int64_t k = 0; k < n; k++)
      if (r->dtype == TFC_HALF)
        ((tfc_half*)r->out)[at + k] = tfc_float_to_half((float)sums[k]);
      else
        ((T*)r->out)[at + k] = sums[k];
}

/* Items are parts of the channels of images. */
static void N(spread_range)(void* arg, int64_t begin, int64_t end) {
  crop_run* r = arg;
  int64_t pixels = r->height * r->width, most = pixels * TFC_MIN(r->depth, CHANNELS);
  crop_columns c = {tfc_scratch(r->ctx, (size_t)r->columns * sizeof(crop_place)), -1, 0, 0};
  T* sums = tfc_scratch(r->ctx, (size_t)most * sizeof *sums);
  if (!c.places || !sums) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t item = begin; item < end; item++) {
    int64_t image = item / channel_parts(r), first = item % channel_parts(r) * CHANNELS;
    int64_t n = TFC_MIN(r->depth - first, CHANNELS);
    memset(sums, 0, (size_t)(pixels * n) * sizeof *sums);
    for (int64_t box = 0; box < r->count; box++)
      if (r->image_of[box] == image) N(spread_box)(r, box, &c, sums, first, n);
    N(store_sums)(r, sums, image * pixels * r->depth + first, n);
  }
}

#undef T
