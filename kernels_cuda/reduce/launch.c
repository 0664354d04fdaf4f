/* Launches of reductions; see reduce/launch.h. */
#include "kernels_cuda/reduce/launch.h"

size_t tfc_accumulator_size(int32_t dtype) {
  if (dtype == TFC_BOOL) return 1;
  return dtype == TFC_FLOAT || tfc_is_16bit_float(dtype) ? 4 : 8;
}

/* The result of reducing nothing. */
static int launch_identity(tfc_context* ctx, const tfc_function* function, int32_t dtype, void* y,
                           int64_t n) {
  reduce_params p = {.y = y, .outer = n, .inner = 1};
  /* A mean of nothing is NaN, of integers 0. */
  p.divisor = !(dtype == TFC_DOUBLE || tfc_accumulator_size(dtype) == 4);
  reduce_plan(&p);
  return TFC_LAUNCH(ctx, function, reduce, &p);
}

int tfc_reduce_run(tfc_context* ctx, const tfc_function* function, int32_t dtype, const void* x,
                   void* y, tfc_runs* runs, int64_t count) {
  const size_t size = tfc_accumulator_size(dtype);
  if (count == 0) {
    int64_t n = 1;
    for (int i = 0; i < runs->n; i++) n *= runs->reduced[i] ? 1 : runs->dims[i];
    return launch_identity(ctx, function, dtype, y, n);
  }
  reduce_params p = {.x = x, .divisor = count};
  if (!tfc_any_reduced(runs)) { /* needed only for functions that change single values */
    runs->dims[runs->n] = 1;
    runs->reduced[runs->n++] = true;
  }
  while (tfc_any_reduced(runs)) {
    const tfc_reduce_stage stage = tfc_next_stage(runs);
    p.outer = stage.outer;
    p.reduced = stage.n;
    p.inner = stage.inner;
    reduce_plan(&p);
    if (p.chunks > 1)
      runs->dims[stage.at] = p.chunks;
    else
      tfc_drop_run(runs, stage.at);
    p.y_partial = tfc_any_reduced(runs);
    p.y = y;
    if (p.y_partial && !(p.y = tfc_scratch_items(ctx, p.outer * p.chunks * p.inner, size)))
      return TFC_RESOURCE_EXHAUSTED;
    TFC_TRY(TFC_LAUNCH(ctx, function, reduce, &p));
    p.x = p.y;
    p.x_partial = true;
  }
  return TFC_OK;
}

int tfc_reduce_partial(tfc_context* ctx, const tfc_function* function, const void* partial, void* y,
                       int64_t parts, int64_t n) {
  reduce_params p = {.x = partial,
                     .y = y,
                     .outer = 1,
                     .reduced = parts,
                     .inner = n,
                     .divisor = 1,
                     .x_partial = true};
  reduce_plan(&p);
  p.chunks = 1; /* the parts are few */
  return TFC_LAUNCH(ctx, function, reduce, &p);
}
