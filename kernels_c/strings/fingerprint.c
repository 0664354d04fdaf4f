/* Hash functions.
 *
 * FarmHash's fingerprints: G. Pike, https://github.com/google/farmhash. SipHash-2-4: J.-P. Aumasson
 * and D. J. Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012.
 */
#include "kernels_c/strings/fingerprint.h"

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

uint64_t tfc_hash_word(const char* p) {
  uint64_t v;
  memcpy(&v, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap64(v);
#endif
  return v;
}
static uint64_t load32(const char* p) {
  uint32_t v;
  memcpy(&v, p, 4);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  v = __builtin_bswap32(v);
#endif
  return v;
}
/* The last bytes of a text, fewer than eight, as the low bytes of a word. */
uint64_t tfc_hash_rest(const char* p, size_t n) {
  uint64_t v = 0;
  for (size_t i = 0; i < n; i++) v |= (uint64_t)(unsigned char)p[i] << (8 * i);
  return v;
}
static uint64_t rotate_right(uint64_t v, int by) {
  return v >> by | v << (64 - by);
}
static uint64_t rotate_left(uint64_t v, int by) {
  return v << by | v >> (64 - by);
}

/* ---- FarmHash's Fingerprint64 */

static const uint64_t F0 = 0xc3a5c85c97cb3127u, F1 = 0xb492b66fbe98f273u, F2 = 0x9ae16a3b2f90404fu;

static uint64_t fold(uint64_t v) {
  return v ^ v >> 47;
}
/* Two words become one. */
static uint64_t farm_combine(uint64_t u, uint64_t v, uint64_t multiplier) {
  const uint64_t a = fold((u ^ v) * multiplier);
  return fold((v ^ a) * multiplier) * multiplier;
}

static uint64_t farm_up_to_16(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  if (n >= 8) {
    const uint64_t a = tfc_hash_word(s) + F2, b = tfc_hash_word(s + n - 8);
    const uint64_t c = rotate_right(b, 37) * multiplier + a;
    const uint64_t d = (rotate_right(a, 25) + b) * multiplier;
    return farm_combine(c, d, multiplier);
  }
  if (n >= 4) return farm_combine(n + (load32(s) << 3), load32(s + n - 4), multiplier);
  if (n == 0) return F2;
  const unsigned char *bytes = (const unsigned char*)s, first = bytes[0], middle = bytes[n >> 1];
  const uint32_t y = first + ((uint32_t)middle << 8);
  const uint32_t z = (uint32_t)n + ((uint32_t)bytes[n - 1] << 2);
  return fold(y * F2 ^ z * F0) * F2;
}

static uint64_t farm_up_to_32(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  const uint64_t a = tfc_hash_word(s) * F1, b = tfc_hash_word(s + 8);
  const uint64_t c = tfc_hash_word(s + n - 8) * multiplier, d = tfc_hash_word(s + n - 16) * F2;
  return farm_combine(rotate_right(a + b, 43) + rotate_right(c, 30) + d,
                      a + rotate_right(b + F2, 18) + c, multiplier);
}

static uint64_t farm_up_to_64(const char* s, size_t n) {
  const uint64_t multiplier = F2 + n * 2;
  const uint64_t a = tfc_hash_word(s) * F2, b = tfc_hash_word(s + 8);
  const uint64_t c = tfc_hash_word(s + n - 8) * multiplier, d = tfc_hash_word(s + n - 16) * F2;
  const uint64_t y = rotate_right(a + b, 43) + rotate_right(c, 30) + d;
  const uint64_t z = farm_combine(y, a + rotate_right(b + F2, 18) + c, multiplier);
  const uint64_t e = tfc_hash_word(s + 16) * multiplier, f = tfc_hash_word(s + 24);
  const uint64_t g = (y + tfc_hash_word(s + n - 32)) * multiplier;
  const uint64_t h = (z + tfc_hash_word(s + n - 24)) * multiplier;
  return farm_combine(rotate_right(e + f, 43) + rotate_right(g, 30) + h,
                      e + rotate_right(f + a, 18) + g, multiplier);
}

/* Mixes 32 bytes with two words. */
static tfc_hash_pair farm_mix(const char* s, uint64_t a, uint64_t b) {
  const uint64_t w = tfc_hash_word(s), x = tfc_hash_word(s + 8), y = tfc_hash_word(s + 16),
                 z = tfc_hash_word(s + 24);
  a += w;
  b = rotate_right(b + a + z, 21);
  const uint64_t sum = a + x + y;
  return (tfc_hash_pair){sum + z, b + rotate_right(sum, 44) + a};
}

typedef struct farm_state {
  uint64_t x, y, z;
  tfc_hash_pair v, w;
} farm_state;

/* Takes 64 bytes. The last block, which overlaps the one before, weighs two terms by nine. */
static void farm_block(farm_state* h, const char* s, uint64_t multiplier, uint64_t weight) {
  h->x = rotate_right(h->x + h->y + h->v.a + tfc_hash_word(s + 8), 37) * multiplier;
  h->y = rotate_right(h->y + h->v.b + tfc_hash_word(s + 48), 42) * multiplier;
  h->x ^= h->w.b * weight;
  h->y += h->v.a * weight + tfc_hash_word(s + 40);
  h->z = rotate_right(h->z + h->w.a, 33) * multiplier;
  h->v = farm_mix(s, h->v.b * multiplier, h->x + h->w.a);
  h->w = farm_mix(s + 32, h->z + h->w.b, h->y + tfc_hash_word(s + 16));
  const uint64_t x = h->x;
  h->x = h->z;
  h->z = x;
}

uint64_t tfc_fingerprint(const char* s, size_t n) {
  if (n <= 16) return farm_up_to_16(s, n);
  if (n <= 32) return farm_up_to_32(s, n);
  if (n <= 64) return farm_up_to_64(s, n);
  const uint64_t seed = 81;
  farm_state h = {.y = seed * F1 + 113};
  h.z = fold(h.y * F2 + 113) * F2;
  h.x = seed * F2 + tfc_hash_word(s);
  const size_t rest = (n - 1) & 63;
  for (size_t at = 0; at < n - 1 - rest; at += 64) farm_block(&h, s + at, F1, 1);
  const uint64_t multiplier = F1 + ((h.z & 0xff) << 1);
  h.w.a += rest;
  h.v.a += h.w.a;
  h.w.a += h.v.a;
  farm_block(&h, s + n - 64, multiplier, 9);
  return farm_combine(farm_combine(h.v.a, h.w.a, multiplier) + fold(h.y) * F0 + h.z,
                      farm_combine(h.v.b, h.w.b, multiplier) + h.x, multiplier);
}

/* ---- FarmHash's Fingerprint128 */

static uint64_t farm_pair(uint64_t u, uint64_t v) {
  return farm_combine(u, v, 0x9ddfea08eb382d69u);
}

/* Less than 128 bytes. */
static tfc_hash_pair farm_short(const char* s, size_t n, tfc_hash_pair seed) {
  uint64_t a = seed.a, b = seed.b, c, d;
  if (n <= 16) {
    a = fold(a * F1) * F1;
    c = b * F1 + farm_up_to_16(s, n);
    d = fold(a + (n >= 8 ? tfc_hash_word(s) : c));
  } else {
    c = farm_pair(tfc_hash_word(s + n - 8) + F1, a);
    d = farm_pair(b + n, c + tfc_hash_word(s + n - 16));
    a += d;
    for (size_t at = 0; at + 16 < n; at += 16) {
      a = (a ^ fold(tfc_hash_word(s + at) * F1) * F1) * F1;
      b ^= a;
      c = (c ^ fold(tfc_hash_word(s + at + 8) * F1) * F1) * F1;
      d ^= c;
    }
  }
  a = farm_pair(a, c);
  b = farm_pair(d, b);
  return (tfc_hash_pair){a ^ b, farm_pair(b, a)};
}

/* The last bytes, less than 128, in steps of 32 from the end; the step before them overlaps. */
static void farm_tail(farm_state* h, const char* s, size_t n) {
  for (size_t done = 0; done < n;) {
    done += 32;
    const char* at = s + n - done;
    h->y = rotate_right(h->x + h->y, 42) * F0 + h->v.b;
    h->w.a += tfc_hash_word(at + 16);
    h->x = h->x * F0 + h->w.a;
    h->z += h->w.b + tfc_hash_word(at);
    h->w.b += h->v.a;
    h->v = farm_mix(at, h->v.a + h->z, h->v.b);
    h->v.a *= F0;
  }
}

static tfc_hash_pair farm_long(const char* s, size_t n, tfc_hash_pair seed) {
  if (n < 128) return farm_short(s, n, seed);
  farm_state h = {.x = seed.a, .y = seed.b, .z = n * F1};
  h.v.a = rotate_right(h.y ^ F1, 49) * F1 + tfc_hash_word(s);
  h.v.b = rotate_right(h.v.a, 42) * F1 + tfc_hash_word(s + 8);
  h.w.a = rotate_right(h.y + h.z, 35) * F1 + h.x;
  h.w.b = rotate_right(h.x + tfc_hash_word(s + 88), 53) * F1;
  for (; n >= 128; n -= 128, s += 128) {
    farm_block(&h, s, F1, 1);
    farm_block(&h, s + 64, F1, 1);
  }
  h.x += rotate_right(h.v.a + h.z, 49) * F0;
  h.y = h.y * F0 + rotate_right(h.w.b, 37);
  h.z = h.z * F0 + rotate_right(h.w.a, 27);
  h.w.a *= 9;
  h.v.a *= F0;
  farm_tail(&h, s, n);
  const uint64_t x = farm_pair(h.x, h.v.a), y = farm_pair(h.y + h.z, h.w.a);
  return (tfc_hash_pair){farm_pair(x + h.v.b, h.w.b) + y, farm_pair(x + h.w.b, y + h.v.b)};
}

tfc_hash_pair tfc_long_fingerprint(const char* s, size_t n) {
  if (n < 16) return farm_long(s, n, (tfc_hash_pair){F0, F1});
  return farm_long(s + 16, n - 16, (tfc_hash_pair){tfc_hash_word(s), tfc_hash_word(s + 8) + F0});
}

/* ---- SipHash-2-4 */

static void sip_rounds(uint64_t v[4], int count) {
  for (; count > 0; count--) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] = rotate_left(v[2], 32);
  }
}

uint64_t tfc_keyed_hash(const uint64_t key[2], const char* s, size_t n) {
  uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                   key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
  for (size_t at = 0; at <= n; at += 8) {
    const bool last = n - at < 8;
    const uint64_t word =
        last ? tfc_hash_rest(s + at, n - at) | (uint64_t)n << 56 : tfc_hash_word(s + at);
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
  }
  v[2] ^= 0xff;
  sip_rounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}
