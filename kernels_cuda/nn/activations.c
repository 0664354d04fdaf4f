/* The relu family, Softplus, Softsign and their gradients. */
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

#define ACTIVATION(OP, TYPES)                     \
  TFC_GPU_CWISE(OP, "T=" TYPES, tfc_cwise_unary), \
      TFC_GPU_CWISE(OP##Grad, "T=" TYPES, tfc_cwise_same_shape)
static const tfc_kernel_def activations[] = {
    ACTIVATION(Relu, TFC_TYPES_REALS),
    ACTIVATION(Relu6, TFC_TYPES_REALS),
    ACTIVATION(Elu, TFC_TYPES_FLOATS),
    ACTIVATION(Selu, TFC_TYPES_FLOATS),
    ACTIVATION(Softplus, TFC_TYPES_FLOATS),
    ACTIVATION(Softsign, TFC_TYPES_FLOATS),
    {.op = "LeakyRelu",
     .device = "GPU",
     .types = "T=" TFC_TYPES_FLOATS,
     .compute = tfc_cwise_unary,
     .create = create_leaky,
     .destroy = free},
    {.op = "LeakyReluGrad",
     .device = "GPU",
     .types = "T=" TFC_TYPES_FLOATS,
     .compute = tfc_cwise_same_shape,
     .create = create_leaky,
     .destroy = free},
};
TFC_REGISTER_KERNELS(activations);
