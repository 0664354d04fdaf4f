/* Runs a kernel of a user's library and checks its result: the code, and that every output was
 * made. Only such nodes have it as their `compute`, so tfcore's own kernels pay nothing for it. */
#include "registry/context.h"

enum { NOT_MADE = -1 }; /* as the rank of an output */

int tfc_check_result(tfc_context* ctx, int code) {
  int missing = -1;
  for (int i = ctx->n_outputs - 1; i >= 0; i--) {
    if (ctx->outputs[i].rank != NOT_MADE) continue;
    ctx->outputs[i].rank = 0;
    missing = i;
  }
  if (code == TFC_PENDING)
    return tfc_context_error(ctx, TFC_INTERNAL,
                             "the kernel returned TFC_PENDING, but is not suspended");
  if (code < TFC_OK || code > TFC_DATA_LOSS)
    return tfc_context_error(ctx, TFC_INTERNAL, "the kernel returned %d, which is not a tfc_code",
                             code);
  if (!code && missing >= 0)
    return tfc_context_error(ctx, TFC_INTERNAL,
                             "the kernel returned TFC_OK without making output %d of %d", missing,
                             (int)ctx->n_outputs);
  return code;
}

int tfc_checked_compute(tfc_context* ctx) {
  tfc_node_context* node = tfc_node_of(ctx);
  for (int i = 0; i < ctx->n_outputs; i++) ctx->outputs[i].rank = NOT_MADE;
  node->suspended = false;
  int code = node->plan->nodes[node->node].checked(ctx);
  if (code == TFC_PENDING && node->suspended) return code; /* it may even have resumed by now */
  return tfc_check_result(ctx, code);
}
