/* The elements of a queue as tensors, for checkpoints. See queue.h.
 *
 * The layout is a vector: the version, the number of elements, the place in the random stream (key,
 * counter, and what is left of the last block), and for each element and component the rank and the
 * sizes. */
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

enum {
  VERSION,
  ELEMENTS,
  KEY,
  HIGH,
  BLOCK,
  WORDS_LEFT,
  WORDS,
  SHAPES = WORDS + PHILOX_WORDS,
  THIS_VERSION = 1
};

/* ---- To tensors. */

typedef struct sizes {
  int64_t layout;
  int64_t values[]; /* of each component */
} sizes;

static void count(const queue* q, const queue_runs* runs, sizes* s) {
  s->layout = SHAPES;
  for (int i = 0; i < q->form.n; i++) s->values[i] = 0;
  for (int64_t r = 0; r < runs->n; r++) {
    const queue_run* run = &runs->run[(runs->head + r) & (runs->room - 1)];
    for (int i = 0; i < q->form.n; i++) {
      int rank;
      const int64_t* dims;
      queue_element_shape(run->batch, i, &rank, &dims);
      s->layout += run->count * (1 + rank);
      s->values[i] += run->count * tfc_count(rank, dims);
    }
  }
}

static int make_outputs(tfc_context* ctx, const queue* q, const sizes* s) {
  TFC_TRY(tfc_output(ctx, 0, 1, &s->layout));
  for (int i = 0; i < q->form.n; i++) TFC_TRY(tfc_output(ctx, 1 + i, 1, &s->values[i]));
  return TFC_OK;
}

static void write_head(int64_t* layout, int64_t elements, const queue_random* random) {
  layout[VERSION] = THIS_VERSION;
  layout[ELEMENTS] = elements;
  layout[KEY] = (int64_t)random->stream.key;
  layout[HIGH] = (int64_t)random->stream.high;
  layout[BLOCK] = (int64_t)random->stream.block;
  layout[WORDS_LEFT] = random->words_left;
  for (int i = 0; i < PHILOX_WORDS; i++) layout[WORDS + i] = random->words[i];
}

static int64_t* write_shapes(const queue* q, const queue_run* run, int64_t* layout) {
  for (int64_t k = 0; k < run->count; k++)
    for (int i = 0; i < q->form.n; i++) {
      int rank;
      const int64_t* dims;
      queue_element_shape(run->batch, i, &rank, &dims);
      *layout++ = rank;
      for (int d = 0; d < rank; d++) *layout++ = dims[d];
    }
  return layout;
}

/* at: how many values of each component there are so far. */
static int write_values(tfc_context* ctx, const queue* q, const queue_run* run, int64_t* at) {
  for (int i = 0; i < q->form.n; i++) {
    int rank;
    const int64_t* dims;
    queue_element_shape(run->batch, i, &rank, &dims);
    const int64_t values = tfc_count(rank, dims), n = run->count * values;
    TFC_TRY(queue_copy_values(ctx, &ctx->outputs[1 + i], at[i], &run->batch->component[i],
                              run->first * values, n));
    at[i] += n;
  }
  return TFC_OK;
}

static int write_runs(tfc_context* ctx, const queue* q, const queue_runs* runs,
                      const queue_random* random) {
  sizes* s = tfc_scratch(ctx, sizeof *s + (size_t)q->form.n * sizeof *s->values);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  count(q, runs, s);
  TFC_TRY(make_outputs(ctx, q, s));
  int64_t* layout = ctx->outputs[0].data;
  write_head(layout, runs->elements, random);
  layout += SHAPES;
  for (int i = 0; i < q->form.n; i++) s->values[i] = 0;
  for (int64_t r = 0; r < runs->n; r++) {
    const queue_run* run = &runs->run[(runs->head + r) & (runs->room - 1)];
    layout = write_shapes(q, run, layout);
    TFC_TRY(write_values(ctx, q, run, s->values));
  }
  return TFC_OK;
}

int queue_save(tfc_context* ctx, queue* q) {
  queue_runs all;
  queue_random random;
  bool same = ctx->n_outputs == 1 + q->form.n;
  for (int i = 0; i < q->form.n && same; i++)
    same = ctx->outputs[1 + i].dtype == q->form.component[i].dtype;
  if (!same)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the components of %s '%s' have other types",
                     q->form.type, q->form.name);
  if (!queue_store_share(q, &all, &random))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of %s '%s'",
                     q->form.type, q->form.name);
  const int code = write_runs(ctx, q, &all, &random);
  queue_runs_clear(ctx->api, &all);
  return code;
}

/* ---- From tensors. */

typedef struct reader {
  tfc_context* ctx;
  const queue* q;
  const tfc_tensor* layout;
  int64_t at;      /* in the layout */
  int64_t* values; /* how many of each component were read */
} reader;

static int damaged(const reader* r) {
  return tfc_error(r->ctx, TFC_DATA_LOSS, "the saved elements of %s '%s' are damaged",
                   r->q->form.type, r->q->form.name);
}

static int wrong_shape(const reader* r, int i, int rank, const int64_t* dims) {
  return tfc_error(
      r->ctx, TFC_INVALID_ARGUMENT,
      "%s '%s' has component %d of shape %s, but one of shape %s was saved", r->q->form.type,
      r->q->form.name, i,
      tfc_partial_dims_text(r->q->form.component[i].rank, r->q->form.component[i].dims).text,
      tfc_dims_text(rank, dims).text);
}

static int read_shape(reader* r, int i, int* rank, int64_t* dims, int64_t* n) {
  const queue_component* form = &r->q->form.component[i];
  if (r->at >= r->layout->n) return damaged(r);
  const int64_t wanted = tfc_index_at(r->layout, r->at++);
  if (wanted < 0 || wanted > TFC_MAX_RANK || r->at + wanted > r->layout->n) return damaged(r);
  *rank = (int)wanted;
  for (int d = 0; d < *rank; d++) {
    dims[d] = tfc_index_at(r->layout, r->at++);
    if (dims[d] < 0) return damaged(r);
  }
  *n = tfc_count(*rank, dims);
  if (*n < 0 || *n > r->ctx->inputs[2 + i]->n - r->values[i]) return damaged(r);
  bool fits = !r->q->form.shaped || form->rank == *rank;
  for (int d = 0; d < *rank && fits && r->q->form.shaped; d++)
    fits = form->dims[d] < 0 || form->dims[d] == dims[d];
  if (r->q->form.kind == QUEUE_PRIORITY && i == 0) fits = *rank == 0;
  return fits ? TFC_OK : wrong_shape(r, i, *rank, dims);
}

static int read_component(reader* r, int i, tfc_tensor* to) {
  int rank = 0;
  int64_t dims[TFC_MAX_RANK], n = 0;
  TFC_TRY(read_shape(r, i, &rank, dims, &n));
  to->dtype = r->q->form.component[i].dtype;
  TFC_TRY(tfc_make(r->ctx, to, rank, dims));
  TFC_TRY(queue_copy_values(r->ctx, to, 0, r->ctx->inputs[2 + i], r->values[i], n));
  r->values[i] += n;
  return TFC_OK;
}

static int read_element(reader* r, queue_runs* out) {
  queue_batch* batch = queue_new_batch(r->ctx, r->q, 1, true);
  if (!batch) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < batch->n; i++) {
    const int code = read_component(r, i, &batch->component[i]);
    if (!code) continue;
    queue_batch_drop(r->ctx->api, batch, 1);
    return code;
  }
  return queue_push_batch(r->ctx, r->q, out, batch);
}

static int read_random(reader* r, queue_random* random) {
  const int64_t left = tfc_index_at(r->layout, WORDS_LEFT);
  if (left < 0 || left > PHILOX_WORDS) return damaged(r);
  random->stream = (philox){.key = (uint64_t)tfc_index_at(r->layout, KEY),
                            .high = (uint64_t)tfc_index_at(r->layout, HIGH),
                            .block = (uint64_t)tfc_index_at(r->layout, BLOCK)};
  random->words_left = (int)left;
  for (int i = 0; i < PHILOX_WORDS; i++)
    random->words[i] = (uint32_t)tfc_index_at(r->layout, WORDS + i);
  return TFC_OK;
}

static int read_all(reader* r, queue_runs* out, queue_random* random) {
  if (r->layout->rank != 1 || r->layout->n < SHAPES ||
      tfc_index_at(r->layout, VERSION) != THIS_VERSION)
    return damaged(r);
  TFC_TRY(read_random(r, random));
  r->at = SHAPES;
  const int64_t n = tfc_index_at(r->layout, ELEMENTS);
  for (int64_t k = 0; k < n; k++) TFC_TRY(read_element(r, out));
  for (int i = 0; i < r->q->form.n; i++)
    if (r->values[i] != r->ctx->inputs[2 + i]->n) return damaged(r);
  return r->at == r->layout->n ? TFC_OK : damaged(r);
}

int queue_load(tfc_context* ctx, const queue* q, queue_runs* out, queue_random* random) {
  reader r = {.ctx = ctx, .q = q, .layout = ctx->inputs[1]};
  *out = (queue_runs){0};
  bool same = ctx->n_inputs == 2 + q->form.n;
  for (int i = 0; i < q->form.n && same; i++)
    same = ctx->inputs[2 + i]->dtype == q->form.component[i].dtype;
  if (!same)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the components of %s '%s' have other types",
                     q->form.type, q->form.name);
  r.values = tfc_scratch(ctx, (size_t)q->form.n * sizeof *r.values);
  if (!r.values) return TFC_RESOURCE_EXHAUSTED;
  memset(r.values, 0, (size_t)q->form.n * sizeof *r.values);
  const int code = read_all(&r, out, random);
  if (code) queue_runs_clear(ctx->api, out);
  return code;
}
