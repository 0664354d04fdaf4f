/* Shapes of the ops that scatter into variables, for all devices. */
#ifndef TFCORE_SCATTER_SHAPES_H
#define TFCORE_SCATTER_SHAPES_H

#include "kernels_c/common/index_text.h"

#pragma GCC visibility push(hidden)

/* ScatterAdd and its like: checks everything but the values of indices. */
int tfc_scatter_check(tfc_context* ctx, const tfc_tensor* var);
/* ScatterNdAdd and its like: also the numbers of an index, of the indices, and of the elements of a
 * slice. */
int tfc_scatter_nd_check(tfc_context* ctx, const tfc_tensor* var, int* depth, int64_t* n,
                         int64_t* slice);
/* For the text about a wrong index of these. */
tfc_index_shapes tfc_scatter_nd_shapes(const tfc_tensor* indices, const tfc_tensor* var);

#pragma GCC visibility pop

#endif /* TFCORE_SCATTER_SHAPES_H */
