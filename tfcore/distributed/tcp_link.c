/* Messages of the TCP link: requests, reading and writing, the end of a peer.
 *
 * Each message has a header: its size and tag. Frames are read into a buffer of the channel, many
 * at a time, and copied from there; chunks are read straight into the memory of tensors. What
 * nobody has posted a receive for stays in the socket, which stops the sender in time.
 *
 * epoll tells which sockets have changed (edge-triggered), and channels remember whether they can
 * be read or written. So an idle poll is one call of the system, whatever the number of peers.
 */
#define _GNU_SOURCE
#include "tcp_link.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tcp_state.h"

enum { EVENTS_PER_TURN = 64, PARTS_PER_WRITE = 32, FILLS_PER_TURN = 8, REQUESTS_PER_SLAB = 64 };

/* Of a channel, before others have their turn. */
enum { BYTES_PER_CALL = 1 << 20, BYTES_PER_TURN = 1 << 21 };

enum { MAX_FRAME = STAGING_BYTES - (int)sizeof(tcp_header) };

/* When one channel has ended, how long the other one may take to. */
static const int64_t GRACE_NS = 200000000;

typedef struct tcp_slab {
  struct tcp_slab* next;
  tcp_request requests[REQUESTS_PER_SLAB];
} tcp_slab;

typedef struct tcp_status {
  int source, count;
} tcp_status;

_Static_assert(sizeof(tcp_status) <= TFC_MPI_STATUS_BYTES, "a status");

/* ---- Requests */

static void queue_clear(tcp_queue* q) {
  q->first = NULL;
  q->end = &q->first;
}

static void queue_add(tcp_queue* q, tcp_request* r) {
  r->next = NULL;
  *q->end = r;
  q->end = &r->next;
}

static void queue_remove(tcp_queue* q, tcp_request* r) {
  tcp_request** place = &q->first;
  while (*place && *place != r) place = &(*place)->next;
  if (!*place) return;
  *place = r->next;
  if (!*place) q->end = place;
}

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

static void complete(tcp_queue* q, int source, int count) {
  tcp_request* r = q->first;
  r->state = TCP_DONE;
  r->source = source;
  r->count = count;
  queue_remove(q, r);
}

static void fail_all(tcp_queue* q, int error) {
  for (tcp_request *r = q->first, *next; r; r = next) {
    next = r->next;
    r->state = TCP_FAILED;
    r->error = error;
  }
  queue_clear(q);
}

void tfc_tcp_activate(tcp_channel* c) {
  if (c->active) return;
  c->active = true;
  c->next_active = c->tcp->active;
  c->tcp->active = c;
}

/* ---- The end */

void tfc_tcp_end_channel(tcp_channel* c, int error) {
  tcp_peer* p = tcp_peer_of(c);
  if (c->state == CHANNEL_ENDED) return;
  tfc_tcp_close_channel(c, CHANNEL_ENDED);
  c->error = error;
  fail_all(&c->sends, error);
  if (p->ended) return;
  p->ended = tfc_tcp_now();
  c->tcp->timed = true;
  c->tcp->next_check = 0;
}

/* The end of what comes, or of an attempt to connect. */
static void end_reading(tcp_channel* c, int error) {
  if (c->state == CHANNEL_ACCEPTED) {
    tfc_tcp_withdraw(c);
  } else {
    tfc_tcp_end_channel(c, error);
  }
}

/* The peer does not keep to the protocol. Whoever waits for its message is told by the count. */
static void end_by_nonsense(tcp_channel* c) {
  if (c->receives.first) complete(&c->receives, c->rank, -1);
  c->begin = c->end = 0;
  tfc_tcp_end_channel(c, EPROTO);
}

static void free_channel(tcp_channel* c, int error) {
  tfc_tcp_end_channel(c, error);
  fail_all(&c->receives, error);
  free(c->staging);
  c->staging = NULL;
  c->begin = c->end = 0;
}

static void end_peer(tcp_peer* p) {
  int error = TCP_CLOSED;
  for (int i = 0; i < TCP_CHANNELS; i++)
    if (p->channels[i].state == CHANNEL_ENDED && p->channels[i].error != TCP_CLOSED)
      error = p->channels[i].error;
  p->gone = true;
  for (int i = 0; i < TCP_CHANNELS; i++) free_channel(&p->channels[i], error);
}

/* ---- Frames */

static bool read_header(const tcp_channel* c, tcp_header* h) {
  if (c->end - c->begin < sizeof *h) return false;
  memcpy(h, c->staging + c->begin, sizeof *h);
  return true;
}

/* Whether a whole frame has been read, or nonsense. */
static bool has_frame(const tcp_channel* c) {
  tcp_header h;
  return read_header(c, &h) &&
         (h.bytes > MAX_FRAME || c->end - c->begin >= sizeof h + (size_t)h.bytes);
}

/* Gives the next frame to the receive that waits for it. */
static bool take_frame(tcp_channel* c) {
  tcp_header h;
  if (!has_frame(c) || !read_header(c, &h)) return false;
  bool is_hello = h.tag == TAG_HELLO;
  tcp_queue* q = is_hello ? &c->tcp->any : &c->receives;
  tcp_request* r = q->first;
  if (!r) {
    if (is_hello) tfc_tcp_activate(c); /* looks again */
    return false;
  }
  if (h.bytes > MAX_FRAME || h.bytes > r->bytes || h.tag != r->header.tag) {
    end_by_nonsense(c);
    return true;
  }
  memcpy(r->data, c->staging + c->begin + sizeof h, h.bytes);
  c->begin += sizeof h + h.bytes;
  complete(q, c->rank, (int)h.bytes);
  return true;
}

/* What a call that reads has returned. Whether it was anything but the end. */
static bool note_read(tcp_channel* c, ssize_t n, size_t wanted) {
  if (n > 0) {
    if (c->state == CHANNEL_ACCEPTED) c->state = CHANNEL_OPEN;
    if ((size_t)n < wanted && !c->hung_up) c->readable = false;
    return true;
  }
  if (n < 0 && errno == EINTR) return true;
  if (n < 0 && errno == EAGAIN) {
    c->readable = false;
  } else {
    end_reading(c, n ? errno : TCP_CLOSED);
  }
  return false;
}

static bool fill_staging(tcp_channel* c) {
  if (c->begin) memmove(c->staging, c->staging + c->begin, c->end - c->begin);
  c->end -= c->begin;
  c->begin = 0;
  size_t room = STAGING_BYTES - c->end;
  ssize_t n = recv(c->fd, c->staging + c->end, room, MSG_DONTWAIT);
  if (n > 0) c->end += (size_t)n;
  return note_read(c, n, room);
}

static bool read_frames(tcp_channel* c) {
  bool any = false;
  int fills = 0;
  while (true) {
    if (take_frame(c)) {
      any = true;
    } else if (has_frame(c) || !c->readable || c->state == CHANNEL_ENDED) {
      return any;
    } else if (fills++ == FILLS_PER_TURN) {
      tfc_tcp_activate(c);
      return any;
    } else if (!fill_staging(c)) {
      return any;
    } else {
      any = true;
      c->tcp->recent = c;
    }
  }
}

/* ---- Chunks */

static bool read_chunk_header(tcp_channel* c) {
  size_t wanted = sizeof c->in - c->in_bytes;
  ssize_t n = recv(c->fd, (char*)&c->in + c->in_bytes, wanted, MSG_DONTWAIT);
  if (n > 0) c->in_bytes += (size_t)n;
  return note_read(c, n, wanted);
}

/* Reads into a tensor, and the header of the next chunk with its end. *bytes: how many. */
static bool read_chunk_data(tcp_channel* c, tcp_request* r, size_t* bytes) {
  size_t left = r->bytes - r->moved, now = left < BYTES_PER_CALL ? left : BYTES_PER_CALL;
  tcp_header next;
  struct iovec parts[2] = {{r->data + r->moved, now}, {&next, sizeof next}};
  struct msghdr m = {.msg_iov = parts, .msg_iovlen = now == left ? 2 : 1};
  ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT);
  if (n > 0) {
    size_t mine = (size_t)n < left ? (size_t)n : left;
    *bytes = (size_t)n;
    r->moved += mine;
    if (r->moved == r->bytes) {
      c->in_bytes = (size_t)n - mine;
      memcpy(&c->in, &next, c->in_bytes);
      complete(&c->receives, c->rank, (int)r->bytes);
    }
  }
  return note_read(c, n, now + (now == left ? sizeof next : 0));
}

static bool read_chunks(tcp_channel* c) {
  size_t turn = 0;
  bool any = false;
  while (c->readable && c->state != CHANNEL_ENDED) {
    size_t bytes = 0;
    tcp_request* r = c->receives.first;
    if (turn >= BYTES_PER_TURN) {
      tfc_tcp_activate(c);
      return true;
    }
    if (c->in_bytes < sizeof c->in) {
      if (!read_chunk_header(c)) return any;
      continue;
    }
    if (!r) return any;
    if (c->in.tag != r->header.tag || c->in.bytes != r->bytes) {
      end_by_nonsense(c);
      return true;
    }
    if (!r->bytes) {
      c->in_bytes = 0;
      complete(&c->receives, c->rank, 0);
    } else if (!read_chunk_data(c, r, &bytes)) {
      return any;
    }
    turn += bytes;
    any = true;
  }
  return any;
}

/* ---- Writing */

static int gather(const tcp_channel* c, struct iovec* parts, size_t* bytes) {
  int n = 0;
  *bytes = 0;
  for (tcp_request* r = c->sends.first; r && n + 2 <= PARTS_PER_WRITE && *bytes < BYTES_PER_CALL;
       r = r->next) {
    size_t header = sizeof r->header, at = r->moved < header ? r->moved : header;
    if (at < header) parts[n++] = (struct iovec){(char*)&r->header + at, header - at};
    *bytes += header - at;
    size_t sent = r->moved > header ? r->moved - header : 0, left = r->bytes - sent;
    if (left > BYTES_PER_CALL) left = BYTES_PER_CALL;
    if (left) parts[n++] = (struct iovec){r->data + sent, left};
    *bytes += left;
    if (sent + left < r->bytes) break;
  }
  return n;
}

static void note_written(tcp_channel* c, size_t bytes) {
  while (bytes) {
    tcp_request* r = c->sends.first;
    size_t left = sizeof r->header + r->bytes - r->moved, now = bytes < left ? bytes : left;
    r->moved += now;
    bytes -= now;
    if (now == left) complete(&c->sends, c->rank, (int)r->bytes);
  }
}

/* After an error of writing, what has come may still be read. */
static void end_writing(tcp_channel* c, int error) {
  c->write_ended = true;
  c->error = error;
  c->readable = c->hung_up = true;
  fail_all(&c->sends, error);
  tfc_tcp_activate(c);
}

static bool write_channel(tcp_channel* c) {
  struct iovec parts[PARTS_PER_WRITE];
  bool any = false;
  for (size_t turn = 0, bytes; c->sends.first && c->writable && c->state == CHANNEL_OPEN;) {
    if (turn >= BYTES_PER_TURN) {
      tfc_tcp_activate(c);
      return true;
    }
    struct msghdr m = {.msg_iov = parts, .msg_iovlen = (size_t)gather(c, parts, &bytes)};
    ssize_t n = sendmsg(c->fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n > 0) {
      note_written(c, (size_t)n);
      turn += (size_t)n;
      any = true;
    } else if (errno == EAGAIN) {
      c->writable = false;
    } else if (errno != EINTR) {
      end_writing(c, errno);
      return true;
    }
  }
  return any;
}

/* ---- Progress */

static bool advance(tcp_channel* c) {
  const tcp_peer* p = tcp_peer_of(c);
  bool any = false;
  tfc_tcp_advance_connecting(c);
  bool open = c->state == CHANNEL_OPEN || c->state == CHANNEL_ACCEPTED;
  if (!p->gone && (open || (c->state == CHANNEL_ENDED && c->staging)))
    any = c->index == TCP_FRAMES ? read_frames(c) : read_chunks(c);
  any |= write_channel(c);
  if (p->gone && !c->sends.first && c->state != CHANNEL_ENDED) free_channel(c, TCP_CLOSED);
  return any;
}

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
    any |= advance(c);
  }
  if (tcp->timed) tfc_tcp_check_deadlines(tcp, tfc_tcp_now());
  return any;
}

/* Who has died may have sent more than was read. */
void tfc_tcp_settle(tcp_peer* p, int64_t now) {
  const tcp_channel *frames = &p->channels[TCP_FRAMES], *chunks = &p->channels[TCP_CHUNKS];
  bool late = now > p->ended + GRACE_NS;
  bool frames_over =
      frames->state == CHANNEL_ENDED ? !has_frame(frames) : late && !frames->readable;
  bool chunks_over =
      chunks->state == CHANNEL_ENDED || !chunks->receives.first || (late && !chunks->readable);
  if (frames_over && chunks_over) end_peer(p);
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
  queue_add(&c->sends, r);
  *(uint64_t*)request = (uint64_t)(uintptr_t)r;
  if (c->state == CHANNEL_CLOSED) tfc_tcp_connect(c);
  if (c->sends.first == r) write_channel(c);
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
  queue_add(c ? &c->receives : &tcp->any, r);
  *(uint64_t*)request = (uint64_t)(uintptr_t)r;
  if (!c) return 0;
  if (c->index == TCP_FRAMES && c->receives.first == r) take_frame(c);
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

/* Of receives. One that was begun can't be given up without its connection. */
static int cancel(void* request) {
  tcp_request* r = (tcp_request*)(uintptr_t)*(uint64_t*)request;
  if (r->state != TCP_PENDING) return 0;
  queue_remove(r->channel ? &r->channel->receives : &r->tcp->any, r);
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
  free_channel(&p->channels[TCP_CHUNKS], TCP_CLOSED);
  if (linger && frames->sends.first) {
    fail_all(&frames->receives, TCP_CLOSED);
  } else {
    free_channel(frames, TCP_CLOSED);
  }
}

static void reset_channel(tcp_channel* c) {
  c->state = CHANNEL_CLOSED;
  c->error = c->round = 0;
  queue_clear(&c->sends);
  queue_clear(&c->receives);
}

static void admit(uint64_t comm, int rank, uint32_t incarnation, const tfc_tcp_address* at) {
  tcp_peer* p = &((tfc_tcp*)(uintptr_t)comm)->peers[rank];
  disconnect(comm, rank, false);
  for (int i = 0; i < TCP_CHANNELS; i++) reset_channel(&p->channels[i]);
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
  queue_clear(&tcp->any);
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
      peers[i].channels[j] = (tcp_channel){.tcp = tcp, .rank = i, .index = j, .fd = -1};
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
    for (int j = 0; j < TCP_CHANNELS; j++) tfc_tcp_close_fd(&tcp->peers[i].channels[j].fd);
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
