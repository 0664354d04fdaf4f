/* What a queue holds, and in which order it comes out. See queue.h. */
#include "queue.h"

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
  if (runs->room > FIRST_ROOM && runs->n < runs->room / 4) (void)resize(runs, runs->room / 2);
}

bool queue_runs_push(queue_runs* runs, queue_run run) {
  if (!make_room(runs)) return false;
  *run_at(runs, runs->n++) = run;
  runs->elements += run.count;
  return true;
}

static bool push_front(queue_runs* runs, queue_run run) {
  if (!make_room(runs)) return false;
  runs->head = (runs->head - 1) & (runs->room - 1);
  *run_at(runs, 0) = run;
  runs->n++;
  runs->elements += run.count;
  return true;
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
  if (!q->words_left) {
    philox_block(&q->random, q->words);
    q->random.block++;
    q->words_left = PHILOX_WORDS;
  }
  return q->words[PHILOX_WORDS - q->words_left--];
}

/* ---- All kinds. */

static bool put_one(queue* q, queue_run run, bool again) {
  if (q->form.kind == QUEUE_PRIORITY && !again) run.order = q->order++;
  if (!queue_runs_push(&q->runs, run)) return false;
  if (q->form.kind == QUEUE_PRIORITY) rise(&q->runs, q->runs.n - 1);
  return true;
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
    queue_run run = pop_front(from, most);
    if (!put_one(q, run, false)) {
      queue_batch_drop(q->api, run.batch, run.count);
      return false;
    }
    most -= run.count;
  }
  return true;
}

bool queue_store_take(queue* q, queue_runs* to, int64_t most) {
  while (most > 0 && q->runs.n) {
    if (!make_room(to)) return false;
    queue_run run = take_one(q, most);
    queue_runs_push(to, run);
    most -= run.count;
  }
  return true;
}

bool queue_store_restore(queue* q, queue_runs* taken) {
  const bool to_front = q->form.kind == QUEUE_FIFO || q->form.kind == QUEUE_PADDING;
  bool ok = true;
  while (taken->n) {
    queue_run run = pop_back(taken);
    if (to_front ? push_front(&q->runs, run) : put_one(q, run, true)) continue;
    queue_batch_drop(q->api, run.batch, run.count);
    ok = false;
  }
  queue_runs_clear(q->api, taken);
  return ok;
}

static int by_turn(const void* a, const void* b) {
  return comes_before(a, b) ? -1 : comes_before(b, a);
}

bool queue_store_share(queue* q, queue_runs* out) {
  bool ok = true;
  *out = (queue_runs){0};
  pthread_mutex_lock(&q->mutex);
  for (int64_t i = 0; i < q->runs.n && ok; i++) {
    const queue_run* run = run_at(&q->runs, i);
    ok = queue_runs_push(out, *run);
    if (ok) __atomic_fetch_add(&run->batch->refs, run->count, __ATOMIC_RELAXED);
  }
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
