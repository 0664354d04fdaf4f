# distutils: extra_compile_args = -O3
"""Runs plans. Once the fed values are in place, a step needs no GIL until its results are fetched.

A plan runs in one of two ways, with the same results, and may be observed in both:
 - serial (run.c), the default: one thread runs the nodes in plan order; kernels still use all cores through
   parallel_for.
 - dynamic (dynamic.c): nodes go to a ready list as soon as their inputs exist; the caller and helpers from the pool
   work through it together. Used if measured times show that independent nodes leave cores idle, and for kernels that
   suspend or block.

A StepState and a tfc_step belong to one running step; both are acquired and released with the GIL held.
"""

import os
import threading
import time

from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

from tfcore.core.step.failure cimport memory_holders, step_error
from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport TFC_FETCH_KEEP, TFC_FETCH_READ, Plan
from tfcore.core.rendezvous.rendezvous cimport (
    tfc_between_tasks, tfc_next_step, tfc_rendezvous_abort_step, tfc_rendezvous_end_step)
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *
from tfcore.core.memory.tensor cimport TensorValue, feed, tensor_to_numpy

from tfcore.framework import errors

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() nogil

cdef int64_t next_step = 0
cdef unsigned long main_thread = threading.main_thread().ident

cdef enum:
    PROFILED_RUNS = 8   # runs after the first whose nodes are timed to choose between serial and dynamic
    FEW_BYTES = 4096    # of feeds; more make a step give up the GIL
    DRAIN_MS = 50
    LONG_NS = 5000      # of a node; handing it over costs half a microsecond or more


def _after_fork():
    global main_thread
    main_thread = threading.main_thread().ident


os.register_at_fork(after_in_child=_after_fork)


# ---- Signals

cdef void look_for_signals(tfc_step *step) noexcept nogil:
    """Runs Python's signal handlers; an exception in one ends the step."""
    with gil:
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            Py_INCREF(error)
            step.interrupt = <void *>error
    if step.interrupt != NULL:
        tfc_step_cancel(step, TFC_CANCELLED)


tfc_set_signal_hook(look_for_signals)


# ---- The running steps of a session

cdef class RunControl:
    """The running steps of one session, so that closing it can end them.

    variables: function returning [(name, bytes, address)] of the session's variables. find_op: function from a name to
    the operation, or None. replays: whether parts of steps may be recorded and replayed. running: the number of steps.
    """

    def __init__(self, variables, find_op, bint replays=True):
        self.variables = variables
        self.find_op = find_op
        self.replays = replays
        self.drained = threading.Condition()

    def cancel(self):
        """Ends all running steps with CancelledError, as soon as their kernels return."""
        cdef tfc_step *step = self.first
        cdef list marked = []
        while step != NULL:  # no step ends meanwhile: that needs the GIL
            tfc_step_mark(step, TFC_CANCELLED)
            marked.append(<size_t>step)
            step = step.next
        for address in marked:
            step = <tfc_step *><size_t>address
            with nogil:  # a kernel's lock may be held by a thread that waits for the GIL
                tfc_cancel_waiting(step)

    def close(self, most_seconds=None):
        """Cancels all steps and refuses new ones; returns when those of other threads have ended, or after a time."""
        end = None if most_seconds is None else time.monotonic() + most_seconds
        self.closed = True
        self.cancel()
        with self.drained:
            while self._others() and (end is None or time.monotonic() < end):
                self.drained.wait(DRAIN_MS / 1000)

    def _others(self):
        cdef tfc_step *step = self.first
        while step != NULL and step.caller_id == PyThread_get_thread_ident():
            step = step.next
        return step != NULL

    @property
    def running(self):
        cdef tfc_step *step = self.first
        cdef int n = 0
        while step != NULL:
            n += 1
            step = step.next
        return n


cdef tfc_step *begin_step(int max_threads, RunControl control) except NULL:
    global next_step
    cdef tfc_step *step
    cdef unsigned long me = PyThread_get_thread_ident()
    if control is not None and control.closed:
        raise errors.CancelledError(None, None, "Session has been closed.")
    next_step = tfc_next_step(next_step)
    step = tfc_step_begin(next_step, max_threads, me == main_thread)
    if step == NULL:
        raise MemoryError()
    step.caller_id = me
    step.alone = False
    if control is not None:
        step.previous = NULL
        step.next = control.first
        if control.first != NULL:
            control.first.previous = step
        control.first = step
    return step


cdef int end_step(tfc_step *step, RunControl control) except -1:
    if control is not None:
        if step.next != NULL:
            step.next.previous = step.previous
        if step.previous != NULL:
            step.previous.next = step.next
        else:
            control.first = step.next
    tfc_step_end(step)
    if control is not None and control.closed:
        with control.drained:
            control.drained.notify_all()
    return 0


def number_steps_from(int64_t first):
    """Sets the number of the next step: the tasks of a cluster use different ranges."""
    global next_step
    next_step = max(next_step, first)


cdef int leave_rendezvous(Plan plan, tfc_step *step) except -1:
    """From here on values sent to the step are dropped; after a failure there may be many, some of them late."""
    cdef int peer
    cdef int64_t id = step.id
    if step.code:
        with nogil:
            tfc_rendezvous_abort_step(id, step.code, "The step failed.")
        for peer in plan.peers:  # no message that starts the step is in transit any more
            with nogil:
                tfc_between_tasks.abandon(peer, id)
    with nogil:
        tfc_rendezvous_end_step(id)
    return 0


# ---- Choosing how to run a plan

cdef bint went_parallel(const PlanArrays *plan) noexcept:
    cdef int i
    for i in range(plan.n_nodes):
        if plan.nodes[i].went_parallel:
            return True
    return False


cdef bint would_gain(const PlanArrays *plan, int threads):
    """Whether measured times say that running independent nodes in parallel would save a quarter of the step."""
    cdef double total = 0, alone = 0, longest = 0
    cdef int i, j
    cdef double *finish
    if threads < 2 or plan.n_nodes < 4:
        return False
    finish = <double *>calloc(plan.n_nodes, sizeof(double))
    if finish == NULL:
        return False
    for i in range(plan.n_nodes):
        total += plan.nodes[i].ns
        if not plan.nodes[i].went_parallel:
            alone += plan.nodes[i].ns
        finish[i] += plan.nodes[i].ns
        longest = max(longest, finish[i])
        for j in range(plan.nodes[i].first_consumer, plan.nodes[i].first_consumer + plan.nodes[i].n_consumers):
            finish[plan.consumers[j]] = max(finish[plan.consumers[j]], finish[i])
    free(finish)
    # Nodes that already use all cores can't overlap; handing a node over costs about half a microsecond.
    overlapped = max(longest, total - alone + alone / threads) + 500.0 * plan.n_nodes / threads
    return overlapped < 0.75 * total



cdef bint are_long(const PlanArrays *plan, const Observation *o, int threads) noexcept:
    """Whether nodes in loops and conditionals take so long on average that handing them to other threads pays off."""
    cdef double total = 0
    cdef int64_t runs = 0
    cdef int i
    for i in range(plan.n_nodes):
        if o.nodes[i].start and not plan.nodes[i].went_parallel:
            total += plan.nodes[i].ns
            runs += max(<int64_t>1, o.nodes[i].runs)
    return threads > 1 and total > LONG_NS * runs


cdef bint has_to_overlap(const PlanArrays *plan, int threads) noexcept:
    """Whether the kernels that never wait leave something to do beside the longest of them.

    The others mostly sleep: their times say nothing. Where there is nothing, a second thread only takes a core away.
    """
    cdef double total = 0, longest = 0
    cdef int i
    for i in range(plan.n_nodes):
        if not plan.nodes[i].flags & (TFC_KERNEL_ASYNC | TFC_KERNEL_BLOCKING):
            total += plan.nodes[i].ns
            longest = max(longest, plan.nodes[i].ns)
    return threads > 1 and total - longest > LONG_NS


cdef bint is_small(Plan plan, const StepState *s) noexcept:
    """Whether the fed values are small enough for a quick plan to stay quick."""
    cdef int i
    cdef size_t total = 0
    for i in range(plan.a.n_feeds):
        total += <size_t>s.slots[i].n * tfc_dtype_size(s.slots[i].dtype)
    return total <= FEW_BYTES


cdef bint works_alone(Plan plan, const StepState *s, int inter_op_threads) noexcept:
    """Whether only the caller runs the nodes of a plan that is always dynamic."""
    if plan.flows:
        return not plan.offers or inter_op_threads == 1
    return plan.waits and not plan.offers and is_small(plan, s)


cdef int learn(Plan plan, Observer observer, int runs, int max_threads, int inter_op_threads,
               RunControl control) except -1:
    observer.learn_times()
    if runs == 1 + PROFILED_RUNS:
        plan.uses_threads = went_parallel(&plan.a)
        plan.keeps_gil = plan.is_quick() and not plan.uses_threads
        if plan.flows:
            plan.offers = inter_op_threads != 1 and are_long(&plan.a, &observer.o, max_threads or tfc_pool_threads())
        elif plan.waits:
            plan.offers = plan.uses_threads or has_to_overlap(&plan.a, max_threads or tfc_pool_threads())
        elif inter_op_threads != 1 and not plan.dynamic:
            plan.dynamic = would_gain(&plan.a, max_threads or tfc_pool_threads())
        if not plan.peers and (control is None or control.replays):
            tfc_find_part(&plan.a, plan.dynamic or plan.waits)
            plan.dynamic = plan.dynamic or plan.a.part != NULL
    return 0


# ---- Steps

cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil:
    cdef int i
    for i in range(first, last):
        tfc_tensor_clear(&s.slots[i])


cdef int feed_slot(Plan plan, StepState *s, int i, value, RunControl control) except -1:
    cdef int on_device
    try:
        on_device = feed(value, <int>plan.a.feed_types[i], plan.feed_np_dtypes[i], &s.slots[i])
        if on_device and not plan.feed_stays[i]:
            bring_to_host(&s.slots[i])
    except errors.InvalidArgumentError as error:  # an array that no session of this process can use
        raise errors.InvalidArgumentError(
            None, None, f"Cannot feed {plan.feed_names[i]}: {error.message}") from None
    except errors.ResourceExhaustedError as error:
        message = f"{error.message} for the value fed to {plan.feed_names[i]}{memory_holders(plan, s, NULL, control)}"
        raise errors.ResourceExhaustedError(None, None, message) from None
    if not fits(&s.slots[i], &plan.a.feed_shapes[(TFC_MAX_RANK + 1) * i]):
        raise ValueError(misfit(plan, i, &s.slots[i]))
    return 0


cdef int bring_to_host(tfc_tensor *t) except -1:
    cdef tfc_tensor copy
    cdef bint ok
    with nogil:
        ok = tfc_tensor_read(&copy, t)
        if ok:
            tfc_tensor_clear(t)
            t[0] = copy
    if not ok:
        raise errors.UnavailableError(None, None, "A tensor in a device's memory can't be copied to the host.")
    return 0


cdef int feed_all(Plan plan, StepState *s, feeds, Observer observer, RunControl control) except -1:
    cdef int i = 0
    if observer is not None:
        observer.feed_times.append(tfc_now_ns())
    for value in feeds:
        if i == plan.a.n_feeds:
            raise RuntimeError("feed_dict changed during the call")
        feed_slot(plan, s, i, value, control)
        if observer is not None:
            observer.note_feed(s, i)
        i += 1
    if i < plan.a.n_feeds:
        raise RuntimeError("feed_dict changed during the call")
    return 0


cdef void execute(Plan plan, StepState *s, tfc_step *step, bint dynamic) noexcept:
    if step.observer == NULL and not dynamic and plan.keeps_gil and is_small(plan, s):
        tfc_run_serial(&plan.a, s, step)
        return
    cdef bint needs_admission = plan.needs_admission
    with nogil:
        tfc_hand_over_messages()
        if needs_admission and not tfc_admission_enter(step):
            return
        if dynamic:
            tfc_run_dynamic(&plan.a, s, step)
        else:
            tfc_pool_enter()
            if step.observer != NULL:
                tfc_run_observed(&plan.a, s, step)
            else:
                tfc_run_serial(&plan.a, s, step)
            tfc_pool_leave()
        if needs_admission:
            tfc_admission_leave()


def run_plan(Plan plan not None, feeds, int max_threads=0, int inter_op_threads=0, RunControl control=None):
    """Runs one step.

    Args:
      feeds: a value for each fed slot, in order; converted to the slots' types.
      max_threads: threads that kernels and nodes may use (0: one for each core).
      inter_op_threads: 1 keeps independent nodes from running at the same time, unless the plan has kernels that
        suspend or block.
      control: the session's RunControl.

    Returns: list of the fetched values, as arrays or NumPy scalars.
    Raises: the OpError of the first kernel that failed, CancelledError, exceptions of signal handlers.
    """
    return run(plan, feeds, max_threads, inter_op_threads, control, None, 0, False)


def run_observed(Plan plan not None, feeds, int max_threads, int inter_op_threads, RunControl control,
                 Observer observer, int64_t timeout_ms=0, bint in_background=False):
    """Like run_plan, with an Observer (a new one) and a time limit (0: none).

    in_background: whether kernels that take long leave the machine to other steps.

    Raises: DeadlineExceededError as well.
    """
    return run(plan, feeds, max_threads, inter_op_threads, control, observer, timeout_ms, in_background)


cdef list run(Plan plan, feeds, int max_threads, int inter_op_threads, RunControl control, Observer observer,
              int64_t timeout_ms, bint in_background):
    cdef tfc_step *step = begin_step(max_threads, control)
    if in_background:
        tfc_step_to_background(step)
    try:
        return run_step(plan, step, feeds, max_threads, inter_op_threads, control, observer, timeout_ms)
    finally:
        end_step(step, control)


cdef class StepForMaster:
    """This process's part of a step of another process's session.

    `begin` runs it, or returns what has to be run with `steps.run_parkable`, without the GIL; then `end` must follow.
    """

    def __cinit__(self, Plan plan not None, int max_threads, int inter_op_threads, RunControl control,
                  Observer observer, bint in_background):
        self.plan, self.control, self.observer = plan, control, observer
        self.in_background = in_background
        self.max_threads, self.inter_op_threads = max_threads, inter_op_threads

    cdef tfc_dynamic *begin(self, int64_t id, step_began began, void (*resume)(void *) noexcept nogil,
                            void *arg) except? NULL:
        """Begins the step of number `id`. `resume` is called with `arg` when a parked step can go on.

        Between `began` and `ended` the step may be cancelled; if `began` returns false, it is cancelled already.

        Returns: the running step; NULL: it is over. Raises: what it failed with.
        """
        cdef bint dynamic
        self.step = begin_step(self.max_threads, self.control)
        self.step.id = id
        if self.in_background:
            tfc_step_to_background(self.step)
        if not began(arg, self.step):
            raise errors.CancelledError(None, None, "The step was cancelled.")
        if self.plan.uses_threads and self.max_threads != 1:
            tfc_pool_wake()
        self.s = self.plan.acquire()
        if self.observer is not None:
            observe(self.step, self.s, self.observer)
        feed_all(self.plan, self.s, (), self.observer, self.control)
        self._profile()
        dynamic = self.plan.waits or self.plan.flows or self.plan.dynamic
        self.step.alone = works_alone(self.plan, self.s, self.inter_op_threads)
        if dynamic and not self.plan.needs_admission and self.plan.a.part == NULL:
            return tfc_begin_parkable(&self.plan.a, self.s, self.step, resume, arg)
        execute(self.plan, self.s, self.step, dynamic)
        return NULL

    cdef int _profile(self) except -1:
        self.plan.runs += 1
        self.runs = self.plan.runs
        if 1 < self.runs <= 1 + PROFILED_RUNS:
            if self.observer is None:
                self.observer = Observer(self.plan, 0)
                observe(self.step, self.s, self.observer)
            self.learner = self.observer
        return 0

    cdef object end(self, error, step_ended ended, void *arg):
        """Frees what the step has. error: what `begin` raised, or None. Returns: the exception it ended with, or None.
        """
        if self.step == NULL:
            return error
        try:
            if error is None:
                self._conclude()
        except BaseException as failure:
            error = failure
        finally:
            if self.s != NULL:
                if self.plan.meets:
                    leave_rendezvous(self.plan, self.step)
                clear_slots(&self.plan.a, self.s, 0, self.plan.a.n_slots)
                self.plan.release(self.s)
            ended(arg)
            end_step(self.step, self.control)
        return error

    cdef int _conclude(self) except -1:
        if self.step.shares != NULL and not self.step.code:
            with nogil:
                tfc_finish_devices(self.step)
        if self.step.code or self.step.interrupt != NULL:
            raise step_error(self.plan, self.s, self.step, self.observer, self.control, 0)
        if self.learner is not None:
            learn(self.plan, self.learner, self.runs, self.max_threads, self.inter_op_threads, self.control)
        return 0


cdef list run_step(Plan plan, tfc_step *step, feeds, int max_threads, int inter_op_threads, RunControl control,
                   Observer observer, int64_t timeout_ms):
    """The life of a step: feeds, kernels, fetches; its values are freed at the end.

    Returns: the fetched values. Raises: what the step failed with.
    """
    cdef int runs
    cdef bint dynamic, checks
    cdef StepState *s = NULL
    cdef list result = None
    cdef Observer learner = None
    if plan.uses_threads and max_threads != 1:
        tfc_pool_wake()  # a helper takes longer to wake up than the values take to be fed
    try:
        s = plan.acquire()
        if observer is not None:
            observe(step, s, observer)
        if timeout_ms:  # from here on the watcher looks at the observer, too
            tfc_watch_deadline(step, tfc_now_ns() + 1000000 * timeout_ms)
        feed_all(plan, s, feeds, observer, control)
        plan.runs += 1
        runs = plan.runs
        if 1 < runs <= 1 + PROFILED_RUNS:
            if observer is None:
                observer = Observer(plan, 0)
                observe(step, s, observer)
            learner = observer
        # A check of numerics needs the plan's order. Other threads may change the plan's choices during the step.
        checks = observer is not None and observer.o.modes & TFC_CHECK_NUMERICS
        dynamic = plan.waits or plan.flows or plan.dynamic and not checks
        step.alone = works_alone(plan, s, inter_op_threads) or plan.flows and checks
        execute(plan, s, step, dynamic)
        if step.shares != NULL and not step.code:
            with nogil:
                tfc_finish_devices(step)
        if step.code or step.interrupt != NULL:
            raise step_error(plan, s, step, observer, control, timeout_ms)
        if learner is not None:
            learn(plan, learner, runs, max_threads, inter_op_threads, control)
        result = fetch(plan, s, observer)
    finally:
        if plan.meets:
            leave_rendezvous(plan, step)
        if s != NULL:
            # A step that failed, or has control flow, may leave values that were not taken.
            clear_slots(&plan.a, s, 0, plan.a.n_slots if result is None or plan.flows else plan.a.n_feeds)
            plan.release(s)
    return result


cdef int observe(tfc_step *step, StepState *s, Observer observer) except -1:
    step.observer = &observer.o
    observer.look(step.id, s)
    return 0


cdef bint fits(const tfc_tensor *t, const int64_t *shape) noexcept:
    cdef int j
    if shape[0] < 0:
        return True
    if t.rank != shape[0]:
        return False
    for j in range(t.rank):
        if shape[1 + j] >= 0 and t.dims[j] != shape[1 + j]:
            return False
    return True


cdef str misfit(Plan plan, int i, const tfc_tensor *t):
    shape = tuple([t.dims[j] for j in range(t.rank)])
    wanted = ["?" if d is None else str(d) for d in plan.feed_dims[i]]
    text = f"({wanted[0]},)" if len(wanted) == 1 else f"({', '.join(wanted)})"
    return f"Cannot feed value of shape {shape} for Tensor {plan.feed_names[i]!r}, which has shape {text!r}"


cdef list fetch(Plan plan, StepState *s, Observer observer):
    cdef list out = []
    cdef int i, slot
    cdef bint again
    for i in range(plan.a.n_fetches):
        if observer is not None:
            observer.fetch_times.append(tfc_now_ns())
        slot = plan.a.fetch_slots[i]
        if plan.flows and not tfc_flow_has_value(&plan.a, s, slot):
            raise dead_fetch(plan, i)
        if plan.fetch_kinds[i]:
            out.append(fetch_specially(plan, s, i))
            continue
        again = is_fetched_again(plan, i)
        out.append(tensor_to_numpy(&s.slots[slot], not again and slot >= plan.a.n_feeds))
        if not again:
            tfc_tensor_clear(&s.slots[slot])
    if observer is not None:
        observer.fetch_times.append(tfc_now_ns())
    return out


cdef inline bint is_fetched_again(Plan plan, int i) noexcept:
    cdef int j
    for j in range(i + 1, plan.a.n_fetches):
        if plan.a.fetch_slots[j] == plan.a.fetch_slots[i]:
            return True
    return False


cdef object fetch_specially(Plan plan, StepState *s, int i):
    """A fetched variable, or a value that stays on its device."""
    cdef int slot = plan.a.fetch_slots[i]
    cdef TensorValue value
    if not plan.fetch_kinds[i] & TFC_FETCH_KEEP:
        return read_variable(plan, s, slot)
    value = TensorValue.__new__(TensorValue)
    if plan.fetch_kinds[i] & TFC_FETCH_READ:
        take_variable(plan, s, slot, &value.t)
    else:
        value.t = s.slots[slot]
        tfc_buffer_ref(buffer_of(&value.t))
        if not is_fetched_again(plan, i):
            tfc_tensor_clear(&s.slots[slot])
    from tfcore.core.device import device_tensor  # here, because programs without GPUs need not load it

    return device_tensor.from_fetched(value)


cdef object dead_fetch(Plan plan, int i):
    """The error for a fetch without a value: a Switch took the other branch, or a loop did not end."""
    op = plan.ops[plan.a.slot_nodes[plan.a.fetch_slots[i]]]
    text = f"Retval[{i}] does not have value: {op.name} is in a branch that was not taken{errors.location(op)}"
    return errors.InvalidArgumentError(None, op.original, text)


cdef object read_variable(Plan plan, StepState *s, int slot):
    cdef tfc_tensor held
    take_variable(plan, s, slot, &held)
    try:
        return tensor_to_numpy(&held, False)
    finally:
        tfc_tensor_clear(&held)


cdef int take_variable(Plan plan, StepState *s, int slot, tfc_tensor *held) except -1:
    """Makes *held share the value of the variable behind a slot."""
    cdef tfc_variable *v = <tfc_variable *>s.slots[slot].data
    cdef char[1024] text
    cdef bint ok
    with nogil:
        ok = tfc_variable_read(v, held)
    if not ok:
        op = plan.ops[plan.a.slot_nodes[slot]]
        tfc_variable_uninitialized(v, text, sizeof(text))
        raise errors.FailedPreconditionError(
            None, op.original, f"{text.decode('utf-8', 'replace')}{errors.location(op)}"
        )
    return 0
