/* The memory of a task for values that others ask to send, and the order in which they may.
 *
 * A value counts from the moment it is cleared for sending until its memory is freed or its step
 * ends. Requests are cleared in the order in which they came, as far as the budget goes, and one
 * always is when nothing counts: else a value larger than the budget would never come. Two rules
 * keep steps that wait for each other from blocking for ever:
 *
 *  - Requests of the first step among those that have requests or values here are cleared at once,
 *    whatever the budget. All tasks order steps alike: by count, then by the master's rank. So all
 *    values of the first step of the cluster arrive, it ends, and another one is the first.
 *  - A step may wait for a later one in ways that nobody sees here (a queue, an accumulator, a
 *    collective). When the task has stalled, one more request is cleared: for a while no cleared
 *    value has been on its way, and this process has computed nothing; or for ten times as long
 *    nothing was cleared, has come or was freed, whatever else this process does.
 *
 * Any thread may call these functions.
 */
#ifndef TFCORE_RECEIVE_BUDGET_H
#define TFCORE_RECEIVE_BUDGET_H

#include "rendezvous/rendezvous.h"

typedef struct tfc_budget_callbacks {
  /* Answers a request. wanted: its value may come; else nobody wants it any more. Called without a
   * lock held, by any thread that calls a function of this file or frees memory of a value. */
  void (*answer)(int peer, const tfc_key* key, bool wanted);
  int64_t (*now)(void); /* ns */
  /* Whether this process computes, and may free memory by it. */
  bool (*is_computing)(void);
} tfc_budget_callbacks;

typedef struct tfc_budget_counts {
  int64_t waiting;             /* number of requests that are not cleared */
  int64_t cleared;             /* number of values that may come and have not */
  int64_t reserved_bytes;      /* of values that were cleared and count */
  int64_t peak_reserved_bytes; /* the most since `open` */
  int64_t forced; /* number of values cleared since `open` because the task had stalled */
} tfc_budget_counts;

/* How long a task must be stalled before a request is forced. */
enum { TFC_BUDGET_PATIENCE_NS = 100000000, TFC_BUDGET_LONG_PATIENCE_NS = 1000000000 };

/* limit: in bytes. */
void tfc_budget_open(const tfc_budget_callbacks* callbacks, int64_t limit);
/* A Recv waits for this value. bytes: what it will take, with its overhead. The answer may be given
 * before this returns. False: there is no memory for the request, and it is not answered. */
bool tfc_budget_request(int peer, const tfc_key* key, int64_t bytes);
/* A cleared value has come. Replaces value->buffer by one that tells the budget when it is freed; a
 * value that was not requested is left alone, and one without memory no longer counts. */
void tfc_budget_arrived(int peer, const tfc_key* key, tfc_tensor* value);
/* Refuses the requests of a step that still wait. Its values that have come stop counting, but stay
 * valid. May be called more than once. */
void tfc_budget_end_step(int64_t step);
/* The same for all requests and values of a peer that has failed or left. */
void tfc_budget_end_peer(int peer);
bool tfc_budget_has_waiting(void); /* requests that are not cleared */
/* To be called ten times a second or so while requests wait. */
void tfc_budget_tick(void);
void tfc_budget_count(tfc_budget_counts* out);
void tfc_budget_after_fork(void); /* in the child */

#endif
