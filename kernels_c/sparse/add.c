/* Two sparse tensors of the same shape, element by element: SparseAdd with its gradient,
 * SparseSparseMaximum, SparseSparseMinimum. The elements of both are in row-major order, so that
 * one pass merges them. */
#include <complex.h>
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/rows.h"
#include "kernels_c/sparse/sparse.h"

TFC_ONE_LEVEL;

/* Where each element of the result comes from: its number in a and in b, -1 where it has none. */
typedef struct merged {
  int64_t *a, *b, n;
} merged;

static int merge(tfc_context* ctx, const sparse_indices* a, const sparse_indices* b, merged* m) {
  const int64_t most = a->n + b->n + 1;
  *m = (merged){tfc_scratch_items(ctx, most, sizeof *m->a),
                tfc_scratch_items(ctx, most, sizeof *m->b), 0};
  if (!m->a || !m->b) return TFC_RESOURCE_EXHAUSTED;
  for (int64_t i = 0, j = 0; i < a->n || j < b->n; m->n++) {
    const int order = i == a->n   ? 1
                      : j == b->n ? -1
                                  : sparse_compare(sparse_row(a, i), sparse_row(b, j), a->rank);
    m->a[m->n] = order <= 0 ? i++ : -1;
    m->b[m->n] = order >= 0 ? j++ : -1;
  }
  return TFC_OK;
}

/* Output i becomes the indices of the merged elements `which[0..n)`. */
static int put_merged_indices(tfc_context* ctx, int i, const sparse_indices* a,
                              const sparse_indices* b, const merged* m, const int64_t* which,
                              int64_t n) {
  TFC_TRY(tfc_output(ctx, i, 2, (const int64_t[2]){n, a->rank}));
  int64_t* to = ctx->outputs[i].data;
  for (int64_t k = 0; k < n; k++, to += a->rank) {
    const int64_t at = which ? which[k] : k;
    const int64_t* from = m->a[at] >= 0 ? sparse_row(a, m->a[at]) : sparse_row(b, m->b[at]);
    for (int64_t d = 0; d < a->rank; d++) to[d] = from[d];
  }
  return TFC_OK;
}

static int check_shapes_match(tfc_context* ctx, const tfc_tensor* a, const tfc_tensor* b) {
  if (a->n != b->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Operands do not have the same ranks; got %lld and %lld", (long long)a->n,
                     (long long)b->n);
  for (int64_t d = 0; d < a->n; d++) {
    const int64_t left = tfc_index_at(a, d), right = tfc_index_at(b, d);
    if (left != right)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Operands' shapes do not match: got %lld and %lld for dimension %lld",
                       (long long)left, (long long)right, (long long)d);
  }
  return TFC_OK;
}

/* ---- SparseAdd */

static int check_ranks_match(tfc_context* ctx) {
  const tfc_tensor* const* in = ctx->inputs;
  const int64_t cols[2] = {in[0]->dims[1], in[3]->dims[1]};
  if (cols[0] != cols[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input indices must have the same dimension, got %lld and %lld",
                     (long long)cols[0], (long long)cols[1]);
  for (int i = 0; i < 2; i++)
    if (cols[i] != in[3 * i + 2]->n)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Second dimension of %c_indices and length of %c_shape must match, got %lld "
                       "and %lld",
                       'a' + i, 'a' + i, (long long)cols[i], (long long)in[3 * i + 2]->n);
  if (cols[0] == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Tensors must not be empty");
  return TFC_OK;
}

static int check_addends(tfc_context* ctx) {
  const tfc_tensor* const* in = ctx->inputs;
  const struct {
    int part, rank;
    const char* text;
  } parts[] = {{0, 2, "Input indices should be matrices but received shapes: %s and %s"},
               {1, 1, "Input values should be vectors but received shapes: %s and %s"},
               {2, 1, "Input shapes should be a vector but received shapes %s and %s"}};
  for (int i = 0; i < 3; i++) {
    const tfc_tensor *a = in[parts[i].part], *b = in[parts[i].part + 3];
    if (a->rank != parts[i].rank || b->rank != parts[i].rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, parts[i].text, tfc_shape_text(a).text,
                       tfc_shape_text(b).text);
    if (i == 1 && (a->n != in[0]->dims[0] || b->n != in[3]->dims[0]))
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Expected %lld and %lld non-empty input values, got %lld and %lld",
                       (long long)in[0]->dims[0], (long long)in[3]->dims[0], (long long)a->n,
                       (long long)b->n);
  }
  TFC_TRY(check_ranks_match(ctx));
  TFC_TRY(check_shapes_match(ctx, in[2], in[5]));
  return tfc_want_scalar(ctx, 6, "The magnitude threshold must be a scalar: got shape");
}

#define REACHES_REAL(s, least) ((least) <= fabs((double)(s)))
#define REACHES_COMPLEX(s, least) ((least) <= cabs((double complex)(s)))
/* Not abs: the magnitude of the least number does not fit its type. */
#define REACHES_INTEGER(s, least) \
  ((least) <= 0 || ((s) < 0 ? 0 - (uint64_t)(s) : (uint64_t)(s)) >= (uint64_t)(least))

/* U adds as T does, but wraps. Sums below the threshold are left out; values alone are not. */
#define ADD(NAME, T, U, R, REACHES)                                                               \
  static int64_t add_##NAME(const void* a, const void* b, const void* threshold, const merged* m, \
                            void* sums, int64_t* which) {                                         \
    const T *x = a, *y = b;                                                                       \
    const R least = *(const R*)threshold;                                                         \
    T* to = sums;                                                                                 \
    int64_t n = 0;                                                                                \
    for (int64_t k = 0; k < m->n; k++) {                                                          \
      const bool both = m->a[k] >= 0 && m->b[k] >= 0;                                             \
      const T s = both           ? (T)((U)x[m->a[k]] + (U)y[m->b[k]])                             \
                  : m->a[k] >= 0 ? x[m->a[k]]                                                     \
                                 : y[m->b[k]];                                                    \
      if (both && !(REACHES(s, least))) continue;                                                 \
      to[n] = s;                                                                                  \
      which[n++] = k;                                                                             \
    }                                                                                             \
    return n;                                                                                     \
  }
ADD(float, float, float, float, REACHES_REAL)
ADD(double, double, double, double, REACHES_REAL)
ADD(complex64, float complex, float complex, float, REACHES_COMPLEX)
ADD(complex128, double complex, double complex, double, REACHES_COMPLEX)
ADD(int8, int8_t, uint8_t, int8_t, REACHES_INTEGER)
ADD(int16, int16_t, uint16_t, int16_t, REACHES_INTEGER)
ADD(int32, int32_t, uint32_t, int32_t, REACHES_INTEGER)
ADD(int64, int64_t, uint64_t, int64_t, REACHES_INTEGER)

static int64_t add_values(tfc_context* ctx, const merged* m, void* sums, int64_t* which) {
  const void *a = ctx->inputs[1]->data, *b = ctx->inputs[4]->data, *t = ctx->inputs[6]->data;
  switch (ctx->inputs[1]->dtype) {
    case TFC_FLOAT: return add_float(a, b, t, m, sums, which);
    case TFC_DOUBLE: return add_double(a, b, t, m, sums, which);
    case TFC_COMPLEX64: return add_complex64(a, b, t, m, sums, which);
    case TFC_COMPLEX128: return add_complex128(a, b, t, m, sums, which);
    case TFC_INT8: return add_int8(a, b, t, m, sums, which);
    case TFC_INT16: return add_int16(a, b, t, m, sums, which);
    case TFC_INT32: return add_int32(a, b, t, m, sums, which);
    default: return add_int64(a, b, t, m, sums, which);
  }
}

static int sparse_add(tfc_context* ctx) {
  TFC_TRY(check_addends(ctx));
  sparse_indices a, b;
  merged m;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[0], &a));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[3], &b));
  TFC_TRY(merge(ctx, &a, &b, &m));
  const size_t size = tfc_dtype_size(ctx->inputs[1]->dtype);
  void* sums = tfc_scratch_items(ctx, m.n + 1, size);
  int64_t* which = tfc_scratch_items(ctx, m.n + 1, sizeof *which);
  if (!sums || !which) return TFC_RESOURCE_EXHAUSTED;
  const int64_t n = add_values(ctx, &m, sums, which);
  TFC_TRY(put_merged_indices(ctx, 0, &a, &b, &m, which, n));
  TFC_TRY(tfc_output(ctx, 1, 1, &n));
  if (n) memcpy(ctx->outputs[1].data, sums, (size_t)n * size);
  return tfc_output_input(ctx, 2, 2);
}

/* ---- SparseAddGrad */

static int check_gradients(tfc_context* ctx) {
  const tfc_tensor *grad = ctx->inputs[0], *a = ctx->inputs[1], *b = ctx->inputs[2],
                   *sum = ctx->inputs[3];
  if (a->rank != 2 || b->rank != 2 || sum->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input indices should be matrices but received shapes: %s and %s and %s",
                     tfc_shape_text(a).text, tfc_shape_text(b).text, tfc_shape_text(sum).text);
  if (grad->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input backprop_val_grad should be a vector but received shape: %s",
                     tfc_shape_text(grad).text);
  if (a->dims[1] != b->dims[1] || b->dims[1] != sum->dims[1])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The densified operands should have the same ndims; for A, B, sum got: "
                     "%lld, %lld, %lld",
                     (long long)a->dims[1], (long long)b->dims[1], (long long)sum->dims[1]);
  if (grad->n != sum->dims[0])
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "# elements of backprop_val_grad and # rows of sum_indices should match (#nnz "
                     "of sum): got %lld and %lld",
                     (long long)grad->n, (long long)sum->dims[0]);
  return TFC_OK;
}

/* Each element has the gradient of the sum with its index; 0 if that was left out. */
static int take_gradients(tfc_context* ctx, int output, const sparse_indices* x,
                          const sparse_indices* sum) {
  TFC_TRY(tfc_output(ctx, output, 1, &x->n));
  tfc_tensor* y = &ctx->outputs[output];
  if (!x->n) return TFC_OK;
  memset(y->data, 0, (size_t)x->n * tfc_dtype_size(y->dtype));
  TFC_SWITCH_SIZE(tfc_dtype_size(y->dtype), {
    const T* from = ctx->inputs[0]->data;
    T* to = y->data;
    for (int64_t i = 0, k = 0; i < x->n && k < sum->n;) {
      const int order = sparse_compare(sparse_row(x, i), sparse_row(sum, k), x->rank);
      if (order == 0) to[i] = from[k];
      i += order <= 0;
      k += order >= 0;
    }
  });
  return TFC_OK;
}

static int sparse_add_grad(tfc_context* ctx) {
  TFC_TRY(check_gradients(ctx));
  sparse_indices a, b, sum;
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[1], &a));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[2], &b));
  TFC_TRY(sparse_copy_indices(ctx, ctx->inputs[3], &sum));
  TFC_TRY(take_gradients(ctx, 0, &a, &sum));
  return take_gradients(ctx, 1, &b, &sum);
}

/* ---- SparseSparseMaximum, SparseSparseMinimum */

/* to[k] = values[places[k]], 0 where there is none. */
static void fill(const tfc_tensor* values, const int64_t* places, int64_t n, void* to) {
  TFC_SWITCH_SIZE(tfc_dtype_size(values->dtype), {
    const T* x = values->data;
    T* y = to;
    for (int64_t k = 0; k < n; k++) y[k] = places[k] >= 0 ? x[places[k]] : (T){0};
  });
}

static int extreme(tfc_context* ctx, tfc_row_kind kind) {
  const tfc_tensor* const* in = ctx->inputs;
  TFC_TRY(sparse_check_ranks(ctx, in[0], in[1], in[2]));
  TFC_TRY(sparse_check_ranks(ctx, in[3], in[4], in[5]));
  TFC_TRY(check_shapes_match(ctx, in[2], in[5]));
  sparse_indices a, b;
  merged m;
  TFC_TRY(sparse_copy_indices(ctx, in[0], &a));
  TFC_TRY(sparse_copy_indices(ctx, in[3], &b));
  TFC_TRY(merge(ctx, &a, &b, &m));
  TFC_TRY(put_merged_indices(ctx, 0, &a, &b, &m, NULL, m.n));
  TFC_TRY(tfc_output(ctx, 1, 1, &m.n));
  const int32_t dtype = in[1]->dtype;
  void* other = tfc_scratch_items(ctx, m.n + 1, tfc_dtype_size(dtype));
  if (!other) return TFC_RESOURCE_EXHAUSTED;
  fill(in[1], m.a, m.n, ctx->outputs[1].data);
  fill(in[4], m.b, m.n, other);
  tfc_find_row_op(kind, dtype)(ctx->outputs[1].data, other, m.n);
  return TFC_OK;
}

static int sparse_maximum(tfc_context* ctx) {
  return extreme(ctx, TFC_ROW_MAX);
}
static int sparse_minimum(tfc_context* ctx) {
  return extreme(ctx, TFC_ROW_MIN);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseAdd", "T=float|complex64;Treal=float", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAdd", "T=double|complex128;Treal=double", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAdd", "T=int8;Treal=int8", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAdd", "T=int16;Treal=int16", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAdd", "T=int32;Treal=int32", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAdd", "T=int64;Treal=int64", sparse_add,
            .host_args = "a_shape,b_shape,sum_shape,thresh"),
    TFC_ROW("SparseAddGrad", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_SIGNED "|" TFC_TYPES_COMPLEX,
            sparse_add_grad),
    TFC_ROW("SparseSparseMaximum", "T=" TFC_TYPES_REALS, sparse_maximum,
            .host_args = "a_shape,b_shape"),
    TFC_ROW("SparseSparseMinimum", "T=" TFC_TYPES_REALS, sparse_minimum,
            .host_args = "a_shape,b_shape"),
};
TFC_REGISTER_KERNELS(kernels);
