/* Work of a step that is recorded once and replayed as a CUDA graph.
 *
 * While a thread records, its work runs as always, and what it puts into the queue is noted. The
 * graph is captured from these notes afterwards, on a stream of its own, so that other threads'
 * work is never captured.
 *
 * A graph has fixed addresses, so the blocks that are allocated while it is recorded stay its own.
 * The recording uses them again when they are released; nobody else gets them. */
#include <stdlib.h>
#include <string.h>

#include "device/cuda/gpu.h"

enum { LAUNCH, FILL, COPY };
enum { DEAD = -1 }; /* instead of the number of users: its memory is given up */

/* What a replay puts into the queue. */
typedef struct item {
  int kind, node;
  const tfc_function* function;
  uint32_t grid[3], block[3], shared;
  int byte;
  CUdeviceptr to, from;
  size_t bytes;  /* also of the parameters */
  size_t params; /* offset */
} item;

struct tfc_graph {
  tfc_gpu* gpu;
  tfc_graph *next, *previous; /* under the GPU's graphs_lock */
  int users;                  /* atomic: steps that recorded, claimed or replayed it; or DEAD */
  bool recording, broken;     /* of the recording thread. broken: it can't be replayed */
  bool starved;               /* atomic: a step that had it ran out of memory */
  CUgraphExec exec;
  item* items;
  size_t n_items, items_room;
  char* params;
  size_t params_used, params_room;
  tfc_block* blocks;    /* under memory_lock */
  tfc_buffer** uploads; /* what replays copy from */
  size_t n_uploads, uploads_room;
  tfc_chunk* chunk; /* reports of the current launch; each step copies them behind its own */
};

__thread tfc_graph* tfc_gpu_recording;

/* ---- Recording */

static bool grow(void** array, size_t* room, size_t wanted, size_t size) {
  if (wanted <= *room) return true;
  size_t more = *room ? 2 * *room : 64;
  while (more < wanted) more *= 2;
  void* p = realloc(*array, more * size);
  if (!p) return false;
  *array = p;
  *room = more;
  return true;
}

static item* add_item(tfc_graph* x, const tfc_context* ctx) {
  if (x->broken || !grow((void**)&x->items, &x->items_room, x->n_items + 1, sizeof *x->items)) {
    x->broken = true;
    return NULL;
  }
  item* i = &x->items[x->n_items++];
  *i = (item){.node = ctx ? tfc_gpu_number_of(ctx) : -1};
  return i;
}

tfc_graph* tfc_gpu_recording_for(const tfc_gpu* g) {
  tfc_graph* x = tfc_gpu_recording;
  return x && x->gpu == g && !x->broken ? x : NULL;
}

/* The graph that records this thread's work on a GPU, or NULL. */
static tfc_graph* recorder(const tfc_gpu* g) {
  tfc_graph* x = tfc_gpu_recording_for(g);
  return x && x->recording ? x : NULL;
}

void tfc_gpu_note_launch(tfc_gpu* g, const tfc_context* ctx, const tfc_function* f,
                         const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                         const void* params, size_t bytes) {
  tfc_graph* x = recorder(g);
  if (!x) return;
  size_t at = (x->params_used + 15) / 16 * 16;
  item* i = add_item(x, ctx);
  if (!i || !grow((void**)&x->params, &x->params_room, at + bytes, 1)) {
    x->broken = true;
    return;
  }
  i->kind = LAUNCH;
  i->function = f;
  memcpy(i->grid, grid, sizeof i->grid);
  memcpy(i->block, block, sizeof i->block);
  i->shared = shared;
  i->params = at;
  i->bytes = bytes;
  memcpy(x->params + at, params, bytes);
  x->params_used = at + bytes;
}

void tfc_gpu_note_fill(tfc_gpu* g, const tfc_context* ctx, CUdeviceptr to, int byte, size_t bytes) {
  tfc_graph* x = recorder(g);
  item* i = x ? add_item(x, ctx) : NULL;
  if (!i) return;
  i->kind = FILL;
  i->to = to;
  i->byte = byte;
  i->bytes = bytes;
}

void tfc_gpu_note_copy(tfc_gpu* g, const tfc_context* ctx, CUdeviceptr to, CUdeviceptr from,
                       size_t bytes) {
  tfc_graph* x = recorder(g);
  item* i = x ? add_item(x, ctx) : NULL;
  if (!i) return;
  i->kind = COPY;
  i->to = to;
  i->from = from;
  i->bytes = bytes;
}

static void break_recording(tfc_device* device) {
  tfc_gpu_break_recording((tfc_gpu*)device);
}

void tfc_gpu_break_recording(const tfc_gpu* g) {
  tfc_graph* x = recorder(g);
  if (x) x->broken = true;
}

/* Memory that the recording does not use again. A block of the graph may have served earlier work,
 * which replays would repeat there. */
static tfc_buffer* allocate_apart(tfc_gpu* g, size_t bytes) {
  tfc_graph* x = tfc_gpu_recording;
  tfc_gpu_recording = NULL;
  tfc_buffer* b = tfc_gpu_allocate(&g->pub, bytes);
  tfc_gpu_recording = x;
  return b;
}

void* tfc_gpu_upload_source(tfc_gpu* g, size_t bytes) {
  tfc_graph* x = recorder(g);
  if (!x || x->broken) return NULL;
  tfc_buffer* b = grow((void**)&x->uploads, &x->uploads_room, x->n_uploads + 1, sizeof *x->uploads)
                      ? allocate_apart(g, bytes)
                      : NULL;
  if (!b) {
    x->broken = true;
    return NULL;
  }
  x->uploads[x->n_uploads++] = b;
  return b->data;
}

bool tfc_gpu_reclaim_recording(tfc_gpu* g) {
  tfc_graph* x = tfc_gpu_recording_for(g);
  if (!x) return false;
  x->broken = true;
  tfc_gpu_disown_blocks(g, x);
  return true;
}

tfc_chunk** tfc_gpu_recorded_chunk(tfc_gpu* g) {
  tfc_graph* x = recorder(g);
  return x ? &x->chunk : NULL;
}

static tfc_graph* begin(tfc_device* device, tfc_context* ctx) {
  tfc_gpu* g = (tfc_gpu*)device;
  if (g->synchronous || tfc_gpu_recording || __atomic_load_n(&g->lost, __ATOMIC_RELAXED))
    return NULL;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  tfc_graph* x = s && !s->graph ? calloc(1, sizeof *x) : NULL;
  if (!x) return NULL;
  x->gpu = g;
  x->users = 1;
  pthread_mutex_lock(&g->graphs_lock);
  x->next = g->graphs;
  if (x->next) x->next->previous = x;
  g->graphs = x;
  pthread_mutex_unlock(&g->graphs_lock);
  pthread_mutex_lock(&g->lock);
  s->graph = x;
  pthread_mutex_unlock(&g->lock);
  tfc_gpu_recording = x;
  return x;
}

static void start(tfc_graph* x) {
  x->recording = true;
}

static bool stop(tfc_graph* x) {
  x->recording = false;
  tfc_gpu_recording = NULL;
  return !x->broken;
}

/* ---- Memory */

tfc_block** tfc_gpu_graph_blocks(tfc_graph* x) {
  return &x->blocks;
}

static bool owns(const tfc_graph* x, const tfc_buffer* b) {
  return b && b->device == &x->gpu->pub && tfc_gpu_block_owner(b) == x;
}

static int64_t references(const tfc_graph* x) {
  return tfc_gpu_count_references(x->gpu, x->blocks);
}

static bool take_idle(tfc_graph* x, tfc_buffer* b) {
  return tfc_gpu_take_idle_block(x->gpu, b);
}

/* ---- The graph */

static CUresult issue(const tfc_graph* x, const item* i, CUstream stream) {
  if (i->kind == FILL)
    return tfc_cuda.cuMemsetD8Async(i->to, (unsigned char)i->byte, i->bytes, stream);
  if (i->kind == COPY) return tfc_cuda.cuMemcpyDtoDAsync_v2(i->to, i->from, i->bytes, stream);
  return tfc_gpu_put_launch(x->gpu, stream, i->function, i->grid, i->block, i->shared,
                            x->params + i->params, i->bytes);
}

static CUresult capture(const tfc_graph* x, CUstream stream, CUgraph* out) {
  CUresult r = tfc_cuda.cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED);
  if (r) return r;
  if (x->chunk) r = tfc_gpu_clear_chunk(x->chunk, stream);
  for (size_t k = 0; k < x->n_items && !r; k++) r = issue(x, &x->items[k], stream);
  CUresult ended = tfc_cuda.cuStreamEndCapture(stream, out);
  return r ? r : ended;
}

static bool instantiate(tfc_graph* x) {
  CUstream stream = NULL;
  CUgraph graph = NULL;
  tfc_gpu_enter(x->gpu);
  CUresult r = tfc_cuda.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
  if (r) return false;
  r = capture(x, stream, &graph);
  if (!r) r = tfc_cuda.cuGraphInstantiateWithFlags(&x->exec, graph, 0);
  if (r) x->exec = NULL;
  if (graph) tfc_cuda.cuGraphDestroy(graph);
  tfc_cuda.cuStreamDestroy_v2(stream);
  free(x->params);
  x->params = NULL;
  return !r;
}

static bool build(tfc_graph* x, tfc_context* ctx) {
  tfc_gpu* g = x->gpu;
  if (!instantiate(x)) return false;
  if (x->chunk &&
      !tfc_gpu_give_chunk_to_graph(g, tfc_gpu_share_of(g, ctx), (tfc_node_context*)ctx, x->chunk))
    return false;
  __atomic_add_fetch(&g->graphs_made, 1, __ATOMIC_RELAXED);
  return true;
}

static bool claim(tfc_graph* x) {
  if (__atomic_load_n(&x->starved, __ATOMIC_RELAXED)) return false;
  int n = __atomic_load_n(&x->users, __ATOMIC_RELAXED);
  while (n != DEAD)
    if (__atomic_compare_exchange_n(&x->users, &n, n + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

static void release(tfc_graph* x) {
  __atomic_sub_fetch(&x->users, 1, __ATOMIC_ACQ_REL);
}

/* Only if no step has it. */
static bool kill(tfc_graph* x) {
  int none = 0;
  return __atomic_compare_exchange_n(&x->users, &none, DEAD, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

static bool is_dead(const tfc_graph* x) {
  return __atomic_load_n(&x->users, __ATOMIC_ACQUIRE) == DEAD ||
         __atomic_load_n(&x->starved, __ATOMIC_RELAXED);
}

static void set_graph(tfc_gpu* g, tfc_gpu_share* s, tfc_graph* x) {
  pthread_mutex_lock(&g->lock);
  s->graph = x;
  pthread_mutex_unlock(&g->lock);
}

/* Memory is taken before the launch: once it has run, the step must not fail for lack of it. */
static int replay(tfc_graph* x, tfc_context* ctx, bool* launched) {
  tfc_gpu* g = x->gpu;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  *launched = false;
  if (!s || tfc_gpu_check_usable(g, ctx)) {
    release(x);
    return TFC_UNAVAILABLE;
  }
  tfc_gpu_enter(g);
  if (x->chunk && !tfc_gpu_prepare_graph_reports(g, s, (tfc_node_context*)ctx, x->chunk)) {
    tfc_gpu_release_graph(x, true);
    return TFC_OK;
  }
  set_graph(g, s, x);
  CUresult r = tfc_cuda.cuGraphLaunch(x->exec, g->compute);
  if (r == CUDA_ERROR_OUT_OF_MEMORY) {
    set_graph(g, s, NULL);
    tfc_gpu_release_graph(x, true);
    return TFC_OK;
  }
  *launched = true;
  if (!r) __atomic_add_fetch(&g->replays, 1, __ATOMIC_RELAXED);
  if (!r && x->chunk) r = tfc_gpu_fetch_graph_reports(g, s, x->chunk);
  return tfc_gpu_check(g, ctx, r, "cuGraphLaunch");
}

void tfc_gpu_release_graph(tfc_graph* x, bool starved) {
  if (starved) __atomic_store_n(&x->starved, true, __ATOMIC_RELAXED);
  release(x);
}

int tfc_gpu_graph_culprit(const tfc_graph* x, const char* text) {
  for (size_t k = x->n_items; k-- > 0;) {
    const item* i = &x->items[k];
    if (i->kind == LAUNCH && tfc_gpu_is_named(text, i->function->name)) return i->node;
  }
  return -1;
}

void tfc_gpu_graph_stats(tfc_gpu* g, int64_t* made, int64_t* replays) {
  *made = __atomic_load_n(&g->graphs_made, __ATOMIC_RELAXED);
  *replays = __atomic_load_n(&g->replays, __ATOMIC_RELAXED);
}

/* ---- The end */

static void free_contents(tfc_graph* x) {
  tfc_gpu* g = x->gpu;
  if (!tfc_gpu_is_forked()) tfc_gpu_enter(g);
  if (x->exec && !tfc_gpu_is_forked()) {
    tfc_cuda.cuGraphExecDestroy(x->exec); /* a launch that is in the queue ends first */
    x->exec = NULL;
  }
  for (size_t i = 0; i < x->n_uploads; i++) tfc_buffer_unref(x->uploads[i]);
  x->n_uploads = 0;
  tfc_gpu_disown_blocks(g, x);
  if (x->chunk && !tfc_gpu_is_forked()) tfc_gpu_return_graph_chunk(g, x->chunk);
  x->chunk = NULL;
}

bool tfc_gpu_reclaim_graphs(tfc_gpu* g) {
  bool any = false, is_first = tfc_gpu_enter(g);
  pthread_mutex_lock(&g->graphs_lock);
  for (tfc_graph* x = g->graphs; x; x = x->next) {
    if (!kill(x)) continue;
    free_contents(x);
    any = true;
  }
  pthread_mutex_unlock(&g->graphs_lock);
  if (is_first) tfc_gpu_exit();
  return any;
}

static bool destroy(tfc_graph* x) {
  tfc_gpu* g = x->gpu;
  pthread_mutex_lock(&g->graphs_lock);
  bool dead = __atomic_load_n(&x->users, __ATOMIC_ACQUIRE) == DEAD;
  if (!dead && !kill(x)) {
    pthread_mutex_unlock(&g->graphs_lock);
    return false;
  }
  if (!dead) free_contents(x);
  tfc_gpu_exit();
  if (x->next) x->next->previous = x->previous;
  *(x->previous ? &x->previous->next : &g->graphs) = x->next;
  pthread_mutex_unlock(&g->graphs_lock);
  free(x->items);
  free(x->params);
  free(x->uploads);
  free(x);
  return true;
}

/* The step that recorded it still uses its chunk, which goes with the step. */
static void destroy_in_step(tfc_graph* x, tfc_context* ctx) {
  tfc_gpu_share* s = tfc_gpu_share_of(x->gpu, ctx);
  x->chunk = NULL;
  pthread_mutex_lock(&x->gpu->lock);
  s->graph = NULL;
  pthread_mutex_unlock(&x->gpu->lock);
  release(x);
  destroy(x);
}

const tfc_graphs tfc_gpu_graphs = {
    .begin = begin,
    .start = start,
    .stop = stop,
    .build = build,
    .destroy_in_step = destroy_in_step,
    .owns = owns,
    .references = references,
    .take_idle = take_idle,
    .allocate_next_in = tfc_gpu_allocate_next_in,
    .claim = claim,
    .release = release,
    .is_dead = is_dead,
    .replay = replay,
    .break_recording = break_recording,
    .destroy = destroy,
};
