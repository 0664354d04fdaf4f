/* Joins the fabric and the transport that carries its messages to and from other hosts. */
#ifndef TFCORE_LINK_H
#define TFCORE_LINK_H

#include "payload.h"
#include "transport.h"

/* The peers' bells: see heartbeat.pyx. */
typedef struct tfc_bells {
  void (*ring)(void* bell, int peer);
  bool (*rings)(void* bell, int peer);
  void* bell;
} tfc_bells;

/* Between `tfc_endpoint_open` and `tfc_endpoint_start`. NULL, or the text of an error. */
const char* tfc_link_open(const tfc_mpi* mpi, const tfc_bells* bells, uint32_t incarnation,
                          int64_t piece_bytes);
/* Queues a message, and hands it to MPI unless another thread is about to. */
bool tfc_link_put(int peer, const tfc_message* m, tfc_load* load);
/* With the polling lock; they return whether there was anything. */
bool tfc_link_push(void); /* only sends */
bool tfc_link_poll(void);
/* How long nobody needs to poll, in ns; -1: until a bell rings. */
int64_t tfc_link_pause(void);
void tfc_link_rung(void); /* a peer has announced a message */
void tfc_link_drop(int peer);
/* After `tfc_endpoint_close`: sends what is left and says goodbye, for at most `patience`. */
void tfc_link_close(int64_t patience_ns);
void tfc_link_after_fork(void); /* in the child */

#endif
