"""C declarations of the rendezvous (rendezvous.h)."""

from libc.stdint cimport int64_t, uint64_t

from tfcore.core.runtime cimport *

cdef extern from "rendezvous/rendezvous.h" nogil:
    enum:
        TFC_TRANSFERS
        TFC_MAX_TASKS
        TFC_MAX_GENERATION
    int64_t tfc_first_step(int, int)
    int64_t tfc_next_step(int64_t)
    int tfc_step_rank(int64_t)

    ctypedef struct tfc_key:
        int64_t step
        uint64_t edge
        uint64_t frame
        int64_t iteration

    ctypedef struct tfc_waiter:
        void (*ready)(tfc_waiter *, int, const char *, tfc_tensor *, bool) noexcept nogil
        tfc_key key
        int peer
        tfc_waiter *next
        tfc_waiter *previous
        bool waits
        bool forgotten

    ctypedef struct tfc_charge:
        pass

    ctypedef struct tfc_offer:
        void (*answer)(tfc_offer *, bool) noexcept nogil
        tfc_key key

    ctypedef struct tfc_rendezvous:
        void (*offer)(tfc_offer *) noexcept nogil
        void (*put)(const tfc_key *, tfc_tensor *, bool, const tfc_charge *) noexcept nogil
        bool (*try_take)(const tfc_key *, tfc_tensor *, bool *) noexcept nogil
        void (*take)(tfc_waiter *) noexcept nogil
        bool (*forget)(tfc_waiter *) noexcept nogil
        void (*abort_step)(int64_t, int, const char *) noexcept nogil
        void (*abort_steps)(int64_t, int64_t, int, const char *) noexcept nogil
        void (*abort_peer)(int, int, const char *) noexcept nogil
        void (*end_step)(int64_t) noexcept nogil
        void (*abandon)(int, int64_t) noexcept nogil
        void (*count)(int64_t *) noexcept nogil
        void (*after_fork)() noexcept nogil
