/* SerializeSparse, SerializeManySparse, and back: a sparse tensor as three messages TensorProto,
 * its indices, values and shape. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/tensor_proto.h"

TFC_ONE_LEVEL;

static int want_rank(tfc_context* ctx, int input, int rank, const char* what) {
  if (ctx->inputs[input]->rank == rank) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input %s should be a %s but received shape %s", what,
                   rank == 2 ? "matrix" : "vector", tfc_shape_text(ctx->inputs[input]).text);
}

static int want_parts(tfc_context* ctx) {
  TFC_TRY(want_rank(ctx, 0, 2, "indices"));
  TFC_TRY(want_rank(ctx, 1, 1, "values"));
  TFC_TRY(want_rank(ctx, 2, 1, "shape"));
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2];
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of values must match first dimension of indices. Got %lld values, "
                     "indices shape: %s",
                     (long long)values->n, tfc_shape_text(indices).text);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of dimensions must match second dimension of indices. Got %lld "
                     "dimensions, indices shape: %s",
                     (long long)shape->n, tfc_shape_text(indices).text);
  return TFC_OK;
}

/* Sets element i of the output to the message of a tensor. */
static int set_message(tfc_context* ctx, int64_t i, int rank, const int64_t* dims,
                       const tfc_tensor* elements, int64_t first) {
  text_buffer text = {0};
  tensor_proto_add(&text, rank, dims, elements, first, false);
  const int code = text.failed ? TFC_RESOURCE_EXHAUSTED
                               : tfc_string_set(ctx, &ctx->outputs[0], i, text_c(&text), text.size);
  text_free(&text);
  return code ? tfc_error(ctx, code, "Out of memory") : TFC_OK;
}

static int serialize_sparse(tfc_context* ctx) {
  TFC_TRY(want_parts(ctx));
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){3}));
  for (int i = 0; i < 3; i++)
    TFC_TRY(set_message(ctx, i, ctx->inputs[i]->rank, ctx->inputs[i]->dims, ctx->inputs[i], 0));
  return TFC_OK;
}

/* The elements of row `row` begin at `from`: returns how many there are; they are copied without
 * the number of the row. -1: an index is out of bounds or out of order. */
static int64_t take_row(const tfc_tensor* indices, const int64_t* shape, int64_t from, int64_t row,
                        int64_t* to) {
  const int64_t rank = indices->dims[1], *all = indices->data;
  int64_t i = from;
  for (; i < indices->dims[0]; i++) {
    const int64_t number = tfc_index_at(indices, i * rank);
    if (number != row) return number < row ? -1 : i - from;
    bool greater = i == from;
    for (int64_t d = 1; d < rank; d++) {
      const int64_t at = __atomic_load_n(&all[i * rank + d], __ATOMIC_RELAXED);
      if (at < 0 || at >= shape[d]) return -1;
      if (!greater && at < to[(i - from - 1) * (rank - 1) + d - 1]) return -1;
      if (i > from && at > to[(i - from - 1) * (rank - 1) + d - 1]) greater = true;
      to[(i - from) * (rank - 1) + d - 1] = at;
    }
    if (!greater) return -1;
  }
  return i - from;
}

static int serialize_many(tfc_context* ctx) {
  TFC_TRY(want_parts(ctx));
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1];
  int64_t shape[TFC_MAX_RANK];
  int rank = 0;
  TFC_TRY(tfc_read_vector(ctx, 2, TFC_MAX_RANK, shape, &rank));
  if (rank <= 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Rank of input SparseTensor should be > 1, but saw rank: %d", rank);
  TFC_TRY(tfc_check_shape(ctx, rank, shape));
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){shape[0], 3}));
  int64_t* taken = tfc_scratch(ctx, (size_t)(indices->n + 1) * sizeof *taken);
  if (!taken) return TFC_RESOURCE_EXHAUSTED;
  const int64_t inner = rank - 1;
  const tfc_tensor row_indices = {.data = taken, .dtype = TFC_INT64};
  const tfc_tensor row_shape = {.data = shape, .dtype = TFC_INT64};
  int64_t done = 0;
  for (int64_t row = 0; row < shape[0]; row++) {
    const int64_t n = take_row(indices, shape, done, row, taken);
    if (n < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "indices[%lld] or one after it, of row %lld, is out of bounds, out of order "
                       "or repeated in a sparse tensor of shape %s",
                       (long long)done, (long long)row, tfc_dims_text(rank, shape).text);
    TFC_TRY(set_message(ctx, 3 * row, 2, (int64_t[]){n, inner}, &row_indices, 0));
    TFC_TRY(set_message(ctx, 3 * row + 1, 1, &n, values, done));
    TFC_TRY(set_message(ctx, 3 * row + 2, 1, &inner, &row_shape, 1));
    done += n;
  }
  if (done == values->n) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Received unexpected column 0 value in input SparseTensor: %lld < 0 or >= N (= "
                   "%lld)",
                   (long long)tfc_index_at(indices, done * rank), (long long)shape[0]);
}

/* ---- Back */

typedef struct triple {
  tensor_proto indices, values, shape;
} triple;

static int open_message(tfc_context* ctx, int64_t i, int column, tensor_proto* t) {
  const tfc_string* s = (const tfc_string*)ctx->inputs[0]->data + 3 * i + column;
  const char* wrong = tensor_proto_open(wire_of(s->data, s->size), t);
  if (!wrong) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Could not parse serialized_sparse[%lld, %d]: %s",
                   (long long)i, column, wrong);
}

static int check_triple(tfc_context* ctx, int64_t i, const triple* t) {
  const int32_t wanted = ctx->outputs[1].dtype;
  const long long k = i;
  if (t->indices.rank != 2 || t->indices.dtype != TFC_INT64)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Expected serialized_sparse[%lld, 0] to represent an index matrix but received shape %s", k,
        tfc_dims_text(t->indices.rank, t->indices.dims).text);
  if (t->values.rank != 1)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Expected serialized_sparse[%lld, 1] to represent a values vector but received shape %s", k,
        tfc_dims_text(t->values.rank, t->values.dims).text);
  if (t->values.dtype != wanted)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Requested SparseTensor of type %s but SparseTensor[%lld].values.dtype() == %s",
        tfc_dtype_name(wanted), k, tfc_dtype_name(t->values.dtype));
  if (t->indices.dims[0] != t->values.n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected row counts of SparseTensor[%lld].indices and "
                     "SparseTensor[%lld].values to match but they do not: %lld vs. %lld",
                     k, k, (long long)t->indices.dims[0], (long long)t->values.n);
  if (t->shape.rank != 1 || t->shape.dtype != TFC_INT64)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected serialized_sparse[%lld, 1] to be a shape vector but its shape is %s",
                     k, tfc_dims_text(t->shape.rank, t->shape.dims).text);
  if (t->indices.dims[1] != t->shape.n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected column counts of SparseTensor[%lld].indices to match size of "
                     "SparseTensor[%lld].shape but they do not: %lld vs. %lld",
                     k, k, (long long)t->indices.dims[1], (long long)t->shape.n);
  return TFC_OK;
}

/* Opens all messages; the ranks must be equal. *total: of elements. */
static int open_triples(tfc_context* ctx, int64_t n, triple* triples, int64_t* total) {
  *total = 0;
  for (int64_t i = 0; i < n; i++) {
    triple* t = &triples[i];
    TFC_TRY(open_message(ctx, i, 0, &t->indices));
    TFC_TRY(open_message(ctx, i, 1, &t->values));
    TFC_TRY(open_message(ctx, i, 2, &t->shape));
    TFC_TRY(check_triple(ctx, i, t));
    if (t->shape.n != triples[0].shape.n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Inconsistent shape across SparseTensors: rank prior to SparseTensor[%lld] "
                       "was: %lld but rank of SparseTensor[%lld] is: %lld",
                       (long long)i, (long long)triples[0].shape.n, (long long)i,
                       (long long)t->shape.n);
    *total += t->values.n;
  }
  return TFC_OK;
}

/* The batch's shape, and the largest of the sizes. */
static int make_shape(tfc_context* ctx, int64_t n, const triple* triples, int batch,
                      int64_t* scratch) {
  const int64_t rank = triples[0].shape.n;
  TFC_TRY(tfc_output(ctx, 2, 1, (int64_t[]){batch + rank}));
  int64_t* shape = ctx->outputs[2].data;
  memcpy(shape, ctx->inputs[0]->dims, (size_t)batch * sizeof *shape);
  memset(shape + batch, 0, (size_t)rank * sizeof *shape);
  tfc_tensor sizes = {.data = scratch, .dtype = TFC_INT64};
  for (int64_t i = 0; i < n; i++) {
    TFC_TRY(tensor_proto_store(ctx, &triples[i].shape, "the shape", &sizes, 0));
    for (int64_t d = 0; d < rank; d++) shape[batch + d] = TFC_MAX(shape[batch + d], scratch[d]);
  }
  return TFC_OK;
}

/* The indices of triple i, with those of its place in the batch before them. */
static void spread_indices(const tfc_context* ctx, int64_t i, int batch, const int64_t* from,
                           int64_t rows, int64_t rank, int64_t* to) {
  for (int64_t row = 0; row < rows; row++, to += batch + rank) {
    int64_t rest = i;
    for (int d = batch - 1; d >= 0; d--) {
      to[d] = rest % ctx->inputs[0]->dims[d];
      rest /= ctx->inputs[0]->dims[d];
    }
    memcpy(to + batch, from + row * rank, (size_t)rank * sizeof *to);
  }
}

static int deserialize(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int batch = x->rank - 1;
  if (batch < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Serialized sparse should have non-zero rank %s",
                     tfc_shape_text(x).text);
  if (x->dims[batch] != 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Serialized sparse should have 3 as the last dimension %s",
                     tfc_shape_text(x).text);
  const int64_t n = x->n / 3;
  if (n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Serialized sparse should have at least 1 serialized tensor, but has a zero "
                     "dimension %s",
                     tfc_shape_text(x).text);
  int64_t total, most = 0;
  triple* triples = tfc_scratch(ctx, (size_t)n * sizeof *triples);
  if (!triples) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(open_triples(ctx, n, triples, &total));
  const int64_t rank = triples[0].shape.n;
  for (int64_t i = 0; i < n; i++)
    most = TFC_MAX(most, TFC_MAX(triples[i].indices.n, triples[i].shape.n));
  int64_t* scratch = tfc_scratch(ctx, (size_t)(most + 1) * sizeof *scratch);
  if (!scratch) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(make_shape(ctx, n, triples, batch, scratch));
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){total, batch + rank}));
  TFC_TRY(tfc_output(ctx, 1, 1, &total));
  tfc_tensor unpacked = {.data = scratch, .dtype = TFC_INT64};
  for (int64_t i = 0, at = 0; i < n; at += triples[i++].values.n) {
    TFC_TRY(tensor_proto_store(ctx, &triples[i].values, "the values", &ctx->outputs[1], at));
    TFC_TRY(tensor_proto_store(ctx, &triples[i].indices, "the indices", &unpacked, 0));
    spread_indices(ctx, i, batch, scratch, triples[i].values.n, rank,
                   (int64_t*)ctx->outputs[0].data + at * (batch + rank));
  }
  return TFC_OK;
}

static int deserialize_many(tfc_context* ctx) {
  if (ctx->inputs[0]->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Serialized sparse should be a matrix but received shape %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  return deserialize(ctx);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SerializeSparse", "T=" TFC_TYPES_VALUES ";out_type=string", serialize_sparse),
    TFC_ROW("SerializeManySparse", "T=" TFC_TYPES_VALUES ";out_type=string", serialize_many),
    TFC_ROW("DeserializeSparse", "dtype=" TFC_TYPES_VALUES ";Tserialized=string", deserialize),
    TFC_ROW("DeserializeManySparse", "dtype=" TFC_TYPES_VALUES, deserialize_many),
};
TFC_REGISTER_KERNELS(kernels);
