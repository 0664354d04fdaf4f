/* A product of matrices by one block at a time, for factors that are read through functions.
 *
 * A block computes a tile of 64 x 64. It brings tiles of both factors, 16 deep, to shared memory;
 * each of its 256 threads multiplies 4 rows with 4 columns in registers, so that a value from
 * shared memory serves four multiplications. The next tiles are fetched to registers while the
 * present ones are multiplied. */
#ifndef TFCORE_CUDA_GEMM_CUH
#define TFCORE_CUDA_GEMM_CUH

#include "element.cuh"
#include "gemm.h"

enum {
  GEMM_TILE = 4,                                      /* rows and columns of a thread */
  GEMM_LOADS = GEMM_ROWS * GEMM_DEPTH / GEMM_THREADS, /* elements of a tile that a thread brings */
  GEMM_PITCH = GEMM_ROWS + 4, /* of a row in shared memory: writes down a column hit other banks */
};

/* Where a block is: a tile of one product, a range of the depth. */
struct gemm_place {
  int64_t batch, row, col, chunk, begin, end;

  __device__ __forceinline__ gemm_place(const gemm_size& s, int64_t block) {
    const int64_t cols = (s.n + GEMM_COLS - 1) / GEMM_COLS,
                  rows = (s.m + GEMM_ROWS - 1) / GEMM_ROWS;
    const int64_t depth = (s.k + s.chunks - 1) / s.chunks;
    col = block % cols * GEMM_COLS;
    block /= cols;
    row = block % rows * GEMM_ROWS;
    block /= rows;
    batch = block % s.batch;
    chunk = block / s.batch;
    begin = chunk * depth;
    end = begin + depth < s.k ? begin + depth : s.k;
  }
};

/* Tiles in shared memory: depth by rows of a, depth by columns of b. */
template <typename A>
struct gemm_shared {
  A a[GEMM_DEPTH][GEMM_PITCH], b[GEMM_DEPTH][GEMM_PITCH];
};

/* The i-th element that a thread brings: its depth and its row (or column) in the tile.
 * Neighbouring threads go along the depth, or along rows, whichever is contiguous in memory. */
__device__ __forceinline__ void gemm_element(int i, bool along_depth, int* depth, int* row) {
  const int e = (int)threadIdx.x + i * GEMM_THREADS;
  *depth = along_depth ? e % GEMM_DEPTH : e / GEMM_ROWS;
  *row = along_depth ? e / GEMM_DEPTH : e % GEMM_ROWS;
}

/* Fetches this thread's elements of a tile that begins at (row, k); 0 outside. */
template <typename A, typename Factor>
__device__ __forceinline__ void gemm_fetch(const Factor& factor, int64_t row, int64_t rows,
                                           int64_t k, int64_t end, A (&fetched)[GEMM_LOADS]) {
#pragma unroll
  for (int i = 0; i < GEMM_LOADS; i++) {
    int d, r;
    gemm_element(i, factor.along_depth(), &d, &r);
    const bool inside = k + d < end && row + r < rows;
    fetched[i] = inside ? factor.at(row + r, k + d) : A(0);
  }
}
template <typename A>
__device__ __forceinline__ void gemm_put(A (&tile)[GEMM_DEPTH][GEMM_PITCH], bool along_depth,
                                         const A (&fetched)[GEMM_LOADS]) {
#pragma unroll
  for (int i = 0; i < GEMM_LOADS; i++) {
    int d, r;
    gemm_element(i, along_depth, &d, &r);
    tile[d][r] = fetched[i];
  }
}

/* sums += the product of the tiles in shared memory, at this thread's rows and columns. */
template <typename A>
__device__ __forceinline__ void gemm_multiply(const gemm_shared<A>& tiles, int row, int col,
                                              A (&sums)[GEMM_TILE][GEMM_TILE]) {
#pragma unroll 4 /* more takes more registers, and then fewer blocks fit a multiprocessor */
  for (int d = 0; d < GEMM_DEPTH; d++) {
    A a[GEMM_TILE], b[GEMM_TILE];
#pragma unroll
    for (int i = 0; i < GEMM_TILE; i++) a[i] = tiles.a[d][row + i];
#pragma unroll
    for (int j = 0; j < GEMM_TILE; j++) b[j] = tiles.b[d][col + j];
#pragma unroll
    for (int i = 0; i < GEMM_TILE; i++)
#pragma unroll
      for (int j = 0; j < GEMM_TILE; j++) sums[i][j] += a[i] * b[j];
  }
}

/* All products of a launch. A: the accumulator's type. RowFactor and ColFactor: structs with
 *   void move_to(batch)   before elements of this matrix are read
 *   A at(row, k)          an element of the factor (for b, row is the column of the product)
 *   bool along_depth()    neighbours in memory have neighbouring k
 * Result: a struct with put(place, row, col, sum). */
template <typename A, typename RowFactor, typename ColFactor, typename Result>
__device__ __forceinline__ void gemm(const gemm_size& size, RowFactor a, ColFactor b,
                                     const Result& result) {
  __shared__ gemm_shared<A> tiles;
  const int row = (int)threadIdx.x / (GEMM_COLS / GEMM_TILE) * GEMM_TILE;
  const int col = (int)threadIdx.x % (GEMM_COLS / GEMM_TILE) * GEMM_TILE;
  const int64_t tile_rows = (size.m + GEMM_ROWS - 1) / GEMM_ROWS;
  const int64_t blocks =
      tile_rows * ((size.n + GEMM_COLS - 1) / GEMM_COLS) * size.batch * size.chunks;
  for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
    const gemm_place at(size, block);
    a.move_to(at.batch);
    b.move_to(at.batch);
    A sums[GEMM_TILE][GEMM_TILE] = {}, next_a[GEMM_LOADS], next_b[GEMM_LOADS];
    gemm_fetch<A>(a, at.row, size.m, at.begin, at.end, next_a);
    gemm_fetch<A>(b, at.col, size.n, at.begin, at.end, next_b);
    for (int64_t k = at.begin; k < at.end; k += GEMM_DEPTH) {
      gemm_put(tiles.a, a.along_depth(), next_a);
      gemm_put(tiles.b, b.along_depth(), next_b);
      __syncthreads();
      gemm_fetch<A>(a, at.row, size.m, k + GEMM_DEPTH, at.end, next_a);
      gemm_fetch<A>(b, at.col, size.n, k + GEMM_DEPTH, at.end, next_b);
      gemm_multiply(tiles, row, col, sums);
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < GEMM_TILE; i++)
#pragma unroll
      for (int j = 0; j < GEMM_TILE; j++)
        if (at.row + row + i < size.m && at.col + col + j < size.n)
          result.put(at, at.row + row + i, at.col + col + j, sums[i][j]);
  }
}

#endif /* TFCORE_CUDA_GEMM_CUH */
