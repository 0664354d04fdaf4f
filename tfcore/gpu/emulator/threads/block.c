/* A launch: its arguments are checked, then its blocks run one after another. */
#include "block.h"

#include <pthread.h>
#include <string.h>

#include "run.h"

extern uint3 blockIdx;
extern dim3 blockDim, gridDim;

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

static struct {
  size_t dynamic_shared;
  uint64_t blocks, seed;
  uint64_t first, step; /* the order of blocks */
} launch;

/* The part of the static shared memory that the launch's kernel uses: found after its first block.
 */
static struct {
  unsigned char* first;
  size_t bytes;
} touched;

/* A module's shared memory holds the variables of all its kernels, so only the first block of a
 * launch fills all of it. What has changed then is what this kernel uses. */
static void find_touched(void) {
  unsigned char* p = (unsigned char*)tfc_run.module->shared;
  const size_t words = tfc_run.module->shared_bytes / 8;
  const uint64_t* word = (const uint64_t*)p;
  const uint64_t poison = 0x0101010101010101ULL * TFC_HOST_POISON;
  size_t first = 0, end = words;
  while (first < words && word[first] == poison) first++;
  while (end > first && word[end - 1] == poison) end--;
  touched.first = p + 8 * first;
  touched.bytes = 8 * (end - first);
}

uint3 tfc_block_at(uint64_t n) {
  const uint64_t at = (launch.first + n * launch.step) % launch.blocks;
  return (uint3){(unsigned)(at % gridDim.x), (unsigned)(at / gridDim.x % gridDim.y),
                 (unsigned)(at / gridDim.x / gridDim.y)};
}

static void run_blocks(void) {
  tfc_run.random = launch.seed ? launch.seed * 0x9E3779B97F4A7C15ULL | 1 : 0;
  const int drawn =
      tfc_run.random != 0 && launch.blocks >> 32 == 0; /* products must not overflow */
  launch.step = drawn ? tfc_coprime_step(launch.blocks) : 1;
  launch.first = drawn ? tfc_random() % launch.blocks : 0;
  touched.first = (unsigned char*)tfc_run.module->shared;
  touched.bytes = tfc_run.module->shared_bytes;
  for (uint64_t n = 0; n < launch.blocks; n++) {
    blockIdx = tfc_block_at(n);
    memset(touched.first, TFC_HOST_POISON, touched.bytes);
    memset(tfc_host_dynamic_shared, TFC_HOST_POISON, launch.dynamic_shared);
    tfc_check_block();
    tfc_threads_run();
    if (n == 0 && launch.blocks > 1) find_touched();
  }
}

static int within(dim3 size, uint64_t x, uint64_t y, uint64_t z) {
  return size.x >= 1 && size.y >= 1 && size.z >= 1 && size.x <= x && size.y <= y && size.z <= z;
}

static int prepare(tfc_host_kernel kernel, dim3 grid, dim3 block, size_t dynamic_shared,
                   const void* params, tfc_host_report* report) {
  if (!within(grid, 0x7FFFFFFF, 65535, 65535))
    return tfc_refuse(report, TFC_HOST_INVALID, "a grid of (%u, %u, %u) blocks", grid.x, grid.y,
                      grid.z);
  if (!within(block, MAX_THREADS, MAX_THREADS, 64) ||
      (uint64_t)block.x * block.y * block.z > MAX_THREADS)
    return tfc_refuse(report, TFC_HOST_INVALID, "a block of (%u, %u, %u) threads", block.x, block.y,
                      block.z);
  if (dynamic_shared > MAX_DYNAMIC_SHARED)
    return tfc_refuse(report, TFC_HOST_INVALID, "%zu bytes of dynamic shared memory",
                      dynamic_shared);
  const module* m = tfc_module_of((const void*)(uintptr_t)kernel);
  if (m == NULL) return tfc_refuse(report, TFC_HOST_INVALID, "no loaded family has this kernel");
  /* A grid of 2^31 * 65535 * 65535 blocks is valid in CUDA but would not end; the product fits into
   * 64 bits. */
  launch.blocks = (uint64_t)grid.x * grid.y * grid.z;
  launch.dynamic_shared = dynamic_shared;
  gridDim = grid;
  blockDim = block;
  tfc_run.kernel = kernel;
  tfc_run.params = params;
  tfc_run.module = m;
  tfc_run.threads = (int)(block.x * block.y * block.z);
  if (tfc_threads_prepare() != 0 || tfc_check_launch(m, dynamic_shared, launch.blocks) != 0)
    return tfc_refuse(report, TFC_HOST_MEMORY, "no memory to run a kernel");
  return TFC_HOST_OK;
}

int tfc_host_launch(tfc_host_kernel kernel, dim3 grid, dim3 block, size_t dynamic_shared,
                    const void* params, uint64_t seed, tfc_host_report* report) {
  tfc_host_report unread;
  if (report == NULL) report = &unread;
  pthread_mutex_lock(&one_at_a_time);
  launch.seed = seed;
  int kind = prepare(kernel, grid, block, dynamic_shared, params, report);
  if (kind == TFC_HOST_OK) kind = tfc_guarded(run_blocks, report);
  pthread_mutex_unlock(&one_at_a_time);
  return kind;
}
