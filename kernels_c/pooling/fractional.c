/* FractionalMaxPool, FractionalAvgPool and their gradients: pools over regions whose sizes differ
 * by one, in a random order. B. Graham, "Fractional Max-Pooling", 2014. The regions are
 * TensorFlow's for given seeds. */
#include <float.h>
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/common/text.h"
#include "kernels_c/random/stream.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* Region i begins at pixel start[i]; they end before start[n]. */
typedef struct fractional_axis {
  int64_t n, *start;
} fractional_axis;

typedef struct fractional_job {
  int64_t batch, height, width, channels;
  fractional_axis rows, columns;
  bool average, overlapping;
  const void *x, *output, *grad;
  void *y, *best; /* result; gradient of maxima: the maxima */
  int64_t* places;
  double* sums;
  bool other; /* an output was not the maximum */
} fractional_job;

typedef struct region {
  int64_t begin, end;
} region;

/* Regions that overlap have the first pixels of the next one, too. */
static region region_of(const fractional_job* j, const fractional_axis* axis, int64_t i,
                        int64_t size) {
  return (region){axis->start[i], TFC_MIN(axis->start[i + 1] + j->overlapping, size)};
}

#define T float
#define SUM_T float
#define LOWEST (-FLT_MAX)
#include "kernels_c/pooling/fractional_type.h"

#define T double
#define SUM_T double
#define LOWEST (-DBL_MAX)
#include "kernels_c/pooling/fractional_type.h"

#define T int32_t
#define SUM_T uint32_t
#define LOWEST INT32_MIN
#include "kernels_c/pooling/fractional_type.h"

#define T int64_t
#define SUM_T uint64_t
#define LOWEST INT64_MIN
#include "kernels_c/pooling/fractional_type.h"

typedef struct fractional_loops {
  tfc_range_fn rows, max_grad, avg_grad;
} fractional_loops;

static fractional_loops loops_of(int32_t dtype) {
#define LOOPS(DTYPE, NAME)                                                        \
  case DTYPE:                                                                     \
    return (fractional_loops){fractional_rows_##NAME, fractional_max_grad_##NAME, \
                              fractional_avg_grad_##NAME};
  switch (dtype) {
    LOOPS(TFC_DOUBLE, double)
    LOOPS(TFC_INT32, int32)
    LOOPS(TFC_INT64, int64)
    default: LOOPS(TFC_FLOAT, float)
  }
#undef LOOPS
}

/* ---- Attributes. */

typedef struct fractional_state {
  double ratio[4];
  bool pseudo_random, overlapping, average;
  int64_t seed, seed2; /* both 0: each run draws other regions */
} fractional_state;

static int check_ratio(tfc_construction* c, const fractional_state* s, int n) {
  if (n != 4)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "pooling_ratio field must specify 4 dimensions");
  for (int i = 0; i < 4; i++)
    if (!(s->ratio[i] >= 1))
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "pooling_ratio cannot be smaller than 1, got: %g", s->ratio[i]);
  if (s->ratio[0] != 1 || s->ratio[3] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Fractional %s pooling is not yet supported on the batch nor channel "
                         "dimension.",
                         s->average ? "average" : "max");
  return TFC_OK;
}

static int fill_state(tfc_construction* c, void* state) {
  fractional_state* s = state;
  bool deterministic;
  int n;
  s->average = strcmp(c->op_type, "FractionalAvgPool") == 0;
  TFC_TRY(c->api->attr_floats(c, "pooling_ratio", 4, s->ratio, &n));
  TFC_TRY(c->api->attr_bool(c, "pseudo_random", &s->pseudo_random));
  TFC_TRY(c->api->attr_bool(c, "overlapping", &s->overlapping));
  TFC_TRY(c->api->attr_bool(c, "deterministic", &deterministic));
  TFC_TRY(c->api->attr_int(c, "seed", &s->seed));
  TFC_TRY(c->api->attr_int(c, "seed2", &s->seed2));
  TFC_TRY(check_ratio(c, s, n));
  if (s->seed || s->seed2) {
    if (deterministic) return TFC_OK;
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Both seed and seed2 should be 0 if deterministic is false.");
  }
  const tfc_generator drawn = tfc_random_generator(0, 0);
  if (deterministic) s->seed = (int64_t)drawn.key, s->seed2 = (int64_t)drawn.high;
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(fractional_state), fill_state, state);
}

static int fill_overlapping(tfc_construction* c, void* state) {
  return c->api->attr_bool(c, "overlapping", state);
}

static int create_grad(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(bool), fill_overlapping, state);
}

/* ---- Regions. */

/* In [0, 1), with 52 random bits. */
static double next_double(philox_word_stream* words) {
  const uint64_t high = philox_next_word(words) & 0xfffffu;
  return (double)(high << 32 | philox_next_word(words)) * 0x1p-52;
}

/* ceil(alpha * (i + u)) for one random u, which is so small that sizes differ by one. */
static void draw_pseudo_random(philox* stream, int64_t size, int64_t n, int64_t* start) {
  philox_word_stream words = {.blocks = *stream, .used = PHILOX_WORDS};
  const double alpha = (double)size / (double)n, k = (double)(size / n);
  const double first = (k + 2) / alpha - 1, last = ((double)size + 1 - k) / alpha - (double)(n - 1);
  const double u = next_double(&words) * fmin(first, last);
  stream->block++;
  start[0] = 0;
  start[n] = size;
  for (int64_t i = 1; i < n; i++) start[i] = (int64_t)ceil(alpha * ((double)i + u)) - 1;
}

/* The sizes in a random order: Fisher and Yates. */
static void draw_random(philox* stream, int64_t size, int64_t n, int64_t* start) {
  philox_word_stream words = {.blocks = *stream, .used = PHILOX_WORDS};
  for (int64_t i = 0; i < n; i++) start[i + 1] = size / n + (i < size % n);
  for (int64_t i = 0; i + 1 < n; i++) {
    const int64_t other = i + philox_next_word(&words) % (uint32_t)(n - i), swapped = start[i + 1];
    start[i + 1] = start[other + 1];
    start[other + 1] = swapped;
  }
  stream->block += (uint64_t)(n + 3) / 4;
  start[0] = 0;
  for (int64_t i = 0; i < n; i++) start[i + 1] += start[i];
}

static int draw_axis(tfc_context* ctx, int output, int64_t size, philox* stream,
                     fractional_axis* axis) {
  const fractional_state* s = ctx->state;
  const int64_t count = axis->n + 1;
  if (size > INT32_MAX) REFUSE("input size is too large: %lld", (long long)size);
  TFC_TRY(tfc_output(ctx, output, 1, &count));
  axis->start = ctx->outputs[output].data;
  (s->pseudo_random ? draw_pseudo_random : draw_random)(stream, size, axis->n, axis->start);
  return TFC_OK;
}

static int read_sizes(tfc_context* ctx, fractional_job* j) {
  const fractional_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank != 4) REFUSE("tensor_in must be 4-dimensional");
  for (int i = 0; i < 4; i++)
    if ((float)x->dims[i] < (float)s->ratio[i])
      REFUSE(
          "Pooling ratio is higher than input dimension size for dimension %d. Input dim size: "
          "%lld pooling ratio: %g",
          i, (long long)x->dims[i], s->ratio[i]);
  *j = (fractional_job){.batch = x->dims[0],
                        .height = x->dims[1],
                        .width = x->dims[2],
                        .channels = x->dims[3],
                        .average = s->average,
                        .overlapping = s->overlapping,
                        .x = x->data};
  /* In single precision, as TensorFlow: 11 / 1.1 is 10. */
  j->rows.n = (int64_t)floorf((float)x->dims[1] / (float)s->ratio[1]);
  j->columns.n = (int64_t)floorf((float)x->dims[2] / (float)s->ratio[2]);
  return TFC_OK;
}

static int pool(tfc_context* ctx) {
  const fractional_state* s = ctx->state;
  const tfc_generator generator = tfc_random_generator(s->seed, s->seed2);
  philox stream = {.key = generator.key, .high = generator.high};
  fractional_job j;
  TFC_TRY(read_sizes(ctx, &j));
  TFC_TRY(draw_axis(ctx, 1, j.height, &stream, &j.rows));
  TFC_TRY(draw_axis(ctx, 2, j.width, &stream, &j.columns));
  const int64_t dims[] = {j.batch, j.rows.n, j.columns.n, j.channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  j.y = ctx->outputs[0].data;
  const double pixels = (double)j.width * (double)j.height / (double)j.rows.n;
  tfc_parallel_for(ctx, j.batch * j.rows.n, pixels * (double)j.channels,
                   loops_of(ctx->outputs[0].dtype).rows, &j);
  return TFC_OK;
}

/* ---- Gradients. */

/* A copy of a sequence, which may be the user's memory, checked against a size. */
static int read_axis(tfc_context* ctx, int input, int64_t n, const char* what,
                     fractional_axis* axis) {
  axis->n = n;
  axis->start = tfc_scratch_items(ctx, n + 1, sizeof *axis->start);
  if (!axis->start) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i <= n; i++) axis->start[i] = tfc_index_at(ctx->inputs[input], i);
  for (int64_t i = 0; i < n; i++)
    if (axis->start[i] < 0 || axis->start[i + 1] <= axis->start[i] ||
        axis->start[i + 1] == INT64_MAX) {
      text_buffer text = {0};
      for (int64_t k = 0; k <= TFC_MIN(n, 20); k++) {
        if (k) text_add(&text, " ");
        text_add_element(&text, ctx->inputs[input], k);
      }
      const int code =
          tfc_error(ctx, TFC_INVALID_ARGUMENT,
                    "%s sequence tensor values must not be negative, got %s", what, text_c(&text));
      text_free(&text);
      return code;
    }
  return TFC_OK;
}

static int run_grad(tfc_context* ctx, fractional_job* j, tfc_range_fn loop) {
  const double cost = (double)(j->rows.n * j->columns.n) * (double)j->channels * 8;
  j->overlapping = *(const bool*)ctx->state;
  j->y = ctx->outputs[0].data;
  if (ctx->outputs[0].n) tfc_parallel_for(ctx, j->batch, cost, loop, j);
  return TFC_OK;
}

static int check_sequences(tfc_context* ctx) {
  static const char* const names[] = {"row", "col"};
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1], *grad = ctx->inputs[2];
  static const char other[] = "tensor_out_dup is not the same as tensor_out";
  if (x->rank != 4)
    REFUSE("orig_input should be a tensor of rank 4, got shape %s", tfc_shape_text(x).text);
  if (x->n == 0) REFUSE("orig_input must not be empty, got shape %s", tfc_shape_text(x).text);
  if (y->rank != 4)
    REFUSE("orig_output should be a tensor of rank 4, got shape %s", tfc_shape_text(y).text);
  if (y->n == 0) REFUSE("orig_output must not be empty, got shape %s", tfc_shape_text(y).text);
  for (int i = 0; i < 2; i++) {
    const tfc_tensor* t = ctx->inputs[3 + i];
    if (t->rank != 1)
      REFUSE("%s_pooling_sequence must be a vector, received shape %s", names[i],
             tfc_shape_text(t).text);
    if (t->n != y->dims[1 + i] + 1)
      REFUSE("%s: %lld regions for shape %s", other, (long long)t->n - 1, tfc_shape_text(y).text);
  }
  if (!tfc_same_shape(y, grad))
    REFUSE("out_backprop has shape %s, orig_output %s", tfc_shape_text(grad).text,
           tfc_shape_text(y).text);
  if (x->dims[0] != y->dims[0] || x->dims[3] != y->dims[3])
    REFUSE("%s: shape %s of input %s", other, tfc_shape_text(y).text, tfc_shape_text(x).text);
  return TFC_OK;
}

static int max_grad(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  TFC_TRY(check_sequences(ctx));
  fractional_job j = {.batch = x->dims[0],
                      .height = x->dims[1],
                      .width = x->dims[2],
                      .channels = x->dims[3],
                      .x = x->data,
                      .output = y->data,
                      .grad = ctx->inputs[2]->data};
  TFC_TRY(read_axis(ctx, 3, y->dims[1], "Row", &j.rows));
  TFC_TRY(read_axis(ctx, 4, y->dims[2], "Column", &j.columns));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  j.best = tfc_scratch_items(ctx, y->n, tfc_dtype_size(y->dtype));
  j.places = tfc_scratch_items(ctx, y->n, sizeof *j.places);
  if (!j.best || !j.places) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(run_grad(ctx, &j, loops_of(x->dtype).max_grad));
  if (j.other) REFUSE("tensor_out_dup is not the same as tensor_out");
  return TFC_OK;
}

static int read_shape(tfc_context* ctx, int64_t dims[4]) {
  const tfc_tensor *shape = ctx->inputs[0], *grad = ctx->inputs[1];
  static const char* const names[] = {"row", "col"};
  if (shape->rank != 1 || shape->n != 4)
    REFUSE("original input tensor shape must be1-dimensional and 4 elements");
  if (grad->rank != 4) REFUSE("out_backprop must be 4-dimensional");
  tfc_read_indices(shape, dims);
  for (int i = 0; i < 4; i++)
    if (dims[i] < 0) REFUSE("Expected a non-negative size, got %lld", (long long)dims[i]);
  TFC_TRY(tfc_check_shape(ctx, 4, dims));
  for (int i = 0; i < 4; i++)
    if (grad->dims[i] == 0)
      REFUSE("out_backprop must be positive for all dimension, got:%lld", (long long)grad->dims[i]);
  for (int i = 0; i < 2; i++)
    if (ctx->inputs[2 + i]->n < grad->dims[1 + i] + 1)
      REFUSE(
          "Given out_backprop shape %s, %s_seq_tensor must have at least %lld elements, but got "
          "%lld",
          tfc_shape_text(grad).text, names[i], (long long)grad->dims[1 + i] + 1,
          (long long)ctx->inputs[2 + i]->n);
  if (grad->dims[0] != dims[0] || grad->dims[3] != dims[3])
    REFUSE("out_backprop of shape %s does not fit to an input of shape %s",
           tfc_shape_text(grad).text, tfc_dims_text(4, dims).text);
  return TFC_OK;
}

static int avg_grad(tfc_context* ctx) {
  const tfc_tensor* grad = ctx->inputs[1];
  int64_t dims[4];
  TFC_TRY(read_shape(ctx, dims));
  fractional_job j = {.batch = dims[0],
                      .height = dims[1],
                      .width = dims[2],
                      .channels = dims[3],
                      .average = true,
                      .grad = grad->data};
  TFC_TRY(read_axis(ctx, 2, grad->dims[1], "Row", &j.rows));
  TFC_TRY(read_axis(ctx, 3, grad->dims[2], "Column", &j.columns));
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  j.sums = tfc_scratch_items(ctx, ctx->outputs[0].n, sizeof *j.sums);
  if (!j.sums) return TFC_RESOURCE_EXHAUSTED;
  return run_grad(ctx, &j, loops_of(grad->dtype).avg_grad);
}

#define TYPES_POOLED "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES
static const tfc_kernel_def kernels[] = {
    TFC_ROW("FractionalMaxPool", TYPES_POOLED, pool, TFC_STATE(create)),
    TFC_ROW("FractionalMaxPoolGrad", TYPES_POOLED, max_grad, TFC_STATE(create_grad)),
    TFC_ROW("FractionalAvgPool", TYPES_POOLED, pool, TFC_STATE(create)),
    TFC_ROW("FractionalAvgPoolGrad", TYPES_POOLED, avg_grad, TFC_STATE(create_grad)),
};
TFC_REGISTER_KERNELS(kernels);
