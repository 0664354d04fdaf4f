/* Parameters of MatMul, BatchMatMul and BatchMatMulV2. */
#ifndef TFCORE_CUDA_MATMUL_H
#define TFCORE_CUDA_MATMUL_H

#include "kernels_cuda/linalg/gemm.h"

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

/* Whether a factor, and all matrices of a batch, can be read four elements at a time. */
static inline int matmul_four(const matmul_params* p, const int64_t* stride, int64_t rows,
                              int64_t row_step, int64_t depth_step) {
  int64_t sizes = depth_step == 1 ? p->size.k | row_step : rows | depth_step;
  for (int64_t d = 0; d < p->batch_rank; d++) sizes |= stride[d];
  return sizes % 4 == 0 && (depth_step == 1 || row_step == 1);
}
static inline void matmul_plan(matmul_params* p) {
  gemm_size* s = &p->size;
  s->vectors = s->n % 4 == 0 && matmul_four(p, p->a_stride, s->m, p->a_row_step, p->a_depth_step) &&
               matmul_four(p, p->b_stride, s->n, p->b_col_step, p->b_depth_step);
  gemm_plan(s, INT64_MAX);
  gemm_plan_addresses(s, p->a, p->b, p->c);
}
static inline tfc_launch matmul_launch(const matmul_params* p) {
  return gemm_launch(&p->size);
}

#endif /* TFCORE_CUDA_MATMUL_H */
