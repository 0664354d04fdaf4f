/* NoOp: an operation for its control edges only. */
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

static int no_op(tfc_context* ctx) {
  (void)ctx;
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("NoOp", "", no_op),
};
TFC_REGISTER_KERNELS(kernels);
