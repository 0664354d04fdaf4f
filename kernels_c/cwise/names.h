/* Element-wise functions that CPUs and GPUs have in the same way: C and CUDA include this list. */
#ifndef TFCORE_CWISE_NAMES_H
#define TFCORE_CWISE_NAMES_H

/* X(op type): roots, exponentials, logarithms, trigonometry. CPUs have them for complex numbers,
 * too. */
#define TFC_ANALYTIC_FUNCTIONS(X) \
  X(Sqrt)                         \
  X(Rsqrt)                        \
  X(Exp)                          \
  X(Expm1)                        \
  X(Log)                          \
  X(Log1p)                        \
  X(Tanh)                         \
  X(Sigmoid)                      \
  X(Sin)                          \
  X(Cos)                          \
  X(Tan)                          \
  X(Asin)                         \
  X(Acos)                         \
  X(Atan)                         \
  X(Sinh)                         \
  X(Cosh)                         \
  X(Asinh)                        \
  X(Acosh)                        \
  X(Atanh)

#endif
