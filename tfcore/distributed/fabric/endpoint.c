/* Peers: sending to them, handling what they send, and their failure or exit.
 *
 * Locks: a peer's `lock` is held for a few instructions, and nothing is called under it. `polling`
 * is held while handlers run, which may send, and while messages are handed to MPI.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/handouts.h"
#include "fabric/link.h"
#include "fabric/payload.h"
#include "fabric/reach.h"
#include "fabric/service.h"

enum { AT_A_TIME = 64 /* messages of a peer before the next peer's turn */, MAX_ROUNDS = 8 };
enum { POLL = 1, FLUSH = 2, DRAIN = 4 }; /* see tfc_endpoint's `todo` */

tfc_endpoint tfc_here = {.inbox_fd = -1};

tfc_peer* tfc_peer_of(int rank) {
  if (!__atomic_load_n(&tfc_here.open, __ATOMIC_ACQUIRE) || rank < 0 || rank >= tfc_here.size)
    return NULL;
  return __atomic_load_n(&tfc_here.peers[rank], __ATOMIC_ACQUIRE);
}

/* ---- Writing */

static bool put(tfc_peer* p, const void* header, size_t header_bytes, const void* data,
                size_t bytes) {
  return tfc_ring_put(p->out, tfc_here.ring_bytes, &p->tail, &p->seen_head, header, header_bytes,
                      data, bytes);
}

static void stop_waiting(tfc_peer* p, tfc_waiting* w) {
  __atomic_store_n(&p->waiting.messages, p->waiting.messages - 1, __ATOMIC_RELAXED);
  __atomic_store_n(&p->waiting.bytes, p->waiting.bytes - w->traffic, __ATOMIC_RELAXED);
  free(w);
}

/* With the lock: writes as many waiting messages as there is room for. */
static bool flush(tfc_peer* p) {
  bool any = false;
  while (p->first) {
    tfc_waiting* w = p->first;
    if (!put(p, w->record, w->bytes, NULL, 0)) {
      /* Tries again after setting the flag: either there is room, or the reader sees the flag. */
      __atomic_exchange_n(&p->out->wants_room, 1, __ATOMIC_SEQ_CST);
      if (!put(p, w->record, w->bytes, NULL, 0)) return any;
    }
    any = true;
    p->first = w->next;
    stop_waiting(p, w);
  }
  if (__atomic_load_n(&p->waits, __ATOMIC_RELAXED)) {
    __atomic_store_n(&p->waits, 0, __ATOMIC_RELEASE);
    __atomic_fetch_sub(&tfc_here.n_waiting, 1, __ATOMIC_RELAXED);
  }
  return any;
}

static bool wait_in_line(tfc_peer* p, const tfc_message* m, size_t header, const void* data,
                         size_t bytes) {
  tfc_waiting* w = malloc(sizeof *w + header + bytes);
  if (!w) return false;
  w->next = NULL;
  w->bytes = header + bytes;
  w->traffic = tfc_traffic_bytes(m);
  tfc_count_message(&p->waiting, w->traffic);
  memcpy(w->record, m, header);
  if (bytes) memcpy(w->record + header, data, bytes);
  *(p->first ? &p->last->next : &p->first) = w;
  p->last = w;
  if (!__atomic_load_n(&p->waits, __ATOMIC_RELAXED)) {
    __atomic_store_n(&p->waits, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&tfc_here.n_waiting, 1, __ATOMIC_RELAXED);
  }
  flush(p);
  return true;
}

/* With the lock. */
static bool write_message(tfc_peer* p, const tfc_message* m, const void* data, size_t bytes) {
  size_t header = tfc_header_bytes(m);
  if (p->first) flush(p);
  return (!p->first && put(p, m, header, data, bytes)) || wait_in_line(p, m, header, data, bytes);
}

static int write_local(tfc_peer* p, tfc_message* m, tfc_load* load, tfc_peer_state worst) {
  size_t bytes = load->data ? (size_t)m->bytes : 0;
  m->size = (uint32_t)(tfc_header_bytes(m) + bytes);
  int code = TFC_OK;
  pthread_mutex_lock(&p->lock);
  if (tfc_peer_state_of(p) > (int)worst) {
    code = tfc_failure_code();
  } else if (load->held.buffer && !tfc_hand_out(p, load->held.buffer, &m->token)) {
    code = TFC_RESOURCE_EXHAUSTED;
  } else if (!write_message(p, m, load->data, bytes)) {
    if (load->held.buffer) tfc_take_back(p, m->token);
    code = TFC_RESOURCE_EXHAUSTED;
  } else {
    load->held.buffer = NULL; /* the handout owns the reference now */
    tfc_count_message(&p->sent, tfc_traffic_bytes(m));
  }
  pthread_mutex_unlock(&p->lock);
  return code;
}

/* A message to the own rank. */
static int send_here(tfc_message* m, const tfc_tensor* payload) {
  tfc_tensor t = {.dtype = 0};
  m->dtype = payload ? payload->dtype : 0;
  if (m->dtype) {
    if (payload->buffer && !(payload->buffer->flags & TFC_BUFFER_BORROWED)) {
      t = *payload;
      tfc_buffer_ref(t.buffer);
    } else if (!tfc_tensor_copy(&t, payload)) {
      return TFC_RESOURCE_EXHAUSTED;
    }
    m->rank = t.rank;
    memcpy(m->dims, t.dims, (size_t)t.rank * sizeof *m->dims);
    m->bytes = t.n * (int64_t)tfc_dtype_size(t.dtype);
  }
  tfc_handle(tfc_here.peers[tfc_here.rank], m, &t);
  return TFC_OK;
}

static void address(const tfc_peer* to, tfc_message* m) {
  m->source = tfc_here.rank;
  m->source_incarnation = tfc_here.incarnation;
  m->target_incarnation = to->incarnation;
}

static int send_to_peer(tfc_peer* p, tfc_message* m, const tfc_tensor* payload) {
  int to = p->rank;
  if (tfc_peer_state_of(p) != TFC_PEER_ALIVE) return tfc_failure_code();
  address(p, m);
  if (to == tfc_here.rank) return send_here(m, payload);
  tfc_load load;
  int code = tfc_load_payload(m, payload, p, &load);
  if (!code) {
    if (!p->foreign && tfc_reach(p)) {
      code = tfc_failure_code();
    } else if (!p->foreign) {
      code = write_local(p, m, &load, TFC_PEER_ALIVE);
      if (!code) tfc_ring_bell(p->inbox);
    } else if (!tfc_link_send(to, m, &load)) {
      code = TFC_RESOURCE_EXHAUSTED;
    }
  }
  tfc_unload(&load);
  return code;
}

int tfc_send_to(int to, uint32_t incarnation, tfc_message* m, const tfc_tensor* payload) {
  tfc_peer* p = tfc_peer_of(to);
  if (!p || p->incarnation != incarnation) return tfc_failure_code();
  return send_to_peer(p, m, payload);
}

/* Sends without waking a peer of this host: it reads the message when it next polls, at the latest
 * at its heartbeat. With `ring` it is woken. */
int tfc_publish(int to, uint32_t incarnation, tfc_message* m, const tfc_tensor* payload, bool ring,
                bool* published) {
  *published = false;
  tfc_peer* p = tfc_peer_of(to);
  if (!p || p->incarnation != incarnation) return tfc_failure_code();
  if (p->foreign || to == tfc_here.rank) return send_to_peer(p, m, payload);
  if (tfc_peer_state_of(p) != TFC_PEER_ALIVE) return tfc_failure_code();
  address(p, m);
  tfc_load load;
  int code = tfc_load_payload(m, payload, p, &load);
  if (!code && tfc_reach(p)) code = tfc_failure_code();
  if (!code) code = write_local(p, m, &load, TFC_PEER_ALIVE);
  tfc_unload(&load);
  if (code) return code;
  /* Messages that wait are in this process's memory, and this one may be among them. */
  const bool waits = tfc_waits(p);
  const bool gone = tfc_peer_state_of(p) != TFC_PEER_ALIVE; /* then what waited was dropped */
  *published = !waits && !gone && tfc_ring_is_open(p->out);
  __atomic_store_n(&p->out->quiet, 1, __ATOMIC_RELEASE);
  if (ring || waits || tfc_ring_unread(p->out) > tfc_here.ring_bytes / 2) tfc_ring_bell(p->inbox);
  return TFC_OK;
}

int tfc_send(int to, tfc_message* m, const tfc_tensor* payload) {
  tfc_peer* p = tfc_peer_of(to);
  return p ? send_to_peer(p, m, payload) : tfc_failure_code();
}

/* Also to a peer that has left, as it may wait for it. Wakes nobody: the peer reads it with the
 * next message, or when its heartbeat thread finds it. */
void tfc_send_release(tfc_peer* p, uint64_t token) {
  if (tfc_peer_of(p->rank) != p) return; /* closed, or in a forked child */
  tfc_message m = {.kind = TFC_MSG_RELEASE, .edge = token};
  address(p, &m);
  tfc_load none = {.data = NULL};
  if (write_local(p, &m, &none, TFC_PEER_LEFT) == TFC_OK)
    __atomic_store_n(&p->out->quiet, 1, __ATOMIC_RELEASE);
}

/* ---- Reading */

/* Whether it is from the current process of a place to this process. */
static bool is_current(const tfc_peer* from, const tfc_message* m) {
  return m->source_incarnation == from->incarnation &&
         m->target_incarnation == tfc_here.incarnation;
}

bool tfc_accepts(const tfc_peer* from, const tfc_message* m) {
  if (is_current(from, m)) return true;
  __atomic_fetch_add(&tfc_here.refused, 1, __ATOMIC_RELAXED);
  return false;
}

static void release(tfc_peer* p, uint64_t token) {
  pthread_mutex_lock(&p->lock);
  tfc_buffer* b = tfc_take_back(p, token);
  pthread_mutex_unlock(&p->lock);
  if (b) tfc_buffer_unref(b);
}

uint32_t tfc_incarnation_of(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return p ? p->incarnation : 0;
}

int tfc_generation_of(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return p ? p->generation : 0;
}

bool tfc_is_alive(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return p && tfc_peer_state_of(p) == TFC_PEER_ALIVE;
}

bool tfc_has_failed(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return !p || tfc_peer_state_of(p) == TFC_PEER_FAILED;
}

int tfc_host_of(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return p ? p->host : rank;
}

/* If it lives, it must not continue as if the others listened: the task that found it dead may not
 * reach it. */
static void tell_excluded(const tfc_message* m, const tfc_tensor* text) {
  tfc_message note = {.kind = TFC_MSG_FAILED, .edge = m->edge, .frame = m->frame};
  tfc_send((int)m->edge, &note, text->dtype ? text : NULL);
}

void tfc_exclude(const char* reason) {
  char why[560];
  snprintf(why, sizeof why, "this task was excluded from the cluster: %s", reason);
  __atomic_store_n(&tfc_here.excluded, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < tfc_here.size; i++) tfc_fail(i, why);
}

static void handle_failed(const tfc_message* m, const tfc_tensor* payload) {
  char text[512] = "found dead by another task";
  if (payload->dtype == TFC_UINT8 && payload->n && payload->n < (int64_t)sizeof text) {
    memcpy(text, payload->data, (size_t)payload->n);
    text[payload->n] = 0;
  }
  if (m->edge >= (uint64_t)tfc_here.size) return;
  if (m->frame && m->frame != tfc_incarnation_of((int)m->edge))
    return; /* another one is there now */
  if ((int)m->edge != tfc_here.rank) {
    if (tfc_is_alive((int)m->edge)) tell_excluded(m, payload);
    tfc_fail((int)m->edge, text);
    return;
  }
  tfc_exclude(text); /* it was wrongly taken for dead: the others don't listen to it any more */
}

/* Whether a message of a peer that has ended is still handled. Its published replica changes are:
 * it has reported their steps as done. */
static bool is_still_handled(const tfc_peer* from, const tfc_message* m) {
  return m->kind == TFC_MSG_RELEASE ||
         (m->kind == TFC_MSG_REPLICA && !from->foreign && !from->drained);
}

void tfc_handle(tfc_peer* from, const tfc_message* m, tfc_tensor* payload) {
  if (tfc_peer_state_of(from) != TFC_PEER_ALIVE && !is_still_handled(from, m)) {
    tfc_tensor_clear(payload);
    return;
  }
  tfc_handler handler = __atomic_load_n(&tfc_here.handlers[m->kind], __ATOMIC_ACQUIRE);
  if (handler) {
    handler(m, payload);
    return;
  }
  if (m->kind == TFC_MSG_RELEASE) release(from, m->edge);
  if (m->kind == TFC_MSG_LEAVE) tfc_leave(from);
  if (m->kind == TFC_MSG_FAILED) handle_failed(m, payload);
  tfc_tensor_clear(payload);
}

bool tfc_place_payload(const tfc_message* m, tfc_tensor* out) {
  const tfc_peer* from = tfc_peer_of(m->source);
  if (!from || !is_current(from, m)) return false; /* it will be refused */
  tfc_payload_fn fn = __atomic_load_n(&tfc_here.payload_fns[m->kind], __ATOMIC_ACQUIRE);
  return fn && m->dtype != TFC_STRING && fn(m, out);
}

/* Makes the payload; without memory for it the message is delivered as LOST. */
static void take_payload(tfc_peer* p, const char* record, tfc_message* m, tfc_tensor* out) {
  bool ok = true;
  if (!m->dtype) return;
  if (m->offset >= 0 && !tfc_read_arena(p)) {
    ok = false;
  } else if (m->offset < 0) {
    ok = tfc_make_payload(m, record + tfc_header_bytes(m), out);
  } else if (m->dtype == TFC_STRING) {
    ok = tfc_unpack_strings(m, p->arena + m->offset, out);
    tfc_send_release(p, m->token);
    tfc_leave_arena(p);
  } else {
    ok = tfc_borrow_payload(p, m, out);
    if (!ok) tfc_send_release(p, m->token);
    if (!ok) tfc_leave_arena(p);
  }
  if (ok) return;
  *out = (tfc_tensor){.dtype = 0};
  m->dtype = 0;
  m->flags |= TFC_MSG_LOST;
}

/* It can't be answered, and tensors in its arena can't be read. If it has ended in order, its last
 * message is in the ring; else whoever watches its process finds it dead. */
static void unreached_sender(tfc_peer* p) {
  uint32_t bytes;
  for (const char* record;
       (record = tfc_ring_peek(p->in, tfc_here.ring_bytes, &p->head, &bytes)) && bytes;) {
    tfc_message m;
    bool leaves = bytes >= TFC_MESSAGE_HEADER &&
                  tfc_read_header(record, bytes, p->arena_bytes, &m) && m.kind == TFC_MSG_LEAVE &&
                  tfc_accepts(p, &m);
    tfc_ring_pop(p->in, &p->head, bytes);
    if (leaves) tfc_leave(p);
  }
}

/* Handles some messages; returns whether there were any. *more: some may be left. */
static bool read_peer(tfc_peer* p, bool* more) {
  uint32_t capacity = tfc_here.ring_bytes;
  int n = 0;
  for (; n < AT_A_TIME; n++) {
    uint32_t bytes;
    const void* record = tfc_ring_peek(p->in, capacity, &p->head, &bytes);
    if (!record) break;
    tfc_message m;
    tfc_tensor payload = {.dtype = 0};
    if (bytes < TFC_MESSAGE_HEADER || !tfc_read_header(record, bytes, p->arena_bytes, &m)) {
      tfc_ring_close(p->in);
      tfc_fail(p->rank, "it sent a malformed message");
      __atomic_store_n(&p->in, NULL, __ATOMIC_RELAXED);
      return true;
    }
    m.source = p->rank;
    tfc_count_message(&p->received, tfc_traffic_bytes(&m));
    bool dead = tfc_peer_state_of(p) == TFC_PEER_FAILED;
    bool wanted = (!dead || (m.kind == TFC_MSG_REPLICA && !p->drained)) && tfc_accepts(p, &m);
    if (wanted && m.kind != TFC_MSG_LEAVE && tfc_reach(p)) {
      unreached_sender(p);
      return true;
    }
    if (wanted) take_payload(p, record, &m, &payload);
    tfc_ring_pop(p->in, &p->head, bytes);
    if (wanted) tfc_handle(p, &m, &payload);
  }
  if (n && tfc_ring_take_wish(p->in) && tfc_is_reached(p)) tfc_ring_bell(p->inbox);
  *more |= n == AT_A_TIME;
  return n > 0;
}

static void read_until(tfc_peer* p, uint64_t end) {
  bool more = false;
  while (__atomic_load_n(&p->in, __ATOMIC_RELAXED) && (int64_t)(end - p->head) > 0 &&
         read_peer(p, &more)) {
  }
}

/* A record that it was writing when it died is not there: its last step is to move `tail`. */
void tfc_drain(tfc_peer* p) {
  if (p->drained) return;
  if (!p->foreign && p->in) read_until(p, tfc_ring_close(p->in));
  p->drained = true;
  if (!p->foreign) tfc_leave_arena(p);
  tfc_failure_fn fn = __atomic_load_n(&tfc_here.at_drained, __ATOMIC_ACQUIRE);
  if (fn) fn(p->rank);
}

static void drain_all_ended(void) {
  for (int i = 0; i < tfc_here.size; i++)
    if (tfc_peer_state_of(tfc_peer_at(i)) != TFC_PEER_ALIVE) tfc_drain(tfc_peer_at(i));
}

void tfc_catch_up(int peer) {
  tfc_lock_polling();
  tfc_peer* p = tfc_running() ? tfc_peer_of(peer) : NULL;
  if (p && !p->foreign && peer != tfc_here.rank && p->in)
    read_until(p, __atomic_load_n(&p->in->tail, __ATOMIC_SEQ_CST));
  tfc_unlock_polling();
}

static void flush_peer(tfc_peer* p) {
  pthread_mutex_lock(&p->lock);
  bool any = tfc_peer_state_of(p) != TFC_PEER_FAILED && flush(p);
  pthread_mutex_unlock(&p->lock);
  if (any) tfc_ring_bell(p->inbox);
}

tfc_peer* tfc_next_writer(int rank) {
  int from = rank + 1;
  for (int word = from / 64; word < (tfc_here.size + 63) / 64; word++, from = 64 * word) {
    uint64_t bits = tfc_inbox_writers(tfc_here.inbox, word) >> from % 64;
    for (; bits; bits &= bits - 1) { /* anybody may have set them */
      int next = from + __builtin_ctzll(bits);
      tfc_peer* p = next < tfc_here.size ? tfc_peer_at(next) : NULL;
      if (p && __atomic_load_n(&p->in, __ATOMIC_RELAXED)) return p;
    }
  }
  return NULL;
}

static bool read_all(bool* more) {
  bool any = false;
  for (tfc_peer* p = tfc_next_writer(-1); p; p = tfc_next_writer(p->rank))
    if (read_peer(p, more)) any = true;
  tfc_reach_end_unreachable();
  if (tfc_has_foreign() && tfc_link_poll(more)) any = true;
  if (__atomic_load_n(&tfc_here.n_waiting, __ATOMIC_RELAXED))
    for (int i = 0; i < tfc_count_local(); i++)
      if (__atomic_load_n(&tfc_local_peer(i)->waits, __ATOMIC_RELAXED))
        flush_peer(tfc_local_peer(i));
  return any;
}

/* All accesses to `polling` and `todo` are sequentially consistent: a thread that sets `todo` and
 * finds the lock taken has set it before the holder releases the lock, and the holder reads `todo`
 * after that. */
static bool try_polling(void) {
  int no = 0;
  return !__atomic_load_n(&tfc_here.polling, __ATOMIC_SEQ_CST) &&
         __atomic_compare_exchange_n(&tfc_here.polling, &no, 1, false, __ATOMIC_SEQ_CST,
                                     __ATOMIC_SEQ_CST);
}

/* Others may give this thread work again and again, but it has come to wait for something. */
bool tfc_poll(void) {
  bool any = false, more = false;
  int todo = POLL;
  for (int round = 0; todo && !more && tfc_running() && try_polling(); round++) {
    todo |= __atomic_exchange_n(&tfc_here.todo, 0, __ATOMIC_SEQ_CST);
    if (tfc_running()) {
      if (todo & DRAIN) drain_all_ended();
      if (todo & POLL) {
        more = false;
        if (read_all(&more)) any = true;
      } else if (todo & FLUSH) {
        tfc_link_flush();
      }
    }
    __atomic_exchange_n(&tfc_here.polling, 0, __ATOMIC_SEQ_CST);
    todo = __atomic_load_n(&tfc_here.todo, __ATOMIC_SEQ_CST);
    if (round == MAX_ROUNDS && todo) more = true;
  }
  /* Their senders rang for this thread or saw it awake, so it has to wake the next one. */
  if (more) tfc_ring_bell(tfc_here.inbox);
  return any;
}

void tfc_settle(void) {
  __atomic_fetch_or(&tfc_here.todo, POLL, __ATOMIC_SEQ_CST);
  tfc_poll();
}

/* No handler runs here, as the caller may hold locks that handlers take. If another thread polls,
 * or this one in a handler, that thread sends. If another one wanted to poll meanwhile, it may
 * sleep by now: the bell wakes one. */
void tfc_flush_foreign(void) {
  __atomic_fetch_or(&tfc_here.todo, FLUSH, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&tfc_here.todo, __ATOMIC_SEQ_CST) & FLUSH && try_polling()) {
    __atomic_fetch_and(&tfc_here.todo, ~FLUSH, __ATOMIC_SEQ_CST);
    tfc_link_flush();
    __atomic_exchange_n(&tfc_here.polling, 0, __ATOMIC_SEQ_CST);
  }
  if (__atomic_load_n(&tfc_here.todo, __ATOMIC_SEQ_CST) & (POLL | DRAIN) && tfc_running())
    tfc_ring_bell(tfc_here.inbox);
  tfc_poll_sooner();
}

void tfc_lock_polling(void) {
  while (!try_polling()) sched_yield();
}

void tfc_unlock_polling(void) {
  __atomic_exchange_n(&tfc_here.polling, 0, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&tfc_here.todo, __ATOMIC_SEQ_CST)) tfc_poll();
}

/* ---- The end of a peer */

static void drop(tfc_waiting* waiting) {
  while (waiting) {
    tfc_waiting* next = waiting->next;
    free(waiting);
    waiting = next;
  }
}

static void tell_of_failure(int rank) {
  for (int i = 0; i < 16; i++) {
    tfc_failure_fn fn = __atomic_load_n(&tfc_here.failures[i], __ATOMIC_ACQUIRE);
    if (fn) fn(rank);
  }
}

/* No handler runs here, as the caller may hold locks that handlers take. */
static void have_drained(void) {
  __atomic_fetch_or(&tfc_here.todo, DRAIN, __ATOMIC_SEQ_CST);
  if (tfc_running()) tfc_ring_bell(tfc_here.inbox);
}

/* Buffers handed to a process that has failed are dropped when it is gone. One that only left may
 * still read them, so they are never reused. */
static void end_peer(tfc_peer* p, tfc_peer_state state, const char* reason) {
  tfc_waiting* waiting = NULL;
  tfc_handout* handouts = NULL;
  int32_t n = 0;
  pthread_mutex_lock(&p->lock);
  int before = tfc_peer_state_of(p);
  if (before < (int)state) {
    __atomic_store_n(&p->state, state, __ATOMIC_RELEASE);
    if (!p->reason) p->reason = strdup(reason);
    waiting = p->first;
    p->first = NULL;
    __atomic_store_n(&p->waiting.messages, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&p->waiting.bytes, 0, __ATOMIC_RELAXED);
    flush(p); /* no message waits any more */
  }
  if (before < (int)state && state == TFC_PEER_FAILED) {
    handouts = p->handouts;
    n = p->n_handouts;
    p->handouts = NULL;
    p->n_handouts = 0;
    p->free_handout = -1;
    __atomic_store_n(&p->outstanding, 0, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&p->lock);
  drop(waiting);
  tfc_drop_when_gone(p->pid, handouts, n);
  if (before == TFC_PEER_ALIVE) {
    if (p->foreign && state == TFC_PEER_FAILED) tfc_link_disconnect(p->rank);
    tell_of_failure(p->rank);
    __atomic_store_n(&p->told, 1, __ATOMIC_RELEASE);
    have_drained();
  }
}

void tfc_fail(int rank, const char* reason) {
  tfc_peer* p = tfc_peer_of(rank);
  if (p && rank != tfc_rank_here()) end_peer(p, TFC_PEER_FAILED, reason);
}

void tfc_fail_incarnation(int rank, uint32_t incarnation, const char* reason) {
  tfc_peer* p = tfc_peer_of(rank);
  if (p && p->incarnation == incarnation && rank != tfc_rank_here())
    end_peer(p, TFC_PEER_FAILED, reason);
}

int tfc_failure_code(void) {
  return __atomic_load_n(&tfc_here.excluded, __ATOMIC_ACQUIRE) ? TFC_ABORTED : TFC_UNAVAILABLE;
}

void tfc_leave(tfc_peer* p) {
  end_peer(p, TFC_PEER_LEFT, "it has ended");
}

int64_t tfc_heartbeat_of(int rank) {
  tfc_peer* p = tfc_peer_of(rank);
  return p ? tfc_heartbeat(p) : 0;
}

int tfc_rank_here(void) {
  return __atomic_load_n(&tfc_here.open, __ATOMIC_ACQUIRE) ? tfc_here.rank : -1;
}

int tfc_size_here(void) {
  return tfc_rank_here() < 0 ? 0 : tfc_here.size;
}

void tfc_on_message(int kind, tfc_handler handler) {
  if (kind > 0 && kind < TFC_MSG_KINDS)
    __atomic_store_n(&tfc_here.handlers[kind], handler, __ATOMIC_RELEASE);
}

void tfc_on_payload(int kind, tfc_payload_fn fn) {
  if (kind > 0 && kind < TFC_MSG_KINDS)
    __atomic_store_n(&tfc_here.payload_fns[kind], fn, __ATOMIC_RELEASE);
}

void tfc_on_failure(tfc_failure_fn fn) {
  for (int i = 0; i < 16; i++) {
    tfc_failure_fn none = NULL;
    if (__atomic_load_n(&tfc_here.failures[i], __ATOMIC_ACQUIRE) == fn) return;
    if (__atomic_compare_exchange_n(&tfc_here.failures[i], &none, fn, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return;
  }
}

void tfc_on_drained(tfc_failure_fn fn) {
  __atomic_store_n(&tfc_here.at_drained, fn, __ATOMIC_RELEASE);
}

bool tfc_shares_memory(int rank) {
  const tfc_peer* p = tfc_peer_of(rank);
  return p && !p->foreign && rank != tfc_here.rank;
}

static void say_task(int rank, bool with_reason, char* text, size_t size) {
  tfc_peer* p = tfc_peer_of(rank);
  if (!p) {
    snprintf(text, size, "task of rank %d", rank);
    return;
  }
  pthread_mutex_lock(&p->lock);
  const char* name = p->description ? p->description : "task";
  const char* reason = with_reason ? p->reason : NULL;
  snprintf(text, size, "%s (rank %d)%s%s", name, rank, reason ? ": " : "", reason ? reason : "");
  pthread_mutex_unlock(&p->lock);
}

void tfc_name_task(int rank, char* text, size_t size) {
  say_task(rank, false, text, size);
}

void tfc_describe(int rank, char* text, size_t size) {
  say_task(rank, true, text, size);
}

void tfc_set_description(int rank, const char* text) {
  tfc_peer* p = tfc_peer_of(rank);
  char* copy = p ? strdup(text) : NULL;
  if (!copy) return;
  pthread_mutex_lock(&p->lock);
  free(p->description);
  p->description = copy;
  pthread_mutex_unlock(&p->lock);
}

char* tfc_failure(int rank) {
  tfc_peer* p = tfc_peer_of(rank);
  if (!p) return NULL;
  pthread_mutex_lock(&p->lock);
  char* copy = p->reason ? strdup(p->reason) : NULL;
  pthread_mutex_unlock(&p->lock);
  return copy;
}
