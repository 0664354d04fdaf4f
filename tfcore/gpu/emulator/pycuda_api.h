/* What the emulator serves beside the functions of driver_api.h, so that PyCUDA can be imported and
 * used: it is linked to these by name. tfcore calls none of them, and no card is searched for them.
 */
#ifndef TFCORE_EMULATOR_PYCUDA_API_H
#define TFCORE_EMULATOR_PYCUDA_API_H

#include "../driver_api.h"

typedef enum {
  CU_LIMIT_STACK_SIZE,
  CU_LIMIT_PRINTF_FIFO_SIZE,
  CU_LIMIT_MALLOC_HEAP_SIZE,
  TFC_LIMITS, /* so many have a value here */
} CUlimit;

enum { CU_MEMORYTYPE_ARRAY = 3, CU_MEMORYTYPE_UNIFIED = 4 };
enum {
  CU_MEMHOSTREGISTER_PORTABLE = 1,
  CU_MEMHOSTREGISTER_DEVICEMAP = 2,
  CU_MEMHOSTREGISTER_IOMEMORY = 4,
  CU_MEMHOSTREGISTER_READ_ONLY = 8,
};
enum { CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE = 1 };

/* One end of a copy of two or of three dimensions. */
typedef struct {
  size_t x, y;
  int type;
  void* host;
  CUdeviceptr device;
  void* array;
  size_t pitch;
} tfc_end_2d;

typedef struct {
  tfc_end_2d from, to;
  size_t width, height;
} CUDA_MEMCPY2D;

typedef struct {
  size_t x, y, z, level;
  int type;
  void* host;
  CUdeviceptr device;
  void* array;
  CUcontext context; /* in a CUDA_MEMCPY3D: NULL */
  size_t pitch, height;
} tfc_end_3d;

typedef struct {
  tfc_end_3d from, to;
  size_t width, height, depth;
} CUDA_MEMCPY3D;

#define TFC_PYCUDA_FUNCTIONS(F)                                                                    \
  F(cuDeviceComputeCapability, (int* major, int* minor, CUdevice device))                          \
  F(cuDeviceGetByPCIBusId, (CUdevice * device, const char* name))                                  \
  F(cuDeviceGetPCIBusId, (char* name, int size, CUdevice device))                                  \
  F(cuDeviceCanAccessPeer, (int* can, CUdevice device, CUdevice peer))                             \
  F(cuCtxCreate_v2, (CUcontext * context, unsigned flags, CUdevice device))                        \
  F(cuCtxCreate_v4, (CUcontext * context, void* parameters, unsigned flags, CUdevice device))      \
  F(cuCtxDestroy_v2, (CUcontext context))                                                          \
  F(cuCtxAttach, (CUcontext * context, unsigned flags))                                            \
  F(cuCtxDetach, (CUcontext context))                                                              \
  F(cuCtxGetApiVersion, (CUcontext context, unsigned* version))                                    \
  F(cuCtxGetCacheConfig, (int* config))                                                            \
  F(cuCtxSetCacheConfig, (int config))                                                             \
  F(cuCtxGetSharedMemConfig, (int* config))                                                        \
  F(cuCtxSetSharedMemConfig, (int config))                                                         \
  F(cuCtxGetLimit, (size_t* value, CUlimit limit))                                                 \
  F(cuCtxSetLimit, (CUlimit limit, size_t value))                                                  \
  F(cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags))                                       \
  F(cuCtxDisablePeerAccess, (CUcontext peer))                                                      \
  F(cuMemAllocPitch_v2,                                                                            \
    (CUdeviceptr * pointer, size_t* pitch, size_t width, size_t height, unsigned element))         \
  F(cuMemGetAddressRange_v2, (CUdeviceptr * start, size_t* bytes, CUdeviceptr pointer))            \
  F(cuMemHostRegister_v2, (void* pointer, size_t bytes, unsigned flags))                           \
  F(cuMemHostUnregister, (void* pointer))                                                          \
  F(cuMemHostGetDevicePointer_v2, (CUdeviceptr * device, void* pointer, unsigned flags))           \
  F(cuMemHostGetFlags, (unsigned* flags, void* pointer))                                           \
  F(cuMemcpyPeer, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, \
                   size_t bytes))                                                                  \
  F(cuMemcpy2D_v2, (const CUDA_MEMCPY2D* copy))                                                    \
  F(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D* copy))                                           \
  F(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D* copy, CUstream stream))                              \
  F(cuMemcpy3D_v2, (const CUDA_MEMCPY3D* copy))                                                    \
  F(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D* copy, CUstream stream))                              \
  F(cuMemcpy3DPeer, (const CUDA_MEMCPY3D* copy))                                                   \
  F(cuMemcpy3DPeerAsync, (const CUDA_MEMCPY3D* copy, CUstream stream))                             \
  F(cuMemsetD2D8_v2,                                                                               \
    (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height))              \
  F(cuMemsetD2D16_v2,                                                                              \
    (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height))             \
  F(cuMemsetD2D32_v2, (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height)) \
  F(cuMemsetD2D8Async, (CUdeviceptr to, size_t pitch, unsigned char value, size_t width,           \
                        size_t height, CUstream stream))                                           \
  F(cuMemsetD2D16Async, (CUdeviceptr to, size_t pitch, unsigned short value, size_t width,         \
                         size_t height, CUstream stream))                                          \
  F(cuMemsetD2D32Async,                                                                            \
    (CUdeviceptr to, size_t pitch, unsigned value, size_t width, size_t height, CUstream stream))  \
  F(cuEventElapsedTime_v2, (float* milliseconds, CUevent start, CUevent end))                      \
  F(cuModuleGetGlobal_v2,                                                                          \
    (CUdeviceptr * pointer, size_t* bytes, CUmodule module, const char* name))                     \
  F(cuFuncSetBlockShape, (CUfunction function, int x, int y, int z))                               \
  F(cuFuncSetCacheConfig, (CUfunction function, int config))                                       \
  F(cuProfilerStart, (void))                                                                       \
  F(cuProfilerStop, (void))

#endif
