/* Conversions of quantized numbers: from and to float, and to other ranges. */
#include "kernels_c/quantized/quantized.h"

enum { COMBINED, FIRST, SCALED };

typedef struct convert_state {
  int mode;
  bool to_even, narrow;
  int64_t axis;
  float least; /* QuantizeV2: the least width of a range, relative to its ends */
} convert_state;

static bool is_text(const char* text, size_t size, const char* expected) {
  return size == strlen(expected) && memcmp(text, expected, size) == 0;
}

static int read_mode(tfc_construction* c, convert_state* s) {
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "mode", &text, &size));
  s->mode = is_text(text, size, "MIN_FIRST") ? FIRST
            : is_text(text, size, "SCALED")  ? SCALED
                                             : COMBINED;
  TFC_TRY(c->api->attr_bool(c, "narrow_range", &s->narrow));
  return c->api->attr_int(c, "axis", &s->axis);
}

static int keep(tfc_construction* c, const convert_state* s, void** state) {
  convert_state* copy = tfc_new_state(c, sizeof *copy);
  if (!copy) return TFC_RESOURCE_EXHAUSTED;
  *copy = *s;
  *state = copy;
  return TFC_OK;
}

static int create_quantize(tfc_construction* c, void** state) {
  convert_state s = {0};
  const char* text;
  size_t size;
  double least;
  TFC_TRY(read_mode(c, &s));
  TFC_TRY(c->api->attr_string(c, "round_mode", &text, &size));
  TFC_TRY(c->api->attr_float(c, "ensure_minimum_range", &least));
  s.to_even = is_text(text, size, "HALF_TO_EVEN");
  s.least = (float)least;
  if (s.to_even && s.mode != SCALED)
    return c->api->error(
        c, TFC_INVALID_ARGUMENT,
        "Round mode 'HALF_TO_EVEN' only supported for mode 'SCALED', but mode is '%s'.",
        s.mode == FIRST ? "MIN_FIRST" : "MIN_COMBINED");
  return keep(c, &s, state);
}

static int create_dequantize(tfc_construction* c, void** state) {
  convert_state s = {0};
  TFC_TRY(read_mode(c, &s));
  return keep(c, &s, state);
}

/* ---- The axis along which each slice has its own range */

typedef struct slices {
  int64_t n, outer, inner; /* without an axis: one slice of everything */
} slices;

static int find_slices(tfc_context* ctx, slices* s) {
  const convert_state* state = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t axis = state->axis;
  *s = (slices){1, 1, x->n};
  if (axis < -1 || axis >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Axis must be less than input dimension(%d), got %lld", (int)x->rank,
                     (long long)axis);
  if (axis >= 0)
    *s = (slices){x->dims[axis], tfc_product((int)axis, x->dims),
                  tfc_product(x->rank - (int)axis - 1, x->dims + axis + 1)};
  for (int i = 1; i <= 2; i++) {
    const tfc_tensor* end = ctx->inputs[i];
    if (end->n != s->n || (axis >= 0 && end->rank != 1))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s must have as many elements as input on the axis (%lld), got shape %s, "
                       "expected %lld",
                       i == 1 ? "min_range" : "max_range", (long long)axis,
                       tfc_shape_text(end).text, (long long)s->n);
  }
  if (axis >= 0 && state->mode == FIRST)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "MIN_FIRST mode is not implemented for quantization with axis != -1.");
  return TFC_OK;
}

/* ---- QuantizeV2 */

/* What a slice's numbers become: round((clamp(x) - shift) * scale - half), clamped again by a
 * writer in mode MIN_FIRST. */
typedef struct quantizer {
  int mode;
  bool to_even, is_signed;
  float min, max, shift, scale, half;
  quantized_writer writer;
} quantizer;

typedef struct quantize_run {
  const float* x;
  void* y;
  int32_t dtype;
  const quantizer* q;
  slices s;
} quantize_run;

static inline float quantize_clamp(float x, const quantizer* q) {
  x = x < q->max ? x : q->max; /* NaN is the maximum */
  return x > q->min ? x : q->min;
}

/* float to int32 as x86 converts, on every processor. */
static inline int32_t to_int32(float x) {
  return (x >= -0x1p31f) & (x < 0x1p31f) ? (int32_t)x : INT32_MIN;
}

#define QUANTIZE_EACH(EXPRESSION)            \
  for (int64_t i = 0; i < n; i++) {          \
    const float v = quantize_clamp(x[i], q); \
    y[i] = (T)to_int32(EXPRESSION);          \
  }

static void quantize_some(const quantizer* q, int32_t dtype, const float* x, void* to, int64_t at,
                          int64_t n) {
  x += at;
  QUANTIZED_SWITCH(dtype, {
    T* y = (T*)to + at;
    if (q->mode == FIRST)
      for (int64_t i = 0; i < n; i++) y[i] = (T)quantized_write(x[i], &q->writer);
    else if (q->mode == SCALED && q->to_even)
      QUANTIZE_EACH(rintf(v * q->scale))
    else if (q->mode == SCALED)
      QUANTIZE_EACH(roundf(v * q->scale))
    else if (q->is_signed)
      QUANTIZE_EACH(roundf((v - q->shift) * q->scale - q->half))
    else
      QUANTIZE_EACH((v - q->shift) * q->scale + 0.5f)
  })
}

/* Items are rows of `inner` elements, or elements if there is one slice. */
static void quantize_rows(void* arg, int64_t begin, int64_t end) {
  const quantize_run* run = arg;
  if (run->s.n == 1 && run->s.outer == 1) {
    quantize_some(run->q, run->dtype, run->x, run->y, begin, end - begin);
    return;
  }
  for (int64_t row = begin; row < end; row++)
    quantize_some(&run->q[row % run->s.n], run->dtype, run->x, run->y, row * run->s.inner,
                  run->s.inner);
}

static int fit_quantizer(tfc_context* ctx, quantized_range given, int32_t dtype, quantizer* q) {
  const convert_state* s = ctx->state;
  const quantized_limits t = quantized_limits_of(dtype);
  if (given.max < given.min)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "input_max_range must be larger than input_min_range.");
  /* Zero is in the range, and the ends are apart. */
  quantized_range r = {fminf(0.0f, given.min), 0};
  const float least = fmaxf(1.0f, fmaxf(fabsf(given.min), fabsf(given.max))) * s->least;
  r.max = fmaxf(0.0f, fmaxf(given.max, r.min + least));
  *q = (quantizer){s->mode, s->to_even, t.lowest < 0, r.min, r.max, r.min, 0, 0, {0, 0, 0, 0}};
  if (s->mode == FIRST) {
    q->writer = quantized_writer_of(r, t);
  } else if (s->mode == SCALED) {
    const float low = (float)(t.lowest + s->narrow), high = (float)t.highest;
    const float below = low * r.min > 0 ? low / r.min : FLT_MAX;
    const float above = high * r.max > 0 ? high / r.max : FLT_MAX;
    q->scale = fminf(below, above);
    q->min = low / q->scale;
    q->max = high / q->scale;
  } else {
    q->scale = (float)((double)(t.highest - t.lowest) / (double)(r.max - r.min));
    q->half = t.lowest < 0 ? (float)(t.highest - t.lowest + 1) / 2.0f : 0.0f;
  }
  return TFC_OK;
}

static int quantize(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  quantize_run run;
  TFC_TRY(find_slices(ctx, &run.s));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(tfc_output_like(ctx, 1, ctx->inputs[1]));
  TFC_TRY(tfc_output_like(ctx, 2, ctx->inputs[2]));
  quantizer* q = tfc_scratch_items(ctx, run.s.n + 1, sizeof *q);
  if (!q) return TFC_RESOURCE_EXHAUSTED;
  run.dtype = ctx->outputs[0].dtype;
  for (int64_t i = 0; i < run.s.n; i++) {
    const quantized_range given = {((const float*)ctx->inputs[1]->data)[i],
                                   ((const float*)ctx->inputs[2]->data)[i]};
    TFC_TRY(fit_quantizer(ctx, given, run.dtype, &q[i]));
    ((float*)ctx->outputs[1].data)[i] = q[i].min;
    ((float*)ctx->outputs[2].data)[i] = q[i].max;
  }
  if (x->n == 0) return TFC_OK;
  run.x = x->data;
  run.y = ctx->outputs[0].data;
  run.q = q;
  const bool whole = run.s.n == 1 && run.s.outer == 1;
  const int64_t items = whole ? x->n : run.s.n * run.s.outer;
  tfc_parallel_for(ctx, items, whole ? 1.0 : (double)run.s.inner, quantize_rows, &run);
  return TFC_OK;
}

/* ---- Dequantize */

typedef struct dequantizer {
  float half, scale, shift; /* (q + half) * scale + shift */
} dequantizer;

typedef struct dequantize_run {
  const void* x;
  float* y;
  int32_t dtype;
  const dequantizer* d;
  slices s;
} dequantize_run;

static void dequantize_some(const dequantizer* d, int32_t dtype, const void* from, float* y,
                            int64_t at, int64_t n) {
  const float half = d->half, scale = d->scale, shift = d->shift;
  y += at;
  QUANTIZED_SWITCH(dtype, {
    const T* x = (const T*)from + at;
    for (int64_t i = 0; i < n; i++) y[i] = ((float)x[i] + half) * scale + shift;
  })
}

static void dequantize_rows(void* arg, int64_t begin, int64_t end) {
  const dequantize_run* run = arg;
  if (run->s.n == 1 && run->s.outer == 1) {
    dequantize_some(run->d, run->dtype, run->x, run->y, begin, end - begin);
    return;
  }
  for (int64_t row = begin; row < end; row++)
    dequantize_some(&run->d[row % run->s.n], run->dtype, run->x, run->y, row * run->s.inner,
                    run->s.inner);
}

static dequantizer fit_dequantizer(const convert_state* s, quantized_range r, int32_t dtype) {
  const quantized_limits t = quantized_limits_of(dtype);
  if (s->mode == FIRST) {
    const quantized_reader reader = quantized_reader_of(r, t);
    return (dequantizer){0, reader.scale, reader.first};
  }
  if (s->mode == SCALED) {
    const float high = (float)t.highest, above = r.max / high;
    if (t.lowest == 0) return (dequantizer){0, above, 0};
    const float below = r.min / (float)(t.lowest + s->narrow);
    return (dequantizer){0, below < above ? above : below, 0};
  }
  const float half = t.lowest < 0 ? ((float)t.highest - (float)t.lowest + 1) / 2.0f : 0.0f;
  return (dequantizer){half, (r.max - r.min) / ((float)t.highest - (float)t.lowest), r.min};
}

static int dequantize(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const convert_state* state = ctx->state;
  dequantize_run run = {.dtype = x->dtype};
  TFC_TRY(find_slices(ctx, &run.s));
  TFC_TRY(tfc_output_like(ctx, 0, x));
  tfc_tensor* out = &ctx->outputs[0];
  const bool narrow = out->dtype == TFC_BFLOAT16;
  if (narrow && state->mode != COMBINED)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "When output type is bfloat16, Mode string must be 'MIN_COMBINED', is '%s'",
                     state->mode == FIRST ? "MIN_FIRST" : "SCALED");
  dequantizer* d = tfc_scratch_items(ctx, run.s.n + 1, sizeof *d);
  float* wide = narrow ? tfc_scratch_items(ctx, x->n + 1, sizeof *wide) : out->data;
  if (!d || (x->n && !wide)) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < run.s.n; i++)
    d[i] = fit_dequantizer(state,
                           (quantized_range){((const float*)ctx->inputs[1]->data)[i],
                                             ((const float*)ctx->inputs[2]->data)[i]},
                           run.dtype);
  if (x->n == 0) return TFC_OK;
  run.x = x->data;
  run.y = wide;
  run.d = d;
  const bool whole = run.s.n == 1 && run.s.outer == 1;
  const int64_t items = whole ? x->n : run.s.n * run.s.outer;
  tfc_parallel_for(ctx, items, whole ? 0.3 : 0.3 * (double)run.s.inner, dequantize_rows, &run);
  if (narrow) tfc_narrow(TFC_BFLOAT16, wide, out->data, x->n);
  return TFC_OK;
}

/* ---- Requantize, QuantizeDownAndShrinkRange, RequantizationRange */

typedef struct requantize_run {
  const int32_t* x;
  void* y;
  int64_t scale, add; /* to quint8: in fixed point */
  quantized_reader reader;
  quantized_writer writer;
} requantize_run;

enum { FIXED_POINT = 16 };

static void requantize_to_quint8(void* arg, int64_t begin, int64_t end) {
  const requantize_run* run = arg;
  uint8_t* y = run->y;
  for (int64_t i = begin; i < end; i++) {
    /* The upper half of the 64-bit product; a scale beyond 32 bits does not fit it. */
    const __int128 product = (__int128)run->x[i] * run->scale;
    const int64_t q = ((int64_t)(product >> 32) + run->add) >> FIXED_POINT;
    y[i] = (uint8_t)(q < 0 ? 0 : q > 255 ? 255 : q);
  }
}

static void requantize_to_qint8(void* arg, int64_t begin, int64_t end) {
  const requantize_run* run = arg;
  int8_t* y = run->y;
  for (int64_t i = begin; i < end; i++)
    y[i] = (int8_t)quantized_write(run->reader.first + (float)run->x[i] * run->reader.scale,
                                   &run->writer);
}

static int64_t to_fixed(double x) {
  return fabs(x) < 0x1p55 ? (int64_t)x : x < 0 ? -((int64_t)1 << 55) : (int64_t)1 << 55;
}

/* Input 0 in the range `from` to output 0 in the range `to`. */
static int requantize_to(tfc_context* ctx, quantized_range from, quantized_range to) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  TFC_TRY(quantized_put_range(ctx, 1, to));
  tfc_tensor* out = &ctx->outputs[0];
  requantize_run run = {.x = x->data, .y = out->data};
  if (out->dtype == TFC_QINT8) {
    run.reader = quantized_reader_of(from, quantized_limits_of(TFC_QINT32));
    run.writer = quantized_writer_of(to, quantized_limits_of(TFC_QINT8));
    tfc_parallel_for(ctx, x->n, 1.5, requantize_to_qint8, &run);
    return TFC_OK;
  }
  const double one = 1 << FIXED_POINT;
  const float from_width = from.max - from.min, to_width = to.max - to.min;
  const float inverse = to_width == 0 ? 0.0f : (float)(255.0 / (double)to_width);
  const float middle = (float)((double)(from.min + from.max) / 2.0);
  const int64_t first =
      to_width == 0 ? 0 : to_fixed(one * ((double)to.min * 255.0) / (double)to_width);
  run.scale = to_width == 0 ? 0 : to_fixed(255.0 * one * (double)from_width / (double)to_width);
  run.add = to_fixed((double)(middle * inverse * (float)one)) - first + (1 << (FIXED_POINT - 1));
  tfc_parallel_for(ctx, x->n, 1.0, requantize_to_quint8, &run);
  return TFC_OK;
}

static int requantize(tfc_context* ctx) {
  quantized_range r[2];
  TFC_TRY(quantized_ranges(ctx, 1, 2, r));
  if (!(r[1].min <= 0))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "requested_output_min must be <= 0, but got %g",
                     (double)r[1].min);
  if (!(r[1].max >= 0))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "requested_output_max must be >= 0, but got %g",
                     (double)r[1].max);
  return requantize_to(ctx, r[0], r[1]);
}

/* The range of the numbers that input 0 has. */
static quantized_range used_range(const tfc_tensor* x, quantized_range r) {
  const quantized_limits t = quantized_limits_of(TFC_QINT32);
  const int32_t* q = x->data;
  int32_t least = INT32_MAX, most = INT32_MIN;
  for (int64_t i = 0; i < x->n; i++) {
    least = q[i] < least ? q[i] : least;
    most = q[i] > most ? q[i] : most;
  }
  return (quantized_range){fminf(0.0f, quantized_value(least, r, t)), quantized_value(most, r, t)};
}

static int shrink_range(tfc_context* ctx) {
  quantized_range r;
  TFC_TRY(quantized_ranges(ctx, 1, 1, &r));
  return requantize_to(ctx, r, used_range(ctx->inputs[0], r));
}

static int requantization_range(tfc_context* ctx) {
  quantized_range r;
  TFC_TRY(quantized_ranges(ctx, 1, 1, &r));
  return quantized_put_range(ctx, 0, used_range(ctx->inputs[0], r));
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("QuantizeV2", "T=" QUANTIZED_TYPES, quantize, TFC_STATE(create_quantize)),
    TFC_ROW("Dequantize", "T=" QUANTIZED_TYPES ";dtype=float|bfloat16", dequantize,
            TFC_STATE(create_dequantize)),
    TFC_ROW("Requantize", "Tinput=qint32;out_type=qint8|quint8", requantize),
    TFC_ROW("QuantizeDownAndShrinkRange", "Tinput=qint32;out_type=quint8", shrink_range),
    TFC_ROW("RequantizationRange", "Tinput=qint32", requantization_range),
};
TFC_REGISTER_KERNELS(kernels);
