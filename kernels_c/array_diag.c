/* Diagonals and bands of matrices. */
#include "array.h"
#include "array_copy.h"

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
  tfc_fill_zero(ctx, &ctx->outputs[0]);
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
  tfc_fill_zero(ctx, &ctx->outputs[0]);
  if (x->n == 0) return TFC_OK;
  const tfc_box box = {.rank = 2, .dims = {x->n / n, n}, .to = {n * n, n + 1}, .from = {n, 1}};
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int want_matrices(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be at least 2-dim, received shape: %s",
                     tfc_shape_text(x).text);
  return TFC_OK;
}

static int matrix_diag_part(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(want_matrices(ctx));
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
  TFC_TRY(want_matrices(ctx));
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
  TFC_TRY(want_matrices(ctx));
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

#define PLAIN                                                                                 \
  "T=float|double|half|bfloat16|int8|int16|int32|int64|uint8|uint16|uint32|uint64|complex64|" \
  "complex128|bool"

static const tfc_kernel_def diagonals[] = {
    {.op = "Diag", .device = "CPU", .types = "", .compute = diag},
    {.op = "DiagPart", .device = "CPU", .types = "", .compute = diag_part},
    {.op = "MatrixDiag", .device = "CPU", .types = "", .compute = matrix_diag},
    {.op = "BatchMatrixDiag", .device = "CPU", .types = "", .compute = matrix_diag},
    {.op = "MatrixDiagPart", .device = "CPU", .types = "", .compute = matrix_diag_part},
    {.op = "BatchMatrixDiagPart", .device = "CPU", .types = "", .compute = matrix_diag_part},
    {.op = "MatrixSetDiag", .device = "CPU", .types = "", .compute = matrix_set_diag},
    {.op = "BatchMatrixSetDiag", .device = "CPU", .types = "", .compute = matrix_set_diag},
    {.op = "MatrixBandPart",
     .device = "CPU",
     .types = PLAIN,
     .compute = matrix_band_part,
     .host_args = "num_lower,num_upper"},
    {.op = "BatchMatrixBandPart",
     .device = "CPU",
     .types = PLAIN,
     .compute = matrix_band_part,
     .host_args = "num_lower,num_upper"},
};
TFC_REGISTER_KERNELS(diagonals);
