/* Conv2D, its two gradients and _FusedConv2D. */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/conv/op.h"

static int conv_create(tfc_construction* c, void** state) {
  conv_state s = {0};
  TFC_TRY(conv_attrs_read(c, false, 0, &s.window));
  return conv_keep_state(c, &s, sizeof s, state);
}

/* ---- _FusedConv2D. */

enum { ACT_NONE, ACT_RELU, ACT_RELU6, ACT_ELU, ACT_LEAKY_RELU };

typedef struct {
  conv_state conv; /* first, so that it is the state of the convolution, too */
  int activation;  /* after the bias */
  float leaky_alpha;
} fused_state;

/* Name i of fused_ops is `text`. */
static bool fused_is(tfc_construction* c, int i, const char* text) {
  const char* data = NULL;
  size_t size = 0;
  int n = 0;
  return c->api->attr_strings(c, "fused_ops", i, &data, &size, &n) == TFC_OK && i < n &&
         size == strlen(text) && memcmp(data, text, size) == 0;
}

static int fused_create(tfc_construction* c, void** state) {
  static const char* const activations[] = {"", "Relu", "Relu6", "Elu", "LeakyRelu"};
  fused_state s = {0};
  TFC_TRY(conv_attrs_read(c, false, 0, &s.conv.window));
  const char* data = NULL;
  size_t size = 0;
  int n = 0;
  double alpha;
  TFC_TRY(c->api->attr_strings(c, "fused_ops", 0, &data, &size, &n));
  TFC_TRY(c->api->attr_float(c, "leakyrelu_alpha", &alpha));
  s.leaky_alpha = (float)alpha;
  for (int k = 1; k <= ACT_LEAKY_RELU; k++)
    if (n == 2 && fused_is(c, 1, activations[k])) s.activation = k;
  bool known = n == 1 || (n == 2 && s.activation != ACT_NONE);
  if (!known || !fused_is(c, 0, "BiasAdd") || c->n_inputs < 3)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Fusion is not implemented: fused_ops must be BiasAdd, or BiasAdd and one "
                         "of Relu, Relu6, Elu, LeakyRelu");
  return conv_keep_state(c, &s, sizeof s, state);
}

/* Activations that the engine does not apply. */
typedef struct {
  void* data;
  int activation;
  float alpha;
} activation_job;

#define ACTIVATE(T, EXPM1)                                          \
  for (int64_t i = begin; i < end; i++) {                           \
    T* x = (T*)j->data + i;                                         \
    if (j->activation == ACT_RELU6)                                 \
      *x = *x < 0 ? 0 : *x > 6 ? 6 : *x;                            \
    else if (*x < 0)                                                \
      *x = j->activation == ACT_ELU ? EXPM1(*x) : *x * (T)j->alpha; \
  }

static void activate_float(void* arg, int64_t begin, int64_t end) {
  const activation_job* j = arg;
  ACTIVATE(float, expm1f)
}
static void activate_double(void* arg, int64_t begin, int64_t end) {
  const activation_job* j = arg;
  ACTIVATE(double, expm1)
}

/* A bias vector in the working type. */
static const void* load_bias(tfc_context* ctx, const tfc_tensor* t) {
  if (!tfc_is_16bit_float(t->dtype)) return t->data;
  float* wide = tfc_scratch(ctx, (size_t)t->n * sizeof(float) + 1);
  if (wide) tfc_widen(t->dtype, t->data, wide, t->n);
  return wide;
}

static int fused_conv2d(tfc_context* ctx) {
  const fused_state* state = ctx->state;
  const tfc_tensor *filter = ctx->inputs[1], *bias = ctx->inputs[2];
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  if (bias->rank != 1 || bias->n != filter->dims[3])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "bias depth must be equal to out depth: %s vs %lld",
                     tfc_shape_text(bias).text, (long long)filter->dims[3]);
  conv_epilogue epilogue = {load_bias(ctx, bias), state->activation == ACT_RELU};
  if (!epilogue.bias && bias->n) return TFC_RESOURCE_EXHAUSTED;
  conv_sizes s;
  void* work;
  TFC_TRY(conv_compute(ctx, &epilogue, &s, &work));
  if (state->activation > ACT_RELU && work) {
    activation_job job = {work, state->activation, state->leaky_alpha};
    tfc_parallel_for(ctx, ctx->outputs[0].n, 2,
                     filter->dtype == TFC_DOUBLE ? activate_double : activate_float, &job);
  }
  return conv_store(ctx, &s, work);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Conv2D", "T=" TFC_TYPES_FLOATS "|int32", conv_kernel, .create = conv_create,
            .destroy = conv_destroy),
    TFC_ROW("_FusedConv2D", "T=" TFC_TYPES_FLOATS, fused_conv2d, .create = fused_create,
            .destroy = conv_destroy),
    TFC_ROW("Conv2DBackpropInput", "T=" TFC_TYPES_FLOATS "|int32", conv_backprop_input_kernel,
            .create = conv_create, .destroy = conv_destroy),
    TFC_ROW("Conv2DBackpropFilter", "T=" TFC_TYPES_FLOATS, conv_backprop_filter_kernel,
            .create = conv_create, .destroy = conv_destroy),
};
TFC_REGISTER_KERNELS(kernels);
