/* ResizeBilinear, ResizeBicubic, ResizeArea, ResizeNearestNeighbor and their gradients. */
#include "kernels_c/image/resize.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_types.h"

/* ---- Elements as float. */

#define CONVERT(DTYPE, T, NAME)                          \
  case DTYPE: {                                          \
    const T* x = (const T*)from + first;                 \
    for (int64_t i = 0; i < n; i++) to[i] = (float)x[i]; \
    break;                                               \
  }

void resize_to_float(int32_t dtype, const void* from, int64_t first, float* to, int64_t n) {
  switch (dtype) {
    TFC_FOR_REALS(CONVERT)
    default: tfc_widen(dtype, (const uint16_t*)from + first, to, n);
  }
}

/* ---- Along a row. The input of each has TAIL readable elements behind it, so that a pixel of up
 * to four channels is one vector. */

enum { TAIL = 4 };
TFC_VECTOR_TYPE_OF(pixel, float, 16);

static inline pixel load_pixel(const float* p) {
  return *(const pixel_unaligned*)p;
}

static inline pixel linear_pixel(const int32_t* at, const float* w, const float* row, int64_t c) {
  pixel a = load_pixel(row + at[0] * c), b = load_pixel(row + at[1] * c);
  return a + (b - a) * w[1];
}
static inline pixel sum_pixel(const int32_t* at, const float* w, const float* row, int64_t c,
                              int32_t count) {
  pixel sum = load_pixel(row + at[0] * c) * w[0];
  for (int32_t k = 1; k < count; k++) sum += load_pixel(row + at[k] * c) * w[k];
  return sum;
}

/* All but the last pixels are stored as vectors; what is behind them is overwritten. */
static inline void across_pixels(const resize_axis* x, const float* row, float* to, int64_t c,
                                 bool linear) {
  const int32_t *at = x->index, *count = x->count;
  const float* w = x->weight;
  int64_t out = x->out, taps = linear ? 2 : x->taps, whole = TFC_MAX(0, out - 4 / c);
  for (int64_t i = 0; i < out; i++, at += taps, w += taps, to += c) {
    pixel sum = linear ? linear_pixel(at, w, row, c) : sum_pixel(at, w, row, c, count[i]);
    if (i < whole)
      *(pixel_unaligned*)to = sum;
    else
      memcpy(to, &sum, (size_t)c * sizeof(float));
  }
}

static void across_channels(const resize_axis* x, const float* row, float* to, int64_t c,
                            bool linear) {
  for (int64_t i = 0; i < x->out; i++) {
    const int32_t* at = x->index + i * x->taps;
    const float* w = x->weight + i * x->taps;
    float* out = to + i * c;
    const float *a = row + at[0] * c, *b = row + at[x->count[i] > 1] * c;
    if (linear) {
      for (int64_t k = 0; k < c; k++) out[k] = a[k] + (b[k] - a[k]) * w[1];
      continue;
    }
    for (int64_t k = 0; k < c; k++) out[k] = a[k] * w[0];
    for (int32_t t = 1; t < x->count[i]; t++) {
      b = row + at[t] * c;
      for (int64_t k = 0; k < c; k++) out[k] += b[k] * w[t];
    }
  }
}

static void across_gray(const resize_axis* x, const float* row, float* to) {
  for (int64_t i = 0; i < x->out; i++) {
    float a = row[x->index[2 * i]], b = row[x->index[2 * i + 1]];
    to[i] = a + (b - a) * x->weight[2 * i + 1];
  }
}

static void across(const resize_axis* x, const float* row, float* to, int64_t c, bool linear) {
  if (linear && c == 1)
    across_gray(x, row, to);
  else if (linear && c == 3) /* constants, for the compiler */
    across_pixels(x, row, to, 3, true);
  else if (c == 3)
    across_pixels(x, row, to, 3, false);
  else if (c <= 4)
    across_pixels(x, row, to, c, linear);
  else
    across_channels(x, row, to, c, linear);
}

/* ---- Across rows. */

static void mix_2(const float* a, const float* b, float w, float* to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = a[i] + (b[i] - a[i]) * w;
}
/* Of pixels that are used once. */
static void mix_bytes(const uint8_t* a, const uint8_t* b, float w, float* to, int64_t n) {
  for (int64_t i = 0; i < n; i++) to[i] = (float)a[i] + (float)(b[i] - a[i]) * w;
}
static void mix_4(const float* const rows[4], const float* w, float* to, int64_t n) {
  const float *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
  for (int64_t i = 0; i < n; i++) to[i] = a[i] * w[0] + b[i] * w[1] + c[i] * w[2] + d[i] * w[3];
}
static void add_row(const float* row, float w, float* to, int64_t n, bool first) {
  if (first)
    for (int64_t i = 0; i < n; i++) to[i] = row[i] * w;
  else
    for (int64_t i = 0; i < n; i++) to[i] += row[i] * w;
}

/* ---- A run. Where rows are left out, the rows of an output row are first mixed and the result is
 * resized. Where rows are used several times, each is resized first, and then mixed. */

enum { SLOTS = 4 };

typedef struct resize_run {
  tfc_context* ctx;
  resize_attrs attrs;
  resize_sizes s;
  resize_axis y, x;
  const void* from;
  float* to;
  int32_t dtype;
  bool mix_first, failed;
} resize_run;

/* The memory of a range: rows that are ready to be mixed, by number modulo SLOTS. */
typedef struct resize_rows {
  const resize_run* r;
  float *slots[SLOTS], *wide, *mixed;
  const float* ready[SLOTS];
  int64_t number[SLOTS]; /* row of the batch in the slot; -1: none */
} resize_rows;

static bool make_rows(resize_run* r, resize_rows* rows) {
  int64_t in = r->s.width * r->s.channels + TAIL, out = r->s.out_width * r->s.channels + TAIL;
  int64_t size = r->mix_first ? in : out;
  float* memory = tfc_scratch(r->ctx, (size_t)(SLOTS * size + 2 * in) * sizeof(float));
  if (!memory) return false;
  *rows = (resize_rows){.r = r, .wide = memory, .mixed = memory + in};
  memset(memory, 0, (size_t)(2 * in) * sizeof(float)); /* tails are read */
  for (int k = 0; k < SLOTS; k++) {
    rows->slots[k] = memory + 2 * in + k * size;
    memset(rows->slots[k] + size - TAIL, 0, TAIL * sizeof(float));
    rows->number[k] = -1;
  }
  return true;
}

/* Floats are used where they are, unless they are the last ones, which have no tail. */
static const float* get_floats(resize_rows* rows, int64_t number, float* memory) {
  const resize_run* r = rows->r;
  int64_t n = r->s.width * r->s.channels;
  bool last = number == r->s.batch * r->s.height - 1;
  if (r->dtype == TFC_FLOAT && !last) return (const float*)r->from + number * n;
  resize_to_float(r->dtype, r->from, number * n, memory, n);
  return memory;
}

/* A row of an image, ready to be mixed. */
static const float* get_row(resize_rows* rows, int64_t image, int64_t y) {
  const resize_run* r = rows->r;
  int64_t number = image * r->s.height + y, slot = y % SLOTS;
  if (rows->number[slot] == number) return rows->ready[slot];
  rows->number[slot] = number;
  if (r->mix_first) return rows->ready[slot] = get_floats(rows, number, rows->slots[slot]);
  const float* row = get_floats(rows, number, rows->wide);
  across(&r->x, row, rows->slots[slot], r->s.channels, r->attrs.method == RESIZE_BILINEAR);
  return rows->ready[slot] = rows->slots[slot];
}

static void make_row(resize_rows* rows, int64_t image, int64_t y, float* to, int64_t n) {
  const resize_run* r = rows->r;
  const int32_t* at = r->y.index + y * r->y.taps;
  const float* w = r->y.weight + y * r->y.taps;
  const float* ready[SLOTS];
  if (r->attrs.method == RESIZE_AREA) {
    for (int32_t k = 0; k < r->y.count[y]; k++)
      add_row(get_row(rows, image, at[k]), w[k], to, n, k == 0);
    return;
  }
  if (r->mix_first && r->attrs.method == RESIZE_BILINEAR && r->dtype == TFC_UINT8) {
    const uint8_t* from = (const uint8_t*)r->from + image * r->s.height * n;
    mix_bytes(from + at[0] * n, from + at[1] * n, w[1], to, n);
    return;
  }
  for (int32_t k = 0; k < r->y.taps; k++) ready[k] = get_row(rows, image, at[k]);
  if (r->y.taps == 2)
    mix_2(ready[0], ready[1], w[1], to, n);
  else
    mix_4(ready, w, to, n);
}

static void rows_range(void* arg, int64_t begin, int64_t end) {
  resize_run* r = arg;
  resize_rows rows;
  if (!make_rows(r, &rows)) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  int64_t in = r->s.width * r->s.channels, out = r->s.out_width * r->s.channels;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / r->s.out_height, y = i % r->s.out_height;
    float* to = r->to + i * out;
    make_row(&rows, image, y, r->mix_first ? rows.mixed : to, r->mix_first ? in : out);
    if (r->mix_first)
      across(&r->x, rows.mixed, to, r->s.channels, r->attrs.method == RESIZE_BILINEAR);
  }
}

static int resize(tfc_context* ctx) {
  resize_run r = {.ctx = ctx, .attrs = *(const resize_attrs*)ctx->state};
  TFC_TRY(resize_check(ctx, &r.attrs, &r.s));
  int64_t dims[4] = {r.s.batch, r.s.out_height, r.s.out_width, r.s.channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  TFC_TRY(resize_make_axis(ctx, &r.attrs, r.s.height, r.s.out_height, &r.y));
  TFC_TRY(resize_make_axis(ctx, &r.attrs, r.s.width, r.s.out_width, &r.x));
  r.from = ctx->inputs[0]->data;
  r.dtype = ctx->inputs[0]->dtype;
  r.to = ctx->outputs[0].data;
  r.mix_first = r.attrs.method == RESIZE_AREA || 2 * r.s.out_height < 3 * r.s.height;
  double cost = 0.3 * (double)(r.s.channels * (r.s.width + r.s.out_width));
  tfc_parallel_for(ctx, r.s.batch * r.s.out_height, cost, rows_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- Gradients: each row of the original gets the rows that were made of it. In double: sums of
 * many small parts. */

typedef struct grad_run {
  tfc_context* ctx;
  resize_sizes s;
  resize_axis y, x;
  int64_t *first, *last; /* the resized rows that are made of a row: first <= y < last */
  const float* from;
  void* to;
  int32_t dtype;
  bool failed;
} grad_run;

static void find_users(grad_run* r) {
  for (int64_t i = 0; i < r->y.in; i++) r->first[i] = r->last[i] = 0;
  for (int64_t i = r->y.out - 1; i >= 0; i--)
    for (int64_t k = 0; k < r->y.taps; k++) {
      int32_t at = r->y.index[i * r->y.taps + k];
      if (!r->last[at]) r->last[at] = i + 1;
      r->first[at] = i;
    }
}

static void gather_row(const grad_run* r, int64_t image, int64_t y, double* sum, int64_t n) {
  memset(sum, 0, (size_t)n * sizeof *sum);
  for (int64_t i = r->first[y]; i < r->last[y]; i++) {
    double w = 0;
    for (int64_t k = i * r->y.taps; k < (i + 1) * r->y.taps; k++)
      if (r->y.index[k] == y) w += r->y.weight[k];
    const float* row = r->from + (image * r->y.out + i) * n;
    for (int64_t k = 0; k < n; k++) sum[k] += w * row[k];
  }
}

static inline void spread_pixels(const resize_axis* x, const double* row, double* to, int64_t c,
                                 int64_t taps) {
  for (int64_t i = 0; i < x->out; i++)
    for (int64_t k = i * taps; k < (i + 1) * taps; k++) {
      double* out = to + x->index[k] * c;
      double w = x->weight[k];
      for (int64_t j = 0; j < c; j++) out[j] += w * row[i * c + j];
    }
}

static void spread_row(const resize_axis* x, const double* row, double* to, int64_t c) {
  memset(to, 0, (size_t)(x->in * c) * sizeof *to);
  if (c == 3 && x->taps == 2) /* constants, for the compiler */
    spread_pixels(x, row, to, 3, 2);
  else if (c == 3)
    spread_pixels(x, row, to, 3, 4);
  else if (c == 1)
    spread_pixels(x, row, to, 1, x->taps);
  else
    spread_pixels(x, row, to, c, x->taps);
}

static void store_row(const grad_run* r, const double* row, int64_t first, int64_t n) {
  if (r->dtype == TFC_DOUBLE)
    memcpy((double*)r->to + first, row, (size_t)n * sizeof *row);
  else if (r->dtype == TFC_FLOAT)
    for (int64_t i = 0; i < n; i++) ((float*)r->to)[first + i] = (float)row[i];
  else
    for (int64_t i = 0; i < n; i++)
      ((uint16_t*)r->to)[first + i] = tfc_narrow_one(r->dtype, tfc_double_to_float_odd(row[i]));
}

static void grad_range(void* arg, int64_t begin, int64_t end) {
  grad_run* r = arg;
  int64_t c = r->s.channels, in = r->x.in * c, out = r->x.out * c;
  double* sum = tfc_scratch(r->ctx, (size_t)(in + out) * sizeof *sum);
  if (!sum) {
    __atomic_store_n(&r->failed, true, __ATOMIC_RELAXED);
    return;
  }
  for (int64_t i = begin; i < end; i++) {
    gather_row(r, i / r->y.in, i % r->y.in, sum, out);
    spread_row(&r->x, sum, sum + out, c);
    store_row(r, sum + out, i * in, in);
  }
}

static int resize_grad(tfc_context* ctx) {
  const resize_attrs* a = ctx->state;
  grad_run r = {.ctx = ctx, .from = ctx->inputs[0]->data, .dtype = ctx->inputs[1]->dtype};
  TFC_TRY(resize_check_grad(ctx, a, &r.s));
  const int64_t dims[] = {r.s.batch, r.s.height, r.s.width, r.s.channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  TFC_TRY(resize_make_axis(ctx, a, r.s.height, r.s.out_height, &r.y));
  TFC_TRY(resize_make_axis(ctx, a, r.s.width, r.s.out_width, &r.x));
  r.first = tfc_scratch(ctx, (size_t)r.y.in * sizeof(int64_t));
  r.last = tfc_scratch(ctx, (size_t)r.y.in * sizeof(int64_t));
  if (!r.first || !r.last) return TFC_RESOURCE_EXHAUSTED;
  find_users(&r);
  r.to = ctx->outputs[0].data;
  double used = (double)(r.y.taps * r.y.out) / (double)r.y.in;
  double cost = (double)(r.s.channels * r.x.out) * (0.2 * used + 0.5 * (double)r.x.taps);
  tfc_parallel_for(ctx, r.s.batch * r.y.in, cost, grad_range, &r);
  return r.failed ? TFC_RESOURCE_EXHAUSTED : TFC_OK;
}

/* ---- The nearest pixel. */

typedef struct nearest_run {
  resize_sizes s;
  size_t pixel; /* bytes */
  const char* from;
  char* to;
  const int32_t *y, *x; /* the pixel of the original, by pixel */
} nearest_run;

static int32_t* nearest_axis(tfc_context* ctx, const resize_attrs* a, int64_t in, int64_t out) {
  int32_t* index = tfc_scratch(ctx, (size_t)out * sizeof *index);
  float scale = resize_scale(in, out, a->align_corners);
  if (index)
    for (int64_t i = 0; i < out; i++) index[i] = (int32_t)resize_nearest(a, scale, i, in);
  return index;
}

#define COPY_PIXELS(BYTES)        \
  for (int64_t i = 0; i < n; i++) \
  memcpy(to + i * (int64_t)(BYTES), from + at[i] * (int64_t)(BYTES), BYTES)

static void copy_pixels(const char* from, char* to, const int32_t* at, int64_t n, size_t bytes) {
  switch (bytes) {
    case 1: COPY_PIXELS(1); break;
    case 3: COPY_PIXELS(3); break;
    case 4: COPY_PIXELS(4); break;
    case 12: COPY_PIXELS(12); break;
    default: COPY_PIXELS(bytes);
  }
}

static void nearest_range(void* arg, int64_t begin, int64_t end) {
  const nearest_run* r = arg;
  int64_t in = r->s.width * (int64_t)r->pixel, out = r->s.out_width * (int64_t)r->pixel;
  for (int64_t i = begin; i < end; i++) {
    int64_t image = i / r->s.out_height, y = i % r->s.out_height;
    const char* from = r->from + (image * r->s.height + r->y[y]) * in;
    if (i > begin && y && r->y[y] == r->y[y - 1])
      memcpy(r->to + i * out, r->to + (i - 1) * out, (size_t)out);
    else
      copy_pixels(from, r->to + i * out, r->x, r->s.out_width, r->pixel);
  }
}

static int nearest(tfc_context* ctx) {
  const resize_attrs* a = ctx->state;
  nearest_run r = {.from = ctx->inputs[0]->data};
  TFC_TRY(resize_check(ctx, a, &r.s));
  int64_t dims[4] = {r.s.batch, r.s.out_height, r.s.out_width, r.s.channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  r.to = ctx->outputs[0].data;
  r.y = nearest_axis(ctx, a, r.s.height, r.s.out_height);
  r.x = nearest_axis(ctx, a, r.s.width, r.s.out_width);
  if (!r.y || !r.x) return TFC_RESOURCE_EXHAUSTED;
  r.pixel = (size_t)r.s.channels * tfc_dtype_size(ctx->inputs[0]->dtype);
  double cost = (double)r.s.out_width * (1 + 0.1 * (double)r.pixel);
  tfc_parallel_for(ctx, r.s.batch * r.s.out_height, cost, nearest_range, &r);
  return TFC_OK;
}

/* The gradient: an image is summed in order, whatever the number of threads. */

typedef struct nearest_grad_run {
  nearest_run n;
  const void* from;
  void* to;
  int32_t dtype;
} nearest_grad_run;

#define ADD_ROWS(T, LOAD, STORE)                                                       \
  {                                                                                    \
    const T* g = (const T*)r->from + image * s->out_height * s->out_width * c;         \
    T* out = (T*)r->to + image * s->height * s->width * c;                             \
    memset(out, 0, (size_t)(s->height * s->width * c) * sizeof(T));                    \
    for (int64_t y = 0; y < s->out_height; y++)                                        \
      for (int64_t x = 0; x < s->out_width; x++) {                                     \
        T* to = out + ((int64_t)r->n.y[y] * s->width + r->n.x[x]) * c;                 \
        for (int64_t k = 0; k < c; k++, g++) to[k] = (T)STORE(LOAD(to[k]) + LOAD(*g)); \
      }                                                                                \
  }
#define PLAIN(X) X

static void nearest_grad_range(void* arg, int64_t begin, int64_t end) {
  const nearest_grad_run* r = arg;
  const resize_sizes* s = &r->n.s;
  int64_t c = s->channels;
  for (int64_t image = begin; image < end; image++) switch (r->dtype) {
      case TFC_FLOAT: ADD_ROWS(float, PLAIN, PLAIN) break;
      case TFC_DOUBLE: ADD_ROWS(double, PLAIN, PLAIN) break;
      case TFC_INT32: ADD_ROWS(uint32_t, PLAIN, PLAIN) break;
      default: ADD_ROWS(uint8_t, PLAIN, PLAIN)
    }
}

/* Of 16-bit floats: summed as float. */
static int nearest_grad_narrow(tfc_context* ctx, nearest_grad_run* r) {
  const tfc_tensor *g = ctx->inputs[0], *out = &ctx->outputs[0];
  float* wide = tfc_scratch(ctx, (size_t)g->n * sizeof(float));
  float* sums = tfc_scratch(ctx, (size_t)out->n * sizeof(float));
  if (!wide || !sums) return TFC_RESOURCE_EXHAUSTED;
  tfc_widen(g->dtype, g->data, wide, g->n);
  r->dtype = TFC_FLOAT;
  r->from = wide;
  r->to = sums;
  nearest_grad_range(r, 0, r->n.s.batch);
  tfc_narrow(g->dtype, sums, out->data, out->n);
  return TFC_OK;
}

static int nearest_grad(tfc_context* ctx) {
  const resize_attrs* a = ctx->state;
  const tfc_tensor* g = ctx->inputs[0];
  nearest_grad_run r = {.from = g->data, .dtype = g->dtype};
  resize_sizes* s = &r.n.s;
  TFC_TRY(resize_check_nearest_grad(ctx, a, s));
  int64_t dims[4] = {s->batch, s->height, s->width, s->channels};
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  r.to = ctx->outputs[0].data;
  r.n.y = nearest_axis(ctx, a, s->height, s->out_height);
  r.n.x = nearest_axis(ctx, a, s->width, s->out_width);
  if (!r.n.y || !r.n.x) return TFC_RESOURCE_EXHAUSTED;
  if (tfc_is_16bit_float(g->dtype)) return nearest_grad_narrow(ctx, &r);
  double cost = (double)(s->out_height * s->out_width * s->channels);
  tfc_parallel_for(ctx, s->batch, cost, nearest_grad_range, &r);
  return TFC_OK;
}

/* ---- Attributes. */

static int create(tfc_construction* c, void** state, resize_method method) {
  resize_attrs* a = calloc(1, sizeof *a);
  if (!a) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *state = a;
  a->method = method;
  TFC_TRY(c->api->attr_bool(c, "align_corners", &a->align_corners));
  if (method == RESIZE_AREA) return TFC_OK;
  return c->api->attr_bool(c, "half_pixel_centers", &a->half_pixel_centers);
}
static int create_bilinear(tfc_construction* c, void** state) {
  return create(c, state, RESIZE_BILINEAR);
}
static int create_bicubic(tfc_construction* c, void** state) {
  return create(c, state, RESIZE_BICUBIC);
}
static int create_area(tfc_construction* c, void** state) {
  return create(c, state, RESIZE_AREA);
}

#define TYPES TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED "|uint8|uint16"

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ResizeBilinear", "T=" TYPES, resize, TFC_STATE(create_bilinear)),
    TFC_ROW("ResizeBicubic", "T=" TYPES, resize, TFC_STATE(create_bicubic)),
    TFC_ROW("ResizeArea", "T=" TYPES, resize, TFC_STATE(create_area)),
    TFC_ROW("ResizeNearestNeighbor", "T=" TYPES, nearest, TFC_STATE(create_bilinear)),
    TFC_ROW("ResizeBilinearGrad", "T=" TFC_TYPES_FLOATS, resize_grad, TFC_STATE(create_bilinear)),
    TFC_ROW("ResizeBicubicGrad", "T=" TFC_TYPES_WIDE_FLOATS, resize_grad,
            TFC_STATE(create_bicubic)),
    TFC_ROW("ResizeNearestNeighborGrad", "T=" TFC_TYPES_FLOATS "|int8|uint8|int32", nearest_grad,
            TFC_STATE(create_bilinear)),
};
TFC_REGISTER_KERNELS(kernels);
