/* Where the functions for files behind schemes come from. See remote_files.h. */
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

static tfc_remote_hook hook;

tfc_remote_hook* tfc_remote_hook_address(void) {
  return &hook;
}

const tfc_remote_files* tfc_remote(const char* path, tfc_file_status* status) {
  if (hook.load) return hook.load(status);
  snprintf(status->text, sizeof status->text,
           "File system scheme '%.*s' not implemented (file: '%.1000s'): the library of kernels "
           "was loaded without Python",
           (int)TFC_MIN(tfc_scheme_end(path) - path, 100), path, path);
  status->code = TFC_UNIMPLEMENTED;
  return NULL;
}

static void fail_system(tfc_file_status* status, const char* path) {
  status->code = tfc_code_of_errno(errno);
  snprintf(status->text, sizeof status->text, "%.1000s; %s", path, strerror(errno));
}

int tfc_remote_copy(const char* path, bool (*cancelled)(void*), void* arg,
                    tfc_file_status* status) {
  const tfc_remote_files* files = tfc_remote(path, status);
  if (!files) return -1;
  const int fd = tfc_open_unnamed();
  if (fd < 0) {
    fail_system(status, path);
    return -1;
  }
  if (!files->download(path, fd, cancelled, arg, status)) return fd;
  close(fd);
  return -1;
}

FILE* tfc_open_stream(const char* path, tfc_file_status* status) {
  if (!strncmp(path, "file://", 7)) path += 7;
  const bool remote = tfc_is_remote(path);
  const int fd =
      remote ? tfc_remote_copy(path, NULL, NULL, status) : open(path, O_RDONLY | O_CLOEXEC);
  if (remote && fd < 0) return NULL;
  FILE* file = fd < 0 ? NULL : fdopen(fd, "r");
  if (file) return file;
  fail_system(status, path);
  if (fd >= 0) close(fd);
  return NULL;
}
