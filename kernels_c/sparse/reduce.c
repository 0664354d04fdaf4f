/* Reductions of sparse tensors: SparseReduceSum, SparseReduceMax; ...Sparse: to sparse tensors.
 *
 * First each element gets the number of its group, that is of its result. Then one pass over the
 * values, in the order in which they are given, combines them. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

typedef struct reduction {
  bool keep_dims;
  bool sum; /* or the maximum */
} reduction;

/* What is reduced: the dimensions that stay, and the group of each element. */
typedef struct groups {
  sparse_indices indices;
  int64_t* dims;
  int64_t* kept; /* dimensions that stay */
  int64_t n_kept;
  int64_t* number; /* the group of each element */
  int64_t count;
  int64_t* shape; /* of the result */
  int64_t rank;
} groups;

/* ---- Axes */

static int read_axes(tfc_context* ctx, const tfc_tensor* axes, bool keep_dims, groups* g) {
  const int64_t rank = g->indices.rank;
  bool* reduced = tfc_scratch_items(ctx, rank + 1, sizeof *reduced);
  g->kept = tfc_scratch_items(ctx, rank + 1, sizeof *g->kept);
  g->shape = tfc_scratch_items(ctx, rank + 1, sizeof *g->shape);
  if (!reduced || !g->kept || !g->shape) return TFC_RESOURCE_EXHAUSTED;
  memset(reduced, 0, (size_t)rank + 1);
  for (int64_t i = 0; i < axes->n; i++) {
    const int64_t axis = tfc_index_at(axes, i);
    if (axis < -rank || axis >= rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid reduction dimension %lld, for input with %lld dimensions.",
                       (long long)axis, (long long)rank);
    reduced[axis < 0 ? axis + rank : axis] = true;
  }
  for (int64_t d = 0; d < rank; d++) {
    if (!reduced[d]) g->kept[g->n_kept++] = d;
    if (!reduced[d] || keep_dims) g->shape[g->rank++] = reduced[d] ? 1 : g->dims[d];
  }
  return TFC_OK;
}

static int open_groups(tfc_context* ctx, groups* g) {
  const tfc_tensor *matrix = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2],
                   *axes = ctx->inputs[3];
  *g = (groups){0};
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected input_shape to be a vector; got shape: %s",
                     tfc_shape_text(shape).text);
  if (axes->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected reduction_axes to be a scalar or a vector; got shape: %s",
                     tfc_shape_text(axes).text);
  TFC_TRY(sparse_check_parts(ctx, matrix, values, shape));
  TFC_TRY(sparse_copy_indices(ctx, matrix, &g->indices));
  g->dims = sparse_copy_vector(ctx, shape);
  g->number = tfc_scratch_items(ctx, values->n + 1, sizeof *g->number);
  if (!g->dims || !g->number) return TFC_RESOURCE_EXHAUSTED;
  int64_t count;
  TFC_TRY(sparse_count(ctx, g->dims, shape->n, &count));
  const reduction* how = ctx->state;
  return read_axes(ctx, axes, how->keep_dims, g);
}

/* ---- Groups */

/* Numbers the groups by their position in a dense result. */
static int number_densely(tfc_context* ctx, groups* g) {
  for (int64_t i = 0; i < g->indices.n; i++) {
    const int64_t* index = sparse_row(&g->indices, i);
    int64_t at = 0;
    for (int64_t k = 0; k < g->n_kept; k++) {
      const int64_t d = g->kept[k];
      if (index[d] < 0 || index[d] >= g->dims[d])
        return tfc_error(ctx, TFC_INTERNAL,
                         "Obtained a write index of %lld which is outside of bounds of [0, %lld)",
                         (long long)index[d], (long long)g->dims[d]);
      at = at * g->dims[d] + index[d];
    }
    g->number[i] = at;
  }
  return TFC_OK;
}

/* Numbers the groups that have elements, in the order of their indices, and writes these. */
static int number_sparsely(tfc_context* ctx, groups* g) {
  const int64_t n = g->indices.n;
  sparse_indices kept = {tfc_scratch_items(ctx, n * g->n_kept + 1, sizeof *kept.at), n, g->n_kept};
  int64_t *order = tfc_scratch_items(ctx, n + 1, sizeof *order),
          *first = tfc_scratch_items(ctx, n + 1, sizeof *first);
  if (!kept.at || !order || !first) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < n; i++)
    for (int64_t k = 0; k < g->n_kept; k++)
      kept.at[i * g->n_kept + k] = sparse_row(&g->indices, i)[g->kept[k]];
  TFC_TRY(sparse_sort(ctx, &kept, order));
  for (int64_t i = 0; i < n; i++) {
    if (i == 0 ||
        sparse_compare(sparse_row(&kept, order[i - 1]), sparse_row(&kept, order[i]), kept.rank))
      first[g->count++] = order[i];
    g->number[order[i]] = g->count - 1;
  }
  TFC_TRY(tfc_output(ctx, 0, 2, (const int64_t[2]){g->count, g->rank}));
  int64_t* to = ctx->outputs[0].data;
  const bool all = g->rank == g->indices.rank; /* reduced dimensions have the index 0 */
  for (int64_t i = 0; i < g->count; i++, to += g->rank) {
    for (int64_t d = 0; d < g->rank; d++) to[d] = 0;
    for (int64_t k = 0; k < kept.rank; k++)
      to[all ? g->kept[k] : k] = sparse_row(&kept, first[i])[k];
  }
  return TFC_OK;
}

/* ---- Values */

#define SUM(a, b) ((a) + (b))
#define GREATER(a, b) ((a) != (a) ? (a) : (a) > (b) ? (a) : (b)) /* keeps NaN: b may be one */
#define COMBINE(T, OP)                              \
  {                                                 \
    const T* x = from;                              \
    T* y = to;                                      \
    for (int64_t i = 0; i < n; i++) {               \
      const int64_t at = number[i];                 \
      y[at] = seen[at] ? (T)OP(y[at], x[i]) : x[i]; \
      seen[at] = true;                              \
    }                                               \
  }                                                 \
  break;

/* to[number[i]] is the sum of all from[i] of that number. Signed sums wrap as unsigned ones do. */
static void add_up(int32_t dtype, const void* from, const int64_t* number, int64_t n, void* to,
                   bool* seen) {
  switch (dtype) {
    case TFC_FLOAT: COMBINE(float, SUM)
    case TFC_DOUBLE: COMBINE(double, SUM)
    case TFC_COMPLEX64: COMBINE(float _Complex, SUM)
    case TFC_COMPLEX128: COMBINE(double _Complex, SUM)
    case TFC_INT8:
    case TFC_UINT8: COMBINE(uint8_t, SUM)
    case TFC_INT16:
    case TFC_UINT16: COMBINE(uint16_t, SUM)
    case TFC_INT32:
    case TFC_UINT32: COMBINE(uint32_t, SUM)
    case TFC_INT64:
    case TFC_UINT64: COMBINE(uint64_t, SUM)
    default: break;
  }
}

#define GREATEST_CASE(DTYPE, T, NAME) \
  case DTYPE: COMBINE(T, GREATER)

static void find_greatest(int32_t dtype, const void* from, const int64_t* number, int64_t n,
                          void* to, bool* seen) {
  switch (dtype) {
    TFC_FOR_REALS(GREATEST_CASE)
    default: break;
  }
}

static void combine(bool sum, int32_t dtype, const void* from, const groups* g, void* to,
                    bool* seen) {
  (sum ? add_up : find_greatest)(dtype, from, g->number, g->indices.n, to, seen);
}

/* Combines the values into `y`, which has an element for each group; 0 for those without any. */
static int reduce_values(tfc_context* ctx, const groups* g, tfc_tensor* y) {
  const reduction* how = ctx->state;
  const tfc_tensor* values = ctx->inputs[1];
  bool* seen = tfc_scratch_items(ctx, y->n + 1, sizeof *seen);
  if (!seen) return TFC_RESOURCE_EXHAUSTED;
  memset(seen, 0, (size_t)y->n + 1);
  if (y->n == 0) return TFC_OK;
  if (!tfc_is_16bit_float(y->dtype)) {
    memset(y->data, 0, (size_t)y->n * tfc_dtype_size(y->dtype));
    combine(how->sum, y->dtype, values->data, g, y->data, seen);
    return TFC_OK;
  }
  float *x = tfc_scratch_items(ctx, values->n + 1, sizeof *x),
        *sums = tfc_scratch_items(ctx, y->n, sizeof *sums);
  if (!x || !sums) return TFC_RESOURCE_EXHAUSTED;
  memset(sums, 0, (size_t)y->n * sizeof *sums);
  if (values->n) tfc_widen(values->dtype, values->data, x, values->n);
  combine(how->sum, TFC_FLOAT, x, g, sums, seen);
  tfc_narrow(y->dtype, sums, y->data, y->n);
  return TFC_OK;
}

static int reduce(tfc_context* ctx) {
  groups g;
  TFC_TRY(open_groups(ctx, &g));
  TFC_TRY(tfc_check_shape(ctx, (int)TFC_MIN(g.rank, 1000), g.shape));
  TFC_TRY(number_densely(ctx, &g));
  TFC_TRY(tfc_output(ctx, 0, (int)g.rank, g.shape));
  return reduce_values(ctx, &g, &ctx->outputs[0]);
}

static int reduce_to_sparse(tfc_context* ctx) {
  groups g;
  TFC_TRY(open_groups(ctx, &g));
  TFC_TRY(number_sparsely(ctx, &g));
  TFC_TRY(tfc_output(ctx, 1, 1, &g.count));
  TFC_TRY(reduce_values(ctx, &g, &ctx->outputs[1]));
  return sparse_put_vector(ctx, 2, g.shape, g.rank);
}

/* ---- Attributes */

static int create(tfc_construction* c, bool sum, void** state) {
  reduction* how = tfc_new_state(c, sizeof *how);
  if (!how) return TFC_RESOURCE_EXHAUSTED;
  how->sum = sum;
  const int code = c->api->attr_bool(c, "keep_dims", &how->keep_dims);
  if (code)
    free(how);
  else
    *state = how;
  return code;
}

static int create_sum(tfc_construction* c, void** state) {
  return create(c, true, state);
}
static int create_max(tfc_construction* c, void** state) {
  return create(c, false, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseReduceSum", "T=" TFC_TYPES_NUMBERS, reduce, TFC_STATE(create_sum),
            .host_args = "input_shape,reduction_axes"),
    TFC_ROW("SparseReduceSumSparse", "T=" TFC_TYPES_NUMBERS, reduce_to_sparse,
            TFC_STATE(create_sum), .host_args = "input_shape,reduction_axes"),
    TFC_ROW("SparseReduceMax", "T=" TFC_TYPES_REALS, reduce, TFC_STATE(create_max),
            .host_args = "input_shape,reduction_axes"),
    TFC_ROW("SparseReduceMaxSparse", "T=" TFC_TYPES_REALS, reduce_to_sparse, TFC_STATE(create_max),
            .host_args = "input_shape,reduction_axes"),
};
TFC_REGISTER_KERNELS(kernels);
