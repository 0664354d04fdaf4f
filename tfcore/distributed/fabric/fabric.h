/* How the tasks of a cluster reach each other: messages with an optional tensor between processes.
 *
 * A process is a task; its place is numbered by its rank. A process that is started again after a
 * death takes the place of the former one, with another incarnation. Tasks on one host share
 * memory: every process has an inbox with one ring per peer, and an arena, from which its allocator
 * takes blocks of 8 KB and more and which the others map read-only. A small tensor travels inside
 * the message; a large one is handed over by reference (an offset in the sender's arena), and the
 * receiver sends RELEASE when it no longer needs it. Tasks on other hosts are reached over MPI or
 * TCP (transport.h).
 *
 * Order: messages from one peer are handled in the order in which they were sent, except that those
 * behind a large value of an edge from another host need not wait for it.
 */
#ifndef TFCORE_FABRIC_H
#define TFCORE_FABRIC_H

#include "runtime.h"

typedef enum {
  TFC_MSG_RELEASE = 1,    /* the receiver no longer needs a tensor (within the fabric) */
  TFC_MSG_CALL = 2,       /* a request to Python code of the peer, and its answer */
  TFC_MSG_REPLY = 3,      /* code != 0: the payload is the error's text */
  TFC_MSG_TENSOR = 4,     /* the value of an edge: for the rendezvous */
  TFC_MSG_RUN = 5,        /* run a registered partition: edge is its handle */
  TFC_MSG_DONE = 6,       /* the partition has ended with `code`; the payload is the error's text */
  TFC_MSG_CANCEL = 7,     /* cancel the step */
  TFC_MSG_COLLECTIVE = 8, /* a piece of a collective */
  TFC_MSG_BEAT = 9,       /* a detector's, where datagrams get lost (watcher.h) */
  TFC_MSG_FAILED = 10,    /* rank `edge`, whose incarnation is `frame`, was found dead */
  TFC_MSG_LEAVE = 11,     /* the sender ends in order */
  TFC_MSG_REQUEST_TO_SEND = 12, /* a value of so many bytes is there (the payload, an int64); code
                                 != 0: the value will not come */
  TFC_MSG_CLEAR_TO_SEND = 13,   /* its answer; code != 0: nobody wants the value */
  TFC_MSG_CREDIT = 14,          /* gives back a credit of `edge` bytes */
  TFC_MSG_TEST = 15,            /* for tests */
  TFC_MSG_REPLICA = 16,         /* a change of a variable, for its replica (replica.h) */
  TFC_MSG_REPLICA_ACK = 17,     /* the replica has all changes up to number `step`, or code != 0 */
  TFC_MSG_RESTORE = 18,         /* a variable, for the process that replaces its task's */
  TFC_MSG_SNAPSHOT_TAKEN = 19,  /* kernels of the partition have the values that they copy */
  TFC_MSG_KINDS = 20
} tfc_message_kind;

/* Flags. */
enum {
  TFC_MSG_DEAD = 1,   /* a dead token, without a value */
  TFC_MSG_LOST = 2,   /* set by the receiving fabric: there was no memory for the payload */
  TFC_MSG_CLEARED = 4 /* a value that was cleared to send: it uses the budget, not the credit */
};

typedef struct tfc_message {
  uint32_t size; /* of header and inline payload; set by the fabric */
  uint16_t kind;
  uint16_t flags;
  int32_t source; /* rank of the sender; set by the fabric */
  int32_t code;   /* a tfc_code */
  int64_t step;
  uint64_t edge;
  uint64_t frame;    /* 0 outside of loops */
  int64_t iteration; /* 0 outside of loops */
  /* Which process of the sender's and of the receiver's place this is from and for; set by the
   * fabric. What is not for the current ones is refused. */
  uint32_t source_incarnation, target_incarnation;
  /* The payload, described by the fabric; dtype 0: there is none, or it is lost (then `bytes` still
   * says how much it was). */
  int64_t bytes;
  int64_t offset; /* in the sender's arena; between hosts 0: the payload follows; -1: inline */
  uint64_t token; /* sent back by RELEASE */
  int32_t dtype, rank;
  int64_t dims[TFC_MAX_RANK];
} tfc_message;

/* The bytes of a tensor in transit; strings travel packed: their lengths as 64-bit numbers, then
 * their bytes. */
static inline int64_t tfc_transit_bytes(const tfc_tensor* t) {
  if (t->dtype != TFC_STRING) return t->n * (int64_t)tfc_dtype_size(t->dtype);
  const tfc_string* s = (const tfc_string*)t->data;
  int64_t bytes = t->n * (int64_t)sizeof(uint64_t);
  for (int64_t i = 0; i < t->n; i++) bytes += (int64_t)s[i].size;
  return bytes;
}

/* Called on the polling thread, without the GIL, by one thread at a time; but messages to the own
 * rank are handled on the thread that sends them. It must neither block nor compute for long.
 * Handlers are set before the fabric starts: messages without one are dropped. The handler takes
 * over the reference that *payload holds: it clears the tensor sooner or later, on any thread. The
 * payload's buffer may be TFC_BUFFER_BORROWED memory of the sender. */
typedef void (*tfc_handler)(const tfc_message* m, tfc_tensor* payload);

/* Called once for each peer that failed or left, on any thread, without the GIL. */
typedef void (*tfc_failure_fn)(int peer);

/* Asked before a payload from another host is received: the memory for its m->bytes bytes, with a
 * reference, which the message then has as its payload. False: memory of the fabric's own. Called
 * as handlers are. The message may still fail, and what was written is then undefined. */
typedef bool (*tfc_payload_fn)(const tfc_message* m, tfc_tensor* out);

int tfc_rank_here(void); /* -1: there is no cluster */
int tfc_size_here(void);
void tfc_on_message(int kind, tfc_handler handler);
void tfc_on_payload(int kind, tfc_payload_fn fn);
void tfc_on_failure(tfc_failure_fn fn);
/* fn is called after the failure functions, when nothing more that a peer has published will be
 * handled; on the polling thread, as handlers are. */
void tfc_on_drained(tfc_failure_fn fn);
/* Sends *m (the caller sets kind, flags, code, step, edge, frame, iteration) with a payload, or
 * NULL. Never blocks; keeps a reference to the payload as long as needed, so its memory must not
 * be written afterwards. To the own rank: the handler runs before this returns.
 * TFC_UNAVAILABLE: the peer has failed. TFC_ABORTED: this task was excluded. */
int tfc_send(int peer, tfc_message* m, const tfc_tensor* payload);
/* The same, to one incarnation of the peer only; another one counts as failed. For answers. */
int tfc_send_to(int peer, uint32_t incarnation, tfc_message* m, const tfc_tensor* payload);
/* The same, for a REPLICA. A peer of this host is woken only if `ring`; otherwise it reads the
 * message at its next heartbeat, or when half of its ring is unread. *published: the whole message
 * is in the peer's memory, and the peer will handle it even if this process dies now, provided that
 * it has already mapped this process's arena, as every peer that has answered a message has. Always
 * false between hosts. */
int tfc_publish(int peer, uint32_t incarnation, tfc_message* m, const tfc_tensor* payload,
                bool ring, bool* published);
bool tfc_shares_memory(int peer); /* whether messages to it can be published */
void tfc_catch_up(int peer);      /* handles all that it has published so far; not by handlers */
bool tfc_is_alive(int peer);
bool tfc_has_failed(int peer); /* neither alive nor ended in order */
/* The lowest rank with which the task shares memory, or its own; the same on all tasks. */
int tfc_host_of(int peer);
/* The current process of a place: its incarnation, a random number that is not 0, and its
 * generation, which is how often the place was taken again. */
uint32_t tfc_incarnation_of(int peer);
int tfc_generation_of(int peer);
/* Declares a peer dead; the first reason is kept. For handlers, which run while no place is taken
 * again; others name the incarnation that they mean. */
void tfc_fail(int peer, const char* reason);
void tfc_fail_incarnation(int peer, uint32_t incarnation, const char* reason);
/* The error of steps that need a failed peer: TFC_UNAVAILABLE, or TFC_ABORTED if the others have
 * excluded this task. */
int tfc_failure_code(void);
/* "/job:worker/task:1 on host a (rank 2)": for error messages. At most `size` bytes. */
void tfc_name_task(int peer, char* text, size_t size);
/* The same and, if it failed, why: "/job:worker/task:1 on host a (rank 2): killed". */
void tfc_describe(int peer, char* text, size_t size);
/* Why a peer is not alive: malloc'd; NULL: it is. */
char* tfc_failure(int peer);
/* The others have taken this task for dead, or it has to take itself for dead: all peers fail with
 * TFC_ABORTED and this reason. */
void tfc_exclude(const char* reason);
/* When the peer last gave a sign of life: changes ten times a second, for peers of this host. */
int64_t tfc_heartbeat_of(int peer);
/* Calls fn ten times a second while the fabric runs, instead of the function given before: on the
 * thread of the heartbeat, without the GIL. It must not block, or the task counts as frozen. */
void tfc_on_beat(void (*fn)(void));
/* Handles messages that have arrived; false if there were none, or if another thread polls. */
bool tfc_poll(void);
/* For handlers: runs fn(arg), which may take long, on this thread after it has polled if it is a
 * service thread, else on another one. polls: it begins with a step, which handles messages itself
 * while it waits. False: there is no thread. */
bool tfc_defer(void (*fn)(void*), void* arg, bool polls);
/* For handlers: nobody waits for an answer to what has come, so probably nothing follows soon, and
 * a service thread does not poll for it. */
void tfc_expect_no_more(void);
/* true: another task has work for which this one may have to wait, so from now on threads that poll
 * lend their core at once, not only after a while; if they lend it at all (service.c). */
void tfc_lend_core_at_once(bool at_once);

/* Sends an answer for which the peer may wait without a limit. If there is no memory for the
 * payload, the peer gets a code without it, and if there is none at all, it counts as failed. */
static inline void tfc_answer(int peer, uint32_t incarnation, tfc_message* m,
                              const tfc_tensor* payload) {
  int problem = tfc_send_to(peer, incarnation, m, payload);
  if (problem == TFC_RESOURCE_EXHAUSTED && payload) {
    if (!m->code) m->code = TFC_RESOURCE_EXHAUSTED;
    problem = tfc_send_to(peer, incarnation, m, NULL);
  }
  if (problem == TFC_RESOURCE_EXHAUSTED)
    tfc_fail_incarnation(peer, incarnation, "no memory to answer it");
}

#endif
