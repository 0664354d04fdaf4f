/* AddN. half and bfloat16 are summed in float; integers wrap. */
#include "kernels_cuda/cwise/cwise.cuh"

template <typename T>
__device__ __forceinline__ void sum_elements(const cwise_sum_params& p) {
  typedef typename wrapping<T>::type W;
  TFC_FOR_ELEMENTS(i, p.n) {
    W sum = (W)load<T>(p.inputs[0], i);
    for (int k = 1; k < p.n_inputs; k++) sum += (W)load<T>(p.inputs[k], i);
    store<T>(p.y, i, (typename wide<T>::type)sum);
  }
}
#define SUM_KERNEL(OP, T)                     \
  TFC_KERNEL(OP##_##T, cwise_sum_params, p) { \
    sum_elements<T>(p);                       \
  }
TFC_REALS(SUM_KERNEL, AddN)
