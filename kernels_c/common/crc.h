/* CRC-32C (Castagnoli), the checksum of checkpoints and records. */
#ifndef TFCORE_CRC_H
#define TFCORE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* The checksum of bytes that have `crc` followed by these; 0 is that of no bytes. */
uint32_t tfc_crc(uint32_t crc, const void* data, size_t size);
/* The same without the processor's instruction for it; for tests. */
uint32_t tfc_crc_portable(uint32_t crc, const void* data, size_t size);
/* The checksum of two ranges, one after the other, from the checksums of both. */
uint32_t tfc_crc_combine(uint32_t first, uint32_t second, uint64_t second_size);

/* Files hold checksums rotated and shifted, as the checksum of bytes that contain their own
 * checksum is weak. */
static inline uint32_t tfc_crc_mask(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

#endif /* TFCORE_CRC_H */
