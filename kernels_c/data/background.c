/* Datasets whose elements other threads make ahead of time: PrefetchDataset, ParallelMapDataset.
 *
 * A stage has a ring of slots and some workers. A worker takes the next element of the input, under
 * `pulling`, and with it the next slot; it calls the function, if there is one, and marks the slot
 * as ready. The iterator takes the slots in order: the elements come in the input's order, whatever
 * the number of threads.
 *
 * The iterator's end cancels what the workers do and waits for them: what their functions use may
 * be gone afterwards. A function of the user may take any time, so the wait has a limit; the last
 * of them frees the stage.
 */
#include <unistd.h>

#include "kernels_c/data/map.h"
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

enum { MOST_SLOTS = 1 << 20 };

typedef struct background {
  dataset base;
  int64_t workers, capacity;
} background;

typedef enum { FREE, BUSY, READY } slot_state;

typedef struct slot {
  slot_state state;
  bool end; /* the function ended the dataset here */
  int code; /* of the error; TFC_OK: there is an element */
  char* text;
  tfc_tensor* element;
} slot;

typedef struct stage {
  pthread_mutex_t lock;
  pthread_cond_t room, ready;
  int users; /* the iterator and the workers */
  const tfc_api* api;
  tfc_tensor owner; /* keeps the dataset */
  const background* dataset;
  iterator* input;
  int n; /* components of an element */
  slot* slots;
  int64_t capacity;
  int64_t begun, taken; /* slots that workers, and the iterator, have taken so far */
  bool pulling;         /* a worker is in the input */
  bool input_ended, stops;
  bool rests;             /* workers begin no element: their iterator's position is being saved */
  tfc_context** contexts; /* of the workers, while they run */
  tfc_tensor* arguments;  /* of the function: n_arguments for each worker */
  int n_arguments;
  int64_t n_workers;
  pid_t process;
} stage;

typedef struct background_iterator {
  iterator base;
  stage* stage;
} background_iterator;

static void free_stage(stage* s) {
  iterator_close(s->input);
  for (int64_t i = 0; s->slots && i < s->capacity; i++) {
    if (s->slots[i].element) iterator_drop(s->api, s->slots[i].element, s->n);
    free(s->slots[i].element);
    free(s->slots[i].text);
  }
  free(s->slots);
  free(s->contexts);
  free(s->arguments);
  tfc_let_go(s->api, &s->owner);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->room);
  pthread_cond_destroy(&s->ready);
  free(s);
}

/* With the lock, which it gives up. */
static void leave_stage(stage* s) {
  bool last = !--s->users;
  pthread_mutex_unlock(&s->lock);
  if (last) free_stage(s);
}

/* ---- Workers */

/* The slot for the next element, with the lock; NULL: there will be none. */
static slot* next_slot(stage* s) {
  while (!s->stops && !s->input_ended &&
         (s->pulling || s->rests || s->begun - s->taken >= s->capacity))
    pthread_cond_wait(&s->room, &s->lock);
  if (s->stops || s->input_ended) return NULL;
  s->pulling = true;
  slot* at = &s->slots[s->begun++ % s->capacity];
  at->state = BUSY;
  at->end = false;
  return at;
}

static void note_error(tfc_context* ctx, slot* at, int code) {
  if (!code) return;
  at->code = tfc_take_error(ctx, &at->text);
  if (!at->code) at->code = code;
}

/* Fills the slot from the input and the function. */
static void make_element(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  bool end = false;
  int code = iterator_next(s->input, ctx, d->function ? arguments : at->element, &end);
  pthread_mutex_lock(&s->lock);
  s->pulling = false;
  s->input_ended |= end;
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
  at->end = end;
  if (!code && !end && d->function) {
    int n = dataset_width(d);
    for (int i = 0; i < d->n_values; i++) tfc_hold(s->api, &arguments[n + i], &d->values[i]);
    code = tfc_end_if_out_of_range(ctx, tfc_invoke(ctx, d->function, arguments, at->element),
                                   &at->end);
  }
  note_error(ctx, at, code);
}

static void work(tfc_context* ctx, void* arg) {
  stage* s = arg;
  pthread_mutex_lock(&s->lock);
  int64_t me = 0;
  while (s->contexts[me]) me++;
  s->contexts[me] = ctx;
  for (slot* at; (at = next_slot(s));) {
    pthread_mutex_unlock(&s->lock);
    make_element(s, ctx, at, s->arguments + me * s->n_arguments);
    pthread_mutex_lock(&s->lock);
    at->state = READY;
    s->input_ended |= at->end;
    pthread_cond_broadcast(&s->ready);
  }
  s->contexts[me] = NULL;
  pthread_cond_broadcast(&s->room);
  pthread_cond_broadcast(&s->ready);
  leave_stage(s);
}

/* ---- The iterator */

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for threads that prepare elements");
}

/* At least so many. Only before there are workers. */
static int make_slots(stage* s, tfc_context* ctx, int64_t capacity) {
  if (s->slots && capacity <= s->capacity) return TFC_OK;
  slot* slots = realloc(s->slots, (size_t)capacity * sizeof *slots);
  if (!slots) return no_memory(ctx);
  s->slots = slots;
  memset(slots + s->capacity, 0, (size_t)(capacity - s->capacity) * sizeof *slots);
  int64_t made = s->capacity;
  s->capacity = capacity;
  for (; made < capacity; made++)
    if (!(slots[made].element = calloc((size_t)s->n + 1, sizeof(tfc_tensor))))
      return no_memory(ctx);
  return TFC_OK;
}

static int background_open(iterator* it, tfc_context* ctx) {
  const background* d = (background*)it->dataset;
  stage* s = calloc(1, sizeof *s);
  if (!s) return no_memory(ctx);
  pthread_mutex_init(&s->lock, NULL);
  iterator_wait_init(&s->room);
  iterator_wait_init(&s->ready);
  ((background_iterator*)it)->stage = s;
  s->users = 1;
  s->api = ctx->api;
  s->dataset = d;
  s->n = d->base.n_components;
  s->process = getpid();
  tfc_hold(ctx->api, &s->owner, &it->owner);
  s->contexts = calloc((size_t)d->workers, sizeof *s->contexts);
  s->n_arguments = d->base.function ? dataset_width(&d->base) + d->base.n_values : 0;
  s->arguments = calloc((size_t)(d->workers * s->n_arguments) + 1, sizeof *s->arguments);
  if (!s->contexts || !s->arguments) return no_memory(ctx);
  TFC_TRY(make_slots(s, ctx, d->capacity));
  return iterator_open(ctx, &d->base.inputs[0], &s->input);
}

/* Threads begin with the first element: an iterator may be made and never used. */
static int start_workers(stage* s, tfc_context* ctx) {
  for (; s->n_workers < s->dataset->workers; s->n_workers++) {
    pthread_mutex_lock(&s->lock);
    s->users++;
    pthread_mutex_unlock(&s->lock);
    if (tfc_spawn_inner(s->api, work, s)) continue;
    pthread_mutex_lock(&s->lock);
    s->users--;
    pthread_mutex_unlock(&s->lock);
    if (!s->n_workers) return no_memory(ctx);
    return TFC_OK;
  }
  return TFC_OK;
}

/* With the lock. */
static int take(stage* s, tfc_context* ctx, slot* at, tfc_tensor* out, bool* end) {
  int code = at->code;
  *end = at->end;
  if (code) {
    tfc_error(ctx, code, "%s", at->text ? at->text : "no memory for the text of an error");
  } else if (!*end) {
    element_move(out, at->element, s->n);
  }
  free(at->text);
  at->text = NULL;
  at->code = TFC_OK;
  at->state = FREE;
  s->taken++;
  pthread_cond_broadcast(&s->room);
  return code;
}

static int background_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s->n_workers) TFC_TRY(start_workers(s, ctx));
  pthread_mutex_lock(&s->lock);
  slot* at = &s->slots[s->taken % s->capacity];
  while (at->state != READY) {
    iterator_wait(&s->ready, &s->lock);
    pthread_mutex_unlock(&s->lock);
    TFC_TRY(iterator_check(ctx));
    pthread_mutex_lock(&s->lock);
  }
  int code = take(s, ctx, at, out, end);
  pthread_mutex_unlock(&s->lock);
  return code;
}

/* ---- Positions: with the elements that are ready */

/* Waits for the elements that workers are making. */
static int rest(stage* s, tfc_context* ctx) {
  pthread_mutex_lock(&s->lock);
  s->rests = true;
  for (int64_t i = s->taken; i < s->begun;) {
    if (s->slots[i % s->capacity].state == READY) {
      i++;
      continue;
    }
    iterator_wait(&s->ready, &s->lock);
    pthread_mutex_unlock(&s->lock);
    TFC_TRY(iterator_check(ctx));
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
  return TFC_OK;
}

static void go_on(stage* s) {
  pthread_mutex_lock(&s->lock);
  s->rests = false;
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
}

static int slot_position(stage* s, position* p, slot* at) {
  int64_t code = at->code;
  TFC_TRY(position_count(p, &code, TFC_DATA_LOSS + 1));
  at->code = (int)code;
  TFC_TRY(position_bool(p, &at->end));
  TFC_TRY(position_text(p, &at->text));
  if (!code && !at->end) TFC_TRY(position_tensors(p, at->element, s->n));
  at->state = READY;
  return TFC_OK;
}

static int stage_position(stage* s, position* p) {
  int64_t ready = s->begun - s->taken;
  TFC_TRY(position_bool(p, &s->input_ended));
  TFC_TRY(position_count(p, &ready, MOST_SLOTS));
  if (!p->saves) TFC_TRY(make_slots(s, p->ctx, TFC_MAX(ready, s->capacity)));
  for (int64_t i = 0; i < ready; i++) {
    TFC_TRY(slot_position(s, p, &s->slots[(s->taken + i) % s->capacity]));
    if (!p->saves) s->begun++;
  }
  return position_of_pipeline(s->input, p);
}

static int background_position(iterator* it, position* p) {
  stage* s = ((background_iterator*)it)->stage;
  int code = rest(s, p->ctx);
  if (!code) code = stage_position(s, p);
  go_on(s);
  return code;
}

static void background_close(iterator* it) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s) return;
  if (s->process != getpid()) return; /* the lock may be held by a thread that is not here */
  pthread_mutex_lock(&s->lock);
  s->stops = true;
  pthread_cond_broadcast(&s->room);
  for (int i = 0; i < END_WAITS && s->users > 1; i++) {
    for (int64_t w = 0; w < s->n_workers; w++)
      if (s->contexts[w]) tfc_cancel_inner(s->api, s->contexts[w]);
    iterator_wait(&s->ready, &s->lock);
  }
  leave_stage(s);
}

/* ---- Kernels */

static const dataset_kind prefetch_kind = {.name = "Prefetch",
                                           .object = DATASET_OBJECT(background),
                                           .iterator_bytes = sizeof(background_iterator),
                                           .open = background_open,
                                           .next = background_next,
                                           .cardinality = dataset_cardinality_of_input,
                                           .position = background_position,
                                           .close = background_close};
static const dataset_kind parallel_map_kind = {.name = "ParallelMap",
                                               .object = DATASET_OBJECT(background),
                                               .iterator_bytes = sizeof(background_iterator),
                                               .open = background_open,
                                               .next = background_next,
                                               .cardinality = dataset_cardinality_of_map,
                                               .position = background_position,
                                               .close = background_close};

enum { AUTOTUNE = -1, TUNED_CAPACITY = 8 };

static int make_prefetch(tfc_context* ctx) {
  background* d;
  TFC_TRY(dataset_new(ctx, &prefetch_kind, 1, 0, 0, (void**)&d));
  d->workers = 1;
  TFC_TRY(dataset_int(ctx, 1, "buffer_size", &d->capacity));
  if (d->capacity < AUTOTUNE || d->capacity > MOST_SLOTS)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "buffer_size must be greater than or equal to 0 (or -1, to be tuned) and at most %d",
        MOST_SLOTS);
  if (d->capacity == AUTOTUNE) d->capacity = TUNED_CAPACITY;
  if (!d->capacity) d->capacity = 1;
  return TFC_OK;
}

static int make_parallel_map(tfc_context* ctx) {
  background* d;
  int last = ctx->n_inputs - 1;
  TFC_TRY(dataset_new(ctx, &parallel_map_kind, 1, 1, last - 1, (void**)&d));
  d->base.n_components = ((dataset_form*)ctx->state)->n_results;
  TFC_TRY(tfc_check_function(ctx, &d->base, "of a map"));
  TFC_TRY(dataset_int(ctx, last, "num_parallel_calls", &d->workers));
  if (d->workers == AUTOTUNE) d->workers = ctx->api->max_threads(ctx);
  if (d->workers <= 0 || d->workers > MOST_SLOTS / 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_parallel_calls must be greater than zero.");
  d->capacity = 2 * d->workers;
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("PrefetchDataset", "", make_prefetch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ParallelMapDataset", "", make_parallel_map, TFC_STATE(dataset_create_map)),
    TFC_ROW("ParallelMapDatasetV2", "", make_parallel_map, TFC_STATE(dataset_create_map)),
};
TFC_REGISTER_KERNELS(kernels);
