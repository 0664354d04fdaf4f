/* Modules: families of kernels compiled for the host; their kernels, and launches. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gpu.h"
#include "threads/block.h"

typedef struct {
  tfc_host_kernel kernel;
  uint64_t module;
} function;

typedef struct {
  void* handle; /* of dlopen; NULL when unloaded */
  int file;     /* of an image from memory, else -1 */
} module;

typedef struct {
  uint64_t module, start, bytes;
} global;

static module* modules;
static function* functions;
static global* globals; /* that the host has asked for */
static size_t module_count, function_count, global_count;

static void* grow(void* list, size_t count, size_t size) {
  list = realloc(list, (count + 1) * size);
  if (!list) abort();
  return list;
}

/* A file in memory with the bytes of an image; negative if it cannot be made. */
static int write_image(const char* image, uint64_t bytes) {
  int file = memfd_create("tfcore_module", MFD_CLOEXEC);
  while (file >= 0 && bytes) {
    ssize_t n = write(file, image, bytes);
    if (n <= 0) {
      close(file);
      return -1;
    }
    image += n;
    bytes -= n;
  }
  return file;
}

static const char* path_of(int file) {
  static char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  return path;
}

CUresult module_load(const char* path, uint64_t* at, uint64_t bytes) {
  int file = -1;
  if (!*path) {
    if ((file = write_image(self.arena + *at, bytes)) < 0) return CUDA_ERROR_OPERATING_SYSTEM;
    path = path_of(file);
  }
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    mailbox* box = &self.channel->mailbox;
    snprintf(box->text, sizeof box->text, "%s", dlerror());
    if (file >= 0) close(file);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  modules = grow(modules, module_count, sizeof *modules);
  modules[module_count] = (module){handle, file};
  *at = module_count++;
  return CUDA_SUCCESS;
}

static void forget_globals(uint64_t module) {
  size_t kept = 0;
  for (size_t i = 0; i < global_count; i++)
    if (globals[i].module == module)
      memory_lend(globals[i].start, globals[i].bytes, false);
    else
      globals[kept++] = globals[i];
  global_count = kept;
}

void module_unload(uint64_t index) {
  module* m = &modules[index];
  forget_globals(index);
  dlclose(m->handle);
  m->handle = NULL;
  /* The loader takes equal paths for the same file. Some images it never unloads: these keep their
   * descriptors, so that no other image gets their path. */
  if (m->file >= 0 && !dlopen(path_of(m->file), RTLD_LAZY | RTLD_NOLOAD)) close(m->file);
}

/* Whether the module itself has it, not the runtime or a library that both use. */
static bool is_of(void* handle, void* symbol) {
  struct link_map* map;
  Dl_info info;
  return symbol && !dlinfo(handle, RTLD_DI_LINKMAP, &map) && dladdr(symbol, &info) &&
         (uintptr_t)info.dli_fbase == map->l_addr;
}

CUresult module_find(const char* name, uint64_t* at) {
  uint64_t module = *at;
  if (module >= module_count || !modules[module].handle) return CUDA_ERROR_INVALID_HANDLE;
  char launch_name[REPORT_BYTES]; /* of a user's kernel: host_source.py */
  snprintf(launch_name, sizeof launch_name, "tfc_launch_of_%s", name);
  void* symbol = dlsym(modules[module].handle, launch_name);
  if (!symbol) symbol = dlsym(modules[module].handle, name);
  if (!is_of(modules[module].handle, symbol)) return CUDA_ERROR_NOT_FOUND;
  functions = grow(functions, function_count, sizeof *functions);
  functions[function_count] = (function){(tfc_host_kernel)symbol, module};
  *at = function_count++;
  return CUDA_SUCCESS;
}

static const void* dynamic_entry(const struct link_map* map, int64_t tag) {
  const ElfW(Dyn)* d = map->l_ld;
  while (d->d_tag != DT_NULL && d->d_tag != tag) d++;
  return d->d_tag == tag ? (const void*)d->d_un.d_ptr : NULL;
}

/* The entry of a variable in its module's own table of symbols, or NULL. dladdr would do, but for
 * the linker's marks of a section's ends, which have addresses of variables. */
static const ElfW(Sym) * find_variable(void* handle, const char* name) {
  struct link_map* map;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map)) return NULL;
  const ElfW(Sym)* symbols = dynamic_entry(map, DT_SYMTAB);
  const char* names = dynamic_entry(map, DT_STRTAB);
  const uint32_t* hash = dynamic_entry(map, DT_HASH); /* its second word is the number of symbols */
  if (!symbols || !names || !hash) return NULL;
  for (uint32_t i = 1; i < hash[1]; i++)
    if (symbols[i].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[i].st_info) == STT_OBJECT &&
        !strcmp(names + symbols[i].st_name, name))
      return &symbols[i];
  return NULL;
}

CUresult module_global(const char* name, uint64_t* at, uint64_t* bytes) {
  uint64_t module = *at;
  if (module >= module_count || !modules[module].handle) return CUDA_ERROR_INVALID_HANDLE;
  const ElfW(Sym)* entry = find_variable(modules[module].handle, name);
  if (!entry) return CUDA_ERROR_NOT_FOUND;
  *at = (uint64_t)dlsym(modules[module].handle, name);
  *bytes = entry->st_size;
  for (size_t i = 0; i < global_count; i++)
    if (globals[i].module == module && globals[i].start == *at) return CUDA_SUCCESS;
  globals = grow(globals, global_count, sizeof *globals);
  globals[global_count++] = (global){module, *at, *bytes};
  memory_lend(*at, *bytes, true);
  return CUDA_SUCCESS;
}

static CUresult result_of(int kind) {
  switch (kind) {
    case TFC_HOST_OK: return CUDA_SUCCESS;
    case TFC_HOST_MEMORY: return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    case TFC_HOST_BOUNDS:
    case TFC_HOST_FAULT: return CUDA_ERROR_ILLEGAL_ADDRESS;
    case TFC_HOST_MISALIGNED: return CUDA_ERROR_MISALIGNED_ADDRESS;
    case TFC_HOST_STACK: return CUDA_ERROR_HARDWARE_STACK_ERROR;
    default: return CUDA_ERROR_LAUNCH_FAILED;
  }
}

void launch(const command* c, const char* parameters) {
  static alignas(64) char buffer[MAX_PARAMETERS]; /* what is not passed is poison */
  static tfc_host_report report;
  const function* f = &functions[c->launch.function];
  if (!modules[f->module].handle) {
    fail(CUDA_ERROR_INVALID_HANDLE, "a graph launches a kernel of a module that is unloaded");
    return;
  }
  memset(buffer, POISON, sizeof buffer);
  memcpy(buffer, parameters, c->launch.parameter_bytes);
  const uint32_t *g = c->launch.grid, *b = c->launch.block;
  dim3 grid = {g[0], g[1], g[2]}, block = {b[0], b[1], b[2]};
  memset(&report, 0, sizeof report);
  int kind =
      tfc_host_launch(f->kernel, grid, block, c->launch.shared_bytes, buffer, draw() | 1, &report);
  if (kind) fail(result_of(kind), "emulated GPU %d: %s", self.index, report.text);
}
