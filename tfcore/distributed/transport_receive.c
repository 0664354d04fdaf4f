/* The transport's receives: frames of messages, and chunks of payloads. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_state.h"

enum { MAX_FRAMES_PER_POLL = 64 /* of a peer, before the next peer's turn */ };

void tfc_transport_free_incoming(tfc_incoming* m) {
  tfc_tensor_clear(&m->payload);
  free(m->chunks);
  free(m);
}

static void fail_malformed(tfc_transport* t, tfc_transport_peer* p, const char* detail) {
  char text[160];
  snprintf(text, sizeof text, "it sent a malformed message (%s)", detail);
  tfc_transport_fail(t, p, text);
}

static void hand_over(tfc_transport* t, tfc_transport_peer* p, const void* record, size_t bytes,
                      tfc_tensor* payload) {
  const char* wrong = t->user.deliver(p->rank, record, bytes, payload);
  if (wrong) fail_malformed(t, p, wrong);
}

/* Receives the chunks of a payload; without memory for it, into memory that nobody reads. */
static void expect_payload(tfc_transport* t, tfc_transport_peer* p, tfc_incoming* m,
                           uint32_t number) {
  if (!t->user.allocate(m->payload_bytes, &m->payload)) m->payload.dtype = 0;
  for (int i = 0; i < m->n_chunks; i++) {
    int64_t at;
    size_t bytes = tfc_chunk_size(t, m->payload_bytes, i, &at);
    char* to = m->payload.dtype ? (char*)m->payload.data + at : t->discard;
    int error =
        tfc_transport_post_receive(t, &m->chunks[i], to, bytes, p->rank, tfc_chunk_tag(number));
    if (error) {
      tfc_transport_fail_mpi(t, p, error, "its tensor can't be received");
      return;
    }
  }
}

static tfc_incoming* add_incoming(tfc_transport* t, tfc_transport_peer* p, const tfc_frame* f,
                                  const tfc_payload_info* payload) {
  int64_t size = t->options.chunk_bytes, n = (payload->bytes + size - 1) / size;
  tfc_incoming* m = n > INT32_MAX ? NULL : calloc(1, sizeof *m + f->record_bytes);
  tfc_transport_request* chunks = n && m ? calloc((size_t)n, sizeof *chunks) : NULL;
  if (!m || (n && !chunks)) {
    free(m);
    tfc_transport_fail(t, p, TFC_NO_MEMORY);
    return NULL;
  }
  m->chunks = chunks;
  m->n_chunks = (int)n;
  m->payload_bytes = payload->bytes;
  m->may_be_overtaken = payload->may_be_overtaken;
  m->bytes = f->record_bytes;
  memcpy(m->record, f->record, f->record_bytes);
  *p->incoming_end = m;
  p->incoming_end = &m->next;
  return m;
}

/* Whether an undelivered message must be delivered before later ones. */
static bool is_blocked(const tfc_transport_peer* p) {
  for (const tfc_incoming* m = p->incoming; m; m = m->next)
    if (!m->may_be_overtaken) return true;
  return false;
}

static void handle_frame(tfc_transport* t, tfc_transport_peer* p, int count) {
  const tfc_frame* f = p->frame_buffer;
  if (count < (int)sizeof *f || f->magic != PROTOCOL_MAGIC ||
      f->record_bytes != (size_t)count - sizeof *f) {
    tfc_transport_fail(t, p, "it sent a malformed message");
    return;
  }
  if (!tfc_transport_learn_incarnation(t, p, f->incarnation)) return;
  if (f->sequence != ++p->frames_received) {
    tfc_transport_fail(t, p, "a message from it was lost");
    return;
  }
  if (!f->record_bytes) {
    p->goodbye_received = true;
    return;
  }
  tfc_payload_info payload = {.bytes = 0};
  const char* wrong = t->user.parse(p->rank, f->record, f->record_bytes, &payload);
  if (!wrong && payload.bytes && f->payload_number != ++p->payloads_received)
    wrong = "its payload is not the next one";
  if (wrong) {
    fail_malformed(t, p, wrong);
  } else if (!payload.bytes && !is_blocked(p)) {
    hand_over(t, p, f->record, f->record_bytes, NULL);
  } else {
    tfc_incoming* m = add_incoming(t, p, f, &payload);
    if (m && m->n_chunks) expect_payload(t, p, m, f->payload_number);
  }
}

/* Nothing more comes. What has come whole before is delivered. */
static void fail_after_delivery(tfc_transport* t, tfc_transport_peer* p, int error) {
  tfc_transport_advance_incoming(t, p);
  tfc_transport_fail_mpi(t, p, error, TFC_PROCESS_GONE);
}

bool tfc_transport_receive_frames(tfc_transport* t, tfc_transport_peer* p) {
  tfc_mpi_status status;
  int error, count = 0;
  bool any = false;
  for (int n = 0; n < MAX_FRAMES_PER_POLL && tfc_is_active(&p->frame_receive); n++) {
    tfc_outcome outcome = tfc_transport_test(t, &p->frame_receive, &status, &error);
    if (outcome == PENDING) break;
    /* Of a peer that has failed, what MPI does not complete is no news. */
    any |= p->frame_receive.completed || !p->failed;
    if (outcome == DONE && !p->failed) {
      p->last_received = t->user.now();
      t->mpi.get_count(&status, t->mpi.byte, &count);
      handle_frame(t, p, count);
    } else if (!p->failed) {
      fail_after_delivery(t, p, error);
    }
    if (p->failed) break;
    error = tfc_transport_post_receive(t, &p->frame_receive, p->frame_buffer, MAX_FRAME_BYTES,
                                       p->rank, TAG_FRAME);
    if (error) fail_after_delivery(t, p, error);
  }
  return any;
}

/* Looks which chunks have come. Fails the peer if one never will. */
static bool complete_chunks(tfc_transport* t, tfc_transport_peer* p, tfc_incoming* m) {
  tfc_mpi_status status;
  int error, count;
  bool any = false;
  for (int i = m->chunks_completed; i < m->n_chunks && tfc_is_active(&m->chunks[i]); i++) {
    tfc_outcome outcome = tfc_transport_test(t, &m->chunks[i], &status, &error);
    if (outcome == PENDING) break; /* the rest comes later */
    any |= m->chunks[i].completed || !p->failed;
    int64_t at;
    if (outcome == DONE) t->mpi.get_count(&status, t->mpi.byte, &count);
    if (outcome == FAILED) {
      tfc_transport_fail_mpi(t, p, error, "it ended while it sent a tensor");
    } else if ((size_t)count != tfc_chunk_size(t, m->payload_bytes, i, &at)) {
      tfc_transport_fail(t, p, "it sent a tensor of the wrong size");
    }
  }
  while (m->chunks_completed < m->n_chunks &&
         (m->chunks[m->chunks_completed].completed || !m->chunks[m->chunks_completed].started))
    m->chunks_completed++;
  return any;
}

bool tfc_transport_advance_incoming(tfc_transport* t, tfc_transport_peer* p) {
  bool any = false;
  for (tfc_incoming** place = &p->incoming; *place;) {
    tfc_incoming* m = *place;
    any |= complete_chunks(t, p, m);
    if (m->chunks_completed < m->n_chunks) {
      if (!m->may_be_overtaken && !p->failed) break;
      place = &m->next;
      continue;
    }
    *place = m->next;
    if (!*place) p->incoming_end = place;
    if (!p->failed) hand_over(t, p, m->record, m->bytes, m->payload.dtype ? &m->payload : NULL);
    tfc_transport_free_incoming(m);
  }
  return any;
}
