/* Files behind schemes such as s3://: the core reads and writes them with Python's package fsspec
 * (tfcore/core/registry/remote_files.pyx). All functions but `close` take the GIL: do not call them
 * while you hold a lock for which a thread with the GIL may wait. */
#ifndef TFCORE_REMOTE_FILES_H
#define TFCORE_REMOTE_FILES_H

#include "kernels_c/common/file_errors.h"

typedef struct tfc_file_status {
  int code; /* of tfc_code */
  char text[1400];
} tfc_file_status;

/* Those that can fail return the code. */
typedef struct tfc_remote_files {
  int (*open)(const char* path, void** file, tfc_file_status*); /* to read */
  /* What the file has next, at most `size` bytes; *got 0 at its end. */
  int (*read)(void* file, void* to, size_t size, size_t* got, tfc_file_status*);
  int (*seek)(void* file, int64_t offset, tfc_file_status*);
  void (*close)(void* file);
  int (*size)(const char* path, int64_t* size, tfc_file_status*);
  int (*write)(const char* path, const char* data, size_t size, tfc_file_status*);
  /* From and to open files of this machine; `cancelled` is asked between pieces, and may be NULL.
   */
  int (*download)(const char* path, int fd, bool (*cancelled)(void*), void* arg, tfc_file_status*);
  int (*upload)(int fd, const char* path, bool (*cancelled)(void*), void* arg, tfc_file_status*);
  int (*rename)(const char* old, const char* new, tfc_file_status*);
  int (*remove)(const char* path, tfc_file_status*);
  int (*remove_folder)(const char* path, tfc_file_status*); /* if it is empty */
  int (*match)(const char* pattern, void (*add)(void* arg, const char* path), void* arg,
               tfc_file_status*);
} tfc_remote_files;

static inline bool tfc_is_remote(const char* path) {
  return tfc_scheme_end(path) && strncmp(path, "file://", 7);
}

/* The functions, for a path that is remote. NULL: there is no Python; the status says so. */
const tfc_remote_files* tfc_remote(const char* path, tfc_file_status*);
/* All bytes of a remote file: an open file of this machine without a name. -1: the status says why.
 */
int tfc_remote_copy(const char* path, bool (*cancelled)(void*), void* arg, tfc_file_status*);

/* Opens a file of this machine, or a copy of a remote one, to read it from its beginning to its
 * end. NULL: the status says why. */
FILE* tfc_open_stream(const char* path, tfc_file_status*);

/* What the core fills in when it loads the library: `load` finds the functions on first use. */
typedef struct tfc_remote_hook {
  const tfc_remote_files* (*load)(tfc_file_status*);
} tfc_remote_hook;

TFC_EXPORT tfc_remote_hook* tfc_remote_hook_address(void);

#endif /* TFCORE_REMOTE_FILES_H */
