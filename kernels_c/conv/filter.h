/* The gradient of the filter: like forward convolution with exchanged roles. A tile of MR
 * neighbouring values of the filter row (w, c) times CONV_NV vectors of output channels stays in
 * registers while k runs over the pixels. */

/* ---- Backward-filter: tiles. The sums of `rows` x `cols` pixels are added to c. */

typedef struct {
  int64_t rows, cols;
  int64_t a_row, a_col; /* input: from one output row (column) to the next */
  int64_t b_row, b_col; /* gradient */
} outer_job;

static inline __attribute__((always_inline)) void outer(const outer_job* job, const T* a,
                                                        const T* b, T* c, int mr, int nv) {
  V acc[CONV_MR][CONV_NV];
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) acc[i][j] = (V){0};
  }
  int64_t a_col = job->a_col, b_col = job->b_col;
  for (int64_t row = 0; row < job->rows; row++) {
    const T *x = a + row * job->a_row, *g = b + row * job->b_row;
    for (int64_t k = job->cols; k > 0; k--) {
      V bv[CONV_NV];
#pragma GCC unroll 4
      for (int j = 0; j < nv; j++) bv[j] = OF(load)(g + j * LANES);
#pragma GCC unroll 16
      for (int i = 0; i < mr; i++) {
        T xi = x[i];
#pragma GCC unroll 4
        for (int j = 0; j < nv; j++) acc[i][j] += xi * bv[j];
      }
      x += a_col;
      g += b_col;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < mr; i++) {
#pragma GCC unroll 4
    for (int j = 0; j < nv; j++) {
      T* at = c + (i * nv + j) * LANES;
      OF(store)(at, OF(load)(at) + acc[i][j]);
    }
  }
}

typedef void (*outer_fn)(const outer_job*, const T* a, const T* b, T* c);

#define OUTERS_OF_HEIGHT(MR)                                                       \
  static void outer_##MR##x1(const outer_job* job, const T* a, const T* b, T* c) { \
    outer(job, a, b, c, MR, 1);                                                    \
  }                                                                                \
  static void outer_##MR##x2(const outer_job* job, const T* a, const T* b, T* c) { \
    outer(job, a, b, c, MR, 2);                                                    \
  }
OUTERS_OF_HEIGHT(1)
OUTERS_OF_HEIGHT(2)
OUTERS_OF_HEIGHT(3)
OUTERS_OF_HEIGHT(4)
#if CONV_MR > 4
OUTERS_OF_HEIGHT(5)
OUTERS_OF_HEIGHT(6)
#endif
#if CONV_MR > 6
OUTERS_OF_HEIGHT(7)
OUTERS_OF_HEIGHT(8)
#endif
#if CONV_MR > 8
OUTERS_OF_HEIGHT(9)
OUTERS_OF_HEIGHT(10)
OUTERS_OF_HEIGHT(11)
OUTERS_OF_HEIGHT(12)
OUTERS_OF_HEIGHT(13)
OUTERS_OF_HEIGHT(14)
#endif

#define OUTER_ROW_OF_TABLE(MR) {outer_##MR##x1, outer_##MR##x2}
static const outer_fn outers[CONV_MR][CONV_NV] = {
    OUTER_ROW_OF_TABLE(1),  OUTER_ROW_OF_TABLE(2),  OUTER_ROW_OF_TABLE(3),  OUTER_ROW_OF_TABLE(4),
#if CONV_MR > 4
    OUTER_ROW_OF_TABLE(5),  OUTER_ROW_OF_TABLE(6),
#endif
#if CONV_MR > 6
    OUTER_ROW_OF_TABLE(7),  OUTER_ROW_OF_TABLE(8),
#endif
#if CONV_MR > 8
    OUTER_ROW_OF_TABLE(9),  OUTER_ROW_OF_TABLE(10), OUTER_ROW_OF_TABLE(11), OUTER_ROW_OF_TABLE(12),
    OUTER_ROW_OF_TABLE(13), OUTER_ROW_OF_TABLE(14),
#endif
};

/* ---- Backward-filter: driver. */

typedef struct {
  const conv_plan* plan;
  row_source source;
  const T* grad; /* pixels of grad_pitch elements */
  int64_t grad_pitch;
  T* sums; /* [chunk][channel block][tap][c][vectors of the block] */
  int64_t sums_size;
  T* filter;
  tfc_areas areas;
  int64_t blocks;
  int64_t bands, band_rows; /* of an image; units = images * planes * bands */
  int64_t units, chunks;    /* units are assigned to chunks, by the shapes only */
  int64_t inner_rows;       /* output rows that a tile sums before it is stored */
  int64_t k_blocks_w, kc;
} filter_job;

/* All taps of one channel block over output rows [r0, r1) of a plane, at one tap along planes. */
static void filter_rows(const filter_job* job, const T* rows, int64_t rows_begin, int64_t plane,
                        int64_t r0, int64_t r1, int64_t block, T* sums) {
  const conv_plan* p = job->plan;
  int64_t vectors = block_vectors(p->oc, block), nb = vectors * LANES;
  outer_job o = {.a_row = p->step_h * job->source.pitch,
                 .a_col = p->step_w * p->c,
                 .b_row = p->cols * job->grad_pitch,
                 .b_col = job->grad_pitch};
  for (int64_t i = 0; i < p->taps_h; i++) {
    int64_t off = p->tap_h[i].offset, lo = r0, hi = r1;
    while (lo < hi && lo * p->step_h + off < 0) lo++;
    while (hi > lo && (hi - 1) * p->step_h + off >= p->h) hi--;
    o.rows = hi - lo;
    for (int64_t j = 0; j < job->k_blocks_w && o.rows > 0; j++) {
      int64_t q0 = 0, q1 = p->cols, at = p->tap_w[j].offset;
      if (!job->source.copies) { /* only columns where this tap is inside */
        while (q0 < q1 && q0 * p->step_w + at < 0) q0++;
        while (q1 > q0 && (q1 - 1) * p->step_w + at >= p->w) q1--;
        if (q1 == q0) continue;
      }
      o.cols = q1 - q0;
      const T* a = rows + (lo * p->step_h + off - rows_begin) * job->source.pitch +
                   (q0 * p->step_w + at - job->source.first_col) * p->c;
      const T* b =
          job->grad + ((plane * p->rows + lo) * p->cols + q0) * job->grad_pitch + block * NB;
      T* c = sums + (i * p->taps_w + j) * p->c * nb;
      int64_t count = ceil_div(job->kc, CONV_MR), m = 0;
      for (int64_t t = 0; t < count; t++) {
        int64_t next = job->kc * (t + 1) / count;
        outers[next - m - 1][vectors - 1](&o, a + m, b, c + m * nb);
        m = next;
      }
    }
  }
}

/* All taps of one channel block over one band of a plane. */
static void filter_unit(const filter_job* job, int64_t unit, int64_t block, T* area, T* sums) {
  const conv_plan* p = job->plan;
  int64_t plane = unit / job->bands, r0 = unit % job->bands * job->band_rows;
  int64_t r1 = min64(p->rows, r0 + job->band_rows), rows_begin, rows_end;
  int64_t image = plane / p->planes, at = plane % p->planes;
  int64_t size = p->taps_h * p->taps_w * p->c * block_vectors(p->oc, block) * LANES;
  touched_rows(p, r0, r1, &rows_begin, &rows_end);
  tap_range v = taps_of_plane(p, at);
  for (int64_t k = v.begin; k < v.end; k++) {
    int64_t from = image * p->d + at * p->step_d + p->tap_d[k].offset;
    const T* rows = source_rows(&job->source, from, rows_begin, rows_end, area);
    for (int64_t r = r0; r < r1; r += job->inner_rows)
      filter_rows(job, rows, rows_begin, plane, r, min64(r1, r + job->inner_rows), block,
                  sums + k * size);
  }
}

/* Items are (chunk, channel block). */
static void filter_range(void* arg, int64_t begin, int64_t end) {
  filter_job* job = arg;
  const conv_plan* p = job->plan;
  T* area = tfc_areas_take(&job->areas);
  int64_t taps_c = conv_taps(p) * p->c;
  for (int64_t item = begin; item < end; item++) {
    int64_t chunk = item / job->blocks, block = item % job->blocks;
    T* sums = job->sums + chunk * job->sums_size + block * NB * taps_c;
    memset(sums, 0, (size_t)(block_vectors(p->oc, block) * LANES * taps_c) * sizeof(T));
    int64_t u1 = job->units * (chunk + 1) / job->chunks;
    for (int64_t unit = job->units * chunk / job->chunks; unit < u1; unit++)
      filter_unit(job, unit, block, area, sums);
  }
  tfc_areas_give(&job->areas, area);
}

/* Adds up the chunks in order; items are (channel block, tap). */
static void combine_range(void* arg, int64_t begin, int64_t end) {
  const filter_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t taps = conv_taps(p);
  for (int64_t item = begin; item < end; item++) {
    int64_t block = item / taps, tap = item % taps;
    int64_t nb = block_vectors(p->oc, block) * LANES, n = min64(nb, p->oc - block * NB);
    T* sum = job->sums + block * NB * taps * p->c + tap * p->c * nb;
    T* dst = job->filter + conv_filter_at(p, tap) + block * NB;
    for (int64_t chunk = 1; chunk < job->chunks; chunk++) {
      const T* more = sum + chunk * job->sums_size;
      for (int64_t i = 0; i < p->c * nb; i++) sum[i] += more[i];
    }
    for (int64_t c = 0; c < p->c; c++) memcpy(dst + c * p->f_c, sum + c * nb, n * sizeof(T));
  }
}

/* The gradient with its pixels padded to whole vectors. */
static const T* padded_grad(tfc_context* ctx, const conv_plan* p, const T* grad, int64_t pitch) {
  int64_t pixels = p->images * p->planes * p->rows * p->cols;
  T* padded = tfc_scratch(ctx, pixels * pitch * sizeof(T));
  if (!padded) return NULL;
  for (int64_t i = 0; i < pixels; i++) {
    memcpy(padded + i * pitch, grad + i * p->oc, p->oc * sizeof(T));
    memset(padded + i * pitch + p->oc, 0, (pitch - p->oc) * sizeof(T));
  }
  return padded;
}

#ifdef CONV_SHORT /* in conv/winograd_filter.h */
static int short_filter_run(tfc_context* ctx, const conv_plan* p, const T* in, const T* grad,
                            T* filter, bool* done);
#endif

int N(conv_filter)(tfc_context* ctx, const conv_plan* p, const T* in, const T* grad, T* filter) {
  int64_t taps = conv_taps(p);
  if (taps * p->c * p->oc == 0) return TFC_OK;
  if (p->images * p->planes * p->rows * p->cols == 0) {
    for (int64_t tap = 0; tap < taps; tap++)
      for (int64_t c = 0; c < p->c; c++)
        memset(filter + conv_filter_at(p, tap) + c * p->f_c, 0, p->oc * sizeof(T));
    return TFC_OK;
  }
#ifdef CONV_SHORT
  bool done = false;
  int tried = short_applies(p) ? short_filter_run(ctx, p, in, grad, filter, &done) : TFC_OK;
  if (tried || done) return tried;
#endif
  filter_job job = {.plan = p, .source = row_source_of(p, in), .grad = grad, .filter = filter};
  job.blocks = ceil_div(p->oc, NB);
  job.grad_pitch = ceil_div(p->oc, LANES) * LANES;
  if (job.grad_pitch != p->oc) {
    job.grad = padded_grad(ctx, p, grad, job.grad_pitch);
    if (!job.grad) return TFC_RESOURCE_EXHAUSTED;
  }
  /* With many channels each tap has its own tiles, without pixels beyond the edges. */
  bool row = taps_are_neighbours(p) && p->c < CONV_FILTER_CHANNELS;
  if (!row) job.source = (row_source){.plan = p, .in = in, .width = p->w, .pitch = p->w * p->c};
  job.k_blocks_w = row ? 1 : p->taps_w;
  job.kc = row ? p->taps_w * p->c : p->c;
  job.band_rows = rows_of_band(p, &job.source, 1, 256 << 10);
  job.bands = ceil_div(p->rows, job.band_rows);
  job.units = p->images * p->planes * job.bands;
  job.sums_size = taps * p->c * job.grad_pitch;
  int64_t most = max64(1, (int64_t)((64 << 20) / (job.sums_size * sizeof(T))));
  job.chunks = min64(min64(job.units, ceil_div(16, job.blocks)), most);
  job.inner_rows = max64(1, ceil_div(320, p->cols));
  job.sums = tfc_scratch(ctx, job.chunks * job.sums_size * sizeof(T));
  if (!job.sums) return TFC_RESOURCE_EXHAUSTED;
  int code = tfc_areas_make(ctx, &job.areas, area_bytes(p, &job.source, job.band_rows, 1));
  if (code) return code;
  double flops = 2.0 * taps * p->c * NB * p->rows * p->cols * p->images * p->planes / job.chunks;
  tfc_parallel_for(ctx, job.chunks * job.blocks, 50 + flops * sizeof(T) / 500.0, filter_range,
                   &job);
  tfc_parallel_for(ctx, job.blocks * taps, p->c * NB * 0.1 * job.chunks, combine_range, &job);
  return TFC_OK;
}
