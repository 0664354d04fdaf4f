/* gemm_f32: see gemm.h. */
#include <stdlib.h>
#include <string.h>

#include "kernels_c/linalg/gemm.h"

#define T float
#define T_BYTES 4
#define INDEX_T int32_t
#define FN(name) name##_f32

#if TFC_LEVEL_NUM == 2
#include <immintrin.h>
#define load_masked_f32(p, mask) _mm512_maskz_loadu_ps((__mmask16)(mask), p)
#define store_masked_f32(p, x, mask) _mm512_mask_storeu_ps(p, (__mmask16)(mask), (__m512)(x))
#endif

// clang-format off: each part builds on the ones before
#include "kernels_c/linalg/gemm_vector.h"
#include "kernels_c/linalg/gemm_tile.h"
#include "kernels_c/linalg/gemm_pack.h"
#include "kernels_c/linalg/gemm_dot.h"
#include "kernels_c/linalg/gemm_block.h"
#include "kernels_c/linalg/gemm_sum.h"
// clang-format on

void gemm_f32(tfc_context* ctx, const gemm_args* g) {
  product_f32(ctx, g);
}
void gemm_block_f32(const gemm_args* g) {
  product_f32(NULL, g);
}
bool gemm_sum_f32(tfc_context* ctx, const gemm_args* terms, int64_t count, gemm_start start) {
  return sum_of_products_f32(ctx, terms, count, start);
}
