/* ImageProjectiveTransformV2 and V3: projective transforms of images. */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/template.h"

/* Positions have TensorFlow's rounding: multiplications and additions are not fused. */
#pragma GCC optimize("fp-contract=off")

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef enum { FILL_REFLECT, FILL_WRAP, FILL_CONSTANT, FILL_NEAREST } fill_mode;

typedef struct warp_state {
  bool bilinear, has_fill_value;
  fill_mode mode;
} warp_state;

typedef struct warp_run {
  tfc_context* ctx;
  const warp_state* state;
  const char* images; /* [batch, height, width, depth] */
  const float* transforms;
  char* out;
  const char* fill; /* a pixel */
  size_t element;
  int64_t height, width, depth, rows, columns;
  int32_t dtype;
  bool one_transform, failed;
} warp_run;

/* ---- Positions. */

/* The whole periods in a distance; 0 where a float cannot tell them apart. */
static float periods(float distance, float period) {
  const float n = distance / period;
  return n < 0x1p62f ? truncf(n) : 0;
}

static float reflected(float at, int64_t size) {
  const float period = (float)(2 * size);
  if (at < 0) {
    if (size <= 1) return 0;
    at = period * periods(-at, period) + at;
    return at < (float)-size ? at + period : -at - 1;
  }
  if (at > (float)(size - 1)) {
    if (size <= 1) return 0;
    at -= period * periods(at, period);
    return at >= (float)size ? period - at - 1 : at;
  }
  return at;
}

static float wrapped(float at, int64_t size) {
  const float last = (float)(size - 1), period = (float)size;
  if (at < 0) return size <= 1 ? 0 : at + period * (periods(-at, last) + 1);
  if (at > last) return size <= 1 ? 0 : at - period * periods(at, last);
  return at;
}

/* Maps a position outside of the image to one inside, by the fill mode. NaN stays NaN. */
static float inside(fill_mode mode, float at, int64_t size) {
  if (mode == FILL_CONSTANT) return at;
  if (mode == FILL_REFLECT) at = reflected(at, size);
  if (mode == FILL_WRAP) at = wrapped(at, size);
  const float last = (float)(size - 1);
  return at < 0 ? 0 : at > last ? last : at;
}

/* Where the pixels of a row of the output are in an image. */
typedef struct source_positions {
  float *x, *y, *projection; /* 0: at infinity */
} source_positions;

static void place_row(const warp_run* r, const float* t, int64_t row, source_positions* positions) {
  const float to_y = (float)row;
  float* restrict x = positions->x;
  float* restrict y = positions->y;
  float* restrict k = positions->projection;
  for (int64_t i = 0; i < r->columns; i++) {
    const float to_x = (float)i;
    k[i] = t[6] * to_x + t[7] * to_y + 1;
    x[i] = (t[0] * to_x + t[1] * to_y + t[2]) / k[i];
    y[i] = (t[3] * to_x + t[4] * to_y + t[5]) / k[i];
  }
  if (r->state->mode == FILL_CONSTANT) return;
  for (int64_t i = 0; i < r->columns; i++) {
    x[i] = inside(r->state->mode, x[i], r->width);
    y[i] = inside(r->state->mode, y[i], r->height);
  }
}

/* A whole position as an index; -1 outside of the image. */
static int64_t index_of(float whole, int64_t size) {
  return whole >= 0 && whole < (float)size ? (int64_t)whole : -1;
}

static float floor_of(float x) {
  if (!(fabsf(x) < 0x1p31f)) return x;
  const float whole = (float)(int64_t)x;
  return whole - (float)(whole > x);
}

/* The pixel that is nearest to a position, -1 if there is none. Halves are rounded away from 0. */
static inline int64_t nearest(float at, int64_t size) {
  const double up = (double)at + 0.5;
  return up > 0 && up < (double)size ? (int64_t)up : -1;
}

static const char* pixel_at(const warp_run* r, const char* image, float y, float x) {
  const int64_t row = index_of(y, r->height), column = index_of(x, r->width);
  if (row < 0 || column < 0) return r->fill;
  return image + (size_t)((row * r->width + column) * r->depth) * r->element;
}

/* ---- Types. TensorFlow interpolates all of them in float. */

static inline int64_t int64_of(float x) {
  return x >= -0x1p63f && x < 0x1p63f ? (int64_t)x : INT64_MIN;
}
static inline int32_t int32_of(float x) {
  return x >= -0x1p31f && x < 0x1p31f ? (int32_t)x : INT32_MIN;
}
static inline uint8_t uint8_of(float x) {
  return (uint8_t)int32_of(x);
}

#define T float
#define TO_FLOAT
#define FROM_FLOAT
#include "kernels_c/image/projective_type.h"

#define T double
#define TO_FLOAT (float)
#define FROM_FLOAT
#include "kernels_c/image/projective_type.h"

#define T tfc_half
#define TO_FLOAT tfc_half_to_float
#define FROM_FLOAT tfc_float_to_half
#include "kernels_c/image/projective_type.h"

#define T tfc_bfloat16
#define TO_FLOAT tfc_bfloat16_to_float
#define FROM_FLOAT tfc_float_to_bfloat16
#include "kernels_c/image/projective_type.h"

#define T uint8_t
#define TO_FLOAT (float)
#define FROM_FLOAT uint8_of
#include "kernels_c/image/projective_type.h"

#define T int32_t
#define TO_FLOAT (float)
#define FROM_FLOAT int32_of
#include "kernels_c/image/projective_type.h"

#define T int64_t
#define TO_FLOAT (float)
#define FROM_FLOAT int64_of
#include "kernels_c/image/projective_type.h"

/* ---- Rows of the output. */

static void warp_range(void* arg, int64_t begin, int64_t end) {
  warp_run* r = arg;
  float* memory = tfc_scratch(r->ctx, 3 * (size_t)r->columns * sizeof *memory);
  if (!memory) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  source_positions positions = {memory, memory + r->columns, memory + 2 * r->columns};
  for (int64_t i = begin; i < end; i++) switch (r->dtype) {
      case TFC_FLOAT: warp_row_float(r, i, &positions); break;
      case TFC_DOUBLE: warp_row_double(r, i, &positions); break;
      case TFC_HALF: warp_row_half(r, i, &positions); break;
      case TFC_BFLOAT16: warp_row_bfloat16(r, i, &positions); break;
      case TFC_UINT8: warp_row_uint8(r, i, &positions); break;
      case TFC_INT32: warp_row_int32(r, i, &positions); break;
      default: warp_row_int64(r, i, &positions); break;
    }
}

static int read_images(tfc_context* ctx, warp_run* r) {
  const tfc_tensor *images = ctx->inputs[0], *transforms = ctx->inputs[1];
  if (images->rank != 4)
    REFUSE("Input images must have rank 4, got %s", tfc_shape_text(images).text);
  const int64_t count = transforms->rank == 2 ? transforms->dims[0] : -1;
  if (transforms->rank != 2 || transforms->dims[1] != 8 || (count != 1 && count != images->dims[0]))
    REFUSE("Input transform should be num_images x 8 or 1 x 8, got %s for images of shape %s",
           tfc_shape_text(transforms).text, tfc_shape_text(images).text);
  if (images->dims[1] > INT32_MAX || images->dims[2] > INT32_MAX)
    REFUSE("image is too large: %s", tfc_shape_text(images).text);
  r->images = images->data;
  r->dtype = images->dtype;
  r->height = images->dims[1];
  r->width = images->dims[2];
  r->depth = images->dims[3];
  r->transforms = transforms->data;
  r->one_transform = count == 1;
  return TFC_OK;
}

static int read_size(tfc_context* ctx, warp_run* r) {
  const tfc_tensor* size = ctx->inputs[2];
  int64_t sides[2];
  if (size->rank != 1) REFUSE("output shape must be 1-dimensional%s", tfc_shape_text(size).text);
  if (size->n != 2) REFUSE("output shape must have two elements%s", tfc_shape_text(size).text);
  tfc_read_indices(size, sides);
  if (sides[0] <= 0 || sides[1] <= 0)
    REFUSE("output dimensions must be positive, got %lld and %lld", (long long)sides[0],
           (long long)sides[1]);
  r->rows = sides[0];
  r->columns = sides[1];
  return TFC_OK;
}

static int make_fill(tfc_context* ctx, warp_run* r) {
  float value = 0;
  if (r->state->has_fill_value) {
    const tfc_tensor* given = ctx->inputs[3];
    if (given->rank) REFUSE("fill_value must be a scalar%s", tfc_shape_text(given).text);
    value = *(const float*)given->data;
  }
  char* fill = tfc_scratch(ctx, (size_t)r->depth * r->element);
  if (!fill) return TFC_RESOURCE_EXHAUSTED;
  r->fill = fill;
  for (int64_t k = 0; k < r->depth; k++) switch (r->dtype) {
      case TFC_FLOAT: ((float*)fill)[k] = value; break;
      case TFC_DOUBLE: ((double*)fill)[k] = value; break;
      case TFC_HALF: ((tfc_half*)fill)[k] = tfc_float_to_half(value); break;
      case TFC_BFLOAT16: ((tfc_bfloat16*)fill)[k] = tfc_float_to_bfloat16(value); break;
      case TFC_UINT8: ((uint8_t*)fill)[k] = uint8_of(value); break;
      case TFC_INT32: ((int32_t*)fill)[k] = int32_of(value); break;
      default: ((int64_t*)fill)[k] = int64_of(value); break;
    }
  return TFC_OK;
}

static int projective_transform(tfc_context* ctx) {
  warp_run r = {.ctx = ctx, .state = ctx->state};
  TFC_TRY(read_images(ctx, &r));
  TFC_TRY(read_size(ctx, &r));
  r.element = tfc_dtype_size(r.dtype);
  TFC_TRY(make_fill(ctx, &r));
  const int64_t batch = ctx->inputs[0]->dims[0];
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){batch, r.rows, r.columns, r.depth}));
  if (!ctx->outputs[0].n) return TFC_OK;
  r.out = ctx->outputs[0].data;
  const double pixel = r.state->bilinear ? 8 + 2 * (double)r.depth : 5 + 0.5 * (double)r.depth;
  tfc_parallel_for(ctx, batch * r.rows, (double)r.columns * pixel, warp_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- Attributes. */

/* The place of an attribute's value in `names`, which ends with NULL. */
static int read_choice(tfc_construction* c, const char* attr, const char* const* names,
                       int* place) {
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_string(c, attr, &text, &size));
  for (*place = 0; names[*place]; ++*place)
    if (strlen(names[*place]) == size && !memcmp(names[*place], text, size)) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid %s %.*s", attr, (int)size, text);
}

static int read_attrs(tfc_construction* c, void* state) {
  static const char *const methods[] = {"NEAREST", "BILINEAR", NULL}, *const modes[] = {
                                                                          "REFLECT", "WRAP",
                                                                          "CONSTANT", "NEAREST",
                                                                          NULL};
  warp_state* s = state;
  int method, mode;
  TFC_TRY(read_choice(c, "interpolation", methods, &method));
  TFC_TRY(read_choice(c, "fill_mode", modes, &mode));
  s->bilinear = method == 1;
  s->mode = (fill_mode)mode;
  s->has_fill_value = c->n_inputs == 4;
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(warp_state), read_attrs, state);
}

#define TYPES TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES "|uint8"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ImageProjectiveTransformV2", "dtype=" TYPES, projective_transform, TFC_STATE(create),
            .flags = TFC_KERNEL_LEAVES_LOOPS),
    TFC_ROW("ImageProjectiveTransformV3", "dtype=" TYPES, projective_transform, TFC_STATE(create),
            .flags = TFC_KERNEL_LEAVES_LOOPS),
};
TFC_REGISTER_KERNELS(kernels);
