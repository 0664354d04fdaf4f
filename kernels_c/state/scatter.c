/* Updates of slices of a variable: ScatterUpdate, ScatterAdd, ... and their Nd forms.
 *
 * All indices are checked before anything is written, so a failed op changes nothing. Slices are
 * then applied in order; threads own disjoint parts of the variable, so duplicate indices add up
 * without atomics and the result does not depend on the number of threads. */
#include "kernels_c/common/index_text.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/state/scatter_shapes.h"
#include "kernels_c/state/state.h"

TFC_ONE_LEVEL;

typedef struct {
  scatter_row_fn row;
  char* dst;
  const char* updates;
  const int64_t* slots; /* which slice of the variable the i-th update belongs to */
  int64_t n;            /* number of updates */
  int64_t slice;        /* elements of a slice */
  int64_t n_slots;      /* slices of the variable */
  int64_t step;         /* 0: one scalar updates everything */
  size_t item;
  int64_t parts;
} scatter_job;

static void scatter_all(const scatter_job* job, int64_t first, int64_t last) {
  const size_t stride = (size_t)job->slice * job->item;
  for (int64_t i = 0; i < job->n; i++) {
    const int64_t slot = job->slots[i];
    if (slot < first || slot >= last) continue;
    job->row(job->dst + (size_t)slot * stride, job->updates + (job->step ? (size_t)i * stride : 0),
             job->slice, job->step);
  }
}

/* Part p of the variable, whatever thread runs it. */
static void scatter_parts(void* arg, int64_t begin, int64_t end) {
  const scatter_job* job = arg;
  scatter_all(job, job->n_slots * begin / job->parts, job->n_slots * end / job->parts);
}

/* Strings own memory, so they are set one by one. */
static int scatter_strings(tfc_context* ctx, tfc_tensor* var, const tfc_tensor* updates,
                           const scatter_job* job) {
  const tfc_string* text = updates->data;
  for (int64_t i = 0; i < job->n * job->slice; i++) {
    const tfc_string* s = text + (job->step ? i : 0);
    const int64_t at = job->slots[i / job->slice] * job->slice + i % job->slice;
    const int code = tfc_string_set(ctx, var, at, s->data, s->size);
    if (code != TFC_OK) return code;
  }
  return TFC_OK;
}

static int apply(tfc_context* ctx, scatter_op op, tfc_tensor* var, const tfc_tensor* updates,
                 scatter_job* job) {
  if (job->n == 0 || job->slice == 0) return TFC_OK;
  if (var->dtype == TFC_STRING) return scatter_strings(ctx, var, updates, job);
  job->row = tfc_scatter_row(op, var->dtype);
  job->item = tfc_dtype_size(var->dtype);
  job->dst = var->data;
  job->updates = updates->data;
  if (op == SCATTER_DIV) {
    /* A copy, because the user may write a zero to a fed array after the check. */
    tfc_tensor divisors = *updates;
    divisors.data = tfc_scratch(ctx, (size_t)updates->n * job->item + 1);
    if (!divisors.data) return TFC_RESOURCE_EXHAUSTED;
    memcpy(divisors.data, updates->data, (size_t)updates->n * job->item);
    if (tfc_has_integer_zero(&divisors))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Integer division by zero");
    job->updates = divisors.data;
  }
  const double work = (double)job->n * (2 + 0.1 * (double)job->slice * (double)job->item);
  if (work < 5e4 || job->n_slots < 64) {
    scatter_all(job, 0, job->n_slots);
    return TFC_OK;
  }
  job->parts = ctx->api->max_threads(ctx);
  tfc_parallel_for(ctx, job->parts, work / (double)job->parts, scatter_parts, job);
  return TFC_OK;
}

/* ---- ScatterUpdate, ScatterAdd, ...: updates[i...] go to var[indices[i...]]. */

static int scatter_rows(tfc_context* ctx, scatter_op op, tfc_tensor* var) {
  const tfc_tensor *indices = ctx->inputs[1], *updates = ctx->inputs[2];
  TFC_TRY(tfc_scatter_check(ctx, var));
  const int64_t rows = var->dims[0];
  int64_t* slots = tfc_scratch(ctx, sizeof *slots * (size_t)indices->n + 1);
  if (!slots) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < indices->n; i++) {
    const int64_t row = tfc_index_at(indices, i);
    if (row < 0 || row >= rows) {
      const tfc_index_shapes shapes = tfc_shapes_of_indices(indices, -1, 0, NULL);
      char text[512];
      tfc_row_text(&shapes, i, row, rows, "", text, sizeof text);
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
    }
    slots[i] = row;
  }
  scatter_job job = {.slots = slots,
                     .n = indices->n,
                     .slice = rows ? var->n / rows : 0,
                     .n_slots = rows,
                     .step = updates->rank > 0};
  return apply(ctx, op, var, updates, &job);
}

/* ---- ScatterNdUpdate, ...: the last dimension of indices is a position in the variable. */

static int nd_position_error(tfc_context* ctx, const tfc_tensor* var, int64_t i, int depth) {
  const tfc_index_shapes shapes = tfc_scatter_nd_shapes(ctx->inputs[1], var);
  int64_t index[TFC_MAX_RANK];
  for (int d = 0; d < depth; d++) index[d] = tfc_index_at(ctx->inputs[1], i * depth + d);
  char text[1024];
  tfc_nd_text(&shapes, i, index, text, sizeof text);
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", text);
}

static int scatter_nd(tfc_context* ctx, scatter_op op, tfc_tensor* var) {
  const tfc_tensor* indices = ctx->inputs[1];
  int64_t n, slice;
  int depth;
  TFC_TRY(tfc_scatter_nd_check(ctx, var, &depth, &n, &slice));
  int64_t n_slots = 1;
  for (int d = 0; d < depth; d++) n_slots *= var->dims[d];
  int64_t* slots = tfc_scratch(ctx, sizeof *slots * (size_t)n + 1);
  if (!slots) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0; i < n; i++) {
    int64_t slot = 0;
    for (int d = 0; d < depth; d++) {
      const int64_t at = tfc_index_at(indices, i * depth + d);
      if (at < 0 || at >= var->dims[d]) return nd_position_error(ctx, var, i, depth);
      slot = slot * var->dims[d] + at;
    }
    slots[i] = slot;
  }
  scatter_job job = {.slots = slots, .n = n, .slice = slice, .n_slots = n_slots, .step = 1};
  return apply(ctx, op, var, ctx->inputs[2], &job);
}

/* ---- Registration. The state of a kernel is its operation. */

typedef struct {
  const char* op;
  scatter_op action;
  int (*run)(tfc_context*, scatter_op, tfc_tensor*);
} scatter_kind;

static const scatter_kind kinds[] = {
    {"ScatterUpdate", SCATTER_UPDATE, scatter_rows},
    {"ScatterAdd", SCATTER_ADD, scatter_rows},
    {"ScatterSub", SCATTER_SUB, scatter_rows},
    {"ScatterMul", SCATTER_MUL, scatter_rows},
    {"ScatterDiv", SCATTER_DIV, scatter_rows},
    {"ScatterMin", SCATTER_MIN, scatter_rows},
    {"ScatterMax", SCATTER_MAX, scatter_rows},
    {"ScatterNdUpdate", SCATTER_UPDATE, scatter_nd},
    {"ScatterNdAdd", SCATTER_ADD, scatter_nd},
    {"ScatterNdSub", SCATTER_SUB, scatter_nd},
    {"ScatterNdMin", SCATTER_MIN, scatter_nd},
    {"ScatterNdMax", SCATTER_MAX, scatter_nd},
};

static int scatter_create(tfc_construction* c, void** state) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (!strcmp(kinds[i].op, c->op_type)) {
      *state = (void*)&kinds[i];
      return TFC_OK;
    }
  }
  return c->api->error(c, TFC_INTERNAL, "Not a scatter operation: %s", c->op_type);
}

static int scatter(tfc_context* ctx) {
  const scatter_kind* kind = ctx->state;
  const int ref = 0;
  tfc_tensor* var;
  const unsigned rows = tfc_ref_rows(1, kind->run == scatter_nd);
  int code = tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE | rows, &var);
  if (code != TFC_OK) return code;
  code = kind->run(ctx, kind->action, var);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ScatterUpdate", "Tindices=" TFC_TYPES_INDICES, scatter, .create = scatter_create),
    TFC_ROW("ScatterAdd", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterSub", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterMul", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterDiv", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterMin",
            "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterMax",
            "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_INDICES ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterNdUpdate", "Tindices=" TFC_TYPES_INDICES, scatter, .create = scatter_create),
    TFC_ROW("ScatterNdAdd", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterNdSub", "T=" TFC_TYPES_NUMBERS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterNdMin", "T=" TFC_TYPES_REALS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
    TFC_ROW("ScatterNdMax", "T=" TFC_TYPES_REALS ";Tindices=" TFC_TYPES_INDICES, scatter,
            .create = scatter_create),
};
TFC_REGISTER_KERNELS(kernels);
