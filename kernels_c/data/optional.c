/* OptionalFromValue, OptionalNone, OptionalHasValue, OptionalGetValue. */
#include "kernels_c/data/optional.h"

TFC_ONE_LEVEL;

typedef struct optional {
  tfc_handle handle;
  bool there;
  int n;
  tfc_tensor* values;
} optional;

static void destroy(void* object) {
  optional* o = object;
  for (int i = 0; i < o->n; i++) tfc_let_go(o->handle.api, &o->values[i]);
  free(o->values);
}

static void visit(void* object, void (*fn)(void* arg, const tfc_tensor* value), void* arg) {
  const optional* o = object;
  for (int i = 0; i < o->n; i++) fn(arg, &o->values[i]);
}

static const tfc_handle_kind optional_kind = {"Optional", {sizeof(optional), destroy, visit}};

int optional_new(tfc_context* ctx, const tfc_tensor* element, int n) {
  optional* o;
  TFC_TRY(tfc_handle_new(ctx, 0, &optional_kind, (void**)&o));
  o->there = element != NULL;
  o->values = calloc((size_t)n + 1, sizeof *o->values);
  if (!o->values) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for an optional value");
  for (; o->n < n; o->n++) TFC_TRY(tfc_keep(ctx, &o->values[o->n], &element[o->n]));
  return TFC_OK;
}

static int from_value(tfc_context* ctx) {
  tfc_tensor* element = tfc_scratch(ctx, (size_t)ctx->n_inputs * sizeof *element + 1);
  if (!element) return TFC_RESOURCE_EXHAUSTED;
  for (int i = 0; i < ctx->n_inputs; i++) element[i] = *ctx->inputs[i];
  return optional_new(ctx, element, ctx->n_inputs);
}

static int none(tfc_context* ctx) {
  return optional_new(ctx, NULL, 0);
}

static int find(tfc_context* ctx, const char* op, const optional** found) {
  const tfc_tensor* t = ctx->inputs[0];
  if (tfc_is_object(t->dtype) && t->n == 1 &&
      ((const tfc_handle*)t->data)->kind == &optional_kind) {
    *found = t->data;
    return TFC_OK;
  }
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   "Input to %s must be a scalar tensor containing an OptionalVariant object.", op);
}

static int has_value(tfc_context* ctx) {
  const optional* o = NULL;
  TFC_TRY(find(ctx, "OptionalHasValue", &o));
  TFC_TRY(tfc_output_scalar(ctx, 0));
  *(bool*)ctx->outputs[0].data = o->there;
  return TFC_OK;
}

static int give(tfc_context* ctx, const tfc_tensor* value, int i) {
  const wanted_shapes* w = ctx->state;
  if (value->dtype != ctx->outputs[i].dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The given optional does not match the expected type for component %d. "
                     "Expected: %s. Actual: %s.",
                     i, tfc_dtype_name(ctx->outputs[i].dtype), tfc_dtype_name(value->dtype));
  if (!wanted_shapes_fit(w, value, i))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The given optional does not match the expected shape for component %d. "
                     "Expected: %s. Actual: %s.",
                     i, tfc_partial_dims_text(w->shape[i].rank, w->shape[i].dims).text,
                     tfc_shape_text(value).text);
  return tfc_output_tensor(ctx, i, value);
}

static int get_value(tfc_context* ctx) {
  const optional* o = NULL;
  TFC_TRY(find(ctx, "OptionalGetValue", &o));
  if (!o->there)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "The given optional does not have a value.");
  if (o->n != ctx->n_outputs)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "The given optional has %d components, expected %d.", o->n, ctx->n_outputs);
  for (int i = 0; i < o->n; i++) TFC_TRY(give(ctx, &o->values[i], i));
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("OptionalFromValue", "", from_value),
    TFC_ROW("OptionalNone", "", none),
    TFC_ROW("OptionalHasValue", "", has_value),
    TFC_ROW("OptionalGetValue", "", get_value, TFC_STATE(wanted_shapes_create)),
};
TFC_REGISTER_KERNELS(kernels);
