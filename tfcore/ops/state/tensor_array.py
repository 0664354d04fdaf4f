"""Tensor arrays: vectors of tensors that the iterations of a loop write and read, each element once.

An array is an object that a handle refers to. Its operations are ordered by `flow`: each operation that changes the
array makes a new flow, and each that needs an earlier change takes the flow of that change. Gradients follow the flow
backwards: each array has a gradient array per call of tf.gradients, in which the gradients of read elements are summed.
"""

import contextlib

import tfcore.ops.array.array as array_ops
import tfcore.ops.array.constants as constants
import tfcore.ops.cwise.cast as cast_ops
from tfcore.framework.definitions.op_def import define_op, get_op_def, gradient, not_differentiable
from tfcore.framework.definitions.shapes import merge, with_rank
from tfcore.framework.graph.control_flow_util import constant_enter_of, while_context
from tfcore.framework.graph.graph import colocate_with, control_dependencies, device, name_scope
from tfcore.framework.graph.operation import Tensor
from tfcore.framework.types import dtypes
from tfcore.framework.types.tensor_shape import TensorShape, as_shape
from tfcore.framework.values.constant import constant, constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.control_flow.gradient_state import entered, grad_state

# ---- Static shapes of the elements

_FORWARDING = ("Identity", "Enter", "Switch", "Merge", "NextIteration", "Exit")


def element_dims(handle):
    """The static shape of the elements of the array behind a handle, or None."""
    op = handle.op
    while op.type in _FORWARDING and op.inputs:
        op = op.inputs[0].op
    if op.type == "TensorArrayGradV3":
        return element_dims(op.inputs[0])
    return op.attrs["element_shape"] if op.type == "TensorArrayV3" else None


def scalars(op, *indices):
    for i in indices:
        with_rank(op.inputs[i].dims, 0)


def _new_array_shape(op):
    scalars(op, 0)
    return [(2,), ()]  # the handle has TensorFlow's shape, which may be in GraphDefs


def _gradient_shape(op):
    scalars(op, 1)
    return [(2,), ()]


def write_shape(op):
    scalars(op, 1, 3)
    merge(element_dims(op.inputs[0]), op.inputs[2].dims)
    return [()]


def read_shape(op):
    scalars(op, 1, 2)
    return [element_dims(op.inputs[0])]


# ---- Operations

TensorArrayV3 = define_op(
    "TensorArrayV3",
    inputs=["size: int32"],
    outputs=["handle: resource", "flow: float"],
    attrs=[
        "dtype: type",
        "element_shape: shape = { unknown_rank: true }",
        "dynamic_size: bool = false",
        "clear_after_read: bool = true",
        "identical_element_shapes: bool = false",
        "tensor_array_name: string = ''",
    ],
    shape=_new_array_shape,
    stateful=True,
    doc="Makes an array of `size` unwritten elements; it lives as long as something refers to its handle.",
)
TensorArrayGradV3 = define_op(
    "TensorArrayGradV3",
    inputs=["handle: resource", "flow_in: float"],
    outputs=["grad_handle: resource", "flow_out: float"],
    attrs=["source: string"],
    shape=_gradient_shape,
    stateful=True,
    doc="""The gradient array named `source` of an array, made at the first request, with the size that the array has by
    then (and keeps), zero where the array was written. What is written to one of its elements twice is added.""",
)
TensorArrayGradWithShape = define_op(
    "TensorArrayGradWithShape",
    inputs=["handle: resource", "flow_in: float", "shape_to_prepend: int32"],
    outputs=["grad_handle: resource", "flow_out: float"],
    attrs=["source: string"],
    shape=_gradient_shape,
    stateful=True,
    doc="TensorArrayGradV3 whose elements have further dimensions in front of those of the array's.",
)
TensorArrayWriteV3 = define_op(
    "TensorArrayWriteV3",
    inputs=["handle: resource", "index: int32", "value: T", "flow_in: float"],
    outputs=["flow_out: float"],
    attrs=["T: type"],
    shape=write_shape,
    stateful=True,
    doc="Writes an element, which shares the memory of `value`. Each may be written once.",
)
TensorArrayReadV3 = define_op(
    "TensorArrayReadV3",
    inputs=["handle: resource", "index: int32", "flow_in: float"],
    outputs=["value: dtype"],
    attrs=["dtype: type"],
    shape=read_shape,
    stateful=True,
    doc="Reads an element, and frees it if the array clears after reading. Unwritten ones of known shape are zeros.",
)
TensorArraySizeV3 = define_op(
    "TensorArraySizeV3",
    inputs=["handle: resource", "flow_in: float"],
    outputs=["size: int32"],
    shape=lambda op: [()],
    stateful=True,
    doc="The number of elements now.",
)
TensorArrayCloseV3 = define_op(
    "TensorArrayCloseV3",
    inputs=["handle: resource"],
    stateful=True,
    doc="Forgets all elements; the array can't be used any more.",
)
not_differentiable(
    "TensorArrayV3", "TensorArrayGradV3", "TensorArrayGradWithShape", "TensorArraySizeV3", "TensorArrayCloseV3"
)


# ---- Gradients


def gradient_array(op, dtype, flow_index, flow=None):
    """The gradient array, for this call of tf.gradients, of the array that `op` works on, at the gradient flow `flow`.

    It needs the final size of the array and the shapes of its elements, so it waits for all writes before `op` (flow
    None) or for `op` itself. If an array is shared by all iterations of a loop, so is its gradient array, which is then
    looked up before the backward loop.
    """
    call, handle = _gradients_call(op), _before_loops(op, op.inputs[0])
    if handle is not None:
        end = _before_loops(op, op.inputs[flow_index])  # an array that the loop only reads
        with _outside_of_loops(op):
            end = constant(0.0, name="flow") if end is None else end
            array = _new_gradient_array(op, dtype, handle, end, call)
        return array if flow is None else array._at(flow)
    if flow is None:
        flow = op.inputs[flow_index]
    else:
        with control_dependencies([array_ops.identity(op.outputs[0], name="flow_out")]):
            flow = array_ops.identity(flow, name="write_barrier")
    return _new_gradient_array(op, dtype, op.inputs[0], flow, call)


def _new_gradient_array(op, dtype, handle, flow, call):
    if op.type.endswith("V3"):
        return TensorArray(dtype, handle=handle, flow=flow, colocate_with_first_write_call=False).grad(call, flow=flow)
    from tfcore.ops.state.tensor_array_legacy import LegacyTensorArray

    return LegacyTensorArray(dtype, handle, flow, "V2" if op.type.endswith("V2") else "").grad(call, flow=flow)


def _gradients_call(op):
    """The name scope of the call of tf.gradients that differentiates `op`: each call has its own arrays."""
    call, found, _ = op.graph.get_name_scope().rpartition(f"/{op.name}_grad")
    if not found:
        raise ValueError(f"The gradient of {op.name} ({op.type}) can only be taken by tf.gradients.")
    return call


def _backward_loops(op):
    """States of the loops around `op` with a backward loop, innermost first; none if the gradient is taken inside."""
    state = grad_state()
    if state is None or state.forward_context is not while_context(op):
        return []
    states = [state]
    while states[-1].outer_grad_state is not None:
        states.append(states[-1].outer_grad_state)
    return states


def _before_loops(op, tensor):
    """The tensor outside of all the loops for `tensor`, an input of `op`, if all iterations share it; else None."""
    states = _backward_loops(op)
    for _ in states:
        enter = constant_enter_of(tensor)
        if enter is None:
            return None
        tensor = enter.inputs[0]
    return tensor if states else None


@contextlib.contextmanager
def _outside_of_loops(op):
    """Scope of operations that run before the outermost backward loop, after all that its forward loop computes for
    the results that have gradients: writes to an array whose flow does not leave the loop are among it."""
    state = _backward_loops(op)[-1]
    with control_dependencies(None), entered(state.grad_context.outer_context), control_dependencies(state.exits):
        yield


@gradient("TensorArrayReadV3", "TensorArrayReadV2", "TensorArrayRead")
def _read_grad(op, grad):
    array = gradient_array(op, op.get_attr("dtype"), 2)
    return [None, None, array.write(op.inputs[1], grad).flow]


@gradient("TensorArrayWriteV3", "TensorArrayWriteV2", "TensorArrayWrite")
def _write_grad(op, flow):
    array = gradient_array(op, op.get_attr("T"), 3, flow)
    value = array.read(op.inputs[1])
    value.set_shape(op.inputs[2].shape)
    return [None, None, value, array.flow]


# ---- The class


class TensorArray:
    """A vector of tensors of one type that is written and read element by element, mostly in a loop.

    A method that changes the array returns a new `TensorArray` object with a new `flow`; use that object from then on.
    Each element may be written once, and read once if reading clears it. A `TensorArray` can be a loop variable of
    `tf.while_loop` and a result of the branches of `tf.cond`.

    Args:
      dtype: The `DType` of the elements.
      size: The number of elements, an int or an int32 scalar `Tensor`. Not with `handle`.
      dynamic_size: Whether writes past the end make the array larger (False). Not with `handle`.
      clear_after_read: Whether reading an element frees it (True). Not with `handle`.
      tensor_array_name: Name of the array in error messages. Not with `handle`.
      handle: The handle of an existing array that the object refers to.
      flow: The flow of that array.
      infer_shape: Whether all elements have the same shape, that of the first one written.
      element_shape: The known part of the shape of the elements.
      colocate_with_first_write_call: Whether the array is placed on the device of the first value written to it.
      name: Name of the operation (optional).

    Raises:
      ValueError: Arguments are mutually exclusive, or `size` is missing.
      TypeError: `handle` is not a `Tensor`.
    """

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ):
        _check_arguments(handle, flow, size, dynamic_size, clear_after_read, tensor_array_name, element_shape)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._size = size
        if not isinstance(dynamic_size, (bool, type(None))):
            raise TypeError(f"Expected bool for argument 'dynamic_size' not {dynamic_size!r}.")
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._colocate_with_first_write_call = colocate_with_first_write_call
        # Lists shared by all TensorArray objects for this array, at any flow.
        self._element_shape = [as_shape(element_shape)]
        self._colocated = []
        with name_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None:
                self._handle, self._flow = handle, flow
                return
            with _nowhere() if colocate_with_first_write_call else contextlib.nullcontext():
                self._handle, self._flow = TensorArrayV3(
                    size,
                    dtype=self._dtype,
                    element_shape=self._element_shape[0],
                    identical_element_shapes=infer_shape,
                    dynamic_size=self._dynamic_size,
                    clear_after_read=True if clear_after_read is None else clear_after_read,
                    tensor_array_name=tensor_array_name or "",
                    name=scope,
                )

    # ---- Properties

    @property
    def flow(self):
        """The float32 scalar `Tensor` that orders reads after the writes made so far."""
        return self._flow

    @property
    def dtype(self):
        """The `DType` of the elements."""
        return self._dtype

    @property
    def handle(self):
        """The `Tensor` that refers to the array."""
        return self._handle

    @property
    def dynamic_size(self):
        """Whether writes past the end make the array larger."""
        return self._dynamic_size

    @property
    def element_shape(self):
        """The TensorShape that all elements have; of unknown rank if none is known."""
        return self._element_shape[0]

    @property
    def _type_spec(self):
        from tfcore.ops.state.tensor_array_spec import TensorArraySpec

        return TensorArraySpec(self.element_shape, self._dtype, self._dynamic_size, self._infer_shape)

    def _check_element_shape(self, shape):
        known = self._element_shape[0]
        if not shape.is_compatible_with(known):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {known} ")
        if self._infer_shape:
            self._element_shape[0] = known.merge_with(shape)

    def _place(self, value):
        """The scope for an operation that writes `value`: the first write decides the device of the array."""
        if not self._colocate_with_first_write_call:
            return contextlib.nullcontext()
        if not self._colocated:
            self._colocated.append(value)
        return colocate_with(self._colocated[0])

    def _to_value(self, value):
        return convert_to_tensor(value, preferred_dtype=self._dtype, name="value")

    def _at(self, flow):
        return build_ta_with_new_flow(self, flow)

    def identity(self):
        """Passes the flow through an identity operation.

        Returns:
          A `TensorArray` that refers to the same array.
        """
        return build_ta_with_new_flow(self, array_ops.identity(self._flow))

    def grad(self, source, flow=None, name=None):
        """Returns the array for the gradients of the elements; makes it if there is none.

        Args:
          source: A string that distinguishes the gradients of several calls of `tf.gradients`.
          flow: The flow after which the array does not grow any more; that of this object by default.
          name: Name of the operation (optional).

        Returns:
          A `TensorArray` of the gradients.
        """
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            handle, _ = TensorArrayGradV3(self._handle, flow, source=source, name=name)
            with control_dependencies([handle]):
                flow = array_ops.identity(flow, name="gradient_flow")
            array = TensorArray(
                self._dtype,
                handle=handle,
                flow=flow,
                infer_shape=self._infer_shape,
                colocate_with_first_write_call=False,
            )
            array._element_shape = self._element_shape
            return array

    # ---- Reading

    def read(self, index, name=None):
        """Reads an element.

        Args:
          index: A scalar `Tensor` of type int32.
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type `dtype`.
        """
        value = TensorArrayReadV3(self._handle, index, self._flow, dtype=self._dtype, name=name)
        value.set_shape(self.element_shape)
        return value

    def stack(self, name=None):
        """Stacks all elements, which must be written and have the same shape.

        Args:
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type `dtype`, shape [size, ...].
        """
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            value = self.gather(constants.range(0, self.size()), name=name)
            if not self._dynamic_size and self._size is not None:
                value.set_shape(_count(self._size) + self.element_shape)
            return value

    def gather(self, indices, name=None):
        """Stacks some elements, which must be written and have the same shape.

        Args:
          indices: An int32 vector.
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type `dtype`, shape [len(indices), ...].
        """
        element_shape = self.element_shape
        value = get_op_def("TensorArrayGatherV3")(
            self._handle, indices, self._flow, dtype=self._dtype, element_shape=element_shape, name=name
        )
        value.set_shape(TensorShape([None]) + element_shape)
        return value

    def concat(self, name=None):
        """Concatenates all elements along their first dimension, in which they may differ.

        Args:
          name: Name of the operation (optional).

        Returns:
          A `Tensor` of type `dtype`.
        """
        rest = self.element_shape[1:]
        value, _ = get_op_def("TensorArrayConcatV3")(
            self._handle, self._flow, dtype=self._dtype, element_shape_except0=rest, name=name
        )
        value.set_shape(self._length_of_all() + rest)
        return value

    def _length_of_all(self):
        dims = self.element_shape.rank and self.element_shape.as_list()
        if dims and self._infer_shape and not self._dynamic_size and self._size is not None:
            size = _count(self._size).as_list()[0]
            if None not in (size, dims[0]):
                return TensorShape([size * dims[0]])
        return TensorShape([None])

    # ---- Writing

    def write(self, index, value, name=None):
        """Writes an element.

        Args:
          index: A scalar `Tensor` of type int32.
          value: A `Tensor` of type `dtype`.
          name: Name of the operation (optional).

        Returns:
          A `TensorArray`, the array after the write.
        """
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = self._to_value(value)
            self._check_element_shape(value.shape)
            with self._place(value):
                flow = TensorArrayWriteV3(self._handle, index, value, self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    def unstack(self, value, name=None):
        """Writes the rows of a tensor to the elements 0, 1, and so on.

        Args:
          value: A `Tensor` of type `dtype` with rows.
          name: Name of the operation (optional).

        Returns:
          A `TensorArray`, the array after the writes.
        """
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            value = self._to_value(value)
            return self.scatter(constants.range(0, array_ops.shape(value)[0]), value, name=name)

    def scatter(self, indices, value, name=None):
        """Writes the rows of a tensor to the elements at `indices`.

        Args:
          indices: An int32 vector.
          value: A `Tensor` of type `dtype`, shape [len(indices), ...].
          name: Name of the operation (optional).

        Returns:
          A `TensorArray`, the array after the writes.
        """
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = self._to_value(value)
            self._check_element_shape(value.shape[1:])
            with self._place(value):
                flow = get_op_def("TensorArrayScatterV3")(self._handle, indices, value, self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    def split(self, value, lengths, name=None):
        """Writes consecutive pieces of a tensor to the elements.

        Args:
          value: A `Tensor` of type `dtype`.
          lengths: An int64 vector: how many rows each element gets.
          name: Name of the operation (optional).

        Returns:
          A `TensorArray`, the array after the writes.
        """
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._place(value):
                lengths = cast_ops.cast(lengths, dtypes.int64)
                known = constant_value(lengths)
                if known is not None and known.size and known.min() == known.max():
                    self._check_element_shape(TensorShape([int(known.flat[0])]) + value.shape[1:])
                flow = get_op_def("TensorArraySplitV3")(self._handle, value, lengths, self._flow, name=name)
            return build_ta_with_new_flow(self, flow)

    # ---- The whole

    def size(self, name=None):
        """Returns the number of elements.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        return TensorArraySizeV3(self._handle, self._flow, name=name)

    def close(self, name=None):
        """Frees all elements; the array cannot be used afterwards.

        Args:
          name: Name of the operation (optional).

        Returns:
          The `Operation` that frees them.
        """
        return TensorArrayCloseV3(self._handle, name=name)


def _check_arguments(handle, flow, size, dynamic_size, clear_after_read, tensor_array_name, element_shape):
    if handle is None:
        if size is None:
            raise ValueError("Argument `size` must be provided if handle is not provided.")
        return
    if tensor_array_name:
        raise ValueError("Cannot provide both `handle` and `tensor_array_name` arguments at the same time.")
    if not isinstance(handle, Tensor):
        raise TypeError(f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` instead.")
    if size is not None:
        raise ValueError("Cannot provide both a `handle` and `size` arguments at the same time.")
    given = {"element_shape": element_shape, "dynamic_size": dynamic_size, "clear_after_read": clear_after_read}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"Cannot provide both `handle` and `{name}` arguments at the same time.")
    if flow is None:
        raise ValueError("flow must not be None if handle is not None.")


@contextlib.contextmanager
def _nowhere():
    """Scope for operations without a device, until colocation gives them one."""
    with device(None), colocate_with(None, ignore_existing=True):
        yield


def _count(size):
    """The shape [size]; its size may be unknown."""
    known = constant_value(size) if isinstance(size, Tensor) else size
    return TensorShape([None if known is None else int(known)])


def build_ta_with_new_flow(old_ta, flow):
    """The TensorArray `old_ta` at another flow."""
    array = TensorArray(
        old_ta._dtype,
        handle=old_ta._handle,
        flow=flow,
        infer_shape=old_ta._infer_shape,
        colocate_with_first_write_call=old_ta._colocate_with_first_write_call,
    )
    array._size = old_ta._size
    array._dynamic_size = old_ta._dynamic_size
    array._element_shape = old_ta._element_shape
    array._colocated = old_ta._colocated
    return array
