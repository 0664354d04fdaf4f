/* Messages to and from tasks on other hosts, over MPI, by whichever thread polls.
 *
 * It knows nothing of tasks and tensors but what `tfc_transport_user` tells it, and of MPI nothing
 * but `tfc_mpi`, so that tests can put stand-ins on both sides. `put` may be called by any thread.
 * All other functions are called by one thread at a time: the one that polls.
 */
#ifndef TFCORE_TRANSPORT_H
#define TFCORE_TRANSPORT_H

#include "mpi_calls.h"
#include "runtime.h"

typedef struct tfc_transport tfc_transport;

/* What a record says of the payload that follows it. */
typedef struct tfc_payload_size {
  int64_t bytes;      /* 0: none follows */
  bool may_be_passed; /* later messages need not wait until it is complete */
} tfc_payload_size;

typedef struct tfc_transport_user {
  int64_t (*now)(void); /* ns */
  /* NULL, or what is wrong with a record. */
  const char* (*read)(int from, const void* record, size_t bytes, tfc_payload_size* payload);
  /* Memory for a payload; false: there is none, and `deliver` will get NULL for the payload. */
  bool (*allocate)(int64_t bytes, tfc_tensor* out);
  /* NULL, or what is wrong with the message. Takes over *payload; NULL: none, or no memory. */
  const char* (*deliver)(int from, const void* record, size_t bytes, tfc_tensor* payload);
  void (*failed)(int peer, const char* reason);
  /* Wakes the peer's process, to which a message is on its way. May be NULL. */
  void (*ring)(void* bell, int peer);
  /* Whether the peer's rings arrive here. May be NULL: no. */
  bool (*rings)(void* bell, int peer);
  void* bell;
} tfc_transport_user;

typedef struct tfc_transport_options {
  int rank, size;
  uint32_t incarnation; /* of this process */
  int64_t piece_bytes;  /* of a payload, in one message of MPI: at most 2^31 - 1 */
} tfc_transport_options;

/* Largest record: header and inline payload of a message. */
enum { TFC_TRANSPORT_RECORD = 8448 };

/* NULL: no memory, or MPI refuses to receive. */
tfc_transport* tfc_transport_open(const tfc_mpi* mpi, const tfc_transport_user* user,
                                  const tfc_transport_options* options);
/* Queues a record of two parts, and a payload to follow it, whose reference is taken over. False:
 * there is no memory. */
bool tfc_transport_put(tfc_transport* t, int peer, const void* first, size_t first_bytes,
                       const void* second, size_t second_bytes, tfc_tensor* payload,
                       int64_t payload_bytes);
/* Hands queued messages to MPI; returns whether there were any. */
bool tfc_transport_push(tfc_transport* t);
/* Whether messages wait for `push`: any thread. */
bool tfc_transport_has_queued(const tfc_transport* t);
/* Does all that can be done now; returns whether there was anything. */
bool tfc_transport_poll(tfc_transport* t);
/* How long nobody needs to poll, in ns, unless a bell rings. */
int64_t tfc_transport_pause(const tfc_transport* t);
/* A bell has rung: a message is on its way. Any thread. */
void tfc_transport_rung(tfc_transport* t);
/* Gives up a peer that the user has declared dead. */
void tfc_transport_drop(tfc_transport* t, int peer);
/* Tells the peers that this process ends. Poll until `is_over`. */
void tfc_transport_leave(tfc_transport* t);
bool tfc_transport_is_over(const tfc_transport* t);
/* Frees everything but what MPI may still write to or read from. */
void tfc_transport_close(tfc_transport* t);

#endif
