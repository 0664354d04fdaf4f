/* Fill, by element size; also ZerosLike and OnesLike. */
#include "kernels_cuda/cwise/cwise.cuh"

template <typename T>
struct first_bytes {
  static __device__ __forceinline__ T of(const uint64_t* value) { return (T)value[0]; }
};
template <>
struct first_bytes<bytes16> {
  static __device__ __forceinline__ bytes16 of(const uint64_t* value) {
    return bytes16{{value[0], value[1]}};
  }
};

#define FILL_KERNEL(OP, T)                        \
  TFC_KERNEL(OP##_##T, cwise_fill_params, p) {    \
    const T value = first_bytes<T>::of(p.value);  \
    TFC_FOR_ELEMENTS(i, p.n)((T*)p.y)[i] = value; \
  }
TFC_SIZES(FILL_KERNEL, Fill)
