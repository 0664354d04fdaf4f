/* Sum, Mean, Prod, Max, Min, EuclideanNorm, All, Any; L2Loss, which is of nn_basic in kernels_c.
 *
 * Accumulators: float for half and bfloat16; 64 bits for integers, where sums and products wrap and
 * means are exact; a byte for bool; else the type itself. */
#include "kernels_cuda/reduce/reduce.cuh"

/* ---- Accumulators. */

template <typename T>
struct accumulator {
  typedef int64_t type;
};
#define ACCUMULATOR(T, A) \
  template <>             \
  struct accumulator<T> { \
    typedef A type;       \
  };
ACCUMULATOR(float, float)
ACCUMULATOR(double, double)
ACCUMULATOR(half, float)
ACCUMULATOR(bfloat16, float)
ACCUMULATOR(uint64_t, uint64_t)

/* The least and the largest value of a type, and infinities where it has them. */
template <typename T>
struct extremes {
  static __device__ __forceinline__ T low() {
    return T(-1) < T(0) ? (T)((uint64_t)1 << (8 * sizeof(T) - 1)) : T(0);
  }
  static __device__ __forceinline__ T high() { return (T) ~(uint64_t)low(); }
};
#define FLOAT_EXTREMES(T)                                               \
  template <>                                                           \
  struct extremes<T> {                                                  \
    static __device__ __forceinline__ float low() { return -INFINITY; } \
    static __device__ __forceinline__ float high() { return INFINITY; } \
  };
FLOAT_EXTREMES(float)
FLOAT_EXTREMES(double)
FLOAT_EXTREMES(half)
FLOAT_EXTREMES(bfloat16)

/* ---- Reducers: the value of no elements, an element as an accumulator, two accumulators combined,
 * the result. */

struct reducer {
  template <typename A>
  static __device__ __forceinline__ A element(A x) {
    return x;
  }
  template <typename A>
  static __device__ __forceinline__ A finish(A a, const reduce_params&) {
    return a;
  }
};
struct Sum : reducer {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return 0;
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return (A)((typename wrapping<A>::type)a + (typename wrapping<A>::type)b);
  }
};
struct Mean : Sum {
  template <typename A>
  static __device__ __forceinline__ A finish(A a, const reduce_params& p) {
    return a / (A)p.divisor;
  }
};
struct Prod : reducer {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return 1;
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return (A)((typename wrapping<A>::type)a * (typename wrapping<A>::type)b);
  }
};
/* A NaN in either operand survives. */
struct Max : reducer {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return (A)extremes<T>::low();
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a != a || a > b ? a : b;
  }
};
struct Min : reducer {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return (A)extremes<T>::high();
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a != a || a < b ? a : b;
  }
};
/* Of floating-point numbers only; integers would need a double as the accumulator. */
struct EuclideanNorm : Sum {
  template <typename A>
  static __device__ __forceinline__ A element(A x) {
    return x * x;
  }
  template <typename A>
  static __device__ __forceinline__ A finish(A a, const reduce_params&) {
    return m_sqrt(a);
  }
};
struct L2Loss : EuclideanNorm {
  template <typename A>
  static __device__ __forceinline__ A finish(A a, const reduce_params&) {
    return a / 2;
  }
};

/* ---- The kernel. */

/* A lane's part of elements [begin, end) of a line, in groups; those after the last group are taken
 * one by one. AT_ONCE: the address allows accesses of groups. The order is the same without. */
template <typename Reducer, typename T, typename A, bool AT_ONCE>
__device__ __forceinline__ A reduce_line(const reduce_place& place, const T* line, int64_t begin,
                                         int64_t end) {
  enum { N = group_size<T>::N };
  A sum = Reducer::template identity<T, A>();
  const int64_t tail = begin + (end - begin) / N * N;
#pragma unroll(AT_ONCE ? 4 : 1)
  for (int64_t r = begin + place.lane * N; r < tail; r += place.lanes * N) {
    group<T, N> x;
    if (AT_ONCE)
      x = *(const group<T, N>*)(line + r);
    else
      for (int k = 0; k < N; k++) x.of[k] = line[r + k];
#pragma unroll
    for (int k = 0; k < N; k++) sum = Reducer::combine(sum, Reducer::element((A)widen(x.of[k])));
  }
#pragma unroll 1
  for (int64_t r = tail + place.lane; r < end; r += place.lanes)
    sum = Reducer::combine(sum, Reducer::element((A)widen(line[r])));
  return sum;
}

/* A lane's part of rows [begin, end) of a column, whose first element is x[from]. X: the type of
 * elements, or that of accumulators where PARTIAL. */
template <typename Reducer, typename T, typename A, typename X, bool PARTIAL>
__device__ __forceinline__ A reduce_column(const reduce_params& p, const reduce_place& place,
                                           int64_t from, int64_t begin, int64_t end) {
  A sum = Reducer::template identity<T, A>();
  const X* at = (const X*)p.x + from + (begin + place.lane) * p.inner;
  const int64_t step = place.lanes * p.inner;
#pragma unroll(PARTIAL ? 2 : 8)
  for (int64_t r = begin + place.lane; r < end; r += place.lanes, at += step) {
    const A x = (A)widen(*at);
    sum = Reducer::combine(sum, PARTIAL ? x : Reducer::element(x));
  }
  return sum;
}

template <typename Reducer, typename T, typename A>
__device__ __forceinline__ A reduce_part(const reduce_params& p, const reduce_place& place,
                                         int64_t from, int64_t begin, int64_t end) {
  if (p.x_partial) return reduce_column<Reducer, T, A, A, true>(p, place, from, begin, end);
  if (p.inner > 1) return reduce_column<Reducer, T, A, T, false>(p, place, from, begin, end);
  const T* line = (const T*)p.x + from;
  if (takes_groups<T, group_size<T>::N>(line + begin))
    return reduce_line<Reducer, T, A, true>(place, line, begin, end);
  return reduce_line<Reducer, T, A, false>(place, line, begin, end);
}

template <typename Reducer, typename T, typename A>
__device__ __forceinline__ void reduce_tiles_of(const reduce_params& p) {
  __shared__ A tree[TFC_REDUCE_THREADS];
  const reduce_place place(p.lanes, p.inner);
  const int64_t results = p.outer * p.inner, tiles = (results + place.results - 1) / place.results;
  const int64_t rows = reduce_rows(&p);
  for (int64_t block = blockIdx.x; block < tiles * p.chunks; block += gridDim.x) {
    const int64_t chunk = quotient_of(block, tiles);
    const int64_t result = (block - chunk * tiles) * place.results + place.result;
    const int64_t outer = quotient_of(result, p.inner), inner = result - outer * p.inner;
    const int64_t begin = chunk * rows < p.reduced ? chunk * rows : p.reduced;
    const int64_t end = begin + rows < p.reduced ? begin + rows : p.reduced;
    A sum = Reducer::template identity<T, A>();
    if (result < results) {
      sum = reduce_part<Reducer, T, A>(p, place, outer * p.reduced * p.inner + inner, begin, end);
    }
    if (p.inner == 1)
      sum = reduce_neighbours<Reducer>(place, sum, tree);
    else
      sum = reduce_lanes_of<Reducer>(place, sum, tree);
    if (place.lane || result >= results) continue;
    const int64_t to = (outer * p.chunks + chunk) * p.inner + inner;
    if (p.y_partial)
      ((A*)p.y)[to] = sum;
    else
      store<T>(p.y, to, (typename wide<T>::type)Reducer::finish(sum, p));
  }
}
#define REDUCE_KERNEL(OP, T)                                             \
  TFC_KERNEL_BLOCKS(OP##_##T, reduce_params, p, TFC_REDUCE_THREADS, 4) { \
    reduce_tiles_of<OP, T, typename accumulator<T>::type>(p);            \
  }
TFC_REALS(REDUCE_KERNEL, Sum)
TFC_REALS(REDUCE_KERNEL, Mean)
TFC_REALS(REDUCE_KERNEL, Prod)
TFC_REALS(REDUCE_KERNEL, Max)
TFC_REALS(REDUCE_KERNEL, Min)
TFC_FLOATS(REDUCE_KERNEL, EuclideanNorm)
TFC_FLOATS(REDUCE_KERNEL, L2Loss)

/* ---- Bools. */

struct logical : reducer {
  template <typename A>
  static __device__ __forceinline__ A element(A x) {
    return x != 0;
  }
};
struct All : logical {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return 1;
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a & b;
  }
};
struct Any : logical {
  template <typename T, typename A>
  static __device__ __forceinline__ A identity() {
    return 0;
  }
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a | b;
  }
};
TFC_KERNEL_BOUNDS(All_bool, reduce_params, p, TFC_REDUCE_THREADS) {
  reduce_tiles_of<All, boolean, boolean>(p);
}
TFC_KERNEL_BOUNDS(Any_bool, reduce_params, p, TFC_REDUCE_THREADS) {
  reduce_tiles_of<Any, boolean, boolean>(p);
}
