/* A GPU's memory: blocks cut from regions that grow as needed. Only the host knows of the blocks:
 * it never touches what is in them. All work but large uploads (uploads.c) runs in the order of the
 * queue, so a released block can be used at once: later work comes after what still uses it. Free
 * neighbours merge; of the free blocks the smallest that fits is taken, roughly. */
#include <stdlib.h>

#include "device/cuda/gpu.h"

enum { GRAIN = 256, FIRST_REGION = 2 << 20 };
static const size_t LARGEST_REGION = (size_t)256 << 20; /* except for larger blocks */

struct tfc_block {
  _Alignas(64) tfc_buffer buffer; /* must be first */
  tfc_region* region;
  CUdeviceptr start;
  size_t bytes;
  bool used;                  /* in no bin: of a buffer, or owned by a graph (even if idle) */
  bool idle;                  /* of a graph, and nobody refers to it */
  int64_t freed_at;           /* the mark behind all earlier work with it */
  tfc_graph* graph;           /* that it belongs to, or NULL */
  tfc_block* next_owned;      /* of the graph */
  tfc_block *below, *above;   /* neighbours in the region */
  tfc_block *next, *previous; /* of a bin */
};

struct tfc_region {
  CUdeviceptr start;
  size_t bytes;
  tfc_block* first;
  tfc_region *next, *previous;
};

static tfc_gpu* gpu_of(const tfc_block* b) {
  return (tfc_gpu*)b->buffer.device;
}

/* The first mark behind all work that is in the queue now. */
static int64_t next_mark(const tfc_gpu* g) {
  return __atomic_load_n(&g->last_mark, __ATOMIC_SEQ_CST) + 1;
}

int64_t tfc_gpu_freed_at(const tfc_buffer* buffer) {
  return ((const tfc_block*)buffer)->freed_at;
}

/* ---- Free blocks */

static int bin_of(size_t bytes) {
  size_t grains = bytes / GRAIN;
  int log = 63 - __builtin_clzll(grains);
  int quarter = log < 2 ? 0 : (int)(grains >> (log - 2)) & 3;
  return 4 * log + quarter;
}

static void make_free(tfc_gpu* g, tfc_block* b) {
  tfc_block** head = &g->bins[bin_of(b->bytes)];
  b->used = false;
  b->previous = NULL;
  b->next = *head;
  if (b->next) b->next->previous = b;
  *head = b;
}

static void take_free(tfc_gpu* g, tfc_block* b) {
  if (b->next) b->next->previous = b->previous;
  *(b->previous ? &b->previous->next : &g->bins[bin_of(b->bytes)]) = b->next;
  b->used = true;
}

static tfc_block* find_free(tfc_gpu* g, size_t bytes) {
  for (int bin = bin_of(bytes); bin < TFC_GPU_BINS; bin++)
    for (tfc_block* b = g->bins[bin]; b; b = b->next)
      if (b->bytes >= bytes) return b;
  return NULL;
}

static tfc_block* new_block(tfc_gpu* g, tfc_region* region, CUdeviceptr start, size_t bytes) {
  tfc_block* b = aligned_alloc(64, sizeof *b);
  if (!b) return NULL;
  *b = (tfc_block){.buffer = {.device = &g->pub}, .region = region, .start = start, .bytes = bytes};
  return b;
}

/* ---- Regions */

static bool add_region(tfc_gpu* g, size_t bytes) {
  tfc_region* r = calloc(1, sizeof *r);
  if (!r) return false;
  bool is_first = tfc_gpu_enter(g);
  bool ok = !tfc_cuda.cuMemAlloc_v2(&r->start, bytes);
  if (ok && !(r->first = new_block(g, r, r->start, bytes))) {
    tfc_cuda.cuMemFree_v2(r->start);
    ok = false;
  }
  if (ok && tfc_cuda.tfcEmulatedAllow) tfc_cuda.tfcEmulatedAllow(r->start, bytes, 0, g->compute);
  if (is_first) tfc_gpu_exit();
  if (!ok) {
    free(r);
    return false;
  }
  r->first->freed_at = next_mark(g);
  r->bytes = bytes;
  r->next = g->regions;
  if (r->next) r->next->previous = r;
  g->regions = r;
  g->stats.bytes_reserved += (int64_t)bytes;
  make_free(g, r->first);
  return true;
}

/* Returns regions without a used block to the driver, which waits for the work in all queues. */
static bool drop_regions(tfc_gpu* g) {
  bool any = false;
  for (tfc_region *r = g->regions, *next; r; r = next) {
    next = r->next;
    if (r->first->used || r->first->above) continue;
    take_free(g, r->first);
    bool is_first = tfc_gpu_enter(g);
    tfc_cuda.cuMemFree_v2(r->start);
    if (is_first) tfc_gpu_exit();
    g->stats.bytes_reserved -= (int64_t)r->bytes;
    if (r->next) r->next->previous = r->previous;
    *(r->previous ? &r->previous->next : &g->regions) = r->next;
    free(r->first);
    free(r);
    any = true;
  }
  return any;
}

static bool may_reserve(const tfc_gpu* g, size_t bytes) {
  return !g->stats.bytes_limit || g->stats.bytes_reserved + (int64_t)bytes <= g->stats.bytes_limit;
}

/* All of the limit as one region: values of changing sizes leave gaps in several, which are never
 * large enough when the limit is near. */
static bool reserve_all(tfc_gpu* g, size_t bytes) {
  if (!g->takes_limit_at_once) return false;
  size_t all = (size_t)g->stats.bytes_limit / GRAIN * GRAIN;
  return !g->regions && bytes <= all && add_region(g, all);
}

static bool grow(tfc_gpu* g, size_t bytes) {
  if (reserve_all(g, bytes)) return true;
  if (!g->next_region) g->next_region = FIRST_REGION;
  if (bytes < g->next_region && may_reserve(g, g->next_region) && add_region(g, g->next_region)) {
    if (g->next_region < LARGEST_REGION) g->next_region *= 2;
    return true;
  }
  return may_reserve(g, bytes) && add_region(g, bytes);
}

/* ---- Allocation */

/* Cuts off what is not needed. Keeps it if there is no memory for another tfc_block. */
static void split(tfc_gpu* g, tfc_block* b, size_t bytes) {
  if (b->bytes - bytes < GRAIN) return;
  tfc_block* rest = new_block(g, b->region, b->start + bytes, b->bytes - bytes);
  if (!rest) return;
  rest->freed_at = b->freed_at;
  rest->below = b;
  rest->above = b->above;
  if (rest->above) rest->above->below = rest;
  b->above = rest;
  b->bytes = bytes;
  make_free(g, rest);
}

/* Merges `lower` and its neighbour above, both in no bin. */
static void join(tfc_block* lower) {
  tfc_block* upper = lower->above;
  lower->bytes += upper->bytes;
  if (upper->freed_at > lower->freed_at) lower->freed_at = upper->freed_at;
  lower->above = upper->above;
  if (lower->above) lower->above->below = lower;
  free(upper);
}

/* Tells the emulator whether this memory may be used. */
static void tell_emulator(tfc_gpu* g, CUdeviceptr start, size_t bytes, int live) {
  if (!tfc_cuda.tfcEmulatedAllow) return;
  bool is_first = tfc_gpu_enter(g);
  tfc_cuda.tfcEmulatedAllow(start, bytes, live, g->compute);
  if (is_first) tfc_gpu_exit();
}

static void release_locked(tfc_gpu* g, tfc_block* b) {
  b->freed_at = next_mark(g);
  if (b->graph) {
    b->idle = true;
    return;
  }
  tell_emulator(g, b->start, b->bytes, 0);
  g->stats.bytes_in_use -= (int64_t)b->bytes;
  if (b->above && !b->above->used) {
    take_free(g, b->above);
    join(b);
  }
  if (b->below && !b->below->used) {
    b = b->below;
    take_free(g, b);
    join(b);
  }
  make_free(g, b);
}

static void release(tfc_buffer* buffer) {
  tfc_gpu* g = gpu_of((tfc_block*)buffer);
  pthread_mutex_lock(&g->memory_lock);
  release_locked(g, (tfc_block*)buffer);
  pthread_mutex_unlock(&g->memory_lock);
}

/* ---- Blocks of a graph: they stay used until the graph disowns them. */

static __thread tfc_block* next_block;

static tfc_buffer* use_again(tfc_block* b) {
  b->idle = false;
  b->buffer.refs = 1;
  b->buffer.owner = NULL;
  return &b->buffer;
}

/* The smallest idle one that fits and is not much too large. */
static tfc_buffer* take_owned(tfc_graph* x, size_t bytes) {
  tfc_block* best = NULL;
  for (tfc_block* b = *tfc_gpu_graph_blocks(x); b; b = b->next_owned)
    if (b->idle && b->bytes >= bytes && b->bytes / 2 <= bytes && (!best || b->bytes < best->bytes))
      best = b;
  return best ? use_again(best) : NULL;
}

static void give_to_graph(tfc_gpu* g, tfc_block* b, tfc_graph* x) {
  tell_emulator(g, b->start, b->bytes, 1);
  b->graph = x;
  b->next_owned = *tfc_gpu_graph_blocks(x);
  *tfc_gpu_graph_blocks(x) = b;
}

tfc_graph* tfc_gpu_block_owner(const tfc_buffer* b) {
  return ((const tfc_block*)b)->graph;
}

int64_t tfc_gpu_count_references(tfc_gpu* g, const tfc_block* blocks) {
  int64_t n = 0;
  pthread_mutex_lock(&g->memory_lock);
  for (const tfc_block* b = blocks; b; b = b->next_owned)
    if (!b->idle) n += __atomic_load_n(&b->buffer.refs, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&g->memory_lock);
  return n;
}

bool tfc_gpu_take_idle_block(tfc_gpu* g, tfc_buffer* buffer) {
  tfc_block* b = (tfc_block*)buffer;
  pthread_mutex_lock(&g->memory_lock);
  bool idle = b->idle;
  if (idle) use_again(b);
  pthread_mutex_unlock(&g->memory_lock);
  return idle;
}

void tfc_gpu_allocate_next_in(tfc_buffer* b) {
  next_block = (tfc_block*)b;
}

void tfc_gpu_disown_blocks(tfc_gpu* g, tfc_graph* x) {
  pthread_mutex_lock(&g->memory_lock);
  for (tfc_block *b = *tfc_gpu_graph_blocks(x), *next; b; b = next) {
    next = b->next_owned;
    b->graph = NULL;
    if (!b->idle) continue;
    b->idle = false;
    release_locked(g, b);
  }
  *tfc_gpu_graph_blocks(x) = NULL;
  pthread_mutex_unlock(&g->memory_lock);
}

/* A block of a graph for this thread. */
static tfc_buffer* take_from_graph(const tfc_gpu* g, tfc_graph* recording, size_t bytes) {
  if (recording) return take_owned(recording, bytes);
  return next_block && gpu_of(next_block) == g && next_block->idle && next_block->bytes == bytes
             ? use_again(next_block)
             : NULL;
}

static tfc_buffer* allocate_locked(tfc_gpu* g, size_t bytes) {
  size_t size = bytes ? (bytes + GRAIN - 1) / GRAIN * GRAIN : GRAIN;
  tfc_graph* recording = tfc_gpu_recording_for(g);
  if (recording || next_block) {
    tfc_buffer* taken = take_from_graph(g, recording, size);
    if (taken) return taken;
  }
  tfc_block* b = find_free(g, size);
  if (!b && grow(g, size)) b = find_free(g, size);
  if (!b && drop_regions(g) && grow(g, size)) b = find_free(g, size);
  if (b) {
    take_free(g, b);
    split(g, b, size);
    b->buffer = (tfc_buffer){.refs = 1,
                             .release = release,
                             .data = (void*)(uintptr_t)b->start,
                             .size = b->bytes,
                             .device = &g->pub};
    tell_emulator(g, b->start, bytes ? bytes : 1, 1);
    g->stats.bytes_in_use += (int64_t)b->bytes;
    g->stats.num_allocs++;
    if (recording) give_to_graph(g, b, recording);
    if (g->stats.bytes_in_use > g->stats.peak_bytes_in_use)
      g->stats.peak_bytes_in_use = g->stats.bytes_in_use;
  }
  return b ? &b->buffer : NULL;
}

static tfc_buffer* allocate(tfc_gpu* g, size_t bytes) {
  pthread_mutex_lock(&g->memory_lock);
  tfc_buffer* b = allocate_locked(g, bytes);
  pthread_mutex_unlock(&g->memory_lock);
  return b;
}

tfc_buffer* tfc_gpu_allocate(tfc_device* device, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  if (bytes > SIZE_MAX / 4) return NULL;
  tfc_buffer* b = allocate(g, bytes);
  if (!b && tfc_gpu_reclaim_graphs(g)) b = allocate(g, bytes);
  if (!b && tfc_gpu_reclaim_recording(g)) b = allocate(g, bytes);
  return b;
}

void tfc_gpu_set_limit(tfc_gpu* g, int64_t bytes, bool at_once) {
  pthread_mutex_lock(&g->memory_lock);
  g->stats.bytes_limit = bytes;
  g->takes_limit_at_once = at_once;
  pthread_mutex_unlock(&g->memory_lock);
}

void tfc_gpu_memory_stats(tfc_gpu* g, tfc_gpu_stats* out) {
  pthread_mutex_lock(&g->memory_lock);
  *out = g->stats;
  pthread_mutex_unlock(&g->memory_lock);
}

int64_t tfc_gpu_bytes_of_others(tfc_gpu* g) {
  size_t available = 0, total = 0;
  tfc_gpu_stats own;
  tfc_gpu_memory_stats(g, &own);
  bool is_first = tfc_gpu_enter(g);
  CUresult r = tfc_cuda.cuMemGetInfo_v2(&available, &total);
  if (is_first) tfc_gpu_exit();
  int64_t others = (int64_t)(total - available) - own.bytes_reserved;
  return r || others < 0 ? 0 : others;
}
