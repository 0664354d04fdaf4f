/* Iterators as resources: IteratorV2, OneShotIterator, MakeIterator, IteratorGetNext, their names
 * as strings, and their positions. */
#include "kernels_c/common/encoded.h"
#include "kernels_c/common/resource_handle.h"
#include "kernels_c/data/optional.h"
#include "kernels_c/data/position.h"
#include "kernels_c/data/threads/tuning.h"

TFC_ONE_LEVEL;

enum { WAITS = TFC_KERNEL_ASYNC | TFC_KERNEL_INTERRUPTIBLE };

/* An iterator that outlives steps. One step at a time is in it. */
typedef struct shared_iterator {
  void (*stop)(void* object); /* see tfc_create_api.resource */
  pthread_mutex_t lock;
  pthread_cond_t left;
  bool busy;                /* under lock: a step is in it */
  pthread_t who;            /* under lock: the thread of that step */
  iterator* pipeline;       /* changed under lock by the step that is in it */
  text_buffer restored;     /* a position for the next pipeline: it was restored too early */
  tfc_tensor* element;      /* room for one, while a step is in it */
  int64_t taken, taking_ns; /* atomic, see statistics.h */
  int n_components;
  char* name;
  /* Under iterators_lock: */
  int64_t number; /* its name as a string */
  int refs;       /* the resource manager and handles */
  struct shared_iterator *next, *previous;
} shared_iterator;

static pthread_mutex_t iterators_lock = PTHREAD_MUTEX_INITIALIZER;
static shared_iterator* iterators; /* under lock: all that there are */

static void drop_shared(void* object);

static void drop_handle(void* object) {
  if (((tfc_resource_handle*)object)->resource)
    drop_shared(((tfc_resource_handle*)object)->resource);
}

static const tfc_handle_kind handle_kind = {"Iterator",
                                            {sizeof(tfc_resource_handle), drop_handle, NULL}};

/* ---- Making one */

static void stop_shared(void* object);

static void* make_shared(void* arg) {
  static int64_t numbers;
  shared_iterator* form = arg;
  shared_iterator* s = calloc(1, sizeof *s);
  if (!s) return NULL;
  *s = *form;
  *form = (shared_iterator){0};
  pthread_mutex_init(&s->lock, NULL);
  iterator_wait_init(&s->left);
  pthread_mutex_lock(&iterators_lock);
  s->refs = 1;
  s->number = ++numbers;
  s->stop = stop_shared;
  s->next = iterators;
  if (iterators) iterators->previous = s;
  iterators = s;
  pthread_mutex_unlock(&iterators_lock);
  return s;
}

static void drop_shared(void* object) {
  shared_iterator* s = object;
  pthread_mutex_lock(&iterators_lock);
  bool last = !--s->refs;
  if (last) {
    if (s->next) s->next->previous = s->previous;
    *(s->previous ? &s->previous->next : &iterators) = s->next;
  }
  pthread_mutex_unlock(&iterators_lock);
  if (!last) return;
  iterator_close(s->pipeline);
  text_free(&s->restored);
  free(s->element);
  free(s->name);
  pthread_mutex_destroy(&s->lock);
  pthread_cond_destroy(&s->left);
  free(s);
}

/* As in TensorFlow, an iterator without a shared name belongs to its session. */
static int find_shared(tfc_construction* c, shared_iterator** s) {
  const char *container, *shared_name;
  size_t size;
  shared_iterator form = {0};
  TFC_TRY(c->api->attr_string(c, "container", &container, &size));
  TFC_TRY(c->api->attr_types(c, "output_types", 0, NULL, &form.n_components));
  TFC_TRY(tfc_resource_name(c, &form.name));
  int code = c->api->attr_string(c, "shared_name", &shared_name, &size);
  if (!code)
    code = c->api->resource(c, size ? "iterator" : "session iterator", container, form.name,
                            make_shared, &form, drop_shared, (void**)s);
  free(form.name);
  return code;
}

static int create_shared(tfc_construction* c, void** state) {
  return find_shared(c, (shared_iterator**)state);
}

/* Output 0 is a handle, which gets the caller's reference. */
static int output_handle(tfc_context* ctx, shared_iterator* s) {
  tfc_resource_handle* made;
  int code = tfc_handle_new(ctx, 0, &handle_kind, (void**)&made);
  if (code) {
    drop_shared(s);
  } else {
    made->resource = s;
  }
  return code;
}

static int output_shared(tfc_context* ctx, shared_iterator* s) {
  pthread_mutex_lock(&iterators_lock);
  s->refs++;
  pthread_mutex_unlock(&iterators_lock);
  return output_handle(ctx, s);
}

static int output_own(tfc_context* ctx) {
  return output_shared(ctx, ctx->state);
}

static int find(tfc_context* ctx, int input, shared_iterator** s) {
  tfc_resource_handle* h = NULL;
  TFC_TRY(tfc_handle_get(ctx, input, &handle_kind, (void**)&h));
  *s = h->resource;
  return TFC_OK;
}

/* ---- Entering one */

static int enter(tfc_context* ctx, shared_iterator* s) {
  pthread_mutex_lock(&s->lock);
  while (s->busy) {
    if (pthread_equal(s->who, pthread_self())) {
      pthread_mutex_unlock(&s->lock);
      return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                       "The iterator '%s' is used while it makes an element", s->name);
    }
    iterator_wait(&s->left, &s->lock);
    pthread_mutex_unlock(&s->lock);
    TFC_TRY(iterator_check(ctx));
    pthread_mutex_lock(&s->lock);
  }
  s->busy = true;
  s->who = pthread_self();
  pthread_mutex_unlock(&s->lock);
  return TFC_OK;
}

static void leave(shared_iterator* s) {
  pthread_mutex_lock(&s->lock);
  s->busy = false;
  pthread_cond_signal(&s->left);
  pthread_mutex_unlock(&s->lock);
}

/* Ends its threads. A step that is in it has been cancelled, and is not waited for long. */
static void stop_shared(void* object) {
  shared_iterator* s = object;
  pthread_mutex_lock(&s->lock);
  for (int i = 0; s->busy && i < END_WAITS; i++) iterator_wait(&s->left, &s->lock);
  iterator* pipeline = s->busy ? NULL : s->pipeline;
  if (pipeline) s->pipeline = NULL;
  pthread_mutex_unlock(&s->lock);
  iterator_close(pipeline);
}

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for an iterator");
}

/* ---- MakeIterator */

/* At the beginning of a dataset, or at a position if it is not empty. *refused: it does not fit. */
static int replace_pipeline(shared_iterator* s, tfc_context* inner, const tfc_tensor* variant,
                            const text_buffer* at, bool* refused) {
  iterator* pipeline;
  position p = position_to_restore(inner, at);
  if (at->size) dataset_note(variant->data, false);
  int code = iterator_open(inner, variant, &pipeline);
  if (!code && at->size) code = position_of_pipeline(pipeline, &p);
  if (!code && wire_left(&p.left)) code = position_misfit(&p, "it has more stages");
  *refused = p.refused;
  position_end(&p, code);
  if (code) {
    iterator_close(pipeline);
    if (at->size) dataset_note(variant->data, true);
    return code;
  }
  pthread_mutex_lock(&s->lock);
  iterator* previous = s->pipeline;
  s->pipeline = pipeline;
  pthread_mutex_unlock(&s->lock);
  iterator_close(previous);
  return TFC_OK;
}

static int begin(tfc_context* ctx, shared_iterator* s, const tfc_tensor* variant) {
  dataset* d;
  TFC_TRY(dataset_get(ctx, variant, &d));
  if (d->n_components != s->n_components)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The iterator has elements of %d components, but those of the dataset have %d",
                     s->n_components, d->n_components);
  if (!s->element) s->element = calloc((size_t)s->n_components + 1, sizeof *s->element);
  tfc_context* inner = s->element ? tfc_begin_inner(ctx) : NULL;
  if (!inner) return no_memory(ctx);
  bool refused;
  int code = replace_pipeline(s, inner, variant, &s->restored, &refused);
  if (!code || refused) {
    text_free(&s->restored);
    s->restored = (text_buffer){0};
  } /* else the next attempt may succeed */
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  tfc_end_inner(inner);
  return code;
}

static int make_iterator(tfc_context* ctx) {
  shared_iterator* s;
  TFC_TRY(find(ctx, 1, &s));
  TFC_TRY(enter(ctx, s));
  int code = begin(ctx, s, ctx->inputs[0]);
  leave(s);
  return code;
}

/* ---- OneShotIterator: a function makes its dataset when it is first used */

typedef struct one_shot {
  shared_iterator* shared;
  tfc_callable* factory;
} one_shot;

static int create_one_shot(tfc_construction* c, void** state) {
  one_shot* o = calloc(1, sizeof *o);
  if (!o) return tfc_construction_out_of_memory(c);
  int n_in, n_out, code = find_shared(c, &o->shared);
  if (!code) code = c->api->callable(c, "dataset_factory", &o->factory, &n_in, &n_out);
  if (!code && (n_in || n_out != 1))
    code = c->api->error(c, TFC_INVALID_ARGUMENT,
                         "The dataset factory must return one dataset and take nothing");
  if (code) {
    free(o);
    return code;
  }
  *state = o;
  return TFC_OK;
}

static int begin_once(tfc_context* ctx, const one_shot* o) {
  if (o->shared->pipeline) return TFC_OK;
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return no_memory(ctx);
  tfc_tensor variant = {0}, none;
  int code = tfc_invoke(inner, o->factory, &none, &variant);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  tfc_end_inner(inner);
  if (!code) code = begin(ctx, o->shared, &variant);
  tfc_let_go(ctx->api, &variant);
  return code;
}

static int output_one_shot(tfc_context* ctx) {
  const one_shot* o = ctx->state;
  TFC_TRY(enter(ctx, o->shared));
  int code = begin_once(ctx, o);
  leave(o->shared);
  return code ? code : output_shared(ctx, o->shared);
}

/* ---- Names as strings, to be fed */

#define PREFIX "tfcore iterator "

static int to_string(tfc_context* ctx) {
  shared_iterator* s;
  TFC_TRY(find(ctx, 0, &s));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  char text[64];
  int size = snprintf(text, sizeof text, PREFIX "%lld", (long long)s->number);
  return tfc_string_set(ctx, &ctx->outputs[0], 0, text, (size_t)size);
}

static int from_string(tfc_context* ctx) {
  const tfc_tensor* t = ctx->inputs[0];
  if (t->rank) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "string_handle must be a scalar");
  const tfc_string* s = t->data;
  char text[64] = "";
  if (s->size < sizeof text) memcpy(text, s->data, s->size);
  long long number;
  shared_iterator* found = NULL;
  if (sscanf(text, PREFIX "%lld", &number) == 1) {
    pthread_mutex_lock(&iterators_lock);
    for (found = iterators; found && found->number != number; found = found->next) {
    }
    if (found) found->refs++;
    pthread_mutex_unlock(&iterators_lock);
  }
  if (!found)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "'%s' is not the handle of an iterator of this process that still exists",
                     text);
  return output_handle(ctx, found);
}

/* ---- IteratorGetNext */

int wanted_shapes_create(tfc_construction* c, void** state) {
  int n, rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(c->api->attr_shapes(c, "output_shapes", -1, &rank, dims, &n));
  wanted_shapes* form = calloc(1, sizeof *form + (size_t)n * sizeof *form->shape);
  if (!form) return tfc_construction_out_of_memory(c);
  form->n = n;
  int code = TFC_OK, count;
  for (int i = 0; i < n && !code; i++)
    code = c->api->attr_shapes(c, "output_shapes", i, &form->shape[i].rank, form->shape[i].dims,
                               &count);
  if (code) {
    free(form);
    return code;
  }
  *state = form;
  return TFC_OK;
}

bool wanted_shapes_fit(const wanted_shapes* all, const tfc_tensor* t, int component) {
  if (component >= all->n || all->shape[component].rank < 0) return true;
  const wanted_shape* w = &all->shape[component];
  bool ok = t->rank == w->rank;
  for (int i = 0; i < w->rank && ok; i++) ok = w->dims[i] < 0 || w->dims[i] == t->dims[i];
  return ok;
}

static int give(tfc_context* ctx, const wanted_shapes* form, const tfc_tensor* element, int i) {
  if (element->dtype != ctx->outputs[i].dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Component %d of the element is a %s, but a %s is expected", i,
                     tfc_dtype_name(element->dtype), tfc_dtype_name(ctx->outputs[i].dtype));
  if (!wanted_shapes_fit(form, element, i))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Component %d of the element has shape %s, but %s is expected", i,
                     tfc_shape_text(element).text,
                     tfc_partial_dims_text(form->shape[i].rank, form->shape[i].dims).text);
  return tfc_output_tensor(ctx, i, element);
}

static int give_all(tfc_context* ctx, const shared_iterator* s, bool end) {
  if (end) return tfc_error(ctx, TFC_OUT_OF_RANGE, "End of sequence");
  for (int i = 0; i < s->n_components; i++) TFC_TRY(give(ctx, ctx->state, &s->element[i], i));
  return TFC_OK;
}

static int give_optional(tfc_context* ctx, const shared_iterator* s, bool end) {
  return end ? optional_new(ctx, NULL, 0) : optional_new(ctx, s->element, s->n_components);
}

typedef int (*give_fn)(tfc_context* ctx, const shared_iterator* s, bool end);

static int next_element(tfc_context* ctx, shared_iterator* s, int width, give_fn give_it) {
  if (!s->pipeline)
    return tfc_error(ctx, TFC_FAILED_PRECONDITION,
                     "GetNext() failed because the iterator has not been initialized. Ensure that "
                     "you have run the "
                     "initializer operation for this iterator before getting the next element.");
  if (s->n_components != width)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "An element has %d components, but %d are expected",
                     s->n_components, width);
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return no_memory(ctx);
  bool end = false;
  int code = iterator_next(s->pipeline, inner, s->element, &end);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  if (!code) code = give_it(ctx, s, end);
  iterator_drop(ctx->api, s->element, s->n_components);
  tfc_end_inner(inner);
  return code;
}

static int take(tfc_context* ctx, int width, give_fn give_it) {
  shared_iterator* s;
  TFC_TRY(find(ctx, 0, &s));
  TFC_TRY(enter(ctx, s));
  int64_t since = tuning_now();
  int code = next_element(ctx, s, width, give_it);
  tuning_lap(&s->taking_ns, &since);
  if (!code) tuning_count(&s->taken, 1);
  leave(s);
  return code;
}

static int get_next(tfc_context* ctx) {
  return take(ctx, ctx->n_outputs, give_all);
}

/* The number of components is that of the attribute. */
static int get_next_as_optional(tfc_context* ctx) {
  return take(ctx, ((const wanted_shapes*)ctx->state)->n, give_optional);
}

/* ---- SerializeIterator, DeserializeIterator */

#define POSITION_NAME "tfcore::IteratorPosition"

/* Nothing for an iterator without a dataset: it will be at the beginning. */
static int save(tfc_context* ctx, shared_iterator* s, text_buffer* saved) {
  if (!s->pipeline) return TFC_OK;
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return no_memory(ctx);
  position p = position_to_save(inner);
  int code = position_of_pipeline(s->pipeline, &p);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  *saved = p.saved;
  tfc_end_inner(inner);
  return code;
}

static int copy_text(tfc_context* ctx, text_buffer* to, const text_buffer* from) {
  text_append(to, text_c(from), from->size);
  return to->failed ? no_memory(ctx) : TFC_OK;
}

static int serialize(tfc_context* ctx) {
  shared_iterator* s;
  tfc_encoded* made;
  TFC_TRY(find(ctx, 0, &s));
  TFC_TRY(tfc_handle_new(ctx, 0, &tfc_encoded_kind, (void**)&made));
  text_add(&made->type_name, POSITION_NAME);
  if (made->type_name.failed) return no_memory(ctx);
  TFC_TRY(enter(ctx, s));
  int code = s->restored.size ? copy_text(ctx, &made->metadata, &s->restored)
                              : save(ctx, s, &made->metadata);
  leave(s);
  return code;
}

/* Without a dataset so far, the position waits for it: sessions restore variables before they run
 * the initializers of iterators. */
static int restore(tfc_context* ctx, shared_iterator* s, const text_buffer* at) {
  if (!s->pipeline) {
    text_free(&s->restored);
    s->restored = (text_buffer){0};
    return copy_text(ctx, &s->restored, at);
  }
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return no_memory(ctx);
  bool refused;
  int code = replace_pipeline(s, inner, &s->pipeline->owner, at, &refused);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  tfc_end_inner(inner);
  return code;
}

static int check_position(tfc_context* ctx, const tfc_encoded* e) {
  if (!strcmp(text_c(&e->type_name), POSITION_NAME)) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The position of an iterator is expected, but the value is a %.100s",
                   text_c(&e->type_name));
}

static int deserialize(tfc_context* ctx) {
  shared_iterator* s;
  tfc_encoded* e = NULL;
  TFC_TRY(find(ctx, 0, &s));
  TFC_TRY(tfc_handle_get(ctx, 1, &tfc_encoded_kind, (void**)&e));
  TFC_TRY(check_position(ctx, e));
  TFC_TRY(enter(ctx, s));
  int code = restore(ctx, s, &e->metadata);
  leave(s);
  return code;
}

/* ---- _RestoredDataset: its iterators begin at a position of another iterator */

static int restored_open(iterator* it, tfc_context* ctx) {
  const dataset* d = it->dataset;
  TFC_TRY(iterator_open_input(it, ctx));
  if (!d->n_values) return TFC_OK;
  const tfc_encoded* e = d->values[0].data;
  if (!e->metadata.size) return TFC_OK; /* it had no dataset so far */
  position p = position_to_restore(ctx, &e->metadata);
  int code = position_of_pipeline(it->input, &p);
  if (!code && wire_left(&p.left)) code = position_misfit(&p, "it has more stages");
  position_end(&p, code);
  return code;
}

static int restored_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  return iterator_next(it->input, ctx, out, end);
}

/* Restored itself, it is where it was, whatever position it began at. */
static int restored_position(iterator* it, position* p) {
  if (!p->saves) {
    iterator_close(it->input);
    it->input = NULL;
  }
  return position_of_input(it, p);
}

static const dataset_kind restored_kind = {.name = "Restored",
                                           .object = DATASET_OBJECT(dataset),
                                           .iterator_bytes = sizeof(iterator),
                                           .open = restored_open,
                                           .next = restored_next,
                                           .cardinality = dataset_cardinality_if_endless,
                                           .position = restored_position};

static int make_restored(tfc_context* ctx) {
  dataset* d;
  tfc_encoded* e = NULL;
  if (ctx->n_inputs > 1) {
    TFC_TRY(tfc_handle_get(ctx, 1, &tfc_encoded_kind, (void**)&e));
    TFC_TRY(check_position(ctx, e));
  }
  return dataset_new(ctx, &restored_kind, 1, 1, ctx->n_inputs - 1, (void**)&d);
}

/* ---- Statistics */

enum { MOST_STAGES = 1000 }; /* of an iterator */

typedef struct stage_list {
  statistics_stage* stages;
  int64_t n, room;
  const dataset* seen[MOST_STAGES]; /* each is listed once: datasets may share inputs */
  int n_seen;
  const statistics_stage* iterator; /* its number and name, for each stage */
} stage_list;

static void list_stages(stage_list* l, const dataset* d, int64_t depth) {
  if (l->n_seen == MOST_STAGES) return;
  for (int i = 0; i < l->n_seen; i++)
    if (l->seen[i] == d) return;
  l->seen[l->n_seen++] = d;
  if (l->n == l->room) {
    int64_t room = 2 * l->room + 16;
    statistics_stage* grown = realloc(l->stages, (size_t)room * sizeof *grown);
    if (!grown) return;
    l->stages = grown;
    l->room = room;
  }
  statistics_stage* s = &l->stages[l->n++];
  *s = *l->iterator;
  s->kind = d->kind->name;
  s->depth = depth;
  s->counted = d->counts != NULL;
  statistics_set_name(s->name, d->op_name);
  if (d->counts) stage_counts_read(d->counts, &s->counts);
  for (int i = 0; i < d->n_inputs; i++) list_stages(l, d->inputs[i].data, depth + 1);
}

typedef struct seen_iterator {
  statistics_stage form;
  tfc_tensor dataset;
  const tfc_api* api;
} seen_iterator;

/* References to the datasets, so that no lock is held while they are walked and let go. */
static seen_iterator* see_iterators(int64_t* n) {
  *n = 0;
  pthread_mutex_lock(&iterators_lock);
  int64_t there = 0;
  for (const shared_iterator* s = iterators; s; s = s->next) there++;
  seen_iterator* seen = calloc((size_t)there + 1, sizeof *seen);
  for (shared_iterator* s = iterators; s && seen; s = s->next) {
    seen_iterator* now = &seen[*n];
    pthread_mutex_lock(&s->lock);
    if (s->pipeline) {
      now->api = s->pipeline->api;
      tfc_hold(now->api, &now->dataset, &s->pipeline->owner);
      now->form.iterator = s->number;
      now->form.taken = __atomic_load_n(&s->taken, __ATOMIC_RELAXED);
      now->form.taking_ns = __atomic_load_n(&s->taking_ns, __ATOMIC_RELAXED);
      statistics_set_name(now->form.iterator_name, s->name);
      ++*n;
    }
    pthread_mutex_unlock(&s->lock);
  }
  pthread_mutex_unlock(&iterators_lock);
  return seen;
}

statistics_stage* statistics_of_stages(int64_t* n) {
  stage_list all = {0};
  int64_t n_seen;
  seen_iterator* seen = see_iterators(&n_seen);
  for (int64_t i = 0; i < n_seen; i++) {
    all.iterator = &seen[i].form;
    all.n_seen = 0;
    list_stages(&all, seen[i].dataset.data, 0);
    tfc_let_go(seen[i].api, &seen[i].dataset);
  }
  free(seen);
  *n = all.n;
  return all.stages;
}

/* The stage with threads of its own that is nearest to the iterator. NULL: there is none. */
static const stage_counts* first_counts(const dataset* d, int* left) {
  if (--*left < 0) return NULL;
  if (d->counts && __atomic_load_n(&d->counts->capacity, __ATOMIC_RELAXED)) return d->counts;
  const stage_counts* found = NULL;
  for (int i = 0; i < d->n_inputs && !found; i++) found = first_counts(d->inputs[i].data, left);
  return found;
}

/* How full its slots are, and for how many seconds steps have taken elements. */
static int give_statistics(tfc_context* ctx) {
  shared_iterator* s;
  TFC_TRY(find(ctx, 0, &s));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  TFC_TRY(tfc_output_scalar(ctx, 1));
  tfc_tensor d = {0};
  pthread_mutex_lock(&s->lock);
  if (s->pipeline) tfc_hold(ctx->api, &d, &s->pipeline->owner);
  pthread_mutex_unlock(&s->lock);
  int left = MOST_STAGES;
  const stage_counts* counts = d.buffer ? first_counts(d.data, &left) : NULL;
  stage_counts now = {.capacity = 1};
  if (counts) stage_counts_read(counts, &now);
  *(float*)ctx->outputs[0].data = (float)now.filled / (float)TFC_MAX(now.capacity, 1);
  int64_t ns = __atomic_load_n(&s->taking_ns, __ATOMIC_RELAXED);
  *(float*)ctx->outputs[1].data = (float)((double)ns * 1e-9);
  tfc_let_go(ctx->api, &d);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Iterator", "", output_own, .create = create_shared),
    TFC_ROW("IteratorV2", "", output_own, .create = create_shared),
    TFC_ROW("OneShotIterator", "", output_one_shot, TFC_STATE(create_one_shot), .flags = WAITS),
    TFC_ROW("_IteratorStatistics", "", give_statistics),
    TFC_ROW("IteratorToStringHandle", "", to_string),
    TFC_ROW("IteratorFromStringHandle", "", from_string),
    TFC_ROW("IteratorFromStringHandleV2", "", from_string),
    TFC_ROW("MakeIterator", "", make_iterator, .flags = WAITS),
    TFC_ROW("IteratorGetNext", "", get_next, TFC_STATE(wanted_shapes_create), .flags = WAITS),
    TFC_ROW("IteratorGetNextSync", "", get_next, TFC_STATE(wanted_shapes_create), .flags = WAITS),
    TFC_ROW("IteratorGetNextAsOptional", "", get_next_as_optional, TFC_STATE(wanted_shapes_create),
            .flags = WAITS),
    TFC_ROW("_RestoredDataset", "", make_restored, TFC_STATE(dataset_create_plain)),
    TFC_ROW("SerializeIterator", "", serialize, .flags = WAITS),
    TFC_ROW("DeserializeIterator", "", deserialize, .flags = WAITS),
};
TFC_REGISTER_KERNELS(kernels);
