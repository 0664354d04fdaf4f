/* The state of this process, and of each of its peers as seen from here. */
#ifndef TFCORE_ENDPOINT_H
#define TFCORE_ENDPOINT_H

#include "fabric/fabric.h"
#include "fabric/ring.h"

typedef enum { TFC_PEER_ALIVE, TFC_PEER_LEFT, TFC_PEER_FAILED } tfc_peer_state;

/* A buffer that a peer reads, kept until the peer sends RELEASE. Its token is its index and
 * generation, so that a second RELEASE, or one after the peer failed, has no effect. */
typedef struct tfc_handout {
  tfc_buffer* buffer; /* NULL: free */
  uint32_t generation;
  int32_t next_free;
} tfc_handout;

/* A message that found the ring full. */
typedef struct tfc_waiting {
  struct tfc_waiting* next;
  size_t bytes;
  int64_t traffic; /* bytes, with a payload that is handed over */
  char record[];
} tfc_waiting;

/* Messages and their bytes, with payloads, whichever way these travel. Atomic; read by others while
 * it is written. */
typedef struct tfc_traffic {
  int64_t messages, bytes;
} tfc_traffic;

/* One process of a place. When the place is taken again, a new tfc_peer stands for it, and the old
 * one stays allocated: tensors and other threads may still refer to it. */
typedef struct tfc_peer {
  int rank;
  int host;             /* the lowest rank with which it shares memory, or its own */
  uint32_t incarnation; /* set before the peer is reachable by tfc_peer_of, like generation */
  int generation;
  int told;     /* atomic: the failure functions have been called for its end */
  bool drained; /* nothing more of it is handled; under the polling lock */
  bool foreign; /* on another host: reached over MPI or TCP (transport.h) */
  int64_t pid;
  int inbox_fd, arena_fd; /* of that process */
  uint64_t inbox_token;   /* in its inbox: another one is not that of the task */
  char* problem;          /* under the lock of reach.c: why its memory can't be mapped */
  int state;              /* atomic: a tfc_peer_state; changes under lock */
  int64_t heartbeat;      /* atomic: time of the last message, if it is foreign */
  /* Reading: by the thread that polls. */
  tfc_ring* in; /* atomic; NULL: nothing more is read */
  uint64_t head;
  const char* arena; /* NULL until it is mapped (reach.h), with `inbox` and `out` */
  size_t arena_bytes;
  int64_t readers; /* atomic: uses of the arena: 1 until the peer is drained, 1 per tensor */
  tfc_traffic received;
  /* Writing: under lock. */
  pthread_mutex_t lock;
  tfc_inbox* inbox; /* atomic */
  tfc_ring* out;
  uint64_t tail, seen_head;
  tfc_waiting *first, *last; /* in the order in which they were sent */
  int waits;                 /* atomic: whether there are such messages */
  tfc_traffic waiting;       /* these messages */
  tfc_traffic sent;          /* also by threads without the lock, if it is foreign */
  tfc_handout* handouts;
  int32_t n_handouts, free_handout;
  int64_t outstanding; /* atomic: handouts not released */
  char* description;
  char* reason;            /* why it failed */
  struct tfc_peer* former; /* in the same place, or NULL */
} tfc_peer;

typedef struct tfc_endpoint {
  int open; /* atomic: there is a fabric */
  int rank; /* this and what follows without "atomic" is set while there is none, and stays */
  int size;
  int running;          /* atomic: from start to close */
  uint32_t incarnation; /* of this process; set while the fabric is closed */
  int64_t refused;      /* atomic: messages of or for earlier processes that were dropped */
  int excluded;         /* atomic: others have taken this task for dead */
  uint64_t token;       /* of the job: without it a process takes no part */
  tfc_inbox* inbox;
  int inbox_fd;
  uint32_t ring_bytes; /* of each ring; never read from memory that peers can write */
  /* Their entries are atomic: they change under the polling lock when a place is taken again. */
  tfc_peer** peers; /* by rank, this process included */
  tfc_peer** local; /* those on this host, without this process */
  int n_local;      /* atomic; only grows while the fabric is running */
  int n_foreign;    /* atomic, relaxed; as n_local */
  int64_t spin_ns;
  bool lends_core; /* threads that poll lend their core (service.c): tasks of this machine
                    * outnumber its cores, but not by more than two to one */
  int polling;     /* atomic, a lock: held by the thread that polls or flushes */
  /* atomic: POLL | FLUSH | DRAIN (endpoint.c): what the holder of `polling` has yet to do */
  int todo;
  int n_waiting;                       /* atomic: peers with messages that found the ring full */
  tfc_handler handlers[TFC_MSG_KINDS]; /* atomic */
  tfc_payload_fn payload_fns[TFC_MSG_KINDS]; /* atomic */
  tfc_failure_fn failures[16];               /* atomic */
  tfc_failure_fn at_drained;                 /* atomic */
} tfc_endpoint;

extern tfc_endpoint tfc_here;

static inline bool tfc_running(void) {
  return __atomic_load_n(&tfc_here.running, __ATOMIC_ACQUIRE);
}
static inline int tfc_peer_state_of(const tfc_peer* p) {
  return __atomic_load_n(&p->state, __ATOMIC_ACQUIRE);
}
static inline int64_t tfc_outstanding(const tfc_peer* p) {
  return __atomic_load_n(&p->outstanding, __ATOMIC_RELAXED);
}
static inline int tfc_waits(const tfc_peer* p) {
  return __atomic_load_n(&p->waits, __ATOMIC_ACQUIRE);
}
/* Whether the memory of a peer of this host is mapped. */
static inline bool tfc_is_reached(const tfc_peer* p) {
  return __atomic_load_n(&p->inbox, __ATOMIC_ACQUIRE) != NULL;
}
/* When the peer last gave a sign of life; 0: not yet, or its memory is not mapped. */
static inline int64_t tfc_heartbeat(const tfc_peer* p) {
  bool shared = tfc_is_reached(p);
  return __atomic_load_n(shared ? &p->inbox->heartbeat : &p->heartbeat, __ATOMIC_RELAXED);
}
/* By the only thread that writes it now. */
static inline void tfc_count_message(tfc_traffic* t, int64_t bytes) {
  __atomic_store_n(&t->messages, t->messages + 1, __ATOMIC_RELAXED);
  __atomic_store_n(&t->bytes, t->bytes + bytes, __ATOMIC_RELAXED);
}
static inline tfc_traffic tfc_traffic_of(const tfc_traffic* t) {
  return (tfc_traffic){__atomic_load_n(&t->messages, __ATOMIC_RELAXED),
                       __atomic_load_n(&t->bytes, __ATOMIC_RELAXED)};
}
/* Bytes of a message on its way: header and payload. */
static inline int64_t tfc_traffic_bytes(const tfc_message* m) {
  return (int64_t)m->size + (m->dtype && m->offset >= 0 ? m->bytes : 0);
}
static inline tfc_peer* tfc_peer_at(int rank) {
  return __atomic_load_n(&tfc_here.peers[rank], __ATOMIC_ACQUIRE);
}
static inline tfc_peer* tfc_local_peer(int i) {
  return __atomic_load_n(&tfc_here.local[i], __ATOMIC_ACQUIRE);
}
static inline bool tfc_has_foreign(void) {
  return __atomic_load_n(&tfc_here.n_foreign, __ATOMIC_RELAXED) > 0;
}
static inline int tfc_count_local(void) {
  return __atomic_load_n(&tfc_here.n_local, __ATOMIC_ACQUIRE);
}
/* The current process of a place. NULL: no fabric, or no such place. */
tfc_peer* tfc_peer_of(int rank);

/* ---- Messages */
/* Every message passes here first. False: it comes from another process of its sender, or is for
 * another one of this place, and must be dropped unread. */
bool tfc_accepts(const tfc_peer* from, const tfc_message* m);
void tfc_send_release(tfc_peer* p, uint64_t token);
void tfc_handle(tfc_peer* from, const tfc_message* m, tfc_tensor* payload);
/* Memory for a payload from another host that its handler provides; false: it provides none. */
bool tfc_place_payload(const tfc_message* m, tfc_tensor* out);
/* The next peer after `rank` (-1: the first one) with a ring into which it has written; NULL: there
 * is none. */
tfc_peer* tfc_next_writer(int rank);
/* For a thread that stops polling: polls once more, or makes the polling thread do so. */
void tfc_settle(void);
/* Hands queued messages for other hosts to MPI; if another thread holds the polling lock, that one
 * does. */
void tfc_flush_foreign(void);
/* Handles the messages that a peer that has ended left in its ring; later ones are ignored. With
 * the polling lock. */
void tfc_drain(tfc_peer* p);
void tfc_lock_polling(void);
void tfc_unlock_polling(void);
void tfc_leave(tfc_peer* p);

/* ---- Opening and closing (opening.c) */
/* `sharing`: how many of the tasks, this one included, may map each other's memory. */
const char* tfc_endpoint_open(int rank, int size, int sharing, uint32_t incarnation,
                              uint64_t token);
/* Before start: which process of a place this is. */
void tfc_endpoint_identify(int rank, uint32_t incarnation, int generation);
/* Before start: the place is empty, for the given reason. Its host is known, unless it has had no
 * process so far. */
void tfc_endpoint_vacate(int rank, const char* reason);
struct tfc_memory_address; /* reach.h */
struct tfc_tcp_address;    /* tcp_link.h */
/* After start: a new process takes a place that is empty. `host` is that of the last process there,
 * or, for the first one, the host of other tasks that share its memory, or else its rank. It is
 * reached by its memory, or else over TCP. The fabric then knows nothing of the old one any more.
 * NULL, or the text of an error: then the place stays empty. */
const char* tfc_endpoint_replace(int rank, uint32_t incarnation, int generation, int host,
                                 const struct tfc_memory_address* memory,
                                 const struct tfc_tcp_address* tcp);
void tfc_endpoint_start(int64_t spin_ns);
void tfc_endpoint_close(int64_t patience_ns);
void tfc_endpoint_after_fork(void);
void tfc_set_description(int rank, const char* text); /* what error messages call it */

#endif
