/* BiasAdd, BiasAddV1, BiasAddGrad: additions that broadcast along the channels, and sums over all
 * other dimensions. */
#include "bias.h"

#include "cwise_launch.h"
#include "reduce_launch.h"

typedef struct bias_state {
  cwise_state cwise;
  bool channels_first;
} bias_state;

/* BiasAddV1 has no attribute data_format. */
static int create_bias(tfc_construction* c, const char* module, const char* name, bool has_format,
                       void** state) {
  bias_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  if (has_format) TFC_TRY(tfc_bias_format(c, &s->channels_first));
  return tfc_find_function(c, module, name, c->input_dtypes[0] % TFC_REF, &s->cwise.function);
}
static int create_BiasAdd(tfc_construction* c, void** state) {
  return create_bias(c, "cwise_binary", "Add", true, state);
}
static int create_BiasAddV1(tfc_construction* c, void** state) {
  return create_bias(c, "cwise_binary", "Add", false, state);
}
static int create_BiasAddGrad(tfc_construction* c, void** state) {
  return create_bias(c, "reduce", "Sum", true, state);
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

#define BIAS(OP)                  \
  {.op = #OP,                     \
   .device = "GPU",               \
   .types = "T=" TFC_TYPES_REALS, \
   .compute = compute_##OP,       \
   .create = create_##OP,         \
   .destroy = free}
static const tfc_kernel_def biases[] = {
    BIAS(BiasAdd),
    BIAS(BiasAddGrad),
    {.op = "BiasAddV1",
     .device = "GPU",
     .types = "T=" TFC_TYPES_REALS,
     .compute = compute_BiasAdd,
     .create = create_BiasAddV1,
     .destroy = free},
};
TFC_REGISTER_KERNELS(biases);
