#define _GNU_SOURCE
#include "fabric/handouts.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

bool tfc_hand_out(tfc_peer* p, tfc_buffer* b, uint64_t* token) {
  if (p->free_handout < 0) {
    int32_t n = p->n_handouts ? 2 * p->n_handouts : 16;
    tfc_handout* more = realloc(p->handouts, (size_t)n * sizeof *more);
    if (!more) return false;
    for (int32_t i = p->n_handouts; i < n; i++)
      more[i] = (tfc_handout){NULL, 1, i + 1 < n ? i + 1 : -1};
    p->free_handout = p->n_handouts;
    p->handouts = more;
    p->n_handouts = n;
  }
  int32_t i = p->free_handout;
  tfc_handout* h = &p->handouts[i];
  p->free_handout = h->next_free;
  h->buffer = b;
  *token = (uint64_t)h->generation << 32 | (uint32_t)i;
  __atomic_fetch_add(&p->outstanding, 1, __ATOMIC_RELAXED);
  return true;
}

tfc_buffer* tfc_take_back(tfc_peer* p, uint64_t token) {
  uint32_t i = (uint32_t)token;
  if (i >= (uint32_t)p->n_handouts) return NULL;
  tfc_handout* h = &p->handouts[i];
  tfc_buffer* b = h->buffer;
  if (!b || h->generation != token >> 32) return NULL;
  h->buffer = NULL;
  h->generation++;
  h->next_free = p->free_handout;
  p->free_handout = (int32_t)i;
  __atomic_fetch_sub(&p->outstanding, 1, __ATOMIC_RELAXED);
  return b;
}

/* ---- Readers that count as dead */

typedef struct withheld {
  struct withheld* next;
  int64_t pid;
  int fd; /* a pidfd; -1: there is none */
  tfc_handout* handouts;
  int32_t n;
} withheld;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* nothing is called under it */
static withheld* list;                                   /* under the lock */
static int64_t n_withheld; /* atomic: buffers in the list; changes under the lock */

static int32_t count(const tfc_handout* handouts, int32_t n) {
  int32_t used = 0;
  for (int32_t i = 0; i < n; i++) used += handouts[i].buffer != NULL;
  return used;
}

static void drop(tfc_handout* handouts, int32_t n) {
  for (int32_t i = 0; i < n; i++)
    if (handouts[i].buffer) tfc_buffer_unref(handouts[i].buffer);
  free(handouts);
}

/* Whether the process runs no more. A container may forbid pidfds: then a process that has ended
 * counts until its parent has asked for its code. */
static bool is_gone(int64_t pid, int fd) {
  struct pollfd end = {.fd = fd, .events = POLLIN};
  return fd >= 0 ? poll(&end, 1, 0) == 1 : kill((pid_t)pid, 0) && errno == ESRCH;
}

void tfc_drop_when_gone(int64_t pid, tfc_handout* handouts, int32_t n) {
  int32_t used = count(handouts, n);
  int fd = used ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
  if (used && !is_gone(pid, fd)) {
    withheld* w = malloc(sizeof *w);
    if (!w) return; /* they are never reused */
    pthread_mutex_lock(&lock);
    *w = (withheld){list, pid, fd, handouts, n};
    list = w;
    __atomic_fetch_add(&n_withheld, used, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return;
  }
  if (fd >= 0) close(fd);
  drop(handouts, n);
}

void tfc_drop_for_gone(void) {
  withheld* gone = NULL;
  if (!tfc_count_withheld()) return;
  pthread_mutex_lock(&lock);
  for (withheld** place = &list; *place;) {
    withheld* w = *place;
    if (!is_gone(w->pid, w->fd)) {
      place = &w->next;
      continue;
    }
    *place = w->next;
    w->next = gone;
    gone = w;
    __atomic_fetch_sub(&n_withheld, count(w->handouts, w->n), __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&lock);
  for (withheld* next; gone; gone = next) {
    next = gone->next;
    if (gone->fd >= 0) close(gone->fd);
    drop(gone->handouts, gone->n);
    free(gone);
  }
}

int64_t tfc_count_withheld(void) {
  return __atomic_load_n(&n_withheld, __ATOMIC_RELAXED);
}

/* Another thread may have held the lock. What is in the list is the parent's. */
void tfc_handouts_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  list = NULL;
  __atomic_store_n(&n_withheld, 0, __ATOMIC_RELAXED);
}
