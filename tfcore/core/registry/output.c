/* The outputs that a running kernel makes, and the tensors that it keeps (entries of tfc_api). */
#include "device/device.h"
#include "registry/context.h"

static int no_handle(tfc_context* ctx, int i) {
  return tfc_context_error(ctx, TFC_UNIMPLEMENTED,
                           "It does not work on handles: its kernel makes output %d, a handle, "
                           "from memory that holds no object",
                           i);
}

static int check_shape(tfc_context* ctx, int rank, const int64_t* dims) {
  if ((unsigned)rank > TFC_MAX_RANK)
    return tfc_context_error(ctx, TFC_UNIMPLEMENTED,
                             "tensors of rank %d are not supported (at most %d)", rank,
                             TFC_MAX_RANK);
  for (int d = 0; d < rank; d++)
    if (dims[d] < 0)
      return tfc_context_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                               (long long)dims[d]);
  return TFC_OK;
}

/* False: the shape is invalid. */
static bool count_elements(int rank, const int64_t* dims, int64_t* n) {
  if ((unsigned)rank > TFC_MAX_RANK) return false;
  *n = 1;
  for (int d = 0; d < rank; d++)
    if (dims[d] < 0 || __builtin_mul_overflow(*n, dims[d], n)) return false;
  return true;
}

static bool has_elements_like(const tfc_tensor* a, const tfc_tensor* b) {
  return tfc_dtype_size(a->dtype) == tfc_dtype_size(b->dtype) &&
         (a->dtype == TFC_STRING) == (b->dtype == TFC_STRING);
}

int tfc_make_output(tfc_context* ctx, int i, int rank, const int64_t* dims) {
  if (!tfc_has_output(ctx, i)) return tfc_no_such_output(ctx, i);
  int code = check_shape(ctx, rank, dims);
  if (code) return code;
  tfc_tensor* out = &ctx->outputs[i];
  tfc_tensor_clear(out);
  tfc_device* device = tfc_output_device(ctx, i);
  bool ok = __builtin_expect(!device, 1) ? tfc_tensor_new(out, rank, dims)
                                         : tfc_tensor_new_on(device, out, rank, dims);
  if (ok) return TFC_OK;
  return tfc_is_object(out->dtype) ? no_handle(ctx, i)
                                   : tfc_out_of_memory(ctx, rank, dims, out->dtype);
}

int tfc_forward_output(tfc_context* ctx, int i, int rank, const int64_t* dims, int n_candidates,
                       const int* candidates) {
  int64_t n;
  if (!tfc_has_output(ctx, i) || !count_elements(rank, dims, &n))
    return tfc_make_output(ctx, i, rank, dims); /* reports the error */
  tfc_node_context* node = tfc_node_of(ctx);
  tfc_tensor* out = &ctx->outputs[i];
  const tfc_device* device = tfc_output_device(ctx, i);
  for (int c = 0; c < n_candidates; c++) {
    int input = candidates[c];
    if (!tfc_has_input(ctx, input)) return tfc_no_such_input(ctx, input);
    tfc_tensor* in = (tfc_tensor*)ctx->inputs[input];
    if (!(node->input_flags[input] & TFC_INPUT_LAST_USE) || !in->buffer || in->n != n ||
        !has_elements_like(in, out) || in->dtype == TFC_STRING || in->buffer->device != device ||
        !tfc_buffer_exclusive(in->buffer))
      continue;
    tfc_tensor_clear(out);
    out->data = in->data;
    out->buffer = in->buffer; /* the input's reference becomes the output's */
    in->buffer = NULL;
    out->n = n;
    out->rank = rank;
    for (int d = 0; d < rank; d++) out->dims[d] = dims[d];
    return TFC_OK;
  }
  if (tfc_is_object(out->dtype)) return TFC_OK; /* without memory: the kernel makes an object */
  return tfc_make_output(ctx, i, rank, dims);
}

int tfc_view_output(tfc_context* ctx, int i, int input, int64_t first_element, int rank,
                    const int64_t* dims) {
  if (!tfc_has_output(ctx, i)) return tfc_no_such_output(ctx, i);
  if (!tfc_has_input(ctx, input)) return tfc_no_such_input(ctx, input);
  const tfc_tensor* in = ctx->inputs[input];
  tfc_tensor* out = &ctx->outputs[i];
  int64_t n;
  if (in->dtype != out->dtype && !has_elements_like(in, out))
    return tfc_context_error(ctx, TFC_INTERNAL,
                             "the kernel asked for a view of input %d, a %s, as %s", input,
                             tfc_type_name(in->dtype), tfc_type_name(out->dtype));
  if (!count_elements(rank, dims, &n) || first_element < 0 || n > in->n - first_element)
    return tfc_context_error(ctx, TFC_INTERNAL, "the kernel asked for a view outside of input %d",
                             input);
  if (tfc_is_object(in->dtype) && n != in->n)
    return tfc_context_error(ctx, TFC_UNIMPLEMENTED,
                             "Parts of a tensor of type %s with %lld elements",
                             tfc_type_name(in->dtype), (long long)in->n);
  tfc_buffer* buffer = in->buffer;
  if (buffer) tfc_buffer_ref(buffer);
  tfc_tensor_clear(out);
  out->buffer = buffer;
  out->data = (char*)in->data + (size_t)first_element * tfc_dtype_size(in->dtype);
  out->n = n;
  out->rank = rank;
  for (int d = 0; d < rank; d++) out->dims[d] = dims[d];
  return TFC_OK;
}

int tfc_set_output(tfc_context* ctx, int i, const tfc_tensor* value) {
  if (!tfc_has_output(ctx, i)) return tfc_no_such_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (value->dtype != out->dtype)
    return tfc_context_error(ctx, TFC_INTERNAL, "the kernel gives output %d, a %s, a tensor of %s",
                             i, tfc_type_name(out->dtype), tfc_type_name(value->dtype));
  if (value->buffer) tfc_buffer_ref(value->buffer);
  tfc_tensor_clear(out);
  *out = *value;
  return TFC_OK;
}

int tfc_make_object(tfc_context* ctx, int i, const tfc_object_type* type, void** object) {
  if (!tfc_has_output(ctx, i)) return tfc_no_such_output(ctx, i);
  tfc_tensor* out = &ctx->outputs[i];
  if (!tfc_is_object(out->dtype))
    return tfc_context_error(ctx, TFC_INTERNAL, "the kernel gives output %d, a %s, an object", i,
                             tfc_type_name(out->dtype));
  tfc_tensor_clear(out);
  tfc_buffer* b = tfc_allocate_object(type);
  if (!b) return tfc_out_of_memory(ctx, 0, NULL, out->dtype);
  out->buffer = b;
  out->data = b->data;
  out->n = 1;
  out->rank = 0;
  *object = out->data;
  return TFC_OK;
}

int tfc_make_tensor(tfc_context* ctx, tfc_tensor* t, int rank, const int64_t* dims) {
  t->buffer = NULL;
  int code = check_shape(ctx, rank, dims);
  if (code) return code;
  if (tfc_tensor_new_on(tfc_device_of(ctx), t, rank, dims)) return TFC_OK;
  return tfc_out_of_memory(ctx, rank, dims, t->dtype);
}

int tfc_keep_tensor(tfc_context* ctx, tfc_tensor* to, const tfc_tensor* from) {
  if (!from->buffer || !(from->buffer->flags & TFC_BUFFER_BORROWED)) {
    tfc_hold_tensor(to, from);
    return TFC_OK;
  }
  tfc_tensor copy; /* *to and *from may be the same */
  int code = tfc_copy_in_place(ctx, &copy, from);
  if (code) {
    to->buffer = NULL;
  } else {
    *to = copy;
  }
  return code;
}

void tfc_hold_tensor(tfc_tensor* to, const tfc_tensor* from) {
  if (from->buffer) tfc_buffer_ref(from->buffer);
  *to = *from;
}

bool tfc_tensor_exclusive(const tfc_tensor* t) {
  return t->buffer && tfc_buffer_exclusive(t->buffer);
}
