/* Comparisons and logic. int32 is left to kernels_c/cwise/compare.c, in the host's memory. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

/* ---- Equality. */

typedef struct equality_state {
  cwise_state cwise; /* first: the state of the shared launches, too */
  bool lenient;      /* shapes that do not broadcast are just unequal */
} equality_state;

static int read_equality(tfc_construction* c, void* state) {
  equality_state* s = state;
  bool strict = true;
  TFC_TRY(c->api->attr_bool(c, "incompatible_shape_error", &strict));
  s->lenient = !strict;
  return tfc_find_function(c, "cwise/compare", c->op_type, c->input_dtypes[0] % TFC_REF,
                           &s->cwise.function);
}
static int create_equality(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(equality_state), read_equality, state);
}

static int equality(tfc_context* ctx, bool if_incompatible) {
  const equality_state* s = ctx->state;
  tfc_broadcast b;
  if (s->lenient && !tfc_broadcast_shapes(ctx->inputs[0], ctx->inputs[1], &b)) {
    TFC_TRY(tfc_output_scalar(ctx, 0));
    return tfc_device_fill(ctx, ctx->outputs[0].data, if_incompatible, 1);
  }
  return tfc_cwise_binary(ctx);
}
static int compute_Equal(tfc_context* ctx) {
  return equality(ctx, false);
}
static int compute_NotEqual(tfc_context* ctx) {
  return equality(ctx, true);
}

/* ---- The others. */

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "cwise/compare", c->op_type, state);
}

static int create_tolerance(tfc_construction* c, void** state) {
  double tolerance;
  TFC_TRY(c->api->attr_float(c, "tolerance", &tolerance));
  TFC_TRY(create(c, state));
  ((cwise_state*)*state)->argument = tolerance;
  return TFC_OK;
}
static int compute_ApproximateEqual(tfc_context* ctx) {
  TFC_TRY(tfc_approximate_check(ctx));
  return tfc_cwise_binary(ctx);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Equal", "T=" TFC_TYPES_REALS_BUT_INT32 "|bool", compute_Equal,
            TFC_STATE(create_equality)),
    TFC_ROW("NotEqual", "T=" TFC_TYPES_REALS_BUT_INT32 "|bool", compute_NotEqual,
            TFC_STATE(create_equality)),
    TFC_ROW("Less", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("LessEqual", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("Greater", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("GreaterEqual", "T=" TFC_TYPES_REALS_BUT_INT32, tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("ApproximateEqual", "T=" TFC_TYPES_REALS, compute_ApproximateEqual,
            TFC_STATE(create_tolerance)),
    TFC_ROW("LogicalAnd", "", tfc_cwise_binary, TFC_STATE(create)),
    TFC_ROW("LogicalOr", "", tfc_cwise_binary, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
