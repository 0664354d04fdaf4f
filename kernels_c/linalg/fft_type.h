/* Transforms of lines whose length has only small prime factors, by Stockham's algorithm: each pass
 * joins `radix` transforms of the length that is left, and the result comes in order. Real and
 * imaginary parts stand apart, and several lines beside each other, so that the innermost loops are
 * long and the compiler makes vectors of them.
 *
 * A template (common/template.h): T is float or double. The including file defines fft_job and
 * real_job. */

/* exp(-2 pi i k / n) for k < n. */
static void N(fill_roots)(int64_t n, T* re, T* im) {
  /* Angles up to an eighth of a turn where possible, then mirrored: fast, and exact at quarters. */
  const int64_t eighth = n % 8 == 0 ? n / 8 : n % 4 == 0 ? n / 4 : n / 2;
  for (int64_t k = 0; k <= eighth; k++) {
    const double turn = -2 * M_PI * (double)k / (double)n;
    re[k] = (T)cos(turn);
    im[k] = (T)sin(turn);
  }
  if (n % 8 == 0)
    for (int64_t k = n / 8 + 1; k <= n / 4; k++) {
      re[k] = -im[n / 4 - k];
      im[k] = -re[n / 4 - k];
    }
  if (n % 4 == 0) {
    re[n / 4] = 0;
    im[n / 4] = -1;
    for (int64_t k = n / 4 + 1; k <= n / 2; k++) {
      re[k] = im[k - n / 4];
      im[k] = -re[k - n / 4];
    }
  }
  for (int64_t k = n / 2 + 1; k < n; k++) {
    re[k] = re[n - k];
    im[k] = -im[n - k];
  }
}

typedef struct N(fft_plan) {
  int64_t n;
  int radices[64], passes;
  T *re, *im; /* the n-th roots */
} N(fft_plan);

/* Tables in scratch memory. */
static int N(plan_length)(tfc_context* ctx, int64_t n, N(fft_plan) * p) {
  p->n = n;
  p->passes = 0;
  for (int64_t left = n, radix = 4; left > 1; radix = radix == 4 ? 2 : radix == 2 ? 3 : radix + 2)
    for (; left % radix == 0; left /= radix) p->radices[p->passes++] = (int)radix;
  p->re = tfc_scratch_items(ctx, 2 * (n + 1), sizeof(T));
  if (!p->re) return TFC_RESOURCE_EXHAUSTED;
  p->im = p->re + n + 1;
  N(fill_roots)(n, p->re, p->im);
  return TFC_OK;
}

/* One pass. Element i of m * radix ones is `stride` numbers, beginning at x[i * stride]. */
typedef struct N(fft_pass) {
  const N(fft_plan) * plan;
  const T *xr, *xi;
  T *yr, *yi;
  int64_t m, stride, step; /* roots of the length that is left are `step` apart */
} N(fft_pass);

/* Input K of group p is xrK and xiK, output K is yrK and yiK, and is multiplied by wrK + i wiK. */
#define IN(K)                                       \
  const T* xr##K = f->xr + stride * (p + K * f->m); \
  const T* xi##K = f->xi + stride * (p + K * f->m)
#define OUT(K, RADIX)                          \
  T* yr##K = f->yr + stride * (RADIX * p + K); \
  T* yi##K = f->yi + stride * (RADIX * p + K); \
  const T wr##K = f->plan->re[K * p * f->step], wi##K = f->plan->im[K * p * f->step]
#define PUT(K, RE, IM)                  \
  do {                                  \
    const T re = RE, im = IM;           \
    yr##K[i] = re * wr##K - im * wi##K; \
    yi##K[i] = re * wi##K + im * wr##K; \
  } while (0)

/* A loop over the numbers of an element. What a pass writes is never what it reads. */
#define BESIDE(I) _Pragma("GCC ivdep") for (int64_t I = 0; I < stride; I++)

static void N(pass_2)(const N(fft_pass) * f) {
  const int64_t stride = f->stride;
  for (int64_t p = 0; p < f->m; p++) {
    IN(0);
    IN(1);
    OUT(0, 2);
    OUT(1, 2);
    BESIDE(i) {
      PUT(0, xr0[i] + xr1[i], xi0[i] + xi1[i]);
      PUT(1, xr0[i] - xr1[i], xi0[i] - xi1[i]);
    }
  }
}

static void N(pass_3)(const N(fft_pass) * f) {
  const T sine = (T)0.86602540378443864676;
  const int64_t stride = f->stride;
  for (int64_t p = 0; p < f->m; p++) {
    IN(0);
    IN(1);
    IN(2);
    OUT(0, 3);
    OUT(1, 3);
    OUT(2, 3);
    BESIDE(i) {
      const T sum_r = xr1[i] + xr2[i], sum_i = xi1[i] + xi2[i];
      const T mid_r = xr0[i] - sum_r / 2, mid_i = xi0[i] - sum_i / 2;
      const T turned_r = sine * (xi1[i] - xi2[i]), turned_i = sine * (xr2[i] - xr1[i]);
      PUT(0, xr0[i] + sum_r, xi0[i] + sum_i);
      PUT(1, mid_r + turned_r, mid_i + turned_i);
      PUT(2, mid_r - turned_r, mid_i - turned_i);
    }
  }
}

static void N(pass_4)(const N(fft_pass) * f) {
  const int64_t stride = f->stride;
  for (int64_t p = 0; p < f->m; p++) {
    IN(0);
    IN(1);
    IN(2);
    IN(3);
    OUT(0, 4);
    OUT(1, 4);
    OUT(2, 4);
    OUT(3, 4);
    BESIDE(i) {
      const T even_r = xr0[i] + xr2[i], even_i = xi0[i] + xi2[i];
      const T apart_r = xr0[i] - xr2[i], apart_i = xi0[i] - xi2[i];
      const T odd_r = xr1[i] + xr3[i], odd_i = xi1[i] + xi3[i];
      const T turned_r = xi1[i] - xi3[i], turned_i = xr3[i] - xr1[i];
      PUT(0, even_r + odd_r, even_i + odd_i);
      PUT(1, apart_r + turned_r, apart_i + turned_i);
      PUT(2, even_r - odd_r, even_i - odd_i);
      PUT(3, apart_r - turned_r, apart_i - turned_i);
    }
  }
}

static void N(pass_5)(const N(fft_pass) * f) {
  const T c1 = (T)0.30901699437494742410, c2 = (T)-0.80901699437494742410;
  const T s1 = (T)0.95105651629515357212, s2 = (T)0.58778525229247312917;
  const int64_t stride = f->stride;
  for (int64_t p = 0; p < f->m; p++) {
    IN(0);
    IN(1);
    IN(2);
    IN(3);
    IN(4);
    OUT(0, 5);
    OUT(1, 5);
    OUT(2, 5);
    OUT(3, 5);
    OUT(4, 5);
    BESIDE(i) {
      const T sum1_r = xr1[i] + xr4[i], sum1_i = xi1[i] + xi4[i];
      const T sum2_r = xr2[i] + xr3[i], sum2_i = xi2[i] + xi3[i];
      const T apart1_r = xi1[i] - xi4[i], apart1_i = xr4[i] - xr1[i]; /* turned by a quarter */
      const T apart2_r = xi2[i] - xi3[i], apart2_i = xr3[i] - xr2[i];
      const T mid1_r = xr0[i] + c1 * sum1_r + c2 * sum2_r;
      const T mid1_i = xi0[i] + c1 * sum1_i + c2 * sum2_i;
      const T mid2_r = xr0[i] + c2 * sum1_r + c1 * sum2_r;
      const T mid2_i = xi0[i] + c2 * sum1_i + c1 * sum2_i;
      const T turned1_r = s1 * apart1_r + s2 * apart2_r, turned1_i = s1 * apart1_i + s2 * apart2_i;
      const T turned2_r = s2 * apart1_r - s1 * apart2_r, turned2_i = s2 * apart1_i - s1 * apart2_i;
      PUT(0, xr0[i] + sum1_r + sum2_r, xi0[i] + sum1_i + sum2_i);
      PUT(1, mid1_r + turned1_r, mid1_i + turned1_i);
      PUT(2, mid2_r + turned2_r, mid2_i + turned2_i);
      PUT(3, mid2_r - turned2_r, mid2_i - turned2_i);
      PUT(4, mid1_r - turned1_r, mid1_i - turned1_i);
    }
  }
}

/* Any radix, by its definition. */
static void N(pass_any)(const N(fft_pass) * f, int radix) {
  const int64_t n = f->plan->n, stride = f->stride;
  for (int64_t p = 0; p < f->m; p++)
    for (int k = 0; k < radix; k++) {
      T* restrict yr = f->yr + stride * (radix * p + k), * restrict yi =
                                                             f->yi + stride * (radix * p + k);
      memset(yr, 0, (size_t)stride * sizeof(T));
      memset(yi, 0, (size_t)stride * sizeof(T));
      for (int j = 0; j < radix; j++) {
        const T* restrict xr = f->xr + stride * (p + j * f->m);
        const T* restrict xi = f->xi + stride * (p + j * f->m);
        const int64_t root = (j * k % radix * (n / radix) + k * p * f->step) % n;
        const T wr = f->plan->re[root], wi = f->plan->im[root];
        for (int64_t i = 0; i < stride; i++) {
          yr[i] += xr[i] * wr - xi[i] * wi;
          yi[i] += xr[i] * wi + xi[i] * wr;
        }
      }
    }
}

/* Transforms `lines` lines: element i of line l is in `*re` and `*im` at i * lines + l. The result
 * replaces it; the other two arrays are as long, and may become the result's. */
static void N(transform)(const N(fft_plan) * plan, int64_t lines, T** re, T** im, T** other_re,
                         T** other_im) {
  int64_t left = plan->n;
  N(fft_pass) f = {.plan = plan, .step = 1};
  for (int pass = 0; pass < plan->passes; pass++) {
    const int radix = plan->radices[pass];
    f.xr = *re, f.xi = *im, f.yr = *other_re, f.yi = *other_im;
    f.m = left / radix;
    f.stride = f.step * lines;
    switch (radix) {
      case 2: N(pass_2)(&f); break;
      case 3: N(pass_3)(&f); break;
      case 4: N(pass_4)(&f); break;
      case 5: N(pass_5)(&f); break;
      default: N(pass_any)(&f, radix);
    }
    *other_re = *re, *other_im = *im;
    *re = f.yr, *im = f.yi;
    left = f.m;
    f.step *= radix;
  }
}

/* Between the lines of a task in a tensor, which are complex numbers, and the arrays of a
 * transform. In tiles: lines and arrays are far apart in different directions. */
static void N(load_lines)(const fft_job* job, int64_t n, int64_t first, int64_t lines, T* re,
                          T* im) {
  const T sign = job->inverse ? -1 : 1;
  for (int64_t begin = 0; begin < n; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      const T* x = (const T*)job->x + 2 * first_element(job, n, first + l);
      for (int64_t i = begin; i < TFC_MIN(begin + TILE, n); i++) {
        re[i * lines + l] = x[2 * i * job->stride];
        im[i * lines + l] = x[2 * i * job->stride + 1] * sign;
      }
    }
}

static void N(store_lines)(const fft_job* job, int64_t n, int64_t first, int64_t lines, const T* re,
                           const T* im) {
  const T scale = job->inverse ? 1 / (T)n : 1, scale_im = job->inverse ? -scale : scale;
  for (int64_t begin = 0; begin < n; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      T* y = (T*)job->y + 2 * first_element(job, n, first + l);
      for (int64_t i = begin; i < TFC_MIN(begin + TILE, n); i++) {
        y[2 * i * job->stride] = re[i * lines + l] * scale;
        y[2 * i * job->stride + 1] = im[i * lines + l] * scale_im;
      }
    }
}

static void N(smooth_lines)(void* arg, int64_t begin, int64_t end) {
  fft_job* job = arg;
  const N(fft_plan)* plan = job->plan;
  const int64_t n = plan->n, most = job->lines_per_task;
  /* Arrays that are a multiple of 4096 bytes apart would push each other out of the cache. */
  const int64_t size = n * most + 5 * 64 / (int64_t)sizeof(T);
  T* memory = malloc((size_t)(4 * size) * sizeof(T));
  if (!memory) {
    __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
    return;
  }
  T *re = memory, *im = re + size, *re2 = im + size, *im2 = re2 + size;
  for (int64_t task = begin; task < end; task++) {
    const int64_t first = task * most, lines = TFC_MIN(most, job->n_lines - first);
    N(load_lines)(job, n, first, lines, re, im);
    N(transform)(plan, lines, &re, &im, &re2, &im2);
    N(store_lines)(job, n, first, lines, re, im);
  }
  free(memory);
}

/* ---- Real values: n of them are n / 2 complex numbers, z[i] = x[2 i] + i x[2 i + 1]. With the
 * transforms e and o of the values at even and at odd places, that of z is e + i o, and that of x
 * is e + w^k o, where w is the n-th root. */

static void N(load_values)(const real_job* job, int64_t first, int64_t lines, T* re, T* im) {
  const int64_t m = job->n / 2;
  for (int64_t begin = 0; begin < m; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      const T* x = (const T*)job->x + source_line(job, first + l) * job->row;
      for (int64_t i = begin; i < TFC_MIN(begin + TILE, m); i++) {
        re[i * lines + l] = x[2 * i];
        im[i * lines + l] = x[2 * i + 1];
      }
    }
}

static void N(store_spectrum)(const real_job* job, int64_t first, int64_t lines, const T* re,
                              const T* im) {
  const int64_t m = job->n / 2;
  const T *wr = job->roots, *wi = wr + job->n + 1;
  for (int64_t begin = 0; begin <= m; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      T* y = (T*)job->y + 2 * (m + 1) * (first + l);
      for (int64_t k = begin; k < TFC_MIN(begin + TILE, m + 1); k++) {
        const int64_t a = (k == m ? 0 : k) * lines + l, b = (k == 0 ? 0 : m - k) * lines + l;
        const T even_r = (re[a] + re[b]) / 2, even_i = (im[a] - im[b]) / 2;
        const T odd_r = (im[a] + im[b]) / 2, odd_i = (re[b] - re[a]) / 2;
        y[2 * k] = even_r + wr[k] * odd_r - wi[k] * odd_i;
        y[2 * k + 1] = even_i + wr[k] * odd_i + wi[k] * odd_r;
      }
    }
}

/* The conjugates of e + i o, so that a transform is the inverse one. */
static void N(load_spectrum)(const real_job* job, int64_t first, int64_t lines, T* re, T* im) {
  const int64_t m = job->n / 2;
  const T *wr = job->roots, *wi = wr + job->n + 1;
  for (int64_t begin = 0; begin < m; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      const T* x = (const T*)job->x + 2 * source_line(job, first + l) * job->row;
      for (int64_t k = begin; k < TFC_MIN(begin + TILE, m); k++) {
        const T ar = x[2 * k], br = x[2 * (m - k)];
        const T ai = k ? x[2 * k + 1] : 0, bi = k ? x[2 * (m - k) + 1] : 0;
        const T even_r = (ar + br) / 2, even_i = (ai - bi) / 2;
        const T apart_r = (ar - br) / 2, apart_i = (ai + bi) / 2;
        const T odd_r = apart_r * wr[k] + apart_i * wi[k];
        const T odd_i = apart_i * wr[k] - apart_r * wi[k];
        re[k * lines + l] = even_r - odd_i;
        im[k * lines + l] = -(even_i + odd_r);
      }
    }
}

static void N(store_values)(const real_job* job, int64_t first, int64_t lines, const T* re,
                            const T* im) {
  const int64_t m = job->n / 2;
  const T scale = 1 / (T)m;
  for (int64_t begin = 0; begin < m; begin += TILE)
    for (int64_t l = 0; l < lines; l++) {
      T* y = (T*)job->y + job->n * (first + l);
      for (int64_t i = begin; i < TFC_MIN(begin + TILE, m); i++) {
        y[2 * i] = re[i * lines + l] * scale;
        y[2 * i + 1] = -im[i * lines + l] * scale;
      }
    }
}

static void N(real_lines)(void* arg, int64_t begin, int64_t end) {
  real_job* job = arg;
  const int64_t m = job->n / 2, most = job->lines_per_task;
  const int64_t size = m * most + 5 * 64 / (int64_t)sizeof(T);
  T* memory = malloc((size_t)(4 * size) * sizeof(T));
  if (!memory) {
    __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
    return;
  }
  T *re = memory, *im = re + size, *re2 = im + size, *im2 = re2 + size;
  for (int64_t task = begin; task < end; task++) {
    const int64_t first = task * most, lines = TFC_MIN(most, job->n_lines - first);
    (job->inverse ? N(load_spectrum) : N(load_values))(job, first, lines, re, im);
    N(transform)(job->plan, lines, &re, &im, &re2, &im2);
    (job->inverse ? N(store_values) : N(store_spectrum))(job, first, lines, re, im);
  }
  free(memory);
}

static int N(plan_real)(tfc_context* ctx, real_job* job, N(fft_plan) * plan) {
  TFC_TRY(N(plan_length)(ctx, job->n / 2, plan));
  T* roots = tfc_scratch_items(ctx, 2 * (job->n + 1), sizeof(T));
  if (!roots) return TFC_RESOURCE_EXHAUSTED;
  N(fill_roots)(job->n, roots, roots + job->n + 1);
  job->plan = plan;
  job->roots = roots;
  return TFC_OK;
}

#undef IN
#undef OUT
#undef PUT
#undef BESIDE
#undef T
