/* Opening and closing the fabric, and places that are taken again: by one thread at a time.
 *
 * The peers of a closed fabric are never freed: a tensor that a thread still holds may point into a
 * peer's arena.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/arena.h"
#include "fabric/calls.h"
#include "fabric/handouts.h"
#include "fabric/link.h"
#include "fabric/mailbox.h"
#include "fabric/payload.h"
#include "fabric/reach.h"
#include "fabric/service.h"
#include "rendezvous/rendezvous.h"

static tfc_peer* new_peer(int rank) {
  tfc_peer* p = aligned_alloc(64, (sizeof *p + 63) / 64 * 64);
  if (!p) return NULL;
  memset(p, 0, sizeof *p);
  p->rank = p->host = rank;
  p->foreign = true; /* until its memory is mapped */
  p->free_handout = -1;
  pthread_mutex_init(&p->lock, NULL);
  return p;
}

/* Whether threads use the inbox. */
static bool is_polled(void) {
  const tfc_inbox* in = tfc_here.inbox;
  return in && (__atomic_load_n(&in->awake, __ATOMIC_SEQ_CST) ||
                __atomic_load_n(&in->on_duty, __ATOMIC_SEQ_CST));
}

/* Peers outlive the fabric: tensors that they sent, and calls on other threads, may still use
 * them. */
static bool keep_closed(void) {
  static struct closed {
    tfc_peer **peers, **local;
    struct closed* before;
  }* last;
  if (!tfc_here.peers) return true;
  struct closed* c = malloc(sizeof *c);
  if (!c) return false;
  *c = (struct closed){tfc_here.peers, tfc_here.local, last};
  last = c;
  return true;
}

const char* tfc_endpoint_open(int rank, int size, int sharing, uint32_t incarnation,
                              uint64_t token) {
  static char why[200];
  if (is_polled()) return "threads of the fabric that was closed before have not ended yet";
  const char* problem = tfc_arena_open(sharing);
  if (problem) return problem;
  size_t bytes = tfc_inbox_bytes(size);
  int fd = tfc_make_memory("tfcore-inbox", bytes);
  tfc_inbox* inbox = fd < 0 ? NULL : tfc_map_fd(fd, bytes, true);
  if (!inbox) {
    snprintf(why, sizeof why, "memory for messages (%zu bytes): %s", bytes, strerror(errno));
    if (fd >= 0) close(fd);
    return why;
  }
  tfc_inbox_init(inbox, rank, size, token);
  tfc_peer** peers = calloc((size_t)size, sizeof *peers);
  tfc_peer** local = calloc((size_t)size, sizeof *local);
  for (int i = 0; peers && i < size; i++)
    if (!(peers[i] = new_peer(i))) return "out of memory";
  if (!peers || !local || !keep_closed()) return "out of memory";
  for (int i = 0; i < size; i++) tfc_rendezvous_abort_peer(i, TFC_OK, NULL); /* none has failed */
  peers[rank]->foreign = false;
  peers[rank]->pid = getpid();
  peers[rank]->inbox = inbox;
  peers[rank]->incarnation = incarnation;
  tfc_lock_polling();
  tfc_here.inbox = inbox;
  tfc_here.inbox_fd = fd;
  tfc_here.ring_bytes = inbox->ring_bytes;
  tfc_here.peers = peers;
  tfc_here.local = local;
  tfc_here.n_local = tfc_here.n_foreign = 0;
  tfc_here.n_waiting = 0;
  tfc_here.excluded = 0;
  tfc_here.token = token; /* until that of the job is known */
  tfc_here.size = size;
  tfc_here.incarnation = incarnation;
  tfc_here.rank = rank;
  __atomic_store_n(&tfc_here.open, 1, __ATOMIC_RELEASE);
  tfc_unlock_polling();
  return NULL;
}

/* The arena only pays where others read it: its pages are small, and the system's need not be. So
 * copies of large tensors, also those that MPI makes, take longer there. */
static void use_arena(void) {
  tfc_memory_set_source(tfc_arena_source());
}

void tfc_endpoint_identify(int rank, uint32_t incarnation, int generation) {
  tfc_here.peers[rank]->incarnation = incarnation;
  tfc_here.peers[rank]->generation = generation;
}

/* The failure functions are not called: nothing here depends on the place yet. */
void tfc_endpoint_vacate(int rank, const char* reason) {
  tfc_peer* p = tfc_here.peers[rank];
  p->foreign = p->host != tfc_here.peers[tfc_here.rank]->host;
  p->reason = strdup(reason);
  p->told = 1;
  p->drained = true;
  __atomic_store_n(&p->state, TFC_PEER_FAILED, __ATOMIC_RELEASE);
}

/* ---- A place that is taken again */

/* Frees the memory of an inbox whose owner has ended, but keeps its addresses: a thread that found
 * the peer a moment ago may still ring its bell. */
static void free_inbox(const tfc_peer* p) {
  if (tfc_is_reached(p))
    mmap(p->inbox, tfc_reach_bytes(), PROT_READ | PROT_WRITE,
         MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void copy_description(tfc_peer* from, tfc_peer* to) {
  pthread_mutex_lock(&from->lock);
  to->description = from->description ? strdup(from->description) : NULL;
  pthread_mutex_unlock(&from->lock);
}

/* Empty places are not among those on other hosts. One that was there stays so: then it is polled,
 * and its host never changes. */
static bool is_counted_foreign(const tfc_peer* p) {
  return p->foreign && p->incarnation;
}

/* With the polling lock: from here on the peer is the current process of its place. */
static void take_place(tfc_peer* old, tfc_peer* p) {
  int i = 0, n = tfc_here.n_local;
  tfc_drain(old); /* the old process is gone, so its ring has all that it published */
  if (!p->foreign) tfc_ring_init(p->in); /* nobody else writes to it: the old process has ended */
  __atomic_store_n(&tfc_here.peers[p->rank], p, __ATOMIC_RELEASE);
  if (p->foreign && !is_counted_foreign(old))
    __atomic_fetch_add(&tfc_here.n_foreign, 1, __ATOMIC_RELAXED);
  if (p->foreign) return;
  while (i < n && tfc_here.local[i] != old) i++;
  __atomic_store_n(&tfc_here.local[i], p, __ATOMIC_RELEASE);
  if (i == n) __atomic_store_n(&tfc_here.n_local, n + 1, __ATOMIC_RELEASE);
}

/* `tcp` first, so that nothing goes to the transport's peer of before; and under the same lock, so
 * that nothing comes from the new one for the old tfc_peer. */
static const char* connect_new(tfc_peer* old, tfc_peer* p, const tfc_tcp_address* tcp) {
  const char* problem = NULL;
  tfc_lock_polling();
  if (p->foreign) problem = tfc_link_admit(p->rank, p->incarnation, tcp);
  if (!problem) take_place(old, p);
  tfc_unlock_polling();
  return problem;
}

static void free_unused(tfc_peer* p) {
  pthread_mutex_destroy(&p->lock);
  free(p->description);
  free(p);
}

const char* tfc_endpoint_replace(int rank, uint32_t incarnation, int generation, int host,
                                 const tfc_memory_address* memory, const tfc_tcp_address* tcp) {
  tfc_peer* old = tfc_peer_of(rank);
  if (!old || !tfc_running()) return "the fabric is closed";
  if (tfc_peer_state_of(old) == TFC_PEER_ALIVE || !__atomic_load_n(&old->told, __ATOMIC_ACQUIRE))
    return "the end of its former process has not been handled yet";
  tfc_fail(rank, "its place was taken again"); /* it may only have left: then it kept buffers */
  tfc_peer* p = new_peer(rank);
  if (!p) return "out of memory";
  p->host = host;
  if (host == tfc_here.peers[tfc_here.rank]->host) tfc_reach_set_address(p, memory);
  p->incarnation = incarnation;
  p->generation = generation;
  p->former = old;
  copy_description(old, p);
  tfc_rendezvous_abort_peer(rank, TFC_OK, NULL); /* before anybody can wait for it */
  const char* problem = connect_new(old, p, tcp);
  if (problem) {
    tfc_rendezvous_abort_peer(rank, tfc_failure_code(), problem);
    free_unused(p);
    return problem;
  }
  tfc_set_idle(&tfc_idle_table); /* this task may have been alone */
  use_arena();
  free_inbox(old);
  tfc_ring_bell(tfc_here.inbox); /* a sleeper may have had no peer on another host */
  return NULL;
}

void tfc_endpoint_start(int64_t spin_ns) {
  for (int i = 0; i < tfc_here.size; i++) {
    tfc_peer* p = tfc_here.peers[i];
    tfc_here.n_foreign += is_counted_foreign(p);
    if (!p->foreign && i != tfc_here.rank) tfc_here.local[tfc_here.n_local++] = p;
  }
  if (tfc_here.n_local) use_arena();
  tfc_here.spin_ns = spin_ns;
  __atomic_store_n(&tfc_here.running, 1, __ATOMIC_SEQ_CST);
  if (tfc_here.n_local || tfc_here.n_foreign) tfc_set_idle(&tfc_idle_table);
}

/* Whether peers still need messages or memory from this process. */
static bool is_needed(void) {
  for (int i = 0; i < tfc_here.size; i++) {
    tfc_peer* p = tfc_here.peers[i];
    if (tfc_peer_state_of(p) == TFC_PEER_ALIVE &&
        (__atomic_load_n(&p->outstanding, __ATOMIC_RELAXED) ||
         __atomic_load_n(&p->waits, __ATOMIC_RELAXED)))
      return true;
  }
  return false;
}

static void wait_until_not_needed(int64_t patience_ns) {
  for (int64_t until = tfc_now_monotonic() + patience_ns;
       is_needed() && tfc_now_monotonic() < until;) {
    if (!tfc_poll()) usleep(200);
  }
}

void tfc_endpoint_close(int64_t patience_ns) {
  if (tfc_rank_here() < 0) return;
  if (tfc_running()) {
    wait_until_not_needed(patience_ns);
    for (int i = 0; i < tfc_here.size; i++) {
      tfc_message m = {.kind = TFC_MSG_LEAVE};
      if (i != tfc_here.rank) tfc_send(i, &m, NULL);
    }
    wait_until_not_needed(patience_ns / 4);
  }
  tfc_set_idle(NULL);
  __atomic_store_n(&tfc_here.running, 0, __ATOMIC_SEQ_CST);
  tfc_lock_polling(); /* no handler runs from here on */
  tfc_bell_set(&tfc_here.inbox->bell);
  tfc_futex_wake(&tfc_here.inbox->bell, INT_MAX); /* all service threads */
  tfc_bell_set(&tfc_here.inbox->duty_bell);
  /* Waiting threads are on their way out. One that runs a node may take long: it is not waited
   * for, but no fabric can be opened before it has ended. */
  for (int64_t until = tfc_now_monotonic() + patience_ns;
       is_polled() && tfc_now_monotonic() < until;)
    usleep(50);
  __atomic_store_n(&tfc_here.open, 0, __ATOMIC_SEQ_CST);
  __atomic_exchange_n(&tfc_here.polling, 0, __ATOMIC_SEQ_CST);
  /* Buffers that peers may still read stay handed out for ever. */
  tfc_memory_set_source(NULL);
  tfc_requests_wake();
  close(tfc_here.inbox_fd);
  tfc_here.inbox_fd = -1;
}

/* In the child, which keeps of its parent's peers what tensors that it has lie in, and not the rest
 * of memory that the peers may have given up. */
static void unmap_peers(void) {
  for (int i = 0; i < tfc_here.size; i++) {
    tfc_peer* p = tfc_here.peers[i];
    bool is_own = i == tfc_here.rank;
    if (p->arena && !p->drained) tfc_leave_arena(p);
    if (p->inbox) munmap(p->inbox, is_own ? tfc_inbox_bytes(tfc_here.size) : tfc_reach_bytes());
    p->inbox = NULL;
    p->in = p->out = NULL;
  }
  tfc_here.inbox = NULL;
}

void tfc_endpoint_after_fork(void) {
  tfc_calls_after_fork();
  tfc_link_after_fork();
  tfc_mailboxes_after_fork();
  tfc_reach_after_fork();
  tfc_handouts_after_fork();
  tfc_here.running = 0; /* first, so that tfc_leave_arena spawns no thread */
  if (tfc_rank_here() >= 0) unmap_peers();
  tfc_here.open = 0;
  tfc_here.polling = 0;
  if (tfc_here.inbox_fd >= 0) close(tfc_here.inbox_fd);
  tfc_here.inbox_fd = -1;
  if (tfc_here.peers) { /* there has been a fabric */
    tfc_set_idle(NULL);
    tfc_memory_set_source(NULL);
  }
}
