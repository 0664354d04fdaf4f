/* ExtractGlimpse: windows of images at given places. What is outside of the image is noise. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/stream.h"

TFC_ONE_LEVEL; /* rounding: fused additions would change where windows lie */

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef enum { NOISE_UNIFORM, NOISE_GAUSSIAN, NOISE_ZERO } noise_kind;

typedef struct glimpse_state {
  tfc_random_state random;
  bool centered, normalized, first_version;
  noise_kind noise;
} glimpse_state;

typedef struct glimpse_run {
  const glimpse_state* state;
  const float *input, *offsets; /* [batch, height, width, depth], [batch, 2] */
  float* out;                   /* [batch, rows, columns, depth] */
  int64_t height, width, depth, rows, columns, blocks;
  philox noise;
} glimpse_run;

/* ---- Places. */

/* The first pixel, which may be before or behind the image: FAR, if it is not near. */
enum { FAR = 1 << 30 };

static int64_t first_pixel(const glimpse_state* s, float at, int64_t image, int64_t window) {
  if (s->normalized) at *= (float)image;
  if (s->centered && (s->normalized || s->first_version)) at /= 2.0f;
  if (s->centered) at += (float)image / 2.0f;
  if (s->first_version || (s->normalized && s->centered)) at -= (float)window / 2.0f;
  return at < FAR && at > -FAR ? (int64_t)at : at > 0 ? INT32_MAX : -(int64_t)INT32_MAX;
}

/* ---- Noise. Numbers of image i: `blocks` blocks from block i * blocks on. */

static int64_t blocks_of(const glimpse_run* r) {
  return (2 * r->rows * r->columns * r->depth + PHILOX_WORDS - 1) / PHILOX_WORDS;
}

/* Between the lowest and the highest value of the image. */
static void fill_uniform(const glimpse_run* r, const float* x, philox_word_stream* words,
                         float* to) {
  float low = x[0], high = x[0];
  for (int64_t i = 0; i < r->height * r->width * r->depth; i++) {
    low = TFC_MIN(low, x[i]);
    high = TFC_MAX(high, x[i]);
  }
  for (int64_t i = 0; i < r->rows * r->columns * r->depth; i++)
    to[i] = low + philox_next_float(words) * (high - low);
}

static float next_normal(philox_word_stream* words) {
  const float radius = sqrtf(-2 * logf(1 - philox_next_float(words)));
  return radius * cosf(2 * (float)M_PI * philox_next_float(words));
}

/* With the mean and the deviation of each channel, and within its values. */
static void fill_gaussian(const glimpse_run* r, const float* x, philox_word_stream* words,
                          float* to) {
  const int64_t pixels = r->height * r->width;
  for (int64_t k = 0; k < r->depth; k++) {
    float low = x[k], high = x[k];
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < pixels; i++) {
      const float value = x[i * r->depth + k];
      low = TFC_MIN(low, value);
      high = TFC_MAX(high, value);
      sum += value;
    }
    const double mean = sum / (double)pixels;
    for (int64_t i = 0; i < pixels; i++) {
      const double distance = x[i * r->depth + k] - mean;
      squares += distance * distance;
    }
    const float deviation = (float)sqrt(squares / (double)pixels);
    for (int64_t i = 0; i < r->rows * r->columns; i++) {
      const float value = (float)mean + next_normal(words) * deviation;
      to[i * r->depth + k] = TFC_MAX(TFC_MIN(value, high), low);
    }
  }
}

static void fill_noise(const glimpse_run* r, int64_t image, float* to) {
  const float* x = r->input + image * r->height * r->width * r->depth;
  philox_word_stream words = {r->noise, .used = PHILOX_WORDS};
  words.blocks.block += (uint64_t)(image * r->blocks);
  if (r->state->noise == NOISE_ZERO)
    memset(to, 0, (size_t)(r->rows * r->columns * r->depth) * sizeof *to);
  else if (r->state->noise == NOISE_UNIFORM)
    fill_uniform(r, x, &words, to);
  else
    fill_gaussian(r, x, &words, to);
}

/* ---- Windows. */

static void extract_range(void* arg, int64_t begin, int64_t end) {
  const glimpse_run* r = arg;
  const glimpse_state* s = r->state;
  for (int64_t i = begin; i < end; i++) {
    const int64_t top = first_pixel(s, r->offsets[2 * i], r->height, r->rows);
    const int64_t left = first_pixel(s, r->offsets[2 * i + 1], r->width, r->columns);
    const int64_t first = TFC_MAX(left, 0), last = TFC_MIN(left + r->columns, r->width);
    float* to = r->out + i * r->rows * r->columns * r->depth;
    const bool inside =
        top >= 0 && left >= 0 && top + r->rows <= r->height && left + r->columns <= r->width;
    if (!inside) fill_noise(r, i, to);
    if (first >= last) continue;
    for (int64_t y = TFC_MAX(top, 0); y < TFC_MIN(top + r->rows, r->height); y++)
      memcpy(to + ((y - top) * r->columns + first - left) * r->depth,
             r->input + ((i * r->height + y) * r->width + first) * r->depth,
             (size_t)((last - first) * r->depth) * sizeof *to);
  }
}

static int check(tfc_context* ctx, glimpse_run* r) {
  const tfc_tensor *x = ctx->inputs[0], *size = ctx->inputs[1], *offsets = ctx->inputs[2];
  if (x->rank != 4)
    REFUSE("input must be 4-dimensional (batch_size, height, width, depth)%s",
           tfc_shape_text(x).text);
  if (size->rank != 1 || size->n != 2)
    REFUSE("input must be a vector of size 2 (height, width)%s", tfc_shape_text(size).text);
  if (offsets->rank != 2) REFUSE("input must be a matrix%s", tfc_shape_text(offsets).text);
  if (offsets->dims[0] != x->dims[0])
    REFUSE("first dimension should be batch%s", tfc_shape_text(offsets).text);
  if (offsets->dims[1] != 2)
    REFUSE("second dimension should be of size 2 (y,x)%s", tfc_shape_text(offsets).text);
  if (x->dims[1] >= FAR || x->dims[2] >= FAR)
    REFUSE("the images are too large: %s", tfc_shape_text(x).text);
  r->rows = tfc_index_at(size, 0);
  r->columns = tfc_index_at(size, 1);
  const int64_t least = TFC_MIN(r->rows, r->columns);
  if (least < 0) REFUSE("Expected a non-negative size, got %lld", (long long)least);
  r->height = x->dims[1];
  r->width = x->dims[2];
  r->depth = x->dims[3];
  r->input = x->data;
  return TFC_OK;
}

static int extract(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *offsets = ctx->inputs[2];
  glimpse_run r = {.state = ctx->state};
  TFC_TRY(check(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 4, (int64_t[]){x->dims[0], r.rows, r.columns, r.depth}));
  if (!ctx->outputs[0].n) return TFC_OK;
  if (!x->n && r.state->noise != NOISE_ZERO)
    REFUSE("noise takes its values from the image, which has no pixels: %s",
           tfc_shape_text(x).text);
  float* copy = tfc_scratch(ctx, (size_t)offsets->n * sizeof *copy);
  if (!copy) return TFC_RESOURCE_EXHAUSTED;
  memcpy(copy, offsets->data, (size_t)offsets->n * sizeof *copy);
  r.offsets = copy;
  r.out = ctx->outputs[0].data;
  r.blocks = blocks_of(&r);
  TFC_TRY(tfc_random_reserve(ctx, x->dims[0] * r.blocks, &r.noise));
  const double noise = r.state->noise == NOISE_ZERO ? 0.5 : 20;
  tfc_parallel_for(ctx, x->dims[0], noise * (double)(r.rows * r.columns * r.depth), extract_range,
                   &r);
  return TFC_OK;
}

/* ---- Attributes. */

static int read_noise(tfc_construction* c, noise_kind* noise) {
  static const char* const names[] = {
      [NOISE_UNIFORM] = "uniform", [NOISE_GAUSSIAN] = "gaussian", [NOISE_ZERO] = "zero"};
  bool uniform;
  const char* text;
  size_t size;
  TFC_TRY(c->api->attr_bool(c, "uniform_noise", &uniform));
  TFC_TRY(c->api->attr_string(c, "noise", &text, &size));
  *noise = uniform ? NOISE_UNIFORM : NOISE_GAUSSIAN; /* of graphs before `noise` */
  if (size == 0) return TFC_OK;
  for (*noise = NOISE_UNIFORM; *noise <= NOISE_ZERO; ++*noise)
    if (strlen(names[*noise]) == size && !memcmp(names[*noise], text, size)) break;
  if (uniform && *noise != NOISE_UNIFORM)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "The uniform_noise and noise could not be specified at the same time");
  if (*noise <= NOISE_ZERO) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "The noise could only be uniform, gaussian, or zero, got %.*s", (int)size,
                       text);
}

static int read_attrs(tfc_construction* c, void* state) {
  glimpse_state* s = state;
  s->first_version = !strcmp(c->op_type, "ExtractGlimpse");
  TFC_TRY(c->api->attr_bool(c, "centered", &s->centered));
  TFC_TRY(c->api->attr_bool(c, "normalized", &s->normalized));
  TFC_TRY(read_noise(c, &s->noise));
  return tfc_random_find(c, c->op_name, 0, 0, &s->random.generator);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(glimpse_state), read_attrs, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ExtractGlimpse", "", extract, TFC_STATE(create)),
    TFC_ROW("ExtractGlimpseV2", "", extract, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
