/* Parameters of Softmax, LogSoftmax and the cross entropies. The lanes of a row are threads that
 * share it, as in reduce.h. */
#ifndef TFCORE_CUDA_SOFTMAX_H
#define TFCORE_CUDA_SOFTMAX_H

#include "kernels_cuda/reduce/reduce.h"

typedef struct softmax_params {
  const void* x; /* [rows][cols] */
  void* y;       /* may be x */
  int64_t rows, cols;
  int64_t lanes;
} softmax_params;

enum { SOFTMAX_OWN = 32 }; /* elements of a row that a lane keeps in registers */

static inline void softmax_plan(softmax_params* p) {
  p->lanes = reduce_line_lanes(p->rows, p->cols);
}
static inline tfc_launch softmax_launch(const softmax_params* p) {
  return tfc_launch_blocks(reduce_tiles(p->rows, p->lanes), TFC_REDUCE_THREADS);
}

/* Logits x and labels broadcast to [rows][cols] by their steps. */
typedef struct cross_entropy_params {
  const void *x, *labels;
  void* loss;     /* [rows] */
  void* backprop; /* [rows][cols]; may be x where x is not broadcast, never labels */
  int64_t rows, cols;
  int64_t x_row_step, x_col_step; /* in elements; 0: broadcast */
  int64_t labels_row_step, labels_col_step;
  int64_t lanes;
} cross_entropy_params;

static inline void cross_entropy_plan(cross_entropy_params* p) {
  p->lanes = reduce_lanes(p->cols, TFC_REDUCE_THREADS);
}
static inline tfc_launch cross_entropy_launch(const cross_entropy_params* p) {
  return tfc_launch_blocks(reduce_tiles(p->rows, p->lanes), TFC_REDUCE_THREADS);
}

/* The label of a row is the number of its class. */
typedef struct sparse_cross_entropy_params {
  const void* x;      /* [rows][cols] */
  const void* labels; /* [rows], int32 or int64 */
  void* loss;         /* [rows]; NaN where the label is wrong, as is backprop's row */
  void* backprop;     /* [rows][cols]; may be x */
  tfc_report* report; /* of labels outside [0, cols) */
  int64_t rows, cols;
  int64_t lanes;
  int32_t wide; /* labels are int64 */
  int32_t unused;
} sparse_cross_entropy_params;

static inline void sparse_cross_entropy_plan(sparse_cross_entropy_params* p) {
  p->lanes = reduce_lanes(p->cols, TFC_REDUCE_THREADS);
}
static inline tfc_launch sparse_cross_entropy_launch(const sparse_cross_entropy_params* p) {
  return tfc_launch_blocks(reduce_tiles(p->rows, p->lanes), TFC_REDUCE_THREADS);
}

#endif /* TFCORE_CUDA_SOFTMAX_H */
