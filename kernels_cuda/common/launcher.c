/* How launchers find their functions; the one file with TFC_LIBRARY. */
#include "kernels_cuda/common/launcher.h"

#include <stdlib.h>

TFC_LIBRARY;

const char* tfc_cuda_type(int32_t dtype) {
  static const char* const names[] = {
      [TFC_FLOAT] = "float",   [TFC_DOUBLE] = "double",       [TFC_INT32] = "int32",
      [TFC_UINT8] = "uint8",   [TFC_INT16] = "int16",         [TFC_INT8] = "int8",
      [TFC_INT64] = "int64",   [TFC_BOOL] = "bool",           [TFC_BFLOAT16] = "bfloat16",
      [TFC_UINT16] = "uint16", [TFC_HALF] = "half",           [TFC_UINT32] = "uint32",
      [TFC_UINT64] = "uint64", [TFC_COMPLEX64] = "complex64", [TFC_COMPLEX128] = "complex128"};
  return dtype >= 0 && dtype < (int32_t)(sizeof names / sizeof *names) ? names[dtype] : NULL;
}

int tfc_find_function(tfc_construction* c, const char* module, const char* name, int32_t dtype,
                      const tfc_function** out) {
  char text[128];
  snprintf(text, sizeof text, "%s_%s", name, tfc_cuda_type(dtype));
  return c->api->function(c, module, text, out);
}

int tfc_find_mover(tfc_construction* c, const char* module, const char* name, int32_t dtype,
                   const tfc_function** out) {
  char text[128];
  snprintf(text, sizeof text, "%s_bytes%zu", name, tfc_dtype_size(dtype));
  return c->api->function(c, module, text, out);
}
