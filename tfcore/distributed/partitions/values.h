/* Values of edges between tasks: from a _Send to the rendezvous of another task, with flow control.
 *
 * Every task gives every other one a credit: so many bytes of its values may wait here for their
 * Recvs. Within the credit a value is sent at once (MPI would say: eagerly). Beyond it the sender
 * keeps the value and asks (REQUEST_TO_SEND); the answer (CLEAR_TO_SEND) comes when a Recv waits
 * for the value and the receive budget has room for it. Credit goes back (CREDIT) when the Recv
 * takes the value, or it is dropped; a requested value counts until its memory is freed. Credits
 * take half of a task's budget, requested values the other half (receive_budget.h). All other
 * messages need neither, so they are never held up. Without `open` nothing is limited.
 */
#ifndef TFCORE_VALUES_H
#define TFCORE_VALUES_H

#include "fabric/fabric.h"
#include "partitions/receive_budget.h"

void tfc_values_install(void);
/* Begins to limit. budgets, incarnations: the receive budgets, in bytes, and the processes of all
 * tasks by rank. To be called once, before the fabric starts. False: there is no memory. */
bool tfc_values_open(const int64_t* budgets, const uint32_t* incarnations, int n_tasks,
                     int own_rank);
/* The place of a peer that has failed or left is about to be taken again: resets the credit in
 * both directions. False: there is no memory. */
bool tfc_values_admit(int peer, uint32_t incarnation, int64_t budget);
/* The peer has failed or left, with the error for those who wait for it. */
void tfc_values_end_peer(int peer, int code, const char* message);
int64_t tfc_values_queued(void);   /* values that wait here until they may be sent */
int64_t tfc_values_deferred(void); /* how many have had to wait since this process started */
void tfc_values_after_fork(void);  /* in the child */

#endif
