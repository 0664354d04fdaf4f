/* Forward convolution (and the gradient of the input, which is one).
 *
 * It is a sum of small matrix products over the taps, directly on the input (no im2col): a tile of
 * MR neighbouring output pixels times CONV_NV vectors of output channels stays in registers while
 * the loops go through all taps and input channels. If the taps of a filter row are neighbours in
 * the input, their taps_w * c values are contiguous and form one block of k, which makes layers of
 * one or three channels fast. Input rows are copied only to pad them with zeros on the left and
 * right; rows above and below the image are skipped.
 */

/* ---- Blocks of output channels: CONV_NV vectors, the last one as few as cover the rest. */

static inline int64_t block_vectors(int64_t oc, int64_t block) {
  return min64(CONV_NV, ceil_div(oc - block * NB, LANES));
}

/* ---- Input rows with zeros left and right. */

typedef struct {
  const conv_plan* plan;
  const T* in;
  bool copies;       /* false: columns never leave the image, rows are read in place */
  int64_t first_col; /* column of the image that a copied row begins with */
  int64_t width;     /* columns of a row */
  int64_t pitch;     /* elements from row to row */
} row_source;

static row_source row_source_of(const conv_plan* p, const T* in) {
  row_source s = {.plan = p, .in = in, .width = p->w};
  if (p->taps_w > 0) {
    int64_t last = (p->cols - 1) * p->step_w + p->tap_w[p->taps_w - 1].offset;
    s.first_col = p->tap_w[0].offset;
    s.copies = s.first_col < 0 || last >= p->w;
    if (s.copies)
      s.width = last - s.first_col + 1;
    else
      s.first_col = 0;
  }
  s.pitch = s.width * p->c;
  return s;
}

/* Rows [begin, end) of a plane, counted through all images, copied to `area` if needed; the result
 * points to row `begin`. */
static const T* source_rows(const row_source* s, int64_t plane, int64_t begin, int64_t end,
                            T* area) {
  const conv_plan* p = s->plan;
  const T* src = s->in + (plane * p->h + begin) * p->w * p->c;
  if (!s->copies) return src;
  int64_t lo = max64(s->first_col, 0), hi = min64(s->first_col + s->width, p->w);
  if (hi < lo) lo = hi = max64(0, min64(lo, p->w));
  int64_t left = min64(max64(lo - s->first_col, 0), s->width) * p->c;
  int64_t middle = (hi - lo) * p->c, right = s->pitch - left - middle;
  for (int64_t row = begin; row < end; row++) {
    memset(area, 0, left * sizeof(T));
    memcpy(area + left, src + lo * p->c, middle * sizeof(T));
    memset(area + left + middle, 0, right * sizeof(T));
    area += s->pitch;
    src += p->w * p->c;
  }
  return area - (end - begin) * s->pitch;
}

/* Input rows used by output rows [r0, r1), clipped to the image. */
static void touched_rows(const conv_plan* p, int64_t r0, int64_t r1, int64_t* begin, int64_t* end) {
  *begin = *end = 0;
  if (p->taps_h == 0) return;
  *begin = max64(0, r0 * p->step_h + p->tap_h[0].offset);
  *end = min64(p->h, (r1 - 1) * p->step_h + p->tap_h[p->taps_h - 1].offset + 1);
  if (*end < *begin) *end = *begin;
}

/* Which of n taps, around input pixel `at`, lie inside an image of `size` pixels. */
typedef struct {
  int64_t begin, end;
} tap_range;

static tap_range valid_taps(const conv_tap* taps, int64_t n, int64_t at, int64_t size) {
  tap_range v = {0, n};
  while (v.begin < v.end && at + taps[v.begin].offset < 0) v.begin++;
  while (v.end > v.begin && at + taps[v.end - 1].offset >= size) v.end--;
  return v;
}
static tap_range taps_of_plane(const conv_plan* p, int64_t plane) {
  return valid_taps(p->tap_d, p->taps_d, plane * p->step_d, p->d);
}
static tap_range taps_of_row(const conv_plan* p, int64_t r) {
  return valid_taps(p->tap_h, p->taps_h, r * p->step_h, p->h);
}
static tap_range taps_of_column(const conv_plan* p, int64_t q) {
  return valid_taps(p->tap_w, p->taps_w, q * p->step_w, p->w);
}

/* Input planes from one tap to the next. */
static int64_t planes_apart(const conv_plan* p) {
  return p->taps_d > 1 ? p->tap_d[1].offset - p->tap_d[0].offset : 0;
}

static bool taps_are_neighbours(const conv_plan* p) {
  for (int64_t j = 1; j < p->taps_w; j++)
    if (p->tap_w[j].offset != p->tap_w[j - 1].offset + 1) return false;
  return true;
}

/* Output rows of a band, so that its input rows, in `planes` planes, fit well into the second-level
 * cache. */
static int64_t rows_of_band(const conv_plan* p, const row_source* s, int64_t planes, size_t cache) {
  int64_t fit = (int64_t)(cache / (max64(1, s->pitch * planes) * sizeof(T)));
  int64_t span = p->taps_h ? p->tap_h[p->taps_h - 1].offset - p->tap_h[0].offset : 0;
  int64_t rows = max64(1, (fit - span) / max64(1, p->step_h));
  rows = min64(rows, p->rows);
  return ceil_div(p->rows, ceil_div(p->rows, rows));
}

static size_t area_bytes(const conv_plan* p, const row_source* s, int64_t band_rows,
                         int64_t planes) {
  if (!s->copies || p->taps_h == 0) return 64;
  int64_t span = p->tap_h[p->taps_h - 1].offset - p->tap_h[0].offset;
  int64_t rows = min64(p->h, (band_rows - 1) * p->step_h + span + 1);
  return (size_t)(rows * s->pitch * planes) * sizeof(T) + 64;
}

/* ---- Forward: packed filter, [channel block][tap][c][vectors of the block]. */

typedef struct {
  const conv_plan* plan;
  const T* filter;
  T* packed;
} pack_job;

static void pack_rows(const conv_plan* p, const T* src, T* dst, int64_t n, int64_t nb) {
  if (p->f_oc == 1) {
    for (int64_t c = 0; c < p->c; c++, src += p->f_c, dst += nb) {
      memcpy(dst, src, n * sizeof(T));
      if (n < nb) memset(dst + n, 0, (nb - n) * sizeof(T));
    }
    return;
  }
  for (int64_t c0 = 0; c0 < p->c; c0 += 16) { /* transposition by blocks of 16 input channels */
    int64_t c1 = min64(p->c, c0 + 16);
    for (int64_t j = 0; j < nb; j++)
      for (int64_t c = c0; c < c1; c++)
        dst[c * nb + j] = j < n ? src[c * p->f_c + j * p->f_oc] : (T)0;
  }
}

/* Items are (channel block, tap). */
static void pack_range(void* arg, int64_t begin, int64_t end) {
  const pack_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t taps = conv_taps(p);
  for (int64_t item = begin; item < end; item++) {
    int64_t block = item / taps, tap = item % taps;
    int64_t nb = block_vectors(p->oc, block) * LANES;
    const T* src = job->filter + conv_filter_at(p, tap) + block * NB * p->f_oc;
    T* dst = job->packed + block * NB * taps * p->c + tap * p->c * nb;
    pack_rows(p, src, dst, min64(NB, p->oc - block * NB), nb);
  }
}

/* ---- Forward: driver. */

typedef struct {
  const conv_plan* plan;
  row_source source;
  const T *packed, *bias;
  T* out;
  bool relu;
  tfc_areas areas;
  int64_t band_rows, bands;
  int64_t group, groups;  /* channel blocks in a group, and number of groups */
  int64_t blocks;         /* channel blocks */
  int64_t k_blocks_w, kc; /* k blocks of a filter row, and their length */
  int64_t taps_at_once;   /* filter rows for which a packed block stays in cache */
  int64_t planes_at_once; /* and filter planes, if it holds more than one */
  int64_t whole0, whole1; /* output rows [whole0, whole1) whose taps are all inside the image */
  int64_t inner0, inner1; /* columns with all taps inside, or all columns without split-off edges */
  const int64_t* offsets; /* [taps_h * k_blocks_w] */
} run_job;

/* Output pixels of one channel block that lie on a line and use the same taps. */
typedef struct {
  int64_t r, q, count;    /* first pixel, how many */
  bool down;              /* the line goes down a column, otherwise along a row */
  int64_t i0, i1, j0, j1; /* taps; all of a row if they are not neighbours */
} strip;

/* Input rows of a band in all planes that its taps meet. */
typedef struct {
  const T* rows; /* row `begin` in the first plane */
  int64_t begin, end;
  int64_t plane;  /* elements from a plane to the next */
  tap_range taps; /* the first plane is that of taps.begin */
  T* out;         /* the plane of the output */
} band_input;

/* What is computed at once: one channel block, some of the taps. */
typedef struct {
  int64_t block;
  int64_t r0, r1;         /* output rows */
  int64_t d0, d1, t0, t1; /* taps along planes and rows */
  bool first, last;       /* of all taps */
} pass;

static void run_strip(const run_job* job, const band_input* in, const pass* now, const strip* s) {
  const conv_plan* p = job->plan;
  int64_t block = now->block;
  int64_t vectors = block_vectors(p->oc, block), nb = vectors * LANES;
  int64_t pitch = job->source.pitch;
  bool row = job->k_blocks_w == 1;
  tile_job t = {.offsets = job->offsets + s->i0 * job->k_blocks_w,
                .blocks = (s->i1 - s->i0) * job->k_blocks_w,
                .planes = now->d1 - now->d0,
                .a_plane = in->plane,
                .b_plane = p->taps_h * p->taps_w * p->c * nb,
                .kc = row ? (s->j1 - s->j0) * p->c : job->kc,
                .ldb = job->kc * nb,
                .lda = s->down ? p->step_h * pitch : p->step_w * p->c,
                .ldc = s->down ? p->out_row : p->out_col,
                .bias = now->last && job->bias ? job->bias + block * NB : NULL,
                .width = min64(p->oc - block * NB, nb),
                .relu = now->last && job->relu,
                .accumulate = !now->first};
  const T* a = in->rows + (now->d0 - in->taps.begin) * in->plane +
               (s->r * p->step_h - in->begin) * pitch +
               (s->q * p->step_w + s->j0 - job->source.first_col) * p->c;
  const T* b = job->packed + block * NB * conv_taps(p) * p->c +
               ((now->d0 * p->taps_h + s->i0) * p->taps_w + s->j0) * p->c * nb;
  T* c = in->out + s->r * p->out_row + s->q * p->out_col + block * NB;
  int64_t tiles_of_strip = ceil_div(s->count, CONV_MR), at = 0;
  for (int64_t i = 0; i < tiles_of_strip; i++) {
    int64_t next = s->count * (i + 1) / tiles_of_strip;
    tiles[next - at - 1][vectors - 1](&t, a + at * t.lda, b, c + at * t.ldc);
    at = next;
  }
}

/* Columns at the edges, whose taps are partly outside, cost as much as others in a row: if there
 * are enough rows, these columns are processed downwards instead, with only their inner taps. */
static void run_block(const run_job* job, const band_input* in, const pass* now) {
  const conv_plan* p = job->plan;
  int64_t whole0 = max64(now->r0, job->whole0), whole1 = min64(now->r1, job->whole1);
  bool rims = job->inner1 - job->inner0 < p->cols && whole1 - whole0 >= CONV_RIM_ROWS;
  for (int64_t r = now->r0; r < now->r1; r++) {
    tap_range v = taps_of_row(p, r);
    strip s = {.r = r,
               .count = p->cols,
               .i0 = max64(v.begin, now->t0),
               .i1 = min64(v.end, now->t1),
               .j1 = p->taps_w};
    if (s.i1 <= s.i0) {
      if (!now->first && !now->last) continue;
      s.i0 = s.i1 = 0;
    }
    if (rims && r >= whole0 && r < whole1) {
      s.q = job->inner0;
      s.count = job->inner1 - job->inner0;
    }
    run_strip(job, in, now, &s);
  }
  for (int64_t q = 0; rims && q < p->cols; q++) {
    if (q == job->inner0) q = job->inner1;
    if (q == p->cols) break;
    tap_range v = taps_of_column(p, q);
    strip s = {.r = whole0,
               .q = q,
               .count = whole1 - whole0,
               .down = true,
               .i0 = now->t0,
               .i1 = now->t1,
               .j0 = v.begin,
               .j1 = v.end};
    run_strip(job, in, now, &s);
  }
}

/* All taps of one channel block, as many at once as stay in cache. */
static void run_taps(const run_job* job, const band_input* in, pass now) {
  const conv_plan* p = job->plan;
  now.d0 = in->taps.begin;
  do {
    now.d1 = min64(in->taps.end, now.d0 + job->planes_at_once);
    now.t0 = 0;
    do {
      now.t1 = min64(p->taps_h, now.t0 + job->taps_at_once);
      now.first = now.d0 == in->taps.begin && now.t0 == 0;
      now.last = now.d1 == in->taps.end && now.t1 == p->taps_h;
      run_block(job, in, &now);
      now.t0 = now.t1;
    } while (now.t0 < p->taps_h);
    now.d0 = now.d1;
  } while (now.d0 < in->taps.end);
}

/* The input of output rows [r0, r1) of a plane, counted through all images. */
static band_input load_band(const run_job* job, int64_t plane, int64_t r0, int64_t r1, T* area) {
  const conv_plan* p = job->plan;
  int64_t image = plane / p->planes, at = plane % p->planes, apart = planes_apart(p);
  band_input in = {.rows = job->source.in,
                   .out = job->out + image * p->out_image + at * p->out_plane};
  in.taps = taps_of_plane(p, at);
  touched_rows(p, r0, r1, &in.begin, &in.end);
  int64_t count = in.taps.end - in.taps.begin;
  if (count == 0) return in;
  int64_t first = image * p->d + at * p->step_d + p->tap_d[in.taps.begin].offset;
  in.rows = source_rows(&job->source, first, in.begin, in.end, area);
  in.plane = apart * p->h * p->w * p->c;
  if (job->source.copies) {
    in.plane = (in.end - in.begin) * job->source.pitch;
    for (int64_t k = 1; k < count; k++)
      source_rows(&job->source, first + k * apart, in.begin, in.end, area + k * in.plane);
  }
  return in;
}

/* Items are (image, plane, band of output rows, group of channel blocks). */
static void run_range(void* arg, int64_t begin, int64_t end) {
  run_job* job = arg;
  const conv_plan* p = job->plan;
  T* area = tfc_areas_take(&job->areas);
  int64_t loaded = -1;
  band_input in = {0};
  for (int64_t item = begin; item < end; item++) {
    int64_t group = item % job->groups, band = item / job->groups;
    pass now = {.r0 = band % job->bands * job->band_rows};
    now.r1 = min64(p->rows, now.r0 + job->band_rows);
    if (loaded != band) {
      in = load_band(job, band / job->bands, now.r0, now.r1, area);
      loaded = band;
    }
    int64_t b1 = min64(job->blocks, (group + 1) * job->group);
    for (now.block = group * job->group; now.block < b1; now.block++) run_taps(job, &in, now);
  }
  tfc_areas_give(&job->areas, area);
}

/* Splits the output into inner pixels and edges, if that is possible and pays. */
static void find_rims(run_job* job) {
  const conv_plan* p = job->plan;
  while (job->whole0 < p->rows && taps_of_row(p, job->whole0).begin > 0) job->whole0++;
  for (job->whole1 = p->rows; job->whole1 > job->whole0; job->whole1--)
    if (taps_of_row(p, job->whole1 - 1).end == p->taps_h) break;
  while (job->inner0 < p->cols && taps_of_column(p, job->inner0).begin > 0) job->inner0++;
  for (job->inner1 = p->cols; job->inner1 > job->inner0; job->inner1--)
    if (taps_of_column(p, job->inner1 - 1).end == p->taps_w) break;
  if (!taps_are_neighbours(p) || p->c < CONV_RIM_CHANNELS ||
      job->inner1 - job->inner0 < CONV_RIM_COLS) {
    job->inner0 = 0;
    job->inner1 = p->cols;
  }
}

static int run_offsets(tfc_context* ctx, run_job* job) {
  const conv_plan* p = job->plan;
  bool row = taps_are_neighbours(p);
  job->k_blocks_w = row ? 1 : p->taps_w;
  job->kc = row ? p->taps_w * p->c : p->c;
  int64_t* offsets = tfc_scratch(ctx, (p->taps_h * job->k_blocks_w + 1) * sizeof(int64_t));
  if (!offsets) return TFC_RESOURCE_EXHAUSTED;
  if (p->taps_w > 0)
    for (int64_t i = 0; i < p->taps_h; i++)
      for (int64_t j = 0; j < job->k_blocks_w; j++)
        offsets[i * job->k_blocks_w + j] =
            p->tap_h[i].offset * job->source.pitch + p->tap_w[j].offset * p->c;
  job->offsets = offsets;
  return TFC_OK;
}

#ifdef CONV_SHORT /* in conv/winograd.h */
static bool short_applies(const conv_plan* p);
static int short_run(tfc_context* ctx, const conv_plan* p, const T* in, T* packed, const T* bias,
                     bool relu, T* out, bool* done);
#endif

int N(conv_run)(tfc_context* ctx, const conv_plan* p, const T* in, const T* filter, T* out,
                const conv_epilogue* epilogue) {
  int64_t blocks = ceil_div(p->oc, NB), taps = conv_taps(p), planes = p->images * p->planes;
  if (planes * p->rows * p->cols * p->oc == 0) return TFC_OK;
  run_job job = {.plan = p, .source = row_source_of(p, in), .out = out, .blocks = blocks};
  T* packed = tfc_scratch(ctx, (blocks * NB * taps * p->c + LANES) * sizeof(T));
  T* bias = tfc_scratch(ctx, blocks * NB * sizeof(T));
  int code = run_offsets(ctx, &job);
  if (!packed || !bias || code) return TFC_RESOURCE_EXHAUSTED;
  job.packed = packed;
  job.relu = epilogue && epilogue->relu;
  if (epilogue && epilogue->bias) {
    memset(bias, 0, blocks * NB * sizeof(T));
    memcpy(bias, epilogue->bias, p->oc * sizeof(T));
    job.bias = bias;
  }
  pack_job pack = {p, filter, packed};
  if (taps > 0) tfc_parallel_for(ctx, blocks * taps, p->c * NB * 0.3, pack_range, &pack);
#ifdef CONV_SHORT
  bool done = false;
  if (short_applies(p)) code = short_run(ctx, p, in, packed, job.bias, job.relu, out, &done);
  if (code || done) return code;
#endif
  find_rims(&job);

  job.band_rows = rows_of_band(p, &job.source, p->taps_d, 256 << 10);
  /* Makes enough items for the threads: first shorter bands, then groups of channel blocks. */
  int64_t wanted = 4 * (int64_t)ctx->api->max_threads(ctx);
  job.bands = ceil_div(p->rows, job.band_rows);
  job.groups = 1;
  if (planes * job.bands < wanted && ctx->api->max_threads(ctx) > 1) {
    job.groups = min64(blocks, ceil_div(wanted, planes * job.bands));
    if (planes * job.bands * job.groups < wanted) {
      int64_t split = ceil_div(wanted, planes * job.groups);
      job.band_rows = max64(1, p->rows / min64(p->rows, split));
      job.bands = ceil_div(p->rows, job.band_rows);
    }
  }
  job.group = ceil_div(blocks, job.groups);
  job.groups = ceil_div(blocks, job.group);
  job.taps_at_once =
      max64(1, (int64_t)((640 << 10) / (max64(1, p->taps_w * p->c) * NB * sizeof(T))));
  job.planes_at_once = max64(1, job.taps_at_once / max64(1, p->taps_h));
  code = tfc_areas_make(ctx, &job.areas, area_bytes(p, &job.source, job.band_rows, p->taps_d));
  if (code) return code;
  double flops = 2.0 * taps * p->c * p->cols * job.band_rows * NB * job.group;
  tfc_parallel_for(ctx, planes * job.bands * job.groups, 50 + flops * sizeof(T) / 500.0, run_range,
                   &job);
  return TFC_OK;
}
