/* The messages of a connection of the TCP link: reading, writing, and the end of a peer.
 *
 * Each message has a header: its size and tag. Frames are read into a buffer of the channel, many
 * at a time, and copied from there; chunks are read straight into the memory of tensors. What
 * nobody has posted a receive for stays in the socket, which stops the sender in time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "transport/tcp_state.h"

enum { PARTS_PER_WRITE = 32, FILLS_PER_TURN = 8 };

/* Limits of a channel before others have their turn. */
enum { BYTES_PER_CALL = 1 << 20, BYTES_PER_TURN = 1 << 21 };

enum { MAX_FRAME = STAGING_BYTES - (int)sizeof(tcp_header) };

/* When one channel has ended, how long the other one may take to. */
static const int64_t GRACE_NS = 200000000;

/* ---- Queues of requests */

void tfc_tcp_queue_clear(tcp_queue* q) {
  q->first = NULL;
  q->end = &q->first;
}

void tfc_tcp_queue_add(tcp_queue* q, tcp_request* r) {
  r->next = NULL;
  *q->end = r;
  q->end = &r->next;
}

void tfc_tcp_queue_remove(tcp_queue* q, tcp_request* r) {
  tcp_request** place = &q->first;
  while (*place && *place != r) place = &(*place)->next;
  if (!*place) return;
  *place = r->next;
  if (!*place) q->end = place;
}

static void complete(tcp_queue* q, int source, int count) {
  tcp_request* r = q->first;
  r->state = TCP_DONE;
  r->source = source;
  r->count = count;
  tfc_tcp_queue_remove(q, r);
}

void tfc_tcp_fail_all(tcp_queue* q, int error) {
  for (tcp_request *r = q->first, *next; r; r = next) {
    next = r->next;
    r->state = TCP_FAILED;
    r->error = error;
  }
  tfc_tcp_queue_clear(q);
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
  tfc_tcp_fail_all(&c->sends, error);
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

void tfc_tcp_free_channel(tcp_channel* c, int error) {
  tfc_tcp_end_channel(c, error);
  tfc_tcp_fail_all(&c->receives, error);
  free(c->staging);
  c->staging = NULL;
  c->begin = c->end = 0;
}

void tfc_tcp_give_up_channel(tcp_channel* c) {
  if ((c->state == CHANNEL_OPEN || c->state == CHANNEL_ACCEPTED) && !c->hung_up) {
    epoll_ctl(c->tcp->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    tfc_tcp_close_fd(&c->kept);
    __atomic_store_n(&c->kept, c->fd, __ATOMIC_RELAXED);
    __atomic_store_n(&c->fd, -1, __ATOMIC_RELAXED);
  }
  tfc_tcp_free_channel(c, TCP_CLOSED);
}

static void end_peer(tcp_peer* p) {
  int error = TCP_CLOSED;
  for (int i = 0; i < TCP_CHANNELS; i++)
    if (p->channels[i].state == CHANNEL_ENDED && p->channels[i].error != TCP_CLOSED)
      error = p->channels[i].error;
  p->gone = true;
  for (int i = 0; i < TCP_CHANNELS; i++) tfc_tcp_free_channel(&p->channels[i], error);
}

/* ---- Frames */

static bool read_header(const tcp_channel* c, tcp_header* h) {
  if (c->end - c->begin < sizeof *h) return false;
  memcpy(h, c->staging + c->begin, sizeof *h);
  return true;
}

/* Whether a whole frame has been read, or malformed data. */
static bool has_frame(const tcp_channel* c) {
  tcp_header h;
  return read_header(c, &h) &&
         (h.bytes > MAX_FRAME || c->end - c->begin >= sizeof h + (size_t)h.bytes);
}

/* Gives the next frame to the receive that waits for it. */
bool tfc_tcp_take_frame(tcp_channel* c) {
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
    if (tfc_tcp_take_frame(c)) {
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
  tfc_tcp_fail_all(&c->sends, error);
  tfc_tcp_activate(c);
}

bool tfc_tcp_write_channel(tcp_channel* c) {
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

/* ---- A turn */

bool tfc_tcp_advance_channel(tcp_channel* c) {
  const tcp_peer* p = tcp_peer_of(c);
  bool any = false;
  tfc_tcp_advance_connecting(c);
  bool open = c->state == CHANNEL_OPEN || c->state == CHANNEL_ACCEPTED;
  if (!p->gone && (open || (c->state == CHANNEL_ENDED && c->staging)))
    any = c->index == TCP_FRAMES ? read_frames(c) : read_chunks(c);
  any |= tfc_tcp_write_channel(c);
  if (p->gone && !c->sends.first && c->state != CHANNEL_ENDED) tfc_tcp_give_up_channel(c);
  return any;
}

/* A peer that has died may have sent more than was read. */
void tfc_tcp_settle(tcp_peer* p, int64_t now) {
  const tcp_channel *frames = &p->channels[TCP_FRAMES], *chunks = &p->channels[TCP_CHUNKS];
  bool late = now > p->ended + GRACE_NS;
  bool frames_over =
      frames->state == CHANNEL_ENDED ? !has_frame(frames) : late && !frames->readable;
  bool chunks_over =
      chunks->state == CHANNEL_ENDED || !chunks->receives.first || (late && !chunks->readable);
  if (frames_over && chunks_over) end_peer(p);
}
