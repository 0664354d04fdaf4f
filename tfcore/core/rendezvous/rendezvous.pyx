"""The rendezvous for Python: registers the kernels of _Send and _Recv, and lets tests put and take values."""

import os

from libc.stdint cimport int64_t, uint64_t

from tfcore.core.registry.registry cimport add_internal_kernel
from tfcore.core.rendezvous.rendezvous cimport *
from tfcore.core.runtime cimport *
from tfcore.core.memory.tensor cimport TensorValue, tensor_to_numpy


cdef int _i
for _i in range(TFC_TRANSFERS):
    add_internal_kernel(&tfc_transfer_kernels[_i])


def _after_fork():
    tfc_rendezvous_after_fork()


os.register_at_fork(after_in_child=_after_fork)  # after that of runtime.pyx, which is imported before


cdef tfc_key key_of(int64_t step, uint64_t edge, uint64_t frame, int64_t iteration) noexcept:
    cdef tfc_key key
    key.step, key.edge, key.frame, key.iteration = step, edge, frame, iteration
    return key


def first_step(int rank, int generation):
    """The number before the first step of a master: of the process that took its place again as the `generation`-th."""
    if not (0 <= rank < TFC_MAX_TASKS and 0 <= generation <= TFC_MAX_GENERATION):
        raise ValueError(
            f"The numbers of steps have room for {TFC_MAX_TASKS} ranks and generations up to {TFC_MAX_GENERATION}, not "
            f"for rank {rank} and generation {generation}"
        )
    return tfc_first_step(rank, generation)


def put(int64_t step, uint64_t edge, array, bint dead=False, uint64_t frame=0, int64_t iteration=0):
    """Delivers a value, as a `_Send` does."""
    cdef TensorValue held = TensorValue.from_numpy(array)
    cdef tfc_tensor value = held.t
    cdef tfc_key key = key_of(step, edge, frame, iteration)
    if value.buffer != NULL:
        tfc_buffer_ref(buffer_of(&value))
    with nogil:
        tfc_rendezvous_put(&key, &value, dead, NULL)


cdef extern from *:
    """
    #define count_up(p) __atomic_add_fetch(p, 1, __ATOMIC_RELAXED)
    #define load_count(p) __atomic_load_n(p, __ATOMIC_RELAXED)
    """
    void count_up(int *) nogil
    int load_count(int *) nogil


cdef struct offered:
    tfc_offer offer  # must be first
    int answers[2]  # atomic: how often the answer was no, and yes


cdef void note_answer(tfc_offer *o, bool wanted) noexcept nogil:
    count_up(&(<offered *>o).answers[<int>wanted])


cdef class Offer:
    """The offer of a value, for tests. Keep it until it is answered: the rendezvous has a pointer to it."""

    cdef offered c

    def __init__(self, int64_t step, uint64_t edge, uint64_t frame=0, int64_t iteration=0):
        self.c.offer.answer = note_answer
        self.c.offer.key = key_of(step, edge, frame, iteration)
        tfc_rendezvous_offer(&self.c.offer)

    @property
    def answer(self):
        """Whether the value is wanted; None: there is no answer yet."""
        no, yes = load_count(&self.c.answers[0]), load_count(&self.c.answers[1])
        if no + yes > 1:
            raise AssertionError("it was answered twice")
        return yes == 1 if no + yes else None


def try_take(int64_t step, uint64_t edge, uint64_t frame=0, int64_t iteration=0):
    """(value, whether it is dead) if the value is there, otherwise None."""
    cdef tfc_tensor value
    cdef bool dead = False
    cdef tfc_key key = key_of(step, edge, frame, iteration)
    if not tfc_rendezvous_try_take(&key, &value, &dead):
        return None
    try:
        return tensor_to_numpy(&value, False), dead != 0
    finally:
        tfc_tensor_clear(&value)


def abort_step(int64_t step, int code, str message):
    text = message.encode()
    cdef const char *data = text
    with nogil:
        tfc_rendezvous_abort_step(step, code, data)


def abort_steps(int64_t first, int64_t last, int code, str message):
    text = message.encode()
    cdef const char *data = text
    with nogil:
        tfc_rendezvous_abort_steps(first, last, code, data)


def abort_peer(int peer, int code, str message=""):
    text = message.encode()
    cdef const char *data = text
    with nogil:
        tfc_rendezvous_abort_peer(peer, code, data)


def end_step(int64_t step):
    with nogil:
        tfc_rendezvous_end_step(step)


def count():
    """The numbers of steps, values, waiters and offers in the rendezvous."""
    cdef int64_t counts[4]
    tfc_rendezvous_count(counts)
    return counts[0], counts[1], counts[2], counts[3]
