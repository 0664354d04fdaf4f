"""Converts the records of a step to TensorFlow's StepStats and CostGraphDef messages."""

import collections
import threading
from typing import Any, NamedTuple

from tfcore.compiler.devices import CPU
from tfcore.framework import protos

ALLOCATOR = "cpu"


class Trace(NamedTuple):
    """What a RunMetadata keeps of a traced step."""

    observer: Any  # a core Observer after its step
    elsewhere: list  # bytes of the StepStats of other tasks
    nodes: Any  # function that returns what ran in all tasks; has name and creation_line
    stages: tuple = ((), ())  # of this process's input pipelines, before and after: see input_report.py


def make_step_stats(observer, elsewhere=()):
    """StepStats by device. `elsewhere`: bytes of the StepStats of other tasks. Feeds are operations named
    `_arg_x_0_0`, fetches `_retval_y_0_0`, as in TensorFlow."""
    stats = protos.StepStats()
    if observer is None:
        return stats
    records = observer.nodes()
    devices = {}

    def device_stats(name):
        if name not in devices:
            devices[name] = stats.dev_stats.add(device=name)
        return devices[name].node_stats

    home = next((r.op.device for r in records if r.op.type == "_RunPartition"), CPU)
    ids = allocation_ids(observer, records)
    caller = observer.caller.native_id or 0
    for i, (name, start, end, slot) in enumerate(observer.feeds()):
        arg = f"_arg_{flat(name)}_{i}"
        node = device_stats(home).add(node_name=arg, timeline_label=f"{arg} = _Arg()", thread_id=caller)
        _set_times(node, observer.wall_ns, start, start, end, end)
        if slot is not None:
            _add_output(node, 0, slot, ids)
    for record in records:
        _add_node(device_stats(record.op.device).add(), observer, record, ids)
    for i, (name, start, end, _) in enumerate(observer.fetches()):
        retval = f"_retval_{flat(name)}_{i}"
        label = f"{retval} = _Retval({source_name(name)})"
        node = device_stats(home).add(node_name=retval, timeline_label=label, thread_id=caller)
        _set_times(node, observer.wall_ns, start, start, end, end)
    for thread in {r.thread for r in records} | {caller}:
        for used in devices.values():
            used.thread_names[thread] = thread_name(observer, thread)
    for work in observer.device_work():
        _add_device_work(device_stats, observer, work)
    for message in elsewhere:
        stats.MergeFromString(message)
    return stats


def flat(tensor_name):
    """x:0 as part of an operation's name: x_0."""
    return tensor_name.replace(":", "_")


def source_name(tensor_name):
    """The name of an input in a NodeDef: without an index of 0."""
    return tensor_name.removesuffix(":0")


def thread_name(observer, number):
    if number == observer.caller.native_id:
        return f"client {observer.caller.name}"
    for thread in threading.enumerate():
        if thread.native_id == number:
            return f"client {thread.name}"
    return f"tfcore worker {number}"


def label_of(op):
    """TensorFlow's label of an operation: name = Type(inputs)."""
    inputs = [source_name(s.name if s.is_feed else f"{s.name}:{i}") for s, i in op.inputs]
    return f"{op.name} = {op.type}({', '.join(inputs + ['^' + c.name for c in op.controls])})"


def _set_times(node, wall_ns, ready, start, end, done):
    """From ready to start it waits for a thread, to end it computes, to done it is suspended."""
    begin = start + wall_ns
    node.scheduled_nanos = ready + wall_ns
    node.scheduled_micros = node.scheduled_nanos // 1000
    node.all_start_nanos = begin
    node.all_start_micros = begin // 1000
    node.op_end_rel_nanos = end - start
    node.op_end_rel_micros = max(1, (end - start) // 1000)
    node.all_end_rel_nanos = done - start
    node.all_end_rel_micros = max(1, (done - start) // 1000)


def _add_node(node, observer, record, ids):
    node.node_name = record.op.name
    node.timeline_label = label_of(record.op)
    node.thread_id = record.thread
    done = record.done or record.suspended or record.start
    _set_times(node, observer.wall_ns, record.ready, record.start, record.suspended or done, done)
    used = node.memory.add(allocator_name=ALLOCATOR)
    fresh = [s for s in record.outputs if s is not None and s.fresh]
    used.total_bytes = sum(s.bytes for s in fresh) + record.scratch
    used.peak_bytes = used.total_bytes
    used.live_bytes = sum(s.bytes for s in fresh)
    for s in fresh:
        used.allocation_records.add(alloc_micros=(record.start + observer.wall_ns) // 1000, alloc_bytes=s.bytes)
    for time, n_bytes in ids.freed_by(record):
        used.allocation_records.add(alloc_micros=(time + observer.wall_ns) // 1000, alloc_bytes=-n_bytes)
    node.memory_stats.temp_memory_size = record.scratch
    for index, slot in enumerate(record.outputs):
        if slot is not None:
            _add_output(node, index, slot, ids)
    for slot in record.inputs:
        if slot in ids.of_slot:
            node.referenced_tensor.add(allocation_id=ids.of_slot[slot], allocator_name=ALLOCATOR)


def _add_device_work(device_stats, observer, work):
    """Adds a launch or copy on a GPU, to the devices that TensorFlow has for it: ".../stream:all" and ".../memcpy".

    The GPU's own name has the operations, with the times at which they put work into its queue.
    """
    gpu = work.op.device[work.op.device.index("/device:") :]
    op = f"{work.op.name}:{work.op.type}"
    if work.bytes < 0:
        node = device_stats(f"{gpu}/stream:all").add(node_name=op, timeline_label=work.what)
    else:
        label = f"{work.what} {work.bytes} bytes"
        node = device_stats(f"{gpu}/memcpy").add(node_name=f"{op}:{work.what}", timeline_label=label)
    _set_times(node, observer.wall_ns, work.start, work.start, work.done, work.done)


def _add_output(node, index, slot, ids):
    output = node.output.add(slot=index)
    described = output.tensor_description
    described.dtype = slot.dtype
    for size in slot.shape:
        described.shape.dim.add(size=size)
    allocation = described.allocation_description
    allocation.allocated_bytes = slot.bytes
    allocation.requested_bytes = requested_bytes(slot)
    allocation.allocator_name = ALLOCATOR
    allocation.allocation_id = ids.of_slot[slot.slot]
    allocation.has_single_reference = slot.fresh
    allocation.ptr = slot.data


def requested_bytes(slot):
    from tfcore.framework.types import dtypes

    count = 1
    for size in slot.shape:
        count *= size
    return count * dtypes.as_dtype(slot.dtype).size


class AllocationIds:
    """Numbers for pieces of memory: values that share memory share a number, reused memory gets a new one.

    of_slot: slot -> number. Numbers are in plan order.
    """

    def __init__(self):
        self.of_slot = {}
        self.live = {}  # id -> (allocating record, bytes, time of the last release or 0)

    def freed_by(self, record):
        """(time, bytes) of the memory that `record` allocated and the step freed."""
        return [(time, n_bytes) for maker, n_bytes, time in self.live.values() if maker is record and time]


def allocation_ids(observer, records):
    """AllocationIds of a traced step."""
    ids = AllocationIds()
    current = {}  # address -> number of the memory now at this address
    count = 0
    values = [(None, s) for *_, s in observer.feeds()] + [(None, s) for s in observer.snapshots().values()]
    made = [(r.start, r, s) for r in records for s in r.outputs]
    made += [(s.came, None, s) for s in observer.arrivals()]
    values += [(record, slot) for _, record, slot in sorted(made, key=lambda value: value[0])]
    for record, slot in values:
        if slot is None:
            continue
        if slot.fresh or slot.buffer not in current:
            count += 1
            current[slot.buffer] = count
            if slot.fresh:
                ids.live[count] = (record, slot.bytes, 0)
        number = ids.of_slot[slot.slot] = current[slot.buffer]
        if slot.gone and number in ids.live:
            maker, n_bytes, _ = ids.live[number]
            ids.live[number] = (maker, n_bytes, slot.freed)
    return ids


def make_cost_graph(observer):
    """CostGraphDef of the operations that ran. compute_cost is in microseconds, on a GPU those of its work there."""
    graph = protos.CostGraphDef()
    if observer is None:
        return graph
    numbers = {}
    on_device = collections.Counter()
    for work in observer.device_work():
        on_device[work.op] += work.done - work.start
    for record in observer.nodes():
        op = record.op
        numbers[op] = record.index
        node = graph.node.add(name=op.name, device=op.device, id=record.index)
        for source, index in op.inputs:
            if source in numbers:
                node.input_info.add(preceding_node=numbers[source], preceding_port=index)
        node.control_input.extend(numbers[c] for c in op.controls if c in numbers)
        for slot in record.outputs:
            info = node.output_info.add(alias_input_port=-1)
            if slot is not None:
                info.size = slot.bytes
                info.dtype = slot.dtype
                for size in slot.shape:
                    info.shape.dim.add(size=size)
        node.temporary_memory_size = record.scratch
        node.compute_cost = max(0, on_device.get(op, record.done - record.start)) // 1000
    return graph
