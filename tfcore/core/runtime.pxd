"""What Cython modules use of the C runtime: what the headers of this folder declare, and the kernel ABI."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tfcore.kernel cimport *

cdef extern from "<stdbool.h>":
    ctypedef bint bool "bool"

cdef extern from "device/device.h" nogil:
    ctypedef struct tfc_device:
        const char *name
        const char *allocator

    bool tfc_tensor_new_on(tfc_device *, tfc_tensor *, int, const int64_t *)
    bool tfc_tensor_read(tfc_tensor *, const tfc_tensor *)
    bool tfc_tensor_clone(tfc_tensor *, const tfc_tensor *)

cdef extern from "runtime.h" nogil:
    enum:
        TFC_BUFFER_BORROWED

    ctypedef struct tfc_buffer:
        int64_t refs
        void (*release)(tfc_buffer *) noexcept nogil
        size_t size
        void *owner
        uint32_t flags
        tfc_device *device

    void tfc_buffer_ref(tfc_buffer *)
    bool tfc_buffer_exclusive(const tfc_buffer *)
    void tfc_tensor_clear(tfc_tensor *)
    bool tfc_tensor_new(tfc_tensor *, int, const int64_t *)
    bool tfc_tensor_copy(tfc_tensor *, const tfc_tensor *)
    int tfc_string_assign(tfc_tensor *, int64_t, const char *, size_t)

    ctypedef struct tfc_memory_stats:
        int64_t bytes_in_use
        int64_t peak_bytes_in_use
        int64_t bytes_reserved
        int64_t num_allocs
        int64_t bytes_limit

    void tfc_memory_stats_get(tfc_memory_stats *)
    void tfc_memory_set_limit(int64_t)
    void tfc_memory_trim()
    bool tfc_memory_set_poison(bool)
    double tfc_memory_set_decay(double)

    ctypedef struct tfc_source:
        pass

    ctypedef struct tfc_source_stats:
        int64_t bytes_committed
        int64_t free_ranges

    void tfc_memory_source_stats(const tfc_source *, tfc_source_stats *)

    int tfc_pool_threads()
    int tfc_pool_set_threads(int)
    double tfc_pool_set_grain(double)
    void tfc_pool_cut(int64_t)
    void tfc_pool_wake()
    void tfc_pool_enter()
    void tfc_pool_leave()
    int tfc_pool_pause()
    void tfc_pool_resume(int)
    int64_t tfc_now_ns()

    void tfc_pool_after_fork()
    void tfc_spawn_after_fork()
    void tfc_step_after_fork()
    void tfc_admission_after_fork()
    void tfc_watch_after_fork()
    void tfc_snapshots_after_fork()

    ctypedef struct tfc_variable:
        tfc_tensor value
        char *name
        int32_t dtype

    tfc_variable *tfc_variable_new(const char *, const char *, int32_t)
    void tfc_variable_uninitialized(const tfc_variable *, char *, size_t)
    void tfc_variable_unref(tfc_variable *)
    bool tfc_variable_read(tfc_variable *, tfc_tensor *)

    ctypedef struct tfc_snapshot_watch:
        pass

    void tfc_snapshot_watch_begin(tfc_snapshot_watch *, unsigned long)
    void tfc_snapshot_watch_end(tfc_snapshot_watch *)
    bool tfc_snapshot_watch_wait(tfc_snapshot_watch *, int, double)

    const tfc_kernel_def tfc_null_kernel
    int tfc_checked_compute(tfc_context *) noexcept
    int tfc_saving_compute(tfc_context *) noexcept

cdef inline tfc_buffer *buffer_of(const tfc_tensor *t) noexcept nogil:
    """The buffer of a tensor; kernels see only its address."""
    return <tfc_buffer *>t.buffer
