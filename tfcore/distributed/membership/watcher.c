/* The thread that takes part in failure detection.
 *
 * `lock` guards the detector, its events, outgoing fallback messages, and changes of `peers`;
 * nothing is called under it but the detector and sendto. Peers' times are atomic (relaxed: each
 * stands for itself), but for `source`, which is set before `seen` (release, acquire) and never
 * again. All else belongs to the thread. */
#define _GNU_SOURCE
#include "membership/watcher.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WATCHED = 2 /* tasks of this host */, MAX_ADDRESSES = 8, MAX_DATAGRAM = 65000 };
enum { DOORBELL = 1, PONG = 2, DETECTOR = 3 };

static const int64_t FALLBACK_NS = 500 * 1000000; /* for datagrams to get through */
static const int64_t WORKS_NS = 1000 * 1000000;   /* for the answer to a doorbell */
static const int64_t PONG_NS = 500 * 1000000;
static const int64_t LAST_WORDS_NS = 100 * 1000000;
static const int64_t LAST_WORDS_LOOK_NS = 5 * 1000000;
static const int64_t LATE_NS = 150 * 1000000; /* it wakes every 50 ms */

typedef struct datagram {
  uint64_t token;
  int32_t rank;
  int16_t kind;
  int16_t sees_yours; /* datagrams of the receiver have come to the sender */
  /* Incarnations: what comes from another process of a place, or is for one, is dropped. */
  uint32_t source, target;
  uint8_t data[];
} datagram;

typedef struct peer {
  struct peer* before; /* of the same place; kept, as threads may just be using it */
  uint32_t incarnation;
  struct sockaddr_in addresses[MAX_ADDRESSES];
  int n;
  struct sockaddr_in source; /* of the first datagram: an address that works */
  int64_t pid;               /* 0: it shares no memory with this task */
  bool connected;            /* under the lock: it was sent a BEAT */
  int64_t seen;              /* atomic: when the last datagram came; 0: none has come */
  int64_t sees;              /* atomic: 1 when one came that says that ours come there */
  int64_t first_sent, last_sent, rang_since; /* atomic; 0: not; a doorbell without an answer */
} peer;

/* What waits to be done without the lock. */
typedef struct event {
  struct event* next;
  bool is_message; /* a detector's, over the fabric */
  int rank, what;  /* what: a tfc_member_event; 0: this task is excluded */
  uint32_t number; /* that the place has got */
  size_t bytes;
  char data[]; /* or text */
} event;

typedef struct watched {
  int rank; /* -1: none */
  const peer* of;
  int fd; /* -1: forbidden in this container */
  int64_t beat, quiet, gone_at;
} watched;

struct tfc_watcher {
  tfc_watcher_options options;
  peer** peers; /* atomic, by rank: `admit` replaces them */
  int bell;
  pthread_t thread;
  int started, stopped; /* atomic */
  int unseen;           /* atomic: 1 + a rank whose BEAT came while none of its datagrams had; 0 */
  pthread_mutex_t lock;
  tfc_detector* detector;
  tfc_rank_set empty; /* until the detector is made */
  event *first, **last;
  int64_t real, awake; /* under lock: when the thread last ran, and its own time */
  watched watched[WATCHED];
  uint8_t in[MAX_DATAGRAM];
};

/* The handlers of the fabric have no argument. */
static tfc_watcher* current; /* atomic */
static int64_t users_inside; /* atomic: handlers between acquire and release */

#define load(p) __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define store(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)

static int64_t monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static peer* peer_of(tfc_watcher* h, int rank) {
  return load(&h->peers[rank]);
}

/* Until `release`, tfc_watcher_stop does not return. */
static tfc_watcher* acquire(void) {
  __atomic_fetch_add(&users_inside, 1, __ATOMIC_SEQ_CST);
  return __atomic_load_n(&current, __ATOMIC_SEQ_CST);
}

static void release(void) {
  __atomic_fetch_sub(&users_inside, 1, __ATOMIC_SEQ_CST);
}

/* ---- Datagrams */

static void send_to(tfc_watcher* h, const peer* p, const struct iovec* parts) {
  struct msghdr m = {.msg_iov = (struct iovec*)parts, .msg_iovlen = 2};
  bool known = load(&p->seen);
  for (int i = 0; i < (known ? 1 : p->n); i++) {
    m.msg_name = (void*)(known ? &p->source : &p->addresses[i]);
    m.msg_namelen = sizeof p->source;
    sendmsg(h->options.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
  }
}

static void send_datagram(tfc_watcher* h, int rank, int kind, const void* data, size_t bytes) {
  peer* p = peer_of(h, rank);
  datagram head = {h->options.token,    h->options.rank,        (int16_t)kind,
                   load(&p->seen) != 0, h->options.incarnation, p->incarnation};
  struct iovec parts[2] = {{&head, sizeof head}, {(void*)data, bytes}};
  int64_t now = monotonic();
  if (!load(&p->first_sent)) store(&p->first_sent, now);
  store(&p->last_sent, now);
  send_to(h, p, parts);
}

void tfc_watcher_ring(void* watcher, int rank) {
  tfc_watcher* h = watcher;
  peer* p = peer_of(h, rank);
  if (!load(&p->rang_since)) store(&p->rang_since, monotonic());
  send_datagram(h, rank, DOORBELL, NULL, 0);
}

/* The peer answers a doorbell, unless it has sent something lately. What gets through in one
 * direction is taken to do so in the other one. */
bool tfc_watcher_doorbell_works(void* watcher, int rank) {
  tfc_watcher* h = watcher;
  const peer* p = peer_of(h, rank);
  int64_t rang = load(&p->rang_since);
  return load(&p->seen) && (!rang || monotonic() - rang < WORKS_NS);
}

/* ---- What the detector asks, under the lock */

static void add_event(tfc_watcher* h, bool is_message, int rank, int what, uint32_t number,
                      const void* data, size_t bytes) {
  event* e = malloc(sizeof *e + bytes + 1);
  if (!e) return; /* a message is lost; whom the detector takes for dead answers nobody any more */
  *e = (event){NULL, is_message, rank, what, number, bytes};
  if (bytes) memcpy(e->data, data, bytes);
  e->data[bytes] = 0;
  *h->last = e;
  h->last = &e->next;
}

static void on_send(void* user, int to, const void* data, size_t bytes) {
  tfc_watcher* h = user;
  peer* p = peer_of(h, to);
  send_datagram(h, to, DETECTOR, data, bytes);
  if (!p->pid &&
      !p->connected) { /* so that the end of its process shows, as that of a connection */
    p->connected = true;
    add_event(h, true, to, 0, 0, NULL, 0);
  }
  if (!load(&p->sees) && monotonic() - load(&p->first_sent) > FALLBACK_NS)
    add_event(h, true, to, 0, 0, data, bytes);
}

static void on_changed(void* user, int rank, uint32_t number, int what, const char* text) {
  add_event(user, false, rank, what, number, text, strlen(text));
}

static void on_ended(void* user, const char* why) {
  add_event(user, false, ((tfc_watcher*)user)->options.rank, 0, 0, why, strlen(why));
}

/* ---- The fabric */

static void wake(tfc_watcher* h) {
  uint64_t one = 1;
  if (write(h->bell, &one, sizeof one) < 0) return; /* it is rung already */
}

static void send_beat(tfc_watcher* h, const event* e) {
  tfc_tensor t = {.dtype = TFC_UINT8};
  int64_t n = (int64_t)e->bytes;
  tfc_message m = {.kind = TFC_MSG_BEAT, .code = load(&peer_of(h, e->rank)->seen) != 0};
  if (n && !tfc_tensor_new(&t, 1, &n)) return; /* the next one will do */
  if (n) memcpy(t.data, e->data, e->bytes);
  tfc_send(e->rank, &m, n ? &t : NULL);
  tfc_tensor_clear(&t);
}

/* The number that the place has when the process has ended that has it in the fabric. */
static uint32_t number_of_end(const tfc_watcher* h, int rank) {
  return tfc_number_of(tfc_generation_of(rank), true);
}

/* The place has got an odd number: the process of that number has ended, and those before it, but
 * another one may be there by now. Its incarnation is read first: it is then no
 * younger than the process whose number is compared. */
static void fail_up_to(const tfc_watcher* h, int rank, uint32_t number, const char* why) {
  uint32_t incarnation = tfc_incarnation_of(rank);
  if (number_of_end(h, rank) <= number) tfc_fail_incarnation(rank, incarnation, why);
}

static void do_event(tfc_watcher* h, const event* e) {
  if (load(&h->stopped)) return;
  if (e->is_message) {
    send_beat(h, e);
  } else if (!e->what) {
    tfc_exclude(e->data);
  } else if (e->what == TFC_MEMBER_DEAD || e->what == TFC_MEMBER_FROZEN) {
    fail_up_to(h, e->rank, e->number, e->data);
  } /* that it leaves it says itself, after its other messages */
}

static void do_events(tfc_watcher* h) {
  pthread_mutex_lock(&h->lock);
  event* e = h->first;
  h->first = NULL;
  h->last = &h->first;
  pthread_mutex_unlock(&h->lock);
  for (event* next; e; e = next) {
    next = e->next;
    do_event(h, e);
    free(e);
  }
}

void tfc_watcher_note(tfc_watcher* h, int rank, uint32_t number, int what, const char* text) {
  pthread_mutex_lock(&h->lock);
  tfc_detector_note(h->detector, h->awake, rank, number, what, text);
  pthread_mutex_unlock(&h->lock);
  wake(h);
}

/* Whatever the fabric found first: a report of MPI, malformed data, or an exit in order.
 * Nobody takes the place before this has returned. */
static void note_failure(tfc_watcher* h, int rank) {
  if (rank == h->options.rank) return;
  if (tfc_failure_code() == TFC_ABORTED) return; /* only this task has failed */
  char* reason = tfc_failure(rank);
  if (!reason) return;
  int what = strcmp(reason, "it has ended") ? TFC_MEMBER_DEAD : TFC_MEMBER_LEFT;
  tfc_watcher_note(h, rank, number_of_end(h, rank), what, reason);
  free(reason);
}

static void on_failure(int rank) {
  tfc_watcher* h = acquire();
  if (h) note_failure(h, rank);
  release();
}

/* A message of a detector that came as a datagram or over the fabric. */
static void hear(tfc_watcher* h, const void* data, size_t bytes) {
  pthread_mutex_lock(&h->lock);
  tfc_detector_receive(h->detector, h->awake, data, bytes);
  pthread_mutex_unlock(&h->lock);
}

static void on_beat(const tfc_message* m, tfc_tensor* payload) {
  tfc_watcher* h = acquire();
  if (h && payload->dtype == TFC_UINT8 && m->source >= 0 && m->source < h->options.size) {
    peer* p = peer_of(h, m->source);
    if (m->code) store(&p->sees, 1);
    if (!load(&p->seen)) store(&h->unseen, m->source + 1);
    hear(h, payload->data, (size_t)payload->n);
    wake(h);
  }
  release();
  tfc_tensor_clear(payload);
}

/* ---- Processes of this host */

void tfc_how_it_ended(int64_t pid, char* text, size_t size) {
  char path[40], stat[1024];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/stat", pid);
  text[0] = 0;
  FILE* file = fopen(path, "r");
  if (!file) return;
  size_t n = fread(stat, 1, sizeof stat - 1, file);
  fclose(file);
  stat[n] = 0;
  char* at = strrchr(stat, ')'); /* field 2, which may contain anything */
  if (!at || !at[1] || !strchr("ZX", at[2])) return;
  for (int field = 2; at && field < 52; field++) at = strchr(at + 1, ' ');
  int status = at ? atoi(at) : 0; /* 0 also where it may not be seen */
  if (!status) return;
  if (WIFEXITED(status)) snprintf(text, size, " (exit code %d)", WEXITSTATUS(status));
  if (!WIFSIGNALED(status)) return;
  const char* name = sigabbrev_np(WTERMSIG(status));
  if (name) snprintf(text, size, " (SIG%s)", name);
  if (!name) snprintf(text, size, " (signal %d)", WTERMSIG(status));
}

static void forget(watched* w) {
  if (w->fd >= 0) close(w->fd);
  *w = (watched){.rank = -1, .fd = -1};
}

static void watch(tfc_watcher* h, watched* w, int rank, int64_t now) {
  int64_t pid = peer_of(h, rank)->pid;
  *w = (watched){.rank = rank, .of = peer_of(h, rank), .fd = -1};
  w->fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
  if (w->fd < 0 && errno == ESRCH) w->gone_at = now;
}

static bool watches(const watched* w, const peer* p, int rank) {
  return w->rank == rank && w->of == p;
}

/* The next living ones after this task, by rank. */
static void choose_watched(tfc_watcher* h, int64_t now) {
  int n = 0, size = h->options.size;
  for (int i = 1; i < size && n < WATCHED; i++) {
    int rank = (h->options.rank + i) % size;
    if (!peer_of(h, rank)->pid || !tfc_is_alive(rank)) continue;
    watched* w = &h->watched[n++];
    if (watches(w, peer_of(h, rank), rank)) continue;
    if (n < WATCHED && watches(&h->watched[n], peer_of(h, rank), rank)) { /* it moves up */
      forget(w);
      *w = h->watched[n];
      h->watched[n] = (watched){.rank = -1, .fd = -1};
      continue;
    }
    forget(w);
    watch(h, w, rank, now);
  }
  for (; n < WATCHED; n++) forget(&h->watched[n]);
}

/* The watched process has ended, or as good as; no effect if another one has its place by now. */
static void note_watched(tfc_watcher* h, const watched* w, int what, const char* text) {
  uint32_t number = number_of_end(h, w->rank); /* before it is known whose that is, or was */
  if (tfc_incarnation_of(w->rank) == w->of->incarnation)
    tfc_watcher_note(h, w->rank, number, what, text);
}

/* If it left in order, its last message has arrived and only has to be handled. */
static void await_last_words(tfc_watcher* h, watched* w, int64_t now) {
  char how[32], text[80];
  tfc_poll();
  if (!tfc_is_alive(w->rank) || now - w->gone_at < LAST_WORDS_NS) return;
  tfc_how_it_ended(w->of->pid, how, sizeof how);
  snprintf(text, sizeof text, "process %" PRId64 " is gone%s", w->of->pid, how);
  note_watched(h, w, TFC_MEMBER_DEAD, text);
  /* Others may have said that it left: then the view does not change, and its last message is
   * lost. */
  tfc_fail_incarnation(w->rank, w->of->incarnation, text);
}

/* `passed`: time in which this thread ran, since it looked last. */
static void look(tfc_watcher* h, watched* w, int64_t now, int64_t passed) {
  if (w->rank < 0) return;
  if (w->gone_at) {
    await_last_words(h, w, now);
    return;
  }
  int64_t beat = tfc_heartbeat_of(w->rank);
  w->quiet = beat && beat == w->beat ? w->quiet + passed : 0; /* 0: its memory is not mapped */
  w->beat = beat;
  if (!h->options.limit_ns || w->quiet <= h->options.limit_ns) return;
  char text[80];
  snprintf(text, sizeof text, "it has given no sign of life for %.1f s", (double)w->quiet / 1e9);
  note_watched(h, w, TFC_MEMBER_FROZEN, text);
}

/* ---- The thread */

static void handle_datagram(tfc_watcher* h, const datagram* d, size_t bytes,
                            const struct sockaddr_in* source) {
  if (bytes < sizeof *d || d->token != h->options.token) return;
  if (d->rank < 0 || d->rank >= h->options.size || d->rank == h->options.rank) return;
  peer* p = peer_of(h, d->rank);
  if (d->source != p->incarnation || d->target != h->options.incarnation) return;
  if (!load(&p->seen)) p->source = *source;
  store(&p->seen, monotonic());
  store(&p->rang_since, 0);
  if (d->sees_yours) store(&p->sees, 1);
  if (d->kind == DOORBELL) {
    h->options.doorbell_rang();
    if (monotonic() - load(&p->last_sent) > PONG_NS) send_datagram(h, d->rank, PONG, NULL, 0);
  }
  if (d->kind == DETECTOR) hear(h, d->data, bytes - sizeof *d);
}

/* True: there are no more. */
static bool receive_datagrams(tfc_watcher* h) {
  struct sockaddr_in source;
  for (int i = 0; i < 256; i++) {
    socklen_t n = sizeof source;
    ssize_t got =
        recvfrom(h->options.fd, h->in, sizeof h->in, MSG_DONTWAIT, (struct sockaddr*)&source, &n);
    if (got < 0) return true;
    handle_datagram(h, (const datagram*)h->in, (size_t)got, &source);
  }
  return false;
}

/* A BEAT goes only to tasks to which datagrams have been sent for a while. They get lost if none is
 * there by now, and not if this thread has only not read them yet; then the next BEAT tells. */
static void receive_all(tfc_watcher* h) {
  int unseen = __atomic_exchange_n(&h->unseen, 0, __ATOMIC_ACQ_REL);
  bool all = receive_datagrams(h);
  if (!unseen || !all || load(&peer_of(h, unseen - 1)->seen)) return;
  pthread_mutex_lock(&h->lock);
  tfc_detector_go_slow(h->detector);
  pthread_mutex_unlock(&h->lock);
}

/* Time in which this process was stopped, or got no processor, doesn't count: it says nothing of
 * the others. Where a hundred tasks share two cores, each hop of a wave takes so long. */
static int64_t pass_time(tfc_watcher* h, int64_t* passed) {
  int64_t now = monotonic();
  pthread_mutex_lock(&h->lock);
  *passed = now - h->real;
  if (*passed > LATE_NS) *passed = TFC_WATCHER_INTERVAL_NS;
  h->real = now;
  h->awake += *passed;
  int64_t awake = h->awake;
  pthread_mutex_unlock(&h->lock);
  return awake;
}

static int64_t wait_for_events(tfc_watcher* h, int64_t ns) {
  struct pollfd fds[2 + WATCHED] = {{.fd = h->options.fd, .events = POLLIN},
                                    {.fd = h->bell, .events = POLLIN}};
  for (int i = 0; i < WATCHED; i++) {
    const watched* w = &h->watched[i];
    if (w->gone_at && ns > LAST_WORDS_LOOK_NS) ns = LAST_WORDS_LOOK_NS;
    fds[2 + i] = (struct pollfd){.fd = w->gone_at ? -1 : w->fd, .events = POLLIN};
  }
  struct timespec t = {ns / 1000000000, ns % 1000000000};
  uint64_t rings;
  ppoll(fds, 2 + WATCHED, &t, NULL);
  int64_t now = monotonic();
  if (fds[1].revents && read(h->bell, &rings, sizeof rings) < 0) return now;
  for (int i = 0; i < WATCHED; i++)
    if (fds[2 + i].revents) h->watched[i].gone_at = now;
  return now;
}

static void* run(void* watcher) {
  tfc_watcher* h = watcher;
  int64_t tick = TFC_WATCHER_INTERVAL_NS / 2, next = 0, since_look = 0, passed;
  while (!load(&h->stopped)) {
    int64_t now = monotonic();
    now = wait_for_events(h, next > now ? next - now : 0);
    /* First what has come meanwhile: with the time of before, if this process was stopped. */
    receive_all(h);
    int64_t awake = pass_time(h, &passed);
    since_look += passed;
    bool due = now >= next;
    if (due) {
      next = now + tick;
      choose_watched(h, now);
      pthread_mutex_lock(&h->lock);
      tfc_detector_tick(h->detector, awake);
      pthread_mutex_unlock(&h->lock);
    }
    for (int i = 0; i < WATCHED; i++)
      if (due || h->watched[i].gone_at) look(h, &h->watched[i], now, due ? since_look : 0);
    if (due) since_look = 0;
    do_events(h);
  }
  return NULL;
}

/* ---- Opening and closing */

tfc_watcher* tfc_watcher_new(const tfc_watcher_options* options) {
  tfc_watcher* h = calloc(1, sizeof *h);
  if (!h) return NULL;
  h->options = *options;
  h->empty.size = options->size;
  h->last = &h->first;
  h->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  h->peers = calloc((size_t)options->size, sizeof *h->peers);
  for (int i = 0; i < WATCHED; i++) h->watched[i] = (watched){.rank = -1, .fd = -1};
  pthread_mutex_init(&h->lock, NULL);
  bool ok = h->peers && h->bell >= 0;
  for (int i = 0; ok && i < options->size; i++) ok = tfc_watcher_admit(h, i, 0, NULL, 0, 0);
  if (ok) return h;
  tfc_watcher_free(h);
  return NULL;
}

bool tfc_watcher_admit(tfc_watcher* h, int rank, uint32_t incarnation,
                       const struct sockaddr_in* addresses, int n, int64_t pid) {
  peer* p = calloc(1, sizeof *p);
  if (!p) return false;
  p->incarnation = incarnation;
  p->n = n < MAX_ADDRESSES ? n : MAX_ADDRESSES;
  p->pid = pid;
  if (p->n) memcpy(p->addresses, addresses, (size_t)p->n * sizeof *addresses);
  pthread_mutex_lock(&h->lock);
  p->before = peer_of(h, rank);
  store(&h->peers[rank], p);
  pthread_mutex_unlock(&h->lock);
  return true;
}

bool tfc_watcher_leave_empty(tfc_watcher* h, int rank) {
  return tfc_rank_set_add(&h->empty, rank);
}

bool tfc_watcher_start(tfc_watcher* h) {
  tfc_detector_user user = {h, on_send, on_changed, on_ended};
  h->real = h->awake = monotonic();
  tfc_detector_options options = {
      .rank = h->options.rank,
      .size = h->options.size,
      .number = h->options.number,
      .limit_ns = h->options.limit_ns,
      .slow_ns = h->options.slow_ns,
      .interval_ns = TFC_WATCHER_INTERVAL_NS,
      .start_ns = h->options.number ? 0 : h->awake + h->options.start_ns,
      .empty = &h->empty,
  };
  h->detector = tfc_detector_new(&options, &user, h->awake);
  tfc_rank_set_clear(&h->empty);
  if (!h->detector) return false;
  if (h->options.slow) tfc_detector_go_slow(h->detector);
  store(&current, h);
  tfc_on_message(TFC_MSG_BEAT, on_beat);
  tfc_on_failure(on_failure);
  /* What has failed before. */
  for (int i = 0; i < h->options.size; i++)
    if (!tfc_is_alive(i)) note_failure(h, i);
  bool begun = pthread_create(&h->thread, NULL, run, h) == 0;
  store(&h->started, begun);
  if (!begun) tfc_watcher_stop(h);
  return begun;
}

void tfc_watcher_leave(tfc_watcher* h, int what, const char* why) {
  if (load(&h->started)) tfc_watcher_note(h, h->options.rank, h->options.number + 1, what, why);
}

void tfc_watcher_stop(tfc_watcher* h) {
  tfc_watcher* own = h;
  store(&h->stopped, 1);
  if (load(&h->started)) {
    wake(h);
    pthread_join(h->thread, NULL);
    store(&h->started, 0);
  }
  __atomic_compare_exchange_n(&current, &own, NULL, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&users_inside, __ATOMIC_SEQ_CST)) usleep(50);
}

/* Its thread is the parent's, and another one may have held its lock. */
void tfc_watcher_after_fork(void) {
  if (current) {
    current->started = 0;
    pthread_mutex_init(&current->lock, NULL);
  }
  current = NULL;
  users_inside = 0;
}

void tfc_watcher_free(tfc_watcher* h) {
  if (!h) return;
  for (int i = 0; i < WATCHED; i++) forget(&h->watched[i]);
  for (event *e = h->first, *next; e; e = next) {
    next = e->next;
    free(e);
  }
  for (int i = 0; h->peers && i < h->options.size; i++)
    for (peer *p = h->peers[i], *before; p; p = before) {
      before = p->before;
      free(p);
    }
  if (h->detector) tfc_detector_free(h->detector);
  tfc_rank_set_clear(&h->empty);
  if (h->bell >= 0) close(h->bell);
  pthread_mutex_destroy(&h->lock);
  free(h->peers);
  free(h);
}

void tfc_watcher_membership(tfc_watcher* h, uint64_t* epoch, uint64_t* digest, uint32_t* numbers) {
  pthread_mutex_lock(&h->lock);
  const tfc_view* v = tfc_detector_view(h->detector);
  *epoch = v->epoch;
  *digest = v->digest;
  for (int i = 0; i < v->size; i++) numbers[i] = tfc_view_number(v, i);
  pthread_mutex_unlock(&h->lock);
}

bool tfc_watcher_is_counted(tfc_watcher* h) {
  pthread_mutex_lock(&h->lock);
  bool counted = tfc_detector_is_counted(h->detector);
  pthread_mutex_unlock(&h->lock);
  return counted;
}
