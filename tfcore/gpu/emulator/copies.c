/* Copies and fills. */
#include <string.h>

#include "host.h"

#define PIECE (4ull << 20) /* staged at a time */
/* With more than this on its way to devices, a copy waits for its stream first. */
#define MOST_STAGED (64ull << 20)

/* Begins a copy in a stream: locks, finds the stream. On failure it has unlocked. */
static CUresult begin(CUstream handle, stream** s) {
  device* d;
  CUresult r = enter(&d);
  if (!r && (r = stream_find(d, handle, s))) unlock_host(r);
  return r;
}

/* Begins one that is not asynchronous: in the legacy stream, and nothing for a capture. */
static CUresult begin_now(stream** s) {
  CUresult r = begin(NULL, s);
  if (!r && (r = refuse_in_capture())) unlock_host(r);
  return r;
}

static CUresult submit_copy(stream* s, place to, place from, uint64_t count, const void* tail) {
  command c = {.kind = COMMAND_COPY, .copy = {to, from, count}};
  return submit(s, &c, tail, tail ? count : 0);
}

/* Releases the lock until a point is done. */
static CUresult wait_unlocked(const point* p) {
  unlock_host(CUDA_SUCCESS);
  CUresult r = point_wait(p);
  lock_host();
  return r;
}

/* Ends a call with the wait for all that it submitted. */
static CUresult finish(stream* s) {
  point p = stream_end(s);
  unlock_host(CUDA_SUCCESS);
  return point_wait(&p);
}

/* Takes staging memory for a part of a copy. */
static CUresult take_piece(stream* s, uint64_t bytes, uint64_t* at) {
  CUresult r;
  if (emu.staging.used < MOST_STAGED && !(r = staging_take(bytes, at))) return r;
  uint64_t open = s->open;
  point p = stream_end(s);
  if ((r = wait_unlocked(&p))) return r;
  return s->open == open ? staging_take(bytes, at) : CUDA_ERROR_INVALID_HANDLE;
}

/* Copies from pageable memory: the caller may change it as soon as this returns. */
static CUresult stage_in(stream* s, place to, const char* from, size_t count) {
  if (s->capture) return refuse_stream_in_capture(s);
  if (count <= INLINE_BYTES) return submit_copy(s, to, (place){IN_COMMAND, 0}, count, from);
  for (size_t done = 0; done < count; done += PIECE) {
    size_t n = count - done < PIECE ? count - done : PIECE;
    uint64_t at;
    CUresult r = take_piece(s, n, &at);
    if (r) return r;
    memcpy(emu.arena + at, from + done, n);
    place part = {to.device, to.at + done};
    r = submit_copy(s, part, (place){IN_ARENA, at}, n, NULL);
    point p = stream_end(s);
    staging_drop(at, r ? NULL : &p);
    if (r) return r;
  }
  return CUDA_SUCCESS;
}

/* Copies to pageable memory: done when this returns. */
static CUresult stage_out(stream* s, char* to, place from, size_t count) {
  if (s->capture) return refuse_stream_in_capture(s);
  uint64_t open = s->open;
  for (size_t done = 0; done < count; done += PIECE) {
    size_t n = count - done < PIECE ? count - done : PIECE;
    uint64_t at;
    CUresult r = take_piece(s, n, &at);
    if (r) return r;
    place part = {from.device, from.at + done};
    r = submit_copy(s, (place){IN_ARENA, at}, part, n, NULL);
    point p = stream_end(s);
    if (!r) r = wait_unlocked(&p);
    if (!r) memcpy(to + done, emu.arena + at, n);
    staging_drop(at, &p);
    if (r) return r;
    if (s->open != open) return CUDA_ERROR_INVALID_HANDLE;
  }
  return CUDA_SUCCESS;
}

static CUresult copy_in(stream* s, CUdeviceptr to, const void* from, size_t count, bool* pinned) {
  place target, source;
  CUresult r = device_place(to, count, &target);
  if (r || !count) return r;
  host_memory memory = host_place(from, count, &source);
  if (!from || memory == MEMORY_NOT_OF_HOST) return CUDA_ERROR_INVALID_VALUE;
  *pinned = memory == MEMORY_PINNED;
  return *pinned ? submit_copy(s, target, source, count, NULL) : stage_in(s, target, from, count);
}

static CUresult copy_out(stream* s, void* to, CUdeviceptr from, size_t count, bool* pinned) {
  place target, source;
  CUresult r = device_place(from, count, &source);
  if (r || !count) return r;
  host_memory memory = host_place(to, count, &target);
  if (!to || memory == MEMORY_NOT_OF_HOST) return CUDA_ERROR_INVALID_VALUE;
  *pinned = memory == MEMORY_PINNED;
  return *pinned ? submit_copy(s, target, source, count, NULL) : stage_out(s, to, source, count);
}

static CUresult copy_within(stream* s, CUdeviceptr to, CUdeviceptr from, size_t count) {
  place target, source;
  CUresult r = device_place(to, count, &target);
  if (r || (r = device_place(from, count, &source)) || !count) return r;
  return submit_copy(s, target, source, count, NULL);
}

/* ---- The API */

CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void* from, size_t bytes) {
  stream* s;
  bool pinned = false;
  CUresult r = begin_now(&s);
  if (r) return r;
  r = copy_in(s, to, from, bytes, &pinned);
  return !r && pinned ? finish(s) : unlock_host(r); /* staged memory is safe already */
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, size_t bytes) {
  stream* s;
  bool pinned = false;
  CUresult r = begin_now(&s);
  if (r) return r;
  r = copy_out(s, to, from, bytes, &pinned);
  return !r && pinned ? finish(s) : unlock_host(r);
}

CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  stream* s;
  CUresult r = begin_now(&s);
  return r ? r : unlock_host(copy_within(s, to, from, bytes));
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, size_t bytes, CUstream handle) {
  stream* s;
  bool pinned;
  CUresult r = begin(handle, &s);
  return r ? r : unlock_host(copy_in(s, to, from, bytes, &pinned));
}

CUresult cuMemcpyDtoHAsync_v2(void* to, CUdeviceptr from, size_t bytes, CUstream handle) {
  stream* s;
  bool pinned;
  CUresult r = begin(handle, &s);
  return r ? r : unlock_host(copy_out(s, to, from, bytes, &pinned));
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream handle) {
  stream* s;
  CUresult r = begin(handle, &s);
  return r ? r : unlock_host(copy_within(s, to, from, bytes));
}

CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                           CUcontext from_context, size_t bytes, CUstream handle) {
  stream* s;
  place target, source;
  CUresult r = begin(handle, &s);
  if (r) return r;
  device *to_device = context_device(to_context), *from_device = context_device(from_context);
  if (!to_device || !from_device) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if ((r = device_place(to, bytes, &target)) || (r = device_place(from, bytes, &source)))
    return unlock_host(r);
  if (target.device != to_device->index || source.device != from_device->index)
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  return unlock_host(bytes ? submit_copy(s, target, source, bytes, NULL) : CUDA_SUCCESS);
}

static CUresult fill(stream* s, CUdeviceptr to, unsigned value, unsigned width, size_t count) {
  place target;
  if (count > SIZE_MAX / width || to % width) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = device_place(to, count * width, &target);
  if (r || !count) return r;
  if (target.device != s->device->index) return CUDA_ERROR_INVALID_VALUE;
  command c = {.kind = COMMAND_FILL, .fill = {to, count, value, width}};
  return submit(s, &c, NULL, 0);
}

static CUresult fill_now(CUdeviceptr to, unsigned value, unsigned width, size_t count) {
  stream* s;
  CUresult r = begin_now(&s);
  return r ? r : unlock_host(fill(s, to, value, width, count));
}

static CUresult fill_later(CUdeviceptr to, unsigned value, unsigned width, size_t count,
                           CUstream handle) {
  stream* s;
  CUresult r = begin(handle, &s);
  return r ? r : unlock_host(fill(s, to, value, width, count));
}

CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  return fill_now(to, value, 1, count);
}

CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count) {
  return fill_now(to, value, 2, count);
}

CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count) {
  return fill_now(to, value, 4, count);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  return fill_later(to, value, 1, count, stream);
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream) {
  return fill_later(to, value, 2, count, stream);
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream) {
  return fill_later(to, value, 4, count, stream);
}
