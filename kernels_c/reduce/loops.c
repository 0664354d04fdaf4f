/* See reduce.h. Plain C: each loop is over independent elements, which the compiler vectorises. */
#include <string.h>

#include "kernels_c/common/simd.h"
#include "kernels_c/reduce/reduce.h"

/* Functions, not macros: their arguments are evaluated once. In BIGGER and SMALLER the first of the
 * pair survives if it is NaN, and the second if that is. */
#define PAIR(NAME, T, EXPRESSION)  \
  static inline T NAME(T a, T b) { \
    return EXPRESSION;             \
  }
#define BIGGER a != a ? a : (a > b ? a : b)
#define SMALLER a != a ? a : (a < b ? a : b)
#define SAME(x) (x)
#define SQUARE(x) ((x) * (x))
/* Whether short lines may be processed four at a time. If the compiler fuses multiplications with
 * additions, it does so differently there, and which lines come together depends on the threads. */
#define SAME_BY_FOUR 1
#define SQUARE_BY_FOUR 0

/* Four rows at a time: the accumulator is loaded and stored once for four. (Eight would be too deep
 * for the compiler to vectorise the maximum.) */
#define ROWS(NAME, T, OP, MAP)                                                      \
  static void NAME##_rows(void* acc_, const void* x_, int64_t rows, int64_t stride, \
                          int64_t width) {                                          \
    T* restrict acc = acc_;                                                         \
    const T* x = x_;                                                                \
    int64_t i = 0;                                                                  \
    for (; i + 4 <= rows; i += 4, x += 4 * stride) {                                \
      const T* restrict a = x;                                                      \
      const T* restrict b = a + stride;                                             \
      const T* restrict c = b + stride;                                             \
      const T* restrict d = c + stride;                                             \
      for (int64_t j = 0; j < width; j++) {                                         \
        const T ab = OP(MAP(a[j]), MAP(b[j])), cd = OP(MAP(c[j]), MAP(d[j]));       \
        acc[j] = OP(acc[j], OP(ab, cd));                                            \
      }                                                                             \
    }                                                                               \
    for (; i < rows; i++, x += stride)                                              \
      for (int64_t j = 0; j < width; j++) acc[j] = OP(acc[j], MAP(x[j]));           \
  }

/* The same for maxima and minima of floats with SIMD functions: the compiler does not vectorize the
 * choice that keeps NaN. */
#define FLOAT_ROWS(NAME, T, V, LANES, PICK)                                            \
  static void NAME##_rows(void* acc_, const void* x_, int64_t rows, int64_t stride,    \
                          int64_t width) {                                             \
    T* acc = acc_;                                                                     \
    const T* x = x_;                                                                   \
    const int64_t whole = width - width % LANES;                                       \
    int64_t i = 0;                                                                     \
    for (; i + 4 <= rows; i += 4, x += 4 * stride)                                     \
      for (int64_t j = 0; j < whole; j += LANES) {                                     \
        const V ab = PICK(V##_load(x + j), V##_load(x + j + stride));                  \
        const V cd = PICK(V##_load(x + j + 2 * stride), V##_load(x + j + 3 * stride)); \
        V##_store(acc + j, PICK(V##_load(acc + j), PICK(ab, cd)));                     \
      }                                                                                \
    for (; i < rows; i++, x += stride)                                                 \
      for (int64_t j = 0; j < whole; j += LANES)                                       \
        V##_store(acc + j, PICK(V##_load(acc + j), V##_load(x + j)));                  \
    x = x_;                                                                            \
    for (i = 0; i < rows; i++, x += stride)                                            \
      for (int64_t j = whole; j < width; j++) acc[j] = NAME##_pair(acc[j], x[j]);      \
  }

/* A line is folded in LANES columns, then the columns by halves, so that no element is added to a
 * sum of all others, which would round most. Short lines go four at a time, so that their chains of
 * dependent operations overlap. */
enum { LANES = 64 };
#define HALVE_PLAIN(NAME, acc, half) \
  for (int64_t j = 0; j < half; j++) acc[j] = NAME##_pair(acc[j], acc[j + half])
#define HALVE_ROWS(NAME, acc, half) NAME##_rows(acc, acc + half, 1, 0, half)
#define FOLD(NAME, T, OP, MAP, HALVE)                                             \
  static T NAME##_fold(const T* restrict x, int64_t n) {                          \
    T acc[LANES];                                                                 \
    int64_t lanes = LANES;                                                        \
    while (lanes > n) lanes /= 2;                                                 \
    for (int64_t j = 0; j < lanes; j++) acc[j] = MAP(x[j]);                       \
    const int64_t blocks = n / lanes;                                             \
    if (blocks > 1) NAME##_rows(acc, x + lanes, blocks - 1, lanes, lanes);        \
    const int64_t done = blocks * lanes;                                          \
    for (int64_t j = 0; j < n - done; j++) acc[j] = OP(acc[j], MAP(x[done + j])); \
    for (int64_t half = lanes / 2; half > 0; half /= 2) HALVE(NAME, acc, half);   \
    return acc[0];                                                                \
  }

/* NAME_fold for floats with SIMD functions, in the same order: the columns stay in registers. PICK
 * need not keep NaN if NOTE adds all elements to `noted`: their sum is NaN if one of them is. (It
 * may be NaN otherwise, with infinities.) Then NAME_fold does the work. */
#define EACH _Pragma("GCC unroll 16") for (int v = 0; v < WIDE; v++)
#define NOTE_NOTHING(sum, x)
#define NOTE_ALL(sum, x) sum += x
#define VECTOR_FOLD(NAME, T, V, INDICES, N, PICK, MAP, NOTE)                                   \
  static inline __attribute__((always_inline)) V NAME##_halve(V v, int half) {                 \
    return PICK(v, __builtin_shuffle(v, INDICES##_iota() + half));                             \
  }                                                                                            \
  static T NAME##_vector_fold(const T* x, int64_t n) {                                         \
    enum { WIDE = LANES / N };                                                                 \
    V acc[WIDE], noted = {0};                                                                  \
    int64_t i = LANES;                                                                         \
    EACH acc[v] = MAP(V##_load(x + v * N));                                                    \
    EACH {                                                                                     \
      NOTE(noted, acc[v]);                                                                     \
    }                                                                                          \
    for (; i + 4 * LANES <= n; i += 4 * LANES) EACH {                                          \
        const T* at = x + i + v * N;                                                           \
        const V a = V##_load(at), b = V##_load(at + LANES);                                    \
        const V c = V##_load(at + 2 * LANES), d = V##_load(at + 3 * LANES);                    \
        acc[v] = PICK(acc[v], PICK(PICK(MAP(a), MAP(b)), PICK(MAP(c), MAP(d))));               \
        NOTE(noted, (a + b) + (c + d));                                                        \
      }                                                                                        \
    for (; i + LANES <= n; i += LANES) EACH {                                                  \
        const V a = V##_load(x + i + v * N);                                                   \
        acc[v] = PICK(acc[v], MAP(a));                                                         \
        NOTE(noted, a);                                                                        \
      }                                                                                        \
    if (i < n) {                                                                               \
      T columns[LANES];                                                                        \
      EACH V##_store(columns + v * N, acc[v]);                                                 \
      for (int64_t j = 0; j < n - i; j++) columns[j] = NAME##_pair(columns[j], MAP(x[i + j])); \
      EACH acc[v] = V##_load(columns + v * N);                                                 \
      EACH {                                                                                   \
        NOTE(noted, acc[v]);                                                                   \
      }                                                                                        \
    }                                                                                          \
    if (INDICES##_any(noted != noted)) return NAME##_fold(x, n);                               \
    _Pragma("GCC unroll 5") for (int half = WIDE / 2; half > 0; half /= 2) EACH if (v < half)  \
        acc[v] = PICK(acc[v], acc[v + half]);                                                  \
    V one = acc[0];                                                                            \
    _Pragma("GCC unroll 5") for (int half = N / 2; half > 0; half /= 2) one =                  \
        NAME##_halve(one, half);                                                               \
    return one[0];                                                                             \
  }

/* LONG: folds a line of LANES elements and more. */
#define LINE(NAME, T, OP, MAP, LONG)                                                            \
  static void NAME##_line(void* out_, const void* x_, int64_t count, int64_t n) {               \
    T* out = out_;                                                                              \
    const T* x = x_;                                                                            \
    if (n >= LANES) {                                                                           \
      for (int64_t i = 0; i < count; i++) out[i] = LONG(x + i * n, n);                          \
      return;                                                                                   \
    }                                                                                           \
    if (n >= 32) {                                                                              \
      for (int64_t i = 0; i < count; i++) out[i] = NAME##_fold(x + i * n, n);                   \
      return;                                                                                   \
    }                                                                                           \
    int64_t i = 0;                                                                              \
    for (; MAP##_BY_FOUR && i + 4 <= count; i += 4, x += 4 * n) {                               \
      T a = MAP(x[0]), b = MAP(x[n]), c = MAP(x[2 * n]), d = MAP(x[3 * n]);                     \
      for (int64_t j = 1; j < n; j++) {                                                         \
        const T p = MAP(x[j]), q = MAP(x[n + j]), r = MAP(x[2 * n + j]), s = MAP(x[3 * n + j]); \
        a = OP(a, p), b = OP(b, q), c = OP(c, r), d = OP(d, s);                                 \
      }                                                                                         \
      out[i] = a, out[i + 1] = b, out[i + 2] = c, out[i + 3] = d;                               \
    }                                                                                           \
    for (; i < count; i++, x += n) {                                                            \
      T a = MAP(x[0]);                                                                          \
      for (int64_t j = 1; j < n; j++) {                                                         \
        const T p = MAP(x[j]);                                                                  \
        a = OP(a, p);                                                                           \
      }                                                                                         \
      out[i] = a;                                                                               \
    }                                                                                           \
  }

#define TABLE(NAME, T) static const tfc_reducer NAME = {sizeof(T), NAME##_rows, NAME##_line};
#define REDUCER(NAME, T, EXPRESSION, MAP)      \
  PAIR(NAME##_pair, T, EXPRESSION)             \
  ROWS(NAME, T, NAME##_pair, MAP)              \
  FOLD(NAME, T, NAME##_pair, MAP, HALVE_PLAIN) \
  LINE(NAME, T, NAME##_pair, MAP, NAME##_fold) \
  TABLE(NAME, T)
#define FLOAT_REDUCER(NAME, T, V, INDICES, N, EXPRESSION, PICK, MAP) \
  PAIR(NAME##_pair, T, EXPRESSION)                                   \
  ROWS(NAME, T, NAME##_pair, MAP)                                    \
  FOLD(NAME, T, NAME##_pair, MAP, HALVE_PLAIN)                       \
  VECTOR_FOLD(NAME, T, V, INDICES, N, PICK, MAP, NOTE_NOTHING)       \
  LINE(NAME, T, NAME##_pair, MAP, NAME##_vector_fold)                \
  TABLE(NAME, T)
#define EXTREME_REDUCER(NAME, T, V, INDICES, N, EXPRESSION, PICK, QUICK) \
  PAIR(NAME##_pair, T, EXPRESSION)                                       \
  FLOAT_ROWS(NAME, T, V, N, PICK)                                        \
  FOLD(NAME, T, NAME##_pair, SAME, HALVE_ROWS)                           \
  VECTOR_FOLD(NAME, T, V, INDICES, N, QUICK, SAME, NOTE_ALL)             \
  LINE(NAME, T, NAME##_pair, SAME, NAME##_vector_fold)                   \
  TABLE(NAME, T)
#define PLUS(a, b) ((a) + (b))
#define TIMES(a, b) ((a) * (b))

FLOAT_REDUCER(sum_float, float, vf, vi, VF_N, a + b, PLUS, SAME)
FLOAT_REDUCER(sum_double, double, vd, vl, VD_N, a + b, PLUS, SAME)
REDUCER(sum_int32, uint32_t, a + b, SAME)
REDUCER(sum_int64, uint64_t, a + b, SAME)
FLOAT_REDUCER(prod_float, float, vf, vi, VF_N, a* b, TIMES, SAME)
FLOAT_REDUCER(prod_double, double, vd, vl, VD_N, a* b, TIMES, SAME)
REDUCER(prod_int32, uint32_t, a* b, SAME)
REDUCER(prod_int64, uint64_t, a* b, SAME)
EXTREME_REDUCER(max_float, float, vf, vi, VF_N, BIGGER, vf_max_nan, vf_max)
EXTREME_REDUCER(max_double, double, vd, vl, VD_N, BIGGER, vd_max_nan, vd_max)
REDUCER(max_int32, int32_t, a > b ? a : b, SAME)
REDUCER(max_int64, int64_t, a > b ? a : b, SAME)
REDUCER(max_uint64, uint64_t, a > b ? a : b, SAME)
EXTREME_REDUCER(min_float, float, vf, vi, VF_N, SMALLER, vf_min_nan, vf_min)
EXTREME_REDUCER(min_double, double, vd, vl, VD_N, SMALLER, vd_min_nan, vd_min)
REDUCER(min_int32, int32_t, a < b ? a : b, SAME)
REDUCER(min_int64, int64_t, a < b ? a : b, SAME)
REDUCER(min_uint64, uint64_t, a < b ? a : b, SAME)
FLOAT_REDUCER(squares_float, float, vf, vi, VF_N, a + b, PLUS, SQUARE)
FLOAT_REDUCER(squares_double, double, vd, vl, VD_N, a + b, PLUS, SQUARE)
REDUCER(all_bool, uint8_t, a& b, SAME)
REDUCER(any_bool, uint8_t, a | b, SAME)

/* Products of complex numbers are too rare for vectors. */
typedef struct {
  double re, im;
} complex128;

static inline complex128 times(complex128 a, complex128 b) {
  return (complex128){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static void prod_complex128_rows(void* acc_, const void* x_, int64_t rows, int64_t stride,
                                 int64_t width) {
  complex128* acc = acc_;
  const complex128* x = x_;
  for (int64_t i = 0; i < rows; i++, x += stride)
    for (int64_t j = 0; j < width; j++) acc[j] = times(acc[j], x[j]);
}

static void prod_complex128_line(void* out_, const void* x_, int64_t count, int64_t n) {
  complex128* out = out_;
  const complex128* x = x_;
  for (int64_t i = 0; i < count; i++, x += n) {
    out[i] = x[0];
    for (int64_t j = 1; j < n; j++) out[i] = times(out[i], x[j]);
  }
}

static const tfc_reducer prod_complex128 = {sizeof(complex128), prod_complex128_rows,
                                            prod_complex128_line};

const tfc_reducer* tfc_find_reducer(tfc_reduction reduction, tfc_accumulator accumulator) {
  static const tfc_reducer* const table[][7] = {
      [TFC_SUM] = {&sum_float, &sum_double, &sum_int32, &sum_int64, &sum_int64, NULL, NULL},
      [TFC_PROD] = {&prod_float, &prod_double, &prod_int32, &prod_int64, &prod_int64,
                    &prod_complex128, NULL},
      [TFC_MAX] = {&max_float, &max_double, &max_int32, &max_int64, &max_uint64, NULL, NULL},
      [TFC_MIN] = {&min_float, &min_double, &min_int32, &min_int64, &min_uint64, NULL, NULL},
      [TFC_SUM_SQUARES] = {&squares_float, &squares_double, NULL, NULL, NULL, NULL, NULL},
      [TFC_ALL] = {NULL, NULL, NULL, NULL, NULL, NULL, &all_bool},
      [TFC_ANY] = {NULL, NULL, NULL, NULL, NULL, NULL, &any_bool},
  };
  return table[reduction][accumulator];
}
