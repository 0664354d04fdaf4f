/* BroadcastArgs and BroadcastGradientArgs: arithmetic on shapes. */
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

enum { MAX = 64 }; /* shapes may be longer than tensors can have dimensions */

static int read_shapes(tfc_context* ctx, int64_t shapes[2][MAX], int* rank) {
  int n[2];
  for (int k = 0; k < 2; k++) {
    if (ctx->inputs[k]->rank != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] must be a vector.%s", k,
                       tfc_shape_text(ctx->inputs[k]).text);
    if (ctx->inputs[k]->n > MAX)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "In[%d] has more than %d elements", k, MAX);
    n[k] = (int)ctx->inputs[k]->n;
  }
  *rank = TFC_MAX(n[0], n[1]);
  for (int k = 0; k < 2; k++) /* aligned at the end, 1 where a shape is shorter */
    for (int i = 0; i < *rank; i++) {
      int at = i - (*rank - n[k]);
      shapes[k][i] = at < 0 ? 1 : tfc_index_at(ctx->inputs[k], at);
    }
  for (int i = 0; i < *rank; i++)
    if (shapes[0][i] != shapes[1][i] && shapes[0][i] != 1 && shapes[1][i] != 1) {
      int64_t a[MAX], b[MAX];
      tfc_read_indices(ctx->inputs[0], a);
      tfc_read_indices(ctx->inputs[1], b);
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Incompatible shapes: %s vs. %s",
                       tfc_dims_text(n[0], a).text, tfc_dims_text(n[1], b).text);
    }
  return TFC_OK;
}

static int write_vector(tfc_context* ctx, int i, const int64_t* values, int64_t n) {
  TFC_TRY(tfc_output(ctx, i, 1, &n));
  tfc_tensor* out = &ctx->outputs[i];
  for (int64_t k = 0; k < n; k++) {
    if (out->dtype == TFC_INT64)
      ((int64_t*)out->data)[k] = values[k];
    else
      ((int32_t*)out->data)[k] = (int32_t)values[k];
  }
  return TFC_OK;
}

static int compute_BroadcastArgs(tfc_context* ctx) {
  int64_t shapes[2][MAX];
  int rank;
  TFC_TRY(read_shapes(ctx, shapes, &rank));
  for (int i = 0; i < rank; i++)
    if (shapes[0][i] == 1) shapes[0][i] = shapes[1][i];
  return write_vector(ctx, 0, shapes[0], rank);
}

/* An axis is summed for an operand that has size 1 there or lacks it; none if the shapes are
 * equal. */
static int compute_BroadcastGradientArgs(tfc_context* ctx) {
  int64_t shapes[2][MAX], axes[MAX];
  int rank;
  TFC_TRY(read_shapes(ctx, shapes, &rank));
  bool same = ctx->inputs[0]->n == ctx->inputs[1]->n &&
              !memcmp(shapes[0], shapes[1], (size_t)rank * sizeof(int64_t));
  for (int k = 0; k < 2; k++) {
    int64_t n = 0;
    for (int i = 0; i < rank; i++)
      if (!same && shapes[k][i] == 1) axes[n++] = i;
    TFC_TRY(write_vector(ctx, k, axes, n));
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("BroadcastArgs", "T=" TFC_TYPES_INDICES, compute_BroadcastArgs,
            .host_args = "s0,s1,r0"),
    TFC_ROW("BroadcastGradientArgs", "T=" TFC_TYPES_INDICES, compute_BroadcastGradientArgs,
            .host_args = "s0,s1,r0,r1"),
};
TFC_REGISTER_KERNELS(kernels);
