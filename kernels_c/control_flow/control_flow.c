/* The primitives of control flow, which the executor runs itself (tfcore/core/step/flow.c). */
#include "kernels_c/common/devices.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int run_by_executor(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "control flow has no kernel to run");
}

/* Predicates are read on the host, and so are counters of loops. */
#define PRIMITIVE(NAME, HOST, ALL) TFC_STEERS(NAME, "T", run_by_executor, HOST, ALL)
#define OF_REFERENCE(NAME, HOST) TFC_REFERS(NAME, "T", run_by_executor, NULL, HOST)

static const tfc_kernel_def control_flow_kernels[] = {
    PRIMITIVE("Switch", "pred", "data,pred,output_false,output_true"),
    PRIMITIVE("Merge", "value_index", "inputs,output,value_index"),
    PRIMITIVE("Enter", NULL, "data,output"),
    PRIMITIVE("Exit", NULL, "data,output"),
    PRIMITIVE("NextIteration", NULL, "data,output"),
    OF_REFERENCE("RefSwitch", "pred"),
    OF_REFERENCE("RefMerge", "value_index"),
    OF_REFERENCE("RefEnter", NULL),
    OF_REFERENCE("RefExit", NULL),
    OF_REFERENCE("RefNextIteration", NULL),
    TFC_ROW("LoopCond", "", run_by_executor, NULL, NULL, "input,output"),
    TFC_ROW("ControlTrigger", "", run_by_executor, NULL, NULL, NULL),
};
TFC_REGISTER_KERNELS(control_flow_kernels);
