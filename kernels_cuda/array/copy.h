/* Parameters of copies of boxes, of transposes, and of OneHot.
 *
 * A copy is what most ops of arrays come to: Slice, StridedSlice, its gradient and Pad (both into a
 * tensor that is 0), Tile and BroadcastTo (strides of 0), ConcatV2 and Pack (a copy for each
 * input), Split and Unpack (for each output), Reverse (negative strides), any Transpose. */
#ifndef TFCORE_CUDA_ARRAY_COPY_H
#define TFCORE_CUDA_ARRAY_COPY_H

#include "kernels_cuda/common/launch.h"

/* to[to_offset + i . to_stride] = from[from_offset + i . from_stride] for all indices i of dims, in
 * elements. Strides of `from` may be 0 or negative; no element of `to` is written twice. Merge
 * dimensions first: each costs a division. */
typedef struct array_copy_params {
  const void* from;
  void* to;
  int64_t from_offset, to_offset;
  int64_t n;    /* elements, the product of dims */
  int64_t rank; /* 1 to TFC_MAX_DIMS */
  int64_t dims[8], from_stride[8], to_stride[8];
} array_copy_params;

static inline tfc_launch array_copy_launch(const array_copy_params* p) {
  return tfc_launch_elements(p->n);
}

/* to[batch][cols][rows] = from[batch][rows][cols], by tiles, so that reads and writes are both
 * contiguous. Permutations that exchange other dimensions are strided copies. */
typedef struct transpose_params {
  const void* from;
  void* to;
  int64_t batch, rows, cols;
} transpose_params;

enum { TRANSPOSE_TILE = 64, TRANSPOSE_THREADS = 256 };

static inline tfc_launch transpose_launch(const transpose_params* p) {
  return tfc_launch_blocks(
      p->batch * tfc_ceil_div(p->rows, TRANSPOSE_TILE) * tfc_ceil_div(p->cols, TRANSPOSE_TILE),
      TRANSPOSE_THREADS);
}

/* y[outer][depth][inner] = on where indices[outer][inner] is the depth, else off. */
typedef struct one_hot_params {
  const void* indices;  /* int32, int64 or uint8: `index_bytes` tells them apart */
  const void *on, *off; /* an element each */
  void* y;
  int64_t outer, depth, inner;
  int64_t index_bytes; /* 1, 4 or 8 */
} one_hot_params;

static inline tfc_launch one_hot_launch(const one_hot_params* p) {
  return tfc_launch_elements(p->outer * p->depth * p->inner);
}

#endif /* TFCORE_CUDA_ARRAY_COPY_H */
