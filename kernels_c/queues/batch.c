/* From tensors to the elements of queues, and back. See queue.h. */
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

static int no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of a queue");
}

/* ---- Rows of tensors. */

void queue_element_shape(const queue_batch* batch, int i, int* rank, const int64_t** dims) {
  const tfc_tensor* t = &batch->component[i];
  *rank = batch->whole ? t->rank : t->rank - 1;
  *dims = batch->whole ? t->dims : t->dims + 1;
}

static int64_t values_in_element(const queue_batch* batch, int i) {
  int rank;
  const int64_t* dims;
  queue_element_shape(batch, i, &rank, &dims);
  return tfc_count(rank, dims);
}

int queue_copy_values(tfc_context* ctx, tfc_tensor* to, int64_t at, const tfc_tensor* from,
                      int64_t first, int64_t n) {
  if (from->dtype == TFC_STRING) {
    const tfc_string* s = (const tfc_string*)from->data + first;
    for (int64_t i = 0; i < n; i++)
      TFC_TRY(tfc_string_set(ctx, to, at + i, s[i].data ? s[i].data : "", s[i].size));
    return TFC_OK;
  }
  const size_t size = tfc_dtype_size(from->dtype);
  if (n)
    memcpy((char*)to->data + (size_t)at * size, (const char*)from->data + (size_t)first * size,
           (size_t)n * size);
  return TFC_OK;
}

/* ---- Batches from inputs. */

queue_batch* queue_new_batch(tfc_context* ctx, const queue* q, int64_t rows, bool whole) {
  queue_batch* batch = calloc(1, sizeof *batch + (size_t)q->form.n * sizeof(tfc_tensor));
  if (!batch) {
    no_memory(ctx);
    return NULL;
  }
  batch->refs = batch->rows = rows;
  batch->whole = whole;
  batch->n = q->form.n;
  return batch;
}

int queue_push_batch(tfc_context* ctx, const queue* q, queue_runs* out, queue_batch* batch) {
  queue_run run = {.batch = batch, .count = batch->rows};
  if (q->form.kind == QUEUE_PRIORITY) run.priority = *(const int64_t*)batch->component[0].data;
  if (queue_runs_push(out, run)) return TFC_OK;
  queue_batch_drop(ctx->api, batch, batch->rows);
  return no_memory(ctx);
}

/* The elements share the inputs. */
static int share_inputs(tfc_context* ctx, const queue* q, int first_input, bool many,
                        queue_runs* out) {
  const int64_t rows = many ? ctx->inputs[first_input]->dims[0] : 1;
  queue_batch* batch = queue_new_batch(ctx, q, rows, !many);
  if (!batch) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < batch->n; i++) {
    const int code = tfc_keep(ctx, &batch->component[i], ctx->inputs[first_input + i]);
    if (!code) continue;
    queue_batch_drop(ctx->api, batch, rows);
    return code;
  }
  return queue_push_batch(ctx, q, out, batch);
}

static int copy_row(tfc_context* ctx, const tfc_tensor* from, int64_t row, tfc_tensor* to) {
  to->dtype = from->dtype;
  TFC_TRY(tfc_make(ctx, to, from->rank - 1, from->dims + 1));
  return queue_copy_values(ctx, to, 0, from, row * to->n, to->n);
}

/* Each row becomes a batch of its own: elements leave the queue in any order, and one that stays
 * long must not keep the memory of its neighbours. */
static int copy_rows(tfc_context* ctx, const queue* q, int first_input, queue_runs* out) {
  const int64_t rows = ctx->inputs[first_input]->dims[0];
  for (int64_t row = 0; row < rows; row++) {
    queue_batch* batch = queue_new_batch(ctx, q, 1, true);
    if (!batch) return TFC_RESOURCE_EXHAUSTED;
    for (int i = 0; i < batch->n; i++) {
      const int code = copy_row(ctx, ctx->inputs[first_input + i], row, &batch->component[i]);
      if (!code) continue;
      queue_batch_drop(ctx->api, batch, 1);
      return code;
    }
    TFC_TRY(queue_push_batch(ctx, q, out, batch));
  }
  return TFC_OK;
}

int queue_make_runs(tfc_context* ctx, const queue* q, int first_input, bool many, queue_runs* out) {
  const bool in_order = q->form.kind == QUEUE_FIFO || q->form.kind == QUEUE_PADDING;
  const int code = many && !in_order ? copy_rows(ctx, q, first_input, out)
                                     : share_inputs(ctx, q, first_input, many, out);
  if (code) queue_runs_clear(ctx->api, out);
  return code;
}

/* ---- Outputs from elements. */

/* A view keeps the whole batch: it may be at most twice as large as what is seen. */
static bool may_share(const queue_run* run) {
  return 2 * run->count >= run->batch->rows;
}

/* The rows of a run, or its only element, as a view. */
static int view_run(tfc_context* ctx, int output, int i, const queue_run* run, bool many) {
  const tfc_tensor* from = &run->batch->component[i];
  const int64_t values = values_in_element(run->batch, i);
  int rank;
  const int64_t* dims;
  queue_element_shape(run->batch, i, &rank, &dims);
  tfc_tensor view = {.buffer = from->buffer, .dtype = from->dtype, .rank = rank + many};
  view.n = values * run->count;
  view.data = view.n
                  ? (char*)from->data + (size_t)(run->first * values) * tfc_dtype_size(from->dtype)
                  : from->data;
  if (many) view.dims[0] = run->count;
  memcpy(view.dims + many, dims, (size_t)rank * sizeof *dims);
  return tfc_output_tensor(ctx, output, &view);
}

static int copy_element(tfc_context* ctx, int output, int i, const queue_run* run) {
  const int64_t values = values_in_element(run->batch, i);
  int rank;
  const int64_t* dims;
  queue_element_shape(run->batch, i, &rank, &dims);
  TFC_TRY(tfc_output(ctx, output, rank, dims));
  return queue_copy_values(ctx, &ctx->outputs[output], 0, &run->batch->component[i],
                           run->first * values, values);
}

static const queue_run* run_at(const queue_runs* runs, int64_t i) {
  return &runs->run[(runs->head + i) & (runs->room - 1)];
}

/* Elements of equal shapes, one after the other. */
static int join_runs(tfc_context* ctx, int output, int i, const queue_runs* runs,
                     const queue_component* form) {
  int64_t dims[TFC_MAX_RANK], at = 0;
  dims[0] = runs->elements;
  for (int d = 0; d < form->rank; d++) dims[d + 1] = TFC_MAX(form->dims[d], 0);
  TFC_TRY(tfc_output(ctx, output, form->rank + 1, dims));
  for (int64_t r = 0; r < runs->n; r++) {
    const queue_run* run = run_at(runs, r);
    const int64_t values = values_in_element(run->batch, i), n = run->count * values;
    TFC_TRY(queue_copy_values(ctx, &ctx->outputs[output], at, &run->batch->component[i],
                              run->first * values, n));
    at += n;
  }
  return TFC_OK;
}

/* ---- Padding. */

/* Copies an element into the corner of row `row` of a larger output: line by line. */
static int copy_to_corner(tfc_context* ctx, tfc_tensor* out, int64_t row, const tfc_tensor* from,
                          int64_t first, int rank, const int64_t* dims) {
  int64_t place[TFC_MAX_RANK] = {0};
  const int64_t line = rank ? dims[rank - 1] : 1;
  if (tfc_count(rank, dims) == 0) return TFC_OK;
  for (;;) {
    int64_t at = row;
    for (int d = 0; d < rank; d++) at = at * out->dims[d + 1] + place[d];
    TFC_TRY(queue_copy_values(ctx, out, at, from, first, line));
    first += line;
    int d = rank - 2;
    while (d >= 0 && ++place[d] == dims[d]) place[d--] = 0;
    if (d < 0) return TFC_OK;
  }
}

/* Unknown sizes become the largest of the elements; the rest of the output is zero. */
static int pad_runs(tfc_context* ctx, int output, int i, const queue_runs* runs,
                    const queue_component* form) {
  int64_t dims[TFC_MAX_RANK];
  int rank;
  const int64_t* mine;
  dims[0] = runs->elements;
  for (int d = 0; d < form->rank; d++) {
    dims[d + 1] = TFC_MAX(form->dims[d], 0);
    for (int64_t r = 0; r < runs->n && form->dims[d] < 0; r++) {
      queue_element_shape(run_at(runs, r)->batch, i, &rank, &mine);
      dims[d + 1] = TFC_MAX(dims[d + 1], mine[d]);
    }
  }
  TFC_TRY(tfc_output(ctx, output, form->rank + 1, dims));
  tfc_tensor* out = &ctx->outputs[output];
  if (out->dtype != TFC_STRING && out->n) /* strings are empty already */
    memset(out->data, 0, (size_t)out->n * tfc_dtype_size(out->dtype));
  for (int64_t r = 0, row = 0; r < runs->n; r++) {
    const queue_run* run = run_at(runs, r);
    const int64_t values = values_in_element(run->batch, i);
    queue_element_shape(run->batch, i, &rank, &mine);
    for (int64_t k = 0; k < run->count; k++, row++)
      TFC_TRY(copy_to_corner(ctx, out, row, &run->batch->component[i], (run->first + k) * values,
                             rank, mine));
  }
  return TFC_OK;
}

static bool is_padded(const queue_component* form) {
  for (int d = 0; d < form->rank; d++)
    if (form->dims[d] < 0) return true;
  return false;
}

static int make_output(tfc_context* ctx, int output, int i, const queue_runs* runs,
                       const queue_component* form, bool many) {
  const queue_run* run = runs->n == 1 ? run_at(runs, 0) : NULL;
  if (!many)
    return may_share(run) ? view_run(ctx, output, i, run, false)
                          : copy_element(ctx, output, i, run);
  if (run && !is_padded(form) && may_share(run)) return view_run(ctx, output, i, run, true);
  return is_padded(form) ? pad_runs(ctx, output, i, runs, form)
                         : join_runs(ctx, output, i, runs, form);
}

int queue_make_outputs(tfc_context* ctx, const queue* q, int first_output, const queue_runs* runs,
                       bool many) {
  for (int i = 0; i < q->form.n; i++)
    TFC_TRY(make_output(ctx, first_output + i, i, runs, &q->form.component[i], many));
  return TFC_OK;
}

int queue_copy_text(tfc_context* ctx, const queue_runs* runs, char** text, size_t* size) {
  const queue_run* run = run_at(runs, 0);
  if (values_in_element(run->batch, 0) != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected to dequeue a one-element string tensor");
  const tfc_string* element = (const tfc_string*)run->batch->component[0].data + run->first;
  *text = malloc(element->size + 1);
  if (!*text) return no_memory(ctx);
  *size = element->size;
  if (*size) memcpy(*text, element->data, *size);
  return TFC_OK;
}
