"""What a step run in pieces (`partial`) shares with whole steps."""

from tfcore.core.plan cimport Plan
from tfcore.core.step cimport PlanArrays, StepState, tfc_step

cdef class RunControl:
    cdef tfc_step *first            # under the GIL: steps that have begun and not ended
    cdef readonly bint closed
    cdef readonly object variables
    cdef readonly object find_op
    cdef object drained             # a Condition: some step has ended

cdef tfc_step *begin_step(int max_threads, RunControl control) except NULL
cdef int end_step(tfc_step *step, RunControl control) except -1
cdef int feed_slot(Plan plan, StepState *s, int i, value) except -1
cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil
cdef object read_variable(Plan plan, StepState *s, int slot)
