/* Counts of values in rows, dense and sparse (DenseBincount, DenseCountSparseOutput and others),
 * and Bucketize. */
#include <stdlib.h>

#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* ---- Sums of weights */

/* y[to] += weight i, which is 1 if there are no weights. */
static void add_weight(tfc_tensor* y, int64_t to, const tfc_tensor* weights, int64_t i) {
  const bool one = !weights->n;
  switch (y->dtype) {
    case TFC_FLOAT: ((float*)y->data)[to] += one ? 1 : ((const float*)weights->data)[i]; break;
    case TFC_DOUBLE: ((double*)y->data)[to] += one ? 1 : ((const double*)weights->data)[i]; break;
    case TFC_INT64:
      ((uint64_t*)y->data)[to] += one ? 1 : ((const uint64_t*)weights->data)[i];
      break;
    default: ((uint32_t*)y->data)[to] += one ? 1 : ((const uint32_t*)weights->data)[i];
  }
}

static void set_one(tfc_tensor* y, int64_t to) {
  switch (y->dtype) {
    case TFC_FLOAT: ((float*)y->data)[to] = 1; break;
    case TFC_DOUBLE: ((double*)y->data)[to] = 1; break;
    case TFC_INT64: ((int64_t*)y->data)[to] = 1; break;
    default: ((int32_t*)y->data)[to] = 1;
  }
}

/* ---- The row of each value */

/* The rows of n values, cut by `splits`. rows[i] is written for each value. */
static int rows_of_splits(tfc_context* ctx, const tfc_tensor* splits, int64_t n, int64_t* rows) {
  int64_t row = -1, end = 0;
  const int64_t first = tfc_index_at(splits, 0), last = tfc_index_at(splits, splits->n - 1);
  if (first)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Splits must start with 0, not with %lld",
                     (long long)first);
  if (last != n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Splits must end with the number of values, got %lld instead of %lld",
                     (long long)last, (long long)n);
  for (int64_t i = 0; i < n; i++) {
    while (i >= end) {
      if (++row == splits->n - 1) return tfc_changed(ctx, "the splits");
      end = tfc_index_at(splits, row + 1);
    }
    rows[i] = row;
  }
  return TFC_OK;
}

static int scratch_rows(tfc_context* ctx, int64_t n, int64_t** rows) {
  *rows = tfc_scratch_items(ctx, n + 1, sizeof **rows);
  return *rows ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

/* ---- Dense counts */

typedef struct counting {
  const tfc_tensor *values, *weights;
  const int64_t* rows; /* of each value, or NULL: there is one row, or rows of `width` values */
  int64_t width, size;
  bool binary;
  const char* negative; /* the error for a negative value, or NULL: it is ignored */
} counting;

static int read_binary(tfc_construction* c, void* state) {
  return c->api->attr_bool(c, "binary_output", state);
}

static int binary_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(bool), read_binary, state);
}

static int read_size(tfc_context* ctx, int input, int64_t* size) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be rank 0 but is rank %d", t->rank);
  *size = tfc_index_at(t, 0);
  if (*size >= 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "size (%lld) must be non-negative", (long long)*size);
}

static int check_weights(tfc_context* ctx, const tfc_tensor* values, const tfc_tensor* weights) {
  if (!weights->n || tfc_same_shape(values, weights)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which "
                   "case it acts as all weights equal to 1. Received %s",
                   tfc_shape_text(weights).text);
}

static int count(tfc_context* ctx, const counting* c) {
  tfc_tensor* y = &ctx->outputs[0];
  TFC_TRY(tfc_fill_zero(ctx, y));
  for (int64_t i = 0; i < c->values->n; i++) {
    const int64_t value = tfc_index_at(c->values, i);
    const int64_t row = c->rows ? c->rows[i] : c->width ? i / c->width : 0;
    if (value < 0 && c->negative)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, c->negative, (long long)value);
    if (value < 0 || value >= c->size) continue;
    if (c->binary)
      set_one(y, row * c->size + value);
    else
      add_weight(y, row * c->size + value, c->weights, i);
  }
  return TFC_OK;
}

static int dense_bincount(tfc_context* ctx) {
  counting c = {.values = ctx->inputs[0],
                .weights = ctx->inputs[2],
                .binary = *(const bool*)ctx->state,
                .negative = "Input arr must be non-negative!"};
  if (c.values->rank > 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be at most rank 2 but is rank %d",
                     c.values->rank);
  TFC_TRY(read_size(ctx, 1, &c.size));
  TFC_TRY(check_weights(ctx, c.values, c.weights));
  if (c.values->rank < 2) {
    TFC_TRY(tfc_output(ctx, 0, 1, &c.size));
  } else {
    c.width = c.values->dims[1];
    c.negative = "Input 'in' must be non-negative! Negative input value found: %lld";
    TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){c.values->dims[0], c.size}));
  }
  return count(ctx, &c);
}

static int check_sparse(tfc_context* ctx, const tfc_tensor* indices, const tfc_tensor* values,
                        const tfc_tensor* shape) {
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Sparse indices must be rank 2 but is rank %d",
                     indices->rank);
  if (values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Sparse values must be rank 1 but is rank %d",
                     values->rank);
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Sparse shape must be rank 1 but is rank %d",
                     shape->rank);
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of elements in indices (%lld) and values (%lld) do not match",
                     (long long)indices->dims[0], (long long)values->n);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Index rank (%lld) and shape rank (%lld) do not match",
                     (long long)indices->dims[1], (long long)shape->n);
  if (!shape->n || shape->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Sparse shape has %lld dimensions: from 1 to %d",
                     (long long)shape->n, TFC_MAX_RANK);
  return TFC_OK;
}

/* Checks all indices; rows[i] becomes the first of element i. */
static int rows_of_indices(tfc_context* ctx, const tfc_tensor* indices, const int64_t* shape,
                           int64_t* rows) {
  const int64_t rank = indices->dims[1];
  int64_t index[TFC_MAX_RANK];
  for (int64_t i = 0; i < indices->dims[0]; i++) {
    bool inside = true;
    for (int64_t d = 0; d < rank; d++) {
      index[d] = tfc_index_at(indices, i * rank + d);
      inside &= index[d] >= 0 && index[d] < shape[d];
    }
    rows[i] = index[0];
    if (!inside)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Sparse index tuple indices[%lld, :] = %s is out of bounds", (long long)i,
                       tfc_dims_text((int)rank, index).text);
  }
  return TFC_OK;
}

static int sparse_bincount(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *dense_shape = ctx->inputs[2];
  counting c = {
      .values = ctx->inputs[1], .weights = ctx->inputs[4], .binary = *(const bool*)ctx->state};
  int64_t shape[TFC_MAX_RANK], *rows = NULL;
  TFC_TRY(read_size(ctx, 3, &c.size));
  TFC_TRY(check_sparse(ctx, indices, c.values, dense_shape));
  TFC_TRY(check_weights(ctx, c.values, c.weights));
  tfc_read_indices(dense_shape, shape);
  TFC_TRY(scratch_rows(ctx, c.values->n, &rows));
  TFC_TRY(rows_of_indices(ctx, indices, shape, rows));
  if (dense_shape->n == 1) {
    c.negative = "Input arr must be non-negative!";
    TFC_TRY(tfc_output(ctx, 0, 1, &c.size));
  } else {
    c.rows = rows;
    TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){shape[0], c.size}));
  }
  return count(ctx, &c);
}

static int ragged_bincount(tfc_context* ctx) {
  const tfc_tensor* splits = ctx->inputs[0];
  counting c = {.values = ctx->inputs[1],
                .weights = ctx->inputs[3],
                .binary = *(const bool*)ctx->state,
                .negative = "Input must be non-negative"};
  int64_t* rows = NULL;
  TFC_TRY(read_size(ctx, 2, &c.size));
  if (!splits->n) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Splits must be non-empty");
  TFC_TRY(check_weights(ctx, c.values, c.weights));
  TFC_TRY(scratch_rows(ctx, c.values->n, &rows));
  TFC_TRY(rows_of_splits(ctx, splits, c.values->n, rows));
  c.rows = rows;
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){splits->n - 1, c.size}));
  return count(ctx, &c);
}

/* ---- Sparse counts */

typedef struct limits {
  int64_t least, most; /* lengths of a row; -1: not given */
  bool binary;
} limits;

static int read_limits(tfc_construction* c, void* state) {
  limits* l = state;
  TFC_TRY(c->api->attr_int(c, "minlength", &l->least));
  TFC_TRY(c->api->attr_int(c, "maxlength", &l->most));
  return c->api->attr_bool(c, "binary_output", &l->binary);
}

static int limits_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(limits), read_limits, state);
}

typedef struct occurrence {
  int64_t row, value, place;
} occurrence;

static int compare(const void* a, const void* b) {
  const occurrence *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  if (x->value != y->value) return x->value < y->value ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

static bool starts(const occurrence* all, int64_t i) {
  return !i || all[i].row != all[i - 1].row || all[i].value != all[i - 1].value;
}

/* Values below the greatest length, by row and value; *greatest is that of all values. */
static int collect(tfc_context* ctx, const tfc_tensor* values, int64_t width, const int64_t* rows,
                   occurrence* all, int64_t* n, int64_t* greatest) {
  const limits* l = ctx->state;
  *n = *greatest = 0;
  for (int64_t i = 0; i < values->n; i++) {
    const int64_t value = tfc_index_at(values, i);
    if (value < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input values must all be non-negative");
    if (l->most >= 0 && value >= l->most) continue;
    *greatest = TFC_MAX(*greatest, value);
    all[(*n)++] = (occurrence){rows ? rows[i] : width ? i / width : 0, value, i};
  }
  qsort(all, (size_t)*n, sizeof *all, compare);
  return TFC_OK;
}

/* n_rows -1: the result is a vector. */
static int count_sparse(tfc_context* ctx, const tfc_tensor* values, const tfc_tensor* weights,
                        int64_t width, const int64_t* rows, int64_t n_rows) {
  const limits* l = ctx->state;
  const bool vector = n_rows < 0;
  int64_t n, greatest, found = 0;
  occurrence* all = tfc_scratch_items(ctx, values->n + 1, sizeof *all);
  if (!all) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(collect(ctx, values, width, rows, all, &n, &greatest));
  for (int64_t i = 0; i < n; i++) found += starts(all, i);
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){found, vector ? 1 : 2}));
  TFC_TRY(tfc_output(ctx, 1, 1, &found));
  TFC_TRY(tfc_output(ctx, 2, 1, (int64_t[]){vector ? 1 : 2}));
  TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[1]));
  int64_t *index = ctx->outputs[0].data, *shape = ctx->outputs[2].data, at = -1;
  for (int64_t i = 0; i < n; i++) {
    if (starts(all, i)) {
      at++;
      if (!vector) *index++ = all[i].row;
      *index++ = all[i].value;
    }
    if (l->binary)
      set_one(&ctx->outputs[1], at);
    else
      add_weight(&ctx->outputs[1], at, weights, all[i].place);
  }
  if (!vector) *shape++ = n_rows;
  *shape = l->most >= 0 ? l->most : TFC_MAX(greatest + 1, l->least);
  return TFC_OK;
}

static int check_value_weights(tfc_context* ctx, const tfc_tensor* values,
                               const tfc_tensor* weights, const char* name) {
  if (!weights->n || tfc_same_shape(values, weights)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Weights and %s must have the same shape. Weight shape: %s; %s shape: %s", name,
                   tfc_shape_text(weights).text, name, tfc_shape_text(values).text);
}

static int dense_count(tfc_context* ctx) {
  const tfc_tensor *values = ctx->inputs[0], *weights = ctx->inputs[1];
  if (values->rank < 1 || values->rank > 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input must be a 1 or 2-dimensional tensor. Got: %s",
                     tfc_shape_text(values).text);
  TFC_TRY(check_value_weights(ctx, values, weights, "data"));
  const bool matrix = values->rank == 2;
  return count_sparse(ctx, values, weights, matrix ? values->dims[1] : 0, NULL,
                      matrix ? values->dims[0] : -1);
}

static int check_count_indices(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2];
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input indices must be a 2-dimensional tensor. Got: %s",
                     tfc_shape_text(indices).text);
  TFC_TRY(check_value_weights(ctx, values, ctx->inputs[3], "values"));
  if (values->n != indices->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of values must match first dimension of indices.Got %lld values, "
                     "indices shape: %s",
                     (long long)values->n, tfc_shape_text(indices).text);
  if (shape->n != indices->dims[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of dimensions must match second dimension of indices.Got %lld "
                     "dimensions, indices shape: %s",
                     (long long)shape->n, tfc_shape_text(indices).text);
  if (shape->n && shape->n <= TFC_MAX_RANK) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The shape argument requires from 1 to %d elements, but has %lld", TFC_MAX_RANK,
                   (long long)shape->n);
}

static int sparse_count(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1];
  int64_t shape[TFC_MAX_RANK], *rows = NULL;
  TFC_TRY(check_count_indices(ctx));
  tfc_read_indices(ctx->inputs[2], shape);
  TFC_TRY(scratch_rows(ctx, values->n, &rows));
  const int64_t rank = indices->dims[1];
  for (int64_t i = 0; i < values->n; i++) {
    for (int64_t d = rank - 1; d >= 0; d--) {
      rows[i] = tfc_index_at(indices, i * rank + d);
      if (rows[i] < 0 || rows[i] >= shape[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Invalid index value at %lld: dimension %lld has value %lld which is not "
                         "in [0, %lld) (as given by dense shape %s",
                         (long long)i, (long long)d, (long long)rows[i], (long long)shape[d],
                         tfc_dims_text((int)rank, shape).text);
    }
  }
  return count_sparse(ctx, values, ctx->inputs[3], 0, rank > 1 ? rows : NULL,
                      rank > 1 ? shape[0] : -1);
}

static int ragged_count(tfc_context* ctx) {
  const tfc_tensor *splits = ctx->inputs[0], *values = ctx->inputs[1];
  int64_t* rows = NULL;
  TFC_TRY(check_value_weights(ctx, values, ctx->inputs[2], "values"));
  if (splits->n < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Must provide at least 2 elements for the splits argument");
  TFC_TRY(scratch_rows(ctx, values->n, &rows));
  TFC_TRY(rows_of_splits(ctx, splits, values->n, rows));
  return count_sparse(ctx, values, ctx->inputs[2], 0, rows, splits->n - 1);
}

/* ---- Bucketize */

typedef struct boundaries {
  int n;
  double at[];
} boundaries;

static int bucketize_create(tfc_construction* c, void** state) {
  int n = 0;
  TFC_TRY(c->api->attr_floats(c, "boundaries", 0, NULL, &n));
  boundaries* b = tfc_new_state(c, sizeof *b + (size_t)n * sizeof *b->at);
  if (!b) return TFC_RESOURCE_EXHAUSTED;
  int code = c->api->attr_floats(c, "boundaries", n, b->at, &b->n);
  for (int i = 1; i < b->n && !code; i++)
    if (b->at[i] < b->at[i - 1])
      code = c->api->error(c, TFC_INVALID_ARGUMENT, "Expected sorted boundaries");
  if (code)
    free(b);
  else
    *state = b;
  return code;
}

/* How many boundaries are not above x: all, if it is NaN. */
static int32_t bucket(const boundaries* b, double x) {
  int low = 0, high = b->n;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (x < b->at[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

typedef struct bucket_run {
  const boundaries* boundaries;
  const tfc_tensor* x;
  int32_t* y;
} bucket_run;

static void bucket_range(void* arg, int64_t begin, int64_t end) {
  const bucket_run* r = arg;
  for (int64_t i = begin; i < end; i++) {
    double x;
    switch (r->x->dtype) {
      case TFC_FLOAT: x = ((const float*)r->x->data)[i]; break;
      case TFC_DOUBLE: x = ((const double*)r->x->data)[i]; break;
      default: x = (float)tfc_index_at(r->x, i); /* integers are compared as float, as boundaries */
    }
    r->y[i] = bucket(r->boundaries, x);
  }
}

static int bucketize(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  bucket_run run = {ctx->state, x, ctx->outputs[0].data};
  tfc_parallel_for(ctx, x->n, 10, bucket_range, &run);
  return TFC_OK;
}

#define COUNT_TYPES "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DenseBincount", COUNT_TYPES, dense_bincount, TFC_STATE(binary_create)),
    TFC_ROW("SparseBincount", COUNT_TYPES, sparse_bincount, TFC_STATE(binary_create)),
    TFC_ROW("RaggedBincount", COUNT_TYPES, ragged_bincount, TFC_STATE(binary_create)),
    TFC_ROW("DenseCountSparseOutput", "", dense_count, TFC_STATE(limits_create)),
    TFC_ROW("SparseCountSparseOutput", "", sparse_count, TFC_STATE(limits_create)),
    TFC_ROW("RaggedCountSparseOutput", "", ragged_count, TFC_STATE(limits_create)),
    TFC_ROW("Bucketize", COUNT_TYPES, bucketize, TFC_STATE(bucketize_create)),
};
TFC_REGISTER_KERNELS(kernels);
