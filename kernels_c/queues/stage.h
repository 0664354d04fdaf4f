/* What staging areas, with and without keys, have in common: the tuples that they hold. */
#ifndef TFCORE_STAGE_H
#define TFCORE_STAGE_H

#include "kernels_c/queues/waiting.h"

static inline int64_t stage_bytes(const tfc_tensor* t) {
  int64_t bytes = t->n * (int64_t)tfc_dtype_size(t->dtype);
  for (int64_t i = 0; i < t->n && t->dtype == TFC_STRING; i++)
    bytes += (int64_t)((const tfc_string*)t->data)[i].size;
  return bytes;
}

static inline int stage_no_memory(tfc_context* ctx) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the tensors of a staging area");
}

static inline int stage_too_large(tfc_context* ctx, int64_t bytes, int64_t limit) {
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED,
                   "Attempted to insert tensors with combined size of '%lld' bytes into Staging "
                   "Area with a memory limit of '%lld'.",
                   (long long)bytes, (long long)limit);
}

/* A held tensor becomes output i, the `place`-th of those that were taken. */
static inline int stage_output(tfc_context* ctx, int i, int place, const tfc_tensor* value) {
  if (value->dtype != ctx->outputs[i].dtype)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "Mismatch stage/unstage: tensor %d is of type %s, not %s", place,
                     tfc_dtype_name(value->dtype), tfc_dtype_name(ctx->outputs[i].dtype));
  return tfc_output_tensor(ctx, i, value);
}

#endif /* TFCORE_STAGE_H */
