/* Cholesky and LU factorisations, determinants, inverses, systems of equations; of batches of
 * matrices. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"

typedef struct linalg_job {
  const void *a, *b; /* matrices; right-hand sides, NULL for the identity */
  void *out, *scratch;
  int64_t* rows;
  int64_t n, m; /* size of the matrices, columns of the right-hand sides */
  bool adjoint, lower;
  int failed;
} linalg_job;

typedef struct linalg_attrs {
  bool adjoint, lower;
} linalg_attrs;

static void linalg_fail(linalg_job* p) {
  __atomic_store_n(&p->failed, 1, __ATOMIC_RELAXED);
}

typedef float _Complex complex64;
typedef double _Complex complex128;

#define T float
#define REAL float
#define CONJ(X) (X)
#define SIZE(X) fabsf(X)
#include "kernels_c/linalg/linalg_type.h"

#define T double
#define REAL double
#define CONJ(X) (X)
#define SIZE(X) fabs(X)
#include "kernels_c/linalg/linalg_type.h"

#define T complex64
#define REAL float
#define CONJ(X) conjf(X)
#define SIZE(X) (fabsf(crealf(X)) + fabsf(cimagf(X)))
#include "kernels_c/linalg/linalg_type.h"

#define T complex128
#define REAL double
#define CONJ(X) conj(X)
#define SIZE(X) (fabs(creal(X)) + fabs(cimag(X)))
#include "kernels_c/linalg/linalg_type.h"

/* The function for an element type. */
#define PICK(DTYPE, NAME)                        \
  ((DTYPE) == TFC_FLOAT       ? NAME##_float     \
   : (DTYPE) == TFC_DOUBLE    ? NAME##_double    \
   : (DTYPE) == TFC_COMPLEX64 ? NAME##_complex64 \
                              : NAME##_complex128)

/* ---- Checks */

static int want_square(tfc_context* ctx, const tfc_tensor* x) {
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got shape %s",
                     tfc_shape_text(x).text);
  if (x->dims[x->rank - 1] != x->dims[x->rank - 2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input matrices must be squares, got %lld != %lld",
                     (long long)x->dims[x->rank - 2], (long long)x->dims[x->rank - 1]);
  return TFC_OK;
}

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
  if (batch == 0) return TFC_OK;
  p->scratch = tfc_scratch(ctx, (size_t)(batch * per_matrix + 1) * tfc_dtype_size(x->dtype));
  p->rows = tfc_scratch(ctx, (size_t)(batch * n + 1) * sizeof(int64_t));
  if (!p->scratch || !p->rows) return TFC_RESOURCE_EXHAUSTED;
  p->a = x->data;
  p->out = ctx->outputs[0].data;
  tfc_parallel_for(ctx, batch,
                   20.0 + (double)n * (double)n * (0.3 * (double)n + 0.5 * (double)p->m), work, p);
  if (p->failed) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", message);
  return TFC_OK;
}

static int cholesky(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(want_square(ctx, x));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  linalg_job p = {.n = x->dims[x->rank - 1]};
  return run(ctx, &p, PICK(x->dtype, cholesky_matrices), p.n,
             "Cholesky decomposition was not successful. The input might not be valid.");
}

static int cholesky_grad(tfc_context* ctx) {
  const tfc_tensor *l = ctx->inputs[0], *g = ctx->inputs[1];
  TFC_TRY(want_square(ctx, l));
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
  TFC_TRY(want_square(ctx, x));
  TFC_TRY(tfc_output(ctx, 0, x->rank - 2, x->dims));
  linalg_job p = {.n = x->dims[x->rank - 1]};
  return run(ctx, &p, PICK(x->dtype, determinants), p.n * p.n, "");
}

static int inverse(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const linalg_attrs* attrs = ctx->state;
  TFC_TRY(want_square(ctx, x));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  linalg_job p = {.n = x->dims[x->rank - 1], .m = x->dims[x->rank - 1], .adjoint = attrs->adjoint};
  return run(ctx, &p, PICK(x->dtype, solve_matrices), p.n * p.n, "Input is not invertible.");
}

static int solve_with(tfc_context* ctx, tfc_range_fn work) {
  const tfc_tensor *a = ctx->inputs[0], *b = ctx->inputs[1];
  const linalg_attrs* attrs = ctx->state;
  TFC_TRY(want_square(ctx, a));
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
};
TFC_REGISTER_KERNELS(kernels);
