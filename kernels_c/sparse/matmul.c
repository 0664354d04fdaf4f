/* SparseTensorDenseMatMul: a sparse matrix times a dense one; SparseMatMul.
 *
 * The elements are first sorted by rows (columns for the adjoint), which takes two passes. Then
 * each block of columns of the result is computed row by row: the block stays in registers while
 * the rows of `b` that the elements name are added to it. Rows are independent, so that neither
 * locks nor atomic additions are needed, and each sum has the order in which elements are given. */
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/linalg/gemm.h"
#include "kernels_c/sparse/sparse.h"

typedef struct attributes {
  bool adjoint_a, adjoint_b;
} attributes;

/* The sparse matrix by rows: elements first[m] .. first[m + 1] - 1 are in row m. */
typedef struct sparse_rows {
  int64_t rows, cols, n;
  int64_t* first;
  int64_t* col;
  int64_t* element; /* its number among the values; NULL: they are in this order */
} sparse_rows;

/* ---- Reading */

static int check(tfc_context* ctx, int64_t dims[2]) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2],
                   *b = ctx->inputs[3];
  const attributes* how = ctx->state;
  const char* problem =
      b->rank != 2         ? "Tensor 'b' is not a matrix"
      : shape->rank != 1   ? "Tensor 'a_shape' is not a vector"
      : shape->n != 2      ? "Tensor 'a_shape' must have 2 elements"
      : values->rank != 1  ? "Tensor 'a_values' is not a vector"
      : indices->rank != 2 ? "Tensor 'a_indices' is not a matrix"
      : indices->dims[0] != values->n
          ? "Number of rows of a_indices does not match number of entries in a_values"
      : indices->dims[1] != 2
          ? "Number of columns of a_indices does not match number of entries in a_shape"
          : NULL;
  if (problem) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", problem);
  tfc_read_indices(shape, dims);
  for (int d = 0; d < 2; d++)
    if (dims[d] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                       (long long)dims[d]);
  const int64_t left = dims[how->adjoint_a ? 0 : 1], right = b->dims[how->adjoint_b ? 1 : 0];
  if (left != right)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Cannot multiply A and B because inner dimension does not match: %lld vs. "
                     "%lld.  Did you forget a transpose?  Dimensions of A: [%lld, %lld).  "
                     "Dimensions of B: %s",
                     (long long)left, (long long)right, (long long)dims[0], (long long)dims[1],
                     tfc_shape_text(b).text);
  return TFC_OK;
}

static int out_of_bounds(tfc_context* ctx, const char* what, int64_t index, int64_t i, int column,
                         int64_t bound) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "%s (%lld) from index[%lld,%d] out of bounds (>=%lld)", what, (long long)index,
                   (long long)i, column, (long long)bound);
}

/* Reads the indices: the row and the column of each element, and in next[m + 1] how many are in row
 * m. *sorted: whether rows never decrease. */
static int read_elements(tfc_context* ctx, bool adjoint, const sparse_rows* s, int64_t* row,
                         int64_t* col, int64_t* next, bool* sorted) {
  const tfc_tensor* matrix = ctx->inputs[0];
  int64_t before = 0;
  *sorted = true;
  for (int64_t i = 0; i < s->n; i++) {
    const int64_t m = tfc_index_at(matrix, 2 * i + adjoint);
    const int64_t k = tfc_index_at(matrix, 2 * i + !adjoint);
    if (k < 0 || k >= s->cols) return out_of_bounds(ctx, "k", k, i, !adjoint, s->cols);
    if (m < 0 || m >= s->rows) return out_of_bounds(ctx, "m", m, i, adjoint, s->rows);
    next[m + 1]++;
    row[i] = m;
    col[i] = k;
    *sorted &= m >= before;
    before = m;
  }
  return TFC_OK;
}

/* Counts the elements of each row, then puts them there, unless they are there already. */
static int sort_by_rows(tfc_context* ctx, bool adjoint, sparse_rows* s) {
  s->n = ctx->inputs[0]->dims[0];
  int64_t* first = tfc_scratch_items(ctx, s->rows + 2, sizeof *first);
  int64_t* row = tfc_scratch_items(ctx, s->n + 1, sizeof *row);
  int64_t* col = tfc_scratch_items(ctx, s->n + 1, sizeof *col);
  if (!first || !row || !col) return TFC_RESOURCE_EXHAUSTED;
  memset(first, 0, (size_t)(s->rows + 2) * sizeof *first);
  int64_t* next = first + 1; /* where the next element of a row goes; in the end, the next row */
  bool sorted;
  TFC_TRY(read_elements(ctx, adjoint, s, row, col, next, &sorted));
  for (int64_t m = 1; m <= s->rows; m++) next[m] += next[m - 1];
  s->first = sorted ? next : first;
  s->col = col;
  if (sorted) return TFC_OK;
  s->col = tfc_scratch_items(ctx, s->n + 1, sizeof *s->col);
  s->element = tfc_scratch_items(ctx, s->n + 1, sizeof *s->element);
  if (!s->col || !s->element) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < s->n; i++) {
    const int64_t at = next[row[i]]++;
    s->col[at] = col[i];
    s->element[at] = i;
  }
  return TFC_OK;
}

/* ---- Multiplication */

/* A product: `values` by element as the rows need them, `b` of [cols, width], y of [rows, width].
 */
typedef struct product {
  const sparse_rows* a;
  const void *values, *b;
  void* y;
  int64_t width;
} product;

/* Columns that one item computes of one row: eight vectors. */
#define BLOCK_BYTES (8 * TFC_VECTOR_BYTES)

/* NV vectors of one row; LOAD and STORE take a whole vector, or the first `left` lanes. */
#define ROW_PART(T, V, NV, LOAD, STORE)                                 \
  {                                                                     \
    V sum[NV];                                                          \
    for (int v = 0; v < NV; v++) sum[v] = V##_set1(0);                  \
    for (int64_t e = begin; e < end; e++) {                             \
      const T* row = b + col[e] * p->width + c;                         \
      const V x = V##_set1(values[e]);                                  \
      for (int v = 0; v < NV; v++) sum[v] += x * LOAD(row + v * LANES); \
    }                                                                   \
    for (int v = 0; v < NV; v++) STORE(y + c + v * LANES, sum[v]);      \
    c += NV * LANES;                                                    \
  }

/* Items are blocks of columns; within a block, rows, so that the block of b stays in cache. */
#define MULTIPLY_VECTORS(T, V)                                               \
  static void multiply_##T(void* arg, int64_t from, int64_t to) {            \
    enum { LANES = sizeof(V) / sizeof(T), BLOCK = BLOCK_BYTES / sizeof(T) }; \
    const product* p = arg;                                                  \
    const T *values = p->values, *b = p->b;                                  \
    const int64_t* col = p->a->col;                                          \
    for (int64_t item = from; item < to; item++) {                           \
      const int64_t m = item % p->a->rows, begin = p->a->first[m];           \
      const int64_t end = p->a->first[m + 1];                                \
      int64_t c = item / p->a->rows * BLOCK;                                 \
      const int64_t stop = TFC_MIN(c + BLOCK, p->width);                     \
      T* y = (T*)p->y + m * p->width;                                        \
      while (stop - c >= 8 * LANES) ROW_PART(T, V, 8, V##_load, V##_store)   \
      if (stop - c >= 4 * LANES) ROW_PART(T, V, 4, V##_load, V##_store)      \
      if (stop - c >= 2 * LANES) ROW_PART(T, V, 2, V##_load, V##_store)      \
      if (stop - c >= LANES) ROW_PART(T, V, 1, V##_load, V##_store)          \
      const int left = (int)(stop - c);                                      \
      if (left > 0) ROW_PART(T, V, 1, V##_LOAD_LEFT, V##_STORE_LEFT)         \
    }                                                                        \
  }
#define vf_LOAD_LEFT(p) vf_load_n(p, left)
#define vf_STORE_LEFT(p, v) vf_store_n(p, v, left)
#define vd_LOAD_LEFT(p) vd_load_n(p, left)
#define vd_STORE_LEFT(p, v) vd_store_n(p, v, left)
MULTIPLY_VECTORS(float, vf)
MULTIPLY_VECTORS(double, vd)

#define MULTIPLY_ELEMENTS(NAME, T)                                            \
  static void multiply_##NAME(void* arg, int64_t from, int64_t to) {          \
    enum { BLOCK = BLOCK_BYTES / sizeof(T) };                                 \
    const product* p = arg;                                                   \
    const T *values = p->values, *b = p->b;                                   \
    for (int64_t item = from; item < to; item++) {                            \
      const int64_t m = item % p->a->rows, start = item / p->a->rows * BLOCK; \
      const int64_t n = TFC_MIN(BLOCK, p->width - start);                     \
      T sum[BLOCK] = {0};                                                     \
      for (int64_t e = p->a->first[m]; e < p->a->first[m + 1]; e++) {         \
        const T* row = b + p->a->col[e] * p->width + start;                   \
        for (int64_t c = 0; c < n; c++) sum[c] += values[e] * row[c];         \
      }                                                                       \
      memcpy((T*)p->y + m * p->width + start, sum, (size_t)n * sizeof(T));    \
    }                                                                         \
  }
MULTIPLY_ELEMENTS(integer, uint32_t) /* signed products wrap as unsigned ones do */
MULTIPLY_ELEMENTS(complex64, float _Complex)
MULTIPLY_ELEMENTS(complex128, double _Complex)

static void multiply(tfc_context* ctx, int32_t dtype, const product* p) {
  const int64_t block = BLOCK_BYTES / (int64_t)tfc_dtype_size(dtype);
  const int64_t items = p->a->rows * ((p->width + block - 1) / block);
  const double elements = (double)p->a->n / (double)p->a->rows; /* of a row */
  const double ns = 5 + (2 + 0.1 * (double)TFC_MIN(block, p->width)) * elements;
  const tfc_range_fn loop = dtype == TFC_FLOAT        ? multiply_float
                            : dtype == TFC_DOUBLE     ? multiply_double
                            : dtype == TFC_COMPLEX64  ? multiply_complex64
                            : dtype == TFC_COMPLEX128 ? multiply_complex128
                                                      : multiply_integer;
  tfc_parallel_for(ctx, items, ns, loop, (void*)p);
}

/* ---- Operands */

static void conjugate(int32_t dtype, void* x, int64_t n) {
  if (dtype == TFC_COMPLEX64)
    for (int64_t i = 0; i < n; i++) ((float*)x)[2 * i + 1] *= -1;
  if (dtype == TFC_COMPLEX128)
    for (int64_t i = 0; i < n; i++) ((double*)x)[2 * i + 1] *= -1;
}

/* The elements of x in `dtype`: itself, or a copy as float of 16-bit ones. NULL after a failure. */
static const void* widened(tfc_context* ctx, const tfc_tensor* x) {
  if (!tfc_is_16bit_float(x->dtype)) return x->data;
  float* wide = tfc_scratch_items(ctx, x->n + 1, sizeof *wide);
  if (wide) tfc_widen(x->dtype, x->data, wide, x->n);
  return wide;
}

/* The values as the rows need them, conjugated for an adjoint. */
static const void* values_by_rows(tfc_context* ctx, const sparse_rows* s, int32_t dtype,
                                  bool adjoint) {
  const size_t size = tfc_dtype_size(dtype);
  const void* from = widened(ctx, ctx->inputs[1]);
  if (!from || (!s->element && !adjoint)) return from;
  void* to = tfc_scratch_items(ctx, s->n, size);
  if (!to) return NULL;
  TFC_SWITCH_SIZE(size, {
    const T* x = from;
    T* y = to;
    for (int64_t i = 0; i < s->n; i++) y[i] = x[s->element ? s->element[i] : i];
  });
  if (adjoint) conjugate(dtype, to, s->n);
  return to;
}

/* b, or its adjoint. */
static const void* dense_operand(tfc_context* ctx, int32_t dtype, bool adjoint) {
  const tfc_tensor* b = ctx->inputs[3];
  const void* from = widened(ctx, b);
  if (!adjoint || !from) return from;
  const size_t size = tfc_dtype_size(dtype);
  void* to = tfc_scratch_items(ctx, b->n, size);
  if (!to) return NULL;
  tfc_transpose_2d(from, b->dims[1], to, b->dims[0], b->dims[0], b->dims[1], size, false);
  conjugate(dtype, to, b->n);
  return to;
}

static int sparse_dense_matmul(tfc_context* ctx) {
  const attributes* how = ctx->state;
  const tfc_tensor* b = ctx->inputs[3];
  int64_t dims[2];
  TFC_TRY(check(ctx, dims));
  const int64_t out[2] = {dims[how->adjoint_a ? 1 : 0], b->dims[how->adjoint_b ? 0 : 1]};
  TFC_TRY(tfc_check_shape(ctx, 2, out));
  TFC_TRY(tfc_output(ctx, 0, 2, out));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->n == 0) return TFC_OK;
  if (ctx->inputs[1]->n == 0 || b->n == 0) {
    tfc_fill_zero(ctx, y);
    return TFC_OK;
  }
  const bool half = tfc_is_16bit_float(y->dtype);
  const int32_t dtype = half ? TFC_FLOAT : y->dtype;
  sparse_rows a = {.rows = out[0], .cols = dims[how->adjoint_a ? 0 : 1]};
  TFC_TRY(sort_by_rows(ctx, how->adjoint_a, &a));
  product p = {.a = &a, .width = out[1], .y = y->data};
  p.values = values_by_rows(ctx, &a, dtype, how->adjoint_a);
  p.b = dense_operand(ctx, dtype, how->adjoint_b);
  if (half) p.y = tfc_scratch_items(ctx, y->n, sizeof(float));
  if (!p.values || !p.b || !p.y) return TFC_RESOURCE_EXHAUSTED;
  multiply(ctx, dtype, &p);
  if (half) tfc_narrow(y->dtype, p.y, y->data, y->n);
  return TFC_OK;
}

/* ---- SparseMatMul: the operands are dense, and products of dense blocks are faster than looking
 * for zeros in all but extreme data. */

static int dense_matmul(tfc_context* ctx) {
  const attributes* how = ctx->state;
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[i]->rank != 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%c is not a matrix", 'a' + i);
  const int64_t out[2] = {a->dims[how->adjoint_a ? 1 : 0], b->dims[how->adjoint_b ? 0 : 1]};
  const int64_t inner = a->dims[how->adjoint_a ? 0 : 1];
  if (inner != b->dims[how->adjoint_b ? 1 : 0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Matrix size incompatible: a: %s, b: %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  TFC_TRY(tfc_check_shape(ctx, 2, out));
  TFC_TRY(tfc_output(ctx, 0, 2, out));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const void *x = widened(ctx, a), *y = widened(ctx, b);
  if ((!x && a->n) || (!y && b->n)) return TFC_RESOURCE_EXHAUSTED;
  const gemm_args product = {.m = out[0],
                             .n = out[1],
                             .k = inner,
                             .a = x,
                             .a_rs = how->adjoint_a ? 1 : a->dims[1],
                             .a_cs = how->adjoint_a ? a->dims[1] : 1,
                             .b = y,
                             .b_rs = how->adjoint_b ? 1 : b->dims[1],
                             .b_cs = how->adjoint_b ? b->dims[1] : 1,
                             .c = ctx->outputs[0].data,
                             .c_rs = out[1],
                             .c_cs = 1};
  gemm_float(ctx, &product);
  return TFC_OK;
}

static int create(tfc_construction* c, void** state, const char* a, const char* b) {
  attributes* how = tfc_new_state(c, sizeof *how);
  if (!how) return TFC_RESOURCE_EXHAUSTED;
  int code = c->api->attr_bool(c, a, &how->adjoint_a);
  if (!code) code = c->api->attr_bool(c, b, &how->adjoint_b);
  if (code)
    free(how);
  else
    *state = how;
  return code;
}

static int create_adjoint(tfc_construction* c, void** state) {
  return create(c, state, "adjoint_a", "adjoint_b");
}
static int create_transposed(tfc_construction* c, void** state) {
  return create(c, state, "transpose_a", "transpose_b");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseTensorDenseMatMul", "T=" TFC_TYPES_FLOATS "|int32|" TFC_TYPES_COMPLEX,
            sparse_dense_matmul, TFC_STATE(create_adjoint), .host_args = "a_shape"),
    TFC_ROW("SparseMatMul", "Ta=bfloat16|float;Tb=bfloat16|float", dense_matmul,
            TFC_STATE(create_transposed)),
};
TFC_REGISTER_KERNELS(kernels);
