"""Operation and Tensor: the nodes and edges of a graph."""

import sys

from tfcore.framework.device import canonical_name
from tfcore.framework.graph.default_session import eval_in_session
from tfcore.framework.graph.internals import OperationInternals, TensorInternals
from tfcore.framework.types.tensor_shape import as_dims, shape_of

_PACKAGE = __file__.rsplit("/", 3)[0] + "/"
_EXAMPLES = _PACKAGE + "examples/"
_TRACE_DEPTH = 4
_is_internal = {}  # file name -> whether its frames are tfcore's own


def capture_user_frames():
    """The innermost frames outside tfcore as ((code, instruction offset), ...), cheap to capture and keep."""
    frame = sys._getframe(2)
    frames = []
    while frame is not None:
        file = frame.f_code.co_filename
        internal = _is_internal.get(file)
        if internal is None:
            internal = _is_internal[file] = file.startswith(_PACKAGE) and not file.startswith(_EXAMPLES)
        if frames or not internal:
            frames.append((frame.f_code, frame.f_lasti))
            if len(frames) == _TRACE_DEPTH:
                break
        frame = frame.f_back
    return tuple(frames)


def line_of(code, offset):
    """The line of an instruction."""
    for start, end, line in code.co_lines():
        if start <= offset < end:
            return line
    return code.co_firstlineno


class Tensor(TensorInternals):
    """A symbolic value: output `value_index` of an operation, computed when a session runs it.

    Tensors are compared and hashed by identity, as in TensorFlow 1. The arithmetic operators add operations to the
    graph.

    Args:
      op: The `Operation` that computes it.
      value_index: Index of the output.
      dtype: The `DType` of its elements.
      dims: The static shape: a tuple of ints and Nones, or None if the rank is unknown.
    """

    # Programs set attributes of their own, such as the `aliases` of tf.contrib.layers.
    __slots__ = ("op", "value_index", "dtype", "dims", "_consumers", "__weakref__", "__dict__")
    __array_priority__ = 100
    # Names of the operators; classes of programs that act as tensors take them over from here. Without == and !=, which
    # TensorFlow 1.15 added: they compare identities, and would compare those of other objects in such a class.
    OVERLOADABLE_OPERATORS = frozenset(
        """
        __abs__ __add__ __and__ __div__ __floordiv__ __ge__ __getitem__ __gt__ __invert__ __le__ __lt__
        __matmul__ __mod__ __mul__ __neg__ __or__ __pow__ __radd__ __rand__ __rdiv__ __rfloordiv__ __rmatmul__
        __rmod__ __rmul__ __ror__ __rpow__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ __xor__
        """.split()
    )

    def __init__(self, op, value_index, dtype, dims):
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self.dims = dims  # None: unknown rank; else a tuple of int | None
        self._consumers = None

    @property
    def name(self):
        """The name: "operation:index"."""
        return f"{self.op.name}:{self.value_index}"

    @property
    def graph(self):
        """The `Graph` it belongs to."""
        return self.op.graph

    @property
    def device(self):
        """The device that its operation was requested to run on, "" for none."""
        return self.op.device

    @property
    def shape(self):
        """The static shape as far as it is known, a `TensorShape`."""
        return shape_of(self.dims)

    def get_shape(self):
        """The static shape as far as it is known.

        Returns:
          A `TensorShape`.
        """
        return shape_of(self.dims)

    @property
    def ndim(self):
        """The number of dimensions, None if it is not known."""
        return None if self.dims is None else len(self.dims)

    def set_shape(self, shape):
        """Merges what is known about the shape into the static shape.

        Args:
          shape: A `TensorShape` or a value that converts to one.

        Raises:
          ValueError: The two shapes are incompatible.
        """
        self.dims = as_dims(shape_of(self.dims).merge_with(shape))

    def consumers(self):
        """The operations that take this tensor as an input, once for each such input.

        Returns:
          A list of `Operation`s.
        """
        return list(self._consumers or ())

    def eval(self, feed_dict=None, session=None):
        """Computes the tensor: short for `session.run(tensor, feed_dict)`.

        Args:
          feed_dict: A dict from tensors to values, see `tf.Session.run`.
          session: The `Session`; the default session if None.

        Returns:
          A NumPy array or scalar.

        Raises:
          ValueError: There is no session, or it belongs to another graph.
          tf.errors.OpError: An operation failed, see `tf.Session.run`.
        """
        return eval_in_session("eval", self, feed_dict, session, self.graph)

    __hash__ = object.__hash__

    def __eq__(self, other):
        return self is other

    def __ne__(self, other):
        return self is not other

    def __iter__(self):
        raise TypeError(
            "Tensor objects are only iterable when eager execution is enabled. To iterate over this tensor use "
            "tf.map_fn."
        )

    def __len__(self):
        raise TypeError(
            f"len is not well defined for symbolic Tensors. ({self.name}) Please call `x.shape` rather than `len(x)` "
            "for shape information."
        )

    def __bool__(self):
        raise TypeError(
            "Using a `tf.Tensor` as a Python `bool` is not allowed. Use `if t is not None:` instead of `if t:` to test "
            "if a tensor is defined, and use TensorFlow ops such as tf.cond to execute subgraphs conditioned on the "
            "value of a tensor."
        )

    __nonzero__ = __bool__  # the name in Python 2, of which classes that act as tensors make a copy

    def __array__(self, dtype=None, copy=None):
        raise NotImplementedError(f"Cannot convert a symbolic Tensor ({self.name}) to a numpy array.")

    def __copy__(self):
        return self

    def __str__(self):
        shape = "" if self.dims is None else f", shape={self._shape_text()}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name}{device})'

    def __repr__(self):
        return f"<tf.Tensor {self.name!r} shape={self._shape_text()} dtype={self.dtype.name}>"

    def _shape_text(self):
        if self.dims is None:
            return "<unknown>"
        inner = ", ".join("?" if d is None else str(d) for d in self.dims)
        return f"({inner},)" if len(self.dims) == 1 else f"({inner})"

    @staticmethod
    def _override_operator(operator, function):
        """Installs a Python operator, as in `_override_operator("__add__", add)`; the op families do."""
        setattr(Tensor, operator, function)

    def _as_graph_element(self):
        return self


class Operation(OperationInternals):
    """A node of a graph. Programs add operations by calling functions such as `tf.matmul`.

    Args:
      node_def: A NodeDef with the name, op type, device and attributes; its inputs are not read.
      g: The `Graph`.
      inputs: A list of `Tensor`s (optional). Those that are left out follow by `_add_input`, before the operation runs.
      output_types: Ignored: the types of the outputs follow from the attributes.
      control_inputs: A list of `Operation`s, or `Tensor`s of them, that run before this one (optional).
      input_types: Ignored: the types of the inputs follow from the attributes.
      original_op: The `Operation` whose gradient it belongs to, or that it is a copy of (optional).
      op_def: Ignored: the definition is that of the op type.

    Raises:
      TypeError: `node_def` is not a NodeDef, or an input is not a `Tensor`.
      ValueError: The name is in use, an attribute is malformed or missing, an input is of another type or graph, or
        shapes are incompatible.
      tf.errors.NotFoundError: The op type is not registered.

    Attributes:
      graph: The `Graph`.
      name: Unique name in the graph.
      type: Op type, such as "MatMul".
      op_def: The `OpDef`.
      inputs: The list of input `Tensor`s.
      outputs: The list of output `Tensor`s.
      requested_device: What `device` returns; only code that makes operations sets it.
      attrs: A dict from names to the values of all attributes, shared with the op type's defaults: see `get_attr`.
      controls: The tuple of `Operation`s that run before this one.
      frames: The user's frames in which it was created, see `traceback`.
    """

    __slots__ = (
        "graph", "_id", "name", "type", "op_def", "inputs", "controls", "attrs", "outputs",
        "requested_device", "frames", "_control_flow_context", "_original_op", "__weakref__",
    )  # fmt: skip

    def __init__(
        self,
        node_def,
        g,
        inputs=None,
        output_types=None,
        control_inputs=None,
        input_types=None,
        original_op=None,
        op_def=None,
    ):
        self._fill(node_def, g, inputs or (), control_inputs or (), original_op)

    @property
    def device(self):
        """The requested device, "" for none."""
        return self.requested_device

    @property
    def control_inputs(self):
        """The list of `Operation`s that run before this one."""
        return list(self.controls)

    def _set_device(self, device):
        self.requested_device = canonical_name(device)
        self.graph.modified()

    def get_attr(self, name):
        """The value of an attribute.

        Args:
          name: Name of the attribute.

        Returns:
          A Python value: types as `DType`, strings as bytes, shapes as tuples of ints and Nones, tensors as arrays.

        Raises:
          ValueError: The operation has no such attribute.
        """
        try:
            value = self.attrs[name]
        except KeyError:
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.") from None
        return value.copy() if type(value) is list else value  # defaults are shared by all operations of a type

    def _set_attr(self, name, value):
        if hasattr(value, "WhichOneof"):  # an AttrValue, as programs written for TensorFlow pass
            from tfcore.framework.attr_proto import decode_attr

            value = decode_attr(value)
        self.attrs[name] = value
        self.graph.modified()

    def _add_control_input(self, op):
        self._add_control_inputs([op])

    def _add_control_inputs(self, ops):
        for op in ops:
            if op not in self.controls:
                self.controls += (op,)
        self.graph.modified()

    def _get_control_flow_context(self):
        return self._control_flow_context

    def _set_control_flow_context(self, context):
        self._control_flow_context = context

    def _update_input(self, index, tensor):
        rewire(self, index, tensor)
        self.graph.modified()

    def colocation_groups(self):
        """The colocation groups of the operation.

        Returns:
          A list of bytes of the form `loc:@name`.
        """
        groups = self.attrs.get("_class")
        return list(groups) if groups else [b"loc:@" + self.name.encode()]

    def values(self):
        """The outputs.

        Returns:
          A tuple of `Tensor`s.
        """
        return tuple(self.outputs)

    @property
    def traceback(self):
        """The user's frames in which it was created: (file, line, function, None) tuples, outermost first."""
        return [(c.co_filename, line_of(c, o), c.co_name, None) for c, o in reversed(self.frames)]

    @property
    def creation_line(self):
        """The user's line that created the operation, as "file:line in function"; "" if unknown."""
        if not self.frames:
            return ""
        code, offset = self.frames[0]
        return f"{code.co_filename}:{line_of(code, offset)} in {code.co_name}"

    @property
    def node_def(self):
        """The operation as a NodeDef."""
        from tfcore.framework.exchange.graph_def import node_def_of

        return node_def_of(self)

    def run(self, feed_dict=None, session=None):
        """Runs the operation: short for `session.run(op, feed_dict)`.

        Args:
          feed_dict: A dict from tensors to values, see `tf.Session.run`.
          session: The `Session`; the default session if None.

        Raises:
          ValueError: There is no session, or it belongs to another graph.
          tf.errors.OpError: An operation failed, see `tf.Session.run`.
        """
        eval_in_session("run", self, feed_dict, session, self.graph)

    def _as_graph_element(self):
        return self

    def __str__(self):
        lines = [f'name: "{self.name}"', f'op: "{self.type}"']
        lines += [f'input: "{_input_text(t)}"' for t in self.inputs]
        lines += [f'input: "^{op.name}"' for op in self.controls]
        if self.device:
            lines.append(f'device: "{self.device}"')
        lines += [f"attr {name}: {value}" for name, value in sorted(self.attrs.items())]
        return "\n".join(lines) + "\n"

    def __repr__(self):
        return f"<tf.Operation {self.name!r} type={self.type}>"


def definition(element):
    """A line of an error message: where the operation of a Tensor, Operation or variable was made."""
    op = getattr(element, "op", element)
    return f"\n  {op.name!r} is defined at {op.creation_line}" if op.frames else ""


def new_operation(
    graph, op_def, name, inputs, attrs, output_dtypes, controls=(), frames=(), context=None, device="", op=None
):
    """An operation that is not yet part of its graph: see `insert`.

    Args:
      graph: The `Graph`.
      op_def: The `OpDef` of the op type.
      name: Full name, unique in the graph.
      inputs: A list of `Tensor`s.
      attrs: A dict from names to the values of all attributes.
      output_dtypes: A sequence of the `DType`s of the outputs.
      controls: A tuple of `Operation`s that run before this one.
      frames: The user's frames in which it was created.
      context: The control-flow context: the innermost conditional or loop.
      device: The requested device, "" for none.
      op: The object to fill; a new one by default.

    Returns:
      The `Operation`.
    """
    if op is None:
        op = Operation.__new__(Operation)
    op.graph = graph
    op.op_def = op_def
    op.type = op_def.name
    op.name = name
    op.inputs = inputs
    op.attrs = attrs
    op.controls = controls
    op.frames = frames
    op._control_flow_context = context
    op._original_op = None
    op.requested_device = device
    if len(output_dtypes) == 1:
        op.outputs = [Tensor(op, 0, output_dtypes[0], None)]
    else:
        op.outputs = [Tensor(op, i, dtype, None) for i, dtype in enumerate(output_dtypes)]
    return op


def add_consumer(op, tensors):
    """Makes an operation a consumer of its inputs."""
    for tensor in tensors:
        if tensor._consumers is None:
            tensor._consumers = [op]
        else:
            tensor._consumers.append(op)


def rewire(op, index, tensor):
    """Gives an operation another input: for one that is not yet part of a compiled plan."""
    op.inputs[index]._consumers.remove(op)
    op.inputs[index] = tensor
    add_consumer(op, [tensor])


def _input_text(tensor):
    return tensor.op.name if tensor.value_index == 0 else tensor.name


_dense_types = (Tensor,)


def register_dense_tensor_like_type(kind):
    """Registers a class whose objects represent a Tensor. tfcore.variables registers Variable."""
    global _dense_types
    _dense_types += (kind,)


def is_dense_tensor_like(value):
    """Whether `value` is a Tensor or an object that represents one, such as a Variable."""
    return isinstance(value, _dense_types)
