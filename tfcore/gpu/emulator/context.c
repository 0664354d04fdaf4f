/* Contexts: the primary one of each device, those that are created, and the stack of each thread.
 *
 * All contexts of a device share its process and its legacy stream. What is made in a context
 * belongs to it; its end is the end of those. The end of the last context ends the process.
 */
#include <stdlib.h>

#include "host.h"

enum { STACK_DEPTH = 64, API_VERSION = 3020, LAST_CACHE_CONFIG = 3, LAST_SHARED_CONFIG = 2 };

static _Thread_local void* stack[STACK_DEPTH]; /* handles; the last one is current */
static _Thread_local int depth;

CUresult enter_any(void) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (emu_in_callback) return CUDA_ERROR_NOT_PERMITTED;
  lock_host();
  return CUDA_SUCCESS;
}

static void* current(void) {
  return depth ? stack[depth - 1] : NULL;
}

CUresult enter(context** c) {
  CUresult r = enter_any();
  if (r) return r;
  *emu_load_error = 0;
  if (!current()) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  *c = context_current();
  if (!*c) return unlock_host(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if ((r = device_start((*c)->device))) return unlock_host(r);
  if ((r = device_status((*c)->device))) return unlock_host(r);
  return CUDA_SUCCESS;
}

context* context_find(const void* handle) {
  context* c = handle_find(OF_CONTEXT, handle);
  return c && c->uses ? c : NULL;
}

context* context_current(void) {
  return context_find(current());
}

void context_init(context* c, device* d, void* handle) {
  *c = (context){.device = d,
                 .handle = handle,
                 .limits = {[CU_LIMIT_STACK_SIZE] = 1 << 10,
                            [CU_LIMIT_PRINTF_FIFO_SIZE] = 1 << 20,
                            [CU_LIMIT_MALLOC_HEAP_SIZE] = 8 << 20}};
}

/* ---- The end of a context */

static void drop_stream(void* handle, void* object, void* unused) {
  (void)handle;
  (void)unused;
  stream_close(object);
}

static void drop_object(void* handle, void* object, void* unused) {
  (void)unused;
  handle_drop(handle);
  free(object);
}

static void drop_event(void* handle, void* object, void* unused) {
  event_release(object);
  drop_object(handle, object, unused);
}

static void drop_graph(void* handle, void* object, void* unused) {
  (void)unused;
  handle_drop(handle);
  graph_release(object);
}

static void drop_exec(void* handle, void* object, void* unused) {
  (void)unused;
  handle_drop(handle);
  exec_release(object);
}

void context_drop_objects(context* c) {
  handle_each(OF_STREAM, c, drop_stream, NULL);
  handle_each(OF_EVENT, c, drop_event, NULL);
  handle_each(OF_FUNCTION, c, drop_object, NULL);
  handle_each(OF_GLOBAL, c, drop_object, NULL);
  handle_each(OF_MODULE, c, drop_object, NULL);
  handle_each(OF_GRAPH, c, drop_graph, NULL);
  handle_each(OF_EXEC, c, drop_exec, NULL);
  c->epoch++;
}

/* Ends a context whose uses are over; the lock is released meanwhile. */
static void end(context* c) {
  device* d = c->device;
  if (!--d->contexts) {
    device_stop(d);
    return;
  }
  uint64_t epoch = LOAD(&d->epoch);
  c->ending = true;
  unlock_host(CUDA_SUCCESS);
  device_wait(d);
  lock_host();
  if (LOAD(&d->epoch) == epoch) {
    context_drop_objects(c);
    memory_drop_all(d, c->handle);
  }
  c->ending = false;
  pthread_cond_broadcast(&emu.ended);
}

/* ---- Primary contexts */

/* Begins a call about the primary context of a device. */
static CUresult begin_primary(CUdevice number, context** c) {
  CUresult r = enter_any();
  if (r) return r;
  if (number < 0 || number >= emu.count) return unlock_host(CUDA_ERROR_INVALID_DEVICE);
  *c = &emu.devices[number].primary;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* result, CUdevice number) {
  context* c;
  if (!result) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin_primary(number, &c);
  if (r) return r;
  while (c->ending) pthread_cond_wait(&emu.ended, &emu.lock);
  if ((r = device_start(c->device))) return unlock_host(r);
  if (!c->uses++) c->device->contexts++;
  *result = c->handle;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) {
  context* c;
  CUresult r = begin_primary(number, &c);
  if (r) return r;
  if (!c->uses) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (!--c->uses) end(c);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice number) {
  context* c;
  CUresult r = begin_primary(number, &c);
  if (r) return r;
  device_stop(c->device);
  return unlock_host(CUDA_SUCCESS);
}

/* ---- Contexts that are created */

enum { CONTEXT_FLAGS = 0xff };

CUresult cuCtxCreate_v2(CUcontext* result, unsigned flags, CUdevice number) {
  context* primary;
  if (!result || flags & ~CONTEXT_FLAGS) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin_primary(number, &primary);
  if (r) return r;
  device* d = primary->device;
  if (depth == STACK_DEPTH) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  if ((r = device_start(d)) || (r = device_status(d))) return unlock_host(r);
  context* c = malloc(sizeof *c);
  void* handle = c ? handle_new(OF_CONTEXT, c, NULL) : NULL;
  if (!handle) {
    free(c);
    return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  }
  context_init(c, d, handle);
  c->uses = 1;
  d->contexts++;
  *result = stack[depth++] = handle;
  return unlock_host(CUDA_SUCCESS);
}

/* What the parameters ask for, parts of a card, is not emulated. */
CUresult cuCtxCreate_v4(CUcontext* result, void* parameters, unsigned flags, CUdevice number) {
  return parameters ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(result, flags, number);
}

/* Ends one use of a context. The last one also takes it from the stack if it is current. */
static CUresult leave(context* c) {
  if (--c->uses) return unlock_host(CUDA_SUCCESS);
  bool created = c != &c->device->primary;
  if (created) handle_drop(c->handle);
  if (current() == c->handle) depth--;
  end(c);
  if (created) free(c);
  return unlock_host(CUDA_SUCCESS);
}

/* Begins a call about a context. */
static CUresult begin_context(const void* handle, context** c) {
  CUresult r = enter_any();
  if (r) return r;
  *c = context_find(handle);
  return *c ? r : unlock_host(CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  context* c;
  CUresult r = begin_context(handle, &c);
  if (r) return r;
  if (c == &c->device->primary) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  c->uses = 1;
  return leave(c);
}

CUresult cuCtxAttach(CUcontext* result, unsigned flags) {
  context* c;
  if (!result || flags) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin_context(current(), &c);
  if (r) return r;
  c->uses++;
  *result = c->handle;
  return unlock_host(CUDA_SUCCESS);
}

/* PyCUDA gives back a primary context that it has retained in this way, too. */
CUresult cuCtxDetach(CUcontext handle) {
  context* c;
  CUresult r = begin_context(handle, &c);
  return r ? r : leave(c);
}

/* ---- The stack of a thread */

CUresult cuCtxSetCurrent(CUcontext handle) {
  CUresult r = enter_any();
  if (r) return r;
  if (handle && !context_find(handle)) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (!depth) depth = 1;
  stack[depth - 1] = handle;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle) return CUDA_ERROR_INVALID_VALUE;
  *handle = current();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  CUresult r = enter_any();
  if (r) return r;
  if (!context_find(handle)) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (depth == STACK_DEPTH) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  stack[depth++] = handle;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent_v2(CUcontext* handle) {
  CUresult r = enter_any();
  if (r) return r;
  if (!current()) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  void* popped = stack[--depth];
  if (handle) *handle = popped;
  return unlock_host(CUDA_SUCCESS);
}

/* ---- The current context */

CUresult cuCtxGetDevice(CUdevice* number) {
  CUresult r = enter_any();
  if (r) return r;
  const context* c = handle_find(OF_CONTEXT, current());
  if (!number) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!c) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  *number = c->device->index;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  device* d = c->device;
  unlock_host(CUDA_SUCCESS);
  return device_wait(d);
}

/* The version of the API with which a context was made; NULL names the current one. */
CUresult cuCtxGetApiVersion(CUcontext handle, unsigned* version) {
  CUresult r = enter_any();
  if (r) return r;
  if (!version) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!context_find(handle ? handle : current())) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  *version = API_VERSION;
  return unlock_host(CUDA_SUCCESS);
}

/* Limits and configurations of caches are kept, and have no effect. */
CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  context* c;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (limit >= TFC_LIMITS) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  CUresult r = enter(&c);
  if (r) return r;
  *value = c->limits[limit];
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  context* c;
  if (limit >= TFC_LIMITS) return CUDA_ERROR_UNSUPPORTED_LIMIT;
  CUresult r = enter(&c);
  if (r) return r;
  c->limits[limit] = value;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxGetCacheConfig(int* config) {
  context* c;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  if (r) return r;
  *config = c->cache_config;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSetCacheConfig(int config) {
  context* c;
  if (config < 0 || config > LAST_CACHE_CONFIG) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  if (r) return r;
  c->cache_config = config;
  return unlock_host(CUDA_SUCCESS);
}

/* Banks of shared memory have one size, as on today's cards. */
CUresult cuCtxGetSharedMemConfig(int* config) {
  context* c;
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  if (r) return r;
  *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSetSharedMemConfig(int config) {
  context* c;
  if (config < 0 || config > LAST_SHARED_CONFIG) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  return r ? r : unlock_host(CUDA_SUCCESS);
}

/* Kernels reach the memory of their own device only. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  context* c;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = enter(&c);
  if (r) return r;
  return unlock_host(context_find(peer) ? CUDA_ERROR_PEER_ACCESS_UNSUPPORTED
                                        : CUDA_ERROR_INVALID_CONTEXT);
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  return unlock_host(context_find(peer) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED
                                        : CUDA_ERROR_INVALID_CONTEXT);
}

/* There is no profiler that could be started or stopped. */
CUresult cuProfilerStart(void) {
  context* c;
  CUresult r = enter(&c);
  return r ? r : unlock_host(CUDA_SUCCESS);
}

CUresult cuProfilerStop(void) {
  return cuProfilerStart();
}
