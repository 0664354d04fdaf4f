/* Counting values: bincount and histograms. */
#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"

#define ADD_WEIGHTS(T)                                                                         \
  for (int64_t i = 0; i < arr->n; i++) {                                                       \
    const int64_t v = tfc_index_at(arr, i);                                                    \
    if (v < 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input arr must be non-negative!"); \
    if (v < size) ((T*)y->data)[v] += weights->n ? ((const T*)weights->data)[i] : 1;           \
  }                                                                                            \
  break

/* Counts without weights, on all threads: each part of the elements has two tables of its own, as
 * equal neighbours would wait for each other in one. */
enum { COUNT_PARTS = 8, COUNT_TABLES = 2, COUNT_LEAST = 65536 };
typedef struct count_job {
  const int32_t* x;
  int64_t n, size;
  uint64_t* tables; /* [COUNT_PARTS, COUNT_TABLES, size + 1]; the last one is of larger numbers */
  bool negative[COUNT_PARTS];
} count_job;

static void count_parts(void* arg, int64_t begin, int64_t end) {
  count_job* p = arg;
  const uint32_t size = (uint32_t)p->size;
  for (int64_t part = begin; part < end; part++) {
    uint64_t* even = p->tables + part * COUNT_TABLES * (p->size + 1);
    uint64_t* odd = even + p->size + 1;
    memset(even, 0, (size_t)(COUNT_TABLES * (p->size + 1)) * sizeof(uint64_t));
    const int64_t last = p->n * (part + 1) / COUNT_PARTS;
    int64_t i = p->n * part / COUNT_PARTS;
    int32_t signs = 0;
    for (; i + 2 <= last; i += 2) {
      const int32_t a = p->x[i], b = p->x[i + 1];
      signs |= a | b;
      even[TFC_MIN((uint32_t)a, size)]++;
      odd[TFC_MIN((uint32_t)b, size)]++;
    }
    if (i < last) {
      const int32_t a = p->x[i];
      signs |= a;
      even[TFC_MIN((uint32_t)a, size)]++;
    }
    p->negative[part] = signs < 0;
  }
}

#define STORE_COUNTS(T)                                      \
  for (int64_t v = 0; v < p.size; v++) {                     \
    uint64_t sum = 0;                                        \
    for (int64_t k = 0; k < COUNT_PARTS * COUNT_TABLES; k++) \
      sum += p.tables[k * (p.size + 1) + v];                 \
    ((T*)y->data)[v] = (T)sum;                               \
  }                                                          \
  break

static int count_without_weights(tfc_context* ctx, int64_t size) {
  const tfc_tensor* arr = ctx->inputs[0];
  tfc_tensor* y = &ctx->outputs[0];
  count_job p = {.x = arr->data, .n = arr->n, .size = size};
  p.tables = tfc_scratch(ctx, (size_t)(COUNT_PARTS * COUNT_TABLES * (size + 1)) * sizeof(uint64_t));
  if (!p.tables) return TFC_RESOURCE_EXHAUSTED;
  tfc_parallel_for(ctx, COUNT_PARTS, 0.6 * (double)arr->n / COUNT_PARTS, count_parts, &p);
  for (int i = 0; i < COUNT_PARTS; i++)
    if (p.negative[i])
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Input arr must be non-negative!");
  switch (y->dtype) {
    case TFC_FLOAT: STORE_COUNTS(float);
    case TFC_DOUBLE: STORE_COUNTS(double);
    case TFC_INT64: STORE_COUNTS(uint64_t);
    default: STORE_COUNTS(uint32_t);
  }
  return TFC_OK;
}

static int bincount(tfc_context* ctx) {
  const tfc_tensor *arr = ctx->inputs[0], *weights = ctx->inputs[2];
  TFC_TRY(tfc_want_scalar(ctx, 1, "size must be a scalar, not shape"));
  const int64_t size = tfc_int_scalar(ctx->inputs[1]);
  if (size < 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "size (%lld) must be non-negative",
                     (long long)size);
  if (weights->n && !tfc_same_shape(arr, weights))
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
        "acts as all weights equal to 1. Received %s",
        tfc_shape_text(weights).text);
  TFC_TRY(tfc_output(ctx, 0, 1, &size));
  tfc_tensor* y = &ctx->outputs[0];
  if (!weights->n && arr->n >= COUNT_LEAST && size < arr->n / (COUNT_PARTS * COUNT_TABLES))
    return count_without_weights(ctx, size);
  tfc_fill_zero(ctx, y);
  switch (y->dtype) {
    case TFC_FLOAT: ADD_WEIGHTS(float);
    case TFC_DOUBLE: ADD_WEIGHTS(double);
    case TFC_INT64: ADD_WEIGHTS(uint64_t);
    default: ADD_WEIGHTS(uint32_t);
  }
  return TFC_OK;
}

static int histogram(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *range = ctx->inputs[1];
  if (range->rank != 1 || range->n != 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "value_range should be a vector of 2 elements, got shape %s",
                     tfc_shape_text(range).text);
  TFC_TRY(tfc_want_scalar(ctx, 2, "nbins must be a scalar, not shape"));
  const double low = tfc_to_double(range, 0), high = tfc_to_double(range, 1);
  const int64_t bins = tfc_int_scalar(ctx->inputs[2]);
  if (!(low < high))
    return tfc_error(
        ctx, TFC_INVALID_ARGUMENT,
        "value_range should satisfy value_range[0] < value_range[1], but got '[%g, %g]'", low,
        high);
  if (bins <= 0)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "nbins should be a positive number, but got '%lld'",
                     (long long)bins);
  TFC_TRY(tfc_output(ctx, 0, 1, &bins));
  tfc_tensor* y = &ctx->outputs[0];
  tfc_fill_zero(ctx, y);
  const double width = (high - low) / (double)bins;
  for (int64_t i = 0; i < x->n; i++) {
    const double at = (tfc_to_double(x, i) - low) / width;
    const int64_t bin = !(at > 0) ? 0 : at >= (double)bins ? bins - 1 : (int64_t)at;
    if (y->dtype == TFC_INT64)
      ((int64_t*)y->data)[bin]++;
    else
      ((int32_t*)y->data)[bin]++;
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Bincount", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES, bincount,
            .host_args = "size"),
    TFC_ROW("HistogramFixedWidth", "T=" TFC_TYPES_WIDE_FLOATS "|" TFC_TYPES_INDICES, histogram,
            .host_args = "nbins"),
};
TFC_REGISTER_KERNELS(kernels);
