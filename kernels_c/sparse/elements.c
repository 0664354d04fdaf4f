/* See sparse.h. Sorts by radix: digits of one byte, those that all elements share left out. */
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

int sparse_copy_indices(tfc_context* ctx, const tfc_tensor* matrix, sparse_indices* indices) {
  indices->n = matrix->dims[0];
  indices->rank = matrix->dims[1];
  indices->at = tfc_scratch_items(ctx, matrix->n + 1, sizeof *indices->at);
  if (!indices->at) return TFC_RESOURCE_EXHAUSTED;
  tfc_read_indices(matrix, indices->at);
  return TFC_OK;
}

int64_t* sparse_copy_vector(tfc_context* ctx, const tfc_tensor* vector) {
  int64_t* copy = tfc_scratch_items(ctx, vector->n + 1, sizeof *copy);
  if (copy) tfc_read_indices(vector, copy);
  return copy;
}

tfc_text sparse_index_text(const sparse_indices* indices, int64_t i) {
  return tfc_dims_text((int)TFC_MIN(indices->rank, 1000), sparse_row(indices, i));
}

bool sparse_is_sorted(const sparse_indices* indices) {
  for (int64_t i = 1; i < indices->n; i++)
    if (sparse_compare(sparse_row(indices, i - 1), sparse_row(indices, i), indices->rank) > 0)
      return false;
  return true;
}

/* ---- Checks */

int sparse_check_ranks(tfc_context* ctx, const tfc_tensor* indices, const tfc_tensor* values,
                       const tfc_tensor* shape) {
  const struct {
    const char* name;
    const tfc_tensor* part;
    int rank;
  } parts[] = {{"indices", indices, 2}, {"values", values, 1}, {"shape", shape, 1}};
  for (int i = 0; i < 3; i++)
    if (parts[i].part->rank != parts[i].rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Sparse %s must be rank %d but is rank %d",
                       parts[i].name, parts[i].rank, parts[i].part->rank);
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of elements in indices (%lld) and values (%lld) do not match",
                     (long long)indices->dims[0], (long long)values->n);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Index rank (%lld) and shape rank (%lld) do not match",
                     (long long)indices->dims[1], (long long)shape->n);
  return TFC_OK;
}

int sparse_check_parts(tfc_context* ctx, const tfc_tensor* indices, const tfc_tensor* values,
                       const tfc_tensor* shape) {
  if (values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "vals must be a vec, but got: %s",
                     tfc_shape_text(values).text);
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be a matrix, but got: %s",
                     tfc_shape_text(indices).text);
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "indices and values rows (indexing dimension) must match. (indices = %lld, "
                     "values = %lld)",
                     (long long)indices->dims[0], (long long)values->n);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Order length must be SparseTensor rank.");
  return TFC_OK;
}

int sparse_count(tfc_context* ctx, const int64_t* dims, int64_t rank, int64_t* count) {
  bool zero = false;
  *count = 1;
  for (int64_t d = 0; d < rank; d++) {
    if (dims[d] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected shape dimensions to be non-negative, got %lld",
                       (long long)dims[d]);
    const int64_t before = *count;
    zero |= dims[d] == 0;
    if (dims[d] && !tfc_multiply(before, dims[d], count))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Encountered overflow when multiplying %lld with %lld, result: -1",
                       (long long)before, (long long)dims[d]);
  }
  if (zero) *count = 0;
  return TFC_OK;
}

/* ---- Sorting */

/* An element: its number and the word it is sorted by. */
typedef struct keyed {
  uint64_t key;
  int64_t i;
} keyed;

static void insertion_sort(keyed* a, int64_t n) {
  for (int64_t i = 1; i < n; i++) {
    const keyed x = a[i];
    int64_t j = i;
    for (; j > 0 && a[j - 1].key > x.key; j--) a[j] = a[j - 1];
    a[j] = x;
  }
}

/* Sorts a, with `other` as work memory; returns the one of both that has the result. */
static keyed* radix_sort(keyed* a, keyed* other, int64_t n, uint64_t greatest) {
  if (n <= 48) {
    insertion_sort(a, n);
    return a;
  }
  for (int shift = 0; shift < 64 && greatest >> shift; shift += 8) {
    int64_t first[256] = {0}, total = 0;
    for (int64_t i = 0; i < n; i++) first[(a[i].key >> shift) & 255]++;
    if (first[(a[0].key >> shift) & 255] == n) continue;
    for (int digit = 0; digit < 256; digit++) {
      const int64_t count = first[digit];
      first[digit] = total;
      total += count;
    }
    for (int64_t i = 0; i < n; i++) other[first[(a[i].key >> shift) & 255]++] = a[i];
    keyed* const sorted = other;
    other = a;
    a = sorted;
  }
  return a;
}

/* The least number in a column, and how many there are from it to the greatest; 0: 2^64. */
static uint64_t range_of(const sparse_indices* indices, int64_t column, int64_t* least) {
  int64_t low = INT64_MAX, high = INT64_MIN;
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t v = sparse_row(indices, i)[column];
    low = TFC_MIN(low, v);
    high = TFC_MAX(high, v);
  }
  *least = low;
  return (uint64_t)high - (uint64_t)low + 1;
}

/* Columns are packed into words, from the last to the first, as many as fit. A stable sort by each
 * word in turn sorts by all columns. */
int sparse_sort(tfc_context* ctx, const sparse_indices* indices, int64_t* order) {
  const int64_t n = indices->n;
  keyed *a = tfc_scratch_items(ctx, n + 1, sizeof *a),
        *b = tfc_scratch_items(ctx, n + 1, sizeof *b);
  if (!a || !b) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < n; i++) a[i] = (keyed){0, i};
  uint64_t words = 1; /* the number of words that the packed columns can form; 0: 2^64 */
  for (int64_t d = indices->rank - 1; n > 1 && d >= 0; d--) {
    int64_t least;
    const uint64_t range = range_of(indices, d, &least);
    uint64_t product;
    if (!words || !range || __builtin_mul_overflow(words, range, &product)) {
      if (words != 1) { /* no room: sort by what is there */
        keyed* const sorted = radix_sort(a, b, n, words - 1);
        b = sorted == a ? b : a;
        a = sorted;
        for (int64_t i = 0; i < n; i++) a[i].key = 0;
        words = 1;
      }
      product = range;
    }
    for (int64_t i = 0; i < n; i++)
      a[i].key += words * ((uint64_t)sparse_row(indices, a[i].i)[d] - (uint64_t)least);
    words = product;
  }
  a = radix_sort(a, b, n, words - 1);
  for (int64_t i = 0; i < n; i++) order[i] = a[i].i;
  return TFC_OK;
}

/* ---- Outputs */

int sparse_put_indices(tfc_context* ctx, int i, const sparse_indices* indices, const int64_t* order,
                       int64_t n) {
  const int64_t dims[2] = {n, indices->rank}, rank = indices->rank;
  TFC_TRY(tfc_output(ctx, i, 2, dims));
  int64_t* to = ctx->outputs[i].data;
  for (int64_t row = 0; row < n; row++, to += rank) {
    const int64_t* from = sparse_row(indices, order ? order[row] : row);
    for (int64_t d = 0; d < rank; d++) to[d] = from[d];
  }
  return TFC_OK;
}

int sparse_put_values(tfc_context* ctx, int i, const tfc_tensor* values, const int64_t* order,
                      int64_t n) {
  TFC_TRY(tfc_output(ctx, i, 1, &n));
  tfc_tensor* to = &ctx->outputs[i];
  if (values->dtype == TFC_STRING) {
    const tfc_string* from = values->data;
    for (int64_t k = 0; k < n; k++)
      TFC_TRY(tfc_string_set(ctx, to, k, from[order[k]].data, from[order[k]].size));
    return TFC_OK;
  }
  TFC_SWITCH_SIZE(tfc_dtype_size(values->dtype), {
    const T* from = values->data;
    T* out = to->data;
    for (int64_t k = 0; k < n; k++) out[k] = from[order[k]];
  });
  return TFC_OK;
}

int sparse_put_vector(tfc_context* ctx, int i, const int64_t* from, int64_t n) {
  TFC_TRY(tfc_output(ctx, i, 1, &n));
  if (n) memcpy(ctx->outputs[i].data, from, (size_t)n * sizeof *from);
  return TFC_OK;
}
