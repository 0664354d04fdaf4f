"""Shared by whole steps, steps that run in pieces (`partial`) and steps that run for other tasks."""

from libc.stdint cimport int64_t

from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport Plan
from tfcore.core.step.step cimport PlanArrays, StepState, tfc_step

cdef class RunControl:
    cdef tfc_step *first            # under the GIL: steps that have begun and not ended
    cdef readonly bint closed
    cdef readonly object variables
    cdef readonly object find_op
    cdef readonly bint replays      # parts of steps on GPUs may be recorded and replayed
    cdef object drained             # a Condition: some step has ended
    cdef readonly dict ends         # name of a queue -> why nothing more comes into it

cdef class Step:
    cdef Plan plan
    cdef RunControl control
    cdef Observer observer          # None: it is not observed
    cdef int max_threads, inter_op_threads
    cdef int64_t timeout_ms         # 0: none
    cdef bint in_background
    cdef tfc_step *c                # NULL until it has begun
    cdef StepState *s               # its values; NULL until they are fed
    cdef bint dynamic, fetched
    cdef bint learns                # its times count in how the plan will run
    cdef int runs                   # of the plan, this one included

    cdef int begin(self) except -1
    cdef int feed(self, feeds) except -1
    cdef int execute(self) except -1
    cdef int conclude(self) except -1
    cdef list fetch(self)
    cdef int end(self) except -1
    cdef int observe(self) except -1
    cdef int profile(self) except -1
    cdef int choose_order(self) except -1

cdef Step new_step(Plan plan, int max_threads, int inter_op_threads, RunControl control)
cdef int feed_slot(Plan plan, StepState *s, int i, value, RunControl control) except -1
cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil
cdef object read_variable(Plan plan, StepState *s, int slot)
