/* Parameters of reductions: families reduce and reduce_arg.
 *
 * A stage sees its input as [outer][reduced][inner] and removes the middle dimension. Other sets of
 * axes take several stages; each works on the small result of the one before. A long
 * dimension is cut into chunks, whose partial results a second stage reduces. How it is cut depends
 * on sizes only, and so does every bit of the result. */
#ifndef TFCORE_CUDA_REDUCE_H
#define TFCORE_CUDA_REDUCE_H

#include "kernels_cuda/common/launch.h"

enum {
  TFC_REDUCE_THREADS = 256,
  TFC_REDUCE_CHUNK_BLOCKS = 2048,
  TFC_REDUCE_FULL = 1 << 16, /* threads that keep a card busy */
};

typedef struct reduce_params {
  const void* x;
  void* y;                       /* [outer][chunks][inner] */
  int64_t outer, reduced, inner; /* sizes of x */
  int64_t divisor;               /* of Mean: elements behind each element of the result */
  int64_t chunks;                /* parts of the reduced dimension; with more than 1, y_partial */
  int64_t lanes;                 /* threads that share a chunk: a power of 2, at most 256 */
  int32_t x_partial, y_partial;  /* x or y has accumulators instead of elements: see reduce.cu */
} reduce_params;

/* The least power of 2 of threads that leaves each at most four of n elements; at most `most`. */
static inline int64_t reduce_lanes(int64_t n, int64_t most) {
  int64_t lanes = 1;
  while (lanes < most && lanes * 4 <= n) lanes *= 2;
  return lanes;
}
/* Lanes for lines of n neighbours: a warp, and more only where a thread had more than 32 elements,
 * or where the lines are too few to fill a card. */
static inline int64_t reduce_line_lanes(int64_t lines, int64_t n) {
  int64_t lanes = reduce_lanes(n, 32);
  while (lanes >= 32 && lanes < TFC_REDUCE_THREADS &&
         (lanes * 32 < n || (lanes * 4 <= n && lines * lanes < TFC_REDUCE_FULL)))
    lanes *= 2;
  return lanes;
}
/* The lanes for [outer][reduced][inner]. For columns, where inner is not 1, neighbouring threads
 * read neighbouring columns, 32 where there are as many. */
static inline int64_t reduce_best_lanes(int64_t outer, int64_t reduced, int64_t inner) {
  if (inner == 1) return reduce_line_lanes(outer, reduced);
  int64_t most = TFC_REDUCE_THREADS;
  while (most > 8 && TFC_REDUCE_THREADS / most < outer * inner) most /= 2;
  return reduce_lanes(reduced, most);
}
/* A block takes 256 / lanes results at a time. */
static inline int64_t reduce_tiles(int64_t results, int64_t lanes) {
  return tfc_ceil_div(results, TFC_REDUCE_THREADS / lanes);
}

/* Chooses lanes and chunks from the sizes: chunks where there are too few results to fill a card,
 * each worth a block's while. */
static inline void reduce_plan(reduce_params* p) {
  p->lanes = reduce_best_lanes(p->outer, p->reduced, p->inner);
  int64_t tiles = reduce_tiles(p->outer * p->inner, p->lanes);
  int64_t wanted = tiles ? tfc_ceil_div(TFC_REDUCE_CHUNK_BLOCKS, tiles) : 1;
  int64_t possible = p->reduced / (16 * p->lanes);
  p->chunks = wanted < possible ? wanted : possible;
  if (p->chunks < 1) p->chunks = 1;
}

/* Rows of a chunk; in lines, chunks begin where groups of 16 bytes do. The last chunks may be short
 * or empty. */
static inline TFC_ALSO_ON_DEVICE int64_t reduce_rows(const reduce_params* p) {
  const int64_t rows = (p->reduced + p->chunks - 1) / p->chunks;
  return p->inner == 1 && p->chunks > 1 ? (rows + 15) / 16 * 16 : rows;
}

static inline tfc_launch reduce_launch(const reduce_params* p) {
  return tfc_launch_blocks(reduce_tiles(p->outer * p->inner, p->lanes) * p->chunks,
                           TFC_REDUCE_THREADS);
}

/* ArgMax and ArgMin: the position of the extreme in the middle dimension. */
typedef struct reduce_arg_params {
  const void* x;
  void* y;                       /* [outer][inner], int32 or int64 */
  int64_t outer, reduced, inner; /* sizes of x; reduced is not 0 */
  int64_t lanes;                 /* as above */
  int32_t wide;                  /* y is int64 */
  int32_t unused;
} reduce_arg_params;

static inline void reduce_arg_plan(reduce_arg_params* p) {
  p->lanes = reduce_best_lanes(p->outer, p->reduced, p->inner);
}
static inline tfc_launch reduce_arg_launch(const reduce_arg_params* p) {
  return tfc_launch_blocks(reduce_tiles(p->outer * p->inner, p->lanes), TFC_REDUCE_THREADS);
}

#endif /* TFCORE_CUDA_REDUCE_H */
