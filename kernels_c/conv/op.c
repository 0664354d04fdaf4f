/* Layouts of convolutions. */
#include "kernels_c/conv/op.h"

#include "kernels_c/common/window.h"

TFC_ONE_LEVEL;

/* ---- Layouts: the planes of a volume follow each other like the rows of a high image. */

static image_dims input_dims(const conv_sizes* s) {
  return (image_dims){s->n, s->d.in * s->h.in, s->w.in, s->c};
}
static image_dims output_dims(const conv_sizes* s) {
  return (image_dims){s->n, s->d.out * s->h.out, s->w.out, s->oc};
}
static image_dims filter_dims(const conv_sizes* s) {
  return (image_dims){s->d.filter * s->h.filter, s->w.filter, s->c, s->oc};
}

/* ---- Kernels. */

int conv_compute(tfc_context* ctx, const conv_epilogue* epilogue, conv_sizes* s, void** work) {
  const window_attrs* a = conv_attrs(ctx);
  const tfc_tensor *input = ctx->inputs[0], *filter = ctx->inputs[1];
  *work = NULL;
  TFC_TRY(conv_check_rank(ctx, input, "input"));
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  TFC_TRY(conv_fit(ctx, a, input->dims, filter->dims, s));
  TFC_TRY(conv_output(ctx, s));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const void* x = image_load(ctx, input, input_dims(s), a->nchw, true);
  const void* f = image_load(ctx, filter, filter_dims(s), false, true);
  *work = image_begin(ctx, &ctx->outputs[0], output_dims(s), a->nchw, true);
  if (!x || !f || !*work) return TFC_RESOURCE_EXHAUSTED;
  return conv_forward(ctx, s, input->dtype, x, f, *work, epilogue);
}

int conv_store(tfc_context* ctx, const conv_sizes* s, void* work) {
  return image_store(ctx, &ctx->outputs[0], output_dims(s), conv_attrs(ctx)->nchw, true, work);
}

int conv_kernel(tfc_context* ctx) {
  conv_sizes s;
  void* work;
  TFC_TRY(conv_compute(ctx, NULL, &s, &work));
  return conv_store(ctx, &s, work);
}

int conv_backprop_input_kernel(tfc_context* ctx) {
  const window_attrs* a = conv_attrs(ctx);
  const tfc_tensor *filter = ctx->inputs[1], *grad = ctx->inputs[2];
  int64_t input[5];
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  TFC_TRY(conv_check_rank(ctx, grad, "out_backprop"));
  TFC_TRY(conv_read_input_sizes(ctx, filter, grad, input));
  conv_sizes s;
  TFC_TRY(conv_fit_grad(ctx, false, input, filter->dims, grad, &s));
  TFC_TRY(tfc_output(ctx, 0, window_rank(a), input));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const void* g = image_load(ctx, grad, output_dims(&s), a->nchw, true);
  const void* f = image_load(ctx, filter, filter_dims(&s), false, true);
  void* work = image_begin(ctx, &ctx->outputs[0], input_dims(&s), a->nchw, true);
  if (!g || !f || !work) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(conv_backward_input(ctx, &s, filter->dtype, g, f, work));
  return image_store(ctx, &ctx->outputs[0], input_dims(&s), a->nchw, true, work);
}

int conv_backprop_filter_kernel(tfc_context* ctx) {
  const window_attrs* a = conv_attrs(ctx);
  const tfc_tensor *input = ctx->inputs[0], *grad = ctx->inputs[2];
  int64_t filter[5];
  TFC_TRY(conv_check_rank(ctx, input, "input"));
  TFC_TRY(conv_read_sizes(ctx, 1, "filter", filter));
  conv_sizes s;
  TFC_TRY(conv_fit_grad(ctx, true, input->dims, filter, grad, &s));
  TFC_TRY(tfc_output(ctx, 0, window_rank(a), filter));
  const void* x = image_load(ctx, input, input_dims(&s), a->nchw, true);
  const void* g = image_load(ctx, grad, output_dims(&s), a->nchw, true);
  void* work = image_begin(ctx, &ctx->outputs[0], filter_dims(&s), false, true);
  if (!x || !g || !work) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(conv_backward_filter(ctx, &s, input->dtype, x, g, work));
  return image_store(ctx, &ctx->outputs[0], filter_dims(&s), false, true, work);
}
