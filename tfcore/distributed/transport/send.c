/* The transport's sends: frames of messages, and chunks of payloads.
 *
 * Frames are posted in the order of the messages, and so are chunks: those of a payload begin when
 * all chunks of earlier ones have begun. The receiver posts its receives in the same order, so that
 * MPI matches them although tags are used again.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "transport/state.h"

/* Limits what MPI holds for a peer that does not receive; the rest waits in `sends`, as a send
 * never blocks. A few large chunks keep the network busy, but a small one ends only after a round
 * trip. */
enum { MAX_FRAMES_IN_FLIGHT = 64, MAX_CHUNKS_IN_FLIGHT = 256, MAX_LARGE_CHUNKS_IN_FLIGHT = 4 };

/* Chunks complete nearly in order: after so many payloads that are pending, none is tested. */
enum { MAX_PENDING_TESTED = 4 };

/* A peer whose doorbell rang, or that sent something, within this time is awake. */
static const int64_t RING_INTERVAL_NS = 1000 * TFC_US;

static void add_to_flush_list(tfc_transport* t, tfc_transport_queue* q) {
  q->next_to_flush = __atomic_load_n(&t->flush_list, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&t->flush_list, &q->next_to_flush, q, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
}

/* Has MPI begin a send. */
static int post_send(const tfc_mpi* mpi, tfc_transport_request* r, const void* data, size_t bytes,
                     int to, int tag) {
  *r = (tfc_transport_request){.started = false};
  int error = mpi->issend(data, (int)bytes, mpi->byte, to, tag, mpi->comm, &r->mpi);
  r->started = !error;
  return error;
}

/* With room for a record; takes over the payload's reference. NULL: there is no memory. */
static tfc_outgoing* make_outgoing(const tfc_transport* t, tfc_transport_queue* q, size_t bytes,
                                   tfc_tensor* payload, int64_t payload_bytes) {
  if (bytes > TFC_TRANSPORT_MAX_RECORD) return NULL;
  tfc_outgoing* m = calloc(1, sizeof *m + bytes);
  if (!m) return NULL;
  if (payload) {
    m->payload = *payload;
    payload->buffer = NULL;
    m->payload_bytes = payload_bytes;
    m->chunks.n = tfc_count_chunks(t, payload_bytes);
  }
  m->queue = q;
  __atomic_fetch_add(&q->messages, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&q->bytes, (int64_t)bytes + m->payload_bytes, __ATOMIC_RELAXED);
  m->bytes = sizeof m->frame + bytes;
  m->frame.record_bytes = (uint32_t)bytes;
  return m;
}

bool tfc_transport_enqueue(tfc_transport* t, int to, const void* first, size_t first_bytes,
                           const void* second, size_t second_bytes, tfc_tensor* payload,
                           int64_t payload_bytes) {
  tfc_transport_queue* q = &t->queues[to];
  tfc_outgoing* m = make_outgoing(t, q, first_bytes + second_bytes, payload, payload_bytes);
  if (!m) return false;
  if (first_bytes) memcpy(m->frame.record, first, first_bytes);
  if (second_bytes) memcpy(m->frame.record + first_bytes, second, second_bytes);
  pthread_mutex_lock(&q->lock);
  *q->end = m;
  q->end = &m->next;
  bool is_first = !q->on_flush_list;
  q->on_flush_list = true;
  pthread_mutex_unlock(&q->lock);
  if (is_first) add_to_flush_list(t, q);
  return true;
}

bool tfc_transport_has_queued(const tfc_transport* t) {
  return __atomic_load_n(&t->flush_list, __ATOMIC_SEQ_CST) != NULL;
}

void tfc_transport_queued(const tfc_transport* t, int peer, int64_t* messages, int64_t* bytes) {
  const tfc_transport_queue* q = &t->queues[peer];
  *messages = __atomic_load_n(&q->messages, __ATOMIC_RELAXED);
  *bytes = __atomic_load_n(&q->bytes, __ATOMIC_RELAXED);
}

void tfc_transport_free_outgoing(tfc_outgoing* m) {
  __atomic_fetch_sub(&m->queue->messages, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&m->queue->bytes, m->frame.record_bytes + m->payload_bytes, __ATOMIC_RELAXED);
  tfc_tensor_clear(&m->payload);
  free(m);
}

void tfc_transport_free_all(tfc_outgoing* m) {
  for (tfc_outgoing* next; m; m = next) {
    next = m->next;
    tfc_transport_free_outgoing(m);
  }
}

void tfc_transport_free_unsent(tfc_transport_peer* p) {
  tfc_outgoing* m = p->first_unsent;
  if (!m) return;
  p->last_send = m->previous;
  *(p->last_send ? &p->last_send->next : &p->sends) = NULL;
  if (p->oldest_frame == m) p->oldest_frame = NULL;
  p->first_unsent = NULL;
  tfc_transport_free_all(m);
}

static tfc_outgoing* take_queued(tfc_transport_queue* q) {
  pthread_mutex_lock(&q->lock);
  tfc_outgoing* m = q->first;
  q->first = NULL;
  q->end = &q->first;
  q->on_flush_list = false;
  pthread_mutex_unlock(&q->lock);
  return m;
}

static void start_queued(tfc_transport* t, tfc_transport_peer* p, tfc_outgoing* m) {
  if (!p->failed && !tfc_transport_connect(t, p)) tfc_transport_fail(t, p, TFC_NO_MEMORY);
  if (p->failed) {
    tfc_transport_free_all(m);
    return;
  }
  if (!p->first_unsent) p->first_unsent = m;
  if (!p->oldest_frame) p->oldest_frame = m;
  for (; m; m = m->next) {
    m->previous = p->last_send;
    *(p->last_send ? &p->last_send->next : &p->sends) = m;
    p->last_send = m;
  }
}

/* Frees a message if MPI needs nothing of it any more. */
static void release(tfc_transport_peer* p, tfc_outgoing* m) {
  if (!m->frame_send.completed || m->on_payload_list) return;
  *(m->previous ? &m->previous->next : &p->sends) = m->next;
  *(m->next ? &m->next->previous : &p->last_send) = m->previous;
  tfc_transport_free_outgoing(m);
}

/* ---- Frames */

static bool send_hello(tfc_transport* t, tfc_transport_peer* p) {
  if (p->hello_send.started) return true;
  p->last_sent = t->user.now();
  int error = post_send(p->mpi, &p->hello_send, &t->hello, sizeof t->hello, p->rank, TAG_HELLO);
  if (error) tfc_transport_note_death(t, p, error);
  return !error;
}

static void add_to_payload_list(tfc_transport_peer* p, tfc_outgoing* m) {
  m->on_payload_list = true;
  *p->payloads_end = m;
  p->payloads_end = &m->next_payload;
  if (!p->next_to_start) p->next_to_start = m;
}

/* Posts frames that have waited, as many as may be on their way. */
static void send_frames(tfc_transport* t, tfc_transport_peer* p) {
  while (p->first_unsent && p->frames_in_flight < MAX_FRAMES_IN_FLIGHT && !p->failed &&
         send_hello(t, p)) {
    tfc_outgoing* m = p->first_unsent;
    if (!p->frames_in_flight && !p->chunks_in_flight) p->last_sent = t->user.now();
    m->frame.magic = PROTOCOL_MAGIC;
    m->frame.incarnation = t->options.incarnation;
    m->frame.sequence = p->frames_sent + 1;
    m->frame.payload_number = m->chunks.n ? p->payloads_sent + 1 : 0;
    int error = post_send(p->mpi, &m->frame_send, &m->frame, m->bytes, p->rank, TAG_FRAME);
    if (error) {
      tfc_transport_note_death(t, p, error);
      return;
    }
    p->frames_sent++;
    p->payloads_sent += m->chunks.n > 0;
    p->frames_in_flight++;
    p->first_unsent = m->next;
    if (m->chunks.n) add_to_payload_list(p, m);
  }
}

/* Whether the request has completed; notes its failure. */
static bool test_send(tfc_transport* t, tfc_transport_peer* p, tfc_transport_request* r) {
  int error;
  tfc_mpi_status status;
  if (!tfc_transport_has_ended(t, p, r)) return false;
  tfc_outcome outcome = tfc_transport_test(p->mpi, r, &status, &error);
  if (outcome == FAILED) tfc_transport_note_death(t, p, error);
  if (r->completed) p->last_sent = t->user.now();
  return r->completed;
}

/* Frames complete nearly in order: after the first that is pending, the others are not tested. */
static bool complete_frames(tfc_transport* t, tfc_transport_peer* p) {
  bool any = false;
  for (tfc_outgoing *m = p->oldest_frame, *next; m && m != p->first_unsent; m = next) {
    if (!test_send(t, p, &m->frame_send)) break;
    any = true;
    next = m->next;
    p->frames_in_flight--;
    p->oldest_frame = next;
    release(p, m);
  }
  return any;
}

/* ---- Chunks */

static bool may_start(const tfc_transport* t, const tfc_transport_peer* p, const tfc_chunks* c,
                      size_t bytes) {
  if (!p->chunks_in_flight) return true;
  return p->chunks_in_flight < MAX_CHUNKS_IN_FLIGHT &&
         c->started - c->completed < MAX_LARGE_CHUNKS_IN_FLIGHT &&
         p->chunk_bytes_in_flight + (int64_t)bytes <=
             MAX_LARGE_CHUNKS_IN_FLIGHT * t->options.chunk_bytes;
}

static void send_chunks(tfc_transport* t, tfc_transport_peer* p) {
  while (p->next_to_start && !p->failed) {
    tfc_outgoing* m = p->next_to_start;
    tfc_chunks* c = &m->chunks;
    int64_t at;
    size_t bytes = tfc_chunk_size(t, m->payload_bytes, c->started, &at);
    if (!may_start(t, p, c, bytes)) return;
    int error = post_send(p->mpi, tfc_chunk_request(c, c->started), (char*)m->payload.data + at,
                          bytes, p->rank, tfc_chunk_tag(m->frame.payload_number));
    if (error) {
      tfc_transport_note_death(t, p, error);
      return;
    }
    p->chunks_in_flight++;
    p->chunk_bytes_in_flight += (int64_t)bytes;
    if (++c->started == c->n) p->next_to_start = m->next_payload;
  }
}

/* The chunks of a payload that have been sent; returns whether there are any new ones. */
static bool complete_chunks(tfc_transport* t, tfc_transport_peer* p, tfc_outgoing* m) {
  tfc_chunks* c = &m->chunks;
  int64_t before = c->completed, at;
  while (c->completed < c->started && test_send(t, p, tfc_chunk_request(c, c->completed))) {
    p->chunks_in_flight--;
    p->chunk_bytes_in_flight -= (int64_t)tfc_chunk_size(t, m->payload_bytes, c->completed, &at);
    c->completed++;
  }
  return c->completed > before;
}

static bool complete_payloads(tfc_transport* t, tfc_transport_peer* p) {
  bool any = false;
  int pending = 0;
  if (p->failed) p->next_to_start = NULL;
  for (tfc_outgoing** place = &p->payloads; *place && (p->failed || (*place)->chunks.started);) {
    tfc_outgoing* m = *place;
    any |= complete_chunks(t, p, m);
    if (m->chunks.completed < (p->failed ? m->chunks.started : m->chunks.n)) {
      if (++pending == MAX_PENDING_TESTED && !p->failed) break;
      place = &m->next_payload;
      continue;
    }
    *place = m->next_payload;
    if (!*place) p->payloads_end = place;
    m->on_payload_list = false;
    release(p, m);
  }
  return any;
}

bool tfc_transport_advance_sends(tfc_transport* t, tfc_transport_peer* p) {
  if (tfc_is_active(&p->hello_send)) test_send(t, p, &p->hello_send);
  bool any = complete_frames(t, p) | complete_payloads(t, p);
  send_frames(t, p);
  send_chunks(t, p);
  return any;
}

/* ---- Flushing */

static void ring_doorbell(tfc_transport* t, tfc_transport_peer* p) {
  int64_t now = t->user.now();
  if (!t->user.ring_doorbell || now - p->last_received < RING_INTERVAL_NS ||
      now - p->last_rung < RING_INTERVAL_NS)
    return;
  p->last_rung = now;
  t->user.ring_doorbell(t->user.doorbell, p->rank);
}

void tfc_transport_flush(tfc_transport* t) {
  if (!tfc_transport_has_queued(t)) return;
  tfc_transport_queue *q = __atomic_exchange_n(&t->flush_list, NULL, __ATOMIC_SEQ_CST), *next;
  for (; q; q = next) {
    next = q->next_to_flush; /* it may be on the list again as soon as its messages are taken */
    tfc_transport_peer* p = t->peers[q->rank];
    start_queued(t, p, take_queued(q));
    if (p->failed) continue;
    send_frames(t, p);
    send_chunks(t, p);
    ring_doorbell(t, p);
  }
  tfc_transport_note_activity(t);
}
