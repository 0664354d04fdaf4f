/* Matches the runs of the ranks: channels, instances and their messages; how instances end.
 *
 * One lock protects all of it. It is never held while computing, sending or resuming: a thread that
 * does so increments the instance's `busy`, and an instance ends only when `busy` is 0. tfc_claim
 * (kernel.h) decides which thread resumes the kernel: the thread that finds the instance over
 * claims it under the lock; if a cancellation came first, the instance lives on until `cancel` is
 * called.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collective.h"
#include "collective_instance.h"

enum { BUCKETS = 1024, TEXT = 1024 };
enum { ATTEMPT_SHIFT = 40 }; /* a run's count has the number of the attempt above these bits */
static const char EQUAL_ADVICE[] =
    ". These values have to be the same on all ranks: run broadcast_variables() after the "
    "initializer or a restored checkpoint, and give all ranks the same learning rate";

tfc_collectives tfc_coll = {.lock = PTHREAD_MUTEX_INITIALIZER};
static tfc_channel* buckets[BUCKETS]; /* channels live as long as the process */

static void lock(void) {
  pthread_mutex_lock(&tfc_coll.lock);
}
static void unlock(void) {
  pthread_mutex_unlock(&tfc_coll.lock);
}

/* ---- Channels */

static uint64_t id_of(const char* key) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *key; key++) hash = (hash ^ (unsigned char)*key) * 0x100000001b3u;
  return hash;
}

/* With the lock; NULL: no memory. */
static tfc_channel* channel_of(uint64_t id) {
  tfc_channel** bucket = &buckets[id % BUCKETS];
  for (tfc_channel* ch = *bucket; ch; ch = ch->next)
    if (ch->id == id) return ch;
  tfc_channel* ch = calloc(1, sizeof *ch);
  if (!ch) return NULL;
  ch->id = id;
  ch->next = *bucket;
  return *bucket = ch;
}

static tfc_instance* find(tfc_channel* ch, int64_t count) {
  for (tfc_instance* x = ch->instances; x; x = x->next)
    if (x->count == count) return x;
  return NULL;
}

static void link_instance(tfc_channel* ch, tfc_instance* x, int64_t count) {
  x->channel = ch;
  x->count = count;
  x->last_early = &x->early;
  x->next = ch->instances;
  ch->instances = x;
}

static void unlink_instance(tfc_instance* x) {
  tfc_instance** link = &x->channel->instances;
  while (*link != x) link = &(*link)->next;
  *link = x->next;
}

/* Removes the messages that arrived before this rank's run; with the lock. */
static tfc_instance* take_early(tfc_channel* ch, int64_t count) {
  tfc_instance* early = find(ch, count);
  if (early) unlink_instance(early);
  return early;
}

/* For messages: which run of its attempt it is. */
static long long run_number(int64_t count) {
  return count & (((int64_t)1 << ATTEMPT_SHIFT) - 1);
}

/* ---- Sending */

static void send_or_fail(tfc_instance* x, int to, tfc_message* m, const tfc_tensor* payload) {
  int code = tfc_coll.fabric->send(x->c->ranks[to], m, payload);
  if (code == TFC_OK || code == tfc_coll.fabric->failure_code())
    return; /* peer_failed handles failed peers */
  lock();
  x->tells = true;
  tfc_instance_fail(x, code, "a message to another rank of the collective could not be sent");
  unlock();
}

void tfc_instance_send(tfc_instance* x, int to, int says, int block, const void* data,
                       tfc_buffer* buffer, int64_t n) {
  tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                   .flags = (uint16_t)says,
                   .step = x->count,
                   .edge = x->channel->id,
                   .frame = x->hash,
                   .iteration = block};
  tfc_tensor t = {
      .data = (void*)data, .buffer = buffer, .n = n, .dtype = x->dtype, .rank = 1, .dims = {n}};
  send_or_fail(x, to, &m, data ? &t : NULL);
}

/* Sends a text to all other ranks of the group; `code` is that of an abort. */
static void send_text(const tfc_collective* c, int64_t count, uint64_t hash, int says, int code,
                      const char* text) {
  int64_t n = (int64_t)strlen(text);
  tfc_tensor t = {.dtype = TFC_UINT8};
  bool has_text = n && tfc_coll.rt->tensor_new(&t, 1, &n);
  if (has_text) memcpy(t.data, text, (size_t)n);
  for (int p = 0; p < c->n; p++) {
    tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                     .flags = (uint16_t)says,
                     .code = code,
                     .step = count,
                     .edge = c->channel->id,
                     .frame = hash};
    if (p != c->me) tfc_coll.fabric->send(c->ranks[p], &m, has_text ? &t : NULL);
  }
  tfc_tensor_clear(&t);
}

/* Sends this rank's inputs: blocks to their owners, parts to all; to everyone at least SAYS_HELLO.
 */
static void send_all(tfc_instance* x) {
  const tfc_collective* c = x->c;
  bool told[c->n];
  memset(told, 0, sizeof told);
  for (int i = 0; i < x->n_blocks; i++) {
    const tfc_block* b = &x->blocks[i];
    for (int p = 0; p < c->n; p++) {
      if (p == c->me || (b->owner != EVERYONE && b->owner != p)) continue;
      tfc_instance_send(x, p, SAYS_INPUT, i, b->in, b->in_buffer, b->n);
      told[p] = true;
    }
  }
  bool whole = x->parts && x->n_parts;
  for (int p = 0; p < c->n; p++) {
    if (p == c->me || told[p]) continue;
    if (!whole) {
      tfc_instance_send(x, p, SAYS_HELLO, 0, NULL, NULL, 0);
      continue;
    }
    tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                     .flags = SAYS_PART,
                     .step = x->count,
                     .edge = x->channel->id,
                     .frame = x->hash};
    send_or_fail(x, p, &m, &x->parts[c->me]);
  }
}

/* ---- How an instance ends */

static bool is_complete(const tfc_instance* x) {
  if (x->n_heard < x->c->n - 1 || x->remaining) return false;
  if (x->c->kind == TFC_COLLECTIVE_GATHER) return x->prepared;
  if (x->c->kind == TFC_COLLECTIVE_BROADCAST) return x->n_parts == 1;
  return true;
}

bool tfc_instance_over(tfc_instance* x) {
  if (x->busy || !(x->cancelled || x->code || is_complete(x))) return false;
  if (!x->cancelled) {
    if (!tfc_claim(tfc_coll.api, x->async)) return false; /* `cancel` will be called */
    x->claimed = true;
  }
  unlink_instance(x);
  return true;
}

void tfc_instance_fail(tfc_instance* x, int code, const char* message) {
  if (x->code || x->cancelled) return;
  x->code = code;
  x->message = strdup(message);
}

/* Writes why this rank's step ended early, for the other ranks. */
static void explain(const tfc_collective* c, int64_t count, const tfc_step* step, char* text,
                    size_t size) {
  int code = __atomic_load_n(&step->code, __ATOMIC_ACQUIRE);
  const char* message = code ? __atomic_load_n(&step->message, __ATOMIC_ACQUIRE) : NULL;
  bool failed = message && *message;
  char me[256];
  tfc_coll.fabric->describe(tfc_coll.fabric->rank(), me, sizeof me);
  snprintf(text, size, "The collective '%s' (run %lld) ended early: the step of %s %s%s", c->key,
           run_number(count), me, failed ? "failed: " : "was cancelled", failed ? message : "");
}

void tfc_instance_end(tfc_instance* x) {
  int code = x->cancelled ? TFC_CANCELLED : x->code;
  if (x->cancelled) {
    char text[TEXT];
    explain(x->c, x->count, ((tfc_node_context*)x->ctx)->step, text, sizeof text);
    send_text(x->c, x->count, x->hash, SAYS_ABORT, TFC_ABORTED, text);
  } else if (code) {
    const char* message = x->message ? x->message : "out of memory";
    if (x->tells) send_text(x->c, x->count, x->hash, SAYS_ABORT, code, message);
    tfc_error(x->ctx, code, "%s", message);
  } else if (x->c->kind == TFC_COLLECTIVE_BROADCAST) {
    tfc_tensor value = x->parts[x->c->root];
    code = tfc_output_tensor(x->ctx, 0, &value);
  } else {
    tfc_instance_unpack(x);
  }
  tfc_async* async = x->async;
  tfc_instance_free(x);
  tfc_resume(tfc_coll.api, async, code);
}

/* Called when the step is cancelled: resuming the kernel is up to us. */
static void cancel(void* p) {
  tfc_instance* x = p;
  lock();
  x->cancelled = true;
  bool over = tfc_instance_over(x);
  unlock();
  if (over) tfc_instance_end(x);
}

/* ---- Messages */

enum { MUST_DESCRIBE = 1, MUST_START = 2, MUST_PREPARE = 4, MUST_WORK = 8 };

static int index_of(const tfc_collective* c, int rank) {
  for (int p = 0; p < c->n; p++)
    if (c->ranks[p] == rank) return p;
  return -1;
}

static int offer(tfc_instance* x, int block) {
  bool start = tfc_work_add(x, block);
  return x->inline_work ? MUST_WORK : start ? MUST_START : 0;
}

/* Whether the payload has the expected type and size. */
static bool fits(const tfc_instance* x, const tfc_tensor* t, int64_t n) {
  return t->dtype == x->dtype && t->n == n && (t->data || n == 0);
}

static int receive_input(tfc_instance* x, int p, int64_t i, tfc_tensor* payload) {
  if (i < 0 || i >= x->n_blocks) return 0;
  tfc_block* b = &x->blocks[i];
  bool mine = b->owner == EVERYONE || b->owner == x->c->me;
  if (!mine || p >= b->n_from || b->from[p].buffer || !fits(x, payload, b->n)) return 0;
  b->from[p] = *payload;
  payload->buffer = NULL;
  return ++b->arrived == x->c->n - 1 ? offer(x, (int)i) : 0;
}

static int receive_result(tfc_instance* x, int p, int64_t i, tfc_tensor* payload) {
  if (i < 0 || i >= x->n_blocks) return 0;
  tfc_block* b = &x->blocks[i];
  if (b->owner != p || b->n_from != 1 || b->arrived || !fits(x, payload, b->n)) return 0;
  b->from[0] = *payload;
  payload->buffer = NULL;
  b->arrived = 1;
  return offer(x, (int)i);
}

/* In a gather, shapes may differ only in the number of rows. */
static bool has_rows_like(const tfc_tensor* t, const tfc_tensor* in) {
  if (t->rank != in->rank) return false;
  for (int d = 1; d < t->rank; d++)
    if (t->dims[d] != in->dims[d]) return false;
  return true;
}

static int receive_part(tfc_instance* x, int p, tfc_tensor* payload) {
  bool gathers = x->c->kind == TFC_COLLECTIVE_GATHER;
  bool expected = gathers ? has_rows_like(payload, x->ctx->inputs[0]) : p == x->c->root;
  if (!x->parts || !expected || x->heard[p] || payload->dtype != x->dtype) return 0;
  x->parts[p] = *payload;
  payload->buffer = NULL;
  bool all = ++x->n_parts == x->c->n;
  return all && gathers ? MUST_PREPARE : 0;
}

static int disagree(tfc_instance* x) {
  if (x->described) return 0;
  x->described = true;
  return MUST_DESCRIBE;
}

static int length_of(const tfc_tensor* text) {
  bool is_text = text->dtype == TFC_UINT8 && text->data;
  return !is_text ? 0 : text->n < INT32_MAX ? (int)text->n : INT32_MAX;
}

/* The first line in which two descriptions differ. */
static void first_difference(const char** a, int* a_length, const char** b, int* b_length) {
  for (;;) {
    int n = (int)strcspn(*a, "\n"), m = (int)strcspn(*b, "\n");
    bool same = n == m && memcmp(*a, *b, (size_t)n) == 0;
    if (!same || !(*a)[n] || !(*b)[m]) {
      *a_length = n;
      *b_length = m;
      return;
    }
    *a += n + 1;
    *b += m + 1;
  }
}

/* Another rank has described its side, and it differs from ours. */
static int receive_description(tfc_instance* x, int source, const tfc_tensor* payload) {
  char me[256], peer[256], message[TEXT];
  char* here = tfc_instance_describe(x);
  char* there = strndup(payload->data ? payload->data : "", (size_t)length_of(payload));
  const char *a = here ? here : "", *b = there ? there : "";
  int a_length = 0, b_length = 0;
  first_difference(&a, &a_length, &b, &b_length);
  tfc_coll.fabric->describe(tfc_coll.fabric->rank(), me, sizeof me);
  tfc_coll.fabric->describe(source, peer, sizeof peer);
  snprintf(message, sizeof message,
           "Ranks disagree about the collective '%s' (run %lld): %s has %.*s, but %s has %.*s%s",
           x->c->key, run_number(x->count), me, a_length, a, peer, b_length, b,
           x->c->kind == TFC_COLLECTIVE_EQUAL ? EQUAL_ADVICE : "");
  tfc_instance_fail(x, TFC_INVALID_ARGUMENT, message);
  free(here);
  free(there);
  return disagree(x);
}

static void receive_abort(tfc_instance* x, int code, const tfc_tensor* payload) {
  char message[TEXT];
  snprintf(message, sizeof message, "%.*s", length_of(payload),
           payload->data ? (char*)payload->data : "");
  tfc_instance_fail(x, code ? code : TFC_ABORTED, message);
}

/* With the lock; returns what must be done without it. May take over the payload. */
static int receive(tfc_instance* x, const tfc_message* m, tfc_tensor* payload) {
  int says = m->flags & SAYS_MASK, p = index_of(x->c, m->source);
  if (x->code || x->cancelled) {
    bool differs = says != SAYS_ABORT && m->frame != x->hash;
    return differs ? disagree(x) : 0; /* the other rank must learn of it, too */
  }
  if (says == SAYS_ABORT) {
    receive_abort(x, m->code, payload);
    return 0;
  }
  if (m->frame != x->hash || p < 0) {
    if (says == SAYS_DESCRIPTION) return receive_description(x, m->source, payload);
    return disagree(x);
  }
  if (m->flags & TFC_MSG_LOST) {
    x->tells = true;
    tfc_instance_fail(x, TFC_RESOURCE_EXHAUSTED,
                      "a rank of the collective has no memory for what others send");
    return 0;
  }
  int must = 0;
  if (says == SAYS_INPUT) must = receive_input(x, p, m->iteration, payload);
  if (says == SAYS_RESULT) must = receive_result(x, p, m->iteration, payload);
  if (says == SAYS_PART) must = receive_part(x, p, payload);
  if (says != SAYS_DESCRIPTION && !x->heard[p]) {
    x->heard[p] = true;
    x->n_heard++;
  }
  return must;
}

static void prepare(tfc_instance* x) {
  int code = tfc_instance_prepare(x);
  bool start = false;
  lock();
  x->prepared = true;
  if (code) {
    x->tells = true;
    tfc_instance_fail(x, code, "a rank has no memory for the result");
  }
  for (int i = 0; i < x->n_blocks && !code; i++) start |= tfc_work_add(x, i);
  unlock();
  if (start) tfc_work_start();
  if (x->inline_work) tfc_work_inline(x);
}

/* Without the lock; the instance is busy. */
static void act(tfc_instance* x, int must) {
  if (must & MUST_DESCRIBE) {
    char* text = tfc_instance_describe(x);
    send_text(x->c, x->count, x->hash, SAYS_DESCRIPTION, 0, text ? text : "something else");
    free(text);
  }
  if (must & MUST_PREPARE) prepare(x);
  if (must & MUST_WORK) tfc_work_inline(x);
  if (must & MUST_START) tfc_work_start();
}

/* Ends what `busy++` began. */
static void let_go(tfc_instance* x) {
  lock();
  x->busy--;
  bool over = tfc_instance_over(x);
  unlock();
  if (over) tfc_instance_end(x);
}

/* With the lock. False: there is no memory. */
static bool keep_early(tfc_channel* ch, const tfc_message* m, tfc_tensor* payload) {
  tfc_instance* x = find(ch, m->step);
  tfc_early* e = malloc(sizeof *e);
  if (!x && (x = calloc(1, sizeof *x))) link_instance(ch, x, m->step);
  if (!x || !e) {
    free(e);
    return false;
  }
  *e = (tfc_early){.m = *m, .payload = *payload};
  payload->buffer = NULL;
  *x->last_early = e;
  x->last_early = &e->next;
  return true;
}

static void on_message(const tfc_message* m, tfc_tensor* payload) {
  int must = 0;
  bool over = false;
  lock();
  tfc_channel* ch = channel_of(m->edge);
  bool kept = ch != NULL;
  tfc_instance* x = ch ? find(ch, m->step) : NULL;
  if (x && x->local) {
    must = receive(x, m, payload);
    if (must)
      x->busy++;
    else
      over = tfc_instance_over(x);
  } else if (ch && (x || m->step > ch->started)) {
    kept = keep_early(ch, m, payload);
  } /* otherwise the run is over on this rank */
  unlock();
  tfc_tensor_clear(payload);
  if (!kept) tfc_coll.fabric->fail(m->source, "no memory for its messages");
  if (over) tfc_instance_end(x);
  if (!must) return;
  act(x, must);
  let_go(x);
}

/* ---- Peers that fail */

static bool waits_for(const tfc_instance* x, int p) {
  if (!x->heard[p]) return true;
  for (int i = 0; i < x->n_blocks; i++) {
    const tfc_block* b = &x->blocks[i];
    if (b->owner == p && b->n_from == 1 && !b->arrived) return true;
    bool mine = b->owner == EVERYONE || b->owner == x->c->me;
    if (mine && b->n_from == x->c->n && b->arrived < x->c->n - 1 && !b->from[p].buffer) return true;
  }
  return false;
}

/* With the lock. */
static void fail_for(tfc_instance* x, int peer) {
  int p = index_of(x->c, peer);
  if (p < 0 || p == x->c->me || x->code || !waits_for(x, p)) return;
  char who[256], message[TEXT];
  tfc_coll.fabric->describe(peer, who, sizeof who);
  snprintf(message, sizeof message, "The collective '%s' (run %lld) waited for %s", x->c->key,
           run_number(x->count), who);
  x->tells = true;
  tfc_instance_fail(x, tfc_coll.fabric->failure_code(), message);
}

/* Calls fn for all running instances, and ends those that have failed one after the other. */
static void end_some(void (*fn)(tfc_instance*, int), int arg) {
  tfc_instance* over;
  do {
    over = NULL;
    lock();
    for (int i = 0; i < BUCKETS && !over; i++)
      for (tfc_channel* ch = buckets[i]; ch && !over; ch = ch->next)
        for (tfc_instance* x = ch->instances; x && !over; x = x->next) {
          if (!x->local || x->claimed) continue;
          fn(x, arg);
          if (x->code && tfc_instance_over(x)) over = x;
        }
    unlock();
    if (over) tfc_instance_end(over);
  } while (over);
}

/* Fails the instances that wait for a peer that is gone. */
static void peer_failed(int peer) {
  end_some(fail_for, peer);
}

static void fail_poisoned(tfc_instance* x, int unused) {
  (void)unused;
  if (!x->channel->poison) return;
  x->tells = true;
  tfc_instance_fail(x, x->channel->poison, x->channel->poison_message);
}

bool tfc_collective_waits(const char* key) {
  bool waits = false;
  lock();
  tfc_channel* ch = channel_of(id_of(key));
  for (tfc_instance* x = ch ? ch->instances : NULL; x; x = x->next) waits |= x->local;
  unlock();
  return waits;
}

void tfc_collective_poison(const char* key, int code, const char* message) {
  lock();
  tfc_channel* ch = channel_of(id_of(key));
  if (ch) {
    ch->poison = code;
    free(ch->poison_message);
    ch->poison_message = strdup(message);
  }
  unlock();
}

void tfc_collective_end_poisoned(void) {
  end_some(fail_poisoned, 0);
}

void tfc_collective_begin_attempt(const char* key, int64_t number) {
  const int64_t started = number << ATTEMPT_SHIFT;
  tfc_instance* old = NULL;
  lock();
  tfc_channel* ch = channel_of(id_of(key));
  if (ch && ch->started < started) {
    ch->started = started;
    ch->poison = 0;
    for (tfc_instance *x = ch->instances, *next; x; x = next) {
      next = x->next;
      if (x->ctx || x->count > started)
        continue; /* only messages that came early have no context */
      unlink_instance(x);
      x->next = old;
      old = x;
    }
  }
  unlock();
  while (old) {
    tfc_instance* x = old;
    old = x->next;
    tfc_instance_free(x);
  }
}

/* ---- The kernel */

/* A group of one rank: the outputs are the inputs. */
static int run_alone(tfc_collective* c, tfc_context* ctx) {
  if (c->kind == TFC_COLLECTIVE_GATHER) {
    const tfc_tensor* in = ctx->inputs[0];
    int64_t one = 1;
    int code = tfc_output(ctx, 1, 1, &one);
    if (code) return code;
    *(int64_t*)ctx->outputs[1].data = in->rank ? in->dims[0] : 1;
    return tfc_output_view(ctx, 0, 0, 0, in->rank ? in->rank : 1, in->rank ? in->dims : &one);
  }
  for (int i = 0; i < ctx->n_outputs; i++) {
    int code = tfc_output_input(ctx, i, i);
    if (code) return code;
  }
  return TFC_OK;
}

/* With the lock: starts a run and returns its number. */
static int64_t count_run(tfc_collective* c) {
  return ++c->channel->started;
}

/* Notes in the step that the collective of the context's node has started, for step_failed. */
static bool join_run(tfc_context* ctx) {
  const tfc_node_context* node = (const tfc_node_context*)ctx;
  tfc_step* step = node->step;
  pthread_mutex_lock(&step->lock);
  if (!step->joined) step->joined = calloc((size_t)node->plan->n_nodes / 64 + 1, sizeof(uint64_t));
  bool ok = step->joined;
  if (ok) step->joined[node->node / 64] |= (uint64_t)1 << node->node % 64;
  pthread_mutex_unlock(&step->lock);
  return ok;
}

/* Only when no kernel of the step is running. */
static bool has_joined(const tfc_step* step, int node) {
  return step->joined && step->joined[node / 64] >> node % 64 & 1;
}

/* Aborts a run in which this rank does not take part. */
static void give_up(tfc_collective* c, int64_t count, int code, const char* text) {
  lock();
  tfc_instance* early = take_early(c->channel, count);
  unlock();
  if (early) tfc_instance_free(early);
  send_text(c, count, 0, SAYS_ABORT, code, text);
}

/* Aborts the run that would begin now, because it failed with `code`. */
static int give_up_now(tfc_collective* c, tfc_context* ctx, int code) {
  char text[TEXT];
  lock();
  int64_t count = count_run(c);
  unlock();
  explain(c, count, ((tfc_node_context*)ctx)->step, text, sizeof text);
  give_up(c, count, code, text);
  return code;
}

/* Adds the instance to its channel; false if the step is already cancelled. */
static bool enter(tfc_instance* x) {
  lock();
  int64_t count = count_run(x->c);
  tfc_instance* early = take_early(x->c->channel, count);
  link_instance(x->c->channel, x, count);
  bool ok = tfc_on_cancel(tfc_coll.api, x->async, cancel, x);
  if (early && early->early) {
    x->early = early->early;
    x->last_early = early->last_early;
    early->early = NULL;
  }
  if (!ok) unlink_instance(x);
  unlock();
  if (early) tfc_instance_free(early);
  return ok;
}

/* Handles the messages that arrived before this rank's run; new ones queue up behind them until
 * `local` is set. */
static void replay(tfc_instance* x) {
  lock();
  while (x->early) {
    tfc_early* e = x->early;
    x->early = e->next;
    if (!x->early) x->last_early = &x->early;
    int must = receive(x, &e->m, &e->payload);
    unlock();
    tfc_tensor_clear(&e->payload);
    free(e);
    act(x, must);
    lock();
  }
  x->local = true;
  fail_poisoned(x, 0);
  for (int p = 0; p < x->c->n; p++)
    if (!tfc_coll.fabric->alive(x->c->ranks[p])) fail_for(x, x->c->ranks[p]);
  unlock();
}

static int begin(tfc_instance* x, tfc_context* ctx) {
  tfc_collective* c = x->c;
  x->async = tfc_suspend(ctx);
  if (!x->async) {
    tfc_instance_free(x);
    return give_up_now(c, ctx, TFC_RESOURCE_EXHAUSTED);
  }
  x->ctx = tfc_async_context(tfc_coll.api, x->async);
  x->busy = 1;
  if (!enter(x)) {
    x->cancelled = true;
    tfc_instance_end(x);
    return TFC_PENDING;
  }
  if (c->kind == TFC_COLLECTIVE_EQUAL && tfc_instance_digest(x)) {
    lock();
    x->tells = true;
    tfc_instance_fail(x, TFC_RESOURCE_EXHAUSTED, "a rank has no memory to compare values");
    unlock();
  }
  send_all(x);
  replay(x);
  let_go(x);
  return TFC_PENDING;
}

int tfc_collective_compute(tfc_context* ctx) {
  tfc_collective* c = ctx->state;
  if (c->n == 1 && c->me == 0) return run_alone(c, ctx);
  if (c->me < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "this process (rank %d) is not a member of the collective's group",
                     tfc_coll.fabric->rank());
  if (!join_run(ctx))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory for a collective");
  tfc_instance* x = calloc(1, sizeof *x);
  if (!x) {
    tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory for a collective");
    return give_up_now(c, ctx, TFC_RESOURCE_EXHAUSTED);
  }
  x->c = c;
  int code = tfc_instance_cut(x, ctx);
  if (!code) return begin(x, ctx);
  tfc_instance_free(x);
  return give_up_now(c, ctx, code);
}

/* ---- Steps that fail */

/* Aborts the collectives that a failed step did not reach, so that other ranks don't wait for
 * them. */
static void step_failed(const tfc_plan* plan, const tfc_step* step) {
  for (int i = 0; i < plan->n_nodes; i++) {
    if (plan->nodes[i].compute != tfc_collective_compute) continue;
    tfc_collective* c = plan->nodes[i].state;
    if (c->n < 2 || c->me < 0) continue;
    if (has_joined(step, i)) continue;
    lock();
    int64_t count = count_run(c);
    unlock();
    char text[TEXT];
    explain(c, count, step, text, sizeof text);
    give_up(c, count, TFC_ABORTED, text);
  }
}

/* ---- Setting up */

tfc_collective* tfc_collective_new(const char* key, const char* labels, int n, const int32_t* ranks,
                                   int me) {
  tfc_collective* c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->key = strdup(key);
  c->labels = labels ? strdup(labels) : NULL;
  c->ranks = malloc((size_t)n * sizeof *c->ranks);
  c->n = n;
  c->me = me;
  lock();
  c->channel = channel_of(id_of(key));
  unlock();
  if (!c->key || !c->ranks || !c->channel || (labels && !c->labels)) {
    tfc_collective_free(c);
    return NULL;
  }
  memcpy(c->ranks, ranks, (size_t)n * sizeof *ranks);
  return c;
}

/* The child forgets the parent's channels and instances, which stay allocated in whatever state,
 * and the lock, which a thread that it does not have may hold. So a fork need not wait for the
 * lock. */
void tfc_collective_after_fork(void) {
  pthread_mutex_init(&tfc_coll.lock, NULL);
  memset(buckets, 0, sizeof buckets);
  tfc_work_after_fork();
}

void tfc_collective_free(void* state) {
  tfc_collective* c = state;
  free(c->key);
  free(c->labels);
  free(c->ranks);
  free(c);
}

void tfc_collective_install(const tfc_runtime* runtime, const tfc_fabric* fabric) {
  tfc_coll.rt = runtime;
  tfc_coll.api = runtime->api();
  tfc_coll.fabric = fabric;
  fabric->on(TFC_MSG_COLLECTIVE, on_message);
  fabric->on_failure(peer_failed);
  runtime->steps->set_failure_hook(step_failed);
}
