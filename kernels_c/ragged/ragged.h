/* Ragged tensors: rows of different lengths. The values of all rows lie one after the other;
 * splits say where each row begins and ends. */
#ifndef TFCORE_RAGGED_H
#define TFCORE_RAGGED_H

#include "kernels_c/common/common.h"

/* Copies n elements between tensors of one type, which may be strings. */
static inline int tfc_copy_values(tfc_context* ctx, tfc_tensor* to, int64_t to_first,
                                  const tfc_tensor* from, int64_t from_first, int64_t n) {
  if (to->dtype == TFC_STRING) {
    const tfc_string* s = (const tfc_string*)from->data + from_first;
    for (int64_t i = 0; i < n; i++)
      TFC_TRY(tfc_string_set(ctx, to, to_first + i, s[i].data, s[i].size));
  } else if (n) {
    const size_t size = tfc_dtype_size(to->dtype);
    memcpy((char*)to->data + (size_t)to_first * size,
           (const char*)from->data + (size_t)from_first * size, (size_t)n * size);
  }
  return TFC_OK;
}

#endif
