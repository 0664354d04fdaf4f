/* Hashes of elements, for sets of them. */
#ifndef TFCORE_HASH_H
#define TFCORE_HASH_H

#include "kernels_c/common/common.h"

static inline uint64_t tfc_mix(uint64_t h) {
  h ^= h >> 32;
  h *= 0x9E3779B97F4A7C15u;
  h ^= h >> 29;
  h *= 0xBF58476D1CE4E5B9u;
  return h ^ (h >> 32);
}

static inline uint64_t tfc_hash_bytes(const void* data, size_t n) {
  const char* p = data;
  uint64_t h = 0x2545F4914F6CDD1Du ^ n;
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t v;
    memcpy(&v, p, 8);
    h = tfc_mix(h ^ v);
  }
  uint64_t rest = 0;
  if (n) memcpy(&rest, p, n); /* an empty string may have no address */
  return tfc_mix(h ^ rest);
}

#endif /* TFCORE_HASH_H */
