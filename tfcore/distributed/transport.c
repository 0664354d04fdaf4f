/* The transport's state: for each peer, what is being sent to it and received from it.
 *
 * A message is a frame, which holds a small payload, and the pieces of a large one, which go
 * straight between the memory of tensors. Frames of a peer come in the order of its sends, as MPI
 * promises for messages of one tag. The payloads are numbered, and the tag of their pieces follows
 * from the number; so several may be on their way at a time, and frames pass them.
 *
 * Messages are delivered in the order in which they were sent, except that those behind a large
 * tensor of an edge need not wait for it: the rendezvous finds it by its key. A message is
 * delivered whole or not at all. Once one is lost, its peer has failed, and nothing that it has
 * sent is delivered any more.
 *
 * A connection is made when it is first used. HELLO then says who comes and is the only message
 * that is received from any source, so that a process holds one receive for each peer that it
 * talks to, and learns from a failed one which peer it was.
 *
 * Sends are synchronous: they complete when the receiver has begun to receive. Open MPI ends the
 * job ("Send error after request freed") when a process dies while a message to it is on its way
 * whose send has already completed.
 *
 * Memory that MPI may still write to or read from is kept until its requests have ended, whatever
 * became of the peer.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport_state.h"

/* Pauses of those who poll. A bell may ring before its message can be received. */
static const int64_t eager = 100 * TFC_US;         /* after any news nobody pauses for this long */
static const int64_t shortest_pause = 20 * TFC_US; /* while a payload is on its way */
static const int64_t longest_pause = 50 * TFC_MS;
static const int64_t last_words = 200 * TFC_MS; /* of a process that MPI reports as dead */
static const int64_t linger = 100 * TFC_MS;     /* for others that leave at the same time */

/* ---- Requests */

/* A request that has failed is never taken for one that is done. A receive from any source fails
 * when any process has died, but goes on. */
tfc_outcome tfc_transport_test(tfc_transport* t, tfc_transfer* x, tfc_mpi_status* status,
                               int* error) {
  int done = 0;
  *error = t->mpi.test(&x->request, &done, status);
  if (!*error && !done) return PENDING;
  x->ended = !*error || x->request.handle == t->mpi.no_request;
  return *error ? FAILED : DONE;
}

int tfc_transport_begin_send(tfc_transport* t, tfc_transfer* x, const void* data, size_t bytes,
                             int to, int tag) {
  int error = t->mpi.issend(data, (int)bytes, t->mpi.byte, to, tag, t->mpi.comm, &x->request);
  x->begun = !error;
  return error;
}

int tfc_transport_begin_receive(tfc_transport* t, tfc_transfer* x, void* data, size_t bytes,
                                int from, int tag) {
  *x = (tfc_transfer){.begun = false};
  int error = t->mpi.irecv(data, (int)bytes, t->mpi.byte, from, tag, t->mpi.comm, &x->request);
  x->begun = !error;
  return error;
}

void tfc_transport_note_news(tfc_transport* t) {
  __atomic_store_n(&t->news, t->user.now(), __ATOMIC_RELAXED);
}

/* ---- Failure */

/* Frees the messages whose frames MPI does not have. */
static void drop_waiting(tfc_link_peer* p) {
  tfc_parcel** link = &p->sending;
  while (*link != p->waits) link = &(*link)->next;
  *link = NULL;
  p->sending_end = link;
  tfc_transport_free_parcels(p->waits);
  p->waits = NULL;
}

void tfc_transport_end(tfc_transport* t, tfc_link_peer* p, const char* reason) {
  if (p->gone) return;
  p->gone = true;
  drop_waiting(p);
  if (tfc_is_open(&p->receive)) t->mpi.cancel(&p->receive.request);
  for (tfc_arrival* a = p->arriving; a; a = a->next)
    for (int i = 0; i < a->n_pieces; i++)
      if (tfc_is_open(&a->pieces[i])) t->mpi.cancel(&a->pieces[i].request);
  if (reason != p->reason) snprintf(p->reason, sizeof p->reason, "%s", reason);
  p->untold = true;
  t->any_untold = true;
}

/* Only who polls calls the user: a thread that sends may hold locks that the user takes. */
static void tell_of_ends(tfc_transport* t) {
  while (t->any_untold) {
    t->any_untold = false;
    for (int i = 0; i < t->options.size; i++) {
      tfc_link_peer* p = &t->peers[i];
      if (!p->untold) continue;
      p->untold = false;
      t->user.failed(p->rank, p->reason);
    }
  }
}

static void explain(tfc_transport* t, int error, const char* what, char* text, size_t size) {
  char said[1024] = "";
  int length = 0;
  if (t->mpi.error_string(error, said, &length)) length = 0;
  snprintf(text, size, "%s (%.*s)", what, length < 100 ? length : 100, said);
}

void tfc_transport_note_dead(tfc_transport* t, tfc_link_peer* p, int error) {
  if (p->dies_at || p->gone) return;
  p->dies_at = t->user.now() + last_words;
  explain(t, error, "its process is gone", p->reason, sizeof p->reason);
}

void tfc_transport_end_for(tfc_transport* t, tfc_link_peer* p, int error, const char* what) {
  char text[160];
  explain(t, error, what, text, sizeof text);
  tfc_transport_end(t, p, text);
}

/* ---- Connecting */

bool tfc_transport_connect(tfc_transport* t, tfc_link_peer* p) {
  if (p->connected) return true;
  if (!p->incoming && !(p->incoming = malloc(FRAME_BYTES))) return false;
  p->connected = true;
  t->connected[t->n_connected++] = p;
  int error =
      tfc_transport_begin_receive(t, &p->receive, p->incoming, FRAME_BYTES, p->rank, TAG_FRAME);
  if (error) tfc_transport_end_for(t, p, error, "its process is gone");
  return true;
}

bool tfc_transport_check_incarnation(tfc_transport* t, tfc_link_peer* p, uint32_t incarnation) {
  if (!p->incarnation) p->incarnation = incarnation;
  if (p->incarnation == incarnation) return true;
  tfc_transport_end(t, p, "a message came from another incarnation of it");
  return false;
}

static void expect_hello(tfc_transport* t) {
  tfc_transport_begin_receive(t, &t->hello_receive, &t->other_hello, sizeof t->other_hello,
                              t->mpi.any_source, TAG_HELLO);
}

static void welcome(tfc_transport* t, int source, int bytes) {
  if (source < 0 || source >= t->options.size || source == t->options.rank) return;
  tfc_link_peer* p = &t->peers[source];
  const tfc_hello* h = &t->other_hello;
  if (bytes != sizeof *h || h->magic != MAGIC || h->source != source) {
    tfc_transport_end(t, p, "it sent a malformed message");
  } else if (h->version != VERSION) {
    char text[160];
    snprintf(text, sizeof text, "it speaks version %u of the protocol, this task version %d",
             h->version, VERSION);
    tfc_transport_end(t, p, text);
  } else if (tfc_transport_check_incarnation(t, p, h->incarnation) &&
             !tfc_transport_connect(t, p)) {
    tfc_transport_end(t, p, "there is no memory for its messages");
  }
}

/* A peer without a connection has no last messages. */
static void bury(tfc_transport* t, tfc_link_peer* p, int error) {
  tfc_transport_note_dead(t, p, error);
  if (!p->connected) tfc_transport_end(t, p, p->reason);
}

/* Acknowledges the processes that MPI reports as dead, so that it goes on receiving from others. */
static void bury_reported(tfc_transport* t, int error) {
  uint64_t dead = 0, all = 0;
  int n = 0, acknowledged;
  if (!t->mpi.get_failed || t->mpi.get_failed(t->mpi.comm, &dead)) return;
  t->mpi.group_size(dead, &n);
  if (t->mpi.ack_failed) t->mpi.ack_failed(t->mpi.comm, n, &acknowledged);
  int *ranks = calloc((size_t)n + 1, sizeof *ranks), *found = calloc((size_t)n + 1, sizeof *found);
  if (ranks && found && !t->mpi.comm_group(t->mpi.comm, &all)) {
    for (int i = 0; i < n; i++) ranks[i] = i;
    if (!t->mpi.group_translate(dead, n, ranks, all, found))
      for (int i = 0; i < n; i++)
        if (found[i] >= 0 && found[i] < t->options.size && found[i] != t->options.rank)
          bury(t, &t->peers[found[i]], error);
    t->mpi.group_free(&all);
  }
  free(ranks);
  free(found);
  t->mpi.group_free(&dead);
}

static bool receive_hellos(tfc_transport* t) {
  tfc_mpi_status status;
  bool any = false;
  int error, count = 0, source;
  for (int n = 0; n < AT_A_TIME; n++) {
    error = 0;
    tfc_outcome o = tfc_is_open(&t->hello_receive)
                        ? tfc_transport_test(t, &t->hello_receive, &status, &error)
                        : FAILED;
    if (o == PENDING) return any;
    if (o == FAILED) {
      bury_reported(t, error);
      if (!tfc_is_open(&t->hello_receive)) expect_hello(t);
      return any;
    }
    any = true;
    memcpy(&source, status.bytes + t->mpi.source_at, sizeof source);
    t->mpi.get_count(&status, t->mpi.byte, &count);
    welcome(t, source, count);
    expect_hello(t);
  }
  return any;
}

/* ---- One round */

static void end_dropped(tfc_transport* t) {
  if (!__atomic_load_n(&t->n_dropped, __ATOMIC_ACQUIRE)) return;
  for (int i = 0; i < t->options.size; i++)
    if (__atomic_exchange_n(&t->peers[i].dropped, 0, __ATOMIC_ACQ_REL)) {
      __atomic_fetch_sub(&t->n_dropped, 1, __ATOMIC_RELAXED);
      tfc_transport_end(t, &t->peers[i], "it was given up");
    }
}

/* What of a peer has to be waited for, and how often to look. */
static int64_t pause_for(const tfc_transport* t, const tfc_link_peer* p) {
  if (p->gone) return longest_pause;
  if (p->pieces_in_flight) return shortest_pause;
  for (const tfc_arrival* a = p->arriving; a; a = a->next)
    if (a->ended < a->n_pieces) return shortest_pause;
  bool rings = t->user.rings && t->user.rings(t->user.bell, p->rank);
  return p->sending || !rings ? TFC_MS : longest_pause;
}

bool tfc_transport_poll(tfc_transport* t) {
  int64_t pause = t->leaves_at ? TFC_MS : longest_pause, now = 0;
  end_dropped(t);
  bool any = tfc_transport_push(t);
  any |= receive_hellos(t);
  for (int i = 0; i < t->n_connected; i++) {
    tfc_link_peer* p = t->connected[i];
    any |= tfc_transport_receive_frames(t, p);
    if (p->arriving) any |= tfc_transport_advance_arrivals(t, p);
    if (p->sending || tfc_is_open(&p->greeting)) any |= tfc_transport_advance_sends(t, p);
    if (p->dies_at && !p->gone && (now = t->user.now()) > p->dies_at)
      tfc_transport_end(t, p, p->reason);
    int64_t most = pause_for(t, p);
    if (most < pause) pause = most;
  }
  tell_of_ends(t);
  __atomic_store_n(&t->longest_pause, pause, __ATOMIC_RELAXED);
  if (any) tfc_transport_note_news(t);
  return any;
}

int64_t tfc_transport_pause(const tfc_transport* t) {
  int64_t quiet = t->user.now() - __atomic_load_n(&t->news, __ATOMIC_RELAXED);
  int64_t most = __atomic_load_n(&t->longest_pause, __ATOMIC_RELAXED), pause = quiet / 4;
  if (quiet < eager) return 0;
  return pause < shortest_pause ? shortest_pause : pause < most ? pause : most;
}

void tfc_transport_rung(tfc_transport* t) {
  tfc_transport_note_news(t);
}

void tfc_transport_drop(tfc_transport* t, int rank) {
  if (!__atomic_exchange_n(&t->peers[rank].dropped, 1, __ATOMIC_ACQ_REL))
    __atomic_fetch_add(&t->n_dropped, 1, __ATOMIC_RELEASE);
}

/* ---- Opening and closing */

tfc_transport* tfc_transport_open(const tfc_mpi* mpi, const tfc_transport_user* user,
                                  const tfc_transport_options* options) {
  tfc_transport* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->mpi = *mpi;
  t->user = *user;
  t->options = *options;
  t->own_hello = (tfc_hello){MAGIC, VERSION, options->rank, options->incarnation};
  t->peers = calloc((size_t)options->size, sizeof *t->peers);
  t->connected = calloc((size_t)options->size, sizeof(tfc_link_peer*));
  t->discard = malloc((size_t)options->piece_bytes);
  if (!t->peers || !t->connected || !t->discard) {
    tfc_transport_close(t);
    return NULL;
  }
  for (int i = 0; i < options->size; i++) {
    tfc_link_peer* p = &t->peers[i];
    p->rank = i;
    p->queued_end = &p->queued;
    p->sending_end = &p->sending;
    p->arriving_end = &p->arriving;
    pthread_mutex_init(&p->lock, NULL);
  }
  t->longest_pause = TFC_MS;
  tfc_transport_note_news(t);
  expect_hello(t);
  return t;
}

void tfc_transport_leave(tfc_transport* t) {
  t->leaves_at = t->user.now();
  for (int i = 0; i < t->n_connected; i++) {
    tfc_link_peer* p = t->connected[i];
    if (!p->gone) tfc_transport_put(t, p->rank, NULL, 0, NULL, 0, NULL, 0);
  }
}

bool tfc_transport_is_over(const tfc_transport* t) {
  bool byes = true;
  if (tfc_transport_has_queued(t)) return false;
  for (int i = 0; i < t->n_connected; i++) {
    const tfc_link_peer* p = t->connected[i];
    if (p->gone || p->dies_at) continue;
    if (p->sending) return false;
    byes &= p->said_bye;
  }
  return byes || t->user.now() - __atomic_load_n(&t->news, __ATOMIC_RELAXED) > linger;
}

/* Frees the parcels that MPI does not use; returns whether there are others. */
static bool free_parcels(tfc_parcel* o) {
  bool any_used = false;
  for (tfc_parcel* next; o; o = next) {
    next = o->next;
    bool used = tfc_is_open(&o->whole);
    for (int i = 0; i < o->n_pieces; i++) used |= tfc_is_open(&o->pieces[i]);
    if (!used) tfc_transport_free_parcel(o);
    any_used |= used;
  }
  return any_used;
}

static bool free_arrivals(tfc_arrival* a) {
  bool any_used = false;
  for (tfc_arrival* next; a; a = next) {
    next = a->next;
    bool used = false;
    for (int i = 0; i < a->n_pieces; i++) used |= tfc_is_open(&a->pieces[i]);
    if (!used) tfc_transport_free_arrival(a);
    any_used |= used;
  }
  return any_used;
}

/* Cancels a receive; returns whether MPI still uses its memory. */
static bool stop_receiving(tfc_transport* t, tfc_transfer* x) {
  int error;
  tfc_mpi_status status;
  if (!tfc_is_open(x)) return false;
  t->mpi.cancel(&x->request);
  tfc_transport_test(t, x, &status, &error);
  return tfc_is_open(x);
}

void tfc_transport_close(tfc_transport* t) {
  bool used = stop_receiving(t, &t->hello_receive);
  for (int i = 0; t->peers && i < t->options.size; i++) {
    tfc_link_peer* p = &t->peers[i];
    used |= tfc_is_open(&p->greeting);
    used |= free_parcels(p->queued);
    used |= free_parcels(p->sending);
    used |= free_arrivals(p->arriving);
    if (stop_receiving(t, &p->receive)) {
      used = true;
    } else {
      free(p->incoming);
    }
    pthread_mutex_destroy(&p->lock);
  }
  if (used) return;
  free(t->peers);
  free(t->connected);
  free(t->discard);
  free(t);
}
