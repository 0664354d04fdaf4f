/* Tables: maps from keys to values that outlive steps. See lookup.c for the ops.
 *
 * Keys and values are rows of `key_size` and `value_size` elements. Entries lie one after the other
 * in the order of insertion (the last one takes the place of one that is removed); an index of
 * slots finds them by the hash of their key. Strings are copies, which the table owns.
 */
#ifndef TFCORE_LOOKUP_H
#define TFCORE_LOOKUP_H

#include <pthread.h>
#include <stdlib.h>

#include "kernels_c/common/common.h"
#include "kernels_c/common/resource_handle.h"

/* A column of entries. All zero: none. */
typedef struct lookup_column {
  int32_t dtype;
  int64_t width; /* elements of an entry */
  void* data;
} lookup_column;

typedef struct lookup_map {
  lookup_column keys, values;
  int64_t n, room; /* entries */
  int64_t* slots;  /* number of an entry + 1; 0: free */
  int64_t n_slots; /* a power of two, or 0 */
} lookup_map;

typedef enum lookup_kind {
  LOOKUP_STATIC,
  LOOKUP_MUTABLE,
  LOOKUP_TENSORS,
  LOOKUP_DENSE
} lookup_kind;

typedef struct lookup_shape {
  int rank;
  int64_t dims[TFC_MAX_RANK];
} lookup_shape;

typedef struct lookup_table {
  lookup_kind kind;
  char* name;
  int32_t key_dtype, value_dtype;
  lookup_shape value_shape;
  pthread_rwlock_t lock;
  /* Under the lock. */
  lookup_shape key_shape;
  bool ready; /* static: initialized; dense: its special keys are known */
  lookup_map map;
  lookup_map forbidden; /* dense: the keys that mark empty and deleted entries in TensorFlow */
} lookup_table;

#pragma GCC visibility push(hidden)

/* ---- lookup_map.c */

void lookup_map_begin(lookup_map* m, int32_t key_dtype, int64_t key_width, int32_t value_dtype,
                      int64_t value_width);
void lookup_map_clear(lookup_map* m); /* drops the entries; it can be used again */
/* The entry of key number `i` of `keys`, elements of the map's key type, or -1. */
int64_t lookup_map_find(const lookup_map* m, const void* keys, int64_t i);
/* Adds or replaces an entry. False: no memory, and nothing has changed. */
bool lookup_map_put(lookup_map* m, const void* keys, int64_t i, const void* values, int64_t j);
void lookup_map_remove(lookup_map* m, int64_t entry);
bool lookup_map_has_value(const lookup_map* m, int64_t entry, const void* values, int64_t j);

/* ---- lookup_text.c */

typedef struct lookup_text {
  int64_t key_index, value_index, vocab_size, offset;
  char delimiter;
} lookup_text;

/* Fills an empty map from the lines of a file. */
int lookup_read_file(tfc_context* ctx, const char* path, const lookup_text* how, lookup_map* m);

/* ---- lookup.c, for both */

/* Like lookup_map_put, but fails if the key has another value already. */
int lookup_put_new(tfc_context* ctx, lookup_map* m, const void* keys, int64_t i, const void* values,
                   int64_t j);

#pragma GCC visibility pop

#endif /* TFCORE_LOOKUP_H */
