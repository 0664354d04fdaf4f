/* MatMul and the batched ones. half and bfloat16 are summed in float; integers wrap. */
#include "gemm.cuh"
#include "matmul.h"

/* The offset of the batch's matrix. */
__device__ __forceinline__ int64_t matrix_offset(const matmul_params& p, const int64_t* stride,
                                                 int64_t batch) {
  int64_t offset = 0;
  for (int d = (int)p.batch_rank - 1; d >= 0; d--) {
    offset += batch % p.batch_dims[d] * stride[d];
    batch /= p.batch_dims[d];
  }
  return offset;
}

template <typename T, typename A>
struct matmul_a {
  const matmul_params& p;
  int64_t matrix;
  __device__ __forceinline__ void move_to(int64_t batch) {
    matrix = matrix_offset(p, p.a_stride, batch);
  }
  __device__ __forceinline__ bool along_depth() const { return p.a_depth_step == 1; }
  __device__ __forceinline__ A at(int64_t row, int64_t k) const {
    return (A)load<T>(p.a, matrix + row * p.a_row_step + k * p.a_depth_step);
  }
};
template <typename T, typename A>
struct matmul_b {
  const matmul_params& p;
  int64_t matrix;
  __device__ __forceinline__ void move_to(int64_t batch) {
    matrix = matrix_offset(p, p.b_stride, batch);
  }
  __device__ __forceinline__ bool along_depth() const { return p.b_col_step != 1; }
  __device__ __forceinline__ A at(int64_t col, int64_t k) const {
    return (A)load<T>(p.b, matrix + col * p.b_col_step + k * p.b_depth_step);
  }
};
template <typename T, typename A>
struct matmul_c {
  const matmul_params& p;
  __device__ __forceinline__ void put(const gemm_place& at, int64_t row, int64_t col, A sum) const {
    const gemm_size& s = p.size;
    const int64_t i = ((at.chunk * s.batch + at.batch) * s.m + row) * s.n + col;
    if (s.chunks > 1)
      ((A*)p.c)[i] = sum;
    else
      store<T>(p.c, i, (typename wide<T>::type)sum);
  }
};

/* A: what is summed in, the accumulator of reduce.cu where partial sums are added up. */
template <typename T, typename A>
__device__ __forceinline__ void matmul(const matmul_params& p) {
  gemm<A>(p.size, matmul_a<T, A>{p, 0}, matmul_b<T, A>{p, 0}, matmul_c<T, A>{p});
}
#define MATMUL_KERNEL(T, A)                                       \
  TFC_KERNEL_BOUNDS(MatMul_##T, matmul_params, p, GEMM_THREADS) { \
    matmul<T, A>(p);                                              \
  }
#define FLOAT_KERNEL(OP, T) MATMUL_KERNEL(T, wide<T>::type)
TFC_FLOATS(FLOAT_KERNEL, MatMul)
MATMUL_KERNEL(int8, int64_t)
MATMUL_KERNEL(uint8, int64_t)
MATMUL_KERNEL(int16, int64_t)
MATMUL_KERNEL(uint16, int64_t)
MATMUL_KERNEL(int32, int64_t)
MATMUL_KERNEL(uint32, int64_t)
MATMUL_KERNEL(int64, uint64_t)
MATMUL_KERNEL(uint64, uint64_t)
