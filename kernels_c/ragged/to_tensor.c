/* RaggedTensorToTensor: pads rows, or cuts them, to one length. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/ragged/ragged.h"

TFC_ONE_LEVEL;

typedef enum { FIRST_DIM_SIZE, VALUE_ROWIDS, ROW_SPLITS } partition;

typedef struct partitions {
  int n;
  partition kinds[TFC_MAX_RANK];
} partitions;

enum { SHAPE, VALUES, DEFAULT, PARTITIONS }; /* inputs */

static int parse(tfc_construction* c, void* state) {
  static const char* const names[] = {"FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS"};
  partitions* p = state;
  int n = 1;
  for (int i = 0; i < n; i++) {
    const char* text = "";
    size_t size = 0;
    TFC_TRY(c->api->attr_strings(c, "row_partition_types", i, &text, &size, &n));
    if (i >= n) break;
    int kind = 0;
    while (kind < 3 && (size != strlen(names[kind]) || memcmp(text, names[kind], size))) kind++;
    if (kind == 3)
      return c->api->error(c, TFC_INVALID_ARGUMENT, "Unknown string for partition info type: %.*s",
                           (int)size, text);
    if (i >= TFC_MAX_RANK)
      return c->api->error(c, TFC_UNIMPLEMENTED, "more than %d row partitions", TFC_MAX_RANK);
    p->kinds[i] = (partition)kind;
  }
  p->n = n;
  if (n == c->n_inputs - PARTITIONS) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "row_partition_types has %d entries for %d row_partition_tensors", n,
                       c->n_inputs - PARTITIONS);
}

static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(partitions), parse, state);
}

/* What is to be made: its sizes, and of each row of the level at hand the cell that it goes to
 * (-1: none). */
typedef struct layout {
  int levels, first; /* number of row partitions, and the first of them */
  int rank;
  int64_t dims[TFC_MAX_RANK + 1];
  int64_t rows;
  int64_t* cells;
} layout;

static int read_rows(tfc_context* ctx, layout* l) {
  const partitions* p = ctx->state;
  const tfc_tensor* first = ctx->inputs[PARTITIONS];
  if (p->kinds[0] == VALUE_ROWIDS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Cannot handle VALUE_ROWIDS in first dimension.");
  if (!first->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Invalid first partition input. Tensor requires at least one element.");
  l->first = p->kinds[0] == FIRST_DIM_SIZE;
  l->levels = p->n - l->first;
  l->rows = l->first ? tfc_index_at(first, 0) : first->n - 1;
  for (int i = l->first; i < p->n; i++)
    if (p->kinds[i] == FIRST_DIM_SIZE)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Cannot handle partition type FIRST_DIM_SIZE");
  if (l->rows >= 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The first dimension must be >= 0, but is %lld",
                   (long long)l->rows);
}

/* The sizes that the input `shape` states, -1 where it leaves them open. */
static int read_shape(tfc_context* ctx, layout* l) {
  const tfc_tensor *t = ctx->inputs[SHAPE], *values = ctx->inputs[VALUES];
  l->rank = l->levels + values->rank;
  if (l->rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %d are not supported (at most %d)",
                     l->rank, TFC_MAX_RANK);
  for (int d = 0; d < l->rank; d++) l->dims[d] = -1;
  if (!t->rank) {
    if (tfc_index_at(t, 0) == -1) return TFC_OK;
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The only valid scalar shape tensor is the fully unknown shape specified as "
                     "-1.");
  }
  if (t->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "tensors of rank %lld are not supported (at most %d)",
                     (long long)t->n, TFC_MAX_RANK);
  int64_t dims[TFC_MAX_RANK];
  tfc_read_indices(t, dims);
  for (int64_t d = 0; d < t->n; d++)
    if (dims[d] < -1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= -1",
                       (long long)dims[d]);
  const tfc_text text = tfc_partial_dims_text((int)t->n, dims);
  if (t->n != l->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "rt_input.shape and shape=%s are incompatible: rt_input.rank = %d but "
                     "shape.rank = %lld",
                     text.text, l->rank, (long long)t->n);
  for (int d = l->levels + 1; d < l->rank; d++)
    if (dims[d] >= 0 && dims[d] != values->dims[d - l->levels])
      return tfc_error(
          ctx, TFC_INVALID_ARGUMENT,
          "rt_input.shape and shape=%s are incompatible: rt_input.shape[%d] = %lld but "
          "shape[%d] = %lld",
          text.text, d, (long long)values->dims[d - l->levels], d, (long long)dims[d]);
  memcpy(l->dims, dims, (size_t)l->rank * sizeof *dims);
  return TFC_OK;
}

static int check_default(tfc_context* ctx) {
  const tfc_tensor *d = ctx->inputs[DEFAULT], *values = ctx->inputs[VALUES];
  char text[512];
  snprintf(text, sizeof text,
           "default_value.shape=%s and rt_input.flat_values.shape=%s are incompatible: ",
           tfc_shape_text(d).text, tfc_shape_text(values).text);
  if (d->rank >= values->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%sdefault_value.rank = %d  must be less than rt_input.flat_values.rank = %d",
                     text, d->rank, values->rank);
  for (int i = 1; i <= d->rank; i++) {
    const int64_t own = d->dims[d->rank - i], other = values->dims[values->rank - i];
    if (own != 1 && own != other)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%sdefault_value.shape[%d] = %lld but rt_input.flat_values.shape[%d] = %lld",
                       text, -i, (long long)own, -i, (long long)other);
  }
  return TFC_OK;
}

/* ---- From level to level */

static int64_t* new_cells(tfc_context* ctx, int64_t n) {
  return tfc_scratch_items(ctx, n + 1, sizeof(int64_t));
}

static int64_t cell_of(int64_t parent, int64_t place, int64_t width) {
  return parent < 0 || place >= width ? -1 : parent * width + place;
}

/* How many values a level must have; -1: any number. */
static int64_t values_of(const tfc_context* ctx, const layout* l, int level) {
  const partitions* p = ctx->state;
  if (level + 1 == l->levels) return ctx->inputs[VALUES]->dims[0];
  const int next = l->first + level + 1;
  return p->kinds[next] == ROW_SPLITS ? ctx->inputs[PARTITIONS + next]->n - 1 : -1;
}

/* The positions of the values of a level in their rows, places[i], and the row of each, parents[i].
 * *longest: the length of the longest row. `wanted`: see values_of. */
static int read_row_splits(tfc_context* ctx, const tfc_tensor* t, const layout* l, int64_t wanted,
                           int64_t** parents, int64_t** places, int64_t* n, int64_t* longest) {
  const int64_t rows = t->n - 1;
  if (rows != l->rows || tfc_index_at(t, 0))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid row split size.");
  *n = tfc_index_at(t, rows);
  if (*n < 0 || (wanted >= 0 && *n != wanted))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid row split size.");
  *parents = new_cells(ctx, *n);
  *places = new_cells(ctx, *n);
  if (!*parents || !*places) return TFC_RESOURCE_EXHAUSTED;
  int64_t at = 0;
  for (int64_t row = 0; row < rows; row++) {
    const int64_t end = tfc_index_at(t, row + 1), begin = at;
    if (end < at || end > *n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Invalid row split size.");
    for (; at < end; at++) {
      (*parents)[at] = row;
      (*places)[at] = at - begin;
    }
    *longest = TFC_MAX(*longest, end - begin);
  }
  return at == *n ? TFC_OK : tfc_changed(ctx, "the row splits");
}

static int read_row_ids(tfc_context* ctx, const tfc_tensor* t, const layout* l, int64_t** parents,
                        int64_t** places, int64_t* n, int64_t* longest) {
  *n = t->n;
  *parents = new_cells(ctx, *n);
  *places = new_cells(ctx, *n);
  if (!*parents || !*places) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < *n; i++) {
    const int64_t row = tfc_index_at(t, i);
    if (row < 0 || row >= l->rows)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Got %s=%lld which is not less than %lld",
                       i ? "next_value_rowid" : "current_value_rowid", (long long)row,
                       (long long)l->rows);
    (*parents)[i] = row;
    (*places)[i] = i && row == (*parents)[i - 1] ? (*places)[i - 1] + 1 : 0;
    *longest = TFC_MAX(*longest, (*places)[i] + 1);
  }
  return TFC_OK;
}

/* Makes the values of a level the rows at hand. */
static int enter_level(tfc_context* ctx, layout* l, int level) {
  const partitions* p = ctx->state;
  const tfc_tensor* t = ctx->inputs[PARTITIONS + l->first + level];
  int64_t *parents = NULL, *places = NULL, n = 0, longest = 0;
  if (t->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "A row partition must be a vector, but has shape %s", tfc_shape_text(t).text);
  if (p->kinds[l->first + level] == ROW_SPLITS)
    TFC_TRY(read_row_splits(ctx, t, l, values_of(ctx, l, level), &parents, &places, &n, &longest));
  else
    TFC_TRY(read_row_ids(ctx, t, l, &parents, &places, &n, &longest));
  int64_t* width = &l->dims[level + 1];
  if (*width < 0) *width = longest;
  if (tfc_count(level + 2, l->dims) < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape %s has too many elements",
                     tfc_dims_text(level + 2, l->dims).text);
  for (int64_t i = 0; i < n; i++) parents[i] = cell_of(l->cells[parents[i]], places[i], *width);
  l->rows = n;
  l->cells = parents;
  return TFC_OK;
}

static int place_values(tfc_context* ctx, layout* l) {
  const tfc_tensor* values = ctx->inputs[VALUES];
  if (l->dims[0] < 0) l->dims[0] = l->rows;
  l->cells = new_cells(ctx, l->rows);
  if (!l->cells) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < l->rows; i++) l->cells[i] = i < l->dims[0] ? i : -1;
  for (int level = 0; level < l->levels; level++) TFC_TRY(enter_level(ctx, l, level));
  for (int d = l->levels + 1; d < l->rank; d++) l->dims[d] = values->dims[d - l->levels];
  if (l->rows == values->dims[0]) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "The row partitions have %lld values, but there are %lld", (long long)l->rows,
                   (long long)values->dims[0]);
}

/* ---- The result */

static int fill_default(tfc_context* ctx, const layout* l) {
  const tfc_tensor* d = ctx->inputs[DEFAULT];
  tfc_tensor* out = &ctx->outputs[0];
  if (d->n == 1) return tfc_fill_element(ctx, out, d);
  tfc_box box = {.rank = out->rank};
  int64_t own[TFC_MAX_RANK];
  memcpy(box.dims, out->dims, (size_t)out->rank * sizeof *out->dims);
  tfc_strides(out->rank, out->dims, box.to);
  tfc_strides(d->rank, d->dims, own);
  for (int i = 1; i <= d->rank; i++)
    if (d->dims[d->rank - i] != 1) box.from[l->rank - i] = own[d->rank - i];
  return out->n ? tfc_copy_box(ctx, out, 0, d, 0, &box) : TFC_OK;
}

static int to_tensor(tfc_context* ctx) {
  const tfc_tensor* values = ctx->inputs[VALUES];
  layout l = {0};
  TFC_TRY(read_rows(ctx, &l));
  TFC_TRY(read_shape(ctx, &l));
  TFC_TRY(check_default(ctx));
  TFC_TRY(place_values(ctx, &l));
  TFC_TRY(tfc_output(ctx, 0, l.rank, l.dims));
  TFC_TRY(fill_default(ctx, &l));
  const int64_t row = tfc_product(values->rank - 1, values->dims + 1);
  for (int64_t i = 0; i < l.rows; i++)
    if (l.cells[i] >= 0)
      TFC_TRY(tfc_copy_values(ctx, &ctx->outputs[0], l.cells[i] * row, values, i * row, row));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("RaggedTensorToTensor", "T=" TFC_TYPES_VALUES, to_tensor, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
