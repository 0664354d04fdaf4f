/* Tensors of this task that others read in place: each is kept until its reader releases it or is
 * gone. */
#ifndef TFCORE_HANDOUTS_H
#define TFCORE_HANDOUTS_H

#include "fabric/endpoint.h"

/* Hands a buffer with its reference to a peer; *token is what the peer sends back with RELEASE.
 * False: no memory. Under the peer's lock, as tfc_take_back is. */
bool tfc_hand_out(tfc_peer* p, tfc_buffer* b, uint64_t* token);
/* The buffer that was handed out; NULL: the token is not that of one. */
tfc_buffer* tfc_take_back(tfc_peer* p, uint64_t token);

/* Drops the n handouts, and the array, as soon as the process is gone. A frozen one that counts as
 * dead continues to read when it wakes, and may finish a step before it knows. */
void tfc_drop_when_gone(int64_t pid, tfc_handout* handouts, int32_t n);
/* Called ten times a second: drops what waits for processes that are gone by now. */
void tfc_drop_for_gone(void);
/* How many buffers wait for processes that count as dead and are not gone. */
int64_t tfc_count_withheld(void);
void tfc_handouts_after_fork(void); /* in the child */

#endif
