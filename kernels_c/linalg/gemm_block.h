/* Blocked products of one element type; included last.
 *
 * A block of C runs over k in equal slices of at most GEMM_KC, over rows in blocks for which A fits
 * in L2, and over strips of GEMM_TILE_VECTORS vectors of columns. The tiles of a strip follow one
 * another, so the slice of the strip (40 KB) stays in L1: the first tile reads B in place and packs
 * it, the others read the packed strip.
 */

enum {
  STRIP = GEMM_TILE_VECTORS * LANES,
  MC = GEMM_A_BYTES / (GEMM_KC * T_BYTES),
  LINE = 64 / T_BYTES,            /* elements of a cache line */
  STRIP_LINES = STRIP / LINE + 1, /* in a row of a strip that is not aligned */
  FAR_BYTES = 1 << 17,            /* a B of this size is worth prefetching */
};

static __thread struct {
  T strip[GEMM_KC * STRIP];
  T a[MC * GEMM_KC + 2 * LANES];
} N(work) __attribute__((aligned(64)));

/* How a product is computed; depends on its sizes and strides only. */
typedef struct N(plan) {
  enum { GEMM_TALL, GEMM_FLAT, GEMM_DOT, GEMM_TURNED } path;
  bool pack_a;
  T* packed_b; /* of GEMM_TURNED */
} N(plan);

/* Computes the tiles first..last-1 of a strip of C. */
static void N(strip)(const gemm_args* g, gemm_tile* t, const T* a, const T* packed_a, int vectors,
                     int64_t first, int64_t last, const T* next_strip) {
  const int64_t tiles = gemm_tile_count(g->m);
  const int64_t row0 = gemm_tile_begin(g->m, tiles, first);
  T* const c = t->c;
  const bool packs = t->pack_b;
  for (int64_t i = first; i < last; i++) {
    const int64_t row = gemm_tile_begin(g->m, tiles, i);
    const int rows = (int)(gemm_tile_begin(g->m, tiles, i + 1) - row);
    if (packed_a) {
      t->a = packed_a + (row - row0) * t->k;
      t->a_rs = 1;
      t->a_cs = rows;
    } else {
      t->a = a + row * g->a_rs;
      t->a_rs = g->a_rs;
      t->a_cs = g->a_cs;
    }
    t->c = c + row * g->c_rs;
    /* The first tile may pack the strip; each of the next ones prefetches two columns of cache
     * lines of the next strip. Rows of B may be too far apart for hardware prefetchers. */
    const int64_t line = 2 * (i - first - packs);
    t->prefetch = next_strip && line >= 0 && line < STRIP_LINES ? next_strip + line * LINE : NULL;
    N(tiles)[rows - 1][vectors - 1](t);
    if (t->pack_b) {
      t->b = t->pack_b;
      t->b_rs = vectors * LANES;
      t->pack_b = NULL;
    }
  }
}

/* One slice of k (from p0, k deep) of all of g. */
static void N(slice)(const gemm_args* g, bool pack_a, int64_t p0, int64_t k, unsigned flags,
                     const T* bias) {
  const T *a = (const T*)g->a + p0 * g->a_cs, *b = (const T*)g->b + p0 * g->b_rs;
  const int64_t tiles = gemm_tile_count(g->m), blocks = (g->m + MC - 1) / MC;
  const bool far = g->b_cs == 1 && g->k * g->n * T_BYTES >= FAR_BYTES;
  for (int64_t block = 0; block < blocks; block++) {
    const int64_t first = gemm_tile_begin(tiles, blocks, block);
    const int64_t last = gemm_tile_begin(tiles, blocks, block + 1);
    const int64_t row0 = gemm_tile_begin(g->m, tiles, first);
    for (int64_t i = first; i < last && pack_a; i++) {
      const int64_t row = gemm_tile_begin(g->m, tiles, i);
      N(pack_a)(N(work).a + (row - row0) * k, a + row * g->a_rs, g->a_rs, g->a_cs,
                gemm_tile_begin(g->m, tiles, i + 1) - row, k);
    }
    for (int64_t j = 0; j < g->n; j += STRIP) {
      const int64_t cols = g->n - j < STRIP ? g->n - j : STRIP;
      const int vectors = (int)((cols + LANES - 1) / LANES);
      gemm_tile t = {.k = k,
                     .blocks = 1,
                     .b = b + j * g->b_cs,
                     .b_rs = g->b_rs,
                     .c = (T*)g->c + j * g->c_cs,
                     .c_rs = g->c_rs,
                     .c_cs = g->c_cs,
                     .cols = cols,
                     .bias = bias ? bias + j : NULL,
                     .flags = flags,
                     .prefetch_rs = g->b_rs};
      if (g->b_cs != 1 || (!GEMM_MASKED_COLUMNS && cols < vectors * LANES)) {
        N(gemm_pack_b)(N(work).strip, t.b, g->b_rs, g->b_cs, k, cols, vectors);
        t.b = N(work).strip;
        t.b_rs = vectors * LANES;
      } else if (last - first > 2) {
        t.pack_b = N(work).strip;
      }
      const T* next = j + STRIP < g->n ? b + j + STRIP : p0 + k < g->k ? b + k * g->b_rs : NULL;
      N(strip)(g, &t, a, pack_a ? N(work).a : NULL, vectors, first, last, far ? next : NULL);
    }
  }
}

static void N(tall)(const gemm_args* g, bool pack_a) {
  const int64_t slices = g->k ? (g->k + GEMM_KC - 1) / GEMM_KC : 1;
  for (int64_t s = 0; s < slices; s++) {
    const int64_t p0 = gemm_tile_begin(g->k, slices, s);
    const bool first = s == 0, last = s == slices - 1;
    N(slice)(g, pack_a, p0, gemm_tile_begin(g->k, slices, s + 1) - p0,
             (last ? g->flags & ~GEMM_ACCUMULATE : 0) |
                 (first ? g->flags & GEMM_ACCUMULATE : GEMM_ACCUMULATE),
             last ? g->bias : NULL);
  }
}

/* A few rows times a row-major B: B is read once, in strips that are as wide as registers allow. */
static void N(flat)(const gemm_args* g) {
  gemm_tile t = {.k = g->k,
                 .blocks = 1,
                 .a = g->a,
                 .a_rs = g->a_rs,
                 .a_cs = g->a_cs,
                 .b_rs = g->b_rs,
                 .c_rs = g->c_rs,
                 .c_cs = g->c_cs,
                 .flags = g->flags};
  for (int64_t j = 0; j < g->n; j += t.cols) {
    const int64_t left = g->n - j;
    const int vectors = left >= GEMM_WIDE_VECTORS * LANES ? GEMM_WIDE_VECTORS
                        : left > LANES                    ? 2
                                                          : 1;
    t.cols = left < vectors * LANES ? left : vectors * LANES;
    if (!GEMM_MASKED_COLUMNS && t.cols < vectors * LANES) {
      gemm_args rest = *g;
      rest.n = left;
      rest.b = (const T*)g->b + j;
      rest.c = (T*)g->c + j * g->c_cs;
      rest.bias = g->bias ? (const T*)g->bias + j : NULL;
      N(tall)(&rest, false);
      return;
    }
    t.b = (const T*)g->b + j;
    t.c = (T*)g->c + j * g->c_cs;
    t.bias = g->bias ? (const T*)g->bias + j : NULL;
    N(tiles)[g->m - 1][vectors - 1](&t);
  }
}

/* ---- Products whose operands `turn` has exchanged. B, of few columns, is packed beforehand: slice
 * after slice of k, in each strip after strip. A is read in place. */

enum { TURNED_COLS = 128 };

static int64_t N(slices)(const gemm_args* g) {
  return (g->k + GEMM_KC - 1) / GEMM_KC;
}

static int64_t N(packed_columns)(const gemm_args* g) {
  return (g->n + LANES - 1) / LANES * LANES;
}

/* Slice s of k. */
static void N(pack_slice)(const gemm_args* g, T* packed, int64_t s) {
  const int64_t slices = N(slices)(g), p0 = gemm_tile_begin(g->k, slices, s);
  const int64_t k = gemm_tile_begin(g->k, slices, s + 1) - p0;
  T* to = packed + p0 * N(packed_columns)(g);
  for (int64_t j = 0; j < g->n; j += STRIP) {
    const int64_t cols = g->n - j < STRIP ? g->n - j : STRIP;
    N(gemm_pack_b)(to + j * k, (const T*)g->b + p0 * g->b_rs + j * g->b_cs, g->b_rs, g->b_cs, k,
                   cols, (int)((cols + LANES - 1) / LANES));
  }
}

/* Adds slice s of k to the sums of a tile's rows, which begin at `row`. */
static void N(turned_slice)(const gemm_args* g, const T* packed, T* sums, int64_t row, int rows,
                            int64_t s) {
  const int64_t slices = N(slices)(g), p0 = gemm_tile_begin(g->k, slices, s);
  const int64_t k = gemm_tile_begin(g->k, slices, s + 1) - p0;
  for (int64_t j = 0; j < g->n; j += STRIP) {
    const int64_t cols = g->n - j < STRIP ? g->n - j : STRIP;
    const int vectors = (int)((cols + LANES - 1) / LANES);
    const gemm_tile t = {.k = k,
                         .blocks = 1,
                         .a = (const T*)g->a + row * g->a_rs + p0 * g->a_cs,
                         .a_rs = g->a_rs,
                         .a_cs = g->a_cs,
                         .b = packed + p0 * N(packed_columns)(g) + j * k,
                         .b_rs = vectors * LANES,
                         .c = sums + j,
                         .c_rs = TURNED_COLS,
                         .c_cs = 1,
                         .cols = cols,
                         .flags = (s ? GEMM_ACCUMULATE : 0) | (s == slices - 1 ? g->flags : 0)};
    N(tiles)[rows - 1][vectors - 1](&t);
  }
}

static void N(turned)(const gemm_args* g, const T* packed) {
  T sums[GEMM_ROWS * TURNED_COLS] __attribute__((aligned(64)));
  const int64_t slices = N(slices)(g), tiles = gemm_tile_count(g->m);
  for (int64_t i = 0; i < tiles; i++) {
    const int64_t row = gemm_tile_begin(g->m, tiles, i);
    const int rows = (int)(gemm_tile_begin(g->m, tiles, i + 1) - row);
    for (int64_t s = 0; s < slices; s++) N(turned_slice)(g, packed, sums, row, rows, s);
    N(store_columns)((T*)g->c + row * g->c_rs, g->c_rs, g->c_cs, sums, TURNED_COLS, rows, g->n);
  }
}

static void N(run)(const gemm_args* g, N(plan) plan) {
  switch (plan.path) {
    case GEMM_TALL: N(tall)(g, plan.pack_a); break;
    case GEMM_FLAT: N(flat)(g); break;
    case GEMM_TURNED: N(turned)(g, plan.packed_b); break;
    case GEMM_DOT: N(dot_product)(g); break;
  }
}

/* C^T = B^T * A^T. */
static gemm_args N(transposed)(const gemm_args* g) {
  gemm_args s = *g;
  s.m = g->n, s.n = g->m;
  s.a = g->b, s.a_rs = g->b_cs, s.a_cs = g->b_rs;
  s.b = g->a, s.b_rs = g->a_cs, s.b_cs = g->a_rs;
  s.c_rs = g->c_cs, s.c_cs = g->c_rs;
  return s;
}

enum { DOT_COLS = 12, DOT_ROWS = 16, DOT_K = 2 * LANES, PACK_A_SIZE = 384 };

/* Chooses the path and may exchange the roles of A and B. */
static N(plan) N(choose)(gemm_args* g) {
  N(plan) plan = {GEMM_TALL, false, NULL};
  if (g->k == 0) return plan;
  const bool a_along_k = g->a_cs == 1, b_along_k = g->b_rs == 1, b_along_n = g->b_cs == 1;
  if (g->k >= DOT_K) {
    const bool few_columns = g->n <= DOT_COLS && a_along_k && (b_along_k || g->m >= DOT_ROWS);
    const bool few_rows = g->m <= DOT_ROWS && b_along_k && !b_along_n;
    if (few_columns || few_rows) {
      plan.path = GEMM_DOT;
      return plan;
    }
  }
  /* Columns that do not fill a vector, with an A that is contiguous along m. */
  if (g->n < LANES && g->n < g->m && g->a_rs == 1 && !g->bias) *g = N(transposed)(g);
  if (g->m <= GEMM_WIDE_ROWS && g->b_cs == 1) plan.path = GEMM_FLAT;
  /* Copying A in tile order gains 5 % if A exceeds L2 and is read many times. */
  plan.pack_a = g->m >= PACK_A_SIZE && g->n >= PACK_A_SIZE && g->b_cs == 1 &&
                g->m * g->k * T_BYTES >= 2 * GEMM_A_BYTES;
  return plan;
}

/* Copies operands of a dot product that are not contiguous along k. */
static bool N(align_along_k)(gemm_args* g, tfc_context* ctx, void** to_free) {
  const bool copy_a = g->a_cs != 1, copy_b = g->b_rs != 1;
  if (!copy_a && !copy_b) return true;
  const int64_t pitch = (g->k + LANES - 1) / LANES * LANES;
  const size_t bytes = (size_t)pitch * ((copy_a ? g->m : 0) + (copy_b ? g->n : 0)) * sizeof(T);
  T* copy = ctx ? tfc_scratch(ctx, bytes) : (*to_free = malloc(bytes));
  if (!copy) return false;
  if (copy_a) {
    N(copy_along_k)(copy, pitch, g->a, g->a_cs, g->a_rs, g->m, g->k);
    g->a = copy, g->a_rs = pitch, g->a_cs = 1;
    copy += pitch * g->m;
  }
  if (copy_b) {
    N(copy_along_k)(copy, pitch, g->b, g->b_rs, g->b_cs, g->n, g->k);
    g->b = copy, g->b_cs = pitch, g->b_rs = 1;
  }
  return true;
}

enum { TURNED_K = 128, TURNED_BYTES = 1 << 18, TURNED_WASTE = 8 };

/* A tall product whose B is contiguous along k, as in the gradient of a layer's input: the strips
 * of B would be packed crosswise, which for few rows of A takes up to half as long as multiplying.
 * If B is much larger than A, exchanging their roles is faster. That changes no bit. */
static bool N(is_to_turn)(const gemm_args* g) {
  const int64_t waste = (g->m + LANES - 1) / LANES * LANES - g->m; /* in the last vector of rows */
  return g->b_rs == 1 && g->b_cs != 1 && g->c_cs == 1 && !g->bias &&
         !(g->flags & GEMM_ACCUMULATE) && g->m <= TURNED_COLS && waste <= TURNED_WASTE &&
         g->n >= 2 * g->m && g->k >= TURNED_K && g->n * g->k * T_BYTES >= TURNED_BYTES;
}

typedef struct N(job) {
  gemm_args g;
  N(plan) plan;
  int64_t row_parts, col_parts, col_unit;
} N(job);

/* Items of the parallel loop are parts of C, row by row. */
static void N(run_parts)(void* arg, int64_t begin, int64_t end) {
  const N(job)* job = arg;
  if (begin == 0 && end == job->row_parts * job->col_parts) {
    N(run)(&job->g, job->plan);
    return;
  }
  const int64_t units = (job->g.n + job->col_unit - 1) / job->col_unit;
  while (begin < end) {
    const int64_t r = begin / job->col_parts, c = begin % job->col_parts;
    const int64_t c_end = c + (end - begin) < job->col_parts ? c + (end - begin) : job->col_parts;
    const int64_t row = gemm_tile_begin(job->g.m, job->row_parts, r);
    const int64_t col = gemm_tile_begin(units, job->col_parts, c) * job->col_unit;
    const int64_t col_end = gemm_tile_begin(units, job->col_parts, c_end) * job->col_unit;
    gemm_args g = job->g;
    g.m = gemm_tile_begin(job->g.m, job->row_parts, r + 1) - row;
    g.n = (col_end < job->g.n ? col_end : job->g.n) - col;
    g.a = (const T*)g.a + row * g.a_rs;
    g.b = (const T*)g.b + col * g.b_cs;
    g.c = (T*)g.c + row * g.c_rs + col * g.c_cs;
    if (g.bias) g.bias = (const T*)g.bias + col;
    N(run)(&g, job->plan);
    begin += c_end - c;
  }
}

static void N(pack_slices)(void* arg, int64_t begin, int64_t end) {
  const N(job)* job = arg;
  for (int64_t s = begin; s < end; s++) N(pack_slice)(&job->g, job->plan.packed_b, s);
}

/* Exchanges the roles of A and B and packs the new B. No effect without memory. */
static void N(turn)(N(job) * job, tfc_context* ctx, void** to_free) {
  const gemm_args turned = N(transposed)(&job->g);
  const int64_t size = turned.k * N(packed_columns)(&turned);
  const size_t bytes = (size_t)size * sizeof(T);
  T* packed = ctx ? tfc_scratch(ctx, bytes) : (*to_free = malloc(bytes));
  if (!packed) return;
  job->g = turned;
  job->plan = (N(plan)){GEMM_TURNED, false, packed};
  const int64_t slices = N(slices)(&turned);
  if (ctx) {
    tfc_parallel_for(ctx, slices, 0.1 * (double)size / (double)slices, N(pack_slices), job);
  } else {
    N(pack_slices)(job, 0, slices);
  }
}

/* Cuts C into parts for the threads. Cuts between columns divide the packing of B, cuts between
 * rows that of A; undivided packing is done once for each part. */
static void N(partition)(N(job) * job, int64_t parts) {
  const gemm_args* g = &job->g;
  const bool flat = job->plan.path == GEMM_FLAT;
  const int64_t row_unit = job->plan.path == GEMM_DOT ? DOT_ROWS : 4 * GEMM_ROWS;
  job->col_unit = flat ? GEMM_WIDE_VECTORS * LANES : STRIP;
  const int64_t most_rows = flat ? 1 : (g->m + row_unit - 1) / row_unit;
  const bool whole_rows = job->plan.path == GEMM_TURNED;
  const int64_t most_cols = whole_rows ? 1 : (g->n + job->col_unit - 1) / job->col_unit;
  if (!job->plan.pack_a && (g->n >= g->m || (g->b_cs != 1 && most_cols >= parts))) {
    job->col_parts = parts < most_cols ? parts : most_cols;
    job->row_parts = parts / job->col_parts < most_rows ? parts / job->col_parts : most_rows;
  } else {
    job->row_parts = parts < most_rows ? parts : most_rows;
    job->col_parts = parts / job->row_parts < most_cols ? parts / job->row_parts : most_cols;
  }
}

static void N(product)(tfc_context* ctx, const gemm_args* args) {
  if (args->m == 0 || args->n == 0) return;
  N(job) job = {.g = *args};
  gemm_args* g = &job.g;
  job.plan = N(choose)(g);
  void* to_free = NULL;
  if (job.plan.path == GEMM_DOT && !N(align_along_k)(g, ctx, &to_free)) {
    job.plan.path = GEMM_TALL;
  }
  if (job.plan.path == GEMM_TALL && N(is_to_turn)(g)) N(turn)(&job, ctx, &to_free);
  const double cost = gemm_cost_ns(g->m, g->n, g->k, sizeof(T));
  const int threads = ctx && cost > GEMM_PARALLEL_NS ? ctx->api->max_threads(ctx) : 1;
  if (threads <= 1) {
    N(run)(g, job.plan);
  } else {
    const int64_t parts = (int64_t)(cost / GEMM_PART_NS);
    N(partition)(&job, parts < 2 ? 2 : parts < 4 * threads ? parts : 4 * threads);
    const int64_t n = job.row_parts * job.col_parts;
    tfc_parallel_for(ctx, n, cost / (double)n, N(run_parts), &job);
  }
  free(to_free);
}
