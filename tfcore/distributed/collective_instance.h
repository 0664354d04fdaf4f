/* Shared by the files of the collectives: a running instance and its blocks. */
#ifndef TFCORE_COLLECTIVE_INSTANCE_H
#define TFCORE_COLLECTIVE_INSTANCE_H

#include "collective.h"

enum {
  TINY_BYTES = 8192,       /* up to here all ranks send all to all */
  INLINE_BYTES = 1 << 20,  /* up to here the polling thread does the work */
  PACK_BYTES = 32 << 10,   /* inputs up to here are copied into shared blocks */
  SMALL_BLOCK = 16 << 10,  /* smallest block worth a message */
  BLOCK_BYTES = 512 << 10, /* stays in the cache from its reduction until others have copied it */
  STREAM_BYTES = 4 << 20,  /* results from here on are written past the cache */
  EQUAL_BYTES = 64 << 10,  /* of a tensor that a run compares, at least... */
  EQUAL_RUNS = 64,         /* ...and all of it in this many runs */
  EVERYONE = -1            /* owner of a block that each rank reduces for itself */
};

typedef struct tfc_block {
  int32_t owner; /* index in the group */
  int32_t next;  /* in the queue of blocks to work on, -1: the last */
  int32_t arrived;
  int32_t n_from;
  int64_t n; /* elements */
  const char* in;
  char* out;
  tfc_buffer *in_buffer, *out_buffer; /* that hold these */
  tfc_tensor* from; /* own block: the ranks' parts; other's: its result; copied: the source */
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
  bool* heard; /* by rank */
  int n_heard;
  /* Reductions */
  tfc_tensor packed_in, packed_out;
  tfc_block* blocks;
  tfc_tensor* tensors; /* memory of blocks[].from */
  int n_blocks, room;
  int remaining;   /* blocks still to be reduced or copied */
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

typedef struct tfc_collectives {
  pthread_mutex_t lock;
  const tfc_runtime* rt;
  const tfc_api* api;
  const tfc_fabric* fabric;
} tfc_collectives;

extern tfc_collectives tfc_coll __attribute__((visibility("hidden")));

/* Kinds of messages, in their flags. */
enum {
  SAYS_HELLO = 1 << 8,
  SAYS_INPUT = 2 << 8,
  SAYS_RESULT = 3 << 8,
  SAYS_PART = 4 << 8,
  SAYS_ABORT = 5 << 8,
  SAYS_DESCRIPTION = 6 << 8,
  SAYS_MASK = 0xff00
};

/* ---- collective_cut.c: from inputs to blocks. */

/* Checks the inputs, makes outputs and blocks. TFC_OK or a recorded error. */
int tfc_instance_cut(tfc_instance* x, tfc_context* ctx) __attribute__((visibility("hidden")));
/* Digests the values that this run compares, for `hash`. Needs the number of the run. */
int tfc_instance_digest(tfc_instance* x) __attribute__((visibility("hidden")));
/* A gather whose parts have all come: makes the outputs and blocks that are to be copied. */
int tfc_instance_prepare(tfc_instance* x) __attribute__((visibility("hidden")));
/* Copies packed results to the outputs. */
void tfc_instance_unpack(tfc_instance* x) __attribute__((visibility("hidden")));
/* This rank's side as text (malloc'd): the operation on the first line, then one line per input. */
char* tfc_instance_describe(const tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_free(tfc_instance* x) __attribute__((visibility("hidden")));

/* ---- collective_work.c: reducing and copying. */

/* Puts a block into its instance's queue; with the lock. True: tfc_work_start is to be called. */
bool tfc_work_add(tfc_instance* x, int block) __attribute__((visibility("hidden")));
void tfc_work_start(void) __attribute__((visibility("hidden")));
void tfc_work_after_fork(void) __attribute__((visibility("hidden")));
/* Works on the instance's own queue on this thread. Without the lock; the instance is busy. */
void tfc_work_inline(tfc_instance* x) __attribute__((visibility("hidden")));

/* ---- collective_match.c */

/* With the lock: whether the instance is over, and the caller has to call tfc_instance_end without
 * the lock. */
bool tfc_instance_over(tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_end(tfc_instance* x) __attribute__((visibility("hidden")));
void tfc_instance_fail(tfc_instance* x, int code, const char* message)
    __attribute__((visibility("hidden")));
/* Sends elements of a buffer, or nothing (data == NULL), to a rank given by its index. */
void tfc_instance_send(tfc_instance* x, int to, int says, int block, const void* data,
                       tfc_buffer* buffer, int64_t n) __attribute__((visibility("hidden")));

#endif
