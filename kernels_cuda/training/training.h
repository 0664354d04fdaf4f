/* Parameters of the optimizers' updates. */
#ifndef TFCORE_CUDA_TRAINING_H
#define TFCORE_CUDA_TRAINING_H

#include "kernels_cuda/indexing/indexing.h"

enum { TRAINING_NESTEROV = 1, TRAINING_UPDATE_SLOTS = 2, TRAINING_MULTIPLY_BY_LR = 4 };

/* Updates n elements of a variable, slot[0], and of its slots. The scalars lie in device memory,
 * since some are variables, in the order of the op's arguments without its tensors. */
typedef struct training_params {
  void* slot[4];
  const void* gradient;
  const void* scalar[6]; /* an element each */
  int64_t n;
  int32_t flags; /* TRAINING_*: the op's attributes */
  int32_t unused;
} training_params;

static inline tfc_launch training_launch(const training_params* p) {
  return tfc_launch_elements(p->n);
}

/* The same for the rows that indices of depth 1 name, in the order of the indices. `gradient` is
 * [index.n][index.inner]. */
typedef struct sparse_training_params {
  void* slot[4];
  const void* gradient;
  const void* scalar[6];
  nd_index index;
  int32_t flags;
  int32_t unused;
} sparse_training_params;

static inline tfc_launch sparse_training_launch(const sparse_training_params* p) {
  return tfc_launch_blocks(p->index.inner ? p->index.n : 0, TFC_BLOCK);
}

#endif /* TFCORE_CUDA_TRAINING_H */
