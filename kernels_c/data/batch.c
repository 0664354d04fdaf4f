/* BatchDataset, PaddedBatchDataset, UnbatchDataset. */
#include "kernels_c/data/batch.h"

#include "kernels_c/data/position.h"

TFC_ONE_LEVEL;

/* ---- Rows of batches */

int batch_new(tfc_context* ctx, const tfc_tensor* first, int64_t rows, tfc_tensor* batch) {
  if (tfc_is_object(first->dtype))
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "elements of type %s can't be batched",
                     tfc_dtype_name(first->dtype));
  if (first->rank == TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d can't be batched", first->rank);
  int64_t dims[TFC_MAX_RANK];
  dims[0] = rows;
  memcpy(dims + 1, first->dims, (size_t)first->rank * sizeof *dims);
  batch->dtype = first->dtype;
  return tfc_make(ctx, batch, first->rank + 1, dims);
}

int batch_copy(tfc_context* ctx, tfc_tensor* to, int64_t at, const tfc_tensor* from, int64_t first,
               int64_t n) {
  if (from->dtype != TFC_STRING) {
    size_t size = tfc_dtype_size(from->dtype);
    if (n)
      memcpy((char*)to->data + (size_t)at * size, (const char*)from->data + (size_t)first * size,
             (size_t)n * size);
    return TFC_OK;
  }
  const tfc_string* s = (const tfc_string*)from->data + first;
  for (int64_t i = 0; i < n; i++)
    if (tfc_string_set(ctx, to, at + i, s[i].data, s[i].size))
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a string of %zu bytes",
                       s[i].size);
  return TFC_OK;
}

static int same_type(tfc_context* ctx, const tfc_tensor* batch, const tfc_tensor* element,
                     int component) {
  if (batch->dtype == element->dtype) return TFC_OK;
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT,
      "Cannot batch tensors of different types in component %d. The first element was of type %s, "
      "another is of type %s.",
      component, tfc_dtype_name(batch->dtype), tfc_dtype_name(element->dtype));
}

int batch_set(tfc_context* ctx, tfc_tensor* batch, int64_t row, const tfc_tensor* element,
              int component) {
  bool same = batch->rank == element->rank + 1;
  for (int i = 0; i < element->rank && same; i++) same = batch->dims[i + 1] == element->dims[i];
  if (!same)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Cannot batch tensors with different shapes in component %d. First element "
                     "had shape %s and "
                     "element %lld had shape %s.",
                     component, tfc_dims_text(batch->rank - 1, batch->dims + 1).text,
                     (long long)row, tfc_dims_text(element->rank, element->dims).text);
  TFC_TRY(same_type(ctx, batch, element, component));
  return batch_copy(ctx, batch, row * element->n, element, 0, element->n);
}

/* Another number of rows, of which the first `kept` are the batch's. */
static int resize(tfc_context* ctx, tfc_tensor* batch, int64_t kept, int64_t rows) {
  tfc_tensor cut = {.dtype = batch->dtype};
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, batch->dims, sizeof dims);
  dims[0] = rows;
  TFC_TRY(tfc_make(ctx, &cut, batch->rank, dims));
  int code = batch_copy(ctx, &cut, 0, batch, 0, batch->n / batch->dims[0] * kept);
  tfc_let_go(ctx->api, code ? &cut : batch);
  if (!code) *batch = cut;
  return code;
}

int batch_cut(tfc_context* ctx, tfc_tensor* batch, int64_t rows) {
  return resize(ctx, batch, rows, rows);
}

/* ---- BatchDataset */

enum { FIRST_BYTES = 16 << 20 };

/* How many rows to begin with: batch_size may be far above the number of elements. */
static int64_t first_rows(const tfc_tensor* t, int64_t size) {
  int64_t bytes = TFC_MAX(1, t->n * (int64_t)tfc_dtype_size(t->dtype));
  return TFC_MIN(size, TFC_MAX(1, FIRST_BYTES / bytes));
}

typedef struct batch {
  dataset base;
  int64_t size;
  bool drop_remainder;
} batch;

static int batch_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  const batch* d = (batch*)it->dataset;
  int64_t rows = 0;
  int n = it->n_element, code = TFC_OK;
  for (bool over = false; rows < d->size && !code;) {
    code = iterator_check(ctx);
    if (!code) code = iterator_next(it->input, ctx, it->element, &over);
    if (over || code) break;
    for (int i = 0; i < n && !code; i++) {
      if (!rows)
        code = batch_new(ctx, &it->element[i], first_rows(&it->element[i], d->size), &out[i]);
      else if (rows == out[i].dims[0])
        code = resize(ctx, &out[i], rows, TFC_MIN(d->size, 2 * rows));
      if (!code) code = batch_set(ctx, &out[i], rows, &it->element[i], i);
    }
    iterator_drop(it->api, it->element, n);
    rows++;
  }
  *end = !code && (!rows || (rows < d->size && d->drop_remainder));
  for (int i = 0; i < n && !code && !*end; i++)
    if (rows < out[i].dims[0]) code = batch_cut(ctx, &out[i], rows);
  if (code || *end) iterator_drop(it->api, out, n);
  return code;
}

static int64_t batch_cardinality(const dataset* d) {
  const batch* b = (batch*)d;
  int64_t n = dataset_cardinality_of_input(d);
  return n < 0 ? n : n / b->size + (n % b->size && !b->drop_remainder);
}

static const dataset_kind batch_kind = {.name = "Batch",
                                        .object = DATASET_OBJECT(batch),
                                        .iterator_bytes = sizeof(iterator),
                                        .open = iterator_open_input,
                                        .next = batch_next,
                                        .cardinality = batch_cardinality,
                                        .position = position_of_input};

/* Inputs `first` and following: batch_size, and drop_remainder if there is one. */
static int make_batch_of(tfc_context* ctx, const dataset_kind* kind, int n_values, int size,
                         int drop, batch** made) {
  batch* d;
  TFC_TRY(dataset_new(ctx, kind, 1, 2, n_values, (void**)&d));
  TFC_TRY(dataset_int(ctx, size, "batch_size", &d->size));
  if (drop >= 0) TFC_TRY(dataset_bool(ctx, drop, "drop_remainder", &d->drop_remainder));
  if (d->size <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Batch size must be greater than zero.");
  *made = d;
  return TFC_OK;
}

int tfc_make_batch(tfc_context* ctx) {
  batch* d;
  return make_batch_of(ctx, &batch_kind, 0, 1, ctx->n_inputs > 2 ? ctx->n_inputs - 1 : -1, &d);
}

/* ---- PaddedBatchDataset. Its values: for each component the padded shape, then the padding. */

typedef struct padded_iterator {
  iterator base;
  tfc_tensor* rows; /* `size` elements, one after the other */
} padded_iterator;

static int padded_open(iterator* it, tfc_context* ctx) {
  padded_iterator* p = (padded_iterator*)it;
  TFC_TRY(iterator_open_input(it, ctx));
  int64_t n;
  if (!tfc_multiply(((batch*)it->dataset)->size, it->dataset->n_components, &n))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "batch_size is too large");
  p->rows = iterator_allocate(ctx, (size_t)n, sizeof *p->rows);
  return p->rows ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static void padded_close(iterator* it) {
  free(((padded_iterator*)it)->rows);
}

static int padded_dims(tfc_context* ctx, const padded_iterator* p, int64_t n_rows, int component,
                       int64_t* dims) {
  const dataset* d = p->base.dataset;
  int n = d->n_components;
  const tfc_tensor* shape = &d->values[component];
  dims[0] = n_rows;
  for (int64_t row = 0; row < n_rows; row++) {
    const tfc_tensor* t = &p->rows[row * n + component];
    if (t->rank != shape->n)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "All elements in a batch must have the same rank as the padded shape for component%d: "
          "expected rank %lld but got element with rank %d",
          component, (long long)shape->n, t->rank);
  }
  for (int64_t i = 0; i < shape->n; i++) {
    int64_t wanted = tfc_index_at(shape, i), largest = 0;
    for (int64_t row = 0; row < n_rows; row++) {
      int64_t size = p->rows[row * n + component].dims[i];
      largest = TFC_MAX(largest, size);
      if (wanted >= 0 && size > wanted)
        return tfc_error(
            ctx, TFC_DATA_LOSS,
            "Attempted to pad to a smaller size than the input element. Component %d has size "
            "%lld in dimension %lld, which is to be padded to %lld.",
            component, (long long)size, (long long)i, (long long)wanted);
    }
    if (wanted < -1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Component %d can't be padded to size %lld in dimension %lld", component,
                       (long long)wanted, (long long)i);
    dims[i + 1] = wanted >= 0 ? wanted : largest;
  }
  return TFC_OK;
}

static int fill(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* padding) {
  if (to->dtype == TFC_STRING) {
    const tfc_string* s = padding->data;
    for (int64_t i = 0; i < to->n && s->size; i++) TFC_TRY(batch_copy(ctx, to, i, padding, 0, 1));
    return TFC_OK;
  }
  size_t size = tfc_dtype_size(to->dtype);
  TFC_SWITCH_SIZE(size,
                  for (int64_t i = 0; i < to->n; i++)((T*)to->data)[i] = *(const T*)padding->data);
  return TFC_OK;
}

/* Copies an element into the corner of a row: runs along its last dimension. */
static int set_corner(tfc_context* ctx, tfc_tensor* to, int64_t row, const tfc_tensor* from) {
  int64_t row_size = to->n / to->dims[0], run = from->rank ? from->dims[from->rank - 1] : 1;
  if (!from->n) return TFC_OK;
  int64_t at[TFC_MAX_RANK] = {0};
  for (int64_t first = 0; first < from->n; first += run) {
    int64_t offset = 0;
    for (int i = 0; i < from->rank; i++) offset = offset * to->dims[i + 1] + at[i];
    TFC_TRY(batch_copy(ctx, to, row * row_size + offset, from, first, run));
    for (int i = from->rank - 2; i >= 0; i--) {
      if (++at[i] < from->dims[i]) break;
      at[i] = 0;
    }
  }
  return TFC_OK;
}

static int pad_component(tfc_context* ctx, padded_iterator* p, int64_t n_rows, int component,
                         tfc_tensor* out) {
  const dataset* d = p->base.dataset;
  int n = d->n_components;
  const tfc_tensor* padding = &d->values[n + component];
  int64_t dims[TFC_MAX_RANK + 1];
  out->dtype = p->rows[component].dtype;
  TFC_TRY(same_type(ctx, out, padding, component));
  TFC_TRY(padded_dims(ctx, p, n_rows, component, dims));
  TFC_TRY(tfc_make(ctx, out, (int)d->values[component].n + 1, dims));
  TFC_TRY(fill(ctx, out, padding));
  for (int64_t row = 0; row < n_rows; row++) {
    TFC_TRY(same_type(ctx, out, &p->rows[row * n + component], component));
    TFC_TRY(set_corner(ctx, out, row, &p->rows[row * n + component]));
  }
  return TFC_OK;
}

static int padded_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  padded_iterator* p = (padded_iterator*)it;
  const batch* d = (batch*)it->dataset;
  int n = it->dataset->n_components, code = TFC_OK;
  int64_t rows = 0;
  for (bool over = false; rows < d->size; rows++) {
    code = iterator_check(ctx);
    if (!code) code = iterator_next(it->input, ctx, p->rows + rows * n, &over);
    if (over || code) break;
  }
  *end = !code && (!rows || (rows < d->size && d->drop_remainder));
  for (int i = 0; i < n && !code && !*end; i++) code = pad_component(ctx, p, rows, i, &out[i]);
  for (int64_t row = 0; row < rows; row++) iterator_drop(it->api, p->rows + row * n, n);
  if (code) iterator_drop(it->api, out, n);
  return code;
}

static const dataset_kind padded_kind = {.name = "PaddedBatch",
                                         .object = DATASET_OBJECT(batch),
                                         .iterator_bytes = sizeof(padded_iterator),
                                         .open = padded_open,
                                         .next = padded_next,
                                         .cardinality = batch_cardinality,
                                         .position = position_of_input,
                                         .close = padded_close};

static int make_padded(tfc_context* ctx) {
  batch* d = NULL;
  int last = ctx->n_inputs - 1;
  bool may_drop = last > 1 && ctx->inputs[last]->dtype == TFC_BOOL && ctx->n_inputs % 2;
  TFC_TRY(
      make_batch_of(ctx, &padded_kind, ctx->n_inputs - 2 - may_drop, 1, may_drop ? last : -1, &d));
  int n = d->base.n_components;
  if (d->base.n_values != 2 * n)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "An element has %d components, but there are %d padded shapes and padding values", n,
        d->base.n_values);
  for (int i = 0; i < n; i++) {
    const tfc_tensor *shape = &d->base.values[i], *padding = &d->base.values[n + i];
    if (shape->dtype != TFC_INT64 || shape->rank != 1 || shape->n >= TFC_MAX_RANK)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "All padded shapes must be vectors of less than %d sizes", TFC_MAX_RANK);
    if (padding->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "All padding values must be scalars");
  }
  return TFC_OK;
}

/* ---- UnbatchDataset */

typedef struct unbatch_iterator {
  iterator base;
  int64_t next, rows; /* of `element` */
} unbatch_iterator;

static int unbatch_load(unbatch_iterator* u, tfc_context* ctx, bool* end) {
  iterator* it = &u->base;
  u->next = u->rows = 0;
  iterator_drop(it->api, it->element, it->n_element);
  TFC_TRY(iterator_next(it->input, ctx, it->element, end));
  for (int i = 0; i < it->n_element && !*end; i++) {
    const tfc_tensor* t = &it->element[i];
    if (!t->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input element must have a non-scalar value in each component.");
    if (t->dims[0] != it->element[0].dims[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input element must have the same batch size in each component. Component 0 "
                       "had size %lld "
                       "but component %d had size %lld.",
                       (long long)it->element[0].dims[0], i, (long long)t->dims[0]);
    u->rows = t->dims[0];
  }
  return TFC_OK;
}

static int unbatch_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  unbatch_iterator* u = (unbatch_iterator*)it;
  while (u->next >= u->rows) {
    TFC_TRY(iterator_check(ctx));
    int code = unbatch_load(u, ctx, end);
    if (code) u->rows = 0;
    if (code || *end) return code;
  }
  for (int i = 0; i < it->n_element; i++) element_row(ctx->api, &out[i], &it->element[i], u->next);
  u->next++;
  return TFC_OK;
}

static int unbatch_position(iterator* it, position* p) {
  unbatch_iterator* u = (unbatch_iterator*)it;
  TFC_TRY(position_count(p, &u->rows, INT64_MAX));
  TFC_TRY(position_count(p, &u->next, u->rows));
  if (u->next < u->rows) TFC_TRY(position_tensors(p, it->element, it->n_element));
  for (int i = 0; i < it->n_element && u->next < u->rows; i++)
    if (!it->element[i].rank || it->element[i].dims[0] != u->rows)
      return position_misfit(p, "it holds a batch of another size");
  return position_of_input(it, p);
}

static const dataset_kind unbatch_kind = {.name = "Unbatch",
                                          .object = DATASET_OBJECT(dataset),
                                          .iterator_bytes = sizeof(unbatch_iterator),
                                          .open = iterator_open_input,
                                          .next = unbatch_next,
                                          .cardinality = dataset_cardinality_if_endless,
                                          .position = unbatch_position};

static int make_unbatch(tfc_context* ctx) {
  dataset* d;
  return dataset_new(ctx, &unbatch_kind, 1, 0, 0, (void**)&d);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BatchDataset", "", tfc_make_batch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("BatchDatasetV2", "", tfc_make_batch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("ParallelBatchDataset", "", tfc_make_batch, TFC_STATE(dataset_create_plain)),
    TFC_ROW("PaddedBatchDataset", "", make_padded, TFC_STATE(dataset_create_plain)),
    TFC_ROW("PaddedBatchDatasetV2", "", make_padded, TFC_STATE(dataset_create_plain)),
    TFC_ROW("UnbatchDataset", "", make_unbatch, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
