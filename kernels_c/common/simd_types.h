/* Vector types, by GCC's extension; defined only here. Functions on vectors of the level's width
 * are in simd.h. */
#ifndef TFCORE_SIMD_TYPES_H
#define TFCORE_SIMD_TYPES_H

#include <stdint.h>

#if defined(__AVX512F__)
#define TFC_VECTOR_BYTES 64
#elif defined(__AVX2__)
#define TFC_VECTOR_BYTES 32
#else
#define TFC_VECTOR_BYTES 16
#endif

/* A vector of `BYTES` bytes, and the same without alignment, for loads and stores. (With may_alias
 * first GCC takes the two for one type in conditional expressions.) */
#define TFC_VECTOR_TYPE_OF(NAME, ELEMENT, BYTES)                       \
  typedef ELEMENT NAME __attribute__((vector_size(BYTES), may_alias)); \
  typedef ELEMENT NAME##_unaligned __attribute__((vector_size(BYTES), may_alias, aligned(1)))
#define TFC_UNALIGNED(NAME) TFC_UNALIGNED_(NAME)
#define TFC_UNALIGNED_(NAME) NAME##_unaligned
#define TFC_VECTOR_TYPE(NAME, ELEMENT) TFC_VECTOR_TYPE_OF(NAME, ELEMENT, TFC_VECTOR_BYTES)

#endif /* TFCORE_SIMD_TYPES_H */
