/* Convolutions of stride 1 by filters of 3x3 and 5x5 taps with fewer multiplications; a part of the
 * engine, conv_engine.h.
 *
 * Two neighbouring outputs of a row of three taps need four products instead of six (Winograd's
 * F(2,3)), of two taps three instead of four; five taps are three and two. In both directions a
 * tile of 2x2 outputs needs 16 instead of 36 products for 3x3 taps, 49 instead of 100 for 5x5. The
 * 16 sums that the products are added to are the same for all of them, so that they are matrix
 * products over tiles, (taps and) input channels and output channels, of the kind that the tiles of
 * the engine do.
 *
 * Larger schemes save more and lose digits. This one only adds, subtracts and halves (its points
 * are 0, 1, -1 and infinity): small integers stay exact, and an output is made of the input pixels
 * of its own window alone. Measured against float64 on uniform data, the largest error of an output
 * or input gradient is about half that of adding up tap by tap, since sums are shorter; a filter
 * gradient's is about the same. But errors are relative to the largest terms of a window: where
 * taps or pixels of one window differ by many orders of magnitude, the small terms lose digits that
 * the direct way keeps when the large ones meet zeros. Where infinities or overflow could make a
 * difference (inf - inf), the result is not finite, and the direct way does it over.
 */

enum {
  SHORT_SUMS = 16,     /* of a tile */
  SHORT_PRODUCTS = 49, /* at most */
  SHORT_CHANNELS = 64, /* input channels at a time */
  SHORT_BYTES = 352 << 10,
  SHORT_CHUNKS = 8 /* of tiles, whose filter gradients are summed on their own */
};

/* Which sum of a row each of its products belongs to. */
static const int short_sum_of[7] = {0, 1, 2, 3, 0, 1, 3};

static inline int short_products(int taps) {
  return taps == 3 ? 4 : 7;
}

#define INLINE static inline __attribute__((always_inline))

/* The factors of the products: of taps + 1 input values, ... */
INLINE void short_input(int taps, const vec* d, vec* to, int step) {
  to[0] = d[0] - d[2];
  to[step] = d[1] + d[2];
  to[2 * step] = d[2] - d[1];
  to[3 * step] = d[3] - d[1];
  if (taps == 3) return;
  to[4 * step] = d[3] - d[4];
  to[5 * step] = d[4];
  to[6 * step] = d[5] - d[4];
}
/* ... and of the taps. */
INLINE void short_filter(int taps, const vec* g, vec* to, int step) {
  vec outer = (g[0] + g[2]) * (T)0.5, inner = g[1] * (T)0.5;
  to[0] = g[0];
  to[step] = outer + inner;
  to[2 * step] = outer - inner;
  to[3 * step] = g[2];
  if (taps == 3) return;
  to[4 * step] = g[3];
  to[5 * step] = g[3] + g[4];
  to[6 * step] = g[4];
}
/* Two outputs of four sums. */
INLINE void short_output(const vec* s, vec* to, int step) {
  to[0] = s[0] + s[1] + s[2];
  to[step] = s[1] - s[2] + s[3];
}
/* The transposes of the last two, for the gradient of the filter. */
INLINE void short_output_grad(const vec* y, vec* to, int step) {
  to[0] = y[0];
  to[step] = y[0] + y[1];
  to[2 * step] = y[0] - y[1];
  to[3 * step] = y[1];
}
INLINE void short_filter_grad(int taps, const vec* u, vec* to, int step) {
  vec outer = (u[1] + u[2]) * (T)0.5;
  to[0] = u[0] + outer;
  to[step] = (u[1] - u[2]) * (T)0.5;
  to[2 * step] = outer + u[3];
  if (taps == 3) return;
  to[3 * step] = u[4] + u[5];
  to[4 * step] = u[5] + u[6];
}

typedef struct {
  const conv_plan* plan;
  const T *in, *bias;
  const T* grad; /* of the output, for the filter's */
  T *out, *packed, *filter;
  bool relu;
  int taps, products;            /* of a row */
  int64_t first[SHORT_SUMS + 1]; /* products of each sum, in the order of the transformed filter */
  int64_t order[SHORT_PRODUCTS];
  int64_t offsets[SHORT_PRODUCTS];     /* of products in that order, in the transformed input */
  int64_t tiles_w, tiles_image, tiles; /* tiles in a row, in an image, in all */
  int64_t block;                       /* tiles at a time */
  int64_t channels;                    /* input channels at a time */
  int64_t input_step, sum_step;        /* from product to product, sum to sum */
  int64_t chunks;
  conv_areas areas;
  bool failed; /* something was not finite */
} short_job;

/* Whether the plan is of that kind, and large enough for it to pay. */
static bool short_applies(const conv_plan* p) {
  if (p->step_h != 1 || p->step_w != 1 || p->taps_h != p->taps_w) return false;
  if (p->taps_w != 3 && p->taps_w != 5) return false;
  if (p->tap_h[p->taps_h - 1].offset - p->tap_h[0].offset != p->taps_h - 1) return false;
  if (p->tap_w[p->taps_w - 1].offset - p->tap_w[0].offset != p->taps_w - 1) return false;
  return p->c % 16 == 0 && p->oc % 16 == 0 && p->c >= 32 && p->oc >= 32 && p->rows >= 7 &&
         p->cols >= 7 && p->images * p->rows * p->cols >= 2048;
}

static void short_begin(short_job* job, const conv_plan* p, const T* in) {
  *job = (short_job){.plan = p, .in = in, .taps = (int)p->taps_w};
  int n = job->products = short_products(job->taps);
  job->tiles_w = ceil_div(p->cols, 2);
  job->tiles_image = job->tiles_w * ceil_div(p->rows, 2);
  job->tiles = job->tiles_image * p->images;
  job->channels = min64(p->c, SHORT_CHANNELS);
  int64_t bytes = (int64_t)sizeof(T) * n * n * job->channels;
  job->block = max64(1, SHORT_BYTES / (bytes * CONV_MR)) * CONV_MR;
  /* An odd number of cache lines, which all their sets take part in. */
  job->input_step = (job->block * job->channels | 31) + 17;
  job->sum_step = (job->block * p->oc | 31) + 17;
  int64_t k = 0;
  for (int sum = 0; sum < SHORT_SUMS; sum++) {
    job->first[sum] = k;
    for (int i = 0; i < n * n; i++)
      if (short_sum_of[i / n] * 4 + short_sum_of[i % n] == sum) {
        job->offsets[k] = i * job->input_step;
        job->order[k++] = i;
      }
  }
  job->first[SHORT_SUMS] = k;
}

/* ---- Transformed input: [product][tile][channel]. */

static const T short_zeros[SHORT_CHANNELS];

/* Where the input pixels of a tile are, from channel c on. No branches: which pixels are outside
 * changes from tile to tile. */
static void short_pixels(const short_job* job, int64_t tile, int64_t c, const T** at) {
  const conv_plan* p = job->plan;
  int64_t image = tile / job->tiles_image, rest = tile % job->tiles_image;
  int64_t y = rest / job->tiles_w * 2 + p->tap_h[0].offset;
  int64_t x = rest % job->tiles_w * 2 + p->tap_w[0].offset;
  uintptr_t zeros = (uintptr_t)short_zeros, pixel = (uintptr_t)p->c * sizeof(T);
  uintptr_t first = (uintptr_t)(job->in + c) + (uintptr_t)((image * p->h + y) * p->w + x) * pixel;
  for (int i = 0; i <= job->taps; i++, first += (uintptr_t)p->w * pixel) {
    uintptr_t row_inside = (uint64_t)(y + i) < (uint64_t)p->h;
    for (int j = 0; j <= job->taps; j++) {
      uintptr_t inside = row_inside & ((uint64_t)(x + j) < (uint64_t)p->w);
      *at++ = (const T*)(zeros + ((first + (uintptr_t)j * pixel - zeros) & -inside));
    }
  }
}

/* `ahead`: distance of pixels that a later tile needs, in runs too short for the processor to
 * foresee. */
INLINE void short_input_tile(int taps, const T* const* at, int64_t channels, int64_t ahead, T* to,
                             int64_t step) {
  int size = taps + 1, products = short_products(taps);
  for (int64_t c = 0; c < channels; c += VL) {
    vec rows[7][6], d[6], v[7];
#pragma GCC unroll 8
    for (int j = 0; j < size; j++) {
#pragma GCC unroll 8
      for (int i = 0; i < size; i++) {
        d[i] = load(at[i * size + j] + c);
        if (j >= size - 2) __builtin_prefetch(at[i * size + j] + c + ahead);
      }
      short_input(taps, d, &rows[0][j], 6);
    }
#pragma GCC unroll 8
    for (int i = 0; i < products; i++) {
      short_input(taps, rows[i], v, 1);
#pragma GCC unroll 8
      for (int j = 0; j < products; j++) store(to + (i * products + j) * step + c, v[j]);
    }
  }
}

static void short_inputs(const short_job* job, int64_t tile, int64_t n, int64_t c, int64_t channels,
                         T* to) {
  const T* at[36];
  int64_t step = job->input_step;
  for (int64_t i = 0; i < n; i++, to += job->channels) {
    short_pixels(job, tile + i, c, at);
    if (job->taps == 3)
      short_input_tile(3, at, channels, 4 * job->plan->c, to, step);
    else
      short_input_tile(5, at, channels, 4 * job->plan->c, to, step);
  }
}

/* ---- Transformed filter: [channel block][product, sorted by sum][c][vectors of the block]. */

INLINE void short_filter_tile(int taps, const short_job* job, const T* from, T* to, int64_t step) {
  int products = short_products(taps);
  vec rows[7][5], g[5], all[SHORT_PRODUCTS];
#pragma GCC unroll 8
  for (int j = 0; j < taps; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < taps; i++) g[i] = load(from + (i * taps + j) * step);
    short_filter(taps, g, &rows[0][j], 5);
  }
#pragma GCC unroll 8
  for (int i = 0; i < products; i++) short_filter(taps, rows[i], all + i * products, 1);
  for (int k = 0; k < products * products; k++) store(to + k * step, all[job->order[k]]);
}

/* Items are (channel block, c). */
static void short_filter_range(void* arg, int64_t begin, int64_t end) {
  const short_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t taps = p->taps_h * p->taps_w, products = job->products * job->products;
  for (int64_t item = begin; item < end; item++) {
    int64_t block = item / p->c, c = item % p->c, nb = block_vectors(p->oc, block) * VL;
    const T* from = job->packed + block * NB * taps * p->c + c * nb;
    T* to = job->filter + block * NB * products * p->c + c * nb;
    for (int64_t i = 0; i < nb; i += VL)
      if (taps == 9)
        short_filter_tile(3, job, from + i, to + i, p->c * nb);
      else
        short_filter_tile(5, job, from + i, to + i, p->c * nb);
  }
}

/* ---- Forward. */

/* Adds products of `channels` input channels from c on to the sums: [sum][tile][oc]. */
static void short_multiply(const short_job* job, const T* v, T* sums, int64_t n, int64_t c,
                           int64_t channels) {
  const conv_plan* p = job->plan;
  int64_t products = job->products * job->products, count = ceil_div(n, CONV_MR);
  for (int64_t block = 0; block < ceil_div(p->oc, NB); block++) {
    int64_t vectors = block_vectors(p->oc, block), nb = vectors * VL;
    const T* filter = job->filter + block * NB * products * p->c + c * nb;
    for (int sum = 0; sum < SHORT_SUMS; sum++) {
      tile_job t = {.offsets = job->offsets + job->first[sum],
                    .blocks = job->first[sum + 1] - job->first[sum],
                    .kc = channels,
                    .ldb = p->c * nb,
                    .lda = job->channels,
                    .ldc = p->oc,
                    .width = nb,
                    .accumulate = c > 0};
      T* to = sums + sum * job->sum_step + block * NB;
      for (int64_t i = 0, at = 0; i < count; i++) {
        int64_t next = n * (i + 1) / count;
        tiles[next - at - 1][vectors - 1](&t, v + at * t.lda, filter + job->first[sum] * t.ldb,
                                          to + at * t.ldc);
        at = next;
      }
    }
  }
}

/* Sums to outputs; returns whether all were finite. */
static bool short_outputs(const short_job* job, int64_t tile, const T* sums) {
  const conv_plan* p = job->plan;
  int64_t image = tile / job->tiles_image, rest = tile % job->tiles_image;
  int64_t r = rest / job->tiles_w * 2, q = rest % job->tiles_w * 2, step = job->sum_step;
  bool down = r + 1 < p->rows, right = q + 1 < p->cols;
  T* out = job->out + image * p->out_image + r * p->out_row + q * p->out_col;
  ivec bad = {0};
  const vec zero = {0};
  for (int64_t o = 0; o < p->oc; o += VL, out += VL, sums += VL) {
    vec rows[2][4], y[4], s[4];
#pragma GCC unroll 4
    for (int j = 0; j < 4; j++) {
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) s[i] = load(sums + (i * 4 + j) * step);
      short_output(s, &rows[0][j], 4);
    }
    short_output(rows[0], y, 1);
    short_output(rows[1], y + 2, 1);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
      bad |= (ivec)(y[i] - y[i] != zero);
      if (job->bias) y[i] += load(job->bias + o);
      if (job->relu) y[i] = (vec)((ivec)y[i] & ~(ivec)(y[i] <= zero));
    }
    store(out, y[0]);
    if (right) store(out + p->out_col, y[1]);
    if (down) store(out + p->out_row, y[2]);
    if (down && right) store(out + p->out_row + p->out_col, y[3]);
  }
  CONV_MASK_T any = 0;
  for (int i = 0; i < VL; i++) any |= bad[i];
  return !any;
}

/* Items are blocks of tiles. */
static void short_range(void* arg, int64_t begin, int64_t end) {
  short_job* job = arg;
  const conv_plan* p = job->plan;
  T* v = conv_areas_take(&job->areas);
  T* sums = v + job->products * job->products * job->input_step;
  bool finite = true;
  for (int64_t item = begin; item < end; item++) {
    int64_t tile = item * job->block, n = min64(job->block, job->tiles - tile);
    for (int64_t c = 0; c < p->c; c += job->channels) {
      int64_t channels = min64(job->channels, p->c - c);
      short_inputs(job, tile, n, c, channels, v);
      short_multiply(job, v, sums, n, c, channels);
    }
    for (int64_t i = 0; i < n; i++) finite &= short_outputs(job, tile + i, sums + i * p->oc);
  }
  conv_areas_give(&job->areas, v);
  if (!finite) __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
}

static int short_areas(tfc_context* ctx, short_job* job) {
  int64_t v = job->products * job->products * job->input_step;
  return conv_areas_make(ctx, &job->areas, (size_t)(v + SHORT_SUMS * job->sum_step) * sizeof(T));
}

/* Time of n tiles. */
static double short_cost(const short_job* job, int64_t n) {
  const conv_plan* p = job->plan;
  return 50 + 2.0 * (double)(job->products * job->products * p->c * p->oc * n) * sizeof(T) / 500.0;
}

/* out = convolution, with a bias of whole blocks; `packed` is the filter of the direct way. *done:
 * whether all went well. */
static int short_run(tfc_context* ctx, const conv_plan* p, const T* in, T* packed, const T* bias,
                     bool relu, T* out, bool* done) {
  short_job job;
  short_begin(&job, p, in);
  job.packed = packed, job.bias = bias, job.relu = relu, job.out = out;
  int64_t blocks = ceil_div(p->oc, NB), products = job.products * job.products;
  job.filter = tfc_scratch(ctx, (size_t)(blocks * NB * products * p->c) * sizeof(T));
  if (!job.filter) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, blocks * p->c, NB / 2.0 * (double)products / 10, short_filter_range, &job);
  int code = short_areas(ctx, &job);
  if (code) return code;
  tfc_parallel_for(ctx, ceil_div(job.tiles, job.block), short_cost(&job, job.block), short_range,
                   &job);
  *done = !job.failed;
  return TFC_OK;
}

#ifndef CONV_NO_FILTER

/* ---- Backward-filter. */

/* The transformed gradients of n tiles: [sum][tile][oc]. */
static void short_grads(const short_job* job, int64_t tile, int64_t n, T* to) {
  const conv_plan* p = job->plan;
  int64_t step = job->sum_step;
  for (int64_t t = tile; t < tile + n; t++) {
    int64_t image = t / job->tiles_image, rest = t % job->tiles_image;
    int64_t r = rest / job->tiles_w * 2, q = rest % job->tiles_w * 2;
    bool down = r + 1 < p->rows, right = q + 1 < p->cols;
    const T* grad = job->grad + ((image * p->rows + r) * p->cols + q) * p->oc;
    int64_t row = p->cols * p->oc;
    for (int64_t o = 0; o < p->oc; o += VL, grad += VL, to += VL) {
      const vec zero = {0};
      vec rows[4][2], s[4];
      vec left[2] = {load(grad), down ? load(grad + row) : zero};
      vec other[2] = {right ? load(grad + p->oc) : zero,
                      down && right ? load(grad + row + p->oc) : zero};
      short_output_grad(left, &rows[0][0], 2);
      short_output_grad(other, &rows[0][1], 2);
#pragma GCC unroll 4
      for (int i = 0; i < 4; i++) {
        short_output_grad(rows[i], s, 1);
#pragma GCC unroll 4
        for (int j = 0; j < 4; j++) store(to + (i * 4 + j) * step, s[j]);
      }
    }
  }
}

/* Adds the products of n tiles, summed over the tiles, to [channel block][product][c][vectors]. */
static void short_outer(const short_job* job, const T* v, const T* grads, int64_t n, int64_t c,
                        int64_t channels, T* sums) {
  const conv_plan* p = job->plan;
  int64_t products = job->products * job->products, count = ceil_div(channels, CONV_MR);
  outer_job o = {.rows = 1, .cols = n, .a_col = job->channels, .b_col = p->oc};
  for (int64_t block = 0; block < ceil_div(p->oc, NB); block++) {
    int64_t vectors = block_vectors(p->oc, block), nb = vectors * VL;
    for (int i = 0; i < products; i++) {
      int sum = short_sum_of[i / job->products] * 4 + short_sum_of[i % job->products];
      const T* a = v + i * job->input_step;
      const T* b = grads + sum * job->sum_step + block * NB;
      T* to = sums + block * NB * products * p->c + (i * p->c + c) * nb;
      for (int64_t k = 0, at = 0; k < count; k++) {
        int64_t next = channels * (k + 1) / count;
        outers[next - at - 1][vectors - 1](&o, a + at, b, to + at * nb);
        at = next;
      }
    }
  }
}

/* Items are chunks of tiles. */
static void short_chunk_range(void* arg, int64_t begin, int64_t end) {
  short_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t products = job->products * job->products, blocks = ceil_div(job->tiles, job->block);
  T* v = conv_areas_take(&job->areas);
  T* grads = v + products * job->input_step;
  for (int64_t item = begin; item < end; item++) {
    T* sums = job->filter + item * products * p->c * p->oc;
    memset(sums, 0, (size_t)(products * p->c * p->oc) * sizeof(T));
    int64_t last = blocks * (item + 1) / job->chunks;
    for (int64_t i = blocks * item / job->chunks; i < last; i++) {
      int64_t tile = i * job->block, n = min64(job->block, job->tiles - tile);
      short_grads(job, tile, n, grads);
      for (int64_t c = 0; c < p->c; c += job->channels) {
        int64_t channels = min64(job->channels, p->c - c);
        short_inputs(job, tile, n, c, channels, v);
        short_outer(job, v, grads, n, c, channels, sums);
      }
    }
  }
  conv_areas_give(&job->areas, v);
}

/* One vector of the filter's gradient; returns where it is not finite. */
INLINE ivec short_filter_grad_tile(int taps, const short_job* job, const T* sums, int64_t step,
                                   T* to) {
  const conv_plan* p = job->plan;
  int products = short_products(taps);
  const vec zero = {0};
  ivec bad = {0};
  vec rows[5][7], u[7], g[5];
#pragma GCC unroll 8
  for (int j = 0; j < products; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < products; i++) {
      const T* at = sums + (i * products + j) * step;
      u[i] = load(at);
      for (int64_t chunk = 1; chunk < job->chunks; chunk++)
        u[i] += load(at + chunk * products * products * p->c * p->oc);
    }
    short_filter_grad(taps, u, &rows[0][j], 7);
  }
#pragma GCC unroll 8
  for (int i = 0; i < taps; i++) {
    short_filter_grad(taps, rows[i], g, 1);
#pragma GCC unroll 8
    for (int j = 0; j < taps; j++) {
      bad |= (ivec)(g[j] - g[j] != zero);
      store(to + p->tap_h[i].index * p->f_h + p->tap_w[j].index * p->f_w, g[j]);
    }
  }
  return bad;
}

/* Items are (channel block, c). */
static void short_combine_range(void* arg, int64_t begin, int64_t end) {
  short_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t products = job->products * job->products;
  ivec bad = {0};
  for (int64_t item = begin; item < end; item++) {
    int64_t block = item / p->c, c = item % p->c, nb = block_vectors(p->oc, block) * VL;
    const T* sums = job->filter + block * NB * products * p->c + c * nb;
    T* to = job->out + c * p->f_c + block * NB;
    for (int64_t i = 0; i < nb; i += VL)
      bad |= job->taps == 3 ? short_filter_grad_tile(3, job, sums + i, p->c * nb, to + i)
                            : short_filter_grad_tile(5, job, sums + i, p->c * nb, to + i);
  }
  for (int i = 0; i < VL; i++)
    if (bad[i]) __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
}

static int short_filter_run(tfc_context* ctx, const conv_plan* p, const T* in, const T* grad,
                            T* filter, bool* done) {
  short_job job;
  short_begin(&job, p, in);
  job.grad = grad, job.out = filter;
  int64_t size = job.products * job.products * p->c * p->oc;
  int64_t most = max64(1, (int64_t)((64 << 20) / (size * sizeof(T))));
  job.chunks = min64(min64(ceil_div(job.tiles, job.block), SHORT_CHUNKS), most);
  job.filter = tfc_scratch(ctx, (size_t)(job.chunks * size) * sizeof(T));
  if (!job.filter) return TFC_RESOURCE_EXHAUSTED;
  int code = short_areas(ctx, &job);
  if (code) return code;
  tfc_parallel_for(ctx, job.chunks, short_cost(&job, job.tiles / job.chunks), short_chunk_range,
                   &job);
  tfc_parallel_for(ctx, ceil_div(p->oc, NB) * p->c,
                   NB / 16.0 * (double)(job.products * job.products * job.chunks),
                   short_combine_range, &job);
  *done = !job.failed;
  return TFC_OK;
}

#endif /* CONV_NO_FILTER */
