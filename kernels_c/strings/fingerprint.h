/* Hash functions of bytes, and what their algorithms read them with. */
#ifndef TFCORE_FINGERPRINT_H
#define TFCORE_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

typedef struct tfc_hash_pair {
  uint64_t a, b;
} tfc_hash_pair;

/* FarmHash's Fingerprint64 and Fingerprint128. */
uint64_t tfc_fingerprint(const char* bytes, size_t n);
tfc_hash_pair tfc_long_fingerprint(const char* bytes, size_t n);

/* SipHash-2-4. */
uint64_t tfc_keyed_hash(const uint64_t key[2], const char* bytes, size_t n);

/* A word of eight bytes, and one of fewer, as its low bytes. Words are little-endian. */
uint64_t tfc_hash_word(const char* bytes);
uint64_t tfc_hash_rest(const char* bytes, size_t n);

#endif /* TFCORE_FINGERPRINT_H */
