/* Sparse tensors, given by the indices and values of their elements: SparseToDense. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* Indices of the elements, one in a row, of a scalar (one index), a vector or a matrix. */
typedef struct places {
  const tfc_tensor* indices;
  int64_t n;
  int rank;
  int64_t dims[TFC_MAX_RANK];
} places;

static int read_places(tfc_context* ctx, places* p) {
  const tfc_tensor *indices = ctx->inputs[0], *shape = ctx->inputs[1];
  if (indices->rank > 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "sparse_indices should be a scalar, vector, or matrix, got shape %s",
                     tfc_shape_text(indices).text);
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "output_shape must be rank 1, got shape %s",
                     tfc_shape_text(shape).text);
  const int64_t rank = indices->rank == 2 ? indices->dims[1] : 1;
  if (shape->n != rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "output_shape has incorrect number of elements: %lld should be: %lld",
                     (long long)shape->n, (long long)rank);
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Sparse tensors of more than %d dimensions: %lld",
                     TFC_MAX_RANK, (long long)rank);
  p->indices = indices;
  p->n = indices->rank ? indices->dims[0] : 1;
  p->rank = (int)rank;
  for (int d = 0; d < p->rank; d++) p->dims[d] = tfc_index_at(shape, d);
  return tfc_check_shape(ctx, p->rank, p->dims);
}

static tfc_text place_text(const places* p, int64_t i) {
  int64_t index[TFC_MAX_RANK];
  for (int d = 0; d < p->rank; d++) index[d] = tfc_index_at(p->indices, i * p->rank + d);
  return tfc_dims_text(p->rank, index);
}

/* The row-major position of element i, or -1 if it is outside. */
static int64_t position(const places* p, int64_t i) {
  int64_t at = 0;
  for (int d = 0; d < p->rank; d++) {
    const int64_t index = tfc_index_at(p->indices, i * p->rank + d);
    if (index < 0 || index >= p->dims[d]) return -1;
    at = at * p->dims[d] + index;
  }
  return at;
}

/* Fills `positions`; with `strict`, each must be greater than the one before. */
static int find_positions(tfc_context* ctx, const places* p, bool strict, int64_t* positions) {
  for (int64_t i = 0; i < p->n; i++) {
    positions[i] = position(p, i);
    const char* problem = NULL;
    if (positions[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "indices[%lld] = %s is out of bounds: need 0 <= index < %s", (long long)i,
                       place_text(p, i).text, tfc_dims_text(p->rank, p->dims).text);
    if (!strict || i == 0) continue;
    if (positions[i] == positions[i - 1]) problem = "repeated";
    if (positions[i] < positions[i - 1])
      problem = "out of order. Many sparse ops require sorted indices";
    if (problem)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices[%lld] = %s is %s", (long long)i,
                       place_text(p, i).text, problem);
  }
  return TFC_OK;
}

static int put(tfc_context* ctx, tfc_tensor* out, const int64_t* positions, int64_t n) {
  const tfc_tensor* values = ctx->inputs[2];
  const int64_t step = values->rank ? 1 : 0;
  if (out->dtype == TFC_STRING) {
    const tfc_string* s = values->data;
    for (int64_t i = 0; i < n; i++, s += step)
      TFC_TRY(tfc_string_set(ctx, out, positions[i], s->data, s->size));
    return TFC_OK;
  }
  TFC_SWITCH_SIZE(tfc_dtype_size(out->dtype), {
    const T* from = values->data;
    T* to = out->data;
    for (int64_t i = 0; i < n; i++) to[positions[i]] = from[i * step];
  });
  return TFC_OK;
}

static int sparse_to_dense(tfc_context* ctx) {
  const tfc_tensor *values = ctx->inputs[2], *fill = ctx->inputs[3];
  places p;
  TFC_TRY(read_places(ctx, &p));
  if (values->rank > 1 || (values->rank == 1 && values->n != p.n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "sparse_values has incorrect shape %s, should be [] or [%lld]",
                     tfc_shape_text(values).text, (long long)p.n);
  if (fill->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "default_value should be a scalar, got shape %s",
                     tfc_shape_text(fill).text);
  int64_t* positions = tfc_scratch_items(ctx, p.n, sizeof *positions);
  if (!positions) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(find_positions(ctx, &p, *(const bool*)ctx->state, positions));
  TFC_TRY(tfc_output(ctx, 0, p.rank, p.dims));
  TFC_TRY(tfc_fill_element(ctx, &ctx->outputs[0], fill));
  return put(ctx, &ctx->outputs[0], positions, p.n);
}

static int sparse_to_dense_create(tfc_construction* c, void** state) {
  bool* strict = tfc_new_state(c, sizeof *strict);
  if (!strict) return TFC_RESOURCE_EXHAUSTED;
  const int code = c->api->attr_bool(c, "validate_indices", strict);
  if (code)
    free(strict);
  else
    *state = strict;
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseToDense", "", sparse_to_dense, TFC_STATE(sparse_to_dense_create),
            .host_args = "output_shape"),
};
TFC_REGISTER_KERNELS(kernels);
