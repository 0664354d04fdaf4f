/* Softmax, LogSoftmax, SoftmaxCrossEntropyWithLogits, SparseSoftmaxCrossEntropyWithLogits.
 *
 * Rows are independent; their loops are in softmax_type.h. The logarithms of the sums of a block of
 * rows are one vector operation. half and bfloat16 work in float. */
#include <math.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd_math.h"
#include "kernels_c/common/template.h"
#include "kernels_c/nn/softmax_shape.h"

typedef struct rows {
  const void* x; /* logits */
  void* y;       /* softmax, log softmax or backprop: may be x */
  const void* labels;
  const int64_t* indices; /* sparse labels */
  void* loss;
  int64_t cols;
} rows;

enum {
  ROW_BLOCK = 16, /* rows whose logarithms are taken together */
  SHORT = 8       /* vectors */
};

static inline vi vf_iota(void) {
  return vi_iota();
}
static inline vl vd_iota(void) {
  return vl_iota();
}

#define T float
#include "kernels_c/nn/softmax_type.h"

#define T double
#include "kernels_c/nn/softmax_type.h"

/* Runs fn_float or fn_double over all rows. */
static void run_rows(tfc_context* ctx, const rows* r, int64_t n, bool is_double,
                     tfc_range_fn fn_float, tfc_range_fn fn_double) {
  double ns = 20 + (double)r->cols * (is_double ? 2.0 : 1.0);
  tfc_range_fn fn = is_double ? fn_double : fn_float;
  if ((double)n * ns < 10000)
    fn((void*)r, 0, n);
  else
    tfc_parallel_for(ctx, n, ns, fn, (void*)r);
}

/* A float copy of a 16-bit tensor. */
static float* widened(tfc_context* ctx, const tfc_tensor* t) {
  float* copy = tfc_scratch(ctx, (size_t)t->n * sizeof(float));
  if (copy) tfc_widen(t->dtype, t->data, copy, t->n);
  return copy;
}

/* ---- Softmax, LogSoftmax */

static int softmax(tfc_context* ctx, bool logarithm) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_softmax_output(ctx));
  if (x->n == 0) return TFC_OK;
  tfc_tensor* y = &ctx->outputs[0];
  rows r = {.x = x->data, .y = y->data, .cols = x->dims[x->rank - 1]};
  bool narrow = tfc_is_16bit_float(x->dtype);
  if (narrow) {
    r.y = widened(ctx, x);
    if (!r.y) return TFC_RESOURCE_EXHAUSTED;
    r.x = r.y;
  }
  run_rows(ctx, &r, x->n / r.cols, x->dtype == TFC_DOUBLE,
           logarithm ? log_softmax_rows_float : softmax_rows_float,
           logarithm ? log_softmax_rows_double : softmax_rows_double);
  if (narrow) tfc_narrow(x->dtype, r.y, y->data, x->n);
  return TFC_OK;
}
static int compute_Softmax(tfc_context* ctx) {
  return softmax(ctx, false);
}
static int compute_LogSoftmax(tfc_context* ctx) {
  return softmax(ctx, true);
}

/* ---- Cross entropies: outputs loss [batch] and backprop [batch, classes] */

/* The tensor's elements as [batch, classes], in float for 16-bit types; itself where it already is.
 */
static const void* expanded(tfc_context* ctx, const tfc_tensor* t, const int64_t dims[2]) {
  const void* data = t->data;
  size_t size = tfc_dtype_size(t->dtype);
  if (tfc_is_16bit_float(t->dtype)) {
    data = widened(ctx, t);
    size = 4;
  }
  if (!data || t->n == dims[0] * dims[1]) return data;
  char* copy = tfc_scratch(ctx, (size_t)(dims[0] * dims[1]) * size);
  int64_t row_step, col_step;
  tfc_cross_entropy_steps(t, &row_step, &col_step);
  for (int64_t i = 0; copy && i < dims[0]; i++)
    for (int64_t j = 0; j < dims[1]; j++)
      memcpy(copy + (size_t)(i * dims[1] + j) * size,
             (const char*)data + (size_t)(i * row_step + j * col_step) * size, size);
  return copy;
}

/* Memory for 16-bit results: float scratch that is rounded at the end. */
static int float_results(tfc_context* ctx, rows* r, int64_t batch) {
  r->y = tfc_scratch(ctx, (size_t)(batch * r->cols) * sizeof(float));
  r->loss = tfc_scratch(ctx, (size_t)batch * sizeof(float));
  return r->y && r->loss ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}
static void round_results(tfc_context* ctx, const rows* r) {
  for (int i = 0; i < 2; i++) {
    tfc_tensor* out = &ctx->outputs[i];
    tfc_narrow(out->dtype, i ? r->y : r->loss, out->data, out->n);
  }
}

/* Allocates both outputs; without classes or rows the loss is 0 and *done is set. */
static int begin_outputs(tfc_context* ctx, const int64_t dims[2], rows* r, bool* done) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_cross_entropy_outputs(ctx, dims));
  tfc_tensor* loss = &ctx->outputs[0];
  *done = dims[0] == 0 || dims[1] == 0;
  if (*done && loss->n) memset(loss->data, 0, (size_t)loss->n * tfc_dtype_size(loss->dtype));
  r->cols = dims[1];
  r->loss = loss->data;
  r->y = ctx->outputs[1].data;
  if (!*done && tfc_is_16bit_float(x->dtype)) return float_results(ctx, r, dims[0]);
  return TFC_OK;
}

static int compute_SoftmaxCrossEntropyWithLogits(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  int64_t dims[2];
  rows r = {0};
  bool done;
  TFC_TRY(tfc_cross_entropy_shape(ctx, dims));
  TFC_TRY(begin_outputs(ctx, dims, &r, &done));
  if (done) return TFC_OK;
  r.x = expanded(ctx, x, dims);
  r.labels = expanded(ctx, labels, dims);
  if (!r.x || !r.labels) return TFC_RESOURCE_EXHAUSTED;
  run_rows(ctx, &r, dims[0], x->dtype == TFC_DOUBLE, cross_entropy_rows_float,
           cross_entropy_rows_double);
  if (tfc_is_16bit_float(x->dtype)) round_results(ctx, &r);
  return TFC_OK;
}

static int check_labels(tfc_context* ctx, const tfc_tensor* labels, int64_t classes, int64_t* to) {
  for (int64_t i = 0; i < labels->n; i++) {
    to[i] = tfc_index_at(labels, i);
    if (to[i] >= 0 && to[i] < classes) continue;
    char values[160];
    size_t used = 0;
    for (int64_t k = 0; k < labels->n && used < sizeof values - 24; k++)
      used += (size_t)snprintf(values + used, sizeof values - used, k ? " %lld" : "%lld",
                               (long long)tfc_index_at(labels, k));
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "Received a label value of %lld which is outside the valid range of [0, %lld).  "
        "Label values: %s",
        (long long)to[i], (long long)classes, values);
  }
  return TFC_OK;
}

static int compute_SparseSoftmaxCrossEntropyWithLogits(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *labels = ctx->inputs[1];
  rows r = {0};
  bool done;
  TFC_TRY(tfc_sparse_cross_entropy_check(ctx));
  int64_t* indices = tfc_scratch(ctx, (size_t)labels->n * sizeof(int64_t) + 8);
  if (!indices) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(check_labels(ctx, labels, x->dims[1], indices));
  r.indices = indices;
  TFC_TRY(begin_outputs(ctx, x->dims, &r, &done));
  if (done) return TFC_OK;
  r.x = expanded(ctx, x, x->dims);
  if (!r.x) return TFC_RESOURCE_EXHAUSTED;
  run_rows(ctx, &r, x->dims[0], x->dtype == TFC_DOUBLE, sparse_rows_float, sparse_rows_double);
  if (tfc_is_16bit_float(x->dtype)) round_results(ctx, &r);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Softmax", "T=" TFC_TYPES_FLOATS, compute_Softmax),
    TFC_ROW("LogSoftmax", "T=" TFC_TYPES_FLOATS, compute_LogSoftmax),
    TFC_ROW("SoftmaxCrossEntropyWithLogits", "T=" TFC_TYPES_FLOATS,
            compute_SoftmaxCrossEntropyWithLogits),
    TFC_ROW("SparseSoftmaxCrossEntropyWithLogits",
            "T=" TFC_TYPES_FLOATS ";Tlabels=" TFC_TYPES_INDICES,
            compute_SparseSoftmaxCrossEntropyWithLogits),
};
TFC_REGISTER_KERNELS(kernels);
