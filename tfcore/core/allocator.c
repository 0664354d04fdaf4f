/* Caching allocator: size classes, a cache of free blocks per thread for small ones, shared lists
 * for large ones.
 *
 * Fresh pages cost more than most element-wise kernels, so a block that was freed stays with us and
 * the one freed last is handed out first (it is still in the cache). Four classes per doubling
 * bound the waste to 25 %.
 *
 * Where a fabric is open, blocks that are worth handing over to other processes come from its
 * arena.
 *
 * With AddressSanitizer no freed block stays, so that it sees each use of one: what is read after
 * its end, and where a lost one was allocated last, not first.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime.h"

enum {
  HEADER = 64,
  SMALLEST = 128,           /* block of class 0: header and 64 bytes of data */
  STEPS = 4,                /* classes per doubling */
  CLASSES = 36 * STEPS + 1, /* up to 8 TiB */
  THREAD_CACHE = 1 << 20,   /* bytes a thread keeps in one class, at least one block of it... */
  LARGE = 256 << 10,        /* ...up to this block size; larger ones are shared by all threads */
  FROM_SOURCE = 8 << 10,    /* blocks of this size and more come from the source, if there is one */
  HUGE_PAGE = 2 << 20
};

#ifdef __SANITIZE_ADDRESS__
enum { STAYS = 0 };
#else
enum { STAYS = 1 };
#endif

typedef struct free_list {
  tfc_buffer* head;
  int64_t count;
} free_list;

/* Small blocks are counted per thread, which needs no atomic addition; the sums are approximate
 * while threads run. */
typedef struct thread_cache {
  free_list lists[CLASSES];
  int64_t bytes_out, allocs; /* atomic: written by its thread, read by all */
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
static free_list shared[CLASSES];
static thread_cache* all_caches;
static int64_t retired_bytes_out, retired_allocs;
static pthread_key_t cache_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static int64_t large_in_use, large_allocs, peak, reserved, limit; /* atomic */

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

static void shared_push(tfc_buffer* b) {
  free_list* list = &shared[b->size_class];
  b->owner = list->head;
  list->head = b;
  list->count++;
}

static void share_blocks(thread_cache* cache) {
  for (int c = 0; c < CLASSES; c++) {
    while (cache->lists[c].head) {
      tfc_buffer* b = cache->lists[c].head;
      cache->lists[c].head = b->owner;
      shared_push(b);
    }
    cache->lists[c].count = 0;
  }
}

static void retire_cache(void* p) {
  thread_cache* cache = p;
  pthread_mutex_lock(&shared_lock);
  share_blocks(cache);
  retired_bytes_out += cache->bytes_out;
  retired_allocs += cache->allocs;
  thread_cache** link = &all_caches;
  while (*link != cache) link = &(*link)->next;
  *link = cache->next;
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
  pthread_mutex_unlock(&shared_lock);
  return my_cache = cache;
}

static void* map_aligned(size_t bytes) {
  char* p =
      mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t lead = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
  if (lead) munmap(p, lead);
  if (HUGE_PAGE - lead) munmap(p + lead + bytes, HUGE_PAGE - lead);
#ifdef MADV_HUGEPAGE
  madvise(p + lead, bytes, MADV_HUGEPAGE);
#endif
  return p + lead;
}

static size_t round_to_pages(size_t bytes) {
  return (bytes + 4095) / 4096 * 4096;
}

static void release_block(tfc_buffer* b);

static const tfc_source* source; /* atomic */

void tfc_memory_set_source(const tfc_source* from) {
  __atomic_store_n(&source, from, __ATOMIC_RELEASE);
  tfc_memory_trim(); /* so that it is used from now on */
}

static tfc_buffer* block_of_source(const tfc_source* from, size_t block) {
  tfc_buffer* b = from ? from->map(round_to_pages(block)) : NULL;
  if (b) b->source = from;
  return b;
}

static tfc_buffer* block_of_system(size_t block) {
  tfc_buffer* b = block >= HUGE_PAGE ? map_aligned(round_to_pages(block))
                                     : aligned_alloc(64, (block + 63) / 64 * 64);
  if (b) b->source = NULL;
  return b;
}

static void give_back(tfc_buffer* b) {
  size_t block = b->size + HEADER;
  __atomic_fetch_sub(&reserved, (int64_t)block, __ATOMIC_RELAXED);
  if (b->source) {
    b->source->unmap(b, round_to_pages(block));
  } else if (block >= HUGE_PAGE) {
    munmap(b, round_to_pages(block));
  } else {
    free(b);
  }
}

/* False for a free block of another source than the present one: it is not handed out again. */
static bool is_current(const tfc_buffer* b) {
  return b->size < FROM_SOURCE - HEADER || b->source == __atomic_load_n(&source, __ATOMIC_RELAXED);
}

static tfc_buffer* fresh_block(int c) {
  size_t block = class_size(c);
  int64_t bound = get(&limit);
  if (bound && get(&reserved) + (int64_t)block > bound) return NULL;
  tfc_buffer* b = NULL;
  if (block >= FROM_SOURCE) b = block_of_source(__atomic_load_n(&source, __ATOMIC_ACQUIRE), block);
  if (!b) b = block_of_system(block);
  if (!b) return NULL;
  __atomic_fetch_add(&reserved, (int64_t)block, __ATOMIC_RELAXED);
  b->size_class = (uint32_t)c;
  b->size = block - HEADER;
  return b;
}

static void count_large(size_t block) {
  int64_t now = __atomic_add_fetch(&large_in_use, (int64_t)block, __ATOMIC_RELAXED);
  __atomic_fetch_add(&large_allocs, 1, __ATOMIC_RELAXED);
  int64_t seen = get(&peak);
  while (now > seen && !__atomic_compare_exchange_n(&peak, &seen, now, true, __ATOMIC_RELAXED,
                                                    __ATOMIC_RELAXED)) {
  }
}

/* ---- Kernels that can do with less memory. */

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

/* Asks them for `bytes`, or for a part of the limit if that is more, so that not each allocation
 * has to ask. False: they have nothing. */
static bool ask_givers(size_t bytes) {
  const int64_t part = get(&limit) / 16, wanted = (int64_t)bytes > part ? (int64_t)bytes : part;
  int64_t freed = 0;
  for (int i = 0; i < GIVERS && freed < wanted; i++) {
    int64_t (*give_back)(int64_t) = __atomic_load_n(&givers[i], __ATOMIC_ACQUIRE);
    if (give_back) freed += give_back(wanted - freed);
  }
  if (freed == 0) return false;
  pthread_mutex_lock(&shared_lock);
  if (my_cache) share_blocks(my_cache);
  pthread_mutex_unlock(&shared_lock);
  tfc_memory_trim();
  return true;
}

static tfc_buffer* from_shared(int c) {
  tfc_buffer* b;
  do {
    pthread_mutex_lock(&shared_lock);
    b = shared[c].head;
    if (b) {
      shared[c].head = b->owner;
      shared[c].count--;
    }
    pthread_mutex_unlock(&shared_lock);
    if (b && is_current(b)) return b;
    if (b) give_back(b);
  } while (b);
  b = fresh_block(c);
  if (!b) { /* what lies unused in other classes may be enough */
    tfc_memory_trim();
    b = fresh_block(c);
  }
  while (!b && ask_givers(class_size(c))) b = fresh_block(c);
  return b;
}

/* TFCORE_POISON=1 fills new memory with NaN (integers: -1), so that tests see what a kernel left
 * unwritten. */
static bool poisoned; /* atomic */

__attribute__((constructor)) static void read_poison(void) {
  const char* value = getenv("TFCORE_POISON");
  poisoned = value && *value && *value != '0';
}

bool tfc_memory_set_poison(bool on) {
  return __atomic_exchange_n(&poisoned, on, __ATOMIC_RELAXED);
}

tfc_buffer* tfc_allocate(size_t bytes) {
  if (bytes > class_size(CLASSES - 1) - HEADER) return NULL;
  size_t block = bytes + HEADER;
  int c = class_of(block);
  tfc_buffer* b;
  if (block <= LARGE) {
    thread_cache* cache = my_cache ? my_cache : new_cache();
    if (!cache) return NULL;
    free_list* list = &cache->lists[c];
    while ((b = list->head)) {
      list->head = b->owner;
      list->count--;
      if (__builtin_expect(is_current(b), 1)) break;
      give_back(b);
    }
    if (!b && !(b = from_shared(c))) return NULL;
    add_to_mine(&cache->bytes_out, (int64_t)b->size);
    add_to_mine(&cache->allocs, 1);
  } else {
    if (!(b = from_shared(c))) return NULL;
    count_large(b->size + HEADER);
  }
  b->refs = 1;
  b->release = release_block;
  b->flags = 0;
  if (__builtin_expect(__atomic_load_n(&poisoned, __ATOMIC_RELAXED), 0))
    memset((char*)b + HEADER, 0xff, b->size);
  return b;
}

static void free_strings(tfc_buffer* b) {
  tfc_string* s = (tfc_string*)((char*)b + HEADER);
  for (size_t i = 0; i < b->size / sizeof *s; i++) free(s[i].data);
}

static void release_block(tfc_buffer* b) {
  if (b->flags & TFC_BUFFER_STRINGS) free_strings(b);
  size_t block = b->size + HEADER;
  int c = (int)b->size_class;
  if (block <= LARGE) {
    thread_cache* cache = my_cache ? my_cache : new_cache();
    if (cache) {
      add_to_mine(&cache->bytes_out, -(int64_t)b->size);
      free_list* list = &cache->lists[c];
      if (STAYS && (list->count == 0 || (list->count + 1) * (int64_t)block <= THREAD_CACHE)) {
        b->owner = list->head;
        list->head = b;
        list->count++;
        return;
      }
    }
  } else {
    __atomic_fetch_sub(&large_in_use, (int64_t)block, __ATOMIC_RELAXED);
  }
  if (!STAYS) {
    give_back(b);
    return;
  }
  pthread_mutex_lock(&shared_lock);
  shared_push(b);
  pthread_mutex_unlock(&shared_lock);
}

static void release_object(tfc_buffer* b) {
  const tfc_object_type* type = b->owner;
  type->destroy((char*)b + HEADER);
  release_block(b);
}

tfc_buffer* tfc_allocate_object(const tfc_object_type* type) {
  tfc_buffer* b = tfc_allocate(type->bytes);
  if (!b) return NULL;
  memset((char*)b + HEADER, 0, type->bytes);
  b->release = release_object;
  b->owner = (void*)type;
  return b;
}

void tfc_visit_object(const tfc_tensor* handle, void (*fn)(void* arg, const tfc_tensor* value),
                      void* arg) {
  tfc_buffer* b = handle->buffer;
  if (!b || b->release != release_object) return;
  const tfc_object_type* type = b->owner;
  if (type->visit) type->visit((char*)b + HEADER, fn, arg);
}

/* Nobody may hold the lock while the process forks: the child would wait for a thread it does not
 * have. */
static void lock_for_fork(void) {
  pthread_mutex_lock(&shared_lock);
}
static void unlock_after_fork(void) {
  pthread_mutex_unlock(&shared_lock);
}

__attribute__((constructor)) static void guard_forks(void) {
  pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}

void tfc_memory_trim(void) {
  /* Given back outside of the lock: a source has a lock of its own, held too while forking. */
  for (int c = 0; c < CLASSES; c++) {
    pthread_mutex_lock(&shared_lock);
    tfc_buffer* b = shared[c].head;
    shared[c] = (free_list){NULL, 0};
    pthread_mutex_unlock(&shared_lock);
    while (b) {
      tfc_buffer* next = b->owner;
      give_back(b);
      b = next;
    }
  }
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

bool tfc_tensor_new(tfc_tensor* t, int rank, const int64_t* dims) {
  int64_t n = 1;
  if (__builtin_expect(t->dtype == TFC_RESOURCE, 0)) return false;
  for (int i = 0; i < rank; i++) {
    if (__builtin_mul_overflow(n, dims[i], &n)) return false;
    t->dims[i] = dims[i];
  }
  size_t size = tfc_dtype_size(t->dtype), bytes;
  if (n < 0 || __builtin_mul_overflow((size_t)n, size, &bytes)) return false;
  tfc_buffer* b = tfc_allocate(bytes);
  if (!b) return false;
  t->n = n;
  t->rank = rank;
  t->buffer = b;
  t->data = (char*)b + HEADER;
  if (t->dtype == TFC_STRING) {
    memset(t->data, 0, b->size);
    b->flags |= TFC_BUFFER_STRINGS;
  }
  return true;
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
