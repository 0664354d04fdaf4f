/* Sums of products of one element type; included after gemm_block.h.
 *
 * C = A_0 * B_0 + A_1 * B_1 + ..., in this order, with the bits of separate products and additions.
 * If each product would be one slice of k, the sum of a part of C (a few tiles high, a strip wide)
 * stays in L1 while all products are added to it, and C is written once.
 */

enum { SUM_ROWS = 128 }; /* of a part; its rows of A for a few products are in L2 */

typedef struct N(sum_job) {
  const gemm_args* terms;
  int64_t count, row_parts, col_parts;
  gemm_start start;
} N(sum_job);

/* Rows row..row+m of A of the terms first..last-1, in tile order, one after the other. */
static void N(pack_terms)(const gemm_args* terms, int64_t first, int64_t last, int64_t row,
                          int64_t m) {
  const int64_t tiles = gemm_tile_count(m);
  T* to = N(work).a;
  for (int64_t t = first; t < last; t++) {
    const gemm_args* g = &terms[t];
    for (int64_t i = 0; i < tiles; i++) {
      const int64_t begin = gemm_tile_begin(m, tiles, i), end = gemm_tile_begin(m, tiles, i + 1);
      N(pack_a)(to, (const T*)g->a + (row + begin) * g->a_rs, g->a_rs, g->a_cs, end - begin, g->k);
      to += (end - begin) * g->k;
    }
  }
}

/* sums (+)= the product of a term, for m rows whose A is packed and the columns from col on. */
static void N(add_term)(T* sums, const gemm_args* term, const T* packed_a, int64_t m, int64_t col,
                        int64_t cols, bool accumulate, const T* next_strip) {
  const int vectors = (int)((cols + LANES - 1) / LANES);
  const int64_t tiles = gemm_tile_count(m);
  gemm_args g = *term;
  g.m = m;
  g.c_rs = STRIP;
  gemm_tile t = {.k = g.k,
                 .blocks = 1,
                 .b = (const T*)g.b + col * g.b_cs,
                 .b_rs = g.b_rs,
                 .c = sums,
                 .c_rs = STRIP,
                 .c_cs = 1,
                 .cols = cols,
                 .flags = accumulate ? GEMM_ACCUMULATE : 0,
                 .prefetch_rs = g.b_rs};
  if (g.b_cs != 1 || (!GEMM_MASKED_COLUMNS && cols < vectors * LANES)) {
    N(gemm_pack_b)(N(work).strip, t.b, g.b_rs, g.b_cs, g.k, cols, vectors);
    t.b = N(work).strip;
    t.b_rs = vectors * LANES;
  } else if (tiles > 2) {
    t.pack_b = N(work).strip;
  }
  N(strip)(&g, &t, NULL, packed_a, vectors, 0, tiles, g.b_cs == 1 ? next_strip : NULL);
}

/* The terms first..last-1 of m rows and the columns col..col_end of C. */
static void N(sum_terms)(const gemm_args* terms, int64_t first, int64_t last, int64_t row,
                         int64_t m, int64_t col, int64_t col_end, gemm_start start) {
  T sums[SUM_ROWS * STRIP] __attribute__((aligned(64)));
  const int64_t c_rs = terms->c_rs;
  N(pack_terms)(terms, first, last, row, m);
  for (; col < col_end; col += STRIP) {
    const int64_t cols = col_end - col < STRIP ? col_end - col : STRIP;
    T* c = (T*)terms->c + row * c_rs + col;
    for (int64_t i = 0; i < m && (first || start == GEMM_ADD); i++) {
      memcpy(sums + i * STRIP, c + i * c_rs, (size_t)cols * sizeof(T));
    }
    if (!first && start == GEMM_FROM_ZERO) memset(sums, 0, sizeof sums);
    const T* a = N(work).a;
    for (int64_t t = first; t < last; t++) {
      const T* next = t + 1 < last            ? (const T*)terms[t + 1].b + col
                      : col + STRIP < col_end ? (const T*)terms[first].b + col + STRIP
                                              : NULL;
      N(add_term)(sums, &terms[t], a, m, col, cols, t > 0 || start != GEMM_NEW, next);
      a += m * terms[t].k;
    }
    for (int64_t i = 0; i < m; i++) {
      memcpy(c + i * c_rs, sums + i * STRIP, (size_t)cols * sizeof(T));
    }
  }
}

/* Items of the parallel loop are parts of C, row by row. */
static void N(sum_parts)(void* arg, int64_t begin, int64_t end) {
  const N(sum_job)* job = arg;
  const int64_t units = (job->terms->n + STRIP - 1) / STRIP;
  for (; begin < end; begin++) {
    const int64_t r = begin / job->col_parts, c = begin % job->col_parts;
    const int64_t row = gemm_tile_begin(job->terms->m, job->row_parts, r);
    const int64_t m = gemm_tile_begin(job->terms->m, job->row_parts, r + 1) - row;
    const int64_t col = gemm_tile_begin(units, job->col_parts, c) * STRIP;
    int64_t col_end = gemm_tile_begin(units, job->col_parts, c + 1) * STRIP;
    if (col_end > job->terms->n) col_end = job->terms->n;
    for (int64_t first = 0, last; first < job->count; first = last) {
      int64_t packed = 0;
      for (last = first; last < job->count; last++) {
        packed += m * job->terms[last].k;
        if (packed > MC * GEMM_KC) break;
      }
      N(sum_terms)(job->terms, first, last, row, m, col, col_end, job->start);
    }
  }
}

/* Whether a single product would be computed in one slice of k, by tiles of rows. */
static bool N(is_one_slice)(const gemm_args* term) {
  gemm_args g = *term;
  return N(choose)(&g).path == GEMM_TALL && g.a == term->a && g.m == term->m && g.c_cs == 1 &&
         g.k <= GEMM_KC;
}

typedef struct N(addition) {
  T* sum;
  const T* more;
} N(addition);

static void N(add_range)(void* arg, int64_t begin, int64_t end) {
  const N(addition) a = *(N(addition)*)arg;
#pragma GCC ivdep
  for (int64_t i = begin; i < end; i++) a.sum[i] += a.more[i];
}

/* One product after the other, each added to C. False: no memory. */
static bool N(add_one_by_one)(tfc_context* ctx, const gemm_args* terms, int64_t count,
                              gemm_start start) {
  const int64_t n = terms->m * terms->n;
  N(addition) a = {terms->c, tfc_scratch(ctx, (size_t)n * sizeof(T))};
  if (!a.more) return false;
  if (start == GEMM_NEW) N(product)(ctx, terms);
  if (start == GEMM_FROM_ZERO) memset(a.sum, 0, (size_t)n * sizeof(T));
  for (int64_t t = start == GEMM_NEW; t < count; t++) {
    gemm_args g = terms[t];
    g.c = (T*)a.more;
    N(product)(ctx, &g);
    tfc_parallel_for(ctx, n, 0.3, N(add_range), &a);
  }
  return true;
}

static bool N(sum_of_products)(tfc_context* ctx, const gemm_args* terms, int64_t count,
                               gemm_start start) {
  const int64_t m = terms->m, n = terms->n;
  if (m == 0 || n == 0) return true;
  double cost = 0;
  bool one_slice = terms->c_cs == 1;
  for (int64_t t = 0; t < count; t++) {
    cost += gemm_cost_ns(m, n, terms[t].k, sizeof(T));
    one_slice &= N(is_one_slice)(&terms[t]);
  }
  if (!one_slice) return N(add_one_by_one)(ctx, terms, count, start);
  const int threads = cost > GEMM_PARALLEL_NS ? ctx->api->max_threads(ctx) : 1;
  int64_t parts = threads == 1 ? 1 : (int64_t)(cost / GEMM_PART_NS);
  if (parts > 4 * threads) parts = 4 * threads;
  const int64_t strips = (n + STRIP - 1) / STRIP, least = (m + SUM_ROWS - 1) / SUM_ROWS;
  const int64_t most = (m + 4 * GEMM_ROWS - 1) / (4 * GEMM_ROWS);
  N(sum_job) job = {terms, count, parts < least ? least : parts < most ? parts : most, 1, start};
  if (parts > job.row_parts) job.col_parts = (parts + job.row_parts - 1) / job.row_parts;
  if (job.col_parts > strips) job.col_parts = strips;
  const int64_t items = job.row_parts * job.col_parts;
  tfc_parallel_for(ctx, items, cost / (double)items, N(sum_parts), &job);
  return true;
}
