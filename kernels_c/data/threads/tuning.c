/* See tuning.h. */
#include "kernels_c/data/threads/tuning.h"

#include <unistd.h>

TFC_ONE_LEVEL;

void stage_counts_read(const stage_counts* counts, stage_counts* to) {
  const int64_t* from = (const int64_t*)counts;
  int64_t* out = (int64_t*)to;
  for (size_t i = 0; i < sizeof *counts / sizeof *from; i++)
    out[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

int64_t tuning_bytes(const tfc_tensor* element, int n) {
  int64_t bytes = 0;
  for (int i = 0; i < n; i++) {
    const tfc_tensor* t = &element[i];
    bytes += t->n * (int64_t)tfc_dtype_size(t->dtype);
    if (t->dtype != TFC_STRING) continue;
    const tfc_string* s = t->data;
    for (int64_t j = 0; j < t->n; j++) bytes += (int64_t)s[j].size;
  }
  return bytes;
}

/* TFCORE_AUTOTUNE_BYTES, or a quarter of the memory. */
static int64_t budget(void) {
  const char* text = getenv("TFCORE_AUTOTUNE_BYTES");
  char* end;
  long long bytes = text ? strtoll(text, &end, 10) : -1;
  if (text && *text && !*end && bytes >= 0) return bytes;
  return (int64_t)sysconf(_SC_PHYS_PAGES) / 4 * sysconf(_SC_PAGESIZE);
}

static int64_t used; /* atomic: of all stages */

bool tuning_reserve(int64_t* reserved, int64_t bytes) {
  int64_t more = bytes - *reserved;
  int64_t now = __atomic_add_fetch(&used, more, __ATOMIC_RELAXED);
  if (more > 0 && now > budget()) {
    __atomic_fetch_sub(&used, more, __ATOMIC_RELAXED);
    return false;
  }
  *reserved = bytes;
  return true;
}
