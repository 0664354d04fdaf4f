/* LRN, LRNGrad and BatchNormWithGlobalNormalization with its gradient. Batch normalization over a
 * batch is in fused_batch_norm.c. */
#include <stdlib.h>

#include "kernels_c/common/areas.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"

/* ---- Local response normalization: y = x * n^-beta, n = bias + alpha * (sum of x^2 over the
 * channels within depth_radius). */

typedef struct {
  int64_t radius;
  float bias, alpha, beta;
} lrn_state;

static int lrn_create(tfc_construction* c, void** state) {
  int64_t radius;
  double bias, alpha, beta;
  TFC_TRY(c->api->attr_int(c, "depth_radius", &radius));
  TFC_TRY(c->api->attr_float(c, "bias", &bias));
  TFC_TRY(c->api->attr_float(c, "alpha", &alpha));
  TFC_TRY(c->api->attr_float(c, "beta", &beta));
  if (radius < 0 || radius > INT32_MAX)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "depth_radius = %lld larger than int max, or negative", (long long)radius);
  lrn_state* s = malloc(sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *s = (lrn_state){radius, (float)bias, (float)alpha, (float)beta};
  *state = s;
  return TFC_OK;
}

static void free_state(void* state) {
  free(state);
}

/* n^-beta for n > 0. The two exponents that networks use need no logarithm. */
static inline vf inverse_power(vf n, float beta) {
  if (beta == 0.5f) return 1.0f / vf_sqrt(n);
  if (beta == 0.75f) {
    vf root = vf_sqrt(n);
    return 1.0f / (root * vf_sqrt(root));
  }
  if (beta == 1.0f) return 1.0f / n;
  return vf_exp(vf_log(n) * -beta);
}

typedef struct {
  const lrn_state* s;
  int32_t dtype;
  int64_t channels;
  int64_t radius; /* at most the number of channels */
  int64_t row;    /* floats of a row in `work`, with radius zeros on both sides */
  const char *x, *y, *dy;
  char* out;
  tfc_areas areas; /* of 5 rows */
} lrn_job;

/* Sum over the window, for the vector at `p`; p[-radius .. radius] are valid. */
static inline vf window_sum(const float* p, int64_t radius) {
  vf sum = vf_load(p);
  for (int64_t k = 1; k <= radius; k++) sum += vf_load(p - k) + vf_load(p + k);
  return sum;
}

/* Pixel i of a tensor as float: in place, or converted to `buffer`. */
static const float* lrn_pixel(const lrn_job* j, const char* data, int64_t i, float* buffer) {
  if (j->dtype == TFC_FLOAT) return (const float*)data + i * j->channels;
  tfc_widen(j->dtype, data + 2 * i * j->channels, buffer, j->channels);
  return buffer;
}

static void lrn_result(const lrn_job* j, int64_t i, const float* from) {
  if (j->dtype == TFC_FLOAT)
    memcpy((float*)j->out + i * j->channels, from, (size_t)j->channels * 4);
  else
    tfc_narrow(j->dtype, from, j->out + 2 * i * j->channels, j->channels);
}

/* Buffers of one thread, each of `row` floats. */
typedef struct {
  float *window, *norm, *x, *y, *dy;
} lrn_buffers;

static lrn_buffers lrn_buffers_take(lrn_job* j) {
  lrn_buffers b;
  b.window = tfc_areas_take(&j->areas);
  memset(b.window, 0, (size_t)j->row * 5 * sizeof(float));
  b.norm = b.window + j->row;
  b.x = b.norm + j->row;
  b.y = b.x + j->row;
  b.dy = b.y + j->row;
  return b;
}

/* norm[c] = bias + alpha * window sum of squares. The edges of the window stay zero. */
static void lrn_norm(const lrn_job* j, const float* x, lrn_buffers* b) {
  float* squares = b->window + j->radius;
  for (int64_t c = 0; c < j->channels; c++) squares[c] = x[c] * x[c];
  memset(squares + j->channels, 0, (size_t)(j->row - j->radius - j->channels) * 4);
  for (int64_t c = 0; c < j->channels; c += VF_N)
    vf_store(b->norm + c, window_sum(squares + c, j->radius) * j->s->alpha + j->s->bias);
}

static void lrn_range(void* arg, int64_t begin, int64_t end) {
  lrn_job* j = arg;
  lrn_buffers b = lrn_buffers_take(j);
  for (int64_t i = begin; i < end; i++) {
    const float* x = lrn_pixel(j, j->x, i, b.x);
    if (x != b.x) x = memcpy(b.x, x, (size_t)j->channels * 4);
    lrn_norm(j, x, &b);
    for (int64_t c = 0; c < j->channels; c += VF_N)
      vf_store(b.y + c, vf_load(x + c) * inverse_power(vf_load(b.norm + c), j->s->beta));
    lrn_result(j, i, b.y);
  }
  tfc_areas_give(&j->areas, b.window);
}

/* dx = dy * n^-beta - 2 alpha beta x * (window sum of dy * y / n). */
static void lrn_grad_range(void* arg, int64_t begin, int64_t end) {
  lrn_job* j = arg;
  lrn_buffers b = lrn_buffers_take(j);
  float scale = 2.0f * j->s->alpha * j->s->beta;
  for (int64_t i = begin; i < end; i++) {
    const float *x = lrn_pixel(j, j->x, i, b.x), *y = lrn_pixel(j, j->y, i, b.y);
    const float* dy = lrn_pixel(j, j->dy, i, b.dy);
    if (x != b.x) x = memcpy(b.x, x, (size_t)j->channels * 4);
    if (dy != b.dy) dy = memcpy(b.dy, dy, (size_t)j->channels * 4);
    lrn_norm(j, x, &b);
    float* ratios = b.window + j->radius;
    for (int64_t c = 0; c < j->channels; c++) ratios[c] = dy[c] * y[c] / b.norm[c];
    for (int64_t c = 0; c < j->channels; c += VF_N) {
      vf direct = vf_load(dy + c) * inverse_power(vf_load(b.norm + c), j->s->beta);
      vf spread = window_sum(ratios + c, j->radius) * scale;
      vf_store(b.norm + c, direct - vf_load(x + c) * spread);
    }
    lrn_result(j, i, b.norm);
  }
  tfc_areas_give(&j->areas, b.window);
}

static int lrn_run(tfc_context* ctx, const tfc_tensor* x, const tfc_tensor* y,
                   const tfc_tensor* dy) {
  const lrn_state* s = ctx->state;
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  int64_t channels = x->dims[3], radius = TFC_MIN(s->radius, channels);
  lrn_job job = {.s = s,
                 .dtype = x->dtype,
                 .channels = channels,
                 .radius = radius,
                 .row = channels + 2 * radius + 2 * VF_N,
                 .x = x->data,
                 .y = y ? y->data : NULL,
                 .dy = dy ? dy->data : NULL,
                 .out = ctx->outputs[0].data};
  TFC_TRY(tfc_areas_make(ctx, &job.areas, (size_t)job.row * 5 * sizeof(float)));
  double cost = (double)channels * (1 + (double)radius * 0.15) * (dy ? 2 : 1) + 20;
  tfc_parallel_for(ctx, x->n / channels, cost, dy ? lrn_grad_range : lrn_range, &job);
  return TFC_OK;
}

static int lrn(tfc_context* ctx) {
  if (ctx->inputs[0]->rank != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "in must be 4-dimensional");
  return lrn_run(ctx, ctx->inputs[0], NULL, NULL);
}

static int lrn_grad(tfc_context* ctx) {
  const tfc_tensor *dy = ctx->inputs[0], *x = ctx->inputs[1], *y = ctx->inputs[2];
  if (dy->rank != 4 || x->rank != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "inputs must be 4-dimensional");
  if (!tfc_same_shape(dy, x) || !tfc_same_shape(dy, y))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input_grads, input_image, and out_image should have the same shape");
  return lrn_run(ctx, x, y, dy);
}

/* ---- BatchNormWithGlobalNormalization: statistics are inputs. Rarely used (it is the oldest
 * form), so one plain implementation in double serves all types. */

typedef struct {
  float epsilon;
  bool scale;
} global_state;

static int global_create(tfc_construction* c, void** state) {
  double epsilon;
  bool scale;
  TFC_TRY(c->api->attr_float(c, "variance_epsilon", &epsilon));
  TFC_TRY(c->api->attr_bool(c, "scale_after_normalization", &scale));
  global_state* s = malloc(sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *s = (global_state){(float)epsilon, scale};
  *state = s;
  return TFC_OK;
}

static double get(const tfc_tensor* t, int64_t i) {
  switch (t->dtype) {
    case TFC_DOUBLE: return ((const double*)t->data)[i];
    case TFC_HALF: return tfc_half_to_float(((const tfc_half*)t->data)[i]);
    case TFC_BFLOAT16: return tfc_bfloat16_to_float(((const tfc_bfloat16*)t->data)[i]);
    default: return ((const float*)t->data)[i];
  }
}

static void put(const tfc_tensor* t, int64_t i, double x) {
  switch (t->dtype) {
    case TFC_DOUBLE: ((double*)t->data)[i] = x; break;
    case TFC_HALF: ((tfc_half*)t->data)[i] = tfc_double_to_half(x); break;
    case TFC_BFLOAT16: ((tfc_bfloat16*)t->data)[i] = tfc_double_to_bfloat16(x); break;
    default: ((float*)t->data)[i] = (float)x;
  }
}

/* Per-channel numbers of a run. */
typedef struct {
  int64_t rows, channels;
  double *mean, *rstd, *gamma, *beta; /* gamma is 1 without scaling */
} global_values;

static int check_channel_vector(tfc_context* ctx, const tfc_tensor* t, const char* name,
                                int64_t channels) {
  if (t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 1-dimensional%s", name,
                     tfc_shape_text(t).text);
  if (t->n != channels)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Must provide as many %ss as the last dimension of the input tensor: %lld vs. %lld", name,
        (long long)t->n, (long long)channels);
  return TFC_OK;
}

static int global_load(tfc_context* ctx, const tfc_tensor* beta, const tfc_tensor* gamma,
                       global_values* v) {
  const global_state* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *mean = ctx->inputs[1], *variance = ctx->inputs[2];
  if (x->rank != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be 4-dimensional%s",
                     tfc_shape_text(x).text);
  int64_t n = v->channels = x->dims[3];
  v->rows = n ? x->n / n : 0;
  TFC_TRY(check_channel_vector(ctx, mean, "mean", n));
  TFC_TRY(check_channel_vector(ctx, variance, "var", n));
  if (beta) TFC_TRY(check_channel_vector(ctx, beta, "beta", n));
  TFC_TRY(check_channel_vector(ctx, gamma, "gamma", n));
  v->mean = tfc_scratch(ctx, (size_t)(4 * n + 1) * sizeof(double));
  if (!v->mean) return TFC_RESOURCE_EXHAUSTED;
  v->rstd = v->mean + n;
  v->gamma = v->rstd + n;
  v->beta = v->gamma + n;
  for (int64_t c = 0; c < n; c++) {
    v->mean[c] = get(mean, c);
    v->rstd[c] = 1 / sqrt(get(variance, c) + (double)s->epsilon);
    v->gamma[c] = s->scale ? get(gamma, c) : 1;
    v->beta[c] = beta ? get(beta, c) : 0;
  }
  return TFC_OK;
}

static int batch_norm_global(tfc_context* ctx) {
  global_values v;
  TFC_TRY(global_load(ctx, ctx->inputs[3], ctx->inputs[4], &v));
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int64_t r = 0; r < v.rows; r++)
    for (int64_t c = 0; c < v.channels; c++) {
      int64_t i = r * v.channels + c;
      put(&ctx->outputs[0], i, (get(x, i) - v.mean[c]) * v.rstd[c] * v.gamma[c] + v.beta[c]);
    }
  return TFC_OK;
}

static int batch_norm_global_grad(tfc_context* ctx) {
  const global_state* s = ctx->state;
  global_values v;
  TFC_TRY(global_load(ctx, NULL, ctx->inputs[3], &v));
  const tfc_tensor *x = ctx->inputs[0], *dy = ctx->inputs[4];
  if (!tfc_same_shape(x, dy))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input and backprop must have the same shape: %s vs. %s",
                     tfc_shape_text(x).text, tfc_shape_text(dy).text);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int i = 1; i < 5; i++) TFC_TRY(tfc_output(ctx, i, 1, &v.channels));
  double* sum = tfc_scratch(ctx, (size_t)(2 * v.channels + 1) * sizeof(double));
  if (!sum) return TFC_RESOURCE_EXHAUSTED;
  double* moment = sum + v.channels;
  memset(sum, 0, (size_t)(2 * v.channels) * sizeof(double));
  for (int64_t r = 0; r < v.rows; r++)
    for (int64_t c = 0; c < v.channels; c++) {
      int64_t i = r * v.channels + c;
      double g = get(dy, i);
      sum[c] += g;
      moment[c] += g * (get(x, i) - v.mean[c]);
      put(&ctx->outputs[0], i, g * v.rstd[c] * v.gamma[c]);
    }
  for (int64_t c = 0; c < v.channels; c++) {
    double rstd = v.rstd[c];
    put(&ctx->outputs[1], c, -sum[c] * rstd * v.gamma[c]);
    put(&ctx->outputs[2], c, -0.5 * moment[c] * rstd * rstd * rstd * v.gamma[c]);
    put(&ctx->outputs[3], c, sum[c]);
    put(&ctx->outputs[4], c, s->scale ? moment[c] * rstd : 0);
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("LRN", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE, lrn, .create = lrn_create,
            .destroy = free_state),
    TFC_ROW("LRNGrad", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE, lrn_grad, .create = lrn_create,
            .destroy = free_state),
    TFC_ROW("BatchNormWithGlobalNormalization", "T=" TFC_TYPES_FLOATS, batch_norm_global,
            .create = global_create, .destroy = free_state),
    TFC_ROW("BatchNormWithGlobalNormalizationGrad", "T=" TFC_TYPES_FLOATS, batch_norm_global_grad,
            .create = global_create, .destroy = free_state),
};
TFC_REGISTER_KERNELS(kernels);
