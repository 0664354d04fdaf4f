/* Steps: how they begin and end, their first error, and their cancellation. */
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "step/fused_loop.h"

static tfc_step* unused; /* under the GIL */
static pthread_mutex_t inner_lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_step* unused_inner; /* under inner_lock */
static tfc_step* made;         /* atomic: all steps that were ever made; grows under the GIL */
static int64_t begun;          /* atomic, written under the GIL */
static int64_t ended;          /* atomic, written under the GIL */
static void (*signal_hook)(tfc_step*);

void tfc_set_signal_hook(void (*hook)(tfc_step*)) {
  signal_hook = hook;
}

static void reset(tfc_step* s, int64_t id, int max_threads, bool on_main_thread) {
  __atomic_store_n(&s->cancelled, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&s->attention, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&s->code, 0, __ATOMIC_RELAXED);
  s->node = -1;
  s->message = NULL;
  s->max_threads = max_threads;
  s->alone = false;
  s->on_main_thread = on_main_thread;
  s->in_background = false;
  __atomic_store_n(&s->out_of_memory, 0, __ATOMIC_RELAXED);
  s->id = id;
  s->caller = pthread_self();
  s->interrupt = NULL;
  s->observer = NULL;
  s->shares = NULL;
}

tfc_step* tfc_step_begin(int64_t id, int max_threads, bool on_main_thread) {
  tfc_step* s = unused;
  if (s) {
    unused = s->next;
  } else {
    s = calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    s->made_before = __atomic_load_n(&made, __ATOMIC_RELAXED);
    __atomic_store_n(&made, s, __ATOMIC_RELEASE);
  }
  reset(s, id, max_threads, on_main_thread);
  __atomic_store_n(&begun, begun + 1, __ATOMIC_RELAXED);
  if (on_main_thread) {
    tfc_watch_main(s);
  } else {
    tfc_watch_start();
  }
  return s;
}

int64_t tfc_steps_begun(void) {
  return __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

void tfc_count_steps(int64_t* out_begun, int64_t* out_ended) {
  *out_ended = __atomic_load_n(&ended, __ATOMIC_ACQUIRE); /* first: never more than have begun */
  *out_begun = __atomic_load_n(&begun, __ATOMIC_RELAXED);
}

void tfc_each_step(void (*visit)(tfc_step*)) {
  for (tfc_step* s = __atomic_load_n(&made, __ATOMIC_ACQUIRE); s; s = s->made_before) visit(s);
}

int tfc_list_suspended(tfc_suspended* out, int room, int64_t before, bool new_ones) {
  int n = 0;
  for (tfc_step* s = __atomic_load_n(&made, __ATOMIC_ACQUIRE); s && n < room; s = s->made_before) {
    pthread_mutex_lock(&s->lock);
    n += tfc_list_suspended_of(s, out + n, room - n, before, new_ones);
    pthread_mutex_unlock(&s->lock);
  }
  return n;
}

void tfc_step_end(tfc_step* s) {
  if (s->deadline_ns) tfc_unwatch(s);
  if (s->on_main_thread) tfc_watch_main(NULL);
  if (s->shares) tfc_leave_devices(s);
  free(s->message);
  free(s->joined);
  s->joined = NULL;
  tfc_drop_kept_loops(s);
  if (s->inherited) return;
  s->next = unused;
  unused = s;
  __atomic_store_n(&ended, ended + 1, __ATOMIC_RELEASE);
}

static tfc_step* take_inner(void) {
  pthread_mutex_lock(&inner_lock);
  tfc_step* s = unused_inner;
  if (s) unused_inner = s->next;
  pthread_mutex_unlock(&inner_lock);
  if (s) return s;
  s = calloc(1, sizeof *s);
  if (s) pthread_mutex_init(&s->lock, NULL);
  return s;
}

tfc_step* tfc_step_begin_inner(tfc_step* around) {
  static int64_t ids; /* atomic; below 0: other steps have positive ones */
  tfc_step* s = take_inner();
  if (!s) return NULL;
  int64_t id = __atomic_sub_fetch(&ids, 1, __ATOMIC_RELAXED);
  reset(s, id, around ? around->max_threads : 0, false);
  s->alone = true;
  s->outer = around;
  s->numbers = around ? around->numbers : NULL;
  if (!around) return s;
  pthread_mutex_lock(&around->lock);
  s->inner_previous = NULL;
  s->inner_next = around->inner;
  if (around->inner) around->inner->inner_previous = s;
  around->inner = s;
  int cancelled = __atomic_load_n(&around->cancelled, __ATOMIC_SEQ_CST);
  pthread_mutex_unlock(&around->lock);
  if (cancelled) tfc_step_mark(s, tfc_step_reason(cancelled));
  return s;
}

void tfc_step_end_inner(tfc_step* s, tfc_step* around) {
  if (around) {
    pthread_mutex_lock(&around->lock);
    if (s->inner_next) s->inner_next->inner_previous = s->inner_previous;
    *(s->inner_previous ? &s->inner_previous->inner_next : &around->inner) = s->inner_next;
    pthread_mutex_unlock(&around->lock);
  }
  tfc_drop_numbers(s);
  free(s->message);
  free(s->joined);
  s->joined = NULL;
  pthread_mutex_lock(&inner_lock);
  s->next = unused_inner;
  unused_inner = s;
  pthread_mutex_unlock(&inner_lock);
}

void tfc_step_fail(tfc_step* s, int node, int code, const char* message) {
  /* An error after the cancellation is a consequence of it. */
  int cancelled = __atomic_load_n(&s->cancelled, __ATOMIC_ACQUIRE), none = 0;
  if (cancelled > 0) code = cancelled;
  if (!__atomic_compare_exchange_n(&s->code, &none, code, false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED))
    return;
  s->after_cancel = cancelled > 0;
  s->node = node;
  __atomic_store_n(
      &s->message, strdup(message),
      __ATOMIC_RELEASE); /* other threads read it: collectives send it to their peers */
}

bool tfc_step_mark(tfc_step* s, int code) {
  /* What cancels an inner context from outside lasts beyond an error of its own. */
  int now = __atomic_load_n(&s->cancelled, __ATOMIC_SEQ_CST);
  do {
    if (now > 0 || (now && (s->id >= 0 || code == now))) return false;
  } while (!__atomic_compare_exchange_n(&s->cancelled, &now, code, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST));
  __atomic_store_n(&s->attention, 1, __ATOMIC_SEQ_CST);
  return true;
}

void tfc_step_cancel(tfc_step* s, int code) {
  if (tfc_step_mark(s, code)) tfc_cancel_waiting(s);
}

bool tfc_step_look(tfc_step* s) {
  if (pthread_equal(s->caller, pthread_self())) {
    /* Also for steps of other threads: a late nudge of the watcher may hit a step that began in the
     * meantime, and would keep its threads from sleeping. Cleared before `cancelled` is read, as a
     * canceller stores `cancelled` before `attention`: this call or the next one sees the
     * cancellation. */
    __atomic_store_n(&s->attention, 0, __ATOMIC_SEQ_CST);
    if (s->on_main_thread && !s->interrupt) {
      int entered = tfc_admission_step_out();
      signal_hook(s);
      tfc_admission_step_in(entered);
    }
    if (s->id < 0 && s->outer) tfc_step_look(s->outer); /* its cancellation reaches this one */
  }
  int code = __atomic_load_n(&s->cancelled, __ATOMIC_SEQ_CST);
  if (!code) return false;
  __atomic_store_n(&s->attention, 1, __ATOMIC_RELAXED);
  tfc_step_fail(s, -1, tfc_step_reason(code), "");
  return true;
}

/* The lock of a step may be held by a thread that does not exist in the child. Only the steps in
 * whose functions this thread has forked still run; they are neither counted nor used again. */
void tfc_step_after_fork(void) {
  for (tfc_step* s = made; s; s = s->made_before) {
    s->inherited = true;
    s->deadline_ns = 0;
  }
  unused = NULL;
  made = NULL;
  pthread_mutex_init(&inner_lock, NULL);
  unused_inner = NULL;
  ended = begun; /* those that ran in the parent do not run here */
}
