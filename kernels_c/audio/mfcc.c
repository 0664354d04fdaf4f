/* Mfcc: coefficients of sounds for the recognition of speech. A spectrogram's magnitudes are added
 * up in overlapping triangles, even on the mel scale of pitch; the logarithms of these sums get a
 * discrete cosine transform. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct mfcc_state {
  double low, high;                /* frequencies */
  int64_t triangles, coefficients; /* how many */
} mfcc_state;

typedef struct mfcc_run {
  tfc_context* ctx;
  const mfcc_state* state;
  const float* input;       /* [rows, bins], squared magnitudes */
  float* out;               /* [rows, coefficients] */
  int64_t bins, begin, end; /* bins in [begin, end) are used */
  bool too_short;           /* the spectrogram ends below the highest frequency */
  double* centers;          /* [triangles + 1], mel */
  int32_t* triangle; /* [bins]: whose falling side a bin lies on; -1: before the first center */
  double* falling;   /* [bins]: its height; the rising side of the next one has the rest */
  double* cosines;   /* [coefficients, triangles] */
  bool failed;
} mfcc_run;

/* ---- Tables. */

static double mel_of(double frequency) {
  return 1127 * log1p(frequency / 700);
}

static void place_bins(mfcc_run* r, double rate) {
  const mfcc_state* s = r->state;
  const double low = mel_of(s->low), step = (mel_of(s->high) - low) / (double)(s->triangles + 1);
  const double width = 0.5 * rate / (double)(r->bins - 1);
  const double begin = 1.5 + s->low / width, end = s->high / width;
  r->too_short = !(end < (double)r->bins);
  if (r->too_short) return;
  for (int64_t i = 0; i <= s->triangles; i++) r->centers[i] = low + step * (double)(i + 1);
  r->end = (int64_t)end + 1;
  r->begin = begin < (double)r->end ? (int64_t)begin : r->end;
  int64_t next = 0;
  for (int64_t i = r->begin; i < r->end; i++) {
    const double mel = mel_of((double)i * width);
    while (next < s->triangles && r->centers[next] < mel) next++;
    const double before = next ? r->centers[next - 1] : low;
    r->triangle[i] = (int32_t)(next - 1);
    r->falling[i] = (r->centers[next] - mel) / (r->centers[next] - before);
  }
}

static void fill_cosines(mfcc_run* r) {
  const mfcc_state* s = r->state;
  const double norm = sqrt(2.0 / (double)s->triangles), angle = M_PI / (double)s->triangles;
  for (int64_t i = 0; i < s->coefficients; i++)
    for (int64_t j = 0; j < s->triangles; j++)
      r->cosines[i * s->triangles + j] = norm * cos((double)i * angle * ((double)j + 0.5));
}

/* What is wrong with the numbers, or NULL. */
static const char* mistake(const mfcc_state* s, int64_t bins, int64_t rate) {
  if (s->triangles < 1) return "filterbank_channel_count must be positive";
  if (rate < 1) return "the sample rate must be positive";
  if (bins < 2) return "the channel count must be greater than 1";
  if (!(s->low >= 0)) return "lower_frequency_limit must not be negative";
  if (s->high <= s->low) return "upper_frequency_limit must be greater than lower_frequency_limit";
  if (s->coefficients < 1) return "dct_coefficient_count must be positive";
  if (s->coefficients > s->triangles)
    return "dct_coefficient_count must not be greater than filterbank_channel_count";
  return NULL;
}

static int make_tables(mfcc_run* r, int64_t rate) {
  const mfcc_state* s = r->state;
  const size_t triangles = (size_t)s->triangles, bins = (size_t)r->bins;
  r->centers = tfc_scratch(r->ctx, (triangles + 1) * sizeof *r->centers);
  r->triangle = tfc_scratch(r->ctx, bins * sizeof *r->triangle);
  r->falling = tfc_scratch(r->ctx, bins * sizeof *r->falling);
  if (!r->centers || !r->triangle || !r->falling) return TFC_RESOURCE_EXHAUSTED;
  place_bins(r, (double)rate);
  if (r->too_short) return TFC_OK;
  r->cosines = tfc_scratch(r->ctx, (size_t)s->coefficients * triangles * sizeof *r->cosines);
  if (!r->cosines) return TFC_RESOURCE_EXHAUSTED;
  fill_cosines(r);
  return TFC_OK;
}

/* ---- Rows. */

static void add_up(const mfcc_run* r, const float* row, double* sums) {
  for (int64_t j = 0; j < r->state->triangles; j++) sums[j] = 0;
  for (int64_t i = r->begin; i < r->end; i++) {
    const double magnitude = sqrt((double)row[i]), falling = magnitude * r->falling[i];
    const int64_t t = r->triangle[i];
    if (t >= 0) sums[t] += falling;
    if (t + 1 < r->state->triangles) sums[t + 1] += magnitude - falling;
  }
  for (int64_t j = 0; j < r->state->triangles; j++)
    sums[j] = log(sums[j] < 1e-12 ? 1e-12 : sums[j]); /* NaN stays */
}

static void row_range(void* arg, int64_t begin, int64_t end) {
  mfcc_run* r = arg;
  const int64_t triangles = r->state->triangles;
  double* sums = tfc_scratch(r->ctx, (size_t)triangles * sizeof *sums);
  if (!sums) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t i = begin; i < end; i++) {
    add_up(r, r->input + i * r->bins, sums);
    for (int64_t k = 0; k < r->state->coefficients; k++) {
      double sum = 0;
      for (int64_t j = 0; j < triangles; j++) sum += r->cosines[k * triangles + j] * sums[j];
      r->out[i * r->state->coefficients + k] = (float)sum;
    }
  }
}

/* ---- The kernel. */

static int mfcc(tfc_context* ctx) {
  const mfcc_state* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *rate_input = ctx->inputs[1];
  if (x->rank != 3) REFUSE("spectrogram must be 3-dimensional%s", tfc_shape_text(x).text);
  if (rate_input->rank)
    REFUSE("Input sample_rate should be a scalar tensor, got %s instead.",
           tfc_shape_text(rate_input).text);
  const int64_t rate = tfc_index_at(rate_input, 0), rows = x->dims[0] * x->dims[1];
  mfcc_run r = {.ctx = ctx, .state = s, .input = x->data, .bins = x->dims[2]};
  const char* wrong = mistake(s, r.bins, rate);
  if (wrong)
    REFUSE(
        "Mfcc initialization failed for channel count %lld, sample rate %lld and "
        "filterbank_channel_count %lld: %s",
        (long long)r.bins, (long long)rate, (long long)s->triangles, wrong);
  TFC_TRY(tfc_output(ctx, 0, 3, (int64_t[]){x->dims[0], x->dims[1], s->coefficients}));
  tfc_tensor* out = &ctx->outputs[0];
  if (!out->n) return TFC_OK;
  TFC_TRY(make_tables(&r, rate));
  if (r.too_short) { /* zeros, as in TensorFlow */
    memset(out->data, 0, (size_t)out->n * sizeof(float));
    return TFC_OK;
  }
  r.out = out->data;
  const double bins = (double)(r.end - r.begin), triangles = (double)s->triangles;
  tfc_parallel_for(ctx, rows, 6 * bins + triangles * (10 + (double)s->coefficients), row_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

static int read_attrs(tfc_construction* c, void* state) {
  mfcc_state* s = state;
  TFC_TRY(c->api->attr_float(c, "lower_frequency_limit", &s->low));
  TFC_TRY(c->api->attr_float(c, "upper_frequency_limit", &s->high));
  s->low = (float)s->low;
  s->high = (float)s->high;
  TFC_TRY(tfc_attr_int32(c, "filterbank_channel_count", &s->triangles));
  return tfc_attr_int32(c, "dct_coefficient_count", &s->coefficients);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(mfcc_state), read_attrs, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Mfcc", "", mfcc, TFC_STATE(create), .flags = TFC_KERNEL_LEAVES_LOOPS),
};
TFC_REGISTER_KERNELS(kernels);
