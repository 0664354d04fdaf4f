/* Launches of element-wise kernels: one state and a few compute functions serve all of them. */
#ifndef TFCORE_CUDA_CWISE_LAUNCH_H
#define TFCORE_CUDA_CWISE_LAUNCH_H

#include "kernels_c/array/array.h"
#include "kernels_c/cwise/shape.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"

#pragma GCC visibility push(hidden)

typedef struct cwise_state {
  const tfc_function* function;
  double argument; /* of the function */
  bool reports;    /* the function may find wrong values */
} cwise_state;

/* The function `name` of a module, for the type of the first input. Destroyed by free(). */
int tfc_cwise_create(tfc_construction* c, const char* module, const char* name, void** state);

/* y = f(x) */
int tfc_cwise_unary(tfc_context* ctx);
/* z = f(x, y), which broadcast, or must have one shape. */
int tfc_cwise_binary(tfc_context* ctx);
int tfc_cwise_same_shape(tfc_context* ctx);
/* The second half of tfc_cwise_binary, for kernels that make output 0 themselves. */
int tfc_cwise_run(tfc_context* ctx, const cwise_state* s, const tfc_broadcast* b);

/* Copies dimensions and strides into parameters, or fails if there are too many. */
int tfc_cwise_check_rank(tfc_context* ctx, int rank);

#pragma GCC visibility pop

#endif /* TFCORE_CUDA_CWISE_LAUNCH_H */
