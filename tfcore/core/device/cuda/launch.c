/* Launches, and which one caused an error. */
#include <string.h>

#include "device/cuda/gpu.h"

static void remember(tfc_gpu_share* s, int node, const tfc_function* f) {
  int64_t i = __atomic_fetch_add(&s->launches, 1, __ATOMIC_RELAXED) % TFC_GPU_LATEST;
  s->latest[i].node = node;
  __atomic_store_n(&s->latest[i].function, f, __ATOMIC_RELEASE);
}

/* Under a lock, as another thread may ask for less at the same time, and the last call counts. */
static CUresult allow_shared(tfc_gpu* g, tfc_function* f, uint32_t bytes) {
  CUresult r = CUDA_SUCCESS;
  if (bytes <= __atomic_load_n(&f->shared, __ATOMIC_RELAXED)) return r;
  pthread_mutex_lock(&g->lock);
  if (bytes > f->shared) {
    r = tfc_cuda.cuFuncSetAttribute(f->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                    (int)bytes);
    if (!r) __atomic_store_n(&f->shared, bytes, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&g->lock);
  return r;
}

/* What the card refuses depends on the card and on the registers of the function. */
static int check_launch(tfc_gpu* g, tfc_context* ctx, CUresult r, const tfc_function* f,
                        const uint32_t grid[3], const uint32_t block[3], uint32_t shared) {
  bool refused = r == CUDA_ERROR_INVALID_VALUE || r == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (!refused || !f->is_users) return tfc_gpu_check(g, ctx, r, f->name);
  char text[1200];
  tfc_gpu_explain(g, r, f->name, text, sizeof text);
  return ctx->api->error(ctx, TFC_INVALID_ARGUMENT,
                         "the GPU refuses a grid of (%u, %u, %u), a block of (%u, %u, %u) and %u "
                         "bytes of shared memory: %s",
                         grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, text);
}

int tfc_gpu_launch(tfc_device* device, tfc_context* ctx, const tfc_function* f,
                   const uint32_t grid[3], const uint32_t block[3], uint32_t shared,
                   const void* params, size_t bytes) {
  tfc_gpu* g = (tfc_gpu*)device;
  tfc_gpu_share* s = tfc_gpu_share_of(g, ctx);
  if (!s || tfc_gpu_check_usable(g, ctx)) return TFC_UNAVAILABLE;
  tfc_gpu_enter(g);
  remember(s, tfc_gpu_number_of(ctx), f);
  CUresult r = allow_shared(g, (tfc_function*)f, shared);
  tfc_timing* t = tfc_gpu_time(g, s, ctx, g->compute, f->name, -1);
  if (!r) r = tfc_gpu_put_launch(g, g->compute, f, grid, block, shared, params, bytes);
  if (t) tfc_gpu_end_timing(g, s, t);
  if (!r && g->synchronous) r = tfc_cuda.cuStreamSynchronize(g->compute);
  if (!r && tfc_gpu_recording) tfc_gpu_note_launch(g, ctx, f, grid, block, shared, params, bytes);
  return check_launch(g, ctx, r, f, grid, block, shared);
}

static bool is_of_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
}

bool tfc_gpu_is_named(const char* text, const char* name) {
  size_t length = strlen(name);
  for (const char* at = text; (at = strstr(at, name)); at++)
    if ((at == text || !is_of_name(at[-1])) && !is_of_name(at[length])) return true;
  return false;
}

int tfc_gpu_culprit(const tfc_gpu_share* s, const char* text) {
  int64_t n = __atomic_load_n(&s->launches, __ATOMIC_RELAXED);
  for (int64_t i = n - 1; i >= 0 && i >= n - TFC_GPU_LATEST; i--) {
    const tfc_function* f =
        __atomic_load_n(&s->latest[i % TFC_GPU_LATEST].function, __ATOMIC_ACQUIRE);
    if (f && tfc_gpu_is_named(text, f->name)) return s->latest[i % TFC_GPU_LATEST].node;
  }
  if (s->graph) return tfc_gpu_graph_culprit(s->graph, text);
  return n == 1 && s->latest[0].function ? s->latest[0].node : -1;
}
