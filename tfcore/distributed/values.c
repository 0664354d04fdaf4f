/* Values of edges between tasks: see values.h. */
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a value takes at the receiver besides its bytes, about. */
enum { OVERHEAD_BYTES = 256 };
enum { BUCKETS = 256 };

/* A value that waits until it may be sent. */
typedef struct queued {
  tfc_key key;
  int peer;
  tfc_tensor value;
  bool dead;
  tfc_send_waiter* waiter; /* or NULL */
  struct queued *next, *previous;
} queued;

typedef struct peer_credit {
  int64_t window;    /* promised by the peer */
  int64_t used;      /* atomic: bytes of this task's values that wait there, or are on their way */
  int64_t to_return; /* atomic: bytes of its values that no longer wait here */
} peer_credit;

static const tfc_fabric* fabric;
static tfc_rendezvous* rendezvous;
static const tfc_runtime* rt;

static peer_credit* credits; /* atomic: by rank; NULL: nothing is limited */
static int64_t own_window;   /* promised to every peer */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static queued* buckets[BUCKETS]; /* under lock, by key */
static int64_t n_queued;         /* atomic; written under lock */

/* ---- Credit */

static int64_t cost_of(int64_t bytes) {
  return bytes + OVERHEAD_BYTES;
}

static peer_credit* credit_of(int peer) {
  peer_credit* all = __atomic_load_n(&credits, __ATOMIC_ACQUIRE);
  return all && peer != fabric->rank() ? &all[peer] : NULL;
}

static bool take_credit(peer_credit* c, int64_t cost) {
  if (!c || __atomic_add_fetch(&c->used, cost, __ATOMIC_RELAXED) <= c->window) return true;
  __atomic_sub_fetch(&c->used, cost, __ATOMIC_RELAXED);
  return false;
}

/* Credit goes back in pieces, as each takes a message. */
static void taken(const tfc_charge* charge) {
  peer_credit* c = credit_of(charge->peer);
  if (!c) return;
  int64_t sum = __atomic_add_fetch(&c->to_return, charge->bytes, __ATOMIC_RELAXED);
  if (sum < own_window / 4) return;
  sum = __atomic_exchange_n(&c->to_return, 0, __ATOMIC_RELAXED);
  tfc_message m = {.kind = TFC_MSG_CREDIT, .edge = (uint64_t)sum};
  if (sum && fabric->send(charge->peer, &m, NULL) == TFC_RESOURCE_EXHAUSTED)
    __atomic_add_fetch(&c->to_return, sum, __ATOMIC_RELAXED); /* with the next value */
}

static void on_credit(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  peer_credit* c = credit_of(m->source);
  if (!c) return;
  int64_t used = __atomic_load_n(&c->used, __ATOMIC_RELAXED);
  if (m->edge > (uint64_t)(used > 0 ? used : 0)) {
    fabric->fail(m->source, "it sent a malformed message (more credit than it got values)");
  } else {
    __atomic_sub_fetch(&c->used, (int64_t)m->edge, __ATOMIC_RELAXED);
  }
}

/* ---- Sending */

/* Why a value can't be sent. */
static void explain(int peer, int code, char* message, size_t size) {
  if (code == TFC_RESOURCE_EXHAUSTED) {
    snprintf(message, size, "OOM when sending a tensor");
  } else if (code == fabric->failure_code()) {
    char who[512];
    fabric->describe(peer, who, sizeof who);
    snprintf(message, size, "%s. It can't be reached", who);
  }
}

static int transmit(int peer, const tfc_key* key, const tfc_tensor* value, int flags, char* message,
                    size_t size) {
  tfc_message m = {.kind = TFC_MSG_TENSOR,
                   .flags = (uint16_t)flags,
                   .step = key->step,
                   .edge = key->edge,
                   .frame = key->frame,
                   .iteration = key->iteration};
  int code = fabric->send(peer, &m, flags & TFC_MSG_DEAD ? NULL : value);
  if (code) explain(peer, code, message, size);
  return code;
}

static int send_now(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, char* message,
                    size_t size) {
  peer_credit* c = credit_of(peer);
  int64_t cost = c ? cost_of(dead ? 0 : tfc_transit_bytes(value)) : 0;
  if (!take_credit(c, cost)) return TFC_PENDING;
  int code = transmit(peer, key, value, dead ? TFC_MSG_DEAD : 0, message, size);
  if (code && c) __atomic_sub_fetch(&c->used, cost, __ATOMIC_RELAXED);
  return code;
}

/* ---- Values that wait here */

static queued** bucket_of(const tfc_key* key) {
  uint64_t x = (uint64_t)key->step * 0x9e3779b97f4a7c15ULL + key->edge * 0xff51afd7ed558ccdULL +
               key->frame + (uint64_t)key->iteration * 31;
  return &buckets[(x ^ x >> 33) % BUCKETS];
}

static void link_queued(queued* q) {
  queued** head = bucket_of(&q->key);
  q->next = *head;
  if (q->next) q->next->previous = q;
  *head = q;
  if (q->waiter) q->waiter->queued = q;
  __atomic_add_fetch(&n_queued, 1, __ATOMIC_RELAXED);
}

static void unlink_queued(queued* q) {
  if (q->next) q->next->previous = q->previous;
  *(q->previous ? &q->previous->next : bucket_of(&q->key)) = q->next;
  if (q->waiter) q->waiter->queued = NULL;
  __atomic_sub_fetch(&n_queued, 1, __ATOMIC_RELAXED);
}

/* Ends the wait for a value that is no longer in the table. */
static void finish(queued* q, int code, const char* message) {
  tfc_tensor_clear(&q->value);
  if (q->waiter) q->waiter->sent(q->waiter, code, message);
  free(q);
}

static queued* take_queued(int peer, const tfc_key* key) {
  pthread_mutex_lock(&lock);
  queued* q = *bucket_of(key);
  while (q && !(q->peer == peer && q->key.step == key->step && q->key.edge == key->edge &&
                q->key.frame == key->frame && q->key.iteration == key->iteration))
    q = q->next;
  if (q) unlink_queued(q);
  pthread_mutex_unlock(&lock);
  return q;
}

/* code != 0: the value will not come. */
static int send_request(int peer, const tfc_key* key, int64_t bytes, int code) {
  tfc_message m = {.kind = TFC_MSG_REQUEST_TO_SEND,
                   .code = code,
                   .step = key->step,
                   .edge = key->edge,
                   .frame = key->frame,
                   .iteration = key->iteration};
  tfc_tensor size = {.data = &bytes, .dtype = TFC_INT64, .n = 1};
  return fabric->send(peer, &m, &size);
}

static int send_later(int peer, const tfc_key* key, const tfc_tensor* value, bool dead,
                      tfc_send_waiter* w, char* message, size_t size) {
  queued* q = malloc(sizeof *q);
  if (!q) {
    explain(peer, TFC_RESOURCE_EXHAUSTED, message, size);
    return TFC_RESOURCE_EXHAUSTED;
  }
  *q = (queued){.key = *key, .peer = peer, .value = *value, .dead = dead, .waiter = w};
  if (q->value.buffer) tfc_buffer_ref(q->value.buffer);
  int64_t bytes = dead ? 0 : tfc_transit_bytes(value);
  pthread_mutex_lock(&lock);
  link_queued(q);
  pthread_mutex_unlock(&lock);
  int code = send_request(peer, key, bytes, TFC_OK);
  if (!code || !(q = take_queued(peer, key))) return TFC_OK; /* somebody else has finished it */
  tfc_tensor_clear(&q->value);
  free(q);
  explain(peer, code, message, size);
  return code;
}

static bool withdraw(tfc_send_waiter* w) {
  pthread_mutex_lock(&lock);
  queued* q = w->queued;
  if (q) unlink_queued(q);
  pthread_mutex_unlock(&lock);
  if (!q) return false;
  tfc_tensor_clear(&q->value);
  free(q);
  return true;
}

static void on_clear(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  tfc_key key = {m->step, m->edge, m->frame, m->iteration};
  queued* q = take_queued(m->source, &key);
  if (!q) return; /* its step has failed here */
  char message[1024] = "";
  int flags = TFC_MSG_CLEARED | (q->dead ? TFC_MSG_DEAD : 0);
  int code =
      m->code ? TFC_OK : transmit(m->source, &key, &q->value, flags, message, sizeof message);
  if (code == TFC_RESOURCE_EXHAUSTED) {
    if (send_request(m->source, &key, 0, code)) fabric->fail(m->source, "no memory to answer it");
    rendezvous->abort_step(key.step, code, message);
  }
  finish(q, code, message);
}

/* ---- Receiving */

typedef struct offered {
  tfc_offer offer; /* must be first */
  int peer;
  int64_t bytes;
} offered;

static void answer_request(int peer, const tfc_key* key, bool wanted) {
  tfc_message m = {.kind = TFC_MSG_CLEAR_TO_SEND,
                   .code = wanted ? TFC_OK : TFC_CANCELLED,
                   .step = key->step,
                   .edge = key->edge,
                   .frame = key->frame,
                   .iteration = key->iteration};
  if (fabric->send(peer, &m, NULL) == TFC_RESOURCE_EXHAUSTED)
    fabric->fail(peer, "no memory to answer it");
}

static void answer_offer(tfc_offer* offer, bool wanted) {
  offered* o = (offered*)offer;
  if (!wanted) {
    answer_request(o->peer, &offer->key, false);
  } else if (!tfc_budget_request(o->peer, &offer->key, o->bytes)) {
    answer_request(o->peer, &offer->key, false);
    rendezvous->abort_step(offer->key.step, TFC_RESOURCE_EXHAUSTED, "OOM when receiving a tensor");
  }
  free(o);
}

static bool is_masterless(int64_t step) {
  int master = (int)(step >> TFC_STEP_BITS);
  return master != fabric->rank() && !fabric->alive(master);
}

/* on_failure may have run already. */
static void end_if_masterless(int64_t step) {
  if (is_masterless(step))
    rendezvous->abort_step(step, TFC_CANCELLED, "The master of the step has failed.");
}

static void on_request(const tfc_message* m, tfc_tensor* payload) {
  int64_t bytes = -1;
  if (payload->dtype == TFC_INT64 && payload->n == 1) bytes = *(const int64_t*)payload->data;
  bool lost = m->flags & TFC_MSG_LOST;
  tfc_tensor_clear(payload);
  if (bytes < 0 && !lost) {
    fabric->fail(m->source, "it sent a malformed message (a request without a size)");
    return;
  }
  tfc_key key = {m->step, m->edge, m->frame, m->iteration};
  offered* o = m->code || lost ? NULL : malloc(sizeof *o);
  if (o) {
    *o = (offered){{answer_offer, key}, m->source, cost_of(bytes)};
    rendezvous->offer(&o->offer);
    end_if_masterless(m->step);
    return;
  }
  if (!m->code) answer_request(m->source, &key, false);
  rendezvous->abort_step(key.step, m->code ? m->code : TFC_RESOURCE_EXHAUSTED,
                         m->code ? "A tensor was not sent." : "OOM when receiving a tensor");
}

static void on_tensor(const tfc_message* m, tfc_tensor* payload) {
  tfc_key key = {m->step, m->edge, m->frame, m->iteration};
  bool cleared = m->flags & TFC_MSG_CLEARED;
  tfc_charge charge = {m->source, cleared || !credit_of(m->source) ? 0 : cost_of(m->bytes)};
  if (m->flags & TFC_MSG_LOST) {
    rendezvous->abort_step(m->step, TFC_RESOURCE_EXHAUSTED, "OOM when receiving a tensor");
    if (charge.bytes) taken(&charge);
    return;
  }
  if (cleared) tfc_budget_arrived(m->source, &key, payload);
  rendezvous->put(&key, payload, m->flags & TFC_MSG_DEAD, &charge);
  end_if_masterless(m->step);
}

/* ---- The end of steps and peers */

/* Finishes the values of a step, or with peer >= 0 those for a peer. */
static void finish_all(int peer, int64_t step, int code, const char* message) {
  if (!__atomic_load_n(&n_queued, __ATOMIC_RELAXED)) return;
  queued* list = NULL;
  pthread_mutex_lock(&lock);
  for (int b = 0; b < BUCKETS; b++)
    for (queued *q = buckets[b], *next; q; q = next) {
      next = q->next;
      if (peer >= 0 ? q->peer != peer : q->key.step != step) continue;
      unlink_queued(q);
      q->next = list;
      list = q;
    }
  pthread_mutex_unlock(&lock);
  for (queued *q = list, *next; q; q = next) {
    next = q->next;
    finish(q, code, message);
  }
}

static void step_over(int64_t step) {
  finish_all(-1, step, TFC_CANCELLED, "The step has ended.");
  tfc_budget_end_step(step);
}

void tfc_values_end_peer(int peer, int code, const char* message) {
  finish_all(peer, 0, code, message);
  tfc_budget_end_peer(peer);
}

/* ---- Setting up */

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool is_computing(void) {
  return rt->pool_computing() > 0;
}

static int64_t credit_in(int64_t budget, int n_tasks) {
  return n_tasks > 1 ? budget / 2 / (n_tasks - 1) : 0;
}

bool tfc_values_limit(const int64_t* budgets, int n_tasks, int own_rank) {
  peer_credit* all = calloc((size_t)n_tasks, sizeof *all);
  if (!all) return false;
  for (int i = 0; i < n_tasks; i++) all[i].window = credit_in(budgets[i], n_tasks);
  own_window = credit_in(budgets[own_rank], n_tasks);
  tfc_budget_callbacks user = {
      .answer = answer_request, .now = now_ns, .is_computing = is_computing};
  tfc_budget_open(&user, budgets[own_rank] / 2);
  __atomic_store_n(&credits, all, __ATOMIC_RELEASE);
  fabric->on_beat(tfc_budget_tick);
  return true;
}

int64_t tfc_values_queued(void) {
  return __atomic_load_n(&n_queued, __ATOMIC_RELAXED);
}

/* What the parent had queued stays allocated, unused. */
void tfc_values_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  memset(buckets, 0, sizeof buckets);
  n_queued = 0;
  credits = NULL;
  tfc_budget_after_fork();
}

void tfc_values_install(const tfc_fabric* f, tfc_rendezvous* r, const tfc_runtime* runtime) {
  fabric = f;
  rendezvous = r;
  rt = runtime;
  r->send = send_now;
  r->send_later = send_later;
  r->withdraw = withdraw;
  r->taken = taken;
  r->step_over = step_over;
  f->on(TFC_MSG_TENSOR, on_tensor);
  f->on(TFC_MSG_REQUEST_TO_SEND, on_request);
  f->on(TFC_MSG_CLEAR_TO_SEND, on_clear);
  f->on(TFC_MSG_CREDIT, on_credit);
}
