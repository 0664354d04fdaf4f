/* SdcaShrinkL1: weights of coordinate descent, moved towards 0 by L1 regularization. */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

static int fill(tfc_construction* c, void* state) {
  double l1, l2;
  TFC_TRY(c->api->attr_float(c, "l1", &l1));
  TFC_TRY(c->api->attr_float(c, "l2", &l2));
  *(float*)state = (float)l1 / (float)l2;
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(float), fill, state);
}

typedef struct shrink_job {
  float* weights;
  float by;
} shrink_job;

static void shrink_range(void* arg, int64_t begin, int64_t end) {
  const shrink_job* j = arg;
  for (int64_t i = begin; i < end; i++) {
    const float w = j->weights[i], left = fabsf(w) - j->by;
    const float sign = w > 0 ? 1.0f : w < 0 ? -1.0f : w; /* 0 and NaN stay */
    j->weights[i] = sign * (left > 0 ? left : 0.0f);
  }
}

static int shrink(tfc_context* ctx) {
  const int n = ctx->n_inputs;
  if (n == 0) return TFC_OK;
  int* refs = tfc_scratch_items(ctx, n, sizeof *refs);
  tfc_tensor** weights = tfc_scratch_items(ctx, n, sizeof *weights);
  if (!refs || !weights) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < n; i++) refs[i] = i;
  TFC_TRY(tfc_ref_lock(ctx, n, refs, TFC_REF_WRITE, weights));
  for (int i = 0; i < n; i++) {
    shrink_job j = {weights[i]->data, *(const float*)ctx->state};
    tfc_parallel_for(ctx, weights[i]->n, 0.5, shrink_range, &j);
  }
  tfc_ref_unlock(ctx);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SdcaShrinkL1", "", shrink, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
