/* Blocks of matrix products, which matmul and conv have in common. Sizes are data here. */
#ifndef TFCORE_CUDA_GEMM_H
#define TFCORE_CUDA_GEMM_H

#include "launch.h"

enum {
  GEMM_ROWS = 64, /* of the tile of the product that a block computes */
  GEMM_COLS = 64,
  GEMM_DEPTH = 16, /* of the tiles of the factors in shared memory */
  GEMM_THREADS = 256,
  GEMM_FEW_TILES = 132,   /* with fewer, the depth is cut into chunks: multiprocessors of a card */
  GEMM_CHUNK_DEPTH = 128, /* least depth of a chunk */
};

/* The size of a product: c[m][n] = sum over k of a[m][k] b[k][n], `batch` times. With more than one
 * chunk c has partial sums [chunks][batch][m][n] in the accumulator's type, which Sum adds up
 * (reduce_params with x_partial, outer 1, reduced = chunks, inner = batch m n). */
typedef struct gemm_size {
  int64_t batch, m, n, k;
  int64_t chunks;
} gemm_size;

static inline int64_t gemm_tiles(const gemm_size* s) {
  return s->batch * tfc_ceil_div(s->m, GEMM_ROWS) * tfc_ceil_div(s->n, GEMM_COLS);
}
static inline void gemm_plan(gemm_size* s) {
  int64_t tiles = gemm_tiles(s), possible = s->k / GEMM_CHUNK_DEPTH;
  int64_t wanted = tiles ? GEMM_FEW_TILES / tiles : 1;
  s->chunks = wanted < possible ? wanted : possible;
  if (s->chunks < 1) s->chunks = 1;
}
static inline tfc_launch gemm_launch(const gemm_size* s) {
  return tfc_launch_blocks(gemm_tiles(s) * s->chunks, GEMM_THREADS);
}

#endif /* TFCORE_CUDA_GEMM_H */
