/* Threads that wait: steps and calls poll for a while before they sleep, one service thread sleeps
 * on the doorbell, and one beats. */
#define _GNU_SOURCE
#include <time.h>
#include <unistd.h>

#include "endpoint.h"

enum { BEAT_NS = 100000000 };

static void enter(void) {
  __atomic_fetch_add(&tfc_here.inbox->awake, 1, __ATOMIC_SEQ_CST);
}

/* From here on senders ring; what they wrote before is seen by the last look. */
static void leave(void) {
  __atomic_fetch_sub(&tfc_here.inbox->awake, 1, __ATOMIC_SEQ_CST);
  tfc_settle();
}

tfc_idle tfc_idle_table = {.enter = enter, .poll = tfc_poll, .leave = leave};

/* Polls as long as messages come and for a while after, unless another thread does the same. */
static void poll_for_a_while(const tfc_inbox* in) {
  int64_t until = 0;
  for (int spins = 0;; spins++) {
    if (tfc_poll()) {
      until = 0;
      spins = 0;
      continue;
    }
    if (!tfc_here.spin_ns || __atomic_load_n(&in->awake, __ATOMIC_RELAXED) > 1) return;
    if (spins % 16 == 0) {
      int64_t now = tfc_now_monotonic();
      if (!until) until = now + tfc_here.spin_ns;
      if (now >= until) return;
    }
    tfc_pause();
  }
}

void tfc_service_run(void) {
  tfc_inbox* in = tfc_here.inbox;
  while (tfc_running() && tfc_here.inbox == in) {
    __atomic_fetch_add(&in->awake, 1, __ATOMIC_SEQ_CST);
    poll_for_a_while(in);
    __atomic_exchange_n(&in->bell, 0, __ATOMIC_SEQ_CST); /* before senders begin to ring */
    __atomic_fetch_sub(&in->awake, 1, __ATOMIC_SEQ_CST);
    if (tfc_settle() || !tfc_running()) continue;
    tfc_futex_wait(&in->bell, 0, -1);
  }
}

bool tfc_wait_word(uint32_t* word, int64_t ns, bool spin) {
  int64_t now = tfc_now_monotonic(), until = now + ns, spin_until = now + tfc_here.spin_ns;
  if (__atomic_load_n(word, __ATOMIC_ACQUIRE)) return true;
  if (spin && tfc_here.n_local && tfc_running()) {
    enter();
    for (int spins = 1; !__atomic_load_n(word, __ATOMIC_ACQUIRE); spins++) {
      if (!tfc_poll()) tfc_pause();
      if (spins % 16 == 0 || !tfc_here.spin_ns) {
        now = tfc_now_monotonic();
        if (now >= spin_until || now >= until) break;
      }
    }
    leave();
  }
  while (!__atomic_load_n(word, __ATOMIC_ACQUIRE)) {
    now = tfc_now_monotonic();
    if (now >= until) return false;
    tfc_futex_wait(word, 0, until - now);
  }
  return true;
}

/* ---- The beat: a thread that never needs Python, so that a long call into it is no failure */

static pthread_t beating;
static int beats; /* atomic */

static void* beat(void* p) {
  tfc_inbox* in = p;
  struct timespec pause = {0, BEAT_NS};
  while (__atomic_load_n(&beats, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&in->heartbeat, tfc_now_monotonic(), __ATOMIC_RELAXED);
    nanosleep(&pause, NULL);
  }
  return NULL;
}

bool tfc_beat_start(void) {
  __atomic_store_n(&beats, 1, __ATOMIC_RELEASE);
  return pthread_create(&beating, NULL, beat, tfc_here.inbox) == 0;
}

void tfc_beat_stop(void) {
  if (__atomic_exchange_n(&beats, 0, __ATOMIC_ACQ_REL)) pthread_join(beating, NULL);
}
