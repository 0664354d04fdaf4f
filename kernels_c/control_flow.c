/* The primitives of control flow, which the executor runs itself (tfcore/core/flow.c). */
#include <tfcore/kernel.h>

static int run_by_executor(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "control flow has no kernel to run");
}

#define PRIMITIVE(NAME) {.op = NAME, .device = "CPU", .types = "", .compute = run_by_executor}

static const tfc_kernel_def control_flow_kernels[] = {
    PRIMITIVE("Switch"),        PRIMITIVE("RefSwitch"),
    PRIMITIVE("Merge"),         PRIMITIVE("RefMerge"),
    PRIMITIVE("Enter"),         PRIMITIVE("RefEnter"),
    PRIMITIVE("Exit"),          PRIMITIVE("RefExit"),
    PRIMITIVE("NextIteration"), PRIMITIVE("RefNextIteration"),
    PRIMITIVE("LoopCond"),      PRIMITIVE("ControlTrigger"),
};
TFC_REGISTER_KERNELS(control_flow_kernels);
