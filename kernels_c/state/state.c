/* Variables: their references, whole-value assignments and counters. */
#include "kernels_c/state/state.h"

#include <stdlib.h>

#include "kernels_c/common/attr.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;
TFC_ALL_DEVICES;

/* Container and name of a variable: its own name unless shared_name is given. */
static int find_variable(tfc_construction* c, int32_t dtype, void** variable) {
  const char *container, *shared;
  size_t container_size, shared_size;
  int code = c->api->attr_string(c, "container", &container, &container_size);
  if (code == TFC_OK) code = c->api->attr_string(c, "shared_name", &shared, &shared_size);
  if (code != TFC_OK) return code;
  char* text = malloc(container_size + shared_size + 2);
  if (!text) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  char* name = text + container_size + 1;
  memcpy(text, container, container_size);
  text[container_size] = 0;
  memcpy(name, shared, shared_size);
  name[shared_size] = 0;
  code = c->api->variable(c, text, shared_size ? name : c->op_name, dtype, variable);
  free(text);
  return code;
}

static int variable_create(tfc_construction* c, void** state) {
  return find_variable(c, c->output_dtypes[0] % TFC_REF, state);
}

static int variable_compute(tfc_context* ctx) {
  return ctx->api->output_variable(ctx, 0, ctx->state);
}

/* ---- DestroyResourceOp. The state is non-NULL when it may find nothing to destroy. */

static int destroy_create(tfc_construction* c, void** state) {
  static char ignores;
  bool ignore = true;
  const int code = c->api->attr_bool(c, "ignore_lookup_error", &ignore);
  *state = ignore ? &ignores : NULL;
  return code;
}

static int destroy_variable(tfc_context* ctx) {
  const int ref = 0;
  tfc_tensor *value, old = {0};
  TFC_TRY(tfc_ref_lock(ctx, 1, &ref, TFC_REF_REPLACE | TFC_REF_MAYBE_UNINITIALIZED, &value));
  const bool found = value->buffer != NULL;
  if (found) {
    old = *value;
    *value = (tfc_tensor){.dtype = old.dtype, .rank = -1};
  }
  tfc_ref_unlock(ctx);
  if (found) {
    tfc_let_go(ctx->api, &old);
    return TFC_OK;
  }
  if (ctx->state) return TFC_OK;
  return tfc_error(ctx, TFC_NOT_FOUND, "The variable does not exist: it has no value to destroy.");
}

static int ref_identity(tfc_context* ctx) {
  return tfc_output_ref(ctx, 0, 0);
}

static int ref_select(tfc_context* ctx) {
  const int32_t index = *(const int32_t*)ctx->inputs[0]->data;
  if (index < 0 || index >= ctx->n_inputs - 1) {
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Index must be in the range [0, %d) but got %d",
                     ctx->n_inputs - 1, index);
  }
  return tfc_output_ref(ctx, 0, 1 + index);
}

static int is_variable_initialized(tfc_context* ctx) {
  const int code = tfc_output_scalar(ctx, 0);
  if (code != TFC_OK) return code;
  *(bool*)ctx->outputs[0].data = ctx->api->is_initialized(ctx, 0);
  return TFC_OK;
}

/* ---- Assign. The state is non-NULL when the shapes must match. */

static int assign_create(tfc_construction* c, void** state) {
  static char validates;
  bool validate = true;
  const int code = c->api->attr_bool(c, "validate_shape", &validate);
  *state = validate ? &validates : NULL;
  return code;
}

static int check_assigned_shape(tfc_context* ctx, const tfc_tensor* value) {
  const int ref = 0;
  tfc_tensor* old;
  int code = tfc_ref_lock(ctx, 1, &ref, TFC_REF_READ | TFC_REF_MAYBE_UNINITIALIZED, &old);
  if (code != TFC_OK) return code;
  if (old->rank >= 0 && !tfc_same_shape(old, value)) {
    code = tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Assign requires shapes of both tensors to match. lhs shape= %s rhs shape= %s",
                     tfc_shape_text(old).text, tfc_shape_text(value).text);
  }
  tfc_ref_unlock(ctx);
  return code;
}

static int assign(tfc_context* ctx) {
  const tfc_tensor* value = ctx->inputs[1];
  int code = TFC_OK;
  if (ctx->state) code = check_assigned_shape(ctx, value);
  if (code == TFC_OK) code = tfc_ref_assign(ctx, 0, value);
  if (code == TFC_OK) code = tfc_output_ref(ctx, 0, 0);
  return code;
}

#if !TFC_FOR_GPU /* which has kernels_cuda/state/state.c */

/* ---- AssignAdd, AssignSub. */

typedef struct {
  scatter_row_fn row;
  char* dst;
  const char* src;
  size_t item;
} update_job;

static void update_range(void* arg, int64_t begin, int64_t end) {
  const update_job* job = arg;
  const size_t offset = (size_t)begin * job->item;
  job->row(job->dst + offset, job->src + offset, end - begin, 1);
}

static int assign_update(tfc_context* ctx, scatter_op op) {
  const int ref = 0;
  const tfc_tensor* value = ctx->inputs[1];
  tfc_tensor* var;
  int code = tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &var);
  if (code != TFC_OK) return code;
  code = tfc_check_update(ctx, var, value);
  if (code == TFC_OK) {
    update_job job = {tfc_scatter_row(op, value->dtype), var->data, value->data,
                      tfc_dtype_size(value->dtype)};
    if (value->n < 4096) {
      update_range(&job, 0, value->n);
    } else {
      tfc_parallel_for(ctx, value->n, 0.1 * (double)job.item, update_range, &job);
    }
  }
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

static int assign_add(tfc_context* ctx) {
  return assign_update(ctx, SCATTER_ADD);
}
static int assign_sub(tfc_context* ctx) {
  return assign_update(ctx, SCATTER_SUB);
}

/* ---- CountUpTo. */

static int count_create(tfc_construction* c, void** state) {
  int64_t* limit = malloc(sizeof *limit);
  if (!limit) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
  *state = limit;
  return c->output_dtypes[0] == TFC_INT64 ? c->api->attr_int(c, "limit", limit)
                                          : tfc_attr_int32(c, "limit", limit);
}

static int count_up_to(tfc_context* ctx) {
  const int64_t limit = *(const int64_t*)ctx->state;
  const int ref = 0;
  tfc_tensor* var;
  int code = tfc_output_scalar(ctx, 0);
  if (code == TFC_OK) code = tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &var);
  if (code != TFC_OK) return code;
  if (var->rank != 0) {
    code =
        tfc_error(ctx, TFC_INVALID_ARGUMENT, "input is not a scalar: %s", tfc_shape_text(var).text);
  } else if (tfc_index_at(var, 0) >= limit) {
    code = tfc_error(ctx, TFC_OUT_OF_RANGE, "Reached limit of %lld", (long long)limit);
  } else if (var->dtype == TFC_INT64) {
    *(int64_t*)ctx->outputs[0].data = (*(int64_t*)var->data)++;
  } else {
    *(int32_t*)ctx->outputs[0].data = (*(int32_t*)var->data)++;
  }
  tfc_ref_unlock(ctx);
  return code;
}

#endif

static const tfc_kernel_def kernels[] = {
    TFC_ROW("VariableV2", TFC_BUT_INT32("dtype"), variable_compute, .create = variable_create),
    TFC_ROW("Variable", TFC_BUT_INT32("dtype"), variable_compute, .create = variable_create),
    TFC_ROW("_ResourceVariable", TFC_BUT_INT32("dtype"), variable_compute,
            .create = variable_create),
    TFC_ROW("_DestroyVariable", TFC_BUT_INT32("dtype"), destroy_variable, .create = destroy_create),
    TFC_ROW("IsVariableInitialized", TFC_BUT_INT32("dtype"), is_variable_initialized,
            .host_args = "is_initialized"),
    TFC_ROW("RefIdentity", TFC_BUT_INT32("T"), ref_identity),
    TFC_ROW("RefSelect", TFC_BUT_INT32("T"), ref_select, .host_args = "index"),
    TFC_ROW("Assign", TFC_BUT_INT32("T"), assign, .create = assign_create),
#if !TFC_FOR_GPU
    TFC_ROW("AssignAdd", "T=" TFC_TYPES_NUMBERS, assign_add),
    TFC_ROW("AssignSub", "T=" TFC_TYPES_NUMBERS, assign_sub),
    TFC_ROW("CountUpTo", "T=" TFC_TYPES_INDICES, count_up_to, TFC_STATE(count_create)),
#endif
};
TFC_REGISTER_KERNELS(kernels);
