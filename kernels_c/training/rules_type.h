/* The update rules of all optimizers for one element type, a template. It wants SQRT, POW, EXP,
 * FABS for the type. A rule updates n elements of a variable and of its slots, slot[0] being the
 * variable itself, from the gradient g. `s` holds the scalar inputs in the order of the op's
 * arguments. Operations are in TensorFlow's order. The arrays never overlap, hence ivdep. One pass:
 * every stream is read once and written once. */

static inline T N(sign)(T x) {
  return x > 0 ? 1 : x < 0 ? -1 : x;
}

/* s: alpha */
static void N(gradient_descent)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                                int64_t n) {
  T* restrict var = slot[0];
  const T alpha = s[0];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) var[i] -= g[i] * alpha;
}

/* s: lr, momentum */
static void N(momentum)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                        int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1];
  const T lr = s[0], momentum = s[1];
  if (flags & USE_NESTEROV) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T a = accum[i] * momentum + g[i];
      accum[i] = a;
      var[i] -= g[i] * lr + a * momentum * lr;
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T a = accum[i] * momentum + g[i];
      accum[i] = a;
      var[i] -= a * lr;
    }
  }
}

/* s: lr */
static void N(adagrad)(const T* s, unsigned flags, T* const* slot, const T* restrict g, int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1];
  const T lr = s[0], update = (flags & UPDATE_SLOTS) ? 1 : 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = update != 0 ? accum[i] + g[i] * g[i] : accum[i];
    accum[i] = a;
    var[i] -= g[i] * lr / SQRT(a);
  }
}

/* s: lr, epsilon */
static void N(adagrad_v2)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                          int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1];
  const T lr = s[0], epsilon = s[1], update = (flags & UPDATE_SLOTS) ? 1 : 0;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = update != 0 ? accum[i] + g[i] * g[i] : accum[i];
    accum[i] = a;
    var[i] -= g[i] * lr / (SQRT(a) + epsilon);
  }
}

/* s: lr, rho, epsilon */
static void N(adadelta)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                        int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1], * restrict accum_update = slot[2];
  const T lr = s[0], rho = s[1], epsilon = s[2], rest = 1 - rho;
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = accum[i] * rho + g[i] * g[i] * rest;
    const T update = SQRT(accum_update[i] + epsilon) / SQRT(a + epsilon) * g[i];
    accum[i] = a;
    var[i] -= update * lr;
    accum_update[i] = accum_update[i] * rho + update * update * rest;
  }
}

/* s: beta1_power, beta2_power, lr, beta1, beta2, epsilon */
static void N(adam)(const T* s, unsigned flags, T* const* slot, const T* restrict g, int64_t n) {
  T* restrict var = slot[0], * restrict m = slot[1], * restrict v = slot[2];
  const T alpha = s[2] * SQRT(1 - s[1]) / (1 - s[0]);
  const T beta1 = s[3], rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];
  if (flags & USE_NESTEROV) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T mi = m[i] + (g[i] - m[i]) * rest1, vi = v[i] + (g[i] * g[i] - v[i]) * rest2;
      m[i] = mi;
      v[i] = vi;
      var[i] -= (g[i] * rest1 + beta1 * mi) * alpha / (SQRT(vi) + epsilon);
    }
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
      const T mi = m[i] + (g[i] - m[i]) * rest1, vi = v[i] + (g[i] * g[i] - v[i]) * rest2;
      m[i] = mi;
      v[i] = vi;
      var[i] -= mi * alpha / (SQRT(vi) + epsilon);
    }
  }
}

/* s: beta1_power, lr, beta1, beta2, epsilon */
static void N(adamax)(const T* s, unsigned flags, T* const* slot, const T* restrict g, int64_t n) {
  T* restrict var = slot[0], * restrict m = slot[1], * restrict v = slot[2];
  const T rate = s[1] / (1 - s[0]), rest1 = 1 - s[2], beta2 = s[3], epsilon = s[4];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T size = FABS(g[i]), decayed = beta2 * v[i];
    m[i] += (g[i] - m[i]) * rest1;
    v[i] = decayed < size ? size : decayed;
    var[i] -= rate * (m[i] / (v[i] + epsilon));
  }
}

/* s: lr, rho, momentum, epsilon */
static void N(rms_prop)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                        int64_t n) {
  T* restrict var = slot[0], * restrict ms = slot[1], * restrict mom = slot[2];
  const T lr = s[0], rest = 1 - s[1], momentum = s[2], epsilon = s[3];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = ms[i] + (g[i] * g[i] - ms[i]) * rest;
    const T b = mom[i] * momentum + g[i] * lr / SQRT(a + epsilon);
    ms[i] = a;
    mom[i] = b;
    var[i] -= b;
  }
}

/* s: lr, rho, momentum, epsilon */
static void N(centered_rms_prop)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                                 int64_t n) {
  T* restrict var = slot[0], * restrict mg = slot[1];
  T* restrict ms = slot[2], * restrict mom = slot[3];
  const T lr = s[0], rest = 1 - s[1], momentum = s[2], epsilon = s[3];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = ms[i] + (g[i] * g[i] - ms[i]) * rest, mean = mg[i] + (g[i] - mg[i]) * rest;
    const T b = mom[i] * momentum + g[i] * lr / SQRT(a - mean * mean + epsilon);
    ms[i] = a;
    mg[i] = mean;
    mom[i] = b;
    var[i] -= b;
  }
}

/* Ftrl; uses square roots for the common lr_power -0.5. With `multiply` the slot `linear` is kept
 * multiplied by lr. */
#define FTRL_LOOP(ROOT)                                                        \
  for (int64_t i = 0; i < n; i++) {                                            \
    const T old = accum[i], now = old + g[i] * g[i];                           \
    const T root = ROOT(now), w = var[i];                                      \
    const T shrunk = g[i] + 2 * shrinkage * w;                                 \
    const T l = multiply ? linear[i] + (shrunk * lr - (root - ROOT(old)) * w)  \
                         : linear[i] + (shrunk - (root - ROOT(old)) / lr * w); \
    const T y = multiply ? root + 2 * l2 * lr : root / lr + 2 * l2;            \
    const T pulled = l > 0 ? bound - l : -bound - l;                           \
    var[i] = FABS(l) > bound ? pulled / y : 0;                                 \
    linear[i] = l;                                                             \
    accum[i] = now;                                                            \
  }

static inline
    __attribute__((always_inline)) void N(ftrl_loop)(T lr, T l1, T l2, T shrinkage, T lr_power,
                                                     bool multiply, T* const* slot,
                                                     const T* restrict g, int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1], * restrict linear = slot[2];
  const T bound = multiply ? l1 * lr : l1;
  if (lr_power == (T)-0.5) {
#pragma GCC ivdep
    FTRL_LOOP(SQRT)
  } else {
    const T power = -lr_power;
#define FTRL_ROOT(x) POW(x, power)
    FTRL_LOOP(FTRL_ROOT)
#undef FTRL_ROOT
  }
}
#undef FTRL_LOOP

/* s: lr, l1, l2, lr_power */
static void N(ftrl)(const T* s, unsigned flags, T* const* slot, const T* restrict g, int64_t n) {
  if (flags & MULTIPLY_BY_LR) {
    N(ftrl_loop)(s[0], s[1], s[2], 0, s[3], true, slot, g, n);
  } else {
    N(ftrl_loop)(s[0], s[1], s[2], 0, s[3], false, slot, g, n);
  }
}

/* s: lr, l1, l2, l2_shrinkage, lr_power */
static void N(ftrl_v2)(const T* s, unsigned flags, T* const* slot, const T* restrict g, int64_t n) {
  if (flags & MULTIPLY_BY_LR) {
    N(ftrl_loop)(s[0], s[1], s[2], s[3], s[4], true, slot, g, n);
  } else {
    N(ftrl_loop)(s[0], s[1], s[2], s[3], s[4], false, slot, g, n);
  }
}

/* The proximal step: shrinks towards 0 by rate * l1, then scales. */
static inline T N(proximal)(T v, T rate, T l1, T l2) {
  const T size = FABS(v) - rate * l1;
  const T shrunk = l1 > 0 ? N(sign)(v) * (size > 0 ? size : 0) : v;
  return shrunk / (1 + l2 * rate);
}

/* s: lr, l1, l2 */
static void N(proximal_adagrad)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                                int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1];
  const T lr = s[0], l1 = s[1], l2 = s[2];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = accum[i] + g[i] * g[i], rate = lr / SQRT(a);
    accum[i] = a;
    var[i] = N(proximal)(var[i] - g[i] * rate, rate, l1, l2);
  }
}

/* s: alpha, l1, l2 */
static void N(proximal_gradient_descent)(const T* s, unsigned flags, T* const* slot,
                                         const T* restrict g, int64_t n) {
  T* restrict var = slot[0];
  const T lr = s[0], l1 = s[1], l2 = s[2];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    var[i] = N(proximal)(var[i] - g[i] * lr, lr, l1, l2);
  }
}

/* s: lr, l1, l2, global_step */
static void N(adagrad_da)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                          int64_t n) {
  T* restrict var = slot[0], * restrict sum = slot[1], * restrict squares = slot[2];
  const T lr = s[0], l1 = s[1], l2 = s[2], step = s[3];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = sum[i] + g[i], q = squares[i] + g[i] * g[i];
    const T size = FABS(a) - step * l1;
    const T pull = l1 > 0 ? N(sign)(a) * (size > 0 ? size : 0) : a;
    sum[i] = a;
    squares[i] = q;
    var[i] = -lr * pull / (l2 * (step * lr) + SQRT(q));
  }
}

/* s: lr, alpha, sign_decay, beta */
static void N(add_sign)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                        int64_t n) {
  T* restrict var = slot[0], * restrict m = slot[1];
  const T lr = s[0], alpha = s[1], decay = s[2], beta = s[3], rest = 1 - s[3];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T mi = m[i] * beta + g[i] * rest;
    m[i] = mi;
    var[i] -= lr * (alpha + decay * (N(sign)(g[i]) * N(sign)(mi))) * g[i];
  }
}

/* s: lr, logbase, sign_decay, beta. The scale has three possible values. */
static void N(power_sign)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                          int64_t n) {
  T* restrict var = slot[0], * restrict m = slot[1];
  const T lr = s[0], beta = s[3], rest = 1 - s[3];
  const T up = lr * EXP(s[1] * s[2]), down = lr * EXP(-(s[1] * s[2]));
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T mi = m[i] * beta + g[i] * rest, agree = N(sign)(g[i]) * N(sign)(mi);
    m[i] = mi;
    const T up_or_lr = agree > 0 ? up : lr;
    var[i] -= (agree < 0 ? down : up_or_lr) * g[i];
  }
}

/* s: lr, momentum */
static void N(keras_momentum)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                              int64_t n) {
  T* restrict var = slot[0], * restrict accum = slot[1];
  const T lr = s[0], momentum = s[1];
  const bool nesterov = flags & USE_NESTEROV;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T a = accum[i] * momentum - g[i] * lr;
    accum[i] = a;
    var[i] += nesterov ? a * momentum - g[i] * lr : a;
  }
}

/* s: beta1_power, beta2_power, lr, beta1, beta2, epsilon */
static void N(adam_with_amsgrad)(const T* s, unsigned flags, T* const* slot, const T* restrict g,
                                 int64_t n) {
  T* restrict var = slot[0], * restrict m = slot[1];
  T* restrict v = slot[2], * restrict vhat = slot[3];
  const T alpha = s[2] * SQRT(1 - s[1]) / (1 - s[0]);
  const T rest1 = 1 - s[3], rest2 = 1 - s[4], epsilon = s[5];
  (void)flags;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; i++) {
    const T mi = m[i] + (g[i] - m[i]) * rest1, vi = v[i] + (g[i] * g[i] - v[i]) * rest2;
    const T most = vhat[i] > vi ? vhat[i] : vi;
    m[i] = mi;
    v[i] = vi;
    vhat[i] = most;
    var[i] -= mi * alpha / (SQRT(most) + epsilon);
  }
}

#undef T
#undef SQRT
#undef POW
#undef EXP
#undef FABS
