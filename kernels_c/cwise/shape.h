/* Shapes of element-wise operations: what their kernels have in common on all devices. */
#ifndef TFCORE_CWISE_SHAPE_H
#define TFCORE_CWISE_SHAPE_H

#include "kernels_c/common/common.h"

#pragma GCC visibility push(hidden)

/* Two operands that broadcast against each other, in as few dimensions as possible. Strides count
 * elements; 0 along a dimension that the operand repeats. */
typedef struct tfc_broadcast {
  int rank; /* of the merged shape, at least 1 */
  int64_t dims[TFC_MAX_RANK];
  int64_t x_stride[TFC_MAX_RANK], y_stride[TFC_MAX_RANK];
  int out_rank;
  int64_t out_dims[TFC_MAX_RANK]; /* before merging */
  int64_t n;
} tfc_broadcast;

/* false: the shapes do not broadcast. */
bool tfc_broadcast_shapes(const tfc_tensor* x, const tfc_tensor* y, tfc_broadcast* b);
/* Appends a dimension to b->dims, merging it with the last one where strides allow. */
void tfc_broadcast_add_dim(tfc_broadcast* b, int64_t dim, int64_t x_stride, int64_t y_stride);

/* Allocates output 0 of the broadcast shape, over an input where possible. Inline, as scalars are
 * most ops of most graphs. */
static inline int tfc_binary_output(tfc_context* ctx, int rank, const int64_t* dims) {
  static const int both[] = {0, 1};
  if (tfc_dtype_size(ctx->inputs[0]->dtype) != tfc_dtype_size(ctx->outputs[0].dtype))
    return tfc_output(ctx, 0, rank, dims);
  return tfc_output_forward(ctx, 0, rank, dims, 2, both);
}
int tfc_incompatible_shapes(tfc_context* ctx, const tfc_tensor* x, const tfc_tensor* y);
/* Fails if the inputs differ in shape. */
int tfc_want_same_shape(tfc_context* ctx);
/* The same for ApproximateEqual, which has a text of its own. */
int tfc_approximate_check(tfc_context* ctx);
/* Allocates output 0 of AddN, over the first input where possible. */
int tfc_sum_output(tfc_context* ctx);

#pragma GCC visibility pop

#endif /* TFCORE_CWISE_SHAPE_H */
