/* ParseSequenceExample, ParseSequenceExampleV2, ParseSingleSequenceExample. */
#include "kernels_c/common/kernel_table.h"
#include "kernels_c/parsing/section.h"

TFC_ONE_LEVEL;

typedef struct sequence_state {
  section context, lists;
  int n_may_lack; /* keys of lists in an attribute */
  tfc_string* may_lack;
} sequence_state;

static void destroy(void* state) {
  sequence_state* s = state;
  if (!s) return;
  section_destroy(&s->context);
  section_destroy(&s->lists);
  for (int i = 0; s->may_lack && i < s->n_may_lack; i++) free(s->may_lack[i].data);
  free(s->may_lack);
  free(s);
}

static int create_sections(tfc_construction* c, sequence_state* s, const section_attrs* context,
                           const section_attrs* lists) {
  s->lists.lists = true;
  TFC_TRY(section_create(c, &s->context, context));
  s->lists.output = section_outputs(&s->context);
  return section_create(c, &s->lists, lists);
}

static int read_may_lack(tfc_construction* c, sequence_state* s) {
  const char* name = "feature_list_dense_missing_assumed_empty";
  const char* data;
  size_t size;
  int n = 0;
  TFC_TRY(c->api->attr_strings(c, name, -1, &data, &size, &n));
  s->may_lack = tfc_new_state(c, ((size_t)n + 1) * sizeof *s->may_lack);
  if (!s->may_lack) return TFC_RESOURCE_EXHAUSTED;
  for (s->n_may_lack = 0; s->n_may_lack < n; s->n_may_lack++) {
    tfc_string* key = &s->may_lack[s->n_may_lack];
    TFC_TRY(c->api->attr_strings(c, name, s->n_may_lack, &data, &key->size, &n));
    key->data = malloc(key->size + 1);
    if (!key->data) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory");
    if (key->size) memcpy(key->data, data, key->size);
  }
  return TFC_OK;
}

/* The attributes that all three ops have. */
#define CONTEXT                                                            \
  .sparse_types = "context_sparse_types", .dense_types = "Tcontext_dense", \
  .dense_shapes = "context_dense_shapes", .sparse_count = "Ncontext_sparse"
#define LISTS                                                                             \
  .sparse_types = "feature_list_sparse_types", .dense_types = "feature_list_dense_types", \
  .dense_shapes = "feature_list_dense_shapes", .sparse_count = "Nfeature_list_sparse",    \
  .dense_count = "Nfeature_list_dense"

static int start(tfc_construction* c, sequence_state** s) {
  *s = tfc_new_state(c, sizeof **s);
  return *s ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}
static int finish(int code, sequence_state* s, void** state) {
  if (code)
    destroy(s);
  else
    *state = s;
  return code;
}

static int create_batch(tfc_construction* c, void** state) {
  sequence_state* s;
  TFC_TRY(start(c, &s));
  s->lists.lengths = true;
  int code = create_sections(
      c, s,
      &(section_attrs){CONTEXT, .dense_count = "Ncontext_dense",
                       .sparse_keys = "context_sparse_keys", .dense_keys = "context_dense_keys"},
      &(section_attrs){LISTS, .sparse_keys = "feature_list_sparse_keys",
                       .dense_keys = "feature_list_dense_keys"});
  if (!code) code = read_may_lack(c, s);
  return finish(code, s, state);
}

static int create_v2(tfc_construction* c, void** state) {
  sequence_state* s;
  TFC_TRY(start(c, &s));
  s->lists.lengths = true;
  const int code =
      create_sections(c, s,
                      &(section_attrs){CONTEXT, .ragged_types = "context_ragged_value_types",
                                       .split_types = "context_ragged_split_types"},
                      &(section_attrs){LISTS, .ragged_types = "feature_list_ragged_value_types",
                                       .split_types = "feature_list_ragged_split_types"});
  return finish(code, s, state);
}

static int create_single(tfc_construction* c, void** state) {
  sequence_state* s;
  TFC_TRY(start(c, &s));
  const int code = create_sections(c, s, &(section_attrs){CONTEXT, .dense_count = "Ncontext_dense"},
                                   &(section_attrs){LISTS});
  return finish(code, s, state);
}

/* ---- A run */

static int make_job(tfc_context* ctx, const tfc_tensor* names, job* j) {
  const tfc_tensor* serialized = ctx->inputs[0];
  if (serialized->rank > 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected serialized to be a scalar or vector, got shape: %s",
                     tfc_shape_text(serialized).text);
  if (names->n && names->n != serialized->n)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "example_names must be empty or have the correct number of elements");
  *j = (job){.ctx = ctx,
             .serialized = serialized->data,
             .names = names->n ? names->data : NULL,
             .n = serialized->n,
             .single = serialized->rank == 0,
             .n_parts = 2};
  return TFC_OK;
}

/* Which dense lists an example may lack: those among n keys. */
static int set_may_lack(job* j, int64_t n, const tfc_string* keys) {
  part* p = &j->parts[1];
  bool* may = tfc_scratch(j->ctx, (size_t)p->s->n_dense + 1);
  if (!may) return TFC_RESOURCE_EXHAUSTED;
  for (int d = 0; d < p->s->n_dense; d++) {
    const tfc_string* key = p->keys[p->s->n_sparse + d];
    may[d] = false;
    for (int64_t i = 0; i < n; i++)
      may[d] |= key_is(&keys[i], (const uint8_t*)key->data, key->size);
  }
  p->may_lack = may;
  return TFC_OK;
}

static int parse_batch(tfc_context* ctx) {
  const sequence_state* s = ctx->state;
  job j;
  TFC_TRY(make_job(ctx, ctx->inputs[1], &j));
  TFC_TRY(part_of_attrs(&j, &s->context, &j.parts[0]));
  TFC_TRY(part_of_attrs(&j, &s->lists, &j.parts[1]));
  TFC_TRY(set_may_lack(&j, s->n_may_lack, s->may_lack));
  j.parts[0].defaults = ctx->inputs + 2;
  return job_run(&j);
}

static int parse_v2(tfc_context* ctx) {
  const sequence_state* s = ctx->state;
  const tfc_tensor* may_lack = ctx->inputs[8];
  job j;
  TFC_TRY(make_job(ctx, ctx->inputs[1], &j));
  TFC_TRY(part_of_vectors(&j, &s->context, 2, true, &j.parts[0]));
  TFC_TRY(part_of_vectors(&j, &s->lists, 5, true, &j.parts[1]));
  if (may_lack->n != s->lists.n_dense)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Expected len(feature_list_dense_missing_assumed_empty) to match "
                     "Nfeature_list_dense: %lld vs. %d",
                     (long long)may_lack->n, s->lists.n_dense);
  j.parts[1].may_lack = may_lack->data;
  j.parts[0].defaults = ctx->inputs + 9;
  return job_run(&j);
}

static int parse_single(tfc_context* ctx) {
  const sequence_state* s = ctx->state;
  const section *context = &s->context, *lists = &s->lists;
  const int lists_keys = 2 + context->n_sparse + context->n_dense;
  const int defaults = lists_keys + lists->n_sparse + lists->n_dense;
  job j;
  TFC_TRY(tfc_want_scalar(ctx, 0, "Expected serialized to be a scalar, got shape:"));
  TFC_TRY(make_job(ctx, ctx->inputs[defaults + context->n_dense], &j));
  TFC_TRY(part_of_scalars(&j, context, 2, 2 + context->n_sparse, &j.parts[0]));
  TFC_TRY(part_of_scalars(&j, lists, lists_keys, lists_keys + lists->n_sparse, &j.parts[1]));
  TFC_TRY(set_may_lack(&j, ctx->inputs[1]->n, ctx->inputs[1]->data));
  j.parts[0].defaults = ctx->inputs + defaults;
  return job_run(&j);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("ParseSequenceExample", "", parse_batch, .create = create_batch, .destroy = destroy),
    TFC_ROW("ParseSequenceExampleV2", "", parse_v2, .create = create_v2, .destroy = destroy),
    TFC_ROW("ParseSingleSequenceExample", "", parse_single, .create = create_single,
            .destroy = destroy),
};
TFC_REGISTER_KERNELS(kernels);
