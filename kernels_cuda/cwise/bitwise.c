/* Bits of integers. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/bitwise", c->op_type, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BitwiseAnd", "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("BitwiseOr", "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("BitwiseXor", "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("LeftShift", "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("RightShift", "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Invert", "T=" TFC_TYPES_INTEGERS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("PopulationCount", "T=" TFC_TYPES_INTEGERS, tfc_cwise_unary, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
