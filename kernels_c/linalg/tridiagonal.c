/* TridiagonalSolve, TridiagonalMatMul: batches of tridiagonal matrices, given by their diagonals.
 */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/linalg/linalg.h"

typedef struct tridiagonal_attrs {
  bool pivoting, perturbs;
} tridiagonal_attrs;

typedef struct tridiagonal_job {
  const void *diagonals[3], *rhs; /* TridiagonalSolve has all three in the first */
  void *out, *scratch;
  int64_t n, m; /* size of the matrices, columns of the right-hand sides */
  tridiagonal_attrs attrs;
} tridiagonal_job;

typedef float _Complex complex64;
typedef double _Complex complex128;

#define T float
#define REAL float
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define MAGNITUDE(X) fabsf(X)
#include "kernels_c/linalg/tridiagonal_type.h"

#define T double
#define REAL double
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define MAGNITUDE(X) fabs(X)
#include "kernels_c/linalg/tridiagonal_type.h"

#define T complex64
#define REAL float
#define EPSILON FLT_EPSILON
#define SMALLEST FLT_MIN
#define MAGNITUDE(X) cabsf(X)
#include "kernels_c/linalg/tridiagonal_type.h"

#define T complex128
#define REAL double
#define EPSILON DBL_EPSILON
#define SMALLEST DBL_MIN
#define MAGNITUDE(X) cabs(X)
#include "kernels_c/linalg/tridiagonal_type.h"

static int check_batches(tfc_context* ctx, int n_inputs) {
  const tfc_tensor* first = ctx->inputs[0];
  for (int i = 0; i < n_inputs; i++) {
    const tfc_tensor* x = ctx->inputs[i];
    if (x->rank < 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor %d must have rank >= 2, got %d", i,
                       x->rank);
    if (x->rank != first->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "All input tensors must have the same rank, got %s and %s",
                       tfc_shape_text(first).text, tfc_shape_text(x).text);
    for (int j = 0; j < x->rank - 2; j++)
      if (x->dims[j] != first->dims[j])
        return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                         "All input tensors must have the same outer dimensions, got %s and %s",
                         tfc_shape_text(first).text, tfc_shape_text(x).text);
  }
  return TFC_OK;
}

static int solve(tfc_context* ctx) {
  TFC_TRY(check_batches(ctx, 2));
  const tfc_tensor *d = ctx->inputs[0], *rhs = ctx->inputs[1];
  const int64_t n = d->dims[d->rank - 1], rows = d->dims[d->rank - 2];
  if (rows != 3)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected diagonals to be provided as a matrix with 3 rows, got %lld rows.",
                     (long long)rows);
  if (rhs->dims[rhs->rank - 2] != n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected the same number of left-hand sides and right-hand sides, got %lld "
                     "and %lld.",
                     (long long)n, (long long)rhs->dims[rhs->rank - 2]);
  TFC_TRY(tfc_output_like(ctx, 0, rhs));
  if (rhs->n == 0) return TFC_OK;
  tridiagonal_job p = {.diagonals = {d->data}, .rhs = rhs->data, .out = ctx->outputs[0].data};
  p.n = n;
  p.m = rhs->dims[rhs->rank - 1];
  p.attrs = *(const tridiagonal_attrs*)ctx->state;
  p.scratch = tfc_scratch(ctx, (size_t)d->n * tfc_dtype_size(d->dtype));
  if (!p.scratch) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, d->n / (3 * n), 20 + (double)n * (10 + 4 * (double)p.m),
                   PICK(d->dtype, solve_tridiagonal), &p);
  return TFC_OK;
}

static int multiply(tfc_context* ctx) {
  static const char* const names[] = {"superdiagonal", "main diagonal", "subdiagonal"};
  TFC_TRY(check_batches(ctx, 4));
  const tfc_tensor* rhs = ctx->inputs[3];
  tridiagonal_job p = {.rhs = rhs->data, .n = rhs->dims[rhs->rank - 2]};
  for (int i = 0; i < 3; i++) {
    const tfc_tensor* d = ctx->inputs[i];
    if (d->dims[d->rank - 2] != 1 || d->dims[d->rank - 1] != p.n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid %s shape. It is %s for %lld rows.",
                       names[i], tfc_shape_text(d).text, (long long)p.n);
    p.diagonals[i] = d->data;
  }
  TFC_TRY(tfc_output_like(ctx, 0, rhs));
  if (rhs->n == 0) return TFC_OK;
  p.out = ctx->outputs[0].data;
  p.m = rhs->dims[rhs->rank - 1];
  tfc_parallel_for(ctx, rhs->n / (p.n * p.m), 20 + 2 * (double)p.n * (double)p.m,
                   PICK(rhs->dtype, multiply_tridiagonal), &p);
  return TFC_OK;
}

static int fill_state(tfc_construction* c, void* state) {
  tridiagonal_attrs* attrs = state;
  TFC_TRY(c->api->attr_bool(c, "partial_pivoting", &attrs->pivoting));
  TFC_TRY(c->api->attr_bool(c, "perturb_singular", &attrs->perturbs));
  if (attrs->perturbs && !attrs->pivoting)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Setting perturb_singular requires also setting partial_pivoting.");
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(tridiagonal_attrs), fill_state, state);
}

#define TYPES "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TridiagonalSolve", TYPES, solve, TFC_STATE(create)),
    TFC_ROW("TridiagonalMatMul", TYPES, multiply),
};
TFC_REGISTER_KERNELS(kernels);
