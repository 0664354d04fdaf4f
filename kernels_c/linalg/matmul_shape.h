/* The shapes of products of matrices, one or a batch. */
#ifndef TFCORE_MATMUL_SHAPE_H
#define TFCORE_MATMUL_SHAPE_H

#include "kernels_c/common/common.h"

/* The state of an operation: its attributes, as bits. */
enum { TRANSPOSE_A = 1, TRANSPOSE_B = 2 };

static inline int matmul_flags(tfc_construction* c, const char* a, const char* b, void** state) {
  bool transpose_a, transpose_b;
  TFC_TRY(c->api->attr_bool(c, a, &transpose_a));
  TFC_TRY(c->api->attr_bool(c, b, &transpose_b));
  *state = (void*)(intptr_t)((transpose_a ? TRANSPOSE_A : 0) | (transpose_b ? TRANSPOSE_B : 0));
  return TFC_OK;
}

typedef struct matmul_shape {
  int64_t m, n, k;
  int64_t a_rs, a_cs, b_rs, b_cs; /* strides inside a matrix */
  int rank;                       /* of the output */
  int64_t dims[TFC_MAX_RANK];
} matmul_shape;

/* Sizes and strides from the last two dims; false: the inner sizes differ. */
static inline bool matmul_sizes(const tfc_tensor* a, const tfc_tensor* b, int flags,
                                matmul_shape* s) {
  const int64_t *ad = a->dims + a->rank - 2, *bd = b->dims + b->rank - 2;
  const bool ta = flags & TRANSPOSE_A, tb = flags & TRANSPOSE_B;
  s->m = ad[ta];
  s->k = ad[!ta];
  s->n = bd[!tb];
  s->a_rs = ta ? 1 : ad[1];
  s->a_cs = ta ? ad[1] : 1;
  s->b_rs = tb ? 1 : bd[1];
  s->b_cs = tb ? bd[1] : 1;
  return s->k == bd[tb];
}

/* Fails if two matrices do not fit. */
static inline int matmul_fit_two(tfc_context* ctx, const tfc_tensor* a, const tfc_tensor* b,
                                 int flags, matmul_shape* s) {
  if (!matmul_sizes(a, b, flags, s))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Matrix size-incompatible: In[0]: %s, In[1]: %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text);
  s->rank = 2;
  s->dims[0] = s->m;
  s->dims[1] = s->n;
  return TFC_OK;
}

/* MatMul */
static inline int matmul_fit(tfc_context* ctx, int flags, matmul_shape* s) {
  for (int i = 0; i < 2; i++) {
    if (ctx->inputs[i]->rank != 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] is not a matrix. Instead it has shape %s",
                       i, tfc_shape_text(ctx->inputs[i]).text);
  }
  return matmul_fit_two(ctx, ctx->inputs[0], ctx->inputs[1], flags, s);
}

/* ---- BatchMatMul, BatchMatMulV2. */

/* The rest of a batch product's shape, with the batch dims in s->dims. */
static inline int matmul_finish_batch(tfc_context* ctx, int flags, int rank, matmul_shape* s) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (!matmul_sizes(x, y, flags, s))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Matrix size-incompatible: In[0]: %s%s, In[1]: %s%s", tfc_shape_text(x).text,
                     flags & TRANSPOSE_A ? " (adjoint)" : "", tfc_shape_text(y).text,
                     flags & TRANSPOSE_B ? " (adjoint)" : "");
  s->rank = rank + 2;
  s->dims[rank] = s->m;
  s->dims[rank + 1] = s->n;
  return TFC_OK;
}

static inline int matmul_fit_batch(tfc_context* ctx, int flags, matmul_shape* s) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (x->rank != y->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[0] and In[1] has different ndims: %s vs. %s",
                     tfc_shape_text(x).text, tfc_shape_text(y).text);
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[0] and In[1] ndims must be >= 2: %d", x->rank);
  for (int d = 0; d < x->rank - 2; d++) {
    if (x->dims[d] != y->dims[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "In[0].dim(%d) and In[1].dim(%d) must be the same: %s vs %s", d, d,
                       tfc_shape_text(x).text, tfc_shape_text(y).text);
    s->dims[d] = x->dims[d];
  }
  return matmul_finish_batch(ctx, flags, x->rank - 2, s);
}

/* Batch dims of the output; false: those of x and y do not fit. */
static inline bool matmul_batch_dims(const tfc_tensor* x, const tfc_tensor* y, int rank,
                                     int64_t* dims) {
  for (int d = 0; d < rank; d++) {
    const int dx = d - (rank - (x->rank - 2)), dy = d - (rank - (y->rank - 2));
    const int64_t nx = dx >= 0 ? x->dims[dx] : 1, ny = dy >= 0 ? y->dims[dy] : 1;
    if (nx != ny && nx != 1 && ny != 1) return false;
    dims[d] = nx == 1 ? ny : nx;
  }
  return true;
}

static inline int matmul_fit_batch_v2(tfc_context* ctx, int flags, matmul_shape* s) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  for (int i = 0; i < 2; i++) {
    if (ctx->inputs[i]->rank < 2)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] ndims must be >= 2: %d", i,
                       ctx->inputs[i]->rank);
  }
  const int rank = TFC_MAX(x->rank, y->rank) - 2;
  if (!matmul_batch_dims(x, y, rank, s->dims))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "In[0] and In[1] must have compatible batch dimensions: %s vs. %s",
                     tfc_shape_text(x).text, tfc_shape_text(y).text);
  return matmul_finish_batch(ctx, flags, rank, s);
}

/* Steps in matrices along `rank` batch dims of the output; 0 where t is broadcast. */
static inline void matmul_batch_strides(const tfc_tensor* t, int rank, int64_t* strides) {
  int64_t step = 1;
  for (int d = rank - 1; d >= 0; d--) {
    const int own = d - (rank - (t->rank - 2));
    const int64_t size = own >= 0 ? t->dims[own] : 1;
    strides[d] = size == 1 ? 0 : step;
    step *= size;
  }
}

#endif /* TFCORE_MATMUL_SHAPE_H */
