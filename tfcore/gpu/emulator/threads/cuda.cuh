// CUDA on the host: lets g++ compile .cu files. `block.h` says how what comes of it runs.
//
// In builds with -fsanitize=thread (`TFC_CHECKED`) each access of memory is checked. The built-in
// variables are declared constant: they are for each thread, and it spares their checks.
#ifndef TFCORE_HOST_CUDA_CUH
#define TFCORE_HOST_CUDA_CUH

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmath>

#include "device.h"
#include "types.h"

#ifdef __SANITIZE_THREAD__
#define TFC_CHECKED 1
#else
#define TFC_CHECKED 0
#endif

#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __grid_constant__
#define __constant__ __attribute__((unused))
// One block runs at a time, so a variable of the block is one of the program.
#define __shared__ static

#define TFC_KERNEL(name, type, p)                                                     \
  static_assert(sizeof(type) <= 4096, "a card takes no larger parameters");           \
  static inline __attribute__((always_inline)) void tfc_body_of_##name(const type p); \
  extern "C" __attribute__((visibility("default"))) void name(const void* params);    \
  extern "C" void name(const void* params) {                                          \
    tfc_body_of_##name(*static_cast<const type*>(params));                            \
  }                                                                                   \
  static inline void tfc_body_of_##name(const type p)

// A card refuses to launch larger blocks.
#define TFC_KERNEL_BOUNDS(name, type, p, threads)                          \
  static inline void tfc_bounded_body_of_##name(const type p);             \
  TFC_KERNEL(name, type, p) {                                              \
    if (blockDim.x * blockDim.y * blockDim.z > (threads))                  \
      tfc_host_trap("more than " #threads " threads", __FILE__, __LINE__); \
    tfc_bounded_body_of_##name(p);                                         \
  }                                                                        \
  static inline void tfc_bounded_body_of_##name(const type p)

#define TFC_KERNEL_BLOCKS(name, type, p, threads, blocks) TFC_KERNEL_BOUNDS(name, type, p, threads)

#define TFC_DYNAMIC_SHARED(type, name) \
  type* const name = reinterpret_cast<type*>(tfc_host_dynamic_shared)

extern "C" {
extern const uint3 threadIdx, blockIdx, blockDim,
    gridDim;  // dim3, a class, would not count as constant
}
constexpr int warpSize = 32;

namespace tfc {
static const char anchor = 0;
__attribute__((constructor)) static void loaded() {
  tfc_host_loaded(&anchor, TFC_CHECKED);
}
__attribute__((destructor)) static void unloaded() {
  tfc_host_unloaded(&anchor);
}
}  // namespace tfc

#if TFC_CHECKED
#define memcpy tfc_host_memcpy
#define memmove tfc_host_memmove
#define memset tfc_host_memset
#endif

#undef assert
#define assert(condition) \
  ((condition) ? (void)0  \
               : tfc_host_trap("assertion " #condition, __builtin_FILE(), __builtin_LINE()))
[[noreturn]] static inline void __trap(const char* file = __builtin_FILE(),
                                       int line = __builtin_LINE()) {
  tfc_host_trap("__trap", file, line);
}

#include "half.cuh"
#include "math.cuh"
#include "threads.cuh"
#include "vectors.cuh"

#endif
