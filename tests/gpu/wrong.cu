// Kernels with one mistake each, for tests of CUDA on the host.
#include "kernels_cuda/common/kernel.cuh"

struct wrong_params {
  float* a;
  float* b;
  int64_t count;
  int64_t which;
};

// ---- bounds

TFC_KERNEL(read_at, wrong_params, p) {
  if (threadIdx.x == 0) p.b[0] = p.a[p.which];
}
TFC_KERNEL(write_at, wrong_params, p) {
  if (threadIdx.x == 0) p.a[p.which] = 1;
}
TFC_KERNEL(add_at, wrong_params, p) {
  atomicAdd(&p.a[p.which], 1.0f);
}
TFC_KERNEL(write_half_at, wrong_params, p) {
  ((__half*)p.a)[p.which] = __half(1.0f);
}
TFC_KERNEL(write_byte_at, wrong_params, p) {
  ((uint8_t*)p.a)[p.which] = 1;
}
TFC_KERNEL(write_double_at, wrong_params, p) {
  ((double*)p.a)[p.which] = 1;
}
TFC_KERNEL(copy_all, wrong_params, p) {
  memcpy(p.b, p.a, (size_t)p.which);
}

// A read of a whole vector whose last elements are out of bounds.
TFC_KERNEL(read_vector_at, wrong_params, p) {
  *(float4*)p.b = ((const float4*)p.a)[p.which];
}

TFC_KERNEL(write_shared_at, wrong_params, p) {
  __shared__ float before[16], values[16], after[16];
  if (threadIdx.x == 0) values[p.which] = 1;
  __syncthreads();
  p.b[0] = before[0] + values[0] + after[0];
}

template <class T>
static __device__ void write_shared_of_template(const wrong_params& p) {
  __shared__ T values[16];
  __shared__ T others[16];
  values[p.which] = 1;
  others[p.which + 1] = 1;
  *p.b = (float)values[0] + (float)others[0];
}
TFC_KERNEL(write_shared_float_at, wrong_params, p) {
  write_shared_of_template<float>(p);
}
TFC_KERNEL(write_shared_int_at, wrong_params, p) {
  write_shared_of_template<int>(p);
}

TFC_KERNEL(write_dynamic_at, wrong_params, p) {
  TFC_DYNAMIC_SHARED(float, values);
  values[p.which] = 1;
}

__constant__ float table[4] = {1, 2, 3, 4};
TFC_KERNEL(write_constant, wrong_params, p) {
  *(volatile float*)&table[p.which] = 5;
}

TFC_KERNEL(read_misaligned, wrong_params, p) {
  p.b[0] = *(const float*)((const char*)p.a + p.which);
}

// The address of one thread's variable means nothing to another.
TFC_KERNEL(read_stack_of_another, wrong_params, p) {
  __shared__ volatile float* pointer;
  volatile float own = (float)threadIdx.x;
  if (threadIdx.x == 0) pointer = &own;
  __syncthreads();
  if (threadIdx.x == 1) p.b[0] = *pointer;
  __syncthreads();
}

// ---- races

TFC_KERNEL(no_barrier, wrong_params, p) {
  __shared__ float values[256];
  values[threadIdx.x] = p.a[threadIdx.x];
  p.b[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

// The second barrier of the loop is missing.
TFC_KERNEL(no_second_barrier, wrong_params, p) {
  __shared__ float values[256];
  float sum = 0;
  for (int i = 0; i < 4; i++) {
    values[threadIdx.x] = p.a[i * blockDim.x + threadIdx.x];
    __syncthreads();
    sum += values[blockDim.x - 1 - threadIdx.x];
  }
  p.b[threadIdx.x] = sum;
}

TFC_KERNEL(no_warp_barrier, wrong_params, p) {
  __shared__ float values[32];
  values[threadIdx.x] = p.a[threadIdx.x];
  p.b[threadIdx.x] = values[31 - threadIdx.x];
}

// The first barrier of the warp orders nothing that comes later.
TFC_KERNEL(no_second_warp_barrier, wrong_params, p) {
  __shared__ float values[32];
  p.b[threadIdx.x] = 0;
  __syncwarp();
  values[threadIdx.x] = p.a[threadIdx.x];
  p.b[threadIdx.x] = values[31 - threadIdx.x];
}

// A barrier of the warp where one of the block is needed.
TFC_KERNEL(only_warp_barrier, wrong_params, p) {
  __shared__ float values[256];
  values[threadIdx.x] = p.a[threadIdx.x];
  __syncwarp();
  p.b[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}

// All read, in one warp or in several, then one writes without a barrier between.
TFC_KERNEL(read_then_write, wrong_params, p) {
  __shared__ float value;
  if (threadIdx.x == 0) value = 1;
  __syncthreads();
  p.b[threadIdx.x] = value;
  if (threadIdx.x == (unsigned)p.which) value = 2;
}

TFC_KERNEL(same_value, wrong_params, p) {
  p.a[0] = 1;
}

// Neighbours within a word are not a race, the same byte is one.
TFC_KERNEL(bytes_overlap, wrong_params, p) {
  ((uint8_t*)p.a)[threadIdx.x] = 1;
  if (threadIdx.x == 9) ((uint8_t*)p.a)[p.which] = 2;
}

TFC_KERNEL(blocks_overlap, wrong_params, p) {
  p.a[blockIdx.x * (blockDim.x - 1) + threadIdx.x] = 1;
}

// Blocks read what another has written.
TFC_KERNEL(blocks_read, wrong_params, p) {
  if (threadIdx.x == 0) p.a[blockIdx.x] = 1;
  if (threadIdx.x == 1) p.b[blockIdx.x] = p.a[(blockIdx.x + 1) % gridDim.x];
}

// Each block reads all, and the last writes: the flags of readers must reach over blocks.
TFC_KERNEL(blocks_read_first, wrong_params, p) {
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; i++) sum += p.a[i];
  if (threadIdx.x == 0) {
    p.b[blockIdx.x] = sum;
    if (blockIdx.x == (unsigned)p.which) p.a[0] = sum;
  }
}

TFC_KERNEL(atomic_and_plain, wrong_params, p) {
  atomicAdd(p.a, 1.0f);
  if (threadIdx.x == (unsigned)p.which) p.b[0] = p.a[0];
}

TFC_KERNEL(volatile_and_plain, wrong_params, p) {
  if (blockIdx.x == 0) p.a[0] = 1;
  if (blockIdx.x == 1) p.b[0] = *(volatile float*)p.a;
}

// A volatile read does not hide the plain one before it, of a thread of the warp or of another
// block.
TFC_KERNEL(plain_volatile_atomic, wrong_params, p) {
  if (threadIdx.x == 0) p.b[0] = p.a[0];
  if (threadIdx.x == 1) p.b[1] = *(volatile float*)p.a;
  if (threadIdx.x == 2) atomicAdd(p.a, 1.0f);
}
TFC_KERNEL(plain_volatile_atomic_blocks, wrong_params, p) {
  if (blockIdx.x == 0) p.b[0] = p.a[0];
  if (blockIdx.x == 1) p.b[1] = *(volatile float*)p.a;
  if (blockIdx.x == 2) atomicAdd(p.a, 1.0f);
}

// ---- barriers

TFC_KERNEL(two_barriers, wrong_params, p) {
  if (threadIdx.x < (unsigned)p.which)
    __syncthreads();
  else
    __syncthreads();
}
TFC_KERNEL(return_before_barrier, wrong_params, p) {
  if (threadIdx.x == (unsigned)p.which) return;
  __syncthreads();
}
TFC_KERNEL(barrier_in_loop, wrong_params, p) {
  for (unsigned i = 0; i <= threadIdx.x / (unsigned)p.which; i++) __syncthreads();
}
TFC_KERNEL(barriers_of_two_kinds, wrong_params, p) {
  // clang-format off
  if (threadIdx.x < (unsigned)p.which) __syncthreads(); else p.b[0] = __syncthreads_or(1);
  // clang-format on
}

// ---- masks

TFC_KERNEL(whole_mask_in_branch, wrong_params, p) {
  float value = p.a[threadIdx.x];
  if (threadIdx.x < (unsigned)p.which) value += __shfl_down_sync(0xFFFFFFFFu, value, 8);
  p.b[threadIdx.x] = value;
}
TFC_KERNEL(mask_without_caller, wrong_params, p) {
  p.b[threadIdx.x] = __shfl_sync((unsigned)p.which, p.a[threadIdx.x], 0);
}
TFC_KERNEL(two_masks, wrong_params, p) {
  const unsigned mask = threadIdx.x < 16 ? 0x1FFFFu : 0xFFFF0000u;
  p.b[threadIdx.x] = __shfl_sync(mask, p.a[threadIdx.x], 16);
}
TFC_KERNEL(shuffle_beside_barrier, wrong_params, p) {
  if (threadIdx.x % 32 < 16)
    __syncwarp();
  else
    __syncthreads();
  p.b[threadIdx.x] = 1;
}

// ---- the rest

TFC_KERNEL(write_own, wrong_params, p) {
  p.a[blockIdx.x] = 1;
}  // nothing is wrong with this one

static __device__ __noinline__ int deep(volatile int* p, int n) {
  volatile int here[256];
  here[n & 255] = n;
  if (n <= 0) return here[0];
  return deep(here, n - 1) + *p;
}
TFC_KERNEL(deep_recursion, wrong_params, p) {
  int n = (int)p.which;
  p.b[threadIdx.x] = (float)deep(&n, n);
}
TFC_KERNEL(divide, wrong_params, p) {
  p.b[0] = (float)(p.count / p.which);
}
TFC_KERNEL(trap, wrong_params, p) {
  if (p.which == (int64_t)threadIdx.x) __trap();
}
TFC_KERNEL(assertion, wrong_params, p) {
  assert(p.which != (int64_t)threadIdx.x);
}
TFC_KERNEL(previous_block, wrong_params, p) {
  __shared__ float value;
  TFC_DYNAMIC_SHARED(float, values);
  p.b[2 * blockIdx.x] = value;
  p.b[2 * blockIdx.x + 1] = values[threadIdx.x];
  value = 1;
  values[threadIdx.x] = 1;
}
