/* Both sides of a partition that a task runs for a master: see remote.h.
 *
 * A master's `_RunPartition` is suspended between RUN and DONE. The answer, a cancellation or the
 * peer's death resumes it: whichever takes it out of the list, under the lock and with the claim.
 */
#include "partitions/remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partitions/values.h"

enum { DESCRIPTION = 512 };

typedef struct pending {
  tfc_async* async;
  int64_t step;
  int peer;
  uint64_t handle;
  struct pending *next, *previous;
} pending;

static bool (*begin_run)(tfc_partition_run*);
static void (*end_run)(tfc_partition_run*);
static tfc_keep_changes keep_changes; /* NULL: variables have no replicas */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pending* waiting;        /* under lock */
static tfc_partition_run* runs; /* under lock: those between RUN and DONE */
/* A lock under which no other one is taken. Under it: runs that can continue, in order of arrival;
 * the threads that run them, and how many runs these have taken. */
static pthread_mutex_t ready_lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_partition_run *first_ready, *last_ready;
static int n_drivers;
static int64_t n_taken;

#define LINK(list, item)                 \
  do {                                   \
    (item)->previous = NULL;             \
    (item)->next = (list);               \
    if (list) (list)->previous = (item); \
    (list) = (item);                     \
  } while (0)
#define UNLINK(list, item)                                       \
  do {                                                           \
    if ((item)->next) (item)->next->previous = (item)->previous; \
    if ((item)->previous) {                                      \
      (item)->previous->next = (item)->next;                     \
    } else {                                                     \
      (list) = (item)->next;                                     \
    }                                                            \
  } while (0)

static void send_plain(int peer, int kind, int64_t step, uint64_t handle) {
  tfc_message m = {.kind = (uint16_t)kind, .step = step, .edge = handle};
  tfc_send(peer, &m, NULL); /* a failed peer is handled elsewhere */
}

/* ---- The master's side */

static void fail_async(tfc_async* a, int code, const char* text) {
  tfc_node_context* ctx = (tfc_node_context*)tfc_context_of(a);
  tfc_step_fail(ctx->step, ctx->node, code, text);
}

void tfc_say_unavailable(int peer, const char* what, char* text, size_t size) {
  char who[DESCRIPTION];
  tfc_describe(peer, who, sizeof who);
  snprintf(text, size, "%s. %s", who, what);
}

/* The step was cancelled, and this thread has the claim. RUN may still be on its way to the fabric,
 * and then follow CANCEL; so a failed step is also abandoned at its end. */
static void cancel_pending(void* arg) {
  pending* p = arg;
  pthread_mutex_lock(&lock);
  UNLINK(waiting, p);
  pthread_mutex_unlock(&lock);
  send_plain(p->peer, TFC_MSG_CANCEL, p->step, p->handle);
  tfc_resume_node(p->async, TFC_CANCELLED);
  free(p);
}

/* With the lock; NULL: there is none. */
static pending* find_pending(int64_t step, int peer, uint64_t handle) {
  pending* p = waiting;
  while (p && !(p->step == step && p->peer == peer && p->handle == handle)) p = p->next;
  return p;
}

/* Takes the entry out of the list and claims it; NULL: there is none. */
static pending* claim_pending(int64_t step, int peer, uint64_t handle) {
  pthread_mutex_lock(&lock);
  pending* p = find_pending(step, peer, handle);
  if (p && !tfc_claim_resume(p->async)) p = NULL; /* cancel_pending frees it */
  if (p) UNLINK(waiting, p);
  pthread_mutex_unlock(&lock);
  return p;
}

int tfc_run_partition(tfc_context* ctx) {
  const tfc_remote* remote = ctx->state;
  pending* p = calloc(1, sizeof *p);
  if (!p) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
  int64_t step = ctx->step_id;
  const tfc_step* own = ((tfc_node_context*)ctx)->step;
  int flags = own->observer && own->observer->modes & TFC_TRACE ? TFC_RUN_TRACED : 0;
  if (own->in_background) flags |= TFC_RUN_IN_BACKGROUND;
  int peer = remote->peer;
  uint64_t handle = remote->handle;
  *p = (pending){.async = tfc_suspend(ctx), .step = step, .peer = peer, .handle = handle};
  if (!p->async) {
    free(p);
    return TFC_RESOURCE_EXHAUSTED;
  }
  tfc_async* a = p->async;
  pthread_mutex_lock(&lock);
  bool waits = tfc_register_cancel(a, cancel_pending, p);
  if (waits) LINK(waiting, p);
  pthread_mutex_unlock(&lock);
  if (!waits) {
    free(p);
    tfc_resume_node(a, TFC_CANCELLED);
    return TFC_PENDING;
  }
  tfc_message m = {.kind = TFC_MSG_RUN, .flags = (uint16_t)flags, .step = step, .edge = handle};
  int code = tfc_send(peer, &m, NULL);
  if (code && (p = claim_pending(step, peer, handle))) {
    char text[2 * DESCRIPTION];
    tfc_say_unavailable(peer, TFC_UNREACHABLE, text, sizeof text);
    fail_async(p->async, code, text);
    tfc_resume_node(p->async, code);
    free(p);
  }
  return TFC_PENDING;
}

static void on_done(const tfc_message* m, tfc_tensor* payload) {
  pending* p = claim_pending(m->step, m->source, m->edge);
  if (p && m->code) {
    char* text = calloc(1, (size_t)payload->n + 1);
    if (text && payload->n) memcpy(text, payload->data, (size_t)payload->n);
    fail_async(p->async, m->code, text ? text : "out of memory for the error of another task");
    free(text);
  }
  if (p) {
    tfc_resume_node(p->async, m->code);
    free(p);
  }
  tfc_tensor_clear(payload);
}

/* Another task has fixed what it saves. While the entry is in the list, its step has not ended. */
static void on_snapshot_taken(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  pthread_mutex_lock(&lock);
  const pending* p = find_pending(m->step, m->source, m->edge);
  if (p) tfc_snapshot_taken(((const tfc_node_context*)tfc_context_of(p->async))->step);
  pthread_mutex_unlock(&lock);
}

/* ---- The side of the task that runs the partition
 *
 * A run has a thread only while some node of it can run. In between it is parked: a hundred
 * workers that wait in a step cost memory, not threads. */

/* Runs the partition until it is over or waits. */
static void drive(tfc_partition_run* run) {
  if (!run->parkable && !begin_run(run)) {
    end_run(run);
  } else if (tfc_run_parkable(run->parkable)) {
    end_run(run);
  }
}

static tfc_partition_run* take_ready(void) {
  pthread_mutex_lock(&ready_lock);
  tfc_partition_run* run = first_ready;
  if (run) {
    first_ready = run->next_ready;
    n_taken++;
  } else {
    n_drivers--;
  }
  pthread_mutex_unlock(&ready_lock);
  return run;
}

static void drive_ready(void* unused) {
  for (tfc_partition_run* run; (run = take_ready());) drive(run);
}

/* Without a thread the heartbeat tries again. */
static void add_driver(void) {
  if (tfc_defer(drive_ready, NULL, true)) return;
  pthread_mutex_lock(&ready_lock);
  n_drivers--;
  pthread_mutex_unlock(&ready_lock);
}

/* A hundred runs that come at once take turns on a few threads. */
static int usual_drivers(void) {
  int cores = tfc_pool_threads();
  return cores > 4 ? 2 * cores : 8;
}

/* May be called with locks held, and by handlers: the run goes to a thread where it may take long.
 */
void tfc_partition_run_resume(void* arg) {
  tfc_partition_run* run = arg;
  run->next_ready = NULL;
  pthread_mutex_lock(&ready_lock);
  *(first_ready ? &last_ready->next_ready : &first_ready) = run;
  last_ready = run;
  bool more = n_drivers < usual_drivers();
  n_drivers += more;
  pthread_mutex_unlock(&ready_lock);
  if (more) add_driver();
}

/* If no run was taken since the last heartbeat, those that have the threads may be in kernels that
 * block, and wait for the others. */
void tfc_steps_tick(void) {
  static int64_t before; /* only the thread of the heartbeat comes here */
  pthread_mutex_lock(&ready_lock);
  int more = first_ready && n_taken == before ? usual_drivers() : 0;
  before = n_taken;
  n_drivers += more;
  pthread_mutex_unlock(&ready_lock);
  for (int i = 0; i < more; i++) add_driver();
}

static void on_run(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  tfc_partition_run* run = calloc(1, sizeof *run);
  if (!run) {
    tfc_message done = {
        .kind = TFC_MSG_DONE, .code = TFC_RESOURCE_EXHAUSTED, .step = m->step, .edge = m->edge};
    tfc_answer(m->source, m->source_incarnation, &done, NULL);
    return;
  }
  *run = (tfc_partition_run){.step = m->step,
                             .handle = m->edge,
                             .source = m->source,
                             .incarnation = m->source_incarnation,
                             .traced = m->flags & TFC_RUN_TRACED,
                             .in_background = m->flags & TFC_RUN_IN_BACKGROUND};
  pthread_mutex_lock(&lock);
  LINK(runs, run);
  /* The master may have failed since the message was read. on_failure looks at the runs later. */
  run->cancelled = !tfc_is_alive(run->source);
  pthread_mutex_unlock(&lock);
  tfc_partition_run_resume(run);
}

bool tfc_partition_run_begin(tfc_partition_run* run, tfc_step* step) {
  pthread_mutex_lock(&lock);
  run->running = step;
  bool go = !run->cancelled;
  pthread_mutex_unlock(&lock);
  return go;
}

void tfc_partition_run_end(tfc_partition_run* run) {
  pthread_mutex_lock(&lock);
  run->running = NULL;
  pthread_mutex_unlock(&lock);
}

/* The master of a save continues when all tasks have fixed what they save. If this can't be sent,
 * the master learns it by DONE. */
static void tell_snapshot_taken(const tfc_step* step) {
  pthread_mutex_lock(&lock);
  const tfc_partition_run* run = runs;
  while (run && run->running != step) run = run->next;
  int master = run ? run->source : -1;
  uint32_t incarnation = run ? run->incarnation : 0;
  tfc_message m = {.kind = TFC_MSG_SNAPSHOT_TAKEN, .step = step->id, .edge = run ? run->handle : 0};
  pthread_mutex_unlock(&lock);
  if (master >= 0) tfc_send_to(master, incarnation, &m, NULL);
}

void tfc_partition_run_keep(tfc_keep_changes keep) {
  keep_changes = keep;
}

static void answer(tfc_partition_run* run, int code, const char* text, size_t size) {
  pthread_mutex_lock(&lock);
  UNLINK(runs, run);
  pthread_mutex_unlock(&lock);
  tfc_message m = {.kind = TFC_MSG_DONE, .code = code, .step = run->step, .edge = run->handle};
  tfc_tensor payload = {.dtype = TFC_UINT8};
  int64_t n = (int64_t)size;
  if (code) tfc_rendezvous_end_step(run->step); /* values for it may still arrive */
  if (code && tfc_tensor_new(&payload, 1, &n)) memcpy(payload.data, text, size);
  tfc_answer(run->source, run->incarnation, &m, payload.buffer ? &payload : NULL);
  tfc_tensor_clear(&payload);
  free(run);
}

void tfc_partition_run_done(tfc_partition_run* run, int code, const char* text, size_t size) {
  if (run->writes && keep_changes && keep_changes(run, !code)) return;
  answer(run, code, text, size);
}

void tfc_partition_run_release(tfc_partition_run* run) {
  answer(run, TFC_OK, NULL, 0);
}

int tfc_partition_runs(void) {
  int n = 0;
  pthread_mutex_lock(&lock);
  for (const tfc_partition_run* run = runs; run; run = run->next) n++;
  pthread_mutex_unlock(&lock);
  return n;
}

/* Cancels the runs of a master, or one of them (step >= 0); false: there were none. The steps are
 * marked under the lock, while they are known to run; their waiting kernels are called without it.
 */
static bool cancel_runs(int source, int64_t step) {
  enum { AT_ONCE = 64 };
  tfc_step* marked[AT_ONCE];
  bool more = true, any = false;
  while (more) {
    int n = 0;
    more = false;
    pthread_mutex_lock(&lock);
    for (tfc_partition_run* run = runs; run && !more; run = run->next) {
      if (run->source != source || (step >= 0 && run->step != step)) continue;
      any = true;
      if (run->cancelled) continue;
      more = n == AT_ONCE;
      if (more) break;
      run->cancelled = true;
      if (run->running && tfc_step_mark(run->running, TFC_CANCELLED)) marked[n++] = run->running;
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++) tfc_cancel_waiting(marked[i]);
  }
  return any;
}

static void on_cancel(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  /* There is no run: it has ended, or never begins, but other tasks may have sent values for it. */
  if (!cancel_runs(m->source, m->step))
    tfc_rendezvous_abort_step(m->step, TFC_CANCELLED, "The step was cancelled.");
}

static void abandon(int peer, int64_t step) {
  send_plain(peer, TFC_MSG_CANCEL, step, 0);
}

/* ---- A peer is gone */

static void on_failure(int peer) {
  char text[2 * DESCRIPTION];
  int code = tfc_failure_code();
  tfc_say_unavailable(peer, "A step waited for it", text, sizeof text);
  for (;;) {
    pthread_mutex_lock(&lock);
    pending* p = waiting;
    while (p && !(p->peer == peer && tfc_claim_resume(p->async))) p = p->next;
    if (p) UNLINK(waiting, p);
    pthread_mutex_unlock(&lock);
    if (!p) break;
    fail_async(p->async, code, text);
    tfc_resume_node(p->async, code);
    free(p);
  }
  tfc_rendezvous_abort_peer(peer, code, text);
  tfc_values_end_peer(peer, code, text);
  cancel_runs(peer, -1);
  int generation = tfc_generation_of(peer);
  tfc_rendezvous_abort_steps(tfc_first_step(peer, generation), tfc_last_step(peer, generation),
                             TFC_CANCELLED, "The master of the step has failed.");
}

/* The child neither waits for other tasks nor runs steps for masters. */
void tfc_steps_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&ready_lock, NULL);
  waiting = NULL;
  runs = first_ready = NULL;
  n_drivers = 0;
  tfc_values_after_fork();
}

void tfc_steps_install(bool (*begin)(tfc_partition_run*), void (*end)(tfc_partition_run*)) {
  begin_run = begin;
  end_run = end;
  tfc_values_install();
  tfc_between_tasks.abandon = abandon;
  tfc_set_snapshot_hook(tell_snapshot_taken);
  tfc_on_message(TFC_MSG_RUN, on_run);
  tfc_on_message(TFC_MSG_DONE, on_done);
  tfc_on_message(TFC_MSG_SNAPSHOT_TAKEN, on_snapshot_taken);
  tfc_on_message(TFC_MSG_CANCEL, on_cancel);
  tfc_on_failure(on_failure);
}
