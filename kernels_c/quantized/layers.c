/* Layers of quantized networks except matrix products and convolutions: biases, activations,
 * pooling and others. */
#include "kernels_c/common/window_attrs.h"
#include "kernels_c/quantized/quantized.h"

/* ---- QuantizedBiasAdd: both in one range of 32-bit integers that their sum fits */

typedef struct bias_run {
  const void *x, *bias;
  int32_t* y;
  bool is_signed;
  int64_t channels;
  int32_t zero;
  quantized_reader read_x, read_bias;
  quantized_writer write;
} bias_run;

static inline int32_t biased(const bias_run* run, const void* data, int64_t i, quantized_reader r) {
  const float q = (float)(run->is_signed ? ((const int8_t*)data)[i] : ((const uint8_t*)data)[i]);
  return quantized_write(r.first + q * r.scale, &run->write);
}

static void add_bias(void* arg, int64_t begin, int64_t end) {
  const bias_run* run = arg;
  for (int64_t row = begin; row < end; row++)
    for (int64_t c = 0; c < run->channels; c++) {
      const int64_t i = row * run->channels + c;
      run->y[i] =
          (int32_t)((uint32_t)biased(run, run->x, i, run->read_x) +
                    (uint32_t)biased(run, run->bias, c, run->read_bias) + (uint32_t)run->zero);
    }
}

static int bias_add(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *bias = ctx->inputs[1];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input tensor must be at least 2D: %s",
                     tfc_shape_text(x).text);
  if (bias->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Biases must be 1D: %s", tfc_shape_text(bias).text);
  if (bias->n != x->dims[x->rank - 1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Must provide as many biases as the last dimension of the input tensor: "
                     "%s vs. %s",
                     tfc_shape_text(bias).text, tfc_shape_text(x).text);
  quantized_range r[2];
  TFC_TRY(quantized_ranges(ctx, 2, 2, r));
  const quantized_range sum = quantized_sum_range(r[0], r[1]);
  const quantized_limits t = quantized_limits_of(x->dtype), wide = quantized_limits_of(TFC_QINT32);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(quantized_put_range(ctx, 1, sum));
  bias_run run = {.x = x->data,
                  .bias = bias->data,
                  .y = ctx->outputs[0].data,
                  .is_signed = x->dtype == TFC_QINT8,
                  .channels = bias->n,
                  .zero = quantized_of(0.0f, sum, wide),
                  .read_x = quantized_reader_of(r[0], t),
                  .read_bias = quantized_reader_of(r[1], t),
                  .write = quantized_writer_of(sum, wide)};
  if (x->n) tfc_parallel_for(ctx, x->n / bias->n, 2.0 * (double)bias->n, add_bias, &run);
  return TFC_OK;
}

/* ---- QuantizedRelu, QuantizedRelu6, QuantizedReluX: clamped between two integers */

typedef struct clamp_run {
  const void* x;
  void* y;
  int32_t dtype, low, high;
} clamp_run;

static void clamp(void* arg, int64_t begin, int64_t end) {
  const clamp_run* run = arg;
  QUANTIZED_SWITCH(run->dtype, {
    const T low = (T)run->low, high = (T)run->high;
    const T* x = run->x;
    T* y = run->y;
    for (int64_t i = begin; i < end; i++) {
      const T v = x[i] > low ? x[i] : low;
      y[i] = v < high ? v : high;
    }
  })
}

/* The range is in the inputs `first` and after it; `most` is the largest number. */
static int relu_to(tfc_context* ctx, int first, float most) {
  const tfc_tensor* x = ctx->inputs[0];
  const quantized_limits t = quantized_limits_of(x->dtype);
  quantized_range r;
  TFC_TRY(quantized_ranges(ctx, first, 1, &r));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, (int[]){0}));
  TFC_TRY(quantized_put_range(ctx, 1, r));
  const int32_t high = most == INFINITY ? (int32_t)t.highest : quantized_of(most, r, t);
  clamp_run run = {x->data, ctx->outputs[0].data, x->dtype, quantized_of(0.0f, r, t), high};
  tfc_parallel_for(ctx, x->n, 0.1, clamp, &run);
  return TFC_OK;
}

static int relu(tfc_context* ctx) {
  return relu_to(ctx, 1, INFINITY);
}
static int relu6(tfc_context* ctx) {
  return relu_to(ctx, 1, 6.0f);
}
static int relu_x(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 1, "max_value must be a scalar, but has shape"));
  const float most = *(const float*)ctx->inputs[1]->data;
  return relu_to(ctx, 2, most);
}

/* ---- QuantizedMaxPool and QuantizedAvgPool */

static int create_pool(tfc_construction* c, void** state) {
  window_attrs a;
  TFC_TRY(window_attrs_read(c, &a, false, WINDOW_HAS_KSIZE | WINDOW_NO_FORMAT));
  for (int i = 0; i < 4; i++)
    if (a.ksize[i] <= 0 || a.strides[i] <= 0)
      return c->api->error(c, TFC_INVALID_ARGUMENT,
                           "Sliding window ksize and strides must be positive.");
  if (a.ksize[0] != 1 || a.strides[0] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED,
                         "Pooling is not yet supported on the batch dimension.");
  if (a.ksize[3] != 1 || a.strides[3] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED, "Non-spatial pooling is not yet supported.");
  window_attrs* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *s = a;
  *state = s;
  return TFC_OK;
}

typedef struct pool_run {
  const void* x;
  void* y;
  window_dim h, w;
  int64_t channels;
  bool is_signed, mean;
} pool_run;

/* The part of a window that lies in an image, as numbers of pixels. */
typedef struct pool_window {
  int64_t first, rows, columns, width;
} pool_window;

/* Channels whose sums are on the stack; pixels whose sum an int32 holds. */
enum { CHANNELS = 256, MOST_PIXELS = 1 << 23 };

/* Channels [0, n), n <= CHANNELS, of one output pixel. Means are rounded, halves to even. */
#define POOL_LOOPS(T)                                                                       \
  static void max_##T(const T* x, int64_t stride, const pool_window* w, T* y, int64_t n) {  \
    memcpy(y, x, (size_t)n * sizeof *y);                                                    \
    for (int64_t i = 0; i < w->rows; i++)                                                   \
      for (int64_t j = 0; j < w->columns; j++) {                                            \
        const T* from = x + (i * w->width + j) * stride;                                    \
        for (int64_t c = 0; c < n; c++) y[c] = from[c] > y[c] ? from[c] : y[c];             \
      }                                                                                     \
  }                                                                                         \
  static void mean_##T(const T* x, int64_t stride, const pool_window* w, T* y, int64_t n) { \
    double sums[CHANNELS] = {0};                                                            \
    int32_t some[CHANNELS] = {0};                                                           \
    const int64_t count = w->rows * w->columns;                                             \
    for (int64_t k = 0; k < count;) {                                                       \
      const T* from = x + (k / w->columns * w->width + k % w->columns) * stride;            \
      for (int64_t c = 0; c < n; c++) some[c] += from[c];                                   \
      if (++k % MOST_PIXELS && k < count) continue;                                         \
      for (int64_t c = 0; c < n; c++) {                                                     \
        sums[c] += some[c];                                                                 \
        some[c] = 0;                                                                        \
      }                                                                                     \
    }                                                                                       \
    for (int64_t c = 0; c < n; c++) y[c] = (T)(int32_t)rint(sums[c] / (double)count);       \
  }
POOL_LOOPS(int8_t)
POOL_LOOPS(uint8_t)

static void pool_pixel(const pool_run* run, const pool_window* w, int64_t to) {
  for (int64_t c = 0; c < run->channels; c += CHANNELS) {
    const int64_t n = TFC_MIN(CHANNELS, run->channels - c);
    const int64_t from = w->first * run->channels + c;
    if (run->is_signed)
      (run->mean ? mean_int8_t : max_int8_t)((const int8_t*)run->x + from, run->channels, w,
                                             (int8_t*)run->y + to + c, n);
    else
      (run->mean ? mean_uint8_t : max_uint8_t)((const uint8_t*)run->x + from, run->channels, w,
                                               (uint8_t*)run->y + to + c, n);
  }
}

static void pool_rows(void* arg, int64_t begin, int64_t end) {
  const pool_run* run = arg;
  for (int64_t row = begin; row < end; row++) {
    const int64_t image = row / run->h.out, top = row % run->h.out * run->h.stride - run->h.pad;
    const int64_t r0 = TFC_MAX(top, 0), r1 = TFC_MIN(top + run->h.filter, run->h.in);
    for (int64_t x = 0; x < run->w.out; x++) {
      const int64_t left = x * run->w.stride - run->w.pad;
      const int64_t c0 = TFC_MAX(left, 0), c1 = TFC_MIN(left + run->w.filter, run->w.in);
      const pool_window w = {(image * run->h.in + r0) * run->w.in + c0, r1 - r0, c1 - c0,
                             run->w.in};
      pool_pixel(run, &w, (row * run->w.out + x) * run->channels);
    }
  }
}

static int pool(tfc_context* ctx, bool mean) {
  const window_attrs* a = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank != 4) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "tensor_in must be 4-dimensional");
  pool_run run = {
      .h = {.in = x->dims[1], .filter = a->ksize[1], .stride = a->strides[1], .dilation = 1},
      .w = {.in = x->dims[2], .filter = a->ksize[2], .stride = a->strides[2], .dilation = 1},
      .channels = x->dims[3],
      .is_signed = x->dtype == TFC_QINT8,
      .mean = mean};
  TFC_TRY(window_dim_fit(ctx, a, 1, &run.h));
  TFC_TRY(window_dim_fit(ctx, a, 2, &run.w));
  quantized_range r;
  TFC_TRY(quantized_ranges(ctx, 1, 1, &r));
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){x->dims[0], run.h.out, run.w.out, x->dims[3]}));
  TFC_TRY(quantized_put_range(ctx, 1, r));
  const tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  run.x = x->data;
  run.y = out->data;
  const int64_t rows = x->dims[0] * run.h.out;
  const double window = (double)a->ksize[1] * (double)a->ksize[2];
  tfc_parallel_for(ctx, rows, (double)(out->n / rows) * window, pool_rows, &run);
  return TFC_OK;
}

static int max_pool(tfc_context* ctx) {
  return pool(ctx, false);
}
static int avg_pool(tfc_context* ctx) {
  return pool(ctx, true);
}

/* ---- QuantizedConcat: parts in other ranges are converted to a common one */

typedef struct join_run {
  const tfc_tensor* x;
  void* y;
  int64_t inner, total, at; /* elements of a row of x, of a row of y, before x in a row of y */
  bool equal;               /* the range is that of y */
  quantized_reader reader;
  quantized_writer writer;
} join_run;

static void join_rows(void* arg, int64_t begin, int64_t end) {
  const join_run* run = arg;
  for (int64_t row = begin; row < end; row++)
    QUANTIZED_SWITCH(run->x->dtype, {
      const T* x = (const T*)run->x->data + row * run->inner;
      T* y = (T*)run->y + row * run->total + run->at;
      if (run->equal)
        memcpy(y, x, (size_t)run->inner * sizeof *y);
      else
        for (int64_t i = 0; i < run->inner; i++)
          y[i] =
              (T)quantized_write(run->reader.first + (float)x[i] * run->reader.scale, &run->writer);
    })
}

/* The part of input 1 + i, and its range. */
static int check_part(tfc_context* ctx, int i, int n, int axis, quantized_range* r) {
  const tfc_tensor *first = ctx->inputs[1], *x = ctx->inputs[1 + i];
  const tfc_tensor *min = ctx->inputs[1 + n + i], *max = ctx->inputs[1 + 2 * n + i];
  if (x->rank != first->rank)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "ConcatOp : Ranks of all input tensors should match: shape[0] = %s vs. shape[%d] = %s",
        tfc_shape_text(first).text, i, tfc_shape_text(x).text);
  for (int d = 0; d < x->rank; d++)
    if (d != axis && x->dims[d] != first->dims[d])
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "ConcatOp : Dimensions of inputs should match: shape[0] = %s vs. shape[%d] = %s",
          tfc_shape_text(first).text, i, tfc_shape_text(x).text);
  if (min->n != 1 || max->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the ends of the range of value %d must be scalars",
                     i);
  *r = (quantized_range){*(const float*)min->data, *(const float*)max->data};
  return TFC_OK;
}

static int concat(tfc_context* ctx) {
  const int n = (ctx->n_inputs - 1) / 3;
  const tfc_tensor* first = ctx->inputs[1];
  TFC_TRY(tfc_want_scalar(ctx, 0, "Concat dim tensor should be a scalar integer, but got shape"));
  const int64_t axis = tfc_int_scalar(ctx->inputs[0]);
  if (axis < 0 || axis >= first->rank)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "ConcatOp : Expected concatenating dimensions in the range [0, %d), but got %lld",
        (int)first->rank, (long long)axis);
  quantized_range* r = tfc_scratch_items(ctx, n, sizeof *r);
  if (!r) return TFC_RESOURCE_EXHAUSTED;
  quantized_range all = {FLT_MAX, -FLT_MAX};
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, first->dims, sizeof dims);
  dims[axis] = 0;
  for (int i = 0; i < n; i++) {
    TFC_TRY(check_part(ctx, i, n, (int)axis, &r[i]));
    all = (quantized_range){fminf(all.min, r[i].min), fmaxf(all.max, r[i].max)};
    dims[axis] += ctx->inputs[1 + i]->dims[axis];
  }
  const quantized_limits t = quantized_limits_of(first->dtype);
  all.min = fminf(all.min, 0.0f);
  if (t.lowest < 0) { /* zero in the middle */
    const float most = fmaxf(fabsf(all.min), fabsf(all.max));
    all = (quantized_range){-most, most};
  }
  TFC_TRY(tfc_output(ctx, 0, first->rank, dims));
  TFC_TRY(quantized_put_range(ctx, 1, all));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const int64_t outer = tfc_product((int)axis, dims);
  const int64_t inner = tfc_product(first->rank - (int)axis - 1, dims + axis + 1);
  join_run run = {.y = ctx->outputs[0].data,
                  .total = dims[axis] * inner,
                  .writer = quantized_writer_of(all, t)};
  for (int i = 0; i < n; i++) {
    run.x = ctx->inputs[1 + i];
    run.inner = run.x->dims[axis] * inner;
    run.equal = r[i].min == all.min && r[i].max == all.max;
    run.reader = quantized_reader_of(r[i], t);
    tfc_parallel_for(ctx, outer, (double)run.inner, join_rows, &run);
    run.at += run.inner;
  }
  return TFC_OK;
}

/* ---- QuantizedBatchNormWithGlobalNormalization, in fixed point */

typedef struct norm_state {
  bool scales, given;
  float epsilon, least, min, max;
} norm_state;

static int create_batch_norm(tfc_construction* c, void** state) {
  norm_state* s = tfc_new_state(c, sizeof *s);
  double epsilon;
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  TFC_TRY(c->api->attr_float(c, "variance_epsilon", &epsilon));
  s->epsilon = (float)epsilon;
  return c->api->attr_bool(c, "scale_after_normalization", &s->scales);
}

typedef struct batch_norm_run {
  const uint8_t* x;
  int32_t *y, one;
  const int32_t *scale, *offset; /* of each channel */
  int64_t channels;
  quantized_range from, to;
} batch_norm_run;

static void batch_norm_rows(void* arg, int64_t begin, int64_t end) {
  const batch_norm_run* run = arg;
  const quantized_limits t = quantized_limits_of(TFC_QUINT8),
                         wide = quantized_limits_of(TFC_QINT32);
  for (int64_t row = begin; row < end; row++)
    for (int64_t c = 0; c < run->channels; c++) {
      const int64_t i = row * run->channels + c;
      const int64_t x = quantized_of(quantized_value(run->x[i], run->from, t), run->to, wide);
      const int64_t y = x * run->scale[c] / run->one + run->offset[c];
      run->y[i] = (int32_t)(y < INT32_MIN ? INT32_MIN : y > INT32_MAX ? INT32_MAX : y);
    }
}

static int batch_norm(tfc_context* ctx) {
  static const char* const names[] = {"input", "mean", "var", "beta", "gamma"};
  const norm_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  quantized_range r[5];
  for (int k = 0; k < 5; k++) {
    const tfc_tensor* t = ctx->inputs[3 * k];
    if (t->rank != (k ? 1 : 4))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be %d-dimensional%s", names[k],
                       k ? 1 : 4, tfc_shape_text(t).text);
    if (k && t->n != x->dims[3])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s must have one element for each of the %lld channels, but has shape %s",
                       names[k], (long long)x->dims[3], tfc_shape_text(t).text);
    TFC_TRY(quantized_ranges(ctx, 3 * k + 1, 1, &r[k]));
  }
  /* Numbers up to 2^20, with 10 bits after the point. */
  const quantized_range to = {-(float)(1 << 20), (float)(1 << 20)};
  const quantized_limits t = quantized_limits_of(TFC_QUINT8),
                         wide = quantized_limits_of(TFC_QINT32);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(quantized_put_range(ctx, 1, to));
  int32_t* parts = tfc_scratch_items(ctx, 2 * x->dims[3] + 1, sizeof *parts);
  if (!parts) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t c = 0; c < x->dims[3]; c++) {
    float v[5];
    for (int k = 1; k < 5; k++)
      v[k] = quantized_value(((const uint8_t*)ctx->inputs[3 * k]->data)[c], r[k], t);
    float scale = 1.0f / sqrtf(v[2] + s->epsilon);
    if (s->scales) scale *= v[4];
    parts[c] = quantized_of(scale, to, wide);
    parts[x->dims[3] + c] = quantized_of(-v[1] * scale + v[3], to, wide);
  }
  batch_norm_run run = {.x = x->data,
                        .y = ctx->outputs[0].data,
                        .one = quantized_of(1.0f, to, wide),
                        .scale = parts,
                        .offset = parts + x->dims[3],
                        .channels = x->dims[3],
                        .from = r[0],
                        .to = to};
  if (x->n)
    tfc_parallel_for(ctx, x->n / x->dims[3], 20.0 * (double)x->dims[3], batch_norm_rows, &run);
  return TFC_OK;
}

/* ---- QuantizedInstanceNorm: each channel of each image gets mean 0 and variance 1 */

static int create_instance_norm(tfc_construction* c, void** state) {
  norm_state* s = tfc_new_state(c, sizeof *s);
  double epsilon, least, min, max;
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  TFC_TRY(c->api->attr_float(c, "variance_epsilon", &epsilon));
  TFC_TRY(c->api->attr_float(c, "min_separation", &least));
  TFC_TRY(c->api->attr_float(c, "given_y_min", &min));
  TFC_TRY(c->api->attr_float(c, "given_y_max", &max));
  TFC_TRY(c->api->attr_bool(c, "output_range_given", &s->given));
  s->epsilon = (float)epsilon;
  s->least = (float)least;
  s->min = (float)min;
  s->max = (float)max;
  if (s->given && !(s->min < s->max))
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "given_y_min must be less than given_y_max : %g >= %g", min, max);
  return TFC_OK;
}

typedef struct instance_norm_run {
  const uint8_t* x;
  uint8_t* y;
  float *mean, *factor;  /* of each channel of each image: y = (x - mean) * factor */
  quantized_range* used; /* by each channel of each image */
  float scale, epsilon;
  int64_t pixels, channels;
  quantized_writer writer;
} instance_norm_run;

/* Items are channels of images: means, variances, and the range of the results. */
static void measure_channels(void* arg, int64_t begin, int64_t end) {
  const instance_norm_run* run = arg;
  for (int64_t item = begin; item < end; item++) {
    const int64_t stride = run->channels;
    const uint8_t* x = run->x + item / stride * run->pixels * stride + item % stride;
    int64_t sum = 0, least = 255, most = 0;
    for (int64_t i = 0; i < run->pixels; i++) {
      const int64_t v = x[i * stride];
      sum += v;
      least = v < least ? v : least;
      most = v > most ? v : most;
    }
    const double mean = (double)sum / (double)run->pixels;
    double squares = 0;
    for (int64_t i = 0; i < run->pixels; i++) {
      const double d = (double)run->scale * ((double)x[i * stride] - mean);
      squares += d * d;
    }
    const float m = run->mean[item] = (float)mean;
    const float f = run->factor[item] =
        run->scale / sqrtf((float)(squares / (double)run->pixels) + run->epsilon);
    run->used[item] = (quantized_range){((float)least - m) * f, ((float)most - m) * f};
  }
}

/* Items are pixels of all images. */
static void normalize_pixels(void* arg, int64_t begin, int64_t end) {
  const instance_norm_run* run = arg;
  for (int64_t pixel = begin; pixel < end; pixel++)
    for (int64_t c = 0; c < run->channels; c++) {
      const int64_t i = pixel * run->channels + c, item = pixel / run->pixels * run->channels + c;
      run->y[i] = (uint8_t)quantized_write(((float)run->x[i] - run->mean[item]) * run->factor[item],
                                           &run->writer);
    }
}

static int instance_norm(tfc_context* ctx) {
  const norm_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  quantized_range r;
  if (x->rank != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be 4-dimensional: %s",
                     tfc_shape_text(x).text);
  TFC_TRY(tfc_want_scalar(ctx, 1, "`x_min` must be rank 0 but has shape"));
  TFC_TRY(tfc_want_scalar(ctx, 2, "`x_max` must be rank 0 but has shape"));
  TFC_TRY(quantized_ranges(ctx, 1, 1, &r));
  if (!(r.min < r.max))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input_min must be less than input_max : %g >= %g",
                     (double)r.min, (double)r.max);
  const int64_t items = x->dims[0] * x->dims[3], pixels = x->dims[1] * x->dims[2];
  instance_norm_run run = {.x = x->data,
                           .scale = (r.max - r.min) / 255.0f,
                           .epsilon = s->epsilon,
                           .pixels = pixels,
                           .channels = x->dims[3],
                           .mean = tfc_scratch_items(ctx, items + 1, sizeof *run.mean),
                           .factor = tfc_scratch_items(ctx, items + 1, sizeof *run.factor),
                           .used = tfc_scratch_items(ctx, items + 1, sizeof *run.used)};
  if (!run.mean || !run.factor || !run.used) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(tfc_output_like(ctx, 0, x));
  run.y = ctx->outputs[0].data;
  quantized_range to = {s->min, s->max};
  if (x->n) tfc_parallel_for(ctx, items, 2.0 * (double)pixels, measure_channels, &run);
  if (!s->given) {
    to = x->n ? run.used[0] : (quantized_range){0, 0};
    for (int64_t i = 1; x->n && i < items; i++)
      to = (quantized_range){fminf(to.min, run.used[i].min), fmaxf(to.max, run.used[i].max)};
  }
  if (to.max - to.min < s->least) to.max = to.min + s->least;
  TFC_TRY(quantized_put_range(ctx, 1, to));
  run.writer = quantized_writer_of(to, quantized_limits_of(TFC_QUINT8));
  if (x->n)
    tfc_parallel_for(ctx, x->n / x->dims[3], 2.0 * (double)x->dims[3], normalize_pixels, &run);
  return TFC_OK;
}

#define SAME_TYPE(T) "Tinput=" T ";out_type=" T
static const tfc_kernel_def kernels[] = {
    TFC_ROW("QuantizedBiasAdd", "T1=quint8;T2=quint8;out_type=qint32", bias_add),
    TFC_ROW("QuantizedBiasAdd", "T1=qint8;T2=qint8;out_type=qint32", bias_add),
    TFC_ROW("QuantizedRelu", SAME_TYPE("quint8"), relu),
    TFC_ROW("QuantizedRelu", SAME_TYPE("qint32"), relu),
    TFC_ROW("QuantizedRelu6", SAME_TYPE("quint8"), relu6),
    TFC_ROW("QuantizedRelu6", SAME_TYPE("qint32"), relu6),
    TFC_ROW("QuantizedReluX", SAME_TYPE("quint8"), relu_x),
    TFC_ROW("QuantizedReluX", SAME_TYPE("qint32"), relu_x),
    TFC_ROW("QuantizedMaxPool", "T=quint8|qint8", max_pool, TFC_STATE(create_pool)),
    TFC_ROW("QuantizedAvgPool", "T=quint8|qint8", avg_pool, TFC_STATE(create_pool)),
    TFC_ROW("QuantizedConcat", "T=quint8|qint32", concat),
    TFC_ROW("QuantizedBatchNormWithGlobalNormalization", "Tinput=quint8;out_type=qint32",
            batch_norm, TFC_STATE(create_batch_norm)),
    TFC_ROW("QuantizedInstanceNorm", "T=quint8", instance_norm, TFC_STATE(create_instance_norm)),
};
TFC_REGISTER_KERNELS(kernels);
