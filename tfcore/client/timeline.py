"""A traced step as a file for chrome://tracing or ui.perfetto.dev.

    metadata = tf.RunMetadata()
    session.run(fetches, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    metadata.write_timeline("step.json")

or, as in TensorFlow, Timeline(metadata.step_stats).generate_chrome_trace_format().
"""

_FEED, _FETCH = "_arg_", "_retval_"


class Timeline:
    """Converts a StepStats message, of tfcore or TensorFlow, to a trace for a browser.

    Args:
      step_stats: The StepStats message, such as `RunMetadata.step_stats`.
      graph: Accepted for compatibility.
    """

    def __init__(self, step_stats, graph=None):
        self._stats = step_stats
        self._events = []

    def generate_chrome_trace_format(self, show_dataflow=True, show_memory=False, op_time="schedule"):
        """The trace in the format of chrome://tracing.

        There is one lane per thread of each device, and one for its waits: from the last input until an operation
        starts, and from its suspension until it resumes. Feeds and fetches are events of the category Transfer.

        Args:
          show_dataflow: Whether arrows lead from each value to the operations that use it.
          show_memory: Whether a counter shows the memory in use.
          op_time: "schedule" or "all" show an operation until it is done, "gpu" or "kernel" only while it computes.

        Returns:
          A string: JSON.
        """
        import json

        self._events = []
        start = min((_start(n) for d in self._stats.dev_stats for n in d.node_stats), default=0)
        for pid, device in enumerate(self._stats.dev_stats):
            self._add_device(pid, device, op_time)
            if show_memory:
                self._add_memory(pid, device, start)
        if show_dataflow:
            self._add_arrows()
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": self._events})

    def _add_device(self, pid, device, op_time):
        self._events.append(_meta("process_name", pid, 0, f"{device.device} Compute"))
        lanes = sorted({n.thread_id for n in device.node_stats})
        for tid in lanes:
            name = device.thread_names.get(tid) or f"thread {tid}"
            self._events.append(_meta("thread_name", pid, tid, name))
        waiting = set()
        for node in device.node_stats:
            self._add_node(pid, node, op_time)
            waiting.update(self._add_waits(pid, node))
        for tid in sorted(waiting):
            name = device.thread_names.get(tid) or f"thread {tid}"
            self._events.append(_meta("thread_name", pid, _wait_lane(tid), f"waits for {name}"))

    def _add_node(self, pid, node, op_time):
        name, op_type, inputs = parse_label(node)
        begin, end = _start(node), _start(node) + _length(node, "op_end_rel")
        if op_time in ("schedule", "all") and not _suspends(node):
            end = max(end, begin + _length(node, "all_end_rel"))
        arguments = {f"input{i}": source for i, source in enumerate(inputs)}
        arguments.update(name=name, op=op_type)
        for output in node.output:
            shape = [d.size for d in output.tensor_description.shape.dim]
            arguments[f"output{output.slot}"] = f"type {output.tensor_description.dtype}, shape {shape}"
        category = "Transfer" if name.startswith((_FEED, _FETCH)) or op_type in ("_Send", "_Recv") else "Op"
        self._events.append(_event("X", category, op_type, pid, node.thread_id, begin, dur=end - begin, args=arguments))

    def _add_waits(self, pid, node):
        """Adds spans in which the operation could not run. Yields the lane if there are any."""
        name, op_type, _ = parse_label(node)
        begin = _start(node)
        ready = node.scheduled_nanos / 1000 or node.scheduled_micros
        spans = []
        if ready and begin - ready >= 1:
            spans.append((f"{op_type} ready", "Wait", ready, begin))
        if _suspends(node):
            spans.append(
                (
                    f"{op_type} suspended",
                    "Suspended",
                    begin + _length(node, "op_end_rel"),
                    begin + _length(node, "all_end_rel"),
                )
            )
        for number, (label, category, first, last) in enumerate(spans):
            common = {"id": f"{pid}.{name}.{number}", "args": {"name": name}}
            lane = _wait_lane(node.thread_id)
            self._events.append(_event("b", category, label, pid, lane, first, **common))
            self._events.append(_event("e", category, label, pid, lane, last, **common))
        return [node.thread_id] if spans else []

    def _add_arrows(self):
        """From the end of each value's operation to the start of those that use it."""
        made = {}  # name -> (pid, node)
        for pid, device in enumerate(self._stats.dev_stats):
            for node in device.node_stats:
                made.setdefault(_value_name(node), (pid, node))
        number = 0
        for pid, device in enumerate(self._stats.dev_stats):
            for node in device.node_stats:
                for source in parse_label(node)[2]:
                    found = made.get(source.lstrip("^").split(":")[0])
                    if found is None or found[1] is node:
                        continue
                    source_pid, source_node = found
                    end = _start(source_node) + _length(source_node, "op_end_rel")
                    number += 1
                    self._events.append(
                        _event("s", "DataFlow", source, source_pid, source_node.thread_id, end, id=number)
                    )
                    self._events.append(
                        _event("f", "DataFlow", source, pid, node.thread_id, max(end, _start(node)), id=number, bp="e")
                    )

    def _add_memory(self, pid, device, start):
        changes = []
        for node in device.node_stats:
            for used in node.memory:
                changes += [(r.alloc_micros, r.alloc_bytes, used.allocator_name) for r in used.allocation_records]
        held = {}
        for name in sorted({name for *_, name in changes}):
            held[name] = 0
            self._events.append(_event("C", "Memory", name, pid, 0, start, args={name: 0}))
        for time, n_bytes, name in sorted(changes, key=lambda c: (c[0], -c[1])):
            held[name] += n_bytes
            self._events.append(_event("C", "Memory", name, pid, 0, time, args={name: held[name]}))


def parse_label(node):
    """Splits a label such as `c = MatMul(a, b)`.

    Args:
      node: A NodeExecStats message.

    Returns:
      A tuple (name, op type, list of the names of inputs).

    Raises:
      ValueError: The label is malformed.
    """
    label = node.timeline_label
    if "=" in label and label.endswith(")") and "(" in label:
        name, rest = label.split(" = ", 1)
        op_type, rest = rest.split("(", 1)
        return name, op_type, [part.strip() for part in rest[:-1].split(",") if part.strip()]
    return node.node_name, label or node.node_name, []


def _value_name(node):
    """The name by which labels refer to the node's values; feeds take the place of the tensor's operation."""
    name = node.node_name
    if name.startswith(_FEED):
        return name[len(_FEED) :].rsplit("_", 2)[0]
    return name


def _start(node):
    """The start in microseconds, with a fraction if nanoseconds are known."""
    return node.all_start_nanos / 1000 or node.all_start_micros


def _length(node, which):
    return getattr(node, f"{which}_nanos") / 1000 or getattr(node, f"{which}_micros")


def _suspends(node):
    """Whether the kernel was suspended: TensorFlow's bookkeeping after a kernel takes less than this."""
    return node.all_end_rel_nanos > node.op_end_rel_nanos + 5000


def _wait_lane(tid):
    return tid + 10_000_000


def _meta(what, pid, tid, name):
    return {"ph": "M", "name": what, "pid": pid, "tid": tid, "args": {"name": name}}


def _event(phase, category, name, pid, tid, time, **more):
    return {"ph": phase, "cat": category, "name": name, "pid": pid, "tid": tid, "ts": time, **more}
