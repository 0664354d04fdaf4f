/* AddN and AccumulateNV2. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

enum { MOST = 64 }; /* inputs of a launch */

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/nary", "AddN", state);
}

static int compute_AddN(tfc_context* ctx) {
  const cwise_state* s = ctx->state;
  TFC_TRY(tfc_want_same_shape(ctx));
  if (ctx->n_inputs == 1) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_sum_output(ctx));
  cwise_sum_params p = {.y = ctx->outputs[0].data, .n = ctx->inputs[0]->n};
  for (int k = 0; k < ctx->n_inputs;) {
    p.n_inputs = 0;
    if (k) p.inputs[p.n_inputs++] = p.y; /* the sum so far */
    while (k < ctx->n_inputs && p.n_inputs < MOST) p.inputs[p.n_inputs++] = ctx->inputs[k++]->data;
    TFC_TRY(TFC_LAUNCH(ctx, s->function, cwise_sum, &p));
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AddN", "T=" TFC_TYPES_REALS, compute_AddN, TFC_STATE(create)),
    TFC_ROW("AccumulateNV2", "T=" TFC_TYPES_REALS, compute_AddN, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
