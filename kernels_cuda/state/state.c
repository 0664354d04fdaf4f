/* AssignAdd and AssignSub: Add and Sub, in place. */
#include "kernels_c/state/state.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"

static int update_create(tfc_construction* c, void** state) {
  const char* name = c->op_type + strlen("Assign");
  return tfc_find_function(c, "cwise/binary", name, c->input_dtypes[1],
                           (const tfc_function**)state);
}

static int update_locked(tfc_context* ctx, tfc_tensor* var) {
  const tfc_tensor* value = ctx->inputs[1];
  TFC_TRY(tfc_check_update(ctx, var, value));
  const cwise_binary_params p = {.x = var->data,
                                 .y = value->data,
                                 .z = var->data,
                                 .n = var->n,
                                 .rank = 1,
                                 .dims = {var->n},
                                 .x_stride = {1},
                                 .y_stride = {1}};
  return TFC_LAUNCH(ctx, ctx->state, cwise_binary, &p);
}

static int update_compute(tfc_context* ctx) {
  const int ref = 0;
  tfc_tensor* var;
  TFC_TRY(tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &var));
  const int code = update_locked(ctx, var);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("AssignAdd", "T=" TFC_TYPES_REALS_BUT_INT32, update_compute, .create = update_create),
    TFC_ROW("AssignSub", "T=" TFC_TYPES_REALS_BUT_INT32, update_compute, .create = update_create),
};
TFC_REGISTER_KERNELS(kernels);
