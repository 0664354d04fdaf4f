/* Conv3D and its two gradients: convolutions of volumes. */
#include "kernels_c/conv/op.h"

TFC_ONE_LEVEL;

static int create(tfc_construction* c, void** state) {
  conv_state s = {0};
  TFC_TRY(conv_attrs_read(c, true, &s.window));
  return conv_keep_state(c, &s, sizeof s, state);
}

#define CONV_3D_TYPES "T=half|bfloat16|float|double"

static const tfc_kernel_def conv_3d_kernels[] = {
    {"Conv3D", "CPU", CONV_3D_TYPES, conv_kernel, create, conv_destroy, 0, NULL},
    {"Conv3DBackpropInputV2", "CPU", CONV_3D_TYPES, conv_backprop_input_kernel, create,
     conv_destroy, 0, NULL},
    {"Conv3DBackpropFilterV2", "CPU", CONV_3D_TYPES, conv_backprop_filter_kernel, create,
     conv_destroy, 0, NULL},
};
TFC_REGISTER_KERNELS(conv_3d_kernels);
