/* Cast between real types and bool; Bitcast. */
#include "kernels_c/cwise/cast.h"

#include "kernels_c/common/kernel_table.h"
#include "kernels_cuda/cwise/launch.h"

typedef struct cast_state {
  const tfc_function* function; /* NULL: the types are the same */
  int zeroed_bits;
} cast_state;

static int read_Cast(tfc_construction* c, void* state) {
  const int32_t from = c->input_dtypes[0] % TFC_REF, to = c->output_dtypes[0] % TFC_REF;
  bool truncate = false;
  char name[64];
  cast_state* s = state;
  TFC_TRY(c->api->attr_bool(c, "Truncate", &truncate));
  if (from == to) return TFC_OK;
  if (truncate) s->zeroed_bits = tfc_cast_zeroed_bits(from, to);
  snprintf(name, sizeof name, "Cast_%s", tfc_cuda_type(from == TFC_BOOL ? TFC_UINT8 : from));
  return tfc_find_function(c, "cwise/cast", name, to, &s->function);
}
static int create_Cast(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(cast_state), read_Cast, state);
}

static int compute_Cast(tfc_context* ctx) {
  const cast_state* s = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  if (!s->function) return tfc_output_input(ctx, 0, 0);
  TFC_TRY(tfc_output_like(ctx, 0, x));
  const cwise_cast_params p = {
      .x = x->data, .y = ctx->outputs[0].data, .n = x->n, .zeroed_bits = s->zeroed_bits};
  return TFC_LAUNCH(ctx, s->function, cwise_cast, &p);
}

static int compute_Bitcast(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_bitcast_output(ctx));
  if (x->n == 0) return TFC_OK;
  return tfc_device_copy(ctx, ctx->outputs[0].data, x->data,
                         (size_t)x->n * tfc_dtype_size(x->dtype));
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Cast", "SrcT=" TFC_TYPES_REALS "|bool;DstT=" TFC_TYPES_REALS "|bool", compute_Cast,
            TFC_STATE(create_Cast)),
    TFC_ROW("Bitcast", "T=" TFC_TYPES_NUMBERS ";type=" TFC_TYPES_NUMBERS, compute_Bitcast),
};
TFC_REGISTER_KERNELS(kernels);
