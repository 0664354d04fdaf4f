/* Backward-filter with fewer multiplications; see conv/winograd.h. The products are those of tiles
 * of the transformed input and tiles of the transformed gradient, summed over the tiles. */

enum {
  SHORT_CHUNKS = 8 /* of tiles, which are summed separately */
};

typedef struct {
  short_job base;
  filter_job result;                       /* sums of chunks: [chunk][channel block][tap][c][nb] */
  int64_t chunks, channel_groups, product; /* items of each kind; elements of one product's sums */
} short_filter_job;

/* ---- Transformed gradient: a row of products, [product][tile][oc]. */

INLINE void short_grad_tile(short_kind kind, int rows, const T* const* at, const short_rows* r,
                            int64_t first, int64_t width, T* to) {
  const int size = short_outputs(kind);
  const T* const* q[4];
  for (int k = 0; k < rows; k++) q[k] = at + r->at[k] * size;
  const T sign = r->sign;
  for (int64_t o = 0; o < width; o += LANES) {
    V y[4];
#pragma GCC unroll 4
    for (int j = 0; j < size; j++) {
      y[j] = OF(load)(q[0][j] + first + o);
      if (rows == 2) y[j] += sign * OF(load)(q[1][j] + first + o);
      if (rows == 4)
        y[j] = (y[j] + OF(load)(q[1][j] + first + o)) +
               sign * (OF(load)(q[2][j] + first + o) + OF(load)(q[3][j] + first + o));
    }
    short_output_grad(kind, y, to + o, SHORT_STEP);
  }
}

typedef void (*short_grad_fn)(const T* const* at, const short_rows* r, int64_t first, int64_t width,
                              T* to);
#define SHORT_GRAD_TILE(kind, rows)                                                              \
  static void short_grad_##kind##_##rows(const T* const* at, const short_rows* r, int64_t first, \
                                         int64_t width, T* to) {                                 \
    short_grad_tile(SHORT_##kind, rows, at, r, first, width, to);                                \
  }
SHORT_GRAD_TILE(2_OF_3, 1)
SHORT_GRAD_TILE(2_OF_3, 2)
SHORT_GRAD_TILE(4_OF_5, 1)
SHORT_GRAD_TILE(4_OF_5, 2)
SHORT_GRAD_TILE(4_OF_5, 4)
SHORT_GRAD_TILE(2_OF_5, 1)
SHORT_GRAD_TILE(2_OF_5, 2)
static const short_grad_fn short_grad_fns[3][5] = {
    [SHORT_2_OF_3] = {[1] = short_grad_2_OF_3_1, [2] = short_grad_2_OF_3_2},
    [SHORT_2_OF_5] = {[1] = short_grad_2_OF_5_1, [2] = short_grad_2_OF_5_2},
    [SHORT_4_OF_5] = {[1] = short_grad_4_OF_5_1,
                      [2] = short_grad_4_OF_5_2,
                      [4] = short_grad_4_OF_5_4},
};

/* Row i for tiles [begin, end), output channels from `first` on. */
static void short_grads(const short_job* job, const short_block* b, int i, int64_t begin,
                        int64_t end, int64_t first, int64_t width, T* to) {
  const short_rows* r = &short_outputs_of[job->kind][i];
  for (int64_t t = begin; t < end; t++, to += job->width) {
    const T* const* from = b->grad + t * job->outputs * job->outputs;
    short_grad_fns[job->kind][r->rows](from, r, first, width, to);
  }
}

/* ---- Sums: [channel block][product][c][vectors of the block]. */

/* Adds row i of the products of tiles [begin, end). */
static void short_outer(const short_job* job, const short_block* b, int i, int64_t begin,
                        int64_t end, int64_t channels, int64_t width, T* sums) {
  int64_t count = ceil_div(channels, CONV_MR), products = job->products;
  outer_job o = {.rows = 1, .a_col = job->channels, .b_col = job->width};
  for (int j = 0; j < products; j++) {
    int64_t t0, t1;
    short_tiles(job, b, i, j, &t0, &t1);
    t0 = max64(t0, begin), t1 = min64(t1, end);
    o.cols = t1 - t0;
    if (o.cols <= 0) continue;
    const T* v = b->v + j * SHORT_STEP + (t0 - begin) * job->channels;
    const T* grads = b->sums + j * SHORT_STEP + (t0 - begin) * job->width;
    for (int64_t block = 0; block * NB < width; block++) {
      int64_t vectors = block_vectors(width, block), nb = vectors * LANES;
      T* to = sums + (block * NB * products * products + (i * products + j) * nb) * channels;
      for (int64_t k = 0, at = 0; k < count; k++) {
        int64_t next = channels * (k + 1) / count;
        outers[next - at - 1][vectors - 1](&o, v + at, grads + block * NB, to + at * nb);
        at = next;
      }
    }
  }
}

/* One vector of the filter's gradient; returns where it is not finite. */
INLINE M short_filter_grad_tile(short_kind kind, const T* sums, int64_t step, T* to, int64_t tap) {
  int products = short_products(kind), taps = short_taps(kind);
  const V zero = {0};
  M bad = {0};
  V rows[5][SHORT_PRODUCTS], u[SHORT_PRODUCTS], g[5];
  for (int j = 0; j < products; j++) {
#pragma GCC unroll 16
    for (int i = 0; i < products; i++) {
      const T* at = sums + (i * products + j) * step;
      u[i] = OF(load)(at);
      __builtin_prefetch(at + 2 * LANES, 0, 2); /* more streams than the processor prefetches */
    }
    short_filter_grad(kind, u, g);
#pragma GCC unroll 8
    for (int i = 0; i < taps; i++) rows[i][j] = g[i];
  }
  for (int i = 0; i < taps; i++) {
    short_filter_grad(kind, rows[i], g);
#pragma GCC unroll 8
    for (int j = 0; j < taps; j++) {
      bad |= (M)(g[j] - g[j] != zero);
      OF(store)(to + (i * taps + j) * tap, g[j]);
    }
  }
  return bad;
}

/* Sums to the gradient of the filter, from input channel c and output channel `first` on; returns
 * whether all were finite. */
static bool short_filter_grads(const short_job* job, const T* sums, int64_t c, int64_t channels,
                               int64_t first, int64_t width, T* to) {
  const conv_plan* p = job->plan;
  int64_t products = job->products * job->products, taps = p->taps_h * p->taps_w;
  M bad = {0};
  for (int64_t block = 0; block * NB < width; block++) {
    int64_t nb = block_vectors(width, block) * LANES, step = channels * nb;
    const T* from = sums + block * NB * products * channels;
    T* at = to + (first + block * NB) * taps * p->c + c * nb;
    for (int64_t i = 0; i < channels * nb; i += LANES)
      bad |= job->kind == SHORT_2_OF_3
                 ? short_filter_grad_tile(SHORT_2_OF_3, from + i, step, at + i, p->c * nb)
             : job->kind == SHORT_2_OF_5
                 ? short_filter_grad_tile(SHORT_2_OF_5, from + i, step, at + i, p->c * nb)
                 : short_filter_grad_tile(SHORT_4_OF_5, from + i, step, at + i, p->c * nb);
  }
  __typeof__(bad[0]) any = 0;
  for (int i = 0; i < LANES; i++) any |= bad[i];
  return !any;
}

/* ---- Driver. */

/* Adds the products of tiles [tile, tile + n). */
static void short_filter_tiles(const short_job* job, short_block* b, int64_t tile, int64_t n,
                               int64_t c, int64_t channels, int64_t first, int64_t width, T* sums) {
  short_gather(job, tile, n, b);
  for (int i = 0; i < job->products; i++) {
    int64_t begin, end;
    short_tiles(job, b, i, 0, &begin, &end);
    for (int64_t t = begin; t < end; t += SHORT_PIECE) {
      int64_t last = min64(end, t + SHORT_PIECE);
      short_inputs(job, b, i, t, last, c, channels, b->v);
      short_grads(job, b, i, t, last, first, width, b->sums);
      short_outer(job, b, i, t, last, channels, width, sums);
    }
  }
}

/* Items are (chunk of tiles, group of input channels, group of output channels). */
static void short_chunk_range(void* arg, int64_t begin, int64_t end) {
  short_filter_job* whole = arg;
  short_job* job = &whole->base;
  const conv_plan* p = job->plan;
  char* area = tfc_areas_take(&job->areas);
  short_block b = {.in = (const T**)area};
  b.grad = b.in + SHORT_REACH * job->inputs * job->inputs;
  b.tiles = (int64_t*)(b.grad + SHORT_REACH * job->outputs * job->outputs);
  b.v = (T*)(b.tiles + SHORT_REACH);
  b.sums = b.v + job->products * SHORT_STEP;
  T* sums = b.sums + job->products * SHORT_STEP;
  bool finite = true;
  for (int64_t item = begin; item < end; item++) {
    int64_t first = item % job->groups * job->width, rest = item / job->groups;
    int64_t c = rest % whole->channel_groups * job->channels, chunk = rest / whole->channel_groups;
    int64_t channels = min64(job->channels, p->c - c), width = min64(job->width, p->oc - first);
    int64_t last = job->tiles * (chunk + 1) / whole->chunks;
    memset(sums, 0, (size_t)whole->product * job->products * job->products * sizeof(T));
    for (int64_t tile = job->tiles * chunk / whole->chunks; tile < last; tile += SHORT_REACH)
      short_filter_tiles(job, &b, tile, min64(SHORT_REACH, last - tile), c, channels, first, width,
                         sums);
    T* to = whole->result.sums + chunk * whole->result.sums_size;
    finite &= short_filter_grads(job, sums, c, channels, first, width, to);
  }
  tfc_areas_give(&job->areas, area);
  if (!finite) __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
}

static int short_filter_run(tfc_context* ctx, const conv_plan* p, const T* in, const T* grad,
                            T* filter, bool* done) {
  short_filter_job whole = {.result = {.plan = p, .filter = filter}};
  short_job* job = &whole.base;
  short_kind kind = p->taps_w == 3 ? SHORT_2_OF_3 : short_rims(p) ? SHORT_2_OF_5 : SHORT_4_OF_5;
  int code = short_begin(ctx, job, p, in, kind);
  if (code) return code;
  job->grad = grad;
  int64_t taps = p->taps_h * p->taps_w, products = job->products * job->products;
  filter_job* result = &whole.result;
  result->blocks = ceil_div(p->oc, NB);
  result->sums_size = taps * p->c * ceil_div(p->oc, LANES) * LANES;
  int64_t most = max64(1, (int64_t)((64 << 20) / (result->sums_size * sizeof(T))));
  whole.chunks = min64(min64(ceil_div(job->tiles, 64), SHORT_CHUNKS), most);
  result->chunks = whole.chunks;
  result->sums = tfc_scratch(ctx, (size_t)(whole.chunks * result->sums_size) * sizeof(T));
  if (!result->sums) return TFC_RESOURCE_EXHAUSTED;
  whole.channel_groups = ceil_div(p->c, job->channels);
  whole.product = job->channels * job->width;
  int64_t words = SHORT_REACH * (job->inputs * job->inputs + job->outputs * job->outputs + 1);
  int64_t elements = job->products * 2 * SHORT_STEP + products * whole.product;
  code = tfc_areas_make(ctx, &job->areas, (size_t)words * 8 + (size_t)elements * sizeof(T));
  if (code) return code;
  tfc_parallel_for(ctx, whole.chunks * whole.channel_groups * job->groups,
                   short_cost(job, job->tiles / whole.chunks, job->width), short_chunk_range,
                   &whole);
  tfc_parallel_for(ctx, result->blocks * taps, p->c * NB * 0.1 * whole.chunks, combine_range,
                   result);
  *done = !job->failed;
  return TFC_OK;
}
