/* An inbox: memory into which the peers of one host write messages, a ring for each of them, and a
 * doorbell.
 *
 * A ring has one writer and one reader at a time. Records are multiples of 64 bytes, in one piece
 * (the rest of the ring before its end is filled by a record of kind 0), so that no two of them
 * share a cache line.
 */
#ifndef TFCORE_RING_H
#define TFCORE_RING_H

#include "fabric.h"

enum { TFC_LINE = 64, TFC_INBOX_VERSION = 1 };

typedef struct tfc_ring {
  uint64_t tail __attribute__((aligned(64))); /* atomic: bytes ever written; of the writer */
  uint32_t wants_room;                        /* atomic: the writer found it full */
  uint32_t quiet; /* atomic: something was written that is not worth waking anybody */
  uint64_t head __attribute__((aligned(64))); /* atomic: bytes ever read; of the reader */
  char data[] __attribute__((aligned(64)));
} tfc_ring;

typedef struct tfc_inbox {
  uint64_t magic;
  uint32_t version;
  uint32_t ring_bytes; /* a power of two */
  int32_t rank, size;  /* of its owner; how many rings there are */
  int64_t pid;
  /* atomic: ns of the monotonic clock, written by the owner now and then */
  int64_t heartbeat __attribute__((aligned(64)));
  uint32_t awake __attribute__((aligned(64))); /* atomic: threads of the owner that poll */
  uint32_t bell;      /* atomic, a futex, 1 when it has been rung: the service thread's */
  uint32_t on_duty;   /* atomic: a thread that waits for something else sleeps on its own bell */
  uint32_t duty_bell; /* atomic, a futex */
} tfc_inbox;

size_t tfc_inbox_bytes(int size);
void tfc_inbox_init(tfc_inbox* in, int rank, int size);
bool tfc_inbox_valid(const tfc_inbox* in, int rank, int size, int64_t pid);
tfc_ring* tfc_inbox_ring(tfc_inbox* in, int from);

/* Writes a record made of two pieces (the second may be empty), whose first word is the sum of
 * their sizes. *tail and *seen_head are what the writer keeps between calls. False: there is no
 * room now. */
bool tfc_ring_put(tfc_ring* r, uint32_t ring_bytes, uint64_t* tail, uint64_t* seen_head,
                  const void* first, size_t first_bytes, const void* second, size_t second_bytes);
/* The next record, or NULL. *head is what the reader keeps between calls. *bytes: the record's, all
 * of them in the ring; 0: what the writer has left there is no record, and never becomes one. */
const void* tfc_ring_peek(const tfc_ring* r, uint32_t ring_bytes, uint64_t* head, uint32_t* bytes);
/* Gives back the room of that record. */
void tfc_ring_pop(tfc_ring* r, uint64_t* head, uint32_t record_bytes);
/* True: the writer waited for room and has to be told. */
bool tfc_ring_take_wish(tfc_ring* r);

/* Wakes a thread of the owner, unless one polls. After the message was written. */
void tfc_ring_bell(tfc_inbox* in);
void tfc_bell_set(uint32_t* bell);
void tfc_futex_wait(uint32_t* word, uint32_t value, int64_t ns); /* ns < 0: without limit */
void tfc_futex_wake(uint32_t* word, int threads);
int64_t tfc_now_monotonic(void); /* ns */

#endif
