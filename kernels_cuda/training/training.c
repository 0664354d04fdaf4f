/* The optimizers. Scalars stay on the device: some are variables. */
#include "kernels_cuda/training/training.h"

#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/training/names.h"
#include "kernels_c/training/ops.h"
#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"
#include "kernels_cuda/indexing/launch.h"

typedef struct optimizer_state {
  training_state of;
  const tfc_function* update;
  const tfc_function* cast; /* of the step's number, for ApplyAdagradDA */
  index_sorter sorter;      /* of sparse updates */
} optimizer_state;

static int find_functions(tfc_construction* c, void* state) {
  optimizer_state* s = state;
  TFC_TRY(tfc_training_read(c, &s->of));
  const int32_t dtype = c->input_dtypes[s->of.grad];
  TFC_TRY(tfc_find_function(c, "training/training", c->op_type, dtype, &s->update));
  if (s->of.sparse) TFC_TRY(tfc_find_sorter(c, &s->sorter));
  if (s->of.kind != ADAGRAD_DA) return TFC_OK;
  return tfc_find_function(c, "cwise/cast", "Cast_int64", dtype, &s->cast);
}

static int optimizer_create(tfc_construction* c, void** state) {
  return tfc_make_state(c, sizeof(optimizer_state), find_functions, state);
}

/* The step's number as a scalar of the variable's type. */
static int cast_step(tfc_context* ctx, const optimizer_state* s, int32_t dtype, const void** step) {
  cwise_cast_params p = {.x = *step, .y = tfc_scratch(ctx, tfc_dtype_size(dtype)), .n = 1};
  if (!p.y) return TFC_RESOURCE_EXHAUSTED;
  *step = p.y;
  return TFC_LAUNCH(ctx, s->cast, cwise_cast, &p);
}

static int explain_index(const void* report, const void* argument, char* text, size_t size) {
  const tfc_report* r = report;
  (void)argument;
  if (!(r->failed & TFC_BAD_INDEX)) return TFC_OK;
  int64_t offset, row;
  tfc_reported_index(r, 0, &offset, &row);
  tfc_training_index_text(text, size, row, offset);
  return TFC_INVALID_ARGUMENT;
}

static int update_rows(tfc_context* ctx, const optimizer_state* s, const training_params* dense,
                       const tfc_tensor* var) {
  const tfc_tensor* indices = ctx->inputs[s->of.grad + 1];
  sparse_training_params p = {.gradient = dense->gradient, .flags = dense->flags};
  memcpy(p.slot, dense->slot, sizeof p.slot);
  memcpy(p.scalar, dense->scalar, sizeof p.scalar);
  p.index = (nd_index){.indices = indices->data,
                       .n = indices->n,
                       .depth = 1,
                       .inner = var->dims[0] ? var->n / var->dims[0] : 1,
                       .dims = {var->dims[0]},
                       .wide = indices->dtype == TFC_INT64,
                       .report = tfc_new_report(ctx, explain_index, NULL, 0)};
  if (!p.index.report) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(tfc_sort_indices(ctx, &s->sorter, SKIP_NONE, &p.index));
  return TFC_LAUNCH(ctx, s->update, sparse_training, &p);
}

static int update_locked(tfc_context* ctx, const optimizer_state* s, training_params* p,
                         tfc_tensor* const* slots) {
  TFC_TRY(tfc_training_check(ctx, &s->of, slots));
  for (int k = 0; k < s->of.slots; k++) p->slot[k] = slots[k]->data;
  if (s->of.sparse) return update_rows(ctx, s, p, slots[0]);
  p->n = slots[0]->n;
  return TFC_LAUNCH(ctx, s->update, training, p);
}

static int optimizer_compute(tfc_context* ctx) {
  static const int refs[MAX_SLOTS] = {0, 1, 2, 3};
  const optimizer_state* s = ctx->state;
  const tfc_tensor *grad = ctx->inputs[s->of.grad], *scalars[MAX_SCALARS];
  const int n = tfc_training_scalars(ctx, &s->of, scalars);
  if (n < 0) return -n;
  training_params p = {.gradient = grad->data, .flags = (int32_t)s->of.flags};
  for (int i = 0; i < n; i++) p.scalar[i] = scalars[i]->data;
  if (s->cast) TFC_TRY(cast_step(ctx, s, grad->dtype, &p.scalar[n - 1]));
  tfc_tensor* slots[MAX_SLOTS];
  TFC_TRY(tfc_ref_lock(ctx, s->of.slots, refs, TFC_REF_WRITE, slots));
  const int code = update_locked(ctx, s, &p, slots);
  tfc_ref_unlock(ctx);
  return code == TFC_OK ? tfc_output_ref(ctx, 0, 0) : code;
}

_Static_assert((int)USE_NESTEROV == (int)TRAINING_NESTEROV, "");
_Static_assert((int)UPDATE_SLOTS == (int)TRAINING_UPDATE_SLOTS, "");
_Static_assert((int)MULTIPLY_BY_LR == (int)TRAINING_MULTIPLY_BY_LR, "");

#define DENSE(OP) \
  TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS, optimizer_compute, TFC_STATE(optimizer_create)),
#define SPARSE(OP, DENSE_OP)                                                            \
  TFC_ROW(#OP, "T=" TFC_TYPES_FLOATS ";Tindices=" TFC_TYPES_INDICES, optimizer_compute, \
          TFC_STATE(optimizer_create)),

static const tfc_kernel_def kernels[] = {TFC_OPTIMIZERS(DENSE, SPARSE)};
TFC_REGISTER_KERNELS(kernels);
