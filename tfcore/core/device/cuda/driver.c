/* The driver: loading, errors, contexts, modules. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/gpu.h"

tfc_driver tfc_cuda;

enum { MOST_GPUS = 64 };
static tfc_gpu* gpus[MOST_GPUS];
static int n_gpus;  /* under the GIL */
static bool forked; /* in a child of the process that opened the GPUs */

static void init_locks(tfc_gpu* g) {
  pthread_mutex_init(&g->memory_lock, NULL);
  pthread_mutex_init(&g->upload_lock, NULL);
  pthread_mutex_init(&g->lock, NULL);
  pthread_mutex_init(&g->graphs_lock, NULL);
  pthread_cond_init(&g->wake, NULL);
  pthread_cond_init(&g->idle, NULL);
}

bool tfc_gpu_is_forked(void) {
  return forked;
}

/* A child has no thread that would release a lock that was held. */
static void note_fork(void) {
  forked = true;
  for (int i = 0; i < n_gpus; i++) init_locks(gpus[i]);
}

static bool find_functions(void* library, char* text, size_t size) {
#define FIND(name, parameters)                                         \
  *(void**)&tfc_cuda.name = dlsym(library, #name);                     \
  if (!tfc_cuda.name) {                                                \
    snprintf(text, size, "the CUDA driver has no function %s", #name); \
    return false;                                                      \
  }
#define LOOK_FOR(name, parameters) *(void**)&tfc_cuda.name = dlsym(library, #name);
  TFC_DRIVER_FUNCTIONS(FIND)
  TFC_EMULATOR_FUNCTIONS(LOOK_FOR)
  return true;
}

static void describe(CUresult result, const char* call, char* text, size_t size) {
  const char *name = NULL, *what = NULL;
  tfc_cuda.cuGetErrorName(result, &name);
  tfc_cuda.cuGetErrorString(result, &what);
  snprintf(text, size, "%s: %s (%s)", call, name ? name : "unknown error", what ? what : "");
}

bool tfc_driver_load(const char* path, char* text, size_t size) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(text, size, "there is no CUDA driver (%s)", dlerror());
    return false;
  }
  if (!find_functions(library, text, size)) return false;
  CUresult result = tfc_cuda.cuInit(0);
  if (result) {
    char why[512];
    describe(result, "cuInit", why, sizeof why);
    snprintf(text, size, "the CUDA driver can't be used: %s", why);
    return false;
  }
  return true;
}

int tfc_driver_count(void) {
  int count = 0;
  return tfc_cuda.cuDeviceGetCount(&count) ? 0 : count;
}

int64_t tfc_driver_memory(int ordinal) {
  CUdevice device;
  size_t bytes = 0;
  if (tfc_cuda.cuDeviceGet(&device, ordinal) || tfc_cuda.cuDeviceTotalMem_v2(&bytes, device))
    return 0;
  return (int64_t)bytes;
}

void tfc_driver_describe(int ordinal, char* text, size_t size) {
  CUdevice d;
  char name[128] = "unknown";
  int domain = 0, bus = 0, slot = 0, major = 0, minor = 0;
  if (!tfc_cuda.cuDeviceGet(&d, ordinal)) {
    tfc_cuda.cuDeviceGetName(name, sizeof name, d);
    tfc_cuda.cuDeviceGetAttribute(&domain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, d);
    tfc_cuda.cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, d);
    tfc_cuda.cuDeviceGetAttribute(&slot, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, d);
    tfc_cuda.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, d);
    tfc_cuda.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, d);
  }
  snprintf(text, size, "name: %s, pci bus id: %04x:%02x:%02x.0, compute capability: %d.%d", name,
           (unsigned)domain, (unsigned)bus, (unsigned)slot, major, minor);
}

/* ---- The current context */

static __thread CUcontext outside; /* the thread's context before it entered one of ours */
static __thread bool inside;

static CUcontext current_context(void) {
  CUcontext current = NULL;
  tfc_cuda.cuCtxGetCurrent(&current); /* other libraries change it, too */
  return current;
}

static bool note_outside(CUcontext current) {
  bool is_first = !inside;
  if (is_first) outside = current;
  inside = true;
  return is_first;
}

bool tfc_gpu_enter(tfc_gpu* g) {
  CUcontext current = current_context();
  bool is_first = note_outside(current);
  if (current != g->context) tfc_cuda.cuCtxSetCurrent(g->context);
  return is_first;
}

void tfc_gpu_exit(void) {
  if (!inside) return;
  inside = false;
  if (current_context() != outside) tfc_cuda.cuCtxSetCurrent(outside);
}

/* ---- Devices */

static CUresult open_device(tfc_gpu* g) {
  CUdevice device;
  int major = 0, minor = 0; /* of the compute capability */
  CUresult r = tfc_cuda.cuDeviceGet(&device, g->ordinal);
  if (!r)
    r = tfc_cuda.cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  if (!r)
    r = tfc_cuda.cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  if (!r) r = tfc_cuda.cuDevicePrimaryCtxRetain(&g->context, device);
  if (!r) r = tfc_cuda.cuCtxSetCurrent(g->context);
  if (!r) r = tfc_cuda.cuStreamCreate(&g->compute, CU_STREAM_NON_BLOCKING);
  if (!r) r = tfc_cuda.cuStreamCreate(&g->down, CU_STREAM_NON_BLOCKING);
  if (!r) r = tfc_cuda.cuStreamCreate(&g->ahead.stream, CU_STREAM_NON_BLOCKING);
  if (!r) r = tfc_cuda.cuEventCreate(&g->ahead_event, CU_EVENT_DISABLE_TIMING);
  g->queued.stream = g->compute;
  g->capability = 10 * major + minor;
  g->starts_early = major >= 9;
  return r;
}

tfc_gpu* tfc_gpu_open(int ordinal, const char* name, const char* allocator, char* text,
                      size_t size) {
  tfc_gpu* g = n_gpus < MOST_GPUS ? calloc(1, sizeof *g) : NULL;
  if (!g) {
    snprintf(text, size, "no memory for a device");
    return NULL;
  }
  g->ordinal = ordinal;
  note_outside(current_context());
  CUresult r = open_device(g);
  tfc_gpu_exit();
  if (r) {
    describe(r, "opening the device", text, size);
    free(g);
    return NULL;
  }
  if (!n_gpus) pthread_atfork(NULL, NULL, note_fork);
  const char* sync = getenv("TFCORE_GPU_SYNC");
  g->synchronous = sync && *sync && *sync != '0';
  g->pub = (tfc_device){.name = strdup(name),
                        .allocator = strdup(allocator),
                        .queue = g->compute,
                        .allocate = tfc_gpu_allocate,
                        .launch = tfc_gpu_launch,
                        .fill = tfc_gpu_fill,
                        .copy = tfc_gpu_copy,
                        .upload = tfc_gpu_upload,
                        .upload_to_new = tfc_gpu_upload_to_new,
                        .report_to = tfc_gpu_report_to,
                        .copy_from_peer = tfc_gpu_copy_from_peer,
                        .download = tfc_gpu_download,
                        .read = tfc_gpu_read,
                        .write = tfc_gpu_write,
                        .clone = tfc_gpu_clone,
                        .finish = tfc_gpu_finish,
                        .leave = tfc_gpu_leave,
                        .graphs = &tfc_gpu_graphs};
  init_locks(g);
  gpus[n_gpus++] = g;
  return g;
}

/* ---- Errors */

/* Whether the context is of no use after this error. */
static bool is_fatal(CUresult r) {
  return (r >= CUDA_ERROR_ILLEGAL_ADDRESS && r <= CUDA_ERROR_LAUNCH_FAILED &&
          r != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES && r != CUDA_ERROR_PEER_ACCESS_NOT_ENABLED) ||
         r == CUDA_ERROR_DEVICE_UNAVAILABLE || r == CUDA_ERROR_ECC_UNCORRECTABLE ||
         r == CUDA_ERROR_DEINITIALIZED || r == CUDA_ERROR_UNKNOWN;
}

static void lose(tfc_gpu* g, const char* text) {
  char* none = NULL;
  char* copy = strdup(text);
  if (copy && !__atomic_compare_exchange_n(&g->lost, &none, copy, false, __ATOMIC_ACQ_REL,
                                           __ATOMIC_RELAXED))
    free(copy);
}

static int gone(tfc_gpu* g, char* text, size_t size) {
  snprintf(text, size, "%s can't be used any more, and what was in its memory is lost, after: %s",
           g->pub.name, __atomic_load_n(&g->lost, __ATOMIC_ACQUIRE));
  return TFC_UNAVAILABLE;
}

int tfc_gpu_explain(tfc_gpu* g, CUresult result, const char* call, char* text, size_t size) {
  if (__atomic_load_n(&g->lost, __ATOMIC_ACQUIRE)) return gone(g, text, size);
  char why[512], report[512] = "";
  describe(result, call, why, sizeof why);
  if (tfc_cuda.tfcEmulatedReport) tfc_cuda.tfcEmulatedReport(g->ordinal, report, sizeof report);
  snprintf(text, size, "%s%s%s", why, *report ? ": " : "", report);
  if (is_fatal(result)) lose(g, text);
  bool is_absent =
      result == CUDA_ERROR_DEVICE_UNAVAILABLE || result == CUDA_ERROR_ECC_UNCORRECTABLE;
  if (is_absent && __atomic_load_n(&g->lost, __ATOMIC_ACQUIRE)) return gone(g, text, size);
  return result == CUDA_ERROR_OUT_OF_MEMORY ? TFC_RESOURCE_EXHAUSTED : TFC_INTERNAL;
}

int tfc_gpu_check(tfc_gpu* g, tfc_context* ctx, CUresult result, const char* call) {
  if (__builtin_expect(result == CUDA_SUCCESS, 1)) return TFC_OK;
  char text[1200];
  int code = tfc_gpu_explain(g, result, call, text, sizeof text);
  return ctx->api->error(ctx, code, "%s", text);
}

int tfc_gpu_check_usable(tfc_gpu* g, tfc_context* ctx) {
  if (__builtin_expect(forked, 0))
    return ctx->api->error(ctx, TFC_UNAVAILABLE,
                           "%s belongs to the process that this one was forked from", g->pub.name);
  if (__builtin_expect(__atomic_load_n(&g->lost, __ATOMIC_RELAXED) == NULL, 1)) return TFC_OK;
  char text[1200];
  int code = gone(g, text, sizeof text);
  return ctx->api->error(ctx, code, "%s", text);
}

/* ---- Modules */

CUmodule tfc_gpu_load(tfc_gpu* g, const char* path, char* text, size_t size) {
  CUmodule module = NULL;
  tfc_gpu_enter(g);
  CUresult r = tfc_cuda.cuModuleLoad(&module, path);
  if (r) tfc_gpu_explain(g, r, "cuModuleLoad", text, size);
  tfc_gpu_exit();
  return r ? NULL : module;
}

tfc_function* tfc_gpu_function(tfc_gpu* g, CUmodule module, const char* name, bool is_users,
                               char* text, size_t size) {
  tfc_function* f = calloc(1, sizeof *f);
  if (!f) {
    snprintf(text, size, "no memory for function %s", name);
    return NULL;
  }
  snprintf(f->name, sizeof f->name, "%s", name);
  f->shared = 48 << 10; /* every launch may have this much */
  f->is_users = is_users;
  tfc_gpu_enter(g);
  CUresult r = tfc_cuda.cuModuleGetFunction(&f->handle, module, name);
  if (r) tfc_gpu_explain(g, r, name, text, size);
  tfc_gpu_exit();
  if (!r) return f;
  free(f);
  return NULL;
}
