/* The memory of a task for values that others ask to send: who may send next.
 *
 * A value counts from the moment it is cleared for sending until its memory is freed or its step
 * ends. Requests are cleared in the order in which they came, as far as the budget goes. Two rules
 * keep steps that wait for each other from blocking for ever:
 *
 *  - The first step that has requests or values here is cleared at once, whatever the budget. All
 *    tasks order steps alike. So all values of the first step of the cluster arrive, it ends, and
 *    another one is the first.
 *  - A step may wait for a later one in ways that nobody sees here (a queue, an accumulator). When
 *    for a while nothing is on its way and this process computes nothing, one more is cleared.
 */
#ifndef TFCORE_RECEIVE_BUDGET_H
#define TFCORE_RECEIVE_BUDGET_H

#include "rendezvous.h"

typedef struct tfc_budget_callbacks {
  /* Answers a request. wanted: its value may come; else nobody wants it any more. Called without a
   * lock held, by any thread that calls a function of this file or frees memory of a value. */
  void (*answer)(int peer, const tfc_key* key, bool wanted);
  int64_t (*now)(void); /* ns */
  /* Whether this process computes, and may free memory by it. */
  bool (*is_computing)(void);
} tfc_budget_callbacks;

typedef struct tfc_budget_counts {
  int64_t waiting;   /* requests that are not cleared */
  int64_t cleared;   /* values that may come and have not */
  int64_t held;      /* bytes that count now */
  int64_t peak_held; /* the most since `open` */
  int64_t forced;    /* values cleared since `open` because nothing went on */
} tfc_budget_counts;

enum { TFC_BUDGET_PATIENCE_NS = 100000000 };

void tfc_budget_open(const tfc_budget_callbacks* user, int64_t limit);
/* A Recv waits for this value. False: there is no memory for the request. */
bool tfc_budget_request(int peer, const tfc_key* key, int64_t bytes);
/* A cleared value has come: from here on it counts until *value's memory is freed, which gets a new
 * header. */
void tfc_budget_arrived(int peer, const tfc_key* key, tfc_tensor* value);
/* Nothing of the step counts any more. */
void tfc_budget_end_step(int64_t step);
void tfc_budget_end_peer(int peer);
/* To be called ten times a second or so. */
void tfc_budget_tick(void);
void tfc_budget_count(tfc_budget_counts* out);
void tfc_budget_after_fork(void); /* in the child */

#endif
