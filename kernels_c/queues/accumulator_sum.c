/* Sums of gradients. See accumulator.h. Half precision is rounded after each addition, as in
 * TensorFlow. */
#include <stdlib.h>

#include "kernels_c/queues/accumulator.h"

TFC_ONE_LEVEL;

void accumulator_sum_clear(const tfc_api* api, accumulator_sum* sum) {
  if (sum->values.buffer) tfc_let_go(api, &sum->values);
  free(sum->indices);
  free(sum->counts);
  *sum = (accumulator_sum){0};
}

/* ---- Arithmetic on n elements. */

static void add(int32_t dtype, const void* a, const void* b, void* to, int64_t n) {
  switch (dtype) {
    case TFC_FLOAT:
      for (int64_t i = 0; i < n; i++) ((float*)to)[i] = ((const float*)a)[i] + ((const float*)b)[i];
      break;
    case TFC_DOUBLE:
      for (int64_t i = 0; i < n; i++)
        ((double*)to)[i] = ((const double*)a)[i] + ((const double*)b)[i];
      break;
    default:
      for (int64_t i = 0; i < n; i++)
        ((uint16_t*)to)[i] =
            tfc_narrow_one(dtype, tfc_widen_one(dtype, ((const uint16_t*)a)[i]) +
                                      tfc_widen_one(dtype, ((const uint16_t*)b)[i]));
  }
}

static void divide(int32_t dtype, const void* a, double by, void* to, int64_t n) {
  switch (dtype) {
    case TFC_FLOAT:
      for (int64_t i = 0; i < n; i++) ((float*)to)[i] = ((const float*)a)[i] / (float)by;
      break;
    case TFC_DOUBLE:
      for (int64_t i = 0; i < n; i++) ((double*)to)[i] = ((const double*)a)[i] / by;
      break;
    default: {
      const float divisor = tfc_widen_one(dtype, tfc_narrow_one(dtype, (float)by));
      for (int64_t i = 0; i < n; i++)
        ((uint16_t*)to)[i] =
            tfc_narrow_one(dtype, tfc_widen_one(dtype, ((const uint16_t*)a)[i]) / divisor);
    }
  }
}

/* ---- Dense sums. */

int accumulator_add_dense(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* grad) {
  tfc_tensor* values = &sum->values;
  if (tfc_exclusive(ctx->api, values)) {
    add(grad->dtype, values->data, grad->data, values->data, grad->n);
    return TFC_OK;
  }
  tfc_tensor made = {.dtype = grad->dtype};
  TFC_TRY(tfc_make(ctx, &made, grad->rank, grad->dims));
  add(grad->dtype, values->data, grad->data, made.data, grad->n);
  tfc_let_go(ctx->api, values);
  *values = made;
  return TFC_OK;
}

/* ---- Sparse sums. */

static int64_t row_size(const tfc_tensor* values) {
  return tfc_count(values->rank - 1, values->dims + 1);
}

static char* row(const tfc_tensor* values, int64_t i, int64_t size) {
  return (char*)values->data + (size_t)(i * size) * tfc_dtype_size(values->dtype);
}

/* Room for rows; `like` has their shape and type. */
static int make_rows(tfc_context* ctx, accumulator_sum* made, int64_t n, const tfc_tensor* like) {
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, like->dims, sizeof dims);
  dims[0] = made->n = n;
  made->values.dtype = like->dtype;
  made->indices = malloc((size_t)TFC_MAX(n, 1) * sizeof *made->indices);
  made->counts = malloc((size_t)TFC_MAX(n, 1) * sizeof *made->counts);
  if (!made->indices || !made->counts)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for %lld rows of a gradient",
                     (long long)n);
  return tfc_make(ctx, &made->values, like->rank, dims);
}

int accumulator_begin_sparse(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* indices,
                             const tfc_tensor* values) {
  accumulator_sum made = {0};
  const int code = make_rows(ctx, &made, indices->n, values);
  if (code) {
    accumulator_sum_clear(ctx->api, &made);
    return code;
  }
  for (int64_t i = 0; i < made.n; i++) {
    made.indices[i] = tfc_index_at(indices, i);
    made.counts[i] = 1;
  }
  if (values->n)
    memcpy(made.values.data, values->data, (size_t)values->n * tfc_dtype_size(values->dtype));
  *sum = made;
  return TFC_OK;
}

/* Number of rows of the merged lists. `theirs` is a copy, as the user may change the indices. */
static int64_t count_merged(const accumulator_sum* sum, const int64_t* theirs, int64_t n) {
  int64_t i = 0, j = 0, merged = 0;
  for (; i < sum->n && j < n; merged++) {
    const int64_t a = sum->indices[i], b = theirs[j];
    i += a <= b;
    j += b <= a;
  }
  return merged + (sum->n - i) + (n - j);
}

static void merge(const accumulator_sum* sum, const int64_t* theirs, const tfc_tensor* values,
                  accumulator_sum* made) {
  const int64_t size = row_size(values), n = values->dims[0];
  const size_t bytes = (size_t)size * tfc_dtype_size(values->dtype);
  int64_t i = 0, j = 0;
  for (int64_t k = 0; k < made->n; k++) {
    const bool mine = i < sum->n && (j == n || sum->indices[i] <= theirs[j]);
    const bool new_one = j < n && (i == sum->n || theirs[j] <= sum->indices[i]);
    made->indices[k] = mine ? sum->indices[i] : theirs[j];
    made->counts[k] = (mine ? sum->counts[i] : 0) + new_one;
    if (mine && new_one)
      add(values->dtype, row(values, j, size), row(&sum->values, i, size),
          row(&made->values, k, size), size);
    else if (bytes)
      memcpy(row(&made->values, k, size), mine ? row(&sum->values, i, size) : row(values, j, size),
             bytes);
    i += mine;
    j += new_one;
  }
}

int accumulator_add_sparse(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* indices,
                           const tfc_tensor* values) {
  accumulator_sum made = {0};
  int64_t* theirs = malloc((size_t)TFC_MAX(indices->n, 1) * sizeof *theirs);
  if (!theirs)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for %lld rows of a gradient",
                     (long long)indices->n);
  tfc_read_indices(indices, theirs);
  const int code = make_rows(ctx, &made, count_merged(sum, theirs, indices->n), values);
  if (!code) {
    merge(sum, theirs, values, &made);
    accumulator_sum_clear(ctx->api, sum);
    *sum = made;
  } else {
    accumulator_sum_clear(ctx->api, &made);
  }
  free(theirs);
  return code;
}

/* ---- Outputs. */

int accumulator_output(tfc_context* ctx, int output, accumulator_sum* sum, int64_t count,
                       bool mean) {
  tfc_tensor* values = &sum->values;
  const int64_t size = sum->counts ? row_size(values) : 0;
  if (!mean || (!sum->counts && count == 1)) return tfc_output_tensor(ctx, output, values);
  void* to = values->data;
  if (!tfc_exclusive(ctx->api, values)) {
    TFC_TRY(tfc_output(ctx, output, values->rank, values->dims));
    to = ctx->outputs[output].data;
  }
  if (!sum->counts) divide(values->dtype, values->data, (double)count, to, values->n);
  for (int64_t i = 0; i < sum->n && sum->counts; i++)
    divide(values->dtype, row(values, i, size), sum->counts[i],
           (char*)to + (size_t)(i * size) * tfc_dtype_size(values->dtype), size);
  return to == values->data ? tfc_output_tensor(ctx, output, values) : TFC_OK;
}
