/* Functions that also get what they returned for the element before: ScanDataset, ReduceDataset.
 * DatasetToSingleElement. */
#include "kernels_c/data/map.h"
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

/* The values of such a dataset: the first state, then what the function captures. */
typedef struct scan {
  dataset base;
  int n_state;
} scan;

typedef struct scan_iterator {
  iterator base;
  tfc_tensor* state;     /* n_state of them */
  tfc_tensor* arguments; /* the state, the element, captured values */
  tfc_tensor* results;   /* the new state, the output */
} scan_iterator;

static int scan_open(iterator* it, tfc_context* ctx) {
  scan_iterator* s = (scan_iterator*)it;
  const dataset* d = it->dataset;
  int n = ((scan*)d)->n_state, width = dataset_width(d);
  TFC_TRY(iterator_open(ctx, &d->inputs[0], &it->input));
  s->state = iterator_allocate(ctx, (size_t)n, sizeof *s->state);
  s->arguments = iterator_allocate(ctx, (size_t)(width + d->n_values), sizeof *s->arguments);
  s->results = iterator_allocate(ctx, (size_t)(n + d->n_components), sizeof *s->results);
  if (!s->state || !s->arguments || !s->results) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < n; i++) tfc_hold(it->api, &s->state[i], &d->values[i]);
  return TFC_OK;
}

static void scan_close(iterator* it) {
  scan_iterator* s = (scan_iterator*)it;
  if (s->state) iterator_drop(it->api, s->state, ((scan*)it->dataset)->n_state);
  free(s->state);
  free(s->arguments);
  free(s->results);
}

static int scan_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  scan_iterator* s = (scan_iterator*)it;
  const dataset* d = it->dataset;
  int n = ((scan*)d)->n_state, width = dataset_width(d);
  TFC_TRY(iterator_next(it->input, ctx, s->arguments + n, end));
  if (*end) return TFC_OK;
  for (int i = 0; i < n; i++) tfc_hold(it->api, &s->arguments[i], &s->state[i]);
  for (int i = n; i < d->n_values; i++) tfc_hold(it->api, &s->arguments[width + i], &d->values[i]);
  int code =
      tfc_end_if_out_of_range(ctx, tfc_invoke(ctx, d->function, s->arguments, s->results), end);
  if (code || *end) return code;
  iterator_drop(it->api, s->state, n);
  element_move(s->state, s->results, n);
  element_move(out, s->results + n, d->n_components);
  return TFC_OK;
}

static int scan_position(iterator* it, position* p) {
  scan_iterator* s = (scan_iterator*)it;
  int n = ((scan*)it->dataset)->n_state;
  if (!p->saves) iterator_drop(it->api, s->state, n);
  TFC_TRY(position_tensors(p, s->state, n));
  return position_of_input(it, p);
}

static const dataset_kind scan_kind = {.name = "Scan",
                                       .object = DATASET_OBJECT(scan),
                                       .iterator_bytes = sizeof(scan_iterator),
                                       .open = scan_open,
                                       .next = scan_next,
                                       .cardinality = dataset_cardinality_of_map,
                                       .position = scan_position,
                                       .close = scan_close};

typedef struct scan_form {
  dataset_form base;
  int n_state;
} scan_form;

static int create_scan(tfc_construction* c, void** state) {
  scan_form* form = calloc(1, sizeof *form);
  if (!form) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  dataset_note_name(c, &form->base);
  int code = c->api->attr_types(c, "Tstate", 0, NULL, &form->n_state);
  if (!code)
    code = c->api->callable(c, "f", &form->base.function, &form->base.n_arguments,
                            &form->base.n_results);
  if (!code && form->base.n_results < form->n_state)
    code = c->api->error(c, TFC_INVALID_ARGUMENT,
                         "The function returns %d values, but the state has %d",
                         form->base.n_results, form->n_state);
  if (code) {
    free(form);
    return code;
  }
  *state = form;
  return TFC_OK;
}

static int create_scan_dataset(tfc_construction* c, void** state) {
  TFC_TRY(create_scan(c, state));
  return dataset_read_flag(c, "preserve_cardinality", state);
}

static int make_scan(tfc_context* ctx) {
  const scan_form* form = ctx->state;
  scan* d;
  TFC_TRY(dataset_new(ctx, &scan_kind, 1, 1, ctx->n_inputs - 1, (void**)&d));
  d->n_state = form->n_state;
  d->base.n_components = form->base.n_results - form->n_state;
  return tfc_check_function(ctx, &d->base, "of a scan");
}

/* ---- ReduceDataset: an op whose outputs are the last state */

/* The state is `results`, which begins as the first state. */
static int reduce(tfc_context* ctx, tfc_context* inner, iterator* it, tfc_tensor* arguments,
                  tfc_tensor* results) {
  const scan_form* form = ctx->state;
  int n = form->n_state, width = it->dataset->n_components, n_others = ctx->n_inputs - 1 - n;
  for (bool end = false;;) {
    TFC_TRY(iterator_check(inner));
    TFC_TRY(iterator_next(it, inner, arguments + n, &end));
    if (end) return TFC_OK;
    element_move(arguments, results, n);
    for (int i = 0; i < n_others; i++)
      tfc_hold(ctx->api, &arguments[n + width + i], ctx->inputs[1 + n + i]);
    TFC_TRY(tfc_invoke(inner, form->base.function, arguments, results));
  }
}

static int reduce_all(tfc_context* ctx, tfc_context* inner, tfc_tensor** results) {
  const scan_form* form = ctx->state;
  dataset* d;
  TFC_TRY(dataset_get(inner, ctx->inputs[0], &d));
  int given = d->n_components + ctx->n_inputs - 1;
  if (form->base.n_arguments != given || form->base.n_results != form->n_state)
    return tfc_error(
        inner, TFC_INVALID_ARGUMENT,
        "The function takes %d values and returns %d; it gets %d, and the state has %d",
        form->base.n_arguments, form->base.n_results, given, form->n_state);
  *results = iterator_allocate(inner, (size_t)form->n_state, sizeof **results);
  tfc_tensor* arguments = iterator_allocate(inner, (size_t)given, sizeof *arguments);
  int code = *results && arguments ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < form->n_state && !code; i++)
    tfc_hold(ctx->api, &(*results)[i], ctx->inputs[1 + i]);
  iterator* it = NULL;
  if (!code) code = iterator_open(inner, ctx->inputs[0], &it);
  if (!code) code = reduce(ctx, inner, it, arguments, *results);
  iterator_close(it);
  free(arguments);
  return code;
}

static int compute_reduce(tfc_context* ctx) {
  const scan_form* form = ctx->state;
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for an iterator");
  tfc_tensor* results = NULL;
  int code = reduce_all(ctx, inner, &results);
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  for (int i = 0; i < ctx->n_outputs && !code; i++) code = tfc_output_tensor(ctx, i, &results[i]);
  if (results) iterator_drop(ctx->api, results, form->n_state);
  free(results);
  tfc_end_inner(inner);
  return code;
}

/* ---- DatasetToSingleElement */

static int take_only(tfc_context* ctx, tfc_context* inner, tfc_tensor* element, int* n) {
  dataset* d;
  bool end = false;
  TFC_TRY(dataset_get(inner, ctx->inputs[0], &d));
  if (d->n_components != ctx->n_outputs)
    return tfc_error(inner, TFC_INVALID_ARGUMENT,
                     "An element has %d components, but %d are expected", d->n_components,
                     ctx->n_outputs);
  iterator* it;
  TFC_TRY(iterator_open(inner, ctx->inputs[0], &it));
  int code = iterator_next(it, inner, element, &end);
  if (!code && end) code = tfc_error(inner, TFC_INVALID_ARGUMENT, "Dataset was empty.");
  if (!code) {
    *n = d->n_components;
    code = iterator_next(it, inner, element + *n, &end);
    if (!code && !end) {
      *n *= 2;
      code = tfc_error(inner, TFC_INVALID_ARGUMENT, "Dataset had more than one element.");
    }
  }
  iterator_close(it);
  return code;
}

static int compute_single(tfc_context* ctx) {
  tfc_context* inner = tfc_begin_inner(ctx);
  if (!inner) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for an iterator");
  int n = 0;
  tfc_tensor* element = iterator_allocate(inner, 2 * (size_t)ctx->n_outputs, sizeof *element);
  int code = element ? take_only(ctx, inner, element, &n) : TFC_RESOURCE_EXHAUSTED;
  if (code) code = tfc_hand_on_error(ctx, inner, code);
  for (int i = 0; i < ctx->n_outputs && !code; i++) {
    if (element[i].dtype == ctx->outputs[i].dtype)
      code = tfc_output_tensor(ctx, i, &element[i]);
    else
      code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Component %d of the element is a %s, but a %s is expected", i,
                       tfc_dtype_name(element[i].dtype), tfc_dtype_name(ctx->outputs[i].dtype));
  }
  iterator_drop(ctx->api, element, n);
  free(element);
  tfc_end_inner(inner);
  return code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ScanDataset", "", make_scan, TFC_STATE(create_scan_dataset)),
    TFC_ROW("ReduceDataset", "", compute_reduce, TFC_STATE(create_scan),
            .flags = TFC_KERNEL_ASYNC | TFC_KERNEL_INTERRUPTIBLE),
    TFC_ROW("DatasetToSingleElement", "", compute_single,
            .flags = TFC_KERNEL_ASYNC | TFC_KERNEL_INTERRUPTIBLE),
};
TFC_REGISTER_KERNELS(kernels);
