"""Where the time of traced steps goes: by operation, by type, by the user's line, and what the steps waited for."""

import collections
import re
from typing import NamedTuple

from tfcore.client.input_report import bottlenecks
from tfcore.client.step_stats import Trace
from tfcore.client.timeline import parse_label
from tfcore.compiler.devices import CPU
from tfcore.framework import protos

# What a task does at a moment: the first of these that is true. So the shares of a step add up to its length.
COMPUTING = "computing"
FEEDING = "feeding and fetching"
FOR_INPUT = "waiting for input"
FOR_TASKS = "waiting for other tasks or devices"
FOR_OTHER = "waiting in kernels of users"
FOR_THREADS = "waiting for a thread"  # others have them, or the step has not been admitted yet
BETWEEN = "between operations"
_KINDS = (COMPUTING, FEEDING, FOR_INPUT, FOR_TASKS, FOR_OTHER, FOR_THREADS)

_OF_INPUT = re.compile(r"Queue|Barrier|Stage$|StagePeek$|Unstage|MapPeek$|Reader|Iterator|Dataset")
_TAKES_INPUT = re.compile(r"IteratorGetNext|ReaderRead")  # while they run they wait for threads, or read files
_OF_TASKS = re.compile(r"_?(Host)?(Send|Recv)$|_RunPartition$|^Group|Collective|Accumulator")
_TRANSFERS = {"_Arg": "fed", "_Retval": "fetched"}
_BOUND = 0.2  # share of the time of steps from which on the input is what holds them up
_STREAM, _COPIES = "/stream:all", "/memcpy"  # ends of the devices that TensorFlow has for a GPU's work


class Span(NamedTuple):
    """One run of an operation, in ns: ready, it waits for a thread until start, computes until end, and is suspended
    until done. on_gpu: it is work in a GPU's queue."""

    task: str
    name: str
    type: str
    ready: int
    start: int
    end: int
    done: int
    on_gpu: bool = False


def spans_of_trace(trace):
    """The Spans of a step of this process, and of what other tasks ran for it."""
    records = trace.observer.nodes()
    home = _task_of(next((r.op.device for r in records), CPU))
    for kind, transfers in (("_Arg", trace.observer.feeds()), ("_Retval", trace.observer.fetches())):
        for name, start, end, _ in transfers:
            yield Span(home, name, kind, start, start, end, end)
    for r in records:
        done = r.done or r.suspended or r.start
        yield Span(_task_of(r.op.device), r.op.name, r.op.type, r.ready, r.start, r.suspended or done, done)
    for work in trace.observer.device_work():
        times = (work.start, work.start, work.done, work.done)
        yield Span(_task_of(work.op.device), work.op.name, work.op.type, *times, on_gpu=True)
    for message in trace.elsewhere:
        yield from spans_of(protos.StepStats.FromString(message))


def spans_of(step_stats):
    """The Spans of a StepStats message, of tfcore or TensorFlow."""
    tasks = {_task_of(device.device) for device in step_stats.dev_stats} - {""}
    only = tasks.pop() if len(tasks) == 1 else ""
    for device in step_stats.dev_stats:
        on_gpu = device.device.endswith((_STREAM, _COPIES))
        if "/stream:" in device.device and not on_gpu:
            continue  # TensorFlow has all of it once more, stream by stream
        task = _task_of(device.device) or only or device.device  # of a GPU's work the message does not say it
        for node in device.node_stats:
            start = node.all_start_nanos or 1000 * node.all_start_micros
            end = start + (node.op_end_rel_nanos or 1000 * node.op_end_rel_micros)
            done = start + (node.all_end_rel_nanos or 1000 * node.all_end_rel_micros)
            ready = node.scheduled_nanos or 1000 * node.scheduled_micros or start
            name, op_type, _ = parse_label(node)
            if on_gpu:  # name:type, and of a copy what it does
                name, op_type = (node.node_name.split(":") + [""])[:2]
            yield Span(task, name, op_type, min(ready, start), start, end, max(end, done), on_gpu)


def _task_of(device):
    """/job:a/replica:0/task:0, or ""."""
    return device.partition("/device:")[0]


def _kind_of_run(op_type):
    if op_type in _TRANSFERS:
        return FEEDING
    return FOR_INPUT if _TAKES_INPUT.match(op_type) else COMPUTING


def _kind_of_wait(op_type):
    if _OF_TASKS.search(op_type):
        return FOR_TASKS
    return FOR_INPUT if _OF_INPUT.search(op_type) else FOR_OTHER


class OperationTime:
    """The time of one operation, or of all of a type or of a line, in seconds.

    Attributes:
      task, name, type, line: of the operation. count: how often it ran. time: while it ran, on one or more threads; of
        one on a GPU, until its work was in the GPU's queue. on_gpu: while its work ran there. waited: while it was
        suspended.
    """

    __slots__ = ("task", "name", "type", "line", "count", "time", "on_gpu", "waited")

    def __init__(self, task, name, op_type, line):
        self.task, self.name, self.type, self.line = task, name, op_type, line
        self.count, self.time, self.on_gpu, self.waited = 0, 0.0, 0.0, 0.0

    def add(self, other):
        self.count += other.count
        self.time += other.time
        self.on_gpu += other.on_gpu
        self.waited += other.waited

    @property
    def total(self):
        return self.time + self.on_gpu

    def __repr__(self):
        return f"<OperationTime {self.name}: {self.time:.6f} s, waited {self.waited:.6f} s, {self.count} runs>"


class TimeReport:
    """Where the time of traced steps went. str() is a text.

    Attributes:
      operations: A list of `OperationTime`, the one with the most time first; runs in loops and in all steps add up.
      walls: The length of each step, in seconds.
      bottlenecks: The stages of this process's datasets that steps waited for, the worst first: see `bound_by_input`.
      shares: A list of a dict for each step: task -> {what it did: seconds}. What a task did at a moment is the first
        that is true of: computing, feeding and fetching, waiting for input, waiting for other tasks or devices, waiting
        in kernels of users, waiting for a thread, between operations.

    Args:
      steps: A list of `RunMetadata` of traced steps, or of StepStats messages.
      graph: The graph whose operations ran (optional); StepStats messages do not name the program's lines.

    Raises:
      ValueError: A step was not traced.

    Example:

    >>> x = tf.placeholder(tf.float32, [None])
    >>> y = tf.exp(x)
    >>> options, steps = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), []
    >>> with tf.Session() as sess:
    ...     for _ in range(3):
    ...         steps.append(tf.RunMetadata())
    ...         _ = sess.run(y, {x: [1.0]}, options, steps[-1])
    >>> [(use.type, use.count) for use in tf.train.TimeReport(steps).operations if use.name == y.op.name]
    [('Exp', 3)]
    """

    def __init__(self, steps, graph=None):
        self.walls, self.shares, found, stages = [], [], {}, []
        own = {} if graph is None else {op.name: op.creation_line for op in graph.get_operations()}
        for step in steps:
            spans, lines, around = _read(step)
            stages += around
            lines = lines or own
            by_task = collections.defaultdict(list)
            for span in spans:
                by_task[span.task].append(span)
                key = span.task, span.name, span.type
                use = found.get(key)
                if use is None:
                    use = found[key] = OperationTime(*key, lines.get(span.name, ""))
                if span.on_gpu:
                    use.on_gpu += (span.done - span.start) / 1e9
                else:
                    use.count += 1
                    use.time += (span.end - span.start) / 1e9
                    use.waited += (span.done - span.end) / 1e9
            shares = {task: _shares(spans) for task, spans in by_task.items()}
            self.shares.append(shares)
            self.walls.append(sum(next(iter(shares.values()), {}).values()))  # the first task is the master
        self.operations = sorted(found.values(), key=lambda o: -o.total)
        self.bottlenecks = bottlenecks(stages[0], stages[-1]) if stages else []

    def bound_by_input(self):
        """How much of the time of the steps the master's task did nothing but wait for its input.

        Returns:
          A number from 0 to 1.
        """
        waited = sum(next(iter(step.values()), {}).get(FOR_INPUT, 0.0) for step in self.shares)
        return waited / sum(self.walls) if waited else 0.0

    def by_type(self):
        """The time by type of operation.

        Returns:
          A list of `OperationTime`, the one with the most time first.
        """
        return self._grouped(lambda o: ("", "", o.type, ""))

    def by_line(self):
        """The time by the line of the program that made the operations.

        Returns:
          A list of `OperationTime`, the one with the most time first.
        """
        return self._grouped(lambda o: ("", "", "", o.line))

    def _grouped(self, key):
        groups = {}
        for operation in self.operations:
            groups.setdefault(key(operation), OperationTime(*key(operation))).add(operation)
        return sorted(groups.values(), key=lambda o: -o.total)

    def text(self, rows=10):
        """The report as a text.

        Args:
          rows: Operations, types and lines that are listed, at most.

        Returns:
          A string.
        """
        lines = self._overview()
        lines += self._of_input(rows)
        several = len({o.task for o in self.operations}) > 1
        columns = [("time", lambda o: _readable(o.time)), ("runs", lambda o: f"{o.count:,}")]
        if any(o.on_gpu for o in self.operations):
            columns.insert(1, ("on GPU", lambda o: _readable(o.on_gpu)))
        lines += _table("by operation", columns, lambda o: _named(o, several), self.operations, rows)
        lines += _table("by type", columns, lambda o: o.type, self.by_type(), rows)
        by_line = [o for o in self.by_line() if o.line]
        lines += _table("by line", columns, lambda o: o.line, by_line, rows)
        waits = sorted((o for o in self.operations if o.waited), key=lambda o: -o.waited)
        columns = [("waited", lambda o: _readable(o.waited)), ("runs", lambda o: f"{o.count:,}")]
        return "\n".join(lines + _table("waits", columns, lambda o: _named(o, several, waits=True), waits, rows))

    def _overview(self):
        lines = [f"time of {len(self.walls):,} steps: {_readable(sum(self.walls))}"]
        if len(self.walls) == 1:
            lines = [f"time of a step: {_readable(self.walls[0])}"]
        elif self.walls:
            slowest = max(range(len(self.walls)), key=self.walls.__getitem__)
            most = _ordered(next(iter(self.shares[slowest].values()), {}))[:2]
            lines[0] += f"; half of them took at most {_readable(sorted(self.walls)[(len(self.walls) - 1) // 2])} each"
            parts = ", ".join(f"{what} {_readable(time)}" for what, time in most)
            lines.append(f"the slowest, number {slowest + 1}, took {_readable(self.walls[slowest])}: {parts}")
        for task in dict.fromkeys(task for step in self.shares for task in step):
            total = collections.Counter()
            for step in self.shares:
                total.update(step.get(task, {}))
            wall = sum(total.values())
            lines += ["", task]
            lines += [f"{_readable(time):>10s} {time / wall:6.1%}  {what}" for what, time in _ordered(total)]
        return lines

    def _of_input(self, rows):
        share = self.bound_by_input()
        if share < _BOUND:
            return []
        lines = ["", f"the input holds the steps up: they wait for it for {share:.1%} of their time"]
        lines += [str(b) for b in self.bottlenecks[:rows] if b.waited]
        queues = [o for o in self.operations if "Dequeue" in o.type and o.waited]
        for o in sorted(queues, key=lambda o: -o.waited)[:rows]:
            lines.append(
                f"{o.name} waited {_readable(o.waited)} for elements: more threads that fill its queue may help"
            )
        files = [o for o in self.operations if o.type.startswith("ReaderRead")]
        for o in sorted(files, key=lambda o: -o.time)[:rows]:
            lines.append(
                f"{o.name} read files for {_readable(o.time)}: several readers, each with its own file, may help"
            )
        return lines

    def __str__(self):
        return self.text()


def _read(step):
    """Of a traced step: (Spans, dict from names of operations to their lines, stages of datasets before and after)."""
    trace = step if isinstance(step, Trace) else getattr(step, "trace", None)
    if trace is not None:
        return spans_of_trace(trace), {node.name: node.creation_line for node in trace.nodes()}, trace.stages
    stats = getattr(step, "step_stats", step)
    if not stats.dev_stats:
        raise ValueError(
            "A step has no trace: pass a tf.RunMetadata to Session.run with "
            "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)."
        )
    return spans_of(stats), {}, ()


def _shares(spans):
    """What a task did in a step: {what: seconds}."""
    changes = []  # (ns, 1 or -1, kind)
    for s in spans:
        doing, wait = _kind_of_run(s.type), _kind_of_wait(s.type)
        for kind, begin, end in ((FOR_THREADS, s.ready, s.start), (doing, s.start, s.end), (wait, s.end, s.done)):
            if end > begin:
                changes += [(begin, 1, kind), (end, -1, kind)]
    changes.sort()
    shares, active, last = dict.fromkeys((*_KINDS, BETWEEN), 0.0), collections.Counter(), None
    for now, change, kind in changes:
        if last is not None:
            shares[next((k for k in _KINDS if active[k]), BETWEEN)] += (now - last) / 1e9
        last = now
        active[kind] += change
    return shares


def _ordered(shares):
    return sorted(((what, time) for what, time in shares.items() if time), key=lambda share: -share[1])


def _table(title, columns, name, operations, rows):
    if not operations:
        return []
    lines = ["", title, " ".join(f"{head:>10s}" for head, _ in columns)]
    for operation in operations[:rows]:
        lines.append(" ".join(f"{column(operation):>10s}" for _, column in columns) + f"  {name(operation)}")
    if len(operations) > rows:
        lines.append(f"and {len(operations) - rows:,} more")
    return lines


def _named(operation, several, waits=False):
    what = f"{_kind_of_wait(operation.type).removeprefix('waiting ')}: " if waits else ""
    kind = _TRANSFERS.get(operation.type, f"op: {operation.type}")
    task = f" on {operation.task}" if several else ""
    where = f" (defined at {operation.line})" if operation.line else ""
    return f"{what}{operation.name} ({kind}){task}{where}"


def _readable(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3)):
        if seconds * scale >= 1:
            return f"{seconds * scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
