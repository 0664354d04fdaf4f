/* BiasAdd, BiasAddV1, BiasAddGrad. */
#include "kernels_c/nn/bias.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/simd.h"
#include "kernels_c/cwise/cwise.h"

/* ---- BiasAdd: an addition that broadcasts along the channels. */

#define INTEGER_ADD(NAME, T) TFC_BINARY_PLAIN(NAME, T, T, (T)(x + y))
TFC_BINARY(add_float, float, float, x + y)
TFC_BINARY(add_double, double, double, x + y)
TFC_BINARY(add_4, uint32_t, uint32_t, x + y)
TFC_BINARY(add_8, uint64_t, uint64_t, x + y)
INTEGER_ADD(add_1, uint8_t)
INTEGER_ADD(add_2, uint16_t)
TFC_BINARY_PLAIN(add_complex64, float _Complex, float _Complex, x + y)
TFC_BINARY_PLAIN(add_complex128, double _Complex, double _Complex, x + y)
static const tfc_binary_op add = {{[TFC_FLOAT] = add_float,
                                   [TFC_DOUBLE] = add_double,
                                   [TFC_INT8] = add_1,
                                   [TFC_UINT8] = add_1,
                                   [TFC_INT16] = add_2,
                                   [TFC_UINT16] = add_2,
                                   [TFC_INT32] = add_4,
                                   [TFC_UINT32] = add_4,
                                   [TFC_INT64] = add_8,
                                   [TFC_UINT64] = add_8,
                                   [TFC_COMPLEX64] = add_complex64,
                                   [TFC_COMPLEX128] = add_complex128},
                                  0.2};

/* The state of the kernels that have an attribute data_format: &channels_first or NULL. */
static const bool channels_first = true;
static int create_format(tfc_construction* c, void** state) {
  bool first = false;
  TFC_TRY(tfc_bias_format(c, &first));
  *state = first ? (void*)&channels_first : NULL;
  return TFC_OK;
}

static int compute_BiasAdd(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int value[] = {0};
  tfc_broadcast b;
  TFC_TRY(tfc_bias_broadcast(ctx, ctx->state != NULL, &b));
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, value));
  return tfc_binary_run(ctx, &add, &b);
}

/* ---- BiasAddGrad: the sum over all dimensions except the channels.
 *
 * The outer index is cut into fixed parts, which are summed separately and then in order, so that
 * the result does not depend on the threads. ACC: the type of the sums. */

typedef struct grad_run {
  const void* x;
  void* partial;                        /* [parts, channels] */
  int64_t outer, channels, inner, part; /* part: outer indices in a part */
} grad_run;

enum { FOLD = 64 }; /* narrow rows are joined to at least so many elements */

#define GRAD_LOOPS(SUFFIX, T, ACC)                                                                 \
  /* Rows of channels: whole rows are added to the accumulators, which stay in L1. Narrow rows are \
   * taken several at a time, and folded at the end. */                                            \
  static void grad_rows_##SUFFIX(const T* x, ACC* to, int64_t n, int64_t channels) {               \
    ACC wide[2 * FOLD] = {0};                                                                      \
    int64_t fold = channels < FOLD ? FOLD / channels : 1, width = fold * channels, i = 0;          \
    ACC* sums = fold > 1 ? wide : to;                                                              \
    for (; i + fold <= n; i += fold) {                                                             \
      const T* row = x + i * channels;                                                             \
      _Pragma("GCC ivdep") for (int64_t c = 0; c < width; c++) sums[c] += row[c];                  \
    }                                                                                              \
    if (fold > 1)                                                                                  \
      for (int64_t c = 0; c < width; c++) to[c % channels] += wide[c];                             \
    for (; i < n; i++)                                                                             \
      for (int64_t c = 0; c < channels; c++) to[c] += x[i * channels + c];                         \
  }                                                                                                \
  static ACC grad_inner_##SUFFIX(const T* x, int64_t n) {                                          \
    ACC sums[16] = {0}, total = 0;                                                                 \
    int64_t i = 0;                                                                                 \
    for (; i + 16 <= n; i += 16)                                                                   \
      for (int k = 0; k < 16; k++) sums[k] += x[i + k];                                            \
    for (; i < n; i++) total += x[i];                                                              \
    for (int k = 0; k < 16; k++) total += sums[k];                                                 \
    return total;                                                                                  \
  }                                                                                                \
  static void grad_range_##SUFFIX(void* arg, int64_t begin, int64_t end) {                         \
    const grad_run* r = arg;                                                                       \
    for (int64_t p = begin; p < end; p++) {                                                        \
      int64_t first = p * r->part, n = TFC_MIN(r->part, r->outer - first);                         \
      const T* x = (const T*)r->x + first * r->channels * r->inner;                                \
      ACC* to = (ACC*)r->partial + p * r->channels;                                                \
      for (int64_t c = 0; c < r->channels; c++) to[c] = 0;                                         \
      if (r->inner == 1) {                                                                         \
        grad_rows_##SUFFIX(x, to, n, r->channels);                                                 \
        continue;                                                                                  \
      }                                                                                            \
      for (int64_t i = 0; i < n; i++)                                                              \
        for (int64_t c = 0; c < r->channels; c++)                                                  \
          to[c] += grad_inner_##SUFFIX(x + (i * r->channels + c) * r->inner, r->inner);            \
    }                                                                                              \
  }                                                                                                \
  static void grad_total_##SUFFIX(const grad_run* r, int64_t parts, T* to) {                       \
    for (int64_t c = 0; c < r->channels; c++) {                                                    \
      ACC sum = 0;                                                                                 \
      for (int64_t p = 0; p < parts; p++) sum += ((const ACC*)r->partial)[p * r->channels + c];    \
      to[c] = (T)sum;                                                                              \
    }                                                                                              \
  }
GRAD_LOOPS(float, float, float)
GRAD_LOOPS(double, double, double)
GRAD_LOOPS(1, uint8_t, uint32_t)
GRAD_LOOPS(2, uint16_t, uint32_t)
GRAD_LOOPS(4, uint32_t, uint32_t)
GRAD_LOOPS(8, uint64_t, uint64_t)

/* Complex types are rare here, so a plain loop does. */
#define GRAD_COMPLEX(SUFFIX, T)                                                            \
  static void grad_complex_##SUFFIX(const T* x, T* to, const int64_t view[3]) {            \
    for (int64_t c = 0; c < view[1]; c++) to[c] = 0;                                       \
    for (int64_t i = 0; i < view[0]; i++)                                                  \
      for (int64_t c = 0; c < view[1]; c++)                                                \
        for (int64_t k = 0; k < view[2]; k++) to[c] += x[(i * view[1] + c) * view[2] + k]; \
  }
GRAD_COMPLEX(64, float _Complex)
GRAD_COMPLEX(128, double _Complex)

typedef struct grad_type {
  tfc_range_fn range;
  void (*total)(const grad_run* r, int64_t parts, void* to);
  size_t acc_size;
} grad_type;
#define GRAD_TYPE(SUFFIX, ACC) \
  {grad_range_##SUFFIX, (void (*)(const grad_run*, int64_t, void*))grad_total_##SUFFIX, sizeof(ACC)}
static const grad_type grad_types[TFC_N_DTYPES] = {
    [TFC_FLOAT] = GRAD_TYPE(float, float), [TFC_DOUBLE] = GRAD_TYPE(double, double),
    [TFC_INT8] = GRAD_TYPE(1, uint32_t),   [TFC_UINT8] = GRAD_TYPE(1, uint32_t),
    [TFC_INT16] = GRAD_TYPE(2, uint32_t),  [TFC_UINT16] = GRAD_TYPE(2, uint32_t),
    [TFC_INT32] = GRAD_TYPE(4, uint32_t),  [TFC_UINT32] = GRAD_TYPE(4, uint32_t),
    [TFC_INT64] = GRAD_TYPE(8, uint64_t),  [TFC_UINT64] = GRAD_TYPE(8, uint64_t),
};

static int compute_BiasAddGrad(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  int64_t view[3];
  TFC_TRY(tfc_bias_view(ctx, ctx->state != NULL, view));
  TFC_TRY(tfc_output(ctx, 0, 1, &view[1]));
  tfc_tensor* out = &ctx->outputs[0];
  if (out->n == 0) return TFC_OK;
  if (x->dtype == TFC_COMPLEX64) return grad_complex_64(x->data, out->data, view), TFC_OK;
  if (x->dtype == TFC_COMPLEX128) return grad_complex_128(x->data, out->data, view), TFC_OK;
  bool narrow = tfc_is_16bit_float(x->dtype);
  const grad_type* type = &grad_types[narrow ? TFC_FLOAT : x->dtype];
  grad_run r = {.x = x->data, .outer = view[0], .channels = view[1], .inner = view[2]};
  int64_t row = r.channels * TFC_MAX(r.inner, 1);
  r.part = TFC_MAX(1, 32768 / row);
  int64_t parts = (r.outer + r.part - 1) / r.part;
  r.partial = tfc_scratch(ctx, (size_t)(TFC_MAX(parts, 1) * r.channels) * type->acc_size);
  float* wide = narrow ? tfc_scratch(ctx, (size_t)(x->n + r.channels) * sizeof(float)) : NULL;
  if (!r.partial || (narrow && !wide)) return TFC_RESOURCE_EXHAUSTED;
  if (narrow) {
    tfc_widen(x->dtype, x->data, wide, x->n);
    r.x = wide;
  }
  if (parts > 1)
    tfc_parallel_for(ctx, parts, (double)(r.part * row) * 0.1, type->range, &r);
  else if (parts == 1)
    type->range(&r, 0, 1);
  type->total(&r, parts, narrow ? wide + x->n : out->data);
  if (narrow) tfc_narrow(out->dtype, wide + x->n, out->data, out->n);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BiasAdd", "T=" TFC_TYPES_NUMBERS, compute_BiasAdd, .create = create_format),
    TFC_ROW("BiasAddV1", "T=" TFC_TYPES_NUMBERS, compute_BiasAdd),
    TFC_ROW("BiasAddGrad", "T=" TFC_TYPES_NUMBERS, compute_BiasAddGrad, .create = create_format),
};
TFC_REGISTER_KERNELS(kernels);
