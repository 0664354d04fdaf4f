/* OneHot. */
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/indexing/shapes.h"
#include "kernels_cuda/array/copy.h"
#include "kernels_cuda/common/launcher.h"

typedef struct one_hot_state {
  int64_t axis;
  const tfc_function* function;
} one_hot_state;

static int find_one_hot(tfc_construction* c, void* state) {
  one_hot_state* s = state;
  TFC_TRY(c->api->attr_int(c, "axis", &s->axis));
  return tfc_find_mover(c, "array/copy", "OneHot", c->output_dtypes[0], &s->function);
}
static int one_hot_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(one_hot_state), find_one_hot, state);
}

static int one_hot(tfc_context* ctx) {
  const one_hot_state* s = ctx->state;
  const tfc_tensor* t = ctx->inputs[0];
  one_hot_params p = {.indices = t->data,
                      .on = ctx->inputs[2]->data,
                      .off = ctx->inputs[3]->data,
                      .index_bytes = (int64_t)tfc_dtype_size(t->dtype)};
  TFC_TRY(tfc_one_hot_shape(ctx, s->axis, &p.depth, &p.inner));
  if (ctx->outputs[0].n == 0) return TFC_OK;
  p.y = ctx->outputs[0].data;
  p.outer = t->n / p.inner;
  return TFC_LAUNCH(ctx, s->function, one_hot, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("OneHot", "T=" TFC_TYPES_PLAIN ";TI=" TFC_TYPES_INDICES "|uint8", one_hot,
            TFC_STATE(one_hot_create), .host_args = "depth"),
};
TFC_REGISTER_KERNELS(kernels);
