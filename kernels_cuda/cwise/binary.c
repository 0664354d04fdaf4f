/* Arithmetic on two operands. int32 is left to kernels_c/cwise/binary.c, in the host's memory. */
#include "kernels_c/common/kernel_table.h"
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

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Add", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED_BUT_INT32 "|uint8", tfc_cwise_binary,
            TFC_STATE(create)),
    TFC_ROW("AddV2", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Sub", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Mul", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("MulNoNan", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("SquaredDifference", "T=" TFC_TYPES_FLOATS "|int64", tfc_cwise_binary,
            TFC_STATE(create)),
    TFC_ROW("Maximum", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Minimum", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Div", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("RealDiv", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("DivNoNan", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Xdivy", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("TruncateDiv", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("FloorDiv", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Mod", "T=" TFC_TYPES_FLOATS "|int64", tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("TruncateMod", "T=" TFC_TYPES_FLOATS "|int64", tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("FloorMod", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Atan2", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Xlogy", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Xlog1py", "T=" TFC_TYPES_FLOATS, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Pow", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED_BUT_INT32, tfc_cwise_binary,
            TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
