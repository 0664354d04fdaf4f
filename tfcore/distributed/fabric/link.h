/* Joins the fabric and the transport that carries its messages to and from other hosts. */
#ifndef TFCORE_LINK_H
#define TFCORE_LINK_H

#include "fabric/payload.h"
#include "transport/transport.h"

/* How the processes of peers are woken: see heartbeat.pyx. */
typedef struct tfc_doorbell {
  void (*ring)(void* doorbell, int peer);
  bool (*works)(void* doorbell, int peer);
  void* doorbell; /* the first argument of both */
} tfc_doorbell;

/* Listens for processes that will connect over TCP. NULL, or the text of an error. */
const char* tfc_link_listen(uint16_t* port);
/* Between `tfc_endpoint_open` and `tfc_endpoint_start`, when the job's token is known. Without MPI
 * (NULL) peers must be admitted. NULL, or the text of an error. */
const char* tfc_link_open(const tfc_mpi* mpi, const tfc_doorbell* doorbell, int64_t chunk_bytes);
/* Queues a message and hands it to MPI or TCP; if another thread holds the polling lock, that one
 * does. */
bool tfc_link_send(int peer, const tfc_message* m, tfc_load* load);
/* The messages to a peer that MPI or TCP has not taken whole, and their bytes. */
void tfc_link_queued(int peer, int64_t* messages, int64_t* bytes);
/* Hands queued messages for other hosts to MPI or TCP. With the polling lock. */
void tfc_link_flush(void);
/* Does all that can be done now; returns whether there was anything. With the polling lock. */
bool tfc_link_poll(bool* more); /* *more: set if something is left to do */
/* After how long somebody must poll again, in ns; -1: never, as no task is on another host. */
int64_t tfc_link_poll_interval(void);
void tfc_link_doorbell_rang(void); /* a peer has announced a message */
void tfc_link_disconnect(int peer);
/* See `tfc_transport_admit`. With the polling lock. NULL, or the text of an error. */
const char* tfc_link_admit(int peer, uint32_t incarnation, const tfc_tcp_address* address);
/* After `tfc_endpoint_close`: sends what is left and says goodbye, for at most `patience` without
 * any progress, and ten times as long in all. */
void tfc_link_close(int64_t patience_ns);
void tfc_link_after_fork(void); /* in the child */

#endif
