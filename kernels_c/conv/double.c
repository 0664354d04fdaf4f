/* The convolution engine for double. */
#define CONV_T double
#define CONV_MASK_T int64_t
#define CONV_NAME(x) x##_double

// clang-format off: each part builds on the ones before
#include "kernels_c/conv/vector.h"
#include "kernels_c/conv/tile.h"
#include "kernels_c/conv/forward.h"
#include "kernels_c/conv/filter.h"
// clang-format on
