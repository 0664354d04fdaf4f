/* Attributes and sizes of windowed operations (convolution, pooling). */
#ifndef TFCORE_WINDOW_H
#define TFCORE_WINDOW_H

#include "common.h"

enum { WINDOW_VALID, WINDOW_SAME, WINDOW_EXPLICIT };

typedef struct {
  int64_t strides[4], dilations[4], ksize[4]; /* in the order of data_format; ksize only of pools */
  int64_t pads[8];                            /* explicit: before, after of each dimension */
  int padding;
  bool nchw;
} window_attrs;

/* One spatial dimension. */
typedef struct {
  int64_t in, out, filter, stride, dilation, pad; /* pad: before the first element */
} window_dim;

/* Reads strides, padding and data_format, and those of dilations, explicit_paddings and ksize that
 * the operation has (has_*). */
int window_attrs_read(tfc_construction* c, window_attrs* a, bool has_dilations, bool has_explicit,
                      bool has_ksize);

/* Fills out and pad; in, filter, stride and dilation are set. `which` is 0 for height, 1 for
 * width. */
int window_dim_fit(tfc_context* ctx, const window_attrs* a, int which, window_dim* d);

/* Index of the height (0), width (1), channel (2) dimension. */
static inline int window_axis(const window_attrs* a, int which) {
  return a->nchw ? (which == 2 ? 1 : 2 + which) : (which == 2 ? 3 : 1 + which);
}

/* A tensor with four dimensions in the order batch, height, width, channels. */
typedef struct {
  int64_t n, h, w, c;
} image_dims;

static inline image_dims image_dims_of(const int64_t* dims, bool nchw) {
  return nchw ? (image_dims){dims[0], dims[2], dims[3], dims[1]}
              : (image_dims){dims[0], dims[1], dims[2], dims[3]};
}
static inline void image_dims_store(image_dims d, bool nchw, int64_t dims[4]) {
  dims[0] = d.n;
  dims[1] = nchw ? d.c : d.h;
  dims[2] = nchw ? d.h : d.w;
  dims[3] = nchw ? d.w : d.c;
}
static inline int64_t image_size(image_dims d) {
  return d.n * d.h * d.w * d.c;
}

/* The elements of a tensor as NHWC; 16-bit floats become float if `widen`. If nothing has to be
 * converted, it is the tensor's memory. NULL: return TFC_RESOURCE_EXHAUSTED. */
const void* image_load(tfc_context* ctx, const tfc_tensor* t, image_dims d, bool nchw, bool widen);
/* Memory to compute an NHWC result in, for image_store. */
void* image_begin(tfc_context* ctx, const tfc_tensor* out, image_dims d, bool nchw, bool widen);
int image_store(tfc_context* ctx, tfc_tensor* out, image_dims d, bool nchw, bool widen, void* work);

#endif /* TFCORE_WINDOW_H */
