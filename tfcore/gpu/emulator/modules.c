/* Modules, their functions, and launches. A module is a family of kernels compiled for the host. */
#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

#define MAX_IMAGE (1ull << 30)
enum { DEFAULT_SHARED_BYTES = 48 << 10, MAX_THREADS = 1024 };

typedef struct {
  context* context;
  uint64_t index; /* of the device */
} module;

typedef struct {
  context* context;
  CUmodule module;
  uint64_t index; /* of the device */
  int max_dynamic_shared;
} function;

typedef struct {
  context* context;
  CUmodule module;
  uint64_t start, bytes; /* in the device process */
} global;

/* ---- Modules */

/* A call that asks the device without the lock: its context may end meanwhile. */
typedef struct {
  context* context;
  device* device;
  void* handle; /* of the context */
  uint64_t context_epoch, epoch;
} call;

/* Begins one: locks. On failure it has unlocked. */
static CUresult begin(call* of) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  *of = (call){c, c->device, c->handle, c->epoch, LOAD(&c->device->epoch)};
  return CUDA_SUCCESS;
}

/* Makes a handle for a new object of the context; frees the object on failure. */
static CUresult publish(kind k, const call* of, void* object, void** handle) {
  lock_host();
  CUresult r = CUDA_ERROR_CONTEXT_IS_DESTROYED;
  context* c = context_find(of->handle);
  if (c && c->epoch == of->context_epoch) {
    *handle = handle_new(k, object, c);
    r = *handle ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (r) free(object);
  return unlock_host(r);
}

static CUresult publish_module(const call* of, uint64_t index, CUmodule* result) {
  module* m = malloc(sizeof *m);
  if (!m) return CUDA_ERROR_OUT_OF_MEMORY;
  *m = (module){of->context, index};
  return publish(OF_MODULE, of, m, (void**)result);
}

CUresult cuModuleLoad(CUmodule* result, const char* path) {
  call of;
  uint64_t index = 0;
  char absolute[PATH_MAX];
  if (!result || !path) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin(&of);
  if (r) return r;
  unlock_host(CUDA_SUCCESS);
  if (!realpath(path, absolute)) return CUDA_ERROR_FILE_NOT_FOUND;
  r = device_ask(of.device, of.epoch, REQUEST_LOAD, &index, NULL, absolute);
  return r ? r : publish_module(&of, index, result);
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

/* The bytes of a shared object in memory; 0 if it is none. */
static uint64_t image_size(const char* image) {
  const Elf64_Ehdr* header = (const Elf64_Ehdr*)image;
  if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64) return 0;
  if (header->e_type != ET_DYN || header->e_shentsize != sizeof(Elf64_Shdr)) return 0;
  uint64_t table = (uint64_t)header->e_shnum * sizeof(Elf64_Shdr);
  if (header->e_shoff > MAX_IMAGE) return 0;
  uint64_t end = header->e_shoff + table;
  const Elf64_Shdr* sections = (const Elf64_Shdr*)(image + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type == SHT_NOBITS) continue;
    if (sections[i].sh_offset > MAX_IMAGE || sections[i].sh_size > MAX_IMAGE) return 0;
    end = larger(end, sections[i].sh_offset + sections[i].sh_size);
  }
  return end <= MAX_IMAGE ? end : 0;
}

CUresult cuModuleLoadData(CUmodule* result, const void* image) {
  call of;
  uint64_t offset;
  if (!result || !image) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin(&of);
  if (r) return r;
  uint64_t bytes = image_size(image);
  if (!bytes) return unlock_host(CUDA_ERROR_INVALID_IMAGE);
  if ((r = staging_take(bytes, &offset))) return unlock_host(r);
  memcpy(emu.arena + offset, image, bytes);
  unlock_host(CUDA_SUCCESS);
  uint64_t at = offset;
  r = device_ask(of.device, of.epoch, REQUEST_LOAD, &at, &bytes, NULL);
  lock_host();
  staging_drop(offset, NULL);
  unlock_host(CUDA_SUCCESS);
  return r ? r : publish_module(&of, at, result);
}

/* Options are for the compiler of PTX, which the emulator does not need. */
CUresult cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned count, int* options,
                            void** values) {
  if (count && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
  return cuModuleLoadData(result, image);
}

static void drop_function_of(void* handle, void* object, void* module_handle) {
  if (((function*)object)->module != module_handle) return;
  handle_drop(handle);
  free(object);
}

static void drop_global_of(void* handle, void* object, void* module_handle) {
  if (((global*)object)->module != module_handle) return;
  handle_drop(handle);
  free(object);
}

CUresult cuModuleUnload(CUmodule handle) {
  call of;
  CUresult r = begin(&of);
  if (r) return r;
  module* m = handle_find(OF_MODULE, handle);
  if (!m || m->context != of.context) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  uint64_t index = m->index;
  handle_drop(handle);
  free(m);
  handle_each(OF_FUNCTION, of.context, drop_function_of, handle);
  handle_each(OF_GLOBAL, of.context, drop_global_of, handle);
  unlock_host(CUDA_SUCCESS);
  r = device_wait(of.device);
  return r ? r : device_ask(of.device, of.epoch, REQUEST_UNLOAD, &index, NULL, NULL);
}

/* ---- Functions */

CUresult cuModuleGetFunction(CUfunction* result, CUmodule handle, const char* name) {
  call of;
  if (!result || !name || !*name) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin(&of);
  if (r) return r;
  module* m = handle_find(OF_MODULE, handle);
  if (!m || m->context != of.context) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  uint64_t index = m->index;
  unlock_host(CUDA_SUCCESS);
  if ((r = device_ask(of.device, of.epoch, REQUEST_FIND, &index, NULL, name))) return r;
  function* f = malloc(sizeof *f);
  if (!f) return CUDA_ERROR_OUT_OF_MEMORY;
  *f = (function){of.context, handle, index, DEFAULT_SHARED_BYTES};
  return publish(OF_FUNCTION, &of, f, (void**)result);
}

static CUresult begin_function(CUfunction handle, function** f) {
  context* c;
  CUresult r = enter(&c);
  if (r) return r;
  *f = handle_find(OF_FUNCTION, handle);
  return *f && (*f)->context == c ? CUDA_SUCCESS : unlock_host(CUDA_ERROR_INVALID_HANDLE);
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  function* f;
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin_function(handle, &f);
  if (r) return r;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = MAX_THREADS; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->max_dynamic_shared; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = 90; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *value = 0; break; /* not known here */
    default: r = CUDA_ERROR_INVALID_VALUE;
  }
  return unlock_host(r);
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  function* f;
  CUresult r = begin_function(handle, &f);
  if (r) return r;
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 ||
      value > MAX_SHARED_BYTES)
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  f->max_dynamic_shared = value;
  return unlock_host(CUDA_SUCCESS);
}

/* ---- Variables outside of functions */

typedef struct {
  const device* device;
  uint64_t start, bytes;
  bool found;
} search;

static void look_at(void* handle, void* object, void* arg) {
  (void)handle;
  const global* g = object;
  search* wanted = arg;
  uint64_t offset = wanted->start - g->start;
  if (g->context->device == wanted->device && offset <= g->bytes &&
      wanted->bytes <= g->bytes - offset)
    wanted->found = true;
}

bool global_is_there(const device* d, CUdeviceptr pointer, size_t count) {
  search wanted = {d, pointer, count, false};
  handle_each(OF_GLOBAL, NULL, look_at, &wanted);
  return wanted.found;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* pointer, size_t* bytes, CUmodule handle,
                              const char* name) {
  call of;
  if (!name || !*name) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = begin(&of);
  if (r) return r;
  module* m = handle_find(OF_MODULE, handle);
  if (!m || m->context != of.context) return unlock_host(CUDA_ERROR_INVALID_HANDLE);
  uint64_t at = m->index, count = 0;
  unlock_host(CUDA_SUCCESS);
  if ((r = device_ask(of.device, of.epoch, REQUEST_GLOBAL, &at, &count, name))) return r;
  if (pointer) *pointer = at;
  if (bytes) *bytes = count;
  lock_host();
  bool known = global_is_there(of.device, at, count);
  unlock_host(CUDA_SUCCESS);
  if (known) return CUDA_SUCCESS;
  global* g = malloc(sizeof *g);
  void* unused;
  if (!g) return CUDA_ERROR_OUT_OF_MEMORY;
  *g = (global){of.context, handle, at, count};
  return publish(OF_GLOBAL, &of, g, &unused);
}

/* ---- Launches */

/* Reads the form of parameters that is supported: one buffer. */
static CUresult read_buffer(void** parameters, void** extra, const void** buffer, size_t* bytes) {
  const size_t* size = NULL;
  *buffer = NULL;
  if (parameters) return extra ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NOT_SUPPORTED;
  for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      *buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
      size = extra[1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  *bytes = size && *buffer ? *size : 0;
  return *bytes <= MAX_PARAMETERS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static bool geometry_is_valid(const unsigned* grid, const unsigned* block) {
  for (int i = 0; i < 3; i++)
    if (!grid[i] || !block[i] || block[i] > MAX_THREADS) return false;
  return grid[0] <= INT_MAX && grid[1] <= 65535 && grid[2] <= 65535 && block[2] <= 64 &&
         block[0] * block[1] * block[2] <= MAX_THREADS;
}

/* cuLaunchKernel is told the shape again. */
CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z) {
  function* f;
  const unsigned grid[3] = {1, 1, 1}, block[3] = {x, y, z};
  CUresult r = begin_function(handle, &f);
  if (r) return r;
  return unlock_host(geometry_is_valid(grid, block) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuFuncSetCacheConfig(CUfunction handle, int config) {
  (void)config; /* only advice, also in CUDA */
  function* f;
  CUresult r = begin_function(handle, &f);
  return r ? r : unlock_host(CUDA_SUCCESS);
}

CUresult cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  const CUlaunchConfig config = {.gridDimX = grid_x,
                                 .gridDimY = grid_y,
                                 .gridDimZ = grid_z,
                                 .blockDimX = block_x,
                                 .blockDimY = block_y,
                                 .blockDimZ = block_z,
                                 .sharedMemBytes = shared_bytes,
                                 .hStream = stream};
  return cuLaunchKernelEx(&config, handle, parameters, extra);
}

/* A kernel that may start before the one ahead of it has ended does not: a card need not do so. */
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction handle, void** parameters,
                          void** extra) {
  function* f;
  stream* s;
  const void* buffer;
  size_t bytes;
  if (!config || (config->numAttrs && !config->attrs)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < config->numAttrs; i++)
    if (config->attrs[i].id != CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
      return CUDA_ERROR_NOT_SUPPORTED;
  CUresult r = begin_function(handle, &f);
  if (r) return r;
  if ((r = stream_find(f->context, config->hStream, &s)) ||
      (r = read_buffer(parameters, extra, &buffer, &bytes)))
    return unlock_host(r);
  command c = {.kind = COMMAND_LAUNCH,
               .launch = {.function = f->index,
                          .shared_bytes = config->sharedMemBytes,
                          .parameter_bytes = bytes,
                          .grid = {config->gridDimX, config->gridDimY, config->gridDimZ},
                          .block = {config->blockDimX, config->blockDimY, config->blockDimZ}}};
  if (!geometry_is_valid(c.launch.grid, c.launch.block) ||
      config->sharedMemBytes > (unsigned)f->max_dynamic_shared)
    return unlock_host(CUDA_ERROR_INVALID_VALUE);
  return unlock_host(submit(s, &c, buffer, bytes));
}
