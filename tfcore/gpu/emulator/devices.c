/* Devices: what they are, and what they have. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "host.h"

enum { DRIVER_VERSION = 12000, LAST_ATTRIBUTE = 147 /* of CUDA 13 */ };

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

/* What it does not have is 0. */
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
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, INT_MAX},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
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
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, MAX_SHARED_BYTES},
};

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice number) {
  CUresult r = describe(value, number);
  if (r) return r;
  if ((int)attribute < 1 || (int)attribute > LAST_ATTRIBUTE) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute == CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID ? number : 0;
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    if (attributes[i].attribute == attribute) *value = attributes[i].value;
  return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice number) {
  if (!minor) return CUDA_ERROR_INVALID_VALUE;
  CUresult r = cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, number);
  return r ? r : cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, number);
}

CUresult cuDeviceGetPCIBusId(char* name, int size, CUdevice number) {
  CUresult r = describe(name, number);
  if (r) return r;
  return snprintf(name, size, "0000:00:%02x.0", number) < size ? CUDA_SUCCESS
                                                               : CUDA_ERROR_INVALID_VALUE;
}

/* The domain or the function may be left out. */
CUresult cuDeviceGetByPCIBusId(CUdevice* result, const char* name) {
  CUresult r = describe(result, 0);
  if (r) return r;
  if (!name) return CUDA_ERROR_INVALID_VALUE;
  unsigned domain = 0, bus = 0, slot = 0, function = 0;
  bool known = sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) >= 3 ||
               sscanf(name, "%x:%x.%x", &bus, &slot, &function) == 3;
  if (!known) return CUDA_ERROR_INVALID_VALUE;
  if (domain || bus || function || slot >= (unsigned)emu.count) return CUDA_ERROR_INVALID_DEVICE;
  *result = slot;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice number, CUdevice peer) {
  CUresult r = describe(can, number);
  if (r || (r = describe(can, peer))) return r;
  *can = 0;
  return CUDA_SUCCESS;
}
