/* DirectedInterleaveDataset: a dataset of numbers chooses from which dataset an element comes. */
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

/* The first input has the numbers. */
typedef struct choice {
  dataset base;
  bool stop_on_empty;
} choice;

typedef struct choice_iterator {
  iterator base;
  iterator** open; /* of the other inputs; NULL: it has ended */
  int n_open;
} choice_iterator;

static int choice_open(iterator* it, tfc_context* ctx) {
  choice_iterator* c = (choice_iterator*)it;
  const dataset* d = it->dataset;
  TFC_TRY(iterator_open_input(it, ctx));
  c->open = iterator_allocate(ctx, (size_t)d->n_inputs, sizeof *c->open);
  if (!c->open) return TFC_RESOURCE_EXHAUSTED;
  for (; c->n_open < d->n_inputs - 1; c->n_open++)
    TFC_TRY(iterator_open(ctx, &d->inputs[1 + c->n_open], &c->open[c->n_open]));
  return TFC_OK;
}

static void choice_close(iterator* it) {
  choice_iterator* c = (choice_iterator*)it;
  for (int i = 0; c->open && i < it->dataset->n_inputs - 1; i++) iterator_close(c->open[i]);
  free(c->open);
}

/* The number of the input that is next. */
static int choose(iterator* it, tfc_context* ctx, int64_t* chosen, bool* end) {
  tfc_tensor* t = it->element;
  TFC_TRY(iterator_next(it->input, ctx, t, end));
  if (*end) return TFC_OK;
  int n = it->dataset->n_inputs - 1, code = TFC_OK;
  if (t->dtype != TFC_INT64 || t->rank)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "The selector must be a scalar of type int64");
  *chosen = code ? 0 : *(const int64_t*)t->data;
  if (*chosen < 0 || *chosen >= n)
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT, "Selector index out of range: %lld >= %d",
                     (long long)*chosen, n);
  tfc_let_go(ctx->api, t);
  return code;
}

static int choice_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  choice_iterator* c = (choice_iterator*)it;
  for (*end = !c->n_open; !*end;) {
    int64_t chosen;
    bool over = true;
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(choose(it, ctx, &chosen, end));
    if (*end) break;
    iterator** open = &c->open[chosen];
    if (!*open) continue;
    TFC_TRY(iterator_next(*open, ctx, out, &over));
    if (!over) return TFC_OK;
    iterator_close(*open);
    *open = NULL;
    *end = !--c->n_open || ((choice*)it->dataset)->stop_on_empty;
  }
  return TFC_OK;
}

static int choice_position(iterator* it, position* p) {
  choice_iterator* c = (choice_iterator*)it;
  int n_open = 0;
  for (int i = 0; i < it->dataset->n_inputs - 1; i++) {
    TFC_TRY(position_of_stage(p, &it->dataset->inputs[1 + i], &c->open[i]));
    n_open += c->open[i] != NULL;
  }
  c->n_open = n_open;
  return position_of_input(it, p);
}

/* Of the chosen datasets: ENDLESS if one of them is. */
static int64_t choice_cardinality(const dataset* d) {
  for (int i = 1; i < d->n_inputs; i++)
    if (dataset_cardinality(d->inputs[i].data) == ENDLESS) return ENDLESS;
  return UNKNOWN;
}

static const dataset_kind choice_kind = {.name = "DirectedInterleave",
                                         .object = DATASET_OBJECT(choice),
                                         .iterator_bytes = sizeof(choice_iterator),
                                         .open = choice_open,
                                         .next = choice_next,
                                         .cardinality = choice_cardinality,
                                         .position = choice_position,
                                         .close = choice_close};

static int create_choice(tfc_construction* c, void** state) {
  return dataset_create_with_flag(c, "stop_on_empty_dataset", state);
}

static int make_choice(tfc_context* ctx) {
  choice* d;
  dataset* input;
  TFC_TRY(dataset_new(ctx, &choice_kind, ctx->n_inputs, 0, 0, (void**)&d));
  d->stop_on_empty = ((dataset_form*)ctx->state)->flag;
  if (d->base.n_components != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The selector must have one component, not %d",
                     d->base.n_components);
  for (int i = 1; i < ctx->n_inputs; i++) {
    TFC_TRY(dataset_get(ctx, &d->base.inputs[i], &input));
    if (i > 1 && input->n_components != d->base.n_components)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Dataset %d has %d components, but dataset 0 has %d", i - 1,
                       input->n_components, d->base.n_components);
    d->base.n_components = input->n_components;
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DirectedInterleaveDataset", "", make_choice, TFC_STATE(create_choice)),
};
TFC_REGISTER_KERNELS(kernels);
