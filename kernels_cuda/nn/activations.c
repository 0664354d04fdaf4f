/* The relu family, Softplus, Softsign and their gradients. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/nn/names.h"
#include "kernels_cuda/cwise/launch.h"

static int create(tfc_construction* c, void** state) {
  return tfc_cwise_create(c, "nn/activations", c->op_type, state);
}
static int create_leaky(tfc_construction* c, void** state) {
  double alpha;
  TFC_TRY(c->api->attr_float(c, "alpha", &alpha));
  TFC_TRY(create(c, state));
  ((cwise_state*)*state)->argument = alpha;
  return TFC_OK;
}

#define ROWS(OP, GRADIENT, TYPES)                                           \
  TFC_ROW(#OP, "T=" TFC_TYPES_##TYPES, tfc_cwise_unary, TFC_STATE(create)), \
      TFC_ROW(#GRADIENT, "T=" TFC_TYPES_##TYPES, tfc_cwise_same_shape, TFC_STATE(create)),

static const tfc_kernel_def kernels[] = {
    TFC_ACTIVATIONS(ROWS) /* and: */
    TFC_ROW("LeakyRelu", "T=" TFC_TYPES_FLOATS, tfc_cwise_unary, TFC_STATE(create_leaky)),
    TFC_ROW("LeakyReluGrad", "T=" TFC_TYPES_FLOATS, tfc_cwise_same_shape, TFC_STATE(create_leaky)),
};
TFC_REGISTER_KERNELS(kernels);
