/* Kernels that wait at an object (a queue, an accumulator) until it has what they need. They hold
 * no thread meanwhile.
 *
 * The object has a mutex and one or more lines. A kernel locks the object, and if nobody is in its
 * line it may take what it needs at once. Else it suspends itself (tfc_wait_prepare) and joins the
 * line (tfc_wait_join). Whoever changes the object serves the lines, the first in each line first:
 * tfc_wait_claim takes a waiter out of its line, and after unlocking the object, tfc_wait_resume
 * ends its kernel. A waiter may get a part of what it needs before it is claimed; it keeps its
 * place.
 *
 * A cancelled kernel leaves its line: `cancelled` is called without the lock. It takes the lock,
 * calls tfc_wait_leave, gives back what the waiter has got so far, unlocks, and then calls
 * tfc_wait_resume with TFC_CANCELLED.
 */
#ifndef TFCORE_WAITING_H
#define TFCORE_WAITING_H

#include <pthread.h>
#include <stdlib.h>

#include "kernels_c/common/common.h"

typedef struct tfc_waiter {
  /* Under the object's lock, or the claimer's own once it has been claimed. */
  struct tfc_waiter *next, *previous;
  struct tfc_line* line; /* NULL: in none */
  tfc_async* async;      /* NULL: its kernel runs now, on the thread that serves it */
  tfc_context* ctx;      /* valid until the kernel is resumed */
} tfc_waiter;

/* All zero is an empty line. Under the object's lock. */
typedef struct tfc_line {
  tfc_waiter *first, *last;
} tfc_line;

static inline void tfc_wait_append(tfc_line* line, tfc_waiter* w) {
  w->next = NULL;
  w->previous = line->last;
  w->line = line;
  if (line->last)
    line->last->next = w;
  else
    line->first = w;
  line->last = w;
}

static inline void tfc_wait_leave(tfc_waiter* w) {
  tfc_line* line = w->line;
  if (!line) return;
  if (w->next)
    w->next->previous = w->previous;
  else
    line->last = w->previous;
  if (w->previous)
    w->previous->next = w->next;
  else
    line->first = w->next;
  w->line = NULL;
  w->next = w->previous = NULL;
}

/* Suspends the kernel. False: it can't be; the error is set. */
static inline bool tfc_wait_prepare(tfc_context* ctx, tfc_waiter* w) {
  w->async = tfc_suspend(ctx);
  if (!w->async) return false;
  w->ctx = tfc_async_context(ctx->api, w->async);
  return true;
}

/* With the lock: joins a line. False: the step is cancelled already; the caller unlocks and resumes
 * the waiter with TFC_CANCELLED. */
static inline bool tfc_wait_join(const tfc_api* api, tfc_line* line, tfc_waiter* w,
                                 void (*cancelled)(void* waiter)) {
  w->line = NULL;
  if (!tfc_on_cancel(api, w->async, cancelled, w)) return false;
  tfc_wait_append(line, w);
  return true;
}

/* With the lock: takes a waiter out of its line. True: the caller must end its kernel. False: it is
 * being cancelled, and belongs to `cancelled`. */
static inline bool tfc_wait_claim(const tfc_api* api, tfc_waiter* w) {
  tfc_wait_leave(w);
  return !w->async || tfc_claim(api, w->async);
}

/* Ends the kernel, without the lock, and frees what begins with the waiter. */
static inline void tfc_wait_resume(const tfc_api* api, tfc_waiter* w, int code) {
  tfc_async* async = w->async;
  free(w);
  tfc_resume(api, async, code);
}

#endif /* TFCORE_WAITING_H */
