/* WindowDataset: elements whose components are datasets of consecutive elements. */
#include "kernels_c/data/rows.h"

TFC_ONE_LEVEL;

typedef struct window {
  dataset base;
  int64_t size, shift, stride;
  int64_t span; /* elements from the first to the last of a window */
  bool drop_remainder;
} window;

/* What the input gave: an element, or an error, which is that of the windows it is in. */
typedef struct entry {
  tfc_tensor* element;
  int code;
  char* text;
} entry;

typedef struct window_iterator {
  iterator base;
  entry* entries; /* those that the next window may have */
  int64_t n, capacity;
  int64_t to_skip; /* elements between two windows */
  bool input_ended;
} window_iterator;

static void drop_entry(iterator* it, entry* e) {
  if (e->element) iterator_drop(it->api, e->element, it->n_element);
  free(e->element);
  free(e->text);
}

static void window_close(iterator* it) {
  window_iterator* w = (window_iterator*)it;
  for (int64_t i = 0; i < w->n; i++) drop_entry(it, &w->entries[i]);
  free(w->entries);
}

static int no_memory(tfc_context* ctx, int64_t n) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a window of %lld elements",
                   (long long)n);
}

/* The next element of the input, or its error; fails itself only if the step is cancelled. */
static int pull(window_iterator* w, tfc_context* ctx, entry* e) {
  iterator* it = &w->base;
  *e = (entry){.element = iterator_allocate(ctx, (size_t)it->n_element, sizeof *e->element)};
  if (!e->element) return TFC_RESOURCE_EXHAUSTED;
  int code = iterator_next(it->input, ctx, e->element, &w->input_ended);
  if (code && !tfc_cancelled(ctx)) {
    e->code = tfc_take_error(ctx, &e->text);
    if (!e->code) e->code = code;
    code = TFC_OK;
  }
  if (code || w->input_ended) drop_entry(it, e);
  return code;
}

static int push(window_iterator* w, tfc_context* ctx, entry* e) {
  if (w->n == w->capacity) {
    int64_t capacity = w->capacity ? 2 * w->capacity : 8;
    entry* entries = realloc(w->entries, (size_t)capacity * sizeof *entries);
    if (!entries) {
      drop_entry(&w->base, e);
      return no_memory(ctx, capacity);
    }
    w->entries = entries;
    w->capacity = capacity;
  }
  w->entries[w->n++] = *e;
  return TFC_OK;
}

static int fill(window_iterator* w, tfc_context* ctx) {
  const window* d = (window*)w->base.dataset;
  entry e = {0};
  for (; w->to_skip && !w->input_ended; w->to_skip--) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(pull(w, ctx, &e));
    if (!w->input_ended) drop_entry(&w->base, &e);
  }
  while (!w->input_ended && w->n < d->span) {
    TFC_TRY(iterator_check(ctx));
    TFC_TRY(pull(w, ctx, &e));
    if (!w->input_ended) TFC_TRY(push(w, ctx, &e));
  }
  return TFC_OK;
}

/* A dataset of one component of the `found` elements of the window. */
static int make_part(window_iterator* w, tfc_context* ctx, int component, int64_t found,
                     tfc_tensor* out) {
  int64_t stride = ((window*)w->base.dataset)->stride;
  rows part = {0};
  for (int64_t i = 0; i < found; i++) {
    tfc_tensor item;
    tfc_hold(ctx->api, &item, &w->entries[i * stride].element[component]);
    int code = rows_append(ctx, &part, &item, 1);
    if (code) {
      rows_clear(ctx->api, &part, 1);
      return code;
    }
  }
  return rows_dataset(ctx, &part, 1, out);
}

static int make_window(window_iterator* w, tfc_context* ctx, int64_t found, tfc_tensor* out) {
  int64_t stride = ((window*)w->base.dataset)->stride;
  for (int64_t i = 0; i < found; i++) {
    const entry* e = &w->entries[i * stride];
    if (e->code) return tfc_error(ctx, e->code, "%s", e->text ? e->text : "an element failed");
  }
  int code = TFC_OK, made = 0;
  for (; made < w->base.n_element && !code; made++)
    code = make_part(w, ctx, made, found, &out[made]);
  if (code) iterator_drop(ctx->api, out, made - 1);
  return code;
}

/* Moves on to the next window. */
static void slide(window_iterator* w) {
  int64_t shift = ((window*)w->base.dataset)->shift, dropped = TFC_MIN(shift, w->n);
  for (int64_t i = 0; i < dropped; i++) drop_entry(&w->base, &w->entries[i]);
  w->n -= dropped;
  memmove(w->entries, w->entries + dropped, (size_t)w->n * sizeof *w->entries);
  w->to_skip = shift - dropped;
}

static int window_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  window_iterator* w = (window_iterator*)it;
  const window* d = (window*)it->dataset;
  TFC_TRY(fill(w, ctx));
  int64_t found = w->n ? (w->n - 1) / d->stride + 1 : 0;
  *end = !found || (found < d->size && d->drop_remainder);
  if (*end) return TFC_OK;
  int code = make_window(w, ctx, found, out);
  slide(w);
  return code;
}

static int entry_position(window_iterator* w, position* p, entry* e) {
  int64_t code = e->code;
  TFC_TRY(position_count(p, &code, TFC_DATA_LOSS + 1));
  e->code = (int)code;
  TFC_TRY(position_text(p, &e->text));
  return code ? TFC_OK : position_tensors(p, e->element, w->base.n_element);
}

static int restore_entry(window_iterator* w, position* p) {
  entry e = {.element = iterator_allocate(p->ctx, (size_t)w->base.n_element, sizeof *e.element)};
  int code = e.element ? entry_position(w, p, &e) : TFC_RESOURCE_EXHAUSTED;
  if (!code) return push(w, p->ctx, &e);
  drop_entry(&w->base, &e);
  return code;
}

static int window_position(iterator* it, position* p) {
  window_iterator* w = (window_iterator*)it;
  int64_t n = w->n;
  TFC_TRY(position_count(p, &w->to_skip, ((window*)it->dataset)->shift));
  TFC_TRY(position_bool(p, &w->input_ended));
  TFC_TRY(position_count(p, &n, ((window*)it->dataset)->span));
  for (int64_t i = 0; i < n; i++)
    TFC_TRY(p->saves ? entry_position(w, p, &w->entries[i]) : restore_entry(w, p));
  return position_of_input(it, p);
}

static int64_t window_cardinality(const dataset* d) {
  const window* w = (window*)d;
  int64_t n = dataset_cardinality_of_input(d);
  if (n <= 0) return n;
  if (!w->drop_remainder) return (n - 1) / w->shift + 1;
  return n < w->span ? 0 : (n - w->span) / w->shift + 1;
}

static const dataset_kind window_kind = {.name = "Window",
                                         .object = DATASET_OBJECT(window),
                                         .iterator_bytes = sizeof(window_iterator),
                                         .open = iterator_open_input,
                                         .next = window_next,
                                         .cardinality = window_cardinality,
                                         .position = window_position,
                                         .close = window_close};

static int above_zero(tfc_context* ctx, int input, const char* name, int64_t* value) {
  TFC_TRY(dataset_int(ctx, input, name, value));
  if (*value > 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Window %s must be greater than zero.", name);
}

static int make_windows(tfc_context* ctx) {
  window* d;
  TFC_TRY(dataset_new(ctx, &window_kind, 1, 0, 0, (void**)&d));
  TFC_TRY(above_zero(ctx, 1, "size", &d->size));
  TFC_TRY(above_zero(ctx, 2, "shift", &d->shift));
  TFC_TRY(above_zero(ctx, 3, "stride", &d->stride));
  TFC_TRY(dataset_bool(ctx, 4, "drop_remainder", &d->drop_remainder));
  if (__builtin_mul_overflow(d->size - 1, d->stride, &d->span) || d->span == INT64_MAX) {
    d->span = INT64_MAX; /* no input has as many */
  } else {
    d->span++;
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("WindowDataset", "", make_windows, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
