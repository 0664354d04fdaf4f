/* Waiting threads: steps and calls poll for a while before they sleep. One of them is on duty,
 * where messages wake it; if none is, they wake the service thread. Another thread writes the
 * heartbeat.
 *
 * Messages of other hosts are found by polling MPI: in every tfc_poll, and by threads that sleep,
 * which wake after `tfc_link_poll_interval` unless a doorbell rings before. */
#define _GNU_SOURCE
#include "fabric/service.h"

#include <limits.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "fabric/handouts.h"
#include "fabric/link.h"

enum {
  SHARED_BEAT_NS = 100000000,
  BACKUP_POLL_NS = 1000000,
  LATE_NS = 2 * BACKUP_POLL_NS,
  LINK_SPIN_NS = 100000 /* at least, while the link is to be polled all the time */
};

/* ---- Whether polling before sleeping pays
 *
 * Polling saves waking a thread if the peer runs at the same time. Where processes outnumber cores
 * it may keep the peer from running: then the answer comes right after polling gives up. A few such
 * answers end the polling, which is tried again now and then. */

enum { MOST_TRUST = 16, RETRY = 64 };

static int trust = MOST_TRUST; /* atomic: threads poll if it is at least half of MOST_TRUST */
static uint32_t waits;         /* atomic: number of waits since polling was given up */
static int64_t gave_up_at;     /* atomic: ns; 0: no thread polled in vain since one was woken */
/* initial-exec: these are read at every wait, and ThreadSanitizer reports a race on dynamic TLS,
 * which glibc passes from a thread that has ended to the next. */
#define THREAD_LOCAL static __thread __attribute__((tls_model("initial-exec")))

THREAD_LOCAL bool tried; /* it is not known yet if this thread polled in vain */

static void change_trust(int by) {
  int now = __atomic_load_n(&trust, __ATOMIC_RELAXED) + by;
  __atomic_store_n(&trust, now < 0 ? 0 : now > MOST_TRUST ? MOST_TRUST : now, __ATOMIC_RELAXED);
}

static void has_polled(bool in_vain) {
  if (!tried) return;
  tried = false;
  if (in_vain) {
    __atomic_store_n(&gave_up_at, tfc_now_monotonic(), __ATOMIC_RELAXED);
  } else if (__atomic_load_n(&trust, __ATOMIC_RELAXED) < MOST_TRUST) {
    change_trust(4);
  }
}

static int64_t spin(void) {
  has_polled(false); /* still awake since it polled last: something came */
  tried = tfc_here.spin_ns && (__atomic_load_n(&trust, __ATOMIC_RELAXED) >= MOST_TRUST / 2 ||
                               __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED) % RETRY == 0);
  int64_t ns = tried ? tfc_here.spin_ns : 0;
  return ns < LINK_SPIN_NS && tfc_link_poll_interval() == 0 ? LINK_SPIN_NS : ns;
}

/* ---- Lending the core
 *
 * Where up to two tasks share a core, a thread that has polled for a while lets whoever else can
 * run have it (sched_yield): if both only exchange messages, they take turns within microseconds.
 * But a thread that computes keeps the core for milliseconds, and a thread that slept would get it
 * back sooner. So after a turn that took too long no core is lent for many times as long: only a
 * small part of the time is lost. */

enum {
  PATIENT_POLLS = 32, /* before a core is lent; 2 us: answers to small messages are there by then */
  MOST_LENT_NS = 500000,    /* a longer turn is too long */
  KEPT_TIMES = 64,          /* after it, no core is lent for so many times its length... */
  MOST_KEPT_NS = 1000000000 /* ...and at most this long: the process may have been stopped */
};

static int64_t keeps_core_until; /* atomic, relaxed: ns; until then no core is lent */
static bool lends_at_once;       /* atomic, relaxed: without PATIENT_POLLS */
static int64_t n_lent;           /* atomic, relaxed: how often a core was lent */

static void lend_core(void) {
  const int64_t begin = tfc_now_monotonic();
  if (begin < __atomic_load_n(&keeps_core_until, __ATOMIC_RELAXED)) {
    tfc_pause();
    return;
  }
  __atomic_fetch_add(&n_lent, 1, __ATOMIC_RELAXED);
  sched_yield();
  const int64_t end = tfc_now_monotonic(), lent = end - begin;
  if (lent <= MOST_LENT_NS) return;
  const int64_t kept = lent < MOST_KEPT_NS / KEPT_TIMES ? KEPT_TIMES * lent : MOST_KEPT_NS;
  __atomic_store_n(&keeps_core_until, end + kept, __ATOMIC_RELAXED);
}

void tfc_lend_core_at_once(bool at_once) {
  __atomic_store_n(&lends_at_once, at_once, __ATOMIC_RELAXED);
}

int64_t tfc_count_lent(void) {
  return __atomic_load_n(&n_lent, __ATOMIC_RELAXED);
}

/* Between two polls. Messages of other hosts take long enough for others to use the core. Within a
 * host two processes are faster if they keep their cores for as long as an answer takes; where more
 * than two share a core they do not lend it at all: one pair after the other works for a while. */
static void pause_polling(int polls) {
  const bool lends = polls >= PATIENT_POLLS || __atomic_load_n(&lends_at_once, __ATOMIC_RELAXED);
  if (tfc_has_foreign()) {
    sched_yield();
  } else if (tfc_here.lends_core && lends) {
    lend_core();
  } else {
    tfc_pause();
  }
}

static void was_woken(void) {
  int64_t at = __atomic_exchange_n(&gave_up_at, 0, __ATOMIC_RELAXED);
  if (at && tfc_now_monotonic() - at < 2 * tfc_here.spin_ns) change_trust(-2);
}

/* ---- Duty */

static void enter(bool from_duty) {
  tfc_inbox* in = tfc_here.inbox;
  if (!in) return; /* the child of a process that forked in the middle of a step */
  __atomic_fetch_add(&in->awake, 1, __ATOMIC_SEQ_CST);
  if (!from_duty) return;
  __atomic_exchange_n(&in->on_duty, 0, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&in->duty_bell, __ATOMIC_RELAXED)) was_woken();
}

int tfc_count_awake(void) {
  const tfc_inbox* in = tfc_here.inbox;
  return in ? (int)__atomic_load_n(&in->awake, __ATOMIC_SEQ_CST) : 0;
}

/* From here on senders ring; the last look finds what they wrote before. The duty is taken before
 * that, so that a bell reaches this thread at any moment. */
static bool leave(bool to_sleep) {
  tfc_inbox* in = tfc_here.inbox;
  if (!in) return false;
  uint32_t nobody = 0;
  bool duty = to_sleep && tfc_running() &&
              __atomic_compare_exchange_n(&in->on_duty, &nobody, 1, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
  if (duty) __atomic_exchange_n(&in->duty_bell, 0, __ATOMIC_SEQ_CST);
  has_polled(to_sleep);
  __atomic_fetch_sub(&in->awake, 1, __ATOMIC_SEQ_CST);
  tfc_settle();
  if (!duty) tfc_poll_sooner();
  return duty;
}

/* MPI can't wake a thread, so sleep no longer than until MPI must be polled again. */
static int64_t at_most(int64_t ns, int64_t interval) {
  return interval >= 0 && (ns < 0 || interval < ns) ? interval : ns;
}

/* When the thread on duty and the service thread poll next; 0: they are awake, or not there. */
static int64_t duty_wakes, service_wakes; /* atomic */

/* Before the interval is looked up: a message that goes after that finds that it came too late. */
static void plan_to_sleep(int64_t* wakes) {
  __atomic_store_n(wakes, INT64_MAX, __ATOMIC_SEQ_CST);
}

static void sleep_for(int64_t* wakes, uint32_t* bell, int64_t ns) {
  if (ns >= 0) __atomic_store_n(wakes, tfc_now_monotonic() + ns, __ATOMIC_SEQ_CST);
  if (ns) {
    tfc_futex_wait(bell, 0, ns);
  } else {
    sched_yield();
  }
}

static void sleep_on_duty(int64_t ns) {
  if (!tfc_running()) return;
  plan_to_sleep(&duty_wakes);
  sleep_for(&duty_wakes, &tfc_here.inbox->duty_bell, at_most(ns, tfc_link_poll_interval()));
  __atomic_store_n(&duty_wakes, 0, __ATOMIC_SEQ_CST);
}

/* They have planned it for a silent network. */
void tfc_poll_sooner(void) {
  int64_t interval = tfc_link_poll_interval();
  if (interval < 0 || !tfc_running()) return;
  int64_t duty = __atomic_load_n(&duty_wakes, __ATOMIC_SEQ_CST);
  int64_t first = __atomic_load_n(&service_wakes, __ATOMIC_SEQ_CST);
  if (duty && duty < first) first = duty;
  if (first && first > tfc_now_monotonic() + interval + LATE_NS) tfc_ring_bell(tfc_here.inbox);
}

static void wake_duty(void) {
  tfc_bell_set(&tfc_here.inbox->duty_bell);
}

static void sleep_for_messages(void) {
  sleep_on_duty(-1);
}

static bool take_over(void);

const tfc_idle tfc_idle_table = {.enter = enter,
                                 .poll = tfc_poll,
                                 .leave = leave,
                                 .sleep = sleep_for_messages,
                                 .wake = wake_duty,
                                 .spin = spin,
                                 .pause = pause_polling,
                                 .take_over = take_over};

/* ---- The service thread */

typedef struct errand {
  void (*fn)(void*); /* NULL: none */
  void* arg;
  bool polls; /* it begins with a step, which polls itself while it waits */
} errand;

THREAD_LOCAL errand mine;    /* left by a handler, run after polling */
THREAD_LOCAL bool takes_one; /* this thread is a service thread that polls */
/* This thread is still counted in `awake`, for the step with which its errand begins; take_over
 * passes that on to the step. */
THREAD_LOCAL bool still_awake;
THREAD_LOCAL int64_t took_errand_at; /* ns; 0: what it was to begin has begun */
THREAD_LOCAL bool expects_no_more;   /* see tfc_expect_no_more; until the next poll */
static int resting; /* atomic: service threads that sleep, or are about to look once more */

static void serve(void* extra);

bool tfc_defer(void (*fn)(void*), void* arg, bool polls) {
  if (!takes_one || mine.fn) return tfc_spawn(fn, arg);
  mine = (errand){fn, arg, polls};
  return true;
}

void tfc_expect_no_more(void) {
  expects_no_more = true;
}

/* A step begins within microseconds, but waits while another thread has the interpreter, and nobody
 * reads what comes meanwhile. One that begins late may just have lost its core; after more of them
 * no thread stays awake for a step that it is to begin until most begin at once again. */
enum { MOST_PROMPT = 16, LATE_BEGIN_NS = 200000 };
static int prompt = MOST_PROMPT; /* atomic: threads stay awake if it is at least half of that */

static void note_begin(void) {
  if (!took_errand_at) return;
  const bool late = tfc_now_monotonic() - took_errand_at > LATE_BEGIN_NS;
  took_errand_at = 0;
  const int before = __atomic_load_n(&prompt, __ATOMIC_RELAXED);
  const int now = late ? before - 3 : before + 1;
  if (now >= 0 && now <= MOST_PROMPT) __atomic_store_n(&prompt, now, __ATOMIC_RELAXED);
}

static bool take_over(void) {
  note_begin();
  const bool was = still_awake;
  still_awake = false;
  return was;
}

/* Another thread answers the bell meanwhile, unless the errand begins with a step: its first
 * messages follow within a microsecond, so this thread stays awake for them. A step that is not
 * parkable ends that before it runs (tfc_hand_over_messages). */
static void run_errand(tfc_inbox* in) {
  errand e = mine;
  mine.fn = NULL;
  takes_one = false;
  if (__atomic_load_n(&resting, __ATOMIC_SEQ_CST) == 0) tfc_spawn(serve, in);
  __atomic_exchange_n(&in->bell, 0, __ATOMIC_SEQ_CST);
  took_errand_at = e.polls ? tfc_now_monotonic() : 0;
  still_awake = e.polls && __atomic_load_n(&prompt, __ATOMIC_RELAXED) >= MOST_PROMPT / 2;
  if (!still_awake) {
    __atomic_fetch_sub(&in->awake, 1, __ATOMIC_SEQ_CST);
    tfc_settle();
  }
  e.fn(e.arg);
  if (!take_over()) __atomic_fetch_add(&in->awake, 1, __ATOMIC_SEQ_CST);
  takes_one = true;
}

/* Polls as long as messages come and for a while after, unless another thread does the same. */
static void poll_for_a_while(tfc_inbox* in) {
  int64_t until = 0, ns = spin();
  for (int spins = 0; tfc_running(); spins++) {
    expects_no_more = false;
    if (tfc_poll()) {
      if (expects_no_more) {
        ns = 0;
        tried = false; /* this says nothing about whether polling pays */
      }
      if (mine.fn) run_errand(in);
      if (until) has_polled(false);
      until = 0;
      spins = -1;
      continue;
    }
    if (!ns || __atomic_load_n(&in->awake, __ATOMIC_RELAXED) > 1) return;
    if (spins % 16 == 0) {
      int64_t now = tfc_now_monotonic();
      if (!until) until = now + ns;
      if (now >= until) break;
    }
    pause_polling(spins);
  }
  has_polled(true);
}

/* A thread that is awake or on duty polls MPI itself. The service thread then looks only once a
 * millisecond, in case that one is busy in a kernel. */
static int64_t service_interval(tfc_inbox* in) {
  int64_t interval = tfc_link_poll_interval();
  bool others = __atomic_load_n(&in->awake, __ATOMIC_RELAXED) > 0 ||
                __atomic_load_n(&in->on_duty, __ATOMIC_RELAXED) > 0;
  return interval >= 0 && interval < BACKUP_POLL_NS && others ? BACKUP_POLL_NS : interval;
}

/* A thread that replaces one that runs an errand ends when it is no longer needed. */
static bool rest(tfc_inbox* in, bool extra) {
  bool needed = __atomic_fetch_add(&resting, 1, __ATOMIC_SEQ_CST) == 0 || !extra;
  if (needed) {
    plan_to_sleep(&service_wakes);
    sleep_for(&service_wakes, &in->bell, service_interval(in));
  }
  /* The other resting thread may have relied on this one when it took an errand. */
  bool last = __atomic_fetch_sub(&resting, 1, __ATOMIC_SEQ_CST) == 1;
  if (last) __atomic_store_n(&service_wakes, 0, __ATOMIC_SEQ_CST);
  return needed || last;
}

static void serve(void* extra) {
  tfc_inbox* in = tfc_here.inbox;
  while (tfc_running() && tfc_here.inbox == in) {
    __atomic_fetch_add(&in->awake, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&in->bell, __ATOMIC_RELAXED)) was_woken();
    takes_one = true;
    poll_for_a_while(in);
    takes_one = false;
    __atomic_exchange_n(&in->bell, 0, __ATOMIC_SEQ_CST); /* before senders begin to ring */
    __atomic_fetch_sub(&in->awake, 1, __ATOMIC_SEQ_CST);
    tfc_settle(); /* rings the own bell if it leaves something */
    if (tfc_running() && !rest(in, extra)) return;
  }
  /* This thread may have taken the bell that tells another one to end. */
  tfc_bell_set(&in->bell);
  tfc_futex_wake(&in->bell, INT_MAX);
}

void tfc_service_run(void) {
  serve(NULL);
}

/* ---- Words */

void tfc_set_word(uint32_t* word) {
  uint32_t before = __atomic_exchange_n(word, TFC_SET, __ATOMIC_SEQ_CST);
  if (before == TFC_SOMEBODY_SLEEPS || before == TFC_DUTY_SLEEPS) tfc_futex_wake(word, INT_MAX);
  if (before == TFC_DUTY_SLEEPS) wake_duty();
}

static bool is_set(const uint32_t* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE) == TFC_SET;
}

static bool poll_for_word(const uint32_t* word, int64_t ns) {
  int64_t until = tfc_now_monotonic() + ns;
  for (int spins = 1;; spins++) {
    tfc_poll();
    if (is_set(word)) return true;
    if (!ns || (spins % 16 == 0 && tfc_now_monotonic() >= until)) return false;
    pause_polling(spins);
  }
}

/* Notes in the word that it has to be woken, and sleeps. */
static void sleep_for_word(uint32_t* word, int64_t ns, bool duty) {
  uint32_t seen = TFC_CLEAR, mark = duty ? TFC_DUTY_SLEEPS : TFC_SOMEBODY_SLEEPS;
  while (seen < mark && seen != TFC_SET)
    if (__atomic_compare_exchange_n(word, &seen, mark, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
      seen = mark;
  if (seen == TFC_SET) return;
  if (duty) {
    sleep_on_duty(ns);
  } else {
    tfc_futex_wait(word, seen, ns);
  }
}

bool tfc_wait_word(uint32_t* word, int64_t ns, bool may_spin) {
  if (is_set(word)) return true;
  int64_t until = tfc_now_monotonic() + ns;
  /* running first: the counts are set before it */
  bool polls = tfc_running() && (tfc_count_local() || tfc_has_foreign());
  for (int64_t left = ns; left > 0; left = until - tfc_now_monotonic()) {
    bool duty = false;
    if (polls) {
      enter(false);
      int64_t longest = may_spin ? spin() : 0;
      bool found = poll_for_word(word, longest < left ? longest : left);
      duty = leave(!found);
    }
    if (!is_set(word)) sleep_for_word(word, left, duty);
    if (duty) {
      enter(true);
      leave(false);
    }
    if (is_set(word)) return true;
  }
  return is_set(word);
}

/* ---- The heartbeat: its thread never needs Python, so a long call into it is not a failure */

static pthread_t beating;
static uint32_t beats;        /* atomic, a futex; 1: continue */
static void (*at_beat)(void); /* atomic; NULL: nothing */

/* A sender that was killed between setting the bell and waking us has left it set, so that others
 * won't wake us either. */
static void wake_for_rung(tfc_inbox* in) {
  if (__atomic_load_n(&in->bell, __ATOMIC_RELAXED)) tfc_futex_wake(&in->bell, 1);
  if (__atomic_load_n(&in->duty_bell, __ATOMIC_RELAXED)) tfc_futex_wake(&in->duty_bell, 1);
}

/* The thread that is awake may run a kernel that takes longer than before. */
static void look_for_unread(tfc_inbox* in) {
  if (!__atomic_load_n(&in->awake, __ATOMIC_RELAXED)) return;
  for (tfc_peer* p = tfc_next_writer(-1); p; p = tfc_next_writer(p->rank)) {
    tfc_ring* r = __atomic_load_n(&p->in, __ATOMIC_RELAXED);
    if (r && __atomic_load_n(&r->head, __ATOMIC_RELAXED) !=
                 __atomic_load_n(&r->tail, __ATOMIC_RELAXED)) {
      tfc_bell_set(&in->bell);
      return;
    }
  }
}

/* Handles records that were written without ringing. */
static void look_for_quiet(void) {
  bool any = false;
  for (tfc_peer* p = tfc_next_writer(-1); p; p = tfc_next_writer(p->rank)) {
    tfc_ring* r = __atomic_load_n(&p->in, __ATOMIC_RELAXED);
    if (r && __atomic_load_n(&r->quiet, __ATOMIC_RELAXED) &&
        __atomic_exchange_n(&r->quiet, 0, __ATOMIC_SEQ_CST))
      any = true;
  }
  if (any) tfc_ring_bell(tfc_here.inbox);
}

static void* beat(void* p) {
  tfc_inbox* in = p;
  while (__atomic_load_n(&beats, __ATOMIC_ACQUIRE)) {
    __atomic_store_n(&in->heartbeat, tfc_now_monotonic(), __ATOMIC_RELAXED);
    look_for_quiet();
    look_for_unread(in);
    wake_for_rung(in);
    tfc_drop_for_gone();
    void (*fn)(void) = __atomic_load_n(&at_beat, __ATOMIC_ACQUIRE);
    if (fn) fn();
    tfc_futex_wait(&beats, 1, SHARED_BEAT_NS);
  }
  return NULL;
}

void tfc_on_beat(void (*fn)(void)) {
  __atomic_store_n(&at_beat, fn, __ATOMIC_RELEASE);
}

bool tfc_beat_start(void) {
  if (__atomic_exchange_n(&beats, 1, __ATOMIC_ACQ_REL)) return true;
  bool begun = pthread_create(&beating, NULL, beat, tfc_here.inbox) == 0;
  if (!begun) __atomic_store_n(&beats, 0, __ATOMIC_RELEASE);
  return begun;
}

void tfc_beat_stop(void) {
  if (!__atomic_exchange_n(&beats, 0, __ATOMIC_ACQ_REL)) return;
  tfc_futex_wake(&beats, 1);
  pthread_join(beating, NULL);
}
