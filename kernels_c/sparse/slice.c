/* Parts of sparse tensors: SparseSlice and its gradient. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

typedef struct slice {
  int64_t *dims, *start, *size; /* dims become those of the slice */
  int64_t rank;
} slice;

static int check_vector(tfc_context* ctx, int input, const char* name, int64_t rank) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input %s should be a vector but received shape %s",
                     name, tfc_shape_text(t).text);
  if (t->n != rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected %s to be a vector of length %lld but got length %lld", name,
                     (long long)rank, (long long)t->n);
  return TFC_OK;
}

static int open_slice(tfc_context* ctx, slice* s) {
  const tfc_tensor* const* in = ctx->inputs;
  TFC_TRY(sparse_check_ranks(ctx, in[0], in[1], in[2]));
  s->rank = in[2]->n;
  TFC_TRY(check_vector(ctx, 3, "start", s->rank));
  TFC_TRY(check_vector(ctx, 4, "size", s->rank));
  s->dims = sparse_copy_vector(ctx, in[2]);
  s->start = sparse_copy_vector(ctx, in[3]);
  s->size = sparse_copy_vector(ctx, in[4]);
  if (!s->dims || !s->start || !s->size) return TFC_RESOURCE_EXHAUSTED;
  int64_t count;
  TFC_TRY(sparse_count(ctx, s->dims, s->rank, &count));
  for (int64_t d = 0; d < s->rank; d++) {
    if (s->size[d] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected a non-negative size, got %lld",
                       (long long)s->size[d]);
    int64_t left;
    if (__builtin_sub_overflow(s->dims[d], s->start[d], &left)) left = INT64_MAX;
    s->dims[d] = TFC_MAX(0, TFC_MIN(left, s->size[d]));
  }
  return TFC_OK;
}

static bool is_inside(const slice* s, const int64_t* index) {
  for (int64_t d = 0; d < s->rank; d++)
    if (index[d] < s->start[d] ||
        (uint64_t)index[d] - (uint64_t)s->start[d] >= (uint64_t)s->size[d])
      return false;
  return true;
}

static int sparse_slice(tfc_context* ctx) {
  slice s;
  sparse_indices indices;
  TFC_TRY(open_slice(ctx, &s));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &indices));
  int64_t *order = tfc_scratch_items(ctx, indices.n + 1, sizeof *order), n = 0;
  if (!order) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < indices.n; i++)
    if (is_inside(&s, sparse_row(&indices, i))) order[n++] = i;
  TFC_TRY(sparse_put_indices(ctx, 0, &indices, order, n));
  int64_t* at = ctx->outputs[0].data;
  for (int64_t i = 0; i < n; i++, at += s.rank)
    for (int64_t d = 0; d < s.rank; d++) at[d] = (int64_t)((uint64_t)at[d] - (uint64_t)s.start[d]);
  TFC_TRY(sparse_put_values(ctx, 1, ctx->inputs[1], order, n));
  return sparse_put_vector(ctx, 2, s.dims, s.rank);
}

/* ---- SparseSliceGrad */

static int check_gradient(tfc_context* ctx) {
  const tfc_tensor *grad = ctx->inputs[0], *in = ctx->inputs[1], *start = ctx->inputs[2],
                   *out = ctx->inputs[3];
  if (in->rank != 2 || out->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input and output indices should be matrices but received shapes: %s and %s",
                     tfc_shape_text(in).text, tfc_shape_text(out).text);
  if (grad->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input backprop_val_grad should be a vector but received shape: %s",
                     tfc_shape_text(grad).text);
  if (in->dims[1] != out->dims[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The input and output should have the same ndims: got: %lld and %lld",
                     (long long)in->dims[1], (long long)out->dims[1]);
  if (out->dims[0] > in->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "# rows of output_indices should be not greater than of input_indices, got "
                     "%lld and %lld",
                     (long long)out->dims[0], (long long)in->dims[0]);
  if (grad->n != out->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "# elements of backprop_val_grad and # rows of output_indices should match "
                     "(#nnz of sum): got %lld and %lld",
                     (long long)grad->n, (long long)out->dims[0]);
  if (start->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The input_start should be a vector but received shape %s",
                     tfc_shape_text(start).text);
  return check_vector(ctx, 2, "input_start", in->dims[1]);
}

/* Whether element j of the slice is element i of the whole. */
static bool is_same(const sparse_indices* in, int64_t i, const sparse_indices* out, int64_t j,
                    const int64_t* start) {
  for (int64_t d = 0; d < in->rank; d++)
    if ((uint64_t)sparse_row(in, i)[d] != (uint64_t)sparse_row(out, j)[d] + (uint64_t)start[d])
      return false;
  return true;
}

static int sparse_slice_grad(tfc_context* ctx) {
  TFC_TRY(check_gradient(ctx));
  const tfc_tensor* grad = ctx->inputs[0];
  sparse_indices in, out;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[1], &in));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[3], &out));
  const int64_t* start = sparse_copy_vector(ctx, ctx->inputs[2]);
  if (!start) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(tfc_output(ctx, 0, 1, &in.n));
  tfc_tensor* y = &ctx->outputs[0];
  const size_t size = tfc_dtype_size(y->dtype);
  if (in.n) memset(y->data, 0, (size_t)in.n * size);
  int64_t used = 0;
  for (int64_t i = 0; i < in.n && used < out.n; i++)
    if (is_same(&in, i, &out, used, start))
      memcpy((char*)y->data + (size_t)i * size, (const char*)grad->data + (size_t)used++ * size,
             size);
  if (used < out.n)
    return tfc_error(ctx, TFC_INTERNAL,
                     "Elements of backprop_val_grad aren't all propagated. Num elements:%lld, "
                     "used: %lld",
                     (long long)grad->n, (long long)used);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseSlice", "", sparse_slice, .host_args = "shape,start,size,output_shape"),
    TFC_ROW("SparseSliceGrad", "T=" TFC_TYPES_NUMBERS, sparse_slice_grad,
            .host_args = "input_start"),
};
TFC_REGISTER_KERNELS(kernels);
