/* Convolutions of images and volumes from their sizes: plans for the engines (conv/plan.c). */
#ifndef TFCORE_CONV_PLAN_H
#define TFCORE_CONV_PLAN_H

#include "kernels_c/conv/conv.h"
#include "kernels_c/conv/shape.h"

/* Each fills all of its result. Arrays are dense and channels last, and of the working type of
 * `dtype`: float for 16-bit floats. */
int conv_forward(tfc_context* ctx, const conv_sizes* s, int32_t dtype, const void* x,
                 const void* filter, void* out, const conv_epilogue* epilogue);
int conv_backward_input(tfc_context* ctx, const conv_sizes* s, int32_t dtype, const void* grad,
                        const void* filter, void* out);
int conv_backward_filter(tfc_context* ctx, const conv_sizes* s, int32_t dtype, const void* x,
                         const void* grad, void* filter);

#endif /* TFCORE_CONV_PLAN_H */
