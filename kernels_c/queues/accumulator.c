/* Conditional accumulators: gradients are summed up, those of old steps dropped, until somebody
 * takes the sum or mean of as many as they wait for. Each taking begins a new step.
 *
 * The ops with "Resource" in their names differ from the others in the type of the handle in graphs
 * only: the compiler makes all handles resources.
 */
#include "kernels_c/queues/accumulator.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/resource_handle.h"
#include "kernels_c/queues/waiting.h"

TFC_ONE_LEVEL;

typedef struct accumulator_form {
  char* name;
  int32_t dtype;
  int rank; /* -1: any shape */
  int64_t dims[TFC_MAX_RANK];
  bool sparse, mean;
} accumulator_form;

typedef struct accumulator {
  accumulator_form form;
  const tfc_api* api; /* atomic: set once, before anybody has a handle */
  pthread_mutex_t mutex;
  /* Under the mutex. */
  accumulator_sum sum;
  int64_t count; /* gradients in it */
  int64_t step;
  tfc_line takers; /* of accumulator_take */
} accumulator;

/* A kernel that waits for a sum. */
typedef struct accumulator_take {
  tfc_waiter waiter; /* first */
  accumulator* from;
  int64_t required;
  accumulator_sum sum; /* once it is claimed */
  int64_t count;
} accumulator_take;

static void visit_sum(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  accumulator* a = ((tfc_resource_handle*)object)->resource;
  if (!a) return;
  pthread_mutex_lock(&a->mutex);
  if (a->count) fn(arg, &a->sum.values);
  pthread_mutex_unlock(&a->mutex);
}

static const tfc_handle_kind handle_kind = TFC_RESOURCE_KIND("ConditionalAccumulator", visit_sum);

/* ---- Making an accumulator. */

static void destroy_accumulator(void* object) {
  accumulator* a = object;
  if (a->count) accumulator_sum_clear(a->api, &a->sum);
  free(a->form.name);
  pthread_mutex_destroy(&a->mutex);
  free(a);
}

/* Takes the form over. */
static void* make_accumulator(void* arg) {
  accumulator_form* form = arg;
  accumulator* a = calloc(1, sizeof *a);
  if (!a) return NULL;
  pthread_mutex_init(&a->mutex, NULL);
  a->form = *form;
  form->name = NULL;
  return a;
}

static int read_form(tfc_construction* c, accumulator_form* form) {
  const char* reduction;
  size_t size;
  TFC_TRY(c->api->attr_type(c, "dtype", &form->dtype));
  TFC_TRY(c->api->attr_shape(c, "shape", &form->rank, form->dims));
  TFC_TRY(c->api->attr_string(c, "reduction_type", &reduction, &size));
  form->mean = size == 4 && memcmp(reduction, "MEAN", 4) == 0;
  return tfc_resource_name(c, &form->name);
}

static bool forms_match(const accumulator_form* a, const accumulator_form* b) {
  bool ok = a->dtype == b->dtype && a->mean == b->mean && a->rank == b->rank;
  for (int d = 0; d < a->rank && ok; d++) ok = a->dims[d] == b->dims[d];
  return ok;
}

static int find_accumulator(tfc_construction* c, bool sparse, accumulator_form* form,
                            void** state) {
  const char* container;
  size_t size;
  accumulator* a;
  form->sparse = sparse;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(read_form(c, form));
  TFC_TRY(c->api->resource(c, sparse ? "sparse accumulator" : "accumulator", container, form->name,
                           make_accumulator, form, destroy_accumulator, (void**)&a));
  if (!forms_match(&a->form, form))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Shared accumulator '%s' has another type, shape or reduction than '%s' "
                         "requests",
                         a->form.name, c->op_name);
  *state = a;
  return TFC_OK;
}

/* The state is the accumulator. */
static int create(tfc_construction* c, bool sparse, void** state) {
  accumulator_form form = {0};
  const int code = find_accumulator(c, sparse, &form, state);
  free(form.name);
  return code;
}
static int create_dense(tfc_construction* c, void** state) {
  return create(c, false, state);
}
static int create_sparse(tfc_construction* c, void** state) {
  return create(c, true, state);
}

static int compute_handle(tfc_context* ctx) {
  accumulator* a = ctx->state;
  return tfc_resource_handle_new_with_api(ctx, &handle_kind, &a->api);
}

static int find(tfc_context* ctx, accumulator** a) {
  return tfc_resource_handle_get(ctx, &handle_kind, (void**)a);
}

static int read_number(tfc_context* ctx, int input, const char* name, int64_t* value) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Argument %s must be scalar, but had bad shape %s",
                     name, tfc_shape_text(t).text);
  *value = tfc_index_at(t, 0);
  return TFC_OK;
}

static int check_kind(tfc_context* ctx, const accumulator* a, bool sparse, int32_t dtype) {
  if (a->form.sparse != sparse)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "'%s' is a %s accumulator", a->form.name,
                     a->form.sparse ? "sparse" : "dense");
  if (a->form.dtype != dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "'%s' accumulates gradients of type %s, not %s",
                     a->form.name, tfc_dtype_name(a->form.dtype), tfc_dtype_name(dtype));
  return TFC_OK;
}

/* ---- Taking sums. */

/* With the mutex: gives the sum to those who wait for no more than there is. */
static void serve(accumulator* a, tfc_line* served) {
  while (a->takers.first) {
    accumulator_take* t = (accumulator_take*)a->takers.first;
    if (a->count < t->required) return;
    if (!tfc_wait_claim(a->api, &t->waiter)) continue;
    t->sum = a->sum;
    t->count = a->count;
    a->sum = (accumulator_sum){0};
    a->count = 0;
    a->step++;
    tfc_wait_append(served, &t->waiter);
  }
}

/* Indices, values and the shape, in which the first size is known from the form only. */
static int output_sparse(accumulator_take* t) {
  tfc_context* ctx = t->waiter.ctx;
  const accumulator_form* form = &t->from->form;
  const int64_t n = t->sum.n, rank = t->sum.values.rank;
  TFC_TRY(tfc_output(ctx, 0, 1, &n));
  if (n) memcpy(ctx->outputs[0].data, t->sum.indices, (size_t)n * sizeof *t->sum.indices);
  TFC_TRY(tfc_output(ctx, 2, 1, &rank));
  int64_t* shape = ctx->outputs[2].data;
  memcpy(shape, t->sum.values.dims, (size_t)rank * sizeof *shape);
  shape[0] = form->rank > 0 ? form->dims[0] : -1;
  return accumulator_output(ctx, 1, &t->sum, t->count, form->mean);
}

static int end_take(accumulator_take* t) {
  const int code = t->from->form.sparse ? output_sparse(t)
                                        : accumulator_output(t->waiter.ctx, 0, &t->sum, t->count,
                                                             t->from->form.mean);
  accumulator_sum_clear(t->from->api, &t->sum);
  return code;
}

static void end_all(tfc_line* served) {
  while (served->first) {
    accumulator_take* t = (accumulator_take*)served->first;
    const tfc_api* api = t->from->api;
    tfc_wait_leave(&t->waiter);
    const int code = end_take(t);
    tfc_wait_resume(api, &t->waiter, code);
  }
}

static void cancelled(void* arg) {
  accumulator_take* t = arg;
  accumulator* a = t->from;
  tfc_line served = {0};
  pthread_mutex_lock(&a->mutex);
  tfc_wait_leave(&t->waiter);
  serve(a, &served); /* those behind it may want less */
  pthread_mutex_unlock(&a->mutex);
  const int code = tfc_error(t->waiter.ctx, TFC_CANCELLED, "TakeGrad operation was cancelled");
  tfc_wait_resume(a->api, &t->waiter, code);
  end_all(&served);
}

static int wait_for_sum(tfc_context* ctx, accumulator* a, int64_t required) {
  tfc_line served = {0};
  accumulator_take* t = calloc(1, sizeof *t);
  if (!t) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to wait for gradients");
  t->from = a;
  t->required = required;
  if (!tfc_wait_prepare(ctx, &t->waiter)) {
    free(t);
    return TFC_RESOURCE_EXHAUSTED;
  }
  pthread_mutex_lock(&a->mutex);
  const bool waits = tfc_wait_join(a->api, &a->takers, &t->waiter, cancelled);
  if (waits) serve(a, &served);
  pthread_mutex_unlock(&a->mutex);
  if (!waits) tfc_wait_resume(a->api, &t->waiter, TFC_CANCELLED);
  end_all(&served);
  return TFC_PENDING;
}

static int take(tfc_context* ctx, bool sparse) {
  accumulator* a = NULL;
  int64_t required;
  TFC_TRY(find(ctx, &a));
  TFC_TRY(read_number(ctx, 1, "num_required", &required));
  TFC_TRY(check_kind(ctx, a, sparse, ctx->outputs[sparse].dtype));
  if (required <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Argument num_required must be positive, but was %lld", (long long)required);
  accumulator_take now = {.from = a, .required = required};
  tfc_line served = {0};
  now.waiter.ctx = ctx;
  pthread_mutex_lock(&a->mutex);
  const bool at_once = !a->takers.first && a->count >= required;
  if (at_once) {
    tfc_wait_append(&a->takers, &now.waiter);
    serve(a, &served);
  }
  pthread_mutex_unlock(&a->mutex);
  return at_once ? end_take(&now) : wait_for_sum(ctx, a, required);
}

static int compute_take_dense(tfc_context* ctx) {
  return take(ctx, false);
}
static int compute_take_sparse(tfc_context* ctx) {
  return take(ctx, true);
}

/* ---- Adding gradients. */

static int check_dense(tfc_context* ctx, const accumulator* a, const tfc_tensor* grad) {
  const accumulator_form* form = &a->form;
  if (a->count && !tfc_same_shape(&a->sum.values, grad))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape mismatch: expected %s, got %s",
                     tfc_shape_text(&a->sum.values).text, tfc_shape_text(grad).text);
  bool ok = form->rank < 0 || form->rank == grad->rank;
  for (int d = 0; d < form->rank && ok; d++)
    ok = form->dims[d] < 0 || form->dims[d] == grad->dims[d];
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape mismatch: expected %s, got %s",
                   tfc_partial_dims_text(form->rank, form->dims).text, tfc_shape_text(grad).text);
}

/* With the mutex. */
static int add_dense(tfc_context* ctx, accumulator* a) {
  const tfc_tensor* grad = ctx->inputs[2];
  TFC_TRY(check_dense(ctx, a, grad));
  return a->count ? accumulator_add_dense(ctx, &a->sum, grad) : tfc_keep(ctx, &a->sum.values, grad);
}

static int check_sizes(tfc_context* ctx, int first, int rank, const int64_t* wanted,
                       const int64_t* found) {
  for (int d = first; d < rank; d++)
    if (wanted[d] >= 0 && wanted[d] != found[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Shape mismatch: expected values dim %d to be %lld, got %lld", d,
                       (long long)wanted[d], (long long)found[d]);
  return TFC_OK;
}

static int check_known_shape(tfc_context* ctx, const accumulator_form* form) {
  const tfc_tensor* shape = ctx->inputs[4];
  if (form->rank > shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Shape mismatch: expected shape rank at least %d, got %lld", form->rank,
                     (long long)shape->n);
  for (int d = 0; d < form->rank; d++) {
    const int64_t size = tfc_index_at(shape, d);
    if (form->dims[d] >= 0 && form->dims[d] != size)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Shape mismatch: expected shape dim %d to be %lld, got %lld", d,
                       (long long)form->dims[d], (long long)size);
  }
  return TFC_OK;
}

static int check_rows(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[2], *values = ctx->inputs[3];
  if (indices->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input indices should be vector but received shape: %s",
                     tfc_shape_text(indices).text);
  if (values->rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Values cannot be 0-dimensional.");
  if (values->dims[0] != indices->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected %lld non-empty input values, got %lld",
                     (long long)indices->n, (long long)values->dims[0]);
  return TFC_OK;
}

static int check_sparse(tfc_context* ctx, const accumulator* a) {
  const accumulator_form* form = &a->form;
  const tfc_tensor *indices = ctx->inputs[2], *values = ctx->inputs[3], *sum = &a->sum.values;
  TFC_TRY(check_rows(ctx));
  if (*(const bool*)ctx->state) TFC_TRY(check_known_shape(ctx, form));
  for (int64_t i = 0; i < indices->n && form->rank > 0 && form->dims[0] >= 0; i++) {
    const int64_t index = tfc_index_at(indices, i);
    if (index >= form->dims[0])
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "Shape mismatch: index of slice %lld exceeded limits of shape; index is %lld "
          "exceeded %lld",
          (long long)i, (long long)index, (long long)form->dims[0]);
  }
  if (!a->count) {
    if (form->rank > values->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Shape mismatch: expected values rank at least %d, got %d", form->rank,
                       values->rank);
    return check_sizes(ctx, 1, form->rank, form->dims, values->dims);
  }
  if (sum->rank != values->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape mismatch: expected values rank %d, got %d",
                     sum->rank, values->rank);
  return check_sizes(ctx, 1, sum->rank, sum->dims, values->dims);
}

/* With the mutex. */
static int add_sparse(tfc_context* ctx, accumulator* a) {
  TFC_TRY(check_sparse(ctx, a));
  return a->count ? accumulator_add_sparse(ctx, &a->sum, ctx->inputs[2], ctx->inputs[3])
                  : accumulator_begin_sparse(ctx, &a->sum, ctx->inputs[2], ctx->inputs[3]);
}

static int apply(tfc_context* ctx, bool sparse) {
  accumulator* a = NULL;
  int64_t step;
  int code = TFC_OK;
  tfc_line served = {0};
  TFC_TRY(find(ctx, &a));
  TFC_TRY(read_number(ctx, 1, "local_step", &step));
  TFC_TRY(check_kind(ctx, a, sparse, ctx->inputs[2 + sparse]->dtype));
  pthread_mutex_lock(&a->mutex);
  if (step >= a->step) { /* else it is stale, and dropped */
    code = sparse ? add_sparse(ctx, a) : add_dense(ctx, a);
    a->count += !code;
  }
  serve(a, &served);
  pthread_mutex_unlock(&a->mutex);
  end_all(&served);
  return code;
}

static int compute_apply_dense(tfc_context* ctx) {
  return apply(ctx, false);
}
static int compute_apply_sparse(tfc_context* ctx) {
  return apply(ctx, true);
}

/* The state: whether the gradient has a shape. */
static int create_apply_sparse(tfc_construction* c, void** state) {
  bool has_shape;
  TFC_TRY(c->api->attr_bool(c, "has_known_shape", &has_shape));
  bool* kept = malloc(sizeof *kept);
  if (!kept) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *kept = has_shape;
  *state = kept;
  return TFC_OK;
}

/* ---- The rest. */

static int compute_set_step(tfc_context* ctx) {
  accumulator* a = NULL;
  int64_t step;
  TFC_TRY(find(ctx, &a));
  TFC_TRY(read_number(ctx, 1, "new_global_step", &step));
  pthread_mutex_lock(&a->mutex);
  a->step = step;
  pthread_mutex_unlock(&a->mutex);
  return TFC_OK;
}

static int compute_count(tfc_context* ctx) {
  accumulator* a = NULL;
  TFC_TRY(find(ctx, &a));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_mutex_lock(&a->mutex);
  *(int32_t*)ctx->outputs[0].data = (int32_t)a->count;
  pthread_mutex_unlock(&a->mutex);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ConditionalAccumulator", "dtype=" TFC_TYPES_FLOATS, compute_handle,
            .create = create_dense),
    TFC_ROW("ResourceConditionalAccumulator", "dtype=" TFC_TYPES_FLOATS, compute_handle,
            .create = create_dense),
    TFC_ROW("SparseConditionalAccumulator", "dtype=" TFC_TYPES_FLOATS, compute_handle,
            .create = create_sparse),
    TFC_ROW("AccumulatorApplyGradient", "dtype=" TFC_TYPES_FLOATS, compute_apply_dense,
            .destroy = free),
    TFC_ROW("ResourceAccumulatorApplyGradient", "dtype=" TFC_TYPES_FLOATS, compute_apply_dense,
            .destroy = free),
    TFC_ROW("SparseAccumulatorApplyGradient", "dtype=" TFC_TYPES_FLOATS, compute_apply_sparse,
            TFC_STATE(create_apply_sparse)),
    TFC_ROW("AccumulatorTakeGradient", "dtype=" TFC_TYPES_FLOATS, compute_take_dense,
            .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("ResourceAccumulatorTakeGradient", "dtype=" TFC_TYPES_FLOATS, compute_take_dense,
            .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("SparseAccumulatorTakeGradient", "dtype=" TFC_TYPES_FLOATS, compute_take_sparse,
            .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("AccumulatorSetGlobalStep", "", compute_set_step),
    TFC_ROW("ResourceAccumulatorSetGlobalStep", "", compute_set_step),
    TFC_ROW("AccumulatorNumAccumulated", "", compute_count),
    TFC_ROW("ResourceAccumulatorNumAccumulated", "", compute_count),
};
TFC_REGISTER_KERNELS(kernels);
