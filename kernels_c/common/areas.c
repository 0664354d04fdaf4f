#include "kernels_c/common/areas.h"

#include <string.h>

#include "kernels_c/common/common.h"

int tfc_areas_make(tfc_context* ctx, tfc_areas* areas, size_t bytes) {
  areas->bytes = (bytes + 127) & ~(size_t)127;
  areas->count = TFC_MAX(1, ctx->api->max_threads(ctx));
  areas->memory = tfc_scratch(ctx, areas->bytes * (size_t)areas->count);
  areas->busy = tfc_scratch(ctx, (size_t)areas->count);
  if (!areas->memory || !areas->busy) return TFC_RESOURCE_EXHAUSTED;
  memset(areas->busy, 0, (size_t)areas->count);
  return TFC_OK;
}

void* tfc_areas_take(tfc_areas* areas) {
  for (int i = 0;; i = (i + 1) % areas->count)
    if (!__atomic_exchange_n(&areas->busy[i], 1, __ATOMIC_ACQUIRE))
      return areas->memory + (size_t)i * areas->bytes;
}

void tfc_areas_give(tfc_areas* areas, void* area) {
  size_t i = (size_t)((char*)area - areas->memory) / areas->bytes;
  __atomic_store_n(&areas->busy[i], 0, __ATOMIC_RELEASE);
}
