/* The kernels of _Send and _Recv: the two ends of an edge between devices.
 *
 * A value is passed by reference, as nobody writes to shared memory. The memory of a feed belongs
 * to the user and is valid during the step. Within a process both ends are in that step; only a
 * feed that goes to another task is copied.
 *
 * Dead tokens are sent too: both kernels run with dead inputs, so that every value or token that is
 * sent is also received. */
#include <stdlib.h>

#include "rendezvous.h"
#include "step.h"

typedef struct edge {
  uint64_t number;
  int peer; /* rank of the other task; -1: this process */
} edge;

static int create(tfc_construction* c, void** state) {
  int64_t number, peer;
  int code = c->api->attr_int(c, "_edge", &number);
  if (!code) code = c->api->attr_int(c, "_peer", &peer);
  if (code) return code;
  edge* e = malloc(sizeof *e);
  if (!e) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *e = (edge){(uint64_t)number, (int)peer};
  *state = e;
  return TFC_OK;
}

static tfc_key key_of(const tfc_context* ctx) {
  tfc_place place = tfc_place_of(ctx);
  return (tfc_key){.step = ctx->step_id,
                   .edge = ((const edge*)ctx->state)->number,
                   .frame = place.frame,
                   .iteration = place.iteration};
}

static int send_away(tfc_context* ctx, int peer, const tfc_key* key, tfc_tensor* value, bool dead) {
  char message[1024] = "";
  tfc_tensor copy = *value;
  bool borrowed = value->buffer && value->buffer->flags & TFC_BUFFER_BORROWED;
  if (borrowed && !tfc_tensor_copy(&copy, value))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a copy of a fed value");
  int code = tfc_rendezvous_table.send(peer, key, &copy, dead, message, sizeof message);
  if (borrowed) tfc_tensor_clear(&copy);
  return code ? tfc_error(ctx, code, "%s", message) : TFC_OK;
}

static int send_compute(tfc_context* ctx) {
  const edge* e = ctx->state;
  tfc_key key = key_of(ctx);
  bool dead = tfc_input_is_dead(ctx);
  tfc_tensor value = dead ? (tfc_tensor){.buffer = NULL} : *ctx->inputs[0];
  if (e->peer >= 0) return send_away(ctx, e->peer, &key, &value, dead);
  if (value.buffer) tfc_buffer_ref(value.buffer);
  tfc_rendezvous_table.put(&key, &value, dead);
  return TFC_OK;
}

/* A _Recv that waits. The value (or an abort) and a cancellation of the step may arrive at the same
 * time. `side` decides which of them resumes the kernel; the memory is freed when both have
 * arrived.
 */
typedef struct receiver {
  tfc_waiter waiter; /* must be first: the rendezvous gets a pointer to it */
  const tfc_api* api;
  tfc_async* async;
  int side; /* atomic: which came first */
  int come; /* atomic: how many of the two have arrived */
} receiver;

enum { NOBODY, VALUE, CANCELLATION };

static bool is_first(receiver* r, int side) {
  int nobody = NOBODY;
  return __atomic_compare_exchange_n(&r->side, &nobody, side, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

static bool is_last(receiver* r) {
  return __atomic_add_fetch(&r->come, 1, __ATOMIC_ACQ_REL) == 2;
}

static int receive(tfc_context* ctx, tfc_tensor* value, bool dead) {
  if (dead) tfc_output_dead(ctx);
  int code = dead ? TFC_OK : ctx->api->set_tensor(ctx, 0, value);
  tfc_tensor_clear(value);
  return code;
}

static void finish(receiver* r, int code) {
  tfc_resume(r->api, r->async, code);
  free(r);
}

static void ready(tfc_waiter* w, int code, const char* message, tfc_tensor* value, bool dead) {
  receiver* r = (receiver*)w;
  bool first = is_first(r, VALUE);
  if (first && tfc_claim(r->api, r->async)) {
    tfc_context* ctx = tfc_async_context(r->api, r->async);
    finish(r, code ? tfc_error(ctx, code, "%s", message) : receive(ctx, value, dead));
    return;
  }
  tfc_tensor_clear(value);
  if (!is_last(r)) return; /* `cancel` follows and needs `r` */
  if (first) {
    finish(r, TFC_CANCELLED);
  } else {
    free(r);
  }
}

static void cancel(void* arg) {
  receiver* r = arg;
  if (is_first(r, CANCELLATION)) {
    tfc_async* async = r->async;
    const tfc_api* api = r->api;
    if (tfc_rendezvous_table.forget(&r->waiter) || is_last(r)) free(r);
    tfc_resume(api, async, TFC_CANCELLED);
  } else if (is_last(r)) { /* `ready` was first, but the claim is here */
    finish(r, TFC_CANCELLED);
  }
}

static int recv_compute(tfc_context* ctx) {
  const edge* e = ctx->state;
  tfc_key key = key_of(ctx);
  tfc_tensor value;
  bool dead;
  if (tfc_rendezvous_table.try_take(&key, &value, &dead)) return receive(ctx, &value, dead);
  receiver* r = calloc(1, sizeof *r);
  if (!r) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
  r->waiter = (tfc_waiter){.ready = ready, .key = key, .peer = e->peer};
  r->api = ctx->api;
  r->async = tfc_suspend(ctx);
  if (!r->async) {
    free(r);
    return TFC_RESOURCE_EXHAUSTED;
  }
  if (tfc_on_cancel(r->api, r->async, cancel, r)) {
    tfc_rendezvous_table.take(&r->waiter);
  } else {
    finish(r, TFC_CANCELLED);
  }
  return TFC_PENDING;
}

const tfc_kernel_def tfc_send_kernel = {.op = "_Send",
                                        .device = "CPU",
                                        .types = "",
                                        .compute = send_compute,
                                        .create = create,
                                        .destroy = free};
const tfc_kernel_def tfc_recv_kernel = {.op = "_Recv",
                                        .device = "CPU",
                                        .types = "",
                                        .compute = recv_compute,
                                        .create = create,
                                        .destroy = free,
                                        .flags = TFC_KERNEL_ASYNC};
