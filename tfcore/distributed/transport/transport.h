/* Messages to and from tasks on other hosts, over MPI or TCP, by whichever thread polls.
 *
 * A message has a record (the fabric's header and small payload), and may have a payload, sent
 * apart. On the wire a record travels in a frame (the transport's header and the record) and a
 * payload in chunks.
 *
 * The transport knows nothing of tasks and tensors but what `tfc_transport_callbacks` tell it, and
 * of MPI nothing but `tfc_mpi`, so that tests can put stand-ins on both sides, and TCP can take
 * its place: what is said of MPI in these files holds for both.
 *
 * Threads: any thread may call `enqueue`, `disconnect`, `poll_interval` and `doorbell_rang`, at any
 * time between `open` and `shutdown`. `flush` and `poll` need the fabric's polling lock. `open`,
 * `shutdown`, `is_shut_down` and `close` are called while nobody else uses the transport. The
 * user's functions are called by `poll` only, except `ring_doorbell`, which `flush` calls too, and
 * `now`, which any thread calls. So any thread calls MPI, one at a time: MPI must be at least
 * MPI_THREAD_SERIALIZED (transport/opening.py checks it).
 */
#ifndef TFCORE_TRANSPORT_H
#define TFCORE_TRANSPORT_H

#include "runtime.h"
#include "transport/mpi_calls.h"
#include "transport/tcp_link.h"

typedef struct tfc_transport tfc_transport;

/* What a record says of the payload that follows it. */
typedef struct tfc_payload_info {
  int64_t bytes;         /* 0: none follows */
  bool may_be_overtaken; /* later messages need not wait until it is complete */
  bool comes_last;       /* it waits for all earlier messages, those that may be overtaken too */
} tfc_payload_info;

/* What the transport asks of its user. */
typedef struct tfc_transport_callbacks {
  int64_t (*now)(void); /* ns */
  /* Checks a record and tells what payload follows. NULL, or what is wrong with it. */
  const char* (*parse)(int from, const void* record, size_t bytes, tfc_payload_info* payload);
  /* Memory for the payload of a record that was parsed; false: there is none, and `deliver` will
   * get NULL for the payload. */
  bool (*allocate)(int from, const void* record, size_t record_bytes, int64_t bytes,
                   tfc_tensor* out);
  /* NULL, or what is wrong with the message. Takes over *payload; NULL: none, or no memory. */
  const char* (*deliver)(int from, const void* record, size_t bytes, tfc_tensor* payload);
  /* incarnation: of the process that has failed; 0: not known. at_fault: it sent malformed data,
   * and its process may live and talk to others. */
  void (*peer_failed)(int peer, uint32_t incarnation, const char* reason, bool at_fault);
  /* Wakes the peer's process, to which a message is on its way. May be NULL. */
  void (*ring_doorbell)(void* doorbell, int peer);
  /* Whether the peer's doorbell reaches this process. May be NULL: no. */
  bool (*doorbell_works)(void* doorbell, int peer);
  void* doorbell;
} tfc_transport_callbacks;

typedef struct tfc_transport_options {
  int rank, size;
  uint32_t incarnation; /* of this process; not 0 */
  int64_t chunk_bytes;  /* of a payload, in one message of MPI: at most 2^31 - 1 */
  uint64_t token;       /* of the job */
} tfc_transport_options;

/* Header and inline payload of a message. */
enum { TFC_TRANSPORT_MAX_RECORD = 8448 };

/* mpi, tcp: the functions of MPI and of tcp_link.h; NULL: that link is not used. Peers are reached
 * over MPI, or without it not before they are admitted. NULL: out of memory. */
tfc_transport* tfc_transport_open(const tfc_mpi* mpi, const tfc_mpi* tcp,
                                  const tfc_transport_callbacks* user,
                                  const tfc_transport_options* options);
/* Queues a record of two parts, and a payload to follow it, whose reference is taken over. False:
 * there is no memory. */
bool tfc_transport_enqueue(tfc_transport* t, int peer, const void* first, size_t first_bytes,
                           const void* second, size_t second_bytes, tfc_tensor* payload,
                           int64_t payload_bytes);
/* The messages to a peer that are not sent whole, and their bytes. Any thread. */
void tfc_transport_queued(const tfc_transport* t, int peer, int64_t* messages, int64_t* bytes);
/* Hands queued messages to MPI. */
void tfc_transport_flush(tfc_transport* t);
/* Does what can be done now; returns whether there was anything. *more: set if some is left. */
bool tfc_transport_poll(tfc_transport* t, bool* more);
/* After how long somebody must poll again, in ns, unless a doorbell rings before. */
int64_t tfc_transport_poll_interval(const tfc_transport* t);
/* A message is on its way to this process. */
void tfc_transport_doorbell_rang(tfc_transport* t);
/* Gives up a peer that the user has declared dead. */
void tfc_transport_disconnect(tfc_transport* t, int peer);
/* Gives a rank a new process: it is the process `incarnation` from now on, and is reached over TCP
 * at `address`. The user must have dealt with the one before, if there was one: nothing more of it
 * is delivered or reported; what was queued for it goes to it or is dropped. Like `poll`, it needs
 * the polling lock. NULL, or what is wrong. */
const char* tfc_transport_admit(tfc_transport* t, int peer, uint32_t incarnation,
                                const tfc_tcp_address* address);
/* Tells the peers that this process ends. Poll until `is_shut_down`. */
void tfc_transport_shutdown(tfc_transport* t);
bool tfc_transport_is_shut_down(const tfc_transport* t);
/* Frees everything but what MPI may still write to or read from. */
void tfc_transport_close(tfc_transport* t);

#endif
