/* ScaleAndTranslate and its gradient: images are resized by filters, along each axis in turn. */
#include "kernels_c/image/scale.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/image/resize.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct scale_state {
  const scale_filter* filter;
  bool antialias;
} scale_state;

typedef struct scale_run {
  tfc_context* ctx;
  const void* from;
  int32_t dtype; /* of `from` */
  float* to;
  int64_t batch, channels;
  scale_axis y, x;
  bool failed;
} scale_run;

/* ---- The images. Item: a row of the output. */

static void mix_rows(const scale_run* r, int64_t image, int64_t y, float* mixed, float* row) {
  const int64_t n = r->x.in * r->channels;
  const float* weights = r->y.weights + y * r->y.taps;
  memset(mixed, 0, (size_t)n * sizeof *mixed);
  for (int64_t k = 0; k < r->y.counts[y]; k++) {
    resize_to_float(r->dtype, r->from, (image * r->y.in + r->y.first[y] + k) * n, row, n);
    for (int64_t i = 0; i < n; i++) mixed[i] += weights[k] * row[i];
  }
}

/* Pixels of up to `CHANNELS` channels, whose sums stay in registers; `depth`: a constant. */
enum { CHANNELS = 4 };
static inline void mix_pixels(const scale_run* r, const float* mixed, float* to, int64_t depth) {
  for (int64_t x = 0; x < r->x.out; x++, to += depth) {
    const float* weights = r->x.weights + x * r->x.taps;
    const float* from = mixed + r->x.first[x] * depth;
    float sums[CHANNELS] = {0};
    for (int64_t k = 0; k < r->x.counts[x]; k++, from += depth)
      for (int64_t c = 0; c < depth; c++) sums[c] += weights[k] * from[c];
    for (int64_t c = 0; c < depth; c++) to[c] = sums[c];
  }
}

static void mix_columns(const scale_run* r, const float* mixed, float* to) {
  const int64_t depth = r->channels;
  switch (depth) {
    case 1: mix_pixels(r, mixed, to, 1); return;
    case 2: mix_pixels(r, mixed, to, 2); return;
    case 3: mix_pixels(r, mixed, to, 3); return;
    case 4: mix_pixels(r, mixed, to, 4); return;
    default: break;
  }
  for (int64_t x = 0; x < r->x.out; x++, to += depth) {
    const float* weights = r->x.weights + x * r->x.taps;
    const float* from = mixed + r->x.first[x] * depth;
    for (int64_t c = 0; c < depth; c++) to[c] = 0;
    for (int64_t k = 0; k < r->x.counts[x]; k++, from += depth)
      for (int64_t c = 0; c < depth; c++) to[c] += weights[k] * from[c];
  }
}

static void scale_range(void* arg, int64_t begin, int64_t end) {
  scale_run* r = arg;
  const int64_t n = r->x.in * r->channels;
  float* memory = tfc_scratch(r->ctx, 2 * (size_t)n * sizeof *memory);
  if (!memory) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t i = begin; i < end; i++) {
    mix_rows(r, i / r->y.out, i % r->y.out, memory, memory + n);
    mix_columns(r, memory, r->to + i * r->x.out * r->channels);
  }
}

/* ---- The gradient: pixels get back what they gave. Item: an image. */

static void spread_columns(const scale_run* r, const float* grads, double* row) {
  const int64_t depth = r->channels;
  memset(row, 0, (size_t)(r->x.in * depth) * sizeof *row);
  for (int64_t x = 0; x < r->x.out; x++, grads += depth) {
    const float* weights = r->x.weights + x * r->x.taps;
    double* to = row + r->x.first[x] * depth;
    for (int64_t k = 0; k < r->x.counts[x]; k++, to += depth)
      for (int64_t c = 0; c < depth; c++) to[c] += (double)weights[k] * grads[c];
  }
}

static void spread_range(void* arg, int64_t begin, int64_t end) {
  scale_run* r = arg;
  const int64_t n = r->x.in * r->channels, all = r->y.in * n;
  double* sums = tfc_scratch(r->ctx, (size_t)(all + n) * sizeof *sums);
  if (!sums) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  double* row = sums + all;
  for (int64_t image = begin; image < end; image++) {
    memset(sums, 0, (size_t)all * sizeof *sums);
    for (int64_t y = 0; y < r->y.out; y++) {
      const float* weights = r->y.weights + y * r->y.taps;
      double* to = sums + r->y.first[y] * n;
      spread_columns(r, (const float*)r->from + (image * r->y.out + y) * r->x.out * r->channels,
                     row);
      for (int64_t k = 0; k < r->y.counts[y]; k++, to += n)
        for (int64_t i = 0; i < n; i++) to[i] += (double)weights[k] * row[i];
    }
    for (int64_t i = 0; i < all; i++) r->to[image * all + i] = (float)sums[i];
  }
}

/* ---- The kernels. */

static int read_pair(tfc_context* ctx, int input, float* values) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank != 1) REFUSE("t must be 1-dimensional%s", tfc_shape_text(t).text);
  if (t->n != 2) REFUSE("t must have two elements%s", tfc_shape_text(t).text);
  memcpy(values, t->data, 2 * sizeof *values);
  return TFC_OK;
}

/* Reads scale and translation; makes the axes of the images, whose sizes are set. */
static int make_axes(tfc_context* ctx, scale_run* r) {
  const scale_state* s = ctx->state;
  float scale[2], translation[2];
  TFC_TRY(read_pair(ctx, 2, scale));
  if (!(scale[0] > 0 && scale[1] > 0))
    REFUSE("Scale must be greater than zero. Got %g and %g", scale[0], scale[1]);
  TFC_TRY(read_pair(ctx, 3, translation));
  if (r->y.in < 1 || r->x.in < 1) return TFC_OK; /* a gradient without pixels */
  TFC_TRY(scale_make_axis(ctx, s->filter, s->antialias, r->y.in, r->y.out, scale[0], translation[0],
                          &r->y));
  return scale_make_axis(ctx, s->filter, s->antialias, r->x.in, r->x.out, scale[1], translation[1],
                         &r->x);
}

static int check_sides(tfc_context* ctx, const tfc_tensor* t, const char* what) {
  if (t->dims[1] < INT32_MAX && t->dims[2] < INT32_MAX) return TFC_OK;
  REFUSE("%s sizes must be between 0 and max int32, got %s", what, tfc_shape_text(t).text);
}

static int scale_and_translate(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *size = ctx->inputs[1];
  if (x->rank != 4) REFUSE("input must be 4-dimensional%s", tfc_shape_text(x).text);
  if (size->rank != 1) REFUSE("output_shape_t must be 1-dimensional%s", tfc_shape_text(size).text);
  if (size->n != 2) REFUSE("output_shape_t must have two elements%s", tfc_shape_text(size).text);
  TFC_TRY(check_sides(ctx, x, "input"));
  int64_t sides[2];
  tfc_read_indices(size, sides);
  if (sides[0] <= 0 || sides[1] <= 0)
    REFUSE("output dimensions must be positive, got %lld and %lld", (long long)sides[0],
           (long long)sides[1]);
  if (!x->dims[3]) REFUSE("image must have at least one channel");
  if (!x->dims[1] || !x->dims[2])
    REFUSE("input image must be of non-zero size, got %s", tfc_shape_text(x).text);
  scale_run r = {.ctx = ctx, .from = x->data, .dtype = x->dtype, .channels = x->dims[3]};
  r.y = (scale_axis){.in = x->dims[1], .out = sides[0]};
  r.x = (scale_axis){.in = x->dims[2], .out = sides[1]};
  TFC_TRY(make_axes(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){x->dims[0], sides[0], sides[1], r.channels}));
  if (!ctx->outputs[0].n) return TFC_OK;
  r.to = ctx->outputs[0].data;
  const double cost = (double)(r.x.in * r.channels) * (double)r.y.taps * 0.3 +
                      (double)(r.x.out * r.channels) * (double)r.x.taps;
  tfc_parallel_for(ctx, x->dims[0] * sides[0], cost, scale_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

static int scale_and_translate_grad(tfc_context* ctx) {
  const tfc_tensor *grads = ctx->inputs[0], *image = ctx->inputs[1];
  if (grads->rank != 4) REFUSE("input_grad must be 4-dimensional%s", tfc_shape_text(grads).text);
  if (image->rank != 4)
    REFUSE("original_image must be 4-dimensional%s", tfc_shape_text(image).text);
  TFC_TRY(check_sides(ctx, image, "original"));
  scale_run r = {.ctx = ctx, .from = grads->data, .channels = grads->dims[3]};
  r.y = (scale_axis){.in = image->dims[1], .out = grads->dims[1]};
  r.x = (scale_axis){.in = image->dims[2], .out = grads->dims[2]};
  TFC_TRY(make_axes(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){grads->dims[0], r.y.in, r.x.in, r.channels}));
  if (!ctx->outputs[0].n) return TFC_OK;
  r.to = ctx->outputs[0].data;
  const double cost =
      (double)(r.y.out * r.channels) * ((double)(r.x.out * r.x.taps) + (double)(r.x.in * r.y.taps));
  tfc_parallel_for(ctx, grads->dims[0], cost, spread_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

static int read_attrs(tfc_construction* c, void* state) {
  scale_state* s = state;
  const char* name;
  size_t size;
  TFC_TRY(c->api->attr_bool(c, "antialias", &s->antialias));
  TFC_TRY(c->api->attr_string(c, "kernel_type", &name, &size));
  s->filter = scale_find_filter(name, size);
  if (s->filter) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "Unrecognized kernel type: %.*s", (int)size, name);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(scale_state), read_attrs, state);
}

#define TYPES TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|uint8|uint16"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ScaleAndTranslate", "T=" TYPES, scale_and_translate, TFC_STATE(create),
            .flags = TFC_KERNEL_LEAVES_LOOPS),
    TFC_ROW("ScaleAndTranslateGrad", "T=float", scale_and_translate_grad, TFC_STATE(create),
            .flags = TFC_KERNEL_LEAVES_LOOPS),
};
TFC_REGISTER_KERNELS(kernels);
