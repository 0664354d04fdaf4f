/* Connections of the TCP link: listening, connecting, greeting.
 *
 * A channel's connection is made by whoever first has something to send. It greets, and the other
 * side answers. If both connect at the same time, the connection of the lower rank stays, unless it
 * has not come as far as a greeting. A process that has connected and does not greet in time, or
 * does not know the token, is a stranger: few are kept, and the oldest go first.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "transport/tcp_state.h"

static const int64_t MS = 1000000;
static const int64_t CONNECT_NS = 250 * MS; /* for the first attempt at an address */
static const int64_t PAUSE_NS = 50 * MS;    /* after the first round of addresses */
static const int64_t STRANGER_NS = 5000 * MS;
static const int64_t CHECK_NS = 1 * MS; /* how often deadlines are looked at */

enum { GREETING_PATIENCE = 4, MAX_DOUBLINGS = 5, ACCEPTS_PER_TURN = 16 };

int64_t tfc_tcp_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int fd_of(const int* fd) {
  return __atomic_load_n(fd, __ATOMIC_RELAXED);
}

void tfc_tcp_close_fd(int* fd) {
  int old = __atomic_exchange_n(fd, -1, __ATOMIC_RELAXED);
  if (old >= 0) close(old);
}

void tfc_tcp_close_channel(tcp_channel* c, tcp_channel_state state) {
  tfc_tcp_close_fd(&c->fd);
  c->state = state;
  c->readable = c->writable = c->hung_up = c->write_ended = false;
  c->in_bytes = 0;
  if (state == CHANNEL_ENDED) return;
  c->begin = c->end = 0;
}

static void set_deadline(tcp_channel* c, int64_t ns) {
  c->deadline = tfc_tcp_now() + ns;
  c->tcp->timed = true;
}

static int64_t doubled(int64_t ns, int times) {
  return ns << (times < MAX_DOUBLINGS ? times : MAX_DOUBLINGS);
}

static bool watch(tfc_tcp* tcp, int how, int fd, uint64_t event) {
  struct epoll_event e = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.u64 = event};
  return epoll_ctl(tcp->epoll, how, fd, &e) == 0;
}

static uint64_t event_of(const tcp_channel* c) {
  return tcp_event(EVENT_CHANNEL, c->rank * TCP_CHANNELS + c->index);
}

static void set_options(int fd) {
  int yes = 1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

/* ---- Greetings */

static tcp_greeting make_greeting(const tcp_channel* c) {
  return (tcp_greeting){
      .magic = TCP_MAGIC,
      .version = TCP_VERSION,
      .channel = (uint32_t)c->index,
      .token = c->tcp->token,
      .from = c->tcp->rank,
      .to = c->rank,
      .from_incarnation = c->tcp->incarnation,
      .to_incarnation = tcp_peer_of(c)->incarnation,
      .attempt = c->attempts,
  };
}

/* Whether a greeting comes from this channel's peer, and is for this process. It takes the same
 * time wherever the token differs. */
static bool is_from_peer(const tcp_channel* c, const tcp_greeting* g) {
  uint64_t wrong_token = g->token ^ c->tcp->token;
  return (g->magic == TCP_MAGIC) & (g->version == TCP_VERSION) & (wrong_token == 0) &
         (g->channel == (uint32_t)c->index) & (g->from == c->rank) & (g->to == c->tcp->rank) &
         (g->from_incarnation == tcp_peer_of(c)->incarnation) &
         (g->to_incarnation == c->tcp->incarnation) & (g->from_incarnation != 0);
}

/* A new connection has room for a greeting. */
static bool send_greeting(const tcp_channel* c) {
  tcp_greeting g = make_greeting(c);
  return send(c->fd, &g, sizeof g, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)sizeof g;
}

/* Reads on; whether the greeting is complete. *over: the connection has ended. */
static bool read_greeting(int fd, tcp_greeting* g, size_t* bytes, bool* over) {
  ssize_t n;
  do {
    n = recv(fd, (char*)g + *bytes, sizeof *g - *bytes, MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR); /* what is here makes no second event */
  *over = n == 0 || (n < 0 && errno != EAGAIN);
  if (n > 0) *bytes += (size_t)n;
  return *bytes == sizeof *g;
}

static void open_channel(tcp_channel* c, tcp_channel_state state) {
  c->state = state;
  c->readable = c->writable = true;
  if (c->index == TCP_FRAMES && !c->staging && !(c->staging = malloc(STAGING_BYTES)))
    tfc_tcp_end_channel(c, ENOMEM);
  tfc_tcp_activate(c);
}

/* ---- Connecting */

/* Returns whether the connection is under way; *refused: nobody listens there. */
static bool try_address(tcp_channel* c, bool* refused) {
  const tfc_tcp_address* at = &tcp_peer_of(c)->at;
  struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(at->port)};
  to.sin_addr.s_addr = at->hosts[c->address];
  *refused = false;
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) return false;
  tfc_tcp_close_channel(c, CHANNEL_CONNECTING);
  __atomic_store_n(&c->fd, fd, __ATOMIC_RELAXED);
  set_options(fd);
  int error = connect(fd, (struct sockaddr*)&to, sizeof to) ? errno : 0;
  *refused = error == ECONNREFUSED;
  if ((error && error != EINPROGRESS) || !watch(c->tcp, EPOLL_CTL_ADD, fd, event_of(c)))
    return false;
  set_deadline(c, doubled(CONNECT_NS, c->round));
  return true;
}

/* Tries the addresses from c->address on. Where all refuse there is no process; where some are
 * silent there may be. */
static void try_addresses(tcp_channel* c) {
  tcp_peer* p = tcp_peer_of(c);
  for (bool refused; c->address < p->at.n; c->address++) {
    if (try_address(c, &refused)) return;
    c->all_refused &= refused;
  }
  if (c->all_refused || p->gone) {
    tfc_tcp_end_channel(c, p->at.n ? ECONNREFUSED : EDESTADDRREQ);
    return;
  }
  tfc_tcp_close_channel(c, CHANNEL_PAUSING);
  set_deadline(c, doubled(PAUSE_NS, c->round++));
}

void tfc_tcp_connect(tcp_channel* c) {
  c->address = 0;
  c->all_refused = true;
  try_addresses(c);
}

static void try_next_address(tcp_channel* c, bool refused) {
  tfc_tcp_close_channel(c, CHANNEL_CONNECTING);
  c->all_refused &= refused;
  c->address++;
  try_addresses(c);
}

static void greet(tcp_channel* c) {
  int error = 0;
  socklen_t n = sizeof error;
  if (getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &error, &n)) error = errno;
  c->attempts++;
  if (error || !send_greeting(c)) {
    /* Not yet connected: an event of an earlier connection was taken for one of this. */
    if (!error && (errno == EAGAIN || errno == ENOTCONN)) return;
    try_next_address(c, error == ECONNREFUSED);
    return;
  }
  c->state = CHANNEL_GREETING;
  c->answer_bytes = 0;
  set_deadline(c, GREETING_PATIENCE * doubled(CONNECT_NS, c->round));
}

static void hear_answer(tcp_channel* c) {
  bool over;
  if (read_greeting(c->fd, &c->answer, &c->answer_bytes, &over)) {
    if (is_from_peer(c, &c->answer)) {
      open_channel(c, CHANNEL_OPEN);
    } else {
      try_next_address(c, false);
    }
  } else if (over) {
    try_next_address(c, false);
  }
}

void tfc_tcp_advance_connecting(tcp_channel* c) {
  if (c->state == CHANNEL_CONNECTING && (c->writable || c->hung_up)) greet(c);
  if (c->state == CHANNEL_GREETING && (c->readable || c->hung_up)) hear_answer(c);
}

/* ---- Being connected to */

void tfc_tcp_withdraw(tcp_channel* c) {
  tfc_tcp_close_channel(c, CHANNEL_CLOSED);
  if (c->sends.first) tfc_tcp_connect(c);
}

/* Where a network was cut, the greeting of an attempt that was given up may come after that of the
 * next one, by which the peer has sent its first messages already. */
static bool may_accept(const tcp_channel* c, const tcp_greeting* g) {
  const tcp_peer* p = tcp_peer_of(c);
  if (g->attempt <= c->heard) return false;
  if (p->gone || c->state == CHANNEL_OPEN || c->state == CHANNEL_ENDED) return false;
  return c->state != CHANNEL_GREETING || c->rank < c->tcp->rank;
}

/* Turns a stranger whose greeting was accepted into the peer's channel. */
static void meet(tfc_tcp* tcp, tcp_stranger* s) {
  const tcp_greeting* g = &s->greeting;
  if (g->from < 0 || g->from >= tcp->size || g->from == tcp->rank || g->channel >= TCP_CHANNELS)
    return;
  tcp_channel* c = &tcp->peers[g->from].channels[g->channel];
  if (!is_from_peer(c, g) || !may_accept(c, g)) return;
  c->heard = g->attempt;
  tfc_tcp_close_channel(c, CHANNEL_CLOSED);
  __atomic_store_n(&c->fd, s->fd, __ATOMIC_RELAXED);
  __atomic_store_n(&s->fd, -1, __ATOMIC_RELAXED);
  if (!watch(tcp, EPOLL_CTL_MOD, c->fd, event_of(c)) || !send_greeting(c)) {
    tfc_tcp_withdraw(c);
  } else {
    open_channel(c, CHANNEL_ACCEPTED);
  }
}

static void forget_stranger(tfc_tcp* tcp, tcp_stranger* s) {
  tfc_tcp_close_fd(&s->fd);
  s->bytes = 0;
  tcp->n_strangers--;
}

void tfc_tcp_hear_stranger(tfc_tcp* tcp, int number) {
  tcp_stranger* s = &tcp->strangers[number];
  bool over;
  if (fd_of(&s->fd) < 0) return;
  bool complete = read_greeting(s->fd, &s->greeting, &s->bytes, &over);
  if (complete) meet(tcp, s);
  if (complete || over) forget_stranger(tcp, s);
}

/* A place for another one: that of the oldest if there is none left. */
static int place_for_stranger(tfc_tcp* tcp) {
  int oldest = 0;
  for (int i = 0; i < MAX_STRANGERS; i++) {
    if (fd_of(&tcp->strangers[i].fd) < 0) return i;
    if (tcp->strangers[i].since < tcp->strangers[oldest].since) oldest = i;
  }
  forget_stranger(tcp, &tcp->strangers[oldest]);
  return oldest;
}

void tfc_tcp_accept(tfc_tcp* tcp) {
  for (int n = 0; n < ACCEPTS_PER_TURN; n++) {
    int fd = accept4(tcp->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      tcp->accepts = errno != EAGAIN; /* without a descriptor now, later */
      return;
    }
    int i = place_for_stranger(tcp);
    tcp_stranger* s = &tcp->strangers[i];
    __atomic_store_n(&s->fd, fd, __ATOMIC_RELAXED);
    s->since = tfc_tcp_now();
    s->bytes = 0;
    tcp->n_strangers++;
    tcp->timed = true;
    set_options(fd);
    if (!watch(tcp, EPOLL_CTL_ADD, fd, tcp_event(EVENT_STRANGER, i))) {
      forget_stranger(tcp, s);
    } else {
      tfc_tcp_hear_stranger(tcp, i);
    }
  }
  tcp->accepts = true;
}

/* ---- Deadlines */

static bool check_channel(tcp_channel* c, int64_t now) {
  bool waits =
      c->state == CHANNEL_CONNECTING || c->state == CHANNEL_GREETING || c->state == CHANNEL_PAUSING;
  if (waits && now >= c->deadline) {
    if (c->state == CHANNEL_PAUSING) {
      tfc_tcp_connect(c);
    } else {
      try_next_address(c, false);
    }
  }
  return waits;
}

void tfc_tcp_check_deadlines(tfc_tcp* tcp, int64_t now) {
  if (now < tcp->next_check) return;
  bool any = tcp->n_strangers > 0;
  for (int i = 0; i < MAX_STRANGERS; i++)
    if (fd_of(&tcp->strangers[i].fd) >= 0 && now > tcp->strangers[i].since + STRANGER_NS)
      forget_stranger(tcp, &tcp->strangers[i]);
  for (int i = 0; i < tcp->size; i++) {
    tcp_peer* p = &tcp->peers[i];
    for (int j = 0; j < TCP_CHANNELS; j++) any |= check_channel(&p->channels[j], now);
    if (!p->ended || p->gone) continue;
    tfc_tcp_settle(p, now);
    any |= !p->gone;
  }
  tcp->timed = any;
  tcp->next_check = now + CHECK_NS;
}
