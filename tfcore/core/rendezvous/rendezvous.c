/* The rendezvous (rendezvous.h): a hash table of steps, in shards with one lock each. Every step
 * has a record with hash tables of values and waiters by edge. A step is in one shard, so that
 * ending it drops one record.
 *
 * A step that has ended has no record. A ring remembers its number for a while, so that late values
 * don't make a new record. Aborted steps have a separate ring, so that the many steps that end well
 * don't displace them: only aborted steps get late values.
 */
#include "rendezvous/rendezvous.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  SHARDS = 64,
  STEP_BUCKETS = 16, /* of a shard */
  FIRST_BUCKETS = 16,
  ENDED = 64, /* numbers of ended steps that a shard remembers */
  ABORTED = 128
};

/* A value, or the offer of one. */
typedef struct item {
  tfc_key key;
  tfc_tensor value;
  bool dead;
  tfc_charge charge;
  tfc_offer* offer;
  struct item* next;
} item;

typedef struct record {
  int64_t step;
  struct record* next;
  item** items;
  tfc_waiter** waiters;
  size_t n_buckets; /* of each table, a power of two */
  size_t n_items, n_waiters;
  size_t n_offers; /* among the items */
} record;

typedef struct failed_step {
  int64_t step;
  int code; /* 0: an unused entry */
  char* message;
} failed_step;

typedef struct shard {
  pthread_mutex_t lock;
  record* records[STEP_BUCKETS];
  record* unused; /* a record for the next step */
  int64_t ended[ENDED];
  failed_step aborted[ABORTED];
  unsigned n_ended, n_aborted;
} __attribute__((aligned(64))) shard;

typedef struct failed_peer {
  int peer, code;
  char* message;
  struct failed_peer* next;
} failed_peer;

static shard shards[SHARDS];
static pthread_mutex_t peers_lock = PTHREAD_MUTEX_INITIALIZER; /* taken after a shard's lock */
static failed_peer* failed_peers;

static uint64_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  return x ^ x >> 33;
}

static shard* shard_of(int64_t step) {
  return &shards[mix((uint64_t)step) % SHARDS];
}

static record** place_of(shard* s, int64_t step) {
  record** at = &s->records[mix((uint64_t)step) / SHARDS % STEP_BUCKETS];
  while (*at && (*at)->step != step) at = &(*at)->next;
  return at;
}

static size_t bucket_of(const record* r, const tfc_key* key) {
  return tfc_hash_edge(key) & (r->n_buckets - 1);
}

/* ---- Steps that have ended */

static bool has_ended(const shard* s, int64_t step) {
  unsigned n = s->n_ended < ENDED ? s->n_ended : ENDED;
  bool found = false;
  for (unsigned i = 0; i < n; i++) found |= s->ended[i] == step;
  return found;
}

static const failed_step* failure_of(const shard* s, int64_t step) {
  for (unsigned i = 0; i < ABORTED; i++)
    if (s->aborted[i].code && s->aborted[i].step == step) return &s->aborted[i];
  return NULL;
}

static void remember_failure(shard* s, int64_t step, int code, const char* message) {
  failed_step* f = &s->aborted[s->n_aborted++ % ABORTED];
  free(f->message);
  *f = (failed_step){step, code, strdup(message)};
}

/* ---- Records */

static record* new_record(shard* s, int64_t step) {
  record* r = s->unused;
  s->unused = NULL;
  if (!r) {
    r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->n_buckets = FIRST_BUCKETS;
    r->items = calloc(r->n_buckets, sizeof *r->items);
    r->waiters = calloc(r->n_buckets, sizeof *r->waiters);
    if (!r->items || !r->waiters) {
      free(r->items);
      free(r->waiters);
      free(r);
      return NULL;
    }
  }
  r->step = step;
  r->next = NULL;
  return r;
}

/* The record of a step, made if there is none; NULL: no memory. */
static record* record_of(shard* s, int64_t step) {
  record** at = place_of(s, step);
  if (!*at) *at = new_record(s, step);
  return *at;
}

static void free_record(record* r) {
  free(r->items);
  free(r->waiters);
  free(r);
}

static void insert_waiter(record* r, tfc_waiter* w) {
  tfc_waiter** head = &r->waiters[bucket_of(r, &w->key)];
  w->previous = NULL;
  w->next = *head;
  if (w->next) w->next->previous = w;
  *head = w;
}

static void insert_item(record* r, item* i) {
  item** head = &r->items[bucket_of(r, &i->key)];
  i->next = *head;
  *head = i;
}

/* Adds buckets when chains get long; without memory they stay long. */
static void grow(record* r) {
  if (r->n_items + r->n_waiters < 2 * r->n_buckets) return;
  record old = *r;
  item** items = calloc(4 * old.n_buckets, sizeof *items);
  tfc_waiter** waiters = calloc(4 * old.n_buckets, sizeof *waiters);
  if (!items || !waiters) {
    free(items);
    free(waiters);
    return;
  }
  r->n_buckets *= 4;
  r->items = items;
  r->waiters = waiters;
  for (size_t b = 0; b < old.n_buckets; b++) {
    for (item *i = old.items[b], *next; i; i = next) {
      next = i->next;
      insert_item(r, i);
    }
    for (tfc_waiter *w = old.waiters[b], *next; w; w = next) {
      next = w->next;
      insert_waiter(r, w);
    }
  }
  free(old.items);
  free(old.waiters);
}

static void unlink_waiter(record* r, tfc_waiter* w) {
  if (w->next) w->next->previous = w->previous;
  if (w->previous) {
    w->previous->next = w->next;
  } else {
    r->waiters[bucket_of(r, &w->key)] = w->next;
  }
  w->waits = false;
  r->n_waiters--;
}

static tfc_waiter* waiter_for(record* r, const tfc_key* key) {
  tfc_waiter* w = r->waiters[bucket_of(r, key)];
  while (w && !tfc_same_key(&w->key, key)) w = w->next;
  return w;
}

static item** place_of_item(record* r, const tfc_key* key) {
  item** at = &r->items[bucket_of(r, key)];
  while (*at && !tfc_same_key(&(*at)->key, key)) at = &(*at)->next;
  return at;
}

static item* unlink_item(record* r, item** at) {
  item* i = *at;
  *at = i->next;
  r->n_items--;
  r->n_offers -= i->offer != NULL;
  return i;
}

static void discharge(const tfc_charge* charge) {
  if (charge->bytes && tfc_between_tasks.discharge) tfc_between_tasks.discharge(charge);
}

static void give(item* i, tfc_tensor* value, bool* dead) {
  *value = i->value;
  *dead = i->dead;
  discharge(&i->charge);
  free(i);
}

static void tell(tfc_waiter* w, int code, const char* message) {
  tfc_tensor none = {.buffer = NULL};
  w->ready(w, code, message, &none, false);
}

/* ---- Values */

static bool is_over(const shard* s, int64_t step) {
  return has_ended(s, step) || failure_of(s, step);
}

/* Adds an item; false: there is no memory for it. With the shard's lock. */
static bool add_item(record* r, const item* template) {
  item* i = malloc(sizeof *i);
  if (!i) return false;
  *i = *template;
  insert_item(r, i);
  r->n_items++;
  r->n_offers += i->offer != NULL;
  grow(r);
  return true;
}

void tfc_rendezvous_put(const tfc_key* key, tfc_tensor* value, bool dead,
                        const tfc_charge* charge) {
  shard* s = shard_of(key->step);
  item i = {.key = *key, .value = *value, .dead = dead};
  if (charge) i.charge = *charge;
  tfc_waiter* w = NULL;
  bool over, kept = false;
  pthread_mutex_lock(&s->lock);
  record* r = *place_of(s, key->step);
  over = !r && is_over(s, key->step);
  if (!over && !r) r = record_of(s, key->step);
  if (r) w = waiter_for(r, key);
  if (w) {
    unlink_waiter(r, w);
  } else if (r) {
    kept = add_item(r, &i);
  }
  pthread_mutex_unlock(&s->lock);
  if (kept) return;
  if (w) {
    w->ready(w, TFC_OK, NULL, value, dead);
  } else {
    tfc_tensor_clear(value);
    if (!over)
      tfc_rendezvous_abort_step(key->step, TFC_RESOURCE_EXHAUSTED,
                                "no memory for a value that was sent");
  }
  discharge(&i.charge);
}

void tfc_rendezvous_offer(tfc_offer* o) {
  tfc_key key = o->key;
  shard* s = shard_of(key.step);
  item i = {.key = key, .value = {.buffer = NULL}, .offer = o};
  bool over, wanted = false, kept = false;
  pthread_mutex_lock(&s->lock);
  record* r = *place_of(s, key.step);
  over = !r && is_over(s, key.step);
  if (!over && !r) r = record_of(s, key.step);
  if (r) wanted = waiter_for(r, &key);
  if (r && !wanted) kept = add_item(r, &i);
  pthread_mutex_unlock(&s->lock);
  if (kept) return;
  o->answer(o, wanted);
  if (!over && !wanted)
    tfc_rendezvous_abort_step(key.step, TFC_RESOURCE_EXHAUSTED,
                              "no memory for the offer of a value");
}

bool tfc_rendezvous_has_step(int64_t step) {
  shard* s = shard_of(step);
  pthread_mutex_lock(&s->lock);
  bool found = *place_of(s, step);
  pthread_mutex_unlock(&s->lock);
  return found;
}

bool tfc_rendezvous_try_take(const tfc_key* key, tfc_tensor* value, bool* dead) {
  shard* s = shard_of(key->step);
  item* i = NULL;
  pthread_mutex_lock(&s->lock);
  record* r = *place_of(s, key->step);
  item** at = r ? place_of_item(r, key) : NULL;
  if (at && *at && !(*at)->offer) i = unlink_item(r, at);
  pthread_mutex_unlock(&s->lock);
  if (!i) return false;
  give(i, value, dead);
  return true;
}

/* Why a value will never come, or 0; the caller frees *message. With the shard's lock. */
static int hopeless(const shard* s, const record* r, const tfc_waiter* w, char** message) {
  int code = TFC_OK;
  const failed_step* f = r ? NULL : failure_of(s, w->key.step);
  if (w->forgotten) {
    code = TFC_CANCELLED;
    *message = strdup("The step was cancelled.");
  } else if (f) {
    code = f->code;
    *message = f->message ? strdup(f->message) : NULL;
  } else if (!r && has_ended(s, w->key.step)) {
    code = TFC_CANCELLED;
    *message = strdup("The step has ended.");
  } else if (w->peer >= 0) {
    pthread_mutex_lock(&peers_lock);
    for (const failed_peer* p = failed_peers; p && !code; p = p->next)
      if (p->peer == w->peer) {
        code = p->code;
        *message = p->message ? strdup(p->message) : NULL;
      }
    pthread_mutex_unlock(&peers_lock);
  }
  return code;
}

void tfc_rendezvous_take(tfc_waiter* w) {
  shard* s = shard_of(w->key.step);
  char* message = NULL;
  int code = TFC_OK;
  item* i = NULL;
  tfc_offer* offered = NULL;
  pthread_mutex_lock(&s->lock);
  record* r = *place_of(s, w->key.step);
  if (r && !w->forgotten) {
    item** at = place_of_item(r, &w->key);
    if (*at) i = unlink_item(r, at);
  }
  if (i && i->offer) {
    offered = i->offer;
    free(i);
    i = NULL;
  }
  if (!i) {
    code = hopeless(s, r, w, &message);
    if (!code && !r && !(r = record_of(s, w->key.step))) code = TFC_RESOURCE_EXHAUSTED;
    if (!code) {
      w->waits = true;
      insert_waiter(r, w);
      r->n_waiters++;
      grow(r);
    }
  }
  pthread_mutex_unlock(&s->lock);
  if (i) {
    tfc_tensor value;
    bool dead;
    give(i, &value, &dead);
    w->ready(w, TFC_OK, NULL, &value, dead);
  } else if (code) {
    tell(w, code, message ? message : "out of memory");
  }
  if (offered) offered->answer(offered, !code);
  free(message);
}

bool tfc_rendezvous_forget(tfc_waiter* w) {
  shard* s = shard_of(w->key.step);
  pthread_mutex_lock(&s->lock);
  bool waited = w->waits;
  if (waited) {
    unlink_waiter(*place_of(s, w->key.step), w);
  } else {
    w->forgotten = true;
  }
  pthread_mutex_unlock(&s->lock);
  return waited;
}

/* ---- The end of steps and peers */

/* Removes a step's record from its shard, with the lock. */
static record* detach(shard* s, int64_t step) {
  record** at = place_of(s, step);
  record* r = *at;
  if (!r) return NULL;
  *at = r->next;
  for (size_t b = 0; b < r->n_buckets && r->n_waiters; b++)
    for (tfc_waiter* w = r->waiters[b]; w; w = w->next) w->waits = false;
  return r;
}

static bool keep_for_next(shard* s, record* r) {
  if (s->unused || r->n_items || r->n_waiters || r->n_buckets > 64 * FIRST_BUCKETS) return false;
  s->unused = r;
  return true;
}

/* Gives the waiters of a removed record an error, drops its values, frees it. */
static void dissolve(record* r, int code, const char* message) {
  for (size_t b = 0; b < r->n_buckets; b++) {
    for (item *i = r->items[b], *next; i; i = next) {
      next = i->next;
      tfc_tensor_clear(&i->value);
      discharge(&i->charge);
      if (i->offer) i->offer->answer(i->offer, false);
      free(i);
    }
    for (tfc_waiter *w = r->waiters[b], *next; w; w = next) {
      next = w->next;
      tell(w, code, message);
    }
  }
  free_record(r);
}

static void tell_step_is_over(int64_t step, int code, const char* message) {
  if (tfc_between_tasks.step_over) tfc_between_tasks.step_over(step, code, message);
}

void tfc_rendezvous_abort_step(int64_t step, int code, const char* message) {
  shard* s = shard_of(step);
  record* r = NULL;
  pthread_mutex_lock(&s->lock);
  if (!failure_of(s, step) && !has_ended(s, step)) {
    remember_failure(s, step, code, message);
    r = detach(s, step);
  }
  pthread_mutex_unlock(&s->lock);
  if (r) dissolve(r, code, message);
  tell_step_is_over(step, code, message);
}

void tfc_rendezvous_abort_steps(int64_t first, int64_t last, int code, const char* message) {
  record* list = NULL;
  for (int i = 0; i < SHARDS; i++) {
    shard* s = &shards[i];
    pthread_mutex_lock(&s->lock);
    for (int b = 0; b < STEP_BUCKETS; b++)
      for (record *r = s->records[b], *next; r; r = next) {
        next = r->next;
        if (r->step < first || r->step > last) continue;
        remember_failure(s, r->step, code, message);
        detach(s, r->step);
        r->next = list;
        list = r;
      }
    pthread_mutex_unlock(&s->lock);
  }
  for (record *r = list, *next; r; r = next) {
    next = r->next;
    int64_t step = r->step;
    dissolve(r, code, message);
    tell_step_is_over(step, code, message);
  }
}

void tfc_rendezvous_end_step(int64_t step) {
  shard* s = shard_of(step);
  pthread_mutex_lock(&s->lock);
  record* r = detach(s, step);
  if (!failure_of(s, step)) s->ended[s->n_ended++ % ENDED] = step;
  if (r && keep_for_next(s, r)) r = NULL;
  pthread_mutex_unlock(&s->lock);
  if (r) dissolve(r, TFC_CANCELLED, "The step has ended.");
  tell_step_is_over(step, TFC_OK, NULL);
}

static void note_peer(int peer, int code, const char* message) {
  pthread_mutex_lock(&peers_lock);
  failed_peer** at = &failed_peers;
  while (*at && (*at)->peer != peer) at = &(*at)->next;
  if (code && !*at) {
    *at = calloc(1, sizeof **at);
    if (*at) **at = (failed_peer){peer, code, strdup(message), NULL};
  } else if (!code && *at) {
    failed_peer* gone = *at;
    *at = gone->next;
    free(gone->message);
    free(gone);
  }
  pthread_mutex_unlock(&peers_lock);
}

/* Moves the waiters for a peer from a shard to `list`, linked by `next`. */
static tfc_waiter* collect(shard* s, int peer, tfc_waiter* list) {
  for (int i = 0; i < STEP_BUCKETS; i++)
    for (record* r = s->records[i]; r; r = r->next)
      for (size_t b = 0; b < r->n_buckets; b++)
        for (tfc_waiter *w = r->waiters[b], *next; w; w = next) {
          next = w->next;
          if (w->peer != peer) continue;
          unlink_waiter(r, w);
          w->next = list;
          list = w;
        }
  return list;
}

void tfc_rendezvous_abort_peer(int peer, int code, const char* message) {
  tfc_waiter* list = NULL;
  note_peer(peer, code,
            message); /* first: waiters that arrive after the search of their shard see it */
  for (int i = 0; code && i < SHARDS; i++) {
    pthread_mutex_lock(&shards[i].lock);
    list = collect(&shards[i], peer, list);
    pthread_mutex_unlock(&shards[i].lock);
  }
  for (tfc_waiter *w = list, *next; w; w = next) {
    next = w->next;
    tell(w, code, message);
  }
}

/* ---- The table */

void tfc_rendezvous_count(int64_t counts[4]) {
  memset(counts, 0, 4 * sizeof *counts);
  for (int i = 0; i < SHARDS; i++) {
    pthread_mutex_lock(&shards[i].lock);
    for (int b = 0; b < STEP_BUCKETS; b++)
      for (record* r = shards[i].records[b]; r; r = r->next) {
        counts[0]++;
        counts[1] += (int64_t)(r->n_items - r->n_offers);
        counts[2] += (int64_t)r->n_waiters;
        counts[3] += (int64_t)r->n_offers;
      }
    pthread_mutex_unlock(&shards[i].lock);
  }
}

static int no_cluster(int peer, const tfc_key* key, const tfc_tensor* value, bool dead, bool* full,
                      char* message, size_t size) {
  (void)key, (void)value, (void)dead, (void)full;
  snprintf(message, size, "The task of rank %d can't be reached: this process is not in a cluster.",
           peer);
  return TFC_UNAVAILABLE;
}

static void no_peer(int peer, int64_t step) {
  (void)peer, (void)step;
}

static void init_locks(void) {
  for (int i = 0; i < SHARDS; i++) pthread_mutex_init(&shards[i].lock, NULL);
  pthread_mutex_init(&peers_lock, NULL);
}

/* The child has none of the parent's steps and peers. One of the parent's threads may have been
 * changing them, so their memory stays allocated, unused. */
void tfc_rendezvous_after_fork(void) {
  memset(shards, 0, sizeof shards);
  failed_peers = NULL;
  init_locks();
}

__attribute__((constructor)) static void start(void) {
  init_locks();
}

tfc_fabric_hooks tfc_between_tasks = {.try_send = no_cluster, .abandon = no_peer};
