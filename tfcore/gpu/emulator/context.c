/* Devices and their primary contexts. */
#include <stdio.h>
#include <string.h>

#include "host.h"

enum { DRIVER_VERSION = 12000, STACK_DEPTH = 64 };

static _Thread_local device* stack[STACK_DEPTH]; /* of current contexts; the last is current */
static _Thread_local int depth;

CUresult enter_any(void) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (emu_in_callback) return CUDA_ERROR_NOT_PERMITTED;
  lock_host();
  return CUDA_SUCCESS;
}

CUresult enter(device** d) {
  CUresult r = enter_any();
  if (r) return r;
  *emu_load_error = 0;
  *d = depth ? stack[depth - 1] : NULL;
  if (!*d) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (!(*d)->retained) return unlock_host(CUDA_ERROR_CONTEXT_IS_DESTROYED);
  if ((r = device_start(*d))) return unlock_host(r);
  if ((r = device_status(*d))) return unlock_host(r);
  return CUDA_SUCCESS;
}

device* context_device(CUcontext context) {
  device* d = handle_find(OF_CONTEXT, context);
  return d && d->retained ? d : NULL;
}

/* ---- Devices */

static device* find_device(CUdevice number) {
  return number >= 0 && number < emu.count ? &emu.devices[number] : NULL;
}

CUresult cuDriverGetVersion(int* version) {
  if (!version) return CUDA_ERROR_INVALID_VALUE;
  *version = DRIVER_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  *count = emu.count;
  return CUDA_SUCCESS;
}

/* Begins a call that describes a device. */
static CUresult describe(const void* result, CUdevice number) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!result) return CUDA_ERROR_INVALID_VALUE;
  return find_device(number) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGet(CUdevice* result, int ordinal) {
  CUresult r = describe(result, ordinal);
  if (!r) *result = ordinal;
  return r;
}

CUresult cuDeviceGetName(char* name, int size, CUdevice number) {
  CUresult r = describe(name, number);
  if (r) return r;
  if (size <= 0) return CUDA_ERROR_INVALID_VALUE;
  snprintf(name, size, "tfcore emulated GPU %d", number);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice number) {
  CUresult r = describe(bytes, number);
  if (!r) *bytes = emu.memory_bytes;
  return r;
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice number) {
  CUresult r = describe(uuid, number);
  if (r) return r;
  memcpy(uuid->bytes, "tfcore emulated\0", sizeof uuid->bytes);
  uuid->bytes[15] = number;
  return CUDA_SUCCESS;
}

static const struct {
  CUdevice_attribute attribute;
  int value;
} attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 164 << 10},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 64 << 10},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, MAX_SHARED_BYTES},
    /* what it does not have */
    {CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, 0},
    {CU_DEVICE_ATTRIBUTE_INTEGRATED, 0},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 0},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 0},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0},
    {CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 0},
};

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
  CUresult r = describe(value, number);
  if (r) return r;
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID) {
    *value = number;
    return CUDA_SUCCESS;
  }
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (attributes[i].attribute == attribute) {
      *value = attributes[i].value;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

/* ---- Primary contexts */

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice number) {
  CUresult r = describe(context, number);
  if (r || (r = enter_any())) return r;
  device* d = find_device(number);
  if ((r = device_start(d))) return unlock_host(r);
  d->retained++;
  *context = d->context;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice number) {
  CUresult r = describe(&number, number);
  if (r || (r = enter_any())) return r;
  device* d = find_device(number);
  if (!d->retained) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (!--d->retained) device_stop(d);
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice number) {
  CUresult r = describe(&number, number);
  if (r || (r = enter_any())) return r;
  device_stop(find_device(number));
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSetCurrent(CUcontext context) {
  CUresult r = enter_any();
  if (r) return r;
  device* d = context ? context_device(context) : NULL;
  if (context && !d) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (!depth) depth = 1;
  stack[depth - 1] = d;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  if (emu.forked || !LOAD(&emu.initialized)) return CUDA_ERROR_NOT_INITIALIZED;
  if (!context) return CUDA_ERROR_INVALID_VALUE;
  device* d = depth ? stack[depth - 1] : NULL;
  *context = d ? d->context : NULL;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  CUresult r = enter_any();
  if (r) return r;
  device* d = context_device(context);
  if (!d) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  if (depth == STACK_DEPTH) return unlock_host(CUDA_ERROR_OUT_OF_MEMORY);
  stack[depth++] = d;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  CUresult r = enter_any();
  if (r) return r;
  if (!depth || !stack[depth - 1]) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  device* d = stack[--depth];
  if (context) *context = d->context;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxGetDevice(CUdevice* number) {
  CUresult r = enter_any();
  if (r) return r;
  device* d = depth ? stack[depth - 1] : NULL;
  if (!number) return unlock_host(CUDA_ERROR_INVALID_VALUE);
  if (!d) return unlock_host(CUDA_ERROR_INVALID_CONTEXT);
  *number = d->index;
  return unlock_host(CUDA_SUCCESS);
}

CUresult cuCtxSynchronize(void) {
  device* d;
  CUresult r = enter(&d);
  if (r) return r;
  if ((r = refuse_in_capture())) return unlock_host(r);
  unlock_host(CUDA_SUCCESS);
  return device_wait(d);
}
