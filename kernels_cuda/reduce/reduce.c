/* Sum, Mean, Prod, Max, Min, All, Any, EuclideanNorm; L2Loss. int32 is reduced in the host's
 * memory: see reduce/int32.c. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/reduce/launch.h"

typedef struct reduce_state {
  const tfc_function* function;
  bool keep_dims;
  bool changes_single; /* the reduction of one element is not the element */
} reduce_state;

static int read_op(tfc_construction* c, void* state) {
  reduce_state* s = state;
  s->changes_single = !strcmp(c->op_type, "EuclideanNorm");
  TFC_TRY(c->api->attr_bool(c, "keep_dims", &s->keep_dims));
  return tfc_find_function(c, "reduce/reduce", c->op_type, c->input_dtypes[0] % TFC_REF,
                           &s->function);
}
static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(reduce_state), read_op, state);
}

static int compute(tfc_context* ctx) {
  const reduce_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  tfc_reduce_shape shape;
  TFC_TRY(tfc_read_reduce_shape(ctx, s->keep_dims, &shape));
  if (shape.count == 1 && !s->changes_single)
    return tfc_output_view(ctx, 0, 0, 0, shape.rank, shape.dims);
  TFC_TRY(tfc_output(ctx, 0, shape.rank, shape.dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  return tfc_reduce_run(ctx, s->function, x->dtype, x->data, ctx->outputs[0].data, &shape.runs,
                        shape.count);
}

/* ---- L2Loss, which is of nn_basic on the CPU: all elements are reduced. */

static int create_L2Loss(tfc_construction* c, void** state) {
  return tfc_find_function(c, "reduce/reduce", c->op_type, c->input_dtypes[0] % TFC_REF,
                           (const tfc_function**)state);
}

static int compute_L2Loss(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_runs runs = {.n = 1, .dims = {x->n}, .reduced = {true}};
  TFC_TRY(tfc_output_scalar(ctx, 0));
  return tfc_reduce_run(ctx, ctx->state, x->dtype, x->data, ctx->outputs[0].data, &runs, x->n);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Sum", "T=" TFC_TYPES_REALS_BUT_INT32, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("Mean", "T=" TFC_TYPES_REALS_BUT_INT32, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("Prod", "T=" TFC_TYPES_REALS_BUT_INT32, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("Max", "T=" TFC_TYPES_REALS_BUT_INT32, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("Min", "T=" TFC_TYPES_REALS_BUT_INT32, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("All", "", compute, TFC_STATE(create), .host_args = "reduction_indices"),
    TFC_ROW("Any", "", compute, TFC_STATE(create), .host_args = "reduction_indices"),
    TFC_ROW("EuclideanNorm", "T=" TFC_TYPES_FLOATS, compute, TFC_STATE(create),
            .host_args = "reduction_indices"),
    TFC_ROW("L2Loss", "T=" TFC_TYPES_FLOATS, compute_L2Loss, .create = create_L2Loss),
};
TFC_REGISTER_KERNELS(kernels);
