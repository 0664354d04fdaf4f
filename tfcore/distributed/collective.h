/* Collectives: allreduce and its kin as kernels that suspend.
 *
 * The ranks of a group run an operation of the same key; the n-th run of one rank meets the n-th
 * runs of the others (an instance). Every rank tells every other one what it brings (a hash of
 * type, operation and shapes), so that ranks that disagree find out at once.
 *
 * A reduction is cut into blocks, each owned by one rank. All send their part of a block to its
 * owner (inside a host by reference, nothing is copied), who combines the parts in the order of the
 * ranks and sends the result to all. What is tiny goes from all to all in one round. So all ranks
 * get the same bits.
 *
 * A rank whose step fails tells the others the instances that it will not take part in, and counts
 * them as run: when all have failed and try again, counts agree.
 */
#ifndef TFCORE_COLLECTIVE_H
#define TFCORE_COLLECTIVE_H

#include "../../kernels_c/collective_loops.h"
#include "fabric.h"
#include "step.h"

typedef enum {
  TFC_COLLECTIVE_REDUCE = 0,
  TFC_COLLECTIVE_GATHER = 1,
  TFC_COLLECTIVE_BROADCAST = 2,
  TFC_COLLECTIVE_SCATTER = 3, /* reduce, each rank keeps its rows */
  TFC_COLLECTIVE_EQUAL = 4    /* fails where ranks have different values */
} tfc_collective_kind;

/* The state of a kernel. */
typedef struct tfc_collective {
  struct tfc_channel* channel;
  const tfc_collective_loops* loops;
  char* key;
  char* labels; /* names of the inputs, one a line */
  tfc_collective_kind kind;
  tfc_reduce_op op;
  bool mean;
  int root;       /* as an index in the group */
  int n;          /* ranks of the group */
  int me;         /* this process's index in it, -1: it is not a member */
  int32_t* ranks; /* ascending */
} tfc_collective;

/* Once, before anything else. */
void tfc_collective_install(const tfc_runtime* runtime, const tfc_fabric* fabric);
/* Copies what it is given; NULL: no memory. `labels` may be NULL. */
tfc_collective* tfc_collective_new(const char* key, const char* labels, int n, const int32_t* ranks,
                                   int me);
void tfc_collective_free(void* state);
void tfc_collective_after_fork(void); /* in the child */
int tfc_collective_compute(tfc_context* ctx);
/* All collectives of that key end with this error, now and later; code 0: no longer. */
void tfc_collective_poison(const char* key, int code, const char* message);
/* Whether a run of this rank waits for others. */
bool tfc_collective_waits(const char* key);

#endif
