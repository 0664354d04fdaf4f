/* Gather, GatherNd and the ops that scatter: ScatterAdd and its like, ScatterNd, sums of segments.
 *
 * Reading only moves elements: kernels by element size. */
#include "kernels_cuda/indexing/indexing.cuh"

/* ---- Gather. */

/* The element that belongs to element i of y; inner: elements of a row. Reports a wrong index. */
template <typename T>
__device__ __forceinline__ T gathered(const gather_params& p, int64_t inner, int64_t i) {
  const int64_t row = quotient_of(i, inner), outer = quotient_of(row, p.n);
  const int64_t position = quotient_of(outer, p.outer) * p.n + (row - outer * p.n);
  const int64_t index = index_at(p.indices, p.wide, position);
  if (index >= 0 && index < p.limit)
    return ((const T*)p.x)[(outer * p.limit + index) * inner + (i - row * inner)];
  report_index(p.report, 0, position, index);
  return T();
}
/* T: the type of what is moved at once. Several are on their way in each thread. */
template <typename T>
__device__ __forceinline__ void gather_elements(const gather_params& p, int64_t inner) {
  enum { TOGETHER = 4 };
  const int64_t n = p.batch * p.outer * p.n * inner, step = tfc_step();
  for (int64_t first = tfc_first(); first < n; first += TOGETHER * step) {
    T found[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; k++)
      if (first + k * step < n) found[k] = gathered<T>(p, inner, first + k * step);
#pragma unroll
    for (int k = 0; k < TOGETHER; k++)
      if (first + k * step < n) ((T*)p.y)[first + k * step] = found[k];
  }
}
/* Rows of whole groups are moved in groups. */
template <typename T>
__device__ __forceinline__ void gather_rows(const gather_params& p) {
  enum { N = 16 / sizeof(T) };
  if (N > 1 && p.inner % N == 0 && takes_groups<T, N>(p.x) && takes_groups<T, N>(p.y))
    gather_elements<bytes16>(p, p.inner / N);
  else
    gather_elements<T>(p, p.inner);
}
#define GATHER_KERNEL(OP, T)               \
  TFC_KERNEL(OP##_##T, gather_params, p) { \
    gather_rows<T>(p);                     \
  }
TFC_SIZES(GATHER_KERNEL, Gather)

/* ---- GatherNd. */

template <typename T>
__device__ __forceinline__ void gather_nd_elements(const gather_nd_params& p) {
  TFC_FOR_ELEMENTS(i, p.index.n * p.index.inner) {
    const int64_t position = i / p.index.inner, inner = i % p.index.inner;
    const int64_t row = nd_row(p.index, position);
    if (row >= 0) {
      ((T*)p.y)[i] = ((const T*)p.x)[row * p.index.inner + inner];
    } else {
      ((T*)p.y)[i] = T();
      report_nd(p.index, position);
    }
  }
}
#define GATHER_ND_KERNEL(OP, T)               \
  TFC_KERNEL(OP##_##T, gather_nd_params, p) { \
    gather_nd_elements<T>(p);                 \
  }
TFC_SIZES(GATHER_ND_KERNEL, GatherNd)

/* ---- Sorting of indices. No two keys are equal. */

__device__ __forceinline__ bool is_before(const index_key& a, const index_key& b) {
  if (a.row != b.row) return (uint64_t)a.row < (uint64_t)b.row; /* -1 comes last */
  return a.position < b.position;
}

/* The key of index i; reports it if it is wrong. Those past the end come last. */
__device__ __forceinline__ index_key key_of(const sort_indices_params& p, int64_t i) {
  const nd_index& x = p.index;
  index_key key = {-1, i};
  if (i >= x.n) return key;
  key.row = nd_row(x, i);
  if (key.row >= 0 || p.skip == SKIP_WRONG) return key;
  if (p.skip == SKIP_NONE || index_at(x.indices, x.wide, i) >= 0) report_nd(x, i);
  return key;
}

/* A bitonic sort of each run by a block with half as many threads. */
TFC_KERNEL_BOUNDS(SortIndices, sort_indices_params, p, TFC_BLOCK) {
  __shared__ index_key key[SORT_RUN];
  const int t = threadIdx.x, threads = blockDim.x, width = 2 * threads;
  for (int64_t first = blockIdx.x * p.width; first < p.index.n; first += gridDim.x * p.width) {
    key[t] = key_of(p, first + t);
    key[t + threads] = key_of(p, first + t + threads);
    __syncthreads();
    for (int size = 2; size <= width; size *= 2)
      for (int step = size / 2; step > 0; step /= 2) {
        const int i = 2 * t - (t & (step - 1)), k = i + step;
        const index_key a = key[i], b = key[k];
        if (is_before(b, a) == ((i & size) == 0)) {
          key[i] = b;
          key[k] = a;
        }
        __syncthreads();
      }
    for (int i = t; i < width; i += threads)
      if (first + i < p.index.n) ((index_key*)p.to)[first + i] = key[i];
    __syncthreads(); /* `key` is written again */
  }
}

/* A key's place: its own in its run, and the number of keys of the other run before it. */
TFC_KERNEL(MergeIndices, merge_indices_params, p) {
  const index_key* from = (const index_key*)p.from;
  TFC_FOR_ELEMENTS(i, p.n) {
    const int64_t run = i / p.width, other = (run ^ 1) * p.width;
    int64_t low = other < p.n ? other : p.n, high = other + p.width < p.n ? other + p.width : p.n;
    const int64_t start = low;
    const index_key key = from[i];
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (is_before(from[middle], key))
        low = middle + 1;
      else
        high = middle;
    }
    const int64_t place = (run & ~(int64_t)1) * p.width + (i - run * p.width) + (low - start);
    ((index_key*)p.to)[place] = key;
  }
}

/* ---- Scatter: x[row] = x[row] op updates[i] for the columns of a thread. */

template <typename Op, typename T>
struct scatter_update {
  const scatter_params& p;
  __device__ __forceinline__ void operator()(int64_t row, int64_t i, bool first) const {
    for (int64_t c = threadIdx.x; c < p.index.inner; c += blockDim.x) {
      const int64_t to = row * p.index.inner + c, from = i * p.index.inner + c;
      const typename wide<T>::type y = load<T>(p.updates, from * p.update_step);
      store<T>(p.x, to, first && p.replace ? y : Op::apply(load<T>(p.x, to), y));
    }
  }
};
template <typename Op, typename T>
__device__ __forceinline__ void scatter_rows(const scatter_params& p) {
  for_each_row(p.index, scatter_update<Op, T>{p});
}

/* Integers wrap, as in cwise/binary.cu. */
#define SCATTER_FUNCTION(OP, EXPRESSION)                         \
  struct OP {                                                    \
    template <typename T>                                        \
    static __device__ __forceinline__ T apply(T left, T right) { \
      const typename wrapping<T>::type x = left, y = right;      \
      return (T)(EXPRESSION);                                    \
    }                                                            \
  };
#define SCATTER_CHOICE(OP, EXPRESSION)                    \
  struct OP {                                             \
    template <typename T>                                 \
    static __device__ __forceinline__ T apply(T x, T y) { \
      return EXPRESSION;                                  \
    }                                                     \
  };
SCATTER_FUNCTION(ScatterAdd, x + y)
SCATTER_FUNCTION(ScatterSub, x - y)
SCATTER_FUNCTION(ScatterMul, x* y)
SCATTER_CHOICE(ScatterMin, y < x ? y : x)
SCATTER_CHOICE(ScatterMax, x < y ? y : x)
/* These keep NaN. */
SCATTER_CHOICE(ScatterMinimum, x != x || x < y ? x : y)
SCATTER_CHOICE(ScatterMaximum, x != x || x > y ? x : y)
SCATTER_CHOICE(ScatterDiv, x / y)
#define SCATTER_KERNEL(OP, T)                                 \
  TFC_KERNEL_BOUNDS(OP##_##T, scatter_params, p, TFC_BLOCK) { \
    scatter_rows<OP, T>(p);                                   \
  }
TFC_REALS(SCATTER_KERNEL, ScatterAdd)
TFC_REALS(SCATTER_KERNEL, ScatterSub)
TFC_REALS(SCATTER_KERNEL, ScatterMul)
TFC_REALS(SCATTER_KERNEL, ScatterMin)
TFC_REALS(SCATTER_KERNEL, ScatterMax)
TFC_REALS(SCATTER_KERNEL, ScatterMinimum)
TFC_REALS(SCATTER_KERNEL, ScatterMaximum)
TFC_FLOATS(SCATTER_KERNEL, ScatterDiv)

/* Assignment moves elements; the last of equal indices wins. */
struct bits_of_update {
  template <typename T>
  static __device__ __forceinline__ T apply(T, T y) {
    return y;
  }
};
#define UPDATE_KERNEL(OP, T)                                  \
  TFC_KERNEL_BOUNDS(OP##_##T, scatter_params, p, TFC_BLOCK) { \
    scatter_rows<bits_of_update, T>(p);                       \
  }
TFC_SIZES(UPDATE_KERNEL, ScatterUpdate)
