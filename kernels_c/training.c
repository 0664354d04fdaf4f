/* The Apply and SparseApply kernels of all optimizers.
 *
 * An optimizer is one row of the table `rules`: its arguments in the order of the op, how many of
 * them are variables, and the function of training_rules.h that updates a stretch of elements.
 * Dense and sparse kernels run the same function, on the whole variable in pieces or on one row per
 * index; half and bfloat16 go through float in blocks. */
#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "state.h"

enum { USE_NESTEROV = 1, UPDATE_SLOTS = 2, MULTIPLY_BY_LR = 4 };
enum { MAX_SLOTS = 4, MAX_SCALARS = 6, MAX_ARGS = 11, BLOCK = 512 };

#define REAL float
#define RULE(NAME) NAME##_float
#define SQRT sqrtf
#define POW powf
#define EXP expf
#define FABS fabsf
#include "training_rules.h"

#define REAL double
#define RULE(NAME) NAME##_double
#define SQRT sqrt
#define POW pow
#define EXP exp
#define FABS fabs
#include "training_rules.h"

typedef void (*float_rule)(const float*, unsigned, float* const*, const float*, int64_t);
typedef void (*double_rule)(const double*, unsigned, double* const*, const double*, int64_t);

typedef struct {
  const char* op; /* without "Sparse" */
  int slots;      /* the first arguments: the variable and its slots */
  float_rule run_float;
  double_rule run_double;
  const char* args[MAX_ARGS]; /* of the dense op; the sparse one has indices after the gradient */
} training_rule;

#define BOTH(NAME) NAME##_float, NAME##_double

static const training_rule rules[] = {
    {"ApplyGradientDescent", 1, BOTH(gradient_descent), {"var", "alpha", "delta"}},
    {"ApplyMomentum", 2, BOTH(momentum), {"var", "accum", "lr", "grad", "momentum"}},
    {"ApplyAdagrad", 2, BOTH(adagrad), {"var", "accum", "lr", "grad"}},
    {"ApplyAdagradV2", 2, BOTH(adagrad_v2), {"var", "accum", "lr", "epsilon", "grad"}},
    {"ApplyAdadelta",
     3,
     BOTH(adadelta),
     {"var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"}},
    {"ApplyAdam",
     3,
     BOTH(adam),
     {"var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"}},
    {"ApplyAdaMax",
     3,
     BOTH(adamax),
     {"var", "m", "v", "beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"}},
    {"ApplyRMSProp",
     3,
     BOTH(rms_prop),
     {"var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}},
    {"ApplyCenteredRMSProp",
     4,
     BOTH(centered_rms_prop),
     {"var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}},
    {"ApplyFtrl", 3, BOTH(ftrl), {"var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"}},
    {"ApplyFtrlV2",
     3,
     BOTH(ftrl_v2),
     {"var", "accum", "linear", "grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"}},
    {"ApplyProximalAdagrad", 2, BOTH(proximal_adagrad), {"var", "accum", "lr", "l1", "l2", "grad"}},
    {"ApplyProximalGradientDescent",
     1,
     BOTH(proximal_gradient_descent),
     {"var", "alpha", "l1", "l2", "delta"}},
    {"ApplyAdagradDA",
     3,
     BOTH(adagrad_da),
     {"var", "gradient_accumulator", "gradient_squared_accumulator", "grad", "lr", "l1", "l2",
      "global_step"}},
    {"ApplyAddSign", 2, BOTH(add_sign), {"var", "m", "lr", "alpha", "sign_decay", "beta", "grad"}},
    {"ApplyPowerSign",
     2,
     BOTH(power_sign),
     {"var", "m", "lr", "logbase", "sign_decay", "beta", "grad"}},
};

/* The result of create(). */
typedef struct {
  const training_rule* rule;
  unsigned flags;
  bool sparse;
  int grad; /* index of the gradient input; the indices follow it */
} training_state;

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
    for (int k = 0; k < st->rule->slots; k++) {
      tfc_widen(job->dtype, job->slot[k] + 2 * (at + done), value[k], count);
    }
    st->rule->run_float(job->scalars_float, st->flags, slot, grad, count);
    for (int k = 0; k < st->rule->slots; k++) {
      tfc_narrow(job->dtype, value[k], job->slot[k] + 2 * (at + done), count);
    }
  }
}

/* Updates n elements from element `at` of the variable on, with gradients from `grad_at` on. */
static void run_stretch(const training_job* job, int64_t at, int64_t grad_at, int64_t n) {
  const training_state* st = job->state;
  if (job->dtype == TFC_FLOAT) {
    float* slot[MAX_SLOTS];
    for (int k = 0; k < st->rule->slots; k++) slot[k] = (float*)job->slot[k] + at;
    st->rule->run_float(job->scalars_float, st->flags, slot, (const float*)job->grad + grad_at, n);
  } else if (job->dtype == TFC_DOUBLE) {
    double* slot[MAX_SLOTS];
    for (int k = 0; k < st->rule->slots; k++) slot[k] = (double*)job->slot[k] + at;
    st->rule->run_double(job->scalars_double, st->flags, slot, (const double*)job->grad + grad_at,
                         n);
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
    if (row >= first && row < last) run_stretch(job, row * job->row, i * job->row, job->row);
  }
}

static void run_parts(void* arg, int64_t begin, int64_t end) {
  const training_job* job = arg;
  run_rows(job, job->rows * begin / job->parts, job->rows * end / job->parts);
}

/* ---- Checks. */

static int check_scalar(tfc_context* ctx, const char* name, const tfc_tensor* t) {
  if (t->rank == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s is not a scalar: %s", name,
                   tfc_shape_text(t).text);
}

static double scalar_value(const tfc_tensor* t) {
  switch (t->dtype) {
    case TFC_DOUBLE: return *(const double*)t->data;
    case TFC_INT64: return (double)*(const int64_t*)t->data;
    case TFC_HALF: return tfc_half_to_float(*(const tfc_half*)t->data);
    case TFC_BFLOAT16: return tfc_bfloat16_to_float(*(const tfc_bfloat16*)t->data);
    default: return *(const float*)t->data;
  }
}

/* The scalar inputs, before and after the gradient. */
static int read_scalars(tfc_context* ctx, training_job* job) {
  const training_state* st = job->state;
  int n = 0;
  for (int i = st->rule->slots; i < ctx->n_inputs; i++) {
    if (i == st->grad || (st->sparse && i == st->grad + 1)) continue;
    const char* name = st->rule->args[st->sparse && i > st->grad ? i - 1 : i];
    const int code = check_scalar(ctx, name, ctx->inputs[i]);
    if (code != TFC_OK) return code;
    job->scalars_double[n] = scalar_value(ctx->inputs[i]);
    job->scalars_float[n] = (float)job->scalars_double[n];
    n++;
  }
  return TFC_OK;
}

static int check_shapes(tfc_context* ctx, const training_job* job, tfc_tensor* const* slots) {
  const training_state* st = job->state;
  const tfc_tensor* grad = ctx->inputs[st->grad];
  for (int k = 1; k <= st->rule->slots; k++) {
    if (k == st->rule->slots && st->sparse) break;
    const tfc_tensor* other = k < st->rule->slots ? slots[k] : grad;
    if (tfc_same_shape(slots[0], other)) continue;
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and %s do not have the same shape%s %s",
                     st->rule->args[k < st->rule->slots ? k : st->grad],
                     tfc_shape_text(slots[0]).text, tfc_shape_text(other).text);
  }
  return TFC_OK;
}

static int check_sparse(tfc_context* ctx, const training_job* job, const tfc_tensor* var) {
  const tfc_tensor *grad = ctx->inputs[job->state->grad], *indices = job->indices;
  if (var->rank < 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var must be at least 1 dimensional");
  }
  if (indices->rank != 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be one-dimensional");
  }
  if (grad->rank != var->rank) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and grad must have the same rank: %s, %s",
                     tfc_shape_text(var).text, tfc_shape_text(grad).text);
  }
  for (int d = 1; d < var->rank; d++) {
    if (grad->dims[d] != var->dims[d]) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and grad must match in dimension %d", d);
    }
  }
  if (grad->dims[0] != indices->n) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "grad must be the same size as indices in the first dimension.");
  }
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t row = tfc_index_at(indices, i);
    if (row < 0 || row >= var->dims[0]) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Index %lld at offset %lld in indices is out of range", (long long)row,
                       (long long)i);
    }
  }
  return TFC_OK;
}

/* ---- The kernels. */

/* Rough cost of an element: it comes from and goes to memory. */
static double cost_ns(const training_job* job) {
  return 0.02 * (double)tfc_dtype_size(job->dtype) * (2 * job->state->rule->slots + 1);
}

static void update_dense(tfc_context* ctx, training_job* job, int64_t n) {
  if (n < 2048) {
    run_stretch(job, 0, 0, n);
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
  int code = check_shapes(ctx, job, slots);
  if (code == TFC_OK && st->sparse) code = check_sparse(ctx, job, slots[0]);
  if (code != TFC_OK || slots[0]->n == 0) return code;
  for (int k = 0; k < st->rule->slots; k++) job->slot[k] = slots[k]->data;
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
  if (code == TFC_OK) code = tfc_ref_lock(ctx, st->rule->slots, refs, TFC_REF_WRITE, slots);
  if (code != TFC_OK) return code;
  code = update_locked(ctx, &job, slots);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

static const training_rule* find_rule(const char* op) {
  for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
    if (!strcmp(rules[i].op, op)) return &rules[i];
  }
  return NULL;
}

static bool starts_with(const char* text, const char* start) {
  return !strncmp(text, start, strlen(start));
}

/* Reads the attribute that the op has, if any. */
static int read_flags(tfc_construction* c, training_state* st) {
  const char* op = st->rule->op;
  const char* name = NULL;
  unsigned flag = 0;
  if (starts_with(op, "ApplyMomentum") || (!st->sparse && !strcmp(op, "ApplyAdam"))) {
    name = "use_nesterov";
    flag = USE_NESTEROV;
  } else if (!strcmp(op, "ApplyAdagrad") || !strcmp(op, "ApplyAdagradV2")) {
    name = "update_slots";
    flag = UPDATE_SLOTS;
  } else if (starts_with(op, "ApplyFtrl")) {
    name = "multiply_linear_by_lr";
    flag = MULTIPLY_BY_LR;
  }
  bool on = false;
  const int code = name ? c->api->attr_bool(c, name, &on) : TFC_OK;
  st->flags = on ? flag : 0;
  return code;
}

static int training_create(tfc_construction* c, void** state) {
  training_state* st = calloc(1, sizeof *st);
  if (!st) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = st;
  st->sparse = starts_with(c->op_type, "Sparse");
  st->rule = find_rule(c->op_type + (st->sparse ? strlen("Sparse") : 0));
  if (!st->rule) return c->api->error(c, TFC_INTERNAL, "Not an optimizer: %s", c->op_type);
  for (int i = 0; i < MAX_ARGS && st->rule->args[i]; i++) {
    if (!strcmp(st->rule->args[i], "grad") || !strcmp(st->rule->args[i], "delta")) st->grad = i;
  }
  return read_flags(c, st);
}

#define DENSE(OP)                           \
  {.op = OP,                                \
   .device = "CPU",                         \
   .types = "T=float|double|half|bfloat16", \
   .compute = training_compute,             \
   .create = training_create,               \
   .destroy = free}
#define SPARSE(OP)                                               \
  {.op = OP,                                                     \
   .device = "CPU",                                              \
   .types = "T=float|double|half|bfloat16;Tindices=int32|int64", \
   .compute = training_compute,                                  \
   .create = training_create,                                    \
   .destroy = free}

static const tfc_kernel_def training_kernels[] = {
    DENSE("ApplyGradientDescent"),
    DENSE("ApplyMomentum"),
    SPARSE("SparseApplyMomentum"),
    DENSE("ApplyAdagrad"),
    SPARSE("SparseApplyAdagrad"),
    DENSE("ApplyAdagradV2"),
    SPARSE("SparseApplyAdagradV2"),
    DENSE("ApplyAdadelta"),
    SPARSE("SparseApplyAdadelta"),
    DENSE("ApplyAdam"),
    DENSE("ApplyAdaMax"),
    DENSE("ApplyRMSProp"),
    SPARSE("SparseApplyRMSProp"),
    DENSE("ApplyCenteredRMSProp"),
    SPARSE("SparseApplyCenteredRMSProp"),
    DENSE("ApplyFtrl"),
    SPARSE("SparseApplyFtrl"),
    DENSE("ApplyFtrlV2"),
    SPARSE("SparseApplyFtrlV2"),
    DENSE("ApplyProximalAdagrad"),
    SPARSE("SparseApplyProximalAdagrad"),
    DENSE("ApplyProximalGradientDescent"),
    SPARSE("SparseApplyProximalGradientDescent"),
    DENSE("ApplyAdagradDA"),
    SPARSE("SparseApplyAdagradDA"),
    DENSE("ApplyAddSign"),
    DENSE("ApplyPowerSign"),
};
TFC_REGISTER_KERNELS(training_kernels);
