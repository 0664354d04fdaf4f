/* Caching allocator: size classes with a cache of free blocks per thread up to 256 KB, pages of a
 * heap (heap.c) beyond that. Fresh pages cost more than most element-wise kernels, so a freed block
 * stays with its thread, and the one freed last is reused first (it is still in the cache). Four
 * classes per doubling limit the waste to 25 %. The cache of a thread is bounded; the rest goes to
 * the heap, which merges free neighbours, or, for blocks smaller than 8 KB, to lists shared by all
 * threads.
 *
 * While a fabric is open, blocks large enough to be passed to other processes by reference come
 * from its arena, which is managed as a heap, too.
 *
 * With AddressSanitizer no freed block is reused, so that it detects every use after free, and
 * reports where a leaked block was really allocated.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "device/device.h"
#include "memory/heap.h"

enum {
  HEADER = 64,                 /* the buffer of a block from malloc lies before its data */
  SMALLEST = 128,              /* block of class 0: header and 64 bytes of data */
  STEPS = 4,                   /* classes per doubling */
  LARGE = 256 << 10,           /* larger blocks have no class and are not kept by threads */
  CLASSES = 11 * STEPS + 1,    /* up to LARGE */
  FROM_HEAP = 8 << 10,         /* blocks of this size and more are pages of a heap */
  SMALL_CLASSES = 6 * STEPS,   /* classes of smaller blocks */
  THREAD_CACHES = 16 << 20,    /* total bytes in the caches of all threads: */
  THREAD_CACHE_MAX = 4 << 20,  /* one thread at most this, */
  THREAD_CACHE_MIN = 256 << 10 /* and at least this */
};

/* KEEPS_FREE: freed blocks are kept for reuse. */
#ifdef __SANITIZE_ADDRESS__
enum { KEEPS_FREE = 0, SMALL_SLACK = 0 };
#else
enum { KEEPS_FREE = 1, SMALL_SLACK = 8 << 20 };
#endif

/* Small blocks are counted per thread, which needs no atomic addition; the sums are approximate
 * while threads run. */
typedef struct thread_cache {
  tfc_buffer* lists[CLASSES]; /* linked by owner */
  int64_t kept;               /* bytes of the blocks in the lists */
  int64_t bytes_out, allocs;  /* atomic: written by its thread, read by all */
  struct thread_cache* next;
} thread_cache;

static int64_t get(const int64_t* counter) {
  return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void add_to_mine(int64_t* counter, int64_t n) {
  __atomic_store_n(counter, get(counter) + n, __ATOMIC_RELAXED);
}

static __thread thread_cache* my_cache __attribute__((tls_model("initial-exec")));
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_buffer* shared[SMALL_CLASSES];       /* under shared_lock */
static tfc_usage small;                         /* under shared_lock: blocks from malloc */
static thread_cache* all_caches;                /* under shared_lock */
static int64_t thread_share = THREAD_CACHE_MAX; /* atomic: what one thread keeps */
static int64_t retired_bytes_out, retired_allocs;
static pthread_key_t cache_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int64_t large_in_use, large_allocs, peak, reserved, limit; /* atomic */
static tfc_heap* heap;                                            /* atomic; NULL: malloc */

static int class_of(size_t block) {
  if (block <= SMALLEST) return 0;
  int log = 63 - __builtin_clzll(block - 1); /* 2^log < block <= 2^(log+1) */
  size_t base = (size_t)1 << log;
  return (log - 7) * STEPS + (int)((block - base + base / STEPS - 1) / (base / STEPS));
}

static size_t class_size(int c) {
  size_t base = (size_t)SMALLEST << (c / STEPS);
  return base + (size_t)(c % STEPS) * (base / STEPS);
}

bool tfc_memory_reserve(int64_t bytes) {
  int64_t bound = get(&limit), before = get(&reserved);
  do {
    if (bound && before + bytes > bound) return false;
  } while (!__atomic_compare_exchange_n(&reserved, &before, before + bytes, true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED));
  return true;
}

void tfc_memory_unreserve(int64_t bytes) {
  __atomic_fetch_sub(&reserved, bytes, __ATOMIC_RELAXED);
}

_Static_assert(sizeof(tfc_buffer) <= HEADER, "the data of a block must stay aligned");

static int64_t block_bytes(const tfc_buffer* b) {
  return (int64_t)b->size + (b->heap ? 0 : HEADER);
}

/* ---- Blocks from malloc: the small ones; with AddressSanitizer all but those of a fabric. */

static tfc_buffer* block_of_malloc(size_t block) {
  block = (block + 63) / 64 * 64;
  if (!tfc_memory_reserve((int64_t)block)) return NULL;
  tfc_buffer* b = aligned_alloc(64, block);
  if (!b) {
    tfc_memory_unreserve((int64_t)block);
    return NULL;
  }
  b->heap = NULL;
  b->device = NULL;
  b->data = (char*)b + HEADER;
  b->size = block - HEADER;
  return b;
}

static void free_block_of_malloc(tfc_buffer* b) {
  tfc_memory_unreserve(block_bytes(b));
  free(b);
}

/* Frees blocks of the shared lists, the largest first, until at most `bound` bytes are held.
 * With the lock held. */
static void shrink_shared(int64_t bound) {
  for (int c = SMALL_CLASSES - 1; c >= 0; c--) {
    while (shared[c] && small.used + small.kept > bound) {
      tfc_buffer* b = shared[c];
      shared[c] = b->owner;
      small.kept -= block_bytes(b);
      free_block_of_malloc(b);
    }
  }
}

static tfc_buffer* take_small(int c) {
  pthread_mutex_lock(&shared_lock);
  tfc_buffer* b = shared[c];
  if (b) {
    shared[c] = b->owner;
    small.kept -= block_bytes(b);
    tfc_usage_add(&small, block_bytes(b));
  } else if ((b = block_of_malloc(class_size(c)))) {
    b->size_class = (uint32_t)c;
    tfc_usage_add(&small, block_bytes(b));
    shrink_shared(tfc_usage_bound(&small, SMALL_SLACK));
  }
  pthread_mutex_unlock(&shared_lock);
  return b;
}

/* With the lock held. */
static void give_small(tfc_buffer* b) {
  int64_t block = block_bytes(b);
  small.used -= block;
  if (small.used + small.kept + block > tfc_usage_bound(&small, SMALL_SLACK)) {
    free_block_of_malloc(b);
    return;
  }
  small.kept += block;
  b->owner = shared[b->size_class];
  shared[b->size_class] = b;
}

/* ---- Blocks of a heap. */

static void choose_heap(const tfc_source* source) {
  __atomic_store_n(&heap, source || KEEPS_FREE ? tfc_heap_of(source) : NULL, __ATOMIC_RELEASE);
}

void tfc_memory_set_source(const tfc_source* source) {
  choose_heap(source);
  tfc_memory_trim();
}

static tfc_buffer* pages_of(tfc_heap* from, size_t bytes) {
  return from ? tfc_heap_allocate(from, bytes) : NULL;
}

/* `c`: the class of a block that threads may keep; -1: none. */
static tfc_buffer* take_pages(int c, size_t block) {
  size_t bytes = (block + TFC_PAGE - 1) / TFC_PAGE * TFC_PAGE;
  tfc_heap* from = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
  tfc_buffer* b = pages_of(from, bytes);
  if (!b && !KEEPS_FREE) {
    b = block_of_malloc(bytes + HEADER);
  } else if (!b && from != tfc_heap_of(NULL)) {
    b = pages_of(tfc_heap_of(NULL), bytes);
  }
  if (b) b->size_class = (uint32_t)c;
  return b;
}

/* Whether a block comes from the current heap; threads don't keep others. */
static bool is_current(const tfc_buffer* b) {
  return b->size < FROM_HEAP - HEADER || b->heap == __atomic_load_n(&heap, __ATOMIC_RELAXED);
}

/* Returns any block to where it came from. */
static void give_back(tfc_buffer* b) {
  if (b->heap) {
    tfc_heap_free(b);
  } else if (b->size < FROM_HEAP - HEADER) {
    pthread_mutex_lock(&shared_lock);
    give_small(b);
    pthread_mutex_unlock(&shared_lock);
  } else {
    free_block_of_malloc(b);
  }
}

/* ---- Threads. */

/* Returns blocks, the largest first, until at most `bound` bytes are kept. */
static void shrink_cache(thread_cache* cache, int64_t bound) {
  for (int c = CLASSES - 1; c >= 0; c--) {
    while (cache->lists[c] && cache->kept > bound) {
      tfc_buffer* b = cache->lists[c];
      cache->lists[c] = b->owner;
      cache->kept -= block_bytes(b);
      give_back(b);
    }
  }
}

/* With the lock held. */
static void share_out(void) {
  int64_t threads = 0;
  for (const thread_cache* cache = all_caches; cache; cache = cache->next) threads++;
  int64_t share = THREAD_CACHES / (threads ? threads : 1);
  if (share > THREAD_CACHE_MAX) share = THREAD_CACHE_MAX;
  if (share < THREAD_CACHE_MIN) share = THREAD_CACHE_MIN;
  __atomic_store_n(&thread_share, KEEPS_FREE ? share : 0, __ATOMIC_RELAXED);
}

static void retire_cache(void* p) {
  thread_cache* cache = p;
  shrink_cache(cache, 0);
  pthread_mutex_lock(&shared_lock);
  retired_bytes_out += cache->bytes_out;
  retired_allocs += cache->allocs;
  thread_cache** link = &all_caches;
  while (*link != cache) link = &(*link)->next;
  *link = cache->next;
  share_out();
  pthread_mutex_unlock(&shared_lock);
  my_cache = NULL;
  free(cache);
}

static void make_key(void) {
  pthread_key_create(&cache_key, retire_cache);
}

static thread_cache* new_cache(void) {
  pthread_once(&key_once, make_key);
  thread_cache* cache = calloc(1, sizeof *cache);
  if (!cache) return NULL;
  pthread_setspecific(cache_key, cache);
  pthread_mutex_lock(&shared_lock);
  cache->next = all_caches;
  all_caches = cache;
  share_out();
  pthread_mutex_unlock(&shared_lock);
  return my_cache = cache;
}

static void count_large(size_t block) {
  int64_t now = __atomic_add_fetch(&large_in_use, (int64_t)block, __ATOMIC_RELAXED);
  __atomic_fetch_add(&large_allocs, 1, __ATOMIC_RELAXED);
  int64_t seen = get(&peak);
  while (now > seen && !__atomic_compare_exchange_n(&peak, &seen, now, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
  }
}

/* ---- Kernels that can give up memory. */

enum { GIVERS = 4 };
static int64_t (*givers[GIVERS])(int64_t bytes); /* atomic */

void tfc_memory_on_low(int64_t (*give_back)(int64_t bytes)) {
  for (int i = 0; i < GIVERS; i++) {
    int64_t (*known)(int64_t) = NULL;
    if (__atomic_compare_exchange_n(&givers[i], &known, give_back, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE) ||
        known == give_back)
      return;
  }
}

/* Asks kernels to free `bytes`, or a fraction of the limit if that is more, so that not every
 * allocation has to ask. False: they freed nothing. */
static bool ask_givers(size_t bytes) {
  const int64_t part = get(&limit) / 16, wanted = (int64_t)bytes > part ? (int64_t)bytes : part;
  int64_t freed = 0;
  for (int i = 0; i < GIVERS && freed < wanted; i++) {
    int64_t (*give_back)(int64_t) = __atomic_load_n(&givers[i], __ATOMIC_ACQUIRE);
    if (give_back) freed += give_back(wanted - freed);
  }
  if (freed == 0) return false;
  if (my_cache) shrink_cache(my_cache, 0);
  tfc_memory_trim();
  return true;
}

static tfc_buffer* take_block(int c, size_t block) {
  return block < FROM_HEAP ? take_small(c) : take_pages(c, block);
}

static tfc_buffer* new_block(int c, size_t block) {
  tfc_buffer* b = take_block(c, block);
  if (!b) { /* unused memory may be enough */
    tfc_memory_trim();
    b = take_block(c, block);
  }
  while (!b && ask_givers(block)) b = take_block(c, block);
  return b;
}

/* TFCORE_POISON=1 fills new memory with NaN (integers: -1), so that tests find elements that a
 * kernel left unwritten. */
static bool poisoned; /* atomic */

__attribute__((constructor)) static void read_poison(void) {
  const char* value = getenv("TFCORE_POISON");
  poisoned = value && *value && *value != '0';
}

bool tfc_memory_set_poison(bool on) {
  return __atomic_exchange_n(&poisoned, on, __ATOMIC_RELAXED);
}

static void release_block(tfc_buffer* b);

static tfc_buffer* from_cache(thread_cache* cache, int c) {
  tfc_buffer* b;
  while ((b = cache->lists[c])) {
    cache->lists[c] = b->owner;
    cache->kept -= block_bytes(b);
    if (__builtin_expect(is_current(b), 1)) break;
    give_back(b);
  }
  return b;
}

tfc_buffer* tfc_allocate(size_t bytes) {
  if (bytes > SIZE_MAX / 4) return NULL;
  size_t block = bytes + HEADER;
  if (block >= FROM_HEAP) block = bytes < FROM_HEAP ? FROM_HEAP : bytes;
  tfc_buffer* b;
  if (block <= LARGE) {
    thread_cache* cache = my_cache ? my_cache : new_cache();
    if (!cache) return NULL;
    int c = class_of(block);
    if (!(b = from_cache(cache, c)) && !(b = new_block(c, class_size(c)))) return NULL;
    add_to_mine(&cache->bytes_out, (int64_t)b->size);
    add_to_mine(&cache->allocs, 1);
  } else {
    if (!(b = new_block(-1, block))) return NULL;
    count_large(b->size);
  }
  b->refs = 1;
  b->release = release_block;
  b->flags = 0;
  if (__builtin_expect(__atomic_load_n(&poisoned, __ATOMIC_RELAXED), 0))
    memset(b->data, 0xff, b->size);
  return b;
}

static void free_strings(tfc_buffer* b) {
  tfc_string* s = b->data;
  for (size_t i = 0; i < b->size / sizeof *s; i++) free(s[i].data);
}

static void release_block(tfc_buffer* b) {
  if (b->flags & TFC_BUFFER_STRINGS) free_strings(b);
  if (b->size > LARGE) {
    __atomic_fetch_sub(&large_in_use, (int64_t)b->size, __ATOMIC_RELAXED);
  } else {
    thread_cache* cache = my_cache ? my_cache : new_cache();
    if (cache) {
      add_to_mine(&cache->bytes_out, -(int64_t)b->size);
      b->owner = cache->lists[b->size_class];
      cache->lists[b->size_class] = b;
      cache->kept += block_bytes(b);
      int64_t share = get(&thread_share);
      if (__builtin_expect(cache->kept > share, 0)) shrink_cache(cache, share / 2);
      return;
    }
  }
  give_back(b);
}

static void release_object(tfc_buffer* b) {
  const tfc_object_type* type = b->owner;
  type->destroy(b->data);
  release_block(b);
}

tfc_buffer* tfc_allocate_object(const tfc_object_type* type) {
  tfc_buffer* b = tfc_allocate(type->bytes);
  if (!b) return NULL;
  memset(b->data, 0, type->bytes);
  b->release = release_object;
  b->owner = (void*)type;
  return b;
}

void tfc_visit_object(const tfc_tensor* handle, void (*fn)(void* arg, const tfc_tensor* value),
                      void* arg) {
  tfc_buffer* b = handle->buffer;
  if (!b || b->release != release_object) return;
  const tfc_object_type* type = b->owner;
  if (type->visit) type->visit(b->data, fn, arg);
}

/* The lock is held during a fork: if another thread held it, the child would wait for it for ever.
 */
static void lock_for_fork(void) {
  pthread_mutex_lock(&shared_lock);
}
static void unlock_after_fork(void) {
  pthread_mutex_unlock(&shared_lock);
}

__attribute__((constructor)) static void start(void) {
  choose_heap(NULL);
  pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

void tfc_memory_trim(void) {
  pthread_mutex_lock(&shared_lock);
  shrink_shared(0);
  pthread_mutex_unlock(&shared_lock);
  tfc_heap_trim();
}

void tfc_memory_source_stats(const tfc_source* source, tfc_source_stats* out) {
  tfc_heap_source_stats(source, out);
}

/* ---- Decay: memory that was free throughout two periods goes back to the system. A period is
 * several steps: a step of minutes would otherwise lose in its first half what its second half
 * needs again. If no step runs, it is the memory decay. */

#define PERIOD_NS 1000000000LL
enum { PERIOD_STEPS = 8 };
static int64_t idle_ns = 5000000000LL; /* atomic: the memory decay */

double tfc_memory_set_decay(double idle_seconds) {
  int64_t before = __atomic_exchange_n(&idle_ns, (int64_t)(idle_seconds * 1e9), __ATOMIC_RELAXED);
  return (double)before / 1e9;
}

static void next_period(void) {
  pthread_mutex_lock(&shared_lock);
  int64_t held = get(&reserved);
  tfc_usage_next_period(&small);
  shrink_shared(tfc_usage_bound(&small, SMALL_SLACK));
  bool shrunk = held - get(&reserved) > SMALL_SLACK;
  pthread_mutex_unlock(&shared_lock);
  tfc_heap_next_period();
#ifdef __GLIBC__
  if (shrunk) malloc_trim(SMALL_SLACK); /* free does not return what lies below a used block */
#else
  (void)shrunk;
#endif
}

void tfc_memory_tick(int64_t now_ns) {
  static int64_t since, steps_then, steps_seen, busy; /* of the watcher's thread */
  int64_t steps = tfc_steps_begun();
  if (steps != steps_seen || tfc_pool_computing() > 0) busy = now_ns;
  steps_seen = steps;
  bool idle = now_ns - busy >= get(&idle_ns) && now_ns - since >= get(&idle_ns);
  if (!idle && (now_ns - since < PERIOD_NS || steps - steps_then < PERIOD_STEPS)) return;
  since = now_ns;
  steps_then = steps;
  next_period();
}

void tfc_memory_set_limit(int64_t bytes) {
  __atomic_store_n(&limit, bytes, __ATOMIC_RELAXED);
}

void tfc_memory_stats_get(tfc_memory_stats* out) {
  pthread_mutex_lock(&shared_lock);
  int64_t small = retired_bytes_out, allocs = retired_allocs;
  for (thread_cache* cache = all_caches; cache; cache = cache->next) {
    small += get(&cache->bytes_out);
    allocs += get(&cache->allocs);
  }
  pthread_mutex_unlock(&shared_lock);
  int64_t large = get(&large_in_use);
  out->bytes_in_use = large + small;
  out->peak_bytes_in_use = get(&peak) + small;
  out->bytes_reserved = get(&reserved);
  out->num_allocs = allocs + get(&large_allocs);
  out->bytes_limit = get(&limit);
}

/* Inlined twice, so that the path for the host's memory does not test for a device. */
static inline __attribute__((always_inline)) bool new_tensor(tfc_device* device, tfc_tensor* t,
                                                             int rank, const int64_t* dims) {
  int64_t n = 1;
  if (__builtin_expect(tfc_is_object(t->dtype), 0)) return false;
  for (int i = 0; i < rank; i++) {
    if (__builtin_mul_overflow(n, dims[i], &n)) return false;
    t->dims[i] = dims[i];
  }
  size_t size = tfc_dtype_size(t->dtype), bytes;
  if (n < 0 || __builtin_mul_overflow((size_t)n, size, &bytes)) return false;
  if (device && t->dtype == TFC_STRING) return false;
  tfc_buffer* b = device ? device->allocate(device, bytes) : tfc_allocate(bytes);
  if (!b) return false;
  t->n = n;
  t->rank = rank;
  t->buffer = b;
  t->data = b->data;
  if (t->dtype == TFC_STRING) {
    memset(t->data, 0, b->size);
    b->flags |= TFC_BUFFER_STRINGS;
  }
  return true;
}

bool tfc_tensor_new(tfc_tensor* t, int rank, const int64_t* dims) {
  return new_tensor(NULL, t, rank, dims);
}

bool tfc_tensor_new_on(tfc_device* device, tfc_tensor* t, int rank, const int64_t* dims) {
  return device ? new_tensor(device, t, rank, dims) : tfc_tensor_new(t, rank, dims);
}

int tfc_string_assign(tfc_tensor* t, int64_t i, const char* data, size_t size) {
  tfc_string* s = (tfc_string*)t->data + i;
  char* copy = NULL;
  if (size) {
    copy = malloc(size);
    if (!copy) return TFC_RESOURCE_EXHAUSTED;
    memcpy(copy, data, size);
  }
  free(s->data);
  s->data = copy;
  s->size = size;
  return TFC_OK;
}

bool tfc_tensor_copy(tfc_tensor* to, const tfc_tensor* from) {
  to->dtype = from->dtype;
  if (!tfc_tensor_new(to, from->rank, from->dims)) return false;
  if (from->dtype != TFC_STRING) {
    if (from->n) memcpy(to->data, from->data, (size_t)from->n * tfc_dtype_size(from->dtype));
    return true;
  }
  const tfc_string* s = from->data;
  for (int64_t i = 0; i < from->n; i++)
    if (tfc_string_assign(to, i, s[i].data, s[i].size)) {
      tfc_tensor_clear(to);
      return false;
    }
  return true;
}
