/* FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue, PriorityQueue, and the ops that use them.
 *
 * A queue belongs to the resource manager; its op outputs a handle. The ops with "V2" in their
 * names differ from the others in the type of the handle in graphs only: the compiler makes all
 * handles resources.
 */
#include "kernels_c/queues/queue.h"

#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

enum { UNBOUNDED = INT32_MAX };

static void visit_elements(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  queue* q = ((tfc_resource_handle*)object)->resource;
  if (q) queue_store_visit(q, fn, arg);
}

static const tfc_handle_kind handle_kind = TFC_RESOURCE_KIND("Queue", visit_elements);

/* ---- Making a queue. */

static void free_form(queue_form* form) {
  free(form->name);
  free(form->component);
}

static void destroy_queue(void* object) {
  queue* q = object;
  queue_list_remove(q);
  if (q->runs.n) queue_runs_clear(q->api, &q->runs);
  free(q->runs.run);
  free_form(&q->form);
  pthread_mutex_destroy(&q->mutex);
  free(q);
}

/* Takes the form over. */
static void* make_queue(void* arg) {
  queue_form* form = arg;
  queue* q = calloc(1, sizeof *q);
  if (!q) return NULL;
  pthread_mutex_init(&q->mutex, NULL);
  q->form = *form;
  *form = (queue_form){0};
  q->random.stream = (philox){.key = q->form.random.key, .high = q->form.random.high};
  queue_list_add(q);
  return q;
}

/* "[[2,3], [?]]" */
static tfc_text shapes_text(const queue_form* form) {
  tfc_text t;
  size_t used = (size_t)snprintf(t.text, sizeof t.text, "[");
  for (int i = 0; i < form->n && form->shaped; i++) {
    tfc_text dims = tfc_partial_dims_text(form->component[i].rank, form->component[i].dims);
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, i ? ", %s" : "%s", dims.text);
    if (used >= sizeof t.text - 1) return t;
  }
  snprintf(t.text + used, sizeof t.text - used, "]");
  return t;
}

static tfc_text types_text(const queue_form* form) {
  tfc_text t = {""};
  size_t used = 0;
  for (int i = 0; i < form->n && used < sizeof t.text; i++)
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, i ? ", %s" : "%s",
                             tfc_dtype_name(form->component[i].dtype));
  return t;
}

static int read_components(tfc_construction* c, queue_form* form) {
  const int extra = form->kind == QUEUE_PRIORITY; /* the priority is not an attribute */
  int n_types, n_shapes, rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(c->api->attr_types(c, "component_types", 0, NULL, &n_types));
  TFC_TRY(c->api->attr_shapes(c, "shapes", -1, &rank, dims, &n_shapes));
  form->n = n_types + extra;
  if (form->n == 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Empty component types for queue %s", form->name);
  int32_t* types = malloc((size_t)form->n * sizeof *types);
  form->component = calloc((size_t)form->n, sizeof *form->component);
  int code = types && form->component ? TFC_OK : tfc_construction_out_of_memory(c);
  if (!code) code = c->api->attr_types(c, "component_types", n_types, types, &n_types);
  form->shaped = n_shapes > 0 || (extra && n_types == 0);
  for (int i = 0; i < form->n && !code; i++) {
    queue_component* to = &form->component[i];
    to->dtype = i < extra ? TFC_INT64 : types[i - extra];
    to->rank = form->shaped ? 0 : -1;
    if (i >= extra && i - extra < n_shapes)
      code = c->api->attr_shapes(c, "shapes", i - extra, &to->rank, to->dims, &n_shapes);
  }
  free(types);
  if (code) return code;
  if (n_shapes && n_shapes != n_types)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Different number of component types.  Types: %s, Shapes: %d",
                         types_text(form).text, n_shapes);
  if (form->kind == QUEUE_PADDING && n_shapes != n_types)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Shapes must be provided for all components, but received %d dtypes and "
                         "%d shapes.",
                         n_types, n_shapes);
  for (int i = 0; i < form->n && form->shaped; i++) {
    bool known = form->component[i].rank >= 0;
    for (int d = 0; d < form->component[i].rank && form->kind != QUEUE_PADDING; d++)
      known &= form->component[i].dims[d] >= 0;
    if (!known)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Shape %d of queue %s is not known well enough for a %s", i, form->name,
                           form->type);
  }
  return TFC_OK;
}

static const char* const type_of[] = {[QUEUE_FIFO] = "FIFOQueue",
                                      [QUEUE_PADDING] = "PaddingFIFOQueue",
                                      [QUEUE_RANDOM] = "RandomShuffleQueue",
                                      [QUEUE_PRIORITY] = "PriorityQueue"};

static int read_form(tfc_construction* c, queue_form* form) {
  form->type = type_of[form->kind];
  TFC_TRY(tfc_resource_name(c, &form->name));
  TFC_TRY(tfc_attr_int32(c, "capacity", &form->capacity));
  if (form->capacity < 0) form->capacity = UNBOUNDED;
  if (form->kind == QUEUE_RANDOM) {
    TFC_TRY(c->api->attr_int(c, "min_after_dequeue", &form->min_after_dequeue));
    if (form->min_after_dequeue < 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "min_after_dequeue %lld must be >= 0",
                           (long long)form->min_after_dequeue);
    if (form->min_after_dequeue >= form->capacity)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "min_after_dequeue %lld must be < capacity %lld",
                           (long long)form->min_after_dequeue, (long long)form->capacity);
    TFC_TRY(c->api->attr_int(c, "seed", &form->seed));
    TFC_TRY(c->api->attr_int(c, "seed2", &form->seed2));
    TFC_TRY(tfc_random_seed(c, &form->random));
  }
  return read_components(c, form);
}

/* Whether two queues may share their shapes: unknown sizes match all. */
static bool shapes_match(const queue_form* a, const queue_form* b) {
  if (a->shaped != b->shaped) return false;
  for (int i = 0; i < a->n && a->shaped; i++) {
    const queue_component *x = &a->component[i], *y = &b->component[i];
    if (x->rank != y->rank) return false;
    for (int d = 0; d < x->rank; d++)
      if (x->dims[d] != y->dims[d] && x->dims[d] >= 0 && y->dims[d] >= 0) return false;
  }
  return true;
}

static bool types_match(const queue_form* a, const queue_form* b) {
  if (a->n != b->n) return false;
  for (int i = 0; i < a->n; i++)
    if (a->component[i].dtype != b->component[i].dtype) return false;
  return true;
}

/* Fails if the queue that exists under this name is not the one that the op describes. */
static int check_shared(tfc_construction* c, const queue_form* has, const queue_form* wants) {
  tfc_create_api const* api = c->api;
  if (has->kind != wants->kind)
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has type '%s' that does not match type of Node '%s': %s",
                      has->name, has->type, c->op_name, c->op_type);
  if (has->capacity != wants->capacity)
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has capacity %lld but requested capacity was %lld",
                      has->name, (long long)has->capacity, (long long)wants->capacity);
  if (has->min_after_dequeue != wants->min_after_dequeue)
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has min_after_dequeue %lld but requested "
                      "min_after_dequeue was %lld.",
                      has->name, (long long)has->min_after_dequeue,
                      (long long)wants->min_after_dequeue);
  if (has->seed != wants->seed || has->seed2 != wants->seed2)
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has random seeds (%lld, %lld) but requested seeds are "
                      "(%lld, %lld).",
                      has->name, (long long)has->seed, (long long)has->seed2,
                      (long long)wants->seed, (long long)wants->seed2);
  if (!types_match(has, wants))
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has component types %s but requested component types "
                      "were %s",
                      has->name, types_text(has).text, types_text(wants).text);
  if (!shapes_match(has, wants))
    return api->error(c, TFC_INVALID_ARGUMENT,
                      "Shared queue '%s' has component shapes %s but requested component shapes "
                      "were %s",
                      has->name, shapes_text(has).text, shapes_text(wants).text);
  return TFC_OK;
}

static int find_queue(tfc_construction* c, queue_form* form, void** state) {
  const char* container;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(read_form(c, form));
  queue* q;
  TFC_TRY(c->api->resource(c, "queue", container, form->name, make_queue, form, destroy_queue,
                           (void**)&q));
  if (form->name) TFC_TRY(check_shared(c, &q->form, form)); /* else make_queue took it over */
  *state = q;
  return TFC_OK;
}

/* The state is the queue. */
static int create_queue(tfc_construction* c, queue_kind kind, void** state) {
  queue_form form = {.kind = kind};
  const int code = find_queue(c, &form, state);
  free_form(&form);
  return code;
}

static int create_fifo(tfc_construction* c, void** state) {
  return create_queue(c, QUEUE_FIFO, state);
}
static int create_padding(tfc_construction* c, void** state) {
  return create_queue(c, QUEUE_PADDING, state);
}
static int create_random(tfc_construction* c, void** state) {
  return create_queue(c, QUEUE_RANDOM, state);
}
static int create_priority(tfc_construction* c, void** state) {
  return create_queue(c, QUEUE_PRIORITY, state);
}

static int compute_handle(tfc_context* ctx) {
  queue* q = ctx->state;
  return tfc_resource_handle_new_with_api(ctx, &handle_kind, &q->api);
}

/* ---- Checks of what goes in and out. */

int queue_find(tfc_context* ctx, int input, queue** q) {
  tfc_resource_handle* h = NULL;
  TFC_TRY(tfc_handle_get(ctx, input, &handle_kind, (void**)&h));
  *q = h->resource;
  return TFC_OK;
}

static int find(tfc_context* ctx, queue** q) {
  return queue_find(ctx, 0, q);
}

/* "int32, float" */
static tfc_text given_types(int n, const tfc_tensor* const* inputs, const tfc_tensor* outputs) {
  tfc_text t = {""};
  size_t used = 0;
  for (int i = 0; i < n && used < sizeof t.text; i++)
    used += (size_t)snprintf(t.text + used, sizeof t.text - used, i ? ", %s" : "%s",
                             tfc_dtype_name(inputs ? inputs[i]->dtype : outputs[i].dtype));
  return t;
}

static int check_inputs(tfc_context* ctx, const queue* q) {
  bool ok = ctx->n_inputs == 1 + q->form.n;
  for (int i = 0; i < q->form.n && ok; i++)
    ok = ctx->inputs[1 + i]->dtype == q->form.component[i].dtype;
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Signature mismatch, have: resource, %s-> expected: resource, %s->",
                   given_types(ctx->n_inputs - 1, ctx->inputs + 1, NULL).text,
                   types_text(&q->form).text);
}

static int check_outputs(tfc_context* ctx, const queue* q) {
  bool ok = ctx->n_outputs == q->form.n;
  for (int i = 0; i < q->form.n && ok; i++)
    ok = ctx->outputs[i].dtype == q->form.component[i].dtype;
  if (ok) return TFC_OK;
  const char* n = ctx->n_inputs > 1 ? ", int32" : "";
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Signature mismatch, have: resource%s->%s expected: resource%s->%s", n,
                   given_types(ctx->n_outputs, NULL, ctx->outputs).text, n,
                   types_text(&q->form).text);
}

/* Fails if the element, or the rows, of a component have not the queue's shape. */
static int check_shape(tfc_context* ctx, const queue_component* form, int i, bool many) {
  const tfc_tensor* t = ctx->inputs[1 + i];
  bool ok = t->rank == form->rank + many;
  for (int d = 0; d < form->rank && ok; d++)
    ok = form->dims[d] < 0 || t->dims[d + many] == form->dims[d];
  if (ok) return TFC_OK;
  int64_t dims[TFC_MAX_RANK + 1];
  if (many) dims[0] = ctx->inputs[1]->dims[0];
  memcpy(dims + many, form->dims, (size_t)form->rank * sizeof *dims);
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Shape mismatch in tuple component %d. Expected %s, got %s", i,
                   tfc_partial_dims_text(form->rank + many, dims).text, tfc_shape_text(t).text);
}

static int check_components(tfc_context* ctx, const queue* q, bool many) {
  TFC_TRY(check_inputs(ctx, q));
  for (int i = 0; i < q->form.n; i++) {
    const tfc_tensor* t = ctx->inputs[1 + i];
    if (many && t->rank == 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Component %d of enqueue_many must have rows", i);
    if (q->form.shaped) TFC_TRY(check_shape(ctx, &q->form.component[i], i, many));
    if (many && t->dims[0] != ctx->inputs[1]->dims[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "All input tensors must have the same size in the 0th dimension. Component "
                       "%d has %lld, and should have %lld",
                       i, (long long)t->dims[0], (long long)ctx->inputs[1]->dims[0]);
  }
  if (q->form.kind == QUEUE_PRIORITY && ctx->inputs[1]->rank != many)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected the priority element to be a scalar, but received shape: %s",
                     tfc_dims_text(ctx->inputs[1]->rank - many, ctx->inputs[1]->dims + many).text);
  return TFC_OK;
}

/* ---- Ops that use queues. */

static int enqueue(tfc_context* ctx, bool many) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  TFC_TRY(check_components(ctx, q, many));
  if (many && ctx->inputs[1]->dims[0] == 0) return TFC_OK;
  queue_attempt a = {.q = q, .action = QUEUE_ENQUEUE};
  TFC_TRY(queue_make_runs(ctx, q, 1, many, &a.held));
  return queue_attempt_run(ctx, &a);
}

static int compute_enqueue(tfc_context* ctx) {
  return enqueue(ctx, false);
}
static int compute_enqueue_many(tfc_context* ctx) {
  return enqueue(ctx, true);
}

static int compute_dequeue(tfc_context* ctx) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  TFC_TRY(check_outputs(ctx, q));
  queue_attempt a = {.q = q, .action = QUEUE_DEQUEUE, .wanted = 1};
  return queue_attempt_run(ctx, &a);
}

static int check_batches(tfc_context* ctx, const queue* q) {
  if (!q->form.shaped)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     q->form.kind == QUEUE_PRIORITY
                         ? "%s's DequeueMany requires the components to have specified shapes."
                         : "%s's DequeueMany and DequeueUpTo require the components to have "
                           "specified shapes.",
                     q->form.type);
  for (int i = 0; i < q->form.n; i++)
    if (q->form.component[i].rank == TFC_MAX_RANK)
      return tfc_error(ctx, TFC_UNIMPLEMENTED,
                       "tensors of rank %d are not supported (at most %d): component %d",
                       TFC_MAX_RANK + 1, TFC_MAX_RANK, i);
  return TFC_OK;
}

static int dequeue_many(tfc_context* ctx, const char* op, bool up_to) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  if (ctx->inputs[1]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s takes one number of elements, not shape %s", op,
                     tfc_shape_text(ctx->inputs[1]).text);
  const int64_t n = tfc_index_at(ctx->inputs[1], 0);
  if (n < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s requested %lld < 0 elements", op, (long long)n);
  TFC_TRY(check_outputs(ctx, q));
  TFC_TRY(check_batches(ctx, q));
  queue_attempt a = {.q = q, .action = QUEUE_DEQUEUE, .wanted = n, .many = true, .up_to = up_to};
  if (n == 0) return queue_make_outputs(ctx, q, 0, &a.held, true);
  return queue_attempt_run(ctx, &a);
}

static int compute_dequeue_many(tfc_context* ctx) {
  return dequeue_many(ctx, "DequeueManyOp", false);
}
static int compute_dequeue_up_to(tfc_context* ctx) {
  return dequeue_many(ctx, "DequeueUpToOp", true);
}

/* The state: whether to cancel pending enqueues. */
static int create_close(tfc_construction* c, void** state) {
  bool cancel;
  TFC_TRY(c->api->attr_bool(c, "cancel_pending_enqueues", &cancel));
  bool* kept = malloc(sizeof *kept);
  if (!kept) return tfc_construction_out_of_memory(c);
  *kept = cancel;
  *state = kept;
  return TFC_OK;
}

static int compute_close(tfc_context* ctx) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  if (*(const bool*)ctx->state) {
    queue_close_now(q);
    return TFC_OK;
  }
  queue_attempt a = {.q = q, .action = QUEUE_CLOSE};
  return queue_attempt_run(ctx, &a);
}

static int compute_size(tfc_context* ctx) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_mutex_lock(&q->mutex);
  *(int32_t*)ctx->outputs[0].data = (int32_t)q->runs.elements;
  pthread_mutex_unlock(&q->mutex);
  return TFC_OK;
}

static int compute_is_closed(tfc_context* ctx) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_mutex_lock(&q->mutex);
  *(bool*)ctx->outputs[0].data = q->closed;
  pthread_mutex_unlock(&q->mutex);
  return TFC_OK;
}

static int compute_save(tfc_context* ctx) {
  queue* q = NULL;
  TFC_TRY(find(ctx, &q));
  return queue_save(ctx, q);
}

static int compute_load(tfc_context* ctx) {
  queue* q = NULL;
  queue_runs runs;
  queue_random random;
  TFC_TRY(find(ctx, &q));
  TFC_TRY(queue_load(ctx, q, &runs, &random));
  return queue_replace(ctx, q, &runs, &random);
}

/* Output 0 is the handle that input 0 chooses among the others. */
static int compute_select(tfc_context* ctx) {
  const int64_t n = ctx->n_inputs - 1;
  if (ctx->inputs[0]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the index of a handle must be a scalar, not %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  const int64_t i = tfc_index_at(ctx->inputs[0], 0);
  if (i < 0 || i >= n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices = %lld is not in [0, %lld)", (long long)i,
                     (long long)n);
  return tfc_output_input(ctx, 0, (int)i + 1);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("FIFOQueue", "", compute_handle, .create = create_fifo),
    TFC_ROW("FIFOQueueV2", "", compute_handle, .create = create_fifo),
    TFC_ROW("PaddingFIFOQueue", "", compute_handle, .create = create_padding),
    TFC_ROW("PaddingFIFOQueueV2", "", compute_handle, .create = create_padding),
    TFC_ROW("RandomShuffleQueue", "", compute_handle, .create = create_random),
    TFC_ROW("RandomShuffleQueueV2", "", compute_handle, .create = create_random),
    TFC_ROW("PriorityQueue", "", compute_handle, .create = create_priority),
    TFC_ROW("PriorityQueueV2", "", compute_handle, .create = create_priority),
    TFC_ROW("QueueEnqueue", "", compute_enqueue, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueEnqueueV2", "", compute_enqueue, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueEnqueueMany", "", compute_enqueue_many, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueEnqueueManyV2", "", compute_enqueue_many, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeue", "", compute_dequeue, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeueV2", "", compute_dequeue, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeueMany", "", compute_dequeue_many, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeueManyV2", "", compute_dequeue_many, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeueUpTo", "", compute_dequeue_up_to, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueDequeueUpToV2", "", compute_dequeue_up_to, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueClose", "", compute_close, TFC_STATE(create_close), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueCloseV2", "", compute_close, TFC_STATE(create_close), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("QueueSize", "", compute_size),
    TFC_ROW("QueueSizeV2", "", compute_size),
    TFC_ROW("QueueIsClosed", "", compute_is_closed),
    TFC_ROW("QueueIsClosedV2", "", compute_is_closed),
    TFC_ROW("_SaveQueue", "", compute_save),
    TFC_ROW("_LoadQueue", "", compute_load),
    TFC_ROW("_SelectHandle", "", compute_select),
};
TFC_REGISTER_KERNELS(kernels);
