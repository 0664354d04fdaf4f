from tfcore.core.step cimport PlanArrays, StepState

cdef class Plan:
    cdef PlanArrays a
    cdef StepState *free_states
    cdef public bint dynamic
    cdef readonly bint waits          # some kernel suspends or blocks: the plan is always dynamic
    cdef readonly bint meets          # values go through the rendezvous, or other tasks take part
    cdef readonly bint flows          # it has loops or conditionals: always dynamic
    cdef public bint offers           # with control flow: nodes are worth being run by several threads
    cdef list slot_frames
    cdef readonly list frame_names
    cdef readonly list peers          # ranks of tasks whose partitions it runs
    cdef readonly bint needs_admission # never waits for another step: no suspending or blocking kernels, none of users
    cdef bint all_own                 # no kernels of users, none with state
    cdef public bint keeps_gil      # so short that giving the GIL away costs more than it lets others do
    cdef public int runs
    cdef public bint uses_threads   # some kernel offered work to other threads while it was timed
    cdef readonly list fetch_reads
    cdef readonly list ops          # per node: what errors name
    cdef readonly list inner_ops    # of fused loops, numbered after those of `ops`
    cdef readonly list kernels      # keeps kernel instances alive
    cdef readonly list feed_names
    cdef readonly list feed_dims
    cdef readonly list feed_dtypes
    cdef readonly list feed_np_dtypes
    cdef StepState *acquire(self) except NULL
    cdef void release(self, StepState *s) noexcept
    cdef bint is_quick(self) noexcept
