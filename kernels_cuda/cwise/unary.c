/* Functions of one number, and the gradients of some, by their result. */
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

#define UNARY(OP, TYPES) TFC_GPU_CWISE(OP, TYPES, tfc_cwise_unary)
#define GRADIENT(OP) TFC_GPU_CWISE(OP, T_FLOATS, tfc_cwise_same_shape)
#define T_FLOATS "T=" TFC_TYPES_FLOATS
static const tfc_kernel_def cwise_unary[] = {
    UNARY(Abs, T_FLOATS "|" TFC_TYPES_SIGNED),
    UNARY(Neg, T_FLOATS "|" TFC_TYPES_SIGNED),
    UNARY(Square, "T=" TFC_TYPES_REALS),
    UNARY(Inv, T_FLOATS),
    UNARY(Reciprocal, T_FLOATS),
    UNARY(Sign, T_FLOATS "|" TFC_TYPES_SIGNED),
    UNARY(Floor, T_FLOATS),
    UNARY(Ceil, T_FLOATS),
    UNARY(Round, T_FLOATS),
    {.op = "Round",
     .device = "GPU",
     .types = "T=" TFC_TYPES_SIGNED, /* rounding an integer */
     .compute = compute_copy},
    UNARY(Rint, T_FLOATS),
    UNARY(Sqrt, T_FLOATS),
    UNARY(Rsqrt, T_FLOATS),
    UNARY(Exp, T_FLOATS),
    UNARY(Expm1, T_FLOATS),
    UNARY(Log, T_FLOATS),
    UNARY(Log1p, T_FLOATS),
    UNARY(Tanh, T_FLOATS),
    UNARY(Sigmoid, T_FLOATS),
    UNARY(Erf, T_FLOATS),
    UNARY(Erfc, T_FLOATS),
    UNARY(Lgamma, T_FLOATS),
    UNARY(IsNan, T_FLOATS),
    UNARY(IsInf, T_FLOATS),
    UNARY(IsFinite, T_FLOATS),
    UNARY(LogicalNot, ""),
    UNARY(Sin, T_FLOATS),
    UNARY(Cos, T_FLOATS),
    UNARY(Tan, T_FLOATS),
    UNARY(Asin, T_FLOATS),
    UNARY(Acos, T_FLOATS),
    UNARY(Atan, T_FLOATS),
    UNARY(Sinh, T_FLOATS),
    UNARY(Cosh, T_FLOATS),
    UNARY(Asinh, T_FLOATS),
    UNARY(Acosh, T_FLOATS),
    UNARY(Atanh, T_FLOATS),
    GRADIENT(SigmoidGrad),
    GRADIENT(TanhGrad),
    GRADIENT(SqrtGrad),
    GRADIENT(RsqrtGrad),
    GRADIENT(ReciprocalGrad),
    GRADIENT(InvGrad),
};
TFC_REGISTER_KERNELS(cwise_unary);
