/* ExtractImagePatches, ExtractVolumePatches: what windows see of images, window by window. Images
 * are volumes of one plane. */
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

enum { SPACE = 3 };

typedef struct patches_state {
  bool volumes, same;
  int64_t sizes[SPACE], strides[SPACE], rates[SPACE];
} patches_state;

typedef struct patches_run {
  const patches_state* state;
  const char* from; /* [batch, in, in, in, depth] */
  char* to;         /* [batch, out, out, out, size, size, size, depth] */
  int64_t in[SPACE], out[SPACE], pads[SPACE];
  int64_t bytes; /* of the elements of a pixel */
} patches_run;

/* ---- Copies. */

/* A row of a window: pixels of a row of the image, or zeros (row == NULL). */
static char* copy_row(const patches_run* r, const char* row, int64_t first, char* to) {
  const int64_t n = r->state->sizes[2], rate = r->state->rates[2], bytes = r->bytes;
  if (!row) {
    memset(to, 0, (size_t)(n * bytes));
    return to + n * bytes;
  }
  if (rate == 1 && first >= 0 && first + n <= r->in[2]) {
    memcpy(to, row + first * bytes, (size_t)(n * bytes));
    return to + n * bytes;
  }
  for (int64_t k = 0; k < n; k++, to += bytes) {
    const int64_t x = first + k * rate;
    if (x >= 0 && x < r->in[2])
      memcpy(to, row + x * bytes, (size_t)bytes);
    else
      memset(to, 0, (size_t)bytes);
  }
  return to;
}

static const char* row_of(const patches_run* r, int64_t image, int64_t plane, int64_t y) {
  if (plane < 0 || plane >= r->in[0] || y < 0 || y >= r->in[1]) return NULL;
  return r->from + ((image * r->in[0] + plane) * r->in[1] + y) * r->in[2] * r->bytes;
}

/* Item: a row of windows. */
static void copy_range(void* arg, int64_t begin, int64_t end) {
  const patches_run* r = arg;
  const patches_state* s = r->state;
  const int64_t window = s->sizes[0] * s->sizes[1] * s->sizes[2] * r->bytes;
  char* to = r->to + begin * r->out[2] * window;
  for (int64_t i = begin; i < end; i++) {
    const int64_t row = i % r->out[1], plane = i / r->out[1] % r->out[0];
    const int64_t image = i / r->out[1] / r->out[0];
    const int64_t first_plane = plane * s->strides[0] - r->pads[0];
    const int64_t first_row = row * s->strides[1] - r->pads[1];
    for (int64_t x = 0; x < r->out[2]; x++)
      for (int64_t p = 0; p < s->sizes[0]; p++)
        for (int64_t y = 0; y < s->sizes[1]; y++)
          to = copy_row(
              r, row_of(r, image, first_plane + p * s->rates[0], first_row + y * s->rates[1]),
              x * s->strides[2] - r->pads[2], to);
  }
}

/* ---- Sizes. */

static int fit(tfc_context* ctx, patches_run* r, int axis) {
  const patches_state* s = r->state;
  const int64_t in = r->in[axis], stride = s->strides[axis];
  const int64_t span = (s->sizes[axis] - 1) * s->rates[axis] + 1; /* below 2^62 */
  if (s->same) {
    r->out[axis] = in / stride + (in % stride != 0);
    const int64_t missing = (r->out[axis] - 1) * stride + span - in;
    /* Of a volume, what windows leave out is on both sides, as in TensorFlow. */
    r->pads[axis] = (s->volumes ? missing : TFC_MAX(0, missing)) / 2;
    return TFC_OK;
  }
  /* Rounded towards zero, as in C. */
  r->out[axis] = (in - span + stride) / stride;
  if (r->out[axis] < 0)
    REFUSE(
        "Computed output size would be negative: %lld [input_size: %lld, effective_filter_size: "
        "%lld, stride: %lld]",
        (long long)r->out[axis], (long long)in, (long long)span, (long long)stride);
  return TFC_OK;
}

static int patches(tfc_context* ctx) {
  const patches_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  const int space = s->volumes ? SPACE : SPACE - 1;
  if (x->rank != space + 2)
    REFUSE("input must be %d-dimensional%s", space + 2, tfc_shape_text(x).text);
  patches_run r = {.state = s, .from = x->data, .in = {1, 1, 1}, .out = {1, 1, 1}};
  int64_t dims[SPACE + 2] = {x->dims[0]}, depth = x->dims[space + 1];
  r.bytes = depth * (int64_t)tfc_dtype_size(x->dtype);
  for (int i = 0; i < space; i++) {
    const int axis = SPACE - space + i;
    r.in[axis] = x->dims[1 + i];
    TFC_TRY(fit(ctx, &r, axis));
    dims[1 + i] = r.out[axis];
  }
  for (int i = 0; i < SPACE; i++) /* 0, if there are no elements */
    if (__builtin_mul_overflow(depth, s->sizes[i], &depth))
      REFUSE("windows of %lld x %lld x %lld pixels are too large", (long long)s->sizes[0],
             (long long)s->sizes[1], (long long)s->sizes[2]);
  dims[space + 1] = depth;
  TFC_TRY(tfc_output(ctx, 0, space + 2, dims));
  if (!ctx->outputs[0].n) return TFC_OK;
  r.to = ctx->outputs[0].data;
  const double rows = (double)(r.out[2] * s->sizes[0] * s->sizes[1]);
  tfc_parallel_for(ctx, dims[0] * r.out[0] * r.out[1],
                   rows * (4 + 0.1 * (double)(s->sizes[2] * r.bytes)), copy_range, &r);
  return TFC_OK;
}

/* ---- Attributes. */

static int read_space(tfc_construction* c, const char* name, int rank, int64_t* values) {
  int64_t all[SPACE + 2];
  int n;
  TFC_TRY(c->api->attr_ints(c, name, SPACE + 2, all, &n));
  if (n != rank)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "%s requires the %s attribute to contain %d values, but got: %d",
                         c->op_type, name, rank, n);
  if (all[0] != 1 || all[rank - 1] != 1)
    return c->api->error(c, TFC_UNIMPLEMENTED, "Only support %s across space.", name);
  for (int i = 0; i < rank - 2; i++) {
    const int64_t value = all[1 + i];
    if (value < 1 || value > INT32_MAX)
      return c->api->error(c, TFC_OUT_OF_RANGE, "%s is out of range: %lld", name, (long long)value);
    values[SPACE - (rank - 2) + i] = value;
  }
  return TFC_OK;
}

static int read_attrs(tfc_construction* c, void* state) {
  patches_state* s = state;
  for (int i = 0; i < SPACE; i++) s->sizes[i] = s->strides[i] = s->rates[i] = 1;
  s->volumes = !strcmp(c->op_type, "ExtractVolumePatches");
  const int rank = s->volumes ? SPACE + 2 : SPACE + 1;
  TFC_TRY(read_space(c, "ksizes", rank, s->sizes));
  TFC_TRY(read_space(c, "strides", rank, s->strides));
  if (!s->volumes) TFC_TRY(read_space(c, "rates", rank, s->rates));
  const char* padding;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "padding", &padding, &size));
  s->same = size == 4 && !memcmp(padding, "SAME", 4);
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(patches_state), read_attrs, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ExtractImagePatches", "T=" TFC_TYPES_NUMBERS, patches, TFC_STATE(create)),
    TFC_ROW("ExtractVolumePatches", "T=" TFC_TYPES_REALS, patches, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
