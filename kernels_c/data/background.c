/* Datasets whose elements other threads make ahead of time: PrefetchDataset, ParallelMapDataset.
 *
 * A stage has a ring of slots and some workers. A worker takes the next element of the input, under
 * `pulling`, and with it the next slot; it calls the function, if there is one, and marks the slot
 * as ready. The iterator takes the slots in order: the elements come in the input's order, whatever
 * the number of threads.
 *
 * A tuned stage grows when the iterator has to wait (see tuning.h): a prefetch gets twice as many
 * slots if all were full since it last grew, as then the elements come in bursts; a map gets
 * another worker if all are in the function, as then the input is not what takes long.
 *
 * The iterator's end cancels what the workers do and waits for them: what their functions use may
 * be gone afterwards. A function of the user may take any time, so the wait has a limit; the last
 * of them frees the stage.
 */
#include <unistd.h>

#include "kernels_c/data/map.h"
#include "kernels_c/data/position.h"
#include "kernels_c/data/tuning.h"

TFC_ONE_LEVEL;

typedef struct background {
  dataset base;
  stage_counts counts;
  int64_t workers, capacity; /* at the start */
  int64_t most_workers;
  bool tuned;
} background;

typedef enum { FREE, BUSY, READY } slot_state;

typedef struct slot {
  slot_state state;
  bool end; /* the function ended the dataset here */
  int code; /* of the error; TFC_OK: there is an element */
  char* text;
  tfc_tensor element[];
} slot;

typedef struct stage {
  pthread_mutex_t lock;
  pthread_cond_t room, ready;
  int users; /* the iterator and the workers */
  const tfc_api* api;
  tfc_tensor owner; /* keeps the dataset */
  const background* dataset;
  stage_counts* counts; /* of the dataset */
  iterator* input;
  int n; /* components of an element */
  slot** slots;
  int64_t capacity;
  int64_t begun, taken; /* slots that workers, and the iterator, have taken so far */
  int64_t filled;       /* slots that are ready */
  int64_t calling;      /* workers in the function */
  bool pulling;         /* a worker is in the input */
  bool input_ended, stops;
  bool rests;            /* workers begin no element: their iterator's position is being saved */
  bool was_full;         /* all slots were ready, since their number has changed */
  int pressed;           /* how often in a row all workers were in the function when it was tuned */
  int64_t element_bytes; /* of the largest so far, if it is tuned */
  int64_t reserved;      /* of the budget */
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

static void free_slot(stage* s, slot* at) {
  iterator_drop(s->api, at->element, s->n);
  free(at->text);
  free(at);
}

static void free_stage(stage* s) {
  iterator_close(s->input);
  for (int64_t i = 0; i < s->capacity; i++) free_slot(s, s->slots[i]);
  tuning_count(&s->counts->capacity, -s->capacity);
  tuning_count(&s->counts->filled, -s->filled);
  tuning_reserve(&s->reserved, 0);
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

/* With the lock: gives the ring `capacity` slots, in which those that are in use keep their order.
 * False: no memory; it stays as it is. */
static bool grow_ring(stage* s, int64_t capacity) {
  slot** grown = calloc((size_t)capacity, sizeof *grown);
  int64_t made = 0, more = capacity - s->capacity;
  for (; grown && made < more; made++) {
    slot* fresh = calloc(1, sizeof *fresh + (size_t)s->n * sizeof *fresh->element);
    if (!fresh) break;
    grown[(s->taken + s->capacity + made) % capacity] = fresh;
  }
  if (!grown || made < more) {
    for (int64_t i = 0; grown && i < capacity; i++) free(grown[i]);
    free(grown);
    return false;
  }
  for (int64_t i = s->taken; i < s->taken + s->capacity; i++)
    grown[i % capacity] = s->slots[i % s->capacity];
  free(s->slots);
  s->slots = grown;
  s->capacity = capacity;
  s->was_full = false;
  tuning_count(&s->counts->capacity, more);
  pthread_cond_broadcast(&s->room);
  return true;
}

/* ---- Workers */

/* With the lock: waits for room, and for the input. Of both it notes how long. */
static bool wait_for_turn(stage* s) {
  int64_t since = tuning_now();
  while (!s->stops && !s->input_ended) {
    bool full = s->begun - s->taken >= s->capacity;
    if (!full && !s->pulling && !s->rests) return true;
    pthread_cond_wait(&s->room, &s->lock);
    tuning_lap(full ? &s->counts->room_ns : &s->counts->input_ns, &since);
  }
  return false;
}

/* The slot for the next element, with the lock; NULL: there will be none. */
static slot* next_slot(stage* s) {
  if (!wait_for_turn(s)) return NULL;
  s->pulling = true;
  slot* at = s->slots[s->begun++ % s->capacity];
  at->state = BUSY;
  at->end = false;
  return at;
}

static void note_error(tfc_context* ctx, slot* at, int code) {
  if (!code) return;
  at->code = tfc_take_error(ctx, &at->text);
  if (!at->code) at->code = code;
}

static int call_function(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  int n = dataset_width(d);
  for (int i = 0; i < d->n_values; i++) tfc_hold(s->api, &arguments[n + i], &d->values[i]);
  return tfc_end_if_out_of_range(ctx, tfc_invoke(ctx, d->function, arguments, at->element),
                                 &at->end);
}

/* Fills the slot from the input and the function. Returns with the lock. */
static void make_element(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  bool end = false;
  int64_t since = tuning_now();
  int code = iterator_next(s->input, ctx, d->function ? arguments : at->element, &end);
  tuning_lap(&s->counts->input_ns, &since);
  const bool calls = !code && !end && d->function;
  pthread_mutex_lock(&s->lock);
  s->pulling = false;
  s->input_ended |= end;
  s->calling += calls;
  pthread_cond_broadcast(&s->room);
  pthread_mutex_unlock(&s->lock);
  at->end = end;
  if (calls) {
    tuning_count(&s->counts->calling, 1);
    code = call_function(s, ctx, at, arguments);
    tuning_count(&s->counts->calling, -1);
    tuning_lap(&s->counts->function_ns, &since);
  }
  note_error(ctx, at, code);
  pthread_mutex_lock(&s->lock);
  s->calling -= calls;
  at->state = READY;
  s->input_ended |= at->end;
  s->was_full |= ++s->filled == s->capacity;
  if (s->dataset->tuned && !at->code && !at->end)
    s->element_bytes = TFC_MAX(s->element_bytes, tuning_bytes(at->element, s->n));
  tuning_count(&s->counts->filled, 1);
  pthread_cond_broadcast(&s->ready);
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
  }
  s->contexts[me] = NULL;
  tuning_count(&s->counts->workers, -1);
  pthread_cond_broadcast(&s->room);
  pthread_cond_broadcast(&s->ready);
  leave_stage(s);
}

/* With the lock: begins another worker. */
static bool add_worker(stage* s) {
  s->users++;
  s->n_workers++;
  tuning_count(&s->counts->workers, 1);
  if (tfc_spawn_inner(s->api, work, s)) return true;
  s->users--;
  s->n_workers--;
  tuning_count(&s->counts->workers, -1);
  return false;
}

/* ---- The iterator */

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for threads that prepare elements");
}

static int background_open(iterator* it, tfc_context* ctx) {
  background* d = (background*)it->dataset;
  stage* s = calloc(1, sizeof *s);
  if (!s) return no_memory(ctx);
  pthread_mutex_init(&s->lock, NULL);
  iterator_wait_init(&s->room);
  iterator_wait_init(&s->ready);
  ((background_iterator*)it)->stage = s;
  s->users = 1;
  s->api = ctx->api;
  s->dataset = d;
  s->counts = &d->counts;
  s->n = d->base.n_components;
  s->process = getpid();
  tfc_hold(ctx->api, &s->owner, &it->owner);
  s->contexts = calloc((size_t)d->most_workers, sizeof *s->contexts);
  s->n_arguments = d->base.function ? dataset_width(&d->base) + d->base.n_values : 0;
  s->arguments = calloc((size_t)(d->most_workers * s->n_arguments) + 1, sizeof *s->arguments);
  if (!s->contexts || !s->arguments || !grow_ring(s, d->capacity)) return no_memory(ctx);
  return iterator_open(ctx, &d->base.inputs[0], &s->input);
}

/* Threads begin with the first element: an iterator may be made and never used. */
static int start_workers(stage* s, tfc_context* ctx) {
  pthread_mutex_lock(&s->lock);
  while (s->n_workers < s->dataset->workers && add_worker(s)) {
  }
  bool any = s->n_workers > 0;
  pthread_mutex_unlock(&s->lock);
  return any ? TFC_OK : no_memory(ctx);
}

/* With the lock. */
static bool reserve_slots(stage* s, int64_t capacity) {
  int64_t bytes;
  return capacity <= MOST_SLOTS && !__builtin_mul_overflow(capacity, s->element_bytes, &bytes) &&
         tuning_reserve(&s->reserved, bytes);
}

/* With the lock, when the iterator has to wait. Workers that are all in the function once may be so
 * by chance. */
static void tune(stage* s) {
  enum { ENOUGH = 2 };
  const background* d = s->dataset;
  if (s->input_ended || s->stops) return;
  if (!d->base.function) {
    if (s->was_full && reserve_slots(s, 2 * s->capacity)) grow_ring(s, 2 * s->capacity);
    return;
  }
  if (s->n_workers == d->most_workers) return;
  s->pressed = s->calling < s->n_workers ? 0 : s->pressed + 1;
  if (s->pressed < ENOUGH) return;
  s->pressed = 0;
  int64_t capacity = TFC_MAX(s->capacity, 2 * (s->n_workers + 1)); /* restored, it may be larger */
  if (reserve_slots(s, capacity) && grow_ring(s, capacity)) add_worker(s);
}

static slot* head(const stage* s) {
  return s->slots[s->taken % s->capacity];
}

/* With the lock, which it gives up for a time. */
static int wait_for_head(stage* s, tfc_context* ctx) {
  int code = TFC_OK;
  int64_t since = tuning_now();
  tuning_count(&s->counts->empty, 1);
  while (!code && head(s)->state != READY) {
    if (s->dataset->tuned) tune(s);
    iterator_wait(&s->ready, &s->lock);
    pthread_mutex_unlock(&s->lock);
    code = iterator_check(ctx);
    pthread_mutex_lock(&s->lock);
  }
  tuning_lap(&s->counts->consumer_ns, &since);
  return code;
}

/* With the lock. */
static int take(stage* s, tfc_context* ctx, tfc_tensor* out, bool* end) {
  slot* at = head(s);
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
  s->filled--;
  tuning_count(&s->counts->filled, -1);
  if (!*end) tuning_count(&s->counts->elements, 1);
  pthread_cond_broadcast(&s->room);
  return code;
}

static int background_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s->n_workers) TFC_TRY(start_workers(s, ctx));
  pthread_mutex_lock(&s->lock);
  int code = head(s)->state == READY ? TFC_OK : wait_for_head(s, ctx);
  if (!code) code = take(s, ctx, out, end);
  pthread_mutex_unlock(&s->lock);
  return code;
}

/* ---- Positions: with the elements that are ready */

/* Waits for the elements that workers are making. */
static int rest(stage* s, tfc_context* ctx) {
  pthread_mutex_lock(&s->lock);
  s->rests = true;
  for (int64_t i = s->taken; i < s->begun;) {
    if (s->slots[i % s->capacity]->state == READY) {
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

static int stage_position(stage* s, position* p, bool ended) {
  int64_t ready = s->begun - s->taken;
  bool ends = false;
  TFC_TRY(position_bool(p, &s->input_ended));
  TFC_TRY(position_count(p, &ready, MOST_SLOTS));
  if (!p->saves && ready > s->capacity && !grow_ring(s, ready)) return no_memory(p->ctx);
  for (int64_t i = 0; i < ready; i++) {
    TFC_TRY(slot_position(s, p, s->slots[(s->taken + i) % s->capacity]));
    if (p->saves) continue;
    s->begun++;
    s->filled++;
    tuning_count(&s->counts->filled, 1);
    ends |= s->slots[(s->taken + i) % s->capacity]->end;
  }
  if (!p->saves && s->input_ended && !ended && !ends)
    return position_misfit(p, "its end is missing");
  return position_of_pipeline(s->input, p);
}

static int background_position(iterator* it, position* p) {
  stage* s = ((background_iterator*)it)->stage;
  int code = rest(s, p->ctx);
  if (!code) code = stage_position(s, p, it->ended);
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

static int make_prefetch(tfc_context* ctx) {
  background* d;
  TFC_TRY(dataset_new(ctx, &prefetch_kind, 1, 0, 0, (void**)&d));
  d->base.counts = &d->counts;
  d->workers = d->most_workers = 1;
  TFC_TRY(dataset_int(ctx, 1, "buffer_size", &d->capacity));
  if (d->capacity < AUTOTUNE || d->capacity > MOST_SLOTS)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "buffer_size must be greater than or equal to 0 (or -1, to be tuned) and at most %d",
        MOST_SLOTS);
  d->tuned = d->capacity == AUTOTUNE;
  if (d->capacity <= 0) d->capacity = 1;
  return TFC_OK;
}

static int make_parallel_map(tfc_context* ctx) {
  background* d;
  int last = ctx->n_inputs - 1;
  TFC_TRY(dataset_new(ctx, &parallel_map_kind, 1, 1, last - 1, (void**)&d));
  d->base.counts = &d->counts;
  d->base.n_components = ((dataset_form*)ctx->state)->n_results;
  TFC_TRY(tfc_check_function(ctx, &d->base, "of a map"));
  TFC_TRY(dataset_int(ctx, last, "num_parallel_calls", &d->workers));
  d->tuned = d->workers == AUTOTUNE;
  if (d->tuned) d->workers = 1;
  if (d->workers <= 0 || d->workers > MOST_SLOTS / 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_parallel_calls must be greater than zero.");
  d->most_workers = d->tuned ? ctx->api->max_threads(ctx) : d->workers;
  d->capacity = 2 * d->workers;
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("PrefetchDataset", "", make_prefetch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ParallelMapDataset", "", make_parallel_map, TFC_STATE(dataset_create_map)),
    TFC_ROW("ParallelMapDatasetV2", "", make_parallel_map, TFC_STATE(dataset_create_map)),
};
TFC_REGISTER_KERNELS(kernels);
