/* Shapes and attributes of Gather, GatherNd, ScatterNd, TensorScatter and OneHot, for all devices.
 */
#ifndef TFCORE_INDEXING_SHAPES_H
#define TFCORE_INDEXING_SHAPES_H

#include "kernels_c/common/index_text.h"

/* The attributes of a gather. */
typedef struct gather_state {
  int64_t batch_dims;
  /* Where `params` is a shard of a table: row i of it is row first + i * stride of the table. 0: it
   * is not one. Only for the text of an error. */
  int64_t first, stride;
} gather_state;

/* y[batch][outer][i][inner] = x[batch][outer][indices[batch][i]][inner] */
typedef struct gather_sizes {
  int64_t batch, outer, limit, inner;
  int64_t count; /* indices of one batch */
} gather_sizes;

/* Indices of `depth` numbers each, whose slices have `inner` elements. */
typedef struct nd_sizes {
  int depth;
  int64_t count, inner;
} nd_sizes;

#pragma GCC visibility push(hidden)

int tfc_gather_create(tfc_construction* c, gather_state* s);
/* Checks everything but the values of indices and makes output 0. */
int tfc_gather_shape(tfc_context* ctx, int64_t axis, const gather_state* state, gather_sizes* s);
/* The text about index i, whose value is v. */
void tfc_gather_text(const tfc_index_shapes* shapes, const gather_state* state, int64_t i,
                     int64_t v, int64_t limit, char* text, size_t size);

/* Reads bad_indices_policy: whether slices of indices that are out of bounds are left out. */
int tfc_nd_create(tfc_construction* c, bool* ignore);
/* Checks a tensor of indices into a tensor of shape `dims`. */
int tfc_nd_shape(tfc_context* ctx, const tfc_tensor* indices, int rank, const int64_t* dims,
                 nd_sizes* s);
/* Makes output 0 of GatherNd. */
int tfc_gather_nd_output(tfc_context* ctx, const nd_sizes* s);
/* Checks that there is one slice for each index. */
int tfc_nd_updates(tfc_context* ctx, const tfc_tensor* indices, const nd_sizes* s,
                   const tfc_tensor* updates, int rank, const int64_t* dims);
/* Reads the shape of ScatterNd's output, and checks it. */
int tfc_scatter_nd_shape(tfc_context* ctx, int* rank, int64_t* dims);

/* Makes output 0 of OneHot: [...][depth][inner]. */
int tfc_one_hot_shape(tfc_context* ctx, int64_t axis, int64_t* depth, int64_t* inner);

#pragma GCC visibility pop

#endif /* TFCORE_INDEXING_SHAPES_H */
