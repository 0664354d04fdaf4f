/* EditDistance: Levenshtein distances between the sequences of two sparse tensors.
 *
 * R. A. Wagner and M. J. Fischer, "The string-to-string correction problem", JACM 1974, with one
 * row of the table in memory.
 */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* ---- The distance of two sequences, by element type. `row` has room for m + 1 numbers. */

#define DISTANCE(NAME, T, SAME)                                                                \
  static int64_t distance_##NAME(const T* a, int64_t n, const T* b, int64_t m, int64_t* row) { \
    for (int64_t j = 0; j <= m; j++) row[j] = j;                                               \
    for (int64_t i = 0; i < n; i++) {                                                          \
      int64_t diagonal = row[0];                                                               \
      row[0] = i + 1;                                                                          \
      for (int64_t j = 0; j < m; j++) {                                                        \
        const T x = a[i], y = b[j];                                                            \
        const int64_t change = diagonal + !(SAME), gap = TFC_MIN(row[j], row[j + 1]) + 1;      \
        diagonal = row[j + 1];                                                                 \
        row[j + 1] = TFC_MIN(change, gap);                                                     \
      }                                                                                        \
    }                                                                                          \
    return row[m];                                                                             \
  }

typedef struct float_pair {
  float re, im;
} float_pair;
typedef struct double_pair {
  double re, im;
} double_pair;

DISTANCE(1, uint8_t, x == y)
DISTANCE(2, uint16_t, x == y)
DISTANCE(4, uint32_t, x == y)
DISTANCE(8, uint64_t, x == y)
DISTANCE(half, tfc_half, tfc_half_to_float(x) == tfc_half_to_float(y))
DISTANCE(bfloat16, tfc_bfloat16, tfc_bfloat16_to_float(x) == tfc_bfloat16_to_float(y))
DISTANCE(float, float, x == y)
DISTANCE(double, double, x == y)
DISTANCE(complex64, float_pair, x.re == y.re && x.im == y.im)
DISTANCE(complex128, double_pair, x.re == y.re && x.im == y.im)
DISTANCE(string, tfc_string, x.size == y.size && (!x.size || !memcmp(x.data, y.data, x.size)))

/* A run of values that belong to one row. */
typedef struct sequence {
  const tfc_tensor* values;
  int64_t begin, n;
} sequence;

static int64_t distance(sequence a, sequence b, int64_t* row) {
#define CALL(NAME, T)                                                                          \
  distance_##NAME((const T*)a.values->data + a.begin, a.n, (const T*)b.values->data + b.begin, \
                  b.n, row)
  switch (a.values->dtype) {
    case TFC_HALF: return CALL(half, tfc_half);
    case TFC_BFLOAT16: return CALL(bfloat16, tfc_bfloat16);
    case TFC_FLOAT: return CALL(float, float);
    case TFC_DOUBLE: return CALL(double, double);
    case TFC_COMPLEX64: return CALL(complex64, float_pair);
    case TFC_COMPLEX128: return CALL(complex128, double_pair);
    case TFC_STRING: return CALL(string, tfc_string);
    default: break;
  }
  switch (tfc_dtype_size(a.values->dtype)) {
    case 1: return CALL(1, uint8_t);
    case 2: return CALL(2, uint16_t);
    case 4: return CALL(4, uint32_t);
    default: return CALL(8, uint64_t);
  }
#undef CALL
}

/* ---- Sparse tensors as sequences */

typedef struct sparse_input {
  const tfc_tensor *indices, *values;
  int rank;
  int64_t dims[TFC_MAX_RANK];
  int64_t* places; /* in the output, of each value's row */
  int64_t next;    /* the next value */
} sparse_input;

static int open_sparse(tfc_context* ctx, int input, const char* name, sparse_input* s) {
  const tfc_tensor* shape = ctx->inputs[input + 2];
  *s = (sparse_input){.indices = ctx->inputs[input], .values = ctx->inputs[input + 1]};
  if (s->indices->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s_indices should be a matrix, but got shape: %s",
                     name, tfc_shape_text(s->indices).text);
  if (s->values->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s_values should be a vector, but got shape: %s",
                     name, tfc_shape_text(s->values).text);
  if (shape->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s_shape should be a vector, but got shape: %s",
                     name, tfc_shape_text(shape).text);
  if (s->values->n != s->indices->dims[0])
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Expected %s_values.NumElements == #rows(%s_indices), their shapes are: %s and %s", name,
        name, tfc_shape_text(s->values).text, tfc_shape_text(s->indices).text);
  if (shape->n != s->indices->dims[1])
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Expected %s_shape.NumElements == #cols(%s_indices), their shapes are: %s and %s", name,
        name, tfc_shape_text(shape).text, tfc_shape_text(s->indices).text);
  if (shape->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Sparse tensors of more than %d dimensions are not supported", TFC_MAX_RANK);
  if (shape->n < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input SparseTensors must have rank at least 2, but %s_shape rank is: %lld",
                     name, (long long)shape->n);
  s->rank = (int)shape->n;
  tfc_read_indices(shape, s->dims);
  return tfc_check_shape(ctx, s->rank, s->dims);
}

/* Numbers the rows of the values as they are in an output of the given sizes. */
static int find_places(tfc_context* ctx, const char* name, const int64_t* sizes, sparse_input* s) {
  s->places = tfc_scratch_items(ctx, s->values->n + 1, sizeof *s->places);
  if (!s->places) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < s->values->n; i++) {
    int64_t at = 0;
    for (int d = 0; d < s->rank - 1; d++) {
      const int64_t index = tfc_index_at(s->indices, i * s->rank + d);
      if (index < 0 || index >= sizes[d])
        return tfc_error(ctx, TFC_INTERNAL,
                         "%s_indices[%lld,%d] = %lld is outside of the output's shape %s", name,
                         (long long)i, d, (long long)index, tfc_dims_text(s->rank - 1, sizes).text);
      at = at * sizes[d] + index;
    }
    if (i && at < s->places[i - 1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s_indices[%lld] is out of order: the rows of a tensor must follow each "
                       "other as in tf.sparse.reorder",
                       name, (long long)i);
    s->places[i] = at;
  }
  s->places[s->values->n] = INT64_MAX;
  return TFC_OK;
}

/* The sequence in the row at `place`, which may be empty. */
static sequence take_row(sparse_input* s, int64_t place) {
  sequence q = {s->values, s->next, 0};
  for (; s->places[s->next] == place; s->next++) q.n++;
  return q;
}

/* ---- The kernel: one job for each row with a sequence */

typedef struct edit_job {
  int64_t place;
  sequence hypothesis, truth;
} edit_job;

typedef struct edit_run {
  const edit_job* jobs;
  float* y;
  bool normalize;
  int failed;
} edit_run;

static void run_jobs(void* arg, int64_t begin, int64_t end) {
  edit_run* run = arg;
  for (int64_t k = begin; k < end; k++) {
    const edit_job* job = run->jobs + k;
    int64_t* row = malloc(((size_t)job->hypothesis.n + 1) * sizeof *row);
    if (!row) {
      __atomic_store_n(&run->failed, 1, __ATOMIC_RELAXED);
      return;
    }
    const float d = (float)distance(job->truth, job->hypothesis, row);
    free(row);
    run->y[job->place] = run->normalize ? d / (float)job->truth.n : d;
  }
}

/* Pairs the sequences of both tensors by row; *cost is the number of pairs of elements. */
static int64_t make_jobs(sparse_input* hypothesis, sparse_input* truth, edit_job* jobs,
                         double* cost) {
  int64_t n = 0;
  *cost = 0;
  for (;;) {
    const int64_t place = TFC_MIN(hypothesis->places[hypothesis->next], truth->places[truth->next]);
    if (place == INT64_MAX) return n;
    edit_job* job = jobs + n++;
    job->place = place;
    job->hypothesis = take_row(hypothesis, place);
    job->truth = take_row(truth, place);
    *cost += ((double)job->hypothesis.n + 1) * ((double)job->truth.n + 1);
  }
}

static int edit_distance(tfc_context* ctx) {
  sparse_input hypothesis, truth;
  TFC_TRY(open_sparse(ctx, 0, "hypothesis", &hypothesis));
  TFC_TRY(open_sparse(ctx, 3, "truth", &truth));
  if (hypothesis.rank != truth.rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected truth and hypothesis to have matching ranks, but their shapes are: "
                     "[%d] and [%d]",
                     truth.rank, hypothesis.rank);
  const int rank = truth.rank - 1;
  int64_t dims[TFC_MAX_RANK];
  for (int d = 0; d < rank; d++) dims[d] = TFC_MAX(hypothesis.dims[d], truth.dims[d]);
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  if (tfc_count(rank, dims) == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Got output shape %s which has 0 elements",
                     tfc_dims_text(rank, dims).text);
  TFC_TRY(find_places(ctx, "hypothesis", dims, &hypothesis));
  TFC_TRY(find_places(ctx, "truth", dims, &truth));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_tensor* y = &ctx->outputs[0];
  memset(y->data, 0, (size_t)y->n * sizeof(float));
  edit_job* jobs = tfc_scratch_items(ctx, hypothesis.values->n + truth.values->n + 1, sizeof *jobs);
  if (!jobs) return TFC_RESOURCE_EXHAUSTED;
  double cost;
  const int64_t n = make_jobs(&hypothesis, &truth, jobs, &cost);
  edit_run run = {jobs, y->data, ctx->state != NULL, 0};
  tfc_parallel_for(ctx, n, n ? 50 + 2 * cost / (double)n : 0, run_jobs, &run);
  return run.failed ? tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory") : TFC_OK;
}

static int create_normalize(tfc_construction* c, void** state) {
  bool normalize;
  TFC_TRY(c->api->attr_bool(c, "normalize", &normalize));
  *state = normalize ? "" : NULL; /* a flag */
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("EditDistance", "", edit_distance, .create = create_normalize),
};
TFC_REGISTER_KERNELS(kernels);
