/* Parameters of Conv2D and its gradients. */
#ifndef TFCORE_CUDA_CONV_H
#define TFCORE_CUDA_CONV_H

#include "kernels_cuda/common/window.h"
#include "kernels_cuda/linalg/gemm.h"

/* One struct for three kernels; the one of image, filter and output that a kernel computes is
 * written, the others are read. Plan with the function of the kernel's name. */
typedef struct conv_params {
  void* image;  /* input of the convolution */
  void* filter; /* [size_h][size_w][in.c][out.c] */
  void* output;
  void* partial; /* with more than one chunk: sums [chunks][rows][columns] of the result */
  int64_t batch;
  window_image in, out;
  window_shape window;
  gemm_size size; /* the product that computes it */
} conv_params;

/* Whether channels lie together and can be read four at a time, with positions in 32 bits: a walk
 * advances by GEMM_DEPTH pixels before it looks for the end of a row. */
static inline int conv_image_four(const window_image* image) {
  const int64_t most = 1 << 30;
  return image->c_step == 1 && image->c % 4 == 0 && image->w_step == image->c &&
         image->h_step == image->w * image->c && image->n_step == image->h * image->h_step &&
         image->h < most && image->w < most && image->c < most;
}
static inline int conv_window_four(const conv_params* p) {
  const window_shape* s = &p->window;
  const int64_t most = 1 << 30;
  return (s->size_h - 1) * s->dilation_h + s->stride_h + s->pad_h < most &&
         (s->size_w - 1) * s->dilation_w + s->stride_w + s->pad_w < most &&
         p->out.h * s->stride_h < most && p->out.w * s->stride_w < most / GEMM_DEPTH;
}
/* Sums of parts need a result that lies row after row, as all do but images with channels first. */
static inline void conv_plan_size(conv_params* p, int64_t m, int64_t n, int64_t k, int rows) {
  gemm_size size = {1, 0, 0, 0, 1, 0, 0, 0};
  size.m = m, size.n = n, size.k = k, size.wide = p->size.wide;
  size.vectors = conv_image_four(&p->in) && conv_image_four(&p->out) && conv_window_four(p);
  gemm_plan(&size, rows ? INT64_MAX : 1);
  gemm_plan_addresses(&size, p->image, p->filter, p->output);
  p->size = size;
}
/* Pixels of the output by channels of the output: in.c taps deep. */
static inline void conv_plan_forward(conv_params* p) {
  conv_plan_size(p, p->batch * p->out.h * p->out.w, p->out.c,
                 p->window.size_h * p->window.size_w * p->in.c, p->out.c_step == 1);
}
/* Pixels of the input by channels of the input. */
static inline void conv_plan_input(conv_params* p) {
  conv_plan_size(p, p->batch * p->in.h * p->in.w, p->in.c,
                 p->window.size_h * p->window.size_w * p->out.c, p->in.c_step == 1);
}
/* Taps of the filter by channels of the output, as deep as there are pixels. */
static inline void conv_plan_filter(conv_params* p) {
  conv_plan_size(p, p->window.size_h * p->window.size_w * p->in.c, p->out.c,
                 p->batch * p->out.h * p->out.w, 1);
}
static inline tfc_launch conv_launch(const conv_params* p) {
  return gemm_launch(&p->size);
}

#endif /* TFCORE_CUDA_CONV_H */
