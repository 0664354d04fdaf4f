/* Conv3D and its two gradients: convolutions of volumes. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/conv/op.h"

TFC_ONE_LEVEL;

static int create(tfc_construction* c, void** state) {
  conv_state s = {0};
  TFC_TRY(conv_attrs_read(c, true, &s.window));
  return conv_keep_state(c, &s, sizeof s, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Conv3D", "T=" TFC_TYPES_FLOATS, conv_kernel, .create = create,
            .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropInputV2", "T=" TFC_TYPES_FLOATS, conv_backprop_input_kernel,
            .create = create, .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropFilterV2", "T=" TFC_TYPES_FLOATS, conv_backprop_filter_kernel,
            .create = create, .destroy = conv_destroy),
};
TFC_REGISTER_KERNELS(kernels);
