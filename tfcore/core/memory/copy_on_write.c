/* See copy_on_write.h. */
#include "memory/copy_on_write.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory/available_memory.h"
#include "registry/context.h"
#include "threads/pace.h"

enum {
  GRAIN = 4096,
  GRAINS = TFC_COPY_CHUNK / GRAIN, /* of a chunk */
  LEAST_LIMIT = 64 << 20,
  MEASURE_EVERY = 64 << 20, /* bytes that are kept until available memory is measured again */
  STALL_NS = 100000000,
  LOOK_NS = 10000000 /* how often a kernel that rests looks whether it should continue */
};

/* In place of where a grain is kept: a writer is about to keep it. */
static char keeping[1];

struct tfc_cow {
  tfc_cow_set* set;
  tfc_tensor* slot;   /* of the copying kernel; NULL: this input is not copied in chunks */
  tfc_buffer* buffer; /* which the slot holds until the input is done */
  const char* data;
  int64_t bytes, n_chunks, n_grains;
  uint8_t* copied;     /* of each chunk: atomic, written by the copying thread */
  char** kept;         /* of each grain: atomic, changed under the set's lock; NULL: it is not */
  tfc_buffer** blocks; /* of each chunk: atomic, what is kept of it: a list, linked by `owner` */
  tfc_cow* next;       /* in the list of a writer: under the lock of the variable */
  bool done;           /* under the set's lock: nothing needs to be kept any more */
};

struct tfc_cow_set {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t refs;         /* atomic: the copying kernel, and writers that joined */
  int64_t moved;        /* under lock: how often the copying kernel has moved on */
  int64_t raised_limit; /* under lock: the limit while it stands still, bytes; 0: it does not */
  int64_t keeping_ns;   /* under lock: processor time of writers */
  int waiting;          /* under lock: writers that wait for the copying kernel */
  pthread_t thread;     /* the kernel's, which may release memory */
  tfc_buffer* unneeded; /* the copying thread's: a list, linked by `owner` */
  tfc_pace pace;        /* the rest is the kernel's */
  int64_t counted_ns;   /* the part of keeping_ns that the pace knows */
  int n, n_open, at;    /* at: the input that was last looked for */
  tfc_cow inputs[];
};

/* Protects the owners of buffers, and the moment in which a copying kernel's slot lets one go. */
static pthread_mutex_t owners = PTHREAD_MUTEX_INITIALIZER;
static tfc_cow_stats stats; /* atomic */

/* What writers may keep, for all copying kernels of the process together. All are atomic, relaxed:
 * the limit is a guess, and those who look at the same time may exceed it by a piece each. */
static int64_t kept;              /* bytes that are kept */
static int64_t limit;             /* how many may be */
static int64_t unmeasured;        /* bytes that were kept since memory was measured */
static int64_t wanted_limit = -1; /* TFCORE_SAVE_MEMORY, in bytes; -1: it is not set */

static void free_blocks(tfc_buffer* b) {
  while (b) {
    tfc_buffer* next = __atomic_exchange_n(&b->owner, NULL, __ATOMIC_RELAXED);
    __atomic_fetch_sub(&kept, (int64_t)b->size, __ATOMIC_RELAXED);
    tfc_buffer_unref(b);
    b = next;
  }
}

static void free_input(tfc_cow* c) {
  for (int64_t k = 0; c->blocks && k < c->n_chunks; k++) free_blocks(c->blocks[k]);
  free(c->copied);
  free(c->kept);
  free(c->blocks);
}

static void set_unref(tfc_cow_set* set) {
  if (__atomic_sub_fetch(&set->refs, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < set->n; i++) free_input(&set->inputs[i]);
  free_blocks(set->unneeded);
  pthread_mutex_destroy(&set->lock);
  pthread_cond_destroy(&set->changed);
  free(set);
}

static int64_t chunk_size(const tfc_cow* c, int64_t chunk) {
  int64_t left = c->bytes - chunk * TFC_COPY_CHUNK;
  return left < TFC_COPY_CHUNK ? left : TFC_COPY_CHUNK;
}

/* The size of n grains from this one on; the last one of the value may be short. */
static int64_t bytes_of(const tfc_cow* c, int64_t grain, int64_t n) {
  int64_t left = c->bytes - grain * GRAIN;
  return left < n * GRAIN ? left : n * GRAIN;
}

static bool is_copied(const tfc_cow* c, int64_t chunk) {
  return __atomic_load_n(&c->copied[chunk], __ATOMIC_ACQUIRE);
}

static char* where_kept(const tfc_cow* c, int64_t grain) {
  return __atomic_load_n(&c->kept[grain], __ATOMIC_ACQUIRE);
}

/* ThreadSanitizer does not support fences; these two order copy_unlocked, which it does not check.
 */
#if defined(__SANITIZE_THREAD__)
#define FENCE(ORDER) __asm__ volatile("" ::: "memory")
#else
#define FENCE(ORDER) __atomic_thread_fence(ORDER)
#endif

/* ---- The copying kernel. */

/* Half of what would be available if this process kept nothing. So if n processes keep as much as
 * they may, each has one part in n + 1 of the memory, and one is left. */
static void set_limit(void) {
  int64_t bytes = __atomic_load_n(&wanted_limit, __ATOMIC_RELAXED);
  __atomic_store_n(&unmeasured, 0, __ATOMIC_RELAXED);
  if (bytes < 0) {
    bytes = tfc_available_memory() / 2 + __atomic_load_n(&kept, __ATOMIC_RELAXED) / 2;
    if (bytes < LEAST_LIMIT) bytes = LEAST_LIMIT;
  }
  __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}

static void read_environment(void) {
  const char* wanted = getenv("TFCORE_SAVE_MEMORY");
  char* end = NULL;
  const long long megabytes = wanted && *wanted ? strtoll(wanted, &end, 10) : -1;
  const bool valid = megabytes >= 0 && !*end && megabytes < INT64_MAX >> 20;
  __atomic_store_n(&wanted_limit, valid ? megabytes << 20 : -1, __ATOMIC_RELAXED);
}

tfc_cow_set* tfc_cow_open(tfc_node_context* ctx, int n_inputs) {
  tfc_cow_set* set = calloc(1, sizeof *set + (size_t)n_inputs * sizeof(tfc_cow));
  if (!set) return NULL;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&set->lock, NULL);
  pthread_cond_init(&set->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  set->refs = 1;
  read_environment();
  set_limit();
  set->thread = pthread_self();
  (void)tfc_pace_others_run(&set->pace);
  set->n = n_inputs;
  return ctx->copied = set;
}

void tfc_cow_add(tfc_cow_set* set, tfc_tensor* slot) {
  tfc_buffer* b = slot->buffer;
  int64_t bytes = slot->n * (int64_t)tfc_dtype_size(slot->dtype);
  if (!bytes || !tfc_is_block(b) || b->device || b->flags) return;
  tfc_cow* c = &set->inputs[set->n_open];
  c->n_chunks = (bytes - 1) / TFC_COPY_CHUNK + 1;
  c->n_grains = (bytes - 1) / GRAIN + 1;
  c->copied = calloc((size_t)c->n_chunks, sizeof *c->copied);
  c->blocks = calloc((size_t)c->n_chunks, sizeof *c->blocks);
  c->kept = calloc((size_t)c->n_grains, sizeof *c->kept);
  c->set = set;
  c->data = slot->data;
  c->bytes = bytes;
  pthread_mutex_lock(&owners);
  bool ok = c->copied && c->blocks && c->kept && !__atomic_load_n(&b->owner, __ATOMIC_RELAXED);
  if (ok) {
    c->slot = slot;
    c->buffer = b;
    __atomic_store_n(&b->owner, c, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&owners);
  if (ok) {
    set->n_open++;
    return;
  }
  free_input(c);
  *c = (tfc_cow){0};
}

/* The input's slot lets its value go. */
static void finish(tfc_cow* c) {
  pthread_mutex_lock(&owners);
  __atomic_store_n(&c->buffer->owner, NULL, __ATOMIC_RELAXED);
  tfc_tensor_clear(c->slot);
  pthread_mutex_unlock(&owners);
  pthread_mutex_lock(&c->set->lock);
  c->done = true;
  pthread_cond_broadcast(&c->set->changed);
  pthread_mutex_unlock(&c->set->lock);
  c->slot = NULL;
}

static tfc_cow* find(tfc_node_context* ctx, int input) {
  tfc_cow_set* set = ctx->copied;
  const tfc_tensor* slot = ctx->pub.inputs[input];
  for (int i = 0; set && i < set->n; i++) {
    tfc_cow* c = &set->inputs[(set->at + i) % set->n];
    if (c->slot != slot) continue;
    set->at = (int)(c - set->inputs);
    return c;
  }
  return NULL;
}

void tfc_cow_input_done(tfc_context* ctx, int input) {
  tfc_node_context* node = tfc_node_of(ctx);
  tfc_cow* c = find(node, input);
  if (c) {
    finish(c);
    node->copied->n_open--;
  }
  if (node->copied && !node->copied->n_open) {
    set_unref(node->copied);
    node->copied = NULL;
  }
}

/* Copies bytes that writers may change meanwhile. What was changed is in `kept` by then, so that it
 * does not matter what has been read of it. Each word is read once, not by memcpy, which
 * ThreadSanitizer intercepts. */
__attribute__((no_sanitize("thread"))) static void copy_unlocked(char* to, const char* from,
                                                                 int64_t bytes) {
  typedef uint64_t __attribute__((may_alias)) word;
  const word* words = (const word*)from; /* blocks are aligned */
  int64_t i = 0;
#pragma GCC unroll 8
  for (; i < bytes / 8; i++) {
    const uint64_t value = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
    __builtin_memcpy(to + 8 * i, &value, 8);
  }
  for (i *= 8; i < bytes; i++) to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

/* Copies what writers have kept of a chunk over what was read. A writer has kept a grain before it
 * changed it, so whoever has read a changed one finds it kept. */
static void take_kept(const tfc_cow* c, int64_t chunk, char* to) {
  const struct timespec moment = {.tv_nsec = 20000};
  for (int64_t g = 0; g * GRAIN < chunk_size(c, chunk); g++) {
    const int64_t grain = chunk * GRAINS + g;
    const char* at = where_kept(c, grain);
    while (at == keeping) { /* without a lock, which this thread must not hold */
      nanosleep(&moment, NULL);
      at = where_kept(c, grain);
    }
    if (at) memcpy(to + g * GRAIN, at, (size_t)bytes_of(c, grain, 1));
  }
}

/* The kernel has copied something: frees what was kept of it. */
static void moved_on(tfc_cow_set* set) {
  free_blocks(set->unneeded);
  set->unneeded = NULL;
  pthread_mutex_lock(&set->lock);
  set->moved++;
  set->raised_limit = 0;
  pthread_cond_broadcast(&set->changed);
  pthread_mutex_unlock(&set->lock);
}

static void copy(tfc_cow* c, int64_t chunk, char* to) {
  tfc_cow_set* set = c->set;
  copy_unlocked(to, c->data + chunk * TFC_COPY_CHUNK, chunk_size(c, chunk));
  FENCE(__ATOMIC_ACQUIRE);
  take_kept(c, chunk, to);
  __atomic_store_n(&c->copied[chunk], 1, __ATOMIC_RELEASE);
  /* A writer that did not see this yet may still keep a grain, which is freed at the end. */
  tfc_buffer* list = __atomic_exchange_n(&c->blocks[chunk], NULL, __ATOMIC_ACQUIRE);
  while (list) {
    tfc_buffer* b = list;
    list = b->owner;
    b->owner = set->unneeded;
    set->unneeded = b;
  }
  if (pthread_equal(pthread_self(), set->thread)) moved_on(set);
}

int64_t tfc_cow_copy_chunk(tfc_context* ctx, int input, int64_t chunk, void* to) {
  const tfc_tensor* in = ctx->inputs[input];
  tfc_cow* c = find(tfc_node_of(ctx), input);
  int64_t bytes = in->n * (int64_t)tfc_dtype_size(in->dtype), left = bytes - chunk * TFC_COPY_CHUNK;
  if (left <= 0) return 0;
  if (left > TFC_COPY_CHUNK) left = TFC_COPY_CHUNK;
  if (c)
    copy(c, chunk, to);
  else
    memcpy(to, (const char*)in->data + chunk * TFC_COPY_CHUNK, (size_t)left);
  return left;
}

static struct timespec time_of(int64_t ns) {
  return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* With the lock: rests until the next piece is due. False: the kernel should continue at once, at
 * full speed. */
static bool rest(const tfc_node_context* ctx, tfc_cow_set* set) {
  for (;;) {
    if (set->waiting || !tfc_pace_others_run(&set->pace)) return false;
    const int64_t now = tfc_now_ns(), due = tfc_pace_due(&set->pace);
    if (now >= due || tfc_step_must_end(ctx->step)) return true;
    const struct timespec until = time_of(due < now + LOOK_NS ? due : now + LOOK_NS);
    pthread_cond_timedwait(&set->changed, &set->lock, &until);
  }
}

bool tfc_cow_copied(tfc_context* ctx, int64_t busy_ns, int64_t idle_ns) {
  tfc_node_context* node = tfc_node_of(ctx);
  tfc_cow_set* set = node->copied;
  if (!set) return false;
  moved_on(set);
  if (!node->step->in_background) return false;
  __atomic_fetch_add(&stats.busy_ns, busy_ns, __ATOMIC_RELAXED);
  __atomic_fetch_add(&stats.idle_ns, idle_ns, __ATOMIC_RELAXED);
  pthread_mutex_lock(&set->lock);
  tfc_pace_add(&set->pace, busy_ns, idle_ns + set->keeping_ns - set->counted_ns);
  set->counted_ns = set->keeping_ns;
  const bool rested = rest(node, set);
  pthread_mutex_unlock(&set->lock);
  return rested;
}

/* ---- Writers. */

bool tfc_cow_join(tfc_node_context* ctx, tfc_buffer* b) {
  if (!tfc_is_block(b) || !__atomic_load_n(&b->owner, __ATOMIC_ACQUIRE)) return false;
  for (const tfc_cow* c = ctx->written; c; c = c->next)
    if (c->buffer == b) return true; /* the kernel has the variable twice */
  pthread_mutex_lock(&owners);
  tfc_cow* c = __atomic_load_n(&b->owner, __ATOMIC_RELAXED);
  /* The variable and the slot of the copying kernel. */
  if (c && __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) != 2) c = NULL;
  if (c) __atomic_fetch_add(&c->set->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&owners);
  if (!c) return false;
  c->next = ctx->written;
  ctx->written = c;
  return true;
}

void tfc_cow_leave(tfc_node_context* ctx) {
  while (ctx->written) {
    tfc_cow* c = ctx->written;
    ctx->written = c->next;
    set_unref(c->set);
  }
}

tfc_cow* tfc_cow_of(tfc_context* ctx, const tfc_tensor* value) {
  tfc_cow* c = tfc_node_of(ctx)->written;
  while (c && c->buffer != value->buffer) c = c->next;
  return c;
}

/* With the lock: waits for the copying kernel, or until it has not moved for a while, as a writer
 * holds a lock for which others may wait. It may then keep somewhat more: a disk that is slow for a
 * moment must not use up all memory, and one that hangs must not stop training. */
static void wait_for_copy(tfc_cow_set* set, bool may_give_up) {
  const struct timespec until = time_of(tfc_now_ns() + STALL_NS);
  int64_t moved = set->moved;
  __atomic_fetch_add(&stats.waits, 1, __ATOMIC_RELAXED);
  set->waiting++;
  pthread_cond_broadcast(&set->changed); /* the kernel may rest */
  int late = 0;
  while (!late && moved == set->moved)
    late = pthread_cond_timedwait(&set->changed, &set->lock, &until);
  set->waiting--;
  if (late != ETIMEDOUT || !may_give_up || moved != set->moved) return;
  const int64_t more = __atomic_load_n(&limit, __ATOMIC_RELAXED) / 8;
  set->raised_limit =
      __atomic_load_n(&kept, __ATOMIC_RELAXED) + (more > TFC_COPY_CHUNK ? more : TFC_COPY_CHUNK);
}

static void push_block(tfc_buffer** list, tfc_buffer* b) {
  tfc_buffer* first = __atomic_load_n(list, __ATOMIC_RELAXED);
  do b->owner = first;
  while (!__atomic_compare_exchange_n(list, &first, b, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void say_where(tfc_cow* c, int64_t grain, int64_t n, char* at) {
  for (int64_t i = 0; i < n; i++)
    __atomic_store_n(&c->kept[grain + i], at == keeping || !at ? at : at + i * GRAIN,
                     __ATOMIC_RELEASE);
}

/* What this thread has had of a core. */
static int64_t processor_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}

/* With the lock, which is released meanwhile: keeps n grains of a chunk that nobody keeps yet.
 * False if there was no memory. */
static bool keep_in_memory(tfc_cow* c, int64_t grain, int64_t n) {
  tfc_cow_set* set = c->set;
  const size_t size = (size_t)bytes_of(c, grain, n);
  say_where(c, grain, n, keeping);
  pthread_mutex_unlock(&set->lock);
  const int64_t begin = processor_ns();
  tfc_buffer* b = tfc_allocate(size);
  if (b) {
    const int64_t bytes = (int64_t)b->size;
    __atomic_fetch_add(&kept, bytes, __ATOMIC_RELAXED);
    if (__atomic_add_fetch(&unmeasured, bytes, __ATOMIC_RELAXED) >= MEASURE_EVERY) set_limit();
    memcpy(b->data, c->data + grain * GRAIN, size);
  }
  const int64_t ns = processor_ns() - begin;
  pthread_mutex_lock(&set->lock);
  if (b) {
    push_block(&c->blocks[grain / GRAINS], b);
    __atomic_fetch_add(&stats.kept_bytes, (int64_t)size, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stats.kept_ns, ns, __ATOMIC_RELAXED);
  }
  set->keeping_ns += ns;
  say_where(c, grain, n, b ? b->data : NULL);
  pthread_cond_broadcast(&set->changed);
  return b;
}

/* With the lock of the set. */
static bool may_keep(const tfc_cow_set* set) {
  const int64_t bytes = __atomic_load_n(&kept, __ATOMIC_RELAXED);
  return bytes < __atomic_load_n(&limit, __ATOMIC_RELAXED) || bytes < set->raised_limit;
}

/* Keeps the grains from `first` to `last`, which are in one chunk. */
static void keep(tfc_cow* c, int64_t first, int64_t last) {
  tfc_cow_set* set = c->set;
  bool memory = true;
  pthread_mutex_lock(&set->lock);
  while (first <= last && !c->done && !is_copied(c, first / GRAINS)) {
    const char* at = where_kept(c, first);
    if (at == keeping) { /* another thread of the same kernel */
      pthread_cond_wait(&set->changed, &set->lock);
    } else if (at) {
      first++;
    } else if (!memory || !may_keep(set)) {
      wait_for_copy(set, memory);
      memory = true;
    } else {
      int64_t n = 1;
      while (first + n <= last && !where_kept(c, first + n)) n++;
      memory = keep_in_memory(c, first, n);
    }
  }
  pthread_mutex_unlock(&set->lock);
}

static bool are_kept(const tfc_cow* c, int64_t first, int64_t last) {
  for (; first <= last; first++) {
    const char* at = where_kept(c, first);
    if (!at || at == keeping) return false;
  }
  return true;
}

void tfc_cow_before_write(tfc_cow* c, int64_t first_byte, int64_t bytes) {
  const int64_t end = first_byte + bytes;
  for (int64_t at = first_byte, next; at < end; at = next) {
    const int64_t chunk = at / TFC_COPY_CHUNK;
    next = (chunk + 1) * TFC_COPY_CHUNK;
    if (next > end) next = end;
    const int64_t first = at / GRAIN, last = (next - 1) / GRAIN;
    if (!is_copied(c, chunk) && !are_kept(c, first, last)) keep(c, first, last);
  }
  FENCE(__ATOMIC_RELEASE); /* what is kept is seen by whoever sees what is written */
}

void tfc_cow_keep_all(tfc_cow* c) {
  tfc_cow_before_write(c, 0, c->bytes);
}

void tfc_cow_stats_get(tfc_cow_stats* out) {
  out->kept_bytes = __atomic_load_n(&stats.kept_bytes, __ATOMIC_RELAXED);
  out->kept_ns = __atomic_load_n(&stats.kept_ns, __ATOMIC_RELAXED);
  out->waits = __atomic_load_n(&stats.waits, __ATOMIC_RELAXED);
  out->busy_ns = __atomic_load_n(&stats.busy_ns, __ATOMIC_RELAXED);
  out->idle_ns = __atomic_load_n(&stats.idle_ns, __ATOMIC_RELAXED);
  out->kept_now = __atomic_load_n(&kept, __ATOMIC_RELAXED);
}

/* ---- Threads that wait until values are shared. */

static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t watches_changed = PTHREAD_COND_INITIALIZER;
static tfc_cow_watch* watches; /* with all fields of the members: under watches_lock */

void tfc_cow_watch_begin(tfc_cow_watch* w, unsigned long caller) {
  pthread_mutex_lock(&watches_lock);
  w->caller = caller;
  w->next = watches;
  watches = w;
  pthread_mutex_unlock(&watches_lock);
}

void tfc_cow_watch_end(tfc_cow_watch* w) {
  pthread_mutex_lock(&watches_lock);
  for (tfc_cow_watch** at = &watches; *at; at = &(*at)->next)
    if (*at == w) {
      *at = w->next;
      break;
    }
  w->ended = true;
  pthread_cond_broadcast(&watches_changed);
  pthread_mutex_unlock(&watches_lock);
}

static void (*snapshot_hook)(const tfc_step*); /* atomic */

void tfc_set_snapshot_hook(void (*hook)(const tfc_step*)) {
  __atomic_store_n(&snapshot_hook, hook, __ATOMIC_RELEASE);
}

/* When the kernel is called it has all of its inputs, also those that are not variables. */
int tfc_copying_compute(tfc_context* ctx) {
  const tfc_node_context* node = tfc_node_of(ctx);
  void (*hook)(const tfc_step*) = __atomic_load_n(&snapshot_hook, __ATOMIC_ACQUIRE);
  if (hook) hook(node->step);
  tfc_cow_snapshot_taken(node->step);
  return node->running->checked(ctx);
}

void tfc_cow_snapshot_taken(const tfc_step* step) {
  pthread_mutex_lock(&watches_lock);
  for (tfc_cow_watch* w = watches; w; w = w->next) w->seen += w->caller == step->caller_id;
  pthread_cond_broadcast(&watches_changed);
  pthread_mutex_unlock(&watches_lock);
}

bool tfc_cow_watch_wait(tfc_cow_watch* w, int wanted, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(seconds * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int late = 0;
  pthread_mutex_lock(&watches_lock);
  while (!w->ended && w->seen < wanted && !late)
    late = pthread_cond_timedwait(&watches_changed, &watches_lock, &until);
  bool done = w->ended || w->seen >= wanted;
  pthread_mutex_unlock(&watches_lock);
  return done;
}

void tfc_cow_after_fork(void) {
  pthread_mutex_init(&owners, NULL);
  pthread_mutex_init(&watches_lock, NULL);
  pthread_cond_init(&watches_changed, NULL);
  watches = NULL;
  kept = 0; /* the kernels of the parent do not run here */
}
