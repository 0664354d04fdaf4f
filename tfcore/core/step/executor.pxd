"""Shared by whole steps, steps that run in pieces (`partial`) and steps that run for other tasks."""

from libc.stdint cimport int64_t

from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport Plan
from tfcore.core.step.step cimport PlanArrays, StepState, tfc_dynamic, tfc_step

ctypedef bint (*step_began)(void *arg, tfc_step *step) noexcept nogil
ctypedef void (*step_ended)(void *arg) noexcept nogil

cdef class RunControl:
    cdef tfc_step *first            # under the GIL: steps that have begun and not ended
    cdef readonly bint closed
    cdef readonly object variables
    cdef readonly object find_op
    cdef readonly bint replays      # parts of steps on GPUs may be recorded and replayed
    cdef object drained             # a Condition: some step has ended

cdef tfc_step *begin_step(int max_threads, RunControl control) except NULL
cdef int end_step(tfc_step *step, RunControl control) except -1
cdef int feed_slot(Plan plan, StepState *s, int i, value, RunControl control) except -1
cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil
cdef object read_variable(Plan plan, StepState *s, int slot)

cdef class StepForMaster:
    cdef Plan plan
    cdef RunControl control
    cdef Observer observer
    cdef Observer learner
    cdef int runs, max_threads, inter_op_threads
    cdef bint in_background
    cdef tfc_step *step
    cdef StepState *s

    cdef tfc_dynamic *begin(self, int64_t id, step_began began, void (*resume)(void *) noexcept nogil,
                            void *arg) except? NULL
    cdef object end(self, error, step_ended ended, void *arg)
    cdef int _profile(self) except -1
    cdef int _conclude(self) except -1
