/* What kernels report while they run on the device: where they write it, and how a step reads it.
 */
#include <stdlib.h>
#include <string.h>

#include "device/cuda/gpu.h"

enum { SLOTS = 64, MAX_UNUSED_CHUNKS = 16 };

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
  tfc_chunk** graph_chunk = tfc_gpu_recorded_chunk(g);
  if (graph_chunk && *graph_chunk && (*graph_chunk)->n == SLOTS) {
    tfc_gpu_break_recording(g);
    graph_chunk = NULL;
  }
  tfc_chunk* c = graph_chunk ? *graph_chunk : s->chunks;
  if (c && c->n < SLOTS && !c->fetched) return c;
  c = take_chunk(g);
  if (!c) return NULL;
  push_chunk(s, c);
  if (graph_chunk) *graph_chunk = c;
  return c;
}

void* tfc_gpu_report_to(tfc_device* device, tfc_context* pub, size_t bytes, tfc_explain_fn explain,
                        const void* argument, size_t argument_bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_node_context* ctx = (tfc_node_context*)pub;
  tfc_gpu_share* s = tfc_gpu_share_of(g, pub);
  if (!s || tfc_gpu_check_usable(g, pub)) return NULL;
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
CUresult tfc_gpu_fetch_reports(tfc_gpu* g, tfc_gpu_share* s) {
  CUresult r = CUDA_SUCCESS;
  for (tfc_chunk* c = s->chunks; c && !r; c = c->next)
    if (!c->fetched)
      r = tfc_cuda.cuMemcpyDtoHAsync_v2(c->mirror, c->memory, (size_t)c->n * TFC_MAX_REPORT,
                                        g->compute);
  return r;
}

void tfc_gpu_read_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step) {
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
  if (failed) tfc_step_fail(step, failed->node, code, text);
}

/* Keeps it for other steps, or frees it. */
static void return_chunk(tfc_gpu* g, tfc_chunk* c) {
  pthread_mutex_lock(&g->lock);
  bool keep = g->n_chunks < MAX_UNUSED_CHUNKS;
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

void tfc_gpu_return_chunks(tfc_gpu* g, tfc_gpu_share* s) {
  tfc_gpu_enter(g);
  for (tfc_chunk *c = s->chunks, *next; c; c = next) {
    next = c->next;
    bool failed = !s->clean && (tfc_gpu_clear_chunk(c, g->compute) ||
                                tfc_cuda.cuEventRecord(c->event, g->compute));
    if (failed) {
      free_chunk(c);
    } else {
      return_chunk(g, c);
    }
  }
  s->chunks = NULL;
}

/* ---- The chunk of a graph */

/* A chunk for what the graph reports in one step. */
static tfc_chunk* copy_of(tfc_gpu* g, const tfc_chunk* graph_chunk) {
  tfc_chunk* c = take_chunk(g);
  if (!c) return NULL;
  c->n = graph_chunk->n;
  c->fetched = true;
  memcpy(c->slots, graph_chunk->slots, (size_t)graph_chunk->n * sizeof *graph_chunk->slots);
  memset(c->mirror, 0,
         (size_t)graph_chunk->n * TFC_MAX_REPORT); /* no reports, if the launch fails */
  return c;
}

static CUresult fetch(tfc_gpu* g, const tfc_chunk* c, const tfc_chunk* graph_chunk) {
  return tfc_cuda.cuMemcpyDtoHAsync_v2(c->mirror, graph_chunk->memory,
                                       (size_t)graph_chunk->n * TFC_MAX_REPORT, g->compute);
}

bool tfc_gpu_prepare_graph_reports(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx,
                                   const tfc_chunk* graph_chunk) {
  tfc_chunk* c = copy_of(g, graph_chunk);
  if (!c) return false;
  pthread_mutex_lock(&ctx->step->lock);
  push_chunk(s, c);
  pthread_mutex_unlock(&ctx->step->lock);
  return true;
}

/* The latest chunk is the one that was prepared. */
CUresult tfc_gpu_fetch_graph_reports(tfc_gpu* g, const tfc_gpu_share* s,
                                     const tfc_chunk* graph_chunk) {
  return fetch(g, s->chunks, graph_chunk);
}

bool tfc_gpu_give_chunk_to_graph(tfc_gpu* g, tfc_gpu_share* s, tfc_node_context* ctx,
                                 tfc_chunk* graph_chunk) {
  tfc_chunk* c = copy_of(g, graph_chunk);
  if (c && fetch(g, c, graph_chunk)) {
    free_chunk(c);
    c = NULL;
  }
  if (!c) return false;
  pthread_mutex_lock(&ctx->step->lock);
  tfc_chunk** link = &s->chunks;
  while (*link != graph_chunk) link = &(*link)->next;
  c->next = graph_chunk->next;
  *link = c;
  pthread_mutex_unlock(&ctx->step->lock);
  return true;
}

void tfc_gpu_return_graph_chunk(tfc_gpu* g, tfc_chunk* graph_chunk) {
  if (tfc_gpu_clear_chunk(graph_chunk, g->compute)) {
    free_chunk(graph_chunk);
  } else {
    return_chunk(g, graph_chunk);
  }
}
