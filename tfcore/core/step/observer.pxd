from libc.stdint cimport int64_t

from tfcore.core.step.plan cimport Plan
from tfcore.core.step.step cimport Observation, StepState, tfc_node_event, tfc_slot_event

cdef class Observer:
    cdef Observation o
    cdef readonly Plan plan
    cdef readonly list feed_times
    cdef readonly list fetch_times
    cdef readonly object caller
    cdef readonly object wall_ns
    cdef readonly object step_id
    cdef object watcher
    cdef readonly object watch_error
    cdef int look(self, int64_t step_id, StepState *s) except -1
    cdef int note_feed(self, const StepState *s, int i) except -1
    cdef int learn_times(self) except -1
    cdef list _nodes_of(self, const tfc_node_event *events, const tfc_slot_event *slots, int first, int n,
                        int first_slot, int64_t base)
