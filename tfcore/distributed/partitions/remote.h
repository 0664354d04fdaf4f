/* Steps that span tasks: the master's side of a partition that another task runs, and that task's
 * side. Cython (steps.pyx) runs the plans.
 */
#ifndef TFCORE_REMOTE_H
#define TFCORE_REMOTE_H

#include "fabric/fabric.h"
#include "rendezvous/rendezvous.h"
#include "step/step.h"

enum { TFC_RUN_TRACED = 1, TFC_RUN_IN_BACKGROUND = 8 }; /* flags of RUN; 2 and 4 are the fabric's */

/* One run of a partition, requested by another task or this one. */
typedef struct tfc_partition_run {
  int64_t step;
  uint64_t handle;
  int source;           /* the master */
  uint32_t incarnation; /* of the master's process */
  bool traced;          /* the master traces the step */
  bool in_background;   /* as its step is */
  bool writes;          /* the partition may change variables; set before it runs */
  bool cancelled;       /* under the lock of remote.c */
  tfc_step* running;    /* under that lock: NULL before and after */
  /* Of the thread that runs it now: */
  struct tfc_dynamic* parkable; /* NULL before it runs */
  void* state;                  /* what steps.pyx keeps for it */
  struct tfc_partition_run* next_ready;
  uint64_t change; /* with `next_ready`, of replicas/primary.c while it holds the run back */
  struct tfc_partition_run *next, *previous;
} tfc_partition_run;

/* Connects messages, kernel and rendezvous. `begin` and `end` are called without the GIL, on a
 * thread where they may take long. False: the run is over, and `end` has to be called. */
void tfc_steps_install(bool (*begin)(tfc_partition_run*), void (*end)(tfc_partition_run*));
/* A run that is parked can continue. */
void tfc_partition_run_resume(void* run);
void tfc_steps_after_fork(void); /* in the child */
void tfc_steps_tick(void);       /* by the heartbeat's thread */
/* Between these two a CANCEL reaches the running step. False: the run was cancelled before. */
bool tfc_partition_run_begin(tfc_partition_run* run, tfc_step* step);
void tfc_partition_run_end(tfc_partition_run* run);
/* Tells the master and frees the run, without the GIL. The text is empty when code is 0. */
void tfc_partition_run_done(tfc_partition_run* run, int code, const char* text, size_t size);
/* `keep` is called at the end of each run that may have changed variables, to keep what has
 * changed. If it `may_hold` the run and returns true, it has the run from then on, and gives it to
 * tfc_partition_run_release once that may be told to the master, on any thread. To be set before
 * partitions are registered. */
typedef bool (*tfc_keep_changes)(tfc_partition_run* run, bool may_hold);
void tfc_partition_run_keep(tfc_keep_changes keep);
void tfc_partition_run_release(tfc_partition_run* run);

/* How many partitions this task runs for masters now. */
int tfc_partition_runs(void);

/* "/job:ps/task:0 on host a (rank 1): killed. <what>" */
#define TFC_UNREACHABLE "It can't be reached"
void tfc_say_unavailable(int peer, const char* what, char* text, size_t size);

/* The kernel _RunPartition. */
typedef struct tfc_remote {
  int peer;
  uint64_t handle;
} tfc_remote;
int tfc_run_partition(tfc_context* ctx);

#endif
