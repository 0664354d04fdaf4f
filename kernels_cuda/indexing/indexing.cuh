/* Indices on the device, and updates of the rows that they name. */
#ifndef TFCORE_CUDA_INDEXING_CUH
#define TFCORE_CUDA_INDEXING_CUH

#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/indexing/indexing.h"

__device__ __forceinline__ int64_t index_at(const void* indices, bool wide, int64_t i) {
  return wide ? ((const int64_t*)indices)[i] : ((const int32_t*)indices)[i];
}

/* ---- Indices of several numbers. */

/* The row that index i names; -1 if it is wrong. */
__device__ __forceinline__ int64_t nd_row(const nd_index& x, int64_t i) {
  int64_t row = 0;
  bool right = true;
  for (int k = 0; k < x.depth; k++) {
    const int64_t v = index_at(x.indices, x.wide, i * x.depth + k);
    right = right && v >= 0 && v < x.dims[k];
    row = row * x.dims[k] + v;
  }
  return right ? row : -1;
}
__device__ __forceinline__ void report_nd(const nd_index& x, int64_t i) {
#pragma unroll 1
  for (int k = 0; k < x.depth; k++)
    report_index(x.report, k, i, index_at(x.indices, x.wide, i * x.depth + k));
}

/* ---- Updates. */

/* Calls update(row, i, whether i is the row's first index) for each index i, by all threads of one
 * block, which have the same columns of every row; for none if an index is wrong. */
template <typename Update>
__device__ __forceinline__ void for_each_row(const nd_index& x, const Update& update) {
  const index_key* key = (const index_key*)x.order;
  if (x.report->failed & TFC_BAD_INDEX) return;
  for (int64_t i = blockIdx.x; i < x.n; i += gridDim.x) {
    const int64_t row = key[i].row;
    if (row < 0 || (i > 0 && key[i - 1].row == row)) continue;
    for (int64_t k = i; k < x.n && key[k].row == row; k++) update(row, key[k].position, k == i);
  }
}

#endif /* TFCORE_CUDA_INDEXING_CUH */
