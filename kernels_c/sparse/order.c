/* Sparse tensors whose elements stay as they are: SparseReorder, SparseReshape. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

static int reorder(tfc_context* ctx) {
  const tfc_tensor *values = ctx->inputs[1], *shape = ctx->inputs[2];
  TFC_TRY(sparse_check_ranks(ctx, ctx->inputs[0], values, shape));
  sparse_indices indices;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &indices));
  if (sparse_is_sorted(&indices)) {
    TFC_TRY(sparse_put_indices(ctx, 0, &indices, NULL, indices.n));
    return tfc_output_input(ctx, 1, 1);
  }
  int64_t* order = tfc_scratch_items(ctx, indices.n + 1, sizeof *order);
  if (!order) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(sparse_sort(ctx, &indices, order));
  TFC_TRY(sparse_put_indices(ctx, 0, &indices, order, indices.n));
  return sparse_put_values(ctx, 1, values, order, indices.n);
}

/* ---- SparseReshape */

typedef struct shape_vector {
  int64_t* dims;
  int64_t rank;
} shape_vector;

static const char* shape_text(const shape_vector* s, tfc_text* text) {
  *text = tfc_dims_text((int)TFC_MIN(s->rank, 1000), s->dims);
  return text->text;
}

/* Puts the size that -1 stands for into the new shape. */
static int complete_shape(tfc_context* ctx, const shape_vector* from, int64_t count,
                          shape_vector* to) {
  tfc_text old, new;
  int64_t unknown = -1, product;
  for (int64_t d = 0; d < to->rank; d++) {
    if (to->dims[d] < -1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "size %lld must be non-negative, not %lld",
                       (long long)d, (long long)to->dims[d]);
    if (to->dims[d] >= 0) continue;
    if (unknown >= 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "only one output dimension may be -1, not both %lld and %lld",
                       (long long)unknown, (long long)d);
    unknown = d;
    to->dims[d] = 1;
  }
  TFC_TRY(sparse_count(ctx, to->dims, to->rank, &product));
  if (unknown >= 0) {
    if (product == 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "reshape cannot infer the missing input size for an empty tensor unless all "
                       "specified input sizes are non-zero");
    if (count % product)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Input to reshape is a SparseTensor with %lld dense values, but the "
          "requested shape requires a multiple of %lld. input_shape=%s output_shape=%s",
          (long long)count, (long long)product, shape_text(from, &old), shape_text(to, &new));
    to->dims[unknown] = count / product;
    product = count;
  }
  if (product != count)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input to reshape is a tensor with %lld dense values, but the requested shape "
                     "has %lld. input_shape=%s output_shape=%s",
                     (long long)count, (long long)product, shape_text(from, &old),
                     shape_text(to, &new));
  return TFC_OK;
}

/* What lies outside wraps around, as in TensorFlow: unsigned sums do not overflow. */
static void move_indices(const sparse_indices* indices, const shape_vector* from,
                         const shape_vector* to, int64_t* strides, int64_t* out) {
  int64_t step = 1;
  for (int64_t d = to->rank - 1; d >= 0; step *= to->dims[d--]) strides[d] = step;
  for (int64_t i = 0; i < indices->n; i++, out += to->rank) {
    const int64_t* index = sparse_row(indices, i);
    uint64_t sum = 0;
    for (int64_t d = 0; d < from->rank; d++)
      sum = sum * (uint64_t)from->dims[d] + (uint64_t)index[d];
    int64_t flat = (int64_t)sum;
    for (int64_t d = 0; d < to->rank; flat %= strides[d++]) out[d] = flat / strides[d];
  }
}

static int reshape(tfc_context* ctx) {
  const tfc_tensor *matrix = ctx->inputs[0], *old = ctx->inputs[1], *new = ctx->inputs[2];
  if (matrix->rank != 2) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input must be a matrix.");
  if (old->rank != 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input shape must be a vector.");
  if (new->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Target shape should be a vector but received shape %s",
                     tfc_shape_text(new).text);
  shape_vector from = {sparse_copy_vector(ctx, old), old->n};
  shape_vector to = {sparse_copy_vector(ctx, new), new->n};
  int64_t* strides = tfc_scratch_items(ctx, new->n + 1, sizeof *strides);
  if (!from.dims || !to.dims || !strides) return TFC_RESOURCE_EXHAUSTED;
  sparse_indices indices;
  TFC_TRY(sparse_copy_indices(ctx, matrix, &indices));
  if (indices.rank != from.rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor rank must match input shape length.");
  int64_t count;
  TFC_TRY(sparse_count(ctx, from.dims, from.rank, &count));
  TFC_TRY(complete_shape(ctx, &from, count, &to));
  TFC_TRY(sparse_put_vector(ctx, 1, to.dims, to.rank));
  if (from.rank == to.rank && memcmp(from.dims, to.dims, (size_t)to.rank * sizeof *to.dims) == 0)
    return sparse_put_indices(ctx, 0, &indices, NULL, indices.n);
  tfc_text texts[2];
  if (indices.n && !count)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input tensor has %lld non zero elements but input shape (%s) or output shape "
                     "(%s) is empty",
                     (long long)indices.n, shape_text(&from, &texts[0]),
                     shape_text(&to, &texts[1]));
  TFC_TRY(tfc_output(ctx, 0, 2, (const int64_t[2]){indices.n, to.rank}));
  if (indices.n) move_indices(&indices, &from, &to, strides, ctx->outputs[0].data);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseReorder", "", reorder, .host_args = "input_shape"),
    TFC_ROW("SparseReshape", "", reshape, .host_args = "input_shape,new_shape,output_shape"),
};
TFC_REGISTER_KERNELS(kernels);
