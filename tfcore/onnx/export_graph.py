"""`tfcore.onnx.export`: writes the part of a graph between inputs and outputs as an ONNX model."""

import importlib
import os

from tfcore.client.session import BaseSession, Session
from tfcore.framework import errors, protos
from tfcore.framework.exchange.importer import import_graph_def
from tfcore.framework.functions.function_call import callee, find_function, inline_body
from tfcore.framework.graph.graph import Graph
from tfcore.framework.graph.operation import Operation, Tensor
from tfcore.onnx.constant_part import error_of, evaluate
from tfcore.onnx.files import write_model
from tfcore.onnx.model import Model, onnx_package
from tfcore.onnx.registry import CONVERTERS

_FAMILIES = ("arrays", "elementwise", "neural", "reductions", "slices")


def export(source, inputs, outputs, file=None):
    """Exports the part of a graph that computes outputs from inputs to ONNX, for inference.

    What does not depend on the inputs, variables above all, is evaluated and becomes a constant. Control inputs are
    ignored, so that exporting changes no variable. The model has the operator set 18.

    Args:
      source: The `Session` that has the variables; or a `Graph` or GraphDef without variables.
      inputs: A list of tensors or their names, which is also what the model calls its inputs, without ":0"; or a dict
        from the model's names to tensors.
      outputs: The same for what the model computes.
      file: A path to write the model to (optional). If its constants take about 2 GB they go to another file in the
        same folder, whose name is that of the model, a random number, and ".data". Such a file of a model that is
        replaced is removed.

    Returns:
      The model, an `onnx.ModelProto`.

    Raises:
      tf.errors.UnimplementedError: An operation, or this use of it, has no counterpart; the error names it.
      tf.errors.FailedPreconditionError: A variable is not initialized.
      tf.errors.OpError: What does not depend on the inputs cannot be evaluated.
      ValueError: There are no inputs or no outputs; the outputs depend on a placeholder that is not an input; two
        tensors have the same name, or a tensor is there twice among the inputs; what has to be in the model's own file,
        such as strings, takes more than 2 GB.
      TypeError: `source` is of another type.
      KeyError: The graph has no such tensor.
      OSError: A file cannot be written.
      ImportError: The package onnx is missing.

    Example:

    >>> import tfcore.onnx
    >>> x, w = tf.placeholder(tf.float32, [None, 2], name="x"), tf.Variable([[1.0], [2.0]])
    >>> y = tf.nn.relu(tf.matmul(x, w), name="y")
    >>> sess.run(w.initializer)
    >>> model = tfcore.onnx.export(sess, [x], [y])
    >>> [node.op_type for node in model.graph.node]
    ['MatMul', 'Relu']
    """
    onnx_package()
    if isinstance(source, BaseSession):
        return _export(source, source.graph, inputs, outputs, file)
    source = protos.as_message(protos.GraphDef, source)
    if isinstance(source, protos.GraphDef):
        with Graph().as_default() as graph:
            import_graph_def(source, name="")
    elif isinstance(source, Graph):
        graph = source
    else:
        raise TypeError(f"source must be a Session, a Graph or a GraphDef: {source!r}")
    with Session(graph=graph) as session:
        return _export(session, graph, inputs, outputs, file)


def _export(session, graph, inputs, outputs, file):
    inputs, outputs = _named(graph, inputs), _named(graph, outputs)
    both = sorted(set(inputs) & set(outputs))
    if both:
        raise ValueError(f"Inputs and outputs of a model must have different names: {', '.join(both)}")
    if len(set(inputs.values())) < len(inputs):
        raise ValueError(f"A tensor is there twice among the inputs: {', '.join(t.name for t in inputs.values())}")
    exporter = Exporter(session, inputs, outputs)
    model = exporter.run()
    if file is not None:
        write_model(model, os.fspath(file))
    return model


def _named(graph, given):
    """{name: Tensor} of a dict or list of tensors or names."""
    pairs = given.items() if isinstance(given, dict) else ((None, item) for item in _as_list(given))
    result = {}
    for name, item in pairs:
        tensor = graph.as_graph_element(item)
        if isinstance(tensor, Operation):
            tensor = tensor.outputs[0]
        if name is None:
            name = tensor.name.removesuffix(":0")
        if name in result:
            raise ValueError(f"Two tensors have the name {name}.")
        result[name] = tensor
    if not result:
        raise ValueError("A model needs inputs and outputs.")
    return result


def _as_list(given):
    return [given] if isinstance(given, (str, Tensor)) else list(given)


class Exporter:
    """Walks the graph from the inputs to the outputs, and calls the converter of each operation."""

    def __init__(self, session, inputs, outputs):
        for family in _FAMILIES:
            importlib.import_module(f"tfcore.onnx.{family}")
        self._session = session
        self._inputs = inputs
        self._outputs = outputs
        self._calls = []  # the functions that are being converted
        self._order, constants = self._operations()
        self._model = Model(self._evaluated(self._order, constants))

    def run(self):
        """The ONNX model."""
        model = self._model
        for name, tensor in self._inputs.items():
            model.add_input(name, tensor)
        for name in self._outputs:
            model.reserve(name)
        for op in self._order:
            self._convert(op)
        for name, tensor in self._outputs.items():
            model.add_output(name, tensor)
        return model.finish()

    def _convert(self, op):
        converter = CONVERTERS.get(op.type)
        if converter is not None:
            converter(self._model, op)
        elif callee(op) is not None:
            self._convert_call(op)
        else:
            raise errors.UnimplementedError(
                None, op, f"Operation '{op.name}' of type {op.type} has no counterpart in ONNX here."
            )

    def _convert_call(self, op):
        """Converts what a function computes for a call."""
        name = callee(op).name
        if name in self._calls:
            raise self._model.unsupported(op, f"the function '{name}' calls itself")
        self._calls.append(name)
        body = find_function(op, name).body(callee(op).attrs)
        copies = inline_body(body, op.inputs, op, op.name + "/")
        tensors = dict(zip(body.inputs, op.inputs))
        for source, copy in copies.items():
            tensors.update(zip(source.outputs, copy.outputs))
        results = [tensors[t] for t in body.outputs]
        for inner in _sorted(results, set(copies.values())):
            if not inner.outputs or not all(map(self._model.is_static, inner.outputs)):
                self._convert(inner)
        for output, result in zip(op.outputs, results):
            self._model.set(output, self._model.value(result))
        self._calls.pop()

    def _operations(self):
        """The operations between inputs and outputs, and the others that outputs need; each after those it needs."""
        given = set(self._inputs.values())
        depends, order, constants = {}, [], []  # operation -> whether it depends on an input
        todo = [(tensor.op, False) for tensor in self._outputs.values() if tensor not in given]
        while todo:
            op, is_ready = todo.pop()
            if not is_ready:
                if op not in depends:
                    depends[op] = None
                    todo.append((op, True))
                    todo += [(t.op, False) for t in op.inputs if t not in given and t.op not in depends]
                continue
            depends[op] = any(t in given or depends.get(t.op) for t in op.inputs)
            (order if depends[op] else constants).append(op)
            if not depends[op] and (error := error_of(op)) is not None:
                raise error
        return order, constants

    def _evaluated(self, order, constants):
        """{tensor: array} of the inputs of these operations, and outputs, that do not depend on the inputs."""
        dependent = {tensor for op in order for tensor in op.outputs} | set(self._inputs.values())
        needed = [tensor for op in order for tensor in op.inputs] + list(self._outputs.values())
        return evaluate(self._session, constants, [t for t in dict.fromkeys(needed) if t not in dependent])


def _sorted(results, inside):
    """The operations of a set that results need, each after those that it needs."""
    order, seen = [], set()
    todo = [(tensor.op, False) for tensor in results]
    while todo:
        op, is_ready = todo.pop()
        if is_ready:
            order.append(op)
        elif op in inside and op not in seen:
            seen.add(op)
            todo.append((op, True))
            todo += [(tensor.op, False) for tensor in op.inputs]
    return order
