/* Datasets that call functions of the graph: MapDataset, FilterDataset, TakeWhileDataset,
 * FlatMapDataset, InterleaveDataset. Those with threads of their own are in background.c and
 * parallel_interleave.c. */
#include "kernels_c/data/map.h"

#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

int tfc_check_function(tfc_context* ctx, const dataset* d, const char* name) {
  const dataset_form* form = ctx->state;
  int given = dataset_width(d) + d->n_values;
  if (form->n_arguments != given)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "The function %s takes %d arguments, but elements with captured values have %d", name,
        form->n_arguments, given);
  return TFC_OK;
}

/* ---- MapDataset */

static int map_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  TFC_TRY(iterator_next(it->input, ctx, it->element, end));
  if (*end) return TFC_OK;
  return tfc_end_if_out_of_range(ctx, iterator_call(it, ctx, out), end);
}

int tfc_end_if_out_of_range(tfc_context* ctx, int code, bool* end) {
  if (code != TFC_OUT_OF_RANGE) return code;
  char* text;
  tfc_take_error(ctx, &text);
  free(text);
  *end = true;
  return TFC_OK;
}

static const dataset_kind map_kind = {.name = "Map",
                                      .object = DATASET_OBJECT(dataset),
                                      .iterator_bytes = sizeof(iterator),
                                      .open = iterator_open_input,
                                      .next = map_next,
                                      .cardinality = dataset_cardinality_of_map,
                                      .position = position_of_input};

static int make_map(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &map_kind, 1, 1, ctx->n_inputs - 1, (void**)&d));
  d->n_components = ((dataset_form*)ctx->state)->n_results;
  return tfc_check_function(ctx, d, "of a map");
}

/* ---- FilterDataset */

static int filter_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  int n = dataset_width(it->dataset), code = TFC_OK;
  for (bool found = false; !found && !code;) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(iterator_next(it->input, ctx, out, end));
    if (*end) return TFC_OK;
    for (int i = 0; i < n; i++) tfc_hold(ctx->api, &it->element[i], &out[i]);
    tfc_tensor result = {0};
    code = tfc_end_if_out_of_range(ctx, iterator_call(it, ctx, &result), end);
    if (!code && !*end) code = iterator_truth(it, ctx, &result, &found);
    if (!found) iterator_drop(it->api, out, n);
    if (*end) return code;
  }
  return code;
}

static const dataset_kind filter_kind = {.name = "Filter",
                                         .object = DATASET_OBJECT(dataset),
                                         .iterator_bytes = sizeof(iterator),
                                         .open = iterator_open_input,
                                         .next = filter_next,
                                         .position = position_of_input};

/* ---- TakeWhileDataset */

static int take_while_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  int n = dataset_width(it->dataset);
  TFC_TRY(iterator_next(it->input, ctx, out, end));
  if (*end) return TFC_OK;
  for (int i = 0; i < n; i++) tfc_hold(ctx->api, &it->element[i], &out[i]);
  tfc_tensor result = {0};
  bool goes_on = false;
  int code = tfc_end_if_out_of_range(ctx, iterator_call(it, ctx, &result), end);
  if (!code && !*end) code = iterator_truth(it, ctx, &result, &goes_on);
  *end = !code && !goes_on;
  if (!goes_on) iterator_drop(it->api, out, n);
  return code;
}

static const dataset_kind take_while_kind = {.name = "TakeWhile",
                                             .object = DATASET_OBJECT(dataset),
                                             .iterator_bytes = sizeof(iterator),
                                             .open = iterator_open_input,
                                             .next = take_while_next,
                                             .position = position_of_input};

static int create_filter(tfc_construction* c, void** state) {
  TFC_TRY(dataset_create_calling(c, "predicate", state));
  const dataset_form* form = *state;
  if (form->n_results == 1) return TFC_OK;
  free(*state);
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "predicate function has more than one return value.");
}

static int make_filter(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &filter_kind, 1, 1, ctx->n_inputs - 1, (void**)&d));
  return tfc_check_function(ctx, d, "of a filter");
}

static int make_take_while(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &take_while_kind, 1, 1, ctx->n_inputs - 1, (void**)&d));
  return tfc_check_function(ctx, d, "of a filter");
}

/* ---- FlatMapDataset, InterleaveDataset: the function's result is a dataset */

int tfc_open_result(iterator* it, tfc_context* ctx, const tfc_tensor* element, iterator** made,
                    bool* end) {
  for (int i = 0; i < dataset_width(it->dataset); i++)
    tfc_hold(ctx->api, &it->element[i], &element[i]);
  tfc_tensor result = {0};
  TFC_TRY(tfc_end_if_out_of_range(ctx, iterator_call(it, ctx, &result), end));
  if (*end) return TFC_OK;
  dataset* d;
  int code = dataset_get(ctx, &result, &d);
  if (!code && d->n_components != it->dataset->n_components)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The function returns a dataset of %d components where %d are declared",
                     d->n_components, it->dataset->n_components);
  if (!code) code = iterator_open(ctx, &result, made);
  tfc_let_go(ctx->api, &result);
  return code;
}

typedef struct interleave {
  dataset base;
  int64_t cycle_length, block_length;
} interleave;

typedef struct interleave_iterator {
  iterator base;
  iterator** open;     /* of the cycle */
  tfc_tensor* sources; /* for each of them the element of the input that it was made from */
  int64_t at;          /* the one whose turn it is */
  int64_t taken;       /* elements of its block */
  int64_t n_open;
  bool input_ended;
} interleave_iterator;

static int interleave_open(iterator* it, tfc_context* ctx) {
  interleave_iterator* in = (interleave_iterator*)it;
  int64_t cycle = ((interleave*)it->dataset)->cycle_length, n;
  TFC_TRY(iterator_open_input(it, ctx));
  if (!tfc_multiply(cycle, TFC_MAX(1, dataset_width(it->dataset)), &n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "cycle_length is too large");
  in->open = iterator_allocate(ctx, (size_t)cycle, sizeof *in->open);
  in->sources = iterator_allocate(ctx, (size_t)n, sizeof *in->sources);
  return in->open && in->sources ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static void close_turn(interleave_iterator* in, int64_t at) {
  int width = dataset_width(in->base.dataset);
  in->n_open -= in->open[at] != NULL;
  iterator_close(in->open[at]);
  in->open[at] = NULL;
  iterator_drop(in->base.api, in->sources + at * width, width);
}

static void interleave_close(iterator* it) {
  interleave_iterator* in = (interleave_iterator*)it;
  for (int64_t i = 0; in->open && in->sources && i < ((interleave*)it->dataset)->cycle_length; i++)
    close_turn(in, i);
  free(in->open);
  free(in->sources);
}

static void next_turn(interleave_iterator* in) {
  in->taken = 0;
  in->at = (in->at + 1) % ((interleave*)in->base.dataset)->cycle_length;
}

/* Opens the dataset of the next element of the input for the one whose turn it is. */
static int open_turn(interleave_iterator* in, tfc_context* ctx) {
  int width = dataset_width(in->base.dataset);
  tfc_tensor* source = in->sources + in->at * width;
  TFC_TRY(iterator_next(in->base.input, ctx, source, &in->input_ended));
  if (in->input_ended) return TFC_OK;
  int code = tfc_open_result(&in->base, ctx, source, &in->open[in->at], &in->input_ended);
  in->n_open += in->open[in->at] != NULL;
  if (!in->open[in->at]) iterator_drop(ctx->api, source, width);
  return code;
}

static int interleave_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  interleave_iterator* in = (interleave_iterator*)it;
  const interleave* d = (interleave*)it->dataset;
  for (;;) {
    TFC_TRY(iterator_check(ctx));
    if (!in->open[in->at] && !in->input_ended) TFC_TRY(open_turn(in, ctx));
    *end = in->input_ended && !in->n_open;
    if (*end) return TFC_OK;
    if (!in->open[in->at]) {
      next_turn(in);
      continue;
    }
    bool over;
    TFC_TRY(iterator_next(in->open[in->at], ctx, out, &over));
    if (!over) {
      if (++in->taken >= d->block_length) next_turn(in);
      return TFC_OK;
    }
    close_turn(in, in->at);
    next_turn(in);
  }
}

/* One of the cycle. Its dataset is made again from the element of the input. */
static int turn_position(interleave_iterator* in, position* p, int64_t at) {
  int width = dataset_width(in->base.dataset);
  bool is_open = in->open[at] != NULL, end = false;
  TFC_TRY(position_bool(p, &is_open));
  if (!is_open) return TFC_OK;
  tfc_tensor* source = in->sources + at * width;
  TFC_TRY(position_tensors(p, source, width));
  if (!p->saves) {
    TFC_TRY(tfc_open_result(&in->base, p->ctx, source, &in->open[at], &end));
    if (end) return position_misfit(p, "an interleaved dataset is not made again");
    in->n_open++;
  }
  return position_of_pipeline(in->open[at], p);
}

static int interleave_position(iterator* it, position* p) {
  interleave_iterator* in = (interleave_iterator*)it;
  const interleave* d = (interleave*)it->dataset;
  int64_t cycle = d->cycle_length;
  TFC_TRY(position_count(p, &cycle, INT64_MAX));
  if (cycle != d->cycle_length) return position_misfit(p, "its interleave has another cycle");
  TFC_TRY(position_count(p, &in->at, d->cycle_length - 1));
  TFC_TRY(position_count(p, &in->taken, d->block_length));
  TFC_TRY(position_bool(p, &in->input_ended));
  for (int64_t i = 0; i < d->cycle_length; i++) TFC_TRY(turn_position(in, p, i));
  return position_of_input(it, p);
}

static const dataset_kind interleave_kind = {.name = "Interleave",
                                             .object = DATASET_OBJECT(interleave),
                                             .iterator_bytes = sizeof(interleave_iterator),
                                             .open = interleave_open,
                                             .next = interleave_next,
                                             .position = interleave_position,
                                             .close = interleave_close};

static int make_interleaved(tfc_context* ctx, int n_captured, interleave** made) {
  interleave* d;
  TFC_TRY(dataset_new(ctx, &interleave_kind, 1, 1, n_captured, (void**)&d));
  d->base.n_components = ((dataset_form*)ctx->state)->n_components;
  d->cycle_length = d->block_length = 1;
  *made = d;
  return tfc_check_function(ctx, &d->base, "that makes datasets");
}

static int make_flat_map(tfc_context* ctx) {
  interleave* d;
  return make_interleaved(ctx, ctx->n_inputs - 1, &d);
}

/* The inputs after the captured values: cycle_length, block_length, and others that a parallel
 * interleave has. */
static int make_cycles(tfc_context* ctx, int n_others) {
  interleave* d;
  int first = ctx->n_inputs - n_others;
  TFC_TRY(make_interleaved(ctx, first - 1, &d));
  TFC_TRY(dataset_int(ctx, first, "cycle_length", &d->cycle_length));
  TFC_TRY(dataset_int(ctx, first + 1, "block_length", &d->block_length));
  if (d->cycle_length <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "cycle_length must be greater than zero.");
  if (d->block_length <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "block_length must be greater than zero.");
  return TFC_OK;
}

static int make_interleave(tfc_context* ctx) {
  return make_cycles(ctx, 2);
}

int tfc_create_flat_map(tfc_construction* c, void** state) {
  TFC_TRY(dataset_create_with_function(c, state));
  const dataset_form* form = *state;
  if (form->n_results == 1) return TFC_OK;
  free(*state);
  return c->api->error(c, TFC_INVALID_ARGUMENT, "the function must return one dataset");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MapDataset", "", make_map, TFC_STATE(dataset_create_map)),
    TFC_ROW("FilterDataset", "", make_filter, TFC_STATE(create_filter)),
    TFC_ROW("TakeWhileDataset", "", make_take_while, TFC_STATE(create_filter)),
    TFC_ROW("FlatMapDataset", "", make_flat_map, TFC_STATE(tfc_create_flat_map)),
    TFC_ROW("InterleaveDataset", "", make_interleave, TFC_STATE(tfc_create_flat_map)),
};
TFC_REGISTER_KERNELS(kernels);
