/* Memory that a GPU shares with other libraries: theirs, borrowed and used in place, and ours, used
 * by them. Streams wait for each other, so that the work of both is in order. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "device/cuda/gpu.h"
#include "kernels_cuda/array/copy.h"

static int checked(tfc_gpu* g, CUresult r, const char* call, char* text, size_t size) {
  return r ? tfc_gpu_explain(g, r, call, text, size) : TFC_OK;
}

int tfc_gpu_order(tfc_gpu* g, void* first, void* then, char* text, size_t size) {
  tfc_gpu_enter(g);
  CUevent event = tfc_gpu_event(g);
  CUresult r = event ? tfc_cuda.cuEventRecord(event, first) : CUDA_ERROR_OUT_OF_MEMORY;
  if (!r) r = tfc_cuda.cuStreamWaitEvent(then, event, 0);
  if (event) tfc_gpu_drop_event(g, event);
  int code = checked(g, r, "making a stream wait for another", text, size);
  tfc_gpu_exit();
  return code;
}

int tfc_gpu_order_in_step(tfc_gpu* g, tfc_context* ctx, void* first, void* then, char* text,
                          size_t size) {
  if (tfc_gpu_share_of(g, ctx)) return tfc_gpu_order(g, first, then, text, size);
  snprintf(text, size, "no memory for the state of a step on %s", g->pub.name);
  return TFC_RESOURCE_EXHAUSTED;
}

int tfc_gpu_wait(tfc_gpu* g, char* text, size_t size) {
  tfc_gpu_enter(g);
  int code =
      checked(g, tfc_cuda.cuStreamSynchronize(g->compute), "waiting for a value", text, size);
  tfc_gpu_exit();
  return code;
}

int tfc_gpu_ordinal_of(size_t pointer) {
  int ordinal = -1;
  CUresult r =
      tfc_cuda.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer);
  return r ? -1 : ordinal;
}

bool tfc_gpu_has_context_of(const tfc_gpu* g, size_t pointer) {
  CUcontext owner = NULL; /* stays so for memory that any context may use */
  CUresult r = tfc_cuda.cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, pointer);
  return r || !owner || owner == g->context;
}

int tfc_gpu_current_ordinal(void) {
  CUdevice device; /* which is its number */
  return tfc_cuda.cuCtxGetDevice(&device) ? -1 : device;
}

bool tfc_gpu_is_current(const tfc_gpu* g) {
  CUcontext current = NULL;
  return !tfc_cuda.cuCtxGetCurrent(&current) && current == g->context;
}

/* ---- Memory of other libraries */

typedef struct borrowed {
  tfc_buffer buffer; /* must be first */
  tfc_download download;
  void (*let_go)(void* owner);
} borrowed;

static void give_back(void* p) {
  borrowed* b = p;
  b->let_go(b->buffer.owner);
  free(b);
}

/* On the GPU's thread, which must not wait for the interpreter's lock. */
static int give_back_later(tfc_download* d, int code, char* text, size_t size) {
  borrowed* b = (borrowed*)((char*)d - offsetof(borrowed, download));
  (void)code, (void)text, (void)size;
  if (!tfc_spawn(give_back, b)) give_back(b);
  return TFC_OK;
}

/* The owner may use its memory at once, so it gets it back when the work in the queue is done. */
static void release(tfc_buffer* buffer) {
  borrowed* b = (borrowed*)buffer;
  tfc_gpu* g = (tfc_gpu*)buffer->device;
  tfc_gpu_enter(g);
  bool is_done = tfc_cuda.cuStreamQuery(g->compute) != CUDA_ERROR_NOT_READY, later = false;
  if (!is_done) {
    b->download = (tfc_download){.done = give_back_later};
    later = tfc_gpu_queue_download(g, &b->download);
    if (!later) tfc_cuda.cuStreamSynchronize(g->compute);
  }
  tfc_gpu_exit();
  if (!later) give_back(b);
}

tfc_buffer* tfc_gpu_borrow(tfc_gpu* g, void* data, size_t bytes, void* owner,
                           void (*let_go)(void* owner)) {
  borrowed* b = malloc(sizeof *b);
  if (!b) return NULL;
  *b = (borrowed){.buffer = {.refs = 1,
                             .release = release,
                             .data = data,
                             .size = bytes,
                             .owner = owner,
                             .flags = TFC_BUFFER_BORROWED,
                             .device = &g->pub},
                  .let_go = let_go};
  return &b->buffer;
}

/* Drops dimensions of one element, and merges those that are contiguous with each other. */
static int merge(int rank, const int64_t* dims, const int64_t* strides, array_copy_params* p) {
  int n = 0;
  for (int d = 0; d < rank; d++) {
    if (dims[d] == 1) continue;
    if (n && p->from_stride[n - 1] == dims[d] * strides[d]) {
      p->dims[n - 1] *= dims[d];
      p->from_stride[n - 1] = strides[d];
    } else {
      if (n == TFC_MAX_DIMS) return -1;
      p->dims[n] = dims[d];
      p->from_stride[n++] = strides[d];
    }
  }
  if (!n) p->dims[n++] = 1;
  return n;
}

int tfc_gpu_make_dense(tfc_gpu* g, const tfc_function* f, tfc_tensor* t, const int64_t* strides,
                       char* text, size_t size) {
  array_copy_params p = {.from = t->data, .n = t->n};
  p.rank = merge(t->rank, t->dims, strides, &p);
  if (p.rank < 0) {
    snprintf(text, size, "an array has more than %d dimensions with strides of their own",
             TFC_MAX_DIMS);
    return TFC_UNIMPLEMENTED;
  }
  tfc_buffer* made = tfc_gpu_allocate(&g->pub, (size_t)t->n * tfc_dtype_size(t->dtype));
  if (!made) {
    snprintf(text, size, "OOM when copying an array with strides on %s", g->pub.name);
    return TFC_RESOURCE_EXHAUSTED;
  }
  p.to = made->data;
  for (int64_t d = p.rank - 1, stride = 1; d >= 0; stride *= p.dims[d], d--)
    p.to_stride[d] = stride;
  tfc_launch l = array_copy_launch(&p);
  tfc_gpu_enter(g);
  CUresult r = tfc_gpu_put_launch(g, g->compute, f, l.grid, l.block, l.shared, &p, sizeof p);
  tfc_buffer_unref(t->buffer);
  t->buffer = made;
  t->data = made->data;
  int code = checked(g, r, "copying an array with strides", text, size);
  tfc_gpu_exit();
  return code;
}

/* ---- Our memory, used by others */

typedef struct retired {
  tfc_gpu* gpu;
  tfc_tensor held;
} retired;

static void drop(void* p) {
  retired* r = p;
  tfc_gpu_enter(r->gpu);
  tfc_cuda.cuCtxSynchronize();
  tfc_tensor_clear(&r->held);
  tfc_gpu_exit();
  free(r);
}

void tfc_gpu_retire(tfc_gpu* g, tfc_tensor* t) {
  retired* r = malloc(sizeof *r);
  if (r) *r = (retired){g, *t};
  if (r && tfc_spawn(drop, r)) {
    t->buffer = NULL;
    return;
  }
  free(r);
  tfc_gpu_enter(g);
  tfc_cuda.cuCtxSynchronize();
  tfc_gpu_exit();
  tfc_tensor_clear(t);
}
