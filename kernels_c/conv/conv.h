/* Convolutions: the interface between the operations (conv.c) and the engines (conv_type.h,
 * compiled for an element type each by float.c, double.c and int32.c).
 *
 * Forward, backward-input and backward-filter are all described by one plan. Output pixel (r, q) of
 * an image meets input pixel (r * step_h + tap_h[i].offset, q * step_w + tap_w[j].offset) at tap
 * (i, j); input pixels outside the image count as zero. Backward-input is a plan over the output
 * gradient with step 1, one plan per phase of the stride. Volumes have planes of pixels as a third
 * dimension; images have one plane, and filters for them one tap along it.
 */
#ifndef TFCORE_CONV_H
#define TFCORE_CONV_H

#include "tfcore/kernel.h"

typedef struct {
  int64_t offset; /* input pixel, relative to step * output pixel; ascending in an array of taps */
  int64_t index;  /* position in the filter */
} conv_tap;

typedef struct {
  int64_t images, d, h, w, c;            /* input: dense NDHWC */
  int64_t planes, rows, cols;            /* grid of output pixels */
  int64_t step_d, step_h, step_w;        /* input pixels from one output pixel to the next */
  int64_t taps_d, taps_h, taps_w;        /* all 0: the output is zero */
  const conv_tap *tap_d, *tap_h, *tap_w; /* offsets of tap_d are equally far apart */
  int64_t oc;                            /* output channels, dense */
  int64_t out_image, out_plane, out_row, out_col; /* output strides in elements */
  int64_t f_d, f_h, f_w, f_c, f_oc;               /* filter strides in elements; f_c or f_oc is 1 */
} conv_plan;

static inline int64_t conv_taps(const conv_plan* p) {
  return p->taps_d * p->taps_h * p->taps_w;
}

/* Where tap number `tap`, in the order depth, height, width, begins in the filter. */
static inline int64_t conv_filter_at(const conv_plan* p, int64_t tap) {
  int64_t row = tap / p->taps_w;
  return p->tap_d[row / p->taps_h].index * p->f_d + p->tap_h[row % p->taps_h].index * p->f_h +
         p->tap_w[tap % p->taps_w].index * p->f_w;
}

/* Applied to the finished sums: out = relu(sum + bias). */
typedef struct {
  const void* bias; /* [oc] or NULL */
  bool relu;
} conv_epilogue;

/* out = convolution of in with filter. */
int conv_run_float(tfc_context* ctx, const conv_plan* plan, const float* in, const float* filter,
                   float* out, const conv_epilogue* epilogue);
int conv_run_double(tfc_context* ctx, const conv_plan* plan, const double* in, const double* filter,
                    double* out, const conv_epilogue* epilogue);
int conv_run_uint32(tfc_context* ctx, const conv_plan* plan, const uint32_t* in,
                    const uint32_t* filter, uint32_t* out, const conv_epilogue* epilogue);

/* filter = sum over images and output pixels of in (at the tap) times grad (laid out as the plan's
 * output, whose pixels must be dense). f_oc must be 1. */
int conv_filter_float(tfc_context* ctx, const conv_plan* plan, const float* in, const float* grad,
                      float* filter);
int conv_filter_double(tfc_context* ctx, const conv_plan* plan, const double* in,
                       const double* grad, double* filter);

#endif /* TFCORE_CONV_H */
