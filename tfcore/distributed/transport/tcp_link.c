/* The functions of MPI over TCP: requests, progress, opening and closing.
 *
 * epoll tells which sockets have changed (edge-triggered), and channels remember whether they can
 * be read or written. So an idle poll is one call of the system, whatever the number of peers.
 * Socket buffers grow by themselves as the network needs it, which a fixed size would prevent.
 */
#define _GNU_SOURCE
#include "transport/tcp_link.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "transport/tcp_state.h"

enum { EVENTS_PER_TURN = 64, REQUESTS_PER_SLAB = 64 };

typedef struct tcp_slab {
  struct tcp_slab* next;
  tcp_request requests[REQUESTS_PER_SLAB];
} tcp_slab;

typedef struct tcp_status {
  int source, count;
} tcp_status;

_Static_assert(sizeof(tcp_status) <= TFC_MPI_STATUS_BYTES, "a status");

/* ---- Requests */

static bool add_slab(tfc_tcp* tcp) {
  tcp_slab* s = calloc(1, sizeof *s);
  if (!s) return false;
  s->next = tcp->slabs;
  tcp->slabs = s;
  for (int i = 0; i < REQUESTS_PER_SLAB; i++) {
    s->requests[i].next = tcp->free_requests;
    tcp->free_requests = &s->requests[i];
  }
  return true;
}

static tcp_request* new_request(tfc_tcp* tcp, tcp_channel* c, const void* data, int bytes,
                                int tag) {
  if (!tcp->free_requests && !add_slab(tcp)) return NULL;
  tcp_request* r = tcp->free_requests;
  tcp->free_requests = r->next;
  *r = (tcp_request){
      .tcp = tcp,
      .channel = c,
      .data = (char*)data,
      .bytes = (size_t)bytes,
      .header = {(uint32_t)bytes, (uint32_t)tag},
  };
  return r;
}

/* ---- Progress */

static void note_event(tfc_tcp* tcp, const struct epoll_event* e) {
  int number = (int)(uint32_t)e->data.u64;
  switch (e->data.u64 >> 32) {
    case EVENT_LISTENER: tcp->accepts = true; return;
    case EVENT_STRANGER: tfc_tcp_hear_stranger(tcp, number); return;
    default: {
      tcp_channel* c = &tcp->peers[number / TCP_CHANNELS].channels[number % TCP_CHANNELS];
      if (e->events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) c->hung_up = true;
      if (e->events & (EPOLLIN | EPOLLHUP | EPOLLERR | EPOLLRDHUP)) c->readable = true;
      if (e->events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) c->writable = true;
      tfc_tcp_activate(c);
    }
  }
}

static bool progress(uint64_t comm) {
  tfc_tcp* tcp = (tfc_tcp*)(uintptr_t)comm;
  struct epoll_event events[EVENTS_PER_TURN];
  int n = epoll_wait(tcp->epoll, events, EVENTS_PER_TURN, 0);
  for (int i = 0; i < n; i++) note_event(tcp, &events[i]);
  if (tcp->accepts) tfc_tcp_accept(tcp);
  tcp_channel* c = tcp->active;
  tcp->active = NULL;
  bool any = false;
  for (tcp_channel* next; c; c = next) {
    next = c->next_active;
    c->active = false;
    any |= tfc_tcp_advance_channel(c);
  }
  if (tcp->timed) tfc_tcp_check_deadlines(tcp, tfc_tcp_now());
  return any;
}

/* ---- The functions of MPI */

static tcp_channel* channel_of(tcp_peer* p, int tag) {
  return &p->channels[tag >= TAG_CHUNK ? TCP_CHUNKS : TCP_FRAMES];
}

static int why_not(const tcp_peer* p, const tcp_channel* c) {
  if (p->gone || !p->incarnation || c->state == CHANNEL_ENDED || c->write_ended)
    return c->error ? c->error : TCP_CLOSED;
  return 0;
}

static int issend(const void* data, int bytes, uint64_t type, int to, int tag, uint64_t comm,
                  void* request) {
  (void)type;
  tfc_tcp* tcp = (tfc_tcp*)(uintptr_t)comm;
  tcp_peer* p = &tcp->peers[to];
  tcp_channel* c = channel_of(p, tag);
  int error = why_not(p, c);
  if (error) return error;
  tcp_request* r = new_request(tcp, c, data, bytes, tag);
  if (!r) return ENOMEM;
  tfc_tcp_queue_add(&c->sends, r);
  *(uint64_t*)request = (uint64_t)(uintptr_t)r;
  if (c->state == CHANNEL_CLOSED) tfc_tcp_connect(c);
  if (c->sends.first == r) tfc_tcp_write_channel(c);
  return 0;
}

static int irecv(void* data, int bytes, uint64_t type, int from, int tag, uint64_t comm,
                 void* request) {
  (void)type;
  tfc_tcp* tcp = (tfc_tcp*)(uintptr_t)comm;
  tcp_channel* c = from < 0 ? NULL : channel_of(&tcp->peers[from], tag);
  if (c && (tcp->peers[from].gone || !tcp->peers[from].incarnation))
    return c->error ? c->error : TCP_CLOSED;
  tcp_request* r = new_request(tcp, c, data, bytes, tag);
  if (!r) return ENOMEM;
  tfc_tcp_queue_add(c ? &c->receives : &tcp->any, r);
  *(uint64_t*)request = (uint64_t)(uintptr_t)r;
  if (!c) return 0;
  if (c->index == TCP_FRAMES && c->receives.first == r) tfc_tcp_take_frame(c);
  if (r->state == TCP_PENDING) tfc_tcp_activate(c);
  return 0;
}

static void free_request(tcp_request* r) {
  r->next = r->tcp->free_requests;
  r->tcp->free_requests = r;
}

static int test(void* request, int* done, void* status) {
  tcp_request* r = (tcp_request*)(uintptr_t)*(uint64_t*)request;
  *done = 0;
  if (r->state == TCP_PENDING) return 0;
  int error = r->state == TCP_FAILED ? r->error : 0;
  tcp_status s = {r->source, r->count};
  memcpy(status, &s, sizeof s);
  *done = !error;
  *(uint64_t*)request = 0;
  free_request(r);
  return error;
}

/* Only for receives. One that was begun can't be given up without its connection. */
static int cancel(void* request) {
  tcp_request* r = (tcp_request*)(uintptr_t)*(uint64_t*)request;
  if (r->state != TCP_PENDING) return 0;
  tfc_tcp_queue_remove(r->channel ? &r->channel->receives : &r->tcp->any, r);
  r->state = TCP_DONE;
  r->source = r->channel ? r->channel->rank : -1;
  r->count = 0;
  if (r->moved) tfc_tcp_end_channel(r->channel, ECANCELED);
  return 0;
}

static int get_count(const void* status, uint64_t type, int* count) {
  (void)type;
  tcp_status s;
  memcpy(&s, status, sizeof s);
  *count = s.count;
  return 0;
}

static int error_string(int error, char* text, int* length) {
  char room[128];
  const char* said = "its connection was closed";
  if (error == ECONNREFUSED) {
    said = "nobody listens at its addresses";
  } else if (error != TCP_CLOSED) {
    said = strerror_r(error, room, sizeof room);
  }
  *length = snprintf(text, sizeof room, "%s", said);
  return 0;
}

static void disconnect(uint64_t comm, int rank, bool linger) {
  tcp_peer* p = &((tfc_tcp*)(uintptr_t)comm)->peers[rank];
  tcp_channel* frames = &p->channels[TCP_FRAMES];
  p->gone = true;
  tfc_tcp_give_up_channel(&p->channels[TCP_CHUNKS]);
  if (linger && frames->sends.first) {
    tfc_tcp_fail_all(&frames->receives, TCP_CLOSED);
  } else {
    tfc_tcp_give_up_channel(frames);
  }
}

/* What the peer's system has not acknowledged. It would drop the rest if it wrote to a socket that
 * is closed here, or if something came that nobody reads here any more. */
static int64_t in_transit(uint64_t comm, int rank) {
  const tcp_peer* p = &((tfc_tcp*)(uintptr_t)comm)->peers[rank];
  int64_t sum = 0;
  for (int i = 0; i < TCP_CHANNELS; i++) {
    const tcp_channel* c = &p->channels[i];
    int bytes = 0;
    if (c->state == CHANNEL_OPEN && !c->write_ended && ioctl(c->fd, SIOCOUTQ, &bytes) == 0)
      sum += bytes;
  }
  return sum;
}

static void reset_channel(tcp_channel* c) {
  c->state = CHANNEL_CLOSED;
  c->error = c->round = 0;
  c->heard = 0;
  tfc_tcp_queue_clear(&c->sends);
  tfc_tcp_queue_clear(&c->receives);
}

static void admit(uint64_t comm, int rank, uint32_t incarnation, const tfc_tcp_address* at) {
  tcp_peer* p = &((tfc_tcp*)(uintptr_t)comm)->peers[rank];
  disconnect(comm, rank, false);
  for (int i = 0; i < TCP_CHANNELS; i++) {
    tfc_tcp_close_fd(&p->channels[i].kept);
    reset_channel(&p->channels[i]);
  }
  p->at = *at;
  p->incarnation = incarnation;
  p->gone = false;
  p->ended = 0;
}

tfc_mpi tfc_tcp_table(tfc_tcp* tcp) {
  return (tfc_mpi){
      .comm = (uint64_t)(uintptr_t)tcp,
      .status_source_offset = offsetof(tcp_status, source),
      .any_source = -1,
      .issend = issend,
      .irecv = irecv,
      .test = test,
      .cancel = cancel,
      .get_count = get_count,
      .error_string = error_string,
      .progress = progress,
      .admit = admit,
      .disconnect = disconnect,
      .in_transit = in_transit,
  };
}

/* ---- Opening and closing */

static const char* listen_anywhere(tfc_tcp* tcp) {
  static __thread char why[160];
  struct sockaddr_in a = {.sin_family = AF_INET};
  socklen_t n = sizeof a;
  struct epoll_event e = {.events = EPOLLIN | EPOLLET, .data.u64 = tcp_event(EVENT_LISTENER, 0)};
  tcp->epoll = epoll_create1(EPOLL_CLOEXEC);
  tcp->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (tcp->epoll >= 0 && tcp->listener >= 0 &&
      !bind(tcp->listener, (struct sockaddr*)&a, sizeof a) && !listen(tcp->listener, SOMAXCONN) &&
      !getsockname(tcp->listener, (struct sockaddr*)&a, &n) &&
      !epoll_ctl(tcp->epoll, EPOLL_CTL_ADD, tcp->listener, &e)) {
    tcp->port = ntohs(a.sin_port);
    return NULL;
  }
  char room[128];
  snprintf(why, sizeof why, "it can't listen for connections: %s",
           strerror_r(errno, room, sizeof room));
  return why;
}

tfc_tcp* tfc_tcp_open(const char** why) {
  tfc_tcp* tcp = calloc(1, sizeof *tcp);
  *why = "out of memory";
  if (!tcp) return NULL;
  for (int i = 0; i < MAX_STRANGERS; i++) tcp->strangers[i].fd = -1;
  tfc_tcp_queue_clear(&tcp->any);
  *why = listen_anywhere(tcp);
  if (!*why) return tcp;
  tfc_tcp_close(tcp);
  return NULL;
}

uint16_t tfc_tcp_port(const tfc_tcp* tcp) {
  return tcp->port;
}

bool tfc_tcp_start(tfc_tcp* tcp, int rank, int size, uint32_t incarnation, uint64_t token) {
  tcp_peer* peers = calloc((size_t)size, sizeof *peers);
  if (!peers) return false;
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < TCP_CHANNELS; j++) {
      peers[i].channels[j] = (tcp_channel){.tcp = tcp, .rank = i, .index = j, .fd = -1, .kept = -1};
      reset_channel(&peers[i].channels[j]);
    }
  }
  tcp->rank = rank;
  tcp->size = size;
  tcp->incarnation = incarnation;
  tcp->token = token;
  __atomic_store_n(&tcp->peers, peers, __ATOMIC_RELEASE);
  return true;
}

static void close_descriptors(tfc_tcp* tcp) {
  tfc_tcp_close_fd(&tcp->listener);
  tfc_tcp_close_fd(&tcp->epoll);
  for (int i = 0; i < MAX_STRANGERS; i++) tfc_tcp_close_fd(&tcp->strangers[i].fd);
  for (int i = 0; tcp->peers && i < tcp->size; i++)
    for (int j = 0; j < TCP_CHANNELS; j++) {
      tfc_tcp_close_fd(&tcp->peers[i].channels[j].fd);
      tfc_tcp_close_fd(&tcp->peers[i].channels[j].kept);
    }
}

void tfc_tcp_close(tfc_tcp* tcp) {
  close_descriptors(tcp);
  for (int i = 0; tcp->peers && i < tcp->size; i++)
    for (int j = 0; j < TCP_CHANNELS; j++) free(tcp->peers[i].channels[j].staging);
  for (tcp_slab *s = tcp->slabs, *next; s; s = next) {
    next = s->next;
    free(s);
  }
  free(tcp->peers);
  free(tcp);
}

void tfc_tcp_after_fork(tfc_tcp* tcp) {
  close_descriptors(tcp);
}
