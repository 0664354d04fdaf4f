/* The messages of tf.train: Feature with its list of values, maps of features, and the index that
 * finds the keys which an op asks for. Messages are read where they stand. */
#ifndef TFCORE_PARSING_FEATURES_H
#define TFCORE_PARSING_FEATURES_H

#include "kernels_c/common/wire.h"

/* ---- Keys */

typedef struct key_index {
  const tfc_string* const* keys;
  int32_t* slots; /* the number of a key, or -1; the size is a power of two */
  uint64_t mask;
  int32_t* follows; /* which key came last after each, and as the first one; -1: not known */
} key_index;

/* TFC_OK, or the code to return, if two keys are equal for example. The keys must stay. */
int key_index_make(tfc_context* ctx, key_index* index, int n, const tfc_string* const* keys);

static inline uint64_t key_hash(const uint8_t* data, size_t size) {
  uint64_t hash = size * 0x9e3779b97f4a7c15u, word;
  for (; size >= 8; data += 8, size -= 8) {
    memcpy(&word, data, 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  for (word = 0; size > 0; size--) word = word << 8 | data[size - 1];
  hash = (hash ^ word) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}
/* A call of memcmp takes longer than most keys. */
static inline bool key_is(const tfc_string* key, const uint8_t* data, size_t size) {
  if (key->size != size) return false;
  const char* own = key->data;
  uint64_t a, b;
  for (; size >= 8; own += 8, data += 8, size -= 8) {
    memcpy(&a, own, 8);
    memcpy(&b, data, 8);
    if (a != b) return false;
  }
  for (size_t i = 0; i < size; i++)
    if ((uint8_t)own[i] != data[i]) return false;
  return true;
}
/* The number of a key, or -1, by its hash. */
static inline int key_find(const key_index* index, wire_reader key) {
  const size_t size = wire_left(&key);
  for (uint64_t at = key_hash(key.at, size);; at++) {
    const int32_t i = index->slots[at & index->mask];
    if (i < 0 || key_is(index->keys[i], key.at, size)) return i;
  }
}

/* The same, where `previous` (or -1) is the number of the key before it in the message: most
 * messages have their keys in the same order. */
static inline int key_find_after(const key_index* index, int previous, wire_reader key) {
  int32_t* follows = &index->follows[previous + 1];
  const int32_t guess = __atomic_load_n(follows, __ATOMIC_RELAXED);
  if (guess >= 0 && key_is(index->keys[guess], key.at, wire_left(&key))) return guess;
  const int found = key_find(index, key);
  if (found >= 0) __atomic_store_n(follows, found, __ATOMIC_RELAXED);
  return found;
}

/* ---- Features */

/* Takes a field of bytes with this tag. False: nothing was taken, since it is another field, has
 * 16384 bytes or more, or is malformed. */
static inline bool wire_short(wire_reader* r, uint8_t tag, wire_reader* bytes) {
  const uint8_t* at = r->at;
  if (r->end - at < 3 || at[0] != tag) return false;
  size_t size = at[1] & 127u;
  if (at[1] >= 128 && at[2] >= 128) return false;
  if (at[1] >= 128) size |= (size_t)at[2] << 7;
  at += at[1] >= 128 ? 3 : 2;
  if (size > (size_t)(r->end - at)) return false;
  *bytes = (wire_reader){at, at + size};
  r->at = at + size;
  return true;
}

/* An entry of a map from keys to messages; false if it is malformed. */
static inline bool map_entry(wire_reader entry, wire_reader* key, wire_reader* value) {
  wire_reader usual = entry;
  if (wire_short(&usual, 1 << 3 | WIRE_BYTES, key) &&
      wire_short(&usual, 2 << 3 | WIRE_BYTES, value) && usual.at == usual.end)
    return true;
  wire_field f;
  int code;
  *key = *value = (wire_reader){entry.at, entry.at};
  while ((code = wire_next(&entry, &f)) > 0)
    if (f.type == WIRE_BYTES && f.number <= 2) *(f.number == 1 ? key : value) = f.bytes;
  return code == 0;
}

/* The type of a Feature, and the message that has its values. 0: it has none; -1: it is malformed.
 */
static inline int32_t feature_open(wire_reader feature, wire_reader* list) {
  static const int32_t types[] = {0, TFC_STRING, TFC_FLOAT, TFC_INT64};
  for (int i = 1; i <= 3; i++)
    if (wire_short(&feature, (uint8_t)(i << 3 | WIRE_BYTES), list)) return types[i];
  wire_field f;
  int code;
  while ((code = wire_next(&feature, &f)) > 0)
    if (f.type == WIRE_BYTES && f.number <= 3) {
      *list = f.bytes;
      return types[f.number];
    }
  return code;
}

/* As texts about numbers of values name a type. */
static inline const char* values_name(int32_t type) {
  return type == TFC_STRING ? "bytes" : tfc_dtype_name(type);
}

enum { FEATURE_BROKEN = -1, FEATURE_NO_MEMORY = -2 };

/* Stores the first `room` values of a list in elements of `to`, from `at` on; `to` may be NULL if
 * there is no room. Returns how many values there are, or one of the codes above. */
int64_t feature_read(tfc_context* ctx, int32_t type, wire_reader list, tfc_tensor* to, int64_t at,
                     int64_t room);

#endif /* TFCORE_PARSING_FEATURES_H */
