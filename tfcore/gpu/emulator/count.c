/* What exists, for tests that look for what was left behind. */
#include <string.h>

#include "host.h"

static const struct {
  const char* name;
  kind kind;
} kinds[] = {
    {"contexts", 0},        {"streams", OF_STREAM}, {"events", OF_EVENT},
    {"modules", OF_MODULE}, {"graphs", OF_GRAPH},   {"execs", OF_EXEC},
};

typedef struct {
  const device* device;
  kind kind; /* of objects of its contexts; 0: the contexts themselves */
  size_t count;
} search;

static void count_object(void* handle, void* object, void* count) {
  (void)handle;
  (void)object;
  ++*(size_t*)count;
}

static void look_into(void* handle, void* object, void* arg) {
  (void)handle;
  const context* c = object;
  search* s = arg;
  if (c->device != s->device) return;
  if (s->kind)
    handle_each(s->kind, c, count_object, &s->count);
  else if (c->uses)
    s->count++;
}

/* False if nothing has the name. */
static bool count_all(const device* d, const char* what, size_t* count) {
  if (!strcmp(what, "allocations")) {
    *count = d->memory.count;
    return true;
  }
  if (!strcmp(what, "pinned")) { /* of all devices */
    *count = emu.pinned.count;
    return true;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (strcmp(what, kinds[i].name)) continue;
    search s = {d, kinds[i].kind, 0};
    handle_each(OF_CONTEXT, NULL, look_into, &s);
    *count = s.count;
    return true;
  }
  return false;
}

CUresult tfcEmulatedCount(CUdevice number, const char* what, size_t* count) {
  if (!what || !count) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter_any();
  if (r) return r;
  if (number < 0 || number >= emu.count) return unlock_host(CUDA_ERROR_INVALID_DEVICE);
  bool known = count_all(&emu.devices[number], what, count);
  return unlock_host(known ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}
