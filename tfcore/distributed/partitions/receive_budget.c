/* The memory of a task for values that others ask to send: see receive_budget.h.
 *
 * Memory is freed and answers are sent without the lock. */
#include "partitions/receive_budget.h"

#include <stdlib.h>
#include <string.h>

typedef enum { WAITING, CLEARED, ARRIVED } claim_state;

/* A requested value. It counts as long as it is on the list of its step. Once it has ARRIVED the
 * claim also is the header of the value's memory, and is freed with that. */
typedef struct claim {
  tfc_buffer buffer;  /* must be first: the runtime sees only this */
  tfc_buffer* memory; /* the value's own buffer */
  tfc_key key;
  int peer;
  int64_t bytes;
  claim_state state;
  unsigned fork_generation;      /* of its process: a child does not count its parent's claims */
  struct step_claims* step;      /* NULL: it does not count any more */
  struct claim *next, *previous; /* of the step */
  struct claim *next_waiting, *previous_waiting;
} __attribute__((aligned(64))) claim;

typedef struct step_claims {
  int64_t step;
  claim* first;
  int n_waiting;
  struct step_claims *next, *previous;
} step_claims;

static tfc_budget_callbacks callbacks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static int64_t limit;
static tfc_budget_counts counts;
static claim *first_waiting, *last_waiting; /* WAITING */
static step_claims* steps;                  /* with at least one claim each */
static int64_t stalled_since;               /* 0: it is not stalled */
static int64_t unchanged_since;             /* 0: something was cleared, has come or was freed */
static int has_waiting;                     /* whether there are any: read without the lock, too */
static int n_steps;                         /* read without the lock, too: atomic */
static unsigned fork_generation;            /* raised in a forked child, before other threads run */

static void note_change(void) {
  stalled_since = unchanged_since = 0;
}

/* ---- Lists, with the lock */

static step_claims* find_step(int64_t step) {
  step_claims* s = steps;
  while (s && s->step != step) s = s->next;
  return s;
}

static step_claims* add_step(int64_t step) {
  step_claims* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->step = step;
  s->next = steps;
  if (steps) steps->previous = s;
  steps = s;
  __atomic_store_n(&n_steps, n_steps + 1, __ATOMIC_RELEASE);
  return s;
}

static void remove_step(step_claims* s) {
  if (s->next) s->next->previous = s->previous;
  *(s->previous ? &s->previous->next : &steps) = s->next;
  __atomic_store_n(&n_steps, n_steps - 1, __ATOMIC_RELEASE);
  free(s);
}

static void enqueue(claim* c) {
  c->previous_waiting = last_waiting;
  *(last_waiting ? &last_waiting->next_waiting : &first_waiting) = c;
  last_waiting = c;
  c->step->n_waiting++;
  counts.waiting++;
  if (counts.waiting == 1) {
    note_change();
    __atomic_store_n(&has_waiting, 1, __ATOMIC_RELAXED);
  }
}

static void dequeue(claim* c) {
  *(c->previous_waiting ? &c->previous_waiting->next_waiting : &first_waiting) = c->next_waiting;
  *(c->next_waiting ? &c->next_waiting->previous_waiting : &last_waiting) = c->previous_waiting;
  c->next_waiting = c->previous_waiting = NULL;
  c->step->n_waiting--;
  counts.waiting--;
  if (!counts.waiting) __atomic_store_n(&has_waiting, 0, __ATOMIC_RELAXED);
}

/* The claim no longer counts. */
static void stop_counting(claim* c) {
  step_claims* s = c->step;
  if (c->next) c->next->previous = c->previous;
  *(c->previous ? &c->previous->next : &s->first) = c->next;
  if (c->state == WAITING) {
    dequeue(c);
  } else {
    counts.reserved_bytes -= c->bytes;
    counts.cleared -= c->state == CLEARED;
  }
  c->step = NULL;
  if (!s->first) remove_step(s);
  note_change();
}

/* ---- The next sender */

/* Steps of different masters are compared by their counts, so that none is always behind. */
static bool step_is_before(int64_t a, int64_t b) {
  int64_t count = tfc_step_count(a), other = tfc_step_count(b);
  return count != other ? count < other : a < b;
}

/* Which request may be cleared now, or NULL. A large one at the head of the line holds back smaller
 * ones behind it, or it might never get its turn. */
static claim* next_to_grant(void) {
  claim* c = first_waiting;
  if (!c || !counts.reserved_bytes || c->bytes <= limit - counts.reserved_bytes) return c;
  const step_claims* first = steps;
  for (const step_claims* s = steps; s; s = s->next)
    if (step_is_before(s->step, first->step)) first = s;
  if (!first->n_waiting) return NULL;
  while (c->step != first) c = c->next_waiting;
  return c;
}

static void grant(claim* c) {
  dequeue(c);
  c->state = CLEARED;
  counts.cleared++;
  counts.reserved_bytes += c->bytes;
  if (counts.reserved_bytes > counts.peak_reserved_bytes)
    counts.peak_reserved_bytes = counts.reserved_bytes;
  note_change();
}

static void grant_what_fits(void) {
  for (;;) {
    int peer = -1;
    tfc_key key;
    pthread_mutex_lock(&lock);
    claim* c = next_to_grant();
    if (c) {
      grant(c);
      peer = c->peer;
      key = c->key;
    }
    pthread_mutex_unlock(&lock);
    if (!c) return;
    callbacks.answer(peer, &key, true);
  }
}

/* ---- Values */

bool tfc_budget_request(int peer, const tfc_key* key, int64_t bytes) {
  claim* c = aligned_alloc(64, sizeof *c);
  if (!c) return false;
  *c = (claim){.key = *key, .peer = peer, .bytes = bytes, .state = WAITING};
  pthread_mutex_lock(&lock);
  step_claims* s = find_step(key->step);
  if (!s) s = add_step(key->step);
  if (s) {
    c->fork_generation = fork_generation;
    c->step = s;
    c->next = s->first;
    if (c->next) c->next->previous = c;
    s->first = c;
    enqueue(c);
  }
  pthread_mutex_unlock(&lock);
  if (!s) free(c);
  grant_what_fits();
  return s;
}

/* The value's memory is no longer needed. */
static void release_value(tfc_buffer* b) {
  claim* c = (claim*)b;
  tfc_buffer_unref(c->memory);
  pthread_mutex_lock(&lock);
  bool counted = c->fork_generation == fork_generation && c->step;
  if (counted) stop_counting(c);
  pthread_mutex_unlock(&lock);
  free(c);
  if (counted) grant_what_fits();
}

static claim* find_cleared(int peer, const tfc_key* key) {
  const step_claims* s = find_step(key->step);
  claim* c = s ? s->first : NULL;
  while (c && !(c->state == CLEARED && c->peer == peer && c->key.edge == key->edge &&
                c->key.frame == key->frame && c->key.iteration == key->iteration))
    c = c->next;
  return c;
}

void tfc_budget_arrived(int peer, const tfc_key* key, tfc_tensor* value) {
  tfc_buffer* b = value->buffer;
  pthread_mutex_lock(&lock);
  claim* c = find_cleared(peer, key);
  if (c && b) {
    c->state = ARRIVED;
    counts.cleared--;
    note_change();
    c->memory = b;
    c->buffer = (tfc_buffer){.refs = 1,
                             .release = release_value,
                             .data = b->data,
                             .size = b->size,
                             .flags = b->flags,
                             .device = b->device};
    value->buffer = &c->buffer;
  } else if (c) {
    stop_counting(c);
  }
  pthread_mutex_unlock(&lock);
  if (!c || b) return;
  free(c);
  grant_what_fits();
}

/* ---- The end of steps and peers */

/* Takes the claims for a peer's values (-1: for any) out of a step. Those whose values have not
 * come go to the list, linked by `next`. With the lock. */
static claim* take_out(step_claims* s, int peer, claim* list) {
  for (claim *c = s->first, *next; c; c = next) {
    next = c->next;
    if (peer >= 0 && c->peer != peer) continue;
    stop_counting(c); /* frees `s` with the last one */
    if (c->state == ARRIVED) continue;
    c->next = list;
    list = c;
  }
  return list;
}

static void refuse_and_free(claim* list) {
  for (claim *c = list, *next; c; c = next) {
    next = c->next;
    if (c->state == WAITING) callbacks.answer(c->peer, &c->key, false);
    free(c);
  }
  grant_what_fits();
}

void tfc_budget_end_step(int64_t step) {
  if (!__atomic_load_n(&n_steps, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&lock);
  step_claims* s = find_step(step);
  bool found = s;
  claim* list = s ? take_out(s, -1, NULL) : NULL;
  pthread_mutex_unlock(&lock);
  if (found) refuse_and_free(list);
}

void tfc_budget_end_peer(int peer) {
  claim* list = NULL;
  pthread_mutex_lock(&lock);
  for (step_claims *s = steps, *next; s; s = next) {
    next = s->next;
    list = take_out(s, peer, list);
  }
  pthread_mutex_unlock(&lock);
  refuse_and_free(list);
}

/* ---- When the task has stalled */

bool tfc_budget_has_waiting(void) {
  return __atomic_load_n(&has_waiting, __ATOMIC_RELAXED);
}

/* Whether *since is `patience` ago; it is set to now if it is 0. */
static bool has_passed(int64_t* since, int64_t now, int64_t patience) {
  if (!*since) *since = now;
  return now - *since >= patience;
}

void tfc_budget_tick(void) {
  bool computing = callbacks.is_computing();
  int64_t now = callbacks.now();
  int peer = -1;
  tfc_key key;
  pthread_mutex_lock(&lock);
  if (counts.cleared || computing) stalled_since = 0;
  if (first_waiting) {
    bool stalled =
        !counts.cleared && !computing && has_passed(&stalled_since, now, TFC_BUDGET_PATIENCE_NS);
    if (has_passed(&unchanged_since, now, TFC_BUDGET_LONG_PATIENCE_NS) || stalled) {
      claim* c = first_waiting;
      grant(c);
      counts.forced++;
      peer = c->peer;
      key = c->key;
    }
  }
  pthread_mutex_unlock(&lock);
  if (peer >= 0) callbacks.answer(peer, &key, true);
}

/* ---- The rest */

void tfc_budget_open(const tfc_budget_callbacks* user, int64_t limit_bytes) {
  pthread_mutex_lock(&lock);
  callbacks = *user;
  limit = limit_bytes;
  counts.peak_reserved_bytes = counts.reserved_bytes;
  counts.forced = 0;
  pthread_mutex_unlock(&lock);
}

void tfc_budget_count(tfc_budget_counts* out) {
  pthread_mutex_lock(&lock);
  *out = counts;
  pthread_mutex_unlock(&lock);
}

/* One of the parent's threads may have been changing the lists: they stay as they are, unused. */
void tfc_budget_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  fork_generation++;
  first_waiting = last_waiting = NULL;
  steps = NULL;
  n_steps = 0;
  memset(&counts, 0, sizeof counts);
  has_waiting = 0;
  note_change();
}
