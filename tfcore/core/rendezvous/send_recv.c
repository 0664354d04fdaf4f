/* The kernels of _Send and _Recv: the two ends of an edge between devices.
 *
 * A value is passed by reference, as nobody writes to shared memory. The memory of a feed belongs
 * to the user and is valid during the step. Within a process both ends are in that step; only a
 * feed that goes to another task is copied.
 *
 * Dead tokens are sent too: both kernels run with dead inputs, so that every value or token that is
 * sent is also received.
 *
 * A _Recv is suspended until its value comes. A _Send whose value another task has no room for is
 * suspended until it has; so a loop does not run ahead of a slow receiver. Where no node waits (in
 * a static plan, or in a static part of a dynamic one) a _Send cannot be suspended: there it runs
 * once in a step, and the value is queued. So is a value that comes from a device, as its kernel
 * has ended before the value is on the host. */
#include <stdlib.h>

#include "device/device.h"
#include "registry/context.h"
#include "rendezvous/rendezvous.h"

/* What `peer` of an edge may be instead of a rank. Tasks know a step's master by its number, so
 * that masters with equal partitions can share one plan. */
enum { THIS_PROCESS = -1, MASTER = -2 };

typedef struct edge {
  uint64_t number;
  int peer;       /* rank of the other task, or one of the above */
  bool to_device; /* the value is received in the memory of a device of this process */
} edge;

static int create(tfc_construction* c, void** state) {
  int64_t number, peer;
  bool to_device = false;
  int code = c->api->attr_int(c, "_edge", &number);
  if (!code) code = c->api->attr_int(c, "_peer", &peer);
  if (code) return code;
  c->api->attr_bool(c, "_to_device", &to_device); /* only the compiler sets it */
  edge* e = malloc(sizeof *e);
  if (!e) return c->api->error(c, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *e = (edge){(uint64_t)number, (int)peer, to_device};
  *state = e;
  return TFC_OK;
}

static int peer_of(const tfc_context* ctx) {
  const edge* e = ctx->state;
  return e->peer == MASTER ? tfc_step_rank(ctx->step_id) : e->peer;
}

static tfc_key key_of(const tfc_context* ctx) {
  tfc_place place = tfc_place_of(ctx);
  return (tfc_key){.step = ctx->step_id,
                   .edge = ((const edge*)ctx->state)->number,
                   .frame = place.frame,
                   .iteration = place.iteration};
}

/* A value that comes from a device's memory before it is sent. */
typedef struct departure {
  tfc_download download; /* must be first */
  tfc_key key;
  int peer;
} departure;

static int depart(tfc_download* d, int code, char* message, size_t size) {
  departure* p = (departure*)d;
  if (code) {
    tfc_tensor_clear(&d->to);
  } else if (p->peer < 0) {
    tfc_rendezvous_put(&p->key, &d->to, false, NULL);
  } else {
    bool full = false;
    code = tfc_between_tasks.try_send(p->peer, &p->key, &d->to, false, &full, message, size);
    if (full) code = tfc_between_tasks.send_later(p->peer, &p->key, &d->to, NULL, message, size);
    tfc_tensor_clear(&d->to);
  }
  if (code) tfc_rendezvous_abort_step(p->key.step, code, message);
  free(p);
  return code;
}

static int send_from_device(tfc_context* ctx, int peer, const tfc_key* key,
                            const tfc_tensor* value) {
  tfc_device* device = value->buffer->device;
  departure* p = calloc(1, sizeof *p);
  if (!p) return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
  *p = (departure){.download = {.from = *value, .done = depart}, .key = *key, .peer = peer};
  tfc_tensor* to = &p->download.to;
  to->dtype = value->dtype;
  if (!tfc_tensor_new(to, value->rank, value->dims)) {
    free(p);
    return tfc_out_of_memory(ctx, value->rank, value->dims, value->dtype);
  }
  tfc_buffer_ref(value->buffer);
  int code = device->download(device, ctx, &p->download);
  if (!code) return TFC_OK;
  tfc_tensor_clear(&p->download.from);
  tfc_tensor_clear(to);
  free(p);
  return code;
}

/* A kernel that waits. The event it waits for and a cancellation of the step may come at the same
 * time. `side` decides which one resumes the kernel; the memory is freed when both have
 * arrived. */
typedef struct suspended {
  union { /* the rendezvous gets a pointer to it */
    tfc_waiter recv;
    tfc_send_waiter send;
  } waiter; /* must be first */
  bool sends;
  const tfc_api* api;
  tfc_async* async;
  int side; /* atomic: which came first */
  int come; /* atomic: how many of the two have arrived */
} suspended;

enum { NOBODY, EVENT, CANCELLATION };

static bool is_first(suspended* s, int side) {
  int nobody = NOBODY;
  return __atomic_compare_exchange_n(&s->side, &nobody, side, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

static bool is_last(suspended* s) {
  return __atomic_add_fetch(&s->come, 1, __ATOMIC_ACQ_REL) == 2;
}

static void finish(suspended* s, int code) {
  tfc_resume(s->api, s->async, code);
  free(s);
}

/* The event has come; returns the kernel's context if it is to be finished now. */
static tfc_context* claim(suspended* s) {
  bool first = is_first(s, EVENT);
  if (first && tfc_claim(s->api, s->async)) return tfc_async_context(s->api, s->async);
  if (!is_last(s)) return NULL; /* `cancel` follows and needs `s` */
  if (first) {
    finish(s, TFC_CANCELLED);
  } else {
    free(s);
  }
  return NULL;
}

static void cancel(void* arg) {
  suspended* s = arg;
  if (is_first(s, CANCELLATION)) {
    tfc_async* async = s->async;
    const tfc_api* api = s->api;
    bool is_alone = s->sends ? tfc_between_tasks.withdraw(&s->waiter.send)
                             : tfc_rendezvous_forget(&s->waiter.recv);
    if (is_alone || is_last(s)) free(s);
    tfc_resume(api, async, TFC_CANCELLED);
  } else if (is_last(s)) { /* the event was first, but the claim is here */
    finish(s, TFC_CANCELLED);
  }
}

/* NULL: there is no memory, or the step is cancelled, and *code is what the kernel returns. */
static suspended* suspend(tfc_context* ctx, suspended template, int* code) {
  *code = TFC_RESOURCE_EXHAUSTED;
  suspended* s = malloc(sizeof *s);
  if (!s) {
    tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  *s = template;
  s->api = ctx->api;
  s->async = tfc_suspend(ctx);
  if (!s->async) {
    free(s);
    return NULL;
  }
  *code = TFC_PENDING;
  if (tfc_on_cancel(s->api, s->async, cancel, s)) return s;
  finish(s, TFC_CANCELLED);
  return NULL;
}

/* ---- Sending */

static void sent(tfc_send_waiter* w, int code, const char* message) {
  suspended* s = (suspended*)w;
  tfc_context* ctx = claim(s);
  if (ctx) finish(s, code ? tfc_error(ctx, code, "%s", message) : TFC_OK);
}

/* There is no room for the value yet. */
static int send_later(tfc_context* ctx, int peer, const tfc_key* key, const tfc_tensor* value,
                      char* message, size_t size) {
  bool can_wait = ((tfc_node_context*)ctx)->dynamic;
  int code = TFC_OK;
  suspended* s = NULL;
  if (can_wait) {
    s = suspend(ctx, (suspended){.waiter.send = {.sent = sent}, .sends = true}, &code);
    if (!s) return code;
  }
  tfc_send_waiter* w = s ? &s->waiter.send : NULL;
  code = tfc_between_tasks.send_later(peer, key, value, w, message, size);
  if (!s) return code ? tfc_error(ctx, code, "%s", message) : TFC_OK;
  if (code) sent(w, code, message);
  return TFC_PENDING;
}

static int send_away(tfc_context* ctx, int peer, const tfc_key* key, const tfc_tensor* value,
                     bool dead) {
  char message[1024] = "";
  tfc_tensor copy = *value;
  bool borrowed = value->buffer && value->buffer->flags & TFC_BUFFER_BORROWED;
  if (borrowed && !tfc_tensor_copy(&copy, value))
    return tfc_error(ctx, TFC_RESOURCE_EXHAUSTED, "no memory for a copy of a fed value");
  bool full = false;
  int code = tfc_between_tasks.try_send(peer, key, &copy, dead, &full, message, sizeof message);
  if (full) {
    code = send_later(ctx, peer, key, &copy, message, sizeof message);
  } else if (code) {
    tfc_error(ctx, code, "%s", message);
  }
  if (borrowed) tfc_tensor_clear(&copy);
  return code;
}

static int send_compute(tfc_context* ctx) {
  const edge* e = ctx->state;
  tfc_key key = key_of(ctx);
  bool dead = tfc_input_is_dead(ctx);
  tfc_tensor value = dead ? (tfc_tensor){.buffer = NULL} : *ctx->inputs[0];
  bool on_device = value.buffer && value.buffer->device;
  int peer = peer_of(ctx);
  if (on_device && (peer >= 0 || !e->to_device)) return send_from_device(ctx, peer, &key, &value);
  if (peer >= 0) return send_away(ctx, peer, &key, &value, dead);
  if (value.buffer) tfc_buffer_ref(value.buffer);
  tfc_rendezvous_put(&key, &value, dead, NULL);
  return TFC_OK;
}

/* ---- Receiving */

static int copy_to_device(tfc_context* ctx, tfc_device* device, const tfc_tensor* value) {
  if (value->dtype != ctx->outputs[0].dtype)
    return tfc_error(ctx, TFC_INTERNAL, "a value of type %s was sent instead of %s",
                     tfc_type_name(value->dtype), tfc_type_name(ctx->outputs[0].dtype));
  int code = tfc_output(ctx, 0, value->rank, value->dims);
  size_t bytes = (size_t)value->n * tfc_dtype_size(value->dtype);
  if (code || !bytes) return code;
  const tfc_tensor* to = &ctx->outputs[0];
  return value->buffer && value->buffer->device
             ? device->copy_from_peer(device, ctx, to->data, value)
             : device->upload_to_new(device, ctx, to->buffer, value->data, bytes);
}

static int receive(tfc_context* ctx, tfc_tensor* value, bool dead) {
  tfc_device* device = tfc_device_of(ctx);
  int code = TFC_OK;
  if (dead) {
    tfc_output_dead(ctx);
  } else {
    bool is_there = value->buffer && value->buffer->device == device; /* as a fed array may be */
    code = device && !is_there ? copy_to_device(ctx, device, value)
                               : ctx->api->set_tensor(ctx, 0, value);
  }
  tfc_tensor_clear(value);
  return code;
}

static void ready(tfc_waiter* w, int code, const char* message, tfc_tensor* value, bool dead) {
  suspended* s = (suspended*)w;
  tfc_context* ctx = claim(s);
  if (ctx) {
    finish(s, code ? tfc_error(ctx, code, "%s", message) : receive(ctx, value, dead));
  } else {
    tfc_tensor_clear(value);
  }
}

static int recv_compute(tfc_context* ctx) {
  tfc_key key = key_of(ctx);
  tfc_tensor value;
  bool dead;
  if (tfc_rendezvous_try_take(&key, &value, &dead)) return receive(ctx, &value, dead);
  int code;
  tfc_waiter w = {.ready = ready, .key = key, .peer = peer_of(ctx)};
  suspended* s = suspend(ctx, (suspended){.waiter.recv = w}, &code);
  if (s) tfc_rendezvous_take(&s->waiter.recv);
  return code;
}

bool tfc_is_transfer(const tfc_plan_node* node, bool* sends, bool* is_remote) {
  *sends = node->compute == send_compute;
  if (!*sends && node->compute != recv_compute) return false;
  *is_remote = ((const edge*)node->state)->peer != THIS_PROCESS;
  return true;
}

#define SEND(DEVICE)        \
  {.op = "_Send",           \
   .device = DEVICE,        \
   .types = "",             \
   .compute = send_compute, \
   .create = create,        \
   .destroy = free}
#define RECV(DEVICE)        \
  {.op = "_Recv",           \
   .device = DEVICE,        \
   .types = "",             \
   .compute = recv_compute, \
   .create = create,        \
   .destroy = free,         \
   .flags = TFC_KERNEL_ASYNC}

const tfc_kernel_def tfc_transfer_kernels[TFC_TRANSFERS] = {SEND("CPU"), RECV("CPU"), SEND("GPU"),
                                                            RECV("GPU")};
