/* Admission control: only a few more steps run than there are cores. With many client threads the
 * others sleep here, instead of waiting for a core in the middle of a kernel, or for the GIL.
 *
 * Only steps that never wait for another step go through it (`needs_admission` of a plan). A thread
 * that returns soon after its last step may enter before those in line: a handover takes two
 * context switches, longer than a short step. Now and then the first in line gets a turn.
 *
 * `inside` and `waiting` are sequentially consistent. A step that leaves decrements `inside` and
 * then reads `waiting`; one that arrives increments `waiting` and then reads `inside`. So at least
 * one of them sees the other.
 */
#include <time.h>

#include "step/step.h"

enum {
  EXTRA = 2,         /* keeps the cores busy while the next step's thread wakes up */
  TURN_NS = 250000,  /* between turns for the first in line */
  LOOK_NS = 20000000 /* between checks whether the waiting step was cancelled */
};

typedef struct waiter {
  struct waiter *next, *previous;
  pthread_cond_t come;
  bool admitted; /* under lock */
} waiter;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static waiter *first, *last; /* under lock, in the order of arrival */
static int inside;           /* atomic */
static int waiting;          /* atomic; written under lock */
static int64_t turn;         /* atomic: when the first in line gets its next turn */
static __thread int entered; /* this thread's steps that are inside, nested ones included */

static bool try_enter(void) {
  int limit = tfc_pool_threads() + EXTRA;
  int n = __atomic_load_n(&inside, __ATOMIC_SEQ_CST);
  while (n < limit)
    if (__atomic_compare_exchange_n(&inside, &n, n + 1, true, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      return true;
  return false;
}

/* With the lock held. */
static void take_out(waiter* w) {
  *(w->previous ? &w->previous->next : &first) = w->next;
  *(w->next ? &w->next->previous : &last) = w->previous;
  __atomic_sub_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
}

/* With the lock held; it is released during sleep and signal handlers. */
static bool wait_for_turn(waiter* me, tfc_step* step) {
  while (!me->admitted && !try_enter()) {
    int64_t until = tfc_now_ns() + LOOK_NS;
    struct timespec t = {until / 1000000000, until % 1000000000};
    pthread_cond_timedwait(&me->come, &lock, &t);
    if (me->admitted || !__atomic_load_n(&step->attention, __ATOMIC_RELAXED)) continue;
    pthread_mutex_unlock(&lock);
    bool over = tfc_step_must_end(step);
    pthread_mutex_lock(&lock);
    if (over) break;
  }
  return me->admitted || !__atomic_load_n(&step->code, __ATOMIC_ACQUIRE);
}

static bool wait_in_line(tfc_step* step) {
  waiter me = {.previous = NULL};
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&me.come, &monotonic);
  pthread_condattr_destroy(&monotonic);
  pthread_mutex_lock(&lock);
  me.previous = last;
  *(last ? &last->next : &first) = &me;
  last = &me;
  __atomic_add_fetch(&waiting, 1, __ATOMIC_SEQ_CST);
  bool in = wait_for_turn(&me, step);
  if (!me.admitted) take_out(&me);
  pthread_mutex_unlock(&lock);
  pthread_cond_destroy(&me.come);
  return in;
}

bool tfc_admission_enter(tfc_step* step) {
  if (!entered && !try_enter() && !wait_in_line(step)) return false;
  entered++;
  return true;
}

void tfc_admission_leave(void) {
  if (--entered) return;
  int left = __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  if (!__atomic_load_n(&waiting, __ATOMIC_SEQ_CST)) return;
  int64_t now = tfc_now_ns();
  if (left >= tfc_pool_threads() && now < __atomic_load_n(&turn, __ATOMIC_RELAXED)) return;
  __atomic_store_n(&turn, now + TURN_NS, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  if (first && try_enter()) {
    waiter* w = first;
    take_out(w);
    w->admitted = true;
    pthread_cond_signal(&w->come);
  }
  pthread_mutex_unlock(&lock);
}

int tfc_admission_step_out(void) {
  int before = entered;
  if (before) {
    entered = 1;
    tfc_admission_leave();
  }
  return before;
}

/* Doesn't wait: one step more than the limit does no harm. */
void tfc_admission_step_in(int before) {
  if (before) __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
  entered = before;
}

void tfc_admission_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  first = last = NULL;
  inside = waiting = 0;
  entered = 0;
}
