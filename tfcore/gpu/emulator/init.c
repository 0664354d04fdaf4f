/* cuInit: the shared file, the reserved addresses of the devices' memory; forks of the host. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "host.h"

host emu = {.lock = PTHREAD_MUTEX_INITIALIZER, .ended = PTHREAD_COND_INITIALIZER};
_Thread_local bool emu_in_callback;
_Thread_local char emu_load_error[REPORT_BYTES];

#define ARENA_BYTES (64ull << 30)
#define STAGING_BYTES (16ull << 30) /* the arena's first part */
#define DEFAULT_MEMORY (256ull << 20)
#define MAX_MEMORY (1ull << 40)
enum { QUARANTINE = 32, LOWEST_DESCRIPTOR = 64 };

/* Where the devices' memory is put if it can: far from where Linux puts other things, so that the
 * device process finds the addresses free, too. ThreadSanitizer allows few addresses. */
static const uint64_t wanted_bases[] = {
#ifdef __SANITIZE_THREAD__
    0x7e8000000000,
#else
    0x200000000000, 0x300000000000, 0x600000000000,
#endif
    0};

/* Reads a number from the environment; false if it is something else or out of range. */
static bool read_setting(const char* name, uint64_t lowest, uint64_t highest, uint64_t* value) {
  const char* text = getenv(name);
  if (!text || !*text) return true;
  char* end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 0);
  if (errno || *end || *text == '-' || n < lowest || n > highest) return false;
  *value = n;
  return true;
}

bool read_seed(uint64_t* seed) {
  *seed = 0;
  return read_setting("TFCORE_EMULATED_GPU_SEED", 0, UINT64_MAX, seed);
}

static void* map_shared(uint64_t offset, uint64_t bytes, int access) {
  void* p = mmap(NULL, bytes, access, MAP_SHARED | MAP_NORESERVE, emu.file, offset);
  if (p == MAP_FAILED) return NULL;
  madvise(p, bytes, MADV_DONTFORK); /* a child must not write into the parent's memory */
  return p;
}

static uint64_t reserve(uint64_t bytes, int index) {
  for (size_t i = 0; i < sizeof wanted_bases / sizeof *wanted_bases; i++) {
    uint64_t wanted = wanted_bases[i] ? wanted_bases[i] + bytes * index : 0;
    int fixed = wanted ? MAP_FIXED_NOREPLACE : 0;
    void* p = mmap((void*)wanted, bytes, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed, -1, 0);
    if (p == MAP_FAILED) continue;
    if (!wanted || (uint64_t)p == wanted) return (uint64_t)p;
    munmap(p, bytes); /* an old kernel takes the address for a hint */
  }
  return 0;
}

static void in_child(void) {
  emu.forked = true;
  if (!emu.initialized) return;
  close(emu.file);
  for (int i = 0; i < emu.count; i++)
    if (emu.devices[i].running) close(emu.devices[i].socket);
}

static bool open_file(uint64_t bytes) {
  int file = memfd_create("tfcore_emulated_gpus", MFD_CLOEXEC);
  if (file < 0) return false;
  emu.file = fcntl(file, F_DUPFD_CLOEXEC, LOWEST_DESCRIPTOR); /* device processes have it lower */
  close(file);
  return emu.file >= 0 && ftruncate(emu.file, bytes) == 0;
}

static bool prepare_device(int i, uint64_t region) {
  device* d = &emu.devices[i];
  d->index = i;
  d->channel = &emu.shared->channels[i];
  pthread_mutex_init(&d->mailbox, NULL);
  sem_init(&d->ready, 0, 0);
  uint64_t base = reserve(region, i);
  if (!base) return false;
  emu.shared->bases[i] = base;
  d->memory =
      (ranges){.start = base, .end = base + region, .limit = emu.memory_bytes, .next = base};
  for (uint32_t k = 0; k < MAX_STREAMS; k++) {
    d->streams[k].device = d;
    d->streams[k].index = k;
  }
  d->streams[0].open = 1;
  d->channel->stream_limit = 1;
  d->streams[0].blocking = true;
  context_init(&d->primary, d, handle_new(OF_CONTEXT, &d->primary, NULL));
  return d->primary.handle != NULL;
}

static CUresult initialize(void) {
  uint64_t count = 0, seed, memory = DEFAULT_MEMORY;
  if (!read_setting("TFCORE_EMULATE_GPUS", 0, MAX_DEVICES, &count) ||
      !read_setting("TFCORE_EMULATED_GPU_MEMORY", PAGE, MAX_MEMORY, &memory) || !read_seed(&seed))
    return CUDA_ERROR_INVALID_VALUE;
  if (!count) return CUDA_ERROR_NO_DEVICE;
  uint64_t region = round_up(memory, PAGE) * QUARANTINE;
  uint64_t size = arena_offset() + ARENA_BYTES + region * count;
  if (!open_file(size)) return CUDA_ERROR_OPERATING_SYSTEM;
  emu.shared = map_shared(0, sizeof(machine), PROT_READ | PROT_WRITE);
  emu.arena = map_shared(arena_offset(), ARENA_BYTES, PROT_NONE);
  if (!emu.shared || !emu.arena) return CUDA_ERROR_OUT_OF_MEMORY;
  if (mprotect(emu.arena, STAGING_BYTES, PROT_READ | PROT_WRITE)) return CUDA_ERROR_OUT_OF_MEMORY;
  emu.shared->devices = count;
  emu.shared->arena_bytes = ARENA_BYTES;
  emu.shared->device_bytes = region;
  emu.memory_bytes = memory;
  emu.staging = (ranges){.end = STAGING_BYTES, .limit = STAGING_BYTES / 2};
  emu.pinned = (ranges){.start = STAGING_BYTES,
                        .end = ARENA_BYTES,
                        .limit = (ARENA_BYTES - STAGING_BYTES) / 2,
                        .next = STAGING_BYTES};
  for (uint64_t i = 0; i < count; i++)
    if (!prepare_device(i, region)) return CUDA_ERROR_OUT_OF_MEMORY;
  if (pthread_atfork(NULL, NULL, in_child)) return CUDA_ERROR_OUT_OF_MEMORY;
  const char* explain = getenv("TFCORE_EMULATED_GPU_EXPLAIN");
  if (explain && !strcmp(explain, "1")) explain_faults();
  emu.count = count;
  STORE(&emu.initialized, true);
  return CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  if (emu.forked) return CUDA_ERROR_NOT_INITIALIZED;
  if (flags) return CUDA_ERROR_INVALID_VALUE;
  lock_host();
  /* What a failure leaves is not undone: the process has no use for it, and nothing else to do. */
  static CUresult failure;
  if (!emu.initialized && !failure) {
    CUresult r = initialize();
    if (r == CUDA_ERROR_NO_DEVICE || r == CUDA_ERROR_INVALID_VALUE) return unlock_host(r);
    failure = r;
  }
  return unlock_host(failure);
}
