/* How the threads of a block reduce the middle dimension of [outer][reduced][inner]. */
#ifndef TFCORE_CUDA_REDUCE_CUH
#define TFCORE_CUDA_REDUCE_CUH

#include "element.cuh"
#include "reduce.h"

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

/* The same, and all lanes get the whole. */
template <typename Reducer, typename A>
__device__ __forceinline__ A reduce_and_share(const reduce_place& place, A value, A* tree) {
  reduce_lanes_of<Reducer>(place, value, tree);
  value = tree[threadIdx.x - place.lane * place.lane_step];
  __syncthreads(); /* the next reduction writes to the tree */
  return value;
}

#endif /* TFCORE_CUDA_REDUCE_CUH */
