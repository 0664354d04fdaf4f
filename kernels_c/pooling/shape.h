/* Pools of images as operations: their attributes, checks and sizes, which are those of all
 * devices.
 */
#ifndef TFCORE_POOLING_SHAPE_H
#define TFCORE_POOLING_SHAPE_H

#include "kernels_c/common/window_attrs.h"

/* The state of each operation. */
typedef struct {
  window_attrs window;
  bool batch_in_index;
} pool_state;

typedef struct {
  image_dims in, out;
  window_dim h, w;
} pool_sizes;

/* Make the state: with explicit paddings or without, with ksize and strides as inputs, without a
 * data_format. Destroyed by free(). */
int pool_create_max(tfc_construction* c, void** state);
int pool_create_plain(tfc_construction* c, void** state);
int pool_create_v2(tfc_construction* c, void** state);
int pool_create_arg(tfc_construction* c, void** state);

/* The window of this run: that of the state, or of inputs `first` (ksize) and `first` + 1. */
int pool_read_window(tfc_context* ctx, int first, window_attrs* a);
int pool_fit(tfc_context* ctx, const window_attrs* a, const int64_t* dims, pool_sizes* s);

int pool_check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what);
/* Input 0: the shape of the images or volumes that were pooled. `what` names it in an error. */
int pool_read_input_shape(tfc_context* ctx, const char* what, int rank, int64_t* dims);
int pool_no_depth(tfc_context* ctx, const window_attrs* a, const char* what);
int pool_check_shape(tfc_context* ctx, const tfc_tensor* t, const char* what, image_dims expect,
                     bool nchw);
int pool_output_images(tfc_context* ctx, int i, image_dims d, bool nchw);

/* Maxima of groups of channels: the depth is the width of a pool over one-channel images. Makes the
 * output. */
int pool_fit_depth(tfc_context* ctx, const window_attrs* a, pool_sizes* s);
/* The arguments of MaxPoolGrad and AvgPoolGrad. */
int pool_fit_max_grad(tfc_context* ctx, window_attrs* a, pool_sizes* s);
int pool_fit_avg_grad(tfc_context* ctx, pool_sizes* s);

#endif /* TFCORE_POOLING_SHAPE_H */
