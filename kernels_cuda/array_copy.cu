/* Copies of boxes, transposes, OneHot: by element size. */
#include "array_copy.h"
#include "element.cuh"

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

/* ---- Transposes: a block takes a tile of 32 x 32 through shared memory. */

template <typename T>
__device__ __forceinline__ void transpose_tiles(const transpose_params& p) {
  __shared__ T tile[TRANSPOSE_TILE][TRANSPOSE_TILE + 1]; /* columns begin in different banks */
  const int x = (int)threadIdx.x % TRANSPOSE_TILE, y = (int)threadIdx.x / TRANSPOSE_TILE;
  const int64_t across = (p.cols + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE;
  const int64_t down = (p.rows + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE;
  for (int64_t block = blockIdx.x; block < p.batch * down * across; block += gridDim.x) {
    const int64_t col = block % across * TRANSPOSE_TILE;
    const int64_t row = block / across % down * TRANSPOSE_TILE;
    const int64_t matrix = block / across / down * p.rows * p.cols;
    const T* from = (const T*)p.from + matrix;
    T* to = (T*)p.to + matrix;
    for (int k = y; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
      if (row + k < p.rows && col + x < p.cols) tile[k][x] = from[(row + k) * p.cols + col + x];
    __syncthreads();
    for (int k = y; k < TRANSPOSE_TILE; k += TRANSPOSE_ROWS)
      if (col + k < p.cols && row + x < p.rows) to[(col + k) * p.rows + row + x] = tile[x][k];
    __syncthreads();
  }
}
#define TRANSPOSE_KERNEL(OP, T)                                                      \
  TFC_KERNEL_BOUNDS(OP##_##T, transpose_params, p, TRANSPOSE_TILE* TRANSPOSE_ROWS) { \
    transpose_tiles<T>(p);                                                           \
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
