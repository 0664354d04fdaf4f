"""What a graph tells of its operations: float operations, trainable variables, lines of the program (OpLogProto)."""

import os
import sys

from tfcore.framework import protos
from tfcore.framework.graph.default_graph import GraphKeys, get_default_graph
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.profiler.float_ops import get_stats_for_node_def
from tfcore.profiler.nodes import saturated

__all__ = ["merge_default_with_oplog", "write_op_log"]

TRAINABLE_VARIABLES = "_trainable_variables"  # the type of nodes that are trainable variables
REGISTERED_FLOP_STATS = "flops"


def merge_default_with_oplog(graph, op_log=None, run_meta=None, add_trace=True, add_trainable_var=True):
    """Completes an OpLogProto with what the graph tells of its operations.

    Args:
      graph: The `Graph`; the default graph if None.
      op_log: An OpLogProto with types of operations and numbers of float operations (optional). It is left as it is.
      run_meta: The `RunMetadata` of a traced step, which completes unknown shapes (optional).
      add_trace: Whether to add the lines that created the operations.
      add_trainable_var: Whether trainable variables get the type "_trainable_variables".

    Returns:
      An OpLogProto.

    Raises:
      TypeError: `run_meta` is not a RunMetadata.
    """
    if run_meta is not None and not hasattr(run_meta, "step_stats"):
        raise TypeError(f"run_meta must be a tf.RunMetadata, but got {type(run_meta)}")
    graph = graph or get_default_graph()
    result = protos.OpLogProto()
    if op_log is not None:
        result.CopyFrom(protos.as_message(protos.OpLogProto, op_log))
    entries = {entry.name: entry for entry in result.log_entries}

    def entry_of(name):
        if name not in entries:
            entries[name] = result.log_entries.add(name=name)
        return entries[name]

    for name, count in _float_ops(graph, run_meta).items():
        entry = entry_of(name)
        entry.float_ops = entry.float_ops or saturated(count)
    if add_trace:
        _add_traces(graph, result, entry_of)
    if add_trainable_var:
        for variable in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
            entry_of(variable.op.name).types.append(TRAINABLE_VARIABLES)
    return result


def write_op_log(graph, log_dir, op_log=None, run_meta=None, add_trace=True):
    """Writes what a graph tells of its operations to the file "tfprof_log" of a folder.

    Args:
      graph: The `Graph`; the default graph if None.
      log_dir: The folder.
      op_log: An OpLogProto to complete (optional).
      run_meta: The `RunMetadata` of a traced step, which completes unknown shapes (optional).
      add_trace: Whether to add the lines that created the operations.

    Raises:
      NotFoundError: The folder does not exist.
      TypeError: `run_meta` is not a RunMetadata.
    """
    from tfcore.platform import gfile

    log = merge_default_with_oplog(graph, op_log, run_meta, add_trace)
    with gfile.Open(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(log.SerializeToString())


def _float_ops(graph, run_meta):
    """{name of an operation: its float operations}, of those for which they are known and not 0."""
    shapes = GraphOfStep(graph, run_meta) if run_meta else graph
    counts, n_unknown = {}, 0
    for op in graph.get_operations():
        try:
            value = get_stats_for_node_def(shapes, op.node_def, REGISTERED_FLOP_STATS).value
        except ValueError:  # a shape is unknown, or the layout is another
            n_unknown += 1
            continue
        if value:
            counts[op.name] = int(value)
    if n_unknown and not run_meta:
        print(f"{n_unknown} ops no flops stats due to incomplete shapes.", file=sys.stderr)
    return counts


def _add_traces(graph, log, entry_of):
    """Adds the frames of all operations; strings stand once, in a table whose number 0 is for the unknown."""
    numbers = {text: number for number, text in log.id_to_string.items()} or {"none": 0}

    def number_of(text):
        return numbers.setdefault(text, len(numbers)) if text else 0

    for op in graph.get_operations():
        code = entry_of(op.name).code_def
        if code.traces:
            continue
        for file, line, function, text in op.traceback:
            trace = code.traces.add(lineno=line or -1, func_start_line=-1)
            trace.file_id, trace.function_id, trace.line_id = map(number_of, (file, function, text))
    for text, number in numbers.items():
        log.id_to_string[number] = text


class GraphOfStep:
    """A graph whose tensors have, where their static shapes are incomplete, the shapes of a step.

    TensorFlow writes them into the graph, which then refuses feeds of other sizes.
    """

    def __init__(self, graph, run_meta):
        self._graph = graph
        self._shapes = dict(_shapes_of_step(graph, run_meta))

    def __getattr__(self, name):
        return getattr(self._graph, name)

    def get_tensor_by_name(self, name):
        """The tensor, or what stands for it where the step has a better shape."""
        tensor = self._graph.get_tensor_by_name(name)
        return _TensorOfStep(tensor, self._shapes[tensor.name]) if tensor.name in self._shapes else tensor

    def as_graph_def(self):
        """The GraphDef with the shapes of the step in the attribute `_output_shapes`."""
        graph_def = self._graph.as_graph_def(add_shapes=True)
        for node in graph_def.node if self._shapes else ():
            for i, shape in enumerate(node.attr["_output_shapes"].list.shape):
                if known := self._shapes.get(f"{node.name}:{i}"):
                    shape.CopyFrom(known.as_proto())
        return graph_def


class _TensorOfStep:
    """A tensor with the shape that it had in a step."""

    def __init__(self, tensor, shape):
        self._tensor, self.shape = tensor, shape

    def __getattr__(self, name):
        return getattr(self._tensor, name)

    def get_shape(self):
        return self.shape


def _shapes_of_step(graph, run_meta):
    """(name of a tensor, its shape in the step) of tensors whose static shapes are incomplete."""
    found = {}
    for node in (n for device in run_meta.step_stats.dev_stats for n in device.node_stats):
        try:
            op = graph.get_operation_by_name(node.node_name)
        except (KeyError, ValueError):  # a feed, a fetch, or a transfer
            continue
        if len(node.output) != len(op.outputs):  # such as a branch, which makes one of its outputs
            continue
        for tensor, output in zip(op.outputs, node.output):
            static = found.get(tensor.name, tensor.shape)
            if static.is_fully_defined() and tensor.name not in found:
                continue
            shape = TensorShape([dim.size for dim in output.tensor_description.shape.dim])
            try:
                found[tensor.name] = static.merge_with(shape)
            except ValueError as error:  # it differs between iterations
                print(f"Node {node.node_name} incompatible shapes: {error}.", file=sys.stderr)
    return found.items()
