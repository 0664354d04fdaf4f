"""Staging areas, which hold tuples of tensors between steps: of a pipeline, for example."""

import tfcore.ops.array.array as array_ops
import tfcore.ops.control_flow.control as control
from tfcore.framework.definitions import shapes as shape_functions
from tfcore.framework.definitions.op_def import define_op, not_differentiable
from tfcore.framework.graph.graph import colocate_with, get_default_graph, name_scope
from tfcore.framework.types import dtypes as dtypes_lib
from tfcore.framework.types.tensor_shape import TensorShape
from tfcore.framework.values.conversion import convert_to_tensor

_LIMITS = ["capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0"]
_NAMES = ["container: string = ''", "shared_name: string = ''"]
_SOME, _ANY = "dtypes: list(type) >= 1", "dtypes: list(type)"


def _peek_shape(op):
    shape_functions.with_rank(op.inputs[0].dims, 0)
    return shape_functions.unknown(op)


Stage = define_op(
    "Stage",
    inputs=["values: dtypes"],
    attrs=[*_LIMITS, _SOME, *_NAMES],
    stateful=True,
    doc="Puts a tuple of tensors into a staging area; waits while it is full.",
)
Unstage = define_op(
    "Unstage",
    outputs=["values: dtypes"],
    attrs=[*_LIMITS, _SOME, *_NAMES],
    shape=shape_functions.unknown,
    stateful=True,
    doc="Removes and returns the first tuple; waits while there is none.",
)
StagePeek = define_op(
    "StagePeek",
    inputs=["index: int32"],
    outputs=["values: dtypes"],
    attrs=[*_LIMITS, _SOME, *_NAMES],
    shape=_peek_shape,
    stateful=True,
    doc="Returns the tuple at an index; waits until there is one.",
)
StageSize = define_op(
    "StageSize",
    outputs=["size: int32"],
    attrs=[*_LIMITS, _ANY, *_NAMES],
    shape=shape_functions.scalar,
    stateful=True,
    doc="The number of tuples.",
)
StageClear = define_op(
    "StageClear",
    attrs=[*_LIMITS, _ANY, *_NAMES],
    stateful=True,
    doc="Removes all tuples.",
)
not_differentiable("Stage", "Unstage", "StagePeek", "StageSize", "StageClear")


class BaseStagingArea:
    """What staging areas have in common. All operations of one run on one device: the one that is current when it is
    made.

    Args:
      dtypes: List of the types of the tensors.
      shapes: List of their shapes, or None.
      names: List of their names; tuples are then dictionaries. Or None.
      shared_name: Name under which all sessions of a task share the staging area.
      capacity: The most tuples that it holds; 0: any number.
      memory_limit: The most bytes that it holds; 0: any number.

    Raises:
      ValueError: The lists differ in length, or `shared_name` is not a string.
    """

    def __init__(self, dtypes, shapes=None, names=None, shared_name=None, capacity=0, memory_limit=0):
        if shared_name is None:
            self._name = get_default_graph().unique_name(type(self).__name__)
        elif isinstance(shared_name, str):
            self._name = shared_name
        else:
            raise ValueError(f"shared_name must be a string, got {shared_name}")
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(dtypes):
                raise ValueError(f"StagingArea {what} must be the same length as dtypes")
        self._dtypes = [dtypes_lib.as_dtype(t) for t in dtypes]
        self._shapes = [TensorShape(None) for _ in dtypes] if shapes is None else [TensorShape(s) for s in shapes]
        self._names, self._capacity, self._memory_limit = names, capacity, memory_limit
        with name_scope(f"{self._name}_root"):
            self._place = control.no_op()

    @property
    def name(self):
        """Name of the staging area."""
        return self._name

    @property
    def dtypes(self):
        """List of the types of the tensors."""
        return self._dtypes

    @property
    def shapes(self):
        """List of the shapes of the tensors."""
        return self._shapes

    @property
    def names(self):
        """List of the names of the tensors, or None."""
        return self._names

    @property
    def capacity(self):
        """The most tuples that it holds; 0: any number."""
        return self._capacity

    @property
    def memory_limit(self):
        """The most bytes that it holds; 0: any number."""
        return self._memory_limit

    def _op(self, op_def, *inputs, name, **attrs):
        with colocate_with(self._place):
            return op_def(
                *inputs,
                shared_name=self._name,
                capacity=self._capacity,
                memory_limit=self._memory_limit,
                name=name,
                **attrs,
            )

    def _tensors(self, values, indices):
        """Picks the tensors at the indices from a tuple."""
        tensors = []
        for i, value in zip(indices, values):
            dtype = self._dtypes[i]
            tensor = convert_to_tensor(value, name=f"component_{i}")
            if tensor.dtype.base_dtype != dtype:
                raise ValueError(f"Datatypes do not match. {tensor.dtype} != {dtype}")
            tensor.shape.assert_is_compatible_with(self._shapes[i])
            tensors.append(tensor)
        return tensors

    def _here(self, tensors):
        """The tensors, on the device that is current."""
        if control.no_op().device != self._place.device:
            return [array_ops.identity(t) for t in tensors]
        return tensors

    def _tuple(self, tensors, indices):
        """What is returned for the tensors at the indices."""
        tensors = self._here(tensors)
        for tensor, i in zip(tensors, indices):
            tensor.set_shape(self._shapes[i])
        return {self._names[i]: t for t, i in zip(tensors, indices)} if self._names else tensors


def as_list(values):
    """The tensors of what is to be put."""
    if isinstance(values, dict):
        return list(values.values())
    return list(values) if isinstance(values, (list, tuple)) else [values]


class StagingArea(BaseStagingArea):
    """A staging area: tuples of tensors leave it in the order in which they came. It is `tf.contrib.staging`'s.

    For the arguments see `BaseStagingArea`.
    """

    def _all(self):
        return range(len(self._dtypes))

    def _values(self, values):
        """The tensors of a tuple, as a list."""
        if isinstance(values, dict):
            if not self._names:
                raise ValueError("Staging areas must have names to enqueue a dictionary")
            if set(values) != set(self._names):
                raise ValueError(
                    "Keys in dictionary to put do not match names of staging area. "
                    f"Dictionary: {sorted(values)}, names: {sorted(self._names)}"
                )
            values = [values[name] for name in self._names]
        elif self._names:
            raise ValueError("You must enqueue a dictionary in a staging area with names")
        values = as_list(values)
        if len(values) != len(self._dtypes):
            raise ValueError(f"Unexpected number of inputs {len(values)} vs {len(self._dtypes)}")
        return self._tensors(values, self._all())

    def put(self, values, name=None):
        """Puts a tuple into the staging area; waits while it is full.

        Args:
          values: A `Tensor`, a list of them, or a dictionary if the staging area has names.
          name: Name of the operation (optional).

        Returns:
          The `Operation`. It fails with ResourceExhaustedError if the tensors alone exceed the memory limit.

        Raises:
          ValueError: `values` does not fit the types, shapes or names.
        """
        with name_scope(name, f"{self._name}_put", as_list(values)) as scope:
            return self._op(Stage, self._values(values), name=scope)

    def get(self, name=None):
        """Removes and returns the first tuple; waits while there is none.

        Args:
          name: Name of the operation (optional).

        Returns:
          A list of `Tensor`s, or a dictionary if the staging area has names.
        """
        return self._tuple(self._op(Unstage, name=name or f"{self._name}_get", dtypes=self._dtypes), self._all())

    def peek(self, index, name=None):
        """Returns a tuple without removing it; waits until it is there.

        Args:
          index: Its place, a scalar `Tensor` of type int32.
          name: Name of the operation (optional).

        Returns:
          A list of `Tensor`s, or a dictionary if the staging area has names.
        """
        peeked = self._op(StagePeek, index, name=name or f"{self._name}_peek", dtypes=self._dtypes)
        return self._tuple(peeked, self._all())

    def size(self, name=None):
        """The number of tuples.

        Args:
          name: Name of the operation (optional).

        Returns:
          A scalar `Tensor` of type int32.
        """
        return self._op(StageSize, name=name or f"{self._name}_size", dtypes=self._dtypes)

    def clear(self, name=None):
        """Removes all tuples.

        Args:
          name: Name of the operation (optional).

        Returns:
          The `Operation`.
        """
        return self._op(StageClear, name=name or f"{self._name}_clear", dtypes=self._dtypes)
