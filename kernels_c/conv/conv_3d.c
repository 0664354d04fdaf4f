/* Conv3D and its two gradients, in both versions: convolutions of volumes. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/conv/op.h"

TFC_ONE_LEVEL;

static int create(tfc_construction* c, void** state) {
  conv_state s = {0};
  TFC_TRY(conv_attrs_read(c, true, 0, &s.window));
  return conv_keep_state(c, &s, sizeof s, state);
}

/* The first version of the gradients: channels are last, and sizes are those of a tensor. */
static int create_v1(tfc_construction* c, void** state) {
  conv_state s = {.by_example = true};
  TFC_TRY(conv_attrs_read(c, true, WINDOW_NO_FORMAT, &s.window));
  return conv_keep_state(c, &s, sizeof s, state);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Conv3D", "T=" TFC_TYPES_FLOATS, conv_kernel, .create = create,
            .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropInputV2", "T=" TFC_TYPES_FLOATS, conv_backprop_input_kernel,
            .create = create, .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropFilterV2", "T=" TFC_TYPES_FLOATS, conv_backprop_filter_kernel,
            .create = create, .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropInput", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16, conv_backprop_input_kernel,
            .create = create_v1, .destroy = conv_destroy),
    TFC_ROW("Conv3DBackpropFilter", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16, conv_backprop_filter_kernel,
            .create = create_v1, .destroy = conv_destroy),
};
TFC_REGISTER_KERNELS(kernels);
