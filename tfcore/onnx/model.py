"""The ONNX model that converters add to.

Values are known by the tensors of the graph. ONNX's convolutions have the channels first, the graph's have them last in
most cases; a value that such a node makes is kept that way, and transposed when another node needs it otherwise.
"""

import numpy as np

from tfcore.framework import errors
from tfcore.framework.exchange.graph_def import unused_name
from tfcore.framework.types import dtypes
from tfcore.framework.values.constant import constant_value

OPSET = 18
_IR_VERSION = 8  # the version of the file format that came with it
_HINT = "ONNX models need the package onnx ({}). Install it with: pip install 'tfcore[onnx]'"
_TO_CHANNELS_FIRST, _TO_CHANNELS_LAST = (0, 3, 1, 2), (0, 2, 3, 1)
MAX_INT64 = 2**63 - 1
# Protocol buffers take 2 GB; this leaves some for the nodes.
MAX_CONSTANT_BYTES = 2**31 - 2**27


def onnx_package():
    """The module onnx, with its helpers."""
    try:
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise ImportError(_HINT.format(error)) from error
    return onnx


_NAMES = {
    **{f"{sign}int{bits}": f"{sign}int{bits}".upper() for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{"float16": "FLOAT16", "bfloat16": "BFLOAT16", "float32": "FLOAT", "float64": "DOUBLE"},
    **{"bool": "BOOL", "string": "STRING"},
}


def element_type(dtype):
    """ONNX's number for an element type. UnimplementedError: it has none."""
    name = dtype.base_dtype.name
    if name not in _NAMES:
        raise errors.UnimplementedError(None, None, f"ONNX models have no elements of type {name} here.")
    return getattr(onnx_package().TensorProto, _NAMES[name])


class Model:
    """Collects nodes, constants, inputs and outputs.

    Args:
      constants: dict from tensors of the graph to their values, arrays.
    """

    def __init__(self, constants):
        self._onnx = onnx_package()
        self._constants = constants
        self._nodes, self._initializers, self._inputs, self._outputs = [], [], [], []
        self._values = {}  # tensor -> the name of its value
        self._channels_first = {}  # tensor -> the name of its value with the channels first
        self._literals = {}  # (type, shape, bytes) -> the name of the constant
        self._given = set()  # tensors that are inputs of the model
        self._may_fold = True  # whether values and shapes that the graph derived also hold in the model
        self._names = set()
        self._labels = set()  # names of nodes
        self._is_checked = True  # the checker takes no inputs and outputs of unknown rank

    # ---- Nodes and constants

    def name(self, text):
        """A name that no value has yet."""
        return unused_name(text, self._names)

    def node(self, op_type, inputs, op, outputs=1, name=None, **attributes):
        """Adds a node for an operation; returns the name of its value, or of its values if there are several."""
        names = [self.name(name or f"{op.name}:{op_type}") for _ in range(outputs)]
        attributes = {key: value for key, value in attributes.items() if value is not None}
        label = unused_name(f"{op.name}/{op_type}", self._labels)
        self._nodes.append(self._onnx.helper.make_node(op_type, list(inputs), names, name=label, **attributes))
        return names[0] if outputs == 1 else names

    def constant(self, value, dtype=None):
        """The name of a constant with a value: an array, or what `np.asarray` makes one of."""
        array = np.asarray(value, dtype)
        key = None if array.dtype.kind == "O" else (array.dtype.str, array.dtype.name, array.shape, array.tobytes())
        if key is None or key not in self._literals:
            name = self.name("constant")
            self._initializers.append(_tensor_proto(array, name))
            if key is None:
                return name
            self._literals[key] = name
        return self._literals[key]

    def int64(self, values):
        """The name of a constant of sizes or places."""
        return self.constant(values, np.int64)

    # ---- Values of tensors

    def value(self, tensor):
        """The name of a tensor's value, as the graph has it."""
        if tensor in self._values:
            return self._values[tensor]
        if tensor in self._channels_first:
            first = self._channels_first[tensor]
            name = self.node("Transpose", [first], tensor.op, perm=_TO_CHANNELS_LAST)
        else:
            value = self._known(tensor)
            if value is None:
                raise errors.InternalError(None, tensor.op, f"Tensor {tensor.name} has no value yet.")
            name = self.constant(value)
        self._values[tensor] = name
        return name

    def values(self, tensors):
        """Names of the values of several tensors."""
        return [self.value(tensor) for tensor in tensors]

    def set(self, tensor, name):
        """Says which value a tensor has, unless it is an input of the model."""
        if tensor not in self._given:
            self._values[tensor] = name

    def channels_first(self, tensor):
        """The name of the value of a rank-4 tensor whose channels are last, transposed so that they come first."""
        if tensor not in self._channels_first:
            name = self.node("Transpose", [self.value(tensor)], tensor.op, perm=_TO_CHANNELS_FIRST)
            self._channels_first[tensor] = name
        return self._channels_first[tensor]

    def set_channels_first(self, tensor, name):
        """The same for a value whose channels come first, of a tensor whose channels are last."""
        if tensor not in self._given:
            self._channels_first[tensor] = name

    def is_channels_first(self, tensor):
        """Whether the value is there with the channels first, and not otherwise."""
        return tensor in self._channels_first and tensor not in self._values

    def _known(self, tensor):
        """The value of a tensor that does not depend on the inputs, an array; None: it does."""
        if tensor in self._given:
            return None
        if tensor in self._constants:
            return self._constants[tensor]
        return constant_value(tensor) if self._may_fold or tensor.op.type == "Const" else None

    def static(self, op, index):
        """The value of an input that ONNX needs as a constant. UnimplementedError: it depends on the inputs."""
        tensor = op.inputs[index]
        value = self._known(tensor)
        if value is None:
            raise self.unsupported(op, f"input {index}, {tensor.name}, depends on the model's inputs")
        return np.asarray(value)

    def is_static(self, tensor):
        """Whether a value does not depend on the inputs of the model."""
        return self._known(tensor) is not None

    def as_int64(self, tensor, op):
        """The value of a tensor of sizes or places as int64, as a constant if it is one."""
        value = self._known(tensor)
        if value is not None:
            return self.int64(value)
        return self.cast(self.value(tensor), dtypes.int64, op) if tensor.dtype != dtypes.int64 else self.value(tensor)

    def cast(self, name, dtype, op):
        """A value converted to another type."""
        return self.node("Cast", [name], op, to=element_type(dtype))

    def rank(self, tensor, op):
        """The rank of a tensor. UnimplementedError: it is unknown."""
        rank = tensor.get_shape().ndims
        if rank is None:
            raise self.unsupported(op, f"the rank of {tensor.name} is unknown")
        return rank

    @staticmethod
    def unsupported(op, why):
        """The error for an operation that cannot be exported as it is used."""
        return errors.UnimplementedError(
            None, op, f"Operation '{op.name}' of type {op.type} cannot be exported to ONNX: {why}."
        )

    # ---- The model

    def _info(self, name, tensor, dims):
        self._is_checked &= dims is not None
        shape = (
            None if dims is None else [d.value if d.value is not None else f"{name}_{i}" for i, d in enumerate(dims)]
        )
        return self._onnx.helper.make_tensor_value_info(name, element_type(tensor.dtype), shape)

    def add_input(self, name, tensor):
        """Declares an input of the model."""
        self.reserve(name)
        self._inputs.append(self._info(name, tensor, tensor.get_shape().dims))
        self._values[tensor] = name
        self._given.add(tensor)
        # What the graph derived from a constant, also shapes, is wrong when the constant is an input.
        self._may_fold &= constant_value(tensor) is None

    def reserve(self, name):
        """Keeps a name for an input or output."""
        self._names.add(name)

    def add_output(self, name, tensor):
        """Declares an output of the model, whose name was reserved; its value must be there."""
        label = unused_name(f"{name}/Identity", self._labels)
        self._nodes.append(self._onnx.helper.make_node("Identity", [self.value(tensor)], [name], name=label))
        self._outputs.append(self._info(name, tensor, tensor.get_shape().dims if self._may_fold else None))

    def _remove_unused(self):
        """Drops nodes and constants that no output needs, such as computed sizes that are known after all."""
        needed, nodes = {output.name for output in self._outputs}, []
        for node in reversed(self._nodes):
            if needed & set(node.output):
                needed |= set(node.input)
                nodes.append(node)
        self._nodes = nodes[::-1]
        self._initializers = [tensor for tensor in self._initializers if tensor.name in needed]

    def finish(self):
        """The ModelProto, checked unless it is too large for that, or the rank of an input or output is unknown."""
        helper = self._onnx.helper
        _rename_outputs(self._nodes, {output.name for output in self._outputs}, {i.name for i in self._inputs})
        self._remove_unused()
        graph = helper.make_graph(self._nodes, "graph", self._inputs, self._outputs, self._initializers)
        model = helper.make_model(graph, producer_name="tfcore", opset_imports=[helper.make_opsetid("", OPSET)])
        model.ir_version = _IR_VERSION
        if self._is_checked and constant_bytes(model) <= MAX_CONSTANT_BYTES:
            self._onnx.checker.check_model(model)
        return model


def constant_bytes(model):
    """The size of a ModelProto's constants; that of all is unknown if it is too large for a protocol buffer."""
    return sum(len(a.raw_data) + sum(map(len, a.string_data)) for a in model.graph.initializer)


def _rename_outputs(nodes, outputs, inputs):
    """Removes the Identity nodes before outputs where the node before can make the output itself."""
    makers = {name: node for node in nodes for name in node.output}
    for node in [n for n in nodes if n.op_type == "Identity" and n.output[0] in outputs]:
        source, target = node.input[0], node.output[0]
        if source not in makers or source in inputs or source in outputs:
            continue  # an input, a constant, or an output under two names
        maker = makers[source]
        maker.output[list(maker.output).index(source)] = target
        nodes.remove(node)
        for other in nodes:
            for i, name in enumerate(other.input):
                if name == source:
                    other.input[i] = target
        makers[target] = maker
        del makers[source]


def _tensor_proto(array, name):
    onnx = onnx_package()
    if array.dtype.kind in "OSU":
        values = [v if isinstance(v, bytes) else str(v).encode() for v in array.ravel().tolist()]
        return onnx.helper.make_tensor(name, onnx.TensorProto.STRING, array.shape, values)
    dtype = dtypes.as_dtype(array.dtype)
    data = np.ascontiguousarray(array).tobytes()
    return onnx.helper.make_tensor(name, element_type(dtype), array.shape, data, raw=True)
