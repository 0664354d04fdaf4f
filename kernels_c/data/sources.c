/* Datasets of what is in memory: RangeDataset, TensorDataset, TensorSliceDataset,
 * SparseTensorSliceDataset; RandomDataset. */
#include "kernels_c/data/batch.h"
#include "kernels_c/data/words.h"

TFC_ONE_LEVEL;

/* ---- RangeDataset */

typedef struct range {
  dataset base;
  int64_t start, stop, step;
  int32_t dtype;
} range;

typedef struct range_iterator {
  iterator base;
  int64_t next;
  bool over; /* the next number would overflow */
} range_iterator;

static int range_open(iterator* it, tfc_context* ctx) {
  (void)ctx;
  ((range_iterator*)it)->next = ((range*)it->dataset)->start;
  return TFC_OK;
}

static void store_integer(tfc_tensor* t, int64_t value) {
  switch (t->dtype) {
#define STORE(DTYPE, T, NAME) \
  case DTYPE: *(T*)t->data = (T)value; break;
    TFC_FOR_INTEGERS(STORE)
    TFC_FOR_FLOATS(STORE)
#undef STORE
    default: break;
  }
}

static int range_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  const range* r = (range*)it->dataset;
  range_iterator* at = (range_iterator*)it;
  *end = at->over || (r->step > 0 ? at->next >= r->stop : at->next <= r->stop);
  if (*end) return TFC_OK;
  out->dtype = r->dtype;
  TFC_TRY(tfc_make(ctx, out, 0, NULL));
  store_integer(out, at->next);
  at->over = __builtin_add_overflow(at->next, r->step, &at->next);
  return TFC_OK;
}

static int range_position(iterator* it, position* p) {
  range_iterator* at = (range_iterator*)it;
  TFC_TRY(position_int(p, &at->next));
  return position_bool(p, &at->over);
}

static int64_t range_cardinality(const dataset* d) {
  const range* r = (range*)d;
  bool up = r->step > 0;
  if (up ? r->start >= r->stop : r->start <= r->stop) return 0;
  uint64_t distance =
      up ? (uint64_t)r->stop - (uint64_t)r->start : (uint64_t)r->start - (uint64_t)r->stop;
  uint64_t step = up ? (uint64_t)r->step : -(uint64_t)r->step;
  return (int64_t)TFC_MIN((distance - 1) / step + 1, (uint64_t)INT64_MAX);
}

static const dataset_kind range_kind = {.name = "Range",
                                        .object = DATASET_OBJECT(range),
                                        .iterator_bytes = sizeof(range_iterator),
                                        .open = range_open,
                                        .next = range_next,
                                        .cardinality = range_cardinality,
                                        .position = range_position};

typedef struct range_form {
  dataset_form base;
  int32_t dtype;
} range_form;

static int create_range(tfc_construction* c, void** state) {
  int32_t dtype;
  int n;
  TFC_TRY(c->api->attr_types(c, "output_types", 1, &dtype, &n));
  if (n != 1 ||
      !(dtype == TFC_INT64 || dtype == TFC_INT32 || dtype == TFC_FLOAT || dtype == TFC_DOUBLE ||
        dtype == TFC_INT8 || dtype == TFC_INT16 || dtype == TFC_UINT8 || dtype == TFC_UINT16 ||
        dtype == TFC_UINT32 || dtype == TFC_UINT64))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "a range has one component, of a type of real numbers");
  range_form* form = calloc(1, sizeof *form);
  if (!form) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  dataset_note_name(c, &form->base);
  form->dtype = dtype;
  *state = form;
  return TFC_OK;
}

static int make_range(tfc_context* ctx) {
  range* r;
  TFC_TRY(dataset_new(ctx, &range_kind, 0, 0, 0, (void**)&r));
  r->base.n_components = 1;
  TFC_TRY(dataset_int(ctx, 0, "start", &r->start));
  TFC_TRY(dataset_int(ctx, 1, "stop", &r->stop));
  TFC_TRY(dataset_int(ctx, 2, "step", &r->step));
  r->dtype = ((range_form*)ctx->state)->dtype;
  if (!r->step) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "step must be a non-zero integer.");
  return TFC_OK;
}

/* ---- TensorDataset: one element */

typedef struct row_iterator {
  iterator base;
  int64_t next;
} row_iterator;

static int tensor_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  row_iterator* at = (row_iterator*)it;
  *end = at->next > 0;
  at->next = 1;
  for (int i = 0; i < it->dataset->n_values && !*end; i++)
    tfc_hold(ctx->api, &out[i], &it->dataset->values[i]);
  return TFC_OK;
}

static int tensor_position(iterator* it, position* p) {
  return position_count(p, &((row_iterator*)it)->next, 1);
}

static int64_t tensor_cardinality(const dataset* d) {
  (void)d;
  return 1;
}

static const dataset_kind tensor_kind = {.name = "Tensor",
                                         .object = DATASET_OBJECT(dataset),
                                         .iterator_bytes = sizeof(row_iterator),
                                         .next = tensor_next,
                                         .cardinality = tensor_cardinality,
                                         .position = tensor_position};

static int make_tensor(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &tensor_kind, 0, 0, ctx->n_inputs, (void**)&d));
  return TFC_OK;
}

/* ---- TensorSliceDataset: the rows of tensors */

static int slice_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  row_iterator* at = (row_iterator*)it;
  const dataset* d = it->dataset;
  *end = at->next >= d->values[0].dims[0];
  if (*end) return TFC_OK;
  for (int i = 0; i < d->n_values; i++) element_row(ctx->api, &out[i], &d->values[i], at->next);
  at->next++;
  return TFC_OK;
}

static int slice_position(iterator* it, position* p) {
  return position_count(p, &((row_iterator*)it)->next, it->dataset->values[0].dims[0]);
}

static int64_t slice_cardinality(const dataset* d) {
  return d->values[0].dims[0];
}

static const dataset_kind slice_kind = {.name = "TensorSlice",
                                        .object = DATASET_OBJECT(dataset),
                                        .iterator_bytes = sizeof(row_iterator),
                                        .next = slice_next,
                                        .cardinality = slice_cardinality,
                                        .position = slice_position};

static int make_slices(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &slice_kind, 0, 0, ctx->n_inputs, (void**)&d));
  if (!d->n_values) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "There are no components to slice");
  for (int i = 0; i < d->n_values; i++) {
    const tfc_tensor* t = &d->values[i];
    if (!t->rank)
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "All components must be at least 1-dimensional, but component %d is a scalar", i);
    if (t->dims[0] != d->values[0].dims[0])
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "All components must have the same size in the 0th dimension, but component %d "
          "has %lld rows and component 0 has %lld",
          i, (long long)t->dims[0], (long long)d->values[0].dims[0]);
    if (tfc_is_object(t->dtype))
      return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of type %s can't be sliced",
                       tfc_dtype_name(t->dtype));
  }
  return TFC_OK;
}

/* ---- SparseTensorSliceDataset: the rows of a sparse tensor, as indices, values and dense shapes
 */

enum { INDICES, VALUES, SHAPE };

typedef struct sparse_iterator {
  iterator base;
  int64_t row, at; /* the next row, and the first value that may be of it */
} sparse_iterator;

static int64_t sparse_rows(const dataset* d) {
  return tfc_index_at(&d->values[SHAPE], 0);
}

/* The row of a value. */
static int64_t sparse_row(const dataset* d, int64_t at) {
  const tfc_tensor* indices = &d->values[INDICES];
  return ((const int64_t*)indices->data)[at * indices->dims[1]];
}

static int make_element(tfc_context* ctx, const dataset* d, int64_t first, int64_t n,
                        tfc_tensor* out) {
  const int64_t width = d->values[SHAPE].n - 1, matrix[2] = {n, width};
  const int64_t* from = (const int64_t*)d->values[INDICES].data + first * (width + 1);
  for (int i = 0; i < 3; i++) out[i].dtype = d->values[i].dtype;
  TFC_TRY(tfc_make(ctx, &out[INDICES], 2, matrix));
  for (int64_t i = 0; i < n; i++)
    memcpy((int64_t*)out[INDICES].data + i * width, from + i * (width + 1) + 1,
           (size_t)width * sizeof *from);
  TFC_TRY(tfc_make(ctx, &out[VALUES], 1, &n));
  TFC_TRY(batch_copy(ctx, &out[VALUES], 0, &d->values[VALUES], first, n));
  TFC_TRY(tfc_make(ctx, &out[SHAPE], 1, &width));
  memcpy(out[SHAPE].data, (const int64_t*)d->values[SHAPE].data + 1, (size_t)width * sizeof *from);
  return TFC_OK;
}

static int sparse_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  sparse_iterator* s = (sparse_iterator*)it;
  const dataset* d = it->dataset;
  int64_t last = s->at;
  *end = s->row >= sparse_rows(d);
  if (*end) return TFC_OK;
  while (last < d->values[VALUES].n && sparse_row(d, last) == s->row) last++;
  const int code = make_element(ctx, d, s->at, last - s->at, out);
  if (code) {
    iterator_drop(it->api, out, 3);
    return code;
  }
  s->row++;
  s->at = last;
  return TFC_OK;
}

static int sparse_position(iterator* it, position* p) {
  sparse_iterator* s = (sparse_iterator*)it;
  TFC_TRY(position_count(p, &s->row, sparse_rows(it->dataset)));
  return position_count(p, &s->at, it->dataset->values[VALUES].n);
}

static const dataset_kind sparse_kind = {.name = "SparseTensorSlice",
                                         .object = DATASET_OBJECT(dataset),
                                         .iterator_bytes = sizeof(sparse_iterator),
                                         .next = sparse_next,
                                         .cardinality = sparse_rows,
                                         .position = sparse_position};

/* Values behind the last row are left out, as in TensorFlow. */
static int check_order(tfc_context* ctx, const dataset* d) {
  const int64_t n = d->values[VALUES].n;
  for (int64_t i = 0, before = 0; i < n; before = sparse_row(d, i++))
    if (sparse_row(d, i) < before)
      return tfc_error(ctx, TFC_UNIMPLEMENTED,
                       "The SparseTensor must be ordered in the batch dimension; handling "
                       "arbitrarily ordered input is not currently supported.");
  return TFC_OK;
}

static int make_sparse(tfc_context* ctx) {
  dataset* d;
  TFC_TRY(dataset_new(ctx, &sparse_kind, 0, 0, 3, (void**)&d));
  const tfc_tensor *indices = &d->values[INDICES], *values = &d->values[VALUES],
                   *shape = &d->values[SHAPE];
  if (indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input indices must be a matrix. Got: %s",
                     tfc_shape_text(indices).text);
  if (values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input values must be a vector. Got: %s",
                     tfc_shape_text(values).text);
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input shape must be a vector. Got: %s",
                     tfc_shape_text(shape).text);
  if (indices->dims[0] != values->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of values must match first dimension of indices. Got %lld values, "
                     "indices shape: %s",
                     (long long)values->n, tfc_shape_text(indices).text);
  if (indices->dims[1] != shape->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Number of dimensions must match second dimension of indices. Got %lld "
                     "dimensions, indices shape: %s",
                     (long long)shape->n, tfc_shape_text(indices).text);
  if (shape->n < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The shape argument requires at least one element.");
  if (tfc_is_object(values->dtype))
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of type %s can't be sliced",
                     tfc_dtype_name(values->dtype));
  return check_order(ctx, d);
}

/* ---- RandomDataset: the same numbers in each iteration, or, in the second version, others */

typedef struct numbers {
  dataset base; /* flag: they are others each time */
  int64_t seed, seed2;
  seed_source seeds;
} numbers;

typedef struct numbers_iterator {
  iterator base;
  words random;
  words restored_seeds; /* for the dataset */
} numbers_iterator;

static int numbers_open(iterator* it, tfc_context* ctx) {
  (void)ctx;
  numbers* d = (numbers*)it->dataset;
  ((numbers_iterator*)it)->random =
      d->base.flag ? seeds_take(&d->seeds) : words_of(d->seed, d->seed2);
  return TFC_OK;
}

static int numbers_next(iterator* it, tfc_context* ctx, tfc_tensor* out, bool* end) {
  *end = false;
  out->dtype = TFC_INT64;
  TFC_TRY(tfc_make(ctx, out, 0, NULL));
  *(int64_t*)out->data = philox_next_word(&((numbers_iterator*)it)->random);
  return TFC_OK;
}

static void set_seeds(iterator* it) {
  seeds_set(&((numbers*)it->dataset)->seeds, ((numbers_iterator*)it)->restored_seeds);
}

static int numbers_position(iterator* it, position* p) {
  numbers_iterator* n = (numbers_iterator*)it;
  TFC_TRY(words_position(p, &n->random));
  if (!it->dataset->flag) return TFC_OK;
  n->restored_seeds = seeds_get(&((numbers*)it->dataset)->seeds);
  TFC_TRY(words_position(p, &n->restored_seeds));
  return p->saves ? TFC_OK : position_commit_later(p, set_seeds, it);
}

static void numbers_note(dataset* d, bool back) {
  seeds_note(&((numbers*)d)->seeds, back);
}

static void numbers_destroy(dataset* d) {
  pthread_mutex_destroy(&((numbers*)d)->seeds.lock);
}

static int64_t numbers_cardinality(const dataset* d) {
  (void)d;
  return ENDLESS;
}

static const dataset_kind numbers_kind = {.name = "Random",
                                          .object = DATASET_OBJECT(numbers),
                                          .iterator_bytes = sizeof(numbers_iterator),
                                          .open = numbers_open,
                                          .next = numbers_next,
                                          .cardinality = numbers_cardinality,
                                          .position = numbers_position,
                                          .destroy = numbers_destroy,
                                          .note = numbers_note};

static int make_numbers(tfc_context* ctx) {
  numbers* d;
  TFC_TRY(dataset_new(ctx, &numbers_kind, 0, 0, 0, (void**)&d));
  d->base.n_components = 1;
  seeds_init(&d->seeds, 0, 0);
  TFC_TRY(dataset_int(ctx, 0, "seed", &d->seed));
  TFC_TRY(dataset_int(ctx, 1, "seed2", &d->seed2));
  words_seed(&d->seed, &d->seed2);
  d->seeds.next = words_of(d->seed, d->seed2);
  return TFC_OK;
}

static int create_numbers_v2(tfc_construction* c, void** state) {
  return dataset_create_with_flag(c, "rerandomize_each_iteration", state);
}

static int make_numbers_v2(tfc_context* ctx) {
  TFC_TRY(dataset_check_unshared(ctx, 2));
  return make_numbers(ctx);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RangeDataset", "", make_range, TFC_STATE(create_range)),
    TFC_ROW("TensorDataset", "", make_tensor, TFC_STATE(dataset_create_plain)),
    TFC_ROW("TensorSliceDataset", "", make_slices, TFC_STATE(dataset_create_plain)),
    TFC_ROW("SparseTensorSliceDataset", "", make_sparse, TFC_STATE(dataset_create_plain)),
    TFC_ROW("RandomDatasetV2", "", make_numbers_v2, TFC_STATE(create_numbers_v2)),
    TFC_ROW("RandomDataset", "", make_numbers, TFC_STATE(dataset_create_plain)),
};
TFC_REGISTER_KERNELS(kernels);
