/* How the threads of a block reduce the middle dimension of [outer][reduced][inner]. */
#ifndef TFCORE_CUDA_REDUCE_CUH
#define TFCORE_CUDA_REDUCE_CUH

#include "kernels_cuda/common/element.cuh"
#include "kernels_cuda/reduce/reduce.h"

/* The place of a thread: `lanes` threads share a result, and a block has `results` at a time. Lanes
 * are neighbours where the elements of a result are (inner is 1), else the results are. */
struct reduce_place {
  int lane, lanes, result, results;
  int lane_step; /* between lanes of a result, in threads */

  __device__ reduce_place(int64_t lanes_, int64_t inner) {
    const int thread = (int)threadIdx.x;
    lanes = (int)lanes_;
    results = TFC_REDUCE_THREADS / lanes;
    lane = inner == 1 ? thread % lanes : thread / results;
    result = inner == 1 ? thread / lanes : thread % results;
    lane_step = inner == 1 ? 1 : results;
  }
};

/* Combines the values of a result's lanes in a tree; lane 0 gets the whole. All threads of the
 * block call this. tree has a place for each of them. */
template <typename Reducer, typename A>
__device__ __forceinline__ A reduce_lanes_of(const reduce_place& place, A value, A* tree) {
  tree[threadIdx.x] = value;
  for (int half = place.lanes / 2; half > 0; half /= 2) {
    __syncthreads();
    if (place.lane < half) {
      value = Reducer::combine(value, tree[threadIdx.x + half * place.lane_step]);
      tree[threadIdx.x] = value;
    }
  }
  __syncthreads(); /* the next tile writes to the tree */
  return value;
}

/* The same where lanes are neighbours, for numbers; all lanes get the whole. Up to 32 lanes need no
 * barrier, more have a place of the tree for each warp. */
template <typename Reducer, typename A>
__device__ __forceinline__ A reduce_neighbours(const reduce_place& place, A value, A* tree) {
  const int in_warp = place.lanes < 32 ? place.lanes : 32;
  for (int half = in_warp / 2; half > 0; half /= 2)
    value = Reducer::combine(value, (A)__shfl_down_sync(0xffffffff, value, half, in_warp));
  if (place.lanes <= 32) return (A)__shfl_sync(0xffffffff, value, 0, in_warp);
  const int warp = (int)threadIdx.x / 32,
            first = (int)threadIdx.x / place.lanes * (place.lanes / 32);
  if (threadIdx.x % 32 == 0) tree[warp] = value;
  __syncthreads();
  value = tree[first];
  for (int w = 1; w < place.lanes / 32; w++) value = Reducer::combine(value, tree[first + w]);
  __syncthreads(); /* the next reduction writes to the tree */
  return value;
}

#endif /* TFCORE_CUDA_REDUCE_CUH */
