/* The functions of products, by tile. */
#ifndef TFCORE_CUDA_GEMM_LAUNCH_H
#define TFCORE_CUDA_GEMM_LAUNCH_H

#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/linalg/gemm.h"
#include "kernels_cuda/reduce/launch.h"

/* NAME_type for small tiles, and NAMELarge_type for large ones if sums are float. */
static inline int tfc_find_gemm(tfc_construction* c, const char* module, const char* name,
                                int32_t dtype, const tfc_function* functions[GEMM_TILES]) {
  char large[64];
  TFC_TRY(tfc_find_function(c, module, name, dtype, &functions[GEMM_64x64]));
  if (tfc_accumulator_size(dtype) > 4) return TFC_OK;
  snprintf(large, sizeof large, "%sLarge", name);
  return tfc_find_function(c, module, large, dtype, &functions[GEMM_128x128]);
}

#endif /* TFCORE_CUDA_GEMM_LAUNCH_H */
