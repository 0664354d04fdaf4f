/* The state of the TCP link, shared by tcp_link.c, tcp_channel.c and tcp_connect.c.
 *
 * All of it belongs to the thread that holds the fabric's polling lock, except the descriptors,
 * which `tfc_tcp_after_fork` reads in the child: they lie in arrays that never move.
 */
#ifndef TFCORE_TCP_STATE_H
#define TFCORE_TCP_STATE_H

#include "transport/tcp_link.h"

enum { TCP_VERSION = 2, MAX_STRANGERS = 64, STAGING_BYTES = 1 << 16 };

#define TCP_MAGIC UINT64_C(0x7fc07c9d1e5a11ed)

/* An error of this link, beside those of the system. */
enum { TCP_CLOSED = 100000 };

/* What is said first, by whoever connects and then by whoever is connected to. The latter sends
 * nothing else before more has come: until then the former may withdraw. */
typedef struct tcp_greeting {
  uint64_t magic;
  uint32_t version, channel;
  uint64_t token; /* of the job */
  int32_t from, to;
  uint32_t from_incarnation, to_incarnation;
  uint64_t attempt; /* the how many-th greeting of this channel: earlier ones may come later */
} tcp_greeting;

/* Before each message. */
typedef struct tcp_header {
  uint32_t bytes, tag;
} tcp_header;

typedef struct tcp_channel tcp_channel;

typedef struct tcp_request {
  struct tcp_request* next; /* in its channel's queue, or of those that are free */
  tfc_tcp* tcp;
  tcp_channel* channel; /* NULL: receives from any source */
  enum { TCP_PENDING, TCP_DONE, TCP_FAILED } state;
  int error;
  char* data;
  size_t bytes, moved; /* `moved` counts the header of a send, too */
  tcp_header header;   /* of a send; the tag of a receive */
  int source, count;   /* count -1: what came does not fit the receive */
} tcp_request;

typedef struct tcp_queue {
  tcp_request *first, **end;
} tcp_queue;

enum { TCP_FRAMES, TCP_CHUNKS, TCP_CHANNELS };

/*  closed       until it is used
 *  connecting   to an address, until the deadline
 *  greeting     has greeted and waits for the answer, until the deadline
 *  pausing      no address has answered; tries again at the deadline
 *  accepted     has answered a greeting: open as soon as more comes, closed again if that is the
 * end open ended        nothing is sent or read any more; what was read is still delivered */
typedef enum {
  CHANNEL_CLOSED,
  CHANNEL_CONNECTING,
  CHANNEL_GREETING,
  CHANNEL_PAUSING,
  CHANNEL_ACCEPTED,
  CHANNEL_OPEN,
  CHANNEL_ENDED
} tcp_channel_state;

struct tcp_channel {
  tfc_tcp* tcp;
  int rank, index;
  int fd;   /* atomic; -1: none */
  int kept; /* atomic: the connection with a process that was given up; -1: none */
  tcp_channel_state state;
  bool readable, writable; /* as far as is known: epoll tells changes */
  bool hung_up;            /* epoll has seen the end */
  bool write_ended;        /* what has arrived is still read */
  bool active;             /* on the list of active channels */
  tcp_channel* next_active;
  /* Connecting. */
  int address, round;
  bool all_refused;
  int64_t deadline;
  uint64_t attempts, heard; /* greetings: how many were sent, and the last that was answered */
  tcp_greeting answer;
  size_t answer_bytes;
  /* Messages. */
  tcp_queue sends, receives;
  tcp_header in; /* of the message that is being received; frames are taken from `staging` */
  size_t in_bytes;
  char* staging; /* STAGING_BYTES, or NULL */
  size_t begin, end;
  int error; /* why it has ended */
};

typedef struct tcp_peer {
  tfc_tcp_address at;
  uint32_t incarnation; /* 0: nobody */
  bool gone;            /* takes no more requests */
  int64_t ended;        /* when the first of its channels ended; 0: none has */
  tcp_channel channels[TCP_CHANNELS];
} tcp_peer;

/* A connected process that has not yet said which one it is. */
typedef struct tcp_stranger {
  int fd; /* atomic; -1: none */
  int64_t since;
  tcp_greeting greeting;
  size_t bytes;
} tcp_stranger;

struct tfc_tcp {
  int listener, epoll; /* atomic */
  uint16_t port;
  int rank, size;
  uint32_t incarnation;
  uint64_t token;
  tcp_peer* peers; /* by rank; NULL: not started */
  tcp_stranger strangers[MAX_STRANGERS];
  int n_strangers;
  bool accepts;        /* somebody may wait to be accepted */
  bool timed;          /* there may be deadlines */
  int64_t next_check;  /* of the deadlines */
  tcp_channel* active; /* channels that may be able to read or write */
  tcp_queue any;       /* receives of HELLO from any source */
  tcp_request* free_requests;
  struct tcp_slab* slabs; /* the memory of requests */
};

/* What an event of epoll is about, and the number of the stranger or channel. */
enum { EVENT_LISTENER, EVENT_STRANGER, EVENT_CHANNEL };

static inline uint64_t tcp_event(int kind, int number) {
  return (uint64_t)kind << 32 | (uint32_t)number;
}

static inline tcp_peer* tcp_peer_of(const tcp_channel* c) {
  return &c->tcp->peers[c->rank];
}

int64_t tfc_tcp_now(void); /* ns */

/* ---- tcp_channel.c */

void tfc_tcp_queue_clear(tcp_queue* q);
void tfc_tcp_queue_add(tcp_queue* q, tcp_request* r);
void tfc_tcp_queue_remove(tcp_queue* q, tcp_request* r);
void tfc_tcp_fail_all(tcp_queue* q, int error);
/* Has the next `progress` look at the channel. */
void tfc_tcp_activate(tcp_channel* c);
/* Does what can be done now; returns whether there was anything. */
bool tfc_tcp_advance_channel(tcp_channel* c);
/* Gives the next frame to the receive that waits for it. */
bool tfc_tcp_take_frame(tcp_channel* c);
bool tfc_tcp_write_channel(tcp_channel* c);
/* Nothing more comes or goes. What was read is still delivered. */
void tfc_tcp_end_channel(tcp_channel* c, int error);
/* Ends it with all that waits for it. */
void tfc_tcp_free_channel(tcp_channel* c, int error);
/* The same for a process that was given up but may live: its connection stays open, unused, because
 * to the process its end would mean that this one is gone. */
void tfc_tcp_give_up_channel(tcp_channel* c);
/* Once one channel has ended, the other one soon ends too: then the peer is gone. */
void tfc_tcp_settle(tcp_peer* p, int64_t now);

/* ---- tcp_connect.c */

void tfc_tcp_connect(tcp_channel* c);
/* The next step of a channel that is connecting or greeting. */
void tfc_tcp_advance_connecting(tcp_channel* c);
/* The peer has given up the connection that was accepted: it may try again. */
void tfc_tcp_withdraw(tcp_channel* c);
void tfc_tcp_accept(tfc_tcp* tcp);
void tfc_tcp_hear_stranger(tfc_tcp* tcp, int number);
void tfc_tcp_check_deadlines(tfc_tcp* tcp, int64_t now);
void tfc_tcp_close_fd(int* fd);
/* Frames that have been read stay if the channel has ended. */
void tfc_tcp_close_channel(tcp_channel* c, tcp_channel_state state);

#endif
