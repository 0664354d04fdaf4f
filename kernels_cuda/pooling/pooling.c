/* MaxPool, AvgPool and their gradients. */
#include "kernels_cuda/pooling/pooling.h"

#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/pooling/shape.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/common/window_launch.h"

typedef struct launch_state {
  pool_state pool; /* first: the state of pooling/shape.c, too */
  const tfc_function* function;
  bool average;
} launch_state;

/* Adds the function `name` to a state that `make` has made. */
static int create(tfc_construction* c, int (*make)(tfc_construction*, void**), const char* name,
                  void** state) {
  TFC_TRY(make(c, state));
  launch_state* s = realloc(*state, sizeof *s);
  if (!s) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *state = s;
  s->average = !strcmp(name, "AvgPool");
  return tfc_find_function(c, "pooling/pooling", name, c->output_dtypes[0] % TFC_REF, &s->function);
}
static int create_MaxPool(tfc_construction* c, void** state) {
  return create(c, pool_create_max, "MaxPool", state);
}
static int create_MaxPoolV2(tfc_construction* c, void** state) {
  return create(c, pool_create_v2, "MaxPool", state);
}
static int create_MaxPoolGrad(tfc_construction* c, void** state) {
  return create(c, pool_create_max, "MaxPoolGrad", state);
}
static int create_MaxPoolGradV2(tfc_construction* c, void** state) {
  return create(c, pool_create_v2, "MaxPoolGrad", state);
}
static int create_plain(tfc_construction* c, void** state) {
  return create(c, pool_create_plain, c->op_type, state);
}

static pooling_params params_of(const pool_sizes* s, bool nchw) {
  return (pooling_params){.batch = s->in.n,
                          .in = tfc_window_image(s->in.h, s->in.w, s->in.c, nchw),
                          .out = tfc_window_image(s->out.h, s->out.w, s->out.c, nchw),
                          .window = tfc_window_shape(&s->h, &s->w)};
}

static int compute_pool(tfc_context* ctx) {
  const launch_state* state = ctx->state;
  const tfc_tensor* x = ctx->inputs[0];
  window_attrs a;
  pool_sizes s;
  TFC_TRY(pool_check_rank(ctx, x, "tensor_in"));
  TFC_TRY(pool_read_window(ctx, 1, &a));
  if (a.ksize[window_channel_axis(&a)] > 1 && !state->average) {
    TFC_TRY(pool_fit_depth(ctx, &a, &s));
  } else {
    if (state->average) TFC_TRY(pool_no_depth(ctx, &a, "Pooling"));
    TFC_TRY(pool_fit(ctx, &a, x->dims, &s));
    TFC_TRY(pool_output_images(ctx, 0, s.out, a.nchw));
  }
  pooling_params p = params_of(&s, a.nchw);
  p.x = x->data;
  p.y = ctx->outputs[0].data;
  return TFC_LAUNCH(ctx, state->function, pooling, &p);
}

static int launch_gradient(tfc_context* ctx, pooling_params* p) {
  const launch_state* state = ctx->state;
  p->dx = ctx->outputs[0].data;
  return tfc_launch_params(ctx, state->function, pooling_gradient_launch(p), p, sizeof *p);
}

static int compute_max_grad(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  window_attrs a;
  pool_sizes s;
  TFC_TRY(pool_fit_max_grad(ctx, &a, &s));
  TFC_TRY(tfc_output(ctx, 0, 4, x->dims));
  pooling_params p = params_of(&s, a.nchw);
  p.x = x->data;
  p.dy = ctx->inputs[2]->data;
  return launch_gradient(ctx, &p);
}

static int compute_avg_grad(tfc_context* ctx) {
  const bool nchw = ((const launch_state*)ctx->state)->pool.window.nchw;
  pool_sizes s;
  TFC_TRY(pool_fit_avg_grad(ctx, &s));
  TFC_TRY(pool_output_images(ctx, 0, s.in, nchw));
  pooling_params p = params_of(&s, nchw);
  p.dy = ctx->inputs[1]->data;
  return launch_gradient(ctx, &p);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("MaxPool", "T=" TFC_TYPES_REALS, compute_pool, TFC_STATE(create_MaxPool)),
    TFC_ROW("MaxPoolV2", "T=" TFC_TYPES_REALS, compute_pool, TFC_STATE(create_MaxPoolV2),
            .host_args = "ksize,strides"),
    TFC_ROW("MaxPoolGrad", "T=" TFC_TYPES_REALS, compute_max_grad, TFC_STATE(create_MaxPoolGrad)),
    TFC_ROW("MaxPoolGradV2", "T=" TFC_TYPES_REALS, compute_max_grad,
            TFC_STATE(create_MaxPoolGradV2), .host_args = "ksize,strides"),
    TFC_ROW("AvgPool", "T=" TFC_TYPES_FLOATS, compute_pool, TFC_STATE(create_plain)),
    TFC_ROW("AvgPoolGrad", "T=" TFC_TYPES_FLOATS, compute_avg_grad, TFC_STATE(create_plain),
            .host_args = "orig_input_shape"),
};
TFC_REGISTER_KERNELS(kernels);
