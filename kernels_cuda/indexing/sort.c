/* Sorted indices for launches that update rows: blocks sort short runs, and each further launch
 * merges pairs of runs from one array into another. */
#include "kernels_c/array/array.h"
#include "kernels_cuda/indexing/launch.h"

int tfc_find_sorter(tfc_construction* c, index_sorter* s) {
  TFC_TRY(c->api->function(c, "indexing/indexing", "SortIndices", &s->sort));
  return c->api->function(c, "indexing/indexing", "MergeIndices", &s->merge);
}

int tfc_sort_indices(tfc_context* ctx, const index_sorter* s, int skip, nd_index* index) {
  sort_indices_params p = {.index = *index, .skip = skip};
  if (index->n == 0) return TFC_OK;
  sort_indices_plan(&p);
  void* keys = p.to = tfc_scratch_items(ctx, index->n, sizeof(index_key));
  if (!keys) return TFC_RESOURCE_EXHAUSTED;
  TFC_TRY(TFC_LAUNCH(ctx, s->sort, sort_indices, &p));
  void* other = NULL;
  for (int64_t width = p.width; width < index->n; width *= 2) {
    if (!other) other = tfc_scratch_items(ctx, index->n, sizeof(index_key));
    if (!other) return TFC_RESOURCE_EXHAUSTED;
    const merge_indices_params m = {.from = keys, .to = other, .n = index->n, .width = width};
    TFC_TRY(TFC_LAUNCH(ctx, s->merge, merge_indices, &m));
    other = keys;
    keys = m.to;
  }
  index->order = keys;
  return TFC_OK;
}
