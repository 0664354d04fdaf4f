/* Device memory, pinned memory, staging memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"

/* Freed staging memory of this size goes back to the system; what is smaller is soon used again. */
#define WORTH_RETURNING (16ull << 20)

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
  device* d = owner_of(pointer);
  if (!d || !ranges_find(&d->memory, pointer, count)) return CUDA_ERROR_INVALID_VALUE;
  *p = (place){d->index, pointer};
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2(size_t* available, size_t* total) {
  device* d;
  CUresult r = enter(&d);
  if (r) return r;
  if (available) *available = d->memory.limit - d->memory.used;
  if (total) *total = d->memory.limit;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, size_t bytes) {
  device* d;
  CUresult r = enter(&d);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  if (!pointer || !bytes) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  uint64_t start, epoch = LOAD(&d->epoch);
  if (!ranges_take(&d->memory, bytes, &start)) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  unlock_host(CUDA_SUCCESS);
  uint64_t at = start;
  r = device_ask(d, epoch, REQUEST_ALLOCATE, &at, bytes, NULL);
  if (r) {
    lock_host();
    if (LOAD(&d->epoch) == epoch) ranges_drop(&d->memory, start);
    return unlock_host(r);
  }
  *pointer = start;
  return CUDA_SUCCESS;
}

/* Waits for all work of the device, as CUDA does. */
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  device* d;
  CUresult r = enter(&d);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  d = owner_of(pointer);
  range* found = d ? ranges_at(&d->memory, pointer) : NULL;
  if (!found || found->leaving) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  found->leaving = true;
  uint64_t epoch = LOAD(&d->epoch), bytes = found->bytes, at = pointer;
  unlock_host(CUDA_SUCCESS);
  if ((r = device_wait(d)) || (r = device_ask(d, epoch, REQUEST_FREE, &at, bytes, NULL))) return r;
  lock_host();
  if (LOAD(&d->epoch) == epoch) {
    punch_hole(device_offset(emu.shared, d->index) + (pointer - d->memory.start),
               round_up(bytes, PAGE));
    ranges_drop(&d->memory, pointer);
  }
  return unlock_host(CUDA_SUCCESS);
}

CUresult tfcEmulatedAllow(CUdeviceptr pointer, size_t bytes, int on, CUstream handle) {
  device* d;
  stream* s;
  place p;
  CUresult r = enter(&d);
  if (r) return r;
  if ((r = stream_find(d, handle, &s)) || (r = device_place(pointer, bytes, &p)))
    return unlock_host(r);
  if (p.device != d->index) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!bytes) return unlock_host(CUDA_SUCCESS);
  command c = {.kind = COMMAND_ALLOW, .allow = {pointer, bytes, on != 0}};
  return unlock_host(submit(s, &c, NULL, 0));
}

/* ---- Pinned memory. It belongs to no device and outlives their contexts. */

CUresult cuMemHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  device* d;
  CUresult r = enter(&d);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!pointer || !bytes || flags & ~known) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  uint64_t start;
  if (!ranges_take(&emu.pinned, bytes, &start)) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  if (mprotect(emu.arena + start, round_up(bytes, PAGE), PROT_READ | PROT_WRITE)) {
    ranges_drop(&emu.pinned, start);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  memset(emu.arena + start, POISON, bytes);
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
  return ranges_take(&emu.staging, bytes, offset) ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
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
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext*)value = d ? d->context : NULL; break;
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
