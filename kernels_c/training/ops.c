/* See training/ops.h. */
#include "kernels_c/training/ops.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

typedef struct training_op {
  const char* op; /* without "Sparse", nor the "_" of internal ops */
  int slots;
  const char* args[MAX_ARGS];
} training_op;

static const training_op ops[OPTIMIZERS] = {
    [GRADIENT_DESCENT] = {"ApplyGradientDescent", 1, {"var", "alpha", "delta"}},
    [MOMENTUM] = {"ApplyMomentum", 2, {"var", "accum", "lr", "grad", "momentum"}},
    [ADAGRAD] = {"ApplyAdagrad", 2, {"var", "accum", "lr", "grad"}},
    [ADAGRAD_V2] = {"ApplyAdagradV2", 2, {"var", "accum", "lr", "epsilon", "grad"}},
    [ADADELTA] = {"ApplyAdadelta",
                  3,
                  {"var", "accum", "accum_update", "lr", "rho", "epsilon", "grad"}},
    [ADAM] = {"ApplyAdam",
              3,
              {"var", "m", "v", "beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon",
               "grad"}},
    [ADA_MAX] = {"ApplyAdaMax",
                 3,
                 {"var", "m", "v", "beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"}},
    [RMSPROP] = {"ApplyRMSProp",
                 3,
                 {"var", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}},
    [CENTERED_RMSPROP] = {"ApplyCenteredRMSProp",
                          4,
                          {"var", "mg", "ms", "mom", "lr", "rho", "momentum", "epsilon", "grad"}},
    [FTRL] = {"ApplyFtrl", 3, {"var", "accum", "linear", "grad", "lr", "l1", "l2", "lr_power"}},
    [FTRL_V2] = {"ApplyFtrlV2",
                 3,
                 {"var", "accum", "linear", "grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"}},
    [PROXIMAL_ADAGRAD] = {"ApplyProximalAdagrad", 2, {"var", "accum", "lr", "l1", "l2", "grad"}},
    [PROXIMAL_GRADIENT_DESCENT] = {"ApplyProximalGradientDescent",
                                   1,
                                   {"var", "alpha", "l1", "l2", "delta"}},
    [ADAGRAD_DA] = {"ApplyAdagradDA",
                    3,
                    {"var", "gradient_accumulator", "gradient_squared_accumulator", "grad", "lr",
                     "l1", "l2", "global_step"}},
    [ADD_SIGN] = {"ApplyAddSign", 2, {"var", "m", "lr", "alpha", "sign_decay", "beta", "grad"}},
    [POWER_SIGN] = {"ApplyPowerSign",
                    2,
                    {"var", "m", "lr", "logbase", "sign_decay", "beta", "grad"}},
    [KERAS_MOMENTUM] = {"ApplyKerasMomentum", 2, {"var", "accum", "lr", "grad", "momentum"}},
    [ADAM_WITH_AMSGRAD] = {"ApplyAdamWithAmsgrad",
                           4,
                           {"var", "m", "v", "vhat", "beta1_power", "beta2_power", "lr", "beta1",
                            "beta2", "epsilon", "grad"}},
};

/* ---- Attributes. */

static bool starts_with(const char* text, const char* start) {
  return !strncmp(text, start, strlen(start));
}

/* Reads the attribute that the op has, if any. */
static int read_flags(tfc_construction* c, training_state* st) {
  const char* op = ops[st->kind].op;
  const char* name = NULL;
  unsigned flag = 0;
  if (starts_with(op, "ApplyMomentum") || starts_with(op, "ApplyKerasMomentum") ||
      (!st->sparse && !strcmp(op, "ApplyAdam"))) {
    name = "use_nesterov";
    flag = USE_NESTEROV;
  } else if (!strcmp(op, "ApplyAdagrad") || !strcmp(op, "ApplyAdagradV2")) {
    name = "update_slots";
    flag = UPDATE_SLOTS;
  } else if (starts_with(op, "ApplyFtrl")) {
    name = "multiply_linear_by_lr";
    flag = MULTIPLY_BY_LR;
  }
  bool on = false;
  const int code = name ? c->api->attr_bool(c, name, &on) : TFC_OK;
  st->flags = on ? flag : 0;
  return code;
}

int tfc_training_read(tfc_construction* c, training_state* st) {
  const char* op = c->op_type + (c->op_type[0] == '_');
  *st = (training_state){.kind = OPTIMIZERS, .sparse = starts_with(op, "Sparse")};
  if (st->sparse) op += strlen("Sparse");
  for (int i = 0; i < OPTIMIZERS; i++)
    if (!strcmp(ops[i].op, op)) st->kind = (optimizer)i;
  if (st->kind == OPTIMIZERS)
    return c->api->error(c, TFC_INTERNAL, "Not an optimizer: %s", c->op_type);
  st->slots = ops[st->kind].slots;
  st->args = ops[st->kind].args;
  for (int i = 0; i < MAX_ARGS && st->args[i]; i++) {
    if (!strcmp(st->args[i], "grad") || !strcmp(st->args[i], "delta")) st->grad = i;
  }
  return read_flags(c, st);
}

/* ---- Checks. */

static int check_scalar(tfc_context* ctx, const char* name, const tfc_tensor* t) {
  if (t->rank == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s is not a scalar: %s", name,
                   tfc_shape_text(t).text);
}

/* NULL: the input is not a scalar. */
static const char* scalar_name(const training_state* st, int input) {
  if (input == st->grad || (st->sparse && input == st->grad + 1)) return NULL;
  return st->args[st->sparse && input > st->grad ? input - 1 : input];
}

int tfc_training_scalars(tfc_context* ctx, const training_state* st,
                         const tfc_tensor* scalars[MAX_SCALARS]) {
  int n = 0;
  for (int i = st->slots; i < ctx->n_inputs; i++) {
    const char* name = scalar_name(st, i);
    if (!name) continue;
    const int code = check_scalar(ctx, name, ctx->inputs[i]);
    if (code != TFC_OK) return -code;
    scalars[n++] = ctx->inputs[i];
  }
  return n;
}

/* What is wrong with a value; NULL: nothing. */
static const char* limit_error(const training_state* st, const char* name, double value) {
  const bool zero = st->flags & MULTIPLY_BY_LR;
  if (!strcmp(name, "lr") && !(value > 0 || (zero && value == 0)))
    return zero ? "lr is not a non-negative scalar" : "lr is not a positive scalar";
  if (!strcmp(name, "l1") && !(value >= 0))
    return "l1 regularization strength is not a non-negative scalar";
  if (!strcmp(name, "l2") && !(value >= 0))
    return "l2 regularization strength is not a non-negative scalar";
  if (!strcmp(name, "l2_shrinkage") && !(value >= 0))
    return "l2 shrinkage regularization strength is not a non-negative scalar";
  if (!strcmp(name, "lr_power") && !(value <= 0)) return "lr_power is not a non-positive scalar";
  return NULL;
}

int tfc_training_limits(tfc_context* ctx, const training_state* st, const double* values) {
  const bool ftrl = st->kind == FTRL || st->kind == FTRL_V2;
  if (st->kind != PROXIMAL_ADAGRAD && !(ftrl && st->sparse)) return TFC_OK;
  for (int i = st->slots, n = 0; i < ctx->n_inputs; i++) {
    const char* name = scalar_name(st, i);
    const char* text = name ? limit_error(st, name, values[n]) : NULL;
    if (text) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s: %g", text, values[n]);
    n += name != NULL;
  }
  return TFC_OK;
}

static int check_shapes(tfc_context* ctx, const training_state* st, tfc_tensor* const* slots) {
  const tfc_tensor* grad = ctx->inputs[st->grad];
  for (int k = 1; k <= st->slots; k++) {
    if (k == st->slots && st->sparse) break;
    const tfc_tensor* other = k < st->slots ? slots[k] : grad;
    if (tfc_same_shape(slots[0], other)) continue;
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and %s do not have the same shape%s %s",
                     st->args[k < st->slots ? k : st->grad], tfc_shape_text(slots[0]).text,
                     tfc_shape_text(other).text);
  }
  return TFC_OK;
}

static int check_sparse(tfc_context* ctx, const training_state* st, const tfc_tensor* var) {
  const tfc_tensor *grad = ctx->inputs[st->grad], *indices = ctx->inputs[st->grad + 1];
  if (var->rank < 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var must be at least 1 dimensional");
  }
  if (indices->rank != 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "indices must be one-dimensional");
  }
  if (grad->rank != var->rank) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and grad must have the same rank: %s, %s",
                     tfc_shape_text(var).text, tfc_shape_text(grad).text);
  }
  for (int d = 1; d < var->rank; d++) {
    if (grad->dims[d] != var->dims[d]) {
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "var and grad must match in dimension %d", d);
    }
  }
  if (grad->dims[0] != indices->n) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "grad must be the same size as indices in the first dimension.");
  }
  return TFC_OK;
}

int tfc_training_check(tfc_context* ctx, const training_state* st, tfc_tensor* const* slots) {
  TFC_TRY(check_shapes(ctx, st, slots));
  return st->sparse ? check_sparse(ctx, st, slots[0]) : TFC_OK;
}

void tfc_training_index_text(char* text, size_t size, int64_t row, int64_t offset) {
  snprintf(text, size, "Index %lld at offset %lld in indices is out of range", (long long)row,
           (long long)offset);
}
