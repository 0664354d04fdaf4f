/* See workers.h. */
#include "kernels_c/data/threads/workers.h"

#include <unistd.h>

TFC_ONE_LEVEL;

int workers_no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for threads that prepare elements");
}

int workers_init(workers* w, tfc_context* ctx, const workers_kind* kind, stage_counts* counts,
                 int64_t most) {
  w->kind = kind;
  w->api = ctx->api;
  w->counts = counts;
  pthread_mutex_init(&w->lock, NULL);
  iterator_wait_init(&w->room);
  iterator_wait_init(&w->ready);
  w->users = 1;
  w->most = most;
  w->process = getpid();
  w->contexts = calloc((size_t)most, sizeof *w->contexts);
  return w->contexts ? TFC_OK : workers_no_memory(ctx);
}

/* With the lock, which it gives up. */
static void leave(workers* w) {
  bool last = !--w->users;
  pthread_mutex_unlock(&w->lock);
  if (!last) return;
  w->kind->free_stage(w);
  free(w->contexts);
  pthread_mutex_destroy(&w->lock);
  pthread_cond_destroy(&w->room);
  pthread_cond_destroy(&w->ready);
  free(w);
}

static void work(tfc_context* ctx, void* arg) {
  workers* w = arg;
  pthread_mutex_lock(&w->lock);
  int64_t me = 0;
  while (w->contexts[me]) me++;
  w->contexts[me] = ctx;
  w->kind->work(w, ctx, me);
  w->contexts[me] = NULL;
  tuning_count(&w->counts->workers, -1);
  pthread_cond_broadcast(&w->room);
  pthread_cond_broadcast(&w->ready);
  leave(w);
}

bool workers_add(workers* w) {
  w->users++;
  w->n++;
  tuning_count(&w->counts->workers, 1);
  if (tfc_spawn_inner(w->api, work, w)) return true;
  w->users--;
  w->n--;
  tuning_count(&w->counts->workers, -1);
  return false;
}

int workers_start(workers* w, tfc_context* ctx, int64_t n) {
  pthread_mutex_lock(&w->lock);
  while (w->n < n && workers_add(w)) {
  }
  bool any = w->n > 0;
  pthread_mutex_unlock(&w->lock);
  return any ? TFC_OK : workers_no_memory(ctx);
}

void workers_close(workers* w) {
  if (w->process != getpid()) return; /* the lock may be held by a thread that is not here */
  pthread_mutex_lock(&w->lock);
  w->stops = true;
  pthread_cond_broadcast(&w->room);
  for (int i = 0; i < END_WAITS && w->users > 1; i++) {
    for (int64_t k = 0; k < w->n; k++)
      if (w->contexts[k]) tfc_cancel_inner(w->api, w->contexts[k]);
    iterator_wait(&w->ready, &w->lock);
  }
  leave(w);
}

int workers_wait(workers* w, tfc_context* ctx) {
  iterator_wait(&w->ready, &w->lock);
  pthread_mutex_unlock(&w->lock);
  int code = iterator_check(ctx);
  pthread_mutex_lock(&w->lock);
  return code;
}

int workers_rest(workers* w, tfc_context* ctx, bool (*is_busy)(const workers* w)) {
  int code = TFC_OK;
  pthread_mutex_lock(&w->lock);
  w->rests = true;
  while (!code && is_busy(w)) code = workers_wait(w, ctx);
  pthread_mutex_unlock(&w->lock);
  return code;
}

void workers_go_on(workers* w) {
  pthread_mutex_lock(&w->lock);
  w->rests = false;
  pthread_cond_broadcast(&w->room);
  pthread_mutex_unlock(&w->lock);
}

/* ---- Slots */

slot* slot_new(int n) {
  return calloc(1, sizeof(slot) + (size_t)n * sizeof(tfc_tensor));
}

void slot_free(const tfc_api* api, slot* at, int n) {
  iterator_drop(api, at->element, n);
  free(at->text);
  free(at);
}

void slot_note(slot* at, tfc_context* ctx, int code) {
  if (!code) return;
  at->code = tfc_take_error(ctx, &at->text);
  if (!at->code) at->code = code;
}

int slot_take(slot* at, tfc_context* ctx, tfc_tensor* out, int n, bool* end) {
  int code = at->code;
  *end = at->end;
  if (code) {
    tfc_error(ctx, code, "%s", at->text ? at->text : "no memory for the text of an error");
  } else if (!*end) {
    element_move(out, at->element, n);
  }
  free(at->text);
  at->text = NULL;
  at->code = TFC_OK;
  at->ready = false;
  return code;
}

int slot_position(slot* at, position* p, int n) {
  int64_t code = at->code;
  TFC_TRY(position_count(p, &code, TFC_DATA_LOSS + 1));
  TFC_TRY(position_bool(p, &at->end));
  TFC_TRY(position_text(p, &at->text));
  if (!code && !at->end) TFC_TRY(position_tensors(p, at->element, n));
  if (!p->saves) {
    at->code = (int)code;
    at->ready = true;
  }
  return TFC_OK;
}

/* ---- Numbers of calls */

static void* make_counter(void* arg) {
  (void)arg;
  call_counter* counter = calloc(1, sizeof *counter);
  return counter ? counter_hold(counter) : NULL;
}

call_counter* counter_hold(call_counter* counter) {
  __atomic_fetch_add(&counter->refs, 1, __ATOMIC_RELAXED);
  return counter;
}

/* NULL: nothing. */
void counter_drop(void* counter) {
  if (counter && !__atomic_sub_fetch(&((call_counter*)counter)->refs, 1, __ATOMIC_ACQ_REL))
    free(counter);
}

int call_numbers_find(tfc_construction* c, call_counter** counter) {
  return c->api->resource(c, "generator", "", c->op_name, make_counter, NULL, counter_drop,
                          (void**)counter);
}

void call_numbers_open(call_numbers* n, tfc_context* ctx, call_counter* counter) {
  n->counter = counter;
  n->scope = tfc_new_scope(ctx);
  n->nested = n->scope != 0;
}

/* Not when it is opened: the iterator before it may still be there then. Scopes of calls are odd
 * (tfc_new_scope), those of iterators even. */
void call_numbers_begin(call_numbers* n) {
  if (n->begun || n->nested || !n->counter) return;
  n->begun = true;
  if (__atomic_fetch_add(&n->counter->open, 1, __ATOMIC_ACQ_REL))
    n->scope = 2 * (uint64_t)__atomic_add_fetch(&n->counter->scopes, 1, __ATOMIC_RELAXED);
  else
    n->next = __atomic_load_n(&n->counter->next, __ATOMIC_RELAXED);
}

void call_numbers_close(call_numbers* n) {
  if (n->begun) __atomic_fetch_sub(&n->counter->open, 1, __ATOMIC_ACQ_REL);
  n->begun = false;
}

/* What is beneath a stage makes one element after the other, and draws in this order, unless other
 * stages beside this one do so at the same time. */
int call_numbers_pull(const call_numbers* n, tfc_context* ctx) {
  enum { OF_INPUT = 2 }; /* another odd scope */
  if (!n->nested) return tfc_number_calls(ctx, 0, -1);
  return tfc_number_calls(ctx, n->scope + OF_INPUT, n->next);
}

/* After an error of the input, the function is not called. */
int64_t call_numbers_count(call_numbers* n, bool some) {
  int64_t number = n->next;
  n->next += some || n->nested;
  return number;
}

void call_numbers_taken(call_numbers* n, int64_t next) {
  if (!n->begun || n->scope || next <= __atomic_load_n(&n->counter->next, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&n->counter->next, next, __ATOMIC_RELAXED);
}

int call_numbers_position(call_numbers* n, position* p, void (*commit)(iterator*), iterator* it) {
  if (!p->has_numbers || !(n->counter || n->nested)) return TFC_OK;
  int64_t scope = (int64_t)n->scope;
  n->restored = n->counter ? __atomic_load_n(&n->counter->next, __ATOMIC_RELAXED) : 0;
  n->restored_scopes = n->counter ? __atomic_load_n(&n->counter->scopes, __ATOMIC_RELAXED) : 0;
  TFC_TRY(position_int(p, &scope));
  TFC_TRY(position_count(p, &n->next, INT64_MAX));
  TFC_TRY(position_count(p, &n->restored, INT64_MAX));
  TFC_TRY(position_count(p, &n->restored_scopes, INT64_MAX));
  n->was_begun = n->begun;
  TFC_TRY(position_bool(p, &n->was_begun));
  if (p->saves) return TFC_OK;
  n->scope = (uint64_t)scope;
  return n->counter && !n->nested ? position_commit_later(p, commit, it) : TFC_OK;
}

void call_numbers_commit(call_numbers* n) {
  if (n->was_begun) __atomic_fetch_add(&n->counter->open, 1, __ATOMIC_ACQ_REL);
  n->begun = n->was_begun;
  if (!n->scope) __atomic_store_n(&n->counter->next, n->restored, __ATOMIC_RELAXED);
  /* Iterators that have not begun yet get the scopes that they would have got. */
  __atomic_store_n(&n->counter->scopes, n->restored_scopes, __ATOMIC_RELAXED);
}
