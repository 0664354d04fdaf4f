/* The products of gemm.h for double. */
#define T double
#include "kernels_c/linalg/gemm_type.h"
