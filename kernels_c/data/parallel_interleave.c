/* ParallelInterleaveDataset: datasets that a function makes of the elements take turns, and threads
 * make their elements ahead of time.
 *
 * A stage has a lane for each dataset of the cycle, with a ring of slots, and some workers. A
 * worker takes the lane whose turn comes next among those with room that no other worker is in, and
 * makes one element of its dataset. The iterator takes elements from the lanes in turn, in the
 * order of InterleaveDataset; a sloppy one passes over a lane that has none.
 *
 * Lanes without a dataset stand in a line; one worker at a time takes the first and opens the next
 * dataset for it. A lane joins the line when the iterator finds its dataset's end, so the line is
 * in the order of turns: which lane gets which dataset does not depend on the threads. After an
 * error in the function the lane stays the first.
 */
#include "kernels_c/data/map.h"
#include "kernels_c/data/threads/workers.h"

TFC_ONE_LEVEL;

typedef struct parallel_interleave {
  dataset base;
  stage_counts counts;
  call_counter* calls;
  int64_t cycle_length, block_length;
  int64_t slots;                 /* of a lane */
  int64_t workers, most_workers; /* at the start, and when it is tuned */
  bool sloppy;
} parallel_interleave;

typedef enum { WAITING, OPEN, OVER, CLOSED } lane_state; /* WAITING: in the line */

typedef struct lane {
  lane_state state;
  iterator* open;     /* of the worker that is in it, else under lock */
  tfc_tensor* source; /* the element that it was made from */
  bool busy;          /* a worker is in it */
  int64_t first, n;   /* slots that are filled */
  int64_t number;     /* of the call that made its dataset */
  uint64_t scope;     /* of the elements, which are numbered: */
  int64_t made;       /* so many were made of `open` */
  struct lane* after; /* in the line */
  slot** slots;
} lane;

typedef struct stage {
  workers workers;
  const parallel_interleave* dataset;
  iterator source; /* of which the workers are a part: its input, and an element for the function */
  int n;           /* components of an element */
  lane* lanes;
  lane *first, *last; /* of the line */
  int64_t at;         /* the lane whose turn it is... */
  int64_t taken;      /* ...and how many elements of it there were */
  int64_t live;       /* lanes that are not CLOSED, or still have errors */
  int64_t working;    /* workers that are in a lane */
  bool opening;       /* a worker is in the input */
  call_numbers numbers;
  bool input_ended;
} stage;

typedef struct interleave_iterator {
  iterator base;
  stage* stage;
} interleave_iterator;

/* ---- The stage */

static int source_width(const stage* s) {
  return dataset_width(&s->dataset->base);
}

static void free_lane(stage* s, lane* l) {
  iterator_close(l->open);
  if (l->source) iterator_drop(s->workers.api, l->source, source_width(s));
  free(l->source);
  for (int64_t i = 0; l->slots && i < s->dataset->slots; i++) {
    if (l->slots[i]) slot_free(s->workers.api, l->slots[i], s->n);
  }
  free(l->slots);
}

static void free_stage(workers* w) {
  stage* s = (stage*)w;
  const int64_t n_lanes = s->dataset->cycle_length;
  iterator_close(s->source.input);
  if (s->source.element) iterator_drop(w->api, s->source.element, s->source.n_element);
  free(s->source.element);
  for (int64_t i = 0; s->lanes && i < n_lanes; i++) {
    tuning_count(&w->counts->filled, -s->lanes[i].n);
    free_lane(s, &s->lanes[i]);
  }
  if (s->lanes) tuning_count(&w->counts->capacity, -n_lanes * s->dataset->slots);
  free(s->lanes);
  tfc_let_go(w->api, &s->source.owner);
}

static void join_line(stage* s, lane* l) {
  l->state = WAITING;
  l->after = NULL;
  *(s->first ? &s->last->after : &s->first) = l;
  s->last = l;
}

/* ---- Workers. With the lock, unless it says otherwise. */

static bool has_room(const stage* s, const lane* l) {
  return l->n < s->dataset->slots;
}

static slot* next_slot(const stage* s, const lane* l) {
  return l->slots[(l->first + l->n) % s->dataset->slots];
}

static void fill(stage* s, lane* l) {
  l->n++;
  tuning_count(&s->workers.counts->filled, 1);
  pthread_cond_broadcast(&s->workers.ready);
}

static void note(tfc_context* ctx, slot* at, int code, bool end) {
  at->end = end;
  slot_note(at, ctx, code);
}

static void close_lane(stage* s, lane* l) {
  l->state = CLOSED;
  s->live -= !l->n;
}

static void close_line(stage* s) {
  for (lane* l = s->first; l; l = l->after) close_lane(s, l);
  s->first = NULL;
  pthread_cond_broadcast(&s->workers.ready);
}

/* Opens the lane's dataset. The scope is that for all of its elements. */
static int open_result(stage* s, tfc_context* ctx, lane* l, int64_t number, iterator** made,
                       bool* end) {
  TFC_TRY(tfc_number_calls(ctx, s->numbers.scope, number));
  l->scope = tfc_new_scope(ctx);
  return tfc_open_result(&s->source, ctx, l->source, made, end);
}

/* Opens the next dataset for the first lane of the line. */
static void open_first(stage* s, tfc_context* ctx) {
  lane* l = s->first;
  slot* at = next_slot(s, l); /* for an error */
  bool end = false;
  iterator* made = NULL;
  s->opening = true;
  pthread_mutex_unlock(&s->workers.lock);
  int64_t since = tuning_now();
  int code = call_numbers_pull(&s->numbers, ctx);
  if (!code) code = iterator_next(s->source.input, ctx, l->source, &end);
  const int64_t number = call_numbers_count(&s->numbers, !code && !end);
  l->made = 0;
  if (!code && !end) code = open_result(s, ctx, l, number, &made, &end);
  if (!made) iterator_drop(s->workers.api, l->source, source_width(s));
  tuning_lap(&s->workers.counts->input_ns, &since);
  if (code) note(ctx, at, code, false);
  pthread_mutex_lock(&s->workers.lock);
  s->opening = false;
  l->number = number;
  if (code) {
    fill(s, l);
  } else if (end) {
    s->input_ended = true;
    close_line(s);
  } else {
    l->open = made;
    l->state = OPEN;
    s->first = l->after;
  }
  pthread_cond_broadcast(&s->workers.room);
}

/* Makes one element of a lane that has room. */
static void make_element(stage* s, tfc_context* ctx, lane* l) {
  slot* at = next_slot(s, l);
  bool end = false;
  l->busy = true;
  pthread_mutex_unlock(&s->workers.lock);
  int64_t since = tuning_now();
  int code = tfc_number_calls(ctx, l->scope, l->made++);
  if (!code) code = iterator_next(l->open, ctx, at->element, &end);
  note(ctx, at, code, end);
  if (end) {
    iterator_close(l->open);
    iterator_drop(s->workers.api, l->source, source_width(s));
  }
  tuning_lap(&s->workers.counts->function_ns, &since);
  pthread_mutex_lock(&s->workers.lock);
  if (end) {
    l->open = NULL;
    l->state = OVER;
  }
  l->busy = false;
  fill(s, l);
  pthread_cond_broadcast(&s->workers.room);
}

static lane* lane_with_room(stage* s) {
  for (int64_t i = 0; i < s->dataset->cycle_length; i++) {
    lane* l = &s->lanes[(s->at + i) % s->dataset->cycle_length];
    if (l->state == OPEN && !l->busy && has_room(s, l)) return l;
  }
  return NULL;
}

/* False: there is nothing to do now. */
static bool do_something(stage* s, tfc_context* ctx) {
  if (s->workers.rests) return false;
  const bool opens = s->first && !s->opening && has_room(s, s->first);
  lane* l = opens ? NULL : lane_with_room(s);
  if (!opens && !l) return false;
  s->working++;
  tuning_count(&s->workers.counts->calling, 1);
  if (opens)
    open_first(s, ctx);
  else
    make_element(s, ctx, l);
  tuning_count(&s->workers.counts->calling, -1);
  if (!--s->working && s->workers.rests) pthread_cond_broadcast(&s->workers.ready);
  return true;
}

static void work(workers* w, tfc_context* ctx, int64_t me) {
  stage* s = (stage*)w;
  (void)me;
  while (!w->stops && s->live) {
    if (do_something(s, ctx)) continue;
    int64_t since = tuning_now();
    pthread_cond_wait(&w->room, &w->lock);
    tuning_lap(&w->counts->room_ns, &since);
  }
}

static const workers_kind kind = {work, free_stage};

/* ---- The iterator */

static int make_lanes(stage* s, tfc_context* ctx) {
  const parallel_interleave* d = s->dataset;
  s->lanes = calloc((size_t)d->cycle_length, sizeof *s->lanes);
  if (!s->lanes) return workers_no_memory(ctx);
  tuning_count(&s->workers.counts->capacity, d->cycle_length * d->slots);
  for (int64_t i = 0; i < d->cycle_length; i++) {
    lane* l = &s->lanes[i];
    l->slots = calloc((size_t)d->slots, sizeof *l->slots);
    l->source = calloc((size_t)source_width(s) + 1, sizeof *l->source);
    if (!l->slots || !l->source) return workers_no_memory(ctx);
    for (int64_t j = 0; j < d->slots; j++)
      if (!(l->slots[j] = slot_new(s->n))) return workers_no_memory(ctx);
    join_line(s, l);
  }
  s->live = d->cycle_length;
  return TFC_OK;
}

static int interleave_open(iterator* it, tfc_context* ctx) {
  parallel_interleave* d = (parallel_interleave*)it->dataset;
  stage* s = iterator_allocate(ctx, 1, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  ((interleave_iterator*)it)->stage = s;
  int code = workers_init(&s->workers, ctx, &kind, &d->counts, d->most_workers);
  s->dataset = d;
  s->n = d->base.n_components;
  s->source.api = ctx->api;
  s->source.dataset = it->dataset;
  call_numbers_open(&s->numbers, ctx, d->calls);
  tfc_hold(ctx->api, &s->source.owner, &it->owner);
  TFC_TRY(code);
  TFC_TRY(make_lanes(s, ctx));
  return iterator_open_input(&s->source, ctx);
}

/* With the lock, from here on. */
static void next_turn(stage* s) {
  s->taken = 0;
  s->at = (s->at + 1) % s->dataset->cycle_length;
}

/* A lane that has something now, from the one whose turn it is on; -1: none has. */
static int64_t lane_ready(const stage* s) {
  const int64_t n = s->dataset->cycle_length, most = s->dataset->sloppy ? n : 1;
  for (int64_t i = 0; i < most; i++)
    if (s->lanes[(s->at + i) % n].n) return (s->at + i) % n;
  return -1;
}

static bool is_dead(const lane* l) {
  return l->state == CLOSED && !l->n;
}

/* Moves on to a lane that is not dead, and waits until it, or another if it is sloppy, has
 * something. */
static int find_lane(stage* s, tfc_context* ctx) {
  int code = TFC_OK;
  int64_t found, since = 0;
  while (!code && s->live) {
    while (s->live && is_dead(&s->lanes[s->at])) next_turn(s);
    if ((found = lane_ready(s)) >= 0) {
      if (found != s->at) s->taken = 0;
      s->at = found;
      break;
    }
    if (!s->live) break;
    if (!since) {
      since = tuning_now();
      tuning_count(&s->workers.counts->empty, 1);
    }
    if (s->workers.n < s->dataset->most_workers && s->working == s->workers.n)
      workers_add(&s->workers);
    code = workers_wait(&s->workers, ctx);
  }
  if (since) tuning_lap(&s->workers.counts->consumer_ns, &since);
  return code;
}

/* At the end of its dataset the lane waits for another one. */
static void end_lane(stage* s, lane* l) {
  if (s->input_ended)
    close_lane(s, l);
  else
    join_line(s, l);
  next_turn(s);
}

/* Takes what the lane has first. True: it was an element or an error. */
static bool take(stage* s, tfc_context* ctx, tfc_tensor* out, int* code) {
  lane* l = &s->lanes[s->at];
  bool end;
  call_numbers_taken(&s->numbers, l->number + 1);
  *code = slot_take(l->slots[l->first], ctx, out, s->n, &end);
  l->first = (l->first + 1) % s->dataset->slots;
  l->n--;
  s->live -= is_dead(l);
  tuning_count(&s->workers.counts->filled, -1);
  pthread_cond_broadcast(&s->workers.room);
  if (*code) return true;
  if (end) {
    end_lane(s, l);
  } else {
    tuning_count(&s->workers.counts->elements, 1);
    if (++s->taken >= s->dataset->block_length) next_turn(s);
  }
  return !end;
}

static int interleave_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  stage* s = ((interleave_iterator*)it)->stage;
  if (!s->workers.n) {
    call_numbers_begin(&s->numbers);
    TFC_TRY(workers_start(&s->workers, ctx, s->dataset->workers));
  }
  int code;
  pthread_mutex_lock(&s->workers.lock);
  do {
    code = find_lane(s, ctx);
    *end = !s->live;
  } while (!code && !*end && !take(s, ctx, out, &code));
  pthread_mutex_unlock(&s->workers.lock);
  return code;
}

/* ---- Positions: with the elements that are ready */

static bool is_busy(const workers* w) {
  return ((const stage*)w)->working > 0;
}

/* In a context of its own: that of the position has the number of a call, or none. */
static int open_lane_again(stage* s, tfc_context* ctx, lane* l, bool* end) {
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return workers_no_memory(ctx);
  int code = open_result(s, inner, l, l->number, &l->open, end);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  tfc_end_inner(inner);
  return code;
}

static int open_lane_position(stage* s, position* p, lane* l) {
  bool end = false;
  TFC_TRY(position_tensors(p, l->source, source_width(s)));
  if (!p->saves) TFC_TRY(open_lane_again(s, p->ctx, l, &end));
  if (end) return position_misfit(p, "an interleaved dataset is not made again");
  return position_of_pipeline(l->open, p);
}

static int lane_position(stage* s, position* p, lane* l) {
  int64_t state = (int64_t)l->state, n = l->n;
  TFC_TRY(position_count(p, &state, CLOSED));
  TFC_TRY(position_count(p, &n, s->dataset->slots));
  if (p->has_numbers) {
    TFC_TRY(position_count(p, &l->number, INT64_MAX - 1));
    TFC_TRY(position_count(p, &l->made, INT64_MAX));
  }
  l->state = (lane_state)state;
  for (int64_t i = 0; i < n; i++) {
    TFC_TRY(slot_position(l->slots[(l->first + i) % s->dataset->slots], p, s->n));
    if (p->saves) continue;
    l->n++;
    tuning_count(&s->workers.counts->filled, 1);
  }
  if (!p->saves && l->state == OVER && !(n && l->slots[n - 1]->end))
    return position_misfit(p, "an end of its interleave is missing");
  return l->state == OPEN ? open_lane_position(s, p, l) : TFC_OK;
}

/* The lanes that wait, in their order. */
static int line_position(stage* s, position* p) {
  int64_t n = 0;
  const lane* l = s->first;
  for (int64_t i = 0; i < s->dataset->cycle_length; i++) n += s->lanes[i].state == WAITING;
  if (!p->saves) s->first = NULL;
  for (int64_t i = 0; i < n; i++) {
    int64_t number = p->saves ? l - s->lanes : 0;
    TFC_TRY(position_count(p, &number, s->dataset->cycle_length - 1));
    if (p->saves) {
      l = l->after;
      continue;
    }
    lane* next = &s->lanes[number];
    for (const lane* before = s->first; before; before = before->after)
      if (before == next) return position_misfit(p, "a part of its interleave waits twice");
    if (next->state != WAITING) return position_misfit(p, "a part of its interleave can't wait");
    join_line(s, next);
  }
  return TFC_OK;
}

static int stage_position(stage* s, position* p) {
  const parallel_interleave* d = s->dataset;
  int64_t cycle = d->cycle_length;
  TFC_TRY(position_count(p, &cycle, INT64_MAX));
  if (cycle != d->cycle_length) return position_misfit(p, "its interleave has another cycle");
  TFC_TRY(position_count(p, &s->at, d->cycle_length - 1));
  TFC_TRY(position_count(p, &s->taken, d->block_length));
  TFC_TRY(position_bool(p, &s->input_ended));
  for (int64_t i = 0; i < d->cycle_length; i++) TFC_TRY(lane_position(s, p, &s->lanes[i]));
  TFC_TRY(line_position(s, p));
  if (!p->saves) s->live = 0;
  for (int64_t i = 0; i < d->cycle_length && !p->saves; i++) s->live += !is_dead(&s->lanes[i]);
  return position_of_pipeline(s->source.input, p);
}

static void commit_numbers(iterator* it) {
  call_numbers_commit(&((interleave_iterator*)it)->stage->numbers);
}

static int interleave_position(iterator* it, position* p) {
  stage* s = ((interleave_iterator*)it)->stage;
  int code = workers_rest(&s->workers, p->ctx, is_busy);
  if (!code) code = call_numbers_position(&s->numbers, p, commit_numbers, it);
  if (!code) code = stage_position(s, p);
  workers_go_on(&s->workers);
  return code;
}

static void interleave_close(iterator* it) {
  stage* s = ((interleave_iterator*)it)->stage;
  if (!s) return;
  call_numbers_close(&s->numbers);
  workers_close(&s->workers);
}

/* ---- Kernels */

static void drop_calls(dataset* d) {
  counter_drop(((parallel_interleave*)d)->calls);
}

static const dataset_kind interleave_kind = {.name = "ParallelInterleave",
                                             .object = DATASET_OBJECT(parallel_interleave),
                                             .iterator_bytes = sizeof(interleave_iterator),
                                             .open = interleave_open,
                                             .next = interleave_next,
                                             .position = interleave_position,
                                             .close = interleave_close,
                                             .destroy = drop_calls};

enum { MOST_TUNED_SLOTS = 32 };

typedef struct interleave_form {
  dataset_form base;
  bool sloppy;
  call_counter* calls;
} interleave_form;

static int read_order(tfc_construction* c, const char* attr, bool* sloppy) {
  *sloppy = false;
  if (!attr) return TFC_OK;
  if (!strcmp(attr, "sloppy")) return c->api->attr_bool(c, attr, sloppy);
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, attr, &text, &size));
  *sloppy = size == 5 && !memcmp(text, "false", size);
  if (*sloppy || (size == 4 && !memcmp(text, "true", size)) ||
      (size == 7 && !memcmp(text, "default", size)))
    return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "Unsupported value for `deterministic` attribute: %.*s",
                       (int)TFC_MIN(size, (size_t)100), text);
}

static int create(tfc_construction* c, const char* attr, void** state) {
  dataset_form* base;
  TFC_TRY(tfc_create_flat_map(c, (void**)&base));
  interleave_form* form = calloc(1, sizeof *form);
  int code = form ? read_order(c, attr, &form->sloppy)
                  : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  if (!code) code = call_numbers_find(c, &form->calls);
  if (!code) {
    form->base = *base;
    *state = form;
  } else {
    free(form);
  }
  free(base);
  return code;
}

static int create_first(tfc_construction* c, void** state) {
  return create(c, NULL, state);
}

static int create_sloppy(tfc_construction* c, void** state) {
  return create(c, "sloppy", state);
}

static int create_deterministic(tfc_construction* c, void** state) {
  return create(c, "deterministic", state);
}

/* -1, to be tuned, or at least `least`, which the text states. */
static int read_tuned(tfc_context* ctx, int input, const char* name, int64_t least,
                      const char* text, int64_t* n) {
  TFC_TRY(dataset_int(ctx, input, name, n));
  if (*n > MOST_SLOTS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`%s` is %lld, but may be at most %d", name,
                     (long long)*n, MOST_SLOTS);
  if (*n == AUTOTUNE || *n >= least) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`%s` must be `tf.data.AUTOTUNE` or %s but is %lld",
                   name, text, (long long)*n);
}

static int set_workers(tfc_context* ctx, parallel_interleave* d, int input, int64_t cycle_length) {
  int64_t calls, cores = ctx->api->max_threads(ctx);
  TFC_TRY(dataset_int(ctx, input, "num_parallel_calls", &calls));
  if (calls != AUTOTUNE && calls <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_parallel_calls must be greater than zero.");
  d->cycle_length = cycle_length == AUTOTUNE ? (calls == AUTOTUNE ? cores : calls) : cycle_length;
  if (calls > d->cycle_length)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "If `cycle_length` is set to a fixed value, `num_parallel_calls` must be either "
        "`tf.data.AUTOTUNE` or a value less than or equal to `cycle_length`. However, "
        "`num_parallel_calls` is %lld and `cycle_length` is %lld",
        (long long)calls, (long long)d->cycle_length);
  d->workers = calls == AUTOTUNE ? 1 : calls;
  d->most_workers = calls == AUTOTUNE ? TFC_MIN(cores, d->cycle_length) : calls;
  return TFC_OK;
}

static int make_interleaved(tfc_context* ctx, int n_captured, parallel_interleave** made) {
  parallel_interleave* d;
  TFC_TRY(dataset_new(ctx, &interleave_kind, 1, 1, n_captured, (void**)&d));
  const interleave_form* form = ctx->state;
  d->base.counts = &d->counts;
  d->base.n_components = form->base.n_components;
  d->sloppy = form->sloppy;
  d->calls = counter_hold(form->calls);
  *made = d;
  return tfc_check_function(ctx, &d->base, "that makes datasets");
}

static int read_block_length(tfc_context* ctx, int input, parallel_interleave* d) {
  TFC_TRY(dataset_int(ctx, input, "block_length", &d->block_length));
  if (d->block_length > 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`block_length` must be > 0");
}

static void set_slots(parallel_interleave* d, int64_t slots) {
  d->slots = slots != AUTOTUNE ? slots : 2 * TFC_MIN(d->block_length, MOST_TUNED_SLOTS / 2);
}

/* The inputs after the captured values: cycle_length, block_length, the two sizes of buffers if
 * `buffers`, and num_parallel_calls. */
static int make(tfc_context* ctx, bool buffers) {
  parallel_interleave* d;
  const int last = ctx->n_inputs - 1, first = last - (buffers ? 4 : 2);
  int64_t cycle_length, inputs_ahead, slots = AUTOTUNE;
  TFC_TRY(make_interleaved(ctx, first - 1, &d));
  TFC_TRY(read_tuned(ctx, first, "cycle_length", 1, "greater than 0", &cycle_length));
  TFC_TRY(read_block_length(ctx, first + 1, d));
  if (buffers) {
    TFC_TRY(read_tuned(ctx, first + 2, "buffer_output_elements", 1, "> 0", &slots));
    TFC_TRY(read_tuned(ctx, first + 3, "prefetch_input_elements", 0, ">= 0", &inputs_ahead));
  }
  TFC_TRY(set_workers(ctx, d, last, cycle_length));
  set_slots(d, slots);
  return TFC_OK;
}

/* Those of before have a thread for each dataset of the cycle. */
static int make_legacy(tfc_context* ctx, int n_after, int buffers) {
  parallel_interleave* d;
  const int first = ctx->n_inputs - n_after;
  int64_t slots, inputs_ahead;
  TFC_TRY(make_interleaved(ctx, first - 1, &d));
  TFC_TRY(dataset_int(ctx, first, "cycle_length", &d->cycle_length));
  if (d->cycle_length <= 0 || d->cycle_length > MOST_SLOTS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`cycle_length` must be > 0");
  TFC_TRY(read_block_length(ctx, first + 1, d));
  TFC_TRY(read_tuned(ctx, buffers, "buffer_output_elements", 1, "> 0", &slots));
  TFC_TRY(read_tuned(ctx, buffers + 1, "prefetch_input_elements", 0, ">= 0", &inputs_ahead));
  d->workers = d->most_workers = d->cycle_length;
  set_slots(d, slots);
  return TFC_OK;
}

static int make_first(tfc_context* ctx) {
  const int sloppy = ctx->n_inputs - 3;
  TFC_TRY(make_legacy(ctx, 5, sloppy + 1));
  return dataset_bool(ctx, sloppy, "sloppy", &((parallel_interleave*)ctx->outputs[0].data)->sloppy);
}

static int make_legacy_v2(tfc_context* ctx) {
  return make_legacy(ctx, 4, ctx->n_inputs - 2);
}

static int make_plain(tfc_context* ctx) {
  return make(ctx, false);
}

static int make_with_buffers(tfc_context* ctx) {
  return make(ctx, true);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParallelInterleaveDataset", "", make_first, TFC_STATE(create_first)),
    TFC_ROW("LegacyParallelInterleaveDatasetV2", "", make_legacy_v2,
            TFC_STATE(create_deterministic)),
    TFC_ROW("ParallelInterleaveDatasetV2", "", make_plain, TFC_STATE(create_sloppy)),
    TFC_ROW("ParallelInterleaveDatasetV3", "", make_plain, TFC_STATE(create_deterministic)),
    TFC_ROW("ParallelInterleaveDatasetV4", "", make_with_buffers, TFC_STATE(create_deterministic)),
};
TFC_REGISTER_KERNELS(kernels);
