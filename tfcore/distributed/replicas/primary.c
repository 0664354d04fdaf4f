/* The primary's side of replicas: notes what changes, and sends it to the backup. See replica.h.
 *
 * Locks, in the order in which they are taken: `stream`, those of variables by address,
 * `dirty_lock`. `ack_lock` is taken under `stream` or alone, and no other lock under it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "device/device.h"
#include "replicas/replica.h"

/* Bytes of values that the backup has not read, as far as it is known: those of a change for which
 * no step waits, and in all. */
enum { MOST_AT_ONCE = 256 << 10, MOST_UNREAD = 4 << 20 };

/* A variable. */
typedef struct tracked {
  tfc_tracker pub;
  tfc_variable* variable;
  uint64_t number;
  char* label;
  size_t label_size;
  /* Under the variable's lock: what has changed since the last change was sent. */
  bool dirty, whole;
  int64_t* rows;
  int64_t n_rows, room;
  /* Under `stream`: */
  bool sent; /* the backup knows it */
  struct tracked *next, *previous;
  struct tracked* next_dirty; /* under dirty_lock */
} tracked;

static int backup = -1; /* set before the fabric starts */

static pthread_mutex_t stream = PTHREAD_MUTEX_INITIALIZER;
static tracked* all;                              /* under stream */
static uint64_t last_number;                      /* under stream */
static int64_t n_tracked;                         /* under stream */
static int64_t sequence;                          /* under stream: the number of the last change */
static uint32_t backup_incarnation;               /* under stream: of the backup that gets them */
static int64_t sent_bytes, sent_whole, sent_rows; /* under stream */

static pthread_mutex_t dirty_lock = PTHREAD_MUTEX_INITIALIZER;
static tracked* dirty; /* under dirty_lock; each holds a reference to its variable */

static pthread_mutex_t ack_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ack_changed;
static int state;            /* atomic; changes under ack_lock */
static int64_t acknowledged; /* under ack_lock */
static int64_t committed;    /* under ack_lock: changes up to this one survive this process */
static int64_t copy_began;   /* under ack_lock: the first change of the last full copy */
static int64_t completed;    /* under ack_lock: the last change of that copy */
/* Under ack_lock: the last change whose acknowledgement was asked for; bytes of values that the
 * backup may not have read yet, up to that change and after it. */
static int64_t asked, bytes_asked, bytes_since;
static tfc_partition_run* held; /* under ack_lock: runs that wait for an acknowledgement */
static bool lost, woken;        /* under ack_lock */

static int state_now(void) {
  return __atomic_load_n(&state, __ATOMIC_ACQUIRE);
}

static void set_state(int value) {
  __atomic_store_n(&state, value, __ATOMIC_RELEASE);
}

/* ---- What changes */

/* Adds the rows that are rows of the variable; false: it is better to send all of it. */
static bool add_rows(tracked* t, const tfc_tensor* rows, int64_t step) {
  const tfc_tensor* value = &t->variable->value;
  if (!rows || !value->buffer || value->rank < 1 || value->dtype == TFC_STRING) return false;
  const int64_t n = step > 0 ? rows->n / step : 0, height = value->dims[0];
  const int64_t row_bytes = height ? value->n / height * (int64_t)tfc_dtype_size(value->dtype) : 0;
  if ((t->n_rows + n) * ((int64_t)sizeof *t->rows + row_bytes) > height * row_bytes) return false;
  if (t->n_rows + n > t->room) {
    const int64_t room = 2 * (t->n_rows + n);
    int64_t* more = realloc(t->rows, (size_t)room * sizeof *more);
    if (!more) return false;
    t->rows = more;
    t->room = room;
  }
  for (int64_t i = 0; i < n; i++) {
    const int64_t row = tfc_index_at(rows, i * step);
    if (row >= 0 && row < height) t->rows[t->n_rows++] = row;
  }
  return true;
}

static void forget_rows(tracked* t) {
  free(t->rows);
  t->rows = NULL;
  t->n_rows = t->room = 0;
}

/* While there is no backup, nothing is noted: a full copy has all. A change that does not see that
 * a copy has begun was made before the copy has got to the variable, whose lock orders the two. */
static void changed(tfc_tracker* tracker, const tfc_tensor* rows, int64_t step) {
  tracked* t = (tracked*)tracker;
  if (state_now() == TFC_REPLICA_OFF) return;
  if (!t->whole && !add_rows(t, rows, step)) {
    t->whole = true;
    forget_rows(t);
  }
  if (t->dirty || !(t->whole || t->n_rows)) return;
  t->dirty = true;
  __atomic_fetch_add(&t->variable->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&dirty_lock);
  t->next_dirty = dirty;
  dirty = t;
  pthread_mutex_unlock(&dirty_lock);
}

/* ---- Sending */

/* One message is kept back until it is known whether it is the last one of its change. */
typedef struct outbox {
  tfc_message message;
  tfc_tensor payload;
  bool full;
  bool published; /* the last message that was sent, and so all before it */
  int64_t bytes;  /* of the values of this change */
  int code;       /* of the first send that has failed */
} outbox;

static void send_kept(outbox* box, int flags) {
  if (!box->full) return;
  box->full = false;
  box->message.kind = TFC_MSG_REPLICA;
  box->message.flags |= (uint16_t)flags;
  if (flags & TFC_REPLICA_LAST) box->message.step = sequence;
  const tfc_tensor* payload = box->payload.dtype ? &box->payload : NULL;
  if (!box->code)
    box->code = tfc_publish(backup, backup_incarnation, &box->message, payload,
                            flags & TFC_REPLICA_ANSWER, &box->published);
  tfc_tensor_clear(&box->payload);
}

/* Takes over the payload's reference; NULL: there is none. */
static void post(outbox* box, int what, uint64_t number, int64_t count, tfc_tensor* payload) {
  send_kept(box, 0);
  box->message = (tfc_message){.code = what, .edge = number, .iteration = count};
  box->payload = payload ? *payload : (tfc_tensor){.dtype = 0};
  if (payload) box->bytes += tfc_transit_bytes(payload);
  box->full = true;
}

/* ---- Whether steps wait for the backup to acknowledge a change */

/* Whether it is enough that the next change, with so many bytes of values, is published. *answer:
 * whether the backup has to acknowledge it. */
static bool may_commit(int64_t bytes, bool* answer) {
  pthread_mutex_lock(&ack_lock);
  const bool direct =
      state_now() == TFC_REPLICA_ON && acknowledged >= completed && tfc_shares_memory(backup);
  const int64_t unread = bytes_asked + bytes_since + bytes;
  const bool commits = direct && bytes <= MOST_AT_ONCE && unread <= MOST_UNREAD;
  *answer = !commits || (asked <= acknowledged && bytes_since + bytes > MOST_UNREAD / 2);
  pthread_mutex_unlock(&ack_lock);
  return commits;
}

static void note_sent(int64_t bytes, bool answer, bool commits) {
  pthread_mutex_lock(&ack_lock);
  bytes_since += bytes;
  if (answer) {
    asked = sequence;
    bytes_asked = asked > acknowledged ? bytes_asked + bytes_since : 0;
    bytes_since = 0;
    /* Steps may wait until the backup has run. But another thread may have found it dead: then
     * nothing will be acknowledged. */
    tfc_lend_core_at_once(asked > acknowledged && state_now() != TFC_REPLICA_OFF);
  }
  if (commits) committed = sequence;
  pthread_mutex_unlock(&ack_lock);
}

static void send_last(outbox* box, int flags, bool commits, bool answer) {
  sequence++;
  sent_bytes += box->bytes;
  box->published = false;
  send_kept(box, TFC_REPLICA_LAST | flags | (answer ? TFC_REPLICA_ANSWER : 0));
  note_sent(box->bytes, answer, commits && box->published);
  box->bytes = 0;
}

/* With `stream`. What should have been published, but found no room, is acknowledged with another
 * change, for which steps wait instead. */
static void end_change(outbox* box, int flags) {
  bool answer;
  const bool commits = may_commit(box->bytes, &answer);
  send_last(box, flags, commits, answer);
  if (!commits || box->published || box->code) return;
  post(box, TFC_REPLICA_END, 0, 0, NULL);
  send_last(box, 0, false, true);
}

/* Whether the others have excluded this process. All peers then seem to fail, the backup too; steps
 * must not be let go, as a living master would take them for done although the backup lacks their
 * changes. */
static bool is_excluded(void) {
  return tfc_failure_code() == TFC_ABORTED;
}

/* Lets all waiting steps continue. */
static void stop_waiting(void) {
  if (is_excluded()) return;
  pthread_mutex_lock(&ack_lock);
  lost |= state_now() != TFC_REPLICA_OFF;
  tfc_lend_core_at_once(false);
  set_state(TFC_REPLICA_OFF);
  tfc_partition_run* run = held;
  held = NULL;
  pthread_cond_broadcast(&ack_changed);
  pthread_mutex_unlock(&ack_lock);
  while (run) {
    tfc_partition_run* next = run->next_ready;
    tfc_partition_run_release(run);
    run = next;
  }
}

/* The backup lacks a change. If it is not gone, it must not take its replicas for complete. */
static void give_up(int code) {
  if (code == TFC_RESOURCE_EXHAUSTED) {
    tfc_message m = {.kind = TFC_MSG_REPLICA, .code = TFC_REPLICA_STOP, .flags = TFC_REPLICA_LAST};
    if (tfc_send_to(backup, backup_incarnation, &m, NULL) == TFC_RESOURCE_EXHAUSTED)
      tfc_fail_incarnation(backup, backup_incarnation,
                           "no memory to tell it that it lacks changes");
  }
  stop_waiting();
}

/* ---- A change: the values of several variables at one moment */

typedef struct part {
  tracked* of;
  tfc_variable* variable; /* a reference, that of the list of dirty ones */
  tfc_tensor value;       /* what is sent; dtype 0: nothing */
  int64_t n_rows;         /* -1: it is the whole value */
} part;

static int by_address(const void* a, const void* b) {
  const tfc_variable *x = ((const part*)a)->variable, *y = ((const part*)b)->variable;
  return x < y ? -1 : x > y;
}

/* *out: the value as it is now, sharing its memory; a copy if it is in a device's memory. */
static bool take_whole(const tfc_tensor* value, tfc_tensor* out) {
  *out = (tfc_tensor){.dtype = 0};
  if (!value->buffer) return true;
  if (value->buffer->device) return tfc_tensor_read(out, value);
  tfc_buffer_ref(value->buffer);
  *out = *value;
  return true;
}

static bool take_rows(const tracked* t, tfc_tensor* out) {
  const tfc_tensor* value = &t->variable->value;
  const size_t numbers = (size_t)t->n_rows * sizeof *t->rows;
  const size_t row = (size_t)(value->n / value->dims[0]) * tfc_dtype_size(value->dtype);
  const int64_t bytes = (int64_t)(numbers + (size_t)t->n_rows * row);
  *out = (tfc_tensor){.dtype = TFC_UINT8};
  if (!tfc_tensor_new(out, 1, &bytes)) return false;
  memcpy(out->data, t->rows, numbers);
  char* to = (char*)out->data + numbers;
  for (int64_t i = 0; i < t->n_rows; i++, to += row)
    memcpy(to, (const char*)value->data + (size_t)t->rows[i] * row, row);
  return true;
}

/* With the variable's lock: what has to be sent of it. */
static bool take_part(part* p) {
  tracked* t = p->of;
  const tfc_tensor* value = &t->variable->value;
  const bool rows = !t->whole && t->sent && value->buffer && !value->buffer->device;
  p->n_rows = rows ? t->n_rows : -1;
  const bool ok = rows ? take_rows(t, &p->value) : take_whole(value, &p->value);
  t->dirty = t->whole = false;
  t->n_rows = 0;
  return ok;
}

static void post_label(outbox* box, tracked* t) {
  const int64_t n = (int64_t)t->label_size;
  tfc_tensor label = {.dtype = TFC_UINT8};
  if (!tfc_tensor_new(&label, 1, &n)) {
    box->code = TFC_RESOURCE_EXHAUSTED;
    return;
  }
  memcpy(label.data, t->label, t->label_size);
  post(box, TFC_REPLICA_NAME, t->number, t->variable->dtype, &label);
  t->sent = true;
}

static void post_part(outbox* box, part* p) {
  if (!p->of->sent) post_label(box, p->of);
  tfc_tensor* payload = p->value.dtype ? &p->value : NULL;
  if (p->n_rows < 0) {
    post(box, TFC_REPLICA_VALUE, p->of->number, 0, payload);
    sent_whole++;
  } else {
    post(box, TFC_REPLICA_ROWS, p->of->number, p->n_rows, payload);
    sent_rows++;
  }
  p->value.buffer = NULL;
}

/* A change that is being made. */
typedef struct change {
  part* parts;
  int64_t n;
  tracked* unsent; /* if there is no memory for parts: the variables that it would have had */
} change;

static void take_dirty(change* c) {
  *c = (change){.parts = NULL};
  pthread_mutex_lock(&dirty_lock);
  tracked* first = dirty;
  dirty = NULL;
  pthread_mutex_unlock(&dirty_lock);
  for (const tracked* t = first; t; t = t->next_dirty) c->n++;
  c->parts = c->n ? calloc((size_t)c->n, sizeof *c->parts) : NULL;
  if (c->n && !c->parts) c->unsent = first;
  int64_t i = 0;
  for (tracked* t = first; c->parts && t; t = t->next_dirty)
    c->parts[i++] = (part){.of = t, .variable = t->variable};
}

/* With `stream`: sends what has changed. The caller ends the change without the lock. */
static void send_change(change* c, int flags) {
  outbox box = {.full = false};
  take_dirty(c);
  if (!c->n && !flags) return;
  bool ok = !c->unsent;
  if (c->parts) {
    qsort(c->parts, (size_t)c->n, sizeof *c->parts, by_address);
    for (int64_t i = 0; i < c->n; i++) pthread_mutex_lock(&c->parts[i].variable->mutex);
    for (int64_t i = 0; i < c->n; i++) ok &= take_part(&c->parts[i]);
    for (int64_t i = 0; i < c->n; i++) pthread_mutex_unlock(&c->parts[i].variable->mutex);
    for (int64_t i = 0; ok && i < c->n; i++) post_part(&box, &c->parts[i]);
  }
  if (!box.full && ok) post(&box, TFC_REPLICA_END, 0, 0, NULL);
  end_change(&box, flags);
  if (!ok) box.code = TFC_RESOURCE_EXHAUSTED;
  if (box.code) give_up(box.code);
}

/* Without locks: a variable may end with its last reference. */
static void end_sent(change* c) {
  for (tracked *t = c->unsent, *next; t; t = next) {
    next = t->next_dirty;
    tfc_variable* v = t->variable;
    pthread_mutex_lock(&v->mutex);
    t->dirty = t->whole = false;
    forget_rows(t);
    pthread_mutex_unlock(&v->mutex);
    tfc_variable_unref(v);
  }
  for (int64_t i = 0; c->parts && i < c->n; i++) {
    tfc_tensor_clear(&c->parts[i].value);
    tfc_variable_unref(c->parts[i].variable);
  }
  free(c->parts);
}

/* tfc_keep_changes: sends what the run and others have changed. */
static bool keep(tfc_partition_run* run, bool may_hold) {
  if (state_now() == TFC_REPLICA_OFF) return false;
  change c = {.parts = NULL};
  pthread_mutex_lock(&stream);
  if (state_now() != TFC_REPLICA_OFF) send_change(&c, 0);
  const int64_t number = sequence; /* also if another run has sent what this one has changed */
  pthread_mutex_unlock(&stream);
  end_sent(&c);
  pthread_mutex_lock(&ack_lock);
  const bool holds = may_hold && state_now() == TFC_REPLICA_ON && committed < number;
  if (holds) {
    run->change = (uint64_t)number;
    run->next_ready = held;
    held = run;
  }
  pthread_mutex_unlock(&ack_lock);
  return holds;
}

/* ---- A full copy */

static bool copy_next(outbox* box) {
  tracked* t = all;
  while (t && t->sent) t = t->next;
  if (!t) return false;
  part p = {.of = t, .variable = t->variable, .n_rows = -1};
  pthread_mutex_lock(&t->variable->mutex);
  const bool ok = take_whole(&t->variable->value, &p.value);
  if (t->dirty) { /* its rows were noted for the former backup: by now the shape may be another */
    t->whole = true;
    forget_rows(t);
  }
  pthread_mutex_unlock(&t->variable->mutex);
  if (!ok) box->code = TFC_RESOURCE_EXHAUSTED;
  post_part(box, &p);
  end_change(box, 0);
  return true;
}

static void complete_copy(outbox* box) {
  change c = {.parts = NULL};
  pthread_mutex_lock(&stream);
  if (box->code) {
    give_up(box->code);
  } else {
    send_change(&c, TFC_REPLICA_COMPLETE);
    pthread_mutex_lock(&ack_lock);
    completed = sequence;
    if (state_now() == TFC_REPLICA_COPYING) set_state(TFC_REPLICA_ON);
    pthread_mutex_unlock(&ack_lock);
  }
  pthread_mutex_unlock(&stream);
  end_sent(&c);
}

bool tfc_replica_copy(void) {
  outbox box = {.full = false};
  pthread_mutex_lock(&stream);
  pthread_mutex_lock(&ack_lock);
  set_state(TFC_REPLICA_COPYING);
  copy_began = sequence + 1;
  backup_incarnation = tfc_incarnation_of(backup);
  lost = false;
  asked = bytes_asked = bytes_since = 0;
  pthread_mutex_unlock(&ack_lock);
  for (tracked* t = all; t; t = t->next) t->sent = false;
  post(&box, TFC_REPLICA_BEGIN, 0, 0, NULL);
  end_change(&box, 0);
  /* Steps may take the lock between two variables. */
  for (bool more = true; more && !box.code && state_now() == TFC_REPLICA_COPYING;) {
    more = copy_next(&box);
    pthread_mutex_unlock(&stream);
    pthread_mutex_lock(&stream);
  }
  pthread_mutex_unlock(&stream);
  complete_copy(&box);
  return state_now() == TFC_REPLICA_ON;
}

/* A backup that fails meanwhile is replaced only after `on_failure`, which waits for `ack_lock`. */
void tfc_replica_go_on(int64_t changes, uint32_t incarnation) {
  pthread_mutex_lock(&stream);
  sequence = changes;
  backup_incarnation = incarnation;
  pthread_mutex_lock(&ack_lock);
  acknowledged = committed = completed = changes;
  asked = bytes_asked = bytes_since = 0;
  lost = false;
  if (tfc_is_alive(backup) && tfc_incarnation_of(backup) == incarnation) set_state(TFC_REPLICA_ON);
  pthread_mutex_unlock(&ack_lock);
  pthread_mutex_unlock(&stream);
}

/* ---- Acknowledgements, and the end of the backup */

static void on_ack(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  if (m->source != backup) return;
  if (m->code) { /* its replicas are incomplete, unless a new copy has begun since */
    pthread_mutex_lock(&ack_lock);
    const bool matters = m->step >= copy_began;
    pthread_mutex_unlock(&ack_lock);
    if (matters) stop_waiting();
    return;
  }
  tfc_partition_run* ready = NULL;
  pthread_mutex_lock(&ack_lock);
  if (m->step > acknowledged) acknowledged = m->step;
  if (acknowledged > committed) committed = acknowledged;
  if (acknowledged >= asked) {
    bytes_asked = 0;
    tfc_lend_core_at_once(false);
  }
  for (tfc_partition_run** link = &held; *link;) {
    tfc_partition_run* run = *link;
    if (run->change > (uint64_t)committed) {
      link = &run->next_ready;
      continue;
    }
    *link = run->next_ready;
    run->next_ready = ready;
    ready = run;
  }
  pthread_mutex_unlock(&ack_lock);
  while (ready) {
    tfc_partition_run* next = ready->next_ready;
    tfc_partition_run_release(ready);
    ready = next;
  }
}

/* It may be called by a thread that sends a change, and so has `stream`. */
static void on_failure(int peer) {
  if (peer == backup) stop_waiting();
}

bool tfc_replica_await_loss(int64_t ns) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += ns / 1000000000;
  until.tv_nsec += ns % 1000000000;
  if (until.tv_nsec >= 1000000000) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000;
  }
  pthread_mutex_lock(&ack_lock);
  for (int late = 0; !lost && !woken && !late;)
    late = pthread_cond_timedwait(&ack_changed, &ack_lock, &until);
  const bool found = lost;
  lost = woken = false;
  pthread_mutex_unlock(&ack_lock);
  return found;
}

void tfc_replica_wake(void) {
  pthread_mutex_lock(&ack_lock);
  woken = true;
  pthread_cond_broadcast(&ack_changed);
  pthread_mutex_unlock(&ack_lock);
}

/* ---- Variables come and go */

static void destroyed(tfc_tracker* tracker) {
  tracked* t = (tracked*)tracker;
  pthread_mutex_lock(&stream);
  if (t->next) t->next->previous = t->previous;
  *(t->previous ? &t->previous->next : &all) = t->next;
  n_tracked--;
  if (t->sent && state_now() != TFC_REPLICA_OFF) {
    outbox box = {.full = false};
    post(&box, TFC_REPLICA_FORGET, t->number, 0, NULL);
    end_change(&box, 0);
    if (box.code) give_up(box.code);
  }
  pthread_mutex_unlock(&stream);
  free(t->rows);
  free(t->label);
  free(t);
}

bool tfc_replica_track(tfc_variable* v, const char* label, size_t size, uint64_t number) {
  tracked* t = calloc(1, sizeof *t);
  char* own = malloc(size + 1);
  if (!t || !own) {
    free(t);
    free(own);
    return false;
  }
  memcpy(own, label, size);
  *t = (tracked){.pub = {changed, destroyed}, .variable = v, .label = own, .label_size = size};
  pthread_mutex_lock(&stream);
  if (number > last_number) last_number = number;
  t->number = number ? number : ++last_number;
  t->sent = number != 0;
  t->next = all;
  if (all) all->previous = t;
  all = t;
  n_tracked++;
  pthread_mutex_unlock(&stream);
  v->tracker = &t->pub;
  return true;
}

/* ---- Opening and closing */

void tfc_replica_primary_open(int of) {
  pthread_condattr_t monotonic;
  backup = of;
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&ack_changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  tfc_on_message(TFC_MSG_REPLICA_ACK, on_ack);
  tfc_on_failure(on_failure);
  tfc_partition_run_keep(keep);
}

void tfc_replica_primary_close(void) {
  stop_waiting();
}

void tfc_replica_primary_count(tfc_replica_counts* out) {
  pthread_mutex_lock(&stream);
  out->state = state_now();
  out->variables = n_tracked;
  out->changes = sequence;
  out->sent_bytes = sent_bytes;
  out->whole = sent_whole;
  out->row_parts = sent_rows;
  pthread_mutex_unlock(&stream);
  pthread_mutex_lock(&ack_lock);
  out->acknowledged = committed;
  pthread_mutex_unlock(&ack_lock);
}

/* Variables of the parent may end in the child, too. */
void tfc_replica_primary_after_fork(void) {
  pthread_mutex_init(&stream, NULL);
  pthread_mutex_init(&dirty_lock, NULL);
  pthread_mutex_init(&ack_lock, NULL);
  set_state(TFC_REPLICA_OFF);
  held = NULL;
  dirty = NULL;
}
