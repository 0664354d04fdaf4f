"""Messages between tasks, for Cython modules: declares fabric.h."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from tfcore.core.runtime cimport TFC_MAX_RANK, bool, tfc_tensor

cdef extern from "fabric/fabric.h" nogil:
    enum:
        TFC_MSG_CALL
        TFC_MSG_REPLY
        TFC_MSG_REPLICA
        TFC_MSG_KINDS
        TFC_MSG_LOST

    ctypedef struct tfc_message:
        uint32_t size
        uint16_t kind
        uint16_t flags
        int32_t source
        int32_t code
        int64_t step
        uint64_t edge
        uint64_t frame
        int64_t iteration
        int64_t bytes
        uint64_t token
        int32_t dtype
        int32_t rank
        int64_t dims[TFC_MAX_RANK]

    int tfc_rank_here()
    int tfc_size_here()
    int tfc_send(int, tfc_message *, const tfc_tensor *)
    int tfc_send_to(int, uint32_t, tfc_message *, const tfc_tensor *)
    int tfc_publish(int, uint32_t, tfc_message *, const tfc_tensor *, bool, bool *)
    bool tfc_is_alive(int)
    uint32_t tfc_incarnation_of(int)
    int tfc_generation_of(int)
    void tfc_fail_incarnation(int, uint32_t, const char *)
    int tfc_failure_code()
    void tfc_name_task(int, char *, size_t)
    void tfc_describe(int, char *, size_t)
    char *tfc_failure(int)
    bool tfc_poll()
    void tfc_answer(int, uint32_t, tfc_message *, const tfc_tensor *)

cdef void doorbell_rang() noexcept nogil  # a task on another host has sent a message

cdef extern from "fabric/link.h" nogil:
    ctypedef struct tfc_doorbell:
        void (*ring)(void *, int) noexcept nogil
        bool (*works)(void *, int) noexcept nogil
        void *doorbell

cdef class Doorbell:
    cdef tfc_doorbell c
