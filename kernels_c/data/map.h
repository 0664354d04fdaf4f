/* What all maps share. */
#ifndef TFCORE_MAP_H
#define TFCORE_MAP_H

#include "kernels_c/data/dataset.h"

#pragma GCC visibility push(hidden)
/* Whether the function takes an element of the input and the captured values. */
int tfc_check_function(tfc_context* ctx, const dataset* d, const char* name);
/* A function that fails with OUT_OF_RANGE ends its dataset. */
int tfc_end_if_out_of_range(tfc_context* ctx, int code, bool* end);
/* create() of kernels whose function returns one dataset. */
int tfc_create_flat_map(tfc_construction* c, void** state);
/* Opens the dataset that the function makes of an element of the input, which it leaves alone. */
int tfc_open_result(iterator* it, tfc_context* ctx, const tfc_tensor* element, iterator** made,
                    bool* end);
#pragma GCC visibility pop

#endif
