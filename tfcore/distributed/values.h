/* Values of edges between tasks: from a _Send to the rendezvous of another task, with flow control.
 *
 * Every task promises every other one a credit: so many bytes of its values may wait here for their
 * Recvs. Within the credit a value is sent at once. Beyond it the sender keeps the value and asks
 * (REQUEST_TO_SEND); the answer (CLEAR_TO_SEND) comes when a Recv waits for the value and the
 * receive budget has room for it. Credits take half of a task's budget, requested values the other
 * half (receive_budget.h). All other messages need neither, so they are never held up.
 */
#ifndef TFCORE_VALUES_H
#define TFCORE_VALUES_H

#include "fabric.h"
#include "receive_budget.h"

void tfc_values_install(const tfc_fabric* fabric, tfc_rendezvous* rendezvous,
                        const tfc_runtime* runtime);
/* budgets: in bytes, of all tasks by rank. False: there is no memory. To be called once, before the
 * fabric starts; without it nothing is limited. */
bool tfc_values_limit(const int64_t* budgets, int n_tasks, int own_rank);
/* The peer has failed or left, with the error for those who wait for it. */
void tfc_values_end_peer(int peer, int code, const char* message);
int64_t tfc_values_queued(void);  /* values that wait here until they may be sent */
void tfc_values_after_fork(void); /* in the child */

#endif
