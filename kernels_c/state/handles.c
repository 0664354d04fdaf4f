/* Tensors of several objects. */
#include "kernels_c/state/handles.h"

#include <stdlib.h>

#include "kernels_c/common/common.h"

TFC_ONE_LEVEL;

typedef struct handles {
  tfc_handle handle;
  int64_t n;
  tfc_tensor* elements;
} handles;

static void destroy(void* object) {
  handles* h = object;
  for (int64_t i = 0; i < h->n; i++) tfc_let_go(h->handle.api, &h->elements[i]);
  free(h->elements);
}

static void visit(void* object, void (*fn)(void*, const tfc_tensor*), void* arg) {
  const handles* h = object;
  for (int64_t i = 0; i < h->n; i++) fn(arg, &h->elements[i]);
}

static const tfc_handle_kind handles_kind = {"tensor of objects",
                                             {sizeof(handles), destroy, visit}};

int tfc_handles_new(tfc_context* ctx, int i, int rank, const int64_t* dims, tfc_tensor** elements) {
  handles* h = NULL;
  const int64_t n = tfc_count(rank, dims);
  TFC_TRY(tfc_handle_new(ctx, i, &handles_kind, (void**)&h));
  if (n < 0 || rank > TFC_MAX_RANK || !(h->elements = calloc((size_t)n + 1, sizeof *h->elements)))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "OOM when making a tensor of shape %s of objects",
                     tfc_dims_text(rank, dims).text);
  *elements = h->elements;
  h->n = n;
  tfc_tensor* out = &ctx->outputs[i];
  out->n = n;
  out->rank = rank;
  if (rank) memcpy(out->dims, dims, (size_t)rank * sizeof *dims);
  for (int64_t k = 0; k < n; k++) h->elements[k] = (tfc_tensor){.dtype = out->dtype, .n = 1};
  return TFC_OK;
}

int tfc_handles_make(tfc_context* ctx, int rank, const int64_t* dims, tfc_make_object_fn make,
                     void* arg) {
  const int64_t n = tfc_count(rank, dims);
  tfc_tensor* to = NULL;
  tfc_tensor* made = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *made);
  if (!made)
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "OOM when making a tensor of shape %s of objects",
                     tfc_dims_text(rank, dims).text);
  int code = TFC_OK;
  for (int64_t i = 0; i < n && !code; i++) {
    code = make(ctx, i, arg);
    if (!code) tfc_hold(ctx->api, &made[i], &ctx->outputs[0]);
  }
  if (!code) code = tfc_handles_new(ctx, 0, rank, dims, &to);
  for (int64_t i = 0; i < n; i++) {
    if (!code)
      to[i] = made[i];
    else if (made[i].buffer)
      tfc_let_go(ctx->api, &made[i]);
  }
  free(made);
  return code;
}

tfc_tensor tfc_object_at(const tfc_tensor* t, int64_t i) {
  const handles* h = t->data;
  if (h->handle.kind == &handles_kind) return h->elements[i];
  tfc_tensor one = *t; /* one object, of any shape */
  one.rank = 0;
  return one;
}

/* Each input must be one object, all of the same kind: *first is the first of them. */
static int one_kind(tfc_context* ctx, const char* doing, const tfc_handle** first) {
  for (int i = 0; i < ctx->n_inputs; i++) {
    const tfc_tensor* t = ctx->inputs[i];
    const tfc_handle* h = t->data;
    if (t->n != 1 || h->kind == &handles_kind)
      return tfc_error(ctx, TFC_UNIMPLEMENTED, "%s a tensor of shape %s of type %s", doing,
                       tfc_shape_text(t).text, tfc_dtype_name(t->dtype));
    if (i && h->kind != (*first)->kind)
      return tfc_error(ctx, TFC_INTERNAL, "%s objects of different kinds: %s and %s", doing,
                       (*first)->kind->name, h->kind->name);
    if (!i) *first = h;
  }
  return TFC_OK;
}

/* Output 0 becomes zeros like element i of a tensor of objects. */
static int zeros_like_element(tfc_context* ctx, int64_t i, void* tensor) {
  const tfc_tensor one = tfc_object_at(tensor, i);
  const tfc_handle* x = one.data;
  if (x->arithmetic) return x->arithmetic->zeros_like(ctx, x);
  return tfc_error(ctx, TFC_INTERNAL,
                   "No unary variant unary_op function found for unary variant op enum: "
                   "ZEROS_LIKE_VARIANT_UNARY_OP Variant type_name: %s",
                   x->kind->name);
}

int tfc_handles_zeros_like(tfc_context* ctx) {
  tfc_tensor x = *ctx->inputs[0];
  if (!x.rank) return zeros_like_element(ctx, 0, &x);
  return tfc_handles_make(ctx, x.rank, x.dims, zeros_like_element, &x);
}

int tfc_handles_sum(tfc_context* ctx) {
  const tfc_handle* x = NULL;
  TFC_TRY(one_kind(ctx, "The sum of", &x));
  if (x->arithmetic) return x->arithmetic->sum(ctx);
  return tfc_error(ctx, TFC_INTERNAL,
                   "No unary variant binary_op function found for binary variant op enum: "
                   "ADD_VARIANT_BINARY_OP Variant type_name: %s",
                   x->kind->name);
}
