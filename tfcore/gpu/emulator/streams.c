/* Streams, events, and host functions in streams. */
#include <stdlib.h>

#include "host.h"

/* ---- Streams */

static stream* free_stream(device* d) {
  for (uint32_t i = 1; i < MAX_STREAMS; i++) {
    point p = stream_end(&d->streams[i]);
    if (!d->streams[i].open && point_done(&p)) return &d->streams[i];
  }
  return NULL;
}

CUresult cuStreamCreate(CUstream* result, unsigned flags) {
  static uint64_t opened;
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if (!result || flags & ~CU_STREAM_NON_BLOCKING) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  stream* s = free_stream(c->device);
  void* handle = s ? handle_new(OF_STREAM, s, c) : NULL;
  if (!handle) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  s->context = c;
  s->open = ++opened;
  s->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  s->handle = handle;
  channel* shared = c->device->channel;
  if (s->index >= shared->stream_limit) STORE(&shared->stream_limit, s->index + 1);
  *result = handle;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuStreamCreateWithPriority(CUstream* result, unsigned flags, int priority) {
  (void)priority; /* only advice, also in CUDA */
  return cuStreamCreate(result, flags);
}

void stream_close(stream* s) {
  if (s->capture) capture_abandon(s->capture);
  handle_drop(s->handle);
  s->handle = NULL;
  s->context = NULL;
  s->open = 0;
  s->legacy.device = NULL;
}

/* What the stream still has to do is done all the same. */
CUresult cuStreamDestroy_v2(CUstream handle) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  stream* s = handle_find(OF_STREAM, handle);
  if (!s) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  stream_close(s);
  return unlock_host(CUDA_SUCCESS);
}

/* Begins a call about the work of a stream: locks. On failure it has unlocked. */
static CUresult begin(CUstream handle, stream** s) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if (!(r = stream_find(c, handle, s))) r = refuse_stream_in_capture(*s);
  return r ? unlock_host(r) : r;
}

/* Asks about a point. Two questions without an answer end the device's laziness: somebody polls. */
static CUresult query(const point* p) {
  CUresult r = point_query(p);
  channel* c = p->device->channel;
  if (r == CUDA_ERROR_NOT_READY && ADD(&c->queries, 1) % 2 == 0) urge(c);
  return r;
}

CUresult cuStreamQuery(CUstream handle) {
  stream* s;
  CUresult r = begin(handle, &s);
  if (r) return r;
  point p = stream_end(s);
  return unlock_host(query(&p));
}

CUresult cuStreamSynchronize(CUstream handle) {
  stream* s;
  CUresult r = begin(handle, &s);
  if (r) return r;
  if (!s->index) { /* the legacy stream waits for all blocking ones */
    command c = {.kind = COMMAND_NOTHING};
    if ((r = submit(s, &c, NULL, 0))) return unlock_host(r);
  }
  point p = stream_end(s);
  unlock_host(CUDA_SUCCESS);
  return point_wait(&p);
}

/* ---- Events */

/* Indices of times, each with the point after which nothing writes it any more. */
static struct {
  uint32_t time;
  point after;
} free_times[MAX_EVENTS];
static uint32_t first_free, free_count, times_used;

static bool take_time(uint32_t* time) {
  if (free_count && point_done(&free_times[first_free].after)) {
    *time = free_times[first_free].time;
    first_free = (first_free + 1) % MAX_EVENTS;
    free_count--;
    return true;
  }
  if (times_used == MAX_EVENTS) return false;
  *time = times_used++;
  return true;
}

void event_release(event* e) {
  free(e->tips);
  if (!e->timed) return;
  uint32_t last = (first_free + free_count++) % MAX_EVENTS;
  free_times[last].time = e->time;
  free_times[last].after = e->at.device ? e->at : stream_end(&e->context->device->streams[0]);
}

CUresult cuEventCreate(CUevent* result, unsigned flags) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if (!result || flags & ~(CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING))
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  event* e = calloc(1, sizeof *e);
  if (!e) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  e->context = c;
  e->timed = !(flags & CU_EVENT_DISABLE_TIMING) && take_time(&e->time);
  void* handle = e->timed || flags & CU_EVENT_DISABLE_TIMING ? handle_new(OF_EVENT, e, c) : NULL;
  if (!handle) {
    event_release(e);
    free(e);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  *result = handle;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuEventDestroy_v2(CUevent handle) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  event* e = handle_find(OF_EVENT, handle);
  if (!e) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  event_release(e);
  handle_drop(handle);
  free(e);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuEventRecord(CUevent handle, CUstream stream_handle) {
  context* c;
  stream* s;
  CUresult r = enter(&c);
  if (r) return r;
  event* e = handle_find(OF_EVENT, handle);
  if ((r = stream_find(c, stream_handle, &s))) return unlock_host(r);
  if (!e || e->context != c) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if (s->capture) return unlock_host(capture_record(s, e));
  command record = {.kind = COMMAND_NOTHING};
  if (e->timed) record = (command){.kind = COMMAND_RECORD, .event = e->time};
  if ((r = submit(s, &record, NULL, 0))) return unlock_host(r);
  if (handle_find(OF_EVENT, handle) != e) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  e->capture = 0;
  e->at = stream_end(s);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuStreamWaitEvent(CUstream stream_handle, CUevent handle, unsigned flags) {
  context* c;
  stream* s;
  CUresult r = enter(&c);
  if (r) return r;
  event* e = handle_find(OF_EVENT, handle);
  if ((r = stream_find(c, stream_handle, &s))) return unlock_host(r);
  if (!e) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if (flags) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (s->capture || e->capture) return unlock_host(capture_wait(s, e));
  if (!e->at.device) return unlock_host(CUDA_SUCCESS);
  point p = e->at;
  return unlock_host(submit_wait(s, &p));
}

/* Begins a call that asks about an event: locks. On failure it has unlocked. */
static CUresult begin_event(CUevent handle, event** e) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  *e = handle_find(OF_EVENT, handle);
  if (!*e) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if ((*e)->capture) return unlock_host(CUDA_ERROR_CAPTURED_EVENT);
  return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent handle) {
  event* e;
  CUresult r = begin_event(handle, &e);
  if (r) return r;
  return unlock_host(e->at.device ? query(&e->at) : device_status(e->context->device));
}

CUresult cuEventSynchronize(CUevent handle) {
  event* e;
  CUresult r = begin_event(handle, &e);
  if (r) return r;
  point p = e->at;
  unlock_host(CUDA_SUCCESS);
  return p.device ? point_wait(&p) : CUDA_SUCCESS;
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start, CUevent end) {
  event *first, *last;
  CUresult r = begin_event(start, &first);
  if (r) return r;
  last = handle_find(OF_EVENT, end);
  if (!milliseconds) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!last || last->capture) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if (!first->timed || !last->timed || !first->at.device || !last->at.device)
    return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  if ((r = query(&first->at)) || (r = query(&last->at))) return unlock_host(r);
  const int64_t* times = emu.shared->event_times;
  *milliseconds = (LOAD(&times[last->time]) - LOAD(&times[first->time])) / 1e6;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuEventElapsedTime_v2(float* milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime(milliseconds, start, end);
}

/* ---- Host functions: a thread calls them, one at a time for each device */

static CUresult submit_call(CUstream handle, uint64_t function, void* argument, bool is_callback) {
  context* c;
  stream* s;
  if (!function) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = stream_find(c, handle, &s))) return unlock_host(r);
  if (is_callback && (r = refuse_stream_in_capture(s))) return unlock_host(r);
  command call = {.kind = COMMAND_CALL,
                  .call = {function, (uint64_t)argument, (uint64_t)handle, is_callback}};
  return unlock_host(submit(s, &call, NULL, 0));
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* argument) {
  return submit_call(stream, (uint64_t)function, argument, false);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback function, void* argument,
                             unsigned flags) {
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  return submit_call(stream, (uint64_t)function, argument, true);
}
