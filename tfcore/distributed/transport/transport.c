/* Opening, connecting, polling, failure and shutdown of the transport.
 *
 * docs/design/fabric.md has the life of a message, and how connections are made.
 *
 * Messages are delivered in the order in which they were sent, except that those behind a large
 * tensor of an edge need not wait for it: the rendezvous finds it by its key. A message is
 * delivered whole or not at all. Once one is lost, its peer has failed, and nothing that it has
 * sent is delivered any more.
 *
 * Sends are synchronous: they complete when the receiver has begun to receive. Open MPI ends the
 * job ("Send error after request freed") when a process dies while a message to it is on its way
 * whose request is freed already, because the send has completed or was tested after the death.
 *
 * Memory that MPI may still write to or read from is kept until its requests have completed,
 * whatever became of the peer.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "transport/state.h"

/* How often to poll. A doorbell may ring before its message can be received. */
static const int64_t BUSY_POLL_NS = 2 * TFC_MS;       /* after any activity poll all the time */
static const int64_t UNRUNG_INTERVAL_NS = 1 * TFC_MS; /* while a doorbell may not ring */
static const int64_t MAX_INTERVAL_NS = 50 * TFC_MS;
static const int64_t GRACE_NS = 200 * TFC_MS;  /* of a process that MPI reports dead */
static const int64_t LINGER_NS = 100 * TFC_MS; /* for others that shut down at the same time */

enum { MAX_HELLOS_PER_POLL = 64 };

/* ---- Requests */

tfc_outcome tfc_transport_test(const tfc_mpi* mpi, tfc_transport_request* r, tfc_mpi_status* status,
                               int* error) {
  int done = 0;
  *error = mpi->test(&r->mpi, &done, status);
  if (!*error && !done) return PENDING;
  r->completed = !*error || r->mpi.handle == mpi->no_request;
  return *error ? FAILED : DONE;
}

void tfc_transport_note_activity(tfc_transport* t) {
  __atomic_store_n(&t->last_activity, t->user.now(), __ATOMIC_RELAXED);
}

/* MPI_Test ends and frees all requests of a process that MPI takes for dead, also those whose
 * bytes the connection still has. When that gives up later, Open MPI ends the job. It does so at
 * once where the network works. After a cut, TCP repeats what was not acknowledged at intervals
 * that double: once more before it has waited twice as long. */
bool tfc_transport_has_ended(tfc_transport* t, tfc_transport_peer* p, tfc_transport_request* r) {
  int done = 0;
  tfc_mpi_status status;
  if (!p->mpi->get_status) return true;
  int64_t since = p->died ? t->user.now() - p->died : 0;
  if (since > GRACE_NS && since > 2 * (p->died - p->last_sent)) return true;
  return p->mpi->get_status(r->mpi.handle, &done, &status) || done;
}

/* ---- Failure */

/* A chunk that was on its way may never end: others get another buffer. */
static void keep_discard(tfc_transport* t, tfc_transport_peer* p) {
  for (tfc_incoming* m = p->incoming; m; m = m->next) {
    if (m != t->discarding) continue;
    m->discard = t->discard;
    t->discard = NULL;
    t->discarding = NULL;
  }
}

void tfc_transport_fail(tfc_transport* t, tfc_transport_peer* p, const char* reason) {
  if (p->failed) return;
  p->failed = true;
  tfc_transport_free_unsent(p);
  if (tfc_is_active(&p->frame_receive)) p->mpi->cancel(&p->frame_receive.mpi);
  for (tfc_incoming* m = p->incoming; m; m = m->next)
    for (int64_t i = m->chunks.completed; i < m->chunks.started; i++)
      p->mpi->cancel(&tfc_chunk_request(&m->chunks, i)->mpi);
  if (p->mpi->disconnect) p->mpi->disconnect(p->mpi->comm, p->rank, true);
  keep_discard(t, p);
  if (reason != p->reason) snprintf(p->reason, sizeof p->reason, "%s", reason);
  p->report_pending = true;
  t->any_report_pending = true;
}

void tfc_transport_fail_at_fault(tfc_transport* t, tfc_transport_peer* p, const char* reason) {
  p->at_fault |= !p->failed;
  tfc_transport_fail(t, p, reason);
}

/* Only the polling thread calls the user: one that sends may hold locks that the user takes. */
static void report_failures(tfc_transport* t) {
  while (t->any_report_pending) {
    t->any_report_pending = false;
    for (int i = 0; i < t->options.size; i++) {
      tfc_transport_peer* p = t->peers[i];
      if (!p->report_pending) continue;
      p->report_pending = false;
      t->user.peer_failed(p->rank, p->incarnation, p->reason, p->at_fault);
    }
  }
}

static void explain(const tfc_mpi* mpi, int error, const char* what, char* text, size_t size) {
  char said[1024] = "";
  int length = 0;
  if (mpi->error_string(error, said, &length)) length = 0;
  snprintf(text, size, "%s (%.*s)", what, length < 100 ? length : 100, said);
}

void tfc_transport_note_death(tfc_transport* t, tfc_transport_peer* p, int error) {
  if (!p->died) p->died = t->user.now();
  if (p->grace_ends || p->failed) return;
  p->grace_ends = t->user.now() + GRACE_NS;
  explain(p->mpi, error, TFC_PROCESS_GONE, p->reason, sizeof p->reason);
}

void tfc_transport_fail_mpi(tfc_transport* t, tfc_transport_peer* p, int error, const char* what) {
  char text[160];
  explain(p->mpi, error, what, text, sizeof text);
  tfc_transport_fail(t, p, text);
}

/* ---- Connecting */

bool tfc_transport_connect(tfc_transport* t, tfc_transport_peer* p) {
  if (p->connected) return true;
  if (!p->frame_buffer && !(p->frame_buffer = malloc(MAX_FRAME_BYTES))) return false;
  p->connected = true;
  t->connected[t->n_connected++] = p;
  int error = tfc_transport_post_receive(p->mpi, &p->frame_receive, p->frame_buffer,
                                         MAX_FRAME_BYTES, p->rank, TAG_FRAME);
  if (error) tfc_transport_fail_mpi(t, p, error, TFC_PROCESS_GONE);
  return true;
}

bool tfc_transport_learn_incarnation(tfc_transport* t, tfc_transport_peer* p,
                                     uint32_t incarnation) {
  if (!p->incarnation) p->incarnation = incarnation;
  if (p->incarnation == incarnation) return true;
  tfc_transport_fail_at_fault(t, p, "a message came from another incarnation of it");
  return false;
}

static void post_hello_receive(tfc_transport_link* link) {
  tfc_transport_post_receive(&link->mpi, &link->hello_receive, &link->hello_buffer,
                             sizeof link->hello_buffer, link->mpi.any_source, TAG_HELLO);
}

/* One that comes by another link than the peer's is of an earlier process. */
static void handle_hello(tfc_transport* t, tfc_transport_link* link, int source, int bytes) {
  if (source < 0 || source >= t->options.size || source == t->options.rank) return;
  tfc_transport_peer* p = t->peers[source];
  if (p->mpi != &link->mpi) return;
  const tfc_hello* h = &link->hello_buffer;
  char text[160];
  if (bytes != sizeof *h || h->magic != PROTOCOL_MAGIC || h->source != source) {
    tfc_transport_fail_at_fault(t, p, "it sent a malformed message");
  } else if (h->version != PROTOCOL_VERSION) {
    snprintf(text, sizeof text, "it speaks version %u of the protocol, this task version %d",
             h->version, PROTOCOL_VERSION);
    tfc_transport_fail(t, p, text);
  } else if (h->token != t->options.token) { /* two words: in constant time */
    tfc_transport_fail_at_fault(t, p, "it does not know the token of this job");
  } else if (h->chunk_bytes != t->options.chunk_bytes) {
    snprintf(text, sizeof text,
             "its TFCORE_TRANSPORT_CHUNK is %" PRId64 ", that of this task %" PRId64,
             h->chunk_bytes, t->options.chunk_bytes);
    tfc_transport_fail(t, p, text);
  } else if (tfc_transport_learn_incarnation(t, p, h->incarnation)) {
    p->greeted = true;
    if (!tfc_transport_connect(t, p)) tfc_transport_fail(t, p, TFC_NO_MEMORY);
  }
}

/* A peer without a connection has no last messages. */
static void handle_death(tfc_transport* t, tfc_transport_peer* p, int error) {
  tfc_transport_note_death(t, p, error);
  if (!p->connected) tfc_transport_fail(t, p, p->reason);
}

/* Acknowledges the processes that MPI reports as dead, so that it still receives from others. */
static void acknowledge_deaths(tfc_transport* t, const tfc_mpi* mpi, int error) {
  uint64_t dead = 0, all = 0;
  int n = 0, acknowledged;
  if (!mpi->get_failed || mpi->get_failed(mpi->comm, &dead)) return;
  mpi->group_size(dead, &n);
  if (mpi->ack_failed) mpi->ack_failed(mpi->comm, n, &acknowledged);
  int *ranks = calloc((size_t)n + 1, sizeof *ranks), *found = calloc((size_t)n + 1, sizeof *found);
  if (ranks && found && !mpi->comm_group(mpi->comm, &all)) {
    for (int i = 0; i < n; i++) ranks[i] = i;
    if (!mpi->group_translate(dead, n, ranks, all, found))
      for (int i = 0; i < n; i++)
        if (found[i] >= 0 && found[i] < t->options.size && found[i] != t->options.rank &&
            t->peers[found[i]]->mpi == mpi)
          handle_death(t, t->peers[found[i]], error);
    mpi->group_free(&all);
  }
  free(ranks);
  free(found);
  mpi->group_free(&dead);
}

static bool receive_hellos(tfc_transport* t, tfc_transport_link* link) {
  tfc_mpi_status status;
  bool any = false;
  if (!link->used) return false;
  int error, count = 0, source;
  for (int n = 0; n < MAX_HELLOS_PER_POLL; n++) {
    error = 0;
    tfc_outcome outcome =
        tfc_is_active(&link->hello_receive)
            ? tfc_transport_test(&link->mpi, &link->hello_receive, &status, &error)
            : FAILED;
    if (outcome == PENDING) return any;
    if (outcome == FAILED) {
      acknowledge_deaths(t, &link->mpi, error);
      if (!tfc_is_active(&link->hello_receive)) post_hello_receive(link);
      return any;
    }
    any = true;
    memcpy(&source, status.bytes + link->mpi.status_source_offset, sizeof source);
    link->mpi.get_count(&status, link->mpi.byte, &count);
    handle_hello(t, link, source, count);
    post_hello_receive(link);
  }
  return any;
}

/* ---- Polling */

static void fail_disconnected(tfc_transport* t) {
  if (!__atomic_load_n(&t->n_disconnects, __ATOMIC_ACQUIRE)) return;
  for (int i = 0; i < t->options.size; i++)
    if (__atomic_exchange_n(&t->queues[i].disconnect_wanted, 0, __ATOMIC_ACQ_REL)) {
      __atomic_fetch_sub(&t->n_disconnects, 1, __ATOMIC_RELAXED);
      tfc_transport_fail(t, t->peers[i], "it was given up");
    }
}

/* How soon this peer makes another poll necessary. Once it has said goodbye it may not receive any
 * more, nor fail. */
static int64_t peer_interval(const tfc_transport* t, const tfc_transport_peer* p) {
  if (p->failed) return MAX_INTERVAL_NS;
  if (p->incoming) return UNRUNG_INTERVAL_NS;
  if (p->goodbye_received) return MAX_INTERVAL_NS;
  bool works = t->user.doorbell_works && t->user.doorbell_works(t->user.doorbell, p->rank);
  return p->sends || !works ? UNRUNG_INTERVAL_NS : MAX_INTERVAL_NS;
}

static bool poll_peer(tfc_transport* t, tfc_transport_peer* p, bool* more) {
  bool any = tfc_transport_receive_frames(t, p, more);
  if (p->incoming) any |= tfc_transport_advance_incoming(t, p);
  if (p->sends || tfc_is_active(&p->hello_send)) any |= tfc_transport_advance_sends(t, p);
  if (p->grace_ends && !p->failed && t->user.now() > p->grace_ends)
    tfc_transport_fail(t, p, p->reason);
  return any;
}

/* Until a peer is reached over TCP, nobody can connect. */
static bool move_messages(tfc_transport* t) {
  const tfc_mpi* tcp = &t->links[LINK_TCP].mpi;
  return t->n_over_tcp && tcp->progress(tcp->comm);
}

/* Whether the link still uses memory of the peer. */
static bool is_used(const tfc_transport_peer* p) {
  return p->sends || p->incoming || tfc_is_active(&p->frame_receive) ||
         tfc_is_active(&p->hello_send);
}

static void free_peer(tfc_transport_peer* p) {
  free(p->frame_buffer);
  free(p);
}

static void poll_retired(tfc_transport* t) {
  for (tfc_transport_peer** place = &t->retired; *place;) {
    tfc_transport_peer* p = *place;
    bool more = false;
    poll_peer(t, p, &more);
    if (is_used(p)) {
      place = &p->next_retired;
    } else {
      *place = p->next_retired;
      free_peer(p);
    }
  }
}

static int64_t count_in_transit(const tfc_transport* t) {
  int64_t sum = 0;
  for (int i = 0; i < t->n_connected; i++) {
    const tfc_transport_peer* p = t->connected[i];
    if (!p->failed && p->mpi->in_transit) sum += p->mpi->in_transit(p->mpi->comm, p->rank);
  }
  return sum;
}

/* Whether something of what was sent has arrived since the last call. */
static bool note_arrivals(tfc_transport* t) {
  int64_t before = t->in_transit;
  t->in_transit = count_in_transit(t);
  return t->in_transit != before;
}

bool tfc_transport_poll(tfc_transport* t, bool* more) {
  int64_t most = t->shutdown_began ? UNRUNG_INTERVAL_NS : MAX_INTERVAL_NS;
  bool any = tfc_transport_has_queued(t), payloads = false;
  tfc_transport_flush(t);
  fail_disconnected(t); /* after what was sent to them before: it may say that they are excluded */
  any |= move_messages(t);
  for (int i = 0; i < LINKS; i++) any |= receive_hellos(t, &t->links[i]);
  for (int i = 0; i < t->n_connected; i++) {
    tfc_transport_peer* p = t->connected[i];
    any |= poll_peer(t, p, more);
    int64_t interval = peer_interval(t, p);
    if (interval < most) most = interval;
    payloads |= !p->failed && (p->chunks_in_flight || p->chunks_posted);
  }
  if (t->retired) poll_retired(t);
  if (t->shutdown_began) any |= note_arrivals(t);
  report_failures(t);
  __atomic_store_n(&t->payloads_in_flight, payloads, __ATOMIC_RELAXED);
  __atomic_store_n(&t->max_interval, most, __ATOMIC_RELAXED);
  if (any) tfc_transport_note_activity(t);
  return any;
}

/* A quarter of the time since the last activity, within limits: so polling costs little when idle
 * and delays a message by at most a quarter; less while a payload is on its way, as MPI moves it
 * when it is polled. */
int64_t tfc_transport_poll_interval(const tfc_transport* t) {
  int64_t silence = t->user.now() - __atomic_load_n(&t->last_activity, __ATOMIC_RELAXED);
  int64_t most = __atomic_load_n(&t->max_interval, __ATOMIC_RELAXED);
  int64_t interval = silence / (__atomic_load_n(&t->payloads_in_flight, __ATOMIC_RELAXED) ? 16 : 4);
  if (silence < BUSY_POLL_NS) return 0;
  return interval < most ? interval : most;
}

void tfc_transport_doorbell_rang(tfc_transport* t) {
  tfc_transport_note_activity(t);
}

void tfc_transport_disconnect(tfc_transport* t, int rank) {
  if (!__atomic_exchange_n(&t->queues[rank].disconnect_wanted, 1, __ATOMIC_ACQ_REL))
    __atomic_fetch_add(&t->n_disconnects, 1, __ATOMIC_RELEASE);
}

/* ---- Opening and closing */

static tfc_transport_peer* new_peer(const tfc_transport* t, int rank, int link) {
  tfc_transport_peer* p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->rank = rank;
  p->mpi = &t->links[link].mpi;
  p->payloads_end = &p->payloads;
  p->incoming_end = &p->incoming;
  return p;
}

static bool make_peers(tfc_transport* t) {
  size_t n = (size_t)t->options.size;
  t->queues = calloc(n, sizeof *t->queues);
  t->peers = calloc(n, sizeof *t->peers);
  t->connected = calloc(n, sizeof *t->connected);
  for (int i = 0; t->queues && i < t->options.size; i++) {
    tfc_transport_queue* q = &t->queues[i];
    q->rank = i;
    q->end = &q->first;
    pthread_mutex_init(&q->lock, NULL);
  }
  bool ok = t->queues && t->peers && t->connected;
  for (int i = 0; ok && i < t->options.size; i++)
    ok = (t->peers[i] = new_peer(t, i, t->links[LINK_MPI].used ? LINK_MPI : LINK_TCP)) != NULL;
  return ok;
}

static void open_link(tfc_transport_link* link, const tfc_mpi* mpi) {
  link->used = mpi != NULL;
  if (!mpi) return;
  link->mpi = *mpi;
  post_hello_receive(link);
}

tfc_transport* tfc_transport_open(const tfc_mpi* mpi, const tfc_mpi* tcp,
                                  const tfc_transport_callbacks* user,
                                  const tfc_transport_options* options) {
  tfc_transport* t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->user = *user;
  t->options = *options;
  t->hello = (tfc_hello){
      .magic = PROTOCOL_MAGIC,
      .version = PROTOCOL_VERSION,
      .source = options->rank,
      .incarnation = options->incarnation,
      .chunk_bytes = options->chunk_bytes,
      .token = options->token,
  };
  t->links[LINK_MPI].used = mpi != NULL;
  if (!make_peers(t)) {
    tfc_transport_close(t);
    return NULL;
  }
  t->max_interval = UNRUNG_INTERVAL_NS;
  tfc_transport_note_activity(t);
  open_link(&t->links[LINK_MPI], mpi);
  open_link(&t->links[LINK_TCP], tcp);
  return t;
}

/* ---- Another process takes a rank */

static void retire(tfc_transport* t, tfc_transport_peer* p) {
  tfc_transport_fail(t, p, "another process has taken its place");
  p->report_pending = false;
  t->n_over_tcp -= p->mpi == &t->links[LINK_TCP].mpi && p->incarnation;
  int n = 0;
  for (int i = 0; i < t->n_connected; i++)
    if (t->connected[i] != p) t->connected[n++] = t->connected[i];
  t->n_connected = n;
  p->next_retired = t->retired;
  t->retired = p;
}

const char* tfc_transport_admit(tfc_transport* t, int rank, uint32_t incarnation,
                                const tfc_tcp_address* address) {
  tfc_transport_link* link = &t->links[LINK_TCP];
  if (!link->used) return "this task does not use TCP";
  if (!incarnation || rank < 0 || rank >= t->options.size || rank == t->options.rank)
    return "there is no such task";
  tfc_transport_peer* p = new_peer(t, rank, LINK_TCP);
  if (!p) return "out of memory";
  tfc_transport_queue* q = &t->queues[rank];
  p->incarnation = incarnation;
  tfc_transport_flush(t); /* what was sent to the one before */
  if (__atomic_exchange_n(&q->disconnect_wanted, 0, __ATOMIC_ACQ_REL))
    __atomic_fetch_sub(&t->n_disconnects, 1, __ATOMIC_RELAXED);
  retire(t, t->peers[rank]);
  t->peers[rank] = p;
  t->n_over_tcp++;
  link->mpi.admit(link->mpi.comm, rank, incarnation, address);
  return NULL;
}

/* An empty record. Without memory for it the peer waits for LINGER_NS. */
static void send_goodbye(tfc_transport* t, const tfc_transport_peer* p) {
  tfc_transport_enqueue(t, p->rank, NULL, 0, NULL, 0, NULL, 0);
}

void tfc_transport_shutdown(tfc_transport* t) {
  t->shutdown_began = t->user.now();
  for (int i = 0; i < t->n_connected; i++)
    if (!t->connected[i]->failed) send_goodbye(t, t->connected[i]);
  note_arrivals(t);
}

/* A peer that has said goodbye may still receive, or be gone by now. */
bool tfc_transport_is_shut_down(const tfc_transport* t) {
  int64_t silence = t->user.now() - __atomic_load_n(&t->last_activity, __ATOMIC_RELAXED);
  bool all_said_goodbye = true, silent = silence > LINGER_NS;
  if (tfc_transport_has_queued(t) || t->in_transit) return false;
  for (int i = 0; i < t->n_connected; i++) {
    const tfc_transport_peer* p = t->connected[i];
    if (p->failed || p->grace_ends) continue;
    if (p->sends && !(p->goodbye_received && silent)) return false;
    if (p->incoming && !silent) return false;
    all_said_goodbye &= p->goodbye_received;
  }
  return all_said_goodbye || silent;
}

/* Frees the messages that MPI does not use; returns whether there are others. */
static bool free_inactive_outgoing(tfc_outgoing* m) {
  bool any_used = false;
  for (tfc_outgoing* next; m; m = next) {
    next = m->next;
    bool used = tfc_is_active(&m->frame_send) || m->chunks.completed < m->chunks.started;
    if (!used) tfc_transport_free_outgoing(m);
    any_used |= used;
  }
  return any_used;
}

static bool free_inactive_incoming(tfc_incoming* m) {
  bool any_used = false;
  for (tfc_incoming* next; m; m = next) {
    next = m->next;
    bool used = m->chunks.completed < m->chunks.started;
    if (!used) tfc_transport_free_incoming(m);
    any_used |= used;
  }
  return any_used;
}

/* Cancels a receive; returns whether MPI still uses its memory. */
static bool stop_receiving(const tfc_mpi* mpi, tfc_transport_request* r) {
  int error;
  tfc_mpi_status status;
  if (!tfc_is_active(r)) return false;
  mpi->cancel(&r->mpi);
  tfc_transport_test(mpi, r, &status, &error);
  return tfc_is_active(r);
}

/* Frees what MPI does not use of a peer; returns whether it uses something. */
static bool close_peer(tfc_transport* t, tfc_transport_peer* p) {
  bool more = false;
  if (p->mpi->disconnect) {
    tfc_transport_fail(t, p, "this task ends");
    if (t->peers[p->rank] == p) p->mpi->disconnect(p->mpi->comm, p->rank, false);
    poll_peer(t, p, &more);
  }
  bool used = tfc_is_active(&p->hello_send);
  used |= free_inactive_outgoing(p->sends);
  used |= free_inactive_incoming(p->incoming);
  used |= stop_receiving(p->mpi, &p->frame_receive);
  if (!tfc_is_active(&p->frame_receive)) {
    free(p->frame_buffer);
    p->frame_buffer = NULL;
  }
  if (!used) free_peer(p);
  return used;
}

void tfc_transport_close(tfc_transport* t) {
  bool used = false;
  for (int i = 0; i < LINKS; i++)
    if (t->links[i].used) used |= stop_receiving(&t->links[i].mpi, &t->links[i].hello_receive);
  for (int i = 0; t->peers && i < t->options.size; i++)
    if (t->peers[i]) used |= close_peer(t, t->peers[i]);
  for (tfc_transport_peer *p = t->retired, *next; p; p = next) {
    next = p->next_retired;
    used |= close_peer(t, p);
  }
  for (int i = 0; t->queues && i < t->options.size; i++) {
    tfc_transport_free_all(t->queues[i].first);
    pthread_mutex_destroy(&t->queues[i].lock);
  }
  free(t->queues);
  free(t->peers);
  free(t->connected);
  if (used) return;
  free(t->discard);
  free(t);
}
