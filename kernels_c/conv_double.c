/* The convolution engine for double. */
#define CONV_T double
#define CONV_MASK_T int64_t
#define CONV_NAME(x) x##_double

#include "conv_engine.h"
