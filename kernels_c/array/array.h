/* Small helpers of the array, indexing, reduction and segment kernels. */
#ifndef TFCORE_ARRAY_H
#define TFCORE_ARRAY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels_c/common/common.h"

/* An integer scalar input (of any integer type that serves as an index). */
static inline int64_t tfc_int_scalar(const tfc_tensor* t) {
  return tfc_index_at(t, 0);
}

/* The reverse of tfc_index_at: element i of a tensor of int32 or int64. */
static inline void tfc_put_index(tfc_tensor* t, int64_t i, int64_t value) {
  if (t->dtype == TFC_INT64)
    ((int64_t*)t->data)[i] = value;
  else
    ((int32_t*)t->data)[i] = (int32_t)value;
}

/* The error for values that changed between two reads: fed memory is the user's. */
static inline int tfc_changed(tfc_context* ctx, const char* what) {
  return tfc_error(ctx, TFC_ABORTED,
                   "%s changed while the op was reading it: a fed array must not "
                   "be written before the step ends",
                   what);
}

/* Fails, with the text `wanted` and the shape, if an input is not a scalar. */
static inline int tfc_want_scalar(tfc_context* ctx, int input, const char* wanted) {
  const tfc_tensor* t = ctx->inputs[input];
  if (t->rank == 0) return TFC_OK;
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "%s %s", wanted, tfc_shape_text(t).text);
}
/* Like tfc_want_scalar, but also accepts a tensor of one element. */
static inline int tfc_want_number(tfc_context* ctx, int input, const char* wanted) {
  return ctx->inputs[input]->n == 1 ? TFC_OK : tfc_want_scalar(ctx, input, wanted);
}

/* Fails if input 0 is not a matrix, or several. */
static inline int tfc_want_matrices(tfc_context* ctx) {
  const tfc_tensor* x = ctx->inputs[0];
  if (x->rank < 2)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input must be at least 2-dim, received shape: %s",
                     tfc_shape_text(x).text);
  return TFC_OK;
}

static inline int64_t tfc_product(int n, const int64_t* dims) {
  int64_t p = 1;
  for (int i = 0; i < n; i++) p *= dims[i];
  return p;
}

/* Fails if a shape given at run time has too many elements or dimensions. */
static inline int tfc_check_shape(tfc_context* ctx, int rank, const int64_t* dims) {
  if (rank > TFC_MAX_RANK)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Shapes of more than %d dimensions are not supported: %s", TFC_MAX_RANK,
                     tfc_dims_text(rank, dims).text);
  int64_t n = 1;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Dimension %lld must be >= 0",
                       (long long)dims[i]);
    if (__builtin_mul_overflow(n, dims[i] ? dims[i] : 1, &n) || n > INT64_MAX / 16)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Shape %s has too many elements",
                       tfc_dims_text(rank, dims).text);
  }
  return TFC_OK;
}

/* Scratch memory for n items. An absurd n (which may come from a fed value) is an error, not an
 * overflow. NULL after a failure: then return TFC_RESOURCE_EXHAUSTED. */
static inline void* tfc_scratch_items(tfc_context* ctx, int64_t n, size_t size) {
  if (n < 0 || n > ((int64_t)1 << 44)) {
    tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory: %lld items of scratch memory",
              (long long)n);
    return NULL;
  }
  return tfc_scratch(ctx, (size_t)n * size);
}

/* A list of numbers for the time of a call, on the host: a GPU's scratch memory is its own. All
 * zero is an empty list. */
typedef struct tfc_list {
  int64_t* at;
  int64_t few[16];
} tfc_list;
static inline int tfc_list_make(tfc_context* ctx, tfc_list* list, int64_t n) {
  const bool fits = n <= (int64_t)(sizeof list->few / sizeof *list->few);
  list->at = fits ? list->few : n < (int64_t)1 << 44 ? malloc((size_t)n * sizeof *list->at) : NULL;
  if (list->at) return TFC_OK;
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "Out of memory: %lld items of scratch memory",
                   (long long)n);
}
static inline void tfc_list_drop(tfc_list* list) {
  if (list->at != list->few) free(list->at);
}

/* Memory for a state of a few integer attributes, destroyed by free(). */
static inline void* tfc_new_state(tfc_construction* c, size_t bytes) {
  void* p = calloc(1, bytes);
  if (!p) c->api->error(c, TFC_RESOURCE_EXHAUSTED, "Out of memory when creating the kernel");
  return p;
}

#endif /* TFCORE_ARRAY_H */
