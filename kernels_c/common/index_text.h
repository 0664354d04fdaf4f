/* Texts about wrong indices, for kernels that find them and for GPUs, which report them later. */
#ifndef TFCORE_INDEX_TEXT_H
#define TFCORE_INDEX_TEXT_H

#include "kernels_c/common/common.h"

/* What such a text says besides the index: plain bytes. */
typedef struct tfc_index_shapes {
  int32_t lead;   /* dimensions of the tensor of indices, without that of an index's numbers */
  int32_t depth;  /* numbers of an index */
  int32_t rank;   /* of the indexed tensor */
  int32_t params; /* whether it is called the params */
  int64_t lead_dims[TFC_MAX_RANK], dims[TFC_MAX_RANK];
} tfc_index_shapes;

/* depth -1: single numbers, without a dimension of their own. */
static inline tfc_index_shapes tfc_shapes_of_indices(const tfc_tensor* indices, int depth, int rank,
                                                     const int64_t* dims) {
  tfc_index_shapes s = {.depth = depth, .rank = rank};
  s.lead = depth < 0 ? indices->rank : indices->rank - 1;
  memcpy(s.lead_dims, indices->dims, sizeof s.lead_dims);
  if (rank) memcpy(s.dims, dims, (size_t)rank * sizeof *dims);
  return s;
}

/* "[1,2]", the place of index i in its tensor; "" if there is only one. */
static inline tfc_text tfc_place_text(const tfc_index_shapes* s, int64_t i) {
  int64_t at[TFC_MAX_RANK] = {0};
  for (int d = s->lead - 1; d >= 0; d--) {
    const int64_t size = s->lead_dims[d] ? s->lead_dims[d] : 1;
    at[d] = i % size;
    i /= size;
  }
  return s->lead ? tfc_dims_text(s->lead, at) : (tfc_text){""};
}

/* Index i is one number, v; `note` follows. */
static inline void tfc_row_text(const tfc_index_shapes* s, int64_t i, int64_t v, int64_t limit,
                                const char* note, char* text, size_t size) {
  snprintf(text, size, "indices%s = %lld is not in [0, %lld)%s", tfc_place_text(s, i).text,
           (long long)v, (long long)limit, note);
}

/* Index i has several numbers, v. */
static inline void tfc_nd_text(const tfc_index_shapes* s, int64_t i, const int64_t* v, char* text,
                               size_t size) {
  char value[TFC_MAX_RANK * 22 + 1] = "";
  size_t used = 0;
  for (int d = 0; d < s->depth && used < sizeof value - 24; d++)
    used +=
        (size_t)snprintf(value + used, sizeof value - used, d ? ", %lld" : "%lld", (long long)v[d]);
  snprintf(text, size, "indices%s = [%s] does not index into %sshape %s", tfc_place_text(s, i).text,
           value, s->params ? "param " : "", tfc_dims_text(s->rank, s->dims).text);
}

#endif /* TFCORE_INDEX_TEXT_H */
