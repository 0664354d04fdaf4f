/* Copies of boxes, transposes, OneHot: by element size. */
#include "kernels_cuda/array/copy.h"
#include "kernels_cuda/common/element.cuh"

/* ---- Copies. I: an integer type that holds n; 32 bits make the divisions cheap. */

template <typename T, typename I>
__device__ __forceinline__ void copy_elements(const array_copy_params& p) {
  const T* from = (const T*)p.from + p.from_offset;
  T* to = (T*)p.to + p.to_offset;
  TFC_FOR_ELEMENTS(i, p.n) {
    I rest = (I)i;
    int64_t source = 0, target = 0;
    for (int d = (int)p.rank - 1; d > 0; d--) {
      const I size = (I)p.dims[d], quotient = rest / size, index = rest - quotient * size;
      source += index * p.from_stride[d];
      target += index * p.to_stride[d];
      rest = quotient;
    }
    to[target + rest * p.to_stride[0]] = from[source + rest * p.from_stride[0]];
  }
}
#define COPY_KERNEL(OP, T)                     \
  TFC_KERNEL(OP##_##T, array_copy_params, p) { \
    if (p.n <= INT32_MAX)                      \
      copy_elements<T, uint32_t>(p);           \
    else                                       \
      copy_elements<T, int64_t>(p);            \
  }
TFC_SIZES(COPY_KERNEL, Copy)

/* ---- Transposes: a block takes a tile through shared memory. Each thread has all its elements
 * of the tile on their way before it waits for the first. */

template <typename T>
__device__ __forceinline__ void transpose_tiles(const transpose_params& p) {
  /* Larger elements would not fit. */
  enum { SIDE = sizeof(T) > 8 ? TRANSPOSE_TILE / 2 : TRANSPOSE_TILE };
  enum { ROWS = TRANSPOSE_THREADS / SIDE, OWN = SIDE / ROWS };
  __shared__ T tile[SIDE][SIDE + 1]; /* columns begin in different banks */
  const int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
  const int64_t across = (p.cols + SIDE - 1) / SIDE, down = (p.rows + SIDE - 1) / SIDE;
  for (int64_t block = blockIdx.x; block < p.batch * down * across; block += gridDim.x) {
    const int64_t line = quotient_of(block, across), batch = quotient_of(line, down);
    const int64_t col = (block - line * across) * SIDE, row = (line - batch * down) * SIDE;
    const T* from = (const T*)p.from + batch * p.rows * p.cols;
    T* to = (T*)p.to + batch * p.rows * p.cols;
    T own[OWN];
#pragma unroll
    for (int k = 0; k < OWN; k++)
      if (row + y + k * ROWS < p.rows && col + x < p.cols)
        own[k] = from[(row + y + k * ROWS) * p.cols + col + x];
#pragma unroll
    for (int k = 0; k < OWN; k++) tile[y + k * ROWS][x] = own[k];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < OWN; k++)
      if (col + y + k * ROWS < p.cols && row + x < p.rows)
        to[(col + y + k * ROWS) * p.rows + row + x] = tile[x][y + k * ROWS];
    __syncthreads();
  }
}
#define TRANSPOSE_KERNEL(OP, T)                                         \
  TFC_KERNEL_BOUNDS(OP##_##T, transpose_params, p, TRANSPOSE_THREADS) { \
    transpose_tiles<T>(p);                                              \
  }
TFC_SIZES(TRANSPOSE_KERNEL, Transpose)

/* ---- OneHot. */

__device__ __forceinline__ int64_t one_hot_index(const one_hot_params& p, int64_t i) {
  if (p.index_bytes == 8) return ((const int64_t*)p.indices)[i];
  return p.index_bytes == 4 ? ((const int32_t*)p.indices)[i] : ((const uint8_t*)p.indices)[i];
}
#define ONE_HOT_KERNEL(OP, T)                                           \
  TFC_KERNEL(OP##_##T, one_hot_params, p) {                             \
    const T on = *(const T*)p.on, off = *(const T*)p.off;               \
    TFC_FOR_ELEMENTS(i, p.outer * p.depth * p.inner) {                  \
      const int64_t inner = i % p.inner, outer = i / p.inner / p.depth; \
      const int64_t hot = one_hot_index(p, outer * p.inner + inner);    \
      ((T*)p.y)[i] = i / p.inner % p.depth == hot ? on : off;           \
    }                                                                   \
  }
TFC_SIZES(ONE_HOT_KERNEL, OneHot)
