/* See available_memory.h. */
#include "memory/available_memory.h"

#include <stdio.h>
#include <string.h>

enum { PATH = 4096 };

/* The number after `name` at the beginning of a line, or after nothing if it is ""; -1: none. */
static int64_t number_in(const char* path, const char* name) {
  FILE* file = fopen(path, "re");
  if (!file) return -1;
  char line[256];
  long long value = -1;
  const size_t size = strlen(name);
  while (value < 0 && fgets(line, sizeof line, file))
    if (!strncmp(line, name, size) && sscanf(line + size, "%lld", &value) != 1) value = -1;
  fclose(file);
  return value;
}

static int64_t number_of(const char* group, const char* file, const char* name) {
  char path[PATH + 64];
  snprintf(path, sizeof path, "%s/%s", group, file);
  return number_in(path, name);
}

/* What a group has left; files that it may drop from its memory count as free. */
static int64_t left_in(const char* group, const char* limit_file, const char* usage_file,
                       const char* cache) {
  const int64_t limit = number_of(group, limit_file, ""); /* "max": none */
  const int64_t usage = number_of(group, usage_file, "");
  const int64_t dropped = number_of(group, "memory.stat", cache);
  if (limit < 0 || usage < 0) return INT64_MAX;
  const int64_t left = limit - usage + (dropped > 0 ? dropped : 0);
  return left > 0 ? left : 0;
}

/* The least that is left in a group and in those around it. group: its path below `root`, which has
 * room for it. */
static int64_t left_in_all(char* root, const char* group, const char* limit, const char* usage,
                           const char* cache) {
  const size_t top = strlen(root);
  int64_t least = INT64_MAX;
  snprintf(root + top, PATH - top, "%s", group);
  for (;;) {
    const int64_t left = left_in(root, limit, usage, cache);
    if (left < least) least = left;
    char* slash = strrchr(root + top, '/');
    if (!slash) return least;
    *slash = '\0';
  }
}

static int64_t left_in_groups(void) {
  FILE* file = fopen("/proc/self/cgroup", "re");
  if (!file) return INT64_MAX;
  char line[PATH], root[PATH];
  int64_t least = INT64_MAX;
  while (fgets(line, sizeof line, file)) { /* number:controllers:path */
    line[strcspn(line, "\n")] = '\0';
    char* controllers = strchr(line, ':');
    char* path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path) continue;
    *path++ = '\0';
    int64_t left = INT64_MAX;
    if (!controllers[1]) {
      snprintf(root, sizeof root, "/sys/fs/cgroup");
      left = left_in_all(root, path, "memory.max", "memory.current", "inactive_file ");
    } else if (!strcmp(controllers + 1, "memory")) {
      snprintf(root, sizeof root, "/sys/fs/cgroup/memory");
      left = left_in_all(root, path, "memory.limit_in_bytes", "memory.usage_in_bytes",
                         "total_inactive_file ");
    }
    if (left < least) least = left;
  }
  fclose(file);
  return least;
}

static int64_t pretended = -1; /* atomic */

int64_t tfc_pretend_available_memory(int64_t bytes) {
  return __atomic_exchange_n(&pretended, bytes, __ATOMIC_RELAXED);
}

int64_t tfc_available_memory(void) {
  const int64_t told = __atomic_load_n(&pretended, __ATOMIC_RELAXED);
  if (told >= 0) return told;
  const int64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
  const int64_t machine = kilobytes < 0 ? INT64_MAX : kilobytes * 1024;
  const int64_t groups = left_in_groups();
  return machine < groups ? machine : groups;
}
