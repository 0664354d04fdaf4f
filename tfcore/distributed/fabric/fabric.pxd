"""Messages between tasks, for Cython modules: declares fabric.h."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t

from tfcore.core.runtime cimport TFC_MAX_RANK, bool, tfc_tensor

cdef extern from "fabric/fabric.h" nogil:
    enum:
        TFC_MSG_RELEASE
        TFC_MSG_CALL
        TFC_MSG_REPLY
        TFC_MSG_TENSOR
        TFC_MSG_RUN
        TFC_MSG_DONE
        TFC_MSG_CANCEL
        TFC_MSG_COLLECTIVE
        TFC_MSG_BEAT
        TFC_MSG_FAILED
        TFC_MSG_LEAVE
        TFC_MSG_REPLICA
        TFC_MSG_REPLICA_ACK
        TFC_MSG_RESTORE
        TFC_MSG_KINDS
        TFC_MSG_DEAD
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
        uint32_t source_incarnation
        uint32_t target_incarnation
        int64_t bytes
        int64_t offset
        uint64_t token
        int32_t dtype
        int32_t rank
        int64_t dims[TFC_MAX_RANK]

    ctypedef void (*tfc_handler)(const tfc_message *, tfc_tensor *) noexcept nogil
    ctypedef void (*tfc_failure_fn)(int) noexcept nogil

    ctypedef struct tfc_fabric:
        int (*rank)() noexcept nogil
        int (*size)() noexcept nogil
        void (*on)(int, tfc_handler) noexcept nogil
        void (*on_failure)(tfc_failure_fn) noexcept nogil
        int (*send)(int, tfc_message *, const tfc_tensor *) noexcept nogil
        int (*send_to)(int, uint32_t, tfc_message *, const tfc_tensor *) noexcept nogil
        int (*publish)(int, uint32_t, tfc_message *, const tfc_tensor *, bool ring, bool *published) noexcept nogil
        bool (*alive)(int) noexcept nogil
        uint32_t (*incarnation)(int) noexcept nogil
        int (*generation)(int) noexcept nogil
        void (*fail)(int, const char *) noexcept nogil
        int (*failure_code)() noexcept nogil
        void (*describe)(int, char *, size_t) noexcept nogil
        char *(*failure)(int) noexcept nogil
        void (*exclude)(const char *) noexcept nogil
        int64_t (*heartbeat)(int) noexcept nogil
        bool (*poll)() noexcept nogil
        bool (*defer)(void (*)(void *) noexcept nogil, void *) noexcept nogil

    void tfc_answer(const tfc_fabric *, int, uint32_t, tfc_message *, const tfc_tensor *)

cdef const tfc_fabric *fabric() noexcept

cdef void doorbell_rang() noexcept nogil  # a task on another host has sent a message

cdef extern from "fabric/link.h" nogil:
    ctypedef struct tfc_doorbell:
        void (*ring)(void *, int) noexcept nogil
        bool (*works)(void *, int) noexcept nogil
        void *doorbell

cdef class Doorbell:
    cdef tfc_doorbell c
