/* Kernels for many elements of a tensor array: split one tensor into views (scatter, split), or
 * join elements in one pass (gather, concat). */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/state/tensor_array.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* ---- One tensor becomes elements */

/* A view of `rows` rows of a tensor, without a reference. */
static tfc_tensor rows_of(const tfc_tensor* t, int64_t first, int64_t rows, bool keep_dim) {
  const int64_t row = t->dims[0] ? t->n / t->dims[0] : 0;
  tfc_tensor part = *t;
  part.n = rows * row;
  part.data = t->n ? (char*)t->data + (size_t)(first * row) * tfc_dtype_size(t->dtype) : t->data;
  part.rank = keep_dim ? t->rank : t->rank - 1;
  if (keep_dim)
    part.dims[0] = rows;
  else
    memmove(part.dims, t->dims + 1, (size_t)part.rank * sizeof *part.dims);
  return part;
}

static int check_scatter(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[1], *value = ctx->inputs[2];
  if (indices->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected indices to be a vector, but received shape: %s",
                     tfc_shape_text(indices).text);
  if (!value->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input value for unpack must be at least a vector but received shape: %s",
                     tfc_shape_text(value).text);
  if (indices->n != value->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected len(indices) == values.shape[0], but saw: %lld vs. %lld",
                     (long long)indices->n, (long long)value->dims[0]);
  return TFC_OK;
}

static int scatter_into(tfc_context* ctx, tfc_tensor_array* a) {
  const tfc_tensor *indices = ctx->inputs[1], *value = ctx->inputs[2];
  int64_t highest = -1;
  for (int64_t k = 0; k < indices->n; k++) highest = TFC_MAX(highest, tfc_index_at(indices, k));
  if (highest >= a->size && !a->dynamic)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Max scatter index must be < array size (%lld vs. %lld)", (long long)highest,
                     (long long)a->size);
  if (highest >= a->size) TFC_TRY(tfc_array_resize(ctx, a, highest + 1));
  for (int64_t k = 0; k < indices->n; k++) {
    const tfc_tensor part = rows_of(value, k, 1, false);
    TFC_TRY(tfc_array_write(ctx, a, tfc_index_at(indices, k), &part));
  }
  return TFC_OK;
}

static int scatter(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(tfc_array_enter(ctx, ctx->inputs[2]->dtype, true, &a));
  int code = check_scatter(ctx);
  if (!code) code = scatter_into(ctx, a);
  tfc_array_leave(a);
  return code ? code : tfc_output_input(ctx, 0, 3);
}

static int check_split(tfc_context* ctx) {
  const tfc_tensor *value = ctx->inputs[1], *lengths = ctx->inputs[2];
  if (lengths->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected lengths to be a vector, received shape: %s",
                     tfc_shape_text(lengths).text);
  if (!value->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected value to be at least a vector, but received shape: %s",
                     tfc_shape_text(value).text);
  return TFC_OK;
}

static int read_lengths(tfc_context* ctx, int64_t* to) {
  const tfc_tensor *value = ctx->inputs[1], *lengths = ctx->inputs[2];
  tfc_read_indices(lengths, to);
  int64_t sum = 0;
  for (int64_t k = 0; k < lengths->n; k++) {
    const int64_t length = to[k];
    if (length < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected lengths to be >= 0, but lengths[%lld] is %lld", (long long)k,
                       (long long)length);
    if (__builtin_add_overflow(sum, length, &sum)) sum = INT64_MAX;
  }
  if (sum != value->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected sum of lengths to be equal to values.shape[0], but sum of lengths "
                     "is %lld and value's shape is: %s",
                     (long long)sum, tfc_shape_text(value).text);
  return TFC_OK;
}

static int split_rows(tfc_context* ctx, tfc_tensor_array* a, int64_t* rows) {
  const tfc_tensor *value = ctx->inputs[1], *lengths = ctx->inputs[2];
  TFC_TRY(read_lengths(ctx, rows));
  if (a->size != lengths->n && !(a->dynamic && a->size < lengths->n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorArray's size is not equal to the size of lengths (%lld vs. %lld), and "
                     "the TensorArray is not marked as dynamically resizeable",
                     (long long)a->size, (long long)lengths->n);
  TFC_TRY(tfc_array_resize(ctx, a, lengths->n));
  int64_t at = 0;
  for (int64_t k = 0; k < lengths->n; k++) {
    const tfc_tensor part = rows_of(value, at, rows[k], true);
    TFC_TRY(tfc_array_write(ctx, a, k, &part));
    at += part.dims[0];
  }
  return TFC_OK;
}

static int split_into(tfc_context* ctx, tfc_tensor_array* a) {
  tfc_list rows;
  TFC_TRY(check_split(ctx));
  TFC_TRY(tfc_list_make(ctx, &rows, ctx->inputs[2]->n));
  const int code = split_rows(ctx, a, rows.at);
  tfc_list_drop(&rows);
  return code;
}

static int split(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(tfc_array_enter(ctx, ctx->inputs[1]->dtype, true, &a));
  int code = split_into(ctx, a);
  tfc_array_leave(a);
  return code ? code : tfc_output_input(ctx, 0, 3);
}

/* ---- Elements become one tensor */

static int shape_create(tfc_construction* c, const char* attr, void** state) {
  tfc_partial_shape* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rank = 0, code = c->api->attr_shape(c, attr, &rank, s->dims);
  s->rank = rank;
  if (code)
    free(s);
  else
    *state = s;
  return code;
}

static int gather_create(tfc_construction* c, void** state) {
  return shape_create(c, "element_shape", state);
}

static int concat_create(tfc_construction* c, void** state) {
  return shape_create(c, "element_shape_except0", state);
}

/* Copies element indices[k] (indices NULL: k) to place offsets[k] (NULL: k * row). */
typedef struct join_job {
  tfc_context* ctx;
  const tfc_element* elements;
  const int64_t* indices;
  const int64_t* offsets;
  int64_t row;
  size_t size;
  char* to;
} join_job;

static const tfc_element* element_of(const join_job* job, int64_t k) {
  return &job->elements[job->indices ? job->indices[k] : k];
}

static int64_t place_of(const join_job* job, int64_t k) {
  return job->offsets ? job->offsets[k] : k * job->row;
}

static int copy_element(const join_job* job, int64_t k) {
  const tfc_element* e = element_of(job, k);
  char* to = job->to + (size_t)place_of(job, k) * job->size;
  const size_t bytes = (size_t)e->value.n * job->size;
  return e->zeros ? tfc_array_zero(job->ctx, to, bytes)
                  : tfc_array_copy(job->ctx, to, e->value.data, bytes);
}

static void copy_elements(void* arg, int64_t begin, int64_t end) {
  for (int64_t k = begin; k < end; k++) copy_element(arg, k);
}

static int copy_strings(tfc_context* ctx, const join_job* job, int64_t n) {
  for (int64_t k = 0; k < n; k++) {
    const tfc_tensor* t = &element_of(job, k)->value;
    const tfc_string* s = t->data;
    for (int64_t i = 0; i < t->n; i++)
      TFC_TRY(tfc_string_set(ctx, &ctx->outputs[0], place_of(job, k) + i, s[i].data, s[i].size));
  }
  return TFC_OK;
}

/* Copies n elements to output 0, which exists, and releases them. */
static int join(tfc_context* ctx, tfc_tensor_array* a, join_job* job, int64_t n) {
  job->ctx = ctx;
  job->to = ctx->outputs[0].data;
  job->size = tfc_dtype_size(a->dtype);
  job->elements = a->elements;
  if (a->dtype == TFC_STRING) {
    TFC_TRY(copy_strings(ctx, job, n));
  } else if (TFC_FOR_GPU) {
    for (int64_t k = 0; k < n; k++) TFC_TRY(copy_element(job, k));
  } else if (n) {
    const double bytes = (double)ctx->outputs[0].n * (double)job->size;
    tfc_parallel_for(ctx, n, 5 + 0.1 * bytes / (double)n, copy_elements, job);
  }
  for (int64_t k = 0; k < n && a->clears; k++)
    tfc_array_forget(a, (tfc_element*)element_of(job, k));
  return TFC_OK;
}

static int no_elements(tfc_context* ctx, const char* attr, const char* doing) {
  return tfc_error(ctx, TFC_UNIMPLEMENTED,
                   "TensorArray has size zero, but %s %s is not fully defined. Currently only "
                   "static shapes are supported when %s zero-size TensorArrays.",
                   attr, tfc_partial_shape_text(ctx->state).text, doing);
}

static int too_deep(tfc_context* ctx) {
  return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                   TFC_MAX_RANK + 1, TFC_MAX_RANK);
}

/* The shape of each of the n gathered elements. */
static int check_gather(tfc_context* ctx, tfc_tensor_array* a, const int64_t* indices, int64_t n,
                        tfc_partial_shape* shape) {
  for (int64_t k = 0; k < n; k++) {
    tfc_element* e;
    TFC_TRY(tfc_array_read(ctx, a, indices[k], &e));
    const tfc_tensor* t = &e->value;
    if (k == 0) {
      if (!tfc_shape_fits(ctx->state, t->rank, t->dims))
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "TensorArray was passed element_shape %s which does not match the Tensor "
                         "at index 0: %s",
                         tfc_partial_shape_text(ctx->state).text, tfc_shape_text(t).text);
      shape->rank = t->rank;
      memcpy(shape->dims, t->dims, sizeof shape->dims);
    } else if (!tfc_shape_fits(shape, t->rank, t->dims)) {
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "TensorArray has inconsistent shapes.  Index 0 has shape: %s but index %lld has shape: "
          "%s",
          tfc_partial_shape_text(shape).text, (long long)k, tfc_shape_text(t).text);
    }
  }
  if (n) return TFC_OK;
  *shape = a->defined ? a->shape : *(const tfc_partial_shape*)ctx->state;
  return tfc_is_defined(shape) ? TFC_OK : no_elements(ctx, "element shape", "packing");
}

static int gather_places(tfc_context* ctx, tfc_tensor_array* a, int64_t* places) {
  const int64_t n = ctx->inputs[1]->n;
  tfc_partial_shape shape;
  tfc_read_indices(ctx->inputs[1], places);
  TFC_TRY(check_gather(ctx, a, places, n, &shape));
  if (shape.rank == TFC_MAX_RANK) return too_deep(ctx);
  int64_t dims[TFC_MAX_RANK] = {n};
  memcpy(dims + 1, shape.dims, (size_t)shape.rank * sizeof *dims);
  TFC_TRY(tfc_output(ctx, 0, shape.rank + 1, dims));
  join_job job = {.indices = places, .row = tfc_product(shape.rank, shape.dims)};
  return join(ctx, a, &job, n);
}

static int gather_from(tfc_context* ctx, tfc_tensor_array* a) {
  const tfc_tensor* indices = ctx->inputs[1];
  if (indices->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected indices to be a vector, but received shape: %s",
                     tfc_shape_text(indices).text);
  tfc_list places;
  TFC_TRY(tfc_list_make(ctx, &places, indices->n));
  const int code = gather_places(ctx, a, places.at);
  tfc_list_drop(&places);
  return code;
}

static int gather(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(tfc_array_enter(ctx, ctx->outputs[0].dtype, false, &a));
  int code = gather_from(ctx, a);
  tfc_array_leave(a);
  return code;
}

/* Reads every element: dims becomes the shape of their concatenation, offsets the start of each. */
static int check_concat(tfc_context* ctx, tfc_tensor_array* a, tfc_partial_shape* rest,
                        int64_t* rows, int64_t* lengths, int64_t* offsets) {
  *rows = 0;
  int64_t at = 0;
  tfc_element* e;
  for (int64_t k = 0; k < a->size; k++) TFC_TRY(tfc_array_read(ctx, a, k, &e));
  for (int64_t k = 0; k < a->size; k++) {
    const tfc_tensor* t = &a->elements[k].value;
    if (!t->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Concat saw a scalar shape at index %lld but requires at least vectors.  "
                       "Did you mean to call pack?",
                       (long long)k);
    if (k == 0) {
      if (!tfc_shape_fits(ctx->state, t->rank - 1, t->dims + 1))
        return tfc_error(
            ctx, TFC_INVALID_ARGUMENT,
            "TensorArray was passed element_shape_except0 %s but index 0 has (excepting dimension "
            "0) shape: %s which does not match.",
            tfc_partial_shape_text(ctx->state).text, tfc_dims_text(t->rank - 1, t->dims + 1).text);
      rest->rank = t->rank - 1;
      memcpy(rest->dims, t->dims + 1, (size_t)rest->rank * sizeof *rest->dims);
    } else if (!tfc_shape_fits(rest, t->rank - 1, t->dims + 1)) {
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "TensorArray has inconsistent shapes.  Index 0 has (excepting dimension 0) shape: %s but "
          "index %lld has (excepting dimension 0) shape: %s",
          tfc_partial_shape_text(rest).text, (long long)k,
          tfc_dims_text(t->rank - 1, t->dims + 1).text);
    }
    lengths[k] = t->dims[0];
    offsets[k] = at;
    at += t->n;
    *rows += t->dims[0];
  }
  if (a->size) return TFC_OK;
  *rest = *(const tfc_partial_shape*)ctx->state;
  return tfc_is_defined(rest) ? TFC_OK : no_elements(ctx, "element_shape_except0", "concatenating");
}

static int concat_at(tfc_context* ctx, tfc_tensor_array* a, int64_t* offsets) {
  tfc_partial_shape rest;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(tfc_output(ctx, 1, 1, &a->size));
  TFC_TRY(check_concat(ctx, a, &rest, dims, ctx->outputs[1].data, offsets));
  if (rest.rank == TFC_MAX_RANK) return too_deep(ctx);
  memcpy(dims + 1, rest.dims, (size_t)rest.rank * sizeof *dims);
  TFC_TRY(tfc_output(ctx, 0, rest.rank + 1, dims));
  join_job job = {.offsets = offsets};
  return join(ctx, a, &job, a->size);
}

static int concat_from(tfc_context* ctx, tfc_tensor_array* a) {
  tfc_list offsets;
  TFC_TRY(tfc_list_make(ctx, &offsets, a->size));
  const int code = concat_at(ctx, a, offsets.at);
  tfc_list_drop(&offsets);
  return code;
}

static int concat(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(tfc_array_enter(ctx, ctx->outputs[0].dtype, false, &a));
  int code = concat_from(ctx, a);
  tfc_array_leave(a);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TensorArrayScatterV3", TFC_BUT_INT32("T"), scatter, .create = tfc_array_writer_create,
            .host_args = "handle,indices"),
    TFC_ROW("TensorArraySplitV3", TFC_BUT_INT32("T"), split, .create = tfc_array_writer_create,
            .host_args = "handle,lengths"),
    TFC_ROW("TensorArrayGatherV3", TFC_BUT_INT32("dtype"), gather, TFC_STATE(gather_create),
            .host_args = "handle,indices"),
    TFC_ROW("TensorArrayConcatV3", TFC_BUT_INT32("dtype"), concat, TFC_STATE(concat_create),
            .host_args = "handle,lengths"),
};
TFC_REGISTER_KERNELS(kernels);
