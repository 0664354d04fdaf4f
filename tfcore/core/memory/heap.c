/* Pages for blocks of 8 KB and more: best fit with splitting and coalescing.
 *
 * A heap is address space cut into extents. An extent is used, dirty (free, but still with pages)
 * or clean (free, without pages). Free neighbours of the same state are merged at once, so that
 * memory can serve blocks of other sizes later. Fresh pages cost more than most element-wise
 * kernels, so dirty extents are preferred. Among those of similar size the one freed last comes
 * first, as it is likely to be in the cache.
 *
 * What the process holds, used and dirty, is bounded by the recent peak in use, plus a quarter of
 * it and some slack. Dirty extents beyond that are purged, oldest first, before fresh pages are
 * handed out. So a loop that repeats the same step neither maps nor unmaps anything, and no order
 * of sizes makes the process grow.
 *
 * Purging is done without the lock: it is slow, and a source has its own lock, which is held during
 * forks.
 */
#include "memory/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/addresses.h"

enum {
  STEPS = 4,         /* bins per doubling */
  BINS = 36 * STEPS, /* up to the end of the address space */
  WORDS = (BINS + 63) / 64,
  TRIES = 16, /* extents of a bin that are compared */
  NODES = 64, /* nodes allocated at a time */
  HUGE_PAGE = 2 << 20,
  LEAST_PURGE = 1 << 20
};

#ifdef __SANITIZE_ADDRESS__
static const int64_t SLACK = 0; /* keep nothing, so that every use of a freed block is detected */
#else
static const int64_t SLACK = 32 << 20;
#endif

typedef enum state { USED, DIRTY, CLEAN } state;

/* A range of pages. */
typedef struct tfc_extent {
  _Alignas(64) tfc_buffer buffer; /* of a used extent; must be first */
  char* start;
  size_t bytes;
  tfc_heap* heap;
  struct tfc_extent *below, *above;   /* neighbours by address */
  struct tfc_extent *next, *previous; /* of the same bin */
  struct tfc_extent *newer, *older;   /* dirty extents of all heaps */
  state state;
} tfc_extent;

typedef struct bin_set {
  tfc_extent* heads[BINS];
  uint64_t filled[WORDS];
} bin_set;

struct tfc_heap {
  const tfc_source* source; /* NULL: the system */
  bin_set free[2];          /* dirty, clean */
  int64_t committed;        /* bytes of used and dirty extents */
  tfc_heap* next;
};

/* All under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_heap system_heap;
static tfc_heap* heaps = &system_heap;
static tfc_extent *newest, *oldest;
static tfc_extent* spare_nodes; /* linked by next */
static tfc_usage usage;
static bool broken; /* huge pages of the system heap were purged in part: see keep_broken */

/* ---- The bound. */

int64_t tfc_usage_bound(const tfc_usage* u, int64_t slack) {
  if (slack == 0) return 0;
  int64_t peak = u->peak > u->peak_before ? u->peak : u->peak_before;
  return peak + peak / 4 + slack;
}

void tfc_usage_add(tfc_usage* u, int64_t bytes) {
  u->used += bytes;
  if (u->used > u->peak) u->peak = u->used;
}

void tfc_usage_next_period(tfc_usage* u) {
  u->peak_before = u->peak;
  u->peak = u->used;
}

/* ---- Extents. */

static tfc_extent* new_node(void) {
  if (!spare_nodes) {
    tfc_extent* nodes = aligned_alloc(64, NODES * sizeof *nodes);
    if (!nodes) return NULL;
    memset(nodes, 0, NODES * sizeof *nodes);
    for (int i = 0; i < NODES; i++) {
      nodes[i].next = spare_nodes;
      spare_nodes = &nodes[i];
    }
  }
  tfc_extent* e = spare_nodes;
  spare_nodes = e->next;
  return e;
}

static void drop_node(tfc_extent* e) {
  e->next = spare_nodes;
  spare_nodes = e;
}

/* The last bin whose smallest size is at most `bytes`. */
static int bin_of(size_t bytes) {
  size_t pages = bytes / TFC_PAGE;
  if (pages < STEPS) return (int)pages;
  int log = 63 - __builtin_clzll(pages);
  int bin = (log - 1) * STEPS + (int)((pages >> (log - 2)) & (STEPS - 1));
  return bin < BINS ? bin : BINS - 1;
}

static void put_into_bin(tfc_extent* e) {
  bin_set* set = &e->heap->free[e->state == CLEAN];
  int bin = bin_of(e->bytes);
  e->previous = NULL;
  e->next = set->heads[bin];
  if (e->next) e->next->previous = e;
  set->heads[bin] = e;
  set->filled[bin / 64] |= 1ULL << bin % 64;
}

static void take_from_bin(tfc_extent* e) {
  bin_set* set = &e->heap->free[e->state == CLEAN];
  int bin = bin_of(e->bytes);
  if (e->next) e->next->previous = e->previous;
  if (e->previous) {
    e->previous->next = e->next;
  } else {
    set->heads[bin] = e->next;
    if (!e->next) set->filled[bin / 64] &= ~(1ULL << bin % 64);
  }
}

static tfc_extent* find_free(const tfc_heap* heap, state wanted, size_t bytes) {
  const bin_set* set = &heap->free[wanted == CLEAN];
  int bin = bin_of(bytes), tries = TRIES;
  tfc_extent* best = NULL;
  for (tfc_extent* e = set->heads[bin]; e && tries--; e = e->next)
    if (e->bytes >= bytes && (!best || e->bytes < best->bytes)) best = e;
  if (best) return best;
  uint64_t mask = bin % 64 == 63 ? 0 : ~0ULL << (bin % 64 + 1);
  for (int word = bin / 64; word < WORDS; word++, mask = ~0ULL)
    if (set->filled[word] & mask)
      return set->heads[word * 64 + __builtin_ctzll(set->filled[word] & mask)];
  return NULL;
}

/* An extent that is being purged is in no list and counts as neither used nor dirty. */
static void make_free(tfc_extent* e, state how) {
  e->state = how;
  if (how == DIRTY) {
    usage.kept += (int64_t)e->bytes;
    e->newer = NULL;
    e->older = newest;
    *(newest ? &newest->newer : &oldest) = e;
    newest = e;
  }
  put_into_bin(e);
}

static void take_free(tfc_extent* e) {
  take_from_bin(e);
  if (e->state == DIRTY) {
    usage.kept -= (int64_t)e->bytes;
    *(e->newer ? &e->newer->older : &newest) = e->older;
    *(e->older ? &e->older->newer : &oldest) = e->newer;
  }
  e->state = USED;
}

/* Cuts e, which is in no list, after `bytes`; returns the rest, also in no list. NULL: no memory
 * for a node. */
static tfc_extent* split(tfc_extent* e, size_t bytes) {
  tfc_extent* rest = new_node();
  if (!rest) return NULL;
  *rest = (tfc_extent){.start = e->start + bytes,
                       .bytes = e->bytes - bytes,
                       .heap = e->heap,
                       .below = e,
                       .above = e->above,
                       .state = USED};
  if (rest->above) rest->above->below = rest;
  e->above = rest;
  e->bytes = bytes;
  return rest;
}

/* Merges `lower` and its neighbour above, both in no list. */
static void join(tfc_extent* lower) {
  tfc_extent* upper = lower->above;
  lower->bytes += upper->bytes;
  lower->above = upper->above;
  if (lower->above) lower->above->below = lower;
  drop_node(upper);
}

static void free_and_merge(tfc_extent* e, state how) {
  if (e->above && e->above->state == how) {
    take_free(e->above);
    join(e);
  }
  if (e->below && e->below->state == how) {
    e = e->below;
    take_free(e);
    join(e);
  }
  make_free(e, how);
}

/* ---- Address space. */

static bool add_zone(tfc_heap* heap, char* start, size_t bytes) {
  tfc_extent* e = new_node();
  if (!e) return false;
  *e = (tfc_extent){.start = start, .bytes = bytes, .heap = heap};
  make_free(e, CLEAN);
  return true;
}

static char* map_aligned(size_t bytes) {
  char* p =
      mmap(NULL, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t lead = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
  if (lead) munmap(p, lead);
  munmap(p + lead + bytes, HUGE_PAGE - lead);
#ifdef MADV_HUGEPAGE
  madvise(p + lead, bytes, MADV_HUGEPAGE);
#endif
  return p + lead;
}

/* The size of a zone, large so that blocks lie side by side: half of the machine's memory, or,
 * where addresses are limited, a small part of what is left. A zone is only addresses; pages come
 * with the first use. */
static size_t wanted_zone(void) {
  size_t wanted = (size_t)sysconf(_SC_PHYS_PAGES) * TFC_PAGE / 2, bound = tfc_address_limit() / 16;
  return wanted < bound ? wanted : bound;
}

/* Adds a zone with room for `bytes`, as large as wanted or as the system allows. */
static bool grow(tfc_heap* heap, size_t bytes) {
  if (heap->source) return false;
  size_t least = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  size_t wanted = wanted_zone() / HUGE_PAGE * HUGE_PAGE;
  if (wanted < least) wanted = least;
  char* zone = map_aligned(wanted);
  while (!zone && wanted > least) {
    wanted = wanted / 2 / HUGE_PAGE * HUGE_PAGE;
    if (wanted < least) wanted = least;
    zone = map_aligned(wanted);
  }
  if (!zone) return false;
  if (add_zone(heap, zone, wanted)) return true;
  munmap(zone, wanted);
  return false;
}

tfc_heap* tfc_heap_of(const tfc_source* source) {
  if (!source) return &system_heap;
  pthread_mutex_lock(&lock);
  tfc_heap* heap = heaps;
  while (heap && heap->source != source) heap = heap->next;
  if (!heap && (heap = calloc(1, sizeof *heap))) {
    heap->source = source;
    if (add_zone(heap, source->start, source->bytes)) {
      heap->next = heaps;
      heaps = heap;
    } else {
      free(heap);
      heap = NULL;
    }
  }
  pthread_mutex_unlock(&lock);
  return heap;
}

/* ---- Purging. */

/* Finds about `bytes` at the upper end of a dirty extent, in whole units of `grain` bytes. With a
 * grain of HUGE_PAGE no huge page is broken up. */
static bool part_to_purge(const tfc_extent* e, size_t grain, size_t bytes, char** from, char** to) {
  uintptr_t low = ((uintptr_t)e->start + grain - 1) / grain * grain;
  uintptr_t high = ((uintptr_t)e->start + e->bytes) / grain * grain;
  if (low >= high) return false;
  if (high - low > bytes) low = (high - bytes) / grain * grain;
  *from = (char*)low;
  *to = (char*)high;
  return true;
}

/* If `at`, an end of a purged range, is inside a huge page, only a part of that page was purged.
 * Stops the system from making it a whole huge page again, with memory for all of it. */
static void keep_broken(uintptr_t at) {
#ifdef MADV_NOHUGEPAGE
  if (at % HUGE_PAGE) madvise((void*)(at / HUGE_PAGE * HUGE_PAGE), HUGE_PAGE, MADV_NOHUGEPAGE);
#else
  (void)at;
#endif
}

/* Allows huge pages again where a block covers them entirely. */
static void mend(const tfc_extent* e) {
  uintptr_t low = ((uintptr_t)e->start + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  uintptr_t high = ((uintptr_t)e->start + e->bytes) / HUGE_PAGE * HUGE_PAGE;
#ifdef MADV_HUGEPAGE
  if (low < high) madvise((void*)low, high - low, MADV_HUGEPAGE);
#endif
}

static void purge(tfc_extent* e) {
  const tfc_source* source = e->heap->source;
  uintptr_t from = (uintptr_t)e->start, to = from + e->bytes;
  if (!source) broken |= from % HUGE_PAGE || to % HUGE_PAGE;
  pthread_mutex_unlock(&lock);
  if (source) {
    source->purge(e->start, e->bytes);
  } else {
    madvise(e->start, e->bytes, MADV_DONTNEED);
    keep_broken(from);
    keep_broken(to);
  }
  tfc_memory_unreserve((int64_t)e->bytes);
  pthread_mutex_lock(&lock);
  e->heap->committed -= (int64_t)e->bytes;
  free_and_merge(e, CLEAN);
}

/* Purges a part of the oldest extent that contains a unit to purge; false: there is none. */
static bool purge_some(size_t grain_of_system, size_t bytes) {
  for (tfc_extent* e = oldest; e; e = e->newer) {
    size_t grain = e->heap->source ? TFC_PAGE : grain_of_system;
    char *from, *to;
    if (!part_to_purge(e, grain, bytes, &from, &to)) continue;
    /* If there is no memory for a node, the neighbouring pages are purged, too. */
    take_free(e);
    tfc_extent* above = to < e->start + e->bytes ? split(e, (size_t)(to - e->start)) : NULL;
    tfc_extent* middle = from > e->start ? split(e, (size_t)(from - e->start)) : NULL;
    if (above) make_free(above, DIRTY);
    if (middle) make_free(e, DIRTY);
    purge(middle ? middle : e);
    return true;
  }
  return false;
}

static void purge_to(int64_t bound) {
  for (size_t grain = HUGE_PAGE;; grain = TFC_PAGE) {
    for (;;) {
      int64_t excess = usage.used + usage.kept - bound;
      if (excess > usage.kept) excess = usage.kept;
      if (excess <= 0) return;
      if (!purge_some(grain, (size_t)(excess > LEAST_PURGE ? excess : LEAST_PURGE))) break;
    }
    if (grain == TFC_PAGE) return;
  }
}

void tfc_heap_next_period(void) {
  pthread_mutex_lock(&lock);
  tfc_usage_next_period(&usage);
  purge_to(tfc_usage_bound(&usage, SLACK));
  pthread_mutex_unlock(&lock);
}

void tfc_heap_trim(void) {
  pthread_mutex_lock(&lock);
  purge_to(0);
  pthread_mutex_unlock(&lock);
}

/* ---- Allocation. */

/* Takes `bytes` of a free extent and leaves the rest free; false: no memory for a node. */
static bool use(tfc_extent* e, size_t bytes) {
  state was = e->state;
  take_free(e);
  if (e->bytes > bytes) {
    tfc_extent* rest = split(e, bytes);
    make_free(rest ? rest : e, was);
    if (!rest) return false;
  }
  tfc_usage_add(&usage, (int64_t)bytes);
  return true;
}

static tfc_extent* use_dirty(tfc_heap* heap, size_t bytes) {
  tfc_extent* e = find_free(heap, DIRTY, bytes);
  return e && use(e, bytes) ? e : NULL;
}

static tfc_extent* use_clean(tfc_heap* heap, size_t bytes) {
  tfc_extent* e = find_free(heap, CLEAN, bytes);
  if (!e && grow(heap, bytes)) e = find_free(heap, CLEAN, bytes);
  if (!e || !tfc_memory_reserve((int64_t)bytes)) return NULL;
  if (!use(e, bytes)) {
    tfc_memory_unreserve((int64_t)bytes);
    return NULL;
  }
  heap->committed += (int64_t)bytes;
  if (broken && !heap->source && bytes >= HUGE_PAGE) mend(e);
  purge_to(tfc_usage_bound(&usage, SLACK)); /* before the fresh pages are touched */
  return e;
}

tfc_buffer* tfc_heap_allocate(tfc_heap* heap, size_t bytes) {
  pthread_mutex_lock(&lock);
  tfc_extent* e = use_dirty(heap, bytes);
  if (!e) e = use_clean(heap, bytes);
  pthread_mutex_unlock(&lock);
  if (!e) return NULL;
  e->buffer.heap = heap;
  e->buffer.device = NULL;
  e->buffer.data = e->start;
  e->buffer.size = bytes;
  return &e->buffer;
}

void tfc_heap_free(tfc_buffer* b) {
  tfc_extent* e = (tfc_extent*)b;
  pthread_mutex_lock(&lock);
  usage.used -= (int64_t)e->bytes;
  free_and_merge(e, DIRTY);
  if (!SLACK) purge_to(0);
  pthread_mutex_unlock(&lock);
}

void tfc_heap_source_stats(const tfc_source* source, tfc_source_stats* out) {
  *out = (tfc_source_stats){0, 0};
  pthread_mutex_lock(&lock);
  for (const tfc_heap* heap = heaps; heap; heap = heap->next) {
    if (heap->source != source) continue;
    out->bytes_committed = heap->committed;
    for (int bin = 0; bin < BINS; bin++)
      for (const tfc_extent* e = heap->free[1].heads[bin]; e; e = e->next) out->free_ranges++;
  }
  pthread_mutex_unlock(&lock);
}

/* The forking thread holds the lock: if another one did, the child could never take it. */
static void lock_for_fork(void) {
  pthread_mutex_lock(&lock);
}
static void unlock_after_fork(void) {
  pthread_mutex_unlock(&lock);
}

__attribute__((constructor)) static void guard_forks(void) {
  pthread_atfork(lock_for_fork, unlock_after_fork, unlock_after_fork);
}
