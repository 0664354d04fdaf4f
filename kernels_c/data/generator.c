/* GeneratorDataset: an iterator's elements come from a function that gets the iterator's state. */
#include "kernels_c/data/functions.h"
#include "kernels_c/data/map.h"
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

enum { INIT, NEXT, FINALIZE, N_FUNCTIONS };

static const char* const names[N_FUNCTIONS] = {"init_func", "next_func", "finalize_func"};

typedef struct generator {
  dataset base;
  dataset_function functions[N_FUNCTIONS];
} generator;

typedef struct generator_iterator {
  iterator base;
  tfc_tensor* state; /* what init_func returned; NULL: it has not run */
  tfc_tensor* arguments;
  int64_t n; /* elements that it has made */
} generator_iterator;

/* Calls a function with the state. */
static int call(iterator* it, tfc_context* ctx, const dataset_function* f, int n_state,
                tfc_tensor* out) {
  generator_iterator* g = (generator_iterator*)it;
  for (int i = 0; i < n_state; i++) tfc_hold(it->api, &g->arguments[i], &g->state[i]);
  return tfc_function_call(it, ctx, f, g->arguments, n_state, out);
}

static int generator_open(iterator* it, tfc_context* ctx) {
  generator_iterator* g = (generator_iterator*)it;
  const dataset_function* f = ((generator*)it->dataset)->functions;
  int most = f[INIT].n_results + it->dataset->n_values;
  g->arguments = iterator_allocate(ctx, (size_t)most, sizeof *g->arguments);
  tfc_tensor* state = iterator_allocate(ctx, (size_t)f[INIT].n_results, sizeof *state);
  int code = g->arguments && state ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
  if (!code) code = call(it, ctx, &f[INIT], 0, state);
  if (code) {
    free(state);
  } else {
    g->state = state;
  }
  return code;
}

static int generator_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  const dataset_function* f = ((generator*)it->dataset)->functions;
  *end = false;
  TFC_TRY(tfc_end_if_out_of_range(ctx, call(it, ctx, &f[NEXT], f[INIT].n_results, out), end));
  ((generator_iterator*)it)->n += !*end;
  return TFC_OK;
}

/* What a function of the user keeps can't be saved: it makes the elements again. */
static int generator_position(iterator* it, position* p) {
  generator_iterator* g = (generator_iterator*)it;
  int64_t wanted = g->n;
  TFC_TRY(position_count(p, &wanted, INT64_MAX));
  int n = it->dataset->n_components;
  tfc_tensor* element = iterator_allocate(p->ctx, (size_t)n, sizeof *element);
  int code = element ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
  while (g->n < wanted && !code) {
    bool end = false;
    code = iterator_check(p->ctx);
    if (!code) code = generator_next(it, p->ctx, element, &end);
    if (!code && end) code = position_misfit(p, "a generator ended before it");
    iterator_drop(it->api, element, n);
  }
  free(element);
  return code;
}

static void finalize(iterator* it) {
  const dataset_function* f = &((generator*)it->dataset)->functions[FINALIZE];
  tfc_context* inner = it->api->begin_inner(NULL);
  tfc_tensor* out = calloc((size_t)f->n_results + 1, sizeof *out);
  if (inner && out &&
      !call(it, inner, f, ((generator*)it->dataset)->functions[INIT].n_results, out))
    iterator_drop(it->api, out, f->n_results);
  free(out);
  if (inner) tfc_end_inner(inner);
}

static void generator_close(iterator* it) {
  generator_iterator* g = (generator_iterator*)it;
  if (g->state) {
    finalize(it);
    iterator_drop(it->api, g->state, ((generator*)it->dataset)->functions[INIT].n_results);
  }
  free(g->state);
  free(g->arguments);
}

static void generator_destroy(dataset* d) {
  for (int i = 0; i < N_FUNCTIONS; i++)
    tfc_function_drop(d->handle.api, &((generator*)d)->functions[i]);
}

static const dataset_kind generator_kind = {.name = "Generator",
                                            .object = DATASET_OBJECT(generator),
                                            .iterator_bytes = sizeof(generator_iterator),
                                            .open = generator_open,
                                            .next = generator_next,
                                            .position = generator_position,
                                            .close = generator_close,
                                            .destroy = generator_destroy};

typedef struct generator_form {
  dataset_form base;
  dataset_function functions[N_FUNCTIONS];
} generator_form;

static int read_form(tfc_construction* c, generator_form* form) {
  static const char* const types[N_FUNCTIONS] = {"Tinit_func_args", "Tnext_func_args",
                                                 "Tfinalize_func_args"};
  int first = 0;
  for (int i = 0; i < N_FUNCTIONS; i++) {
    dataset_function* f = &form->functions[i];
    TFC_TRY(tfc_function_read(c, names[i], types[i], &first, f));
    int n_state = i == INIT ? 0 : form->functions[INIT].n_results;
    TFC_TRY(tfc_function_check(c, f, names[i], n_state));
  }
  return TFC_OK;
}

static int create_generator(tfc_construction* c, void** state) {
  generator_form* form = calloc(1, sizeof *form);
  if (!form) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  dataset_note_name(c, &form->base);
  int code = read_form(c, form);
  if (code) {
    free(form);
    return code;
  }
  *state = form;
  return TFC_OK;
}

static int make_generator(tfc_context* ctx) {
  const generator_form* form = ctx->state;
  generator* d;
  TFC_TRY(dataset_new(ctx, &generator_kind, 0, 0, ctx->n_inputs, (void**)&d));
  for (int i = 0; i < N_FUNCTIONS; i++)
    tfc_function_keep(ctx->api, &d->functions[i], &form->functions[i]);
  d->base.n_components = form->functions[NEXT].n_results;
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("GeneratorDataset", "", make_generator, TFC_STATE(create_generator)),
};
TFC_REGISTER_KERNELS(kernels);
