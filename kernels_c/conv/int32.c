/* The convolution engine for int32 (unsigned, because sums wrap); there is no gradient of the
 * filter. */
#define CONV_T uint32_t
#define CONV_MASK_T int32_t
#define CONV_NAME(x) x##_int32

// clang-format off: each part builds on the ones before
#include "kernels_c/conv/vector.h"
#include "kernels_c/conv/tile.h"
#include "kernels_c/conv/forward.h"
// clang-format on
