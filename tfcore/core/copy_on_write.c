/* See copy_on_write.h. */
#include "copy_on_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "context.h"

enum { LEAST_LIMIT = 64 << 20, STALL_NS = 100000000 };

/* States of a chunk. Whoever makes it BUSY, under the set's lock, copies it and then says so. */
enum { UNTOUCHED, BUSY, KEPT, COPIED };

struct tfc_cow {
  tfc_cow_set* set;
  tfc_tensor* slot;   /* of the copying kernel; NULL: this input is not copied in chunks */
  tfc_buffer* buffer; /* which the slot holds until the input is done */
  const char* data;
  int64_t bytes, n_chunks;
  uint8_t* state;    /* atomic, changed under the set's lock */
  tfc_buffer** kept; /* under the set's lock */
  tfc_cow* next;     /* in the list of a writer: under the lock of the variable */
  bool done;         /* under the set's lock: nothing needs to be kept any more */
};

struct tfc_cow_set {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int64_t refs;               /* atomic: the copying kernel, and writers that joined */
  int64_t kept, limit, moved; /* under lock: bytes; chunks that the copying kernel has copied */
  int n, n_open, at;          /* of the copying kernel; at: the input that was last looked for */
  tfc_cow inputs[];
};

/* Protects the owners of buffers, and the moment in which a copying kernel's slot lets one go. */
static pthread_mutex_t owners = PTHREAD_MUTEX_INITIALIZER;

static void set_unref(tfc_cow_set* set) {
  if (__atomic_sub_fetch(&set->refs, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < set->n; i++) {
    tfc_cow* c = &set->inputs[i];
    for (int64_t k = 0; k < c->n_chunks; k++)
      if (c->kept[k]) tfc_buffer_unref(c->kept[k]);
    free(c->state);
    free(c->kept);
  }
  pthread_mutex_destroy(&set->lock);
  pthread_cond_destroy(&set->changed);
  free(set);
}

static int64_t chunk_size(const tfc_cow* c, int64_t chunk) {
  int64_t left = c->bytes - chunk * TFC_COPY_CHUNK;
  return left < TFC_COPY_CHUNK ? left : TFC_COPY_CHUNK;
}

static void set_state(tfc_cow* c, int64_t chunk, uint8_t state) {
  __atomic_store_n(&c->state[chunk], state, __ATOMIC_RELEASE);
  pthread_cond_broadcast(&c->set->changed);
}

/* ---- The copying kernel. */

tfc_cow_set* tfc_cow_open(tfc_node_context* ctx, int n_inputs) {
  tfc_cow_set* set = calloc(1, sizeof *set + (size_t)n_inputs * sizeof(tfc_cow));
  if (!set) return NULL;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&set->lock, NULL);
  pthread_cond_init(&set->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  set->refs = 1;
  set->limit = LEAST_LIMIT;
  set->n = n_inputs;
  return ctx->copied = set;
}

void tfc_cow_add(tfc_cow_set* set, tfc_tensor* slot) {
  tfc_buffer* b = slot->buffer;
  int64_t bytes = slot->n * (int64_t)tfc_dtype_size(slot->dtype);
  if (!bytes || !tfc_is_block(b) || b->device || b->flags) return;
  tfc_cow* c = &set->inputs[set->n_open];
  c->n_chunks = (bytes - 1) / TFC_COPY_CHUNK + 1;
  c->state = calloc((size_t)c->n_chunks, sizeof *c->state);
  c->kept = calloc((size_t)c->n_chunks, sizeof *c->kept);
  c->set = set;
  c->data = slot->data;
  c->bytes = bytes;
  pthread_mutex_lock(&set->lock);
  set->limit += bytes / 2;
  pthread_mutex_unlock(&set->lock);
  pthread_mutex_lock(&owners);
  bool ok = c->state && c->kept && !__atomic_load_n(&b->owner, __ATOMIC_RELAXED);
  if (ok) {
    c->slot = slot;
    c->buffer = b;
    __atomic_store_n(&b->owner, c, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&owners);
  if (ok) {
    set->n_open++;
    return;
  }
  free(c->state);
  free(c->kept);
  *c = (tfc_cow){0};
}

/* The input's slot lets its value go. */
static void finish(tfc_cow* c) {
  pthread_mutex_lock(&owners);
  __atomic_store_n(&c->buffer->owner, NULL, __ATOMIC_RELAXED);
  tfc_tensor_clear(c->slot);
  pthread_mutex_unlock(&owners);
  pthread_mutex_lock(&c->set->lock);
  c->done = true;
  pthread_cond_broadcast(&c->set->changed);
  pthread_mutex_unlock(&c->set->lock);
  c->slot = NULL;
}

static tfc_cow* find(tfc_node_context* ctx, int input) {
  tfc_cow_set* set = ctx->copied;
  const tfc_tensor* slot = ctx->pub.inputs[input];
  for (int i = 0; set && i < set->n; i++) {
    tfc_cow* c = &set->inputs[(set->at + i) % set->n];
    if (c->slot != slot) continue;
    set->at = (int)(c - set->inputs);
    return c;
  }
  return NULL;
}

void tfc_cow_input_done(tfc_context* ctx, int input) {
  tfc_node_context* node = tfc_node_of(ctx);
  tfc_cow* c = find(node, input);
  if (c) {
    finish(c);
    node->copied->n_open--;
  }
  if (node->copied && !node->copied->n_open) {
    set_unref(node->copied);
    node->copied = NULL;
  }
}

static void take_kept(tfc_cow* c, int64_t chunk, void* to) {
  tfc_cow_set* set = c->set;
  tfc_buffer* b = c->kept[chunk];
  c->kept[chunk] = NULL;
  set->kept -= chunk_size(c, chunk);
  set->moved++;
  set_state(c, chunk, COPIED);
  pthread_mutex_unlock(&set->lock);
  memcpy(to, b->data, (size_t)chunk_size(c, chunk));
  tfc_buffer_unref(b);
}

static void copy(tfc_cow* c, int64_t chunk, void* to) {
  tfc_cow_set* set = c->set;
  pthread_mutex_lock(&set->lock);
  while (c->state[chunk] == BUSY) pthread_cond_wait(&set->changed, &set->lock);
  if (c->state[chunk] == KEPT) {
    take_kept(c, chunk, to);
    return;
  }
  set_state(c, chunk, BUSY);
  pthread_mutex_unlock(&set->lock);
  memcpy(to, c->data + chunk * TFC_COPY_CHUNK, (size_t)chunk_size(c, chunk));
  pthread_mutex_lock(&set->lock);
  set->moved++;
  set_state(c, chunk, COPIED);
  pthread_mutex_unlock(&set->lock);
}

int64_t tfc_cow_copy_chunk(tfc_context* ctx, int input, int64_t chunk, void* to) {
  const tfc_tensor* in = ctx->inputs[input];
  tfc_cow* c = find(tfc_node_of(ctx), input);
  int64_t bytes = in->n * (int64_t)tfc_dtype_size(in->dtype), left = bytes - chunk * TFC_COPY_CHUNK;
  if (left <= 0) return 0;
  if (left > TFC_COPY_CHUNK) left = TFC_COPY_CHUNK;
  if (c)
    copy(c, chunk, to);
  else
    memcpy(to, (const char*)in->data + chunk * TFC_COPY_CHUNK, (size_t)left);
  return left;
}

/* ---- Writers. */

bool tfc_cow_join(tfc_node_context* ctx, tfc_buffer* b) {
  if (!tfc_is_block(b) || !__atomic_load_n(&b->owner, __ATOMIC_ACQUIRE)) return false;
  for (const tfc_cow* c = ctx->written; c; c = c->next)
    if (c->buffer == b) return true; /* the kernel has the variable twice */
  pthread_mutex_lock(&owners);
  tfc_cow* c = __atomic_load_n(&b->owner, __ATOMIC_RELAXED);
  /* The variable and the slot of the copying kernel. */
  if (c && __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE) != 2) c = NULL;
  if (c) __atomic_fetch_add(&c->set->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&owners);
  if (!c) return false;
  c->next = ctx->written;
  ctx->written = c;
  return true;
}

void tfc_cow_leave(tfc_node_context* ctx) {
  while (ctx->written) {
    tfc_cow* c = ctx->written;
    ctx->written = c->next;
    set_unref(c->set);
  }
}

tfc_cow* tfc_cow_of(tfc_context* ctx, const tfc_tensor* value) {
  tfc_cow* c = tfc_node_of(ctx)->written;
  while (c && c->buffer != value->buffer) c = c->next;
  return c;
}

/* With the lock: waits for the copying kernel, or until it has not moved for a while, as a writer
 * holds a lock for which others may wait. */
static void wait_for_copy(tfc_cow_set* set, bool may_give_up) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_nsec += STALL_NS;
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int64_t moved = set->moved;
  int late = pthread_cond_timedwait(&set->changed, &set->lock, &until);
  if (late == ETIMEDOUT && may_give_up && moved == set->moved) set->limit = INT64_MAX;
}

/* With the lock, which is released meanwhile: false if there was no memory. */
static bool keep_in_memory(tfc_cow* c, int64_t chunk) {
  tfc_cow_set* set = c->set;
  size_t size = (size_t)chunk_size(c, chunk);
  set_state(c, chunk, BUSY);
  set->kept += (int64_t)size;
  pthread_mutex_unlock(&set->lock);
  tfc_buffer* b = tfc_allocate(size);
  if (b) memcpy(b->data, c->data + chunk * TFC_COPY_CHUNK, size);
  pthread_mutex_lock(&set->lock);
  if (!b) set->kept -= (int64_t)size;
  c->kept[chunk] = b;
  set_state(c, chunk, b ? KEPT : UNTOUCHED);
  return b;
}

static void keep(tfc_cow* c, int64_t chunk) {
  tfc_cow_set* set = c->set;
  bool memory = true;
  pthread_mutex_lock(&set->lock);
  while (!c->done && c->state[chunk] < KEPT) {
    if (c->state[chunk] == BUSY)
      pthread_cond_wait(&set->changed, &set->lock);
    else if (!memory || set->kept + chunk_size(c, chunk) > set->limit) {
      wait_for_copy(set, memory);
      memory = true;
    } else
      memory = keep_in_memory(c, chunk);
  }
  pthread_mutex_unlock(&set->lock);
}

void tfc_cow_before_write(tfc_cow* c, int64_t first_byte, int64_t bytes) {
  if (bytes <= 0) return;
  for (int64_t k = first_byte / TFC_COPY_CHUNK; k <= (first_byte + bytes - 1) / TFC_COPY_CHUNK; k++)
    if (__atomic_load_n(&c->state[k], __ATOMIC_ACQUIRE) < KEPT) keep(c, k);
}

void tfc_cow_keep_all(tfc_cow* c) {
  tfc_cow_before_write(c, 0, c->bytes);
}

/* ---- Who waits until values are shared. */

static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t watches_changed = PTHREAD_COND_INITIALIZER;
static tfc_cow_watch* watches; /* with all fields of the members: under watches_lock */

void tfc_cow_watch_begin(tfc_cow_watch* w, unsigned long caller) {
  pthread_mutex_lock(&watches_lock);
  w->caller = caller;
  w->next = watches;
  watches = w;
  pthread_mutex_unlock(&watches_lock);
}

void tfc_cow_watch_end(tfc_cow_watch* w) {
  pthread_mutex_lock(&watches_lock);
  for (tfc_cow_watch** at = &watches; *at; at = &(*at)->next)
    if (*at == w) {
      *at = w->next;
      break;
    }
  w->ended = true;
  pthread_cond_broadcast(&watches_changed);
  pthread_mutex_unlock(&watches_lock);
}

void tfc_cow_taken(const tfc_step* step) {
  pthread_mutex_lock(&watches_lock);
  for (tfc_cow_watch* w = watches; w; w = w->next) w->seen += w->caller == step->caller_id;
  pthread_cond_broadcast(&watches_changed);
  pthread_mutex_unlock(&watches_lock);
}

bool tfc_cow_watch_wait(tfc_cow_watch* w, int wanted, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(seconds * 1e9);
  until.tv_sec += until.tv_nsec / 1000000000;
  until.tv_nsec %= 1000000000;
  int late = 0;
  pthread_mutex_lock(&watches_lock);
  while (!w->ended && w->seen < wanted && !late)
    late = pthread_cond_timedwait(&watches_changed, &watches_lock, &until);
  bool done = w->ended || w->seen >= wanted;
  pthread_mutex_unlock(&watches_lock);
  return done;
}

void tfc_cow_after_fork(void) {
  pthread_mutex_init(&owners, NULL);
  pthread_mutex_init(&watches_lock, NULL);
  pthread_cond_init(&watches_changed, NULL);
  watches = NULL;
}
