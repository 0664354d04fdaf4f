/* The convolution engine for double. */
#define CONV_T double
#define CONV_MASK_T int64_t
#define CONV_NAME(x) x##_double

// clang-format off: each part builds on the ones before
#include "conv_vector.h"
#include "conv_tile.h"
#include "conv_forward.h"
#include "conv_filter.h"
// clang-format on
