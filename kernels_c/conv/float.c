/* The convolution engine for float. */
#define T float
#define CONV_SHORT
#include "kernels_c/conv/conv_type.h"
