/* Tensor arrays of TensorFlow before 1.0, whose handles are strings. The compiler replaces these
 * ops by those of tensor_array.c before it makes kernels; the table registers their types.
 */
#include "kernels_c/common/kernel_table.h"

static int replaced(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "an op that the compiler replaces");
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("TensorArray", "", replaced),        TFC_ROW("TensorArrayV2", "", replaced),
    TFC_ROW("TensorArrayGrad", "", replaced),    TFC_ROW("TensorArrayGradV2", "", replaced),
    TFC_ROW("TensorArrayWrite", "", replaced),   TFC_ROW("TensorArrayWriteV2", "", replaced),
    TFC_ROW("TensorArrayRead", "", replaced),    TFC_ROW("TensorArrayReadV2", "", replaced),
    TFC_ROW("TensorArrayGather", "", replaced),  TFC_ROW("TensorArrayGatherV2", "", replaced),
    TFC_ROW("TensorArrayScatter", "", replaced), TFC_ROW("TensorArrayScatterV2", "", replaced),
    TFC_ROW("TensorArrayConcat", "", replaced),  TFC_ROW("TensorArrayConcatV2", "", replaced),
    TFC_ROW("TensorArraySplit", "", replaced),   TFC_ROW("TensorArraySplitV2", "", replaced),
    TFC_ROW("TensorArraySize", "", replaced),    TFC_ROW("TensorArraySizeV2", "", replaced),
    TFC_ROW("TensorArrayClose", "", replaced),   TFC_ROW("TensorArrayCloseV2", "", replaced),
    TFC_ROW("TensorArrayPack", "", replaced),    TFC_ROW("TensorArrayUnpack", "", replaced),
};
TFC_REGISTER_KERNELS(kernels);
