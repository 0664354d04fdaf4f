/* Gather and scatter: rows chosen by indices. Each index is read once, checked, and used. */
#include "array.h"
#include "array_copy.h"
#include "rows.h"

/* "[1,2]": the place of flat element `i` in a tensor of indices. */
static tfc_text place_text(const tfc_tensor* t, int64_t i, int rank) {
  int64_t at[TFC_MAX_RANK];
  for (int d = rank - 1; d >= 0; d--) {
    at[d] = i % t->dims[d];
    i /= t->dims[d];
  }
  return tfc_dims_text(rank, at);
}

/* Copies `size` bytes, or one string after the other. */
static int copy_slice(tfc_context* ctx, tfc_tensor* y, int64_t to, const tfc_tensor* x,
                      int64_t from, int64_t n) {
  const tfc_box box = {.rank = 1, .dims = {n}, .to = {1}, .from = {1}};
  return tfc_copy_box(ctx, y, to, x, from, &box);
}

/* ---- Gather */

/* What the kernel is created with. */
typedef struct gather_state {
  int64_t batch_dims;
  /* Where `params` is a shard of a table: row i of it is row first + i * stride of the table. 0: it
   * is not one. Only for the text of an error. */
  int64_t first, stride;
} gather_state;

typedef struct gather_plan {
  const char* params;
  char* out;
  const tfc_tensor* indices;
  int64_t outer; /* dimensions before the axis and after the batch dimensions */
  int64_t limit; /* size of the axis */
  int64_t count; /* indices of one batch */
  int64_t bytes; /* of a slice */
  bool failed;   /* an index was out of bounds; atomic */
} gather_plan;

/* Index k, or -1 if it is out of bounds. */
static inline int64_t gather_index(const gather_plan* p, int64_t k) {
  const int64_t v = tfc_index_at(p->indices, k);
  return (uint64_t)v < (uint64_t)p->limit ? v : -1;
}

/* Rows of a size known to the compiler are copied without a call. */
static inline void gather_rows(gather_plan* p, const char* from, char* to, int64_t first, int64_t n,
                               int64_t bytes) {
  enum { AHEAD = 8 };
  const tfc_tensor* t = p->indices;
  for (int64_t i = 0; i < n; i++) {
    if (bytes >= 64 && i + AHEAD < n)
      __builtin_prefetch(from + tfc_index_at(t, first + i + AHEAD) * bytes);
    const int64_t v = gather_index(p, first + i);
    if (v < 0) {
      __atomic_store_n(&p->failed, true, __ATOMIC_RELAXED);
      return;
    }
    tfc_move_bytes(to + i * bytes, from + v * bytes, bytes);
  }
}

/* Items are output slices: (batch, outer, index). */
static void gather_items(void* arg, int64_t begin, int64_t end) {
  gather_plan* p = arg;
  while (begin < end) {
    const int64_t row = begin / p->count, first = begin % p->count;
    const int64_t n = TFC_MIN(p->count - first, end - begin);
    const int64_t batch = row / p->outer;
    const char* from = p->params + row * p->limit * p->bytes;
    char* to = p->out + begin * p->bytes;
    const int64_t at = batch * p->count + first;
    switch (p->bytes) {
      case 4: gather_rows(p, from, to, at, n, 4); break;
      case 8: gather_rows(p, from, to, at, n, 8); break;
      case 16: gather_rows(p, from, to, at, n, 16); break;
      default: gather_rows(p, from, to, at, n, p->bytes); break;
    }
    begin += n;
  }
}

static int check_indices(tfc_context* ctx, const tfc_tensor* t, int64_t limit,
                         const gather_state* state) {
  for (int64_t i = 0; i < t->n; i++) {
    const int64_t v = tfc_index_at(t, i);
    if ((uint64_t)v < (uint64_t)limit) continue;
    char id[64] = "";
    if (state->stride)
      snprintf(id, sizeof id, ": id %lld", (long long)(state->first + v * state->stride));
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices%s = %lld is not in [0, %lld)%s",
                     t->rank ? place_text(t, i, t->rank).text : "", (long long)v, (long long)limit,
                     id);
  }
  return TFC_OK;
}

static int gather_strings(tfc_context* ctx, gather_plan* p, int64_t items, int64_t inner) {
  for (int64_t k = 0; k < items && !p->failed; k++) {
    const int64_t row = k / p->count, at = row / p->outer * p->count + k % p->count;
    const int64_t v = gather_index(p, at);
    if (v < 0)
      p->failed = true;
    else
      TFC_TRY(copy_slice(ctx, &ctx->outputs[0], k * inner, ctx->inputs[0],
                         (row * p->limit + v) * inner, inner));
  }
  return TFC_OK;
}

static int gather(tfc_context* ctx, int64_t axis, const gather_state* state) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  int64_t batch_dims = state->batch_dims;
  if (x->rank < 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params must be at least 1 dimensional");
  if (axis < -x->rank || axis >= x->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected axis in the range [%d, %d), but got %lld",
                     -x->rank, x->rank, (long long)axis);
  if (axis < 0) axis += x->rank;
  if (batch_dims < -t->rank || batch_dims > t->rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected batch_dims in the range [%d, %d], but got %lld", -t->rank, t->rank,
                     (long long)batch_dims);
  if (batch_dims < 0) batch_dims += t->rank;
  if (batch_dims >= x->rank || batch_dims > axis)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "batch_dims (%lld) must be less than or equal to axis (%lld).",
                     (long long)batch_dims, (long long)axis);
  int64_t dims[3 * TFC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < batch_dims; i++) {
    if (x->dims[i] != t->dims[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "params.shape[%d]: %lld should be equal to indices.shape[%d]: %lld", i,
                       (long long)x->dims[i], i, (long long)t->dims[i]);
  }
  for (int i = 0; i < axis; i++) dims[rank++] = x->dims[i];
  for (int i = (int)batch_dims; i < t->rank; i++) dims[rank++] = t->dims[i];
  for (int i = (int)axis + 1; i < x->rank; i++) dims[rank++] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Gather with a result of %d dimensions", rank);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  const int64_t n = ctx->outputs[0].n;
  if (n == 0) return check_indices(ctx, t, x->dims[axis], state);
  const int64_t inner = tfc_product(x->rank - (int)axis - 1, x->dims + axis + 1);
  gather_plan p = {.params = x->data,
                   .out = ctx->outputs[0].data,
                   .indices = t,
                   .outer = tfc_product((int)(axis - batch_dims), x->dims + batch_dims),
                   .limit = x->dims[axis],
                   .count = tfc_product(t->rank - (int)batch_dims, t->dims + batch_dims),
                   .bytes = inner * (int64_t)tfc_dtype_size(x->dtype)};
  if (x->dtype == TFC_STRING)
    TFC_TRY(gather_strings(ctx, &p, n / inner, inner));
  else
    tfc_parallel_for(ctx, n / inner, 2 + 0.1 * (double)p.bytes, gather_items, &p);
  if (!p.failed) return TFC_OK;
  TFC_TRY(check_indices(ctx, t, p.limit, state)); /* finds the wrong index */
  return tfc_changed(ctx, "indices");
}

static int gather_v1(tfc_context* ctx) {
  const gather_state plain = {0};
  return gather(ctx, 0, &plain);
}

static int gather_v2(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 2, "axis must be scalar, not"));
  return gather(ctx, tfc_int_scalar(ctx->inputs[2]), ctx->state);
}

static int gather_create(tfc_construction* c, void** state) {
  gather_state* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_int(c, "batch_dims", &s->batch_dims);
  if (rc != TFC_OK) {
    free(s);
    return rc;
  }
  int64_t rows[2];
  int n;
  if (c->api->attr_ints(c, "_rows", 2, rows, &n) == TFC_OK && n == 2) {
    s->first = rows[0];
    s->stride = rows[1];
  }
  *state = s;
  return TFC_OK;
}

/* ---- Indices of several dimensions: GatherNd, ScatterNd, TensorScatter... */

typedef struct nd_index {
  const tfc_tensor* indices;
  int depth;     /* length of an index */
  int64_t count; /* number of indices */
  int64_t inner; /* elements of a slice */
  int64_t strides[TFC_MAX_RANK];
  int64_t limits[TFC_MAX_RANK];
} nd_index;

/* The state of these kernels: whether slices of indices that are out of bounds are left out. */
static int nd_create(tfc_construction* c, void** state) {
  static const bool ignore = true, refuse = false;
  const char* policy;
  size_t size;
  TFC_TRY(c->api->attr_string(c, "bad_indices_policy", &policy, &size));
  const bool known = size == 0 || (size == 7 && !memcmp(policy, "DEFAULT", 7)) ||
                     (size == 5 && !memcmp(policy, "ERROR", 5));
  const bool ignored = size == 6 && !memcmp(policy, "IGNORE", 6);
  if (!known && !ignored)
    return c->api->error(c, TFC_INVALID_ARGUMENT,
                         "bad_indices_policy must be '', DEFAULT, ERROR or IGNORE, not %.*s",
                         (int)TFC_MIN(size, 40), policy);
  *state = (void*)(ignored ? &ignore : &refuse);
  return TFC_OK;
}

/* Element at which the slice of index i starts; -1 if the index is out of bounds. */
static int64_t nd_offset(const nd_index* p, int64_t i) {
  int64_t at = 0;
  for (int d = 0; d < p->depth; d++) {
    const int64_t v = tfc_index_at(p->indices, i * p->depth + d);
    if ((uint64_t)v >= (uint64_t)p->limits[d]) return -1;
    at += v * p->strides[d];
  }
  return at;
}

static int nd_error(tfc_context* ctx, const nd_index* p, int64_t i, const char* what, int rank,
                    const int64_t* dims) {
  char value[160] = "";
  size_t used = 0;
  for (int d = 0; d < p->depth && used < sizeof value - 32; d++)
    used += (size_t)snprintf(value + used, sizeof value - used, d ? ", %lld" : "%lld",
                             (long long)tfc_index_at(p->indices, i * p->depth + d));
  const int lead = p->indices->rank - 1;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices%s = [%s] does not index into %s %s",
                   lead > 0 ? place_text(p->indices, i, lead).text : "", value, what,
                   tfc_dims_text(rank, dims).text);
}

/* Offsets of all slices, in scratch memory, or an error; -1 where the index is to be ignored. */
static int nd_offsets(tfc_context* ctx, const tfc_tensor* t, int rank, const int64_t* dims,
                      const char* what, nd_index* p, int64_t** offsets) {
  p->indices = t;
  p->depth = t->rank ? (int)TFC_MIN(t->dims[t->rank - 1], TFC_MAX_RANK + 1) : 1;
  if (t->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be at least a vector");
  if (p->depth > rank)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "index innermost dimension length must be <= params rank; saw: %lld vs. %d",
                     (long long)t->dims[t->rank - 1], rank);
  int64_t strides[TFC_MAX_RANK];
  tfc_strides(rank, dims, strides);
  for (int d = 0; d < p->depth; d++) {
    p->strides[d] = strides[d];
    p->limits[d] = dims[d];
  }
  p->inner = tfc_product(rank - p->depth, dims + p->depth);
  p->count = tfc_product(t->rank - 1, t->dims);
  *offsets = tfc_scratch_items(ctx, p->count, sizeof(int64_t));
  if (!*offsets) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < p->count; i++) {
    (*offsets)[i] = nd_offset(p, i);
    if ((*offsets)[i] < 0 && !*(const bool*)ctx->state)
      return nd_error(ctx, p, i, what, rank, dims);
  }
  return TFC_OK;
}

typedef struct nd_move {
  const char* from;
  char* to;
  const int64_t* offsets;
  int64_t bytes, size;
} nd_move;

static void gather_nd_items(void* arg, int64_t begin, int64_t end) {
  const nd_move* p = arg;
  for (int64_t i = begin; i < end; i++)
    if (p->offsets[i] >= 0)
      tfc_move_bytes(p->to + i * p->bytes, p->from + p->offsets[i] * p->size, p->bytes);
    else
      memset(p->to + i * p->bytes, 0, (size_t)p->bytes);
}

static int gather_nd(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  nd_index index;
  int64_t* offsets = NULL;
  if (x->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params must be at least a vector");
  TFC_TRY(nd_offsets(ctx, t, x->rank, x->dims, "param shape", &index, &offsets));
  int64_t dims[2 * TFC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < t->rank - 1; i++) dims[rank++] = t->dims[i];
  for (int i = index.depth; i < x->rank; i++) dims[rank++] = x->dims[i];
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "GatherNd with a result of %d dimensions", rank);
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  if (x->dtype == TFC_STRING) {
    for (int64_t i = 0; i < index.count; i++)
      if (offsets[i] >= 0)
        TFC_TRY(copy_slice(ctx, &ctx->outputs[0], i * index.inner, x, offsets[i], index.inner));
    return TFC_OK;
  }
  nd_move p = {.from = x->data,
               .to = ctx->outputs[0].data,
               .offsets = offsets,
               .size = (int64_t)tfc_dtype_size(x->dtype)};
  p.bytes = index.inner * p.size;
  tfc_parallel_for(ctx, index.count, 2 + 0.1 * (double)p.bytes, gather_nd_items, &p);
  return TFC_OK;
}

/* The updates must have one slice for each index. */
static int check_updates(tfc_context* ctx, const nd_index* p, const tfc_tensor* updates, int rank,
                         const int64_t* dims) {
  const tfc_tensor* t = p->indices;
  bool ok = updates->rank == t->rank - 1 + rank - p->depth;
  for (int i = 0; ok && i < t->rank - 1; i++) ok = updates->dims[i] == t->dims[i];
  for (int i = p->depth; ok && i < rank; i++)
    ok = updates->dims[t->rank - 1 + i - p->depth] == dims[i];
  if (!ok)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Dimensions [0,%d) of indices[shape=%s] must match dimensions [0,%d) of "
                     "updates[shape=%s]",
                     t->rank - 1, tfc_shape_text(t).text, t->rank - 1,
                     tfc_shape_text(updates).text);
  return TFC_OK;
}

typedef struct scatter_plan {
  char* y;
  const char* updates;
  const int64_t* offsets;
  tfc_row_fn combine; /* NULL: assign */
  int64_t count, inner, size;
} scatter_plan;

/* Columns [begin, end) of all slices, in the order of the indices: the last assignment wins, and
 * sums do not depend on the number of threads. */
static void scatter_columns(void* arg, int64_t begin, int64_t end) {
  const scatter_plan* p = arg;
  for (int64_t i = 0; i < p->count; i++) {
    if (p->offsets[i] < 0) continue;
    char* to = p->y + (p->offsets[i] + begin) * p->size;
    const char* from = p->updates + (i * p->inner + begin) * p->size;
    if (p->combine)
      p->combine(to, from, end - begin);
    else
      memcpy(to, from, (size_t)((end - begin) * p->size));
  }
}

/* Applies inputs[first] (indices) and inputs[first + 1] (updates) to output 0. */
static int scatter(tfc_context* ctx, const nd_index* index, const int64_t* offsets,
                   const tfc_tensor* updates, tfc_row_fn combine) {
  tfc_tensor* y = &ctx->outputs[0];
  if (updates->n == 0) return TFC_OK;
  if (y->dtype == TFC_STRING) {
    for (int64_t i = 0; i < index->count; i++)
      if (offsets[i] >= 0)
        TFC_TRY(copy_slice(ctx, y, offsets[i], updates, i * index->inner, index->inner));
    return TFC_OK;
  }
  scatter_plan p = {.y = y->data,
                    .updates = updates->data,
                    .offsets = offsets,
                    .combine = combine,
                    .count = index->count,
                    .inner = index->inner,
                    .size = (int64_t)tfc_dtype_size(y->dtype)};
  if (p.inner >= 256)
    tfc_parallel_for(ctx, p.inner, 0.3 * (double)p.count, scatter_columns, &p);
  else
    scatter_columns(&p, 0, p.inner);
  return TFC_OK;
}

static int scatter_nd(tfc_context* ctx) {
  const tfc_tensor* updates = ctx->inputs[1];
  int64_t dims[TFC_MAX_RANK] = {0}, *offsets = NULL;
  int rank = 0;
  nd_index index;
  TFC_TRY(tfc_read_vector(ctx, 2, TFC_MAX_RANK, dims, &rank));
  TFC_TRY(tfc_check_shape(ctx, rank, dims));
  if (tfc_product(rank, dims) == 0 && updates->n > 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Indices and updates specified for empty output shape");
  TFC_TRY(nd_offsets(ctx, ctx->inputs[0], rank, dims, "shape", &index, &offsets));
  TFC_TRY(check_updates(ctx, &index, updates, rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  tfc_fill_zero(ctx, &ctx->outputs[0]);
  return scatter(ctx, &index, offsets, updates, tfc_find_row_op(TFC_ROW_ADD, updates->dtype));
}

static int tensor_scatter(tfc_context* ctx, bool assign, tfc_row_kind kind) {
  const tfc_tensor *x = ctx->inputs[0], *updates = ctx->inputs[2];
  int64_t* offsets = NULL;
  nd_index index;
  const int candidate = 0;
  TFC_TRY(nd_offsets(ctx, ctx->inputs[1], x->rank, x->dims, "shape", &index, &offsets));
  TFC_TRY(check_updates(ctx, &index, updates, x->rank, x->dims));
  if (x->dtype == TFC_STRING)
    TFC_TRY(tfc_output_like(ctx, 0, x));
  else
    TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  if (ctx->outputs[0].data != x->data) TFC_TRY(tfc_copy_tensor(ctx, &ctx->outputs[0], x));
  return scatter(ctx, &index, offsets, updates, assign ? NULL : tfc_find_row_op(kind, x->dtype));
}

static int tensor_scatter_update(tfc_context* ctx) {
  return tensor_scatter(ctx, true, TFC_ROW_ADD);
}
static int tensor_scatter_add(tfc_context* ctx) {
  return tensor_scatter(ctx, false, TFC_ROW_ADD);
}
static int tensor_scatter_sub(tfc_context* ctx) {
  return tensor_scatter(ctx, false, TFC_ROW_SUB);
}
static int tensor_scatter_max(tfc_context* ctx) {
  return tensor_scatter(ctx, false, TFC_ROW_MAX);
}
static int tensor_scatter_min(tfc_context* ctx) {
  return tensor_scatter(ctx, false, TFC_ROW_MIN);
}

#define REAL "T=float|double|half|bfloat16|int8|int16|int32|int64|uint8|uint16|uint32|uint64"
#define NUMBER REAL "|complex64|complex128"

static const tfc_kernel_def indexing[] = {
    {.op = "Gather", .device = "CPU", .types = "", .compute = gather_v1},
    {.op = "GatherV2",
     .device = "CPU",
     .types = "",
     .compute = gather_v2,
     .create = gather_create,
     .destroy = free,
     .host_args = "axis"},
    {.op = "GatherNd", .device = "CPU", .types = "", .compute = gather_nd, .create = nd_create},
    {.op = "ScatterNd",
     .device = "CPU",
     .types = "",
     .compute = scatter_nd,
     .create = nd_create,
     .host_args = "shape"},
    {.op = "TensorScatterUpdate",
     .device = "CPU",
     .types = "",
     .compute = tensor_scatter_update,
     .create = nd_create},
    {.op = "TensorScatterAdd",
     .device = "CPU",
     .types = NUMBER,
     .compute = tensor_scatter_add,
     .create = nd_create},
    {.op = "TensorScatterSub",
     .device = "CPU",
     .types = NUMBER,
     .compute = tensor_scatter_sub,
     .create = nd_create},
    {.op = "TensorScatterMax",
     .device = "CPU",
     .types = REAL,
     .compute = tensor_scatter_max,
     .create = nd_create},
    {.op = "TensorScatterMin",
     .device = "CPU",
     .types = REAL,
     .compute = tensor_scatter_min,
     .create = nd_create},
};
TFC_REGISTER_KERNELS(indexing);
