/* Datasets whose elements other threads make ahead of time: PrefetchDataset, ParallelMapDataset,
 * and its batches, MapAndBatchDataset.
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
 * To hand an element from one thread to another takes longer than to make one if the function is
 * quick. If those of a map are quick on average, the iterator makes them itself, and the workers
 * only watch: a call that does not return may wait for another one, which a worker must make.
 */
#include "kernels_c/data/map.h"
#include "kernels_c/data/threads/workers.h"

TFC_ONE_LEVEL;

typedef struct background {
  dataset base;
  stage_counts counts;
  call_counter* calls;       /* of a map */
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
  call_numbers numbers; /* of the worker that is in the input */
  bool input_ended;
  bool was_full;         /* all slots were ready, since their number has changed */
  int pressed;           /* how often in a row all workers were in the function when it was tuned */
  int64_t element_bytes; /* of the largest so far, if it is tuned */
  int64_t reserved;      /* of the budget */
  tfc_tensor* arguments; /* of the function: n_arguments for each worker, and for the iterator */
  int n_arguments;
  int64_t mean_ns; /* that an element of a map takes, of late */
  bool quick;      /* the iterator makes the elements itself */
  bool in_call;    /* the iterator is in the function */
  bool watched;    /* a worker looks now and then whether the iterator gets on */
  bool unwatched;  /* no worker does, as nobody took elements */
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

/* ---- Whether elements are quick */

enum { QUICK_NS = 8000, FIRST_NS = 2 * QUICK_NS, LONG_NS = 32 * QUICK_NS, MEMORY = 64 };

/* With the lock. An element may take long because its thread lost the processor: the mean has a
 * limited part of that. */
static void note_time(stage* s, int64_t ns) {
  bool was_quick = s->quick;
  s->mean_ns += (TFC_MIN(ns, LONG_NS) - s->mean_ns) / MEMORY;
  /* A call with a number keeps it while the iterator is in this stage. */
  s->quick = s->mean_ns < QUICK_NS && !s->numbers.nested;
  if (was_quick && !s->quick) pthread_cond_broadcast(&s->workers.room);
}

/* With the lock, which it gives up for a time. A call that lasts all that time may wait for another
 * one, which the workers must be able to make. */
static void watch(stage* s) {
  int64_t taken = s->taken;
  bool in_call = s->in_call;
  s->watched = true;
  iterator_wait(&s->workers.room, &s->workers.lock);
  s->watched = false;
  if (s->workers.stops || s->input_ended) return;
  if (!s->quick || s->taken != taken || s->in_call != in_call) return;
  if (in_call) {
    s->mean_ns = LONG_NS;
    note_time(s, LONG_NS);
  } else {
    s->unwatched = true;
    pthread_cond_wait(&s->workers.room, &s->workers.lock);
  }
}

/* ---- Workers */

/* With the lock: waits for room, and for the input. Of both it notes how long. */
static bool wait_for_turn(stage* s) {
  int64_t since = tuning_now();
  while (!s->workers.stops && !s->input_ended) {
    bool full = s->quick || s->begun - s->taken >= s->capacity;
    if (!full && !s->pulling && !s->workers.rests) return true;
    if (s->quick && !s->watched && !s->unwatched)
      watch(s);
    else
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

static slot* head(const stage* s) {
  return s->slots[s->taken % s->capacity];
}

static int call_function(stage* s, tfc_context* ctx, tfc_tensor* arguments, int64_t number,
                         tfc_tensor* out, bool* end) {
  const dataset* d = &s->dataset->base;
  int n = dataset_width(d), code = tfc_number_calls(ctx, s->numbers.scope, number);
  if (code) {
    iterator_drop(s->workers.api, arguments, n);
    return code;
  }
  for (int i = 0; i < d->n_values; i++) tfc_hold(s->workers.api, &arguments[n + i], &d->values[i]);
  tuning_count(&s->workers.counts->calling, 1);
  code = tfc_invoke(ctx, d->function, arguments, out);
  tuning_count(&s->workers.counts->calling, -1);
  return tfc_end_if_out_of_range(ctx, code, end);
}

/* Fills the slot from the input and the function. Returns with the lock. */
static void make_element(stage* s, tfc_context* ctx, slot* at, tfc_tensor* arguments) {
  const dataset* d = &s->dataset->base;
  bool end = false;
  int64_t begun = tuning_now(), since = begun;
  int code = call_numbers_pull(&s->numbers, ctx);
  if (!code) code = iterator_next(s->input, ctx, d->function ? arguments : at->element, &end);
  tuning_lap(&s->workers.counts->input_ns, &since);
  const bool calls = !code && !end && d->function;
  const int64_t number = call_numbers_count(&s->numbers, !code && !end);
  at->number = s->numbers.next;
  pthread_mutex_lock(&s->workers.lock);
  s->pulling = false;
  s->input_ended |= end;
  s->calling += calls;
  pthread_cond_broadcast(&s->workers.room);
  pthread_mutex_unlock(&s->workers.lock);
  at->end = end;
  if (calls) {
    code = call_function(s, ctx, arguments, number, at->element, &at->end);
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
  if (calls) note_time(s, since - begun);
  tuning_count(&s->workers.counts->filled, 1);
  if (at == head(s) || s->workers.rests) pthread_cond_broadcast(&s->workers.ready);
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
  call_numbers_open(&s->numbers, ctx, d->calls);
  s->n_arguments = d->base.function ? dataset_width(&d->base) + d->base.n_values : 0;
  s->arguments = calloc((size_t)((d->most_workers + 1) * s->n_arguments) + 1, sizeof *s->arguments);
  s->mean_ns = FIRST_NS;
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
  call_numbers_taken(&s->numbers, head(s)->number);
  int code = slot_take(head(s), ctx, out, s->n, end);
  s->taken++;
  s->filled--;
  tuning_count(&s->workers.counts->filled, -1);
  if (!*end) tuning_count(&s->workers.counts->elements, 1);
  pthread_cond_broadcast(&s->workers.room);
  return code;
}

/* With the lock: the input is the iterator's. */
static void begin_itself(stage* s) {
  s->begun++;
  s->pulling = true;
  if (!s->unwatched) return;
  s->unwatched = false;
  pthread_cond_broadcast(&s->workers.room);
}

/* With the lock: the input is the workers' again. */
static void leave_input(stage* s, bool calls, bool end) {
  s->pulling = false;
  s->in_call = calls;
  s->input_ended |= end;
  if (end || !s->quick || s->unwatched) pthread_cond_broadcast(&s->workers.room);
  s->unwatched = false;
}

/* The next element, by the iterator itself. With the lock, which it gives up. */
static int make_itself(stage* s, tfc_context* ctx, tfc_tensor* out, bool* end) {
  tfc_tensor* arguments = s->arguments + s->dataset->most_workers * s->n_arguments;
  int64_t begun = tuning_now(), since = begun;
  begin_itself(s);
  pthread_mutex_unlock(&s->workers.lock);
  int code = call_numbers_pull(&s->numbers, ctx);
  if (!code) code = iterator_next(s->input, ctx, arguments, end);
  tuning_lap(&s->workers.counts->input_ns, &since);
  const bool calls = !code && !*end;
  const int64_t number = call_numbers_count(&s->numbers, calls), next = s->numbers.next;
  pthread_mutex_lock(&s->workers.lock);
  leave_input(s, calls, *end);
  pthread_mutex_unlock(&s->workers.lock);
  if (calls) {
    code = call_function(s, ctx, arguments, number, out, end);
    tfc_number_calls(ctx, 0, -1);
    tuning_lap(&s->workers.counts->function_ns, &since);
  }
  pthread_mutex_lock(&s->workers.lock);
  call_numbers_taken(&s->numbers, next);
  s->taken++;
  s->in_call = false;
  s->input_ended |= *end;
  note_time(s, since - begun);
  if (!code && !*end) tuning_count(&s->workers.counts->elements, 1);
  return code;
}

static int background_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s->workers.n) {
    call_numbers_begin(&s->numbers);
    TFC_TRY(workers_start(&s->workers, ctx, s->dataset->workers));
  }
  pthread_mutex_lock(&s->workers.lock);
  int code;
  if (s->quick && s->begun == s->taken && !s->input_ended) {
    code = make_itself(s, ctx, out, end);
  } else {
    code = head(s)->ready ? TFC_OK : wait_for_head(s, ctx);
    if (!code) code = take(s, ctx, out, end);
  }
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
    if (p->has_numbers && s->dataset->calls) TFC_TRY(position_count(p, &at->number, INT64_MAX));
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

static void commit_numbers(iterator* it) {
  call_numbers_commit(&((background_iterator*)it)->stage->numbers);
}

static int background_position(iterator* it, position* p) {
  stage* s = ((background_iterator*)it)->stage;
  int code = workers_rest(&s->workers, p->ctx, is_busy);
  if (!code) code = call_numbers_position(&s->numbers, p, commit_numbers, it);
  if (!code) code = stage_position(s, p, it->ended);
  workers_go_on(&s->workers);
  return code;
}

static void background_close(iterator* it) {
  stage* s = ((background_iterator*)it)->stage;
  if (!s) return;
  call_numbers_close(&s->numbers);
  workers_close(&s->workers);
}

/* ---- Kernels */

static void drop_calls(dataset* d) {
  counter_drop(((background*)d)->calls);
}

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
                                               .close = background_close,
                                               .destroy = drop_calls};

typedef struct map_form {
  dataset_form base;
  call_counter* calls;
} map_form;

static int create_parallel_map(tfc_construction* c, void** state) {
  TFC_TRY(dataset_create_map(c, state));
  map_form* form = realloc(*state, sizeof *form);
  int code = form ? call_numbers_find(c, &form->calls)
                  : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  if (code)
    free(form ? (void*)form : *state);
  else
    *state = form;
  return code;
}

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
  d->calls = counter_hold(((map_form*)ctx->state)->calls);
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

/* The inputs after the captured values: batch_size, num_parallel_calls, drop_remainder. */
static int make_map_and_batch(tfc_context* ctx) {
  const int size = ctx->n_inputs - 3;
  const tfc_tensor** of_map = calloc((size_t)size + 1, sizeof *of_map);
  if (!of_map) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a dataset");
  memcpy(of_map, ctx->inputs, (size_t)size * sizeof *of_map);
  of_map[size] = ctx->inputs[size + 1];
  tfc_tensor map;
  int code = dataset_make_inner(ctx, make_parallel_map, of_map, size + 1, &map);
  free(of_map);
  if (code) return code;
  const tfc_tensor* of_batch[] = {&map, ctx->inputs[size], ctx->inputs[size + 2]};
  code = dataset_make_of(ctx, tfc_make_batch, of_batch, 3);
  tfc_let_go(ctx->api, &map);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("PrefetchDataset", "", make_prefetch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ParallelMapDataset", "", make_parallel_map, TFC_STATE(create_parallel_map)),
    TFC_ROW("MapAndBatchDataset", "", make_map_and_batch, TFC_STATE(create_parallel_map)),
    TFC_ROW("ParallelMapDatasetV2", "", make_parallel_map, TFC_STATE(create_parallel_map)),
};
TFC_REGISTER_KERNELS(kernels);
