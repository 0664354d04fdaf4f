/* Cholesky and LU factorisations, determinants, inverses, systems of equations, least squares; of
 * batches of matrices. */
#include "kernels_c/linalg/linalg.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/linalg/gemm.h"

/* Columns that are factorised, or rows that are solved, between products; most rows of a product of
 * which only a triangle is wanted. */
enum { BLOCK_WIDTH = 64, BLOCK_ROWS = 128 };

/* Elements of scratch for the factor of an n x n matrix: a block, a column, and the rows below. */
static int64_t cholesky_scratch(int64_t n) {
  return (TFC_MIN(BLOCK_WIDTH, n) + 1) * n;
}

typedef struct linalg_step {
  tfc_context* ctx;     /* says when to stop: results no longer matter then */
  tfc_context* threads; /* NULL: there are several matrices, each on one thread */
} linalg_step;

typedef struct linalg_job {
  linalg_step step;
  const void *a, *b; /* matrices; right-hand sides, NULL for the identity */
  void *out, *logs, *scratch;
  int64_t* rows;
  int64_t n, m; /* size of the matrices, columns of the right-hand sides */
  bool adjoint, lower;
  int failed;
} linalg_job;

typedef struct linalg_attrs {
  bool adjoint, lower;
} linalg_attrs;

typedef struct ls_job {
  linalg_step step;
  const void *a, *b; /* m x n, m x k */
  void *out, *scratch;
  int64_t* columns;
  int64_t m, n, k, per_matrix; /* elements of scratch */
  double l2;
  bool fast;
  int failed;
} ls_job;

static void linalg_fail(linalg_job* p) {
  __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
}

typedef float _Complex complex64;
typedef double _Complex complex128;

#define T float
#define REAL float
#define EPSILON FLT_EPSILON
#define GEMM gemm_float
#define CONJ(X) (X)
#define SIZE(X) fabsf(X)
#define MAGNITUDE(X) fabsf(X)
#include "kernels_c/linalg/linalg_type.h"

#define T double
#define REAL double
#define EPSILON DBL_EPSILON
#define GEMM gemm_double
#define CONJ(X) (X)
#define SIZE(X) fabs(X)
#define MAGNITUDE(X) fabs(X)
#include "kernels_c/linalg/linalg_type.h"

#define T complex64
#define REAL float
#define EPSILON FLT_EPSILON
#define CONJ(X) conjf(X)
#define SIZE(X) (fabsf(crealf(X)) + fabsf(cimagf(X)))
#define MAGNITUDE(X) cabs((double _Complex)(X))
#include "kernels_c/linalg/linalg_type.h"

#define T complex128
#define REAL double
#define EPSILON DBL_EPSILON
#define CONJ(X) conj(X)
#define SIZE(X) (fabs(creal(X)) + fabs(cimag(X)))
#define MAGNITUDE(X) cabs(X)
#include "kernels_c/linalg/linalg_type.h"

/* ---- Checks */

static int want_right_sides(tfc_context* ctx, const tfc_tensor* a, const tfc_tensor* b) {
  bool fits = b->rank == a->rank;
  for (int i = 0; fits && i < a->rank - 1; i++) fits = a->dims[i] == b->dims[i];
  if (!fits)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input matrix and rhs are incompatible: %s and %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  return TFC_OK;
}

/* ---- Kernels */

/* Runs `work`, which needs `per_matrix` elements of scratch, for each matrix. */
static int run(tfc_context* ctx, linalg_job* p, tfc_range_fn work, int64_t per_matrix,
               const char* message) {
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t n = p->n, batch = tfc_count(x->rank - 2, x->dims);
  if (ctx->outputs[0].n == 0) return TFC_OK;
  p->scratch = tfc_scratch(ctx, (size_t)(batch * per_matrix + 1) * tfc_dtype_size(x->dtype));
  p->rows = tfc_scratch(ctx, (size_t)(batch * n + 1) * sizeof(int64_t));
  if (!p->scratch || !p->rows) return TFC_RESOURCE_EXHAUSTED;
  p->a = x->data;
  p->out = ctx->outputs[0].data;
  p->step = (linalg_step){.ctx = ctx, .threads = batch == 1 ? ctx : NULL};
  const double cost = (double)n * (double)n * (0.3 * (double)n + 0.5 * (double)p->m);
  if (batch == 1)
    work(p, 0, 1);
  else
    tfc_parallel_for(ctx, batch, 20 + cost, work, p);
  if (tfc_cancelled(ctx)) return TFC_CANCELLED;
  if (p->failed) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", message);
  return TFC_OK;
}

static int cholesky(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_square(ctx, x));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  linalg_job p = {.n = x->dims[x->rank - 1]};
  return run(ctx, &p, PICK(x->dtype, cholesky_matrices), cholesky_scratch(p.n),
             "Cholesky decomposition was not successful. The input might not be valid.");
}

static int cholesky_grad(tfc_context* ctx) {
  const tfc_tensor *l = ctx->inputs[0], *g = ctx->inputs[1];
  TFC_TRY(tfc_want_square(ctx, l));
  if (!tfc_same_shape(l, g))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Inputs must have the same shape, got %s and %s",
                     tfc_shape_text(l).text, tfc_shape_text(g).text);
  TFC_TRY(tfc_output_like(ctx, 0, l));
  linalg_job p = {.n = l->dims[l->rank - 1], .m = l->dims[l->rank - 1], .b = g->data};
  return run(ctx, &p, PICK(l->dtype, cholesky_gradients), 2 * p.n * p.n,
             "Input matrix is not invertible.");
}

static int determinant(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_square(ctx, x));
  TFC_TRY(tfc_output(ctx, 0, x->rank - 2, x->dims));
  linalg_job p = {.n = x->dims[x->rank - 1]};
  return run(ctx, &p, PICK(x->dtype, determinants), p.n * p.n, "");
}

static int log_determinant(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_want_square(ctx, x));
  TFC_TRY(tfc_output(ctx, 0, x->rank - 2, x->dims));
  TFC_TRY(tfc_output(ctx, 1, x->rank - 2, x->dims));
  linalg_job p = {.n = x->dims[x->rank - 1], .logs = ctx->outputs[1].data};
  return run(ctx, &p, PICK(x->dtype, log_determinants), p.n * p.n, "");
}

static int inverse(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const linalg_attrs* attrs = ctx->state;
  TFC_TRY(tfc_want_square(ctx, x));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  linalg_job p = {.n = x->dims[x->rank - 1], .m = x->dims[x->rank - 1], .adjoint = attrs->adjoint};
  return run(ctx, &p, PICK(x->dtype, solve_matrices), p.n * p.n, "Input is not invertible.");
}

static int solve_with(tfc_context* ctx, tfc_range_fn work) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  const linalg_attrs* attrs = ctx->state;
  TFC_TRY(tfc_want_square(ctx, a));
  TFC_TRY(want_right_sides(ctx, a, b));
  TFC_TRY(tfc_output_like(ctx, 0, b));
  linalg_job p = {.n = a->dims[a->rank - 1], .m = b->dims[b->rank - 1], .b = b->data};
  p.adjoint = attrs->adjoint;
  p.lower = attrs->lower;
  if (b->n == 0) return TFC_OK;
  return run(ctx, &p, work, p.n * p.n, "Input matrix is not invertible.");
}

static int solve(tfc_context* ctx) {
  return solve_with(ctx, PICK(ctx->inputs[0]->dtype, solve_matrices));
}

static int triangular_solve(tfc_context* ctx) {
  return solve_with(ctx, PICK(ctx->inputs[0]->dtype, solve_triangles));
}

static int lu(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor must have rank >= 2, got %d",
                     x->rank);
  if (x->dims[x->rank - 1] != x->dims[x->rank - 2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input matrix must be square, got shape %s",
                     tfc_shape_text(x).text);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(tfc_output(ctx, 1, x->rank - 1, x->dims));
  linalg_job p = {.n = x->dims[x->rank - 1]};
  if (x->n == 0) return TFC_OK;
  TFC_TRY(run(ctx, &p, PICK(x->dtype, factorize_matrices), 0, "Input is not invertible."));
  tfc_tensor* order = &ctx->outputs[1];
  for (int64_t i = 0; i < order->n; i++)
    if (order->dtype == TFC_INT64)
      ((int64_t*)order->data)[i] = p.rows[i];
    else
      ((int32_t*)order->data)[i] = (int32_t)p.rows[i];
  return TFC_OK;
}

/* ---- Least squares */

static int check_least_squares(tfc_context* ctx) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1], *l2 = ctx->inputs[2];
  if (l2->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "l2_regularizer must be scalar, got shape %s",
                     tfc_shape_text(l2).text);
  if (a->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got %d",
                     a->rank);
  if (a->rank != b->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "All input tensors must have the same rank, got %s and %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  for (int i = 0; i < a->rank - 1; i++)
    if (a->dims[i] != b->dims[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input matrix and rhs are incompatible: %s and %s", tfc_shape_text(a).text,
                       tfc_shape_text(b).text);
  return TFC_OK;
}

static int solve_least_squares(tfc_context* ctx) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  TFC_TRY(check_least_squares(ctx));
  ls_job p = {.step.ctx = ctx, .a = a->data, .b = b->data, .fast = ((const bool*)ctx->state)[0]};
  p.m = a->dims[a->rank - 2];
  p.n = a->dims[a->rank - 1];
  p.k = b->dims[b->rank - 1];
  const int64_t batch = tfc_count(a->rank - 2, a->dims), least = p.m < p.n ? p.m : p.n;
  double l2;
  memcpy(&l2, ctx->inputs[2]->data, sizeof l2);
  if (!(l2 >= 0))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "l2_regularizer must be >= 0, got %g", l2);
  p.l2 = l2;
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, b->dims, sizeof dims);
  dims[b->rank - 2] = p.n;
  TFC_TRY(tfc_output(ctx, 0, b->rank, dims));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  p.out = out->data;
  if (least == 0) { /* no equations: the shortest solution is 0 */
    memset(out->data, 0, (size_t)out->n * tfc_dtype_size(out->dtype));
    return TFC_OK;
  }
  const int64_t most = p.m + p.n - least, widest = most > p.k ? most : p.k;
  p.per_matrix = p.fast ? least * 2 * least + cholesky_scratch(least) + p.m * p.n + p.m * p.k
                        : p.m * p.n + least * (p.n + 2) + most * p.k + widest;
  p.scratch = tfc_scratch(ctx, (size_t)(batch * p.per_matrix) * tfc_dtype_size(a->dtype));
  p.columns = tfc_scratch(ctx, (size_t)(batch * p.n) * sizeof(int64_t));
  if (!p.scratch || !p.columns) return TFC_RESOURCE_EXHAUSTED;
  const double cost = (double)p.m * (double)p.n * (double)(least + p.k) * (p.fast ? 0.05 : 1);
  tfc_parallel_for(ctx, batch, 100 + cost, PICK(a->dtype, least_squares), &p);
  if (tfc_cancelled(ctx)) return TFC_CANCELLED;
  if (p.failed)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input matrix was rank deficient or ill-conditioned. Try setting fast=False "
                     "or provide a larger l2_regularizer > 0.");
  return TFC_OK;
}

static int create_least_squares(tfc_construction* c, void** state) {
  bool* fast = malloc(sizeof *fast);
  if (!fast) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  const int code = c->api->attr_bool(c, "fast", fast);
  if (code == TFC_OK)
    *state = fast;
  else
    free(fast);
  return code;
}

static int create(tfc_construction* c, void** state) {
  linalg_attrs attrs = {0};
  TFC_TRY(c->api->attr_bool(c, "adjoint", &attrs.adjoint));
  if (strstr(c->op_type, "Triangular")) TFC_TRY(c->api->attr_bool(c, "lower", &attrs.lower));
  if (!(*state = malloc(sizeof attrs)))
    return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  memcpy(*state, &attrs, sizeof attrs);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Cholesky", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, cholesky),
    TFC_ROW("BatchCholesky", "T=" TFC_TYPES_WIDE_FLOATS, cholesky),
    TFC_ROW("CholeskyGrad", "T=" TFC_TYPES_WIDE_FLOATS, cholesky_grad),
    TFC_ROW("BatchCholeskyGrad", "T=" TFC_TYPES_WIDE_FLOATS, cholesky_grad),
    TFC_ROW("MatrixDeterminant", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, determinant),
    TFC_ROW("BatchMatrixDeterminant", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX,
            determinant),
    TFC_ROW("LogMatrixDeterminant", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX,
            log_determinant),
    TFC_ROW("MatrixInverse", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, inverse,
            TFC_STATE(create)),
    TFC_ROW("BatchMatrixInverse", "T=" TFC_TYPES_WIDE_FLOATS, inverse, TFC_STATE(create)),
    TFC_ROW("MatrixSolve", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, solve,
            TFC_STATE(create)),
    TFC_ROW("BatchMatrixSolve", "T=" TFC_TYPES_WIDE_FLOATS, solve, TFC_STATE(create)),
    TFC_ROW("MatrixTriangularSolve", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX,
            triangular_solve, TFC_STATE(create)),
    TFC_ROW("BatchMatrixTriangularSolve", "T=" TFC_TYPES_WIDE_FLOATS, triangular_solve,
            TFC_STATE(create)),
    TFC_ROW("Lu", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, lu),
    TFC_ROW("MatrixSolveLs", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_COMPLEX, solve_least_squares,
            TFC_STATE(create_least_squares)),
    TFC_ROW("BatchMatrixSolveLs", "T=" TFC_TYPES_WIDE_FLOATS, solve_least_squares,
            TFC_STATE(create_least_squares)),
};
TFC_REGISTER_KERNELS(kernels);
