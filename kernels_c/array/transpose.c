/* Two-dimensional transposition of elements of 1 to 16 bytes.
 *
 * Registers hold a small square that is transposed by log2(n) rounds of interleaving; squares
 * are gathered into tiles whose output rows are whole cache lines, so that a line is fetched once
 * and written once.
 */
#include <string.h>

#include "kernels_c/array/copy.h"
#include "kernels_c/common/simd_types.h"
#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Types to copy one element without alignment or aliasing rules. */
typedef uint16_t __attribute__((aligned(1), may_alias)) u16;
typedef uint32_t __attribute__((aligned(1), may_alias)) u32;
typedef uint64_t __attribute__((aligned(1), may_alias)) u64;
typedef struct {
  u64 low, high;
} u128;

#define SCALAR_TRANSPOSE(NAME, T)                                                            \
  static void NAME(const char* a, int64_t a_stride, char* b, int64_t b_stride, int64_t rows, \
                   int64_t cols) {                                                           \
    const T* x = (const T*)a;                                                                \
    T* y = (T*)b;                                                                            \
    for (int64_t j = 0; j < cols; j++)                                                       \
      for (int64_t i = 0; i < rows; i++) y[j * b_stride + i] = x[i * a_stride + j];          \
  }
SCALAR_TRANSPOSE(scalar_8, uint8_t)
SCALAR_TRANSPOSE(scalar_16, u16)
SCALAR_TRANSPOSE(scalar_32, u32)
SCALAR_TRANSPOSE(scalar_64, u64)
SCALAR_TRANSPOSE(scalar_128, u128)

/* A square of N x N elements in N vectors. Round r interleaves rows i and i + N/2, which rotates
 * the bits of the (row, column) address; log2(N) rounds exchange row and column. */
#define INTERLEAVE_ROUND(V, N, IN, OUT, LOW, HIGH)                          \
  for (int k = 0; k < (N) / 2; k++) {                                       \
    (OUT)[2 * k] = __builtin_shuffle((IN)[k], (IN)[k + (N) / 2], LOW);      \
    (OUT)[2 * k + 1] = __builtin_shuffle((IN)[k], (IN)[k + (N) / 2], HIGH); \
  }

#define SQUARE_KERNEL(NAME, V, E, N, LOG, LOW, HIGH)                                             \
  TFC_VECTOR_TYPE_OF(V, E, N * sizeof(E));                                                       \
  static inline void NAME(const char* a, int64_t a_stride, char* b, int64_t b_stride) {          \
    V x[N], y[N];                                                                                \
    for (int i = 0; i < N; i++)                                                                  \
      x[i] = *(const V##_unaligned*)(a + i * a_stride * (int64_t)sizeof(E));                     \
    const V low = LOW, high = HIGH;                                                              \
    for (int r = 0; r + 1 < LOG; r += 2) {                                                       \
      INTERLEAVE_ROUND(V, N, x, y, low, high)                                                    \
      INTERLEAVE_ROUND(V, N, y, x, low, high)                                                    \
    }                                                                                            \
    if (LOG % 2) {                                                                               \
      INTERLEAVE_ROUND(V, N, x, y, low, high)                                                    \
      for (int i = 0; i < N; i++) x[i] = y[i];                                                   \
    }                                                                                            \
    for (int i = 0; i < N; i++) *(V##_unaligned*)(b + i * b_stride * (int64_t)sizeof(E)) = x[i]; \
  }
#define PAIR_4_LOW {0, 4, 1, 5}
#define PAIR_4_HIGH {2, 6, 3, 7}
#define PAIR_2_LOW {0, 2}
#define PAIR_2_HIGH {1, 3}
#define PAIR_8_LOW {0, 8, 1, 9, 2, 10, 3, 11}
#define PAIR_8_HIGH {4, 12, 5, 13, 6, 14, 7, 15}
#define PAIR_16_LOW {0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23}
#define PAIR_16_HIGH {8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31}

SQUARE_KERNEL(square_8, v16u8, uint8_t, 16, 4, PAIR_16_LOW, PAIR_16_HIGH)
SQUARE_KERNEL(square_16, v8u16, uint16_t, 8, 3, PAIR_8_LOW, PAIR_8_HIGH)
#if TFC_LEVEL_NUM >= 2
SQUARE_KERNEL(square_32, v16u32, uint32_t, 16, 4, PAIR_16_LOW, PAIR_16_HIGH)
SQUARE_KERNEL(square_64, v8u64, uint64_t, 8, 3, PAIR_8_LOW, PAIR_8_HIGH)
enum { SIDE_32 = 16, SIDE_64 = 8 };
#elif TFC_LEVEL_NUM == 1
SQUARE_KERNEL(square_32, v8u32, uint32_t, 8, 3, PAIR_8_LOW, PAIR_8_HIGH)
SQUARE_KERNEL(square_64, v4u64, uint64_t, 4, 2, PAIR_4_LOW, PAIR_4_HIGH)
enum { SIDE_32 = 8, SIDE_64 = 4 };
#else
SQUARE_KERNEL(square_32, v4u32, uint32_t, 4, 2, PAIR_4_LOW, PAIR_4_HIGH)
SQUARE_KERNEL(square_64, v2u64, uint64_t, 2, 1, PAIR_2_LOW, PAIR_2_HIGH)
enum { SIDE_32 = 4, SIDE_64 = 2 };
#endif

/* Transposes rows x cols elements by squares; edges go element by element. */
#define TILE_TRANSPOSE(NAME, SQUARE, SCALAR, SIDE, SIZE)                                      \
  static void NAME(const char* a, int64_t a_stride, char* b, int64_t b_stride, int64_t rows,  \
                   int64_t cols) {                                                            \
    const int64_t whole_rows = rows - rows % (SIDE), whole_cols = cols - cols % (SIDE);       \
    for (int64_t j = 0; j < whole_cols; j += (SIDE))                                          \
      for (int64_t i = 0; i < whole_rows; i += (SIDE))                                        \
        SQUARE(a + (i * a_stride + j) * (SIZE), a_stride, b + (j * b_stride + i) * (SIZE),    \
               b_stride);                                                                     \
    if (whole_cols < cols)                                                                    \
      SCALAR(a + whole_cols * (SIZE), a_stride, b + whole_cols * b_stride * (SIZE), b_stride, \
             rows, cols - whole_cols);                                                        \
    if (whole_rows < rows)                                                                    \
      SCALAR(a + whole_rows * a_stride * (SIZE), a_stride, b + whole_rows * (SIZE), b_stride, \
             rows - whole_rows, whole_cols);                                                  \
  }
TILE_TRANSPOSE(tile_8, square_8, scalar_8, 16, 1)
TILE_TRANSPOSE(tile_16, square_16, scalar_16, 8, 2)
TILE_TRANSPOSE(tile_32, square_32, scalar_32, SIDE_32, 4)
TILE_TRANSPOSE(tile_64, square_64, scalar_64, SIDE_64, 8)

typedef void (*tile_fn)(const char*, int64_t, char*, int64_t, int64_t, int64_t);

static tile_fn tile_for(size_t size) {
  switch (size) {
    case 1: return tile_8;
    case 2: return tile_16;
    case 4: return tile_32;
    case 8: return tile_64;
    default: return scalar_128;
  }
}

/* Writes `rows` lines of `bytes` (a multiple of 64, destination aligned to 64) past the cache. */
static void stream_lines(char* to, int64_t to_step, const char* from, int64_t from_step,
                         int64_t rows, int64_t bytes) {
#if defined(__AVX512F__)
  for (int64_t i = 0; i < rows; i++, to += to_step, from += from_step)
    for (int64_t k = 0; k < bytes; k += 64)
      _mm512_stream_si512((void*)(to + k), _mm512_load_si512((const void*)(from + k)));
#elif defined(__SSE2__)
  for (int64_t i = 0; i < rows; i++, to += to_step, from += from_step)
    for (int64_t k = 0; k < bytes; k += 16)
      _mm_stream_si128((__m128i*)(to + k), _mm_load_si128((const __m128i*)(from + k)));
#else
  for (int64_t i = 0; i < rows; i++, to += to_step, from += from_step) memcpy(to, from, bytes);
#endif
}

enum { BLOCK_BYTES = 256, BLOCK_COLS = 64 }; /* of an output row; of output rows */

void tfc_transpose_2d(const char* a, int64_t a_stride, char* b, int64_t b_stride, int64_t rows,
                      int64_t cols, size_t size, bool stream) {
  const tile_fn tile = tile_for(size);
  const int64_t block_rows = BLOCK_BYTES / (int64_t)size;
  const int64_t out_step = b_stride * (int64_t)size;
  char buffer[BLOCK_BYTES * BLOCK_COLS] __attribute__((aligned(64)));
  stream = stream && (uintptr_t)b % 64 == 0 && out_step % 64 == 0;
  for (int64_t i = 0; i < rows; i += block_rows) {
    const int64_t height = rows - i < block_rows ? rows - i : block_rows;
    for (int64_t j = 0; j < cols; j += BLOCK_COLS) {
      const int64_t width = cols - j < BLOCK_COLS ? cols - j : BLOCK_COLS;
      const char* from = a + (i * a_stride + j) * (int64_t)size;
      char* to = b + (j * b_stride + i) * (int64_t)size;
      if (stream && height == block_rows) {
        tile(from, a_stride, buffer, block_rows, height, width);
        stream_lines(to, out_step, buffer, BLOCK_BYTES, width, BLOCK_BYTES);
      } else {
        tile(from, a_stride, to, b_stride, height, width);
      }
    }
  }
#if defined(__SSE2__)
  if (stream) _mm_sfence();
#endif
}
