/* The shapes of reductions: which dimensions are reduced, and what is left. */
#ifndef TFCORE_REDUCE_AXES_H
#define TFCORE_REDUCE_AXES_H

#include "kernels_c/array/array.h"

/* A shape as runs of kept and reduced dimensions, which alternate; sizes of 1 are left out. */
typedef struct tfc_runs {
  int n;
  int64_t dims[TFC_MAX_RANK + 1];
  bool reduced[TFC_MAX_RANK + 1];
} tfc_runs;

static inline void tfc_add_run(tfc_runs* r, int64_t dim, bool reduced) {
  if (dim == 1) return;
  if (r->n && r->reduced[r->n - 1] == reduced) {
    r->dims[r->n - 1] *= dim;
  } else {
    r->dims[r->n] = dim;
    r->reduced[r->n++] = reduced;
  }
}

static inline bool tfc_any_reduced(const tfc_runs* r) {
  return r->n > 1 || (r->n == 1 && r->reduced[0]);
}

/* The shape seen as [outer][n][inner]; the middle is the innermost reduced run, number `at`. */
typedef struct tfc_reduce_stage {
  int at;
  int64_t outer, n, inner;
} tfc_reduce_stage;
static inline tfc_reduce_stage tfc_next_stage(const tfc_runs* r) {
  const int at = r->reduced[r->n - 1] ? r->n - 1 : r->n - 2;
  return (tfc_reduce_stage){.at = at,
                            .outer = tfc_product(at, r->dims),
                            .n = r->dims[at],
                            .inner = at == r->n - 1 ? 1 : r->dims[r->n - 1]};
}
static inline void tfc_drop_run(tfc_runs* r, int at) {
  tfc_runs left = {.n = 0};
  for (int i = 0; i < r->n; i++)
    if (i != at) tfc_add_run(&left, r->dims[i], r->reduced[i]);
  *r = left;
}

/* ---- Arguments. */

static inline int tfc_read_axes(tfc_context* ctx, bool* reduced) {
  const tfc_tensor *x = ctx->inputs[0], *axes = ctx->inputs[1];
  if (axes->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "reduction indices must be a scalar or a vector, got shape %s",
                     tfc_shape_text(axes).text);
  for (int i = 0; i < axes->n; i++) {
    int64_t d = tfc_index_at(axes, i);
    if (d < -x->rank || d >= x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid reduction dimension (%lld for input with %d dimension(s)",
                       (long long)d, x->rank);
    if (d < 0) d += x->rank;
    if (reduced[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Invalid reduction arguments: Axes contains duplicate dimension: %lld",
                       (long long)d);
    reduced[d] = true;
  }
  return TFC_OK;
}

typedef struct tfc_reduce_shape {
  bool reduced[TFC_MAX_RANK]; /* dimensions of the input */
  int rank;                   /* of the output */
  int64_t dims[TFC_MAX_RANK];
  int64_t count; /* elements behind each element of the output */
  tfc_runs runs;
} tfc_reduce_shape;

static inline int tfc_read_reduce_shape(tfc_context* ctx, bool keep_dims, tfc_reduce_shape* s) {
  const tfc_tensor* x = ctx->inputs[0];
  *s = (tfc_reduce_shape){.count = 1};
  TFC_TRY(tfc_read_axes(ctx, s->reduced));
  for (int i = 0; i < x->rank; i++) {
    const bool reduced = s->reduced[i];
    if (reduced) s->count *= x->dims[i];
    if (!reduced || keep_dims) s->dims[s->rank++] = reduced ? 1 : x->dims[i];
    tfc_add_run(&s->runs, x->dims[i], reduced);
  }
  return TFC_OK;
}

#endif /* TFCORE_REDUCE_AXES_H */
