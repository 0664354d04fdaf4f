/* Steps at a GPU: what each has there, its errors, and its end. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "device/cuda/gpu.h"

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

void tfc_gpu_fail(tfc_gpu* g, tfc_gpu_share* s, int node, int code, const char* text) {
  char more[1400];
  pthread_mutex_lock(&g->lock);
  if (node < 0) node = tfc_gpu_culprit(s, text);
  snprintf(more, sizeof more, "%s%s", text,
           node < 0 && !g->synchronous ? ". TFCORE_GPU_SYNC=1 finds the operation" : "");
  if (s->step) tfc_step_fail(s->step, node, code, more);
  pthread_mutex_unlock(&g->lock);
}

/* ---- The end of a step */

typedef struct notice {
  tfc_download download; /* must be first */
  tfc_gpu* gpu;
  int refs; /* atomic: of the waiting thread and of the device */
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
  if (!n) return !tfc_step_must_end(step);
  *n = (notice){.download = {.done = notice_done}, .gpu = g, .refs = 2};
  if (!tfc_gpu_queue_download(g, &n->download)) {
    free(n);
    return !tfc_step_must_end(step);
  }
  bool end = false;
  pthread_mutex_lock(&g->lock);
  while (!n->done && !end) {
    sleep_a_little(g);
    pthread_mutex_unlock(&g->lock);
    end = tfc_step_must_end(step);
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
    end = tfc_step_must_end(step);
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
      /* A signal handler may have run while this thread waited, and have left the context. */
      tfc_gpu_enter(g);
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
  CUresult r = event ? tfc_gpu_fetch_reports(g, s) : CUDA_ERROR_OUT_OF_MEMORY;
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
  tfc_gpu_read_reports(g, s, step);
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
  if (s->chunks) tfc_gpu_return_chunks(g, s);
  bool starved = __atomic_load_n(&step->out_of_memory, __ATOMIC_RELAXED);
  if (graph) tfc_gpu_release_graph(graph, starved);
  tfc_gpu_share_unref(s);
  tfc_gpu_exit();
}
