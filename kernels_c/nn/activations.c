/* Relu, Relu6, LeakyRelu, Elu, Selu, Softplus, Softsign and their gradients. A gradient op takes
 * two tensors of one shape: the gradients, and the features or the outputs. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/cwise/cwise.h"
#include "kernels_c/nn/names.h"

#define UNARY_FLOATS(OP, EXPRESSION)              \
  TFC_UNARY(OP##_float, float, float, EXPRESSION) \
  TFC_UNARY(OP##_double, double, double, EXPRESSION)
#define BINARY_FLOATS(OP, EXPRESSION)              \
  TFC_BINARY(OP##_float, float, float, EXPRESSION) \
  TFC_BINARY(OP##_double, double, double, EXPRESSION)
#define FLOAT_OP(OP, NS, EXPRESSION) \
  UNARY_FLOATS(OP, EXPRESSION)       \
  TFC_UNARY_OP(OP, NS, TFC_FLOAT_ENTRIES(OP))
#define FLOAT_GRADIENT(OP, NS, EXPRESSION) \
  BINARY_FLOATS(OP, EXPRESSION)            \
  TFC_SAME_SHAPE_OP(OP, NS, TFC_FLOAT_ENTRIES(OP))
#define ONE_UNARY_INTEGER(OP, T, EXPRESSION) TFC_UNARY_PLAIN(OP##_##T, T##_t, T##_t, EXPRESSION)
#define UNARY_INTEGERS(OP, EXPRESSION)      \
  ONE_UNARY_INTEGER(OP, int8, EXPRESSION)   \
  ONE_UNARY_INTEGER(OP, uint8, EXPRESSION)  \
  ONE_UNARY_INTEGER(OP, int16, EXPRESSION)  \
  ONE_UNARY_INTEGER(OP, uint16, EXPRESSION) \
  ONE_UNARY_INTEGER(OP, int32, EXPRESSION)  \
  ONE_UNARY_INTEGER(OP, uint32, EXPRESSION) \
  ONE_UNARY_INTEGER(OP, int64, EXPRESSION)  \
  ONE_UNARY_INTEGER(OP, uint64, EXPRESSION)
#define ONE_BINARY_INTEGER(OP, T, EXPRESSION) TFC_BINARY_PLAIN(OP##_##T, T##_t, T##_t, EXPRESSION)
#define BINARY_INTEGERS(OP, EXPRESSION)      \
  ONE_BINARY_INTEGER(OP, int8, EXPRESSION)   \
  ONE_BINARY_INTEGER(OP, uint8, EXPRESSION)  \
  ONE_BINARY_INTEGER(OP, int16, EXPRESSION)  \
  ONE_BINARY_INTEGER(OP, uint16, EXPRESSION) \
  ONE_BINARY_INTEGER(OP, int32, EXPRESSION)  \
  ONE_BINARY_INTEGER(OP, uint32, EXPRESSION) \
  ONE_BINARY_INTEGER(OP, int64, EXPRESSION)  \
  ONE_BINARY_INTEGER(OP, uint64, EXPRESSION)
#define INTEGER_ENTRIES(OP)                                                         \
  [TFC_INT8] = OP##_int8, [TFC_UINT8] = OP##_uint8, [TFC_INT16] = OP##_int16,       \
  [TFC_UINT16] = OP##_uint16, [TFC_INT32] = OP##_int32, [TFC_UINT32] = OP##_uint32, \
  [TFC_INT64] = OP##_int64, [TFC_UINT64] = OP##_uint64

/* ---- The relu family. NaN stays NaN. */

UNARY_FLOATS(Relu, (x > 0) | (x != x) ? x : 0)
UNARY_INTEGERS(Relu, x > 0 ? x : 0)
TFC_UNARY_OP(Relu, 0.2, TFC_FLOAT_ENTRIES(Relu), INTEGER_ENTRIES(Relu))

UNARY_FLOATS(Relu6, x < 0 ? 0 : x > 6 ? 6 : x)
UNARY_INTEGERS(Relu6, x > 6 ? 6 : x > 0 ? x : 0)
TFC_UNARY_OP(Relu6, 0.2, TFC_FLOAT_ENTRIES(Relu6), INTEGER_ENTRIES(Relu6))

/* x: gradients, y: features */
BINARY_FLOATS(ReluGrad, y > 0 ? x : 0)
BINARY_INTEGERS(ReluGrad, y > 0 ? x : 0)
TFC_SAME_SHAPE_OP(ReluGrad, 0.2, TFC_FLOAT_ENTRIES(ReluGrad), INTEGER_ENTRIES(ReluGrad))
BINARY_FLOATS(Relu6Grad, (y > 0) & (y < 6) ? x : 0)
BINARY_INTEGERS(Relu6Grad, (y > 0) & (y < 6) ? x : 0)
TFC_SAME_SHAPE_OP(Relu6Grad, 0.2, TFC_FLOAT_ENTRIES(Relu6Grad), INTEGER_ENTRIES(Relu6Grad))

/* By hand: the compiler would reload alpha for each element. */
#define LEAKY_LOOPS(T)                                                                             \
  static void LeakyRelu_##T(const void* from, void* to, int64_t n, const void* state) {            \
    const T *x = from, alpha = (T) * (const double*)state;                                         \
    T* y = to;                                                                                     \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : x[i] * alpha;    \
  }                                                                                                \
  static unsigned LeakyReluGrad_##T(const void* xv, const void* yv, void* zv, int64_t n, int mode, \
                                    const void* state) {                                           \
    const T *gradients = xv, *features = yv, alpha = (T) * (const double*)state;                   \
    T* z = zv;                                                                                     \
    (void)mode; /* the shapes are equal */                                                         \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] =                                    \
        features[i] > 0 ? gradients[i] : gradients[i] * alpha;                                     \
    return 0;                                                                                      \
  }
LEAKY_LOOPS(float)
LEAKY_LOOPS(double)
TFC_UNARY_OP(LeakyRelu, 0.2, TFC_FLOAT_ENTRIES(LeakyRelu))
TFC_SAME_SHAPE_OP(LeakyReluGrad, 0.2, TFC_FLOAT_ENTRIES(LeakyReluGrad))

static int create_alpha(tfc_construction* c, void** state) {
  double* alpha = malloc(sizeof *alpha);
  if (!alpha) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = alpha;
  *alpha = 0.2;
  return c->api->attr_float(c, "alpha", alpha);
}

TFC_UNARY_VECTOR(Elu_float, float, vf, vf_select(x < 0.0f, vf_expm1(x), x))
TFC_UNARY_VECTOR(Elu_double, double, vd, vd_select(x < 0.0, vd_expm1(x), x))
TFC_UNARY_OP(Elu, 0.8, TFC_FLOAT_ENTRIES(Elu))
/* x: gradients, y: outputs */
FLOAT_GRADIENT(EluGrad, 0.2, y < 0 ? x * (y + 1) : x)

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123
TFC_UNARY_VECTOR(Selu_float, float, vf,
                 vf_select(x < 0.0f, vf_expm1(x) * (float)SELU_SCALE_ALPHA, x*(float)SELU_SCALE))
TFC_UNARY_VECTOR(Selu_double, double, vd,
                 vd_select(x < 0.0, vd_expm1(x) * SELU_SCALE_ALPHA, x* SELU_SCALE))
TFC_UNARY_OP(Selu, 0.8, TFC_FLOAT_ENTRIES(Selu))
TFC_BINARY(SeluGrad_float, float, float,
           y < 0 ? x * (y + (float)SELU_SCALE_ALPHA) : x * (float)SELU_SCALE)
TFC_BINARY(SeluGrad_double, double, double, y < 0 ? x * (y + SELU_SCALE_ALPHA) : x * SELU_SCALE)
TFC_SAME_SHAPE_OP(SeluGrad, 0.2, TFC_FLOAT_ENTRIES(SeluGrad))

/* ---- Softplus and softsign. */

TFC_UNARY_VECTOR(Softplus_float, float, vf, vf_softplus(x))
TFC_UNARY_VECTOR(Softplus_double, double, vd, vd_softplus(x))
TFC_UNARY_OP(Softplus, 1.2, TFC_FLOAT_ENTRIES(Softplus))

/* gradients * sigmoid(features): called on equal shapes only, so mode is TFC_BOTH. */
#define SOFTPLUS_GRAD_LOOP(SUFFIX, T, V)                                                     \
  static unsigned SoftplusGrad_##SUFFIX(const void* xv, const void* yv, void* zv, int64_t n, \
                                        int mode, const void* state) {                       \
    const T *gradients = xv, *features = yv;                                                 \
    T* to = zv;                                                                              \
    const int lanes = (int)(sizeof(V) / sizeof(T));                                          \
    int64_t i = 0;                                                                           \
    (void)mode, (void)state;                                                                 \
    for (; i + lanes <= n; i += lanes)                                                       \
      V##_store(to + i, V##_load(gradients + i) * V##_sigmoid(V##_load(features + i)));      \
    if (i < n) {                                                                             \
      int rest = (int)(n - i);                                                               \
      V f = V##_load_n(features + i, rest);                                                  \
      V##_store_n(to + i, V##_load_n(gradients + i, rest) * V##_sigmoid(f), rest);           \
    }                                                                                        \
    return 0;                                                                                \
  }
SOFTPLUS_GRAD_LOOP(float, float, vf)
SOFTPLUS_GRAD_LOOP(double, double, vd)
TFC_SAME_SHAPE_OP(SoftplusGrad, 0.8, TFC_FLOAT_ENTRIES(SoftplusGrad))

#define MAGNITUDE(X) _Generic(X, float: fabsf, double: fabs)(X)
FLOAT_OP(Softsign, 0.4, x / (1 + MAGNITUDE(x)))
FLOAT_GRADIENT(SoftsignGrad, 0.4, x / ((1 + MAGNITUDE(y)) * (1 + MAGNITUDE(y))))

#define ROWS(OP, GRADIENT, TYPES)                     \
  TFC_ROW(#OP, "T=" TFC_TYPES_##TYPES, compute_##OP), \
      TFC_ROW(#GRADIENT, "T=" TFC_TYPES_##TYPES, compute_##GRADIENT),

static const tfc_kernel_def kernels[] = {
    TFC_ACTIVATIONS(ROWS) /* and: */
    TFC_ROW("LeakyRelu", "T=" TFC_TYPES_FLOATS, compute_LeakyRelu, TFC_STATE(create_alpha)),
    TFC_ROW("LeakyReluGrad", "T=" TFC_TYPES_FLOATS, compute_LeakyReluGrad, TFC_STATE(create_alpha)),
};
TFC_REGISTER_KERNELS(kernels);
