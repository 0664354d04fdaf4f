/* Reading checkpoint files, which is done by the files of kernels_c that the kernels use. */
#ifndef TFCORE_CHECKPOINT_H
#define TFCORE_CHECKPOINT_H

#include "kernels_c/checkpoint/format/bundle.h"

#endif /* TFCORE_CHECKPOINT_H */
