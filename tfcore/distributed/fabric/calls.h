/* Calls of Python functions between tasks, in both directions. */
#ifndef TFCORE_CALLS_H
#define TFCORE_CALLS_H

#include "fabric/endpoint.h"

/* A call of this process that waits for its answer. */
typedef struct tfc_call {
  int peer;
  uint32_t incarnation; /* of the peer's process */
  uint64_t id;
  uint32_t done; /* for tfc_wait_word */
  int code;
  tfc_tensor reply;
  struct tfc_call* next;
} tfc_call;

/* Work for a Python thread: a peer's call, or its failure. */
typedef struct tfc_request {
  int source;
  uint32_t incarnation; /* of the peer's process */
  bool failed;          /* no call: the peer has failed or left */
  uint64_t id;
  tfc_tensor payload;
  struct tfc_request* next;
} tfc_request;

void tfc_calls_init(void);
/* incarnation: of the process that is meant; 0: that which has the place now. */
void tfc_call_begin(tfc_call* c, int peer, uint32_t incarnation);
void tfc_call_end(tfc_call* c);
/* Takes a request. was_busy: this thread has just served one. *alone: no other thread waits for
 * one. False: none came within ns, another thread took it, or the fabric is closed. By value: a
 * thread that takes the GIL while the interpreter ends never returns, and would leak an allocated
 * request. */
bool tfc_request_take(tfc_request* out, int64_t ns, bool was_busy, bool* alone);
void tfc_requests_wake(void);
void tfc_calls_after_fork(void); /* in the child */

#endif
