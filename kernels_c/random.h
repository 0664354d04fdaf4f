/* Shared by the random kernels: the stream of a stateful op. */
#ifndef TFCORE_RANDOM_H
#define TFCORE_RANDOM_H

#include <stdlib.h>
#include <time.h>

#include "random_philox.h"

typedef struct tfc_random_state {
  uint64_t key, high; /* from the seeds, or entropy if both are 0 */
  uint64_t used;      /* blocks taken so far; atomic */
} tfc_random_state;

#pragma GCC visibility push(hidden)
/* Starts the stream of the attributes seed and seed2. */
int tfc_random_seed(tfc_construction* c, tfc_random_state* s);
int tfc_random_create(tfc_construction* c, void** state);
void tfc_random_destroy(void* state);
/* The op's stream at its next unused block, of which the caller takes `blocks`. */
philox tfc_random_reserve(tfc_context* ctx, int64_t blocks);
/* Reads and checks the input with the shape of the output. */
int tfc_random_shape(tfc_context* ctx, int input, int* rank, int64_t* dims);
#pragma GCC visibility pop

#endif /* TFCORE_RANDOM_H */
