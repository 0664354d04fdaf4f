// What every .cu file includes first. Under nvcc this is plain CUDA; any other compiler gets CUDA
// on the host.
//
// A kernel takes one struct by value and is declared with TFC_KERNEL, so that a launch is always
// (function, grid, block, bytes of dynamic shared memory, struct):
//
//     TFC_KERNEL(scale_float, scale_params, p) {
//       for (int64_t i = tfc_first(); i < p.count; i += tfc_step()) ...
//     }
//
// There are no host launches in .cu files, and no CUDA runtime API.
#ifndef TFCORE_KERNEL_CUH
#define TFCORE_KERNEL_CUH

#include <stdint.h>

#ifdef __CUDACC__

#include <cuda_bf16.h>
#include <cuda_fp16.h>

// A card of compute capability 9.0 or more may start a kernel before the one ahead of it in the
// stream has ended (programmatic dependent launch): most of what a launch costs is hidden. Each
// kernel first waits until the one ahead has ended and its writes are visible. All kernels do, so
// each sees what any earlier one has written.
static __device__ __forceinline__ void tfc_wait_for_kernel_ahead() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// The next kernel may start as soon as all blocks have called this or ended.
static __device__ __forceinline__ void tfc_let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// For the macros below. `start`: tfc_let_next_kernel_start(), or nothing.
#define TFC_KERNEL_OF(attributes, name, type, p, start)                        \
  static __device__ __forceinline__ void tfc_body_of_##name(const type& p);    \
  extern "C" __global__ void attributes name(const __grid_constant__ type p) { \
    tfc_wait_for_kernel_ahead();                                               \
    start;                                                                     \
    tfc_body_of_##name(p);                                                     \
  }                                                                            \
  static __device__ __forceinline__ void tfc_body_of_##name(const type& p)

// The struct is a grid constant, so that the address of a member needs no copy of it in each
// thread.
#define TFC_KERNEL(name, type, p) TFC_KERNEL_OF(, name, type, p, tfc_let_next_kernel_start())

// The same for a kernel that is never launched with more than `threads` threads in a block.
// (The 1 is the least number of blocks of a multiprocessor: left to itself, ptxas spills registers
// for more.)
#define TFC_KERNEL_BOUNDS(name, type, p, threads) TFC_KERNEL_BLOCKS(name, type, p, threads, 1)

// The same where a multiprocessor has room for the registers of `blocks` blocks: they keep memory
// and units busy. Here, and with TFC_KERNEL_BOUNDS, the next kernel starts only as blocks of this
// one end: if its blocks came earlier, some multiprocessors would have more work than others.
#define TFC_KERNEL_BLOCKS(name, type, p, threads, blocks) \
  TFC_KERNEL_OF(__launch_bounds__(threads, blocks), name, type, p, )

// Declares `name`, a pointer to the launch's dynamic shared memory (aligned to 16 bytes).
#define TFC_DYNAMIC_SHARED(type, name)                                          \
  extern __shared__ __align__(16) unsigned char tfc_dynamic_shared_of_launch[]; \
  type* const name = reinterpret_cast<type*>(tfc_dynamic_shared_of_launch)

#else
#include "threads/cuda.cuh"
#endif

// The first element of a thread and its step in a grid-stride loop over the x dimension.
static __device__ __forceinline__ int64_t tfc_first() {
  return (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
}
static __device__ __forceinline__ int64_t tfc_step() {
  return (int64_t)gridDim.x * blockDim.x;
}

#endif
