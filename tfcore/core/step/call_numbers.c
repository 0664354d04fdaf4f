/* Numbers of calls (tfcore/kernel.h): with them kernels draw random numbers that depend on no
 * thread. */
#include <stdlib.h>

#include "registry/context.h"

/* A stream from which kernels draw. Its `taken` is that of the call with `call`. */
typedef struct drawn {
  struct drawn* next;
  const void* stream;
  int64_t call, taken;
} drawn;

/* Of an inner step, and of those that begin in it. Kernels of one call may run at once. */
typedef struct tfc_numbers {
  const tfc_step* owner;
  pthread_mutex_t lock;
  uint64_t scope;
  int64_t number;
  int64_t call;   /* counts how often it was numbered */
  int64_t scopes; /* that have begun in this call */
  drawn* streams; /* kept from call to call */
} tfc_numbers;

void tfc_drop_numbers(tfc_step* step) {
  tfc_numbers* n = step->numbers;
  step->numbers = NULL;
  if (!n || n->owner != step) return;
  for (drawn *d = n->streams, *next; d; d = next) {
    next = d->next;
    free(d);
  }
  pthread_mutex_destroy(&n->lock);
  free(n);
}

int tfc_number_calls_in(tfc_context* inner, uint64_t scope, int64_t number) {
  tfc_step* step = tfc_node_of(inner)->step;
  tfc_numbers* n = step->numbers;
  if (step->id >= 0)
    return tfc_error(inner, TFC_INTERNAL, "Calls have numbers only in inner contexts");
  if (!n && number < 0) return TFC_OK;
  if (!n || n->owner != step) {
    n = calloc(1, sizeof *n);
    if (!n) return tfc_error(inner, TFC_RESOURCE_EXHAUSTED, "no memory to number calls");
    n->owner = step;
    pthread_mutex_init(&n->lock, NULL);
    step->numbers = n;
  }
  pthread_mutex_lock(&n->lock);
  n->scope = scope;
  n->number = number;
  n->call++;
  n->scopes = 0;
  pthread_mutex_unlock(&n->lock);
  return TFC_OK;
}

/* The finalizer of MurmurHash3: every bit of the result depends on every bit of x. */
static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdu;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53u;
  return x ^ x >> 33;
}

uint64_t tfc_new_scope_in(tfc_context* ctx) {
  tfc_numbers* n = tfc_node_of(ctx)->step->numbers;
  if (!n) return 0;
  pthread_mutex_lock(&n->lock);
  uint64_t scope = 0;
  if (n->number >= 0) {
    scope = mix(mix(n->scope + 0x9e3779b97f4a7c15u) ^ (uint64_t)n->number);
    scope = mix(scope + (uint64_t)++n->scopes) | 1; /* not 0 */
  }
  pthread_mutex_unlock(&n->lock);
  return scope;
}

/* With the lock: what is noted of a stream; NULL: no memory. */
static drawn* find(tfc_numbers* n, const void* stream) {
  drawn* d = n->streams;
  while (d && d->stream != stream) d = d->next;
  if (!d) {
    d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->stream = stream;
    d->next = n->streams;
    n->streams = d;
  }
  if (d->call != n->call) d->taken = 0;
  d->call = n->call;
  return d;
}

int tfc_draw_from(tfc_context* ctx, const void* stream, int64_t amount, tfc_draw_place* place) {
  tfc_numbers* n = tfc_node_of(ctx)->step->numbers;
  *place = (tfc_draw_place){.number = -1};
  if (!n) return TFC_OK;
  int code = TFC_OK;
  pthread_mutex_lock(&n->lock);
  if (n->number >= 0) {
    drawn* d = find(n, stream);
    if (d) {
      *place = (tfc_draw_place){n->scope, n->number, d->taken};
      d->taken += amount;
    } else {
      code = TFC_RESOURCE_EXHAUSTED;
    }
  }
  pthread_mutex_unlock(&n->lock);
  return code ? tfc_error(ctx, code, "no memory to draw random numbers") : TFC_OK;
}
