/* Tensor arrays: makes them and their gradient arrays; reads and writes single elements.
 * tensor_array_join.c has the kernels for many elements. */
#include "kernels_c/state/tensor_array.h"

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static void forget_elements(tfc_tensor_array* a) {
  for (int64_t i = 0; i < a->used; i++) tfc_let_go(a->handle.api, &a->elements[i].value);
  free(a->elements);
  a->elements = NULL;
  a->size = a->capacity = a->used = 0;
}

static void destroy_array(void* object) {
  tfc_tensor_array* a = object;
  forget_elements(a);
  while (a->gradients) {
    tfc_array_gradient* g = a->gradients;
    a->gradients = g->next;
    tfc_let_go(a->handle.api, &g->handle);
    free(g);
  }
  pthread_mutex_destroy(&a->mutex);
}

static void visit_array(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  tfc_tensor_array* a = object;
  for (int64_t i = 0; i < a->used; i++) fn(arg, &a->elements[i].value);
  for (tfc_array_gradient* g = a->gradients; g; g = g->next) fn(arg, &g->handle);
}

const tfc_handle_kind tfc_tensor_array_kind = {
    "TensorArray", {sizeof(tfc_tensor_array), destroy_array, visit_array}};

/* ---- Texts and shapes */

tfc_label tfc_array_label(const tfc_tensor_array* a) {
  tfc_label l;
  int n = snprintf(l.text, sizeof l.text, "%s_%lld", a->name, (long long)a->serial);
  for (int i = 0; i < a->n_sources && n < (int)sizeof l.text; i++)
    n += snprintf(l.text + n, sizeof l.text - (size_t)n, "@%s", a->sources[i]);
  return l;
}

tfc_label tfc_partial_shape_text(const tfc_partial_shape* s) {
  tfc_label l;
  if (s->rank < 0) {
    snprintf(l.text, sizeof l.text, "<unknown>");
    return l;
  }
  int n = snprintf(l.text, sizeof l.text, "[");
  for (int i = 0; i < s->rank; i++) {
    char size[24] = "?";
    if (s->dims[i] >= 0) snprintf(size, sizeof size, "%lld", (long long)s->dims[i]);
    n += snprintf(l.text + n, sizeof l.text - (size_t)n, i ? ",%s" : "%s", size);
  }
  snprintf(l.text + n, sizeof l.text - (size_t)n, "]");
  return l;
}

bool tfc_is_defined(const tfc_partial_shape* s) {
  for (int i = 0; i < s->rank; i++)
    if (s->dims[i] < 0) return false;
  return s->rank >= 0;
}

bool tfc_shape_fits(const tfc_partial_shape* s, int rank, const int64_t* dims) {
  if (s->rank < 0) return true;
  if (s->rank != rank) return false;
  for (int i = 0; i < rank; i++)
    if (s->dims[i] != dims[i] && s->dims[i] >= 0) return false;
  return true;
}

/* ---- Elements */

static int lock_open(tfc_context* ctx, tfc_tensor_array** out) {
  tfc_tensor_array* a = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &tfc_tensor_array_kind, (void**)&a));
  pthread_mutex_lock(&a->mutex);
  *out = a;
  if (!a->closed) return TFC_OK;
  int code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "TensorArray %s has already been closed.",
                       tfc_array_label(a).text);
  tfc_array_leave(a);
  return code;
}

int tfc_array_enter(tfc_context* ctx, int32_t dtype, bool writes, tfc_tensor_array** out) {
  TFC_TRY(lock_open(ctx, out));
  if ((*out)->dtype == dtype) return TFC_OK;
  int code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "TensorArray dtype is %s but Op %s dtype %s.",
                       tfc_dtype_name((*out)->dtype), writes ? "is trying to write" : "requested",
                       tfc_dtype_name(dtype));
  tfc_array_leave(*out);
  return code;
}

void tfc_array_leave(tfc_tensor_array* a) {
  pthread_mutex_unlock(&a->mutex);
}

static int no_memory(tfc_context* ctx, int64_t size) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "OOM when making a TensorArray of %lld elements",
                   (long long)size);
}

int tfc_array_resize(tfc_context* ctx, tfc_tensor_array* a, int64_t size) {
  if (size > a->capacity) {
    int64_t capacity = a->capacity ? TFC_MAX(size, 2 * a->capacity) : size;
    tfc_element* more = calloc((size_t)capacity, sizeof *more);
    if (!more) return no_memory(ctx, size);
    if (a->used) memcpy(more, a->elements, (size_t)a->used * sizeof *more);
    free(a->elements);
    a->elements = more;
    a->capacity = capacity;
  }
  a->size = size;
  return TFC_OK;
}

static int cannot_write(tfc_context* ctx, const tfc_tensor_array* a, int64_t index,
                        const char* why) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "TensorArray %s: Could not write to TensorArray index %lld because %s",
                   tfc_array_label(a).text, (long long)index, why);
}

static int wrong_shape(tfc_context* ctx, const tfc_tensor_array* a, int64_t index,
                       const tfc_tensor* value) {
  char why[1024];
  snprintf(why, sizeof why,
           "the value shape is %s which is incompatible with the TensorArray's inferred element "
           "shape: %s (consider setting infer_shape=False).",
           tfc_shape_text(value).text, tfc_partial_shape_text(&a->shape).text);
  return cannot_write(ctx, a, index, why);
}

static int add_to(tfc_context* ctx, tfc_element* e, const tfc_tensor* value) {
  if (!tfc_array_sums(ctx, value->dtype))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "tensor_array::AddToTensor type not supported: %s",
                     tfc_dtype_name(value->dtype));
  tfc_tensor sum = e->value;
  if (!e->own) TFC_TRY(tfc_make(ctx, &sum, value->rank, value->dims));
  const int code = tfc_array_sum(ctx, &sum, &e->value, value);
  if (!e->own) tfc_let_go(ctx->api, &e->value);
  e->value = sum;
  e->own = true;
  return code;
}

static int aggregate(tfc_context* ctx, tfc_tensor_array* a, int64_t index,
                     const tfc_tensor* value) {
  tfc_element* e = &a->elements[index];
  if (!tfc_same_shape(&e->value, value))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorArray %s: Could not aggregate to TensorArray index %lld because the "
                     "existing shape is %s but the new input shape is %s.",
                     tfc_array_label(a).text, (long long)index, tfc_shape_text(&e->value).text,
                     tfc_shape_text(value).text);
  if (!e->zeros) return value->n ? add_to(ctx, e, value) : TFC_OK;
  e->zeros = false;
  tfc_hold(ctx->api, &e->value, value);
  return TFC_OK;
}

int tfc_array_write(tfc_context* ctx, tfc_tensor_array* a, int64_t index, const tfc_tensor* value) {
  if (index < 0 || (index >= a->size && !a->dynamic))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorArray %s: Tried to write to index %lld but array is not resizeable and "
                     "size is: %lld",
                     tfc_array_label(a).text, (long long)index, (long long)a->size);
  if (index >= a->size) TFC_TRY(tfc_array_resize(ctx, a, index + 1));
  tfc_element* e = &a->elements[index];
  if (!tfc_shape_fits(&a->shape, value->rank, value->dims))
    return wrong_shape(ctx, a, index, value);
  if (a->identical && !a->defined) {
    a->shape.rank = value->rank;
    memcpy(a->shape.dims, value->dims, sizeof a->shape.dims);
    a->defined = true;
  }
  if (e->read) return cannot_write(ctx, a, index, "it has already been read.");
  if (e->written && a->sums) return aggregate(ctx, a, index, value);
  if (e->written) return cannot_write(ctx, a, index, "it has already been written to.");
  tfc_hold(ctx->api, &e->value, value);
  e->written = true;
  a->used = TFC_MAX(a->used, index + 1);
  return TFC_OK;
}

/* An unwritten element is zero if its shape is known. */
static int unwritten(tfc_context* ctx, tfc_tensor_array* a, int64_t index) {
  if (!a->defined)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "TensorArray %s: Could not read from TensorArray index %lld.  Furthermore, the element "
        "shape is not fully defined: %s.  It is possible you are working with a resizeable "
        "TensorArray and stop_gradients is not allowing the gradients to be written.  If you set "
        "the full element_shape property on the forward TensorArray, the proper all-zeros tensor "
        "will be returned instead of incurring this error.",
        tfc_array_label(a).text, (long long)index, tfc_partial_shape_text(&a->shape).text);
  tfc_element* e = &a->elements[index];
  e->value = (tfc_tensor){
      .dtype = a->dtype, .n = tfc_count(a->shape.rank, a->shape.dims), .rank = a->shape.rank};
  memcpy(e->value.dims, a->shape.dims, sizeof e->value.dims);
  e->written = e->zeros = true;
  a->used = TFC_MAX(a->used, index + 1);
  return TFC_OK;
}

int tfc_array_read(tfc_context* ctx, tfc_tensor_array* a, int64_t index, tfc_element** out) {
  if (index < 0 || index >= a->size)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tried to read from index %lld but array size is: %lld", (long long)index,
                     (long long)a->size);
  tfc_element* e = *out = &a->elements[index];
  if (e->cleared)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "TensorArray %s: Could not read index %lld twice because it was cleared after "
                     "a previous read (perhaps try setting clear_after_read = false?).",
                     tfc_array_label(a).text, (long long)index);
  if (!e->written) TFC_TRY(unwritten(ctx, a, index));
  if (e->zeros && a->dtype == TFC_STRING && e->value.n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "tensor_array::TensorSetZero type not supported: string");
  e->read = true;
  e->cleared = a->clears;
  return TFC_OK;
}

void tfc_array_forget(tfc_tensor_array* a, tfc_element* e) {
  if (a->clears) tfc_let_go(a->handle.api, &e->value);
}

/* ---- Arrays */

typedef struct array_state {
  tfc_partial_shape shape;
  int32_t dtype;
  bool dynamic, clears, identical;
  char name[];
} array_state;

static int64_t made; /* atomic; makes names of arrays differ in messages */

static int read_attributes(tfc_construction* c, array_state* s) {
  int rank;
  TFC_TRY(c->api->attr_type(c, "dtype", &s->dtype));
  if (!tfc_dtype_size(s->dtype))
    return c->api->error(c, TFC_UNIMPLEMENTED, "A TensorArray can't hold tensors of type %s",
                         tfc_dtype_name(s->dtype));
  TFC_TRY(c->api->attr_shape(c, "element_shape", &rank, s->shape.dims));
  s->shape.rank = rank;
  TFC_TRY(c->api->attr_bool(c, "dynamic_size", &s->dynamic));
  TFC_TRY(c->api->attr_bool(c, "clear_after_read", &s->clears));
  return c->api->attr_bool(c, "identical_element_shapes", &s->identical);
}

static int array_create(tfc_construction* c, void** state) {
  const char* name;
  size_t length;
  TFC_TRY(c->api->attr_string(c, "tensor_array_name", &name, &length));
  if (!length) {
    name = c->op_name;
    length = strlen(name);
  }
  array_state* s = tfc_new_state(c, sizeof *s + length + 1);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  memcpy(s->name, name, length);
  int code = read_attributes(c, s);
  if (code)
    free(s);
  else
    *state = s;
  return code;
}

static int make_array(tfc_context* ctx) {
  const array_state* s = ctx->state;
  const tfc_tensor* size = ctx->inputs[0];
  TFC_TRY(tfc_want_scalar(ctx, 0, "TensorArray size must be scalar, but had shape:"));
  const int64_t n = tfc_int_scalar(size);
  if (n < 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Size should be >= 0.");
  tfc_tensor_array* a;
  TFC_TRY(tfc_handle_new(ctx, 0, &tfc_tensor_array_kind, (void**)&a));
  pthread_mutex_init(&a->mutex, NULL);
  a->dtype = s->dtype;
  a->shape = s->shape;
  a->defined = tfc_is_defined(&s->shape);
  a->dynamic = s->dynamic;
  a->clears = s->clears;
  a->identical = s->identical;
  a->name = s->name;
  a->serial = __atomic_fetch_add(&made, 1, __ATOMIC_RELAXED);
  TFC_TRY(tfc_array_resize(ctx, a, n));
  TFC_TRY(tfc_output_scalar(ctx, 1));
  return tfc_array_zero(ctx, ctx->outputs[1].data, sizeof(float));
}

/* ---- Gradient arrays */

static int gradient_create(tfc_construction* c, void** state) {
  const char* source;
  size_t length;
  TFC_TRY(c->api->attr_string(c, "source", &source, &length));
  char* copy = tfc_new_state(c, length + 1);
  if (!copy) return TFC_RESOURCE_EXHAUSTED;
  memcpy(copy, source, length);
  *state = copy;
  return TFC_OK;
}

/* Puts the dimensions `prefix` before those of the array's elements. */
static int prepend(tfc_context* ctx, int n, const int64_t* prefix, int32_t* rank, int64_t* dims) {
  if (*rank < 0 || !n) return TFC_OK;
  if (*rank + n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     *rank + n, TFC_MAX_RANK);
  memmove(dims + n, dims, (size_t)*rank * sizeof *dims);
  memcpy(dims, prefix, (size_t)n * sizeof *dims);
  *rank += n;
  return TFC_OK;
}

/* Written elements have a gradient: zero until one is written. */
static int copy_shapes(tfc_context* ctx, const tfc_tensor_array* from, tfc_tensor_array* to, int n,
                       const int64_t* prefix) {
  TFC_TRY(tfc_array_resize(ctx, to, from->size));
  to->used = from->used;
  for (int64_t i = 0; i < from->used; i++) {
    if (!from->elements[i].written) continue;
    tfc_element* e = &to->elements[i];
    e->value = from->elements[i].value;
    e->value.buffer = NULL;
    e->value.data = NULL;
    e->written = e->zeros = true;
    TFC_TRY(prepend(ctx, n, prefix, &e->value.rank, e->value.dims));
    if (n) e->value.n = tfc_count(e->value.rank, e->value.dims);
  }
  return TFC_OK;
}

static int new_gradient(tfc_context* ctx, tfc_tensor_array* of, int n, const int64_t* prefix) {
  if (of->n_sources == TFC_ARRAY_DEPTH)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "TensorArray %s: gradients of more than order %d are not supported",
                     tfc_array_label(of).text, TFC_ARRAY_DEPTH);
  tfc_tensor_array* a;
  TFC_TRY(tfc_handle_new(ctx, 0, &tfc_tensor_array_kind, (void**)&a));
  pthread_mutex_init(&a->mutex, NULL);
  a->dtype = of->dtype;
  a->shape = of->shape;
  a->identical = of->identical;
  a->sums = true;
  a->clears = !of->sums; /* terms of one sum have the same gradient, and each reads it */
  a->name = of->name;
  a->serial = of->serial;
  memcpy(a->sources, of->sources, sizeof a->sources);
  a->n_sources = of->n_sources;
  a->sources[a->n_sources++] = ctx->state;
  TFC_TRY(prepend(ctx, n, prefix, &a->shape.rank, a->shape.dims));
  a->defined = tfc_is_defined(&a->shape);
  TFC_TRY(copy_shapes(ctx, of, a, n, prefix));
  tfc_array_gradient* g = malloc(sizeof *g);
  if (!g) return no_memory(ctx, a->size);
  g->source = ctx->state;
  g->next = of->gradients;
  tfc_hold(ctx->api, &g->handle, &ctx->outputs[0]);
  of->gradients = g;
  return TFC_OK;
}

static int find_gradient(tfc_context* ctx, int n, const int64_t* prefix) {
  tfc_tensor_array* a;
  TFC_TRY(lock_open(ctx, &a));
  a->dynamic = false; /* the gradient's size is fixed now */
  tfc_array_gradient* g = a->gradients;
  while (g && strcmp(g->source, ctx->state)) g = g->next;
  int code = g ? tfc_output_tensor(ctx, 0, &g->handle) : new_gradient(ctx, a, n, prefix);
  tfc_array_leave(a);
  return code ? code : tfc_output_input(ctx, 1, 1);
}

static int gradient(tfc_context* ctx) {
  return find_gradient(ctx, 0, NULL);
}

static int gradient_with_shape(tfc_context* ctx) {
  int64_t prefix[TFC_MAX_RANK];
  int n = 0;
  TFC_TRY(tfc_read_vector(ctx, 2, TFC_MAX_RANK, prefix, &n));
  TFC_TRY(tfc_check_shape(ctx, n, prefix));
  return find_gradient(ctx, n, prefix);
}

/* ---- One element */

static int write_one(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(tfc_want_scalar(ctx, 1, "TensorArray index must be scalar, but had shape:"));
  TFC_TRY(tfc_array_enter(ctx, ctx->inputs[2]->dtype, true, &a));
  int code = tfc_array_write(ctx, a, tfc_int_scalar(ctx->inputs[1]), ctx->inputs[2]);
  tfc_array_leave(a);
  return code ? code : tfc_output_input(ctx, 0, 3);
}

static int give_element(tfc_context* ctx, const tfc_element* e) {
  const tfc_tensor* t = &e->value;
  if (!e->zeros) return tfc_output_tensor(ctx, 0, t);
  TFC_TRY(tfc_output(ctx, 0, t->rank, t->dims));
  return tfc_array_zero(ctx, ctx->outputs[0].data, (size_t)t->n * tfc_dtype_size(t->dtype));
}

static int read_one(tfc_context* ctx) {
  tfc_tensor_array* a;
  tfc_element* e;
  TFC_TRY(tfc_want_scalar(ctx, 1, "TensorArray index must be scalar, but had shape:"));
  TFC_TRY(tfc_array_enter(ctx, ctx->outputs[0].dtype, false, &a));
  int code = tfc_array_read(ctx, a, tfc_int_scalar(ctx->inputs[1]), &e);
  if (!code) code = give_element(ctx, e);
  if (!code) tfc_array_forget(a, e);
  tfc_array_leave(a);
  return code;
}

/* ---- The array as a whole */

static int size_of(tfc_context* ctx) {
  tfc_tensor_array* a;
  TFC_TRY(lock_open(ctx, &a));
  const int64_t size = a->size;
  tfc_array_leave(a);
  TFC_TRY(tfc_output_scalar(ctx, 0));
  *(int32_t*)ctx->outputs[0].data = (int32_t)size;
  return TFC_OK;
}

static int close_array(tfc_context* ctx) {
  tfc_tensor_array* a = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &tfc_tensor_array_kind, (void**)&a));
  pthread_mutex_lock(&a->mutex);
  forget_elements(a);
  a->closed = true;
  tfc_array_leave(a);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TensorArrayV3", TFC_BUT_INT32("dtype"), make_array, TFC_STATE(array_create),
            .host_args = "size,handle"),
    TFC_ROW("TensorArrayGradV3", "", gradient, TFC_STATE(gradient_create),
            .host_args = "handle,grad_handle"),
    TFC_ROW("TensorArrayGradWithShape", "", gradient_with_shape, TFC_STATE(gradient_create),
            .host_args = "handle,shape_to_prepend,grad_handle"),
    TFC_ROW("TensorArrayWriteV3", TFC_BUT_INT32("T"), write_one, .create = tfc_array_writer_create,
            .host_args = "handle,index"),
    TFC_ROW("TensorArrayReadV3", TFC_BUT_INT32("dtype"), read_one, .host_args = "handle,index"),
    TFC_ROW("TensorArraySizeV3", "", size_of, .host_args = "handle,size"),
    TFC_ROW("TensorArrayCloseV3", "", close_array, .host_args = "handle"),
};
TFC_REGISTER_KERNELS(kernels);
