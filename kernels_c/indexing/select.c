/* Choosing by value: one-hot, where, dynamic partition and stitch. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/shapes.h"

TFC_ONE_LEVEL;

/* ---- OneHot */

static int one_hot_create(tfc_construction* c, void** state) {
  int64_t* axis = tfc_new_state(c, sizeof *axis);
  if (!axis) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_int(c, "axis", axis);
  if (rc != TFC_OK) {
    free(axis);
    return rc;
  }
  *state = axis;
  return TFC_OK;
}

static int64_t small_index(const tfc_tensor* t, int64_t i) {
  if (t->dtype == TFC_UINT8) return ((const uint8_t*)t->data)[i];
  if (t->dtype == TFC_INT8) return ((const int8_t*)t->data)[i];
  return tfc_index_at(t, i);
}

static int one_hot(tfc_context* ctx) {
  const tfc_tensor *t = ctx->inputs[0], *on = ctx->inputs[2], *off = ctx->inputs[3];
  int64_t depth, inner;
  TFC_TRY(tfc_one_hot_shape(ctx, *(const int64_t*)ctx->state, &depth, &inner));
  tfc_tensor* y = &ctx->outputs[0];
  if (y->n == 0) return TFC_OK;
  TFC_TRY(tfc_fill_element(ctx, y, off));
  const size_t size = tfc_dtype_size(y->dtype);
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t v = small_index(t, i);
    if (v < 0 || v >= depth) continue;
    const int64_t at = (i / inner * depth + v) * inner + i % inner;
    if (y->dtype == TFC_STRING) {
      const tfc_string* s = on->data;
      TFC_TRY(tfc_string_set(ctx, y, at, s->data, s->size));
    } else {
      memcpy((char*)y->data + (size_t)at * size, on->data, size);
    }
  }
  return TFC_OK;
}

/* ---- Where: positions of what is not zero */

static bool any_byte(const char* p, size_t size) {
  for (size_t k = 0; k < size; k++)
    if (p[k]) return true;
  return false;
}

/* Not zero: for floats a negative zero is zero too. */
static bool is_set(const tfc_tensor* t, int64_t i) {
  switch (t->dtype) {
    case TFC_BOOL: return ((const uint8_t*)t->data)[i];
    case TFC_FLOAT: return ((const float*)t->data)[i] != 0;
    case TFC_DOUBLE: return ((const double*)t->data)[i] != 0;
    case TFC_HALF:
    case TFC_BFLOAT16: return ((const uint16_t*)t->data)[i] & 0x7FFF;
    case TFC_COMPLEX64: return ((const float _Complex*)t->data)[i] != 0;
    case TFC_COMPLEX128: return ((const double _Complex*)t->data)[i] != 0;
    default: {
      const size_t size = tfc_dtype_size(t->dtype);
      return any_byte((const char*)t->data + (size_t)i * size, size);
    }
  }
}

static int64_t count_set(const tfc_tensor* t) {
  int64_t n = 0;
  if (t->dtype == TFC_BOOL) {
    const uint8_t* p = t->data;
    for (int64_t i = 0; i < t->n; i++) n += p[i] != 0;
  } else {
    for (int64_t i = 0; i < t->n; i++) n += is_set(t, i);
  }
  return n;
}

static int where(tfc_context* ctx) {
  const tfc_tensor* t = ctx->inputs[0];
  const int64_t dims[2] = {count_set(t), t->rank};
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  int64_t *out = ctx->outputs[0].data, at[TFC_MAX_RANK] = {0}, found = 0;
  const int last = t->rank - 1;
  const int64_t width = t->rank ? t->dims[last] : 1;
  /* Coordinates are written for each element and kept if it is set: a branch would be mispredicted
   * half of the time. */
  for (int64_t i = 0; i < t->n && found < dims[0]; i += width) {
    for (int64_t j = 0; j < width && found < dims[0]; j++) {
      int64_t* to = out + found * t->rank;
      for (int d = 0; d < last; d++) to[d] = at[d];
      if (last >= 0) to[last] = j;
      found += is_set(t, i + j);
    }
    for (int d = last - 1; d >= 0; d--) {
      if (++at[d] < t->dims[d]) break;
      at[d] = 0;
    }
  }
  return found == dims[0] ? TFC_OK : tfc_changed(ctx, "input");
}

/* ---- DynamicPartition, DynamicStitch */

static int copy_run(tfc_context* ctx, tfc_tensor* y, int64_t to, const tfc_tensor* x, int64_t from,
                    int64_t n) {
  if (x->dtype != TFC_STRING) {
    const int64_t size = (int64_t)tfc_dtype_size(x->dtype);
    tfc_move_bytes((char*)y->data + to * size, (const char*)x->data + from * size, n * size);
    return TFC_OK;
  }
  const tfc_box box = {.rank = 1, .dims = {n}, .to = {1}, .from = {1}};
  return tfc_copy_box(ctx, y, to, x, from, &box);
}

/* For the text of an error: of a table in shards that have runs of rows, the first `extra` ones
 * `each` + 1 rows and the others `each`, how the data (rows of shards) and the partitions came of
 * ids. */
typedef struct runs_state {
  bool given;
  int64_t each, extra;
} runs_state;

static int dynamic_partition_create(tfc_construction* c, void** state) {
  runs_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  int64_t sizes[2];
  int n;
  if (c->api->attr_ints(c, "_runs", 2, sizes, &n) == TFC_OK && n == 2)
    *s = (runs_state){true, sizes[0], sizes[1]};
  *state = s;
  return TFC_OK;
}

static int partition_error(tfc_context* ctx, int64_t i, int32_t partition) {
  const runs_state* s = ctx->state;
  char id[64] = "";
  if (s->given && partition != INT32_MIN && partition != INT32_MAX) { /* else it was clamped */
    const bool is_long = partition < s->extra || s->each == 0;
    const int64_t before = is_long ? partition * (s->each + 1) : s->extra + partition * s->each;
    snprintf(id, sizeof id, ": id %lld", (long long)(before + tfc_index_at(ctx->inputs[0], i)));
  }
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "partitions[%lld] = %d is not in [0, %d)%s",
                   (long long)i, partition, ctx->n_outputs, id);
}

static int dynamic_partition(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  const int n = ctx->n_outputs;
  bool ok = t->rank <= x->rank;
  for (int i = 0; ok && i < t->rank; i++) ok = t->dims[i] == x->dims[i];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "data.shape must start with partitions.shape, got data.shape = %s, "
                     "partitions.shape = %s",
                     tfc_shape_text(x).text, tfc_shape_text(t).text);
  int64_t* counts = tfc_scratch_items(ctx, n, sizeof(int64_t));
  int32_t* p = tfc_scratch_items(ctx, t->n, sizeof *p);
  if (!counts || !p) return TFC_RESOURCE_EXHAUSTED;
  memset(counts, 0, (size_t)n * sizeof(int64_t));
  for (int64_t i = 0; i < t->n; i++) {
    p[i] = (int32_t)tfc_index_at(t, i);
    if (p[i] < 0 || p[i] >= n) return partition_error(ctx, i, p[i]);
    counts[p[i]]++;
  }
  int64_t dims[TFC_MAX_RANK + 1];
  const int rank = x->rank - t->rank + 1;
  for (int i = t->rank; i < x->rank; i++) dims[i - t->rank + 1] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "DynamicPartition into %d dimensions", rank);
  const int64_t inner = tfc_product(rank - 1, dims + 1);
  for (int k = 0; k < n; k++) {
    dims[0] = counts[k];
    TFC_TRY(tfc_output(ctx, k, rank, dims));
    counts[k] = 0;
  }
  if (inner == 0) return TFC_OK;
  for (int64_t i = 0; i < t->n; i++)
    TFC_TRY(copy_run(ctx, &ctx->outputs[p[i]], counts[p[i]]++ * inner, x, i * inner, inner));
  return TFC_OK;
}

static int check_stitch(tfc_context* ctx, int n, int64_t* rows) {
  const tfc_tensor *i0 = ctx->inputs[0], *d0 = ctx->inputs[n];
  *rows = 0;
  for (int k = 0; k < n; k++) {
    const tfc_tensor *t = ctx->inputs[k], *x = ctx->inputs[n + k];
    bool ok = t->rank <= x->rank;
    for (int i = 0; ok && i < t->rank; i++) ok = t->dims[i] == x->dims[i];
    if (!ok)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "data[%d].shape = %s does not start with indices[%d].shape = %s", k,
                       tfc_shape_text(x).text, k, tfc_shape_text(t).text);
    ok = x->rank - t->rank == d0->rank - i0->rank;
    for (int i = t->rank; ok && i < x->rank; i++)
      ok = x->dims[i] == d0->dims[i0->rank + i - t->rank];
    if (!ok)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Need data[0].shape[%d:] = data[%d].shape[%d:], got data[0].shape = %s, "
                       "data[%d].shape = %s",
                       i0->rank, k, t->rank, tfc_shape_text(d0).text, k, tfc_shape_text(x).text);
    for (int64_t i = 0; i < t->n; i++) {
      const int64_t v = tfc_index_at(t, i);
      if (v < 0)
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices[%d][%lld] = %lld is out of range", k,
                         (long long)i, (long long)v);
      if (v >= *rows) *rows = v + 1;
    }
  }
  return TFC_OK;
}

static int dynamic_stitch(tfc_context* ctx) {
  const int n = ctx->n_inputs / 2;
  const tfc_tensor *i0 = ctx->inputs[0], *d0 = ctx->inputs[n];
  int64_t dims[TFC_MAX_RANK + 1];
  TFC_TRY(check_stitch(ctx, n, &dims[0]));
  const int rank = d0->rank - i0->rank + 1;
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "DynamicStitch into %d dimensions", rank);
  for (int i = 1; i < rank; i++) dims[i] = d0->dims[i0->rank + i - 1];
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_tensor* y = &ctx->outputs[0];
  const int64_t inner = tfc_product(rank - 1, dims + 1);
  if (y->n == 0) return TFC_OK;
  TFC_TRY(tfc_fill_zero(ctx, y)); /* rows that no index names */
  for (int k = 0; k < n; k++)
    for (int64_t i = 0; i < ctx->inputs[k]->n; i++) {
      const int64_t row = tfc_index_at(ctx->inputs[k], i);
      if (row < 0 || row >= dims[0]) return tfc_changed(ctx, "indices");
      TFC_TRY(copy_run(ctx, y, row * inner, ctx->inputs[n + k], i * inner, inner));
    }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("OneHot", "", one_hot, TFC_STATE(one_hot_create), .host_args = "depth"),
    TFC_ROW("Where", "", where),
    TFC_ROW("DynamicPartition", "", dynamic_partition, TFC_STATE(dynamic_partition_create)),
    TFC_ROW("DynamicStitch", "", dynamic_stitch),
    TFC_ROW("ParallelDynamicStitch", "", dynamic_stitch),
};
TFC_REGISTER_KERNELS(kernels);
