/* Dense matrix products: C = A * B, + C, + bias, relu.
 *
 * Three levels, each built from the one below:
 *   gemm_float, gemm_double              a whole product on all threads of the context
 *   gemm_block_float, gemm_block_double  a block of C on this thread
 *   gemm_tile_float, gemm_tile_double    one register tile: the micro-kernel, also for convolutions
 *
 * All strides count elements. Every element of C is the sum over p = 0..k-1 in an order that
 * depends on m, n, k and the strides only, never on the number of threads.
 */
#ifndef TFC_GEMM_H
#define TFC_GEMM_H

#include "kernels_c/common/simd_types.h"
#include "tfcore/kernel.h"

/* ---- Sizes for the level that is compiled; gemm_tile.h and gemm_block.h explain them. */
#if TFC_LEVEL_NUM == 2 /* 32 registers */
enum { GEMM_ROWS = 14, GEMM_WIDE_VECTORS = 6 };
#else /* 16 registers */
enum { GEMM_ROWS = 6, GEMM_WIDE_VECTORS = 3 };
#endif
#define GEMM_MASKED_COLUMNS (TFC_LEVEL_NUM == 2) /* partial vectors of columns cost nothing */
enum {
  GEMM_WIDE_ROWS = 4,
  GEMM_TILE_VECTORS = 2,     /* of a tall tile */
  GEMM_A_BYTES = 480 * 1024, /* of packed A: half of a 1 MB L2 */
  GEMM_PARALLEL_NS = 12000,  /* below, one thread */
  GEMM_PART_NS = 10000,      /* parts of a parallel product are no smaller */
  GEMM_KC = 320 /* deepest slice of k: a slice of a strip of B takes 40 of 48 KB of L1 */
};

/* Flags of all levels. The order is: C = relu(A*B + C + bias). */
enum { GEMM_ACCUMULATE = 1, GEMM_RELU = 2, GEMM_RELU6 = 4 };

/* A(i,p) is a[i*a_rs + p*a_cs], B(p,j) is b[p*b_rs + j*b_cs], C(i,j) is c[i*c_rs + j*c_cs].
 * Any strides are right; fast is a stride of 1 in each matrix, and c_cs == 1. Sizes may be 0;
 * with k == 0 the product is 0. */
typedef struct gemm_args {
  int64_t m, n, k;
  const void* a;
  int64_t a_rs, a_cs;
  const void* b;
  int64_t b_rs, b_cs;
  void* c;
  int64_t c_rs, c_cs;
  const void* bias; /* n values added to each row, or NULL */
  unsigned flags;
} gemm_args;

/* A whole product. ctx may be NULL: then on this thread only. */
void gemm_float(tfc_context* ctx, const gemm_args* g);
void gemm_double(tfc_context* ctx, const gemm_args* g);

/* The same on this thread, for use inside a parallel range. */
void gemm_block_float(const gemm_args* g);
void gemm_block_double(const gemm_args* g);

/* C = A_0 * B_0 + A_1 * B_1 + ..., or 0 + A_0 * B_0 + ..., or C + A_0 * B_0 + ..., the bits of the
 * products and their additions in this order. All terms have the same m, n and C, with c_rs == n
 * and c_cs == 1, and neither bias nor flags; count is at least 1. False: there is no memory. */
typedef enum { GEMM_NEW, GEMM_FROM_ZERO, GEMM_ADD } gemm_start;
bool gemm_sum_float(tfc_context* ctx, const gemm_args* terms, int64_t count, gemm_start start);
bool gemm_sum_double(tfc_context* ctx, const gemm_args* terms, int64_t count, gemm_start start);

/* Rough cost of a product on one thread, for tfc_parallel_for: that of its FMAs or that of reading
 * its operands from beyond L2, whichever is more. */
static inline double gemm_cost_ns(int64_t m, int64_t n, int64_t k, size_t element_size) {
  const double size = (double)element_size;
  const double fma = (double)m * (double)n * (double)k * size / (TFC_VECTOR_BYTES * 8.0);
  const double memory = ((double)m * (double)k + (double)k * (double)n) * size / 64.0;
  return 50 + (fma > memory ? fma : memory);
}

/* ---- The register tile.
 *
 * C[0..rows) x [0..cols) (+)= sum over blocks of A_block * B_block, where a block is A(i,p) =
 * a[a_offsets[block] + i*a_rs + p*a_cs],  0 <= i < rows, 0 <= p < k B(p,.) = `vectors` whole
 * vectors at b[b_offsets[block] + p*b_rs] so A may be row-major (a_cs == 1), column-major (a_rs ==
 * 1), packed, or the pixels of an image. With blocks == 1 the offsets may be NULL and are then 0. C
 * is written only in its cols columns, which must need all the vectors. Where GEMM_MASKED_COLUMNS
 * is 0, B is read in whole vectors even if cols ends before (give it a strip of gemm_pack_b then).
 * pack_b, if not NULL, receives what was read of B, k * vectors whole vectors (block after block),
 * so that the first tile of a column packs the strip for the tiles below it at no cost. prefetch,
 * if not NULL, is touched ahead of use: two cache lines each prefetch_rs elements, k times.
 */
typedef struct gemm_tile {
  int64_t k;
  int64_t blocks;
  const void* a;
  int64_t a_rs, a_cs;
  const int64_t* a_offsets;
  const void* b;
  int64_t b_rs;
  const int64_t* b_offsets;
  void* c;
  int64_t c_rs, c_cs; /* c_cs == 1 is fast */
  int64_t cols;       /* (vectors - 1) * lanes + 1 .. vectors * lanes */
  const void* bias;   /* cols values, or NULL */
  unsigned flags;
  void* pack_b;
  const void* prefetch;
  int64_t prefetch_rs;
} gemm_tile;

typedef void (*gemm_tile_fn)(const gemm_tile*);

/* The micro-kernel for a tile of `rows` rows and `vectors` vectors: 1 or 2 vectors with 1 to
 * GEMM_ROWS rows, or GEMM_WIDE_VECTORS with 1 to GEMM_WIDE_ROWS rows. */
gemm_tile_fn gemm_tile_float(int rows, int vectors);
gemm_tile_fn gemm_tile_double(int rows, int vectors);

/* Packs B(0..k, 0..cols) into a strip of k rows of `vectors` vectors, padded with zeros. */
void gemm_pack_b_float(float* strip, const float* b, int64_t b_rs, int64_t b_cs, int64_t k,
                       int64_t cols, int vectors);
void gemm_pack_b_double(double* strip, const double* b, int64_t b_rs, int64_t b_cs, int64_t k,
                        int64_t cols, int vectors);

/* How many tiles of at most GEMM_ROWS rows cover m rows; tile i has gemm_tile_begin(i+1) -
 * gemm_tile_begin(i) rows. Equal heights (128 rows: 8 tiles of 13 and 2 of 12) waste nothing,
 * a remainder would. */
static inline int64_t gemm_tile_count(int64_t m) {
  return (m + GEMM_ROWS - 1) / GEMM_ROWS;
}
static inline int64_t gemm_tile_begin(int64_t m, int64_t tiles, int64_t i) {
  return i * (m / tiles) + (i < m % tiles ? i : m % tiles);
}

#endif /* TFC_GEMM_H */
