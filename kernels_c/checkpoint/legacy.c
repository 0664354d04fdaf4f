/* Save, SaveSlices, Restore, RestoreSlice: checkpoints of the first format. Restore and
 * RestoreSlice read no others, as in TensorFlow. */
#include "kernels_c/checkpoint/op.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

enum { FILENAME, NAMES, SLICES };

static bool can_save(int32_t dtype) {
  switch (dtype) {
    case TFC_BFLOAT16:
    case TFC_UINT32:
    case TFC_UINT64: return false; /* nor can TensorFlow: others could not read it */
    default: return tfc_dtype_size(dtype) != 0;
  }
}

/* `first`: the number of inputs before the tensors. */
static int fill(tfc_context* ctx, int first, ckpt_v1_tensor* tensors) {
  for (int i = 0; i < ctx->n_inputs - first; i++) {
    const tfc_tensor* value = ctx->inputs[first + i];
    tfc_string name = ckpt_op_string(ctx, NAMES, i);
    ckpt_v1_tensor* t = &tensors[i];
    *t = (ckpt_v1_tensor){.name = name.data, .name_size = name.size, .value = value};
    if (!can_save(value->dtype))
      return tfc_error(ctx, TFC_UNIMPLEMENTED, "Saving data type %s not yet supported",
                       tfc_dtype_name(value->dtype));
    tfc_string spec = first > SLICES ? ckpt_op_string(ctx, SLICES, i) : (tfc_string){0};
    int rank;
    TFC_TRY(ckpt_op_part(ctx, value, spec, &rank, t->dims, &t->slice));
  }
  return TFC_OK;
}

static int save_from(tfc_context* ctx, int first) {
  int64_t n = ctx->inputs[NAMES]->n;
  if (first > SLICES && ctx->inputs[SLICES]->n != n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected %lld elements for the tensor shapes and slices but got %lld",
                     (long long)n, (long long)ctx->inputs[SLICES]->n);
  if (ctx->n_inputs != n + first)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected totally %lld inputs as input #1 (which is a string tensor of saved "
                     "names) contains %lld names, but received %d inputs",
                     (long long)n + first, (long long)n, ctx->n_inputs);
  char* path;
  TFC_TRY(ckpt_op_path(ctx, FILENAME, "0 (filename)", &path));
  ckpt_v1_tensor* tensors = calloc((size_t)n + 1, sizeof *tensors);
  ckpt_status status = ckpt_op_status(ctx);
  int code =
      tensors ? fill(ctx, first, tensors) : tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
  if (!code && ckpt_v1_write(path, tensors, n, &status)) code = ckpt_op_error(ctx, &status);
  free(tensors);
  free(path);
  return code;
}

static int save(tfc_context* ctx) {
  return save_from(ctx, NAMES + 1);
}
static int save_slices(tfc_context* ctx) {
  return save_from(ctx, SLICES + 1);
}

static int restore_with(tfc_context* ctx, int slices) {
  static const char* const inputs[] = {"", "1 (tensor_name)", "2 (shape_and_slice)"};
  for (int i = NAMES; i < ctx->n_inputs; i++)
    if (ctx->inputs[i]->n != 1)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "Input %s must be a string scalar; got a tensor of %lldelements", inputs[i],
                       (long long)ctx->inputs[i]->n);
  char* pattern;
  TFC_TRY(ckpt_op_path(ctx, FILENAME, "0 (file_pattern)", &pattern));
  ckpt_reader r;
  ckpt_status status = ckpt_op_status(ctx);
  int code = ckpt_reader_open_v1(&r, pattern, &status);
  free(pattern);
  if (code) return ckpt_op_error(ctx, &status);
  code = ckpt_op_restore(ctx, &r, NAMES, slices);
  ckpt_reader_close(&r);
  return code;
}

static int restore(tfc_context* ctx) {
  return restore_with(ctx, -1);
}
static int restore_slice(tfc_context* ctx) {
  return restore_with(ctx, SLICES);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Save", "", save, .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("SaveSlices", "", save_slices, .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("Restore", "", restore, .flags = TFC_KERNEL_BLOCKING),
    TFC_ROW("RestoreSlice", "", restore_slice, .flags = TFC_KERNEL_BLOCKING),
};
TFC_REGISTER_KERNELS(kernels);
