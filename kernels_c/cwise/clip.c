/* ClipByValue: max(min(t, high), low), each limit a scalar or of t's shape. */
#include "kernels_c/cwise/clip.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/cwise.h"

typedef struct clip_run {
  const void *t, *low, *high;
  void* to;
  int64_t low_step, high_step;
  int32_t dtype;
} clip_run;

#define CLIP_LOOP(T)                                                    \
  {                                                                     \
    const T *t = r->t, *low = r->low, *high = r->high;                  \
    T* to = r->to;                                                      \
    for (int64_t i = begin; i < end; i++) {                             \
      T x = t[i], a = low[i * r->low_step], b = high[i * r->high_step]; \
      x = x > b ? b : x;                                                \
      to[i] = x < a ? a : x;                                            \
    }                                                                   \
  }
#define CLIP_CASE(DTYPE, T, NAME) \
  case DTYPE: CLIP_LOOP(T) break;
static void clip_range(void* arg, int64_t begin, int64_t end) {
  const clip_run* r = arg;
  switch (r->dtype) {
    TFC_FOR_REALS(CLIP_CASE)
    default: {
      const uint16_t *t = r->t, *low = r->low, *high = r->high;
      for (int64_t i = begin; i < end; i++) {
        float x = tfc_widen_one(r->dtype, t[i]);
        float a = tfc_widen_one(r->dtype, low[i * r->low_step]);
        float b = tfc_widen_one(r->dtype, high[i * r->high_step]);
        x = x > b ? b : x;
        x = x < a ? a : x;
        ((uint16_t*)r->to)[i] = tfc_narrow_one(r->dtype, x);
      }
    }
  }
}

static int compute_ClipByValue(tfc_context* ctx) {
  const tfc_tensor *t = ctx->inputs[0], *low = ctx->inputs[1], *high = ctx->inputs[2];
  static const int first[] = {0};
  TFC_TRY(tfc_clip_check(ctx));
  TFC_TRY(tfc_output_forward(ctx, 0, t->rank, t->dims, 1, first));
  clip_run r = {t->data,        low->data,       high->data, ctx->outputs[0].data,
                low->rank != 0, high->rank != 0, t->dtype};
  if (t->n < 16384)
    clip_range(&r, 0, t->n);
  else
    tfc_parallel_for(ctx, t->n, 0.6, clip_range, &r);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ClipByValue", "T=" TFC_TYPES_REALS, compute_ClipByValue),
};
TFC_REGISTER_KERNELS(kernels);
