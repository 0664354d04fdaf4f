/* The convolution engine for double. */
#define T double
#include "kernels_c/conv/conv_type.h"
