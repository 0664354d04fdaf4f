/* Tensor arrays of TensorFlow before 1.0, whose handles are strings. The compiler replaces these
 * ops by those of tensor_array.c before it makes kernels; the table registers their types.
 */
#include <tfcore/kernel.h>

static int replaced(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INTERNAL, "an op that the compiler replaces");
}

#define REPLACED(NAME) {.op = NAME, .device = "CPU", .types = "", .compute = replaced}

static const tfc_kernel_def tensor_array_legacy[] = {
    REPLACED("TensorArray"),        REPLACED("TensorArrayV2"),
    REPLACED("TensorArrayGrad"),    REPLACED("TensorArrayGradV2"),
    REPLACED("TensorArrayWrite"),   REPLACED("TensorArrayWriteV2"),
    REPLACED("TensorArrayRead"),    REPLACED("TensorArrayReadV2"),
    REPLACED("TensorArrayGather"),  REPLACED("TensorArrayGatherV2"),
    REPLACED("TensorArrayScatter"), REPLACED("TensorArrayScatterV2"),
    REPLACED("TensorArrayConcat"),  REPLACED("TensorArrayConcatV2"),
    REPLACED("TensorArraySplit"),   REPLACED("TensorArraySplitV2"),
    REPLACED("TensorArraySize"),    REPLACED("TensorArraySizeV2"),
    REPLACED("TensorArrayClose"),   REPLACED("TensorArrayCloseV2"),
    REPLACED("TensorArrayPack"),    REPLACED("TensorArrayUnpack"),
};
TFC_REGISTER_KERNELS(tensor_array_legacy);
