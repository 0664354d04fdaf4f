/* ArgMax and ArgMin. */
#include "kernels_c/reduce/arg.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/reduce/reduce.h"

static int create(tfc_construction* c, void** state) {
  const int32_t dtype = c->input_dtypes[0] % TFC_REF;
  return tfc_find_function(c, "reduce/arg", c->op_type, dtype == TFC_BOOL ? TFC_UINT8 : dtype,
                           (const tfc_function**)state);
}

static int compute(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const tfc_tensor* y = &ctx->outputs[0];
  int axis = 0;
  TFC_TRY(tfc_arg_output(ctx, &axis));
  if (y->n == 0) return TFC_OK;
  reduce_arg_params p = {.x = x->data,
                         .y = y->data,
                         .outer = tfc_product(axis, x->dims),
                         .reduced = x->dims[axis],
                         .inner = tfc_product(x->rank - axis - 1, x->dims + axis + 1),
                         .wide = y->dtype == TFC_INT64};
  reduce_arg_plan(&p);
  return TFC_LAUNCH(ctx, ctx->state, reduce_arg, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ArgMax", "T=" TFC_TYPES_REALS "|bool", compute, .create = create,
            .host_args = "dimension"),
    TFC_ROW("ArgMin", "T=" TFC_TYPES_REALS "|bool", compute, .create = create,
            .host_args = "dimension"),
};
TFC_REGISTER_KERNELS(kernels);
