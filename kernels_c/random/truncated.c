/* ParameterizedTruncatedNormal, StatelessParameterizedTruncatedNormal: numbers of normal
 * distributions between bounds. half and bfloat16 are computed in float. */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/random/parameters.h"

enum {
  MOST_TRIES = 1000,
  BATCH = 100,
  CHUNK = 250 /* numbers of a stateless op that share a part of the stream */
};

typedef struct truncated_job {
  tfc_context* ctx;
  const tfc_tensor* parameters[4]; /* mean, standard deviation, smallest and largest number */
  philox stream;
  int64_t per_batch, n;  /* numbers of a batch, and all */
  parameter_shape shape; /* of the stateless op */
  void* y;
  int failure;
} truncated_job;

static void next_block(philox_word_stream* s, uint32_t* words) {
  philox_block(&s->blocks, words);
  s->blocks.block++;
}

/* Each batch has a part of the stream in which it does not run into the next one, so that no number
 * depends on threads. */
static int64_t blocks_before(int64_t batch, int64_t per_batch) {
  return batch * 2 * MOST_TRIES * (per_batch + 3) / 4;
}

static void uniforms_float(const uint32_t* words, float* to) {
  for (int i = 0; i < 4; i++)
    to[i] = tfc_float_from_bits((words[i] & 0x7fffffu) | 0x3f800000u) - 1.0f;
}
static void uniforms_double(const uint32_t* words, double* to) {
  for (int i = 0; i < 2; i++) to[i] = philox_double_of(words[2 * i], words[2 * i + 1]);
}
static void normals_float(const uint32_t* words, float* to) {
  philox_normals(words, to, 4);
}
static void normals_double(const uint32_t* words, double* to) {
  philox_normal_doubles(words, to, 2);
}

#define T float
#define PER 4
#define EXP expf
#define LOG logf
#define SQRT sqrtf
#define FINITE isfinite
#include "kernels_c/random/truncated_type.h"

#define T double
#define PER 2
#define EXP exp
#define LOG log
#define SQRT sqrt
#define FINITE isfinite
#include "kernels_c/random/truncated_type.h"

static const char* const names[] = {"means", "stddevs", "minvals", "maxvals"};

/* How the numbers are divided: by rows, or, if all have the same distribution, evenly. */
static int divide(tfc_context* ctx, truncated_job* j, int rank, const int64_t* dims,
                  int64_t* batches) {
  const tfc_tensor* const* p = j->parameters;
  for (int i = 0; i < 4; i++)
    if (p[i]->rank > 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input %s should be a scalar or vector, got shape: %s", names[i],
                       tfc_shape_text(p[i]).text);
  if (p[0]->n == 1 && p[1]->n == 1 && !p[2]->rank && !p[3]->rank) {
    j->per_batch = BATCH;
    *batches = (j->n + BATCH - 1) / BATCH;
    return TFC_OK;
  }
  for (int i = 0; i < 4; i++)
    if (p[i]->n != 1 && p[i]->n != dims[0])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input %s should have length 1 or shape[0], got shape: %s", names[i],
                       tfc_shape_text(p[i]).text);
  *batches = dims[0];
  j->per_batch = tfc_product(rank - 1, dims + 1);
  return TFC_OK;
}

static int check_failure(tfc_context* ctx, const truncated_job* j) {
  if (tfc_cancelled(ctx)) return TFC_CANCELLED;
  if (j->failure == TFC_INVALID_ARGUMENT) return tfc_error(ctx, j->failure, "Invalid parameters");
  if (j->failure)
    return tfc_error(ctx, j->failure,
                     "TruncatedNormal rejection sampler failed to accept a sample.");
  return TFC_OK;
}

static int truncated(tfc_context* ctx) {
  int rank;
  int64_t dims[TFC_MAX_RANK], batches = 0;
  truncated_job j = {.ctx = ctx};
  for (int i = 0; i < 4; i++) j.parameters[i] = ctx->inputs[1 + i];
  TFC_TRY(tfc_random_shape(ctx, 0, &rank, dims));
  if (rank == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape tensor must not be empty, got []");
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  j.n = out->n;
  TFC_TRY(divide(ctx, &j, rank, dims, &batches));
  TFC_TRY(tfc_random_reserve(ctx, blocks_before(batches, j.per_batch), &j.stream));
  if (j.n == 0) return TFC_OK;
  const bool small = tfc_is_16bit_float(out->dtype), wide = out->dtype == TFC_DOUBLE;
  j.y = small ? tfc_scratch_items(ctx, j.n, sizeof(float)) : out->data;
  if (!j.y) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, batches, 40 * (double)j.per_batch,
                   wide ? truncated_batches_double : truncated_batches_float, &j);
  TFC_TRY(check_failure(ctx, &j));
  if (small) tfc_narrow(out->dtype, j.y, out->data, j.n);
  return TFC_OK;
}

/* TensorFlow's threads take parts of the output whose sizes depend on their number; up to CHUNK
 * numbers, one takes all, and the values are the same here. */
static int stateless(tfc_context* ctx) {
  truncated_job j = {.ctx = ctx};
  TFC_TRY(tfc_random_stateless(ctx, 1, &j.stream));
  for (int i = 0; i < 4; i++) {
    j.parameters[i] = ctx->inputs[2 + i];
    if (!broadcast_parameter(&j.shape, j.parameters[i]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "means, stddevs, minvals, maxvals must have compatible batch dimensions: %s "
                       "vs. %s of %s",
                       tfc_dims_text(j.shape.rank, j.shape.dims).text,
                       tfc_shape_text(j.parameters[i]).text, names[i]);
  }
  TFC_TRY(make_samples(ctx, &j.shape));
  tfc_tensor* out = &ctx->outputs[0];
  j.n = out->n;
  if (j.n == 0) return TFC_OK;
  const bool small = tfc_is_16bit_float(out->dtype), wide = out->dtype == TFC_DOUBLE;
  j.y = small ? tfc_scratch_items(ctx, j.n, sizeof(float)) : out->data;
  if (!j.y) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, (j.n + CHUNK - 1) / CHUNK, 60.0 * CHUNK,
                   wide ? truncated_chunks_double : truncated_chunks_float, &j);
  TFC_TRY(check_failure(ctx, &j));
  if (small) tfc_narrow(out->dtype, j.y, out->data, j.n);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParameterizedTruncatedNormal", "dtype=" TFC_TYPES_FLOATS, truncated,
            .create = tfc_random_create, .destroy = tfc_random_destroy,
            .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("StatelessParameterizedTruncatedNormal", "dtype=" TFC_TYPES_FLOATS_BUT_BFLOAT16,
            stateless),
};
TFC_REGISTER_KERNELS(kernels);
