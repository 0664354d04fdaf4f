from libc.stdint cimport int64_t

from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport Plan
from tfcore.core.step.step cimport StepState, tfc_step

cdef object step_error(Plan plan, StepState *s, tfc_step *step, Observer observer, control, int64_t timeout_ms)
cdef str memory_holders(Plan plan, StepState *s, tfc_step *step, control)
