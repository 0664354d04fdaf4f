/* What queues and input pipelines hold, which the kernels count. */
#ifndef TFCORE_REGISTRY_STATISTICS_H
#define TFCORE_REGISTRY_STATISTICS_H

#include "kernels_c/common/statistics.h"

#endif /* TFCORE_REGISTRY_STATISTICS_H */
