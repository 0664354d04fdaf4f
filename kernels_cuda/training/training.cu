/* The updates of all optimizers, dense and sparse. half and bfloat16 are computed in float. */
#include "kernels_c/training/names.h"
#include "kernels_cuda/indexing/indexing.cuh"
#include "kernels_cuda/training/training.h"

/* ---- Rules for one element: v[0] is the variable, the others are its slots, g the gradient, s the
 * scalars in the order of the op's arguments. Operations are in TensorFlow's order. */

#define RULE(OP, SLOTS_, SCALARS_)                                                                 \
  struct OP {                                                                                      \
    enum { SLOTS = SLOTS_, SCALARS = SCALARS_ };                                                   \
    template <typename W>                                                                          \
    static __device__ __forceinline__ void apply(const W* s, [[maybe_unused]] int32_t flags, W* v, \
                                                 W g);                                             \
  };                                                                                               \
  template <typename W>                                                                            \
  __device__ __forceinline__ void OP::apply(const W* s, [[maybe_unused]] int32_t flags, W* v, W g)

template <typename W>
__device__ __forceinline__ W sign_of(W x) {
  return x > 0 ? W(1) : x < 0 ? W(-1) : x;
}

/* s: alpha */
RULE(ApplyGradientDescent, 1, 1) {
  v[0] -= g * s[0];
}

/* s: lr, momentum; slots: accum */
RULE(ApplyMomentum, 2, 2) {
  v[1] = v[1] * s[1] + g;
  v[0] -= flags & TRAINING_NESTEROV ? g * s[0] + v[1] * s[1] * s[0] : v[1] * s[0];
}

/* s: lr; slots: accum */
RULE(ApplyAdagrad, 2, 1) {
  if (flags & TRAINING_UPDATE_SLOTS) v[1] += g * g;
  v[0] -= g * s[0] / m_sqrt(v[1]);
}

/* s: lr, epsilon; slots: accum */
RULE(ApplyAdagradV2, 2, 2) {
  if (flags & TRAINING_UPDATE_SLOTS) v[1] += g * g;
  v[0] -= g * s[0] / (m_sqrt(v[1]) + s[1]);
}

/* s: lr, rho, epsilon; slots: accum, accum_update */
RULE(ApplyAdadelta, 3, 3) {
  const W rest = 1 - s[1];
  v[1] = v[1] * s[1] + g * g * rest;
  const W update = m_sqrt(v[2] + s[2]) / m_sqrt(v[1] + s[2]) * g;
  v[0] -= update * s[0];
  v[2] = v[2] * s[1] + update * update * rest;
}

/* s: beta1_power, beta2_power, lr, beta1, beta2, epsilon; slots: m, v */
RULE(ApplyAdam, 3, 6) {
  const W alpha = s[2] * m_sqrt(1 - s[1]) / (1 - s[0]), rest1 = 1 - s[3];
  v[1] += (g - v[1]) * rest1;
  v[2] += (g * g - v[2]) * (1 - s[4]);
  const W m = flags & TRAINING_NESTEROV ? g * rest1 + s[3] * v[1] : v[1];
  v[0] -= m * alpha / (m_sqrt(v[2]) + s[5]);
}

/* s: beta1_power, lr, beta1, beta2, epsilon; slots: m, v */
RULE(ApplyAdaMax, 3, 5) {
  const W size = m_fabs(g), decayed = s[3] * v[2];
  v[1] += (g - v[1]) * (1 - s[2]);
  v[2] = decayed < size ? size : decayed;
  v[0] -= s[1] / (1 - s[0]) * (v[1] / (v[2] + s[4]));
}

/* s: lr, rho, momentum, epsilon; slots: ms, mom */
RULE(ApplyRMSProp, 3, 4) {
  v[1] += (g * g - v[1]) * (1 - s[1]);
  v[2] = v[2] * s[2] + g * s[0] / m_sqrt(v[1] + s[3]);
  v[0] -= v[2];
}

/* s: lr, rho, momentum, epsilon; slots: mg, ms, mom */
RULE(ApplyCenteredRMSProp, 4, 4) {
  const W rest = 1 - s[1];
  v[2] += (g * g - v[2]) * rest;
  v[1] += (g - v[1]) * rest;
  v[3] = v[3] * s[2] + g * s[0] / m_sqrt(v[2] - v[1] * v[1] + s[3]);
  v[0] -= v[3];
}

/* Ftrl with slots accum, linear; square roots for the common lr_power -0.5. With
 * TRAINING_MULTIPLY_BY_LR the slot `linear` is kept multiplied by lr. */
template <typename W>
__device__ __forceinline__ void ftrl(W lr, W l1, W l2, W shrinkage, W lr_power, bool multiply, W* v,
                                     W g) {
  const W bound = multiply ? l1 * lr : l1, now = v[1] + g * g, shrunk = g + 2 * shrinkage * v[0];
  const bool square_root = lr_power == W(-0.5);
  const W root = square_root ? m_sqrt(now) : m_pow(now, -lr_power);
  const W grown = root - (square_root ? m_sqrt(v[1]) : m_pow(v[1], -lr_power));
  v[2] += multiply ? shrunk * lr - grown * v[0] : shrunk - grown / lr * v[0];
  const W y = multiply ? root + 2 * l2 * lr : root / lr + 2 * l2;
  v[0] = m_fabs(v[2]) > bound ? ((v[2] > 0 ? bound : -bound) - v[2]) / y : 0;
  v[1] = now;
}
/* s: lr, l1, l2, lr_power */
RULE(ApplyFtrl, 3, 4) {
  ftrl<W>(s[0], s[1], s[2], 0, s[3], flags & TRAINING_MULTIPLY_BY_LR, v, g);
}
/* s: lr, l1, l2, l2_shrinkage, lr_power */
RULE(ApplyFtrlV2, 3, 5) {
  ftrl<W>(s[0], s[1], s[2], s[3], s[4], flags & TRAINING_MULTIPLY_BY_LR, v, g);
}

/* The proximal step: shrinks towards 0 by rate * l1, then scales. */
template <typename W>
__device__ __forceinline__ W proximal(W v, W rate, W l1, W l2) {
  const W size = m_fabs(v) - rate * l1;
  const W shrunk = l1 > 0 ? sign_of(v) * (size > 0 ? size : 0) : v;
  return shrunk / (1 + l2 * rate);
}
/* s: lr, l1, l2; slots: accum */
RULE(ApplyProximalAdagrad, 2, 3) {
  v[1] += g * g;
  const W rate = s[0] / m_sqrt(v[1]);
  v[0] = proximal(v[0] - g * rate, rate, s[1], s[2]);
}
/* s: alpha, l1, l2 */
RULE(ApplyProximalGradientDescent, 1, 3) {
  v[0] = proximal(v[0] - g * s[0], s[0], s[1], s[2]);
}

/* s: lr, l1, l2, global_step; slots: sum, sum of squares */
RULE(ApplyAdagradDA, 3, 4) {
  v[1] += g;
  v[2] += g * g;
  const W size = m_fabs(v[1]) - s[3] * s[1];
  const W pull = s[1] > 0 ? sign_of(v[1]) * (size > 0 ? size : 0) : v[1];
  v[0] = -s[0] * pull / (s[2] * (s[3] * s[0]) + m_sqrt(v[2]));
}

/* s: lr, alpha, sign_decay, beta; slots: m */
RULE(ApplyAddSign, 2, 4) {
  v[1] = v[1] * s[3] + g * (1 - s[3]);
  v[0] -= s[0] * (s[1] + s[2] * (sign_of(g) * sign_of(v[1]))) * g;
}

/* s: lr, logbase, sign_decay, beta; slots: m. The scale has three possible values. */
RULE(ApplyPowerSign, 2, 4) {
  v[1] = v[1] * s[3] + g * (1 - s[3]);
  const W agree = sign_of(g) * sign_of(v[1]), power = s[1] * s[2];
  v[0] -= s[0] * (agree > 0 ? m_exp(power) : agree < 0 ? m_exp(-power) : W(1)) * g;
}

/* ---- Kernels. */

/* Applies a rule to element i with the gradient's element k. */
template <typename Rule, typename T, typename Params>
__device__ __forceinline__ void update_element(const Params& p, int64_t i, int64_t k) {
  typedef typename wide<T>::type W;
  W s[Rule::SCALARS], v[Rule::SLOTS];
#pragma unroll
  for (int j = 0; j < Rule::SCALARS; j++) s[j] = load<T>(p.scalar[j], 0);
#pragma unroll
  for (int j = 0; j < Rule::SLOTS; j++) v[j] = load<T>(p.slot[j], i);
  Rule::template apply<W>(s, p.flags, v, load<T>(p.gradient, k));
#pragma unroll
  for (int j = 0; j < Rule::SLOTS; j++) store<T>(p.slot[j], i, v[j]);
}

template <typename Rule, typename T>
struct sparse_update {
  const sparse_training_params& p;
  __device__ __forceinline__ void operator()(int64_t row, int64_t i, bool) const {
    for (int64_t c = threadIdx.x; c < p.index.inner; c += blockDim.x)
      update_element<Rule, T>(p, row * p.index.inner + c, i * p.index.inner + c);
  }
};

#define DENSE_KERNEL(OP, T)                                  \
  TFC_KERNEL(OP##_##T, training_params, p) {                 \
    TFC_FOR_ELEMENTS(i, p.n) update_element<OP, T>(p, i, i); \
  }
#define SPARSE_KERNEL(OP, T)                                                  \
  TFC_KERNEL_BOUNDS(Sparse##OP##_##T, sparse_training_params, p, TFC_BLOCK) { \
    for_each_row(p.index, sparse_update<OP, T>{p});                           \
  }
#define DENSE(OP) TFC_FLOATS(DENSE_KERNEL, OP)
#define SPARSE(OP, DENSE_OP) TFC_FLOATS(SPARSE_KERNEL, DENSE_OP)
TFC_OPTIMIZERS(DENSE, SPARSE)
