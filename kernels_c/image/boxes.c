/* SampleDistortedBoundingBox and its other forms, with TensorFlow's values; DrawBoundingBoxes. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/stream.h"

TFC_ONE_LEVEL; /* rounding: fused additions would change which crops fit */

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* In [0, n), each with the same probability. */
static int32_t next_below(philox_word_stream* s, uint32_t n) {
  if ((n & (n - 1)) == 0) return (int32_t)(philox_next_word(s) & (n - 1));
  uint32_t word, rest = UINT32_MAX % n + 1;
  do word = philox_next_word(s);
  while (word < rest);
  return (int32_t)(word % n);
}

/* ---- Crops. */

typedef struct rectangle {
  int32_t left, top, right, bottom;
} rectangle;

static float area_of(rectangle r) {
  return (float)((int64_t)(r.right - r.left) * (r.bottom - r.top));
}
static rectangle common_part(rectangle a, rectangle b) {
  rectangle r = {TFC_MAX(a.left, b.left), TFC_MAX(a.top, b.top), TFC_MIN(a.right, b.right),
                 TFC_MIN(a.bottom, b.bottom)};
  return r.left > r.right || r.top > r.bottom ? (rectangle){0} : r;
}

/* Whether a crop covers enough of one of the boxes. */
static bool covers(rectangle crop, float least, const rectangle* boxes, int64_t n) {
  if (area_of(crop) < 1) return false;
  for (int64_t i = 0; i < n; i++) {
    float area = area_of(boxes[i]);
    if (area >= 1 && area_of(common_part(crop, boxes[i])) / area >= least) return true;
  }
  return false;
}

typedef struct sample_state {
  tfc_random_state random;
  double least_covered, ratios[2], areas[2];
  int64_t attempts;
  bool whole_image; /* if there are no boxes */
} sample_state;

static int32_t rounded(float x) {
  return (int32_t)lrintf(x);
}

/* The largest height whose width fits. */
static int32_t largest_height(int32_t width, int32_t height, float area, float ratio) {
  int32_t most = rounded(sqrtf(area / ratio));
  if (lrintf((float)most * ratio) > width) {
    most = (int32_t)(((double)width + 0.5 - (double)0.0000001f) / ratio);
    if (lrintf((float)most * ratio) > width) most--;
  }
  return TFC_MIN(most, height);
}

static bool draw_crop(const sample_state* s, int32_t width, int32_t height, float ratio,
                      philox_word_stream* words, rectangle* crop) {
  if (width <= 0 || height <= 0 || s->areas[0] > s->areas[1]) return false;
  float least = (float)s->areas[0] * (float)width * (float)height;
  float most = (float)s->areas[1] * (float)width * (float)height;
  int32_t h = rounded(sqrtf(least / ratio)), limit = largest_height(width, height, most, ratio);
  h = TFC_MIN(h, limit);
  if (h < limit) h += next_below(words, (uint32_t)(limit - h + 1));
  int32_t w = rounded((float)h * ratio);
  float area = (float)((int64_t)w * h);
  if (area < least) {
    h++;
    w = rounded((float)h * ratio);
    area = (float)((int64_t)w * h);
  }
  if (area > most) {
    h--;
    w = rounded((float)h * ratio);
    area = (float)((int64_t)w * h);
  }
  if (area < least || area > most || w > width || h > height || w <= 0 || h <= 0) return false;
  crop->top = h < height ? next_below(words, (uint32_t)(height - h)) : 0;
  crop->left = w < width ? next_below(words, (uint32_t)(width - w)) : 0;
  crop->right = crop->left + w;
  crop->bottom = crop->top + h;
  return true;
}

static rectangle sample_crop(const sample_state* s, int32_t width, int32_t height, float least,
                             const rectangle* boxes, int64_t n, philox stream) {
  philox_word_stream words = {.blocks = stream, .used = PHILOX_WORDS};
  float low = (float)s->ratios[0], high = (float)s->ratios[1];
  for (int64_t i = 0; i < s->attempts; i++) {
    rectangle crop;
    float ratio = philox_next_float(&words) * (high - low) + low;
    if (draw_crop(s, width, height, ratio, &words, &crop) && covers(crop, least, boxes, n))
      return crop;
  }
  return (rectangle){0, 0, width, height};
}

/* ---- Inputs and outputs. */

static int64_t integer_at(const tfc_tensor* t, int64_t i) {
  int64_t value = 0;
  TFC_SWITCH_INTEGERS(t->dtype, value = (int64_t)((const T*)t->data)[i])
  return value;
}

static int read_size(tfc_context* ctx, int32_t* height, int32_t* width) {
  const tfc_tensor* size = ctx->inputs[0];
  if (size->rank != 1) REFUSE("image_size must be 1-dimensional%s", tfc_shape_text(size).text);
  if (size->n != 3) REFUSE("image_size must contain 3 elements%s", tfc_shape_text(size).text);
  int64_t h = integer_at(size, 0), w = integer_at(size, 1);
  if (h < 0 || h >= INT32_MAX)
    REFUSE("image height cannot be >= int32 max, got %lld", (long long)h);
  if (w < 0 || w >= INT32_MAX) REFUSE("image width cannot be >= int32 max, got %lld", (long long)w);
  *height = (int32_t)h;
  *width = (int32_t)w;
  return TFC_OK;
}

/* The boxes in pixels, or one for the whole image. */
static int read_boxes(tfc_context* ctx, int32_t height, int32_t width, rectangle** to, int64_t* n) {
  const sample_state* s = ctx->state;
  const tfc_tensor* t = ctx->inputs[1];
  const float* from = t->data;
  if (t->rank != 3)
    REFUSE("input boxes must be 3-dimensional [batch, num_boxes, coords]: %s",
           tfc_shape_text(t).text);
  if (t->dims[2] != 4)
    REFUSE("bounding boxes must have shape [4] or [*, 4], got %s", tfc_shape_text(t).text);
  *n = TFC_MAX(1, t->n / 4);
  rectangle* boxes = *to = tfc_scratch(ctx, (size_t)*n * sizeof(rectangle));
  if (!boxes) return TFC_RESOURCE_EXHAUSTED;
  boxes[0] = (rectangle){0, 0, width, height};
  if (!t->n && !s->whole_image)
    REFUSE(
        "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if "
        "you wish to not provide any bounding boxes.");
  for (int64_t i = 0; i < t->n / 4; i++) {
    float box[4];
    memcpy(box, from + 4 * i, sizeof box);
    for (int k = 0; k < 4; k++)
      if (!(box[k] >= 0 && box[k] <= 1))
        REFUSE("All bounding box coordinates must be in [0.0, 1.0]: %g of box %lld", (double)box[k],
               (long long)i);
    boxes[i] = (rectangle){(int32_t)(box[1] * (float)width), (int32_t)(box[0] * (float)height),
                           (int32_t)(box[3] * (float)width), (int32_t)(box[2] * (float)height)};
  }
  return TFC_OK;
}

static void set_integers(tfc_tensor* t, int64_t a, int64_t b, int64_t c) {
  TFC_SWITCH_INTEGERS(t->dtype, T* to = t->data; to[0] = (T)a; to[1] = (T)b; to[2] = (T)c)
}

static int sample_box(tfc_context* ctx, float least, philox stream) {
  int32_t height = 0, width = 0;
  rectangle* boxes = NULL;
  int64_t n = 0;
  if (!(least >= 0)) REFUSE("Min object covered must be non-negative: %g", (double)least);
  TFC_TRY(read_size(ctx, &height, &width));
  TFC_TRY(read_boxes(ctx, height, width, &boxes, &n));
  rectangle r = sample_crop(ctx->state, width, height, least, boxes, n, stream);
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){3}));
  TFC_TRY(tfc_output(ctx, 1, 1, (int64_t[]){3}));
  TFC_TRY(tfc_output(ctx, 2, 3, (int64_t[]){1, 1, 4}));
  set_integers(&ctx->outputs[0], r.top, r.left, 0);
  set_integers(&ctx->outputs[1], r.bottom - r.top, r.right - r.left, -1);
  float* box = ctx->outputs[2].data;
  box[0] = (float)r.top / (float)height;
  box[1] = (float)r.left / (float)width;
  box[2] = (float)r.bottom / (float)height;
  box[3] = (float)r.right / (float)width;
  return TFC_OK;
}

static int sample(tfc_context* ctx) {
  const sample_state* s = ctx->state;
  philox stream;
  TFC_TRY(tfc_random_reserve(ctx, s->attempts, &stream));
  return sample_box(ctx, (float)s->least_covered, stream);
}

static int read_least(tfc_context* ctx, float* least) {
  const tfc_tensor* t = ctx->inputs[2];
  if (t->rank) REFUSE("min_object_covered must be 0-D, got shape %s", tfc_shape_text(t).text);
  *least = *(const float*)t->data;
  return TFC_OK;
}

static int sample_v2(tfc_context* ctx) {
  float least = 0;
  TFC_TRY(read_least(ctx, &least));
  philox stream;
  TFC_TRY(tfc_random_reserve(ctx, ((const sample_state*)ctx->state)->attempts, &stream));
  return sample_box(ctx, least, stream);
}

static int sample_stateless(tfc_context* ctx) {
  float least = 0;
  philox stream;
  TFC_TRY(read_least(ctx, &least));
  TFC_TRY(tfc_random_stateless(ctx, 3, &stream));
  return sample_box(ctx, least, stream);
}

/* ---- Attributes. */

#define WRONG(...) return c->api->error(c, TFC_INVALID_ARGUMENT, __VA_ARGS__)

static int read_pair(tfc_construction* c, const char* name, const char* text, double pair[2]) {
  int n;
  TFC_TRY(c->api->attr_floats(c, name, 2, pair, &n));
  if (n != 2) WRONG("%s range field must specify 2 dimensions", text);
  if (!(pair[0] > 0 && pair[1] > 0))
    WRONG("%s range must be non-negative: [%g, %g]", text, pair[0], pair[1]);
  return TFC_OK;
}

static int read_limits(tfc_construction* c, sample_state* s) {
  TFC_TRY(read_pair(c, "aspect_ratio_range", "Aspect ratio", s->ratios));
  TFC_TRY(read_pair(c, "area_range", "Area", s->areas));
  if (s->areas[0] > 1 || s->areas[1] > 1)
    WRONG("Area range must be less then or equal to 1.0: [%g, %g]", s->areas[0], s->areas[1]);
  TFC_TRY(c->api->attr_int(c, "max_attempts", &s->attempts));
  if (s->attempts <= 0 || s->attempts > INT32_MAX)
    WRONG("Max attempts must be non-negative: %lld", (long long)s->attempts);
  return c->api->attr_bool(c, "use_image_if_no_bounding_boxes", &s->whole_image);
}

static int keep(tfc_construction* c, const sample_state* s, void** state) {
  sample_state* copy = *state = malloc(sizeof *copy);
  if (!copy) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *copy = *s;
  return TFC_OK;
}

static int create_stateless(tfc_construction* c, void** state) {
  sample_state s = {0};
  TFC_TRY(read_limits(c, &s));
  return keep(c, &s, state);
}
static int create_v2(tfc_construction* c, void** state) {
  sample_state s = {0};
  TFC_TRY(read_limits(c, &s));
  TFC_TRY(tfc_random_open(c, &s.random));
  return keep(c, &s, state);
}
static int create_sample(tfc_construction* c, void** state) {
  sample_state s = {0};
  TFC_TRY(read_limits(c, &s));
  TFC_TRY(c->api->attr_float(c, "min_object_covered", &s.least_covered));
  TFC_TRY(tfc_random_open(c, &s.random));
  return keep(c, &s, state);
}

/* ---- DrawBoundingBoxes. */

typedef struct canvas {
  tfc_tensor* out;
  int64_t height, width, depth;
  const float* color; /* of the box */
} canvas;

static void draw_pixel(const canvas* c, int64_t image, int64_t y, int64_t x) {
  int64_t at = ((image * c->height + y) * c->width + x) * c->depth;
  for (int64_t k = 0; k < c->depth; k++)
    if (c->out->dtype == TFC_FLOAT)
      ((float*)c->out->data)[at + k] = c->color[k];
    else
      ((tfc_half*)c->out->data)[at + k] = tfc_float_to_half(c->color[k]);
}

/* A part of a side as a pixel, within bounds that any image has. */
static int64_t pixel_of(float part, int64_t size) {
  float at = part * (float)(size - 1);
  if (at != at) return -1;
  return (int64_t)TFC_MAX(-0x1p40f, TFC_MIN(at, 0x1p40f));
}

static void draw_box(const canvas* c, int64_t image, const float box[4]) {
  int64_t top = pixel_of(box[0], c->height), bottom = pixel_of(box[2], c->height);
  int64_t left = pixel_of(box[1], c->width), right = pixel_of(box[3], c->width);
  if (top > bottom || left > right) return; /* inverted, or outside: not drawn */
  if (top >= c->height || bottom < 0 || left >= c->width || right < 0) return;
  int64_t first_row = TFC_MAX(top, 0), last_row = TFC_MIN(bottom, c->height - 1);
  int64_t first = TFC_MAX(left, 0), last = TFC_MIN(right, c->width - 1);
  for (int64_t x = first; x <= last; x++) {
    if (top >= 0) draw_pixel(c, image, top, x);
    if (bottom < c->height) draw_pixel(c, image, bottom, x);
  }
  for (int64_t y = first_row; y <= last_row; y++) {
    if (left >= 0) draw_pixel(c, image, y, left);
    if (right < c->width) draw_pixel(c, image, y, right);
  }
}

enum { COLORS = 10 };
static const float standard_colors[COLORS][4] = {
    {1, 1, 0, 1},     {0, 0, 1, 1},   {1, 0, 0, 1},   {0, 1, 0, 1}, {0.5, 0, 0.5, 1},
    {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1}, {0, 1, 1, 1}, {1, 0, 1, 1}};
static const float white[4] = {1, 1, 1, 1};

static int check_drawing(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *boxes = ctx->inputs[1];
  if (x->rank != 4) REFUSE("The rank of the images should be 4");
  if (boxes->rank != 3) REFUSE("The rank of the boxes tensor should be 3");
  if (x->dims[0] != boxes->dims[0])
    REFUSE("The batch sizes should be the same, got %lld and %lld", (long long)x->dims[0],
           (long long)boxes->dims[0]);
  int64_t depth = x->dims[3];
  if (depth != 1 && depth != 3 && depth != 4)
    REFUSE("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA), got %lld",
           (long long)depth);
  if (boxes->dims[2] != 4)
    REFUSE("The size of the third dimension of the box must be 4. Received: %lld",
           (long long)boxes->dims[2]);
  if (ctx->n_inputs < 3) return TFC_OK;
  const tfc_tensor* colors = ctx->inputs[2];
  if (colors->rank != 2) REFUSE("colors must be a 2-D matrix%s", tfc_shape_text(colors).text);
  if (colors->dims[1] < depth)
    REFUSE("colors must have equal or more channels than the image provided: %s",
           tfc_shape_text(colors).text);
  return TFC_OK;
}

static int draw(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *boxes = ctx->inputs[1];
  const tfc_tensor* colors = ctx->n_inputs > 2 && ctx->inputs[2]->n ? ctx->inputs[2] : NULL;
  static const int first[] = {0};
  TFC_TRY(check_drawing(ctx));
  TFC_TRY(tfc_output_forward(ctx, 0, 4, x->dims, 1, first));
  canvas c = {&ctx->outputs[0], x->dims[1], x->dims[2], x->dims[3], NULL};
  if (c.out->data != x->data && x->n)
    memcpy(c.out->data, x->data, (size_t)x->n * tfc_dtype_size(x->dtype));
  if (x->n == 0) return TFC_OK;
  for (int64_t i = 0; i < x->dims[0]; i++)
    for (int64_t k = 0; k < boxes->dims[1]; k++) {
      float box[4];
      memcpy(box, (const float*)boxes->data + (i * boxes->dims[1] + k) * 4, sizeof box);
      if (colors)
        c.color = (const float*)colors->data + k % colors->dims[0] * colors->dims[1];
      else
        c.color = c.depth == 1 ? white : standard_colors[k % COLORS];
      draw_box(&c, i, box);
    }
  return TFC_OK;
}

#define TYPES TFC_TYPES_SIGNED "|uint8"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SampleDistortedBoundingBox", "T=" TYPES, sample, .create = create_sample,
            .destroy = tfc_random_destroy, .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("SampleDistortedBoundingBoxV2", "T=" TYPES, sample_v2, .create = create_v2,
            .destroy = tfc_random_destroy, .flags = TFC_KERNEL_STATEFUL),
    TFC_ROW("StatelessSampleDistortedBoundingBox", "T=" TYPES, sample_stateless,
            TFC_STATE(create_stateless)),
    TFC_ROW("DrawBoundingBoxes", "T=half|float", draw),
    TFC_ROW("DrawBoundingBoxesV2", "T=half|float", draw),
};
TFC_REGISTER_KERNELS(kernels);
