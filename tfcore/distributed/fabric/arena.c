/* One sparse in-memory file, mapped once with room for all that the process will ever need. The
 * allocator treats it as a heap; memory that it purges becomes a hole in the file.
 *
 * A forked child must not share memory with its parent: each would overwrite the other's data. The
 * child replaces the mapping by a private copy; the parent waits until that is done, so that the
 * copy shows the moment of the fork.
 */
#define _GNU_SOURCE
#include "fabric/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/addresses.h"

enum { PAGE = 4096 };
enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL };
static const size_t SMALLEST_ARENA = (size_t)64 << 20, ADDRESSES = (size_t)32 << 40;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char* base; /* never changes once it is set */
static size_t size;
static int fd = -1;
static bool is_private; /* in a forked child */
static int copied[2];   /* a pipe: the child closes it when it has its copy */

int tfc_make_memory(const char* name, size_t bytes) {
  int made = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made >= 0 && (ftruncate(made, (off_t)bytes) || fcntl(made, F_ADD_SEALS, SEALS))) {
    int why = errno;
    close(made);
    errno = why;
    return -1;
  }
  return made;
}

void* tfc_map_fd(int from, size_t bytes, bool writable) {
  int access = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  void* p = mmap(NULL, bytes, access, MAP_SHARED | MAP_NORESERVE, from, 0);
  return p == MAP_FAILED ? NULL : p;
}

const char* tfc_check_peer_memory(int from, size_t bytes) {
  static __thread __attribute__((tls_model("initial-exec"))) char why[120];
  struct stat status;
  int seals = fcntl(from, F_GET_SEALS);
  if (seals < 0 || (seals & SEALS) != SEALS) return "its memory can be truncated: it is not sealed";
  if (fstat(from, &status) || (uint64_t)status.st_size < bytes) {
    snprintf(why, sizeof why, "its memory has less than the %zu bytes that it announced", bytes);
    return why;
  }
  return NULL;
}

/* Twice the memory of the machine, so that fragmentation doesn't exhaust the addresses, as far as
 * the mappings of all parties fit into the address space. Where addresses are limited, these and
 * the copy that a forked child makes take a quarter of them. */
static size_t wanted_size(int parties) {
  size_t mapped = parties > 0 ? (size_t)parties : 1;
  size_t wanted = 2 * (size_t)sysconf(_SC_PHYS_PAGES) * PAGE;
  size_t bounds[] = {ADDRESSES / mapped, tfc_address_limit() / (4 * (mapped + 1))};
  for (int i = 0; i < 2; i++)
    if (wanted > bounds[i]) wanted = bounds[i];
  if (wanted < SMALLEST_ARENA) wanted = SMALLEST_ARENA;
  return wanted / SMALLEST_ARENA * SMALLEST_ARENA;
}

static void lock_for_fork(void) {
  pthread_mutex_lock(&lock);
  copied[0] = copied[1] = -1;
  if (base && !is_private && pipe2(copied, O_CLOEXEC)) copied[0] = copied[1] = -1;
}

static void wait_for_child(void) {
  char c;
  if (copied[1] >= 0) close(copied[1]);
  if (copied[0] >= 0) {
    while (read(copied[0], &c, 1) < 0 && errno == EINTR) {
    }
    close(copied[0]);
  }
  pthread_mutex_unlock(&lock);
}

/* Only async-signal-safe calls: this is the child of a process with threads. */
static void make_private(void) {
  char* copy =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) {
    static const char text[] = "tfcore: no memory for the tensors of a forked process\n";
    if (write(2, text, sizeof text - 1)) _exit(1);
    _exit(1);
  }
  off_t from = lseek(fd, 0, SEEK_DATA);
  while (from >= 0) {
    off_t to = lseek(fd, from, SEEK_HOLE);
    if (to < 0) to = (off_t)size;
    memcpy(copy + from, base + from, (size_t)(to - from));
    from = lseek(fd, to, SEEK_DATA);
  }
  if (mremap(copy, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, base) == MAP_FAILED) _exit(1);
  is_private = true;
  close(fd);
  fd = -1;
}

static void after_fork_in_child(void) {
  if (base && !is_private) make_private();
  if (copied[0] >= 0) close(copied[0]);
  if (copied[1] >= 0) close(copied[1]);
  pthread_mutex_init(&lock, NULL);
}

__attribute__((constructor)) static void guard_forks(void) {
  pthread_atfork(lock_for_fork, wait_for_child, after_fork_in_child);
}

static tfc_source source;

static void purge(void* p, size_t bytes) {
  pthread_mutex_lock(&lock);
  if (is_private) {
    madvise(p, bytes, MADV_DONTNEED);
  } else {
    /* MPI's caches of pinned pages watch madvise, but some systems refuse this advice. */
    if (madvise(p, bytes, MADV_REMOVE))
      fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)tfc_arena_offset(p),
                (off_t)bytes);
  }
  pthread_mutex_unlock(&lock);
}

const tfc_source* tfc_arena_source(void) {
  return base ? &source : NULL;
}

size_t tfc_arena_bytes(void) {
  return size;
}

const char* tfc_arena_open(int parties) {
  static char why[160];
  if (base) return is_private ? "a forked process can't share memory" : NULL;
  size_t wanted = wanted_size(parties);
  int made = tfc_make_memory("tfcore-arena", wanted);
  if (made < 0) {
    snprintf(why, sizeof why, "memfd_create: %s", strerror(errno));
    return why;
  }
  char* p;
  while (!(p = tfc_map_fd(made, wanted, true)) && wanted > SMALLEST_ARENA) wanted /= 2;
  if (!p) {
    snprintf(why, sizeof why, "mapping %zu bytes: %s", wanted, strerror(errno));
    close(made);
    return why;
  }
#ifdef MADV_HUGEPAGE
  madvise(p, wanted, MADV_HUGEPAGE); /* if the system has them for shared memory */
#endif
  size = wanted;
  fd = made;
  base = p;
  source = (tfc_source){p, wanted, purge};
  return NULL;
}

int tfc_arena_fd(void) {
  return fd;
}

bool tfc_arena_holds(const void* p, size_t bytes) {
  return base && (const char*)p >= base && (const char*)p + bytes <= base + size;
}

size_t tfc_arena_offset(const void* p) {
  return (size_t)((const char*)p - base);
}
