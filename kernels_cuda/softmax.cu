/* Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.
 *
 * The lanes of a row pass over it three times: the maximum, the sum of exponentials less the
 * maximum, the result. A lane reads and writes the same elements in all passes, so the result may
 * replace the logits. half and bfloat16 are computed in float. */
#include "reduce.cuh"
#include "softmax.h"

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
    return reduce_and_share<larger>(place, most, tree);
  }
  __device__ __forceinline__ W sum_of_exponentials(const reduce_place& place, W most,
                                                   W* tree) const {
    W total = 0;
    FOR_OWN_COLUMNS(j, place, cols) total += m_exp(at(j) - most);
    return reduce_and_share<sum>(place, total, tree);
  }
};

/* Runs BODY for the place's row of each tile. `inside`: whether there is such a row. */
#define FOR_ROWS(ROW, PLACE, ROWS)                                           \
  for (int64_t ROW = (int64_t)blockIdx.x * (PLACE).results + (PLACE).result; \
       ROW - (PLACE).result < (ROWS); ROW += (int64_t)gridDim.x * (PLACE).results)

/* ---- Softmax and LogSoftmax. */

template <typename T, bool LOGARITHM>
__device__ __forceinline__ void softmax_rows(const softmax_params& p) {
  typedef typename wide<T>::type W;
  __shared__ W tree[TFC_REDUCE_THREADS];
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
    mass = reduce_and_share<sum>(place, mass, tree);
    rest = reduce_and_share<sum>(place, rest, tree);
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
