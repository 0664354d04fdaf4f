from libc.stdint cimport uint8_t

from tfcore.core.step.step cimport PlanArrays, StepState

cdef enum:
    TFC_FETCH_READ = 1   # a reference to a variable, which is read when the step ends
    TFC_FETCH_KEEP = 2   # the value stays on its device
    TFC_FETCH_AGAIN = 4  # a later fetch is of the same value
    TFC_FETCH_FED = 8    # the value belongs to the caller

cdef class Plan:
    cdef object __weakref__
    cdef PlanArrays a
    cdef StepState *free_states
    cdef public bint dynamic
    cdef readonly bint waits            # a kernel suspends or blocks: always dynamic
    cdef readonly bint meets            # uses the rendezvous, or other tasks take part
    cdef readonly bint flows            # has loops or conditionals: always dynamic
    cdef public bint offers             # where it flows or waits: running nodes on several threads pays off
    cdef list slot_frames
    cdef readonly list frame_names
    cdef readonly list peers            # ranks of the tasks whose partitions it runs
    cdef readonly bint needs_admission  # never waits for another step: no users' kernels, none suspends or blocks
    cdef readonly bint has_state        # some kernels have state that belongs to a session
    cdef bint all_own                   # no users' kernels, and none has state
    cdef public bint keeps_gil          # so short that releasing the GIL costs more than it gains
    cdef public int runs
    cdef public bint uses_threads       # a kernel offered work to other threads while it was timed
    cdef uint8_t *fetch_kinds           # by fetch: bits of those above
    cdef readonly list feed_stays       # by feed: may be in a device's memory, as only `_Send`s take it
    cdef readonly list ops              # by node: the operation named in errors
    cdef readonly list inner_ops        # of fused loops, numbered after those of `ops`
    cdef readonly list kernels          # keeps kernel instances alive
    cdef readonly list feed_names
    cdef readonly list feed_ops         # by feed: the operation that it is an output of
    cdef readonly list feed_dims
    cdef readonly list feed_dtypes
    cdef readonly list feed_np_dtypes
    cdef StepState *acquire(self) except NULL
    cdef void release(self, StepState *s) noexcept
    cdef bint is_quick(self) noexcept
