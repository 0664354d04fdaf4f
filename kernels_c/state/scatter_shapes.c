/* See scatter_shapes.h. */
#include "kernels_c/state/scatter_shapes.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static bool scatter_shapes_match(const tfc_tensor* var, const tfc_tensor* indices,
                                 const tfc_tensor* updates) {
  if (updates->rank == 0) return true;
  if (updates->rank != indices->rank + var->rank - 1) return false;
  for (int d = 0; d < indices->rank; d++) {
    if (updates->dims[d] != indices->dims[d]) return false;
  }
  for (int d = 1; d < var->rank; d++) {
    if (updates->dims[indices->rank + d - 1] != var->dims[d]) return false;
  }
  return true;
}

int tfc_scatter_check(tfc_context* ctx, const tfc_tensor* var) {
  const tfc_tensor *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  if (var->rank < 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params must be at least 1-D, got shape %s",
                     tfc_shape_text(var).text);
  }
  if (!scatter_shapes_match(var, indices, updates)) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Must have updates.shape = indices.shape + params.shape[1:] or "
                     "updates.shape = [], got updates.shape %s, indices.shape %s, params.shape %s",
                     tfc_shape_text(updates).text, tfc_shape_text(indices).text,
                     tfc_shape_text(var).text);
  }
  return TFC_OK;
}

/* A vector of indices is a list of positions in a vector. */
static int nd_batch_rank(const tfc_tensor* indices) {
  return indices->rank > 1 ? indices->rank - 1 : indices->rank;
}
static int64_t nd_depth(const tfc_tensor* indices) {
  return indices->rank > 1 ? indices->dims[indices->rank - 1] : 1;
}

static int check_nd_shapes(tfc_context* ctx, const tfc_tensor* var) {
  const tfc_tensor *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  if (var->rank < 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Output must be at least 1-D, got shape: %s",
                     tfc_shape_text(var).text);
  }
  if (indices->rank < 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Indices shape must have rank at least one. Found:%s",
                     tfc_shape_text(indices).text);
  }
  const int batch = nd_batch_rank(indices);
  const int64_t depth = nd_depth(indices);
  if (depth > var->rank) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The last dimension of indices (%lld) must be at most the rank of the "
                     "variable (%d): indices.shape %s, ref.shape %s",
                     (long long)depth, (int)var->rank, tfc_shape_text(indices).text,
                     tfc_shape_text(var).text);
  }
  bool match = updates->rank == batch + var->rank - depth;
  for (int d = 0; match && d < batch; d++) match = updates->dims[d] == indices->dims[d];
  for (int64_t d = depth; match && d < var->rank; d++) {
    match = updates->dims[batch + d - depth] == var->dims[d];
  }
  if (match) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Must have updates.shape = indices.shape[:batch_dim] + buffer_shape[num_index_"
                   "dims:], got updates.shape: %s, indices.shape: %s, buffer_shape: %s, "
                   "num_index_dims: %lld, batch_dim: %d",
                   tfc_shape_text(updates).text, tfc_shape_text(indices).text,
                   tfc_shape_text(var).text, (long long)depth, batch);
}

int tfc_scatter_nd_check(tfc_context* ctx, const tfc_tensor* var, int* depth, int64_t* n,
                         int64_t* slice) {
  const tfc_tensor* indices = ctx->inputs[1];
  TFC_TRY(check_nd_shapes(ctx, var));
  *depth = (int)nd_depth(indices);
  *n = *slice = 1;
  for (int d = 0; d < nd_batch_rank(indices); d++) *n *= indices->dims[d];
  for (int d = *depth; d < var->rank; d++) *slice *= var->dims[d];
  return TFC_OK;
}

tfc_index_shapes tfc_scatter_nd_shapes(const tfc_tensor* indices, const tfc_tensor* var) {
  tfc_index_shapes s = tfc_shapes_of_indices(indices, (int)nd_depth(indices), var->rank, var->dims);
  s.lead = nd_batch_rank(indices);
  return s;
}
