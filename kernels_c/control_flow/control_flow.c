/* The primitives of control flow, which the executor runs itself (tfcore/core/step/flow.c). */
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int run_by_executor(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "control flow has no kernel to run");
}

/* Predicates are read on the host, and so are counters of loops. */

static const tfc_kernel_def kernels[] = {
    TFC_STEERS("Switch", "T", run_by_executor, "pred", "data,pred,output_false,output_true"),
    TFC_STEERS("Merge", "T", run_by_executor, "value_index", "inputs,output,value_index"),
    TFC_STEERS("Enter", "T", run_by_executor, NULL, "data,output"),
    TFC_STEERS("Exit", "T", run_by_executor, NULL, "data,output"),
    TFC_STEERS("NextIteration", "T", run_by_executor, NULL, "data,output"),
    TFC_ROW("RefSwitch", TFC_BUT_INT32("T"), run_by_executor, .host_args = "pred"),
    TFC_ROW("RefMerge", TFC_BUT_INT32("T"), run_by_executor, .host_args = "value_index"),
    TFC_ROW("RefEnter", TFC_BUT_INT32("T"), run_by_executor),
    TFC_ROW("RefExit", TFC_BUT_INT32("T"), run_by_executor),
    TFC_ROW("RefNextIteration", TFC_BUT_INT32("T"), run_by_executor),
    TFC_ROW("LoopCond", "", run_by_executor, .host_args = "input,output"),
    TFC_ROW("ControlTrigger", "", run_by_executor),
};
TFC_REGISTER_KERNELS(kernels);
