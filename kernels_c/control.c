/* NoOp: an operation that only its control edges make useful. And the primitives of control flow,
 * which the executor runs itself (tfcore/core/flow.c). */
#include <tfcore/kernel.h>

static int no_op(tfc_context* ctx) {
  (void)ctx;
  return TFC_OK;
}

static int run_by_executor(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "control flow has no kernel to run");
}

#define PRIMITIVE(NAME) {.op = NAME, .device = "CPU", .types = "", .compute = run_by_executor}

static const tfc_kernel_def control_kernels[] = {
    {.op = "NoOp", .device = "CPU", .types = "", .compute = no_op},
    PRIMITIVE("Switch"),
    PRIMITIVE("RefSwitch"),
    PRIMITIVE("Merge"),
    PRIMITIVE("RefMerge"),
    PRIMITIVE("Enter"),
    PRIMITIVE("RefEnter"),
    PRIMITIVE("Exit"),
    PRIMITIVE("RefExit"),
    PRIMITIVE("NextIteration"),
    PRIMITIVE("RefNextIteration"),
    PRIMITIVE("LoopCond"),
    PRIMITIVE("ControlTrigger"),
};
TFC_REGISTER_KERNELS(control_kernels);
