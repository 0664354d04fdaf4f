/* The products of gemm.h for float. */
#define T float
#include "kernels_c/linalg/gemm_type.h"
