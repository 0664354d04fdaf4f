/* The pace of steps in the background: what others lose by them is a small share of the time. */
#ifndef TFCORE_PACE_H
#define TFCORE_PACE_H

#include "step/step.h"

/* The pace of one kernel that works in pieces and rests in between; used by its thread only. */
typedef struct tfc_pace {
  int64_t since;   /* ns; 0: nobody else has run a step lately */
  int64_t cost;    /* ns that others have lost since then, if the machine was busy all the time */
  int64_t started; /* how often others had begun or gone on, when last looked at */
} tfc_pace;

/* Whether others run steps now, or have run some since the last call. Those that only wait, in a
 * dequeue, for another task or a barrier, do not run. */
bool tfc_pace_others_run(tfc_pace*);
/* Notes that a piece is done. busy_ns: processor time on cores that others wanted; spread_ns: time
 * on idle cores, and of updates that kept values, summed over all cores. */
void tfc_pace_add(tfc_pace*, int64_t busy_ns, int64_t spread_ns);
/* When the next piece is due. */
int64_t tfc_pace_due(const tfc_pace*);

#endif
