/* Diagonals and bands of matrices. GPUs have the first versions of these ops. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ALL_DEVICES;

static int diag(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must be at least rank 1, got 0");
  if (2 * x->rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Diag of a tensor of %d dimensions", x->rank);
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0; i < x->rank; i++) dims[i] = dims[x->rank + i] = x->dims[i];
  TFC_TRY(tfc_check_shape(ctx, 2 * x->rank, dims));
  TFC_TRY(tfc_output(ctx, 0, 2 * x->rank, dims));
  TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  const tfc_box box = {.rank = 1, .dims = {x->n}, .to = {x->n + 1}, .from = {1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int diag_part(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int half = x->rank / 2;
  if (x->rank % 2 || x->rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The rank of the tensor should be even and positive, got shape %s",
                     tfc_shape_text(x).text);
  for (int i = 0; i < half; i++)
    if (x->dims[i] != x->dims[half + i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid shape %s: dimensions %d and %d do not match.",
                       tfc_shape_text(x).text, i, half + i);
  TFC_TRY(tfc_output(ctx, 0, half, x->dims));
  const int64_t n = ctx->outputs[0].n;
  const tfc_box box = {.rank = 1, .dims = {n}, .to = {1}, .from = {n + 1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int matrix_diag(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "diagonal must be at least 1-dim, received shape: %s", tfc_shape_text(x).text);
  if (x->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "MatrixDiag of a tensor of %d dimensions", x->rank);
  const int64_t n = x->dims[x->rank - 1];
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank] = n;
  TFC_TRY(tfc_check_shape(ctx, x->rank + 1, dims));
  TFC_TRY(tfc_output(ctx, 0, x->rank + 1, dims));
  TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  if (x->n == 0) return TFC_OK;
  const tfc_box box = {.rank = 2, .dims = {x->n / n, n}, .to = {n * n, n + 1}, .from = {n, 1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int matrix_diag_part(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_matrices(ctx));
  const int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
  const int64_t n = TFC_MIN(rows, cols), batch = tfc_product(x->rank - 2, x->dims);
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank - 2] = n;
  TFC_TRY(tfc_output(ctx, 0, x->rank - 1, dims));
  const tfc_box box = {
      .rank = 2, .dims = {batch, n}, .to = {n, 1}, .from = {rows * cols, cols + 1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int matrix_set_diag(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *d = ctx->inputs[1];
  TFC_TRY(tfc_want_matrices(ctx));
  const int64_t rows = x->dims[x->rank - 2], cols = x->dims[x->rank - 1];
  const int64_t n = TFC_MIN(rows, cols);
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank - 2] = n;
  bool fits = d->rank == x->rank - 1;
  for (int i = 0; fits && i < d->rank; i++) fits = d->dims[i] == dims[i];
  if (!fits)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "must have diagonal.shape == input.shape[:-2] + min(input.shape[-2:]), but "
                     "received input shape: %s and diagonal shape: %s",
                     tfc_shape_text(x).text, tfc_shape_text(d).text);
  const int candidate = 0;
  if (x->dtype == TFC_STRING)
    TFC_TRY(tfc_output_like(ctx, 0, x));
  else
    TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  if (ctx->outputs[0].data != x->data) TFC_TRY(tfc_copy_tensor(ctx, &ctx->outputs[0], x));
  const tfc_box box = {
      .rank = 2, .dims = {x->n / (rows * cols), n}, .to = {rows * cols, cols + 1}, .from = {n, 1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, d, 0, &box);
}

TFC_COPIER(TFC_NO_STATE);

#if !TFC_FOR_GPU

/* ---- The second and third versions: the diagonals lower .. upper of matrices.
 *
 * They are the rows of a tensor, the uppermost diagonal first, all as long as the longest; shorter
 * ones are padded on the right, or on the left if the attribute `align` says so. A single diagonal
 * is a vector, not a matrix. Element (i, j) of a matrix is element min(i, j) of its diagonal j - i.
 */

typedef struct alignment {
  bool right_above, right_below; /* whether padding comes first above, below the diagonal */
} alignment;

static int align_create(tfc_construction* c, void** state) {
  const char* align;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "align", &align, &size));
  alignment* a = tfc_new_state(c, sizeof *a);
  if (!a) return TFC_RESOURCE_EXHAUSTED;
  a->right_above = size >= 6 && memcmp(align, "RIGHT_", 6) == 0;
  a->right_below = size >= 6 && memcmp(align + size - 6, "_RIGHT", 6) == 0;
  *state = a;
  return TFC_OK;
}

typedef struct band {
  int64_t rows, cols, lower, upper, longest;
  int64_t count; /* of diagonals */
  alignment align;
  int64_t size; /* of an element */
  char *matrices, *diagonals;
  const void* padding; /* NULL: leave what is there */
} band;

/* Where diagonal k begins in its row. */
static inline int64_t diagonal_start(const band* b, int64_t k) {
  if (!(k > 0 ? b->align.right_above : b->align.right_below)) return 0;
  return b->longest - TFC_MIN(b->rows + TFC_MIN(k, 0), b->cols - TFC_MAX(k, 0));
}
/* Some rows of a matrix. Diagonals are processed in pieces of this length, which lie in few cache
 * lines on both sides, however long rows and diagonals are. */
enum { BAND_ROWS = 16 };
typedef struct band_block {
  int64_t first, last; /* rows */
  char *matrix, *diagonals;
} band_block;

static inline int64_t blocks_per_matrix(const band* b) {
  return (b->rows + BAND_ROWS - 1) / BAND_ROWS;
}
static inline band_block block_of_band(const band* b, int64_t number) {
  const int64_t blocks = blocks_per_matrix(b), matrix = number / blocks;
  const int64_t first = number % blocks * BAND_ROWS;
  return (band_block){first, TFC_MIN(first + BAND_ROWS, b->rows),
                      b->matrices + matrix * b->rows * b->cols * b->size,
                      b->diagonals + matrix * b->count * b->longest * b->size};
}

/* For the piece of diagonal `k` in a block: its first element in the matrix and among the
 * diagonals, and its length. */
static inline int64_t piece_of_diagonal(const band* b, const band_block* block, int64_t k,
                                        int64_t* in_matrix, int64_t* in_diagonals) {
  const int64_t i = TFC_MAX(block->first, -k), end = TFC_MIN(block->last, b->cols - k);
  *in_matrix = i * b->cols + i + k;
  *in_diagonals = (b->upper - k) * b->longest + diagonal_start(b, k) + i + TFC_MIN(k, 0);
  return end - i;
}
/* The diagonals of the band that pass through a block. */
static inline int64_t lowest_in_block(const band* b, const band_block* block) {
  return TFC_MAX(b->lower, 1 - block->last);
}
static inline int64_t highest_in_block(const band* b, const band_block* block) {
  return TFC_MIN(b->upper, b->cols - 1 - block->first);
}

/* Writes padding around the band in the rows of a block. */
static void pad_rows(const band* b, const band_block* block) {
  for (int64_t i = block->first; i < block->last; i++) {
    const int64_t first = TFC_MIN(TFC_MAX(i + b->lower, 0), b->cols);
    const int64_t last = TFC_MAX(TFC_MIN(i + b->upper + 1, b->cols), first);
    TFC_SWITCH_SIZE(b->size, {
      const T padding = *(const T*)b->padding;
      T* row = (T*)block->matrix + i * b->cols;
      for (int64_t j = 0; j < first; j++) row[j] = padding;
      for (int64_t j = last; j < b->cols; j++) row[j] = padding;
    })
  }
}

static void matrices_from_diagonals(void* arg, int64_t begin, int64_t end) {
  const band* b = arg;
  for (int64_t number = begin; number < end; number++) {
    const band_block block = block_of_band(b, number);
    if (b->padding) pad_rows(b, &block);
    const int64_t lowest = lowest_in_block(b, &block), highest = highest_in_block(b, &block);
    TFC_SWITCH_SIZE(b->size, {
      for (int64_t k = lowest; k <= highest; k++) {
        int64_t in_matrix, in_diagonals;
        const int64_t n = piece_of_diagonal(b, &block, k, &in_matrix, &in_diagonals);
        const T* from = (const T*)block.diagonals + in_diagonals;
        T* to = (T*)block.matrix + in_matrix;
        for (int64_t i = 0; i < n; i++) to[i * (b->cols + 1)] = from[i];
      }
    })
  }
}

static void diagonals_from_matrices(void* arg, int64_t begin, int64_t end) {
  const band* b = arg;
  for (int64_t number = begin; number < end; number++) {
    const band_block block = block_of_band(b, number);
    const int64_t lowest = lowest_in_block(b, &block), highest = highest_in_block(b, &block);
    TFC_SWITCH_SIZE(b->size, {
      for (int64_t k = lowest; k <= highest; k++) {
        int64_t in_matrix, in_diagonals;
        const int64_t n = piece_of_diagonal(b, &block, k, &in_matrix, &in_diagonals);
        const T* from = (const T*)block.matrix + in_matrix;
        T* to = (T*)block.diagonals + in_diagonals;
        for (int64_t i = 0; i < n; i++) to[i] = from[i * (b->cols + 1)];
      }
    })
  }
}

static void pad_diagonals(void* arg, int64_t begin, int64_t end) {
  const band* b = arg;
  for (int64_t d = begin; d < end; d++) {
    const int64_t k = b->upper - d % b->count, first = diagonal_start(b, k);
    const int64_t n = TFC_MIN(b->rows + TFC_MIN(k, 0), b->cols - TFC_MAX(k, 0));
    TFC_SWITCH_SIZE(b->size, {
      const T padding = *(const T*)b->padding;
      T* to = (T*)b->diagonals + d * b->longest;
      for (int64_t j = 0; j < first; j++) to[j] = padding;
      for (int64_t j = first + n; j < b->longest; j++) to[j] = padding;
    })
  }
}

/* Calls fn for all blocks of the matrices. */
static void for_band_blocks(tfc_context* ctx, band* b, int64_t elements, tfc_range_fn fn) {
  if (elements == 0) return;
  const double bytes = b->padding ? (double)(b->cols * b->size) : 0;
  const double in_band = (double)TFC_MIN(b->count, b->cols);
  const int64_t blocks = elements / (b->rows * b->cols) * blocks_per_matrix(b);
  const double rows = (double)TFC_MIN(b->rows, BAND_ROWS);
  tfc_parallel_for(ctx, blocks, 5 + rows * (0.1 * bytes + in_band), fn, b);
}

/* Reads lower and upper from input k; `empty` is the error text if it has no elements. */
static int read_band(tfc_context* ctx, int input, const char* empty, band* b) {
  const tfc_tensor* k = ctx->inputs[input];
  if (k->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "diag_index must be a scalar or vector, received shape: %s",
                     tfc_shape_text(k).text);
  if (k->n == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", empty);
  if (k->n > 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "diag_index must have only one or two elements, received %lld elements.",
                     (long long)k->n);
  b->lower = tfc_index_at(k, 0);
  b->upper = tfc_index_at(k, k->n - 1);
  b->count = b->upper - b->lower + 1;
  b->align = ctx->state ? *(const alignment*)ctx->state : (alignment){false, false};
  return TFC_OK;
}

static int check_order(tfc_context* ctx, const band* b) {
  if (b->lower <= b->upper) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "lower_diag_index must not be larger than upper_diag_index: %lld > %lld",
                   (long long)b->lower, (long long)b->upper);
}

/* Fails if diagonal k lies outside the matrix. The main diagonal never does. */
static int check_diagonal(tfc_context* ctx, const band* b, const char* which, int64_t k) {
  if (k == 0 || (-b->rows < k && k < b->cols)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "%s_diag_index is out of bound: %lld. It must be between %lld and %lld", which,
                   (long long)k, (long long)-b->rows, (long long)b->cols);
}

/* Computes the sizes of a band of the matrices x from its known lower and upper. */
static int measure_band(tfc_context* ctx, const tfc_tensor* x, band* b) {
  b->rows = x->dims[x->rank - 2];
  b->cols = x->dims[x->rank - 1];
  b->size = (int64_t)tfc_dtype_size(x->dtype);
  TFC_TRY(check_diagonal(ctx, b, "lower", b->lower));
  TFC_TRY(check_diagonal(ctx, b, "upper", b->upper));
  TFC_TRY(check_order(ctx, b));
  b->longest = TFC_MIN(b->rows + TFC_MIN(b->upper, 0), b->cols - TFC_MAX(b->lower, 0));
  return TFC_OK;
}

/* The shape of the diagonals of the matrices x; returns its rank. */
static int diagonals_shape(const tfc_tensor* x, const band* b, int64_t* dims) {
  int rank = x->rank - 2;
  memcpy(dims, x->dims, (size_t)rank * sizeof *dims);
  if (b->count > 1) dims[rank++] = b->count;
  dims[rank++] = b->longest;
  return rank;
}

static int matrix_diag_part_v2(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *padding = ctx->inputs[2];
  band b;
  TFC_TRY(read_band(ctx, 1, "Expected diag_index to have at least 1 element", &b));
  if (padding->n != 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Padding must be scalar.");
  TFC_TRY(tfc_want_matrices(ctx));
  TFC_TRY(measure_band(ctx, x, &b));
  int64_t dims[TFC_MAX_RANK];
  const int rank = diagonals_shape(x, &b, dims);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->n == 0) return TFC_OK;
  b.matrices = x->data;
  b.diagonals = y->data;
  b.padding = NULL;
  for_band_blocks(ctx, &b, x->n, diagonals_from_matrices);
  b.padding = padding->data;
  if (b.count > 1)
    tfc_parallel_for(ctx, y->n / b.longest, 5 + 0.1 * (double)(b.longest * b.size), pad_diagonals,
                     &b);
  return TFC_OK;
}

/* Decides the number of rows and columns: given, or -1. */
static int size_matrices(tfc_context* ctx, int64_t rows, int64_t cols, band* b) {
  const int64_t least_rows = b->longest - TFC_MIN(b->upper, 0);
  const int64_t least_cols = b->longest + TFC_MAX(b->lower, 0);
  if (rows != -1 && rows < least_rows)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The number of rows is too small.");
  if (cols != -1 && cols < least_cols)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The number of columns is too small.");
  if (rows == -1 && cols == -1)
    rows = cols = TFC_MAX(least_rows, least_cols);
  else if (rows == -1)
    rows = least_rows;
  else if (cols == -1)
    cols = least_cols;
  if (rows != least_rows && cols != least_cols)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The number of rows or columns is not consistent with the specified d_lower, "
                     "d_upper, and diagonal.");
  b->rows = rows;
  b->cols = cols;
  return TFC_OK;
}

static int matrix_diag_v2(tfc_context* ctx) {
  static const char* const scalars[] = {"num_rows", "num_cols", "padding_value"};
  const tfc_tensor* x = ctx->inputs[0];
  band b;
  TFC_TRY(read_band(ctx, 1, "Expected diag_index to have at least 1 element", &b));
  for (int i = 0; i < 3; i++)
    if (ctx->inputs[2 + i]->rank != 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar", scalars[i]);
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "diagonal must be at least 1-dim, received shape: %s", tfc_shape_text(x).text);
  TFC_TRY(check_order(ctx, &b));
  if (b.count > 1 && (x->rank < 2 || x->dims[x->rank - 2] != b.count))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The number of diagonals provided in the input does not match the "
                     "lower_diag_index and upper_diag_index range.");
  b.longest = x->dims[x->rank - 1];
  TFC_TRY(size_matrices(ctx, tfc_int_scalar(ctx->inputs[2]), tfc_int_scalar(ctx->inputs[3]), &b));
  const int batch = x->rank - (b.count > 1 ? 2 : 1);
  int64_t dims[TFC_MAX_RANK + 1];
  memcpy(dims, x->dims, sizeof x->dims);
  dims[batch] = b.rows;
  dims[batch + 1] = b.cols;
  TFC_TRY(tfc_check_shape(ctx, batch + 2, dims));
  TFC_TRY(tfc_output(ctx, 0, batch + 2, dims));
  b.size = (int64_t)tfc_dtype_size(x->dtype);
  b.matrices = ctx->outputs[0].data;
  b.diagonals = x->data;
  b.padding = ctx->inputs[4]->data;
  for_band_blocks(ctx, &b, ctx->outputs[0].n, matrices_from_diagonals);
  return TFC_OK;
}

static int matrix_set_diag_v2(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *d = ctx->inputs[1];
  band b;
  TFC_TRY(read_band(ctx, 2, "diag_index must have at least one element", &b));
  TFC_TRY(tfc_want_matrices(ctx));
  if (d->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "diagonal must be at least 1-dim, received shape: %s", tfc_shape_text(d).text);
  TFC_TRY(measure_band(ctx, x, &b));
  if (b.count > 1 && (d->rank < x->rank - 1 || d->rank < 2 || d->dims[x->rank - 2] != b.count))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The number of diagonals provided in `diag` is not consistent with "
                     "`lower_diag_index` and `upper_diag_index`");
  int64_t dims[TFC_MAX_RANK];
  const int rank = diagonals_shape(x, &b, dims);
  bool fits = d->rank == rank;
  for (int i = 0; fits && i < rank; i++) fits = d->dims[i] == dims[i];
  if (!fits)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Either first dimensions of diagonal don't match input.shape[:-2], or "
                     "diagonal.shape[:-1] is not equal to the longests diagonal in range "
                     "[lower_diag_index:upper_diag_index].\nInput shape: %s\nDiagonal shape: "
                     "%s\nExpected diagonal shape: %s",
                     tfc_shape_text(x).text, tfc_shape_text(d).text,
                     tfc_dims_text(rank, dims).text);
  const int candidate = 0;
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  if (ctx->outputs[0].data != x->data) TFC_TRY(tfc_copy_tensor(ctx, &ctx->outputs[0], x));
  b.matrices = ctx->outputs[0].data;
  b.diagonals = d->data;
  b.padding = NULL;
  for_band_blocks(ctx, &b, x->n, matrices_from_diagonals);
  return TFC_OK;
}

/* ---- MatrixBandPart */

typedef struct band_plan {
  const char* x;
  char* y;
  int64_t rows, cols, lower, upper, size;
} band_plan;

static void band_rows(void* arg, int64_t begin, int64_t end) {
  const band_plan* p = arg;
  for (int64_t r = begin; r < end; r++) {
    const int64_t i = r % p->rows;
    int64_t first = p->lower < 0 || p->lower > i ? 0 : i - p->lower;
    int64_t last = p->upper < 0 || p->upper >= p->cols - i ? p->cols : i + p->upper + 1;
    if (first > p->cols) first = p->cols;
    if (last < first) last = first;
    const char* x = p->x + r * p->cols * p->size;
    char* y = p->y + r * p->cols * p->size;
    memset(y, 0, (size_t)(first * p->size));
    if (x != y)
      memcpy(y + first * p->size, x + first * p->size, (size_t)((last - first) * p->size));
    memset(y + last * p->size, 0, (size_t)((p->cols - last) * p->size));
  }
}

static int matrix_band_part(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_matrices(ctx));
  TFC_TRY(tfc_want_scalar(ctx, 1, "num_lower must be scalar, got shape"));
  TFC_TRY(tfc_want_scalar(ctx, 2, "num_upper must be scalar, got shape"));
  band_plan p = {.rows = x->dims[x->rank - 2],
                 .cols = x->dims[x->rank - 1],
                 .lower = tfc_int_scalar(ctx->inputs[1]),
                 .upper = tfc_int_scalar(ctx->inputs[2]),
                 .size = (int64_t)tfc_dtype_size(x->dtype)};
  if (p.lower > p.rows)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "num_lower must be negative or less or equal to number of rows (%lld) got: %lld",
        (long long)p.rows, (long long)p.lower);
  if (p.upper > p.cols)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "num_upper must be negative or less or equal to number of columns (%lld) got: %lld",
        (long long)p.cols, (long long)p.upper);
  const int candidate = 0;
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  p.x = x->data;
  p.y = ctx->outputs[0].data;
  tfc_parallel_for(ctx, x->n / p.cols, 5 + 0.1 * (double)(p.cols * p.size), band_rows, &p);
  return TFC_OK;
}

#endif

static const tfc_kernel_def kernels[] = {
    TFC_COPIES_ALL("Diag", "T", diag, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("DiagPart", "T", diag_part, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("MatrixDiag", "T", matrix_diag, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("BatchMatrixDiag", "T", matrix_diag, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("MatrixDiagPart", "T", matrix_diag_part, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("BatchMatrixDiagPart", "T", matrix_diag_part, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("MatrixSetDiag", "T", matrix_set_diag, TFC_NO_STATE, NULL),
    TFC_COPIES_ALL("BatchMatrixSetDiag", "T", matrix_set_diag, TFC_NO_STATE, NULL),
#if !TFC_FOR_GPU
    TFC_ROW("MatrixDiagV2", "T=" TFC_TYPES_PLAIN, matrix_diag_v2,
            .host_args = "k,num_rows,num_cols"),
    TFC_ROW("MatrixDiagPartV2", "T=" TFC_TYPES_PLAIN, matrix_diag_part_v2, .host_args = "k"),
    TFC_ROW("MatrixSetDiagV2", "T=" TFC_TYPES_PLAIN, matrix_set_diag_v2, .host_args = "k"),
    TFC_ROW("MatrixDiagV3", "T=" TFC_TYPES_PLAIN, matrix_diag_v2, TFC_STATE(align_create),
            .host_args = "k,num_rows,num_cols"),
    TFC_ROW("MatrixDiagPartV3", "T=" TFC_TYPES_PLAIN, matrix_diag_part_v2, TFC_STATE(align_create),
            .host_args = "k"),
    TFC_ROW("MatrixSetDiagV3", "T=" TFC_TYPES_PLAIN, matrix_set_diag_v2, TFC_STATE(align_create),
            .host_args = "k"),
    TFC_ROW("MatrixBandPart", "T=" TFC_TYPES_PLAIN, matrix_band_part,
            .host_args = "num_lower,num_upper"),
    TFC_ROW("BatchMatrixBandPart", "T=" TFC_TYPES_PLAIN, matrix_band_part,
            .host_args = "num_lower,num_upper"),
#endif
};
TFC_REGISTER_KERNELS(kernels);
