/* Elements for the rows that have none: SparseFillEmptyRows and its gradient. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/rows.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

/* Elements by rows: those of row r are at first[r] .. first[r + 1] - 1 of the result. */
typedef struct filled_rows {
  sparse_indices indices;
  int64_t rows, n;
  int64_t* first;
  int64_t* source; /* the number of each element of the result in the input, -1: the default */
} filled_rows;

static int check(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2],
                   *fill = ctx->inputs[3];
  const struct {
    const char *name, *kind;
    const tfc_tensor* part;
    int rank;
  } wanted[] = {{"dense_shape", "vector", shape, 1},
                {"indices", "matrix", indices, 2},
                {"values", "vector", values, 1},
                {"default_value", "scalar", fill, 0}};
  for (int i = 0; i < 4; i++) {
    if (wanted[i].part->rank != wanted[i].rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a %s, saw: %s", wanted[i].name,
                       wanted[i].kind, tfc_shape_text(wanted[i].part).text);
    if (i == 2 && indices->dims[0] != values->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "The length of `values` (%lld) must match the first dimension of `indices` "
                       "(%lld).",
                       (long long)values->n, (long long)indices->dims[0]);
  }
  if (shape->n == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dense shape cannot be empty.");
  if (shape->n != indices->dims[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The length of `dense_shape` (%lld) must match the second dimension of "
                     "`indices` (%lld).",
                     (long long)shape->n, (long long)indices->dims[1]);
  return TFC_OK;
}

/* Counts the elements of each row, one for those that have none. */
static int count_rows(tfc_context* ctx, filled_rows* f) {
  f->first = tfc_scratch_items(ctx, TFC_MIN(f->rows, INT64_MAX - 2) + 2, sizeof *f->first);
  if (!f->first) return TFC_RESOURCE_EXHAUSTED;
  memset(f->first, 0, (size_t)(f->rows + 2) * sizeof *f->first);
  int64_t* counts = f->first + 1;
  for (int64_t i = 0; i < f->indices.n; i++) {
    const int64_t row = *sparse_row(&f->indices, i);
    if (row < 0 || row >= f->rows)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices(%lld, 0) is invalid: %lld >= %lld",
                       (long long)i, (long long)row, (long long)f->rows);
    counts[row]++;
  }
  TFC_TRY(tfc_output(ctx, 2, 1, &f->rows));
  bool* empty = ctx->outputs[2].data;
  for (int64_t row = 0; row < f->rows; row++) {
    empty[row] = counts[row] == 0;
    counts[row] += f->first[row] + empty[row];
  }
  f->n = f->first[f->rows];
  return TFC_OK;
}

/* Puts the elements into their rows, and notes where each went. */
static int place(tfc_context* ctx, filled_rows* f) {
  int64_t* next = tfc_scratch_items(ctx, f->rows + 1, sizeof *next);
  f->source = tfc_scratch_items(ctx, f->n + 1, sizeof *f->source);
  if (!next || !f->source) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(tfc_output(ctx, 3, 1, &f->indices.n));
  int64_t* map = ctx->outputs[3].data;
  memcpy(next, f->first, (size_t)(f->rows + 1) * sizeof *next);
  for (int64_t k = 0; k < f->n; k++) f->source[k] = -1;
  for (int64_t i = 0; i < f->indices.n; i++) {
    map[i] = next[*sparse_row(&f->indices, i)]++;
    f->source[map[i]] = i;
  }
  return TFC_OK;
}

static int put_filled(tfc_context* ctx, const filled_rows* f) {
  const tfc_tensor *values = ctx->inputs[1], *fill = ctx->inputs[3];
  const int64_t rank = f->indices.rank;
  TFC_TRY(tfc_output(ctx, 0, 2, (const int64_t[2]){f->n, rank}));
  TFC_TRY(tfc_output(ctx, 1, 1, &f->n));
  tfc_tensor* y = &ctx->outputs[1];
  int64_t* index = ctx->outputs[0].data;
  const size_t size = tfc_dtype_size(y->dtype);
  for (int64_t k = 0, row = 0; k < f->n; k++, index += rank) {
    while (k >= f->first[row + 1]) row++;
    const int64_t i = f->source[k];
    for (int64_t d = 0; d < rank; d++)
      index[d] = i >= 0 ? sparse_row(&f->indices, i)[d] : d == 0 ? row : 0;
    const void* from = i >= 0 ? (const char*)values->data + (size_t)i * size : fill->data;
    if (y->dtype == TFC_STRING)
      TFC_TRY(tfc_string_set(ctx, y, k, ((const tfc_string*)from)->data,
                             ((const tfc_string*)from)->size));
    else
      memcpy((char*)y->data + (size_t)k * size, from, size);
  }
  return TFC_OK;
}

static int fill_empty_rows(tfc_context* ctx) {
  TFC_TRY(check(ctx));
  filled_rows f = {.rows = tfc_index_at(ctx->inputs[2], 0)};
  if (f.rows < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected shape dimensions to be non-negative, got %lld", (long long)f.rows);
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &f.indices));
  if (f.rows == 0 && f.indices.n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = %lld",
                     (long long)f.indices.n);
  TFC_TRY(count_rows(ctx, &f));
  TFC_TRY(place(ctx, &f));
  return put_filled(ctx, &f);
}

/* ---- SparseFillEmptyRowsGrad */

/* The sum of the elements that are not taken. */
static void add_rest(const tfc_tensor* grad, const bool* taken, void* sum) {
  const size_t size = tfc_dtype_size(grad->dtype);
  if (tfc_is_16bit_float(grad->dtype)) {
    float total = 0;
    for (int64_t k = 0; k < grad->n; k++)
      if (!taken[k]) total += tfc_widen_one(grad->dtype, ((const uint16_t*)grad->data)[k]);
    *(uint16_t*)sum = tfc_narrow_one(grad->dtype, total);
    return;
  }
  const tfc_row_fn add = tfc_find_row_op(TFC_ROW_ADD, grad->dtype);
  memset(sum, 0, size);
  for (int64_t k = 0; k < grad->n; k++)
    if (!taken[k]) add(sum, (const char*)grad->data + (size_t)k * size, 1);
}

static int fill_empty_rows_grad(tfc_context* ctx) {
  const tfc_tensor *map = ctx->inputs[0], *grad = ctx->inputs[1];
  static const char* const names[] = {"reverse_index_map", "grad_values"};
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[i]->rank != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a vector, saw: %s", names[i],
                       tfc_shape_text(ctx->inputs[i]).text);
  bool* taken = tfc_scratch_items(ctx, grad->n + 1, sizeof *taken);
  const int64_t* at = sparse_copy_vector(ctx, map);
  if (!taken || !at) return TFC_RESOURCE_EXHAUSTED;
  memset(taken, 0, (size_t)grad->n + 1);
  for (int64_t i = 0; i < map->n; i++) {
    if (at[i] < 0 || at[i] >= grad->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Elements in reverse index must be in [0, %lld) but got %lld",
                       (long long)grad->n, (long long)at[i]);
    taken[at[i]] = true;
  }
  TFC_TRY(sparse_put_values(ctx, 0, grad, at, map->n));
  TFC_TRY(tfc_output_scalar(ctx, 1));
  add_rest(grad, taken, ctx->outputs[1].data);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseFillEmptyRows", "", fill_empty_rows, .host_args = "dense_shape"),
    TFC_ROW("SparseFillEmptyRowsGrad", "T=" TFC_TYPES_NUMBERS, fill_empty_rows_grad),
};
TFC_REGISTER_KERNELS(kernels);
