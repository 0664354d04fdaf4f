/* Joins and splits tensors: concat, split, pack, unpack. Pieces that are contiguous in the input
 * are views of it. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* Reads a dimension input and makes it non-negative. */
static int read_axis(tfc_context* ctx, int input, int rank, const char* what, int* axis) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s tensor should be a scalar integer, but got shape %s", what,
                     tfc_shape_text(t).text);
  const int64_t d = tfc_int_scalar(t);
  if (d < -rank || d >= rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s : Expected concatenating dimensions in the range [%d, %d), but got %lld",
                     what, -rank, rank, (long long)d);
  *axis = (int)(d < 0 ? d + rank : d);
  return TFC_OK;
}

/* ---- Concat */

typedef struct parallel_shape {
  int rank;
  int64_t dims[TFC_MAX_RANK];
} parallel_shape;

static int parallel_create(tfc_construction* c, void** state) {
  parallel_shape* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  TFC_TRY(c->api->attr_shape(c, "shape", &s->rank, s->dims));
  if (s->rank < 1 || tfc_count(s->rank, s->dims) < 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "shape attr must be fully defined: %s",
                         tfc_partial_dims_text(s->rank, s->dims).text);
  if (s->dims[0] < c->n_inputs)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "0th dimension of value = %lld must be greater than loc_ = %d",
                         (long long)s->dims[0], c->n_inputs - 1);
  return TFC_OK;
}

static int check_concat(tfc_context* ctx, int first, int n, int axis, int64_t* total) {
  const tfc_tensor* a = ctx->inputs[first];
  *total = 0;
  for (int i = 0; i < n; i++) {
    const tfc_tensor* b = ctx->inputs[first + i];
    if (a->rank != b->rank)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
          tfc_shape_text(a).text, i, tfc_shape_text(b).text);
    for (int d = 0; d < a->rank; d++)
      if (d != axis && a->dims[d] != b->dims[d])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "ConcatOp : Dimension %d in both shapes must be equal: shape[0] = %s vs. "
                         "shape[%d] = %s",
                         d, tfc_shape_text(a).text, i, tfc_shape_text(b).text);
    *total += b->dims[axis];
  }
  return TFC_OK;
}

static int concat(tfc_context* ctx, int first, int axis_input) {
  const int n = ctx->n_inputs - 1;
  const tfc_tensor* a = ctx->inputs[first];
  int axis = 0;
  TFC_TRY(read_axis(ctx, axis_input, a->rank, "ConcatOp", &axis));
  int64_t total, dims[TFC_MAX_RANK];
  TFC_TRY(check_concat(ctx, first, n, axis, &total));
  memcpy(dims, a->dims, sizeof dims);
  dims[axis] = total;
  const int64_t outer = tfc_product(axis, dims);
  const int64_t inner = tfc_product(a->rank - axis - 1, dims + axis + 1);
  for (int i = 0; i < n; i++) /* all others are empty */
    if (ctx->inputs[first + i]->dims[axis] == total) return tfc_output_input(ctx, 0, first + i);
  TFC_TRY(tfc_output(ctx, 0, a->rank, dims));
  int64_t at = 0;
  for (int i = 0; i < n; i++) {
    const tfc_tensor* x = ctx->inputs[first + i];
    const int64_t run = x->dims[axis] * inner;
    const tfc_box box = {
        .rank = 2, .dims = {outer, run}, .to = {total * inner, 1}, .from = {run, 1}};
    TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], at, x, 0, &box));
    at += run;
  }
  return TFC_OK;
}

static int concat_v1(tfc_context* ctx) {
  return concat(ctx, 1, 0);
}
static int concat_v2(tfc_context* ctx) {
  return concat(ctx, 0, ctx->n_inputs - 1);
}

/* Each input is one row. The attribute may promise more rows: those are zero. */
static int parallel_concat(tfc_context* ctx) {
  const parallel_shape* s = tfc_own_state(ctx);
  const int64_t n = ctx->n_inputs;
  int64_t row[TFC_MAX_RANK] = {1};
  memcpy(row + 1, s->dims + 1, sizeof row - sizeof *row);
  for (int i = 0; i < n; i++) {
    const tfc_tensor* x = ctx->inputs[i];
    if (x->rank != s->rank || memcmp(x->dims, row, (size_t)s->rank * sizeof *row))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "value %d does not fit into the shape: expected %s, got %s", i,
                       tfc_dims_text(s->rank, row).text, tfc_shape_text(x).text);
  }
  TFC_TRY(tfc_output(ctx, 0, s->rank, s->dims));
  const int64_t width = tfc_product(s->rank - 1, s->dims + 1);
  if (s->dims[0] > n && ctx->outputs[0].dtype != TFC_STRING)
    TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  const tfc_box box = {.rank = 1, .dims = {width}, .to = {1}, .from = {1}};
  for (int i = 0; i < n; i++)
    TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], i * width, ctx->inputs[i], 0, &box));
  return TFC_OK;
}

static int concat_offset(tfc_context* ctx) {
  const int n = ctx->n_inputs - 1;
  const tfc_tensor* a = ctx->inputs[1];
  int axis = 0;
  if (a->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input 0 should be a vector, but got shape %s",
                     tfc_shape_text(a).text);
  TFC_TRY(tfc_want_scalar(ctx, 0, "Concat dim tensor should be a scalar integer, but got shape"));
  TFC_TRY(read_axis(ctx, 0, (int)a->n, "Concat dim", &axis));
  int64_t at = 0;
  for (int i = 0; i < n; i++) {
    const tfc_tensor* x = ctx->inputs[1 + i];
    if (x->rank != 1 || x->n != a->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "input %d should contain %lld elements, but got %lld", i, (long long)a->n,
                       (long long)x->n);
    for (int d = 0; d < a->n; d++)
      if (d != axis && tfc_index_at(x, d) != tfc_index_at(a, d))
        return tfc_error(
            ctx, TFC_INVALID_ARGUMENT,
            "All dimensions except %d must match. Input %d has shape and doesn't match "
            "input 0: %lld instead of %lld in dimension %d",
            axis, i, (long long)tfc_index_at(x, d), (long long)tfc_index_at(a, d), d);
    TFC_TRY(tfc_output_like(ctx, i, x));
    for (int d = 0; d < a->n; d++) {
      if (x->dtype == TFC_INT64)
        ((int64_t*)ctx->outputs[i].data)[d] = d == axis ? at : 0;
      else
        ((int32_t*)ctx->outputs[i].data)[d] = (int32_t)(d == axis ? at : 0);
    }
    at += tfc_index_at(x, axis);
  }
  return TFC_OK;
}

/* ---- Split and Unpack */

/* Output i is x[:, at : at + run] of x seen as [outer][width], with the given shape. */
static int take_piece(tfc_context* ctx, int i, int input, int64_t outer, int64_t width, int64_t at,
                      int64_t run, int rank, const int64_t* dims) {
  const tfc_tensor* x = ctx->inputs[input];
  if (outer == 1 || run == width) return tfc_output_view(ctx, i, input, at, rank, dims);
  TFC_TRY(tfc_output(ctx, i, rank, dims));
  const tfc_box box = {.rank = 2, .dims = {outer, run}, .to = {run, 1}, .from = {width, 1}};
  return tfc_copy_box(ctx, &ctx->outputs[i], 0, x, at, &box);
}

static int split(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[1];
  const int n = ctx->n_outputs;
  int axis = 0;
  if (ctx->inputs[0]->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "split_dim must be a scalar but has rank %d",
                     ctx->inputs[0]->rank);
  const int64_t given = tfc_int_scalar(ctx->inputs[0]);
  if (given < -x->rank || given >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "-input rank(-%d) <= split_dim < input rank (%d), but got %lld", x->rank,
                     x->rank, (long long)given);
  TFC_TRY(read_axis(ctx, 0, x->rank, "split_dim", &axis));
  if (x->dims[axis] % n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of ways to split should evenly divide the split dimension, but got "
                     "split_dim %d (size = %lld) and num_split %d",
                     axis, (long long)x->dims[axis], n);
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[axis] /= n;
  const int64_t outer = tfc_product(axis, dims), run = tfc_product(x->rank - axis, dims + axis);
  for (int i = 0; i < n; i++)
    TFC_TRY(take_piece(ctx, i, 1, outer, run * n, i * run, run, x->rank, dims));
  return TFC_OK;
}

/* Checks the sizes and replaces -1 by the rest. */
static int read_sizes(tfc_context* ctx, int64_t whole, int64_t* sizes) {
  const tfc_tensor* t = ctx->inputs[1];
  int64_t sum = 0;
  int unknown = -1;
  for (int i = 0; i < ctx->n_outputs; i++) {
    sizes[i] = tfc_index_at(t, i);
    if (sizes[i] == -1) {
      if (unknown >= 0)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "There can only be one -1 in the input.");
      unknown = i;
    } else if (sizes[i] < 0) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Split size at index %d must be >= 0. Got: %lld",
                       i, (long long)sizes[i]);
    } else {
      sum += sizes[i];
    }
  }
  if (unknown >= 0 ? sum > whole : sum != whole)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Determined shape must either match input shape along split_dim exactly if "
        "fully specified, or be less than the size of the input along split_dim if not "
        "fully specified.  Got: %lld",
        (long long)sum);
  if (unknown >= 0) sizes[unknown] = whole - sum;
  return TFC_OK;
}

/* Output i is the next sizes[i] of input 0 along the axis. */
static int take_pieces(tfc_context* ctx, int axis, const int64_t* sizes) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t dims[TFC_MAX_RANK], at = 0;
  memcpy(dims, x->dims, sizeof dims);
  const int64_t outer = tfc_product(axis, dims);
  const int64_t inner = tfc_product(x->rank - axis - 1, dims + axis + 1);
  for (int i = 0; i < ctx->n_outputs; i++) {
    dims[axis] = sizes[i];
    TFC_TRY(
        take_piece(ctx, i, 0, outer, x->dims[axis] * inner, at, sizes[i] * inner, x->rank, dims));
    at += sizes[i] * inner;
  }
  return TFC_OK;
}

static int split_v(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  int axis = 0;
  const int64_t given = ctx->inputs[2]->n == 1 ? tfc_int_scalar(ctx->inputs[2]) : 0;
  if (given < -x->rank || given >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "-input rank(-%d) <= split_dim < input rank (%d), but got %lld", x->rank,
                     x->rank, (long long)given);
  TFC_TRY(read_axis(ctx, 2, x->rank, "split_dim", &axis));
  if (t->rank != 1 || t->n != ctx->n_outputs)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "shape of size_splits must be 1-dimensional with the same number of elements as "
        "num_split (%d), got shape %s",
        ctx->n_outputs, tfc_shape_text(t).text);
  tfc_list sizes;
  TFC_TRY(tfc_list_make(ctx, &sizes, ctx->n_outputs));
  int code = read_sizes(ctx, x->dims[axis], sizes.at);
  if (code == TFC_OK) code = take_pieces(ctx, axis, sizes.at);
  tfc_list_drop(&sizes);
  return code;
}

static int axis_create(tfc_construction* c, void** state) {
  int64_t* axis = tfc_new_state(c, sizeof *axis);
  if (!axis) return TFC_RESOURCE_EXHAUSTED;
  *state = axis;
  const int rc = c->api->attr_int(c, "axis", axis);
  if (rc != TFC_OK) {
    free(axis);
    *state = NULL;
  }
  return rc;
}

static int attr_axis(tfc_context* ctx, int rank, int* axis) {
  const int64_t d = *(const int64_t*)tfc_own_state(ctx);
  if (d < -rank || d >= rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis = %lld not in [%d, %d)", (long long)d, -rank,
                     rank);
  *axis = (int)(d < 0 ? d + rank : d);
  return TFC_OK;
}

static int unpack(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  int axis = 0;
  TFC_TRY(attr_axis(ctx, x->rank, &axis));
  if (x->dims[axis] != ctx->n_outputs)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input shape axis %d must equal %d, got shape %s",
                     axis, ctx->n_outputs, tfc_shape_text(x).text);
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0, k = 0; i < x->rank; i++)
    if (i != axis) dims[k++] = x->dims[i];
  const int64_t outer = tfc_product(axis, dims);
  const int64_t inner = tfc_product(x->rank - 1 - axis, dims + axis);
  for (int i = 0; i < ctx->n_outputs; i++)
    TFC_TRY(
        take_piece(ctx, i, 0, outer, inner * ctx->n_outputs, i * inner, inner, x->rank - 1, dims));
  return TFC_OK;
}

/* ---- Pack */

static int pack(tfc_context* ctx) {
  const tfc_tensor* a = ctx->inputs[0];
  const int n = ctx->n_inputs;
  int axis = 0;
  TFC_TRY(attr_axis(ctx, a->rank + 1, &axis));
  if (a->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Pack of tensors of %d dimensions", a->rank);
  for (int i = 1; i < n; i++)
    if (!tfc_same_shape(a, ctx->inputs[i]))
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Shapes of all inputs must match: values[0].shape = %s != values[%d].shape = %s",
          tfc_shape_text(a).text, i, tfc_shape_text(ctx->inputs[i]).text);
  int64_t dims[TFC_MAX_RANK];
  for (int i = 0, k = 0; i <= a->rank; i++) dims[i] = i == axis ? n : a->dims[k++];
  if (n == 1) return tfc_output_view(ctx, 0, 0, 0, a->rank + 1, dims);
  TFC_TRY(tfc_output(ctx, 0, a->rank + 1, dims));
  const int64_t outer = tfc_product(axis, dims);
  const int64_t inner = tfc_product(a->rank - axis, dims + axis + 1);
  const tfc_box box = {.rank = 2, .dims = {outer, inner}, .to = {n * inner, 1}, .from = {inner, 1}};
  const size_t size = tfc_dtype_size(a->dtype);
  const bool scalars = !TFC_FOR_GPU && a->n == 1 && a->dtype != TFC_STRING;
  char* out = ctx->outputs[0].data;
  for (int i = 0; i < n; i++) {
    if (scalars)
      memcpy(out + (size_t)i * size, ctx->inputs[i]->data, size);
    else
      TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], i * inner, ctx->inputs[i], 0, &box));
  }
  return TFC_OK;
}

TFC_COPIER(TFC_NO_STATE);
TFC_COPIER(axis_create);
TFC_COPIER(parallel_create);

static const tfc_kernel_def kernels[] = {
    TFC_COPIES("Concat", "T", concat_v1, TFC_NO_STATE, "concat_dim", "concat_dim,values,output"),
    TFC_COPIES("ConcatV2", "T", concat_v2, TFC_NO_STATE, "axis", "values,axis,output"),
    TFC_COPIES("ParallelConcat", "T", parallel_concat, parallel_create, NULL, "values,output"),
    TFC_ROW("ConcatOffset", "", concat_offset, .host_args = "concat_dim,shape,offset"),
    TFC_COPIES("Split", "T", split, TFC_NO_STATE, "split_dim", "split_dim,value,output"),
    TFC_COPIES("SplitV", "T", split_v, TFC_NO_STATE, "size_splits,split_dim",
               "value,size_splits,split_dim,output"),
    TFC_COPIES("Pack", "T", pack, axis_create, NULL, "values,output"),
    TFC_COPIES("Unpack", "T", unpack, axis_create, NULL, "value,output"),
};
TFC_REGISTER_KERNELS(kernels);
