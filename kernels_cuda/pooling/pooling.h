/* Parameters of MaxPool, AvgPool and their gradients. Windows over channels: give channels as the
 * columns of images of one row. */
#ifndef TFCORE_CUDA_POOLING_H
#define TFCORE_CUDA_POOLING_H

#include "kernels_cuda/common/window.h"

/* x and y have the same channels. Pools read x and write y. Gradients read dy (like y) and write dx
 * (like x); that of MaxPool also reads x. */
typedef struct pooling_params {
  const void* x;
  void* y;
  const void* dy;
  void* dx;
  int64_t batch;
  window_image in, out;
  window_shape window; /* dilations are 1 */
} pooling_params;

static inline tfc_launch pooling_launch(const pooling_params* p) {
  return tfc_launch_elements(p->batch * p->out.h * p->out.w * p->out.c);
}
static inline tfc_launch pooling_gradient_launch(const pooling_params* p) {
  return tfc_launch_elements(p->batch * p->in.h * p->in.w * p->in.c);
}

#endif /* TFCORE_CUDA_POOLING_H */
