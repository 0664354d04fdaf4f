/* Arithmetic on two operands. int32 is left to kernels_c/cwise/binary.c, in the host's memory. */
#include "kernels_cuda/cwise/launch.h"

static bool is_integer(int32_t dtype) {
  return dtype != TFC_FLOAT && dtype != TFC_DOUBLE && !tfc_is_16bit_float(dtype);
}

/* Ops that other names stand for. */
static const char* function_of(const char* op, bool integer) {
  if (!strcmp(op, "AddV2")) return "Add";
  if (!strcmp(op, "RealDiv")) return "Div";
  if (!strcmp(op, "Mod")) return "TruncateMod";
  if (integer && !strcmp(op, "Div")) return "TruncateDiv";
  return op;
}

static int create(tfc_construction* c, void** state) {
  static const char* const reporting[] = {"TruncateDiv", "FloorDiv", "TruncateMod", "FloorMod",
                                          "Pow"};
  const bool integer = is_integer(c->input_dtypes[0] % TFC_REF);
  const char* name = function_of(c->op_type, integer);
  TFC_TRY(tfc_cwise_create(c, "cwise/binary", name, state));
  for (int i = 0; i < (int)(sizeof reporting / sizeof *reporting); i++)
    if (integer && !strcmp(name, reporting[i])) ((cwise_state*)*state)->reports = true;
  return TFC_OK;
}

#define BINARY(OP, TYPES) TFC_GPU_CWISE(OP, "T=" TYPES, tfc_cwise_binary)
static const tfc_kernel_def cwise_binary[] = {
    BINARY(Add, TFC_TYPES_FLOATS "|uint8|" TFC_TYPES_DEVICE_SIGNED),
    BINARY(AddV2, TFC_TYPES_DEVICE_REALS),
    BINARY(Sub, TFC_TYPES_DEVICE_REALS),
    BINARY(Mul, TFC_TYPES_DEVICE_REALS),
    BINARY(MulNoNan, TFC_TYPES_FLOATS),
    BINARY(SquaredDifference, TFC_TYPES_FLOATS "|int64"),
    BINARY(Maximum, TFC_TYPES_DEVICE_REALS),
    BINARY(Minimum, TFC_TYPES_DEVICE_REALS),
    BINARY(Div, TFC_TYPES_DEVICE_REALS),
    BINARY(RealDiv, TFC_TYPES_FLOATS),
    BINARY(DivNoNan, TFC_TYPES_FLOATS),
    BINARY(Xdivy, TFC_TYPES_FLOATS),
    BINARY(TruncateDiv, TFC_TYPES_DEVICE_REALS),
    BINARY(FloorDiv, TFC_TYPES_DEVICE_REALS),
    BINARY(Mod, TFC_TYPES_FLOATS "|int64"),
    BINARY(TruncateMod, TFC_TYPES_FLOATS "|int64"),
    BINARY(FloorMod, TFC_TYPES_DEVICE_REALS),
    BINARY(Atan2, TFC_TYPES_FLOATS),
    BINARY(Xlogy, TFC_TYPES_FLOATS),
    BINARY(Xlog1py, TFC_TYPES_FLOATS),
    BINARY(Pow, TFC_TYPES_FLOATS "|" TFC_TYPES_DEVICE_SIGNED),
};
TFC_REGISTER_KERNELS(cwise_binary);
