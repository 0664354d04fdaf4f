// What users' CUDA sources are compiled with for the host, before their own text.
//
// Their kernels have any parameters, and variables outside of functions that kernels write. The
// words that begin with tfc_word_ are replaced by tfcore/gpu/host_source.py, which also appends a
// function for each kernel that takes the parameters of a launch.
#ifndef TFCORE_HOST_USER_CUH
#define TFCORE_HOST_USER_CUH

#include <tuple>

#include "cuda.cuh"

#undef __device__
#undef __constant__
#undef __shared__
#define __global__ tfc_word_global
#define __device__ tfc_word_device
#define __constant__ tfc_word_constant
#define __shared__ tfc_word_shared

// The linker defines these names if the section is there.
extern "C" __attribute__((weak, visibility("hidden"))) char __start_tfc_variables[],
    __stop_tfc_variables[];

namespace tfc {

__attribute__((constructor)) static void loaded_variables() {
  tfc_host_variables(&anchor, __start_tfc_variables, __stop_tfc_variables);
}

// The next parameter: each lies at a multiple of its alignment, as in C.
template <class T>
inline const T& next_parameter(const char* params, size_t& at) {
  at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
  const T& value = *reinterpret_cast<const T*>(params + at);
  at += sizeof(T);
  return value;
}

template <class... Parameters>
inline __attribute__((always_inline)) void call(void (*kernel)(Parameters...), const void* params) {
  size_t at = 0;
  // Braces: from left to right.
  std::tuple<const Parameters&...> values{
      next_parameter<Parameters>(static_cast<const char*>(params), at)...};
  std::apply(kernel, values);
}

}  // namespace tfc

#endif
