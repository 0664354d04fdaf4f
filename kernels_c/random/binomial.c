/* StatelessRandomBinomial: the algorithms of TensorFlow's CPU kernel, and the order in which they
 * take random numbers. */
#include <math.h>

#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/parameters.h"

enum {
  INVERSION_BLOCKS = 42, /* of a sample's part of the stream */
  REJECTION_BLOCKS = 256,
  MOST_NORMAL_MEAN = 10, /* from this expectation on, rejection */
  TAILS = 10
};

typedef struct binomial_job {
  philox stream;
  const tfc_tensor *counts, *probabilities;
  tfc_tensor* out;
  parameter_shape shape;
} binomial_job;

/* Numbers of a stream; the second of a block is taken first. */
typedef struct uniforms {
  philox_word_stream words;
  double second;
  bool has_second;
} uniforms;

static double next_uniform(uniforms* u) {
  if (!u->has_second) {
    uint32_t w[PHILOX_WORDS];
    for (int i = 0; i < PHILOX_WORDS; i++) w[i] = philox_next_word(&u->words);
    u->second = philox_double_of(w[0], w[1]);
    u->has_second = true;
    return philox_double_of(w[2], w[3]);
  }
  u->has_second = false;
  return u->second;
}

/* Counts the trials until each success. */
static double by_inversion(double count, double p, uniforms* u) {
  const double scale = log1p(-p);
  double trials = 0, successes = 0;
  for (;; successes++) {
    trials += ceil(log(next_uniform(u)) / scale);
    if (!(trials <= count)) return successes;
  }
}

/* log(k!) less Stirling's formula. */
static double stirling_tail(double k) {
  static const double tails[TAILS] = {0.0810614667953272,  0.0413406959554092, 0.0276779256849983,
                                      0.02079067210376509, 0.0166446911898211, 0.0138761288230707,
                                      0.0118967099458917,  0.0104112652619720, 0.00925546218271273,
                                      0.00833056343336287};
  if (k < TAILS) return tails[(int)k];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

/* W. Hoermann, "The generation of binomial random variates", J. Stat. Comput. Simul. 46, 1993. */
static double by_rejection(double count, double p, uniforms* uniform) {
  const double deviation = sqrt(count * p * (1 - p)), b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p, c = count * p + 0.5, inside = 0.92 - 4.2 / b;
  const double odds = p / (1 - p), alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = floor((count + 1) * p);
  for (;;) {
    const double u = next_uniform(uniform) - 0.5;
    double v = next_uniform(uniform);
    const double shifted = 0.5 - fabs(u), k = floor((2 * a / shifted + b) * u + c);
    if (shifted >= 0.07 && v <= inside) return k;
    if (!(k >= 0 && k <= count)) continue;
    v = log(v * alpha / (a / (shifted * shifted) + b));
    const double bound = (mode + 0.5) * log((mode + 1) / (odds * (count - mode + 1))) +
                         (count + 1) * log((count - mode + 1) / (count - k + 1)) +
                         (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) + stirling_tail(mode) +
                         stirling_tail(count - mode) - stirling_tail(k) - stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

/* As in the type of the parameters. */
static double rounded(double x, int32_t dtype) {
  return dtype == TFC_FLOAT  ? (double)(float)x
         : dtype == TFC_HALF ? (double)tfc_half_to_float(tfc_double_to_half(x))
                             : x;
}

static double sample(const binomial_job* job, int64_t i, double count, double p) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (isnan(p) || !(count < INFINITY)) return NAN;
  const int32_t dtype = job->counts->dtype;
  const bool mirrored = p > 0.5;
  if (mirrored) p = rounded(1 - p, dtype);
  const bool rejection = rounded(count * p, dtype) >= MOST_NORMAL_MEAN;
  uniforms u = {.words = {.blocks = job->stream, .used = PHILOX_WORDS}};
  u.words.blocks.block += (uint64_t)i * (rejection ? REJECTION_BLOCKS : INVERSION_BLOCKS);
  const double k = rejection ? by_rejection(count, p, &u) : by_inversion(count, p, &u);
  return mirrored ? count - k : k;
}

static void write_sample(tfc_tensor* t, int64_t i, double x) {
  switch (t->dtype) {
    case TFC_HALF: ((tfc_half*)t->data)[i] = tfc_double_to_half(x); break;
    case TFC_FLOAT: ((float*)t->data)[i] = (float)x; break;
    case TFC_DOUBLE: ((double*)t->data)[i] = x; break;
    case TFC_INT32: /* what does not fit is the nearest number, NaN 0 */
      ((int32_t*)t->data)[i] = isnan(x) ? 0 : x > INT32_MAX ? INT32_MAX : (int32_t)x;
      break;
    default: ((int64_t*)t->data)[i] = isnan(x) ? 0 : x >= 0x1p63 ? INT64_MAX : (int64_t)x;
  }
}

static void sample_range(void* arg, int64_t begin, int64_t end) {
  const binomial_job* job = arg;
  for (int64_t i = begin; i < end; i++) {
    const int64_t which = i / job->shape.samples, number = i % job->shape.samples;
    const double count =
        tfc_to_double(job->counts, parameter_place(&job->shape, job->counts, which));
    const double p =
        tfc_to_double(job->probabilities, parameter_place(&job->shape, job->probabilities, which));
    write_sample(job->out, number * job->shape.n + which, sample(job, i, count, p));
  }
}

static int binomial(tfc_context* ctx) {
  const bool keyed = ctx->inputs[1]->dtype == TFC_UINT64;
  const int first = keyed ? 4 : 2;
  binomial_job job = {.counts = ctx->inputs[first], .probabilities = ctx->inputs[first + 1]};
  TFC_TRY((keyed ? tfc_random_keyed : tfc_random_stateless)(ctx, 1, &job.stream));
  broadcast_parameter(&job.shape, job.counts);
  if (!broadcast_parameter(&job.shape, job.probabilities))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "counts and probs must have compatible batch dimensions: %s vs. %s",
                     tfc_shape_text(job.counts).text, tfc_shape_text(job.probabilities).text);
  TFC_TRY(make_samples(ctx, &job.shape));
  job.out = &ctx->outputs[0];
  if (job.out->n) tfc_parallel_for(ctx, job.out->n, 300, sample_range, &job);
  return TFC_OK;
}

#define TYPES \
  "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16 ";dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_INDICES

static const tfc_kernel_def kernels[] = {
    TFC_ROW("StatelessRandomBinomial", TYPES, binomial),
    TFC_ROW("_StatelessRandomBinomialV2", TYPES, binomial),
};
TFC_REGISTER_KERNELS(kernels);
