/* The pool: helper threads of the process, shared by parallel loops and by the ready nodes of
 * steps.
 *
 * Work is offered as a team in one of a few slots. Helpers scan the slots, join a team that has
 * work and leave when it has none. The thread that opened the team works on it too, so progress
 * never depends on helpers.
 *
 * Opening and closing race with joining. A helper first adds itself to the slot's count, then reads
 * `open`; the owner first clears `open`, then waits until the count is zero. Both are sequentially
 * consistent, so at least one of them sees the other. After the wait no helper has a pointer into
 * the owner's stack.
 *
 * An idle helper spins for a short while, because a step starts its next loop within microseconds,
 * and then sleeps on a condition variable.
 */
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime.h"

enum { SLOTS = 32, SPIN_NS = 40000, STOP_NS = 10000000, MAX_HELPERS = 255 };

typedef struct slot {
  int busy;    /* atomic: an owner has it */
  int open;    /* atomic: helpers may join */
  int helpers; /* atomic: how many are inside or about to check `open` */
  int max_helpers;
  void (*join)(void*);
  void* arg;
  const int64_t* available;
  bool is_a_loop;
  char padding[15];
} slot;

static slot slots[SLOTS] __attribute__((aligned(64)));
static pthread_mutex_t sleep_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sleep_cond = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;
static int sleepers;       /* atomic */
static int64_t wake_count; /* under sleep_lock */
static int n_helpers;      /* atomic */
static int top_slot;       /* atomic: slots from here on have never been used */
static int cores;          /* atomic */
static int computing;      /* atomic: steps that are running and not asleep */
/* This thread is in a loop: inner loops run on it alone. */
static __thread bool in_loop __attribute__((tls_model("initial-exec")));

static int usable_cores(void) {
  const char* wanted = getenv("TFCORE_NUM_THREADS"); /* for processes that share cores */
  int threads = wanted ? atoi(wanted) : 0;
  if (threads > 0) return threads < MAX_HELPERS ? threads : MAX_HELPERS;
#ifdef CPU_COUNT
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  long n = sysconf(_SC_NPROCESSORS_ONLN);
  return n > 0 ? (int)n : 1;
}

static bool try_join(slot* s, bool only_loops) {
  if (!__atomic_load_n(&s->open, __ATOMIC_RELAXED)) return false;
  if (__atomic_load_n(&s->helpers, __ATOMIC_RELAXED) >= MAX_HELPERS) return false;
  bool worked = false;
  int before = __atomic_fetch_add(&s->helpers, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&s->open, __ATOMIC_SEQ_CST) && before < s->max_helpers &&
      (s->is_a_loop || !only_loops) && __atomic_load_n(s->available, __ATOMIC_RELAXED) > 0) {
    s->join(s->arg);
    worked = true;
  }
  __atomic_fetch_sub(&s->helpers, 1, __ATOMIC_SEQ_CST);
  return worked;
}

static bool help(bool only_loops) {
  int top = __atomic_load_n(&top_slot, __ATOMIC_RELAXED);
  for (int i = 0; i < top; i++)
    if (try_join(&slots[i], only_loops)) return true;
  return false;
}

bool tfc_pool_help_loops(void) {
  return help(true);
}

static bool any_work(void) {
  int top = __atomic_load_n(&top_slot, __ATOMIC_SEQ_CST);
  for (int i = 0; i < top; i++) {
    slot* s = &slots[i];
    if (!__atomic_load_n(&s->open, __ATOMIC_SEQ_CST)) continue;
    /* The counter is on the owner's stack: read it only while this thread is counted. */
    int before = __atomic_fetch_add(&s->helpers, 1, __ATOMIC_SEQ_CST);
    bool work = __atomic_load_n(&s->open, __ATOMIC_SEQ_CST) && before < s->max_helpers &&
                __atomic_load_n(s->available, __ATOMIC_SEQ_CST) > 0;
    __atomic_fetch_sub(&s->helpers, 1, __ATOMIC_SEQ_CST);
    if (work) return true;
  }
  return false;
}

static void* helper_main(void* unused) {
  (void)unused;
  int64_t idle_since = tfc_now_ns();
  for (int spins = 0;; spins++) {
    if (help(false)) {
      idle_since = tfc_now_ns();
      continue;
    }
    tfc_pause();
    if (spins % 64 || tfc_now_ns() - idle_since < SPIN_NS) continue;
    pthread_mutex_lock(&sleep_lock);
    __atomic_fetch_add(&sleepers, 1, __ATOMIC_SEQ_CST);
    int64_t seen = wake_count;
    while (!any_work() && seen == wake_count) pthread_cond_wait(&sleep_cond, &sleep_lock);
    __atomic_fetch_sub(&sleepers, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&sleep_lock);
    idle_since = tfc_now_ns();
  }
  return NULL;
}

void tfc_pool_reserve(int threads) {
  if (__atomic_load_n(&n_helpers, __ATOMIC_RELAXED) >= threads - 1) return;
  pthread_mutex_lock(&start_lock);
  while (n_helpers < threads - 1 && n_helpers < MAX_HELPERS) {
    pthread_t thread;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, 8 << 20);
    int failed = pthread_create(&thread, &attr, helper_main, NULL);
    pthread_attr_destroy(&attr);
    if (failed) break;
    __atomic_fetch_add(&n_helpers, 1, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&start_lock);
}

int tfc_pool_threads(void) {
  int n = __atomic_load_n(&cores, __ATOMIC_RELAXED);
  if (!n) __atomic_store_n(&cores, n = usable_cores(), __ATOMIC_RELAXED);
  return n;
}

int tfc_pool_set_threads(int n) {
  int before = tfc_pool_threads();
  __atomic_store_n(&cores, n < MAX_HELPERS ? n : MAX_HELPERS, __ATOMIC_RELAXED);
  return before;
}

static _Thread_local int entered; /* this thread's part of `computing` */

void tfc_pool_enter(void) {
  entered++;
  __atomic_fetch_add(&computing, 1, __ATOMIC_RELAXED);
}
void tfc_pool_leave(void) {
  entered--;
  __atomic_fetch_sub(&computing, 1, __ATOMIC_RELAXED);
}

int tfc_pool_pause(void) {
  int steps = entered;
  entered = 0;
  if (steps) __atomic_fetch_sub(&computing, steps, __ATOMIC_RELAXED);
  return steps;
}
void tfc_pool_resume(int steps) {
  entered = steps;
  if (steps) __atomic_fetch_add(&computing, steps, __ATOMIC_RELAXED);
}

int tfc_pool_computing(void) {
  return __atomic_load_n(&computing, __ATOMIC_RELAXED);
}

/* Steps that run at the same time share the cores: a helper that loses its core in the middle of a
 * loop makes the loop's owner wait. */
int tfc_pool_share(int limit) {
  int threads = limit > 0 ? limit : tfc_pool_threads();
  int steps = __atomic_load_n(&computing, __ATOMIC_RELAXED);
  if (steps < 2 || threads < 2) return threads;
  int share = tfc_pool_threads() / steps;
  return share < 1 ? 1 : share < threads ? share : threads;
}

/* The child has no helpers; the next loop starts new ones. */
void tfc_pool_after_fork(void) {
  n_helpers = 0;
  sleepers = 0;
  computing = 0;
  for (int i = 0; i < SLOTS; i++) slots[i].busy = slots[i].open = slots[i].helpers = 0;
  pthread_mutex_init(&start_lock, NULL);
  pthread_mutex_init(&sleep_lock, NULL);
  pthread_cond_init(&sleep_cond, NULL);
}

static void wake(int wanted) {
  if (__atomic_load_n(&sleepers, __ATOMIC_SEQ_CST) == 0) return;
  pthread_mutex_lock(&sleep_lock);
  wake_count++;
  if (wanted > 1) {
    pthread_cond_broadcast(&sleep_cond);
  } else {
    pthread_cond_signal(&sleep_cond);
  }
  pthread_mutex_unlock(&sleep_lock);
}

void tfc_team_open(tfc_team* team) {
  __atomic_store_n(&team->index, -1, __ATOMIC_RELAXED);
  for (int i = 0; i < SLOTS; i++) {
    slot* s = &slots[i];
    int free_slot = 0;
    if (__atomic_load_n(&s->busy, __ATOMIC_RELAXED) ||
        !__atomic_compare_exchange_n(&s->busy, &free_slot, 1, false, __ATOMIC_ACQUIRE,
                                     __ATOMIC_RELAXED))
      continue;
    s->join = team->join;
    s->arg = team->arg;
    s->available = team->available;
    s->max_helpers = team->max_helpers;
    s->is_a_loop = team->is_a_loop;
    __atomic_store_n(&team->index, i, __ATOMIC_RELAXED);
    int top = __atomic_load_n(&top_slot, __ATOMIC_RELAXED);
    while (top <= i && !__atomic_compare_exchange_n(&top_slot, &top, i + 1, true, __ATOMIC_SEQ_CST,
                                                    __ATOMIC_RELAXED)) {
    }
    __atomic_store_n(&s->open, 1, __ATOMIC_SEQ_CST);
    return;
  }
}

void tfc_pool_wake(void) {
  if (__atomic_load_n(&computing, __ATOMIC_RELAXED) < tfc_pool_threads())
    wake(tfc_pool_threads() - 1);
}

void tfc_team_wake(const tfc_team* team) {
  if (__atomic_load_n(&team->index, __ATOMIC_RELAXED) >= 0) wake(team->max_helpers);
}

void tfc_team_close(tfc_team* team) {
  if (team->index < 0) return;
  slot* s = &slots[team->index];
  __atomic_store_n(&s->open, 0, __ATOMIC_SEQ_CST);
  for (int spins = 0; __atomic_load_n(&s->helpers, __ATOMIC_SEQ_CST); spins++) {
    tfc_pause();
    if (spins > 2000) sched_yield(); /* the helper has lost its core, or is in its last chunk */
  }
  __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE);
}

typedef struct loop {
  tfc_range_fn fn;
  void* arg;
  int64_t n, chunk;
  int64_t next; /* atomic: first item not yet taken */
  int64_t left; /* atomic: chunks not yet taken; a hint for helpers */
  bool (*stop)(void*);
  void* stop_arg;
} loop;

static void run_chunks(void* p) {
  loop* l = p;
  bool outer = in_loop;
  in_loop = true;
  for (;;) {
    int64_t begin = __atomic_fetch_add(&l->next, l->chunk, __ATOMIC_RELAXED);
    if (begin >= l->n || (l->stop && l->stop(l->stop_arg))) break;
    __atomic_fetch_sub(&l->left, 1, __ATOMIC_RELAXED);
    int64_t end = begin + l->chunk < l->n ? begin + l->chunk : l->n;
    l->fn(l->arg, begin, end);
  }
  in_loop = outer;
}

/* For tests: items per piece; 0: chosen as below. */
static int64_t cut; /* atomic */

void tfc_pool_cut(int64_t items) {
  __atomic_store_n(&cut, items, __ATOMIC_RELAXED);
}

/* From the last piece to the first, which exposes kernels whose results depend on the pieces or on
 * their order. */
static void run_cut(int64_t piece, int64_t n, tfc_range_fn fn, void* arg) {
  in_loop = true;
  for (int64_t end = n; end > 0; end -= piece) fn(arg, end > piece ? end - piece : 0, end);
  in_loop = false;
}

/* Handing work to another core and waiting for it costs a microsecond or two, more if that core
 * sleeps. So a chunk takes at least this many ns, and only loops of three chunks or more are split.
 * Tests set it to 0 to split small loops too. */
static double grain_ns = 5000; /* atomic */

double tfc_pool_set_grain(double ns) {
  double before;
  __atomic_exchange(&grain_ns, &ns, &before, __ATOMIC_RELAXED);
  return before;
}

/* A loop on one thread, in parts of about 10 ms if it can be stopped. */
static void run_alone(int64_t n, double ns_per_item, tfc_range_fn fn, void* arg,
                      bool (*stop)(void*), void* stop_arg) {
  int64_t part =
      stop && (double)n * ns_per_item > STOP_NS ? (int64_t)(STOP_NS / ns_per_item) + 1 : n;
  for (int64_t begin = 0; begin < n; begin += part) {
    if (begin && stop(stop_arg)) return;
    fn(arg, begin, begin + part < n ? begin + part : n);
  }
}

void tfc_pool_parallel_for(int max_threads, int64_t n, double ns_per_item, tfc_range_fn fn,
                           void* arg, bool (*stop)(void*), void* stop_arg) {
  if (n <= 0) return;
  int threads = tfc_pool_share(max_threads);
  double total = (double)n * ns_per_item, grain;
  __atomic_load(&grain_ns, &grain, __ATOMIC_RELAXED);
  int64_t piece = __atomic_load_n(&cut, __ATOMIC_RELAXED);
  if (piece && !in_loop) {
    run_cut(piece, n, fn, arg);
    return;
  }
  if (n == 1 || threads <= 1 || total < 3 * grain || in_loop) {
    run_alone(n, ns_per_item, fn, arg, stop, stop_arg);
    return;
  }
  /* A few chunks per thread balance cores of unequal speed and let the loop stop early on
   * cancellation. */
  double chunks = threads * 4;
  if (total < chunks * grain) chunks = total / grain;
  if (total > chunks * STOP_NS) chunks = total / STOP_NS;
  loop l = {.fn = fn, .arg = arg, .n = n, .stop = stop, .stop_arg = stop_arg};
  l.chunk = (int64_t)((double)n / chunks) + 1;
  if (n <= threads * 2) l.chunk = 1; /* few large items: the kernel has split the work itself */
  l.left = (n + l.chunk - 1) / l.chunk;
  tfc_pool_reserve(threads);
  int64_t left = l.left;
  tfc_team team = {.join = run_chunks,
                   .arg = &l,
                   .available = &l.left,
                   .max_helpers = threads - 1,
                   .is_a_loop = true};
  if (left - 1 < team.max_helpers) team.max_helpers = (int)(left - 1);
  tfc_team_open(&team);
  tfc_team_wake(&team);
  run_chunks(&l);
  tfc_team_close(&team);
}
