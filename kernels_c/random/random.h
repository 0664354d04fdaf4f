/* Shared by the random kernels: the stream of a stateful op, and numbers from streams. */
#ifndef TFCORE_RANDOM_H
#define TFCORE_RANDOM_H

#include <stdlib.h>

#include "kernels_c/random/philox.h"
#include "kernels_c/random/stream.h"

#endif /* TFCORE_RANDOM_H */
