/* Convolutions as operations: their attributes, checks and layouts (conv_op.c), shared by those of
 * images (conv.c) and of volumes (conv_3d.c). */
#ifndef TFCORE_CONV_OP_H
#define TFCORE_CONV_OP_H

#include "conv_plan.h"

/* The state of each operation, or the beginning of it. */
typedef struct {
  window_attrs window;
} conv_state;

/* Reads and checks the attributes. */
int conv_attrs_read(tfc_construction* c, bool deep, window_attrs* a);
/* A copy of `size` bytes as the operation's state. */
int conv_keep_state(tfc_construction* c, const void* s, size_t size, void** state);
void conv_destroy(void* state);

int conv_check_rank(tfc_context* ctx, const tfc_tensor* t, const char* what);

/* The output is in *work, for conv_store; NULL if it is empty. */
int conv_compute(tfc_context* ctx, const conv_epilogue* epilogue, conv_sizes* s, void** work);
int conv_store(tfc_context* ctx, const conv_sizes* s, void* work);

int conv_kernel(tfc_context* ctx);
int conv_backprop_input_kernel(tfc_context* ctx);
int conv_backprop_filter_kernel(tfc_context* ctx);

#endif /* TFCORE_CONV_OP_H */
