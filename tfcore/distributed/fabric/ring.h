/* An inbox: memory into which the peers of one host write messages, with one ring per peer, and a
 * doorbell. Memory of rings that are never used is never touched, and so never there.
 *
 * A ring has one writer and one reader at a time. Records are contiguous multiples of 64 bytes (a
 * record of kind 0 fills the rest before the end of the ring), so that no two share a cache line.
 */
#ifndef TFCORE_RING_H
#define TFCORE_RING_H

#include "fabric/fabric.h"

enum {
  TFC_LINE = 64,
  TFC_PAGE = 65536, /* a multiple of every system's */
  TFC_INBOX_VERSION = 5
};

typedef struct tfc_ring {
  uint64_t tail __attribute__((aligned(64))); /* atomic: bytes ever written, by the writer */
  uint32_t wants_room;                        /* atomic: the writer found it full */
  uint32_t quiet;  /* atomic: a record was written that need not wake anybody */
  uint32_t closed; /* atomic: the reader looks for records no more */
  uint64_t head __attribute__((aligned(64))); /* atomic: bytes ever read, by the reader */
  char data[] __attribute__((aligned(64)));
} tfc_ring;

typedef struct tfc_inbox {
  uint64_t magic;
  uint32_t version;
  uint32_t ring_bytes; /* a power of two */
  int32_t rank, size;  /* the owner's rank; the number of rings */
  int64_t pid;
  uint64_t token; /* also in the owner's address: this is the inbox that is meant */
  /* atomic: ns of the monotonic clock, written by the owner's heartbeat thread */
  int64_t heartbeat __attribute__((aligned(64)));
  uint32_t awake __attribute__((aligned(64))); /* atomic: threads of the owner that poll */
  uint32_t bell;                               /* atomic, the service thread's futex: 1 when rung */
  uint32_t on_duty;                            /* atomic: a waiting thread sleeps on duty_bell */
  uint32_t duty_bell;                          /* atomic, a futex */
  /* atomic: a bit for each rank, set before it first writes into its ring */
  uint64_t writers[] __attribute__((aligned(64)));
} tfc_inbox;

size_t tfc_inbox_bytes(int size);
/* The part of an inbox before the rings: whole pages. */
size_t tfc_inbox_header_bytes(int size);
void tfc_inbox_init(tfc_inbox* in, int rank, int size, uint64_t token);
bool tfc_inbox_valid(const tfc_inbox* in, int rank, int size, int64_t pid, uint64_t token);
/* `size` is that of the cluster: what the inbox says others may change meanwhile. */
tfc_ring* tfc_inbox_ring(tfc_inbox* in, int size, int from);
size_t tfc_inbox_ring_offset(int size, int from);
size_t tfc_inbox_ring_bytes(int size); /* with its counters */
void tfc_ring_init(tfc_ring* r);       /* makes it empty; nobody else uses it */
void tfc_inbox_note_writer(tfc_inbox* in, int from);
/* The ranks from 64 * word on that write to it, as bits; the caller knows how many ranks there are.
 */
static inline uint64_t tfc_inbox_writers(const tfc_inbox* in, int word) {
  return __atomic_load_n(&in->writers[word], __ATOMIC_SEQ_CST);
}

/* Writes a record made of two pieces (the second may be empty); its first word is the sum of their
 * sizes. The writer keeps *tail and *seen_head between calls. False: there is no room now. */
bool tfc_ring_put(tfc_ring* r, uint32_t ring_bytes, uint64_t* tail, uint64_t* seen_head,
                  const void* first, size_t first_bytes, const void* second, size_t second_bytes);
/* The next record, or NULL. The reader keeps *head between calls. *bytes: the size of the record,
 * which lies within the ring; 0: the record is malformed, for good. */
const void* tfc_ring_peek(const tfc_ring* r, uint32_t ring_bytes, uint64_t* head, uint32_t* bytes);
/* Frees the room of that record. */
void tfc_ring_pop(tfc_ring* r, uint64_t* head, uint32_t record_bytes);
/* The reader has given the writer up: returns where the last records end that it looks at. */
uint64_t tfc_ring_close(tfc_ring* r);
/* By the writer, after it has written a record: whether the reader finds it in any case. */
bool tfc_ring_is_open(const tfc_ring* r);
/* Bytes that are written and not read, by the writer. */
uint64_t tfc_ring_unread(const tfc_ring* r);
/* True: the writer waits for room and has to be woken. */
bool tfc_ring_take_wish(tfc_ring* r);

/* Wakes a thread of the owner, unless one polls. Called after the message was written. */
void tfc_ring_bell(tfc_inbox* in);
void tfc_bell_set(uint32_t* bell);
void tfc_futex_wait(uint32_t* word, uint32_t value, int64_t ns); /* ns < 0: without limit */
void tfc_futex_wake(uint32_t* word, int threads);
int64_t tfc_now_monotonic(void); /* ns */

#endif
