/* Gather and scatter: rows chosen by indices. Each index is read once, checked, and used. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/index_text.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/rows.h"
#include "kernels_c/indexing/shapes.h"

/* Copies `size` bytes, or one string after the other. */
static int copy_slice(tfc_context* ctx, tfc_tensor* y, int64_t to, const tfc_tensor* x,
                      int64_t from, int64_t n) {
  const tfc_box box = {.rank = 1, .dims = {n}, .to = {1}, .from = {1}};
  return tfc_copy_box(ctx, y, to, x, from, &box);
}

/* ---- Gather */

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
    const tfc_index_shapes shapes = tfc_shapes_of_indices(t, -1, 0, NULL);
    char text[512];
    tfc_gather_text(&shapes, state, i, v, limit, text, sizeof text);
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
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
  gather_sizes sizes;
  TFC_TRY(tfc_gather_shape(ctx, axis, state, &sizes));
  const int64_t n = ctx->outputs[0].n, inner = sizes.inner;
  if (n == 0) return check_indices(ctx, t, sizes.limit, state);
  gather_plan p = {.params = x->data,
                   .out = ctx->outputs[0].data,
                   .indices = t,
                   .outer = sizes.outer,
                   .limit = sizes.limit,
                   .count = sizes.count,
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
  const int rc = tfc_gather_create(c, s);
  if (rc == TFC_OK)
    *state = s;
  else
    free(s);
  return rc;
}

/* ---- Indices of several dimensions: GatherNd, ScatterNd, TensorScatter... */

typedef struct nd_index {
  const tfc_tensor* indices;
  nd_sizes sizes;
  int64_t strides[TFC_MAX_RANK];
  int64_t limits[TFC_MAX_RANK];
} nd_index;

/* The state of these kernels: whether slices of indices that are out of bounds are left out. */
static int nd_create(tfc_construction* c, void** state) {
  static const bool yes = true, no = false;
  bool ignore;
  TFC_TRY(tfc_nd_create(c, &ignore));
  *state = (void*)(ignore ? &yes : &no);
  return TFC_OK;
}

/* Element at which the slice of index i starts; -1 if the index is out of bounds. */
static int64_t nd_offset(const nd_index* p, int64_t i) {
  int64_t at = 0;
  for (int d = 0; d < p->sizes.depth; d++) {
    const int64_t v = tfc_index_at(p->indices, i * p->sizes.depth + d);
    if ((uint64_t)v >= (uint64_t)p->limits[d]) return -1;
    at += v * p->strides[d];
  }
  return at;
}

static int nd_error(tfc_context* ctx, const nd_index* p, int64_t i, bool params, int rank,
                    const int64_t* dims) {
  tfc_index_shapes shapes = tfc_shapes_of_indices(p->indices, p->sizes.depth, rank, dims);
  shapes.params = params;
  int64_t index[TFC_MAX_RANK];
  for (int d = 0; d < p->sizes.depth; d++)
    index[d] = tfc_index_at(p->indices, i * p->sizes.depth + d);
  char text[1024];
  tfc_nd_text(&shapes, i, index, text, sizeof text);
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
}

/* Offsets of all slices, in scratch memory, or an error; -1 where the index is to be ignored. */
static int nd_offsets(tfc_context* ctx, const tfc_tensor* t, int rank, const int64_t* dims,
                      bool params, nd_index* p, int64_t** offsets) {
  p->indices = t;
  TFC_TRY(tfc_nd_shape(ctx, t, rank, dims, &p->sizes));
  int64_t strides[TFC_MAX_RANK];
  tfc_strides(rank, dims, strides);
  for (int d = 0; d < p->sizes.depth; d++) {
    p->strides[d] = strides[d];
    p->limits[d] = dims[d];
  }
  *offsets = tfc_scratch_items(ctx, p->sizes.count, sizeof(int64_t));
  if (!*offsets) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < p->sizes.count; i++) {
    (*offsets)[i] = nd_offset(p, i);
    if ((*offsets)[i] < 0 && !*(const bool*)ctx->state)
      return nd_error(ctx, p, i, params, rank, dims);
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
  TFC_TRY(nd_offsets(ctx, t, x->rank, x->dims, true, &index, &offsets));
  TFC_TRY(tfc_gather_nd_output(ctx, &index.sizes));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  if (x->dtype == TFC_STRING) {
    for (int64_t i = 0; i < index.sizes.count; i++)
      if (offsets[i] >= 0)
        TFC_TRY(copy_slice(ctx, &ctx->outputs[0], i * index.sizes.inner, x, offsets[i],
                           index.sizes.inner));
    return TFC_OK;
  }
  nd_move p = {.from = x->data,
               .to = ctx->outputs[0].data,
               .offsets = offsets,
               .size = (int64_t)tfc_dtype_size(x->dtype)};
  p.bytes = index.sizes.inner * p.size;
  tfc_parallel_for(ctx, index.sizes.count, 2 + 0.1 * (double)p.bytes, gather_nd_items, &p);
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
    for (int64_t i = 0; i < index->sizes.count; i++)
      if (offsets[i] >= 0)
        TFC_TRY(
            copy_slice(ctx, y, offsets[i], updates, i * index->sizes.inner, index->sizes.inner));
    return TFC_OK;
  }
  scatter_plan p = {.y = y->data,
                    .updates = updates->data,
                    .offsets = offsets,
                    .combine = combine,
                    .count = index->sizes.count,
                    .inner = index->sizes.inner,
                    .size = (int64_t)tfc_dtype_size(y->dtype)};
  if (p.inner >= 256)
    tfc_parallel_for(ctx, p.inner, 0.3 * (double)p.count, scatter_columns, &p);
  else
    scatter_columns(&p, 0, p.inner);
  return TFC_OK;
}

static int scatter_nd(tfc_context* ctx) {
  const tfc_tensor* updates = ctx->inputs[1];
  int64_t dims[TFC_MAX_RANK], *offsets = NULL;
  int rank = 0;
  nd_index index;
  TFC_TRY(tfc_scatter_nd_shape(ctx, &rank, dims));
  TFC_TRY(nd_offsets(ctx, ctx->inputs[0], rank, dims, false, &index, &offsets));
  TFC_TRY(tfc_nd_updates(ctx, ctx->inputs[0], &index.sizes, updates, rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  TFC_TRY(tfc_fill_zero(ctx, &ctx->outputs[0]));
  return scatter(ctx, &index, offsets, updates, tfc_find_row_op(TFC_ROW_ADD, updates->dtype));
}

static int tensor_scatter(tfc_context* ctx, bool assign, tfc_row_kind kind) {
  const tfc_tensor *x = ctx->inputs[0], *updates = ctx->inputs[2];
  int64_t* offsets = NULL;
  nd_index index;
  const int candidate = 0;
  TFC_TRY(nd_offsets(ctx, ctx->inputs[1], x->rank, x->dims, false, &index, &offsets));
  TFC_TRY(tfc_nd_updates(ctx, ctx->inputs[1], &index.sizes, updates, x->rank, x->dims));
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

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Gather", "", gather_v1),
    TFC_ROW("GatherV2", "", gather_v2, TFC_STATE(gather_create), .host_args = "axis"),
    TFC_ROW("GatherNd", "", gather_nd, .create = nd_create),
    TFC_ROW("ScatterNd", "T=" TFC_TYPES_VALUES, scatter_nd, .create = nd_create,
            .host_args = "shape"),
    TFC_ROW("TensorScatterUpdate", "", tensor_scatter_update, .create = nd_create),
    TFC_ROW("TensorScatterAdd", "T=" TFC_TYPES_NUMBERS, tensor_scatter_add, .create = nd_create),
    TFC_ROW("TensorScatterSub", "T=" TFC_TYPES_NUMBERS, tensor_scatter_sub, .create = nd_create),
    TFC_ROW("TensorScatterMax", "T=" TFC_TYPES_REALS, tensor_scatter_max, .create = nd_create),
    TFC_ROW("TensorScatterMin", "T=" TFC_TYPES_REALS, tensor_scatter_min, .create = nd_create),
};
TFC_REGISTER_KERNELS(kernels);
