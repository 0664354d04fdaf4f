/* _RngReadAndSkip, _RngSkip: generators whose state is a variable, a counter of 128 bits and a key.
 */
#include "kernels_c/array/array.h"
#include "kernels_c/common/kernel_table.h"

TFC_ONE_LEVEL;

enum { PHILOX = 1, THREEFRY = 2, AUTO = 3, STATE_SIZE = 3, WORDS_PER_SAMPLE = 256 };

static int check_algorithm(tfc_context* ctx, int64_t number) {
  if (number == PHILOX || number == AUTO) return TFC_OK;
  if (number == THREEFRY)
    return tfc_error(ctx, TFC_UNIMPLEMENTED,
                     "Non-XLA devices don't support the ThreeFry algorithm.");
  return tfc_error(ctx, TFC_INVALID_ARGUMENT, "Unsupported algorithm id: %lld", (long long)number);
}

static int check_state(tfc_context* ctx, const tfc_tensor* state) {
  if (state->rank != 1)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "RNG state must have one and only one dimension, not %d", state->rank);
  if (state->n < STATE_SIZE)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "For the Philox algorithm, the size of state must be at least %d; got %lld",
                     STATE_SIZE, (long long)state->n);
  return TFC_OK;
}

/* Takes `delta` samples; *before, if it is not NULL, becomes the state before. */
static int skip(tfc_context* ctx, uint64_t delta, int64_t* before) {
  const int ref = 0;
  tfc_tensor* state;
  TFC_TRY(tfc_ref_lock(ctx, 1, &ref, TFC_REF_WRITE, &state));
  const int code = check_state(ctx, state);
  if (!code) {
    uint64_t* counter = state->data;
    if (before) memcpy(before, counter, STATE_SIZE * sizeof *before);
    const unsigned __int128 moved =
        (((unsigned __int128)counter[1] << 64) | counter[0]) + (uint64_t)(delta * WORDS_PER_SAMPLE);
    counter[0] = (uint64_t)moved;
    counter[1] = (uint64_t)(moved >> 64);
  }
  tfc_ref_unlock(ctx);
  return code;
}

static int want_scalars(tfc_context* ctx) {
  for (int i = 1; i < 3; i++) {
    const tfc_tensor* t = ctx->inputs[i];
    if (t->rank)
      return tfc_error(ctx, TFC_INVALID_ARGUMENT, "input %d (0-based) must have shape [], not %s",
                       i, tfc_shape_text(t).text);
  }
  return check_algorithm(ctx, tfc_index_at(ctx->inputs[1], 0));
}

static int read_and_skip(tfc_context* ctx) {
  const int64_t size = STATE_SIZE;
  TFC_TRY(want_scalars(ctx));
  TFC_TRY(tfc_output(ctx, 0, 1, &size));
  return skip(ctx, *(const uint64_t*)ctx->inputs[2]->data, ctx->outputs[0].data);
}

static int skip_only(tfc_context* ctx) {
  TFC_TRY(want_scalars(ctx));
  return skip(ctx, (uint64_t)tfc_index_at(ctx->inputs[2], 0), NULL);
}

static const tfc_kernel_def kernels[] = {
    TFC_ROW("_RngReadAndSkip", "", read_and_skip),
    TFC_ROW("_RngSkip", "", skip_only),
};
TFC_REGISTER_KERNELS(kernels);
