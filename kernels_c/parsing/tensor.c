/* ParseTensor, SerializeTensor: tensors from and to messages TensorProto. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/tensor_proto.h"

TFC_ONE_LEVEL;

static int parse_tensor(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 0, "Expected `serialized` to be a scalar, got shape:"));
  const tfc_string* s = ctx->inputs[0]->data;
  const int32_t wanted = ctx->outputs[0].dtype;
  tensor_proto t;
  const char* wrong = tensor_proto_open(wire_of(s->data, s->size), &t);
  if (wrong)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Could not parse `serialized` as TensorProto: %s (%lld bytes)", wrong,
                     (long long)s->size);
  if (t.dtype != wanted)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Type mismatch between parsed tensor (%s) and dtype (%s)",
                     tfc_dtype_name(t.dtype), tfc_dtype_name(wanted));
  TFC_TRY(tfc_output(ctx, 0, t.rank, t.dims));
  return tensor_proto_store(ctx, &t, "`serialized`", &ctx->outputs[0], 0);
}

static int serialize_tensor(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(tfc_output_scalar(ctx, 0));
  text_buffer text = {0};
  tensor_proto_add(&text, x->rank, x->dims, x, 0, true);
  const int code = text.failed ? TFC_RESOURCE_EXHAUSTED
                               : tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(&text), text.size);
  text_free(&text);
  return code ? tfc_error(ctx, code, "Out of memory") : TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParseTensor", "out_type=" TFC_TYPES_VALUES, parse_tensor),
    TFC_ROW("SerializeTensor", "T=" TFC_TYPES_VALUES, serialize_tensor),
};
TFC_REGISTER_KERNELS(kernels);
