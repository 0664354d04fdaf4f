/* FusedBatchNorm, V2, V3 and their gradients.
 *
 * Images are rows of pixels with one number per channel. Statistics are computed in one pass over
 * memory: chunks of rows, fixed by the shape, give mean and squared deviations while they are in
 * cache, and the chunks are combined in order, in double.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/window.h"

typedef struct {
  float epsilon, factor; /* factor of the exponential average */
  bool training, nchw;
} norm_state;

static int create(tfc_construction* c, void** state, bool backward) {
  double epsilon, factor = 1;
  bool training;
  const char* format;
  size_t size;
  TFC_TRY(c->api->attr_float(c, "epsilon", &epsilon));
  if (!backward) TFC_TRY(c->api->attr_float(c, "exponential_avg_factor", &factor));
  TFC_TRY(c->api->attr_bool(c, "is_training", &training));
  TFC_TRY(c->api->attr_string(c, "data_format", &format, &size));
  bool nchw = size >= 2 && format[1] == 'C';
  norm_state* s = malloc(sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *s = (norm_state){(float)epsilon, (float)factor, training, nchw};
  *state = s;
  return TFC_OK;
}
static int create_forward(tfc_construction* c, void** state) {
  return create(c, state, false);
}
static int create_backward(tfc_construction* c, void** state) {
  return create(c, state, true);
}
static void destroy(void* state) {
  free(state);
}

/* ---- Sizes and loading. */

/* A tensor of rank 4 or 5 (V3) as an image. */
static int image_of(tfc_context* ctx, const tfc_tensor* t, bool nchw, const char* name,
                    image_dims* d) {
  if (t->rank != 4 && t->rank != 5)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 4-dimensional%s", name,
                     tfc_shape_text(t).text);
  d->n = t->dims[0];
  d->c = t->dims[nchw ? 1 : t->rank - 1];
  const int64_t* space = t->dims + (nchw ? 2 : 1);
  d->h = space[0];
  d->w = t->rank == 5 ? space[1] * space[2] : space[1];
  return TFC_OK;
}

static int channel_vector(tfc_context* ctx, int input, const char* name, int64_t channels) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 1-dimensional%s", name,
                     tfc_shape_text(t).text);
  if (t->n != channels)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s must have the same number of elements as the channels of x, got %lld and "
                     "%lld",
                     name, (long long)t->n, (long long)channels);
  return TFC_OK;
}

/* ---- Loops over rows of pixels. */

typedef struct {
  int64_t rows, channels, chunk; /* rows of a chunk */
  int64_t chunks;
  const float *x, *dy;
  float* out;
  const float *center, *scale, *offset, *slope; /* per channel, see each loop */
  float* partial;                               /* [chunk][2][channels] */
} norm_job;

static void plan_chunks(norm_job* j) {
  j->chunk = TFC_MAX(32, 16384 / TFC_MAX(1, j->channels));
  j->chunks = (j->rows + j->chunk - 1) / j->chunk;
}

/* For each chunk: mean and sum of squared deviations from it. */
static void moments_range(void* arg, int64_t begin, int64_t end) {
  const norm_job* j = arg;
  int64_t n = j->channels;
  for (int64_t i = begin; i < end; i++) {
    int64_t r0 = i * j->chunk, r1 = TFC_MIN(j->rows, r0 + j->chunk);
    float* restrict mean = j->partial + i * 2 * n, * restrict m2 = mean + n;
    memset(mean, 0, (size_t)(2 * n) * sizeof(float));
    int64_t r = r0;
    for (; r + 4 <= r1; r += 4) {
      const float* x = j->x + r * n;
      for (int64_t c = 0; c < n; c++) mean[c] += (x[c] + x[n + c]) + (x[2 * n + c] + x[3 * n + c]);
    }
    for (; r < r1; r++)
      for (int64_t c = 0; c < n; c++) mean[c] += j->x[r * n + c];
    float inverse = 1.0f / (float)(r1 - r0);
    for (int64_t c = 0; c < n; c++) mean[c] *= inverse;
    for (r = r0; r + 2 <= r1; r += 2) {
      const float* x = j->x + r * n;
      for (int64_t c = 0; c < n; c++) {
        float a = x[c] - mean[c], b = x[n + c] - mean[c];
        m2[c] += a * a + b * b;
      }
    }
    for (; r < r1; r++)
      for (int64_t c = 0; c < n; c++) {
        float a = j->x[r * n + c] - mean[c];
        m2[c] += a * a;
      }
  }
}

/* Mean and (biased) variance of each channel from those of the chunks. */
static void combine_moments(const norm_job* j, float* mean, float* variance) {
  int64_t n = j->channels;
  for (int64_t c = 0; c < n; c++) {
    double m = 0, m2 = 0, count = 0;
    for (int64_t i = 0; i < j->chunks; i++) {
      double k = (double)(TFC_MIN(j->rows, (i + 1) * j->chunk) - i * j->chunk);
      double delta = (double)j->partial[i * 2 * n + c] - m, total = count + k;
      m += delta * k / total;
      m2 += (double)j->partial[i * 2 * n + n + c] + delta * delta * count * k / total;
      count = total;
    }
    mean[c] = (float)m;
    variance[c] = (float)(m2 / count);
  }
}

/* out = (x - center) * scale + offset. */
static void affine_range(void* arg, int64_t begin, int64_t end) {
  const norm_job* j = arg;
  int64_t n = j->channels;
  for (int64_t r = begin; r < end; r++) {
    const float* x = j->x + r * n;
    float* restrict out = j->out + r * n;
    for (int64_t c = 0; c < n; c++) out[c] = (x[c] - j->center[c]) * j->scale[c] + j->offset[c];
  }
}

/* For each chunk: sums of dy and of dy * (x - center). */
static void grad_sums_range(void* arg, int64_t begin, int64_t end) {
  const norm_job* j = arg;
  int64_t n = j->channels;
  for (int64_t i = begin; i < end; i++) {
    int64_t r1 = TFC_MIN(j->rows, (i + 1) * j->chunk);
    float* restrict sum = j->partial + i * 2 * n, * restrict dot = sum + n;
    memset(sum, 0, (size_t)(2 * n) * sizeof(float));
    for (int64_t r = i * j->chunk; r < r1; r++) {
      const float *x = j->x + r * n, *dy = j->dy + r * n;
      for (int64_t c = 0; c < n; c++) {
        sum[c] += dy[c];
        dot[c] += dy[c] * (x[c] - j->center[c]);
      }
    }
  }
}

/* out = dy * scale - offset - (x - center) * slope. */
static void grad_range(void* arg, int64_t begin, int64_t end) {
  const norm_job* j = arg;
  int64_t n = j->channels;
  for (int64_t r = begin; r < end; r++) {
    const float *x = j->x + r * n, *dy = j->dy + r * n;
    float* restrict out = j->out + r * n;
    for (int64_t c = 0; c < n; c++)
      out[c] = dy[c] * j->scale[c] - j->offset[c] - (x[c] - j->center[c]) * j->slope[c];
  }
}

static float* make_partial(tfc_context* ctx, norm_job* j) {
  plan_chunks(j);
  return j->partial = tfc_scratch(ctx, (size_t)(j->chunks * 2 * j->channels + 1) * sizeof(float));
}

/* ---- Forward. Outputs: y, batch_mean, batch_variance, two reserves, and in V3 a third. */

static void fill(const tfc_tensor* t, float x) {
  for (int64_t i = 0; i < t->n; i++) ((float*)t->data)[i] = x;
}

static int training_statistics(tfc_context* ctx, norm_job* j) {
  const norm_state* s = ctx->state;
  float *batch_mean = ctx->outputs[1].data, *batch_variance = ctx->outputs[2].data;
  float *mean = ctx->outputs[3].data, *variance = ctx->outputs[4].data;
  if (!make_partial(ctx, j)) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, j->chunks, (double)(j->chunk * j->channels) * 0.25, moments_range, j);
  combine_moments(j, mean, variance);
  /* The running variance is unbiased. */
  float unbias = j->rows > 1 ? (float)((double)j->rows / (double)(j->rows - 1)) : 1.0f;
  bool average =
      s->factor != 1.0f && ctx->inputs[3]->n == j->channels && ctx->inputs[4]->n == j->channels;
  for (int64_t c = 0; c < j->channels; c++) {
    batch_mean[c] = mean[c];
    batch_variance[c] = variance[c] * unbias;
    if (average) {
      const float *old_mean = ctx->inputs[3]->data, *old_variance = ctx->inputs[4]->data;
      batch_mean[c] = (1 - s->factor) * old_mean[c] + s->factor * batch_mean[c];
      batch_variance[c] = (1 - s->factor) * old_variance[c] + s->factor * batch_variance[c];
    }
  }
  return TFC_OK;
}

static void given_statistics(tfc_context* ctx, int64_t channels) {
  for (int i = 0; i < 2; i++)
    for (int out = 1 + i; out <= 4; out += 2)
      memcpy(ctx->outputs[out].data, ctx->inputs[3 + i]->data, (size_t)channels * sizeof(float));
}

static int batch_norm(tfc_context* ctx) {
  const norm_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  image_dims d;
  TFC_TRY(image_of(ctx, x, s->nchw, "input", &d));
  TFC_TRY(channel_vector(ctx, 1, "scale", d.c));
  TFC_TRY(channel_vector(ctx, 2, "offset", d.c));
  if (!s->training) {
    TFC_TRY(channel_vector(ctx, 3, "mean", d.c));
    TFC_TRY(channel_vector(ctx, 4, "variance", d.c));
  }
  TFC_TRY(tfc_output_like(ctx, 0, x));
  for (int i = 1; i < 5; i++) TFC_TRY(tfc_output(ctx, i, 1, &d.c));
  if (ctx->n_outputs > 5) {
    TFC_TRY(tfc_output_scalar(ctx, 5));
    fill(&ctx->outputs[5], 0);
  }
  if (x->n == 0) {
    if (!s->training) given_statistics(ctx, d.c);
    for (int i = 1; s->training && i < 5; i++) fill(&ctx->outputs[i], NAN);
    return TFC_OK;
  }
  norm_job j = {.rows = d.n * d.h * d.w, .channels = d.c};
  j.x = image_load(ctx, x, d, s->nchw, true);
  j.out = image_begin(ctx, &ctx->outputs[0], d, s->nchw, true);
  float* scale = tfc_scratch(ctx, (size_t)d.c * sizeof(float));
  if (!j.x || !j.out || !scale) return TFC_RESOURCE_EXHAUSTED;
  if (s->training)
    TFC_TRY(training_statistics(ctx, &j));
  else
    given_statistics(ctx, d.c);
  const float *variance = ctx->outputs[4].data, *gamma = ctx->inputs[1]->data;
  for (int64_t c = 0; c < d.c; c++) scale[c] = gamma[c] / sqrtf(variance[c] + s->epsilon);
  j.center = ctx->outputs[3].data;
  j.scale = scale;
  j.offset = ctx->inputs[2]->data;
  tfc_parallel_for(ctx, j.rows, (double)d.c * 0.15 + 2, affine_range, &j);
  return image_store(ctx, &ctx->outputs[0], d, s->nchw, true, j.out);
}

/* ---- Backward. Outputs: the gradients of x, scale and offset, and two empty ones. */

static int batch_norm_grad(tfc_context* ctx) {
  const norm_state* s = ctx->state;
  const tfc_tensor *dy = ctx->inputs[0], *x = ctx->inputs[1];
  image_dims d;
  TFC_TRY(image_of(ctx, dy, s->nchw, "y_backprop", &d));
  if (!tfc_same_shape(x, dy))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "x and y_backprop must have same shape, but x has shape %s and y_backprop has "
                     "shape %s",
                     tfc_shape_text(x).text, tfc_shape_text(dy).text);
  TFC_TRY(channel_vector(ctx, 2, "scale", d.c));
  TFC_TRY(channel_vector(ctx, 3, "saved mean", d.c));
  TFC_TRY(channel_vector(ctx, 4, "saved variance", d.c));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(tfc_output(ctx, 1, 1, &d.c));
  TFC_TRY(tfc_output(ctx, 2, 1, &d.c));
  for (int i = 3; i < 5; i++) TFC_TRY(tfc_output(ctx, i, 1, (int64_t[1]){0}));
  if (x->n == 0) {
    fill(&ctx->outputs[1], 0);
    fill(&ctx->outputs[2], 0);
    return TFC_OK;
  }
  norm_job j = {.rows = d.n * d.h * d.w, .channels = d.c, .center = ctx->inputs[3]->data};
  j.x = image_load(ctx, x, d, s->nchw, true);
  j.dy = image_load(ctx, dy, d, s->nchw, true);
  j.out = image_begin(ctx, &ctx->outputs[0], d, s->nchw, true);
  float* scale = tfc_scratch(ctx, (size_t)(3 * d.c) * sizeof(float));
  if (!j.x || !j.dy || !j.out || !scale || !make_partial(ctx, &j)) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, j.chunks, (double)(j.chunk * d.c) * 0.25, grad_sums_range, &j);

  float *offset = scale + d.c, *slope = offset + d.c;
  float *dscale = ctx->outputs[1].data, *doffset = ctx->outputs[2].data;
  const float *gamma = ctx->inputs[2]->data, *variance = ctx->inputs[4]->data;
  for (int64_t c = 0; c < d.c; c++) {
    double sum = 0, dot = 0, rstd = 1 / sqrt((double)variance[c] + (double)s->epsilon);
    for (int64_t i = 0; i < j.chunks; i++) {
      sum += (double)j.partial[i * 2 * d.c + c];
      dot += (double)j.partial[i * 2 * d.c + d.c + c];
    }
    doffset[c] = (float)sum;
    dscale[c] = (float)(dot * rstd);
    double g = (double)gamma[c] * rstd, rows = (double)j.rows;
    scale[c] = (float)g;
    offset[c] = s->training ? (float)(g * sum / rows) : 0;
    slope[c] = s->training ? (float)(g * dot * rstd * rstd / rows) : 0;
  }
  j.scale = scale;
  j.offset = offset;
  j.slope = slope;
  tfc_parallel_for(ctx, j.rows, (double)d.c * 0.25 + 2, grad_range, &j);
  return image_store(ctx, &ctx->outputs[0], d, s->nchw, true, j.out);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("FusedBatchNorm", "T=float", batch_norm, .create = create_forward, .destroy = destroy),
    TFC_ROW("FusedBatchNormV2", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE ";U=float", batch_norm,
            .create = create_forward, .destroy = destroy),
    TFC_ROW("FusedBatchNormV3", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE ";U=float", batch_norm,
            .create = create_forward, .destroy = destroy),
    TFC_ROW("FusedBatchNormGrad", "T=float", batch_norm_grad, .create = create_backward,
            .destroy = destroy),
    TFC_ROW("FusedBatchNormGradV2", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE ";U=float", batch_norm_grad,
            .create = create_backward, .destroy = destroy),
    TFC_ROW("FusedBatchNormGradV3", "T=" TFC_TYPES_FLOATS_BUT_DOUBLE ";U=float", batch_norm_grad,
            .create = create_backward, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
