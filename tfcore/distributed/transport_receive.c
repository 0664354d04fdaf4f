/* The transport's receives: frames of messages, and pieces of payloads. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_state.h"

void tfc_transport_free_arrival(tfc_arrival* a) {
  tfc_tensor_clear(&a->payload);
  free(a->pieces);
  free(a);
}

static void hand_over(tfc_transport* t, tfc_link_peer* p, const void* record, size_t bytes,
                      tfc_tensor* payload) {
  const char* wrong = t->user.deliver(p->rank, record, bytes, payload);
  if (!wrong) return;
  char text[160];
  snprintf(text, sizeof text, "it sent a malformed message (%s)", wrong);
  tfc_transport_end(t, p, text);
}

/* Receives the pieces of a payload; without memory for it, into memory that nobody reads. */
static void expect_payload(tfc_transport* t, tfc_link_peer* p, tfc_arrival* a, uint32_t number) {
  if (!t->user.allocate(a->payload_bytes, &a->payload)) a->payload.dtype = 0;
  for (int i = 0; i < a->n_pieces; i++) {
    int64_t at;
    size_t bytes = tfc_piece(t, a->payload_bytes, i, &at);
    char* to = a->payload.dtype ? (char*)a->payload.data + at : t->discard;
    int error =
        tfc_transport_begin_receive(t, &a->pieces[i], to, bytes, p->rank, tfc_piece_tag(number));
    if (error) {
      tfc_transport_end_for(t, p, error, "a message from it was lost");
      return;
    }
  }
}

static tfc_arrival* queue_arrival(tfc_transport* t, tfc_link_peer* p, const tfc_frame* f,
                                  const tfc_payload_size* payload) {
  int64_t size = t->options.piece_bytes, n = (payload->bytes + size - 1) / size;
  tfc_arrival* a = n > INT32_MAX ? NULL : calloc(1, sizeof *a + f->bytes);
  tfc_transfer* pieces = n && a ? calloc((size_t)n, sizeof *pieces) : NULL;
  if (!a || (n && !pieces)) {
    free(a);
    tfc_transport_end(t, p, "there is no memory for its messages");
    return NULL;
  }
  a->pieces = pieces;
  a->n_pieces = (int)n;
  a->payload_bytes = payload->bytes;
  a->may_be_passed = payload->may_be_passed;
  a->bytes = f->bytes;
  memcpy(a->record, f->record, f->bytes);
  *p->arriving_end = a;
  p->arriving_end = &a->next;
  return a;
}

/* Whether a message without a payload must wait for one that was sent before it. */
static bool must_wait(const tfc_link_peer* p) {
  for (const tfc_arrival* a = p->arriving; a; a = a->next)
    if (!a->may_be_passed) return true;
  return false;
}

static void handle_frame(tfc_transport* t, tfc_link_peer* p, int count) {
  const tfc_frame* f = p->incoming;
  if (count < (int)sizeof *f || f->magic != MAGIC || f->bytes != (size_t)count - sizeof *f) {
    tfc_transport_end(t, p, "it sent a malformed message");
    return;
  }
  if (!tfc_transport_check_incarnation(t, p, f->incarnation)) return;
  if (f->number != ++p->frames_received) {
    tfc_transport_end(t, p, "a message from it was lost");
    return;
  }
  if (!f->bytes) {
    p->said_bye = true;
    return;
  }
  tfc_payload_size payload = {.bytes = 0};
  const char* wrong = t->user.read(p->rank, f->record, f->bytes, &payload);
  if (!wrong && payload.bytes && f->payload != ++p->payloads_received)
    wrong = "its payload is not the next one";
  if (wrong) {
    char text[160];
    snprintf(text, sizeof text, "it sent a malformed message (%s)", wrong);
    tfc_transport_end(t, p, text);
  } else if (!payload.bytes && !must_wait(p)) {
    hand_over(t, p, f->record, f->bytes, NULL);
  } else {
    tfc_arrival* a = queue_arrival(t, p, f, &payload);
    if (a && a->n_pieces) expect_payload(t, p, a, f->payload);
  }
}

/* Nothing more comes. What has come whole before is delivered. */
static void end_in_order(tfc_transport* t, tfc_link_peer* p, int error) {
  tfc_transport_advance_arrivals(t, p);
  tfc_transport_end_for(t, p, error, "its process is gone");
}

bool tfc_transport_receive_frames(tfc_transport* t, tfc_link_peer* p) {
  tfc_mpi_status status;
  int error, count = 0, n = 0;
  for (; n < AT_A_TIME && tfc_is_open(&p->receive); n++) {
    tfc_outcome o = tfc_transport_test(t, &p->receive, &status, &error);
    if (o == PENDING) break;
    if (o == DONE && !p->gone) {
      p->heard = t->user.now();
      t->mpi.get_count(&status, t->mpi.byte, &count);
      handle_frame(t, p, count);
    } else if (!p->gone) {
      end_in_order(t, p, error);
    }
    if (p->gone) break;
    error =
        tfc_transport_begin_receive(t, &p->receive, p->incoming, FRAME_BYTES, p->rank, TAG_FRAME);
    if (error) end_in_order(t, p, error);
  }
  return n > 0;
}

/* Looks which pieces have come. Ends the peer if one never will. */
static bool advance_arrival(tfc_transport* t, tfc_link_peer* p, tfc_arrival* a) {
  tfc_mpi_status status;
  int error, count;
  bool any = false;
  for (int i = a->ended; i < a->n_pieces && tfc_is_open(&a->pieces[i]); i++) {
    tfc_outcome o = tfc_transport_test(t, &a->pieces[i], &status, &error);
    if (o == PENDING) break; /* the rest comes later */
    any = true;
    int64_t at;
    if (o == DONE) t->mpi.get_count(&status, t->mpi.byte, &count);
    if (o == FAILED) {
      tfc_transport_end_for(t, p, error, "it ended while it sent a tensor");
    } else if ((size_t)count != tfc_piece(t, a->payload_bytes, i, &at)) {
      tfc_transport_end(t, p, "it sent a tensor of the wrong size");
    }
  }
  while (a->ended < a->n_pieces && (a->pieces[a->ended].ended || !a->pieces[a->ended].begun))
    a->ended++;
  return any;
}

bool tfc_transport_advance_arrivals(tfc_transport* t, tfc_link_peer* p) {
  bool any = false;
  for (tfc_arrival** link = &p->arriving; *link;) {
    tfc_arrival* a = *link;
    any |= advance_arrival(t, p, a);
    if (a->ended < a->n_pieces) {
      if (!a->may_be_passed && !p->gone) break;
      link = &a->next;
      continue;
    }
    *link = a->next;
    if (!*link) p->arriving_end = link;
    if (!p->gone) hand_over(t, p, a->record, a->bytes, a->payload.dtype ? &a->payload : NULL);
    tfc_transport_free_arrival(a);
  }
  return any;
}
