/* See workers.h. */
#include "kernels_c/data/workers.h"

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
