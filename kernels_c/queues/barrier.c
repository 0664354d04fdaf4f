/* Barriers: elements with a key, whose components come one by one. Complete elements are in a
 * queue, in the order in which their first components came; incomplete ones are in a hash table.
 */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

enum { INDEX, KEY, FIRST_VALUE }; /* components of the queue's elements */
enum { FIRST_BUCKETS = 16 };

/* An incomplete element. */
typedef struct barrier_entry {
  struct barrier_entry* next; /* in its bucket */
  uint64_t hash;
  int64_t index;
  int missing;        /* components */
  queue_batch* batch; /* a single element; components that are missing have no memory */
} barrier_entry;

typedef struct barrier {
  queue ready; /* has a mutex of its own, which is taken after this one's */
  char* name;
  pthread_mutex_t mutex;
  /* Under the mutex. */
  bool closed, cancelled;
  int64_t index;   /* of new elements */
  int64_t putting; /* complete elements that are on their way into the queue */
  barrier_entry** bucket;
  int64_t n, n_buckets;
} barrier;

static void visit_elements(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  barrier* b = ((tfc_resource_handle*)object)->resource;
  if (b) queue_store_visit(&b->ready, fn, arg);
}

static const tfc_handle_kind handle_kind = TFC_RESOURCE_KIND("Barrier", visit_elements);

/* ---- Incomplete elements. */

static const tfc_string* key_of(const barrier_entry* e) {
  return e->batch->component[KEY].data;
}

static uint64_t hash_of(const tfc_string* key) {
  uint64_t h = key->size;
  for (size_t i = 0; i < key->size; i++)
    h = (h ^ (unsigned char)key->data[i]) * 0x9E3779B97F4A7C15u, h ^= h >> 29;
  return h;
}

/* The link to the entry of a key, or to the end of its bucket; NULL: there are no buckets. */
static barrier_entry** find_entry(barrier* b, const tfc_string* key, uint64_t hash) {
  if (!b->n_buckets) return NULL;
  barrier_entry** link = &b->bucket[hash & (uint64_t)(b->n_buckets - 1)];
  for (; *link; link = &(*link)->next) {
    const tfc_string* mine = key_of(*link);
    if ((*link)->hash == hash && mine->size == key->size &&
        (!key->size || memcmp(mine->data, key->data, key->size) == 0))
      break;
  }
  return link;
}

static bool grow_buckets(barrier* b) {
  const int64_t n = b->n_buckets ? 2 * b->n_buckets : FIRST_BUCKETS;
  barrier_entry** made = calloc((size_t)n, sizeof *made);
  if (!made) return false;
  for (int64_t i = 0; i < b->n_buckets; i++)
    for (barrier_entry *e = b->bucket[i], *next; e; e = next) {
      next = e->next;
      barrier_entry** to = &made[e->hash & (uint64_t)(n - 1)];
      e->next = *to;
      *to = e;
    }
  free(b->bucket);
  b->bucket = made;
  b->n_buckets = n;
  return true;
}

static void free_entry(const tfc_api* api, barrier_entry* e) {
  if (e->batch) queue_batch_drop(api, e->batch, 1);
  free(e);
}

static void clear_entries(barrier* b) {
  for (int64_t i = 0; i < b->n_buckets; i++)
    for (barrier_entry *e = b->bucket[i], *next; e; e = next) {
      next = e->next;
      free_entry(b->ready.api, e);
    }
  free(b->bucket);
  b->bucket = NULL;
  b->n = b->n_buckets = 0;
}

/* ---- Making a barrier. */

static void free_barrier(barrier* b) {
  free(b->name);
  free(b->ready.form.name);
  free(b->ready.form.component);
}

static void destroy_barrier(void* object) {
  barrier* b = object;
  if (b->n_buckets) clear_entries(b);
  if (b->ready.runs.n) queue_runs_clear(b->ready.api, &b->ready.runs);
  free(b->ready.runs.run);
  pthread_mutex_destroy(&b->ready.mutex);
  pthread_mutex_destroy(&b->mutex);
  free_barrier(b);
  free(b);
}

/* Takes over what `arg`, a barrier, has. */
static void* make_barrier(void* arg) {
  barrier* form = arg;
  barrier* b = malloc(sizeof *b);
  if (!b) return NULL;
  *b = *form;
  *form = (barrier){0};
  pthread_mutex_init(&b->mutex, NULL);
  pthread_mutex_init(&b->ready.mutex, NULL);
  return b;
}

static int read_components(tfc_construction* c, queue_form* form) {
  int n, n_shapes, rank;
  int64_t dims[TFC_MAX_RANK], capacity;
  TFC_TRY(c->api->attr_int(c, "capacity", &capacity));
  if (capacity != -1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier "
                         "through a queue to enforce a limited capacity.");
  TFC_TRY(c->api->attr_types(c, "component_types", 0, NULL, &n));
  TFC_TRY(c->api->attr_shapes(c, "shapes", -1, &rank, dims, &n_shapes));
  if (n != n_shapes)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "All of the component shapes must be specified");
  form->n = FIRST_VALUE + n;
  form->component = calloc((size_t)form->n, sizeof *form->component);
  int32_t* types = malloc((size_t)TFC_MAX(n, 1) * sizeof *types);
  int code = form->component && types ? TFC_OK : tfc_construction_out_of_memory(c);
  if (!code) code = c->api->attr_types(c, "component_types", n, types, &n);
  for (int i = 0; i < n && !code; i++) {
    queue_component* to = &form->component[FIRST_VALUE + i];
    to->dtype = types[i];
    code = c->api->attr_shapes(c, "shapes", i, &to->rank, to->dims, &n_shapes);
    to->rank = TFC_MAX(to->rank, 0); /* without shapes the values are scalars, as in TensorFlow */
    if (!code && tfc_count(to->rank, to->dims) < 0)
      code =
          c->api->error(c, TFC_INVALID_ARGUMENT, "Shape %d of the barrier is not fully known", i);
  }
  free(types);
  if (code) return code;
  form->component[INDEX].dtype = TFC_INT64;
  form->component[KEY].dtype = TFC_STRING;
  return TFC_OK;
}

static int read_form(tfc_construction* c, barrier* b) {
  queue_form* form = &b->ready.form;
  TFC_TRY(tfc_resource_name(c, &b->name));
  form->name = malloc(strlen(b->name) + sizeof "_queue");
  if (!form->name) return tfc_construction_out_of_memory(c);
  sprintf(form->name, "%s_queue", b->name);
  form->kind = QUEUE_PRIORITY;
  form->type = "PriorityQueue";
  form->capacity = INT32_MAX;
  form->shaped = true;
  b->index = INT64_MIN;
  return read_components(c, form);
}

static bool forms_match(const queue_form* a, const queue_form* b) {
  bool ok = a->n == b->n;
  for (int i = 0; i < a->n && ok; i++) {
    const queue_component *x = &a->component[i], *y = &b->component[i];
    ok = x->dtype == y->dtype && x->rank == y->rank;
    for (int d = 0; d < x->rank && ok; d++) ok = x->dims[d] == y->dims[d];
  }
  return ok;
}

static int find_barrier(tfc_construction* c, barrier* form, void** state) {
  const char* container;
  size_t size;
  barrier* b;
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(read_form(c, form));
  TFC_TRY(c->api->resource(c, "barrier", container, form->name, make_barrier, form, destroy_barrier,
                           (void**)&b));
  if (form->name && !forms_match(&b->ready.form, &form->ready.form))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Shared barrier '%s' has other types or shapes than '%s' requests",
                         b->name, c->op_name);
  *state = b;
  return TFC_OK;
}

/* The state is the barrier. */
static int create_barrier(tfc_construction* c, void** state) {
  barrier form = {0};
  const int code = find_barrier(c, &form, state);
  free_barrier(&form);
  return code;
}

static int compute_handle(tfc_context* ctx) {
  barrier* b = ctx->state;
  return tfc_resource_handle_new_with_api(ctx, &handle_kind, &b->ready.api);
}

static int find(tfc_context* ctx, barrier** b) {
  return tfc_resource_handle_get(ctx, &handle_kind, (void**)b);
}

/* ---- Inserting. */

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of a barrier");
}

/* Row `row` of a tensor as a tensor of its own. */
static int copy_row(tfc_context* ctx, const tfc_tensor* from, int64_t row, tfc_tensor* to) {
  to->dtype = from->dtype;
  TFC_TRY(tfc_make(ctx, to, from->rank - 1, from->dims + 1));
  if (from->dtype != TFC_STRING) {
    const size_t bytes = (size_t)to->n * tfc_dtype_size(to->dtype);
    memcpy(to->data, (const char*)from->data + (size_t)row * bytes, bytes);
    return TFC_OK;
  }
  const tfc_string* s = (const tfc_string*)from->data + row * to->n;
  for (int64_t k = 0; k < to->n; k++)
    TFC_TRY(tfc_string_set(ctx, to, k, s[k].data ? s[k].data : "", s[k].size));
  return TFC_OK;
}

/* A new entry of key number `i`, which is in no bucket yet. */
static int make_entry(tfc_context* ctx, barrier* b, int64_t i, barrier_entry** out) {
  const int n = b->ready.form.n;
  barrier_entry* e = calloc(1, sizeof *e);
  if (e) e->batch = calloc(1, sizeof *e->batch + (size_t)n * sizeof(tfc_tensor));
  if (!e || !e->batch) {
    free(e);
    return no_memory(ctx);
  }
  e->batch->refs = e->batch->rows = 1;
  e->batch->whole = true;
  e->batch->n = n;
  e->missing = n - FIRST_VALUE;
  e->index = b->index;
  e->batch->component[INDEX].dtype = TFC_INT64;
  int code = tfc_make(ctx, &e->batch->component[INDEX], 0, NULL);
  if (!code) *(int64_t*)e->batch->component[INDEX].data = e->index;
  if (!code) code = copy_row(ctx, ctx->inputs[1], i, &e->batch->component[KEY]);
  if (code) {
    free_entry(ctx->api, e);
    return code;
  }
  e->hash = hash_of(key_of(e));
  *out = e;
  return TFC_OK;
}

/* With the mutex. Inserts value number `i`; an element that it completes goes to `ready`. */
static int insert_one(tfc_context* ctx, barrier* b, int component, int64_t i, bool* grew,
                      queue_runs* ready) {
  const tfc_string* key = (const tfc_string*)ctx->inputs[1]->data + i;
  barrier_entry **link = find_entry(b, key, hash_of(key)), *e = link ? *link : NULL;
  if (!e && b->closed)
    return tfc_error(
        ctx, TFC_CANCELLED,
        "Barrier %s is closed, but attempted to insert a brand new key: %.*s.  Pending "
        "enqueues cancelled: %d.  Insertion index: %lld.  Number of incomplete keys: "
        "%lld.",
        b->name, (int)TFC_MIN(key->size, (size_t)500), key->data ? key->data : "", b->cancelled,
        (long long)i, (long long)b->n);
  if (!e) {
    if (b->n >= b->n_buckets && !grow_buckets(b)) return no_memory(ctx);
    TFC_TRY(make_entry(ctx, b, i, &e));
    link = &b->bucket[e->hash & (uint64_t)(b->n_buckets - 1)];
    e->next = *link;
    *link = e;
    b->n++;
    *grew = true;
  }
  tfc_tensor* place = &e->batch->component[FIRST_VALUE + component];
  if (place->buffer)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT, "Key %.*s already has a value for component %d in barrier %s",
        (int)TFC_MIN(key->size, (size_t)500), key->data ? key->data : "", component, b->name);
  const queue_run complete = {.batch = e->batch, .count = 1, .priority = e->index};
  int code = copy_row(ctx, ctx->inputs[2], i, place);
  if (!code && e->missing == 1 && !queue_runs_push(ready, complete)) code = no_memory(ctx);
  if (code) { /* the component is still missing: another attempt completes the element */
    if (place->buffer) tfc_let_go(ctx->api, place);
    *place = (tfc_tensor){0};
    return code;
  }
  if (--e->missing) return TFC_OK;
  *link = e->next;
  b->n--;
  free(e);
  return TFC_OK;
}

/* The state: the component. */
static int create_insert(tfc_construction* c, void** state) {
  int64_t component;
  TFC_TRY(c->api->attr_int(c, "component_index", &component));
  int* kept = malloc(sizeof *kept);
  if (!kept) return tfc_construction_out_of_memory(c);
  *kept = component < 0 || component > INT32_MAX ? INT32_MAX : (int)component;
  *state = kept;
  return TFC_OK;
}

static int check_values(tfc_context* ctx, const barrier* b, int component) {
  const tfc_tensor *keys = ctx->inputs[1], *values = ctx->inputs[2];
  if (component >= b->ready.form.n - FIRST_VALUE)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The component ID is out of range %d > num_components (= %d)", component,
                     b->ready.form.n - FIRST_VALUE);
  const queue_component* form = &b->ready.form.component[FIRST_VALUE + component];
  if (values->dtype != form->dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "component %d of barrier %s is of type %s, not %s",
                     component, b->name, tfc_dtype_name(form->dtype),
                     tfc_dtype_name(values->dtype));
  if (keys->rank != 1 || values->rank == 0 || values->dims[0] != keys->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Keys must be a vector with as many elements as there are values: %s, %s",
                     tfc_shape_text(keys).text, tfc_shape_text(values).text);
  if (keys->n && values->n == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Tensors with no elements are not supported %s: received shape %s", b->name,
                     tfc_shape_text(values).text);
  bool ok = values->rank - 1 == form->rank;
  for (int d = 0; d < form->rank && ok; d++) ok = values->dims[d + 1] == form->dims[d];
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Shape mismatch in tuple component %d. Expected %s, got %s",
                   FIRST_VALUE + component, tfc_dims_text(form->rank, form->dims).text,
                   tfc_dims_text(values->rank - 1, values->dims + 1).text);
}

/* With the mutex. */
static int insert_all(tfc_context* ctx, barrier* b, int component, queue_runs* ready) {
  const int64_t n = ctx->inputs[1]->n;
  bool grew = false;
  int code = TFC_OK;
  if (b->closed && (b->cancelled || (n && !b->n)))
    return tfc_error(ctx, TFC_CANCELLED,
                     "Barrier %s is closed.  Pending enqueues cancelled: %d.  Number of new "
                     "insertions: %lld.  Number of incomplete keys: %lld.",
                     b->name, b->cancelled, (long long)n, (long long)b->n);
  for (int64_t i = 0; i < n && !code; i++) code = insert_one(ctx, b, component, i, &grew, ready);
  b->index += grew;
  return code;
}

/* Closes the queue of a closed barrier when it has all elements that it will ever have. */
static void close_if_empty(barrier* b) {
  pthread_mutex_lock(&b->mutex);
  const bool empty = b->closed && b->n == 0 && b->putting == 0;
  pthread_mutex_unlock(&b->mutex);
  if (empty) queue_close_now(&b->ready);
}

static int compute_insert(tfc_context* ctx) {
  barrier* b = NULL;
  const int component = *(const int*)ctx->state;
  queue_attempt a = {.action = QUEUE_ENQUEUE};
  TFC_TRY(find(ctx, &b));
  TFC_TRY(check_values(ctx, b, component));
  a.q = &b->ready;
  pthread_mutex_lock(&b->mutex);
  const int code = insert_all(ctx, b, component, &a.held);
  const int64_t n = a.held.elements;
  b->putting += n;
  pthread_mutex_unlock(&b->mutex);
  const int put = n ? queue_attempt_run(ctx, &a) : TFC_OK;
  pthread_mutex_lock(&b->mutex);
  b->putting -= n;
  pthread_mutex_unlock(&b->mutex);
  close_if_empty(b);
  return code ? code : put;
}

/* ---- Taking, and the rest. */

typedef struct take_attrs {
  bool small, wait;
} take_attrs;

static int create_take(tfc_construction* c, void** state) {
  take_attrs attrs;
  TFC_TRY(c->api->attr_bool(c, "allow_small_batch", &attrs.small));
  TFC_TRY(c->api->attr_bool(c, "wait_for_incomplete", &attrs.wait));
  take_attrs* kept = malloc(sizeof *kept);
  if (!kept) return tfc_construction_out_of_memory(c);
  *kept = attrs;
  *state = kept;
  return TFC_OK;
}

static int64_t ready_size(barrier* b) {
  pthread_mutex_lock(&b->ready.mutex);
  const int64_t n = b->ready.runs.elements;
  pthread_mutex_unlock(&b->ready.mutex);
  return n;
}

/* How many elements there are to take, or an error if a closed barrier will not have enough. */
static int check_available(tfc_context* ctx, barrier* b, bool small, int64_t* wanted) {
  int64_t available = 0;
  pthread_mutex_lock(&b->mutex);
  const bool closed = b->closed;
  if (closed) {
    available = ready_size(b);
    if (small)
      *wanted = TFC_MIN(*wanted, available);
    else
      available += b->n + b->putting;
  }
  pthread_mutex_unlock(&b->mutex);
  if (!closed || available >= TFC_MAX(*wanted, 1)) return TFC_OK;
  return tfc_error(ctx, TFC_OUT_OF_RANGE,
                   "Barrier '%s' is closed and has insufficient elements (requested %lld, total "
                   "size %lld)",
                   b->name, (long long)*wanted, (long long)available);
}

static int check_outputs(tfc_context* ctx, const barrier* b) {
  const queue_form* form = &b->ready.form;
  bool ok = ctx->n_outputs == form->n;
  for (int i = 0; i < form->n && ok; i++) ok = ctx->outputs[i].dtype == form->component[i].dtype;
  for (int i = 0; i < form->n && ok; i++) ok = form->component[i].rank < TFC_MAX_RANK;
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "the components of barrier %s have other types than are asked for", b->name);
}

static int compute_take(tfc_context* ctx) {
  const take_attrs* attrs = ctx->state;
  barrier* b = NULL;
  TFC_TRY(find(ctx, &b));
  if (ctx->inputs[1]->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_elements must be a scalar.");
  int64_t wanted = tfc_index_at(ctx->inputs[1], 0);
  if (wanted < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "BarrierTakeMany requested %lld < 0 elements",
                     (long long)wanted);
  TFC_TRY(check_outputs(ctx, b));
  TFC_TRY(check_available(ctx, b, attrs->small && !attrs->wait, &wanted));
  queue_attempt a = {.q = &b->ready,
                     .action = QUEUE_DEQUEUE,
                     .wanted = wanted,
                     .many = true,
                     .up_to = attrs->small,
                     .or_ends = attrs->small && !attrs->wait};
  if (wanted == 0) return queue_make_outputs(ctx, &b->ready, 0, &a.held, true);
  return queue_attempt_run(ctx, &a);
}

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
  const bool cancel = *(const bool*)ctx->state;
  barrier* b = NULL;
  TFC_TRY(find(ctx, &b));
  pthread_mutex_lock(&b->mutex);
  const bool again = b->closed && (b->cancelled || !cancel);
  if (!again) {
    b->closed = true;
    b->cancelled = cancel;
    if (cancel) clear_entries(b);
  }
  pthread_mutex_unlock(&b->mutex);
  queue_end_soon(&b->ready);
  close_if_empty(b);
  if (!again) return TFC_OK;
  return tfc_error(ctx, TFC_CANCELLED, "Barrier '%s' is already closed.", b->name);
}

static int output_count(tfc_context* ctx, int64_t n) {
  TFC_TRY(tfc_output_scalar(ctx, 0));
  *(int32_t*)ctx->outputs[0].data = (int32_t)n;
  return TFC_OK;
}

static int compute_ready_size(tfc_context* ctx) {
  barrier* b = NULL;
  TFC_TRY(find(ctx, &b));
  return output_count(ctx, ready_size(b));
}

static int compute_incomplete_size(tfc_context* ctx) {
  barrier* b = NULL;
  TFC_TRY(find(ctx, &b));
  pthread_mutex_lock(&b->mutex);
  const int64_t n = b->n;
  pthread_mutex_unlock(&b->mutex);
  return output_count(ctx, n);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Barrier", "", compute_handle, .create = create_barrier),
    TFC_ROW("BarrierInsertMany", "", compute_insert, TFC_STATE(create_insert)),
    TFC_ROW("BarrierTakeMany", "", compute_take, TFC_STATE(create_take), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("BarrierClose", "", compute_close, TFC_STATE(create_close)),
    TFC_ROW("BarrierReadySize", "", compute_ready_size),
    TFC_ROW("BarrierIncompleteSize", "", compute_incomplete_size),
};
TFC_REGISTER_KERNELS(kernels);
