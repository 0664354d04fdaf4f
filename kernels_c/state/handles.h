/* Tensors of several objects: an object that holds a tensor for each of them. A tensor of one
 * object with any shape may be one of these, too, so kernels that take such tensors use
 * tfc_object_at. */
#ifndef TFCORE_HANDLES_H
#define TFCORE_HANDLES_H

#include "kernels_c/common/handle.h"

#pragma GCC visibility push(hidden)
/* Output i becomes a tensor of n objects of that shape. The caller fills in *elements, which are
 * empty, each with a reference (tfc_keep). */
int tfc_handles_new(tfc_context* ctx, int i, int rank, const int64_t* dims, tfc_tensor** elements);
/* Output 0 becomes a tensor of n objects of that shape: make() makes each of them output 0. */
typedef int (*tfc_make_object_fn)(tfc_context* ctx, int64_t i, void* arg);
int tfc_handles_make(tfc_context* ctx, int rank, const int64_t* dims, tfc_make_object_fn make,
                     void* arg);
/* Element i of a tensor of objects, as a scalar, without a reference of its own. The tensor may be
 * a scalar itself. */
tfc_tensor tfc_object_at(const tfc_tensor* t, int64_t i);
/* ZerosLike and AddN of objects, by their arithmetic (common/handle.h). */
int tfc_handles_zeros_like(tfc_context* ctx);
int tfc_handles_sum(tfc_context* ctx);
#pragma GCC visibility pop

#endif
