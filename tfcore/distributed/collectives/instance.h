/* Shared by the files of the collectives: a running instance and its blocks. */
#ifndef TFCORE_COLLECTIVE_INSTANCE_H
#define TFCORE_COLLECTIVE_INSTANCE_H

#include "collectives/collective.h"

enum {
  TINY_BYTES = 8192,       /* up to here all ranks send all to all */
  INLINE_BYTES = 1 << 20,  /* up to here the polling thread does the work */
  PACK_BYTES = 32 << 10,   /* inputs up to here are copied into shared blocks */
  SMALL_BLOCK = 16 << 10,  /* smallest block worth a message */
  BLOCK_BYTES = 512 << 10, /* stays in the cache from its reduction until others have copied it */
  STREAM_BYTES = 4 << 20,  /* results from here on are written past the cache */
  EQUAL_BYTES = 64 << 10,  /* of a tensor that a run compares, at least... */
  EQUAL_RUNS = 64,         /* ...and all of it in this many runs */
  MOST_EVEN = 32,          /* ranks that get the same number of blocks */
  EVERYONE = -1            /* root of a block that each rank combines for itself */
};

/* What a block is made of: a value of this rank, of another one of its host, or what another host
 * has combined (for 16-bit floats perhaps as float32). */
typedef struct tfc_part {
  int32_t from;
  bool here;
  tfc_tensor value; /* dtype 0: this rank's own, or of no elements */
} tfc_part;

/* A piece of a reduction, with the tree (collectives/tree.h) on whose way up it is combined, and on
 * whose way down the result is sent. */
typedef struct tfc_block {
  tfc_tree tree;
  int32_t next;    /* in the queue of blocks to work on, -1: the last */
  int32_t parent;  /* to whom this rank sends its part, and who sends the result; -1: the root */
  int32_t n_parts; /* that this rank combines, its own included; 0: a leaf */
  int32_t missing; /* of these */
  bool shared;     /* all ranks get the result */
  bool combined;   /* a thread has begun to combine the parts, or has done so */
  bool placed;     /* the result comes, or has come, straight into `out` */
  bool has_result;
  int64_t n; /* elements */
  const char* in;
  char* out;
  tfc_buffer *in_buffer, *out_buffer; /* that hold these */
  tfc_part* parts;   /* the ranks of this host, then other hosts in the order of collectives/tree.c;
                        of EVERYONE: the ranks host by host */
  tfc_tensor result; /* from the parent */
} tfc_block;

typedef struct tfc_early {
  tfc_message m;
  tfc_tensor payload;
  struct tfc_early* next;
} tfc_early;

/* Under the lock, except while `busy`. */
typedef struct tfc_instance {
  struct tfc_channel* channel;
  struct tfc_instance* next; /* in the channel */
  int64_t count;
  tfc_early *early, **last_early; /* messages that arrived before this rank's run */
  bool local;                     /* this rank takes part: all below is set */
  tfc_collective* c;
  tfc_async* async;
  tfc_context* ctx;
  uint64_t hash;
  uint64_t* digests; /* TFC_COLLECTIVE_EQUAL: of the compared part of each input */
  int32_t dtype;
  size_t element;
  /* Users of the instance without the lock; it is not ended meanwhile. */
  int busy;
  bool cancelled, claimed, described, tells; /* tells: other ranks must learn of the failure */
  int code;
  char* message;
  bool* heard; /* gather, by rank */
  int n_heard;
  /* Reductions */
  tfc_tensor packed_in, packed_out;
  tfc_block* blocks;
  tfc_part* block_parts; /* memory of blocks[].parts */
  int n_blocks, room;
  int remaining;   /* how often a block is still to be worked on */
  int first, last; /* queue of blocks that can be worked on, -1: none */
  bool queued;     /* the instance stands in the queue of the workers */
  struct tfc_instance* next_queued;
  bool inline_work; /* little enough for the thread that receives the last message */
  /* Gather and broadcast */
  tfc_tensor* parts;
  int n_parts;
  bool prepared;
} tfc_instance;

typedef struct tfc_channel {
  uint64_t id;
  int64_t started; /* instances that this rank has started or given up */
  tfc_instance* instances;
  int poison;
  char* poison_message;
  struct tfc_channel* next;
} tfc_channel;

extern pthread_mutex_t tfc_collectives_lock;

/* Kinds of messages, in their flags. */
enum {
  SAYS_INPUT = 2 << 8,  /* up the tree: a value, or what was combined of several */
  SAYS_RESULT = 3 << 8, /* down the tree */
  SAYS_PART = 4 << 8,   /* a whole tensor: gather and broadcast */
  SAYS_ABORT = 5 << 8,
  SAYS_DESCRIPTION = 6 << 8,
  SAYS_MASK = 0xff00
};

/* ---- collectives/cut.c: from inputs to blocks. */

/* Checks the inputs, makes outputs and blocks. TFC_OK or a recorded error. */
int tfc_instance_cut(tfc_instance* x, tfc_context* ctx) __attribute__((visibility("hidden")));
/* Digests the values that this run compares, for `hash`. Needs the number of the run. */
int tfc_instance_digest(tfc_instance* x) __attribute__((visibility("hidden")));
/* A gather whose parts have all come: makes the outputs and blocks that are to be copied. */
int tfc_instance_prepare(tfc_instance* x) __attribute__((visibility("hidden")));
/* Copies packed results to the outputs. */
void tfc_instance_unpack(tfc_instance* x) __attribute__((visibility("hidden")));
/* This rank's side as text (malloc'd): the operation on the first line, then one line per input,
 * with its fields between tabs: type and shape, name, digest of the compared values. */
char* tfc_instance_describe(const tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_free(tfc_instance* x) __attribute__((visibility("hidden")));

/* ---- collectives/work.c: reducing and copying. */

/* Elements of a block as a tensor that refers to them. */
static inline tfc_tensor tfc_block_tensor(const tfc_instance* x, const tfc_block* b,
                                          const void* data, tfc_buffer* buffer) {
  return (tfc_tensor){.data = (void*)data,
                      .buffer = buffer,
                      .n = b->n,
                      .dtype = x->dtype,
                      .rank = 1,
                      .dims = {b->n}};
}

/* Puts a block into its instance's queue; with the lock. True: tfc_work_start is to be called. */
bool tfc_work_add(tfc_instance* x, int block) __attribute__((visibility("hidden")));
void tfc_work_start(void) __attribute__((visibility("hidden")));
void tfc_work_after_fork(void) __attribute__((visibility("hidden")));
/* Works on the instance's own queue on this thread. Without the lock; the instance is busy. */
void tfc_work_inline(tfc_instance* x) __attribute__((visibility("hidden")));

/* ---- collectives/match.c */

/* With the lock: whether the instance is over, and the caller has to call tfc_instance_end without
 * the lock. */
bool tfc_instance_over(tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_end(tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_fail(tfc_instance* x, int code, const char* message)
    __attribute__((visibility("hidden")));
/* Sends a tensor (NULL, or one without elements: none) to a rank given by its index. */
void tfc_instance_send(tfc_instance* x, int to, int says, int block, const tfc_tensor* t)
    __attribute__((visibility("hidden")));
/* Tells the other ranks that this one fails. */
void tfc_instance_fail_all(tfc_instance* x, int code, const char* message)
    __attribute__((visibility("hidden")));
/* The running instance that a message is for; NULL: there is none on this rank. With the lock. */
tfc_instance* tfc_instance_of(const tfc_message* m) __attribute__((visibility("hidden")));
/* For messages: which run of its attempt it is. */
long long tfc_run_number(int64_t count) __attribute__((visibility("hidden")));
/* Sends a text to all other ranks of the group; `code` is that of an abort. */
void tfc_instance_send_text(const tfc_collective* c, int64_t count, uint64_t hash, int says,
                            int code, const char* text) __attribute__((visibility("hidden")));

/* ---- collectives/receive.c: what messages of other ranks mean for an instance. */

/* What must be done without the lock; see tfc_instance_act. */
enum { MUST_DESCRIBE = 1, MUST_START = 2, MUST_PREPARE = 4, MUST_WORK = 8 };

/* With the lock; returns what must be done without it. May take over the payload. */
int tfc_instance_receive(tfc_instance* x, const tfc_message* m, tfc_tensor* payload)
    __attribute__((visibility("hidden")));
/* Without the lock; the instance is busy. */
void tfc_instance_act(tfc_instance* x, int must) __attribute__((visibility("hidden")));
/* Where the payload of a message is to be received: see tfc_on_payload. */
bool tfc_instance_place(const tfc_message* m, tfc_tensor* out)
    __attribute__((visibility("hidden")));
/* -1: it is not a member. */
int tfc_collective_index_of(const tfc_collective* c, int rank)
    __attribute__((visibility("hidden")));

#endif
