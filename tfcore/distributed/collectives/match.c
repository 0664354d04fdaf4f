/* Matches the runs of the ranks: channels, instances and their messages; how instances end.
 *
 * One lock protects all of it. It is never held while computing, sending or resuming: a thread that
 * does so increments the instance's `busy`, and an instance ends only when `busy` is 0. tfc_claim
 * (kernel.h) decides which thread resumes the kernel: the thread that finds the instance over
 * claims it under the lock; if a cancellation came first, the instance lives on until `cancel` is
 * called.
 */
#define _GNU_SOURCE

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectives/collective.h"
#include "collectives/instance.h"

enum { BUCKETS = 1024 };
static const char OLD_EPOCH[] =
    "The collective was compiled before a task took its place again. The next run recompiles it";

pthread_mutex_t tfc_collectives_lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_channel* buckets[BUCKETS]; /* channels live as long as the process */
static int64_t epoch;                 /* under the lock */

static void lock(void) {
  pthread_mutex_lock(&tfc_collectives_lock);
}
static void unlock(void) {
  pthread_mutex_unlock(&tfc_collectives_lock);
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
  ch->started = epoch << TFC_ATTEMPT_BITS << TFC_RUN_BITS;
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

long long tfc_run_number(int64_t count) {
  return count & (((int64_t)1 << TFC_RUN_BITS) - 1);
}

/* ---- Sending */

static int64_t messages_sent; /* atomic */

int64_t tfc_collective_messages_sent(void) {
  return __atomic_load_n(&messages_sent, __ATOMIC_RELAXED);
}

static int send(int to, tfc_message* m, const tfc_tensor* payload) {
  __atomic_fetch_add(&messages_sent, 1, __ATOMIC_RELAXED);
  return tfc_send(to, m, payload);
}

static void send_or_fail(tfc_instance* x, int to, tfc_message* m, const tfc_tensor* payload) {
  int code = send(x->c->ranks[to], m, payload);
  if (code == TFC_OK || code == tfc_failure_code()) return; /* peer_failed handles failed peers */
  lock();
  tfc_instance_fail_all(x, code, "a message to another rank of the collective could not be sent");
  unlock();
}

void tfc_instance_send(tfc_instance* x, int to, int says, int block, const tfc_tensor* t) {
  tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                   .flags = (uint16_t)says,
                   .step = x->count,
                   .edge = x->channel->id,
                   .frame = x->hash,
                   .iteration = block};
  send_or_fail(x, to, &m, t && t->n ? t : NULL);
}

void tfc_instance_send_text(const tfc_collective* c, int64_t count, uint64_t hash, int says,
                            int code, const char* text) {
  int64_t n = (int64_t)strlen(text);
  tfc_tensor t = {.dtype = TFC_UINT8};
  bool has_text = n && tfc_tensor_new(&t, 1, &n);
  if (has_text) memcpy(t.data, text, (size_t)n);
  for (int p = 0; p < c->n; p++) {
    tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                     .flags = (uint16_t)says,
                     .code = code,
                     .step = count,
                     .edge = c->channel->id,
                     .frame = hash};
    if (p != c->me) send(c->ranks[p], &m, has_text ? &t : NULL);
  }
  tfc_tensor_clear(&t);
}

/* Sends a whole tensor to all others, also if it has no elements. */
static void send_part(tfc_instance* x) {
  for (int p = 0; p < x->c->n; p++) {
    tfc_message m = {.kind = TFC_MSG_COLLECTIVE,
                     .flags = SAYS_PART,
                     .step = x->count,
                     .edge = x->channel->id,
                     .frame = x->hash};
    if (p != x->c->me) send_or_fail(x, p, &m, &x->parts[x->c->me]);
  }
}

/* Sends what this rank need not combine first: tiny values to all, leaves to their parents. */
static void send_all(tfc_instance* x) {
  bool gathers = x->c->kind == TFC_COLLECTIVE_GATHER;
  for (int i = 0; i < x->n_blocks && !gathers; i++) {
    const tfc_block* b = &x->blocks[i];
    tfc_tensor value = tfc_block_tensor(x, b, b->in, b->in_buffer);
    if (b->tree.root == EVERYONE) {
      for (int p = 0; p < x->c->n; p++)
        if (p != x->c->me) tfc_instance_send(x, p, SAYS_INPUT, i, &value);
    } else if (!b->n_parts) {
      tfc_instance_send(x, b->parent, SAYS_INPUT, i, &value);
    }
  }
  if (x->parts && x->n_parts) send_part(x);
}

/* ---- How an instance ends */

static bool is_complete(const tfc_instance* x) {
  if (x->remaining) return false;
  if (x->c->kind == TFC_COLLECTIVE_GATHER) return x->prepared;
  if (x->c->kind == TFC_COLLECTIVE_BROADCAST) return x->n_parts == 1;
  return true;
}

bool tfc_instance_over(tfc_instance* x) {
  if (x->busy || !(x->cancelled || x->code || is_complete(x))) return false;
  if (!x->cancelled) {
    if (!tfc_claim_resume(x->async)) return false; /* `cancel` will be called */
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

void tfc_instance_fail_all(tfc_instance* x, int code, const char* message) {
  x->tells = true;
  tfc_instance_fail(x, code, message);
}

/* Tells the other ranks of a run why this rank's step ended early. If it failed in another
 * collective, because of a rank that was lost or has failed itself, they hear of that one. */
static void tell_end(const tfc_collective* c, int64_t count, uint64_t hash, int code,
                     const tfc_plan* plan, const tfc_step* step) {
  int why = __atomic_load_n(&step->code, __ATOMIC_ACQUIRE);
  const char* message = why ? __atomic_load_n(&step->message, __ATOMIC_ACQUIRE) : NULL;
  bool failed = message && *message;
  bool told = failed && (why == TFC_ABORTED || why == tfc_failure_code()) && step->node >= 0 &&
              step->node < plan->n_nodes &&
              plan->nodes[step->node].compute == tfc_collective_compute;
  char me[256], *text = NULL;
  tfc_name_task(tfc_rank_here(), me, sizeof me);
  int n = told ? asprintf(&text, "%s", message)
               : asprintf(&text, "The collective '%s' (run %lld) ended early: the step of %s %s%s",
                          c->key, tfc_run_number(count), me, failed ? "failed: " : "was cancelled",
                          failed ? message : "");
  tfc_instance_send_text(c, count, hash, SAYS_ABORT, code, n < 0 ? "out of memory" : text);
  if (n >= 0) free(text);
}

void tfc_instance_end(tfc_instance* x) {
  int code = x->cancelled ? TFC_CANCELLED : x->code;
  if (x->cancelled) {
    const tfc_node_context* node = (tfc_node_context*)x->ctx;
    tell_end(x->c, x->count, x->hash, TFC_ABORTED, node->plan, node->step);
  } else if (code) {
    const char* message = x->message ? x->message : "out of memory";
    if (x->tells) tfc_instance_send_text(x->c, x->count, x->hash, SAYS_ABORT, code, message);
    tfc_error(x->ctx, code, "%s", message);
  } else if (x->c->kind == TFC_COLLECTIVE_BROADCAST) {
    tfc_tensor value = x->parts[x->c->root];
    code = tfc_output_tensor(x->ctx, 0, &value);
  } else {
    tfc_instance_unpack(x);
  }
  tfc_async* async = x->async;
  tfc_instance_free(x);
  tfc_resume_node(async, code);
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

tfc_instance* tfc_instance_of(const tfc_message* m) {
  for (tfc_channel* ch = buckets[m->edge % BUCKETS]; ch; ch = ch->next) {
    if (ch->id != m->edge) continue;
    tfc_instance* x = find(ch, m->step);
    return x && x->local ? x : NULL;
  }
  return NULL;
}

static void on_message(const tfc_message* m, tfc_tensor* payload) {
  int must = 0;
  bool over = false;
  lock();
  tfc_channel* ch = channel_of(m->edge);
  bool kept = ch != NULL;
  tfc_instance* x = ch ? find(ch, m->step) : NULL;
  if (x && x->local) {
    must = tfc_instance_receive(x, m, payload);
    if (must)
      x->busy++;
    else
      over = tfc_instance_over(x);
  } else if (ch && (x || m->step > ch->started)) {
    kept = keep_early(ch, m, payload);
  } /* otherwise the run is over on this rank */
  unlock();
  tfc_tensor_clear(payload);
  if (!kept) tfc_fail(m->source, "no memory for its messages");
  if (over) tfc_instance_end(x);
  if (!must) return;
  tfc_instance_act(x, must);
  let_go(x);
}

/* ---- Peers that fail */

/* Whether a block needs more messages. */
static bool is_open(const tfc_block* b) {
  return b->missing > 0 || (b->shared && b->parent >= 0 && !b->has_result);
}

/* Whether one of these comes from this rank. */
static bool block_waits_for(const tfc_block* b, int p) {
  if (b->shared && b->parent == p && !b->has_result) return true;
  for (int i = 0; i < b->n_parts; i++)
    if (b->parts[i].from == p && !b->parts[i].here) return true;
  return false;
}

/* A rank whose process was lost counts if its value may be missing anywhere in a tree. One that has
 * left in order may have sent all that others need: if not, the ranks next to it find out. */
static bool waits_for(const tfc_instance* x, int p) {
  if (x->c->kind == TFC_COLLECTIVE_GATHER) return !x->heard[p];
  if (x->c->kind == TFC_COLLECTIVE_BROADCAST && p == x->c->root && !x->n_parts) return true;
  bool lost = tfc_has_failed(x->c->ranks[p]);
  for (int i = 0; i < x->n_blocks; i++) {
    const tfc_block* b = &x->blocks[i];
    if (block_waits_for(b, p) || (lost && b->tree.root != EVERYONE && is_open(b))) return true;
  }
  return false;
}

/* With the lock. */
static void fail_for(tfc_instance* x, int peer) {
  int p = tfc_collective_index_of(x->c, peer);
  if (p < 0 || p == x->c->me || x->code || !waits_for(x, p)) return;
  char who[512], *message = NULL;
  tfc_describe(peer, who, sizeof who);
  int n = asprintf(&message, "The collective '%s' (run %lld) waited for %s", x->c->key,
                   tfc_run_number(x->count), who);
  tfc_instance_fail_all(x, tfc_failure_code(), n < 0 ? "out of memory" : message);
  if (n >= 0) free(message);
}

static bool is_run_of(const tfc_instance* x, int64_t step, int node) {
  return x->local && !x->claimed && !x->cancelled && x->ctx->step_id == step &&
         ((const tfc_node_context*)x->ctx)->node == node;
}

int tfc_collective_missing(int64_t step, int node, int32_t* ranks, int room, int64_t* run) {
  int n = 0;
  lock();
  for (int i = 0; i < BUCKETS && !n; i++)
    for (tfc_channel* ch = buckets[i]; ch && !n; ch = ch->next)
      for (tfc_instance* x = ch->instances; x && !n; x = x->next) {
        if (!is_run_of(x, step, node)) continue;
        *run = tfc_run_number(x->count);
        for (int p = 0; p < x->c->n && n < room; p++)
          if (p != x->c->me && waits_for(x, p)) ranks[n++] = x->c->ranks[p];
      }
  unlock();
  return n;
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
  tfc_instance_fail_all(x, x->channel->poison, x->channel->poison_message);
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

/* With the lock. Adds what has come early for the attempts before to the list. */
static tfc_instance* begin_attempt(tfc_channel* ch, int64_t number, tfc_instance* list) {
  const int64_t started = number << TFC_RUN_BITS;
  if (ch->started >= started) return list;
  ch->started = started;
  ch->poison = 0;
  for (tfc_instance *x = ch->instances, *next; x; x = next) {
    next = x->next;
    if (x->ctx || x->count > started) continue; /* only messages that came early have no context */
    unlink_instance(x);
    x->next = list;
    list = x;
  }
  return list;
}

static void free_early(tfc_instance* list) {
  while (list) {
    tfc_instance* x = list;
    list = x->next;
    tfc_instance_free(x);
  }
}

void tfc_collective_begin_attempt(const char* key, int64_t number) {
  tfc_instance* old = NULL;
  lock();
  tfc_channel* ch = channel_of(id_of(key));
  if (ch) old = begin_attempt(ch, number, NULL);
  unlock();
  free_early(old);
}

static void fail_old(tfc_instance* x, int unused) {
  (void)unused;
  if (x->c->epoch < epoch) tfc_instance_fail(x, TFC_ABORTED, OLD_EPOCH);
}

void tfc_collective_begin_epoch(int64_t number) {
  tfc_instance* old = NULL;
  lock();
  if (number > epoch) epoch = number;
  for (int i = 0; i < BUCKETS; i++)
    for (tfc_channel* ch = buckets[i]; ch; ch = ch->next)
      old = begin_attempt(ch, epoch << TFC_ATTEMPT_BITS, old);
  unlock();
  free_early(old);
  end_some(fail_old, 0);
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

/* With the lock: starts a run and returns its number; -1: the collective is of an earlier epoch. */
static int64_t count_run(const tfc_collective* c) {
  return c->epoch == epoch ? ++c->channel->started : -1;
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
static void give_up(tfc_collective* c, int64_t count, int code, const tfc_plan* plan,
                    const tfc_step* step) {
  lock();
  tfc_instance* early = take_early(c->channel, count);
  unlock();
  if (early) tfc_instance_free(early);
  tell_end(c, count, 0, code, plan, step);
}

/* Aborts the run that would begin now, because it failed with `code`. */
static int give_up_now(tfc_collective* c, tfc_context* ctx, int code) {
  lock();
  int64_t count = count_run(c);
  unlock();
  const tfc_node_context* node = (tfc_node_context*)ctx;
  if (count >= 0) give_up(c, count, code, node->plan, node->step);
  return code;
}

/* Adds the instance to its channel. TFC_CANCELLED: the step is already cancelled. TFC_ABORTED: the
 * collective is of an earlier epoch, and no message may be sent. */
static int enter(tfc_instance* x) {
  lock();
  int64_t count = count_run(x->c);
  if (count < 0) {
    unlock();
    return TFC_ABORTED;
  }
  tfc_instance* early = take_early(x->c->channel, count);
  link_instance(x->c->channel, x, count);
  bool ok = tfc_register_cancel(x->async, cancel, x);
  if (early && early->early) {
    x->early = early->early;
    x->last_early = early->last_early;
    early->early = NULL;
  }
  if (!ok) unlink_instance(x);
  unlock();
  if (early) tfc_instance_free(early);
  return ok ? TFC_OK : TFC_CANCELLED;
}

/* Handles the messages that arrived before this rank's run; new ones queue up behind them until
 * `local` is set. */
static void replay(tfc_instance* x) {
  lock();
  while (x->early) {
    tfc_early* e = x->early;
    x->early = e->next;
    if (!x->early) x->last_early = &x->early;
    int must = tfc_instance_receive(x, &e->m, &e->payload);
    unlock();
    tfc_tensor_clear(&e->payload);
    free(e);
    tfc_instance_act(x, must);
    lock();
  }
  x->local = true;
  fail_poisoned(x, 0);
  fail_old(x, 0);
  for (int p = 0; p < x->c->n; p++)
    if (!tfc_is_alive(x->c->ranks[p])) fail_for(x, x->c->ranks[p]);
  unlock();
}

static int begin(tfc_instance* x, tfc_context* ctx) {
  tfc_collective* c = x->c;
  x->async = tfc_suspend(ctx);
  if (!x->async) {
    tfc_instance_free(x);
    return give_up_now(c, ctx, TFC_RESOURCE_EXHAUSTED);
  }
  x->ctx = tfc_context_of(x->async);
  x->busy = 1;
  int code = enter(x);
  if (code) {
    x->cancelled = code == TFC_CANCELLED;
    tfc_instance_fail(x, code, OLD_EPOCH);
    tfc_instance_end(x);
    return TFC_PENDING;
  }
  if (c->kind == TFC_COLLECTIVE_EQUAL && tfc_instance_digest(x)) {
    lock();
    tfc_instance_fail_all(x, TFC_RESOURCE_EXHAUSTED, "a rank has no memory to compare values");
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
                     tfc_rank_here());
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
    if (count < 0) continue;
    give_up(c, count, TFC_ABORTED, plan, step);
  }
}

/* ---- Setting up */

/* Sets the group's hosts. */
static bool place(tfc_collective* c, const int32_t* ranks) {
  int32_t* memory = malloc((size_t)c->n * sizeof *memory);
  for (int p = 0; memory && p < c->n; p++) memory[p] = tfc_host_of(ranks[p]);
  bool ok = memory && tfc_hosts_init(&c->hosts, c->n, memory);
  free(memory);
  return ok;
}

tfc_collective* tfc_collective_new(const char* key, const char* labels, int n, const int32_t* ranks,
                                   int me) {
  tfc_collective* c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->key = strdup(key);
  c->labels = labels ? strdup(labels) : NULL;
  c->ranks = malloc((size_t)n * sizeof *c->ranks);
  c->n = n;
  c->me = me;
  bool placed = place(c, ranks);
  lock();
  c->channel = channel_of(id_of(key));
  c->epoch = epoch;
  unlock();
  if (!c->key || !c->ranks || !placed || !c->channel || (labels && !c->labels)) {
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
  pthread_mutex_init(&tfc_collectives_lock, NULL);
  memset(buckets, 0, sizeof buckets);
  epoch = 0;
  tfc_work_after_fork();
}

void tfc_collective_free(void* state) {
  tfc_collective* c = state;
  free(c->key);
  free(c->labels);
  free(c->ranks);
  tfc_hosts_clear(&c->hosts);
  free(c);
}

void tfc_collective_install(void) {
  tfc_on_message(TFC_MSG_COLLECTIVE, on_message);
  tfc_on_payload(TFC_MSG_COLLECTIVE, tfc_instance_place);
  tfc_on_failure(peer_failed);
  tfc_set_failure_hook(step_failed);
}
