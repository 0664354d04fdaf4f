/* Convolutions as operations: their layouts (conv/op.c), shared by those of images (conv.c) and of
 * volumes (conv_3d.c). */
#ifndef TFCORE_CONV_OP_H
#define TFCORE_CONV_OP_H

#include "kernels_c/conv/plan.h"
#include "kernels_c/conv/shape.h"

/* The output is in *work, for conv_store; NULL if it is empty. */
int conv_compute(tfc_context* ctx, const conv_epilogue* epilogue, conv_sizes* s, void** work);
int conv_store(tfc_context* ctx, const conv_sizes* s, void* work);

int conv_kernel(tfc_context* ctx);
int conv_backprop_input_kernel(tfc_context* ctx);
int conv_backprop_filter_kernel(tfc_context* ctx);

#endif /* TFCORE_CONV_OP_H */
