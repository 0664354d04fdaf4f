"""C declarations of the kernel ABI and of the runtime, for the Cython modules of this folder."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

cdef extern from "<stdbool.h>":
    ctypedef bint bool "bool"

cdef extern from "runtime.h" nogil:
    enum:
        TFC_ABI_VERSION
        TFC_MAX_RANK
        TFC_STRING
        TFC_REF
        TFC_OK
        TFC_CANCELLED
        TFC_DEADLINE_EXCEEDED
        TFC_UNKNOWN
        TFC_OUT_OF_RANGE
        TFC_UNIMPLEMENTED
        TFC_INVALID_ARGUMENT
        TFC_NOT_FOUND
        TFC_RESOURCE_EXHAUSTED
        TFC_FAILED_PRECONDITION
        TFC_INTERNAL
        TFC_PENDING
        TFC_KERNEL_EXPENSIVE
        TFC_KERNEL_ASYNC
        TFC_KERNEL_STATEFUL
        TFC_KERNEL_BLOCKING
        TFC_BUFFER_BORROWED
        TFC_BUFFER_STRINGS

    ctypedef struct tfc_buffer:
        int64_t refs
        void (*release)(tfc_buffer *) noexcept nogil
        size_t size
        void *owner
        uint32_t size_class
        uint32_t flags

    ctypedef struct tfc_tensor:
        void *data
        tfc_buffer *buffer
        int64_t n
        int32_t dtype
        int32_t rank
        int64_t dims[8]

    ctypedef struct tfc_string:
        char *data
        size_t size

    ctypedef struct tfc_api:
        pass

    ctypedef struct tfc_async:
        pass

    ctypedef struct tfc_context:
        const tfc_api *api
        const tfc_tensor **inputs
        tfc_tensor *outputs
        void *state
        int32_t n_inputs
        int32_t n_outputs
        int64_t step_id

    ctypedef struct tfc_construction:
        const tfc_create_api *api
        const char *op_name
        const char *op_type
        int32_t n_inputs
        int32_t n_outputs
        const int32_t *input_dtypes
        const int32_t *output_dtypes

    ctypedef struct tfc_create_api:
        int (*attr_bool)(tfc_construction *, const char *, bool *) noexcept
        int (*attr_int)(tfc_construction *, const char *, int64_t *) noexcept
        int (*attr_float)(tfc_construction *, const char *, double *) noexcept
        int (*attr_type)(tfc_construction *, const char *, int32_t *) noexcept
        int (*attr_string)(tfc_construction *, const char *, const char **, size_t *) noexcept
        int (*attr_ints)(tfc_construction *, const char *, int, int64_t *, int *) noexcept
        int (*attr_floats)(tfc_construction *, const char *, int, double *, int *) noexcept
        int (*attr_types)(tfc_construction *, const char *, int, int32_t *, int *) noexcept
        int (*attr_shape)(tfc_construction *, const char *, int *, int64_t *) noexcept
        int (*attr_tensor)(tfc_construction *, const char *, tfc_tensor *) noexcept
        int (*attr_strings)(tfc_construction *, const char *, int, const char **, size_t *, int *) noexcept
        int (*error)(tfc_construction *, int, const char *, ...) noexcept
        int (*resource)(tfc_construction *, const char *, const char *, const char *, void *(*)(void *) noexcept,
                        void *, void (*)(void *) noexcept, void **) noexcept
        int (*variable)(tfc_construction *, const char *, const char *, int32_t, void **) noexcept

    ctypedef int (*tfc_compute_fn)(tfc_context *) noexcept nogil

    ctypedef struct tfc_kernel_def:
        const char *op
        const char *device
        const char *types
        tfc_compute_fn compute
        int (*create)(tfc_construction *, void **) noexcept
        void (*destroy)(void *) noexcept
        uint32_t flags
        const char *host_args

    ctypedef struct tfc_kernel_table:
        const tfc_kernel_def *kernels
        size_t count

    enum:
        TFC_OP_STATEFUL
        TFC_OP_COMMUTATIVE

    ctypedef struct tfc_op_def:
        const char *name
        const char *inputs
        const char *outputs
        const char *attrs
        const char *doc
        uint32_t flags

    ctypedef struct tfc_op_table:
        const tfc_op_def *ops
        size_t count

    ctypedef struct tfc_library_def:
        int32_t abi_version
        const tfc_kernel_table *begin
        const tfc_kernel_table *end
        const tfc_op_table *ops_begin
        const tfc_op_table *ops_end

    size_t tfc_dtype_size(int32_t dtype)
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

    ctypedef struct tfc_team:
        void (*join)(void *) noexcept nogil
        void *arg
        const int64_t *available
        int max_helpers
        int index

    ctypedef struct tfc_variable:
        tfc_tensor value
        char *name
        int32_t dtype

    ctypedef struct tfc_runtime:
        tfc_buffer *(*allocate)(size_t) noexcept nogil
        void (*memory_stats)(tfc_memory_stats *) noexcept nogil
        void (*memory_set_limit)(int64_t) noexcept nogil
        void (*memory_trim)() noexcept nogil
        bint (*memory_set_poison)(bint) noexcept nogil
        bint (*tensor_new)(tfc_tensor *, int, const int64_t *) noexcept nogil
        bint (*tensor_copy)(tfc_tensor *, const tfc_tensor *) noexcept nogil
        int (*string_assign)(tfc_tensor *, int64_t, const char *, size_t) noexcept nogil
        int (*pool_threads)() noexcept nogil
        void (*pool_reserve)(int) noexcept nogil
        double (*pool_set_grain)(double) noexcept nogil
        void (*team_open)(tfc_team *) noexcept nogil
        void (*team_close)(tfc_team *) noexcept nogil
        void (*team_wake)(const tfc_team *) noexcept nogil
        void (*pool_wake)() noexcept nogil
        tfc_variable *(*variable_new)(const char *, int32_t) noexcept nogil
        void (*variable_unref)(tfc_variable *) noexcept nogil
        bint (*variable_read)(tfc_variable *, tfc_tensor *) noexcept nogil
        const tfc_kernel_def *null_kernel
        tfc_compute_fn checked_compute
        const void *steps  # tfc_steps of step.pxd
        bint (*spawn)(void (*)(void *) noexcept nogil, void *) noexcept nogil
        const tfc_api *(*api)() noexcept nogil
        void *rendezvous  # tfc_rendezvous of rendezvous.pxd
        const tfc_kernel_def *send_kernel
        const tfc_kernel_def *recv_kernel
        const tfc_kernel_def *loop_kernel
        void (*loop_free)(void *) noexcept nogil  # tfc_loop of loop.h

    const tfc_runtime *tfc_runtime_table()
    void tfc_pool_after_fork()
    int tfc_pool_set_threads(int)
    void tfc_pool_cut(int64_t)
    void tfc_spawn_after_fork()
    void tfc_step_after_fork()
    void tfc_admission_after_fork()
    void tfc_watch_after_fork()

cdef const tfc_runtime *runtime() noexcept
