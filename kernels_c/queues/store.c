/* What a queue holds, and in which order it comes out. See queue.h. */
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

enum { FIRST_ROOM = 8 };

void queue_batch_drop(const tfc_api* api, queue_batch* batch, int64_t elements) {
  if (__atomic_sub_fetch(&batch->refs, elements, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < batch->n; i++) tfc_let_go(api, &batch->component[i]);
  free(batch);
}

/* ---- Lists of runs. */

static queue_run* run_at(const queue_runs* runs, int64_t i) {
  return &runs->run[(runs->head + i) & (runs->room - 1)];
}

static bool resize(queue_runs* runs, int64_t room) {
  queue_run* moved = malloc((size_t)room * sizeof *moved);
  if (!moved) return false;
  for (int64_t i = 0; i < runs->n; i++) moved[i] = *run_at(runs, i);
  free(runs->run);
  runs->run = moved;
  runs->head = 0;
  runs->room = room;
  return true;
}

static bool make_room(queue_runs* runs) {
  return runs->n < runs->room || resize(runs, runs->room ? 2 * runs->room : FIRST_ROOM);
}

/* After a run was removed. If there is no memory, the list stays as large as it is. */
static void give_room_back(queue_runs* runs) {
  const int64_t used = runs->n + __atomic_load_n(&runs->lent, __ATOMIC_RELAXED);
  if (runs->room > FIRST_ROOM && used < runs->room / 4) (void)resize(runs, runs->room / 2);
}

/* Room for one more run in a queue and for those that may come back. */
static bool make_room_beside_lent(queue_runs* runs) {
  const int64_t used = runs->n + __atomic_load_n(&runs->lent, __ATOMIC_RELAXED);
  if (used < runs->room) return true;
  int64_t room = runs->room ? runs->room : FIRST_ROOM;
  while (room <= used) room *= 2;
  return resize(runs, room);
}

bool queue_runs_push(queue_runs* runs, queue_run run) {
  if (!make_room(runs)) return false;
  *run_at(runs, runs->n++) = run;
  runs->elements += run.count;
  return true;
}

/* There is room. */
static void push_front(queue_runs* runs, queue_run run) {
  runs->head = (runs->head - 1) & (runs->room - 1);
  *run_at(runs, 0) = run;
  runs->n++;
  runs->elements += run.count;
}

/* Up to `most` elements of the first run, which become one; `most` and the list are not empty. */
static queue_run pop_front(queue_runs* runs, int64_t most) {
  queue_run* first = run_at(runs, 0);
  queue_run taken = *first;
  if (taken.count > most) {
    taken.count = most;
    first->first += most;
    first->count -= most;
  } else {
    runs->head = (runs->head + 1) & (runs->room - 1);
    runs->n--;
    give_room_back(runs);
  }
  runs->elements -= taken.count;
  return taken;
}

static queue_run pop_back(queue_runs* runs) {
  queue_run taken = *run_at(runs, --runs->n);
  runs->elements -= taken.count;
  give_room_back(runs);
  return taken;
}

void queue_runs_clear(const tfc_api* api, queue_runs* runs) {
  for (int64_t i = 0; i < runs->n; i++)
    queue_batch_drop(api, run_at(runs, i)->batch, run_at(runs, i)->count);
  free(runs->run);
  *runs = (queue_runs){0};
}

/* ---- The order of a PriorityQueue: a binary heap. Equal priorities come out as they went in. */

static bool comes_before(const queue_run* a, const queue_run* b) {
  return a->priority != b->priority ? a->priority < b->priority : a->order < b->order;
}

static void swap(queue_runs* runs, int64_t i, int64_t j) {
  queue_run held = *run_at(runs, i);
  *run_at(runs, i) = *run_at(runs, j);
  *run_at(runs, j) = held;
}

static void rise(queue_runs* runs, int64_t i) {
  for (; i > 0 && comes_before(run_at(runs, i), run_at(runs, (i - 1) / 2)); i = (i - 1) / 2)
    swap(runs, i, (i - 1) / 2);
}

static void sink(queue_runs* runs, int64_t i) {
  for (;;) {
    int64_t least = i;
    for (int64_t child = 2 * i + 1; child <= 2 * i + 2 && child < runs->n; child++)
      if (comes_before(run_at(runs, child), run_at(runs, least))) least = child;
    if (least == i) return;
    swap(runs, i, least);
    i = least;
  }
}

/* ---- The order of a RandomShuffleQueue: that of TensorFlow's for the same seeds. */

static uint32_t next_word(queue* q) {
  queue_random* r = &q->random;
  if (!r->words_left) {
    philox_block(&r->stream, r->words);
    r->stream.block++;
    r->words_left = PHILOX_WORDS;
  }
  return r->words[PHILOX_WORDS - r->words_left--];
}

/* ---- All kinds. */

/* There is room. */
static void put_one(queue* q, queue_run run, bool again) {
  if (q->form.kind == QUEUE_PRIORITY && !again) run.order = q->order++;
  (void)queue_runs_push(&q->runs, run);
  if (q->form.kind == QUEUE_PRIORITY) rise(&q->runs, q->runs.n - 1);
}

static queue_run take_one(queue* q, int64_t most) {
  if (q->form.kind == QUEUE_FIFO || q->form.kind == QUEUE_PADDING) return pop_front(&q->runs, most);
  const int64_t last = q->runs.n - 1;
  const int64_t i =
      q->form.kind == QUEUE_RANDOM ? (int64_t)(next_word(q) % (uint64_t)(last + 1)) : 0;
  if (i != last) swap(&q->runs, i, last);
  queue_run taken = pop_back(&q->runs);
  if (q->form.kind == QUEUE_PRIORITY) sink(&q->runs, 0);
  return taken;
}

bool queue_store_put(queue* q, queue_runs* from, int64_t most) {
  while (most > 0 && from->n) {
    if (!make_room_beside_lent(&q->runs)) return false;
    queue_run run = pop_front(from, most);
    put_one(q, run, false);
    most -= run.count;
  }
  return true;
}

bool queue_store_take(queue* q, queue_runs* to, int64_t most) {
  while (most > 0 && q->runs.n) {
    /* If a part of a run is taken, the queue does not have fewer than before. */
    if (!make_room(to) || !make_room_beside_lent(&q->runs)) return false;
    __atomic_fetch_add(&q->runs.lent, 1, __ATOMIC_RELAXED);
    queue_run run = take_one(q, most);
    queue_runs_push(to, run);
    most -= run.count;
  }
  return true;
}

void queue_store_restore(queue* q, queue_runs* taken) {
  const bool to_front = q->form.kind == QUEUE_FIFO || q->form.kind == QUEUE_PADDING;
  while (taken->n) {
    queue_run run = pop_back(taken);
    if (to_front)
      push_front(&q->runs, run);
    else
      put_one(q, run, true);
    __atomic_fetch_sub(&q->runs.lent, 1, __ATOMIC_RELAXED);
  }
  queue_runs_clear(q->api, taken);
}

void queue_store_give(queue* q, queue_runs* taken) {
  __atomic_fetch_sub(&q->runs.lent, taken->n, __ATOMIC_RELAXED);
  queue_runs_clear(q->api, taken);
}

static int by_turn(const void* a, const void* b) {
  return comes_before(a, b) ? -1 : comes_before(b, a);
}

static bool share_runs(const queue_runs* runs, queue_runs* out) {
  for (int64_t i = 0; i < runs->n; i++) {
    const queue_run* run = run_at(runs, i);
    if (!queue_runs_push(out, *run)) return false;
    __atomic_fetch_add(&run->batch->refs, run->count, __ATOMIC_RELAXED);
  }
  return true;
}

bool queue_store_share(queue* q, queue_runs* out, queue_random* random) {
  bool ok = true;
  *out = (queue_runs){0};
  pthread_mutex_lock(&q->mutex);
  /* What was taken by those who wait for more came first. */
  for (tfc_waiter* w = q->dequeues.first; w && ok; w = w->next)
    ok = share_runs(&((queue_attempt*)w)->held, out);
  ok = ok && share_runs(&q->runs, out);
  *random = q->random;
  pthread_mutex_unlock(&q->mutex);
  if (!ok) queue_runs_clear(q->api, out);
  /* A heap has equal priorities in any order. The list was empty, so it begins at its memory. */
  if (out->n && q->form.kind == QUEUE_PRIORITY)
    qsort(out->run, (size_t)out->n, sizeof *out->run, by_turn);
  return ok;
}

void queue_store_visit(queue* q, void (*fn)(void* arg, const tfc_tensor* value), void* arg) {
  pthread_mutex_lock(&q->mutex);
  for (int64_t i = 0; i < q->runs.n; i++) {
    const queue_run* run = run_at(&q->runs, i);
    for (int c = 0; c < run->batch->n; c++) fn(arg, &run->batch->component[c]);
  }
  pthread_mutex_unlock(&q->mutex);
}
