/* Indices on the device, and updates of the rows that they name. */
#ifndef TFCORE_CUDA_INDEXING_CUH
#define TFCORE_CUDA_INDEXING_CUH

#include "element.cuh"
#include "indexing.h"

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

/* ---- Updates. The block of the first of equal indices does the work of all of them, in their
 * order; a thread has the same columns of every row. */

/* Whether an index before i names the same row. All threads of the block get the answer. */
__device__ __forceinline__ bool named_before(const nd_index& x, int64_t i, int64_t row) {
  for (int64_t from = 0; from < i; from += blockDim.x) {
    const int64_t k = from + threadIdx.x;
    if (__syncthreads_or(k < i && nd_row(x, k) == row)) return true;
  }
  return false;
}

/* Whether index i, which is wrong, means no row. */
__device__ __forceinline__ bool is_skipped(const nd_index& x, int64_t i, int skip) {
  return skip == SKIP_WRONG || (skip == SKIP_NEGATIVE && index_at(x.indices, x.wide, i) < 0);
}

/* Whether no index is wrong. All threads of the block get the answer. */
__device__ __forceinline__ bool all_right(const nd_index& x, int skip) {
  if (skip == SKIP_WRONG) return true;
  for (int64_t from = 0; from < x.n; from += blockDim.x) {
    const int64_t k = from + threadIdx.x;
    const bool wrong = k < x.n && nd_row(x, k) < 0 && !is_skipped(x, k, skip);
    if (__syncthreads_or(wrong)) return false;
  }
  return true;
}

/* Calls update(row, i, whether i is the row's first index) for each index i, by all threads of one
 * block; for none if one is wrong. */
template <typename Update>
__device__ __forceinline__ void for_each_row(const nd_index& x, int skip, const Update& update) {
  __shared__ uint8_t same[TFC_BLOCK];
  const bool right = all_right(x, skip);
  for (int64_t i = blockIdx.x; i < x.n; i += gridDim.x) {
    const int64_t row = nd_row(x, i);
    if (row < 0) {
      if (threadIdx.x == 0 && !is_skipped(x, i, skip)) report_nd(x, i);
      continue;
    }
    if (!right || named_before(x, i, row)) continue;
    for (int64_t from = i; from < x.n; from += blockDim.x) {
      const int64_t k = from + threadIdx.x;
      same[threadIdx.x] = k < x.n && nd_row(x, k) == row;
      if (!__syncthreads_or(same[threadIdx.x])) continue;
      for (int j = 0; j < (int)blockDim.x; j++)
        if (same[j]) update(row, from + j, from + j == i);
      __syncthreads(); /* `same` is written again */
    }
  }
}

#endif /* TFCORE_CUDA_INDEXING_CUH */
