/* Launches of reductions, which several families have. */
#ifndef TFCORE_CUDA_REDUCE_LAUNCH_H
#define TFCORE_CUDA_REDUCE_LAUNCH_H

#include "kernels_c/reduce/axes.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/reduce/reduce.h"

#pragma GCC visibility push(hidden)

/* y = x without its reduced runs; y is not empty. `function` is one of the module reduce for the
 * type. count: elements behind each element of y, the divisor of a mean. `runs` is used up. */
int tfc_reduce_run(tfc_context* ctx, const tfc_function* function, int32_t dtype, const void* x,
                   void* y, tfc_runs* runs, int64_t count);
/* y[n] = the sums of `parts` partial sums [parts][n] of accumulators. `function` is Sum. */
int tfc_reduce_partial(tfc_context* ctx, const tfc_function* function, const void* partial, void* y,
                       int64_t parts, int64_t n);
/* Bytes of an accumulator of the module's functions for a type. */
size_t tfc_accumulator_size(int32_t dtype);

#pragma GCC visibility pop

#endif /* TFCORE_CUDA_REDUCE_LAUNCH_H */
