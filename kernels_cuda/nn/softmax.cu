/* Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.
 *
 * The lanes of a row need its maximum, the sum of exponentials less the maximum, the result. A lane
 * reads and writes the same elements for each of them, so the result may replace the logits. half
 * and bfloat16 are computed in float. */
#include "kernels_cuda/nn/softmax.h"
#include "kernels_cuda/reduce/reduce.cuh"

struct larger {
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a > b ? a : b;
  }
};
struct sum {
  template <typename A>
  static __device__ __forceinline__ A combine(A a, A b) {
    return a + b;
  }
};

/* The elements of a row that a lane owns. */
#define FOR_OWN_COLUMNS(J, PLACE, COLS) \
  for (int64_t J = (PLACE).lane; J < (COLS); J += (PLACE).lanes)

/* A row of logits; a row past the end has no columns, since its threads still meet the barriers. */
template <typename T>
struct logits_row {
  typedef typename wide<T>::type W;
  const T* x;
  int64_t cols, step;

  __device__ __forceinline__ W at(int64_t j) const { return load<T>(x, j * step); }
  __device__ __forceinline__ W maximum(const reduce_place& place, W* tree) const {
    W most = -INFINITY;
    FOR_OWN_COLUMNS(j, place, cols) most = larger::combine(most, at(j));
    return reduce_neighbours<larger>(place, most, tree);
  }
  __device__ __forceinline__ W sum_of_exponentials(const reduce_place& place, W most,
                                                   W* tree) const {
    W total = 0;
    FOR_OWN_COLUMNS(j, place, cols) total += m_exp(at(j) - most);
    return reduce_neighbours<sum>(place, total, tree);
  }
};

/* Runs BODY for the place's row of each tile. `inside`: whether there is such a row. */
#define FOR_ROWS(ROW, PLACE, ROWS)                                           \
  for (int64_t ROW = (int64_t)blockIdx.x * (PLACE).results + (PLACE).result; \
       ROW - (PLACE).result < (ROWS); ROW += (int64_t)gridDim.x * (PLACE).results)

/* ---- Softmax and LogSoftmax. A row that gives no lane more than SOFTMAX_OWN elements is read
 * once and kept in registers, in groups; a longer one is read three times. */

/* The lane's elements of a row, or -infinity past its end. AT_ONCE: in accesses of groups, which
 * the address and the length of rows allow. */
template <typename T, bool AT_ONCE>
__device__ __forceinline__ void load_own(const reduce_place& place, const T* x, int cols,
                                         typename wide<T>::type* own) {
  enum { N = group_size<T>::N };
#pragma unroll
  for (int g = 0; g < SOFTMAX_OWN / N; g++) {
    const int first = (g * place.lanes + place.lane) * N;
    if (AT_ONCE) {
      if (first < cols) {
        const group<T, N> found = *(const group<T, N>*)(x + first);
#pragma unroll
        for (int k = 0; k < N; k++) own[g * N + k] = widen(found.of[k]);
      } else {
#pragma unroll
        for (int k = 0; k < N; k++) own[g * N + k] = -INFINITY;
      }
    } else {
#pragma unroll
      for (int k = 0; k < N; k++)
        own[g * N + k] = first + k < cols ? widen(x[first + k]) : -INFINITY;
    }
  }
}
template <typename T>
__device__ __forceinline__ void store_own(const reduce_place& place, T* y, int cols, bool at_once,
                                          const typename wide<T>::type* own) {
  enum { N = group_size<T>::N };
#pragma unroll
  for (int g = 0; g < SOFTMAX_OWN / N; g++) {
    const int first = (g * place.lanes + place.lane) * N;
    group<T, N> result;
#pragma unroll
    for (int k = 0; k < N; k++) narrow(own[g * N + k], &result.of[k]);
    if (at_once) {
      if (first < cols) *(group<T, N>*)(y + first) = result;
    } else {
#pragma unroll
      for (int k = 0; k < N; k++)
        if (first + k < cols) y[first + k] = result.of[k];
    }
  }
}

template <typename T, bool LOGARITHM>
__device__ __forceinline__ void softmax_own(const softmax_params& p, typename wide<T>::type* tree) {
  typedef typename wide<T>::type W;
  enum { N = group_size<T>::N };
  const bool at_once = p.cols % N == 0 && takes_groups<T, N>(p.x) && takes_groups<T, N>(p.y);
  const reduce_place place(p.lanes, 1);
  FOR_ROWS(row, place, p.rows) {
    const int cols = row < p.rows ? (int)p.cols : 0;
    const T* x = (const T*)p.x + row * p.cols;
    W own[SOFTMAX_OWN], most = -INFINITY, total = 0;
    if (at_once)
      load_own<T, true>(place, x, cols, own);
    else
      load_own<T, false>(place, x, cols, own);
#pragma unroll
    for (int k = 0; k < SOFTMAX_OWN; k++) most = larger::combine(most, own[k]);
    most = reduce_neighbours<larger>(place, most, tree);
#pragma unroll
    for (int k = 0; k < SOFTMAX_OWN; k++) {
      if (k / N * N * place.lanes >= p.cols) continue; /* no lane has such an element */
      const W e = m_exp(own[k] - most);
      total += e;
      if (!LOGARITHM) own[k] = e;
    }
    total = reduce_neighbours<sum>(place, total, tree);
    const W log_total = LOGARITHM ? m_log(total) : 0, scale = 1 / total;
#pragma unroll
    for (int k = 0; k < SOFTMAX_OWN; k++)
      own[k] = LOGARITHM ? (own[k] - most) - log_total : own[k] * scale;
    store_own<T>(place, (T*)p.y + row * p.cols, cols, at_once, own);
  }
}

template <typename T, bool LOGARITHM>
__device__ __forceinline__ void softmax_rows(const softmax_params& p) {
  typedef typename wide<T>::type W;
  __shared__ W tree[TFC_REDUCE_THREADS];
  if (p.cols <= p.lanes * SOFTMAX_OWN) {
    softmax_own<T, LOGARITHM>(p, tree);
    return;
  }
  const reduce_place place(p.lanes, 1);
  FOR_ROWS(row, place, p.rows) {
    const logits_row<T> x = {(const T*)p.x + row * p.cols, row < p.rows ? p.cols : 0, 1};
    const W most = x.maximum(place, tree), total = x.sum_of_exponentials(place, most, tree);
    const W log_total = LOGARITHM ? m_log(total) : 0, scale = 1 / total;
    FOR_OWN_COLUMNS(j, place, x.cols) {
      const W y = LOGARITHM ? (x.at(j) - most) - log_total : m_exp(x.at(j) - most) * scale;
      store<T>(p.y, row * p.cols + j, y);
    }
  }
}
#define SOFTMAX_KERNELS(OP, T)                                               \
  TFC_KERNEL_BOUNDS(Softmax_##T, softmax_params, p, TFC_REDUCE_THREADS) {    \
    softmax_rows<T, false>(p);                                               \
  }                                                                          \
  TFC_KERNEL_BOUNDS(LogSoftmax_##T, softmax_params, p, TFC_REDUCE_THREADS) { \
    softmax_rows<T, true>(p);                                                \
  }
TFC_FLOATS(SOFTMAX_KERNELS, )

/* ---- Cross entropy with a distribution as the label: the loss is
 * log(sum) * (sum of labels) + sum of label * (maximum - x). A label of 0 contributes nothing, even
 * if x is infinite. */

template <typename T>
__device__ __forceinline__ void cross_entropy_rows(const cross_entropy_params& p) {
  typedef typename wide<T>::type W;
  __shared__ W tree[TFC_REDUCE_THREADS];
  const reduce_place place(p.lanes, 1);
  FOR_ROWS(row, place, p.rows) {
    const int64_t cols = row < p.rows ? p.cols : 0;
    const logits_row<T> x = {(const T*)p.x + row * p.x_row_step, cols, p.x_col_step};
    const T* labels = (const T*)p.labels + row * p.labels_row_step;
    const W most = x.maximum(place, tree), total = x.sum_of_exponentials(place, most, tree);
    W mass = 0, rest = 0;
    FOR_OWN_COLUMNS(j, place, cols) {
      const W label = load<T>(labels, j * p.labels_col_step);
      mass += label;
      if (label != 0) rest += label * (most - x.at(j));
    }
    mass = reduce_neighbours<sum>(place, mass, tree);
    rest = reduce_neighbours<sum>(place, rest, tree);
    const W scale = 1 / total;
    FOR_OWN_COLUMNS(j, place, cols) {
      const W label = load<T>(labels, j * p.labels_col_step);
      store<T>(p.backprop, row * p.cols + j, m_exp(x.at(j) - most) * scale - label);
    }
    if (place.lane == 0 && row < p.rows) store<T>(p.loss, row, m_log(total) * mass + rest);
  }
}
#define CROSS_ENTROPY_KERNEL(OP, T)                                          \
  TFC_KERNEL_BOUNDS(OP##_##T, cross_entropy_params, p, TFC_REDUCE_THREADS) { \
    cross_entropy_rows<T>(p);                                                \
  }
TFC_FLOATS(CROSS_ENTROPY_KERNEL, SoftmaxCrossEntropyWithLogits)

/* ---- Cross entropy with the number of a class as the label. */

template <typename T>
__device__ __forceinline__ void sparse_rows(const sparse_cross_entropy_params& p) {
  typedef typename wide<T>::type W;
  __shared__ W tree[TFC_REDUCE_THREADS];
  const reduce_place place(p.lanes, 1);
  FOR_ROWS(row, place, p.rows) {
    const bool inside = row < p.rows;
    const logits_row<T> x = {(const T*)p.x + row * p.cols, inside ? p.cols : 0, 1};
    const W most = x.maximum(place, tree), total = x.sum_of_exponentials(place, most, tree);
    if (!inside) continue; /* the barriers were in the sums */
    const int64_t label =
        p.wide ? ((const int64_t*)p.labels)[row] : ((const int32_t*)p.labels)[row];
    const bool right = label >= 0 && label < p.cols;
    if (!right && place.lane == 0) {
      report_index(p.report, 0, row, label);
      store<T>(p.loss, row, NAN);
    }
    const W scale = right ? 1 / total : NAN;
    FOR_OWN_COLUMNS(j, place, p.cols) {
      const W logit = x.at(j);
      store<T>(p.backprop, row * p.cols + j, m_exp(logit - most) * scale - (j == label));
      if (j == label) store<T>(p.loss, row, m_log(total) + (most - logit));
    }
  }
}
#define SPARSE_KERNEL(OP, T)                                                        \
  TFC_KERNEL_BOUNDS(OP##_##T, sparse_cross_entropy_params, p, TFC_REDUCE_THREADS) { \
    sparse_rows<T>(p);                                                              \
  }
TFC_FLOATS(SPARSE_KERNEL, SparseSoftmaxCrossEntropyWithLogits)
