/* A sparse and a dense tensor, element by element: SparseTensorDenseAdd, whose result is dense, and
 * SparseDenseCwiseAdd, -Mul, -Div, which change the sparse tensor's values. */
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/rows.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

enum { MAX_RANK = 5 }; /* TensorFlow's */

static int check_rank(tfc_context* ctx, int64_t rank) {
  if (rank >= 1 && rank <= MAX_RANK) return TFC_OK;
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT,
      "Only tensors with ranks between 1 and %d are currently supported.  Tensor rank: %lld",
      MAX_RANK, (long long)rank);
}

/* ---- SparseTensorDenseAdd */

static int check_sum(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2],
                   *b = ctx->inputs[3];
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input a_indices should be a matrix but received shape: %s",
                     tfc_shape_text(indices).text);
  if (values->rank != 1 || shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Inputs a_values and a_shape should be vectors but received shapes: %s and %s",
                     tfc_shape_text(values).text, tfc_shape_text(shape).text);
  const int64_t pairs[2][2] = {{indices->dims[0], values->n}, {indices->dims[1], shape->n}};
  for (int i = 0; i < 2; i++)
    if (pairs[i][0] != pairs[i][1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimensions %lld and %lld are not compatible",
                       (long long)pairs[i][0], (long long)pairs[i][1]);
  if (shape->n != b->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Two operands have different ranks; received: %lld and %d",
                     (long long)shape->n, b->rank);
  for (int d = 0; d < b->rank; d++) {
    const int64_t size = tfc_index_at(shape, d);
    if (size != b->dims[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Dimension %d does not equal (no broadcasting is supported): sparse side "
                       "%lld vs dense side %lld",
                       d, (long long)size, (long long)b->dims[d]);
  }
  return TFC_OK;
}

static int dense_add(tfc_context* ctx) {
  TFC_TRY(check_sum(ctx));
  const tfc_tensor *values = ctx->inputs[1], *b = ctx->inputs[3];
  TFC_TRY(check_rank(ctx, b->rank));
  sparse_indices indices;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &indices));
  int64_t* at = tfc_scratch_items(ctx, indices.n + 1, sizeof *at);
  if (!at) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < indices.n; i++) {
    const int64_t* index = sparse_row(&indices, i);
    at[i] = 0;
    for (int d = 0; d < b->rank; d++) {
      if (index[d] < 0 || index[d] >= b->dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Sparse tensor has an invalid index on dimension %d: a_indices(%lld,%d) = "
                         "%lld, dense tensor shape: %s",
                         d, (long long)i, d, (long long)index[d], tfc_shape_text(b).text);
      at[i] = at[i] * b->dims[d] + index[d];
    }
  }
  TFC_TRY(tfc_output_forward(ctx, 0, b->rank, b->dims, 1, (const int[1]){3}));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->data != b->data) TFC_TRY(tfc_copy_tensor(ctx, y, b));
  const tfc_row_fn add = tfc_find_row_op(TFC_ROW_ADD, y->dtype);
  const size_t size = tfc_dtype_size(y->dtype);
  for (int64_t i = 0; i < indices.n; i++)
    add((char*)y->data + (size_t)at[i] * size, (const char*)values->data + (size_t)i * size, 1);
  return TFC_OK;
}

/* ---- SparseDenseCwise... */

static int check_parts(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2];
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input sp_indices should be a matrix but received shape: %s",
                     tfc_shape_text(indices).text);
  if (values->rank != 1 || shape->rank != 1)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s",
        tfc_shape_text(values).text, tfc_shape_text(shape).text);
  if (shape->n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The shape argument requires at least one element.");
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The first dimension of values and indices should match. (%lld vs. %lld)",
                     (long long)values->n, (long long)indices->dims[0]);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of dimensions must match second dimension of indices. Got %lld "
                     "dimensions, indices shape: %s",
                     (long long)shape->n, tfc_shape_text(indices).text);
  return TFC_OK;
}

/* The strides of the dense tensor along the sparse one's dimensions: 0 where it is repeated. */
static int align(tfc_context* ctx, const int64_t* dims, int64_t rank, int64_t* strides) {
  const tfc_tensor* dense = ctx->inputs[3];
  bool fits = dense->rank <= rank;
  int64_t step = 1;
  for (int64_t d = rank - 1, k = dense->rank - 1; fits && d >= 0; d--, k--) {
    const int64_t size = k < 0 ? 1 : dense->dims[k];
    fits = k < 0 || size == dims[d] || (size == 1 && dims[d] > 1);
    strides[d] = size == 1 ? 0 : step;
    step *= size;
  }
  if (!fits)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible "
                     "shapes: %s vs. %s",
                     tfc_dims_text((int)TFC_MIN(rank, 1000), dims).text,
                     tfc_shape_text(dense).text);
  return check_rank(ctx, rank);
}

/* The dense elements at the indices. */
static int gather(tfc_context* ctx, void** gathered) {
  TFC_TRY(check_parts(ctx));
  const tfc_tensor *shape = ctx->inputs[2], *dense = ctx->inputs[3];
  sparse_indices indices;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &indices));
  const int64_t* dims = sparse_copy_vector(ctx, shape);
  int64_t* strides = tfc_scratch_items(ctx, shape->n + 1, sizeof *strides);
  int64_t* at = tfc_scratch_items(ctx, indices.n + 1, sizeof *at);
  const size_t size = tfc_dtype_size(dense->dtype);
  *gathered = tfc_scratch_items(ctx, indices.n + 1, size);
  if (!dims || !strides || !at || !*gathered) return TFC_RESOURCE_EXHAUSTED;
  int64_t count;
  TFC_TRY(sparse_count(ctx, dims, shape->n, &count));
  TFC_TRY(align(ctx, dims, shape->n, strides));
  for (int64_t i = 0; i < indices.n; i++) {
    const int64_t* index = sparse_row(&indices, i);
    at[i] = 0;
    for (int64_t d = 0; d < shape->n; d++) {
      if (index[d] < 0 || index[d] >= dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Provided indices are out-of-bounds w.r.t. dense side with broadcasted "
                         "shape");
      at[i] += index[d] * strides[d];
    }
  }
  TFC_SWITCH_SIZE(size, {
    const T* from = dense->data;
    T* to = *gathered;
    for (int64_t i = 0; i < indices.n; i++) to[i] = from[at[i]];
  });
  return TFC_OK;
}

static int combine(tfc_context* ctx, tfc_row_kind kind) {
  void* gathered;
  TFC_TRY(gather(ctx, &gathered));
  const tfc_tensor* values = ctx->inputs[1];
  TFC_TRY(tfc_output_forward(ctx, 0, 1, values->dims, 1, (const int[1]){1}));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->data != values->data) TFC_TRY(tfc_copy_tensor(ctx, y, values));
  tfc_find_row_op(kind, y->dtype)(y->data, gathered, y->n);
  return TFC_OK;
}

static int cwise_add(tfc_context* ctx) {
  return combine(ctx, TFC_ROW_ADD);
}
static int cwise_mul(tfc_context* ctx) {
  return combine(ctx, TFC_ROW_MUL);
}

/* ---- Division */

static bool has_zero(const tfc_tensor* t) {
  bool found = false;
  TFC_SWITCH_INTEGERS(t->dtype, {
    for (int64_t i = 0; i < t->n; i++) found |= ((const T*)t->data)[i] == 0;
  });
  return found;
}

/* The least number divided by -1 is itself: negation wraps. A divisor that became 0 after the check
 * gives 0. */
#define DIVIDE_INTEGERS(DTYPE, T, NAME)                                \
  case DTYPE:                                                          \
    for (int64_t i = 0; i < n; i++) {                                  \
      const T by = ((const T*)b)[i];                                   \
      T* x = (T*)y + i;                                                \
      const bool minus = (T) - 1 < (T)1 && by == (T) - 1;              \
      *x = by == 0 ? 0 : minus ? (T)(0 - (uint64_t)*x) : (T)(*x / by); \
    }                                                                  \
    break;

static void divide(int32_t dtype, void* y, const void* b, int64_t n) {
  switch (dtype) {
    TFC_FOR_INTEGERS(DIVIDE_INTEGERS)
    case TFC_FLOAT:
      for (int64_t i = 0; i < n; i++) ((float*)y)[i] /= ((const float*)b)[i];
      break;
    case TFC_DOUBLE:
      for (int64_t i = 0; i < n; i++) ((double*)y)[i] /= ((const double*)b)[i];
      break;
    default:
      for (int64_t i = 0; i < n; i++) {
        uint16_t* x = (uint16_t*)y + i;
        *x = tfc_narrow_one(
            dtype, tfc_widen_one(dtype, *x) / tfc_widen_one(dtype, ((const uint16_t*)b)[i]));
      }
  }
}

static int cwise_div(tfc_context* ctx) {
  void* gathered;
  if (has_zero(ctx->inputs[3]))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains "
                     "zero ");
  TFC_TRY(gather(ctx, &gathered));
  const tfc_tensor* values = ctx->inputs[1];
  TFC_TRY(tfc_output_forward(ctx, 0, 1, values->dims, 1, (const int[1]){1}));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->data != values->data) TFC_TRY(tfc_copy_tensor(ctx, y, values));
  divide(y->dtype, y->data, gathered, y->n);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseTensorDenseAdd", "T=" TFC_TYPES_NUMBERS, dense_add, .host_args = "a_shape"),
    TFC_ROW("SparseDenseCwiseAdd", "T=" TFC_TYPES_REALS, cwise_add, .host_args = "sp_shape"),
    TFC_ROW("SparseDenseCwiseMul", "T=" TFC_TYPES_REALS, cwise_mul, .host_args = "sp_shape"),
    TFC_ROW("SparseDenseCwiseDiv", "T=" TFC_TYPES_REALS, cwise_div, .host_args = "sp_shape"),
};
TFC_REGISTER_KERNELS(kernels);
