/* RaggedRange, RaggedGather, RaggedTensorToSparse. */
#include "kernels_c/ragged/ragged.h"

#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

/* ---- RaggedRange */

static int check_ranges(tfc_context* ctx, int64_t* rows) {
  static const char* const names[] = {"starts", "limits", "deltas"};
  int64_t size = -1;
  for (int i = 0; i < 3; i++) {
    const tfc_tensor* t = ctx->inputs[i];
    if (t->rank > 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s must be a scalar or vector", names[i]);
    if (t->rank && size >= 0 && t->n != size)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "starts, limits, and deltas must have the same shape");
    if (t->rank) size = t->n;
  }
  *rows = size < 0 ? 1 : size;
  return TFC_OK;
}

typedef struct range {
  int64_t start, limit, delta;
  double wide[3]; /* the same of floating-point numbers */
  int64_t size;
} range;

static int64_t element_of(const tfc_tensor* t, int64_t row) {
  return t->rank ? row : 0;
}

static int read_floats(tfc_context* ctx, int64_t row, range* r) {
  for (int i = 0; i < 3; i++)
    r->wide[i] = tfc_to_double(ctx->inputs[i], element_of(ctx->inputs[i], row));
  const double start = r->wide[0], limit = r->wide[1], delta = r->wide[2];
  if (delta == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires delta != 0");
  if ((delta > 0 && limit < start) || (delta < 0 && limit > start)) {
    r->size = 0;
    return TFC_OK;
  }
  const double size = ctx->inputs[0]->dtype == TFC_FLOAT
                          ? ceil(fabsf(((float)limit - (float)start) / (float)delta))
                          : ceil(fabs((limit - start) / delta));
  if (!(size <= 0x1p62))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld",
                     (long long)INT64_MAX);
  r->size = (int64_t)size;
  return TFC_OK;
}

static int read_integers(tfc_context* ctx, int64_t row, range* r) {
  int64_t* const to[] = {&r->start, &r->limit, &r->delta};
  for (int i = 0; i < 3; i++)
    *to[i] = tfc_index_at(ctx->inputs[i], element_of(ctx->inputs[i], row));
  if (!r->delta) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires delta != 0");
  const bool up = r->delta > 0;
  if (up ? r->limit <= r->start : r->limit >= r->start) {
    r->size = 0;
    return TFC_OK;
  }
  const uint64_t way =
      up ? (uint64_t)r->limit - (uint64_t)r->start : (uint64_t)r->start - (uint64_t)r->limit;
  const uint64_t step = up ? (uint64_t)r->delta : 0 - (uint64_t)r->delta;
  const uint64_t size = way / step + (way % step != 0);
  if (size > INT64_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld",
                     (long long)INT64_MAX);
  r->size = (int64_t)size;
  return TFC_OK;
}

static bool is_float(const tfc_context* ctx) {
  return ctx->inputs[0]->dtype == TFC_FLOAT || ctx->inputs[0]->dtype == TFC_DOUBLE;
}

static int read_range(tfc_context* ctx, int64_t row, range* r) {
  return is_float(ctx) ? read_floats(ctx, row, r) : read_integers(ctx, row, r);
}

static int split_ranges(tfc_context* ctx, int64_t rows, range* ranges, int64_t* total) {
  tfc_tensor* splits = &ctx->outputs[0];
  const int64_t most = splits->dtype == TFC_INT32 ? INT32_MAX : INT64_MAX / 16;
  *total = 0;
  tfc_put_index(splits, 0, 0);
  for (int64_t row = 0; row < rows; row++) {
    TFC_TRY(read_range(ctx, row, &ranges[row]));
    if (ranges[row].size > most - *total)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "The total range size overflowed. Consider using int64 instead of int32 for "
                       "row_splits_dtype.");
    *total += ranges[row].size;
    tfc_put_index(splits, row + 1, *total);
  }
  return TFC_OK;
}

#define FILL(T, VALUE, STEP)                                                 \
  {                                                                          \
    T *to = (T*)out->data + at, value = (T)(VALUE);                          \
    for (int64_t i = 0; i < r->size; i++, value += (T)(STEP)) to[i] = value; \
  }                                                                          \
  break

static void fill_range(tfc_tensor* out, int64_t at, const range* r) {
  switch (out->dtype) {
    case TFC_FLOAT: FILL(float, r->wide[0], r->wide[2]);
    case TFC_DOUBLE: FILL(double, r->wide[0], r->wide[2]);
    case TFC_INT64: FILL(uint64_t, r->start, r->delta);
    default: FILL(uint32_t, r->start, r->delta);
  }
}

static int ragged_range(tfc_context* ctx) {
  int64_t rows = 0, total, at = 0;
  TFC_TRY(check_ranges(ctx, &rows));
  TFC_TRY(tfc_output(ctx, 0, 1, (int64_t[]){rows + 1}));
  range* ranges = tfc_scratch_items(ctx, rows + 1, sizeof *ranges);
  if (!ranges) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(split_ranges(ctx, rows, ranges, &total));
  TFC_TRY(tfc_output(ctx, 1, 1, &total));
  for (int64_t row = 0; row < rows; row++) {
    fill_range(&ctx->outputs[1], at, &ranges[row]);
    at += ranges[row].size;
  }
  return TFC_OK;
}

/* ---- RaggedGather */

typedef struct piece {
  int64_t begin, end;
} piece;

/* Copies the splits of a level, and checks that they cut `n` rows. */
static int read_splits(tfc_context* ctx, const tfc_tensor* t, int64_t n, int64_t** splits) {
  if (!t->n) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Ragged splits may not be empty");
  *splits = tfc_scratch_items(ctx, t->n, sizeof **splits);
  if (!*splits) return TFC_RESOURCE_EXHAUSTED;
  tfc_read_indices(t, *splits);
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t value = (*splits)[i];
    if (i == 0 && value < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Ragged splits must be non-negative");
    if (i && value < (*splits)[i - 1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Ragged splits must be sorted");
    if (value > n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Ragged splits must not point past values");
  }
  return TFC_OK;
}

static int read_pieces(tfc_context* ctx, const tfc_tensor* indices, int64_t rows, piece* pieces) {
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t row = tfc_index_at(indices, i);
    if (row < 0 || row >= rows)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices[%lld] = %lld is not in [0, %lld)",
                       (long long)i, (long long)row, (long long)rows);
    pieces[i] = (piece){row, row + 1};
  }
  return TFC_OK;
}

/* The splits of the dimensions of the indices after the first: all rows have the same length. */
static int uniform_splits(tfc_context* ctx, const tfc_tensor* indices) {
  int64_t rows = 1;
  for (int d = 0; d + 1 < indices->rank; d++) {
    rows *= indices->dims[d];
    TFC_TRY(tfc_output(ctx, d, 1, (int64_t[]){rows + 1}));
    for (int64_t i = 0; i <= rows; i++)
      tfc_put_index(&ctx->outputs[d], i, i * indices->dims[d + 1]);
  }
  return TFC_OK;
}

/* Output `output` (-1: none) becomes the splits of the rows in the pieces, and the pieces become
 * those of the next level. */
static int gather_level(tfc_context* ctx, int output, const int64_t* splits, piece* pieces,
                        int64_t n) {
  int64_t rows = 0, at = 0, total = 0;
  for (int64_t i = 0; i < n; i++)
    if (__builtin_add_overflow(rows, pieces[i].end - pieces[i].begin, &rows))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the result has too many rows");
  if (output >= 0) {
    TFC_TRY(tfc_output(ctx, output, 1, (int64_t[]){rows + 1}));
    tfc_put_index(&ctx->outputs[output], at++, 0);
  }
  for (int64_t i = 0; i < n; i++) {
    for (int64_t row = pieces[i].begin; output >= 0 && row < pieces[i].end; row++) {
      total += splits[row + 1] - splits[row];
      tfc_put_index(&ctx->outputs[output], at++, total);
    }
    pieces[i] = (piece){splits[pieces[i].begin], splits[pieces[i].end]};
  }
  return TFC_OK;
}

static int gather_values(tfc_context* ctx, const tfc_tensor* values, const piece* pieces,
                         int64_t n) {
  int64_t dims[TFC_MAX_RANK], at = 0;
  memcpy(dims, values->dims, sizeof dims);
  dims[0] = 0;
  for (int64_t i = 0; i < n; i++)
    if (__builtin_add_overflow(dims[0], pieces[i].end - pieces[i].begin, &dims[0]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "the result has too many values");
  const int last = ctx->n_outputs - 1;
  TFC_TRY(tfc_output(ctx, last, values->rank, dims));
  const int64_t row = tfc_product(values->rank - 1, values->dims + 1);
  for (int64_t i = 0; i < n; i++) {
    const int64_t count = (pieces[i].end - pieces[i].begin) * row;
    TFC_TRY(tfc_copy_values(ctx, &ctx->outputs[last], at, values, pieces[i].begin * row, count));
    at += count;
  }
  return TFC_OK;
}

static int ragged_gather(tfc_context* ctx) {
  const int levels = ctx->n_inputs - 2;
  const tfc_tensor *values = ctx->inputs[levels], *indices = ctx->inputs[levels + 1];
  if (!values->rank) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params.rank must be nonzero");
  if (ctx->n_outputs - 1 != indices->rank + levels - 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "OUTPUT_RAGGED_RANK must be %d for indices of shape %s, but is %d",
                     indices->rank + levels - 1, tfc_shape_text(indices).text, ctx->n_outputs - 1);
  piece* pieces = tfc_scratch_items(ctx, indices->n + 1, sizeof *pieces);
  if (!pieces) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(read_pieces(ctx, indices, ctx->inputs[0]->n - 1, pieces));
  TFC_TRY(uniform_splits(ctx, indices));
  for (int level = 0; level < levels; level++) {
    const int64_t rows = level + 1 < levels ? ctx->inputs[level + 1]->n - 1 : values->dims[0];
    int64_t* splits = NULL;
    TFC_TRY(read_splits(ctx, ctx->inputs[level], rows, &splits));
    TFC_TRY(gather_level(ctx, indices->rank - 1 + level, splits, pieces, indices->n));
  }
  return gather_values(ctx, values, pieces, indices->n);
}

/* ---- RaggedTensorToSparse */

static int check_splits(tfc_context* ctx, const int64_t* splits, int64_t n, int64_t rows) {
  if (!n) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "ragged splits may not be empty.");
  if (splits[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "First value of ragged splits must be 0.");
  for (int64_t i = 1; i < n; i++)
    if (splits[i] < splits[i - 1])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Ragged splits should be non decreasing, but we got %lld followed by %lld",
                       (long long)splits[i - 1], (long long)splits[i]);
  if (splits[n - 1] == rows) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Final value of ragged splits must match the length the corresponding ragged "
                   "values.");
}

/* The splits of all levels, and where the walk over the values is. */
typedef struct walk {
  int levels;
  int64_t* splits[TFC_MAX_RANK];
  int64_t n[TFC_MAX_RANK], row[TFC_MAX_RANK]; /* in each level */
} walk;

static int start_walk(tfc_context* ctx, walk* w) {
  const tfc_tensor* values = ctx->inputs[w->levels];
  for (int level = 0; level < w->levels; level++) {
    const tfc_tensor* t = ctx->inputs[level];
    const bool last = level + 1 == w->levels;
    const int64_t rows = !last          ? ctx->inputs[level + 1]->n - 1
                         : values->rank ? values->dims[0]
                                        : -1;
    w->n[level] = t->n;
    w->row[level] = 0;
    w->splits[level] = tfc_scratch_items(ctx, t->n + 1, sizeof(int64_t));
    if (!w->splits[level]) return TFC_RESOURCE_EXHAUSTED;
    tfc_read_indices(t, w->splits[level]);
    TFC_TRY(check_splits(ctx, w->splits[level], t->n, rows));
  }
  return TFC_OK;
}

/* Moves each level to the row that holds value `value`. */
static void move_to(walk* w, int64_t value) {
  for (int level = w->levels - 1; level >= 0; level--) {
    while (w->splits[level][w->row[level] + 1] <= value) w->row[level]++;
    value = w->row[level];
  }
}

static void write_shape(tfc_context* ctx, const walk* w, const tfc_tensor* values) {
  int64_t* shape = ctx->outputs[2].data;
  *shape++ = w->n[0] - 1;
  for (int level = 0; level < w->levels; level++) {
    int64_t longest = 0;
    for (int64_t i = 1; i < w->n[level]; i++)
      longest = TFC_MAX(longest, w->splits[level][i] - w->splits[level][i - 1]);
    *shape++ = longest;
  }
  memcpy(shape, values->dims + 1, (size_t)(values->rank - 1) * sizeof *shape);
}

/* The indices of the elements of value `value`, which has `row` of them; returns what follows. */
static int64_t* write_indices(const walk* w, const tfc_tensor* values, int64_t value, int64_t row,
                              int64_t* to) {
  for (int64_t e = 0; e < row; e++) {
    int64_t inner = e, *end;
    *to++ = w->row[0];
    for (int level = 0; level < w->levels; level++) {
      const int64_t below = level + 1 < w->levels ? w->row[level + 1] : value;
      *to++ = below - w->splits[level][w->row[level]];
    }
    end = to + values->rank - 1;
    for (int d = values->rank - 1; d > 0; d--) {
      to[d - 1] = inner % values->dims[d];
      inner /= values->dims[d];
    }
    to = end;
  }
  return to;
}

static int ragged_to_sparse(tfc_context* ctx) {
  walk w = {.levels = ctx->n_inputs - 1};
  const tfc_tensor* values = ctx->inputs[w.levels];
  if (w.levels > TFC_MAX_RANK || w.levels + values->rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     w.levels + values->rank, TFC_MAX_RANK);
  TFC_TRY(start_walk(ctx, &w));
  const int64_t rank = w.levels + values->rank;
  TFC_TRY(tfc_output(ctx, 0, 2, (int64_t[]){values->n, rank}));
  TFC_TRY(tfc_output_view(ctx, 1, w.levels, 0, 1, &values->n));
  TFC_TRY(tfc_output(ctx, 2, 1, &rank));
  write_shape(ctx, &w, values);
  const int64_t row = tfc_product(values->rank - 1, values->dims + 1);
  int64_t* to = ctx->outputs[0].data;
  for (int64_t value = 0; value < values->dims[0] && row; value++) {
    move_to(&w, value);
    to = write_indices(&w, values, value, row, to);
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RaggedRange", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES, ragged_range),
    TFC_ROW("RaggedGather", "Tvalues=" TFC_TYPES_VALUES, ragged_gather),
    TFC_ROW("RaggedTensorToSparse", "T=" TFC_TYPES_VALUES, ragged_to_sparse),
};
TFC_REGISTER_KERNELS(kernels);
