/* Relu, Relu6, LeakyRelu, Elu, Selu, Softplus, Softsign and their gradients. A gradient op takes
 * two tensors of one shape: the gradients, and the features or the outputs. */
#include <math.h>
#include <stdlib.h>

#include "kernels_c/common/simd_math.h"
#include "kernels_c/cwise/cwise.h"

#define UNARY_FLOATS(OP, EXPRESSION)              \
  TFC_UNARY(OP##_float, float, float, EXPRESSION) \
  TFC_UNARY(OP##_double, double, double, EXPRESSION)
#define BINARY_FLOATS(OP, EXPRESSION)              \
  TFC_BINARY(OP##_float, float, float, EXPRESSION) \
  TFC_BINARY(OP##_double, double, double, EXPRESSION)
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
#define FLOAT_ENTRIES(OP) [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double
#define INTEGER_ENTRIES(OP)                                                         \
  [TFC_INT8] = OP##_int8, [TFC_UINT8] = OP##_uint8, [TFC_INT16] = OP##_int16,       \
  [TFC_UINT16] = OP##_uint16, [TFC_INT32] = OP##_int32, [TFC_UINT32] = OP##_uint32, \
  [TFC_INT64] = OP##_int64, [TFC_UINT64] = OP##_uint64

/* ---- The relu family. NaN stays NaN. */

UNARY_FLOATS(relu, (x > 0) | (x != x) ? x : 0)
UNARY_INTEGERS(relu, x > 0 ? x : 0)
static const tfc_unary_op relu = {{FLOAT_ENTRIES(relu), INTEGER_ENTRIES(relu)}, 0.2};

UNARY_FLOATS(relu6, x < 0 ? 0 : x > 6 ? 6 : x)
UNARY_INTEGERS(relu6, x > 6 ? 6 : x > 0 ? x : 0)
static const tfc_unary_op relu6 = {{FLOAT_ENTRIES(relu6), INTEGER_ENTRIES(relu6)}, 0.2};

/* x: gradients, y: features */
BINARY_FLOATS(relu_grad, y > 0 ? x : 0)
BINARY_INTEGERS(relu_grad, y > 0 ? x : 0)
static const tfc_binary_op relu_grad = {{FLOAT_ENTRIES(relu_grad), INTEGER_ENTRIES(relu_grad)},
                                        0.2};
BINARY_FLOATS(relu6_grad, (y > 0) & (y < 6) ? x : 0)
BINARY_INTEGERS(relu6_grad, (y > 0) & (y < 6) ? x : 0)
static const tfc_binary_op relu6_grad = {{FLOAT_ENTRIES(relu6_grad), INTEGER_ENTRIES(relu6_grad)},
                                         0.2};

/* By hand: the compiler would reload alpha for each element. */
#define LEAKY_LOOPS(T)                                                                          \
  static void leaky_relu_##T(const void* from, void* to, int64_t n, const void* state) {        \
    const T *x = from, alpha = (T) * (const double*)state;                                      \
    T* y = to;                                                                                  \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) y[i] = x[i] > 0 ? x[i] : x[i] * alpha; \
  }                                                                                             \
  static unsigned leaky_relu_grad_##T(const void* xv, const void* yv, void* zv, int64_t n,      \
                                      int mode, const void* state) {                            \
    const T *gradients = xv, *features = yv, alpha = (T) * (const double*)state;                \
    T* z = zv;                                                                                  \
    (void)mode; /* the shapes are equal */                                                      \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) z[i] =                                 \
        features[i] > 0 ? gradients[i] : gradients[i] * alpha;                                  \
    return 0;                                                                                   \
  }
LEAKY_LOOPS(float)
LEAKY_LOOPS(double)
static const tfc_unary_op leaky_relu = {{FLOAT_ENTRIES(leaky_relu)}, 0.2};
static const tfc_binary_op leaky_relu_grad = {{FLOAT_ENTRIES(leaky_relu_grad)}, 0.2};

static int create_alpha(tfc_construction* c, void** state) {
  double* alpha = malloc(sizeof *alpha);
  if (!alpha) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = alpha;
  *alpha = 0.2;
  return c->api->attr_float(c, "alpha", alpha);
}

TFC_UNARY_VECTOR(elu_float, float, vf, vf_select(x < 0.0f, vf_expm1(x), x))
TFC_UNARY_VECTOR(elu_double, double, vd, vd_select(x < 0.0, vd_expm1(x), x))
static const tfc_unary_op elu = {{FLOAT_ENTRIES(elu)}, 0.8};
/* x: gradients, y: outputs */
BINARY_FLOATS(elu_grad, y < 0 ? x * (y + 1) : x)
static const tfc_binary_op elu_grad = {{FLOAT_ENTRIES(elu_grad)}, 0.2};

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_SCALE_ALPHA 1.7580993408473768599402175208123
TFC_UNARY_VECTOR(selu_float, float, vf,
                 vf_select(x < 0.0f, vf_expm1(x) * (float)SELU_SCALE_ALPHA, x*(float)SELU_SCALE))
TFC_UNARY_VECTOR(selu_double, double, vd,
                 vd_select(x < 0.0, vd_expm1(x) * SELU_SCALE_ALPHA, x* SELU_SCALE))
static const tfc_unary_op selu = {{FLOAT_ENTRIES(selu)}, 0.8};
TFC_BINARY(selu_grad_float, float, float,
           y < 0 ? x * (y + (float)SELU_SCALE_ALPHA) : x * (float)SELU_SCALE)
TFC_BINARY(selu_grad_double, double, double, y < 0 ? x * (y + SELU_SCALE_ALPHA) : x * SELU_SCALE)
static const tfc_binary_op selu_grad = {{FLOAT_ENTRIES(selu_grad)}, 0.2};

/* ---- Softplus and softsign. */

TFC_UNARY_VECTOR(softplus_float, float, vf, vf_softplus(x))
TFC_UNARY_VECTOR(softplus_double, double, vd, vd_softplus(x))
static const tfc_unary_op softplus = {{FLOAT_ENTRIES(softplus)}, 1.2};

/* gradients * sigmoid(features): called on equal shapes only, so mode is TFC_BOTH. */
#define SOFTPLUS_GRAD_LOOP(SUFFIX, T, V)                                                      \
  static unsigned softplus_grad_##SUFFIX(const void* xv, const void* yv, void* zv, int64_t n, \
                                         int mode, const void* state) {                       \
    const T *gradients = xv, *features = yv;                                                  \
    T* to = zv;                                                                               \
    const int lanes = (int)(sizeof(V) / sizeof(T));                                           \
    int64_t i = 0;                                                                            \
    (void)mode, (void)state;                                                                  \
    for (; i + lanes <= n; i += lanes)                                                        \
      V##_store(to + i, V##_load(gradients + i) * V##_sigmoid(V##_load(features + i)));       \
    if (i < n) {                                                                              \
      int rest = (int)(n - i);                                                                \
      V f = V##_load_n(features + i, rest);                                                   \
      V##_store_n(to + i, V##_load_n(gradients + i, rest) * V##_sigmoid(f), rest);            \
    }                                                                                         \
    return 0;                                                                                 \
  }
SOFTPLUS_GRAD_LOOP(float, float, vf)
SOFTPLUS_GRAD_LOOP(double, double, vd)
static const tfc_binary_op softplus_grad = {{FLOAT_ENTRIES(softplus_grad)}, 0.8};

TFC_UNARY(softsign_float, float, float, x / (1 + fabsf(x)))
TFC_UNARY(softsign_double, double, double, x / (1 + fabs(x)))
static const tfc_unary_op softsign = {{FLOAT_ENTRIES(softsign)}, 0.4};
TFC_BINARY(softsign_grad_float, float, float, x / ((1 + fabsf(y)) * (1 + fabsf(y))))
TFC_BINARY(softsign_grad_double, double, double, x / ((1 + fabs(y)) * (1 + fabs(y))))
static const tfc_binary_op softsign_grad = {{FLOAT_ENTRIES(softsign_grad)}, 0.4};

TFC_UNARY_KERNEL(Relu, relu)
TFC_UNARY_KERNEL(Relu6, relu6)
TFC_UNARY_KERNEL(LeakyRelu, leaky_relu)
TFC_UNARY_KERNEL(Elu, elu)
TFC_UNARY_KERNEL(Selu, selu)
TFC_UNARY_KERNEL(Softplus, softplus)
TFC_UNARY_KERNEL(Softsign, softsign)
TFC_SAME_SHAPE_KERNEL(ReluGrad, relu_grad)
TFC_SAME_SHAPE_KERNEL(Relu6Grad, relu6_grad)
TFC_SAME_SHAPE_KERNEL(LeakyReluGrad, leaky_relu_grad)
TFC_SAME_SHAPE_KERNEL(EluGrad, elu_grad)
TFC_SAME_SHAPE_KERNEL(SeluGrad, selu_grad)
TFC_SAME_SHAPE_KERNEL(SoftplusGrad, softplus_grad)
TFC_SAME_SHAPE_KERNEL(SoftsignGrad, softsign_grad)

#define T_FLOATS "T=" TFC_TYPES_FLOATS
static const tfc_kernel_def activations[] = {
    TFC_CWISE_ENTRY(Relu, "T=" TFC_TYPES_REALS),
    TFC_CWISE_ENTRY(Relu6, "T=" TFC_TYPES_REALS),
    {.op = "LeakyRelu",
     .device = "CPU",
     .types = T_FLOATS,
     .compute = compute_LeakyRelu,
     .create = create_alpha,
     .destroy = free},
    TFC_CWISE_ENTRY(Elu, T_FLOATS),
    TFC_CWISE_ENTRY(Selu, T_FLOATS),
    TFC_CWISE_ENTRY(Softplus, T_FLOATS),
    TFC_CWISE_ENTRY(Softsign, T_FLOATS),
    TFC_CWISE_ENTRY(ReluGrad, "T=" TFC_TYPES_REALS),
    TFC_CWISE_ENTRY(Relu6Grad, "T=" TFC_TYPES_REALS),
    {.op = "LeakyReluGrad",
     .device = "CPU",
     .types = T_FLOATS,
     .compute = compute_LeakyReluGrad,
     .create = create_alpha,
     .destroy = free},
    TFC_CWISE_ENTRY(EluGrad, T_FLOATS),
    TFC_CWISE_ENTRY(SeluGrad, T_FLOATS),
    TFC_CWISE_ENTRY(SoftplusGrad, T_FLOATS),
    TFC_CWISE_ENTRY(SoftsignGrad, T_FLOATS),
};
TFC_REGISTER_KERNELS(activations);
