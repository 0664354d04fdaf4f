/* ParseTensor, SerializeTensor: tensors from and to messages TensorProto. */
#include "kernels_c/array/array.h"
#include "kernels_c/common/encoded.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/common/tensor_proto.h"

TFC_ONE_LEVEL;

/* ---- Variants: VariantTensorDataProto{type_name = 1; metadata = 2; repeated tensors = 3} in the
 * field variant_val = 15. Only scalars that are bytes. */

static int not_bytes(tfc_context* ctx) {
  return tfc_error(
      ctx, TFC_INVALID_ARGUMENT,
      "Could not parse `serialized` as TensorProto: it is not a scalar of type variant "
      "without tensors");
}

static int parse_variant(tfc_context* ctx, wire_reader message) {
  wire_field f;
  wire_reader value = {0};
  int32_t dtype = 0;
  int code;
  while ((code = wire_next(&message, &f)) > 0) {
    if (f.number == 1 && f.type == WIRE_VARINT) dtype = (int32_t)f.value;
    if (f.number == 2 && f.type == WIRE_BYTES && wire_left(&f.bytes)) return not_bytes(ctx);
    if (f.number == 15 && f.type == WIRE_BYTES) value = f.bytes;
  }
  if (code < 0 || dtype != TFC_VARIANT || !value.at) return not_bytes(ctx);
  tfc_encoded* made;
  TFC_TRY(tfc_handle_new(ctx, 0, &tfc_encoded_kind, (void**)&made));
  while ((code = wire_next(&value, &f)) > 0) {
    if (f.type != WIRE_BYTES || f.number > 2) return not_bytes(ctx);
    text_append(f.number == 1 ? &made->type_name : &made->metadata, (const char*)f.bytes.at,
                wire_left(&f.bytes));
  }
  if (code < 0) return not_bytes(ctx);
  if (!made->type_name.failed && !made->metadata.failed) return TFC_OK;
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory");
}

static int add_variant(tfc_context* ctx, text_buffer* to) {
  tfc_encoded* e = NULL;
  TFC_TRY(tfc_handle_get(ctx, 0, &tfc_encoded_kind, (void**)&e));
  text_buffer value = {0};
  wire_add_bytes(&value, 1, text_c(&e->type_name), e->type_name.size);
  wire_add_bytes(&value, 2, text_c(&e->metadata), e->metadata.size);
  wire_add_int(to, 1, TFC_VARIANT);
  wire_add_bytes(to, 2, "", 0);
  wire_add_bytes(to, 15, text_c(&value), value.size);
  to->failed |= value.failed;
  text_free(&value);
  return TFC_OK;
}

static int parse_tensor(tfc_context* ctx) {
  TFC_TRY(tfc_want_scalar(ctx, 0, "Expected `serialized` to be a scalar, got shape:"));
  const tfc_string* s = ctx->inputs[0]->data;
  if (ctx->outputs[0].dtype == TFC_VARIANT) return parse_variant(ctx, wire_of(s->data, s->size));
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
  if (x->dtype == TFC_VARIANT) {
    TFC_TRY(add_variant(ctx, &text));
  } else {
    tensor_proto_add(&text, x->rank, x->dims, x, 0, true);
  }
  const int code = text.failed ? TFC_RESOURCE_EXHAUSTED
                               : tfc_string_set(ctx, &ctx->outputs[0], 0, text_c(&text), text.size);
  text_free(&text);
  return code ? tfc_error(ctx, code, "Out of memory") : TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParseTensor", "out_type=" TFC_TYPES_VALUES "|variant", parse_tensor),
    TFC_ROW("SerializeTensor", "T=" TFC_TYPES_VALUES "|variant", serialize_tensor),
};
TFC_REGISTER_KERNELS(kernels);
