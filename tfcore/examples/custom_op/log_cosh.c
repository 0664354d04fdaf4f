/* LogCosh: a smooth version of the absolute value, summed over the last axis.
 *
 *   loss[i] = sum_j log(cosh(scale * x[i, j])) / scale
 */
#include <math.h>
#include <stdlib.h>

#include "tfcore/kernel.h"

typedef struct job {
  const tfc_tensor* x;
  tfc_tensor* loss;
  int64_t columns;
  double scale;
} job;

/* Avoids overflow for large a and cancellation for small a. */
static double log_cosh(double a) {
  a = fabs(a);
  if (a >= 1) return a + log1p(exp(-2 * a)) - 0.69314718055994530942; /* - log(2) */
  double s = sinh(a / 2);
  return log1p(2 * s * s); /* cosh(a) = 1 + 2 sinh(a/2)^2 */
}

/* Rows [begin, end) of the output: a piece of a parallel loop. */
#define ROWS(NAME, TYPE)                                                           \
  static void NAME(void* arg, int64_t begin, int64_t end) {                        \
    const job* j = arg;                                                            \
    for (int64_t i = begin; i < end; i++) {                                        \
      const TYPE* row = (const TYPE*)j->x->data + i * j->columns;                  \
      double sum = 0;                                                              \
      for (int64_t k = 0; k < j->columns; k++) sum += log_cosh(j->scale * row[k]); \
      ((TYPE*)j->loss->data)[i] = (TYPE)(sum / j->scale);                          \
    }                                                                              \
  }
ROWS(rows_float, float)
ROWS(rows_double, double)

typedef struct state {
  double scale;
} state;

/* Runs once for each operation: decodes and checks attributes. */
static int create(tfc_construction* c, void** out) {
  double scale;
  int code = c->api->attr_float(c, "scale", &scale);
  if (code) return code;
  if (!(scale > 0))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "scale must be > 0, got %g", scale);
  state* s = malloc(sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  s->scale = scale;
  *out = s;
  return TFC_OK;
}

/* Runs once for each step, on any thread. */
static int compute(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "x must have at least one axis");
  int code = tfc_output(ctx, 0, x->rank - 1, x->dims);
  if (code) return code;
  job j = {x, &ctx->outputs[0], x->dims[x->rank - 1], ((state*)ctx->state)->scale};
  double ns_per_row = 20.0 * (double)j.columns;
  tfc_parallel_for(ctx, j.loss->n, ns_per_row, x->dtype == TFC_FLOAT ? rows_float : rows_double,
                   &j);
  return TFC_OK;
}

static const tfc_op_def ops[] = {
    {.name = "LogCosh",
     .inputs = "x: T",
     .outputs = "loss: T",
     .attrs = "scale: float = 1.0; T: {float, double}",
     .doc = "Sum of log(cosh(scale * x)) / scale over the last axis."},
};
TFC_REGISTER_OPS(ops);

static const tfc_kernel_def kernels[] = {
    {.op = "LogCosh",
     .device = "CPU",
     .types = "T=float|double",
     .compute = compute,
     .create = create,
     .destroy = free},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
