"""Implements RunOptions and RunMetadata, the memory limit of sessions, and closing at exit."""

import atexit
import weakref

import numpy as np

from tfcore.client.metadata import RunMetadata
from tfcore.client.step_stats import Trace
from tfcore.core.runtime import set_memory_limit
from tfcore.core.step.executor import run_observed
from tfcore.core.step.observer import CHECK_NUMERICS, TRACE, WATCH, Observer
from tfcore.framework import errors, protos

EXIT_WAIT_S = 2.0  # for steps of daemon threads when the interpreter ends

_sessions = weakref.WeakSet()
_limits = {}  # limits of open sessions that set one


class Controls:
    """The options of one run.

    Attributes:
      modes: of the Observer. timeout_ms: 0 for none. inter_op: see executor.run_plan. graphs: partition graphs.
      in_background: see executor.run_observed. dump: a TensorDump, or None.
    """

    __slots__ = ("modes", "timeout_ms", "inter_op", "graphs", "metadata", "in_background", "dump")

    def __init__(self, session, options, run_metadata):
        if run_metadata is not None and not hasattr(run_metadata, "ParseFromString"):
            raise TypeError(f"run_metadata must be a tf.RunMetadata, but got {type(run_metadata)}")
        self.modes = CHECK_NUMERICS if session.checks_numerics else 0
        self.timeout_ms, self.inter_op = session._timeout_ms, session._inter_op
        self.graphs = self.in_background = False
        self.dump = None
        self.metadata = run_metadata
        if options is not None:
            self._read(options, session)

    def _read(self, options, session):
        message = protos.as_message(protos.RunOptions, options)
        if not isinstance(message, protos.RunOptions):
            raise TypeError(f"options must be a tf.RunOptions, but got {type(options)}")
        pool = message.inter_op_thread_pool
        if pool > 0:
            raise errors.InvalidArgumentError(None, None, f"Invalid inter_op_thread_pool: {pool}")
        traced = message.trace_level != message.NO_TRACE and self.metadata is not None
        self.modes |= (TRACE if traced else 0) | (CHECK_NUMERICS if message.check_numerics else 0)
        if watches := message.debug_options.debug_tensor_watch_opts:
            from tfcore.client.tensor_dump import TensorDump  # here: few programs need it

            self.modes |= WATCH
            self.dump = TensorDump(watches, session.graph)
        self.timeout_ms = max(0, message.timeout_in_ms) or self.timeout_ms
        self.inter_op = 1 if pool < 0 else self.inter_op
        self.graphs = message.output_partition_graphs
        self.in_background = message.experimental.run_handler_pool_options.priority < 0

    @property
    def needs_observer(self):
        return bool(self.modes or self.timeout_ms)

    @property
    def traces(self):
        return bool(self.modes & TRACE)

    @property
    def checks_numerics(self):
        return bool(self.modes & CHECK_NUMERICS)

    @property
    def as_written(self):
        """Whether the graph runs without rewrites, so that each of its operations has its values."""
        return bool(self.modes & (CHECK_NUMERICS | WATCH))


def run_controlled(session, controls, signature, values):
    """Runs a signature with `controls` and fills the metadata, also if the step fails."""
    plan = signature.plan
    if controls.checks_numerics:
        _check_feeds(session, plan, values)
    watcher = controls.dump.add if controls.dump else None
    observer = Observer(plan, controls.modes, watcher) if controls.needs_observer else None
    stages = _stages() if controls.traces else ()
    try:
        result = run_observed(
            plan,
            values,
            session._threads,
            controls.inter_op,
            session._control,
            observer,
            controls.timeout_ms,
            controls.in_background,
        )
        if observer is not None and observer.watch_error is not None:
            raise observer.watch_error
        return signature.rebuild(result)
    finally:
        if controls.metadata is not None:
            _fill(controls, plan, observer, stages)


def _check_feeds(session, plan, values):
    """Raises InvalidArgumentError for a fed NaN; infinity may be intended, as in masks."""
    for name, value in zip(plan.feed_names, values):
        array = np.asarray(value)
        if array.dtype.kind in "OSUM" or not (nan := np.isnan(array)).any():
            continue
        op = session.graph.as_graph_element(name).op
        raise errors.InvalidArgumentError(
            None,
            op,
            f"{name} (fed) : Tensor had NaN values\n  {int(nan.sum())} NaN among {array.size} elements, shape "
            f"{list(array.shape)}; first at {np.argwhere(nan)[0].tolist()}{errors.location(op)}",
        )


def _fill(controls, plan, observer, stages):
    """stages: of input pipelines, when the step began."""
    trace = None
    if controls.traces:
        elsewhere = [op.step_stats(observer.step_id) for op in _remotes(plan)]
        trace = Trace(observer, elsewhere, lambda: _nodes(plan), (stages, _stages()))
    partitions = _partition_graphs(plan) if controls.graphs else []
    if isinstance(controls.metadata, RunMetadata):
        controls.metadata._fill(trace, partitions)
        return
    metadata = RunMetadata()
    metadata._fill(trace, partitions)
    controls.metadata.ParseFromString(metadata.SerializeToString())


def _stages():
    """What the stages of all iterators have counted."""
    from tfcore.core.registry.statistics import stages  # here: few programs need it

    return stages()


def _remotes(plan):
    """The nodes that run the partitions of other tasks."""
    return [op for op in plan.ops if op.type == "_RunPartition"]


def _nodes(plan):
    """What runs in all tasks."""
    return [*plan.ops, *plan.inner_ops, *[n for op in _remotes(plan) for n in op.partition.program.nodes]]


def has_fused_loops(plan):
    """Whether a loop of the step runs as one node, here or in another task."""
    return bool(plan.inner_ops) or any(op.has_fused_loops for op in _remotes(plan))


def _partition_graphs(plan):
    """Functions that make the GraphDef of each device: the nodes that a plan runs there, in order, after rewrites."""
    by_device = {}
    for node in _nodes(plan):
        by_device.setdefault(node.device, []).append(node)
    return [lambda nodes=nodes: _graph_def_of(nodes) for nodes in by_device.values()]


def _graph_def_of(nodes):
    from tfcore.compiler.program_def import nodes_to_graph_def

    return nodes_to_graph_def(nodes)


# ---- The memory limit


def limit_memory(session, limit):
    """Limits the tensors of the process to `limit` bytes while the session is open; the smallest limit counts."""
    key = id(session)
    _limits[key] = limit
    set_memory_limit(min(_limits.values()))
    return weakref.finalize(session, _forget_limit, key)


def _forget_limit(key):
    _limits.pop(key, None)
    set_memory_limit(min(_limits.values(), default=0))


# ---- The end of the process


def remember(session):
    """Closes the session when the interpreter ends."""
    _sessions.add(session)


@atexit.register
def _close_all():
    for session in list(_sessions):
        if not session._forked:
            session._control.close(EXIT_WAIT_S)
