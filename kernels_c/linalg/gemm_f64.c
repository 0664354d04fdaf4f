/* gemm_f64: see gemm.h. */
#include <stdlib.h>
#include <string.h>

#include "kernels_c/linalg/gemm.h"

#define T double
#define T_BYTES 8
#define INDEX_T int64_t
#define FN(name) name##_f64

#if TFC_LEVEL_NUM == 2
#include <immintrin.h>
#define load_masked_f64(p, mask) _mm512_maskz_loadu_pd((__mmask8)(mask), p)
#define store_masked_f64(p, x, mask) _mm512_mask_storeu_pd(p, (__mmask8)(mask), (__m512d)(x))
#endif

// clang-format off: each part builds on the ones before
#include "kernels_c/linalg/gemm_vector.h"
#include "kernels_c/linalg/gemm_tile.h"
#include "kernels_c/linalg/gemm_pack.h"
#include "kernels_c/linalg/gemm_dot.h"
#include "kernels_c/linalg/gemm_block.h"
#include "kernels_c/linalg/gemm_sum.h"
// clang-format on

void gemm_f64(tfc_context* ctx, const gemm_args* g) {
  product_f64(ctx, g);
}
void gemm_block_f64(const gemm_args* g) {
  product_f64(NULL, g);
}
bool gemm_sum_f64(tfc_context* ctx, const gemm_args* terms, int64_t count, gemm_start start) {
  return sum_of_products_f64(ctx, terms, count, start);
}
