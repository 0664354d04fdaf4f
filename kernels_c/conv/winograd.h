/* Convolutions of stride 1 with filters of 3x3 and 5x5 taps, with fewer multiplications; a part of
 * the engine.
 *
 * Two neighbouring outputs of a row of three taps need four products instead of six (Winograd's
 * F(2,3)), of two taps three instead of four. Two outputs of five taps are one of each. In both
 * directions a tile of 2x2 outputs needs 16 instead of 36 products for 3x3 taps and 49 instead of
 * 100 for 5x5, and fewer if part of the tile is outside the output. Each is a matrix product over
 * tiles, input channels and output channels, computed by the tiles of the engine. Rows of products
 * are done one after the other, each from its part of the transformed input to its share of the
 * outputs, so that all but the filter stays in the cache.
 *
 * Some schemes save more but lose digits. These only add, subtract and halve (the points are 0, 1,
 * -1 and infinity): small integers stay exact, and errors are about those of adding up tap by tap.
 * But errors are relative to the largest terms of a tile: if its taps or pixels differ by many
 * orders of magnitude, the small terms lose digits that the direct method keeps when the large ones
 * meet zeros. So if the windows at the edges are mostly outside the image, three taps are done
 * directly. Each output is made only from the pixels of its window: windows of zeros give exactly
 * zero, on which relu and its gradient depend.
 *
 * The gradient of the filter sums over all tiles, so for five taps it may use larger ones, of 4x4
 * outputs with 121 instead of 400 products: four outputs are three problems of half the size
 * instead of four. With the even and odd pixels D0, D1 of the input (D2 is D0 from its second pixel
 * on) and the even and odd taps h0, h1
 *     even outputs = h0 * (D0 - D1) + (h0 + h1) * D1
 *      odd outputs = h1 * (D2 - D1) + (h0 + h1) * D1.
 * Pixels outside of an output's window then cancel, except for rounding. If infinities or overflow
 * could make a difference (inf - inf), the result is not finite and is computed again directly.
 */

enum {
  SHORT_OUTPUTS = 4,       /* of a row of a tile, at most */
  SHORT_INPUTS = 8,        /* that they need */
  SHORT_PRODUCTS = 11,     /* and how many products */
  SHORT_CHANNELS = 64,     /* input channels at a time */
  SHORT_WIDTH = 256,       /* output channels at a time, at most; a multiple of all NB */
  SHORT_REACH = 128,       /* tiles at a time, at most */
  SHORT_BYTES = 480 << 10, /* of their inputs and outputs */
  SHORT_PIECE = 32 / CONV_MR * CONV_MR, /* tiles for which a row of products is done at once */
  /* From product to product of a row, transformed input and sums. Constant for short address
   * computations; an odd number of cache lines, which all their sets take part in. */
  SHORT_STEP = 32 * SHORT_WIDTH + 16,
};

#define INLINE static inline __attribute__((always_inline))

/* The algorithms, by outputs and taps of a row. */
typedef enum { SHORT_2_OF_3, SHORT_2_OF_5, SHORT_4_OF_5 } short_kind;

static inline int short_taps(short_kind kind) {
  return kind == SHORT_2_OF_3 ? 3 : 5;
}
static inline int short_outputs(short_kind kind) {
  return kind == SHORT_4_OF_5 ? 4 : 2;
}
static inline int short_products(short_kind kind) {
  return kind == SHORT_2_OF_3 ? 4 : kind == SHORT_2_OF_5 ? 7 : 11;
}
/* Products that the first n outputs need; they are the first ones. */
static inline int short_needed(short_kind kind, int64_t n) {
  static const int needed[3][5] = {{0, 3, 4}, {0, 5, 7}, {0, 6, 8, 10, 11}};
  return needed[kind][n];
}

/* ---- The algorithms for a row. Vectors in memory are `step` elements apart. */

/* The factors of the products: of taps + outputs - 1 input values, ... */
INLINE void short_input(short_kind kind, const V* d, T* to, int64_t step) {
  if (kind != SHORT_4_OF_5) {
    const int last = kind == SHORT_2_OF_3 ? 3 : 5;
    OF(store)(to + 0 * step, d[0] - d[2]);
    OF(store)(to + 1 * step, d[1] + d[2]);
    OF(store)(to + 2 * step, d[2] - d[1]);
    OF(store)(to + last * step, d[3] - d[1]);
    if (kind == SHORT_2_OF_3) return;
    OF(store)(to + 3 * step, d[3] - d[4]);
    OF(store)(to + 4 * step, d[4]);
    OF(store)(to + 6 * step, d[5] - d[4]);
    return;
  }
  V a[4], c[3];
#pragma GCC unroll 4
  for (int k = 0; k < 4; k++) a[k] = d[2 * k] - d[2 * k + 1];
#pragma GCC unroll 4
  for (int k = 0; k < 3; k++) c[k] = d[2 * k + 2] - d[2 * k + 1];
  OF(store)(to + 0 * step, a[0] - a[2]);
  OF(store)(to + 1 * step, a[2] + a[1]);
  OF(store)(to + 2 * step, a[2] - a[1]);
  OF(store)(to + 3 * step, d[1] - d[5]);
  OF(store)(to + 4 * step, d[5] + d[3]);
  OF(store)(to + 5 * step, d[5] - d[3]);
  OF(store)(to + 6 * step, c[0] - c[1]);
  OF(store)(to + 7 * step, c[1]);
  OF(store)(to + 8 * step, a[3] - a[1]);
  OF(store)(to + 9 * step, d[7] - d[3]);
  OF(store)(to + 10 * step, c[2] - c[1]);
}
/* ... and of the taps. */
INLINE void short_filter(short_kind kind, const V* g, T* to, int64_t step) {
  const T half = (T)0.5;
  const int last = kind == SHORT_2_OF_3 ? 3 : 5;
  V ends = (g[0] + g[2]) * half, centre = g[1] * half;
  OF(store)(to + 0 * step, g[0]);
  OF(store)(to + 1 * step, ends + centre);
  OF(store)(to + 2 * step, ends - centre);
  OF(store)(to + last * step, g[2]);
  if (kind == SHORT_2_OF_3) return;
  OF(store)(to + 3 * step, g[3]);
  OF(store)(to + 4 * step, g[3] + g[4]);
  OF(store)(to + 6 * step, g[4]);
}
/* Outputs of the products. */
INLINE void short_output(short_kind kind, const T* s, int64_t step, V* y) {
#define S(i) OF(load)(s + (i) * step)
  V sum = S(1) + S(2), difference = S(1) - S(2);
  if (kind == SHORT_2_OF_3) {
    y[0] = S(0) + sum;
    y[1] = difference + S(3);
  } else {
    y[0] = (S(0) + sum) + (S(3) + S(4));
    y[1] = (difference + S(5)) + (S(4) + S(6));
  }
#undef S
}
/* The transposes of the last two, for the gradient of the filter. */
INLINE void short_output_grad(short_kind kind, const V* y, T* to, int64_t step) {
  if (kind != SHORT_4_OF_5) {
    const int last = kind == SHORT_2_OF_3 ? 3 : 5;
    OF(store)(to + 0 * step, y[0]);
    OF(store)(to + 1 * step, y[0] + y[1]);
    OF(store)(to + 2 * step, y[0] - y[1]);
    OF(store)(to + last * step, y[1]);
    if (kind == SHORT_2_OF_3) return;
    OF(store)(to + 3 * step, y[0]);
    OF(store)(to + 4 * step, y[0] + y[1]);
    OF(store)(to + 6 * step, y[1]);
    return;
  }
  V even = y[0] + y[1], odd = y[2] + y[3];
  OF(store)(to + 0 * step, y[0]);
  OF(store)(to + 1 * step, y[0] + y[2]);
  OF(store)(to + 2 * step, y[0] - y[2]);
  OF(store)(to + 3 * step, even);
  OF(store)(to + 4 * step, even + odd);
  OF(store)(to + 5 * step, even - odd);
  OF(store)(to + 6 * step, y[1]);
  OF(store)(to + 7 * step, y[1] + y[3]);
  OF(store)(to + 8 * step, y[2]);
  OF(store)(to + 9 * step, odd);
  OF(store)(to + 10 * step, y[3]);
}
INLINE void short_filter_grad(short_kind kind, const V* u, V* g) {
  const T half = (T)0.5;
  V sum = (u[1] + u[2]) * half, difference = (u[1] - u[2]) * half;
  if (kind != SHORT_4_OF_5) {
    g[0] = u[0] + sum;
    g[1] = difference;
    g[2] = sum + u[kind == SHORT_2_OF_3 ? 3 : 5];
    if (kind == SHORT_2_OF_3) return;
    g[3] = u[3] + u[4];
    g[4] = u[4] + u[6];
    return;
  }
  V both = (u[4] + u[5]) * half;
  V first = u[3] + both, second = (u[4] - u[5]) * half, third = both + u[9];
  g[0] = (u[0] + sum) + first;
  g[1] = (u[6] + u[7]) + first;
  g[2] = difference + second;
  g[3] = (u[7] + u[10]) + second;
  g[4] = (sum + u[8]) + third;
}

/* The same algorithms across rows, one product at a time: which rows of the input make it, as
 * at[0], at[0] + sign * at[1] or (at[0] - at[1]) + sign * (at[2] - at[3]), and which rows of the
 * output it goes to, +1 to the first and sign to the second half. */
typedef struct {
  int rows, at[4];
  T sign;
} short_rows;

static const short_rows short_inputs_of[3][SHORT_PRODUCTS] = {
    {{2, {0, 2}, -1}, {2, {1, 2}, 1}, {2, {2, 1}, -1}, {2, {3, 1}, -1}},
    {{2, {0, 2}, -1},
     {2, {1, 2}, 1},
     {2, {2, 1}, -1},
     {2, {3, 4}, -1},
     {1, {4}, 1},
     {2, {3, 1}, -1},
     {2, {5, 4}, -1}},
    {{4, {0, 1, 4, 5}, -1},
     {4, {4, 5, 2, 3}, 1},
     {4, {4, 5, 2, 3}, -1},
     {2, {1, 5}, -1},
     {2, {5, 3}, 1},
     {2, {5, 3}, -1},
     {4, {2, 1, 4, 3}, -1},
     {2, {4, 3}, -1},
     {4, {6, 7, 2, 3}, -1},
     {2, {7, 3}, -1},
     {4, {6, 5, 4, 3}, -1}},
};
static const short_rows short_outputs_of[3][SHORT_PRODUCTS] = {
    {{1, {0}, 1}, {2, {0, 1}, 1}, {2, {0, 1}, -1}, {1, {1}, 1}},
    {{1, {0}, 1},
     {2, {0, 1}, 1},
     {2, {0, 1}, -1},
     {1, {0}, 1},
     {2, {0, 1}, 1},
     {1, {1}, 1},
     {1, {1}, 1}},
    {{1, {0}, 1},
     {2, {0, 2}, 1},
     {2, {0, 2}, -1},
     {2, {0, 1}, 1},
     {4, {0, 1, 2, 3}, 1},
     {4, {0, 1, 2, 3}, -1},
     {1, {1}, 1},
     {2, {1, 3}, 1},
     {1, {2}, 1},
     {2, {2, 3}, 1},
     {1, {3}, 1}},
};

/* ---- Jobs and blocks of tiles. */

typedef struct {
  const conv_plan* plan;
  const T *in, *bias;
  const T* grad; /* of the output, for the filter's */
  T *out, *packed, *filter;
  const T* zeros; /* a pixel outside */
  bool relu;
  short_kind kind;
  int outputs, inputs, products;                /* of a row */
  int64_t tiles_w, tiles_h, tiles_image, tiles; /* tiles in a row, a column, an image, in all */
  int64_t block;                                /* tiles at a time, all of their products */
  int64_t channels;                             /* input channels at a time */
  int64_t width, groups; /* output channels at a time, and how many times that is */
  tfc_areas areas;
  bool failed; /* something was not finite */
} short_job;

/* Tiles in an order in which those that need a certain product are neighbours: the last ones of a
 * column and of a row, which may reach over the edge, need fewer. */
typedef struct {
  int64_t n;
  int64_t first[5];    /* down and not right, neither, right and not down, both */
  int64_t* tiles;      /* [n] */
  const T** in;        /* [n][inputs][inputs] pixels */
  const T** grad;      /* [n][outputs][outputs], for the filter's gradient */
  T *v, *sums, *total; /* transformed input, products of a row, outputs [n][outputs][outputs] */
} short_block;

/* Whether an output at either end of a row (or column) has less than half its taps inside. */
static bool short_rim(const conv_tap* taps, int64_t n, int64_t outputs, int64_t inputs) {
  return taps[0].offset < -(n / 2) || outputs - 1 + taps[n - 1].offset >= inputs + n / 2;
}
static bool short_rims(const conv_plan* p) {
  return short_rim(p->tap_h, p->taps_h, p->rows, p->h) ||
         short_rim(p->tap_w, p->taps_w, p->cols, p->w);
}

/* Whether the plan is of this kind and large enough to pay off. */
static bool short_applies(const conv_plan* p) {
  if (p->planes != 1 || p->d != 1 || p->taps_d != 1) return false;
  if (p->step_h != 1 || p->step_w != 1 || p->taps_h != p->taps_w) return false;
  if (p->taps_w != 3 && p->taps_w != 5) return false;
  if (p->tap_h[p->taps_h - 1].offset - p->tap_h[0].offset != p->taps_h - 1) return false;
  if (p->tap_w[p->taps_w - 1].offset - p->tap_w[0].offset != p->taps_w - 1) return false;
  if (p->taps_w == 3 && short_rims(p)) return false;
  return p->c % 16 == 0 && p->oc % 16 == 0 && p->c >= 32 && p->oc >= 32 && p->rows >= 7 &&
         p->cols >= 7 && p->images * p->rows * p->cols >= 2048;
}

static int short_begin(tfc_context* ctx, short_job* job, const conv_plan* p, const T* in,
                       short_kind kind) {
  *job = (short_job){.plan = p, .in = in, .kind = kind};
  job->products = short_products(job->kind);
  job->outputs = short_outputs(job->kind);
  job->inputs = short_taps(job->kind) + job->outputs - 1;
  job->tiles_w = ceil_div(p->cols, job->outputs);
  job->tiles_h = ceil_div(p->rows, job->outputs);
  job->tiles_image = job->tiles_w * job->tiles_h;
  job->tiles = job->tiles_image * p->images;
  job->channels = min64(p->c, SHORT_CHANNELS);
  job->width =
      min64(ceil_div(p->oc, NB) * NB, job->kind == SHORT_4_OF_5 ? SHORT_WIDTH / 2 : SHORT_WIDTH);
  job->groups = ceil_div(p->oc, job->width);
  int64_t elements = job->outputs * job->outputs * (job->width + p->c);
  job->block = min64(SHORT_REACH, SHORT_BYTES / (elements * (int64_t)sizeof(T)));
  job->block = max64(1, job->block / CONV_MR) * CONV_MR;
  T* zeros = tfc_scratch(ctx, (size_t)max64(p->c, p->oc) * sizeof(T));
  if (!zeros) return TFC_RESOURCE_EXHAUSTED;
  memset(zeros, 0, (size_t)max64(p->c, p->oc) * sizeof(T));
  job->zeros = zeros;
  return TFC_OK;
}

typedef struct {
  int64_t image, r, q;   /* first output pixel */
  int64_t rows, columns; /* outputs inside */
} short_tile;

static short_tile short_tile_at(const short_job* job, int64_t tile) {
  int64_t rest = tile % job->tiles_image;
  short_tile t = {.image = tile / job->tiles_image,
                  .r = rest / job->tiles_w * job->outputs,
                  .q = rest % job->tiles_w * job->outputs};
  t.rows = min64(job->outputs, job->plan->rows - t.r);
  t.columns = min64(job->outputs, job->plan->cols - t.q);
  return t;
}

/* Pointers to the size x size pixels from (y, x) on, in an image of h x w. Without branches, since
 * the pixels outside change from tile to tile. */
static void short_pixels(const T* image, int64_t h, int64_t w, int64_t c, int64_t y, int64_t x,
                         int size, const T* zero, const T** at) {
  uintptr_t zeros = (uintptr_t)zero, pixel = (uintptr_t)c * sizeof(T);
  uintptr_t first = (uintptr_t)image + (uintptr_t)(y * w + x) * pixel;
  for (int i = 0; i < size; i++, first += (uintptr_t)w * pixel) {
    uintptr_t row_inside = (uint64_t)(y + i) < (uint64_t)h;
    for (int j = 0; j < size; j++) {
      uintptr_t inside = row_inside & ((uint64_t)(x + j) < (uint64_t)w);
      *at++ = (const T*)(zeros + ((first + (uintptr_t)j * pixel - zeros) & -inside));
    }
  }
}

/* Makes a block of n tiles from `tile` on. */
static void short_gather(const short_job* job, int64_t tile, int64_t n, short_block* b) {
  const conv_plan* p = job->plan;
  static const int group_of[2][2] = {{1, 2}, {0, 3}};
  int64_t count[4] = {0};
  for (int fill = 0; fill < 2; fill++) {
    for (int64_t i = tile; i < tile + n; i++) {
      int64_t rest = i % job->tiles_image;
      bool down = rest >= job->tiles_image - job->tiles_w;
      bool right = rest % job->tiles_w == job->tiles_w - 1;
      int64_t* at = &count[group_of[down][right]];
      if (fill) b->tiles[*at] = i;
      ++*at;
    }
    if (fill) break;
    b->first[0] = 0;
    for (int g = 0; g < 4; g++) b->first[g + 1] = b->first[g] + count[g], count[g] = b->first[g];
  }
  b->n = n;
  for (int64_t i = 0; i < n; i++) {
    short_tile t = short_tile_at(job, b->tiles[i]);
    short_pixels(job->in + t.image * p->h * p->w * p->c, p->h, p->w, p->c, t.r + p->tap_h[0].offset,
                 t.q + p->tap_w[0].offset, job->inputs, job->zeros,
                 b->in + i * job->inputs * job->inputs);
    if (b->grad)
      short_pixels(job->grad + t.image * p->rows * p->cols * p->oc, p->rows, p->cols, p->oc, t.r,
                   t.q, job->outputs, job->zeros, b->grad + i * job->outputs * job->outputs);
  }
}

/* The tiles of the block that need product (i, j). */
static void short_tiles(const short_job* job, const short_block* b, int i, int j, int64_t* begin,
                        int64_t* end) {
  const conv_plan* p = job->plan;
  int64_t last_row = p->rows - (job->tiles_h - 1) * job->outputs;
  int64_t last_column = p->cols - (job->tiles_w - 1) * job->outputs;
  bool not_down = i >= short_needed(job->kind, last_row);
  bool not_right = j >= short_needed(job->kind, last_column);
  *begin = b->first[not_down ? 1 : 0];
  *end = b->first[not_right ? 2 : not_down ? 3 : 4];
}

/* ---- Transformed input: a row of products, [product][tile][channel]. */

INLINE void short_input_tile(short_kind kind, int rows, const T* const* at, const short_rows* r,
                             int64_t channels, T* to) {
  const int size = short_taps(kind) + short_outputs(kind) - 1;
  const T* const* q[4];
  for (int k = 0; k < rows; k++) q[k] = at + r->at[k] * size;
  const T sign = r->sign;
  for (int64_t c = 0; c < channels; c += LANES) {
    V d[8];
#pragma GCC unroll 8
    for (int j = 0; j < size; j++) {
      d[j] = OF(load)(q[0][j] + c);
      if (rows == 2) d[j] += sign * OF(load)(q[1][j] + c);
      if (rows == 4)
        d[j] =
            (d[j] - OF(load)(q[1][j] + c)) + sign * (OF(load)(q[2][j] + c) - OF(load)(q[3][j] + c));
    }
    short_input(kind, d, to + c, SHORT_STEP);
  }
}

typedef void (*short_input_fn)(const T* const* at, const short_rows* r, int64_t channels, T* to);
#define SHORT_INPUT_TILE(kind, rows)                                               \
  static void short_input_##kind##_##rows(const T* const* at, const short_rows* r, \
                                          int64_t channels, T* to) {               \
    short_input_tile(SHORT_##kind, rows, at, r, channels, to);                     \
  }
SHORT_INPUT_TILE(2_OF_3, 2)
SHORT_INPUT_TILE(2_OF_5, 1)
SHORT_INPUT_TILE(2_OF_5, 2)
SHORT_INPUT_TILE(4_OF_5, 2)
SHORT_INPUT_TILE(4_OF_5, 4)
static const short_input_fn short_input_fns[3][5] = {
    [SHORT_2_OF_3] = {[2] = short_input_2_OF_3_2},
    [SHORT_2_OF_5] = {[1] = short_input_2_OF_5_1, [2] = short_input_2_OF_5_2},
    [SHORT_4_OF_5] = {[2] = short_input_4_OF_5_2, [4] = short_input_4_OF_5_4},
};

/* Row i for tiles [begin, end), channels from c on. */
static void short_inputs(const short_job* job, const short_block* b, int i, int64_t begin,
                         int64_t end, int64_t c, int64_t channels, T* to) {
  const short_rows* r = &short_inputs_of[job->kind][i];
  const T* pixels[SHORT_INPUTS * SHORT_INPUTS];
  int size = job->inputs * job->inputs;
  for (int64_t t = begin; t < end; t++, to += job->channels) {
    const T* const* from = b->in + t * size;
    if (c > 0) {
      for (int k = 0; k < size; k++) pixels[k] = from[k] + c;
      from = pixels;
    }
    short_input_fns[job->kind][r->rows](from, r, channels, to);
  }
}

/* ---- Transformed filter, in the order in which it is used: [group of output channels][row of
 * products][group of input channels][product][channel block][c][vectors of the block]. */

/* Where product 0 of a row begins, and (to *step) how far it is to the next. */
static T* short_panels(const short_job* job, int i, int64_t block, int64_t c, int64_t* step) {
  const conv_plan* p = job->plan;
  int64_t group = block / (job->width / NB), chunk = c / job->channels * job->channels;
  int64_t channels = min64(job->channels, p->c - chunk);
  int64_t width = min64(job->width, p->oc - group * job->width);
  int64_t products = job->products, nb = block_vectors(p->oc, block) * LANES;
  *step = channels * width;
  return job->filter + group * job->width * products * products * p->c +
         (i * p->c + chunk) * products * width + (block * NB - group * job->width) * channels +
         (c - chunk) * nb;
}

INLINE void short_filter_tile(short_kind kind, const short_job* job, int64_t block, int64_t c,
                              const T* from, int64_t vector) {
  int products = short_products(kind), taps = short_taps(kind);
  T rows[SHORT_PRODUCTS][5][LANES] __attribute__((aligned(64)));
  int64_t step = job->plan->c * block_vectors(job->plan->oc, block) * LANES, next;
  V g[5];
#pragma GCC unroll 8
  for (int j = 0; j < taps; j++) {
#pragma GCC unroll 8
    for (int i = 0; i < taps; i++) g[i] = OF(load)(from + (i * taps + j) * step);
    short_filter(kind, g, rows[0][j], 5 * LANES);
  }
  for (int i = 0; i < products; i++) {
#pragma GCC unroll 8
    for (int j = 0; j < taps; j++) g[j] = OF(load)(rows[i][j]);
    T* to = short_panels(job, i, block, c, &next) + vector;
    short_filter(kind, g, to, next);
  }
}

/* Items are (channel block, c). */
static void short_filter_range(void* arg, int64_t begin, int64_t end) {
  const short_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t taps = p->taps_h * p->taps_w;
  for (int64_t item = begin; item < end; item++) {
    int64_t block = item / p->c, c = item % p->c, nb = block_vectors(p->oc, block) * LANES;
    const T* from = job->packed + block * NB * taps * p->c + c * nb;
    for (int64_t i = 0; i < nb; i += LANES)
      if (job->kind == SHORT_2_OF_3)
        short_filter_tile(SHORT_2_OF_3, job, block, c, from + i, i);
      else
        short_filter_tile(SHORT_2_OF_5, job, block, c, from + i, i);
  }
}

/* ---- Forward. */

/* Row i of the products of tiles [begin, end) and channel blocks [block0, block1), input channels
 * from c on, as sums [product][tile][oc]. */
static void short_multiply(const short_job* job, const short_block* b, int i, int64_t begin,
                           int64_t end, int64_t block0, int64_t block1, int64_t c,
                           int64_t channels) {
  const conv_plan* p = job->plan;
  static const int64_t here = 0;
  int64_t step;
  const T* filter = short_panels(job, i, block0, c, &step);
  for (int j = 0; j < job->products; j++) {
    int64_t t0, t1;
    short_tiles(job, b, i, j, &t0, &t1);
    t0 = max64(t0, begin), t1 = min64(t1, end);
    for (int64_t block = block0; block < block1; block++) {
      int64_t vectors = block_vectors(p->oc, block), nb = vectors * LANES;
      tile_job t = {.offsets = &here,
                    .blocks = 1,
                    .planes = 1,
                    .kc = channels,
                    .lda = job->channels,
                    .ldc = job->width,
                    .width = nb,
                    .accumulate = c > 0};
      const T* v = b->v + j * SHORT_STEP - begin * t.lda;
      T* to = b->sums + j * SHORT_STEP + (block - block0) * NB - begin * t.ldc;
      for (int64_t at = t0; at < t1; at += CONV_MR)
        tiles[min64(CONV_MR, t1 - at) - 1][vectors - 1](&t, v + at * t.lda, filter,
                                                        to + at * t.ldc);
      filter += channels * nb;
    }
  }
}

/* Adds a row of products to the outputs of a tile, whose pixels are `pixel` apart. */
INLINE void short_add_tile(short_kind kind, int rows, const short_rows* r, const T* sums,
                           int64_t width, T* to, int64_t pixel) {
  const int outputs = short_outputs(kind);
  const T sign = r->sign;
  T* lines[SHORT_OUTPUTS];
  for (int k = 0; k < rows; k++) lines[k] = to + r->at[k] * outputs * pixel;
  for (int64_t o = 0; o < width; o += LANES) {
    V y[SHORT_OUTPUTS];
    short_output(kind, sums + o, SHORT_STEP, y);
#pragma GCC unroll 4
    for (int k = 0; k < rows; k++)
#pragma GCC unroll 4
      for (int q = 0; q < outputs; q++) {
        T* at = lines[k] + q * pixel + o;
        if (2 * k < rows)
          OF(store)(at, OF(load)(at) + y[q]);
        else
          OF(store)(at, OF(load)(at) + sign * y[q]);
      }
  }
}

typedef void (*short_add_fn)(const short_rows* r, const T* sums, int64_t width, T* to,
                             int64_t pixel);
#define SHORT_ADD_TILE(kind, rows)                                                                \
  static void short_add_##kind##_##rows(const short_rows* r, const T* sums, int64_t width, T* to, \
                                        int64_t pixel) {                                          \
    short_add_tile(SHORT_##kind, rows, r, sums, width, to, pixel);                                \
  }
SHORT_ADD_TILE(2_OF_3, 1)
SHORT_ADD_TILE(2_OF_3, 2)
SHORT_ADD_TILE(2_OF_5, 1)
SHORT_ADD_TILE(2_OF_5, 2)
static const short_add_fn short_add_fns[2][3] = {
    [SHORT_2_OF_3] = {[1] = short_add_2_OF_3_1, [2] = short_add_2_OF_3_2},
    [SHORT_2_OF_5] = {[1] = short_add_2_OF_5_1, [2] = short_add_2_OF_5_2},
};

/* Row i for tiles [begin, end). */
static void short_add(const short_job* job, const short_block* b, int i, int64_t begin, int64_t end,
                      int64_t width) {
  const short_rows* r = &short_outputs_of[job->kind][i];
  short_add_fn add = short_add_fns[job->kind][r->rows];
  int64_t pixels = job->outputs * job->outputs;
  for (int64_t t = begin; t < end; t++)
    add(r, b->sums + (t - begin) * job->width, width, b->total + t * pixels * job->width,
        job->width);
}

/* Finishes the outputs of a tile from channel `first` on; returns whether all were finite. */
static bool short_finish(const short_job* job, int64_t tile, int64_t first, int64_t width,
                         const T* from) {
  const conv_plan* p = job->plan;
  short_tile t = short_tile_at(job, tile);
  const V zero = {0};
  M bad = {0};
  for (int64_t i = 0; i < t.rows; i++)
    for (int64_t j = 0; j < t.columns; j++) {
      const T* y = from + (i * job->outputs + j) * job->width;
      T* out = job->out + t.image * p->out_image + (t.r + i) * p->out_row + (t.q + j) * p->out_col +
               first;
      for (int64_t o = 0; o < width; o += LANES) {
        V x = OF(load)(y + o);
        bad |= (M)(x - x != zero);
        if (job->bias) x += OF(load)(job->bias + first + o);
        if (job->relu) x = (V)((M)x & ~(M)(x <= zero));
        OF(store)(out + o, x);
      }
    }
  __typeof__(bad[0]) any = 0;
  for (int i = 0; i < LANES; i++) any |= bad[i];
  return !any;
}

/* Row i of the products of a block, tile by tile of the engine, so that intermediate results stay
 * in the first-level cache. */
static void short_row(const short_job* job, const short_block* b, int i, int64_t first,
                      int64_t width) {
  const conv_plan* p = job->plan;
  int64_t begin, end;
  short_tiles(job, b, i, 0, &begin, &end);
  for (int64_t t = begin; t < end; t += SHORT_PIECE) {
    int64_t last = min64(end, t + SHORT_PIECE);
    for (int64_t c = 0; c < p->c; c += job->channels) {
      int64_t channels = min64(job->channels, p->c - c);
      short_inputs(job, b, i, t, last, c, channels, b->v);
      short_multiply(job, b, i, t, last, first / NB, ceil_div(first + width, NB), c, channels);
    }
    short_add(job, b, i, t, last, width);
  }
}

/* Items are (block of tiles, group of output channels). */
static void short_range(void* arg, int64_t begin, int64_t end) {
  short_job* job = arg;
  const conv_plan* p = job->plan;
  int64_t pixels = job->outputs * job->outputs;
  char* area = tfc_areas_take(&job->areas);
  short_block b = {.in = (const T**)area};
  b.tiles = (int64_t*)(b.in + job->block * job->inputs * job->inputs);
  b.v = (T*)(b.tiles + ceil_div(job->block, 8) * 8);
  b.sums = b.v + job->products * SHORT_STEP;
  b.total = b.sums + job->products * SHORT_STEP;
  bool finite = true;
  for (int64_t item = begin; item < end; item++) {
    int64_t tile = item / job->groups * job->block, first = item % job->groups * job->width;
    int64_t n = min64(job->block, job->tiles - tile), width = min64(job->width, p->oc - first);
    short_gather(job, tile, n, &b);
    memset(b.total, 0, (size_t)(n * pixels * job->width) * sizeof(T));
    for (int i = 0; i < job->products; i++) short_row(job, &b, i, first, width);
    for (int64_t t = 0; t < n; t++)
      finite &= short_finish(job, b.tiles[t], first, width, b.total + t * pixels * job->width);
  }
  tfc_areas_give(&job->areas, area);
  if (!finite) __atomic_store_n(&job->failed, true, __ATOMIC_RELAXED);
}

static size_t short_area_bytes(const short_job* job) {
  int64_t pixels = job->outputs * job->outputs;
  int64_t words = job->block * job->inputs * job->inputs + ceil_div(job->block, 8) * 8;
  int64_t elements = job->products * 2 * SHORT_STEP + job->block * pixels * job->width;
  return (size_t)words * 8 + (size_t)elements * sizeof(T);
}

/* Time of n tiles and `oc` output channels. */
static double short_cost(const short_job* job, int64_t n, int64_t oc) {
  double products = (double)(job->products * job->products) * (double)(job->plan->c * oc * n);
  return 50 + 2.0 * products * sizeof(T) / 500.0;
}

/* out = convolution, with a bias of whole blocks; `packed` is the filter for the direct method.
 * *done: whether all results were finite. */
static int short_run(tfc_context* ctx, const conv_plan* p, const T* in, T* packed, const T* bias,
                     bool relu, T* out, bool* done) {
  short_job job;
  int code = short_begin(ctx, &job, p, in, p->taps_w == 3 ? SHORT_2_OF_3 : SHORT_2_OF_5);
  if (code) return code;
  job.packed = packed, job.bias = bias, job.relu = relu, job.out = out;
  int64_t blocks = ceil_div(p->oc, NB), products = job.products * job.products;
  job.filter = tfc_scratch(ctx, (size_t)(blocks * NB * products * p->c) * sizeof(T));
  if (!job.filter) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, blocks * p->c, NB / 2.0 * (double)products / 10, short_filter_range, &job);
  code = tfc_areas_make(ctx, &job.areas, short_area_bytes(&job));
  if (code) return code;
  tfc_parallel_for(ctx, ceil_div(job.tiles, job.block) * job.groups,
                   short_cost(&job, job.block, job.width), short_range, &job);
  *done = !job.failed;
  return TFC_OK;
}
