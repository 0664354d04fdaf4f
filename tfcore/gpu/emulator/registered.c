/* Memory of the caller that is registered as pinned memory. It is not: a device process cannot see
 * it, so copies take it for the pageable memory that it is. What is known here is only that it was
 * registered, and how.
 */
#include <stdlib.h>

#include "host.h"

typedef struct registration {
  uint64_t start, bytes;
  unsigned flags;
  struct registration* next;
} registration;

static registration* all; /* under the host's lock */

/* The link to the registration that has one of these bytes, or to NULL. */
static registration** find(const void* pointer, size_t bytes) {
  uint64_t start = (uint64_t)pointer;
  registration** at = &all;
  while (*at && !(start < (*at)->start + (*at)->bytes && (*at)->start < start + bytes))
    at = &(*at)->next;
  return at;
}

CUresult cuMemHostRegister_v2(void* pointer, size_t bytes, unsigned flags) {
  context* c;
  place p;
  unsigned known =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY) return unlock_host(CUDA_ERROR_NOT_SUPPORTED);
  if (!pointer || !bytes || flags & ~known) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (host_place(pointer, bytes, &p) != MEMORY_PAGEABLE)
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (*find(pointer, bytes)) return unlock_host(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  registration* new = malloc(sizeof *new);
  if (!new) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  *new = (registration){(uint64_t)pointer, bytes, flags, all};
  all = new;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuMemHostUnregister(void* pointer) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  registration **at = find(pointer, 1), *gone = *at;
  if (!gone || gone->start != (uint64_t)pointer)
    return unlock_host(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  *at = gone->next;
  free(gone);
  return unlock_host(CUDA_SUCCESS);
}

/* The flags with which memory of the host was allocated or registered. Locked. */
static CUresult flags_of(const void* pointer, unsigned* flags) {
  const range* pinned = ranges_find(&emu.pinned, (const char*)pointer - emu.arena, 1);
  const registration* registered = *find(pointer, 1);
  if (!pinned && !registered) return CUDA_ERROR_INVALID_VALUE;
  *flags = pinned ? pinned->flags : registered->flags;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned* flags, void* pointer) {
  if (!flags) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter_any();
  return r ? r : unlock_host(flags_of(pointer, flags));
}

/* No kernel can access memory of the host (CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY is 0). */
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* device, void* pointer, unsigned flags) {
  unsigned known;
  if (!device || flags) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter_any();
  if (r) return r;
  r = flags_of(pointer, &known);
  return unlock_host(r ? r : CUDA_ERROR_NOT_SUPPORTED);
}
