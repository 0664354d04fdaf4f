/* Bits of integers. */
#include "kernels_cuda/cwise/launch.h"

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/bitwise", c->op_type, state);
}

#define UNARY(OP) TFC_GPU_CWISE(OP, "T=" TFC_TYPES_INTEGERS, tfc_cwise_unary)
#define BINARY(OP) TFC_GPU_CWISE(OP, "T=" TFC_TYPES_INTEGERS, tfc_cwise_binary)
static const tfc_kernel_def bitwise[] = {
    BINARY(BitwiseAnd), BINARY(BitwiseOr), BINARY(BitwiseXor),     BINARY(LeftShift),
    BINARY(RightShift), UNARY(Invert),     UNARY(PopulationCount),
};
TFC_REGISTER_KERNELS(bitwise);
