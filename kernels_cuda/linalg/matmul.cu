/* MatMul and the batched ones. half and bfloat16 are summed in float; integers wrap. */
#include "kernels_cuda/linalg/gemm.cuh"
#include "kernels_cuda/linalg/matmul.h"

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

/* A factor: rows of a, columns of b. Both are steps through memory. */
template <typename T, bool FOUR>
struct matmul_factor {
  static constexpr bool VECTORS = FOUR;
  typedef T element;
  typedef int64_t place; /* an offset */
  const matmul_params& p;
  const void* from;
  const int64_t *stride, row_step, depth_step;
  int64_t matrix;
  __device__ __forceinline__ void move_to(int64_t batch) {
    matrix = matrix_offset(p, stride, batch);
  }
  __device__ __forceinline__ gemm_order order() const {
    return depth_step == 1 ? GEMM_DEPTHS : FOUR ? GEMM_ROWS : GEMM_DEPTHS_FAST;
  }
  __device__ __forceinline__ place start(int64_t row, int64_t k) const {
    return matrix + row * row_step + k * depth_step;
  }
  __device__ __forceinline__ void advance(place& at, int n) const { at += n * depth_step; }
  __device__ __forceinline__ T one(place at) const { return ((const T*)from)[at]; }
  __device__ __forceinline__ four<T> four_at(place at) const { return load_four<T>(from, at); }
};
template <typename T, typename A, bool FOUR>
struct matmul_c {
  static constexpr bool VECTORS = FOUR;
  const matmul_params& p;
  __device__ __forceinline__ int64_t place(int64_t chunk, int64_t batch, int64_t row,
                                           int64_t col) const {
    const gemm_size& s = p.size;
    return ((chunk * s.batch + batch) * s.m + row) * s.n + col;
  }
  __device__ __forceinline__ void four(int64_t chunk, int64_t batch, int64_t row, int64_t col,
                                       const A (&sums)[4]) const {
    if (p.size.chunks > 1)
      store_four<A>(p.c, place(chunk, batch, row, col), sums);
    else
      store_four<T>(p.c, place(chunk, batch, row, col), sums);
  }
  __device__ __forceinline__ void one(int64_t chunk, int64_t batch, int64_t row, int64_t col,
                                      A sum) const {
    if (p.size.chunks > 1)
      ((A*)p.c)[place(chunk, batch, row, col)] = sum;
    else
      store<T>(p.c, place(chunk, batch, row, col), (typename wide<T>::type)sum);
  }
};

template <typename T, typename A, bool FOUR, int SIDE>
__device__ __forceinline__ void multiply(const matmul_params& p, gemm_shared<A, SIDE>& shared) {
  typedef matmul_factor<T, FOUR> factor;
  gemm<A>(p.size, factor{p, p.a, p.a_stride, p.a_row_step, p.a_depth_step, 0},
          factor{p, p.b, p.b_stride, p.b_col_step, p.b_depth_step, 0}, matmul_c<T, A, FOUR>{p},
          shared);
}
/* A: what is summed in, the accumulator of reduce.cu where partial sums are added up. */
template <typename T, typename A, int SIDE>
__device__ __forceinline__ void matmul(const matmul_params& p) {
  __shared__ gemm_shared<A, SIDE> shared;
  if (SIDE > 64 || p.size.vectors)
    multiply<T, A, true>(p, shared);
  else
    multiply<T, A, false>(p, shared);
}
#define MATMUL_KERNEL(T, A)                              \
  TFC_KERNEL_BOUNDS(MatMul_##T, matmul_params, p, 128) { \
    matmul<T, A, 64>(p);                                 \
  }
#define LARGE_KERNEL(OP, T)                                      \
  TFC_KERNEL_BLOCKS(MatMulLarge_##T, matmul_params, p, 256, 2) { \
    matmul<T, float, 128>(p);                                    \
  }
#define FLOAT_KERNEL(OP, T) MATMUL_KERNEL(T, wide<T>::type)
TFC_FLOATS(FLOAT_KERNEL, MatMul)
TFC_SUMMED_IN_FLOAT(LARGE_KERNEL, MatMulLarge)
MATMUL_KERNEL(int8, int64_t)
MATMUL_KERNEL(uint8, int64_t)
MATMUL_KERNEL(int16, int64_t)
MATMUL_KERNEL(uint16, int64_t)
MATMUL_KERNEL(int32, int64_t)
MATMUL_KERNEL(uint32, int64_t)
MATMUL_KERNEL(int64, uint64_t)
MATMUL_KERNEL(uint64, uint64_t)
