/* Ragged tensors as objects, one for a whole tensor or for each row: RaggedTensorToVariant,
 * RaggedTensorFromVariant, RaggedTensorToVariantGradient. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/ragged/ragged.h"
#include "kernels_c/state/handles.h"

TFC_ONE_LEVEL;

typedef struct ragged {
  tfc_handle handle;
  int levels; /* splits that are there */
  tfc_tensor values;
  tfc_tensor splits[TFC_MAX_RANK];
} ragged;

static void destroy(void* object) {
  ragged* r = object;
  for (int level = 0; level < r->levels; level++) tfc_let_go(r->handle.api, &r->splits[level]);
  tfc_let_go(r->handle.api, &r->values);
}

static void visit(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  const ragged* r = object;
  for (int level = 0; level < r->levels; level++) fn(arg, &r->splits[level]);
  fn(arg, &r->values);
}

static const tfc_handle_kind ragged_kind = {"RaggedTensorVariant",
                                            {sizeof(ragged), destroy, visit}};

/* ---- To variant */

typedef struct splitting {
  int levels;
  int64_t* splits[TFC_MAX_RANK];
  int32_t split_type;
  tfc_tensor values; /* a reference that lasts while rows are made of it */
} splitting;

static int read_bool(tfc_construction* c, void* state) {
  return c->api->attr_bool(c, "batched_input", state);
}

static int to_variant_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(bool), read_bool, state);
}

static int check_splits(tfc_context* ctx, const int64_t* splits, int64_t n, int64_t rows) {
  if (!n)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Invalid ragged splits: ragged splits must have at least one splits, but is empty");
  if (splits[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid ragged splits: first element of ragged splits  must be 0 but is %lld",
                     (long long)splits[0]);
  for (int64_t i = 1; i < n; i++)
    if (splits[i] < splits[i - 1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid ragged splits: ragged splits must be monotonically increasing, but "
                       "ragged_splits[%lld]=%lld is smaller than row_splits[%lld]=%lld",
                       (long long)i, (long long)splits[i], (long long)(i - 1),
                       (long long)splits[i - 1]);
  if (splits[n - 1] == rows) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Invalid ragged splits: last element of ragged splits must be the number of "
                   "ragged values(%lld) but is %lld",
                   (long long)rows, (long long)splits[n - 1]);
}

static int read_levels(tfc_context* ctx, splitting* s) {
  const tfc_tensor* values = ctx->inputs[s->levels];
  if (s->levels > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "ragged tensors of rank %d are not supported",
                     s->levels);
  if (s->levels && !values->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The values of a ragged tensor must be at least a vector");
  for (int level = 0; level < s->levels; level++) {
    const tfc_tensor* t = ctx->inputs[level];
    s->splits[level] = tfc_scratch_items(ctx, t->n + 1, sizeof(int64_t));
    if (!s->splits[level]) return TFC_RESOURCE_EXHAUSTED;
    tfc_read_indices(t, s->splits[level]);
    s->split_type = t->dtype;
    TFC_TRY(check_splits(ctx, s->splits[level], t->n,
                         level + 1 < s->levels ? ctx->inputs[level + 1]->n - 1 : values->dims[0]));
  }
  return TFC_OK;
}

/* The rows [begin, end) of a tensor, without a reference. */
static tfc_tensor rows_of(const tfc_tensor* t, int64_t begin, int64_t end) {
  tfc_tensor part = *t;
  const int64_t row = tfc_product(t->rank - 1, t->dims + 1);
  part.dims[0] = end - begin;
  part.n = part.dims[0] * row;
  if (t->n) part.data = (char*)t->data + (size_t)(begin * row) * tfc_dtype_size(t->dtype);
  return part;
}

/* Output 0 becomes row `row`, a ragged tensor of one level less. */
static int make_row(tfc_context* ctx, int64_t row, void* arg) {
  const splitting* s = arg;
  ragged* r = NULL;
  TFC_TRY(tfc_handle_new(ctx, 0, &ragged_kind, (void**)&r));
  int64_t begin = row, end = row + 1;
  if (s->levels) begin = s->splits[0][row], end = s->splits[0][row + 1];
  for (int level = 1; level < s->levels; level++) {
    const int64_t* from = s->splits[level] + begin;
    tfc_tensor made = {.dtype = s->split_type};
    TFC_TRY(tfc_make(ctx, &made, 1, (int64_t[]){end - begin + 1}));
    for (int64_t i = 0; i <= end - begin; i++) tfc_put_index(&made, i, from[i] - from[0]);
    r->splits[r->levels++] = made;
    begin = from[0];
    end = from[made.n - 1];
  }
  tfc_tensor part = rows_of(&s->values, begin, end);
  if (!s->levels) { /* the row of a dense tensor */
    part.rank--;
    memmove(part.dims, part.dims + 1, (size_t)part.rank * sizeof *part.dims);
  }
  tfc_hold(ctx->api, &r->values, &part);
  return TFC_OK;
}

static int make_whole(tfc_context* ctx, const splitting* s) {
  ragged* r = NULL;
  TFC_TRY(tfc_handle_new(ctx, 0, &ragged_kind, (void**)&r));
  for (int level = 0; level < s->levels; level++) {
    TFC_TRY(tfc_keep(ctx, &r->splits[level], ctx->inputs[level]));
    r->levels++;
  }
  tfc_hold(ctx->api, &r->values, &s->values);
  return TFC_OK;
}

static int to_variant(tfc_context* ctx) {
  splitting s = {.levels = ctx->n_inputs - 1};
  const tfc_tensor* values = ctx->inputs[s.levels];
  const bool batched = *(const bool*)ctx->state;
  TFC_TRY(read_levels(ctx, &s));
  if (batched && !values->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Can't unbatch rank-0 tensor.");
  TFC_TRY(tfc_keep(ctx, &s.values, values));
  int code;
  if (batched) {
    const int64_t rows = s.levels ? ctx->inputs[0]->n - 1 : values->dims[0];
    code = tfc_handles_make(ctx, 1, &rows, make_row, &s);
  } else {
    code = make_whole(ctx, &s);
  }
  tfc_let_go(ctx->api, &s.values);
  return code;
}

/* ---- From variant */

typedef struct ranks {
  int64_t input, output;
} ranks;

static int read_ranks(tfc_construction* c, void* state) {
  ranks* r = state;
  TFC_TRY(c->api->attr_int(c, "input_ragged_rank", &r->input));
  return c->api->attr_int(c, "output_ragged_rank", &r->output);
}

static int from_variant_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(ranks), read_ranks, state);
}

static int component(tfc_context* ctx, int64_t i, const ragged** out) {
  const tfc_tensor one = tfc_object_at(ctx->inputs[0], i);
  const tfc_handle* h = one.data;
  if (h->kind != &ragged_kind)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input Variant element at index %lld doesn't hold a RaggedTensorVariant: %s",
                     (long long)i, h->kind ? h->kind->name : "an object without a kind");
  *out = one.data;
  return TFC_OK;
}

static int check_component(tfc_context* ctx, int64_t i, int64_t rank, const ragged* first,
                           const ragged* r) {
  const int32_t wanted = ctx->outputs[ctx->n_outputs - 1].dtype;
  if (r->levels != rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Encoded input RaggedTensorVariant has ragged_rank=%d.  Expected "
                     "ragged_rank=%lld.",
                     r->levels, (long long)rank);
  if (r->values.dtype != wanted)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected values Tensor dtype: %s, found: %s",
                     tfc_dtype_name(wanted), tfc_dtype_name(r->values.dtype));
  if (r->levels && ctx->n_outputs > 1 && r->splits[0].dtype != ctx->outputs[0].dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected row_splits Tensor dtype: %s, found: %s",
                     tfc_dtype_name(ctx->outputs[0].dtype), tfc_dtype_name(r->splits[0].dtype));
  if (r->values.rank != first->values.rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Rank of values must match for all components; values shape at index 0: %s, "
                     "values shape at index %lld: %s",
                     tfc_shape_text(&first->values).text, (long long)i,
                     tfc_shape_text(&r->values).text);
  return TFC_OK;
}

/* What n components have together. */
typedef struct batch {
  const ragged** all;
  int64_t n, rank;                  /* ragged rank of each */
  int64_t totals[TFC_MAX_RANK + 1]; /* rows of each level, values at the end */
} batch;

static int64_t rows_in(const ragged* r, int level) {
  return level < r->levels ? r->splits[level].n - 1 : r->values.rank ? r->values.dims[0] : 1;
}

static int read_components(tfc_context* ctx, batch* b) {
  b->all = tfc_scratch_items(ctx, b->n + 1, sizeof *b->all);
  if (!b->all) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < b->n; i++) {
    TFC_TRY(component(ctx, i, &b->all[i]));
    TFC_TRY(check_component(ctx, i, b->rank, b->all[0], b->all[i]));
    for (int level = 0; level <= b->rank; level++)
      if (__builtin_add_overflow(b->totals[level], rows_in(b->all[i], level), &b->totals[level]))
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the components have too many rows");
  }
  return TFC_OK;
}

/* Splits of the dimensions of the input: uniform ones, and at the end the lengths of components. */
static int outer_splits(tfc_context* ctx, const batch* b) {
  const tfc_tensor* t = ctx->inputs[0];
  int64_t rows = 1, at = 0;
  for (int d = 0; d + 1 < t->rank; d++) {
    rows *= t->dims[d];
    TFC_TRY(tfc_output(ctx, d, 1, (int64_t[]){rows + 1}));
    for (int64_t i = 0; i <= rows; i++) tfc_put_index(&ctx->outputs[d], i, i * t->dims[d + 1]);
  }
  const int last = t->rank - 1;
  TFC_TRY(tfc_output(ctx, last, 1, (int64_t[]){b->n + 1}));
  tfc_put_index(&ctx->outputs[last], 0, 0);
  for (int64_t i = 0; i < b->n; i++)
    tfc_put_index(&ctx->outputs[last], i + 1, at += rows_in(b->all[i], 0));
  return TFC_OK;
}

/* The splits of level `level` of all components, one after the other. */
static int join_splits(tfc_context* ctx, const batch* b, int level, int output) {
  TFC_TRY(tfc_output(ctx, output, 1, (int64_t[]){b->totals[level] + 1}));
  tfc_tensor* out = &ctx->outputs[output];
  int64_t at = 0, base = 0;
  tfc_put_index(out, at++, 0);
  for (int64_t i = 0; i < b->n; i++) {
    const tfc_tensor* splits = &b->all[i]->splits[level];
    for (int64_t k = 1; k < splits->n; k++)
      tfc_put_index(out, at++, base + tfc_index_at(splits, k));
    base += tfc_index_at(splits, splits->n - 1);
  }
  return TFC_OK;
}

/* All values, along a first dimension of `rows`. stacked: each component is one row. */
static int join_values(tfc_context* ctx, const batch* b, int rank, int64_t* dims, bool stacked) {
  const int last = ctx->n_outputs - 1;
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     rank, TFC_MAX_RANK);
  int64_t at = 0;
  for (int64_t i = 1; i < b->n; i++) {
    const tfc_tensor *first = &b->all[0]->values, *other = &b->all[i]->values;
    const int from = stacked ? 0 : 1;
    for (int d = from; d < first->rank; d++)
      if (first->dims[d] != other->dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "All flat_values must have compatible shapes.  Shape at index 0: %s.  "
                         "Shape at index %lld: %s",
                         tfc_shape_text(first).text, (long long)i, tfc_shape_text(other).text);
  }
  TFC_TRY(tfc_output(ctx, last, rank, dims));
  for (int64_t i = 0; i < b->n; i++) {
    const tfc_tensor* v = &b->all[i]->values;
    TFC_TRY(tfc_copy_values(ctx, &ctx->outputs[last], at, v, 0, v->n));
    at += v->n;
  }
  return TFC_OK;
}

static int from_scalar(tfc_context* ctx, int64_t rank) {
  const ragged* r = NULL;
  TFC_TRY(component(ctx, 0, &r));
  TFC_TRY(check_component(ctx, 0, rank, r, r));
  for (int level = 0; level < r->levels; level++)
    TFC_TRY(tfc_output_tensor(ctx, level, &r->splits[level]));
  return tfc_output_tensor(ctx, ctx->n_outputs - 1, &r->values);
}

/* Components of one shape become one dense tensor. */
static int stack_components(tfc_context* ctx, const batch* b) {
  const tfc_tensor* t = ctx->inputs[0];
  int64_t dims[2 * TFC_MAX_RANK];
  const int inner = b->n ? b->all[0]->values.rank : 0;
  memcpy(dims, t->dims, (size_t)t->rank * sizeof *dims);
  if (inner) memcpy(dims + t->rank, b->all[0]->values.dims, (size_t)inner * sizeof *dims);
  return join_values(ctx, b, t->rank + inner, dims, true);
}

static int from_variant(tfc_context* ctx) {
  const tfc_tensor* t = ctx->inputs[0];
  const ranks* wanted = ctx->state;
  batch b = {.n = t->n, .rank = wanted->input};
  if (b.rank < 0) b.rank = wanted->output - t->rank;
  if (b.rank < 0)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must "
        "be >= 0, found output_ragged_rank: %lld, encoded_variant.dims(): %d, inferred "
        "input_ragged_rank: %lld",
        (long long)wanted->output, t->rank, (long long)b.rank);
  const bool dense = !wanted->output && !b.rank && t->rank;
  if (!dense && wanted->output != b.rank + t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "output_ragged_rank must be equal to input_ragged_rank + "
                     "encoded_ragged.dims(); output_ragged_rank: %lld, input_ragged_rank: %lld, "
                     "encoded_variant.dims(): %d.",
                     (long long)wanted->output, (long long)b.rank, t->rank);
  if (b.rank > TFC_MAX_RANK || ctx->n_outputs != wanted->output + 1)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "ragged tensors of rank %lld are not supported",
                     (long long)b.rank);
  if (!t->rank) return from_scalar(ctx, b.rank);
  TFC_TRY(read_components(ctx, &b));
  if (dense) return stack_components(ctx, &b);
  TFC_TRY(outer_splits(ctx, &b));
  for (int level = 0; level < b.rank; level++)
    TFC_TRY(join_splits(ctx, &b, level, t->rank + level));
  int64_t dims[TFC_MAX_RANK] = {0};
  const int rank = b.n && b.all[0]->values.rank ? b.all[0]->values.rank : 1;
  if (b.n) memcpy(dims, b.all[0]->values.dims, sizeof dims);
  dims[0] = b.totals[b.rank];
  return join_values(ctx, &b, rank, dims, false);
}

/* ---- The gradient of values that went into variants */

static int to_variant_gradient(tfc_context* ctx) {
  const tfc_tensor* t = ctx->inputs[0];
  batch b = {.n = t->n};
  int64_t dims[TFC_MAX_RANK], at = 0;
  int rank = 0;
  TFC_TRY(tfc_read_vector(ctx, 2, TFC_MAX_RANK, dims, &rank));
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  for (int64_t i = 0; i < b.n; i++) {
    const ragged* r = NULL;
    TFC_TRY(component(ctx, i, &r));
    if (r->values.dtype != out->dtype)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected values Tensor dtype: %s, found: %s",
                       tfc_dtype_name(out->dtype), tfc_dtype_name(r->values.dtype));
    if (r->values.n > out->n - at)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "The gradients have more values than the shape %s",
                       tfc_shape_text(out).text);
    TFC_TRY(tfc_copy_values(ctx, out, at, &r->values, 0, r->values.n));
    at += r->values.n;
  }
  if (at == out->n) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The gradients have %lld values for the shape %s",
                   (long long)at, tfc_shape_text(out).text);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RaggedTensorToVariant", "Tvalues=" TFC_TYPES_VALUES, to_variant,
            TFC_STATE(to_variant_create)),
    TFC_ROW("RaggedTensorFromVariant", "Tvalues=" TFC_TYPES_VALUES, from_variant,
            TFC_STATE(from_variant_create)),
    TFC_ROW("RaggedTensorToVariantGradient", "Tvalues=" TFC_TYPES_VALUES, to_variant_gradient),
};
TFC_REGISTER_KERNELS(kernels);
