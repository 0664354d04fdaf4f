/* Rings and doorbells.
 *
 * In three places both sides write one word and read another at the same time:
 *
 *   sleep:  the sender writes `tail`, then reads `awake`;  the owner lowers `awake`, then reads
 *           `tail`. If the sender finds a polling thread, that thread's last look finds the tail.
 *   room:   the sender sets `wants_room`, then reads `head`;  the reader writes `head`, then reads
 *           `wants_room`.
 *   end:    the writer writes `tail`, then reads `closed`;  the reader sets `closed`, then reads
 *           `tail` for the last time. A writer that finds the ring open knows that this last look
 *           finds its record, even if the writer then dies: the ring is in the reader's memory.
 *
 * All four accesses of a pair are sequentially consistent, so at least one side sees what the other
 * wrote, and nothing is lost.
 */
#define _GNU_SOURCE
#include "fabric/ring.h"

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const uint64_t MAGIC = 0x7466636f72652121;
/* MOST, LEAST, ALL: bytes of the largest and the smallest ring, and of all rings together. */
enum { MOST = 256 << 10, LEAST = 64 << 10, ALL = 4 << 20 };

static uint32_t ring_bytes(int size) {
  uint32_t bytes = MOST;
  while (bytes > LEAST && (int64_t)bytes * size > ALL) bytes /= 2;
  return bytes;
}

size_t tfc_inbox_header_bytes(int size) {
  size_t writers = ((size_t)size + 63) / 64 * sizeof(uint64_t);
  return (sizeof(tfc_inbox) + writers + TFC_PAGE - 1) / TFC_PAGE * TFC_PAGE;
}

size_t tfc_inbox_ring_bytes(int size) {
  return sizeof(tfc_ring) + ring_bytes(size);
}

size_t tfc_inbox_ring_offset(int size, int from) {
  return tfc_inbox_header_bytes(size) + tfc_inbox_ring_bytes(size) * (size_t)from;
}

size_t tfc_inbox_bytes(int size) {
  return tfc_inbox_ring_offset(size, size);
}

void tfc_inbox_init(tfc_inbox* in, int rank, int size, uint64_t token) {
  in->version = TFC_INBOX_VERSION;
  in->ring_bytes = ring_bytes(size);
  in->rank = rank;
  in->size = size;
  in->pid = getpid();
  in->token = token;
  in->heartbeat = tfc_now_monotonic();
  in->magic = MAGIC;
}

/* Two words are compared in constant time. */
bool tfc_inbox_valid(const tfc_inbox* in, int rank, int size, int64_t pid, uint64_t token) {
  return in->magic == MAGIC && in->version == TFC_INBOX_VERSION && in->rank == rank &&
         in->size == size && in->pid == pid && in->token == token &&
         in->ring_bytes == ring_bytes(size);
}

tfc_ring* tfc_inbox_ring(tfc_inbox* in, int size, int from) {
  return (tfc_ring*)((char*)in + tfc_inbox_ring_offset(size, from));
}

void tfc_inbox_note_writer(tfc_inbox* in, int from) {
  __atomic_fetch_or(&in->writers[from / 64], (uint64_t)1 << from % 64, __ATOMIC_SEQ_CST);
}

void tfc_ring_init(tfc_ring* r) {
  __atomic_store_n(&r->wants_room, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&r->quiet, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&r->closed, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&r->head, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&r->tail, 0, __ATOMIC_SEQ_CST);
}

static size_t round_up(size_t bytes) {
  return (bytes + TFC_LINE - 1) / TFC_LINE * TFC_LINE;
}

bool tfc_ring_put(tfc_ring* r, uint32_t capacity, uint64_t* tail, uint64_t* seen_head,
                  const void* first, size_t first_bytes, const void* second, size_t second_bytes) {
  size_t record = round_up(first_bytes + second_bytes);
  size_t at = *tail & (capacity - 1), filler = at + record > capacity ? capacity - at : 0;
  uint64_t end = *tail + filler + record;
  if (end - *seen_head > capacity) {
    *seen_head = __atomic_load_n(&r->head, __ATOMIC_SEQ_CST);
    if (end - *seen_head > capacity) return false;
  }
  if (filler) {
    tfc_message* empty = (tfc_message*)(r->data + at);
    empty->size = (uint32_t)filler;
    empty->kind = 0;
    at = 0;
  }
  memcpy(r->data + at, first, first_bytes);
  if (second_bytes) memcpy(r->data + at + first_bytes, second, second_bytes);
  *tail = end;
  __atomic_exchange_n(&r->tail, end, __ATOMIC_SEQ_CST);
  return true;
}

/* What the writer wrote is checked: a record that leaves the ring would be read from memory that
 * does not exist, and more than the ring holds could be gaps without end. */
const void* tfc_ring_peek(const tfc_ring* r, uint32_t capacity, uint64_t* head, uint32_t* bytes) {
  uint64_t tail = __atomic_load_n(&r->tail, __ATOMIC_SEQ_CST);
  bool sound = tail % TFC_LINE == 0 && tail - *head <= capacity;
  while (*head != tail) {
    uint64_t at = *head & (capacity - 1), most = tail - *head;
    const tfc_message* m = (const tfc_message*)(r->data + at);
    if (most > capacity - at) most = capacity - at;
    *bytes = __atomic_load_n(&m->size, __ATOMIC_RELAXED);
    if (!sound || round_up(*bytes) > most) *bytes = 0;
    if (m->kind || !*bytes) return m;
    *head += round_up(*bytes); /* freed together with the next record */
  }
  return NULL;
}

void tfc_ring_pop(tfc_ring* r, uint64_t* head, uint32_t record_bytes) {
  *head += round_up(record_bytes);
  __atomic_store_n(&r->head, *head, __ATOMIC_RELEASE);
}

uint64_t tfc_ring_close(tfc_ring* r) {
  __atomic_exchange_n(&r->closed, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&r->tail, __ATOMIC_SEQ_CST);
}

bool tfc_ring_is_open(const tfc_ring* r) {
  return !__atomic_load_n(&r->closed, __ATOMIC_SEQ_CST);
}

uint64_t tfc_ring_unread(const tfc_ring* r) {
  return __atomic_load_n(&r->tail, __ATOMIC_RELAXED) - __atomic_load_n(&r->head, __ATOMIC_RELAXED);
}

bool tfc_ring_take_wish(tfc_ring* r) {
  /* The read-modify-write orders the stores to `head` before the load. */
  __atomic_exchange_n(&r->head, __atomic_load_n(&r->head, __ATOMIC_RELAXED), __ATOMIC_SEQ_CST);
  return __atomic_load_n(&r->wants_room, __ATOMIC_SEQ_CST) &&
         __atomic_exchange_n(&r->wants_room, 0, __ATOMIC_SEQ_CST);
}

/* A thread on duty raises `awake` before it leaves its duty and looks at the rings afterwards, so a
 * bell that it misses was not needed. */
void tfc_ring_bell(tfc_inbox* in) {
  if (__atomic_load_n(&in->awake, __ATOMIC_SEQ_CST)) return;
  uint32_t* bell = __atomic_load_n(&in->on_duty, __ATOMIC_SEQ_CST) ? &in->duty_bell : &in->bell;
  tfc_bell_set(bell);
}

void tfc_bell_set(uint32_t* bell) {
  if (__atomic_exchange_n(bell, 1, __ATOMIC_SEQ_CST) == 0) tfc_futex_wake(bell, 1);
}

void tfc_futex_wait(uint32_t* word, uint32_t value, int64_t ns) {
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  syscall(SYS_futex, word, FUTEX_WAIT, value, ns < 0 ? NULL : &t, NULL, 0);
}

void tfc_futex_wake(uint32_t* word, int threads) {
  syscall(SYS_futex, word, FUTEX_WAKE, threads, NULL, NULL, 0);
}

int64_t tfc_now_monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * (int64_t)1000000000 + t.tv_nsec;
}
