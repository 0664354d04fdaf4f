/* Sorted indices for launches that update rows. */
#ifndef TFCORE_CUDA_INDEXING_LAUNCH_H
#define TFCORE_CUDA_INDEXING_LAUNCH_H

#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/indexing/indexing.h"

#pragma GCC visibility push(hidden)

typedef struct index_sorter {
  const tfc_function *sort, *merge;
} index_sorter;

int tfc_find_sorter(tfc_construction* c, index_sorter* s);

/* Sets `index->order`. `skip` is SKIP_... */
int tfc_sort_indices(tfc_context* ctx, const index_sorter* s, int skip, nd_index* index);

#pragma GCC visibility pop

#endif /* TFCORE_CUDA_INDEXING_LAUNCH_H */
