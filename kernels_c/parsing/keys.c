/* The keys that an op asks for: in attributes, vectors or scalars. */
#include "kernels_c/parsing/section.h"

TFC_ONE_LEVEL;

static int start(job* j, const section* s, part* p) {
  *p = (part){.s = s, .keys = tfc_scratch(j->ctx, ((size_t)s->n + 1) * sizeof *p->keys)};
  return p->keys ? TFC_OK : TFC_RESOURCE_EXHAUSTED;
}

int part_of_attrs(job* j, const section* s, part* p) {
  TFC_TRY(start(j, s, p));
  for (int i = 0; i < s->n; i++) p->keys[i] = &s->keys[i];
  return TFC_OK;
}

static int take_vector(job* j, int input, int n, const char* kind, const tfc_string** keys) {
  const tfc_tensor* t = j->ctx->inputs[input];
  if (t->n != n)
    return tfc_error(j->ctx, TFC_INVALID_ARGUMENT, "Expected %d %s keys but got: %lld", n, kind,
                     (long long)t->n);
  for (int i = 0; i < n; i++) keys[i] = (const tfc_string*)t->data + i;
  return TFC_OK;
}

int part_of_vectors(job* j, const section* s, int input, bool ragged, part* p) {
  TFC_TRY(start(j, s, p));
  TFC_TRY(take_vector(j, input, s->n_sparse, "sparse", p->keys));
  TFC_TRY(take_vector(j, input + 1, s->n_dense, "dense", p->keys + s->n_sparse));
  if (!ragged) return TFC_OK;
  return take_vector(j, input + 2, s->n_ragged, "ragged", p->keys + s->n_sparse + s->n_dense);
}

static int take_scalars(job* j, int input, int n, const tfc_string** keys) {
  for (int i = 0; i < n; i++) {
    TFC_TRY(tfc_want_scalar(j->ctx, input + i, "A key must be a scalar, got shape:"));
    keys[i] = j->ctx->inputs[input + i]->data;
  }
  return TFC_OK;
}

int part_of_scalars(job* j, const section* s, int sparse, int dense, part* p) {
  TFC_TRY(start(j, s, p));
  TFC_TRY(take_scalars(j, sparse, s->n_sparse, p->keys));
  return take_scalars(j, dense, s->n_dense, p->keys + s->n_sparse);
}
