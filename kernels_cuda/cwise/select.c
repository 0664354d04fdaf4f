/* Select and SelectV2. They only move elements, so the functions are by element size. */
#include "kernels_c/cwise/select.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

static int find_select(tfc_construction* c, void* state) {
  cwise_state* s = state;
  return tfc_find_mover(c, "cwise/select", "Select", c->input_dtypes[1] % TFC_REF, &s->function);
}
static int create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(cwise_state), find_select, state);
}

/* Launches with the inputs and output 0; p has dimensions and strides. */
static int launch(tfc_context* ctx, cwise_select_params* p) {
  const cwise_state* s = ctx->state;
  p->c = ctx->inputs[0]->data;
  p->x = ctx->inputs[1]->data;
  p->y = ctx->inputs[2]->data;
  p->z = ctx->outputs[0].data;
  p->n = ctx->outputs[0].n;
  return TFC_LAUNCH(ctx, s->function, cwise_select, p);
}

static int compute_Select(tfc_context* ctx) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1];
  static const int candidates[] = {1, 2};
  bool elements = false;
  TFC_TRY(tfc_select_check(ctx, &elements));
  TFC_TRY(tfc_output_forward(ctx, 0, t->rank, t->dims, 2, candidates));
  if (t->n == 0) return TFC_OK;
  const int64_t chosen = elements ? 1 : t->n / c->n; /* at once, by one condition */
  cwise_select_params p = {.rank = elements ? 1 : 2,
                           .dims = {c->n, chosen},
                           .c_stride = {1, 0},
                           .x_stride = {chosen, 1},
                           .y_stride = {chosen, 1}};
  return launch(ctx, &p);
}

/* ---- SelectV2: all three broadcast. Without broadcasting it is Select. */

/* Merges dimension i into the one before it, where all operands allow. */
static bool merge(cwise_select_params* p, int64_t dim, const int64_t strides[3]) {
  const int64_t last = p->rank - 1;
  if (dim == 1) return true;
  if (p->rank == 0 || p->c_stride[last] != strides[0] * dim ||
      p->x_stride[last] != strides[1] * dim || p->y_stride[last] != strides[2] * dim)
    return false;
  p->dims[last] *= dim;
  p->c_stride[last] = strides[0];
  p->x_stride[last] = strides[1];
  p->y_stride[last] = strides[2];
  return true;
}

static int set_dims(tfc_context* ctx, int rank, const int64_t* dims, cwise_select_params* p) {
  int64_t strides[3][TFC_MAX_RANK];
  for (int k = 0; k < 3; k++) tfc_select_strides(ctx->inputs[k], rank, strides[k]);
  for (int d = 0; d < rank; d++) {
    const int64_t own[3] = {strides[0][d], strides[1][d], strides[2][d]};
    if (merge(p, dims[d], own)) continue;
    TFC_TRY(tfc_cwise_check_rank(ctx, (int)p->rank + 1));
    p->dims[p->rank] = dims[d];
    p->c_stride[p->rank] = own[0];
    p->x_stride[p->rank] = own[1];
    p->y_stride[p->rank++] = own[2];
  }
  if (p->rank == 0) p->dims[p->rank++] = 1;
  return TFC_OK;
}

static int compute_SelectV2(tfc_context* ctx) {
  const tfc_tensor *c = ctx->inputs[0], *t = ctx->inputs[1], *e = ctx->inputs[2];
  if (tfc_same_shape(t, e) && (c->rank == 0 || tfc_same_shape(c, t))) return compute_Select(ctx);
  int rank;
  int64_t dims[TFC_MAX_RANK];
  cwise_select_params p = {.rank = 0};
  TFC_TRY(tfc_select_broadcast(ctx, &rank, dims));
  TFC_TRY(tfc_output(ctx, 0, rank, dims));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  TFC_TRY(set_dims(ctx, rank, dims, &p));
  return launch(ctx, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Select", "T=" TFC_TYPES_PLAIN, compute_Select, TFC_STATE(create)),
    TFC_ROW("SelectV2", "T=" TFC_TYPES_PLAIN, compute_SelectV2, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
