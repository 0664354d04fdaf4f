/* The lock of a folder, while a saver puts its files in place there.
 *
 * The lock belongs to the open file (flock), which a forked child has, too: if it lives on after
 * its parent was killed, the lock stays. So a child closes what its parent has locked. One that
 * begins another program, in whatever way, inherits nothing of it (O_CLOEXEC). */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "kernels_c/checkpoint/format/file.h"
#include "kernels_c/common/remote_files.h"

TFC_ONE_LEVEL;

static const double REPORT_S = 30; /* or TFCORE_WAIT_REPORT; 0: never */

/* A folder that a saver has open: it has the lock, or waits for it. */
typedef struct opened {
  int fd;
  struct opened* next;
} opened;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
/* Under the mutex, which a fork takes: no child has a folder open that is not in this list yet. */
static opened* all;

static void lock_for_fork(void) {
  pthread_mutex_lock(&mutex);
}

static void unlock_in_parent(void) {
  pthread_mutex_unlock(&mutex);
}

static void close_in_child(void) {
  for (const opened* o = all; o; o = o->next) close(o->fd);
  all = NULL;
  pthread_mutex_unlock(&mutex);
}

__attribute__((constructor)) static void guard_forks(void) {
  pthread_atfork(lock_for_fork, unlock_in_parent, close_in_child);
}

static int open_folder(const char* folder, int* fd, ckpt_status* status) {
  opened* o = malloc(sizeof *o);
  if (!o) return ckpt_out_of_memory(status);
  pthread_mutex_lock(&mutex);
  const int code = ckpt_open_folder(folder, fd, status);
  if (*fd >= 0) {
    *o = (opened){*fd, all};
    all = o;
    o = NULL;
  }
  pthread_mutex_unlock(&mutex);
  free(o);
  return code;
}

static void close_folder(int fd) {
  pthread_mutex_lock(&mutex);
  opened** link = &all;
  while (*link && (*link)->fd != fd) link = &(*link)->next;
  opened* o = *link;
  if (o) {
    *link = o->next;
    close(fd);
  }
  pthread_mutex_unlock(&mutex);
  free(o);
}

/* ---- Long waits */

static double seconds_since(const struct timespec* begin) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - begin->tv_sec) + (double)(now.tv_nsec - begin->tv_nsec) * 1e-9;
}

static double report_after(void) {
  const char* text = getenv("TFCORE_WAIT_REPORT");
  char* end;
  const double seconds = text ? strtod(text, &end) : REPORT_S;
  return text && (end == text || *end || !(seconds >= 0)) ? REPORT_S : seconds;
}

/* The process that has locked the folder, from /proc/locks; 0: it is not there. */
static int find_holder(int fd) {
  struct stat folder;
  FILE* locks = fopen("/proc/locks", "re");
  char line[200];
  int found = 0;
  const bool known = !fstat(fd, &folder);
  while (locks && known && !found && fgets(line, sizeof line, locks)) {
    int pid;
    unsigned major_number, minor_number;
    uint64_t inode;
    if (sscanf(line, "%*d: FLOCK ADVISORY WRITE %d %x:%x:%" SCNu64, &pid, &major_number,
               &minor_number, &inode) == 4 &&
        pid > 0 && inode == folder.st_ino && major_number == major(folder.st_dev) &&
        minor_number == minor(folder.st_dev))
      found = pid;
  }
  if (locks) fclose(locks);
  return found;
}

static void describe_holder(int pid, char* text, size_t size) {
  char path[40], name[64] = "";
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  FILE* file = pid ? fopen(path, "re") : NULL;
  if (file && fgets(name, sizeof name, file)) name[strcspn(name, "\n")] = 0;
  if (file) fclose(file);
  if (!pid) {
    snprintf(text, size, "another process has the lock of the folder");
  } else if (file) {
    snprintf(text, size, "process %d (%s) has the lock of the folder", pid, name);
  } else {
    snprintf(text, size, "a child of process %d, which has ended, has the lock of the folder", pid);
  }
}

static void report(int fd, const char* folder, double seconds) {
  char holder[200];
  describe_holder(find_holder(fd), holder, sizeof holder);
  fprintf(stderr, "tfcore: a save has waited for %g s to put its files into %s: %s\n", seconds,
          folder, holder);
  fflush(stderr);
}

/* ---- Locking */

static int wait_for_lock(int fd, const char* folder, ckpt_status* status) {
  const struct timespec moment = {.tv_nsec = 1000000};
  struct timespec begin;
  double limit = -1; /* not looked up; 0: nothing is reported any more */
  clock_gettime(CLOCK_MONOTONIC, &begin);
  while (flock(fd, LOCK_EX | LOCK_NB)) {
    if (errno == EINTR) continue;
    /* Some file systems have no locks, or those of a server that keeps none. */
    if (errno == EOPNOTSUPP || errno == ENOSYS || errno == ENOLCK) return TFC_OK;
    if (errno != EWOULDBLOCK) return ckpt_fail_system(status, errno, folder);
    TFC_TRY(ckpt_check_cancelled(status)); /* the one that has it may be stopped */
    if (limit < 0) limit = report_after();
    if (limit > 0 && seconds_since(&begin) >= limit) {
      report(fd, folder, limit);
      limit = 0;
    }
    nanosleep(&moment, NULL);
  }
  return TFC_OK;
}

int ckpt_lock_folder(const char* path, int* lock, ckpt_status* status) {
  *lock = -1;
  if (tfc_is_remote(path)) return TFC_OK; /* nothing keeps savers apart there */
  char* folder = ckpt_folder(path);
  if (!folder) return ckpt_out_of_memory(status);
  int code = open_folder(folder, lock, status);
  if (!code && *lock >= 0) code = wait_for_lock(*lock, folder, status);
  free(folder);
  if (code && *lock >= 0) {
    close_folder(*lock);
    *lock = -1;
  }
  return code;
}

void ckpt_unlock_folder(int lock) {
  if (lock < 0) return;
  /* Closing would not be enough while a process that is being started still has a copy. */
  flock(lock, LOCK_UN);
  close_folder(lock);
}
