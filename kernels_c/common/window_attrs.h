/* Attributes and sizes of windowed operations (convolution, pooling). */
#ifndef TFCORE_WINDOW_ATTRS_H
#define TFCORE_WINDOW_ATTRS_H

#include "kernels_c/common/common.h"

enum { WINDOW_VALID, WINDOW_SAME, WINDOW_EXPLICIT };

typedef struct {
  int64_t strides[5], dilations[5], ksize[5]; /* in the order of data_format; ksize only of pools */
  int64_t pads[10];                           /* explicit: before, after of each dimension */
  int padding;
  bool deep; /* volumes: planes, rows and columns; otherwise images: rows and columns */
  bool nchw; /* channels before the spatial dimensions */
} window_attrs;

/* One spatial dimension. */
typedef struct {
  int64_t in, out, filter, stride, dilation, pad; /* pad: before the first element */
} window_dim;

/* Which attributes the operation has; WINDOW_NO_FORMAT: no data_format, its images are NHWC. */
enum {
  WINDOW_HAS_DILATIONS = 1,
  WINDOW_HAS_EXPLICIT = 2,
  WINDOW_HAS_KSIZE = 4,
  WINDOW_NO_FORMAT = 8
};

/* Reads strides, padding and data_format, and those of the other attributes that the operation
 * has. `deep` says whether its data are volumes. */
int window_attrs_read(tfc_construction* c, window_attrs* a, bool deep, unsigned has);

/* Fills out and pad; in, filter, stride and dilation are set. `axis` is that of the dimension. */
int window_dim_fit(tfc_context* ctx, const window_attrs* a, int axis, window_dim* d);

static inline int window_rank(const window_attrs* a) {
  return a->deep ? 5 : 4;
}
/* Indices of the dimensions. Images have no plane axis. */
static inline int window_channel_axis(const window_attrs* a) {
  return a->nchw ? 1 : window_rank(a) - 1;
}
static inline int window_plane_axis(const window_attrs* a) {
  return a->nchw ? 2 : 1;
}
static inline int window_row_axis(const window_attrs* a) {
  return window_plane_axis(a) + a->deep;
}
static inline int window_column_axis(const window_attrs* a) {
  return window_row_axis(a) + 1;
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

#endif /* TFCORE_WINDOW_ATTRS_H */
