/* Parameters of Gather, GatherNd and all ops that scatter. Indices are int32, or int64 where `wide`
 * is 1. A wrong one is reported with its position in the tensor of indices (for those of several
 * numbers, the position of the first one divided by their count). */
#ifndef TFCORE_CUDA_INDEXING_H
#define TFCORE_CUDA_INDEXING_H

#include "kernels_cuda/common/launch.h"

/* y[batch][outer][i][inner] = x[batch][outer][indices[batch][i]][inner]; 0 where the index is
 * outside [0, limit). */
typedef struct gather_params {
  const void *x, *indices;
  void* y;
  tfc_report* report;
  int64_t batch, outer, limit, inner; /* sizes of x */
  int64_t n;                          /* indices of each batch */
  int32_t wide, unused;
} gather_params;

static inline tfc_launch gather_launch(const gather_params* p) {
  return tfc_launch_groups(p->batch * p->outer * p->n * p->inner);
}

/* Indices of `depth` numbers each, into the first `depth` dimensions of a tensor whose others have
 * `inner` elements together. depth 0 means element 0. */
typedef struct nd_index {
  const void* indices; /* [n][depth] */
  const void* order;   /* of updates: [n] index_key, sorted; see sort_indices_params */
  tfc_report* report;
  int64_t n, depth, inner;
  int64_t dims[8];
  int32_t wide, unused;
} nd_index;

/* y[i][inner] = x[index i][inner]; 0 where the index is wrong. */
typedef struct gather_nd_params {
  const void* x;
  void* y;
  nd_index index;
} gather_nd_params;

static inline tfc_launch gather_nd_launch(const gather_nd_params* p) {
  return tfc_launch_elements(p->index.n * p->index.inner);
}

/* ---- Updates: a sort brings indices of the same row together, so that one block does all updates
 * of a row, in the order of the indices. */

/* The row that the index at a position names; -1: none. */
typedef struct index_key {
  int64_t row, position;
} index_key;

/* Which wrong indices are not reported. Any other makes all updates do nothing. */
enum { SKIP_NONE, SKIP_NEGATIVE, SKIP_WRONG };

enum { SORT_RUN = 512 };

/* Keys of all indices in sorted runs of `width`: by row, then by position; those of no row last. */
typedef struct sort_indices_params {
  nd_index index;
  void* to; /* [n] index_key */
  int64_t width;
  int32_t skip, unused; /* SKIP_... */
} sort_indices_params;

static inline void sort_indices_plan(sort_indices_params* p) {
  p->width = 2;
  while (p->width < SORT_RUN && p->width < p->index.n) p->width *= 2;
}
static inline tfc_launch sort_indices_launch(const sort_indices_params* p) {
  return tfc_launch_blocks(tfc_ceil_div(p->index.n, p->width), (uint32_t)p->width / 2);
}

/* Merges each pair of sorted runs. */
typedef struct merge_indices_params {
  const void* from;
  void* to;
  int64_t n, width; /* of the runs that are merged */
} merge_indices_params;

static inline tfc_launch merge_indices_launch(const merge_indices_params* p) {
  return tfc_launch_elements(p->n);
}

/* x[index i][inner] = x[index i][inner] op updates[i][inner], in the order of i, so that equal
 * indices give the CPU's result. */
typedef struct scatter_params {
  void* x;
  const void* updates;
  nd_index index;
  int64_t update_step; /* 1, or 0: one update for all elements */
  int32_t replace;     /* 1: the first update of a row replaces what is there */
  int32_t unused;
} scatter_params;

/* A block for each index; those that are not the first of their row have nothing to do. */
static inline tfc_launch scatter_launch(const scatter_params* p) {
  return tfc_launch_blocks(p->index.inner ? p->index.n : 0, TFC_BLOCK);
}

#endif /* TFCORE_CUDA_INDEXING_H */
