#include "kernels_c/data/rows.h"

#include <limits.h>

TFC_ONE_LEVEL;

int rows_append(tfc_context* ctx, rows* r, tfc_tensor* element, int width) {
  if (r->n == r->capacity) {
    int64_t capacity = r->capacity ? 2 * r->capacity : 8;
    tfc_tensor* items = realloc(r->items, (size_t)(capacity * width) * sizeof *items + 1);
    if (!items) {
      iterator_drop(ctx->api, element, width);
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for %lld elements in a window",
                       (long long)capacity);
    }
    r->items = items;
    r->capacity = capacity;
  }
  element_move(r->items + r->n * width, element, width);
  r->n++;
  return TFC_OK;
}

void rows_clear(const tfc_api* api, rows* r, int width) {
  for (int64_t i = 0; i < r->n; i++) iterator_drop(api, r->items + i * width, width);
  free(r->items);
  *r = (rows){0};
}

typedef struct rows_iterator {
  iterator base;
  int64_t next;
} rows_iterator;

static int rows_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  rows_iterator* at = (rows_iterator*)it;
  const dataset* d = it->dataset;
  *end = at->next >= d->n_values / d->n_components;
  for (int i = 0; i < d->n_components && !*end; i++)
    tfc_hold(ctx->api, &out[i], &d->values[at->next * d->n_components + i]);
  at->next += !*end;
  return TFC_OK;
}

static int rows_iterator_position(iterator* it, position* p) {
  const dataset* d = it->dataset;
  return position_count(p, &((rows_iterator*)it)->next, d->n_values / d->n_components);
}

static int64_t rows_cardinality(const dataset* d) {
  return d->n_values / d->n_components;
}

static const dataset_kind rows_kind = {.name = "Window",
                                       .object = DATASET_OBJECT(dataset),
                                       .iterator_bytes = sizeof(rows_iterator),
                                       .next = rows_next,
                                       .cardinality = rows_cardinality,
                                       .position = rows_iterator_position};

/* output_object makes outputs only: an inner context has none, so *out can stand in for one. */
static int make_object(tfc_context* ctx, tfc_tensor* out, void** object) {
  tfc_tensor* outputs = ctx->outputs;
  int n_outputs = ctx->n_outputs;
  *out = (tfc_tensor){.dtype = TFC_VARIANT};
  ctx->outputs = out;
  ctx->n_outputs = 1;
  int code = tfc_output_object(ctx, 0, &rows_kind.object, object);
  ctx->outputs = outputs;
  ctx->n_outputs = n_outputs;
  return code;
}

int rows_dataset(tfc_context* ctx, rows* r, int width, tfc_tensor* out) {
  dataset* d;
  int code = r->n <= INT_MAX / width
                 ? make_object(ctx, out, (void**)&d)
                 : tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "a window of %lld elements is too large",
                             (long long)r->n);
  if (code) {
    rows_clear(ctx->api, r, width);
    return code;
  }
  d->handle.kind = &tfc_dataset_handle;
  d->handle.api = ctx->api;
  d->kind = &rows_kind;
  d->n_components = width;
  d->n_values = (int)(r->n * width);
  d->values = r->items;
  *r = (rows){0};
  return TFC_OK;
}

/* ---- Positions */

int rows_position(position* p, rows* r, int width) {
  int64_t n = r->n;
  TFC_TRY(position_count(p, &n, INT64_MAX));
  if (p->saves) return position_tensors(p, r->items, n * width);
  tfc_tensor* element = iterator_allocate(p->ctx, (size_t)width, sizeof *element);
  int code = element ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
  while (r->n < n && !code) {
    code = position_tensors(p, element, width);
    if (!code) code = rows_append(p->ctx, r, element, width);
  }
  free(element);
  return code;
}

bool rows_is_dataset(const tfc_tensor* t) {
  if (t->dtype != TFC_VARIANT || t->n != 1) return false;
  const dataset* d = t->data;
  return d->handle.kind == &tfc_dataset_handle && d->kind == &rows_kind;
}

int rows_dataset_position(position* p, tfc_tensor* t) {
  enum { MOST_COMPONENTS = 1 << 20, MOST_DEPTH = 100 }; /* of datasets in datasets */
  const dataset* d = p->saves ? t->data : NULL;
  rows r = {0};
  if (d) r = (rows){.items = d->values, .n = d->n_values / d->n_components};
  int64_t width = d ? d->n_components : 1;
  TFC_TRY(position_count(p, &width, MOST_COMPONENTS));
  if (!width || p->depth == MOST_DEPTH) return position_misfit(p, "it holds no dataset");
  p->depth++;
  int code = rows_position(p, &r, (int)width);
  p->depth--;
  if (d) return code;
  if (!code) return rows_dataset(p->ctx, &r, (int)width, t);
  rows_clear(p->ctx->api, &r, (int)width);
  return code;
}
