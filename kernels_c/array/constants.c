/* Constants, placeholders and tensors made from a few numbers. */
#include <math.h>

#include "kernels_c/array/array.h"
#include "kernels_c/array/copy.h"
#include "kernels_c/common/convert.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/state/handles.h"

TFC_ALL_DEVICES;

/* ---- Const */

static int const_create(tfc_construction* c, void** state) {
  tfc_tensor* value = tfc_new_state(c, sizeof *value);
  if (!value) return TFC_RESOURCE_EXHAUSTED;
  const int rc = c->api->attr_tensor(c, "value", value);
  if (rc != TFC_OK) {
    free(value);
    return rc;
  }
  *state = value;
  return TFC_OK;
}

static int const_compute(tfc_context* ctx) {
  return tfc_output_tensor(ctx, 0, ctx->state);
}

/* ---- Placeholder: runs only if it was not fed. */

static int placeholder_create(tfc_construction* c, void** state) {
  int rank;
  int64_t dims[TFC_MAX_RANK];
  const int rc = c->api->attr_shape(c, "shape", &rank, dims);
  if (rc != TFC_OK) return rc;
  const size_t size = strlen(c->op_name) + 300;
  char* text = tfc_new_state(c, size);
  if (!text) return TFC_RESOURCE_EXHAUSTED;
  const bool known = rank > 0 || (rank == 0 && strcmp(c->op_type, "PlaceholderV2") == 0);
  snprintf(text, size, "You must feed a value for placeholder tensor '%s' with dtype %s%s%s",
           c->op_name, tfc_dtype_name(c->output_dtypes[0]), known ? " and shape " : "",
           known ? tfc_partial_dims_text(rank, dims).text : "");
  *state = text;
  return TFC_OK;
}

static int placeholder_compute(tfc_context* ctx) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s", (const char*)ctx->state);
}

static int first_input(tfc_context* ctx) {
  return tfc_output_input(ctx, 0, 0);
}

/* ---- Fill, ZerosLike, OnesLike */

static int fill(tfc_context* ctx) {
  const tfc_tensor *dims = ctx->inputs[0], *value = ctx->inputs[1];
  if (dims->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "dims must represent a vector, got shape %s",
                     tfc_shape_text(dims).text);
  if (value->rank != 0 && value->n != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "value must represent a scalar, got shape %s",
                     tfc_shape_text(value).text);
  int64_t shape[TFC_MAX_RANK] = {0};
  if (dims->n > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED, "Fill to more than %d dimensions: %lld", TFC_MAX_RANK,
                     (long long)dims->n);
  for (int i = 0; i < dims->n; i++) shape[i] = tfc_index_at(dims, i);
  TFC_TRY(tfc_check_shape(ctx, (int)dims->n, shape));
  TFC_TRY(tfc_output(ctx, 0, (int)dims->n, shape));
  return tfc_fill_element(ctx, &ctx->outputs[0], value);
}

static int zeros_like(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int candidate = 0;
  if (x->dtype == TFC_STRING) return tfc_output_like(ctx, 0, x);
#if !TFC_FOR_GPU
  if (tfc_is_object(x->dtype)) return tfc_handles_zeros_like(ctx);
#endif
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  return tfc_fill_zero(ctx, &ctx->outputs[0]);
}

static int ones_like(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  const int candidate = 0;
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, &candidate));
  uint8_t one[16];
  tfc_from_double(one, x->dtype, 1);
  return tfc_fill_value(ctx, &ctx->outputs[0], one);
}

/* ---- Range, LinSpace */

static int bad_range(tfc_context* ctx, bool up, double start, double limit) {
  return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                   up ? "Requires start <= limit when delta > 0: %.15g/%.15g"
                      : "Requires start >= limit when delta < 0: %.15g/%.15g",
                   start, limit);
}

static const char* const range_texts[] = {"start must be a scalar, not shape",
                                          "limit must be a scalar, not shape",
                                          "delta must be a scalar, not shape"};

static int range_int(tfc_context* ctx) {
  for (int i = 0; i < 3; i++) TFC_TRY(tfc_want_number(ctx, i, range_texts[i]));
  const int64_t start = tfc_int_scalar(ctx->inputs[0]), limit = tfc_int_scalar(ctx->inputs[1]);
  const int64_t delta = tfc_int_scalar(ctx->inputs[2]);
  if (delta == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires delta != 0: 0");
  if (delta > 0 ? start > limit : start < limit)
    return bad_range(ctx, delta > 0, (double)start, (double)limit);
  const uint64_t span =
      delta > 0 ? (uint64_t)limit - (uint64_t)start : (uint64_t)start - (uint64_t)limit;
  const uint64_t step = delta > 0 ? (uint64_t)delta : -(uint64_t)delta;
  const uint64_t count = span / step + (span % step != 0);
  if (count > INT64_MAX)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld",
                     (long long)INT64_MAX);
  const int64_t n = (int64_t)count;
  TFC_TRY(tfc_output(ctx, 0, 1, &n));
  if (ctx->outputs[0].dtype == TFC_INT32) {
    int32_t* y = ctx->outputs[0].data;
    for (int64_t i = 0; i < n; i++) y[i] = (int32_t)(start + i * delta);
  } else {
    int64_t* y = ctx->outputs[0].data;
    for (int64_t i = 0; i < n; i++)
      y[i] = (int64_t)((uint64_t)start + (uint64_t)i * (uint64_t)delta);
  }
  return TFC_OK;
}

static int range_float(tfc_context* ctx) {
  double v[3];
  for (int i = 0; i < 3; i++) {
    TFC_TRY(tfc_want_number(ctx, i, range_texts[i]));
    v[i] = tfc_to_double(ctx->inputs[i], 0);
  }
  if (v[2] == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires delta != 0: 0");
  if (v[2] > 0 ? v[0] > v[1] : v[0] < v[1]) return bad_range(ctx, v[2] > 0, v[0], v[1]);
  double count = ceil(fabs((v[1] - v[0]) / v[2]));
  const int32_t dtype = ctx->outputs[0].dtype;
  /* Divides in the type itself like TensorFlow, so that float ranges have the same length. */
  if (dtype == TFC_FLOAT) {
    const float quotient = ((float)v[1] - (float)v[0]) / (float)v[2];
    count = ceilf(fabsf(quotient));
  }
  if (!(count < 9e18))
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires ((limit - start) / delta) <= %lld",
                     (long long)INT64_MAX);
  const int64_t n = (int64_t)count;
  TFC_TRY(tfc_output(ctx, 0, 1, &n));
  const size_t size = tfc_dtype_size(dtype);
  for (int64_t i = 0; i < n; i++)
    tfc_from_double((char*)ctx->outputs[0].data + i * (int64_t)size, dtype,
                    v[0] + (double)i * v[2]);
  return TFC_OK;
}

static const char* const lin_space_texts[] = {"start must be a scalar, not shape",
                                              "stop must be a scalar, not shape",
                                              "num must be a scalar, not shape"};

static int lin_space(tfc_context* ctx) {
  for (int i = 0; i < 3; i++) TFC_TRY(tfc_want_scalar(ctx, i, lin_space_texts[i]));
  const double start = tfc_to_double(ctx->inputs[0], 0), stop = tfc_to_double(ctx->inputs[1], 0);
  const int64_t n = tfc_int_scalar(ctx->inputs[2]);
  if (n <= 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Requires num > 0: %lld", (long long)n);
  TFC_TRY(tfc_output(ctx, 0, 1, &n));
  const int32_t dtype = ctx->outputs[0].dtype;
  const size_t size = tfc_dtype_size(dtype);
  const double step = n > 1 ? (stop - start) / (double)(n - 1) : 0;
  for (int64_t i = 0; i < n; i++) /* the outer values stay as they are, infinite ones, too */
    tfc_from_double((char*)ctx->outputs[0].data + i * (int64_t)size, dtype,
                    i == 0       ? start
                    : i == n - 1 ? stop
                                 : start + step * (double)i);
  return TFC_OK;
}

/* ---- Fact */

static int fact(tfc_context* ctx) {
  static const char text[] = "0! == 1";
  TFC_TRY(tfc_output_scalar(ctx, 0));
  return tfc_string_set(ctx, &ctx->outputs[0], 0, text, sizeof text - 1);
}

TFC_COPIER(TFC_NO_STATE);

static const tfc_kernel_def kernels[] = {
    TFC_ROW("Const", TFC_ON_GPU("dtype=int32|string|resource"), const_compute,
            TFC_STATE(const_create), .host_args = TFC_ON_GPU("output")),
    TFC_FORWARDS("Placeholder", "dtype", placeholder_compute, placeholder_create, NULL, "output"),
    TFC_FORWARDS("PlaceholderV2", "dtype", placeholder_compute, placeholder_create, NULL, "output"),
    TFC_FORWARDS("PlaceholderWithDefault", "dtype", first_input, TFC_NO_STATE, NULL,
                 "input,output"),
    TFC_COPIES("Fill", "T", fill, TFC_NO_STATE, "dims", "dims,value,output"),
    TFC_COPIES("ZerosLike", "T", zeros_like, TFC_NO_STATE, NULL, "x,y"),
    TFC_COPIES("OnesLike", "T", ones_like, TFC_NO_STATE, NULL, "x,y"),
    TFC_ROW("Range", "Tidx=" TFC_TYPES_INDICES, range_int, .host_args = "start,limit,delta,output"),
    TFC_ROW("Range", "Tidx=" TFC_TYPES_FLOATS, range_float,
            .host_args = "start,limit,delta,output"),
    TFC_ROW("Fact", "", fact, .host_args = "fact"),
    TFC_ROW("LinSpace", "T=" TFC_TYPES_FLOATS, lin_space, .host_args = "start,stop,num,output"),
};
TFC_REGISTER_KERNELS(kernels);
