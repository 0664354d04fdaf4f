"""What Cython modules use of the rendezvous (rendezvous.h)."""

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

    ctypedef struct tfc_charge:
        pass

    ctypedef struct tfc_offer:
        void (*answer)(tfc_offer *, bool) noexcept nogil
        tfc_key key

    void tfc_rendezvous_put(const tfc_key *, tfc_tensor *, bool, const tfc_charge *)
    void tfc_rendezvous_offer(tfc_offer *)
    bool tfc_rendezvous_try_take(const tfc_key *, tfc_tensor *, bool *)
    void tfc_rendezvous_abort_step(int64_t, int, const char *)
    void tfc_rendezvous_abort_steps(int64_t, int64_t, int, const char *)
    void tfc_rendezvous_abort_peer(int, int, const char *)
    void tfc_rendezvous_end_step(int64_t)
    void tfc_rendezvous_count(int64_t *)
    void tfc_rendezvous_after_fork()

    ctypedef struct tfc_fabric_hooks:
        void (*abandon)(int, int64_t) noexcept nogil

    tfc_fabric_hooks tfc_between_tasks
    const tfc_kernel_def tfc_transfer_kernels[TFC_TRANSFERS]
