/* Vector types (GCC's extension), with loads and stores. No other file defines vector types. Other
 * vector functions are in simd.h, which compiles slowly because it includes intrinsics. */
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

/* A vector of the level's width, with loads and stores of any alignment. */
#define TFC_VECTOR(NAME, ELEMENT)                       \
  TFC_VECTOR_TYPE_OF(NAME, ELEMENT, TFC_VECTOR_BYTES);  \
  static inline NAME NAME##_load(const ELEMENT* p) {    \
    return *(const NAME##_unaligned*)p;                 \
  }                                                     \
  static inline void NAME##_store(ELEMENT* p, NAME v) { \
    *(NAME##_unaligned*)p = v;                          \
  }                                                     \
  static inline NAME NAME##_set1(ELEMENT x) {           \
    return x - (NAME){0};                               \
  }
TFC_VECTOR(vf, float)
TFC_VECTOR(vd, double)
TFC_VECTOR(vb, int8_t)
TFC_VECTOR(vub, uint8_t)
TFC_VECTOR(vs, int16_t)
TFC_VECTOR(vus, uint16_t)
TFC_VECTOR(vi, int32_t)
TFC_VECTOR(vu, uint32_t)
TFC_VECTOR(vl, int64_t)
TFC_VECTOR(vul, uint64_t)
#undef TFC_VECTOR

#define VB_N TFC_VECTOR_BYTES       /* lanes of vb, vub */
#define VS_N (TFC_VECTOR_BYTES / 2) /* lanes of vs, vus */
#define VF_N (TFC_VECTOR_BYTES / 4) /* lanes of vf, vi, vu */
#define VD_N (TFC_VECTOR_BYTES / 8) /* lanes of vd, vl, vul */

/* By element type: the vector, its mask, their lanes. */
#define TFC_VECTORS_float (vf, vi, VF_N)
#define TFC_VECTORS_double (vd, vl, VD_N)
#define TFC_VECTORS_int8_t (vb, vb, VB_N)
#define TFC_VECTORS_uint8_t (vub, vb, VB_N)
#define TFC_VECTORS_int16_t (vs, vs, VS_N)
#define TFC_VECTORS_uint16_t (vus, vs, VS_N)
#define TFC_VECTORS_int32_t (vi, vi, VF_N)
#define TFC_VECTORS_uint32_t (vu, vi, VF_N)
#define TFC_VECTORS_int64_t (vl, vl, VD_N)
#define TFC_VECTORS_uint64_t (vul, vl, VD_N)

#endif /* TFCORE_SIMD_TYPES_H */
