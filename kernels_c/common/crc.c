/* CRC-32C: with the instruction of SSE4.2, three streams at a time; elsewhere with tables, eight
 * bytes at a time. */
#include "kernels_c/common/crc.h"

#include <pthread.h>

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

enum { LONG = 16384, SHORT = 512 };             /* bytes of one of three streams */
static const uint32_t POLYNOMIAL = 0x82f63b78u; /* bit 31 is the coefficient of x^0 */

static uint32_t tables[8][256]; /* [k][b]: the remainder of byte b followed by k zero bytes */
static uint32_t powers[64];     /* x^(2^k) */
static uint32_t skip_long, skip_short; /* x^(8 * bytes): appends that many zero bytes */
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

/* The product of two polynomials modulo the polynomial of the checksum. */
static uint32_t multiply(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (uint32_t bit = 1u << 31; bit; bit >>= 1) {
    if (a & bit) product ^= b;
    b = b & 1 ? (b >> 1) ^ POLYNOMIAL : b >> 1;
  }
  return product;
}

/* x^(8 * bytes) */
static uint32_t power(uint64_t bytes) {
  uint32_t product = 1u << 31;
  for (int k = 3; bytes && k < 64; bytes >>= 1, k++)
    if (bytes & 1) product = multiply(powers[k], product);
  return product;
}

static void prepare(void) {
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t crc = b;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ POLYNOMIAL : crc >> 1;
    tables[0][b] = crc;
  }
  for (int k = 1; k < 8; k++)
    for (int b = 0; b < 256; b++)
      tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 255];
  powers[0] = 1u << 30;
  for (int k = 1; k < 64; k++) powers[k] = multiply(powers[k - 1], powers[k - 1]);
  skip_long = power(LONG);
  skip_short = power(SHORT);
}

uint32_t tfc_crc_combine(uint32_t first, uint32_t second, uint64_t second_size) {
  pthread_once(&prepared, prepare);
  return multiply(power(second_size), first) ^ second;
}

uint32_t tfc_crc_portable(uint32_t crc, const void* data, size_t size) {
  pthread_once(&prepared, prepare);
  const uint8_t* at = data;
  crc = ~crc;
  for (; size >= 8; size -= 8, at += 8) {
    uint32_t low = crc ^ ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                          (uint32_t)at[3] << 24);
    crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^ tables[5][low >> 16 & 255] ^
          tables[4][low >> 24] ^ tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^
          tables[0][at[7]];
  }
  for (; size; size--, at++) crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 255];
  return ~crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

static inline uint64_t word_at(const uint8_t* at) {
  uint64_t word;
  memcpy(&word, at, 8);
  return word;
}

/* One stream waits for each result, three keep the unit busy. `stride`: bytes of a stream. */
__attribute__((target("sse4.2"))) static uint64_t three_streams(uint64_t crc, const uint8_t* at,
                                                                size_t stride, uint32_t skip) {
  uint64_t second = 0, third = 0;
  for (size_t i = 0; i < stride; i += 8) {
    crc = _mm_crc32_u64(crc, word_at(at + i));
    second = _mm_crc32_u64(second, word_at(at + stride + i));
    third = _mm_crc32_u64(third, word_at(at + 2 * stride + i));
  }
  return multiply(skip, multiply(skip, (uint32_t)crc) ^ (uint32_t)second) ^ (uint32_t)third;
}

__attribute__((target("sse4.2"))) static uint32_t by_instruction(uint32_t start, const void* data,
                                                                 size_t size) {
  const uint8_t* at = data;
  uint64_t crc = ~start;
  for (; size >= 3 * LONG; size -= 3 * LONG, at += 3 * LONG)
    crc = three_streams(crc, at, LONG, skip_long);
  for (; size >= 3 * SHORT; size -= 3 * SHORT, at += 3 * SHORT)
    crc = three_streams(crc, at, SHORT, skip_short);
  for (; size >= 8; size -= 8, at += 8) crc = _mm_crc32_u64(crc, word_at(at));
  for (; size; size--, at++) crc = _mm_crc32_u8((uint32_t)crc, *at);
  return ~(uint32_t)crc;
}

uint32_t tfc_crc(uint32_t crc, const void* data, size_t size) {
  if (!__builtin_cpu_supports("sse4.2")) return tfc_crc_portable(crc, data, size);
  pthread_once(&prepared, prepare);
  return by_instruction(crc, data, size);
}
#else
uint32_t tfc_crc(uint32_t crc, const void* data, size_t size) {
  return tfc_crc_portable(crc, data, size);
}
#endif
