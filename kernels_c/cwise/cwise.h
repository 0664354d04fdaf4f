/* Drivers of element-wise kernels.
 *
 * An op is a table of loops, one per dtype; a loop works on contiguous memory and knows nothing of
 * shapes. The drivers check shapes, make the output (in place where possible), merge dimensions,
 * walk the outer ones and split large work over threads.
 *
 * half and bfloat16 need no separate loops: the drivers convert blocks to float, run the float loop
 * and round its results.
 */
#ifndef TFCORE_CWISE_H
#define TFCORE_CWISE_H

#include "kernels_c/cwise/shape.h"

#pragma GCC visibility push(hidden)

enum { TFC_N_DTYPES = 24 };

/* y[0..n) = f(x[0..n)); y may be x. state is the kernel's (attributes), NULL for most. */
typedef void (*tfc_unary_loop)(const void* x, void* y, int64_t n, const void* state);

/* Which operands have n elements; the other one has a single element. */
enum { TFC_BOTH = 0, TFC_SCALAR_X = 1, TFC_SCALAR_Y = 2 };

/* Errors that a binary loop may have found, returned as a set. */
enum { TFC_DIVISION_BY_ZERO = 1, TFC_NEGATIVE_POWER = 2 };

/* z[0..n) = f(x, y); z may be x or y. */
typedef unsigned (*tfc_binary_loop)(const void* x, const void* y, void* z, int64_t n, int mode,
                                    const void* state);

typedef struct tfc_unary_op {
  tfc_unary_loop loop[TFC_N_DTYPES]; /* by input dtype */
  double ns;                         /* rough time for an element */
} tfc_unary_op;

typedef struct tfc_binary_op {
  tfc_binary_loop loop[TFC_N_DTYPES];
  double ns;
} tfc_binary_op;

int tfc_unary(tfc_context* ctx, const tfc_unary_op* op);
int tfc_binary(tfc_context* ctx, const tfc_binary_op* op);
/* The same for two inputs that must have one shape. */
int tfc_binary_same_shape(tfc_context* ctx, const tfc_binary_op* op);
/* The second half of tfc_binary, for kernels that make output 0 themselves. */
int tfc_binary_run(tfc_context* ctx, const tfc_binary_op* op, const tfc_broadcast* b);

/* The loops of an op of float and double that _FusedCwise may run; NULL if there are none. They
 * need no state. tfcore/compiler/fuse_cwise.py has the same names. */
const tfc_unary_op* tfc_fusible_unary(const char* op);
const tfc_binary_op* tfc_fusible_binary(const char* op);

/* ---- Making loops. EXPRESSION gives the result from x (and y). */

#define TFC_UNARY(NAME, T, RESULT, EXPRESSION)                                 \
  static void NAME(const void* from, void* to, int64_t n, const void* state) { \
    const T* xs = from;                                                        \
    RESULT* ys = to;                                                           \
    (void)state;                                                               \
    _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) {                     \
      T x = xs[i];                                                             \
      ys[i] = (RESULT)(EXPRESSION);                                            \
    }                                                                          \
  }

/* With vectors of type V (vf or vd): EXPRESSION is in vectors. */
#define TFC_UNARY_VECTOR(NAME, T, V, EXPRESSION)                               \
  static void NAME(const void* from, void* to, int64_t n, const void* state) { \
    const T* xs = from;                                                        \
    T* ys = to;                                                                \
    const int lanes = (int)(sizeof(V) / sizeof(T));                            \
    int64_t i = 0;                                                             \
    (void)state;                                                               \
    for (; i + lanes <= n; i += lanes) {                                       \
      V x = V##_load(xs + i);                                                  \
      V##_store(ys + i, EXPRESSION);                                           \
    }                                                                          \
    if (i < n) {                                                               \
      V x = V##_load_n(xs + i, (int)(n - i));                                  \
      V##_store_n(ys + i, EXPRESSION, (int)(n - i));                           \
    }                                                                          \
  }

/* Three inner loops, so that each is vector code. */
#define TFC_BINARY(NAME, T, RESULT, EXPRESSION)                                       \
  static unsigned NAME(const void* xv, const void* yv, void* zv, int64_t n, int mode, \
                       const void* state) {                                           \
    const T *xs = xv, *ys = yv;                                                       \
    RESULT* zs = zv;                                                                  \
    (void)state;                                                                      \
    if (n == 1) {                                                                     \
      T x = xs[0], y = ys[0];                                                         \
      zs[0] = (RESULT)(EXPRESSION);                                                   \
    } else if (mode == TFC_BOTH) {                                                    \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) {                          \
        T x = xs[i], y = ys[i];                                                       \
        zs[i] = (RESULT)(EXPRESSION);                                                 \
      }                                                                               \
    } else if (mode == TFC_SCALAR_X) {                                                \
      T x = xs[0];                                                                    \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) {                          \
        T y = ys[i];                                                                  \
        zs[i] = (RESULT)(EXPRESSION);                                                 \
      }                                                                               \
    } else {                                                                          \
      T y = ys[0];                                                                    \
      _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++) {                          \
        T x = xs[i];                                                                  \
        zs[i] = (RESULT)(EXPRESSION);                                                 \
      }                                                                               \
    }                                                                                 \
    return 0;                                                                         \
  }

#define TFC_UNARY_PLAIN(NAME, T, RESULT, EXPRESSION)                           \
  static void NAME(const void* from, void* to, int64_t n, const void* state) { \
    const T* xs = from;                                                        \
    RESULT* ys = to;                                                           \
    (void)state;                                                               \
    for (int64_t i = 0; i < n; i++) {                                          \
      TFC_NO_VECTORS;                                                          \
      T x = xs[i];                                                             \
      ys[i] = (RESULT)(EXPRESSION);                                            \
    }                                                                          \
  }

/* One loop with strides: for rare types and for functions that are calls anyway. `failed` may be
 * set. */
#define TFC_BINARY_PLAIN(NAME, T, RESULT, EXPRESSION)                                 \
  static unsigned NAME(const void* xv, const void* yv, void* zv, int64_t n, int mode, \
                       const void* state) {                                           \
    const T *xs = xv, *ys = yv;                                                       \
    RESULT* zs = zv;                                                                  \
    unsigned failed = 0;                                                              \
    int64_t x_step = mode != TFC_SCALAR_X, y_step = mode != TFC_SCALAR_Y;             \
    (void)state;                                                                      \
    for (int64_t i = 0; i < n; i++) {                                                 \
      TFC_NO_VECTORS;                                                                 \
      T x = xs[i * x_step], y = ys[i * y_step];                                       \
      zs[i] = (RESULT)(EXPRESSION);                                                   \
    }                                                                                 \
    return failed;                                                                    \
  }

/* In the table of an op: its loops of floating-point types, OP_float and OP_double. */
#define TFC_FLOAT_ENTRIES(OP) [TFC_FLOAT] = OP##_float, [TFC_DOUBLE] = OP##_double

/* The compute function of an op, compute_OP, for a table. */
#define TFC_UNARY_KERNEL(OP, TABLE)           \
  static int compute_##OP(tfc_context* ctx) { \
    return tfc_unary(ctx, &TABLE);            \
  }
#define TFC_BINARY_KERNEL(OP, TABLE)          \
  static int compute_##OP(tfc_context* ctx) { \
    return tfc_binary(ctx, &TABLE);           \
  }
#define TFC_SAME_SHAPE_KERNEL(OP, TABLE)       \
  static int compute_##OP(tfc_context* ctx) {  \
    return tfc_binary_same_shape(ctx, &TABLE); \
  }
/* The table and the compute function of an op. */
#define TFC_UNARY_OP(OP, NS, ...)                             \
  static const tfc_unary_op table_##OP = {{__VA_ARGS__}, NS}; \
  TFC_UNARY_KERNEL(OP, table_##OP)
#define TFC_SAME_SHAPE_OP(OP, NS, ...)                         \
  static const tfc_binary_op table_##OP = {{__VA_ARGS__}, NS}; \
  TFC_SAME_SHAPE_KERNEL(OP, table_##OP)

#pragma GCC visibility pop

#endif /* TFCORE_CWISE_H */
