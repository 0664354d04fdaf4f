/* Products of quantized numbers: QuantizedMatMul and QuantizedConv2D.
 *
 * An integer minus the integer of zero is the number in steps of its range, so products of such
 * differences add up to the result in steps of both ranges. Differences of 8-bit integers fit into
 * 16 bits: pairs of them are multiplied and added to 32 bits by one instruction. Sums wrap.
 */
#include "kernels_c/common/window_attrs.h"
#include "kernels_c/quantized/quantized.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROWS = 4, TILE = 64 }; /* of a block of sums; TILE columns of b stay in the cache */

/* b[depth][columns] as pairs of rows: [depth / 2][columns][2]. An odd depth gets a row of zeros. */
typedef struct pairs {
  const int16_t* b;
  int64_t columns, depth; /* depth: in pairs */
} pairs;

/* sums[j] += a pair of a row of a times the pairs of columns [0, n), for each of ROWS rows. */
static inline void add_pairs(const int32_t* a, int64_t stride, const int16_t* b, int32_t* sums,
                             int64_t n, int64_t depth, int64_t columns) {
  memset(sums, 0, sizeof(int32_t) * ROWS * TILE);
  for (int64_t k = 0; k < depth; k++, b += 2 * columns) {
    int64_t j = 0;
#if defined(__AVX512BW__)
    __m512i x[ROWS];
    for (int r = 0; r < ROWS; r++) x[r] = _mm512_set1_epi32(a[r * stride + k]);
    for (; j + 16 <= n; j += 16) {
      const __m512i y = _mm512_loadu_si512(b + 2 * j);
      for (int r = 0; r < ROWS; r++) {
        int32_t* s = sums + r * TILE + j;
        _mm512_storeu_si512(s, _mm512_add_epi32(_mm512_loadu_si512(s), _mm512_madd_epi16(x[r], y)));
      }
    }
#elif defined(__AVX2__)
    __m256i x[ROWS];
    for (int r = 0; r < ROWS; r++) x[r] = _mm256_set1_epi32(a[r * stride + k]);
    for (; j + 8 <= n; j += 8) {
      const __m256i y = _mm256_loadu_si256((const __m256i*)(b + 2 * j));
      for (int r = 0; r < ROWS; r++) {
        __m256i* s = (__m256i*)(sums + r * TILE + j);
        _mm256_storeu_si256(s, _mm256_add_epi32(_mm256_loadu_si256(s), _mm256_madd_epi16(x[r], y)));
      }
    }
#endif
    for (; j < n; j++)
      for (int r = 0; r < ROWS; r++) {
        int16_t pair[2];
        memcpy(pair, &a[r * stride + k], sizeof pair);
        sums[r * TILE + j] = (int32_t)((uint32_t)sums[r * TILE + j] +
                                       (uint32_t)(pair[0] * b[2 * j] + pair[1] * b[2 * j + 1]));
      }
  }
}

/* out[rows][columns] = a[rows][depth] b; rows of a are pairs. */
static void multiply_pairs(const int32_t* a, int64_t rows, const pairs* p, int32_t* out) {
  int32_t sums[ROWS * TILE];
  for (int64_t j = 0; j < p->columns; j += TILE) {
    const int64_t n = TFC_MIN(TILE, p->columns - j);
    for (int64_t i = 0; i < rows; i += ROWS) {
      /* Fewer than ROWS rows: the last one several times. */
      const int64_t have = TFC_MIN(ROWS, rows - i);
      const bool whole = have == ROWS;
      for (int64_t r = 0; r < (whole ? 1 : have); r++) {
        add_pairs(a + (i + r) * p->depth, whole ? p->depth : 0, p->b + 2 * j, sums, n, p->depth,
                  p->columns);
        for (int64_t k = 0; k < (whole ? ROWS : 1); k++)
          memcpy(out + (i + r + k) * p->columns + j, sums + k * TILE, (size_t)n * sizeof *sums);
      }
    }
  }
}

/* An 8-bit integer minus that of zero. */
typedef struct centred {
  const void* data;
  bool is_signed;
  int32_t zero;
} centred;

static inline int32_t centred_at(const centred* c, int64_t i) {
  return (c->is_signed ? ((const int8_t*)c->data)[i] : ((const uint8_t*)c->data)[i]) - c->zero;
}

/* The integer of zero; an error if it is so far outside of the type that differences do not fit
 * into 16 bits: the range is far away from zero. */
static int centre(tfc_context* ctx, int input, quantized_range r, centred* c) {
  const tfc_tensor* t = ctx->inputs[input];
  const int64_t zero = quantized_unclamped(0.0f, r, quantized_limits_of(t->dtype));
  if (zero < -INT16_MAX + 255 || zero > INT16_MAX - 255)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "the range [%g, %g] of input %d is too far from zero for its width",
                     (double)r.min, (double)r.max, input);
  *c = (centred){t->data, t->dtype == TFC_QINT8, (int32_t)zero};
  return TFC_OK;
}

/* b as pairs, transposed if its element (k, j) is at [j][k]. */
static int pack_pairs(tfc_context* ctx, const centred* c, int64_t depth, int64_t columns,
                      bool transposed, pairs* p) {
  *p = (pairs){NULL, columns, (depth + 1) / 2};
  int16_t* b = tfc_scratch_items(ctx, 2 * p->depth * columns + 1, sizeof *b);
  if (!b) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t k = 0; k < 2 * p->depth; k++)
    for (int64_t j = 0; j < columns; j++)
      b[(k / 2 * columns + j) * 2 + k % 2] =
          (int16_t)(k < depth ? centred_at(c, transposed ? j * depth + k : k * columns + j) : 0);
  p->b = b;
  return TFC_OK;
}

/* The type of the result's integers, and its range in outputs 1 and 2. */
static int put_product_range(tfc_context* ctx, const quantized_range* r) {
  return quantized_put_range(
      ctx, 1,
      quantized_product_range(r[0], quantized_limits_of(ctx->inputs[0]->dtype), r[1],
                              quantized_limits_of(ctx->inputs[1]->dtype)));
}

/* ---- QuantizedMatMul */

typedef struct matmul_state {
  bool transpose_a, transpose_b;
} matmul_state;

static int create_matmul(tfc_construction* c, void** state) {
  matmul_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  TFC_TRY(c->api->attr_bool(c, "transpose_a", &s->transpose_a));
  return c->api->attr_bool(c, "transpose_b", &s->transpose_b);
}

typedef struct matmul_run {
  centred a;
  pairs b;
  bool transposed;
  int64_t rows, depth;
  int16_t* packed; /* a as pairs */
  int32_t* out;
} matmul_run;

/* Items are blocks of ROWS rows. */
static void matmul_rows(void* arg, int64_t begin, int64_t end) {
  const matmul_run* run = arg;
  const int64_t first = begin * ROWS, last = TFC_MIN(end * ROWS, run->rows);
  const int64_t width = 2 * run->b.depth;
  for (int64_t i = first; i < last; i++)
    for (int64_t k = 0; k < width; k++)
      run->packed[i * width + k] =
          (int16_t)(k < run->depth ? centred_at(&run->a, run->transposed ? k * run->rows + i
                                                                         : i * run->depth + k)
                                   : 0);
  multiply_pairs((const int32_t*)(run->packed + first * width), last - first, &run->b,
                 run->out + first * run->b.columns);
}

static int matmul(tfc_context* ctx) {
  const matmul_state* s = ctx->state;
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[i]->rank != 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] is not a matrix: %s", i,
                       tfc_shape_text(ctx->inputs[i]).text);
  const int64_t depth = a->dims[!s->transpose_a];
  const int64_t dims[2] = {a->dims[s->transpose_a], b->dims[!s->transpose_b]};
  if (depth != b->dims[s->transpose_b])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  quantized_range r[2];
  centred cb;
  matmul_run run = {.transposed = s->transpose_a, .rows = dims[0], .depth = depth};
  TFC_TRY(quantized_ranges(ctx, 2, 2, r));
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  TFC_TRY(put_product_range(ctx, r));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  TFC_TRY(centre(ctx, 0, r[0], &run.a));
  TFC_TRY(centre(ctx, 1, r[1], &cb));
  TFC_TRY(pack_pairs(ctx, &cb, depth, dims[1], s->transpose_b, &run.b));
  run.packed = tfc_scratch_items(ctx, dims[0] * run.b.depth * 2 + 1, sizeof *run.packed);
  if (!run.packed) return TFC_RESOURCE_EXHAUSTED;
  run.out = ctx->outputs[0].data;
  const double cost = 0.1 * ROWS * (double)depth * (double)dims[1];
  tfc_parallel_for(ctx, (dims[0] + ROWS - 1) / ROWS, cost, matmul_rows, &run);
  return TFC_OK;
}

/* ---- QuantizedConv2D */

enum { CHUNKS = 64, PIXELS = 32 };

static int create_conv(tfc_construction* c, void** state) {
  window_attrs a;
  TFC_TRY(window_attrs_read(c, &a, false, WINDOW_HAS_DILATIONS | WINDOW_NO_FORMAT));
  for (int i = 0; i < 4; i++)
    if (a.strides[i] <= 0 || a.dilations[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Sliding window strides and dilations should be larger than 0.");
  if (a.strides[0] != 1 || a.strides[3] != 1 || a.dilations[0] != 1 || a.dilations[3] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Current implementation does not yet support strides in the batch and "
                         "depth dimensions.");
  window_attrs* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *s = a;
  *state = s;
  return TFC_OK;
}

typedef struct conv_run {
  centred image;
  pairs filter;
  window_dim h, w;
  int64_t channels;
  int64_t rows;   /* of output pixels, of all images */
  int64_t chunks; /* that they are divided into */
  int64_t pixels; /* whose patches a chunk has room for */
  int16_t* patches;
  int32_t* out;
} conv_run;

/* The differences under the window of one output pixel; those outside of the image are zero. */
static void take_patch(const conv_run* run, int64_t image, int64_t y, int64_t x, int16_t* to) {
  const int64_t c = run->channels;
  for (int64_t i = 0; i < run->h.filter; i++) {
    const int64_t row = y * run->h.stride - run->h.pad + i * run->h.dilation;
    for (int64_t j = 0; j < run->w.filter; j++, to += c) {
      const int64_t column = x * run->w.stride - run->w.pad + j * run->w.dilation;
      if (row < 0 || row >= run->h.in || column < 0 || column >= run->w.in) {
        memset(to, 0, (size_t)c * sizeof *to);
        continue;
      }
      const int64_t at = ((image * run->h.in + row) * run->w.in + column) * c;
      for (int64_t k = 0; k < c; k++) to[k] = (int16_t)centred_at(&run->image, at + k);
    }
  }
}

static void conv_chunk(const conv_run* run, int64_t chunk) {
  const int64_t width = 2 * run->filter.depth;
  const int64_t depth = run->h.filter * run->w.filter * run->channels;
  int16_t* patches = run->patches + chunk * run->pixels * width;
  const int64_t last = (chunk + 1) * run->rows / run->chunks;
  for (int64_t row = chunk * run->rows / run->chunks; row < last; row++)
    for (int64_t x = 0; x < run->w.out; x += run->pixels) {
      const int64_t n = TFC_MIN(run->pixels, run->w.out - x);
      for (int64_t i = 0; i < n; i++) {
        take_patch(run, row / run->h.out, row % run->h.out, x + i, patches + i * width);
        if (width > depth) patches[i * width + depth] = 0;
      }
      multiply_pairs((const int32_t*)patches, n, &run->filter,
                     run->out + (row * run->w.out + x) * run->filter.columns);
    }
}

static void conv_chunks(void* arg, int64_t begin, int64_t end) {
  for (int64_t chunk = begin; chunk < end; chunk++) conv_chunk(arg, chunk);
}

static int conv(tfc_context* ctx) {
  const window_attrs* a = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *f = ctx->inputs[1];
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[i]->rank != 4)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 4-dimensional: %s",
                       i ? "filter" : "input", tfc_shape_text(ctx->inputs[i]).text);
  if (x->dims[3] != f->dims[2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input and filter must have the same depth: %lld vs %lld",
                     (long long)x->dims[3], (long long)f->dims[2]);
  if (f->n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "filter must not have zero elements (i.e. all dimensions must be non-zero)");
  conv_run run = {.h = {.in = x->dims[1],
                        .filter = f->dims[0],
                        .stride = a->strides[1],
                        .dilation = a->dilations[1]},
                  .w = {.in = x->dims[2],
                        .filter = f->dims[1],
                        .stride = a->strides[2],
                        .dilation = a->dilations[2]},
                  .channels = x->dims[3]};
  TFC_TRY(window_dim_fit(ctx, a, 1, &run.h));
  TFC_TRY(window_dim_fit(ctx, a, 2, &run.w));
  quantized_range r[2];
  centred filter;
  const int64_t dims[4] = {x->dims[0], run.h.out, run.w.out, f->dims[3]};
  TFC_TRY(quantized_ranges(ctx, 2, 2, r));
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  TFC_TRY(put_product_range(ctx, r));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  TFC_TRY(centre(ctx, 0, r[0], &run.image));
  TFC_TRY(centre(ctx, 1, r[1], &filter));
  TFC_TRY(pack_pairs(ctx, &filter, f->n / dims[3], dims[3], false, &run.filter));
  run.rows = dims[0] * dims[1];
  run.chunks = TFC_MIN(run.rows, CHUNKS);
  run.pixels = TFC_MIN(run.w.out, PIXELS);
  int64_t row_items;
  if (__builtin_mul_overflow(run.pixels * run.chunks, 2 * run.filter.depth, &row_items))
    row_items = INT64_MAX;
  run.patches = tfc_scratch_items(ctx, row_items, sizeof *run.patches);
  if (!run.patches) return TFC_RESOURCE_EXHAUSTED;
  run.out = ctx->outputs[0].data;
  const double row_cost = (double)dims[2] * (0.1 * (double)f->n + 2.0 * (double)run.filter.depth);
  const double cost = row_cost * (double)run.rows / (double)run.chunks;
  tfc_parallel_for(ctx, run.chunks, cost, conv_chunks, &run);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("QuantizedMatMul", "T1=quint8;T2=quint8;Toutput=qint32;Tactivation=" QUANTIZED_TYPES,
            matmul, TFC_STATE(create_matmul)),
    TFC_ROW("QuantizedConv2D", "Tinput=quint8;Tfilter=quint8|qint8;out_type=qint32", conv,
            TFC_STATE(create_conv)),
};
TFC_REGISTER_KERNELS(kernels);
