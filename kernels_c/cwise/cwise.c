/* The drivers of element-wise kernels; see cwise.h. */
#include "kernels_c/cwise/cwise.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

enum {
  BLOCK = 512, /* elements converted at a time for half and bfloat16 */
  NARROW = 64, /* for rows shorter than this it pays to repeat a row operand */
  TILE = 1024  /* elements of the repeated operand */
};
static const double INLINE_NS = 10000; /* too little work to be worth waking threads */

/* ---- Unary. */

typedef struct unary_run {
  tfc_unary_loop loop;
  const char* x;
  char* y;
  const void* state;
  int32_t x_dtype, y_dtype;
  size_t x_size, y_size;
} unary_run;

static void unary_range(void* arg, int64_t begin, int64_t end) {
  const unary_run* r = arg;
  r->loop(r->x + (size_t)begin * r->x_size, r->y + (size_t)begin * r->y_size, end - begin,
          r->state);
}

static void unary_16bit_range(void* arg, int64_t begin, int64_t end) {
  const unary_run* r = arg;
  float x[BLOCK], y[BLOCK];
  for (int64_t i = begin; i < end; i += BLOCK) {
    int64_t n = TFC_MIN(BLOCK, end - i);
    tfc_widen(r->x_dtype, r->x + (size_t)i * 2, x, n);
    if (tfc_is_16bit_float(r->y_dtype)) {
      r->loop(x, y, n, r->state);
      tfc_narrow(r->y_dtype, y, r->y + (size_t)i * 2, n);
    } else {
      r->loop(x, r->y + (size_t)i * r->y_size, n, r->state);
    }
  }
}

int tfc_unary(tfc_context* ctx, const tfc_unary_op* op) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_tensor* y = &ctx->outputs[0];
  unary_run run = {.state = ctx->state, .x_dtype = x->dtype, .y_dtype = y->dtype};
  static const int first[] = {0};
  run.x_size = tfc_dtype_size(x->dtype);
  run.y_size = tfc_dtype_size(y->dtype);
  if (x->rank == 0 || run.x_size != run.y_size)
    TFC_TRY(tfc_output_like(ctx, 0, x));
  else
    TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  run.x = x->data;
  run.y = y->data;
  bool wide = !tfc_is_16bit_float(x->dtype);
  run.loop = op->loop[wide ? x->dtype : TFC_FLOAT];
  tfc_range_fn range = wide ? unary_range : unary_16bit_range;
  if ((double)x->n * op->ns < INLINE_NS) {
    if (x->n) range(&run, 0, x->n);
  } else {
    tfc_parallel_for(ctx, x->n, op->ns, range, &run);
  }
  return TFC_OK;
}

/* ---- Binary. */

typedef struct binary_run {
  const tfc_binary_op* op;
  tfc_binary_loop loop;
  const tfc_broadcast* b;
  const char *x, *y;
  char* z;
  const void* state;
  int32_t dtype, z_dtype;
  size_t size, z_size;
  int64_t inner; /* length of the last merged dimension */
  int mode;
  unsigned failed; /* atomic */
} binary_run;

static void binary_16bit(const binary_run* r, const char* x, const char* y, char* z, int64_t n,
                         int mode) {
  float xf[BLOCK], yf[BLOCK], zf[BLOCK];
  if (mode == TFC_SCALAR_X) tfc_widen(r->dtype, x, xf, 1);
  if (mode == TFC_SCALAR_Y) tfc_widen(r->dtype, y, yf, 1);
  for (int64_t i = 0; i < n; i += BLOCK) {
    int64_t part = TFC_MIN(BLOCK, n - i);
    if (mode != TFC_SCALAR_X) tfc_widen(r->dtype, x + i * 2, xf, part);
    if (mode != TFC_SCALAR_Y) tfc_widen(r->dtype, y + i * 2, yf, part);
    if (tfc_is_16bit_float(r->z_dtype)) {
      r->loop(xf, yf, zf, part, mode, r->state);
      tfc_narrow(r->z_dtype, zf, z + i * 2, part);
    } else {
      r->loop(xf, yf, z + (size_t)i * r->z_size, part, mode, r->state);
    }
  }
}

static inline void binary_inner(binary_run* r, const char* x, const char* y, char* z, int64_t n,
                                int mode) {
  if (tfc_is_16bit_float(r->dtype)) {
    binary_16bit(r, x, y, z, n, mode);
    return;
  }
  unsigned failed = r->loop(x, y, z, n, mode, r->state);
  if (failed) __atomic_or_fetch(&r->failed, failed, __ATOMIC_RELAXED);
}

/* One merged dimension: elements [begin, end). */
static void binary_flat_range(void* arg, int64_t begin, int64_t end) {
  binary_run* r = arg;
  size_t at = (size_t)begin * r->size;
  binary_inner(r, r->x + (r->mode == TFC_SCALAR_X ? 0 : at),
               r->y + (r->mode == TFC_SCALAR_Y ? 0 : at), r->z + (size_t)begin * r->z_size,
               end - begin, r->mode);
}

/* Several merged dimensions: rows [begin, end) of the last one. */
static void binary_rows_range(void* arg, int64_t begin, int64_t end) {
  binary_run* r = arg;
  const tfc_broadcast* b = r->b;
  int outer = b->rank - 1;
  int64_t index[TFC_MAX_RANK], rest = begin, x_at = 0, y_at = 0;
  for (int d = outer - 1; d >= 0; d--) {
    index[d] = rest % b->dims[d];
    rest /= b->dims[d];
    x_at += index[d] * b->x_stride[d];
    y_at += index[d] * b->y_stride[d];
  }
  char* z = r->z + (size_t)(begin * r->inner) * r->z_size;
  for (int64_t row = begin; row < end; row++) {
    binary_inner(r, r->x + x_at * (int64_t)r->size, r->y + y_at * (int64_t)r->size, z, r->inner,
                 r->mode);
    z += (size_t)r->inner * r->z_size;
    for (int d = outer - 1; d >= 0; d--) {
      x_at += b->x_stride[d];
      y_at += b->y_stride[d];
      if (++index[d] < b->dims[d]) break;
      index[d] = 0;
      x_at -= b->x_stride[d] * b->dims[d];
      y_at -= b->y_stride[d] * b->dims[d];
    }
  }
}

/* A matrix and a short row: repeats the row in a buffer, so that the loops have long operands. */
static void binary_narrow_range(void* arg, int64_t begin, int64_t end) {
  binary_run* r = arg;
  bool row_is_y = r->b->y_stride[0] == 0;
  size_t row_bytes = (size_t)r->inner * r->size;
  _Alignas(64) char tile[TILE * 16];
  int64_t rows = TFC_MIN(TILE / r->inner, end - begin);
  memcpy(tile, row_is_y ? r->y : r->x, row_bytes);
  for (int64_t done = 1; done < rows;) {
    int64_t more = TFC_MIN(done, rows - done);
    memcpy(tile + (size_t)done * row_bytes, tile, (size_t)more * row_bytes);
    done += more;
  }
  for (int64_t row = begin; row < end; row += rows) {
    int64_t n = TFC_MIN(rows, end - row) * r->inner;
    const char *x = r->x + (size_t)row * row_bytes, *y = r->y + (size_t)row * row_bytes;
    char* z = r->z + (size_t)(row * r->inner) * r->z_size;
    binary_inner(r, row_is_y ? x : tile, row_is_y ? tile : y, z, n, TFC_BOTH);
  }
}

static int binary_result(tfc_context* ctx, unsigned failed) {
  if (failed & TFC_DIVISION_BY_ZERO)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Integer division by zero");
  if (failed & TFC_NEGATIVE_POWER)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Integers to negative integer powers are not allowed");
  return TFC_OK;
}

int tfc_binary_run(tfc_context* ctx, const tfc_binary_op* op, const tfc_broadcast* b) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  const tfc_tensor* z = &ctx->outputs[0];
  binary_run run = {.op = op, .b = b, .x = x->data, .y = y->data, .z = z->data};
  if (b->n == 0) return TFC_OK;
  int last = b->rank - 1;
  run.state = ctx->state;
  run.dtype = x->dtype;
  run.z_dtype = z->dtype;
  run.size = tfc_dtype_size(x->dtype);
  run.z_size = tfc_dtype_size(z->dtype);
  run.loop = op->loop[tfc_is_16bit_float(x->dtype) ? TFC_FLOAT : x->dtype];
  run.inner = b->dims[last];
  run.mode = run.inner == 1           ? TFC_BOTH
             : b->x_stride[last] == 0 ? TFC_SCALAR_X
             : b->y_stride[last] == 0 ? TFC_SCALAR_Y
                                      : TFC_BOTH;
  tfc_range_fn range = binary_rows_range;
  int64_t items = b->n / run.inner;
  double item_ns = (double)run.inner * op->ns + 5;
  if (b->rank == 1) {
    range = binary_flat_range;
    items = run.inner;
    item_ns = op->ns;
  } else if (b->rank == 2 && run.mode == TFC_BOTH && run.inner < NARROW) {
    range = binary_narrow_range; /* one operand's outer stride is 0, or they would have merged */
  }
  if ((double)items * item_ns < INLINE_NS)
    range(&run, 0, items);
  else
    tfc_parallel_for(ctx, items, item_ns, range, &run);
  return run.failed ? binary_result(ctx, run.failed) : TFC_OK;
}

int tfc_binary(tfc_context* ctx, const tfc_binary_op* op) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  if (x->rank == 0 && y->rank == 0 && !tfc_is_16bit_float(x->dtype)) { /* most ops of most graphs */
    TFC_TRY(tfc_output(ctx, 0, 0, NULL));
    unsigned failed =
        op->loop[x->dtype](x->data, y->data, ctx->outputs[0].data, 1, TFC_BOTH, ctx->state);
    return failed ? binary_result(ctx, failed) : TFC_OK;
  }
  tfc_broadcast b;
  if (tfc_same_shape(x, y)) {
    b.rank = 1;
    b.dims[0] = b.n = x->n;
    b.x_stride[0] = b.y_stride[0] = 1;
    TFC_TRY(tfc_binary_output(ctx, x->rank, x->dims));
    return tfc_binary_run(ctx, op, &b);
  }
  if (!tfc_broadcast_shapes(x, y, &b)) return tfc_incompatible_shapes(ctx, x, y);
  TFC_TRY(tfc_binary_output(ctx, b.out_rank, b.out_dims));
  return tfc_binary_run(ctx, op, &b);
}

int tfc_binary_same_shape(tfc_context* ctx, const tfc_binary_op* op) {
  TFC_TRY(tfc_want_same_shape(ctx));
  return tfc_binary(ctx, op);
}
