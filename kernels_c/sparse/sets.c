/* Sets: the rows along the last dimension of dense and sparse tensors, without order and
 * repetitions. Rows are sorted, so that one pass over two of them combines them. */
#include <strings.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* A value: a number, or a text (then the number is 0). */
typedef struct set_item {
  int64_t number;
  tfc_string text;
} set_item;

#define NO_ROW INT64_MAX /* the number of the next row after the last one */

/* A tensor that is read row by row. */
typedef struct set_rows {
  const tfc_tensor* values;
  int64_t* rows; /* sparse: for each value the number of its row; dense: NULL */
  int rank;
  int64_t dims[TFC_MAX_RANK];
  int64_t next;    /* the next row (dense) or value (sparse) */
  set_item* items; /* of the row that was read last: sorted, each value once */
  int64_t n;
} set_rows;

static int compare_items(const void* left, const void* right) {
  const set_item *a = left, *b = right;
  if (a->number != b->number) return a->number < b->number ? -1 : 1;
  const size_t size = TFC_MIN(a->text.size, b->text.size);
  const int order = size ? memcmp(a->text.data, b->text.data, size) : 0;
  return order ? order : (a->text.size > b->text.size) - (a->text.size < b->text.size);
}

static set_item item_at(const tfc_tensor* t, int64_t i) {
  set_item item = {0};
  if (t->dtype == TFC_STRING)
    item.text = ((const tfc_string*)t->data)[i];
  else
    TFC_SWITCH_INTEGERS(t->dtype, item.number = (int64_t)((const T*)t->data)[i]);
  return item;
}

/* ---- Reading */

/* Reads the shape of a sparse tensor and checks that its three parts fit together. */
static int read_sparse_shape(tfc_context* ctx, int input, set_rows* s) {
  const tfc_tensor *indices = ctx->inputs[input], *shape = ctx->inputs[input + 2];
  if (shape->rank != 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be a 1D tensor.");
  if (shape->n < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid rank %lld.", (long long)shape->n);
  if (shape->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Sparse tensors of more than %d dimensions: %lld",
                     TFC_MAX_RANK, (long long)shape->n);
  s->rank = (int)shape->n;
  for (int d = 0; d < s->rank; d++) {
    s->dims[d] = tfc_index_at(shape, d);
    if (s->dims[d] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected shape dimensions to be non-negative, got %lld",
                       (long long)s->dims[d]);
  }
  TFC_TRY(tfc_check_shape(ctx, s->rank, s->dims));
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be a matrix, but got: %s",
                     tfc_shape_text(indices).text);
  if (s->values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "vals must be a vec, but got: %s",
                     tfc_shape_text(s->values).text);
  if (indices->dims[0] != s->values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "indices and values rows (indexing dimension) must match. (indices = %lld, "
                     "values = %lld)",
                     (long long)indices->dims[0], (long long)s->values->n);
  if (indices->dims[1] != s->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Order length must be SparseTensor rank.");
  return TFC_OK;
}

/* Sets `rows` of a sparse tensor. With `strict`, its indices must increase; without, rows whose
 * values are apart are read as several rows of the same number. */
static int number_rows(tfc_context* ctx, const tfc_tensor* indices, bool strict, set_rows* s) {
  int64_t before = -1;
  for (int64_t i = 0; i < s->values->n; i++) {
    int64_t index[TFC_MAX_RANK], at = 0;
    for (int d = 0; d < s->rank; d++) {
      index[d] = tfc_index_at(indices, i * s->rank + d);
      if (index[d] < 0 || index[d] >= s->dims[d]) at = -1;
      if (at >= 0) at = at * s->dims[d] + index[d];
    }
    if (at < 0)
      return tfc_error(ctx, strict ? TFC_INVALID_ARGUMENT : TFC_INTERNAL,
                       "indices[%lld] = %s is out of bounds: need 0 <= index < %s", (long long)i,
                       tfc_dims_text(s->rank, index).text, tfc_dims_text(s->rank, s->dims).text);
    if (strict && at <= before)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices[%lld] = %s is %s", (long long)i,
                       tfc_dims_text(s->rank, index).text,
                       at == before
                           ? "repeated"
                           : "out of order. Many sparse ops require sorted indices.\n"
                             "    Use `tf.sparse.reorder` to create a correctly ordered copy.\n\n");
    before = at;
    s->rows[i] = at / s->dims[s->rank - 1];
  }
  return TFC_OK;
}

static int open_sparse(tfc_context* ctx, int input, bool strict, set_rows* s) {
  *s = (set_rows){.values = ctx->inputs[input + 1]};
  TFC_TRY(read_sparse_shape(ctx, input, s));
  s->rows = tfc_scratch_items(ctx, s->values->n + 1, sizeof *s->rows);
  s->items = tfc_scratch_items(ctx, s->values->n + 1, sizeof *s->items);
  if (!s->rows || !s->items) return TFC_RESOURCE_EXHAUSTED;
  return number_rows(ctx, ctx->inputs[input], strict, s);
}

static int open_dense(tfc_context* ctx, int input, set_rows* s) {
  const tfc_tensor* t = ctx->inputs[input];
  *s = (set_rows){.values = t, .rank = t->rank};
  if (t->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape %s has rank %d < 2", tfc_shape_text(t).text,
                     t->rank);
  memcpy(s->dims, t->dims, sizeof s->dims);
  s->items = tfc_scratch_items(ctx, s->dims[s->rank - 1] + 1, sizeof *s->items);
  return s->items ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

/* The number of the row that is read next. Rows without values are not read: there
 * may be more of them than anyone can wait for. */
static int64_t next_row(const set_rows* s) {
  if (s->rows) return s->next < s->values->n ? s->rows[s->next] : NO_ROW;
  return s->values->n && s->next < s->values->n / s->dims[s->rank - 1] ? s->next : NO_ROW;
}

static void read_row(set_rows* s) {
  int64_t n = 0, kept = 0;
  if (s->rows) {
    const int64_t row = s->rows[s->next];
    for (; s->next < s->values->n && s->rows[s->next] == row; s->next++)
      s->items[n++] = item_at(s->values, s->next);
  } else {
    const int64_t width = s->dims[s->rank - 1], start = s->next++ * width;
    for (; n < width; n++) s->items[n] = item_at(s->values, start + n);
  }
  qsort(s->items, (size_t)n, sizeof *s->items, compare_items);
  for (int64_t i = 0; i < n; i++)
    if (kept == 0 || compare_items(&s->items[kept - 1], &s->items[i]) != 0)
      s->items[kept++] = s->items[i];
  s->n = kept;
}

/* ---- Operations */

/* Which values a set operation keeps. */
enum { ONLY_A = 1, ONLY_B = 2, BOTH = 4 };

/* The attributes, as the state of a kernel. */
typedef struct operation {
  int keep;
  bool strict; /* validate_indices */
} operation;

typedef struct found_items {
  set_item* items;
  int64_t* rows;
  int64_t n, longest; /* longest: the size of the largest set */
} found_items;

static void combine(int keep, const set_rows* a, const set_rows* b, int64_t row, found_items* to) {
  const int64_t before = to->n;
  for (int64_t i = 0, j = 0; i < a->n || j < b->n;) {
    const int order = i == a->n ? 1 : j == b->n ? -1 : compare_items(&a->items[i], &b->items[j]);
    if (keep & (order < 0 ? ONLY_A : order > 0 ? ONLY_B : BOTH)) {
      to->items[to->n] = order <= 0 ? a->items[i] : b->items[j];
      to->rows[to->n++] = row;
    }
    i += order <= 0;
    j += order >= 0;
  }
  to->longest = TFC_MAX(to->longest, to->n - before);
}

/* Writes the three parts of the sparse result, whose rows are those of `like`. */
static int put_found(tfc_context* ctx, const set_rows* like, const found_items* found) {
  const int64_t rank = like->rank, pairs[2] = {found->n, rank};
  TFC_TRY(tfc_output(ctx, 0, 2, pairs));
  TFC_TRY(tfc_output(ctx, 1, 1, &found->n));
  TFC_TRY(tfc_output(ctx, 2, 1, &rank));
  int64_t *indices = ctx->outputs[0].data, *shape = ctx->outputs[2].data;
  tfc_tensor* values = &ctx->outputs[1];
  for (int64_t i = 0; i < found->n; i++, indices += rank) {
    const bool same_row = i && found->rows[i] == found->rows[i - 1];
    indices[rank - 1] = same_row ? indices[-1] + 1 : 0;
    int64_t row = found->rows[i];
    for (int d = like->rank - 2; d >= 0; row /= like->dims[d], d--)
      indices[d] = row % like->dims[d];
    const set_item* item = &found->items[i];
    if (values->dtype == TFC_STRING)
      TFC_TRY(tfc_string_set(ctx, values, i, item->text.data, item->text.size));
    else
      TFC_SWITCH_INTEGERS(values->dtype, ((T*)values->data)[i] = (T)item->number);
  }
  memcpy(shape, like->dims, (size_t)(rank - 1) * sizeof *shape);
  shape[rank - 1] = found->longest;
  return TFC_OK;
}

static int check_rows_match(tfc_context* ctx, const set_rows* a, const set_rows* b) {
  const int rank = a->rank - 1;
  if (a->rank == b->rank && memcmp(a->dims, b->dims, (size_t)rank * sizeof *a->dims) == 0)
    return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Mismatched shapes %s vs %s",
                   tfc_dims_text(rank, a->dims).text, tfc_dims_text(b->rank - 1, b->dims).text);
}

static int operate(tfc_context* ctx, set_rows* a, set_rows* b) {
  const operation* what = ctx->state;
  TFC_TRY(check_rows_match(ctx, a, b));
  const int64_t most = a->values->n + b->values->n + 1;
  found_items found = {.items = tfc_scratch_items(ctx, most, sizeof *found.items),
                       .rows = tfc_scratch_items(ctx, most, sizeof *found.rows)};
  if (!found.items || !found.rows) return TFC_RESOURCE_EXHAUSTED;
  for (;;) {
    /* A dense tensor with values has all rows; otherwise the next that either has. */
    const bool all = !a->rows && a->values->n;
    const int64_t row = all ? next_row(a) : TFC_MIN(next_row(a), next_row(b));
    if (row == NO_ROW) break;
    set_rows* both[2] = {a, b};
    for (int i = 0; i < 2; i++) {
      both[i]->n = 0;
      if (next_row(both[i]) == row) read_row(both[i]);
    }
    combine(what->keep, a, b, row, &found);
  }
  return put_found(ctx, a, &found);
}

static int dense_to_dense(tfc_context* ctx) {
  set_rows a, b;
  TFC_TRY(open_dense(ctx, 0, &a));
  TFC_TRY(open_dense(ctx, 1, &b));
  return operate(ctx, &a, &b);
}

static int dense_to_sparse(tfc_context* ctx) {
  const operation* what = ctx->state;
  set_rows a, b;
  TFC_TRY(open_sparse(ctx, 1, what->strict, &b));
  TFC_TRY(open_dense(ctx, 0, &a));
  return operate(ctx, &a, &b);
}

static int sparse_to_sparse(tfc_context* ctx) {
  const operation* what = ctx->state;
  set_rows a, b;
  TFC_TRY(open_sparse(ctx, 0, what->strict, &a));
  TFC_TRY(open_sparse(ctx, 3, what->strict, &b));
  return operate(ctx, &a, &b);
}

static int set_size(tfc_context* ctx) {
  const operation* what = ctx->state;
  set_rows s;
  TFC_TRY(open_sparse(ctx, 0, what->strict, &s));
  TFC_TRY(tfc_output(ctx, 0, s.rank - 1, s.dims));
  tfc_tensor* y = &ctx->outputs[0];
  memset(y->data, 0, (size_t)y->n * sizeof(int32_t));
  for (int64_t row; (row = next_row(&s)) != NO_ROW;) {
    read_row(&s);
    ((int32_t*)y->data)[row] = (int32_t)s.n;
  }
  return TFC_OK;
}

/* ---- Attributes */

static int create(tfc_construction* c, int keep, void** state) {
  operation* what = tfc_new_state(c, sizeof *what);
  if (!what) return TFC_RESOURCE_EXHAUSTED;
  what->keep = keep;
  const int code = c->api->attr_bool(c, "validate_indices", &what->strict);
  if (code)
    free(what);
  else
    *state = what;
  return code;
}

static int size_create(tfc_construction* c, void** state) {
  return create(c, 0, state);
}

static int operation_create(tfc_construction* c, void** state) {
  static const struct {
    const char* name;
    int keep;
  } known[] = {
      {"a-b", ONLY_A}, {"b-a", ONLY_B}, {"intersection", BOTH}, {"union", ONLY_A | ONLY_B | BOTH}};
  const char* name;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "set_operation", &name, &size));
  for (int i = 0; i < 4; i++)
    if (strlen(known[i].name) == size && strncasecmp(name, known[i].name, size) == 0)
      return create(c, known[i].keep, state);
  return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid set_operation %.*s.",
                       (int)TFC_MIN(size, 100), name);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SetSize", "", set_size, TFC_STATE(size_create), .host_args = "set_shape"),
    TFC_ROW("DenseToDenseSetOperation", "", dense_to_dense, TFC_STATE(operation_create)),
    TFC_ROW("DenseToSparseSetOperation", "", dense_to_sparse, TFC_STATE(operation_create),
            .host_args = "set2_shape"),
    TFC_ROW("SparseToSparseSetOperation", "", sparse_to_sparse, TFC_STATE(operation_create),
            .host_args = "set1_shape,set2_shape"),
};
TFC_REGISTER_KERNELS(kernels);
