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
#include "reach.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "payload.h"

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

/* A file of the process. Returns NULL, or why it can't be mapped. */
static const char* map_file_of(int64_t pid, int fd, size_t bytes, bool writable, void** mapped) {
  static __thread __attribute__((tls_model("initial-exec"))) char why[160];
  char path[64];
  snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long)pid, fd);
  int opened = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (opened < 0 && (errno == ENOENT || errno == ESRCH)) return GONE;
  if (opened < 0) {
    snprintf(why, sizeof why, "opening %s: %s", path, strerror(errno));
    return why;
  }
  const char* problem = tfc_map_peer(opened, bytes, writable, mapped);
  close(opened);
  return problem;
}

/* The readers are counted meanwhile, so that a peer that ends now has its arena unmapped by the
 * last of them. */
static const char* map_arena(tfc_peer* p) {
  void* arena = NULL;
  if (!tfc_read_arena(p)) return NULL; /* it has ended: nothing of it is read any more */
  const char* problem = map_file_of(p->pid, p->arena_fd, p->arena_bytes, false, &arena);
  p->arena = arena;
  tfc_leave_arena(p);
  return problem;
}

/* With the lock `mapping`. */
static const char* map_inbox(tfc_peer* p) {
  void* mapped = NULL;
  size_t bytes = tfc_inbox_bytes(tfc_here.size);
  const char* problem = map_file_of(p->pid, p->inbox_fd, bytes, true, &mapped);
  tfc_inbox* inbox = mapped;
  if (inbox && !tfc_inbox_valid(inbox, p->rank, tfc_here.size, p->pid, p->inbox_token))
    problem = "its memory is not that of a task";
  if (!problem) problem = map_arena(p);
  if (problem) {
    if (inbox) munmap(inbox, bytes);
    return problem;
  }
  p->out = tfc_inbox_ring(inbox, tfc_here.size, tfc_here.rank);
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
