/* Files behind schemes, for kernels: the table that remote_files.pyx fills in. */
#ifndef TFCORE_REGISTRY_REMOTE_FILES_H
#define TFCORE_REGISTRY_REMOTE_FILES_H

#include "kernels_c/common/remote_files.h"

#endif /* TFCORE_REGISTRY_REMOTE_FILES_H */
