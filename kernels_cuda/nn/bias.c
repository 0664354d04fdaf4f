/* BiasAdd, BiasAddV1, BiasAddGrad: additions that broadcast along the channels, and sums over all
 * other dimensions. */
#include "kernels_c/nn/bias.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"
#include "kernels_cuda/reduce/launch.h"

typedef struct bias_state {
  cwise_state cwise;
  bool channels_first;
} bias_state;

static int read_op(tfc_construction* c, void* state) {
  bias_state* s = state;
  const bool sums = !strcmp(c->op_type, "BiasAddGrad");
  const bool has_format = strcmp(c->op_type, "BiasAddV1") != 0;
  if (has_format) TFC_TRY(tfc_bias_format(c, &s->channels_first));
  return tfc_find_function(c, sums ? "reduce/reduce" : "cwise/binary", sums ? "Sum" : "Add",
                           c->input_dtypes[0] % TFC_REF, &s->cwise.function);
}
static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(bias_state), read_op, state);
}

static int compute_BiasAdd(tfc_context* ctx) {
  const bias_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  static const int value[] = {0};
  tfc_broadcast b;
  TFC_TRY(tfc_bias_broadcast(ctx, s->channels_first, &b));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, value));
  return tfc_cwise_run(ctx, &s->cwise, &b);
}

static int compute_BiasAddGrad(tfc_context* ctx) {
  const bias_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  int64_t view[3];
  tfc_runs runs = {.n = 0};
  TFC_TRY(tfc_bias_view(ctx, s->channels_first, view));
  TFC_TRY(tfc_output(ctx, 0, 1, &view[1]));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->n == 0) return TFC_OK;
  for (int i = 0; i < 3; i++) tfc_add_run(&runs, view[i], i != 1);
  return tfc_reduce_run(ctx, s->cwise.function, x->dtype, x->data, y->data, &runs, x->n / y->n);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BiasAdd", "T=" TFC_TYPES_REALS, compute_BiasAdd, TFC_STATE(create)),
    TFC_ROW("BiasAddV1", "T=" TFC_TYPES_REALS, compute_BiasAdd, TFC_STATE(create)),
    TFC_ROW("BiasAddGrad", "T=" TFC_TYPES_REALS, compute_BiasAddGrad, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
