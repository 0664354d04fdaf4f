/* Device memory, pinned memory, staging memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"

/* Freed staging memory of this size goes back to the system; what is smaller is soon used again. */
#define WORTH_RETURNING (16ull << 20)
#define PITCH_UNIT 512

static void punch_hole(uint64_t offset, uint64_t bytes) {
  fallocate(emu.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, bytes);
}

/* ---- Device memory */

static device* owner_of(uint64_t address) {
  for (int i = 0; i < emu.count; i++) {
    const ranges* r = &emu.devices[i].memory;
    if (address >= r->start && address < r->end) return &emu.devices[i];
  }
  return NULL;
}

CUresult device_place(CUdeviceptr pointer, size_t count, place* p) {
  const device* d = owner_of(pointer);
  if (!d) {
    const context* c = context_current();
    if (c && global_is_there(c->device, pointer, count)) d = c->device;
  } else if (!ranges_find(&d->memory, pointer, count)) {
    d = NULL;
  }
  if (!d) return CUDA_ERROR_INVALID_VALUE;
  *p = (place){d->index, pointer};
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  const ranges* memory = &c->device->memory;
  if (available) *available = memory->limit - memory->used;
  if (total) *total = memory->limit;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  if (!pointer || !bytes) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  device* d = c->device;
  uint64_t start, epoch = LOAD(&d->epoch);
  if (!ranges_take(&d->memory, bytes, c->handle, &start))
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  unlock_host(CUDA_SUCCESS);
  uint64_t at = start, count = bytes;
  r = device_ask(d, epoch, REQUEST_ALLOCATE, &at, &count, NULL);
  lock_host();
  /* The context may have ended, and the device may have been reset. */
  range* taken = LOAD(&d->epoch) == epoch ? ranges_at(&d->memory, start) : NULL;
  if (!taken || taken->leaving) return unlock_host(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if (r)
    ranges_drop(&d->memory, start);
  else
    *pointer = start;
  return unlock_host(r);
}

/* Rows begin where a card would begin them: at multiples of the longest cache line. */
CUresult cuMemAllocPitch_v2(CUdeviceptr* pointer, size_t* pitch, size_t width, size_t height,
                            unsigned element) {
  if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t row = round_up(width, PITCH_UNIT);
  if (row < width || height > SIZE_MAX / row) return CUDA_ERROR_INVALID_VALUE;
  *pitch = row;
  return cuMemAlloc_v2(pointer, row * height);
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* start, size_t* bytes, CUdeviceptr pointer) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  const device* d = owner_of(pointer);
  const range* found = d ? ranges_find(&d->memory, pointer, 1) : NULL;
  if (!found) return unlock_host(CUDA_ERROR_NOT_FOUND);
  if (start) *start = found->start;
  if (bytes) *bytes = found->bytes;
  return unlock_host(CUDA_SUCCESS);
}

/* Frees a range that is marked as leaving. Locked, but it releases the lock. */
static CUresult drop(device* d, const range* gone) {
  uint64_t epoch = LOAD(&d->epoch), start = gone->start, bytes = gone->bytes, at = start;
  unlock_host(CUDA_SUCCESS);
  CUresult r = device_wait(d);
  if (!r) r = device_ask(d, epoch, REQUEST_FREE, &at, &bytes, NULL);
  lock_host();
  if (r || LOAD(&d->epoch) != epoch) return r;
  punch_hole(device_offset(emu.shared, d->index) + (start - d->memory.start),
             round_up(bytes, PAGE));
  ranges_drop(&d->memory, start);
  return r;
}

/* Waits for all work of the device, as CUDA does. */
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  device* d = owner_of(pointer);
  range* found = d ? ranges_at(&d->memory, pointer) : NULL;
  if (!found || found->leaving) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  found->leaving = true;
  return unlock_host(drop(d, found));
}

void memory_drop_all(device* d, const void* owner) {
  for (size_t i = 0; i < d->memory.count;) {
    range* each = &d->memory.list[i++];
    if (each->owner != owner || each->leaving) continue;
    each->leaving = true;
    if (drop(d, each)) return; /* the device has failed: what is left goes with its reset */
    i = 0;
  }
}

CUresult tfcEmulatedAllow(CUdeviceptr pointer, size_t bytes, int on, CUstream handle) {
  context* c;
  stream* s;
  place p;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = stream_find(c, handle, &s)) || (r = device_place(pointer, bytes, &p)))
    return unlock_host(r);
  if (p.device != c->device->index) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!bytes) return unlock_host(CUDA_SUCCESS);
  command allow = {.kind = COMMAND_ALLOW, .allow = {pointer, bytes, on != 0}};
  return unlock_host(submit(s, &allow, NULL, 0));
}

/* ---- Pinned memory. It belongs to no device and outlives their contexts. */

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!pointer || !bytes || flags & ~known) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  uint64_t start;
  if (!ranges_take(&emu.pinned, bytes, c->handle, &start))
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  if (mprotect(emu.arena + start, round_up(bytes, PAGE), PROT_READ | PROT_WRITE)) {
    ranges_drop(&emu.pinned, start);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  memset(emu.arena + start, POISON, bytes);
  ranges_at(&emu.pinned, start)->flags = flags;
  *pointer = emu.arena + start;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuMemAllocHost_v2(void** pointer, size_t bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}

/* Waits for all work of all devices: any of it may use the memory. */
CUresult cuMemFreeHost(void* pointer) {
  CUresult r = enter_any();
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  uint64_t start = (char*)pointer - emu.arena;
  range* found = ranges_at(&emu.pinned, start);
  if (!found || found->leaving) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  found->leaving = true;
  uint64_t bytes = range_pages(found);
  unlock_host(CUDA_SUCCESS);
  machine_wait();
  lock_host();
  mprotect(emu.arena + start, bytes, PROT_NONE);
  punch_hole(arena_offset() + start, bytes);
  ranges_drop(&emu.pinned, start);
  return unlock_host(CUDA_SUCCESS);
}

host_memory host_place(const void* pointer, size_t count, place* p) {
  if (owner_of((uint64_t)pointer)) return MEMORY_NOT_OF_HOST;
  uint64_t offset = (const char*)pointer - emu.arena;
  if (offset >= emu.shared->arena_bytes) return MEMORY_PAGEABLE;
  if (!ranges_find(&emu.pinned, offset, count)) return MEMORY_NOT_OF_HOST;
  *p = (place){IN_ARENA, offset};
  return MEMORY_PINNED;
}

/* ---- Staging memory */

typedef struct {
  uint64_t offset;
  point after;
} leaving;

static leaving* leavings; /* freed once a point is done */
static size_t leaving_count, leaving_capacity;

static void release(uint64_t offset) {
  uint64_t bytes = range_pages(ranges_at(&emu.staging, offset));
  if (bytes >= WORTH_RETURNING) punch_hole(arena_offset() + offset, bytes);
  ranges_drop(&emu.staging, offset);
}

static void reap(void) {
  size_t kept = 0;
  for (size_t i = 0; i < leaving_count; i++) {
    leaving* l = &leavings[i];
    /* A device that has failed runs nothing any more. */
    if (point_done(&l->after) || device_status(l->after.device))
      release(l->offset);
    else
      leavings[kept++] = *l;
  }
  leaving_count = kept;
}

CUresult staging_take(uint64_t bytes, uint64_t* offset) {
  reap();
  if (emu.staging.count >= leaving_capacity) { /* room for all, so that staging_drop cannot fail */
    size_t capacity = 2 * emu.staging.count + 64;
    leaving* more = realloc(leavings, capacity * sizeof *more);
    if (!more) return CUDA_ERROR_OUT_OF_MEMORY;
    leavings = more;
    leaving_capacity = capacity;
  }
  emu.staging.next = emu.staging.start; /* no quarantine: each new address would cost memory */
  return ranges_take(&emu.staging, bytes, NULL, offset) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

void staging_drop(uint64_t offset, const point* p) {
  if (p && !point_done(p))
    leavings[leaving_count++] = (leaving){offset, *p};
  else
    release(offset);
}

/* ---- Attributes of pointers */

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  CUresult r = enter_any();
  if (r) return r;
  device* d = owner_of(pointer);
  const range* found = d ? ranges_find(&d->memory, pointer, 1)
                         : ranges_find(&emu.pinned, pointer - (uint64_t)emu.arena, 1);
  if (!value || !found) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  uint64_t start = d ? found->start : (uint64_t)emu.arena + found->start;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext*)value = found->owner; break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      *(unsigned*)value = d ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
      break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int*)value = d ? d->index : 0; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr*)value = start; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t*)value = found->bytes; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      if (!d) r = CUDA_ERROR_INVALID_VALUE;
      if (d) *(CUdeviceptr*)value = pointer;
      break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (d) r = CUDA_ERROR_INVALID_VALUE;
      if (!d) *(void**)value = (void*)pointer;
      break;
    default: r = CUDA_ERROR_INVALID_VALUE;
  }
  return unlock_host(r);
}
