/* Samples from distributions with parameters, by rejection: Multinomial, StatelessMultinomial,
 * RandomGamma, RandomPoisson, StatelessRandomGamma, StatelessRandomPoisson.
 *
 * Algorithms and the order in which they take random numbers are TensorFlow's, so that equal seeds
 * give equal samples. Each sample of RandomGamma and RandomPoisson has 256 blocks of the stream to
 * itself.
 */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/parameters.h"
#include "kernels_c/random/random.h"

enum { BLOCKS_PER_SAMPLE = 256 };

static double read_real(const tfc_tensor* t, int64_t i) {
  switch (t->dtype) {
    case TFC_HALF: return (double)tfc_half_to_float(((const tfc_half*)t->data)[i]);
    case TFC_BFLOAT16: return (double)tfc_bfloat16_to_float(((const tfc_bfloat16*)t->data)[i]);
#define READ(DTYPE, CTYPE, NAME) \
  case DTYPE: return (double)((const CTYPE*)t->data)[i];
      TFC_FOR_REALS(READ)
#undef READ
    default: return 0;
  }
}

static void write_real(tfc_tensor* t, int64_t i, double x) {
  switch (t->dtype) {
    case TFC_HALF: ((tfc_half*)t->data)[i] = tfc_double_to_half(x); break;
    case TFC_BFLOAT16: ((tfc_bfloat16*)t->data)[i] = tfc_double_to_bfloat16(x); break;
    case TFC_FLOAT: ((float*)t->data)[i] = (float)x; break;
    case TFC_DOUBLE: ((double*)t->data)[i] = x; break;
    case TFC_INT32: ((int32_t*)t->data)[i] = isnan(x) ? 0 : (int32_t)x; break;
    case TFC_INT64: ((int64_t*)t->data)[i] = isnan(x) ? 0 : (int64_t)x; break;
    default: break;
  }
}

/* The largest number of an output type. */
static double largest(int32_t dtype) {
  switch (dtype) {
    case TFC_HALF: return 65504.0;
    case TFC_BFLOAT16: return 0x1.fep127;
    case TFC_FLOAT: return 0x1.fffffep127;
    case TFC_INT32: return 2147483647.0;
    case TFC_INT64: return 9223372036854774784.0; /* the largest double below 2^63 */
    default: return 0x1.fffffffffffffp1023;
  }
}

/* Pairs of numbers from a block; the second of a pair is taken first. */
typedef struct pairs {
  double value[2];
  int left;
} pairs;

static double next_uniform(philox_reader* r, pairs* p) {
  if (p->left == 0) {
    p->value[0] = philox_next_double(r);
    p->value[1] = philox_next_double(r);
    p->left = 2;
  }
  return p->value[--p->left];
}
static double next_normal(philox_reader* r, pairs* p) {
  if (p->left == 0) {
    double u = fmax(philox_next_double(r), 1e-7),
           angle = 6.28318530717958648 * philox_next_double(r);
    double radius = sqrt(-2.0 * log(u));
    p->value[0] = sin(angle) * radius;
    p->value[1] = cos(angle) * radius;
    p->left = 2;
  }
  return p->value[--p->left];
}

/* ---- Multinomial: the inverse of the cumulative distribution, by bisection. */

typedef struct multinomial_job {
  philox stream;
  const tfc_tensor* logits;
  tfc_tensor* out;
  double* cumulative; /* batch rows of it */
  int64_t classes, samples;
} multinomial_job;

/* Fills a row of unnormalised cumulative probabilities; returns their total, 0 if no class can be
 * drawn. Classes with logit -inf or NaN have none; those with +inf share all. */
static double cumulate(const tfc_tensor* logits, int64_t first, int64_t classes, double* sums) {
  double highest = -INFINITY, total = 0;
  for (int64_t j = 0; j < classes; j++) {
    double x = read_real(logits, first + j);
    if (x > highest) highest = x;
  }
  for (int64_t j = 0; j < classes; j++) {
    double x = read_real(logits, first + j);
    if (highest == INFINITY)
      total += x == highest;
    else if (isfinite(x))
      total += exp(x - highest);
    sums[j] = total;
  }
  return total;
}

/* The number of entries that are not greater than x. */
static int64_t upper_bound(const double* sums, int64_t n, double x) {
  int64_t low = 0;
  while (n > 0) {
    int64_t half = n / 2;
    if (sums[low + half] <= x) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

static void multinomial_rows(void* arg, int64_t begin, int64_t end) {
  const multinomial_job* job = arg;
  for (int64_t b = begin; b < end; b++) {
    double* sums = job->cumulative + b * job->classes;
    double total = cumulate(job->logits, b * job->classes, job->classes, sums);
    uint64_t first = (uint64_t)(b * job->samples); /* number of the sample: half a block each */
    philox_reader r;
    philox_read_from(&r, &job->stream, first / 2);
    if (first % 2) philox_next_double(&r);
    for (int64_t j = 0; j < job->samples; j++) {
      double found = (double)upper_bound(sums, job->classes, philox_next_double(&r) * total);
      write_real(job->out, b * job->samples + j, found);
    }
  }
}

/* seed: the input with it; 0: the op has a state. */
static int draw_classes(tfc_context* ctx, int seed) {
  const tfc_tensor *logits = ctx->inputs[0], *count = ctx->inputs[1];
  if (logits->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "logits should be a matrix, got shape %s",
                     tfc_shape_text(logits).text);
  if (count->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_samples should be a scalar, got shape %s",
                     tfc_shape_text(count).text);
  int64_t batch = logits->dims[0], classes = logits->dims[1], samples = tfc_index_at(count, 0);
  if (samples < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_samples should be nonnegative, got %lld",
                     (long long)samples);
  if (classes <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "num_classes should be positive, got %lld",
                     (long long)classes);
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){batch, samples}));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  double* cumulative = tfc_scratch(ctx, (size_t)logits->n * sizeof(double));
  if (!cumulative) return TFC_RESOURCE_EXHAUSTED;
  philox stream;
  if (seed) {
    TFC_TRY(tfc_random_stateless(ctx, seed, &stream));
  } else {
    const int64_t blocks = (samples + 3) / 4 * 4 * 2 * batch * BLOCKS_PER_SAMPLE;
    TFC_TRY(tfc_random_reserve(ctx, blocks, &stream));
  }
  multinomial_job job = {stream, logits, &ctx->outputs[0], cumulative, classes, samples};
  double ns = 10.0 * (double)classes + 15.0 * (double)samples;
  tfc_parallel_for(ctx, batch, ns, multinomial_rows, &job);
  for (int64_t b = 0; b < batch; b++)
    if (cumulative[(b + 1) * classes - 1] <= 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "logits[%lld] has no class to draw: all its values are -inf or NaN",
                       (long long)b);
  return TFC_OK;
}

static int multinomial(tfc_context* ctx) {
  return draw_classes(ctx, 0);
}

static int stateless_multinomial(tfc_context* ctx) {
  return draw_classes(ctx, 2);
}

/* ---- Samples for each element of a parameter tensor: the output has the wanted shape followed by
 * the parameter's. */

typedef double (*sample_fn)(philox_reader* r, const double* prepared, double highest);
typedef struct sample_job {
  philox stream;
  const tfc_tensor* parameter;
  tfc_tensor* out;
  sample_fn (*prepare)(double parameter, double* prepared);
  int64_t samples; /* for each parameter */
} sample_job;

static void sample_range(void* arg, int64_t begin, int64_t end) {
  const sample_job* job = arg;
  double prepared[5], highest = largest(job->out->dtype);
  sample_fn sample = NULL;
  for (int64_t i = begin; i < end; i++) {
    int64_t which = i / job->samples, number = i % job->samples;
    if (i == begin || number == 0)
      sample = job->prepare(read_real(job->parameter, which), prepared);
    philox_reader r;
    philox_read_from(&r, &job->stream, (uint64_t)i * BLOCKS_PER_SAMPLE);
    write_real(job->out, number * job->parameter->n + which, sample(&r, prepared, highest));
  }
}

static int sample(tfc_context* ctx, sample_fn (*prepare)(double, double*)) {
  const tfc_tensor* parameter = ctx->inputs[1];
  int rank;
  int64_t dims[TFC_MAX_RANK];
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  int64_t samples = tfc_count(rank, dims);
  if (rank + parameter->rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "the output would have rank %d, at most %d is supported",
                     rank + parameter->rank, TFC_MAX_RANK);
  for (int i = 0; i < parameter->rank; i++) dims[rank + i] = parameter->dims[i];
  TFC_TRY(tfc_output(ctx, 0, rank + parameter->rank, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  philox stream;
  TFC_TRY(tfc_random_reserve(ctx, samples * parameter->n * BLOCKS_PER_SAMPLE, &stream));
  sample_job job = {stream, parameter, &ctx->outputs[0], prepare, samples};
  tfc_parallel_for(ctx, ctx->outputs[0].n, 80, sample_range, &job);
  return TFC_OK;
}

/* Of a stream that inputs give: the wanted shape ends with the parameter's. */
static int sample_stateless(tfc_context* ctx, sample_fn (*prepare)(double, double*)) {
  const bool keyed = ctx->inputs[1]->dtype == TFC_UINT64;
  const tfc_tensor* parameter = ctx->inputs[keyed ? 4 : 2];
  parameter_shape shape = {0};
  philox stream;
  TFC_TRY((keyed ? tfc_random_keyed : tfc_random_stateless)(ctx, 1, &stream));
  broadcast_parameter(&shape, parameter);
  TFC_TRY(make_samples(ctx, &shape));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  sample_job job = {stream, parameter, &ctx->outputs[0], prepare, shape.samples};
  tfc_parallel_for(ctx, ctx->outputs[0].n, 80, sample_range, &job);
  return TFC_OK;
}

/* ---- RandomGamma: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000. */

enum { GAMMA_D, GAMMA_C, GAMMA_POWER };

static double exponential_sample(philox_reader* r, const double* prepared, double highest) {
  (void)prepared;
  (void)highest;
  pairs uniforms = {.left = 0};
  return -log1p(-next_uniform(r, &uniforms));
}
static double gamma_sample(philox_reader* r, const double* prepared, double highest) {
  (void)highest;
  const double d = prepared[GAMMA_D], c = prepared[GAMMA_C];
  pairs uniforms = {.left = 0}, normals = {.left = 0};
  for (;;) {
    double x = next_normal(r, &normals), v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    double u = next_uniform(r, &uniforms);
    /* The first test is cheap and decides nearly always. */
    if (u >= 1 - 0.0331 * (x * x) * (x * x) && log(u) >= 0.5 * x * x + d * (1 - v + log(v)))
      continue;
    double result = d * v;
    if (prepared[GAMMA_POWER] != 0)
      result *= pow(next_uniform(r, &uniforms), prepared[GAMMA_POWER]);
    return result;
  }
}
static double nan_sample(philox_reader* r, const double* prepared, double highest) {
  (void)r;
  (void)prepared;
  (void)highest;
  return NAN;
}
/* For alpha < 1: gamma(alpha) is gamma(alpha + 1) times u^(1/alpha). */
static sample_fn prepare_gamma(double alpha, double* prepared) {
  if (alpha == 1.0) return exponential_sample;
  if (!(alpha > 0) || isinf(alpha)) return nan_sample;
  prepared[GAMMA_D] = alpha + (alpha < 1 ? 2.0 / 3 : -1.0 / 3);
  prepared[GAMMA_C] = 1.0 / 3 / sqrt(prepared[GAMMA_D]);
  prepared[GAMMA_POWER] = alpha < 1 ? 1 / alpha : 0;
  return gamma_sample;
}
static int random_gamma(tfc_context* ctx) {
  return sample(ctx, prepare_gamma);
}

static int stateless_gamma(tfc_context* ctx) {
  return sample_stateless(ctx, prepare_gamma);
}

/* ---- RandomPoisson: Knuth's product of uniforms for small rates, for others transformed rejection
 * (Hoermann, "The transformed rejection method for generating Poisson random variables", 1993). */

enum { POISSON_RATE, POISSON_A, POISSON_B, POISSON_INVERSE_ALPHA, POISSON_LOG_RATE };

static double poisson_by_product(philox_reader* r, const double* prepared, double highest) {
  pairs uniforms = {.left = 0};
  double product = 1, k = 0, limit = prepared[POISSON_RATE]; /* e^-rate */
  for (;;) {
    product *= next_uniform(r, &uniforms);
    if (product <= limit && k <= highest) return k;
    k += 1;
  }
}
static double poisson_by_rejection(philox_reader* r, const double* prepared, double highest) {
  const double rate = prepared[POISSON_RATE], a = prepared[POISSON_A], b = prepared[POISSON_B];
  pairs uniforms = {.left = 0};
  for (int tries = 0; tries < 10000; tries++) {
    double u = next_uniform(r, &uniforms) - 0.5, v = next_uniform(r, &uniforms);
    double shifted = 0.5 - fabs(u);
    double k = floor((2 * a / shifted + b) * u + rate + 0.43);
    if (k > highest) continue; /* does not fit in the output type */
    if (shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (shifted < 0.013 && v > shifted)) continue;
    double s = log(v * prepared[POISSON_INVERSE_ALPHA] / (a / (shifted * shifted) + b));
    if (s <= -rate + k * prepared[POISSON_LOG_RATE] - lgamma(k + 1)) return k;
  }
  return highest; /* the rate is far beyond the output type */
}
static sample_fn prepare_poisson(double rate, double* prepared) {
  if (!(rate >= 0) || isinf(rate)) return nan_sample;
  prepared[POISSON_RATE] = rate < 10 ? exp(-rate) : rate;
  if (rate < 10) return poisson_by_product;
  double b = 0.931 + 2.53 * sqrt(rate);
  prepared[POISSON_B] = b;
  prepared[POISSON_A] = -0.059 + 0.02483 * b;
  prepared[POISSON_INVERSE_ALPHA] = 1.1239 + 1.1328 / (b - 3.4);
  prepared[POISSON_LOG_RATE] = log(rate);
  return poisson_by_rejection;
}
static int random_poisson(tfc_context* ctx) {
  return sample(ctx, prepare_poisson);
}
static int stateless_poisson(tfc_context* ctx) {
  return sample_stateless(ctx, prepare_poisson);
}

#define TYPES_SAMPLED TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_INDICES

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Multinomial", "", multinomial, .create = tfc_random_create,
            .destroy = tfc_random_destroy, .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("StatelessMultinomial", "", stateless_multinomial),
    TFC_ROW("RandomGamma", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16, random_gamma,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("RandomPoisson", "dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16, random_poisson,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("RandomPoissonV2",
            "R=" TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_INDICES
            ";dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_INDICES,
            random_poisson, .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("StatelessRandomGammaV2", "dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16, stateless_gamma),
    TFC_ROW("StatelessRandomGammaV3", "dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16, stateless_gamma),
    TFC_ROW("StatelessRandomPoisson", "Rtype=" TYPES_SAMPLED ";dtype=" TYPES_SAMPLED,
            stateless_poisson),
};
TFC_REGISTER_KERNELS(kernels);
