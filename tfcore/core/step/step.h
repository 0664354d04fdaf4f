/* A plan, the values of one running step, and what runs it: serial (run.c) or dynamic (dynamic.c),
 * observed (observer.c), cancelled (step.c) by a time limit or a signal (watch.c).
 */
#ifndef TFCORE_STEP_H
#define TFCORE_STEP_H

#include "runtime.h"

typedef struct tfc_step tfc_step;
typedef struct tfc_plan tfc_plan;
typedef struct tfc_state tfc_state;
typedef struct tfc_observer tfc_observer;
typedef struct tfc_node_context tfc_node_context;

/* ---- Plans: made by plan.pyx. They don't change while steps run, except for fields marked "under
 * the GIL" or "atomic". */

typedef struct tfc_plan_node {
  /* What the serial order reads. */
  tfc_compute_fn compute;
  void* state;
  struct tfc_device* device; /* whose memory the kernel uses; NULL: the host's */
  int32_t n_inputs, n_outputs;
  int32_t first_input;  /* into input_slots, input_flags and a state's inputs */
  int32_t first_output; /* slot */
  int32_t first_deref, n_derefs;
  int32_t first_release, n_releases; /* serial order only */
  /* The rest. */
  int32_t first_consumer, n_consumers; /* dynamic order */
  int32_t n_pending;                   /* number of nodes that it waits for */
  uint32_t flags;                      /* atomic: of the kernel, and those below */
  int32_t went_parallel;               /* under the GIL: it has offered work to other threads */
  int32_t brief;                       /* atomic, dynamic order: positive if its runs are short */
  tfc_compute_fn checked;              /* what tfc_checked_compute or tfc_saving_compute calls */
  /* On a device: for each input and output whether it is nevertheless in the host's memory. */
  const bool *host_inputs, *host_outputs;
  double ns; /* under the GIL: measured time, moving average */
} tfc_plan_node;

typedef struct tfc_deref {
  int32_t source;            /* slot of the reference */
  int32_t target;            /* slot for the snapshot */
  struct tfc_device* device; /* in whose memory the snapshot must be */
} tfc_deref;

/* More of a plan with loops or conditionals (flow.c). Nodes, slots and inputs are ordered by frame,
 * so that an iteration of a frame has one range of each array. */

enum { /* kinds of nodes */
       TFC_PLAIN,
       TFC_SWITCH,
       TFC_MERGE,
       TFC_ENTER,
       TFC_EXIT,
       TFC_NEXT_ITERATION,
       TFC_FORWARD, /* LoopCond */
       TFC_TRIGGER,
       TFC_TRANSFER /* _Send, _Recv: they run with dead inputs as well */
};

typedef struct tfc_edge {
  int32_t node;   /* the consumer */
  int32_t output; /* of the producer; -1: a control edge */
  int32_t input;  /* of a Merge */
} tfc_edge;

typedef struct tfc_flow_node {
  int32_t kind, frame;
  int32_t first_edge, n_edges;
  int32_t target; /* the frame that an Enter leads to */
  int32_t number; /* index of a constant Enter or of an Exit among those of its frame, or -1 */
} tfc_flow_node;

typedef struct tfc_frame {
  uint64_t hash; /* of its name, the same in all processes */
  int32_t parent, parallel_iterations;
  int32_t first_node, n_nodes, first_slot, n_slots, first_input, n_inputs;
  int32_t n_enters, n_nexts;
  int32_t first_constant, n_constants; /* into `members`: constant Enters */
  int32_t first_exit, n_exits;
} tfc_frame;

struct tfc_plan {
  tfc_plan_node* nodes;
  int32_t* input_slots;
  uint8_t* input_flags;
  uint8_t* no_flags; /* zeros, as many as a node may have inputs */
  tfc_deref* derefs;
  int32_t* releases;
  int32_t* consumers;
  int32_t* slot_dtypes;
  int32_t* slot_uses;
  int32_t* slot_nodes; /* the node that writes a slot; -1: fed */
  int32_t* fetch_slots;
  int32_t* feed_types;
  int64_t* feed_shapes; /* TFC_MAX_RANK + 1 per feed: rank and sizes; -1: unknown */
  int32_t n_nodes, n_slots, n_inputs, n_derefs, n_fetches, n_feeds;
  int64_t number;   /* of the process's plans, for those that need no pointer that stays valid */
  int32_t n_frames; /* 0: no control flow */
  tfc_frame* frames;
  tfc_flow_node* flow;    /* by node */
  uint64_t* first_tokens; /* by node: counters at the start of a first iteration... */
  uint64_t* later_tokens; /* ...and of later ones */
  tfc_edge* edges;
  int32_t* members;
  struct tfc_part* part; /* its static part; NULL: none */
};

/* Whether a value has the static shape of the plan's feed i, on which kernels rely. */
static inline bool tfc_fits_feed(const tfc_plan* plan, int i, const tfc_tensor* t) {
  const int64_t* shape = &plan->feed_shapes[(TFC_MAX_RANK + 1) * i];
  if (shape[0] < 0) return true;
  if (t->rank != shape[0]) return false;
  for (int d = 0; d < t->rank; d++)
    if (shape[1 + d] >= 0 && t->dims[d] != shape[1 + d]) return false;
  return true;
}

struct tfc_state {
  tfc_tensor* slots;
  const tfc_tensor** inputs;
  int32_t* pending; /* atomic, dynamic order */
  int32_t* uses;    /* atomic, dynamic order: consumers of each slot that have not run yet */
  tfc_state* next;
  struct tfc_flow* flow;              /* of a plan with control flow, once it has run */
  struct tfc_node_event* node_events; /* in an observed step */
  struct tfc_slot_event* slot_events; /* in a traced step */
};

/* input_flags. LAST_USE: in serial order, no later node reads the value. ONCE: one input of this
 * node reads it, and it is not fetched. */
enum { TFC_INPUT_LAST_USE = 1, TFC_INPUT_ONCE = 2 };

/* Flags beside those of tfcore/kernel.h. */
enum {
  /* The kernel calls a Python function, which may take any time. On the caller's thread Ctrl-C
   * reaches the function, but the pool's threads are not for it. */
  TFC_KERNEL_PYTHON = 1 << 16,
  /* Such a node, if it may wait for another one that can run at the same time. Once one has kept
   * its thread for long, all of its plan are TFC_KERNEL_BLOCKING as well. */
  TFC_NODE_MAY_WAIT = 1 << 17
};

/* ---- Steps */

/* A running step. Its memory is never freed, only reused, so that a late thread (the watcher, one
 * that cancels) still finds a step. All it can do then is make the next owner check once in vain.
 *
 * Writers: any thread writes `attention`; tfc_step_cancel `cancelled`; the first to fail `code` (by
 * compare-and-swap), `node` and `message`; the list of waiting kernels and `dynamic` are under
 * `lock`; the caller of the step writes the rest. */
enum { TFC_STEP_FAILED = -1 };

struct tfc_step {
  int attention; /* atomic: a field below changed, or it is time to check for signals */
  /* Atomic: why the step must end (a tfc_code); 0: it need not. TFC_STEP_FAILED: for an error of
   * its own. If that is taken from an inner context, the context is used again. */
  int cancelled;
  int code;      /* atomic: of the first error */
  int node;      /* node with the error; -1: none */
  char* message; /* atomic; malloc'd */
  int max_threads;
  bool alone;          /* only the caller runs nodes, except those that block */
  bool on_main_thread; /* the caller is the thread on which Python handles signals */
  bool in_background;  /* what it saves is written at the lowest priority (snapshots.c) */
  int out_of_memory;   /* atomic: an allocation failed */
  bool after_cancel;   /* the error is a consequence of the cancellation */
  int64_t id;
  pthread_t caller;
  unsigned long caller_id; /* Python's identifier of that thread */
  void* interrupt;         /* exception of a signal handler: a PyObject */
  tfc_observer* observer;  /* NULL: the step is not observed */
  pthread_mutex_t lock;
  struct tfc_async* waiting; /* suspended kernels to call back on cancellation */
  struct tfc_dynamic* dynamic;
  struct tfc_kept_loop* kept;            /* under lock */
  uint64_t* joined;                      /* under lock: a bit per node: collectives it has joined */
  struct tfc_share* shares;              /* atomic, changed under lock: work on devices */
  tfc_step* outer;                       /* the main thread's step inside which this one runs */
  tfc_step* inner;                       /* under lock: the first of those of its inner contexts */
  tfc_step *inner_next, *inner_previous; /* under the lock of the step around an inner one */
  int64_t waiting_call;                  /* atomic: see tfc_watch_call */
  int64_t seen_call;                     /* the watcher's: what it was at the last tick */
  struct tfc_numbers* numbers;           /* of an inner one; NULL: calls have none */
  int64_t deadline_ns;                   /* under the watcher's lock; 0: none */
  tfc_step *timed_next, *timed_previous; /* under the watcher's lock */
  tfc_step *next, *previous;             /* in its session, or in the free list; under the GIL */
  tfc_step* made_before;                 /* never changes */
  bool inherited;                        /* from the process that forked this one */
};

/* Both need the GIL. */
tfc_step* tfc_step_begin(int64_t id, int max_threads, bool on_main_thread);
void tfc_step_end(tfc_step* step);
/* A step for an inner context (inner.c). It is cancelled with `around`; NULL: with no other step.
 */
tfc_step* tfc_step_begin_inner(tfc_step* around);
void tfc_step_end_inner(tfc_step* step, tfc_step* around);
void tfc_drop_numbers(tfc_step* step);
void tfc_step_fail(tfc_step* step, int node, int code, const char* message);
/* Makes the step end soon: notifies its executor, and running and suspended kernels. The first
 * reason wins. May be called on any thread while the step is known not to end, but without the GIL
 * or any other lock, because it calls suspended kernels back. */
void tfc_step_cancel(tfc_step* step, int code);
/* Its two halves, for callers that need a lock to know that the step has not ended: mark it under
 * that lock, then call back without it. The step may have ended in between. */
bool tfc_step_mark(tfc_step* step, int code);
void tfc_cancel_waiting(tfc_step* step);
/* The tfc_code for a value of `cancelled`. */
static inline int tfc_step_reason(int cancelled) {
  return cancelled == TFC_STEP_FAILED ? TFC_CANCELLED : cancelled;
}
/* After `attention`: runs signal handlers, if this is the thread for them. True: the step must end,
 * and has failed. The caller must not hold a lock, as handlers may run steps. */
bool tfc_step_look(tfc_step* step);
static inline bool tfc_step_must_end(tfc_step* step) {
  return __builtin_expect(__atomic_load_n(&step->attention, __ATOMIC_RELAXED), 0) &&
         tfc_step_look(step);
}
void tfc_set_signal_hook(void (*hook)(tfc_step*));
/* `hook` is called for each step that fails or is cancelled and whose plan has kernels that
 * suspend: other tasks may wait for a kernel that it did not reach. It runs on the step's thread,
 * after all kernels have ended. */
void tfc_set_failure_hook(void (*hook)(const tfc_plan*, const tfc_step*));
/* `hook` is called when a kernel that saves has all of its values, on the kernel's thread. */
void tfc_set_snapshot_hook(void (*hook)(const tfc_step*));
/* A kernel of the step, here or in another task, has them: those who wait for that are told. */
void tfc_snapshot_taken(const tfc_step* step);

/* The watcher: a thread that cancels steps at their deadlines, makes a long step of the main
 * thread check for signals, and relieves callers that are in a Python function for long. */
void tfc_watch_main(tfc_step* step); /* NULL: the innermost one has ended */
void tfc_watch_deadline(tfc_step* step, int64_t at_ns);
void tfc_unwatch(tfc_step* step);
/* Around a node that may wait for others, on the caller's thread. */
void tfc_watch_call(tfc_step* step);
void tfc_unwatch_call(tfc_step* step);

/* Admission control (admission.c), for steps that never wait for another step: only a few run at
 * once, the others wait in line. False: the step must end, and has failed. */
bool tfc_admission_enter(tfc_step* step);
void tfc_admission_leave(void);
/* Around a user's code within a step; the second takes the first one's result. */
int tfc_admission_step_out(void);
void tfc_admission_step_in(int entered);

/* ---- Nodes */

#define TFC_MAX_LOCKED 8

/* A tfc_context with the runtime's private fields. */
struct tfc_node_context {
  tfc_context pub;
  tfc_step* step;
  const tfc_plan* plan;
  const tfc_plan_node* running; /* the node */
  struct tfc_dynamic* dynamic;  /* the running dynamic step, for suspending */
  const uint8_t* input_flags;
  tfc_buffer* scratch; /* atomic while the kernel runs: a list, linked by `owner` */
  int64_t scratch_bytes;
  tfc_state* state;        /* dynamic order: that of the node's iteration */
  tfc_context* around;     /* of an inner context: that in which it began, or NULL */
  struct tfc_share* share; /* what the step has at the device of the last launch */
  int node;
  int base;           /* number of the plan's first node: added to the node's in errors */
  bool dead;          /* the input of a transfer is dead, or its output is made dead */
  bool parallel;      /* atomic: the kernel has offered work to other threads */
  bool suspended;     /* by the kernel that runs or just ran */
  unsigned lock_mode; /* of those that are locked */
  int n_locked;
  tfc_variable* locked[TFC_MAX_LOCKED];
};

void tfc_context_init(tfc_node_context* ctx, const tfc_plan* plan, tfc_step* step);
int tfc_snapshot(const tfc_plan* plan, tfc_state* s, const tfc_plan_node* node, tfc_step* step,
                 int i);
void tfc_free_scratch(tfc_node_context* ctx);
void tfc_unlock_all(tfc_node_context* ctx);

static inline int tfc_compute(tfc_node_context* ctx, const tfc_plan* plan, tfc_state* s,
                              const tfc_plan_node* node, int i) {
  ctx->pub.inputs = &s->inputs[node->first_input];
  ctx->pub.outputs = &s->slots[node->first_output];
  ctx->pub.state = node->state;
  ctx->pub.n_inputs = node->n_inputs;
  ctx->pub.n_outputs = node->n_outputs;
  ctx->running = node;
  ctx->node = i;
  if (node->n_derefs) {
    int code = ctx->dead ? TFC_OK : tfc_snapshot(plan, s, node, ctx->step, i);
    if (code) return code;
  }
  int code = node->compute(&ctx->pub);
  if (ctx->scratch) tfc_free_scratch(ctx);
  if (ctx->n_locked) tfc_unlock_all(ctx);
  return code;
}

void tfc_run_serial(const tfc_plan* plan, tfc_state* s, tfc_step* step);
void tfc_run_observed(const tfc_plan* plan, tfc_state* s, tfc_step* step);
void tfc_run_dynamic(const tfc_plan* plan, tfc_state* s, tfc_step* step);
/* Runs the n_nodes nodes whose `pending` count is or becomes zero. `uses` is already set. */
void tfc_run_pending(const tfc_plan* plan, tfc_state* s, tfc_step* step, int n_nodes);
void tfc_dynamic_wake(struct tfc_dynamic* d);
void tfc_dynamic_relieve(struct tfc_dynamic* d); /* its caller has been in a function for long */
/* For steps that run for another task, of plans without a static part: like tfc_run_dynamic, but
 * while nothing can run the step is parked, and its thread returns. When it can, any thread calls
 * resume(arg), once, which may be while it holds locks: it only has to make some thread call
 * tfc_run_parkable again. NULL: the step has failed. */
struct tfc_dynamic* tfc_begin_parkable(const tfc_plan* plan, tfc_state* s, tfc_step* step,
                                       void (*resume)(void*), void* arg);
/* True: the step is over, and `d` is gone. False: it is parked, and may already continue on another
 * thread. */
bool tfc_run_parkable(struct tfc_dynamic* d);
/* Before this thread runs a step otherwise: if it was to handle messages for a parkable one
 * (tfc_idle's `take_over`), another thread is woken for them from here on. No lock may be held, nor
 * the GIL. */
void tfc_hand_over_messages(void);

/* ---- The static part of a plan (static_part.c): nodes of one device whose work is the same in
 * every step with the same shapes, and the same values in the host's memory, so that it can be
 * recorded and replayed. */

/* Looks for one when the nodes' times have been measured. dynamic: the plan's order until then. */
void tfc_find_part(tfc_plan* plan, bool dynamic);
/* Runs a plan that has one. */
void tfc_run_in_parts(const tfc_plan* plan, tfc_state* s, tfc_step* step);
void tfc_free_part(tfc_plan* plan);
/* Whether it is a _Send or _Recv; is_remote: its other end is in another task. */
bool tfc_is_transfer(const tfc_plan_node* node, bool* sends, bool* is_remote);

/* Where a running kernel is in the loops of its plan. */
typedef struct tfc_place {
  uint64_t frame;    /* a hash of the names and iterations of its frames; 0: outside of loops */
  int64_t iteration; /* 0 outside of loops */
} tfc_place;

tfc_place tfc_place_of(const tfc_context* ctx);
/* For the kernels of _Send and _Recv. */
bool tfc_input_is_dead(const tfc_context* ctx);
void tfc_output_dead(tfc_context* ctx);

void tfc_flow_clear(tfc_state* s); /* drops the values of all iterations */
void tfc_flow_free(tfc_state* s);
/* After the step, for a slot of the outermost frame. False: it got a dead token, or none. */
bool tfc_flow_has_value(const tfc_plan* plan, const tfc_state* s, int slot);
/* Kernels that are suspended, as far as a cancellation of their step would call them back. */
typedef struct tfc_suspended {
  int64_t step, plan; /* the numbers of both */
  int64_t since;      /* ns of the monotonic clock, to a few milliseconds */
  tfc_place place;
  int32_t node;
} tfc_suspended;

void tfc_each_step(void (*visit)(tfc_step*)); /* also of those that have ended */

/* Copies at most `room` of those that have been suspended since `before` or longer; new_ones: only
 * those that were not copied so before. Returns how many. */
int tfc_list_suspended(tfc_suspended* out, int room, int64_t before, bool new_ones);
/* Those of one step, with its lock. */
int tfc_list_suspended_of(tfc_step* step, tfc_suspended* out, int room, int64_t before,
                          bool new_ones);
/* Steps that have begun and ended in this process. */
void tfc_count_steps(int64_t* begun, int64_t* ended);

tfc_async* tfc_suspend_node(tfc_context* ctx);
void tfc_resume_node(tfc_async* async, int code);
tfc_context* tfc_context_of(tfc_async* async);
bool tfc_register_cancel(tfc_async* async, void (*fn)(void*), void* arg);
bool tfc_claim_resume(tfc_async* async);

/* ---- Observing a step: times, memory, non-finite values. Written by the thread that runs a node,
 * read after the step. */

typedef struct tfc_node_event {
  int64_t start, returned, done; /* ns of the monotonic clock, 0: not yet; the kernel was suspended
                                    from `returned` to `done` */
  int64_t total, runs;           /* ns and number of runs in iterations that have ended */
  int64_t scratch;               /* bytes */
  int32_t thread;
  int32_t parallel;
} tfc_node_event;

typedef struct tfc_slot_event {
  const tfc_buffer* buffer; /* NULL: there was no value */
  const void* data;
  int64_t bytes; /* of the buffer */
  int64_t freed; /* ns when the step dropped it; 0: at its end */
  int32_t dtype, rank;
  int64_t dims[TFC_MAX_RANK];
  int32_t fresh; /* whether the node allocated this memory */
  int32_t gone;  /* whether the step held the last reference when it dropped it */
  int64_t came;  /* ns when it came from another iteration; 0: made in this one */
} tfc_slot_event;

/* The record of one iteration of a loop. The arrays begin with the frame's first node and slot. */
typedef struct tfc_iteration_record {
  struct tfc_iteration_record* next;
  tfc_node_event* nodes;
  tfc_slot_event* slots;
  int64_t number;
  int32_t frame;
} tfc_iteration_record;

/* When a node's work ran on a device. */
typedef struct tfc_device_span {
  struct tfc_device_span* next;
  const char* what; /* a function, or a kind of copy such as "MEMCPYHtoD"; static */
  int64_t bytes;    /* that were copied; -1: it is a function */
  int64_t start, done;
  int32_t node; /* its number, as in errors */
} tfc_device_span;

enum { TFC_TRACE = 1, TFC_CHECK_NUMERICS = 2, TFC_WATCH = 4 };

/* Gets output number `output` of a node that has run, as long as the call lasts. */
typedef void (*tfc_watch_fn)(void* arg, int node, int output, const tfc_tensor* value);

struct tfc_observer {
  const tfc_plan* plan;
  const tfc_state* state; /* of the step; once a check has failed, of the failed node */
  tfc_node_event* nodes;
  tfc_slot_event* slots; /* only when tracing */
  pthread_mutex_t lock;
  tfc_iteration_record* iterations; /* under lock: those that have ended, the last one first */
  int64_t n_iterations;             /* under lock */
  int64_t deadline_ns;              /* when the watcher cancelled the step; 0: it did not */
  int modes;
  /* The first check of numerics that failed: under lock until the step has ended. */
  int bad_node;   /* -1: none */
  int bad_output; /* -1: the variable behind input bad_input */
  int bad_input;
  tfc_tensor before[TFC_MAX_LOCKED]; /* variables of bad_node as they were */
  int before_input[TFC_MAX_LOCKED];
  int n_before;
  tfc_watch_fn watch; /* of the mode TFC_WATCH */
  void* watch_arg;
  tfc_device_span* spans; /* malloc'd; by the thread that ends the step */
};

int tfc_observed_compute(tfc_observer* o, tfc_node_context* ctx, tfc_state* s, int i);
/* Called when an asynchronous kernel has resumed; returns its code or an error. */
int tfc_observed_resume(tfc_observer* o, tfc_node_context* ctx, const tfc_state* s, int code);
void tfc_observe_free(tfc_observer* o, tfc_state* s, int slot);
/* A slot got its value from another iteration; its value `b` is dropped by something else. */
void tfc_observe_arrival(tfc_observer* o, tfc_state* s, int slot);
void tfc_observe_last(tfc_observer* o, tfc_state* s, int slot, const tfc_buffer* b);
/* Around a node that the executor runs itself. */
void tfc_observe_begin(tfc_state* s, int i);
void tfc_observe_end(tfc_observer* o, tfc_state* s, int i);
/* Takes over the record of an iteration; NULL: there was no memory for one. */
void tfc_observe_iteration(tfc_observer* o, tfc_iteration_record* record, tfc_node_event* nodes,
                           tfc_slot_event* slots);
int tfc_thread_number(void);

/* ---- What holds memory (holders.c) */

typedef struct tfc_holder {
  const tfc_buffer* buffer;
  int64_t bytes;
  int32_t number; /* the node that made it, as in errors; negative: -1 - slot */
} tfc_holder;

typedef struct tfc_holders {
  tfc_holder* items; /* malloc'd */
  size_t n, capacity;
  bool complete; /* false: there was no memory for the whole list */
} tfc_holders;

/* Lists the values of a step that has failed or, if NULL, not begun: in its slots, in iterations,
 * in fused loops, and in the objects behind handles. A buffer may be listed more than once. */
void tfc_list_holders(const tfc_plan* plan, const tfc_state* s, const tfc_step* step,
                      tfc_holders* out);
/* Calls fn for the values in iterations of a step with control flow. */
typedef void (*tfc_value_fn)(void* arg, int number, const tfc_tensor* value);
void tfc_flow_visit(const tfc_state* s, tfc_value_fn fn, void* arg);

#endif
