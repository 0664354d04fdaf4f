/* Sparse tensors joined and split along a dimension: SparseConcat, SparseSplit. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

/* ---- SparseConcat */

/* The elements of all tensors, one after the other: values[tensor[i]][place[i]] is that of i. */
typedef struct joined {
  sparse_indices indices;
  const tfc_tensor* const* values;
  int32_t* tensor;
  int64_t* place;
  int64_t* dims;
} joined;

static int check_tensors(tfc_context* ctx, int n) {
  static const struct {
    const char* name;
    const char* kind;
    int rank;
  } lists[] = {{"indices", "matrix", 2}, {"values", "vector", 1}, {"shapes", "vector", 1}};
  for (int list = 0; list < 3; list++)
    for (int i = 0; i < n; i++) {
      const tfc_tensor* t = ctx->inputs[list * n + i];
      if (t->rank != lists[list].rank)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Input %s should be a %s but received shape %s at position %d",
                         lists[list].name, lists[list].kind, tfc_shape_text(t).text, i);
    }
  return TFC_OK;
}

/* Checks the shapes; *dim becomes the dimension, dims the shape of the result. */
static int join_shapes(tfc_context* ctx, int n, int64_t* dim, int64_t* dims) {
  const tfc_tensor* const* shapes = ctx->inputs + 2 * n;
  const int64_t rank = shapes[0]->n, axis = *dim < 0 ? *dim + rank : *dim;
  if (axis < 0 || axis >= rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Concat dimension must be in range [%lld, %lld), got %lld", (long long)-rank,
                     (long long)rank, (long long)*dim);
  *dim = axis;
  bool fits = rank <= INT32_MAX;
  for (int64_t d = 0; d < rank; d++) fits &= dims[d] >= 0;
  for (int i = 1; i < n; i++) {
    if (shapes[i]->n != rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Ranks of all input tensors must match: expected %lld but got %lld at "
                       "position %d",
                       (long long)rank, (long long)shapes[i]->n, i);
    for (int64_t d = 0; d < rank; d++) {
      const int64_t size = tfc_index_at(shapes[i], d);
      if (d == axis)
        fits &= size >= 0 && !__builtin_add_overflow(dims[d], size, &dims[d]);
      else if (size != dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Input shapes must match: expected %lld for dimension %lld but got %lld "
                         "at position %d",
                         (long long)dims[d], (long long)d, (long long)size, i);
    }
  }
  if (!fits || tfc_count((int)rank, dims) < 0)
    return tfc_error(ctx, TFC_INTERNAL, "Encountered overflow from large input shape.");
  return TFC_OK;
}

static int gather_elements(tfc_context* ctx, int n, int64_t dim, joined* j) {
  const int64_t rank = ctx->inputs[2 * n]->n;
  int64_t total = 0, at = 0;
  for (int i = 0; i < n; i++) {
    TFC_TRY(sparse_check_parts(ctx, ctx->inputs[i], ctx->inputs[n + i], ctx->inputs[2 * n + i]));
    total += ctx->inputs[n + i]->n;
  }
  int64_t* indices = tfc_scratch_items(ctx, total * rank + 1, sizeof *indices);
  j->tensor = tfc_scratch_items(ctx, total + 1, sizeof *j->tensor);
  j->place = tfc_scratch_items(ctx, total + 1, sizeof *j->place);
  if (!indices || !j->tensor || !j->place) return TFC_RESOURCE_EXHAUSTED;
  j->indices = (sparse_indices){indices, total, rank};
  j->values = ctx->inputs + n;
  uint64_t offset = 0; /* sums with it do not overflow, whatever the indices are */
  for (int i = 0; i < n; i++) {
    for (int64_t k = 0; k < ctx->inputs[n + i]->n; k++, at++) {
      for (int64_t d = 0; d < rank; d++) {
        const int64_t index = tfc_index_at(ctx->inputs[i], k * rank + d);
        indices[at * rank + d] = d == dim ? (int64_t)((uint64_t)index + offset) : index;
      }
      j->tensor[at] = i;
      j->place[at] = k;
    }
    offset += (uint64_t)tfc_index_at(ctx->inputs[2 * n + i], dim);
  }
  return TFC_OK;
}

static int put_joined_values(tfc_context* ctx, const joined* j, const int64_t* order) {
  TFC_TRY(tfc_output(ctx, 1, 1, &j->indices.n));
  tfc_tensor* y = &ctx->outputs[1];
  const size_t size = tfc_dtype_size(y->dtype);
  for (int64_t k = 0; k < j->indices.n; k++) {
    const int64_t i = order ? order[k] : k;
    const void* data = j->values[j->tensor[i]]->data;
    if (y->dtype == TFC_STRING) {
      const tfc_string* s = (const tfc_string*)data + j->place[i];
      TFC_TRY(tfc_string_set(ctx, y, k, s->data, s->size));
    } else {
      memcpy((char*)y->data + (size_t)k * size, (const char*)data + (size_t)j->place[i] * size,
             size);
    }
  }
  return TFC_OK;
}

static int concat(tfc_context* ctx) {
  const int n = ctx->n_inputs / 3;
  int64_t dim = *(const int64_t*)ctx->state;
  joined j = {.dims = NULL};
  TFC_TRY(check_tensors(ctx, n));
  j.dims = sparse_copy_vector(ctx, ctx->inputs[2 * n]);
  if (!j.dims) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(join_shapes(ctx, n, &dim, j.dims));
  TFC_TRY(gather_elements(ctx, n, dim, &j));
  int64_t* order = NULL;
  if (!sparse_is_sorted(&j.indices)) {
    order = tfc_scratch_items(ctx, j.indices.n, sizeof *order);
    if (!order) return TFC_RESOURCE_EXHAUSTED;
    TFC_TRY(sparse_sort(ctx, &j.indices, order));
  }
  TFC_TRY(sparse_put_indices(ctx, 0, &j.indices, order, j.indices.n));
  TFC_TRY(put_joined_values(ctx, &j, order));
  return sparse_put_vector(ctx, 2, j.dims, j.indices.rank);
}

static int concat_create(tfc_construction* c, void** state) {
  int64_t* dim = tfc_new_state(c, sizeof *dim);
  if (!dim) return TFC_RESOURCE_EXHAUSTED;
  const int code = c->api->attr_int(c, "concat_dim", dim);
  if (code)
    free(dim);
  else
    *state = dim;
  return code;
}

/* ---- SparseSplit */

/* The parts of a dimension: the first `longer` have size + 1, the others size. */
typedef struct parts {
  int64_t count, axis, longer, size;
} parts;

static int64_t start_of(const parts* p, int64_t part) {
  return part * p->size + TFC_MIN(part, p->longer);
}
static int64_t part_of(const parts* p, int64_t index) {
  const int64_t long_ones = p->longer * (p->size + 1);
  return index < long_ones ? index / (p->size + 1) : p->longer + (index - long_ones) / p->size;
}

static int read_split(tfc_context* ctx, parts* p, int64_t* dims) {
  const tfc_tensor *axis = ctx->inputs[0], *shape = ctx->inputs[3];
  if (axis->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input axis should be a scalar but received shape %s",
                     tfc_shape_text(axis).text);
  const int64_t given = tfc_int_scalar(axis), rank = shape->n;
  if (given < -rank || given >= rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input axis should be in range [%lld, %lld), got %lld", (long long)-rank,
                     (long long)rank, (long long)given);
  p->axis = given < 0 ? given + rank : given;
  p->count = ctx->n_outputs / 3;
  if (p->count > dims[p->axis])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input num_split should be between 1 and the splitting dimension size (%lld), "
                     "got %lld",
                     (long long)dims[p->axis], (long long)p->count);
  p->size = dims[p->axis] / p->count;
  p->longer = dims[p->axis] % p->count;
  return TFC_OK;
}

static int check_split(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[1], *values = ctx->inputs[2], *shape = ctx->inputs[3];
  const struct {
    const char *name, *kind;
    const tfc_tensor* part;
    int rank;
  } wanted[] = {{"indices", "matrix", indices, 2},
                {"values", "vector", values, 1},
                {"shape", "vector", shape, 1}};
  for (int i = 0; i < 3; i++)
    if (wanted[i].part->rank != wanted[i].rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input %s should be a %s but received shape %s",
                       wanted[i].name, wanted[i].kind, tfc_shape_text(wanted[i].part).text);
  return sparse_check_ranks(ctx, indices, values, shape);
}

/* order: the elements part by part, in the order in which they are given; first[k]: where part k
 * starts. */
static int sort_by_parts(tfc_context* ctx, const parts* p, const sparse_indices* indices,
                         const int64_t* dims, int64_t* order, int64_t* first) {
  for (int64_t i = 0; i < indices->n; i++)
    for (int64_t d = 0; d < indices->rank; d++)
      if (sparse_row(indices, i)[d] < 0 || sparse_row(indices, i)[d] >= dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "Sparse index tuple indices[%lld, :] = %s is out of bounds", (long long)i,
                         sparse_index_text(indices, i).text);
  memset(first, 0, (size_t)(p->count + 2) * sizeof *first);
  int64_t* next = first + 1; /* where the next element of a part goes; in the end, the next part */
  for (int64_t i = 0; i < indices->n; i++) next[part_of(p, sparse_row(indices, i)[p->axis]) + 1]++;
  for (int64_t k = 1; k <= p->count; k++) next[k] += next[k - 1];
  for (int64_t i = 0; i < indices->n; i++)
    order[next[part_of(p, sparse_row(indices, i)[p->axis])]++] = i;
  return TFC_OK;
}

static int put_part(tfc_context* ctx, const parts* p, int64_t part, const sparse_indices* indices,
                    const int64_t* order, int64_t n, int64_t* dims) {
  const int output = (int)part, count = (int)p->count;
  TFC_TRY(sparse_put_indices(ctx, output, indices, order, n));
  int64_t* at = ctx->outputs[output].data;
  for (int64_t i = 0; i < n; i++) at[i * indices->rank + p->axis] -= start_of(p, part);
  TFC_TRY(sparse_put_values(ctx, count + output, ctx->inputs[2], order, n));
  dims[p->axis] = start_of(p, part + 1) - start_of(p, part);
  return sparse_put_vector(ctx, 2 * count + output, dims, indices->rank);
}

static int split(tfc_context* ctx) {
  TFC_TRY(check_split(ctx));
  parts p = {0};
  sparse_indices indices;
  int64_t* dims = sparse_copy_vector(ctx, ctx->inputs[3]);
  if (!dims) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(read_split(ctx, &p, dims));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[1], &indices));
  int64_t *order = tfc_scratch_items(ctx, indices.n + 1, sizeof *order),
          *first = tfc_scratch_items(ctx, p.count + 2, sizeof *first);
  if (!order || !first) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(sort_by_parts(ctx, &p, &indices, dims, order, first));
  for (int64_t k = 0; k < p.count; k++)
    TFC_TRY(put_part(ctx, &p, k, &indices, order + first[k], first[k + 1] - first[k], dims));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseConcat", "", concat, TFC_STATE(concat_create),
            .host_args = "shapes,output_shape"),
    TFC_ROW("SparseSplit", "", split, .host_args = "split_dim,shape,output_shape"),
};
TFC_REGISTER_KERNELS(kernels);
