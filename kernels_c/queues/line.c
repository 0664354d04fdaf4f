/* The lines in which attempts wait at a queue, and the order in which they are served. See queue.h
 * and waiting.h.
 *
 * Enqueues and closes stand in one line, dequeues in another. Each change may let the first in one
 * line continue, which may let the first in the other continue, and so forth. All that are served
 * in one turn are ended after the mutex has been unlocked.
 */
#include "kernels_c/queues/queue.h"

TFC_ONE_LEVEL;

/* ---- With the mutex: one attempt. Each returns whether anything changed. */

/* Ends an attempt with an outcome, unless it is being cancelled. Those to be ended are linked. */
static void settle(queue_attempt* a, queue_outcome outcome, tfc_line* settled) {
  if (!tfc_wait_claim(a->q->api, &a->waiter)) return;
  a->outcome = outcome;
  tfc_wait_append(settled, &a->waiter);
}

/* Takes an attempt out of its line before it gets its last share: what is being cancelled gets
 * nothing more. */
static bool claim(queue_attempt* a) {
  return tfc_wait_claim(a->q->api, &a->waiter);
}

static void settle_claimed(queue_attempt* a, bool ok, tfc_line* settled) {
  a->outcome = ok ? QUEUE_DONE : QUEUE_NO_MEMORY;
  tfc_wait_append(settled, &a->waiter);
}

static bool serve_enqueue(queue_attempt* a, tfc_line* settled) {
  queue* q = a->q;
  if (q->closed) {
    settle(a, QUEUE_IS_CLOSED, settled);
    return true;
  }
  const int64_t room = q->form.capacity - q->runs.elements;
  if (room >= a->held.elements) {
    if (claim(a)) settle_claimed(a, queue_store_put(q, &a->held, a->held.elements), settled);
    return true;
  }
  if (room <= 0) return false;
  if (!queue_store_put(q, &a->held, room)) settle(a, QUEUE_NO_MEMORY, settled);
  return true;
}

static bool serve_close(queue_attempt* a, tfc_line* settled) {
  if (!claim(a)) return true;
  a->outcome = a->q->closed ? QUEUE_IS_CLOSED : QUEUE_DONE;
  a->q->closed = true;
  tfc_wait_append(settled, &a->waiter);
  return true;
}

static bool too_few(queue_attempt* a, tfc_line* settled) {
  a->size_found = a->q->runs.elements;
  settle(a, QUEUE_TOO_FEW, settled);
  return true;
}

/* A closed queue has all elements that it will ever have, together with those taken so far. */
static bool serve_dequeue_of_closed(queue_attempt* a, tfc_line* settled) {
  queue* q = a->q;
  queue_store_restore(q, &a->held);
  if (!a->up_to || q->runs.elements == 0) return too_few(a, settled);
  if (claim(a)) settle_claimed(a, queue_store_take(q, &a->held, q->runs.elements), settled);
  return true;
}

static bool serve_dequeue(queue_attempt* a, tfc_line* settled) {
  queue* q = a->q;
  const int64_t missing = a->wanted - a->held.elements;
  if (q->closed && q->runs.elements < missing) return serve_dequeue_of_closed(a, settled);
  const int64_t there = q->runs.elements - (q->closed ? 0 : q->form.min_after_dequeue);
  if (there >= missing) {
    if (claim(a)) settle_claimed(a, queue_store_take(q, &a->held, missing), settled);
    return true;
  }
  if (q->ends && a->or_ends && a->held.elements + there > 0)
    return serve_dequeue_of_closed(a, settled);
  /* A batch of a PriorityQueue is sorted, so it must be taken at once. */
  if (there <= 0 || q->form.kind == QUEUE_PRIORITY) return false;
  if (!queue_store_take(q, &a->held, there)) settle(a, QUEUE_NO_MEMORY, settled);
  return true;
}

static bool serve(queue_attempt* a, tfc_line* settled) {
  switch (a->action) {
    case QUEUE_ENQUEUE: return serve_enqueue(a, settled);
    case QUEUE_DEQUEUE: return serve_dequeue(a, settled);
    default: return serve_close(a, settled);
  }
}

/* ---- With the mutex: all who wait. */

/* Serves a line from its front until somebody has to wait on. */
static bool serve_line(tfc_line* line, tfc_line* settled) {
  bool changed = false;
  for (tfc_waiter* first = line->first; first; first = line->first) {
    if (!serve((queue_attempt*)first, settled)) break;
    changed = true;
    if (line->first == first) break; /* it got a part, and waits for more */
  }
  return changed;
}

static void serve_all(queue* q, tfc_line* settled) {
  bool changed;
  do {
    changed = serve_line(&q->enqueues, settled);
    changed |= serve_line(&q->dequeues, settled);
  } while (changed);
}

/* ---- Without the mutex: the end of an attempt. */

static int say(queue_attempt* a) {
  tfc_context* ctx = a->waiter.ctx;
  const queue_form* form = &a->q->form;
  switch (a->outcome) {
    case QUEUE_IS_CLOSED:
      if (a->action == QUEUE_CLOSE)
        return tfc_error(ctx, TFC_CANCELLED, "Queue '%s' is already closed.", form->name);
      return tfc_error(ctx, TFC_CANCELLED, "%s '%s' is closed.", form->type, form->name);
    case QUEUE_TOO_FEW:
      return tfc_error(ctx, TFC_OUT_OF_RANGE,
                       "%s '%s' is closed and has insufficient elements (requested %lld, current "
                       "size %lld)",
                       form->type, form->name, (long long)a->wanted, (long long)a->size_found);
    case QUEUE_NO_MEMORY:
      return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of %s '%s'",
                       form->type, form->name);
    default:
      return tfc_error(ctx, TFC_CANCELLED, "%s operation was cancelled",
                       a->action == QUEUE_DEQUEUE ? "Dequeue" : "Enqueue");
  }
}

static void end_all(queue* q, tfc_line* settled);

/* Gives back what an attempt has taken and can't use. */
static void give_back(queue_attempt* a) {
  queue* q = a->q;
  tfc_line settled = {0};
  if (a->action != QUEUE_DEQUEUE || !a->held.n) {
    queue_runs_clear(q->api, &a->held);
    return;
  }
  pthread_mutex_lock(&q->mutex);
  queue_store_restore(q, &a->held);
  serve_all(q, &settled);
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &settled);
}

/* Returns the kernel's result; a->held is empty then. */
static int end_attempt(queue_attempt* a) {
  int code = TFC_OK;
  if (a->outcome == QUEUE_DONE && a->action == QUEUE_DEQUEUE)
    code = queue_make_outputs(a->waiter.ctx, a->q, 0, &a->held, a->many);
  else if (a->outcome != QUEUE_DONE)
    code = say(a);
  if (code)
    give_back(a);
  else if (a->action == QUEUE_DEQUEUE)
    queue_store_give(a->q, &a->held);
  else
    queue_runs_clear(a->q->api, &a->held);
  return code;
}

/* Copies the text out before the element, and then perhaps the queue, is gone. */
static void end_take(queue_attempt* a) {
  char* text = NULL;
  size_t size = 0;
  int code =
      a->outcome == QUEUE_DONE ? queue_copy_text(a->waiter.ctx, &a->held, &text, &size) : say(a);
  queue_store_give(a->q, &a->held);
  a->taken(a->arg, code, text, size);
}

static void end_all(queue* q, tfc_line* settled) {
  while (settled->first) {
    queue_attempt* a = (queue_attempt*)settled->first;
    tfc_wait_leave(&a->waiter);
    if (a->taken) {
      end_take(a);
      continue;
    }
    const int code = end_attempt(a);
    tfc_wait_resume(q->api, &a->waiter, code);
  }
}

/* ---- Kernels. */

static void cancelled(void* arg) {
  queue_attempt* a = arg;
  queue* q = a->q;
  tfc_line settled = {0};
  pthread_mutex_lock(&q->mutex);
  tfc_wait_leave(&a->waiter);
  if (a->action == QUEUE_DEQUEUE) queue_store_restore(q, &a->held);
  serve_all(q, &settled); /* those behind it may continue */
  pthread_mutex_unlock(&q->mutex);
  queue_runs_clear(q->api, &a->held);
  a->outcome = QUEUE_CANCELLED;
  const int code = say(a);
  tfc_wait_resume(q->api, &a->waiter, code);
  end_all(q, &settled);
}

static tfc_line* line_of(queue_attempt* a) {
  return a->action == QUEUE_DEQUEUE ? &a->q->dequeues : &a->q->enqueues;
}

/* Whether nobody waits before this attempt and it can be served in full. */
static bool fits(const queue_attempt* a) {
  const queue* q = a->q;
  if (line_of((queue_attempt*)a)->first) return false;
  switch (a->action) {
    case QUEUE_ENQUEUE: return q->closed || q->form.capacity - q->runs.elements >= a->held.elements;
    case QUEUE_DEQUEUE:
      return q->closed || q->runs.elements - q->form.min_after_dequeue >= a->wanted;
    default: return true;
  }
}

/* True: the attempt is settled. */
static bool try_at_once(tfc_context* ctx, queue_attempt* a) {
  queue* q = a->q;
  tfc_line mine = {0}, others = {0};
  a->waiter.async = NULL;
  a->waiter.ctx = ctx;
  a->waiter.line = NULL;
  pthread_mutex_lock(&q->mutex);
  const bool served = fits(a);
  if (served) {
    serve(a, &mine);
    serve_all(q, &others);
  }
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &others);
  return served;
}

static int wait_in_line(tfc_context* ctx, const queue_attempt* attempt) {
  queue* q = attempt->q;
  tfc_line settled = {0};
  queue_attempt* a = malloc(sizeof *a);
  if (!a) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to wait for a queue");
  *a = *attempt;
  if (!tfc_wait_prepare(ctx, &a->waiter)) {
    free(a);
    return TFC_RESOURCE_EXHAUSTED;
  }
  pthread_mutex_lock(&q->mutex);
  const bool waits = tfc_wait_join(q->api, line_of(a), &a->waiter, cancelled);
  if (waits) serve_all(q, &settled);
  pthread_mutex_unlock(&q->mutex);
  if (!waits) {
    queue_runs_clear(q->api, &a->held);
    a->outcome = QUEUE_CANCELLED;
    tfc_wait_resume(q->api, &a->waiter, say(a));
  }
  end_all(q, &settled);
  return TFC_PENDING;
}

int queue_attempt_run(tfc_context* ctx, queue_attempt* a) {
  if (try_at_once(ctx, a)) return end_attempt(a);
  const int code = wait_in_line(ctx, a);
  if (code != TFC_PENDING) queue_runs_clear(a->q->api, &a->held);
  return code;
}

/* ---- Takes. They have no kernel of their own to resume: see take.h. */

queue_take* queue_take_new(tfc_context* ctx, int input, queue_taken taken, void* arg) {
  queue* q = NULL;
  if (queue_find(ctx, input, &q)) return NULL;
  if (q->form.n != 1 || q->form.component[0].dtype != TFC_STRING) {
    tfc_error(ctx, TFC_INVALID_ARGUMENT,
              q->form.n != 1 ? "Expected single component queue"
                             : "Expected queue with single string component");
    return NULL;
  }
  queue_attempt* a = calloc(1, sizeof *a);
  if (!a) {
    tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to wait for a queue");
    return NULL;
  }
  *a = (queue_attempt){.q = q, .action = QUEUE_DEQUEUE, .wanted = 1, .taken = taken, .arg = arg};
  a->waiter.ctx = ctx;
  return a;
}

void queue_take_free(queue_take* take) {
  free(take);
}

void queue_take_begin(queue_take* a) {
  queue* q = a->q;
  tfc_line mine = {0}, others = {0};
  pthread_mutex_lock(&q->mutex);
  if (a->withdrawn) {
    settle(a, QUEUE_CANCELLED, &mine);
  } else if (fits(a)) {
    serve(a, &mine);
    serve_all(q, &others);
  } else {
    tfc_wait_append(&q->dequeues, &a->waiter);
  }
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &others);
  end_all(q, &mine);
}

/* Those behind one that waits for a single element have nothing to take either. */
bool queue_take_withdraw(queue_take* a) {
  queue* q = a->q;
  pthread_mutex_lock(&q->mutex);
  const bool waits = a->outcome == QUEUE_WAITS && a->waiter.line;
  a->withdrawn = true;
  if (waits) tfc_wait_leave(&a->waiter);
  pthread_mutex_unlock(&q->mutex);
  return waits;
}

int queue_replace(tfc_context* ctx, queue* q, queue_runs* runs, const queue_random* random) {
  tfc_line settled = {0};
  queue_runs dropped = {0};
  const int64_t n = runs->elements;
  bool ok = false;
  pthread_mutex_lock(&q->mutex);
  const bool fits = n <= q->form.capacity;
  if (fits) {
    for (tfc_waiter* w = q->dequeues.last; w; w = w->previous)
      queue_store_restore(q, &((queue_attempt*)w)->held);
    queue_runs before = q->runs;
    q->runs = (queue_runs){.lent = before.lent};
    ok = queue_store_put(q, runs, n);
    if (ok) {
      q->random = *random;
      dropped = before;
    } else {
      dropped = q->runs;
      q->runs = before;
    }
    serve_all(q, &settled);
  }
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &settled);
  queue_runs_clear(q->api, &dropped);
  queue_runs_clear(q->api, runs);
  if (!fits)
    return tfc_error(ctx, TFC_INVALID_ARGUMENT,
                     "%s '%s' has a capacity of %lld, and %lld elements are to be restored",
                     q->form.type, q->form.name, (long long)q->form.capacity, (long long)n);
  if (ok) return TFC_OK;
  return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for the elements of %s '%s'",
                   q->form.type, q->form.name);
}

void queue_end_soon(queue* q) {
  tfc_line settled = {0};
  pthread_mutex_lock(&q->mutex);
  q->ends = true;
  serve_all(q, &settled);
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &settled);
}

void queue_close_now(queue* q) {
  tfc_line settled = {0};
  pthread_mutex_lock(&q->mutex);
  q->closed = true;
  while (q->enqueues.first) settle((queue_attempt*)q->enqueues.first, QUEUE_CANCELLED, &settled);
  serve_all(q, &settled);
  pthread_mutex_unlock(&q->mutex);
  end_all(q, &settled);
}
