/* The number of elements: DatasetCardinality; AssertCardinalityDataset. */
#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

static int cardinality(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_get(ctx, ctx->inputs[0], &d));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  *(int64_t*)ctx->outputs[0].data = dataset_cardinality(d);
  return TFC_OK;
}

/* ---- AssertCardinalityDataset */

typedef struct asserted {
  dataset base;
  int64_t n;
} asserted;

typedef struct asserted_iterator {
  iterator base;
  int64_t n; /* elements so far */
} asserted_iterator;

typedef struct number_text {
  char text[64];
} number_text;

static number_text elements_text(int64_t n) {
  number_text t = {"an infinite number of elements"};
  if (n != ENDLESS)
    snprintf(t.text, sizeof t.text, "%lld element%s", (long long)n, n == 1 ? "" : "s");
  return t;
}

static int asserted_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  asserted_iterator* a = (asserted_iterator*)it;
  int64_t wanted = ((asserted*)it->dataset)->n;
  TFC_TRY(iterator_next(it->input, ctx, out, end));
  a->n += !*end;
  if (*end ? a->n == wanted : a->n <= wanted || wanted == ENDLESS) return TFC_OK;
  if (!*end) iterator_drop(it->api, out, it->dataset->n_components);
  it->ended = true; /* the error comes once */
  return tfc_error(
      ctx, TFC_FAILED_PRECONDITION, "Input dataset was expected to contain %s but contained %s %s.",
      elements_text(wanted).text, *end ? "only" : "at least", elements_text(a->n).text);
}

static int64_t asserted_cardinality(const dataset* d) {
  return ((asserted*)d)->n;
}

static int asserted_position(iterator* it, position* p) {
  TFC_TRY(position_count(p, &((asserted_iterator*)it)->n, INT64_MAX));
  return position_of_input(it, p);
}

static const dataset_kind asserted_kind = {.name = "AssertCardinality",
                                           .object = DATASET_OBJECT(asserted),
                                           .iterator_bytes = sizeof(asserted_iterator),
                                           .open = iterator_open_input,
                                           .next = asserted_next,
                                           .cardinality = asserted_cardinality,
                                           .position = asserted_position};

static int make_asserted(tfc_context* ctx) {
  asserted* d;
  TFC_TRY(dataset_new(ctx, &asserted_kind, 1, 0, 0, (void**)&d));
  return dataset_int(ctx, 1, "cardinality", &d->n);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("DatasetCardinality", "", cardinality),
    TFC_ROW("AssertCardinalityDataset", "", make_asserted, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
