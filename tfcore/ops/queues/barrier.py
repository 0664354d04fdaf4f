"""Barriers: keys whose values come component by component, and are taken when they are complete."""

from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, get_op_def, not_differentiable
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.constant import constant_value
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.queues.queue import shape_list, type_list

_HANDLE = "handle: Ref(string)"


def _names_shape(op):
    return [(2,)]


def _taken_shape(op):
    shape_functions.with_rank(op.inputs[1].dims, 0)
    return [(None,), (None,), *[None] * (len(op.outputs) - 2)]


for _name, _inputs, _outputs, _attrs, _shape, _stateful, _doc in (
    (
        "Barrier",
        [],
        [_HANDLE],
        [
            "component_types: list(type) >= 1",
            "shapes: list(shape) >= 0 = []",
            "capacity: int = -1",
            "container: string = ''",
            "shared_name: string = ''",
        ],
        _names_shape,
        True,
        "The handle of a barrier, made when it is first needed.",
    ),
    (
        "BarrierInsertMany",
        [_HANDLE, "keys: string", "values: T"],
        [],
        ["T: type", "component_index: int"],
        None,
        False,
        "Gives keys their values of one component.",
    ),
    (
        "BarrierTakeMany",
        [_HANDLE, "num_elements: int32"],
        ["indices: int64", "keys: string", "values: component_types"],
        [
            "component_types: list(type) >= 1",
            "allow_small_batch: bool = false",
            "wait_for_incomplete: bool = false",
            "timeout_ms: int = -1",
        ],
        _taken_shape,
        False,
        "Removes and returns complete elements, those first whose first component came first.",
    ),
    (
        "BarrierClose",
        [_HANDLE],
        [],
        ["cancel_pending_enqueues: bool = false"],
        None,
        False,
        "No more new keys can be inserted, and no more values if pending insertions are cancelled.",
    ),
    ("BarrierReadySize", [_HANDLE], ["size: int32"], [], shape_functions.scalar, False, "Complete elements."),
    ("BarrierIncompleteSize", [_HANDLE], ["size: int32"], [], shape_functions.scalar, False, "Incomplete elements."),
):
    define_op(_name, inputs=_inputs, outputs=_outputs, attrs=_attrs, shape=_shape, stateful=_stateful, doc=_doc)
    not_differentiable(_name)


class Barrier:
    """Elements with a key, a string, whose components are inserted one by one: TensorFlow's data_flow_ops.Barrier.

    Complete elements can be taken, in the order in which their first components were inserted.

    Args:
      types: Type of the component, or list of the components' types.
      shapes: Shape of the component, or list of the components' shapes, fully known; None: scalars.
      shared_name: Name under which all sessions of a task share the barrier.
      name: Name of the operation that makes the handle.

    Raises:
      ValueError: A shape is not fully known, or has no elements.
    """

    def __init__(self, types, shapes=None, shared_name=None, name="barrier"):
        self._types = type_list(types)
        self._shapes = [TensorShape(None) for _ in self._types]
        if shapes is not None:
            self._shapes = shape_list(shapes)
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError(f"Empty tensors are not supported, but received shape '{shape}' at index {i}")
        self._barrier_ref = get_op_def("Barrier")(
            component_types=self._types, shapes=self._shapes, shared_name=shared_name or "", name=name
        )
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self):
        """The handle."""
        return self._barrier_ref

    @property
    def name(self):
        """Name of the operation that makes the handle."""
        return self._barrier_ref.op.name

    def _op(self, kind, *inputs, name, **attrs):
        return get_op_def(f"Barrier{kind}")(
            self._barrier_ref, *inputs, name=name or f"{self._name}_Barrier{kind}", **attrs
        )

    def insert_many(self, component_index, keys, values, name=None):
        """Gives keys their values of one component.

        Args:
          component_index: The number of the component, from 0.
          keys: A vector of strings.
          values: A `Tensor` with as many rows.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with InvalidArgumentError if a key has such a value already, and with CancelledError
          if the barrier is closed and a key is new.
        """
        values = convert_to_tensor(values, dtype=self._types[component_index])
        return self._op("InsertMany", keys, values, component_index=component_index, name=name)

    def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
        """Removes and returns complete elements; waits until there are enough.

        Args:
          num_elements: How many, a scalar `Tensor` of type int32.
          allow_small_batch: Whether fewer will do once the barrier is closed, though at least one.
          timeout: Must be None: the operation does not support it, as in TensorFlow.
          name: Name of the operation (optional).

        Returns:
          A tuple (indices, keys, values): an int64 vector, whose numbers tell the order of insertion; a vector of
          strings; and values, one `Tensor` for each component, with a row for each key. The operation fails with
          OutOfRangeError if the barrier is closed and has fewer elements.
        """
        attrs = {} if timeout is None else {"timeout_ms": timeout}
        taken = self._op(
            "TakeMany",
            num_elements,
            component_types=self._types,
            allow_small_batch=allow_small_batch,
            name=name,
            **attrs,
        )
        rows = None if allow_small_batch else constant_value(taken.indices.op.inputs[1])
        rows = TensorShape([None if rows is None else int(rows)])
        for output, shape in zip(taken.indices.op.outputs, (TensorShape([]), TensorShape([]), *self._shapes)):
            output.set_shape(rows.concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues=False, name=None):
        """Closes the barrier to new keys; elements that are incomplete can still be completed, and taken.

        Args:
          cancel_pending_enqueues: Whether incomplete elements are dropped, so that nothing can be inserted any more.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with CancelledError if the barrier is closed already, unless incomplete elements are
          to be dropped now for the first time.
        """
        return self._op("Close", cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def ready_size(self, name=None):
        """The number of complete elements.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._op("ReadySize", name=name)

    def incomplete_size(self, name=None):
        """The number of incomplete elements.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._op("IncompleteSize", name=name)
