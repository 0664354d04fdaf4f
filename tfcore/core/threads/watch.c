/* The watcher: one thread for the process, started when it is first needed.
 *
 * Python runs signal handlers only on the main thread, and only when that thread checks for
 * signals. The main thread doesn't while it runs a step without the GIL. So the watcher sets
 * `attention` of a step that is still running after a tick. Beginning a step costs two plain
 * stores. The watcher ticks while the main thread runs steps, and dozes when it has not for a
 * while.
 *
 * A Python function may wait for a node that only the thread in this function would run. A caller
 * that is in the same function for a tick is therefore relieved: another thread runs the other
 * nodes meanwhile (dynamic.c).
 *
 * Each tick also lets the allocator return memory that is no longer needed.
 */
#include <limits.h>
#include <signal.h>
#include <time.h>

#include "step/step.h"

#define TICK_NS 20000000LL  /* a signal is noticed within about two ticks */
#define DOZE_NS 500000000LL /* between checks while there is nothing to watch */
enum { IDLE_TICKS = 25, BATCH = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake;
static bool started;      /* atomic, written under lock */
static tfc_step* timed;   /* under lock: steps with a deadline */
static tfc_step* running; /* atomic: the main thread's innermost step */
static int64_t changes;   /* atomic: how often the main thread has begun or ended a step */
static int dozing = 1;    /* atomic */
static int64_t calls;     /* atomic: numbers the calls of functions that may wait */
static bool calling;      /* the watcher's: a caller is in one now */

int64_t tfc_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Cancels the steps that are due; returns when the next one is. Suspended kernels are called
 * without the lock: they may wait for the GIL, and its holder for the lock. */
static int64_t expire(int64_t now) {
  tfc_step* due[BATCH];
  int n = 0;
  int64_t nearest = INT64_MAX;
  for (tfc_step* s = timed; s; s = s->timed_next) {
    if (s->deadline_ns > now) {
      if (s->deadline_ns < nearest) nearest = s->deadline_ns;
    } else if (n == BATCH) {
      nearest = now;
    } else if (!s->observer->deadline_ns) {
      s->observer->deadline_ns = now;
      if (tfc_step_mark(s, TFC_DEADLINE_EXCEEDED)) due[n++] = s;
    }
  }
  if (n) {
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) tfc_cancel_waiting(due[i]);
    pthread_mutex_lock(&lock);
    return now; /* the list may have changed */
  }
  return nearest;
}

/* With its inner steps: the thread may wait in one of them. */
static void nudge_step(tfc_step* s) {
  __atomic_store_n(&s->attention, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&s->lock);
  if (s->dynamic) tfc_dynamic_wake(s->dynamic);
  for (tfc_step* inner = s->inner; inner; inner = inner->inner_next) nudge_step(inner);
  pthread_mutex_unlock(&s->lock);
}

/* Makes a step that has run for a whole tick check for signals; false if the main thread is idle.
 */
static bool nudge(int64_t* seen) {
  tfc_step* s = __atomic_load_n(&running, __ATOMIC_ACQUIRE);
  int64_t count = __atomic_load_n(&changes, __ATOMIC_ACQUIRE);
  bool same = count == *seen;
  *seen = count;
  if (s && same) nudge_step(s);
  return s || !same;
}

static void relieve(tfc_step* s) {
  int64_t call = __atomic_load_n(&s->waiting_call, __ATOMIC_ACQUIRE);
  calling |= call != 0;
  if (call && call == s->seen_call) {
    pthread_mutex_lock(&s->lock);
    if (s->dynamic) tfc_dynamic_relieve(s->dynamic);
    pthread_mutex_unlock(&s->lock);
  }
  s->seen_call = call;
}

static void* watch(void* unused) {
  (void)unused;
  int64_t seen = -1;
  int idle = 0;
  pthread_mutex_lock(&lock);
  for (;;) {
    pthread_mutex_unlock(&lock); /* returning memory is slow */
    tfc_memory_tick(tfc_now_ns());
    pthread_mutex_lock(&lock);
    int64_t now = tfc_now_ns(), until = expire(now);
    calling = false;
    tfc_each_step(relieve);
    idle = nudge(&seen) || calling ? 0 : idle + 1;
    bool doze = idle > IDLE_TICKS;
    __atomic_store_n(&dozing, doze, __ATOMIC_RELAXED);
    int64_t tick = now + (doze ? DOZE_NS : TICK_NS);
    if (tick < until) until = tick;
    struct timespec t = {until / 1000000000, until % 1000000000};
    pthread_cond_timedwait(&wake, &lock, &t);
  }
  return NULL;
}

/* With the lock held. */
static void start(void) {
  if (started) return;
  __atomic_store_n(&started, true, __ATOMIC_RELAXED);
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&wake, &monotonic);
  pthread_condattr_destroy(&monotonic);
  sigset_t all, before; /* signals go to the program's threads */
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  pthread_attr_t attr;
  pthread_attr_init(&attr);
  pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
  if (pthread_create(&thread, &attr, watch, NULL))
    __atomic_store_n(&started, false, __ATOMIC_RELAXED);
  pthread_attr_destroy(&attr);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void tfc_watch_start(void) {
  if (__atomic_load_n(&started, __ATOMIC_RELAXED)) return;
  pthread_mutex_lock(&lock);
  start();
  pthread_mutex_unlock(&lock);
}

/* If the watcher is just falling asleep the wake-up is lost, but it soon wakes by itself. */
static void stay_awake(void) {
  if (!__builtin_expect(__atomic_load_n(&dozing, __ATOMIC_RELAXED), 0)) return;
  pthread_mutex_lock(&lock);
  start();
  if (started) { /* else the next step tries again */
    __atomic_store_n(&dozing, 0, __ATOMIC_RELAXED);
    pthread_cond_signal(&wake);
  }
  pthread_mutex_unlock(&lock);
}

void tfc_watch_call(tfc_step* s) {
  int64_t number = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&s->waiting_call, number, __ATOMIC_RELEASE);
  stay_awake();
}

void tfc_unwatch_call(tfc_step* s) {
  __atomic_store_n(&s->waiting_call, 0, __ATOMIC_RELEASE);
}

void tfc_watch_main(tfc_step* s) {
  tfc_step* inner = __atomic_load_n(&running, __ATOMIC_RELAXED);
  if (s) {
    s->outer = inner;
  } else {
    s = inner ? inner->outer : NULL; /* a forked child has no inner step */
    /* The step that ends may have consumed a request for the enclosing one. */
    if (s) __atomic_store_n(&s->attention, 1, __ATOMIC_SEQ_CST);
  }
  __atomic_store_n(&running, s, __ATOMIC_RELEASE);
  __atomic_store_n(&changes, __atomic_load_n(&changes, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
  if (s) stay_awake();
}

void tfc_watch_deadline(tfc_step* s, int64_t at_ns) {
  pthread_mutex_lock(&lock);
  s->deadline_ns = at_ns;
  s->timed_previous = NULL;
  s->timed_next = timed;
  if (timed) timed->timed_previous = s;
  timed = s;
  start();
  if (started) pthread_cond_signal(&wake);
  pthread_mutex_unlock(&lock);
}

void tfc_unwatch(tfc_step* s) {
  pthread_mutex_lock(&lock);
  if (s->timed_next) s->timed_next->timed_previous = s->timed_previous;
  if (s->timed_previous) {
    s->timed_previous->timed_next = s->timed_next;
  } else {
    timed = s->timed_next;
  }
  s->deadline_ns = 0;
  pthread_mutex_unlock(&lock);
}

/* The child has neither the watcher nor the threads that ran its parent's steps. */
void tfc_watch_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  started = false;
  timed = NULL;
  running = NULL;
  dozing = 1;
}
