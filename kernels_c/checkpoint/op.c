/* What the ops of both versions of checkpoints have in common. */
#include "kernels_c/checkpoint/op.h"

TFC_ONE_LEVEL;

int ckpt_op_path(tfc_context* ctx, int input, const char* what, char** path) {
  if (ctx->inputs[input]->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Input %s should have a single element, got %lld instead.", what,
                     (long long)ctx->inputs[input]->n);
  tfc_string text = ckpt_op_string(ctx, input, 0);
  ckpt_status status = ckpt_op_status(ctx);
  return ckpt_path(text.data, text.size, path, &status) ? ckpt_op_error(ctx, &status) : TFC_OK;
}

int ckpt_op_part(tfc_context* ctx, const tfc_tensor* value, tfc_string spec, int* rank,
                 int64_t* dims, ckpt_slice* slice) {
  *rank = value->rank;
  memcpy(dims, value->dims, sizeof value->dims);
  *slice = (ckpt_slice){.rank = value->rank};
  for (int d = 0; d < value->rank; d++) slice->length[d] = -1;
  if (!spec.size) return TFC_OK;
  ckpt_status status = ckpt_op_status(ctx);
  ckpt_box box;
  if (ckpt_parse_slice(spec.data, spec.size, dims, slice, &status) ||
      ckpt_slice_box(slice, slice->rank, dims, &box, &status))
    return ckpt_op_error(ctx, &status);
  bool same = box.rank == value->rank;
  for (int d = 0; same && d < box.rank; d++) same = box.dims[d] == value->dims[d];
  if (!same)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Slice in shape_and_slice specification does not match the shape of the "
                     "tensor to  save: %.*s, tensor: %s",
                     (int)TFC_MIN(spec.size, 400), spec.data, tfc_shape_text(value).text);
  *rank = box.rank;
  return TFC_OK;
}

typedef struct string_output {
  tfc_context* ctx;
  int output;
} string_output;

static int set_string(void* arg, int64_t i, const char* text, size_t size) {
  const string_output* o = arg;
  return tfc_string_set(o->ctx, &o->ctx->outputs[o->output], i, text, size);
}

static void loop(void* ctx, int64_t n, double ns_each, tfc_range_fn fn, void* arg) {
  tfc_parallel_for(ctx, n, ns_each, fn, arg);
}

static int not_found(tfc_context* ctx, const ckpt_reader* r, int shown, const char* name) {
  if (r->is_v1)
    return tfc_error(ctx, TFC_NOT_FOUND, "Tensor name \"%.*s\" not found in checkpoint files %s",
                     shown, name, r->prefix);
  return tfc_error(ctx, TFC_NOT_FOUND, "Key %.*s not found in checkpoint %s", shown, name,
                   r->prefix);
}

/* Finds the tensor of output i and makes the output. */
static int prepare(tfc_context* ctx, ckpt_reader* r, int names, int slices, int i,
                   ckpt_request* request) {
  tfc_string name = ckpt_op_string(ctx, names, i);
  tfc_string spec = slices < 0 ? (tfc_string){0} : ckpt_op_string(ctx, slices, i);
  int shown = (int)TFC_MIN(name.size, 400);
  const ckpt_entry* e = ckpt_index_find(&r->index, name.data, name.size);
  if (!e) return not_found(ctx, r, shown, name.data);
  if (e->dtype != ctx->outputs[i].dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s: tensor_name = %.*s; expected dtype %s does not equal original dtype %s",
                     r->prefix, shown, name.data, tfc_dtype_name(ctx->outputs[i].dtype),
                     tfc_dtype_name(e->dtype));
  request->entry = e;
  request->box = ckpt_whole_box(e->rank, e->dims);
  if (spec.size) {
    ckpt_status status = ckpt_op_status(ctx);
    int64_t dims[TFC_MAX_RANK];
    ckpt_slice slice;
    if (ckpt_parse_slice(spec.data, spec.size, dims, &slice, &status))
      return ckpt_op_error(ctx, &status);
    bool same = slice.rank == e->rank;
    for (int d = 0; same && d < e->rank; d++) same = dims[d] == e->dims[d];
    if (!same)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                       "%s: tensor_name = %.*s; shape in shape_and_slice spec %s does not match "
                       "the shape stored in checkpoint: %s",
                       r->prefix, shown, name.data, tfc_dims_text(slice.rank, dims).text,
                       tfc_dims_text(e->rank, e->dims).text);
    if (ckpt_slice_box(&slice, e->rank, e->dims, &request->box, &status))
      return ckpt_op_error(ctx, &status);
  }
  TFC_TRY(tfc_output(ctx, i, request->box.rank, request->box.dims));
  request->data = ctx->outputs[i].data;
  return TFC_OK;
}

int ckpt_op_restore(tfc_context* ctx, ckpt_reader* r, int names, int slices) {
  int n = ctx->n_outputs;
  ckpt_request* requests = calloc((size_t)n + 1, sizeof *requests);
  string_output* strings = calloc((size_t)n + 1, sizeof *strings);
  int code = requests && strings
                 ? TFC_OK
                 : tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory for a checkpoint");
  for (int i = 0; i < n && !code; i++) {
    code = prepare(ctx, r, names, slices, i, &requests[i]);
    strings[i] = (string_output){ctx, i};
    requests[i].set_string = set_string;
    requests[i].arg = &strings[i];
  }
  ckpt_status status = ckpt_op_status(ctx);
  if (!code && ckpt_reader_read(r, requests, n, loop, ctx, &status))
    code = ckpt_op_error(ctx, &status);
  free(requests);
  free(strings);
  return code;
}
