/* Products of gemm.h for one element type, a template. It is compiled in a file for each type, so
 * its parts leave their macros defined. */
#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/simd.h"
#include "kernels_c/common/template.h"
#include "kernels_c/linalg/gemm.h"

// clang-format off: each part builds on the ones before
#include "kernels_c/linalg/gemm_vector.h"
#include "kernels_c/linalg/gemm_tile.h"
#include "kernels_c/linalg/gemm_pack.h"
#include "kernels_c/linalg/gemm_dot.h"
#include "kernels_c/linalg/gemm_block.h"
#include "kernels_c/linalg/gemm_sum.h"
// clang-format on

void N(gemm)(tfc_context* ctx, const gemm_args* g) {
  N(product)(ctx, g);
}
void N(gemm_block)(const gemm_args* g) {
  N(product)(NULL, g);
}
bool N(gemm_sum)(tfc_context* ctx, const gemm_args* terms, int64_t count, gemm_start start) {
  return N(sum_of_products)(ctx, terms, count, start);
}

#undef T
