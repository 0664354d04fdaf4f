/* Loaded before the C library (LD_PRELOAD): records what a process does to the files below a
 * folder, and lets chosen calls fail.
 *
 * RECORDER_ROOT: the folder. RECORDER_LOG: the file of records, which disk.py reads: a line of JSON
 * about each call that changed something; the bytes of writes follow theirs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex =
    PTHREAD_MUTEX_INITIALIZER;        /* of the log, and of the two numbers below */
static long calls_until_failure = -1; /* negative: none fails */
static int failure;
static __thread int inside; /* the recorder's own calls are not recorded */

#define REAL(NAME) ((__typeof__(&NAME))real(#NAME))
static void* real(const char* name) {
  return dlsym(RTLD_NEXT, name);
}

static const char* root(void) {
  const char* path = getenv("RECORDER_ROOT");
  return path && *path ? path : NULL;
}
static int below_root(const char* path) {
  const char* r = root();
  return r && !strncmp(path, r, strlen(r));
}
static int path_of(int fd, char* path, size_t room) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t n = readlink(link, path, room - 1);
  if (n < 0) return 0;
  path[n] = '\0';
  return below_root(path);
}

static void record(const char* line, const void* data, size_t size) {
  static FILE* log;
  if (!log) log = fopen(getenv("RECORDER_LOG"), "ab");
  fputs(line, log);
  fputc('\n', log);
  if (size) fwrite(data, 1, size, log);
  fflush(log);
}

/* Lets the n-th call from now on, and all after it, fail with this number; negative: none. */
__attribute__((visibility("default"))) void recorder_fail(long n, int number) {
  pthread_mutex_lock(&mutex);
  calls_until_failure = n;
  failure = number;
  pthread_mutex_unlock(&mutex);
}
__attribute__((visibility("default"))) void recorder_mark(const char* text) {
  char line[256];
  snprintf(line, sizeof line, "{\"op\": \"mark\", \"text\": \"%s\"}", text);
  pthread_mutex_lock(&mutex);
  inside = 1;
  record(line, NULL, 0);
  inside = 0;
  pthread_mutex_unlock(&mutex);
}

/* Locks. */
static int begin_freeing(void) {
  pthread_mutex_lock(&mutex);
  inside = 1;
  return 0;
}
/* Locks; nonzero: the call is to fail. What frees space never does. */
static int begin(void) {
  pthread_mutex_lock(&mutex);
  inside = 1;
  if (calls_until_failure < 0) return 0;
  if (calls_until_failure > 0) {
    calls_until_failure--;
    return 0;
  }
  return failure;
}
static void end(void) {
  inside = 0;
  pthread_mutex_unlock(&mutex);
}

static int opened(const char* name, int at, const char* path, int flags, mode_t mode) {
  char whole[4096], line[5000];
  int (*call)(int, const char*, int, ...) = real(name);
  int writes = (flags & O_ACCMODE) != O_RDONLY;
  if (inside || !writes || !root()) return call(at, path, flags, mode);
  snprintf(whole, sizeof whole, "%s", path);
  if (!below_root(whole)) return call(at, path, flags, mode);
  int fails = begin(), existed = access(path, F_OK) == 0, fd = -1;
  if (fails)
    errno = fails;
  else
    fd = call(at, path, flags, mode);
  int number = errno;
  if (fd >= 0 && (!existed || flags & O_TRUNC)) {
    struct stat s;
    fstat(fd, &s);
    snprintf(line, sizeof line, "{\"op\": \"%s\", \"path\": \"%s\", \"file\": %lu}",
             existed ? "empty" : "create", path, (unsigned long)s.st_ino);
    record(line, NULL, 0);
  }
  end();
  errno = number;
  return fd;
}

static mode_t mode_of(int flags, va_list values) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(values, mode_t) : 0;
}
int open(const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = mode_of(flags, values);
  va_end(values);
  return opened("openat", AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list values;
  va_start(values, flags);
  mode_t mode = mode_of(flags, values);
  va_end(values);
  return opened("openat", AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

ssize_t write(int fd, const void* data, size_t size) {
  char path[4096], line[256];
  if (inside || !root() || !path_of(fd, path, sizeof path)) return REAL(write)(fd, data, size);
  int fails = begin();
  off_t offset = lseek(fd, 0, SEEK_CUR);
  ssize_t n = -1;
  if (fails)
    errno = fails;
  else
    n = REAL(write)(fd, data, size);
  int number = errno;
  if (n > 0) {
    struct stat s;
    fstat(fd, &s);
    snprintf(line, sizeof line,
             "{\"op\": \"write\", \"file\": %lu, \"offset\": %ld, \"size\": %zd}",
             (unsigned long)s.st_ino, (long)offset, n);
    record(line, data, (size_t)n);
  }
  end();
  errno = number;
  return n;
}

int fsync(int fd) {
  char path[4096], line[5000];
  if (inside || !root() || !path_of(fd, path, sizeof path)) return REAL(fsync)(fd);
  int fails = begin();
  struct stat s;
  fstat(fd, &s);
  if (fails) {
    end();
    errno = fails;
    return -1;
  }
  /* Not the real call: what reaches the disk is up to disk.py. */
  if (S_ISDIR(s.st_mode))
    snprintf(line, sizeof line, "{\"op\": \"sync_folder\", \"path\": \"%s\"}", path);
  else
    snprintf(line, sizeof line, "{\"op\": \"sync\", \"file\": %lu}", (unsigned long)s.st_ino);
  record(line, NULL, 0);
  end();
  return 0;
}

/* A call on one or two paths. */
#define ON_PATHS(NAME, DECLARATION, BEGIN, PATH, CALL, ...)                \
  int NAME DECLARATION {                                                   \
    char line[9000];                                                       \
    if (inside || !below_root(PATH)) return REAL(NAME) CALL;               \
    int fails = BEGIN(), result = -1;                                      \
    if (fails)                                                             \
      errno = fails;                                                       \
    else                                                                   \
      result = REAL(NAME) CALL;                                            \
    int number = errno;                                                    \
    if (result == 0) {                                                     \
      snprintf(line, sizeof line, "{\"op\": \"" #NAME "\", " __VA_ARGS__); \
      record(line, NULL, 0);                                               \
    }                                                                      \
    end();                                                                 \
    errno = number;                                                        \
    return result;                                                         \
  }

ON_PATHS(rename, (const char* from, const char* to), begin, to, (from, to),
         "\"path\": \"%s\", \"to\": \"%s\"}", from, to)
ON_PATHS(unlink, (const char* path), begin_freeing, path, (path), "\"path\": \"%s\"}", path)
ON_PATHS(rmdir, (const char* path), begin_freeing, path, (path), "\"path\": \"%s\"}", path)
ON_PATHS(mkdir, (const char* path, mode_t mode), begin, path, (path, mode), "\"path\": \"%s\"}",
         path)
