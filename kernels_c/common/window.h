/* Images of windowed operations in NHWC order, as the loops of convolution and pooling want them.
 */
#ifndef TFCORE_WINDOW_H
#define TFCORE_WINDOW_H

#include "kernels_c/common/window_attrs.h"

/* The elements of a tensor as NHWC; 16-bit floats become float if `widen`. If nothing has to be
 * converted, it is the tensor's memory. NULL: return TFC_RESOURCE_EXHAUSTED. */
const void* image_load(tfc_context* ctx, const tfc_tensor* t, image_dims d, bool nchw, bool widen);
/* Memory to compute an NHWC result in, for image_store. */
void* image_begin(tfc_context* ctx, const tfc_tensor* out, image_dims d, bool nchw, bool widen);
int image_store(tfc_context* ctx, tfc_tensor* out, image_dims d, bool nchw, bool widen, void* work);

#endif /* TFCORE_WINDOW_H */
