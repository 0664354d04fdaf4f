/* The convolution engine for float. */
#define CONV_T float
#define CONV_MASK_T int32_t
#define CONV_NAME(x) x##_float
#define CONV_SHORT

#include "conv_engine.h"
