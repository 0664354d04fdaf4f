"""What a step run in pieces (`partial`) shares with whole steps."""

from tfcore.core.plan cimport Plan, PlanArrays, StepState
from tfcore.core.runtime cimport tfc_step

cdef void new_step(tfc_step *step, int max_threads) noexcept
cdef int feed_slot(Plan plan, StepState *s, int i, value) except -1
cdef void run_pending(const PlanArrays *plan, StepState *s, tfc_step *step, int n_nodes) noexcept nogil
cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil
cdef object read_variable(Plan plan, StepState *s, int slot)
cdef object step_error(Plan plan, tfc_step *step)
