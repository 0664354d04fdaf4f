/* The backup's side of replicas: keeps them, and hands them out. See replica.h.
 *
 * Messages wait in a queue until their change is whole; one thread at a time applies changes: that
 * which polls, or another one if they are large. What the primary has published without ringing
 * (fabric.h) is read at the next heartbeat, or when half of the memory for it is full. Locks:
 * `queue_lock` for the queue, `lock` for the replicas; neither is taken under the other. */
#include <stdlib.h>
#include <string.h>

#include "replicas/replica.h"

enum {
  TABLE = 1 << 12,     /* lists of replicas, by number */
  AT_ONCE = 512 << 10, /* bytes of changes that the polling thread applies */
  INCOMPLETE = TFC_ABORTED
};

typedef struct replica {
  uint64_t number;
  char* label;
  size_t label_size;
  int32_t dtype;
  tfc_tensor value; /* buffer NULL: it has none */
  struct replica* next;
} replica;

typedef struct item {
  tfc_message message;
  tfc_tensor payload;
  struct item* next;
} item;

static int primary = -1, giver = -1; /* set before the fabric starts */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static replica* table[TABLE]; /* this and the next are under lock */
static int64_t n_replicas;
static bool begun, complete;         /* a full copy has begun; all of it is there */
static uint32_t primary_incarnation; /* of the primary whose replicas they are */
static int64_t applied;              /* the number of the last change */

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static item *first, *last; /* this and the next are under queue_lock */
static item* whole_until;  /* the last message of the last whole change; NULL: none is whole */
static int64_t queued_bytes;
static bool applies;                                    /* a thread does */
static pthread_cond_t rests = PTHREAD_COND_INITIALIZER; /* no longer */
static bool overflowed; /* there was no memory for a message: what comes is worth nothing */

/* ---- Replicas */

static replica** find(uint64_t number) {
  replica** link = &table[number % TABLE];
  while (*link && (*link)->number != number) link = &(*link)->next;
  return link;
}

static void forget(replica** link) {
  replica* r = *link;
  if (!r) return;
  *link = r->next;
  tfc_tensor_clear(&r->value);
  free(r->label);
  free(r);
  n_replicas--;
}

static void forget_all(void) {
  for (int i = 0; i < TABLE; i++)
    while (table[i]) forget(&table[i]);
  begun = complete = false;
}

static char* copy_bytes(const void* from, size_t size) {
  char* to = malloc(size + 1);
  if (to && size) memcpy(to, from, size);
  return to;
}

static bool add(const tfc_message* m, const tfc_tensor* label) {
  replica** link = find(m->edge);
  if (*link) return true;
  if (label->dtype != TFC_UINT8) return false;
  replica* r = calloc(1, sizeof *r);
  char* own = r ? copy_bytes(label->data, (size_t)label->n) : NULL;
  if (!own) {
    free(r);
    return false;
  }
  *r = (replica){.number = m->edge,
                 .label = own,
                 .label_size = (size_t)label->n,
                 .dtype = (int32_t)m->iteration,
                 .value = {.dtype = (int32_t)m->iteration}};
  *link = r;
  n_replicas++;
  return true;
}

static bool same_shape(const tfc_tensor* a, const tfc_tensor* b) {
  return a->dtype == b->dtype && a->rank == b->rank &&
         !memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims);
}

static bool unset(replica* r) {
  tfc_tensor_clear(&r->value);
  return true;
}

/* Memory of the primary must not be kept: it would copy the variable for its next update. */
static bool set_value(replica* r, tfc_tensor* value) {
  tfc_tensor* old = &r->value;
  if (!value->buffer || value->dtype != r->dtype) return false;
  const bool is_strings = value->dtype == TFC_STRING;
  if (tfc_buffer_exclusive(value->buffer)) {
    tfc_tensor_clear(old);
    *old = *value;
    value->buffer = NULL;
    return true;
  }
  if (!is_strings && old->buffer && tfc_buffer_exclusive(old->buffer) && same_shape(old, value)) {
    if (value->n) memcpy(old->data, value->data, (size_t)value->n * tfc_dtype_size(value->dtype));
    return true;
  }
  tfc_tensor copy;
  if (!tfc_tensor_copy(&copy, value)) return false;
  tfc_tensor_clear(old);
  *old = copy;
  return true;
}

static bool set_rows(replica* r, const tfc_tensor* payload, int64_t n) {
  tfc_tensor* value = &r->value;
  if (!value->buffer || value->rank < 1 || value->n < 1 || value->dtype == TFC_STRING) return false;
  if (payload->dtype != TFC_UINT8 || n < 1 || n > payload->n) return false;
  const size_t row = (size_t)(value->n / value->dims[0]) * tfc_dtype_size(value->dtype);
  const size_t numbers = (size_t)n * sizeof(int64_t);
  if ((size_t)payload->n != numbers + (size_t)n * row) return false;
  if (!tfc_buffer_exclusive(value->buffer)) { /* a former one is still being handed out */
    tfc_tensor copy;
    if (!tfc_tensor_copy(&copy, value)) return false;
    tfc_tensor_clear(value);
    *value = copy;
  }
  const char* from = (const char*)payload->data + numbers;
  for (int64_t i = 0; i < n; i++, from += row) {
    int64_t at;
    memcpy(&at, (const char*)payload->data + (size_t)i * sizeof at, sizeof at);
    if (at < 0 || at >= value->dims[0]) return false;
    memcpy((char*)value->data + (size_t)at * row, from, row);
  }
  return true;
}

static bool apply(const tfc_message* m, tfc_tensor* payload) {
  if (m->flags & TFC_MSG_LOST) return false;
  replica** link = find(m->edge);
  switch (m->code) {
    case TFC_REPLICA_NAME: return add(m, payload);
    case TFC_REPLICA_VALUE: return *link && (m->dtype ? set_value(*link, payload) : unset(*link));
    case TFC_REPLICA_ROWS: return *link && set_rows(*link, payload, m->iteration);
    case TFC_REPLICA_FORGET: forget(link); return true;
    case TFC_REPLICA_END: return true;
    default: return false;
  }
}

/* ---- Changes */

/* With `lock`. False: the replicas are worth nothing until a new copy begins. */
static bool apply_message(const tfc_message* m, tfc_tensor* payload) {
  if (m->code == TFC_REPLICA_BEGIN) {
    forget_all();
    begun = true;
    primary_incarnation = m->source_incarnation;
    return true;
  }
  if (!begun || m->source_incarnation != primary_incarnation) return false;
  if (apply(m, payload)) return true;
  forget_all();
  return false;
}

static void free_items(item* i) {
  while (i) {
    item* next = i->next;
    tfc_tensor_clear(&i->payload);
    free(i);
    i = next;
  }
}

/* Applies the messages of a change, which is whole, and acknowledges it if it has to. */
static void apply_change(item* change) {
  bool ok = true;
  const tfc_message* end = NULL;
  pthread_mutex_lock(&lock);
  for (item* i = change; i; i = i->next) {
    end = &i->message;
    ok = apply_message(end, &i->payload);
    tfc_tensor_clear(&i->payload); /* before it is acknowledged: the primary may write again */
  }
  if (ok) applied = end->step;
  if (ok && end->flags & TFC_REPLICA_COMPLETE) complete = true;
  pthread_mutex_unlock(&lock);
  tfc_message ack = {.kind = TFC_MSG_REPLICA_ACK, .step = end->step, .code = ok ? 0 : INCOMPLETE};
  if (!ok || end->flags & TFC_REPLICA_ANSWER)
    tfc_answer(end->source, end->source_incarnation, &ack, NULL);
  free_items(change);
}

/* The messages up to the end of the first whole change; NULL: there is none, and `applies` ends. */
static item* take_change(void) {
  pthread_mutex_lock(&queue_lock);
  item* change = whole_until ? first : NULL;
  if (change) {
    item* end = change;
    queued_bytes -= end->message.bytes;
    while (!(end->message.flags & TFC_REPLICA_LAST)) {
      end = end->next;
      queued_bytes -= end->message.bytes;
    }
    first = end->next;
    if (end == whole_until) whole_until = NULL;
    end->next = NULL;
  } else {
    applies = false;
    pthread_cond_broadcast(&rests);
  }
  pthread_mutex_unlock(&queue_lock);
  return change;
}

static void apply_changes(void* unused) {
  for (item* change; (change = take_change());) apply_change(change);
}

/* The primary learns of it by the answer to the rest of the change. */
static void overflow(const tfc_message* m, tfc_tensor* payload) {
  tfc_tensor_clear(payload);
  pthread_mutex_lock(&queue_lock);
  overflowed = true;
  pthread_mutex_unlock(&queue_lock);
  tfc_message ack = {.kind = TFC_MSG_REPLICA_ACK, .step = INT64_MAX, .code = INCOMPLETE};
  tfc_answer(m->source, m->source_incarnation, &ack, NULL);
}

static void on_change(const tfc_message* m, tfc_tensor* payload) {
  item* i = m->source == primary ? malloc(sizeof *i) : NULL;
  if (!i) {
    if (m->source == primary) {
      overflow(m, payload);
    } else {
      tfc_tensor_clear(payload);
    }
    return;
  }
  *i = (item){.message = *m, .payload = *payload};
  pthread_mutex_lock(&queue_lock);
  if (overflowed && m->code == TFC_REPLICA_BEGIN) overflowed = false;
  if (overflowed) i->message.flags |= TFC_MSG_LOST;
  *(first ? &last->next : &first) = i;
  last = i;
  queued_bytes += m->bytes;
  bool begin = false;
  if (m->flags & TFC_REPLICA_LAST) {
    whole_until = i;
    begin = !applies;
    applies = true;
    /* The primary does not wait, and sends nothing more before it runs another step. */
    if (!(m->flags & TFC_REPLICA_ANSWER)) tfc_expect_no_more();
  }
  const bool is_short = queued_bytes <= AT_ONCE;
  pthread_mutex_unlock(&queue_lock);
  if (begin && (is_short || !tfc_defer(apply_changes, NULL, false))) apply_changes(NULL);
}

/* With queue_lock: drops the beginning of a change whose end will not come. */
static item* cut_rest(void) {
  item** link = whole_until ? &whole_until->next : &first;
  item* rest = *link;
  *link = NULL;
  last = whole_until;
  for (const item* i = rest; i; i = i->next) queued_bytes -= i->message.bytes;
  return rest;
}

static void on_drained(int peer) {
  if (peer != primary) return;
  pthread_mutex_lock(&queue_lock);
  item* rest = cut_rest();
  pthread_mutex_unlock(&queue_lock);
  free_items(rest);
}

/* ---- Handing out */

static int send_replica(uint32_t incarnation, replica* r) {
  const int64_t n = (int64_t)r->label_size;
  tfc_tensor label = {.dtype = TFC_UINT8};
  if (!tfc_tensor_new(&label, 1, &n)) return TFC_RESOURCE_EXHAUSTED;
  memcpy(label.data, r->label, r->label_size);
  tfc_message m = {
      .kind = TFC_MSG_RESTORE, .code = TFC_REPLICA_NAME, .edge = r->number, .iteration = r->dtype};
  int code = tfc_send_to(primary, incarnation, &m, &label);
  tfc_tensor_clear(&label);
  if (code || !r->value.buffer) return code;
  m = (tfc_message){.kind = TFC_MSG_RESTORE, .code = TFC_REPLICA_VALUE, .edge = r->number};
  return tfc_send_to(primary, incarnation, &m, &r->value);
}

/* Whole changes of the former primary. */
static void apply_what_waits(void) {
  pthread_mutex_lock(&queue_lock);
  while (applies) pthread_cond_wait(&rests, &queue_lock);
  pthread_mutex_unlock(&queue_lock);
}

int64_t tfc_replica_give(uint32_t incarnation, int64_t* changes) {
  apply_what_waits();
  pthread_mutex_lock(&queue_lock);
  const bool lacks = overflowed;
  pthread_mutex_unlock(&queue_lock);
  pthread_mutex_lock(&lock);
  int64_t given = complete && !lacks ? n_replicas : -1;
  for (int i = 0; given >= 0 && i < TABLE; i++)
    for (replica* r = table[i]; given >= 0 && r; r = r->next)
      if (send_replica(incarnation, r)) given = -2;
  *changes = applied;
  if (given >= 0) primary_incarnation = incarnation;
  pthread_mutex_unlock(&lock);
  return given;
}

/* NULL: no memory. */
static tfc_given* make_given(uint64_t number, const void* label, size_t size, int64_t dtype) {
  tfc_given* g = calloc(1, sizeof *g);
  char* own = g ? copy_bytes(label, size) : NULL;
  if (!own) {
    free(g);
    return NULL;
  }
  *g = (tfc_given){.number = number, .label = own, .label_size = size, .dtype = (int32_t)dtype};
  return g;
}

bool tfc_replica_list(tfc_given** found) {
  bool ok = true;
  *found = NULL;
  tfc_catch_up(primary);
  apply_what_waits();
  pthread_mutex_lock(&lock);
  for (int i = 0; complete && i < TABLE; i++) {
    for (const replica* r = table[i]; r && ok; r = r->next) {
      tfc_given* g = make_given(r->number, r->label, r->label_size, r->dtype);
      ok = g != NULL;
      if (!ok) break;
      g->value = r->value;
      if (r->value.buffer) tfc_buffer_ref(r->value.buffer);
      g->next = *found;
      *found = g;
    }
  }
  pthread_mutex_unlock(&lock);
  return ok;
}

void tfc_replica_backup_count(tfc_replica_counts* out) {
  pthread_mutex_lock(&lock);
  out->replicas = n_replicas;
  out->complete = complete;
  out->applied = applied;
  pthread_mutex_unlock(&lock);
}

/* ---- What the process that takes the primary's place is given */

static pthread_mutex_t given_lock = PTHREAD_MUTEX_INITIALIZER;
static tfc_given *first_given, *last_given; /* under given_lock */
static bool given_lost;                     /* under given_lock */

/* With given_lock. The value of a variable follows its name. */
static bool note_given(const tfc_message* m, tfc_tensor* payload) {
  if (m->flags & TFC_MSG_LOST) return false;
  if (m->code == TFC_REPLICA_VALUE) {
    if (!last_given || last_given->number != m->edge || payload->dtype != last_given->dtype)
      return false;
    last_given->value = *payload;
    payload->buffer = NULL;
    return true;
  }
  if (payload->dtype != TFC_UINT8) return false;
  tfc_given* g = make_given(m->edge, payload->data, (size_t)payload->n, m->iteration);
  if (!g) return false;
  *(first_given ? &last_given->next : &first_given) = g;
  last_given = g;
  return true;
}

static void on_restore(const tfc_message* m, tfc_tensor* payload) {
  pthread_mutex_lock(&given_lock);
  if (m->source == giver) given_lost |= !note_given(m, payload);
  pthread_mutex_unlock(&given_lock);
  tfc_tensor_clear(payload);
}

bool tfc_replica_take_given(tfc_given** given) {
  pthread_mutex_lock(&given_lock);
  const bool ok = !given_lost;
  *given = first_given;
  first_given = last_given = NULL;
  given_lost = false;
  pthread_mutex_unlock(&given_lock);
  return ok;
}

void tfc_replica_free_given(tfc_given* g) {
  while (g) {
    tfc_given* next = g->next;
    tfc_tensor_clear(&g->value);
    free(g->label);
    free(g);
    g = next;
  }
}

/* ---- Opening */

void tfc_replica_backup_open(int of, int from) {
  primary = of;
  giver = from;
  tfc_on_message(TFC_MSG_REPLICA, on_change);
  tfc_on_message(TFC_MSG_RESTORE, on_restore);
  tfc_on_drained(on_drained);
}

void tfc_replica_backup_after_fork(void) {
  pthread_mutex_init(&lock, NULL);
  pthread_mutex_init(&queue_lock, NULL);
  pthread_mutex_init(&given_lock, NULL);
}
