/* The convolution engine for float. */
#define CONV_T float
#define CONV_MASK_T int32_t
#define CONV_NAME(x) x##_float
#define CONV_SHORT

// clang-format off: each part builds on the ones before
#include "kernels_c/conv/vector.h"
#include "kernels_c/conv/tile.h"
#include "kernels_c/conv/forward.h"
#include "kernels_c/conv/filter.h"
#include "kernels_c/conv/winograd.h"
#include "kernels_c/conv/winograd_filter.h"
// clang-format on
