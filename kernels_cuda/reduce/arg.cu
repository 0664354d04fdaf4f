/* ArgMax and ArgMin along one dimension: the first position of the extreme. A NaN is chosen only if
 * all elements are NaN (then the position is 0), as in TensorFlow. */
#include "kernels_cuda/reduce/reduce.cuh"

template <typename W>
struct candidate {
  W value;
  int64_t at; /* -1: no element yet */
};

/* LARGEST: for ArgMax. */
template <bool LARGEST>
struct arg_reducer {
  template <typename W>
  static __device__ __forceinline__ bool better(W a, W b) {
    return LARGEST ? a > b : a < b;
  }
  template <typename W>
  static __device__ __forceinline__ candidate<W> combine(candidate<W> a, candidate<W> b) {
    if (a.at < 0 || b.at < 0) return a.at < 0 ? b : a;
    const bool a_nan = a.value != a.value, b_nan = b.value != b.value;
    if (a_nan != b_nan) return a_nan ? b : a;
    if (better(a.value, b.value)) return a;
    if (better(b.value, a.value)) return b;
    return a.at < b.at ? a : b;
  }
};

template <typename Reducer, typename T>
__device__ __forceinline__ void arg_tiles(const reduce_arg_params& p) {
  typedef typename wide<T>::type W;
  __shared__ candidate<W> tree[TFC_REDUCE_THREADS];
  const reduce_place place(p.lanes, p.inner);
  const int64_t results = p.outer * p.inner, tiles = (results + place.results - 1) / place.results;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t result = tile * place.results + place.result;
    candidate<W> best = {W(0), -1};
    if (result < results) {
      const int64_t from = result / p.inner * p.reduced * p.inner + result % p.inner;
      for (int64_t r = place.lane; r < p.reduced; r += place.lanes) {
        const candidate<W> next = {load<T>(p.x, from + r * p.inner), r};
        best = Reducer::combine(best, next);
      }
    }
    best = reduce_lanes_of<Reducer>(place, best, tree);
    if (place.lane || result >= results) continue;
    if (p.wide)
      ((int64_t*)p.y)[result] = best.at;
    else
      ((int32_t*)p.y)[result] = (int32_t)best.at;
  }
}
#define ARG_KERNEL(OP, T)                                                 \
  TFC_KERNEL_BOUNDS(OP##_##T, reduce_arg_params, p, TFC_REDUCE_THREADS) { \
    arg_tiles<OP, T>(p);                                                  \
  }
typedef arg_reducer<true> ArgMax;
typedef arg_reducer<false> ArgMin;
TFC_REALS(ARG_KERNEL, ArgMax)
TFC_REALS(ARG_KERNEL, ArgMin)
