/* Padding, repeating, reversing and rotating. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"

TFC_ALL_DEVICES;

/* ---- Pad */

typedef struct paddings {
  int64_t before[TFC_MAX_RANK], after[TFC_MAX_RANK];
} paddings;

static int64_t padding_at(const tfc_tensor* t, int dim, int side) {
  return tfc_index_at(t, 2 * dim + side);
}

static int read_paddings(tfc_context* ctx, paddings* p) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  if (t->rank != 2 || t->dims[1] != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "paddings must be a matrix with 2 columns: %s",
                     tfc_shape_text(t).text);
  if (t->dims[0] != x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The first dimension of paddings must be the rank of inputs%s %s",
                     tfc_shape_text(t).text, tfc_shape_text(x).text);
  for (int i = 0; i < x->rank; i++) {
    p->before[i] = padding_at(t, i, 0);
    p->after[i] = padding_at(t, i, 1);
    if (p->before[i] < 0 || p->after[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Paddings must be non-negative: %lld %lld",
                       (long long)p->before[i], (long long)p->after[i]);
  }
  return TFC_OK;
}

/* The part of a padded tensor beside the input in dimension d (before or after it): inner sizes for
 * the dimensions before d, whole ones for those after, so that the parts of all dimensions don't
 * overlap. Returns its first element in the padded tensor. */
static int64_t border(const tfc_tensor* x, const tfc_tensor* y, const paddings* p, int d,
                      bool after, tfc_box* box) {
  box->rank = y->rank;
  tfc_strides(y->rank, y->dims, box->to);
  int64_t first = 0;
  for (int i = 0; i < y->rank; i++) {
    box->dims[i] = i < d ? x->dims[i] : y->dims[i];
    if (i < d) first += p->before[i] * box->to[i];
  }
  box->dims[d] = after ? p->after[d] : p->before[d];
  return after ? first + (p->before[d] + x->dims[d]) * box->to[d] : first;
}

/* Copies the input into the middle of the padded output. */
static int copy_middle(tfc_context* ctx, const paddings* p) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_tensor* y = &ctx->outputs[0];
  tfc_box box = {.rank = x->rank};
  int64_t first = 0;
  tfc_strides(x->rank, x->dims, box.from);
  tfc_strides(y->rank, y->dims, box.to);
  for (int i = 0; i < x->rank; i++) {
    box.dims[i] = x->dims[i];
    first += p->before[i] * box.to[i];
  }
  return tfc_copy_box(ctx, y, first, x, 0, &box);
}

static int padded_output(tfc_context* ctx, const paddings* p, bool* same) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t dims[TFC_MAX_RANK];
  *same = true;
  for (int i = 0; i < x->rank; i++) {
    if (__builtin_add_overflow(x->dims[i], p->before[i], &dims[i]) ||
        __builtin_add_overflow(dims[i], p->after[i], &dims[i]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Paddings are too large: %lld %lld",
                       (long long)p->before[i], (long long)p->after[i]);
    *same &= dims[i] == x->dims[i];
  }
  if (*same) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_check_shape(ctx, x->rank, dims));
  return tfc_output(ctx, 0, x->rank, dims);
}

/* Fills the parts of the output around the input. */
static int fill_borders(tfc_context* ctx, const paddings* p, const tfc_tensor* value) {
  for (int d = 0; d < ctx->inputs[0]->rank; d++)
    for (int after = 0; after < 2; after++) {
      tfc_box box;
      const int64_t first = border(ctx->inputs[0], &ctx->outputs[0], p, d, after, &box);
      for (int i = 0; i < box.rank; i++) box.from[i] = 0;
      TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], first, value, 0, &box));
    }
  return TFC_OK;
}

/* value NULL: zero */
static int pad_with(tfc_context* ctx, const tfc_tensor* value) {
  uint64_t no_bits[2] = {0, 0};
  const tfc_tensor zero = {.data = no_bits, .n = 1, .dtype = ctx->inputs[0]->dtype};
  paddings p;
  bool same = false;
  TFC_TRY(read_paddings(ctx, &p));
  TFC_TRY(padded_output(ctx, &p, &same));
  if (same || ctx->outputs[0].n == 0) return TFC_OK;
  if (!TFC_FOR_GPU)
    TFC_TRY(fill_borders(ctx, &p, value ? value : &zero));
  else if (value) /* one launch for all: that takes less time than one for each border */
    TFC_TRY(tfc_fill_element(ctx, &ctx->outputs[0], value));
  else
    TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  return copy_middle(ctx, &p);
}

static int pad(tfc_context* ctx) {
  return pad_with(ctx, NULL);
}

static int pad_v2(tfc_context* ctx) {
  const tfc_tensor* value = ctx->inputs[2];
  if (value->rank != 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "constant_values must be a scalar. Found: %s",
                     tfc_shape_text(value).text);
  return pad_with(ctx, value);
}

/* ---- MirrorPad: state is 1 for REFLECT (the edge is not repeated), 0 for SYMMETRIC. */

static int mirror_create(tfc_construction* c, void** state) {
  const char* mode;
  size_t size;
  int* skip = tfc_new_state(c, sizeof *skip);
  if (!skip) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_string(c, "mode", &mode, &size);
  if (rc != TFC_OK) {
    free(skip);
    return rc;
  }
  *skip = size == 7 && memcmp(mode, "REFLECT", 7) == 0;
  *state = skip;
  return TFC_OK;
}

static int check_mirror(tfc_context* ctx, const paddings* p, int rank, const int64_t* inner) {
  const int skip = *(const int*)tfc_own_state(ctx);
  for (int i = 0; i < rank; i++)
    if (p->before[i] > inner[i] - skip || p->after[i] > inner[i] - skip) {
      /* A dimension without padding is not mirrored, even if it is empty. */
      if (p->before[i] == 0 && p->after[i] == 0) continue;
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          skip
              ? "paddings must be less than the dimension size: %lld, %lld not less than %lld"
              : "paddings must be no greater than the dimension size: %lld, %lld greater than %lld",
          (long long)p->before[i], (long long)p->after[i], (long long)inner[i]);
    }
  return TFC_OK;
}

/* The position in the padded tensor of the mirror image of the border's first element. */
static int64_t mirrored(const tfc_tensor* x, const paddings* p, int d, bool after, int skip,
                        int64_t first, int64_t stride) {
  const int64_t edge = after ? p->before[d] + x->dims[d] - 1 - skip : 2 * p->before[d] - 1 + skip;
  const int64_t start = after ? p->before[d] + x->dims[d] : 0;
  return first + (edge - start) * stride;
}

static int mirror_pad(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int skip = *(const int*)tfc_own_state(ctx);
  paddings p;
  bool same = false;
  TFC_TRY(read_paddings(ctx, &p));
  TFC_TRY(check_mirror(ctx, &p, x->rank, x->dims));
  TFC_TRY(padded_output(ctx, &p, &same));
  tfc_tensor* y = &ctx->outputs[0];
  if (same || y->n == 0) return TFC_OK;
  TFC_TRY(copy_middle(ctx, &p));
  for (int d = x->rank - 1; d >= 0; d--)
    for (int after = 0; after < 2; after++) {
      tfc_box box;
      const int64_t first = border(x, y, &p, d, after, &box);
      memcpy(box.from, box.to, sizeof box.from);
      box.from[d] = -box.to[d];
      TFC_TRY(
          tfc_copy_box(ctx, y, first, y, mirrored(x, &p, d, after, skip, first, box.to[d]), &box));
    }
  return TFC_OK;
}

#if !TFC_FOR_GPU

#define ADD(DTYPE, CTYPE) \
  case DTYPE: ((CTYPE*)t->data)[to] += ((const CTYPE*)x->data)[from]; break;
#define ADD_16(DTYPE)                                                                      \
  case DTYPE: {                                                                            \
    uint16_t* sum = (uint16_t*)t->data + to;                                               \
    const uint16_t more = ((const uint16_t*)x->data)[from];                                \
    *sum = tfc_narrow_one(DTYPE, tfc_widen_one(DTYPE, *sum) + tfc_widen_one(DTYPE, more)); \
    break;                                                                                 \
  }

/* t[to...] += x[from...] over a box; the two may be the same tensor. Not parallel and not
 * vectorised: gradients of mirror padding are thin borders, and TileGrad is an op of old graphs. */
static void add_box(tfc_tensor* t, int64_t to, const tfc_tensor* x, int64_t from,
                    const tfc_box* box) {
  int64_t at[sizeof box->dims / sizeof *box->dims] = {0};
  if (tfc_product(box->rank, box->dims) == 0) return;
  for (;;) {
    switch (t->dtype) {
      ADD(TFC_FLOAT, float)
      ADD(TFC_DOUBLE, double)
      ADD(TFC_COMPLEX64, float _Complex)
      ADD(TFC_COMPLEX128, double _Complex)
      ADD(TFC_INT8, uint8_t)
      ADD(TFC_UINT8, uint8_t)
      ADD(TFC_INT16, uint16_t)
      ADD(TFC_UINT16, uint16_t)
      ADD(TFC_INT32, uint32_t)
      ADD(TFC_UINT32, uint32_t)
      ADD(TFC_INT64, uint64_t)
      ADD(TFC_UINT64, uint64_t)
      ADD_16(TFC_HALF)
      ADD_16(TFC_BFLOAT16)
      default: return;
    }
    int d = box->rank - 1;
    for (; d >= 0; d--) {
      to += box->to[d];
      from += box->from[d];
      if (++at[d] < box->dims[d]) break;
      to -= at[d] * box->to[d];
      from -= at[d] * box->from[d];
      at[d] = 0;
    }
    if (d < 0) return;
  }
}

static int mirror_pad_grad(tfc_context* ctx) {
  const tfc_tensor* dy = ctx->inputs[0];
  const int skip = *(const int*)tfc_own_state(ctx);
  paddings p;
  TFC_TRY(read_paddings(ctx, &p));
  tfc_tensor inner = *dy;
  for (int i = 0; i < dy->rank; i++) inner.dims[i] = dy->dims[i] - p.before[i] - p.after[i];
  for (int i = 0; i < dy->rank; i++)
    if (inner.dims[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Total paddings must be less than the input dimension: %lld, %lld, %lld",
                       (long long)p.before[i], (long long)p.after[i], (long long)dy->dims[i]);
  TFC_TRY(check_mirror(ctx, &p, dy->rank, inner.dims));
  TFC_TRY(tfc_output(ctx, 0, dy->rank, inner.dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const size_t bytes = (size_t)dy->n * tfc_dtype_size(dy->dtype);
  tfc_tensor sum = *dy;
  sum.data = tfc_scratch(ctx, bytes);
  if (!sum.data) return TFC_RESOURCE_EXHAUSTED;
  memcpy(sum.data, dy->data, bytes);
  tfc_box box;
  /* The outermost dimension was padded last, so it is folded first. */
  for (int d = 0; d < dy->rank; d++)
    for (int after = 0; after < 2; after++) {
      const int64_t first = border(&inner, dy, &p, d, after, &box);
      memcpy(box.from, box.to, sizeof box.from);
      box.to[d] = -box.to[d];
      add_box(&sum, mirrored(&inner, &p, d, after, skip, first, box.from[d]), &sum, first, &box);
    }
  int64_t first = 0;
  box.rank = dy->rank;
  tfc_strides(dy->rank, dy->dims, box.from);
  tfc_strides(dy->rank, inner.dims, box.to);
  for (int i = 0; i < dy->rank; i++) {
    box.dims[i] = inner.dims[i];
    first += p.before[i] * box.from[i];
  }
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, &sum, first, &box);
}

#endif

/* ---- Tile and BroadcastTo */

static int tile(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  if (t->rank != 1 || t->n != x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected multiples argument to be a vector of length %d but got length %lld",
                     x->rank, (long long)t->n);
  int64_t dims[TFC_MAX_RANK], in[TFC_MAX_RANK], out[TFC_MAX_RANK];
  bool same = true;
  for (int i = 0; i < x->rank; i++) {
    const int64_t m = tfc_index_at(t, i);
    if (m < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected multiples[%d] >= 0, but got %lld", i,
                       (long long)m);
    if (!tfc_multiply(m, x->dims[i], &dims[i]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Encountered overflow when multiplying %lld by %lld", (long long)m,
                       (long long)x->dims[i]);
    same &= m == 1;
  }
  if (same) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_check_shape(ctx, x->rank, dims));
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  tfc_strides(x->rank, x->dims, in);
  tfc_strides(x->rank, dims, out);
  tfc_box box = {.rank = 2 * x->rank};
  for (int i = 0; i < x->rank; i++) {
    box.dims[2 * i] = dims[i] / x->dims[i];
    box.to[2 * i] = x->dims[i] * out[i];
    box.from[2 * i] = 0;
    box.dims[2 * i + 1] = x->dims[i];
    box.to[2 * i + 1] = out[i];
    box.from[2 * i + 1] = in[i];
  }
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

#if !TFC_FOR_GPU

/* The gradient of Tile: the sum of the copies. */
static int tile_grad(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  int64_t dims[TFC_MAX_RANK], copies[TFC_MAX_RANK], in[TFC_MAX_RANK], out[TFC_MAX_RANK];
  if (t->rank != 1 || t->n != x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected multiples argument to be a vector of length %d but got length %lld",
                     x->rank, (long long)t->n);
  for (int i = 0; i < x->rank; i++) {
    copies[i] = tfc_index_at(t, i);
    if (copies[i] <= 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected multiples[%d] > 0, but got %lld", i,
                       (long long)copies[i]);
    if (x->dims[i] % copies[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected input_dim[%d] to be divisible by multiples[%d], but %lld %% %lld "
                       "!= 0",
                       i, i, (long long)x->dims[i], (long long)copies[i]);
    dims[i] = x->dims[i] / copies[i];
  }
  TFC_TRY(tfc_output(ctx, 0, x->rank, dims));
  TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  tfc_strides(x->rank, dims, out);
  tfc_strides(x->rank, x->dims, in);
  tfc_box box = {.rank = 2 * x->rank};
  for (int i = 0; i < x->rank; i++) {
    box.dims[i] = copies[i];
    box.to[i] = 0;
    box.from[i] = dims[i] * in[i];
    box.dims[x->rank + i] = dims[i];
    box.to[x->rank + i] = out[i];
    box.from[x->rank + i] = in[i];
  }
  add_box(&ctx->outputs[0], 0, x, 0, &box);
  return TFC_OK;
}

#endif

static int broadcast_to(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t dims[TFC_MAX_RANK] = {0}, in[TFC_MAX_RANK];
  int rank = 0;
  TFC_TRY(tfc_read_vector(ctx, 1, TFC_MAX_RANK, dims, &rank));
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  if (rank < x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Rank of input (%d) must be no greater than rank of output shape (%d).",
                     x->rank, rank);
  const int lead = rank - x->rank;
  tfc_box box = {.rank = rank};
  tfc_strides(x->rank, x->dims, in);
  for (int i = 0; i < rank; i++) {
    const int64_t d = i < lead ? 1 : x->dims[i - lead];
    if (d != dims[i] && d != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
                       tfc_shape_text(x).text, tfc_dims_text(rank, dims).text);
    box.dims[i] = dims[i];
    box.from[i] = d == 1 ? 0 : in[i - lead];
  }
  if (tfc_product(rank, dims) == x->n) return tfc_output_view(ctx, 0, 0, 0, rank, dims);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_strides(rank, dims, box.to);
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, 0, &box);
}

/* ---- Reverse, ReverseSequence, Roll */

static int reverse_axes(tfc_context* ctx, const bool* reversed) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_box box = {.rank = x->rank};
  int64_t first = 0;
  bool same = x->n == 0;
  tfc_strides(x->rank, x->dims, box.to);
  bool any = false;
  for (int i = 0; i < x->rank; i++) {
    box.dims[i] = x->dims[i];
    box.from[i] = reversed[i] ? -box.to[i] : box.to[i];
    if (reversed[i]) first += (x->dims[i] - 1) * box.to[i];
    any |= reversed[i] && x->dims[i] > 1;
  }
  if (same || !any) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  return tfc_copy_box(ctx, &ctx->outputs[0], 0, x, first, &box);
}

static int reverse_v1(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  if (t->rank != 1 || t->n != x->rank)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "'dims' must have the same number of values as 'input' has dimensions. 'input' "
        "has %d 'dims' has %lld values",
        x->rank, (long long)t->n);
  bool reversed[TFC_MAX_RANK];
  for (int i = 0; i < x->rank; i++) reversed[i] = ((const uint8_t*)t->data)[i];
  return reverse_axes(ctx, reversed);
}

static int reverse_v2(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  if (t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "'dims' must be 1-dimension, not %d", t->rank);
  bool reversed[TFC_MAX_RANK] = {false};
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t given = tfc_index_at(t, i), d = given < 0 ? given + x->rank : given;
    if (d < 0 || d >= x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "'axis'[%lld] = %lld is out of valid range [0, %d", (long long)i,
                       (long long)given, x->rank - 1);
    if (reversed[d])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis %lld specified more than once.",
                       (long long)d);
    reversed[d] = true;
  }
  return reverse_axes(ctx, reversed);
}

static int sequence_create(tfc_construction* c, void** state) {
  int64_t* s = tfc_new_state(c, 2 * sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int rc = c->api->attr_int(c, "seq_dim", &s[0]);
  if (rc == TFC_OK) rc = c->api->attr_int(c, "batch_dim", &s[1]);
  if (rc != TFC_OK) {
    free(s);
    return rc;
  }
  *state = s;
  return TFC_OK;
}

/* Reads the lengths and checks everything. */
static int check_sequence(tfc_context* ctx, int64_t seq, int64_t batch) {
  const tfc_tensor *x = ctx->inputs[0], *lengths = ctx->inputs[1];
  if (seq < 0 || seq >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "seq_dim must be < input rank ( %lld vs. %d)",
                     (long long)seq, x->rank);
  if (batch < 0 || batch >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "batch_dim must be < input rank ( %lld vs. %d)",
                     (long long)batch, x->rank);
  if (seq == batch)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "batch_dim == seq_dim == %lld", (long long)seq);
  if (lengths->rank != 1 || lengths->n != x->dims[batch])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Length of seq_lengths != input.dims(%lld), (%lld vs. %lld)", (long long)batch,
                     (long long)lengths->n, (long long)x->dims[batch]);
  return TFC_OK;
}

static int read_lengths(tfc_context* ctx, int64_t seq, int64_t* to) {
  const tfc_tensor *x = ctx->inputs[0], *lengths = ctx->inputs[1];
  tfc_read_indices(lengths, to);
  for (int64_t i = 0; i < lengths->n; i++) {
    if (to[i] < 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "seq_lens(%lld) < 0", (long long)i);
    if (to[i] > x->dims[seq])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "seq_lens(%lld) > input.dims(%lld)", (long long)i,
                       (long long)seq);
  }
  return TFC_OK;
}

static int reverse_beginnings(tfc_context* ctx, int64_t seq, int64_t batch,
                              const int64_t* lengths) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_like(ctx, 0, x));
  tfc_box box = {.rank = x->rank};
  tfc_strides(x->rank, x->dims, box.to);
  memcpy(box.from, box.to, sizeof box.from);
  memcpy(box.dims, x->dims, sizeof x->dims);
  box.dims[batch] = 1;
  for (int64_t i = 0; i < x->dims[batch]; i++) {
    const int64_t n = lengths[i], first = i * box.to[batch];
    box.dims[seq] = n;
    box.from[seq] = -box.to[seq];
    TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], first, x, first + (n - 1) * box.to[seq], &box));
    box.dims[seq] = x->dims[seq] - n;
    box.from[seq] = box.to[seq];
    TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], first + n * box.to[seq], x, first + n * box.to[seq],
                         &box));
  }
  return TFC_OK;
}

static int reverse_sequence(tfc_context* ctx) {
  const int64_t *s = tfc_own_state(ctx), seq = s[0], batch = s[1];
  tfc_list lengths;
  TFC_TRY(check_sequence(ctx, seq, batch));
  TFC_TRY(tfc_list_make(ctx, &lengths, ctx->inputs[1]->n));
  int code = read_lengths(ctx, seq, lengths.at);
  if (code == TFC_OK) code = reverse_beginnings(ctx, seq, batch, lengths.at);
  tfc_list_drop(&lengths);
  return code;
}

static int roll(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *shift = ctx->inputs[1], *axis = ctx->inputs[2];
  if (x->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be 1-D or higher");
  if (shift->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "shift must be a scalar or a 1-D vector. Found: %s",
                     tfc_shape_text(shift).text);
  if (axis->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis must be a scalar or a 1-D vector. Found: %s",
                     tfc_shape_text(axis).text);
  if (shift->rank != axis->rank || shift->n != axis->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "shift and axis must have the same size");
  int64_t total[TFC_MAX_RANK] = {0};
  for (int64_t i = 0; i < axis->n; i++) {
    const int64_t given = tfc_index_at(axis, i), d = given < 0 ? given + x->rank : given;
    if (d < 0 || d >= x->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "axis %lld is out of range", (long long)given);
    if (x->dims[d] == 0) continue;
    total[d] = (total[d] + tfc_index_at(shift, i) % x->dims[d] + x->dims[d]) % x->dims[d];
  }
  TFC_TRY(tfc_output_like(ctx, 0, x));
  if (x->n == 0) return TFC_OK;
  /* Each rolled dimension moves as two runs: all combinations of these. */
  tfc_box box = {.rank = x->rank};
  tfc_strides(x->rank, x->dims, box.to);
  memcpy(box.from, box.to, sizeof box.from);
  int rolled[TFC_MAX_RANK], n_rolled = 0;
  for (int i = 0; i < x->rank; i++) {
    box.dims[i] = x->dims[i];
    if (total[i]) rolled[n_rolled++] = i;
  }
  for (int part = 0; part < 1 << n_rolled; part++) {
    int64_t to = 0, from = 0;
    for (int k = 0; k < n_rolled; k++) {
      const int i = rolled[k];
      const bool wrapped = (part >> k) & 1;
      box.dims[i] = wrapped ? total[i] : x->dims[i] - total[i];
      to += (wrapped ? 0 : total[i]) * box.to[i];
      from += (wrapped ? x->dims[i] - total[i] : 0) * box.to[i];
    }
    TFC_TRY(tfc_copy_box(ctx, &ctx->outputs[0], to, x, from, &box));
  }
  return TFC_OK;
}

TFC_COPIER(TFC_NO_STATE);
TFC_COPIER(mirror_create);
TFC_COPIER(sequence_create);

static const tfc_kernel_def kernels[] = {
    TFC_COPIES("Pad", "T", pad, TFC_NO_STATE, "paddings", "input,paddings,output"),
    TFC_COPIES("PadV2", "T", pad_v2, TFC_NO_STATE, "paddings",
               "input,paddings,constant_values,output"),
    TFC_COPIES_ALL("MirrorPad", "T", mirror_pad, mirror_create, "paddings"),
#if !TFC_FOR_GPU
    TFC_ROW("MirrorPadGrad", "T=" TFC_TYPES_NUMBERS, mirror_pad_grad, TFC_STATE(mirror_create),
            .host_args = "paddings"),
    TFC_ROW("TileGrad", "T=" TFC_TYPES_NUMBERS, tile_grad, .host_args = "multiples"),
#endif
    TFC_COPIES_ALL("Tile", "T", tile, TFC_NO_STATE, "multiples"),
    TFC_COPIES("BroadcastTo", "T", broadcast_to, TFC_NO_STATE, "shape", "input,shape,output"),
    TFC_COPIES("Reverse", "T", reverse_v1, TFC_NO_STATE, "dims", "tensor,dims,output"),
    TFC_COPIES("ReverseV2", "T", reverse_v2, TFC_NO_STATE, "axis", "tensor,axis,output"),
    TFC_COPIES_ALL("ReverseSequence", "T", reverse_sequence, sequence_create, "seq_lengths"),
    TFC_COPIES_ALL("Roll", "T", roll, TFC_NO_STATE, "shift,axis"),
};
TFC_REGISTER_KERNELS(kernels);
