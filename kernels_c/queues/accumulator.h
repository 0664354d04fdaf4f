/* Sums of gradients, for the ops of conditional accumulators. See accumulator.c. */
#ifndef TFCORE_ACCUMULATOR_H
#define TFCORE_ACCUMULATOR_H

#include "kernels_c/common/common.h"

/* What has been summed up. The tensors may be shared with others until they are written. */
typedef struct accumulator_sum {
  tfc_tensor values;
  int64_t* indices; /* of a sparse sum: of the rows of `values`, and */
  int32_t* counts;  /* in how many gradients each occurred */
  int64_t n;        /* number of rows */
} accumulator_sum;

#pragma GCC visibility push(hidden)

void accumulator_sum_clear(const tfc_api* api, accumulator_sum* sum);
/* Adds a tensor of the same shape. */
int accumulator_add_dense(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* grad);
/* Begins a sum with rows, or adds rows to one; equal indices meet as in a merge of sorted lists. */
int accumulator_begin_sparse(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* indices,
                             const tfc_tensor* values);
int accumulator_add_sparse(tfc_context* ctx, accumulator_sum* sum, const tfc_tensor* indices,
                           const tfc_tensor* values);
/* Makes an output of the sum of `count` gradients: the mean, or the sum itself. */
int accumulator_output(tfc_context* ctx, int output, accumulator_sum* sum, int64_t count,
                       bool mean);

#pragma GCC visibility pop

#endif /* TFCORE_ACCUMULATOR_H */
