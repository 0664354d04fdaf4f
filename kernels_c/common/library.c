/* Makes the kernels of this folder, compiled for one level, a kernel library. */
#include <tfcore/kernel.h>

TFC_LIBRARY;
