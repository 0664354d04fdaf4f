/* Unsorted segments: scatters into rows that hold what a segment without rows is. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/reduce/segment_shapes.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"
#include "kernels_cuda/indexing/launch.h"

typedef struct segment_op {
  const char *op, *scatter;
  double empty;
} segment_op;

static const segment_op ops[] = {
    {"UnsortedSegmentSum", "ScatterAdd", 0},
    {"UnsortedSegmentProd", "ScatterMul", 1},
    {"UnsortedSegmentMax", "ScatterMaximum", -INFINITY},
    {"UnsortedSegmentMin", "ScatterMinimum", INFINITY},
};

typedef struct segment_state {
  const segment_op* op;
  const tfc_function *fill, *scatter;
  index_sorter sorter;
} segment_state;

static int find_functions(tfc_construction* c, void* state) {
  segment_state* s = state;
  const int32_t dtype = c->output_dtypes[0];
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
    if (!strcmp(ops[i].op, c->op_type)) s->op = &ops[i];
  TFC_TRY(tfc_find_sorter(c, &s->sorter));
  TFC_TRY(tfc_find_mover(c, "array/constants", "Fill", dtype, &s->fill));
  return tfc_find_function(c, "indexing/indexing", s->op->scatter, dtype, &s->scatter);
}

static int segment_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(segment_state), find_functions, state);
}

typedef struct segment_report {
  tfc_index_shapes ids;
  int64_t segments;
} segment_report;

static int explain_segment(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  const segment_report* about = argument;
  if (!(r->failed & TFC_BAD_INDEX)) return TFC_OK;
  int64_t i, id;
  tfc_reported_index(r, 0, &i, &id);
  tfc_segment_text(&about->ids, "segment_ids", i, id, about->segments, text, size);
  return TFC_INVALID_ARGUMENT;
}

static int unsorted(tfc_context* ctx) {
  const segment_state* s = ctx->state;
  const tfc_tensor *x = ctx->inputs[0], *ids = ctx->inputs[1];
  int64_t segments;
  TFC_TRY(tfc_unsorted_check(ctx, &segments));
  TFC_TRY(tfc_segment_output(ctx, segments, ids->rank));
  const tfc_tensor* y = &ctx->outputs[0];
  cwise_fill_params fill = {.y = y->data, .n = y->n};
  tfc_segment_empty(y->dtype, s->op->empty, fill.value);
  TFC_TRY(TFC_LAUNCH(ctx, s->fill, cwise_fill, &fill));
  if (x->n == 0) return TFC_OK;
  const segment_report about = {tfc_shapes_of_indices(ids, -1, 0, NULL), segments};
  scatter_params p = {.x = y->data, .updates = x->data, .update_step = 1, .replace = 1};
  p.index = (nd_index){.indices = ids->data,
                       .n = ids->n,
                       .depth = 1,
                       .inner = x->n / ids->n,
                       .dims = {segments},
                       .wide = ids->dtype == TFC_INT64,
                       .report = tfc_new_report(ctx, explain_segment, &about, sizeof about)};
  if (!p.index.report) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(tfc_sort_indices(ctx, &s->sorter, SKIP_NEGATIVE, &p.index));
  return TFC_LAUNCH(ctx, s->scatter, scatter, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("UnsortedSegmentSum", "T=" TFC_TYPES_REALS, unsorted, TFC_STATE(segment_create),
            .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentProd", "T=" TFC_TYPES_REALS, unsorted, TFC_STATE(segment_create),
            .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentMax", "T=" TFC_TYPES_REALS, unsorted, TFC_STATE(segment_create),
            .host_args = "num_segments"),
    TFC_ROW("UnsortedSegmentMin", "T=" TFC_TYPES_REALS, unsorted, TFC_STATE(segment_create),
            .host_args = "num_segments"),
};
TFC_REGISTER_KERNELS(kernels);
