/* Reductions of int32 in the host's memory, where TensorFlow keeps such tensors: they are sizes and
 * positions, mostly, so one plain loop does. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/reduce/axes.h"

typedef enum { SUM, MEAN, PROD, MAX, MIN } op_kind;

static int64_t identity_of(op_kind kind) {
  return kind == PROD ? 1 : kind == MAX ? INT32_MIN : kind == MIN ? INT32_MAX : 0;
}
static int64_t combine(op_kind kind, int64_t a, int64_t b) {
  switch (kind) {
    case PROD: return (int32_t)((uint32_t)a * (uint32_t)b);
    case MAX: return TFC_MAX(a, b);
    case MIN: return TFC_MIN(a, b);
    default: return a + b; /* fits: the elements are fewer than 2^32 */
  }
}

/* Strides of the output along the input's dimensions. */
static void output_strides(const tfc_tensor* x, const tfc_reduce_shape* s, int64_t* strides) {
  int64_t step = 1;
  for (int d = x->rank - 1; d >= 0; d--) {
    strides[d] = s->reduced[d] ? 0 : step;
    if (!s->reduced[d]) step *= x->dims[d];
  }
}

static void reduce_into(const tfc_tensor* x, const tfc_reduce_shape* s, op_kind kind,
                        int64_t* sums) {
  int64_t strides[TFC_MAX_RANK], index[TFC_MAX_RANK] = {0}, to = 0;
  output_strides(x, s, strides);
  for (int64_t i = 0; i < x->n; i++) {
    sums[to] = combine(kind, sums[to], ((const int32_t*)x->data)[i]);
    for (int d = x->rank - 1; d >= 0; d--) {
      to += strides[d];
      if (++index[d] < x->dims[d]) break;
      index[d] = 0;
      to -= strides[d] * x->dims[d];
    }
  }
}

static int reduce(tfc_context* ctx, op_kind kind) {
  const tfc_tensor* x = ctx->inputs[0];
  tfc_tensor* y = &ctx->outputs[0];
  tfc_reduce_shape s;
  TFC_TRY(tfc_read_reduce_shape(ctx, ctx->state != NULL, &s));
  if (s.count == 1) return tfc_output_view(ctx, 0, 0, 0, s.rank, s.dims);
  TFC_TRY(tfc_output(ctx, 0, s.rank, s.dims));
  if (y->n == 0) return TFC_OK;
  int64_t* sums = malloc((size_t)y->n * sizeof *sums); /* scratch memory is the device's */
  if (!sums)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory: %lld sums", (long long)y->n);
  for (int64_t i = 0; i < y->n; i++) sums[i] = identity_of(kind);
  reduce_into(x, &s, kind, sums);
  for (int64_t i = 0; i < y->n; i++)
    ((int32_t*)y->data)[i] = (int32_t)(kind == MEAN && s.count ? sums[i] / s.count : sums[i]);
  free(sums);
  return TFC_OK;
}

/* The state of all: not NULL if reduced dimensions are kept with size 1. */
static const bool kept = true;
static int create(tfc_construction* c, void** state) {
  bool keep_dims;
  TFC_TRY(c->api->attr_bool(c, "keep_dims", &keep_dims));
  *state = keep_dims ? (void*)&kept : NULL;
  return TFC_OK;
}

#define REDUCE(OP, KIND)                    \
  static int compute_##OP(tfc_context* c) { \
    return reduce(c, KIND);                 \
  }
REDUCE(Sum, SUM)
REDUCE(Mean, MEAN)
REDUCE(Prod, PROD)
REDUCE(Max, MAX)
REDUCE(Min, MIN)

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Sum", "T=int32", compute_Sum, .create = create,
            .host_args = "input,reduction_indices,output"),
    TFC_ROW("Mean", "T=int32", compute_Mean, .create = create,
            .host_args = "input,reduction_indices,output"),
    TFC_ROW("Prod", "T=int32", compute_Prod, .create = create,
            .host_args = "input,reduction_indices,output"),
    TFC_ROW("Max", "T=int32", compute_Max, .create = create,
            .host_args = "input,reduction_indices,output"),
    TFC_ROW("Min", "T=int32", compute_Min, .create = create,
            .host_args = "input,reduction_indices,output"),
};
TFC_REGISTER_KERNELS(kernels);
