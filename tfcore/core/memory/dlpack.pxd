"""The structures of DLPack (dlpack.h): a tensor of any library, as a capsule passes it on.

A capsule named "dltensor" has a DLManagedTensor, "dltensor_versioned" a DLManagedTensorVersioned (version 1.x).
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef enum:
    DL_CPU = 1
    DL_CUDA = 2
    DL_CUDA_HOST = 3
    DL_ROCM_HOST = 11
    DL_CUDA_MANAGED = 13
    DL_READ_ONLY = 1  # a flag

cdef struct DLTensor:
    void *data
    int32_t device_type
    int32_t device_id
    int32_t ndim
    uint8_t code
    uint8_t bits
    uint16_t lanes
    int64_t *shape
    int64_t *strides  # NULL: dense
    uint64_t byte_offset

cdef struct DLManagedTensor:
    DLTensor dl_tensor
    void *manager_ctx
    void (*deleter)(DLManagedTensor *) noexcept

cdef struct DLManagedTensorVersioned:
    uint32_t major
    uint32_t minor
    void *manager_ctx
    void (*deleter)(DLManagedTensorVersioned *) noexcept
    uint64_t flags
    DLTensor dl_tensor
