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

#define FLAGS(T, IS_SET)                                         \
  do {                                                           \
    const T* x = (const T*)t->data + begin * per;                \
    for (int64_t i = 0; i < n; i++, x += per) flags[i] = IS_SET; \
  } while (0)

/* flags[i]: element begin + i is not zero. For floats a negative zero is zero, too. */
static void load_flags(const tfc_tensor* t, int64_t begin, int64_t n, uint8_t* flags) {
  const int64_t per = t->dtype == TFC_COMPLEX64 || t->dtype == TFC_COMPLEX128 ? 2 : 1;
  switch (t->dtype) {
    case TFC_FLOAT: FLAGS(float, *x != 0); return;
    case TFC_DOUBLE: FLAGS(double, *x != 0); return;
    case TFC_HALF:
    case TFC_BFLOAT16: FLAGS(uint16_t, (*x & 0x7FFF) != 0); return;
    case TFC_COMPLEX64: FLAGS(float, (x[0] != 0) | (x[1] != 0)); return;
    case TFC_COMPLEX128: FLAGS(double, (x[0] != 0) | (x[1] != 0)); return;
    default: break;
  }
  switch (tfc_dtype_size(t->dtype)) {
    case 1: FLAGS(uint8_t, *x != 0); return;
    case 2: FLAGS(uint16_t, *x != 0); return;
    case 4: FLAGS(uint32_t, *x != 0); return;
    default: FLAGS(uint64_t, *x != 0);
  }
}

enum { FLAG_BLOCK = 512, WHERE_CHUNK = 32 * FLAG_BLOCK };

typedef struct where_plan {
  const tfc_tensor* t;
  int64_t* counts; /* of each chunk of elements, then of all chunks before it */
  int64_t* out;
  bool changed; /* the input, between both passes */
} where_plan;

static void count_chunks(void* arg, int64_t begin, int64_t end) {
  const where_plan* p = arg;
  for (int64_t c = begin; c < end; c++) {
    const int64_t stop = TFC_MIN((c + 1) * WHERE_CHUNK, p->t->n);
    int64_t count = 0;
    for (int64_t i = c * WHERE_CHUNK; i < stop; i += FLAG_BLOCK) {
      uint8_t flags[FLAG_BLOCK];
      const int64_t n = TFC_MIN(FLAG_BLOCK, stop - i);
      load_flags(p->t, i, n, flags);
      for (int64_t j = 0; j < n; j++) count += flags[j];
    }
    p->counts[c] = count;
  }
}

/* The coordinates at[0] to at[rank - 2] of the row that has element i, and the row's first element.
 */
static int64_t find_row(const tfc_tensor* t, int64_t i, int64_t* at) {
  const int64_t width = t->dims[t->rank - 1], row = i / width;
  int64_t rest = row;
  for (int d = t->rank - 2; d >= 0; d--) {
    at[d] = rest % t->dims[d];
    rest /= t->dims[d];
  }
  return row * width;
}

static void write_places(void* arg, int64_t begin, int64_t end) {
  where_plan* p = arg;
  const tfc_tensor* t = p->t;
  const int rank = t->rank;
  for (int64_t c = begin; c < end; c++) {
    const int64_t stop = TFC_MIN((c + 1) * WHERE_CHUNK, t->n);
    int64_t at[TFC_MAX_RANK], row = 0, row_end = 0, left = p->counts[c + 1] - p->counts[c];
    int64_t* to = p->out + p->counts[c] * rank;
    for (int64_t i = c * WHERE_CHUNK; i < stop; i += FLAG_BLOCK) {
      uint8_t flags[FLAG_BLOCK];
      int16_t places[FLAG_BLOCK];
      const int64_t n = TFC_MIN(FLAG_BLOCK, stop - i);
      int found = 0;
      load_flags(t, i, n, flags);
      for (int j = 0; j < (int)n; j++) { /* a branch would be mispredicted half of the time */
        places[found] = (int16_t)j;
        found += flags[j];
      }
      left -= found;
      if (left < 0) break;
      for (int k = 0; k < found && rank > 0; k++, to += rank) {
        const int64_t place = i + places[k];
        if (place >= row_end) {
          row = find_row(t, place, at);
          row_end = row + t->dims[rank - 1];
        }
        for (int d = 0; d < rank - 1; d++) to[d] = at[d];
        to[rank - 1] = place - row;
      }
    }
    if (left) __atomic_store_n(&p->changed, true, __ATOMIC_RELAXED);
  }
}

static int where(tfc_context* ctx) {
  where_plan p = {.t = ctx->inputs[0]};
  const int64_t chunks = (p.t->n + WHERE_CHUNK - 1) / WHERE_CHUNK;
  int64_t dims[2] = {0, p.t->rank};
  p.counts = tfc_scratch_items(ctx, chunks + 1, sizeof *p.counts);
  if (!p.counts) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, chunks, WHERE_CHUNK * 0.3, count_chunks, &p);
  for (int64_t c = 0; c < chunks; c++) {
    const int64_t count = p.counts[c];
    p.counts[c] = dims[0];
    dims[0] += count;
  }
  p.counts[chunks] = dims[0];
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  p.out = ctx->outputs[0].data;
  tfc_parallel_for(ctx, chunks, WHERE_CHUNK * 1.0, write_places, &p);
  return p.changed ? tfc_changed(ctx, "input") : TFC_OK;
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
