/* Commands into rings, and waiting for them. */
#include <string.h>

#include "host.h"

CUresult stream_find(const context* c, CUstream handle, stream** s) {
  if (!handle || handle == CU_STREAM_LEGACY) {
    *s = &c->device->streams[0];
    return CUDA_SUCCESS;
  }
  if (handle == CU_STREAM_PER_THREAD) return CUDA_ERROR_NOT_SUPPORTED;
  *s = handle_find(OF_STREAM, handle);
  return *s && (*s)->context == c ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static stream_ring* ring_of(const stream* s) {
  return &s->device->channel->streams[s->index];
}

/* ---- Waiting */

point stream_end(stream* s) {
  return (point){s->device, s->index, ring_of(s)->submitted, LOAD(&s->device->epoch)};
}

bool point_done(const point* p) {
  return LOAD(&p->device->epoch) != p->epoch ||
         LOAD(&p->device->channel->streams[p->stream].completed) >= p->sequence;
}

/* Whether `done` says so of an argument, or why it never will be. A command that fails is also
 * completed, and a reset completes everything and clears the status: hence this order. */
static CUresult result_of(const device* d, uint64_t epoch, bool (*done)(const void*),
                          const void* arg) {
  CUresult r = done(arg) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
  CUresult status = device_status(d);
  if (LOAD(&d->epoch) != epoch) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return status ? status : r;
}

/* Waits until `done` says so of an argument, or the device fails or is reset. */
static CUresult wait_until(device* d, uint64_t epoch, bool (*done)(const void*), const void* arg) {
  channel* c = d->channel;
  CUresult r;
  ADD(&c->waiters, 1);
  urge(c);
  for (;;) {
    uint32_t seen = LOAD(&c->progress);
    if ((r = result_of(d, epoch, done, arg)) != CUDA_ERROR_NOT_READY) break;
    futex_wait(&c->progress, seen, 100 * TICK_NS);
  }
  ADD(&c->waiters, -1);
  return r;
}

static bool done_point(const void* arg) {
  return point_done(arg);
}

CUresult point_query(const point* p) {
  return result_of(p->device, p->epoch, done_point, p);
}

CUresult point_wait(const point* p) {
  return wait_until(p->device, p->epoch, done_point, p);
}

CUresult device_wait(device* d) {
  for (uint32_t i = 0; i < MAX_STREAMS; i++) {
    lock_host();
    point p = stream_end(&d->streams[i]);
    unlock_host(CUDA_SUCCESS);
    CUresult r = point_query(&p);
    if (r == CUDA_ERROR_NOT_READY) r = point_wait(&p);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

void machine_wait(void) {
  for (int i = 0; i < emu.count; i++)
    if (!device_status(&emu.devices[i])) device_wait(&emu.devices[i]);
}

/* ---- Submitting */

typedef struct {
  const stream_ring* ring;
  uint64_t needed;
} room;

static bool has_room(const void* arg) {
  const room* want = arg;
  return RING_BYTES - (LOAD(&want->ring->written) - LOAD(&want->ring->read)) >= want->needed;
}

/* Waits for room in the ring; the lock is released meanwhile. */
static CUresult make_room(stream* s, uint64_t bytes) {
  stream_ring* r = ring_of(s);
  for (;;) {
    room want = {r, bytes + ring_pad(r->written, bytes)};
    if (has_room(&want)) return CUDA_SUCCESS;
    uint64_t open = s->open, epoch = LOAD(&s->device->epoch);
    unlock_host(CUDA_SUCCESS);
    CUresult result = wait_until(s->device, epoch, has_room, &want);
    lock_host();
    if (result) return result;
    if (s->open != open) return CUDA_ERROR_INVALID_HANDLE;
  }
}

static CUresult append(stream* s, command* c, const void* tail, size_t tail_bytes) {
  c->bytes = round_up(sizeof *c + tail_bytes, RECORD_ALIGN);
  CUresult result = make_room(s, c->bytes);
  if (result) return result;
  stream_ring* r = ring_of(s);
  uint64_t position = r->written, pad = ring_pad(position, c->bytes);
  if (pad) {
    command* filler = (command*)(r->ring + position % RING_BYTES);
    filler->kind = COMMAND_PAD;
    filler->bytes = pad;
    position += pad;
  }
  char* at = r->ring + position % RING_BYTES;
  memcpy(at, c, sizeof *c);
  if (tail_bytes) memcpy(at + sizeof *c, tail, tail_bytes);
  r->submitted++;
  STORE(&r->written, position + c->bytes);
  if (r->written - LOAD(&r->read) > RING_BYTES / 2)
    urge(s->device->channel);
  else
    ring_doorbell(s->device->channel);
  return CUDA_SUCCESS;
}

static CUresult append_wait(stream* s, const point* p) {
  command c = {.kind = COMMAND_WAIT, .wait = {p->device->index, p->stream, p->sequence}};
  return append(s, &c, NULL, 0);
}

/* The legacy default stream and the blocking streams wait for each other. */
static CUresult keep_legacy_order(stream* s) {
  device* d = s->device;
  if (s->index) {
    point p = stream_end(&d->streams[0]);
    bool waits = s->legacy.device && s->legacy.epoch == p.epoch && s->legacy.sequence == p.sequence;
    if (!s->blocking || waits || point_done(&p)) return CUDA_SUCCESS;
    CUresult r = append_wait(s, &p);
    if (!r) s->legacy = p;
    return r;
  }
  for (uint32_t i = 1; i < MAX_STREAMS; i++) {
    if (!d->streams[i].open || !d->streams[i].blocking) continue;
    if (d->streams[i].capture) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    point p = stream_end(&d->streams[i]);
    CUresult r = point_done(&p) ? CUDA_SUCCESS : append_wait(s, &p);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

CUresult submit(stream* s, command* c, const void* tail, size_t tail_bytes) {
  if (s->capture) return capture_command(s, c, tail, tail_bytes);
  CUresult r = device_status(s->device);
  if (r || (r = keep_legacy_order(s))) return r;
  return append(s, c, tail, tail_bytes);
}

CUresult submit_wait(stream* s, const point* p) {
  if (point_done(p) || (p->device == s->device && p->stream == s->index)) return CUDA_SUCCESS;
  CUresult r = keep_legacy_order(s);
  return r ? r : append_wait(s, p);
}
