/* Reductions over any set of axes.
 *
 * The shape is first reduced to runs of kept (K) and reduced (R) dimensions. A stage then removes
 * the innermost R: lines when it is last ([o][n] -> [o]), columns when a K follows ([o][n][m] ->
 * [o][m]). K R K R needs two stages; the second works on the small result of the first. Long
 * runs are cut into chunks whose sizes depend on the shape only, so that the order of additions,
 * and with it every bit of the result, is the same for any number of threads.
 */
#include "kernels_c/reduce/reduce.h"

#include <limits.h>
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/reduce/axes.h"

enum {
  LINE_CHUNK = 16384, /* elements of a line that one task folds */
  LOAD_CHUNK = 2048,  /* the same when elements are converted first: fits the buffer */
  STRIP = 4096,       /* columns of a task */
  CHUNK_ROWS = 64,    /* least rows of a task, keeps partial results few */
  GROUP = 128         /* narrow rows are taken together up to this many columns */
};

typedef enum { SUM, MEAN, PROD, MAX, MIN, ALL, ANY, NORM } op_kind;

/* Converts n elements of the input's type to the accumulator's. */
typedef void (*load_fn)(const void* x, void* y, int64_t n);

typedef struct reduction {
  op_kind kind;
  int32_t dtype;
  load_fn load; /* NULL: the elements are accumulators already */
  tfc_accumulator acc;
  const tfc_reducer* first; /* of the elements */
  const tfc_reducer* next;  /* of partial results */
  int split;                /* complex as pairs of reals: 1 kept dimension, 2 reduced; 0 not */
} reduction;

#define LOAD(NAME, T, ACC, CONVERT)                            \
  static void NAME(const void* x_, void* y_, int64_t n) {      \
    const T* restrict x = x_;                                  \
    ACC* restrict y = y_;                                      \
    for (int64_t i = 0; i < n; i++) y[i] = (ACC)CONVERT(x[i]); \
  }
static void load_half(const void* x, void* y, int64_t n) {
  tfc_widen(TFC_HALF, x, y, n);
}
static void load_bfloat16(const void* x, void* y, int64_t n) {
  tfc_widen(TFC_BFLOAT16, x, y, n);
}
LOAD(load_int8_int32, int8_t, int32_t, )
LOAD(load_uint8_int32, uint8_t, int32_t, )
LOAD(load_int16_int32, int16_t, int32_t, )
LOAD(load_uint16_int32, uint16_t, int32_t, )
LOAD(load_int8_int64, int8_t, int64_t, )
LOAD(load_uint8_int64, uint8_t, int64_t, )
LOAD(load_int16_int64, int16_t, int64_t, )
LOAD(load_uint16_int64, uint16_t, int64_t, )
LOAD(load_int32_int64, int32_t, int64_t, )
LOAD(load_uint32_int64, uint32_t, int64_t, )
LOAD(load_int8_double, int8_t, double, )
LOAD(load_uint8_double, uint8_t, double, )
LOAD(load_int16_double, int16_t, double, )
LOAD(load_uint16_double, uint16_t, double, )
LOAD(load_int32_double, int32_t, double, )
LOAD(load_uint32_double, uint32_t, double, )
LOAD(load_int64_double, int64_t, double, )
LOAD(load_uint64_double, uint64_t, double, )
LOAD(load_complex64_complex128, float, double, )
static void load_complex64(const void* x, void* y, int64_t n) {
  load_complex64_complex128(x, y, 2 * n);
}

/* Integer types in the order of the rows below. */
static int integer_index(int32_t dtype) {
  switch (dtype) {
    case TFC_INT8: return 0;
    case TFC_UINT8: return 1;
    case TFC_INT16: return 2;
    case TFC_UINT16: return 3;
    case TFC_INT32: return 4;
    case TFC_UINT32: return 5;
    case TFC_INT64: return 6;
    case TFC_UINT64: return 7;
    default: return -1;
  }
}

static const load_fn to_int32[8] = {load_int8_int32, load_uint8_int32, load_int16_int32,
                                    load_uint16_int32};
static const load_fn to_int64[8] = {load_int8_int64,   load_uint8_int64, load_int16_int64,
                                    load_uint16_int64, load_int32_int64, load_uint32_int64};
static const load_fn to_double[8] = {load_int8_double,   load_uint8_double, load_int16_double,
                                     load_uint16_double, load_int32_double, load_uint32_double,
                                     load_int64_double,  load_uint64_double};

/* Sums and products wrap in 32 or 64 bits, means are exact in 64, norms go through double. */
static void plan_integer(reduction* r, int i) {
  if (r->kind == NORM) {
    r->acc = TFC_ACC_F64;
    r->load = to_double[i];
  } else if (i == 7) {
    r->acc = TFC_ACC_U64;
  } else if (i == 6) {
    r->acc = TFC_ACC_I64;
  } else if (r->kind == MEAN || (i == 5 && (r->kind == MAX || r->kind == MIN))) {
    r->acc = TFC_ACC_I64;
    r->load = to_int64[i];
  } else {
    r->acc = TFC_ACC_I32;
    r->load = to_int32[i];
  }
}

static reduction plan_reduction(op_kind kind, int32_t dtype) {
  static const tfc_reduction first[] = {TFC_SUM, TFC_SUM, TFC_PROD, TFC_MAX,
                                        TFC_MIN, TFC_ALL, TFC_ANY,  TFC_SUM_SQUARES};
  reduction r = {.kind = kind, .dtype = dtype};
  switch (dtype) {
    case TFC_FLOAT: r.acc = TFC_ACC_F32; break;
    case TFC_DOUBLE: r.acc = TFC_ACC_F64; break;
    case TFC_HALF:
    case TFC_BFLOAT16:
      r.acc = TFC_ACC_F32;
      r.load = dtype == TFC_HALF ? load_half : load_bfloat16;
      break;
    case TFC_BOOL: r.acc = TFC_ACC_BOOL; break;
    case TFC_COMPLEX64:
    case TFC_COMPLEX128:
      if (kind == PROD) {
        r.acc = TFC_ACC_C128;
        r.load = dtype == TFC_COMPLEX64 ? load_complex64 : NULL;
      } else {
        r.acc = dtype == TFC_COMPLEX64 ? TFC_ACC_F32 : TFC_ACC_F64;
        r.split = kind == NORM ? 2 : 1;
      }
      break;
    default: plan_integer(&r, integer_index(dtype));
  }
  r.first = tfc_find_reducer(first[kind], r.acc);
  r.next = kind == NORM ? tfc_find_reducer(TFC_SUM, r.acc) : r.first;
  return r;
}

/* ---- A stage: [outer][n][m] -> [outer][chunks][m] */

typedef struct stage {
  const tfc_reducer *first, *next;
  load_fn load;
  bool plain; /* first == next: an accumulator may start as a copy of the first row */
  const char* x;
  char* out;
  size_t in_size, acc_size;
  int64_t outer, n, m;
  int64_t chunk, chunks; /* elements (lines) or rows (columns) of a task; tasks along n */
  int64_t strip, strips; /* columns of a task; tasks along m */
  int64_t group;         /* rows taken together */
} stage;

static void line_chunk(const stage* s, char* out, const char* x, int64_t count, int64_t n) {
  if (!s->load) {
    s->first->line(out, x, count, n);
    return;
  }
  double buffer[2 * LOAD_CHUNK];
  const int64_t batch = n < LOAD_CHUNK ? LOAD_CHUNK / n : 1;
  for (int64_t i = 0; i < count; i += batch) {
    const int64_t lines = count - i < batch ? count - i : batch;
    s->load(x + i * n * (int64_t)s->in_size, buffer, lines * n);
    s->first->line(out + i * (int64_t)s->acc_size, buffer, lines, n);
  }
}

static void line_tasks(void* arg, int64_t begin, int64_t end) {
  const stage* s = arg;
  const int64_t in_size = (int64_t)s->in_size, acc_size = (int64_t)s->acc_size;
  if (s->chunks == 1) {
    line_chunk(s, s->out + begin * acc_size, s->x + begin * s->n * in_size, end - begin, s->n);
    return;
  }
  for (int64_t t = begin; t < end; t++) {
    const int64_t o = t / s->chunks, first = t % s->chunks * s->chunk;
    const int64_t n = s->n - first < s->chunk ? s->n - first : s->chunk;
    line_chunk(s, s->out + t * acc_size, s->x + (o * s->n + first) * in_size, 1, n);
  }
}

/* Accumulates rows that lie `stride` apart; `started` says that acc holds values already. */
static void add_rows(const stage* s, char* acc, bool started, const char* x, int64_t rows,
                     int64_t stride, int64_t width) {
  const int64_t in_size = (int64_t)s->in_size;
  double buffer[2 * LOAD_CHUNK];
  int64_t step = rows;
  if (s->load) {
    step = LOAD_CHUNK / width;
    step = step < 1 ? 1 : step < rows ? step : rows;
  }
  for (int64_t i = 0; i < rows; i += step) {
    const int64_t count = rows - i < step ? rows - i : step;
    const char* from = x + i * stride * in_size;
    int64_t from_stride = stride;
    if (s->load) {
      if (stride == width) {
        s->load(from, buffer, count * width);
      } else {
        for (int64_t k = 0; k < count; k++)
          s->load(from + k * stride * in_size, (char*)buffer + k * width * (int64_t)s->acc_size,
                  width);
      }
      from = (const char*)buffer;
      from_stride = width;
    }
    int64_t skip = 0;
    if (!started) {
      if (s->plain) {
        memcpy(acc, from, (size_t)width * s->acc_size);
        skip = 1;
      } else {
        memset(acc, 0, (size_t)width * s->acc_size);
      }
      started = true;
    }
    s->first->rows(acc, from + skip * from_stride * (int64_t)s->acc_size, count - skip, from_stride,
                   width);
  }
}

static void column_task(const stage* s, char* out, const char* x, int64_t rows, int64_t width) {
  const int64_t whole = rows / s->group, acc_size = (int64_t)s->acc_size;
  if (s->group == 1 || whole == 0) {
    add_rows(s, out, false, x, rows, s->m, width);
    return;
  }
  double acc[2 * GROUP];
  const int64_t wide = s->group * s->m;
  add_rows(s, (char*)acc, false, x, whole, wide, wide);
  for (int64_t half = s->group / 2; half > 0; half /= 2)
    s->next->rows(acc, (char*)acc + half * s->m * acc_size, 1, 0, half * s->m);
  const int64_t rest = rows - whole * s->group;
  if (rest) add_rows(s, (char*)acc, true, x + whole * wide * (int64_t)s->in_size, rest, s->m, s->m);
  memcpy(out, acc, (size_t)(s->m * acc_size));
}

static void column_tasks(void* arg, int64_t begin, int64_t end) {
  const stage* s = arg;
  for (int64_t t = begin; t < end; t++) {
    const int64_t column = t % s->strips * s->strip, row_task = t / s->strips;
    const int64_t o = row_task / s->chunks, row = row_task % s->chunks * s->chunk;
    const int64_t width = s->m - column < s->strip ? s->m - column : s->strip;
    const int64_t rows = s->n - row < s->chunk ? s->n - row : s->chunk;
    column_task(s, s->out + (row_task * s->m + column) * (int64_t)s->acc_size,
                s->x + ((o * s->n + row) * s->m + column) * (int64_t)s->in_size, rows, width);
  }
}

static void plan_tasks(stage* s) {
  s->strips = s->group = 1;
  if (s->m == 1) {
    s->chunk = s->load ? LOAD_CHUNK : LINE_CHUNK;
  } else {
    s->strip = s->load ? LOAD_CHUNK / 8 : STRIP;
    if (s->strip > s->m) s->strip = s->m;
    s->strips = (s->m + s->strip - 1) / s->strip;
    while (s->group * 2 * s->m <= GROUP && s->group * 2 <= s->n) s->group *= 2;
    s->chunk = 2 * LINE_CHUNK / s->strip;
    if (s->chunk < CHUNK_ROWS) s->chunk = CHUNK_ROWS;
    s->chunk -= s->chunk % s->group;
  }
  s->chunks = (s->n + s->chunk - 1) / s->chunk;
}

/* Runs a stage down to [outer][m]; `out` has room for that. */
static int run_stage(tfc_context* ctx, stage* s, char* out) {
  for (;;) {
    plan_tasks(s);
    s->out = out;
    if (s->chunks > 1) {
      s->out = tfc_scratch_items(ctx, s->outer * s->chunks * s->m, s->acc_size);
      if (!s->out) return TFC_RESOURCE_EXHAUSTED;
    }
    const int64_t tasks = s->outer * s->chunks * s->strips;
    const double elements = (double)s->outer * (double)s->n * (double)s->m / (double)tasks;
    tfc_parallel_for(ctx, tasks, 5 + elements * (s->load ? 0.3 : 0.1),
                     s->m == 1 ? line_tasks : column_tasks, s);
    if (s->chunks == 1) return TFC_OK;
    s->x = s->out;
    s->n = s->chunks;
    s->first = s->next;
    s->plain = true;
    s->load = NULL;
    s->in_size = s->acc_size;
  }
}

/* ---- Results */

static int64_t wrap_sum(const reduction* r, const void* acc, int64_t i) {
  return r->acc == TFC_ACC_I32 ? ((const int32_t*)acc)[i] : ((const int64_t*)acc)[i];
}

static void store_integer(void* y, int32_t dtype, int64_t i, int64_t v) {
  switch (tfc_dtype_size(dtype)) {
    case 1: ((int8_t*)y)[i] = (int8_t)v; break;
    case 2: ((int16_t*)y)[i] = (int16_t)v; break;
    case 4: ((int32_t*)y)[i] = (int32_t)v; break;
    default: ((int64_t*)y)[i] = v; break;
  }
}

static void finish_integers(const reduction* r, const void* acc, tfc_tensor* y, int64_t count) {
  for (int64_t i = 0; i < y->n; i++) {
    int64_t v;
    if (r->kind == NORM) {
      v = (int64_t)sqrt(((const double*)acc)[i]);
    } else {
      v = wrap_sum(r, acc, i);
      if (r->kind == MEAN)
        v = r->acc == TFC_ACC_U64 ? (int64_t)((uint64_t)v / (uint64_t)count) : v / count;
    }
    store_integer(y->data, r->dtype, i, v);
  }
}

/* Turns sums into means or norms and gives them the type of the output. acc may be y's memory. */
static void finish(const reduction* r, const void* acc, tfc_tensor* y, int64_t count) {
  const int64_t n = r->split == 1 ? 2 * y->n : y->n;
  const int64_t spread = r->split == 2 ? 2 : 1; /* norms of complex numbers are real */
  if (integer_index(r->dtype) >= 0) {
    finish_integers(r, acc, y, count);
  } else if (r->acc == TFC_ACC_F32) {
    const float* a = acc;
    const float divisor = r->kind == MEAN ? (float)count : 1;
    for (int64_t i = 0; i < n; i++) {
      const float v = r->kind == NORM ? sqrtf(a[i]) : r->kind == MEAN ? a[i] / divisor : a[i];
      if (tfc_is_16bit_float(r->dtype)) {
        tfc_narrow(r->dtype, &v, (tfc_half*)y->data + i, 1);
      } else {
        ((float*)y->data)[i * spread] = v;
        if (spread == 2) ((float*)y->data)[i * 2 + 1] = 0;
      }
    }
  } else if (r->acc == TFC_ACC_F64) {
    const double* a = acc;
    for (int64_t i = 0; i < n; i++) {
      ((double*)y->data)[i * spread] = r->kind == NORM   ? sqrt(a[i])
                                       : r->kind == MEAN ? a[i] / (double)count
                                                         : a[i];
      if (spread == 2) ((double*)y->data)[i * 2 + 1] = 0;
    }
  } else if (r->acc == TFC_ACC_C128 && r->dtype == TFC_COMPLEX64) {
    const double* a = acc;
    for (int64_t i = 0; i < 2 * n; i++) ((float*)y->data)[i] = (float)a[i];
  }
}

/* Whether the accumulators are already the output elements. */
static bool in_place(const reduction* r) {
  return !r->load && r->split != 2 &&
         (r->kind == SUM || r->kind == PROD || r->kind == MAX || r->kind == MIN || r->kind == ALL ||
          r->kind == ANY || r->dtype == TFC_FLOAT || r->dtype == TFC_DOUBLE || r->split == 1);
}

static bool needs_finish(const reduction* r) {
  return r->kind == MEAN || r->kind == NORM || r->load || r->split == 2;
}

/* The result of reducing nothing. */
static int fill_identity(tfc_context* ctx, const reduction* r) {
  uint64_t bits[2] = {0, 0};
  const size_t size = tfc_dtype_size(r->dtype);
  const bool low = r->kind == MAX;
  const int k = integer_index(r->dtype);
  if (k >= 0 && (low || r->kind == MIN)) {
    const bool is_signed = k % 2 == 0;
    const uint64_t top = size == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
    if (is_signed)
      bits[0] = low ? (top >> 1) + 1 : top >> 1;
    else
      bits[0] = low ? 0 : top;
  } else if (k < 0) {
    const double v = r->kind == MAX                      ? -INFINITY
                     : r->kind == MIN                    ? INFINITY
                     : r->kind == MEAN                   ? NAN
                     : r->kind == PROD || r->kind == ALL ? 1
                                                         : 0;
    tfc_from_double(bits, r->dtype, v);
    if (r->kind == MEAN && r->dtype == TFC_COMPLEX64) ((float*)bits)[1] = NAN;
    if (r->kind == MEAN && r->dtype == TFC_COMPLEX128) ((double*)bits)[1] = NAN;
  } else if (r->kind == PROD) {
    tfc_from_double(bits, r->dtype, 1);
  }
  const tfc_tensor value = {.data = bits, .n = 1, .dtype = r->dtype};
  return tfc_fill_element(ctx, &ctx->outputs[0], &value);
}

static int reduce_runs(tfc_context* ctx, const reduction* r, tfc_runs* shape, int64_t count) {
  tfc_tensor* y = &ctx->outputs[0];
  if (r->split) {
    /* Not tfc_add_run: the two floats of a complex number stay a separate dimension. */
    const bool inner = shape->n && shape->reduced[shape->n - 1] == (r->split == 2);
    if (inner) {
      shape->dims[shape->n - 1] *= 2;
    } else {
      shape->dims[shape->n] = 2;
      shape->reduced[shape->n++] = r->split == 2;
    }
  }
  stage s = {.first = r->first,
             .next = r->next,
             .load = r->load,
             .plain = r->first == r->next,
             .x = ctx->inputs[0]->data,
             .in_size = tfc_dtype_size(r->dtype) / (r->split ? 2 : 1),
             .acc_size = r->first->size};
  const char* acc = s.x;
  if (!tfc_any_reduced(shape)) { /* needed only for kinds that change single values, e.g. norm */
    shape->dims[shape->n] = 1;
    shape->reduced[shape->n++] = true;
  }
  while (tfc_any_reduced(shape)) {
    const tfc_reduce_stage next = tfc_next_stage(shape);
    s.outer = next.outer;
    s.n = next.n;
    s.m = next.inner;
    tfc_drop_run(shape, next.at);
    char* out = y->data;
    if (tfc_any_reduced(shape) || !in_place(r)) {
      out = tfc_scratch_items(ctx, s.outer * s.m, s.acc_size);
      if (!out) return TFC_RESOURCE_EXHAUSTED;
    }
    s.x = acc;
    TFC_TRY(run_stage(ctx, &s, out));
    acc = out;
    s.first = s.next;
    s.plain = true;
    s.load = NULL;
    s.in_size = s.acc_size;
  }
  if (needs_finish(r)) finish(r, acc, y, count);
  return TFC_OK;
}

typedef struct reduce_state {
  bool keep_dims;
} reduce_state;

static int reduce_create(tfc_construction* c, void** state) {
  reduce_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  *state = s;
  const int rc = c->api->attr_bool(c, "keep_dims", &s->keep_dims);
  if (rc != TFC_OK) {
    free(s);
    *state = NULL;
  }
  return rc;
}

static int reduce(tfc_context* ctx, op_kind kind) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_reduce_shape shape;
  TFC_TRY(tfc_read_reduce_shape(ctx, ((const reduce_state*)ctx->state)->keep_dims, &shape));
  if (shape.count == 1 && kind != NORM)
    return tfc_output_view(ctx, 0, 0, 0, shape.rank, shape.dims);
  TFC_TRY(tfc_output(ctx, 0, shape.rank, shape.dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const reduction r = plan_reduction(kind, x->dtype);
  if (shape.count == 0) return fill_identity(ctx, &r);
  return reduce_runs(ctx, &r, &shape.runs, shape.count);
}

static int sum(tfc_context* ctx) {
  return reduce(ctx, SUM);
}
static int mean(tfc_context* ctx) {
  return reduce(ctx, MEAN);
}
static int prod(tfc_context* ctx) {
  return reduce(ctx, PROD);
}
static int max(tfc_context* ctx) {
  return reduce(ctx, MAX);
}
static int min(tfc_context* ctx) {
  return reduce(ctx, MIN);
}
static int all(tfc_context* ctx) {
  return reduce(ctx, ALL);
}
static int any(tfc_context* ctx) {
  return reduce(ctx, ANY);
}
static int norm(tfc_context* ctx) {
  return reduce(ctx, NORM);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Sum", "T=" TFC_TYPES_NUMBERS, sum, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
    TFC_ROW("Mean", "T=" TFC_TYPES_NUMBERS, mean, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
    TFC_ROW("Prod", "T=" TFC_TYPES_NUMBERS, prod, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
    TFC_ROW("Max", "T=" TFC_TYPES_REALS, max, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
    TFC_ROW("Min", "T=" TFC_TYPES_REALS, min, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
    TFC_ROW("All", "", all, TFC_STATE(reduce_create), .host_args = "reduction_indices"),
    TFC_ROW("Any", "", any, TFC_STATE(reduce_create), .host_args = "reduction_indices"),
    TFC_ROW("EuclideanNorm", "T=" TFC_TYPES_NUMBERS, norm, TFC_STATE(reduce_create),
            .host_args = "reduction_indices"),
};
TFC_REGISTER_KERNELS(kernels);
