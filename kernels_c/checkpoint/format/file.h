/* What went wrong with checkpoint files; writing a file so that it is complete or absent. */
#ifndef TFCORE_CHECKPOINT_FILE_H
#define TFCORE_CHECKPOINT_FILE_H

#include "kernels_c/common/text.h"

/* Functions of this family that can fail return a code of tfc_code, with the text in the status. */
typedef struct ckpt_status {
  int code;
  bool (*cancelled)(void* arg); /* asked between pieces of about a megabyte; may be NULL */
  void* arg;
  char text[1400];
} ckpt_status;

int ckpt_fail(ckpt_status*, int code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
/* For a call of the system that set errno to `number`. */
int ckpt_fail_system(ckpt_status*, int number, const char* path);
int ckpt_out_of_memory(ckpt_status*);
/* TFC_CANCELLED if the step is to end. */
int ckpt_check_cancelled(ckpt_status*);

/* A file that is written aside, next to its place; a remote one in a temporary file of this
 * machine. */
typedef struct ckpt_file {
  int fd; /* -1: there is none */
  char *path, *aside;
  bool remote;
  char* buffer;
  size_t used;
  int64_t size, started; /* bytes so far; those that the system was told to write to the disk */
} ckpt_file;

int ckpt_file_create(ckpt_file*, const char* path, ckpt_status*);
/* Appends bytes, and extends *crc (may be NULL) by them. They are read once, so that the checksum
 * is right even if they change meanwhile. */
int ckpt_file_append(ckpt_file*, const void* data, size_t size, uint32_t* crc, ckpt_status*);
/* Brings all bytes to the disk. Nothing may be appended afterwards. */
int ckpt_file_sync(ckpt_file*, ckpt_status*);
/* After that: renames the file to its place. The name is on the disk after ckpt_sync_folder. */
int ckpt_file_put_in_place(ckpt_file*, ckpt_status*);
/* Both of them. */
int ckpt_file_commit(ckpt_file*, ckpt_status*);
/* Removes what is not committed. */
void ckpt_file_discard(ckpt_file*);

/* The length of the folder's part of a path, with the slash. */
size_t ckpt_folder_size(const char* path);
/* The folder that has `path`: a new string, NULL without memory. */
char* ckpt_folder(const char* path);
/* *fd: -1 if the folder may not be listed; then it can't be synced or locked, though written to. */
int ckpt_open_folder(const char* folder, int* fd, ckpt_status*);
/* Brings the names in the folder that has `path` to the disk. */
int ckpt_sync_folder(const char* path, ckpt_status*);
/* A new string, NULL without memory. */
char* ckpt_format(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* Refuses paths with null characters; file:// is dropped. *copy is to be freed. */
int ckpt_path(const char* data, size_t size, char** copy, ckpt_status*);

/* ---- Files of this machine, and remote ones (common/remote_files.h) */

/* Opens a file to read it; *size gets its length. -1: the status says why. A remote file is copied.
 */
int ckpt_open_to_read(const char* path, int64_t* size, ckpt_status*);
int ckpt_rename(const char* old, const char* new, ckpt_status*);
/* What can't be removed stays, also a folder with something in it. */
void ckpt_remove(const char* path);
void ckpt_remove_folder(const char* path);

/* Reads exactly `size` bytes at `offset`; false at the end of the file (errno is 0 then) and on
 * errors. */
bool ckpt_read_at(int fd, void* to, size_t size, int64_t offset);

/* ---- checkpoint/format/lock.c */

/* Locks the folder that has `path` against other savers on this machine. Waits for the one that has
 * the lock, or until the step is cancelled. Held only while the files of a checkpoint are put in
 * their places. *lock is for ckpt_unlock_folder. Where a folder can't be listed (then it is -1), or
 * the file system has no locks, savers are not kept apart. */
int ckpt_lock_folder(const char* path, int* lock, ckpt_status*);
void ckpt_unlock_folder(int lock);

#endif /* TFCORE_CHECKPOINT_FILE_H */
