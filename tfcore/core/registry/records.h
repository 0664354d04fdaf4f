/* Reading and writing records outside of kernels, which is done by the files of kernels_c that the
 * kernels use. */
#ifndef TFCORE_REGISTRY_RECORDS_H
#define TFCORE_REGISTRY_RECORDS_H

#include "kernels_c/io/records.h"

#endif /* TFCORE_REGISTRY_RECORDS_H */
