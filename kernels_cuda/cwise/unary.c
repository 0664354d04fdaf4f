/* Functions of one number, and the gradients of some, by their result. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/cwise/names.h"
#include "kernels_cuda/cwise/launch.h"

static int compute_copy(tfc_context* ctx) {
  return tfc_output_input(ctx, 0, 0);
}

/* Ops that other names stand for. */
static const char* function_of(const char* op) {
  if (!strcmp(op, "Inv")) return "Reciprocal";
  if (!strcmp(op, "InvGrad")) return "ReciprocalGrad";
  if (!strcmp(op, "Rint")) return "Round";
  return op;
}
static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/unary", function_of(c->op_type), state);
}

#define ROW(OP) TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),

static const tfc_kernel_def kernels[] = {
    TFC_ANALYTIC_FUNCTIONS(ROW) /* and: */
    TFC_ROW("Abs", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Neg", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Square", "T=" TFC_TYPES_REALS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Inv", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Reciprocal", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Sign", "T=" TFC_TYPES_FLOATS "|" TFC_TYPES_SIGNED, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Floor", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Ceil", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Round", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Round", "T=" TFC_TYPES_SIGNED, compute_copy),
    TFC_ROW("Rint", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Erf", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Erfc", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("Lgamma", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("IsNan", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("IsInf", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("IsFinite", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("LogicalNot", "", tfc_cwise_unary, TFC_STATE(create)),
    TFC_ROW("SigmoidGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
    TFC_ROW("TanhGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
    TFC_ROW("SqrtGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
    TFC_ROW("RsqrtGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
    TFC_ROW("ReciprocalGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
    TFC_ROW("InvGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
