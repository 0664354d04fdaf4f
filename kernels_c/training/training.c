/* The Apply and SparseApply kernels of all optimizers.
 *
 * An optimizer is a row of the table in training/ops.c, which has its arguments, and one of the
 * table `rules`: the function of training/rules_type.h that updates a stretch of elements.
 * Dense and sparse kernels run the same function, on the whole variable in pieces or on one row per
 * index; half and bfloat16 go through float in blocks. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/training/names.h"
#include "kernels_c/training/ops.h"

enum { BLOCK = 512 };

#define T float
#define SQRT sqrtf
#define POW powf
#define EXP expf
#define FABS fabsf
#include "kernels_c/training/rules_type.h"

#define T double
#define SQRT sqrt
#define POW pow
#define EXP exp
#define FABS fabs
#include "kernels_c/training/rules_type.h"

typedef void (*float_rule)(const float*, unsigned, float* const*, const float*, int64_t);
typedef void (*double_rule)(const double*, unsigned, double* const*, const double*, int64_t);

typedef struct {
  float_rule run_float;
  double_rule run_double;
} training_rule;

#define BOTH(NAME) {NAME##_float, NAME##_double}

static const training_rule rules[OPTIMIZERS] = {
    [GRADIENT_DESCENT] = BOTH(gradient_descent),
    [MOMENTUM] = BOTH(momentum),
    [ADAGRAD] = BOTH(adagrad),
    [ADAGRAD_V2] = BOTH(adagrad_v2),
    [ADADELTA] = BOTH(adadelta),
    [ADAM] = BOTH(adam),
    [ADA_MAX] = BOTH(adamax),
    [RMSPROP] = BOTH(rms_prop),
    [CENTERED_RMSPROP] = BOTH(centered_rms_prop),
    [FTRL] = BOTH(ftrl),
    [FTRL_V2] = BOTH(ftrl_v2),
    [PROXIMAL_ADAGRAD] = BOTH(proximal_adagrad),
    [PROXIMAL_GRADIENT_DESCENT] = BOTH(proximal_gradient_descent),
    [ADAGRAD_DA] = BOTH(adagrad_da),
    [ADD_SIGN] = BOTH(add_sign),
    [POWER_SIGN] = BOTH(power_sign),
    [KERAS_MOMENTUM] = BOTH(keras_momentum),
    [ADAM_WITH_AMSGRAD] = BOTH(adam_with_amsgrad),
};

/* One update: on a variable as a whole, or on the rows that indices name. */
typedef struct {
  const training_state* state;
  int32_t dtype;
  double scalars_double[MAX_SCALARS];
  float scalars_float[MAX_SCALARS];
  char* slot[MAX_SLOTS];
  const char* grad;
  const tfc_tensor* indices; /* sparse only */
  int64_t rows, row;         /* rows of the variable, elements of a row */
  int64_t parts;
} training_job;

/* ---- A stretch of elements. */

static void run_half(const training_job* job, int64_t at, int64_t grad_at, int64_t n) {
  const training_state* st = job->state;
  float grad[BLOCK], value[MAX_SLOTS][BLOCK];
  float* const slot[MAX_SLOTS] = {value[0], value[1], value[2], value[3]};
  for (int64_t done = 0; done < n; done += BLOCK) {
    const int64_t count = n - done < BLOCK ? n - done : BLOCK;
    tfc_widen(job->dtype, job->grad + 2 * (grad_at + done), grad, count);
    for (int k = 0; k < st->slots; k++) {
      tfc_widen(job->dtype, job->slot[k] + 2 * (at + done), value[k], count);
    }
    rules[st->kind].run_float(job->scalars_float, st->flags, slot, grad, count);
    for (int k = 0; k < st->slots; k++) {
      tfc_narrow(job->dtype, value[k], job->slot[k] + 2 * (at + done), count);
    }
  }
}

/* Updates n elements from element `at` of the variable on, with gradients from `grad_at` on. */
static void run_stretch(const training_job* job, int64_t at, int64_t grad_at, int64_t n) {
  const training_state* st = job->state;
  if (job->dtype == TFC_FLOAT) {
    float* slot[MAX_SLOTS];
    for (int k = 0; k < st->slots; k++) slot[k] = (float*)job->slot[k] + at;
    rules[st->kind].run_float(job->scalars_float, st->flags, slot,
                              (const float*)job->grad + grad_at, n);
  } else if (job->dtype == TFC_DOUBLE) {
    double* slot[MAX_SLOTS];
    for (int k = 0; k < st->slots; k++) slot[k] = (double*)job->slot[k] + at;
    rules[st->kind].run_double(job->scalars_double, st->flags, slot,
                               (const double*)job->grad + grad_at, n);
  } else {
    run_half(job, at, grad_at, n);
  }
}

static void run_range(void* arg, int64_t begin, int64_t end) {
  run_stretch(arg, begin, begin, end - begin);
}

/* Updates the rows [first, last) of the variable; indices are applied in order, so that duplicates
 * have the same result for any number of threads. */
static void run_rows(const training_job* job, int64_t first, int64_t last) {
  for (int64_t i = 0; i < job->indices->n; i++) {
    const int64_t row = tfc_index_at(job->indices, i);
    if (row < first || row >= last) continue;
    run_stretch(job, row * job->row, i * job->row, job->row);
  }
}

static void run_parts(void* arg, int64_t begin, int64_t end) {
  const training_job* job = arg;
  run_rows(job, job->rows * begin / job->parts, job->rows * end / job->parts);
}

/* ---- Inputs. */

static double scalar_value(const tfc_tensor* t) {
  switch (t->dtype) {
    case TFC_DOUBLE: return *(const double*)t->data;
    case TFC_INT64: return (double)*(const int64_t*)t->data;
    case TFC_HALF: return tfc_half_to_float(*(const tfc_half*)t->data);
    case TFC_BFLOAT16: return tfc_bfloat16_to_float(*(const tfc_bfloat16*)t->data);
    default: return *(const float*)t->data;
  }
}

static int read_scalars(tfc_context* ctx, training_job* job) {
  const tfc_tensor* scalars[MAX_SCALARS];
  const int n = tfc_training_scalars(ctx, job->state, scalars);
  for (int i = 0; i < n; i++) {
    job->scalars_double[i] = scalar_value(scalars[i]);
    job->scalars_float[i] = (float)job->scalars_double[i];
  }
  return n < 0 ? -n : tfc_training_limits(ctx, job->state, job->scalars_double);
}

static int check_indices(tfc_context* ctx, const tfc_tensor* indices, int64_t rows) {
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t row = tfc_index_at(indices, i);
    if (row >= 0 && row < rows) continue;
    char text[128];
    tfc_training_index_text(text, sizeof text, row, i);
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
  }
  return TFC_OK;
}

/* ---- The kernels. */

/* Rough cost of an element: it comes from and goes to memory. */
static double cost_ns(const training_job* job) {
  return 0.02 * (double)tfc_dtype_size(job->dtype) * (2 * job->state->slots + 1);
}

static void update_dense(tfc_context* ctx, training_job* job, int64_t n) {
  if (n < 2048) {
    run_range(job, 0, n);
  } else {
    tfc_parallel_for(ctx, n, cost_ns(job), run_range, job);
  }
}

static void update_sparse(tfc_context* ctx, training_job* job) {
  const double work = (double)job->indices->n * (5 + cost_ns(job) * (double)job->row);
  if (work < 5e4 || job->rows < 64) {
    run_rows(job, 0, job->rows);
    return;
  }
  job->parts = ctx->api->max_threads(ctx);
  tfc_parallel_for(ctx, job->parts, work / (double)job->parts, run_parts, job);
}

static int update_locked(tfc_context* ctx, training_job* job, tfc_tensor* const* slots) {
  const training_state* st = job->state;
  int code = tfc_training_check(ctx, st, slots);
  if (code == TFC_OK && st->sparse) code = check_indices(ctx, job->indices, slots[0]->dims[0]);
  if (code != TFC_OK || slots[0]->n == 0) return code;
  for (int k = 0; k < st->slots; k++) job->slot[k] = slots[k]->data;
  if (st->sparse) {
    job->rows = slots[0]->dims[0];
    job->row = slots[0]->n / job->rows;
    update_sparse(ctx, job);
  } else {
    update_dense(ctx, job, slots[0]->n);
  }
  return TFC_OK;
}

static int training_compute(tfc_context* ctx) {
  static const int refs[MAX_SLOTS] = {0, 1, 2, 3};
  const training_state* st = ctx->state;
  const tfc_tensor* grad = ctx->inputs[st->grad];
  training_job job;
  tfc_tensor* slots[MAX_SLOTS];
  job.state = st;
  job.dtype = grad->dtype;
  job.grad = grad->data;
  job.indices = st->sparse ? ctx->inputs[st->grad + 1] : NULL;
  int code = read_scalars(ctx, &job);
  const unsigned rows = st->sparse ? tfc_ref_rows(st->grad + 1, false) : 0;
  if (code == TFC_OK) code = tfc_ref_lock(ctx, st->slots, refs, TFC_REF_WRITE | rows, slots);
  if (code != TFC_OK) return code;
  code = update_locked(ctx, &job, slots);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

static int training_create(tfc_construction* c, void** state) {
  training_state* st = calloc(1, sizeof *st);
  if (!st) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = st;
  return tfc_training_read(c, st);
}

#define DENSE(OP) TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS, training_compute, TFC_STATE(training_create)),
#define SPARSE(OP, DENSE_OP)                                                           \
  TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS ";Tindices=" TFC_TYPES_INDICES, training_compute, \
          TFC_STATE(training_create)),

static const tfc_kernel_def kernels[] = {
    TFC_OPTIMIZERS(DENSE, SPARSE) /* and on CPUs only: */
    TFC_ROW("_ApplyKerasMomentum", "T=" TFC_TYPES_FLOATS, training_compute,
            TFC_STATE(training_create)),
    TFC_ROW("_SparseApplyKerasMomentum", "T=" TFC_TYPES_FLOATS ";Tindices=" TFC_TYPES_INDICES,
            training_compute, TFC_STATE(training_create)),
    TFC_ROW("_ApplyAdamWithAmsgrad", "T=" TFC_TYPES_FLOATS, training_compute,
            TFC_STATE(training_create)),
};
TFC_REGISTER_KERNELS(kernels);
