/* Crosses: all combinations of the values of several columns, row by row, as texts or hash values.
 * SparseCross, SparseCrossV2, SparseCrossHashed. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/text.h"
#include "kernels_c/sparse/sparse.h"
#include "kernels_c/strings/fingerprint.h"

TFC_ONE_LEVEL;

/* A column: a sparse or dense matrix of int64 or strings. */
typedef struct column {
  const tfc_tensor* values;
  const int64_t* starts; /* of each row and the end; NULL: each row has `width` values */
  int64_t width;
} column;

typedef struct cross {
  column* columns;
  int n_columns;
  int64_t rows;
  int64_t* first; /* of each row: the number of crosses before it; then the number of all */
  /* How a cross becomes a value: */
  bool is_text, is_strong;
  bool hashes_numbers; /* those of sparse columns; else a number is its own hash value */
  const char* separator;
  size_t separator_size;
  int64_t buckets;
  bool has_seed; /* the hash value starts with `seed`, not with that of the first column */
  uint64_t seed, key[2];
  tfc_context* ctx;
  bool failed; /* for want of memory */
} cross;

typedef struct cross_state {
  int64_t n_sparse, buckets, key;
  int32_t internal_type;
} cross_state;

static const tfc_string* strings_of(const tfc_tensor* t) {
  return t->data;
}
/* An empty string may have no address. */
static const char* bytes_of(const tfc_string* s) {
  return s->data ? s->data : "";
}

/* ---- Columns */

static int check_sparse(tfc_context* ctx, int n, int i, int64_t* rows) {
  const tfc_tensor *indices = ctx->inputs[i], *values = ctx->inputs[n + i],
                   *shape = ctx->inputs[2 * n + i];
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input indices should be a matrix but received shape %s at position %d",
                     tfc_shape_text(indices).text, i);
  if (indices->dims[1] != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected D2 of index to be 2 got %lld at position %d",
                     (long long)indices->dims[1], i);
  if (values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input values should be a vector but received shape %s at position %d",
                     tfc_shape_text(values).text, i);
  if (values->n != indices->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected size of values to be %lld got %lld at position %d",
                     (long long)indices->dims[0], (long long)values->n, i);
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input shapes should be a vector but received shape %s at position %d",
                     tfc_shape_text(shape).text, i);
  if (shape->n != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "shape should imply a 2D tensor, but got %s at position %d",
                     tfc_shape_text(shape).text, i);
  const int64_t size = tfc_index_at(shape, 0);
  if (size < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected batch size to be non-negative, got %lld at position %d",
                     (long long)size, i);
  if (*rows < 0) *rows = size;
  if (size != *rows)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected batch size %lld got %lld at position %d",
                     (long long)*rows, (long long)size, i);
  return TFC_OK;
}

static int check_dense(tfc_context* ctx, const tfc_tensor* t, int i, int64_t* rows) {
  if (t->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Dense inputs should be a matrix but received shape %s at position %d",
                     tfc_shape_text(t).text, i);
  if (*rows < 0) *rows = t->dims[0];
  if (t->dims[0] != *rows)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected batch size %lld got %lld at dense tensor %d", (long long)*rows,
                     (long long)t->dims[0], i);
  return TFC_OK;
}

/* The elements are taken in the order of the rows; those that are out of order end the column. */
static int open_sparse(tfc_context* ctx, const tfc_tensor* matrix, int64_t rows, column* c) {
  sparse_indices indices;
  TFC_TRY(sparse_copy_indices(ctx, matrix, &indices));
  int64_t* starts = tfc_scratch_items(ctx, rows + 1, sizeof *starts);
  if (!starts) return TFC_RESOURCE_EXHAUSTED;
  int64_t at = 0;
  for (int64_t row = 0; row < rows; row++) {
    starts[row] = at;
    while (at < indices.n && sparse_row(&indices, at)[0] == row) at++;
  }
  starts[rows] = at;
  c->starts = starts;
  return TFC_OK;
}

/* `n_sparse` sparse columns, and dense ones up to input `end`. */
static int open_columns(tfc_context* ctx, int n_sparse, int end, cross* x) {
  const int n_dense = end - 3 * n_sparse;
  int64_t rows = -1;
  for (int i = 0; i < n_sparse; i++) TFC_TRY(check_sparse(ctx, n_sparse, i, &rows));
  for (int i = 0; i < n_dense; i++)
    TFC_TRY(check_dense(ctx, ctx->inputs[3 * n_sparse + i], i, &rows));
  if (rows > INT64_MAX / 16)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory: %lld rows", (long long)rows);
  x->rows = TFC_MAX(rows, 0);
  x->n_columns = n_sparse + n_dense;
  x->columns = tfc_scratch_items(ctx, x->n_columns + 1, sizeof *x->columns);
  if (!x->columns) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < n_sparse; i++) {
    x->columns[i] = (column){.values = ctx->inputs[n_sparse + i]};
    TFC_TRY(open_sparse(ctx, ctx->inputs[i], x->rows, &x->columns[i]));
  }
  for (int i = 0; i < n_dense; i++) {
    const tfc_tensor* t = ctx->inputs[3 * n_sparse + i];
    x->columns[n_sparse + i] = (column){.values = t, .width = t->dims[1]};
  }
  return TFC_OK;
}

static int64_t count_of(const column* c, int64_t row) {
  return c->starts ? c->starts[row + 1] - c->starts[row] : c->width;
}
static int64_t start_of(const column* c, int64_t row) {
  return c->starts ? c->starts[row] : row * c->width;
}

static int count_crosses(tfc_context* ctx, cross* x, int64_t* widest) {
  x->first = tfc_scratch_items(ctx, x->rows + 1, sizeof *x->first);
  if (!x->first) return TFC_RESOURCE_EXHAUSTED;
  int64_t total = 0;
  *widest = 0;
  for (int64_t row = 0; row < x->rows; row++) {
    int64_t count = 1;
    bool fits = true, is_empty = false;
    for (int i = 0; i < x->n_columns; i++) {
      const int64_t of_column = count_of(&x->columns[i], row);
      is_empty |= of_column == 0;
      fits &= !__builtin_mul_overflow(count, of_column, &count);
    }
    if (is_empty) count = 0, fits = true;
    x->first[row] = total;
    if (!fits || __builtin_add_overflow(total, count, &total) || total > INT64_MAX / 16)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Too many crosses: row %lld has more than fit",
                       (long long)row);
    *widest = TFC_MAX(*widest, count);
  }
  x->first[x->rows] = total;
  return TFC_OK;
}

/* ---- Values */

static void add_text(const column* c, int64_t i, text_buffer* text) {
  if (c->values->dtype == TFC_STRING) {
    const tfc_string* s = strings_of(c->values) + i;
    text_append(text, bytes_of(s), s->size);
  } else {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)((const int64_t*)c->values->data)[i]);
    text_add(text, digits);
  }
}

static uint64_t hash_bytes(const cross* x, const char* bytes, size_t size) {
  return x->is_strong ? tfc_keyed_hash(x->key, bytes, size) : tfc_fingerprint(bytes, size);
}
/* TensorFlow hashes only the lowest four bytes of a number. */
static uint64_t hash_number(const cross* x, int64_t v) {
  char bytes[4];
  for (int i = 0; i < 4; i++) bytes[i] = (char)((uint64_t)v >> 8 * i);
  return hash_bytes(x, bytes, sizeof bytes);
}

static uint64_t hash_of(const cross* x, const column* c, int64_t i) {
  if (c->values->dtype != TFC_STRING) {
    const int64_t v = ((const int64_t*)c->values->data)[i];
    return x->hashes_numbers && c->starts ? hash_number(x, v) : (uint64_t)v;
  }
  const tfc_string* s = strings_of(c->values) + i;
  return hash_bytes(x, bytes_of(s), s->size);
}

static uint64_t fold(uint64_t v) {
  return v ^ v >> 47;
}
/* Two fingerprints become one; their order matters. */
static uint64_t join_hashes(uint64_t a, uint64_t b) {
  const uint64_t multiplier = 0xc6a4a7935bd1e995u;
  const uint64_t mixed = (a ^ multiplier ^ fold(b * multiplier) * multiplier) * multiplier;
  return fold(fold(mixed) * multiplier);
}

/* Makes cross k of a row, of `count`; the values of the last column change first. */
static int put_cross(tfc_context* ctx, const cross* x, int64_t row, int64_t k, int64_t count) {
  text_buffer text = {0};
  uint64_t hash = x->seed;
  int64_t stride = count;
  for (int i = 0; i < x->n_columns; i++) {
    const column* c = &x->columns[i];
    const int64_t n = count_of(c, row);
    stride /= n;
    const int64_t at = start_of(c, row) + k / stride % n;
    if (x->is_text) {
      if (i) text_append(&text, x->separator, x->separator_size);
      add_text(c, at, &text);
    } else {
      const uint64_t of_column = hash_of(x, c, at);
      hash = i || x->has_seed ? join_hashes(hash, of_column) : of_column;
    }
  }
  const int64_t place = x->first[row] + k;
  if (x->is_text) {
    const int code = text.failed
                         ? TFC_RESOURCE_EXHAUSTED
                         : tfc_string_set(ctx, &ctx->outputs[1], place, text_c(&text), text.size);
    text_free(&text);
    return code;
  }
  const uint64_t modulus = x->buckets > 0 ? (uint64_t)x->buckets : (uint64_t)INT64_MAX;
  ((int64_t*)ctx->outputs[1].data)[place] = (int64_t)(hash % modulus);
  return TFC_OK;
}

static int put_row(tfc_context* ctx, const cross* x, int64_t row) {
  const int64_t first = x->first[row], count = x->first[row + 1] - first;
  int64_t* indices = (int64_t*)ctx->outputs[0].data + 2 * first;
  for (int64_t k = 0; k < count; k++) {
    indices[2 * k] = row;
    indices[2 * k + 1] = k;
    TFC_TRY(put_cross(ctx, x, row, k, count));
  }
  return TFC_OK;
}

static void put_rows(void* arg, int64_t begin, int64_t end) {
  cross* x = arg;
  for (int64_t row = begin; row < end; row++)
    if (put_row(x->ctx, x, row)) __atomic_store_n(&x->failed, true, __ATOMIC_RELAXED);
}

static int put_crosses(tfc_context* ctx, cross* x) {
  int64_t widest;
  TFC_TRY(count_crosses(ctx, x, &widest));
  const int64_t total = x->first[x->rows];
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){total, 2}));
  TFC_TRY(tfc_output(ctx, 1, 1, &total));
  TFC_TRY(sparse_put_vector(ctx, 2, (int64_t[]){x->rows, widest}, 2));
  if (total == 0) return TFC_OK;
  const double each = (double)total / (double)x->rows * (20 + 20 * x->n_columns);
  x->ctx = ctx;
  tfc_parallel_for(ctx, x->rows, each, put_rows, x);
  return x->failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

/* ---- The ops */

/* The op's definition does not say that there is one list of values for each of indices. */
static int check_numbers(tfc_construction* c, int64_t n_sparse) {
  int n_values;
  TFC_TRY(c->api->attr_types(c, "sparse_types", 0, NULL, &n_values));
  if (n_values == n_sparse) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "Expected %lld input values, got %d",
                       (long long)n_sparse, n_values);
}

static int fill_state(tfc_construction* c, void* state) {
  cross_state* s = state;
  TFC_TRY(c->api->attr_int(c, "N", &s->n_sparse));
  TFC_TRY(check_numbers(c, s->n_sparse));
  if (strcmp(c->op_type, "SparseCross") != 0) return TFC_OK;
  TFC_TRY(c->api->attr_int(c, "num_buckets", &s->buckets));
  TFC_TRY(c->api->attr_int(c, "hash_key", &s->key));
  return c->api->attr_type(c, "internal_type", &s->internal_type);
}
static int create_cross(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(cross_state), fill_state, state);
}

static int check_internal_type(tfc_context* ctx, const cross_state* s) {
  const int n = (int)s->n_sparse;
  for (int i = n; i < ctx->n_inputs; i++) {
    if (i >= 2 * n && i < 3 * n) continue; /* shapes */
    if (s->internal_type == TFC_STRING && ctx->inputs[i]->dtype != TFC_STRING)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s inputs should be of internal type 7 but received 9",
                       i < 2 * n ? "Sparse" : "Dense");
  }
  return TFC_OK;
}

static int sparse_cross(tfc_context* ctx) {
  const cross_state* s = ctx->state;
  cross x = {.is_text = ctx->outputs[1].dtype == TFC_STRING,
             .separator = "_X_",
             .separator_size = 3,
             .buckets = s->buckets,
             .has_seed = true,
             .seed = (uint64_t)s->key};
  TFC_TRY(open_columns(ctx, (int)s->n_sparse, ctx->n_inputs, &x));
  TFC_TRY(check_internal_type(ctx, s));
  return put_crosses(ctx, &x);
}

static int sparse_cross_v2(tfc_context* ctx) {
  const cross_state* s = ctx->state;
  const int end = ctx->n_inputs - 1;
  TFC_TRY(tfc_want_scalar(ctx, end, "Input separator should be a scalar. Received: shape"));
  const tfc_string* separator = strings_of(ctx->inputs[end]);
  cross x = {.is_text = true, .separator = bytes_of(separator), .separator_size = separator->size};
  TFC_TRY(open_columns(ctx, (int)s->n_sparse, end, &x));
  return put_crosses(ctx, &x);
}

static int sparse_cross_hashed(tfc_context* ctx) {
  const cross_state* s = ctx->state;
  const int end = ctx->n_inputs - 3;
  TFC_TRY(tfc_want_number(ctx, end, "Input \"num_buckets\" should be a scalar, got shape"));
  TFC_TRY(tfc_want_number(ctx, end + 1, "Input \"strong_hash\" should be a scalar, got shape"));
  const tfc_tensor* salt = ctx->inputs[end + 2];
  if (salt->n != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input \"salt\" must have length 2 but has length %lld", (long long)salt->n);
  cross x = {.buckets = tfc_index_at(ctx->inputs[end], 0),
             .is_strong = *(const bool*)ctx->inputs[end + 1]->data,
             .hashes_numbers = true,
             .key = {(uint64_t)tfc_index_at(salt, 0), (uint64_t)tfc_index_at(salt, 1)}};
  TFC_TRY(open_columns(ctx, (int)s->n_sparse, end, &x));
  for (int i = (int)s->n_sparse; i < x.n_columns; i++)
    if (x.is_strong && x.columns[i].values->dtype != TFC_STRING)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "strong_hash needs dense inputs of strings, but input %d is of integers", i);
  return put_crosses(ctx, &x);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseCross", "", sparse_cross, TFC_STATE(create_cross)),
    TFC_ROW("SparseCrossV2", "", sparse_cross_v2, TFC_STATE(create_cross)),
    TFC_ROW("SparseCrossHashed", "", sparse_cross_hashed, TFC_STATE(create_cross)),
};
TFC_REGISTER_KERNELS(kernels);
