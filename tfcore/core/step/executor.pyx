# distutils: extra_compile_args = -O3 -fno-plt
"""Runs plans. Once the fed values are in place, a step needs no GIL until its results are fetched.

A plan runs in one of two ways, with the same results, and may be observed in both:
 - serial (run.c), the default: one thread runs the nodes in plan order; kernels still use all cores through
   parallel_for.
 - dynamic (dynamic.c): nodes go to a ready list as soon as their inputs exist; the caller and helpers from the pool
   work through it together. Used if measured times show that independent nodes leave cores idle, and for kernels that
   suspend or block.

The functions of a step stand in the order in which it calls them. A StepState and a tfc_step belong to one running
step; both are acquired and released with the GIL held.
"""

import os
import threading
import time
import warnings
import weakref

cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport Py_INCREF
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport calloc, free

import numpy

from tfcore.core.step.failure cimport memory_holders, step_error
from tfcore.core.step.observer cimport Observer
from tfcore.core.step.plan cimport TFC_FETCH_AGAIN, TFC_FETCH_FED, TFC_FETCH_KEEP, TFC_FETCH_READ, Plan
from tfcore.core.rendezvous.rendezvous cimport (
    tfc_between_tasks, tfc_next_step, tfc_rendezvous_abort_step, tfc_rendezvous_end_step)
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *
from tfcore.core.memory.tensor cimport FED_CHANGED, FED_ON_DEVICE, TensorValue, feed as feed_tensor, tensor_to_numpy

from tfcore.core.registry.py_func import interrupt as interrupt_functions, running
from tfcore.framework import errors
from tfcore.framework.graph.operation import capture_user_frames, line_of

cdef extern from "Python.h":
    unsigned long PyThread_get_thread_ident() nogil

cdef int64_t next_step = 0
cdef unsigned long main_thread = threading.main_thread().ident

cdef enum:
    PROFILED_RUNS = 8   # runs after the first whose nodes are timed to choose between serial and dynamic
    FEW_BYTES = 4096    # of feeds; more make a step give up the GIL
    DRAIN_MS = 50
    FUNCTION_S = 3      # for a Python function when its session is closed
    LONG_NS = 5000      # of a node; handing it over costs half a microsecond or more


def _after_fork():
    global main_thread
    main_thread = threading.main_thread().ident


os.register_at_fork(after_in_child=_after_fork)

# ---- The life of a step

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
    return run(new_step(plan, max_threads, inter_op_threads, control), feeds)


def run_observed(Plan plan not None, feeds, int max_threads, int inter_op_threads, RunControl control,
                 Observer observer, int64_t timeout_ms=0, bint in_background=False):
    """Like run_plan, with an Observer (a new one) and a time limit (0: none).

    in_background: whether what it saves is written at the lowest priority.

    Raises: DeadlineExceededError as well.
    """
    cdef Step step = new_step(plan, max_threads, inter_op_threads, control)
    step.observer, step.timeout_ms, step.in_background = observer, timeout_ms, in_background
    return run(step, feeds)


cdef Step new_step(Plan plan, int max_threads, int inter_op_threads, RunControl control):
    cdef Step step = Step.__new__(Step)
    step.plan, step.control, step.max_threads, step.inter_op_threads = plan, control, max_threads, inter_op_threads
    return step


cdef list run(Step step, feeds):
    try:
        step.begin()
        step.feed(feeds)
        step.execute()
        step.conclude()
        return step.fetch()
    finally:
        step.end()


@cython.final
@cython.no_gc
@cython.freelist(16)
cdef class Step:
    """One step, of this process's session or (partitions/steps.pyx) of another's. Its methods are called in the order
    in which they stand; when one has raised an exception, only `end` follows.
    """

    cdef int begin(self) except -1:
        """From here on closing the session cancels the step."""
        global next_step
        cdef unsigned long me = PyThread_get_thread_ident()
        if self.control is not None and self.control.closed:
            raise errors.CancelledError(None, None, "Session has been closed.")
        next_step = tfc_next_step(next_step)
        self.c = tfc_step_begin(next_step, self.max_threads, me == main_thread)
        if self.c == NULL:
            raise MemoryError()
        self.c.caller_id = me
        self.c.in_background = self.in_background
        if self.control is not None:
            self.c.previous, self.c.next = NULL, self.control.first
            if self.control.first != NULL:
                self.control.first.previous = self.c
            self.control.first = self.c

    cdef int feed(self, feeds) except -1:
        """Takes memory for its values, sets those that are fed, and chooses the order."""
        cdef int i = 0
        if self.plan.uses_threads and self.max_threads != 1:
            tfc_pool_wake()  # a helper takes longer to wake up than the values take to be fed
        self.s = self.plan.acquire()
        if self.observer is not None:
            self.observe()
        for value in feeds:
            if i < self.plan.a.n_feeds:
                feed_slot(self.plan, self.s, i, value, self.control)
                if self.observer is not None:
                    self.observer.note_feed(self.s, i)
            i += 1
        if i != self.plan.a.n_feeds:
            raise RuntimeError("feed_dict changed during the call")
        self.choose_order()

    cdef int choose_order(self) except -1:
        """Other threads may change the plan's choices during the step."""
        self.plan.runs += 1
        if self.plan.runs <= 1 + PROFILED_RUNS:
            self.profile()
        # Checks of numerics and watched values need the plan's order.
        cdef bint checks = self.observer is not None and self.observer.o.modes & (TFC_CHECK_NUMERICS | TFC_WATCH)
        self.dynamic = self.plan.waits or self.plan.flows or self.plan.dynamic and not checks
        if self.plan.flows:
            self.c.alone = checks or not self.plan.offers or self.inter_op_threads == 1
        elif self.plan.waits:
            self.c.alone = not self.plan.offers and is_small(self.plan, self.s)
        return 0

    cdef int execute(self) except -1:
        if not self.dynamic and self.plan.keeps_gil and self.c.observer == NULL and is_small(self.plan, self.s):
            tfc_run_serial(&self.plan.a, self.s, self.c)
            return 0
        with nogil:
            tfc_hand_over_messages()
            if self.plan.needs_admission and not tfc_admission_enter(self.c):
                return 0
            if self.dynamic:
                tfc_run_dynamic(&self.plan.a, self.s, self.c)
            else:
                tfc_pool_enter()
                if self.c.observer != NULL:
                    tfc_run_observed(&self.plan.a, self.s, self.c)
                else:
                    tfc_run_serial(&self.plan.a, self.s, self.c)
                tfc_pool_leave()
            if self.plan.needs_admission:
                tfc_admission_leave()

    cdef int conclude(self) except -1:
        """The kernels have ended: raises what the step has failed with."""
        if self.c.shares != NULL and not self.c.code:
            with nogil:
                tfc_finish_devices(self.c)
        if self.c.code or self.c.interrupt != NULL:
            raise step_error(self.plan, self.s, self.c, self.observer, self.control, self.timeout_ms)
        if self.learns:
            learn(self)
        return 0

    cdef list fetch(self):
        """The fetched values. Those that only the step holds are taken out of its slots."""
        cdef list out = []
        cdef int i, slot, kind
        for i in range(self.plan.a.n_fetches):
            if self.observer is not None:
                self.observer.fetch_times.append(tfc_now_ns())
            slot, kind = self.plan.a.fetch_slots[i], self.plan.fetch_kinds[i]
            if self.plan.flows and not tfc_flow_has_value(&self.plan.a, self.s, slot):
                raise dead_fetch(self.plan, i)
            if kind & (TFC_FETCH_READ | TFC_FETCH_KEEP):
                out.append(fetch_specially(self.plan, self.s, slot, kind))
                continue
            out.append(tensor_to_numpy(&self.s.slots[slot], not kind & (TFC_FETCH_AGAIN | TFC_FETCH_FED)))
            if not kind & TFC_FETCH_AGAIN:
                tfc_tensor_clear(&self.s.slots[slot])
        if self.observer is not None:
            self.observer.fetch_times.append(tfc_now_ns())
        self.fetched = not self.plan.flows  # in iterations, values may be left that were not taken
        return out

    cdef int end(self) except -1:
        """Frees what it has; nobody can cancel it any more."""
        cdef tfc_step *c = self.c
        if c == NULL:
            return 0
        if self.s != NULL:
            if self.plan.meets:
                leave_rendezvous(self.plan, c)
            clear_slots(&self.plan.a, self.s, 0, self.plan.a.n_feeds if self.fetched else self.plan.a.n_slots)
            self.plan.release(self.s)
        if self.control is None:
            tfc_step_end(c)
            return 0
        if c.next != NULL:
            c.next.previous = c.previous
        if c.previous != NULL:
            c.previous.next = c.next
        else:
            self.control.first = c.next
        tfc_step_end(c)
        if self.control.closed:
            with self.control.drained:
                self.control.drained.notify_all()
        return 0

    # ---- What `feed` needs now and then

    cdef int observe(self) except -1:
        self.c.observer = &self.observer.o
        self.observer.look(self.c.id, self.s)
        if self.timeout_ms:  # from here on the watcher looks at the observer, too
            tfc_watch_deadline(self.c, tfc_now_ns() + 1000000 * self.timeout_ms)
        self.observer.feed_times.append(tfc_now_ns())
        return 0

    cdef int profile(self) except -1:
        """Has the nodes timed in the runs from which `learn` decides; the first one, with cold caches, is not."""
        if self.plan.runs > 1:
            self.runs = self.plan.runs
            self.learns = True
            if self.observer is None:
                self.observer = Observer(self.plan, 0)
                self.observe()
        return 0


cdef bint is_small(Plan plan, const StepState *s) noexcept:
    """Whether the fed values are small enough for a quick plan to stay quick."""
    cdef int i
    cdef size_t total = 0
    for i in range(plan.a.n_feeds):
        total += <size_t>s.slots[i].n * tfc_dtype_size(s.slots[i].dtype)
    return total <= FEW_BYTES


# ---- Feeds

cdef object _warned = weakref.WeakSet()  # operations whose fed values were changed

cdef int feed_slot(Plan plan, StepState *s, int i, value, RunControl control) except -1:
    cdef int how
    try:
        how = feed_tensor(value, <int>plan.a.feed_types[i], plan.feed_np_dtypes[i], &s.slots[i])
        if how & FED_CHANGED:
            warn_of_change(plan, i, value)
        if how & FED_ON_DEVICE and not plan.feed_stays[i]:
            bring_to_host(&s.slots[i])
    except (errors.InvalidArgumentError, errors.ResourceExhaustedError) as error:
        raise feed_error(plan, s, i, error, control) from None
    except (TypeError, ValueError) as error:
        raise refusal(plan, i, error).with_traceback(error.__traceback__) from None  # some of it may be the user's
    if not tfc_fits_feed(&plan.a, i, &s.slots[i]):
        raise ValueError(misfit(plan, i, &s.slots[i]))


cdef object feed_error(Plan plan, StepState *s, int i, error, RunControl control):
    """Names the tensor: an array that no session of this process can use, or no memory for one."""
    name, op, text = plan.feed_names[i], plan.feed_ops[i], error.message
    if isinstance(error, errors.InvalidArgumentError):
        return errors.InvalidArgumentError(None, op, f"Cannot feed {name}: {text}{errors.location(op)}")
    text += f" for the value fed to {name}{memory_holders(plan, s, NULL, control)}"
    return errors.ResourceExhaustedError(None, op, text)


cdef object refusal(Plan plan, int i, error):
    """The error for a value that can't be converted, with the tensor that it was fed to."""
    kind = TypeError if isinstance(error, TypeError) else ValueError
    return kind(f"{error} (fed to {plan.feed_names[i]!r}){errors.location(plan.feed_ops[i])}")


cdef int warn_of_change(Plan plan, int i, value) except -1:
    op, dtype = plan.feed_ops[i], plan.feed_np_dtypes[i]
    if op in _warned:
        return 0
    _warned.add(op)
    given = numpy.asarray(value)
    with numpy.errstate(invalid="ignore"):
        fed = given.astype(dtype)
    first = (fed != given).argmax()
    text = (
        f"Numbers of type {given.dtype} that were fed to {plan.feed_names[i]!r} have changed, as its type is {dtype}: "
        f"{given.flat[first]} became {fed.flat[first]}. This is said once for a tensor.{errors.location(op)}"
    )
    code, offset = capture_user_frames()[0]
    warnings.warn_explicit(text, RuntimeWarning, code.co_filename, line_of(code, offset))
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


cdef str misfit(Plan plan, int i, const tfc_tensor *t):
    shape = tuple([t.dims[j] for j in range(t.rank)])
    wanted = ["?" if d is None else str(d) for d in plan.feed_dims[i]]
    text = f"({wanted[0]},)" if len(wanted) == 1 else f"({', '.join(wanted)})"
    said = f"Cannot feed value of shape {shape} for Tensor {plan.feed_names[i]!r}, which has shape {text!r}"
    return said + errors.location(plan.feed_ops[i])


# ---- Fetches

cdef object fetch_specially(Plan plan, StepState *s, int slot, int kind):
    """A fetched variable, or a value that stays on its device."""
    cdef TensorValue value
    if not kind & TFC_FETCH_KEEP:
        return read_variable(plan, s, slot)
    value = TensorValue.__new__(TensorValue)
    if kind & TFC_FETCH_READ:
        take_variable(plan, s, slot, &value.t)
    else:
        value.t = s.slots[slot]
        tfc_buffer_ref(buffer_of(&value.t))
        if not kind & TFC_FETCH_AGAIN:
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


# ---- The end

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


cdef void clear_slots(const PlanArrays *plan, StepState *s, int first, int last) noexcept nogil:
    cdef int i
    for i in range(first, last):
        tfc_tensor_clear(&s.slots[i])


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


cdef int learn(Step step) except -1:
    """From the times of the first runs: how the plan will run."""
    cdef Plan plan = step.plan
    cdef int threads = step.max_threads or tfc_pool_threads()
    step.observer.learn_times()
    if step.runs <= PROFILED_RUNS:
        return 0
    plan.uses_threads = went_parallel(&plan.a)
    plan.keeps_gil = plan.is_quick() and not plan.uses_threads
    if plan.flows:
        plan.offers = step.inter_op_threads != 1 and are_long(&plan.a, &step.observer.o, threads)
    elif plan.waits:
        plan.offers = plan.uses_threads or has_to_overlap(&plan.a, threads)
    elif step.inter_op_threads != 1 and not plan.dynamic:
        plan.dynamic = would_gain(&plan.a, threads)
    if not plan.peers and (step.control is None or step.control.replays):
        tfc_find_part(&plan.a, plan.dynamic or plan.waits)
        plan.dynamic = plan.dynamic or plan.a.part != NULL
    return 0


# ---- The running steps of a session

cdef class RunControl:
    """The running steps of one session, so that closing it can end them.

    variables: function returning [(name, bytes, address)] of the session's variables. find_op: function from a name to
    the operation, or None. replays: whether parts of steps may be recorded and replayed. ends: {name of a queue: why
    nothing more comes into it}, which queue runners fill.
    """

    def __init__(self, variables, find_op, bint replays=True):
        self.variables = variables
        self.find_op = find_op
        self.replays = replays
        self.drained = threading.Condition()
        self.ends = {}

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
        """Cancels all steps and refuses new ones; returns when those of other threads have ended, or after a time.

        A Python function may never return: after FUNCTION_S seconds steps that are in one are not waited for.

        Returns: what names these functions.
        """
        start = time.monotonic()
        self.closed = True
        self.cancel()
        with self.drained:
            while others := self._others():
                waited = time.monotonic() - start
                if most_seconds is not None and waited > most_seconds:
                    break
                if waited > FUNCTION_S and all(functions := [running(step) for step in others]):
                    return [where for of_step in functions for _, where in of_step]
                self.drained.wait(DRAIN_MS / 1000)
        return []

    def _others(self):
        """The ids of the steps that this thread does not run, and in whose Python functions it is not."""
        cdef tfc_step *step = self.first
        cdef unsigned long me = PyThread_get_thread_ident()
        ids = []
        while step != NULL:
            if step.caller_id != me and not any(thread == me for thread, _ in running(step.id)):
                ids.append(step.id)
            step = step.next
        return ids

    @property
    def running(self):
        cdef tfc_step *step = self.first
        cdef int n = 0
        while step != NULL:
            n += 1
            step = step.next
        return n


def number_steps_from(int64_t first):
    """Sets the number of the next step: the tasks of a cluster use different ranges."""
    global next_step
    next_step = max(next_step, first)


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
        with gil:
            interrupt_functions(step.id)


tfc_set_signal_hook(look_for_signals)
