/* The transport's receives: frames of messages, and chunks of payloads.
 *
 * Receives for chunks are posted in the order of the payloads, as they are sent, and only for so
 * many that a large backlog takes no memory before it comes.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/state.h"

enum { MAX_FRAMES_PER_POLL = 64 /* of a peer, before the next peer's turn */ };

/* Twice what the sender has in flight: it continues while this task is at something else. */
enum { MAX_CHUNKS_POSTED = 512, MAX_LARGE_CHUNKS_POSTED = 8 };
_Static_assert((int)MAX_LARGE_CHUNKS_POSTED <= (int)CHUNK_WINDOW, "the requests of one payload");

/* Chunks complete nearly in order: after so many payloads that are pending, none is tested. */
enum { MAX_PENDING_TESTED = 4 };

/* No process has more memory: a header that says more is malformed. */
static const int64_t MAX_PAYLOAD_BYTES = INT64_C(1) << 47;

int tfc_transport_post_receive(const tfc_mpi* mpi, tfc_transport_request* r, void* data,
                               size_t bytes, int from, int tag) {
  *r = (tfc_transport_request){.started = false};
  int error = mpi->irecv(data, (int)bytes, mpi->byte, from, tag, mpi->comm, &r->mpi);
  r->started = !error;
  return error;
}

void tfc_transport_free_incoming(tfc_incoming* m) {
  tfc_tensor_clear(&m->payload);
  free(m->discard);
  free(m);
}

static void fail_malformed(tfc_transport* t, tfc_transport_peer* p, const char* detail) {
  char text[160];
  snprintf(text, sizeof text, "it sent a malformed message (%s)", detail);
  tfc_transport_fail_at_fault(t, p, text);
}

static void hand_over(tfc_transport* t, tfc_transport_peer* p, const void* record, size_t bytes,
                      tfc_tensor* payload) {
  const char* wrong = t->user.deliver(p->rank, record, bytes, payload);
  if (wrong) fail_malformed(t, p, wrong);
}

/* ---- Chunks */

/* Where a chunk goes: into the payload's memory, or without such memory, one at a time, into memory
 * that nobody reads. NULL: not now. */
static char* place_for(tfc_transport* t, tfc_transport_peer* p, tfc_incoming* m, size_t bytes,
                       int64_t at) {
  const tfc_chunks* c = &m->chunks;
  if (p->chunks_posted &&
      (p->chunks_posted >= MAX_CHUNKS_POSTED ||
       c->started - c->completed >= MAX_LARGE_CHUNKS_POSTED ||
       p->chunk_bytes_posted + (int64_t)bytes > MAX_LARGE_CHUNKS_POSTED * t->options.chunk_bytes))
    return NULL;
  if (!c->started && !t->user.allocate(p->rank, m->record, m->bytes, m->payload_bytes, &m->payload))
    m->payload.dtype = 0;
  if (m->payload.dtype) return (char*)m->payload.data + at;
  if (t->discarding) return NULL;
  if (!t->discard && !(t->discard = malloc((size_t)t->options.chunk_bytes))) return NULL;
  t->discarding = m;
  return t->discard;
}

static void post_chunks(tfc_transport* t, tfc_transport_peer* p) {
  while (p->next_to_post && !p->failed) {
    tfc_incoming* m = p->next_to_post;
    tfc_chunks* c = &m->chunks;
    int64_t at;
    size_t bytes = tfc_chunk_size(t, m->payload_bytes, c->started, &at);
    char* to = place_for(t, p, m, bytes, at);
    if (!to) return;
    int error = tfc_transport_post_receive(p->mpi, tfc_chunk_request(c, c->started), to, bytes,
                                           p->rank, tfc_chunk_tag(m->payload_number));
    if (error) {
      if (t->discarding == m) t->discarding = NULL;
      tfc_transport_fail_mpi(t, p, error, "its tensor can't be received");
      return;
    }
    p->chunks_posted++;
    p->chunk_bytes_posted += (int64_t)bytes;
    if (++c->started < c->n) continue;
    do {
      p->next_to_post = p->next_to_post->next;
    } while (p->next_to_post && !p->next_to_post->chunks.n);
  }
}

/* Looks which chunks have come. Fails the peer if one never will. */
static bool complete_chunks(tfc_transport* t, tfc_transport_peer* p, tfc_incoming* m) {
  tfc_chunks* c = &m->chunks;
  int64_t before = c->completed, at;
  tfc_mpi_status status;
  int error, count;
  while (c->completed < c->started) {
    tfc_transport_request* r = tfc_chunk_request(c, c->completed);
    tfc_outcome outcome = tfc_transport_test(p->mpi, r, &status, &error);
    if (outcome == PENDING) break;
    size_t bytes = tfc_chunk_size(t, m->payload_bytes, c->completed, &at);
    if (r->completed) {
      c->completed++;
      p->chunks_posted--;
      p->chunk_bytes_posted -= (int64_t)bytes;
      if (t->discarding == m) t->discarding = NULL;
    }
    if (outcome == FAILED) {
      tfc_transport_fail_mpi(t, p, error, "it ended while it sent a tensor");
    } else {
      p->mpi->get_count(&status, p->mpi->byte, &count);
      if ((size_t)count != bytes)
        tfc_transport_fail_at_fault(t, p, "it sent a tensor of the wrong size");
    }
    if (!r->completed) break;
  }
  return c->completed > before;
}

/* ---- Messages that wait for chunks, or for other messages */

static tfc_incoming* add_incoming(tfc_transport* t, tfc_transport_peer* p, const tfc_frame* f,
                                  const tfc_payload_info* payload) {
  tfc_incoming* m = calloc(1, sizeof *m + f->record_bytes);
  if (!m) {
    tfc_transport_fail(t, p, TFC_NO_MEMORY);
    return NULL;
  }
  m->chunks.n = tfc_count_chunks(t, payload->bytes);
  m->payload_bytes = payload->bytes;
  m->payload_number = f->payload_number;
  m->may_be_overtaken = payload->may_be_overtaken && !payload->comes_last;
  m->comes_last = payload->comes_last;
  m->bytes = f->record_bytes;
  memcpy(m->record, f->record, f->record_bytes);
  *p->incoming_end = m;
  p->incoming_end = &m->next;
  p->n_blocking += !m->may_be_overtaken;
  if (m->chunks.n && !p->next_to_post) p->next_to_post = m;
  return m;
}

/* Whether a message can be delivered that is not behind one that may not be overtaken. */
static bool is_ready(const tfc_transport_peer* p, const tfc_incoming* m) {
  const tfc_chunks* c = &m->chunks;
  if (p->failed) return c->completed == c->started;
  return c->completed == c->n && (!m->comes_last || m == p->incoming);
}

bool tfc_transport_advance_incoming(tfc_transport* t, tfc_transport_peer* p) {
  bool any = false, had_failed = p->failed;
  int pending = 0;
  if (p->failed) p->next_to_post = NULL;
  for (tfc_incoming** place = &p->incoming; *place;) {
    tfc_incoming* m = *place;
    any |= complete_chunks(t, p, m);
    if (!is_ready(p, m)) {
      if (!p->failed && (++pending == MAX_PENDING_TESTED || !m->may_be_overtaken)) break;
      place = &m->next;
      continue;
    }
    any = true;
    *place = m->next;
    if (!*place) p->incoming_end = place;
    p->n_blocking -= !m->may_be_overtaken;
    if (!p->failed) hand_over(t, p, m->record, m->bytes, m->payload.dtype ? &m->payload : NULL);
    tfc_transport_free_incoming(m);
  }
  post_chunks(t, p);
  return any || p->failed != had_failed;
}

/* ---- Frames */

static const char* parse(tfc_transport* t, tfc_transport_peer* p, const tfc_frame* f,
                         tfc_payload_info* payload) {
  const char* wrong = t->user.parse(p->rank, f->record, f->record_bytes, payload);
  if (wrong || !payload->bytes) return wrong;
  if (payload->bytes < 0 || payload->bytes > MAX_PAYLOAD_BYTES) return "the size of its payload";
  return f->payload_number == ++p->payloads_received ? NULL : "its payload is not the next one";
}

static void handle_frame(tfc_transport* t, tfc_transport_peer* p, int count) {
  const tfc_frame* f = p->frame_buffer;
  if (count < (int)sizeof *f || f->magic != PROTOCOL_MAGIC ||
      f->record_bytes != (size_t)count - sizeof *f) {
    tfc_transport_fail_at_fault(t, p, "it sent a malformed message");
    return;
  }
  if (!tfc_transport_learn_incarnation(t, p, f->incarnation)) return;
  if (f->sequence != ++p->frames_received) {
    tfc_transport_fail_at_fault(t, p, "a message from it was lost");
    return;
  }
  if (!f->record_bytes) {
    p->goodbye_received = true;
    return;
  }
  tfc_payload_info payload = {.bytes = 0};
  const char* wrong = parse(t, p, f, &payload);
  bool waits = payload.bytes || p->n_blocking || (payload.comes_last && p->incoming);
  if (wrong) {
    fail_malformed(t, p, wrong);
  } else if (!waits) {
    hand_over(t, p, f->record, f->record_bytes, NULL);
  } else if (add_incoming(t, p, f, &payload)) {
    post_chunks(t, p);
  }
}

/* Nothing more comes. What has come whole before is delivered. */
static void fail_after_delivery(tfc_transport* t, tfc_transport_peer* p, int error) {
  tfc_transport_advance_incoming(t, p);
  tfc_transport_fail_mpi(t, p, error, TFC_PROCESS_GONE);
}

/* Handles the frame in the buffer, and posts the receive for the next one. */
static void take_frame(tfc_transport* t, tfc_transport_peer* p, int bytes) {
  p->last_received = t->user.now();
  handle_frame(t, p, bytes);
  if (p->failed) return;
  int error = tfc_transport_post_receive(p->mpi, &p->frame_receive, p->frame_buffer,
                                         MAX_FRAME_BYTES, p->rank, TAG_FRAME);
  if (error) fail_after_delivery(t, p, error);
}

static bool take_early_frame(tfc_transport* t, tfc_transport_peer* p) {
  if (!p->has_early_frame || !p->greeted || p->failed) return false;
  p->has_early_frame = false;
  take_frame(t, p, p->early_bytes);
  return true;
}

bool tfc_transport_receive_frames(tfc_transport* t, tfc_transport_peer* p, bool* more) {
  tfc_mpi_status status;
  int error, count = 0, n = 0;
  bool any = take_early_frame(t, p);
  while (n < MAX_FRAMES_PER_POLL && tfc_is_active(&p->frame_receive)) {
    tfc_outcome outcome = tfc_transport_test(p->mpi, &p->frame_receive, &status, &error);
    if (outcome == PENDING) break;
    n++;
    /* If the peer has failed, only a receive that MPI has completed is news. */
    any |= p->frame_receive.completed || !p->failed;
    if (p->failed) break;
    if (outcome == FAILED) {
      fail_after_delivery(t, p, error);
      break;
    }
    p->mpi->get_count(&status, p->mpi->byte, &count);
    if (p->greeted) {
      take_frame(t, p, count);
    } else { /* its HELLO was sent first, and comes */
      p->has_early_frame = true;
      p->early_bytes = count;
    }
  }
  *more |= n == MAX_FRAMES_PER_POLL;
  return any;
}
