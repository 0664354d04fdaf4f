/* FusedPadConv2D and FusedResizeAndPadConv2D: convolutions of images that are mirrored at their
 * borders, and resized before. The images are made once; the convolution is Conv2D's. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/window.h"
#include "kernels_c/conv/op.h"
#include "kernels_c/image/resize.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

typedef struct fused_state {
  conv_state conv; /* first, so that it is the state of the convolution, too */
  bool resizes, align_corners;
  bool skips; /* REFLECT: the edge is not repeated */
} fused_state;

/* Pixel i of a padded row or column: pixel `at[i]`. */
typedef struct mirror {
  int64_t in, out; /* without and with the padding */
  int32_t* at;
} mirror;

/* ---- Attributes. */

static int create(tfc_construction* c, bool resizes, void** state) {
  fused_state s = {.resizes = resizes};
  const char* mode;
  size_t size;
  TFC_TRY(window_attrs_read(c, &s.conv.window, false, WINDOW_NO_FORMAT));
  TFC_TRY(conv_attrs_check(c, &s.conv.window));
  TFC_TRY(c->api->attr_string(c, "mode", &mode, &size));
  s.skips = size == 7 && !memcmp(mode, "REFLECT", 7);
  if (resizes) TFC_TRY(c->api->attr_bool(c, "resize_align_corners", &s.align_corners));
  return conv_keep_state(c, &s, sizeof s, state);
}
static int create_pad(tfc_construction* c, void** state) {
  return create(c, false, state);
}
static int create_resize(tfc_construction* c, void** state) {
  return create(c, true, state);
}

/* ---- Padding. */

static int check_paddings(tfc_context* ctx, const tfc_tensor* t) {
  if (t->rank != 2 || t->dims[1] != 2)
    REFUSE("paddings must be a matrix with 2 columns: %s", tfc_shape_text(t).text);
  if (t->dims[0] != 4)
    REFUSE("The first dimension of paddings must be the rank of inputs: %s",
           tfc_shape_text(t).text);
  static const char* const kinds[] = {"batches", NULL, NULL, "channels"};
  for (int i = 0; i < 4; i += 3)
    for (int side = 0; side < 2; side++)
      if (tfc_index_at(t, 2 * i + side))
        REFUSE("Fused mirror padding only support spatial padding, not %s: %lld", kinds[i],
               (long long)tfc_index_at(t, 2 * i + side));
  return TFC_OK;
}

static int make_mirror(tfc_context* ctx, const tfc_tensor* paddings, int d, int64_t in, mirror* m) {
  const int skip = ((const fused_state*)ctx->state)->skips;
  const int64_t before = tfc_index_at(paddings, 2 * d), after = tfc_index_at(paddings, 2 * d + 1);
  if (before < 0 || after < 0)
    REFUSE("Paddings must be non-negative: %lld %lld", (long long)before, (long long)after);
  if ((before || after) && (before > in - skip || after > in - skip))
    REFUSE(skip ? "paddings must be less than the dimension size: %lld, %lld not less than %lld"
                : "paddings must be no greater than the dimension size: %lld, %lld greater than "
                  "%lld",
           (long long)before, (long long)after, (long long)in);
  *m = (mirror){.in = in, .out = before + in + after};
  m->at = tfc_scratch_items(ctx, m->out, sizeof *m->at);
  if (!m->at) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < m->out; i++) {
    int64_t at = i - before;
    if (at < 0) at = -at - 1 + skip;
    if (at >= in) at = 2 * in - 1 - skip - at;
    m->at[i] = (int32_t)at;
  }
  return TFC_OK;
}

typedef struct pad_job {
  mirror rows, columns;
  const char* from;
  char* to;
  size_t pixel; /* bytes */
} pad_job;

/* Item: a row of a padded image. */
static void pad_rows(void* arg, int64_t begin, int64_t end) {
  const pad_job* j = arg;
  const size_t in = (size_t)j->columns.in * j->pixel, out = (size_t)j->columns.out * j->pixel;
  for (int64_t i = begin; i < end; i++) {
    const int64_t row = i / j->rows.out * j->rows.in + j->rows.at[i % j->rows.out];
    const char* from = j->from + (size_t)row * in;
    char* to = j->to + (size_t)i * out;
    for (int64_t k = 0; k < j->columns.out; k++)
      memcpy(to + (size_t)k * j->pixel, from + (size_t)j->columns.at[k] * j->pixel, j->pixel);
  }
}

/* ---- Resizing. */

typedef struct resize_job {
  resize_axis y, x;
  const void* from;
  void* to;
  int64_t channels;
} resize_job;

#define RESIZE_ROWS(T)                                                                        \
  static void resize_rows_##T(void* arg, int64_t begin, int64_t end) {                        \
    const resize_job* j = arg;                                                                \
    const int64_t n = j->channels, row = j->x.in * n;                                         \
    for (int64_t i = begin; i < end; i++) {                                                   \
      const T* image = (const T*)j->from + i / j->y.out * j->y.in * row;                      \
      const int32_t* y = j->y.index + i % j->y.out * 2;                                       \
      const T below = (T)j->y.weight[i % j->y.out * 2 + 1];                                   \
      T* to = (T*)j->to + i * j->x.out * n;                                                   \
      for (int64_t k = 0; k < j->x.out; k++) {                                                \
        const int32_t* x = j->x.index + k * 2;                                                \
        const T right = (T)j->x.weight[k * 2 + 1];                                            \
        for (int64_t c = 0; c < n; c++) {                                                     \
          const T a = image[y[0] * row + x[0] * n + c], b = image[y[0] * row + x[1] * n + c]; \
          const T d = image[y[1] * row + x[0] * n + c], e = image[y[1] * row + x[1] * n + c]; \
          const T top = a + (b - a) * right, bottom = d + (e - d) * right;                    \
          to[k * n + c] = top + (bottom - top) * below;                                       \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
  }
RESIZE_ROWS(float)
RESIZE_ROWS(double)

/* The images in the type of the convolution, of the size that input 1 gives. */
static int resize(tfc_context* ctx, image_dims* d, const void** images) {
  const tfc_tensor* size = ctx->inputs[1];
  const bool wide = ctx->inputs[0]->dtype == TFC_DOUBLE;
  const resize_attrs attrs = {.method = RESIZE_BILINEAR,
                              .align_corners = ((const fused_state*)ctx->state)->align_corners};
  if (size->rank != 1) REFUSE("shape_t must be 1-dimensional%s", tfc_shape_text(size).text);
  if (size->n != 2) REFUSE("shape_t must have two elements%s", tfc_shape_text(size).text);
  const int64_t height = tfc_index_at(size, 0), width = tfc_index_at(size, 1);
  if (height <= 0 || width <= 0) REFUSE("output dimensions must be positive");
  if (d->h > INT32_MAX || d->w > INT32_MAX) REFUSE("input sizes must be between 0 and 2^31");
  TFC_TRY(tfc_check_shape(ctx, 4, (int64_t[]){d->n, height, width, d->c}));
  const image_dims larger = {d->n, height, width, d->c};
  resize_job j = {.from = *images, .channels = d->c};
  j.to = tfc_scratch_items(ctx, image_size(larger), wide ? sizeof(double) : sizeof(float));
  if (!j.to) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(resize_make_axis(ctx, &attrs, d->h, height, &j.y));
  TFC_TRY(resize_make_axis(ctx, &attrs, d->w, width, &j.x));
  tfc_parallel_for(ctx, d->n * height, 2 * (double)width * (double)d->c,
                   wide ? resize_rows_double : resize_rows_float, &j);
  *images = j.to;
  *d = larger;
  return TFC_OK;
}

/* ---- Kernels. */

static int pad(tfc_context* ctx, const tfc_tensor* paddings, size_t element, image_dims* d,
               const void** images) {
  pad_job j = {.from = *images, .pixel = (size_t)d->c * element};
  TFC_TRY(make_mirror(ctx, paddings, 1, d->h, &j.rows));
  TFC_TRY(make_mirror(ctx, paddings, 2, d->w, &j.columns));
  d->h = j.rows.out, d->w = j.columns.out;
  TFC_TRY(tfc_check_shape(ctx, 4, (int64_t[]){d->n, d->h, d->w, d->c}));
  j.to = tfc_scratch_items(ctx, image_size(*d), element);
  if (!j.to) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, d->n * d->h, (double)d->w * (2 + 0.1 * (double)j.pixel), pad_rows, &j);
  *images = j.to;
  return TFC_OK;
}

static int fused_pad(tfc_context* ctx) {
  const fused_state* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *paddings = ctx->inputs[1 + s->resizes];
  const tfc_tensor* filter = ctx->inputs[2 + s->resizes];
  TFC_TRY(conv_check_rank(ctx, x, "input"));
  TFC_TRY(conv_check_rank(ctx, filter, "filter"));
  TFC_TRY(check_paddings(ctx, paddings));
  if (x->n == 0) REFUSE("Input tensor can't be empty");
  image_dims d = image_dims_of(x->dims, false);
  const void* images = image_load(ctx, x, d, false, true);
  if (!images) return TFC_RESOURCE_EXHAUSTED;
  if (s->resizes) TFC_TRY(resize(ctx, &d, &images));
  TFC_TRY(pad(ctx, paddings, x->dtype == TFC_DOUBLE ? 8 : 4, &d, &images));
  conv_sizes sizes;
  const int64_t dims[] = {d.n, d.h, d.w, d.c};
  TFC_TRY(conv_fit(ctx, &s->conv.window, dims, filter->dims, &sizes));
  TFC_TRY(conv_output(ctx, &sizes));
  if (ctx->outputs[0].n == 0) REFUSE("Output tensor can't be empty");
  const image_dims taps = {sizes.h.filter, sizes.w.filter, sizes.c, sizes.oc};
  const void* f = image_load(ctx, filter, taps, false, true);
  const image_dims out = {sizes.n, sizes.h.out, sizes.w.out, sizes.oc};
  void* work = image_begin(ctx, &ctx->outputs[0], out, false, true);
  if (!f || !work) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(conv_forward(ctx, &sizes, x->dtype, images, f, work, NULL));
  return image_store(ctx, &ctx->outputs[0], out, false, true, work);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("FusedPadConv2D", "T=" TFC_TYPES_FLOATS, fused_pad, .create = create_pad,
            .destroy = conv_destroy),
    TFC_ROW("FusedResizeAndPadConv2D", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16, fused_pad,
            .create = create_resize, .destroy = conv_destroy),
};
TFC_REGISTER_KERNELS(kernels);
