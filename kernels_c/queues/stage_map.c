/* MapStage, MapPeek, MapUnstage, MapUnstageNoKey, MapSize, MapIncompleteSize, MapClear, and the
 * same for Ordered: a staging area whose tuples have keys. A tuple may come in parts; it can be
 * taken once it is complete, as a whole or in parts, too. It is found by its name; there is no
 * handle.
 *
 * Where the ops for ordered areas take the tuple with the smallest key, the others may take any:
 * they do the same.
 */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/queues/stage.h"

TFC_ONE_LEVEL;

/* A tensor of a tuple. All zero: it has not come yet, or has been taken. */
typedef struct map_value {
  tfc_tensor tensor;
  int64_t bytes;
} map_value;

/* A tuple; a node of a treap, a search tree by key that is a heap by a hash of it. */
typedef struct map_entry {
  struct map_entry *left, *right;
  int64_t key;
  int32_t n, present; /* tensors in all, and those that are there */
  map_value value[];
} map_entry;

typedef struct map {
  int64_t capacity, memory_limit; /* 0: none */
  const tfc_api* api;             /* atomic: set once, before there are tuples */
  pthread_mutex_t mutex;
  /* Under the mutex. */
  map_entry *complete, *incomplete;
  int64_t n_complete, n_incomplete, bytes;
  int32_t size; /* tensors of a tuple; 0: not known before the first comes */
  tfc_line putters, takers;
} map;

typedef enum map_action { MAP_PUT, MAP_TAKE, MAP_PEEK } map_action;

typedef enum map_fault {
  MAP_NO_FAULT,
  MAP_OUT_OF_BOUNDS,
  MAP_IS_THERE,
  MAP_IS_GONE,
  MAP_OTHER_SIZE,
} map_fault;

typedef struct map_part {
  int32_t index;
  map_value value;
} map_part;

typedef struct map_attempt {
  tfc_waiter waiter; /* first */
  map* m;
  map_action action;
  bool any_key;
  int64_t key;
  int64_t bytes;    /* to put */
  int32_t size;     /* tensors of a whole tuple */
  map_entry* spare; /* to put: what may become the tuple; or one that was left out */
  map_fault fault;
  int32_t where; /* the index that is wrong, or the size of other tuples */
  int32_t n;
  map_part part[]; /* to put, or taken */
} map_attempt;

/* ---- Trees. */

static uint64_t priority(int64_t key) {
  uint64_t x = (uint64_t)key + 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

static map_entry** find(map_entry** link, int64_t key) {
  while (*link && (*link)->key != key) link = key < (*link)->key ? &(*link)->left : &(*link)->right;
  return link;
}

static map_entry** find_smallest(map_entry** link) {
  while (*link && (*link)->left) link = &(*link)->left;
  return link;
}

/* Hangs the parts of a tree below and above a key into two places. */
static void cut(map_entry* tree, int64_t key, map_entry** below, map_entry** above) {
  while (tree) {
    if (tree->key < key) {
      *below = tree;
      below = &tree->right;
      tree = tree->right;
    } else {
      *above = tree;
      above = &tree->left;
      tree = tree->left;
    }
  }
  *below = *above = NULL;
}

/* There is no entry with its key. */
static void insert(map_entry** link, map_entry* e) {
  while (*link && priority((*link)->key) >= priority(e->key))
    link = e->key < (*link)->key ? &(*link)->left : &(*link)->right;
  cut(*link, e->key, &e->left, &e->right);
  *link = e;
}

static map_entry* take_out(map_entry** link) {
  map_entry *e = *link, *left = e->left, *right = e->right;
  while (left && right) {
    if (priority(left->key) >= priority(right->key)) {
      *link = left;
      link = &left->right;
      left = left->right;
    } else {
      *link = right;
      link = &right->left;
      right = right->left;
    }
  }
  *link = left ? left : right;
  return e;
}

static bool is_there(const map_value* v) {
  return v->tensor.dtype != 0;
}

static void drop_value(const tfc_api* api, map_value* v) {
  if (is_there(v)) tfc_let_go(api, &v->tensor);
}

static void drop_entry(const tfc_api* api, map_entry* e) {
  for (int i = 0; e && i < e->n; i++) drop_value(api, &e->value[i]);
  free(e);
}

/* Smallest first, so that it takes no room to remember the way back. */
static void drop_tree(const tfc_api* api, map_entry* tree) {
  while (tree) drop_entry(api, take_out(find_smallest(&tree)));
}

/* ---- Attempts. */

static void free_attempt(const tfc_api* api, map_attempt* a) {
  for (int i = 0; i < a->n; i++) drop_value(api, &a->part[i].value);
  drop_entry(api, a->spare);
  free(a);
}

static map_attempt* new_attempt(map* m, map_action action, int64_t n) {
  map_attempt* a = calloc(1, sizeof *a + (size_t)n * sizeof *a->part);
  if (!a) return NULL;
  a->m = m;
  a->action = action;
  a->n = (int32_t)n;
  return a;
}

/* ---- With the mutex. */

static bool wrong(map_attempt* a, map_fault fault, int32_t where) {
  a->fault = fault;
  a->where = where;
  return false;
}

static bool has_room(const map* m, const map_attempt* a) {
  if (m->memory_limit > 0 && m->bytes + a->bytes > m->memory_limit) return false;
  /* Parts of tuples that are incomplete anyway may exceed the capacity. */
  return m->capacity <= 0 || a->n < a->size || m->n_complete < m->capacity;
}

static bool can_go_on(map_attempt* a) {
  map* m = a->m;
  if (a->action == MAP_PUT) return has_room(m, a);
  return a->any_key ? m->complete != NULL : *find(&m->complete, a->key) != NULL;
}

static bool parts_fit(map_attempt* a, const map_entry* e) {
  for (int i = 0; i < a->n; i++) {
    const int32_t index = a->part[i].index;
    if (index < 0 || index >= e->n) {
      a->size = e->n;
      return wrong(a, MAP_OUT_OF_BOUNDS, index);
    }
    const bool there = is_there(&e->value[index]);
    if (there && a->action == MAP_PUT) return wrong(a, MAP_IS_THERE, index);
    if (!there && a->action != MAP_PUT) return wrong(a, MAP_IS_GONE, index);
  }
  return true;
}

/* If there is one with its key already, the new tuple is left out, as TensorFlow does. */
static void put_complete(map* m, map_attempt* a, map_entry* e) {
  if (*find(&m->complete, e->key)) {
    for (int i = 0; i < e->n; i++) m->bytes -= e->value[i].bytes;
    a->spare = e;
  } else {
    insert(&m->complete, e);
    m->n_complete++;
  }
}

static void put(map_attempt* a) {
  map* m = a->m;
  if (m->size && m->size != a->size) {
    wrong(a, MAP_OTHER_SIZE, m->size);
    return;
  }
  const bool whole = a->n == a->size;
  map_entry** link = find(&m->incomplete, a->key);
  map_entry* e = whole || !*link ? a->spare : *link;
  if (!parts_fit(a, e)) return;
  for (int i = 0; i < a->n; i++) {
    e->value[a->part[i].index] = a->part[i].value;
    a->part[i].value = (map_value){0};
  }
  m->size = a->size;
  m->bytes += a->bytes;
  e->present += a->n;
  if (e == a->spare) {
    a->spare = NULL;
    if (!whole) {
      insert(&m->incomplete, e);
      m->n_incomplete++;
      return;
    }
  } else if (e->present == e->n) {
    take_out(link);
    m->n_incomplete--;
  }
  if (e->present == e->n) put_complete(m, a, e);
}

static void take(map_attempt* a) {
  map* m = a->m;
  map_entry** link = a->any_key ? find_smallest(&m->complete) : find(&m->complete, a->key);
  map_entry* e = *link;
  a->key = e->key;
  if (!parts_fit(a, e)) return;
  for (int i = 0; i < a->n; i++) {
    map_value *from = &e->value[a->part[i].index], *to = &a->part[i].value;
    if (a->action == MAP_PEEK) {
      tfc_hold(m->api, &to->tensor, &from->tensor);
      continue;
    }
    *to = *from;
    *from = (map_value){0};
    m->bytes -= to->bytes;
    e->present--;
  }
  if (e->present) return;
  a->spare = take_out(link);
  m->n_complete--;
}

static void go_on(map_attempt* a) {
  if (a->action == MAP_PUT)
    put(a);
  else
    take(a);
}

static bool serve_line(const map* m, tfc_line* line, tfc_line* served) {
  bool changed = false;
  for (tfc_waiter *w = line->first, *next; w; w = next) {
    map_attempt* a = (map_attempt*)w;
    next = w->next;
    if (!can_go_on(a)) continue;
    changed = true;
    if (!tfc_wait_claim(m->api, w)) continue;
    go_on(a);
    tfc_wait_append(served, w);
  }
  return changed;
}

/* Nobody waits for those before: they may want another key, or more room. */
static void serve_all(map* m, tfc_line* served) {
  while (serve_line(m, &m->putters, served) | serve_line(m, &m->takers, served)) continue;
}

/* ---- Without the mutex: the end of an attempt. */

static int fault_error(tfc_context* ctx, const map_attempt* a) {
  const long long key = (long long)a->key;
  switch (a->fault) {
    case MAP_OUT_OF_BOUNDS:
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Index '%d' for key '%lld' was out of bounds '%d'.", a->where, key, a->size);
    case MAP_IS_THERE:
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "The tensor for index '%d' for key '%lld' was already initialized '%d'.",
                       a->where, key, a->size);
    case MAP_IS_GONE:
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Tensor at index '%d' for key '%lld' has already been removed.", a->where,
                       key);
    case MAP_OTHER_SIZE:
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Tuples of this staging area have %d tensors, not %d", a->where, a->size);
    default: return TFC_OK;
  }
}

static int give(tfc_context* ctx, const map_attempt* a) {
  TFC_TRY(fault_error(ctx, a));
  if (a->action == MAP_PUT) return TFC_OK;
  const int first = a->any_key;
  if (a->any_key) {
    TFC_TRY(tfc_output_scalar(ctx, 0));
    *(int64_t*)ctx->outputs[0].data = a->key;
  }
  for (int i = 0; i < a->n; i++) TFC_TRY(stage_output(ctx, first + i, i, &a->part[i].value.tensor));
  return TFC_OK;
}

/* What the waiter is a part of is freed with it. */
static void resume(map_attempt* a, int code) {
  const tfc_api* api = a->m->api;
  for (int i = 0; i < a->n; i++) drop_value(api, &a->part[i].value);
  drop_entry(api, a->spare);
  tfc_wait_resume(api, &a->waiter, code);
}

static void end_all(tfc_line* served) {
  while (served->first) {
    map_attempt* a = (map_attempt*)served->first;
    tfc_wait_leave(&a->waiter);
    resume(a, give(a->waiter.ctx, a));
  }
}

static void cancelled(void* arg) {
  map_attempt* a = arg;
  pthread_mutex_lock(&a->m->mutex);
  tfc_wait_leave(&a->waiter);
  pthread_mutex_unlock(&a->m->mutex);
  resume(a, tfc_error(a->waiter.ctx, TFC_CANCELLED, "Staging operation was cancelled"));
}

/* Takes over the attempt. */
static int wait_in_line(tfc_context* ctx, map_attempt* a) {
  map* m = a->m;
  tfc_line served = {0};
  if (!tfc_wait_prepare(ctx, &a->waiter)) {
    free_attempt(ctx->api, a);
    return TFC_RESOURCE_EXHAUSTED;
  }
  pthread_mutex_lock(&m->mutex);
  tfc_line* line = a->action == MAP_PUT ? &m->putters : &m->takers;
  const bool waits = tfc_wait_join(m->api, line, &a->waiter, cancelled);
  if (waits) serve_all(m, &served); /* what it wants may have come meanwhile */
  pthread_mutex_unlock(&m->mutex);
  if (!waits) resume(a, TFC_CANCELLED);
  end_all(&served);
  return TFC_PENDING;
}

/* Takes over the attempt. */
static int run(tfc_context* ctx, map_attempt* a) {
  map* m = a->m;
  tfc_line others = {0};
  pthread_mutex_lock(&m->mutex);
  const bool served = can_go_on(a);
  if (served) {
    go_on(a);
    serve_all(m, &others);
  }
  pthread_mutex_unlock(&m->mutex);
  end_all(&others);
  if (!served) return wait_in_line(ctx, a);
  const int code = give(ctx, a);
  free_attempt(ctx->api, a);
  return code;
}

/* ---- Kernels. */

typedef struct map_kernel {
  map* m;
  int size; /* tensors of a tuple, of an op that puts */
} map_kernel;

static void destroy_map(void* object) {
  map* m = object;
  drop_tree(m->api, m->complete);
  drop_tree(m->api, m->incomplete);
  pthread_mutex_destroy(&m->mutex);
  free(m);
}

static void* make_map(void* arg) {
  map* m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->capacity = ((const map*)arg)->capacity;
  m->memory_limit = ((const map*)arg)->memory_limit;
  pthread_mutex_init(&m->mutex, NULL);
  return m;
}

static int find_map(tfc_construction* c, map_kernel* k) {
  map form = {0};
  const char *container, *shared_name;
  size_t size;
  TFC_TRY(c->api->attr_int(c, "capacity", &form.capacity));
  TFC_TRY(c->api->attr_int(c, "memory_limit", &form.memory_limit));
  TFC_TRY(c->api->attr_types(c, "dtypes", 0, NULL, &k->size));
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(c->api->attr_string(c, "shared_name", &shared_name, &size));
  const bool ordered = strncmp(c->op_type, "Ordered", strlen("Ordered")) == 0;
  return c->api->resource(c, ordered ? "ordered staging map" : "staging map", container,
                          size ? shared_name : c->op_name, make_map, &form, destroy_map,
                          (void**)&k->m);
}

static int create(tfc_construction* c, void** state) {
  map_kernel* k = calloc(1, sizeof *k);
  if (!k) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  const int code = find_map(c, k);
  if (code)
    free(k);
  else
    *state = k;
  return code;
}

static map* map_of(tfc_context* ctx) {
  map* m = ((map_kernel*)ctx->state)->m;
  if (!__atomic_load_n(&m->api, __ATOMIC_ACQUIRE))
    __atomic_store_n(&m->api, ctx->api, __ATOMIC_RELEASE);
  return m;
}

static int read_key(tfc_context* ctx, int64_t* key) {
  if (ctx->inputs[0]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "key must be an int64 scalar, got tensor with shape: %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  *key = tfc_index_at(ctx->inputs[0], 0);
  return TFC_OK;
}

static int read_indices(tfc_context* ctx, int input, map_attempt* a) {
  for (int i = 0; i < a->n; i++) {
    a->part[i].index = (int32_t)tfc_index_at(ctx->inputs[input], i);
    if (i && a->part[i].index <= a->part[i - 1].index)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Indices are not strictly ordered");
  }
  return TFC_OK;
}

static int read_tuple(tfc_context* ctx, map_attempt* a) {
  TFC_TRY(read_key(ctx, &a->key));
  TFC_TRY(read_indices(ctx, 1, a));
  for (int i = 0; i < a->n; i++) {
    map_value* v = &a->part[i].value;
    TFC_TRY(tfc_keep(ctx, &v->tensor, ctx->inputs[2 + i]));
    v->bytes = stage_bytes(&v->tensor);
    a->bytes += v->bytes;
  }
  a->spare = calloc(1, sizeof *a->spare + (size_t)a->size * sizeof *a->spare->value);
  if (!a->spare) return stage_no_memory(ctx);
  a->spare->key = a->key;
  a->spare->n = a->size;
  const int64_t limit = a->m->memory_limit;
  return limit > 0 && a->bytes > limit ? stage_too_large(ctx, a->bytes, limit) : TFC_OK;
}

static int compute_put(tfc_context* ctx) {
  const int n = ctx->n_inputs - 2;
  if (ctx->inputs[1]->n != n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of indices '%lld' doesn't match number of values '%d'",
                     (long long)ctx->inputs[1]->n, n);
  map_attempt* a = new_attempt(map_of(ctx), MAP_PUT, n);
  if (!a) return stage_no_memory(ctx);
  a->size = ((map_kernel*)ctx->state)->size;
  const int code = read_tuple(ctx, a);
  if (code == TFC_OK) return run(ctx, a);
  free_attempt(ctx->api, a);
  return code;
}

static int get(tfc_context* ctx, map_action action, bool any_key) {
  const tfc_tensor* indices = ctx->inputs[!any_key];
  if (indices->n == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Indices are empty");
  if (indices->n != ctx->n_outputs - any_key)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Mismatch stage/unstage: %lld vs. %d",
                     (long long)indices->n, ctx->n_outputs - any_key);
  map_attempt* a = new_attempt(map_of(ctx), action, indices->n);
  if (!a) return stage_no_memory(ctx);
  a->any_key = any_key;
  int code = any_key ? TFC_OK : read_key(ctx, &a->key);
  if (code == TFC_OK) code = read_indices(ctx, !any_key, a);
  if (code == TFC_OK) return run(ctx, a);
  free_attempt(ctx->api, a);
  return code;
}

static int compute_take(tfc_context* ctx) {
  return get(ctx, MAP_TAKE, false);
}
static int compute_take_any(tfc_context* ctx) {
  return get(ctx, MAP_TAKE, true);
}
static int compute_peek(tfc_context* ctx) {
  return get(ctx, MAP_PEEK, false);
}

static int output_count(tfc_context* ctx, const int64_t* count) {
  map* m = map_of(ctx);
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_mutex_lock(&m->mutex);
  *(int32_t*)ctx->outputs[0].data = (int32_t)*count;
  pthread_mutex_unlock(&m->mutex);
  return TFC_OK;
}

static int compute_size(tfc_context* ctx) {
  return output_count(ctx, &map_of(ctx)->n_complete);
}
static int compute_incomplete_size(tfc_context* ctx) {
  return output_count(ctx, &map_of(ctx)->n_incomplete);
}

static int compute_clear(tfc_context* ctx) {
  map* m = map_of(ctx);
  tfc_line served = {0};
  pthread_mutex_lock(&m->mutex);
  map_entry *complete = m->complete, *incomplete = m->incomplete;
  m->complete = m->incomplete = NULL;
  m->n_complete = m->n_incomplete = m->bytes = 0;
  serve_all(m, &served);
  pthread_mutex_unlock(&m->mutex);
  drop_tree(m->api, complete);
  drop_tree(m->api, incomplete);
  end_all(&served);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MapStage", "", compute_put, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("OrderedMapStage", "", compute_put, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("MapPeek", "", compute_peek, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("OrderedMapPeek", "", compute_peek, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("MapUnstage", "", compute_take, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("OrderedMapUnstage", "", compute_take, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("MapUnstageNoKey", "", compute_take_any, TFC_STATE(create), .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("OrderedMapUnstageNoKey", "", compute_take_any, TFC_STATE(create),
            .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("MapSize", "", compute_size, TFC_STATE(create)),
    TFC_ROW("OrderedMapSize", "", compute_size, TFC_STATE(create)),
    TFC_ROW("MapIncompleteSize", "", compute_incomplete_size, TFC_STATE(create)),
    TFC_ROW("OrderedMapIncompleteSize", "", compute_incomplete_size, TFC_STATE(create)),
    TFC_ROW("MapClear", "", compute_clear, TFC_STATE(create)),
    TFC_ROW("OrderedMapClear", "", compute_clear, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
