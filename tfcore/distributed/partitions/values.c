/* Values of edges between tasks: see values.h. */
#include "partitions/values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "partitions/remote.h"

/* What a value takes at the receiver besides its bytes, about. */
enum { OVERHEAD_BYTES = 256 };
/* No process has more memory: a request for more is malformed. */
static const int64_t MAX_BYTES = INT64_C(1) << 47;
enum { BUCKETS = 256 };

/* A value that waits until it may be sent. */
typedef struct queued {
  tfc_key key;
  int peer;
  tfc_tensor value;
  tfc_send_waiter* waiter; /* or NULL */
  struct queued *next, *previous;
} queued;

/* In both directions, for one incarnation of a peer. It stays as long as the process: threads may
 * still count in it when the peer's place is taken again. */
typedef struct peer_credit {
  uint32_t incarnation;
  int64_t limit;     /* of this task, at the peer */
  int64_t in_use;    /* atomic: bytes of this task's values that wait there, or are on their way */
  int64_t to_return; /* atomic: bytes of the peer's values that no longer wait here */
  int fail_wanted;   /* atomic: it waits for an answer that there is no memory for */
  struct peer_credit* former; /* of the incarnation before, or NULL */
} peer_credit;

static peer_credit** credits;  /* atomic, as are its entries: by rank; NULL: nothing is limited */
static int64_t limit_of_peers; /* of every peer, here */
static int tasks;              /* how many there are */

static int any_fail_wanted; /* atomic: of the credits */
static const char NO_ANSWER[] = "no memory to answer it";

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static queued* buckets[BUCKETS]; /* under lock, by key */
static int64_t n_queued;         /* atomic; written under lock */
static int64_t n_deferred;       /* atomic: values that have been queued so far */

/* ---- Credit */

/* Sender and receiver compute it, and must agree. */
static int64_t cost_of(int64_t bytes) {
  return bytes + OVERHEAD_BYTES;
}

static peer_credit* credit_of(int peer) {
  peer_credit** all = __atomic_load_n(&credits, __ATOMIC_ACQUIRE);
  if (!all || peer == tfc_rank_here() || peer < 0 || peer >= tasks) return NULL;
  return __atomic_load_n(&all[peer], __ATOMIC_ACQUIRE);
}

static bool take_credit(peer_credit* c, int64_t cost) {
  if (!c || __atomic_add_fetch(&c->in_use, cost, __ATOMIC_RELAXED) <= c->limit) return true;
  __atomic_sub_fetch(&c->in_use, cost, __ATOMIC_RELAXED);
  return false;
}

/* Credit goes back in batches, as each takes a message. Less than a batch may never go back. */
static void discharge(const tfc_charge* charge) {
  peer_credit* c = credit_of(charge->peer);
  if (!c || c->incarnation != charge->incarnation) return;
  int64_t sum = __atomic_add_fetch(&c->to_return, charge->bytes, __ATOMIC_RELAXED);
  if (sum < limit_of_peers / 4) return;
  sum = __atomic_exchange_n(&c->to_return, 0, __ATOMIC_RELAXED);
  tfc_message m = {.kind = TFC_MSG_CREDIT, .edge = (uint64_t)sum};
  if (sum && tfc_send_to(charge->peer, c->incarnation, &m, NULL) == TFC_RESOURCE_EXHAUSTED)
    __atomic_add_fetch(&c->to_return, sum, __ATOMIC_RELAXED); /* with the next value */
}

static void on_credit(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  peer_credit* c = credit_of(m->source);
  if (!c || c->incarnation != m->source_incarnation) return;
  int64_t in_use = __atomic_load_n(&c->in_use, __ATOMIC_RELAXED);
  if (m->edge > (uint64_t)(in_use > 0 ? in_use : 0)) {
    tfc_fail(m->source, "it sent a malformed message (more credit than it got values)");
  } else {
    __atomic_sub_fetch(&c->in_use, (int64_t)m->edge, __ATOMIC_RELAXED);
  }
}

/* ---- Sending */

/* Why a value can't be sent. */
static void explain(int peer, int code, char* message, size_t size) {
  if (code == tfc_failure_code()) {
    tfc_say_unavailable(peer, TFC_UNREACHABLE, message, size);
  } else {
    snprintf(message, size, "OOM when sending a tensor");
  }
}

static tfc_message message_of(int kind, const tfc_key* key) {
  return (tfc_message){.kind = (uint16_t)kind,
                       .step = key->step,
                       .edge = key->edge,
                       .frame = key->frame,
                       .iteration = key->iteration};
}

static tfc_key key_of(const tfc_message* m) {
  return (tfc_key){m->step, m->edge, m->frame, m->iteration};
}

static int transmit(int peer, uint32_t incarnation, const tfc_key* key, const tfc_tensor* value,
                    int flags, char* message, size_t size) {
  tfc_message m = message_of(TFC_MSG_TENSOR, key);
  m.flags = (uint16_t)flags;
  int code = tfc_send_to(peer, incarnation, &m, value);
  if (code) explain(peer, code, message, size);
  return code;
}

static int try_send(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, bool* full,
                    char* message, size_t size) {
  *full = false;
  if (dead) return transmit(peer, tfc_incarnation_of(peer), key, NULL, TFC_MSG_DEAD, message, size);
  peer_credit* c = credit_of(peer);
  int64_t cost = c ? cost_of(tfc_transit_bytes(value)) : 0;
  *full = !take_credit(c, cost);
  if (*full) return TFC_OK;
  uint32_t incarnation = c ? c->incarnation : tfc_incarnation_of(peer);
  int code = transmit(peer, incarnation, key, value, 0, message, size);
  if (code && c) __atomic_sub_fetch(&c->in_use, cost, __ATOMIC_RELAXED);
  return code;
}

/* ---- Values that wait here */

static queued** bucket_of(const tfc_key* key) {
  return &buckets[(tfc_hash_edge(key) + (uint64_t)key->step) % BUCKETS];
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
  while (q && !(q->peer == peer && tfc_same_key(&q->key, key))) q = q->next;
  if (q) unlink_queued(q);
  pthread_mutex_unlock(&lock);
  return q;
}

/* code != 0: the value that was cleared will not come. */
static int send_request(int peer, const tfc_key* key, int64_t bytes, int code) {
  tfc_message m = message_of(TFC_MSG_REQUEST_TO_SEND, key);
  m.code = code;
  tfc_tensor size = {.data = &bytes, .dtype = TFC_INT64, .n = 1};
  return tfc_send(peer, &m, &size);
}

static int send_later(int peer, const tfc_key* key, const tfc_tensor* value, tfc_send_waiter* w,
                      char* message, size_t size) {
  queued* q = malloc(sizeof *q);
  if (!q) {
    explain(peer, TFC_RESOURCE_EXHAUSTED, message, size);
    return TFC_RESOURCE_EXHAUSTED;
  }
  *q = (queued){.key = *key, .peer = peer, .value = *value, .waiter = w};
  if (q->value.buffer) tfc_buffer_ref(q->value.buffer);
  int64_t bytes = tfc_transit_bytes(value);
  __atomic_add_fetch(&n_deferred, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&lock);
  link_queued(q);
  pthread_mutex_unlock(&lock);
  int code = send_request(peer, key, bytes, TFC_OK);
  if (!code) return TFC_OK;
  q = take_queued(peer, key);
  if (!q) return TFC_OK; /* its step or the peer has ended meanwhile, and `w` was told */
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

static void on_clear_to_send(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  tfc_key key = key_of(m);
  queued* q = take_queued(m->source, &key);
  if (!q) { /* its step has failed here */
    if (!m->code) send_request(m->source, &key, 0, TFC_CANCELLED);
    return;
  }
  /* A value that nobody wants has been sent well: its step is over at the receiver, which tells the
   * master why. */
  char message[1024] = "";
  int code = m->code ? TFC_OK
                     : transmit(m->source, m->source_incarnation, &key, &q->value, TFC_MSG_CLEARED,
                                message, sizeof message);
  finish(q, code, message);
  if (code != TFC_RESOURCE_EXHAUSTED) return;
  if (send_request(m->source, &key, 0, code)) tfc_fail(m->source, NO_ANSWER);
  tfc_rendezvous_abort_step(key.step, code, message);
}

/* ---- Receiving */

typedef struct offered {
  tfc_offer offer; /* must be first */
  int peer;
  int64_t bytes;
} offered;

/* A caller that frees memory may hold locks that the failure of a peer takes: without memory
 * for an answer the peer fails a little later, by `tick`. */
static void send_answer(int peer, const tfc_key* key, bool wanted) {
  tfc_message m = message_of(TFC_MSG_CLEAR_TO_SEND, key);
  m.code = wanted ? TFC_OK : TFC_CANCELLED;
  if (tfc_send(peer, &m, NULL) != TFC_RESOURCE_EXHAUSTED) return;
  peer_credit* c = credit_of(peer);
  if (c) __atomic_store_n(&c->fail_wanted, 1, __ATOMIC_RELAXED);
  __atomic_store_n(&any_fail_wanted, 1, __ATOMIC_RELEASE);
}

static void offer_answered(tfc_offer* offer, bool wanted) {
  offered* o = (offered*)offer;
  int64_t step = offer->key.step;
  if (!wanted) {
    send_answer(o->peer, &offer->key, false);
  } else if (!tfc_budget_request(o->peer, &offer->key, o->bytes)) {
    send_answer(o->peer, &offer->key, false);
    tfc_rendezvous_abort_step(step, TFC_RESOURCE_EXHAUSTED, "OOM when receiving a tensor");
  } else if (!tfc_rendezvous_has_step(step)) {
    tfc_budget_end_step(step); /* step_over may have come before the request */
  }
  free(o);
}

static bool is_masterless(int64_t step) {
  int master = tfc_step_rank(step);
  if (master == tfc_rank_here()) return false;
  return !tfc_is_alive(master) || tfc_generation_of(master) != tfc_step_generation(step);
}

/* on_failure (remote.c) aborts the steps of a master that has failed, but only those that have
 * values or waiters then. */
static void end_if_masterless(int64_t step) {
  if (is_masterless(step))
    tfc_rendezvous_abort_step(step, TFC_CANCELLED, "The master of the step has failed.");
}

static void on_request_to_send(const tfc_message* m, tfc_tensor* payload) {
  int64_t bytes = -1;
  if (payload->dtype == TFC_INT64 && payload->n == 1) bytes = *(const int64_t*)payload->data;
  bool lost = m->flags & TFC_MSG_LOST;
  tfc_tensor_clear(payload);
  if (!lost && (bytes < 0 || bytes > MAX_BYTES)) {
    tfc_fail(m->source, "it sent a malformed message (a request without a size)");
    return;
  }
  tfc_key key = key_of(m);
  offered* o = m->code || lost ? NULL : malloc(sizeof *o);
  if (o) {
    *o = (offered){{offer_answered, key}, m->source, cost_of(bytes)};
    tfc_rendezvous_offer(&o->offer);
    end_if_masterless(m->step);
    return;
  }
  if (!m->code) send_answer(m->source, &key, false);
  tfc_rendezvous_abort_step(key.step, m->code ? m->code : TFC_RESOURCE_EXHAUSTED,
                            m->code ? "A tensor was not sent." : "OOM when receiving a tensor");
}

static void on_tensor(const tfc_message* m, tfc_tensor* payload) {
  tfc_key key = key_of(m);
  bool cleared = m->flags & TFC_MSG_CLEARED;
  bool free_of_charge = cleared || m->flags & TFC_MSG_DEAD || !credit_of(m->source);
  tfc_charge charge = {m->source, m->source_incarnation, free_of_charge ? 0 : cost_of(m->bytes)};
  if (m->flags & TFC_MSG_LOST) {
    tfc_rendezvous_abort_step(m->step, TFC_RESOURCE_EXHAUSTED, "OOM when receiving a tensor");
    if (charge.bytes) discharge(&charge);
    return;
  }
  if (cleared) tfc_budget_arrived(m->source, &key, payload);
  tfc_rendezvous_put(&key, payload, m->flags & TFC_MSG_DEAD, &charge);
  end_if_masterless(m->step);
}

/* ---- The end of steps and peers */

/* Finishes the values for a peer (>= 0), or those of a step. A value that is queued at the same
 * time may be missed: its request is then refused, or finds the peer gone. */
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

/* What a step that has ended well has queued still goes out: its receiver runs on. */
static void step_over(int64_t step, int code, const char* message) {
  if (code) finish_all(-1, step, code, message);
  tfc_budget_end_step(step);
}

void tfc_values_end_peer(int peer, int code, const char* message) {
  finish_all(peer, 0, code, message);
  tfc_budget_end_peer(peer);
}

/* ---- Setting up */

static void fail_unanswered(void) {
  peer_credit** all = __atomic_load_n(&credits, __ATOMIC_ACQUIRE);
  if (!__atomic_exchange_n(&any_fail_wanted, 0, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; all && i < tfc_size_here(); i++) {
    peer_credit* c = __atomic_load_n(&all[i], __ATOMIC_ACQUIRE);
    if (__atomic_exchange_n(&c->fail_wanted, 0, __ATOMIC_RELAXED))
      tfc_fail_incarnation(i, c->incarnation, NO_ANSWER);
  }
}

static void tick(void* unused) {
  (void)unused;
  fail_unanswered();
  tfc_budget_tick();
}

/* The thread of the heartbeat must neither wait for MPI nor for Python. */
static void on_beat(void) {
  tfc_steps_tick();
  if (tfc_budget_has_waiting() || __atomic_load_n(&any_fail_wanted, __ATOMIC_RELAXED))
    tfc_defer(tick, NULL, false); /* without a thread for it: at the next beat */
}

static bool is_computing(void) {
  return tfc_pool_computing() > 0;
}

/* Half of a budget is credit, shared equally by the other tasks. */
static int64_t credit_in(int64_t budget, int n_tasks) {
  return n_tasks > 1 ? budget / 2 / (n_tasks - 1) : 0;
}

static peer_credit* new_credit(uint32_t incarnation, int64_t budget) {
  peer_credit* c = calloc(1, sizeof *c);
  if (c) *c = (peer_credit){.incarnation = incarnation, .limit = credit_in(budget, tasks)};
  return c;
}

bool tfc_values_open(const int64_t* budgets, const uint32_t* incarnations, int n_tasks,
                     int own_rank) {
  peer_credit** all = calloc((size_t)n_tasks, sizeof *all);
  tasks = n_tasks;
  for (int i = 0; all && i < n_tasks; i++)
    if (!(all[i] = new_credit(incarnations[i], budgets[i]))) return false;
  if (!all) return false;
  limit_of_peers = credit_in(budgets[own_rank], n_tasks);
  tfc_budget_callbacks user = {
      .answer = send_answer, .now = tfc_now_ns, .is_computing = is_computing};
  tfc_budget_open(&user, budgets[own_rank] / 2);
  __atomic_store_n(&credits, all, __ATOMIC_RELEASE);
  tfc_on_beat(on_beat);
  return true;
}

bool tfc_values_admit(int peer, uint32_t incarnation, int64_t budget) {
  peer_credit** all = __atomic_load_n(&credits, __ATOMIC_ACQUIRE);
  peer_credit* c = all ? new_credit(incarnation, budget) : NULL;
  if (c) {
    c->former = all[peer];
    __atomic_store_n(&all[peer], c, __ATOMIC_RELEASE);
  }
  return c || !all;
}

int64_t tfc_values_queued(void) {
  return __atomic_load_n(&n_queued, __ATOMIC_RELAXED);
}

int64_t tfc_values_deferred(void) {
  return __atomic_load_n(&n_deferred, __ATOMIC_RELAXED);
}

/* What the parent had queued stays allocated, unused. */
void tfc_values_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  memset(buckets, 0, sizeof buckets);
  n_queued = 0;
  credits = NULL;
  any_fail_wanted = 0;
  tfc_budget_after_fork();
}

void tfc_values_install(void) {
  tfc_between_tasks.try_send = try_send;
  tfc_between_tasks.send_later = send_later;
  tfc_between_tasks.withdraw = withdraw;
  tfc_between_tasks.discharge = discharge;
  tfc_between_tasks.step_over = step_over;
  tfc_on_message(TFC_MSG_TENSOR, on_tensor);
  tfc_on_message(TFC_MSG_REQUEST_TO_SEND, on_request_to_send);
  tfc_on_message(TFC_MSG_CLEAR_TO_SEND, on_clear_to_send);
  tfc_on_message(TFC_MSG_CREDIT, on_credit);
}
