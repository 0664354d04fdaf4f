/* Activations that CPUs and GPUs have in the same way: C and CUDA include this list. */
#ifndef TFCORE_NN_NAMES_H
#define TFCORE_NN_NAMES_H

/* X(op type, op type of its gradient, TFC_TYPES_...) */
#define TFC_ACTIVATIONS(X)          \
  X(Relu, ReluGrad, REALS)          \
  X(Relu6, Relu6Grad, REALS)        \
  X(Elu, EluGrad, FLOATS)           \
  X(Selu, SeluGrad, FLOATS)         \
  X(Softplus, SoftplusGrad, FLOATS) \
  X(Softsign, SoftsignGrad, FLOATS)

#endif
