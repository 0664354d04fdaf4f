"""What queues and input pipelines of this process hold, and for what they wait: kernels_c/common/statistics.h."""

from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport free

from tfcore.core.registry.registry import library_function

cdef extern from "stdbool.h":
    ctypedef bint cbool "bool"

cdef extern from "registry/statistics.h" nogil:
    ctypedef struct stage_counts:
        int64_t capacity, filled, workers, calling, elements, empty
        int64_t consumer_ns, room_ns, input_ns, function_ns, damaged
    ctypedef struct statistics_stage:
        int64_t iterator, taken, taking_ns
        char *iterator_name
        char *name
        const char *kind
        int64_t depth
        cbool counted
        stage_counts counts
    ctypedef struct statistics_queue:
        char *name
        const char *type
        int64_t elements, capacity, dequeues, enqueues
    ctypedef struct statistics_functions:
        statistics_stage *(*stages)(int64_t *) noexcept nogil
        statistics_queue *(*queues)(int64_t *) noexcept nogil

cdef const statistics_functions *_functions = NULL


cdef const statistics_functions *functions() except NULL:
    global _functions
    if _functions == NULL:
        _functions = <const statistics_functions *><uintptr_t>library_function("statistics_functions_table")()
    return _functions


cdef str text(const char *name):
    return name.decode("utf-8", "replace")


def queues():
    """The queues, as a list of dicts.

    Returns:
      A list of dicts with name, type, elements, capacity, and the dequeues and enqueues that wait.
    """
    cdef const statistics_functions *f = functions()
    cdef statistics_queue *found
    cdef int64_t n, i
    with nogil:
        found = f.queues(&n)
    try:
        return [
            {
                "name": text(found[i].name),
                "type": text(found[i].type),
                "elements": found[i].elements,
                "capacity": found[i].capacity,
                "dequeues": found[i].dequeues,
                "enqueues": found[i].enqueues,
            }
            for i in range(n)
        ]
    finally:
        free(found)


def stages():
    """The datasets of all iterators: those of one are neighbours, and begin with what it gives.

    Returns:
      A list of dicts with iterator (its number), iterator_name, taken (elements) and taking_ns (of the iterator), name,
      kind, depth, and counts: a dict, or None.
    """
    cdef const statistics_functions *f = functions()
    cdef statistics_stage *found
    cdef int64_t n, i
    with nogil:
        found = f.stages(&n)
    try:
        return [
            {
                "iterator": found[i].iterator,
                "taken": found[i].taken,
                "taking_ns": found[i].taking_ns,
                "iterator_name": text(found[i].iterator_name),
                "name": text(found[i].name),
                "kind": text(found[i].kind),
                "depth": found[i].depth,
                "counts": found[i].counts if found[i].counted else None,
            }
            for i in range(n)
        ]
    finally:
        free(found)
