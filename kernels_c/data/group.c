/* Datasets that group elements by a key, which a function computes: GroupByWindowDataset,
 * GroupByReducerDataset. */
#include "kernels_c/data/functions.h"
#include "kernels_c/data/index.h"
#include "kernels_c/data/rows.h"

TFC_ONE_LEVEL;

enum { KEY, REDUCE, OTHER, FINALIZE, N_FUNCTIONS };

/* OTHER is window_size_func or init_func. */
typedef struct grouping {
  dataset base;
  dataset_function functions[N_FUNCTIONS];
  int n_state; /* of a reducer */
} grouping;

typedef struct group {
  int64_t key;
  int64_t limit; /* elements of a window; 0: the next element begins one */
  rows rows;     /* of a window; or one, the state of a reducer */
} group;

typedef struct group_iterator {
  iterator base;
  group* groups; /* in the order of their first elements, then in that of their keys */
  int64_t n, capacity;
  hash_index index;      /* of them, until they are sorted */
  tfc_tensor* arguments; /* of any function */
  tfc_tensor* results;   /* the new state of a reducer */
  iterator* current;     /* of the dataset that reduce_func made of `window` */
  tfc_tensor window;     /* a dataset of elements with the key `window_key` */
  int64_t window_key;
  int64_t next; /* of the groups that are left, once the input has ended */
  bool input_ended;
} group_iterator;

/* Components of what a group has. */
static int width(const iterator* it) {
  const grouping* d = (grouping*)it->dataset;
  return d->n_state ? d->n_state : dataset_width(&d->base);
}

static int group_open(iterator* it, tfc_context* ctx) {
  group_iterator* g = (group_iterator*)it;
  int n = dataset_width(it->dataset), n_state = ((grouping*)it->dataset)->n_state;
  TFC_TRY(iterator_open_input(it, ctx));
  int most = TFC_MAX(2, n + n_state) + it->dataset->n_values;
  g->arguments = iterator_allocate(ctx, (size_t)most, sizeof *g->arguments);
  g->results = iterator_allocate(ctx, (size_t)n_state, sizeof *g->results);
  return g->arguments && g->results ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static void close_window(group_iterator* g) {
  iterator_close(g->current);
  g->current = NULL;
  tfc_let_go(g->base.api, &g->window);
}

static void group_close(iterator* it) {
  group_iterator* g = (group_iterator*)it;
  close_window(g);
  for (int64_t i = 0; i < g->n; i++) rows_clear(it->api, &g->groups[i].rows, width(it));
  free(g->groups);
  free(g->index.entries);
  free(g->arguments);
  free(g->results);
}

static void group_destroy(dataset* d) {
  for (int i = 0; i < N_FUNCTIONS; i++)
    tfc_function_drop(d->handle.api, &((grouping*)d)->functions[i]);
}

static int call(group_iterator* g, tfc_context* ctx, int function, int given, tfc_tensor* results) {
  const iterator* it = &g->base;
  return tfc_function_call(it, ctx, &((grouping*)it->dataset)->functions[function], g->arguments,
                           given, results);
}

/* The result of a function that is a scalar int64. */
static int call_for_int(group_iterator* g, tfc_context* ctx, int function, int given,
                        const char* name, int64_t* value) {
  tfc_tensor result = {0};
  TFC_TRY(call(g, ctx, function, given, &result));
  bool ok = result.dtype == TFC_INT64 && !result.rank;
  *value = ok ? *(const int64_t*)result.data : 0;
  tfc_let_go(ctx->api, &result);
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`%s` must return a scalar int64.", name);
}

static int set_key(group_iterator* g, tfc_context* ctx, int64_t key) {
  g->arguments[0] = (tfc_tensor){.dtype = TFC_INT64};
  TFC_TRY(tfc_make(ctx, &g->arguments[0], 0, NULL));
  *(int64_t*)g->arguments[0].data = key;
  return TFC_OK;
}

/* ---- Groups */

typedef struct wanted_key {
  const group* groups;
  int64_t key;
} wanted_key;

static bool has_key(void* arg, int64_t position) {
  const wanted_key* wanted = arg;
  return wanted->groups[position].key == wanted->key;
}

/* The group of a key, which is new if there is none. */
static int find_group(group_iterator* g, tfc_context* ctx, int64_t key, group** found) {
  uint64_t hash = index_mix(0, (uint64_t)key);
  int64_t at = index_find(&g->index, hash, has_key, &(wanted_key){g->groups, key});
  if (at < 0) {
    if (g->n == g->capacity) {
      int64_t capacity = g->capacity ? 2 * g->capacity : 16;
      group* groups = realloc(g->groups, (size_t)capacity * sizeof *groups);
      if (!groups) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for groups");
      g->groups = groups;
      g->capacity = capacity;
    }
    TFC_TRY(index_add(ctx, &g->index, hash));
    at = g->n++;
    g->groups[at] = (group){.key = key};
  }
  *found = &g->groups[at];
  return TFC_OK;
}

/* The next element of the input, in `element`, and its group. */
static int take(group_iterator* g, tfc_context* ctx, group** found) {
  iterator* it = &g->base;
  int n = dataset_width(it->dataset);
  int64_t key;
  *found = NULL;
  TFC_TRY(iterator_next(it->input, ctx, it->element, &g->input_ended));
  if (g->input_ended) return TFC_OK;
  for (int i = 0; i < n; i++) tfc_hold(it->api, &g->arguments[i], &it->element[i]);
  int code = call_for_int(g, ctx, KEY, n, "key_func", &key);
  if (!code) code = find_group(g, ctx, key, found);
  if (code) iterator_drop(it->api, it->element, n);
  return code;
}

static int by_key(const void* a, const void* b) {
  int64_t x = ((const group*)a)->key, y = ((const group*)b)->key;
  return (x > y) - (x < y);
}

/* What is left when the input has ended comes in the order of keys, as in TensorFlow. */
static void sort_groups(group_iterator* g) {
  if (g->n) qsort(g->groups, (size_t)g->n, sizeof *g->groups, by_key);
}

/* ---- GroupByWindowDataset */

static int window_size(group_iterator* g, tfc_context* ctx, group* of) {
  TFC_TRY(set_key(g, ctx, of->key));
  TFC_TRY(call_for_int(g, ctx, OTHER, 1, "window_size_func", &of->limit));
  if (of->limit > 0) return TFC_OK;
  int64_t size = of->limit;
  of->limit = 0;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Window size must be greater than zero, but got %lld.", (long long)size);
}

/* Opens the dataset that reduce_func makes of `window`. */
static int reduce_window(group_iterator* g, tfc_context* ctx) {
  TFC_TRY(set_key(g, ctx, g->window_key));
  tfc_hold(ctx->api, &g->arguments[1], &g->window);
  tfc_tensor result = {0};
  TFC_TRY(call(g, ctx, REDUCE, 2, &result));
  dataset* d;
  int code = dataset_get(ctx, &result, &d);
  int n = g->base.dataset->n_components;
  if (!code && d->n_components != n)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "`reduce_func` returns a dataset of %d components where %d are declared",
                     d->n_components, n);
  if (!code) code = iterator_open(ctx, &result, &g->current);
  tfc_let_go(ctx->api, &result);
  return code;
}

static int end_window(group_iterator* g, tfc_context* ctx, group* of) {
  of->limit = 0;
  g->window_key = of->key;
  TFC_TRY(rows_dataset(ctx, &of->rows, width(&g->base), &g->window));
  int code = reduce_window(g, ctx);
  if (code) close_window(g);
  return code;
}

static int take_into_window(group_iterator* g, tfc_context* ctx) {
  iterator* it = &g->base;
  group* of;
  TFC_TRY(take(g, ctx, &of));
  if (!of) return TFC_OK;
  int code = of->limit ? TFC_OK : window_size(g, ctx, of);
  if (code) {
    iterator_drop(it->api, it->element, width(it));
    return code;
  }
  TFC_TRY(rows_append(ctx, &of->rows, it->element, width(it)));
  return of->rows.n >= of->limit ? end_window(g, ctx, of) : TFC_OK;
}

static int window_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  group_iterator* g = (group_iterator*)it;
  for (;;) {
    bool over = false;
    TFC_TRY(iterator_check(ctx));
    if (g->current) {
      TFC_TRY(iterator_next(g->current, ctx, out, &over));
      if (!over) return TFC_OK;
      close_window(g);
    }
    if (!g->input_ended) {
      TFC_TRY(take_into_window(g, ctx));
      if (g->input_ended) sort_groups(g);
    } else {
      *end = g->next >= g->n;
      if (*end) return TFC_OK;
      group* of = &g->groups[g->next++];
      if (of->rows.n) TFC_TRY(end_window(g, ctx, of));
    }
  }
}

static int groups_position(group_iterator* g, position* p) {
  int64_t n = g->n;
  TFC_TRY(position_count(p, &n, INT64_MAX));
  TFC_TRY(position_count(p, &g->next, n));
  TFC_TRY(position_bool(p, &g->input_ended));
  for (int64_t i = 0; i < n; i++) {
    int64_t key = p->saves ? g->groups[i].key : 0;
    TFC_TRY(position_int(p, &key));
    group* at = p->saves ? &g->groups[i] : NULL;
    if (!p->saves) TFC_TRY(find_group(g, p->ctx, key, &at));
    if (at != &g->groups[i]) return position_misfit(p, "it has a group twice");
    TFC_TRY(position_count(p, &at->limit, INT64_MAX));
    TFC_TRY(rows_position(p, &at->rows, width(&g->base)));
  }
  return TFC_OK;
}

/* The dataset that is open is made again from its window. */
static int window_position(iterator* it, position* p) {
  group_iterator* g = (group_iterator*)it;
  bool is_open = g->current != NULL;
  TFC_TRY(groups_position(g, p));
  TFC_TRY(position_bool(p, &is_open));
  if (is_open) {
    TFC_TRY(position_int(p, &g->window_key));
    TFC_TRY(position_tensors(p, &g->window, 1));
    if (!p->saves) TFC_TRY(reduce_window(g, p->ctx));
    TFC_TRY(position_of_pipeline(g->current, p));
  }
  return position_of_input(it, p);
}

static const dataset_kind window_kind = {.name = "GroupByWindow",
                                         .object = DATASET_OBJECT(grouping),
                                         .iterator_bytes = sizeof(group_iterator),
                                         .open = group_open,
                                         .next = window_next,
                                         .cardinality = dataset_cardinality_if_endless,
                                         .position = window_position,
                                         .close = group_close,
                                         .destroy = group_destroy};

/* ---- GroupByReducerDataset */

/* What a function returned becomes the state of a group. */
static int set_state(group_iterator* g, tfc_context* ctx, group* of) {
  int n = width(&g->base);
  if (!of->rows.n) return rows_append(ctx, &of->rows, g->results, n);
  iterator_drop(ctx->api, of->rows.items, n);
  element_move(of->rows.items, g->results, n);
  return TFC_OK;
}

static int begin_state(group_iterator* g, tfc_context* ctx, group* of) {
  TFC_TRY(set_key(g, ctx, of->key));
  TFC_TRY(call(g, ctx, OTHER, 1, g->results));
  return set_state(g, ctx, of);
}

static int reduce_element(group_iterator* g, tfc_context* ctx) {
  iterator* it = &g->base;
  int n = dataset_width(it->dataset), n_state = width(it);
  group* of;
  TFC_TRY(take(g, ctx, &of));
  if (!of) return TFC_OK;
  int code = of->rows.n ? TFC_OK : begin_state(g, ctx, of);
  if (code) {
    iterator_drop(it->api, it->element, n);
    return code;
  }
  for (int i = 0; i < n_state; i++) tfc_hold(it->api, &g->arguments[i], &of->rows.items[i]);
  element_move(g->arguments + n_state, it->element, n);
  TFC_TRY(call(g, ctx, REDUCE, n_state + n, g->results));
  return set_state(g, ctx, of);
}

static int reducer_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  group_iterator* g = (group_iterator*)it;
  while (!g->input_ended) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(reduce_element(g, ctx));
    if (g->input_ended) sort_groups(g);
  }
  while (g->next < g->n && !g->groups[g->next].rows.n) g->next++; /* its first state failed */
  *end = g->next >= g->n;
  if (*end) return TFC_OK;
  group* of = &g->groups[g->next++];
  element_move(g->arguments, of->rows.items, width(it));
  of->rows.n = 0;
  return call(g, ctx, FINALIZE, width(it), out);
}

static int reducer_position(iterator* it, position* p) {
  TFC_TRY(groups_position((group_iterator*)it, p));
  for (int64_t i = 0; i < ((group_iterator*)it)->n; i++)
    if (((group_iterator*)it)->groups[i].rows.n > 1) return position_misfit(p, "it has two states");
  return position_of_input(it, p);
}

static const dataset_kind reducer_kind = {.name = "GroupByReducer",
                                          .object = DATASET_OBJECT(grouping),
                                          .iterator_bytes = sizeof(group_iterator),
                                          .open = group_open,
                                          .next = reducer_next,
                                          .position = reducer_position,
                                          .close = group_close,
                                          .destroy = group_destroy};

/* ---- Kernels */

typedef struct group_form {
  dataset_form base;
  dataset_function functions[N_FUNCTIONS];
} group_form;

/* The functions in the order of their inputs. */
static int read_form(tfc_construction* c, const int* order, const char* const* names, int n,
                     group_form* form) {
  int first = 0;
  char name[64], types[64];
  for (int i = 0; i < n; i++) {
    dataset_function* f = &form->functions[order[i]];
    snprintf(name, sizeof name, "%s_func", names[i]);
    snprintf(types, sizeof types, "T%s_func_other_arguments", names[i]);
    TFC_TRY(tfc_function_read(c, name, types, &first, f));
    if (order[i] == KEY && f->n_results != 1)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "`key_func` must return a scalar int64.");
  }
  return TFC_OK;
}

static int check_window(tfc_construction* c, const dataset_function* f) {
  if (f[REDUCE].n_results != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "`reduce_func` must return a Dataset object.");
  if (f[OTHER].n_results != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "`window_size_func` must return a scalar int64.");
  TFC_TRY(tfc_function_check(c, &f[REDUCE], "reduce_func", 2));
  return tfc_function_check(c, &f[OTHER], "window_size_func", 1);
}

static int check_reducer(tfc_construction* c, const dataset_function* f) {
  int n_state = f[OTHER].n_results;
  if (!n_state || f[REDUCE].n_results != n_state)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "reduce_func returns %d values, but the state that init_func returns has "
                         "%d",
                         f[REDUCE].n_results, n_state);
  TFC_TRY(tfc_function_check(c, &f[OTHER], "init_func", 1));
  return tfc_function_check(c, &f[FINALIZE], "finalize_func", n_state);
}

static int create_group(tfc_construction* c, const int* order, const char* const* names, int n,
                        int (*check)(tfc_construction*, const dataset_function*), void** state) {
  group_form* form = calloc(1, sizeof *form);
  if (!form) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  int code = c->api->attr_types(c, "output_types", 0, NULL, &form->base.n_components);
  if (!code) code = read_form(c, order, names, n, form);
  if (!code) code = check(c, form->functions);
  if (code) {
    free(form);
    return code;
  }
  *state = form;
  return TFC_OK;
}

static int create_window(tfc_construction* c, void** state) {
  static const int order[] = {KEY, REDUCE, OTHER};
  static const char* const names[] = {"key", "reduce", "window_size"};
  return create_group(c, order, names, 3, check_window, state);
}

static int create_reducer(tfc_construction* c, void** state) {
  static const int order[] = {KEY, OTHER, REDUCE, FINALIZE};
  static const char* const names[] = {"key", "init", "reduce", "finalize"};
  return create_group(c, order, names, 4, check_reducer, state);
}

/* Whether a function of an element, and of a state, takes them. */
static int check_element(tfc_context* ctx, const dataset_function* f, const char* name, int given) {
  if (f->n_arguments == given + f->n_values) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s takes %d arguments, but gets %d", name,
                   f->n_arguments, given + f->n_values);
}

static int make_grouping(tfc_context* ctx, const dataset_kind* kind, grouping** made) {
  const group_form* form = ctx->state;
  grouping* d;
  TFC_TRY(dataset_new(ctx, kind, 1, 1, ctx->n_inputs - 1, (void**)&d));
  for (int i = 0; i < N_FUNCTIONS; i++)
    if (form->functions[i].callable)
      tfc_function_keep(ctx->api, &d->functions[i], &form->functions[i]);
  *made = d;
  return check_element(ctx, &d->functions[KEY], "key_func", dataset_width(&d->base));
}

static int make_window(tfc_context* ctx) {
  grouping* d;
  TFC_TRY(make_grouping(ctx, &window_kind, &d));
  d->base.n_components = ((dataset_form*)ctx->state)->n_components;
  return TFC_OK;
}

static int make_reducer(tfc_context* ctx) {
  grouping* d;
  TFC_TRY(make_grouping(ctx, &reducer_kind, &d));
  d->n_state = d->functions[OTHER].n_results;
  d->base.n_components = d->functions[FINALIZE].n_results;
  return check_element(ctx, &d->functions[REDUCE], "reduce_func",
                       d->n_state + dataset_width(&d->base));
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("GroupByWindowDataset", "", make_window, TFC_STATE(create_window)),
    TFC_ROW("GroupByReducerDataset", "", make_reducer, TFC_STATE(create_reducer)),
};
TFC_REGISTER_KERNELS(kernels);
