/* Kernels for many elements of a tensor list: rows of a tensor become elements, which share its
 * memory (from_tensor, split, scatter); elements become one tensor (stack, gather, concat). */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/state/tensor_list.h"

TFC_ONE_LEVEL;

/* ---- A tensor becomes elements */

/* Input `input` as a tensor for a list to share: if its memory is the user's, a copy. */
static int share(tfc_context* ctx, int input, tfc_tensor* kept) {
  return tfc_keep(ctx, kept, ctx->inputs[input]);
}

static int want_rows(tfc_context* ctx, const tfc_tensor* t) {
  if (tfc_is_object(t->dtype) && t->rank > 1)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Rows of a tensor of variants of shape %s",
                     tfc_shape_text(t).text);
  if (t->rank) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tensor must be at least a vector, but saw shape: %s",
                   tfc_shape_text(t).text);
}

/* Whether the rows of input 0 are elements of the shape. */
static int check_rows(tfc_context* ctx, const tfc_partial_shape* shape) {
  const tfc_tensor* t = ctx->inputs[0];
  TFC_TRY(want_rows(ctx, t));
  if (tfc_shape_fits(shape, t->rank - 1, t->dims + 1)) return TFC_OK;
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT, "Specified a list with shape %s from a tensor with shape %s",
      tfc_partial_shape_text(shape).text, tfc_dims_text(t->rank - 1, t->dims + 1).text);
}

static void set_row(tfc_context* ctx, tfc_tensor_list* l, int64_t to, const tfc_tensor* t,
                    int64_t row) {
  const tfc_tensor part = tfc_row_of(t, row);
  tfc_let_go(ctx->api, &l->elements[to]);
  tfc_hold(ctx->api, &l->elements[to], &part);
}

static int from_tensor(tfc_context* ctx) {
  tfc_partial_shape shape;
  tfc_tensor_list* l = NULL;
  tfc_tensor t;
  TFC_TRY(tfc_tensor_list_shape(ctx, 1, &shape));
  TFC_TRY(check_rows(ctx, &shape));
  TFC_TRY(share(ctx, 0, &t));
  const int code = tfc_tensor_list_new(ctx, t.dtype, &shape, t.dims[0], &l);
  for (int64_t i = 0; !code && i < l->size; i++) set_row(ctx, l, i, &t, i);
  tfc_let_go(ctx->api, &t);
  return code;
}

static int check_split(tfc_context* ctx, const tfc_partial_shape* shape) {
  const tfc_tensor *t = ctx->inputs[0], *lengths = ctx->inputs[2];
  if (shape->rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorListSplit requires element_shape to be at least of rank 1, but saw: %s",
                     tfc_partial_shape_text(shape).text);
  TFC_TRY(want_rows(ctx, t));
  tfc_partial_shape rest = {.rank = shape->rank < 0 ? -1 : shape->rank - 1};
  if (rest.rank > 0) memcpy(rest.dims, shape->dims + 1, (size_t)rest.rank * sizeof *rest.dims);
  if (!tfc_shape_fits(&rest, t->rank - 1, t->dims + 1))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "tensor shape %s is not compatible with element_shape %s",
                     tfc_shape_text(t).text, tfc_partial_shape_text(shape).text);
  if (lengths->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected lengths to be a vector, received shape: %s",
                     tfc_shape_text(lengths).text);
  if (tfc_is_object(t->dtype))
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "pieces of a tensor of type %s",
                     tfc_dtype_name(t->dtype));
  return TFC_OK;
}

static int split_rows(tfc_context* ctx, tfc_tensor_list* l, const tfc_tensor* t) {
  const tfc_tensor* lengths = ctx->inputs[2];
  int64_t at = 0;
  for (int64_t i = 0; i < l->size; i++) {
    const int64_t rows = tfc_index_at(lengths, i);
    if (rows < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid value in lengths: %lld",
                       (long long)rows);
    if (rows > t->dims[0] - at)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Attempting to slice [%lld, %lld] from tensor with length %lld",
                       (long long)at, (long long)((uint64_t)at + (uint64_t)rows),
                       (long long)t->dims[0]);
    const tfc_tensor part = tfc_rows_of(t, at, rows);
    tfc_hold(ctx->api, &l->elements[i], &part);
    at += rows;
  }
  if (at == t->dims[0]) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Unused values in tensor. Length of tensor: %lld Values used: %lld",
                   (long long)t->dims[0], (long long)at);
}

static int split(tfc_context* ctx) {
  tfc_partial_shape shape;
  tfc_tensor_list* l = NULL;
  tfc_tensor t;
  TFC_TRY(tfc_tensor_list_shape(ctx, 1, &shape));
  TFC_TRY(check_split(ctx, &shape));
  TFC_TRY(share(ctx, 0, &t));
  int code = tfc_tensor_list_new(ctx, t.dtype, &shape, ctx->inputs[2]->n, &l);
  if (!code) code = split_rows(ctx, l, &t);
  tfc_let_go(ctx->api, &t);
  return code;
}

/* The elements `at[0..n)` become the rows of a tensor, which may be the user's memory. */
static int scatter_rows(tfc_context* ctx, tfc_tensor_list* l, int input, const int64_t* at,
                        int64_t n) {
  tfc_tensor t;
  TFC_TRY(share(ctx, input, &t));
  for (int64_t i = 0; i < n; i++) set_row(ctx, l, at[i], &t, i);
  tfc_let_go(ctx->api, &t);
  return TFC_OK;
}

static int scatter_to(tfc_context* ctx, const tfc_partial_shape* shape, int64_t limit,
                      int64_t* at) {
  const int64_t n = ctx->inputs[1]->n;
  tfc_tensor_list* l = NULL;
  int64_t size = TFC_MAX(limit, 0);
  tfc_read_indices(ctx->inputs[1], at);
  for (int64_t i = 0; i < n; i++) {
    if (at[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Indices in TensorListScatter must all be non-negative.");
    if (limit >= 0 && at[i] >= limit)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "TensorListScatter: Trying to scatter at index %lld in list with size %lld",
                       (long long)at[i], (long long)limit);
    size = TFC_MAX(size, at[i] + 1);
  }
  TFC_TRY(tfc_tensor_list_new(ctx, ctx->inputs[0]->dtype, shape, size, &l));
  return scatter_rows(ctx, l, 0, at, n);
}

static int scatter(tfc_context* ctx) {
  const tfc_tensor *t = ctx->inputs[0], *indices = ctx->inputs[1];
  tfc_partial_shape shape;
  tfc_list at;
  int64_t limit = -1;
  TFC_TRY(tfc_tensor_list_shape(ctx, 2, &shape));
  if (ctx->n_inputs > 3) TFC_TRY(tfc_scalar_input(ctx, 3, "num_elements", &limit));
  if (limit < -1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorListScatter expects num_elements >= -1, found: %lld", (long long)limit);
  TFC_TRY(check_rows(ctx, &shape));
  if (indices->n != t->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid number of rows in input tensor. Expected: %lld Actual: %lld",
                     (long long)indices->n, (long long)t->dims[0]);
  TFC_TRY(tfc_list_make(ctx, &at, indices->n));
  const int code = scatter_to(ctx, &shape, limit, at.at);
  tfc_list_drop(&at);
  return code;
}

static int check_scatter_into(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  const tfc_tensor *t = ctx->inputs[1], *indices = ctx->inputs[2];
  TFC_TRY(tfc_tensor_list_get(ctx, 0, &l));
  if (t->dtype != l->dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid data types; input tensor type: %s list element_type: %s",
                     tfc_dtype_name(t->dtype), tfc_dtype_name(l->dtype));
  TFC_TRY(want_rows(ctx, t));
  if (indices->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected indices to be a vector, but received shape: %s",
                     tfc_shape_text(indices).text);
  if (indices->n != t->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected len(indices) == tensor.shape[0], but saw: %lld vs. %lld",
                     (long long)indices->n, (long long)t->dims[0]);
  return TFC_OK;
}

static int scatter_into_list(tfc_context* ctx, int64_t* at) {
  const int64_t n = ctx->inputs[2]->n;
  tfc_tensor_list* l = NULL;
  int64_t size = 0;
  tfc_read_indices(ctx->inputs[2], at);
  for (int64_t i = 0; i < n; i++) {
    if (at[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Indices in TensorListScatter must all be non-negative.");
    size = TFC_MAX(size, at[i] + 1);
  }
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  if (size > l->size) TFC_TRY(tfc_tensor_list_resize(ctx, l, size));
  return scatter_rows(ctx, l, 1, at, n);
}

static int scatter_into(tfc_context* ctx) {
  tfc_list at;
  TFC_TRY(check_scatter_into(ctx));
  TFC_TRY(tfc_list_make(ctx, &at, ctx->inputs[2]->n));
  const int code = scatter_into_list(ctx, at.at);
  tfc_list_drop(&at);
  return code;
}

/* ---- Elements become a tensor */

/* Copies element indices[k] (indices NULL: k) to place offsets[k] (NULL: k * row) of output 0;
 * those without a value are zero. */
typedef struct join_job {
  const tfc_tensor_list* list;
  const int64_t* indices;
  const int64_t* offsets;
  int64_t n, row;
  size_t size;
  tfc_tensor* to;
} join_job;

static const tfc_tensor* element_of(const join_job* job, int64_t k) {
  return &job->list->elements[job->indices ? job->indices[k] : k];
}

static int64_t place_of(const join_job* job, int64_t k) {
  return job->offsets ? job->offsets[k] : k * job->row;
}

static void copy_elements(void* arg, int64_t begin, int64_t end) {
  const join_job* job = arg;
  for (int64_t k = begin; k < end; k++) {
    const tfc_tensor* e = element_of(job, k);
    const int64_t place = place_of(job, k);
    const int64_t n = (job->offsets ? job->offsets[k + 1] : place + job->row) - place;
    char* to = (char*)job->to->data + (size_t)place * job->size;
    if (n && e->dtype)
      memcpy(to, e->data, (size_t)n * job->size);
    else if (n)
      memset(to, 0, (size_t)n * job->size);
  }
}

static int copy_strings(tfc_context* ctx, const join_job* job) {
  for (int64_t k = 0; k < job->n; k++) {
    const tfc_tensor* t = element_of(job, k);
    const tfc_string* s = t->data;
    for (int64_t i = 0; t->dtype && i < t->n; i++)
      TFC_TRY(tfc_string_set(ctx, job->to, place_of(job, k) + i, s[i].data, s[i].size));
  }
  return TFC_OK;
}

static int join_objects(tfc_context* ctx, const join_job* job, int rank, const int64_t* dims) {
  tfc_tensor* to = NULL;
  if (job->row != 1 || job->offsets)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "joining elements of type %s that are not scalars",
                     tfc_dtype_name(job->list->dtype));
  TFC_TRY(tfc_handles_new(ctx, 0, rank, dims, &to));
  for (int64_t k = 0; k < job->n; k++) {
    const tfc_tensor* e = element_of(job, k);
    if (!e->dtype)
      return tfc_error(ctx, TFC_UNIMPLEMENTED, "an element of type %s without a value has no zeros",
                       tfc_dtype_name(job->list->dtype));
    const tfc_tensor one = tfc_object_at(e, 0);
    TFC_TRY(tfc_keep(ctx, &to[k], &one));
  }
  return TFC_OK;
}

/* Output 0 becomes job->n elements. */
static int join(tfc_context* ctx, join_job* job, int rank, const int64_t* dims) {
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     rank, TFC_MAX_RANK);
  if (tfc_is_object(job->list->dtype)) return join_objects(ctx, job, rank, dims);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  job->to = &ctx->outputs[0];
  job->size = tfc_dtype_size(job->list->dtype);
  if (job->list->dtype == TFC_STRING) return copy_strings(ctx, job);
  const double bytes = (double)job->to->n * (double)job->size;
  if (job->to->n)
    tfc_parallel_for(ctx, job->n, 5 + 0.1 * bytes / (double)job->n, copy_elements, job);
  return TFC_OK;
}

/* Elements of one shape become the rows of output 0. */
static int join_rows(tfc_context* ctx, join_job* job, const tfc_partial_shape* shape) {
  int64_t dims[TFC_MAX_RANK + 1] = {job->n};
  memcpy(dims + 1, shape->dims, (size_t)shape->rank * sizeof *dims);
  job->row = tfc_count(shape->rank, shape->dims);
  return join(ctx, job, shape->rank + 1, dims);
}

/* Merges the shapes of the elements into `shape`. A list whose element shape is known needs no
 * look, except for elements that were scattered into it, which are not checked before. */
static int merge_elements(tfc_context* ctx, const join_job* job, tfc_partial_shape* shape) {
  for (int64_t k = 0; k < job->n; k++) {
    const tfc_tensor* e = element_of(job, k);
    if (e->dtype) TFC_TRY(tfc_merge_shape(ctx, shape, e->rank, e->dims));
  }
  return TFC_OK;
}

static int count_create(tfc_construction* c, void** state) {
  int64_t* n = tfc_new_state(c, sizeof *n);
  if (!n) return TFC_RESOURCE_EXHAUSTED;
  const int code = c->api->attr_int(c, "num_elements", n);
  if (code)
    free(n);
  else
    *state = n;
  return code;
}

static int stack(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  const int64_t wanted = *(const int64_t*)ctx->state;
  tfc_partial_shape shape;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, ctx->outputs[0].dtype, &l));
  if (wanted != -1 && wanted != l->size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Operation expected a list with %lld elements but got a list with %lld "
                     "elements.",
                     (long long)wanted, (long long)l->size);
  TFC_TRY(tfc_tensor_list_element_shape(ctx, l, 1, &shape));
  if (!l->size && !tfc_is_defined(&shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to stack elements of an empty list with non-fully-defined "
                     "element_shape: %s",
                     tfc_partial_shape_text(&shape).text);
  join_job job = {.list = l, .n = l->size};
  TFC_TRY(merge_elements(ctx, &job, &shape));
  if (!tfc_is_defined(&shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to stack list which only contains uninitialized tensors and has a "
                     "non-fully-defined element_shape: %s",
                     tfc_partial_shape_text(&shape).text);
  return join_rows(ctx, &job, &shape);
}

static int check_indices(tfc_context* ctx, const join_job* job) {
  for (int64_t k = 0; k < job->n; k++) {
    const int64_t i = job->indices[k];
    if (i < 0 || i >= job->list->size)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Index %lld out o range; list only has %lld elements.", (long long)i,
                       (long long)job->list->size);
  }
  return TFC_OK;
}

static int gather_at(tfc_context* ctx, const tfc_tensor_list* l, int64_t* indices) {
  join_job job = {.list = l, .indices = indices, .n = ctx->inputs[1]->n};
  tfc_partial_shape shape;
  tfc_read_indices(ctx->inputs[1], indices);
  TFC_TRY(tfc_tensor_list_element_shape(ctx, l, 2, &shape));
  if (!job.n && !tfc_is_defined(&shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to gather 0-elements from a list with non-fully-defined shape: %s",
                     tfc_partial_shape_text(&shape).text);
  TFC_TRY(check_indices(ctx, &job));
  TFC_TRY(merge_elements(ctx, &job, &shape));
  if (!tfc_is_defined(&shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to gather uninitialized tensors from a list with non-fully-defined "
                     "element_shape: %s",
                     tfc_partial_shape_text(&shape).text);
  return join_rows(ctx, &job, &shape);
}

static int gather(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  tfc_list indices;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, ctx->outputs[0].dtype, &l));
  TFC_TRY(tfc_list_make(ctx, &indices, ctx->inputs[1]->n));
  const int code = gather_at(ctx, l, indices.at);
  tfc_list_drop(&indices);
  return code;
}

/* ---- Concatenation */

/* What is known of the elements: their first dimension (-1: it is unknown, or they differ) and the
 * others. */
typedef struct pieces {
  int64_t rows;
  tfc_partial_shape rest;
} pieces;

static void split_first(const tfc_partial_shape* shape, pieces* p) {
  p->rows = shape->rank > 0 ? shape->dims[0] : -1;
  p->rest.rank = shape->rank < 0 ? -1 : shape->rank - 1;
  if (p->rest.rank > 0)
    memcpy(p->rest.dims, shape->dims + 1, (size_t)p->rest.rank * sizeof *shape->dims);
}

static int concat_create(tfc_construction* c, void** state) {
  tfc_partial_shape* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rank = 0, code = c->api->attr_shape(c, "element_shape", &rank, s->dims);
  s->rank = rank;
  if (code)
    free(s);
  else
    *state = s;
  return code;
}

static int concat_shape(tfc_context* ctx, const tfc_tensor_list* l, pieces* p) {
  tfc_partial_shape shape;
  if (ctx->n_inputs > 1)
    TFC_TRY(tfc_tensor_list_element_shape(ctx, l, 1, &shape));
  else
    shape = *(const tfc_partial_shape*)ctx->state;
  if (!shape.rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Concat requires elements to be at least vectors, found scalars instead.");
  split_first(&shape, p);
  if (ctx->n_inputs == 1) p->rows = -1; /* TensorListConcat goes by the elements */
  if (l->size || tfc_is_defined(&p->rest)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "All except the first dimension must be fully defined when concating an empty "
                   "tensor list. element_shape: %s",
                   tfc_partial_shape_text(&p->rest).text);
}

/* Merges the shapes of the elements into *p. */
static int merge_pieces(tfc_context* ctx, const tfc_tensor_list* l, pieces* p) {
  int64_t same = p->rows; /* the first dimension of all elements so far; -2: they differ */
  for (int64_t k = 0; k < l->size; k++) {
    const tfc_tensor* e = &l->elements[k];
    if (!e->dtype) continue;
    if (!e->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Concat saw a scalar shape at index %lld but requires at least vectors.",
                       (long long)k);
    TFC_TRY(tfc_merge_shape(ctx, &p->rest, e->rank - 1, e->dims + 1));
    if (p->rows >= 0 && p->rows != e->dims[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "First entry of element_shape input does not match the first dim of list "
                       "element at index: %lld Expected: %lld Actual: %lld",
                       (long long)k, (long long)p->rows, (long long)e->dims[0]);
    same = same == -1 || same == e->dims[0] ? e->dims[0] : -2;
  }
  p->rows = TFC_MAX(same, -1);
  if (tfc_is_defined(&p->rest)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Trying to concat list with only uninitialized tensors but "
                   "element_shape_except_first_dim is not fully defined: %s",
                   tfc_partial_shape_text(&p->rest).text);
}

/* The first dimension of element k, which has no value. */
static int rows_without_value(tfc_context* ctx, const pieces* p, int64_t k, int64_t* rows) {
  const int64_t given = ctx->n_inputs > 1 ? ctx->inputs[2]->n : 0;
  *rows = p->rows;
  if (k >= given && p->rows >= 0) return TFC_OK;
  if (ctx->n_inputs < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Concating lists with uninitialized tensors is not supported in this version "
                     "of TensorListConcat. Consider updating your GraphDef to run the newer "
                     "version.");
  if (k >= given)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "List contains uninitialized tensor at index %lld but leading_dims has only "
                     "%lld elements.",
                     (long long)k, (long long)given);
  *rows = tfc_index_at(ctx->inputs[2], k);
  if (*rows >= 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "leading_dims[%lld] must be >= 0, but is %lld",
                   (long long)k, (long long)*rows);
}

/* The number of rows of each element, and the place of the first one, in elements. */
static int find_places(tfc_context* ctx, const tfc_tensor_list* l, const pieces* p,
                       int64_t* lengths, int64_t* offsets, int64_t* rows) {
  const int64_t row = tfc_count(p->rest.rank, p->rest.dims);
  *rows = 0;
  offsets[0] = 0;
  for (int64_t k = 0; k < l->size; k++) {
    if (l->elements[k].dtype)
      lengths[k] = l->elements[k].dims[0];
    else
      TFC_TRY(rows_without_value(ctx, p, k, &lengths[k]));
    if (__builtin_add_overflow(*rows, lengths[k], rows) ||
        __builtin_mul_overflow(*rows, row, &offsets[k + 1]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the elements of a list have too many rows: %s",
                       tfc_dims_text(p->rest.rank, p->rest.dims).text);
  }
  return TFC_OK;
}

static int concat_at(tfc_context* ctx, const tfc_tensor_list* l, const pieces* p,
                     int64_t* offsets) {
  int64_t dims[TFC_MAX_RANK + 1];
  TFC_TRY(tfc_output(ctx, 1, 1, &l->size));
  TFC_TRY(find_places(ctx, l, p, ctx->outputs[1].data, offsets, dims));
  memcpy(dims + 1, p->rest.dims, (size_t)p->rest.rank * sizeof *dims);
  join_job job = {.list = l, .offsets = offsets, .n = l->size};
  return join(ctx, &job, p->rest.rank + 1, dims);
}

static int concat(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  pieces p;
  tfc_list offsets;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, ctx->outputs[0].dtype, &l));
  TFC_TRY(concat_shape(ctx, l, &p));
  TFC_TRY(merge_pieces(ctx, l, &p));
  TFC_TRY(tfc_list_make(ctx, &offsets, l->size + 1));
  const int code = concat_at(ctx, l, &p, offsets.at);
  tfc_list_drop(&offsets);
  return code;
}

/* ---- Lists of lists */

static int check_append(tfc_context* ctx, const tfc_tensor_list* l, const tfc_tensor* part,
                        int64_t i) {
  if (!tfc_shape_fits(&l->shape, part->rank, part->dims))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to append a tensor with incompatible shape to a list at index %lld. Op "
                     "element shape: %s list shape: %s",
                     (long long)i, tfc_shape_text(part).text,
                     tfc_partial_shape_text(&l->shape).text);
  if (l->dtype == part->dtype) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Invalid data type at index %lld; op elements %s but list elements %s",
                   (long long)i, tfc_dtype_name(part->dtype), tfc_dtype_name(l->dtype));
}

/* Element b of input `input`, a tensor of lists. */
static int list_at(tfc_context* ctx, int input, int64_t b, const tfc_tensor_list** out) {
  const tfc_tensor one = tfc_object_at(ctx->inputs[input], b);
  if (tfc_tensor_list_is(&one)) {
    *out = one.data;
    return TFC_OK;
  }
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input handle at index %lld is not a list.",
                   (long long)b);
}

/* Output 0 becomes the list: elements of `a`, then those of `b`, or `last`. */
static int joined_list(tfc_context* ctx, const tfc_tensor_list* a, const tfc_tensor_list* b,
                       const tfc_tensor* last) {
  const int64_t more = b ? b->size : 1;
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_tensor_list_new(ctx, a->dtype, &a->shape, a->size + more, &l));
  l->limit = a->limit;
  for (int64_t i = 0; i < l->size; i++) {
    const tfc_tensor* from = i < a->size ? &a->elements[i] : b ? &b->elements[i - a->size] : last;
    if (from->dtype) TFC_TRY(tfc_tensor_list_set(ctx, l, i, from));
  }
  return TFC_OK;
}

static int push_one(tfc_context* ctx, int64_t b, void* arg) {
  (void)arg;
  const tfc_tensor_list* l = NULL;
  const tfc_tensor part = tfc_row_of(ctx->inputs[1], b);
  TFC_TRY(list_at(ctx, 0, b, &l));
  TFC_TRY(check_append(ctx, l, &part, b));
  return joined_list(ctx, l, NULL, &part);
}

static int push_back_batch(tfc_context* ctx) {
  const tfc_tensor *lists = ctx->inputs[0], *t = ctx->inputs[1];
  if (!t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected tensor to be at least a vector, but saw shape: %s",
                     tfc_shape_text(t).text);
  TFC_TRY(want_rows(ctx, t));
  if (lists->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected input_handles to be a vector, but saw shape: %s",
                     tfc_shape_text(lists).text);
  if (t->dims[0] != lists->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected tensor.shape[0] == input_handles.size, but saw %lld vs. %lld",
                     (long long)t->dims[0], (long long)lists->n);
  return tfc_handles_make(ctx, lists->rank, lists->dims, push_one, NULL);
}

static int check_type(tfc_context* ctx, const char* name, int64_t b, int32_t dtype) {
  const int32_t wanted = *(const int32_t*)ctx->state;
  if (dtype == wanted) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s[%lld].dtype != element_dtype.  Saw: %s vs. %s",
                   name, (long long)b, tfc_dtype_name(dtype), tfc_dtype_name(wanted));
}

static int concat_one(tfc_context* ctx, int64_t i, void* arg) {
  (void)arg;
  const tfc_tensor_list *a = NULL, *b = NULL;
  TFC_TRY(list_at(ctx, 0, i, &a));
  TFC_TRY(list_at(ctx, 1, i, &b));
  TFC_TRY(check_type(ctx, "input_a", i, a->dtype));
  TFC_TRY(check_type(ctx, "input_b", i, b->dtype));
  if (a->shape.rank != b->shape.rank ||
      (a->shape.rank > 0 &&
       memcmp(a->shape.dims, b->shape.dims, (size_t)a->shape.rank * sizeof *a->shape.dims)))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input_a and input_b TensorList element shapes are not identical at index "
                     "%lld.  Saw %s vs. %s",
                     (long long)i, tfc_partial_shape_text(&a->shape).text,
                     tfc_partial_shape_text(&b->shape).text);
  return joined_list(ctx, a, b, NULL);
}

static int concat_lists(tfc_context* ctx) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  if (!tfc_same_shape(a, b))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Incompatible input TensorList tensor shapes: %s vs. %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  return a->rank ? tfc_handles_make(ctx, a->rank, a->dims, concat_one, NULL)
                 : concat_one(ctx, 0, NULL);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TensorListFromTensor", "", from_tensor),
    TFC_ROW("TensorListSplit", "", split),
    TFC_ROW("TensorListScatter", "", scatter),
    TFC_ROW("TensorListScatterV2", "", scatter),
    TFC_ROW("TensorListScatterIntoExistingList", "", scatter_into),
    TFC_ROW("TensorListStack", "", stack, TFC_STATE(count_create)),
    TFC_ROW("TensorListGather", "", gather),
    TFC_ROW("TensorListConcat", "", concat, TFC_STATE(concat_create)),
    TFC_ROW("TensorListConcatV2", "", concat),
    TFC_ROW("TensorListPushBackBatch", "", push_back_batch),
    TFC_ROW("TensorListConcatLists", "", concat_lists, TFC_STATE(tfc_tensor_list_type_create)),
};
TFC_REGISTER_KERNELS(kernels);
