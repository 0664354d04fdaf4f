"""Cython declarations of the kernel ABI, `tfcore/kernel.h`: `from tfcore.kernel cimport *` in a kernel library.

The header explains what each of these does. What a running kernel calls needs no GIL. The runtime itself uses these
declarations too (core/runtime.pxd). tests/core/test_kernel_pxd.py compares this file with the header.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

cdef extern from "<stdbool.h>":
    ctypedef bint tfc_bool "bool"

cdef extern from "tfcore/kernel.h" nogil:
    enum:
        TFC_ABI_VERSION
        TFC_ABI_OLDEST
        TFC_MAX_RANK

    ctypedef enum tfc_dtype:
        TFC_FLOAT
        TFC_DOUBLE
        TFC_INT32
        TFC_UINT8
        TFC_INT16
        TFC_INT8
        TFC_STRING
        TFC_COMPLEX64
        TFC_INT64
        TFC_BOOL
        TFC_QINT8
        TFC_QUINT8
        TFC_QINT32
        TFC_BFLOAT16
        TFC_QINT16
        TFC_QUINT16
        TFC_UINT16
        TFC_COMPLEX128
        TFC_HALF
        TFC_RESOURCE
        TFC_VARIANT
        TFC_UINT32
        TFC_UINT64
        TFC_REF

    ctypedef enum tfc_code:
        TFC_OK
        TFC_CANCELLED
        TFC_UNKNOWN
        TFC_INVALID_ARGUMENT
        TFC_DEADLINE_EXCEEDED
        TFC_NOT_FOUND
        TFC_ALREADY_EXISTS
        TFC_PERMISSION_DENIED
        TFC_RESOURCE_EXHAUSTED
        TFC_FAILED_PRECONDITION
        TFC_ABORTED
        TFC_OUT_OF_RANGE
        TFC_UNIMPLEMENTED
        TFC_INTERNAL
        TFC_UNAVAILABLE
        TFC_DATA_LOSS
        TFC_PENDING

    enum:
        TFC_REF_READ
        TFC_REF_WRITE
        TFC_REF_MAYBE_UNINITIALIZED
        TFC_REF_REPLACE
        TFC_REF_ROWS
        TFC_REF_POSITIONS
        TFC_REF_ROWS_SHIFT
        TFC_KERNEL_EXPENSIVE
        TFC_KERNEL_ASYNC
        TFC_KERNEL_STATEFUL
        TFC_KERNEL_BLOCKING
        TFC_KERNEL_LEAVES_LOOPS
        TFC_KERNEL_INTERRUPTIBLE
        TFC_MAX_REPORT
        TFC_MAX_REPORT_ARGUMENT
        TFC_OP_STATEFUL
        TFC_OP_COMMUTATIVE

    ctypedef struct tfc_tensor:
        void *data
        void *buffer  # tfc_buffer, opaque: only the runtime looks inside
        int64_t n
        int32_t dtype
        int32_t rank
        int64_t dims[TFC_MAX_RANK]

    ctypedef struct tfc_draw_place:
        uint64_t scope
        int64_t number
        int64_t taken

    ctypedef struct tfc_string:
        char *data
        size_t size

    ctypedef struct tfc_half:
        uint16_t bits

    ctypedef struct tfc_bfloat16:
        uint16_t bits

    ctypedef struct tfc_async:
        pass

    ctypedef struct tfc_function:
        pass

    ctypedef struct tfc_callable:
        pass

    ctypedef struct tfc_object_type:
        size_t bytes
        void (*destroy)(void *) noexcept nogil
        void (*visit)(void *, void (*)(void *, const tfc_tensor *) noexcept nogil, void *) noexcept nogil

    ctypedef void (*tfc_range_fn)(void *, int64_t, int64_t) noexcept nogil

    ctypedef int (*tfc_explain_fn)(const void *, const void *, char *, size_t) noexcept nogil

    ctypedef struct tfc_api:
        int (*output)(tfc_context *, int, int, const int64_t *) noexcept nogil
        int (*output_forward)(tfc_context *, int, int, const int64_t *, int, const int *) noexcept nogil
        int (*output_view)(tfc_context *, int, int, int64_t, int, const int64_t *) noexcept nogil
        int (*output_ref)(tfc_context *, int, int) noexcept nogil
        void *(*scratch)(tfc_context *, size_t) noexcept nogil
        void (*parallel_for)(tfc_context *, int64_t, double, tfc_range_fn, void *) noexcept nogil
        int (*error)(tfc_context *, int, const char *, ...) noexcept nogil
        int (*ref_lock)(tfc_context *, int, const int *, unsigned, tfc_tensor **) noexcept nogil
        void (*ref_unlock)(tfc_context *) noexcept nogil
        int (*ref_assign)(tfc_context *, int, const tfc_tensor *) noexcept nogil
        int (*output_variable)(tfc_context *, int, void *) noexcept nogil
        int (*string_set)(tfc_tensor *, int64_t, const char *, size_t) noexcept nogil
        int (*set_tensor)(tfc_context *, int, const tfc_tensor *) noexcept nogil
        tfc_bool (*cancelled)(tfc_context *) noexcept nogil
        int (*max_threads)(tfc_context *) noexcept nogil
        tfc_async *(*suspend)(tfc_context *) noexcept nogil
        void (*resume)(tfc_async *, int) noexcept nogil
        tfc_bool (*is_initialized)(tfc_context *, int) noexcept nogil
        tfc_context *(*async_context)(tfc_async *) noexcept nogil
        tfc_bool (*on_cancel)(tfc_async *, void (*)(void *) noexcept nogil, void *) noexcept nogil
        tfc_bool (*claim)(tfc_async *) noexcept nogil
        int (*output_object)(tfc_context *, int, const tfc_object_type *, void **) noexcept nogil
        int (*make)(tfc_context *, tfc_tensor *, int, const int64_t *) noexcept nogil
        void (*hold)(tfc_tensor *, const tfc_tensor *) noexcept nogil
        void (*let_go)(tfc_tensor *) noexcept nogil
        tfc_bool (*exclusive)(const tfc_tensor *) noexcept nogil
        void (*on_low_memory)(int64_t (*)(int64_t) noexcept nogil) noexcept nogil
        int (*keep)(tfc_context *, tfc_tensor *, const tfc_tensor *) noexcept nogil
        int (*launch)(tfc_context *, const tfc_function *, const uint32_t *, const uint32_t *, uint32_t, const void *,
                      size_t) noexcept nogil
        int (*fill)(tfc_context *, void *, int, size_t) noexcept nogil
        int (*copy)(tfc_context *, void *, const void *, size_t) noexcept nogil
        int (*upload)(tfc_context *, void *, const void *, size_t) noexcept nogil
        void *(*report_to)(tfc_context *, size_t, tfc_explain_fn, const void *, size_t) noexcept nogil
        void *(*stream)(tfc_context *) noexcept nogil
        tfc_context *(*begin_inner)(tfc_context *) noexcept nogil
        void (*end_inner)(tfc_context *) noexcept nogil
        int (*take_error)(tfc_context *, char **) noexcept nogil
        void (*cancel_inner)(tfc_context *) noexcept nogil
        tfc_bool (*spawn)(void (*)(tfc_context *, void *) noexcept nogil, void *) noexcept nogil
        int (*call)(tfc_context *, tfc_callable *, tfc_tensor *, tfc_tensor *) noexcept nogil
        void (*hold_callable)(tfc_callable *) noexcept nogil
        void (*drop_callable)(tfc_callable *) noexcept nogil
        int (*number_calls)(tfc_context *, uint64_t, int64_t) noexcept nogil
        uint64_t (*new_scope)(tfc_context *) noexcept nogil
        int (*draw)(tfc_context *, const void *, int64_t, tfc_draw_place *) noexcept nogil

    ctypedef struct tfc_context:
        const tfc_api *api
        const tfc_tensor **inputs
        tfc_tensor *outputs
        void *state
        int32_t n_inputs
        int32_t n_outputs
        int64_t step_id

    ctypedef struct tfc_create_api:
        int (*attr_bool)(tfc_construction *, const char *, tfc_bool *) noexcept
        int (*attr_int)(tfc_construction *, const char *, int64_t *) noexcept
        int (*attr_float)(tfc_construction *, const char *, double *) noexcept
        int (*attr_type)(tfc_construction *, const char *, int32_t *) noexcept
        int (*attr_string)(tfc_construction *, const char *, const char **, size_t *) noexcept
        int (*attr_ints)(tfc_construction *, const char *, int, int64_t *, int *) noexcept
        int (*attr_floats)(tfc_construction *, const char *, int, double *, int *) noexcept
        int (*attr_types)(tfc_construction *, const char *, int, int32_t *, int *) noexcept
        int (*attr_strings)(tfc_construction *, const char *, int, const char **, size_t *, int *) noexcept
        int (*attr_shape)(tfc_construction *, const char *, int *, int64_t *) noexcept
        int (*attr_tensor)(tfc_construction *, const char *, tfc_tensor *) noexcept
        int (*error)(tfc_construction *, int, const char *, ...) noexcept
        int (*resource)(tfc_construction *, const char *, const char *, const char *, void *(*)(void *) noexcept nogil,
                        void *, void (*)(void *) noexcept nogil, void **) noexcept
        int (*variable)(tfc_construction *, const char *, const char *, int32_t, void **) noexcept
        int (*function)(tfc_construction *, const char *, const char *, const tfc_function **) noexcept
        int (*attr_shapes)(tfc_construction *, const char *, int, int *, int64_t *, int *) noexcept
        int (*callable)(tfc_construction *, const char *, tfc_callable **, int *, int *) noexcept

    ctypedef struct tfc_construction:
        const tfc_create_api *api
        const char *op_name
        const char *op_type
        int32_t n_inputs
        int32_t n_outputs
        const int32_t *input_dtypes
        const int32_t *output_dtypes

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

    int tfc_output(tfc_context *, int, int, const int64_t *)
    int tfc_output_like(tfc_context *, int, const tfc_tensor *)
    int tfc_output_scalar(tfc_context *, int)
    int tfc_output_forward(tfc_context *, int, int, const int64_t *, int, const int *)
    int tfc_output_view(tfc_context *, int, int, int64_t, int, const int64_t *)
    int tfc_output_input(tfc_context *, int, int)
    int tfc_output_ref(tfc_context *, int, int)
    int tfc_output_tensor(tfc_context *, int, const tfc_tensor *)
    void *tfc_scratch(tfc_context *, size_t)
    void tfc_parallel_for(tfc_context *, int64_t, double, tfc_range_fn, void *)
    int tfc_error(tfc_context *, int, const char *, ...)
    int tfc_ref_lock(tfc_context *, int, const int *, unsigned, tfc_tensor **)
    void tfc_ref_unlock(tfc_context *)
    unsigned tfc_ref_rows(int, tfc_bool)
    int tfc_ref_assign(tfc_context *, int, const tfc_tensor *)
    int tfc_output_object(tfc_context *, int, const tfc_object_type *, void **)
    int tfc_make(tfc_context *, tfc_tensor *, int, const int64_t *)
    void tfc_hold(const tfc_api *, tfc_tensor *, const tfc_tensor *)
    void tfc_let_go(const tfc_api *, tfc_tensor *)
    int tfc_keep(tfc_context *, tfc_tensor *, const tfc_tensor *)
    int tfc_launch_function(tfc_context *, const tfc_function *, const uint32_t *, const uint32_t *, uint32_t,
                            const void *, size_t)
    int tfc_device_fill(tfc_context *, void *, int, size_t)
    int tfc_device_copy(tfc_context *, void *, const void *, size_t)
    int tfc_device_upload(tfc_context *, void *, const void *, size_t)
    void *tfc_report_to(tfc_context *, size_t, tfc_explain_fn, const void *, size_t)
    void *tfc_device_stream(tfc_context *)
    tfc_context *tfc_begin_inner(tfc_context *)
    void tfc_end_inner(tfc_context *)
    int tfc_take_error(tfc_context *, char **)
    void tfc_cancel_inner(const tfc_api *, tfc_context *)
    tfc_bool tfc_spawn_inner(const tfc_api *, void (*)(tfc_context *, void *) noexcept nogil, void *)
    int tfc_invoke(tfc_context *, tfc_callable *, tfc_tensor *, tfc_tensor *)
    void tfc_hold_callable(const tfc_api *, tfc_callable *)
    void tfc_drop_callable(const tfc_api *, tfc_callable *)
    int tfc_number_calls(tfc_context *, uint64_t, int64_t)
    uint64_t tfc_new_scope(tfc_context *)
    int tfc_draw(tfc_context *, const void *, int64_t, tfc_draw_place *)
    tfc_bool tfc_exclusive(const tfc_api *, const tfc_tensor *)
    void tfc_on_low_memory(const tfc_api *, int64_t (*)(int64_t) noexcept nogil)
    tfc_bool tfc_cancelled(tfc_context *)
    tfc_async *tfc_suspend(tfc_context *)
    tfc_context *tfc_async_context(const tfc_api *, tfc_async *)
    tfc_bool tfc_on_cancel(const tfc_api *, tfc_async *, void (*)(void *) noexcept nogil, void *)
    tfc_bool tfc_claim(const tfc_api *, tfc_async *)
    void tfc_resume(const tfc_api *, tfc_async *, int)
    int tfc_string_set(tfc_context *, tfc_tensor *, int64_t, const char *, size_t)
    size_t tfc_dtype_size(int32_t)
    tfc_bool tfc_is_object(int32_t)
    int64_t tfc_index_at(const tfc_tensor *, int64_t)
