/* CropAndResize and its gradients. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_types.h"
#include "kernels_c/common/template.h"
#include "kernels_c/image/crop.h"
#include "kernels_c/image/resize.h"

typedef struct crop_state {
  bool nearest;
  float extrapolation;
} crop_state;

typedef struct crop_run {
  tfc_context* ctx;
  const crop_state* state;
  const void* image; /* [batch, height, width, depth] */
  const float* boxes;
  const int32_t* image_of; /* a checked copy */
  const float* grads;      /* [boxes, rows, columns, depth] */
  void* out;
  int64_t batch, height, width, depth, count, rows, columns;
  int32_t dtype;
  bool failed;
} crop_run;

/* ---- Positions. */

static crop_place row_at(const crop_run* r, int64_t box, int64_t y) {
  const float* b = r->boxes + 4 * box;
  return crop_place_at(b[0], b[2], r->height, r->rows, y, r->state->nearest);
}

/* Those of a box's columns; the range that they need is [first, last]. */
typedef struct crop_columns {
  crop_place* places;
  int64_t box; /* -1: none */
  int32_t first, last;
} crop_columns;

static void place_columns(const crop_run* r, int64_t box, crop_columns* c) {
  const float* b = r->boxes + 4 * box;
  if (c->box == box) return;
  c->box = box;
  c->first = INT32_MAX;
  c->last = -1;
  for (int64_t i = 0; i < r->columns; i++) {
    crop_place p = crop_place_at(b[1], b[3], r->width, r->columns, i, r->state->nearest);
    c->places[i] = p;
    if (!p.inside) continue;
    c->first = TFC_MIN(c->first, p.below);
    c->last = TFC_MAX(c->last, p.above);
  }
}

/* ---- CropAndResize. Item: a row of a crop. What its columns need of the two rows of the image is
 * mixed, and then resized. */

enum { TAIL = 4 }; /* readable elements behind a mixed row: a pixel is one vector */
TFC_VECTOR_TYPE_OF(pixel, float, 16);

static void fill(float* to, float value, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = value;
}

static void mix(const crop_run* r, int64_t image, crop_place y, const crop_columns* c, float* mixed,
                float* other) {
  int64_t first = c->first * r->depth, n = (c->last - c->first + 1) * r->depth;
  int64_t row = r->width * r->depth, at = image * r->height * row + first;
  if (r->dtype == TFC_UINT8 && !r->state->nearest) { /* without a copy */
    const uint8_t *a = (const uint8_t*)r->image + at + y.below * row,
                  *b = (const uint8_t*)r->image + at + y.above * row;
    for (int64_t i = 0; i < n; i++) mixed[i] = (float)a[i] + (float)(b[i] - a[i]) * y.share;
    return;
  }
  resize_to_float(r->dtype, r->image, at + y.below * row, mixed, n);
  if (y.above == y.below) return;
  resize_to_float(r->dtype, r->image, at + y.above * row, other, n);
  for (int64_t i = 0; i < n; i++) mixed[i] += (other[i] - mixed[i]) * y.share;
}

/* Pixels of up to four channels, stored as vectors: what is behind one is overwritten by the next,
 * but for the last ones. */
static inline void crop_pixels(const crop_run* r, const crop_columns* c, const float* mixed,
                               float* to, int64_t depth) {
  int64_t whole = r->columns - 4 / depth;
  for (int64_t i = 0; i < r->columns; i++, to += depth) {
    crop_place x = c->places[i];
    pixel value = r->state->extrapolation - (pixel){0};
    if (x.inside) {
      pixel a = *(const pixel_unaligned*)(mixed + (x.below - c->first) * depth);
      pixel b = *(const pixel_unaligned*)(mixed + (x.above - c->first) * depth);
      value = a;
      if (x.above != x.below) value += (b - a) * x.share;
    }
    if (i < whole)
      *(pixel_unaligned*)to = value;
    else
      memcpy(to, &value, (size_t)depth * sizeof(float));
  }
}

static void crop_channels(const crop_run* r, const crop_columns* c, const float* mixed, float* to) {
  for (int64_t i = 0; i < r->columns; i++, to += r->depth) {
    crop_place x = c->places[i];
    if (!x.inside) {
      fill(to, r->state->extrapolation, r->depth);
      continue;
    }
    const float *a = mixed + (x.below - c->first) * r->depth,
                *b = mixed + (x.above - c->first) * r->depth;
    if (a == b)
      memcpy(to, a, (size_t)r->depth * sizeof(float));
    else
      for (int64_t k = 0; k < r->depth; k++) to[k] = a[k] + (b[k] - a[k]) * x.share;
  }
}

/* ---- Without mixed rows, if a box has many columns between those that are needed: the four pixels
 * around each position. The arithmetic is the same. */

TFC_VECTOR_TYPE_OF(pixel_bytes, uint8_t, 4);

static inline pixel pixel_at(int32_t dtype, const void* row, int64_t i) {
  if (dtype == TFC_FLOAT) return *(const pixel_unaligned*)((const float*)row + i);
  return __builtin_convertvector(*(const pixel_bytes_unaligned*)((const uint8_t*)row + i), pixel);
}

static inline void crop_corners(const crop_run* r, const crop_columns* c, crop_place y,
                                const void* below, const void* above, float* to, int64_t depth,
                                int32_t dtype) {
  int64_t whole = r->columns - 4 / depth;
  for (int64_t i = 0; i < r->columns; i++, to += depth) {
    crop_place x = c->places[i];
    pixel value = r->state->extrapolation - (pixel){0};
    if (x.inside) {
      value = pixel_at(dtype, below, x.below * depth);
      if (y.above != y.below) value += (pixel_at(dtype, above, x.below * depth) - value) * y.share;
      if (x.above != x.below) {
        pixel right = pixel_at(dtype, below, x.above * depth);
        if (y.above != y.below)
          right += (pixel_at(dtype, above, x.above * depth) - right) * y.share;
        value += (right - value) * x.share;
      }
    }
    if (i < whole)
      *(pixel_unaligned*)to = value;
    else
      memcpy(to, &value, (size_t)depth * sizeof(float));
  }
}

static void crop_corner_channels(const crop_run* r, const crop_columns* c, crop_place y,
                                 const float* below, const float* above, float* to) {
  const int64_t depth = r->depth;
  for (int64_t i = 0; i < r->columns; i++, to += depth) {
    crop_place x = c->places[i];
    if (!x.inside) {
      fill(to, r->state->extrapolation, depth);
      continue;
    }
    const float *p = below + x.below * depth, *q = below + x.above * depth;
    const float *s = above + x.below * depth, *t = above + x.above * depth;
    if (y.above == y.below && x.above == x.below)
      memcpy(to, p, (size_t)depth * sizeof *to);
    else if (y.above == y.below)
      for (int64_t k = 0; k < depth; k++) to[k] = p[k] + (q[k] - p[k]) * x.share;
    else if (x.above == x.below)
      for (int64_t k = 0; k < depth; k++) to[k] = p[k] + (s[k] - p[k]) * y.share;
    else
      for (int64_t k = 0; k < depth; k++) {
        const float left = p[k] + (s[k] - p[k]) * y.share;
        to[k] = left + (q[k] + (t[k] - q[k]) * y.share - left) * x.share;
      }
  }
}

/* Returns false if the row is better mixed: pixels are loaded as vectors, which must not reach
 * behind the image. */
static bool crop_directly(const crop_run* r, int64_t image, crop_place y, const crop_columns* c,
                          float* to) {
  const int64_t few = r->dtype == TFC_FLOAT ? 1 : 8; /* bytes must be converted, as vectors */
  if (c->last - c->first + 1 <= few * r->columns) return false;
  const int64_t row = r->width * r->depth, first = image * r->height * row;
  const int64_t below = first + y.below * row, above = first + y.above * row;
  if (r->depth > 4) {
    if (r->dtype != TFC_FLOAT) return false;
    const float* from = r->image;
    crop_corner_channels(r, c, y, from + below, from + above, to);
    return true;
  }
  if (above + row + TAIL > r->batch * r->height * row) return false;
  if (r->dtype == TFC_FLOAT) {
    const float* from = r->image;
    if (r->depth == 3)
      crop_corners(r, c, y, from + below, from + above, to, 3, TFC_FLOAT);
    else
      crop_corners(r, c, y, from + below, from + above, to, r->depth, TFC_FLOAT);
    return true;
  }
  if (r->dtype != TFC_UINT8) return false;
  const uint8_t* from = r->image;
  if (r->depth == 3)
    crop_corners(r, c, y, from + below, from + above, to, 3, TFC_UINT8);
  else
    crop_corners(r, c, y, from + below, from + above, to, r->depth, TFC_UINT8);
  return true;
}

static void crop_row(const crop_run* r, int64_t i, crop_columns* c, float* mixed, float* other) {
  int64_t box = i / r->rows, n = r->columns * r->depth;
  float* to = (float*)r->out + i * n;
  crop_place y = row_at(r, box, i % r->rows);
  place_columns(r, box, c);
  if (!y.inside || c->last < 0) {
    fill(to, r->state->extrapolation, n);
    return;
  }
  if (crop_directly(r, r->image_of[box], y, c, to)) return;
  mix(r, r->image_of[box], y, c, mixed, other);
  if (r->depth == 3) /* a constant, for the compiler */
    crop_pixels(r, c, mixed, to, 3);
  else if (r->depth <= 4)
    crop_pixels(r, c, mixed, to, r->depth);
  else
    crop_channels(r, c, mixed, to);
}

static void crop_range(void* arg, int64_t begin, int64_t end) {
  crop_run* r = arg;
  int64_t row = r->width * r->depth + TAIL;
  crop_columns c = {tfc_scratch(r->ctx, (size_t)r->columns * sizeof(crop_place)), -1, 0, 0};
  float* memory = tfc_scratch(r->ctx, (size_t)(2 * row) * sizeof(float));
  if (!c.places || !memory) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  memset(memory, 0, (size_t)(2 * row) * sizeof(float)); /* tails are read */
  for (int64_t i = begin; i < end; i++) crop_row(r, i, &c, memory, memory + row);
}

/* ---- Checks. */

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* Inputs `boxes` and the one behind it: boxes, and the image of each. */
static int read_boxes(tfc_context* ctx, int input, crop_run* r) {
  const tfc_tensor *boxes = ctx->inputs[input], *of = ctx->inputs[input + 1];
  if (boxes->rank != 2) REFUSE("boxes must be 2-D, got: %s", tfc_shape_text(boxes).text);
  if (of->rank != 1) REFUSE("box_indices must be rank 1 but is shape %s", tfc_shape_text(of).text);
  if (boxes->dims[1] != 4 && boxes->dims[0]) REFUSE("boxes must have 4 columns");
  if (of->n != boxes->dims[0]) REFUSE("box_index has incompatible shape");
  r->count = boxes->dims[0];
  float* copy = tfc_scratch(ctx, (size_t)(4 * r->count + 1) * sizeof *copy);
  int32_t* image_of = tfc_scratch(ctx, (size_t)(r->count + 1) * sizeof *image_of);
  if (!copy || !image_of) return TFC_RESOURCE_EXHAUSTED;
  memcpy(copy, boxes->data, (size_t)boxes->n * sizeof *copy);
  r->boxes = copy;
  r->image_of = image_of;
  for (int64_t i = 0; i < boxes->n; i++)
    if (!isfinite(copy[i]))
      REFUSE("Boxes contains at least one element that is not finite: box %lld", (long long)i / 4);
  for (int64_t i = 0; i < r->count; i++) {
    int64_t image = tfc_index_at(of, i);
    if (image < 0 || image >= r->batch)
      return tfc_error(
          ctx, TFC_OUT_OF_RANGE,
          "box_index has values outside [0, batch_size): box %lld has %lld, batch_size "
          "is %lld",
          (long long)i, (long long)image, (long long)r->batch);
    image_of[i] = (int32_t)image;
  }
  return TFC_OK;
}

static int read_image(tfc_context* ctx, int input, crop_run* r) {
  const tfc_tensor* x = ctx->inputs[input];
  if (x->rank != 4) REFUSE("input image must be 4-D%s", tfc_shape_text(x).text);
  if (!x->dims[1] || !x->dims[2]) REFUSE("image dimensions must be positive");
  if (x->dims[0] > INT32_MAX || x->dims[1] > INT32_MAX || x->dims[2] > INT32_MAX)
    REFUSE("image is too large: %s", tfc_shape_text(x).text);
  r->batch = x->dims[0];
  r->height = x->dims[1];
  r->width = x->dims[2];
  r->depth = x->dims[3];
  r->image = x->data;
  r->dtype = x->dtype;
  return TFC_OK;
}

static int read_grads(tfc_context* ctx, crop_run* r) {
  const tfc_tensor* g = ctx->inputs[0];
  if (g->rank != 4) REFUSE("grads image must be 4-D%s", tfc_shape_text(g).text);
  if (!g->dims[1] || !g->dims[2]) REFUSE("grads dimensions must be positive");
  if (g->dims[0] != r->count) REFUSE("boxes and grads have incompatible shape");
  if (g->dims[3] != r->depth) REFUSE("image_size and grads are incompatible");
  r->rows = g->dims[1];
  r->columns = g->dims[2];
  r->grads = g->data;
  return TFC_OK;
}

static double cost_of(const crop_run* r) {
  return (double)r->columns * (4 + 1.5 * (double)r->depth);
}

static int crop_and_resize(tfc_context* ctx) {
  crop_run r = {.ctx = ctx, .state = ctx->state};
  const tfc_tensor* size = ctx->inputs[3];
  int64_t sides[2];
  TFC_TRY(read_image(ctx, 0, &r));
  TFC_TRY(read_boxes(ctx, 1, &r));
  if (size->rank != 1) REFUSE("crop_size must be 1-D%s", tfc_shape_text(size).text);
  if (size->n != 2) REFUSE("crop_size must have two elements%s", tfc_shape_text(size).text);
  tfc_read_indices(size, sides);
  if (sides[0] <= 0 || sides[1] <= 0)
    REFUSE("crop dimensions must be positive, got %lld and %lld", (long long)sides[0],
           (long long)sides[1]);
  r.rows = sides[0];
  r.columns = sides[1];
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){r.count, r.rows, r.columns, r.depth}));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  r.out = ctx->outputs[0].data;
  tfc_parallel_for(ctx, r.count * r.rows, cost_of(&r), crop_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- The gradient of the image: boxes may overlap, so that one thread does an image, or some of
 * its channels, whose sums should stay in the cache. */

enum { CHANNELS = 64, AHEAD = 6 };

static int64_t channel_parts(const crop_run* r) {
  return (r->depth + CHANNELS - 1) / CHANNELS;
}

#define T float
#include "kernels_c/image/crop_gradient_type.h"

#define T double
#include "kernels_c/image/crop_gradient_type.h"

static int crop_and_resize_grad_image(tfc_context* ctx) {
  crop_run r = {.ctx = ctx, .state = ctx->state};
  const tfc_tensor* size = ctx->inputs[3];
  int64_t dims[4];
  if (size->rank != 1) REFUSE("image_size must be 1-D%s", tfc_shape_text(size).text);
  if (size->n != 4) REFUSE("image_size must have 4 elements%s", tfc_shape_text(size).text);
  tfc_read_indices(size, dims);
  if (dims[0] < 0 || dims[1] <= 0 || dims[2] <= 0 || dims[3] < 0)
    REFUSE("image dimensions must be positive, got %s", tfc_dims_text(4, dims).text);
  if (dims[0] > INT32_MAX || dims[1] > INT32_MAX || dims[2] > INT32_MAX)
    REFUSE("image is too large: %s", tfc_dims_text(4, dims).text);
  r.batch = dims[0];
  r.height = dims[1];
  r.width = dims[2];
  r.depth = dims[3];
  TFC_TRY(read_boxes(ctx, 1, &r));
  TFC_TRY(read_grads(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  r.out = out->data;
  r.dtype = out->dtype;
  int64_t items = r.batch * channel_parts(&r);
  double each = (double)(r.count * r.rows) * 4 * cost_of(&r) / (double)items;
  tfc_parallel_for(ctx, items, each + (double)(r.height * r.width),
                   out->dtype == TFC_DOUBLE ? spread_range_double : spread_range_float, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- The gradient of the boxes. */

/* Along a side of a crop: by how much its position moves with its begin and its end. */
static void add_side(double slope, int64_t size, int64_t steps, int64_t i, double* begin,
                     double* end) {
  double part = steps > 1 ? (double)i / (double)(steps - 1) : 0.5;
  *begin += slope * (double)(size - 1) * (1 - part);
  *end += slope * (double)(size - 1) * part;
}

static void slopes_of_pixel(const crop_run* r, const float* image, crop_place y, crop_place x,
                            const float* grad, double* down, double* right) {
  const float *a = image + ((int64_t)y.below * r->width + x.below) * r->depth,
              *b = image + ((int64_t)y.below * r->width + x.above) * r->depth,
              *c = image + ((int64_t)y.above * r->width + x.below) * r->depth,
              *d = image + ((int64_t)y.above * r->width + x.above) * r->depth;
  for (int64_t k = 0; k < r->depth; k++) {
    *down += (double)grad[k] * ((1 - x.share) * (c[k] - a[k]) + x.share * (d[k] - b[k]));
    *right += (double)grad[k] * ((1 - y.share) * (b[k] - a[k]) + y.share * (d[k] - c[k]));
  }
}

static void box_range(void* arg, int64_t begin, int64_t end) {
  crop_run* r = arg;
  crop_columns c = {tfc_scratch(r->ctx, (size_t)r->columns * sizeof(crop_place)), -1, 0, 0};
  if (!c.places) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  int64_t size = r->height * r->width * r->depth;
  for (int64_t box = begin; box < end; box++) {
    const float* image = (const float*)r->image + r->image_of[box] * size;
    const float* grad = r->grads + box * r->rows * r->columns * r->depth;
    double sums[4] = {0};
    place_columns(r, box, &c);
    for (int64_t i = 0; i < r->rows; i++) {
      crop_place y = row_at(r, box, i);
      for (int64_t j = 0; j < r->columns; j++, grad += r->depth) {
        crop_place x = c.places[j];
        double down = 0, right = 0;
        if (!y.inside || !x.inside) continue;
        slopes_of_pixel(r, image, y, x, grad, &down, &right);
        add_side(down, r->height, r->rows, i, &sums[0], &sums[2]);
        add_side(right, r->width, r->columns, j, &sums[1], &sums[3]);
      }
    }
    for (int k = 0; k < 4; k++) ((float*)r->out)[4 * box + k] = (float)sums[k];
  }
}

static int crop_and_resize_grad_boxes(tfc_context* ctx) {
  crop_run r = {.ctx = ctx, .state = ctx->state};
  TFC_TRY(read_image(ctx, 1, &r));
  TFC_TRY(read_boxes(ctx, 2, &r));
  TFC_TRY(read_grads(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){r.count, 4}));
  if (r.count == 0) return TFC_OK;
  if (r.dtype != TFC_FLOAT) {
    int64_t n = ctx->inputs[1]->n;
    float* wide = tfc_scratch(ctx, (size_t)n * sizeof *wide);
    if (!wide) return TFC_RESOURCE_EXHAUSTED;
    resize_to_float(r.dtype, r.image, 0, wide, n);
    r.image = wide;
  }
  r.out = ctx->outputs[0].data;
  tfc_parallel_for(ctx, r.count, (double)r.rows * 4 * cost_of(&r), box_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- Attributes. */

static int create(tfc_construction* c, void** state) {
  const char* method;
  size_t size;
  double value = 0;
  crop_state* s = calloc(1, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *state = s;
  TFC_TRY(c->api->attr_string(c, "method", &method, &size));
  s->nearest = size == 7 && !memcmp(method, "nearest", 7);
  if (!strcmp(c->op_type, "CropAndResize"))
    TFC_TRY(c->api->attr_float(c, "extrapolation_value", &value));
  s->extrapolation = (float)value;
  return TFC_OK;
}

#define TYPES TFC_TYPES_FLOATS_BUT_BFLOAT16 "|" TFC_TYPES_SIGNED "|uint8|uint16"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("CropAndResize", "T=" TYPES, crop_and_resize, TFC_STATE(create)),
    TFC_ROW("CropAndResizeGradImage", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16,
            crop_and_resize_grad_image, TFC_STATE(create)),
    TFC_ROW("CropAndResizeGradBoxes", "T=" TYPES, crop_and_resize_grad_boxes, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
