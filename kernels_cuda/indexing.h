/* Parameters of Gather, GatherNd and all ops that scatter. Indices are int32, or int64 where `wide`
 * is 1. A wrong one is reported with its position in the tensor of indices (for those of several
 * numbers, the position of the first one divided by their count). */
#ifndef TFCORE_CUDA_INDEXING_H
#define TFCORE_CUDA_INDEXING_H

#include "launch.h"

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
  return tfc_launch_elements(p->batch * p->outer * p->n * p->inner);
}

/* Indices of `depth` numbers each, into the first `depth` dimensions of a tensor whose others have
 * `inner` elements together. depth 0 means element 0. */
typedef struct nd_index {
  const void* indices; /* [n][depth] */
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

/* Which wrong indices of updates mean no row. They are not reported; any other makes all updates do
 * nothing. */
enum { SKIP_NONE, SKIP_NEGATIVE, SKIP_WRONG };

/* x[index i][inner] = x[index i][inner] op updates[i][inner], in the order of i, so that equal
 * indices give the CPU's result. */
typedef struct scatter_params {
  void* x;
  const void* updates;
  nd_index index;
  int64_t update_step; /* 1, or 0: one update for all elements */
  int32_t skip;        /* SKIP_... */
  int32_t replace;     /* 1: the first update of a row replaces what is there */
} scatter_params;

/* A block for each index. It looks for equal ones among all others, which is quick up to some
 * hundred thousand indices; sorting them would be better for more. */
static inline tfc_launch scatter_launch(const scatter_params* p) {
  return tfc_launch_blocks(p->index.inner ? p->index.n : 0, TFC_BLOCK);
}

#endif /* TFCORE_CUDA_INDEXING_H */
