/* Blocks of matrix products, which matmul and conv have in common. Sizes are data here. */
#ifndef TFCORE_CUDA_GEMM_H
#define TFCORE_CUDA_GEMM_H

#include "kernels_cuda/common/launch.h"

enum {
  GEMM_DEPTH = 8,             /* of the tiles of the factors in shared memory */
  GEMM_MULTIPROCESSORS = 132, /* of the card that plans are made for */
  GEMM_CHUNK_DEPTH = 128,     /* least depth of a chunk */
};

/* Tiles of the product that a block computes, by their rows and columns. */
enum gemm_tile { GEMM_64x64, GEMM_128x128, GEMM_TILES };

/* The size of a product: c[m][n] = sum over k of a[m][k] b[k][n], `batch` times. With more than one
 * chunk c has partial sums [chunks][batch][m][n] in the accumulator's type, which Sum adds up
 * (reduce_params with x_partial, outer 1, reduced = chunks, inner = batch m n). */
typedef struct gemm_size {
  int64_t batch, m, n, k;
  int64_t chunks;
  int64_t wide;    /* accumulators have 8 bytes: only the smallest tiles */
  int64_t tile;    /* enum gemm_tile; the large one only with `vectors` */
  int64_t vectors; /* factors and product are read and written four elements at a time */
} gemm_size;

static inline int64_t gemm_tile_side(int64_t tile) {
  return tile == GEMM_64x64 ? 64 : 128;
}
/* A thread computes 8 x 4 of the small tile, 8 x 8 of the large one. */
static inline int64_t gemm_threads(int64_t tile) {
  return tile == GEMM_64x64 ? 128 : 256;
}
static inline int64_t gemm_tiles(const gemm_size* s, int64_t tile) {
  const int64_t side = gemm_tile_side(tile);
  return s->batch * tfc_ceil_div(s->m, side) * tfc_ceil_div(s->n, side);
}

/* What a product costs with these tiles and chunks, in units that compare plans: the time of the
 * multiprocessor that has most to do. */
static inline int64_t gemm_cost(const gemm_size* s, int64_t tile, int64_t chunks) {
  /* Small tiles read more for each multiplication. */
  static const int64_t percent[GEMM_TILES] = {130, 100};
  const int64_t area = gemm_tile_side(tile) * gemm_tile_side(tile);
  const int64_t turns = tfc_ceil_div(gemm_tiles(s, tile) * chunks, GEMM_MULTIPROCESSORS);
  /* A multiprocessor needs 16 warps to be always busy. */
  const int64_t warps = turns * gemm_threads(tile) / 32;
  const int64_t idle = warps >= 16 ? 100 : warps >= 8 ? 115 : warps >= 4 ? 160 : 250;
  const int64_t multiply =
      turns * area / 128 * tfc_ceil_div(s->k, chunks) * percent[tile] / 100 * idle / 100;
  /* Partial sums are written and read, at some 12 bytes a cycle of a multiprocessor, and a second
   * launch takes some 3 microseconds. */
  const int64_t partial = s->batch * s->m * s->n * (2 * chunks + 1) * 4;
  const int64_t sum = chunks > 1 ? partial / GEMM_MULTIPROCESSORS / 12 + 5000 : 0;
  return multiply + sum;
}
/* Chooses tile and chunks from the sizes and `vectors`: the chunks decide the order of sums.
 * (Kernels count the depth of a chunk in 32 bits. A product so deep that one chunk were too many
 * has few tiles.) */
static inline void gemm_plan(gemm_size* s, int64_t most_chunks) {
  int64_t best = INT64_MAX;
  const int64_t possible = s->k / GEMM_CHUNK_DEPTH;
  if (most_chunks > possible) most_chunks = possible;
  s->chunks = 1;
  s->tile = GEMM_64x64;
  for (int64_t tile = GEMM_64x64; tile < (s->wide || !s->vectors ? GEMM_128x128 : GEMM_TILES);
       tile++) {
    const int64_t tiles = gemm_tiles(s, tile);
    for (int64_t chunks = 1; chunks == 1 || chunks <= most_chunks; chunks++) {
      if (chunks > 1 && tiles * chunks > 8 * GEMM_MULTIPROCESSORS) break;
      const int64_t cost = gemm_cost(s, tile, chunks);
      if (cost >= best) continue;
      best = cost;
      s->tile = tile;
      s->chunks = chunks;
    }
  }
}
static inline tfc_launch gemm_launch(const gemm_size* s) {
  return tfc_launch_blocks(gemm_tiles(s, s->tile) * s->chunks, (uint32_t)gemm_threads(s->tile));
}

/* Without change of the order of sums: addresses that don't allow accesses of four elements. */
static inline void gemm_plan_addresses(gemm_size* s, const void* a, const void* b, const void* c) {
  if (!(((uintptr_t)a | (uintptr_t)b | (uintptr_t)c) % 16)) return;
  s->vectors = 0;
  s->tile = GEMM_64x64;
}

#endif /* TFCORE_CUDA_GEMM_H */
