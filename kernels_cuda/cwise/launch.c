/* Launches of element-wise kernels; see cwise/launch.h. */
#include "kernels_cuda/cwise/launch.h"

int tfc_cwise_create(tfc_construction* c, const char* module, const char* name, void** state) {
  const tfc_function* function;
  TFC_TRY(tfc_find_function(c, module, name, c->input_dtypes[0] % TFC_REF, &function));
  cwise_state* s = *state = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  s->function = function;
  return TFC_OK;
}

int tfc_cwise_unary(tfc_context* ctx) {
  const cwise_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  tfc_tensor* y = &ctx->outputs[0];
  static const int first[] = {0};
  if (tfc_dtype_size(x->dtype) == tfc_dtype_size(y->dtype))
    TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  else
    TFC_TRY(tfc_output_like(ctx, 0, x));
  const cwise_unary_params p = {.x = x->data, .y = y->data, .n = x->n, .argument = s->argument};
  return TFC_LAUNCH(ctx, s->function, cwise_unary, &p);
}

int tfc_cwise_check_rank(tfc_context* ctx, int rank) {
  if (rank <= TFC_MAX_DIMS) return TFC_OK;
  return tfc_error(ctx, TFC_UNIMPLEMENTED,
                   "Broadcasting in more than %d dimensions is not supported on a GPU, got %d "
                   "after merging",
                   TFC_MAX_DIMS, rank);
}

static int explain_integers(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  (void)argument;
  if (!r->failed) return TFC_OK;
  snprintf(text, size, "%s",
           r->failed & TFC_DIVIDED_BY_ZERO ? "Integer division by zero"
                                           : "Integers to negative integer powers are not allowed");
  return TFC_INVALID_ARGUMENT;
}

int tfc_cwise_run(tfc_context* ctx, const cwise_state* s, const tfc_broadcast* b) {
  const size_t bytes = (size_t)b->rank * sizeof(int64_t);
  cwise_binary_params p = {.x = ctx->inputs[0]->data,
                           .y = ctx->inputs[1]->data,
                           .z = ctx->outputs[0].data,
                           .n = b->n,
                           .rank = b->rank,
                           .argument = s->argument};
  if (b->n == 0) return TFC_OK;
  TFC_TRY(tfc_cwise_check_rank(ctx, b->rank));
  memcpy(p.dims, b->dims, bytes);
  memcpy(p.x_stride, b->x_stride, bytes);
  memcpy(p.y_stride, b->y_stride, bytes);
  if (s->reports && !(p.report = tfc_new_report(ctx, explain_integers, NULL, 0)))
    return TFC_RESOURCE_EXHAUSTED;
  return TFC_LAUNCH(ctx, s->function, cwise_binary, &p);
}

int tfc_cwise_binary(tfc_context* ctx) {
  const tfc_tensor *x = ctx->inputs[0], *y = ctx->inputs[1];
  tfc_broadcast b;
  if (!tfc_broadcast_shapes(x, y, &b)) return tfc_incompatible_shapes(ctx, x, y);
  TFC_TRY(tfc_binary_output(ctx, b.out_rank, b.out_dims));
  return tfc_cwise_run(ctx, ctx->state, &b);
}

int tfc_cwise_same_shape(tfc_context* ctx) {
  TFC_TRY(tfc_want_same_shape(ctx));
  return tfc_cwise_binary(ctx);
}
