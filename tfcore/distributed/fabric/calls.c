/* Calls of a peer's Python functions (CALL) and their answers (REPLY). Python threads take
 * requests, and notices of failures, from a queue. An answer goes to the call that waits for it. */
#define _GNU_SOURCE
#include "fabric/calls.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fabric/service.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work;
static tfc_call* calls; /* under lock: those that wait for an answer */
static uint32_t last_id;
static tfc_request *first, *last;
static int idle, busy; /* under lock: threads that wait for a request, and that serve one */

/* How long the last idle thread leaves a request to the busy ones: mostly they are done by then,
 * and a hundred calls at once need a few threads. If not, they may wait for what this call does. */
enum { PATIENCE_NS = 20000000 };

static void finish(tfc_call* c, int code) {
  c->code = code;
  tfc_set_word(&c->done);
}

/* With the lock: removes the call from the list. */
static bool forget(tfc_call* c) {
  for (tfc_call** link = &calls; *link; link = &(*link)->next)
    if (*link == c) {
      *link = c->next;
      return true;
    }
  return false;
}

/* The caller may free the call once it is finished, but takes the lock first. */
static void on_reply(const tfc_message* m, tfc_tensor* payload) {
  pthread_mutex_lock(&lock);
  tfc_call* c = calls;
  while (c && (c->id != m->edge || c->peer != m->source)) c = c->next;
  if (c) {
    forget(c);
    c->reply = *payload;
    payload->buffer = NULL;
    finish(c, m->flags & TFC_MSG_LOST ? TFC_RESOURCE_EXHAUSTED : m->code);
  }
  pthread_mutex_unlock(&lock);
  tfc_tensor_clear(payload); /* nobody waits for it any more */
}

static void end_calls(int peer, uint32_t incarnation) {
  pthread_mutex_lock(&lock);
  for (tfc_call *c = calls, *next; c; c = next) {
    next = c->next;
    if (c->peer != peer || c->incarnation != incarnation) continue;
    forget(c);
    finish(c, tfc_failure_code());
  }
  pthread_mutex_unlock(&lock);
}

static void add_request(tfc_request* r) {
  pthread_mutex_lock(&lock);
  *(first ? &last->next : &first) = r;
  last = r;
  pthread_cond_signal(&work);
  pthread_mutex_unlock(&lock);
}

static void on_failure(int peer) {
  uint32_t incarnation = tfc_incarnation_of(peer);
  end_calls(peer, incarnation);
  tfc_request* r = calloc(1, sizeof *r);
  if (!r) return; /* Python code finds out when it next sends */
  r->source = peer;
  r->incarnation = incarnation;
  r->failed = true;
  add_request(r);
}

static void on_call(const tfc_message* m, tfc_tensor* payload) {
  tfc_request* r = calloc(1, sizeof *r);
  if (!r || m->flags & TFC_MSG_LOST) {
    tfc_message reply = {.kind = TFC_MSG_REPLY, .edge = m->edge, .code = TFC_RESOURCE_EXHAUSTED};
    tfc_answer(m->source, m->source_incarnation, &reply, NULL);
    tfc_tensor_clear(payload);
    free(r);
    return;
  }
  r->source = m->source;
  r->incarnation = m->source_incarnation;
  r->id = m->edge;
  r->payload = *payload;
  add_request(r);
}

static void make_condition(void) {
  pthread_condattr_t monotonic;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&work, &monotonic);
  pthread_condattr_destroy(&monotonic);
}

/* Requests to an earlier fabric. */
static void drop_requests(void) {
  pthread_mutex_lock(&lock);
  tfc_request* r = first;
  first = NULL;
  pthread_mutex_unlock(&lock);
  while (r) {
    tfc_request* next = r->next;
    tfc_tensor_clear(&r->payload);
    free(r);
    r = next;
  }
}

/* Calls by the parent's threads, and requests to it, don't concern the child. */
void tfc_calls_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  make_condition();
  calls = NULL;
  first = last = NULL;
  idle = busy = 0;
}

void tfc_calls_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, make_condition);
  drop_requests();
  tfc_on_message(TFC_MSG_CALL, on_call);
  tfc_on_message(TFC_MSG_REPLY, on_reply);
  tfc_on_failure(on_failure);
}

void tfc_call_begin(tfc_call* c, int peer, uint32_t incarnation) {
  tfc_peer* p = tfc_peer_of(peer);
  memset(c, 0, sizeof *c);
  c->peer = peer;
  c->incarnation = incarnation || !p ? incarnation : p->incarnation;
  pthread_mutex_lock(&lock);
  c->id = (uint64_t)tfc_here.incarnation << 32 | ++last_id;
  c->next = calls;
  calls = c;
  pthread_mutex_unlock(&lock);
  /* The process may have failed before the call was in the list. */
  p = tfc_peer_of(peer);
  if (!p || p->incarnation != c->incarnation || tfc_peer_state_of(p) != TFC_PEER_ALIVE)
    end_calls(peer, c->incarnation);
}

void tfc_call_end(tfc_call* c) {
  pthread_mutex_lock(&lock);
  forget(c);
  pthread_mutex_unlock(&lock);
}

/* With the lock: until there is a request (or none, any more), the time is over, or the fabric
 * closed. */
static void wait_for_request(bool wanted, int64_t ns) {
  int64_t until = tfc_now_monotonic() + ns;
  struct timespec t = {until / 1000000000, until % 1000000000};
  int late = 0;
  while ((first != NULL) != wanted && !late && tfc_running())
    late = pthread_cond_timedwait(&work, &lock, &t);
}

bool tfc_request_take(tfc_request* out, int64_t ns, bool was_busy, bool* alone) {
  pthread_mutex_lock(&lock);
  busy -= was_busy;
  idle++;
  wait_for_request(true, ns);
  if (first && !was_busy && idle == 1 && busy) wait_for_request(false, PATIENCE_NS);
  tfc_request* r = tfc_running() ? first : NULL;
  if (r) first = r->next;
  idle--;
  busy += r != NULL;
  *alone = idle == 0;
  pthread_mutex_unlock(&lock);
  if (r) *out = *r;
  free(r);
  return r != NULL;
}

void tfc_requests_wake(void) {
  pthread_mutex_lock(&lock);
  pthread_cond_broadcast(&work);
  pthread_mutex_unlock(&lock);
}
