/* The convolution engine for int32 (unsigned, because sums wrap); there is no gradient of the
 * filter. */
#define T uint32_t
#define CONV_NO_FILTER
#include "kernels_c/conv/conv_type.h"
