/* Launches of a step at a GPU, what their functions report, and the end of the step there. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu.h"

enum { SLOTS = 64, LATEST = 64, KEPT = 16 };

typedef struct slot {
  int node;
  tfc_explain_fn explain;
  char argument[TFC_MAX_REPORT_ARGUMENT];
} slot;

/* Reports on the device, which are zero while unused, and pinned memory to read them from. */
struct tfc_chunk {
  tfc_chunk* next;
  CUdeviceptr memory;
  char* mirror;
  CUevent event; /* behind the last work that uses it */
  bool fetched;  /* the mirror gets what a graph has reported, from the graph's chunk */
  int n;
  slot slots[SLOTS];
};

/* ---- Shares */

tfc_gpu_share* tfc_gpu_share_of(tfc_gpu* g, tfc_context* pub) {
  tfc_node_context* ctx = (tfc_node_context*)pub;
  if (ctx->share && ctx->share->device == &g->pub) return (tfc_gpu_share*)ctx->share;
  tfc_step* step = ctx->step;
  pthread_mutex_lock(&step->lock);
  tfc_share* s = step->shares;
  while (s && s->device != &g->pub) s = s->next;
  if (!s) {
    tfc_gpu_share* made = calloc(1, sizeof *made);
    if (made) {
      made->refs = 1;
      made->step = step;
      made->traced = step->observer && step->observer->modes & TFC_TRACE;
      s = &made->pub;
      s->device = &g->pub;
      s->next = step->shares;
      step->shares = s;
    }
  }
  pthread_mutex_unlock(&step->lock);
  ctx->share = s;
  if (!s) pub->api->error(pub, TFC_RESOURCE_EXHAUSTED, "out of memory");
  return (tfc_gpu_share*)s;
}

void tfc_gpu_share_unref(tfc_gpu_share* s) {
  if (__atomic_sub_fetch(&s->refs, 1, __ATOMIC_ACQ_REL)) return;
  tfc_gpu_drop_timings((tfc_gpu*)s->pub.device, s);
  free(s);
}

/* ---- Launches */

static void remember(tfc_gpu_share* s, int node, const tfc_function* f) {
  int64_t i = __atomic_fetch_add(&s->launches, 1, __ATOMIC_RELAXED) % LATEST;
  s->latest[i].node = node;
  __atomic_store_n(&s->latest[i].function, f, __ATOMIC_RELEASE);
}

/* Under a lock, as another thread may ask for less at the same time, and the last call counts. */
static CUresult allow_shared(tfc_gpu* g, tfc_function* f, uint32_t bytes) {
  CUresult r = CUDA_SUCCESS;
  if (bytes <= __atomic_load_n(&f->shared, __ATOMIC_RELAXED)) return r;
  pthread_mutex_lock(&g->lock);
  if (bytes > f->shared) {
    r = tfc_cuda.cuFuncSetAttribute(f->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (int)bytes);
    if (!r) __atomic_store_n(&f->shared, bytes, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&g->lock);
  return r;
}

int tfc_gpu_launch(tfc_device* device, tfc_context* ctx, const tfc_function* f,
                   const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   const void* params, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  if (!s || tfc_gpu_usable(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  remember(s, tfc_gpu_number_of(ctx), f);
  CUresult r = allow_shared(g, (tfc_function*)f, shared);
  tfc_timing* t = tfc_gpu_time(g, s, ctx, g->compute, f->name, -1);
  if (!r) r = tfc_gpu_put_launch(g->compute, f, grid, block, shared, params, bytes);
  if (t) tfc_gpu_end_timing(g, s, t);
  if (!r && g->synchronous) r = tfc_cuda.cuStreamSynchronize(g->compute);
  if (!r && tfc_gpu_recording) tfc_gpu_note_launch(g, ctx, f, grid, block, shared, params, bytes);
  return tfc_gpu_check(g, ctx, r, f->name);
}

/* ---- Reports */

static void free_chunk(tfc_chunk* c) {
  if (c->memory) tfc_cuda.cuMemFree_v2(c->memory);
  if (c->mirror) tfc_cuda.cuMemFreeHost(c->mirror);
  if (c->event) tfc_cuda.cuEventDestroy_v2(c->event);
  free(c);
}

static tfc_chunk* new_chunk(tfc_gpu* g) {
  enum { BYTES = SLOTS * TFC_MAX_REPORT };
  tfc_chunk* c = calloc(1, sizeof *c);
  if (!c) return NULL;
  if (tfc_cuda.cuMemAlloc_v2(&c->memory, BYTES) ||
      tfc_cuda.cuMemHostAlloc((void**)&c->mirror, BYTES, CU_MEMHOSTALLOC_PORTABLE) ||
      tfc_cuda.cuEventCreate(&c->event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING) ||
      tfc_cuda.cuMemsetD8Async(c->memory, 0, BYTES, g->compute)) {
    free_chunk(c);
    return NULL;
  }
  return c;
}

/* One whose mirror no copy writes to any more. */
static tfc_chunk* take_chunk(tfc_gpu* g) {
  pthread_mutex_lock(&g->lock);
  tfc_chunk** link = &g->chunks;
  while (*link && tfc_cuda.cuEventQuery((*link)->event)) link = &(*link)->next;
  tfc_chunk* c = *link;
  if (c) {
    *link = c->next;
    g->n_chunks--;
  }
  pthread_mutex_unlock(&g->lock);
  if (!c) c = new_chunk(g);
  if (c) {
    c->n = 0;
    c->fetched = false;
  }
  return c;
}

static void push_chunk(tfc_gpu_share* s, tfc_chunk* c) {
  c->next = s->chunks;
  s->chunks = c;
}

/* Where the next report goes: in a recording to the chunk that the graph will keep. */
static tfc_chunk* chunk_with_room(tfc_gpu* g, tfc_gpu_share* s) {
  tfc_chunk** kept = tfc_gpu_recorded_chunk(g);
  if (kept && *kept && (*kept)->n == SLOTS) {
    tfc_gpu_spoil_recording(g);
    kept = NULL;
  }
  tfc_chunk* c = kept ? *kept : s->chunks;
  if (c && c->n < SLOTS && !c->fetched) return c;
  c = take_chunk(g);
  if (!c) return NULL;
  push_chunk(s, c);
  if (kept) *kept = c;
  return c;
}

void* tfc_gpu_report_to(tfc_device* device, tfc_context* pub, size_t bytes, tfc_explain_fn explain,
                        const void* argument, size_t argument_bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_node_context* ctx = (tfc_node_context*)pub;
  tfc_gpu_share* s = tfc_gpu_share_of(g, pub);
  if (!s || tfc_gpu_usable(g, pub)) return NULL;
  if (bytes > TFC_MAX_REPORT || argument_bytes > TFC_MAX_REPORT_ARGUMENT) {
    pub->api->error(pub, TFC_INTERNAL, "a report of %zu bytes with an argument of %zu is too large",
                    bytes, argument_bytes);
    return NULL;
  }
  tfc_gpu_enter(g);
  pthread_mutex_lock(&ctx->step->lock);
  tfc_chunk* c = chunk_with_room(g, s);
  int i = c ? c->n++ : 0;
  pthread_mutex_unlock(&ctx->step->lock);
  if (!c) {
    pub->api->error(pub, TFC_RESOURCE_EXHAUSTED, "OOM when allocating reports on %s", g->pub.name);
    return NULL;
  }
  slot* mine = &c->slots[i];
  mine->node = tfc_gpu_number_of(pub);
  mine->explain = explain;
  memcpy(mine->argument, argument, argument_bytes);
  return (void*)(uintptr_t)(c->memory + (CUdeviceptr)i * TFC_MAX_REPORT);
}

/* Puts copies of all reports into the queue, but for those of a graph, which were copied when it
 * was launched. */
static CUresult fetch_reports(tfc_gpu* g, tfc_gpu_share* s) {
  CUresult r = CUDA_SUCCESS;
  for (tfc_chunk* c = s->chunks; c && !r; c = c->next)
    if (!c->fetched)
      r = tfc_cuda.cuMemcpyDtoHAsync_v2(c->mirror, c->memory, (size_t)c->n * TFC_MAX_REPORT,
                                        g->compute);
  return r;
}

/* Fails the step with the first report of an error, in the order in which they were asked for. */
static void read_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step) {
  char text[1024];
  const slot* failed = NULL;
  int code = TFC_OK;
  for (const tfc_chunk* c = s->chunks; c; c = c->next) /* the newest chunk comes first */
    for (int i = c->n - 1; i >= 0; i--) {
      char found[sizeof text];
      int here = c->slots[i].explain(c->mirror + (size_t)i * TFC_MAX_REPORT, c->slots[i].argument,
                                     found, sizeof found);
      if (!here) continue;
      code = here;
      failed = &c->slots[i];
      memcpy(text, found, sizeof text);
    }
  s->clean = !failed;
  if (failed) g->runtime->steps->fail(step, failed->node, code, text);
}

/* Keeps it for other steps, or frees it. */
static void give_chunk(tfc_gpu* g, tfc_chunk* c) {
  pthread_mutex_lock(&g->lock);
  bool keep = g->n_chunks < KEPT;
  if (keep) {
    c->next = g->chunks;
    g->chunks = c;
    g->n_chunks++;
  }
  pthread_mutex_unlock(&g->lock);
  if (!keep) free_chunk(c); /* after a loop with many reports */
}

CUresult tfc_gpu_clear_chunk(const tfc_chunk* c, CUstream stream) {
  return tfc_cuda.cuMemsetD8Async(c->memory, 0, (size_t)c->n * TFC_MAX_REPORT, stream);
}

static void return_chunks(tfc_gpu* g, tfc_gpu_share* s) {
  tfc_gpu_enter(g);
  for (tfc_chunk *c = s->chunks, *next; c; c = next) {
    next = c->next;
    bool failed = !s->clean && (tfc_gpu_clear_chunk(c, g->compute) ||
                                tfc_cuda.cuEventRecord(c->event, g->compute));
    if (failed) {
      free_chunk(c);
    } else {
      give_chunk(g, c);
    }
  }
  s->chunks = NULL;
}

/* ---- The chunk of a graph */

/* A chunk for what the graph reports in one step, and the copy of that in the queue. */
static tfc_chunk* fetch_from(tfc_gpu* g, const tfc_chunk* kept) {
  tfc_chunk* c = take_chunk(g);
  if (!c) return NULL;
  c->n = kept->n;
  c->fetched = true;
  memcpy(c->slots, kept->slots, (size_t)kept->n * sizeof *kept->slots);
  if (!tfc_cuda.cuMemcpyDtoHAsync_v2(c->mirror, kept->memory, (size_t)kept->n * TFC_MAX_REPORT,
                                     g->compute))
    return c;
  free_chunk(c);
  return NULL;
}

bool tfc_gpu_fetch_graph_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx,
                                 const tfc_chunk* kept) {
  tfc_chunk* c = fetch_from(g, kept);
  if (!c) return false;
  pthread_mutex_lock(&ctx->step->lock);
  push_chunk(s, c);
  pthread_mutex_unlock(&ctx->step->lock);
  return true;
}

bool tfc_gpu_keep_chunk(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx, tfc_chunk* kept) {
  tfc_chunk* c = fetch_from(g, kept);
  if (!c) return false;
  pthread_mutex_lock(&ctx->step->lock);
  tfc_chunk** link = &s->chunks;
  while (*link != kept) link = &(*link)->next;
  c->next = kept->next;
  *link = c;
  pthread_mutex_unlock(&ctx->step->lock);
  return true;
}

void tfc_gpu_drop_chunk(tfc_gpu* g, tfc_chunk* kept) {
  if (tfc_gpu_clear_chunk(kept, g->compute)) {
    free_chunk(kept);
  } else {
    give_chunk(g, kept);
  }
}

/* ---- The end of a step */

/* The node to blame for an error of the device: that of the function which the text names, or of
 * the only launch. Other threads may launch meanwhile: what they have just counted may be missing.
 */
static int culprit(const tfc_gpu_share* s, const char* text) {
  int64_t n = __atomic_load_n(&s->launches, __ATOMIC_RELAXED);
  for (int64_t i = n - 1; i >= 0 && i >= n - LATEST; i--) {
    const tfc_function* f = __atomic_load_n(&s->latest[i % LATEST].function, __ATOMIC_ACQUIRE);
    if (f && strstr(text, f->name)) return s->latest[i % LATEST].node;
  }
  if (s->graph) return tfc_gpu_graph_culprit(s->graph, text);
  return n == 1 && s->latest[0].function ? s->latest[0].node : -1;
}

void tfc_gpu_fail(tfc_gpu* g, tfc_gpu_share* s, int node, int code, const char* text) {
  char more[1400];
  pthread_mutex_lock(&g->lock);
  if (node < 0) node = culprit(s, text);
  snprintf(more, sizeof more, "%s%s", text,
           node < 0 && !g->synchronous ? ". TFCORE_GPU_SYNC=1 finds the operation" : "");
  if (s->step) g->runtime->steps->fail(s->step, node, code, more);
  pthread_mutex_unlock(&g->lock);
}

typedef struct notice {
  tfc_download download; /* must be first */
  tfc_gpu* gpu;
  int refs; /* atomic: who waits, and the device */
  bool done;
} notice;

static void let_go(notice* n) {
  if (!__atomic_sub_fetch(&n->refs, 1, __ATOMIC_ACQ_REL)) free(n);
}

static int notice_done(tfc_download* d, int code, char* text, size_t size) {
  notice* n = (notice*)d;
  (void)code, (void)text, (void)size; /* the event that is waited for has the same error */
  pthread_mutex_lock(&n->gpu->lock);
  n->done = true;
  pthread_cond_broadcast(&n->gpu->idle);
  pthread_mutex_unlock(&n->gpu->lock);
  let_go(n);
  return TFC_OK;
}

static void sleep_a_little(tfc_gpu* g) {
  enum { MS = 10 };
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += MS * 1000000L;
  if (until.tv_nsec >= 1000000000L) until.tv_sec++, until.tv_nsec -= 1000000000L;
  pthread_cond_timedwait(&g->idle, &g->lock, &until);
}

/* Sleeps until the work is done; without memory or a thread it does not, and the caller polls.
 * False: the step must end. */
static bool sleep_until_done(tfc_gpu* g, tfc_step* step) {
  notice* n = calloc(1, sizeof *n);
  if (!n) return !g->runtime->steps->must_end(step);
  *n = (notice){.download = {.done = notice_done}, .gpu = g, .refs = 2};
  if (!tfc_gpu_notify(g, &n->download)) {
    free(n);
    return !g->runtime->steps->must_end(step);
  }
  bool end = false;
  pthread_mutex_lock(&g->lock);
  while (!n->done && !end) {
    sleep_a_little(g);
    pthread_mutex_unlock(&g->lock);
    end = g->runtime->steps->must_end(step);
    pthread_mutex_lock(&g->lock);
  }
  pthread_mutex_unlock(&g->lock);
  let_go(n);
  return !end;
}

/* Waits for the step's downloads, which may go to other tasks. False: the step must end. */
static bool wait_for_downloads(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step) {
  bool end = false;
  pthread_mutex_lock(&g->lock);
  while (s->downloads && !end) {
    sleep_a_little(g);
    pthread_mutex_unlock(&g->lock);
    end = g->runtime->steps->must_end(step);
    pthread_mutex_lock(&g->lock);
  }
  pthread_mutex_unlock(&g->lock);
  return !end;
}

static CUresult wait_for(tfc_gpu* g, tfc_step* step, CUevent event, bool* ended) {
  enum { SPINS = 400 };
  CUresult r = CUDA_ERROR_NOT_READY;
  for (int i = 0; r == CUDA_ERROR_NOT_READY; i++) {
    r = tfc_cuda.cuEventQuery(event);
    if (r != CUDA_ERROR_NOT_READY) return r;
    if (i < SPINS) {
      tfc_pause();
    } else {
      *ended = !sleep_until_done(g, step);
      tfc_gpu_enter(g); /* a signal handler may have run */
      if (*ended) return r;
    }
  }
  return r;
}

void tfc_gpu_finish(tfc_share* share, tfc_step* step) {
  tfc_gpu* g = (tfc_gpu*)share->device;
  tfc_gpu_share* s = (tfc_gpu_share*)share;
  bool ended = false;
  tfc_gpu_enter(g);
  CUevent event = tfc_gpu_event(g);
  CUresult r = event ? fetch_reports(g, s) : CUDA_ERROR_OUT_OF_MEMORY;
  int64_t mark = tfc_gpu_begin_mark(g);
  if (!r) r = tfc_cuda.cuEventRecord(event, g->compute);
  if (!r) r = wait_for(g, step, event, &ended);
  if (event) tfc_gpu_drop_event(g, event);
  if (!r) tfc_gpu_pass_mark(g, mark);
  if (ended || !wait_for_downloads(g, s, step)) return;
  tfc_gpu_enter(g); /* as above */
  if (r) {
    char text[1200];
    int code = tfc_gpu_explain(g, r, "running the step's work", text, sizeof text);
    tfc_gpu_fail(g, s, -1, code, text);
    return;
  }
  read_reports(g, s, step);
  tfc_gpu_collect_timings(g, s, step);
}

void tfc_gpu_leave(tfc_share* share, tfc_step* step) {
  tfc_gpu* g = (tfc_gpu*)share->device;
  tfc_gpu_share* s = (tfc_gpu_share*)share;
  pthread_mutex_lock(&g->lock);
  s->step = NULL;
  tfc_graph* graph = s->graph;
  s->graph = NULL;
  pthread_mutex_unlock(&g->lock);
  if (s->chunks) return_chunks(g, s);
  bool starved = __atomic_load_n(&step->out_of_memory, __ATOMIC_RELAXED);
  if (graph) tfc_gpu_leave_graph(graph, starved);
  tfc_gpu_share_unref(s);
  tfc_gpu_exit();
}
