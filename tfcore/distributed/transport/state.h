/* The transport's state, shared by transport.c, transport/send.c and transport/receive.c. */
#ifndef TFCORE_TRANSPORT_STATE_H
#define TFCORE_TRANSPORT_STATE_H

#include <pthread.h>

#include "transport/transport.h"

#define TFC_US INT64_C(1000)
#define TFC_MS INT64_C(1000000)

enum { PROTOCOL_VERSION = 3, PROTOCOL_MAGIC = 0x7fc0aa };

/* Why a peer has failed. */
#define TFC_PROCESS_GONE "its process is gone"
#define TFC_NO_MEMORY "there is no memory for its messages"

typedef struct tfc_hello {
  uint32_t magic, version;
  int32_t source;
  uint32_t incarnation;
  int64_t chunk_bytes;
  uint64_t token; /* of the job */
} tfc_hello;

typedef struct tfc_frame {
  uint32_t magic, incarnation;
  uint64_t sequence;       /* of the frames to this peer, from 1 */
  uint32_t payload_number; /* among the payloads to this peer, from 1; 0: none follows */
  uint32_t record_bytes;   /* 0: the sender shuts down */
  char record[];
} tfc_frame;

enum { MAX_FRAME_BYTES = sizeof(tfc_frame) + TFC_TRANSPORT_MAX_RECORD };

/* A send or a receive. */
typedef struct tfc_transport_request {
  tfc_mpi_request mpi;
  bool started, completed;
} tfc_transport_request;

enum { CHUNK_WINDOW = 8 };

enum { LINK_MPI, LINK_TCP, LINKS };

/* The chunks of a payload. Those that are started and not completed are with MPI; one counts as
 * completed after those before it. */
typedef struct tfc_chunks {
  int64_t n, started, completed;
  tfc_transport_request window[CHUNK_WINDOW]; /* chunk i has entry i % CHUNK_WINDOW */
} tfc_chunks;

/* A message to a peer. */
typedef struct tfc_outgoing {
  struct tfc_outgoing *next, *previous;
  struct tfc_outgoing* next_payload; /* on the list of payloads */
  bool on_payload_list;
  struct tfc_transport_queue* queue; /* which counts it until it is freed */
  tfc_tensor payload;                /* dtype 0: none */
  int64_t payload_bytes;
  tfc_chunks chunks;
  tfc_transport_request frame_send;
  size_t bytes;    /* of the frame */
  tfc_frame frame; /* must be last */
} tfc_outgoing;

/* A message from a peer that is not delivered yet. */
typedef struct tfc_incoming {
  struct tfc_incoming* next;
  tfc_tensor payload; /* dtype 0: none, or no memory */
  bool may_be_overtaken, comes_last;
  char* discard; /* that of the transport, which MPI may still write to; or NULL */
  int64_t payload_bytes;
  uint32_t payload_number;
  tfc_chunks chunks;
  size_t bytes; /* of the record */
  char record[];
} tfc_incoming;

/* A way to reach peers: MPI, or what stands in for it. */
typedef struct tfc_transport_link {
  bool used;
  tfc_mpi mpi;
  tfc_hello hello_buffer; /* of a peer */
  tfc_transport_request hello_receive;
} tfc_transport_link;

/* What is to be sent to a rank, whoever that is by then. Any thread may use it. */
typedef struct tfc_transport_queue {
  int rank;
  pthread_mutex_t lock;
  tfc_outgoing *first, **end;                /* under lock */
  bool on_flush_list;                        /* under lock */
  struct tfc_transport_queue* next_to_flush; /* on the flush list */
  int disconnect_wanted;                     /* atomic */
  int64_t messages, bytes;                   /* atomic: of the rank, from `enqueue` until freed */
} tfc_transport_queue;

/* A peer is one process of a rank, for the thread that flushes or polls. It is
 *   unused     nothing was sent to it or received from it;
 *   connected  a receive for its frames is posted: from the first send to it, or from its HELLO;
 *   dying      MPI reports it dead: its last messages are received until `grace_ends`;
 *   failed     nothing more is sent or delivered; memory stays until MPI has completed its
 * requests;
 *   reported   poll has told the user (`report_pending` is false again);
 *   retired    another process has taken its rank: it is freed when its requests have completed.
 * Any state may go straight to failed. `goodbye_received` only matters to `is_shut_down`. */
typedef struct tfc_transport_peer {
  int rank;
  const tfc_mpi* mpi; /* that of its link */
  struct tfc_transport_peer* next_retired;
  bool connected, failed, goodbye_received;
  bool greeted;         /* its HELLO has come, and knows the token */
  bool has_early_frame; /* in the buffer: it is handled after the HELLO */
  int early_bytes;      /* of that frame */
  bool at_fault;        /* it has sent malformed data */
  tfc_transport_request hello_send;
  /* Handed over by flush: first those whose frames are posted, then from first_unsent on the rest.
   * Before oldest_frame no frame is in flight. */
  tfc_outgoing *sends, *last_send, *oldest_frame, *first_unsent;
  /* Of these the payloads whose frames are posted: from next_to_start on not all chunks are. */
  tfc_outgoing *payloads, **payloads_end, *next_to_start;
  int frames_in_flight, chunks_in_flight;
  int64_t chunk_bytes_in_flight;
  uint64_t frames_sent, frames_received;
  uint32_t payloads_sent, payloads_received;
  uint32_t incarnation; /* 0: not known yet */
  tfc_transport_request frame_receive;
  tfc_frame* frame_buffer;                /* MAX_FRAME_BYTES */
  tfc_incoming *incoming, **incoming_end; /* in the order in which they were sent */
  tfc_incoming* next_to_post;             /* the first whose chunks are not all posted */
  int n_blocking;                         /* incoming messages that may not be overtaken */
  int chunks_posted;
  int64_t chunk_bytes_posted;
  int64_t last_received; /* when its last frame came */
  int64_t last_rung;     /* when its doorbell was rung */
  int64_t last_sent;     /* when a send to it has ended, or began while there was no other */
  int64_t died;          /* when MPI reported that; 0: it has not */
  int64_t grace_ends;    /* 0: it is not dying */
  char reason[160];      /* why it is dying or has failed */
  bool report_pending;
} tfc_transport_peer;

struct tfc_transport {
  tfc_transport_link links[LINKS];
  tfc_transport_callbacks user;
  tfc_transport_options options;
  tfc_hello hello;                /* of this process */
  tfc_transport_queue* queues;    /* by rank */
  tfc_transport_peer** peers;     /* by rank */
  tfc_transport_peer** connected; /* in the order of connecting */
  int n_connected;
  tfc_transport_peer* retired;
  int n_over_tcp;                  /* peers */
  uint32_t polls;                  /* so far */
  tfc_transport_queue* flush_list; /* atomic: a stack of the queues that are not empty */
  int n_disconnects;               /* atomic: queues whose disconnect is wanted */
  bool any_report_pending;         /* of the peers */
  char* discard; /* chunk_bytes, or NULL: for payloads without memory; never read */
  const tfc_incoming* discarding; /* the payload whose chunk goes there */
  int64_t last_activity;          /* atomic: when something last happened, or a doorbell rang */
  int64_t max_interval;           /* atomic: for `poll_interval`, as of the last poll */
  bool payloads_in_flight;        /* atomic: for `poll_interval`, as of the last poll */
  int64_t shutdown_began;         /* 0: it has not */
  int64_t in_transit;             /* then: bytes of all links that peers may still lose */
};

/* ---- transport.c */

typedef enum { PENDING, DONE, FAILED } tfc_outcome;

/* FAILED is not DONE: what was received is undefined. The request stays active if MPI did not free
 * it, as a receive from any source does when some process has died. */
tfc_outcome tfc_transport_test(const tfc_mpi* mpi, tfc_transport_request* r, tfc_mpi_status* status,
                               int* error);
/* Whether a send has ended, or may be ended, and is to be tested: MPI keeps it otherwise. */
bool tfc_transport_has_ended(tfc_transport* t, tfc_transport_peer* p, tfc_transport_request* r);
int tfc_transport_post_receive(const tfc_mpi* mpi, tfc_transport_request* r, void* data,
                               size_t bytes, int from, int tag);
void tfc_transport_note_activity(tfc_transport* t);
/* Gives up a peer, and all that it sent that is not delivered. What MPI uses is freed later, and
 * the user is told by the next poll. */
void tfc_transport_fail(tfc_transport* t, tfc_transport_peer* p, const char* reason);
/* Gives up a peer that has sent malformed data. */
void tfc_transport_fail_at_fault(tfc_transport* t, tfc_transport_peer* p, const char* reason);
void tfc_transport_fail_mpi(tfc_transport* t, tfc_transport_peer* p, int error, const char* what);
/* The process may have ended in order just before: its last messages are waited for. */
void tfc_transport_note_death(tfc_transport* t, tfc_transport_peer* p, int error);
/* Posts the receive for the peer's frames. Sending needs no more than a HELLO first. False: out
 * of memory. */
bool tfc_transport_connect(tfc_transport* t, tfc_transport_peer* p);
/* Notes a peer's incarnation, or fails the peer if it has changed. Returns whether the peer may
 * continue. */
bool tfc_transport_learn_incarnation(tfc_transport* t, tfc_transport_peer* p, uint32_t incarnation);

/* ---- transport/send.c */

/* Whether messages wait for `flush`. */
bool tfc_transport_has_queued(const tfc_transport* t);
/* Frees what has been sent and posts what may be sent next. */
bool tfc_transport_advance_sends(tfc_transport* t, tfc_transport_peer* p);
void tfc_transport_free_outgoing(tfc_outgoing* m);
/* Frees the messages whose frames MPI does not have. */
void tfc_transport_free_unsent(tfc_transport_peer* p);
void tfc_transport_free_all(tfc_outgoing* m);

/* ---- transport/receive.c */

/* *more: some may be left. */
bool tfc_transport_receive_frames(tfc_transport* t, tfc_transport_peer* p, bool* more);
/* Delivers messages that are complete, in order, as far as they need not wait for others. */
bool tfc_transport_advance_incoming(tfc_transport* t, tfc_transport_peer* p);
void tfc_transport_free_incoming(tfc_incoming* m);

static inline bool tfc_is_active(const tfc_transport_request* r) {
  return r->started && !r->completed;
}

static inline int tfc_chunk_tag(uint32_t payload) {
  return TAG_CHUNK + (int)(payload % CHUNK_TAGS);
}

static inline tfc_transport_request* tfc_chunk_request(tfc_chunks* c, int64_t i) {
  return &c->window[i % CHUNK_WINDOW];
}

static inline int64_t tfc_count_chunks(const tfc_transport* t, int64_t payload_bytes) {
  int64_t size = t->options.chunk_bytes;
  return payload_bytes / size + (payload_bytes % size != 0);
}

/* The chunk i of a payload: its size, and where it begins. */
static inline size_t tfc_chunk_size(const tfc_transport* t, int64_t payload_bytes, int64_t i,
                                    int64_t* at) {
  *at = i * t->options.chunk_bytes;
  int64_t left = payload_bytes - *at;
  return (size_t)(left < t->options.chunk_bytes ? left : t->options.chunk_bytes);
}

#endif
