/* Copies from a GPU to the host, within its memory, and between GPUs.
 *
 * The driver copies asynchronously only to pinned memory. Downloads are made by a thread, which
 * waits for them and copies on from a pinned stage to where they belong. */
#include <stdlib.h>
#include <string.h>

#include "device/cuda/gpu.h"

int tfc_gpu_fill(tfc_device* device, tfc_context* ctx, void* to, int byte, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  if (!s || tfc_gpu_check_usable(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  tfc_timing* t = tfc_gpu_time(g, s, ctx, g->compute, "MEMSET", (int64_t)bytes);
  CUresult r = tfc_cuda.cuMemsetD8Async(tfc_gpu_at(to), (unsigned char)byte, bytes, g->compute);
  if (t) tfc_gpu_end_timing(g, s, t);
  if (!r && tfc_gpu_recording) tfc_gpu_note_fill(g, ctx, tfc_gpu_at(to), byte, bytes);
  return tfc_gpu_check(g, ctx, r, "cuMemsetD8Async");
}

int tfc_gpu_copy(tfc_device* device, tfc_context* ctx, void* to, const void* from, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  if (!s || tfc_gpu_check_usable(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  tfc_timing* t = tfc_gpu_time(g, s, ctx, g->compute, "MEMCPYDtoD", (int64_t)bytes);
  CUresult r = tfc_cuda.cuMemcpyDtoDAsync_v2(tfc_gpu_at(to), tfc_gpu_at(from), bytes, g->compute);
  if (t) tfc_gpu_end_timing(g, s, t);
  if (!r && tfc_gpu_recording) tfc_gpu_note_copy(g, ctx, tfc_gpu_at(to), tfc_gpu_at(from), bytes);
  return tfc_gpu_check(g, ctx, r, "cuMemcpyDtoDAsync");
}

/* ---- Events, which are made once and used again */

CUevent tfc_gpu_event(tfc_gpu* g) {
  CUevent event = NULL;
  pthread_mutex_lock(&g->lock);
  if (g->n_events) event = g->events[--g->n_events];
  pthread_mutex_unlock(&g->lock);
  if (!event && tfc_cuda.cuEventCreate(&event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
    return NULL;
  return event;
}

void tfc_gpu_drop_event(tfc_gpu* g, CUevent event) {
  pthread_mutex_lock(&g->lock);
  bool keep = g->n_events < TFC_GPU_EVENTS;
  if (keep) g->events[g->n_events++] = event;
  pthread_mutex_unlock(&g->lock);
  if (!keep) tfc_cuda.cuEventDestroy_v2(event);
}

/* ---- From another GPU */

static CUresult record(tfc_gpu* g, CUevent event) {
  tfc_gpu_enter(g);
  return tfc_cuda.cuEventRecord(event, g->compute);
}

/* The other GPU's queue waits for the copy, as its memory may be released and used again then. */
static CUresult copy_between(tfc_gpu* g, tfc_gpu* other, tfc_context* ctx, CUevent before,
                             CUevent after, CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  CUresult r = record(other, before);
  tfc_gpu_enter(g);
  if (!r) r = tfc_cuda.cuStreamWaitEvent(g->compute, before, 0);
  tfc_timing* t = tfc_gpu_time(g, s, ctx, g->compute, "MEMCPYPtoP", (int64_t)bytes);
  if (!r) r = tfc_cuda.cuMemcpyPeerAsync(to, g->context, from, other->context, bytes, g->compute);
  if (t) tfc_gpu_end_timing(g, s, t);
  if (!r) r = tfc_cuda.cuEventRecord(after, g->compute);
  tfc_gpu_enter(other);
  if (!r) r = tfc_cuda.cuStreamWaitEvent(other->compute, after, 0);
  return r;
}

int tfc_gpu_copy_from_peer(tfc_device* device, tfc_context* ctx, void* to, const tfc_tensor* from) {
  tfc_gpu *g = (tfc_gpu*)device, *other = (tfc_gpu*)from->buffer->device;
  size_t bytes = (size_t)from->n * tfc_dtype_size(from->dtype);
  if (tfc_gpu_check_usable(g, ctx) || tfc_gpu_check_usable(other, ctx) || !tfc_gpu_share_of(g, ctx))
    return TFC_UNAVAILABLE;
  tfc_gpu_break_recording(g);
  if (!bytes) return TFC_OK;
  tfc_gpu_enter(other);
  CUevent before = tfc_gpu_event(other);
  tfc_gpu_enter(g);
  CUevent after = tfc_gpu_event(g);
  CUresult r = before && after ? copy_between(g, other, ctx, before, after, tfc_gpu_at(to),
                                              tfc_gpu_at(from->data), bytes)
                               : CUDA_ERROR_OUT_OF_MEMORY;
  if (before) tfc_gpu_drop_event(other, before);
  if (after) tfc_gpu_drop_event(g, after);
  return tfc_gpu_check(g, ctx, r, "cuMemcpyPeerAsync");
}

/* ---- Downloads */

static CUresult land(tfc_gpu* g, tfc_stage* s, const char* from, size_t bytes) {
  CUresult r = tfc_stage_prepare(s);
  s->used = bytes;
  if (!r) r = tfc_cuda.cuMemcpyDtoHAsync_v2(s->memory, tfc_gpu_at(from), bytes, g->down);
  return r ? r : tfc_cuda.cuEventRecord(s->event, g->down);
}

/* Two stages take turns: one is filled while the other is emptied. */
static CUresult bring(tfc_gpu* g, tfc_download* d) {
  CUresult r = tfc_cuda.cuStreamWaitEvent(g->down, d->ready, 0);
  if (!d->to.buffer) return r ? r : tfc_cuda.cuEventSynchronize(d->ready);
  size_t left = (size_t)d->from.n * tfc_dtype_size(d->from.dtype);
  const char* from = d->from.data;
  char* to = d->to.data;
  size_t ahead = left < TFC_STAGE ? left : TFC_STAGE;
  tfc_gpu_share* s = d->work;
  tfc_timing* t = s && s->traced && left
                      ? tfc_gpu_begin_timing(g, s, d->node, g->down, "MEMCPYDtoH", (int64_t)left)
                      : NULL;
  if (!r && left) r = land(g, &g->landing[0], from, ahead);
  for (int i = 0; !r && left; i = !i) {
    tfc_stage* stage = &g->landing[i];
    size_t n = stage->used, following = left - n < TFC_STAGE ? left - n : TFC_STAGE;
    if (following) r = land(g, &g->landing[!i], from + n, following);
    if (!r) r = tfc_cuda.cuEventSynchronize(stage->event);
    if (r) break;
    memcpy(to, stage->memory, n);
    from += n, to += n, left -= n;
  }
  if (t) tfc_gpu_end_timing(g, s, t);
  return r ? r : tfc_cuda.cuEventSynchronize(d->ready);
}

static void bring_and_tell(tfc_gpu* g, tfc_download* d) {
  tfc_gpu_share* s = d->work;
  CUevent ready = d->ready;
  char text[1200] = "";
  CUresult r = bring(g, d);
  int code = r ? tfc_gpu_explain(g, r, "copying to the host", text, sizeof text) : TFC_OK;
  tfc_tensor_clear(&d->from);
  tfc_gpu_drop_event(g, ready);
  int node = d->node;
  if (code && s) tfc_gpu_fail(g, s, -1, code, text);
  int later = d->done(d, code, text, sizeof text);
  if (!s) return;
  if (!code && later) tfc_gpu_fail(g, s, node, later, text);
  pthread_mutex_lock(&g->lock);
  s->downloads--;
  pthread_cond_broadcast(&g->idle);
  pthread_mutex_unlock(&g->lock);
  tfc_gpu_share_unref(s);
}

static void run_thread(void* p) {
  tfc_gpu* g = p;
  for (;;) {
    pthread_mutex_lock(&g->lock);
    while (!g->first) pthread_cond_wait(&g->wake, &g->lock);
    tfc_download* d = g->first;
    g->first = d->next;
    if (!d->next) g->last = NULL;
    pthread_mutex_unlock(&g->lock);
    tfc_gpu_enter(g);
    bring_and_tell(g, d);
  }
}

bool tfc_gpu_queue_download(tfc_gpu* g, tfc_download* d) {
  tfc_gpu_enter(g);
  CUevent ready = tfc_gpu_event(g);
  if (!ready) return false;
  d->ready = ready;
  d->next = NULL;
  if (tfc_cuda.cuEventRecord(ready, g->compute)) {
    tfc_gpu_drop_event(g, ready);
    return false;
  }
  pthread_mutex_lock(&g->lock);
  if (!g->has_thread) g->has_thread = tfc_spawn(run_thread, g);
  bool ok = g->has_thread;
  if (ok) {
    if (g->last) {
      g->last->next = d;
    } else {
      g->first = d;
    }
    g->last = d;
    if (d->work) ((tfc_gpu_share*)d->work)->downloads++;
    pthread_cond_signal(&g->wake);
  }
  pthread_mutex_unlock(&g->lock);
  if (!ok) tfc_gpu_drop_event(g, ready);
  return ok;
}

int tfc_gpu_download(tfc_device* device, tfc_context* ctx, tfc_download* d) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  if (!s || tfc_gpu_check_usable(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_break_recording(g);
  d->work = s;
  d->node = tfc_gpu_number_of(ctx);
  __atomic_add_fetch(&s->refs, 1, __ATOMIC_RELAXED);
  if (tfc_gpu_queue_download(g, d)) return TFC_OK;
  tfc_gpu_share_unref(s);
  CUresult r = tfc_cuda.cuStreamQuery(g->compute); /* it may be lost */
  if (r && r != CUDA_ERROR_NOT_READY) return tfc_gpu_check(g, ctx, r, "copying to the host");
  return ctx->api->error(ctx, TFC_RESOURCE_EXHAUSTED, "%s can't copy to the host", g->pub.name);
}

typedef struct reading {
  tfc_download download; /* must be first */
  tfc_gpu* gpu;
  bool done, failed; /* under the GPU's lock */
} reading;

static int read_done(tfc_download* d, int code, char* text, size_t size) {
  reading* r = (reading*)d;
  (void)text, (void)size;
  pthread_mutex_lock(&r->gpu->lock);
  r->done = true;
  r->failed = code != TFC_OK;
  pthread_cond_broadcast(&r->gpu->idle);
  pthread_mutex_unlock(&r->gpu->lock);
  return TFC_OK;
}

bool tfc_gpu_read(tfc_device* device, tfc_tensor* to, const tfc_tensor* from) {
  tfc_gpu* g = (tfc_gpu*)device;
  reading r = {.download = {.from = *from, .to = {.dtype = from->dtype}, .done = read_done},
               .gpu = g};
  if (!tfc_tensor_new(&r.download.to, from->rank, from->dims)) return false;
  tfc_buffer_ref(from->buffer);
  if (!tfc_gpu_queue_download(g, &r.download)) {
    tfc_tensor_clear(&r.download.from);
    tfc_tensor_clear(&r.download.to);
    return false;
  }
  tfc_gpu_exit();
  pthread_mutex_lock(&g->lock);
  while (!r.done) pthread_cond_wait(&g->idle, &g->lock);
  pthread_mutex_unlock(&g->lock);
  if (r.failed) tfc_tensor_clear(&r.download.to);
  *to = r.download.to;
  return !r.failed;
}

bool tfc_gpu_clone(tfc_device* device, tfc_tensor* to, const tfc_tensor* from) {
  tfc_gpu* g = (tfc_gpu*)device;
  size_t bytes = (size_t)from->n * tfc_dtype_size(from->dtype);
  tfc_gpu_break_recording(g);
  tfc_buffer* b = tfc_gpu_allocate(device, bytes);
  if (!b) return false;
  tfc_gpu_enter(g);
  CUresult r = bytes ? tfc_cuda.cuMemcpyDtoDAsync_v2(tfc_gpu_at(b->data), tfc_gpu_at(from->data),
                                                     bytes, g->compute)
                     : CUDA_SUCCESS;
  if (!r) r = tfc_cuda.cuStreamSynchronize(g->compute);
  tfc_gpu_exit();
  return tfc_gpu_end_copy(to, from, b, r);
}
