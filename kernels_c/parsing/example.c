/* ParseExample, ParseExampleV2, ParseSingleExample. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/parsing/section.h"

TFC_ONE_LEVEL;

static void destroy(void* state) {
  if (state) section_destroy(state);
  free(state);
}

static int create(tfc_construction* c, const section_attrs* attrs, void** state) {
  section* s = tfc_new_state(c, sizeof *s);
  if (!s) return TFC_RESOURCE_EXHAUSTED;
  const int code = section_create(c, s, attrs);
  if (code)
    destroy(s);
  else
    *state = s;
  return code;
}

static int create_batch(tfc_construction* c, void** state) {
  return create(c,
                &(section_attrs){.sparse_types = "sparse_types",
                                 .dense_types = "Tdense",
                                 .dense_shapes = "dense_shapes",
                                 .sparse_count = "Nsparse",
                                 .dense_count = "Ndense"},
                state);
}
static int create_v2(tfc_construction* c, void** state) {
  return create(c,
                &(section_attrs){.sparse_types = "sparse_types",
                                 .dense_types = "Tdense",
                                 .dense_shapes = "dense_shapes",
                                 .sparse_count = "num_sparse",
                                 .ragged_types = "ragged_value_types",
                                 .split_types = "ragged_split_types"},
                state);
}
static int create_single(tfc_construction* c, void** state) {
  return create(c,
                &(section_attrs){.sparse_types = "sparse_types",
                                 .dense_types = "Tdense",
                                 .dense_shapes = "dense_shapes",
                                 .sparse_count = "num_sparse",
                                 .sparse_keys = "sparse_keys",
                                 .dense_keys = "dense_keys"},
                state);
}

static job job_of(tfc_context* ctx) {
  const tfc_tensor* serialized = ctx->inputs[0];
  return (job){.ctx = ctx,
               .serialized = serialized->data,
               .n = serialized->n,
               .single = serialized->rank == 0,
               .n_parts = 1};
}

static int set_names(job* j) {
  const tfc_tensor *serialized = j->ctx->inputs[0], *names = j->ctx->inputs[1];
  if (names->n == 0) return TFC_OK;
  j->names = names->data;
  if (tfc_same_shape(names, serialized)) return TFC_OK;
  return tfc_error(j->ctx, TFC_INVALID_ARGUMENT,
                   "Expected names have the same shape as serialized: name.shape=%s, "
                   "serialized.shape=%s",
                   tfc_shape_text(names).text, tfc_shape_text(serialized).text);
}

static int parse_batch(tfc_context* ctx) {
  const section* s = ctx->state;
  job j = job_of(ctx);
  if (ctx->inputs[0]->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Expected serialized to be a vector, got shape: %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  TFC_TRY(set_names(&j));
  TFC_TRY(part_of_scalars(&j, s, 2, 2 + s->n_sparse, &j.parts[0]));
  j.parts[0].defaults = ctx->inputs + 2 + s->n_sparse + s->n_dense;
  return job_run(&j);
}

static int parse_v2(tfc_context* ctx) {
  const section* s = ctx->state;
  job j = job_of(ctx);
  if (ctx->inputs[0]->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected serialized to be a scalar or vector, got shape: %s",
                     tfc_shape_text(ctx->inputs[0]).text);
  TFC_TRY(set_names(&j));
  TFC_TRY(part_of_vectors(&j, s, 2, true, &j.parts[0]));
  j.parts[0].defaults = ctx->inputs + 5;
  return job_run(&j);
}

static int parse_single(tfc_context* ctx) {
  job j = job_of(ctx);
  TFC_TRY(tfc_want_scalar(ctx, 0, "Expected serialized to be a scalar, got shape:"));
  TFC_TRY(part_of_attrs(&j, ctx->state, &j.parts[0]));
  j.parts[0].defaults = ctx->inputs + 1;
  return job_run(&j);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParseExample", "", parse_batch, .create = create_batch, .destroy = destroy),
    TFC_ROW("ParseExampleV2", "", parse_v2, .create = create_v2, .destroy = destroy),
    TFC_ROW("ParseSingleExample", "", parse_single, .create = create_single, .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
