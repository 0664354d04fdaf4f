"""C declarations of the runtime (runtime.h), and those of the kernel ABI, for the Cython modules of this folder."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from tfcore.kernel cimport *

cdef extern from "<stdbool.h>":
    ctypedef bint bool "bool"

cdef extern from "runtime.h" nogil:
    enum:
        TFC_BUFFER_BORROWED
        TFC_BUFFER_STRINGS

    ctypedef struct tfc_buffer:
        int64_t refs
        void (*release)(tfc_buffer *) noexcept nogil
        size_t size
        void *owner
        uint32_t size_class
        uint32_t flags
        void *device  # tfc_device of device.h

    void tfc_buffer_ref(tfc_buffer *)
    void tfc_buffer_unref(tfc_buffer *)
    bint tfc_buffer_exclusive(const tfc_buffer *)
    void tfc_tensor_clear(tfc_tensor *)
    void tfc_pause()

    ctypedef struct tfc_memory_stats:
        int64_t bytes_in_use
        int64_t peak_bytes_in_use
        int64_t bytes_reserved
        int64_t num_allocs
        int64_t bytes_limit

    ctypedef struct tfc_source:
        size_t bytes

    ctypedef struct tfc_source_stats:
        int64_t bytes_committed
        int64_t free_ranges

    ctypedef struct tfc_team:
        void (*join)(void *) noexcept nogil
        void *arg
        const int64_t *available
        int max_helpers
        int index

    ctypedef struct tfc_tracker:
        pass

    ctypedef struct tfc_variable:
        tfc_tensor value
        char *name
        int32_t dtype
        tfc_tracker *tracker

    ctypedef struct tfc_runtime:
        tfc_buffer *(*allocate)(size_t) noexcept nogil
        void (*memory_stats)(tfc_memory_stats *) noexcept nogil
        void (*memory_set_limit)(int64_t) noexcept nogil
        void (*memory_trim)() noexcept nogil
        bint (*memory_set_poison)(bint) noexcept nogil
        bint (*tensor_new)(tfc_tensor *, int, const int64_t *) noexcept nogil
        bint (*tensor_copy)(tfc_tensor *, const tfc_tensor *) noexcept nogil
        bint (*tensor_read)(tfc_tensor *, const tfc_tensor *) noexcept nogil
        bint (*tensor_clone)(tfc_tensor *, const tfc_tensor *) noexcept nogil
        int (*string_assign)(tfc_tensor *, int64_t, const char *, size_t) noexcept nogil
        int (*pool_threads)() noexcept nogil
        void (*pool_reserve)(int) noexcept nogil
        double (*pool_set_grain)(double) noexcept nogil
        void (*team_open)(tfc_team *) noexcept nogil
        void (*team_close)(tfc_team *) noexcept nogil
        void (*team_wake)(const tfc_team *) noexcept nogil
        void (*pool_wake)() noexcept nogil
        int (*pool_computing)() noexcept nogil
        tfc_variable *(*variable_new)(const char *, const char *, int32_t) noexcept nogil
        void (*variable_uninitialized)(const tfc_variable *, char *, size_t) noexcept nogil
        void (*variable_unref)(tfc_variable *) noexcept nogil
        bint (*variable_read)(tfc_variable *, tfc_tensor *) noexcept nogil
        const tfc_kernel_def *null_kernel
        tfc_compute_fn checked_compute
        tfc_compute_fn copying_compute
        const void *steps  # tfc_steps of step.pxd
        bint (*spawn)(void (*)(void *) noexcept nogil, void *) noexcept nogil
        const tfc_api *(*api)() noexcept nogil
        void (*memory_source_stats)(const tfc_source *, tfc_source_stats *) noexcept nogil
        void *rendezvous  # tfc_rendezvous of rendezvous.pxd
        const tfc_kernel_def *transfer_kernels
        const tfc_kernel_def *loop_kernel
        void (*loop_free)(void *) noexcept nogil  # tfc_loop of loop.h

    const tfc_runtime *tfc_runtime_table()
    void tfc_pool_after_fork()
    int tfc_pool_set_threads(int)
    double tfc_memory_set_decay(double)
    void tfc_pool_cut(int64_t)
    void tfc_spawn_after_fork()
    void tfc_step_after_fork()
    void tfc_admission_after_fork()
    void tfc_watch_after_fork()
    void tfc_cow_after_fork()
    int64_t tfc_steps_running(int64_t *)
    ctypedef struct tfc_cow_stats:
        int64_t kept_bytes
        int64_t kept_ns
        int64_t waits
        int64_t busy_ns
        int64_t idle_ns
        int64_t kept_now
    void tfc_cow_stats_get(tfc_cow_stats *)

    ctypedef struct tfc_cow_watch:
        pass

    void tfc_cow_watch_begin(tfc_cow_watch *, unsigned long)
    void tfc_cow_watch_end(tfc_cow_watch *)
    bint tfc_cow_watch_wait(tfc_cow_watch *, int, double)

cdef const tfc_runtime *runtime() noexcept

cdef inline tfc_buffer *buffer_of(const tfc_tensor *t) noexcept nogil:
    """The buffer of a tensor; kernels see only its address."""
    return <tfc_buffer *>t.buffer
