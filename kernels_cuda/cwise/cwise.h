/* Parameters of the element-wise families: cwise_unary, cwise_binary, cwise_compare, cwise_nary,
 * cwise_select, activations, bitwise, cast, clip. */
#ifndef TFCORE_CUDA_CWISE_H
#define TFCORE_CUDA_CWISE_H

#include "kernels_cuda/common/launch.h"

/* y[i] = f(x[i]); x may be y. */
typedef struct cwise_unary_params {
  const void* x;
  void* y;
  int64_t n;       /* elements */
  double argument; /* of the function: alpha of LeakyRelu */
} cwise_unary_params;

static inline tfc_launch cwise_unary_launch(const cwise_unary_params* p) {
  return tfc_launch_groups(p->n);
}

/* z[i] = f(x, y), both broadcast to dims; x or y may be z where it has all elements. Merge
 * dimensions first: with rank 1 the loop divides no indices. A scalar has rank 1 and stride 0. */
typedef struct cwise_binary_params {
  const void *x, *y;
  void* z;
  tfc_report* report;               /* for integers divided by 0 and negative powers */
  int64_t n;                        /* elements of z */
  int64_t rank;                     /* 1 to TFC_MAX_DIMS */
  int64_t dims[8];                  /* of z */
  int64_t x_stride[8], y_stride[8]; /* in elements, 0 where an operand is broadcast */
  double argument; /* of the function: alpha of LeakyReluGrad, tolerance of ApproximateEqual */
} cwise_binary_params;

static inline tfc_launch cwise_binary_launch(const cwise_binary_params* p) {
  return tfc_launch_groups(p->n);
}

/* z[i] = c ? x : y, all three broadcast to dims. Select with a vector of conditions is this with
 * stride 0 in the dimensions that a condition chooses at once. */
typedef struct cwise_select_params {
  const uint8_t* c;
  const void *x, *y;
  void* z;
  int64_t n;                                     /* elements of z */
  int64_t rank;                                  /* 1 to TFC_MAX_DIMS */
  int64_t dims[8];                               /* of z */
  int64_t c_stride[8], x_stride[8], y_stride[8]; /* in elements, 0 where broadcast */
} cwise_select_params;

static inline tfc_launch cwise_select_launch(const cwise_select_params* p) {
  return tfc_launch_elements(p->n);
}

/* y[i] = the sum of inputs[k][i]. More inputs than a launch takes: sum the first, then add y and
 * the next ones. */
typedef struct cwise_sum_params {
  const void* inputs[64]; /* the first may be y */
  void* y;
  int64_t n;        /* elements */
  int64_t n_inputs; /* 1 to 64 */
} cwise_sum_params;

static inline tfc_launch cwise_sum_launch(const cwise_sum_params* p) {
  return tfc_launch_elements(p->n);
}

/* y[i] = max(min(x[i], high), low) */
typedef struct cwise_clip_params {
  const void *x, *low, *high;
  void* y;
  int64_t n;                   /* elements of x and y */
  int64_t low_step, high_step; /* 0: one limit for all elements; 1: one for each */
} cwise_clip_params;

static inline tfc_launch cwise_clip_launch(const cwise_clip_params* p) {
  return tfc_launch_elements(p->n);
}

/* y[i] = x[i] in another type */
typedef struct cwise_cast_params {
  const void* x;
  void* y;
  int64_t n;           /* elements */
  int64_t zeroed_bits; /* lowest bits of the mantissa of float or double (half and bfloat16: of
                          float) that are cut off first; the op's attribute Truncate */
} cwise_cast_params;

static inline tfc_launch cwise_cast_launch(const cwise_cast_params* p) {
  return tfc_launch_elements(p->n);
}

/* y[i] = one value */
typedef struct cwise_fill_params {
  void* y;
  int64_t n;         /* elements */
  uint64_t value[2]; /* the element's bytes, from the lowest */
} cwise_fill_params;

static inline tfc_launch cwise_fill_launch(const cwise_fill_params* p) {
  return tfc_launch_elements(p->n);
}

#endif /* TFCORE_CUDA_CWISE_H */
