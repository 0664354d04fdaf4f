/* A hash table from hashes to places in a list. */
#ifndef TFCORE_INDEX_H
#define TFCORE_INDEX_H

#include "kernels_c/data/dataset.h"

typedef struct index_entry {
  uint64_t hash;
  int64_t at; /* place + 1; 0: none */
} index_entry;

typedef struct hash_index {
  index_entry* entries;
  uint64_t size; /* a power of 2, at least twice `n`; or 0 */
  int64_t n;
} hash_index;

typedef bool (*same_fn)(void* arg, int64_t position);

/* Position of what has this hash and is `same`; -1: there is none. */
static inline int64_t index_find(const hash_index* x, uint64_t hash, same_fn same, void* arg) {
  for (uint64_t i = hash; x->size; i++) {
    const index_entry* e = &x->entries[i & (x->size - 1)];
    if (!e->at) return -1;
    if (e->hash == hash && same(arg, e->at - 1)) return e->at - 1;
  }
  return -1;
}

static inline void index_put(hash_index* x, index_entry entry) {
  uint64_t i = entry.hash;
  while (x->entries[i & (x->size - 1)].at) i++;
  x->entries[i & (x->size - 1)] = entry;
}

/* What is added has the position n. */
static inline int index_add(tfc_context* ctx, hash_index* x, uint64_t hash) {
  if (2 * (uint64_t)(x->n + 1) > x->size) {
    hash_index larger = {.size = x->size ? 2 * x->size : 64, .n = x->n};
    larger.entries = iterator_allocate(ctx, larger.size, sizeof *larger.entries);
    if (!larger.entries) return TFC_RESOURCE_EXHAUSTED;
    for (uint64_t i = 0; i < x->size; i++)
      if (x->entries[i].at) index_put(&larger, x->entries[i]);
    free(x->entries);
    *x = larger;
  }
  index_put(x, (index_entry){hash, ++x->n});
  return TFC_OK;
}

static inline uint64_t index_mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
  return hash ^ (hash >> 29);
}

#endif
