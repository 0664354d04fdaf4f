/* Conv2D and its gradients. */
#include "kernels_cuda/conv/conv.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/conv/shape.h"
#include "kernels_cuda/common/window_launch.h"
#include "kernels_cuda/linalg/gemm_launch.h"

typedef struct launch_state {
  conv_state conv; /* first: the state of conv/shape.c, too */
  const tfc_function* functions[GEMM_TILES];
  const tfc_function* sum; /* of partial results */
} launch_state;

static int create(tfc_construction* c, void** state) {
  const int32_t dtype = c->output_dtypes[0] % TFC_REF;
  launch_state s = {.sum = NULL};
  TFC_TRY(conv_attrs_read(c, false, 0, &s.conv.window));
  TFC_TRY(tfc_find_gemm(c, "conv/conv", c->op_type, dtype, s.functions));
  TFC_TRY(tfc_find_function(c, "reduce/reduce", "Sum", dtype, &s.sum));
  return conv_keep_state(c, &s, sizeof s, state);
}

static conv_params params_of(tfc_context* ctx, const conv_sizes* s) {
  const bool nchw = conv_attrs(ctx)->nchw;
  return (conv_params){.batch = s->n,
                       .in = tfc_window_image(s->h.in, s->w.in, s->c, nchw),
                       .out = tfc_window_image(s->h.out, s->w.out, s->oc, nchw),
                       .window = tfc_window_shape(&s->h, &s->w),
                       .size = {.wide = tfc_accumulator_size(ctx->outputs[0].dtype) > 4}};
}

static int launch(tfc_context* ctx, conv_params* p) {
  const launch_state* state = ctx->state;
  const tfc_tensor* y = &ctx->outputs[0];
  const tfc_function* function = state->functions[p->size.tile];
  if (p->size.chunks == 1) return TFC_LAUNCH(ctx, function, conv, p);
  p->partial = tfc_scratch_items(ctx, p->size.chunks * y->n, tfc_accumulator_size(y->dtype));
  if (!p->partial) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(TFC_LAUNCH(ctx, function, conv, p));
  return tfc_reduce_partial(ctx, state->sum, p->partial, y->data, p->size.chunks, y->n);
}

static int compute_Conv2D(tfc_context* ctx) {
  const tfc_tensor *input = ctx->inputs[0], *filter = ctx->inputs[1];
  conv_sizes s;
  TFC_TRY(conv_check_rank(ctx, input, "input"));
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  TFC_TRY(conv_fit(ctx, conv_attrs(ctx), input->dims, filter->dims, &s));
  TFC_TRY(conv_output(ctx, &s));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  conv_params p = params_of(ctx, &s);
  p.image = input->data;
  p.filter = filter->data;
  p.output = ctx->outputs[0].data;
  conv_plan_forward(&p);
  return launch(ctx, &p);
}

static int compute_Conv2DBackpropInput(tfc_context* ctx) {
  const tfc_tensor *filter = ctx->inputs[1], *grad = ctx->inputs[2];
  int64_t input[5];
  conv_sizes s;
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  TFC_TRY(conv_check_rank(ctx, grad, "out_backprop"));
  TFC_TRY(conv_read_input_sizes(ctx, filter, grad, input));
  TFC_TRY(conv_fit_grad(ctx, false, input, filter->dims, grad, &s));
  TFC_TRY(tfc_output(ctx, 0, 4, input));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  conv_params p = params_of(ctx, &s);
  p.image = ctx->outputs[0].data;
  p.filter = filter->data;
  p.output = grad->data;
  conv_plan_input(&p);
  return launch(ctx, &p);
}

static int compute_Conv2DBackpropFilter(tfc_context* ctx) {
  const tfc_tensor *input = ctx->inputs[0], *grad = ctx->inputs[2];
  int64_t filter[5];
  conv_sizes s;
  TFC_TRY(conv_check_rank(ctx, input, "input"));
  TFC_TRY(conv_read_sizes(ctx, 1, "filter", filter));
  TFC_TRY(conv_fit_grad(ctx, true, input->dims, filter, grad, &s));
  TFC_TRY(tfc_output(ctx, 0, 4, filter));
  conv_params p = params_of(ctx, &s);
  p.image = input->data;
  p.filter = ctx->outputs[0].data;
  p.output = grad->data;
  conv_plan_filter(&p);
  return launch(ctx, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Conv2D", "T=" TFC_TYPES_FLOATS "|int32", compute_Conv2D, .create = create,
            .destroy = conv_destroy),
    TFC_ROW("Conv2DBackpropInput", "T=" TFC_TYPES_FLOATS "|int32", compute_Conv2DBackpropInput,
            .create = create, .destroy = conv_destroy, .host_args = "input_sizes"),
    TFC_ROW("Conv2DBackpropFilter", "T=" TFC_TYPES_FLOATS, compute_Conv2DBackpropFilter,
            .create = create, .destroy = conv_destroy, .host_args = "filter_sizes"),
};
TFC_REGISTER_KERNELS(kernels);
