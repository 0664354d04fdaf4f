/* Reads and sets the generators of a session's random ops: what a checkpoint saves of them. */
#include <stdlib.h>

#include "kernels_c/common/kernel_table.h"
#include "kernels_c/random/stream.h"

TFC_ONE_LEVEL;

enum { KEY, HIGH, USED, FIELDS };

typedef struct generators {
  int n;
  tfc_generator* of[];
} generators;

static int find_all(tfc_construction* c, generators* g, const int64_t* seeds) {
  for (int i = 0; i < g->n; i++) {
    const char* name;
    size_t size;
    int n;
    TFC_TRY(c->api->attr_strings(c, "names", i, &name, &size, &n));
    TFC_TRY(tfc_random_find(c, name, seeds[2 * i], seeds[2 * i + 1], &g->of[i]));
  }
  return TFC_OK;
}

static int create(tfc_construction* c, void** state) {
  const char* name;
  size_t size;
  int n, n_seeds;
  TFC_TRY(c->api->attr_strings(c, "names", -1, &name, &size, &n));
  TFC_TRY(c->api->attr_ints(c, "seeds", 0, NULL, &n_seeds));
  if (n_seeds != 2 * n)
    return c->api->error(c, TFC_INVALID_ARGUMENT, "%d names need %d seeds, not %d", n, 2 * n,
                         n_seeds);
  generators* g = malloc(sizeof *g + (size_t)n * sizeof *g->of);
  int64_t* seeds = malloc((size_t)n_seeds * sizeof *seeds + 1);
  int code =
      g && seeds ? TFC_OK : c->api->error(c, TFC_RESOURCE_EXHAUSTED, "no memory for generators");
  if (!code) code = c->api->attr_ints(c, "seeds", n_seeds, seeds, &n_seeds);
  if (!code) {
    g->n = n;
    code = find_all(c, g, seeds);
  }
  free(seeds);
  if (code)
    free(g);
  else
    *state = g;
  return code;
}

static int get(tfc_context* ctx) {
  const generators* g = ctx->state;
  const int64_t dims[2] = {g->n, FIELDS};
  TFC_TRY(tfc_output(ctx, 0, 2, dims));
  int64_t* out = ctx->outputs[0].data;
  for (int i = 0; i < g->n; i++, out += FIELDS) {
    out[KEY] = (int64_t)__atomic_load_n(&g->of[i]->key, __ATOMIC_RELAXED);
    out[HIGH] = (int64_t)__atomic_load_n(&g->of[i]->high, __ATOMIC_RELAXED);
    out[USED] = (int64_t)__atomic_load_n(&g->of[i]->used, __ATOMIC_RELAXED);
  }
  return TFC_OK;
}

/* A generator whose number of used blocks is negative stays as it is. */
static int set(tfc_context* ctx) {
  const generators* g = ctx->state;
  const tfc_tensor* in = ctx->inputs[0];
  if (in->rank != 2 || in->dims[0] != g->n || in->dims[1] != FIELDS)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "states must have shape [%d,%d], not %s", g->n,
                     FIELDS, tfc_shape_text(in).text);
  for (int i = 0; i < g->n; i++) {
    const int64_t used = tfc_index_at(in, FIELDS * i + USED);
    if (used < 0) continue;
    const uint64_t key = (uint64_t)tfc_index_at(in, FIELDS * i + KEY);
    const uint64_t high = (uint64_t)tfc_index_at(in, FIELDS * i + HIGH);
    __atomic_store_n(&g->of[i]->key, key, __ATOMIC_RELAXED);
    __atomic_store_n(&g->of[i]->high, high, __ATOMIC_RELAXED);
    __atomic_store_n(&g->of[i]->used, (uint64_t)used, __ATOMIC_RELAXED);
  }
  return TFC_OK;
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_GetRandomState", "", get, TFC_STATE(create)),
    TFC_ROW("_SetRandomState", "", set, TFC_STATE(create)),
};
TFC_REGISTER_KERNELS(kernels);
