/* Collectives: allreduce and its relatives as kernels that suspend.
 *
 * The ranks of a group run operations of the same key; the n-th run of one rank is matched with the
 * n-th runs of the others (an instance). Messages bear a hash of the sender's type, operation and
 * shapes, and messages of every run connect all ranks, so that a disagreement is found at once.
 *
 * A reduction is cut into blocks, each combined along a tree (collectives/tree.c): on each host one
 * rank combines the values of all (by reference, without a copy) and passes them on to another
 * host; the result comes back on the same way. Tiny inputs of few ranks go from all to all in one
 * round. Each element is combined once, or everywhere in the same order, so all ranks get the same
 * bits: on one host those of the order of the ranks, on several those of the order that
 * collectives/tree.c gives.
 *
 * A run's count has three parts: the membership epoch, the attempt (of runs that fail together),
 * and the run. A new epoch begins when a process takes a place again. Then all ranks count from 0,
 * and what was compiled before, or is under way, fails with TFC_ABORTED.
 *
 * A rank whose step fails tells the others which instances it will miss, and counts them as run:
 * after all have failed and try again, counts agree.
 */
#ifndef TFCORE_COLLECTIVE_H
#define TFCORE_COLLECTIVE_H

#include "collectives/tree.h"
#include "fabric/fabric.h"
#include "kernels_c/collective/loops.h"
#include "step/step.h"

typedef enum {
  TFC_COLLECTIVE_REDUCE = 0,
  TFC_COLLECTIVE_GATHER = 1,
  TFC_COLLECTIVE_BROADCAST = 2,
  TFC_COLLECTIVE_SCATTER = 3, /* reduce, each rank keeps its rows */
  TFC_COLLECTIVE_EQUAL = 4    /* fails where ranks have different values */
} tfc_collective_kind;

enum { TFC_EPOCH_BITS = 16, TFC_ATTEMPT_BITS = 11, TFC_RUN_BITS = 36 };

/* State of a kernel. */
typedef struct tfc_collective {
  struct tfc_channel* channel;
  int64_t epoch; /* in which it was made */
  const tfc_collective_loops* loops;
  char* key;
  char* labels; /* names of the inputs, one per line */
  tfc_collective_kind kind;
  tfc_reduce_op op;
  bool mean;
  int root;       /* as an index in the group */
  int n;          /* ranks of the group */
  int me;         /* this process's index in it, -1: not a member */
  int32_t* ranks; /* ascending */
  tfc_hosts hosts;
} tfc_collective;

/* Called once, before anything else. */
void tfc_collective_install(void);
/* Copies its arguments; NULL: no memory. `labels` may be NULL. */
tfc_collective* tfc_collective_new(const char* key, const char* labels, int n, const int32_t* ranks,
                                   int me);
void tfc_collective_free(void* state);
void tfc_collective_after_fork(void); /* in the child */
int tfc_collective_compute(tfc_context* ctx);
/* The runs of this key fail with this error until the next attempt begins. */
void tfc_collective_poison(const char* key, int code, const char* message);
void tfc_collective_end_poisoned(void); /* those that have begun already */
/* Restarts the count of runs of this key, so that counts agree again after an attempt in which
 * not all ranks came to run it. number: epoch << TFC_ATTEMPT_BITS | attempt. */
void tfc_collective_begin_attempt(const char* key, int64_t number);
void tfc_collective_begin_epoch(int64_t epoch);
/* The ranks for which the run that this node of the step has begun waits: at most `room` of them.
 * Returns how many; *run: its number. 0: it does not wait. */
int tfc_collective_missing(int64_t step, int node, int32_t* ranks, int room, int64_t* run);
/* Whether a run of this rank waits for other ranks. */
bool tfc_collective_waits(const char* key);
int64_t tfc_collective_messages_sent(void); /* by this process */

#endif
