/* Parameters of random numbers. */
#ifndef TFCORE_CUDA_RANDOM_H
#define TFCORE_CUDA_RANDOM_H

#include "kernels_cuda/common/launch.h"

/* n numbers from a Philox stream. The host reserves the blocks of a stateful op's stream; number i
 * depends on the stream and i alone. */
typedef struct random_params {
  void* y;
  int64_t n;
  uint64_t key, high, block; /* the stream: the counter is `high` and, as its lower half, block */
  int64_t low;               /* of integers: they are in [low, low + range) */
  uint64_t range;            /* not 0 */
  int64_t per_block;         /* numbers made of a block: 2 of 8 bytes, else 4 */
} random_params;

/* A thread for each block. */
static inline tfc_launch random_launch(const random_params* p) {
  return tfc_launch_elements(tfc_ceil_div(p->n, p->per_block));
}

#endif /* TFCORE_CUDA_RANDOM_H */
