/* NoOp: an operation for its control edges only. */
#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int no_op(tfc_context* ctx) {
  (void)ctx;
  return TFC_OK;
}

static const tfc_kernel_def control_kernels[] = {
    {.op = "NoOp", .device = TFC_DEVICE, .types = "", .compute = no_op},
};
TFC_REGISTER_KERNELS(control_kernels);
