/* Parameters of Conv2D and its gradients. */
#ifndef TFCORE_CUDA_CONV_H
#define TFCORE_CUDA_CONV_H

#include "gemm.h"
#include "window.h"

/* One struct for three kernels; the one of image, filter and output that a kernel computes is
 * written, the others are read. Plan with the function of the kernel's name. */
typedef struct conv_params {
  void* image;  /* input of the convolution */
  void* filter; /* [size_h][size_w][in.c][out.c] */
  void* output;
  void*
      partial; /* Conv2DBackpropFilter with more than one chunk: [chunks] filters of accumulators */
  int64_t batch;
  window_image in, out;
  window_shape window;
  gemm_size size; /* the product that computes it */
} conv_params;

static inline void conv_plan_size(conv_params* p, int64_t m, int64_t n, int64_t k) {
  gemm_size size = {1, 0, 0, 0, 1};
  size.m = m, size.n = n, size.k = k;
  p->size = size;
}
/* Pixels of the output by channels of the output: in.c taps deep. */
static inline void conv_plan_forward(conv_params* p) {
  conv_plan_size(p, p->batch * p->out.h * p->out.w, p->out.c,
                 p->window.size_h * p->window.size_w * p->in.c);
}
/* Pixels of the input by channels of the input. */
static inline void conv_plan_input(conv_params* p) {
  conv_plan_size(p, p->batch * p->in.h * p->in.w, p->in.c,
                 p->window.size_h * p->window.size_w * p->out.c);
}
/* Taps of the filter by channels of the output; the depth, all pixels, is cut into chunks. */
static inline void conv_plan_filter(conv_params* p) {
  conv_plan_size(p, p->window.size_h * p->window.size_w * p->in.c, p->out.c,
                 p->batch * p->out.h * p->out.w);
  gemm_plan(&p->size);
}
static inline tfc_launch conv_launch(const conv_params* p) {
  return gemm_launch(&p->size);
}

#endif /* TFCORE_CUDA_CONV_H */
