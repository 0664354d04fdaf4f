/* Copies and fills. */
#include <string.h>

#include "host.h"

#define PIECE (4ull << 20) /* staged at a time */
/* With more than this on its way to devices, a copy waits for its stream first. */
#define MOST_STAGED (64ull << 20)

/* Begins a copy in a stream: locks, finds the stream. On failure it has unlocked. */
static CUresult begin(CUstream handle, stream** s) {
  context* c;
  CUresult r = enter(&c);
  if (!r && (r = stream_find(c, handle, s))) unlock_host(r);
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
  const context *to_owner = context_find(to_context), *from_owner = context_find(from_context);
  if (!to_owner || !from_owner) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if ((r = device_place(to, bytes, &target)) || (r = device_place(from, bytes, &source)))
    return unlock_host(r);
  if (target.device != to_owner->device->index || source.device != from_owner->device->index)
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  return unlock_host(bytes ? submit_copy(s, target, source, bytes, NULL) : CUDA_SUCCESS);
}

CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                      CUcontext from_context, size_t bytes) {
  stream* s;
  CUresult r = begin_now(&s);
  if (r) return r;
  unlock_host(CUDA_SUCCESS);
  r = cuMemcpyPeerAsync(to, to_context, from, from_context, bytes, NULL);
  if (r) return r;
  return cuStreamSynchronize(NULL);
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

/* ---- Copies and fills of two and of three dimensions: row by row */

/* One end of a copy, and which of its bytes come first. */
typedef struct {
  char* start;
  size_t pitch, height;
  bool is_device;
} rows;

typedef struct {
  rows from, to;
  size_t width, height, depth;
} box;

static CUresult find_rows(const tfc_end_3d* e, rows* found) {
  place p;
  CUdeviceptr device = e->device;
  switch (e->type) {
    case CU_MEMORYTYPE_HOST: device = 0; break;
    case CU_MEMORYTYPE_DEVICE: break;
    case CU_MEMORYTYPE_UNIFIED:
      if (device_place(device, 1, &p)) device = 0;
      break;
    case CU_MEMORYTYPE_ARRAY: return CUDA_ERROR_NOT_SUPPORTED;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  if (e->level) return CUDA_ERROR_INVALID_VALUE;
  char* base = device || e->type == CU_MEMORYTYPE_UNIFIED ? (char*)e->device : e->host;
  *found =
      (rows){base + (e->z * e->height + e->y) * e->pitch + e->x, e->pitch, e->height, device != 0};
  return CUDA_SUCCESS;
}

/* Whether all rows of one end are what they must be. */
static CUresult check_rows(const rows* e, const box* b) {
  place p;
  if (b->height > 1 && e->pitch < b->width) return CUDA_ERROR_INVALID_VALUE;
  if (b->depth > 1 && e->height < b->height) return CUDA_ERROR_INVALID_VALUE;
  size_t last = (b->depth - 1) * e->height + b->height - 1;
  if (!e->is_device) return e->start ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return device_place((CUdeviceptr)e->start, last * e->pitch + b->width, &p);
}

static char* row_at(const rows* e, size_t y, size_t z) {
  return e->start + (z * e->height + y) * e->pitch;
}

static CUresult copy_row(stream* s, const box* b, size_t y, size_t z) {
  bool pinned;
  char *to = row_at(&b->to, y, z), *from = row_at(&b->from, y, z);
  if (b->to.is_device && b->from.is_device)
    return copy_within(s, (CUdeviceptr)to, (CUdeviceptr)from, b->width);
  if (b->to.is_device) return copy_in(s, (CUdeviceptr)to, from, b->width, &pinned);
  if (b->from.is_device) return copy_out(s, to, (CUdeviceptr)from, b->width, &pinned);
  return CUDA_ERROR_NOT_SUPPORTED; /* between two places of the host */
}

static CUresult copy_box(stream* s, const CUDA_MEMCPY3D* copy) {
  box b = {.width = copy->width, .height = copy->height, .depth = copy->depth};
  CUresult r = find_rows(&copy->from, &b.from);
  if (r || (r = find_rows(&copy->to, &b.to)) || !b.width || !b.height || !b.depth) return r;
  if ((r = check_rows(&b.from, &b)) || (r = check_rows(&b.to, &b))) return r;
  uint64_t open = s->open;
  for (size_t z = 0; z < b.depth && !r; z++)
    for (size_t y = 0; y < b.height && !r; y++) {
      r = copy_row(s, &b, y, z);
      if (!r && s->open != open) r = CUDA_ERROR_INVALID_HANDLE;
    }
  return r;
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D* copy, CUstream handle) {
  stream* s;
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin(handle, &s);
  return r ? r : unlock_host(copy_box(s, copy));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D* copy) {
  stream* s;
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin_now(&s);
  if (r) return r;
  r = copy_box(s, copy);
  return r ? unlock_host(r) : finish(s);
}

/* Addresses say which device it is; so the contexts of the ends need only exist. */
static CUresult check_peers(const CUDA_MEMCPY3D* copy) {
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter_any();
  if (r) return r;
  bool known = context_find(copy->from.context) && context_find(copy->to.context);
  return unlock_host(known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D* copy) {
  CUresult r = check_peers(copy);
  return r ? r : cuMemcpy3D_v2(copy);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  CUresult r = check_peers(copy);
  return r ? r : cuMemcpy3DAsync_v2(copy, stream);
}

static tfc_end_3d end_of(const tfc_end_2d* e) {
  return (tfc_end_3d){.x = e->x,
                      .y = e->y,
                      .type = e->type,
                      .host = e->host,
                      .device = e->device,
                      .array = e->array,
                      .pitch = e->pitch};
}

static CUDA_MEMCPY3D flat(const CUDA_MEMCPY2D* copy) {
  return (CUDA_MEMCPY3D){end_of(&copy->from), end_of(&copy->to), copy->width, copy->height, 1};
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D* copy, CUstream stream) {
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D whole = flat(copy);
  return cuMemcpy3DAsync_v2(&whole, stream);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D* copy) {
  if (!copy) return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D whole = flat(copy);
  return cuMemcpy3D_v2(&whole);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D* copy) {
  return cuMemcpy2D_v2(copy);
}

static CUresult fill_rows(stream* s, CUdeviceptr to, size_t pitch, unsigned value, unsigned unit,
                          size_t width, size_t height) {
  place p;
  if (!width || !height) return CUDA_SUCCESS;
  if (width > SIZE_MAX / unit || (height > 1 && (pitch < width * unit || pitch % unit)))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult r = device_place(to, (height - 1) * pitch + width * unit, &p);
  uint64_t open = s->open;
  for (size_t y = 0; y < height && !r; y++) {
    r = fill(s, to + y * pitch, value, unit, width);
    if (!r && s->open != open) r = CUDA_ERROR_INVALID_HANDLE;
  }
  return r;
}

#define FILL_ROWS(name, type, unit)                                                           \
  CUresult name##_v2(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height) { \
    stream* s;                                                                                \
    CUresult r = begin_now(&s);                                                               \
    return r ? r : unlock_host(fill_rows(s, to, pitch, value, unit, width, height));          \
  }                                                                                           \
  CUresult name##Async(CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, \
                       CUstream handle) {                                                     \
    stream* s;                                                                                \
    CUresult r = begin(handle, &s);                                                           \
    return r ? r : unlock_host(fill_rows(s, to, pitch, value, unit, width, height));          \
  }
FILL_ROWS(cuMemsetD2D8, unsigned char, 1)
FILL_ROWS(cuMemsetD2D16, unsigned short, 2)
FILL_ROWS(cuMemsetD2D32, unsigned, 4)
