/* Uploads: copies from the host to a GPU.
 *
 * The driver copies asynchronously only from pinned memory. Uploads go through a few pinned stages,
 * so that the source is free when the call returns.
 *
 * Large uploads to memory that no work uses yet have a stream of their own, so that they need not
 * wait for the work in the queue; work that is put into the queue later waits for them. The
 * memory may have belonged to an earlier buffer that work in the queue still uses. So each block
 * has the mark behind that work (tfc_gpu_freed_at), and the upload waits until it has passed. */
#include <string.h>
#include <time.h>

#include "device/cuda/gpu.h"

/* ---- Marks */

int64_t tfc_gpu_begin_mark(tfc_gpu* g) {
  return __atomic_add_fetch(&g->last_mark, 1, __ATOMIC_SEQ_CST);
}

void tfc_gpu_pass_mark(tfc_gpu* g, int64_t mark) {
  int64_t known = __atomic_load_n(&g->passed_mark, __ATOMIC_RELAXED);
  while (known < mark && !__atomic_compare_exchange_n(&g->passed_mark, &known, mark, true,
                                                      __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
  }
}

/* Makes later uploads ahead of the queue wait for this mark, or a later one. */
static CUresult wait_for_mark(tfc_gpu* g, int64_t mark) {
  CUresult r = CUDA_SUCCESS;
  if (mark <= __atomic_load_n(&g->passed_mark, __ATOMIC_ACQUIRE)) return r;
  pthread_mutex_lock(&g->upload_lock);
  if (mark > g->ahead_mark) {
    int64_t made = tfc_gpu_begin_mark(g);
    r = tfc_cuda.cuEventRecord(g->ahead_event, g->compute);
    if (!r) g->ahead_mark = made;
  }
  if (!r) r = tfc_cuda.cuStreamWaitEvent(g->ahead.stream, g->ahead_event, 0);
  pthread_mutex_unlock(&g->upload_lock);
  return r;
}

/* ---- Stages */

CUresult tfc_stage_prepare(tfc_stage* s) {
  if (s->memory) return CUDA_SUCCESS;
  CUresult r = CUDA_SUCCESS;
  if (!s->event)
    r = tfc_cuda.cuEventCreate(&s->event, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING);
  return r ? r : tfc_cuda.cuMemHostAlloc((void**)&s->memory, TFC_STAGE, CU_MEMHOSTALLOC_PORTABLE);
}

/* The current stage, with room for at least a byte. CUDA_ERROR_NOT_READY: all are in use. */
static CUresult stage_with_room(tfc_lane* lane, tfc_stage** out) {
  tfc_stage* s = &lane->stages[lane->stage];
  CUresult r;
  if (s->used == TFC_STAGE && !s->sent) {
    if ((r = tfc_cuda.cuEventRecord(s->event, lane->stream))) return r;
    s->sent = true;
    lane->stage = (lane->stage + 1) % TFC_STAGES;
    s = &lane->stages[lane->stage];
  }
  if (s->sent) {
    if ((r = tfc_cuda.cuEventQuery(s->event))) return r;
    s->sent = false;
    s->used = 0;
  }
  *out = s;
  return tfc_stage_prepare(s);
}

static CUresult upload_piece(tfc_lane* lane, CUdeviceptr to, const char* from, size_t bytes,
                             size_t* done) {
  tfc_stage* s;
  CUresult r = stage_with_room(lane, &s);
  if (r) return r;
  size_t n = TFC_STAGE - s->used < bytes ? TFC_STAGE - s->used : bytes;
  memcpy(s->memory + s->used, from, n);
  r = tfc_cuda.cuMemcpyHtoDAsync_v2(to, s->memory + s->used, n, lane->stream);
  if (r) return r;
  s->used += (n + 63) / 64 * 64;
  if (s->used > TFC_STAGE) s->used = TFC_STAGE;
  *done = n;
  return r;
}

/* ---- Through a lane */

/* Called without a lock, as a signal handler may run. False: the step must end. */
static bool wait_a_little(tfc_context* ctx, int tries) {
  enum { SPINS = 400 };
  static const struct timespec pause = {.tv_nsec = 50000};
  if (tries < SPINS) {
    tfc_pause();
  } else {
    nanosleep(&pause, NULL);
  }
  return !ctx || !tfc_cancelled(ctx);
}

static CUresult upload_pieces(tfc_gpu* g, tfc_lane* lane, tfc_context* ctx, CUdeviceptr to,
                              const char* from, size_t bytes) {
  for (int tries = 0; bytes; tries++) {
    size_t n = 0;
    tfc_gpu_enter(g);
    pthread_mutex_lock(&g->upload_lock);
    CUresult r = upload_piece(lane, to, from, bytes, &n);
    pthread_mutex_unlock(&g->upload_lock);
    if (r && r != CUDA_ERROR_NOT_READY) return r;
    if (n) tries = 0;
    to += n, from += n, bytes -= n;
    if (r && !wait_a_little(ctx, tries)) return r;
  }
  return CUDA_SUCCESS;
}

static tfc_timing* begin_timing(tfc_gpu* g, tfc_context* ctx, CUstream stream, size_t bytes) {
  tfc_gpu_share* s = ctx ? tfc_gpu_share_of(g, ctx) : NULL;
  return s ? tfc_gpu_time(g, s, ctx, stream, "MEMCPYHtoD", (int64_t)bytes) : NULL;
}

/* ctx: NULL outside of a step. CUDA_ERROR_NOT_READY: the step must end. */
static CUresult upload(tfc_gpu* g, tfc_lane* lane, tfc_context* ctx, CUdeviceptr to,
                       const char* from, size_t bytes) {
  tfc_timing* t = begin_timing(g, ctx, lane->stream, bytes);
  CUresult r = upload_pieces(g, lane, ctx, to, from, bytes);
  if (t) tfc_gpu_end_timing(g, tfc_gpu_share_of(g, ctx), t);
  return r;
}

/* ---- Ahead of the queue */

static bool is_pinned(const char* p, size_t bytes) {
  unsigned first = 0, last = 0;
  return !tfc_cuda.cuPointerGetAttribute(&first, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, tfc_gpu_at(p)) &&
         !tfc_cuda.cuPointerGetAttribute(&last, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                         tfc_gpu_at(p + bytes - 1)) &&
         first == CU_MEMORYTYPE_HOST && last == CU_MEMORYTYPE_HOST;
}

/* Without a stage. Waits for the copy, as the caller may change the source afterwards. */
static CUresult upload_pinned(tfc_gpu* g, tfc_context* ctx, CUevent event, CUdeviceptr to,
                              const char* from, size_t bytes) {
  tfc_timing* t = begin_timing(g, ctx, g->ahead.stream, bytes);
  CUresult r = tfc_cuda.cuMemcpyHtoDAsync_v2(to, from, bytes, g->ahead.stream);
  if (t) tfc_gpu_end_timing(g, tfc_gpu_share_of(g, ctx), t);
  if (!r) r = tfc_cuda.cuEventRecord(event, g->ahead.stream);
  for (int tries = 0; !r; tries++) {
    r = tfc_cuda.cuEventQuery(event);
    if (r != CUDA_ERROR_NOT_READY) return r;
    if (!wait_a_little(ctx, tries)) return r;
    r = CUDA_SUCCESS;
  }
  return r;
}

/* The queue waits even for an upload that failed, as its memory may be used again. */
static CUresult upload_ahead(tfc_gpu* g, tfc_context* ctx, const tfc_buffer* to, const char* from,
                             size_t bytes) {
  CUevent event = tfc_gpu_event(g);
  if (!event) return CUDA_ERROR_OUT_OF_MEMORY;
  CUdeviceptr start = tfc_gpu_at(to->data);
  CUresult r = wait_for_mark(g, tfc_gpu_freed_at(to));
  if (!r && tfc_cuda.tfcEmulatedAllow)
    r = tfc_cuda.tfcEmulatedAllow(start, bytes, 1, g->ahead.stream);
  if (!r)
    r = is_pinned(from, bytes) ? upload_pinned(g, ctx, event, start, from, bytes)
                               : upload(g, &g->ahead, ctx, start, from, bytes);
  tfc_gpu_enter(g);
  CUresult after = tfc_cuda.cuEventRecord(event, g->ahead.stream);
  if (!after) after = tfc_cuda.cuStreamWaitEvent(g->compute, event, 0);
  tfc_gpu_drop_event(g, event);
  return r ? r : after;
}

/* Small ones go through the queue: events between streams would take longer than the copy. */
static CUresult upload_to_new(tfc_gpu* g, tfc_context* ctx, const tfc_buffer* to, const void* from,
                              size_t bytes) {
  return bytes < TFC_SMALL_UPLOAD ? upload(g, &g->queued, ctx, tfc_gpu_at(to->data), from, bytes)
                                  : upload_ahead(g, ctx, to, from, bytes);
}

/* ---- For the device */

static int check(tfc_gpu* g, tfc_context* ctx, CUresult r) {
  return r == CUDA_ERROR_NOT_READY ? TFC_CANCELLED : tfc_gpu_check(g, ctx, r, "cuMemcpyHtoDAsync");
}

/* Uploads to memory of the recording, and copies from there, as replays will. */
static int upload_and_record(tfc_gpu* g, tfc_context* ctx, void* to, void* source, const void* from,
                             size_t bytes) {
  int code = check(g, ctx, upload(g, &g->queued, ctx, tfc_gpu_at(source), from, bytes));
  return code ? code : tfc_gpu_copy(&g->pub, ctx, to, source, bytes);
}

int tfc_gpu_upload(tfc_device* device, tfc_context* ctx, void* to, const void* from, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  if (tfc_gpu_check_usable(g, ctx) || !tfc_gpu_share_of(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  void* source = tfc_gpu_recording ? tfc_gpu_upload_source(g, bytes) : NULL;
  if (source) return upload_and_record(g, ctx, to, source, from, bytes);
  return check(g, ctx, upload(g, &g->queued, ctx, tfc_gpu_at(to), from, bytes));
}

int tfc_gpu_upload_to_new(tfc_device* device, tfc_context* ctx, const tfc_buffer* to,
                          const void* from, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  if (tfc_gpu_check_usable(g, ctx) || !tfc_gpu_share_of(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  void* source = tfc_gpu_recording ? tfc_gpu_upload_source(g, bytes) : NULL;
  if (source) return upload_and_record(g, ctx, to->data, source, from, bytes);
  return check(g, ctx, upload_to_new(g, ctx, to, from, bytes));
}

bool tfc_gpu_write(tfc_device* device, tfc_tensor* to, const tfc_tensor* from) {
  tfc_gpu* g = (tfc_gpu*)device;
  size_t bytes = (size_t)from->n * tfc_dtype_size(from->dtype);
  tfc_gpu_break_recording(g);
  tfc_buffer* b = from->dtype == TFC_STRING ? NULL : tfc_gpu_allocate(device, bytes);
  if (!b) return false;
  tfc_gpu_enter(g);
  CUresult r = upload_to_new(g, NULL, b, from->data, bytes);
  tfc_gpu_exit();
  return tfc_gpu_end_copy(to, from, b, r);
}
