/* Arguments that the ops of checkpoints have in common. */
#ifndef TFCORE_CHECKPOINT_OP_H
#define TFCORE_CHECKPOINT_OP_H

#include <stdlib.h>

#include "kernels_c/checkpoint/format/bundle.h"

static inline bool ckpt_op_cancelled(void* ctx) {
  return tfc_cancelled(ctx);
}
static inline ckpt_status ckpt_op_status(tfc_context* ctx) {
  return (ckpt_status){.cancelled = ckpt_op_cancelled, .arg = ctx};
}
/* Reports what went wrong in a function of this family. */
static inline int ckpt_op_error(tfc_context* ctx, const ckpt_status* status) {
  if (status->code == TFC_CANCELLED) return TFC_CANCELLED;
  return tfc_error(ctx, status->code, "%s", status->text);
}

/* Element i of a string input. */
static inline tfc_string ckpt_op_string(const tfc_context* ctx, int input, int64_t i) {
  return ((const tfc_string*)ctx->inputs[input]->data)[i];
}

/* The path in an input that must have one element. `what`: its name in messages. */
int ckpt_op_path(tfc_context*, int input, const char* what, char** path);
/* Checks a value to save against its specification ("" for a whole tensor), and gives the whole
 * tensor's shape and the slice. */
int ckpt_op_part(tfc_context*, const tfc_tensor* value, tfc_string spec, int* rank, int64_t* dims,
                 ckpt_slice* slice);
/* Makes the outputs and reads all of them. slices: the number of the input with the specifications,
 * or -1; restores entry names[i] to output i. */
int ckpt_op_restore(tfc_context*, ckpt_reader*, int names, int slices);

#endif /* TFCORE_CHECKPOINT_OP_H */
