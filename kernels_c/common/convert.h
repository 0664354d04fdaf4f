/* Elements of any numeric type as double and back: for rare types and for single values. */
#ifndef TFCORE_CONVERT_H
#define TFCORE_CONVERT_H

#include "kernels_c/common/common.h"

static inline double tfc_to_double(const tfc_tensor* t, int64_t i) {
  const void* p = t->data;
  switch (tfc_plain_type(t->dtype % TFC_REF)) {
    case TFC_FLOAT: return ((const float*)p)[i];
    case TFC_DOUBLE: return ((const double*)p)[i];
    case TFC_HALF: return tfc_half_to_float(((const tfc_half*)p)[i]);
    case TFC_BFLOAT16: return tfc_bfloat16_to_float(((const tfc_bfloat16*)p)[i]);
    case TFC_INT8: return ((const int8_t*)p)[i];
    case TFC_INT16: return ((const int16_t*)p)[i];
    case TFC_INT32: return ((const int32_t*)p)[i];
    case TFC_INT64: return (double)((const int64_t*)p)[i];
    case TFC_BOOL:
    case TFC_UINT8: return ((const uint8_t*)p)[i];
    case TFC_UINT16: return ((const uint16_t*)p)[i];
    case TFC_UINT32: return ((const uint32_t*)p)[i];
    case TFC_UINT64: return (double)((const uint64_t*)p)[i];
    case TFC_COMPLEX64: return ((const float*)p)[2 * i];
    case TFC_COMPLEX128: return ((const double*)p)[2 * i];
    default: return 0;
  }
}

/* Writes one element of a numeric type; the value must be in its range. */
static inline void tfc_from_double(void* p, int32_t dtype, double v) {
  switch (tfc_plain_type(dtype % TFC_REF)) {
    case TFC_FLOAT: *(float*)p = (float)v; break;
    case TFC_DOUBLE: *(double*)p = v; break;
    case TFC_HALF: *(tfc_half*)p = tfc_double_to_half(v); break;
    case TFC_BFLOAT16: *(tfc_bfloat16*)p = tfc_double_to_bfloat16(v); break;
    case TFC_INT8: *(int8_t*)p = (int8_t)v; break;
    case TFC_INT16: *(int16_t*)p = (int16_t)v; break;
    case TFC_INT32: *(int32_t*)p = (int32_t)v; break;
    case TFC_INT64: *(int64_t*)p = (int64_t)v; break;
    case TFC_BOOL: *(uint8_t*)p = v != 0; break;
    case TFC_UINT8: *(uint8_t*)p = (uint8_t)v; break;
    case TFC_UINT16: *(uint16_t*)p = (uint16_t)v; break;
    case TFC_UINT32: *(uint32_t*)p = (uint32_t)v; break;
    case TFC_UINT64: *(uint64_t*)p = (uint64_t)v; break;
    case TFC_COMPLEX64:
      ((float*)p)[0] = (float)v;
      ((float*)p)[1] = 0;
      break;
    case TFC_COMPLEX128:
      ((double*)p)[0] = v;
      ((double*)p)[1] = 0;
      break;
    default: break;
  }
}

#endif /* TFCORE_CONVERT_H */
