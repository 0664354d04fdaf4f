/* Handles are numbers that name an entry of a table and a generation: whatever a caller passes, it
 * is either a live object of the right kind or refused.
 */
#include <stdlib.h>

#include "host.h"

enum { INDEX_BITS = 20, GENERATION_BITS = 20, STEP = 256 };

typedef struct {
  kind kind; /* 0 when free */
  uint32_t generation;
  void* object;
  const context* owner;
  uint32_t next_free; /* index + 1 */
} entry;

static entry* entries;
static uint32_t count, capacity, first_free;

static bool grow(void) {
  if (capacity + STEP > 1u << INDEX_BITS) return false;
  entry* bigger = realloc(entries, (capacity + STEP) * sizeof *bigger);
  if (!bigger) return false;
  entries = bigger;
  capacity += STEP;
  return true;
}

void* handle_new(kind k, void* object, context* owner) {
  uint32_t index;
  if (first_free) {
    index = first_free - 1;
    first_free = entries[index].next_free;
  } else {
    if (count == capacity && !grow()) return NULL;
    index = count++;
    entries[index].generation = 0;
  }
  entry* e = &entries[index];
  e->kind = k;
  e->object = object;
  e->owner = owner;
  e->generation = (e->generation + 1) & ((1u << GENERATION_BITS) - 1);
  return (void*)((uint64_t)k << (INDEX_BITS + GENERATION_BITS) |
                 (uint64_t)e->generation << INDEX_BITS | index);
}

static entry* find(const void* handle) {
  uint64_t value = (uint64_t)handle;
  uint64_t index = value & ((1u << INDEX_BITS) - 1);
  uint64_t generation = value >> INDEX_BITS & ((1u << GENERATION_BITS) - 1);
  uint64_t k = value >> (INDEX_BITS + GENERATION_BITS);
  if (index >= count) return NULL;
  entry* e = &entries[index];
  return e->kind && e->kind == k && e->generation == generation ? e : NULL;
}

void* handle_find(kind k, const void* handle) {
  entry* e = find(handle);
  return e && e->kind == k ? e->object : NULL;
}

void handle_drop(const void* handle) {
  entry* e = find(handle);
  if (!e) return;
  e->kind = 0;
  e->next_free = first_free;
  first_free = e - entries + 1;
}

void handle_each(kind k, const context* owner, void (*visit)(void*, void*, void*), void* arg) {
  for (uint32_t i = 0; i < count; i++) {
    entry* e = &entries[i];
    if (e->kind != k || (owner && e->owner != owner)) continue;
    void* handle = (void*)((uint64_t)k << (INDEX_BITS + GENERATION_BITS) |
                           (uint64_t)e->generation << INDEX_BITS | i);
    visit(handle, e->object, arg);
  }
}
