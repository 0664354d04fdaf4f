/* ClipByValue: max(min(x, high), low). A NaN in x stays. */
#include "kernels_cuda/cwise/cwise.cuh"

template <typename T>
__device__ __forceinline__ void clip_elements(const cwise_clip_params& p) {
  typedef typename wide<T>::type W;
  TFC_FOR_ELEMENTS(i, p.n) {
    W x = load<T>(p.x, i), low = load<T>(p.low, i * p.low_step);
    W high = load<T>(p.high, i * p.high_step);
    x = x > high ? high : x;
    store<T>(p.y, i, x < low ? low : x);
  }
}
#define CLIP_KERNEL(OP, T)                     \
  TFC_KERNEL(OP##_##T, cwise_clip_params, p) { \
    clip_elements<T>(p);                       \
  }
TFC_REALS(CLIP_KERNEL, ClipByValue)
