/* Parameters of MatMul, BatchMatMul and BatchMatMulV2. */
#ifndef TFCORE_CUDA_MATMUL_H
#define TFCORE_CUDA_MATMUL_H

#include "gemm.h"

/* c[batch][m][n] = a b, or partial sums (see gemm_size). A transposed factor has its steps
 * exchanged. Steps and strides in elements. */
typedef struct matmul_params {
  const void *a, *b;
  void* c;
  gemm_size size;
  int64_t a_row_step, a_depth_step; /* of a[m][k] */
  int64_t b_depth_step, b_col_step; /* of b[k][n] */
  int64_t batch_rank;               /* dimensions of the batch, 0 to TFC_MAX_DIMS */
  int64_t batch_dims[8];            /* their product is size.batch */
  int64_t a_stride[8], b_stride[8]; /* from one matrix to the next; 0 where broadcast */
} matmul_params;

static inline void matmul_plan(matmul_params* p) {
  gemm_plan(&p->size);
}
static inline tfc_launch matmul_launch(const matmul_params* p) {
  return gemm_launch(&p->size);
}

#endif /* TFCORE_CUDA_MATMUL_H */
