/* How elements of tensor arrays are added: the state of a kernel that writes is the function, or
 * NULL if there is none for the type. */
#include "kernels_c/state/tensor_array.h"

#include "kernels_cuda/common/launcher.h"
#include "kernels_cuda/cwise/cwise.h"

int tfc_array_writer_create(tfc_construction* c, void** state) {
  const bool splits = !strcmp(c->op_type, "TensorArraySplitV3");
  int32_t dtype = c->input_dtypes[splits ? 1 : 2];
  if (dtype == TFC_BOOL) return TFC_OK;
  if (dtype == TFC_COMPLEX64) dtype = TFC_FLOAT;
  if (dtype == TFC_COMPLEX128) dtype = TFC_DOUBLE;
  return tfc_find_function(c, "cwise/binary", "Add", dtype, (const tfc_function**)state);
}

bool tfc_array_sums(const tfc_context* ctx, int32_t dtype) {
  (void)dtype;
  return ctx->state != NULL;
}

/* Complex numbers are added as pairs of real ones. */
int tfc_array_sum(tfc_context* ctx, tfc_tensor* sum, const tfc_tensor* a, const tfc_tensor* b) {
  const bool is_complex = b->dtype == TFC_COMPLEX64 || b->dtype == TFC_COMPLEX128;
  const int64_t n = is_complex ? 2 * b->n : b->n;
  const cwise_binary_params p = {.x = a->data,
                                 .y = b->data,
                                 .z = sum->data,
                                 .n = n,
                                 .rank = 1,
                                 .dims = {n},
                                 .x_stride = {1},
                                 .y_stride = {1}};
  return TFC_LAUNCH(ctx, ctx->state, cwise_binary, &p);
}
