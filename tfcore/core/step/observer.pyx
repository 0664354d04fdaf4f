"""The records of an observed step (observer.c), for Python."""

import threading
import time

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t
from libc.stdlib cimport free

import numpy

from tfcore.core.memory.tensor cimport tensor_to_numpy
from tfcore.core.step.plan cimport Plan
from tfcore.core.runtime cimport *
from tfcore.core.step.step cimport *


TRACE = TFC_TRACE
CHECK_NUMERICS = TFC_CHECK_NUMERICS
WATCH = TFC_WATCH


class NodeRecord:
    """One run of a node in a step.

    Attributes:
      index: position in the plan. op: has name, type, inputs and creation_line. thread: the system's number.
      ready: when the last node that it waited for was done. start, suspended, done: when it ran, in ns of the monotonic
        clock, as is `ready`; suspended is 0 unless the kernel was suspended.
      scratch: bytes of temporary memory. parallel: whether it offered work to other threads.
      inputs: slot numbers, as in SlotRecord. outputs: a SlotRecord for each, or None if the slot has no value.
    """

    __slots__ = (
        "index", "op", "thread", "ready", "start", "suspended", "done", "scratch", "parallel", "outputs", "inputs"
    )


class SlotRecord:
    """A value in a slot: an output of a node, a fed value, or a variable's value.

    Attributes:
      slot: number of the slot; each iteration of a loop has different ones. dtype: number. shape: tuple.
      buffer, data: addresses. bytes: size of the memory. fresh: whether the node allocated this memory; for a fed
        value, whether it is not borrowed from the caller.
      freed: ns when the step dropped the value; 0: at the end of the step. gone: whether nobody else held it then.
      came: ns when the value came from another iteration; 0: it was made in this one.
    """

    __slots__ = ("slot", "dtype", "shape", "buffer", "data", "bytes", "fresh", "freed", "gone", "came")


class DeviceRecord:
    """A launch or a copy that a node put into a device's queue.

    Attributes:
      op: as in NodeRecord. what: the name of the launched function, or the kind of copy, such as "MEMCPYHtoD". bytes:
        that were copied; -1 for a launch. start, done: when it ran, in ns of the monotonic clock.
    """

    __slots__ = ("op", "what", "bytes", "start", "done")


cdef class Observer:
    """Observes one step. modes: TRACE, CHECK_NUMERICS, WATCH or several; 0 only measures the times of nodes.

    watcher: for WATCH, a function of a node, the index of its output and the value, a NumPy array that it may keep. It
    is called after each run of each node. watch_error: the first exception that it raised.
    """

    def __cinit__(self, Plan plan not None, int modes, watcher=None):
        self.watcher = watcher
        if modes & TFC_WATCH:
            self.o.watch = show
            self.o.watch_arg = <void *>self
        self.plan = plan
        self.o.plan = &plan.a
        self.o.modes = modes
        self.o.bad_node = self.o.bad_output = self.o.bad_input = -1
        self.o.nodes = <tfc_node_event *>PyMem_Calloc(plan.a.n_nodes + 1, sizeof(tfc_node_event))
        if modes & TFC_TRACE:
            self.o.slots = <tfc_slot_event *>PyMem_Calloc(plan.a.n_slots + 1, sizeof(tfc_slot_event))
        if self.o.nodes == NULL or modes & TFC_TRACE and self.o.slots == NULL:
            raise MemoryError()
        pthread_mutex_init(&self.o.lock, NULL)
        self.feed_times = []
        self.fetch_times = []

    def __dealloc__(self):
        cdef int i
        cdef IterationRecord *record
        cdef DeviceSpan *span
        while self.o.spans != NULL:
            span = self.o.spans
            self.o.spans = span.next
            free(span)
        while self.o.iterations != NULL:
            record = self.o.iterations
            self.o.iterations = record.next
            free(record.nodes)
            free(record.slots)
            free(record)
        pthread_mutex_destroy(&self.o.lock)
        for i in range(self.o.n_before):
            tfc_tensor_clear(&self.o.before[i])
        PyMem_Free(self.o.nodes)
        PyMem_Free(self.o.slots)

    @property
    def modes(self):
        return self.o.modes

    cdef int look(self, int64_t step_id, StepState *s) except -1:
        """Starts observing: notes the step, its thread and the time."""
        self.step_id = step_id
        self.o.state = s
        s.node_events = self.o.nodes
        s.slot_events = self.o.slots
        self.caller = threading.current_thread()
        self.wall_ns = time.time_ns() - tfc_now_ns()  # to add to times of the monotonic clock
        return 0

    cdef int note_feed(self, const StepState *s, int i) except -1:
        """Records the value and the time of feed i."""
        cdef const tfc_tensor *t = &s.slots[i]
        cdef tfc_slot_event *e
        cdef int d
        self.feed_times.append(tfc_now_ns())
        if self.o.slots != NULL and t.buffer != NULL:
            e = &self.o.slots[i]
            e.buffer, e.data, e.bytes, e.dtype, e.rank = buffer_of(t), t.data, buffer_of(t).size, t.dtype, t.rank
            for d in range(t.rank):
                e.dims[d] = t.dims[d]
            e.fresh = not buffer_of(t).flags & TFC_BUFFER_BORROWED
        return 0

    cdef int learn_times(self) except -1:
        """Updates the plan's average times with those of this step."""
        cdef int i
        cdef double ns
        cdef Node *node
        for i in range(self.plan.a.n_nodes):
            node = &self.plan.a.nodes[i]
            ns = <double>(self.o.nodes[i].total or self.o.nodes[i].done - self.o.nodes[i].start)
            node.ns = ns if node.ns == 0 else 0.75 * node.ns + 0.25 * ns
            node.went_parallel |= self.o.nodes[i].parallel
        return 0

    def nodes(self):
        """NodeRecords of the nodes that ran, in the plan's order; then those of loops, iteration by iteration."""
        cdef IterationRecord *it = self.o.iterations
        cdef const PlanArrays *a = &self.plan.a
        cdef int n_nodes = a.frames[0].n_nodes if a.n_frames else a.n_nodes
        cdef int64_t count = 0
        found = self._nodes_of(self.o.nodes, self.o.slots, 0, n_nodes, 0, 0)
        later = []
        while it != NULL:
            count += 1
            later.append(
                self._nodes_of(it.nodes, it.slots, a.frames[it.frame].first_node, a.frames[it.frame].n_nodes,
                               a.frames[it.frame].first_slot, count * a.n_slots)
            )
            it = it.next
        if not later and a.n_frames:  # not traced: the last run of each node
            later.append(self._nodes_of(&self.o.nodes[n_nodes], NULL, n_nodes, a.n_nodes - n_nodes, 0, 0))
        for more in reversed(later):
            found += more
        return found

    def device_work(self):
        """DeviceRecords of what ran on devices with a queue, in the order in which it started."""
        cdef const DeviceSpan *span = self.o.spans
        found = []
        while span != NULL:
            record = DeviceRecord()
            record.op = self.plan.op(span.node)
            record.what = span.what.decode()
            record.bytes, record.start, record.done = span.bytes, span.start, span.done
            found.append(record)
            span = span.next
        return sorted(found, key=lambda record: record.start)

    def arrivals(self):
        """SlotRecords of values that came from another iteration, or into or out of a loop."""
        cdef IterationRecord *it = self.o.iterations
        cdef const PlanArrays *a = &self.plan.a
        cdef int64_t count = 0
        if self.o.slots == NULL or not a.n_frames:
            return []
        found = arrivals_in(self.o.slots, a.n_slots, 0)
        while it != NULL:
            count += 1
            if it.slots != NULL:
                base = count * a.n_slots + a.frames[it.frame].first_slot
                found += arrivals_in(it.slots, a.frames[it.frame].n_slots, base)
            it = it.next
        return found

    cdef list _nodes_of(self, const tfc_node_event *events, const tfc_slot_event *slots, int first, int n,
                        int first_slot, int64_t base):
        """NodeRecords of n nodes from `first` on, in one iteration. base: added to slots, unique to the iteration."""
        cdef int i, j
        cdef const PlanArrays *a = &self.plan.a
        cdef const tfc_node_event *e
        cdef int64_t began = self.feed_times[-1] if self.feed_times else 0
        ready = {}
        found = []
        for i in range(first, first + n):
            e = &events[i - first]
            if e.done:
                for j in range(a.nodes[i].first_consumer, a.nodes[i].first_consumer + a.nodes[i].n_consumers):
                    ready[a.consumers[j]] = max(ready.get(a.consumers[j], began), e.done)
            if not e.start:
                continue
            record = NodeRecord()
            record.index = i
            record.op = self.plan.ops[i]
            record.thread = e.thread
            record.start, record.suspended, record.done = e.start, e.returned, e.done
            known = ready.get(i, began)
            record.ready = min(known, e.start) if known else e.start
            record.scratch = e.scratch
            record.parallel = e.parallel != 0
            passes = a.n_frames and a.flow[i].kind in (TFC_ENTER, TFC_EXIT, TFC_NEXT_ITERATION)
            outputs = range(a.nodes[i].first_output, a.nodes[i].first_output + (0 if passes else a.nodes[i].n_outputs))
            record.outputs = [None if slots == NULL else slot_record(&slots[j - first_slot], base + j) for j in outputs]
            inputs = range(a.nodes[i].first_input, a.nodes[i].first_input + a.nodes[i].n_inputs)
            record.inputs = [base + a.input_slots[j] for j in inputs]
            found.append(record)
        return found

    def slot(self, int i):
        """The SlotRecord of a slot; None if it had no value or the step was not traced."""
        return None if self.o.slots == NULL else slot_record(&self.o.slots[i], i)

    def feeds(self):
        """(name, start ns, end ns, SlotRecord) of each fed value."""
        return [
            (name, self.feed_times[i], self.feed_times[i + 1], self.slot(i))
            for i, name in enumerate(self.plan.feed_names)
        ]

    def fetches(self):
        """(name, start ns, end ns, slot) of each fetched value."""
        names = []
        for i in range(self.plan.a.n_fetches):
            slot = self.plan.a.fetch_slots[i]
            node = self.plan.a.slot_nodes[slot]
            if node < 0:
                names.append((self.plan.feed_names[slot], slot))
            else:
                names.append((f"{self.plan.ops[node].name}:{slot - self.plan.a.nodes[node].first_output}", slot))
        return [
            (name, self.fetch_times[i], self.fetch_times[i + 1], slot)
            for i, (name, slot) in enumerate(names[: max(0, len(self.fetch_times) - 1)])
        ]

    def snapshots(self):
        """SlotRecords of the variables that were read, by slot."""
        targets = [self.plan.a.derefs[i].target for i in range(self.plan.a.n_derefs)]
        return {target: self.slot(target) for target in targets}


cdef void show(void *observer, int node, int output, const tfc_tensor *value) noexcept with gil:
    cdef Observer o = <Observer>observer
    if o.watch_error is not None:
        return
    try:
        o.watcher(o.plan.ops[node], output, copy_of(tensor_to_numpy(<tfc_tensor *>value, False)))
    except BaseException as error:
        o.watch_error = error


cdef object copy_of(value):
    """An array of its own: the memory is the step's, which uses it for other values later."""
    if not isinstance(value, bytes):
        return numpy.array(value)
    array = numpy.empty((), object)  # an array of bytes would lose zeros at the end
    array[()] = value
    return array


cdef list arrivals_in(const tfc_slot_event *slots, int n, int64_t base):
    cdef int j
    return [slot_record(&slots[j], base + j) for j in range(n) if slots[j].came and slots[j].buffer != NULL]


cdef object slot_record(const tfc_slot_event *e, int64_t number):
    if e.buffer == NULL:
        return None
    record = SlotRecord()
    record.slot = number
    record.dtype = e.dtype
    record.shape = tuple([e.dims[j] for j in range(e.rank)])
    record.buffer, record.data = <size_t>e.buffer, <size_t>e.data
    record.bytes, record.fresh, record.freed, record.gone = e.bytes, e.fresh != 0, e.freed, e.gone != 0
    record.came = e.came
    return record
