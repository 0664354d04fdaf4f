/* The memory of a task for values that others ask to send: see receive_budget.h.
 *
 * Memory is freed and answers are sent without the lock. */
#include "receive_budget.h"

#include <stdlib.h>
#include <string.h>

typedef enum { WAITING, CLEARED, HELD } claim_state;

/* A value that was requested. It belongs to its step, as long as that goes on, and counts. What is
 * HELD also is the header of the value's memory, and is freed with that. */
typedef struct claim {
  tfc_buffer buffer;  /* must be first: the runtime sees only this */
  tfc_buffer* memory; /* the value's own buffer */
  tfc_key key;
  int peer;
  int64_t bytes;
  claim_state state;
  unsigned life;                 /* of the process that made it: see after_fork */
  struct step_claims* step;      /* NULL: it does not count any more */
  struct claim *next, *previous; /* of the step */
  struct claim *next_in_line, *previous_in_line;
} __attribute__((aligned(64))) claim;

typedef struct step_claims {
  int64_t step;
  claim* first;
  int n_waiting;
  struct step_claims *next, *previous;
} step_claims;

static tfc_budget_callbacks user;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* Under the lock. */
static int64_t limit;
static tfc_budget_counts counts;
static claim *first_in_line, *last_in_line; /* WAITING */
static step_claims* steps;                  /* with at least one claim each */
static int64_t idle_since;                  /* 0: something goes on */
static int n_steps;                         /* atomic; written under the lock */
static unsigned life;

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

static void join_line(claim* c) {
  c->previous_in_line = last_in_line;
  *(last_in_line ? &last_in_line->next_in_line : &first_in_line) = c;
  last_in_line = c;
  c->step->n_waiting++;
  counts.waiting++;
}

static void leave_line(claim* c) {
  *(c->previous_in_line ? &c->previous_in_line->next_in_line : &first_in_line) = c->next_in_line;
  *(c->next_in_line ? &c->next_in_line->previous_in_line : &last_in_line) = c->previous_in_line;
  c->next_in_line = c->previous_in_line = NULL;
  c->step->n_waiting--;
  counts.waiting--;
}

/* The claim no longer counts. */
static void leave_step(claim* c) {
  step_claims* s = c->step;
  if (c->next) c->next->previous = c->previous;
  *(c->previous ? &c->previous->next : &s->first) = c->next;
  if (c->state == WAITING) {
    leave_line(c);
  } else {
    counts.held -= c->bytes;
    counts.cleared -= c->state == CLEARED;
  }
  c->step = NULL;
  if (!s->first) remove_step(s);
  idle_since = 0;
}

/* ---- Who is next */

/* Steps of different masters are compared by their counts, so that none is always behind. */
static bool is_before(int64_t a, int64_t b) {
  const int64_t mask = (INT64_C(1) << TFC_STEP_BITS) - 1;
  return (a & mask) != (b & mask) ? (a & mask) < (b & mask) : a < b;
}

/* Which request may be cleared now, or NULL. */
static claim* next_to_clear(void) {
  claim* c = first_in_line;
  if (!c || !counts.held || c->bytes <= limit - counts.held) return c;
  const step_claims* first = steps;
  for (const step_claims* s = steps; s; s = s->next)
    if (is_before(s->step, first->step)) first = s;
  if (!first->n_waiting) return NULL;
  while (c->step != first) c = c->next_in_line;
  return c;
}

static void clear(claim* c) {
  leave_line(c);
  c->state = CLEARED;
  counts.cleared++;
  counts.held += c->bytes;
  if (counts.held > counts.peak_held) counts.peak_held = counts.held;
  idle_since = 0;
}

static void clear_what_fits(void) {
  for (;;) {
    pthread_mutex_lock(&lock);
    claim* c = next_to_clear();
    claim copy = {.peer = -1};
    if (c) {
      clear(c);
      copy = *c;
    }
    pthread_mutex_unlock(&lock);
    if (!c) return;
    user.answer(copy.peer, &copy.key, true);
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
    c->life = life;
    c->step = s;
    c->next = s->first;
    if (c->next) c->next->previous = c;
    s->first = c;
    join_line(c);
  }
  pthread_mutex_unlock(&lock);
  if (!s) free(c);
  clear_what_fits();
  return s;
}

/* The value's memory is no longer needed. */
static void let_go(tfc_buffer* b) {
  claim* c = (claim*)b;
  tfc_buffer_unref(c->memory);
  pthread_mutex_lock(&lock);
  bool counted = c->life == life && c->step;
  if (counted) leave_step(c);
  pthread_mutex_unlock(&lock);
  free(c);
  if (counted) clear_what_fits();
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
    c->state = HELD;
    counts.cleared--;
    idle_since = 0;
    c->memory = b;
    c->buffer = (tfc_buffer){.refs = 1,
                             .release = let_go,
                             .data = b->data,
                             .size = b->size,
                             .flags = b->flags,
                             .device = b->device};
    value->buffer = &c->buffer;
  } else if (c) {
    leave_step(c);
  }
  pthread_mutex_unlock(&lock);
  if (!c || b) return;
  free(c);
  clear_what_fits();
}

/* ---- The end of steps and peers */

/* Takes the claims for a peer's values (-1: for any) out of a step. Those whose values have not
 * come go to the list, linked by `next`. With the lock. */
static claim* take_out(step_claims* s, int peer, claim* list) {
  for (claim *c = s->first, *next; c; c = next) {
    next = c->next;
    if (peer >= 0 && c->peer != peer) continue;
    leave_step(c); /* frees `s` with the last one */
    if (c->state == HELD) continue;
    c->next = list;
    list = c;
  }
  return list;
}

static void free_all(claim* list) {
  for (claim *c = list, *next; c; c = next) {
    next = c->next;
    if (c->state == WAITING) user.answer(c->peer, &c->key, false);
    free(c);
  }
  clear_what_fits();
}

void tfc_budget_end_step(int64_t step) {
  if (!__atomic_load_n(&n_steps, __ATOMIC_ACQUIRE)) return;
  pthread_mutex_lock(&lock);
  step_claims* s = find_step(step);
  bool found = s;
  claim* list = s ? take_out(s, -1, NULL) : NULL;
  pthread_mutex_unlock(&lock);
  if (found) free_all(list);
}

void tfc_budget_end_peer(int peer) {
  claim* list = NULL;
  pthread_mutex_lock(&lock);
  for (step_claims *s = steps, *next; s; s = next) {
    next = s->next;
    list = take_out(s, peer, list);
  }
  pthread_mutex_unlock(&lock);
  free_all(list);
}

/* ---- When nothing goes on */

void tfc_budget_tick(void) {
  if (!__atomic_load_n(&n_steps, __ATOMIC_ACQUIRE)) return;
  bool computing = user.is_computing();
  int64_t now = user.now();
  claim copy = {.peer = -1};
  pthread_mutex_lock(&lock);
  if (!first_in_line || counts.cleared || computing) {
    idle_since = 0;
  } else if (!idle_since) {
    idle_since = now;
  } else if (now - idle_since >= TFC_BUDGET_PATIENCE_NS) {
    claim* c = first_in_line;
    clear(c);
    counts.forced++;
    copy = *c;
  }
  pthread_mutex_unlock(&lock);
  if (copy.peer >= 0) user.answer(copy.peer, &copy.key, true);
}

/* ---- The rest */

void tfc_budget_open(const tfc_budget_callbacks* callbacks, int64_t bytes) {
  pthread_mutex_lock(&lock);
  user = *callbacks;
  limit = bytes;
  counts.peak_held = counts.held;
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
  life++;
  first_in_line = last_in_line = NULL;
  steps = NULL;
  n_steps = 0;
  memset(&counts, 0, sizeof counts);
  idle_since = 0;
}
