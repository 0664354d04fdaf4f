/* When the work of a traced step ran on a GPU: an event before and one behind each launch and copy.
 *
 * Events give times on the device's clock. Its difference from the host's comes from an event in a
 * stream that has nothing else to do. */
#include <stdlib.h>

#include "device/cuda/gpu.h"

enum { MOST_TIMINGS = 10000 }; /* of a step at a GPU */

struct tfc_timing {
  tfc_timing* next;
  CUevent begin, end;
  CUstream stream;
  const char* what;
  int64_t bytes;
  int64_t called; /* ns of the host's clock, before `begin` was put into the queue */
  int64_t start;  /* ns of the host's clock, set when the step ends */
  int node;
};

static void drop(tfc_timing* t) {
  if (t->begin) tfc_cuda.cuEventDestroy_v2(t->begin);
  if (t->end) tfc_cuda.cuEventDestroy_v2(t->end);
  free(t);
}

static bool may_begin(tfc_gpu* g, tfc_gpu_share* s) {
  pthread_mutex_lock(&g->lock);
  bool ok = s->n_timings < MOST_TIMINGS;
  if (ok) s->n_timings++;
  pthread_mutex_unlock(&g->lock);
  return ok;
}

tfc_timing* tfc_gpu_begin_timing(tfc_gpu* g, tfc_gpu_share* s, int node, CUstream stream,
                                 const char* what, int64_t bytes) {
  if (!may_begin(g, s)) return NULL;
  tfc_timing* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->stream = stream;
  t->what = what;
  t->bytes = bytes;
  t->node = node;
  t->called = tfc_now_ns();
  if (!tfc_cuda.cuEventCreate(&t->begin, CU_EVENT_DEFAULT) &&
      !tfc_cuda.cuEventCreate(&t->end, CU_EVENT_DEFAULT) &&
      !tfc_cuda.cuEventRecord(t->begin, stream))
    return t;
  drop(t);
  return NULL;
}

void tfc_gpu_end_timing(tfc_gpu* g, tfc_gpu_share* s, tfc_timing* t) {
  if (tfc_cuda.cuEventRecord(t->end, t->stream)) {
    drop(t);
    return;
  }
  pthread_mutex_lock(&g->lock);
  t->next = s->timings;
  s->timings = t;
  pthread_mutex_unlock(&g->lock);
}

/* Nanoseconds from one event to another, which may be the earlier one. */
static bool elapsed(CUevent from, CUevent to, int64_t* ns) {
  float ms;
  if (tfc_cuda.cuEventSynchronize(to) || tfc_cuda.cuEventElapsedTime(&ms, from, to)) return false;
  *ns = (int64_t)((double)ms * 1e6);
  return true;
}

/* Sets *offset to the host's time of the event `reference`. Of a few events, the one that took the
 * least time tells it best. */
static bool compare_clocks(tfc_gpu* g, CUstream idle, CUevent reference, CUevent event,
                           int64_t* offset) {
  enum { TRIES = 5 };
  int64_t least = INT64_MAX, since;
  for (int i = 0; i < TRIES; i++) {
    int64_t before = tfc_now_ns();
    if (tfc_cuda.cuEventRecord(event, idle) || tfc_cuda.cuStreamSynchronize(idle)) return false;
    int64_t after = tfc_now_ns();
    if (!elapsed(reference, event, &since)) return false;
    if (after - before >= least) continue;
    least = after - before;
    *offset = before + least / 2 - since;
  }
  return true;
}

static bool find_offset(tfc_gpu* g, CUevent reference, int64_t* offset) {
  CUstream idle = NULL;
  CUevent event = NULL;
  bool ok = !tfc_cuda.cuStreamCreate(&idle, CU_STREAM_NON_BLOCKING) &&
            !tfc_cuda.cuEventCreate(&event, CU_EVENT_DEFAULT) &&
            compare_clocks(g, idle, reference, event, offset);
  if (event) tfc_cuda.cuEventDestroy_v2(event);
  if (idle) tfc_cuda.cuStreamDestroy_v2(idle);
  return ok;
}

static void add_span(tfc_observer* o, const tfc_timing* t, int64_t ns) {
  tfc_device_span* span = malloc(sizeof *span);
  if (!span) return;
  *span = (tfc_device_span){.next = o->spans,
                            .what = t->what,
                            .bytes = t->bytes,
                            .start = t->start,
                            .done = t->start + ns,
                            .node = t->node};
  o->spans = span;
}

static tfc_timing* take_all(tfc_gpu* g, tfc_gpu_share* s) {
  pthread_mutex_lock(&g->lock);
  tfc_timing* first = s->timings;
  s->timings = NULL;
  pthread_mutex_unlock(&g->lock);
  return first;
}

static void drop_all(tfc_timing* t) {
  for (tfc_timing* next; t; t = next) {
    next = t->next;
    drop(t);
  }
}

void tfc_gpu_collect_timings(tfc_gpu* g, tfc_gpu_share* s, tfc_step* step) {
  if (!s->traced) return;
  tfc_timing* first = take_all(g, s);
  int64_t offset = 0, ns;
  bool ok = first && find_offset(g, first->begin, &offset);
  for (tfc_timing* t = first; ok && t; t = t->next) {
    if (!elapsed(first->begin, t->begin, &t->start) || !elapsed(t->begin, t->end, &ns)) continue;
    /* The clocks are compared with some error, but nothing begins before it is asked for. */
    t->start += offset;
    if (t->start < t->called) t->start = t->called;
    add_span(step->observer, t, ns);
  }
  drop_all(first);
}

void tfc_gpu_drop_timings(tfc_gpu* g, tfc_gpu_share* s) {
  if (!s->timings) return;
  tfc_gpu_enter(g);
  drop_all(take_all(g, s));
}
