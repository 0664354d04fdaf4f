/* A row of a projected image: a template. TO_FLOAT, FROM_FLOAT: conversions of elements. */

static inline void N(copy_pixel)(T* to, const void* from, int64_t n) {
  const T* p = from;
  for (int64_t k = 0; k < n; k++) to[k] = p[k];
}

/* The four pixels around a position, each with its share. */
static inline void N(mix_pixels)(const warp_run* r, T* to, const char* image, float y, float x,
                                 int64_t n) {
  const T *a, *b, *c, *d;
  float top, left;
  if (x >= 0 && y >= 0 && x < (float)(r->width - 1) && y < (float)(r->height - 1)) {
    const int64_t row = (int64_t)y, column = (int64_t)x;
    top = (float)row;
    left = (float)column;
    a = (const T*)image + (row * r->width + column) * n;
    b = a + n;
    c = a + r->width * n;
    d = c + n;
  } else {
    top = floor_of(y);
    left = floor_of(x);
    a = (const T*)pixel_at(r, image, top, left);
    b = (const T*)pixel_at(r, image, top, left + 1);
    c = (const T*)pixel_at(r, image, top + 1, left);
    d = (const T*)pixel_at(r, image, top + 1, left + 1);
  }
  const float bottom = top + 1, right = left + 1;
  const float shares[] = {right - x, x - left, bottom - y, y - top};
  for (int64_t k = 0; k < n; k++) {
    const float above = shares[0] * TO_FLOAT(a[k]) + shares[1] * TO_FLOAT(b[k]);
    const float below = shares[0] * TO_FLOAT(c[k]) + shares[1] * TO_FLOAT(d[k]);
    to[k] = FROM_FLOAT(shares[2] * above + shares[3] * below);
  }
}

static inline void N(nearest_pixel)(const warp_run* r, T* to, const char* image, float y, float x,
                                    int64_t n) {
  const int64_t row = nearest(y, r->height), column = nearest(x, r->width);
  const void* from =
      row < 0 || column < 0 ? (const T*)r->fill : (const T*)image + (row * r->width + column) * n;
  N(copy_pixel)(to, from, n);
}

static inline void N(warp_pixels)(const warp_run* r, int64_t i, source_positions* positions,
                                  int64_t n) {
  const int64_t batch = i / r->rows;
  const char* image = r->images + (size_t)(batch * r->height * r->width * n) * sizeof(T);
  T* to = (T*)r->out + i * r->columns * n;
  float t[8];
  memcpy(t, r->transforms + (r->one_transform ? 0 : 8 * batch), sizeof t);
  place_row(r, t, i % r->rows, positions);
  const float *x = positions->x, *y = positions->y, *projection = positions->projection;
  const bool bilinear = r->state->bilinear;
  for (int64_t column = 0; column < r->columns; column++, to += n)
    if (projection[column] == 0)
      N(copy_pixel)(to, r->fill, n);
    else if (bilinear)
      N(mix_pixels)(r, to, image, y[column], x[column], n);
    else
      N(nearest_pixel)(r, to, image, y[column], x[column], n);
}

static void N(warp_row)(const warp_run* r, int64_t i, source_positions* positions) {
  switch (r->depth) { /* constants, for the compiler */
    case 1: N(warp_pixels)(r, i, positions, 1); return;
    case 3: N(warp_pixels)(r, i, positions, 3); return;
    default: N(warp_pixels)(r, i, positions, r->depth); return;
  }
}

#undef T
#undef TO_FLOAT
#undef FROM_FLOAT
