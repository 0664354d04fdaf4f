/* The part of the CUDA driver API that tfcore uses: types, constants and functions, with the names,
 * numbers and signatures of NVIDIA's cuda.h. No build needs the CUDA toolkit: libcuda.so.1 or the
 * emulator (tfcore/gpu/emulator) is loaded at run time and searched for these names.
 */
#ifndef TFCORE_GPU_DRIVER_API_H
#define TFCORE_GPU_DRIVER_API_H

#include <stddef.h>
#include <stdint.h>

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphExec_st* CUgraphExec;
typedef struct {
  char bytes[16];
} CUuuid;

/* ---- Results: name, number, what cuGetErrorString says */

#define TFC_DRIVER_RESULTS(F)                                                                    \
  F(CUDA_SUCCESS, 0, "no error")                                                                 \
  F(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                                             \
  F(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                                                \
  F(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                                       \
  F(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                                         \
  F(CUDA_ERROR_STUB_LIBRARY, 34, "the library is a stub")                                        \
  F(CUDA_ERROR_DEVICE_UNAVAILABLE, 46, "the device is unavailable")                              \
  F(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")                             \
  F(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                                    \
  F(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")                             \
  F(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                                   \
  F(CUDA_ERROR_MAP_FAILED, 205, "mapping of memory failed")                                      \
  F(CUDA_ERROR_NO_BINARY_FOR_GPU, 209, "no kernel image is available for the device")            \
  F(CUDA_ERROR_ECC_UNCORRECTABLE, 214, "uncorrectable ECC error encountered")                    \
  F(CUDA_ERROR_UNSUPPORTED_LIMIT, 215, "the limit is not supported")                             \
  F(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217, "peer access is not supported")                     \
  F(CUDA_ERROR_INVALID_PTX, 218, "a PTX compilation failed")                                     \
  F(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222, "the PTX was made by a newer toolchain")            \
  F(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")                            \
  F(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                                            \
  F(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, 303, "initialization of a shared object failed")       \
  F(CUDA_ERROR_OPERATING_SYSTEM, 304, "a call of the operating system failed")                   \
  F(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                                   \
  F(CUDA_ERROR_ILLEGAL_STATE, 401, "the operation cannot be performed in the present state")     \
  F(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                                         \
  F(CUDA_ERROR_NOT_READY, 600, "device not ready")                                               \
  F(CUDA_ERROR_ILLEGAL_ADDRESS, 700, "an illegal memory access was encountered")                 \
  F(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701, "too many resources requested for launch")          \
  F(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated")                   \
  F(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705, "peer access has not been enabled")                 \
  F(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708, "the primary context is active")                     \
  F(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")                                \
  F(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                                      \
  F(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712, "the memory is registered already")          \
  F(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713, "the memory is not registered")                  \
  F(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")                                \
  F(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715, "an illegal instruction was encountered")               \
  F(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                                    \
  F(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717, "operation not supported on this address space")      \
  F(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")                                 \
  F(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                                    \
  F(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                                    \
  F(CUDA_ERROR_SYSTEM_NOT_READY, 802, "system not yet initialized")                              \
  F(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, 803, "the driver of the display does not match")          \
  F(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900, "operation not permitted while capturing")       \
  F(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901, "operation failed due to an error of a capture") \
  F(CUDA_ERROR_STREAM_CAPTURE_MERGE, 902, "operation would merge two captures")                  \
  F(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903, "the capture was not begun in this stream")        \
  F(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904, "a forked stream was not joined to the capture")    \
  F(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905, "a dependency would cross the capture's boundary") \
  F(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906, "an implicit dependency on the legacy stream")      \
  F(CUDA_ERROR_CAPTURED_EVENT, 907, "the event was last recorded in a capture")                  \
  F(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908, "the capture was begun in another thread")      \
  F(CUDA_ERROR_UNKNOWN, 999, "unknown error")

#define TFC_RESULT_CONSTANT(name, number, text) name = number,
typedef enum { TFC_DRIVER_RESULTS(TFC_RESULT_CONSTANT) } CUresult;
#undef TFC_RESULT_CONSTANT

/* ---- Constants */

typedef enum {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y = 3,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z = 4,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y = 6,
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z = 7,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
  CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY = 9,
  CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
  CU_DEVICE_ATTRIBUTE_MAX_PITCH = 11,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK = 12,
  CU_DEVICE_ATTRIBUTE_CLOCK_RATE = 13,
  CU_DEVICE_ATTRIBUTE_GPU_OVERLAP = 15,
  CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
  CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT = 17,
  CU_DEVICE_ATTRIBUTE_INTEGRATED = 18,
  CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY = 19,
  CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
  CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS = 31,
  CU_DEVICE_ATTRIBUTE_PCI_BUS_ID = 33,
  CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID = 34,
  CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
  CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
  CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE = 38,
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR = 39,
  CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT = 40,
  CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING = 41,
  CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID = 50,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED = 78,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR = 81,
  CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR = 82,
  CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY = 83,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR = 106,
} CUdevice_attribute;

typedef enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
} CUpointer_attribute;

typedef enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
} CUfunction_attribute;

typedef enum {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
} CUstreamCaptureStatus;

typedef enum {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };
enum { CU_STREAM_DEFAULT = 0, CU_STREAM_NON_BLOCKING = 1 };
enum { CU_EVENT_DEFAULT = 0, CU_EVENT_BLOCKING_SYNC = 1, CU_EVENT_DISABLE_TIMING = 2 };
enum {
  CU_MEMHOSTALLOC_PORTABLE = 1,
  CU_MEMHOSTALLOC_DEVICEMAP = 2,
  CU_MEMHOSTALLOC_WRITECOMBINED = 4
};

#define CU_STREAM_LEGACY ((CUstream)1)
#define CU_STREAM_PER_THREAD ((CUstream)2)
#define CU_LAUNCH_PARAM_END ((void*)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void*)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void*)2)

typedef enum { CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6 } CUlaunchAttributeID;
typedef struct {
  CUlaunchAttributeID id;
  char padding[8 - sizeof(CUlaunchAttributeID)];
  union {
    char padding[64];
    void* aligned; /* as other attributes, which are pointers */
    int programmaticStreamSerializationAllowed;
  } value;
} CUlaunchAttribute;
typedef struct {
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute* attrs;
  unsigned numAttrs;
} CUlaunchConfig;

typedef void (*CUhostFn)(void* argument);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void* argument);

/* ---- Functions: name as in the library, parameters. All return a CUresult. */

#define TFC_DRIVER_FUNCTIONS(F)                                                                   \
  F(cuInit, (unsigned flags))                                                                     \
  F(cuDriverGetVersion, (int* version))                                                           \
  F(cuGetErrorName, (CUresult result, const char** name))                                         \
  F(cuGetErrorString, (CUresult result, const char** text))                                       \
  F(cuDeviceGetCount, (int* count))                                                               \
  F(cuDeviceGet, (CUdevice * device, int ordinal))                                                \
  F(cuDeviceGetName, (char* name, int size, CUdevice device))                                     \
  F(cuDeviceGetAttribute, (int* value, CUdevice_attribute attribute, CUdevice device))            \
  F(cuDeviceTotalMem_v2, (size_t* bytes, CUdevice device))                                        \
  F(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                         \
  F(cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                             \
  F(cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                              \
  F(cuDevicePrimaryCtxReset_v2, (CUdevice device))                                                \
  F(cuCtxSetCurrent, (CUcontext context))                                                         \
  F(cuCtxGetCurrent, (CUcontext * context))                                                       \
  F(cuCtxPushCurrent_v2, (CUcontext context))                                                     \
  F(cuCtxPopCurrent_v2, (CUcontext * context))                                                    \
  F(cuCtxGetDevice, (CUdevice * device))                                                          \
  F(cuCtxSynchronize, (void))                                                                     \
  F(cuMemGetInfo_v2, (size_t* available, size_t* total))                                          \
  F(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                                         \
  F(cuMemFree_v2, (CUdeviceptr pointer))                                                          \
  F(cuMemHostAlloc, (void** pointer, size_t bytes, unsigned flags))                               \
  F(cuMemAllocHost_v2, (void** pointer, size_t bytes))                                            \
  F(cuMemFreeHost, (void* pointer))                                                               \
  F(cuPointerGetAttribute, (void* value, CUpointer_attribute attribute, CUdeviceptr pointer))     \
  F(cuMemcpyHtoD_v2, (CUdeviceptr to, const void* from, size_t bytes))                            \
  F(cuMemcpyDtoH_v2, (void* to, CUdeviceptr from, size_t bytes))                                  \
  F(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes))                            \
  F(cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void* from, size_t bytes, CUstream stream))      \
  F(cuMemcpyDtoHAsync_v2, (void* to, CUdeviceptr from, size_t bytes, CUstream stream))            \
  F(cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))      \
  F(cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,                   \
                        CUcontext from_context, size_t bytes, CUstream stream))                   \
  F(cuMemsetD8_v2, (CUdeviceptr to, unsigned char value, size_t count))                           \
  F(cuMemsetD16_v2, (CUdeviceptr to, unsigned short value, size_t count))                         \
  F(cuMemsetD32_v2, (CUdeviceptr to, unsigned value, size_t count))                               \
  F(cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))        \
  F(cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream))      \
  F(cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))            \
  F(cuStreamCreate, (CUstream * stream, unsigned flags))                                          \
  F(cuStreamCreateWithPriority, (CUstream * stream, unsigned flags, int priority))                \
  F(cuStreamDestroy_v2, (CUstream stream))                                                        \
  F(cuStreamQuery, (CUstream stream))                                                             \
  F(cuStreamSynchronize, (CUstream stream))                                                       \
  F(cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                          \
  F(cuStreamAddCallback,                                                                          \
    (CUstream stream, CUstreamCallback function, void* argument, unsigned flags))                 \
  F(cuLaunchHostFunc, (CUstream stream, CUhostFn function, void* argument))                       \
  F(cuEventCreate, (CUevent * event, unsigned flags))                                             \
  F(cuEventDestroy_v2, (CUevent event))                                                           \
  F(cuEventRecord, (CUevent event, CUstream stream))                                              \
  F(cuEventQuery, (CUevent event))                                                                \
  F(cuEventSynchronize, (CUevent event))                                                          \
  F(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end))                        \
  F(cuModuleLoad, (CUmodule * module, const char* path))                                          \
  F(cuModuleLoadData, (CUmodule * module, const void* image))                                     \
  F(cuModuleLoadDataEx,                                                                           \
    (CUmodule * module, const void* image, unsigned count, int* options, void** values))          \
  F(cuModuleUnload, (CUmodule module))                                                            \
  F(cuModuleGetFunction, (CUfunction * function, CUmodule module, const char* name))              \
  F(cuFuncGetAttribute, (int* value, CUfunction_attribute attribute, CUfunction function))        \
  F(cuFuncSetAttribute, (CUfunction function, CUfunction_attribute attribute, int value))         \
  F(cuLaunchKernel, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,      \
                     unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes, \
                     CUstream stream, void** parameters, void** extra))                           \
  F(cuLaunchKernelEx,                                                                             \
    (const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra))         \
  F(cuStreamBeginCapture_v2, (CUstream stream, CUstreamCaptureMode mode))                         \
  F(cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                       \
  F(cuStreamIsCapturing, (CUstream stream, CUstreamCaptureStatus * status))                       \
  F(cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))   \
  F(cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                           \
  F(cuGraphDestroy, (CUgraph graph))                                                              \
  F(cuGraphExecDestroy, (CUgraphExec exec))

/* What the emulator has besides. tfcEmulatedAllow marks part of an allocation as live or dead, in
 * stream order; dead memory is poisoned, and no kernel or copy may touch it. tfcEmulatedReport
 * writes a line about the error that made a device fail, or why this thread's last call could not
 * load a module; else an empty one. tfcEmulatedCount says how many "contexts", "streams", "events",
 * "modules", "graphs", "execs" or "allocations" a device has, or how many allocations are "pinned".
 */
#define TFC_EMULATOR_FUNCTIONS(F)                                                   \
  F(tfcEmulatedAllow, (CUdeviceptr pointer, size_t bytes, int on, CUstream stream)) \
  F(tfcEmulatedReport, (CUdevice device, char* text, size_t size))                  \
  F(tfcEmulatedCount, (CUdevice device, const char* what, size_t* count))

#endif
