/* The code of a system call's error: that of the class which tfcore/platform/file_system.py raises
 * for the same number, but for EIO, which is lost data where it comes from kernels. */
#ifndef TFCORE_FILE_ERRORS_H
#define TFCORE_FILE_ERRORS_H

#include <errno.h>

#include "kernels_c/common/common.h"

static inline int tfc_code_of_errno(int number) {
  switch (number) {
    case ENOENT:
    case ESRCH:
    case ENODEV:
    case ENXIO: return TFC_NOT_FOUND;
    case EEXIST: return TFC_ALREADY_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS: return TFC_PERMISSION_DENIED;
    case EISDIR:
    case ENOTDIR:
    case ENOTEMPTY:
    case EBUSY:
    case EBADF: return TFC_FAILED_PRECONDITION;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
    case EDOM: return TFC_INVALID_ARGUMENT;
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EMLINK:
    case EFBIG: return TFC_RESOURCE_EXHAUSTED; /* not the end of the input */
    case EOVERFLOW:
    case ESPIPE: return TFC_OUT_OF_RANGE;
    case EXDEV:
    case ENOSYS:
    case ENOTSUP: return TFC_UNIMPLEMENTED;
    case ECONNREFUSED:
    case ECONNRESET:
    case EHOSTUNREACH:
    case ENETUNREACH: return TFC_UNAVAILABLE;
    case ETIMEDOUT: return TFC_DEADLINE_EXCEEDED;
    case EIO: return TFC_DATA_LOSS;
    default: return TFC_UNKNOWN;
  }
}

#endif
