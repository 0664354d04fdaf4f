/* The convolution engine for int32 (unsigned, because sums wrap). */
#define CONV_T uint32_t
#define CONV_MASK_T int32_t
#define CONV_NAME(x) x##_int32
#define CONV_NO_FILTER

#include "conv_engine.h"
