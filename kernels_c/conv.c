/* Conv2D, its two gradients and _FusedConv2D: checks, layouts and plans; the work is done by the
 * engines of conv_forward.h. */
#include "conv.h"

#include <math.h>
#include <stdlib.h>

#include "window.h"

/* ---- Attributes. */

enum { ACT_NONE, ACT_RELU, ACT_RELU6, ACT_ELU, ACT_LEAKY_RELU };

typedef struct {
  window_attrs window;
  int activation; /* of _FusedConv2D, after the bias */
  float leaky_alpha;
} conv_state;

static int check_attrs(tfc_construction* c, const window_attrs* a) {
  int h = window_axis(a, 0), w = window_axis(a, 1), ch = window_axis(a, 2);
  if (a->strides[0] != 1 || a->strides[ch] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Current implementation does not yet support strides in the batch and "
                         "depth dimensions.");
  if (a->strides[h] <= 0 || a->strides[w] <= 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Sliding window strides should be larger than 0.");
  if (a->dilations[0] != 1 || a->dilations[ch] != 1)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "Current implementation does not yet support dilations in the batch and "
                         "depth dimensions.");
  if (a->dilations[h] <= 0 || a->dilations[w] <= 0)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Dilated rates should be larger than 0.");
  for (int i = 0; i < 8; i++)
    if (a->pads[i] < 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "All elements of explicit_paddings must be nonnegative");
  return TFC_OK;
}

static int keep_state(tfc_construction* c, conv_state s, void** state) {
  conv_state* copy = malloc(sizeof *copy);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *copy = s;
  *state = copy;
  return TFC_OK;
}

static int conv_create(tfc_construction* c, void** state) {
  conv_state s = {0};
  TFC_TRY(window_attrs_read(c, &s.window, true, true, false));
  TFC_TRY(check_attrs(c, &s.window));
  return keep_state(c, s, state);
}

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
  conv_state s = {0};
  TFC_TRY(window_attrs_read(c, &s.window, true, true, false));
  TFC_TRY(check_attrs(c, &s.window));
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
  return keep_state(c, s, state);
}

/* ---- Sizes. */

typedef struct {
  image_dims in, out;
  window_dim h, w;
  bool nchw;
} conv_sizes;

/* Everything follows from the shapes of input and filter. */
static int conv_fit(tfc_context* ctx, const window_attrs* a, const int64_t* input,
                    const int64_t* filter, conv_sizes* s) {
  s->nchw = a->nchw;
  s->in = image_dims_of(input, a->nchw);
  if (tfc_count(4, filter) == 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "filter must not have zero elements (i.e. all dimensions must be non-zero)");
  if (s->in.c % filter[2])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input depth must be evenly divisible by filter depth: %lld vs %lld",
                     (long long)s->in.c, (long long)filter[2]);
  if (s->in.c != filter[2])
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Generic conv implementation does not support grouped convolutions for now.");
  int h = window_axis(a, 0), w = window_axis(a, 1);
  s->h = (window_dim){
      .in = s->in.h, .filter = filter[0], .stride = a->strides[h], .dilation = a->dilations[h]};
  s->w = (window_dim){
      .in = s->in.w, .filter = filter[1], .stride = a->strides[w], .dilation = a->dilations[w]};
  TFC_TRY(window_dim_fit(ctx, a, 0, &s->h));
  TFC_TRY(window_dim_fit(ctx, a, 1, &s->w));
  s->out = (image_dims){s->in.n, s->h.out, s->w.out, filter[3]};
  return TFC_OK;
}

static int check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  if (t->rank == 4) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be 4-dimensional: %s", what,
                   tfc_shape_text(t).text);
}

/* A gradient's `input_sizes` or `filter_sizes`. */
static int read_sizes(tfc_context* ctx, int input, const char* what, int64_t dims[4]) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 1 || t->n != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: %s input must be 1-dim with 4 elements, not %lld-dim with shape %s",
                     input ? "Conv2DBackpropFilter" : "Conv2DBackpropInput", what,
                     (long long)t->rank, tfc_shape_text(t).text);
  tfc_read_indices(t, dims);
  if (tfc_count(4, dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s has negative or too large dimensions: %s", what,
                     tfc_dims_text(4, dims).text);
  return TFC_OK;
}

static int check_grad_dim(tfc_context* ctx, const char* op, int64_t actual, const window_dim* d,
                          int axis) {
  if (actual == d->out) return TFC_OK;
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT,
      "%s: Size of out_backprop doesn't match computed: actual = %lld, computed = %lld "
      "spatial_dim: %d input: %lld filter: %lld output: %lld stride: %lld dilation: "
      "%lld",
      op, (long long)actual, (long long)d->out, axis, (long long)d->in, (long long)d->filter,
      (long long)actual, (long long)d->stride, (long long)d->dilation);
}

/* Sizes of a gradient operation; `grad` is out_backprop. */
static int conv_fit_grad(tfc_context* ctx, const window_attrs* a, const char* op,
                         const int64_t* input, const int64_t* filter, const tfc_tensor* grad,
                         conv_sizes* s) {
  TFC_TRY(check_rank(ctx, grad, "out_backprop"));
  TFC_TRY(conv_fit(ctx, a, input, filter, s));
  image_dims g = image_dims_of(grad->dims, a->nchw);
  if (g.n != s->out.n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: input and out_backprop must have the same batch size. Input batch: %lld, "
                     "outbackprop batch: %lld, batch_dim: 0",
                     op, (long long)s->out.n, (long long)g.n);
  if (g.c != s->out.c)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: filter and out_backprop must have the same out_depth", op);
  TFC_TRY(check_grad_dim(ctx, op, g.h, &s->h, window_axis(a, 0)));
  return check_grad_dim(ctx, op, g.w, &s->w, window_axis(a, 1));
}

/* ---- Plans. */

static conv_tap* forward_taps(tfc_context* ctx, const window_dim* d) {
  conv_tap* taps = tfc_scratch(ctx, (size_t)d->filter * sizeof(conv_tap));
  if (taps)
    for (int64_t i = 0; i < d->filter; i++) taps[i] = (conv_tap){i * d->dilation - d->pad, i};
  return taps;
}

static int forward_plan(tfc_context* ctx, const conv_sizes* s, conv_plan* p) {
  *p = (conv_plan){.images = s->in.n,
                   .h = s->in.h,
                   .w = s->in.w,
                   .c = s->in.c,
                   .rows = s->out.h,
                   .cols = s->out.w,
                   .step_h = s->h.stride,
                   .step_w = s->w.stride,
                   .taps_h = s->h.filter,
                   .taps_w = s->w.filter,
                   .oc = s->out.c,
                   .out_image = s->out.h * s->out.w * s->out.c,
                   .out_row = s->out.w * s->out.c,
                   .out_col = s->out.c,
                   .f_h = s->w.filter * s->in.c * s->out.c,
                   .f_w = s->in.c * s->out.c,
                   .f_c = s->out.c,
                   .f_oc = 1};
  p->tap_h = forward_taps(ctx, &s->h);
  p->tap_w = forward_taps(ctx, &s->w);
  return p->tap_h && p->tap_w ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

/* Taps for input pixels of one phase (pixel % stride): output = input / stride + offset. */
static int64_t phase_taps(const window_dim* d, int64_t phase, conv_tap* taps) {
  int64_t n = 0;
  for (int64_t i = d->filter - 1; i >= 0; i--) {
    int64_t at = phase + d->pad - i * d->dilation;
    if (at % d->stride == 0) taps[n++] = (conv_tap){at / d->stride, i};
  }
  return n;
}

static int run_float(tfc_context* ctx, int32_t dtype, const conv_plan* p, const void* in,
                     const void* filter, void* out, const conv_epilogue* e) {
  switch (dtype) {
    case TFC_DOUBLE: return conv_run_double(ctx, p, in, filter, out, e);
    case TFC_INT32: return conv_run_int32(ctx, p, in, filter, out, e);
    default: return conv_run_float(ctx, p, in, filter, out, e);
  }
}

/* One phase of the input gradient: a convolution of the output gradient with the flipped filter,
 * with its channels exchanged. */
static int backward_phase(tfc_context* ctx, const conv_sizes* s, int32_t dtype, int64_t ph,
                          int64_t pw, conv_tap* tap_h, conv_tap* tap_w, const void* grad,
                          const void* filter, char* out) {
  int64_t sh = s->h.stride, sw = s->w.stride;
  conv_plan p = {.images = s->in.n,
                 .h = s->out.h,
                 .w = s->out.w,
                 .c = s->out.c,
                 .rows = (s->in.h - ph + sh - 1) / sh,
                 .cols = (s->in.w - pw + sw - 1) / sw,
                 .step_h = 1,
                 .step_w = 1,
                 .taps_h = phase_taps(&s->h, ph, tap_h),
                 .taps_w = phase_taps(&s->w, pw, tap_w),
                 .tap_h = tap_h,
                 .tap_w = tap_w,
                 .oc = s->in.c,
                 .out_image = s->in.h * s->in.w * s->in.c,
                 .out_row = sh * s->in.w * s->in.c,
                 .out_col = sw * s->in.c,
                 .f_h = s->w.filter * s->in.c * s->out.c,
                 .f_w = s->in.c * s->out.c,
                 .f_c = 1,
                 .f_oc = s->out.c};
  if (p.taps_h == 0 || p.taps_w == 0) p.taps_h = p.taps_w = 0;
  size_t size = dtype == TFC_DOUBLE ? 8 : 4;
  out += (size_t)((ph * s->in.w + pw) * s->in.c) * size;
  return run_float(ctx, dtype, &p, grad, filter, out, NULL);
}

/* ---- Input gradient of few channels. Vectors of output channels would be nearly empty, so a row
 * of the filter, taps and channels, is the vector: first parts[h][ow][tap][c], a convolution along
 * the height only, then each input pixel adds up its parts. */

typedef struct {
  const conv_sizes* s;
  const void* parts;
  void* out;
} fold_job;

#define FOLD_RANGE(NAME, T)                                                  \
  static void NAME(void* arg, int64_t begin, int64_t end) {                  \
    const fold_job* job = arg;                                               \
    const window_dim* w = &job->s->w;                                        \
    int64_t c = job->s->in.c, taps = w->filter;                              \
    for (int64_t row = begin; row < end; row++) {                            \
      T* out = (T*)job->out + row * w->in * c;                               \
      const T* part = (const T*)job->parts + row * w->out * taps * c;        \
      memset(out, 0, (size_t)(w->in * c) * sizeof(T));                       \
      for (int64_t q = 0; q < w->out; q++, part += taps * c) {               \
        int64_t at = q * w->stride - w->pad;                                 \
        if (w->dilation == 1 && at >= 0 && at + taps <= w->in) {             \
          for (int64_t i = 0; i < taps * c; i++) out[at * c + i] += part[i]; \
          continue;                                                          \
        }                                                                    \
        for (int64_t k = 0; k < taps; k++, at += w->dilation)                \
          for (int64_t i = 0; i < c && at >= 0 && at < w->in; i++)           \
            out[at * c + i] += part[k * c + i];                              \
      }                                                                      \
    }                                                                        \
  }
FOLD_RANGE(fold_float, float)
FOLD_RANGE(fold_double, double)
FOLD_RANGE(fold_int32, uint32_t)

static int backward_few(tfc_context* ctx, const conv_sizes* s, int32_t dtype, const void* grad,
                        const void* filter, void* out) {
  int64_t wide = s->w.filter * s->in.c, sh = s->h.stride;
  size_t size = dtype == TFC_DOUBLE ? 8 : 4;
  conv_tap* tap_h = tfc_scratch(ctx, (size_t)s->h.filter * sizeof *tap_h);
  char* parts = tfc_scratch(ctx, (size_t)(s->in.n * s->in.h * s->out.w * wide) * size + 1);
  if (!tap_h || !parts) return TFC_RESOURCE_EXHAUSTED;
  const conv_tap tap_w = {0, 0};
  for (int64_t ph = 0; ph < TFC_MIN(sh, s->in.h); ph++) {
    conv_plan p = {.images = s->in.n,
                   .h = s->out.h,
                   .w = s->out.w,
                   .c = s->out.c,
                   .rows = (s->in.h - ph + sh - 1) / sh,
                   .cols = s->out.w,
                   .step_h = 1,
                   .step_w = 1,
                   .taps_h = phase_taps(&s->h, ph, tap_h),
                   .tap_h = tap_h,
                   .tap_w = &tap_w,
                   .oc = wide,
                   .out_image = s->in.h * s->out.w * wide,
                   .out_row = sh * s->out.w * wide,
                   .out_col = wide,
                   .f_h = wide * s->out.c,
                   .f_c = 1,
                   .f_oc = s->out.c};
    p.taps_w = p.taps_h > 0;
    TFC_TRY(run_float(ctx, dtype, &p, grad, filter, parts + (size_t)(ph * s->out.w * wide) * size,
                      NULL));
  }
  fold_job job = {s, parts, out};
  tfc_parallel_for(ctx, s->in.n * s->in.h, (double)(s->out.w * wide) * 0.3 + 10,
                   dtype == TFC_DOUBLE  ? fold_double
                   : dtype == TFC_INT32 ? fold_int32
                                        : fold_float,
                   &job);
  return TFC_OK;
}

static int backward_many(tfc_context* ctx, const conv_sizes* s, int32_t dtype, const void* grad,
                         const void* filter, void* out) {
  conv_tap* tap_h = tfc_scratch(ctx, (size_t)s->h.filter * sizeof *tap_h);
  conv_tap* tap_w = tfc_scratch(ctx, (size_t)s->w.filter * sizeof *tap_w);
  if (!tap_h || !tap_w) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t ph = 0; ph < TFC_MIN(s->h.stride, s->in.h); ph++)
    for (int64_t pw = 0; pw < TFC_MIN(s->w.stride, s->in.w); pw++)
      TFC_TRY(backward_phase(ctx, s, dtype, ph, pw, tap_h, tap_w, grad, filter, out));
  return TFC_OK;
}

/* ---- Kernels. */

static image_dims filter_dims(const conv_sizes* s) {
  return (image_dims){s->h.filter, s->w.filter, s->in.c, s->out.c};
}

static int output_images(tfc_context* ctx, image_dims d, bool nchw) {
  int64_t dims[4];
  image_dims_store(d, nchw, dims);
  return tfc_output(ctx, 0, 4, dims);
}

static int forward(tfc_context* ctx, const conv_epilogue* epilogue, conv_sizes* s, void** work) {
  const conv_state* state = ctx->state;
  const tfc_tensor *input = ctx->inputs[0], *filter = ctx->inputs[1];
  TFC_TRY(check_rank(ctx, input, "input"));
  TFC_TRY(check_rank(ctx, filter, "filter"));
  TFC_TRY(conv_fit(ctx, &state->window, input->dims, filter->dims, s));
  TFC_TRY(output_images(ctx, s->out, s->nchw));
  if (image_size(s->out) == 0) return TFC_OK;
  const void* x = image_load(ctx, input, s->in, s->nchw, true);
  const void* f = image_load(ctx, filter, filter_dims(s), false, true);
  *work = image_begin(ctx, &ctx->outputs[0], s->out, s->nchw, true);
  if (!x || !f || !*work) return TFC_RESOURCE_EXHAUSTED;
  conv_plan p;
  TFC_TRY(forward_plan(ctx, s, &p));
  return run_float(ctx, input->dtype, &p, x, f, *work, epilogue);
}

static int conv2d(tfc_context* ctx) {
  conv_sizes s;
  void* work = NULL;
  TFC_TRY(forward(ctx, NULL, &s, &work));
  return image_store(ctx, &ctx->outputs[0], s.out, s.nchw, true, work);
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
  const conv_state* state = ctx->state;
  const tfc_tensor *filter = ctx->inputs[1], *bias = ctx->inputs[2];
  TFC_TRY(check_rank(ctx, filter, "filter"));
  if (bias->rank != 1 || bias->n != filter->dims[3])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "bias depth must be equal to out depth: %s vs %lld",
                     tfc_shape_text(bias).text, (long long)filter->dims[3]);
  conv_epilogue epilogue = {load_bias(ctx, bias), state->activation == ACT_RELU};
  if (!epilogue.bias && bias->n) return TFC_RESOURCE_EXHAUSTED;
  conv_sizes s;
  void* work = NULL;
  TFC_TRY(forward(ctx, &epilogue, &s, &work));
  if (state->activation > ACT_RELU && work) {
    activation_job job = {work, state->activation, state->leaky_alpha};
    tfc_parallel_for(ctx, image_size(s.out), 2,
                     filter->dtype == TFC_DOUBLE ? activate_double : activate_float, &job);
  }
  return image_store(ctx, &ctx->outputs[0], s.out, s.nchw, true, work);
}

static int conv2d_backprop_input(tfc_context* ctx) {
  const conv_state* state = ctx->state;
  const window_attrs* a = &state->window;
  const tfc_tensor *filter = ctx->inputs[1], *grad = ctx->inputs[2];
  int64_t input[4];
  TFC_TRY(check_rank(ctx, filter, "filter"));
  TFC_TRY(check_rank(ctx, grad, "out_backprop"));
  if (ctx->inputs[0]->n == 2) { /* sizes of height and width only */
    image_dims g = image_dims_of(grad->dims, a->nchw);
    image_dims d = {g.n, tfc_index_at(ctx->inputs[0], 0), tfc_index_at(ctx->inputs[0], 1),
                    filter->dims[2]};
    image_dims_store(d, a->nchw, input);
    if (tfc_count(4, input) < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "input_sizes has negative or too large dimensions");
  } else {
    TFC_TRY(read_sizes(ctx, 0, "input_sizes", input));
  }
  conv_sizes s;
  TFC_TRY(conv_fit_grad(ctx, a, "Conv2DBackpropInput", input, filter->dims, grad, &s));
  TFC_TRY(output_images(ctx, s.in, s.nchw));
  if (image_size(s.in) == 0) return TFC_OK;
  const void* g = image_load(ctx, grad, s.out, s.nchw, true);
  const void* f = image_load(ctx, filter, filter_dims(&s), false, true);
  void* work = image_begin(ctx, &ctx->outputs[0], s.in, s.nchw, true);
  if (!g || !f || !work) return TFC_RESOURCE_EXHAUSTED;
  bool few = s.in.c <= 4 && s.w.filter > 1 && image_size(s.out) > 0;
  TFC_TRY(few ? backward_few(ctx, &s, filter->dtype, g, f, work)
              : backward_many(ctx, &s, filter->dtype, g, f, work));
  return image_store(ctx, &ctx->outputs[0], s.in, s.nchw, true, work);
}

static int conv2d_backprop_filter(tfc_context* ctx) {
  const conv_state* state = ctx->state;
  const tfc_tensor *input = ctx->inputs[0], *grad = ctx->inputs[2];
  int64_t filter[4];
  TFC_TRY(check_rank(ctx, input, "input"));
  TFC_TRY(read_sizes(ctx, 1, "filter_sizes", filter));
  conv_sizes s;
  TFC_TRY(
      conv_fit_grad(ctx, &state->window, "Conv2DBackpropFilter", input->dims, filter, grad, &s));
  TFC_TRY(tfc_output(ctx, 0, 4, filter));
  const void* x = image_load(ctx, input, s.in, s.nchw, true);
  const void* g = image_load(ctx, grad, s.out, s.nchw, true);
  image_dims fd = filter_dims(&s);
  void* work = image_begin(ctx, &ctx->outputs[0], fd, false, true);
  if (!x || !g || !work) return TFC_RESOURCE_EXHAUSTED;
  conv_plan p;
  TFC_TRY(forward_plan(ctx, &s, &p));
  TFC_TRY(input->dtype == TFC_DOUBLE ? conv_filter_double(ctx, &p, x, g, work)
                                     : conv_filter_float(ctx, &p, x, g, work));
  return image_store(ctx, &ctx->outputs[0], fd, false, true, work);
}

static void conv_destroy(void* state) {
  free(state);
}

#define CONV_TYPES "T=half|bfloat16|float|double|int32"
#define CONV_FLOAT_TYPES "T=half|bfloat16|float|double"

static const tfc_kernel_def conv_kernels[] = {
    {.op = "Conv2D",
     .device = "CPU",
     .types = CONV_TYPES,
     .compute = conv2d,
     .create = conv_create,
     .destroy = conv_destroy},
    {.op = "_FusedConv2D",
     .device = "CPU",
     .types = CONV_FLOAT_TYPES,
     .compute = fused_conv2d,
     .create = fused_create,
     .destroy = conv_destroy},
    {.op = "Conv2DBackpropInput",
     .device = "CPU",
     .types = CONV_TYPES,
     .compute = conv2d_backprop_input,
     .create = conv_create,
     .destroy = conv_destroy},
    {.op = "Conv2DBackpropFilter",
     .device = "CPU",
     .types = CONV_FLOAT_TYPES,
     .compute = conv2d_backprop_filter,
     .create = conv_create,
     .destroy = conv_destroy},
};
TFC_REGISTER_KERNELS(conv_kernels);
