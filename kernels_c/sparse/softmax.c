/* SparseSoftmax: softmax over the elements that each row has. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/sparse/sparse.h"

/* The elements of each row side by side: values less the row's maximum, their exponentials. */
typedef struct softmax_rows {
  int64_t n;
  int64_t* order; /* element i is order[i] in the input; NULL: i */
  bool* starts;   /* whether a row starts at element i */
} softmax_rows;

static int open_rows(tfc_context* ctx, softmax_rows* r) {
  const tfc_tensor *matrix = ctx->inputs[0], *values = ctx->inputs[1], *shape = ctx->inputs[2];
  if (matrix->rank != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input sp_indices should be a matrix but received shape: %s",
                     tfc_shape_text(matrix).text);
  if (values->rank != 1 || shape->rank != 1)
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Inputs sp_values and sp_shape should be vectors but received shapes: %s and %s",
        tfc_shape_text(values).text, tfc_shape_text(shape).text);
  sparse_indices indices;
  const int64_t* dims = sparse_copy_vector(ctx, shape);
  if (!dims) return TFC_RESOURCE_EXHAUSTED;
  if (shape->n < 2) {
    char size[24] = "";
    if (shape->n) snprintf(size, sizeof size, "%lld", (long long)dims[0]);
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input should have rank >= 2, but received shape: %s", size);
  }
  int64_t count;
  TFC_TRY(sparse_check_parts(ctx, matrix, values, shape));
  TFC_TRY(sparse_count(ctx, dims, shape->n, &count));
  TFC_TRY(sparse_copy_indices(ctx, matrix, &indices));
  *r = (softmax_rows){.n = indices.n};
  r->starts = tfc_scratch_items(ctx, indices.n + 1, sizeof *r->starts);
  if (!r->starts) return TFC_RESOURCE_EXHAUSTED;
  if (!sparse_is_sorted(&indices)) {
    r->order = tfc_scratch_items(ctx, indices.n + 1, sizeof *r->order);
    if (!r->order) return TFC_RESOURCE_EXHAUSTED;
    TFC_TRY(sparse_sort(ctx, &indices, r->order));
  }
  for (int64_t i = 0; i < indices.n; i++) {
    const int64_t here = r->order ? r->order[i] : i,
                  before = r->order && i ? r->order[i - 1] : i - 1;
    r->starts[i] = i == 0 || sparse_compare(sparse_row(&indices, before),
                                            sparse_row(&indices, here), indices.rank - 1);
  }
  return TFC_OK;
}

typedef struct exp_job {
  void* x;
} exp_job;

/* The exponentials are taken of all rows at once, which may be short. */
#define SOFTMAX(T, V, LANES)                                                  \
  static void exp_##T(void* arg, int64_t begin, int64_t end) {                \
    T* x = ((exp_job*)arg)->x;                                                \
    for (int64_t i = begin; i < end; i += LANES) {                            \
      const int64_t left = end - i;                                           \
      if (left >= LANES)                                                      \
        V##_store(x + i, V##_exp(V##_load(x + i)));                           \
      else                                                                    \
        V##_store_n(x + i, V##_exp(V##_load_n(x + i, (int)left)), (int)left); \
    }                                                                         \
  }                                                                           \
  static void softmax_##T(tfc_context* ctx, const softmax_rows* r, T* x) {    \
    for (int64_t i = 0, end; i < r->n; i = end) {                             \
      T most = x[i];                                                          \
      for (end = i + 1; end < r->n && !r->starts[end]; end++)                 \
        most = x[end] > most ? x[end] : most;                                 \
      for (int64_t j = i; j < end; j++) x[j] -= most;                         \
    }                                                                         \
    tfc_parallel_for(ctx, r->n, 1, exp_##T, &(exp_job){x});                   \
    for (int64_t i = 0, end; i < r->n; i = end) {                             \
      T sum = x[i];                                                           \
      for (end = i + 1; end < r->n && !r->starts[end]; end++) sum += x[end];  \
      for (int64_t j = i; j < end; j++) x[j] /= sum;                          \
    }                                                                         \
  }
SOFTMAX(float, vf, VF_N)
SOFTMAX(double, vd, VD_N)

/* out[order[i]] = in[i], or the other way round. */
static void permute(const softmax_rows* r, size_t size, const void* from, void* to, bool back) {
  TFC_SWITCH_SIZE(size, {
    const T* x = from;
    T* y = to;
    for (int64_t i = 0; i < r->n; i++) {
      const int64_t at = r->order ? r->order[i] : i;
      y[back ? at : i] = x[back ? i : at];
    }
  });
}

static int softmax(tfc_context* ctx) {
  softmax_rows r;
  TFC_TRY(open_rows(ctx, &r));
  TFC_TRY(tfc_output(ctx, 0, 1, &r.n));
  const tfc_tensor* values = ctx->inputs[1];
  tfc_tensor* y = &ctx->outputs[0];
  const bool half = tfc_is_16bit_float(values->dtype);
  const size_t size = half ? sizeof(float) : tfc_dtype_size(values->dtype);
  void *x = tfc_scratch_items(ctx, r.n + 1, size), *wide = tfc_scratch_items(ctx, r.n + 1, size);
  if (!x || !wide) return TFC_RESOURCE_EXHAUSTED;
  if (r.n == 0) return TFC_OK;
  if (half) tfc_widen(values->dtype, values->data, wide, r.n);
  permute(&r, size, half ? wide : values->data, x, false);
  if (values->dtype == TFC_DOUBLE)
    softmax_double(ctx, &r, x);
  else
    softmax_float(ctx, &r, x);
  permute(&r, size, x, half ? wide : y->data, true);
  if (half) tfc_narrow(y->dtype, wide, y->data, r.n);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("SparseSoftmax", "T=" TFC_TYPES_FLOATS_BUT_BFLOAT16, softmax, .host_args = "sp_shape"),
};
TFC_REGISTER_KERNELS(kernels);
