/* Moving blocks of space into depth or into the batch, and back. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* ---- DepthToSpace, SpaceToDepth */

typedef struct block_state {
  int64_t size;
  bool channels_first;
} block_state;

static int block_create(tfc_construction* c, void** state) {
  block_state* s = tfc_new_state(c, sizeof *s);
  const char* format = "";
  size_t length = 0;
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rc = c->api->attr_int(c, "block_size", &s->size);
  if (rc == TFC_OK) rc = c->api->attr_string(c, "data_format", &format, &length);
  if (rc == TFC_OK && length != 4)
    rc = c->api->error(c, TFC_INVALID_ARGUMENT,
                       "Only NHWC and NCHW data_formats supported on CPU. Got %.*s", (int)length,
                       format);
  if (rc == TFC_OK && (s->size < 2 || s->size > INT32_MAX)) /* its square must not overflow */
    rc = c->api->error(c, TFC_INVALID_ARGUMENT, "Block size should be > 1, but was: %lld",
                       (long long)s->size);
  if (rc != TFC_OK) {
    free(s);
    return rc;
  }
  s->channels_first = memcmp(format, "NCHW", 4) == 0;
  *state = s;
  return TFC_OK;
}

/* The six logical dimensions are batch, row, column, row in block, column in block and channel.
 * `deep` holds the strides of the tensor with few rows and columns, `wide` those of the other. */
static void block_strides(bool channels_first, int64_t block, int64_t rows, int64_t cols,
                          int64_t channels, int64_t* deep, int64_t* wide) {
  if (channels_first) { /* [b][i][j][c][r][w] and [b][c][r][i][w][j] */
    const int64_t d[6] = {block * block * channels * rows * cols,
                          cols,
                          1,
                          block * channels * rows * cols,
                          channels * rows * cols,
                          rows * cols};
    const int64_t s[6] = {channels * rows * block * cols * block,
                          block * cols * block,
                          block,
                          cols * block,
                          1,
                          rows * block * cols * block};
    memcpy(deep, d, sizeof d);
    memcpy(wide, s, sizeof s);
  } else { /* [b][r][w][i][j][c] and [b][r][i][w][j][c] */
    const int64_t d[6] = {rows * cols * block * block * channels,
                          cols * block * block * channels,
                          block * block * channels,
                          block * channels,
                          channels,
                          1};
    const int64_t s[6] = {rows * cols * block * block * channels,
                          block * cols * block * channels,
                          block * channels,
                          cols * block * channels,
                          channels,
                          1};
    memcpy(deep, d, sizeof d);
    memcpy(wide, s, sizeof s);
  }
}

/* Orders the box like the output, so that its rows are written contiguously. */
static void order_box(tfc_box* box) {
  for (int i = 1; i < box->rank; i++)
    for (int k = i; k > 0 && box->to[k] > box->to[k - 1]; k--) {
      const int64_t d = box->dims[k], t = box->to[k], f = box->from[k];
      box->dims[k] = box->dims[k - 1], box->to[k] = box->to[k - 1], box->from[k] = box->from[k - 1];
      box->dims[k - 1] = d, box->to[k - 1] = t, box->from[k - 1] = f;
    }
}

static int move_blocks(tfc_context* ctx, bool to_space) {
  const block_state* s = tfc_own_state(ctx);
  const tfc_tensor* x = ctx->inputs[0];
  const int64_t block = s->size;
  if (x->rank != 4)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input rank should be: 4 instead of: %d", x->rank);
  const int c = s->channels_first ? 1 : 3, r = s->channels_first ? 2 : 1;
  int64_t dims[4] = {x->dims[0], x->dims[1], x->dims[2], x->dims[3]};
  if (to_space) {
    if (x->dims[c] % (block * block))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input depth dimension %lld should be divisible by: %lld",
                       (long long)x->dims[c], (long long)(block * block));
    dims[c] /= block * block, dims[r] *= block, dims[r + 1] *= block;
  } else {
    if (x->dims[r] % block || x->dims[r + 1] % block)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Image width %lld and height %lld should be divisible by block_size: %lld",
                       (long long)x->dims[r + 1], (long long)x->dims[r], (long long)block);
    dims[c] *= block * block, dims[r] /= block, dims[r + 1] /= block;
  }
  TFC_TRY(tfc_output(ctx, 0, 4, dims));
  const int64_t* small = to_space ? x->dims : dims; /* the one with few rows and columns */
  const int64_t rows = small[r], cols = small[r + 1], channels = small[c] / (block * block);
  tfc_box box = {.rank = 6, .dims = {dims[0], rows, cols, block, block, channels}};
  block_strides(s->channels_first, block, rows, cols, channels, to_space ? box.from : box.to,
                to_space ? box.to : box.from);
  order_box(&box);
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

static int depth_to_space(tfc_context* ctx) {
  return move_blocks(ctx, true);
}
static int space_to_depth(tfc_context* ctx) {
  return move_blocks(ctx, false);
}

/* ---- SpaceToBatch(ND), BatchToSpace(ND) */

typedef struct batch_plan {
  int n; /* blocked dimensions, 1 .. n */
  int64_t block[TFC_MAX_RANK];
  int64_t before[TFC_MAX_RANK], after[TFC_MAX_RANK]; /* paddings or crops */
  int64_t product;                                   /* of the blocks */
} batch_plan;

static int read_plan(tfc_context* ctx, int blocks_input, int pads_input, const char* what,
                     batch_plan* p) {
  const tfc_tensor *x = ctx->inputs[0], *pads = ctx->inputs[pads_input];
  if (blocks_input >= 0) {
    const tfc_tensor* blocks = ctx->inputs[blocks_input];
    if (blocks->rank != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "block_shape rank should be one but got %s",
                       tfc_shape_text(blocks).text);
    if (blocks->n + 1 > x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input rank should be >= %lld instead of %d",
                       (long long)blocks->n + 1, x->rank);
    p->n = (int)blocks->n;
    for (int i = 0; i < p->n; i++) p->block[i] = tfc_index_at(blocks, i);
  } else {
    if (x->rank != 4)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input rank should be 4 instead of %d", x->rank);
    p->n = 2;
    p->block[0] = p->block[1] = *(const int64_t*)tfc_own_state(ctx);
  }
  if (pads->rank != 2 || pads->dims[0] != p->n || pads->dims[1] != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s should have shape [%d, 2] instead of %s", what,
                     p->n, tfc_shape_text(pads).text);
  p->product = 1;
  for (int i = 0; i < p->n; i++) {
    p->before[i] = tfc_index_at(pads, 2 * i);
    p->after[i] = tfc_index_at(pads, 2 * i + 1);
    if (p->block[i] < 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "All values in block_shape must be positive, got value, %lld at index %d.",
                       (long long)p->block[i], i);
    if (p->before[i] < 0 || p->after[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be non-negative", what);
    if (!tfc_multiply(p->product, p->block[i], &p->product))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Product of block sizes overflows");
  }
  return TFC_OK;
}

/* Copies between the blocked tensor (large batch) and the plain one, one box per position in a
 * block.
 * `shift` is the padding or crop before the plain tensor in the space of the blocks. */
static int copy_blocks(tfc_context* ctx, const batch_plan* p, const tfc_tensor* blocked,
                       const tfc_tensor* plain, bool from_plain) {
  const int rank = plain->rank;
  int64_t wide[TFC_MAX_RANK], deep[TFC_MAX_RANK];
  tfc_strides(rank, plain->dims, wide);
  tfc_strides(rank, blocked->dims, deep);
  for (int64_t k = 0; k < p->product; k++) {
    tfc_box box = {.rank = rank};
    int64_t at_plain = 0, at_blocked = k * plain->dims[0] * deep[0], rest = k;
    int64_t *to = from_plain ? box.to : box.from, *from = from_plain ? box.from : box.to;
    memcpy(box.dims, plain->dims, sizeof plain->dims);
    memcpy(to, deep, sizeof deep); /* here `to` is the blocked side */
    memcpy(from, wide, sizeof wide);
    for (int i = p->n - 1; i >= 0; i--) {
      const int64_t block = p->block[i], place = rest % block;
      rest /= block;
      /* Blocks s with 0 <= s * block + place - before < size. */
      const int64_t offset = p->before[i] - place;
      const int64_t first = offset > 0 ? (offset + block - 1) / block : 0;
      int64_t last = (plain->dims[i + 1] + offset + block - 1) / block;
      if (plain->dims[i + 1] + offset <= 0) last = 0;
      if (last > blocked->dims[i + 1]) last = blocked->dims[i + 1];
      box.dims[i + 1] = last > first ? last - first : 0;
      from[i + 1] = wide[i + 1] * block;
      at_plain += (first * block - offset) * wide[i + 1];
      at_blocked += first * deep[i + 1];
    }
    TFC_TRY(from_plain
                ? tfc_copy_box(ctx, &ctx->outputs[0], at_blocked, ctx->inputs[0], at_plain, &box)
                : tfc_copy_box(ctx, &ctx->outputs[0], at_plain, ctx->inputs[0], at_blocked, &box));
  }
  return TFC_OK;
}

static int to_batch(tfc_context* ctx, int blocks_input, int pads_input) {
  const tfc_tensor* x = ctx->inputs[0];
  batch_plan p;
  TFC_TRY(read_plan(ctx, blocks_input, pads_input, "paddings", &p));
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  dims[0] *= p.product;
  for (int i = 0; i < p.n; i++) {
    const int64_t padded = x->dims[i + 1] + p.before[i] + p.after[i];
    if (padded % p.block[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "padded_shape[%d]=%lld is not divisible by block_shape[%d]=%lld", i,
                       (long long)padded, i, (long long)p.block[i]);
    dims[i + 1] = padded / p.block[i];
  }
  TFC_TRY(tfc_check_shape(ctx, x->rank, dims));
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  if (ctx->outputs[0].n > x->n) TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  return ctx->outputs[0].n ? copy_blocks(ctx, &p, &ctx->outputs[0], x, true) : TFC_OK;
}

static int from_batch(tfc_context* ctx, int blocks_input, int crops_input) {
  const tfc_tensor* x = ctx->inputs[0];
  batch_plan p;
  TFC_TRY(read_plan(ctx, blocks_input, crops_input, "crops", &p));
  int64_t dims[TFC_MAX_RANK];
  memcpy(dims, x->dims, sizeof dims);
  if (x->dims[0] % p.product)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Input batch dimension (%lld) is not divisible by product of block sizes (%lld)",
        (long long)x->dims[0], (long long)p.product);
  dims[0] /= p.product;
  for (int i = 0; i < p.n; i++) {
    dims[i + 1] = x->dims[i + 1] * p.block[i] - p.before[i] - p.after[i];
    if (dims[i + 1] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "cropped_shape[%d]=%lld must be non-negative", i,
                       (long long)dims[i + 1]);
  }
  TFC_TRY(tfc_check_shape(ctx, x->rank, dims));
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  return ctx->outputs[0].n ? copy_blocks(ctx, &p, x, &ctx->outputs[0], false) : TFC_OK;
}

static int space_to_batch_nd(tfc_context* ctx) {
  return to_batch(ctx, 1, 2);
}
static int space_to_batch(tfc_context* ctx) {
  return to_batch(ctx, -1, 1);
}
static int batch_to_space_nd(tfc_context* ctx) {
  return from_batch(ctx, 1, 2);
}
static int batch_to_space(tfc_context* ctx) {
  return from_batch(ctx, -1, 1);
}

static int size_create(tfc_construction* c, void** state) {
  int64_t* size = tfc_new_state(c, sizeof *size);
  if (!size) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_int(c, "block_size", size);
  if (rc != TFC_OK) {
    free(size);
    return rc;
  }
  *state = size;
  return TFC_OK;
}

TFC_COPIER(TFC_NO_STATE);
TFC_COPIER(block_create);
TFC_COPIER(size_create);

static const tfc_kernel_def kernels[] = {
    TFC_COPIES_ALL("DepthToSpace", "T", depth_to_space, block_create, NULL),
    TFC_COPIES_ALL("SpaceToDepth", "T", space_to_depth, block_create, NULL),
    TFC_COPIES_ALL("SpaceToBatch", "T", space_to_batch, size_create, "paddings"),
    TFC_COPIES_ALL("SpaceToBatchND", "T", space_to_batch_nd, TFC_NO_STATE, "block_shape,paddings"),
    TFC_COPIES_ALL("BatchToSpace", "T", batch_to_space, size_create, "crops"),
    TFC_COPIES_ALL("BatchToSpaceND", "T", batch_to_space_nd, TFC_NO_STATE, "block_shape,crops"),
};
TFC_REGISTER_KERNELS(kernels);
