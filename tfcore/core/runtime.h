/* The C part of the core: buffers, threads, variables and the calls a running kernel can make.
 *
 * It is linked once, into libtfcore.so, because state such as free lists must exist only once.
 * Every Cython module is linked with that library and calls these functions.
 */
#ifndef TFCORE_RUNTIME_H
#define TFCORE_RUNTIME_H

#include <pthread.h>

#include "tfcore/kernel.h"

/* ---- Buffers: what is known of a piece of memory, apart from the memory itself. */

enum {
  TFC_BUFFER_BORROWED = 1, /* the user's memory (a fed array): valid during one step only */
  TFC_BUFFER_STRINGS = 2   /* the elements are tfc_string, which own memory */
};

struct tfc_source;
struct tfc_loop;
struct tfc_device;

struct tfc_buffer {
  int64_t refs; /* atomic */
  void (*release)(tfc_buffer*);
  void* data;
  size_t size; /* usable bytes */
  void* owner; /* for release: a PyObject; in a free block: the next one */
  uint32_t size_class;
  uint32_t flags;
  struct tfc_heap* heap;     /* heap of an allocator's pages; NULL: malloc */
  struct tfc_device* device; /* in whose memory the data lie (device.h); NULL: the host's */
};

static inline void tfc_buffer_ref(tfc_buffer* b) {
  __atomic_fetch_add(&b->refs, 1, __ATOMIC_RELAXED);
}
static inline void tfc_buffer_unref(tfc_buffer* b) {
  /* The only holder needs no atomic decrement: no other thread can reach the buffer. */
  if (__atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) == 1 ||
      __atomic_sub_fetch(&b->refs, 1, __ATOMIC_ACQ_REL) == 0)
    b->release(b);
}
static inline bool tfc_buffer_exclusive(const tfc_buffer* b) {
  return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) == 1 && !(b->flags & TFC_BUFFER_BORROWED);
}
static inline void tfc_tensor_clear(tfc_tensor* t) {
  tfc_buffer* b = t->buffer;
  if (b) {
    t->buffer = NULL;
    tfc_buffer_unref(b);
  }
}

typedef struct tfc_memory_stats {
  int64_t bytes_in_use, peak_bytes_in_use, bytes_reserved, num_allocs, bytes_limit;
} tfc_memory_stats;

tfc_buffer* tfc_allocate(size_t bytes); /* NULL: no memory or over the limit */
/* Zeroed memory for an object that is destroyed with its buffer. */
tfc_buffer* tfc_allocate_object(const tfc_object_type* type);
/* Calls fn for each tensor that the object behind a handle holds. */
void tfc_visit_object(const tfc_tensor* handle, void (*fn)(void* arg, const tfc_tensor* value),
                      void* arg);
void tfc_memory_stats_get(tfc_memory_stats* out);
void tfc_memory_set_limit(int64_t bytes);                    /* 0: none */
void tfc_memory_trim(void);                                  /* returns free memory to the system */
bool tfc_memory_set_poison(bool on);                         /* returns what it was */
void tfc_memory_on_low(int64_t (*give_back)(int64_t bytes)); /* tfc_on_low_memory */

/* Address space used instead of the system's for blocks of 8 KB and more: the arena of a fabric.
 * Whole pages of it are purged: their content is lost and they take no memory until they are
 * touched again. When it is full, the system's memory is used. */
typedef struct tfc_source {
  void* start;
  size_t bytes;
  void (*purge)(void* p, size_t bytes);
} tfc_source;

typedef struct tfc_source_stats {
  int64_t bytes_committed, free_ranges;
} tfc_source_stats;

void tfc_memory_set_source(const tfc_source* source); /* NULL: the system */
void tfc_memory_source_stats(const tfc_source* source, tfc_source_stats* out);

/* Memory decay: free memory that was not needed lately is returned to the system in the background,
 * after several steps, or after the decay time (5 s) without any. The watcher calls this often. */
void tfc_memory_tick(int64_t now_ns);
double tfc_memory_set_decay(double idle_seconds); /* for tests; returns what it was */

/* What a thread does while it waits inside a step: it handles the messages of a fabric. Between
 * `enter` and `leave` it polls, and senders need not wake this process. `leave` handles what has
 * arrived by then; a later message wakes a thread: the one that leaves, if it goes to sleep on
 * duty. */
typedef struct tfc_idle {
  void (*enter)(bool from_duty);
  bool (*poll)(void);           /* true: there was a message */
  bool (*leave)(bool to_sleep); /* true: it is on duty: calls `sleep`, enter(true) */
  void (*sleep)(void);          /* until a message or `wake`, which may precede it */
  void (*wake)(void);           /* wakes the thread on duty */
  int64_t (*spin)(void);        /* how many ns to poll now before sleeping */
  void (*pause)(int polls);     /* between polls, after so many in a row that found nothing */
  /* true: this thread was polling when the message came for which it runs the step, and counts as
   * having entered already. */
  bool (*take_over)(void);
} tfc_idle;

void tfc_set_idle(const tfc_idle* idle); /* NULL: none */

/* Makes *t a new tensor of its dtype, which is set already. False: no memory, or it is a handle,
 * which only the kernel that owns the object can make. */
bool tfc_tensor_new(tfc_tensor* t, int rank, const int64_t* dims);
/* A deep copy. */
bool tfc_tensor_copy(tfc_tensor* to, const tfc_tensor* from);
int tfc_string_assign(tfc_tensor* t, int64_t i, const char* data, size_t size);

/* ---- Threads */

/* A team is work that several threads can join: the iterations of a loop, or the ready nodes of a
 * step. */
typedef struct tfc_team {
  void (*join)(void* arg); /* called by a helper; returns when there is nothing left to do */
  void* arg;
  const int64_t* available; /* atomic: positive while a helper may find work */
  int max_helpers;
  int index;      /* atomic: its slot; -1: none was free, so no helpers */
  bool is_a_loop; /* short work: a thread that waits for something else may join it */
} tfc_team;

int tfc_pool_threads(void);      /* threads that can compute at once, callers included */
int tfc_pool_set_threads(int n); /* 0: the default; returns what it was */
void tfc_pool_reserve(int threads);
void tfc_team_open(tfc_team* team);
void tfc_team_close(tfc_team* team); /* waits until no helper is inside */
void tfc_team_wake(const tfc_team* team);
double tfc_pool_set_grain(double ns); /* shortest chunk of a parallel loop; returns what it was */
void tfc_pool_wake(void);             /* wakes helpers for work that will come in a moment */
/* Called around the time in which a step computes, not while it sleeps. */
void tfc_pool_enter(void);
void tfc_pool_leave(void);
/* Around a call of any length that computes nothing for its steps. `resume` takes what `pause`
 * gave. */
int tfc_pool_pause(void);
void tfc_pool_resume(int steps);
int tfc_pool_computing(void);   /* steps that compute now */
int tfc_pool_share(int limit);  /* threads that a step may use now (limit 0: none) */
bool tfc_pool_help_loops(void); /* joins any loop that has work; false if there is none */
/* Calls `stop` (may be NULL) now and then; when it returns true, the rest of the loop is skipped.
 */
void tfc_pool_parallel_for(int max_threads, int64_t n, double ns_per_item, tfc_range_fn fn,
                           void* arg, bool (*stop)(void*), void* stop_arg);
/* Runs fn(arg) on a thread that may block for any length of time; false if no thread can be made.
 */
bool tfc_spawn(void (*fn)(void* arg), void* arg);
/* The same, on a thread that ends with fn, and may lower its priority. */
bool tfc_spawn_once(void (*fn)(void* arg), void* arg);
/* On such a thread: from here on it has the lowest priority, where the system has one for threads.
 */
void tfc_lower_priority(void);
void tfc_pool_cut(int64_t items); /* for tests: parallel loops run in pieces of this many items */
void tfc_pool_after_fork(void);
void tfc_spawn_after_fork(void);
void tfc_watch_start(void); /* the watcher, unless it runs */
void tfc_watch_after_fork(void);
void tfc_snapshots_after_fork(void);

/* A thread of Python's that runs a step, and another that waits until kernels of the step, in all
 * tasks, have the values that they save. */
typedef struct tfc_snapshot_watch {
  struct tfc_snapshot_watch* next;
  unsigned long caller; /* Python's identifier of the thread */
  int seen;
  bool ended;
} tfc_snapshot_watch;

/* On the thread that will run the step. */
void tfc_snapshot_watch_begin(tfc_snapshot_watch*, unsigned long caller);
void tfc_snapshot_watch_end(tfc_snapshot_watch*);
/* On the other one. True: `wanted` kernels have them, or the watch has ended. */
bool tfc_snapshot_watch_wait(tfc_snapshot_watch*, int wanted, double seconds);
int64_t tfc_steps_begun(void);
void tfc_step_after_fork(void);
void tfc_admission_after_fork(void);
int64_t tfc_now_ns(void);
static inline void tfc_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/* ---- Variables */

typedef struct tfc_variable tfc_variable;

/* An observer of a variable. */
typedef struct tfc_tracker {
  /* It has changed. Called under its lock, so it must be short. rows: only these rows, which are
   * every `step`-th entry of a tensor of indices, and may be none of the variable; NULL: all of
   * it. */
  void (*changed)(struct tfc_tracker*, const tfc_tensor* rows, int64_t step);
  void (*destroyed)(struct tfc_tracker*); /* by whoever drops the last reference */
} tfc_tracker;

struct tfc_variable {
  pthread_mutex_t mutex;
  tfc_tensor value; /* buffer == NULL: never assigned, but it may have a shape (rank -1: none) */
  /* The others never change, refs apart, which is atomic. */
  char* name;
  char* container; /* of a resource variable; NULL: the variable of a reference */
  int64_t refs;
  int32_t dtype;
  tfc_tracker* tracker; /* set before a kernel has the variable; NULL: none */
};

tfc_variable* tfc_variable_new(const char* name, const char* container,
                               int32_t dtype); /* NULL: no memory */
void tfc_variable_unref(tfc_variable*);
/* The text of the error of a use before the first assignment. */
void tfc_variable_uninitialized(const tfc_variable*, char* text, size_t size);
/* *out shares the current value; false if there is none. */
bool tfc_variable_read(tfc_variable*, tfc_tensor* out);
/* *out shares the current value, in a device's memory or the host's. A variable stays where it is
 * placed; only if a run that was added later can't have it there, it moves.
 * TFC_FAILED_PRECONDITION: there is no value; TFC_RESOURCE_EXHAUSTED: it can't be moved. */
int tfc_variable_read_in(tfc_variable*, struct tfc_device*, tfc_tensor* out);

const tfc_api* tfc_api_table(void);

extern const tfc_kernel_def tfc_null_kernel;
int tfc_checked_compute(tfc_context* ctx);
int tfc_saving_compute(tfc_context* ctx);
int tfc_check_result(tfc_context* ctx, int code); /* when an asynchronous one has resumed */

#endif
