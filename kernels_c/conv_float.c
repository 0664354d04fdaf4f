/* The convolution engine for float. */
#define CONV_T float
#define CONV_MASK_T int32_t
#define CONV_NAME(x) x##_float
#define CONV_SHORT

// clang-format off: each part builds on the ones before
#include "conv_vector.h"
#include "conv_tile.h"
#include "conv_forward.h"
#include "conv_filter.h"
#include "conv_winograd.h"
#include "conv_winograd_filter.h"
// clang-format on
