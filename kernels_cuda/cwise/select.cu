/* Select and SelectV2: they only move elements, so the kernels are by element size. */
#include "kernels_cuda/cwise/cwise.cuh"

template <typename T, typename I>
__device__ __forceinline__ void select_elements(const cwise_select_params& p) {
  TFC_FOR_ELEMENTS(i, p.n) {
    I rest = (I)i;
    int64_t c = 0, x = 0, y = 0;
    for (int d = (int)p.rank - 1; d >= 0; d--) {
      I quotient = d ? rest / (I)p.dims[d] : 0, index = rest - quotient * (I)p.dims[d];
      c += index * p.c_stride[d];
      x += index * p.x_stride[d];
      y += index * p.y_stride[d];
      rest = quotient;
    }
    ((T*)p.z)[i] = p.c[c] ? ((const T*)p.x)[x] : ((const T*)p.y)[y];
  }
}
#define SELECT_KERNEL(OP, T)                     \
  TFC_KERNEL(OP##_##T, cwise_select_params, p) { \
    if (p.n <= INT32_MAX)                        \
      select_elements<T, uint32_t>(p);           \
    else                                         \
      select_elements<T, int64_t>(p);            \
  }
TFC_SIZES(SELECT_KERNEL, Select)
