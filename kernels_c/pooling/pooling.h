/* Pooling: shared by the operations (pooling.c, pooling_3d.c), the loops over pixels
 * (pooling/pooling_type.h, one set per element type) and their distribution over threads
 * (pooling/run.c).
 */
#ifndef TFCORE_POOLING_H
#define TFCORE_POOLING_H

#include "kernels_c/common/simd_types.h"
#include "kernels_c/common/window.h"

/* All images are NHWC, in the working type. A loop is given one image, output rows [r0, r1) and
 * channels [c0, c1). Volumes are NDHWC; `image` is then the number of an output plane, counted
 * through all volumes. */
typedef struct {
  image_dims in, out; /* of volumes: of one plane */
  window_dim d, h, w; /* d of images: one plane */
  const void* x;      /* input of the pool */
  const void* grad;   /* of the output, or, for the second gradient, of the input */
  const void* max;    /* gradient of max of volumes: output of the pool */
  void* y;            /* result */
  void* arg;          /* indices of maxima, int64 */
  bool batch_in_index;
  bool add;  /* gradients: windows overlap, so that their values are added up */
  bool relu; /* gradient of max: maxima that are not positive get none */
} pool_job;

typedef void (*pool_fn)(const pool_job*, int64_t image, int64_t r0, int64_t r1, int64_t c0,
                        int64_t c1);

typedef struct {
  pool_fn max, max_grad, max_grad_grad, max_arg, max_arg_grad;
  pool_fn avg, avg_grad; /* floating types only */
} pool_loops;

/* Part of a window that lies inside the image: [begin, end). */
typedef struct {
  int64_t begin, end;
} pool_span;

/* Distributes output rows. `size` is that of an element. */
void pool_run_rows(tfc_context* ctx, const pool_job* j, pool_fn fn, size_t size);
/* Distributes images or volumes and channels, so that overlapping windows are on one thread. */
void pool_run_channels(tfc_context* ctx, const pool_job* j, pool_fn fn, size_t size);
void pool_zero(tfc_context* ctx, void* data, int64_t bytes);

/* Each input pixel lies in exactly one window. */
static inline bool pool_tiles(const window_dim* d) {
  return d->filter == d->stride && d->out * d->stride - d->pad >= d->in;
}

static inline size_t pool_working_size(int32_t dtype) {
  return tfc_is_16bit_float(dtype) ? 4 : tfc_dtype_size(dtype);
}

static inline pool_span pool_span_of(const window_dim* d, int64_t out) {
  int64_t begin = out * d->stride - d->pad, end = TFC_MIN(begin + d->filter, d->in);
  return (pool_span){TFC_MAX(begin, 0), end};
}

#endif /* TFCORE_POOLING_H */
