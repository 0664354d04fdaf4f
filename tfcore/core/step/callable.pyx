"""Functions of the graph that kernels call (callable.c): a plan, compiled from the body of a function."""

from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t
from libc.string cimport strdup

from tfcore.core.runtime cimport *
from tfcore.core.step.plan cimport Plan
from tfcore.core.step.step cimport *

from tfcore.framework import errors

cdef extern from "step/callable.h" nogil:
    ctypedef struct tfc_callable_hooks:
        StepState *(*make_state)(void *) noexcept nogil
        void (*destroy)(void *, StepState *) noexcept nogil
        char *(*describe)(void *, const tfc_step *, int64_t) noexcept nogil

    void tfc_set_callable_hooks(const tfc_callable_hooks *)
    tfc_callable *tfc_callable_new(const PlanArrays *, void *)
    void tfc_callable_drop(tfc_callable *)


cdef StepState *make_state(void *owner) noexcept with gil:
    try:
        return (<Plan>owner).acquire()
    except MemoryError:
        return NULL


cdef void destroy(void *owner, StepState *states) noexcept with gil:
    cdef Plan plan = <Plan>owner
    cdef StepState *next
    while states != NULL:
        next = states.next
        plan.release(states)
        states = next
    Py_DECREF(plan)


cdef char *describe(void *owner, const tfc_step *step, int64_t around) noexcept with gil:
    try:
        cause, text = errors.take_cause(step.id, step.node)
        if around and cause is not None and not isinstance(cause, Exception):
            errors.note_cause(around, -1, cause, text)
        if not text and step.message != NULL:
            text = step.message.decode(errors="replace")
        if step.node >= 0:
            text += errors.location((<Plan>owner).op(step.node))
        return strdup(text.encode(errors="replace"))
    except BaseException:  # a second Ctrl-C, for example: the message stays as it is
        return NULL


cdef tfc_callable_hooks hooks = [make_state, destroy, describe]
tfc_set_callable_hooks(&hooks)


cdef class Callable:
    """A Plan that kernels may call. It lives on while one of their objects holds it."""

    def __init__(self, Plan plan not None):
        Py_INCREF(plan)
        self.n_inputs, self.n_outputs = plan.a.n_feeds, plan.a.n_fetches
        self.pointer = tfc_callable_new(&plan.a, <void *>plan)
        if self.pointer == NULL:
            Py_DECREF(plan)
            raise MemoryError()

    def __dealloc__(self):
        if self.pointer != NULL:
            tfc_callable_drop(self.pointer)

    @property
    def address(self):
        """Of the tfc_callable."""
        return <size_t>self.pointer
