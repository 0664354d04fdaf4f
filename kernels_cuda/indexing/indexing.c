/* Gather, GatherNd, ScatterNd, TensorScatter and the ops that scatter into variables. */
#include <stdlib.h>

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/shapes.h"
#include "kernels_c/state/scatter_shapes.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/indexing/launch.h"

/* ---- Gather. */

typedef struct gather_kernel {
  gather_state attributes;
  const tfc_function* function;
} gather_kernel;

static int find_gather(tfc_construction* c, void* state) {
  gather_kernel* s = state;
  TFC_TRY(tfc_find_mover(c, "indexing/indexing", "Gather", c->output_dtypes[0], &s->function));
  return strcmp(c->op_type, "GatherV2") ? TFC_OK : tfc_gather_create(c, &s->attributes);
}
static int gather_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(gather_kernel), find_gather, state);
}

typedef struct gather_report {
  tfc_index_shapes shapes;
  gather_state attributes;
  int64_t limit;
} gather_report;

static int explain_gather(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  const gather_report* g = argument;
  if (!(r->failed & TFC_BAD_INDEX)) return TFC_OK;
  int64_t i, v;
  tfc_reported_index(r, 0, &i, &v);
  tfc_gather_text(&g->shapes, &g->attributes, i, v, g->limit, text, size);
  return TFC_INVALID_ARGUMENT;
}

static int gather(tfc_context* ctx, int64_t axis) {
  const gather_kernel* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  gather_sizes sizes;
  TFC_TRY(tfc_gather_shape(ctx, axis, &s->attributes, &sizes));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  const gather_report about = {tfc_shapes_of_indices(t, -1, 0, NULL), s->attributes, sizes.limit};
  const gather_params p = {.x = x->data,
                           .indices = t->data,
                           .y = ctx->outputs[0].data,
                           .report = tfc_new_report(ctx, explain_gather, &about, sizeof about),
                           .batch = sizes.batch,
                           .outer = sizes.outer,
                           .limit = sizes.limit,
                           .inner = sizes.inner,
                           .n = sizes.count,
                           .wide = t->dtype == TFC_INT64};
  if (!p.report) return TFC_RESOURCE_EXHAUSTED;
  return TFC_LAUNCH(ctx, s->function, gather, &p);
}

static int gather_v1(tfc_context* ctx) {
  return gather(ctx, 0);
}
static int gather_v2(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 2, "axis must be scalar, not"));
  return gather(ctx, tfc_int_scalar(ctx->inputs[2]));
}

/* ---- Indices of several numbers. */

typedef struct nd_kernel {
  bool ignore; /* wrong indices */
  const tfc_function* function;
  index_sorter sorter; /* of updates */
} nd_kernel;

typedef struct nd_report {
  tfc_index_shapes shapes;
  bool ignore;
} nd_report;

static int explain_nd(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  const nd_report* about = argument;
  if (!(r->failed & TFC_BAD_INDEX) || about->ignore) return TFC_OK;
  int64_t i = 0, v[TFC_MAX_DIMS];
  for (int k = 0; k < about->shapes.depth; k++) tfc_reported_index(r, k, &i, &v[k]);
  tfc_nd_text(&about->shapes, i, v, text, size);
  return TFC_INVALID_ARGUMENT;
}

/* The parameters of indices into the first dimensions of a tensor. */
static int make_index(tfc_context* ctx, const tfc_tensor* indices, int64_t n, int64_t inner,
                      const nd_report* about, nd_index* p) {
  const tfc_index_shapes* s = &about->shapes;
  if (s->depth > TFC_MAX_DIMS)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Indices of %d numbers are not supported on a GPU (at most %d)", s->depth,
                     TFC_MAX_DIMS);
  *p = (nd_index){.indices = indices->data,
                  .n = n,
                  .depth = s->depth,
                  .inner = inner,
                  .wide = indices->dtype == TFC_INT64};
  memcpy(p->dims, s->dims, (size_t)s->depth * sizeof *p->dims);
  p->report = tfc_new_report(ctx, explain_nd, about, sizeof *about);
  return p->report ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

static int index_tensor(tfc_context* ctx, const tfc_tensor* indices, const nd_sizes* sizes,
                        int rank, const int64_t* dims, bool params, nd_index* p) {
  const nd_kernel* s = ctx->state;
  nd_report about = {tfc_shapes_of_indices(indices, sizes->depth, rank, dims), s->ignore};
  about.shapes.params = params;
  return make_index(ctx, indices, sizes->count, sizes->inner, &about, p);
}

static int gather_nd(tfc_context* ctx) {
  const nd_kernel* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *t = ctx->inputs[1];
  nd_sizes sizes;
  if (x->rank < 1) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "params must be at least a vector");
  TFC_TRY(tfc_nd_shape(ctx, t, x->rank, x->dims, &sizes));
  TFC_TRY(tfc_gather_nd_output(ctx, &sizes));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  gather_nd_params p = {.x = x->data, .y = ctx->outputs[0].data};
  TFC_TRY(index_tensor(ctx, t, &sizes, x->rank, x->dims, true, &p.index));
  return TFC_LAUNCH(ctx, s->function, gather_nd, &p);
}

/* Applies updates to output 0. */
static int scatter_into_output(tfc_context* ctx, const tfc_tensor* indices, const nd_sizes* sizes,
                               const tfc_tensor* updates) {
  const nd_kernel* s = ctx->state;
  const tfc_tensor* y = &ctx->outputs[0];
  scatter_params p = {.x = y->data, .updates = updates->data, .update_step = 1};
  TFC_TRY(index_tensor(ctx, indices, sizes, y->rank, y->dims, false, &p.index));
  TFC_TRY(tfc_sort_indices(ctx, &s->sorter, s->ignore ? SKIP_WRONG : SKIP_NONE, &p.index));
  return TFC_LAUNCH(ctx, s->function, scatter, &p);
}

static int scatter_nd(tfc_context* ctx) {
  const tfc_tensor *indices = ctx->inputs[0], *updates = ctx->inputs[1];
  int64_t dims[TFC_MAX_RANK];
  int rank = 0;
  nd_sizes sizes;
  TFC_TRY(tfc_scatter_nd_shape(ctx, &rank, dims));
  TFC_TRY(tfc_nd_shape(ctx, indices, rank, dims, &sizes));
  TFC_TRY(tfc_nd_updates(ctx, indices, &sizes, updates, rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  const tfc_tensor* y = &ctx->outputs[0];
  if (y->n == 0) return TFC_OK;
  TFC_TRY(tfc_device_fill(ctx, y->data, 0, (size_t)y->n * tfc_dtype_size(y->dtype)));
  return scatter_into_output(ctx, indices, &sizes, updates);
}

static int tensor_scatter(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  const int candidate = 0;
  nd_sizes sizes;
  TFC_TRY(tfc_nd_shape(ctx, indices, x->rank, x->dims, &sizes));
  TFC_TRY(tfc_nd_updates(ctx, indices, &sizes, updates, x->rank, x->dims));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  if (x->n == 0) return TFC_OK;
  const tfc_tensor* y = &ctx->outputs[0];
  if (y->data != x->data)
    TFC_TRY(tfc_device_copy(ctx, y->data, x->data, (size_t)x->n * tfc_dtype_size(x->dtype)));
  return scatter_into_output(ctx, indices, &sizes, updates);
}

/* The kernel that scatters with the operation at the end of an op's name. */
static int find_scatter(tfc_construction* c, const char* operation, int32_t dtype,
                        const tfc_function** function) {
  char name[32];
  snprintf(name, sizeof name, "Scatter%s", operation);
  const bool moves = !strcmp(operation, "Update");
  return moves ? tfc_find_mover(c, "indexing/indexing", name, dtype, function)
               : tfc_find_function(c, "indexing/indexing", name, dtype, function);
}

static int find_nd(tfc_construction* c, void* state) {
  nd_kernel* s = state;
  static const char tensor_scatter_name[] = "TensorScatter";
  TFC_TRY(tfc_nd_create(c, &s->ignore));
  const int32_t dtype = c->output_dtypes[0];
  if (!strcmp(c->op_type, "GatherNd"))
    return tfc_find_mover(c, "indexing/indexing", "GatherNd", dtype, &s->function);
  TFC_TRY(tfc_find_sorter(c, &s->sorter));
  if (!strcmp(c->op_type, "ScatterNd")) return find_scatter(c, "Add", dtype, &s->function);
  const char* operation = c->op_type + strlen(tensor_scatter_name);
  if (!strcmp(operation, "Max")) operation = "Maximum"; /* unlike ScatterMax, these keep NaN */
  if (!strcmp(operation, "Min")) operation = "Minimum";
  return find_scatter(c, operation, dtype, &s->function);
}

static int nd_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(nd_kernel), find_nd, state);
}

/* ---- Variables. */

typedef struct update_kernel {
  const tfc_function* function;
  index_sorter sorter;
} update_kernel;

static int launch_update(tfc_context* ctx, scatter_params* p) {
  const update_kernel* s = ctx->state;
  TFC_TRY(tfc_sort_indices(ctx, &s->sorter, SKIP_NONE, &p->index));
  return TFC_LAUNCH(ctx, s->function, scatter, p);
}

typedef struct row_report {
  tfc_index_shapes shapes;
  int64_t rows;
} row_report;

static int explain_row(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  const row_report* about = argument;
  if (!(r->failed & TFC_BAD_INDEX)) return TFC_OK;
  int64_t i, v;
  tfc_reported_index(r, 0, &i, &v);
  tfc_row_text(&about->shapes, i, v, about->rows, "", text, size);
  return TFC_INVALID_ARGUMENT;
}

static int scatter_rows(tfc_context* ctx, const tfc_tensor* var) {
  const tfc_tensor *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  TFC_TRY(tfc_scatter_check(ctx, var));
  const int64_t rows = var->dims[0];
  const row_report about = {tfc_shapes_of_indices(indices, -1, 0, NULL), rows};
  scatter_params p = {.x = var->data, .updates = updates->data, .update_step = updates->rank > 0};
  p.index = (nd_index){.indices = indices->data,
                       .n = indices->n,
                       .depth = 1,
                       .inner = rows ? var->n / rows : 1,
                       .dims = {rows},
                       .wide = indices->dtype == TFC_INT64,
                       .report = tfc_new_report(ctx, explain_row, &about, sizeof about)};
  if (!p.index.report) return TFC_RESOURCE_EXHAUSTED;
  return launch_update(ctx, &p);
}

static int scatter_slices(tfc_context* ctx, const tfc_tensor* var) {
  const tfc_tensor *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  int depth;
  int64_t n, slice;
  TFC_TRY(tfc_scatter_nd_check(ctx, var, &depth, &n, &slice));
  const nd_report about = {tfc_scatter_nd_shapes(indices, var), false};
  scatter_params p = {.x = var->data, .updates = updates->data, .update_step = 1};
  TFC_TRY(make_index(ctx, indices, n, slice, &about, &p.index));
  return launch_update(ctx, &p);
}

static int update(tfc_context* ctx, int (*scatter)(tfc_context*, const tfc_tensor*)) {
  const int ref = 0;
  tfc_tensor* var;
  TFC_TRY(tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &var));
  const int code = scatter(ctx, var);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}
static int update_rows(tfc_context* ctx) {
  return update(ctx, scatter_rows);
}
static int update_slices(tfc_context* ctx) {
  return update(ctx, scatter_slices);
}

static int find_update(tfc_construction* c, void* state) {
  update_kernel* s = state;
  const char* operation = c->op_type + strlen("Scatter");
  if (!strncmp(operation, "Nd", 2)) operation += 2;
  TFC_TRY(tfc_find_sorter(c, &s->sorter));
  return find_scatter(c, operation, c->input_dtypes[2], &s->function);
}
static int update_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(update_kernel), find_update, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Gather", "Tparams=" TFC_TYPES_PLAIN, gather_v1, TFC_STATE(gather_create)),
    TFC_ROW("GatherV2", "Tparams=" TFC_TYPES_PLAIN, gather_v2, TFC_STATE(gather_create),
            .host_args = "axis"),
    TFC_ROW("GatherNd", "Tparams=" TFC_TYPES_PLAIN, gather_nd, TFC_STATE(nd_create)),
    TFC_ROW("ScatterNd", "T=" TFC_TYPES_REALS, scatter_nd, TFC_STATE(nd_create),
            .host_args = "shape"),
    TFC_ROW("TensorScatterUpdate", "T=" TFC_TYPES_PLAIN, tensor_scatter, TFC_STATE(nd_create)),
    TFC_ROW("TensorScatterAdd", "T=" TFC_TYPES_REALS, tensor_scatter, TFC_STATE(nd_create)),
    TFC_ROW("TensorScatterSub", "T=" TFC_TYPES_REALS, tensor_scatter, TFC_STATE(nd_create)),
    TFC_ROW("TensorScatterMax", "T=" TFC_TYPES_REALS, tensor_scatter, TFC_STATE(nd_create)),
    TFC_ROW("TensorScatterMin", "T=" TFC_TYPES_REALS, tensor_scatter, TFC_STATE(nd_create)),
    TFC_ROW("ScatterUpdate", "T=" TFC_TYPES_PLAIN_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterAdd", "T=" TFC_TYPES_REALS_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterSub", "T=" TFC_TYPES_REALS_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterMul", "T=" TFC_TYPES_REALS_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterDiv", "T=" TFC_TYPES_FLOATS, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterMin", "T=" TFC_TYPES_REALS_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterMax", "T=" TFC_TYPES_REALS_BUT_INT32, update_rows, TFC_STATE(update_create)),
    TFC_ROW("ScatterNdUpdate", "T=" TFC_TYPES_PLAIN_BUT_INT32, update_slices,
            TFC_STATE(update_create)),
    TFC_ROW("ScatterNdAdd", "T=" TFC_TYPES_REALS_BUT_INT32, update_slices,
            TFC_STATE(update_create)),
    TFC_ROW("ScatterNdSub", "T=" TFC_TYPES_REALS_BUT_INT32, update_slices,
            TFC_STATE(update_create)),
    TFC_ROW("ScatterNdMin", "T=" TFC_TYPES_REALS_BUT_INT32, update_slices,
            TFC_STATE(update_create)),
    TFC_ROW("ScatterNdMax", "T=" TFC_TYPES_REALS_BUT_INT32, update_slices,
            TFC_STATE(update_create)),
};
TFC_REGISTER_KERNELS(kernels);
