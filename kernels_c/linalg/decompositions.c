/* QR decompositions. Singular values and eigenvalues: tfcore/core/registry/lapack.c. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"
#include "kernels_c/linalg/gemm.h"
#include "kernels_c/linalg/linalg.h"

enum {
  QR_WIDTH = 32, /* reflectors in a block */
  QR_SMALL = 16  /* up to so many reflectors, blocks do not pay */
};

typedef struct qr_job {
  tfc_context* ctx;
  const void* a;
  void *q, *r, *scratch;
  int64_t m, n, least, columns; /* of a; the number of reflectors; columns of q and rows of r */
  int64_t w_size, per_matrix;   /* elements of scratch */
  bool alone;                   /* there is one matrix, whose products may use all threads */
} qr_job;

typedef float _Complex complex64;
typedef double _Complex complex128;

#define T float
#define REAL float
#define CONJ(X) (X)
#define SIZE(X) fabsf(X)
#define GEMM gemm_float
#include "kernels_c/linalg/decompositions_type.h"

#define T double
#define REAL double
#define CONJ(X) (X)
#define SIZE(X) fabs(X)
#define GEMM gemm_double
#include "kernels_c/linalg/decompositions_type.h"

#define T complex64
#define REAL float
#define CONJ(X) conjf(X)
#define SIZE(X) (fabsf(crealf(X)) + fabsf(cimagf(X)))
#include "kernels_c/linalg/decompositions_type.h"

#define T complex128
#define REAL double
#define CONJ(X) conj(X)
#define SIZE(X) (fabs(creal(X)) + fabs(cimag(X)))
#include "kernels_c/linalg/decompositions_type.h"

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Factorises all matrices, of float, double or complex elements. */
static int run(tfc_context* ctx, qr_job* p, int64_t batch, int32_t dtype) {
  const tfc_range_fn work = PICK(dtype, qr_matrices);
  const int64_t widest = larger(p->n, p->columns);
  const bool small = p->least <= QR_SMALL;
  p->ctx = ctx;
  p->alone = batch == 1;
  p->w_size = small ? widest : 2 * QR_WIDTH * larger(widest, QR_WIDTH);
  p->per_matrix = p->m * p->n + p->least + p->w_size;
  if (!small) p->per_matrix += QR_WIDTH * (p->least + p->m);
  p->scratch = tfc_scratch(ctx, (size_t)(batch * p->per_matrix) * tfc_dtype_size(dtype));
  if (!p->scratch) return TFC_RESOURCE_EXHAUSTED;
  const double product = (double)p->m * (double)widest * (double)p->least;
  if (p->alone)
    work(p, 0, 1);
  else
    tfc_parallel_for(ctx, batch, 100 + (small ? 0.7 : 0.2) * product, work, p);
  return TFC_OK;
}

/* In float. */
static int run_half(tfc_context* ctx, qr_job* p, int64_t batch) {
  const int64_t a_size = batch * p->m * p->n, q_size = batch * p->m * p->columns;
  const int64_t r_size = batch * p->columns * p->n;
  tfc_half *q = p->q, *r = p->r;
  float* a = tfc_scratch(ctx, (size_t)(a_size + q_size + r_size) * sizeof(float));
  if (!a) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < a_size; i++) a[i] = tfc_half_to_float(((const tfc_half*)p->a)[i]);
  p->a = a;
  p->q = a + a_size;
  p->r = a + a_size + q_size;
  TFC_TRY(run(ctx, p, batch, TFC_FLOAT));
  for (int64_t i = 0; i < q_size; i++) q[i] = tfc_float_to_half(((const float*)p->q)[i]);
  for (int64_t i = 0; i < r_size; i++) r[i] = tfc_float_to_half(((const float*)p->r)[i]);
  return TFC_OK;
}

/* q of matrices without elements. */
static void fill_with_units(tfc_tensor* q, int64_t n) {
  const size_t size = tfc_dtype_size(q->dtype);
  memset(q->data, 0, (size_t)q->n * size);
  for (int64_t i = 0; i < q->n; i++)
    if (i % (n * n) % (n + 1) == 0) switch (q->dtype) {
        case TFC_HALF: ((tfc_half*)q->data)[i] = tfc_float_to_half(1); break;
        case TFC_FLOAT: ((float*)q->data)[i] = 1; break;
        case TFC_DOUBLE: ((double*)q->data)[i] = 1; break;
        case TFC_COMPLEX64: ((complex64*)q->data)[i] = 1; break;
        default: ((complex128*)q->data)[i] = 1;
      }
}

static int qr(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor 0 must have rank >= 2, got %d",
                     x->rank);
  const bool full = *(const bool*)ctx->state;
  qr_job p = {.a = x->data, .m = x->dims[x->rank - 2], .n = x->dims[x->rank - 1]};
  p.least = p.m < p.n ? p.m : p.n;
  p.columns = full ? p.m : p.least;
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[x->rank - 1] = p.columns;
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  dims[x->rank - 2] = p.columns;
  dims[x->rank - 1] = p.n;
  TFC_TRY(tfc_output(ctx, 1, x->rank, dims));
  p.q = ctx->outputs[0].data;
  p.r = ctx->outputs[1].data;
  if (x->n == 0) {
    if (ctx->outputs[0].n) fill_with_units(&ctx->outputs[0], p.m);
    return TFC_OK;
  }
  const int64_t batch = tfc_count(x->rank - 2, x->dims);
  return x->dtype == TFC_HALF ? run_half(ctx, &p, batch) : run(ctx, &p, batch, x->dtype);
}

static int fill_state(tfc_construction* c, void* full) {
  return c->api->attr_bool(c, "full_matrices", full);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(bool), fill_state, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Qr", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_COMPLEX, qr, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
