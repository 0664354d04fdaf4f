/* Maps the memory of a task of this host when the first message goes to it or comes from it: a task
 * with a thousand neighbours mostly talks to a few of them.
 *
 * A sender first sets its bit in the receiver's inbox (`writers`), then writes its first record;
 * all of that is sequentially consistent, so a receiver that looks at the bits and then at the
 * rings of those whose bits are set finds the record, as `ring.c` explains.
 *
 * `mapping` is a lock that is held during system calls. No other lock is taken under it.
 */
#define _GNU_SOURCE
#include "fabric/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/arena.h"
#include "fabric/payload.h"

static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;
static int unreachable; /* atomic: some peer has a `problem` that nobody has looked at */

static const char GONE[] = "its process is gone";

void tfc_reach_set_address(tfc_peer* p, const tfc_memory_address* address) {
  p->pid = address->pid;
  p->inbox_fd = address->inbox_fd;
  p->arena_fd = address->arena_fd;
  p->arena_bytes = address->arena_bytes;
  p->inbox_token = address->token;
  p->in = tfc_inbox_ring(tfc_here.inbox, tfc_here.size, p->rank);
  p->readers = 1;
  p->foreign = false;
}

static const char* cannot_map(void) {
  static __thread __attribute__((tls_model("initial-exec"))) char why[120];
  snprintf(why, sizeof why, "mapping its memory: %s", strerror(errno));
  return why;
}

/* A file of the process, with at least that many bytes. Returns NULL, or why it can't be used. */
static const char* open_file_of(int64_t pid, int fd, size_t bytes, bool writable, int* opened) {
  static __thread __attribute__((tls_model("initial-exec"))) char why[160];
  char path[64];
  snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)pid, fd);
  *opened = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (*opened < 0 && (errno == ENOENT || errno == ESRCH)) return GONE;
  if (*opened < 0) {
    snprintf(why, sizeof why, "opening %s: %s", path, strerror(errno));
    return why;
  }
  const char* problem = tfc_check_peer_memory(*opened, bytes);
  if (problem) close(*opened);
  return problem;
}

/* The readers are counted meanwhile, so that a peer that ends now has its arena unmapped by the
 * last of them. */
static const char* map_arena(tfc_peer* p) {
  if (!tfc_read_arena(p)) return NULL; /* it has ended: nothing of it is read any more */
  int fd;
  const char* problem = open_file_of(p->pid, p->arena_fd, p->arena_bytes, false, &fd);
  if (!problem) {
    p->arena = tfc_map_fd(fd, p->arena_bytes, false);
    if (!p->arena) problem = cannot_map();
    close(fd);
  }
  tfc_leave_arena(p);
  return problem;
}

/* ---- The parts of an inbox that are used: what comes before the rings, and the own ring
 *
 * They lie side by side, and next to those of other peers. A page table covers 2 MB, and each arena
 * takes a large range of addresses: between arenas, every inbox would need tables of its own. */

/* The pages of the file that have the own ring. */
static size_t ring_begin(void) {
  return tfc_inbox_ring_offset(tfc_here.size, tfc_here.rank) / TFC_PAGE * TFC_PAGE;
}

static size_t ring_bytes(void) {
  size_t end = tfc_inbox_ring_offset(tfc_here.size, tfc_here.rank + 1);
  return (end + TFC_PAGE - 1) / TFC_PAGE * TFC_PAGE - ring_begin();
}

size_t tfc_reach_bytes(void) {
  return tfc_inbox_header_bytes(tfc_here.size) + ring_bytes();
}

/* Addresses without memory, next to those taken before, or NULL. They are never given back: a
 * thread may still ring the bell of a peer that is gone. With the lock `mapping`. */
static char* take_addresses(size_t bytes) {
  enum { AT_ONCE = 2 << 20 };
  static char *next, *end;
  if (bytes > (size_t)(end - next)) {
    size_t more = bytes > AT_ONCE ? bytes : AT_ONCE;
    char* p = mmap(NULL, more, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    next = p;
    end = p + more;
  }
  next += bytes;
  return next - bytes;
}

static bool map_at(char* at, int fd, size_t offset, size_t bytes) {
  return mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_SHARED, fd, (off_t)offset) !=
         MAP_FAILED;
}

/* With the lock `mapping`. */
static const char* map_inbox(tfc_peer* p) {
  int fd;
  size_t header = tfc_inbox_header_bytes(tfc_here.size), bytes = tfc_reach_bytes();
  const char* problem =
      open_file_of(p->pid, p->inbox_fd, tfc_inbox_bytes(tfc_here.size), true, &fd);
  if (problem) return problem;
  char* at = take_addresses(bytes);
  bool mapped =
      at && map_at(at, fd, 0, header) && map_at(at + header, fd, ring_begin(), ring_bytes());
  if (!mapped) problem = cannot_map();
  close(fd);
  tfc_inbox* inbox = (tfc_inbox*)at;
  if (mapped && !tfc_inbox_valid(inbox, p->rank, tfc_here.size, p->pid, p->inbox_token))
    problem = "its memory is not that of a task";
  if (!problem) problem = map_arena(p);
  if (problem) {
    if (at) munmap(at, bytes);
    return problem;
  }
  size_t offset = tfc_inbox_ring_offset(tfc_here.size, tfc_here.rank) - ring_begin();
  p->out = (tfc_ring*)(at + header + offset);
  tfc_inbox_note_writer(inbox, tfc_here.rank);
  __atomic_store_n(&p->inbox, inbox, __ATOMIC_RELEASE);
  return NULL;
}

const char* tfc_reach(tfc_peer* p) {
  if (tfc_is_reached(p)) return NULL;
  pthread_mutex_lock(&mapping);
  const char* problem = tfc_is_reached(p) ? NULL : map_inbox(p);
  bool fails = problem && problem != GONE && !p->problem;
  if (fails) {
    p->problem = strdup(problem);
    __atomic_store_n(&unreachable, 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&mapping);
  if (fails) tfc_ring_bell(tfc_here.inbox); /* the caller may hold locks that failures need */
  return problem;
}

void tfc_reach_end_unreachable(void) {
  if (!__atomic_load_n(&unreachable, __ATOMIC_ACQUIRE)) return;
  __atomic_store_n(&unreachable, 0, __ATOMIC_SEQ_CST);
  for (int i = 0; i < tfc_count_local(); i++) {
    tfc_peer* p = tfc_local_peer(i);
    char why[240];
    pthread_mutex_lock(&mapping);
    bool failed = p->problem != NULL;
    if (failed) snprintf(why, sizeof why, "its memory can't be shared: %s", p->problem);
    pthread_mutex_unlock(&mapping);
    if (failed) tfc_fail(p->rank, why);
  }
}

void tfc_reach_after_fork(void) {
  pthread_mutex_init(&mapping, NULL);
}
