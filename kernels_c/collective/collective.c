/* The arithmetic of collectives: combines many arrays into one, and copies past the cache.
 *
 * The sources are combined in tiles that stay in L1, in the given order, which alone determines the
 * bits.
 */
#include "kernels_c/collective/loops.h"
#include "kernels_c/common/common.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TILE_BYTES = 4096, TILE_16BIT = 1024 };

#define SUM_OF(A, B) (T)((A) + (B))
#define MUL_OF(A, B) (T)((A) * (B))
/* A NaN among the operands is the result, as in NumPy. */
#define MIN_OF(A, B) ((A) < (B) || (A) != (A) ? (A) : (B))
#define MAX_OF(A, B) ((A) > (B) || (A) != (A) ? (A) : (B))

/* Two sources at a time, then a last single one; all passes but the first find `to` in L1. */
#define TILES(NAME, CTYPE, OF)                                                                 \
  static void NAME(int n_from, const tfc_operand* from, void* out, int64_t begin, int64_t n) { \
    typedef CTYPE T;                                                                           \
    T* restrict to = (T*)out + begin;                                                          \
    const T* restrict a = (const T*)from[0].data + begin;                                      \
    if (n_from == 1) {                                                                         \
      memcpy(to, a, (size_t)n * sizeof(T));                                                    \
      return;                                                                                  \
    }                                                                                          \
    const T* restrict b = (const T*)from[1].data + begin;                                      \
    for (int64_t i = 0; i < n; i++) to[i] = OF(a[i], b[i]);                                    \
    for (int k = 2; k < n_from; k++) {                                                         \
      const T* restrict c = (const T*)from[k].data + begin;                                    \
      for (int64_t i = 0; i < n; i++) to[i] = OF(to[i], c[i]);                                 \
    }                                                                                          \
  }

#define SUM_AND_MUL(X) /* integers wrap: unsigned types of their size */ \
  X(uint8_t, uint8)                                                      \
  X(uint16_t, uint16) X(uint32_t, uint32) X(uint64_t, uint64) X(float, float) X(double, double)
#define MIN_AND_MAX(X) \
  X(int8_t, int8)      \
  X(int16_t, int16)    \
  X(int32_t, int32)    \
  X(int64_t, int64)    \
  X(uint8_t, uint8)    \
  X(uint16_t, uint16) X(uint32_t, uint32) X(uint64_t, uint64) X(float, float) X(double, double)

#define MAKE_SUM(T, S) TILES(sum_##S, T, SUM_OF)
#define MAKE_MUL(T, S) TILES(mul_##S, T, MUL_OF)
#define MAKE_MIN(T, S) TILES(min_##S, T, MIN_OF)
#define MAKE_MAX(T, S) TILES(max_##S, T, MAX_OF)
SUM_AND_MUL(MAKE_SUM)
SUM_AND_MUL(MAKE_MUL)
MIN_AND_MAX(MAKE_MIN)
MIN_AND_MAX(MAKE_MAX)
TILES(mul_complex64, float _Complex, MUL_OF)
TILES(mul_complex128, double _Complex, MUL_OF)

typedef void (*tile_fn)(int n_from, const tfc_operand* from, void* to, int64_t begin, int64_t n);

/* dtype -> sum, min, max, mul. A complex sum is a sum of twice as many reals. */
static tile_fn tile_of(int32_t dtype, tfc_reduce_op op) {
#define ROW(DTYPE, SUM, S) \
  case DTYPE: return (const tile_fn[]){sum_##SUM, min_##S, max_##S, mul_##SUM}[op];
  switch (dtype) {
    ROW(TFC_FLOAT, float, float)
    ROW(TFC_DOUBLE, double, double)
    ROW(TFC_INT8, uint8, int8)
    ROW(TFC_INT16, uint16, int16)
    ROW(TFC_INT32, uint32, int32)
    ROW(TFC_INT64, uint64, int64)
    ROW(TFC_UINT8, uint8, uint8)
    ROW(TFC_UINT16, uint16, uint16)
    ROW(TFC_UINT32, uint32, uint32)
    ROW(TFC_UINT64, uint64, uint64)
    case TFC_COMPLEX64: return (const tile_fn[]){sum_float, NULL, NULL, mul_complex64}[op];
    case TFC_COMPLEX128: return (const tile_fn[]){sum_double, NULL, NULL, mul_complex128}[op];
    case TFC_HALF:
    case TFC_BFLOAT16: return (const tile_fn[]){sum_float, min_float, max_float, mul_float}[op];
    default: return NULL;
  }
#undef ROW
}

static bool serves(int32_t dtype, tfc_reduce_op op) {
  return tile_of(dtype, op) != NULL;
}

/* Integers are rounded towards zero, as C does. */
static void divide(int32_t dtype, int divisor, void* p, int64_t n) {
#define DIVIDE(CTYPE)                                         \
  {                                                           \
    CTYPE* x = p;                                             \
    const CTYPE d = (CTYPE)divisor;                           \
    for (int64_t i = 0; i < n; i++) x[i] = (CTYPE)(x[i] / d); \
  }                                                           \
  break;
#define DIVIDE_SMALL(CTYPE) /* the divisor may be beyond the type */     \
  {                                                                      \
    CTYPE* x = p;                                                        \
    for (int64_t i = 0; i < n; i++) x[i] = (CTYPE)((int)x[i] / divisor); \
  }                                                                      \
  break;
  switch (dtype) {
    case TFC_COMPLEX64: n *= 2; /* fall through */
    case TFC_FLOAT: DIVIDE(float)
    case TFC_COMPLEX128: n *= 2; /* fall through */
    case TFC_DOUBLE: DIVIDE(double)
    case TFC_INT8: DIVIDE_SMALL(int8_t)
    case TFC_UINT8: DIVIDE_SMALL(uint8_t)
    case TFC_INT16: DIVIDE_SMALL(int16_t)
    case TFC_UINT16: DIVIDE_SMALL(uint16_t)
    case TFC_INT32: DIVIDE(int32_t)
    case TFC_UINT32: DIVIDE(uint32_t)
    case TFC_INT64: DIVIDE(int64_t)
    case TFC_UINT64: DIVIDE(uint64_t)
    default: break;
  }
}

/* The elements of an operand as float32: those in memory, or in `widened`. */
static const float* floats_of(int32_t dtype, const tfc_operand* from, int64_t begin, int64_t n,
                              float* widened) {
  if (from->wide) return (const float*)from->data + begin;
  tfc_widen(dtype, (const uint16_t*)from->data + begin, widened, n);
  return widened;
}

/* Half and bfloat16: widened, combined and rounded once. */
static void reduce_16bit(int32_t dtype, tfc_reduce_op op, int divisor, int n_from,
                         const tfc_operand* from, void* to, bool to_wide, int64_t n) {
  float sum[TILE_16BIT], more[TILE_16BIT], both[TILE_16BIT];
  tile_fn tile = tile_of(dtype, op);
  for (int64_t begin = 0; begin < n; begin += TILE_16BIT) {
    int64_t m = TFC_MIN(n - begin, TILE_16BIT);
    const float* first = floats_of(dtype, &from[0], begin, m, sum);
    if (first != sum) memcpy(sum, first, (size_t)m * sizeof *sum);
    for (int k = 1; k < n_from; k++) {
      const tfc_operand pair[] = {{sum, true}, {floats_of(dtype, &from[k], begin, m, more), true}};
      tile(2, pair, both, 0, m);
      memcpy(sum, both, (size_t)m * sizeof *sum);
    }
    if (divisor != 1) divide(TFC_FLOAT, divisor, sum, m);
    if (to_wide)
      memcpy((float*)to + begin, sum, (size_t)m * sizeof *sum);
    else
      tfc_narrow(dtype, sum, (uint16_t*)to + begin, m);
  }
}

static void reduce(int32_t dtype, tfc_reduce_op op, int divisor, int n_from,
                   const tfc_operand* from, void* to, bool to_wide, int64_t n) {
  if (tfc_is_16bit_float(dtype)) {
    reduce_16bit(dtype, op, divisor, n_from, from, to, to_wide, n);
    return;
  }
  bool is_complex = dtype == TFC_COMPLEX64 || dtype == TFC_COMPLEX128;
  bool as_reals = is_complex && op == TFC_REDUCE_SUM;
  size_t size = tfc_dtype_size(dtype) / (as_reals ? 2 : 1);
  int32_t real = !as_reals ? dtype : dtype == TFC_COMPLEX64 ? TFC_FLOAT : TFC_DOUBLE;
  tile_fn tile = tile_of(dtype, op);
  int64_t step = TILE_BYTES / (int64_t)size;
  if (as_reals) n *= 2;
  for (int64_t begin = 0; begin < n; begin += step) {
    int64_t m = TFC_MIN(n - begin, step);
    tile(n_from, from, to, begin, m);
    if (divisor != 1) divide(real, divisor, (char*)to + (size_t)begin * size, m);
  }
}

/* ---- Copies */

#if defined(__AVX512F__)
enum { LINE = 64 };
static inline void stream_line(char* to, const char* from) {
  _mm512_stream_si512((__m512i*)to, _mm512_loadu_si512(from));
}
#elif defined(__AVX__)
enum { LINE = 32 };
static inline void stream_line(char* to, const char* from) {
  _mm256_stream_si256((__m256i*)to, _mm256_loadu_si256((const __m256i*)from));
}
#elif defined(__SSE2__)
enum { LINE = 16 };
static inline void stream_line(char* to, const char* from) {
  _mm_stream_si128((__m128i*)to, _mm_loadu_si128((const __m128i*)from));
}
#endif

static void copy(void* to, const void* from, size_t bytes) {
#if defined(__SSE2__)
  char* out = to;
  const char* in = from;
  size_t head = (64 - (uintptr_t)out % 64) % 64;
  if (bytes >= 4096) {
    memcpy(out, in, head);
    size_t i = head;
    for (; i + 64 <= bytes; i += 64)
      for (int j = 0; j < 64; j += LINE) stream_line(out + i + j, in + i + j);
    memcpy(out + i, in + i, bytes - i);
    _mm_sfence(); /* must be visible before others are told of the copy */
    return;
  }
#endif
  memcpy(to, from, bytes);
}

const tfc_collective_loops* tfc_collective_loops_table(void) {
  static const tfc_collective_loops loops = {.reduce = reduce, .copy = copy, .serves = serves};
  return &loops;
}
