/* The line of kernels that wait for a reader's records. See reader.h and queues/waiting.h. */
#include <time.h>

#include "kernels_c/io/reader.h"

TFC_ONE_LEVEL;

static void end(const tfc_api* api, reader_read* read) {
  tfc_wait_resume(api, &read->waiter, read->code);
}

static void end_all(tfc_line* settled) {
  while (settled->first) {
    reader_read* read = (reader_read*)settled->first;
    tfc_wait_leave(&read->waiter);
    end(read->waiter.ctx->api, read);
  }
}

static void serve(reader* r);

/* The first in line has got a name, or can't get one. */
static void taken(void* arg, int code, char* name, size_t size) {
  reader_read* read = arg;
  reader* r = read->r;
  tfc_line settled = {0};
  pthread_mutex_lock(&r->mutex);
  __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED); /* another thread may end the kernel */
  r->fetching = NULL;
  queue_take_free(read->take);
  if (code)
    reader_forget_unit(r);
  else
    reader_begin_unit(r, name, size);
  read->code = code;
  if (read->cancelled) {
    tfc_wait_leave(&read->waiter);
    read->code = TFC_CANCELLED;
    tfc_wait_append(&settled, &read->waiter);
  } else if (code && tfc_wait_claim(read->waiter.ctx->api, &read->waiter)) {
    tfc_wait_append(&settled, &read->waiter);
  }
  pthread_mutex_unlock(&r->mutex);
  serve(r);
  end_all(&settled);
  reader_drop(r);
}

/* ---- Who reads. With the mutex. */

/* Until `end_busy` the caller has the unit, and may give the mutex up. */
static void begin_busy(reader* r) {
  r->busy = true;
}

static void end_busy(reader* r) {
  r->busy = false;
  pthread_cond_broadcast(&r->idle);
}

int reader_lock_idle(tfc_context* ctx, reader* r) {
  enum { CHECK_NS = 10000000, SECOND = 1000000000 };
  pthread_mutex_lock(&r->mutex);
  while (r->busy) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += CHECK_NS;
    if (until.tv_nsec >= SECOND) until.tv_sec++, until.tv_nsec -= SECOND;
    pthread_cond_timedwait(&r->idle, &r->mutex, &until);
    if (!r->busy || !tfc_cancelled(ctx)) continue;
    pthread_mutex_unlock(&r->mutex);
    return tfc_error(ctx, TFC_CANCELLED, "The step was cancelled while another one read a file");
  }
  return TFC_OK;
}

/* ---- The line */

/* With the mutex and busy: serves the first in line, who may have been cancelled while the record
 * was read. Returns a take that is to begin without the mutex. */
static queue_take* serve_first(reader* r, reader_state state, const record_status* status,
                               tfc_line* settled) {
  reader_read* read = (reader_read*)r->reads.first;
  if (!read) return NULL; /* the record stays for the next one */
  tfc_context* ctx = read->waiter.ctx;
  if (state == READER_NEEDS_UNIT) {
    read->take = queue_take_new(ctx, 1, taken, read);
    if (read->take) {
      r->fetching = read;
      return read->take;
    }
  }
  if (!tfc_wait_claim(ctx->api, &read->waiter)) return NULL;
  pthread_mutex_unlock(&r->mutex);
  switch (state) {
    case READER_READY: read->code = reader_produce(r, ctx, read->most); break;
    case READER_FAILED: read->code = tfc_error(ctx, status->code, "%s", status->text); break;
    default: read->code = TFC_INVALID_ARGUMENT; /* it is not a queue of texts; the error is set */
  }
  pthread_mutex_lock(&r->mutex);
  tfc_wait_append(settled, &read->waiter);
  return NULL;
}

/* Serves the line until its first has to wait for a name. One thread at a time does so: a name that
 * comes at once is used by the loop that asked for it. */
static void serve(reader* r) {
  tfc_line settled = {0};
  record_status status;
  __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&r->mutex);
  while (!r->served && !r->busy && !r->fetching && r->reads.first) {
    begin_busy(r);
    pthread_mutex_unlock(&r->mutex);
    const reader_state state = reader_prepare(r, &status);
    pthread_mutex_lock(&r->mutex);
    queue_take* take = serve_first(r, state, &status, &settled);
    end_busy(r);
    if (!take) continue;
    r->served = true;
    pthread_mutex_unlock(&r->mutex);
    queue_take_begin(take);
    pthread_mutex_lock(&r->mutex);
    r->served = false;
  }
  pthread_mutex_unlock(&r->mutex);
  end_all(&settled);
  reader_drop(r);
}

/* A take that can't be withdrawn any more ends the kernel. */
static void cancelled(void* arg) {
  reader_read* read = arg;
  reader* r = read->r;
  pthread_mutex_lock(&r->mutex);
  if (r->fetching == read) {
    if (!queue_take_withdraw(read->take)) {
      read->cancelled = true;
      pthread_mutex_unlock(&r->mutex);
      return;
    }
    queue_take_free(read->take);
    r->fetching = NULL;
  }
  tfc_wait_leave(&read->waiter);
  pthread_mutex_unlock(&r->mutex);
  serve(r);
  read->code = tfc_error(read->waiter.ctx, TFC_CANCELLED, "Dequeue operation was cancelled");
  end(read->waiter.ctx->api, read);
}

static int wait_in_line(tfc_context* ctx, reader* r, int64_t most) {
  const tfc_api* api = ctx->api;
  reader_read* read = calloc(1, sizeof *read);
  if (!read) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory to wait for a reader");
  read->r = r;
  read->most = most;
  if (!tfc_wait_prepare(ctx, &read->waiter)) {
    free(read);
    return TFC_RESOURCE_EXHAUSTED;
  }
  __atomic_fetch_add(&r->refs, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&r->mutex);
  const bool waits = tfc_wait_join(api, &r->reads, &read->waiter, cancelled);
  pthread_mutex_unlock(&r->mutex);
  if (waits)
    serve(r);
  else
    tfc_wait_resume(api, &read->waiter, TFC_CANCELLED);
  reader_drop(r);
  return TFC_PENDING;
}

int reader_read_now(tfc_context* ctx, reader* r, int64_t most) {
  record_status status;
  int code = TFC_PENDING;
  pthread_mutex_lock(&r->mutex);
  const bool reads = !r->busy && !r->reads.first;
  if (reads) begin_busy(r);
  pthread_mutex_unlock(&r->mutex);
  if (!reads) return wait_in_line(ctx, r, most);
  const reader_state state = reader_prepare(r, &status);
  if (state == READER_READY) code = reader_produce(r, ctx, most);
  if (state == READER_FAILED) code = tfc_error(ctx, status.code, "%s", status.text);
  pthread_mutex_lock(&r->mutex);
  end_busy(r);
  const bool others = r->reads.first;
  pthread_mutex_unlock(&r->mutex);
  if (code == TFC_PENDING) return wait_in_line(ctx, r, most); /* and serves the others */
  if (others) serve(r);
  return code;
}
