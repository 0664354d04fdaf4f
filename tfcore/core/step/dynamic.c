/* The dynamic order: nodes whose inputs are ready go to a list, from which the caller and helpers
 * of the pool take them. Used where independent nodes can't use all cores by themselves, and where
 * kernels suspend or block.
 * Thread safety: the producer writes a slot before it decrements the consumers' pending counts
 * (release); a consumer reads it after its count has reached zero (acquire); the last consumer, by
 * the `uses` count, clears it. The ready list has its own lock. The caller returns only after all
 * suspended kernels have resumed, and all blocking ones and all helpers have returned (`outside`).
 *
 * A step that runs for another task may be parked instead of waiting: its caller returns, and
 * whoever makes a node ready, or the last kernel resume, has it taken up again on another thread.
 *
 * Blocking kernels run on separate threads, never on the caller's: it must react to signals, and
 * two blocking kernels may wait for each other.
 */
#include "step/dynamic.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  MAX_FLAGS = 64, /* nodes with more inputs don't reuse their memory */
  SPINS = 2000,
  BRIEF_NS = 2000, /* waking a thread takes longer */
  LONG_NS = 100000,
  SURELY_BRIEF = 4,
  LOOK = 16 /* brief nodes that run between polls for messages */
};

/* A suspended kernel. While a cancellation is possible it must be claimed before it is resumed. */
struct tfc_async {
  tfc_node_context ctx; /* must be first: the kernel's context points to it */
  tfc_dynamic* dynamic;
  int claimed;           /* atomic */
  void (*cancel)(void*); /* under the step's lock: NULL if it is not in the list */
  void* arg;
  tfc_async *next, *previous; /* under the step's lock */
  bool listed;                /* under the step's lock: tfc_list_suspended has shown it */
  int64_t since;              /* ns: when it was suspended */
  uint8_t flags[];
};

typedef struct blocking_node {
  tfc_dynamic* dynamic;
  tfc_ready ready;
} blocking_node;

static const tfc_ready nothing = {.node = -1};

static bool is_over(tfc_dynamic* d) {
  return __atomic_load_n(&d->outside, __ATOMIC_ACQUIRE) == 0 &&
         (__atomic_load_n(&d->remaining, __ATOMIC_ACQUIRE) == 0 || failed(d));
}

static bool has_work(tfc_dynamic* d) {
  return __atomic_load_n(&d->available, __ATOMIC_RELAXED) > 0 && !failed(d);
}

/* Once the step has failed, `attention` stays set and means nothing new: the watcher wakes the
 * caller for signals. */
static bool needs_attention(const tfc_dynamic* d) {
  return __atomic_load_n(&d->step->attention, __ATOMIC_SEQ_CST) && !failed(d);
}

/* With the lock, while the caller runs no node: nothing runs until a suspended kernel resumes or
 * the step is cancelled. */
static bool only_waits(tfc_dynamic* d) {
  int32_t outside = __atomic_load_n(&d->outside, __ATOMIC_ACQUIRE);
  return outside && outside == __atomic_load_n(&d->suspended, __ATOMIC_RELAXED) && !is_over(d) &&
         !has_work(d) && !needs_attention(d);
}

/* With the lock. True: the step was parked, and the thread has to `take_up` it once it has released
 * the lock. Until then nothing else happens to the step. */
static bool wake_caller(tfc_dynamic* d) {
  bool was_parked = d->parked;
  d->parked = false;
  if (!d->sleeping) return was_parked;
  if (d->on_duty) {
    d->on_duty->wake();
  } else {
    pthread_cond_signal(&d->wake);
  }
  return false;
}

static void take_up(tfc_dynamic* d) {
  d->resume(d->resume_arg);
}

/* The last access to `d` by a thread other than the caller's: under the lock, which the caller
 * takes once more before it leaves; or this thread has the parked step taken up. A step that could
 * be parked now is woken for that. */
static void come_back(tfc_dynamic* d, bool was_suspended) {
  pthread_mutex_lock(&d->lock);
  if (was_suspended) __atomic_sub_fetch(&d->suspended, 1, __ATOMIC_RELAXED);
  int32_t left = __atomic_sub_fetch(&d->outside, 1, __ATOMIC_ACQ_REL);
  bool parkable = d->resume && left == __atomic_load_n(&d->suspended, __ATOMIC_RELAXED);
  bool was_parked = (!left || (parkable && !was_suspended)) && wake_caller(d);
  pthread_mutex_unlock(&d->lock);
  if (was_parked) take_up(d);
}

/* With the lock. Needed for control flow only: else there is room for all nodes. */
static bool grow(tfc_dynamic* d) {
  tfc_ready* more = realloc(d->ready, 2 * (size_t)d->capacity * sizeof *more);
  if (!more) return false;
  d->ready = more;
  d->capacity *= 2;
  return true;
}

static void relieve(void* d);

/* With the lock. True: the caller is in a function, and nobody else would run what is ready. After
 * it has released the lock, the thread has to `start_relief`. */
static bool needs_relief(tfc_dynamic* d) {
  if (!d->relieved || d->relief || !has_work(d)) return false;
  d->relief = true;
  __atomic_add_fetch(&d->outside, 1, __ATOMIC_ACQ_REL);
  return true;
}

static void start_relief(tfc_dynamic* d) {
  if (tfc_spawn(relieve, d)) return;
  pthread_mutex_lock(&d->lock);
  d->relief = false; /* the watcher tries again at its next tick */
  pthread_mutex_unlock(&d->lock);
  come_back(d, false);
}

static void insert(tfc_dynamic* d, tfc_ready r, bool last) {
  pthread_mutex_lock(&d->lock);
  int64_t height = __atomic_load_n(&d->available, __ATOMIC_RELAXED);
  bool room = height < d->capacity || grow(d), was_parked = false, alone = false;
  if (room) {
    if (last) memmove(d->ready + 1, d->ready, (size_t)height * sizeof r);
    d->ready[last ? 0 : height] = r;
    __atomic_store_n(&d->available, height + 1, __ATOMIC_RELEASE);
    was_parked = wake_caller(d);
    alone = needs_relief(d);
  }
  pthread_mutex_unlock(&d->lock);
  if (alone) start_relief(d);
  if (was_parked) {
    take_up(d);
  } else if (room) {
    tfc_team_wake(&d->team);
  } else {
    tfc_dynamic_fail(d, r.node, TFC_RESOURCE_EXHAUSTED, "no memory for the list of ready nodes");
  }
}

void tfc_dynamic_push(tfc_dynamic* d, tfc_ready r) {
  insert(d, r, false);
}

void tfc_dynamic_push_last(tfc_dynamic* d, tfc_ready r) {
  insert(d, r, true);
}

static tfc_ready pop(tfc_dynamic* d) {
  tfc_ready r = nothing;
  pthread_mutex_lock(&d->lock);
  int64_t height = __atomic_load_n(&d->available, __ATOMIC_RELAXED);
  if (height > 0 && !failed(d)) {
    __atomic_store_n(&d->available, height - 1, __ATOMIC_RELEASE);
    r = d->ready[height - 1];
  }
  pthread_mutex_unlock(&d->lock);
  return r;
}

void tfc_dynamic_wake(tfc_dynamic* d) {
  pthread_mutex_lock(&d->lock);
  bool was_parked = wake_caller(d);
  pthread_mutex_unlock(&d->lock);
  if (was_parked) take_up(d);
}

void tfc_clear_slot(tfc_dynamic* d, tfc_state* s, int slot) {
  if (d->step->observer) tfc_observe_free(d->step->observer, s, slot);
  tfc_tensor_clear(&s->slots[slot]);
}

/* Clears the inputs that no node needs any more and decrements the consumers' counts; returns a
 * consumer that became ready, or none. */
static tfc_ready finish_node(tfc_dynamic* d, tfc_ready r) {
  const tfc_plan* plan = d->plan;
  if (plan->n_frames) return tfc_flow_finish(d, r);
  const tfc_plan_node* node = &plan->nodes[r.node];
  tfc_state* s = d->state;
  tfc_ready following = {s, -1, false};
  for (int j = node->first_input; j < node->first_input + node->n_inputs; j++) {
    int slot = plan->input_slots[j];
    if (!is_repeated(plan, node, j) && __atomic_sub_fetch(&s->uses[slot], 1, __ATOMIC_ACQ_REL) == 0)
      tfc_clear_slot(d, s, slot);
  }
  for (int slot = node->first_output; slot < node->first_output + node->n_outputs; slot++)
    if (plan->slot_uses[slot] == 0) tfc_clear_slot(d, s, slot);
  for (int j = node->first_consumer; j < node->first_consumer + node->n_consumers; j++) {
    int consumer = plan->consumers[j];
    if (__atomic_sub_fetch(&s->pending[consumer], 1, __ATOMIC_ACQ_REL)) continue;
    if (following.node < 0) {
      following.node = consumer;
    } else {
      tfc_dynamic_push(d, (tfc_ready){s, consumer, false});
    }
  }
  __atomic_sub_fetch(&d->remaining, 1, __ATOMIC_ACQ_REL);
  return following;
}

static const uint8_t* flags_of(tfc_dynamic* d, const tfc_state* s, const tfc_plan_node* node,
                               uint8_t* flags) {
  if (node->n_inputs > MAX_FLAGS) return d->plan->no_flags;
  for (int j = 0; j < node->n_inputs; j++) {
    int at = node->first_input + j;
    bool last = d->plan->input_flags[at] & TFC_INPUT_ONCE &&
                __atomic_load_n(&s->uses[d->plan->input_slots[at]], __ATOMIC_ACQUIRE) == 1;
    flags[j] = last ? TFC_INPUT_LAST_USE : 0;
  }
  return flags;
}

void tfc_dynamic_fail(tfc_dynamic* d, int i, int code, const char* message) {
  tfc_step_fail(d->step, i, code, message);
  tfc_step_cancel(d->step, TFC_STEP_FAILED);
}

/* Runs a node; returns the next one for this thread, or none. */
static tfc_ready run_node(tfc_dynamic* d, tfc_node_context* ctx, uint8_t* flags, tfc_ready r) {
  const tfc_plan_node* node = &d->plan->nodes[r.node];
  tfc_observer* o = d->step->observer;
  ctx->state = r.state;
  ctx->dead = r.dead;
  tfc_ready next;
  if (d->plan->n_frames && tfc_flow_run(d, r, &next)) return next;
  ctx->input_flags = flags_of(d, r.state, node, flags);
  int code = o ? tfc_observed_compute(o, ctx, r.state, r.node)
               : tfc_compute(ctx, d->plan, r.state, node, r.node);
  if (code == TFC_PENDING) return nothing;
  if (code) {
    tfc_dynamic_fail(d, r.node, code, "the kernel failed without a message");
    return nothing;
  }
  r.dead = ctx->dead;
  return finish_node(d, r);
}

static void run_blocking(void* p) {
  blocking_node b = *(blocking_node*)p;
  tfc_dynamic* d = b.dynamic;
  tfc_node_context ctx;
  uint8_t flags[MAX_FLAGS];
  free(p);
  tfc_context_init(&ctx, d->plan, d->step);
  ctx.dynamic = d;
  tfc_ready following = run_node(d, &ctx, flags, b.ready);
  if (following.node >= 0) tfc_dynamic_push(d, following);
  come_back(d, false);
}

static void run_on_own_thread(tfc_dynamic* d, tfc_ready r) {
  blocking_node* b = malloc(sizeof *b);
  __atomic_add_fetch(&d->outside, 1, __ATOMIC_ACQ_REL);
  if (b) {
    *b = (blocking_node){d, r};
    if ((d->step->in_background ? tfc_spawn_once : tfc_spawn)(run_blocking, b)) return;
    free(b);
  }
  tfc_dynamic_fail(d, r.node, TFC_RESOURCE_EXHAUSTED, "no thread for a kernel that may block");
  come_back(d, false);
}

/* ---- While the caller polls it is `awake`: no thread is woken for incoming messages. It stays
 * awake while it runs nodes that were brief when they last ran: in a loop over several tasks the
 * next message comes within a microsecond, and waking another thread for it would cost both sides
 * more than an iteration. */

static void stop_being_awake(tfc_dynamic* d) {
  if (d->awake) d->polled->leave(false);
  d->awake = false;
}

static bool has_kernel(const tfc_dynamic* d, tfc_ready r) {
  if (!d->plan->n_frames) return true;
  int kind = d->plan->flow[r.node].kind;
  return kind == TFC_TRANSFER || (kind == TFC_PLAIN && !r.dead);
}

/* One long run is ignored: the thread may have lost its core. */
static int32_t briefness(int32_t before, int64_t ns) {
  if (ns < BRIEF_NS) return SURELY_BRIEF;
  return ns < LONG_NS && before ? before - 1 : 0;
}

static tfc_ready run_awake(tfc_dynamic* d, tfc_node_context* ctx, uint8_t* flags, tfc_ready r) {
  if (d->awake && ++d->unlooked >= LOOK) {
    d->unlooked = 0;
    d->polled->poll();
  }
  if (!has_kernel(d, r)) return run_node(d, ctx, flags, r);
  int32_t* brief = &d->plan->nodes[r.node].brief;
  int32_t before = __atomic_load_n(brief, __ATOMIC_RELAXED);
  if (!before) stop_being_awake(d);
  int64_t start = tfc_now_ns();
  tfc_ready following = run_node(d, ctx, flags, r);
  int32_t after = briefness(before, tfc_now_ns() - start);
  if (after != before) __atomic_store_n(brief, after, __ATOMIC_RELAXED);
  if (!d->awake) {
    d->polled->enter(false);
    d->awake = true;
    d->unlooked = LOOK;
  }
  return following;
}

/* A node that may wait for others, on the caller's thread. */
static tfc_ready run_watched(tfc_dynamic* d, tfc_node_context* ctx, uint8_t* flags, tfc_ready r) {
  tfc_watch_call(d->step);
  tfc_ready following = run_node(d, ctx, flags, r);
  tfc_unwatch_call(d->step);
  pthread_mutex_lock(&d->lock);
  d->relieved = false;
  pthread_mutex_unlock(&d->lock);
  return following;
}

/* Runs ready nodes until there is none. */
static void run_ready(tfc_dynamic* d, bool is_caller) {
  tfc_node_context ctx;
  uint8_t flags[MAX_FLAGS];
  tfc_context_init(&ctx, d->plan, d->step);
  ctx.dynamic = d;
  uint32_t apart = TFC_KERNEL_BLOCKING | (is_caller ? 0 : TFC_KERNEL_PYTHON);
  for (tfc_ready r = pop(d); r.node >= 0; r = pop(d))
    while (r.node >= 0 && !failed(d) && !tfc_step_must_end(d->step)) {
      uint32_t kind = r.dead ? 0 : __atomic_load_n(&d->plan->nodes[r.node].flags, __ATOMIC_RELAXED);
      if (kind & apart) {
        run_on_own_thread(d, r);
        r = nothing;
      } else if (kind & TFC_NODE_MAY_WAIT) {
        r = run_watched(d, &ctx, flags, r);
      } else if (is_caller && d->polled) {
        r = run_awake(d, &ctx, flags, r);
      } else {
        r = run_node(d, &ctx, flags, r);
      }
    }
}

/* A helper may be in a long kernel: before the caller closes the team it waits for the helper as
 * for other threads, able to handle signals. */
static void join(void* p) {
  tfc_dynamic* d = p;
  __atomic_add_fetch(&d->outside, 1, __ATOMIC_ACQ_REL);
  run_ready(d, false);
  come_back(d, false);
}

static void relieve(void* p) {
  tfc_dynamic* d = p;
  for (bool more = true; more;) {
    run_ready(d, false);
    pthread_mutex_lock(&d->lock);
    more = d->relieved && has_work(d);
    d->relief = more;
    pthread_mutex_unlock(&d->lock);
  }
  come_back(d, false);
}

void tfc_dynamic_relieve(tfc_dynamic* d) {
  for (tfc_plan_node* n = d->plan->nodes; n < d->plan->nodes + d->plan->n_nodes; n++)
    if (n->flags & TFC_NODE_MAY_WAIT)
      __atomic_or_fetch(&n->flags, TFC_KERNEL_BLOCKING, __ATOMIC_RELAXED);
  pthread_mutex_lock(&d->lock);
  d->relieved = true;
  bool alone = needs_relief(d);
  pthread_mutex_unlock(&d->lock);
  if (alone) start_relief(d);
}

/* Sleeps until there is something to do; a thread that changes that wakes the caller under the
 * lock. With `idle` this thread is on duty and sleeps where messages wake it, too. */
static void wait_for_work(tfc_dynamic* d, const tfc_idle* idle) {
  pthread_mutex_lock(&d->lock);
  if (!is_over(d) && !has_work(d) && !needs_attention(d)) {
    d->sleeping = true;
    d->on_duty = idle;
    tfc_pool_leave();
    if (idle) {
      pthread_mutex_unlock(&d->lock);
      idle->sleep();
      pthread_mutex_lock(&d->lock);
    } else {
      pthread_cond_wait(&d->wake, &d->lock);
    }
    tfc_pool_enter();
    d->sleeping = false;
  }
  pthread_mutex_unlock(&d->lock);
}

static bool prepare(tfc_dynamic* d, const tfc_plan* plan, tfc_state* s, tfc_step* step,
                    int n_nodes) {
  memset(d, 0, sizeof *d);
  d->step = step;
  d->state = s;
  d->plan = plan;
  d->remaining = n_nodes;
  d->capacity = (plan->n_frames ? plan->n_nodes : n_nodes) + 1;
  d->ready = malloc((size_t)d->capacity * sizeof *d->ready);
  if (!d->ready) return false;
  pthread_mutex_init(&d->lock, NULL);
  pthread_cond_init(&d->wake, NULL);
  int threads = tfc_pool_share(step->max_threads);
  d->team = (tfc_team){.join = join,
                       .arg = d,
                       .available = &d->available,
                       .max_helpers = step->alone ? 0 : threads - 1,
                       .index = -1};
  if (plan->n_frames) return tfc_flow_begin(d);
  for (int i = plan->n_nodes - 1; i >= 0; i--)
    if (s->pending[i] == 0) d->ready[d->available++] = (tfc_ready){s, i, false};
  return true;
}

static void destroy(tfc_dynamic* d) {
  pthread_mutex_destroy(&d->lock);
  pthread_cond_destroy(&d->wake);
  free(d->ready);
}

static void set_dynamic(tfc_step* step, tfc_dynamic* d) {
  pthread_mutex_lock(&step->lock);
  step->dynamic = d;
  pthread_mutex_unlock(&step->lock);
}

static const tfc_idle* idle_hook; /* atomic */

void tfc_set_idle(const tfc_idle* idle) {
  __atomic_store_n(&idle_hook, idle, __ATOMIC_RELEASE);
}

/* Handles messages until one of them makes a node ready, or the time for polling is over. */
static bool poll_for_work(tfc_dynamic* d, const tfc_idle* idle) {
  int64_t spin = idle->spin(), until = spin ? tfc_now_ns() + spin : 0;
  for (int spins = 1;; spins++) {
    idle->poll();
    if (has_work(d) || is_over(d) || needs_attention(d) || tfc_pool_help_loops()) return true;
    if (!spin || (spins % 16 == 0 && tfc_now_ns() >= until)) return false;
    idle->pause(spins);
  }
}

static void open_team(tfc_dynamic* d) {
  tfc_pool_enter();
  if (d->team.max_helpers <= 0) return;
  tfc_pool_reserve(d->team.max_helpers + 1);
  tfc_team_open(&d->team);
  tfc_team_wake(&d->team);
}

static void close_team(tfc_dynamic* d) {
  tfc_team_close(&d->team);
  __atomic_store_n(&d->team.index, -1, __ATOMIC_RELAXED); /* a kernel may resume meanwhile */
  tfc_pool_leave();
}

/* True: the step may belong to another thread by now. */
static bool park(tfc_dynamic* d) {
  pthread_mutex_lock(&d->lock);
  bool parks = only_waits(d);
  pthread_mutex_unlock(&d->lock);
  if (!parks) return false;
  close_team(d);
  pthread_mutex_lock(&d->lock);
  parks = only_waits(d);
  d->parked = parks;
  pthread_mutex_unlock(&d->lock);
  if (!parks) open_team(d);
  return parks;
}

/* True: the step is parked. */
static bool poll_or_sleep(tfc_dynamic* d, const tfc_idle* idle) {
  if (!d->awake) idle->enter(false);
  d->polled = idle;
  d->awake = true;
  d->unlooked = 0;
  if (poll_for_work(d, idle)) return false;
  d->awake = false;
  bool on_duty = idle->leave(!d->resume);
  if (d->resume && park(d)) return true;
  wait_for_work(d, on_duty ? idle : NULL);
  if (!on_duty) return false;
  idle->enter(true);
  idle->leave(false);
  return false;
}

/* False: the step is parked. */
static bool work_and_wait(tfc_dynamic* d) {
  for (int spins = 0;;) {
    run_ready(d, true);
    tfc_step_must_end(d->step);
    if (is_over(d)) break;
    if (tfc_pool_help_loops()) continue;
    const tfc_idle* idle = __atomic_load_n(&idle_hook, __ATOMIC_ACQUIRE);
    if (idle) {
      if (poll_or_sleep(d, idle)) return false;
    } else if (++spins < SPINS) {
      tfc_pause();
    } else {
      wait_for_work(d, NULL);
    }
  }
  stop_being_awake(d);
  return true;
}

static void (*failure_hook)(const tfc_plan*, const tfc_step*); /* atomic */

void tfc_set_failure_hook(void (*hook)(const tfc_plan*, const tfc_step*)) {
  __atomic_store_n(&failure_hook, hook, __ATOMIC_RELEASE);
}

void tfc_tell_of_failure(const tfc_plan* plan, const tfc_step* step) {
  void (*hook)(const tfc_plan*, const tfc_step*) = __atomic_load_n(&failure_hook, __ATOMIC_ACQUIRE);
  if (hook) hook(plan, step);
}

void tfc_run_dynamic(const tfc_plan* plan, tfc_state* s, tfc_step* step) {
  if (plan->part) {
    tfc_run_in_parts(plan, s, step);
  } else {
    tfc_run_all(plan, s, step);
  }
}

/* Sets the counts for a run of all nodes; returns how many `remaining` are at first. */
static int reset_counts(const tfc_plan* plan, tfc_state* s) {
  if (plan->n_frames) return 1;
  memcpy(s->uses, plan->slot_uses, (size_t)plan->n_slots * sizeof *s->uses);
  for (int i = 0; i < plan->n_nodes; i++) s->pending[i] = plan->nodes[i].n_pending;
  return plan->n_nodes;
}

void tfc_run_all(const tfc_plan* plan, tfc_state* s, tfc_step* step) {
  tfc_run_pending(plan, s, step, reset_counts(plan, s));
}

static bool begin(tfc_dynamic* d, const tfc_plan* plan, tfc_state* s, tfc_step* step, int n_nodes) {
  if (prepare(d, plan, s, step, n_nodes)) {
    set_dynamic(step, d);
    return true;
  }
  tfc_step_fail(step, 0, TFC_RESOURCE_EXHAUSTED, "out of memory");
  if (d->ready) destroy(d);
  return false;
}

static void end(tfc_dynamic* d) {
  close_team(d);
  set_dynamic(d->step, NULL);
  if (failed(d)) tfc_tell_of_failure(d->plan, d->step);
  pthread_mutex_lock(&d->lock); /* the thread that came back last may still hold it */
  pthread_mutex_unlock(&d->lock);
  if (d->plan->n_frames) tfc_flow_end(d);
  destroy(d);
}

void tfc_run_pending(const tfc_plan* plan, tfc_state* s, tfc_step* step, int n_nodes) {
  tfc_dynamic d;
  if (!begin(&d, plan, s, step, n_nodes)) return;
  open_team(&d);
  work_and_wait(&d);
  end(&d);
}

/* ---- Steps that are parked while they wait */

tfc_dynamic* tfc_begin_parkable(const tfc_plan* plan, tfc_state* s, tfc_step* step,
                                void (*resume)(void*), void* arg) {
  tfc_dynamic* d = malloc(sizeof *d);
  if (!d) tfc_step_fail(step, 0, TFC_RESOURCE_EXHAUSTED, "out of memory");
  if (d && !begin(d, plan, s, step, reset_counts(plan, s))) {
    free(d);
    return NULL;
  }
  if (!d) return NULL;
  pthread_mutex_lock(&d->lock); /* the step may be cancelled already */
  d->resume = resume;
  d->resume_arg = arg;
  pthread_mutex_unlock(&d->lock);
  return d;
}

/* A thread that was polling when the message came for which it runs the step stays awake: the
 * values for the first nodes follow within a microsecond. */
static void begin_awake(tfc_dynamic* d) {
  const tfc_idle* idle = __atomic_load_n(&idle_hook, __ATOMIC_ACQUIRE);
  if (!idle || !idle->take_over()) return;
  d->polled = idle;
  d->awake = true;
  d->unlooked = LOOK;
}

void tfc_hand_over_messages(void) {
  const tfc_idle* idle = __atomic_load_n(&idle_hook, __ATOMIC_ACQUIRE);
  if (idle && idle->take_over()) idle->leave(false);
}

bool tfc_run_parkable(tfc_dynamic* d) {
  begin_awake(d);
  open_team(d);
  if (!work_and_wait(d)) return false;
  end(d);
  free(d);
  return true;
}

/* ---- Asynchronous kernels */

/* Costs a few nanoseconds; tells whether a kernel waits for seconds. */
static int64_t coarse_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

tfc_async* tfc_suspend_node(tfc_context* pub) {
  tfc_node_context* ctx = (tfc_node_context*)pub;
  if (!ctx->dynamic) {
    pub->api->error(pub, TFC_INTERNAL,
                    "the kernel suspends itself, but is not registered with TFC_KERNEL_ASYNC");
    return NULL;
  }
  tfc_async* a = calloc(1, sizeof *a + (size_t)pub->n_inputs);
  if (!a) {
    pub->api->error(pub, TFC_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  a->ctx = *ctx;
  a->ctx.scratch = NULL; /* the scratch memory belongs to the call */
  a->ctx.n_locked = 0;
  a->ctx.input_flags = a->flags;
  a->dynamic = ctx->dynamic;
  a->since = coarse_now();
  if (ctx->step->observer) ctx->state->node_events[ctx->node].returned = tfc_now_ns();
  __atomic_add_fetch(&a->dynamic->outside, 1, __ATOMIC_ACQ_REL);
  __atomic_add_fetch(&a->dynamic->suspended, 1, __ATOMIC_RELAXED);
  ctx->suspended = true;
  return a;
}

tfc_context* tfc_context_of(tfc_async* a) {
  return &a->ctx.pub;
}

/* With the step's lock held. */
static void leave_list(tfc_async* a) {
  if (!a->cancel) return;
  if (a->next) a->next->previous = a->previous;
  if (a->previous) {
    a->previous->next = a->next;
  } else {
    a->ctx.step->waiting = a->next;
  }
  a->cancel = NULL;
}

bool tfc_register_cancel(tfc_async* a, void (*fn)(void*), void* arg) {
  tfc_step* step = a->ctx.step;
  pthread_mutex_lock(&step->lock);
  bool ok = !a->cancel && !__atomic_load_n(&step->cancelled, __ATOMIC_SEQ_CST);
  if (ok) {
    a->cancel = fn;
    a->arg = arg;
    a->previous = NULL;
    a->next = step->waiting;
    if (a->next) a->next->previous = a;
    step->waiting = a;
  }
  pthread_mutex_unlock(&step->lock);
  return ok;
}

/* What the entries say was written before they were put into the list under the lock, and a step
 * with entries has not ended. */
int tfc_list_suspended_of(tfc_step* step, tfc_suspended* out, int room, int64_t before,
                          bool new_ones) {
  int n = 0;
  for (tfc_async* a = step->waiting; a && n < room; a = a->next) {
    if (a->since > before || (new_ones && a->listed)) continue;
    a->listed |= new_ones;
    out[n++] = (tfc_suspended){.step = a->ctx.pub.step_id,
                               .plan = a->ctx.plan->number,
                               .since = a->since,
                               .place = tfc_place_of(&a->ctx.pub),
                               .node = a->ctx.node};
  }
  return n;
}

bool tfc_claim_resume(tfc_async* a) {
  int no = 0;
  return __atomic_compare_exchange_n(&a->claimed, &no, 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

/* Those of its inner contexts, with the code of the step's own cancellation. */
static void cancel_inner(tfc_step* step) {
  for (tfc_step* found = step; found;) {
    found = NULL;
    pthread_mutex_lock(&step->lock);
    int code = __atomic_load_n(&step->cancelled, __ATOMIC_SEQ_CST);
    for (tfc_step* s = code ? step->inner : NULL; s && !found; s = s->inner_next)
      if (tfc_step_mark(s, tfc_step_reason(code))) found = s;
    pthread_mutex_unlock(&step->lock);
    if (found) tfc_cancel_waiting(found);
  }
}

/* Claims all kernels that are not yet claimed, then calls their functions. No other thread resumes
 * a claimed kernel, so it stays alive until its function is called. */
void tfc_cancel_waiting(tfc_step* step) {
  tfc_async* ours = NULL;
  pthread_mutex_lock(&step->lock);
  /* If the step has ended, its memory may belong to another step by now. */
  bool cancelled = __atomic_load_n(&step->cancelled, __ATOMIC_SEQ_CST) != 0;
  for (tfc_async *a = cancelled ? step->waiting : NULL, *next; a; a = next) {
    next = a->next;
    if (!tfc_claim_resume(a)) continue;
    void (*fn)(void*) = a->cancel;
    leave_list(a);
    a->cancel = fn;
    a->next = ours;
    ours = a;
  }
  if (step->dynamic) tfc_dynamic_wake(step->dynamic);
  bool has_inner = step->inner != NULL; /* one that joins later sees the cancellation itself */
  pthread_mutex_unlock(&step->lock);
  while (ours) {
    tfc_async* a = ours;
    void (*fn)(void*) = a->cancel;
    ours = a->next;
    a->cancel = NULL;
    fn(a->arg);
  }
  if (has_inner) cancel_inner(step);
}

void tfc_resume_node(tfc_async* a, int code) {
  tfc_dynamic* d = a->dynamic;
  tfc_step* step = a->ctx.step;
  pthread_mutex_lock(&step->lock);
  leave_list(a);
  pthread_mutex_unlock(&step->lock);
  if (d->plan->nodes[a->ctx.node].checked) code = tfc_check_result(&a->ctx.pub, code);
  if (step->observer) code = tfc_observed_resume(step->observer, &a->ctx, a->ctx.state, code);
  if (code) {
    tfc_dynamic_fail(d, a->ctx.node, code, "the kernel failed without a message");
  } else {
    tfc_ready following = finish_node(d, (tfc_ready){a->ctx.state, a->ctx.node, a->ctx.dead});
    if (following.node >= 0) tfc_dynamic_push(d, following);
  }
  tfc_free_scratch(&a->ctx);
  tfc_unlock_all(&a->ctx);
  free(a);
  come_back(d, true);
}
