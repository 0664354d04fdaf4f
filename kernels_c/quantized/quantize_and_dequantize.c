/* QuantizeAndDequantize in all versions: rounds numbers to those that integers of some bits can
 * stand for. */
#include "kernels_c/common/convert.h"
#include "kernels_c/common/template.h"
#include "kernels_c/quantized/quantized.h"

#define REFUSE(...) return tfc_error(ctx, TFC_INVALID_ARGUMENT, __VA_ARGS__)

/* The options; the first ones are the state of a kernel. */
typedef struct round_trip {
  bool is_signed, range_given, narrow, half_up;
  int64_t bits, axis;
  const void *min, *max, *x, *grad;
  void* y;
  int64_t outer, slices, inner; /* elements before the axis, along it, and behind it */
} round_trip;

#define T float
#define ROUND rintf
#define FLOOR floorf
#define LARGEST FLT_MAX
#include "kernels_c/quantized/quantize_and_dequantize_type.h"

#define T double
#define ROUND rint
#define FLOOR floor
#define LARGEST DBL_MAX
#include "kernels_c/quantized/quantize_and_dequantize_type.h"

/* ---- Attributes. */

typedef struct round_trip_state {
  round_trip options;
  double min, max; /* of the first version, whose range is an attribute */
} round_trip_state;

static int check_bits(const round_trip* r) {
  return r->bits > 0 && r->bits < (r->is_signed ? 62 : 63);
}

static int read_common(tfc_construction* c, round_trip* r) {
  TFC_TRY(c->api->attr_bool(c, "signed_input", &r->is_signed));
  return c->api->attr_bool(c, "range_given", &r->range_given);
}

static int read_bits(tfc_construction* c, round_trip* r) {
  TFC_TRY(c->api->attr_int(c, "num_bits", &r->bits));
  if (check_bits(r)) return TFC_OK;
  return c->api->error(c, TFC_INVALID_ARGUMENT,
                       "num_bits is out of range: %lld with signed_input_ %d", (long long)r->bits,
                       r->is_signed);
}

static int fill_v1(tfc_construction* c, void* state) {
  round_trip_state* s = state;
  TFC_TRY(read_common(c, &s->options));
  TFC_TRY(read_bits(c, &s->options));
  TFC_TRY(c->api->attr_float(c, "input_min", &s->min));
  TFC_TRY(c->api->attr_float(c, "input_max", &s->max));
  s->options.axis = -1;
  if (s->options.range_given && !(s->min <= s->max))
    return c->api->error(c, TFC_INVALID_ARGUMENT, "Invalid range: input_min %g > input_max %g",
                         s->min, s->max);
  return TFC_OK;
}

static int fill_v3(tfc_construction* c, void* state) {
  round_trip* r = &((round_trip_state*)state)->options;
  TFC_TRY(read_common(c, r));
  TFC_TRY(c->api->attr_bool(c, "narrow_range", &r->narrow));
  return c->api->attr_int(c, "axis", &r->axis);
}

static int fill_v2(tfc_construction* c, void* state) {
  round_trip* r = &((round_trip_state*)state)->options;
  const char* mode;
  size_t size;
  TFC_TRY(fill_v3(c, state));
  TFC_TRY(read_bits(c, r));
  TFC_TRY(c->api->attr_string(c, "round_mode", &mode, &size));
  r->half_up = size == 7 && !memcmp(mode, "HALF_UP", 7);
  return TFC_OK;
}

static int fill_grad(tfc_construction* c, void* state) {
  return c->api->attr_int(c, "axis", &((round_trip_state*)state)->options.axis);
}

static int create_v1(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(round_trip_state), fill_v1, state);
}
static int create_v2(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(round_trip_state), fill_v2, state);
}
static int create_v3(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(round_trip_state), fill_v3, state);
}
static int create_grad(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(round_trip_state), fill_grad, state);
}

/* ---- Arguments. */

static int split_along(tfc_context* ctx, const tfc_tensor* x, round_trip* r) {
  if (r->axis < -1) REFUSE("Axis should be at least -1, got %lld", (long long)r->axis);
  if (r->axis >= x->rank)
    REFUSE("Shape must be at least rank %lld but is rank %d", (long long)r->axis + 1, x->rank);
  r->x = x->data;
  r->outer = r->axis < 0 ? 1 : tfc_product((int)r->axis, x->dims);
  r->slices = r->axis < 0 ? 1 : x->dims[r->axis];
  r->inner = r->axis < 0 ? x->n : tfc_product(x->rank - (int)r->axis - 1, x->dims + r->axis + 1);
  return TFC_OK;
}

/* A copy of a limit, which may be the user's memory: a scalar, or one number for each slice. */
static int copy_limit(tfc_context* ctx, int input, const char* what, const round_trip* r,
                      const void** limit) {
  const tfc_tensor* t = ctx->inputs[input];
  const size_t bytes = (size_t)t->n * tfc_dtype_size(t->dtype);
  if (r->axis < 0 && t->rank != 0) REFUSE("%s must be a scalar.", what);
  if (r->axis >= 0 && (t->rank != 1 || t->n != r->slices))
    REFUSE("%s must be a vector with a number for each of %lld slices: %s", what,
           (long long)r->slices, tfc_shape_text(t).text);
  void* copy = tfc_scratch(ctx, bytes);
  if (!copy) return TFC_RESOURCE_EXHAUSTED;
  if (bytes) memcpy(copy, t->data, bytes);
  *limit = copy;
  return TFC_OK;
}

static double limit_at(const tfc_tensor* like, const void* limit, int64_t i) {
  const tfc_tensor t = {.dtype = like->dtype, .data = (void*)limit};
  return tfc_to_double(&t, i);
}

static int read_range(tfc_context* ctx, round_trip* r) {
  const tfc_tensor* x = ctx->inputs[0];
  TFC_TRY(copy_limit(ctx, 1, "input_min", r, &r->min));
  TFC_TRY(copy_limit(ctx, 2, "input_max", r, &r->max));
  for (int64_t i = 0; i < r->slices; i++) {
    const double min = limit_at(x, r->min, i), max = limit_at(x, r->max, i);
    if (!(min <= max)) REFUSE("Invalid range: input_min %g > input_max %g", min, max);
  }
  return TFC_OK;
}

/* ---- Kernels. */

static int run(tfc_context* ctx, round_trip* r) {
  const tfc_tensor* x = ctx->inputs[0];
  static const int first[] = {0};
  TFC_TRY(tfc_output_forward(ctx, 0, x->rank, x->dims, 1, first));
  r->y = ctx->outputs[0].data;
  if (x->n == 0) return TFC_OK;
  const double cost = 2 * (double)(r->outer * r->inner);
  tfc_parallel_for(ctx, r->slices, cost,
                   x->dtype == TFC_DOUBLE ? round_trip_slices_double : round_trip_slices_float, r);
  return TFC_OK;
}

static int round_trip_v1(tfc_context* ctx) {
  const round_trip_state* s = ctx->state;
  const float narrow[] = {(float)s->min, (float)s->max};
  const bool wide = ctx->inputs[0]->dtype == TFC_DOUBLE;
  round_trip r = s->options;
  TFC_TRY(split_along(ctx, ctx->inputs[0], &r));
  r.min = wide ? (const void*)&s->min : narrow;
  r.max = wide ? (const void*)&s->max : narrow + 1;
  return run(ctx, &r);
}

static int round_trip_v2(tfc_context* ctx) {
  round_trip r = ((const round_trip_state*)ctx->state)->options;
  TFC_TRY(split_along(ctx, ctx->inputs[0], &r));
  if (r.range_given) TFC_TRY(read_range(ctx, &r));
  return run(ctx, &r);
}

static int round_trip_v3(tfc_context* ctx) {
  round_trip r = ((const round_trip_state*)ctx->state)->options;
  const tfc_tensor* bits = ctx->inputs[3];
  if (bits->n != 1) REFUSE("num_bits must be a scalar, got shape %s", tfc_shape_text(bits).text);
  r.bits = tfc_int_scalar(bits);
  if (!check_bits(&r))
    REFUSE("num_bits is out of range: %lld with `signed_input_` %d", (long long)r.bits,
           r.is_signed);
  TFC_TRY(split_along(ctx, ctx->inputs[0], &r));
  if (r.range_given) TFC_TRY(read_range(ctx, &r));
  return run(ctx, &r);
}

/* The limits get no gradient. */
static int round_trip_gradient(tfc_context* ctx) {
  const tfc_tensor *grad = ctx->inputs[0], *x = ctx->inputs[1];
  round_trip r = ((const round_trip_state*)ctx->state)->options;
  if (!tfc_same_shape(grad, x)) REFUSE("gradient and input must be the same size");
  if (r.axis >= x->rank)
    REFUSE("Axis should be -1 or 0 or a positive value less than %dbut given axis value was %lld",
           x->rank, (long long)r.axis);
  TFC_TRY(split_along(ctx, x, &r));
  static const char* const names[] = {"input_min", "input_max"};
  for (int i = 0; i < 2; i++) {
    const tfc_tensor* t = ctx->inputs[2 + i];
    if (r.axis < 0 && t->rank != 0) REFUSE("%s must be a scalar if axis is unspecified", names[i]);
    if (r.axis >= 0 && (t->rank != 1 || t->n != r.slices))
      REFUSE("%s has incorrect size, expected %lld was %lld", i ? "max" : "min",
             (long long)r.slices, (long long)t->n);
    TFC_TRY(tfc_output_like(ctx, 1 + i, t));
    memset(ctx->outputs[1 + i].data, 0, (size_t)t->n * tfc_dtype_size(t->dtype));
  }
  r.min = ctx->inputs[2]->data;
  r.max = ctx->inputs[3]->data;
  r.grad = grad->data;
  TFC_TRY(tfc_output_like(ctx, 0, x));
  r.y = ctx->outputs[0].data;
  if (x->n)
    tfc_parallel_for(ctx, r.slices, (double)(r.outer * r.inner),
                     x->dtype == TFC_DOUBLE ? round_trip_grad_double : round_trip_grad_float, &r);
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("QuantizeAndDequantize", "T=" TFC_TYPES_WIDE_FLOATS, round_trip_v1,
            TFC_STATE(create_v1)),
    TFC_ROW("QuantizeAndDequantizeV2", "T=" TFC_TYPES_WIDE_FLOATS, round_trip_v2,
            TFC_STATE(create_v2)),
    TFC_ROW("QuantizeAndDequantizeV3", "T=" TFC_TYPES_WIDE_FLOATS, round_trip_v3,
            TFC_STATE(create_v3)),
    TFC_ROW("QuantizeAndDequantizeV4", "T=" TFC_TYPES_WIDE_FLOATS, round_trip_v2,
            TFC_STATE(create_v2)),
    TFC_ROW("QuantizeAndDequantizeV4Grad", "T=" TFC_TYPES_WIDE_FLOATS, round_trip_gradient,
            TFC_STATE(create_grad)),
};
TFC_REGISTER_KERNELS(kernels);
