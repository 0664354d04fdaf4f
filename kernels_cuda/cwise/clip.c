/* ClipByValue. */
#include "kernels_c/cwise/clip.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/clip", c->op_type, state);
}

static int compute_ClipByValue(tfc_context* ctx) {
  const cwise_state* s = ctx->state;
  const tfc_tensor *t = ctx->inputs[0], *low = ctx->inputs[1], *high = ctx->inputs[2];
  static const int first[] = {0};
  TFC_TRY(tfc_clip_check(ctx));
  TFC_TRY(tfc_output_forward(ctx, 0, t->rank, t->dims, 1, first));
  const cwise_clip_params p = {.x = t->data,
                               .low = low->data,
                               .high = high->data,
                               .y = ctx->outputs[0].data,
                               .n = t->n,
                               .low_step = low->rank != 0,
                               .high_step = high->rank != 0};
  return TFC_LAUNCH(ctx, s->function, cwise_clip, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ClipByValue", "T=" TFC_TYPES_REALS, compute_ClipByValue, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
