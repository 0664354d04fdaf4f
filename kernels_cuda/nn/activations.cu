/* Relu, Relu6, LeakyRelu, Elu, Selu, Softplus, Softsign and their gradients. In gradients x is the
 * gradient, and y the features or the outputs. */
#include "kernels_c/nn/names.h"
#include "kernels_cuda/cwise/cwise.cuh"

/* ---- The relu family. NaN stays NaN. */

TFC_UNARY_FUNCTION(Relu, x > 0 || x != x ? x : T(0))
TFC_UNARY_FUNCTION(Relu6, x < T(0) ? T(0) : x > 6 ? T(6) : x)
TFC_BINARY_FUNCTION(ReluGrad, y > 0 ? x : T(0))
TFC_BINARY_FUNCTION(Relu6Grad, y > 0 && y < 6 ? x : T(0))

TFC_UNARY_FUNCTION(LeakyRelu, x > 0 ? x : x * (T)p.argument)
TFC_BINARY_FUNCTION(LeakyReluGrad, y > 0 ? x : x * (T)p.argument)
TFC_FLOATS(TFC_UNARY_KERNEL, LeakyRelu)
TFC_FLOATS(TFC_BINARY_KERNEL, LeakyReluGrad)

TFC_UNARY_FUNCTION(Elu, x < 0 ? m_expm1(x) : x)
TFC_BINARY_FUNCTION(EluGrad, y < 0 ? x * (y + 1) : x)

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123
TFC_UNARY_FUNCTION(Selu, x < 0 ? m_expm1(x) * T(SELU_SCALE_ALPHA) : x * T(SELU_SCALE))
TFC_BINARY_FUNCTION(SeluGrad, y < 0 ? x * (y + T(SELU_SCALE_ALPHA)) : x * T(SELU_SCALE))

/* ---- Softplus, log(1 + e^x), and softsign. */

TFC_UNARY_FUNCTION(Softplus, (x > 0 ? x : T(0)) + m_log1p(m_exp(-m_fabs(x))))
TFC_BINARY_FUNCTION(SoftplusGrad, x* sigmoid(y))
TFC_UNARY_FUNCTION(Softsign, x / (1 + m_fabs(x)))
TFC_BINARY_FUNCTION(SoftsignGrad, x / ((1 + m_fabs(y)) * (1 + m_fabs(y))))

#define KERNELS(OP, GRADIENT, TYPES) \
  TFC_##TYPES(TFC_UNARY_KERNEL, OP) TFC_##TYPES(TFC_BINARY_KERNEL, GRADIENT)
TFC_ACTIVATIONS(KERNELS)
