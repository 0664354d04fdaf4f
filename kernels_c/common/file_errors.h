/* Paths, temporary files, and the errors of files, as in tfcore/platform/file_system.py. */
#ifndef TFCORE_FILE_ERRORS_H
#define TFCORE_FILE_ERRORS_H

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernels_c/common/common.h"

/* The "://" behind the scheme at the beginning of a path: a letter, then letters, digits and dots.
 * NULL: it has none, and is a path of this machine, such as "C://file". */
static inline const char* tfc_scheme_end(const char* path) {
  const char* at = path;
  if (!isalpha((unsigned char)*at)) return NULL;
  while (isalnum((unsigned char)*at) || *at == '.') at++;
  return at - path >= 2 && !strncmp(at, "://", 3) ? at : NULL;
}

/* The code of a system call's error: that of the class which Python raises for the same number, but
 * for EIO, which is lost data where it comes from kernels. */
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

/* An open file in the folder for temporary files. It has no name, and so ends with its last
 * descriptor, however the process ends. -1: errno says why there is none. */
static inline int tfc_open_unnamed(void) {
  const char* folder = getenv("TMPDIR");
  if (!folder || !*folder) folder = "/tmp";
#ifdef O_TMPFILE
  const int made = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (made >= 0) return made;
#endif
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s/tfcore-XXXXXX", folder) >= sizeof path) return -1;
  const int file = mkstemp(path);
  if (file < 0) return -1;
  fcntl(file, F_SETFD, FD_CLOEXEC);
  unlink(path);
  return file;
}

#endif
