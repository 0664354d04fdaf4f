/* The transport's sends: frames of messages, and chunks of payloads. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "transport_state.h"

/* Limits what MPI holds for a peer that does not receive; the rest waits in `sends`, as a send
 * never blocks. Four chunks keep the network busy. */
enum { MAX_FRAMES_IN_FLIGHT = 64, MAX_CHUNKS_IN_FLIGHT = 4 };

/* A peer whose doorbell rang, or that sent something, within this time is awake. */
static const int64_t RING_INTERVAL_NS = 100 * TFC_US;

static void add_to_flush_list(tfc_transport* t, tfc_transport_peer* p) {
  p->next_to_flush = __atomic_load_n(&t->flush_list, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&t->flush_list, &p->next_to_flush, p, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
}

/* With room for a record; takes over the payload's reference. NULL: there is no memory. */
static tfc_outgoing* make_outgoing(const tfc_transport* t, size_t bytes, tfc_tensor* payload,
                                   int64_t payload_bytes) {
  int64_t size = t->options.chunk_bytes;
  int64_t n = payload ? (payload_bytes + size - 1) / size : 0;
  if (bytes > TFC_TRANSPORT_MAX_RECORD || n > INT32_MAX) return NULL;
  tfc_outgoing* m = calloc(1, sizeof *m + bytes);
  tfc_transport_request* chunks = n ? calloc((size_t)n, sizeof *chunks) : NULL;
  if (!m || (n && !chunks)) {
    free(m);
    free(chunks);
    return NULL;
  }
  if (n) {
    m->payload = *payload;
    payload->buffer = NULL;
    m->payload_bytes = payload_bytes;
  }
  m->n_chunks = (int)n;
  m->chunks = chunks;
  m->bytes = sizeof m->frame + bytes;
  m->frame.record_bytes = (uint32_t)bytes;
  return m;
}

bool tfc_transport_enqueue(tfc_transport* t, int to, const void* first, size_t first_bytes,
                           const void* second, size_t second_bytes, tfc_tensor* payload,
                           int64_t payload_bytes) {
  tfc_transport_peer* p = &t->peers[to];
  tfc_outgoing* m = make_outgoing(t, first_bytes + second_bytes, payload, payload_bytes);
  if (!m) return false;
  memcpy(m->frame.record, first, first_bytes);
  if (second_bytes) memcpy(m->frame.record + first_bytes, second, second_bytes);
  pthread_mutex_lock(&p->lock);
  *p->queue_end = m;
  p->queue_end = &m->next;
  bool is_first = !p->on_flush_list;
  p->on_flush_list = true;
  pthread_mutex_unlock(&p->lock);
  if (is_first) add_to_flush_list(t, p);
  return true;
}

bool tfc_transport_has_queued(const tfc_transport* t) {
  return __atomic_load_n(&t->flush_list, __ATOMIC_SEQ_CST) != NULL;
}

void tfc_transport_free_outgoing(tfc_outgoing* m) {
  tfc_tensor_clear(&m->payload);
  free(m->chunks);
  free(m);
}

void tfc_transport_free_all_outgoing(tfc_outgoing* m) {
  for (tfc_outgoing* next; m; m = next) {
    next = m->next;
    tfc_transport_free_outgoing(m);
  }
}

static void start_queued(tfc_transport* t, tfc_transport_peer* p) {
  pthread_mutex_lock(&p->lock);
  tfc_outgoing* m = p->queue;
  tfc_outgoing** last = p->queue_end;
  p->queue = NULL;
  p->queue_end = &p->queue;
  p->on_flush_list = false;
  pthread_mutex_unlock(&p->lock);
  if (!p->failed && !tfc_transport_connect(t, p)) tfc_transport_fail(t, p, TFC_NO_MEMORY);
  if (p->failed) {
    tfc_transport_free_all_outgoing(m);
    return;
  }
  *p->sends_end = m;
  p->sends_end = last;
  if (!p->first_unsent) p->first_unsent = m;
}

static bool send_hello(tfc_transport* t, tfc_transport_peer* p) {
  if (p->hello_send.started) return true;
  int error =
      tfc_transport_post_send(t, &p->hello_send, &t->hello, sizeof t->hello, p->rank, TAG_HELLO);
  if (error) tfc_transport_note_death(t, p, error);
  return !error;
}

/* Posts frames that have waited, as many as may be on their way. */
static void send_frames(tfc_transport* t, tfc_transport_peer* p) {
  while (p->first_unsent && p->frames_in_flight < MAX_FRAMES_IN_FLIGHT && !p->failed &&
         send_hello(t, p)) {
    tfc_outgoing* m = p->first_unsent;
    m->frame.magic = PROTOCOL_MAGIC;
    m->frame.incarnation = t->options.incarnation;
    m->frame.sequence = p->frames_sent + 1;
    m->frame.payload_number = m->n_chunks ? p->payloads_sent + 1 : 0;
    int error = tfc_transport_post_send(t, &m->frame_send, &m->frame, m->bytes, p->rank, TAG_FRAME);
    if (error) {
      tfc_transport_note_death(t, p, error);
      return;
    }
    p->frames_sent++;
    p->payloads_sent += m->n_chunks > 0;
    p->frames_in_flight++;
    p->first_unsent = m->next;
  }
}

static void send_chunks(tfc_transport* t, tfc_transport_peer* p, tfc_outgoing* m) {
  while (m->chunks_started < m->n_chunks && p->chunks_in_flight < MAX_CHUNKS_IN_FLIGHT &&
         !p->failed) {
    int64_t at;
    size_t bytes = tfc_chunk_size(t, m->payload_bytes, m->chunks_started, &at);
    int error =
        tfc_transport_post_send(t, &m->chunks[m->chunks_started], (char*)m->payload.data + at,
                                bytes, p->rank, tfc_chunk_tag(m->frame.payload_number));
    if (error) {
      tfc_transport_note_death(t, p, error);
      return;
    }
    m->chunks_started++;
    p->chunks_in_flight++;
  }
}

/* Whether the request has completed; notes its failure. */
static bool test_send(tfc_transport* t, tfc_transport_peer* p, tfc_transport_request* r) {
  int error;
  tfc_mpi_status status;
  tfc_outcome outcome = tfc_transport_test(t, r, &status, &error);
  if (outcome == FAILED) tfc_transport_note_death(t, p, error);
  return r->completed;
}

static bool complete_chunks(tfc_transport* t, tfc_transport_peer* p, tfc_outgoing* m) {
  bool any = false;
  send_chunks(t, p, m);
  for (int i = m->chunks_completed; i < m->chunks_started; i++) {
    if (!tfc_is_active(&m->chunks[i]) || !test_send(t, p, &m->chunks[i])) continue;
    any = true;
    p->chunks_in_flight--;
  }
  while (m->chunks_completed < m->chunks_started && m->chunks[m->chunks_completed].completed)
    m->chunks_completed++;
  return any;
}

bool tfc_transport_advance_sends(tfc_transport* t, tfc_transport_peer* p) {
  bool any = false, test_frames = true;
  if (tfc_is_active(&p->hello_send)) test_send(t, p, &p->hello_send);
  /* Frames complete nearly in order: after the first that is pending, the others are not tested. */
  for (tfc_outgoing** place = &p->sends; *place && *place != p->first_unsent;) {
    tfc_outgoing* m = *place;
    if (test_frames && !m->frame_send.completed) {
      if (test_send(t, p, &m->frame_send)) {
        any = true;
        p->frames_in_flight--;
      } else {
        test_frames = false;
      }
    }
    if (m->n_chunks) any |= complete_chunks(t, p, m);
    bool done = m->frame_send.completed && (p->failed ? m->chunks_completed == m->chunks_started
                                                      : m->chunks_completed == m->n_chunks);
    if (done) {
      *place = m->next;
      if (!*place) p->sends_end = place;
      tfc_transport_free_outgoing(m);
    } else {
      place = &m->next;
    }
    if (!test_frames && p->chunks_in_flight == MAX_CHUNKS_IN_FLIGHT) break;
  }
  send_frames(t, p);
  return any;
}

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
  tfc_transport_peer *p = __atomic_exchange_n(&t->flush_list, NULL, __ATOMIC_SEQ_CST), *next;
  for (; p; p = next) {
    next = p->next_to_flush; /* it may be queued again as soon as its messages are taken */
    start_queued(t, p);
    if (p->failed) continue;
    send_frames(t, p);
    for (tfc_outgoing* m = p->sends; m && m != p->first_unsent; m = m->next)
      if (m->n_chunks) send_chunks(t, p, m);
    ring_doorbell(t, p);
  }
  tfc_transport_note_activity(t);
}
