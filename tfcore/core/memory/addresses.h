/* How much address space the system lets this process have. */
#ifndef TFCORE_ADDRESSES_H
#define TFCORE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>

/* How many bytes all processes together may still reserve, if the system limits that
 * (vm.overcommit_memory is 2); else SIZE_MAX. */
static inline size_t tfc_left_to_reserve(void) {
  char line[128];
  FILE* mode = fopen("/proc/sys/vm/overcommit_memory", "re");
  bool counts = mode && fgets(line, sizeof line, mode) && *line == '2';
  if (mode) fclose(mode);
  FILE* memory = counts ? fopen("/proc/meminfo", "re") : NULL;
  if (!memory) return SIZE_MAX;
  size_t limit = 0, reserved = 0;
  while (fgets(line, sizeof line, memory)) {
    sscanf(line, "CommitLimit: %zu", &limit);
    sscanf(line, "Committed_AS: %zu", &reserved);
  }
  fclose(memory);
  return limit > reserved ? (limit - reserved) * 1024 : 0;
}

/* What limits the mappings of this process together, in bytes: its own limit (RLIMIT_AS), or what
 * is left to reserve; SIZE_MAX: nothing does. */
static inline size_t tfc_address_limit(void) {
  struct rlimit own;
  size_t left = tfc_left_to_reserve();
  if (getrlimit(RLIMIT_AS, &own) || own.rlim_cur == RLIM_INFINITY) return left;
  return left < own.rlim_cur ? left : own.rlim_cur;
}

#endif
