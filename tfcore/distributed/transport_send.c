/* The transport's sends: frames of messages, and pieces of payloads. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "transport_state.h"

enum {
  FRAMES_IN_FLIGHT = 64, /* to a peer */
  PIECES_IN_FLIGHT = 4,
};

/* A second ring within this time is needless. */
static const int64_t needless_ring = 100 * TFC_US;

static void add_to_queue(tfc_transport* t, tfc_link_peer* p) {
  p->next_queued = __atomic_load_n(&t->queued, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(&t->queued, &p->next_queued, p, true, __ATOMIC_SEQ_CST,
                                      __ATOMIC_RELAXED)) {
  }
}

bool tfc_transport_put(tfc_transport* t, int to, const void* first, size_t first_bytes,
                       const void* second, size_t second_bytes, tfc_tensor* payload,
                       int64_t payload_bytes) {
  tfc_link_peer* p = &t->peers[to];
  int64_t piece = t->options.piece_bytes;
  int64_t n = payload ? (payload_bytes + piece - 1) / piece : 0;
  size_t bytes = first_bytes + second_bytes;
  if (bytes > TFC_TRANSPORT_RECORD || n > INT32_MAX) return false;
  tfc_parcel* o = calloc(1, sizeof *o + bytes);
  tfc_transfer* pieces = n ? calloc((size_t)n, sizeof *pieces) : NULL;
  if (!o || (n && !pieces)) {
    free(o);
    free(pieces);
    return false;
  }
  if (n) {
    o->payload = *payload;
    payload->buffer = NULL;
    o->payload_bytes = payload_bytes;
  }
  o->n_pieces = (int)n;
  o->pieces = pieces;
  o->bytes = sizeof o->frame + bytes;
  o->frame.bytes = (uint32_t)bytes;
  memcpy(o->frame.record, first, first_bytes);
  if (second_bytes) memcpy(o->frame.record + first_bytes, second, second_bytes);
  pthread_mutex_lock(&p->lock);
  *p->queued_end = o;
  p->queued_end = &o->next;
  bool is_first = !p->in_queue;
  p->in_queue = true;
  pthread_mutex_unlock(&p->lock);
  if (is_first) add_to_queue(t, p);
  return true;
}

bool tfc_transport_has_queued(const tfc_transport* t) {
  return __atomic_load_n(&t->queued, __ATOMIC_SEQ_CST) != NULL;
}

void tfc_transport_free_parcel(tfc_parcel* o) {
  tfc_tensor_clear(&o->payload);
  free(o->pieces);
  free(o);
}

void tfc_transport_free_parcels(tfc_parcel* o) {
  for (tfc_parcel* next; o; o = next) {
    next = o->next;
    tfc_transport_free_parcel(o);
  }
}

static void take_queued(tfc_transport* t, tfc_link_peer* p) {
  pthread_mutex_lock(&p->lock);
  tfc_parcel* o = p->queued;
  tfc_parcel** last = p->queued_end;
  p->queued = NULL;
  p->queued_end = &p->queued;
  p->in_queue = false;
  pthread_mutex_unlock(&p->lock);
  if (!p->gone && !tfc_transport_connect(t, p))
    tfc_transport_end(t, p, "there is no memory for its messages");
  if (p->gone) {
    tfc_transport_free_parcels(o);
    return;
  }
  *p->sending_end = o;
  p->sending_end = last;
  if (!p->waits) p->waits = o;
}

static bool greet(tfc_transport* t, tfc_link_peer* p) {
  if (p->greeting.begun) return true;
  int error = tfc_transport_begin_send(t, &p->greeting, &t->own_hello, sizeof t->own_hello, p->rank,
                                       TAG_HELLO);
  if (error) tfc_transport_note_dead(t, p, error);
  return !error;
}

/* Begins frames that have waited, as many as may be on their way. */
static void begin_frames(tfc_transport* t, tfc_link_peer* p) {
  while (p->waits && p->frames_in_flight < FRAMES_IN_FLIGHT && !p->gone && greet(t, p)) {
    tfc_parcel* o = p->waits;
    o->frame.magic = MAGIC;
    o->frame.incarnation = t->options.incarnation;
    o->frame.number = p->frames_sent + 1;
    o->frame.payload = o->n_pieces ? p->payloads_sent + 1 : 0;
    int error = tfc_transport_begin_send(t, &o->whole, &o->frame, o->bytes, p->rank, TAG_FRAME);
    if (error) {
      tfc_transport_note_dead(t, p, error);
      return;
    }
    p->frames_sent++;
    p->payloads_sent += o->n_pieces > 0;
    p->frames_in_flight++;
    p->waits = o->next;
  }
}

static void begin_pieces(tfc_transport* t, tfc_link_peer* p, tfc_parcel* o) {
  while (o->begun < o->n_pieces && p->pieces_in_flight < PIECES_IN_FLIGHT && !p->gone) {
    int64_t at;
    size_t bytes = tfc_piece(t, o->payload_bytes, o->begun, &at);
    int error = tfc_transport_begin_send(t, &o->pieces[o->begun], (char*)o->payload.data + at,
                                         bytes, p->rank, tfc_piece_tag(o->frame.payload));
    if (error) {
      tfc_transport_note_dead(t, p, error);
      return;
    }
    o->begun++;
    p->pieces_in_flight++;
  }
}

/* Whether the request has ended; notes its failure. */
static bool has_ended(tfc_transport* t, tfc_link_peer* p, tfc_transfer* x) {
  int error;
  tfc_mpi_status status;
  tfc_outcome o = tfc_transport_test(t, x, &status, &error);
  if (o == FAILED) tfc_transport_note_dead(t, p, error);
  return x->ended;
}

static bool advance_pieces(tfc_transport* t, tfc_link_peer* p, tfc_parcel* o) {
  bool any = false;
  begin_pieces(t, p, o);
  for (int i = o->ended; i < o->begun; i++) {
    if (!tfc_is_open(&o->pieces[i]) || !has_ended(t, p, &o->pieces[i])) continue;
    any = true;
    p->pieces_in_flight--;
  }
  while (o->ended < o->begun && o->pieces[o->ended].ended) o->ended++;
  return any;
}

/* Frames to a peer end in the order in which they begin, more or less. */
bool tfc_transport_advance_sends(tfc_transport* t, tfc_link_peer* p) {
  bool any = false, frames_end = true;
  if (tfc_is_open(&p->greeting)) has_ended(t, p, &p->greeting);
  for (tfc_parcel** link = &p->sending; *link && *link != p->waits;) {
    tfc_parcel* o = *link;
    if (frames_end && !o->whole.ended) {
      if (has_ended(t, p, &o->whole)) {
        any = true;
        p->frames_in_flight--;
      } else {
        frames_end = false;
      }
    }
    if (o->n_pieces) any |= advance_pieces(t, p, o);
    bool done = o->whole.ended && (p->gone ? o->ended == o->begun : o->ended == o->n_pieces);
    if (done) {
      *link = o->next;
      if (!*link) p->sending_end = link;
      tfc_transport_free_parcel(o);
    } else {
      link = &o->next;
    }
    if (!frames_end && p->pieces_in_flight == PIECES_IN_FLIGHT) break;
  }
  begin_frames(t, p);
  return any;
}

static void ring(tfc_transport* t, tfc_link_peer* p) {
  int64_t now = t->user.now();
  if (!t->user.ring || now - p->heard < needless_ring || now - p->rung < needless_ring) return;
  p->rung = now;
  t->user.ring(t->user.bell, p->rank);
}

bool tfc_transport_push(tfc_transport* t) {
  if (!tfc_transport_has_queued(t)) return false;
  tfc_link_peer *p = __atomic_exchange_n(&t->queued, NULL, __ATOMIC_SEQ_CST), *next;
  for (; p; p = next) {
    next = p->next_queued; /* it may be queued again as soon as its messages are taken */
    take_queued(t, p);
    if (p->gone) continue;
    begin_frames(t, p);
    for (tfc_parcel* o = p->sending; o && o != p->waits; o = o->next)
      if (o->n_pieces) begin_pieces(t, p, o);
    ring(t, p);
  }
  tfc_transport_note_news(t);
  return true;
}
