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
 */
#include "kernels_c/data/map.h"
#include "kernels_c/data/workers.h"

TFC_ONE_LEVEL;

typedef struct background {
  dataset base;
  stage_counts counts;
  int64_t workers, capacity; /* at the start */
  int64_t most_workers;
  bool tuned;
} background;

typedef struct stage {
  workers workers;
  tfc_tensor owner; /* keeps the dataset */
  const background* dataset;
  iterator* input;
  int n; /* components of an element */
  slot** slots;
  int64_t capacity;
  int64_t begun, taken; /* slots that workers, and the iterator, have taken so far */
  int64_t filled;       /* slots that are ready */
  int64_t calling;      /* workers in the function */
  bool pulling;         /* a worker is in the input */
  bool input_ended;
  bool was_full;         /* all slots were ready, since their number has changed */
  int pressed;           /* how often in a row all workers were in the function when it was tuned */
  int64_t element_bytes; /* of the largest so far, if it is tuned */
  int64_t reserved;      /* of the budget */
  tfc_tensor* arguments; /* of the function: n_arguments for each worker */
  int n_arguments;
} stage;

typedef struct background_iterator {
  iterator base;
  stage* stage;
} background_iterator;

static void free_stage(workers* w) {
  stage* s = (stage*)w;
  iterator_close(s->input);
  for (int64_t i = 0; i < s->capacity; i++) slot_free(w->api, s->slots[i], s->n);
  tuning_count(&w->counts->capacity, -s->capacity);
  tuning_count(&w->counts->filled, -s->filled);
  tuning_reserve(&s->reserved, 0);
  free(s->slots);
  free(s->arguments);
  tfc_let_go(w->api, &s->owner);
}

/* With the lock: gives the ring `capacity` slots, in which those that are in use keep their order.
 * False: no memory; it stays as it is. */
static bool grow_ring(stage* s, int64_t capacity) {
  slot** grown = calloc((size_t)capacity, sizeof *grown);
  int64_t made = 0, more = capacity - s->capacity;
  for (; grown && made < more; made++) {
    slot* fresh = slot_new(s->n);
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
  tuning_count(&s->workers.counts->capacity, more);
  pthread_cond_broadcast(&s->workers.room);
  return true;
}

/* ---- Workers */

/* With the lock: waits for room, and for the input. Of both it notes how long. */
static bool wait_for_turn(stage* s) {
  int64_t since = tuning_now();
  while (!s->workers.stops && !s->input_ended) {
    bool full = s->begun - s->taken >= s->capacity;
    if (!full && !s->pulling && !s->workers.rests) return true;
    pthread_cond_wait(&s->workers.room, &s->workers.lock);
    tuning_lap(full ? &s->workers.counts->room_ns : &s->workers.counts->input_ns, &since);
  }
  return false;
}

/* The slot for the next element, with the lock; NULL: there will be none. */
static slot* next_slot(stage* s) {
  if (!wait_for_turn(s)) return NULL;
  s->pulling = true;
  slot* at = s->slots[s->begun++ % s->capacity];
  at->end = false;
  return at;
}

static int call_function(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  int n = dataset_width(d);
  for (int i = 0; i < d->n_values; i++) tfc_hold(s->workers.api, &arguments[n + i], &d->values[i]);
  return tfc_end_if_out_of_range(ctx, tfc_invoke(ctx, d->function, arguments, at->element),
                                 &at->end);
}

/* Fills the slot from the input and the function. Returns with the lock. */
static void make_element(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  bool end = false;
  int64_t since = tuning_now();
  int code = iterator_next(s->input, ctx, d->function ? arguments : at->element, &end);
  tuning_lap(&s->workers.counts->input_ns, &since);
  const bool calls = !code && !end && d->function;
  pthread_mutex_lock(&s->workers.lock);
  s->pulling = false;
  s->input_ended |= end;
  s->calling += calls;
  pthread_cond_broadcast(&s->workers.room);
  pthread_mutex_unlock(&s->workers.lock);
  at->end = end;
  if (calls) {
    tuning_count(&s->workers.counts->calling, 1);
    code = call_function(s, ctx, at, arguments);
    tuning_count(&s->workers.counts->calling, -1);
    tuning_lap(&s->workers.counts->function_ns, &since);
  }
  slot_note(at, ctx, code);
  pthread_mutex_lock(&s->workers.lock);
  s->calling -= calls;
  at->ready = true;
  s->input_ended |= at->end;
  s->was_full |= ++s->filled == s->capacity;
  if (s->dataset->tuned && !at->code && !at->end)
    s->element_bytes = TFC_MAX(s->element_bytes, tuning_bytes(at->element, s->n));
  tuning_count(&s->workers.counts->filled, 1);
  pthread_cond_broadcast(&s->workers.ready);
}

static void work(workers* w, tfc_context* ctx, int64_t me) {
  stage* s = (stage*)w;
  for (slot* at; (at = next_slot(s));) {
    pthread_mutex_unlock(&w->lock);
    make_element(s, ctx, at, s->arguments + me * s->n_arguments);
  }
}

static const workers_kind kind = {work, free_stage};

/* ---- The iterator */

static int background_open(iterator* it, tfc_context* ctx) {
  background* d = (background*)it->dataset;
  stage* s = iterator_allocate(ctx, 1, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  ((background_iterator*)it)->stage = s;
  int code = workers_init(&s->workers, ctx, &kind, &d->counts, d->most_workers);
  s->dataset = d;
  s->n = d->base.n_components;
  tfc_hold(ctx->api, &s->owner, &it->owner);
  TFC_TRY(code);
  s->n_arguments = d->base.function ? dataset_width(&d->base) + d->base.n_values : 0;
  s->arguments = calloc((size_t)(d->most_workers * s->n_arguments) + 1, sizeof *s->arguments);
  if (!s->arguments || !grow_ring(s, d->capacity)) return workers_no_memory(ctx);
  return iterator_open(ctx, &d->base.inputs[0], &s->input);
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
  if (s->input_ended || s->workers.stops) return;
  if (!d->base.function) {
    if (s->was_full && reserve_slots(s, 2 * s->capacity)) grow_ring(s, 2 * s->capacity);
    return;
  }
  if (s->workers.n == d->most_workers) return;
  s->pressed = s->calling < s->workers.n ? 0 : s->pressed + 1;
  if (s->pressed < ENOUGH) return;
  s->pressed = 0;
  int64_t capacity = TFC_MAX(s->capacity, 2 * (s->workers.n + 1)); /* restored, it may be larger */
  if (reserve_slots(s, capacity) && grow_ring(s, capacity)) workers_add(&s->workers);
}

static slot* head(const stage* s) {
  return s->slots[s->taken % s->capacity];
}

/* With the lock, which it gives up for a time. */
static int wait_for_head(stage* s, tfc_context* ctx) {
  stage_counts* counts = s->workers.counts;
  int code = TFC_OK;
  int64_t since = tuning_now();
  tuning_count(&counts->empty, 1);
  while (!code && !head(s)->ready) {
    if (s->dataset->tuned) tune(s);
    code = workers_wait(&s->workers, ctx);
  }
  tuning_lap(&counts->consumer_ns, &since);
  return code;
}

/* With the lock. */
static int take(stage* s, tfc_context* ctx, tfc_tensor* out, bool* end) {
  int code = slot_take(head(s), ctx, out, s->n, end);
  s->taken++;
  s->filled--;
  tuning_count(&s->workers.counts->filled, -1);
  if (!*end) tuning_count(&s->workers.counts->elements, 1);
  pthread_cond_broadcast(&s->workers.room);
  return code;
}

static int background_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s->workers.n) TFC_TRY(workers_start(&s->workers, ctx, s->dataset->workers));
  pthread_mutex_lock(&s->workers.lock);
  int code = head(s)->ready ? TFC_OK : wait_for_head(s, ctx);
  if (!code) code = take(s, ctx, out, end);
  pthread_mutex_unlock(&s->workers.lock);
  return code;
}

/* ---- Positions: with the elements that are ready */

static bool is_busy(const workers* w) {
  const stage* s = (const stage*)w;
  return s->filled < s->begun - s->taken;
}

static int stage_position(stage* s, position* p, bool ended) {
  int64_t ready = s->begun - s->taken;
  bool ends = false;
  TFC_TRY(position_bool(p, &s->input_ended));
  TFC_TRY(position_count(p, &ready, MOST_SLOTS));
  if (!p->saves && ready > s->capacity && !grow_ring(s, ready)) return workers_no_memory(p->ctx);
  for (int64_t i = 0; i < ready; i++) {
    slot* at = s->slots[(s->taken + i) % s->capacity];
    TFC_TRY(slot_position(at, p, s->n));
    ends |= at->end;
    if (p->saves) continue;
    s->begun++;
    s->filled++;
    tuning_count(&s->workers.counts->filled, 1);
  }
  if (!p->saves && s->input_ended && !ended && !ends)
    return position_misfit(p, "its end is missing");
  return position_of_pipeline(s->input, p);
}

static int background_position(iterator* it, position* p) {
  stage* s = ((background_iterator*)it)->stage;
  int code = workers_rest(&s->workers, p->ctx, is_busy);
  if (!code) code = stage_position(s, p, it->ended);
  workers_go_on(&s->workers);
  return code;
}

static void background_close(iterator* it) {
  stage* s = ((background_iterator*)it)->stage;
  if (s) workers_close(&s->workers);
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
