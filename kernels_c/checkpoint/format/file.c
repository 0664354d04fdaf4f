/* Files of checkpoints: errors, and writing aside. */
#define _GNU_SOURCE
#include "kernels_c/checkpoint/format/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels_c/common/crc.h"
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

enum {
  BUFFER = 1 << 20,
  AHEAD = 8 << 20, /* bytes after which the disk begins to write, so that it works meanwhile */
  MOST_AT_ONCE = 1 << 30
};

int ckpt_fail(ckpt_status* status, int code, const char* format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(status->text, sizeof status->text, format, values);
  va_end(values);
  return status->code = code;
}

int ckpt_fail_system(ckpt_status* status, int number, const char* path) {
  char text[128];
  return ckpt_fail(status, tfc_code_of_errno(number), "%s; %s", path,
                   strerror_r(number, text, sizeof text)); /* GNU's, which returns the text */
}

static int fail_remote(ckpt_status* status, const tfc_file_status* remote) {
  return ckpt_fail(status, remote->code, "%s", remote->text);
}

int ckpt_out_of_memory(ckpt_status* status) {
  return ckpt_fail(status, TFC_RESOURCE_EXHAUSTED, "out of memory for a checkpoint");
}

int ckpt_check_cancelled(ckpt_status* status) {
  if (!status->cancelled || !status->cancelled(status->arg)) return TFC_OK;
  return ckpt_fail(status, TFC_CANCELLED, "the step was cancelled");
}

char* ckpt_format(const char* format, ...) {
  va_list values;
  va_start(values, format);
  char* text = NULL;
  if (vasprintf(&text, format, values) < 0) text = NULL;
  va_end(values);
  return text;
}

size_t ckpt_folder_size(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash ? (size_t)(slash - path) + 1 : 0;
}

int ckpt_path(const char* data, size_t size, char** copy, ckpt_status* status) {
  *copy = NULL;
  if (memchr(data ? data : "", 0, size))
    return ckpt_fail(status, TFC_INVALID_ARGUMENT, "a checkpoint's path has a null character: %.*s",
                     (int)TFC_MIN(size, 1000), data);
  char* text = malloc(size + 1);
  if (!text) return ckpt_out_of_memory(status);
  if (size) memcpy(text, data, size);
  text[size] = '\0';
  if (!strncmp(text, "file://", 7)) memmove(text, text + 7, size - 6);
  *copy = text;
  return TFC_OK;
}

/* ---- Writing */

int ckpt_file_create(ckpt_file* f, const char* path, ckpt_status* status) {
  uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) number = (uint64_t)getpid();
  *f = (ckpt_file){.fd = -1,
                   .path = strdup(path),
                   .aside = ckpt_format("%s.tempstate%llu", path, (unsigned long long)number),
                   .buffer = malloc(BUFFER)};
  if (!f->path || !f->aside || !f->buffer) {
    ckpt_file_discard(f);
    return ckpt_out_of_memory(status);
  }
  f->remote = tfc_is_remote(path);
  f->fd = f->remote ? tfc_open_unnamed()
                    : open(f->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (f->fd >= 0) return TFC_OK;
  ckpt_fail_system(status, errno, f->aside);
  ckpt_file_discard(f);
  return status->code;
}

static int write_all(ckpt_file* f, ckpt_status* status) {
  for (const char* at = f->buffer; f->used;) {
    ssize_t n = write(f->fd, at, f->used);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return ckpt_fail_system(status, n ? errno : ENOSPC, f->aside);
    at += n;
    f->used -= (size_t)n;
    f->size += n;
  }
  return TFC_OK;
}

static int flush(ckpt_file* f, ckpt_status* status) {
  TFC_TRY(ckpt_check_cancelled(status));
  TFC_TRY(write_all(f, status));
#ifdef __linux__
  if (f->size - f->started >= AHEAD) {
    sync_file_range(f->fd, f->started, f->size - f->started, SYNC_FILE_RANGE_WRITE);
    f->started = f->size;
  }
#endif
  return TFC_OK;
}

int ckpt_file_append(ckpt_file* f, const void* data, size_t size, uint32_t* crc,
                     ckpt_status* status) {
  const char* at = data;
  while (size) {
    size_t n = TFC_MIN(size, BUFFER - f->used);
    memcpy(f->buffer + f->used, at, n);
    if (crc) *crc = tfc_crc(*crc, f->buffer + f->used, n);
    f->used += n;
    at += n;
    size -= n;
    if (f->used == BUFFER) TFC_TRY(flush(f, status));
  }
  return TFC_OK;
}

int ckpt_file_sync(ckpt_file* f, ckpt_status* status) {
  TFC_TRY(flush(f, status));
  if (f->remote) return TFC_OK;
  /* A sync that failed is not tried again: the system may have dropped what it could not write. */
  return fsync(f->fd) ? ckpt_fail_system(status, errno, f->aside) : TFC_OK;
}

static int upload(ckpt_file* f, ckpt_status* status) {
  tfc_file_status remote;
  const tfc_remote_files* files = tfc_remote(f->path, &remote);
  int code = TFC_OK;
  if (!files || files->upload(f->fd, f->path, status->cancelled, status->arg, &remote))
    code = fail_remote(status, &remote);
  close(f->fd);
  f->fd = -1;
  return code;
}

int ckpt_file_put_in_place(ckpt_file* f, ckpt_status* status) {
  if (f->remote) return upload(f, status);
  int closed = close(f->fd);
  f->fd = -1;
  if (closed || rename(f->aside, f->path)) {
    ckpt_fail_system(status, errno, closed ? f->aside : f->path);
    unlink(f->aside);
    return status->code;
  }
  return TFC_OK;
}

int ckpt_file_commit(ckpt_file* f, ckpt_status* status) {
  TFC_TRY(ckpt_file_sync(f, status));
  return ckpt_file_put_in_place(f, status);
}

void ckpt_file_discard(ckpt_file* f) {
  if (f->fd >= 0) {
    close(f->fd);
    if (!f->remote) unlink(f->aside);
  }
  free(f->path);
  free(f->aside);
  free(f->buffer);
  *f = (ckpt_file){.fd = -1};
}

char* ckpt_folder(const char* path) {
  const size_t size = ckpt_folder_size(path);
  return size ? strndup(path, size) : strdup(".");
}

int ckpt_open_folder(const char* folder, int* fd, ckpt_status* status) {
  *fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return *fd < 0 && errno != EACCES ? ckpt_fail_system(status, errno, folder) : TFC_OK;
}

int ckpt_sync_folder(const char* path, ckpt_status* status) {
  if (tfc_is_remote(path)) return TFC_OK;
  char* folder = ckpt_folder(path);
  if (!folder) return ckpt_out_of_memory(status);
  int fd, code = ckpt_open_folder(folder, &fd, status);
  /* Some file systems sync no folders and say so with EINVAL. */
  if (fd >= 0 && fsync(fd) && errno != EINVAL) code = ckpt_fail_system(status, errno, folder);
  if (fd >= 0) close(fd);
  free(folder);
  return code;
}

/* ---- Files of this machine, and remote ones */

static int copy_remote(const char* path, ckpt_status* status) {
  tfc_file_status remote;
  const int fd = tfc_remote_copy(path, status->cancelled, status->arg, &remote);
  if (fd < 0) fail_remote(status, &remote);
  return fd;
}

int ckpt_open_to_read(const char* path, int64_t* size, ckpt_status* status) {
  struct stat found = {0};
  const bool remote = tfc_is_remote(path);
  const int fd = remote ? copy_remote(path, status) : open(path, O_RDONLY | O_CLOEXEC);
  if (remote && fd < 0) return -1;
  if (fd < 0 || fstat(fd, &found)) {
    ckpt_fail_system(status, errno, path);
  } else if (S_ISDIR(found.st_mode)) {
    ckpt_fail_system(status, EISDIR, path);
  } else {
    *size = found.st_size;
    return fd;
  }
  if (fd >= 0) close(fd);
  return -1;
}

int ckpt_rename(const char* old, const char* new, ckpt_status* status) {
  tfc_file_status remote;
  if (!tfc_is_remote(old) && !tfc_is_remote(new))
    return rename(old, new) ? ckpt_fail_system(status, errno, old) : TFC_OK;
  const tfc_remote_files* files = tfc_remote(tfc_is_remote(old) ? old : new, &remote);
  return files && !files->rename(old, new, &remote) ? TFC_OK : fail_remote(status, &remote);
}

void ckpt_remove_folder(const char* path) {
  tfc_file_status remote;
  const tfc_remote_files* files = tfc_is_remote(path) ? tfc_remote(path, &remote) : NULL;
  if (files)
    files->remove_folder(path, &remote);
  else
    rmdir(path);
}

void ckpt_remove(const char* path) {
  tfc_file_status remote;
  const tfc_remote_files* files = tfc_is_remote(path) ? tfc_remote(path, &remote) : NULL;
  if (files)
    files->remove(path, &remote);
  else
    unlink(path);
}

/* ---- Reading */

bool ckpt_read_at(int fd, void* to, size_t size, int64_t offset) {
  char* at = to;
  while (size) {
    ssize_t n = pread(fd, at, TFC_MIN(size, MOST_AT_ONCE), offset);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0) errno = 0;
    if (n <= 0) return false;
    at += n;
    size -= (size_t)n;
    offset += n;
  }
  return true;
}
