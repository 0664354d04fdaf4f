/* Loops of the pools for one element type, a template. It wants
 *   SUM_T      the type that sums wrap in: the unsigned type of an integer
 *   LOWEST     the least value
 *   FLOATING   if there is an average
 *   POOL_DEEP  if windows reach over planes of volumes
 *
 * A vector of channels stays in registers during the loop over its window. Maxima keep the
 * first of equal values; comparisons with NaN are false, as in TensorFlow.
 */

#define SUM TFC_VECTOR_OF(SUM_T)

/* First pixel of an output plane, and of the image or volume that it belongs to. */
#define IMAGE(P, D) ((P) + image * (D).h * (D).w * (D).c)
#ifdef POOL_DEEP
#define SOURCE(P, D) ((P) + image / j->d.out * j->d.in * (D).h * (D).w * (D).c)
#define PLANES() pool_span_of(&j->d, image % j->d.out)
#else
#define SOURCE(P, D) IMAGE(P, D)
#define PLANES() ((pool_span){0, 1})
#endif

/* Loops over the rows of a window: H is the row's number within the image or volume. */
#define FOR_ROWS(H)                                       \
  for (int64_t plane = sd.begin; plane < sd.end; plane++) \
    for (int64_t H = plane * j->in.h + sh.begin, H##_end = H - sh.begin + sh.end; H < H##_end; H++)

static void N(pool_max)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                        int64_t c1) {
  const T* x = SOURCE((const T*)j->x, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  T* y = IMAGE((T*)j->y, j->out) + r0 * j->out.w * channels;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, y += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      int64_t c = c0;
      for (; c + LANES <= c1; c += LANES) {
        V m = OF(set1)(LOWEST);
        FOR_ROWS(h)
        for (const T *p = x + h * pitch + sw.begin * channels + c,
                     *e = p + (sw.end - sw.begin) * channels;
             p < e; p += channels) {
          m = OF(max)(OF(load)(p), m);
        }
        OF(store)(y + c, m);
      }
      for (; c < c1; c++) {
        T m = LOWEST;
        FOR_ROWS(h)
        for (int64_t w = sw.begin; w < sw.end; w++) {
          T v = x[h * pitch + w * channels + c];
          m = v > m ? v : m;
        }
        y[c] = m;
      }
    }
  }
}

/* The position of the maximum of one channel of a window. */
static inline int64_t N(pool_find)(const pool_job* j, const T* x, pool_span sd, pool_span sh,
                                   pool_span sw) {
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  int64_t best = (sd.begin * j->in.h + sh.begin) * pitch + sw.begin * channels;
  T m = x[best];
  FOR_ROWS(h)
  for (int64_t w = sw.begin; w < sw.end; w++) {
    T v = x[h * pitch + w * channels];
    if (v > m) {
      m = v;
      best = h * pitch + w * channels;
    }
  }
  return best;
}

#ifndef POOL_DEEP
/* The same for a vector of channels: the number of the pixel within the window, and its value. */
static inline M N(pool_find_vec)(const pool_job* j, const T* x, pool_span sd, pool_span sh,
                                 pool_span sw, V* max) {
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  V m = OF(load)(x + sh.begin * pitch + sw.begin * channels);
  M best = {0}, tap = {0};
  FOR_ROWS(h) {
    const T* p = x + h * pitch + sw.begin * channels;
    for (int64_t w = sw.begin; w < sw.end; w++, p += channels) {
      V v = OF(load)(p);
      M better = v > m;
      m = OF(max)(v, m);
      best = (tap & better) | (best & ~better);
      tap += 1;
    }
  }
  *max = m;
  return best;
}

static void N(pool_max_grad)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                             int64_t c1) {
  const T* x = SOURCE((const T*)j->x, j->in);
  T* y = SOURCE((T*)j->y, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  const T* g = IMAGE((const T*)j->grad, j->out) + r0 * j->out.w * channels;
  bool vectors = j->h.filter * j->w.filter < 127; /* the pixel's number fits into any type */
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, g += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      if (sh.begin >= sh.end || sw.begin >= sw.end) continue;
      int64_t c = c0;
      for (; vectors && c + LANES <= c1; c += LANES) {
        V max;
        M best = N(pool_find_vec)(j, x + c, sd, sh, sw, &max), tap = {0};
        M gv = (M)OF(load)(g + c);
        if (j->relu) gv &= max > 0;
        FOR_ROWS(h) {
          T* p = y + h * pitch + sw.begin * channels + c;
          for (int64_t w = sw.begin; w < sw.end; w++, p += channels) {
            SUM v = (SUM)(gv & (best == tap));
            if (j->add) v += (SUM)OF(load)(p);
            OF(store)(p, (V)v);
            tap += 1;
          }
        }
      }
      for (; c < c1; c++) {
        int64_t at = N(pool_find)(j, x + c, sd, sh, sw);
        SUM_T v = j->relu && !(x[at + c] > 0) ? 0 : (SUM_T)g[c];
        y[at + c] = (T)(j->add ? (SUM_T)y[at + c] + v : v);
      }
    }
  }
}

#else
/* All values close to the maximum get the gradient, as in TensorFlow. */
static void N(pool_max_grad)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                             int64_t c1) {
  const T close = (T)1e-5;
  const T* x = SOURCE((const T*)j->x, j->in);
  T* y = SOURCE((T*)j->y, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  const T* g = IMAGE((const T*)j->grad, j->out) + r0 * j->out.w * channels;
  const T* max = IMAGE((const T*)j->max, j->out) + r0 * j->out.w * channels;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, g += channels, max += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      FOR_ROWS(h)
      for (int64_t w = sw.begin; w < sw.end; w++) {
        int64_t at = h * pitch + w * channels, c = c0;
        for (; c + LANES <= c1; c += LANES) {
          V gap = OF(load)(x + at + c) - OF(load)(max + c);
          V v = (V)((M)OF(load)(g + c) & (gap < close) & (-gap < close));
          if (j->add) v += OF(load)(y + at + c);
          OF(store)(y + at + c, v);
        }
        for (; c < c1; c++) {
          T gap = x[at + c] - max[c], v = gap < close && -gap < close ? g[c] : 0;
          y[at + c] = (j->add ? y[at + c] : 0) + v;
        }
      }
    }
  }
}
#endif

static void N(pool_max_grad_grad)(const pool_job* j, int64_t image, int64_t r0, int64_t r1,
                                  int64_t c0, int64_t c1) {
  const T *x = SOURCE((const T*)j->x, j->in), *g = SOURCE((const T*)j->grad, j->in);
  int64_t channels = j->in.c;
  pool_span sd = PLANES();
  T* y = IMAGE((T*)j->y, j->out) + r0 * j->out.w * channels;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, y += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      bool empty = sd.begin >= sd.end || sh.begin >= sh.end || sw.begin >= sw.end;
      for (int64_t c = c0; c < c1; c++)
        y[c] = empty ? (T)0 : g[c + N(pool_find)(j, x + c, sd, sh, sw)];
    }
  }
}

#ifndef POOL_DEEP
static void N(pool_max_arg)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                            int64_t c1) {
  const T* x = SOURCE((const T*)j->x, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  T* y = IMAGE((T*)j->y, j->out) + r0 * j->out.w * channels;
  int64_t* arg = IMAGE((int64_t*)j->arg, j->out) + r0 * j->out.w * channels;
  int64_t base = j->batch_in_index ? image * j->in.h * pitch : 0;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, y += channels, arg += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      bool empty = sd.begin >= sd.end || sh.begin >= sh.end || sw.begin >= sw.end;
      for (int64_t c = c0; c < c1; c++) {
        int64_t at = empty ? 0 : c + N(pool_find)(j, x + c, sd, sh, sw);
        y[c] = empty ? (T)LOWEST : x[at];
        arg[c] = base + at;
      }
    }
  }
}

/* Indices were checked. */
static void N(pool_max_arg_grad)(const pool_job* j, int64_t image, int64_t r0, int64_t r1,
                                 int64_t c0, int64_t c1) {
  T* y = (T*)j->y + (j->batch_in_index ? 0 : image * j->in.h * j->in.w * j->in.c);
  const T* g = IMAGE((const T*)j->grad, j->out);
  const int64_t* arg = IMAGE((const int64_t*)j->arg, j->out);
  (void)c0, (void)c1;
  int64_t n = j->out.w * j->out.c;
  for (int64_t i = r0 * n; i < r1 * n; i++) y[arg[i]] = (T)((SUM_T)y[arg[i]] + (SUM_T)g[i]);
}
#endif

#ifdef FLOATING
static void N(pool_avg)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                        int64_t c1) {
  const T* x = SOURCE((const T*)j->x, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  T* y = IMAGE((T*)j->y, j->out) + r0 * j->out.w * channels;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, y += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      T count = (T)((sd.end - sd.begin) * (sh.end - sh.begin) * (sw.end - sw.begin));
      int64_t c = c0;
      for (; c + LANES <= c1; c += LANES) {
        V sum = {0};
        FOR_ROWS(h)
        for (int64_t w = sw.begin; w < sw.end; w++)
          sum += OF(load)(x + h * pitch + w * channels + c);
        OF(store)(y + c, sum / count);
      }
      for (; c < c1; c++) {
        T sum = 0;
        FOR_ROWS(h)
        for (int64_t w = sw.begin; w < sw.end; w++) sum += x[h * pitch + w * channels + c];
        y[c] = sum / count;
      }
    }
  }
}

static void N(pool_avg_grad)(const pool_job* j, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                             int64_t c1) {
  T* y = SOURCE((T*)j->y, j->in);
  int64_t channels = j->in.c, pitch = j->in.w * channels;
  pool_span sd = PLANES();
  const T* g = IMAGE((const T*)j->grad, j->out) + r0 * j->out.w * channels;
  for (int64_t r = r0; r < r1; r++) {
    pool_span sh = pool_span_of(&j->h, r);
    for (int64_t q = 0; q < j->out.w; q++, g += channels) {
      pool_span sw = pool_span_of(&j->w, q);
      T count = (T)((sd.end - sd.begin) * (sh.end - sh.begin) * (sw.end - sw.begin));
      FOR_ROWS(h)
      for (int64_t w = sw.begin; w < sw.end; w++) {
        T* p = y + h * pitch + w * channels;
        int64_t c = c0;
        for (; c + LANES <= c1; c += LANES) {
          V v = OF(load)(g + c) / count;
          if (j->add) v += OF(load)(p + c);
          OF(store)(p + c, v);
        }
        for (; c < c1; c++) p[c] = (j->add ? p[c] : (T)0) + g[c] / count;
      }
    }
  }
}
#endif

static const pool_loops N(pool_loops) = {
    .max = N(pool_max),
    .max_grad = N(pool_max_grad),
    .max_grad_grad = N(pool_max_grad_grad),
#ifndef POOL_DEEP
    .max_arg = N(pool_max_arg),
    .max_arg_grad = N(pool_max_arg_grad),
#endif
#ifdef FLOATING
    .avg = N(pool_avg),
    .avg_grad = N(pool_avg_grad),
#endif
};

#undef T
#undef SUM_T
#undef LOWEST
#undef FLOATING
#undef SUM
#undef IMAGE
#undef SOURCE
#undef PLANES
#undef FOR_ROWS
