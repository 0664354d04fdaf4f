/* Convolutions as operations: their attributes, checks and sizes, which are those of all devices.
 */
#ifndef TFCORE_CONV_SHAPE_H
#define TFCORE_CONV_SHAPE_H

#include "kernels_c/common/window_attrs.h"

typedef struct {
  int64_t n, c, oc;
  window_dim d, h, w; /* d of images: one plane, one tap */
} conv_sizes;

/* The state of each operation, or the beginning of it. */
typedef struct {
  window_attrs window;
  bool by_example; /* gradients: an input has the shape of the result, instead of its sizes */
} conv_state;

int conv_attrs_check(tfc_construction* c, const window_attrs* a);
/* Reads and checks the attributes; with WINDOW_NO_FORMAT in `lacks`, there is no data_format. */
int conv_attrs_read(tfc_construction* c, bool deep, unsigned lacks, window_attrs* a);
/* A copy of `size` bytes as the operation's state. */
int conv_keep_state(tfc_construction* c, const void* s, size_t size, void** state);
void conv_destroy(void* state);

int conv_check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what);
/* The attributes in the kernel's state. */
const window_attrs* conv_attrs(tfc_context* ctx);

/* Sizes from the shapes of input and filter. */
int conv_fit(tfc_context* ctx, const window_attrs* a, const int64_t* input, const int64_t* filter,
             conv_sizes* s);
/* Sizes of a gradient operation; `grad` is out_backprop. */
int conv_fit_grad(tfc_context* ctx, bool of_filter, const int64_t* input, const int64_t* filter,
                  const tfc_tensor* grad, conv_sizes* s);
/* A gradient's sizes of the input or the filter: `input_sizes` or `filter_sizes`, or the shape of
 * an example. */
int conv_read_sizes(tfc_context* ctx, int input, const char* what, int64_t dims[5]);
/* `input_sizes`, which may be height and width only. */
int conv_read_input_sizes(tfc_context* ctx, const tfc_tensor* filter, const tfc_tensor* grad,
                          int64_t dims[5]);
/* Makes the output of a convolution. */
int conv_output(tfc_context* ctx, const conv_sizes* s);

#endif /* TFCORE_CONV_SHAPE_H */
