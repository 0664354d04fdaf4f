// Correct kernels of all kinds, for tests of CUDA on the host.
#include "kernels_cuda/common/kernel.cuh"

struct vector_params {
  const void* in;
  void* out;
  int64_t count;
};

template <class T>
static __device__ void scale(const vector_params& p) {
  const T* in = (const T*)p.in;
  T* out = (T*)p.out;
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) out[i] = in[i] * (T)2 + (T)1;
}

TFC_KERNEL(scale_float, vector_params, p) {
  scale<float>(p);
}
TFC_KERNEL(scale_double, vector_params, p) {
  scale<double>(p);
}
TFC_KERNEL(scale_half, vector_params, p) {
  scale<__half>(p);
}
TFC_KERNEL(scale_bfloat16, vector_params, p) {
  scale<__nv_bfloat16>(p);
}
TFC_KERNEL(scale_int8, vector_params, p) {
  scale<int8_t>(p);
}
TFC_KERNEL(scale_int64, vector_params, p) {
  scale<int64_t>(p);
}

// Each block adds its part in a tree, in shared memory; blocks add up atomically.
TFC_KERNEL(sum_by_tree, vector_params, p) {
  __shared__ float partial[256];
  float sum = 0;
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) sum += ((const float*)p.in)[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned n = blockDim.x / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) partial[threadIdx.x] += partial[threadIdx.x + n];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd((float*)p.out, partial[0]);
}

// The same with shuffles in each warp.
static __device__ float sum_of_warp(float value) {
  for (int n = 16; n > 0; n /= 2) value += __shfl_down_sync(0xFFFFFFFFu, value, n);
  return value;
}

TFC_KERNEL(sum_by_shuffles, vector_params, p) {
  __shared__ float partial[32];
  float sum = 0;
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) sum += ((const float*)p.in)[i];
  sum = sum_of_warp(sum);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = sum_of_warp(threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0);
    if (threadIdx.x == 0) atomicAdd((float*)p.out, sum);
  }
}

struct matmul_params {
  const float *a, *b;
  float* c;
  int64_t m, n, k;
};

// Blocks of 16 x 16 threads.
TFC_KERNEL_BOUNDS(matmul, matmul_params, p, 256) {
  __shared__ float a[16][17], b[16][17];
  const int x = threadIdx.x, y = threadIdx.y;
  const int64_t row = (int64_t)blockIdx.y * 16 + y, column = (int64_t)blockIdx.x * 16 + x;
  float sum = 0;
  for (int64_t first = 0; first < p.k; first += 16) {
    a[y][x] = row < p.m && first + x < p.k ? p.a[row * p.k + first + x] : 0;
    b[y][x] = column < p.n && first + y < p.k ? p.b[(first + y) * p.n + column] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i++) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  if (row < p.m && column < p.n) p.c[row * p.n + column] = sum;
}

// ---- operations of a warp

struct warp_params {
  const int32_t* in;
  int32_t* out;  // ten for each thread
  int64_t source;
};

TFC_KERNEL(warp_operations, warp_params, p) {
  const unsigned all = 0xFFFFFFFFu, half_warp = threadIdx.x % 32 < 16 ? 0xFFFFu : 0xFFFF0000u;
  const int s = (int)p.source;
  const int32_t value = p.in[threadIdx.x];
  int32_t* out = p.out + 10 * threadIdx.x;
  out[0] = __shfl_sync(all, value, s);
  out[1] = __shfl_sync(all, value, s, 8);
  out[2] = __shfl_up_sync(all, value, s, 16);
  out[3] = __shfl_down_sync(all, value, s);
  out[4] = __shfl_xor_sync(half_warp, value, s & 15, 16);
  out[5] = (int32_t)__ballot_sync(half_warp, value & 1);
  out[6] = __any_sync(all, value == s) | __all_sync(all, value < 1000) << 1;
  out[7] = (int32_t)__match_any_sync(all, value);
  out[8] = (int32_t)__shfl_sync(all, (double)value, s);
  out[9] = (int32_t)__shfl_sync(half_warp, (float)value, threadIdx.x % 32 < 16 ? 3 : 21);
}

TFC_KERNEL(votes, warp_params, p) {
  const int mine = p.in[threadIdx.x] == (int)p.source;
  int32_t* out = p.out + 10 * threadIdx.x;
  out[0] = __syncthreads_count(mine);
  out[1] = __syncthreads_or(mine) != 0;
  out[2] = __syncthreads_and(mine) != 0;
}

// ---- atomic functions

struct atomic_params {
  const int32_t* in;
  int32_t* ints;            // sum, min, max, or, and, xor
  unsigned* counter;        // wraps around at 9
  unsigned long long* max;  // by comparing and swapping
  double* doubles;
  __half* halves;
  int64_t count;
};

TFC_KERNEL(atomics, atomic_params, p) {
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) {
    const int32_t value = p.in[i];
    atomicAdd(&p.ints[0], value);
    atomicMin(&p.ints[1], value);
    atomicMax(&p.ints[2], value);
    atomicOr(&p.ints[3], value);
    atomicAnd(&p.ints[4], value);
    atomicXor(&p.ints[5], value);
    atomicInc(p.counter, 9);
    const unsigned long long mine = (unsigned long long)(value + 1000);
    unsigned long long seen = atomicCAS(p.max, 0ull, mine);
    while (seen < mine) {
      const unsigned long long before = atomicCAS(p.max, seen, mine);
      if (before == seen) break;
      seen = before;
    }
    atomicAdd(p.doubles, (double)value);
    atomicAdd(&p.halves[i % 2], __half(1.0f));
  }
}

// ---- patterns that are right, and that the checks must let pass

// Shared memory of one warp, ordered by __syncwarp.
TFC_KERNEL(reverse_in_warp, vector_params, p) {
  __shared__ float values[256];
  float* mine = values + threadIdx.x / 32 * 32;
  const unsigned lane = threadIdx.x % 32;
  float value = ((const float*)p.in)[threadIdx.x];
  for (int i = 0; i < 3; i++) {
    mine[lane] = value;
    __syncwarp();
    value = mine[31 - lane];
    __syncwarp();
  }
  ((float*)p.out)[threadIdx.x] = value;
}

// Everybody reads one value, and somebody else writes it after a barrier.
TFC_KERNEL(turns, vector_params, p) {
  __shared__ float value;
  float sum = 0;
  for (unsigned turn = 0; turn < blockDim.x; turn++) {
    if (threadIdx.x == turn) value = ((const float*)p.in)[turn];
    __syncthreads();
    sum += value;
    __syncthreads();
  }
  ((float*)p.out)[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// The last block adds what all have written: volatile, and an atomic counter.
TFC_KERNEL(sum_by_last_block, vector_params, p) {
  TFC_DYNAMIC_SHARED(float, partial);
  __shared__ bool is_last;
  volatile float* sums = (volatile float*)p.out + 2;
  unsigned* done = (unsigned*)p.out + 1;
  float sum = 0;
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) sum += ((const float*)p.in)[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    sum = 0;
    for (unsigned i = 0; i < blockDim.x; i++) sum += partial[i];
    sums[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    sum = 0;
    for (unsigned i = 0; i < gridDim.x; i++) sum += sums[i];
    ((float*)p.out)[0] = sum;
  }
}

// Two buffers in turns need one barrier for each step.
TFC_KERNEL(two_buffers, vector_params, p) {
  __shared__ __half values[2][256];
  float sum = 0;
  for (int64_t first = 0, turn = 0; first < p.count; first += blockDim.x, turn ^= 1) {
    const int64_t i = first + threadIdx.x;
    values[turn][threadIdx.x] = __half(i < p.count ? ((const float*)p.in)[i] : 0.0f);
    __syncthreads();
    for (unsigned j = 0; j < blockDim.x; j++) sum += (float)values[turn][j];
  }
  ((float*)p.out)[threadIdx.x] = sum;
}

// Vectors, constants, a table on the stack, and a copy.
__constant__ float factors[4] = {1, 2, 3, 4};
TFC_KERNEL(vectors, vector_params, p) {
  for (int64_t i = tfc_first(); i < p.count / 4; i += tfc_step()) {
    float4 v = ((const float4*)p.in)[i];
    float table[4] = {v.x, v.y, v.z, v.w};
    for (int j = 0; j < 4; j++) table[j] = table[(j + 1) % 4] * factors[j];
    memcpy((float4*)p.out + i, table, sizeof table);
  }
}

// Blocks and grids of three dimensions: each thread writes its number.
TFC_KERNEL(numbers, vector_params, p) {
  const int64_t block =
      blockIdx.x + (int64_t)gridDim.x * (blockIdx.y + (int64_t)gridDim.y * blockIdx.z);
  const int64_t thread =
      threadIdx.x + (int64_t)blockDim.x * (threadIdx.y + (int64_t)blockDim.y * threadIdx.z);
  const int64_t i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (i < p.count) ((int64_t*)p.out)[i] = i;
}

// ---- conversions

TFC_KERNEL(to_halves, vector_params, p) {
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) {
    const double value = ((const double*)p.in)[i];
    uint16_t* out = (uint16_t*)p.out + 4 * i;
    out[0] = __half_as_ushort(__double2half(value));
    out[1] = __bfloat16_as_ushort(__double2bfloat16(value));
    out[2] = __half_as_ushort(__float2half((float)value));
    out[3] = __bfloat16_as_ushort(__float2bfloat16((float)value));
  }
}

TFC_KERNEL(from_halves, vector_params, p) {
  for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) {
    const uint16_t bits = ((const uint16_t*)p.in)[i];
    ((float*)p.out)[2 * i] = __half2float(__ushort_as_half(bits));
    ((float*)p.out)[2 * i + 1] = __bfloat162float(__ushort_as_bfloat16(bits));
  }
}
