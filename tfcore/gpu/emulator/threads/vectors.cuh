// CUDA's vector types, with its alignments. `types.h` has uint3.
#ifndef TFCORE_HOST_VECTORS_CUH
#define TFCORE_HOST_VECTORS_CUH

#include "types.h"

#define TFC_VECTORS_124(type, name, align2, align4)                      \
  struct name##1 {                                                       \
    type x;                                                              \
  };                                                                     \
  struct alignas(align2) name##2 {                                       \
    type x, y;                                                           \
  };                                                                     \
  struct alignas(align4) name##4 {                                       \
    type x, y, z, w;                                                     \
  };                                                                     \
  static inline name##1 make_##name##1(type x) {                         \
    return {x};                                                          \
  }                                                                      \
  static inline name##2 make_##name##2(type x, type y) {                 \
    return {x, y};                                                       \
  }                                                                      \
  static inline name##4 make_##name##4(type x, type y, type z, type w) { \
    return {x, y, z, w};                                                 \
  }

#define TFC_VECTOR_3(type, name) \
  struct name##3 {               \
    type x, y, z;                \
  };

#define TFC_MAKE_3(type, name)                                   \
  static inline name##3 make_##name##3(type x, type y, type z) { \
    return {x, y, z};                                            \
  }

#define TFC_VECTORS(type, name, align2, align4) \
  TFC_VECTORS_124(type, name, align2, align4)   \
  TFC_VECTOR_3(type, name) TFC_MAKE_3(type, name)

TFC_VECTORS(signed char, char, 2, 4)
TFC_VECTORS(unsigned char, uchar, 2, 4)
TFC_VECTORS(short, short, 4, 8)
TFC_VECTORS(unsigned short, ushort, 4, 8)
TFC_VECTORS(int, int, 8, 16)
TFC_VECTORS_124(unsigned int, uint, 8, 16)
TFC_MAKE_3(unsigned int, uint)
TFC_VECTORS(long long, longlong, 16, 16)
TFC_VECTORS(unsigned long long, ulonglong, 16, 16)
TFC_VECTORS(float, float, 8, 16)
TFC_VECTORS(double, double, 16, 16)

#undef TFC_VECTORS
#undef TFC_VECTORS_124
#undef TFC_VECTOR_3
#undef TFC_MAKE_3

#endif
