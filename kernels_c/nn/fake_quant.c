/* Fake quantization: numbers rounded to the levels that a quantized network would have, and the
 * gradients.
 *
 * B. Jacob et al., "Quantization and training of neural networks for efficient
 * integer-arithmetic-only inference", CVPR 2018. Every operation rounds for itself, so that the
 * values are TensorFlow's at all levels: products and sums do not become FMAs.
 */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

#pragma GCC optimize("fp-contract=off")

/* The attributes: the first and last level, and the range of the ops that have no inputs for it. */
typedef struct quant_state {
  float first, last;
  float min, max;
} quant_state;

/* A range, moved so that zero is one of its levels. */
typedef struct quant_range {
  float min, max, step, inverse;
  float zero;   /* the level of zero, counted from min */
  bool nothing; /* both ends are zero: so is everything, and gradients pass */
} quant_range;

static quant_range make_range(const quant_state* s, float min, float max) {
  quant_range r = {.nothing = min == 0 && max == 0};
  r.step = (max - min) / (s->last - s->first);
  const float at = s->first - min / r.step;
  float zero = at < s->first ? s->first : at > s->last ? s->last : roundf(at);
  if (zero != zero) zero = 0;
  r.min = (s->first - zero) * r.step;
  r.max = (s->last - zero) * r.step;
  r.inverse = 1.0f / r.step;
  r.zero = floorf(-r.min * r.inverse + 0.5f);
  return r;
}

static int create_quant(tfc_construction* c, void** state) {
  double min = 0, max = 1;
  int64_t bits;
  bool narrow;
  if (strncmp(c->op_type, "FakeQuantWithMinMaxArgs", 23) == 0) {
    TFC_TRY(c->api->attr_float(c, "min", &min));
    TFC_TRY(c->api->attr_float(c, "max", &max));
    if (!((float)min < (float)max))
      return c->api->error(c, TFC_INVALID_ARGUMENT, "min has to be smaller than max, was: %g >= %g",
                           min, max);
  }
  TFC_TRY(c->api->attr_int(c, "num_bits", &bits));
  if (bits < 2 || bits > 16)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "num_bits must be between 2 and 16, inclusive");
  TFC_TRY(c->api->attr_bool(c, "narrow_range", &narrow));
  quant_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *s = (quant_state){narrow, (float)((1 << bits) - 1), (float)min, (float)max};
  *state = s;
  return TFC_OK;
}

/* ---- Loops over elements that share a range */

typedef struct quant_run {
  const float *x, *gradient;
  float* y;
  quant_range range;
  bool divides; /* by the step, instead of multiplying by its inverse: TensorFlow does both */
} quant_run;

static inline float clamp(float x, float min, float max) {
  x = x > max ? max : x;
  return x < min ? min : x;
}
static inline float to_level(float steps, const quant_range* r) {
  return floorf(steps - r->zero + 0.5f) * r->step;
}
/* 1 inside the range, 0 outside; of NaN, too. */
static inline float inside(float x, const quant_range* r) {
  return x >= r->min && x <= r->max ? 1.0f : 0.0f;
}

static void quantize_range(void* arg, int64_t begin, int64_t end) {
  const quant_run* run = arg;
  const quant_range r = run->range;
  const float* x = run->x;
  float* y = run->y;
  if (r.nothing)
    memset(y + begin, 0, (size_t)(end - begin) * sizeof *y);
  else if (run->divides)
    for (int64_t i = begin; i < end; i++)
      y[i] = to_level((clamp(x[i], r.min, r.max) - r.min) / r.step, &r);
  else
    for (int64_t i = begin; i < end; i++)
      y[i] = to_level((clamp(x[i], r.min, r.max) - r.min) * r.inverse, &r);
}

static void pass_inside(void* arg, int64_t begin, int64_t end) {
  const quant_run* run = arg;
  const quant_range r = run->range;
  for (int64_t i = begin; i < end; i++)
    run->y[i] = r.nothing ? run->gradient[i] : run->gradient[i] * inside(run->x[i], &r);
}

/* ---- Sums of the gradients below and above the range: blocks of a fixed size, added in order */

enum { BLOCK = 8192, SUMS = 8 };

typedef struct outside_run {
  const quant_run* run;
  int64_t n;
  double* sums; /* of each block: below, above */
} outside_run;

static void sum_outside(void* arg, int64_t begin, int64_t end) {
  const outside_run* o = arg;
  const quant_range r = o->run->range;
  for (int64_t block = begin; block < end; block++) {
    double below[SUMS] = {0}, above[SUMS] = {0};
    const int64_t last = TFC_MIN(o->n, (block + 1) * BLOCK);
    for (int64_t i = block * BLOCK; i < last; i++) {
      const float x = o->run->x[i], g = o->run->gradient[i];
      below[i % SUMS] += (double)(g * (x < r.min ? 1.0f : 0.0f));
      above[i % SUMS] += (double)(g * (x > r.max ? 1.0f : 0.0f));
    }
    for (int k = 1; k < SUMS; k++) {
      below[0] += below[k];
      above[0] += above[k];
    }
    o->sums[2 * block] = below[0];
    o->sums[2 * block + 1] = above[0];
  }
}

static int put_outside(tfc_context* ctx, const quant_run* run, int64_t n) {
  const int64_t blocks = (n + BLOCK - 1) / BLOCK;
  outside_run o = {run, n, tfc_scratch_items(ctx, 2 * blocks + 1, sizeof(double))};
  if (!o.sums) return TFC_RESOURCE_EXHAUSTED;
  double below = 0, above = 0;
  if (!run->range.nothing) {
    tfc_parallel_for(ctx, blocks, BLOCK, sum_outside, &o);
    for (int64_t block = 0; block < blocks; block++) {
      below += o.sums[2 * block];
      above += o.sums[2 * block + 1];
    }
  }
  *(float*)ctx->outputs[1].data = (float)below;
  *(float*)ctx->outputs[2].data = (float)above;
  return TFC_OK;
}

/* ---- One range: an attribute or two scalars */

/* Reads the range, from the inputs `at` and `at + 1` if the op has them. */
static int read_range(tfc_context* ctx, int at, quant_run* run) {
  const quant_state* s = ctx->state;
  run->divides = at < ctx->n_inputs;
  if (!run->divides) {
    run->range = make_range(s, s->min, s->max);
    run->range.nothing = false;
    return TFC_OK;
  }
  for (int k = 0; k < 2; k++)
    if (ctx->inputs[at + k]->rank != 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`%s` must be rank 0 but is rank %d",
                       k ? "max" : "min", (int)ctx->inputs[at + k]->rank);
  run->range =
      make_range(s, *(const float*)ctx->inputs[at]->data, *(const float*)ctx->inputs[at + 1]->data);
  return TFC_OK;
}

static int fake_quant(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  quant_run run;
  TFC_TRY(read_range(ctx, 1, &run));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, (int[]){0}));
  run.x = x->data;
  run.y = ctx->outputs[0].data;
  tfc_parallel_for(ctx, x->n, 0.7, quantize_range, &run);
  return TFC_OK;
}

static int check_gradient(tfc_context* ctx) {
  if (tfc_same_shape(ctx->inputs[0], ctx->inputs[1])) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "gradient and input must be the same size, but have shapes %s and %s",
                   tfc_shape_text(ctx->inputs[0]).text, tfc_shape_text(ctx->inputs[1]).text);
}

static int fake_quant_gradient(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[1];
  quant_run run;
  TFC_TRY(check_gradient(ctx));
  TFC_TRY(read_range(ctx, 2, &run));
  TFC_TRY(tfc_output(ctx, 0, x->rank, x->dims));
  run.x = x->data;
  run.gradient = ctx->inputs[0]->data;
  run.y = ctx->outputs[0].data;
  tfc_parallel_for(ctx, x->n, 0.7, pass_inside, &run);
  if (ctx->n_outputs == 1) return TFC_OK;
  TFC_TRY(tfc_output_scalar(ctx, 1));
  TFC_TRY(tfc_output_scalar(ctx, 2));
  return put_outside(ctx, &run, x->n);
}

/* ---- A range for each channel: each element of the last dimension */

typedef struct channel_run {
  const float *x, *gradient;
  float* y;
  const quant_range* ranges;
  int64_t channels, rows, block_rows;
  double* sums; /* of each block and channel: below, above */
} channel_run;

static int read_channels(tfc_context* ctx, int at, channel_run* run) {
  const tfc_tensor* x = ctx->inputs[at - 1];
  if (x->rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "inputs must be at least rank 1 but is rank 0");
  run->channels = x->dims[x->rank - 1];
  run->rows = run->channels ? x->n / run->channels : 0;
  run->x = x->data;
  for (int k = 0; k < 2; k++) {
    const tfc_tensor* end = ctx->inputs[at + k];
    const char* name = k ? "max" : "min";
    if (end->rank != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "`%s` must be rank 1 but is rank %d", name,
                       (int)end->rank);
    if (end->n != run->channels)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has incorrect size, expected %lld was %lld",
                       name, (long long)run->channels, (long long)end->n);
  }
  quant_range* ranges = tfc_scratch_items(ctx, run->channels + 1, sizeof *ranges);
  if (!ranges) return TFC_RESOURCE_EXHAUSTED;
  const float *min = ctx->inputs[at]->data, *max = ctx->inputs[at + 1]->data;
  for (int64_t c = 0; c < run->channels; c++) ranges[c] = make_range(ctx->state, min[c], max[c]);
  run->ranges = ranges;
  return TFC_OK;
}

static void quantize_rows(void* arg, int64_t begin, int64_t end) {
  const channel_run* run = arg;
  for (int64_t row = begin; row < end; row++)
    for (int64_t c = 0; c < run->channels; c++) {
      const quant_range* r = run->ranges + c;
      const int64_t i = row * run->channels + c;
      const float steps = (clamp(run->x[i], r->min, r->max) - r->min) * r->inverse;
      run->y[i] = r->nothing ? 0 : to_level(steps, r);
    }
}

static int fake_quant_channels(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  channel_run run = {0};
  TFC_TRY(read_channels(ctx, 1, &run));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, (int[]){0}));
  run.y = ctx->outputs[0].data;
  tfc_parallel_for(ctx, run.rows, 3 * (double)run.channels, quantize_rows, &run);
  return TFC_OK;
}

static void gradient_rows(void* arg, int64_t begin, int64_t end) {
  const channel_run* run = arg;
  const int64_t n = run->channels;
  for (int64_t block = begin; block < end; block++) {
    double* sums = run->sums + 2 * n * block;
    memset(sums, 0, (size_t)(2 * n) * sizeof *sums);
    const int64_t last = TFC_MIN(run->rows, (block + 1) * run->block_rows);
    for (int64_t row = block * run->block_rows; row < last; row++)
      for (int64_t c = 0; c < n; c++) {
        const quant_range* r = run->ranges + c;
        const float x = run->x[row * n + c], g = run->gradient[row * n + c];
        run->y[row * n + c] = r->nothing ? g : g * inside(x, r);
        if (r->nothing) continue;
        sums[2 * c] += (double)(g * (x < r->min ? 1.0f : 0.0f));
        sums[2 * c + 1] += (double)(g * (x > r->max ? 1.0f : 0.0f));
      }
  }
}

static int fake_quant_channels_gradient(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[1];
  channel_run run = {.gradient = ctx->inputs[0]->data};
  TFC_TRY(check_gradient(ctx));
  TFC_TRY(read_channels(ctx, 2, &run));
  TFC_TRY(tfc_output(ctx, 0, x->rank, x->dims));
  TFC_TRY(tfc_output(ctx, 1, 1, &run.channels));
  TFC_TRY(tfc_output(ctx, 2, 1, &run.channels));
  run.y = ctx->outputs[0].data;
  const int64_t most_blocks = 64; /* whatever the number of threads */
  run.block_rows = TFC_MAX(BLOCK / TFC_MAX(run.channels, 1) + 1, run.rows / most_blocks + 1);
  const int64_t blocks = (run.rows + run.block_rows - 1) / run.block_rows;
  run.sums = tfc_scratch_items(ctx, 2 * run.channels * blocks + 1, sizeof(double));
  if (!run.sums) return TFC_RESOURCE_EXHAUSTED;
  const double elements = (double)run.block_rows * (double)run.channels;
  tfc_parallel_for(ctx, blocks, 3 * elements, gradient_rows, &run);
  for (int64_t c = 0; c < run.channels; c++)
    for (int k = 0; k < 2; k++) {
      double sum = 0;
      for (int64_t block = 0; block < blocks; block++)
        sum += run.sums[2 * (block * run.channels + c) + k];
      ((float*)ctx->outputs[1 + k].data)[c] = (float)sum;
    }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("FakeQuantWithMinMaxArgs", "", fake_quant, TFC_STATE(create_quant)),
    TFC_ROW("FakeQuantWithMinMaxArgsGradient", "", fake_quant_gradient, TFC_STATE(create_quant)),
    TFC_ROW("FakeQuantWithMinMaxVars", "", fake_quant, TFC_STATE(create_quant)),
    TFC_ROW("FakeQuantWithMinMaxVarsGradient", "", fake_quant_gradient, TFC_STATE(create_quant)),
    TFC_ROW("FakeQuantWithMinMaxVarsPerChannel", "", fake_quant_channels, TFC_STATE(create_quant)),
    TFC_ROW("FakeQuantWithMinMaxVarsPerChannelGradient", "", fake_quant_channels_gradient,
            TFC_STATE(create_quant)),
};
TFC_REGISTER_KERNELS(kernels);
