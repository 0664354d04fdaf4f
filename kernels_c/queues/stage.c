/* Stage, Unstage, StagePeek, StageSize, StageClear: a staging area, which holds tuples of tensors
 * between steps, in order. It is found by its name; there is no handle.
 */
#include "kernels_c/queues/stage.h"

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

typedef struct stage_tuple {
  struct stage_tuple* next;
  int64_t bytes;
  int32_t n;
  tfc_tensor value[];
} stage_tuple;

typedef struct stage {
  int64_t capacity, memory_limit; /* 0: none */
  const tfc_api* api;             /* atomic: set once, before there are tuples */
  pthread_mutex_t mutex;
  /* Under the mutex. */
  stage_tuple *first, *last;
  int64_t n, bytes;
  tfc_line putters, getters, peekers; /* of stage_attempt */
} stage;

typedef enum stage_action { STAGE_PUT, STAGE_GET, STAGE_PEEK } stage_action;

typedef struct stage_attempt {
  tfc_waiter waiter; /* first */
  stage* s;
  stage_action action;
  int64_t index;      /* peek */
  stage_tuple* holds; /* to put, or got; NULL after a peek: no memory */
} stage_attempt;

/* ---- Tuples. */

static void drop(const tfc_api* api, stage_tuple* t) {
  if (!t) return;
  for (int i = 0; i < t->n; i++) tfc_let_go(api, &t->value[i]);
  free(t);
}

static stage_tuple* new_tuple(int n) {
  stage_tuple* t = calloc(1, sizeof *t + (size_t)n * sizeof(tfc_tensor));
  if (t) t->n = n;
  return t;
}

static int keep_inputs(tfc_context* ctx, stage_tuple** out) {
  stage_tuple* t = new_tuple(ctx->n_inputs);
  if (!t) return stage_no_memory(ctx);
  for (int i = 0; i < t->n; i++) {
    const int code = tfc_keep(ctx, &t->value[i], ctx->inputs[i]);
    if (code) {
      drop(ctx->api, t);
      return code;
    }
    t->bytes += stage_bytes(&t->value[i]);
  }
  *out = t;
  return TFC_OK;
}

/* Another reference to all tensors, or NULL. */
static stage_tuple* share(const tfc_api* api, const stage_tuple* t) {
  stage_tuple* made = new_tuple(t->n);
  for (int i = 0; i < t->n && made; i++) tfc_hold(api, &made->value[i], &t->value[i]);
  return made;
}

/* ---- With the mutex. */

static void append(stage* s, stage_tuple* t) {
  t->next = NULL;
  if (s->last)
    s->last->next = t;
  else
    s->first = t;
  s->last = t;
  s->n++;
  s->bytes += t->bytes;
}

static stage_tuple* pop(stage* s) {
  stage_tuple* t = s->first;
  s->first = t->next;
  if (!s->first) s->last = NULL;
  s->n--;
  s->bytes -= t->bytes;
  return t;
}

static bool has_room(const stage* s, const stage_tuple* t) {
  return (s->capacity <= 0 || s->n < s->capacity) &&
         (s->memory_limit <= 0 || s->bytes + t->bytes <= s->memory_limit);
}

static bool can_go_on(const stage_attempt* a) {
  switch (a->action) {
    case STAGE_PUT: return has_room(a->s, a->holds);
    case STAGE_GET: return a->s->n > 0;
    default: return a->index < a->s->n;
  }
}

/* What the attempt wants is there. */
static void go_on(stage_attempt* a) {
  const stage_tuple* t = a->s->first;
  switch (a->action) {
    case STAGE_PUT:
      append(a->s, a->holds);
      a->holds = NULL;
      break;
    case STAGE_GET: a->holds = pop(a->s); break;
    default:
      for (int64_t i = 0; i < a->index; i++) t = t->next;
      a->holds = share(a->s->api, t);
  }
}

/* Returns whether the attempt left its line. */
static bool serve(stage_attempt* a, tfc_line* served) {
  if (!can_go_on(a)) return false;
  if (!tfc_wait_claim(a->s->api, &a->waiter)) return true;
  go_on(a);
  tfc_wait_append(served, &a->waiter);
  return true;
}

static bool serve_first(tfc_line* line, tfc_line* served) {
  bool changed = false;
  while (line->first && serve((stage_attempt*)line->first, served)) changed = true;
  return changed;
}

/* Peekers do not wait for each other, but want different tuples. */
static void serve_peekers(stage* s, tfc_line* served) {
  for (tfc_waiter *w = s->peekers.first, *next; w; w = next) {
    next = w->next;
    serve((stage_attempt*)w, served);
  }
}

static void serve_all(stage* s, tfc_line* served) {
  bool changed;
  do {
    changed = serve_first(&s->putters, served);
    serve_peekers(s, served);
    changed |= serve_first(&s->getters, served);
  } while (changed);
}

/* ---- Without the mutex: the end of an attempt. */

static int give(tfc_context* ctx, const stage_tuple* t) {
  if (!t) return stage_no_memory(ctx);
  if (t->n != ctx->n_outputs)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Mismatch stage/unstage: %d vs. %d", t->n,
                     ctx->n_outputs);
  for (int i = 0; i < t->n; i++) TFC_TRY(stage_output(ctx, i, i, &t->value[i]));
  return TFC_OK;
}

static int end_attempt(stage_attempt* a) {
  const int code = a->action == STAGE_PUT ? TFC_OK : give(a->waiter.ctx, a->holds);
  drop(a->s->api, a->holds);
  return code;
}

static void end_all(tfc_line* served) {
  while (served->first) {
    stage_attempt* a = (stage_attempt*)served->first;
    const tfc_api* api = a->s->api;
    tfc_wait_leave(&a->waiter);
    const int code = end_attempt(a);
    tfc_wait_resume(api, &a->waiter, code);
  }
}

static void cancelled(void* arg) {
  stage_attempt* a = arg;
  stage* s = a->s;
  tfc_line served = {0};
  pthread_mutex_lock(&s->mutex);
  tfc_wait_leave(&a->waiter);
  serve_all(s, &served); /* those behind it may continue */
  pthread_mutex_unlock(&s->mutex);
  drop(s->api, a->holds);
  const int code = tfc_error(a->waiter.ctx, TFC_CANCELLED, "Staging operation was cancelled");
  tfc_wait_resume(s->api, &a->waiter, code);
  end_all(&served);
}

static tfc_line* line_of(stage_attempt* a) {
  switch (a->action) {
    case STAGE_PUT: return &a->s->putters;
    case STAGE_GET: return &a->s->getters;
    default: return &a->s->peekers;
  }
}

static int wait_in_line(tfc_context* ctx, const stage_attempt* attempt) {
  stage* s = attempt->s;
  tfc_line served = {0};
  stage_attempt* a = malloc(sizeof *a);
  if (!a) return stage_no_memory(ctx);
  *a = *attempt;
  if (!tfc_wait_prepare(ctx, &a->waiter)) {
    free(a);
    return TFC_RESOURCE_EXHAUSTED;
  }
  pthread_mutex_lock(&s->mutex);
  const bool waits = tfc_wait_join(s->api, line_of(a), &a->waiter, cancelled);
  if (waits) serve_all(s, &served);
  pthread_mutex_unlock(&s->mutex);
  if (!waits) {
    drop(s->api, a->holds);
    tfc_wait_resume(s->api, &a->waiter, TFC_CANCELLED);
  }
  end_all(&served);
  return TFC_PENDING;
}

/* Takes over what the attempt holds. */
static int run(tfc_context* ctx, stage_attempt* a) {
  stage* s = a->s;
  tfc_line others = {0};
  a->waiter.ctx = ctx;
  pthread_mutex_lock(&s->mutex);
  const bool served = (a->action == STAGE_PEEK || !line_of(a)->first) && can_go_on(a);
  if (served) {
    go_on(a);
    serve_all(s, &others);
  }
  pthread_mutex_unlock(&s->mutex);
  end_all(&others);
  if (served) return end_attempt(a);
  const int code = wait_in_line(ctx, a);
  if (code != TFC_PENDING) drop(s->api, a->holds);
  return code;
}

/* ---- Kernels. */

static void destroy_stage(void* object) {
  stage* s = object;
  while (s->first) drop(s->api, pop(s));
  pthread_mutex_destroy(&s->mutex);
  free(s);
}

static void* make_stage(void* arg) {
  stage* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->capacity = ((const stage*)arg)->capacity;
  s->memory_limit = ((const stage*)arg)->memory_limit;
  pthread_mutex_init(&s->mutex, NULL);
  return s;
}

/* The state is the staging area. */
static int create(tfc_construction* c, void** state) {
  stage form = {0};
  const char *container, *shared_name;
  size_t size;
  TFC_TRY(c->api->attr_int(c, "capacity", &form.capacity));
  TFC_TRY(c->api->attr_int(c, "memory_limit", &form.memory_limit));
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(c->api->attr_string(c, "shared_name", &shared_name, &size));
  return c->api->resource(c, "staging area", container, size ? shared_name : c->op_name, make_stage,
                          &form, destroy_stage, state);
}

static stage* stage_of(tfc_context* ctx) {
  stage* s = ctx->state;
  if (!__atomic_load_n(&s->api, __ATOMIC_ACQUIRE))
    __atomic_store_n(&s->api, ctx->api, __ATOMIC_RELEASE);
  return s;
}

static int compute_put(tfc_context* ctx) {
  stage* s = stage_of(ctx);
  stage_attempt a = {.s = s, .action = STAGE_PUT};
  TFC_TRY(keep_inputs(ctx, &a.holds));
  if (s->memory_limit > 0 && a.holds->bytes > s->memory_limit) {
    const int64_t bytes = a.holds->bytes;
    drop(ctx->api, a.holds);
    return stage_too_large(ctx, bytes, s->memory_limit);
  }
  return run(ctx, &a);
}

static int compute_get(tfc_context* ctx) {
  stage_attempt a = {.s = stage_of(ctx), .action = STAGE_GET};
  return run(ctx, &a);
}

static int compute_peek(tfc_context* ctx) {
  stage_attempt a = {.s = stage_of(ctx), .action = STAGE_PEEK};
  if (ctx->inputs[0]->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "index must be scalar");
  a.index = tfc_index_at(ctx->inputs[0], 0);
  if (a.index < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "index must not be negative, but is %lld",
                     (long long)a.index);
  return run(ctx, &a);
}

static int compute_size(tfc_context* ctx) {
  stage* s = stage_of(ctx);
  TFC_TRY(tfc_output_scalar(ctx, 0));
  pthread_mutex_lock(&s->mutex);
  *(int32_t*)ctx->outputs[0].data = (int32_t)s->n;
  pthread_mutex_unlock(&s->mutex);
  return TFC_OK;
}

static int compute_clear(tfc_context* ctx) {
  stage* s = stage_of(ctx);
  tfc_line served = {0};
  stage_tuple* all = NULL;
  pthread_mutex_lock(&s->mutex);
  all = s->first;
  s->first = s->last = NULL;
  s->n = s->bytes = 0;
  serve_all(s, &served);
  pthread_mutex_unlock(&s->mutex);
  while (all) {
    stage_tuple* next = all->next;
    drop(s->api, all);
    all = next;
  }
  end_all(&served);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Stage", "", compute_put, .create = create, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("Unstage", "", compute_get, .create = create, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("StagePeek", "", compute_peek, .create = create, .flags = TFC_KERNEL_ASYNC),
    TFC_ROW("StageSize", "", compute_size, .create = create),
    TFC_ROW("StageClear", "", compute_clear, .create = create),
};
TFC_REGISTER_KERNELS(kernels);
