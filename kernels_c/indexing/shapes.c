/* See indexing/shapes.h. */
#include "kernels_c/indexing/shapes.h"

#include "kernels_c/array/array.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* ---- Gather. */

int tfc_gather_create(tfc_construction* c, gather_state* s) {
  *s = (gather_state){0};
  TFC_TRY(c->api->attr_int(c, "batch_dims", &s->batch_dims));
  int64_t rows[2];
  int n;
  if (c->api->attr_ints(c, "_rows", 2, rows, &n) == TFC_OK && n == 2) {
    s->first = rows[0];
    s->stride = rows[1];
  }
  return TFC_OK;
}

int tfc_gather_shape(tfc_context* ctx, int64_t axis, const gather_state* state, gather_sizes* s) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  int64_t batch_dims = state->batch_dims;
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params must be at least 1 dimensional");
  if (axis < -x->rank || axis >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected axis in the range [%d, %d), but got %lld",
                     -x->rank, x->rank, (long long)axis);
  if (axis < 0) axis += x->rank;
  if (batch_dims < -t->rank || batch_dims > t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected batch_dims in the range [%d, %d], but got %lld", -t->rank, t->rank,
                     (long long)batch_dims);
  if (batch_dims < 0) batch_dims += t->rank;
  if (batch_dims >= x->rank || batch_dims > axis)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "batch_dims (%lld) must be less than or equal to axis (%lld).",
                     (long long)batch_dims, (long long)axis);
  int64_t dims[3 * TFC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < batch_dims; i++) {
    if (x->dims[i] != t->dims[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "params.shape[%d]: %lld should be equal to indices.shape[%d]: %lld", i,
                       (long long)x->dims[i], i, (long long)t->dims[i]);
  }
  for (int i = 0; i < axis; i++) dims[rank++] = x->dims[i];
  for (int i = (int)batch_dims; i < t->rank; i++) dims[rank++] = t->dims[i];
  for (int i = (int)axis + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Gather with a result of %d dimensions", rank);
  s->batch = tfc_product((int)batch_dims, x->dims);
  s->outer = tfc_product((int)(axis - batch_dims), x->dims + batch_dims);
  s->limit = x->dims[axis];
  s->count = tfc_product(t->rank - (int)batch_dims, t->dims + batch_dims);
  s->inner = tfc_product(x->rank - (int)axis - 1, x->dims + axis + 1);
  return tfc_output(ctx, 0, rank, dims);
}

void tfc_gather_text(const tfc_index_shapes* shapes, const gather_state* state, int64_t i,
                     int64_t v, int64_t limit, char* text, size_t size) {
  char id[64] = "";
  if (state->stride)
    snprintf(id, sizeof id, ": id %lld", (long long)(state->first + v * state->stride));
  tfc_row_text(shapes, i, v, limit, id, text, size);
}

/* ---- Indices of several dimensions. */

int tfc_nd_create(tfc_construction* c, bool* ignore) {
  const char* policy;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "bad_indices_policy", &policy, &size));
  const bool known = size == 0 || (size == 7 && !memcmp(policy, "DEFAULT", 7)) ||
                     (size == 5 && !memcmp(policy, "ERROR", 5));
  *ignore = size == 6 && !memcmp(policy, "IGNORE", 6);
  if (known || *ignore) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "bad_indices_policy must be '', DEFAULT, ERROR or IGNORE, not %.*s",
                       (int)TFC_MIN(size, 40), policy);
}

int tfc_nd_shape(tfc_context* ctx, const tfc_tensor* t, int rank, const int64_t* dims,
                 nd_sizes* p) {
  p->depth = t->rank ? (int)TFC_MIN(t->dims[t->rank - 1], TFC_MAX_RANK + 1) : 1;
  if (t->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be at least a vector");
  if (p->depth > rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "index innermost dimension length must be <= params rank; saw: %lld vs. %d",
                     (long long)t->dims[t->rank - 1], rank);
  p->inner = tfc_product(rank - p->depth, dims + p->depth);
  p->count = tfc_product(t->rank - 1, t->dims);
  return TFC_OK;
}

int tfc_gather_nd_output(tfc_context* ctx, const nd_sizes* s) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  int64_t dims[2 * TFC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < t->rank - 1; i++) dims[rank++] = t->dims[i];
  for (int i = s->depth; i < x->rank; i++) dims[rank++] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "GatherNd with a result of %d dimensions", rank);
  return tfc_output(ctx, 0, rank, dims);
}

int tfc_nd_updates(tfc_context* ctx, const tfc_tensor* t, const nd_sizes* p,
                   const tfc_tensor* updates, int rank, const int64_t* dims) {
  bool ok = updates->rank == t->rank - 1 + rank - p->depth;
  for (int i = 0; ok && i < t->rank - 1; i++) ok = updates->dims[i] == t->dims[i];
  for (int i = p->depth; ok && i < rank; i++)
    ok = updates->dims[t->rank - 1 + i - p->depth] == dims[i];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of "
                     "updates[shape=%s]",
                     t->rank - 1, tfc_shape_text(t).text, t->rank - 1,
                     tfc_shape_text(updates).text);
  return TFC_OK;
}

int tfc_scatter_nd_shape(tfc_context* ctx, int* rank, int64_t* dims) {
  TFC_TRY(tfc_read_vector(ctx, 2, TFC_MAX_RANK, dims, rank));
  TFC_TRY(tfc_check_shape(ctx, *rank, dims));
  if (tfc_product(*rank, dims) == 0 && ctx->inputs[1]->n > 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Indices and updates specified for empty output shape");
  return TFC_OK;
}

/* ---- OneHot. */

int tfc_one_hot_shape(tfc_context* ctx, int64_t axis, int64_t* depth, int64_t* inner) {
  const tfc_tensor* t = ctx->inputs[0];
  TFC_TRY(tfc_want_scalar(ctx, 1, "depth must be a scalar, but got:"));
  TFC_TRY(tfc_want_scalar(ctx, 2, "on_value must be a scalar, but got:"));
  TFC_TRY(tfc_want_scalar(ctx, 3, "off_value must be a scalar, but got:"));
  if (axis < -1 || axis > t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected axis to be -1 or between [0, %d).  But received: %lld", t->rank + 1,
                     (long long)axis);
  *depth = tfc_int_scalar(ctx->inputs[1]);
  if (*depth < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "depth must be non-negative, got: %lld",
                     (long long)*depth);
  if (t->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "OneHot of a tensor of %d dimensions", t->rank);
  if (axis == -1) axis = t->rank;
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0, k = 0; i <= t->rank; i++) dims[i] = i == axis ? *depth : t->dims[k++];
  TFC_TRY(tfc_check_shape(ctx, t->rank + 1, dims));
  *inner = tfc_product(t->rank - (int)axis, t->dims + axis);
  return tfc_output(ctx, 0, t->rank + 1, dims);
}
