/* Tensor lists: makes them; reads and writes single elements; adds lists. tensor_list_join.c has
 * the kernels for many elements. */
#include "kernels_c/state/tensor_list.h"

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

static int sum_lists(tfc_context* ctx);
static int zeros_like(tfc_context* ctx, const void* object);

static void destroy(void* object) {
  tfc_tensor_list* l = object;
  for (int64_t i = 0; i < l->size; i++) tfc_let_go(l->handle.api, &l->elements[i]);
  free(l->elements);
}

static void visit(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  const tfc_tensor_list* l = object;
  for (int64_t i = 0; i < l->size; i++) fn(arg, &l->elements[i]);
}

static const tfc_handle_kind list_kind = {"TensorList", {sizeof(tfc_tensor_list), destroy, visit}};
static const tfc_handle_arithmetic arithmetic = {zeros_like, sum_lists};

/* ---- Lists */

bool tfc_tensor_list_is(const tfc_tensor* t) {
  return ((const tfc_handle*)t->data)->kind == &list_kind;
}

int tfc_tensor_list_get(tfc_context* ctx, int input, const tfc_tensor_list** out) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input list must be a scalar saw: %s",
                     tfc_shape_text(t).text);
  const tfc_tensor one = tfc_object_at(t, 0);
  *out = one.data;
  if (tfc_tensor_list_is(&one)) return TFC_OK;
  const tfc_handle_kind* kind = ((const tfc_handle*)one.data)->kind;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input handle is not a list. Saw: '%s'",
                   kind ? kind->name : "an object without a kind");
}

int tfc_tensor_list_of_type(tfc_context* ctx, int input, int32_t dtype,
                            const tfc_tensor_list** out) {
  TFC_TRY(tfc_tensor_list_get(ctx, input, out));
  if ((*out)->dtype == dtype) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Invalid data types; op elements %s but list elements %s", tfc_dtype_name(dtype),
                   tfc_dtype_name((*out)->dtype));
}

int tfc_tensor_list_resize(tfc_context* ctx, tfc_tensor_list* l, int64_t size) {
  if (size > l->capacity) {
    const int64_t capacity = l->capacity ? TFC_MAX(size, 2 * l->capacity) : size;
    tfc_tensor* more = realloc(l->elements, (size_t)capacity * sizeof *more);
    if (!more)
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "OOM when making a TensorList of %lld elements",
                       (long long)size);
    l->elements = more;
    l->capacity = capacity;
  }
  for (int64_t i = l->size; i < size; i++) l->elements[i] = (tfc_tensor){0};
  for (int64_t i = size; i < l->size; i++) tfc_let_go(l->handle.api, &l->elements[i]);
  l->size = size;
  return TFC_OK;
}

int tfc_tensor_list_new(tfc_context* ctx, int32_t dtype, const tfc_partial_shape* shape,
                        int64_t size, tfc_tensor_list** out) {
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_handle_new(ctx, 0, &list_kind, (void**)&l));
  l->handle.arithmetic = &arithmetic;
  l->dtype = dtype;
  l->shape = *shape;
  l->limit = -1;
  *out = l;
  return tfc_tensor_list_resize(ctx, l, size);
}

int tfc_tensor_list_own(tfc_context* ctx, int input, tfc_tensor_list** out) {
  const tfc_tensor_list* old = NULL;
  TFC_TRY(tfc_tensor_list_get(ctx, input, &old));
  if (ctx->inputs[input]->data == old && tfc_handle_take(ctx, 0, input)) {
    *out = ctx->outputs[0].data;
    return TFC_OK;
  }
  TFC_TRY(tfc_tensor_list_new(ctx, old->dtype, &old->shape, old->size, out));
  (*out)->limit = old->limit;
  for (int64_t i = 0; i < old->size; i++)
    if (old->elements[i].dtype) tfc_hold(ctx->api, &(*out)->elements[i], &old->elements[i]);
  return TFC_OK;
}

int tfc_tensor_list_set(tfc_context* ctx, tfc_tensor_list* l, int64_t i, const tfc_tensor* value) {
  tfc_tensor kept;
  TFC_TRY(tfc_keep(ctx, &kept, value));
  tfc_let_go(ctx->api, &l->elements[i]);
  l->elements[i] = kept;
  return TFC_OK;
}

/* ---- Shapes */

int tfc_tensor_list_shape(tfc_context* ctx, int input, tfc_partial_shape* shape) {
  const tfc_tensor* t = ctx->inputs[input];
  shape->rank = -1;
  if (!t->rank) {
    if (tfc_index_at(t, 0) == -1) return TFC_OK;
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The only valid scalar shape tensor is the fully unknown shape specified as "
                     "-1.");
  }
  if (t->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape must be at most rank 1 but is rank %d",
                     t->rank);
  if (t->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %lld are not supported (at most %d)",
                     (long long)t->n, TFC_MAX_RANK);
  shape->rank = (int32_t)t->n;
  tfc_read_indices(t, shape->dims);
  for (int i = 0; i < shape->rank; i++)
    if (shape->dims[i] < -1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= -1",
                       (long long)shape->dims[i]);
  if (tfc_is_defined(shape) && tfc_count(shape->rank, shape->dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape %s would have more than 2**63 - 1 elements",
                     tfc_dims_text(shape->rank, shape->dims).text);
  return TFC_OK;
}

int tfc_merge_shape(tfc_context* ctx, tfc_partial_shape* shape, int rank, const int64_t* dims) {
  if (rank < 0) return TFC_OK;
  if (shape->rank >= 0 && shape->rank != rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "PartialTensorShape: Incompatible ranks during merge: %d vs. %d", shape->rank,
                     rank);
  for (int i = 0; i < rank; i++)
    if (shape->rank >= 0 && shape->dims[i] >= 0 && dims[i] >= 0 && shape->dims[i] != dims[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "PartialTensorShape: Incompatible shapes during merge: %s vs. %s",
                       tfc_partial_shape_text(shape).text, tfc_partial_dims_text(rank, dims).text);
  for (int i = 0; i < rank; i++)
    if (shape->rank < 0 || shape->dims[i] < 0) shape->dims[i] = dims[i];
  shape->rank = rank;
  return TFC_OK;
}

int tfc_tensor_list_element_shape(tfc_context* ctx, const tfc_tensor_list* l, int input,
                                  tfc_partial_shape* shape) {
  TFC_TRY(tfc_tensor_list_shape(ctx, input, shape));
  return tfc_merge_shape(ctx, shape, l->shape.rank, l->shape.dims);
}

tfc_tensor tfc_rows_of(const tfc_tensor* t, int64_t i, int64_t rows) {
  const int64_t row = t->dims[0] ? t->n / t->dims[0] : 0;
  tfc_tensor part = *t;
  part.n = rows * row;
  part.dims[0] = rows;
  if (t->n) part.data = (char*)t->data + (size_t)(i * row) * tfc_dtype_size(t->dtype);
  return part;
}

tfc_tensor tfc_row_of(const tfc_tensor* t, int64_t i) {
  if (tfc_is_object(t->dtype)) return tfc_object_at(t, i);
  tfc_tensor part = tfc_rows_of(t, i, 1);
  part.rank--;
  memmove(part.dims, part.dims + 1, (size_t)part.rank * sizeof *part.dims);
  return part;
}

int tfc_scalar_input(tfc_context* ctx, int input, const char* name, int64_t* value) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar, but has shape %s", name,
                     tfc_shape_text(t).text);
  *value = tfc_index_at(t, 0);
  return TFC_OK;
}

/* ---- Kernels that make lists and look at them */

int tfc_tensor_list_type_create(tfc_construction* c, void** state) {
  int32_t* dtype = tfc_new_state(c, sizeof *dtype);
  if (!dtype) return TFC_RESOURCE_EXHAUSTED;
  const int code = c->api->attr_type(c, "element_dtype", dtype);
  if (code)
    free(dtype);
  else
    *state = dtype;
  return code;
}

static int32_t type_of(const tfc_context* ctx) {
  return *(const int32_t*)ctx->state;
}

static int empty(tfc_context* ctx) {
  tfc_partial_shape shape;
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_want_scalar(ctx, 1, "max_num_elements expected to be a scalar but got shape:"));
  TFC_TRY(tfc_tensor_list_shape(ctx, 0, &shape));
  TFC_TRY(tfc_tensor_list_new(ctx, type_of(ctx), &shape, 0, &l));
  l->limit = tfc_index_at(ctx->inputs[1], 0);
  return TFC_OK;
}

static int reserve(tfc_context* ctx) {
  tfc_partial_shape shape;
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_tensor_list_shape(ctx, 0, &shape));
  TFC_TRY(tfc_want_number(ctx, 1, "The num_elements to reserve must be a tensor size 1, but got"));
  const int64_t n = tfc_index_at(ctx->inputs[1], 0);
  if (n < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The num_elements to reserve must be a non negative number, but got %lld",
                     (long long)n);
  return tfc_tensor_list_new(ctx, type_of(ctx), &shape, n, &l);
}

static int length(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_tensor_list_get(ctx, 0, &l));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  *(int32_t*)ctx->outputs[0].data = (int32_t)l->size;
  return TFC_OK;
}

static int element_shape(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_tensor_list_get(ctx, 0, &l));
  tfc_tensor* out = &ctx->outputs[0];
  const int64_t unknown = -1, rank = l->shape.rank;
  const int64_t* dims = rank < 0 ? &unknown : l->shape.dims;
  TFC_TRY(tfc_output(ctx, 0, rank >= 0, &rank));
  for (int64_t i = 0; i < out->n; i++) {
    if (out->dtype == TFC_INT32)
      ((int32_t*)out->data)[i] = (int32_t)dims[i];
    else
      ((int64_t*)out->data)[i] = dims[i];
  }
  return TFC_OK;
}

static int resize(tfc_context* ctx) {
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_want_scalar(ctx, 1, "size must be a scalar, got shape"));
  const int64_t size = tfc_index_at(ctx->inputs[1], 0);
  if (size < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorListSlice expects size to be non-negative. Got: %lld", (long long)size);
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  return tfc_tensor_list_resize(ctx, l, size);
}

/* ---- Single elements */

/* Output i is an element without a value: zeros of that shape. */
static int give_zeros(tfc_context* ctx, int i, const tfc_partial_shape* shape) {
  tfc_tensor* out = &ctx->outputs[i];
  if (tfc_is_object(out->dtype))
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "an element of type %s without a value has no zeros",
                     tfc_dtype_name(out->dtype));
  TFC_TRY(tfc_output(ctx, i, shape->rank, shape->dims));
  if (out->n && out->dtype != TFC_STRING)
    memset(out->data, 0, (size_t)out->n * tfc_dtype_size(out->dtype));
  return TFC_OK;
}

static int get_item(tfc_context* ctx) {
  const tfc_tensor_list* l = NULL;
  int64_t i;
  tfc_partial_shape shape;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, ctx->outputs[0].dtype, &l));
  TFC_TRY(tfc_scalar_input(ctx, 1, "index", &i));
  if (i < 0 || i >= l->size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to access element %lld in a list with %lld elements.", (long long)i,
                     (long long)l->size);
  if (l->elements[i].dtype) return tfc_output_tensor(ctx, 0, &l->elements[i]);
  TFC_TRY(tfc_tensor_list_element_shape(ctx, l, 2, &shape));
  for (int64_t k = 0; k < l->size && !tfc_is_defined(&shape); k++)
    if (l->elements[k].dtype)
      TFC_TRY(tfc_merge_shape(ctx, &shape, l->elements[k].rank, l->elements[k].dims));
  if (!tfc_is_defined(&shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to read an uninitialized tensor but element_shape is not fully "
                     "defined: %s and no list element is set.",
                     tfc_partial_shape_text(&shape).text);
  return give_zeros(ctx, 0, &shape);
}

static int set_item(tfc_context* ctx) {
  const tfc_tensor_list* old = NULL;
  tfc_tensor_list* l = NULL;
  const tfc_tensor* item = ctx->inputs[2];
  int64_t i;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, item->dtype, &old));
  TFC_TRY(tfc_scalar_input(ctx, 1, "index", &i));
  if (i < 0 || (i >= old->size && !*(const bool*)ctx->state))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to modify element %lld in a list with %lld elements.", (long long)i,
                     (long long)old->size);
  if (!tfc_shape_fits(&old->shape, item->rank, item->dims))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to set a tensor with incompatible shape at a list index. Item element "
                     "shape: %s list shape: %s",
                     tfc_shape_text(item).text, tfc_partial_shape_text(&old->shape).text);
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  if (i >= l->size) TFC_TRY(tfc_tensor_list_resize(ctx, l, i + 1));
  return tfc_tensor_list_set(ctx, l, i, item);
}

static int set_item_create(tfc_construction* c, void** state) {
  bool* resizes = tfc_new_state(c, sizeof *resizes);
  if (!resizes) return TFC_RESOURCE_EXHAUSTED;
  const int code = c->api->attr_bool(c, "resize_if_index_out_of_bounds", resizes);
  if (code)
    free(resizes);
  else
    *state = resizes;
  return code;
}

static int push_back(tfc_context* ctx) {
  const tfc_tensor_list* old = NULL;
  tfc_tensor_list* l = NULL;
  const tfc_tensor* value = ctx->inputs[1];
  TFC_TRY(tfc_tensor_list_get(ctx, 0, &old));
  if (!tfc_shape_fits(&old->shape, value->rank, value->dims))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to append a tensor with incompatible shape to a list. Op element "
                     "shape: %s list shape: %s",
                     tfc_shape_text(value).text, tfc_partial_shape_text(&old->shape).text);
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, value->dtype, &old));
  if (old->limit >= 0 && old->size >= old->limit)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to push item into a full list list size: %lld max_num_elements: %lld",
                     (long long)old->size, (long long)old->limit);
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  TFC_TRY(tfc_tensor_list_resize(ctx, l, l->size + 1));
  return tfc_tensor_list_set(ctx, l, l->size - 1, value);
}

static int pop_back(tfc_context* ctx) {
  const tfc_tensor_list* old = NULL;
  tfc_tensor_list* l = NULL;
  tfc_partial_shape shape;
  TFC_TRY(tfc_tensor_list_of_type(ctx, 0, ctx->outputs[1].dtype, &old));
  if (!old->size) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Trying to pop from an empty list.");
  const tfc_tensor* last = &old->elements[old->size - 1];
  if (last->dtype) {
    TFC_TRY(tfc_output_tensor(ctx, 1, last));
  } else {
    TFC_TRY(tfc_tensor_list_element_shape(ctx, old, 1, &shape));
    if (!tfc_is_defined(&shape))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Trying to read an uninitialized tensor but element_shape is not fully "
                       "defined.%s",
                       tfc_partial_shape_text(&shape).text);
    TFC_TRY(give_zeros(ctx, 1, &shape));
  }
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  return tfc_tensor_list_resize(ctx, l, l->size - 1);
}

/* ---- Arithmetic on lists */

static int zeros_of(tfc_context* ctx, const tfc_tensor* x, tfc_tensor* zeros) {
  if (tfc_is_object(x->dtype))
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "zeros like a list of elements of type %s",
                     tfc_dtype_name(x->dtype));
  tfc_tensor made = {.dtype = x->dtype};
  TFC_TRY(tfc_make(ctx, &made, x->rank, x->dims));
  if (made.n && made.dtype != TFC_STRING)
    memset(made.data, 0, (size_t)made.n * tfc_dtype_size(made.dtype));
  *zeros = made;
  return TFC_OK;
}

static int zeros_like(tfc_context* ctx, const void* object) {
  const tfc_tensor_list* x = object;
  tfc_tensor_list* l = NULL;
  TFC_TRY(tfc_tensor_list_new(ctx, x->dtype, &x->shape, x->size, &l));
  l->limit = x->limit;
  for (int64_t i = 0; i < x->size; i++)
    if (x->elements[i].dtype) TFC_TRY(zeros_of(ctx, &x->elements[i], &l->elements[i]));
  return TFC_OK;
}

static int check_sum(tfc_context* ctx, const tfc_tensor_list* a, const tfc_tensor_list* b) {
  if (a->dtype != b->dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to add two lists of tensors of different dtypes. One is %s and the "
                     "other is %s",
                     tfc_dtype_name(a->dtype), tfc_dtype_name(b->dtype));
  if (!tfc_shapes_agree(&a->shape, &b->shape))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to add two lists of tensors with incompatible element shapes. One is "
                     "%s and the other is %s",
                     tfc_partial_shape_text(&a->shape).text,
                     tfc_partial_shape_text(&b->shape).text);
  if (a->size != b->size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to add two lists of tensors with different lengths. One is %lld and "
                     "the other is %lld",
                     (long long)a->size, (long long)b->size);
  return TFC_OK;
}

/* *a += b. An element without a value is zero. */
static int add_element(tfc_context* ctx, tfc_tensor* a, const tfc_tensor* b) {
  if (!b->dtype) return TFC_OK;
  if (!a->dtype) {
    tfc_hold(ctx->api, a, b);
    return TFC_OK;
  }
  if (!tfc_same_shape(a, b))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Trying to add two tensors with incompatible element shapes. One is %s and "
                     "the other is %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  if (!tfc_array_sums(ctx, a->dtype))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Trying to add unsupported dtype %d", a->dtype);
  tfc_tensor sum = {.dtype = a->dtype};
  TFC_TRY(tfc_make(ctx, &sum, a->rank, a->dims));
  const int code = tfc_array_sum(ctx, &sum, a, b);
  tfc_let_go(ctx->api, a);
  *a = sum;
  return code;
}

static int sum_lists(tfc_context* ctx) {
  tfc_tensor_list* l = NULL;
  const tfc_tensor_list* more = NULL;
  TFC_TRY(tfc_tensor_list_own(ctx, 0, &l));
  for (int k = 1; k < ctx->n_inputs; k++) {
    TFC_TRY(tfc_tensor_list_get(ctx, k, &more));
    TFC_TRY(check_sum(ctx, l, more));
    TFC_TRY(tfc_merge_shape(ctx, &l->shape, more->shape.rank, more->shape.dims));
    for (int64_t i = 0; i < l->size; i++)
      TFC_TRY(add_element(ctx, &l->elements[i], &more->elements[i]));
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("EmptyTensorList", "", empty, TFC_STATE(tfc_tensor_list_type_create)),
    TFC_ROW("TensorListReserve", "", reserve, TFC_STATE(tfc_tensor_list_type_create)),
    TFC_ROW("TensorListLength", "", length),
    TFC_ROW("TensorListElementShape", "", element_shape),
    TFC_ROW("TensorListResize", "", resize),
    TFC_ROW("TensorListGetItem", "", get_item),
    TFC_ROW("TensorListSetItem", "", set_item, TFC_STATE(set_item_create)),
    TFC_ROW("TensorListPushBack", "", push_back),
    TFC_ROW("TensorListPopBack", "", pop_back),
};
TFC_REGISTER_KERNELS(kernels);
