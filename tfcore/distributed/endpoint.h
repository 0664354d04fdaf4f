/* This process among its peers: what the C files of the fabric share. */
#ifndef TFCORE_ENDPOINT_H
#define TFCORE_ENDPOINT_H

#include "fabric.h"
#include "ring.h"

enum { TFC_CLEAR = 0, TFC_SET = 1, TFC_SOMEBODY_SLEEPS = 2, TFC_DUTY_SLEEPS = 3 }; /* a word */

enum {
  TFC_INLINE = 8192,       /* payloads up to this size travel inside the message */
  TFC_MESSAGE_HEADER = 48, /* bytes of a record before the description of the payload */
  TFC_PAYLOAD_HEADER = 80  /* with it, before the sizes of the dimensions */
};

typedef enum { TFC_PEER_ALIVE, TFC_PEER_LEFT, TFC_PEER_FAILED } tfc_peer_state;

/* A buffer that a peer reads: kept until it says RELEASE. Its token is place and generation, so
 * that a RELEASE that comes twice, or after the peer failed, finds nothing. */
typedef struct tfc_handout {
  tfc_buffer* buffer; /* NULL: free */
  uint32_t generation;
  int32_t next_free;
} tfc_handout;

/* A message that found the ring full. */
typedef struct tfc_waiting {
  struct tfc_waiting* next;
  size_t bytes;
  char record[];
} tfc_waiting;

typedef struct tfc_peer {
  int rank;
  bool foreign; /* on another host: reached by the link */
  int64_t pid;
  int state;         /* atomic: a tfc_peer_state; changes under lock */
  int64_t heartbeat; /* atomic: when it was last heard of, if it is foreign */
  /* Reading: by the thread that polls. */
  tfc_ring* in; /* atomic; NULL: nothing more is read */
  uint64_t head;
  const char* arena;
  size_t arena_bytes;
  int64_t
      readers; /* atomic: of the arena: 1 while the peer is alive, and 1 for each of its tensors */
  /* Writing: under lock. */
  pthread_mutex_t lock;
  tfc_inbox* inbox;
  tfc_ring* out;
  uint64_t tail, seen_head;
  tfc_waiting *first, *last; /* in the order in which they were sent */
  int waits;                 /* atomic: there are such messages */
  tfc_handout* handouts;
  int32_t n_handouts, free_handout;
  int64_t outstanding; /* atomic: handouts not released */
  char* description;
  char* reason; /* why it failed */
} tfc_peer;

/* A payload on its way out. */
typedef struct tfc_load {
  const void* data; /* inline: m->bytes of it */
  void* owned;      /* malloc'd, freed when the message is written */
  tfc_tensor held;  /* by reference: the tensor, with a reference of its own */
} tfc_load;

typedef struct tfc_endpoint {
  const tfc_runtime* rt;
  int rank; /* atomic: -1: there is no fabric */
  int size;
  int running;  /* atomic: from start to close */
  int excluded; /* atomic: others have taken this task for dead */
  tfc_inbox* inbox;
  int inbox_fd;
  uint32_t ring_bytes; /* of all rings; not read from memory that peers write */
  tfc_peer** peers;    /* by rank; the own one too */
  tfc_peer** local;    /* those of this host without the own one */
  int n_local;
  int64_t spin_ns;
  int polling;   /* atomic: a thread handles messages */
  int again;     /* atomic: somebody else wants that thread to look once more */
  int n_waiting; /* atomic: peers with messages that found the ring full */
  tfc_handler handlers[TFC_MSG_KINDS];
  tfc_failure_fn failures[16]; /* atomic */
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
  return __atomic_load_n(&p->waits, __ATOMIC_RELAXED);
}
static inline int64_t tfc_heartbeat(const tfc_peer* p) {
  return __atomic_load_n(p->inbox ? &p->inbox->heartbeat : &p->heartbeat, __ATOMIC_RELAXED);
}
/* NULL: no fabric, or no such peer. */
tfc_peer* tfc_peer_of(int rank);

/* ---- endpoint.c */
int tfc_send(int to, tfc_message* m, const tfc_tensor* payload);
void tfc_send_release(tfc_peer* p, uint64_t token);
void tfc_handle(tfc_peer* from, const tfc_message* m, tfc_tensor* payload);
bool tfc_poll(void);
/* For a thread that stops polling: it polls, or makes the one that does look once more. */
void tfc_settle(void);
void tfc_lock_polling(void);
void tfc_unlock_polling(void);
void tfc_fail(int peer, const char* reason);
int tfc_failure_code(void);
void tfc_leave(tfc_peer* p);

/* ---- payload.c */
/* Describes the payload in *m and says what has to travel. A tfc_code. */
int tfc_load_payload(tfc_message* m, const tfc_tensor* t, const tfc_peer* to, tfc_load* out);
void tfc_unload(tfc_load* load);
size_t tfc_header_bytes(const tfc_message* m);
/* Reads the header of a record; false: malformed. */
bool tfc_read_header(const void* record, size_t record_bytes, size_t arena_bytes, tfc_message* m);
/* Makes the tensor of a message. `data` are its m->bytes; `held` (dtype 0: none) owns them and is
 * taken over. */
bool tfc_make_payload(const tfc_message* m, const void* data, tfc_tensor* out);
/* For whoever reads a peer's arena; false: it is not there any more. With the last reader of a peer
 * that has ended it goes: its memory may be all that is left of a large process. */
bool tfc_read_arena(tfc_peer* p);
void tfc_leave_arena(tfc_peer* p);
bool tfc_borrow_payload(tfc_peer* from, const tfc_message* m, tfc_tensor* out);
bool tfc_unpack_strings(const tfc_message* m, const void* data, tfc_tensor* out);

/* ---- service.c: threads that wait */
extern const tfc_idle tfc_idle_table;
bool tfc_defer(void (*fn)(void*), void* arg);
void tfc_service_run(
    void); /* handles messages while nobody else does, until the fabric is closed */
/* Sets a word for which threads may wait. */
void tfc_set_word(uint32_t* word);
bool tfc_beat_start(void);
void tfc_beat_stop(void);
/* Waits until *word is set, at most ns; with `spin` it polls a little before it sleeps. False: it
 * still is not. */
bool tfc_wait_word(uint32_t* word, int64_t ns, bool spin);

/* ---- calls.c: requests to Python code */
typedef struct tfc_call {
  int peer;
  uint64_t id;
  uint32_t done; /* for tfc_wait_word */
  int code;
  tfc_tensor reply;
  struct tfc_call* next;
} tfc_call;

typedef struct tfc_job {
  int source;
  bool failed; /* not a request: this peer is no longer alive */
  uint64_t id;
  tfc_tensor payload;
  struct tfc_job* next;
} tfc_job;

void tfc_calls_init(void);
void tfc_call_begin(tfc_call* c, int peer);
void tfc_call_end(tfc_call* c);
/* Takes a job; *alone says that no other thread waits for one. False: none came in ns, or closed.
 * By value: a thread that asks for the GIL at the end of the process ends, and frees nothing. */
bool tfc_job_take(tfc_job* out, int64_t ns, bool* alone);
void tfc_jobs_wake(void);

/* ---- link.c: messages to peers of other hosts */
typedef struct tfc_outgoing {
  struct tfc_outgoing* next;
  int peer;
  size_t header_bytes;
  tfc_tensor payload; /* dtype 0: none */
  char header[];
} tfc_outgoing;

bool tfc_link_put(int peer, const tfc_message* m, tfc_load* load);
tfc_outgoing* tfc_link_take(void); /* all there are, in order */
bool tfc_link_wait(int64_t ns);    /* false: nothing came */
void tfc_link_wake(void);
/* NULL, or what is wrong with the message. `payload`: what followed the header, which is taken over;
 * NULL where something should have: there was no memory for it. */
const char* tfc_link_deliver(const void* header, size_t bytes, tfc_tensor* payload);

/* ---- mailbox.c-free: see fabric.pyx */

/* ---- mailbox.c: for Python code that handles messages itself */
typedef struct tfc_mail {
  struct tfc_mail* next;
  tfc_message message;
  tfc_tensor payload;
} tfc_mail;

typedef struct tfc_mailbox {
  pthread_mutex_t lock;
  tfc_mail *first, *last; /* under lock */
  uint32_t filled;        /* for tfc_wait_word: there is something, or was */
  bool is_open;
} tfc_mailbox;

tfc_mailbox* tfc_mailbox_open(int kind);
tfc_mail* tfc_mailbox_take(tfc_mailbox* box); /* NULL: it is empty */

/* ---- open and close */
/* `sharing`: how many of the tasks, this one included, may map each other's memory. */
const char* tfc_endpoint_open(const tfc_runtime* rt, int rank, int size, int sharing);
const char* tfc_endpoint_map(int rank, int inbox_fd, int arena_fd, size_t arena_bytes, int64_t pid);
void tfc_endpoint_start(int64_t spin_ns);
void tfc_endpoint_close(int64_t patience_ns);
void tfc_endpoint_after_fork(void);
const tfc_fabric* tfc_fabric_table(void);
void tfc_describe(int rank, const char* text); /* what error messages call it */
char* tfc_failure(int rank);                   /* malloc'd: why it is not alive; NULL: it is */

#endif
